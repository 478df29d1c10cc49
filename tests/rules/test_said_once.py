"""Defaults at the head of a file of requirements, and derived values, need not be repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.facade.rules import Regulation, build_regulation_of, rules_folder
from tests.facade.text import InputError

DOCUMENT = "co-rule8-burnout"


def read(head: str = "", *, severity: str = "", more: str = "") -> Regulation:
    """Load the small document with one requirement of its own in addition."""
    folder = rules_folder() / DOCUMENT
    paths = [*folder.glob("*.yaml"), *folder.glob("requirements/*.yaml")]
    files = {path.relative_to(folder).with_suffix("").as_posix(): path.read_text("utf-8") for path in paths}
    files["requirements/own"] = (
        f"title: Own\n{head}\nrequirements:\n- requirement: own\n  title: Six decks are used\n"
        f'  clauses: ["(1)"]\n{severity}{more}'
        "  each: submission\n  must: {at: deck.decks, equals: 6}\n"
    )
    return build_regulation_of(DOCUMENT, files)


def test_the_head_speaks_for_all_that_do_not_say_otherwise() -> None:
    silent = read("severity: minor\nremedy: Use six.").find_requirement("own")
    assert (silent.severity.value, silent.remedy) == ("minor", "Use six.")
    loud = read("severity: minor\nremedy: Use six.", severity="  severity: critical\n", more="  remedy: Stop.\n")
    assert (loud.find_requirement("own").severity.value, loud.find_requirement("own").remedy) == ("critical", "Stop.")


def test_evidence_and_message_follow() -> None:
    own = read("severity: minor").find_requirement("own")
    assert (own.evidence.value, own.message, own.remedy) == ("submission", "Six decks are used.", None)
    own = read("severity: minor", more="  message: Six, no less.\n").find_requirement("own")
    assert own.message == "Six, no less."


@pytest.mark.parametrize(
    ("more", "said", "line"),
    [
        ("", "it has no severity: add `severity` here, or at the head of the file for all requirements", 4),
    ],
)
def test_what_is_missing_or_wrong_is_told(more: str, said: str, line: int) -> None:
    with pytest.raises(InputError) as error:
        read(more=more)
    (problem,) = error.value.diagnostics
    assert said in problem.message
    assert Path(problem.file or "").name == "own.yaml" and problem.line == line
