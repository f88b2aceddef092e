"""What a study is: tests, data, replicates and a seed, and how the store knows its parts.

A *cell* is one test on one source of data. Its key is the canonical JSON of the settings of both, the seed of the
study, and the version of the code (`kmerf.storage.provenance`). Labels and the number of replicates are not part of
it: a study can be renamed, reordered or enlarged and keeps what has been computed. Rows of other code stay in the
store, unread.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from kmerf.core.errors import Argument, InputError, choose, whole
from kmerf.core.settings import walk
from kmerf.storage.provenance import canonical, code_version, home

if TYPE_CHECKING:
    from kmerf.methods.protocol import Method
    from kmerf.nulls.definitions import Null
    from kmerf.study.sources import Source


class StudyTest(NamedTuple):
    """A method, and the null of its own p-value, if any."""

    method: Method
    null: Null | None

    def is_current(self, code: str) -> bool:
        """Return whether this process has the code of a store; what a script defines travels to workers as it is."""
        return any(type(part).__module__ == "__main__" for part in walk(self)) or code_version(self) == code

    @property
    def identity(self) -> str:
        """What sets the test apart from all others: the settings and the home of its method and of its null."""
        parts = [None if part is None else [home(type(part)), canonical(part)] for part in self]
        return json.dumps(parts, separators=(",", ":"))


class Key(NamedTuple):
    """How the store knows a cell."""

    code: str
    test: str
    data: str
    seed: str


@dataclass(frozen=True)
class Study:
    """Which tests meet which data, and how often.

    Parameters
    ----------
    tests
        The methods, each by a short label.
    data
        The sources: `Simulated`, `Rotated`, `Mixed`, or your own.
    replicates
        Data sets drawn from each source. All tests see the same ones.
    seed
        Where all randomness comes from.
    pvalue
        The nulls of tests whose own p-value is wanted too, by label: `{"Dcorr": ChiSquare()}`.

    >>> from kmerf import KMERF
    >>> from kmerf.study import Simulated
    >>> Study({"KMERF": KMERF()}, [Simulated("linear")], replicates=500, seed=1).cells
    [('KMERF', Simulated(name='linear', n=100, p=3, kappa=1.0, definition='paper'))]

    """

    tests: Mapping[str, Method]
    data: Sequence[Source]
    replicates: int = 500
    seed: int = 0
    pvalue: Mapping[str, Null] = field(default_factory=dict)

    def __post_init__(self) -> None:
        whole("replicates", self.replicates)
        whole("seed", self.seed, at_least=0)
        for name in ("tests", "pvalue"):
            object.__setattr__(self, name, dict(getattr(self, name)))
        object.__setattr__(self, "data", tuple(self.data))
        for name in ("tests", "data"):
            if not getattr(self, name):
                raise InputError("is empty", argument=name, remedy="a study needs at least one test and one source")
        for label, method in self.tests.items():
            _check(f"tests[{label!r}]", method, "prepare", "kmerf.KMERF()")
        for label, null in self.pvalue.items():
            choose("pvalue", label, self.tests)
            _check(f"pvalue[{label!r}]", null, "judge", "kmerf.ChiSquare()")
        for source in self.data:
            _check("data", source, "draw", "kmerf.study.Simulated('linear')")
        if len({canonical(source) for source in self.data}) < len(self.data):
            raise InputError("holds the same source twice", argument="data", remedy="drop one, or raise replicates")

    @property
    def cells(self) -> list[tuple[str, Source]]:
        """All pairs of a test's label and a source."""
        return [(label, source) for source in self.data for label in self.tests]

    def test(self, label: str) -> StudyTest:
        """Return the method with its null."""
        return StudyTest(self.tests[label], self.pvalue.get(label))

    def keys(self) -> dict[tuple[str, str], Key]:
        """Return the key of every cell, by label and canonical source."""
        tests = {label: self.test(label) for label in self.tests}
        known_by = {label: (code_version(test), test.identity) for label, test in tests.items()}
        sources = [canonical(source) for source in self.data]
        return {(k, s): Key(*known_by[k], s, str(self.seed)) for s in sources for k in self.tests}


def _check(argument: str, value: Any, attribute: str, example: str) -> None:
    if isinstance(value, type) or not hasattr(value, attribute):
        remedy = f"pass a value such as {example}"
        raise InputError("cannot be used", argument=Argument(argument, value), remedy=remedy)
    canonical(value, argument)
