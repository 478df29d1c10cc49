"""Text of findings about sessions: rounds, times, and missing steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.audit.sessions.coverage import time_of
from validator.audit.sessions.event_signature import ROUND_DEALT, TABLE_OPENS
from validator.audit.sessions.play_order import ANY_NUMBER, BACKWARDS, BEGINNING, ELSEWHERE, JUMP, TWICE, UNNUMBERED
from validator.audit.sessions.rounds_in_order import Gathered
from validator.audit.statuses.status_codes import BREAKS_OFF, NO_EVENTS
from validator.engine.compiled.game import Prepared

_GAP_CAUSES = {
    JUMP: "missing from the logs: the numbers jump before",
    BEGINNING: "missing from the logs: the log begins with",
    UNNUMBERED: "the rounds are not numbered, so that others may have been played before",
    TWICE: "the rounds are not in order: a number occurs twice in",
    ELSEWHERE: "the previous round is not the one named in",
    BACKWARDS: "the rounds are not in order: the numbers decrease in",
}


def round_told(rounds: Gathered, place: int, seen_from: int) -> str:
    """Describe a round with its time, and with its day if it differs from that of another round, where recorded."""
    day, _, clock = (time_of(rounds, place) or "").partition(" ")
    same_day = day == (time_of(rounds, seen_from) or "")[:10]
    when = " ".join(part for part in ("" if same_day else day, clock[:5]) if part)
    return f"round {rounds.name(place)}" + (f" ({when})" if when else "")


def step_told(prepared: Prepared, step: str) -> str:
    """Describe a step or occasion."""
    if step == TABLE_OPENS:
        return "the table opens"
    return "a round is dealt" if step == ROUND_DEALT else prepared.steps[step].title


def due_before(prepared: Prepared, steps: Sequence[str], before: Sequence[str]) -> str:
    """Describe that steps must come in order before others: `the deck is cut before the cards are dealt`."""
    due = "; then ".join(step_told(prepared, step) for step in steps)
    waiting = " or ".join(step_told(prepared, step) for step in before)
    return f"{due}{'; all of it' if len(steps) > 1 else ''} before {waiting}"


def lacking_told(steps: Sequence[str]) -> str:
    """Describe the steps that were not done. Later steps do not count before the first missing one."""
    return "without the first of these" if len(steps) > 1 else "without this"


def counted(number: int, unit: str) -> str:
    """Format a number with its unit: `1 round`, `5 rounds`."""
    return f"{number:,} {unit}" if number == 1 else f"{number:,} {unit}s"


def hours_told(microseconds: int) -> str:
    """Format a duration: `8 h 05 min`, with seconds if there are any."""
    seconds = microseconds // 1_000_000
    hours, minutes, rest = seconds // 3600, seconds // 60 % 60, seconds % 60
    return f"{hours} h {minutes:02d} min" + (f" {rest:02d} s" if rest else "")


def why_not_shown(rounds: Gathered, place: int, names: frozenset[str]) -> str | None:
    """Explain why the result of a session requirement in a round is not known; None if no gap explains it.

    Args:
        names: steps that the requirement uses.
    """
    sequence = rounds.words[int(rounds.word[place])]
    if sequence.unrecorded & names:
        return NO_EVENTS
    if sequence.breaks_off:
        return BREAKS_OFF
    began = int(np.flatnonzero(rounds.order.first[: place + 1])[-1])
    gaps = np.flatnonzero(rounds.order.gap[began : place + 1] != 0)
    if not len(gaps):
        return None
    gap_place = began + int(gaps[-1])
    why, missing = int(rounds.order.why[gap_place]), int(rounds.order.gap[gap_place])
    round_text = round_told(rounds, gap_place, place)
    if missing == ANY_NUMBER:
        return f"{_GAP_CAUSES[why]} {round_text}"
    return f"{counted(missing, 'round')} {'is' if missing == 1 else 'are'} {_GAP_CAUSES[why]} {round_text}"
