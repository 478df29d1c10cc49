"""Results as data: licensee, amounts of money, unresolved items with their causes, and explanations of rounds."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from fairdeal import api
from tests.facade.results import Cause, Finding, Results, Status

DEMO = Path(__file__).parents[2] / "rules_data" / "co-rule10-3card-shine" / "demo"
SUBMISSION = DEMO / "submission.yaml"
Record = dict[str, Any]


@pytest.fixture(scope="module")
def rulebook() -> api.Rulebook:
    return api.load_rulebook()


@pytest.fixture(scope="module")
def records() -> list[Record]:
    lines = (DEMO / "hand-log.jsonl").read_text().splitlines()
    return [record for record in map(_read, lines) if record is not None]


def _read(line: str) -> Record | None:
    try:
        record: Record = json.loads(line)
    except ValueError:
        return None  # the demo has a line that is no JSON
    return record


def audit_records(rulebook: api.Rulebook, log: Path, records: list[Record], **options: Any) -> Results:
    log.write_text("".join(json.dumps(record) + "\n" for record in records))
    return api.audit(rulebook, log, submissions=[SUBMISSION], **options)


def failures(results: Results) -> list[Finding]:
    return [finding for finding in results.findings if finding.status is Status.FAIL]


def test_ids_do_not_hang_on_lines_or_on_the_order_of_records(
    rulebook: api.Rulebook, records: list[Record], tmp_path: Path
) -> None:
    plain = audit_records(rulebook, tmp_path / "a.jsonl", records)
    mixed = records.copy()
    random.Random(4).shuffle(mixed)
    other = audit_records(rulebook, tmp_path / "b.jsonl", mixed)
    ids = {
        failure.id: (failure.requirement, failure.where.round, failure.where.seat, failure.where.wager)
        for failure in failures(plain)
    }
    assert len(ids) == len(failures(plain)) > 5
    assert ids == {
        failure.id: (failure.requirement, failure.where.round, failure.where.seat, failure.where.wager)
        for failure in failures(other)
    }


def test_ids_tell_casinos_tables_rounds_and_seats_apart(
    rulebook: api.Rulebook, records: list[Record], tmp_path: Path
) -> None:
    known = {
        failure.id
        for failure in failures(audit_records(rulebook, tmp_path / "a.jsonl", records))
        if failure.where.round
    }
    for key, value in (("table", "T9"), ("round", "9-")):
        changed = [{**record, key: value if key == "table" else value + record[key]} for record in records]
        ids = {
            failure.id
            for failure in failures(audit_records(rulebook, tmp_path / "b.jsonl", changed))
            if failure.where.round
        }
        assert ids and not ids & known


def test_sums_of_every_kind_come_to_the_whole(rulebook: api.Rulebook, records: list[Record], tmp_path: Path) -> None:
    for number, record in enumerate(records):
        record["context"] = {"dealer": f"D{number % 3}", "shift": number % 2, "video": f"v{number}"}
    results = audit_records(rulebook, tmp_path / "a.jsonl", records)
    money = results.money
    assert money is not None
    on_money = [failure for failure in failures(results) if failure.owed is not None]
    assert money.findings == len(on_money) > 3
    assert (money.owed, money.overpaid) == (
        sum(finding.owed or 0 for finding in on_money),
        sum(finding.overpaid or 0 for finding in on_money),
    )
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for amount_ in money.sums:
        for at, amount in enumerate((amount_.findings, amount_.owed, amount_.overpaid)):
            sums[amount_.by][at] += amount
    assert set(sums) == {"requirement", "casino", "table", "day", "wager", "party", "player", "dealer", "shift"}
    assert {tuple(each) for each in sums.values()} == {(money.findings, money.owed, money.overpaid)}
    assert all(finding.where.context and finding.where.context["video"].startswith("v") for finding in on_money)


def test_what_is_missing_for_one_cause_is_one_entry(
    rulebook: api.Rulebook, records: list[Record], tmp_path: Path
) -> None:
    told = [record for record in records if record.get("events")]
    records = [{**record, "events": None} for record in told[:7]] + told[7:]
    results = audit_records(rulebook, tmp_path / "a.jsonl", records)
    entries = [item for item in results.open if item.cause is Cause.NO_EVENTS]
    assert [entry.items for entry in entries] == [7]
    (entry,) = entries
    assert len(entry.requirements) > 15
    assert entry.first is not None and entry.first.round == told[0]["round"]
    assert f"The log records no events of 7 rounds (of {entry.of:,})." == entry.says
    open_ = {result.requirement for result in results.requirements if result.status is Status.NOT_EVIDENCED}
    assert open_ <= {name for item in results.open for name in item.requirements}


def test_the_subject_says_who_where_and_when(rulebook: api.Rulebook, records: list[Record], tmp_path: Path) -> None:
    results = audit_records(rulebook, tmp_path / "a.jsonl", records)
    subject = results.subject
    judged = sum(source.checked for source in results.provenance.inputs if source.kind == "hand log")
    assert sum(table.rounds for table in subject.tables) == judged
    assert subject.tables_read == len({(record["casino"], record["table"]) for record in records})
    assert [law.document for law in subject.law] == ["co-rule10-3card-shine"]
    days = sorted(record["time"][:10] for record in records)
    assert (subject.first, subject.last) == (days[0], days[-1])


def test_explanations_are_of_the_first_failures_whatever_the_number_of_processes(
    rulebook: api.Rulebook, records: list[Record], tmp_path: Path
) -> None:
    many = [{**record, "round": f"{turn}/{record['round']}"} for turn in range(30) for record in records]
    alone, together = (audit_records(rulebook, tmp_path / "a.jsonl", many, jobs=jobs) for jobs in (1, 2))
    assert alone.explanations == together.explanations
    first: dict[str, str | None] = {}
    for failure in failures(alone):
        if failure.where.round is not None:
            first.setdefault(failure.requirement, failure.where.round)
    places = [explanation.where for explanation in alone.explanations]
    assert {(where.seat, where.wager, where.event, where.pointer) for where in places} == {(None, None, None, None)}
    told = {name: explanation.where.round for explanation in alone.explanations for name in explanation.requirements}
    assert told == {name: round_ for name, round_ in first.items() if name in told}
    assert len(told) > 5


def test_every_clause_that_is_cited_comes_with_its_gist_and_lines(
    rulebook: api.Rulebook, records: list[Record], tmp_path: Path
) -> None:
    results = audit_records(rulebook, tmp_path / "a.jsonl", records)
    texts = {clause.clause: clause for clause in results.clauses}
    for finding in results.findings:
        for clause in finding.clauses:
            assert texts[clause].gist
            assert texts[clause].first_line <= texts[clause].last_line
