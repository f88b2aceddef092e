"""Does y depend on x, given z? Data of every kind, what is refused, and how the answer reads."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import kmerf


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
    assert kmerf.independence(table[["dose"]], table["y"], method=kmerf.rivals.Dcorr(), rng=1).pvalue < 0.01


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
    text = str(result)
    assert "Test of conditional independence (residuals given z)" in text
    assert "z explains" in text
    assert "z: age, sex" in text
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
    assert any("permuted among rows with the same value of given" in note for note in found.notes)


def test_a_relation_that_shrinks_as_z_is_removed_more_finely_warns():
    rng = np.random.default_rng(5)
    z = rng.normal(size=(300, 3))
    signal = 1.2 * np.sign(z.prod(axis=1))  # three columns interact, which regressions see badly
    with pytest.warns(kmerf.KmerfWarning, match="shrinks the more finely given is removed, so the p-value may be"):
        found = kmerf.conditional(
            signal + 0.8 * rng.normal(size=300), signal + 0.8 * rng.normal(size=300), given=z, rng=1
        )
    assert found.adjustment.shrinking <= 0.01 < min(found.adjustment.lack_of_fit_x, found.adjustment.lack_of_fit_y)
    assert found.adjustment.doubtful


def test_a_misfit_warns():
    rng = np.random.default_rng(3)
    z = rng.uniform(-1, 1, size=(100, 2))
    wave = np.sin(12 * np.pi * z[:, 0])
    with pytest.warns(kmerf.KmerfWarning, match="still depend on given, so the p-value may be far too small"):
        found = kmerf.conditional(wave + 0.05 * rng.normal(size=100), wave + rng.normal(size=100), given=z, rng=1)
    assert found.adjustment.doubtful
    assert "residuals may still depend on z" in str(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"given": None}, "given=None leaves nothing to compare given: pass columns, or use independence."),
        ({"given": np.zeros(40)}, "given is constant in every column, so it explains nothing: leave it out."),
        ({"given": np.arange(39.0)}, "given has 39 rows but x has 40: pass one a row."),
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
    with pytest.raises(kmerf.InputError, match=f"{name} was passed together with given, which has a test of its own"):
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
    assert "the mean of y among rows with about that value" in page
    assert "What is given is not removed here" in page
    assert kmerf.Result.from_dict(result.to_dict()) == result
