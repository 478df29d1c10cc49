"""Cards and decks that events name, and cards that remain exposed."""

from __future__ import annotations

import numpy as np
from msgspec import Struct, field

from fairdeal.validator.arrays import ABSENT, Bits64, Codes, Flags, Ints, Truths, find_true, has_any, is_one_of, look_up
from fairdeal.validator.cards.card_codes import KNOWN_CARDS, NO_CARD
from fairdeal.validator.cards.card_codes import UNKNOWN as UNKNOWN_CARD
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.evidence.columns.recorded_events import FIELD_RULES, is_recorded
from fairdeal.validator.evidence.event_kinds import ACTORS, COLLECTED_LOTS
from fairdeal.validator.evidence.log_events import KIND_CODES

_CARRIES = FIELD_RULES["cards"].has
_FACE = np.append(np.uint64(1) << np.arange(KNOWN_CARDS, dtype=np.uint64), np.zeros(256 - KNOWN_CARDS, np.uint64))


def count_named_cards(scope: EvaluationContext, chosen: Ints) -> tuple[Ints, Flags]:
    """Count the cards that each event names, by the cards themselves or by their positions.

    Returns:
        int64[m], the number of cards, 0 for kinds without cards; bool[m], whether the number is known.
    """
    events = scope.batch.events
    rows = events.cards_row[chosen]
    shown = rows != ABSENT
    spots = np.array([len(text) for text in (*events.positions.names, "")], np.int64)[events.positions.codes[chosen]]
    count = events.hands.count[rows] if len(events.hands.count) else np.zeros(len(rows), np.int16)
    size = np.where(shown, count, spots).astype(np.int64)
    return size, shown | (spots > 0) | ~_CARRIES[events.kind[chosen]]


def collect_named_faces(scope: EvaluationContext, chosen: Ints) -> Bits64:
    """Return the known cards that each event names, as sets.

    Returns:
        uint64[m].
    """
    return look_up(_listed_faces(scope), scope.batch.events.cards_row[chosen], 0)


def names_card_twice(scope: EvaluationContext, chosen: Ints) -> Flags:
    """Return whether each event names a card more than once.

    Returns:
        bool[m].
    """
    return look_up(_lists_card_twice(scope), scope.batch.events.cards_row[chosen], missing=False)


@cached_fact
def _lists_card_twice(scope: EvaluationContext) -> Flags:
    """Return whether each row of listed cards contains a card more than once."""
    hands = scope.batch.events.hands
    is_unknown = hands.cards == UNKNOWN_CARD
    unknown_count = is_unknown.sum(axis=1) if has_any(is_unknown) else 0
    return np.bitwise_count(_listed_faces(scope)) + unknown_count < hands.count


@cached_fact
def _listed_faces(scope: EvaluationContext) -> Bits64:
    """Return the known cards of each row that events list, as sets."""
    return card_bits(scope.batch.events.hands.cards)


def card_bits(cards: Codes) -> Bits64:
    """Return the known cards of each row as a set.

    Args:
        cards: uint8[n, width].

    Returns:
        uint64[n].
    """
    result = np.zeros(len(cards), np.uint64)
    for column in cards.T:
        rows = find_true(column != NO_CARD)
        if not len(rows):
            break
        result[rows] |= _FACE.take(column.take(rows))
    return result


def is_about(scope: EvaluationContext, what: str, chosen: Ints) -> Truths:
    """Return whether events are about a subject.

    Unknown where an event does not state it. The faces of collected cards decide which of LOTS they are.

    Returns:
        uint8[m].
    """
    events = scope.batch.events
    codes = events.what.codes.take(chosen)
    result = kleene.where_known(codes == events.what.code(what), codes != ABSENT)
    silent = find_true((codes == ABSENT) & (events.kind.take(chosen) == KIND_CODES["collect-cards"]))
    if len(silent) and what in COLLECTED_LOTS:
        result[silent] = _is_lot(scope, what, chosen.take(silent))
    return result


def _is_lot(scope: EvaluationContext, lot: str, chosen: Ints) -> Truths:
    """Return whether the cards that events at seats name are one of LOTS.

    A seat that discarded nothing has a hand only. Otherwise the result is unknown if an event names no cards or cards
    of both lots, or if a face or a discard is unknown.

    Returns:
        uint8[m].
    """
    seats = scope.batch.events.seat.take(chosen)
    aside, drawn_cards, known, nothing = _collect_discards(scope)
    named, (size, recorded) = collect_named_faces(scope, chosen), count_named_cards(scope, chosen)
    recorded = recorded & (size > 0) & (np.bitwise_count(named) == size) & (seats != ABSENT) & known[seats]
    discarded = aside[seats]
    fits = {"hand": (named & discarded) == 0, "discards": (named & ~discarded | named & drawn_cards[seats]) == 0}
    yes, no = fits[lot], fits["discards" if lot == "hand" else "hand"]
    of_a_hand = (seats != ABSENT) & nothing[seats]
    is_lot = recorded & yes & ~of_a_hand | of_a_hand & (lot == "hand")
    return kleene.from_yes_no(is_lot, recorded & no & ~of_a_hand | of_a_hand & (lot != "hand"))


@cached_fact
def _collect_discards(scope: EvaluationContext) -> tuple[Bits64, Bits64, Flags, Flags]:
    """Return what each seat discarded and drew.

    Returns:
        uint64[seats] twice, the discarded and the drawn cards as sets; bool[seats] twice, whether all discards are
        known, and whether there are none.
    """
    seats, events = scope.batch.seats, scope.batch.events
    aside = card_bits(seats.discarded.cards)
    chosen = find_true((events.kind == KIND_CODES["discard"]) & (events.seat != ABSENT))
    np.bitwise_or.at(aside, events.seat[chosen], collect_named_faces(scope, chosen))
    listed = seats.discarded.count != ABSENT
    known = listed | is_recorded(scope.batch, "discard", place="player")[seats.round]
    discards = np.zeros(len(listed), bool)
    discards[events.seat[chosen]] = True
    nothing = np.where(listed, seats.discarded.count == 0, known & ~discards)
    return aside, card_bits(seats.drawn.cards), known, nothing


def concerns_deck(scope: EvaluationContext, deck: str, chosen: Ints, *, unnamed: str | None = None) -> Truths:
    """Return whether events concern the deck in play, or another one.

    Args:
        deck: the deck, as in a step.
        unnamed: as in a step.

    Returns:
        uint8[m].
    """
    named, in_play = _named_decks(scope).take(chosen), _decks_in_play(scope).take(chosen)
    silent = named == ABSENT
    fits = silent | (named == in_play)
    result = kleene.where_known(fits if deck == "in-play" else ~fits, silent | (in_play != ABSENT))
    return result if unnamed is None else kleene.unknown_where(may_concern_any_deck(scope).take(chosen), result)


@cached_fact
def may_concern_any_deck(scope: EvaluationContext) -> Flags:
    """Return whether each event may concern any of several decks: it names none, and the dealer does not do it.

    A table may have several decks if the submission states so. It may as well if an event of the round names another
    deck than the one in play. Without a submission, it may if decks have names.

    Returns:
        bool[events].
    """
    named, in_play, round_ = _named_decks(scope), _decks_in_play(scope), scope.batch.events.round
    stated = {} if scope.configuration is None else scope.configuration.data.get("deck") or {}
    numbers = [stated[name] for name in ("decks", "kept") if stated.get(name) is not None]
    several = np.full(len(scope.batch), any(number > 1 for number in numbers))
    several[round_[(named != ABSENT) & (named != in_play)]] = True
    if not numbers:
        several |= scope.batch.deck.codes != ABSENT
    return (named == ABSENT) & several[round_] & (scope.batch.events.by != ACTORS.index("dealer"))


@cached_fact
def _named_decks(scope: EvaluationContext) -> Ints:
    """Return the deck that each event names, by the codes of decks in play; ABSENT if it names none."""
    named, played = scope.batch.events.deck, scope.batch.deck
    by_name = {name: code for code, name in enumerate(played.names)}
    return np.array([*(by_name.get(name, len(by_name)) for name in named.names), ABSENT], np.int64)[named.codes]


@cached_fact
def _decks_in_play(scope: EvaluationContext) -> Ints:
    """Return the deck in play in the round of each event; ABSENT if it is unknown."""
    return scope.batch.deck.codes.take(scope.batch.events.round).astype(np.int64)


def are_all_turned_down(scope: EvaluationContext, shown: Ints, surely: Truths, turned_down: Ints) -> Truths:
    """Return whether no exposed card remains open after events that turn cards down.

    Events without cards turn down all open cards at their place. Mistakes are rare, so the events are processed one at
    a time.

    Args:
        shown: int64[n], the events that expose cards.
        surely: uint8[n], whether each of them counts.
        turned_down: int64[m], the events that turn cards down, in log order.

    Returns:
        uint8[m].
    """
    events = scope.batch.events
    result = np.full(len(turned_down), YES, np.uint8)
    if not len(turned_down):
        return result
    opening = is_one_of(events.round[shown], events.round[turned_down])
    closing = find_true(is_one_of(events.round[turned_down], events.round[shown]))
    recorded = [
        (event, sure, ABSENT) for event, sure in zip(shown[opening].tolist(), surely[opening].tolist(), strict=True)
    ]
    recorded += [(int(turned_down[index]), YES, index) for index in closing.tolist()]
    round_ = ABSENT
    places: dict[tuple[int, int], _OpenCards] = {}
    for event, sure, index in sorted(recorded):
        if events.round[event] != round_:
            round_, places = int(events.round[event]), {}
        place = places.setdefault((int(events.place[event]), int(events.seat[event])), _OpenCards())
        if index == ABSENT:
            place.show(_list_cards(scope, event), sure=sure == YES)
        else:
            place.turn_down(_list_cards(scope, event))
            result[index] = min(place_.none_open() for place_ in places.values())
    return result


def _list_cards(scope: EvaluationContext, event: int) -> list[int]:
    """Return the cards that an event names; empty if it names none."""
    row = scope.batch.events.cards_row[event]
    if row == ABSENT:
        return []
    hands = scope.batch.events.hands
    return [int(card) for card in hands.cards[row, : max(hands.count[row], 0)]]


class _OpenCards(Struct):
    """Open cards at one place."""

    known: dict[int, bool] = field(default_factory=dict)
    """Known cards, each with whether it is surely open."""
    unseen: int = 0
    """Number of open cards whose faces are unknown."""
    doubtful: bool = False
    """True if it is uncertain whether the unseen cards are still open, since some were turned down."""

    def show(self, cards: list[int], *, sure: bool) -> None:
        for card in cards:
            if card < KNOWN_CARDS:
                self.known[card] = sure or self.known.get(card, False)
            else:
                self.unseen += 1
                self.doubtful |= not sure

    def turn_down(self, cards: list[int]) -> None:
        rest = [card for card in cards if self.known.pop(card, None) is None]
        unseen = sum(card >= KNOWN_CARDS for card in rest)
        # A named card that was not seen open is one of the unseen cards.
        named = min(len(rest) - unseen, self.unseen)
        left = self.unseen - named + len(self.known)
        if not cards or unseen >= left:
            self.known, self.unseen, self.doubtful = {}, 0, False
        elif unseen:
            # It is unknown which of the open cards these are.
            self.known, self.unseen, self.doubtful = {}, left - unseen, True
        elif named:
            self.unseen, self.doubtful = self.unseen - named, True

    def none_open(self) -> int:
        if any(self.known.values()) or (self.unseen and not self.doubtful):
            return NO
        return UNKNOWN if self.known or self.unseen else YES
