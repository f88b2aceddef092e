"""Both questions asked of real data: `python -m kmerf.demo`.

The data ship inside scikit-learn, so nothing is downloaded. All settings are the defaults; only the seed is fixed.
"""

from __future__ import annotations

import io
import sys

import numpy as np

from kmerf.core.errors import installing
from kmerf.questions.hypotheses import independence, ksample
from kmerf.results.single_result import Result

SEED = 1

# scikit-learn calls the blood serum measurements s1 to s6; its description of the data explains them.
_NAMES = {
    "s1": "total cholesterol",
    "s2": "LDL cholesterol",
    "s3": "HDL cholesterol",
    "s4": "cholesterol / HDL",
    "s5": "log triglycerides",
    "s6": "blood sugar",
    "bmi": "body mass index",
    "bp": "blood pressure",
}


def main() -> None:
    """Run the demonstration and print its results."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # the bars are not in every terminal's alphabet
    print("Two questions about real tables that come with scikit-learn, with the default settings.\n", flush=True)
    _show("Diabetes: 442 patients, ten measurements, and their disease a year later", diabetes())
    _show("Wine: 178 wines of three cultivars, 13 chemical measurements", wine())
    print(f"To ask about your own table: {installing('app')}, then kmerf app. The tutorial is docs/tutorial.md.")


def diabetes() -> Result:
    """Test ten measurements of 442 patients against the progression of their disease a year later."""
    from sklearn.datasets import load_diabetes

    data = load_diabetes(scaled=False)
    table = {_NAMES.get(name, name): column for name, column in zip(data.feature_names, data.data.T, strict=True)}
    return independence(table | {"progression": data.target}, "progression", rng=SEED, progress=_watched())


def wine() -> Result:
    """Test whether wines from three cultivars differ in 13 chemical measurements."""
    from sklearn.datasets import load_wine

    data = load_wine()
    table = {name.replace("_", " "): column for name, column in zip(data.feature_names, data.data.T, strict=True)}
    groups = np.array(["first", "second", "third"])[data.target]
    return ksample(table | {"cultivar": groups}, groups="cultivar", rng=SEED, progress=_watched())


def _show(title: str, result: Result) -> None:
    print(f"{title}\n{'=' * len(title)}\n{result}\n", flush=True)


def _watched() -> bool:
    return sys.stderr.isatty()


if __name__ == "__main__":
    main()
