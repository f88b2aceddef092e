"""What a study is: tests, data, replicates and a seed, and how the store knows its parts.

A *cell* is one test on one source of data. Its key is the canonical JSON of the settings of both, the seed of the
study, and the version of the code (`kmerf.storage.provenance`). Labels and the number of replicates are not part of
it: a study can be renamed, reordered or enlarged and keeps what has been computed. Rows of other code stay in the
store, unread.

One replicate: a data set, and what each test finds on it.

All randomness comes from the seed of the study, the source of the data and the number of the replicate; none of it
from the test, so that all tests see the same data, and the same permutation of y. What a replicate gives is
therefore the same in whatever order, company, process or back end it is computed.

A *source* is where the data come from: a value that can draw a sample as often as one likes. It is known by its
settings: two that are equal give the same data, in every study with the same seed. Your own can be any frozen dataclass
with a `name`, `n`, `p` and a `draw`.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from kmerf import simulations
from kmerf.core.errors import Argument, InputError, KmerfError, choose, whole
from kmerf.core.settings import walk
from kmerf.data.exchangeability import exchange
from kmerf.data.sample import FEWEST_ROWS
from kmerf.execution import parallel
from kmerf.execution.parallel import one_thread
from kmerf.methods.protocol import check_chi_square, observe
from kmerf.nulls.judging import Run, judge_fit
from kmerf.reading import samples
from kmerf.simulations.relations import DEFINITIONS
from kmerf.simulations.two_sample import NOISE_COLUMNS
from kmerf.storage.provenance import canonical, code_version, home

if TYPE_CHECKING:
    from kmerf.data.sample import Sample
    from kmerf.methods.protocol import Method
    from kmerf.nulls.definitions import Null


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


class ReplicateStreams(NamedTuple):
    """The seeds of a replicate's data, of its permutation, and of the tests' own random choices."""

    data: int
    order: int
    method: int


class ReplicateRow(NamedTuple):
    """What one test found in one replicate: one of its statistics, numbered by its part, if it combines several."""

    cell: int
    replicate: int
    part: int
    weight: float
    """How much the part counts (`kmerf.nulls.definitions`)."""
    statistic: float
    permuted: float
    pvalue: float | None
    seconds: float


class Item(NamedTuple):
    """A replicate to compute: which tests, by their cells, do not have it yet."""

    replicate: int
    cells: tuple[int, ...]


def streams(seed: int, source: str, replicate: int) -> ReplicateStreams:
    """Return the seeds of a replicate; `source` is the canonical form of the source.

    >>> streams(1, "a", 0) == streams(1, "a", 0), streams(1, "a", 0) == streams(1, "a", 1)
    (True, False)
    """
    digest = hashlib.blake2b(f"{seed}\n{source}\n{replicate}".encode(), digest_size=40).digest()
    data, order, method = (int.from_bytes(digest[k : k + 16], "big") for k in (0, 16, 32))
    return ReplicateStreams(data, order, method >> 11)  # below 2^53, as every seed of a method


@dataclass(frozen=True)
class Batch:
    """Some replicates of one source; a value, so that it can be sent to a worker."""

    source: Source
    seed: int
    tests: dict[int, StudyTest]
    """The tests by their cells."""
    items: Sequence[Item]
    codes: dict[int, str]
    """The code of each test, as it stands in the store."""
    parent: int
    """The process that writes."""
    seconds: float
    """The time after which to come back with what there is; at least one replicate is computed."""

    def __call__(self) -> list[ReplicateRow]:
        """Return the rows of all replicates that there was time for."""
        if os.getpid() != self.parent:
            one_thread()  # for good: this process is a worker
            self._same_code()
        key = canonical(self.source)
        rows, end = list[ReplicateRow](), time.monotonic() + self.seconds
        for item in self.items:
            parallel.checkpoint()
            if rows and time.monotonic() > end:
                break
            try:
                rows += self._replicate(key, item)
            except Exception as error:
                error.add_note(f"in replicate {item.replicate} of {self.source}, with seed {self.seed}")
                raise
        return rows

    def _replicate(self, key: str, item: Item) -> list[ReplicateRow]:
        seeds = streams(self.seed, key, item.replicate)
        sample = self.source.draw(np.random.default_rng(seeds.data))
        order = np.random.default_rng(seeds.order).permutation(sample.n)
        tested = [_rows(self.tests[cell], cell, item.replicate, sample, order, seeds.method) for cell in item.cells]
        return [row for rows in tested for row in rows]

    def _same_code(self) -> None:
        # Workers that start late import what the files say by then.
        for cell, test in self.tests.items():
            if not test.is_current(self.codes[cell]):
                raise KmerfError("The source code has changed since this run began: run it again to go on.")


def _rows(
    test: StudyTest,
    cell: int,
    replicate: int,
    sample: Sample,
    order: np.ndarray[tuple[int], np.dtype[np.int64]],
    seed: int,
) -> list[ReplicateRow]:
    begun = time.perf_counter()
    problem = test.method.prepare(sample, seed)
    observed = observe(problem)
    permuted = problem.fit(order, 1)
    pvalue = None
    if test.null is not None:
        if test.null.needs_unbiased:
            check_chi_square(problem)  # raises if there is no chi-square null; a caveat is what a study is for
        allowed = exchange(None, "within", sample.y, x=sample.x)
        pvalue = judge_fit(test.null, problem, observed, Run(seed, exchange=allowed)).pvalue
    parts = zip(observed.weights.tolist(), observed.statistics.tolist(), permuted.statistics.tolist(), strict=True)
    seconds = time.perf_counter() - begun
    return [ReplicateRow(cell, replicate, part, *values, pvalue, seconds) for part, values in enumerate(parts)]


class Source(Protocol):
    """A law that samples can be drawn from."""

    @property
    def name(self) -> str:
        """What the data are called in tables and figures."""
        ...

    @property
    def n(self) -> int:
        """Rows; in each sample, where there are two."""
        ...

    @property
    def p(self) -> int:
        """Dimension."""
        ...

    def draw(self, rng: np.random.Generator) -> Sample:
        """Return a sample; all its randomness comes from `rng`."""
        ...


@dataclass(frozen=True)
class Simulated:
    """A relation between x and y: `kmerf.simulations.simulate`.

    >>> Simulated("spiral", n=50, p=3).draw(np.random.default_rng(1)).x.values.shape
    (50, 3)
    """

    name: str
    n: int = 100
    p: int = 3
    kappa: float = 1.0
    definition: str = "paper"

    def __post_init__(self) -> None:
        _settle(self, simulations.SIMULATIONS, DEFINITIONS, kappa=float(self.kappa))

    def draw(self, rng: np.random.Generator) -> Sample:
        """Return a sample of x and a numeric y."""
        x, y = simulations.simulate(self.name, self.n, self.p, kappa=self.kappa, definition=self.definition, rng=rng)
        return samples.read_independence(x, y, y_kind="numeric", once=False)


@dataclass(frozen=True)
class Rotated:
    """A sample of a relation's x and y side by side, and one that is turned: `kmerf.simulations.rotated`.

    `n` is the number of rows in each; `angle` is in degrees, or "random".

    >>> Rotated("linear", n=20, p=3).draw(np.random.default_rng(1)).y.kind
    'categorical'
    """

    name: str
    n: int = 50
    p: int = 3
    angle: float | str = 20.0
    kappa: float = 0.0
    definition: str = "paper"

    def __post_init__(self) -> None:
        angle = choose("angle", self.angle, ["random"]) if isinstance(self.angle, str) else float(self.angle)
        _settle(self, simulations.SIMULATIONS, DEFINITIONS, kappa=float(self.kappa), angle=angle)

    def draw(self, rng: np.random.Generator) -> Sample:
        """Return the two samples as groups."""
        a, b = simulations.rotated(
            self.name, self.n, self.p, angle=self.angle, kappa=self.kappa, definition=self.definition, rng=rng
        )
        return samples.read_ksample(a, b, once=False)


@dataclass(frozen=True)
class Mixed:
    """A normal sample, and one with a normal mixture in its first column: `kmerf.simulations.mixture`.

    >>> Mixed("claw", n=20, p=3).draw(np.random.default_rng(1)).n
    40
    """

    name: str
    n: int = 50
    p: int = 3
    definition: str = "fresh"

    def __post_init__(self) -> None:
        _settle(self, simulations.MIXTURES, NOISE_COLUMNS)

    def draw(self, rng: np.random.Generator) -> Sample:
        """Return the two samples as groups."""
        return samples.read_ksample(
            *simulations.mixture(self.name, self.n, self.p, definition=self.definition, rng=rng), once=False
        )


def _settle(source: Any, names: Iterable[str], definitions: Iterable[str], **fields: Any) -> None:
    """Check the fields of a source, and give each one type: `kappa=1` and `kappa=1.0` are the same settings."""
    choose("name", source.name, names)
    choose("definition", source.definition, definitions)
    n = whole("n", source.n)
    if n < FEWEST_ROWS:
        remedy = f"the statistics need {FEWEST_ROWS} rows or more"
        raise InputError("is too few", argument=Argument("n", n), remedy=remedy)
    for name, value in {"n": n, "p": whole("p", source.p), **fields}.items():
        object.__setattr__(source, name, value)
