"""The formats page: its examples run, and it names every key there is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from fairdeal.cli.check_command import check
from fairdeal.cli.hand_log_commands import audit
from tests.docs.blocks import DOCS, Block, blocks
from tests.facade.evidence import EVENT_TYPES, KINDS, build_arrow_schema, build_round_schema
from tests.facade.reports import build_results_schema

PAGE = "formats.md"
TEXT = (DOCS / PAGE).read_text("utf-8")
SUBMISSIONS = [block for block in blocks(PAGE) if block.claim == "submission"]


def _run(command: Any, *arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, standalone_mode=False, catch_exceptions=False)


def _read_block(name: str) -> str:
    """Return the block of the page with a name; rounds as in a log, on one line."""
    text = next(block.text for block in blocks(PAGE) if block.options.get("name") == name)
    return json.dumps(json.loads(text)) + "\n" if name.endswith(".json") else text


@pytest.mark.parametrize("block", SUBMISSIONS, ids=str)
def test_a_submission_ends_as_the_page_says(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "submission.yaml"
    path.write_text(block.text, "utf-8")
    assert _run(check, str(path)).return_value == int(block.options["exit"])


def test_the_round_is_judged_in_full_and_complies(tmp_path: Path) -> None:
    log, house, out = tmp_path / "log.jsonl", tmp_path / "house.yaml", tmp_path / "results.json"
    log.write_text(_read_block("round.json"), "utf-8")
    house.write_text(_read_block("submission.yaml"), "utf-8")
    ended = _run(audit, str(log), "--submission", str(house), "--output", f"json:{out}", "--jobs", "1")
    assert ended.return_value == 0
    results = json.loads(out.read_text("utf-8"))
    assert results["verdict"] == "compliant"
    assert results["findings"] == []
    judged = {
        requirement["requirement"]: requirement["status"]
        for requirement in results["requirements"]
        if requirement["evidence"] == "round"
    }
    assert set(judged.values()) <= {"pass", "not-applicable"}
    assert list(judged.values()).count("pass") > 15


def test_the_hand_breaks_nothing_and_asks_nothing_of_who_sits_out(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(_read_block("hand.json"), "utf-8")
    ended = _run(audit, str(log), "--output", "json", "--jobs", "1")
    assert ended.return_value == 4
    results = json.loads(ended.stdout)
    assert results["totals"]["findings"]["fail"] == 0
    assert [finding["requirement"] for finding in results["findings"] if finding["where"]["seat"] == 3] == []


def test_a_round_that_contradicts_itself_is_set_aside(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(_read_block("round.json").replace('"paid": 1000', '"paid": 900', 1), "utf-8")
    ended = _run(audit, str(log), "--output", "json", "--jobs", "1")
    assert ended.return_value == 3
    results = json.loads(ended.stdout)
    assert [entry["line"] for entry in results["quarantined"]] == [1]
    assert "contradicts itself" in results["quarantined"][0]["reason"]


def _section(heading: str) -> str:
    """Return the part of the page under a heading, up to the next heading of any level."""
    return TEXT.partition(f"\n{heading}\n")[2].partition("\n#")[0]


def _rows(section: str) -> dict[str, list[str]]:
    """Return the rows of the tables of a section by their first cell, which is code."""
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in section.splitlines() if "|" in line]
    return {row[0].strip("| `"): row[1:] for row in rows if row[0].strip().startswith(("`", "| `"))}


@pytest.mark.parametrize(
    ("heading", "record"),
    [
        ("### A round", None),
        ("### A seat", "SeatRecord"),
        ("### A wager and its outcome", "WagerRecord"),
        ("### A bonus", "BonusRecord"),
        ("### A meter", "MeterRecord"),
    ],
)
def test_the_tables_of_a_log_have_every_key_and_no_other(heading: str, record: str | None) -> None:
    schema = build_round_schema()
    part = schema if record is None else schema["$defs"][record]
    rows = _rows(_section(heading))
    assert list(rows) == list(part["properties"])
    assert [key for key, cells in rows.items() if cells[0] == "required"] == part["required"]


def test_the_table_of_events_has_every_kind_with_its_keys() -> None:
    rows = _rows(_section("### Events"))
    assert sorted(rows) == sorted(KINDS)
    for kind in EVENT_TYPES:
        name = str(kind.__struct_config__.tag)
        keys = re.sub(r"\([^)]*\)", "", rows[name][0])
        written = {key: bool(mark) for key, mark in re.findall(r"`([a-z-]+)`(\?)?", keys)}
        fields = {field.encode_name: field.required for field in msgspec.structs.fields(kind)}
        # The place decides whether it needs a seat; the page states this above the table.
        fields |= {"seat": fields["place"]} if {"seat", "place"} <= fields.keys() else {}
        assert written == {key: not required for key, required in fields.items()}, name


def test_the_columns_of_events_are_all_named() -> None:
    named = re.findall(r"`([a-z]+)`", _section("### Parquet").partition("struct with the fields ")[2].partition(".")[0])
    assert named == [field.name for field in build_arrow_schema().field("events").type.value_type]


def test_the_section_on_results_names_every_key_and_word() -> None:
    section = TEXT.partition("\n## Results\n")[2].partition("\n## ")[0]
    definitions = build_results_schema()["$defs"]
    named = [key for part in definitions.values() for key in part.get("properties", part.get("enum"))]
    assert [key for key in named if f"`{key}`" not in section and not isinstance(key, int)] == []


def test_every_exit_code_is_explained() -> None:
    codes = re.findall(r"^\| (\d) \|", _section("## Exit codes"), re.M)
    assert codes == ["0", "1", "2", "3", "4", "5"]
