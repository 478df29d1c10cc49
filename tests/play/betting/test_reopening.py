"""Raises that reopen the betting: short all-ins that equal a full raise together, also checked against PokerKit."""

from __future__ import annotations

import importlib
import random
import warnings
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from fairdeal.validator.engine.betting.betting_run import play_actions as played_through
from fairdeal.validator.engine.betting.betting_snapshots import FULL_RAISE
from tests.play.betting.game import GAME, OPEN, POSTED, TOGETHER, play_acts
from tests.play.betting.referee import Hand, Player
from tests.play.betting.test_loop import lay_out
from tests.play.table import answers

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pokerkit: Any = importlib.import_module("pokerkit")  # its types leave out how it is to be called

AGAIN = 1_200
"""Bet of seat 3 on the flop; a full raise is to twice that."""


def open_to_a_raise(all_ins: tuple[int, int], acts: str, submission: Any) -> Any:
    """Return whether the last act of a betting round may raise. Two seats have no more than `all_ins` in it."""
    start = "1 small 100; 2 big 200; 3 call 200; 4 call 200; 5 call 200; 1 call 100; 2 check; second"
    stacks: dict[int, int | None] = {1: 200 + all_ins[0], 2: 200 + all_ins[1], 3: 10_000, 4: 10_000, 5: 10_000}
    record = play_acts(f"{start}; {acts}", stacks=stacks, button=5)
    return answers({"betting": "may-raise"}, [record], "event", submission=submission, **GAME)[-1]


@pytest.mark.parametrize(("second", "together"), [(2_399, "no"), (2_400, "yes"), (2_401, "yes")])
def test_short_all_ins_open_the_betting_where_they_are_a_full_raise_together(second: int, together: str) -> None:
    acts = f"1 check; 2 check; 3 bet {AGAIN}; 4 fold; 5 fold; 1 raise 1800; 2 raise {second}; 3 raise 6000"
    all_ins = (1_800, second)

    assert open_to_a_raise(all_ins, acts, TOGETHER) == together
    assert open_to_a_raise(all_ins, acts, POSTED) == "no"
    assert open_to_a_raise(all_ins, acts, OPEN) == "yes"


def test_only_raises_since_the_act_of_the_seat_count() -> None:
    """All-ins for 18 and 24 follow a bet of 12.

    They are a full raise for players who acted before both, and half a raise for a caller of the first one.
    """
    begun = f"1 check; 2 check; 3 bet {AGAIN}; 4 call {AGAIN}; 5 fold; 1 raise 1800"
    later = f"{begun}; 2 raise 2400; 3 call 1200; 4 raise 4000"
    assert open_to_a_raise((1_800, 2_400), later, TOGETHER) == "yes"

    between = "1 bet 1200; 2 check; 3 raise 1800; 4 call 1800; 5 raise 2400; 1 raise 6000"
    stacks: dict[int, int | None] = {1: 10_000, 2: 10_000, 3: 2_000, 4: 10_000, 5: 2_600}
    start = "1 small 100; 2 big 200; 3 call 200; 4 call 200; 5 call 200; 1 call 100; 2 check; second"
    told = [f"{start}; {between}", f"{start}; {between.removesuffix('1 raise 6000')}1 call 1200; 2 fold; 4 raise 4000"]
    records = [play_acts(acts, stacks=stacks, button=5, number=number) for number, acts in enumerate(told, 1)]
    open_to = answers({"betting": "may-raise"}, records, "event", submission=TOGETHER, **GAME)
    first = len(records[0]["events"])
    assert open_to[first - 1] == "yes"  # seat 1 faces both
    assert open_to[-1] == "no"  # seat 4 only the second


def test_a_new_betting_round_begins_without_what_was_raised_before() -> None:
    record = play_acts(
        "1 small 100; 2 big 200; 3 raise 600; 1 raise 900; 2 call 800; 3 call 400; second;"
        "2 bet 200; 3 call 200; 2 raise 600",
        stacks={1: 1_000, 2: 10_000, 3: 10_000},
        button=3,
    )
    assert answers({"betting": "may-raise"}, [record], "event", submission=TOGETHER, **GAME)[-1] == "no"


def deal_short_all_ins(rng: random.Random) -> tuple[Hand, list[int], list[tuple[int, bool]]]:
    """Deal a hand before the flop at random, with many short all-ins.

    Returns the hand of the referee, the chips, and for later acts of a player the index and whether PokerKit allows a
    raise. PokerKit adds up successive short all-ins, whoever acted between them, and starts anew after a full raise.
    Only players who acted before the first short all-in are therefore compared, and none after a full raise.
    """
    size = rng.randint(4, 8)
    chips = [1000] * size
    short = 12
    for i in range(3, size):
        if rng.random() < 0.7:
            short += rng.randint(2, 9)
            chips[i] = short
    hand = Hand(
        players=[Player(amount) for amount in chips],
        smallest=[2] * 4,
        reopened_by="full-raise-in-all",
        openers=[2, 0, 0, 0],
    )
    hand.post(0, 1, "live")
    hand.post(1, 2, "bet", floor=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        state = pokerkit.NoLimitTexasHoldem.create_state(
            tuple(pokerkit.Automation), True, 0, (1, 2), 2, chips, size, mode=pokerkit.Mode.CASH_GAME
        )
        return hand, chips, _acts(hand, state, rng)


def _acts(hand: Hand, state: Any, rng: random.Random) -> list[tuple[int, bool]]:
    asked: list[tuple[int, bool]] = []
    before_any, past_one = set[int](), set[int]()  # players by when they acted last
    while (who := state.actor_index) is not None and state.street_index == 0:
        assert hand.next_to_act() == who
        pending = bool(state.consecutive_short_all_in_amounts)
        one = hand.players[who]
        counted = who in before_any and not (pending and who in past_one)
        if counted and one.acted and one.chips > hand.level - one.put:
            try:
                state.verify_completion_betting_or_raising_to()
                asked.append((len(hand.acts), True))
            except ValueError as problem:
                if "already acted" in str(problem) or "Short all-in" in str(problem):
                    asked.append((len(hand.acts), False))
        _act(hand, state, who, rng)
        still = bool(state.consecutive_short_all_in_amounts)
        past_one = (past_one | before_any if pending and not still else past_one) - {who}
        before_any = before_any - {who} if still else before_any | {who}
    return asked


def _act(hand: Hand, state: Any, who: int, rng: random.Random) -> None:
    one, owed = hand.players[who], int(state.checking_or_calling_amount)
    free = rng.random()
    raising = 0.8 if hand.level == 2 or one.chips < 100 else 0.1
    if free < raising and state.can_complete_bet_or_raise_to():
        least = int(state.min_completion_betting_or_raising_to_amount)
        most = int(state.max_completion_betting_or_raising_to_amount)
        to = most if most < 100 else least + rng.choice([4, 8])
        hand.act("bet", who, to - one.put)
        state.complete_bet_or_raise_to(to)
    elif free < 0.15 and state.can_fold():
        hand.act("fold", who)
        state.fold()
    else:
        hand.act("call" if owed else "check", who, owed)
        state.check_or_call()


def test_pokerkit_says_the_same_where_it_counts_the_same_raises() -> None:
    rng = random.Random(31)
    hands, stacks, asked = zip(*(deal_short_all_ins(rng) for _ in range(1000)), strict=True)
    forced = [frozenset(i for i, (act, _) in enumerate(hand.acts) if act.floor) for hand in hands]
    acts, terms = lay_out(hands, forced, stacks)
    states, _ = played_through(acts, terms)

    entry = np.empty(len(acts.events), np.int64)
    entry[acts.events] = np.arange(len(acts.events))
    starts = np.cumsum([0] + [len(hand.acts) for hand in hands])
    places = [starts[h] + place for h, of_hand in enumerate(asked) for place, _ in of_hand]
    told = [may for of_hand in asked for _, may in of_hand]
    assert states.may_raise[entry[places]].tolist() == told
    closed = replace(terms, reopened_by=np.full_like(terms.reopened_by, FULL_RAISE))
    alone = played_through(acts, closed)[0].may_raise[entry[places]]
    assert told.count(False) > 100
    assert (np.array(told) & ~alone).sum() > 50  # by several raises together
