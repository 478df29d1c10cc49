"""Strength of the hands that compete for a pot, evaluated only if at least two seats can win one."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Bits32, Codes, Ints32
from validator.cards.cards import NO_CARD, UNKNOWN
from validator.engine.betting.contributions import Contributions
from validator.engine.cards.ranked_hands import collect_hand_cards
from validator.engine.core.context import EvaluationContext
from validator.engine.pots.shown_hands import collect_player_cards
from validator.engine.pots.side_pots import LayeredPots, expand_masks
from validator.evidence.columns.batch import Hands


def find_contested_rows(pots: LayeredPots) -> Bits32:
    """Return the rows that can win a pot which another row can win as well, as masks.

    Returns:
        uint32[H].
    """
    result = np.zeros(len(pots.count), np.uint32)
    several = np.flatnonzero(pots.eligible & (pots.eligible - np.uint32(1)))
    np.bitwise_or.at(result, pots.round[several], pots.eligible[several])
    return result


def compute_strengths(scope: EvaluationContext, hand: str, put: Contributions, rows: Bits32, board: Hands) -> Ints32:
    """Return the strength of a hand on a board, for some rows.

    It is ABSENT for all other rows, and if a card is unknown or a place does not hold the full number of cards.

    Args:
        rows: uint32[H], the rows to evaluate, as masks.

    Returns:
        int32[S, H].
    """
    prepared = scope.compiled_game.hands[hand]
    result = np.full(put.seats.shape, ABSENT, np.int32)
    at, round_ = np.nonzero(expand_masks(rows, len(put.seats)) & (put.seats >= 0))
    if not len(at):
        return result
    seats = put.seats[at, round_]
    parts: list[Codes] = []
    for place, wanted in zip(prepared.places, prepared.sizes, strict=True):
        if place == "player":
            parts.append(collect_player_cards(scope, hand, wanted, seats))
        else:
            held = board if place == "community" else collect_hand_cards(scope, hand, place)
            cards = held.cards[round_, :wanted]
            if cards.shape[1] < wanted:
                cards = np.pad(cards, ((0, 0), (0, wanted - cards.shape[1])), constant_values=NO_CARD)
            parts.append(np.where((held.count[round_] == wanted)[:, None], cards, np.uint8(UNKNOWN)))
    result[at, round_] = prepared.strength(np.concatenate(parts, axis=1))
    return result
