"""Words and chips of simulated players ahead of their acts, read from the log alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from fairdeal.validator.rules.fault_model import Fault, MannerHabit
from tests.facade.rounds import CompiledGame, compile_game
from tests.facade.rules import load_regulation, rules_folder
from tests.facade.simulation import Record, Simulation, list_planted, load_simulation, simulate_records
from tests.facade.text import InputError

GAME = "poker-room"
CHIPS = (100, 500, 2500)
SHIPPED = (rules_folder() / GAME / "simulation.yaml").read_text("utf-8")


class Turn(NamedTuple):
    """Act with what was shown before it, the chips put in with it and earlier in the betting round, and the amount to
    call.
    """

    shown: list[Record]
    act: Record
    put: int
    had: int
    to_call: int

    @property
    def words(self) -> list[str]:
        """Return the words said before the act."""
        return [card["decision"] for card in self.shown if card["event"] == "declare"]

    @property
    def chips(self) -> list[tuple[int, int]]:
        """Return the amount and the number of chips put forward, by motion."""
        return [(card["amount"], card["chips"]) for card in self.shown if card["event"] == "tender"]


@cache
def room() -> tuple[CompiledGame, Simulation]:
    regulation = load_regulation(GAME)
    return compile_game(regulation), load_simulation(regulation)


@cache
def clean() -> list[Record]:
    return simulate_records(*room(), rounds=600, seed=12)


def turns(record: Record) -> list[Turn]:
    """Return the acts of a round except concessions, each with what was shown right before it."""
    found: list[Turn] = []
    put: Counter[int] = Counter()
    shown: list[Record] = []
    floor = 200  # the big blind is the bet to call, even if its seat has less
    for event in record["events"]:
        kind, seat = event["event"], event.get("seat", 0)
        if kind in ("declare", "tender"):
            shown.append(event)
        elif kind == "decide" and event["decision"] != "concede":
            to_call = max([floor, *put.values()]) - put[seat]
            found.append(Turn(shown=shown, act=event, put=event.get("amount", 0), had=put[seat], to_call=to_call))
            put[seat] += event.get("amount", 0)
            shown = []
        else:
            assert not shown, (record["round"], event)
        if kind == "wager":
            put[seat] += event["amount"]
        elif kind == "deal" and event["place"] == "community":
            put.clear()
            floor = 0
    return found


def test_what_is_shown_stands_right_before_the_act_of_the_same_seat() -> None:
    shown = 0
    for turn in (turn for record in clean() for turn in turns(record)):
        assert {card["seat"] for card in turn.shown} <= {turn.act["seat"]}
        shown += bool(turn.shown)
    assert shown >= 1000


def test_words_are_those_of_the_act() -> None:
    totals = 0
    for turn in (turn for record in clean() for turn in turns(record)):
        decision = turn.act["decision"]
        assert turn.words in ([], [decision], ["incomplete"])
        for total in (card["amount"] for card in turn.shown if card["event"] == "declare" and "amount" in card):
            assert total == turn.had + turn.put and decision in ("bet", "raise")
            totals += 1
    assert totals >= 100


def test_chips_come_to_what_goes_in_unless_change_is_due_or_a_motion_comes_too_late() -> None:
    motions: Counter[str] = Counter()
    for turn in (turn for record in clean() for turn in turns(record) if turn.chips):
        (first, pieces), *more = turn.chips
        for amount, count in turn.chips:
            assert fewest(amount) <= count <= amount // 100
        if first > turn.put:
            assert (turn.act["decision"], pieces) == ("call", 1) and first in CHIPS and not more
            motions["change"] += 1
        elif more and first == turn.put:
            assert more == [(100, 1)]
            motions["too late"] += 1
        elif more:
            assert first + more[0][0] == turn.put and turn.words
            motions["in parts"] += 1
        else:
            assert first == turn.put
            assert turn.act["decision"] != "raise" or not turn.to_call or turn.words or pieces > 1
            motions["whole"] += 1
    assert min(motions.values()) >= 30 and len(motions) == 4


def fewest(amount: int) -> int:
    """Return the least number of chips that make up an amount."""
    count, left = 0, amount
    for value in reversed(CHIPS):
        count, left = count + left // value, left % value
    return count


def test_acts_are_the_same_whatever_is_shown_of_them() -> None:
    prepared, simulation = room()
    silent = simulation.model_copy(update={"manners": []})
    told = simulate_records(prepared, simulation, rounds=100, seed=3)
    for record, other in zip(told, simulate_records(prepared, silent, rounds=100, seed=3), strict=True):
        record["events"] = [event for event in record["events"] if event["event"] not in ("declare", "tender")]
        assert record == other


def test_what_needs_chips_that_nobody_has_is_not_shown() -> None:
    prepared, simulation = room()
    assert simulation.stacks is not None
    stacks = simulation.stacks.model_copy(update={"chips": [10**6]})
    manners = [MannerHabit.model_validate({"tender": kind, "chance": 1000}) for kind in ("one-chip", "larger-chip")]
    odd = simulation.model_copy(update={"stacks": stacks, "manners": manners})
    for record in simulate_records(prepared, odd, rounds=50, seed=3):
        assert all(event["event"] != "tender" for event in record["events"])


MADE_OTHERWISE: dict[str, Callable[[Turn], bool]] = {
    "words-bind": lambda one: (one.words, one.act["decision"]) == (["check"], "bet"),
    "announced-amount-stands": lambda one: [word.get("amount", 0) for word in one.shown] == [one.had + one.put - 100],
    "chips-forward-are-a-bet": lambda one: one.act["decision"] == "fold" and bool(one.chips),
    "no-bet-in-two-motions": lambda one: len(one.chips) == 2 and one.put == sum(amount for amount, _ in one.chips),
    "call-is-a-call": lambda one: one.act["decision"] == "raise" and one.chips[0][0] == one.to_call,
    "one-large-chip-calls": lambda one: one.act["decision"] == "raise" and one.chips[0][1] == 1,
    "one-chip-bets-its-value": lambda one: one.chips == [(one.put - 100, 1)],
    "owed-wager-stays-owed": lambda one: (one.words, one.act["decision"]) == (["call"], "fold"),
}
"""Acts that differ from what was shown, by fault."""


@pytest.mark.parametrize("fault", MADE_OTHERWISE)
def test_a_fault_shows_one_act_and_makes_another(fault: str) -> None:
    prepared, simulation = room()
    silent = simulation.model_copy(update={"manners": []})
    for record in simulate_records(prepared, silent, rounds=24, seed=5, faults=[fault], every=4):
        shown = [turn for turn in turns(record) if turn.shown]
        assert len(shown) == len(list_planted(record))
        assert all(map(MADE_OTHERWISE[fault], shown))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "never:\n- [",
            "never:\n- {not: {is-tip: true}}\n- [",
            "applies to each stake, but is used for each event",
        ),
        ("manners:", "manners:\n- {as: shove, chance: 1}", "there is no decision `shove`"),
        (
            "manners:",
            "manners:\n- {when: {is-tip: true}, chance: 1}",
            "applies to each stake, but is used for each event",
        ),
        ("  after: show\n  when: {total", "  after: show\n  when: {is-tip: true} #", "is used for each round"),
        (
            "steps: [ineligible-dealt, cards-collected], after: hole-cards, of: bystander",
            "steps: [ineligible-dealt, round-declared-dead], after: hole-cards, of: bystander",
            "a misdeal concerns only participants, before they bet",
        ),
        (
            "of: bystander",
            "of: bystander, when: {reading: {ongoing-play: during-rounds}}",
            "a bystander is dealt cards before anybody bets",
        ),
        (
            "steps: [ineligible-dealt, cards",
            "steps: [off-the-table, cards",
            "a mishap of a bystander is a step of each seat",
        ),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert SHIPPED.count(old) == 1
    (tmp_path / GAME).mkdir()
    (tmp_path / GAME / "simulation.yaml").write_text(SHIPPED.replace(old, new), "utf-8")
    with pytest.raises(InputError, match=re.escape(says)):
        load_simulation(room()[0].regulation, tmp_path)


def test_more_hands_than_there_are_positions_are_not_planted() -> None:
    prepared, simulation = room()
    regulation, name = prepared.regulation, "players-at-the-table"
    twelve = [
        requirement.model_copy(update={"fault_": Fault.model_validate({"seats": 12})})
        if requirement.requirement == name
        else requirement
        for requirement in regulation.requirements
    ]
    with pytest.raises(ValueError, match="12 hands do not fit a layout of 11 positions"):
        simulate_records(
            compile_game(replace(regulation, requirements=tuple(twelve))), simulation, rounds=1, seed=1, faults=[name]
        )
