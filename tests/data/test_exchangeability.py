"""Restricted permutations: what may change places, and what that buys."""

import numpy as np
import pandas as pd
import pytest

import kmerf
from cases import find_pvalue
from kmerf.data.exchangeability import exchange
from kmerf.reading.samples import read_independence, read_ksample

SMALL = kmerf.KMERF(forest=kmerf.ForestSpec(n_trees=40))


def orders(blocks, kind, y, draws=300, inside=None):
    response = read_independence(np.arange(len(y), dtype=float), y).y
    inside = None if inside is None else np.asarray(inside)
    allowed = exchange(None if blocks is None else np.asarray(blocks), kind, response, inside)
    return {tuple(allowed.order(len(y), np.random.default_rng(s)).tolist()) for s in range(draws)}


def test_within_blocks_every_order_of_each_block_and_no_other():
    found = orders([0, 1, 0, 1, 0], "within", [1.0, 2, 3, 4, 5])
    assert len(found) == 6 * 2
    assert all({order[0], order[2], order[4]} == {0, 2, 4} for order in found)


def test_whole_blocks_of_one_size_move_together():
    found = orders([0, 0, 1, 1, 2, 2], "whole", [1.0, 2, 3, 4, 5, 6])
    assert len(found) == 6
    assert all(order[i + 1] == order[i] + 1 for order in found for i in (0, 2, 4))


def test_whole_blocks_of_other_sizes_exchange_the_value_of_y():
    y = np.array([5.0, 5, 5, 7, 9, 9])
    found = orders([0, 0, 0, 1, 2, 2], "whole", y)
    values = {tuple(y[list(order)].tolist()) for order in found}
    assert len(values) == 6
    assert all(len({v[0], v[1], v[2]}) == 1 and v[4] == v[5] for v in values)


@pytest.mark.parametrize(
    ("blocks", "kind", "y", "message"),
    [
        ([0, 1, 2, 3], "within", [1.0, 2, 3, 4], "a different value in every row"),
        ([0, 0, 1, 1], "within", [1.0, 1, 2, 2], "constant within every block"),
        (
            [0, 0, 0, 1],
            "whole",
            [1.0, 2, 3, 4],
            "2 different sizes .1 to 3 rows. and y varies inside",
        ),
        ([0, 0, 0, 0], "whole", [1.0, 2, 3, 4], "blocks has a single value"),
        ([0, 0, 1, 1], "hole", [1.0, 2, 3, 4], "did you mean 'whole'"),
        (None, "whole", [1.0, 2, 3, 4], "exchange='whole' needs blocks"),
    ],
)
def test_exchanges_that_cannot_be_are_refused(blocks, kind, y, message):
    with pytest.raises(kmerf.InputError, match=message):
        orders(blocks, kind, y, draws=1)


def test_whole_blocks_change_places_inside_their_outer_block():
    found = orders([0, 0, 1, 1, 2, 2, 3, 3, 4, 4], "whole", np.arange(10.0), inside=[0] * 4 + [1] * 6)
    assert len(found) == 2 * 6
    assert all(order[i + 1] == order[i] + 1 for order in found for i in range(0, 10, 2))
    assert all(set(order[:4]) == {0, 1, 2, 3} for order in found)


def test_sizes_may_differ_between_outer_blocks():
    found = orders([0, 0, 1, 1, 2, 3, 4], "whole", np.arange(7.0), inside=[0] * 4 + [1] * 3)
    assert len(found) == 2 * 6
    assert all(set(order[4:]) == {4, 5, 6} for order in found)


def test_inside_an_outer_block_values_of_y_move_where_sizes_differ():
    y = np.array([5.0, 5, 5, 7, 9, 9, 8, 8, 4])
    found = orders([0, 0, 0, 1, 2, 2, 3, 3, 4], "whole", y, inside=[0] * 6 + [1] * 3)
    values = {tuple(y[list(order)].tolist()) for order in found}
    assert len(values) == 6 * 2
    assert all(set(v[:6]) == {5.0, 7.0, 9.0} and v[0] == v[1] == v[2] and v[6] == v[7] for v in values)


@pytest.mark.parametrize(
    ("blocks", "y", "inside", "message"),
    [
        ([0, 0, 1, 1], [1.0, 2, 3, 4], [0, 0, 1, 1], "has one inner block in every outer one"),
        ([0, 0, 1, 1], [1.0, 2, 1, 2], [0, 0, 0, 0], "same in all blocks of an outer block"),
        ([0, 0, 1, 2, 2, 3], [1.0, 1, 1, 2, 2, 2], [0, 0, 0, 1, 1, 1], "same in all blocks of an outer block"),
        ([0, 0, 1, 2], [1.0, 2, 3, 4], [0, 0, 0, 1], "2 different sizes"),
    ],
)
def test_blocks_inside_others_that_cannot_change_places_are_refused(blocks, y, inside, message):
    with pytest.raises(kmerf.InputError, match=message):
        orders(blocks, "whole", y, draws=1, inside=inside)


def test_several_columns_are_blocks_inside_blocks():
    labels = pd.DataFrame({"site": list("aaaabbbb"), "plot": [1, 1, 2, 2, 1, 1, 2, 2]})
    sample = read_independence(np.arange(8.0), np.arange(8.0), blocks=labels)
    assert sample.blocks.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]  # plot 1 of site a is not that of site b
    assert sample.inside.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    table = labels.assign(x=np.arange(8.0) % 5, y=np.arange(8.0))
    by_name = read_independence(table, "y", blocks=["site", "plot"], keep=["x"])
    assert by_name.x.names == ("x",)
    assert by_name.blocks.tolist() == sample.blocks.tolist()
    assert by_name.inside.tolist() == sample.inside.tolist()
    crossed = read_independence(np.arange(8.0), np.arange(8.0), blocks=labels[["plot", "site"]])
    assert crossed.inside.tolist() == [0, 0, 1, 1, 0, 0, 1, 1]


def test_columns_of_samples_name_blocks_inside_blocks():
    part = pd.DataFrame({"v": [1.0, 2.0, 4.0, 3.0], "site": list("aabb"), "plot": [1, 2, 1, 2]})
    sample = read_ksample(part, part.assign(v=[3.0, 5.0, 1.0, 0.0]), blocks=["site", "plot"])
    assert sample.x.names == ("v",)
    assert sample.blocks.tolist() == [0, 1, 2, 3] * 2
    assert sample.inside.tolist() == [0, 0, 1, 1] * 2


def plots_in_sites(seed, sites=8, plots=4, size=4):
    """x and y have levels of sites and of plots; y is a treatment of plots, chosen inside sites."""
    rng = np.random.default_rng(seed)
    site, plot = np.repeat(np.arange(sites), plots * size), np.repeat(np.arange(sites * plots), size)
    fertile = rng.normal(size=sites)
    share = 1 / (1 + np.exp(-1.5 * fertile))  # the better the site, the more of its plots are treated
    treated = rng.random(sites * plots) < np.repeat(share, plots)
    x = 2.0 * fertile[site] + 1.5 * rng.normal(size=sites * plots)[plot] + 0.2 * rng.normal(size=site.size)
    return x[:, None], np.where(treated[plot], "treated", "control"), site, plot


def test_plots_inside_sites_keep_the_level_where_other_exchanges_do_not():
    rates = {}
    designs = {
        "rows": lambda site, plot: {},
        "rows of sites": lambda site, plot: {"blocks": site},
        "plots": lambda site, plot: {"blocks": plot, "exchange": "whole"},
        "plots of sites": lambda site, plot: {"blocks": np.column_stack([site, plot]), "exchange": "whole"},
    }
    for name, design in designs.items():
        pvalues = []
        for seed in range(60):
            x, y, site, plot = plots_in_sites(seed)
            options = design(site, plot)
            sample = read_independence(x, y, blocks=options.pop("blocks", None))
            pvalues.append(find_pvalue(sample, "dcorr", kmerf.Permutation(39), seed, **options))
        rates[name] = float(np.mean(np.array(pvalues) <= 0.05))
    assert min(rates["rows"], rates["rows of sites"], rates["plots"]) > 0.15
    assert rates["plots of sites"] < 0.15  # 0.05 expected, standard error 0.028


def confounded(seed, blocks=12, size=5):
    """x and y share a level in each block and have nothing else to do with each other."""
    rng = np.random.default_rng(seed)
    block = np.repeat(np.arange(blocks), size)
    level = rng.normal(size=blocks)[block]
    x = level[:, None] + 0.5 * rng.normal(size=(block.size, 2))
    return x, level + 0.5 * rng.normal(size=block.size), block


def test_blocks_keep_the_level_where_free_exchange_does_not():
    free, kept = [], []
    for seed in range(40):
        x, y, block = confounded(seed)
        for values, blocks in ((free, None), (kept, block)):
            sample = read_independence(x, y, blocks=blocks)
            values.append(find_pvalue(sample, SMALL, kmerf.Permutation(19), seed))
    whole = kmerf.independence(x, y, blocks=block, method=SMALL, null=kmerf.Permutation(19), rng=seed)
    assert whole.pvalue == kept[-1]
    assert np.mean(np.array(free) <= 0.05) > 0.9
    assert np.mean(np.array(kept) <= 0.05) < 0.2  # 0.05 expected, standard error 0.034


def test_a_column_of_the_table_can_name_the_blocks():
    x, y, block = confounded(0)
    frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "subject": [f"s{k}" for k in block], "y": y})
    by_name = kmerf.independence(frame, "y", blocks="subject", method=SMALL, rng=1)
    by_labels = kmerf.independence(x, y, blocks=block, method=SMALL, rng=1)
    assert by_name.importances.names == ("a", "b")
    assert by_name.settings["blocks"] == 12
    assert by_name.null.distribution.tolist() == by_labels.null.distribution.tolist()
    assert by_name.statistic == by_labels.statistic


def test_paired_samples():
    rng = np.random.default_rng(3)
    before = rng.normal(size=(40, 1)) * 5
    after = before + 0.3 + 0.1 * rng.normal(size=(40, 1))
    subjects = np.arange(40)
    paired = kmerf.ksample(before, after, blocks=[*subjects, *subjects], null=kmerf.Permutation(99), rng=0)
    frames = [pd.DataFrame({"v": part[:, 0], "id": subjects}) for part in (before, after)]
    by_name = kmerf.ksample(*frames, blocks="id", null=kmerf.Permutation(99), rng=0)
    assert paired.pvalue == by_name.pvalue
    assert paired.null.distribution.tolist() == by_name.null.distribution.tolist()


@pytest.mark.parametrize("method", [SMALL, kmerf.baselines.Dcorr()])
def test_whole_blocks_of_different_sizes_with_constant_y(method):
    rng = np.random.default_rng(0)
    block = np.repeat(np.arange(20), rng.integers(2, 6, 20))
    y = rng.normal(size=20)[block]
    x = y[:, None] + 0.3 * rng.normal(size=(block.size, 2))
    test = {"method": method, "null": kmerf.Permutation(39), "exchange": "whole"}
    assert find_pvalue(read_independence(x, y, blocks=block), **test) == 1 / 40
    noise = rng.normal(size=(block.size, 1))
    assert find_pvalue(read_independence(noise, y, blocks=block), **test) > 1 / 40


def test_a_precomputed_kernel_cannot_follow_blocks_of_different_sizes():
    block = np.repeat([0, 1, 2, 3], [2, 3, 4, 5])
    y = np.array([1.0, 3.0, 2.0, 5.0])[block]
    matrix = -np.abs(y[:, None] - y[None])
    with pytest.raises(kmerf.InputError, match="precomputed y_kernel cannot follow y"):
        kmerf.independence(
            np.arange(14.0), y, blocks=block, exchange="whole", method=kmerf.KMERF(y_kernel=np.exp(matrix))
        )


def test_p_values_know_how_few_arrangements_there_are():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=58), [40.0, 41.0]])
    result = kmerf.ksample(x, groups=np.repeat([0, 1], [58, 2]), method="dcorr", null=kmerf.Extrapolated(), rng=0)
    assert result.pvalue == pytest.approx(1 / 1770)


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([1, 2], "blocks has 2 rows but x has 60"),
        ([None, *range(59)], "blocks is missing in 1 rows"),
        ("subjekt", "blocks"),
    ],
)
def test_bad_blocks_are_refused(blocks, message):
    x, y, _ = confounded(0)
    with pytest.raises(kmerf.InputError, match=message):
        kmerf.independence(x, y, blocks=blocks, method=SMALL)


def test_a_table_of_blocks_alone_is_refused():
    with pytest.raises(kmerf.InputError, match="no columns besides blocks"):
        kmerf.independence(pd.DataFrame({"id": [1, 1, 2, 2]}), [1.0, 2, 3, 4], blocks="id")
    frames = [pd.DataFrame({"id": [1, 2]}), pd.DataFrame({"id": [1, 2]})]
    with pytest.raises(kmerf.InputError, match="no columns besides blocks"):
        kmerf.ksample(*frames, blocks="id")


def test_chi_square_knows_no_blocks():
    x, y, block = confounded(0)
    with pytest.raises(kmerf.InputError, match="with blocks, use null=Permutation"):
        kmerf.independence(x, y, blocks=block, null=kmerf.ChiSquare())
