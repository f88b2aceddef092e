"""Direction and size, beside scipy and statsmodels."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.duration.hazard_regression import PHReg
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

import kmerf
from kmerf.data.block_parts import column_of
from kmerf.data.sample import take_rows
from kmerf.explain.changes import (
    brunner_munzel,
    column_changes,
    find_changes,
    first_of,
    names_of,
    newcombe,
    pair_changes,
    welch,
    wilson,
)
from kmerf.reading.samples import read_independence, read_ksample


def changes(x, y, columns=None, *, groups=False, exchange="", **reading):
    """Return what changes with some columns, or all."""
    x = pd.DataFrame(x)
    sample = read_ksample(x, groups=y, **reading) if groups else read_independence(x, y, **reading)
    columns = range(sample.x.p) if columns is None else columns
    return find_changes(sample, columns, groups=groups, exchange=exchange)


def ends(change):
    return [change.estimate, change.low, change.high]


@pytest.mark.parametrize("level", [0.95, 0.99])
def test_two_means_have_the_interval_of_welch(level):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=12), rng.normal(1.0, 3.0, size=30)
    theirs = stats.ttest_ind(b, a, equal_var=False).confidence_interval(level)
    np.testing.assert_allclose(welch(a, b, level), [b.mean() - a.mean(), theirs.low, theirs.high])


@pytest.mark.parametrize(("first", "second"), [((48, 80), (56, 70)), ((0, 20), (5, 9)), ((10, 10), (1, 30))])
def test_two_shares_have_the_interval_of_newcombe(first, second):
    (k, n), (m, size) = first, second
    found = newcombe(np.repeat([1.0, 0.0], [k, n - k]), np.repeat([1.0, 0.0], [m, size - m]))
    theirs = confint_proportions_2indep(m, size, k, n, method="newcomb", compare="diff")
    np.testing.assert_allclose(found, [m / size - k / n, *theirs], atol=1e-12)
    np.testing.assert_allclose(wilson(k / n, n)[1:], proportion_confint(k, n, method="wilson"), atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_pairs_has_the_interval_of_brunner_and_munzel(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.poisson(2.0, 15).astype(float), rng.poisson(4.0, 24).astype(float)
    found, theirs = brunner_munzel(a, b), stats.brunnermunzel(a, b)
    share = stats.mannwhitneyu(b, a).statistic / (15 * 24)
    np.testing.assert_allclose(found.value, share)
    at_p = brunner_munzel(a, b, 1.0 - theirs.pvalue)  # whose interval ends at a half
    np.testing.assert_allclose(at_p.low, 0.5, atol=1e-9)


def skewed(shift=0.0, zeros=False, seed=5):
    """Return two groups with outliers that hide the difference of their means."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(["a", "b"], 80)
    values = np.exp(rng.normal(size=160) + (groups == "b") * 1.0)
    values[3] = 4000.0
    return groups, np.where(values < 0.3, 0.0, values) + shift if zeros else values + shift


def test_a_difference_that_outliers_hide_is_a_ratio_of_positive_numbers():
    groups, values = skewed()
    a, b = values[groups == "a"], values[groups == "b"]
    plain = stats.ttest_ind(b, a, equal_var=False).confidence_interval()
    assert plain.low < 0.0 < plain.high
    (found,) = changes({"v": values}, groups, groups=True)
    theirs = stats.ttest_ind(np.log(b), np.log(a), equal_var=False).confidence_interval()
    assert (found.measure, found.shape, found.first, found.second, found.clear) == ("ratio", "differs", "a", "b", True)
    np.testing.assert_allclose(ends(found), np.exp([np.log(b).mean() - np.log(a).mean(), theirs.low, theirs.high]))
    np.testing.assert_allclose(found.groups[1].mean, b.mean())  # the numbers of the groups are those of the data
    (y,) = changes({"arm": groups}, values)
    assert ends(y) == ends(found)


def test_a_ratio_that_is_much_clearer_than_the_difference_of_means_takes_its_place():
    rng = np.random.default_rng(8)
    body = np.exp(3.0 * rng.normal(size=60))
    brain = body**0.75 * np.exp(0.5 * rng.normal(size=60))
    low, high = brain[body <= np.quantile(body, 0.25)], brain[body >= np.quantile(body, 0.75, method="inverted_cdf")]
    assert stats.ttest_ind(high, low, equal_var=False).confidence_interval().low > 0.0
    (found,) = changes({"body": body}, brain)
    assert (found.measure, found.shape) == ("ratio", "rises")
    (found,) = changes({"body": np.log(body)}, np.log(brain) + 9.0)  # neither is much clearer
    assert (found.measure, found.shape) == ("mean", "rises")


@pytest.mark.parametrize("how", [{"shift": -5.0}, {"zeros": True}])
def test_a_difference_that_outliers_hide_is_the_order_of_pairs_of_other_numbers(how):
    groups, values = skewed(**how)
    (found,) = changes({"v": values}, groups, groups=True)
    a, b = values[groups == "a"], values[groups == "b"]
    assert (found.measure, found.shape, found.first, found.second, found.clear) == ("pairs", "differs", "a", "b", True)
    np.testing.assert_allclose(found.estimate, stats.mannwhitneyu(b, a).statistic / (a.size * b.size))
    (fell,) = changes({"v": -values}, groups, groups=True)
    assert fell.measure == "pairs"
    np.testing.assert_allclose(fell.estimate, 1.0 - found.estimate)


def test_along_numbers_a_ratio_rises_or_falls():
    rng = np.random.default_rng(6)
    dose = rng.normal(size=200)
    cost = np.exp(2.5 * rng.normal(size=200) + 1.5 * dose)
    cost[np.argmin(dose)] = 1e7
    (found,) = changes({"dose": dose}, cost)
    assert (found.measure, found.shape) == ("ratio", "rises")
    (found,) = changes({"dose": -dose}, cost)
    assert (found.measure, found.shape) == ("ratio", "falls")
    (found,) = changes({"dose": dose}, cost - 1.0)
    assert (found.measure, found.shape) == ("pairs", "rises")


def test_without_evidence_or_without_a_clear_order_means_are_compared():
    groups, values = skewed()
    sample = read_ksample(pd.DataFrame({"v": values}), groups=groups)
    (found,) = find_changes(sample, [0], groups=True, evident=False)
    assert (found.measure, found.shape) == ("mean", "unclear")
    (found,) = changes({"v": np.random.default_rng(2).permutation(values)}, groups, groups=True)
    assert (found.measure, found.shape) == ("mean", "unclear")
    few = [*range(8), 5000.0, *range(20, 28), 30.0]  # nine rows of a side, of numbers that are not all positive
    (found,) = changes({"v": few}, np.repeat(["a", "b"], 9), groups=True)
    assert (found.measure, found.shape) == ("mean", "unclear")


def test_ratios_allow_for_blocks_and_z():
    groups, values = skewed()
    blocks = np.tile(np.arange(20), 8)
    (found,) = changes({"arm": groups}, values, exchange="within", blocks=blocks)
    assert (found.measure, found.about, found.clear) == ("ratio", "within blocks", True)
    age = np.random.default_rng(1).normal(size=160)
    sample = read_independence(pd.DataFrame({"arm": groups}), values, given=pd.DataFrame({"age": age}))
    (found,) = find_changes(sample, [0], groups=False)
    design = sm.add_constant(np.column_stack([groups == "b", age]).astype(float))
    theirs = sm.OLS(np.log(values), design).fit(cov_type="HC3", use_t=True)
    assert found.measure == "ratio"
    np.testing.assert_allclose(ends(found), np.exp([theirs.params[1], *theirs.conf_int()[1]]))


def test_of_several_groups_the_farthest_two_are_compared_and_all_pairs_allowed_for():
    rng = np.random.default_rng(1)
    groups = np.repeat(["a", "b", "c", "d"], 15)
    values = rng.normal(size=60) + np.repeat([0.0, 2.0, 0.5, -1.0], 15)
    (found,) = changes({"v": values}, groups, groups=True)
    assert (found.first, found.second, found.shape, found.compared) == ("d", "b", "differs", 6)
    d, b = values[groups == "d"], values[groups == "b"]
    theirs = stats.ttest_ind(b, d, equal_var=False).confidence_interval(1 - 0.05 / 6)
    np.testing.assert_allclose(ends(found), [b.mean() - d.mean(), theirs.low, theirs.high])
    assert [(group.label, group.n) for group in found.groups] == [(name, 15) for name in "abcd"]
    np.testing.assert_allclose(found.groups[0].sd, values[groups == "a"].std(ddof=1))
    np.testing.assert_allclose(found.groups[0].median, np.median(values[groups == "a"]))


def test_along_numbers_the_outer_quarters_are_compared():
    rng = np.random.default_rng(2)
    x = rng.normal(size=200)
    y = 2.0 * x + rng.normal(size=200)
    (found,) = changes({"x": x}, y)
    low, high = np.quantile(x, [0.25, 0.75], method="inverted_cdf")
    theirs = stats.ttest_ind(y[x >= high], y[x <= low], equal_var=False).confidence_interval()
    np.testing.assert_allclose(ends(found)[1:], [theirs.low, theirs.high])
    assert found.shape == "rises"
    assert found.first == f"{low:.4g} or less"
    assert found.second == f"{high:.4g} or more"
    (found,) = changes({"x": x}, -y)
    assert found.shape == "falls"


@pytest.mark.parametrize(("sign", "shape"), [(1.0, "U"), (-1.0, "hump")])
def test_a_parabola_neither_rises_nor_falls(sign, shape):
    rng = np.random.default_rng(3)
    x = rng.normal(size=200)
    (found,) = changes({"x": x}, sign * x**2 + rng.normal(size=200))
    assert found.shape == shape
    assert sign * found.estimate < 0 < found.low * found.high


def test_a_line_is_seldom_called_bent_and_nothing_is_unclear():
    rng = np.random.default_rng(4)
    shapes = []
    for _ in range(60):
        x = rng.normal(size=100)
        shapes += [change.shape for change in changes({"x": x, "z": rng.normal(size=100)}, x + rng.normal(size=100))]
    assert shapes[::2].count("rises") >= 59
    assert shapes[1::2].count("unclear") >= 50  # each interval holds none in 95 %


def test_shares_of_categories_and_of_classes():
    rng = np.random.default_rng(5)
    x = rng.normal(size=300)
    y = np.where(rng.random(300) < 1 / (1 + np.exp(-2 * x)), "sick", "well")
    (found,) = changes({"x": x}, y)
    low, high = np.quantile(x, [0.25, 0.75], method="inverted_cdf")
    well = y == "well"
    theirs = confint_proportions_2indep(
        well[x >= high].sum(), (x >= high).sum(), well[x <= low].sum(), (x <= low).sum(), method="newcomb"
    )
    assert (found.measure, found.of, found.shape) == ("share", "well", "falls")
    np.testing.assert_allclose(ends(found)[1:], theirs)
    kind = np.where(x > 0, "high", "flat")
    (found,) = changes({"kind": kind}, y, groups=True)
    assert (found.measure, found.what, found.by, found.of) == ("share", "kind", "group", "high")


def test_given_z_it_is_a_regression_with_robust_errors():
    rng = np.random.default_rng(6)
    z = rng.normal(size=(120, 2))
    x = np.column_stack([z[:, 0] + rng.normal(size=120), rng.integers(0, 2, 120)])
    y = x[:, 0] - z[:, 0] + np.exp(z[:, 1] / 2) * rng.normal(size=120)
    table = pd.DataFrame({"a": 10.0 * x[:, 0], "b": np.where(x[:, 1] > 0, "yes", "no")})
    first, second = changes(table, y, given=pd.DataFrame(z, columns=["u", "v"]))
    assert (first.about, first.measure, first.step, first.shape) == ("given z", "slope", 10.0, "rises")
    fit = sm.OLS(y, sm.add_constant(np.column_stack([x[:, 0], z]))).fit(cov_type="HC3", use_t=True)
    np.testing.assert_allclose(ends(first), [fit.params[1], *fit.conf_int()[1]])
    fit = sm.OLS(y, sm.add_constant(np.column_stack([x[:, 1], z]))).fit(cov_type="HC3", use_t=True)
    np.testing.assert_allclose(ends(second), [fit.params[1], *fit.conf_int()[1]])
    assert (second.measure, second.first, second.second) == ("mean", "no", "yes")


def test_a_step_within_blocks_is_one_that_blocks_make():
    """Ages differ by decades between subjects, and by a year or two within them, as in the table kidney."""
    rng = np.random.default_rng(0)
    subject = np.repeat(np.arange(20), 3)
    age = np.repeat(rng.integers(20, 70, 20), 3) + np.tile([0.0, 1.0, 2.0], 20)
    (slope,) = changes({"age": age}, rng.normal(size=60), blocks=subject, exchange="within")
    assert (slope.measure, slope.step) == ("slope", 1.0)
    times = pd.DataFrame({"time": rng.exponential(size=60), "status": 1})
    (hazard,) = changes({"age": age}, times, y_kind="censored", blocks=subject, exchange="within")
    assert (hazard.measure, hazard.step) == ("hazard ratio", 1.0)
    assert 0.1 < hazard.low < hazard.high < 10.0


def test_within_blocks_it_is_a_regression_with_a_constant_for_each_block():
    rng = np.random.default_rng(7)
    blocks = np.repeat(np.arange(12), 5)
    x = rng.normal(size=60) + blocks
    y = 0.7 * x - 2.0 * blocks + rng.normal(size=60)

    def slope(rows):
        dummies = pd.get_dummies(blocks[rows]).to_numpy(float)
        return sm.OLS(y[rows], np.column_stack([x[rows], dummies])).fit().params[0]

    (found,) = changes({"x": x}, y, blocks=blocks, exchange="within")
    step = found.step
    value = slope(np.arange(60)) * step
    left = np.array([slope(np.flatnonzero(blocks != k)) for k in range(12)]) * step
    half = np.sqrt(11 / 12 * ((left - value) ** 2).sum()) * stats.t.ppf(0.975, 11)
    np.testing.assert_allclose(ends(found), [value, value - half, value + half])
    assert (found.about, found.shape) == ("within blocks", "rises")


def test_between_blocks_each_block_is_one_row():
    rng = np.random.default_rng(8)
    blocks = np.repeat(np.arange(20), 4)
    arm = np.repeat(["new", "old"], 40)
    y = rng.normal(size=80) + rng.normal(size=20)[blocks] + 2.0 * (arm == "new")
    (found,) = changes({"arm": arm}, y, blocks=blocks, exchange="between")
    means = y.reshape(20, 4).mean(axis=1)
    theirs = stats.ttest_ind(means[10:], means[:10], equal_var=False).confidence_interval()
    np.testing.assert_allclose(ends(found)[1:], [theirs.low, theirs.high])
    assert (found.n, found.about) == (20, "between blocks")


def test_between_blocks_the_share_of_a_level_is_traced_to_its_column():
    """Pups of both sexes in litters of three treatments, as in RatPupWeight: this stopped with an error."""
    rng = np.random.default_rng(8)
    blocks = np.repeat(np.arange(18), 4)
    arm = np.array(["new", "old", "none"])[blocks % 3]
    pups = pd.DataFrame({"sex": rng.choice(["f", "m"], 72), "weight": rng.normal(size=72) + 2.0 * (arm == "new")})
    found = kmerf.ksample(pups, groups=arm, blocks=blocks, rng=1)
    assert found.importances is not None
    assert "sex, share of m" in found.importances.names
    assert {each.column for each in found.changes} <= {"sex", "weight"}
    assert column_of("sex, share of m", ["weight", "sex"]) == 1
    assert column_of("weight", ["weight", "sex"]) == 0


def survival(n=120, effect=0.8, seed=9):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    arm = np.where(rng.random(n) < 0.5, "drug", "none")
    until = rng.exponential(size=n) * np.exp(-effect * x - 0.7 * (arm == "none"))
    cut = rng.exponential(2.0, size=n)
    time = np.ceil(8.0 * np.minimum(until, cut))  # ties
    return x, arm, pd.DataFrame({"time": time, "dead": (until <= cut).astype(int)})


def test_hazards_are_those_of_coxs_model():
    x, arm, y = survival()
    first, second = changes({"x": x, "arm": arm}, y, y_kind="censored")
    low, high = np.quantile(x, [0.25, 0.75], method="inverted_cdf")
    rows = (x <= low) | (x >= high)
    for found, design, some in ((first, x >= high, rows), (second, arm == "none", np.full(x.size, True))):
        fit = PHReg(y["time"][some], design[some].astype(float), status=y["dead"][some], ties="efron").fit()
        np.testing.assert_allclose(ends(found), np.exp([fit.params[0], *fit.conf_int()[0]]), rtol=1e-6)
        assert found.measure == "hazard ratio"
    assert (first.shape, second.shape) == ("rises", "differs")
    assert sum(group.events for group in second.groups) == y["dead"].sum()


def test_given_z_hazards_are_adjusted():
    x, arm, y = survival()
    sample = read_independence({"arm": arm}, y, y_kind="censored", given={"x": x})
    (found,) = find_changes(sample, [0], groups=False)
    fit = PHReg(y["time"], np.column_stack([arm == "none", x]).astype(float), status=y["dead"], ties="efron").fit()
    np.testing.assert_allclose(ends(found), np.exp([fit.params[0], *fit.conf_int()[0]]), rtol=1e-6)


def test_where_events_of_one_side_all_come_first_hazards_are_per_step():
    x, _, y = survival(60, effect=4.0)
    (found,) = changes({"x": x}, y, y_kind="censored")
    fit = PHReg(y["time"], x[:, None] / found.step, status=y["dead"], ties="efron").fit()
    np.testing.assert_allclose(ends(found), np.exp([fit.params[0], *fit.conf_int()[0]]), rtol=1e-5)
    assert (found.first, found.second, found.shape) == ("", "", "rises")


def test_missing_values_are_left_out_and_counted():
    rng = np.random.default_rng(10)
    x = rng.normal(size=60)
    x[:13] = np.nan
    y = rng.normal(size=60)
    (found,) = changes({"x": x}, y)
    assert (found.n, found.missing) == (47, 13)
    low, high = np.quantile(x[13:], [0.25, 0.75], method="inverted_cdf")
    theirs = stats.ttest_ind(y[x >= high], y[x <= low], equal_var=False).confidence_interval()
    np.testing.assert_allclose(ends(found)[1:], [theirs.low, theirs.high])


def test_a_column_without_two_values_has_no_change():
    x, y = np.random.default_rng(0).normal(size=(2, 20))
    sample = read_independence({"a": x}, y)
    flat = take_rows(sample, np.array([3, 3, 3, 3]))
    assert find_changes(flat, [0], groups=False) == ()


def test_of_many_columns_of_y_the_clearest_is_compared_and_all_allowed_for():
    rng = np.random.default_rng(11)
    x = np.where(rng.random(80) < 0.5, "old", "new")
    dull = {f"dull{k}": rng.normal(size=80) for k in range(3)}
    y = pd.DataFrame({**dull, "moved": rng.normal(size=80) + 2.0 * (x == "old")})
    (found,) = changes({"x": x}, y)
    assert found.what == "moved"
    a, b = (y["moved"][x == name] for name in ("new", "old"))
    theirs = stats.ttest_ind(b, a, equal_var=False).confidence_interval(1 - 0.05 / 4)
    np.testing.assert_allclose(ends(found)[1:], [theirs.low, theirs.high])


def test_each_of_two_columns_of_y_has_changes_and_a_clear_one_comes_first():
    rng = np.random.default_rng(11)
    x = pd.DataFrame({"a": rng.normal(size=90), "b": rng.normal(size=90)})
    y = pd.DataFrame({"up": 2.0 * x["a"] + rng.normal(size=90), "down": -2.0 * x["b"] + rng.normal(size=90)})
    found = changes(x, y)
    assert [(each.what, each.column) for each in found] == [("up", "a"), ("down", "b"), ("down", "a"), ("up", "b")]
    assert [each.shape for each in found[:2]] == ["rises", "falls"]
    low, high = (y["up"][rows] for rows in (x["a"] <= x["a"].nsmallest(23).max(), x["a"] >= x["a"].nlargest(23).min()))
    theirs = stats.ttest_ind(high, low, equal_var=False).confidence_interval()
    np.testing.assert_allclose(ends(found[0])[1:], [theirs.low, theirs.high])
    slopes = changes(x, y, given=pd.DataFrame({"z": rng.normal(size=90)}))
    assert [(each.what, each.column) for each in slopes[:2]] == [("up", "a"), ("down", "b")]
    assert [each.unit for each in slopes] == [""] * 4


def test_pairs_of_groups_name_the_column_in_which_they_differ_most():
    rng = np.random.default_rng(12)
    groups = np.repeat(["a", "b", "c"], 20)
    table = pd.DataFrame({"u": rng.normal(size=60), "v": 5.0 * rng.normal(size=60)})
    table.loc[groups == "c", "u"] += 3.0
    sample = read_ksample(table, groups=groups)
    found = list(pair_changes(sample, ""))
    assert [change.column for change in found[1:]] == ["u", "u"]
    c, a = table["u"][groups == "c"], table["u"][groups == "a"]
    theirs = stats.ttest_ind(c, a, equal_var=False).confidence_interval(1 - 0.05 / 6)
    np.testing.assert_allclose(ends(found[1])[1:], [theirs.low, theirs.high])


def test_arrays_have_no_names_and_tables_have():
    x, y = np.random.default_rng(0).normal(size=(2, 20))
    assert names_of(read_independence(x, y)).x == names_of(read_independence(x, y)).y == ()
    named = names_of(read_independence(pd.DataFrame({"a": x, "b": -x}), pd.Series(y, name="c")))
    assert (named.x, named.y) == (("a", "b"), ("c",))


def test_columns_of_a_screen_by_name():
    rng = np.random.default_rng(13)
    sample = read_independence({"a": rng.normal(size=40), "b": rng.normal(size=40)}, rng.normal(size=40))
    assert list(column_changes(sample, ["b"], {})) == ["b"]


def test_low_and_high_dates_are_dates_and_their_numbers_stay():
    days = pd.date_range("2012-03-01", periods=200)
    rng = np.random.default_rng(4)
    table = pd.DataFrame({"hired": days, "salary": np.arange(200.0) + rng.normal(size=200)})
    (change,) = changes(table[["hired"]], table["salary"], [0], dates="elapsed")
    assert (change.first, change.second) == ("2012-04-19 or earlier", "2012-07-28 or later")
    assert change.by_unit == "days since 2012-03-01"
    assert change.shape == "rises"
    (back,) = changes(table[["salary"]], table["hired"], [0])
    assert back.unit == "days since 2012-03-01"
    assert 90.0 < back.groups[-1].mean < 200.0


def test_intervals_of_columns_that_were_chosen_allow_for_the_choice():
    rng = np.random.default_rng(14)
    x, y = pd.DataFrame(rng.normal(size=(80, 12)), columns=[f"v{k}" for k in range(12)]), rng.normal(size=80)
    sample = read_independence(x, y)
    assert first_of(sample) == 4.0
    assert first_of(read_independence(x[["v0", "v1", "v2"]], y)) == 1.0
    (found,) = find_changes(sample, [5], groups=False, chosen_from=4.0)
    low, high = np.quantile(x["v5"], [0.25, 0.75], method="inverted_cdf")
    theirs = stats.ttest_ind(y[x["v5"] >= high], y[x["v5"] <= low], equal_var=False).confidence_interval(1 - 0.05 / 4)
    np.testing.assert_allclose(ends(found)[1:], [theirs.low, theirs.high])
    assert found.chosen_from == 4.0
    screened = column_changes(sample, ["v5", "v7", "v8"], {})
    assert {change.chosen_from for change in screened.values()} == {4.0}


def test_few_columns_of_noise_are_said_to_matter():
    """Of 20 columns of noise, the three that look best: about 0.06 of sentences are wrong; unadjusted, 0.3 are."""
    wrong = {1.0: 0, 20 / 3: 0}
    for seed in range(60):
        rng = np.random.default_rng(seed)
        sample = read_independence(rng.normal(size=(60, 20)), rng.normal(size=60))
        for chosen_from in wrong:
            found = find_changes(sample, range(20), groups=False, chosen_from=chosen_from)
            best = sorted(found, key=lambda each: -abs(each.estimate) / (each.high - each.low))[:3]
            wrong[chosen_from] += sum(each.clear for each in best)
    assert wrong[1.0] > 40  # of 180
    assert wrong[20 / 3] <= 20  # 11 are expected, as curves are looked for too


def test_a_paragraph_says_that_intervals_allow_for_the_choice():
    rng = np.random.default_rng(3)
    x = pd.DataFrame(rng.normal(size=(60, 6)), columns=list("abcdef"))
    y = pd.Series(2.0 * x["a"] + rng.normal(size=60), name="out")
    many = kmerf.independence(x, y, rng=1, null=kmerf.Permutation(39))
    assert {change.chosen_from for change in many.changes} == {2.0}
    assert "adjusted for the choice of the columns" in " ".join(many.paragraph().split())
    few = kmerf.independence(x[["a", "b"]], y, rng=1, null=kmerf.Permutation(39))
    assert {change.chosen_from for change in few.changes} == {1.0}
    assert "adjusted for the choice" not in few.paragraph()


def test_of_whole_blocks_a_category_needs_several():
    rng = np.random.default_rng(5)
    blocks = np.repeat(np.arange(22), 6)
    place = np.where(blocks < 2, "rare", np.where(blocks < 12, "east", "west"))
    y = rng.normal(size=132) + 9.0 * (place == "rare") + (place == "west")
    (found,) = changes({"place": place}, y, exchange="whole", blocks=blocks)
    assert (found.first, found.second) == ("east", "west")
