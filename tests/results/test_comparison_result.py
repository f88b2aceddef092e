"""What `compare` returns: verdicts, what stops a pipeline, windows and their rule."""

import json
from dataclasses import replace

import numpy as np
import pytest

import kmerf
from kmerf.results.comparison_result import (
    DIFFERENT,
    EQUIVALENT,
    SMALL,
    UNKNOWN,
    Comparison,
    SchemaChanges,
    Timeline,
    Window,
    verdict_of,
)


def comparison(pvalue=0.5, high=0.55, **fields):
    whole = {
        "method": "m",
        "n": 10,
        "pvalue": pvalue,
        "level": 0.05,
        "auc": 0.5,
        "auc_low": 0.45,
        "auc_high": high,
        "margin": 0.6,
        "share_bound": 0.0,
        "schema_changes": SchemaChanges(),
        "columns": (),
        "pairs": (),
        "unlike_rows": (),
        "rows_before": 5,
        "rows_after": 5,
        "total_before": 5,
        "total_after": 5,
        "members": {},
    }
    return Comparison(**(whole | fields))


@pytest.mark.parametrize(
    ("pvalue", "high", "verdict", "stops"),
    [
        (0.5, 0.6, EQUIVALENT, (False, False, False)),
        (0.5, 0.61, UNKNOWN, (False, False, True)),
        (0.05, 0.6, SMALL, (False, True, True)),
        (0.05, 0.61, DIFFERENT, (True, True, True)),
    ],
)
def test_the_verdict_and_what_it_stops(pvalue, high, verdict, stops):
    c = comparison(pvalue, high)
    assert verdict_of(pvalue, (c.auc_low, high), 0.05, 0.6) == c.verdict == verdict
    assert tuple(c.fails(on) for on in ("different", "any-difference", "unknown")) == stops


def test_a_column_that_is_gone_stops_a_pipeline_whatever_the_rows_say():
    c = comparison(schema_changes=SchemaChanges(gone=("a",)))
    assert c.fails()
    with pytest.raises(AssertionError, match="schema=changed"):
        c.assert_same()


def test_on_what_it_fails_must_be_known():
    with pytest.raises(kmerf.InputError, match="on='never'"):
        comparison().fails("never")


def windows(pvalues, aucs=None):
    aucs = [0.5] * len(pvalues) if aucs is None else aucs
    return tuple(
        Window(f"w{k}", 50, p, auc, auc - 0.05, auc + 0.05, 0.0, (), EQUIVALENT)
        for k, (p, auc) in enumerate(zip(pvalues, aucs, strict=True))
    )


def timeline(pvalues, aucs=None, **fields):
    whole = {"method": "m", "n": 0, "windows": (), "level": 0.05, "margin": 0.6, "rows_before": 100}
    return Timeline(**(whole | fields)).with_windows(windows(pvalues, aucs))


def test_p_values_of_windows_are_adjusted_by_holms_method():
    line = timeline([0.01, 0.04, 0.03, 0.5])
    assert line.adjusted.tolist() == pytest.approx([0.04, 0.09, 0.09, 0.5])
    assert line.alarms == ("w0",)
    assert line.n == 200


def test_by_the_rule_of_a_rate_each_window_is_judged_alone():
    line = timeline([0.01, 0.004, 0.03], rule="rate", expected_windows=200.0)
    assert line.threshold == 0.005
    assert line.alarms == ("w1",)


def test_an_interval_below_the_margin_that_is_wide_is_said_to_be_wide():
    c = comparison(pvalue=0.6, auc=0.38, auc_low=0.27, auc_high=0.48)
    assert c.verdict == "too few rows to tell"
    assert "AUC, 0.27 to 0.48, is not surely between 0.4 and 0.6" in " ".join(str(c).split())


def test_windows_fail_if_any_that_the_last_call_compared_does():
    line = timeline([1e-4, 0.5, 0.6], [0.8, 0.5, 0.5])
    assert line.added == 3
    assert line.fails()
    more = line.with_windows((*line.windows, *windows([0.7])))
    assert more.added == 1
    assert not more.fails()
    assert line.with_windows((*line.windows, *windows([1e-5], [0.9]))).fails()


def test_a_window_without_a_column_fails_whatever_its_rows_say():
    (window,) = windows([0.7])
    line = timeline([0.7]).with_windows((replace(window, breaks=("a is gone",)),))
    assert line.fails()
    assert "Schema: a is gone, in w0." in str(line)
    assert "schema=changed" in line.summary
    assert "a is gone, in w0." in line._repr_html_()


def test_where_a_change_began():
    aucs = [0.5, 0.51, 0.49, 0.68, 0.75, 0.74, 0.76]
    assert timeline([0.5, 0.4, 0.6, 0.03, 1e-4, 1e-4, 1e-4], aucs).began == "w3"
    assert timeline([0.5] * 7, aucs).began is None
    assert timeline([1e-4] * 3, [0.8, 0.8, 0.8]).began == "w0"
    weak = [0.5, 0.56, 0.5, 0.55, 0.5, 0.57, 0.56]
    assert timeline([0.5, 0.4, 0.6, 0.7, 0.01, 0.005, 1e-4], weak).began == "w4"


def test_false_alarms_over_windows_are_as_rare_as_the_rule_says():
    rng = np.random.default_rng(0)
    any_alarm = [bool(timeline(rng.random(20)).alarms) for _ in range(400)]
    assert np.mean(any_alarm) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
    each = [len(timeline(rng.random(20), rule="rate", expected_windows=50.0).alarms) for _ in range(400)]
    assert np.mean(each) / 20 == pytest.approx(1 / 50, abs=0.006)


@pytest.mark.parametrize("outcome", [comparison(), timeline([0.1, 0.2])])
def test_they_are_saved_and_loaded(outcome, tmp_path):
    outcome.save(tmp_path / "c.json")
    assert type(outcome).load(tmp_path / "c.json") == outcome
    document = json.loads((tmp_path / "c.json").read_text())
    assert document["command"] == outcome.question
    assert ("verdict" in document["result"]) == isinstance(outcome, Comparison)
