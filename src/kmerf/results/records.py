"""What all results share: one codec to JSON and back, dataframes to give back, files, and how they show themselves.

The codec follows the types of a dataclass. Arrays become lists and come back read-only; None stands for NaN, which JSON
does not have. A field with a default may be missing; an unknown field, or a value of another type, is refused.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Self, Union, get_args, get_origin, get_type_hints

import numpy as np

from kmerf.core.arrays import read_only
from kmerf.core.errors import Argument, InputError, Note, choose, needs, rank_of
from kmerf.results.question import QUESTIONS
from kmerf.storage import saving

LIBRARIES = ("pandas", "polars", "pyarrow")
_SCALARS: dict[Any, tuple[type, ...]] = {float: (int, float), int: (int,), str: (str,), bool: (bool,)}


class Record:
    """A frozen dataclass that goes to JSON and back."""

    KEYS: ClassVar[tuple[str, ...]] = ()
    """The keys of the dictionary, if they are not the fields in order; properties among them are not read back."""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary that holds all of it; None stands for NaN."""
        plain = {key: _plain(getattr(self, key)) for key in self.KEYS or self._decoders()}
        if "notes" in plain:
            plain["note_ranks"] = [rank_of(note) for note in plain["notes"]]
        return plain

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Rebuild what `to_dict` gave."""
        decoders = cls._decoders()
        data = dict(data)
        ranks = data.pop("note_ranks", None) if "notes" in decoders else None
        if ranks is not None:
            data["notes"] = [Note(note, rank=rank) for note, rank in zip(data["notes"], ranks, strict=True)]
        values = {key: value for key, value in data.items() if key in decoders or key not in cls.KEYS}
        return cls(**{key: decoders[key](value) for key, value in values.items()})

    @classmethod
    def _decoders(cls) -> dict[str, Callable[[Any], Any]]:
        record: Any = cls  # a type that hashes as any other, which mypy does not see
        return _decoders_of(record)


class Answer(Record):
    """What a question returns: a value that is saved and loaded, and prints in the terminal and in notebooks."""

    if TYPE_CHECKING:
        method: str
        n: int
        seed: int
        settings: dict[str, Any]
        notes: tuple[str, ...]

        @property
        def question(self) -> str: ...  # noqa: D102

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.question, self.method, self.n, self.seed))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all of it as JSON, for `load`."""
        saving.save(path, self.question, self.to_dict())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save`, or the command line with `--json`, wrote."""
        outcomes = {name: question.outcome for name, question in QUESTIONS.items()}
        return saving.load_as(cls.from_dict, path, cls.__name__, outcomes)

    def _repr_html_(self) -> str:
        """Return the answer as small tables, for notebooks."""
        from kmerf.show.notebook import html

        return html(self)

    def __repr__(self) -> str:
        from kmerf.show.text import summary

        return summary(self)

    def __str__(self) -> str:
        from kmerf.show.text import lines

        return "\n".join(lines(self))


class Paged:
    """A value that has a page."""

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write a page, one HTML file that needs no network. Test with `details=True` to have all of its sections."""
        with needs("report"):
            from kmerf.report import write

            write(self, path)


class Reported(Paged, Answer):
    """An answer that has a page."""


def frame(columns: Mapping[str, Sequence[Any]], library: str | None = None) -> Any:
    """Return columns as a dataframe of a library; without a name, of the first that is installed.

    >>> frame({"a": [1, 2]}, "polars").shape
    (2, 1)
    """
    import narwhals as nw

    if library is None:
        library = next((name for name in LIBRARIES if importlib.util.find_spec(name)), None)
        if library is None:
            finding = "to_frame() needs a dataframe library, and none is installed"
            raise InputError(finding, remedy="pip install pandas")
    choose("library", library, LIBRARIES)
    if importlib.util.find_spec(library) is None:
        raise InputError("is not installed", argument=Argument("library", library), remedy=f"pip install {library}")
    table = {name: list(values) for name, values in columns.items()}
    backend: Any = library
    return nw.from_dict(table, backend=backend).to_native()


def _plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and np.isnan(value).any():
        gaps: Any = value.astype(object)
        gaps[np.isnan(value)] = None
        return gaps.tolist()
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, tuple | list) else value


@functools.cache
def _decoders_of(record: type[Any]) -> dict[str, Callable[[Any], Any]]:
    """Return for each field of a dataclass what reads its value."""
    hints = get_type_hints(record)
    return {field.name: _decoder(hints[field.name]) for field in fields(record)}


def _decoder(hint: Any) -> Callable[[Any], Any]:
    """Return what makes a value of a type from that of JSON."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        decode = _decoder(next(kind for kind in inner if kind is not types.NoneType))
        return lambda value: None if value is None else decode(value)
    if origin is np.ndarray:
        (dtype,) = get_args(inner[1])
        return lambda value: read_only(np.array(value, dtype=dtype))
    if origin is dict:
        decode = _decoder(inner[1])
        return lambda value: {key: decode(entry) for key, entry in value.items()}
    if origin is tuple:
        decode, count = _decoder(inner[0]), None if inner[-1] is ... else len(inner)
        return lambda value: tuple(map(decode, _listed(value, count)))
    if isinstance(hint, type) and issubclass(hint, Record):
        return hint.from_dict
    return functools.partial(_scalar, _SCALARS.get(hint, (object,)))


def _listed(value: Any, count: int | None) -> Sequence[Any]:
    if not isinstance(value, list | tuple) or count not in (None, len(value)):
        raise TypeError
    return value


def _scalar(kinds: tuple[type, ...], value: Any) -> Any:
    if not isinstance(value, kinds):
        raise TypeError
    return value
