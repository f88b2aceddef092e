"""The page in a real browser: every question on a real table, from drop to saved report, by clicks alone."""

from __future__ import annotations

import json
import shlex
import shutil
import time
from pathlib import Path

import pytest

from app_pages import RunningApp, children_of, gone
from kmerf.cli import main

CHROMIUM = next((path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None)
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None or DRIVER is None,
    reason="needs Chromium and its driver: apt-get install chromium chromium-driver",
)
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --disable-dev-shm-usage"
)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Real tables as people have them: wine with decimal commas, diabetes and iris with points."""
    from sklearn.datasets import load_diabetes, load_iris, load_wine

    folder = tmp_path_factory.mktemp("tables")
    wine = load_wine(as_frame=True)
    wine.data.assign(cultivar=wine.target + 1).to_csv(folder / "wine.csv", index=False, sep=";", decimal=",")
    diabetes = load_diabetes(as_frame=True, scaled=False).frame
    diabetes.to_csv(folder / "diabetes.csv", index=False)
    diabetes.iloc[:200].to_csv(folder / "first.csv", index=False)
    diabetes.iloc[200:].to_csv(folder / "later.csv", index=False)
    iris = load_iris(as_frame=True)
    iris.data.assign(species=iris.target_names[iris.target]).to_csv(folder / "iris.csv", index=False)
    return folder


class Page:
    """The page of an app, with what a person does there."""

    def __init__(self, driver, app, folder: Path) -> None:
        self.driver, self.app, self.folder = driver, app, folder

    def js(self, script: str):
        return self.driver.execute_script(script)

    def until(self, script: str, seconds: float = 90.0):
        """Wait until a script returns something, and the page has nothing under way."""
        end = time.monotonic() + seconds
        idle = "(document.body?.dataset.working || '0') === '0'"
        while time.monotonic() < end:
            value = self.js(f"return {idle} && ({script})")
            if value:
                return value
            time.sleep(0.05)
        raise TimeoutError(f"{script}: {self.js('return document.body.innerText')[-1500:]}")

    def click(self, selector: str) -> None:
        there = f"document.querySelector({json.dumps(selector)})"
        self.until(f"{there} && !{there}.disabled && ({there}.click(), true)")
        self.until("true")

    def fill(self, selector: str, value: str) -> None:
        """Choose or type, as the keyboard leaves it."""
        there = f"document.querySelector({json.dumps(selector)})"
        self.until(there)
        self.js(
            f"const e = {there}; e.value = {json.dumps(value)}; e.dispatchEvent(new Event('change', {{bubbles: true}}))"
        )
        self.until("true")

    def text(self, selector: str) -> str:
        return self.js(f"return document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def drop(self, path: Path, selector: str = "#file") -> None:
        self.until(f"document.querySelector({json.dumps(selector)})")
        self.driver.find_element("css selector", selector).send_keys(str(path))
        self.until("true")
        shown = f"document.body.innerText.includes({json.dumps(path.name)})"
        self.until(f"{shown} && !document.querySelector('#busy').textContent")

    def drag(self, path: Path) -> None:
        """Let a file fall on the page."""
        text, name = json.dumps(path.read_text(encoding="utf-8")), json.dumps(path.name)
        self.js(
            f"const all = new DataTransfer(); all.items.add(new File([{text}], {name}));"
            "const how = {dataTransfer: all, bubbles: true, cancelable: true};"
            "document.querySelector('#drop').dispatchEvent(new DragEvent('drop', how))"
        )
        self.until(f"document.querySelector('#part-table').innerText.includes({name})")

    def answer(self, number: int) -> None:
        """Ask, and wait for the report."""
        self.click("#start")
        self.until(f"document.querySelector('iframe[title=\"Report of question {number}\"]')")

    def saved(self, selector: str, pattern: str) -> Path:
        """Click on something that saves a file, and return it."""
        before = set(self.folder.glob(pattern))
        self.click(selector)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            new = [p for p in set(self.folder.glob(pattern)) - before if p.stat().st_size]
            if new:
                return new[0]
            time.sleep(0.05)
        raise TimeoutError(pattern)

    def errors(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS.split(), f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with webdriver.Chrome(options=options, service=Service(DRIVER)) as driver:
        driver.set_page_load_timeout(30)
        yield driver


@pytest.fixture(scope="module")
def app():
    app = RunningApp()
    yield app
    app.end()


@pytest.fixture
def page(driver, app, tmp_path):
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    driver.get_log("browser")
    driver.get("about:blank")
    driver.get(app.address)
    page = Page(driver, app, tmp_path)
    page.until("document.querySelector('#file')")
    return page


def in_shell(page, tables, monkeypatch, capsys):
    """Run the command that the page shows, where the table is, and return what it answers."""
    monkeypatch.chdir(tables)
    assert main([*shlex.split(page.text("#text-command"))[1:], "--json", "--quiet"]) == 0
    return json.loads(capsys.readouterr().out)["result"]


def test_groups_of_a_table_with_decimal_commas(page, tables, monkeypatch, capsys):
    """A decimal comma and a column type are changed by clicks, and the command gives the same p-value."""
    page.drag(tables / "wine.csv")
    assert "178 rows, 14 columns" in page.text("#part-table")
    page.js("document.querySelector('#reading').open = true")
    page.fill("#set-decimal", ".")
    assert "--decimal ." in page.text("#reading")
    page.fill("#set-decimal", ",")
    assert "--decimal ," in page.text("#reading")
    page.click("button[data-column=cultivar][data-use=categorical]")
    assert "--categorical cultivar" in page.text("li[data-column=cultivar]")
    page.click("#kind-ksample")
    page.fill("#method", "dcorr")
    page.fill("#y", "cultivar")
    page.until("/It takes (about|up to)/.test(document.querySelector('#part-run').innerText)")
    page.answer(1)
    report = page.saved("#save-report", "*.html").read_text(encoding="utf-8")
    assert "All questions asked of this table" in report
    assert "178 rows" in report
    result = in_shell(page, tables, monkeypatch, capsys)
    saved = page.saved("a[data-table=answer]", "*.csv").read_text(encoding="utf-8").splitlines()
    shown = dict(zip(saved[0].split(","), saved[1].split(","), strict=True))
    assert float(shown["pvalue"]) == result["pvalue"]
    assert float(shown["statistic"]) == result["statistic"]
    assert "999 permutations" in page.text("#text-methods")
    assert page.errors() == []


def test_dependence_given_a_covariate_with_pictures(page, tables, monkeypatch, capsys):
    page.drop(tables / "diabetes.csv")
    page.fill("#y", "target")
    page.fill("#x", "bmi")
    page.fill("#x", "s5")
    assert page.text("[data-chips=x]").split()[:2] == ["bmi", "×"]
    page.fill("#given", "age")
    page.answer(1)
    result = in_shell(page, tables, monkeypatch, capsys)
    assert f"p = {result['pvalue']:.3f}" in page.text("#part-history") or "p ≤ " in page.text("#part-history")
    assert page.saved("#save-report", "*.html").stat().st_size > 10_000
    page.js("document.querySelector('#pictures').open = true")
    svg = page.saved("#pictures a", "*.svg").read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    assert "var(" not in svg
    assert page.saved("#pictures [data-png]", "*.png").read_bytes().startswith(b"\x89PNG")
    # another question of the same table
    page.click("#part-question .chip")
    page.fill("#seed", "3")
    page.answer(2)
    assert "You asked this table 2 questions" in page.text("#part-history")
    page.click("[data-show='1']")
    page.until("document.querySelector('iframe[title=\"Report of question 1\"]')")
    assert page.errors() == []


def test_which_columns_and_how_many_rows(page, tables, monkeypatch, capsys):
    page.drop(tables / "diabetes.csv")
    page.click("#kind-screen")
    page.fill("#y", "target")
    page.answer(1)
    result = in_shell(page, tables, monkeypatch, capsys)
    rows = page.saved("a[data-table=screen]", "*.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert [float(row.split(",")[2]) for row in rows] == result["pvalues"]
    assert "selected" in page.saved("#save-report", "*.html").read_text(encoding="utf-8")
    page.click("#kind-plan")
    page.fill("#target", "0.9")
    page.fill("#method", "dcorr")
    page.answer(2)
    result = in_shell(page, tables, monkeypatch, capsys)
    rows = page.saved("a[data-table=power]", "*.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert [float(row.split(",")[1]) for row in rows] == result["power"]
    assert "power 0.9" in page.saved("#save-report", "*.html").read_text(encoding="utf-8")
    assert page.errors() == []


def test_a_long_run_is_stopped(page, tables):
    page.drop(tables / "iris.csv")
    page.fill("#y", "species")
    page.click("#start")
    page.until("document.querySelector('#stop')")
    page.until("document.querySelector('#progress')?.value > 0")
    page.click("#stop")
    page.until("document.querySelector('#part-answer').innerText.includes('Stopped after')")
    assert "of 999 permutations done: there is no p-value" in page.text("#part-answer")
    assert "stopped" in page.text("#part-history")
    page.click("[data-again]")  # and the page goes on
    page.until("document.querySelector('iframe[title=\"Report of question 2\"]')")
    assert "--null permutation --resamples 99" in page.text("#text-command")
    assert page.errors() == []


def test_keyboard_labels_schemes_and_phones(page, tables, driver):
    page.drop(tables / "iris.csv")
    unlabelled = page.js(
        "return [...document.querySelectorAll('input, select, button')].filter(e => !(e.labels?.length || "
        "e.getAttribute('aria-label') || (e.tagName === 'BUTTON' && e.innerText.trim()))).map(e => e.outerHTML)"
    )
    assert unlabelled == []
    reached = set()
    for _ in range(60):
        for kind in ("rawKeyDown", "keyUp"):
            tab = {"type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}
            driver.execute_cdp_cmd("Input.dispatchKeyEvent", tab)
        reached.add(page.js("return document.activeElement.id || document.activeElement.dataset.use"))
    assert {"file", "search", "y", "x", "given", "blocks", "kind-independence"} <= reached
    names = [name for name in page.text("#y").split("\n") if name.startswith("sepal")]
    for name in names:  # typed in part, and the focus stays for the next one
        page.driver.find_element("css selector", "#x").send_keys(name[:8].upper(), "\ue007")
        page.until(f"document.querySelector('[data-chips=x]').innerText.includes({json.dumps(name)})")
        assert page.js("return document.activeElement.id") == "x"
    page.driver.find_element("css selector", "#x-1").send_keys("\ue007")
    page.until("!document.querySelector('#x-2')")
    assert page.js("return document.activeElement.id") in ("x", "x-1")
    for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")):
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        feature = {"name": "prefers-color-scheme", "value": scheme}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        assert page.js("return document.documentElement.scrollWidth") <= width
        red = int(page.js("return getComputedStyle(document.body).backgroundColor").removeprefix("rgb(").split(",")[0])
        assert (red > 200) == (scheme == "light")
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_closing_the_page_ends_the_app(driver, tables):
    app = RunningApp(str(tables / "iris.csv"))
    try:
        driver.switch_to.new_window("tab")
        driver.get(app.address)
        end = time.monotonic() + 20
        while "150 rows" not in driver.execute_script("return document.body?.innerText ?? ''"):
            assert time.monotonic() < end
            time.sleep(0.1)
        workers = children_of(app.process.pid)
        driver.close()
        driver.switch_to.window(driver.window_handles[0])
        assert app.process.wait(30) == 0
        assert gone(workers)
    finally:
        app.end()


def test_did_the_table_change(page, tables, monkeypatch, capsys):
    page.drop(tables / "later.csv")
    page.click("#kind-compare")
    page.drop(tables / "first.csv", "#other")
    page.until("/It takes (about|up to)/.test(document.querySelector('#part-run').innerText)")
    page.answer(1)
    result = in_shell(page, tables, monkeypatch, capsys)
    assert f"p = {result['pvalue']:.3g}" in page.text("#part-history")
    rows = page.saved("a[data-table=columns]", "*.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 12
    assert "first.csv" in page.saved("#save-report", "*.html").read_text(encoding="utf-8")
    assert page.errors() == []
