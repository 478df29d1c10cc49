"""Events that repeat an earlier act of the same round: cards shown again, words said again, a count taken again.

A repetition changes nothing, so the order of steps does not apply to it. Limits on how often a step may happen still
count every event.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from validator.arrays import Flags, Ints
from validator.engine.acts.event_cards import collect_named_faces, count_named_cards
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.evidence.handlog.events import KIND_CODES

_WORDS = tuple(KIND_CODES[kind] for kind in ("announce", "claim", "count"))
_REVEAL, _TURN_DOWN = KIND_CODES["reveal"], KIND_CODES["turn-down"]


@cached_fact
def find_repetitions(scope: EvaluationContext) -> Flags:
    """Find the events that repeat an earlier act of their round.

    A `reveal` of cards that are already open at its place is a repetition. So is an `announce`, `claim` or `count` with
    the content of an earlier one.

    Returns:
        bool[events].
    """
    result = np.zeros(scope.count_items("event"), bool)
    result[_find_repeated_words(scope)] = True
    result[_find_repeated_shows(scope)] = True
    return result


def _find_repeated_words(scope: EvaluationContext) -> Ints:
    events = scope.batch.events
    said = np.flatnonzero(np.isin(events.kind, _WORDS))
    if not len(said):
        return said
    columns = (
        events.round,
        events.kind,
        events.seat,
        events.by,
        events.what.codes,
        events.wager.codes,
        events.amount,
        events.deck.codes,
    )
    words = np.stack([column.take(said).astype(np.int64) for column in columns])
    # A stable sort keeps the log order among events that say the same.
    order = np.lexsort(words[::-1])
    words = words[:, order]
    return said.take(order[1:]).compress((words[:, 1:] == words[:, :-1]).all(axis=0))


def _find_repeated_shows(scope: EvaluationContext) -> Ints:
    events = scope.batch.events
    shown = np.flatnonzero((events.kind == _REVEAL) | (events.kind == _TURN_DOWN))
    place = (events.round.take(shown).astype(np.int64) << 40) + (events.seat.take(shown).astype(np.int64) + 1 << 8)
    place += events.place.take(shown)
    order = np.argsort(place, kind="stable")
    shown, place = shown.take(order), place.take(order)
    several = np.zeros(len(shown), bool)
    several[1:] = place[1:] == place[:-1]
    several[:-1] |= several[1:]
    shown, place = shown.compress(several), place.compress(several)
    shows = zip(
        place.tolist(),
        (events.kind.take(shown) == _REVEAL).tolist(),
        collect_named_faces(scope, shown).tolist(),
        count_named_cards(scope, shown)[0].tolist(),
        strict=True,
    )
    return shown[_find_repeated_reveals(shows)]


def _find_repeated_reveals(shows: Iterable[tuple[int, bool, int, int]]) -> list[int]:
    """Return the indices of reveals that show nothing new.

    Args:
        shows: for each event, by place and in log order: the place, whether cards are shown or turned down, the known
            cards as bits, and the number of cards.
    """
    repeated: list[int] = []
    here, faces, count = -1, 0, 0
    for number, (place, is_reveal, known, cards) in enumerate(shows):
        if place != here or not is_reveal:
            here, faces, count = place, 0, 0
        if is_reveal:
            if not known & ~faces and cards <= count:
                repeated.append(number)
            unknown = max(cards - known.bit_count(), count - faces.bit_count())
            faces |= known
            count = faces.bit_count() + unknown
    return repeated
