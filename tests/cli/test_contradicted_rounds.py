"""Rounds with records that contradict each other: every one is judged, alone and among its neighbours."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fairdeal.validator.reports.renderers import BINARY_OUTPUTS, RENDERERS
from tests.cli.helpers import list_failures
from tests.facade.commands import run
from tests.facade.demo import Record, demo_lines, demo_round, demo_submission, to_log

WRONG = demo_round("hand-16")
"""A round in which Play is paid 20.00 that was a push."""
GAME = "caribbean-draw"
ONE_DECK = "one-deck-round-after-round"


def rename_player(record: Record, player: str = "somebody else") -> Record:
    """Return another record of the same round, which names another player and agrees in all else."""
    found = copy.deepcopy(record)
    found["seats"][0]["player"] = player
    return found


def add_note(record: Record) -> Record:
    """Return a copy that differs only in the licensee's notes."""
    return {**record, "context": {"note": "copied"}}


def audit(rounds: list[Record], *options: str, name: str = "log.jsonl") -> Any:
    Path(name).write_bytes(to_log(rounds))
    return run("audit", name, "-o", "json", *options).results


@cache
def _simulate_rounds() -> list[Record]:
    run("simulate", GAME, "--rounds", "40", "--seed", "3", "--seats", "1-3", "-o", "played.jsonl")
    rounds = [json.loads(line) for line in Path("played.jsonl").read_text().splitlines()]
    for round_ in rounds:
        round_.pop("annotations", None)
        round_["deck"] = "blue"
    return rounds


def simulate_rounds(*red: str) -> list[Record]:
    """Return rounds of two tables with one deck each, except some that are played with another."""
    rounds = copy.deepcopy(_simulate_rounds())
    for round_ in rounds:
        if round_["round"] in red:
            round_["deck"] = "red"
    return rounds


def list_deck_failures(results: Any) -> list[tuple[str, int | None]]:
    """List the rounds that fail for their deck, with the version that does."""
    return [
        (finding["where"]["round"], finding["version"])
        for finding in results["findings"]
        if finding["status"] == "fail" and finding["requirement"].endswith(ONE_DECK)
    ]


def test_copies_with_another_note_hide_nothing() -> None:
    bad = [{**WRONG, "round": f"r{number}"} for number in range(20)]
    found = audit([record for wrong in bad for record in (wrong, add_note(wrong))])
    assert len(list_failures(found)) == 20
    assert found["money"] == audit(bad)["money"]
    (log,) = found["provenance"]["inputs"]
    assert (log["checked"], log["repeated"], log["quarantined"], log["contradicted"]) == (20, 20, 0, 0)
    assert run("audit", "log.jsonl", "--allow-unproven").code == 1


@pytest.mark.parametrize("copies", [1, 2, 10])
def test_money_of_contradicted_rounds_counts_once(copies: int) -> None:
    bad = [{**WRONG, "round": f"r{number}"} for number in range(5)]
    alone = audit(bad)
    doubled = [record for wrong in bad for record in (*(rename_player(wrong, f"p{n}") for n in range(copies)), wrong)]
    found = audit(doubled)
    # The records name different players, so only the amount of all players is the same.
    sums, sums_alone = (money.pop("sums") for money in (found["money"].copy(), alone["money"].copy()))
    assert {**found["money"], "sums": None} == {**alone["money"], "sums": None}
    assert [entry for entry in sums if entry["by"] != "player"] == [
        entry for entry in sums_alone if entry["by"] != "player"
    ]
    overpaid, overpaid_alone = (
        sum(entry["overpaid"] for entry in entries if entry["by"] == "player") for entries in (sums, sums_alone)
    )
    assert overpaid == overpaid_alone > 0
    assert len(list_failures(found)) == 5 * (copies + 1)
    with_money = [
        finding for finding in found["findings"] if finding["owed"] is not None or finding["overpaid"] is not None
    ]
    assert len(with_money) == 5
    assert len({finding["id"] for finding in found["findings"]}) == len(found["findings"])
    assert run("report", "-o", "json", "-", stdin=json.dumps(found).encode()).code == 0, "the results agree"
    assert found["subject"]["tables"] == alone["subject"]["tables"], "a table counts a round once"


def test_the_version_that_amounts_to_most_has_the_money() -> None:
    worse = copy.deepcopy(WRONG)
    worse["seats"][0]["wagers"][1]["paid"] += 500
    for event in worse["events"]:
        if event["event"] == "pay" and event["wager"] == "play":
            event["amount"] += 500
    for rounds in ([WRONG, worse], [worse, WRONG]):
        assert audit(rounds)["money"]["overpaid"] == audit([worse])["money"]["overpaid"] > 0


def test_a_contradicted_round_is_held_against_the_rounds_around_it() -> None:
    rounds = simulate_rounds("T1-000005")
    assert list_deck_failures(audit(rounds)) == [("T1-000005", None), ("T1-000006", None)]
    bad = next(round_ for round_ in rounds if round_["round"] == "T1-000005")
    for log in ([*rounds, rename_player(bad)], [rename_player(bad), *rounds]):
        found = audit(log)
        assert list_deck_failures(found) == [("T1-000005", 1), ("T1-000005", 2), ("T1-000006", None)]
        of_rounds = [
            requirement for requirement in found["requirements"] if requirement["evidence"] in ("round", "session")
        ]
        assert {sum(finding["totals"].values()) for finding in of_rounds} == {len(log)}


def test_an_honest_round_does_not_fail_for_what_another_version_says() -> None:
    rounds = simulate_rounds()
    assert list_failures(audit(rounds)) == []
    lie = {**next(round_ for round_ in rounds if round_["round"] == "T1-000005"), "deck": "red"}
    for log in ([*rounds, lie], [lie, *rounds]):
        found = audit(log)
        assert {name for name, _ in list_deck_failures(found)} == {"T1-000005"}
        assert len(list_deck_failures(found)) == 1
        assert {name for name, _ in list_failures(found)} == {"T1-000005"}


@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize("contradicted", [("T1-000005",), ("T1-000004", "T1-000005", "T2-000005")])
def test_a_contradicted_round_does_not_excuse_the_next(contradicted: tuple[str, ...], copies: int) -> None:
    """The deck changes after the round, whichever of its records is true."""
    rounds = simulate_rounds(*(f"T1-{number:06}" for number in range(6, 30)))
    copies_of = [
        rename_player(round_, f"p{at}") for round_ in rounds if round_["round"] in contradicted for at in range(copies)
    ]
    before, found = audit(rounds), audit([*rounds, *copies_of])
    assert list_deck_failures(before) == list_deck_failures(found) == [("T1-000006", None)]
    (failed,) = [finding for finding in found["findings"] if finding["status"] == "fail"]
    assert failed["observed"].endswith("this holds whichever record of the earlier rounds is true")
    assert run("report", "-o", "json", "-", stdin=json.dumps(found).encode()).code == 0, "the results agree"


@pytest.mark.parametrize("copies", [1, 2, 9])
def test_a_log_of_which_each_round_is_doubled_shows_all_that_it_showed(copies: int) -> None:
    rounds = simulate_rounds("T1-000005", "T2-000010", "T2-000012")
    before = {name for name, _ in list_deck_failures(audit(rounds))}
    assert before
    log = [
        record
        for round_ in rounds
        for record in (round_, *(rename_player(round_, f"p{number}") for number in range(copies)))
    ]
    found = audit(log)
    assert before <= {name for name, version in list_deck_failures(found) if version == 1}
    assert found["verdict"] == "violations"


def test_rounds_named_by_the_next_do_not_fail_it() -> None:
    """A round that names its predecessor is not compared with a version of that round."""
    rounds = simulate_rounds()
    last: dict[str, str] = {}
    for each_round in rounds:
        each_round.pop("number")
        if each_round["table"] in last:
            each_round["after"] = last[each_round["table"]]
        last[each_round["table"]] = each_round["round"]
    assert list_failures(audit(rounds)) == []
    place = next(place for place, round_ in enumerate(rounds) if round_["round"] == "T1-000005")
    lie = {**rounds[place], "deck": "red"}
    for log in ([*rounds, lie], [*rounds[:place], lie, *rounds[place:]]):
        assert {name for name, _ in list_failures(audit(log))} <= {"T1-000005"}


@pytest.mark.parametrize("options", [("-j", "2"), ("--checkpoint", "kept")])
def test_however_the_audit_runs_it_comes_to_the_same(options: tuple[str, ...]) -> None:
    rounds = simulate_rounds("T1-000005")
    copies = [rename_player(round_) for round_ in rounds[::3]]
    Path("a.jsonl").write_bytes(to_log(rounds))
    Path("b.jsonl").write_bytes(to_log([*copies, *(add_note(round_) for round_ in rounds[1::3])]))
    plain = run("audit", "a.jsonl", "b.jsonl", "-o", "json")
    for _ in range(2):
        found = run("audit", "a.jsonl", "b.jsonl", "-o", "json", *options)
        assert (found.code, found.results["findings"]) == (plain.code, plain.results["findings"])
        assert found.results["requirements"] == plain.results["requirements"]


def test_results_of_contradicted_rounds_verify() -> None:
    audit(
        [
            *simulate_rounds("T1-000005"),
            rename_player(next(record for record in simulate_rounds("T1-000005") if record["round"] == "T1-000005")),
        ]
    )
    run("audit", "log.jsonl", "-o", "json:r.json")
    verified = run("verify", "r.json", "log.jsonl")
    assert verified.code == 0, verified.text


def test_a_contradiction_that_is_new_counts_as_new() -> None:
    good = simulate_rounds()
    Path("log.jsonl").write_bytes(to_log(good))
    run("audit", "log.jsonl", "-o", "json:before.json")
    Path("log.jsonl").write_bytes(to_log([*good, rename_player(good[0])]))
    found = run("audit", "log.jsonl", "--baseline", "before.json", "--fail-on", "new", "-o", "json")
    assert (found.code, found.results["baseline"]["set-aside"]) == (4, 2)


@pytest.mark.parametrize("form", [*RENDERERS])
def test_every_format_tells_of_contradicted_rounds(form: str) -> None:
    audit([WRONG, rename_player(WRONG)])
    found = run("audit", "log.jsonl", "-o", f"{form}:out")
    assert found.code == 1, found.err
    told = Path("out").read_bytes()
    if form not in BINARY_OUTPUTS and form != "html":  # there the findings are packed
        assert b"another record of this round, at log.jsonl:2, contradicts it" in told.replace(b"%3A", b":")


def test_statistics_leave_contradicted_rounds_out() -> None:
    pytest.importorskip("scipy", reason="SciPy is not installed: pip install 'fairdeal[statistics]'")
    rounds = [json.loads(line) for line in demo_lines()[12:25]]
    options = ("--statistics", "-s", "house.yaml", "-o", "json")
    Path("house.yaml").write_text(demo_submission())
    Path("fewer.jsonl").write_bytes(to_log(rounds[1:]))
    Path("log.jsonl").write_bytes(to_log([*rounds, rename_player(rounds[0])]))
    fewer, found = (run("audit", name, *options).results["statistics"] for name in ("fewer.jsonl", "log.jsonl"))
    assert found == fewer
