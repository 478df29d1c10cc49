"""The workbook: opened by other programs, it has its sheets, its numbers and days, and no formula."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import openpyxl
import pytest
from msgspec.structs import replace
from openpyxl.utils.escape import unescape

from fairdeal.validator.reports.formats import workbook
from fairdeal.validator.reports.formats.finding_rows import FINDING_COLUMNS
from tests.facade.reports import render
from tests.facade.results import Results
from tests.reports import sample
from tests.reports.formats.helpers import ALL

HEADING = [name for name in FINDING_COLUMNS if name != "exponent"]
SHEETS = ["summary", "findings", "requirements", "money", "schedule", "restitution"]


def open_workbook(results: Results = sample.RESULTS) -> Any:
    return openpyxl.load_workbook(io.BytesIO(render("xlsx", results)))


def table(sheet: Any) -> list[dict[str, Any]]:
    heading, *rows = sheet.iter_rows(values_only=True)
    return [dict(zip(heading, row, strict=True)) for row in rows]


@pytest.mark.parametrize("name", sorted(ALL))
def test_no_cell_is_a_formula_or_a_link(name: str) -> None:
    book = open_workbook(ALL[name])
    assert book.sheetnames == SHEETS
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert {cell.data_type for cell in cells} <= {"s", "n", "d"}
    assert not any(cell.hyperlink for cell in cells)
    package = zipfile.ZipFile(io.BytesIO(render("xlsx", ALL[name])))
    for part in package.namelist():
        tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(package.read(part)).iter()}
        assert not tags & {"f", "hyperlink", "externalLink", "ddeLink"}


@pytest.mark.parametrize("name", sorted(ALL))
def test_there_is_a_row_for_everything(name: str) -> None:
    book, results = open_workbook(ALL[name]), ALL[name]
    assert book["findings"].max_row == 1 + len(results.findings)
    assert book["requirements"].max_row == 1 + len(results.requirements)
    moneys = results.money.by_currency if results.money else ()
    assert book["money"].max_row == 1 + sum(1 + len(money.sums) for money in moneys)


def test_heads_are_frozen_and_rows_can_be_filtered() -> None:
    book = open_workbook()
    for name in SHEETS[1:]:
        sheet = book[name]
        assert sheet.freeze_panes == "A2"
        assert sheet.auto_filter.ref == sheet.dimensions
        assert sheet.column_dimensions["A"].width > 10


def test_values_are_what_they_are() -> None:
    finding = replace(sample.FINDINGS[4], owed=123_456, overpaid=0)
    book = open_workbook(replace(sample.RESULTS, findings=(finding,)))
    (row,) = table(book["findings"])
    assert list(row) == HEADING
    assert (row["owed"], row["overpaid"], row["currency"]) == (1234.56, 0, "USD")
    assert row["day"] == datetime(2026, 3, 14)
    assert (row["seat"], row["line"], row["wager"], row["waived"]) == (2, 4417, "opening", None)
    formats = {cell.value: column for cell, column in zip(book["findings"][1], book["findings"][2], strict=True)}
    assert formats["owed"].number_format == "#,##0.00"
    assert formats["day"].number_format == "yyyy-mm-dd"


def test_money_is_in_units_and_requirements_have_their_counts() -> None:
    book = open_workbook()
    money = table(book["money"])
    assert (money[0]["by"], money[0]["owed"], money[0]["overpaid"]) == ("all", 25, 25)
    assert {row["by"] for row in money} == {"all", "requirement", "casino", "table", "day", "dealer"}
    settled = table(book["requirements"])[1]
    assert (settled["fail"], settled["not-evidenced"], settled["pass"]) == (3, 0, 12_477)


def test_the_summary_tells_what_the_results_are_about() -> None:
    told: dict[str, list[str]] = {}
    for name, value in open_workbook()["summary"].iter_rows(values_only=True):
        told.setdefault(name, []).append(value)
    assert told["verdict"] == ["violations"]
    assert told["licensee"] == ["Blue Lantern HD-114", "Harbour House"]
    assert told["owed to players"] == ["$25.00"]
    assert len(told["not confirmed"]) == 2
    assert "sheets of findings" not in told


def test_findings_go_on_on_further_sheets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "ROWS", 5)
    book = open_workbook(replace(sample.RESULTS, requirements=(), money=sample.NOTHING))
    assert book.sheetnames == [*SHEETS, "findings 2", "findings 3"]
    found = [row for name in ("findings", "findings 2", "findings 3") for row in table(book[name])]
    assert [row["requirement"] for row in found] == [finding.requirement for finding in sample.FINDINGS]
    (said,) = [value for name, value in book["summary"].iter_rows(values_only=True) if name == "sheets of findings"]
    assert said.startswith("3, as a sheet has 4 findings")


def test_what_no_cell_can_hold_is_text_or_cut() -> None:
    where = replace(sample.FINDINGS[4].where, time="1066-10-14T09:00:00Z")
    finding = replace(sample.FINDINGS[4], owed=10**17 + 1, message="x" * 40_000, expected="_x0041_\x00", where=where)
    (row,) = table(open_workbook(replace(sample.RESULTS, findings=(finding,)))["findings"])
    assert row["owed"] == "1,000,000,000,000,000.01"
    assert row["day"] == "1066-10-14"
    assert len(row["message"]) == 32_767
    assert unescape(row["expected"]) == "_x0041_[U+0000]"


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
@pytest.mark.parametrize("name", ["violations", "formulas", "xml"])
def test_libreoffice_opens_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / "report.xlsx"
    path.write_bytes(render("xlsx", ALL[name]))
    # Sheet 2 as CSV with formulas instead of their values, so that a formula would show.
    form = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,2"
    subprocess.run(
        ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", form, path.name],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    (converted,) = tmp_path.glob("*.csv")
    heading, *rows = csv.reader(io.StringIO(converted.read_text("utf-8")))
    assert heading == HEADING
    expected = [row["message"] for row in table(open_workbook(ALL[name])["findings"])]
    assert [row[heading.index("message")] for row in rows] == expected


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(1)", "  =1", "\uff1d1"])
def test_what_looks_like_a_formula_is_marked_as_text(text: str) -> None:
    finding = replace(sample.FINDINGS[4], message=text, expected="a=1")
    sheet = open_workbook(replace(sample.RESULTS, findings=(finding,)))["findings"]
    marked = {cell.value: cell.quotePrefix for cell in sheet[2] if cell.value}
    assert marked[text]
    assert not marked["a=1"]
