"""Check `succession`: each round compared with the previous round at the table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from fairdeal.validator.arrays import ABSENT, Flags, Statuses, Truths
from fairdeal.validator.audit.session_requirements.card_copies import check_card_copies
from fairdeal.validator.audit.session_requirements.previous_round import compare_with_previous_round
from fairdeal.validator.audit.sessions import ordered_rounds
from fairdeal.validator.audit.sessions.play_order import PlayOrder
from fairdeal.validator.audit.sessions.session_rows import EventSequence
from fairdeal.validator.audit.status_codes import FAIL, NOT_APPLICABLE, NOT_EVIDENCED, FindingDetails, combine_status
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.rules.procedure_model import SuccessionCheck
from fairdeal.validator.rules.requirement_model import Requirement

DeckMove: TypeAlias = tuple[int | None, bool]
"""Deck by its code, None for the deck in play; and True if it arrives at the table, False if it leaves."""


def check_alternating_decks(rounds: ordered_rounds.OrderedRounds, received: str | None, removed: str | None) -> Truths:
    """Return whether each round uses the other deck than the previous round, or the only remaining deck.

    Args:
        received: step by which a deck arrives at the table.
        removed: step by which a deck leaves; without it, no deck is ever the only one.

    Returns:
        uint8[rounds].
    """
    order, codes = rounds.order, {name: code for code, name in enumerate(rounds.deck.names)}
    moves = [list(_list_moves(sequence, codes, received, removed)) for sequence in rounds.sequences]
    may_miss = [_may_miss_moves(sequence, frozenset((received, removed))) for sequence in rounds.sequences]
    is_start = order.first | order.opening | (order.gap != 0)
    opens = order.opening & (order.gap == 0)
    result = np.full(len(rounds), UNKNOWN, np.uint8)
    table = _DecksAtTable()
    columns = (rounds.deck.codes, rounds.sequence_index, is_start, opens)
    for place, (deck, sequence, begins, opening) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        if begins:
            table = _DecksAtTable()
        result[place] = table.next(deck, moves[sequence], opens=opening, unsure=may_miss[sequence])
    if removed is None:
        repeated = (rounds.deck.codes != ABSENT) & (rounds.deck.codes == np.roll(rounds.deck.codes, 1))
        result[repeated & ~is_start] = NO
    return result


def _may_miss_moves(sequence: EventSequence, steps: frozenset[str | None]) -> bool:
    """Return whether the record of a round may omit decks of these steps."""
    may_be_any = any(token.any_deck and steps.intersection(dict(token.steps)) for token in sequence.tokens)
    return sequence.breaks_off or not sequence.unrecorded.isdisjoint(steps) or may_be_any


def _list_moves(
    sequence: EventSequence, codes: dict[str, int], received: str | None, removed: str | None
) -> Iterator[DeckMove]:
    for token in sequence.tokens:
        for step, _ in token.steps:
            if step in (received, removed):
                yield None if token.deck is None else codes[token.deck], step == received


class _DecksAtTable:
    """Decks of a table over consecutive rounds."""

    __slots__ = ("_came", "_here", "_in_turn", "_rounds", "_whole")

    def __init__(self) -> None:
        self._here: set[int] = set()
        """Decks that were dealt or came, and did not leave."""
        self._came: dict[int, int] = {}
        """Number of the round in which each deck came."""
        self._rounds = 0
        self._in_turn: list[tuple[int, int]] = []
        """Last two decks dealt, the latest first, each with the number of its last round."""
        self._whole = False
        """True if the arrival of every deck is recorded."""

    def next(self, deck: int, moves: list[DeckMove], *, opens: bool, unsure: bool) -> int:
        """Add a round; return whether it uses the other deck than the previous round.

        Args:
            deck: code of the deck; ABSENT if the round names none.
            unsure: True if the record may omit decks that come or leave.
        """
        unsure |= deck == ABSENT and any(named is None for named, _ in moves)
        if unsure:
            self._here, self._whole, self._in_turn = set(), False, self._in_turn[:1]
        self._rounds += 1
        if deck != ABSENT:
            self._here.add(deck)
        for named, comes in moves:
            moved_deck = deck if named is None else named
            if moved_deck == ABSENT:
                continue
            (self._here.add if comes else self._here.discard)(moved_deck)
            if comes:
                self._came[moved_deck] = self._rounds
                self._whole |= opens and not unsure
        if deck == ABSENT:  # any deck may have been dealt
            self._in_turn = []
            return UNKNOWN
        result = self._compare(deck)
        others = [entry for entry in self._in_turn if entry[0] != deck]
        self._in_turn = [(deck, self._rounds), *others[:1]]
        return result

    def _compare(self, deck: int) -> int:
        decks = [entry for entry, _ in self._in_turn]
        if not decks:
            return UNKNOWN
        if deck == decks[0]:
            others = self._here - {deck}
            # A deck that comes just before the round may need shuffling while the round is played.
            if any(self._came.get(other, 0) < self._rounds for other in others):
                return NO
            return YES if others or self._whole else UNKNOWN
        third = len(decks) == 2 and deck not in decks and self._here.issuperset(decks)
        return NO if third and self._came.get(deck, 0) <= self._in_turn[1][1] else YES


def combine_with_previous(order: PlayOrder, applies: Truths, holds: Truths, whatever: Flags | None = None) -> Statuses:
    """Return the status of each round compared with the previous one.

    Args:
        applies: whether the requirement applies to each round.
        holds: whether each round complies with the round listed before it.
        whatever: bool[rounds], whether it complies whatever a missing round shows.

    Returns:
        uint8[rounds].
    """
    previous = np.roll(applies, 1)
    is_applicable = np.where(order.first, applies, np.minimum(applies, previous))
    is_missing = (order.gap != 0) & (True if whatever is None else ~whatever)
    statuses = combine_status(is_applicable, np.where(is_missing, np.uint8(UNKNOWN), holds))
    statuses = np.where(order.opening & ~is_missing, np.uint8(NOT_APPLICABLE), statuses)
    # It is not known whether the requirement applies to a missing round.
    statuses[is_missing & (applies != NO)] = NOT_EVIDENCED
    return statuses


def check_succession(
    prepared: CompiledGame, rounds: ordered_rounds.OrderedRounds, requirement: Requirement
) -> ordered_rounds.SessionOutcome:
    """Check a requirement `succession` over all sessions."""
    check: SuccessionCheck = requirement.check.operand
    if check.operator == "copies-since":
        return check_card_copies(prepared, rounds, requirement)
    if check.operator == "must":
        return compare_with_previous_round(prepared, rounds, requirement)
    pair = _ComparedDecks(rounds, requirement)
    statuses = combine_with_previous(
        rounds.order, ordered_rounds.find_applicable_rounds(rounds, requirement), pair.holds(), pair.silent
    )
    places = np.flatnonzero(statuses == FAIL)

    def describe_failure(failure: int) -> FindingDetails:
        place = int(places[failure])
        expected, observed = pair.describe(place, ordered_rounds.describe_round(rounds, place - 1, place))
        return FindingDetails(where=rounds.where(place), expected=expected, observed=observed)

    def describe_gap(place: int) -> FindingDetails:
        why = ordered_rounds.explain_gap(rounds, place, frozenset()) if rounds.order.gap[place] else None
        observed = why or f"the evidence does not show: {pair.what}"
        return FindingDetails(where=rounds.where(place), expected=pair.describe_requirement(), observed=observed)

    failures = ordered_rounds.SessionFailures(
        places=places, rounds=np.ones(len(places), np.int64), describe_failure=describe_failure
    )
    return ordered_rounds.SessionOutcome(status_codes=statuses, failures=failures, describe_gap=describe_gap)


class _ComparedDecks:
    """Decks of consecutive rounds."""

    __slots__ = ("_deck", "_holds", "_same", "silent", "what")

    def __init__(self, rounds: ordered_rounds.OrderedRounds, requirement: Requirement) -> None:
        check: SuccessionCheck = requirement.check.operand
        self._deck, self._same = rounds.deck, check.deck == "same"
        self.what = "the deck in play" + ("" if self._same else ", and the other decks at the table")
        self.silent = np.zeros(len(rounds), bool)
        if not self._same:
            self._holds = check_alternating_decks(rounds, check.received, check.removed)
            return
        deck = rounds.deck.codes
        several = rounds.column(requirement.requirement, "several-decks")
        # Without a record of several decks between two openings, the table has one deck.
        session_part = rounds.order.number_stretches()
        self.silent = (np.bincount(session_part, several | (deck != ABSENT)) == 0)[session_part]
        previous = np.roll(deck, 1)
        known = ~rounds.order.first & (deck != ABSENT) & (previous != ABSENT)
        self._holds = kleene.where_known(self.silent | (deck == previous), self.silent | known)

    def holds(self) -> Truths:
        return self._holds

    def describe_requirement(self) -> str:
        return f"{'the same deck as' if self._same else 'another deck than'} in the round before"

    def describe(self, place: int, before: str) -> tuple[str, str]:
        deck, last = self._deck.text(place), self._deck.text(place - 1)
        if self._same:
            return f"the deck of {before}, {last}", f"the deck {deck}"
        if deck == last:
            return f"another deck than in {before}", f"the deck {deck} again"
        return f"the deck that was in turn with that of {before}, {last}", f"a third deck, {deck}"
