"""Letter as a Word document: another program reads from it what the HTML letter says, and nothing in it acts."""

from __future__ import annotations

import re
import zipfile
from datetime import datetime
from io import BytesIO

import pytest
from docx import Document

from tests.facade.reports import render
from tests.facade.text import sanitize
from tests.reports import sample
from tests.reports.formats.helpers import ALL, HOSTILE, many
from tests.reports.test_html import Page


def read_words(name: str) -> str:
    document = Document(BytesIO(render("docx", ALL[name])))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return " ".join(" ".join([*(paragraph.text for paragraph in document.paragraphs), *cells]).split())


@pytest.mark.parametrize("name", ["violations", "empty", "compliant", "hostile"])
def test_it_says_what_the_html_letter_says(name: str) -> None:
    """Every line of the page is in the document, blanks aside, but for captions of tables."""
    page = Page(render("letter", ALL[name]).decode()).text
    words = read_words(name).replace(" ", "")
    lines = {"".join(line.split()) for line in page.splitlines()}
    missing = {line for line in lines if line not in words}
    assert missing <= {"Violationsthatnowaiverlifts", "Playerswhoareowedmoney,bythehouseorbyotherplayers"}


def test_the_schedule_has_a_row_for_each_violation_and_a_limit() -> None:
    document = Document(BytesIO(render("docx", many(1_100))))
    schedule = next(table for table in document.tables if table.rows[0].cells[0].text == "No.")
    assert len(schedule.rows) == 1 + 1_000
    assert "The workbook lists all." in [paragraph.text for paragraph in document.paragraphs]


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_it_holds_no_field_no_link_and_no_macro(name: str) -> None:
    with zipfile.ZipFile(BytesIO(render("docx", HOSTILE[name]))) as archive:
        assert not [part for part in archive.namelist() if "vba" in part.lower() or "embeddings" in part]
        text = archive.read("word/document.xml").decode()
        assert "TargetMode" not in archive.read("word/_rels/document.xml.rels").decode()
    assert not re.search(r"<w:(hyperlink|fldSimple|instrText|object)", text)


def test_invisible_characters_are_numbers() -> None:
    assert sanitize("\u202e") in read_words("hostile")


def test_properties_state_the_time_of_the_results() -> None:
    properties = Document(BytesIO(render("docx", sample.RESULTS))).core_properties
    assert properties.created is not None
    assert properties.created == datetime.fromisoformat(sample.RESULTS.provenance.generated)
