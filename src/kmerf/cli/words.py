"""Texts of the library in the words of the command line, fit for a terminal (`kmerf.core.safe_text`)."""

from __future__ import annotations

import re

from kmerf.core.safe_text import clean as clean
from kmerf.core.safe_text import short as short

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""  # as repr does it
# What the library's messages call things, and what the command line does.
_OPTIONS = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"pass y_kind='categorical'", "pass --categorical with its name"),
        (r"y_kind='numeric'", "y is to be numeric"),
        (rf"pass categorical=\[({_QUOTED})\]", r"pass --categorical \1"),
        (r"null=ChiSquare\(\)", "--null chi-square"),
        (r"null=Permutation\(\)", "--null permutation"),
        (r"null=Permutation\((\d+)\)", r"--null permutation --resamples \1"),
        (r"exchange='(\w+)'", r"--exchange \1"),
        (r"\bn_resamples=", "--resamples "),
        (r"\bn_trees=", "--trees "),
        (r"\bn_jobs=", "--jobs "),
        (r"\breplicates=", "--null-runs "),
        (r"\brng=", "--seed "),
        (r"\bfdr=", "--fdr "),
        (r"^groups: ", "--groups: "),
        (r"^blocks (?=has|have|is)", "--blocks "),
    )
)
_OURS = "|".join(f"(?P<option{i}>{pattern.pattern})" for i, (pattern, _) in enumerate(_OPTIONS))
_OURS_OR_QUOTED = re.compile(rf"{_OURS}|(?<!\w)(?P<quoted>{_QUOTED})")  # what follows a letter is an apostrophe


def one_line(text: str) -> str:
    """Return a message on one line."""
    return clean(re.sub(r"\s*\n\s*", " ", text.strip()))


def in_options(text: str) -> str:
    """Say what the library says in the words of the command line; names and values in quotes stay as they are.

    >>> in_options("y is read as numeric; pass y_kind='categorical' if they are class codes.")
    'y is read as numeric; pass --categorical with its name if they are class codes.'
    >>> in_options("rng=-1 must be positive, and 'rng=-1' is a name.")
    "--seed -1 must be positive, and 'rng=-1' is a name."
    """
    return _OURS_OR_QUOTED.sub(_translated, text)


def _translated(found: re.Match[str]) -> str:
    if found.lastgroup is None or found.lastgroup == "quoted":
        return found[0]
    pattern, words = _OPTIONS[int(found.lastgroup.removeprefix("option"))]
    ours = pattern.match(found.string, found.start())
    return found[0] if ours is None else ours.expand(words)
