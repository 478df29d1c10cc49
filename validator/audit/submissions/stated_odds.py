"""Check of the odds that a submission states against those of its game.

No clause requires stated odds. A submission that states wrong figures fails; one without stated odds is not checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.evidence.submission.model import Submission
from validator.language.submission.answers import AnswerReason
from validator.results.statuses import Status
from validator.rules.core.regulation import Regulation

if TYPE_CHECKING:
    from validator.odds.counting.counts import ReportProgress


def check_stated_odds(
    regulation: Regulation, submission: Submission, tell: ReportProgress
) -> tuple[Status, tuple[AnswerReason, ...]]:
    """Return the status of the stated odds, with the figures that are wrong or, if none is wrong, not known.

    Args:
        `tell`: callback with messages on the progress of the computation.
    """
    from validator.odds.figures import format_percentage  # noqa: PLC0415 - most submissions state no odds
    from validator.odds.stated import work_out_stated_odds  # noqa: PLC0415

    figures = work_out_stated_odds(regulation, submission, tell).stated or ()
    for holds, status in ((False, Status.FAIL), (None, Status.NOT_EVIDENCED)):
        reasons = tuple(
            AnswerReason(
                path=figure.at,
                expected=f"{format_percentage(figure.found)} ({figure.found})"
                if figure.why is None
                else f"a figure that can be checked: {figure.why}",
                observed=f"{figure.stated} as the {figure.figure.replace('-', ' ')} of {figure.wager}",
            )
            for figure in figures
            if figure.holds is holds
        )
        if reasons:
            return status, reasons
    return Status.PASS if figures else Status.NOT_APPLICABLE, ()
