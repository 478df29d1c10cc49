"""Input made to take long, to go deep or to grow: each is given up or read within two seconds."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from validator.text.diagnostics import InputError, render
from validator.text.json_tree import load_json
from validator.text.source import Source, decoded
from validator.text.tree import Tree
from validator.text.yaml_tree import load_yaml

SIZE = 5_000_000


def filled(piece: str, *, before: str = "", after: str = "") -> str:
    return before + piece * (SIZE // len(piece.encode())) + after


def blanks_then_words(blanks: int) -> str:
    return "a" + " " * blanks + "b " * ((SIZE - blanks) // 2)


HOSTILE: dict[str, Callable[[], str]] = {
    "brackets": lambda: filled("["),
    "braces": lambda: filled("{"),
    "a hundred thousand brackets": lambda: "[" * 100_000,
    "brackets with values": lambda: filled("[a,"),
    "nested mappings on a line": lambda: filled("{a: "),
    "nested JSON mappings": lambda: filled('{"a":'),
    "dashes": lambda: filled("- "),
    "question marks": lambda: filled("? "),
    "question mark lines": lambda: filled("?\n"),
    "nested blocks": lambda: "".join(" " * depth + "-\n" for depth in range(900)),
    "many small lists": lambda: filled("[],", before="["),
    "many numbers": lambda: filled("1,", before="[", after="1]"),
    "many items": lambda: filled("- a\n"),
    "many mappings": lambda: filled("- a: 1\n"),
    "many keys": lambda: "".join(f"k{number}: 1\n" for number in range(SIZE // 10)),
    "many JSON keys": lambda: "{" + ",".join(f'"k{number}":1' for number in range(SIZE // 11)) + "}",
    "the same key": lambda: filled("a: 1\n"),
    "the same JSON key": lambda: filled('"a":1,', before="{"),
    "one word": lambda: filled("a"),
    "words": lambda: filled("a "),
    "lines": lambda: filled("a\n"),
    "one number": lambda: filled("1"),
    "one number with underscores": lambda: filled("_", before="1", after="x"),
    "one base 60 number": lambda: filled("1:", after="1"),
    "zeros": lambda: filled("0"),
    "an exponent": lambda: filled("9", before="1e"),
    "a long text": lambda: filled("a", before='"', after='"'),
    "an open text": lambda: filled("a", before='"'),
    "escapes": lambda: filled("\\n", before='"', after='"'),
    "open escapes": lambda: filled("\\\\", before='"'),
    "a text of lines": lambda: filled("a\n", before='"', after='"'),
    "doubled quotes": lambda: filled("''", before="'", after="'"),
    "a block text": lambda: filled(" x\n", before="|\n"),
    "a folded text": lambda: filled("  b\n", before=">\n a\n"),
    "blank lines in a block text": lambda: filled(" x\n\n", before="|\n"),
    "one comment": lambda: filled("#"),
    "comments": lambda: filled("#\n"),
    "blanks": lambda: filled(" ", after="x"),
    "line breaks": lambda: filled("\n", after="x"),
    "tabs": lambda: filled("\t", after="x"),
    "blanks and then words": lambda: blanks_then_words(SIZE // 2),
    "as many blanks as are allowed and then words": lambda: blanks_then_words(1000),
    "the same in quotes": lambda: f'"{blanks_then_words(SIZE // 2)}"',
    "line breaks and then words": lambda: "a" + "\n" * (SIZE // 2) + "b\n" * (SIZE // 4),
    "tag directives": lambda: "".join(f"%TAG !a{n}! x\n" for n in range(SIZE // 15)) + "--- a",
    "tag directives after a document": lambda: (
        "a\n...\n" + "".join(f"%TAG !a{n}! x\n" for n in range(SIZE // 15)) + "--- a"
    ),
    "unknown directives": lambda: filled("%F\n", after="--- a"),
    "version directives": lambda: filled("%YAML 1.2\n", after="--- a"),
    "documents": lambda: filled("--- a\n"),
    "an anchor": lambda: filled("a", before="&", after=" x"),
    "a tag": lambda: filled("%41", before="!<", after="> x"),
    "colons": lambda: filled(":"),
    "colons and blanks": lambda: filled(": "),
    "commas": lambda: filled(",", before="["),
    "a long key": lambda: filled("a", after=": 1"),
    "a long JSON key": lambda: filled("a", before='{"', after='": 1}'),
    "an alias bomb": lambda: (
        "a: &a [x, x]\n"
        + "".join(f"{new}: &{new} [*{old}, *{old}]\n" for old, new in zip("abcdefghi", "bcdefghij", strict=True))
    ),
    "four-byte characters": lambda: filled("\U0001f600"),
    "line separators": lambda: filled("\u2028", before="x"),
}


JSON_TOO = [case for case in HOSTILE if not any(word in case for word in ("block", "directive", "line", "item"))]


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_yaml(case: str) -> None:
    ends_in_time(load_yaml, HOSTILE[case]())


@pytest.mark.parametrize("case", JSON_TOO)
def test_hostile_json(case: str) -> None:
    ends_in_time(load_json, HOSTILE[case]())


def ends_in_time(load: Callable[[Source], Tree], text: str) -> None:
    given = decoded("file", text.encode())
    # Time of this process, so that a busy machine does not fail the test.
    start = time.process_time()
    try:
        load(given)
    except InputError as error:
        assert 1 <= len(error.diagnostics) <= 20
        assert all(len(render(problem, color=False)) < 6000 for problem in error.diagnostics)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("case", "code"),
    [
        ("an alias bomb", "anchor"),
        ("a hundred thousand brackets", "too-deep"),
        ("nested blocks", "too-deep"),
        ("many keys", "too-many-values"),
        ("many items", "too-many-values"),
        ("blanks and then words", "too-many-blanks"),
        ("tag directives", "directive"),
        ("tag directives after a document", "syntax"),
        ("one number", "number-too-long"),
        ("one base 60 number", "ambiguous-number"),
    ],
)
def test_what_is_said_of_hostile_yaml(case: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        load_yaml(decoded("file", HOSTILE[case]().encode()))
    assert [problem.code for problem in caught.value.diagnostics] == [code]
