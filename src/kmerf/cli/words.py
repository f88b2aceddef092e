"""Texts of the library in the words of the command line, fit for a terminal (`kmerf.plain`)."""

from __future__ import annotations

import re

from kmerf.plain import clean as clean
from kmerf.plain import short as short

# What the library's messages call things, and what the command line does.
_OPTIONS = (
    (r"pass y_kind='categorical'", "pass --categorical with its name"),
    (r"y_kind='numeric'", "y is to be numeric"),
    (r"pass categorical=\[('[^']*'|\"[^\"]*\")\]", r"pass --categorical \1"),
    (r"null=ChiSquare\(\)", "--null chi-square"),
    (r"null=Permutation\(\)", "--null permutation"),
    (r"null=Permutation\((\d+)\)", r"--null permutation --resamples \1"),
    (r"exchange='(\w+)'", r"--exchange \1"),
    (r"n_resamples=", "--resamples "),
    (r"n_trees=", "--trees "),
    (r"n_jobs=", "--jobs "),
    (r"replicates=", "--null-runs "),
    (r"\brng=", "--seed "),
    (r"\bfdr=", "--fdr "),
    (r"^groups: ", "--groups: "),
    (r"^blocks (?=has|have|is)", "--blocks "),
)


def one_line(text: str) -> str:
    """Return a message on one line, in the words of the command line."""
    return clean(in_options(re.sub(r"\s*\n\s*", " ", text.strip())))


def in_options(text: str) -> str:
    """Say what the library says in the words of the command line.

    >>> in_options("y is read as numeric; pass y_kind='categorical' if they are class codes.")
    'y is read as numeric; pass --categorical with its name if they are class codes.'
    """
    for pattern, words in _OPTIONS:
        text = re.sub(pattern, words, text)
    return text
