"""Where the lines of a drawing go: the bar of statuses and the schematic of a submitted table layout.

Lengths are in the units of the drawing's own view box, rounded to a tenth so that the same layout gives
the same bytes everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import cos, dist, radians, sin

from validator.text.visible import visible
from validator.verdicts import Layout, LayoutArea, Status

BAR_WIDTH = 1000
_SLIMMEST = 8

WIDTH, HEIGHT = 960, 438
_CENTRE = (480.0, 56.0)
_FELT = (420.0, 350.0)
_RAIL = (444.0, 374.0)
_FIRST_ANGLE, _LAST_ANGLE = 162.0, 18.0
_MOST_POSITIONS, _MOST_AREAS = 12, 6
_LARGEST_RADIUS = 34.0
_SMALLEST_WITH_WORDS = 22.0
_LETTER = 5.9
_LINE = 11.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """One status in the bar: where it starts and how wide it is, of `BAR_WIDTH`."""

    status: Status
    x: float
    width: float


def bar(counts: Mapping[Status, int]) -> tuple[Slice, ...]:
    """The bar's slices in the order given, zeros left out.

    Widths are in proportion, except that no slice is too slim to be seen; the widest gives what it takes.
    """
    present = {status: count for status, count in counts.items() if count}
    if not present:
        return ()
    total = sum(present.values())
    widths = {s: max(float(_SLIMMEST), BAR_WIDTH * count / total) for s, count in present.items()}
    widest = max(widths, key=lambda status: widths[status])
    widths[widest] -= sum(widths.values()) - BAR_WIDTH
    slices: list[Slice] = []
    x = 0.0
    for status, width in widths.items():
        slices.append(Slice(status=status, x=round(x, 1), width=round(width, 1)))
        x += width
    return tuple(slices)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A short text and its place."""

    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One betting area at one position: a circle and what is written in it."""

    x: float
    y: float
    flagged: bool
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutDrawing:
    """A layout ready to be drawn: the player positions along the arc, the betting areas before each.

    `radius` is that of every spot. `positions` and `areas` say how many were drawn: a drawing has room
    for twelve positions with six areas each, the layout itself may name more.
    """

    layout: Layout
    radius: float
    seats: tuple[Line, ...]
    spots: tuple[Spot, ...]
    positions: int
    areas: int


def draw(layout: Layout) -> LayoutDrawing:
    """Lay the positions along the table's edge and stack the areas from the edge towards the dealer."""
    positions = min(max(layout.positions, 0), _MOST_POSITIONS)
    areas = layout.areas[:_MOST_AREAS]
    angles = _angles(positions)
    step = 0.6 / max(len(areas), 3)
    rings = [0.87 - step * ring for ring in range(len(areas))]
    radius = _radius(angles, rings)
    return LayoutDrawing(
        layout=layout,
        radius=radius,
        seats=tuple(
            Line(x=x, y=round(y + 4, 1), text=str(seat))
            for seat, angle in enumerate(angles, 1)
            for x, y in [_on_ellipse(angle, ((_FELT[0] + _RAIL[0]) / 2, (_FELT[1] + _RAIL[1]) / 2))]
        ),
        spots=tuple(
            _spot(index, area, _on_ellipse(angle, (_FELT[0] * ring, _FELT[1] * ring)), radius)
            for angle in angles
            for index, (area, ring) in enumerate(zip(areas, rings, strict=True), 1)
        ),
        positions=positions,
        areas=len(areas),
    )


def edge(grow: float) -> str:
    """The outline of the table as an SVG path, `grow` units outside the felt: a straight side, an arc."""
    x, y = _CENTRE
    rx, ry = _FELT[0] + grow, _FELT[1] + grow
    top = y - 26 - grow
    return f"M{x - rx:g} {top:g}H{x + rx:g}V{y:g}A{rx:g} {ry:g} 0 0 1 {x - rx:g} {y:g}Z"


def _angles(positions: int) -> list[float]:
    if positions == 1:
        return [90.0]
    span = _FIRST_ANGLE - _LAST_ANGLE
    return [_FIRST_ANGLE - span * index / (positions - 1) for index in range(positions)]


def _on_ellipse(angle: float, axes: tuple[float, float]) -> tuple[float, float]:
    x = _CENTRE[0] + axes[0] * cos(radians(angle))
    y = _CENTRE[1] + axes[1] * sin(radians(angle))
    return round(x, 1), round(y, 1)


def _radius(angles: list[float], rings: list[float]) -> float:
    """The largest radius at which no two neighbouring spots touch."""
    points = {
        (a, r): _on_ellipse(angle, (_FELT[0] * ring, _FELT[1] * ring))
        for a, angle in enumerate(angles)
        for r, ring in enumerate(rings)
    }
    neighbours = [dist(points[a, r], points[b, r]) for a, b in pairwise(range(len(angles))) for r in range(len(rings))]
    neighbours += [dist(points[a, r], points[a, s]) for r, s in pairwise(range(len(rings))) for a in range(len(angles))]
    return round(min(_LARGEST_RADIUS, 0.45 * min(neighbours, default=WIDTH)), 1)


def _spot(index: int, area: LayoutArea, centre: tuple[float, float], radius: float) -> Spot:
    x, y = centre
    texts = _fitted(visible(area.legend), radius) or (str(index),)
    if area.flagged and radius >= _SMALLEST_WITH_WORDS and len(texts) < 3:
        texts += ("flagged",)
    top = y - _LINE * (len(texts) - 1) / 2 + 3.2
    return Spot(
        x=x,
        y=y,
        flagged=area.flagged,
        lines=tuple(Line(x=x, y=round(top + _LINE * row, 1), text=text) for row, text in enumerate(texts)),
    )


def _fitted(legend: str, radius: float) -> tuple[str, ...]:
    """The legend in at most three lines that fit a circle of this radius; empty where it does not fit."""
    room = int(1.72 * radius / _LETTER)
    lines: list[str] = []
    for word in legend[:64].split():
        if len(word) > room:
            return ()
        if lines and len(lines[-1]) + 1 + len(word) <= room:
            lines[-1] += " " + word
        else:
            lines.append(word)
    fits = radius >= _SMALLEST_WITH_WORDS and len(legend) <= 64 and len(lines) <= 3
    return tuple(lines) if fits else ()
