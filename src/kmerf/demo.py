"""Both questions asked of real data: `python -m kmerf.demo`.

The data ship inside scikit-learn, so nothing is downloaded. All settings are the defaults; only the seed is fixed.
"""

from __future__ import annotations

import io
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kmerf.questions.independence import independence
from kmerf.questions.ksample import ksample
from kmerf.results.single_result import Result
from kmerf.show.numbers import PLAIN
from kmerf.show.verdict import verdict

SEED = 1

_FOOTNOTE = (
    "The importance of a feature is the share of the variance of y that trees no longer predict, for unseen rows, when "
    "the feature is permuted. If no permuted statistic is as large as the observed one, p is at most the smallest "
    "value that so many permutations can show; a smaller value from the tail model is only approximate."
)

# scikit-learn calls the blood serum measurements s1 to s6; its description of the data says what they are.
_NAMES = {
    "s1": "s1 total cholesterol",
    "s2": "s2 LDL cholesterol",
    "s3": "s3 HDL cholesterol",
    "s4": "s4 cholesterol / HDL",
    "s5": "s5 log triglycerides",
    "s6": "s6 blood sugar",
    "bmi": "body mass index",
    "bp": "blood pressure",
}


def main() -> None:
    """Run the demonstration and print its results."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # the bars are not in every terminal's alphabet
    print("Two tests on real data. Each grows forests, and grows them again for every permutation.")
    print("The first run on a machine also compiles the kernels.\n", flush=True)
    _show("Diabetes: does disease progression depend on a patient's measurements?", diabetes(), "disease progression")
    _show("Wine: do the wines of three cultivars differ in their chemistry?", wine(), "cultivar")
    print(textwrap.fill(_FOOTNOTE, width=100))


def diabetes() -> Result:
    """Test ten measurements of 442 patients against the progression of their disease a year later."""
    from sklearn.datasets import load_diabetes

    data = load_diabetes(scaled=False)
    result = independence(data.data, data.target, rng=SEED, progress=_watched())
    return _named(result, [_NAMES.get(name, name) for name in data.feature_names])


def wine() -> Result:
    """Test whether wines from three cultivars differ in 13 chemical measurements."""
    from sklearn.datasets import load_wine

    data = load_wine()
    groups = np.array(["cultivar 1", "cultivar 2", "cultivar 3"])[data.target]
    result = ksample(data.data, groups=groups, rng=SEED, progress=_watched())
    return _named(result, [name.replace("_", " ") for name in data.feature_names])


def _show(title: str, result: Result, y: str) -> None:
    answer = textwrap.fill(f"In plain words: {verdict(result, y, PLAIN)}", width=100)
    print(f"{title}\n{'=' * len(title)}\n{result}\n{answer}\n", flush=True)


def _named(result: Result, names: Sequence[str]) -> Result:
    """Give features that came as a plain array their names; a dataframe would have brought them along."""
    assert result.importances is not None
    return replace(result, importances=replace(result.importances, names=tuple(names)))


def _watched() -> bool:
    return sys.stderr.isatty()


if __name__ == "__main__":
    main()
