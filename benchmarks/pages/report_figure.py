"""The picture of a report in docs/report.md: a real report of the wine data, as Chromium shows it.

    python -m benchmarks.pages.report_figure

It needs Chromium (apt-get install chromium) and scikit-learn's copy of the data; it writes docs/images/report.png.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from sklearn.datasets import load_wine

import kmerf
from benchmarks.pages.marks import DOCS
from kmerf import report

OUT = DOCS / "images" / "report.png"
SIZE = 880, 1130  # the top of the page
FLAGS = "--headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --disable-dev-shm-usage"


def write_report(path: Path) -> None:
    """Write the report of the test that docs/report.md shows the command of."""
    wine = load_wine(as_frame=True)
    table = wine.data.assign(cultivar=wine.target_names[wine.target])
    result = kmerf.ksample(table, groups="cultivar", details=True, pairwise=True, rng=1)
    report.write(result, path, command="kmerf ksample wine.csv --groups cultivar --pairwise --report wine.html")


def command(browser: str, page: Path, picture: Path) -> list[str]:
    """Return what takes a picture of a page."""
    size = f"--window-size={SIZE[0]},{SIZE[1]}"
    return [browser, *FLAGS.split(), size, f"--screenshot={picture}", page.as_uri()]


def main() -> None:
    browser = next((path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None)
    if browser is None:
        sys.exit("A picture needs Chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        page, picture = Path(folder) / "wine.html", Path(folder) / "report.png"
        write_report(page)
        subprocess.run(command(browser, page, picture), check=True, capture_output=True)
        shutil.copy(picture, OUT)


if __name__ == "__main__":
    main()
