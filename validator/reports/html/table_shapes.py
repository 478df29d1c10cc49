"""Outlines of drawn tables: the felt, the positions of players, and the areas before the dealer.

Lengths are in the units of the drawing's own view box, angles in degrees clockwise from its right.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, radians, sin

from msgspec import Struct

from validator.results.layouts import TableShape

Point = tuple[float, float]


class Form(Struct, frozen=True, kw_only=True):
    """Table seen from above, with the dealer at the top."""

    centre: Point
    """Middle of the ellipse on which players sit."""
    felt: Point
    """Half axes of the ellipse."""
    rail: Point
    """Half axes of the rail around the felt."""
    first: float
    """Angle of the first position."""
    last: float
    """Angle of the last position, less than that of the first."""
    areas: float
    """Distance of the table's own areas from the top."""
    tray: Point
    """Upper left corner of the dealer's rack."""
    pin: Point
    """Place for a mark of the whole table."""
    closed: bool
    """True if the ellipse is the whole outline; else a straight side closes it before the dealer."""

    def angles(self, positions: int) -> list[float]:
        """Return the angles of a number of positions."""
        if positions == 1:
            return [90.0]
        span = self.first - self.last
        return [self.first - span * index / (positions - 1) for index in range(positions)]

    def at(self, angle: float, axes: Point) -> Point:
        """Return a point of an ellipse around the centre, rounded to a tenth."""
        x = self.centre[0] + axes[0] * cos(radians(angle))
        y = self.centre[1] + axes[1] * sin(radians(angle))
        return round(x, 1), round(y, 1)

    def edge(self, grow: float) -> str:
        """Return the outline of the table as an SVG path, `grow` units outside the felt."""
        x, y = self.centre
        rx, ry = self.felt[0] + grow, self.felt[1] + grow
        arc = f"A{rx:g} {ry:g} 0 0 1"
        if self.closed:
            return f"M{x - rx:g} {y:g}{arc} {x + rx:g} {y:g}{arc} {x - rx:g} {y:g}Z"
        top = y - 26 - grow
        return f"M{x - rx:g} {top:g}H{x + rx:g}V{y:g}{arc} {x - rx:g} {y:g}Z"


FORMS: Mapping[TableShape, Form] = {
    TableShape.HALF_ROUND: Form(
        centre=(480.0, 56.0),
        felt=(426.0, 440.0),
        rail=(450.0, 464.0),
        first=162.0,
        last=18.0,
        areas=94.0,
        tray=(400.0, 38.0),
        pin=(48.0, 22.0),
        closed=False,
    ),
    TableShape.OVAL: Form(
        centre=(480.0, 264.0),
        felt=(426.0, 226.0),
        rail=(450.0, 250.0),
        first=238.0,
        last=-58.0,
        areas=264.0,
        tray=(400.0, 48.0),
        pin=(162.0, 87.0),
        closed=True,
    ),
}
