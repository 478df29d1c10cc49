"""List of all checks of rule files in Markdown, with an example that fails and one that passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

from annotated_types import Len

from fairdeal.validator.rule_checks.check_registry import ALL_CHECKS
from fairdeal.validator.rulebook.rule_check import RuleCheck
from fairdeal.validator.text.closed_model import ClosedModel
from fairdeal.validator.text.document_loader import validate
from fairdeal.validator.text.source import read_source
from fairdeal.validator.text.yaml_document import load_yaml

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
    with_: list[Replacement] = []
    """Changes of the file in both cases, without which it has no such place."""
    also: list[Replacement] = []
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
