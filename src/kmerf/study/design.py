"""Which code computed a row. A resumed store must not mix engines, so the answer is part of every cell's key.

It is the version of kmerf and a digest (`kmerf.storage.provenance`) of the sources that the row depends on: the modules
of kmerf that define the classes in the test's settings, `kmerf.study.replicate` and `kmerf.study.sources`, and whatever
these import of kmerf, but for what is `HARMLESS`. Rows of other code stay in the store, unread.

What a study is: tests, data, replicates and a seed. And how its parts are known to the store.

A *cell* is one test on one source of data. Its key is the canonical JSON of the settings of both, the seed of the
study, and the code that computes it (`kmerf.study.design`). Labels are not part of it, nor is the number of
replicates: a study can be renamed, reordered or enlarged and keeps what has been computed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from kmerf.core.errors import InputError, choose, whole
from kmerf.core.settings import walk
from kmerf.storage import provenance
from kmerf.storage.provenance import canonical as canonical
from kmerf.storage.provenance import code_version, home, own_modules

if TYPE_CHECKING:
    from kmerf.methods.protocol import Method
    from kmerf.nulls.definitions import Null
    from kmerf.study.sources import Source

ALWAYS = frozenset({"kmerf.study.replicate", "kmerf.study.sources"})
JUDGING = frozenset({"kmerf.nulls.judging", "kmerf.nulls.definitions"})
# They cannot change a statistic; the design of a study is in the keys. A null counts for tests that have one.
HARMLESS = provenance.HARMLESS | {"kmerf.nulls.judging", "kmerf.study.design"}


def code(test: Any) -> str:
    """Return the version of all that the rows of a method and a null depend on; not on how nulls judge, without one."""
    return code_version(test, rests_on(test), HARMLESS)


def rests_on(test: Any) -> frozenset[str]:
    """Return the modules of kmerf that the rows of a method and a null rest on, with all that these import."""
    return ALWAYS | own_modules(test) | (frozenset() if test[1] is None else JUDGING)


def is_current(test: Any, expected: str) -> bool:
    """Tell whether this process has the expected code; what a script defines travels to workers as it is."""
    return any(type(part).__module__ == "__main__" for part in walk(test)) or code(test) == expected


class StudyTest(NamedTuple):
    """A method, and the null of its own p-value, if any."""

    method: Method
    null: Null | None


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
        if not self.tests or not self.data:
            raise InputError("A study needs at least one entry in tests and one in data.")
        for label, method in self.tests.items():
            _usable(f"tests[{label!r}]", method, "prepare", "kmerf.KMERF()")
        for label, null in self.pvalue.items():
            choose("pvalue", label, self.tests)
            _usable(f"pvalue[{label!r}]", null, "judge", "kmerf.ChiSquare()")
        for source in self.data:
            _usable("data", source, "draw", "kmerf.study.Simulated('linear')")
        if len({canonical(source) for source in self.data}) < len(self.data):
            raise InputError("data holds the same source twice: drop one, or raise replicates.")

    @property
    def cells(self) -> list[tuple[str, Source]]:
        """All pairs of a test's label and a source."""
        return [(label, source) for source in self.data for label in self.tests]

    def test(self, label: str) -> StudyTest:
        """Return the method with its null."""
        return StudyTest(self.tests[label], self.pvalue.get(label))

    def keys(self) -> dict[tuple[str, str], Key]:
        """Return the key of every cell, by label and canonical source."""
        tests = {label: (code(self.test(label)), identity(self.test(label))) for label in self.tests}
        sources = [canonical(source) for source in self.data]
        return {(k, s): Key(*tests[k], s, str(self.seed)) for s in sources for k in self.tests}


def identity(test: StudyTest) -> str:
    """Return what tells a test from all others: its method's settings and home, and its null's."""
    parts = [None if part is None else [home(type(part)), canonical(part)] for part in test]
    return json.dumps(parts, separators=(",", ":"))


def _usable(argument: str, value: Any, attribute: str, remedy: str) -> None:
    if isinstance(value, type) or not hasattr(value, attribute):
        raise InputError(f"{argument}={value!r} cannot be used: pass a value such as {remedy}.")
    canonical(value)
