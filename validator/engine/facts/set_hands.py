"""Hands that places set from their cards: a High Hand and a Low Hand, as the last event `set` states them."""

from __future__ import annotations

import numpy as np

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Truths, find_true
from fairdeal.validator.cards.card_codes import KNOWN_CARDS, NO_CARD, UNKNOWN, sort_columns
from fairdeal.validator.cards.ranking import CompiledRanking
from fairdeal.validator.cards.setting_rules import CompiledSetting
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.timeline.step_events import events_of_kinds
from fairdeal.validator.evidence.columns.batch import Hands
from fairdeal.validator.evidence.columns.log_draft import decode_hand_texts
from fairdeal.validator.evidence.handlog.event_kinds import PLACES, WIDEST_HAND
from fairdeal.validator.language.grammar import Place, grain_of_place


@cached_fact
def collect_set_cards(scope: EvaluationContext, place: Place, *, low: bool) -> Hands:
    """Return the cards of the High Hand or the Low Hand of each seat, or of the place of each round.

    They are not recorded without an event `set`. Of several events the last counts.
    """
    events, rows = scope.batch.events, scope.count_items(grain_of_place(place))
    cards, count = np.full((rows, WIDEST_HAND), NO_CARD, np.uint8), np.full(rows, ABSENT, np.int16)
    chosen = events_of_kinds(scope, ("set",))
    chosen = chosen[events.place[chosen] == PLACES.index(place)]
    if not len(chosen):
        return Hands(cards=cards, count=count)
    last = np.full(rows, ABSENT, np.int64)
    owner = (events.seat if place == "player" else events.round)[chosen]
    np.maximum.at(last, owner, chosen)
    set_ = find_true(last != ABSENT)
    if low:
        hands, index = decode_hand_texts(events.value.names).hands, events.value.codes[last[set_]]
    else:
        hands, index = events.hands, events.cards_row[last[set_]]
    cards[set_], count[set_] = hands.cards[index, :WIDEST_HAND], hands.count[index]
    return Hands(cards=cards, count=count)


def find_set_hands(prepared: CompiledGame, place: str) -> list[str]:
    """Return the names of the High Hand and the Low Hand that a place sets."""
    hands = prepared.game.hands
    named = [
        [name for name, hand in hands.items() if hand.cards == part and hand.from_ == [place]]
        for part in ("set-high", "set-low")
    ]
    return [name for names in named for name in names[:1]]


def compile_setting(prepared: CompiledGame, place: str) -> CompiledSetting:
    """Return the rankings of the hands that a place sets.

    Raises:
        TypeError: the place sets no hands of fixed sizes.
    """
    rankings = [prepared.hands[name].ranking for name in find_set_hands(prepared, place)]
    fixed = [ranking for ranking in rankings if isinstance(ranking, CompiledRanking)]
    if len(fixed) != 2:
        raise TypeError(f"the {place} sets no High Hand and Low Hand of fixed sizes")
    return CompiledSetting(high=fixed[0], low=fixed[1])


@cached_fact
def are_hands_set_whole(scope: EvaluationContext, place: Place) -> Truths:
    """Return whether each place has set all its cards into hands of the right sizes.

    Unknown cards may be any cards.

    Returns:
        uint8[n]: per seat for `player`, else per round.
    """
    setting, dealt = compile_setting(scope.compiled_game, place), scope.dealt_hands(place)
    high, low = (collect_set_cards(scope, place, low=is_low) for is_low in (False, True))
    recorded = high.count != ABSENT
    sized = (high.count == setting.high.size) & (low.count == setting.low.size)
    set_cards = np.concatenate([high.cards, low.cards], axis=1)
    shown = recorded & (dealt.count >= 0)
    whole = sized & _are_same_cards(set_cards, dealt.cards)
    hidden = (set_cards == UNKNOWN).any(axis=1) | (dealt.cards == UNKNOWN).any(axis=1)
    possible = sized & (high.count + low.count == dealt.count)
    known = (shown | (recorded & ~sized)) & ~(hidden & possible)
    return kleene.where_known(whole, known)


def _are_same_cards(first: Codes, second: Codes) -> Flags:
    """Return whether two rows hold the same known cards, whatever their order, bool[n]."""
    width = max(first.shape[1], second.shape[1])
    sides = [np.full((len(first), width), NO_CARD, np.uint8) for _ in range(2)]
    for side, cards in zip(sides, (first, second), strict=True):
        side[:, : cards.shape[1]] = cards
    known = (first < KNOWN_CARDS) | (first == NO_CARD)
    same: Flags = (sort_columns(sides[0]) == sort_columns(sides[1])).all(axis=0) & known.all(axis=1)
    return same
