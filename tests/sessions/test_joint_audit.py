"""Joint audits: tables, casinos, gaming days and documents audited together give the same results as alone.

The order of logs and of lines changes nothing.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from fairdeal.validator.audit.run import finding_store
from fairdeal.validator.audit.run.finding_store import FindingStore
from fairdeal.validator.results.results import make_place_key
from tests.facade.commands import run
from tests.facade.results import Evidence, EvidencePlace, Finding, Results, Severity, Status, skip_explanations
from tests.facade.rules import Rulebook, find_needed_readings
from tests.sessions.tables import count_stub, deal, open_deck, requirement, round_, run_audit, shuffle, write_log

REQUIREMENTS = (
    requirement("{every: {step: counted, within: {rounds: 4}}}", name="counted-often"),
    requirement("{every: {step: opened, within: {hours: 1}, each: deck}}", name="changed-often"),
    requirement("{every: {step: counted, within: {blocks-of: 4}}}", name="counted-in-blocks"),
    requirement("{succession: {deck: other}}", name="in-turn"),
    requirement("{succession: {deck: other, received: opened, removed: gone}}", name="in-turn-until-removed"),
    requirement("{succession: {deck: same, when: {not: {happened: opened}}}}", name="one-deck"),
    requirement("{succession: {must: {deck-as-before: true}}}", name="deck-as-before"),
    requirement(
        "{needed: {each: deck, since: [table-opens, round-dealt], steps: [mixed], before: dealing, unnumbered: fail}}",
        name="shuffled",
    ),
    requirement("{needed: {each: table, since: counted, steps: [opened, mixed], before: dealing}}", name="in-steps"),
)
DAY = 1440


def _decks(chance: random.Random, naming: str, number: int) -> dict[str, str]:
    name = ("red", "blue")[(number + (chance.random() < 0.1)) % 2]
    named = naming == "always" or (naming == "sometimes" and chance.random() < 0.6)
    return {"deck": name} if named else {}


def _table(chance: random.Random, casino: str, table: str, day: int) -> list[dict[str, Any]]:
    """Build one gaming day of a table, which opens with round 1 where its rounds have numbers."""
    numbered = chance.random() < 0.7
    naming = chance.choice(["always", "never", "sometimes"])
    found = []
    for number in range(1, 16):
        events = [
            *([open_deck(**_decks(chance, naming, number))] if chance.random() < (0.5 if number == 1 else 0.1) else []),
            *([shuffle()] if chance.random() < 0.8 else []),
            *([deal(), deal()] if chance.random() < 0.95 else []),
            *([count_stub()] if chance.random() < 0.3 else []),
            *([shuffle(**_decks(chance, naming, number + 1))] if chance.random() < 0.2 else []),
        ]
        minute = DAY * day + 5 * number + chance.randrange(3)
        record = round_(number if numbered else None, *events, minute=minute, casino=casino, table=table)
        record["round"] = f"{day}-{number}"
        record |= _decks(chance, naming, number)
        if chance.random() < 0.05:
            record["complete"] = False
        if number == 1 or chance.random() > 0.05:
            found.append(record)
    return found


def _evening(seed: int) -> list[list[dict[str, Any]]]:
    """Build the rounds of tables of two casinos, one list for each table."""
    chance = random.Random(seed)
    return [_table(chance, casino, table, 0) for casino in ("Alpha", "Beta") for table in ("T1", "T2")]


def _facts(findings: Iterable[Finding]) -> Counter[object]:
    """Count the failures, wherever their rounds are in the files."""
    failures = (finding for finding in findings if finding.status is Status.FAIL)
    return Counter(replace(failure, where=replace(failure.where, file=None, line=None)) for failure in failures)


def _totals(results: Sequence[Results]) -> dict[str, Counter[Status]]:
    found: dict[str, Counter[Status]] = {}
    for listed_requirement in (result for given in results for result in given.requirements):
        found.setdefault(listed_requirement.requirement, Counter()).update(listed_requirement.totals)
    return found


def _assert_alike(jointly: Results, separately: Sequence[Results]) -> None:
    assert _totals([jointly]) == _totals(separately)
    assert _facts(jointly.findings) == _facts(finding for results in separately for finding in results.findings)


@pytest.mark.parametrize("seed", range(12))
def test_tables_and_casinos_do_not_touch_each_other(tmp_path: Path, seed: int) -> None:
    tables = _evening(seed)
    chance = random.Random(seed)
    together = [row for table in tables for row in table]
    jointly = run_audit(REQUIREMENTS, write_log(tmp_path / "all.jsonl", chance.sample(together, len(together))))
    separately = [
        run_audit(REQUIREMENTS, write_log(tmp_path / f"{at}.jsonl", table)) for at, table in enumerate(tables)
    ]
    _assert_alike(jointly, separately)
    assert any(finding.status is Status.FAIL for finding in jointly.findings)


@pytest.mark.parametrize("seed", range(12))
def test_gaming_days_that_open_with_round_one_do_not_touch_each_other(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    days = [_table(chance, "Alpha", "T1", day) for day in range(4)]
    for day in days:
        for number, record in enumerate(day, 1):
            record["number"] = int(record["round"].partition("-")[2]) if number else number
    jointly = run_audit(REQUIREMENTS, write_log(tmp_path / "all.jsonl", [record for day in days for record in day]))
    separately = [run_audit(REQUIREMENTS, write_log(tmp_path / f"{at}.jsonl", day)) for at, day in enumerate(days)]
    _assert_alike(jointly, separately)


GAMES = ("co-rule10-3card-shine", "co-rule10-flushes-gone-wild", "caribbean-draw", "s38", "poker-room")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path]]:
    """Write a log with faults that span rounds, and its submission, for each game at two tables of two casinos."""
    folder = tmp_path_factory.mktemp("played")
    found = {}
    for game in GAMES:
        regulation = Rulebook(folder=None).regulation(game)
        planted = [
            part
            for requirement in regulation.requirements
            if requirement.evidence is Evidence.SESSION
            and requirement.fault is not None
            and not find_needed_readings(regulation, requirement)
            for part in ("--fault", requirement.requirement)
        ]
        log, house = folder / f"{game}.jsonl", folder / f"{game}.yaml"
        command = ["simulate", game, "--rounds", "60", "--seed", "5", "--fault-every", "4", *planted]
        assert run(*command, "-o", str(log), "--write-submission", str(house)).code == 0
        name = next(line for line in house.read_text().splitlines() if line.strip().startswith("name:"))
        licensee = name.partition(":")[2].strip().strip("\"'")
        for casino in ("Alpha", "Beta"):
            own_log, own_house = folder / f"{casino}-{game}.jsonl", folder / f"{casino}-{game}.yaml"
            lines = [json.loads(line) | {"casino": casino, "table": "T1"} for line in log.read_text().splitlines()]
            if casino == "Beta":
                lines = [_strip_names(line) for line in lines]
            own_log.write_text("".join(json.dumps(line) + "\n" for line in lines))
            own_house.write_text(house.read_text().replace(licensee, casino))
            found[f"{casino} {game}"] = (own_log, own_house)
    return found


def _strip_names(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record without its number and its deck."""
    return {key: value for key, value in record.items() if key not in {"number", "deck"}}


def _audit(*pairs: tuple[Path, Path], logs: Sequence[Path] = ()) -> dict[str, Any]:
    houses = [part for _, house in pairs for part in ("-s", str(house))]
    given = run("audit", *map(str, logs or [log for log, _ in pairs]), *houses, "-o", "json", "--quiet")
    assert given.code in (0, 1, 4), given.err
    found: dict[str, Any] = json.loads(given.out)
    return found


def _failures(results: dict[str, Any]) -> Counter[str]:
    found: Counter[str] = Counter()
    for finding in results["findings"]:
        if finding["status"] == "fail":
            place = {key: value for key, value in finding["where"].items() if key not in {"file", "line"}}
            found[json.dumps({**finding, "where": place}, sort_keys=True)] += 1
    return found


def test_documents_and_casinos_do_not_touch_each_other(played: dict[str, tuple[Path, Path]]) -> None:
    with skip_explanations():
        jointly = _failures(_audit(*played.values()))
        separately = sum((_failures(_audit(pair)) for pair in played.values()), Counter())
    assert jointly == separately
    assert len({json.loads(finding)["document"] for finding in jointly}) == len(GAMES)


def _drop_lines(results: dict[str, Any]) -> str:
    """Return results without the lines of files, their hashes and the order of quarantined rows."""

    def cut(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: cut(item) for key, item in value.items() if key not in {"line", "sha256"}}
        return [cut(item) for item in value] if isinstance(value, list) else value

    return json.dumps(cut(results), indent=1)


def test_the_order_of_files_changes_nothing(
    played: dict[str, tuple[Path, Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1772409600")
    pairs = list(played.values())
    expected = _audit(*pairs)
    assert _audit(*reversed(pairs)) == expected
    assert _audit(*random.Random(3).sample(pairs, len(pairs))) == expected


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_lines_of_different_tables_changes_no_example(
    played: dict[str, tuple[Path, Path]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1772409600")
    pairs = list(played.values())
    lines = [log.read_text().splitlines() for log, _ in pairs]
    together = tmp_path / "together.jsonl"

    def audit(order: Sequence[int]) -> str:
        left = [iter(own) for own in lines]
        together.write_text("".join(next(left[at]) + "\n" for at in order))
        return _drop_lines(_audit(*pairs, logs=[together]))

    order = [at for at, own in enumerate(lines) for _ in own]
    assert audit(random.Random(seed).sample(order, len(order))) == audit(order)


@pytest.mark.parametrize("kept", [0, 1, 7, 1_000])
def test_findings_that_are_spilled_come_in_the_order_of_places(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding_store, "FINDINGS_IN_MEMORY", kept)
    chance = random.Random(kept)
    found = [
        Finding(
            requirement="game/one",
            clauses=(),
            document="game",
            status=Status.FAIL,
            severity=Severity.MAJOR,
            message="",
            expected="",
            observed="é" * chance.randrange(2_000),
            where=EvidencePlace(
                file="log.jsonl",
                line=at,
                table=chance.choice(["A", "B"]),
                round=f"R{at}",
                time=chance.choice([None, "2026-03-01", "2026-03-01T20:00:00+02:00", "2026-03-01T19:00:00.5Z"]),
            ),
        )
        for at in range(60)
    ]
    store = FindingStore(chance.sample(found, len(found)))
    assert list(store) == list(store) == sorted(found, key=lambda finding: make_place_key(finding.where))
    assert store[3] == sorted(found, key=lambda finding: make_place_key(finding.where))[3]
    store.close()
