"""Database: its tables hold all results, and the queries of the documentation have answers."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from fairdeal.validator.reports.formats.finding_rows import VERSION
from tests.docs.blocks import blocks
from tests.facade.reports import render
from tests.facade.results import Results
from tests.reports import sample
from tests.reports.formats.helpers import ALL, PAGE, recorded_twice
from tests.reports.helpers import anything

QUESTIONS = [block.text for block in blocks("outputs.md") if block.language == "sql"]


@contextmanager
def open_database(results: Results = sample.RESULTS) -> Iterator[sqlite3.Connection]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "results.sqlite"
        path.write_bytes(render("sqlite", results))
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            yield database


def query(question: str, results: Results = sample.RESULTS) -> list[Any]:
    with open_database(results) as database:
        return database.execute(question).fetchall()


def sound(results: Results) -> None:
    with open_database(results) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        counts = {
            "findings": len(results.findings),
            "inputs": len(results.provenance.inputs),
            "sums": sum(len(totals.sums) for totals in results.money.by_currency) if results.money else 0,
            "open": len(results.open),
            "quarantined": len(results.quarantined),
        }
        for table, count in counts.items():
            assert database.execute(f"SELECT count(*) FROM {table}").fetchone() == (count,)


@pytest.mark.parametrize("name", sorted(ALL))
def test_it_is_sound_and_whole(name: str) -> None:
    sound(ALL[name])


@given(anything(Results))
@settings(max_examples=25)
def test_any_results_make_a_sound_database(results: Results) -> None:
    sound(results)


def test_texts_come_back_as_they_were() -> None:
    results = ALL["sql"]
    found = query("SELECT message, expected, observed FROM findings ORDER BY finding", results)
    assert found == [(finding.message, finding.expected, finding.observed) for finding in results.findings]


def test_findings_tell_where_and_how_much() -> None:
    where = replace(sample.FINDINGS[4].where, context={"dealer": "Ann", "pit": "3"})
    finding = replace(sample.FINDINGS[4], id="abc", owed=1_000, overpaid=0, where=where)
    results = replace(sample.RESULTS, findings=(finding,))
    question = "SELECT id, owed, casino, table_name, round, day, seat, wager, event, line, col FROM findings"
    assert query(question, results) == [
        ("abc", 1_000, "Blue Lantern", "HD-3", "HD-3/4417", "2026-03-14", 2, "opening", 51, 4417, 1)
    ]
    assert query("SELECT name, value FROM context ORDER BY name", results) == [("dealer", "Ann"), ("pit", "3")]


def test_totals_clauses_and_meta() -> None:
    assert query("SELECT items FROM totals WHERE requirement = 'settled-in-full' AND status = 'pass'") == [(12_477,)]
    question = "SELECT gist FROM requirement_clauses JOIN clauses USING (clause) WHERE requirement = 'pay-table-floor'"
    assert query(f"{question} ORDER BY clause") == [("A pay table pays no less than the published floor.",), (None,)]
    meta = dict(query("SELECT name, value FROM meta"))
    told = [meta[name] for name in ("verdict", "currency", "exponent", "owed")]
    assert told == ["violations", "USD", "2", "2500"]
    assert query("PRAGMA user_version") == [(VERSION,)]


def test_inputs_tell_what_was_recorded_twice() -> None:
    question = "SELECT file, read, checked, quarantined, repeated, contradicted FROM inputs WHERE kind = 'hand log'"
    assert query(question, recorded_twice()) == [(sample.LOG, 100, 90, 4, 6, 3)]


def test_whole_numbers_beyond_64_bits_are_kept_as_well_as_may_be() -> None:
    finding = replace(sample.FINDINGS[4], owed=2**70)
    assert query("SELECT owed FROM findings", replace(sample.RESULTS, findings=(finding,))) == [(float(2**70),)]


def test_every_table_is_documented() -> None:
    section = PAGE.partition("\n## sqlite\n")[2]
    lines = re.findall(r"^\| `(\w+)` \| (.*?) \|$", section, re.M)
    said = {name: re.findall("`(.*?)`", columns) for name, columns in lines}
    with open_database() as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        there = {name: [column[1] for column in database.execute(f"PRAGMA table_info({name})")] for name in names}
    assert said == there


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_of_the_documentation_have_answers(question: str) -> None:
    where = replace(sample.FINDINGS[4].where, context={"dealer": "Ann"})
    findings = (replace(sample.FINDINGS[4], owed=1_000, overpaid=0, where=where), *sample.FINDINGS[5:])
    assert query(question, replace(sample.RESULTS, findings=findings))


def test_there_are_three_questions() -> None:
    assert len(QUESTIONS) == 3
