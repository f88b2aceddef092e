"""What changed in a column, and between two."""

import numpy as np
import pytest
from scipy import stats

import kmerf
from changed_tables import CHANGES, table
from kmerf.comparing.column_changes import _level, _number_effect, _shape, changed_pairs, describe_column
from kmerf.comparing.matching import ReadingOptions, match, read_side


@pytest.mark.parametrize("kind", CHANGES)
def test_each_kind_of_change_has_its_name(kind):
    name, change = CHANGES[kind]
    c = kmerf.compare(table(500, 1), table(500, 2, **{name: change}))
    assert c.columns[0].name == name
    assert c.columns[0].kind == kind
    assert c.changed == (name,)
    assert c.columns[0].low <= c.columns[0].effect <= c.columns[0].high


def test_effects_are_in_the_unit_of_their_kind():
    options = ReadingOptions()
    found = {}
    for kind, (name, change) in CHANGES.items():
        tables = table(4000, 1), table(4000, 2, **{name: change})
        sample, schema, _ = match(*(read_side("x", each, 10**6, 0, options) for each in tables), options)
        j, new = sample.x.names.index(name), sample.y.codes == 1
        found[kind] = describe_column(sample.x, j, new, kind, 0.0, 0.0, schema.new_levels.get(name, ()))
    assert found["level"].effect == pytest.approx(0.8, abs=0.08)
    assert found["spread"].effect == pytest.approx(2.0, abs=0.12)
    assert found["unit"].effect == pytest.approx(2.54, abs=0.1)
    assert found["missingness"].effect == pytest.approx(0.2, abs=0.03)
    assert found["new levels"].effect == pytest.approx(0.1, abs=0.02)
    assert found["rounding"].effect == pytest.approx(1.0, abs=0.05)
    assert found["shares"].after.startswith("z:")


def test_both_shares_have_as_many_decimals():
    old, new = np.repeat([0.0, 1.0], [160, 40]), np.repeat([0.0, 1.0], [190, 10])
    arm = np.array(["a", "b"])
    change = kmerf.compare({"arm": arm[old.astype(int)]}, {"arm": arm[new.astype(int)]}).columns[0]
    assert {(change.before, change.after)} <= {("a: 80.0 %", "a: 95.0 %"), ("b: 20.0 %", "b: 5.0 %")}


def test_the_interval_of_the_level_covers_as_often_as_it_says():
    inside = 0
    for r in range(200):
        rng = np.random.default_rng(r)
        found = _level(rng.normal(size=60), rng.normal(0.5, 1, 60))
        inside += found.low <= 0.5 <= found.high
    assert inside >= 180


def test_shape_is_the_distance_of_kolmogorov_and_smirnov():
    rng = np.random.default_rng(0)
    old, new = rng.normal(size=80), rng.exponential(size=70)
    found = stats.ks_2samp(old, new)
    assert _shape(old, new).value == pytest.approx(-found.statistic_sign * found.statistic)
    assert _shape(new, old).value == pytest.approx(found.statistic_sign * found.statistic)


def test_shares_move_as_the_effect_of_a_shape_says():
    rng = np.random.default_rng(0)
    old = rng.normal(size=400)
    new = np.where(rng.random(400) < 0.05, 6.0, rng.normal(size=400))
    found = _shape(old, new)
    assert found.low < found.value < found.high < 0.0
    assert (found.before, found.after) == ("up to 3.07: 100 %", "up to 3.07: 96.5 %")


def test_a_unit_of_numbers_of_both_signs_has_an_interval():
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(200):
        old, new = rng.normal(4, 1, 300), 5.0 * rng.normal(4, 1, 300)
        old[0] = -1.0
        found = _number_effect(old, new, "level")
        inside += found.kind == "unit" and found.low < 5.0 < found.high
    assert inside >= 180


def test_a_shift_of_skewed_numbers_is_not_called_a_unit():
    rng = np.random.default_rng(0)
    kinds = [_number_effect(rng.gamma(1.5, 1.0, 200), rng.gamma(1.0, 1.0, 200), "level").kind for _ in range(50)]
    assert kinds.count("unit") <= 2


def test_a_column_that_is_constant_now_has_no_other_unit():
    rng = np.random.default_rng(0)
    assert _number_effect(rng.lognormal(3, 0.1, 400), np.full(400, 2.0), "level").kind == "level"


def test_a_unit_or_a_shift_that_changes_decimals_is_not_rounding():
    rng = np.random.default_rng(0)
    old, new = rng.gamma(9, 10, (2, 400)).round(2)
    assert _number_effect(old, (100 * new).round(), "rounding").kind == "unit"
    assert _number_effect(old, (new + 20).round(1), "rounding").kind == "level"
    assert _number_effect(old, new.round(), "rounding").kind == "rounding"


def test_a_level_that_did_not_move_is_a_shape():
    rng = np.random.default_rng(0)
    old, new = rng.normal(1, 1, 400), rng.exponential(1, 400)
    assert _number_effect(old, new, "level").kind == "shape"
    assert _number_effect(old, new, "level", sure=False).kind == "level"


def test_one_value_that_became_common_is_named():
    rng = np.random.default_rng(0)
    old, new = rng.normal(150, 20, (2, 400)).round(2)
    filled = _number_effect(old, np.where(rng.random(400) < 0.1, 150.0, new), "rounding")
    assert (filled.kind, filled.before[:13], filled.after[:13]) == ("shape", "equal to 150:", "equal to 150:")
    assert _shape(old, np.where(rng.random(400) < 0.1, 150.0, new)).after.startswith("equal to 150:")
    assert _number_effect(old, np.minimum(new, 180.0), "rounding").after.startswith("equal to 180:")


def test_columns_that_changed_places_are_pointed_out():
    rng = np.random.default_rng(0)
    tables = [{"a": rng.normal(10, 1, 100), "b": rng.normal(50, 9, 100), "c": rng.normal(0, 1, 100)} for _ in range(2)]
    old, new = tables
    note = "Columns may have changed places: 'a' is like the old 'b', 'b' is like the old 'a'."
    assert kmerf.compare(old, {"a": new["b"], "b": new["a"], "c": new["c"]}).notes == (note,)
    assert kmerf.compare(old, new | {"a": new["a"] + 40}).notes == ()


def test_pairs_do_not_see_what_single_columns_do():
    """A column that is shifted and stretched goes with the other as before."""
    called = 0
    for r in range(40):
        options = ReadingOptions()
        new = table(200, 2 * r + 1, a=lambda v, rng: 3 * v + 100)
        sides = [read_side("x", each, 10**6, 0, options) for each in (table(200, 2 * r), new)]
        sample = match(*sides, options).sample
        called += changed_pairs(sample.x, sample.y.codes == 1, 0.0, r)[0].adjusted <= 0.05
    assert called <= 6


def test_columns_that_only_go_together_otherwise_are_named():
    c = kmerf.compare(table(400, 1), table(400, 2, b=lambda v, rng: rng.permutation(v)))
    pair = c.changed_pairs[0]
    assert {pair.first, pair.second} == {"a", "b"}
    assert pair.before > 0.6 > abs(pair.after)
    kinds = {each.name: each.kind for each in c.columns}
    assert kinds["a"] == kinds["b"] == "only jointly"
    assert c.changed == ()
