"""All pairs of columns as a value: its rows, matrix, order, files, words and pictures."""

import numpy as np
import pytest
from matplotlib.collections import PolyCollection

import kmerf
from kmerf.core.errors import InputError

RNG = np.random.default_rng(2)
A = RNG.normal(size=80)
TABLE = {
    "a": A,
    "b": -A + 0.5 * RNG.normal(size=80),
    "c": RNG.normal(size=80),
    "group": np.where(A + RNG.normal(size=80) > 0, "high", "low"),
}


@pytest.fixture(scope="module")
def result():
    return kmerf.associations(TABLE, rng=1)


def test_rows_are_in_the_order_of_the_pairs(result):
    assert [(row.first, row.second) for row in result][:3] == [("a", "b"), ("a", "c"), ("a", "group")]
    assert len(result) == 6
    assert list(result.to_frame("polars").columns)[:5] == ["first", "second", "effect", "direction", "pvalue"]


def test_the_matrix_is_symmetric_and_signed_on_request(result):
    plain, signed = result.matrix(), result.matrix(signed=True)
    np.testing.assert_array_equal(plain, plain.T)
    assert plain.diagonal().tolist() == [1.0] * 4
    assert plain[0, 1] == -signed[0, 1] == result.effects[0] > 0.8


def test_selected_pairs_are_in_the_order_of_their_effects(result):
    assert result.selected[0] == ("a", "b")
    sizes = [result.effects[k] for k in result.ranking[: len(result.selected)]]
    assert sizes == sorted(sizes, reverse=True)


def test_one_column(result):
    rows = result.of("group")
    assert {row.first for row in rows} == {"group"}
    assert {row.second for row in rows} == {"a", "b", "c"}
    with pytest.raises(InputError, match="column"):
        result.of("nobody")


def test_it_goes_to_json_and_back(result, tmp_path):
    result.save(tmp_path / "pairs.json")
    assert kmerf.Associations.load(tmp_path / "pairs.json") == result
    assert "bounds" in result.to_dict()


def test_it_prints_within_80_letters(result):
    wide = {f"a column with a very long name, number {k}": values for k, values in enumerate(TABLE.values())}
    for shown in (result, kmerf.associations(wide, rng=1)):
        lines = str(shown).splitlines()
        assert max(map(len, lines)) <= 80
        assert lines[0] == "Which columns are related to each other?"
        assert "Associations of 4 columns, 6 pairs" in lines
    assert "a - b" in str(result)
    assert "high in high" in str(result)
    assert "kmerf.Associations: Associations of 4 columns" in repr(result)


def test_a_notebook_shows_it(result):
    page = result._repr_html_()
    assert "pairs are related" in page
    assert page.count("<tr>") >= 6


def test_nothing_is_related():
    nothing = kmerf.associations(np.random.default_rng(0).normal(size=(40, 3)), rng=1)
    assert nothing.selected == ()
    assert "None of 3 pairs is clearly related." in str(nothing)
    assert len(nothing.plot().axes) == 1


def test_the_heat_map_names_columns_and_leaves_out_the_weakest(result, tmp_path):
    figure = result.plot()
    figure.savefig(tmp_path / "map.png")
    (ax,) = figure.axes
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert names == [TABLE_NAMES[j] for j in result.order]
    assert sum(len(each.get_paths()) for each in ax.collections if isinstance(each, PolyCollection)) == 12
    fewer = result.plot(most=2)
    assert {label.get_text() for label in fewer.axes[0].get_xticklabels()} == {"a", "b"}
    with pytest.raises(InputError, match="most"):
        result.plot(most=1)


TABLE_NAMES = list(TABLE)


def test_long_names_are_told_apart():
    levels = np.repeat(["high on the island Torgersen", "low"], 40)
    names = ("flipper_length_mm", "flipper_depth_mm", "flipper_growth_mm")
    long = {name: A + k + 0.1 * RNG.normal(size=80) for k, name in enumerate(names)}
    long["flipper_length_mm"][:3] = np.nan
    lines = str(kmerf.associations(long | {"island_of_the_bird": levels}, rng=1)).splitlines()
    assert max(map(len, lines)) <= 80
    first = [" ".join(line.split()[:3]) for line in lines if line.startswith(("  flipper", "  island"))]
    assert len(first) == len(set(first)) == 6
