"""What findings about sessions say: which round, since when, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.audit.sessions.coverage import time_of
from validator.audit.sessions.event_signature import ROUND_DEALT, TABLE_OPENS
from validator.audit.sessions.play_order import ANY_NUMBER, BACKWARDS, BEGINNING, ELSEWHERE, JUMP, TWICE, UNNUMBERED
from validator.audit.sessions.rounds_in_order import Gathered
from validator.audit.statuses.status_codes import BREAKS_OFF, NO_EVENTS
from validator.engine.compiled.game import Prepared

_BECAUSE = {
    JUMP: "in no log: the numbers jump before",
    BEGINNING: "in no log: the log begins with",
    UNNUMBERED: "the rounds are not numbered, so that others may have been played before",
    TWICE: "the rounds are not in order: a number comes twice in",
    ELSEWHERE: "the round before is another than the one that is named in",
    BACKWARDS: "the rounds are not in order: the numbers go back in",
}


def round_told(rounds: Gathered, place: int, seen_from: int) -> str:
    """A round with its time, and its day where that is another than that of the round it is seen from; as far as they
    are told."""
    day, _, clock = (time_of(rounds, place) or "").partition(" ")
    same_day = day == (time_of(rounds, seen_from) or "")[:10]
    when = " ".join(part for part in ("" if same_day else day, clock[:5]) if part)
    return f"round {rounds.name(place)}" + (f" ({when})" if when else "")


def step_told(prepared: Prepared, step: str) -> str:
    """A step, or what is none, in words."""
    if step == TABLE_OPENS:
        return "the table opens"
    return "a round is dealt" if step == ROUND_DEALT else prepared.steps[step].title


def due_before(prepared: Prepared, steps: Sequence[str], before: Sequence[str]) -> str:
    """That steps must come, in order, before another: `the deck is cut before the cards are dealt`; or before any of
    several."""
    told = "; then ".join(step_told(prepared, step) for step in steps)
    waiting = " or ".join(step_told(prepared, one) for one in before)
    return f"{told}{'; all of it' if len(steps) > 1 else ''} before {waiting}"


def lacking_told(steps: Sequence[str]) -> str:
    """What was not done of steps that must come in order: later ones may have been, but do not count before it was."""
    return "without the first of these" if len(steps) > 1 else "without this"


def counted(number: int, unit: str) -> str:
    """A number with its unit: `1 round`, `5 rounds`."""
    return f"{number:,} {unit}" if number == 1 else f"{number:,} {unit}s"


def hours_told(microseconds: int) -> str:
    """A length of time: `8 h 05 min`, with seconds where there are some."""
    seconds = microseconds // 1_000_000
    hours, minutes, rest = seconds // 3600, seconds // 60 % 60, seconds % 60
    return f"{hours} h {minutes:02d} min" + (f" {rest:02d} s" if rest else "")


def why_not_shown(rounds: Gathered, place: int, names: frozenset[str]) -> str | None:
    """Why it cannot be told what a session requirement came to in a round: `names` are the steps it looks at."""
    word = rounds.words[int(rounds.word[place])]
    if word.unrecorded & names:
        return NO_EVENTS
    if word.breaks_off:
        return BREAKS_OFF
    began = int(np.flatnonzero(rounds.order.first[: place + 1])[-1])
    gaps = np.flatnonzero(rounds.order.gap[began : place + 1] != 0)
    if not len(gaps):
        return None
    at = began + int(gaps[-1])
    why, missing = int(rounds.order.why[at]), int(rounds.order.gap[at])
    before = round_told(rounds, at, place)
    if missing == ANY_NUMBER:
        return f"{_BECAUSE[why]} {before}"
    return f"{counted(missing, 'round')} {'is' if missing == 1 else 'are'} {_BECAUSE[why]} {before}"
