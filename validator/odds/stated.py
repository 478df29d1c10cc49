"""Check of the figures that a submission states, such as the house advantage."""

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
"""Half widths of the interval by which a figure must be off to be wrong, if rounds were simulated. Chance alone is
that far off once in ten thousand times."""


def stated_odds(regulation: Regulation, submission: Submission, tell: Tell) -> DocumentOdds:
    """Return the odds of the wagers whose figures a submission states, with a check of each figure.

    Progress is reported to `tell`.
    """
    odds = DocumentOdds(document=regulation.id, title=regulation.document.title, wagers=())
    if regulation.game is not None:
        counts, house, seeds = Counts(prepare(regulation), tell), configuration_of(submission), seeds_of(submission)
        wagers = dict.fromkeys(figure.wager for figure in submission.stated_odds or ())
        rows = [
            row
            for wager in wagers
            for row in work_out(regulation, stated=house, meters=seeds, wager=wager, counted=counts).wagers
            if row.wager == wager
        ]
        odds = replace(odds, wagers=tuple(rows))
    return replace(odds, stated=tuple(stated_figures(submission, odds)))


def seeds_of(submission: Submission | None) -> Mapping[str, int]:
    """Return the start values of the meters of a submission, in minor units."""
    meters = [] if submission is None else submission.meters or []
    return {meter.meter: meter.seed for meter in meters if meter.seed is not None}


def stated_figures(submission: Submission, odds: DocumentOdds) -> Iterator[StatedFigure]:
    """Yield each stated figure with its check.

    A figure must be right under each posted pay table. If it is right in some of the ways that the submission leaves
    open, but not in all, the result is unknown.
    """
    for index, entry in enumerate(submission.stated_odds or []):
        rows = [row for row in odds.wagers if entry.wager == row.wager]
        figures = (("house-advantage", entry.house_advantage), ("element-of-risk", entry.element_of_risk))
        for figure, stated in figures:
            if stated is None:
                continue
            posted = [[row for row in rows if row.posted == at] for at in dict.fromkeys(row.posted for row in rows)]
            # Report the first that is wrong, otherwise the first that is not known.
            checks = [_check_in_all(variants_of_table, figure, stated) for variants_of_table in posted]
            holds, row, why = min(checks, key=lambda check: _RANK[check[0]], default=(None, None, _NO_ODDS))
            yield StatedFigure(
                at=("stated-odds", index, figure),
                wager=entry.wager,
                figure=figure,
                stated=stated,
                found=None if row is None else _select_figure(row, figure),
                holds=holds,
                why=why,
            )


_RANK = {False: 0, None: 1, True: 2}
_NO_ODDS = "it has no odds of its own: it is not offered, not settled by the house, or counted with another wager"
_OPEN = "it is right in some of the ways that the submission leaves open, and wrong in others"


def _check_in_all(rows: Sequence[WagerOdds], figure: str, stated: str) -> tuple[bool | None, WagerOdds, str | None]:
    """Check a figure in several ways to offer a wager.

    Returns:
        True if it is right in all, False if it is wrong in all, else None; the row that shows it; the reason for None.
    """
    checks = [(_check_figure(row, figure, stated), row) for row in rows]
    first = min(checks, key=lambda check: _RANK[check[0]])
    if {False, True} <= {holds for holds, _ in checks}:
        return None, first[1], _OPEN
    unknown = next((row for holds, row in checks if holds is None), None)
    return (*first, None) if unknown is None else (None, unknown, _explain_unknown(unknown, figure))


def _select_figure(row: WagerOdds, figure: str) -> str | None:
    return row.house_advantage if figure == "house-advantage" else row.element_of_risk


def _check_figure(row: WagerOdds, figure: str, stated: str) -> bool | None:
    """Return whether a stated figure is right to its last digit. Simulated rounds can only show that a figure is
    wrong."""
    text = _select_figure(row, figure)
    if text is None:
        return None
    value, width = _parse_figure(stated)
    if row.exact:
        return abs(Fraction(text) - value) <= width / 2
    if row.interval is None or figure != "house-advantage":
        return None
    low, high = map(Fraction, row.interval)
    off = abs(value - (low + high) / 2) - width / 2
    return False if off > _SURELY * (high - low) / 2 else None


def _explain_unknown(row: WagerOdds, figure: str) -> str:
    """Return why it is not known whether a figure is right."""
    if _select_figure(row, figure) is None:
        return row.why or "it has none"
    low, high = row.interval or (0.0, 0.0)
    about = f" from {100 * low:.3f} % to {100 * high:.3f} %" if figure == "house-advantage" else ""
    return f"it is only simulated{about}, which does not prove a figure"


def _parse_figure(stated: str) -> tuple[Fraction, Fraction]:
    """Return a stated number and the worth of its last digit, which is 0 for a fraction."""
    if not stated.endswith("%"):
        return Fraction(stated), Fraction(0)
    number = stated.removesuffix("%").strip()
    digits = len(number.partition(".")[2])
    return Fraction(number) / 100, Fraction(1, 100 * 10**digits)
