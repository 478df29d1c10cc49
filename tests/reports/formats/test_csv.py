"""CSV: written values are read back, and no spreadsheet finds a formula, wherever it cuts lines."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fairdeal.validator.reports.formats.finding_rows import FINDING_COLUMNS
from fairdeal.validator.text.diagnostics import guard_formulas, unguard_formulas
from tests.facade.reports import render
from tests.facade.results import Results
from tests.reports import sample
from tests.reports.formats.helpers import ALL, PAGE

FORMULAS = (
    "=1+1",
    "+1",
    "-1",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "'=1",
    " =1",
    "a;=cmd|' /c calc'!A0",
    "\uff1d1",
    "a\t-1",
)
_FORMULA = re.compile("[ \u00a0]*[=+\\-@\uff1d\uff0b\uff0d\uff20]")


def rows(results: Results = sample.RESULTS, delimiter: str = ",") -> list[list[str]]:
    text = render("csv", results).decode()
    csv.field_size_limit(10_000_000)  # with another delimiter than ours a field is as long as it likes
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


@pytest.mark.parametrize("name", sorted(ALL))
def test_there_is_a_row_for_each_finding(name: str) -> None:
    heading, *found = rows(ALL[name])
    assert heading == list(FINDING_COLUMNS)
    assert len(found) == len(ALL[name].findings)
    assert {len(row) for row in found} <= {len(FINDING_COLUMNS)}


def test_every_column_is_documented() -> None:
    section = PAGE.partition("\n## csv\n")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`.*?) \|", section, re.M)
    assert [name for cell in cells for name in re.findall("`(.*?)`", cell)] == list(FINDING_COLUMNS)


def test_values_come_back() -> None:
    finding = replace(
        sample.FINDINGS[4],
        id="abc",
        owed=1_000,
        overpaid=0,
        where=replace(sample.FINDINGS[4].where, context={"pit": "3"}),
    )
    heading, row = rows(replace(sample.RESULTS, findings=(finding,)))
    found = dict(zip(heading, row, strict=True))
    assert found["id"] == "abc"
    assert [found[name] for name in ("owed", "overpaid", "currency", "exponent")] == ["1000", "0", "USD", "2"]
    assert (found["day"], found["time"]) == ("2026-03-14", "2026-03-14T21:07:09Z")
    assert found["context"] == "pit: 3"
    assert (found["waived"], found["event"], found["column"]) == ("", "51", "1")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("name", sorted(ALL))
def test_no_spreadsheet_finds_a_formula(name: str, delimiter: str) -> None:
    for row in rows(ALL[name], delimiter):
        for cell in row:
            assert not _FORMULA.match(cell), cell


@pytest.mark.parametrize("text", FORMULAS)
def test_what_looks_like_a_formula_is_marked(text: str) -> None:
    assert guard_formulas(text) != text
    assert not _FORMULA.match(guard_formulas(text))
    assert unguard_formulas(guard_formulas(text)) == text


@pytest.mark.parametrize("text", ["", "a=1", "3 to 1", "a-b", "it's", "x; y"])
def test_any_other_text_stays(text: str) -> None:
    assert guard_formulas(text) == text


@given(st.text(alphabet="=+-@'; \t\r\na\uff1d"))
def test_nothing_is_lost(text: str) -> None:
    assert unguard_formulas(guard_formulas(text)) == text
    assert not any(_FORMULA.match(part) for part in re.split("[;\t\r\n]", guard_formulas(text)))


def test_half_a_character_is_no_trouble() -> None:
    finding = replace(sample.FINDINGS[0], where=replace(sample.FINDINGS[0].where, file="\udcff.yaml"))
    assert rows(replace(sample.RESULTS, findings=(finding,)))[1][list(FINDING_COLUMNS).index("file")] == "\ufffd.yaml"
