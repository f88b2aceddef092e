"""The pictures of docs/how-to/app.md: `kmerf app` on the wine data, as Chromium shows it.

    python -m benchmarks.pages.app_figures

It needs Chromium and its driver (apt-get install chromium chromium-driver); it writes docs/images/app_*.png.
"""

from __future__ import annotations

import base64
import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from sklearn.datasets import load_wine

from benchmarks.pages.marks import DOCS

FLAGS = "--headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --disable-dev-shm-usage"
WIDTH = 1000
COLOURS = 64  # of a picture; more cannot be told apart


def write_table(path: Path) -> None:
    """Write the wine data as a European spreadsheet does."""
    wine = load_wine(as_frame=True)
    columns = ["alcohol", "malic_acid", "magnesium", "flavanoids", "color_intensity", "proline"]
    table = wine.data[columns].assign(cultivar=wine.target + 1)
    table.insert(0, "bottle", range(1, len(table) + 1))
    table.to_csv(path, index=False, sep=";", decimal=",")


def wait(driver: Any, condition: str, seconds: float = 300.0) -> None:
    end = time.monotonic() + seconds
    idle = "(document.body.dataset.working || '0') === '0'"
    while not driver.execute_script(f"return {idle} && Boolean({condition})"):
        if time.monotonic() > end:
            raise TimeoutError(condition)
        time.sleep(0.1)


def act(driver: Any, selector: str, value: str | None = None) -> None:
    """Click on something, or choose a value."""
    there = f"document.querySelector({json.dumps(selector)})"
    wait(driver, there)
    change = f"e.value = {json.dumps(value)}; e.dispatchEvent(new Event('change', {{bubbles: true}}))"
    driver.execute_script(f"const e = {there}; {'e.click()' if value is None else change}")
    wait(driver, "true")


def picture(driver: Any, name: str, first: str, last: str) -> None:
    """Save what is between two parts of the page."""
    from PIL import Image

    time.sleep(0.5)
    top, bottom = driver.execute_script(
        f"return [document.querySelector({json.dumps(first)}).getBoundingClientRect().top + scrollY - 12,"
        f"document.querySelector({json.dumps(last)}).getBoundingClientRect().bottom + scrollY + 12]"
    )
    clip = {"x": 0, "y": top, "width": WIDTH, "height": min(bottom - top, 1500), "scale": 1}
    taken = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
    image = Image.open(io.BytesIO(base64.b64decode(taken["data"]))).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(DOCS / "images" / f"app_{name}.png", optimize=True)


def walk(driver: Any, address: str, table: Path) -> None:
    """Do what the page of the docs says."""
    size = {"width": WIDTH, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.get(address)
    wait(driver, "document.querySelector('#file')")
    driver.find_element("css selector", "#file").send_keys(str(table))
    wait(driver, "document.querySelector('#y')")
    driver.execute_script("document.querySelector('#reading').open = true")
    picture(driver, "table", "#part-table", "#part-table")
    act(driver, "button[data-column=cultivar][data-use=categorical]")
    act(driver, "#kind-ksample")
    act(driver, "#y", "cultivar")
    act(driver, "#seed", "1")
    wait(driver, "/It takes (about|up to)/.test(document.querySelector('#part-run').innerText)")
    picture(driver, "question", "#part-columns", "#part-run")
    act(driver, "#start")
    wait(driver, "document.querySelector('#report')")
    time.sleep(2)
    picture(driver, "answer", "#part-answer", "#part-answer")


def main() -> None:
    """Take the pictures."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    browser = next((path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None)
    if browser is None:
        sys.exit("Pictures need Chromium: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in FLAGS.split():
        options.add_argument(flag)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "wine.csv"
        write_table(table)
        command = [sys.executable, "-m", "kmerf", "app", "--no-browser"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as app:
            assert app.stderr is not None
            match = re.search(r"http\S+", app.stderr.readline())
            try:
                with webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver"))) as driver:
                    walk(driver, match[0] if match else "", table)
            finally:
                app.terminate()


if __name__ == "__main__":
    main()
