"""Geometry of a drawn table layout: edge, positions, areas with their legends, signs, and marks of findings.

Lengths are in the units of the drawing's view box, rounded to a tenth so that the same layout gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import dist
from typing import Literal, TypeAlias

from msgspec import Struct

from validator.reports.html.table_shapes import FORMS, Form
from validator.reports.html.text_fitting import fitted
from validator.reports.overview import GroupNumbers
from validator.results.layouts import Layout, LayoutArea, LayoutMark, Per
from validator.results.statuses import WORST_FIRST, Status

WIDTH, HEIGHT = 960, 528
SIGN_HEIGHT = 58
"""Height above the table for the signs, if there are any."""

TABLE_AREA = (84.0, 36.0)
"""Width and height of an area of the whole table."""

_MOST_POSITIONS, _MOST_AREAS, _MOST_OF_TABLE, _MOST_SIGNS = 12, 6, 4, 4
_LARGEST_RADIUS = 34.0
_LARGE = 22.0
"""Radius from which a legend that does not fit is cut instead of replaced by a number."""

_ROOM = 1.62
_LINE = 11.0
_OUTERMOST = 0.87
_BETWEEN = 8.0

Shape: TypeAlias = Literal["round", "square", "wide"]


class Line(Struct, frozen=True, kw_only=True):
    """Short text with its place relative to its shape, or to the drawing if it has none."""

    x: float
    """Distance to the right."""
    y: float
    """Distance down."""
    text: str
    """Text, cut to fit."""


class Pointer(Struct, frozen=True, kw_only=True):
    """Mark of a finding on a part of the layout."""

    status: Status
    """Status of the finding."""
    number: int | None
    """Number of the finding in the report; None if it is not listed there."""


class Spot(Struct, frozen=True, kw_only=True):
    """Drawn area of a layout."""

    x: float
    """Distance of its middle from the left."""
    y: float
    """Distance of its middle from the top."""
    shape: Shape
    """Round for a wager at a position, square for another area there, wide for an area of the table."""
    position: int | None
    """Position that the area belongs to, from 1; None for an area of the table."""
    area: LayoutArea
    """Area that is drawn."""
    lines: tuple[Line, ...]
    """Lines of its legend."""
    finding: Pointer | None
    """Finding on the area or its legend."""
    on_legend: bool
    """True if the finding is on the legend alone."""
    ghost: bool = False
    """True if the layout lacks this area."""


class Plate(Struct, frozen=True, kw_only=True):
    """Drawn sign at the table."""

    x: float
    """Distance of its left edge from the left."""
    width: float
    """Width of the sign."""
    text: str
    """Text, cut to fit."""
    finding: Pointer | None
    """Finding on the sign."""


class LayoutDrawing(Struct, frozen=True, kw_only=True):
    """Layout with the places of all its parts.

    A drawing has room for twelve positions with six areas each, four areas of the table and four signs.
    """

    layout: Layout
    """Layout that is drawn."""
    form: Form
    """Outline of the table."""
    top: int
    """Upper edge of the view box."""
    radius: float
    """Radius of every round area."""
    seats: tuple[Line, ...]
    """Numbers of the positions along the arc."""
    spots: tuple[Spot, ...]
    """Areas of positions and of the table."""
    plates: tuple[Plate, ...]
    """Signs above the table."""
    finding: Pointer | None
    """Finding on the layout as a whole."""
    positions: int
    """Number of drawn positions."""
    areas: int
    """Number of drawn kinds of area, missing ones included."""

    @property
    def whole(self) -> bool:
        """True if the whole layout is drawn."""
        return (
            self.positions == (self.layout.positions or 1)
            and self.areas == len(self.layout.areas) + len(self.layout.lacks)
            and len(self.plates) == len(self.layout.signage)
        )


def draw(layout: Layout, numbers: GroupNumbers) -> LayoutDrawing:
    """Lay the positions along the table's edge and stack their areas from the edge towards the dealer."""
    positions = min(max(1 if layout.positions is None else layout.positions, 0), _MOST_POSITIONS)
    numbered = list(enumerate((*layout.areas, *layout.lacks), 1))
    own = [(at, area) for at, area in numbered if area.per is Per.POSITION][:_MOST_AREAS]
    shared = [(at, area) for at, area in numbered if area.per is Per.TABLE][:_MOST_OF_TABLE]
    ghosts = range(len(layout.areas) + 1, len(numbered) + 1)
    form = FORMS[layout.shape]
    angles = form.angles(positions)
    step = (0.46 if shared else 0.6) / max(len(own), 3)
    rings = [_OUTERMOST - step * ring for ring in range(len(own))]
    radius = _radius(form, angles, rings)
    spots = [
        _spot(at, area, _on_ring(form, angle, ring), radius, position, numbers, ghost=at in ghosts)
        for position, angle in enumerate(angles, 1)
        for (at, area), ring in zip(own, rings, strict=True)
    ]
    spots += [
        _spot(at, area, middle, radius, None, numbers, ghost=at in ghosts)
        for (at, area), middle in zip(shared, _in_a_row(form, len(shared)), strict=True)
    ]
    return LayoutDrawing(
        layout=layout,
        form=form,
        top=-SIGN_HEIGHT if layout.signage else 0,
        radius=radius,
        seats=tuple(
            Line(x=x, y=round(y + 4, 1), text=str(seat))
            for seat, angle in enumerate(angles, 1)
            for x, y in [form.at(angle, ((form.felt[0] + form.rail[0]) / 2, (form.felt[1] + form.rail[1]) / 2))]
        ),
        spots=tuple(spots),
        plates=_plates(layout, numbers),
        finding=pointer(layout.marks, numbers),
        positions=positions,
        areas=len(own) + len(shared),
    )


def pointer(marks: Sequence[LayoutMark], numbers: GroupNumbers) -> Pointer | None:
    """Return the worst of some marks, None without any."""
    if not marks:
        return None
    worst = min(marks, key=lambda mark: WORST_FIRST.index(mark.status))
    return Pointer(status=worst.status, number=numbers.get((worst.status, worst.requirement)))


def _on_ring(form: Form, angle: float, ring: float) -> tuple[float, float]:
    """Return a point at an angle, at the share `ring` of the way from the middle to the edge of the felt."""
    return form.at(angle, (form.felt[0] * ring, form.felt[1] * ring))


def _in_a_row(form: Form, count: int) -> list[tuple[float, float]]:
    """Return the middles of the areas of the table, side by side before the dealer."""
    width, _ = TABLE_AREA
    first = form.centre[0] - (count - 1) * (width + _BETWEEN) / 2
    return [(round(first + at * (width + _BETWEEN), 1), form.areas) for at in range(count)]


def _radius(form: Form, angles: list[float], rings: list[float]) -> float:
    """Return the largest radius at which no two neighbouring areas touch."""
    points = {(a, r): _on_ring(form, angle, ring) for a, angle in enumerate(angles) for r, ring in enumerate(rings)}
    neighbours = [dist(points[a, r], points[b, r]) for a, b in pairwise(range(len(angles))) for r in range(len(rings))]
    neighbours += [dist(points[a, r], points[a, s]) for r, s in pairwise(range(len(rings))) for a in range(len(angles))]
    return round(min(_LARGEST_RADIUS, 0.45 * min(neighbours, default=WIDTH)), 1)


def _spot(
    at: int,
    area: LayoutArea,
    middle: tuple[float, float],
    radius: float,
    position: int | None,
    numbers: GroupNumbers,
    *,
    ghost: bool,
) -> Spot:
    """Return an area drawn around a point.

    Args:
        at: number of the area in the layout, shown if the area is too small for its legend.
        middle: the point.
        position: position of the area; None for an area of the table.
    """
    if position is None:
        texts = fitted(area.legend, width=TABLE_AREA[0] - 8, lines=2)
    else:
        texts = fitted(area.legend, width=_ROOM * radius, lines=3 if radius >= _LARGE else 1)
        if radius < _LARGE and any("…" in text for text in texts):
            texts = ()
    texts = texts or (str(at),)
    top = 3.2 - _LINE * (len(texts) - 1) / 2
    marks = (*area.marks, *area.legend_marks)
    return Spot(
        x=middle[0],
        y=middle[1],
        shape="wide" if position is None else "round" if area.wager else "square",
        position=position,
        area=area,
        lines=tuple(Line(x=0, y=round(top + _LINE * row, 1), text=text) for row, text in enumerate(texts)),
        finding=pointer(marks, numbers),
        on_legend=bool(area.legend_marks) and not area.marks,
        ghost=ghost,
    )


def _plates(layout: Layout, numbers: GroupNumbers) -> tuple[Plate, ...]:
    """Return the signs side by side above the table."""
    signs = layout.signage[:_MOST_SIGNS]
    width = min(300.0, (WIDTH - 48 - 16 * (len(signs) - 1)) / max(len(signs), 1))
    first = (WIDTH - len(signs) * width - (len(signs) - 1) * 16) / 2
    return tuple(
        Plate(
            x=round(first + at * (width + 16), 1),
            width=round(width, 1),
            text=" ".join(fitted(sign.text, width=width - 28, lines=1, letter=7.4)),
            finding=pointer(sign.marks, numbers),
        )
        for at, sign in enumerate(signs)
    )
