"""Submitted table layouts, with the parts that a report draws."""

from __future__ import annotations

from enum import StrEnum

from validator.results.statuses import Recorded, Status


class Per(StrEnum):
    """Owner of an area: each betting position has one, or the table as a whole."""

    POSITION = "position"
    TABLE = "table"


class TableShape(StrEnum):
    """Outline of a table."""

    HALF_ROUND = "half-round"
    OVAL = "oval"


class LayoutMark(Recorded, frozen=True, kw_only=True):
    """Status of a requirement whose findings point at a part of the layout."""

    requirement: str
    status: Status


class LayoutArea(Recorded, frozen=True, kw_only=True):
    """Area of a submitted layout with its legend."""

    area: str
    legend: str
    wager: bool = True
    """True if players place a wager there."""
    per: Per = Per.POSITION
    marks: tuple[LayoutMark, ...] = ()
    """Findings that point at the area."""
    legend_marks: tuple[LayoutMark, ...] = ()
    """Findings that point at the legend."""


class LayoutSign(Recorded, frozen=True, kw_only=True):
    """Sign at the table, with the findings that point at it."""

    text: str
    marks: tuple[LayoutMark, ...] = ()


class Layout(Recorded, frozen=True, kw_only=True):
    """Submitted table layout, with the parts that a report draws."""

    file: str
    title: str
    positions: int | None
    """Number of betting positions; None if the submission does not state it."""
    areas: tuple[LayoutArea, ...]
    signage: tuple[LayoutSign, ...] = ()
    marks: tuple[LayoutMark, ...] = ()
    """Findings that point at the layout as a whole."""
    shape: TableShape = TableShape.HALF_ROUND
    lacks: tuple[LayoutArea, ...] = ()
    """Required areas that are missing, each with its findings."""
