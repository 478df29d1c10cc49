"""Tests that `--texts` quotes clauses from the text that was encoded, and refuses other editions."""

from __future__ import annotations

import json
import os
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rules.document_model import MAX_QUOTED, quote_clauses
from fairdeal.validator.rules.rule_files import rules_folder
from tests.facade.commands import run

DOCUMENT = "co-rule8-burnout"
HOSTILE = "<script>alert(1)</script>"
SHARED_SOURCES = Path(__file__).parents[3] / "shared" / "sources"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a rules folder, a text that is invented, and a submission; it is the working folder."""
    for name in (DOCUMENT, "vocabulary"):
        shutil.copytree(rules_folder() / name, tmp_path / "rules" / name)
    (tmp_path / "texts").mkdir()
    lines = [f"words of line {number}\t{HOSTILE}" for number in range(1, 60)]
    text = "\n".join(lines).encode()
    document = tmp_path / "rules" / DOCUMENT / "document.yaml"
    written = document.read_text("utf-8")
    known = Rulebook().regulation(DOCUMENT).document.source
    assert known.sha256 is not None
    document.write_text(written.replace(known.sha256, sha256(text).hexdigest()), "utf-8")
    (tmp_path / "texts" / known.file).write_bytes(text)
    monkeypatch.chdir(tmp_path)
    assert run("new", DOCUMENT, "--example", "--rules", "rules", "-o", "house.yaml").code == 0
    return tmp_path


def text_file(place: Path) -> Path:
    (file,) = (place / "texts").iterdir()
    return file


def test_a_clause_is_shown_with_its_words(place: Path) -> None:
    clause = Rulebook(folder=place / "rules").regulation(DOCUMENT).document.clauses[0]
    words = [f"words of line {number}" for number in range(clause.lines[0], clause.lines[1] + 1)]
    shown = run("rules", "show", clause.clause, "--rules", "rules", "--texts", "texts")
    assert shown.code == 0
    assert all(line in shown.text for line in words)
    (entry,) = json.loads(
        run("rules", "show", clause.clause, "--rules", "rules", "--texts", "texts", "-o", "json").text
    )
    assert [line.removesuffix(f"  {HOSTILE}") for line in entry["text"].splitlines()] == words


def test_a_review_names_the_words_of_the_text_that_nothing_mentions(place: Path) -> None:
    clause = Rulebook(folder=place / "rules").regulation(DOCUMENT).document.clauses[0]
    shown = run("rules", "show", clause.clause, "--review", "--rules", "rules", "--texts", "texts", "-o", "json")
    (entry,) = json.loads(shown.text)
    assert entry["text"].startswith(f"words of line {clause.lines[0]}")
    assert {"script", "alert"} <= set(entry["unmentioned-words"])
    file = text_file(place)
    file.write_text("\n".join([clause.gist] * 60), "utf-8")
    document = place / "rules" / DOCUMENT / "document.yaml"
    source = Rulebook(folder=place / "rules").regulation(DOCUMENT).document.source
    known = sha256(file.read_bytes()).hexdigest()
    document.write_text(document.read_text("utf-8").replace(str(source.sha256), known), "utf-8")
    shown = run("rules", "show", clause.clause, "--review", "--rules", "rules", "--texts", "texts", "-o", "json")
    assert json.loads(shown.text)[0]["unmentioned-words"] == []


def test_a_text_is_known_by_its_hash_under_any_name(place: Path) -> None:
    before = quote_clauses(place / "texts", [Rulebook(folder=place / "rules").regulation(DOCUMENT).document])
    text_file(place).rename(place / "texts" / "rule 8.txt")
    (place / "texts" / "a picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    after = quote_clauses(place / "texts", [Rulebook(folder=place / "rules").regulation(DOCUMENT).document])
    assert before == after
    assert set(before) == {f"{DOCUMENT}/{clause.clause}" for clause in Rulebook().regulation(DOCUMENT).document.clauses}


def test_reports_quote_clauses_and_saved_results_do_not(place: Path) -> None:
    checked = run(
        *("check", "house.yaml", "--rules", "rules", "--texts", "texts"),
        *("-o", "json:saved.json", "-o", "sarif:first.sarif", "-o", "html:first.html"),
    )
    assert checked.code in {0, 1, 4}, checked.err
    saved = (place / "saved.json").read_text("utf-8")
    assert "words of line" not in saved
    assert "words of line" in (place / "first.sarif").read_text("utf-8")
    again = run(
        *("report", "saved.json", "--rules", "rules", "--texts", "texts"),
        *("-o", "sarif:second.sarif", "-o", "html:second.html"),
    )
    assert again.code == 0, again.err
    assert (place / "second.sarif").read_bytes() == (place / "first.sarif").read_bytes()
    assert (place / "second.html").read_bytes() == (place / "first.html").read_bytes()
    assert HOSTILE not in (place / "first.html").read_text("utf-8")
    assert "[U+" not in (place / "first.html").read_text("utf-8")
    assert run("verify", "saved.json", "house.yaml", "--rules", "rules").code == 0


def test_without_texts_nothing_is_quoted(place: Path) -> None:
    assert run("check", "house.yaml", "--rules", "rules", "-o", "sarif:plain.sarif").code in {0, 1, 4}
    assert "words of line" not in (place / "plain.sarif").read_text("utf-8")


def test_another_edition_is_refused_before_anything_is_judged(place: Path) -> None:
    file = text_file(place)
    file.write_bytes(file.read_bytes() + b"\nan amendment\n")
    refused = run("check", "house.yaml", "--rules", "rules", "--texts", "texts", "-o", "json:saved.json")
    assert refused.code == 3
    assert f"this text is another edition than the one from which {DOCUMENT} was encoded" in refused.err
    assert sha256(file.read_bytes()).hexdigest() in refused.err
    assert not (place / "saved.json").exists()


def test_a_folder_without_texts_is_refused(place: Path) -> None:
    text_file(place).unlink()
    refused = run("rules", "show", DOCUMENT, "--rules", "rules", "--texts", "texts")
    assert (refused.code, "the folder has no text of the regulations" in refused.err) == (3, True)
    missing = run("rules", "show", DOCUMENT, "--rules", "rules", "--texts", "nowhere")
    assert (missing.code, "the folder of texts cannot be read" in missing.err) == (3, True)


def test_a_document_without_a_hash_has_no_known_edition(place: Path) -> None:
    document = place / "rules" / DOCUMENT / "document.yaml"
    lines = [line for line in document.read_text("utf-8").splitlines() if not line.startswith("  sha256: ")]
    document.write_text("\n".join(lines) + "\n", "utf-8")
    refused = run("rules", "show", DOCUMENT, "--rules", "rules", "--texts", "texts")
    assert (refused.code, "does not state the SHA-256 of its text" in refused.err) == (3, True)


@pytest.mark.parametrize("kind", ["link", "pipe", "large", "bytes"])
def test_hostile_texts_are_refused_or_cut(place: Path, kind: str) -> None:
    file = text_file(place)
    name = file.name
    file.unlink()
    if kind == "link":
        (place / "texts" / name).symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(place / "texts" / name)
    elif kind == "large":
        (place / "texts" / name).write_bytes(b"x" * (9 << 20))
    else:
        (place / "texts" / name).write_bytes(b"\xff\xfe\x00")
    refused = run("rules", "show", DOCUMENT, "--rules", "rules", "--texts", "texts")
    assert refused.code == 3
    assert "Traceback" not in refused.err


def test_a_long_clause_is_cut_short(place: Path) -> None:
    file = text_file(place)
    lines = file.read_text("utf-8").splitlines()
    text = "\n".join(line * 200 for line in lines).encode()
    known = Rulebook(folder=place / "rules").regulation(DOCUMENT).document
    assert known.source.sha256 is not None
    document = place / "rules" / DOCUMENT / "document.yaml"
    document.write_text(document.read_text("utf-8").replace(known.source.sha256, sha256(text).hexdigest()), "utf-8")
    file.write_bytes(text)
    quoted = quote_clauses(place / "texts", [Rulebook(folder=place / "rules").regulation(DOCUMENT).document])
    assert max(map(len, quoted.values())) == MAX_QUOTED


@pytest.mark.skipif(not SHARED_SOURCES.is_dir(), reason="the texts of the regulations are not here")
def test_every_shipped_document_quotes_its_text() -> None:
    rulebook = Rulebook()
    quoted = quote_clauses(SHARED_SOURCES, [regulation.document for regulation in rulebook.all()])
    for regulation in rulebook.all():
        for clause in regulation.document.clauses:
            assert quoted[regulation.qualify(clause.clause)], clause.clause
    assert "QUEEN HIGH OR BETTER TO QUALIFY" in quoted["co-rule10-3card-shine/(12)"]
