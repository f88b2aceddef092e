"""The pictures of a page: which of `kmerf.pictures` it has, drawn as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from kmerf.pictures import of_answers, of_data, of_studies
from kmerf.report.svg import Frame, draw, frame_of, tag

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.results.screen_result import Screen
    from kmerf.results.single_result import Result
    from kmerf.results.views import RowMap

LABELS = 12  # columns named in the plot of a screen
MANY = 2000  # points that are drawn small


class Panel(NamedTuple):
    """A drawing, and what is left out of it."""

    chart: Markup
    note: str = ""


def null_histogram(values: Floats, observed: float, pvalue: str) -> Markup:
    """Draw the permuted statistics and the observed one, with its p-value."""
    return draw(of_answers.null_distribution(values, observed, f"your data, {pvalue}"))


def bar(value: float, low: float, high: float, peak: float, chosen: bool, spread: str) -> Markup:
    """Draw a bar with a line for the spread, which a word says what it is; all bars of a table have one peak."""
    return draw(of_answers.importance_bar(value, low, high, peak, chosen, spread), "bar")


def peak_of(high: Sequence[float]) -> float:
    """Return what the longest bar of a table stands for."""
    return max([*high, 1e-12])


def map_chart(embedding: RowMap, labels: Sequence[str], numbers: Sequence[int] | None = None, y: str = "y") -> Markup:
    """Draw the map of rows, coloured by group or by the rank of y; `numbers` are those of the rows in the file."""
    return draw(of_answers.row_map(embedding, labels, y, numbers))


def survival_section(result: Result) -> dict[str, Any] | None:
    """Draw the curves, where the outcome has times and the forests were looked into."""
    curves = None if result.details is None else result.details.survival
    if curves is None:
        return None
    picture = of_answers.survival(curves)
    return {
        "chart": draw(picture),
        "legend": [(f"c{group}", label) for group, label in picture.entries],
        "feature": curves.feature,
        "time": curves.time,
        "left_out": picture.note,
    }


def data_panels(result: Result, y: str) -> list[Panel]:
    """Draw y alone, and y beside each of the most important columns."""
    assert result.details is not None
    points, labels = result.details.points, list(result.groups)
    scale = None if points is None else of_data.scale_of(points.y)
    alone = of_data.y_alone(points, result.groups, y)
    pictures = [] if alone is None else [alone]
    pictures += [of_data.beside(each, points, labels, y, scale=scale) for each in result.details.profiles]
    return [Panel(draw(picture), picture.note) for picture in pictures]


def screen_plot(result: Screen) -> tuple[Markup, Frame]:
    """Draw -log10 p of every column, and return where its points lie, for the script that names them."""
    picture = of_studies.screen(result, LABELS)
    hover = tag("g", tag("circle", r=6, cx=-20, cy=-20), tag("text", "", x=-20, y=-20), id="hover")
    class_ = "chart wide many" if len(result) > MANY else "chart wide"
    return draw(picture, class_, hover, id="plot", tabindex=0), frame_of(picture)


def histogram(result: Screen) -> Markup:
    """Draw how the p-values of a screen are spread."""
    return draw(of_studies.pvalue_histogram(result))
