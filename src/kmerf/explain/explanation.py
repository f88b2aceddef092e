"""What goes with a p-value: which features were significant, how strong the relation is, which groups differ.

All of it is made from the observed fit and the refits of the test. What needs more work than that (an interval, pairs
of groups, a closer look) is done only if it is asked for.

**Pairs of groups.** Holm's adjustment keeps the probability of calling any pair that does not differ at the level,
whichever pairs do and however their p-values depend on each other. Each pair is tested on its own rows, and by default
with so many permutations that Holm's smallest level is well above the smallest p-value
(`kmerf.nulls.judging.refits_for_pairs`).

Is the effect below a margin, so that it does not matter in practice, or above it?

The margin is in the measure of the effect: a share of the variance of ranks (R2), or an AUC between 0.5 and 1. It is
"below" if the 95 % interval of the effect ends below it, and "above" if the interval begins above it. Each of the two
is a one-sided test at 0.025, as two one-sided tests are (Schuirmann 1987). How often it is wrong, and how often it
decides: docs/changes.md.

What forests cannot see is not in the effect: an effect below a margin does not show that there is no relation of
another kind.
"""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kmerf.core.errors import Argument, InputError, Message, listed, message_of
from kmerf.core.settings import LEVEL, holds_matrix
from kmerf.data import exchangeability
from kmerf.data.block_parts import block_part, column_of
from kmerf.data.sample import FEWEST_ROWS, Response, Sample, take_rows
from kmerf.explain import closer_look, effects, row_shares
from kmerf.explain.changes import SHOWN, find_changes, first_of, pair_changes
from kmerf.explain.effects import find_effect
from kmerf.explain.feature_importances import add_up, find_features
from kmerf.forests import fitted
from kmerf.nulls.definitions import holm
from kmerf.reading.named_columns import read_sets
from kmerf.results.parts import Effect, FeatureTests, Importances, Margin, NullResult, Pair

if TYPE_CHECKING:
    from kmerf.data.sample import Sample
    from kmerf.explain.feature_importances import Found
    from kmerf.forests.fitted import FittedForest
    from kmerf.methods.protocol import Fit, Method
    from kmerf.nulls.definitions import Null
    from kmerf.nulls.judging import PermutedFits, Run
    from kmerf.results.parts import Change, Effect
    from kmerf.results.views import Details


def check_margin(margin: Any, sample: Sample) -> None:
    """Raise unless the margin is one that the effect can be compared with."""
    if margin is None:
        return
    area = sample.y.codes is not None and sample.z is None
    least, what = (0.5, "an AUC between 0.5 and 1") if area else (0.0, "a share of the variance between 0 and 1")
    if sample.y.codes is not None and sample.z is not None:
        what = "what x adds to the AUC, between 0 and 1"
    real = isinstance(margin, numbers.Real) and not isinstance(margin, bool)
    if not real or not least < float(margin) < 1.0:
        example = "0.56, for example" if area else "0.01, for example"
        raise InputError(f"must be {what}", argument=Argument("margin", margin), remedy=example)


def decide(margin: float | None, effect: Effect | None) -> Margin | None:
    """Compare an effect with a margin; None if there is no margin, or no effect with an interval.

    >>> from kmerf.results.parts import Effect
    >>> decide(0.06, Effect(measure="R2", score=0.01, score_low=0.0, score_high=0.05)).decision
    'below'
    """
    if margin is None or effect is None:
        return None
    ranked = effect.measure == "R2" and effect.rank_score is not None
    ends = (effect.rank_score, effect.rank_low, effect.rank_high)
    value, low, high = ends if ranked else (effect.score, effect.score_low, effect.score_high)
    if value is None or low is None or high is None:
        return None
    decision = "below" if high < margin else "above" if low > margin else "undecided"
    added = "added " if effect.about == "beyond z" else ""
    measure = f"{added}{effect.measure}{' of ranks' if ranked else ''}"
    return Margin(float(margin), measure, decision, value, low, high)


Test = Callable[[Sample, int, int], tuple[float, NullResult]]

_PAIRWISE = Argument("pairwise", True)
FEWEST_EACH = (FEWEST_ROWS + 1) // 2  # rows of a group: two groups have enough to be tested


def check_pairs(sample: Sample, method: Any, exchange: str) -> None:
    """Raise unless every two groups can be compared."""
    y = sample.y
    if y.codes is None or len(y.labels) < 3:
        finding = f"compares the groups two by two, and there are {len(y.labels)}"
        raise InputError(finding, argument=_PAIRWISE, remedy="leave it out, or pass three groups or more")
    small = [name for name, size in zip(y.labels, np.bincount(y.codes), strict=True) if size < FEWEST_EACH]
    if small:
        finding = f"needs {FEWEST_EACH} rows or more of every group, and {listed(small)} has fewer"
        raise InputError(finding, argument=_PAIRWISE, remedy="leave out such groups, or merge them")
    if holds_matrix(method):
        finding = "cannot be computed with a precomputed y_kernel, which is for all rows"
        raise InputError(finding, argument=_PAIRWISE, remedy="name a kernel")
    if sample.blocks is not None:
        _check_blocks(sample, exchange)


def _check_blocks(sample: Sample, kind: str) -> None:
    """Raise where the blocks leave nothing to exchange between two groups."""
    # of all groups first: what is wrong there is not the pair's
    _check_exchange(sample, kind)
    for (first, second), part in _pairs(sample):
        try:
            _check_exchange(part, kind)
        except InputError as error:
            finding = Message(f"cannot compare {first!r} and {second!r} on their own rows: ", message_of(error))
            raise InputError(finding, argument=_PAIRWISE) from error


def _check_exchange(sample: Sample, kind: str) -> None:
    part = block_part(sample, kind)
    exchangeability.exchange_of(part.sample, part.exchange)


def every_pair(sample: Sample, test: Test, exchange: str = "") -> tuple[Pair, ...]:
    """Test every two groups.

    `test` takes their rows, the number of the pair and that of all pairs, and returns the statistic and its p-value.
    """
    pairs = list(_pairs(sample))
    tests = [test(part, number, len(pairs)) for number, (_, part) in enumerate(pairs)]
    adjusted = holm(np.array([found.pvalue for _, found in tests])).tolist()
    return tuple(
        Pair(*names, statistic, found.pvalue, a, found.bound, change)
        for (names, _), (statistic, found), a, change in zip(
            pairs, tests, adjusted, pair_changes(sample, exchange), strict=True
        )
    )


def too_few_note(pairs: Sequence[Pair]) -> list[str]:
    """Say so where no pair can be significant however much its groups differ."""
    if not pairs or min(pair.pvalue for pair in pairs) * len(pairs) <= LEVEL:
        return []
    smallest = max((pair.bound for pair in pairs if pair.bound is not None), default=0.0)
    if smallest * len(pairs) <= LEVEL:
        return []
    return [
        f"No Holm p-value of {len(pairs)} pairs can be below {smallest * len(pairs):.2g}, because none of them can be "
        f"below {smallest:.2g}: take more permutations."
    ]


def _pairs(sample: Sample) -> Iterator[tuple[tuple[str, str], Sample]]:
    """Yield the names and the rows of every two groups."""
    y = sample.y
    assert y.codes is not None
    for a, b in itertools.combinations(range(len(y.labels)), 2):
        rows = np.flatnonzero((y.codes == a) | (y.codes == b))
        codes = (y.codes[rows] == b).astype(np.int64)
        values = np.column_stack([1.0 - codes, codes.astype(np.float64)])
        names = y.labels[a], y.labels[b]
        part = take_rows(sample, rows)
        yield names, replace(part, y=Response(values, y.names, "categorical", codes, names))


class Extras(NamedTuple):
    """What the user asks for beyond the p-value."""

    feature_groups: Any = None
    interval: float | None = None
    pairwise: bool = False
    details: bool = False
    gain: bool = False
    """Whether importances are shares of the gain of splits."""
    changes: bool = True
    """Whether to say what changes, and what kind of change it is."""


class Explanation(NamedTuple):
    """What goes with a p-value; the names are those of the fields of a `Result`."""

    importances: Importances | None
    features: FeatureTests | None
    feature_groups: FeatureTests | None
    effect: Effect | None
    pairwise: tuple[Pair, ...]
    details: Details | None
    notes: tuple[str, ...] = ()
    """What to know of the features, and extras that could not be met, and why."""


class FinishedTest(NamedTuple):
    """A test that has been made."""

    sample: Sample
    method: Method
    null: Null
    run: Run
    fit: Fit
    drawn: PermutedFits
    found: Found
    """The importances of its forests."""
    fewest: float = 0.0
    """Below which no p-value from the same permutations is valid, where drawing stopped at an early look
    (`nulls.sequential`)."""
    exchange: str = "within"
    """What was tested with blocks: "within" them, "between" them, or "whole" ones."""
    measured: Sample | None = None
    """What the size of the effect is of, if not of the sample tested (`kmerf.data.block_parts`)."""


def check(extras: Extras, sample: Sample, method: Method | None, exchange: str) -> dict[str, list[int]]:
    """Raise where a wish cannot be met, before anything is computed; return the groups of features."""
    if extras.interval is not None:
        effects.check_interval(extras.interval, sample, method)
    if extras.pairwise:
        check_pairs(sample, method, exchange)
    return {} if extras.feature_groups is None else read_sets("feature_groups", extras.feature_groups, sample.x)


def check_fit(extras: Extras, fit: Fit) -> None:
    """Raise where what was observed shows that a wish cannot be met, before anything is fitted again."""
    if extras.interval is not None:
        effects.check_correlation(extras.interval, fit)


def explain(test: FinishedTest, extras: Extras, groups: dict[str, list[int]], pair: Test) -> Explanation:
    """Put together all that goes with a p-value; `pair` tests two groups."""
    sample, run, fit = test.sample, test.run, test.fit
    table = test.found.shown
    forests = [part.forest for part in fit.parts if part.forest is not None and part.gains is not None]
    predicted = fitted.predict(forests, sample.y) if forests else None
    effect = measure_effect(test, bool(forests), extras.interval)
    more = None
    if extras.details and forests:
        top = [] if table is None else np.argsort(-table.mean, kind="stable")[: closer_look.PROFILED].tolist()
        more = closer_look.look_into(forests, sample, predicted, test.found.losses, top, run.seed, run.n_jobs)
    features, together = find_significance(test, table, groups)
    pairs = every_pair(sample, pair, test.exchange if sample.blocks is not None else "") if extras.pairwise else ()
    notes = [*test.found.notes, *_groups_note(test, groups, together), *_details_note(test, extras, forests)]
    notes += too_few_note(pairs)
    return Explanation(table, features, together, effect, pairs, more, tuple(notes))


def changes(found: Explanation, sample: Sample, groups: bool, exchange: str, *, evident: bool) -> tuple[Change, ...]:
    """Return what changes with the most informative columns of the whole sample: significant ones come first."""
    columns = _leading(found, sample)
    chosen_from = first_of(sample)
    return find_changes(sample, columns, groups=groups, exchange=exchange, chosen_from=chosen_from, evident=evident)


def _leading(found: Explanation, sample: Sample) -> list[int]:
    """Return the most informative columns of x, by position; without a forest all, if they are few."""
    x, table, tests = sample.x, found.importances, found.features
    if table is None:
        return list(range(x.p)) if x.p <= SHOWN else []
    calls = np.zeros(len(table.names), np.bool_) if tests is None else tests.adjusted_fwer <= LEVEL
    order = np.lexsort((-table.mean, ~calls))[:SHOWN]
    return list(dict.fromkeys(column_of(table.names[i], x.names) for i in order))


def _groups_note(test: FinishedTest, groups: dict[str, list[int]], tests: FeatureTests | None) -> list[str]:
    """Say why groups of features were not tested, where they were not."""
    if not groups or tests is not None:
        return []
    if test.fit.shares() is None:
        why = f"{test.method.name} has no forest that shows what features do"
    elif test.sample.x.p == 1:
        why = "the test of the only feature is the test itself"
    else:
        why = f"{type(test.null).__name__} grows no forests of permuted y to compare with"
    return [f"feature_groups were not tested: {why}."]


def _details_note(test: FinishedTest, extras: Extras, forests: Sequence[FittedForest]) -> list[str]:
    """Say what of the details is left out, and why."""
    if not extras.details:
        return []
    if not forests:
        return [f"There are no details: {test.method.name} has no forest to look into."]
    if any(row_shares.too_many(forest) for forest in forests):
        return [
            f"In the details, the shares of rows are left out if the kernel of y needs a matrix of more than "
            f"{row_shares.MOST_ROWS} rows."
        ]
    return []


def measure_effect(test: FinishedTest, predicts: bool, level: float | None) -> Effect | None:
    """Return the size of the effect, or None where there is nothing to add to the statistic."""
    run, effect = test.run, Effect()
    if predicts:
        effect = find_effect(test.measured or test.sample, test.exchange, run.seed, run.n_jobs)
    effect = replace(effect, correlation=effects.correlation(test.fit))
    if level is not None:
        return effects.with_interval(effect, level, test.method, test.sample, run)
    return effect if predicts else None


def find_significance(
    test: FinishedTest, table: Importances | None, groups: dict[str, list[int]]
) -> tuple[FeatureTests | None, FeatureTests | None]:
    """Return the p-values of features, and of the groups of features that the user named."""
    observed, drawn = test.fit.shares(), test.drawn.shares
    if table is None or observed is None or drawn is None or len(drawn) < 3:  # too few to know a spread from
        return None, None
    if test.sample.x.p == 1:  # that feature's test is the test
        return None, None
    forests = [part.name for part in test.fit.parts if part.gains is not None]
    fewest = max(test.fewest, float(np.exp(-test.run.exchange.log_arrangements)))
    looks, losses = test.null.interim_analyses, test.found.losses
    sizes = observed.mean(axis=0) if losses is None else losses.mean
    features = replace(find_features(observed, drawn, table.names, forests, fewest, looks), importance=sizes)
    if not groups:
        return features, None
    sets = list(groups.values())
    together = find_features(add_up(observed, sets), add_up(drawn, sets), list(groups), forests, fewest, looks)
    members = {name: tuple(table.names[j] for j in columns) for name, columns in groups.items()}
    return features, replace(together, members=members, importance=add_up(sizes, sets))
