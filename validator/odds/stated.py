"""The mathematics that a submission states, held against what its rules come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
        wagers = dict.fromkeys(figure.wager for figure in submission.stated_odds or ())
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
    return {meter.meter: meter.seed for meter in meters if meter.seed is not None}


def stated_figures(submission: Submission, odds: DocumentOdds) -> Iterator[StatedFigure]:
    """Every figure that is stated. It must be right under each pay table that is posted; where it is right in some and
    not in all of the ways that a submission leaves open, it is not known which of them is meant."""
    for index, entry in enumerate(submission.stated_odds or []):
        rows = [row for row in odds.wagers if entry.wager == row.wager]
        figures = (("house-advantage", entry.house_advantage), ("element-of-risk", entry.element_of_risk))
        for figure, stated in figures:
            if stated is None:
                continue
            posted = [[row for row in rows if row.posted == at] for at in dict.fromkeys(row.posted for row in rows)]
            # The first that is wrong tells most, then the first that is not known.
            held = [_in_all(some, figure, stated) for some in posted]
            holds, row, why = min(held, key=lambda one: _RANK[one[0]], default=(None, None, _NO_ODDS))
            yield StatedFigure(
                at=("stated-odds", index, figure),
                wager=entry.wager,
                figure=figure,
                stated=stated,
                found=None if row is None else _found(row, figure),
                holds=holds,
                why=why,
            )


_RANK = {False: 0, None: 1, True: 2}
_NO_ODDS = "it has no odds of its own: it is not offered, not settled by the house, or goes with another wager"
_OPEN = "it is so in some of the ways to offer it that the submission leaves open, and not in others"


def _in_all(rows: Sequence[WagerOdds], figure: str, stated: str) -> tuple[bool | None, WagerOdds, str | None]:
    """Whether a figure is right in all of some ways to offer a wager or wrong in all of them, None otherwise; the row
    that shows it, and why it is not known."""
    held = [(_holds(row, figure, stated), row) for row in rows]
    first = min(held, key=lambda one: _RANK[one[0]])
    if {False, True} <= {holds for holds, _ in held}:
        return None, first[1], _OPEN
    unknown = next((row for holds, row in held if holds is None), None)
    return (*first, None) if unknown is None else (None, unknown, _why(unknown, figure))


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


def _why(row: WagerOdds, figure: str) -> str:
    """Why it is not known whether a figure is right."""
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
