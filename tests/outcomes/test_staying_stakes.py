"""Stakes that stay on the table, and results that rounds hand on: logs, audits and odds."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from copy import deepcopy
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import fairdeal
from fairdeal.validator.evidence.jsonl.line_reader import decode_records
from fairdeal.validator.evidence.log_writers import to_lines
from fairdeal.validator.odds.wager_odds import work_out_odds
from tests.facade.rules import load_regulation
from tests.lawful.record import write_log
from tests.templates.referees.judge import RULES, judge, load_referee, load_template

GAME = "craps"
Record = dict[str, Any]


@cache
def play(seed: int, rounds: int = 12) -> list[Record]:
    """Return complete records of one table, which state no point."""
    return [round_.record() for round_ in load_referee(GAME).open_session(seed, "C", rounds, is_plain=True)]


def find_failures(records: Sequence[Record]) -> set[tuple[str, str]]:
    """Return requirement and round of each failure."""
    found = judge(GAME, records, [])
    assert not found.quarantined, found.describe()
    return {
        (str(finding.requirement).split("/")[1], round_) for round_, each in found.failures.items() for finding in each
    }


def find_line_failure(records: Sequence[Record]) -> tuple[int, Record]:
    """Return a decided Pass stake with a point: the index of its round, and its line of the summary."""
    point = 0
    for index, record in enumerate(records):
        total = sum(map(int, record["outcomes"]["dice"]))
        for seat in record["seats"]:
            for line in seat["wagers"]:
                if line["wager"] == "pass" and point and total == point:
                    return index, line
        point = (0 if total in {7, point} else point) if point else total if total in {4, 5, 6, 8, 9, 10} else 0
    raise LookupError


def sessions_with_a_made_point() -> Iterator[tuple[list[Record], int, Record]]:
    for seed in range(40):
        records = deepcopy(play(seed))
        try:
            index, line = find_line_failure(records)
        except LookupError:
            continue
        yield records, index, line


def omit_payment(records: list[Record], index: int, line: Record) -> None:
    """Leave out the payment on a line, in the summary and in the events, as if the stake stayed."""
    line["paid"] = 0
    seat = next(seat["seat"] for seat in records[index]["seats"] if any(each is line for each in seat["wagers"]))
    kept = [
        event
        for event in records[index]["events"]
        if event["event"] not in {"pay", "return"} or (event["seat"], event["wager"]) != (seat, "pass")
    ]
    records[index]["events"] = kept


def test_a_point_that_the_log_does_not_state_decides() -> None:
    records, index, line = next(sessions_with_a_made_point())
    assert not find_failures(records)
    omit_payment(records, index, line)
    assert find_failures(records) == {("pass-and-come-settled", records[index]["round"])}


def find_made(records: Sequence[Record], index: int) -> int | None:
    """Return the round that made the point of a later round, if neither a 7 nor another record shows it."""
    totals = [sum(map(int, record["outcomes"]["dice"])) for record in records[:index]]
    total = sum(map(int, records[index]["outcomes"]["dice"]))
    made = max((at for at in range(index) if totals[at] == total), default=None)
    return None if made is None or 7 in totals[made:] else made


def test_a_gap_leaves_the_point_open() -> None:
    """Without the round that made the point, a wrong payment is no finding."""
    records, index, line = next(each for each in sessions_with_a_made_point() if find_made(*each[:2]) is not None)
    made = find_made(records, index)
    assert made is not None
    omit_payment(records, index, line)
    assert ("pass-and-come-settled", records[index]["round"]) in find_failures(records)
    del records[made]
    assert ("pass-and-come-settled", records[index - 1]["round"]) not in find_failures(records)


def test_a_stated_point_needs_no_earlier_rounds() -> None:
    records, index, line = next(sessions_with_a_made_point())
    omit_payment(records, index, line)
    alone = records[index]
    assert not find_failures([alone])
    alone["outcomes"]["point"] = str(sum(map(int, alone["outcomes"]["dice"])))
    assert find_failures([alone]) == {("pass-and-come-settled", alone["round"])}


@pytest.mark.parametrize("seed", range(3))
def test_the_split_of_logs_does_not_matter(seed: int, tmp_path: Path) -> None:
    """An audit of one log gives the findings of an audit of one log for each round."""
    records = deepcopy(play(seed + 100))
    random = Random(seed)
    for record in records:
        for seat in record["seats"]:
            for line in seat["wagers"]:
                if random.random() < 0.1 and line["paid"]:
                    del line["paid"], line["taken"]
    whole = write_log(tmp_path / "whole.jsonl", records)
    parts = [write_log(tmp_path / f"part-{at:02}.jsonl", [record]) for at, record in enumerate(records)]

    def list_statuses(*logs: Path) -> list[tuple[str, str, str | None, str]]:
        results = fairdeal.audit(load_template(GAME), *map(str, logs))
        return sorted(
            (str(each.requirement), each.status.value, each.where.round, str(each.observed))
            for each in results.findings
        )

    assert list_statuses(Path(whole)) == list_statuses(*map(Path, parts))


def stake(**keys: object) -> Record:
    return {"wager": "place", "selection": "6", "amount": 1200, "paid": 0, "taken": 0} | keys


def one_round(*lines: Record, events: Sequence[Record] = (), **keys: object) -> Record:
    seat = {"seat": 1, "player": "P1", "wagers": [*lines]}
    record = {"round": "R", "casino": "C", "table": "T", "time": "2026-05-01T18:00:00Z", "game": GAME, "seats": [seat]}
    return record | {"outcomes": {"dice": "12", "point": "6"}} | {"events": [*events]} | keys


def move(kind: str, amount: int) -> Record:
    return {"event": kind, "seat": 1, "wager": "place", "selection": "6", "amount": amount}


@pytest.mark.parametrize(
    ("record", "is_sound"),
    [
        (one_round(stake(brought=1200)), True),
        (one_round(stake()), False),
        (one_round(stake(brought=600), events=[move("wager", 600)]), True),
        (one_round(stake(brought=1800), events=[move("withdraw", 600)]), True),
        (one_round(stake(brought=1200), events=[move("wager", 600)]), False),
        (one_round(events=[move("withdraw", 1200)]), True),  # taken back, so that nothing is left to list
        (one_round(stake(brought=1200), events=[move("withdraw", 600), move("wager", 600)]), True),
        (one_round({**stake(brought=1200), "wager": "field", "selection": None}), False),  # it never stays
    ],
)
def test_amounts_agree_with_what_was_brought(record: Record, is_sound: bool) -> None:
    found = judge(GAME, [record], [])
    assert (not found.quarantined) == is_sound, found.describe()


def test_parts_that_were_brought_survive_every_form(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    from fairdeal.validator.evidence.arrow.parquet_writer import open_parquet_writer

    [batch], _ = decode_records(play(7), file="log", games=[GAME])
    assert (batch.stakes.brought > 0).any()
    [again], _ = decode_records([*map(json.loads, to_lines(batch).splitlines())], file="log", games=[GAME])
    assert (again.stakes.brought == batch.stakes.brought).all()
    with (tmp_path / "log.parquet").open("wb") as stream, open_parquet_writer(stream) as writer:
        writer.write(batch)
    seats = pq.read_table(tmp_path / "log.parquet").column("seats").to_pylist()
    brought = [line["brought"] for each in seats for seat in each for line in seat["wagers"]]
    assert [each or -1 for each in brought] == batch.stakes.brought.tolist()


def test_odds_are_those_that_everybody_knows() -> None:
    odds = work_out_odds(load_regulation(GAME, RULES / "templates")).wagers
    assert all(each.exact for each in odds)
    advantage = {(each.wager, each.on): Fraction(each.house_advantage or "1") for each in odds}
    expected: dict[tuple[str, tuple[str, ...]], Fraction] = {
        ("pass", ()): Fraction(7, 495),
        ("come", ()): Fraction(7, 495),
        ("dont-pass", ()): Fraction(3, 220),
        ("dont-come", ()): Fraction(3, 220),
        ("place", ("4", "10")): Fraction(1, 15),
        ("place", ("5", "9")): Fraction(1, 25),
        ("place", ("6", "8")): Fraction(1, 66),
        ("field", ()): Fraction(1, 36),
    }
    assert {key: value for key, value in advantage.items() if "odds" not in key[0]} == expected
    assert {value for key, value in advantage.items() if "odds" in key[0]} == {Fraction(0)}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("      none: {any: [seven", "      eleven: {any: [seven", "which is no value of it"),
        (
            'due: stays, clauses: ["(19)", "(20)"',
            'due: {loses: 1 to 2, stays: true}, clauses: ["(19)", "(20)"',
            "`stays` goes with a payment at `odds`",
        ),
    ],
)
def test_rules_that_cannot_be_meant_are_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    shutil.copytree(RULES / "templates" / GAME, tmp_path / GAME)
    path = tmp_path / GAME / "game.yaml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(fairdeal.InputError, match=message):
        load_regulation(GAME, tmp_path)
