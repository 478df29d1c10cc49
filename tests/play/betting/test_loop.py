"""The loop over columns against a plain referee, on thousands of random hands, lawful and not."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from fairdeal.validator.engine.betting.betting_run import play_actions
from fairdeal.validator.engine.betting.betting_snapshots import (
    AS_BET,
    BET,
    CALL,
    CHECK,
    CONCEDE,
    DEAD,
    FOLD,
    LIVE,
    RAISE,
    REOPENINGS,
    STREET,
    BettingActions,
    BettingTerms,
)
from fairdeal.validator.engine.facts.seat_layout import find_next_seat_in, mask_of_first
from tests.play.betting.referee import FIELDS, Hand, random_hand

OPS = {
    "dead": DEAD,
    "live": LIVE,
    "bet": BET,
    "raise": RAISE,
    "call": CALL,
    "fold": FOLD,
    "check": CHECK,
    "concede": CONCEDE,
}


def lay_out(
    hands: Sequence[Hand], forced: Sequence[frozenset[int]], stacks: Sequence[Sequence[int]]
) -> tuple[BettingActions, BettingTerms]:
    """Build the columns that the loop reads from hands of the referee. `forced` lists the acts that set the bet."""
    owner = np.array([h for h, hand in enumerate(hands) for _ in hand.acts], np.int32)
    acts = [(act, place in forced[h]) for h, hand in enumerate(hands) for place, (act, _) in enumerate(hand.acts)]
    op = [STREET + act.street if act.kind == "street" else AS_BET if sets else OPS[act.kind] for act, sets in acts]
    most = max(len(stack) for stack in stacks)
    chips = np.zeros((most, len(hands)), np.int64)
    for h, stack in enumerate(stacks):
        chips[: len(stack), h] = stack
    count = np.array([len(stack) for stack in stacks])
    before = np.array([[(hand.openers[b] - 1) % len(hand.players) for hand in hands] for b in range(4)], np.uint32)
    actions, _ = BettingActions.arrange(
        owner,
        len(hands),
        events=np.arange(len(acts)),
        op=np.array(op, np.uint8),
        row=np.array([-1 if act.who is None else act.who for act, _ in acts], np.int8),
        amount=np.array([act.amount for act, _ in acts], np.int64),
        minimum_bet=np.array([act.floor for act, _ in acts], np.int64),
    )
    order = actions.round_order
    return (
        actions,
        BettingTerms(
            seat_count=count.astype(np.uint32)[order],
            without_cards=np.zeros(len(hands), np.uint32),
            stacks=chips[:, order],
            are_stacks_known=np.ones(len(hands), bool),
            row_before_opener=before[:, order],
            smallest_bet=np.array([[hand.smallest[b] for hand in hands] for b in range(4)], np.int64)[:, order],
            half_bet=np.zeros((4, len(hands)), np.int64),
            reopened_by=np.array([REOPENINGS.index(hand.reopened_by) for hand in hands], np.uint8)[order],
            is_turn_known=np.ones((4, len(hands)), bool),
        ),
    )


def deal_hands(seed: int, count: int, irregular: float) -> tuple[list[Hand], list[frozenset[int]], list[list[int]]]:
    rng = random.Random(seed)
    hands, forced, stacks = [], [], []
    for _ in range(count):
        hand = random_hand(rng, irregular=irregular)
        hands.append(hand)
        forced.append(frozenset(i for i, (act, _) in enumerate(hand.acts) if act.floor))
        stacks.append(hand.bought)
    return hands, forced, stacks


@pytest.mark.parametrize(("seed", "irregular"), [(7, 0.0), (8, 0.03), (9, 0.2)])
def test_the_loop_sees_what_the_referee_sees_before_every_act(seed: int, irregular: float) -> None:
    hands, forced, stacks = deal_hands(seed, 1500, irregular)
    acts, terms = lay_out(hands, forced, stacks)

    states, over = play_actions(acts, terms)

    entry = np.empty(len(acts.events), np.int64)
    entry[acts.events] = np.arange(len(acts.events))
    expected = [seen for hand in hands for _, seen in hand.acts] + [hand.finish() for hand in hands]
    entries = np.concatenate([entry, len(entry) + acts.round_rank])
    rows = np.concatenate([acts.row, np.zeros(len(hands), np.int8)])
    due = np.where(states.is_late_action, rows, states.seat_to_act)
    assert due[entries].tolist() == [seen["due"] for seen in expected]
    for name in ("level", "last_raise", "pot", "voluntary", "street", "raises", "option"):
        recorded = getattr(states, FIELDS[name])[entries].tolist()
        assert recorded == [seen[name] for seen in expected], name
    assert np.bitwise_count(states.players_in[entries]).tolist() == [seen["players"] for seen in expected]
    for name in ("put", "behind", "still_in", "may_raise", "checked"):
        of_seats = [i for i, seen in enumerate(expected) if name in seen]
        assert getattr(states, FIELDS[name])[entries[of_seats]].tolist() == [expected[i][name] for i in of_seats], name
    ends = [hand.finish() for hand in hands]
    assert over.players_in[acts.round_rank].tolist() == [end["remaining"] for end in ends]
    assert over.conceded[acts.round_rank].tolist() == [end["conceded"] for end in ends]
    assert over.last_bettor[acts.round_rank].tolist() == [end["last_bettor"] for end in ends]
    assert over.last_bettor_of_hand[acts.round_rank].tolist() == [end["last_bettor_of_all"] for end in ends]


def test_the_random_hands_are_of_every_sort() -> None:
    """The comparison relies on many side pots, short raises and rounds played to the end."""
    hands, _, stacks = deal_hands(7, 3000, 0.0)
    all_in = [sum(player.chips == 0 and player.live for player in hand.players) for hand in hands]
    assert sum(count >= 2 for count in all_in) > 200
    assert sum(len(stack) == 2 for stack in stacks) > 50
    assert sum(hand.street == 3 for hand in hands) > 300
    short = [
        act
        for hand in hands
        for act, seen in hand.acts
        if act.kind == "bet" and not act.floor and 0 < act.amount + seen["put"] - seen["level"] < seen["last_raise"]
    ]
    assert len(short) > 50
    together = [act for hand in hands for act, seen in hand.acts if act.who == seen["due"] and seen["together"]]
    assert len(together) > 10


def test_the_next_of_a_set_comes_clockwise_up_to_as_many_seats_as_a_mask_holds() -> None:
    rng = random.Random(3)
    for _ in range(3000):
        count = rng.randint(1, 32)
        wanted, after = rng.getrandbits(count), rng.randrange(count)
        clockwise = [(after + 1 + step) % count for step in range(count)]
        due = next((i for i in clockwise if wanted >> i & 1), -1)
        found = find_next_seat_in(
            np.array([wanted], np.uint32), np.array([after], np.uint32), np.array([count], np.uint32)
        )
        assert found.tolist() == [due]
    assert mask_of_first(np.array([0, 1, 31, 32], np.uint32)).tolist() == [0, 1, 2**31 - 1, 2**32 - 1]
