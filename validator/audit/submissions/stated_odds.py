"""The odds that a submission states held against those of its game.

No clause asks for it. A submission is judged on what it states, so one that states wrong figures is found wrong, and
one that states none is held against nothing.
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
    """How the odds that a submission states come out, and which of them are wrong or else not known. `tell` hears how
    far long work has come."""
    from validator.odds.figures import percent  # noqa: PLC0415 - most submissions state no odds
    from validator.odds.stated import stated_odds  # noqa: PLC0415

    figures = stated_odds(regulation, submission, tell).stated or ()
    for holds, status in ((False, Status.FAIL), (None, Status.NOT_EVIDENCED)):
        reasons = tuple(
            Reason(
                path=one.at,
                expected=f"{percent(one.found)} ({one.found})" if one.why is None else f"what is known: {one.why}",
                observed=f"{one.stated} as the {one.figure.replace('-', ' ')} of {one.wager}",
            )
            for one in figures
            if one.holds is holds
        )
        if reasons:
            return status, reasons
    return Status.PASS if figures else Status.NOT_APPLICABLE, ()
