"""The page of a table."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import kmerf
import reports
from kmerf import report
from kmerf.cli import main
from kmerf.study import Calibration
from pages import read

TABLE = {
    "id": [f"p{k}" for k in range(40)],
    "dose": np.tile([0.5, 1.0, 2.0, 4.0], 10),
    "arm": np.tile(["drug", "placebo"], 20),
    "day": [f"2024-01-{1 + k % 28:02d}" for k in range(40)],
    "gone": [None] * 40,
    reports.HOSTILE[0]: np.arange(40) ** 2.0,
}


def text(html):
    return " ".join("".join(read(html).texts).split())


@pytest.fixture(scope="module")
def page():
    return report.html(kmerf.describe(TABLE, "arm"))


def test_every_column_has_a_line_with_its_role_values_and_bars(page):
    names = re.findall(r'<td class="w"><bdi[^>]*>([^<]+)</bdi>', page)
    assert names == ["id", "dose", "arm", "day", "gone", "&lt;script&gt;alert(1)&lt;/script&gt;"]
    assert "0.5 to 4, median 1.5" in page
    assert "drug 20, placebo 20" in page
    assert page.count('<svg class="cell"') == 5  # a column without values has no bars
    bars = re.search(r'"Rows by values of dose\.">(.*?)</svg>', page)[1]
    heights = [float(height) for height in re.findall(r'height="([\d.]+)"', bars)]
    assert heights == [24.0, 24.0, 0.8, 24.0, 0.8, 0.8, 0.8, 24.0]  # bins without rows are lines
    assert "kmerf.describe(table)" in page


def test_what_is_left_out_is_counted_and_problems_come_first(page):
    assert "40 rows, 6 columns, of which 1 is left out." in text(page)
    clash = kmerf.describe({"a": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 2.0, 3.0, 4.0]}, "b")
    shown = text(report.html(clash))
    assert len(clash.problems) == 1
    assert "4 rows, 2 columns: 1 thing to decide before it can be tested." in shown
    assert clash.problems[0].split(":")[0] in shown
    assert shown.index("Before you rely on this") < shown.index("The columns")


def test_rates_of_true_nulls_are_a_table_and_a_picture():
    rates = Calibration(np.linspace(0.004, 1.0, 250), (0.05, 0.01), 1)
    html = report.html(kmerf.describe(TABLE, "arm"), rates=rates)
    shown = text(html)
    row = re.search(r'<td class="w">0.05</td>(.*?)</tr>', html)[1]
    low, high = rates.intervals[0]
    assert re.findall(r">([^<]+)</td>", row) == ["0.048", f"{low:.3f} to {high:.3f}", "as it should be"]
    assert "Y was permuted 250 times" in shown
    assert "Lines: the share of p-values at or below each level." in shown
    assert 'id="rates"' not in report.html(kmerf.describe(TABLE, "arm"))


def test_the_shell_writes_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = [f"{k % 7},{'ab'[k % 2]},{k % 5}" for k in range(40)]
    Path("t.csv").write_text("\n".join(["dose,arm,out", *lines]), encoding="utf-8")
    assert main(["check", "t.csv", "--y", "out", "--report", "r.html", "--quiet"]) == 0
    html = Path("r.html").read_text(encoding="utf-8")
    assert "40 rows, 3 columns." in html
    small = ["--method", "dcorr", "--null", "chi-square", "--null-runs", "50", "--seed", "1", "--jobs", "1", "-q"]
    assert main(["check", "t.csv", "--y", "out", *small, "--report", "r.html"]) == 0
    assert "Does the test keep its level here?" in Path("r.html").read_text(encoding="utf-8")
    capsys.readouterr()


def test_a_table_draws_itself(tmp_path):
    figure = kmerf.describe(TABLE, "arm").plot()
    figure.savefig(tmp_path / "out.png")
    shown = {ax.get_xlabel(): ax for ax in figure.axes if ax.get_visible()}
    assert "gone" not in shown
    assert [tick.get_text() for tick in shown["arm"].get_xticklabels()] == ["drug", "placebo"]
    assert [patch.get_height() for patch in shown["arm"].patches] == [20.0, 20.0]
    assert sum(patch.get_height() for patch in shown["dose"].patches) == 40.0
    assert [tick.get_text() for tick in shown["day"].get_xticklabels()] == ["2024-01-01", "2024-01-28"]
    names = [tick.get_text() for tick in shown["id"].get_xticklabels()]
    assert names[-1] == "others"
    assert shown["id"].patches[-1].get_height() == 36.0
    with pytest.raises(kmerf.InputError, match="no column that can be drawn"):
        kmerf.describe({"a": [None, None], "b": [None, None]}).plot()
