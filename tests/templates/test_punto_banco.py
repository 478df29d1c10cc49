"""Punto banco without commission: rounds from a shoe that plain Python deals and settles by the text."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cache
from math import comb
from pathlib import Path
from typing import Any

import pytest

import fairdeal
from fairdeal.validator.results.findings import Status
from fairdeal.validator.rules.rule_files import rules_folder
from tests.facade.rules import load_regulation

GAME = "punto-banco-commission-free"
TEMPLATES = rules_folder() / "templates"
Round = dict[str, Any]
ODDS = {"player": (1, 1), "banker": (1, 1), "tie": (8, 1)}


def value(card: str) -> int:
    return {"A": 1, "T": 0, "J": 0, "Q": 0, "K": 0}.get(card[0]) or (int(card[0]) if card[0].isdigit() else 0)


def total(cards: Sequence[str]) -> int:
    return sum(map(value, cards)) % 10


def banker_draws(points: int, third: str | None) -> bool:
    """Return whether the Banker's Hand draws, as a table of rows by points."""
    if third is None:
        return points <= 5
    rows = {3: "012345679", 4: "234567", 5: "4567", 6: "67"}
    return points <= 2 or str(value(third)) in rows.get(points, "")


class Shoe:
    """Shoe of eight decks with a cutting card."""

    def __init__(self, rng: random.Random) -> None:
        self.cards = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"] * 8
        rng.shuffle(self.cards)

    def draw(self) -> str:
        return self.cards.pop()


def settle(player: list[str], banker: list[str], wager: str, amount: int) -> tuple[int, int]:
    """Return what a wager is paid, and what is taken of it."""
    ours, theirs = total(player), total(banker)
    six = theirs == 6 and theirs > ours
    if wager in ("player", "banker") and ours == theirs:
        return 0, 0
    wins = {"player": ours > theirs, "banker": theirs > ours, "tie": ours == theirs, "six": six}[wager]
    if not wins:
        return 0, amount
    if wager == "banker" and six:
        return amount // 2, 0
    return amount * {"tie": 8, "six": 12 if len(banker) == 2 else 20}.get(wager, 1), 0


def deal_rounds(seed: int, count: int) -> list[Round]:
    """Deal rounds at one table from shoes that are shuffled one round after the cutting card."""
    rng, rounds, after_cut = random.Random(seed), list[Round](), 0
    shoe = Shoe(rng)
    for number in range(1, count + 1):
        events: list[dict[str, Any]] = []
        if number == 1 or after_cut == 2 or (after_cut == 1 and rng.random() < 0.5):
            shoe, after_cut = Shoe(rng), 0
            first = shoe.draw()
            burnt = value(first) or 10
            events += [{"event": "shuffle", "by": "dealer"}, {"event": "cut", "by": "player"}]
            events += [{"event": "deal", "place": "burn", "cards": first, "face": "up", "by": "dealer"}]
            events += [{"event": "deal", "place": "burn", "cards": "??" * burnt, "face": "down", "by": "dealer"}]
            for _ in range(burnt):
                shoe.draw()
        seats = []
        for seat in sorted(rng.sample(range(1, 9), rng.randint(1, 4))):
            side = rng.choice(["player", "banker"])
            chosen = [side] * (rng.random() < 0.9) + ["tie"] * (rng.random() < 0.2) + ["six"] * (rng.random() < 0.2)
            seats.append((seat, {wager: 100 * rng.randint(10, 100) for wager in chosen or [side]}))
        events += [
            {"event": "wager", "seat": seat, "wager": wager, "amount": amount}
            for seat, wagers in seats
            for wager, amount in wagers.items()
        ]
        events.append({"event": "announce", "what": "no-more-bets"})
        hands: dict[str, list[str]] = {"community": [], "dealer": []}

        for place in ("community", "dealer", "community", "dealer"):
            hands[place].append(shoe.draw())
        order, third = ["community", "dealer", "community", "dealer"], None
        if max(total(hands["community"]), total(hands["dealer"])) < 8:
            if total(hands["community"]) <= 5:
                third = shoe.draw()
                hands["community"].append(third)
                order.append("community")
            if banker_draws(total(hands["dealer"]), third):
                hands["dealer"].append(shoe.draw())
                order.append("dealer")
        for at, place in enumerate(order):
            card = hands[place][order[:at].count(place)]
            events.append({"event": "deal", "place": place, "cards": card, "face": "up", "by": "dealer"})
        if after_cut or len(shoe.cards) < 60:
            after_cut += 1
            events += [{"event": "announce", "what": "cutting-card"}] if after_cut == 1 else []
        events.append({"event": "announce", "what": "result"})
        record: list[Round] = []
        outcomes: list[dict[str, Any]] = []
        for seat, wagers in seats:
            stakes = []
            for wager, amount in wagers.items():
                paid, taken = settle(hands["community"], hands["dealer"], wager, amount)
                stakes.append({"wager": wager, "amount": amount, "paid": paid, "taken": taken})
                kind = "pay" if paid else "collect" if taken else "return"
                outcomes.append({"event": kind, "seat": seat, "wager": wager, "amount": paid or taken or amount})
            record.append({"seat": seat, "player": f"P{seat}", "wagers": stakes})
        events += sorted(outcomes, key=lambda event: event["event"] != "collect")
        events.append({"event": "collect-cards", "place": "community"})
        rounds.append(
            {
                "round": f"R{number}",
                "casino": "Simulated House",
                "table": "B1",
                "time": f"2026-03-02T{10 + number // 1800:02d}:{number // 30 % 60:02d}:{number % 30 * 2:02d}Z",
                "game": GAME,
                "number": number,
                "seats": record,
                "dealer": "".join(hands["dealer"]),
                "community": "".join(hands["community"]),
                "events": events,
            }
        )
    return rounds


@cache
def rulebook() -> fairdeal.Rulebook:
    return fairdeal.load_rulebook(TEMPLATES)


def find_findings(rounds: Sequence[Round], folder: Path) -> Counter[tuple[str, str, str | None]]:
    """Return how often each requirement is found to fail or to be open, by round."""
    log = folder / "log.jsonl"
    log.write_text("".join(json.dumps(each) + "\n" for each in rounds), "utf-8")
    results = fairdeal.audit(rulebook(), log)
    assert not results.quarantined
    return Counter(
        (each.requirement.split("/")[1], each.status.value, each.where.round)
        for each in results.findings
        if "limits" not in each.requirement and each.requirement.split("/")[1] not in ("offered-wagers",)
    )


@pytest.fixture(scope="module")
def rounds() -> list[Round]:
    return deal_rounds(7, 900)


def test_lawful_rounds_from_a_shoe_are_lawful(rounds: list[Round], tmp_path: Path) -> None:
    assert sum(any(event["event"] == "shuffle" for event in each["events"]) for each in rounds) > 8
    assert find_findings(rounds, tmp_path) == Counter()


def add_card(place: str, key: str) -> Callable[[Round], None]:
    def change(record: Round) -> None:
        last = max(at for at, event in enumerate(record["events"]) if event["event"] == "deal")
        record["events"].insert(
            last + 1, {"event": "deal", "place": place, "cards": "2c", "face": "up", "by": "dealer"}
        )
        record[key] += "2c"

    return change


def drop_last(place: str, key: str) -> Callable[[Round], None]:
    def change(record: Round) -> None:
        at = max(at for at, each in enumerate(record["events"]) if each.get("place") == place and "face" in each)
        del record["events"][at]
        record[key] = record[key][:-2]

    return change


def settle_anew(record: Round) -> None:
    """Settle the wagers by the cards as they are."""
    player, banker = (
        [record[key][at : at + 2] for at in range(0, len(record[key]), 2)] for key in ("community", "dealer")
    )
    outcomes = []
    for seat in record["seats"]:
        for stake in seat["wagers"]:
            stake["paid"], stake["taken"] = settle(player, banker, stake["wager"], stake["amount"])
            kind = "pay" if stake["paid"] else "collect" if stake["taken"] else "return"
            amount = stake["paid"] or stake["taken"] or stake["amount"]
            outcomes.append({"event": kind, "seat": seat["seat"], "wager": stake["wager"], "amount": amount})
    kept = [event for event in record["events"] if event["event"] not in ("pay", "collect", "return")]
    record["events"] = [*kept[:-1], *sorted(outcomes, key=lambda event: event["event"] != "collect"), kept[-1]]


@pytest.mark.parametrize(
    ("sizes", "change"),
    [
        ((4, 4), add_card("community", "community")),
        ((4, 4), add_card("dealer", "dealer")),
        ((6, 6), drop_last("dealer", "dealer")),
        ((4, 6), drop_last("dealer", "dealer")),
        ((6, 4), drop_last("community", "community")),
    ],
)
def test_one_card_too_many_or_too_few_is_one_finding(
    rounds: list[Round], sizes: tuple[int, int], change: Callable[[Round], None], tmp_path: Path
) -> None:
    chosen = [each for each in rounds if (len(each["community"]), len(each["dealer"])) == sizes][:25]
    assert chosen
    changed = [deepcopy(each) for each in chosen]
    for each in changed:
        del each["number"]
        change(each)
        settle_anew(each)
    found = find_findings(changed, tmp_path)
    wrong = {key: count for key, count in found.items() if key[1] == Status.FAIL.value}
    assert wrong == {("third-cards-by-rule", "fail", each["round"]): 1 for each in changed}


def test_a_record_that_stops_leaves_a_missing_card_open(rounds: list[Round], tmp_path: Path) -> None:
    chosen = [deepcopy(each) for each in rounds if len(each["community"]) == 6 and len(each["dealer"]) == 6][:20]
    for each in chosen:
        last = max(at for at, event in enumerate(each["events"]) if event["event"] == "deal")
        each["events"], each["complete"], each["dealer"] = each["events"][:last], False, each["dealer"][:4]
        del each["number"]
        for seat in each["seats"]:
            seat["wagers"] = [{"wager": stake["wager"], "amount": stake["amount"]} for stake in seat["wagers"]]
    found = find_findings(chosen, tmp_path)
    assert ("third-cards-by-rule", "fail") not in {key[:2] for key in found}


def test_a_card_too_often_is_found_in_the_round_that_shows_it(rounds: list[Round], tmp_path: Path) -> None:
    """The same card replaces a card of every round: the ninth copy of the shoe is found, and only then."""
    changed, seen, expected = deepcopy(rounds[:120]), 0, list[str]()
    for each in changed:
        if any(event["event"] == "shuffle" for event in each["events"]):
            seen = 0
            turned = next(event for event in each["events"] if event.get("place") == "burn")["cards"]
            seen += turned == "Kh"
        first = next(event for event in each["events"] if event.get("place") == "community")
        if value(first["cards"]) == 0:
            first["cards"], each["community"] = "Kh", "Kh" + each["community"][2:]
        cards = each["community"] + each["dealer"]
        before, seen = seen, seen + sum(cards[at : at + 2] == "Kh" for at in range(0, len(cards), 2))
        expected += [each["round"]] if before <= 8 < seen else []
    found = find_findings(changed, tmp_path)
    assert expected
    assert [key[2] for key in found if key[:2] == ("shoe-is-whole", "fail")] == expected


@pytest.mark.parametrize("missing", ["shuffle", "gap"])
def test_nothing_is_accused_across_a_shuffle_that_may_have_been(
    rounds: list[Round], missing: str, tmp_path: Path
) -> None:
    """Without a record of shuffles, or with a round missing at every shuffle, no card comes too often."""
    if missing == "shuffle":
        kept = [{**each, "unrecorded": ["shuffle"]} for each in deepcopy(rounds)]
        for each in kept:
            each["events"] = [event for event in each["events"] if event["event"] != "shuffle"]
    else:
        kept = [each for each in rounds if not any(event["event"] == "shuffle" for event in each["events"])]
    found = find_findings(kept, tmp_path)
    assert ("shoe-is-whole", "fail") not in {key[:2] for key in found}


@pytest.mark.parametrize(("extra", "fails"), [(1, False), (2, True)])
def test_one_more_round_after_the_cutting_card(rounds: list[Round], extra: int, fails: bool, tmp_path: Path) -> None:
    cut = next(
        at for at, each in enumerate(rounds) if any(event.get("what") == "cutting-card" for event in each["events"])
    )
    kept = deepcopy(rounds[: cut + 1 + extra])
    for each in kept[cut + 1 :]:
        each["events"] = each["events"][next(at for at, e in enumerate(each["events"]) if e["event"] == "wager") :]
    found = {key[:2] for key in find_findings(kept, tmp_path)}
    assert (("shuffled-after-the-cutting-card", "fail") in found) == fails


def test_odds_are_those_that_everybody_knows() -> None:
    from fairdeal.validator.odds.wager_odds import work_out_odds

    odds = {each.wager: each for each in work_out_odds(load_regulation(GAME, TEMPLATES)).wagers}
    assert all(each.exact and each.deals == 4_998_398_275_503_360 for each in odds.values())
    count = {each.outcome: each.combinations for each in odds["player"].outcomes}
    assert count["player-wins"] == 2_230_518_282_592_256
    assert count["player-loses"] == 2_292_252_566_437_888
    assert count["stand-off"] == 475_627_426_473_216
    assert {each.outcome: each.combinations for each in odds["tie"].outcomes}["tie-wins"] == count["stand-off"]
    with_six = {each.outcome: each.combinations for each in odds["banker"].outcomes}
    assert with_six["banker-wins"] + with_six["banker-wins-with-six"] == count["player-loses"]
    assert comb(416, 6) * 720 == odds["player"].deals
