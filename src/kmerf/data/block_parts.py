"""Arithmetic in blocks of rows: where columns vary, values less the mean of their block, and one value per block.

The mean of a small block is less certain than that of a large one. So where sizes differ, means are drawn towards the
mean of all, the more the smaller the block: with s_b the variance between blocks, s_w that within, and n rows,

    centre + sqrt(w / max(w)) (mean - centre),    w = n / (n s_b + s_w).

A mixed model weighs blocks by w, one over the variance of their mean. With its root, all values have the same variance,
so that their spread does not tell how large a block is, and most of what the weights gain is kept. The two variances
are estimated from the same column alone (one-way analysis of variance), so this cannot make a test invalid.

What a test with blocks can test: the relation within blocks, or that between them.

Rows of one block belong together: a subject, a litter, a site. What is there to test is in two parts.

- *Within* blocks: does y move with x from row to row of the same block? Rows of y change places inside their block. A
  column that is constant within every block cannot be tested so. Whatever blocks differ by is removed first: a numeric
  y and numeric columns of x are taken less the mean of their block. That commutes with exchanging rows inside blocks,
  so the test stays exact. Classes and censored times stay as they are; then x alone is centred, categories too. Blocks
  within which x or y does not vary say nothing, and are left out.
- *Between* blocks: do blocks with another x have another y? Each block becomes one row, with its means (of a category,
  the shares of its levels), and these rows change places. A column with the same mean in every block cannot be tested
  so. Sizes may differ if x, or y, is constant within blocks: the means of the other then vary less in large blocks, but
  nothing links that to the side that moves. If both vary, means change places among blocks of one size only.
- *Whole* blocks: as they are, row for row, for blocks of one size with an order inside, such as courses over time.

By default it is "between" if x or y is constant within every block, and "within" if every column of x varies in some
block. If some columns vary and others do not, there are two questions, and the caller has to say which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import Floats, Ints, read_only
from kmerf.core.errors import Argument, InputError, Message, choose, listed, not_about
from kmerf.data.exchangeability import exchange
from kmerf.data.sample import (
    FEWEST_ROWS,
    Features,
    Kind,
    Response,
    Sample,
    column_part,
    common_levels,
    log_rank_scores,
    take_rows,
)

_DIGITS = 40  # binary digits of the largest value that are kept, so that equal values stay equal


@dataclass(frozen=True, eq=False)
class Blocks:
    """Rows in blocks that are numbered from 0 on, in the order in which they appear."""

    labels: Ints
    order: Ints
    """The rows, block by block."""
    first: Ints
    """The first row of each block, in that order."""
    starts: Ints
    sizes: Ints

    @classmethod
    def of(cls, labels: Ints) -> Blocks:
        """Sort the rows by their block.

        >>> Blocks.of(np.array([7, 3, 7])).sizes.tolist()
        [2, 1]
        """
        _, first, places = np.unique(labels, return_index=True, return_inverse=True)
        numbers = np.argsort(np.argsort(first))[places.reshape(-1)]
        order = np.argsort(numbers, kind="stable")
        sizes = np.bincount(numbers)
        starts = np.cumsum(sizes) - sizes
        return cls(numbers, order, order[starts], starts, sizes)

    @property
    def count(self) -> int:
        """Number of blocks."""
        return int(self.sizes.size)

    @property
    def of_one_size(self) -> bool:
        """Whether all blocks have as many rows."""
        return bool((self.sizes == self.sizes[0]).all())

    def vary(self, values: Floats) -> NDArray[np.bool_]:
        """Tell in which blocks each column varies (blocks, columns); a missing value differs from all others.

        >>> Blocks.of(np.array([0, 0, 1, 1])).vary(np.array([[1.0, 2], [1, 2], [1, 3], [1, np.nan]])).tolist()
        [[False, False], [False, True]]
        """
        holes = self._sum(np.isnan(values).astype(np.float64))
        low, high = self._reduce(np.fmin, values), self._reduce(np.fmax, values)
        mixed = (holes > 0) & (holes < self.sizes[:, None])
        return mixed | (low < high)

    def centred(self, values: Floats) -> Floats:
        """Return values less the mean of their block; missing ones stay missing.

        >>> Blocks.of(np.array([0, 0, 1, 1])).centred(np.array([[1.0], [2.0], [7.0], [np.nan]])).ravel()
        array([-0.5,  0.5,  0. ,  nan])
        """
        low = self._reduce(np.fmin, values)
        above = values - low[self.labels]  # so that a block of equal values has zeros, and not what rounding leaves
        known = np.maximum(self._sum((~np.isnan(above)).astype(np.float64)), 1.0)
        middle = self._sum(np.nan_to_num(above)) / known
        found: Floats = above - middle[self.labels]
        return _rounded(found, values)

    def means(self, values: Floats) -> Floats:
        """Return one value per block of each column (blocks, columns): its mean, drawn to that of all if sizes differ.

        >>> Blocks.of(np.array([0, 0, 1, 1])).means(np.array([[1.0], [2.0], [7.0], [9.0]])).ravel()
        array([1.5, 8. ])
        """
        low = self._reduce(np.fmin, values)
        present = self._sum((~np.isnan(values)).astype(np.float64))
        above = values - low[self.labels]
        means = low + self._sum(np.nan_to_num(above)) / np.maximum(present, 1.0)
        for k in range(values.shape[1]):
            known = present[:, k] > 0
            if known.any():
                means[known, k] = self._drawn(values[:, k], means[known, k], present[known, k])
        return _rounded(means, values)

    def _drawn(self, values: Floats, means: Floats, sizes: Floats) -> Floats:
        """Draw the means of small blocks towards the mean of all."""
        count, n = sizes.size, sizes.sum()
        if count < 2 or n == count or (sizes == sizes[0]).all():
            return means
        inside = float(np.nansum(self.centred(values[:, None]) ** 2)) / (n - count)
        around = float((sizes * (means - (sizes * means).sum() / n) ** 2).sum()) / (count - 1)
        usual = (n - (sizes**2).sum() / n) / (count - 1)
        between = max(0.0, (around - inside) / usual)
        if inside == 0.0 or not np.isfinite(inside + between):
            return means
        weights = sizes / (sizes * between + inside)
        centre = (weights * means).sum() / weights.sum()
        drawn: Floats = centre + np.sqrt(weights / weights.max()) * (means - centre)
        return drawn

    def _sum(self, values: Floats) -> Floats:
        return self._reduce(np.add, values)

    def _reduce(self, how: np.ufunc, values: Floats) -> Floats:
        found: Floats = how.reduceat(values[self.order], self.starts, axis=0)
        return found


def _rounded(found: Floats, values: Floats) -> Floats:
    """Round to what is certain, so that values that are equal but for rounding are equal."""
    scale, size = _largest(found), _largest(values)
    step = np.exp2(np.maximum(np.floor(np.log2(scale)) - _DIGITS, np.floor(np.log2(size)) - _DIGITS - 10))
    rounded: Floats = np.round(found / step) * step
    return rounded


def _largest(values: Floats) -> Floats:
    sizes = np.where(np.isfinite(values), np.abs(values), 0.0).max(axis=0)
    return np.where(sizes > 0.0, sizes, 1.0)


KINDS = ("auto", "within", "between", "whole")
CANNOT = "cannot be tested with these blocks"
MOST_LEVELS = 10  # of a column of numbers, which then counts as one of groups where the effect is measured
LITTLE = 0.05  # of the variance of a column: if less lies within blocks, a note says so
_OUTER = "outer block"
_SHARE = ", share of "  # between the names of a category and of one of its levels


class BlockPart(NamedTuple):
    """The part of a sample that a test with blocks is about."""

    sample: Sample
    """Rows, or one row per block, with the columns that can be tested."""
    exchange: str
    """How its rows change places: "within" (also if there are no blocks) or "whole"."""
    untested: Mapping[str, str] = MappingProxyType({})
    """Columns that cannot be tested, and why."""
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Any] = MappingProxyType({})
    """What a result records: the number of blocks, which part was tested, and of how many rows."""
    measured: Sample | None = None
    """What the size of the effect is of, within blocks. Those in which x varies and a numeric y does not, or classes do
    and x does not, have no say in the p-value, but they show that x does little. And a column of few numbers stays
    as it is: these are groups, and differences from a mean of some of them are not."""


def block_part(sample: Sample, kind: str) -> BlockPart:
    """Return what can be tested, centred within blocks or with one row per block.

    >>> from kmerf.reading.samples import read_independence
    >>> sample = read_independence({"dose": [1, 1, 2, 2, 3, 4]}, [1, 3, 2, 2, 5, 4], blocks=list("aabbcd"))
    >>> part = block_part(sample, "auto")
    >>> part.settings["exchange"], part.sample.x.values.ravel().tolist()
    ('between', [1.0, 2.0, 3.0, 4.0])
    """
    choose("exchange", kind, KINDS)
    if sample.same_rows:  # exchanging equal rows changes nothing, so that p is 1
        return BlockPart(sample, "within")
    if sample.blocks is None:
        if kind in ("auto", "within"):
            return BlockPart(sample, "within")
        raise InputError(
            Message("needs ", Argument("blocks")),
            argument=Argument("exchange", kind),
            remedy="a label for each row, or the name of a column",
        )
    blocks = Blocks.of(sample.blocks)
    kind = _chosen(sample, blocks) if kind == "auto" else kind
    try:
        part = _PARTS[kind](sample, blocks)
    except InputError as error:
        raise _with_remedy(error, sample, blocks, kind) from None
    if kind != "within":
        part = part._replace(sample=replace(part.sample, notes=not_about("within blocks", part.sample.notes)))
    inside = part.sample.blocks if kind == "within" else None
    count = blocks.count if inside is None else int(np.unique(inside).size)
    settings = {"blocks": count, "exchange": kind, "rows": sample.n}
    return part._replace(settings=settings, notes=(*part.notes, *_untested_note(part.untested)))


def _with_remedy(error: InputError, sample: Sample, blocks: Blocks, kind: str) -> InputError:
    """Add to a refusal without a remedy a call that works, if there is one."""
    problem = error.problems[0]
    if problem.remedy:
        return error
    remedy = "" if CANNOT in problem.finding else "nothing can be tested with these blocks"
    for other in _ADVISED:
        if other != kind:
            try:
                _PARTS[other](sample, blocks)
            except InputError as refused:
                remedy = refused.problems[0].remedy or remedy
                continue
            remedy = Message("use ", Argument("exchange", other), f", which {_ADVISED[other]}")
            break
    return InputError(problem.finding, argument=problem.argument, remedy=remedy)


def vary_within(sample: Sample, blocks: Blocks) -> NDArray[np.bool_]:
    """Return which columns of x vary within a block in which y varies: those that exchanging rows there moves."""
    moved = blocks.vary(sample.y.values).any(axis=1)
    return _of_columns(sample.x, blocks.vary(sample.x.values)[moved])


def _of_columns(x: Features, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which original columns are marked (..., expanded columns) anywhere."""
    parts = marked.reshape(-1, x.column_of.size).any(axis=0)
    return np.asarray(np.bincount(x.column_of, parts, minlength=x.p) > 0)


def _chosen(sample: Sample, blocks: Blocks) -> str:
    """Choose between the relation within blocks and that between them, or raise if x has columns of both kinds."""
    moves = vary_within(sample, blocks)
    if moves.all() or blocks.sizes.max() < 2:  # of blocks of one row, `exchange` says that there is nothing to exchange
        return "within"
    if not moves.any():
        return "between"
    if blocks.count < FEWEST_ROWS:  # only the former can be tested
        return "within"
    inner, outer = (listed(np.array(sample.x.names)[which].tolist(), 4) for which in (moves, ~moves))
    raise InputError(
        f": some columns vary within blocks ({inner}), others are constant within every block ({outer}): two questions",
        argument="x",
        remedy=Message(
            "ask for one of them, ",
            Argument("exchange", "within"),
            " for the former or ",
            Argument("exchange", "between"),
            " for the latter",
        ),
    )


def _within(sample: Sample, blocks: Blocks, of: str = "block") -> BlockPart:
    """Remove what blocks differ by, and blocks that say nothing; rows may be means of blocks, in groups `of` these."""
    exchange(blocks.labels, "within", sample.y)  # or raise
    moves = vary_within(sample, blocks)
    beside, remedy = "", ""
    if of == _OUTER:
        beside = remedy = Message("name the outer column alone as ", Argument("blocks"), " to compare these")
    elif of == "block" and blocks.count >= FEWEST_ROWS:
        beside = Message(Argument("exchange", "between"), " compares whole blocks")
    x, untested = _split(sample.x, moves, f"it is constant within every {of}", beside, remedy)
    telling = [np.asarray(blocks.vary(values).any(axis=1)) for values in (sample.y.values, x.values)]
    rows = np.flatnonzero((telling[0] & telling[1])[blocks.labels])
    if rows.size < FEWEST_ROWS:
        rows_are = "1 row is" if rows.size == 1 else f"{rows.size} rows are"
        finding = f": only {rows_are} in blocks within which both x and y vary, and a test needs {FEWEST_ROWS}"
        raise InputError(finding, argument="blocks", remedy="")
    found, y = _relative(replace(sample, x=x), rows, blocks)
    kept, numeric = Blocks.of(blocks.labels[rows]), y.kind == "numeric"
    every = np.flatnonzero(telling[1 if y.codes is None else 0][blocks.labels])
    measured = _relative(replace(sample, x=x), every, blocks, few=MOST_LEVELS)[0]
    what = "x and y are" if numeric else "x is"
    lost, gone = sample.n - rows.size, [label for label in sample.y.labels if label not in y.labels]
    rows_are = "1 row" if lost == 1 else f"{lost} rows"
    alone = (
        f" {rows_are} in blocks within which x or y does not vary {'is' if lost == 1 else 'are'} left out"
        if lost
        else ""
    )
    alone += f", and with them all of {listed(gone)}." if gone else "." if lost else ""
    inside = "1 block" if kept.count == 1 else f"{kept.count} blocks"
    note = f"The relation within {inside} is tested: {what} taken relative to the mean of the block.{alone}"
    return BlockPart(found, "within", untested, (note, *_little_note(x, blocks)), measured=measured)


def _relative(sample: Sample, rows: Ints, blocks: Blocks, few: int = 2) -> tuple[Sample, Response]:
    """Return some rows, x and a numeric y less the means of their blocks, and y as it was; of x see `_centred`."""
    found = take_rows(sample, rows)
    kept, y = Blocks.of(blocks.labels[rows]), _classes_present(found.y)
    numeric = y.kind == "numeric"
    centred = replace(y, values=read_only(kept.centred(y.values))) if numeric else y
    x = _centred(found.x, kept, few if numeric else 0)
    return replace(found, x=x, y=centred, units=found.n - kept.count), y


def _classes_present(y: Response) -> Response:
    """Return y without classes that have no rows."""
    if y.codes is None:
        return y
    present, codes = np.unique(y.codes, return_inverse=True)
    labels = tuple(y.labels[k] for k in present)
    return replace(y, values=read_only(y.values[:, present]), codes=read_only(codes.reshape(-1)), labels=labels)


def _little_note(x: Features, blocks: Blocks) -> tuple[str, ...]:
    """Name columns that hardly vary within blocks, so that little can be seen there."""
    inside, all_of_it = (np.nanvar(values, axis=0) for values in (blocks.centred(x.values), x.values))
    much = _of_columns(x, inside >= LITTLE * all_of_it)
    names = [name for name, enough in zip(x.names, much, strict=True) if not enough]
    if not names:
        return ()
    share = f"Less than {100 * LITTLE:g} % of the variance of {listed(names, 4)} lies within blocks; "
    return (Message(share, Argument("exchange", "between"), " compares blocks."),)


def _centred(x: Features, blocks: Blocks, few: int) -> Features:
    """Return columns less the mean of their block, but for categories and numbers of `few` values; all if that is 0.

    That is for a y that is centred itself. Centring one side is enough to remove what blocks differ by from every
    product of the two, and trees tell two values apart best as they are.
    """
    values, numbers = x.values.copy(), x.levels == 0
    if few:
        labels = np.array([bool(levels) for levels in x.categories])[x.column_of]
        numbers &= ~labels & np.array([np.unique(part[~np.isnan(part)]).size > few for part in values.T])
    values[:, numbers] = blocks.centred(values[:, numbers])
    shown = np.column_stack([x.column(j) for j in range(x.p)])
    alone = np.flatnonzero(numbers & np.array([not x.categories[j] for j in x.column_of]))
    shown[:, x.column_of[alone]] = values[:, alone]
    return replace(x, values=read_only(values), shown=read_only(shown))


def _between(sample: Sample, blocks: Blocks) -> BlockPart:
    """Make each block one row."""
    if blocks.count < FEWEST_ROWS:
        values = "a single value" if blocks.count == 1 else f"{blocks.count} different values"
        finding = f"has {values}, and comparing blocks takes {FEWEST_ROWS} or more"
        raise InputError(finding, argument="blocks", remedy="")
    inner = _of_columns(sample.x, blocks.vary(sample.x.values))
    y_varies = bool(blocks.vary(sample.y.values).any())
    sized = y_varies and not blocks.of_one_size  # how much means vary then depends on the size, in x as in y
    x, untested = sample.x, dict[str, str]()
    if sized and inner.any() and not inner.all():
        beside = Message("use ", Argument("exchange", "within"))
        x, untested = _split(x, ~inner, "it varies within blocks, and their sizes differ", beside)
        inner = np.zeros(x.p, np.bool_)
    means = _block_features(x, blocks, inner)
    differs = _of_columns(means, _differ(means.values, means.values[:1]))
    means, same = _split(means, differs, "it has the same mean in every block")
    y = _block_response(sample.y, blocks) if y_varies else _first_rows(sample.y, blocks)
    if (y.values == y.values[0]).all():
        finding = "has the same mean in every block, so permuting blocks changes nothing"
        raise InputError(finding, argument="y", remedy="")
    rows = Sample(means, y, sample.dropped, sample.notes, None, None, sample.tabular, units=blocks.count)
    by_size = sized and bool(inner.any())
    sides = " and ".join([*(["x"] if inner.any() else []), *(["y"] if y_varies else [])])
    means_of = f", each by the mean of {sides}" if sides else ""
    alike = "; means are permuted among blocks of one size" if by_size else ""
    outer = None if sample.inside is None else sample.inside[blocks.first]
    strata = [each for each in (outer, blocks.sizes if by_size else None) if each is not None]
    notes = (f"{blocks.count:,} blocks of {sample.n:,} rows in all are compared{means_of}{alike}.",)
    if not strata:
        return BlockPart(rows, "within", {**untested, **same}, notes)
    labels = np.unique(np.array(strata), axis=1, return_inverse=True)[1].reshape(-1)
    groups = Blocks.of(labels)
    if not groups.vary(y.values).any():
        where = "blocks of one size" if outer is None else "blocks of an outer block"
        finding = f"cannot be compared: no two {where} differ in y, so permuting them changes nothing"
        raise InputError(finding, argument="blocks", remedy="")
    inside = _within(replace(rows, blocks=labels), groups, "group of blocks of one size" if outer is None else _OUTER)
    return BlockPart(inside.sample, "within", {**untested, **same, **inside.untested}, notes, measured=inside.measured)


def _whole(sample: Sample, blocks: Blocks) -> BlockPart:
    """Leave out columns that are the same in all blocks that change places."""
    exchange(blocks.labels, "whole", sample.y, sample.inside)  # or raise
    sides = [name for name, side in (("x", sample.x), ("y", sample.y)) if not blocks.vary(side.values).any()]
    better = Argument("exchange", "between")
    notes = (
        (Message(f"{sides[0]} is constant within every block; ", better, " compares their means."),) if sides else ()
    )
    if not blocks.of_one_size:
        return BlockPart(sample, "whole", notes=notes)
    values = sample.x.values[blocks.order.reshape(blocks.count, -1)]
    outer = np.zeros(blocks.count) if sample.inside is None else sample.inside[blocks.first]
    _, leads, numbers = np.unique(outer, return_index=True, return_inverse=True)
    moved = _of_columns(sample.x, _differ(values, values[leads[numbers]]))
    x, untested = _split(sample.x, moved, "it is the same in every block")
    return BlockPart(replace(sample, x=x), "whole", untested, notes)


def _differ(values: Floats, others: Floats) -> NDArray[np.bool_]:
    differ: NDArray[np.bool_] = (values != others) & ~(np.isnan(values) & np.isnan(others))
    return differ


def _split(
    x: Features, testable: NDArray[np.bool_], why: str, beside: str = "", remedy: str = ""
) -> tuple[Features, dict[str, str]]:
    """Return the columns that can be tested, and why the others cannot, with what to do; raise if none can."""
    words: str = Message(CANNOT, ": ", why, *(("; ", beside) if beside else ()))
    untested = {name: words for name, can in zip(x.names, testable, strict=True) if not can}
    if len(untested) == x.p:
        raise InputError(Message(f": {listed(x.names, 4)} ", CANNOT, ": ", why), argument="x", remedy=remedy)
    return (column_part(x, np.flatnonzero(testable).tolist()) if untested else x), untested


def _block_features(x: Features, blocks: Blocks, inner: NDArray[np.bool_]) -> Features:
    """Return one row per block: the value of a column that is constant within blocks, else the mean or the shares."""
    parts = [
        _means(column_part(x, [j]), blocks) if inner[j] else _values(column_part(x, [j]), blocks) for j in range(x.p)
    ]
    starts = np.cumsum([0, *(part.p for part in parts)])
    column_of = np.concatenate([part.column_of + start for part, start in zip(parts, starts[:-1], strict=True)])
    return Features(
        values=read_only(np.concatenate([part.values for part in parts], axis=1)),
        names=tuple(name for part in parts for name in part.names),
        kinds=tuple(kind for part in parts for kind in part.kinds),
        column_of=read_only(column_of),
        missing=tuple(count for part in parts for count in part.missing),
        categories=tuple(labels for part in parts for labels in part.categories),
        units=tuple(part.unit(j) for part in parts for j in range(part.p)),
        cycles=tuple(part.cycle(j) for part in parts for j in range(part.p)),
    )


def _values(x: Features, blocks: Blocks) -> Features:
    """Return one row per block of a column that is constant within blocks."""
    values = x.values[blocks.first]
    shown = None if x.shown is None else x.shown[blocks.first]
    return replace(x, values=values, missing=(int(np.isnan(values[:, 0]).sum()),), shown=shown)


def _means(x: Features, blocks: Blocks) -> Features:
    """Return the mean of a column in each block, or for categories the share of each level, of two levels one."""
    levels = x.categories[0]
    values = blocks.means(common_levels(x).values)
    if x.cycle(0) is not None:
        return replace(x, values=values, missing=(int(np.isnan(values[:, 0]).sum()),), shown=None)
    names = list(x.names)
    if levels:
        known = levels if len(levels) == values.shape[1] else range(1, values.shape[1] + 1)
        names = [f"{x.names[0]}{_SHARE}{level}" for level in known]
    if len(names) == 2:
        names, values = names[1:], values[:, 1:]
    kinds: list[Kind] = ["numeric" for _ in names]
    holes, columns = np.isnan(values).sum(axis=0).tolist(), np.arange(len(names))
    units = () if levels else x.units
    return Features(values, tuple(names), tuple(kinds), columns, tuple(holes), ((),) * len(names), units=units)


def column_of(name: str, names: Sequence[str]) -> int:
    """Return the place of the column that a column of means is about, which may be the share of one of its levels."""
    return (
        names.index(name) if name in names else next(j for j, own in enumerate(names) if name.startswith(own + _SHARE))
    )


def _first_rows(y: Response, blocks: Blocks) -> Response:
    """Return y with one row per block, within which it is constant."""
    found = y.take(blocks.first)
    return found if found.followed is None else replace(found, values=read_only(log_rank_scores(found.followed)))


def _block_response(y: Response, blocks: Blocks) -> Response:
    """Return the mean of y in each block: of classes the shares, of times and events the mean of their scores."""
    values, names = blocks.means(y.values), y.names
    if y.labels:
        names = share_names(y)
        names, values = (names[1:], values[:, 1:]) if len(names) == 2 else (names, values)
    return Response(read_only(values), names, "numeric", None, (), units=() if y.labels else y.units)


def share_names(y: Response) -> tuple[str, ...]:
    """Return what to call the shares of the classes of y."""
    return tuple(f"share with {y.names[0]} = {label}" for label in y.labels)


def _untested_note(untested: Mapping[str, str]) -> tuple[str, ...]:
    """Name the columns that are not tested, once for each reason."""
    reasons: dict[str, list[str]] = {}
    for name, why in untested.items():
        reasons.setdefault(why, []).append(name)
    return tuple(Message(f"{listed(names, 4)} ", why, ".") for why, names in reasons.items())


_PARTS = {"within": _within, "between": _between, "whole": _whole}
_ADVISED = {"between": "compares blocks by their means", "within": "compares rows of one block"}
