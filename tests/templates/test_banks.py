"""Players who bank: what the others win of them, their commission, and whose money it is."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from fairdeal.validator.odds.wager_odds import work_out_odds
from fairdeal.validator.rules.rule_files import list_templates, rules_folder
from tests.facade.commands import run
from tests.facade.rules import load_regulation
from tests.facade.text import InputError
from tests.lawful.record import Record
from tests.templates.referees.judge import judge, load_referee

GAME = "pai-gow-poker"
FOLDER = list_templates()[GAME].parent


def list_banked(seed: int = 1) -> Iterator[tuple[Record, dict[str, Any]]]:
    """Yield lawful records in which a player banks, with their submissions."""
    referee = load_referee(GAME)
    for number in range(60):
        (round_,) = referee.open_session(seed * 1_000 + number, f"B{number}", 1, is_plain=True)
        if round_.facts["bank"]:
            yield round_.record(), referee.submit(round_.house, round_.casino)


def find_failed(record: Record, submission: dict[str, Any]) -> set[str]:
    found = judge(GAME, [record], [submission])
    return {str(finding.requirement).rpartition("/")[2] for finding in found.failures[record["round"]]}


def test_a_player_banks_only_where_players_may() -> None:
    record, submission = next(list_banked())
    assert find_failed(record, submission) == set()
    closed = submission | {"options": submission["options"] | {"players-bank": False}}
    assert find_failed(record, closed) == {"bank-open-to-players"}


def test_a_round_that_does_not_state_who_banks_accuses_nobody() -> None:
    for record, submission in islice(list_banked(2), 8):
        record["events"] = [event for event in record["events"] if event.get("what") != "banker"]
        del record["outcomes"]["banker"]
        assert find_failed(record, submission) <= {"bank-announced"}
        record["unrecorded"] = ["outcome"]
        assert find_failed(record, submission) == set()


def test_what_a_bank_should_have_paid_is_owed_by_a_player() -> None:
    short = 0
    for record, submission in islice(list_banked(3), 10):
        for event in record["events"]:
            if event["event"] == "pay":
                (stake,) = [seat["wagers"][0] for seat in record["seats"] if seat["seat"] == event["seat"]]
                stake["paid"] = event["amount"] = event["amount"] - 100
                (finding,) = judge(GAME, [record], [submission]).failures[record["round"]]
                assert (finding.owed, finding.between_players, finding.party) == (100, True, "players")
                short += 1
                break
    assert short > 3


def test_the_hold_of_the_house_has_no_stakes_against_a_player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairdeal.validator.hold.expected_hold.work_out_odds", partial(work_out_odds, rounds=2_000))
    shutil.copytree(FOLDER / GAME, tmp_path / "rules" / GAME)
    shutil.copy(rules_folder() / "rulebook.yaml", tmp_path / "rules")
    shared, log, house = ("--rules", tmp_path / "rules"), tmp_path / "log.jsonl", tmp_path / "house.yaml"
    run("simulate", GAME, *shared, "--rounds", "200", "--seed", "3", "-o", log, "--write-submission", house)
    staked = {True: 0, False: 0}
    for record in map(json.loads, log.read_text("utf-8").splitlines()):
        stakes = [stake for seat in record["seats"] for stake in seat["wagers"] if stake["wager"] == "main"]
        staked[record["outcomes"]["banker"] == "dealer"] += len(stakes)
    found = run("hold", log, *shared, "-s", house, "-o", "json", "-q").results["statistics"]["hold"]
    counted, shared = [row for row in found if row["by"] == "casino"]
    assert (counted["wager"], counted["stakes"] + counted["left-out"]) == ("main", staked[True])
    assert (shared["wager"], shared["why"]) == ("co-bank", "it is a share of what the bank wins from other players")
    assert min(staked.values()) > 50


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("allow: down}, owed: bank-commission}", "allow: down}}", "is `owed` on a debt"),
        ("allow: down}, owed: bank-commission}", "allow: down}, owed: main}", "main is no debt"),
        ("against: {outcome: banker", "against: {outcome: first-hand", "each value of first-hand is a number"),
        ("[main, co-bank, bank-commission]", "[co-bank, main, bank-commission]", "co-bank must come after main"),
        ("values: [1-18]}", "dice: 3, when: {option: {start: dice}}}", "that is not carried"),
    ],
)
def test_banks_that_cannot_be_meant_are_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    folder = tmp_path / GAME
    shutil.copytree(FOLDER / GAME, folder)
    game = (folder / "game.yaml").read_text("utf-8")
    assert old in game
    (folder / "game.yaml").write_text(game.replace(old, new), "utf-8")
    with pytest.raises(InputError) as caught:
        load_regulation(GAME, tmp_path)
    assert any(message in diagnostic.message for diagnostic in caught.value.diagnostics)


def test_a_bank_wins_and_pays_by_its_own_hands() -> None:
    """The sum over a round is what the bank wins before the commission, as the referee settles it."""
    rng = random.Random(4)
    for record, submission in rng.sample([*list_banked(5)], 5):
        bank = int(record["outcomes"]["banker"])
        stakes = [stake for seat in record["seats"] if seat["seat"] != bank for stake in seat["wagers"]]
        won = sum(stake["taken"] - (stake["amount"] if stake["paid"] else 0) for stake in stakes)
        (own,) = [seat for seat in record["seats"] if seat["seat"] == bank]
        assert sum(stake["amount"] for stake in own["wagers"]) == max(won, 0) * 5 // 100
        assert find_failed(record, submission) == set()


def list_shared(seed: int) -> Iterator[tuple[Record, dict[str, Any]]]:
    """Yield lawful records in which a player shares the bank, with their submissions."""
    referee = load_referee(GAME)
    for number in range(80):
        (round_,) = referee.open_session(seed * 1_000 + number, f"S{number}", 1, is_plain=True)
        if round_.facts["sharing"]:
            yield round_.record(), referee.submit(round_.house, round_.casino)


def test_a_share_is_not_evidenced_where_a_stake_of_the_round_is_open() -> None:
    for record, submission in list_shared(6):
        (own,) = [stake for seat in record["seats"] for stake in seat["wagers"] if stake["wager"] == "co-bank"]
        own["taken"], own["paid"] = own["taken"] // 3, own["paid"] // 3
        for seat in record["seats"]:
            seat.pop("cards", None)
        record.pop("dealer")
        del record["events"]
        assert "co-bank-settled" not in find_failed(record, submission)


def test_what_a_share_should_have_been_paid_is_owed_by_the_house() -> None:
    short = 0
    for record, submission in list_shared(7):
        for event in record["events"]:
            if event["event"] == "pay" and event["wager"] == "co-bank":
                (own,) = [seat["wagers"][0] for seat in record["seats"] if seat["seat"] == event["seat"]]
                own["paid"] = event["amount"] = event["amount"] - 100
                (finding,) = judge(GAME, [record], [submission]).failures[record["round"]]
                assert (finding.owed, finding.party) == (100, "house")
                short += 1
    assert short > 3


def test_a_share_has_no_odds() -> None:
    (row,) = work_out_odds(load_regulation(GAME, FOLDER), wager="co-bank", rounds=100).wagers
    assert (row.house_advantage, row.why) == (None, "it is a share of what the bank wins from other players")
