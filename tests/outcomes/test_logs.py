"""Records of results and selections: the same batch from lines and tables, and records that contradict themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fairdeal.validator.evidence.arrow.parquet_writer import to_table
from fairdeal.validator.evidence.arrow.table_reader import batches_from_arrow
from fairdeal.validator.evidence.assembly import DecodedBlock
from fairdeal.validator.evidence.columns import log_draft
from fairdeal.validator.evidence.event_kinds import KnownGame
from fairdeal.validator.evidence.jsonl.line_reader import decode_lines
from fairdeal.validator.evidence.log_writers import to_lines
from fairdeal.validator.language.round_conditions import Outcome
from fairdeal.validator.rules.rule_files import list_templates
from tests.facade.commands import run

SPIN = Outcome.model_validate({"title": "the number", "values": ["00", "0-36"]})
DICE = Outcome.model_validate({"title": "the dice", "dice": 2})
KNOWN = {
    "wheel": KnownGame(
        acts={"pay", "collect"}, cards=0, outcomes={"spin": SPIN.number_texts(), "dice": DICE.number_texts()}
    )
}


def record(**changes: Any) -> dict[str, Any]:
    return {
        "round": "R1",
        "table": "T1",
        "time": "2026-03-01T20:00:00Z",
        "game": "wheel",
        "seats": [
            {
                "seat": 1,
                "wagers": [
                    {"wager": "split", "selection": "20 17", "amount": 500, "paid": 8500, "taken": 0},
                    {"wager": "split", "selection": "1 2", "amount": 300, "paid": 0, "taken": 300},
                    {"wager": "red", "amount": 100, "paid": 0, "taken": 100},
                ],
            }
        ],
        "outcomes": {"spin": "17", "dice": "43"},
        "events": [
            {"event": "wager", "seat": 1, "wager": "split", "selection": "17 20", "amount": 500},
            {"event": "wager", "seat": 1, "wager": "split", "selection": "2 1", "amount": 300},
            {"event": "wager", "seat": 1, "wager": "red", "amount": 100},
            {"event": "outcome", "what": "spin", "value": "17"},
            {"event": "outcome", "what": "dice", "value": "34", "by": "machine"},
            {"event": "collect", "seat": 1, "wager": "split", "selection": "1 2", "amount": 300},
            {"event": "collect", "seat": 1, "wager": "red", "amount": 100},
            {"event": "pay", "seat": 1, "wager": "split", "selection": "17 20", "amount": 8500},
        ],
        **changes,
    }


def decode(*records: dict[str, Any], known: Any = KNOWN) -> DecodedBlock:
    text = b"\n".join(map(msgspec.json.encode, records))
    return decode_lines(text, file="log", first_line=1, known_games=known)


def reason_of(*records: dict[str, Any]) -> str:
    decoded = decode(*records)
    assert not decoded.batches
    return decoded.quarantined[0].reason


def change_event(at: int, **keys: Any) -> dict[str, Any]:
    events = record()["events"]
    return record(events=[{**event, **keys} if place == at else event for place, event in enumerate(events)])


def test_lines_and_tables_give_the_same_lines() -> None:
    decoded = decode(*(record(round=f"R{number}") for number in range(3)))
    assert not decoded.quarantined
    [batch] = decoded.batches
    lines = to_lines(batch)
    assert b'"outcomes":{"spin":"17","dice":"43"}' in lines
    assert b'"selection":"17 20"' in lines and b"20 17" not in lines
    [again] = decode_lines(lines.rstrip(b"\n"), file="log", first_line=1, known_games=KNOWN).batches
    tabled = batches_from_arrow(to_table(batch), known_games=KNOWN)
    assert not tabled.quarantined
    assert to_lines(again) == to_lines(tabled.batches[0]) == lines


def test_a_stake_is_known_by_its_selection() -> None:
    [batch] = decode(record()).batches
    assert [batch.stakes.selection.text(at) for at in range(3)] == ["17 20", "1 2", None]
    doubled = record(events=None)
    doubled["seats"][0]["wagers"][1]["selection"] = "17 20"
    assert reason_of(doubled) == "seat 1 lists `split on 17 20` twice"


@pytest.mark.parametrize(
    ("at", "keys", "reason"),
    [
        (3, {"value": "20"}, "`spin` is `17` in the summary, but `20` in the events"),
        (3, {"value": "37"}, "`spin` cannot be `37`"),
        (4, {"value": "47"}, "`dice` cannot be `47`"),
        (4, {"value": "3"}, "`dice` cannot be `3`"),
        (4, {"value": "33"}, "`dice` is `43` in the summary, but `33` in the events"),
        (0, {"selection": "17 21"}, "`split on 17 20`: 500 staked in the summary, but 0 in the events"),
        (7, {"selection": "1 2"}, "`split on 1 2`: 0 paid in the summary, but 8500 in the events"),
        (3, {"value": "1 7"}, "expected a result such as 17, or a digit a die such as 34"),
        (0, {"selection": "17  20"}, "expected what the stake is on, with a blank between, such as 17 20"),
    ],
)
def test_a_contradiction_sets_the_record_aside(at: int, keys: dict[str, str], reason: str) -> None:
    assert reason in reason_of(change_event(at, **keys))


def test_an_outcome_of_no_game_sets_the_record_aside() -> None:
    assert reason_of(record(outcomes={"spun": "17"})) == "the game has no outcome `spun`"


def test_the_last_of_several_results_counts() -> None:
    events = record()["events"]
    void = {"event": "outcome", "what": "spin", "value": "5"}
    assert not decode(record(events=[void, *events])).quarantined
    assert "in the events" in reason_of(record(events=[*events, void]))


def test_twelve_and_twenty_one_differ_on_a_wheel() -> None:
    assert reason_of(record(outcomes={"spin": "71"})) == "`spin` cannot be `71`"
    assert SPIN.find_value("21") != SPIN.find_value("12")
    assert DICE.find_value("21") == DICE.find_value("12") == "12"
    assert sum(DICE.weights.values()) == 36 and len(DICE.weights) == 21


def test_lines_are_numbered_alike_by_a_table_and_by_sorting(monkeypatch: pytest.MonkeyPatch) -> None:
    [batch] = decode(*(record(round=f"R{number}") for number in range(3))).batches
    by_table = log_draft.number_lines(batch)
    monkeypatch.setattr(log_draft, "_MOST_CELLS", -(1 << 40))
    by_sorting = log_draft.number_lines(batch)
    assert by_table.names == by_sorting.names
    assert set(by_table.names) == {"split on 17 20", "split on 1 2", "red"}  # in the order in which a process met them
    assert by_table.stakes.tolist() == by_sorting.stakes.tolist()
    assert by_table.events.tolist() == by_sorting.events.tolist()
    assert [by_table.events[at] for at in (3, 4)] == [-1, -1]  # results name no line


def test_a_selection_that_the_log_omits_is_not_evidenced_and_named(tmp_path: Path) -> None:
    """Without selections nobody is accused, and the finding says what the log shows and what it lacks."""
    home = list_templates()["roulette-european"].parent
    log, house = tmp_path / "log.jsonl", tmp_path / "house.yaml"
    played = ("simulate", "roulette-european", "--rules", home, "--rounds", "20", "--seed", "1")
    assert run(*played, "-o", log, "--write-submission", house).code == 0
    kept = []
    for row in map(json.loads, log.read_text("utf-8").splitlines()):
        for part in (*row["events"], *(stake for seat in row["seats"] for stake in seat["wagers"])):
            part.pop("selection", None)
        if all(len({stake["wager"] for stake in seat["wagers"]}) == len(seat["wagers"]) for seat in row["seats"]):
            kept.append(json.dumps(row))
    assert kept
    log.write_text("\n".join(kept), "utf-8")
    results = run("audit", log, "-s", house, "--rules", home, "-o", "json", "-q").results
    assert {finding["status"] for finding in results["findings"]} == {"not-evidenced"}
    due = [finding["observed"] for finding in results["findings"] if "does not show them all" in finding["observed"]]
    assert due
    assert all("the stake is on no recorded selection" in text and ": " in text for text in due), due[:2]
