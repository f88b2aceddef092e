"""What kmerf raises and warns with: every message names the argument, what is wrong with it and what to do.

    KmerfError                     anything that kmerf raises on purpose
      InputError                   an argument that cannot be used as it is; also a ValueError
      MissingExtraError            a package that is not installed; also an ImportError
      LostClusterError             a Dask cluster that will give no more results        (execution.parallel)
      UsageError                   a command that makes no sense                        (cli)
      Stopped                      a command that was stopped                           (cli)
      UnwrittenError               an answer that could not be written                  (cli)
    KmerfWarning                   a result that should not be trusted as it stands; a UserWarning
      StoreWarning                 the file of a store: locked, or damaged in part
    UncachedWarning                compiled code cannot be kept; a RuntimeWarning       (engine.compiling)
    Terminated                     SIGTERM or SIGHUP came; a KeyboardInterrupt          (execution.stopping)
    Cancelled                      ends a worker thread, and never reaches the user     (execution.parallel)
    Failure                        what the page to click could not compute             (app.calls)
    Refused                        a click that makes no sense                          (app.calls)
    Enough                         ends an estimate, and never reaches the user         (app.worker)

Where Python says `null=Permutation(99)`, the shell says `--null permutation --resamples 99`. So a message keeps the
arguments that it names as `Argument` values, and each surface words them for itself; none has to search prose for them.

Options that people know by another name from scipy, scikit-learn, hyppo or R get an error that names ours.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import numbers
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar, cast


@dataclass(frozen=True)
class Call:
    """A value that is written as a call.

    >>> Call("Permutation", (99,))
    Permutation(99)
    """

    name: str
    arguments: tuple[object, ...] = ()

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(map(repr, self.arguments))})"


@dataclass(frozen=True)
class Argument:
    """An argument that a message names, with its value or without.

    >>> str(Argument("exchange", "whole")), str(Argument("blocks"))
    ("exchange='whole'", 'blocks')
    """

    name: str
    value: object = ...  # the ellipsis stands for no value, as None can be one

    @property
    def has_value(self) -> bool:
        """Whether the message names a value too."""
        return self.value is not ...

    def __str__(self) -> str:
        gap = " " if self.name.startswith("--") else "="  # an option of the shell, or an argument
        return f"{self.name}{gap}{self.value!r}" if self.has_value else self.name


@dataclass(frozen=True)
class EventValue(Argument):
    """The value of a column that stands for an event: Python compares the column with it, the shell names it.

    >>> print(EventValue("status", 2))
    table.assign(event=table['status'] == 2)
    """

    def __str__(self) -> str:
        return f"table.assign(event=table[{self.name!r}] == {self.value!r})"


@dataclass(frozen=True)
class RowsBut(Argument):
    """How to leave out the rows in which a column has a value; each surface has its own words.

    >>> print(RowsBut("arm", "C"))
    : table[table['arm'] != 'C']
    """

    def __str__(self) -> str:
        return f": table[table[{self.name!r}] != {self.value!r}]"


class Message(str):
    """A text that remembers where it names arguments. As a string it has Python's words, for JSON and tracebacks.

    >>> message = Message("use ", Argument("null", Call("Permutation")), ".")
    >>> message
    'use null=Permutation().'
    >>> message.worded(lambda argument: f"--{argument.name} permutation")
    'use --null permutation.'
    """

    parts: tuple[str | Argument, ...]

    def __new__(cls, *parts: str | Argument) -> Message:
        """Join the parts; messages among them keep their arguments."""
        flat = tuple(piece for part in parts for piece in (part.parts if isinstance(part, Message) else (part,)))
        self = super().__new__(cls, "".join(map(str, flat)))
        self.parts = flat
        return self

    @classmethod
    def lines(cls, messages: Iterable[str]) -> Message:
        """Return several messages, one per line."""
        return cls(*[part for message in messages for part in ("\n", message)][1:])

    def worded(self, word: Callable[[Argument], str]) -> str:
        """Return the text with every argument in the words of a surface."""
        return "".join(word(part) if isinstance(part, Argument) else part for part in self.parts)

    def __reduce__(self) -> tuple[Any, ...]:  # workers send errors and notes back
        return Message, self.parts


RANKS = ("doubt", "decision", "detail")
"""Of notes: what makes the p-value doubtful; what was decided about the data; what is worth knowing."""


class Note(Message):
    """A message about data or a result, with its rank among `RANKS`.

    >>> note = Note("Rows are in the order of time.", rank="doubt")
    >>> note, note.rank, rank_of("A plain text.")
    ('Rows are in the order of time.', 'doubt', 'decision')
    """

    rank: str
    about: str
    """What has to be tested for this to matter, such as "within blocks"; empty if it always does."""

    def __new__(cls, *parts: str | Argument, rank: str = "decision", about: str = "") -> Note:
        """Join the parts, and rank them."""
        self = cast("Note", super().__new__(cls, *parts))
        self.rank, self.about = choose("rank", rank, RANKS), about
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(Note, rank=self.rank, about=self.about), self.parts


def rank_of(note: str) -> str:
    """Return the rank of a note; a plain text says what was decided."""
    return note.rank if isinstance(note, Note) else "decision"


def of_rank(rank: str, notes: Iterable[str]) -> list[str]:
    """Return the notes of a rank."""
    return [note for note in notes if rank_of(note) == rank]


def not_about(about: str, notes: Iterable[str]) -> tuple[str, ...]:
    """Return the notes that matter if this is not what is tested."""
    return tuple(note for note in notes if not (isinstance(note, Note) and note.about == about))


class KmerfError(Exception):
    """The base class of all errors that kmerf raises."""


@dataclass(frozen=True)
class InputProblem:
    """One thing that is wrong with the input.

    A finding goes on from the argument ("has a single value") or, after a colon, has another subject
    (": column 'a' holds text"). Both texts end without a full stop, unless the remedy is a separate sentence.

    >>> InputProblem("has a single value", Argument("blocks"), "leave it out").message
    'blocks has a single value: leave it out.'
    """

    finding: str
    argument: Argument | None = None
    remedy: str = ""

    @property
    def message(self) -> Message:
        """The whole sentence: argument, finding, remedy."""
        if self.argument is None and not self.remedy:
            return Message(self.finding)
        gap = "" if self.finding.startswith(":") else " "
        subject = () if self.argument is None else (self.argument, gap)
        ended = self.finding.endswith((".", "?"))
        stop = "" if str(self.remedy).endswith("?") else "."
        remedy = (" " if ended else ": ", self.remedy, stop) if self.remedy else ("" if ended else ".",)
        return Message(*subject, self.finding, *remedy)


class InputError(KmerfError, ValueError):
    """An invalid argument.

    Attributes
    ----------
    problems : tuple of InputProblem
        The problems, each with its `argument`, `finding` and `remedy`. The text of the error has one line per problem.

    Examples
    --------
    >>> import kmerf
    >>> try:
    ...     kmerf.ForestSpec(n_trees=0)
    ... except kmerf.InputError as error:
    ...     error.problems[0].argument.name, error.problems[0].finding
    ('n_trees', 'must be a whole number of at least 1')
    """

    def __init__(
        self,
        finding: str,
        *,
        argument: Argument | str | None = None,
        remedy: str = "",
        more: Iterable[InputProblem] = (),
    ) -> None:
        if isinstance(argument, str):
            argument = Argument(argument)
        self.problems = (InputProblem(finding, argument, remedy), *more)
        super().__init__(Message.lines(problem.message for problem in self.problems))

    @classmethod
    def together(cls, errors: Iterable[InputError]) -> InputError:
        """Return one error with the problems of several errors.

        >>> print(InputError.together([InputError("x is empty."), InputError("y is empty.")]))
        x is empty.
        y is empty.
        """
        first, *more = (problem for error in errors for problem in error.problems)
        return cls(first.finding, argument=first.argument, remedy=first.remedy, more=more)


class MissingExtraError(KmerfError, ImportError):
    """A package that is not installed, with the extra of kmerf that installs it."""


class KmerfWarning(UserWarning):
    """A warning that a result is doubtful."""


class StoreWarning(KmerfWarning):
    """A store is locked by another program, or partly damaged."""


def warn(text: str, kind: type[KmerfWarning] = KmerfWarning) -> None:
    """Warn the caller of kmerf: the line that is named is the first outside the library."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "kmerf":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, kind, stacklevel=level)


def message_of(error: Exception) -> str:
    """Return the text of an error; a `Message`, where it has one."""
    text = error.args[0] if error.args else None
    return text if isinstance(text, Message) else str(error)


def nearest(name: str, names: Iterable[str], similarity: float = 0.4) -> str | None:
    """Return the name that was probably meant, whatever its case, or None.

    >>> nearest("ob", ["all", "either", "OOB"])
    'OOB'
    """
    by_lower = {each.lower(): each for each in reversed(list(names))}  # of equal ones, the first
    near = difflib.get_close_matches(name.lower(), list(by_lower), n=1, cutoff=similarity)
    return by_lower[near[0]] if near else None


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return the end of a finding about an unknown name: a question, or a full stop where no name is near.

    >>> "is not an option" + did_you_mean("ob", ["all", "oob"])
    "is not an option; did you mean 'oob'?"
    """
    near = nearest(name, names)
    return "." if near is None else f"; did you mean {near!r}?"


def choose(argument: str, value: object, options: Iterable[str]) -> str:
    """Return `value` if it is one of `options`, else raise an error that names the nearest one.

    >>> choose("proximity", "oob", ["all", "either", "oob"])
    'oob'
    >>> choose("proximity", "ob", ["all", "either", "oob"])
    Traceback (most recent call last):
    kmerf.core.errors.InputError: proximity='ob' is not an option; did you mean 'oob'? Options: 'all', 'either', 'oob'.
    """
    names = list(options)
    if isinstance(value, str) and value in names:
        return value
    raise InputError(
        f"is not an option{did_you_mean(str(value), names)}",
        argument=Argument(argument, value),
        remedy=f"Options: {', '.join(map(repr, names))}",
    )


def whole(argument: str, value: object, at_least: int = 1) -> int:
    """Return `value` as an int if it is a whole number no smaller than `at_least`, else raise.

    >>> whole("n_trees", 500)
    500
    >>> whole("n_trees", 0)
    Traceback (most recent call last):
    kmerf.core.errors.InputError: n_trees=0 must be a whole number of at least 1.
    """
    # numpy integers carry __index__ as ints do; bool does too, and is never meant.
    if isinstance(value, bool) or not hasattr(value, "__index__") or int(value) < at_least:
        raise InputError(f"must be a whole number of at least {at_least}", argument=Argument(argument, value))
    return int(value)


def share(argument: str, value: object) -> float:
    """Return `value` as a float if it is a number between 0 and 1, else raise.

    >>> share("level", 0.05)
    0.05
    >>> share("level", "a")
    Traceback (most recent call last):
    kmerf.core.errors.InputError: level='a' must be a number between 0 and 1, such as 0.05.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not 0.0 < float(value) < 1.0:
        example = {"target": 0.8, "confidence": 0.95}.get(argument, 0.05)
        raise InputError(f"must be a number between 0 and 1, such as {example}", argument=Argument(argument, value))
    return float(value)


def installing(extra: str) -> str:
    """Return the command that installs an extra of kmerf, which comes as a folder of source and from no index.

    >>> installing("plot")
    "pip install '.[plot]' in the folder of kmerf's source"
    """
    return f"pip install '.[{extra}]' in the folder of kmerf's source"


def listed(names: Iterable[str], limit: int = 8) -> str:
    """Names in a row for a message, cut if there are many."""
    texts = [repr(name) for name in names]
    return ", ".join(texts[:limit]) + (f", ... ({len(texts)} in all)" if len(texts) > limit else "")


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Name the extra to install where a package that it brings is not there.

    >>> with needs("plot"):
    ...     import a_library
    Traceback (most recent call last):
    kmerf.core.errors.MissingExtraError: This needs a_library, which is not installed: pip install '.[plot]' ...
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").split(".")[0]
        if package == "kmerf":
            raise
        raise MissingExtraError(f"This needs {package}, which is not installed: {installing(extra)}.") from None


Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")

_SEED = "rng= takes the seed or a numpy Generator"
_PERMUTATIONS = "null=kmerf.Permutation(999) sets the number of permutations"
_WORKERS = "n_jobs= is the number of workers"
_TREES = "method=kmerf.KMERF(kmerf.ForestSpec(n_trees=500)) sets how to grow the forest"
KNOWN_ELSEWHERE = {
    "random_state": _SEED,
    "seed": _SEED,
    "n_resamples": _PERMUTATIONS,
    "n_permutations": _PERMUTATIONS,
    "num_permutations": _PERMUTATIONS,
    "reps": _PERMUTATIONS,
    "workers": _WORKERS,
    "n_workers": _WORKERS,
    "num_threads": _WORKERS,
    "n_estimators": _TREES,
    "n_trees": _TREES,
    "forest": _TREES,
    "auto": "null=kmerf.ChiSquare() gives the fast p-value",
    "alpha": "compare the p-value of the result with your level",
    "alternative": "the tests look for any dependence and are not one-sided",
    "verbose": "progress=True shows a progress bar",
}
_OF_FUNCTIONS = {
    ("check_calibration", "permutations"): _PERMUTATIONS,
    ("power_curve", "alpha"): "level= is the level",
    ("power_curve", "power"): "target= is the power to reach",
    ("ksample", "y_kind"): "groups are always classes; for times until an event, use "
    'kmerf.independence(table[["group"]], table[["time", "event"]], y_kind="censored")',
}


def explain_unknown(function: Callable[Parameters, Value]) -> Callable[Parameters, Value]:
    """Make a function name all of its unknown options at once, with what they are called here.

    >>> @explain_unknown
    ... def test(x, *, rng=None): ...
    >>> test([1], random_state=1)
    Traceback (most recent call last):
    TypeError: test() has no option random_state=: rng= takes the seed or a numpy Generator.
    """
    accepted = inspect.signature(function).parameters

    @functools.wraps(function)
    def call(*args: Parameters.args, **options: Parameters.kwargs) -> Value:
        unknown = [name for name in options if name not in accepted]
        if unknown:
            raise TypeError(" ".join(_explained(function.__name__, name, list(accepted)) for name in unknown))
        return function(*args, **options)

    return call


def _explained(function: str, name: str, accepted: list[str]) -> str:
    remedy = _OF_FUNCTIONS.get((function, name)) or KNOWN_ELSEWHERE.get(name)
    if remedy is None:
        near = nearest(name, accepted, 0.6)
        remedy = f"did you mean {near}=?" if near else f"its options are {', '.join(accepted)}"
    end = "" if remedy.endswith("?") else "."
    return f"{function}() has no option {name}=: {remedy}{end}"
