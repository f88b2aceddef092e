"""How a question is answered: the seed decides, progress is reported, small p-values come from few refits."""

import numpy as np
import pytest

import kmerf
from questions_asked import FEW, SMALL, data


@pytest.mark.parametrize("question", ["independence", "ksample"])
def test_the_seed_alone_decides(question):
    x, y = data(40)

    def ask(**options):
        if question == "independence":
            return kmerf.independence(x, y, null=FEW, rng=11, **options)
        return kmerf.ksample(x, groups=y > 0.5, null=FEW, rng=11, **options)

    one = ask(n_jobs=1)
    assert ask(n_jobs=1) == one
    assert ask(n_jobs=2) == one
    assert ask(n_jobs=2, backend="loky") == one
    assert ask() == one


def test_a_drawn_seed_is_recorded_and_repeats_the_result():
    x, y = data(30)
    first = kmerf.independence(x, y, method=SMALL, null=FEW)
    assert kmerf.independence(x, y, method=SMALL, null=FEW, rng=first.seed) == first
    assert kmerf.independence(x, y, method=SMALL, null=FEW).seed != first.seed
    generators = [np.random.default_rng(4), np.random.default_rng(4)]
    a, b = (kmerf.independence(x, y, method=SMALL, null=FEW, rng=rng) for rng in generators)
    assert a == b


def test_progress_is_told_of_every_refit():
    seen = []
    kmerf.independence(*data(30), method=SMALL, null=FEW, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(k, 19) for k in range(1, 20)]


def test_a_progress_bar_goes_to_standard_error(capsys):
    kmerf.independence(*data(30), method=SMALL, null=FEW, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "19/19" in err


@pytest.mark.parametrize("proximity", ["all", "oob"])
def test_a_strong_relation_gets_a_small_p_value_from_few_refits(proximity):
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(300, 5))
    y = x[:, 0] ** 2 + 0.05 * rng.normal(size=300)
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=200), proximity)
    result = kmerf.independence(x, y, method=method, null=kmerf.Extrapolated(99), rng=1)
    assert result.null.distribution.size == 99
    assert (result.pvalue, result.null.bound) == (1e-4, 0.01)
