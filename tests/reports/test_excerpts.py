"""The lines of a submission under the findings that point into it, in the text report."""

from __future__ import annotations

import re
from io import BytesIO

import pytest
from msgspec.structs import replace

from fairdeal.validator.reports.text_report import COLOR, NO_SOURCES, PLAIN, SourceDocuments, TextStyle, write_text
from tests.facade.results import EvidencePlace, Finding
from tests.facade.submissions import locate
from tests.facade.text import decode_source, load_document, parse_pointer
from tests.reports import sample

FILE = "house.yaml"
TEXT = f"""\
wagers:
- {{wager: first, posted: [], odds: 5 to 1}}
- {{wager: second, note: "a \\"b\\" c", long: '{"x" * 200}'}}
"""


def tree() -> SourceDocuments:
    return {FILE: load_document(decode_source(FILE, TEXT.encode()))}


def quote(*places: EvidencePlace, sources: SourceDocuments | None = None, style: TextStyle = PLAIN) -> list[str]:
    """Return the lines of a report that follow each place, up to the texts of the finding."""
    findings: tuple[Finding, ...] = tuple(replace(sample.FINDINGS[0], where=where) for where in places)
    stream = BytesIO()
    results = replace(sample.RESULTS, findings=findings, quarantined=())
    write_text(results, stream, style=style, sources=tree() if sources is None else sources)
    rows = stream.getvalue().decode().splitlines()
    return [row for row in rows if re.match(r" *(\x1b\S+)?[0-9]* *(\x1b\[0m )?(\x1b\S+)?\|", row)]


def locate_at(pointer: str) -> EvidencePlace:
    """Return the place that findings give for a pointer into the file."""
    return locate(tree()[FILE], parse_pointer(pointer))


@pytest.mark.parametrize(
    ("where", "under"),
    [
        (locate_at("/wagers/0/odds"), "5 to 1"),
        (locate_at("/wagers/0/wager"), "first"),
        (locate_at("/wagers/0/posted"), "["),
        (locate_at("/wagers/0"), "{"),
        (locate_at("/wagers/1/note"), '"a \\"b\\" c"'),
        (locate_at("/wagers/7"), "wagers"),  # nothing is there: the key of its container
        (locate_at("/deck/cards"), "wagers"),  # the whole file begins there
    ],
)
def test_the_carets_stand_under_what_is_meant(where: EvidencePlace, under: str) -> None:
    bar, source, marks = quote(where)
    assert bar == "    |"
    assert source.startswith(f"  {where.line} | ")
    assert re.fullmatch(r"    \| *\^+", marks)
    assert source[marks.index("^") :][: marks.count("^")] == under


def test_of_a_long_line_a_window_is_shown() -> None:
    _, source, marks = quote(locate_at("/wagers/1/long"))
    assert len(source) < 120
    assert source[marks.index("^")] == "'"


@pytest.mark.parametrize(
    "where",
    [
        EvidencePlace(file="another.yaml", line=2, column=3, pointer="/wagers/0"),
        EvidencePlace(file=FILE),
        EvidencePlace(file=FILE, pointer="/wagers/0"),
        EvidencePlace(file=FILE, line=2, column=3),
        EvidencePlace(file=FILE, line=3, column=3, pointer="/wagers/0"),  # another state of the file
        EvidencePlace(file=FILE, line=900, column=1, pointer="/wagers/0"),
        EvidencePlace(),
    ],
)
def test_nothing_is_quoted_that_is_not_there(where: EvidencePlace) -> None:
    assert quote(where) == []


def test_without_sources_nothing_is_quoted() -> None:
    assert quote(locate_at("/wagers/0/odds"), sources=NO_SOURCES) == []


def test_each_finding_of_a_group_has_its_line() -> None:
    rows = quote(locate_at("/wagers/0/odds"), locate_at("/wagers/1/wager"))
    assert [row.strip(" ^")[:3] for row in rows] == ["|", "2 |", "|", "|", "3 |", "|"]
    assert rows[0] == "      |"  # set in deeper than that of a finding on its own


def test_colour_only_adds_to_the_excerpt() -> None:
    where = locate_at("/wagers/0/odds")
    colored = quote(where, style=COLOR)
    assert "\x1b" in "".join(colored)
    assert [re.sub(r"\x1b\[[0-9;]*m", "", row) for row in colored] == quote(where)
