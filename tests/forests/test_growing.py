"""What a forest is specified by, and that it is the same whoever grows it, and when."""

import numpy as np
import pytest

from kmerf.core.errors import InputError
from kmerf.forests.growing import grow, presort
from kmerf.forests.spec import MOST_ROWS, ForestSpec

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(120, 5)), 1)
X[RNG.random(X.shape) < 0.05] = np.nan
COLUMNS = presort(X)
NUMBERS = RNG.normal(size=(120, 2))
CLASSES = np.eye(3)[RNG.integers(0, 3, 120)]
SPEC = ForestSpec(n_trees=60, max_features="sqrt")


def leaves(spec=SPEC, classes=False, **options):
    return grow(spec, COLUMNS, CLASSES if classes else NUMBERS, classes=classes, **{"seed": 1} | options)


def assert_same(one, other):
    for name in ("codes", "counts", "n_leaves", "gains"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


# --- the same seed gives the same forest ----------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [False, True], ids=["numbers", "classes"])
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_a_forest_is_the_same_with_any_number_of_threads(classes, n_jobs):
    assert_same(leaves(classes=classes), leaves(classes=classes, n_jobs=n_jobs))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_forest_does_not_depend_on_how_many_trees_follow(n_jobs):
    few, many = (leaves(ForestSpec(n_trees=m), n_jobs=n_jobs) for m in (100, 500))
    for name in ("codes", "counts", "n_leaves", "gains"):
        np.testing.assert_array_equal(getattr(few, name), getattr(many, name)[:100])


@pytest.mark.parametrize("other", [{"seed": 2}, {"refit": 1}, {"seed": 2**63}], ids=str)
def test_another_seed_or_refit_gives_another_forest(other):
    one, two = leaves(), leaves(**other)
    assert not (one.counts == two.counts).all(axis=1).any()
    assert not (one.codes == two.codes).all(axis=1).any()


def test_seed_and_refit_are_not_interchangeable():
    assert not np.array_equal(leaves(seed=1, refit=2).counts, leaves(seed=2, refit=1).counts)


def test_every_tree_is_different():
    grown = leaves()
    assert len(np.unique(grown.counts, axis=0)) == len(np.unique(grown.codes, axis=0)) == grown.n_trees


def test_draws_of_neighbouring_trees_seeds_and_refits_are_uncorrelated():
    n = X.shape[0]
    counts = np.array([leaves(seed=s, refit=r).counts - 1.0 for s in range(3) for r in range(3)]).reshape(-1, n)
    correlation = np.corrcoef(counts)[np.triu_indices(len(counts), 1)]
    # Independent draws have correlations with mean 0 and variance 1 / (n - 1) over the rows.
    assert abs(correlation.mean()) < 5 / np.sqrt(n * correlation.size)
    assert (correlation**2).mean() == pytest.approx(1 / (n - 1), rel=0.03)
    assert np.abs(correlation).max() < 6 / np.sqrt(n)


def test_refits_share_columns_without_changing_them():
    before = [array.copy() for array in COLUMNS]
    leaves(n_jobs=2)
    for array, copy in zip(COLUMNS, before, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_leaves_know_their_size():
    grown = leaves()
    assert (grown.n_trees, grown.n) == grown.codes.shape == grown.counts.shape == (60, 120)
    assert grown.gains.shape == (60, 5)


def test_the_order_of_two_class_columns_changes_nothing():
    y = np.eye(2)[RNG.integers(0, 2, 120)]
    one, two = (grow(SPEC, COLUMNS, target, classes=True, seed=1) for target in (y, y[:, ::-1]))
    np.testing.assert_array_equal(one.codes, two.codes)


def test_adding_a_constant_to_y_changes_nothing():
    y = np.round(NUMBERS * 64) / 64
    one, two = (grow(SPEC, COLUMNS, y + shift, classes=False, seed=1) for shift in (0.0, 1024.0))
    np.testing.assert_array_equal(one.codes, two.codes)
    np.testing.assert_allclose(one.gains, two.gains, rtol=1e-9)


# --- presorting -----------------------------------------------------------------------------------------------------


def test_presort_orders_ranks_and_marks_plain_columns():
    x = np.array([[3.0, 1.0, np.nan], [1.0, 1.0, 2.0], [2.0, 0.0, 1.0]])
    columns = presort(x)
    assert columns.order.tolist() == [[1, 2, 0], [2, 0, 1], [2, 1, 0]]
    assert columns.rank.tolist() == [[2, 0, 1], [1, 1, 0], [2**31 - 1, 1, 0]]
    assert columns.plain.tolist() == [True, False, False]


# --- specifications -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("argument", ["n_trees", "min_samples_leaf", "max_depth", "max_features", "max_samples"])
@pytest.mark.parametrize("value", [0, -3, True])
def test_numbers_below_one_are_refused(argument, value):
    with pytest.raises(InputError, match=rf"{argument}={value!r} must be a whole number of at least 1"):
        ForestSpec(**{argument: value})


@pytest.mark.parametrize("argument", ["n_trees", "min_samples_leaf", "max_depth"])
@pytest.mark.parametrize("value", [2.0, "many"])
def test_what_is_not_a_whole_number_is_refused(argument, value):
    with pytest.raises(InputError, match=rf"{argument}={value!r} must be a whole number of at least 1\."):
        ForestSpec(**{argument: value})


def test_max_samples_as_another_word_is_refused():
    with pytest.raises(InputError, match=r"max_samples='hal' is not an option; did you mean 'half'\?"):
        ForestSpec(max_samples="hal")


@pytest.mark.parametrize(("n", "drawn"), [(1, 1), (51, 26), (2000, 1000), (10**6, 5623)])
def test_half_of_the_rows_is_no_more_than_trees_draw_by_default(n, drawn):
    assert ForestSpec(max_samples="half", bootstrap=False).rules(n, 10, False).n_draw == drawn


@pytest.mark.parametrize("argument", ["max_features", "max_samples"])
@pytest.mark.parametrize("value", [0.0, -0.5, 1.5, float("nan")])
def test_shares_out_of_range_are_refused(argument, value):
    message = rf"{argument}={value!r} must be a whole number of at least 1, or a share in \(0, 1\]\."
    with pytest.raises(InputError, match=message):
        ForestSpec(**{argument: value})


@pytest.mark.parametrize(("value", "nearest"), [("sqr", "sqrt"), ("SQRT", "sqrt"), ("al", "all"), ("atuo", "auto")])
def test_an_unknown_word_is_answered_with_the_nearest(value, nearest):
    message = rf"max_features='{value}' is not an option; did you mean '{nearest}'\? Options: 'auto', 'all', 'sqrt'\."
    with pytest.raises(InputError, match=message):
        ForestSpec(max_features=value)


def test_a_word_like_no_other_is_answered_with_the_options():
    with pytest.raises(InputError, match=r"max_features='xyz' is not an option\. Options: 'auto', 'all', 'sqrt'\."):
        ForestSpec(max_features="xyz")


@pytest.mark.parametrize("bootstrap", [False, True])
def test_more_samples_than_rows_are_refused_when_growing(bootstrap):
    spec = ForestSpec(max_samples=121, bootstrap=bootstrap)
    with pytest.raises(InputError, match=r"max_samples=121 asks for more rows than there are \(120\)\."):
        leaves(spec)


@pytest.mark.parametrize(
    ("max_features", "classes", "tried"),
    [
        ("auto", False, 10),
        ("auto", True, 3),
        ("all", True, 10),
        ("sqrt", False, 3),
        (4, True, 4),
        (99, True, 10),
        (0.5, False, 5),
        (0.01, False, 1),
        (1.0, True, 10),
        (1, True, 1),
        (np.int64(2), False, 2),
    ],
)
def test_max_features_as_word_number_or_share(max_features, classes, tried):
    assert ForestSpec(max_features=max_features).rules(50, 10, classes).n_try == tried


@pytest.mark.parametrize(("max_samples", "drawn"), [(None, 50), (50, 50), (1, 1), (1.0, 50), (0.5, 25), (0.001, 1)])
def test_max_samples_as_number_or_share(max_samples, drawn):
    assert ForestSpec(max_samples=max_samples).rules(50, 10, False).n_draw == drawn


def test_by_default_trees_draw_all_rows_up_to_a_size_and_ever_smaller_shares_beyond():
    drawn = [ForestSpec().rules(n, 10, False).n_draw for n in (10, MOST_ROWS, 10**4, 10**5, 10**6, 10**7)]
    assert drawn[:2] == [10, MOST_ROWS]
    assert drawn == sorted(drawn)
    assert ForestSpec(max_samples=1.0).rules(10**5, 10, False).n_draw == 10**5


def test_few_rows_of_many_are_sorted_as_all_rows_are(monkeypatch):
    """Few drawn rows are sorted anew, many are picked out of the sorted columns: either way in the same order."""
    n = 5000
    x = np.round(np.random.default_rng(3).normal(size=(n, 4)), 1)
    x[:, 0] = np.random.default_rng(4).permutation(n)
    x[::7, 1] = np.nan
    y = np.random.default_rng(5).normal(size=(n, 1))
    some = grow(ForestSpec(n_trees=3, max_samples=50), presort(x), y, classes=False, seed=0)
    for w in range(3):
        rows = np.flatnonzero(some.counts[w])
        small = np.repeat(rows, some.counts[w][rows])
        alone = grow(ForestSpec(n_trees=1, bootstrap=False, max_features="all"), presort(x[small]), y[small],
                     classes=False, seed=0)  # fmt: skip
        errors = [
            ((y[small] - _leaf_means(codes, y[small])) ** 2).sum() for codes in (some.codes[w][small], alone.codes[0])
        ]
        assert errors[0] == pytest.approx(errors[1], abs=1e-9)


def _leaf_means(codes, y):
    return (np.bincount(codes, y[:, 0]) / np.maximum(np.bincount(codes), 1))[codes][:, None]


def test_specifications_are_values():
    assert ForestSpec(n_trees=10) == ForestSpec(n_trees=10)
    with pytest.raises(AttributeError, match="n_trees"):
        ForestSpec().n_trees = 3
