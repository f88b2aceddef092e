"""Where the data of a study come from: values that can draw a sample as often as one likes.

A source is known by its settings: two that are equal give the same data, in every study with the same seed. Your own
can be any frozen dataclass with a `name`, `n`, `p` and a `draw`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from kmerf import simulations
from kmerf.core.errors import Argument, InputError, choose, whole
from kmerf.data.sample import FEWEST_ROWS
from kmerf.reading import samples
from kmerf.simulations.relations import DEFINITIONS
from kmerf.simulations.two_sample import NOISE_COLUMNS

if TYPE_CHECKING:
    from kmerf.data.sample import Sample


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
    for name, field in {"n": n, "p": whole("p", source.p), **fields}.items():
        object.__setattr__(source, name, field)
