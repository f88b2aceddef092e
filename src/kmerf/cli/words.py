"""Text that is fit to print. Names and cells are hostile: what a terminal would obey is shown, not sent."""

from __future__ import annotations

import re
import unicodedata

# Controls, invisible marks that reorder or hide text, lone surrogates, and separators of lines.
_UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}

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


def clean(text: str) -> str:
    r"""Return a text with everything that is not plain to see spelled out.

    >>> print(clean("red \x1b[31m [bold] \u202e end"))
    red \x1b[31m [bold] \u202e end
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if unicodedata.category(c) not in _UNSAFE else _spelled(c) for c in text)


def _spelled(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


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


def short(text: str, most: int = 28) -> str:
    """Return a name as it is shown: clean, and cut in the middle if it is long.

    >>> short("a_very_long_name_of_a_column_indeed", 20)
    'a_very_lon…mn_indeed'
    """
    text = clean(text)
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most - most // 2 - 1) :]}"
