"""A comparison in words: at most 12 lines of 80 letters, one line for logs, a table for notebooks."""

from dataclasses import replace

import numpy as np
import pytest

import kmerf
from changed_tables import CHANGES, table
from kmerf.show.comparison_words import before_after, effect_words, often_changed, percent
from kmerf.show.numbers import TYPESET


@pytest.fixture(scope="module")
def changed():
    changes = dict(CHANGES[kind] for kind in ("level", "unit", "new levels"))
    new = table(300, 2, **changes) | {"a very long name of a column, longer than a line may be": np.arange(300.0) ** 2}
    return kmerf.compare(table(300, 1) | {"gone <b>": np.arange(300.0) ** 2}, new)


def test_the_text_fits_a_terminal(changed):
    for c in (changed, kmerf.compare(table(60, 1), table(60, 2))):
        lines = str(c).splitlines()
        assert len(lines) <= 12
        assert max(map(len, lines)) <= 80


def test_the_text_has_the_answer_and_what_changed(changed):
    text = str(changed)
    assert text.startswith("Do 300 new rows differ from 300 old ones?\nDifferent: p <= 0.001")
    assert "columns gone" in text or "column gone: gone <b>" in text
    assert "a: level, mean" in text


def test_what_does_not_fit_is_counted():
    rng = np.random.default_rng(0)
    c = kmerf.compare(rng.normal(size=(80, 9)), rng.normal(2.0, 1.0, (80, 9)))
    shown = sum(": level, " in line for line in str(c).splitlines())
    assert 0 < shown < 9
    assert f"  - and {9 - shown} more changes" in str(c)


def test_the_last_line_is_whole():
    rng = np.random.default_rng(0)
    names = [f"a column with a long name, number {k}" for k in range(4)]
    ids = {f"a number of the order, {k}": np.arange(80) for k in range(3)}
    tables = [dict(zip(names, rng.normal(at, 1.0, (4, 80)), strict=True)) | ids for at in (0.0, 2.0)]
    c = kmerf.compare(*tables)
    lines = str(c).splitlines()
    assert len(lines) <= 12
    assert lines[-1].endswith("writes a page)")
    assert any("not compared: a number of the order, 0" in line for line in lines)


def test_words_of_both_values_are_written_once(changed):
    column = replace(changed.columns[0], before="a b: over 99.9 %", after="a b: 3 %")
    assert before_after(column) == "a b: over 99.9 % -> 3 %"
    assert before_after(replace(column, before="mean 3.1", after="mean 4"), TYPESET) == "mean 3.1 → 4"


def test_one_line_for_logs(changed):
    assert "\n" not in changed.summary
    assert changed.summary.startswith("kmerf: different | p=0.001 auc=")
    assert "schema=changed" in changed.summary
    assert "changed=" in changed.summary


def test_notebooks_get_escaped_html(changed):
    html = changed._repr_html_()
    assert "gone &lt;b&gt;" in html
    assert "<b>" not in html
    assert repr(changed).startswith("<kmerf.Comparison: Different")


def test_windows_have_a_line_each():
    line = kmerf.compare(table(100, 1), table(200, 2), window=50)
    lines = str(line).splitlines()
    assert lines[0] == "No alarm in 4 windows."
    assert len(lines) == 4 + 4
    assert "Holm" in lines[1] + lines[2]
    assert line.summary.startswith("kmerf: ")
    assert "<table>" in line._repr_html_()


def test_windows_say_which_columns_changed_most_often_and_what_p_is_at_most():
    line = kmerf.compare(table(100, 1), table(150, 2, a=lambda v, rng: v + np.repeat([0.0, 30.0], 75)), window=25)
    assert "Changed most often: a (in 3 of 3)" in str(line)
    assert often_changed(line).startswith("Changed most often: a (in 3 of 3)")
    assert all(each.smallest == each.pvalue <= 0.001 for each in line.windows if each.label in line.alarms)
    assert str(line).count("<= 0.001*") == 3 == line._repr_html_().count("≤ 0.001")
    assert often_changed(replace(line, windows=line.windows[:2])) == ""


def test_effects_have_signs_and_the_first_interval_its_level(changed):
    column = replace(changed.columns[0], measure="difference of shares", effect=-0.4, low=-0.45, high=0.01)
    assert effect_words(column) == "-40 points (-45 to +1)"
    assert effect_words(column, TYPESET, named=True) == "−40 points (95 %: −45 to +1)"
    assert str(changed).count("95 %: ") == 1


def test_p_stays_with_its_value(changed):
    for letters in range(1, 28):
        column = replace(changed.columns[0], name="n" * letters)
        assert "p =\n" not in str(replace(changed, columns=(column, *changed.columns[1:])))
        assert "p <=\n" not in str(replace(changed, columns=(column, *changed.columns[1:])))


def test_percent():
    assert [percent(share) for share in (0.0, 0.005, 0.094, 0.5)] == ["0.0 %", "0.5 %", "9.4 %", "50 %"]
