"""Submitted table layouts, as far as a report draws them."""

from __future__ import annotations

from enum import StrEnum

from validator.results.statuses import Recorded, Status


class Per(StrEnum):
    """What an area of a layout is there for once: each position, or the table."""

    POSITION = "position"
    TABLE = "table"


class TableShape(StrEnum):
    """The outline of a table."""

    HALF_ROUND = "half-round"
    OVAL = "oval"


class LayoutMark(Recorded, frozen=True, kw_only=True):
    """That findings of a requirement, with this status, point at a part of a layout."""

    requirement: str
    status: Status


class LayoutArea(Recorded, frozen=True, kw_only=True):
    """An area of a submitted layout with its legend, and what findings point at the one or the other.

    `wager` says whether a wager is placed there.
    """

    area: str
    legend: str
    wager: bool = True
    per: Per = Per.POSITION
    marks: tuple[LayoutMark, ...] = ()
    legend_marks: tuple[LayoutMark, ...] = ()


class LayoutSign(Recorded, frozen=True, kw_only=True):
    """A sign at the table, and what findings point at it."""

    text: str
    marks: tuple[LayoutMark, ...] = ()


class Layout(Recorded, frozen=True, kw_only=True):
    """A submitted table layout, as far as a report draws it.

    `positions` is None where the submission does not state it; `marks` are of findings that point at the
    layout as a whole. `lacks` are areas that it should have, each with the findings that say so.
    """

    file: str
    title: str
    positions: int | None
    areas: tuple[LayoutArea, ...]
    signage: tuple[LayoutSign, ...] = ()
    marks: tuple[LayoutMark, ...] = ()
    shape: TableShape = TableShape.HALF_ROUND
    lacks: tuple[LayoutArea, ...] = ()
