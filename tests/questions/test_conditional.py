"""Does y depend on x, given z? Data of every kind, what is refused, and how the answer reads."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest

import kmerf
from kmerf.adjustment.answering import compare_given
from kmerf.reading.samples import read_independence


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    age, sex = rng.normal(size=120), rng.choice(["f", "m"], 120)
    dose = age + (sex == "m") + rng.normal(size=120)
    gene = rng.normal(size=120)
    gene[::9] = np.nan
    return pd.DataFrame(
        {
            "dose": dose,
            "gene": gene,
            "age": age,
            "sex": pd.Categorical(sex),
            "y": age + (sex == "m") + rng.normal(size=120),
        }
    )


@pytest.fixture(scope="module")
def result(table):
    return kmerf.conditional(table, "y", given=["age", "sex"], rng=1, n_jobs=1)


def test_z_may_be_columns_of_the_table(result):
    assert result.question == "conditional"
    assert result.adjustment.names == ("age", "sex")
    assert result.features.names == ("dose", "gene")
    assert result.pvalue > 0.01
    assert 0.2 < result.adjustment.explained_y < 0.8
    assert not result.adjustment.doubtful


def test_z_may_be_data_of_its_own(table, result):
    other = kmerf.conditional(table[["dose", "gene"]], table["y"], given=table[["age", "sex"]], rng=1, n_jobs=2)
    assert other.pvalue == result.pvalue
    assert other.adjustment == result.adjustment


def test_without_z_the_columns_are_related(table):
    assert kmerf.independence(table[["dose"]], table["y"], method=kmerf.baselines.Dcorr(), rng=1).pvalue < 0.01


def test_a_relation_beyond_z_is_found(table):
    y = table["y"] + table["dose"]
    found = kmerf.conditional(table[["dose", "gene"]], y, given=table[["age", "sex"]], rng=1)
    assert found.pvalue < 1e-4
    assert found.features.pvalues[0] < 1e-4 < found.features.pvalues[1]
    assert found.adjustment.with_x > found.adjustment.without_x


def test_independence_and_ksample_take_given(table, result):
    same = kmerf.independence(table, "y", given=["age", "sex"], rng=1)
    assert (same.question, same.pvalue) == ("independence", result.pvalue)
    groups = kmerf.ksample(table.drop(columns="y"), groups="sex", given="age", rng=1)
    assert groups.question == "ksample"
    assert groups.groups == {"f": (table["sex"] == "f").sum(), "m": (table["sex"] == "m").sum()}
    parts = [table.loc[table["sex"] == sex, ["dose", "age"]] for sex in "fm"]
    by_name = kmerf.ksample(*parts, given="age", rng=1)
    stacked = kmerf.ksample(*(part[["dose"]] for part in parts), given=pd.concat(parts)["age"], rng=1)
    assert by_name.pvalue == stacked.pvalue


def test_the_answer_goes_to_json_and_back(result, tmp_path):
    assert kmerf.Result.from_dict(result.to_dict()) == result
    result.save(tmp_path / "result.json")
    assert kmerf.Result.load(tmp_path / "result.json") == result


def test_the_answer_reads(result):
    text = result.in_full()
    assert "Test of conditional independence (residuals given z)" in text
    assert "z explains" in text
    assert text.startswith("Does y depend on dose and gene, given age and sex?")
    assert "normal limit approximation" in text
    assert "The p-value is approximate" in text
    assert "exact" not in text
    assert "z explains" in result._repr_html_()


def test_rows_without_y_are_dropped_from_z_too(table):
    lost = table.assign(y=table["y"].where(np.arange(120) % 10 > 0))
    found = kmerf.conditional(lost, "y", given=["age", "sex"], missing_y="drop", rng=1)
    assert found.n == 108
    kept = kmerf.conditional(lost[lost["y"].notna()], "y", given=["age", "sex"], rng=1)
    assert found.pvalue == kept.pvalue


def test_few_values_of_z_are_strata():
    rng = np.random.default_rng(2)
    site = np.repeat([1, 2, 3], 8)
    found = kmerf.conditional(rng.normal(size=24), rng.normal(size=24), given=site, rng=1)
    assert found.adjustment.strata == 3
    assert found.null.distribution.size == 499
    assert "499 permutations" in str(found)
    assert any("permuted among rows with the same values of the covariates" in note for note in found.notes)


def test_a_relation_that_shrinks_as_z_is_removed_more_finely_warns():
    rng = np.random.default_rng(5)
    z = rng.normal(size=(300, 3))
    signal = 1.2 * np.sign(z.prod(axis=1))  # three columns interact, which regressions see badly
    with pytest.warns(kmerf.KmerfWarning, match="shrinks the more finely given is removed, so the p-value may be"):
        found = kmerf.conditional(
            signal + 0.8 * rng.normal(size=300), signal + 0.8 * rng.normal(size=300), given=z, rng=1
        )
    assert (
        found.adjustment.lack_of_fit_joint <= 0.01 < min(found.adjustment.lack_of_fit_x, found.adjustment.lack_of_fit_y)
    )
    assert found.adjustment.doubtful


def test_a_misfit_warns():
    rng = np.random.default_rng(3)
    z = rng.uniform(-1, 1, size=(100, 2))
    wave = np.sin(12 * np.pi * z[:, 0])
    with pytest.warns(kmerf.KmerfWarning, match="still depend on given, so the p-value may be far too small"):
        found = kmerf.conditional(wave + 0.05 * rng.normal(size=100), wave + rng.normal(size=100), given=z, rng=1)
    assert found.adjustment.doubtful
    assert "residuals may still depend on z" in " ".join(found.in_full().split())
    assert "still depend on given" in " ".join(str(found).split())  # a doubt is among the first lines


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"given": None}, "given=None names no covariates: pass columns, or use independence."),
        ({"given": np.zeros(40)}, "given is constant in every column, so it explains nothing: leave it out."),
        ({"given": np.arange(39.0)}, "given has 39 rows but x has 40: pass one per row."),
    ],
)
def test_z_that_cannot_be_used_is_refused(options, message):
    with pytest.raises(kmerf.InputError) as error:
        kmerf.conditional(np.arange(40.0), np.arange(40.0) % 7, **options)
    assert str(error.value) == message


def test_z_must_leave_something_of_x(table):
    with pytest.raises(kmerf.InputError, match="given names every column of x: leave one or more to be tested"):
        kmerf.conditional(table[["age"]], table["y"], given="age")


def test_regressions_need_rows():
    x, y, z = np.random.default_rng(4).normal(size=(3, 20))
    with pytest.raises(kmerf.InputError, match="20 rows are too few for them: collect 30 or more"):
        kmerf.conditional(x, y, given=z)


@pytest.mark.parametrize(
    "option",
    [{"method": kmerf.KMERF()}, {"null": kmerf.Permutation(9)}, {"interval": 0.9}, {"feature_groups": {"a": ["x1"]}}],
)
def test_what_belongs_to_other_tests_is_refused(table, option):
    name = next(iter(option))
    with pytest.raises(kmerf.InputError, match=f"^{name} was passed together with given, (whose|few of whose)"):
        kmerf.independence(table, "y", given=["age"], **option)


def test_details_are_the_data_of_the_leading_columns(table):
    from kmerf import report

    result = kmerf.independence(table, "y", given=["age"], details=True, rng=1)
    drawn = [profile.feature for profile in result.details.profiles]
    assert drawn == list(result.details.points.features)
    assert "age" not in drawn
    importance = dict(zip(result.features.names, result.features.importance, strict=True))
    assert drawn == sorted(drawn, key=lambda name: -importance[name])
    page = report.html(result)
    assert '<section id="views">' in page
    assert "the adjusted mean among rows with about that value" in page
    assert kmerf.Result.from_dict(result.to_dict()) == result


def levels(codes):
    return pd.Categorical([f"level {code}" for code in codes])


def moved(rng, group, more=0.0):
    """X and y with the same effect of each level, and noise of their own."""
    effect = rng.normal(size=group.max() + 1)[group] + more
    return effect + rng.normal(size=group.size), effect + rng.normal(size=group.size)


def pairs(rng):
    group = rng.permutation(np.repeat(np.arange(40), 2))
    return *moved(rng, group), pd.DataFrame({"subject": levels(group)})


def uneven(rng):
    group = rng.choice(20, 80, p=np.arange(1, 21) / 210)
    return *moved(rng, group), pd.DataFrame({"site": levels(group)})


def numbered(rng):
    group = np.repeat(np.arange(80), rng.integers(1, 5, 80))[:80]
    return *moved(rng, group), group


def pairs_and_age(rng):
    group, age = np.repeat(np.arange(40), 2), rng.normal(size=80)
    return *moved(rng, group, age), pd.DataFrame({"subject": levels(group), "age": age})


def crossed(rng):
    group, period = np.repeat(np.arange(40), 2), np.tile([0, 1], 40)
    return *moved(rng, group, 1.5 * period), pd.DataFrame({"subject": levels(group), "period": levels(period)})


def numbers_and_age(rng):
    group, age = np.repeat(np.arange(40), 2), rng.normal(size=80)
    return *moved(rng, group, age), np.column_stack([group, age])


def pvalue(x, y, z, seed):
    """Return the p-value of `conditional` without its effect size, which takes ten times as long."""
    return compare_given(read_independence(x, y, given=z), seed)[-1].pvalue


@pytest.mark.filterwarnings("ignore::kmerf.KmerfWarning")
@pytest.mark.parametrize("draw", [pairs, uneven, numbered, pairs_and_age, crossed, numbers_and_age])
def test_few_rows_per_value_of_z_keep_the_level(draw):
    found = []
    for k in range(40):
        x, y, z = draw(np.random.default_rng([20, k]))
        found.append(pvalue(x, y, z, k))
    assert found[-1] == kmerf.conditional(x, y, given=z, rng=k).pvalue
    assert np.sum(np.array(found) <= 0.05) <= 6  # 2 are expected


def test_few_rows_per_value_of_z_find_a_line_as_a_paired_test_does():
    from scipy import stats

    found, paired = [], []
    for k in range(40):
        x, y, z = pairs(np.random.default_rng([21, k]))
        y = y + 0.6 * x
        found.append(pvalue(x, y, z, k))
        order = np.argsort(z["subject"].cat.codes.to_numpy(), kind="stable")
        a, b = (np.diff(v[order].reshape(-1, 2), axis=1).ravel() for v in (x, y))
        paired.append(stats.pearsonr(a, b).pvalue)
    assert np.mean(np.array(found) <= 0.05) > np.mean(np.array(paired) <= 0.05) - 0.15 > 0.7


def test_numbers_that_are_names_are_said_to_be():
    x, y, z = numbers_and_age(np.random.default_rng(3))
    found = kmerf.conditional(x, y, given=z, rng=1)
    assert found.adjustment.strata == 40
    assert any("Read as categories: 'z1'" in note for note in found.notes)
    smooth = np.random.default_rng(4).normal(size=(2, 80)) + z[:, 0] / 20
    assert kmerf.conditional(*smooth, given=z, rng=1).adjustment.strata is None


def test_too_few_rows_that_share_z_are_refused():
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, 40))
    alone = pd.DataFrame({"id": levels([*range(38), 0, 1])})
    with pytest.raises(kmerf.InputError) as error:
        kmerf.conditional(x, y, given=alone)
    assert str(error.value) == (
        "given has 38 different values in 40 rows, 36 of them in one row only, so that there is almost nothing to "
        "compare: collect more rows with the same value, or merge values."
    )
    with pytest.raises(
        kmerf.InputError, match=r"9 rows are left to compare once its other columns are removed as well"
    ):
        kmerf.conditional(
            x, y, given=pd.DataFrame({"id": levels([*range(30), *range(10)]), "age": rng.normal(size=40)})
        )


@pytest.mark.parametrize("classes", [False, True])
def test_shares_are_those_of_rows_not_seen(classes):
    shares = []
    for k in range(5):
        rng = np.random.default_rng([22, k])
        y = rng.choice(["a", "b"], 150) if classes else rng.normal(size=150)
        batch = levels(np.repeat(np.arange(30), 5))
        found = kmerf.conditional(rng.normal(size=150), y, given=pd.DataFrame({"batch": batch}), rng=1)
        shares.append([found.adjustment.without_x, found.adjustment.with_x])
    nothing = 0.5 if classes else 0.0
    np.testing.assert_allclose(np.mean(shares, axis=0), nothing, atol=0.06)  # before, 0.2 and 0.75


def test_shares_of_strata_that_matter():
    rng = np.random.default_rng(23)
    batch = np.repeat(np.arange(15), 20)
    x, y = moved(rng, batch)
    found = kmerf.conditional(x, y + 2 * x, given=batch.astype(float), rng=1).adjustment
    assert 0.3 < found.explained_x < 0.7
    assert found.with_x > found.without_x + 0.2


def test_x_that_is_a_function_of_z_leaves_nothing_to_compare(tmp_path):
    rng = np.random.default_rng(24)
    z = np.repeat([0.0, 1.0, 2.0], 20)
    with pytest.warns(kmerf.KmerfWarning, match="x is constant among rows with the same values of the covar"):
        found = kmerf.conditional(z**2, rng.normal(size=60), given=z, rng=1)
    assert (found.pvalue, found.statistic) == (1.0, 0.0)
    found.save(tmp_path / "result.json")
    assert kmerf.Result.load(tmp_path / "result.json") == found


@pytest.mark.parametrize("place", [0, 2])
def test_constant_columns_are_part_of_a_result_that_can_be_saved(place, tmp_path):
    rng = np.random.default_rng(25)
    x, z = np.insert(rng.normal(size=(60, 2)), place, 3.0, axis=1), rng.normal(size=60)
    found = kmerf.independence(x, rng.normal(size=60), given=z, rng=1)
    assert len(found.features.names) == found.features.pvalues.size == 3
    assert (found.features.pvalues[place], found.features.importance[place]) == (1.0, 0.0)
    found.save(tmp_path / "result.json")
    assert kmerf.Result.load(tmp_path / "result.json") == found


def test_the_two_doors_are_one(table):
    import inspect

    door, other = (inspect.signature(each).parameters for each in (kmerf.conditional, kmerf.independence))
    assert {name: each.default for name, each in door.items() if name != "given"} == {
        name: each.default for name, each in other.items() if name != "given"
    }
    lost = table.assign(y=table["y"].where(np.arange(120) % 10 > 0))
    options = {"given": ["age"], "rows": 90, "na": {"gene": -99}, "details": True, "rng": 1, "n_jobs": 1}
    found, same = (each(lost, "y", **options).to_dict() for each in (kmerf.conditional, kmerf.independence))
    assert found | {"question": ""} == same | {"question": ""}
    assert found["n"] == 90


def test_progress_is_shown(table):
    steps = []
    kmerf.conditional(table, "y", given=["age"], progress=lambda done, total: steps.append((done, total)), rng=1)
    assert steps[-1] == (4, 4)


@pytest.mark.parametrize(
    "option",
    [{"importances": "conditional"}, {"exchange": "whole"}, {"backend": "loky"}, {"blocks": np.arange(120) % 5}],
)
@pytest.mark.parametrize("groups", [False, True])
def test_options_that_given_has_no_use_for_are_refused(table, option, groups):
    ask = partial(kmerf.ksample, groups="sex") if groups else partial(kmerf.independence, y="y")
    with pytest.raises(kmerf.InputError, match=f"^{next(iter(option))} was passed together with given, whose"):
        ask(table, given=["age"], **option)


def test_other_back_ends_are_refused(table):
    with pytest.raises(kmerf.InputError, match="^backend was passed together with given"):
        kmerf.conditional(table, "y", given=["age"], backend="loky")


def test_a_report_says_how_to_ask_again(result, tmp_path):
    result.report(tmp_path / "page.html")
    assert f"kmerf.conditional(x, y, given=z, rng={result.seed})" in (tmp_path / "page.html").read_text()


def test_features_given_z_are_a_frame(result):
    frame = result.to_frame("features", library="pandas")
    assert sorted(frame["feature"]) == ["dose", "gene"]
    assert list(frame) == ["feature", "importance_mean", "pvalue", "adjusted_fwer", "adjusted_fdr"]
    assert dict(zip(frame["feature"], frame["pvalue"], strict=True)) == dict(
        zip(result.features.names, result.features.pvalues, strict=True)
    )


def test_one_feature_has_no_table_of_its_own(table):
    found = kmerf.conditional(table[["dose"]], table["y"], given=table["age"], rng=1)
    with pytest.raises(kmerf.InputError, match="given z, a single feature has the p-value of the whole"):
        found.to_frame("features")


def test_rows_sorted_by_a_covariate_are_not_taken_for_a_series():
    """As in ToothGrowth, which is sorted by supplement and dose."""
    rng = np.random.default_rng(0)
    dose, supp = np.tile(np.repeat([0.5, 1.0, 2.0], 10), 2), np.repeat(["VC", "OJ"], 30)
    frame = pd.DataFrame({"supp": supp, "dose": dose, "len": 8.0 * dose + 4.0 * (supp == "OJ") + rng.normal(size=60)})
    found = kmerf.independence(frame, "len", given="dose", rng=1)
    assert not any("Neighbouring" in note or "order=True" in note for note in found.notes)
    assert found.kinds[0].bounded
    assert "level (p <= 0.0" in str(found)


def test_a_line_given_z_is_a_change_of_level_and_of_nothing_else():
    """The other components detect it too: "spread or shape" was named in 97 % of such data sets."""
    rng = np.random.default_rng(0)
    z = rng.integers(0, 5, 150)
    x = 0.6 * z + rng.normal(size=150)
    found = kmerf.conditional(x, z + 0.6 * x + rng.normal(size=150), given=z, rng=1)
    assert [kind.name for kind in found.kinds] == ["level"]
    assert max(member.pvalue for member in found.members) <= 0.05
    assert "spread" not in str(found)
    assert "interaction" not in str(found)


def test_a_series_given_z_is_not_answered_without_z():
    rng = np.random.default_rng(1)
    walk = np.cumsum(rng.normal(size=120))
    frame = pd.DataFrame({"x": walk + rng.normal(size=120), "z": rng.normal(size=120), "y": walk})
    found = kmerf.independence(frame, "y", given="z", rng=1)
    assert any("Neighbouring" in note for note in found.notes)
    assert not any("which accounts for that" in note for note in found.notes)
