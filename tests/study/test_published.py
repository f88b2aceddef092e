"""Our simulations and rivals against the published tables, where those are at hand."""

import csv
from pathlib import Path

import numpy as np
import pytest

from kmerf import ChiSquare, simulations
from kmerf.baselines import Dcorr
from kmerf.study import Published, Simulated, Study, agreement, power, run

TABLE = Path(__file__).resolve().parents[3] / "shared" / "data" / "published" / "independence_power_vs_d.csv"

pytestmark = pytest.mark.skipif(not TABLE.exists(), reason="the published tables are not part of this repository")


def table() -> dict[tuple[str, str, int], float]:
    with TABLE.open(newline="") as file:
        return {(row["simulation"], row["test"], int(row["x"])): float(row["power"]) for row in csv.DictReader(file)}


def test_names_and_dimensions_are_those_of_the_table():
    known = table()
    assert {name for name, _, _ in known} == set(simulations.SIMULATIONS)
    for name in simulations.SIMULATIONS:
        assert sorted({x for other, _, x in known if other == name}) == list(simulations.dimension_grid(name))


def test_dcorr_has_its_published_power(tmp_path):
    # Cells whose power tells the published formulas from the paper's. Eight pairs, so |z| < 4 fails by chance once in
    # two thousand runs, and the seed is fixed.
    cells = [
        ("joint_normal", 6),
        ("circle", 3),
        ("multiplicative_noise", 6),
        ("spiral", 8),
        ("spiral", 20),
        ("sin_four_pi", 6),
        ("square", 3),
        ("logarithmic", 13),
    ]
    sources = [Simulated(name, 100, p, 0.0, "published") for name, p in cells]
    plan = Study({"Dcorr": Dcorr(scale="units")}, sources, 400, seed=5, pvalue={"Dcorr": ChiSquare()})
    run(plan, tmp_path / "s.sqlite", n_jobs=1, backend="threads")
    ours = [found for found in power(plan, tmp_path / "s.sqlite", n_bootstrap=50) if found.rule == "pvalue"]
    known = table()
    pairs = agreement(ours, [Published(known[found.data.name, "Dcorr", found.data.p], 2305) for found in ours])
    assert np.abs([pair.z for pair in pairs]).max() < 4
