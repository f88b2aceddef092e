"""What stands at the end of every page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kmerf
import reports
from kmerf.report import page

ROOT = Path(__file__).resolve().parents[2]


def test_the_citation_is_the_one_in_the_citation_file():
    cff = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    title, number = re.search(r"title: (Learning.*)", cff)[1], re.search(r"arXiv:[\d.]+", cff)[0]
    assert title in page.PAPER
    assert number in page.PAPER
    for name in re.findall(r"family-names: (\w+)", cff.split("references:")[0]):
        assert name in page.PAPER


def test_software_and_versions_name_this_version():
    assert f"Version {kmerf.__version__}." in page.software()
    assert page.versions()[0] == ("kmerf", kmerf.__version__)


def test_how_a_table_was_read():
    facts = dict(page.data_facts(reports.data()))
    assert facts["Format"] == "text, separator comma, utf-8"
    assert facts["Rows left out"] == f"2 had no value of {page.y_columns(reports.data())[0]}"
    packed = dict(page.data_facts({"format": "text", "compression": "gzip"}))
    assert packed == {"Format": "text, gzip compressed", "Rows left out": "none"}


def test_of_many_columns_those_worth_a_look_are_listed():
    plain = {"role": "x", "remark": "", "missing": 0}
    every = [plain | {"name": str(i)} for i in range(page.COLUMNS + 5)]
    every[-1] = plain | {"name": "y", "role": "y"}
    every[-2] = plain | {"name": "odd", "remark": "odd"}
    listed, unlisted = page.columns({"columns": every})
    assert (len(listed), unlisted) == (page.COLUMNS, 5)
    assert [column["name"] for column in listed[-2:]] == ["odd", "y"]
    assert page.y_columns({"columns": every}) == ["y"]
    assert page.y_columns(None) == []


@pytest.mark.parametrize(
    ("command", "again", "remark"),
    [
        ("kmerf screen t.csv --seed 1", "kmerf screen t.csv --seed 1", ""),
        ("kmerf screen t.csv", "kmerf screen t.csv", "The seed was drawn: add --seed 5 for the same numbers."),
        (None, "kmerf.screen(x, y, rng=5)", "With the same data, and the settings below where they are not the"),
    ],
)
def test_how_to_compute_it_again(command, again, remark):
    call = page.call("screen", 5, command)
    assert call[0] == again
    assert call[1].startswith(remark)
    assert bool(call[1]) == bool(remark)


def test_settings_are_indented_and_long_lists_counted():
    lines = page.settings_lines({"null": {"class": "ChiSquare"}, "sets": list(range(20)), "n": [1, 2]})
    assert lines == ["null: ChiSquare", "sets: 20 values", "n: [1, 2]"]
