"""Input made to take long, to go deep or to grow: each is given up, or read, after few steps.

A step is an event that libyaml is asked for, or a piece of JSON that is put into the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from yaml import CBaseLoader

from fairdeal.validator.text import json_document, yaml_document
from fairdeal.validator.text.positioned_document import MAX_DEPTH, MAX_NODES, DocumentBuilder
from tests.facade.text import (
    MAX_PROBLEMS,
    InputError,
    PositionedDocument,
    Source,
    decode_source,
    load_json,
    load_yaml,
    render_diagnostic,
)

SIZE = 5_000_000
READ = "read"


def filled(piece: str, *, before: str = "", after: str = "") -> str:
    return before + piece * (SIZE // len(piece.encode())) + after


def blanks_then_words(blanks: int) -> str:
    return "a" + " " * blanks + "b " * ((SIZE - blanks) // 2)


def tag_directives() -> str:
    return "".join(f"%TAG !a{number}! x\n" for number in range(SIZE // 15)) + "--- a"


def alias_bomb() -> str:
    lines = (f"{new}: &{new} [*{old}, *{old}]\n" for old, new in zip("abcdefghi", "bcdefghij", strict=True))
    return "a: &a [x, x]\n" + "".join(lines)


YAML: dict[str, tuple[Callable[[], str], str]] = {
    "brackets": (lambda: filled("["), "too-deep"),
    "braces": (lambda: filled("{"), "key-not-text"),
    "a hundred thousand brackets": (lambda: "[" * 100_000, "too-deep"),
    "brackets with values": (lambda: filled("[a,"), "too-deep"),
    "nested mappings on a line": (lambda: filled("{a: "), "too-deep"),
    "dashes": (lambda: filled("- "), "too-deep"),
    "question marks": (lambda: filled("? "), "key-not-text"),
    "nested blocks": (lambda: "".join(" " * depth + "-\n" for depth in range(900)), "too-deep"),
    "many mappings": (lambda: filled("- a: 1\n"), "too-many-values"),
    "many keys": (lambda: "".join(f"k{n}: 1\n" for n in range(SIZE // 10)), "too-many-values"),
    "the same key": (lambda: filled("a: 1\n"), "duplicate-key"),
    "one word": (lambda: filled("a"), READ),
    "words": (lambda: filled("a "), READ),
    "lines": (lambda: filled("a\n"), READ),
    "one number": (lambda: filled("1"), "number-too-long"),
    "one number with underscores": (lambda: filled("_", before="1", after="x"), READ),
    "one number in base 60": (lambda: filled("1:", after="1"), "ambiguous-number"),
    "zeros": (lambda: filled("0"), "ambiguous-number"),
    "an exponent": (lambda: filled("9", before="1e"), "number-too-long"),
    "a long text": (lambda: filled("a", before='"', after='"'), READ),
    "an open text": (lambda: filled("a", before='"'), "syntax"),
    "escapes": (lambda: filled("\\n", before='"', after='"'), READ),
    "escaped line breaks": (lambda: filled("\\\n", before='"', after='"'), READ),
    "a text of lines": (lambda: filled("a\n", before='"', after='"'), READ),
    "doubled quotes": (lambda: filled("''", before="'", after="'"), READ),
    "a block text": (lambda: filled(" x\n", before="|\n"), READ),
    "a folded text": (lambda: filled("  b\n", before=">\n a\n"), READ),
    "blank lines in a block text": (lambda: filled(" x\n\n", before="|\n"), READ),
    "one comment": (lambda: filled("#"), "empty"),
    "comments": (lambda: filled("#\n"), "empty"),
    "comments after a document": (lambda: filled("#\n", before="a\n...\n"), READ),
    "blanks": (lambda: filled(" ", after="x"), "too-many-blanks"),
    "line breaks": (lambda: filled("\n", after="x"), "too-many-blanks"),
    "tabs": (lambda: filled("\t", after="x"), "too-many-blanks"),
    "blanks and then words": (lambda: blanks_then_words(SIZE // 2), "too-many-blanks"),
    "as many blanks as may be and then words": (lambda: blanks_then_words(1000), READ),
    "the same in quotes": (lambda: f'"{blanks_then_words(1000)}"', READ),
    "tag directives": (tag_directives, "directive"),
    "tag directives after a document": (lambda: f"a\n...\n{tag_directives()}", "syntax"),
    "unknown directives": (lambda: filled("%F\n", after="--- a"), "directive"),
    "documents": (lambda: filled("--- a\n"), "several-documents"),
    "an anchor": (lambda: filled("a", before="&", after=" x"), "anchor"),
    "a tag": (lambda: filled("%41", before="!<", after="> x"), "tag"),
    "colons": (lambda: filled(":"), "syntax"),
    "colons and blanks": (lambda: filled(": "), "syntax"),
    "commas": (lambda: filled(",", before="["), "syntax"),
    "a long key": (lambda: filled("a", after=": 1"), "syntax"),
    "an alias bomb": (alias_bomb, "anchor"),
    "four-byte characters": (lambda: filled("\U0001f600"), READ),
    "line separators": (lambda: filled("\u2028", before="x"), "control-character"),
}

JSON: dict[str, tuple[Callable[[], str], str]] = {
    "brackets": (lambda: filled("["), "too-deep"),
    "braces": (lambda: filled("{"), "syntax"),
    "nested mappings": (lambda: filled('{"a":'), "too-deep"),
    "many keys": (lambda: "{" + "".join(f'"k{n}":1,' for n in range(SIZE // 11)), "too-many-values"),
    "the same key": (lambda: filled('"a":1,', before="{"), "duplicate-key"),
    "one number": (lambda: filled("1"), "number-too-long"),
    "an exponent": (lambda: filled("9", before="1e"), "number-too-long"),
    "zeros": (lambda: filled("0"), "syntax"),
    "one word": (lambda: filled("a"), "syntax"),
    "a long text": (lambda: filled("a", before='"', after='"'), READ),
    "an open text": (lambda: filled("a", before='"'), "syntax"),
    "escapes": (lambda: filled("\\n", before='"', after='"'), READ),
    "open escapes": (lambda: filled("\\\\", before='"'), "syntax"),
    "lone surrogates": (lambda: filled("\\ud800", before='"', after='"'), "lone-surrogate"),
    "a long key": (lambda: filled("a", before='{"', after='": 1}'), READ),
    "blanks": (lambda: filled(" ", after="1"), READ),
    "line breaks": (lambda: filled("\n", after="1"), READ),
    "commas": (lambda: filled(",", before="["), "syntax"),
    "comments": (lambda: filled("//\n"), "syntax"),
    "line separators": (lambda: filled("\u2028", before="["), "syntax"),
}


AT_MOST = {
    "control-character": 0,
    "directive": 0,
    "too-many-blanks": 0,
    "too-deep": 2 * MAX_DEPTH + 3,
    "too-many-values": 2 * MAX_NODES + 3,
    "duplicate-key": 2 * MAX_PROBLEMS + 4,
}
"""Steps after which an input with this outcome must be done with; what is refused before it is parsed takes none."""

FEW = 5
"""The steps of all other outcomes: the inputs are one text, or are broken where they begin."""


class Steps:
    """Counts the steps of whatever is loaded while it is in place."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.taken = 0
        steps = self

        class Parser:
            def __init__(self, text: str) -> None:
                self._parser = CBaseLoader(text)

            def get_event(self) -> Any:
                steps.taken += 1
                return self._parser.get_event()

        class Builder(DocumentBuilder):
            def add_key(self, text: str, line: int, column: int) -> None:
                steps.taken += 1
                super().add_key(text, line, column)

            def _add_value(self, *piece: Any) -> Any:
                steps.taken += 1
                return super()._add_value(*piece)

        monkeypatch.setattr(yaml_document, "CBaseLoader", Parser)
        monkeypatch.setattr(json_document, "DocumentBuilder", Builder)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    return Steps(monkeypatch)


@pytest.mark.parametrize("case", YAML)
def test_hostile_yaml(case: str, steps: Steps) -> None:
    make, outcome = YAML[case]
    assert outcome_of(load_yaml, make()) == outcome
    assert steps.taken <= AT_MOST.get(outcome, FEW)


@pytest.mark.parametrize("case", JSON)
def test_hostile_json(case: str, steps: Steps) -> None:
    make, outcome = JSON[case]
    assert outcome_of(load_json, make()) == outcome
    assert steps.taken <= AT_MOST.get(outcome, FEW)


def test_steps_are_counted(steps: Steps) -> None:
    assert outcome_of(load_yaml, "a: [1, 2]") == READ
    assert steps.taken == 10
    assert outcome_of(load_json, '{"a": [1, 2]}') == READ
    assert steps.taken == 10 + 5


def outcome_of(load: Callable[[Source], PositionedDocument], text: str) -> str:
    """`read`, or the code of the first problem."""
    try:
        load(decode_source("file", text.encode()))
    except InputError as error:
        assert len(error.diagnostics) <= MAX_PROBLEMS
        assert all(len(render_diagnostic(problem, color=False)) < 6000 for problem in error.diagnostics)
        return error.diagnostics[0].code
    return READ
