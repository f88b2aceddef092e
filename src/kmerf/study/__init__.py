"""Power and validity studies: how often does a test reject, on data whose answer is known?

A `Study` defines which tests run on which data. `run` computes what its store does not hold yet, so a study
can be stopped, killed, resumed, enlarged and shared by several runs. `power` reads the answer from the store.

>>> import tempfile
>>> from kmerf import KMERF, ForestSpec, study
>>> plan = study.Study(
...     tests={"KMERF": KMERF(ForestSpec(n_trees=20))},
...     data=[study.Simulated("linear", n=30, p=p, kappa=0.0) for p in (1, 2)],
...     replicates=40,
...     seed=1,
... )
>>> with tempfile.TemporaryDirectory() as folder:
...     added = study.run(plan, f"{folder}/linear.sqlite", n_jobs=1)
...     powers = study.power(plan, f"{folder}/linear.sqlite")
>>> added, [(cell.test, cell.data.p, cell.power) for cell in powers]
(80, [('KMERF', 1, 1.0), ('KMERF', 2, 1.0)])
"""

from kmerf.study.calibration import Calibration, check_calibration
from kmerf.study.design import Mixed, Rotated, Simulated, Source, Study
from kmerf.study.estimate import Agreement, Cell, Power, Published, agreement, cells, load, power, timings
from kmerf.study.execute import run

__all__ = [
    "Agreement",
    "Calibration",
    "Cell",
    "Mixed",
    "Power",
    "Published",
    "Rotated",
    "Simulated",
    "Source",
    "Study",
    "agreement",
    "cells",
    "check_calibration",
    "load",
    "power",
    "run",
    "timings",
]
