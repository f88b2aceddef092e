"""Small data and forests that tests of several rooms use."""

import numpy as np

import kmerf
from kmerf.execution.parallel import Execution
from kmerf.execution.progress import no_progress
from kmerf.methods.protocol import observe
from kmerf.methods.registry import choose_method
from kmerf.nulls.judging import draw_and_judge
from kmerf.questions.answer import Choice

SMALL = kmerf.KMERF(kmerf.ForestSpec(n_trees=30))


def related(n=80, p=4, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    return x, x[:, 1] ** 2 + 0.2 * rng.normal(size=n)


def find_pvalue(sample, method=None, null=None, rng=1, exchange="auto"):
    """Return the p-value of `independence` without what explains it, which takes several times as long."""
    choice = Choice(choose_method(method), null, exchange, Execution(rng, 1, "threads", no_progress))
    part, choice = choice.part_of(sample)
    _, null, problem, run, _ = choice.set_up(part.sample)
    return draw_and_judge(null, problem, observe(problem), run)[0].null.pvalue


def grown(sample, method=SMALL, seed=1):
    return observe(method.prepare(sample, seed)).parts[0].forest
