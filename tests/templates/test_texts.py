"""Texts of templates: each clause has one id, references stay in the text, and documents cite what the text has."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
import yaml

FOLDER = Path(__file__).parents[2] / "rules_data" / "templates"
TEXTS = sorted(FOLDER.glob("*/text.md"))
CLAUSE = re.compile(r"^(\((\d+)\)(?:\(([a-z])\))?) ", re.MULTILINE)
REFERENCE = re.compile(r"\(\d+\)(?:\([a-z]\))?")


def read_ids(text: str) -> list[str]:
    """Return the clause ids at the beginning of lines, in order."""
    return [match[1] for match in CLAUSE.finditer(text)]


def find_dangling(text: str) -> set[str]:
    """Return references to clauses that the text does not have."""
    return set(REFERENCE.findall(text)) - set(read_ids(text))


def find_misplaced(text: str) -> list[str]:
    """Return ids that do not follow the one in front: each number or letter is the next one."""
    wrong, number, letter = [], 0, 0
    for id_, main, part in CLAUSE.findall(text):
        if part:
            letter += 1
            is_next = int(main) == number and ord(part) - ord("a") + 1 == letter
        else:
            number, letter = number + 1, 0
            is_next = int(main) == number
        if not is_next:
            wrong.append(id_)
    return wrong


def test_there_is_a_text_for_every_template() -> None:
    assert len(TEXTS) >= 13
    assert {path.parent.name for path in TEXTS} == {path.name for path in FOLDER.iterdir() if path.is_dir()}


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.parent.name)
def test_clauses_have_one_id_each_and_references_stay_in_the_text(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    ids = read_ids(text)
    assert lines[0].startswith("# ")
    assert "Template, not law" in lines[2]
    assert "2026-11-30" in lines[2]
    assert len(ids) == len(set(ids)) >= 25
    assert not find_misplaced(text)
    assert not find_dangling(text)
    assert max(map(len, lines)) <= 110
    assert 60 <= len(lines) <= 155


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.parent.name)
def test_a_document_cites_clauses_where_the_text_has_them(path: Path) -> None:
    document = path.with_name("document.yaml")
    if not document.exists():
        pytest.skip("no rules yet")
    text = path.read_text(encoding="utf-8")
    content = yaml.safe_load(document.read_text(encoding="utf-8"))
    lines = text.splitlines()
    cited = {clause["clause"]: clause.get("lines") for clause in content["clauses"]}
    assert set(cited) <= set(read_ids(text))
    for id_, span in cited.items():
        if span:
            assert lines[span[0] - 1].startswith(id_), f"{id_} does not begin at line {span[0]}"
    digest = content.get("source", {}).get("sha256")
    assert digest in {None, hashlib.sha256(path.read_bytes()).hexdigest()}


def test_faults_of_a_text_are_found() -> None:
    text = "(1) First, see (4).\n\n(3) Third.\n\n(3)(b) Not the first letter.\n"
    assert find_dangling(text) == {"(4)"}
    assert find_misplaced(text) == ["(3)", "(3)(b)"]
