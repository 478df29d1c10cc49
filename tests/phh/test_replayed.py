"""Amounts put in with each act, checked against PokerKit."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairdeal.validator.evidence.poker.phh_blocks import split_hands
from tests.phh.games import Record, record, records
from tests.phh.replay import Replay, random_hand, replay
from tests.phh.samples import SOUND

REAL = Path(__file__).parents[3] / "shared" / "hands" / "phh"


PUTS_IN = ("call", "bet", "raise")


def agrees(found: Record, told: Replay) -> bool:
    """Assert that a record holds the same acts and known amounts. Return whether all amounts are known."""
    seats = [seat["seat"] for seat in found["seats"]]
    decided = [event for event in found["events"] if event["event"] == "decide" and event["decision"] != "concede"]
    unknown = 0
    for decision, act in zip(decided, told.acts, strict=True):
        assert seats.index(decision["seat"]) == act.player
        if decision["decision"] in PUTS_IN and "amount" not in decision:
            unknown += 1
            continue
        assert decision["decision"] == act.verb
        assert decision.get("amount", 0) == act.paid
    for player, seat in enumerate(found["seats"]):
        stakes = {stake["wager"]: stake["amount"] for stake in seat["wagers"]}
        bets = stakes.pop("bets", 0)
        assert sum(stakes.values()) == told.posted[player]
        if not unknown:
            assert bets == sum(act.paid for act in told.acts if act.player == player)
    return not unknown


# PokerKit counts a dead blind towards the bet; the one that is recorded says by its stacks that it does not count.
DEAD = "dead-blind"


@pytest.mark.parametrize("name", sorted(SOUND.keys() - {DEAD}))
def test_own_hands(name: str) -> None:
    told = replay(SOUND[name])
    found = record(SOUND[name])
    agrees(found, told)
    for player, seat in enumerate(found["seats"]):
        if "stack-after" in seat and "winnings" not in SOUND[name]:
            assert seat["stack-after"] == told.after[player]


def test_hands_played_by_chance() -> None:
    known = 0
    for seed in range(180):
        text, told = random_hand(seed)
        known += agrees(record(text), told)
    assert known > 120


@pytest.mark.skipif(not REAL.is_dir(), reason="there are no recorded hands here")
def test_recorded_hands() -> None:
    hands = dead = 0
    for path in sorted(REAL.rglob("*.phh*")):
        text = path.read_bytes()
        for converted, piece in zip(
            records(text, file=path.name),
            [piece for piece in split_hands(text, 1) if b"variant" in piece.text],
            strict=True,
        ):
            if isinstance(converted, dict):
                body = piece.text.decode()
                hands += 1
                if any(stake["wager"] == DEAD for seat in converted["seats"] for stake in seat["wagers"]):
                    dead += 1
                    continue
                told = replay(body.partition("\n")[2] if body.startswith("[") else body)
                assert agrees(converted, told)
                for seat, after in zip(converted["seats"], told.after, strict=True):
                    raked = after - seat["stack-after"]
                    assert raked == 0 or (0 < raked <= 300 and seat["won"] > 0)
    assert (hands, dead) == (250, 1)


@pytest.mark.skipif(not REAL.is_dir(), reason="there are no recorded hands here")
def test_stacks_at_the_end_of_recorded_hands_are_what_went_in_and_was_won() -> None:
    """For players who have won nothing; others were also given back uncalled bets."""
    losers = 0
    for path in sorted(REAL.rglob("*.phh*")):
        for converted in records(path.read_bytes(), file=path.name):
            if not isinstance(converted, dict):
                continue
            for seat in converted["seats"]:
                put_in = sum(stake["amount"] for stake in seat["wagers"])
                if seat["stack-after"] < seat["stack"] and seat.get("won", 0) == 0:
                    losers += seat["stack"] - seat["stack-after"] == put_in
    assert losers > 400
