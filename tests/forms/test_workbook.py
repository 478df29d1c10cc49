"""Submissions as workbooks: what is written is read, with the findings of the same submission in YAML."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from datetime import datetime, time
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from fairdeal.validator.audit.submissions.submission_workbook import list_sheets, load_workbook_submission
from fairdeal.validator.audit.submissions.workbook_cells import RawCell, join_list, read_value
from fairdeal.validator.forms.form_entries import SubmissionForm, build_field, write_form
from fairdeal.validator.forms.submission_form import build_game_schema
from fairdeal.validator.forms.workbook_form import write_workbook
from fairdeal.validator.rulebook.submission_places import place_from_annotation
from tests.facade.commands import ROOT, run
from tests.facade.rules import Rulebook, list_documents
from tests.facade.submissions import evaluate_submission, file_submission
from tests.facade.text import InputError, Source, decode_source, read_source

RULEBOOK = Rulebook()
DEMOS = sorted(ROOT.glob("rules_data/*/demo/submission*.yaml"))


def write(data: dict[str, Any]) -> tuple[bytes, bytes]:
    """Return a submission as a workbook and as YAML."""
    form = SubmissionForm(header=("A test.",), fields=tuple(build_field(key, value) for key, value in data.items()))
    stream = io.BytesIO()
    write_workbook(form, build_game_schema(RULEBOOK, data["document"]), stream)
    return stream.getvalue(), write_form(form).encode()


def as_source(content: bytes, name: str = "house.xlsx") -> Source:
    return Source(name=name, data=content, text="", sha256="")


def list_findings(source: Source) -> list[tuple[object, ...]]:
    """Return all that a check finds, without places; nothing if the file cannot be read."""
    try:
        filed, _ = file_submission(source, RULEBOOK)
    except InputError:
        return []
    verdicts = evaluate_submission(RULEBOOK.regulation(filed.submission.document), filed)
    return [
        (verdict.requirement, verdict.status, finding.expected, finding.observed)
        for verdict in verdicts
        for finding in verdict.findings
    ]


def is_readable(source: Source) -> bool:
    try:
        file_submission(source, RULEBOOK)
    except InputError:
        return False
    return True


def compare(data: dict[str, Any]) -> None:
    book, text = write(data)
    assert is_readable(as_source(book)) == is_readable(decode_source("house.yaml", text))
    assert list_findings(as_source(book)) == list_findings(decode_source("house.yaml", text))


def read_demo(path: Path) -> dict[str, Any]:
    filed, _ = file_submission(read_source(str(path)), RULEBOOK)
    return filed.submission.to_file_data()


@cache
def make_example(document: str) -> str:
    """Return the example of a submission for a game, as JSON."""
    filed, _ = file_submission(decode_source("example.yaml", run("new", document, "--example").out), RULEBOOK)
    return json.dumps(filed.submission.to_file_data())


@pytest.mark.parametrize("path", DEMOS, ids=[path.parts[-3] for path in DEMOS])
def test_planted_violations_are_found_in_a_workbook_too(path: Path) -> None:
    data = read_demo(path)
    assert list_findings(as_source(write(data)[0]))
    compare(data)


VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [None, [], 0, 3, "7.50", "$5.00", "no-such-word", True, False, "2026-02-03", "4 to 1"]
)


def list_places(data: Any, here: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [here, *(place for key, part in inner for place in list_places(part, (*here, key)))]


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(sorted(list_documents())), st.data())
def test_a_faulty_submission_has_the_same_findings_in_both_forms(document: str, draw: st.DataObject) -> None:
    data = json.loads(make_example(document))
    for _ in range(draw.draw(st.integers(0, 3))):
        places = [
            place
            for place in list_places(data)
            if place and place[0] not in ("document", "submission", "licensee", "effective")
        ]
        place = draw.draw(st.sampled_from(places))
        outer = data
        for key in place[:-1]:
            outer = outer[key]
        if draw.draw(st.booleans()) and isinstance(outer, list):
            del outer[int(place[-1])]
        elif not isinstance(outer[place[-1]], (dict, list)) and not isinstance(outer, list):
            value = draw.draw(VALUES)
            same_kind = type(value) is type(outer[place[-1]]) or value is None
            outer[place[-1]] = value if same_kind else outer[place[-1]]
        elif isinstance(outer, dict):
            del outer[place[-1]]
    compare(data)


@pytest.mark.parametrize("document", list_documents())
def test_blank_workbooks_have_the_findings_of_blank_forms(document: str, tmp_path: Path) -> None:
    found = []
    for name in ("blank.yaml", "blank.xlsx"):
        path = tmp_path / name
        assert run("new", document, "--effective", "2026-02-01", "-o", path).code == 0
        done = run("check", path, "-o", "json")
        assert done.code == 4
        found.append([(f["requirement"], f["status"], f["observed"]) for f in done.results["findings"]])
    assert found[0] == found[1]


def test_the_same_form_gives_the_same_bytes(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.xlsx", "b.xlsx")]
    for path in paths:
        run("new", "poker-room", "--currency", "USD", "--effective", "2026-02-01", "-o", f"xlsx:{path}")
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.fixture
def shine(tmp_path: Path) -> Path:
    path = tmp_path / "shine.xlsx"
    run("new", "shine", "--example", "-o", path)
    return path


def change(path: Path, edit: Callable[[Any], object]) -> None:
    book = load_workbook(path)
    edit(book)
    book.save(path)


def test_findings_name_sheet_and_cell(shine: Path) -> None:
    change(shine, lambda book: book["Wagers"].__setitem__("D2", None))
    done = run("check", shine, "-o", "text", "-o", f"json:{shine}.json")
    assert done.code in (1, 4)
    assert "sheet Wagers cell D2 (/wagers/0/maximum)" in done.text
    places = [finding["where"] for finding in json.loads(Path(f"{shine}.json").read_text())["findings"]]
    assert {(place["sheet"], place["cell"], place.get("line")) for place in places} == {("Wagers", "D2", None)}
    change(shine, lambda book: book["Wagers"].__setitem__("C2", "ten"))
    done = run("check", shine)
    assert done.code == 3
    assert "shine.xlsx, sheet Wagers, cell C2" in done.err
    assert "| yes | ante | ten |" in done.err


MISTAKES = {
    "formula": (lambda book: book["Wagers"].__setitem__("C2", "=1+4"), "this is a formula"),
    "use": (lambda book: book["Wagers"].__setitem__("A2", None), "says neither yes nor no"),
    "heading": (lambda book: book["Wagers"].__setitem__("J4", "x"), "has no heading"),
    "key": (lambda book: book["Wagers"].__setitem__("C1", "minimun"), "`minimun` is not a key"),
    "entry": (lambda book: book["Submission"].__setitem__("A2", "submision"), "submision"),
    "twice": (lambda book: book["Submission"].__setitem__("A2", "document"), "given twice"),
    "no entry": (lambda book: book["Submission"].__setitem__("B90", "x"), "this value has no entry"),
    "parts": (lambda book: book["Submission"].__setitem__("B3", "x"), "this entry has parts"),
    "sheet": (lambda book: book.create_sheet("Wager").append(["x"]), "did you mean `Wagers`"),
    "hidden": (lambda book: setattr(book["Wagers"], "sheet_state", "hidden"), "this sheet is hidden"),
    "time": (lambda book: book["Pay tables"].__setitem__("F2", time(2, 1)), "the spreadsheet program made `02:01:00`"),
    "day": (lambda book: book["Submission"].__setitem__("B7", datetime(2026, 1, 1, 5)), "the spreadsheet program made"),
    "error": (lambda book: book["Wagers"].__setitem__("C2", "#REF!"), "reports `#REF!`"),
    "far row": (lambda book: book["Wagers"].__setitem__("A1048576", "yes"), "cell A1048576 is beyond the 5,000 rows"),
    "far column": (lambda book: book["Wagers"].__setitem__("XFD3", "yes"), "is beyond the 5,000 rows and 60 columns"),
    "no sheet": (lambda book: book.remove(book["Submission"]), "has no sheet `Submission`"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_messages_with_their_cell(mistake: str, shine: Path) -> None:
    edit, says = MISTAKES[mistake]
    change(shine, edit)
    done = run("check", shine)
    assert done.code == 3
    assert says in done.err
    assert "Traceback" not in done.err


def test_a_value_that_the_spreadsheet_program_changed_is_not_missing_too(shine: Path) -> None:
    change(shine, lambda workbook: workbook["Pay tables"].__setitem__("F2", time(5, 1)))
    checked = run("check", shine)
    assert checked.err.count("error[") == checked.err.count("error[unreadable-cell]") == 1


def test_all_mistakes_of_a_workbook_are_shown_at_once_in_their_order(shine: Path) -> None:
    def edit(book: Any) -> None:
        book["Submission"]["B90"] = "x"
        book["Wagers"]["C2"] = "=1"
        book["Wagers"]["A3"] = "perhaps"

    change(shine, edit)
    err = run("check", shine).err
    cells = [err.index(cell) for cell in ("Submission, cell B90", "Wagers, cell C2", "Wagers, cell A3")]
    assert cells == sorted(cells)


def test_numbers_texts_and_days_are_read_as_they_look(shine: Path) -> None:
    def edit(book: Any) -> None:
        book["Wagers"]["C2"], book["Wagers"]["D2"] = "$5.00", 12.5
        book["Submission"]["B7"] = "2026-03-01"

    change(shine, edit)
    data: Any = load_workbook_submission(read_source(str(shine), workbook=True)).data
    assert (data["wagers"][0]["minimum"], str(data["wagers"][0]["maximum"])) == ("$5.00", "12.5")
    assert "2026-03-01" in str(data)


@given(st.lists(st.text("ab ,;", min_size=1).map(str.strip).filter(bool), max_size=4))
def test_lists_in_a_cell_are_read_as_they_were_written(values: list[str]) -> None:
    assert read_value(RawCell(column=1, value=join_list(values)), place_from_annotation(list[str]), "tables") == values


def test_every_list_has_a_sheet_whose_name_spreadsheets_take() -> None:
    assert all(len(name) <= 31 and name.isascii() for name in list_sheets())
    assert ("pay-tables",) in list_sheets().values()


def repack(
    content: bytes, change_part: Callable[[str, bytes], bytes], *, more: dict[str, bytes] | None = None
) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change_part(name, old.read(name)))
        for name, part in (more or {}).items():
            new.writestr(name, part)
    return stream.getvalue()


BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'


def put_bomb(name: str, part: bytes) -> bytes:
    return part.replace(b"?>", b"?>" + BOMB, 1) if name == "xl/workbook.xml" else part


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: content[: len(content) // 2],
        lambda content: b"PK\x03\x04" + bytes(200),
        lambda content: repack(content, put_bomb),
        lambda content: repack(content, lambda name, part: part, more={"xl/media/a.bin": bytes(40 << 20)}),
        lambda content: repack(content, lambda name, part: part, more={f"x/{n}": b"" for n in range(600)}),
        lambda content: repack(content, lambda name, part: b"" if name.endswith("sheet2.xml") else part),
        lambda content: repack(content, lambda name, part: part.replace(b"<row", b"<row><row", 1)),
        lambda content: repack(content, lambda name, part: part[:-40] if "sheet" in name else part),
        lambda content: repack(content, lambda name, part: part.replace(b'r="2"', b'r="99999999999"')),
        lambda content: repack(content, lambda name, part: part.replace(b"<v>", b"<v>9e999")),
    ],
)
def test_hostile_workbooks_are_messages(spoil: Callable[[bytes], bytes], shine: Path) -> None:
    shine.write_bytes(spoil(shine.read_bytes()))
    done = run("check", shine)
    assert done.code == 3
    assert done.err.startswith("error[")
    assert "internal" not in done.err


def test_results_of_a_workbook_are_verified_by_its_bytes(shine: Path) -> None:
    results = shine.with_suffix(".json")
    run("check", shine, "-o", f"json:{results}")
    assert run("verify", results, shine).code == 0
    change(shine, lambda book: book["Wagers"].__setitem__("D2", 77))
    assert run("verify", results, shine).code != 0


def test_a_workbook_is_a_submission_in_audits_and_drawings(shine: Path) -> None:
    log = ROOT / "rules_data/co-rule10-3card-shine/demo/hand-log.jsonl"
    done = run("audit", log, "--submission", shine, "-o", "json")
    assert done.code in (1, 4)
    assert {"submission", "hand log"} == {file["kind"] for file in done.results["provenance"]["inputs"]}
    assert run("layout", shine).out.startswith(b"<svg")
    assert "only YAML can be corrected" in run("check", "--fix", shine).err


@pytest.mark.skipif(
    shutil.which("soffice") is None, reason="LibreOffice is not installed: apt-get install libreoffice-calc"
)
@pytest.mark.parametrize("path", DEMOS[:2], ids=[path.parts[-3] for path in DEMOS[:2]])
def test_libreoffice_opens_a_workbook_and_saves_the_same_submission(path: Path, tmp_path: Path) -> None:
    book, _ = write(read_demo(path))
    (tmp_path / "house.xlsx").write_bytes(book)
    saved = tmp_path / "saved"
    command = ["soffice", "--headless", f"-env:UserInstallation=file://{tmp_path}/profile", "--convert-to", "xlsx"]
    subprocess.run([*command, "--outdir", saved, tmp_path / "house.xlsx"], check=True, capture_output=True, timeout=300)
    again = read_source(str(saved / "house.xlsx"), workbook=True)
    assert again.data != book
    assert list_findings(again) == list_findings(as_source(book))
