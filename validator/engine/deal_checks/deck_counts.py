"""Counts of cards that left the deck, and the number of copies of a card that are in play at once.

A card leaves the deck when it is dealt, drawn or burnt. It returns with the first shuffle after it was discarded,
folded or burnt. If shuffles are not recorded, there may be one at any time, so that the result is a minimum.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import (
    ABSENT,
    Cards,
    Flags,
    Ints,
    Ints16,
    are_all,
    find_distinct,
    find_true,
    has_any,
    is_one_of,
)
from fairdeal.validator.cards.card_codes import KNOWN_CARDS, NO_CARD, UNKNOWN
from fairdeal.validator.engine.core.compiled_game import CompiledGame, cached_by_game, compile_game_deck
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import NO, YES
from fairdeal.validator.engine.facts.final_hands import exchanged_cards, find_owners
from fairdeal.validator.engine.facts.step_cards import DECK_CODES, are_dealt_after, collect_known_cards
from fairdeal.validator.engine.timeline.deal_stages import BURN, receivers
from fairdeal.validator.engine.timeline.event_cards import concerns_deck
from fairdeal.validator.engine.timeline.recorded_acts import is_decision_of_kind
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds, find_first_by_round
from fairdeal.validator.evidence.columns.recorded_events import sum_before_each
from fairdeal.validator.evidence.columns.round_batch import Hands
from fairdeal.validator.evidence.event_kinds import PLACES
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.language.grammar import Place, grain_of_place

_NEVER = np.iinfo(np.int64).max
_HAND_PLACES: tuple[Place, ...] = ("player", "dealer", "community")


class _Moves(Struct, frozen=True, kw_only=True):
    """Known cards that leave the deck or return, int64[n] each."""

    round: Ints
    """Round of each card."""
    card: Ints
    """Code of each card."""
    receiver: Ints
    """Receiver whose hand it is in."""
    at: Ints
    """Event that moves it; the event before the round if it was dealt before any recorded event."""

    def where(self, chosen: Flags) -> _Moves:
        return _Moves(
            round=self.round[chosen], card=self.card[chosen], receiver=self.receiver[chosen], at=self.at[chosen]
        )


def find_most_at_once(scope: EvaluationContext, rounds: Ints) -> tuple[Ints, Flags]:
    """Return the most copies of one card that are in play at once, as a minimum, in some rounds.

    Returns:
        int64[m]; bool[m], whether shuffles and discards are recorded, so that the number is known.
    """
    selected = np.zeros(scope.count_items("round"), bool)
    selected[rounds] = True
    events = scope.batch.events
    events_selected = selected[events.round]
    recorded = are_kinds_recorded(scope, ("discard", "draw", "decide"))
    known = recorded & are_kinds_recorded(scope, ("shuffle",))
    hidden = _find_hidden(scope, find_true(events_selected & (events.kind == KIND_CODES["discard"])))
    known[events.round[hidden]] = False
    most = _count_most(scope, selected & recorded, events_selected & recorded[events.round], hidden)
    return most[rounds], known[rounds]


def _count_most(scope: EvaluationContext, selected: Flags, events_selected: Flags, hidden: Ints) -> Ints:
    """Return the most copies of one card in play at once, as a minimum; 0 in unselected rounds.

    Args:
        hidden: int64[n], discards with unknown cards, which may be any card of the hand, like a fold.
    """
    events = scope.batch.events
    out = list(_iter_dealt(scope, selected, events_selected))
    for place in _HAND_PLACES:
        drawn = find_true(events_selected & (events.kind == KIND_CODES["draw"]) & (events.place == PLACES.index(place)))
        out.append(
            _collect_moves(scope, drawn, exchanged_cards(scope, place, "draw"), find_owners(scope, place, drawn))
        )
    burnt = _collect_moves(
        scope, find_true(events_selected & (events.kind == KIND_CODES["deal"]) & (events.place == BURN))
    )
    discarded = _collect_moves(scope, find_true(events_selected & (events.kind == KIND_CODES["discard"])))
    folds = find_true(events_selected & is_decision_of_kind(scope, {"fold"}) & (events.seat != ABSENT))
    folds = np.sort(np.concatenate([folds, hidden]))
    fold_event = np.full(scope.count_items("seat") + len(selected) * len(PLACES), _NEVER)
    fold_event[receivers(scope)[folds[::-1]]] = folds[::-1]
    changes: list[tuple[_Moves, Ints, int]] = [(moves, moves.at, 1) for moves in (*out, burnt)]
    changes += [(moves, _find_return(scope, moves.at), -1) for moves in (discarded, burnt)]
    for moves, by in [*((moves, -1) for moves in out), (discarded, 1)]:
        before = moves.where(moves.at < fold_event[moves.receiver])
        changes.append((before, _find_return(scope, fold_event[before.receiver]), by))
    return _find_peaks(len(selected), changes)


def _find_peaks(rounds: int, changes: list[tuple[_Moves, Ints, int]]) -> Ints:
    """Return the largest running total of a card, with changes in order of time."""
    time = np.concatenate([time for _, time, _ in changes])
    by = np.concatenate([np.full(len(moves.round), by) for moves, _, by in changes])
    owner = np.concatenate([moves.round for moves, _, _ in changes])
    card = np.concatenate([moves.card for moves, _, _ in changes])
    some = find_true(time != _NEVER)
    order = some[np.lexsort((by[some], time[some], card[some], owner[some]))]
    running = np.cumsum(by[order])
    key = owner[order] * KNOWN_CARDS + card[order]
    first = np.ones(len(order), bool)
    first[1:] = key[1:] != key[:-1]
    base = (running - by[order])[first]
    most = np.zeros(rounds, np.int64)
    np.maximum.at(most, owner[order], running - base[np.cumsum(first) - 1])
    return most


def _find_return(scope: EvaluationContext, removed: Ints) -> Ints:
    """Return the event that returns cards to the deck after given events; `_NEVER` if none does."""
    events = scope.batch.events
    result = np.full(len(removed), _NEVER)
    some = find_true(removed != _NEVER)
    owner = events.round[removed[some]]
    shuffled = events_of_kinds(scope, ("shuffle",))
    shuffles = np.append(shuffled[concerns_deck(scope, "in-play", shuffled) != NO], ABSENT)
    following = shuffles[np.searchsorted(shuffles[:-1], removed[some])]
    there = (following != ABSENT) & (events.round[following] == owner)
    known = are_kinds_recorded(scope, ("shuffle",))[owner]
    result[some] = np.where(known, np.where(there, following, _NEVER), removed[some])
    return result


def _iter_dealt(scope: EvaluationContext, selected: Flags, ours: Flags) -> Iterator[_Moves]:
    """Yield the cards dealt to places: from events, or else from the summary."""
    events = scope.batch.events
    for place in _HAND_PLACES:
        by_events = are_kinds_recorded(scope, ("deal",), place)
        dealt = (
            ours & by_events[events.round] & (events.kind == KIND_CODES["deal"]) & (events.place == PLACES.index(place))
        )
        chosen = find_true(dealt)
        yield _collect_moves(scope, chosen, scope.dealt_hands(place), find_owners(scope, place, chosen))
        owner = scope.rounds_of(grain_of_place(place)).astype(np.int64)
        rows = find_true((selected & ~by_events)[owner])
        row, column = np.nonzero(scope.dealt_hands(place).cards[rows] < KNOWN_CARDS)
        holder = rows if place == "player" else scope.count_items("seat") + rows * len(PLACES) + PLACES.index(place)
        yield _Moves(
            round=owner[rows[row]],
            card=scope.dealt_hands(place).cards[rows[row], column].astype(np.int64),
            receiver=holder[row],
            at=events.offsets[owner[rows[row]]] - 1,
        )


def _collect_moves(
    scope: EvaluationContext, chosen: Ints, listed: Hands | None = None, owner: Ints | None = None
) -> _Moves:
    """Return the known cards of some events.

    Unknown faces are filled in, in the order of events, from the cards that a summary lists.

    Args:
        listed: cards of the summary, one row per owner.
        owner: int64[m], the owner of each event.
    """
    events = scope.batch.events
    recorded = events.cards_row[chosen] != ABSENT
    chosen = chosen[recorded]
    cards = events.hands.cards[events.cards_row[chosen]]
    if listed is not None and owner is not None:
        cards = _fill_from_summary(cards, events.hands.count[events.cards_row[chosen]], listed, owner[recorded])
    row, column = np.nonzero(cards < KNOWN_CARDS)
    at = chosen[row]
    return _Moves(
        round=events.round[at].astype(np.int64),
        card=cards[row, column].astype(np.int64),
        receiver=receivers(scope)[at].astype(np.int64),
        at=at,
    )


def _fill_from_summary(cards: Cards, count: Ints16, listed: Hands, owner: Ints) -> Cards:
    """Fill in unknown faces of events from the cards that a summary lists, in their order.

    Nothing is filled in if the summary lists another number of cards.

    Args:
        cards: uint8[m, width], the cards of events.
        count: int16[m], the number of cards of each event.
    """
    if not has_any(cards == UNKNOWN):
        return cards
    rows, width = len(listed.count), listed.cards.shape[1]
    alike = np.bincount(owner, count, rows) == listed.count
    place = sum_before_each(owner, count.astype(np.int64), rows)[:, None] + np.arange(cards.shape[1])
    hidden = (cards == UNKNOWN) & alike[owner][:, None] & (place < width)
    row, column = np.nonzero(hidden)
    result = cards.copy()
    result[row, column] = listed.cards[owner[row], place[row, column]]
    return result


def _find_hidden(scope: EvaluationContext, chosen: Ints) -> Ints:
    """Return the events with an unknown face."""
    events = scope.batch.events
    rows = events.cards_row[chosen]
    hidden = rows == ABSENT
    shown = find_true(~hidden)
    cards = events.hands.cards[rows[shown]]
    hidden[shown] = ((cards >= KNOWN_CARDS) & (cards != NO_CARD)).any(axis=1)
    return chosen[hidden]


def _iter_hands(scope: EvaluationContext) -> Iterator[tuple[Place, Ints, Hands]]:
    """Yield the cards that each place was dealt, and drew, with their rounds."""
    for place in _HAND_PLACES:
        owner = scope.rounds_of(grain_of_place(place)).astype(np.int64)
        yield place, owner, scope.dealt_hands(place)
        yield place, owner, exchanged_cards(scope, place, "draw")


@cached_fact
def is_within_decks(scope: EvaluationContext) -> tuple[Flags, Flags]:
    """Return whether no known card is in play more often at once than the decks contain it, if at all, per round.

    The second result is whether every card is known, so that nothing could be missed.
    """
    whole = np.ones(scope.count_items("round"), bool)
    for place, owner, hands in _iter_hands(scope):
        whole[owner[((hands.cards >= KNOWN_CARDS) & (hands.cards != NO_CARD)).any(axis=1)]] = False
        if place in scope.compiled_game.game.deal.cards:
            whole[owner[hands.count < 0]] = False
    prepared, faces = scope.compiled_game, count_faces(scope)
    copies = count_copies(prepared)
    holds: Flags = np.all(faces <= copies, axis=1)
    repeated = find_true(~holds & ~np.any(faces[:, copies == 0], axis=1))
    if len(repeated) and prepared.game.deal.exchanging_stages:
        most, recorded = find_most_at_once(scope, repeated)
        holds[repeated] = most <= prepared.game.decks
        whole[repeated] &= recorded
    return holds, whole


@cached_by_game
def count_copies(prepared: CompiledGame) -> Ints:
    """Return how often the decks in play contain each card, int64[codes]."""
    deck = compile_game_deck(prepared)
    cards = [*range(KNOWN_CARDS)] if deck is None else [*deck.cards]
    return np.bincount(cards, minlength=DECK_CODES) * prepared.game.decks


@cached_fact
def count_faces(scope: EvaluationContext) -> Ints:
    """Count how often each known card occurs in each round.

    Returns:
        int64[rounds, codes].
    """
    rounds = scope.count_items("round")
    keys: list[Ints] = [_collect_burnt_area(scope, "deal")]
    for _, owner, hands in _iter_hands(scope):
        for cards in hands.cards.T:
            dealt = cards < KNOWN_CARDS
            if has_any(dealt):
                keys.append((owner * DECK_CODES + cards)[dealt])
            elif are_all(cards == NO_CARD):
                break
    # A card exposed among the burnt cards is one of them, unless it was not seen burnt. If it is dealt later, it is the
    # same card.
    exposed = find_distinct(_collect_burnt_area(scope, "expose"))
    keys.append(exposed[~is_one_of(exposed, np.concatenate([keys[0], _find_dealt_later(scope, "expose")]))])
    keys.append(_find_kept_back(scope))
    return np.bincount(np.concatenate(keys), minlength=rounds * DECK_CODES).reshape(rounds, DECK_CODES)


def _collect_burnt_area(scope: EvaluationContext, kind: str) -> Ints:
    """Return the known cards of events among the burnt cards, as `DECK_CODES * round + card`."""
    return collect_known_cards(scope, _find_burn_events(scope, kind))[0]


@cached_fact
def _find_dealt_later(scope: EvaluationContext, kind: str) -> Ints:
    """Return the known cards of events among the burnt cards that were dealt or drawn at a place later."""
    shown, at = collect_known_cards(scope, _find_burn_events(scope, kind))
    return shown[are_dealt_after(scope, shown, at)]


@cached_fact
def _find_kept_back(scope: EvaluationContext) -> Ints:
    """Return the known cards drawn in error that do not occur later, at a place or among the burnt cards.

    A card that was dealt before occurs twice. There are none if the log does not record the order of the deal.
    """
    drawn = find_distinct(_collect_burnt_area(scope, "draw"))
    drawn = drawn[are_kinds_recorded(scope, ["deal"])[drawn // DECK_CODES]]
    others = [
        _find_dealt_later(scope, "draw"),
        _collect_burnt_area(scope, "deal"),
        _collect_burnt_area(scope, "expose"),
    ]
    return drawn[~is_one_of(drawn, np.concatenate(others))]


@cached_fact
def _find_burn_events(scope: EvaluationContext, kind: str) -> Ints:
    """Return the events of a kind among the burnt cards.

    Cards that were exposed before the shuffle of the round are left out: they are in the deck again.
    """
    events = scope.batch.events
    chosen = events_of_kinds(scope, (kind,))
    chosen = chosen[(events.place[chosen] == BURN) & (events.cards_row[chosen] != ABSENT)]
    return (
        chosen if kind != "expose" or not len(chosen) else chosen[chosen > _find_shuffle(scope)[events.round[chosen]]]
    )


@cached_fact
def _find_shuffle(scope: EvaluationContext) -> Ints:
    """Return the last shuffle of the deck in play before the first card of each round; ABSENT if none."""
    events, result = scope.batch.events, np.full(len(scope.batch), ABSENT, np.int64)
    first = find_first_by_round(scope, events_of_kinds(scope, ("deal",)))
    shuffles = events_of_kinds(scope, ("shuffle",))
    shuffles = shuffles[shuffles < first[events.round[shuffles]]]
    shuffles = shuffles[concerns_deck(scope, "in-play", shuffles) == YES]
    result[events.round[shuffles]] = shuffles
    return result


def count_cards_out(scope: EvaluationContext) -> tuple[Ints, Flags]:
    """Count the cards that left the deck in each round, and return whether the log records them.

    These are cards dealt and drawn at every place, burnt, or exposed in the deck. A card drawn in error counts if it
    was not dealt later.
    """
    rounds = scope.count_items("round")
    total = np.zeros(rounds, np.int64)
    recorded = are_kinds_recorded(scope, ["deal", "expose"], "burn").copy()
    served = scope.compiled_game.game.deal.cards
    hidden = np.zeros(rounds, bool)
    for place, owner, hands in _iter_hands(scope):
        total += np.bincount(owner, np.maximum(hands.count, 0), rounds).astype(np.int64)
        hidden[owner[((hands.cards >= KNOWN_CARDS) & (hands.cards != NO_CARD)).any(axis=1)]] = True
        if place in served:
            recorded[owner[hands.count < 0]] = False
    events = scope.batch.events
    for kind in ("deal", "expose", "draw"):
        chosen = _find_burn_events(scope, kind)
        owner, rows = events.round[chosen].astype(np.int64), events.cards_row[chosen]
        sizes = events.hands.count[rows] if len(rows) else np.zeros(0, np.int16)
        known = _collect_burnt_area(scope, kind)
        faces = np.bincount(known // DECK_CODES, minlength=rounds)
        unknown = np.bincount(owner, sizes, rounds).astype(np.int64) - faces
        if kind == "deal":
            total += unknown + faces
            continue
        new = find_distinct(known)
        new = new[
            ~is_one_of(new, np.concatenate([_collect_burnt_area(scope, "deal"), _find_dealt_later(scope, "expose")]))
        ]
        if kind == "draw":
            itself = is_one_of(new, _find_kept_back(scope))
            new = new[count_faces(scope)[new // DECK_CODES, new % DECK_CODES] == itself]
            # It is unknown whether an unseen card was dealt later.
            recorded &= (unknown == 0) & ~(hidden & (np.bincount(new // DECK_CODES, minlength=rounds) > 0))
        total += np.bincount(new // DECK_CODES, minlength=rounds) + (unknown if kind == "expose" else 0)
    return total, recorded
