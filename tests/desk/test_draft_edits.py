"""Changes of a YAML text change the data as wanted, and leave every comment where it is."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fairdeal.cli.desk.drafts.draft_edits import DraftChange, change_draft, read_draft
from fairdeal.validator.text.positioned_document import DataPath
from tests.facade.rules import rules_folder

SHIPPED = sorted(rules_folder().glob("*/demo/*.yaml"))
VALUES = [
    5,
    "5.00",
    "a: b",
    "true",
    True,
    "x # y",
    "2026-01-01",
    "it's",
    "“é”",
    "- z",
    "[a",
    "&a",
    "*b",
    "%c",
    "  d",
    "\t",
]


def list_places(data: Any, here: DataPath = ()) -> list[tuple[DataPath, Any]]:
    parts = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [(here, data), *(place for key, part in parts for place in list_places(part, (*here, key)))]


def list_comments(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip().startswith("#")]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parts[-3])
def test_values_change_and_comments_stay(path: Path) -> None:
    random, text = Random(path.parts[-3]), path.read_text("utf-8")
    places = list_places(read_draft("a.yaml", text).data)[1:]
    for place, value in random.sample(places, min(len(places), 60)):
        if isinstance(value, (dict, list)):
            continue
        new = random.choice(VALUES)
        changed = change_draft("a.yaml", text, [DraftChange(path=place, value=new)])
        wanted = deepcopy(read_draft("a.yaml", text).data)
        holder: Any = wanted
        for step in place[:-1]:
            holder = holder[step]
        holder[place[-1]] = new
        assert read_draft("a.yaml", changed).data == wanted
        assert list_comments(changed) == list_comments(text)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parts[-3])
def test_what_is_added_can_be_removed_again(path: Path) -> None:
    text = path.read_text("utf-8")
    data = read_draft("a.yaml", text).data
    for place, value in list_places(data):
        if isinstance(value, dict):
            added = DraftChange(path=(*place, "deep", "er"), value=["a", "b: c"])
        elif isinstance(value, list) and value:  # with its last entry, a list goes
            added = DraftChange(path=(*place, len(value)), value={"wager": "x", "minimum": "5.00"})
        else:
            continue
        longer = change_draft("a.yaml", text, [added])
        assert list_comments(longer) == list_comments(text)
        removed = change_draft("a.yaml", longer, [DraftChange(path=added.path, value=None)])
        assert read_draft("a.yaml", removed).data == data
        assert len(removed.split("\n")) == len(text.split("\n"))


@pytest.mark.parametrize(
    ("before", "path", "value", "after"),
    [
        ("a:\nb: 1\n", ("a",), 5, "a: 5\nb: 1\n"),
        ("a:\n# c\nb: 1\n", ("a", "d"), 5, "a:\n  d: 5\n# c\nb: 1\n"),
        ("a: 1 # why\n", ("a",), 2, "a: 2 # why\n"),
        ("a: 1", ("b",), 2, "a: 1\nb: 2\n"),
        ("a: {b: 1}\n", ("a", "c"), "x", "a: {b: 1, c: x}\n"),
        ("a: []\n", ("a", 0), {"b": 1}, "a: [{b: 1}]\n"),
        ("a:\n- b: 1\n  c: 2\n", ("a", 0, "b"), None, "a:\n- c: 2\n"),
        ("a:\n- b: 1\nc: 2\n", ("a", 0, "b"), None, "c: 2\n"),
        ("a: [1, 2, 3]\n", ("a", 2), None, "a: [1, 2]\n"),
        ("a: |\n  text\nb: 1\n", ("b",), None, "a: |\n  text\n"),
        ('{"a": 1}\n', ("b",), 2, '{"a": 1, b: 2}\n'),
    ],
)
def test_texts_after_a_change(before: str, path: DataPath, value: Any, after: str) -> None:
    assert change_draft("a.yaml", before, [DraftChange(path=path, value=value)]) == after


def test_several_entries_are_removed_from_the_end() -> None:
    text = "".join(f"- e{number}\n" for number in range(6))
    changes = [DraftChange(path=("a", number), value=None) for number in (1, 4, 3)]
    assert change_draft("a.yaml", f"a:\n{text}", changes) == "a:\n- e0\n- e2\n- e5\n"
