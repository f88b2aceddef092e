"""Every option on every path to a p-value: it changes what it should change, or it is refused by its name."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import kmerf
from kmerf.nulls.judging import NULLS
from kmerf.questions.answer import AskOptions
from kmerf.results.question import QUESTIONS

N = 45
RNG = np.random.default_rng(3)
X = RNG.normal(size=(N, 2))
Y = X[:, 0] + RNG.normal(size=N)
AGE = RNG.normal(size=N)  # no value twice: regressions remove it
SITE = np.arange(N) % 3  # strata
BLOCKS = np.arange(N) % 5
ORDERS = np.array([RNG.permutation(N) for _ in range(40)])
CLASSES = np.array(list("abc"))[np.arange(N) // 15]
FAST = {"method": kmerf.KMERF(kmerf.ForestSpec(n_trees=10)), "null": kmerf.Permutation(19)}


def fast(options):
    return {name: value for name, value in FAST.items() if name != "method" or "preset" not in options} | options


PATHS = {
    "independence": lambda **options: kmerf.independence(X, Y, **fast(options)),
    "independence, regressions": lambda **options: kmerf.independence(X, Y, given=AGE, **options),
    "independence, strata": lambda **options: kmerf.independence(X, Y, given=SITE, **options),
    "ksample": lambda **options: kmerf.ksample(X, groups=CLASSES, **fast(options)),
    "ksample, regressions": lambda **options: kmerf.ksample(X, groups=CLASSES, given=AGE, **options),
    "ksample, strata": lambda **options: kmerf.ksample(X, groups=CLASSES, given=SITE, **options),
    "conditional, regressions": lambda **options: kmerf.conditional(X, Y, given=AGE, **options),
    "conditional, strata": lambda **options: kmerf.conditional(X, Y, given=SITE, **options),
    "screen": lambda **options: kmerf.screen(X, Y, **fast(options)),
    "screen, regressions": lambda **options: kmerf.screen(X, Y, given=AGE, **options),
    "screen, strata": lambda **options: kmerf.screen(X, Y, given=SITE, **options),
    "power_curve": lambda **options: kmerf.power_curve(X, Y, **{"method": "dcorr", "parts": 20} | options),
    "associations": lambda **options: kmerf.associations(np.column_stack([X, Y]), **options),
    "compare": lambda **options: kmerf.compare({"a": X[:, 0], "b": Y}, {"a": X[:, 1], "b": Y[::-1]}, **options),
}

# A value that is not the default, and whether a result shows that it was honoured.
OPTIONS = {
    "method": ("dcorr", lambda result: result.method == "Dcorr"),
    "preset": ("paper", lambda result: result.settings["method"]["proximity"] == "all"),
    "null": (kmerf.Permutation(29), lambda result: _draws(result) == 29),
    "blocks": (BLOCKS, lambda result: result.settings["blocks"] == 5),
    "exchange": ("between", lambda result: result.settings["exchange"] == "between"),
    "importances": ("gain", lambda result: result.importances.measure == "gain"),
    "feature_groups": ({"both": [0, 1]}, lambda result: result.feature_groups.names == ("both",)),
    "interval": (0.9, lambda result: result.effect.low is not None),
    "pairwise": (True, lambda result: len(result.pairwise) == 3),
    "details": (True, lambda result: result.details is not None),
    "sets": ({"both": [0, 1]}, lambda result: result.names == ("both",)),
    "margin": (0.7, lambda result: getattr(result.margin, "margin", result.margin) == 0.7),
    "rows": (40, lambda result: getattr(result, "rows_before", result.n) < N),
    "order": (np.arange(N), lambda result: result.settings["order"]["run"] == 1),
    "lags": (2, lambda result: False),  # without `order` it says nothing
    "permutations": (ORDERS, lambda result: result.settings["permutations"]["count"] == 40),
    "weights": (1 + np.arange(N) % 3, lambda result: result.n == 2 * N),
    "backend": ("nonsense", lambda result: False),  # where it is honoured, it is not known
}


def _draws(result):
    if isinstance(result, kmerf.Screen):
        return result.draws.max()
    return result.null.distribution.size


def ask(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return PATHS[path](rng=1, n_jobs=1, **options)


def test_every_question_has_a_path():
    functions = {re.match(r"kmerf\.(\w+)", each.python)[1] for each in QUESTIONS.values()}
    assert {path.split(",")[0] for path in PATHS} == functions - {"describe"}  # which tests nothing


def test_every_option_of_a_question_is_asked():
    assert set(AskOptions._fields) - {"past"} <= set(OPTIONS)  # which is of `given`


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_is_honoured_or_refused_by_name(path, option):
    value, honoured = OPTIONS[option]
    refusal = None
    try:
        result = ask(path, **{option: value})
    except (TypeError, kmerf.InputError) as error:
        refusal = error
    if refusal is None:
        assert honoured(result)
    elif isinstance(refusal, kmerf.InputError):
        problem = refusal.problems[0]
        assert problem.argument.name == option
        assert problem.finding
    else:  # not among the options of this question
        assert option in str(refusal)


@pytest.mark.parametrize("path", PATHS)
def test_progress_is_shown_to_the_end(path):
    steps = []
    ask(path, progress=lambda done, total: steps.append((done, total)))
    assert steps
    assert steps[-1][0] == steps[-1][1]
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)


@pytest.mark.parametrize("path", [path for path in PATHS if "strata" in path and "conditional" not in path])
@pytest.mark.parametrize("name", NULLS)
def test_every_null_permutes_inside_strata_or_is_refused(path, name):
    if NULLS[name].needs_unbiased:
        with pytest.raises(kmerf.InputError, match="^null was passed together with given, whose statistic is not"):
            ask(path, null=name)
        return
    result = ask(path, null=name)
    null = NULLS[name]()
    assert result.settings["null"] == {"class": type(null).__name__, "n_resamples": null.n_resamples}


def test_processes_screen_given_z_to_the_same_bits():
    one, other = (kmerf.screen(X, Y, given=SITE, rng=1, n_jobs=2, backend=each) for each in ("threads", "loky"))
    assert one.to_dict() == other.to_dict()


def test_numbers_that_turn_out_to_be_names_are_strata_for_a_null():
    rng = np.random.default_rng(8)
    ids = np.concatenate([rng.permutation(40), rng.permutation(40)]).astype(float)
    effect = 3.0 * rng.normal(size=40)[ids.astype(int)]
    x, y = effect + rng.normal(size=80), effect + rng.normal(size=80)
    result = kmerf.independence(x, y, given=np.column_stack([ids, rng.normal(size=80)]), null="permutation", rng=1)
    assert any("Read as categories" in note for note in result.notes)
    assert _draws(result) == 999
