"""The replay of one round by itself, which states the rules, against the replay of regular rounds in columns."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT
from fairdeal.validator.engine.betting.betting_run import play_actions, replay_in_columns, replay_one_by_one
from fairdeal.validator.engine.betting.betting_snapshots import (
    COMPLETE,
    OTHER,
    STREET,
    BettingActions,
    BettingSnapshots,
    BettingTerms,
)
from fairdeal.validator.engine.betting.misplaced_actions import PlayedBetting
from tests.play.betting.test_loop import deal_hands, lay_out


def disturb(rng: random.Random, share: float) -> tuple[BettingActions, BettingTerms]:
    """Return lawful hands in which a share of the actions is something else, under terms that are partly unknown."""
    actions, terms = lay_out(*deal_hands(rng.getrandbits(30), 1500, 0.0))
    op, row, amount = actions.op.copy(), actions.row.copy(), actions.amount.copy()
    for entry in np.flatnonzero([rng.random() < share for _ in op]).tolist():
        match rng.randrange(4):
            case 0:
                op[entry] = rng.randint(OTHER, COMPLETE)
            case 1:
                row[entry] = rng.randint(ABSENT, 5)
            case 2:
                amount[entry] = rng.choice((0, 5, 10, 40))
            case _:
                op[entry], row[entry], amount[entry] = STREET + rng.randrange(4), ABSENT, 0
    rounds = len(actions.round_order)
    row = np.where(row < terms.seat_count.astype(np.int64)[actions.number_rounds()], row, ABSENT).astype(np.int8)
    are_stacks_known = np.array([rng.random() < 0.9 for _ in range(rounds)])
    terms = replace(
        terms,
        without_cards=np.array([rng.random() < 0.1 for _ in range(rounds)], np.uint32),
        are_stacks_known=are_stacks_known,
        half_bet=np.array([[rng.choice((0, 0, 5)) for _ in range(rounds)] for _ in terms.half_bet]),
        is_turn_known=are_stacks_known & np.array([[rng.random() < 0.9 for _ in range(rounds)] for _ in range(4)]),
    )
    return replace(actions, op=op, row=row, amount=amount), terms


def replay_all_one_by_one(actions: BettingActions, terms: BettingTerms) -> BettingSnapshots:
    play = replay_in_columns(actions, terms)
    replay_one_by_one(play, actions, np.ones(len(actions.round_order), bool))
    return play.snapshots.derive_snapshots(*actions.describe_entries())


def list_differences(states: BettingSnapshots, others: BettingSnapshots) -> Sequence[str]:
    return [
        name for name in states.__struct_fields__ if not np.array_equal(getattr(states, name), getattr(others, name))
    ]


@pytest.mark.parametrize(("seed", "irregular"), [(21, 0.0), (22, 0.03), (23, 0.2)])
def test_hands_are_replayed_alike_in_columns_and_one_by_one(seed: int, irregular: float) -> None:
    actions, terms = lay_out(*deal_hands(seed, 800, irregular))

    states, final = play_actions(actions, terms)

    assert not list_differences(states, replay_all_one_by_one(actions, terms))
    play = replay_in_columns(actions, terms)
    replay_one_by_one(play, actions, np.ones(len(actions.round_order), bool))
    assert np.array_equal(final.players_in, play.players_in)
    assert np.array_equal(final.conceded, play.has_conceded)
    assert np.array_equal(final.last_bettor, play.last_bettor)
    assert np.array_equal(final.last_bettor_of_hand, play.last_bettor_of_hand)


@pytest.mark.parametrize(("seed", "share"), [(1, 0.02), (2, 0.02), (3, 0.1), (4, 0.5)])
def test_disturbed_hands_are_replayed_alike_in_columns_and_one_by_one(seed: int, share: float) -> None:
    actions, terms = disturb(random.Random(seed), share)

    states, _ = play_actions(actions, terms)

    assert not list_differences(states, replay_all_one_by_one(actions, terms))
    play = replay_in_columns(actions, terms)
    # Both ways are tried: the columns decide some long rounds, and leave others to the plain replay.
    sizes = np.bincount(actions.number_rounds(), minlength=len(actions.round_order))
    assert (sizes[~play.is_irregular] > 5).sum() > 50 and play.is_irregular.sum() > 200
    assert (play.is_irregular & ~play.breaks_order).sum() > 10


def test_no_hand_that_is_played_in_order_is_irregular() -> None:
    actions, terms = lay_out(*deal_hands(24, 2000, 0.0))
    assert not replay_in_columns(actions, terms).is_irregular.any()


def test_a_round_that_breaks_the_order_shows_it_and_is_right_up_to_that_action() -> None:
    actions, terms = disturb(random.Random(9), 0.03)
    terms = replace(terms, is_turn_known=np.ones_like(terms.is_turn_known), are_stacks_known=np.ones(1500, bool))
    kinds = np.zeros(len(actions.op), np.uint8)
    whole = PlayedBetting.replay(actions, kinds, terms)
    partial = PlayedBetting.replay(actions, kinds, terms, may_break_order=False)
    disorder, _ = partial.find_disorder()

    broken = np.flatnonzero(replay_in_columns(actions, terms).breaks_order).tolist()

    assert len(broken) > 200
    for number in broken:
        own = actions.list_entries(number)
        assert disorder[own].any()
        until = own[: int(np.argmax(disorder[own])) + 1]
        states, others = whole.snapshots, partial.snapshots
        for name in set(states.__struct_fields__) - {"out_of_order"}:  # which is about the action itself
            assert np.array_equal(getattr(states, name)[until], getattr(others, name)[until]), name
