"""Letter to the licensee as a Word document, to be completed, signed and sent.

The same results give the same bytes with the same version of zlib.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BytesIO
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from docx import Document
from docx.document import Document as DocumentType
from docx.enum.section import WD_ORIENT
from docx.shared import Cm, Pt

from fairdeal.validator.reports.letter import HEADINGS, Letter, LetterPart, build_letter
from fairdeal.validator.reports.report_wording import format_amount, parse_generation_time
from fairdeal.validator.results.results import Results
from fairdeal.validator.text.diagnostics import sanitize

RESTITUTION = ("Player", "Casino", "Owed by", "Findings", "Owed to the player")
"""Headings of the restitution list."""
PROGRAM = "fairdeal"
"""Author of the document in its properties."""
_BLANK = "." * 40
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of every part of the file: the earliest that the format can state."""
_SMALL = Pt(7)


def write_docx(results: Results, stream: BinaryIO) -> None:
    """Write the letter as a Word document."""
    letter = build_letter(results)
    document = Document()
    core = document.core_properties
    core.author, core.title, core.comments = PROGRAM, letter.title, ""
    core.created = core.modified = parse_generation_time(results.provenance.generated)
    _write_letter(document, letter)
    _write_schedules(document, letter)
    note = document.add_paragraph(
        f"SHA-256 of the results: {letter.sha256}. Made by {sanitize(results.provenance.program)}."
    )
    note.runs[0].font.size = _SMALL
    whole = BytesIO()
    document.save(whole)
    _write_parts(whole, stream)


def _write_letter(document: DocumentType, letter: Letter) -> None:
    document.add_heading(sanitize(letter.title), 0)
    blank = [("From", _BLANK), ("Date, reference", _BLANK)]
    _add_table(document, ("", ""), [*blank, *letter.facts, ("Reply by", _BLANK)])
    for part in letter.parts:
        _write_part(document, part)
    if not letter.parts:
        document.add_paragraph("No violation was found, and nothing was left open.")
    document.add_paragraph(f"\nSignature, name, office: {_BLANK}")


def _write_part(document: DocumentType, part: LetterPart) -> None:
    document.add_heading(sanitize(part.title), 1)
    for paragraph in part.paragraphs:
        document.add_paragraph(sanitize(paragraph))
    # Numbers are text: Word's own lists would count on from one part to the next.
    for number, item in enumerate(part.items, 1):
        document.add_paragraph().add_run(f"{number}. {sanitize(item.title)}").bold = True
        for line in item.lines:
            document.add_paragraph(sanitize(line)).paragraph_format.left_indent = Cm(0.7)


def _write_schedules(document: DocumentType, letter: Letter) -> None:
    """Write the schedule and the restitution list on pages of their own, across the page."""
    if not letter.schedule and not letter.restitution:
        return
    section = document.add_section()
    section.orientation = WD_ORIENT.LANDSCAPE
    section.page_width, section.page_height = section.page_height, section.page_width
    section.left_margin = section.right_margin = Cm(1.5)
    if letter.schedule:
        document.add_heading("Schedule A: violations", 1)
        if letter.is_cut:
            document.add_paragraph("The workbook lists all.")
        _add_table(document, tuple(HEADINGS.values()), (row.texts() for row in letter.schedule))
    if letter.restitution:
        document.add_heading("Schedule B: restitution", 1)
        rows = (
            (
                "not named in the log; see the schedule" if row.player is None else row.player,
                row.casino or "",
                row.debtor,
                f"{row.findings:,}",
                format_amount(row.owed, row.currency),
            )
            for row in letter.restitution
        )
        _add_table(document, RESTITUTION, rows)


def _add_table(document: DocumentType, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Add a table; headings without a word are left out."""
    table = document.add_table(0, len(headings))
    table.style = "Table Grid"
    for row in [*([headings] if any(headings) else []), *rows]:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            run = cell.paragraphs[0].add_run(sanitize(text))
            run.bold = row is headings
            if len(headings) > len(RESTITUTION):
                run.font.size = _SMALL


def _write_parts(whole: BytesIO, stream: BinaryIO) -> None:
    """Copy the parts of a file to a stream without the time of day at which they were made."""
    copy = BytesIO()
    with ZipFile(whole) as made, ZipFile(copy, "w", ZIP_DEFLATED) as written:
        for name in made.namelist():
            part = ZipInfo(name, _EPOCH)
            part.compress_type = ZIP_DEFLATED
            written.writestr(part, made.read(name))
    stream.write(copy.getvalue())
