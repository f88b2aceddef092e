"""What a test returns: a frozen value that prints as a small table, unpacks as (statistic, p-value), and goes to JSON.

A result holds everything that is needed to repeat it on the same data: the settings and the seed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kmerf._version import __version__
from kmerf.core import saving
from kmerf.results.details import Details
from kmerf.results.parts import Effect, FeatureTests, Importances, Member, NullResult, Pair
from kmerf.show import notebook as tabulating
from kmerf.show import text as printing
from kmerf.show.text import list_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TITLES = {"independence": "Test of independence", "ksample": "Test of k samples"}
_PARTS: dict[str, Any] = {
    "importances": Importances,
    "features": FeatureTests,
    "feature_groups": FeatureTests,
    "effect": Effect,
    "details": Details,
}  # fields that hold None or a value with `to_dict`


@dataclass(frozen=True, eq=False)
class Result:
    """The outcome of `independence` or `ksample`."""

    question: str
    """"independence" or "ksample"."""
    method: str
    statistic: float
    pvalue: float
    null: NullResult
    importances: Importances | None
    n: int
    p: int
    q: int
    y_kind: str
    """"numeric" or "categorical": how y was read."""
    groups: dict[str, int]
    """Rows in each class or group; empty for a numeric y."""
    settings: dict[str, Any]
    seed: int
    notes: tuple[str, ...] = ()
    """What was done to the data, and what to be careful about."""
    version: str = __version__
    features: FeatureTests | None = None
    """P-values of the importances, where forests were grown again on permuted y."""
    feature_groups: FeatureTests | None = None
    """The same for the groups of features that were named."""
    effect: Effect | None = None
    """How strong the relation is."""
    pairwise: tuple[Pair, ...] = ()
    """Every two groups compared, if that was asked for."""
    statistic_error: float = 0.0
    """Standard error of the statistic: 0 unless rows are so many that the kernel's variance comes from some of them."""
    members: tuple[Member, ...] = ()
    """What each member of a combined test found; empty for a test that is one."""
    details: Details | None = None
    """A closer look at the forest, if that was asked for."""

    def __iter__(self) -> Iterator[float]:
        """Unpack as `statistic, pvalue`."""
        return iter((self.statistic, self.pvalue))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.question, self.statistic, self.pvalue, self.seed))

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary that holds all of the result."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        parts = {name: None if plain[name] is None else plain[name].to_dict() for name in _PARTS}
        pairs = [pair.to_dict() for pair in self.pairwise]
        return (
            plain
            | parts
            | {"null": self.null.to_dict(), "pairwise": pairs, "notes": list(self.notes)}
            | {"members": [member.to_dict() for member in self.members]}
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Result:
        """Rebuild the result that `to_dict` gave."""
        rebuilt = {
            "null": NullResult.from_dict(data["null"]),
            "notes": tuple(data["notes"]),
            "pairwise": tuple(Pair(**pair) for pair in data.get("pairwise", ())),
            "members": tuple(Member.from_dict(member) for member in data.get("members", ())),
        }
        parts = {name: None if data.get(name) is None else kind.from_dict(data[name]) for name, kind in _PARTS.items()}
        return cls(**(data | parts | rebuilt))

    def plot(self, *, most: int = 15) -> Figure:
        """Draw the statistic among the permuted ones, and the `most` important features with their p-values.

        The figure is matplotlib's (`figure.savefig("out.png")`); `kmerf.figures.plot_features` draws how y moves with
        the features.
        """
        from kmerf.figures.outcome import plot_result  # an import upwards: see tests/test_layers.py

        return plot_result(self, most=most)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the result as a page, one HTML file that needs no network. Test with `details=True` for all of it."""
        from kmerf.report import write  # an import upwards: see tests/test_layers.py

        write(self, path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all of the result as JSON, for `Result.load`."""
        saving.save(path, self.question, self.to_dict())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Result:
        """Read a result that `save`, or the command line with `--json`, wrote."""
        return cls.from_dict(saving.load(path, "Result"))

    def _repr_html_(self) -> str:
        """Return the answer and the most important features as small tables, for notebooks."""
        told = "" if self.effect is None else printing.effect_text(self.effect)
        facts = [
            ("statistic", f"{self.statistic:.5g}"),
            ("p-value", f"{printing.p_text(self.pvalue)} ({printing.null_text(self.null)})"),
            *([("effect", told)] if told else []),
            ("data", f"{self.n} rows, {self.p} features; {self._y_text()}"),
        ]
        title = f"{_TITLES[self.question]} ({self.method})"
        return tabulating.result(title, facts, self.importances, self.features, self.notes)

    def __str__(self) -> str:
        lines = [f"{_TITLES[self.question]} ({self.method})", "", *self._answer()]
        lines += printing.member_lines(self.members)
        lines += printing.feature_lines(self.importances, self.features)
        lines += printing.group_lines(self.feature_groups)
        lines += printing.pair_lines(self.pairwise)
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join(lines)

    def _answer(self) -> list[str]:
        told = "" if self.effect is None else printing.effect_text(self.effect)
        return [
            f"  statistic  {self.statistic:10.5g}",
            f"  p-value    {printing.p_text(self.pvalue):>10}   {printing.null_text(self.null)}",
            *([f"  effect     {told}"] if told else []),
            f"  data       {self.n} rows, {self.p} features; {self._y_text()}",
            f"  seed       {self.seed}",
            "",
        ]

    def _y_text(self) -> str:
        if self.question == "ksample":
            return f"{len(self.groups)} groups: " + list_text(
                [f"{name} ({size})" for name, size in self.groups.items()]
            )
        if self.y_kind == "categorical":
            return f"y categorical with {len(self.groups)} classes: " + list_text(list(self.groups))
        return "y numeric" + (f" with {self.q} columns" if self.q > 1 else "")
