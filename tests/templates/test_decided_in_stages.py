"""Games in which players decide several times: simulated rounds settled by a referee written from the texts alone."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from itertools import groupby
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np
import pytest

from fairdeal.validator.rules.rule_files import list_templates, rules_folder
from tests.facade.commands import run
from tests.facade.rounds import compile_game
from tests.facade.rules import load_regulation
from tests.facade.simulation import Record, load_simulation, simulate_records
from tests.odds.plain import five_cards, three_cards
from tests.templates.referees.blackjack import MOST_HANDS, count, settle_hand

RANKS, SUITS = "23456789TJQKA", "cdhs"
ROUNDS = 400


@cache
def play(template: str) -> list[Record]:
    """Simulate rounds of a template, without planted faults."""
    folder = list_templates()[template].parent
    regulation = load_regulation(template, folder)
    return simulate_records(compile_game(regulation), load_simulation(regulation, folder), rounds=ROUNDS, seed=5)


def read_cards(text: str) -> list[int]:
    return [RANKS.index(text[at]) * 4 + SUITS.index(text[at + 1]) for at in range(0, len(text), 2)]


def rank_five(cards: list[int]) -> tuple[int, int]:
    """Return the category of five cards, 9 for a royal flush down to 0, and the rank of the highest pair."""
    category, pair = five_cards(np.array([cards]))
    return int(category[0]), int(pair[0])


def rank_three(cards: list[int]) -> int:
    """Return 5 for a straight flush, then 4, 3, 2, and 1 for a pair; 0 for other hands."""
    category = int(three_cards(np.array([cards]))[0][0])
    return 4 if category == 6 else category


Dues = dict[str, tuple[int, int]]
"""Amounts to be paid and taken, by wager."""


def settle_let_it_ride(
    seat: Mapping[str, Any], stakes: Mapping[str, int], community: list[int], made: set[str]
) -> Dues:
    own = read_cards(seat["cards"])
    category, pair = rank_five([*own, *community])
    odds = {9: 1000, 8: 200, 7: 50, 6: 11, 5: 8, 4: 5, 3: 3, 2: 2}.get(
        category, 1 if category == 1 and pair >= 8 else 0
    )
    bonus = {5: 40, 4: 30, 3: 6, 2: 4, 1: 1}.get(rank_three(own), 0)
    dues: Dues = {}
    for name, amount in stakes.items():
        pays = bonus if name == "three-card-bonus" else odds
        dues[name] = (pays * amount, 0 if pays else amount)
    for name in ("first", "second"):
        if f"take-{name}" in made:
            dues[name] = (0, 0)
    wagers = ("first", "second", "third")
    due, limit = sum(dues[name][0] for name in dues), 2_500_000
    if due > limit:  # paid together up to the limit; only the total is fixed
        dues["total"] = (limit, sum(taken for _, taken in dues.values()))
    assert len({stakes[name] for name in wagers}) == 1
    return dues


def settle_mississippi_stud(
    seat: Mapping[str, Any], stakes: Mapping[str, int], community: list[int], made: set[str]
) -> Dues:
    for street in ("third", "fourth", "fifth"):
        chosen = [number for number in (1, 2, 3) if f"{street}-{number}" in made]
        assert stakes.get(f"{street}-street", 0) == sum(chosen) * stakes["ante"]
    if any(decision.startswith("fold") for decision in made):
        return {name: (0, amount) for name, amount in stakes.items()}
    category, pair = rank_five([*read_cards(seat["cards"]), *community])
    odds = {9: 500, 8: 100, 7: 40, 6: 10, 5: 6, 4: 4, 3: 3, 2: 2}.get(category, 1 if category == 1 and pair >= 9 else 0)
    push = category == 1 and 4 <= pair <= 8
    return {name: (odds * amount, 0 if odds or push else amount) for name, amount in stakes.items()}


REFEREES: Mapping[str, tuple[int, int, Callable[..., Dues]]] = {
    "let-it-ride": (3, 2, settle_let_it_ride),
    "mississippi-stud": (2, 3, settle_mississippi_stud),
}


@pytest.mark.parametrize("template", REFEREES)
def test_rounds_are_settled_as_the_text_says(template: str) -> None:
    own, shared, settle = REFEREES[template]
    seen = Counter[str]()
    for record in play(template):
        community = read_cards(record["community"])
        for seat in record["seats"]:
            made = {
                event["decision"]
                for event in record["events"]
                if event["event"] == "decide" and event["seat"] == seat["seat"]
            }
            stakes = {wager["wager"]: wager["amount"] for wager in seat["wagers"]}
            settled = {wager["wager"]: (wager["paid"], wager["taken"]) for wager in seat["wagers"]}
            if len(community) != shared or len(seat["cards"]) != 2 * own:
                assert set(settled.values()) == {(0, 0)} and not made
                seen["void"] += 1
                continue
            dues = settle(seat, stakes, community, made)
            total = dues.pop("total", None)
            if total is None:
                assert settled == dues
            else:
                assert tuple(map(sum, zip(*settled.values(), strict=True))) == total
            seen.update(made)
            seen["paid"] += any(paid for paid, _ in dues.values())
    assert min(seen.values()) > 3 and len(seen) >= 6


def hold_hands(record: Record) -> dict[int, list[str]]:
    """Return the cards of each hand of blackjack, from the events alone; assert that hands take turns."""
    held, box_of, turns = defaultdict[int, list[str]](list), dict[int, int](), list[int]()
    for event in record["events"]:
        seat = event.get("seat")
        if event["event"] == "split":
            first, second = held[seat]
            assert event["cards"] == second and count([first]) == count([second])
            held[seat], held[event["to"]] = [first], [second]
            box_of[event["to"]] = box_of.get(seat, seat)
        elif event["event"] == "deal" and event["place"] == "player":
            held[seat].append(event["cards"])
        if event["event"] == "decide" and event["decision"] not in ("insure", "decline"):
            turns.append(seat)
            assert len(held[seat]) > 1 and count(held[seat])[0] < 21
            assert box_of.get(seat, seat) == seat or event["decision"] != "surrender"
    boxes = [box_of.get(seat, seat) for seat in turns]
    for sequence in (turns, boxes):
        assert len([*groupby(sequence)]) == len({*sequence})
    assert max(Counter(box_of.values()).values(), default=0) < MOST_HANDS
    return held


def test_hands_of_a_split_are_played_one_by_one_and_settled_as_the_text_says() -> None:
    seen = Counter[str]()
    for record in play("blackjack"):
        held, seats = hold_hands(record), {seat["seat"]: seat for seat in record["seats"]}
        dealer = wrap(record["dealer"], 2)
        split = {
            number for seat in record["seats"] if "split-of" in seat for number in (seat["seat"], seat["split-of"])
        }
        for number in split:
            wagers = {wager["wager"]: wager for wager in seats[number]["wagers"]}
            box = seats[seats[number].get("split-of", number)]
            assert wagers["main"]["amount"] == box["wagers"][0]["amount"]
            for name in ("main", "double"):
                if name in wagers:
                    due = settle_hand(held[number], dealer, wagers[name]["amount"], is_split=True)
                    assert (wagers[name]["paid"], wagers[name]["taken"]) == (due.paid, due.taken)
                    seen[name] += 1
            seen["aces"] += held[number][0][0] == "A"
        seen[f"hands-{len(split)}"] += 1
    assert min(seen[name] for name in ("main", "double", "aces", "hands-2", "hands-3")) > 3


@pytest.mark.parametrize(("template", "cards"), [("let-it-ride", [1, 1]), ("mississippi-stud", [1, 1, 1])])
def test_cards_are_turned_up_one_by_one_while_somebody_stays(template: str, cards: list[int]) -> None:
    ended = 0
    for record in play(template):
        shown = [
            event["cards"] for event in record["events"] if event["event"] == "reveal" and event["place"] == "community"
        ]
        assert [len(text) // 2 for text in shown] == cards[: len(shown)]
        assert record["community"].startswith("".join(shown)) or len(record["community"]) != 2 * len(cards)
        ended += len(shown) < len(cards)
    assert ended < ROUNDS // 2


@pytest.mark.parametrize(
    ("template", "wager", "percent"),
    [
        ("let-it-ride", "third", 3.5057),
        ("mississippi-stud", "ante", 4.9149),
        ("three-card-poker", "ante", 3.3730),
        ("three-card-poker", "pair-plus", 2.3167),
        ("ultimate-texas-holdem", "trips", 1.9040),
        ("casino-war", "ante", 2.8771),
        ("casino-war", "tie", 18.6495),
    ],
)
def test_advantages_are_those_that_are_published(template: str, wager: str, percent: float, tmp_path: Path) -> None:
    shutil.copytree(list_templates()[template], tmp_path / template)
    shutil.copy(rules_folder() / "rulebook.yaml", tmp_path)
    found = run("odds", template, "--rules", tmp_path, "--wager", wager, "-o", "json")
    (row,) = found.results["wagers"]
    assert row["exact"]
    assert round(float(100 * Fraction(row["house-advantage"])), 4) == percent
