"""Lists of names in a document: read, looked up, and refused where they cannot be meant."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from shutil import copytree

import pytest

from tests.facade.results import Status
from tests.facade.rules import Regulation, load_regulation
from tests.facade.submissions import evaluate_submission
from tests.facade.text import InputError

from .helpers import file_text

DOCUMENT = "co-rule8-burnout"
RULES = Path(__file__).parents[2] / "rules_data"
LISTED = """
lists:
  shoes: {title: Shoes that may be used, clauses: ["(1)"], from: 2019-01-01, until: 2019-12-31, items: [Box, Grey Box]}
"""
ASKED = """title: Names

requirements:
- requirement: shoe-is-listed
  title: The shoe is listed
  clauses: ["(1)"]
  severity: minor
  message: The shoe must be one of the list.
  each: submission
  must: {at: options.shoe, in-list: shoes}
"""


def load(folder: Path, *, listed: str = LISTED, asked: str = ASKED) -> Regulation:
    """Load the document with a list, and a requirement that uses it."""
    for name in ("vocabulary", DOCUMENT):
        copytree(RULES / name, folder / name)
    about = folder / DOCUMENT / "document.yaml"
    about.write_text(about.read_text() + listed)
    (folder / DOCUMENT / "requirements" / "names.yaml").write_text(asked)
    return load_regulation(DOCUMENT, folder)


@pytest.mark.parametrize(
    ("shoe", "day", "status"),
    [
        ("grey box", date(2019, 1, 1), Status.PASS),
        ("blue box", date(2019, 12, 31), Status.FAIL),
        ("grey box", date(2020, 1, 1), Status.NOT_EVIDENCED),
    ],
)
def test_a_requirement_may_ask_for_a_list(tmp_path: Path, shoe: str, day: date, status: Status) -> None:
    verdicts = evaluate_submission(load(tmp_path), file_text(f"options: {{shoe: {shoe}}}"), as_of=day)
    assert {verdict.requirement: verdict.status for verdict in verdicts}["shoe-is-listed"] is status


@pytest.mark.parametrize(
    ("listed", "asked", "message", "suggestion"),
    [
        (LISTED, ASKED.replace("in-list: shoes", "in-list: shoe"), "there is no list `shoe`", "did you mean `shoes`?"),
        (LISTED.replace('"(1)"', '"(99)"'), ASKED, "there is no clause `(99)`", None),
        (LISTED.replace("2019-12-31", "2018-12-31"), ASKED, "the list shoes ends before it begins", None),
        (LISTED.replace("Grey Box", "Box"), ASKED, "the list shoes has Box 2 times", None),
        (
            LISTED,
            ASKED.replace("options.shoe", "option.shoe"),
            "there is no submission path `option.shoe`",
            "did you mean `options`?",
        ),
        (
            LISTED,
            ASKED.replace("options.shoe", "minimum"),
            "there is no submission path `minimum`",
            "did you mean `.minimum`?",
        ),
    ],
)
def test_lists_that_cannot_be_meant_are_refused(
    tmp_path: Path, listed: str, asked: str, message: str, suggestion: str | None
) -> None:
    with pytest.raises(InputError) as refused:
        load(tmp_path, listed=listed, asked=asked)
    assert [(diagnostic.message, diagnostic.help) for diagnostic in refused.value.diagnostics] == [
        (message, suggestion)
    ]


@pytest.mark.parametrize(
    "check",
    [
        "{every: games-offered, must: {at: ., in-list: shoes}}",
        "{every: games-offered, must: {any: [{at: ., equals: {at: options.shoe}}, {given: .}]}}",
        "{every: meters, must: {every: .games, must: {at: ., equals: {at: ..meter}}}}",
        "[{given: earlier}, {given: earlier.options.shoe}, {given: earlier.deck.cover-card.colour}]",
        "{every: earlier.wagers, must: {given: .wager}}",
    ],
)
def test_paths_that_lead_somewhere_are_known(tmp_path: Path, check: str) -> None:
    asked = ASKED.replace("{at: options.shoe, in-list: shoes}", check)
    assert load(tmp_path, asked=asked).find_requirement("shoe-is-listed")
