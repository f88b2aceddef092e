"""Several tests as one."""

from dataclasses import replace

import numpy as np
import pytest

import kmerf
from grown_forests import grow
from kmerf import KMERF, ForestSpec, Portfolio, baselines
from kmerf.core.streams import member_seed
from kmerf.data.exchangeability import Exchange
from kmerf.forests import growing
from kmerf.forests.growing import coordinates
from kmerf.methods import kmerf as forests
from kmerf.methods import portfolio
from kmerf.methods import portfolio as table
from kmerf.methods.column_tests import EachColumn, PairsOfColumns
from kmerf.methods.covariance_tests import Trend
from kmerf.methods.local import Local
from kmerf.methods.portfolio import filled, redundancy
from kmerf.methods.protocol import Method, grows_forest, observe
from kmerf.methods.ridge import Ridge
from kmerf.nulls.definitions import soft_maximum
from kmerf.nulls.judging import Run, resample
from kmerf.reading.samples import read_independence, read_ksample

NUMERIC, CLASSES = Portfolio().numeric, Portfolio().classes
NUMERIC_WEIGHTS, CLASSES_WEIGHTS = (
    {name: each.weight for name, each in rows.items()} for rows in (table.NUMERIC, table.CLASSES)
)
NUMERIC_EXPONENTS, CLASSES_EXPONENTS = (
    {name: each.exponent for name, each in rows.items()} for rows in (table.NUMERIC, table.CLASSES)
)
SMALL = Portfolio().with_trees(20)


def data(n=60, p=4, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    return x, x[:, 0] + 0.5 * rng.normal(size=n)


def test_members_find_what_they_find_alone():
    """Also those that read one forest: each finds what it finds with a forest of its own."""
    x, y = data()
    order = np.random.default_rng(1).permutation(60)
    for sample, members in ((read_independence(x, y), SMALL.numeric), (read_independence(x, y > 0), SMALL.classes)):
        parts = SMALL.prepare(sample, 3).fit(order, 2).parts
        assert [part.name for part in parts] == list(members)
        first = {}
        for k, (part, method) in enumerate(zip(parts, members.values(), strict=True)):
            shared = getattr(method, "shared_forest", None)
            seed = member_seed(3, first.setdefault(k if shared is None else shared, k))
            assert part.statistic == method.prepare(sample, seed).fit(order, 2).statistic


def test_members_that_read_one_forest_grow_it_once(monkeypatch):
    grown = []
    reduce = growing.Forest.reduce
    monkeypatch.setattr(
        growing.Forest, "reduce", lambda forest, *args, **more: grown.append(forest) or reduce(forest, *args, **more)
    )
    observe(SMALL.prepare(read_independence(*data()), 3))
    assert len(grown) == 2


def test_more_rows_have_fewer_trees(monkeypatch):
    monkeypatch.setattr(forests, "MANY_ROWS", 40)
    trees = {}
    for n in (40, 320):
        problem = SMALL.prepare(read_independence(*data(n)), 3)
        grown = [getattr(each, "problems", (each,))[0] for each in problem.problems[:2]]
        trees[n] = [each.method.forest.n_trees for each in grown]
    assert trees == {40: [20, 20], 320: [10, 10]}
    others = Portfolio(numeric={"linear": Ridge()}).prepare(read_independence(*data(320)), 3)
    assert others.problems[0].fit(np.arange(320), 0).statistic > 0.5  # what grows no forest stays as it is


def test_many_columns_are_all_tried_at_the_root_alone():
    x = np.random.default_rng(0).normal(size=(30, 120))
    kept = []
    for columns in (x[:, :100], x):
        problem = SMALL.prepare(read_independence(columns, x[:, 0]), 3)
        kept.append([getattr(each, "problems", (each,))[0].method.forest.max_columns for each in problem.problems[:2]])
    assert kept == [[None, None], [100, 100]]


def test_of_members_that_read_one_forest_the_first_tells_about_features():
    parts = observe(SMALL.prepare(read_independence(*data()), 3)).parts
    assert [part.name for part in parts if part.gains is not None] == ["proximity", "distribution"]
    assert [part.name for part in parts if part.correlation] == ["proximity"]  # what trees have seen is no measure


def test_members_have_random_numbers_of_their_own():
    twins = Portfolio({"a": KMERF(ForestSpec(20)), "b": KMERF(ForestSpec(20, min_samples_leaf=2))})
    a, b = twins.prepare(read_independence(*data()), 3).problems
    assert a.seed != b.seed


def test_the_default_tells_what_each_member_found():
    x, y = data()
    result = kmerf.independence(x, y, method=SMALL, rng=1)
    assert result.method == "KMERF portfolio"
    assert [member.name for member in result.members] == list(NUMERIC)
    scores = np.array([[member.score for member in result.members]])
    weights = np.array(SMALL.prepare(read_independence(x, y), 0).weights)
    assert result.statistic == pytest.approx(soft_maximum(scores, weights)[0])
    assert sum(member.share for member in result.members) == pytest.approx(1.0)
    assert result.importances.ranking[0] == "x1"
    assert result.members[0].importances.ranking[0] == "x1"
    assert result.members[4].importances is None
    assert kmerf.Result.from_dict(result.to_dict()) == result
    assert "distribution" in result.in_full()


def test_members_have_their_weights(monkeypatch):
    x, y = data()
    monkeypatch.setattr(portfolio, "redundancy", lambda x: 1.0)
    for own, learnt in ((y, NUMERIC_WEIGHTS), (y > 0, CLASSES_WEIGHTS)):
        parts = observe(SMALL.prepare(read_independence(x, own), 0)).parts
        assert {part.name: part.weight for part in parts} == learnt
    method = replace(SMALL, weights={"linear": 30, "interaction": 0.5})
    found = {part.name: part.weight for part in observe(method.prepare(read_independence(x, y), 0)).parts}
    assert found == NUMERIC_WEIGHTS | {"linear": 30.0, "interaction": 0.5}
    plain, favoured = (kmerf.independence(x, y, method=each, rng=1) for each in (SMALL, method))
    odds = [result.members[3].share / result.members[0].share for result in (plain, favoured)]
    assert odds[1] == pytest.approx(odds[0] * 30.0 / NUMERIC_WEIGHTS["linear"])


def test_where_columns_say_the_same_what_looks_at_all_of_them_counts_for_more():
    x, y = data()
    kinds = (
        (y, NUMERIC_WEIGHTS, NUMERIC_EXPONENTS, "linear"),
        (y > 0, CLASSES_WEIGHTS, CLASSES_EXPONENTS, "mahalanobis"),
    )
    method = replace(SMALL, weights={"interaction": 0.5})
    for own, learnt, exponents, of_all_columns in kinds:
        twice = read_independence(np.hstack([x, np.exp(x)]), own)
        alike = redundancy(twice.x.values)
        assert alike > 1.5
        problem = method.prepare(twice, 0)
        expected = {name: learnt[name] * alike ** exponents[name] for name in learnt} | {"interaction": 0.5}
        assert dict(zip(problem.names, problem.weights, strict=True)) == pytest.approx(expected)
        assert exponents[of_all_columns] == max(exponents.values())


def test_what_columns_share_counts_up_to_a_limit():
    x, y = data()
    column = x[:, :1] + 1e-9 * np.random.default_rng(0).normal(size=(len(x), 40))
    problem = SMALL.prepare(read_independence(column, y), 0)
    weights = dict(zip(problem.names, problem.weights, strict=True))
    most = table.MAX_REDUNDANCY ** NUMERIC_EXPONENTS["linear"]
    assert weights["linear"] == pytest.approx(NUMERIC_WEIGHTS["linear"] * most)


@pytest.mark.parametrize(("n", "more"), [(40, 1.0), (100, 1.0), (1600, 2.0)])
def test_with_many_rows_lines_count_for_more(n, more):
    x, y = np.random.default_rng(0).normal(size=(2, n))
    members = {"proximity": NUMERIC["proximity"], "linear": Ridge(), "trend": NUMERIC["trend"]}
    method = Portfolio(members, weights={"proximity": 3.0, "linear": 2.0, "trend": 1.0})
    assert method.prepare(read_independence(x, y), 1).weights == (3.0, 2.0 * more, 1.0)


@pytest.mark.parametrize(
    ("n", "p", "classes", "numeric"), [(100, 1, 0.5, 0.5), (400, 2, 3.25, 1.41), (400, 8, 0.5, 1.41)]
)
def test_local_counts_for_more_with_many_rows_and_of_classes_with_few_columns(n, p, classes, numeric):
    x, y = np.random.default_rng(0).normal(size=(n, p)), np.arange(n) % 3
    method = Portfolio({"local": Local()}, {"local": Local()})
    found = [method.prepare(read_independence(x, y, y_kind=kind), 1).weights for kind in ("categorical", "numeric")]
    assert found == [pytest.approx((classes,), abs=0.01), pytest.approx((numeric,), abs=0.01)]


def test_a_member_of_the_users_own_has_the_mean_weight():
    x, y = data()
    (part,) = observe(Portfolio({"own": baselines.RV()}).prepare(read_independence(x, y), 0)).parts
    assert part.weight == pytest.approx(np.mean(list(NUMERIC_WEIGHTS.values())))


def test_learnt_weights_are_of_the_default_members_and_not_negative():
    powers = NUMERIC_EXPONENTS, CLASSES_EXPONENTS
    learnt_ones = (NUMERIC_WEIGHTS, NUMERIC), (CLASSES_WEIGHTS, CLASSES)
    for (learnt, members), exponents in zip(learnt_ones, powers, strict=True):
        assert list(learnt) == list(members)
        assert list(exponents) == list(members)
        assert min(learnt.values()) > 0.0


@pytest.mark.parametrize("weight", [0, -1.0, float("nan"), float("inf"), "1"])
def test_a_weight_that_is_none_is_refused(weight):
    with pytest.raises(kmerf.InputError, match=r"weights\['linear'\]="):
        Portfolio(weights={"linear": weight})


def test_a_weight_of_no_member_is_refused():
    with pytest.raises(kmerf.InputError, match="weights='linaer' is not an option; did you mean 'linear'"):
        Portfolio(weights={"linaer": 2.0})


def test_groups_have_members_of_their_own():
    x, _ = data()
    result = kmerf.ksample(x[:30], x[30:] + 1.5, method=SMALL, rng=1)
    assert [member.name for member in result.members] == list(CLASSES)
    assert result.pvalue < 0.01


def test_same_bits_whatever_the_workers():
    x, y = data(50)
    one, two, processes = (
        kmerf.independence(x, y, method=SMALL, rng=5, n_jobs=jobs, backend=backend)
        for jobs, backend in ((1, "threads"), (2, "threads"), (2, "loky"))
    )
    assert one == two == processes


def test_missing_values_are_filled_for_members_that_cannot_use_them():
    x, y = data(80)
    holes = x.copy()
    holes[::7, 1] = np.nan
    sample = read_independence(holes, y)
    by_hand = np.column_stack([holes, np.isnan(holes[:, 1])])
    by_hand[::7, 1] = np.nanmedian(holes[:, 1])
    found = observe(SMALL.prepare(sample, 0)).parts[3].statistic
    assert found == pytest.approx(observe(Ridge().prepare(read_independence(by_hand, y), 0)).statistic, rel=1e-12)
    assert np.isnan(sample.x.values).any()  # the forests still see them as missing


def test_each_pattern_of_missing_values_is_a_column_for_members_without_a_forest():
    x, y = data(60)
    x[:20, :2] = np.nan  # the same rows
    x[50:53, 2] = np.nan  # too few
    whole = filled(read_independence(x, y)).x
    assert whole.names[x.shape[1] :] == ("x1 is missing",)
    assert whole.values[:, -1].tolist() == [1.0] * 20 + [0.0] * 40
    assert not np.isnan(whole.values).any()
    assert whole.column_of.tolist() == list(range(x.shape[1] + 1))


def test_members_without_a_forest_see_that_missing_values_depend_on_the_group():
    rng = np.random.default_rng(3)
    x, groups = rng.normal(size=(80, 3)), np.arange(80) % 2
    x[(rng.random(80) < 0.5) & (groups == 1), 1] = np.nan
    method = Portfolio(classes={"linear": Ridge()})
    assert kmerf.ksample(x, groups=groups, method=method, null=kmerf.Permutation(99), rng=1).pvalue == 0.01


def test_an_empty_column_stops_no_member():
    x, y = data(60)
    x[:, 2] = np.nan
    assert np.isfinite(observe(SMALL.prepare(read_independence(x, y), 0)).statistics).all()


def test_many_rows_are_compared_in_part():
    rng = np.random.default_rng(0)
    n = 2500
    x = rng.normal(size=(n, 2))
    y = x[:, 0] + rng.normal(size=n)
    only = Portfolio({"distance": baselines.Dcorr()}).prepare(read_independence(x, y), 7)
    (member,) = only.problems
    assert member.rows.size == baselines.Dcorr().most_rows
    order = rng.permutation(n)
    rows = member.rows
    wanted = observe(baselines.Dcorr().prepare(read_independence(x[rows], y[order[rows]]), 0)).statistic
    assert only.fit(order, 1).statistic == pytest.approx(wanted, rel=1e-10)


def test_of_wide_tables_fewer_rows_are_looked_at(monkeypatch):
    monkeypatch.setattr(portfolio, "MAX_CELLS", 2100 * 3)
    x = np.random.default_rng(0).normal(size=(2300, 3))
    wide = Portfolio({"trend": Trend()}).prepare(read_independence(x, x[:, 0]), 7)
    assert wide.problems[0].rows.size == 2100
    assert wide.n == 2300
    other = Portfolio({"linear": baselines.RV()}).prepare(read_independence(x, x[:, 0]), 7)
    assert other.problems[0].n == 2300  # what has no limit of its own is given all rows
    assert not isinstance(other.problems[0], portfolio.OnSomeRows)


def test_chi_square_is_for_single_tests():
    x, y = data()
    with pytest.raises(
        kmerf.InputError,
        match="and a portfolio of tests has several statistics: use",
    ):
        kmerf.independence(x, y, method=SMALL, null=kmerf.ChiSquare())
    assert kmerf.independence(x, y, null=kmerf.ChiSquare(), rng=0).method == "KMERF"


def test_the_papers_test_is_one_option_away():
    x, y = data(40)
    null = kmerf.Extrapolated(19)
    by_name = kmerf.independence(x, y, preset="paper", null=null, rng=2)
    assert by_name == kmerf.independence(x, y, method=KMERF(proximity="all"), null=null, rng=2)
    with pytest.raises(kmerf.InputError, match="preset='papr'"):
        kmerf.independence(x, y, preset="papr")
    with pytest.raises(kmerf.InputError, match="preset='paper' was given together with a method"):
        kmerf.ksample(x[:20], x[20:], preset="paper", method=KMERF())


@pytest.mark.parametrize("empty", ["numeric", "classes"])
def test_a_portfolio_needs_members(empty):
    with pytest.raises(kmerf.InputError, match=f"{empty} is empty"):
        Portfolio(**{empty: {}})


def test_the_level_is_kept():
    """Observed and permuted fits are exchangeable, members, scale and all; 19 permutations, level 0.05."""
    below = 0
    for seed in range(160):
        rng = np.random.default_rng([9, seed])
        x, y = rng.normal(size=(24, 3)), rng.poisson(1.0, 24).astype(float)
        problem = SMALL.prepare(read_independence(x, y, y_kind="numeric"), seed)
        fit, drawn = observe(problem), resample(problem, 19, Run(seed))
        found = kmerf.nulls.judging.judge(
            kmerf.Permutation(19), fit.statistics, drawn.statistics, fit.weights, 24, Exchange()
        )
        below += found.null.pvalue <= 0.05
    assert below / 160 < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 160)


@pytest.mark.parametrize("target", ["location", "spread", "shape"])
def test_targets_are_polynomials_of_ranks(target):
    rng = np.random.default_rng(0)
    y = np.exp(3 * rng.normal(size=(40, 2)))
    found = coordinates(read_independence(np.arange(40), y).y, target)
    again = coordinates(read_independence(np.arange(40), np.log(y)).y, target)
    np.testing.assert_allclose(found, again, atol=1e-12)
    degree = found.shape[1] // 2
    assert degree == {"location": 1, "spread": 2, "shape": 4}[target]
    ranks = (y[:, 0].argsort().argsort() + 0.5) / 20 - 1
    for k in range(degree):
        wanted = np.polynomial.Legendre.basis(k + 1)(ranks)
        np.testing.assert_allclose(found[:, k], (wanted - wanted.mean()) / wanted.std(), atol=1e-10)


def test_targets_of_classes_are_the_classes():
    y = read_ksample([[1], [2], [3]], [[4], [5], [7]]).y
    assert coordinates(y, "shape") is y.values


def test_a_spread_that_many_columns_share_is_seen_by_the_member_for_it():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(120, 8))
    result = kmerf.independence(x, (x**2).sum(axis=1) ** 2 * rng.normal(size=120), method=SMALL, rng=0)
    assert {member.name for member in result.members if member.score > 2.5} >= {"spread"}
    assert result.pvalue <= 0.05


def test_spread_is_seen_where_the_mean_is_blind():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(150, 3))
    y = np.where(x[:, 0] > 0, 3.0, 1.0) * rng.uniform(-1, 1, size=150)
    result = kmerf.independence(x, y, method=SMALL, rng=0)
    scores = {member.name: member.score for member in result.members}
    assert scores["distribution"] > scores["prediction"] + 2.0
    assert result.pvalue < 0.01


def test_trees_on_some_outputs_use_no_others():
    """With one output a tree, a forest on two equal columns is the forest on one of them."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    from kmerf.forests import growing as forest

    columns = forest.presort(x)
    spec = ForestSpec(n_trees=10, min_samples_leaf=12, max_outputs=1, bootstrap=False, max_samples=1.0)
    both = grow(spec, columns, np.c_[y, y], classes=False, seed=1)
    mixed = grow(spec, columns, np.c_[y, rng.normal(size=50)], classes=False, seed=1)
    alone = grow(replace(spec, max_outputs=None), columns, y[:, None], classes=False, seed=1)

    def parts(codes):
        return {frozenset(np.flatnonzero(codes == leaf).tolist()) for leaf in np.unique(codes)}

    assert all(parts(a) == parts(b) for a, b in zip(both.codes, alone.codes, strict=True))
    same = [parts(a) == parts(b) for a, b in zip(mixed.codes, alone.codes, strict=True)]
    assert 0 < sum(same) < 10  # each tree drew one of the two


def test_a_precomputed_kernel_in_a_portfolio_cannot_follow_blocks_of_different_sizes():
    x, _ = data(12)
    y = np.repeat([1.0, 2.0, 4.0], [3, 4, 5])
    method = Portfolio({"given": KMERF(ForestSpec(10), y_kernel=np.exp(-np.abs(np.subtract.outer(y, y))))})
    with pytest.raises(kmerf.InputError, match="precomputed y_kernel cannot follow y"):
        kmerf.independence(x, y, method=method, blocks=[0] * 3 + [1] * 4 + [2] * 5, exchange="whole")


def test_a_member_without_a_finite_statistic_raises():
    observed, permuted = np.array([np.nan, 1.0]), np.random.default_rng(0).normal(size=(19, 2))
    with pytest.raises(kmerf.KmerfError, match="not a finite number"):
        kmerf.nulls.judging.judge(kmerf.Permutation(19), observed, permuted, np.ones(2), 30, Exchange())


# --- what members say about themselves --------------------------------------------------------------------------------


class Foreign(Method):
    """A method that says nothing about itself."""

    name = "Foreign"

    def prepare(self, sample, seed):
        return baselines.RV().prepare(sample, seed)


def test_a_method_says_how_many_rows_it_looks_at():
    methods = (baselines.Dcorr(), baselines.Hsic(), baselines.HHG(), baselines.MGC(), baselines.RV())
    methods += (Trend(), Trend(y=2), Ridge(), EachColumn(), PairsOfColumns(), KMERF(), Foreign())
    assert {method.name: method.most_rows for method in methods} == {
        "Dcorr": 2000,
        "Hsic": 2000,
        "HHG": 500,
        "MGC": 500,
        "RV": None,
        "Trend": 10_000,
        "Flare": 10_000,
        "Ridge": 10_000,
        "Each column": 10_000,
        "Pairs of columns": 5000,
        "KMERF": None,
        "Foreign": None,
    }


def test_forests_say_that_they_are_some():
    forests = [name for name, method in NUMERIC.items() if grows_forest(method)]
    assert forests == ["proximity", "prediction", "distribution"]
    assert not grows_forest(Foreign())
    from sklearn.ensemble import RandomForestRegressor

    other = KMERF(RandomForestRegressor(7))
    assert other.with_trees(50) is other
    assert KMERF(proximity="all").with_trees(50) == KMERF(ForestSpec(50), "all")


@pytest.mark.parametrize(("classes", "members"), [(False, NUMERIC), (True, CLASSES)])
def test_every_member_of_the_default_has_words_of_its_own(classes, members):
    words = [method.wording(classes) for method in members.values()]
    assert all(each.question.endswith("?") and each.measures for each in words)
    assert len({each.question for each in words}) == len(words)
    assert all(each.meaning.format(y="weight").isascii() for each in words)
    blind_spots = () if classes else ("distribution", "marginal", "monotone", "spread")
    carried = [name for name, each in zip(members, words, strict=True) if each.meaning]
    assert carried == [*blind_spots, "interaction", "local"]


@pytest.mark.parametrize(
    ("method", "classes", "asks"),
    [
        (KMERF(), False, "Does the average of y change with x?"),
        (KMERF(proximity="all"), False, "Are rows in the same leaf of decision trees similar in y?"),
        (KMERF(statistic="prediction"), False, "Can decision trees predict y for rows that they have not seen?"),
        (KMERF(statistic="prediction"), True, "Can decision trees, grown to the last row, predict the group"),
        (Ridge(), False, "Does y rise or fall with some weighted sum"),
        (Ridge(), True, "Do the groups differ along some weighted sum"),
        (Ridge(2), True, "Do sums of linear and quadratic functions of the columns distinguish the groups"),
        (EachColumn(1, "location"), False, "Does y rise or fall with some column"),
        (EachColumn(), True, "Is there a column in which a group differs"),
        (baselines.HHG(), False, "Are the nearest rows in x"),
        (KMERF(ForestSpec(10)), True, "Can decision trees, grown to the last row, predict from x"),
        (KMERF(ForestSpec(10, min_samples_leaf=5)), True, "Can small decision trees predict from x"),
        (KMERF(target="spread"), True, "Can decision trees"),  # classes have no spread
        (Trend(), True, "Do the groups differ in level"),
        (Trend(x=2), True, "Do the groups differ in how far they are from the middle of x?"),
        (baselines.Hsic(), False, "Are rows that are near each other in x"),
        (baselines.MGC(), False, "Do rows that are close in x have similar y"),
    ],
)
def test_words_follow_the_settings_and_the_kind_of_y(method, classes, asks):
    assert method.wording(classes).question.startswith(asks)


def test_words_travel_with_the_result():
    x, y = data()
    members = {"mine": KMERF(ForestSpec(10), target="spread"), "theirs": Foreign(), "local": baselines.HHG()}
    result = kmerf.independence(x, y, method=Portfolio(members), null=kmerf.Permutation(9), rng=1)
    mine, theirs, local = result.members
    assert mine.question == "Does the spread of y change with x, or its level?"
    assert mine.meaning == "the spread of {y} changes with them, more than its average"
    assert (mine.measures, local.measures) == ("a correlation", "a sum over all pairs of rows, on a scale of its own")
    assert (theirs.question, theirs.meaning, theirs.measures) == ("", "", "")
    saved = result.to_dict()
    assert kmerf.Result.from_dict(saved) == result
    for member in saved["members"]:  # as older versions wrote them
        for words in ("question", "meaning", "measures"):
            del member[words]
    assert kmerf.Result.from_dict(saved).members[0].question == ""


def test_with_blocks_lines_count_more_if_few_rows_are_independent():
    x, y = data()
    sample = read_independence(x, y)
    names, plain = (getattr(Portfolio().prepare(sample, 1), part) for part in ("names", "weights"))
    for units, factor in ((20, 3.0), (100, 2.0), (400, 1.0)):
        weights = Portfolio().prepare(replace(sample, units=units), 1).weights
        assert [after / before for before, after in zip(plain, weights, strict=True)] == pytest.approx(
            [factor if name == "linear" else 1.0 for name in names]
        )
