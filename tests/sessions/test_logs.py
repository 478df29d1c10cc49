"""Sessions over logs: the spread of rounds over files, blocks and processes changes nothing."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from fairdeal.validator.audit.operators import partitioned_evaluation
from fairdeal.validator.audit.run import finding_store
from tests.facade.results import Finding, Results, SessionGap, TableSession, Verdict
from tests.sessions.tables import count_stub, deal, open_deck, requirement, round_, run_audit, shuffle, write_log

REQUIREMENTS = (
    requirement("{every: {step: counted, within: {rounds: 4}}}", name="counted-often"),
    requirement("{every: {step: opened, within: {hours: 1}, each: deck}}", name="changed-often"),
    requirement("{every: {step: counted, within: {blocks-of: 4}}}", name="counted-in-blocks"),
    requirement("{succession: {deck: other}}", name="in-turn"),
    requirement(
        "{needed: {each: deck, since: [table-opens, round-dealt, opened], steps: [mixed], before: dealing}}",
        name="shuffled",
    ),
    requirement("{needed: {each: table, since: counted, steps: [opened, mixed], before: dealing}}", name="in-steps"),
)


def evening(seed: int, tables: int = 3, rounds: int = 40) -> list[dict[str, Any]]:
    """Build rounds of some tables, a few of them missing, some without a number or a deck."""
    chance = random.Random(seed)
    found = []
    for table in range(tables):
        number = 0
        for minute in range(0, 5 * rounds, 5):
            number = 1 if chance.random() < 0.03 else number + 1
            deck = ("red", "blue")[(number + (chance.random() < 0.05)) % 2]
            events = [
                *([open_deck(deck=chance.choice(["red", "blue"]))] if chance.random() < 0.05 else []),
                *([shuffle()] if chance.random() < 0.8 else []),
                *([deal(), deal()] if chance.random() < 0.95 else []),
                *([count_stub()] if chance.random() < 0.3 else []),
                *([shuffle(deck=chance.choice(["red", "blue"]))] if chance.random() < 0.2 else []),
            ]
            record = round_(number, *events, minute=minute, table=f"T{table}", deck=deck)
            if chance.random() < 0.02:
                del record["deck"]
            if chance.random() < 0.02:
                del record["number"]
            if chance.random() > 0.02:
                found.append(record)
    return found


def get_outcome(results: Results) -> tuple[object, ...]:
    """Return the findings and results without the positions of the rounds."""
    findings: list[Finding] = [
        replace(finding, where=replace(finding.where, file=None, line=None)) for finding in results.findings
    ]
    return findings, results.requirements, results.sessions


@pytest.fixture(scope="module")
def rounds() -> list[dict[str, Any]]:
    return evening(1)


@pytest.fixture(scope="module")
def whole(rounds: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    return get_outcome(run_audit(REQUIREMENTS, write_log(tmp_path_factory.mktemp("whole") / "log.jsonl", rounds)))


def test_the_evening_has_something_of_everything(whole: tuple[Any, ...]) -> None:
    findings, requirements, sessions = whole
    for listed_requirement in requirements:
        assert {"fail", "not-evidenced", "pass"} <= {status.value for status in listed_requirement.totals}, (
            listed_requirement.requirement
        )
    assert len(sessions) == 3
    assert {finding.where.table for finding in findings} == {"T0", "T1", "T2"}


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_rounds_changes_nothing(
    rounds: list[dict[str, Any]], whole: tuple[object, ...], tmp_path: Path, seed: int
) -> None:
    shuffled = random.Random(seed).sample(rounds, len(rounds))
    assert get_outcome(run_audit(REQUIREMENTS, write_log(tmp_path / "log.jsonl", shuffled))) == whole


@pytest.mark.parametrize("parts", [2, 5, 40])
def test_how_rounds_are_spread_over_logs_changes_nothing(
    rounds: list[dict[str, Any]], whole: tuple[object, ...], tmp_path: Path, parts: int
) -> None:
    chance = random.Random(parts)
    piles: list[list[dict[str, Any]]] = [[] for _ in range(parts)]
    for record in rounds:
        chance.choice(piles).append(record)
    logs = [write_log(tmp_path / f"{index}.jsonl", pile) for index, pile in enumerate(piles) if pile]
    assert get_outcome(run_audit(REQUIREMENTS, *logs)) == whole
    assert get_outcome(run_audit(REQUIREMENTS, *reversed(logs))) == whole


@pytest.mark.parametrize(("block_bytes", "jobs"), [(500, 1), (3000, 1), (4000, 2)])
def test_blocks_and_processes_change_nothing(
    rounds: list[dict[str, Any]], whole: tuple[object, ...], tmp_path: Path, block_bytes: int, jobs: int
) -> None:
    log = write_log(tmp_path / "log.jsonl", rounds)
    assert get_outcome(run_audit(REQUIREMENTS, log, block_bytes=block_bytes, jobs=jobs)) == whole


@pytest.fixture(scope="module")
def in_memory(rounds: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Results]:
    """Write the log of the evening, and audit it a few rounds at a time."""
    log = write_log(tmp_path_factory.mktemp("blocks") / "log.jsonl", rounds)
    return log, run_audit(REQUIREMENTS, log, block_bytes=2000)


@pytest.mark.parametrize("kept", [0, 30, 100])
@pytest.mark.parametrize("few", [1, 40, 10_000])
@pytest.mark.parametrize("run", [1, 2, 17, 10_000])
def test_rows_on_disk_taken_table_by_table_are_those_in_memory(
    in_memory: tuple[str, Results], monkeypatch: pytest.MonkeyPatch, kept: int, few: int, run: int
) -> None:
    log, expected = in_memory
    monkeypatch.setattr(partitioned_evaluation, "ROUNDS_IN_MEMORY", kept)
    monkeypatch.setattr(partitioned_evaluation, "ROUNDS_PER_PARTITION", few)
    monkeypatch.setattr(partitioned_evaluation, "ROUNDS_PER_RUN", run)
    assert run_audit(REQUIREMENTS, log, block_bytes=2000) == expected


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_sessions_on_disk_are_those_in_memory(
    in_memory: tuple[str, Results], monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    log, expected = in_memory
    assert len(expected.sessions) > 2
    monkeypatch.setattr(finding_store, "SESSIONS_IN_MEMORY", kept)
    monkeypatch.setattr(finding_store, "_BLOCK", 2)
    monkeypatch.setattr(partitioned_evaluation, "ROUNDS_PER_PARTITION", 1)
    results = run_audit(REQUIREMENTS, log, block_bytes=2000)
    assert isinstance(results.sessions, finding_store.SessionStore)
    assert results == expected
    assert list(results.sessions) == list(results.sessions) == list(expected.sessions)
    assert results.sessions[1:3] == list(expected.sessions[1:3])
    assert results.sessions[-1] == expected.sessions[-1]
    assert results.sessions != expected.sessions[1:]
    with pytest.raises(IndexError):
        results.sessions[len(expected.sessions)]
    results.sessions.close()


def days(seed: int) -> list[dict[str, Any]]:
    """Build rounds of two tables over some weeks.

    Clocks sometimes go back and use several time zones. Each round names its deck, which moves from table to table.
    """
    chance = random.Random(seed)
    found = []
    for table in range(2):
        number, minute = 0, chance.randrange(1440)
        for at in range(60):
            minute = max(minute + chance.choice([0, 5, 500, 500, -400]), 0)
            number = 1 if chance.random() < 0.2 else number + chance.choice([1, 1, 1, 1, 2])
            events = [
                *([open_deck(deck=chance.choice(["red", "blue"]))] if chance.random() < 0.1 else []),
                *([shuffle()] if chance.random() < 0.8 else []),
                *([deal(), deal()] if chance.random() < 0.95 else []),
                *([count_stub()] if chance.random() < 0.3 else []),
            ]
            record = round_(number, *events, minute=minute, table=f"T{table}", deck=chance.choice(["red", "blue"]))
            record["round"] = f"{table}-{at}"
            zone = timezone(timedelta(hours=chance.choice([0, -7, 5])))
            record["time"] = datetime.fromisoformat(record["time"]).astimezone(zone).isoformat()
            if chance.random() < 0.05:
                del record["number"]
            found.append(record)
    return chance.sample(found, len(found))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("few", "run"), [(1, 10_000), (7, 3), (25, 10_000)])
def test_a_long_table_judged_some_days_at_a_time_comes_out_as_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, few: int, run: int
) -> None:
    log = write_log(tmp_path / "log.jsonl", days(seed))
    expected = run_audit(REQUIREMENTS, log, block_bytes=2000)
    plans: list[list[bool]] = []
    plan = partitioned_evaluation.RowSpool._plan

    def note_plan(shelf: partitioned_evaluation.RowSpool) -> Any:
        planned = plan(shelf)
        plans.append(planned.continues)
        return planned

    monkeypatch.setattr(partitioned_evaluation.RowSpool, "_plan", note_plan)
    monkeypatch.setattr(partitioned_evaluation, "ROUNDS_IN_MEMORY", 0)
    monkeypatch.setattr(partitioned_evaluation, "ROUNDS_PER_PARTITION", few)
    monkeypatch.setattr(partitioned_evaluation, "ROUNDS_PER_RUN", run)
    assert run_audit(REQUIREMENTS, log, block_bytes=2000) == expected
    assert any(any(goes_on) for goes_on in plans)


def sessions_of(folder: Path, rounds: Sequence[dict[str, Any]]) -> Sequence[TableSession]:
    return run_audit(REQUIREMENTS[:1], write_log(folder / "log.jsonl", rounds)).sessions


def test_results_say_what_the_logs_cover(tmp_path: Path) -> None:
    rounds = [
        round_(3, minute=2, casino="House", table="B"),
        round_(1, minute=0, casino="House", table="A"),
        round_(2, minute=1, casino="House", table="A"),
        round_(5, minute=3, casino="House", table="A"),
        round_(1, minute=1500, casino="House", table="A"),
    ]
    assert sessions_of(tmp_path, rounds) == (
        TableSession(
            document="co-rule10-3card-shine",
            casino="House",
            table="A",
            first="R0",
            begins="2026-03-01 00:00:00",
            last="R1500",
            ends="2026-03-02 01:00:00",
            rounds=4,
            openings=2,
            gaps=(SessionGap(after="R1", before="R3", missing=2, why="round numbers are missing"),),
            gaps_found=1,
        ),
        TableSession(
            document="co-rule10-3card-shine",
            casino="House",
            table="B",
            first="R2",
            begins="2026-03-01 00:02:00",
            last="R2",
            ends="2026-03-01 00:02:00",
            rounds=1,
            openings=1,
            gaps=(SessionGap(after=None, before="R2", missing=2, why="the log begins after the opening of the table"),),
            gaps_found=1,
        ),
    )


def test_rounds_without_numbers_are_one_gap(tmp_path: Path) -> None:
    rounds = [round_(None, minute=minute) for minute in range(5)]
    (session,) = sessions_of(tmp_path, rounds)
    assert session.gaps == (
        SessionGap(
            after=None, before="R4", missing=None, why="rounds without numbers do not show whether others are missing"
        ),
    )


def test_nothing_is_said_of_sessions_where_nothing_is_asked_of_them(tmp_path: Path) -> None:
    assert run_audit([], write_log(tmp_path / "log.jsonl", [round_(1), round_(3, minute=1)])).sessions == ()


def test_gaps_beyond_a_bound_are_counted(tmp_path: Path) -> None:
    rounds = [round_(2 * number, minute=number) for number in range(1, 131)]
    (session,) = sessions_of(tmp_path, rounds)
    assert (len(session.gaps), session.gaps_found) == (100, 130)


def test_a_gap_alone_breaks_nothing(tmp_path: Path) -> None:
    check = requirement("{every: {step: counted, within: {rounds: 4}}}")
    rounds = [round_(1, count_stub()), round_(9, count_stub())]
    assert run_audit([check], write_log(tmp_path / "log.jsonl", rounds)).verdict is Verdict.COMPLIANT


def test_a_record_set_aside_is_missing_from_its_session(tmp_path: Path) -> None:
    check = requirement("{succession: {deck: other}}")
    rounds = [round_(1, deck="red"), round_(2, deck="blue", dealer="Zz"), round_(3, deck="red")]
    results = run_audit([check], write_log(tmp_path / "log.jsonl", rounds))
    assert len(results.quarantined) == 1
    assert {status.value: count for status, count in results.requirements[0].totals.items()} == {
        "not-evidenced": 1,
        "not-applicable": 1,
    }
