"""Counts of cards that left the deck, and the number of copies of a card that are in play at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fairdeal.validator.arrays import (
    ABSENT,
    Flags,
    Ints,
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
from fairdeal.validator.engine.deal_checks.plain_card_copies import CardCopies, fill_from_summary
from fairdeal.validator.engine.facts.final_hands import exchanged_cards, find_owners
from fairdeal.validator.engine.facts.step_cards import DECK_CODES, are_dealt_after, collect_known_cards
from fairdeal.validator.engine.timeline.deal_stages import BURN, receivers
from fairdeal.validator.engine.timeline.event_cards import concerns_deck
from fairdeal.validator.engine.timeline.recorded_acts import is_decision_of_kind
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds, find_first_by_round
from fairdeal.validator.evidence.columns.round_batch import Hands
from fairdeal.validator.evidence.event_kinds import PLACES
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.language.grammar import Place, grain_of_place

_HAND_PLACES: tuple[Place, ...] = ("player", "dealer", "community")


def find_most_at_once(scope: EvaluationContext, rounds: Ints) -> tuple[Ints, Flags]:
    """Return the most copies of one card that are in play at once, as a minimum, in some rounds.

    Returns:
        int64[m]; bool[m], whether shuffles and discards are recorded, so that the number is known.
    """
    recorded = are_kinds_recorded(scope, ("discard", "draw", "decide"))[rounds]
    most, known = np.zeros(len(rounds), np.int64), recorded & are_kinds_recorded(scope, ("shuffle",))[rounds]
    for index in find_true(recorded).tolist():
        copies = _follow_copies(scope, int(rounds[index]))
        most[index] = copies.most
        known[index] &= copies.are_discards_known
    return most, known


def _follow_copies(scope: EvaluationContext, round_: int) -> CardCopies:
    """Follow the cards of one round: those that places were dealt from events, or else from the summary."""
    events, ours = scope.batch.events, np.arange(*scope.batch.events.offsets[round_ : round_ + 2])
    copies = CardCopies(are_shuffles_recorded=bool(are_kinds_recorded(scope, ("shuffle",))[round_]))
    kind, place, hands = events.kind[ours], events.place[ours], events.hands
    rows = events.cards_row[ours].tolist()
    cards = [[UNKNOWN] if row == ABSENT else hands.cards[row, : hands.count[row]].tolist() for row in rows]
    is_received = np.zeros(len(ours), bool)
    for name in _HAND_PLACES:
        is_shown = (place == PLACES.index(name)) & (events.cards_row[ours] != ABSENT)
        is_dealt, is_drawn = (is_shown & (kind == KIND_CODES[handed]) for handed in ("deal", "draw"))
        dealt, drawn = scope.dealt_hands(name), exchanged_cards(scope, name, "draw")
        if are_kinds_recorded(scope, ("deal",), name)[round_]:
            is_received |= is_dealt
        else:
            for owner in find_true(scope.rounds_of(grain_of_place(name)) == round_).tolist():
                elsewhere = scope.count_items("seat") + owner * len(PLACES) + PLACES.index(name)
                copies.receive(owner if name == "player" else elsewhere, _list_hand(dealt, owner))
        is_received |= is_drawn
        for chosen, listed in ((find_true(is_dealt), dealt), (find_true(is_drawn), drawn)):
            owners = find_owners(scope, name, ours[chosen])
            for owner in find_distinct(owners).tolist():
                parts = [cards[at] for at in chosen[owners == owner].tolist()]
                fill_from_summary(parts, _list_hand(listed, owner))
    is_shuffle = kind == KIND_CODES["shuffle"]
    is_shuffle[is_shuffle] = concerns_deck(scope, "in-play", ours[is_shuffle]) != NO
    is_burnt = (kind == KIND_CODES["deal"]) & (place == BURN)
    is_fold = is_decision_of_kind(scope, {"fold"})[ours] & (events.seat[ours] != ABSENT)
    is_discarded = kind == KIND_CODES["discard"]
    for at, holder in enumerate(receivers(scope)[ours].tolist()):
        if is_received[at]:
            copies.receive(holder, cards[at])
        elif is_burnt[at]:
            copies.burn(cards[at])
        elif is_discarded[at]:
            copies.discard(holder, cards[at])
        elif is_fold[at]:
            copies.fold(holder)
        elif is_shuffle[at]:
            copies.shuffle()
    return copies


def _list_hand(hands: Hands, row: int) -> list[int]:
    """Return the listed cards of a hand."""
    return hands.cards[row, : max(hands.count[row], 0)].tolist()


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
