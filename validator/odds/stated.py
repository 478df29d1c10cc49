"""The mathematics that a submission states, held against what its rules come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from msgspec.structs import replace

from validator.engine.compiled.game import prepare
from validator.engine.core.house_rules import configuration_of
from validator.evidence.submission.model import Submission
from validator.odds.counting.counts import Counts, Tell
from validator.odds.figures import DocumentOdds, StatedFigure, WagerOdds
from validator.odds.work_out import work_out
from validator.rules.core.regulation import Regulation

_SURELY = 2
"""A figure is held against simulated rounds only where it is so many times as far off as their interval reaches: chance
alone is that far off once in ten thousand times."""


def stated_odds(regulation: Regulation, submission: Submission, tell: Tell) -> DocumentOdds:
    """The odds of the wagers of which a submission states some, as it offers them, and of each figure whether it is
    right. `tell` hears how far long work has come."""
    found = DocumentOdds(document=regulation.id, title=regulation.document.title, wagers=())
    if regulation.game is not None:
        counts, house, seeds = Counts(prepare(regulation), tell), configuration_of(submission), seeds_of(submission)
        wagers = dict.fromkeys(one.wager for one in submission.stated_odds or ())
        rows = [
            row
            for wager in wagers
            for row in work_out(regulation, stated=house, meters=seeds, wager=wager, counted=counts).wagers
            if row.wager == wager
        ]
        found = replace(found, wagers=tuple(rows))
    return replace(found, stated=tuple(stated_figures(submission, found)))


def seeds_of(submission: Submission | None) -> Mapping[str, int]:
    """What the meters of a submission start from, in minor units."""
    meters = [] if submission is None else submission.meters or []
    return {one.meter: one.seed for one in meters if one.seed is not None}


def stated_figures(submission: Submission, odds: DocumentOdds) -> Iterator[StatedFigure]:
    """Every figure that is stated. A wager that is offered in several ways must be as stated in each of them."""
    for index, one in enumerate(submission.stated_odds or []):
        rows = [row for row in odds.wagers if one.wager == row.wager]
        figures = (("house-advantage", one.house_advantage), ("element-of-risk", one.element_of_risk))
        for figure, stated in figures:
            if stated is None:
                continue
            held = [(_holds(row, figure, stated), row) for row in rows]
            # The first that is wrong tells most, then the first that is not known.
            holds, row = min(held, key=lambda of_row: _RANK[of_row[0]], default=(None, None))
            yield StatedFigure(
                at=("stated-odds", index, figure),
                wager=one.wager,
                figure=figure,
                stated=stated,
                found=None if row is None else _found(row, figure),
                holds=holds,
                why=_why(row, figure) if holds is None else None,
            )


_RANK = {False: 0, None: 1, True: 2}


def _found(row: WagerOdds, figure: str) -> str | None:
    return row.house_advantage if figure == "house-advantage" else row.element_of_risk


def _holds(row: WagerOdds, figure: str, stated: str) -> bool | None:
    """Whether a stated figure is right, to the last digit that is stated. Rounds that were simulated show that one is
    wrong, and never that it is right."""
    text = _found(row, figure)
    if text is None:
        return None
    value, width = _read(stated)
    if row.exact:
        return abs(Fraction(text) - value) <= width / 2
    if row.interval is None or figure != "house-advantage":
        return None
    low, high = map(Fraction, row.interval)
    off = abs(value - (low + high) / 2) - width / 2
    return False if off > _SURELY * (high - low) / 2 else None


def _why(row: WagerOdds | None, figure: str) -> str:
    """Why it is not known whether a figure is right."""
    if row is None:
        return "it has no odds of its own: it is not offered, not settled by the house, or goes with another wager"
    if _found(row, figure) is None:
        return row.why or "it has none"
    low, high = row.interval or (0.0, 0.0)
    about = f" from {100 * low:.3f} % to {100 * high:.3f} %" if figure == "house-advantage" else ""
    return f"it is only simulated{about}, which proves no figure"


def _read(stated: str) -> tuple[Fraction, Fraction]:
    """The number that is stated, and how much its last digit is worth; a fraction is meant as it stands."""
    if not stated.endswith("%"):
        return Fraction(stated), Fraction(0)
    number = stated.removesuffix("%").strip()
    digits = len(number.partition(".")[2])
    return Fraction(number) / 100, Fraction(1, 100 * 10**digits)
