"""Check of the odds that a submission states against those of its game.

No clause requires stated odds. A submission that states wrong figures fails; one without stated odds is not checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.evidence.submission.model import Submission
from validator.language.submission.answers import Reason
from validator.results.statuses import Status
from validator.rules.core.regulation import Regulation

if TYPE_CHECKING:
    from validator.odds.counting.counts import Tell


def stated_odds_outcome(
    regulation: Regulation, submission: Submission, tell: Tell
) -> tuple[Status, tuple[Reason, ...]]:
    """Return the status of the stated odds, with the figures that are wrong or, if none is wrong, not known.

    Args:
        `tell`: callback with messages on the progress of the computation.
    """
    from validator.odds.figures import percent  # noqa: PLC0415 - most submissions state no odds
    from validator.odds.stated import stated_odds  # noqa: PLC0415

    figures = stated_odds(regulation, submission, tell).stated or ()
    for holds, status in ((False, Status.FAIL), (None, Status.NOT_EVIDENCED)):
        reasons = tuple(
            Reason(
                path=figure.at,
                expected=f"{percent(figure.found)} ({figure.found})"
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
