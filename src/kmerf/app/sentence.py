"""The question as the page's sentence: what is filled in, how it is checked, and how it reads."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import kmerf
from kmerf.app.calls import KINDS, Refused
from kmerf.app.reading_options import whole_number

METHODS = (
    ("", "kmerf, the default: forests and other tests, combined"),
    ("forest", "one forest"),
    ("dcorr", "distance correlation"),
    ("hsic", "kernel correlation"),
    ("mgc", "multiscale graph correlation"),
    ("hhg", "Heller, Heller and Gorfine"),
)


@dataclass(frozen=True)
class AskedQuestion:
    """The sentence as it is filled in."""

    kind: str = "independence"
    y: str = ""
    event: str = ""
    event_value: str = ""
    x: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    blocks: str = ""
    order: str = ""
    pairwise: bool = False
    method: str = ""
    rows: int | None = None
    permutations: int | None = None
    target: float = 0.8
    seed: int = 0

    def sentence(self) -> str:
        """Return it in words."""
        x = "all other columns" if not self.x else ", ".join(self.x[:4]) + (", …" if len(self.x) > 4 else "")
        given = f", given {', '.join(self.given)}" if self.given and self.kind not in ("plan", "compare") else ""
        y = f"{self.y} until {self.event}" if self.event and self.kind != "ksample" else self.y
        return {
            "independence": f"Does {y} depend on {x}{given}?",
            "ksample": f"Do the groups of {self.y} differ in {x}{given}?",
            "screen": f"Which {f'of {x}' if self.x else 'other columns'} are related to {y}{given}?",
            "compare": "Did the table change since the older one?",
            "plan": f"How many rows to find that {y} depends on {x}?",
        }[self.kind]

    def roles(self) -> dict[str, str]:
        """Return the columns that it names, each with what it is there."""
        if self.kind == "compare":
            return {}
        named = {self.blocks: "blocks", self.order: "order", **dict.fromkeys(self.given, "given")}
        if self.kind != "ksample":
            named |= {self.event: "event"}
        named |= {self.y: "groups" if self.kind == "ksample" else "y"}
        named.pop("", None)
        return named

    def changed(self, change: Mapping[str, Any], names: Sequence[str]) -> AskedQuestion:
        """Return it with some of its parts changed, or refuse; `names` are those of the table."""
        checked: dict[str, Any] = {"event_value": ""} if "event" in change else {}
        for key, value in change.items():
            if key == "event_value" and isinstance(value, str):
                checked[key] = value.strip()[:100]
            elif _is_choice(key, value, names):
                checked[key] = value
            elif key in ("x", "given") and isinstance(value, list) and all(each in names for each in value):
                checked[key] = tuple(name for name in names if name in value)
            elif key in ("rows", "permutations", "seed"):
                checked[key] = whole_number(value, key)
            elif key == "target":
                checked[key] = _share(value)
            else:
                raise Refused(f"{key} cannot be {str(value)[:60]!r}")
        return replace(self, **checked)

    def within(self, names: Collection[str]) -> AskedQuestion:
        """Return it without the columns that a table does not have."""
        single = {name: getattr(self, name) for name in ("y", "event", "blocks", "order")}
        kept: dict[str, Any] = {name: value if value in names else "" for name, value in single.items()}
        kept |= {key: tuple(name for name in getattr(self, key) if name in names) for key in ("x", "given")}
        return replace(self, **kept)

    def event_code(self, kind: str) -> float | str | None:
        """Return the value that stands for an event, in a column of this kind; None if it needs none."""
        if self.event_value == "" or kind != "numeric":
            return self.event_value or None
        try:
            value = float(self.event_value)
        except ValueError:
            raise Refused("The value for the event must be a number, as the others of its column are.") from None
        return int(value) if value.is_integer() else value


def available_kinds() -> tuple[str, ...]:
    """Return the questions that this version of the library answers."""
    return tuple(kind for kind in KINDS if kind != "compare" or hasattr(kmerf, "compare"))


def _is_choice(key: str, value: Any, names: Sequence[str]) -> bool:
    """Return whether a part of the question can have a value."""
    if key in ("y", "event", "blocks", "order"):
        return value == "" or value in names
    options = {"kind": available_kinds(), "pairwise": (True, False), "method": tuple(dict(METHODS))}
    return isinstance(value, str | bool) and value in options.get(key, ())


def _share(value: Any) -> float:
    try:
        share = float(value)
    except (TypeError, ValueError):
        share = 0.0
    if not 0.05 < share < 1.0:
        raise Refused("the power must be between 0.05 and 1, such as 0.8")
    return share
