"""The test of single columns: its parts against plain formulas and scipy, its level, and what it finds."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, kruskal, norm, rankdata, spearmanr

import kmerf
from kmerf.methods.column_scan import ColumnScan, Scan, columns_of, target_of
from kmerf.methods.protocol import observe
from kmerf.reading.samples import read_independence


def squares(scan, order):
    """The squared scores (directions, groups) of a scan, by plain sums."""
    column, target = scan.column, scan.target
    n = len(order)
    functions = target.values if target.values is not None else np.eye(target.scale.size)[target.codes] * target.scale
    functions = functions - functions.mean(axis=0)
    values = np.column_stack([column.smooth, column.directions.T[column.bins]])
    products = (n - 1) * (values.T @ functions[order]) ** 2
    return np.column_stack([products[:, target.group == g].sum(axis=1) for g in range(target.sizes.size)])


def slow(scan, order):
    """The statistic, term by term."""
    z = squares(scan, order)
    terms = [constant + (profile * z).sum() for constant, profile in zip(scan.constants, scan.profiles, strict=True)]
    terms += [weight + 10 / 22 * value for weight, value in zip(scan.weights.flat, z.flat, strict=True)]
    return np.log(np.exp(terms).sum())


def scan_of(x, y, **options):
    sample = read_independence(x, y, **options)
    return Scan.of(columns_of(sample.x)[0], target_of(sample.y))


RNG = np.random.default_rng(3)
HOLES = np.where(RNG.random(60) < 0.2, np.nan, RNG.normal(size=60))
COLUMNS = {
    "numbers": RNG.normal(size=60),
    "ties": RNG.integers(0, 4, size=60).astype(float),
    "two values": np.arange(60) % 2.0,
    "missing": HOLES,
    "categories": RNG.choice(list("abcde"), size=60),
}
RESPONSES = {"numbers": RNG.normal(size=60), "ties": RNG.poisson(1.0, size=60), "classes": RNG.choice(list("abc"), 60)}


@pytest.mark.parametrize("y", RESPONSES)
@pytest.mark.parametrize("x", COLUMNS)
def test_the_kernel_is_the_sum_of_its_terms(x, y):
    scan = scan_of({"x": COLUMNS[x]}, RESPONSES[y], **({"y_kind": "numeric"} if y == "ties" else {}))
    order = RNG.permutation(60)
    assert scan(order) == pytest.approx(slow(scan, order), rel=1e-9)


@pytest.mark.parametrize(("n", "p"), [(4, 1), (5, 3), (15, 40)])
def test_few_rows(n, p):
    rng = np.random.default_rng(n)
    x, y = rng.integers(0, 3, size=(n, p)).astype(float), rng.normal(size=n)
    x[0] = 5.0
    assert np.isfinite(observe(ColumnScan().prepare(read_independence(x, y), 0)).statistic)


def test_its_parts_are_known_tests():
    x, y = COLUMNS["ties"], RESPONSES["numbers"]
    identity = np.arange(60)
    assert squares(scan_of(x, y), identity)[0, 0] == pytest.approx(59 * spearmanr(x, y).statistic ** 2)
    classes = RESPONSES["classes"]
    groups = [x[classes == name] for name in "abc"]
    assert squares(scan_of(x, classes), identity)[0, 0] == pytest.approx(kruskal(*groups).statistic)
    scores = norm.ppf((rankdata(COLUMNS["numbers"]) - 0.375) / 60.25), norm.ppf((rankdata(y) - 0.375) / 60.25)
    assert squares(scan_of(COLUMNS["numbers"], y), identity)[1, 1] == pytest.approx(
        59 * np.corrcoef(*scores)[0, 1] ** 2
    )
    table = np.array([[((COLUMNS["categories"] == a) & (classes == b)).sum() for b in "abc"] for a in "abcde"])
    expected = chi2_contingency(table, correction=False).statistic * 59 / 60
    assert squares(scan_of({"x": COLUMNS["categories"]}, classes), identity)[:, 0].sum() == pytest.approx(expected)


@pytest.mark.parametrize("x", COLUMNS)
def test_scores_have_variance_one_under_permutation(x):
    scan = scan_of({"x": COLUMNS[x]}, RESPONSES["ties"], y_kind="numeric")
    rng = np.random.default_rng(0)
    mean = np.mean([squares(scan, rng.permutation(60)) for _ in range(2000)], axis=0)
    if scan.column.kinds[0] == "level":  # levels are not centred: each has what the others leave
        counts = np.bincount(scan.column.bins)
        mean = mean / (1 - counts / 60)[:, None]
    lengths = (scan.column.directions**2 * np.bincount(scan.column.bins)).sum(axis=1)
    alive = np.concatenate([np.ones(scan.column.smooth.shape[1], bool), lengths > 0.5])
    assert np.abs(mean[alive] - 1).max() < 0.2


def test_it_keeps_its_level():
    rng = np.random.default_rng(1)
    draws = 400
    pvalues = []
    for _ in range(draws):
        x = np.where(rng.random(40) < 0.1, np.nan, rng.integers(0, 6, size=40))
        y = rng.exponential(size=40)
        pvalues.append(kmerf.independence(x, y, method="scan", null=kmerf.Permutation(19), rng=1).pvalue)
    assert np.mean(np.array(pvalues) <= 0.05) == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / draws))


@pytest.mark.parametrize(
    ("make_x", "make_y"),
    [
        (lambda rng: rng.normal(size=120), lambda x, e: 0.6 * x + e),
        (lambda rng: rng.normal(size=120), lambda x, e: x**2 + e),
        (lambda rng: rng.normal(size=120), lambda x, e: (0.2 + np.abs(x)) * e),
        (lambda rng: rng.uniform(size=120), lambda x, e: 2.0 * (x > 0.8) + e),
        (lambda rng: np.where(rng.random(120) < 0.3, np.nan, 0.0) + rng.normal(size=120), lambda x, e: np.isnan(x) + e),
    ],
)
def test_it_finds_lines_curves_spread_steps_and_what_is_missing(make_x, make_y):
    rng = np.random.default_rng(2)
    x = make_x(rng)
    y = make_y(x, rng.normal(size=120))
    assert kmerf.independence(x, y, method="scan", null=kmerf.Permutation(199), rng=1).pvalue <= 0.01
