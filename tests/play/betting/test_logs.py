"""Random hands written as logs, with seats and button anywhere, against the referee that played them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from fairdeal.validator.engine.betting.betting_replay import (
    JOIN_WAYS,
    collect_contributions,
    replay_as_recorded,
    replay_betting,
)
from tests.facade.rounds import EvaluationContext
from tests.play.betting.game import GAME, POSTED, SHORT_ALL_IN
from tests.play.betting.referee import FIELDS, REOPENED_BY, Hand, random_hand
from tests.play.table import Data, batch_of, configuration, event, room, round_of, step

STREETS = (None, "second", "third", "fourth")
LINES = {"dead": "ante", "live": "small", "bet": "big"}


def game(*, fixed: bool) -> Data:
    """Build the made-up game with the referee's positions and four betting rounds, of fixed or free sizes."""
    positions = {
        "small-seat": [{"after": "button"}],
        "big-seat": [{"after": "small-seat"}],
        "next-seat": [{"after": "big-seat"}],
        "left": [{"after": "button"}],
    }
    rounds: list[Data] = []
    for number, after in enumerate(STREETS):
        one: Data = {"round": f"round-{number}", "opens": "left" if after else "next-seat"}
        rounds.append(one | ({"after": after} if after else {}) | ({"size": 2 if number < 2 else 4} if fixed else {}))
    return {
        **GAME,
        "table": {**GAME["table"], "positions": positions},
        "betting": {**GAME["betting"], "rounds": rounds},
        "other-events": {**GAME["other-events"], **step("fourth", "announce", what="fourth")},
    }


def write_hand(hand: Hand, rng: random.Random, number: int) -> tuple[Data, list[int]]:
    """Return a hand as a log record, and the seat number of each player of the referee."""
    size = len(hand.players)
    numbers = sorted(rng.sample(range(1, 40), size))
    turn = rng.randrange(size)
    numbers = numbers[turn:] + numbers[:turn]
    # The button lies at the last seat, or at an empty place between it and the first.
    between = [number % 99 + 1 for number in range(numbers[-1] - 1, numbers[-1] + 99)]
    button = rng.choice(between[: between.index(numbers[0])])
    staked: list[dict[str, int]] = [{} for _ in range(size)]
    events = []
    for act, _ in hand.acts:
        if act.who is None:
            events.append(event("announce", what=STREETS[act.street]))
            continue
        forced = act.kind in ("dead", "live") or act.floor > 0
        line = LINES[act.kind] if forced else "bets"
        staked[act.who][line] = staked[act.who].get(line, 0) + act.amount
        more: Data = {"wager": line} if forced else {"decision": act.kind}
        events.append(event("wager" if forced else "decide", numbers[act.who], amount=act.amount, **more))
    seats = [
        {
            "seat": numbers[i],
            "stack": hand.bought[i],
            "wagers": [{"wager": line, "amount": amount} for line, amount in staked[i].items() if amount],
        }
        for i in range(size)
    ]
    rng.shuffle(seats)
    record = round_of(*seats, number=number, button=button, events=events)
    # Where nobody decides anything, or posts, that is so.
    record["unrecorded"] = [kind for kind in record["unrecorded"] if kind not in ("decide", "wager")]
    return record, numbers


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("reopened_by", REOPENED_BY)
@pytest.mark.parametrize("irregular", [0.0, 0.05])
def test_logs_show_what_the_referee_saw(*, fixed: bool, reopened_by: str, irregular: float) -> None:
    rng = random.Random(11)
    hands: list[Hand] = []
    while len(hands) < 90:
        hand = random_hand(rng, irregular=irregular)
        if hand.reopened_by == reopened_by and (hand.smallest[2] == 4) == fixed:
            hands.append(hand)
    records, numbers = zip(*(write_hand(hand, rng, number) for number, hand in enumerate(hands)), strict=True)
    options = {"short-all-in": SHORT_ALL_IN[reopened_by], "smallest-raise": "last"}
    posted = [{**wager, "minimum": f"{wager['minimum'] / 100:.2f}"} for wager in POSTED["wagers"]]
    batch = batch_of(records)
    submission = configuration({"wagers": posted, "options": options})
    scope = EvaluationContext(batch, room(**game(fixed=fixed)).prepared, submission)

    # The referee accepts every act as it was made, and corrects none.
    scope.set_fact(replay_betting, replay_as_recorded(scope))
    play = replay_betting(scope)

    assert play.amounts_known_before.all()
    assert play.is_turn_known.all()
    assert play.is_fully_known.all()
    assert play.is_reopening_known.all()
    entries = np.concatenate([play.snapshot_index, play.end_index])
    expected = [seen for hand in hands for _, seen in hand.acts] + [hand.finish() for hand in hands]
    due = np.concatenate([play.seat_to_act, play.snapshots.seat_to_act[play.end_index]])
    assert due.tolist() == [seen["due"] for seen in expected]
    for name in ("level", "last_raise", "pot", "voluntary", "street", "raises", "option"):
        assert getattr(play.snapshots, FIELDS[name])[entries].tolist() == [seen[name] for seen in expected], name
    assert np.bitwise_count(play.snapshots.players_in[entries]).tolist() == [seen["players"] for seen in expected]
    for name in ("put", "behind", "still_in", "may_raise", "checked"):
        of_seats = [i for i, seen in enumerate(expected) if name in seen]
        assert getattr(play.snapshots, FIELDS[name])[entries[of_seats]].tolist() == [
            expected[i][name] for i in of_seats
        ], name

    code = {name: np.full(len(hands), JOIN_WAYS.index(name), np.int8) for name in JOIN_WAYS}
    joins = {"ante": code["capped"], "small": code["matched"], "big": code["matched"], "bets": code["matched"]}
    found = collect_contributions(scope, joins)
    assert found.is_known.all()
    for h, hand in enumerate(hands):
        size = len(hand.players)
        dead, live = [0] * size, [0] * size
        for act, _ in hand.acts:
            if act.who is not None:
                (dead if act.kind == "dead" else live)[act.who] += act.amount
        assert batch.seats.number[found.seats[:size, h]].tolist() == numbers[h]
        assert (found.seats[size:, h] == -1).all()
        assert found.matched[:, h].tolist() == live + [0] * (len(found.seats) - size)
        assert found.capped[:, h].tolist() == dead + [0] * (len(found.seats) - size)
        over = hand.finish()
        assert (found.remaining[h], found.conceded[h]) == (over["remaining"], over["conceded"])
        assert (found.dealt_in[h], found.last_bettor[h]) == (2**size - 1, over["last_bettor"])


def test_the_same_round_by_itself_and_among_others() -> None:
    rng = random.Random(5)
    records = [write_hand(random_hand(rng, irregular=0.1), rng, number)[0] for number in range(40)]
    prepared, submission = room(**game(fixed=False)).prepared, configuration(POSTED)
    together = replay_betting(EvaluationContext(batch_of(records), prepared, submission))
    levels, due = together.snapshots.current_bet[together.snapshot_index].tolist(), together.seat_to_act.tolist()
    for record in records:
        alone = replay_betting(EvaluationContext(batch_of([record]), prepared, submission))
        acts = len(record["events"])
        assert alone.snapshots.current_bet[alone.snapshot_index].tolist() == levels[:acts]
        assert alone.seat_to_act.tolist() == due[:acts]
        levels, due = levels[acts:], due[acts:]
