"""All checks of rule files, their run over a document, and the page of the documentation that lists them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from annotated_types import Len
from pydantic import Field

from fairdeal.validator.rule_checks import (
    document_checks,
    event_checks,
    game_checks,
    logic_checks,
    play_checks,
    requirement_checks,
    simulation_checks,
)
from fairdeal.validator.rule_checks.check_context import DocumentContext, GameContext
from fairdeal.validator.rulebook.game_requirements import RuleFile, add_game_requirements
from fairdeal.validator.rulebook.rule_check import CheckedFile, RuleCheck, list_checks, run_checks
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rulebook.semantic_errors import LOADING_CHECKS
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.closed_model import ClosedModel, make_list
from fairdeal.validator.text.diagnostics import Diagnostic
from fairdeal.validator.text.positioned_document import PositionedDocument
from fairdeal.validator.text.source import read_source
from fairdeal.validator.text.validation import validate
from fairdeal.validator.text.yaml_document import load_yaml

DOCUMENT_CHECKS = list_checks(
    document_checks,
    game_checks,
    event_checks,
    logic_checks,
    requirement_checks,
    simulation_checks,
)
"""Checks of a document that loads."""
PLAY_CHECKS = list_checks(play_checks)
"""Checks of a game in play, which take seconds."""
ALL_CHECKS = (*LOADING_CHECKS, *DOCUMENT_CHECKS, *PLAY_CHECKS)
"""All checks: those that a document must pass to load, those of `rules check`, and those of the game in play."""


def find_warnings(
    rulebook: Rulebook, regulation: Regulation, files: Sequence[RuleFile], examples: Sequence[PositionedDocument] = ()
) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every statement that cannot be meant or seldom is.

    Args:
        rulebook: The rulebook that the regulation belongs to.
        regulation: The loaded regulation.
        files: The files that the regulation was made of, and that of its simulation if it has one.
        examples: The files of its examples.
    """
    checked = [file.to_checked() for file in add_game_requirements(files)]
    context_type = DocumentContext if regulation.game is None else GameContext
    context = context_type(rulebook, regulation, checked, examples)
    checked += [CheckedFile(tree=tree) for tree in examples]
    # A requirement that a game states appears in two files; report its mistakes once.
    yield from dict.fromkeys(run_checks(DOCUMENT_CHECKS, context, checked))


def find_warnings_in_play(
    rulebook: Rulebook, regulation: Regulation, files: Sequence[RuleFile]
) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every problem that appears when the game is played.

    Every deal is enumerated, and a game with a simulation is played for some rounds, which takes seconds. Call it only
    for a regulation without other errors.
    """
    if regulation.game is not None:
        checked = [file.to_checked() for file in add_game_requirements(files)]
        context = play_checks.PlayContext(rulebook, regulation, checked)
        yield from dict.fromkeys(run_checks(PLAY_CHECKS, context, checked))


Replacement = Annotated[list[str], Len(2, 2)]
"""A text of a rule file, and the text to put in its place."""


class CheckExample(ClosedModel):
    """A place in a sound rule file, and the same place with a mistake."""

    document: str
    """Id of the document."""
    file: str
    """Path of the file in the folder of the document."""
    passes: str
    """The place without the mistake. It occurs in the file."""
    fails: str
    """The place with the mistake."""
    reports: str | None = None
    """The message about the mistake. Left out, any message."""
    at: str | None = None
    """A part of the line of the message. Left out, any line."""
    with_: list[Replacement] = Field(default_factory=make_list)
    """Changes of the file in both cases, without which it has no such place."""
    also: list[Replacement] = Field(default_factory=make_list)
    """Further changes of the file that belong to the mistake."""


class CheckExamples(ClosedModel):
    """An example of every check."""

    examples: dict[str, CheckExample]
    """Examples by name of the check."""


def read_examples(path: Path) -> Mapping[str, CheckExample]:
    """Return the example of every check.

    Raises InputError.
    """
    return validate(load_yaml(read_source(str(path))), CheckExamples).examples


def render_check_list(examples: Mapping[str, CheckExample]) -> str:
    """Return all checks in Markdown, by code: what is wrong, why, an example that fails and one that passes."""
    by_code: dict[str, list[RuleCheck]] = {}
    for check in ALL_CHECKS:
        by_code.setdefault(check.code, []).append(check)
    blocks = [block for code in sorted(by_code) for block in _render_code(code, by_code[code], examples)]
    return "\n\n".join(blocks)


def _render_code(code: str, checks: list[RuleCheck], examples: Mapping[str, CheckExample]) -> Iterator[str]:
    yield f"## {code}"
    for check in checks:
        title, reason = check.describe()
        example = examples[check.format_name()]
        yield f"**{title}**"
        yield f"{check.severity.capitalize()}. {reason}".rstrip()
        yield f"Fails, in `{example.document}/{example.file}`:"
        yield _render_text(example.fails)
        if example.reports is not None:
            yield f"Reports: {example.reports}"
        if check.remedy is not None:
            yield f"Remedy: {check.remedy}"
        yield "Passes:" if example.passes.strip() else "Passes without this."
        if example.passes.strip():
            yield _render_text(example.passes)


def _render_text(text: str) -> str:
    return f"```text\n{text.strip(chr(10)) or '# nothing'}\n```"
