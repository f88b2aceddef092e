"""The numbers at the top."""

from dataclasses import replace

import pytest

import views
from kmerf.results.parts import Effect
from kmerf.show.facts import effect_facts, facts, null_text, screen_facts, screen_title, statistic_text, title
from kmerf.show.numbers import PLAIN, TYPESET


def test_titles():
    assert title(views.result()) == "Test of independence (KMERF)"
    assert title(views.grouped()) == "Test of k samples (KMERF)"
    assert screen_title(views.screen()) == "Screen of 4 columns (Dcorr)"
    assert screen_title(views.screen(settings={"sets": {}})) == "Screen of 4 sets of columns (Dcorr)"
    assert screen_title(views.screen(settings={"given": ["age"]})) == "Screen of 4 columns, given age (Dcorr)"


def test_a_test_has_its_p_value_first():
    assert [tuple(fact) for fact in facts(views.result(1e-5, 0.4), PLAIN)] == [
        ("p-value", "1.0e-05", "19 permutations; standard error 0.001"),
        ("effect", "0.400", "strong: R2, the share of the variance explained"),
        ("statistic", "11.602", "kernel correlation"),
        ("data", "1,200 rows", "3 features; y numeric"),
        ("seed", "7", ""),
    ]
    typeset = facts(views.result(1e-5, -0.4), TYPESET)
    assert [fact.value for fact in typeset[:2]] == ["1.0 × 10⁻⁵", "0.000"]  # no share is below 0
    assert facts(views.grouped(), PLAIN, names=False)[2].note == "3 features; 2 groups"


@pytest.mark.parametrize(
    ("null", "says"),
    [
        (views.null(0.1), "19 permutations; standard error 0.02"),
        (views.null(0.1, error=None), "19 permutations"),
        (
            views.null(0.4, stopped=True),
            "19 permutations; standard error 0.02; p is above 0.05, so kmerf drew no more",
        ),
        (views.null(0.08, stopped=True), "19 permutations; standard error 0.02; stopped early"),  # near 0.05
        (
            views.null(1e-4, 99, extrapolated=True),
            "99 permutations, none as large; the tail model suggests about 1e-04 or less",
        ),
        (views.null(0.01, 99, bound=0.01, modelled=0.004), "99 permutations, none as large"),
        (views.null(size=None), "chi-square approximation"),
    ],
)
def test_where_a_p_value_comes_from(null, says):
    assert null_text(null, PLAIN) == says


def test_an_interval_of_the_correlation_is_a_fact_of_its_own():
    both = effect_facts(Effect(0.21, 0.1, 0.32, 0.95, "AUC", 0.8), PLAIN)
    assert [tuple(fact) for fact in both] == [
        ("effect", "0.800", "strong: AUC, 0.5 is guessing, 1 is perfect"),
        ("correlation", "0.210", "of kernels; 95 % interval 0.100 to 0.320"),
    ]
    assert effect_facts(Effect(0.21), PLAIN) == []


def test_what_the_statistic_is():
    def of(settings):
        return statistic_text(views.result(settings={"method": settings}, method="Some"))

    assert of({"statistic": "correlation"}) == "kernel correlation"
    assert of({"statistic": "prediction"}) == "share of the variance predicted"
    assert of({"statistic": "multiscale"}) == "largest local correlation"
    assert of({}) == "Some"
    assert statistic_text(replace(views.result(), members=(views.LOCAL,))) == "soft maximum of the scores"


def test_a_screen_says_how_many_are_selected_and_tested():
    selected, tested, test, data, seed = screen_facts(views.screen(), PLAIN)
    assert tuple(test) == ("test", "Dcorr", "one per column")
    assert (selected.value, tested.value, tested.note) == ("2", "3", "1 could not be tested")
    assert selected.note == "at a false discovery rate of 0.05 (Benjamini-Hochberg): p up to 0.033"
    assert (data.note, seed.value) == ("y numeric", "3")
    assert screen_facts(views.screen((0.2, 0.3)), PLAIN)[1].note == ""


def test_the_r2_of_ranks_stands_beside_the_other():
    """One outlier: height hardly predicts the mass of starwars by R2, and well by ranks."""
    both = effect_facts(Effect(0.2, measure="R2", score=-0.02, rank_score=0.45), PLAIN)
    assert [tuple(fact) for fact in both] == [
        ("effect", "0.450", "strong: R2 of ranks"),
        ("R2", "0.000", "of the values, the share of the variance explained"),
    ]


def test_every_number_has_its_interval():
    numbers = Effect(
        measure="R2",
        score=0.3,
        rank_score=0.25,
        score_low=0.1,
        score_high=0.5,
        rank_low=0.08,
        rank_high=0.45,
        auc=0.8,
        auc_low=0.7,
        auc_high=0.9,
        auc_measure="AUC",
        about="within blocks",
    )
    assert [tuple(fact) for fact in effect_facts(numbers, PLAIN)] == [
        ("effect", "0.250", "strong: R2 of ranks within blocks; 95 % interval 0.080 to 0.450"),
        ("R2", "0.300", "of the values, the share of the variance explained; 95 % interval 0.100 to 0.500"),
        ("AUC", "0.800", "of the groups of x, 0.5 is guessing, 1 is perfect; 95 % interval 0.700 to 0.900"),
    ]
    groups = Effect(measure="mean AUC", score=0.4, rank_score=0.2)
    assert [tuple(fact) for fact in effect_facts(groups, PLAIN)] == [
        ("effect", "0.500", "strong: mean AUC, over pairs of groups, 0.5 is guessing, 1 is perfect"),
        ("R2", "0.200", "of the ranks of the column, the share of the variance explained by the groups"),
    ]
    beyond = Effect(measure="R2", score=0.1, rank_score=0.05, about="beyond z")
    assert effect_facts(beyond, PLAIN)[0] == ("effect", "0.050", "faint: R2 of ranks gained over the covariates")
