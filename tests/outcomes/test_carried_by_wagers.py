"""Results that wagers hand on from round to round: odds, lawful rounds and wrong payments."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fairdeal.validator.audit.run import log_parts
from fairdeal.validator.odds.wager_odds import work_out_odds
from tests.facade.commands import run
from tests.facade.results import Status
from tests.facade.rules import load_regulation
from tests.facade.simulation import audit_log
from tests.simulate.made_up_games import folder, judge, made_up, rulebook

Record = dict[str, Any]
GAME = "tosses"


def play(seed: int, rounds: int) -> list[Record]:
    """Return lawful records of one table, by the words of the text; they state no number of throws won."""
    random, records = Random(seed), list[Record]()
    thrower, side, won = 1, "high", 0
    lying = 0
    for number in range(1, rounds + 1):
        if not lying:
            thrower, side, won = random.randint(1, 4), random.choice(["high", "low"]), 0
        coin = random.choice(["up"] * 3 + ["down"] * 3 + ["edge"] * 2)
        stake = lying or random.randrange(1000, 5000, 500)
        line: Record = {"wager": side, "amount": stake, "brought": lying, "paid": 0, "taken": 0}
        lying = stake
        if coin != "edge":
            wins = (coin == "up") == (side == "high")
            line |= {"paid": stake * 5 // 2} if wins and won else {"taken": 0 if wins else stake}
            lying, won = (0, 0) if not wins or won else (stake, 1)
        records.append(
            {
                "round": f"R{number}",
                "casino": "House of Tosses",
                "table": "T1",
                "time": f"2026-03-02T{18 + number // 60:02}:{number % 60:02}:00Z",
                "game": GAME,
                "number": number,
                "seats": [
                    {"seat": seat, "player": f"P{seat}", "wagers": [line] if seat == thrower else []}
                    for seat in range(1, 5)
                ],
                "outcomes": {"coin": coin},
            }
        )
    return records


def find_failures(records: list[Record]) -> set[tuple[str, str | None]]:
    log = "".join(json.dumps(record) + "\n" for record in records).encode()
    found = audit_log(rulebook(), log, made_up(GAME)[1].submission)
    return {
        (finding.requirement.split("/")[1], finding.where.round)
        for finding in found.findings
        if finding.status is Status.FAIL
    }


def find_stakes(records: list[Record]) -> Iterator[tuple[str, Record]]:
    for record in records:
        for seat in record["seats"]:
            yield from ((record["round"], line) for line in seat["wagers"])


def test_the_advantage_is_that_of_two_falls_in_a_row() -> None:
    odds = work_out_odds(load_regulation(GAME, folder())).wagers
    advantage = 1 - Fraction(1, 4) * Fraction(7, 2)
    assert {wager.wager: Fraction(wager.house_advantage or 1) for wager in odds} == {
        "high": advantage,
        "low": advantage,
        "next": 0,
    }


@pytest.mark.parametrize("seed", range(5))
def test_lawful_rounds_are_not_accused(seed: int) -> None:
    assert not find_failures(play(seed, 200))


def test_a_wrong_payment_is_found_though_the_log_states_no_throws_won() -> None:
    records = play(1, 100)
    name, line = next((name, line) for name, line in find_stakes(records) if line["paid"])
    line["paid"] = 0
    assert ("second-fall-decides", name) in find_failures(records)


def test_a_payment_at_the_first_fall_is_found() -> None:
    records = play(2, 100)
    first = next(
        (record["round"], line)
        for record in records
        for _, line in find_stakes([record])
        if not line["brought"] and record["outcomes"]["coin"] == ("up" if line["wager"] == "high" else "down")
    )
    first[1]["paid"] = first[1]["amount"] * 5 // 2
    assert ("lies-until-decided", first[0]) in find_failures(records)


LATE: Record = {"wager": "next", "amount": 2000, "paid": 0, "taken": 0}


def make_late(record: Record, kinds: set[str]) -> Record:
    """Return a record with a stake on Next that is placed after the last call, and events of some kinds."""
    placed = [
        {"event": "wager", "seat": seat["seat"], "wager": line["wager"], "amount": line["amount"] - line["brought"]}
        for seat in record["seats"]
        for line in seat["wagers"]
        if line["amount"] > line["brought"]
    ]
    record["seats"][0]["wagers"] = [*record["seats"][0]["wagers"], LATE]
    late = {"event": "wager", "seat": 1, "wager": "next", "amount": 2000}
    events = [*placed, {"event": "announce", "what": "last-call"}, late, late | {"event": "return"}]
    record["events"] = [event for event in events if event["event"] in kinds]
    record["unrecorded"] = sorted({"announce", "collect", "outcome", "pay", "return", "wager"} - kinds)
    return record


@pytest.mark.parametrize("kinds", [set(), {"wager"}, {"announce", "wager"}, {"announce", "return", "wager"}])
def test_a_late_stake_that_was_returned_is_never_accused(kinds: set[str]) -> None:
    """A log that does not show when the stake was placed leaves open whether it was late."""
    records = play(3, 30)
    first = next(record for record in records if record["outcomes"]["coin"] == "down")
    make_late(first, kinds)
    assert ("next-settled", first["round"]) not in find_failures(records)


def test_a_late_stake_that_was_taken_and_an_early_one_that_was_not_are_found() -> None:
    records = play(3, 30)
    first, second = [record for record in records if record["outcomes"]["coin"] == "down"][:2]
    make_late(first, {"announce", "return", "wager"})["seats"][0]["wagers"][-1] = LATE | {"taken": 2000}
    first["events"].pop()
    make_late(second, {"announce", "wager"})["events"].reverse()
    found = find_failures(records)
    assert {("next-settled", record["round"]) for record in (first, second)} <= found


def test_a_stake_that_was_put_back_lies_there_though_no_collection_is_recorded() -> None:
    """A return without a collection may belong to one that the log does not record."""
    records = play(4, 30)
    at = next(at for at, record in enumerate(records) if record["outcomes"]["coin"] == "edge" and at)
    records[at]["unrecorded"] = ["announce", "collect", "outcome", "pay", "wager"]
    seat, line = next((seat["seat"], line) for seat in records[at]["seats"] for line in seat["wagers"])
    records[at]["events"] = [{"event": "return", "seat": seat, "wager": line["wager"], "amount": line["amount"]}]
    assert not find_failures(records)


def test_varied_rounds_are_not_accused() -> None:
    """A record that stops before the wagers leaves open how many there were."""
    found, _ = judge(GAME, rounds=1500, seed=2, vary=100)
    assert not found.quarantined
    assert not [finding for finding in found.findings if finding.status is Status.FAIL]


def test_the_rules_are_sound() -> None:
    """The values of a wheel may be a mapping; a wager may need a carried result and an absent wager of another seat."""
    assert isinstance(made_up(GAME)[0].game.outcomes["coin"].values, dict)
    shown = run("rules", "check", GAME, "--rules", folder())
    assert (shown.code, shown.err) == (0, "")


def test_verdicts_on_such_rounds_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(record) + "\n" for record in play(7, 60)), "utf-8")
    command = ("audit", log, "--rules", folder(), "-o", "json", "-q", "-j", "1", "--checkpoint", tmp_path / "kept")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    first = run(*command)
    check, judged = log_parts.check_block, list[object]()

    def note_block(court: Any, block: Any) -> Any:
        if court.rounds_to_digest is None and not court.carried:  # what is handed on depends on other logs
            judged.append(block)
        return check(court, block)

    monkeypatch.setattr(log_parts, "check_block", note_block)
    assert run(*command).out == first.out
    assert judged == []
