"""Check `succession` with `copies-since`: no card more often than the decks contain it, over the rounds of a shoe.

Every round adds its known cards. The numbers begin anew with each shuffle that the log may show, with the opening of
the table, with another deck, and after missing rounds. So each number is a minimum, and a failure is certain whatever a
missing round shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Truths
from fairdeal.validator.audit.sessions import ordered_rounds
from fairdeal.validator.audit.status_codes import FAIL, NO_EVENTS, FindingDetails, combine_status
from fairdeal.validator.cards.card_codes import KNOWN_CARDS, cards_in_symbols
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.deal_checks.deck_counts import count_copies, count_faces, is_within_decks
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, find_last_by_round
from fairdeal.validator.evidence.handlog.log_events import KIND_CODES, KINDS
from fairdeal.validator.rules.procedure_model import SuccessionCheck
from fairdeal.validator.rules.requirement_model import Requirement

_WORDS = -(-KNOWN_CARDS // 8)
"""Columns of a round: a byte for the number of each card, eight in a word."""
_BEFORE, _AFTER = 1, 2
_MOST = 255


def list_copy_columns(scope: EvaluationContext, check: SuccessionCheck) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the columns that the check needs: numbers of cards, shuffles, and whether the round shows all of them.

    Args:
        scope: the rounds.
        check: the check.
    """
    rounds = len(scope.batch)
    counts = np.zeros((rounds, _WORDS * 8), np.uint8)
    counts[:, :KNOWN_CARDS] = np.minimum(count_faces(scope)[:, :KNOWN_CARDS], _MOST)
    for number, word in enumerate(np.ascontiguousarray(counts).view("<i8").T):
        yield f"cards-{number}", word.astype(np.int64)
    events = scope.batch.events
    step = scope.compiled_game.steps[check.operand]
    # An event that may be a shuffle of any deck begins the numbers anew.
    shuffles = np.flatnonzero(np.isin(events.kind, [KIND_CODES[kind] for kind in step.events]))
    dealt = np.flatnonzero(np.isin(KINDS, ("deal", "draw"))[events.kind])
    last, first = find_last_by_round(scope, dealt), np.full(rounds, ABSENT, np.int64)
    first[events.round[dealt[::-1]]] = dealt[::-1]
    owner, when = events.round[shuffles], np.zeros(rounds, np.int8)
    late = (last[owner] != ABSENT) & (shuffles > last[owner])
    when[owner[~late]] |= _BEFORE
    when[owner[late]] |= _AFTER
    # A shuffle between the cards of a round leaves open which of them came after it.
    between = ~late & (first[owner] != ABSENT) & (shuffles > first[owner])
    when[owner[between]] |= _BEFORE | _AFTER
    yield "shuffled", when
    yield "recorded", are_kinds_recorded(scope, step.events) & is_within_decks(scope)[1]


def _find_stretches(rounds: ordered_rounds.OrderedRounds, shuffled: NDArray[np.int8], recorded: Flags) -> Flags:
    """Return the rounds with which the numbers begin anew, bool[rounds]."""
    order, deck = rounds.order, rounds.deck.codes
    begins: Flags = order.first | order.opening | (order.gap != 0) | (deck != np.roll(deck, 1))
    begins |= (shuffled & _BEFORE > 0) | (np.roll(shuffled, 1) & _AFTER > 0)
    return begins | ~recorded | np.roll(~recorded, 1)


def check_card_copies(
    prepared: CompiledGame, rounds: ordered_rounds.OrderedRounds, requirement: Requirement
) -> ordered_rounds.SessionOutcome:
    """Check that no card comes more often than the decks contain it before the next shuffle."""
    name, decks = requirement.requirement, prepared.game.decks

    def column(key: str) -> NDArray[Any]:
        values = rounds.column(name, key)
        assert values is not None
        return values

    words = np.stack([column(f"cards-{number}") for number in range(_WORDS)], axis=1)
    counts = np.ascontiguousarray(words.astype("<i8")).view(np.uint8)[:, :KNOWN_CARDS].astype(np.int64)
    shuffled, recorded = column("shuffled"), column("recorded")
    begins = _find_stretches(rounds, shuffled, recorded)
    start = np.maximum.accumulate(np.where(begins, np.arange(len(rounds)), 0))
    running = np.cumsum(counts, axis=0)
    held = running - (running - counts)[start]
    copies = count_copies(prepared)[:KNOWN_CARDS]
    fits: Flags = np.all(held <= copies, axis=1)
    fresh = (rounds.order.opening & (rounds.order.gap == 0)) | (shuffled & _BEFORE > 0)
    fresh |= np.roll(shuffled & _AFTER > 0, 1) & ~rounds.order.first & (rounds.order.gap == 0)
    holds: Truths = kleene.where_known(fits, ~fits | (recorded & fresh[start]))
    applies = ordered_rounds.find_applicable_rounds(rounds, requirement)
    statuses = combine_status(applies, holds)
    failing = statuses == FAIL
    places: Ints = np.flatnonzero(failing & ~(np.roll(failing, 1) & ~begins))
    number_of = np.searchsorted(places, np.flatnonzero(failing), side="right") - 1

    def describe_failure(failure: int) -> FindingDetails:
        place = int(places[failure])
        often = np.flatnonzero(held[place] > copies).tolist()
        cards = ", ".join(f"{cards_in_symbols([code])} {held[place, code]} times" for code in often)
        since = ordered_rounds.describe_round(rounds, int(start[place]), place)
        own = start[place] == place
        return FindingDetails(
            where=rounds.where(place),
            expected=f"no card more than {decks} times between two shuffles",
            observed=f"{cards} {'in this round' if own else f'since {since}'}",
        )

    def describe_gap(place: int) -> FindingDetails:
        why = ordered_rounds.explain_gap(rounds, place, frozenset())
        unknown = NO_EVENTS if not recorded[place] else "the log does not show the shuffle before the round"
        return FindingDetails(
            where=rounds.where(place),
            expected=f"all cards since the shuffle, none more than {decks} times",
            observed=why or unknown,
        )

    failures = ordered_rounds.SessionFailures(
        places=places,
        rounds=np.bincount(number_of, minlength=len(places)).astype(np.int64),
        describe_failure=describe_failure,
    )
    return ordered_rounds.SessionOutcome(status_codes=statuses, failures=failures, describe_gap=describe_gap)
