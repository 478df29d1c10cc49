"""Checks of rule files: a class for each kind of mistake, and the walk that runs checks over loaded files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from inspect import getdoc
from typing import Any, ClassVar, Generic, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.engine.core.operator_interface import Problem
from fairdeal.validator.language.grammar import walk_models
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.closed_model import ClosedModel
from fairdeal.validator.text.diagnostics import Diagnostic
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument

Severity = Literal["error", "warning"]
"""An error cannot be meant; a warning may be."""


class CheckedFile(Struct, frozen=True, kw_only=True):
    """A rule file that checks examine."""

    tree: PositionedDocument
    """Positioned data of the file."""
    model: ClosedModel | None = None
    """Validated model of the data; None for a file of examples."""


class CheckContext:
    """Data that a check can use in addition to the part that it examines: the regulation that the files make."""

    def __init__(self, regulation: Regulation) -> None:
        self.regulation = regulation


class RuleMistake(Struct, frozen=True, kw_only=True):
    """A mistake that a check finds."""

    path: DataPath
    """Place in the file that the message is about."""
    message: str
    """The mistake in one sentence, for the author of the file."""
    help: str | None = None
    """Remedy for the author."""
    at_key: bool = False
    """True if the message is about the key at the place, not its value."""


Part = TypeVar("Part")
Context = TypeVar("Context", bound=CheckContext)


class RuleCheck(Generic[Part, Context]):
    """A check of parts of rule files.

    The first sentence of the docstring of a class says what is wrong, the others say why it matters.
    """

    code: ClassVar[str]
    """Kind of the mistake, such as `unused`. Several checks may share a code."""
    severity: ClassVar[Severity] = "error"
    """`error` if the mistake makes the rules unsound, otherwise `warning`."""
    on: ClassVar[type | tuple[type, ...]]
    """The models it examines, or `CheckedFile` for whole files."""
    outermost: ClassVar[bool] = False
    """True if it does not examine a part within another part of the same model."""
    needs_game: ClassVar[bool] = False
    """True if it examines only regulations with a game."""
    shows_key: ClassVar[bool] = True
    """True if diagnostics about a mapping that begins below its key are at the key."""
    is_guard: ClassVar[bool] = False
    """True if other checks would fail or never end after this mistake."""

    def find(self, context: Context, part: Part, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the mistakes of a part; `here` is its place in the file."""
        raise NotImplementedError

    @classmethod
    def format_name(cls) -> str:
        """Return the name of the class as an identifier: `fact-cycle`."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()

    @classmethod
    def describe(cls) -> tuple[str, str]:
        """Return what is wrong, in one sentence, and why it matters (may be empty)."""
        title, _, reason = " ".join((getdoc(cls) or "").split()).partition(". ")
        return f"{title.rstrip('.')}.", reason


AnyCheck = type[RuleCheck[Any, Any]]
"""A class of checks."""


class SemanticError(RuleCheck[Part, CheckContext]):
    """A rule contradicts another or leads nowhere, though every name is defined."""

    code = "semantic-error"
    shows_key = False

    def find(self, context: CheckContext, part: Part, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the problems of a part."""
        for path, message in self.find_problems(context.regulation, part, here):
            yield RuleMistake(path=path, message=message)

    def find_problems(self, regulation: Regulation, part: Part, here: DataPath) -> Iterator[Problem]:
        """Yield the problems of a part, each with its place in the file."""
        raise NotImplementedError


def run_checks(
    checks: Sequence[AnyCheck], context: CheckContext | None, files: Iterable[CheckedFile]
) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every mistake in some files, file by file; errors first.

    The checks that guard the others run first. If one finds a mistake, the others do not run.
    """
    files = tuple(files)
    guards = [check for check in checks if check.is_guard]
    found = [diagnostic for file in files for diagnostic in _check_file(guards, context, file)]
    if found:
        yield from found
        return
    others = [check for check in checks if not check.is_guard]
    for file in files:
        yield from _check_file(others, context, file)


def _check_file(checks: Sequence[AnyCheck], context: CheckContext | None, file: CheckedFile) -> list[Diagnostic]:
    has_game = context is not None and context.regulation.game is not None
    usable = [check for check in checks if has_game or not check.needs_game]
    by_model: dict[type, list[AnyCheck]] = {}
    outer: dict[AnyCheck, DataPath] = {}
    diagnostics: list[Diagnostic] = []
    for here, part in _walk_parts(file):
        model = type(part)
        if model not in by_model:
            by_model[model] = [check for check in usable if issubclass(model, check.on)]
        for check in by_model[model]:
            if check.outermost:
                around = outer.get(check)
                if around is not None and here[: len(around)] == around:
                    continue
                outer[check] = here
            mistakes = check().find(context, part, here)
            diagnostics.extend(_build_diagnostic(file.tree, check, mistake) for mistake in mistakes)
    return sorted(diagnostics, key=lambda diagnostic: diagnostic.severity)


def _walk_parts(file: CheckedFile) -> Iterator[tuple[DataPath, object]]:
    """Yield the file, then its model and all models within it, each with its place."""
    yield (), file
    if file.model is not None:
        yield from walk_models(file.model, ())


def _build_diagnostic(tree: PositionedDocument, check: AnyCheck, mistake: RuleMistake) -> Diagnostic:
    place = tree.positions.get(mistake.path)  # of a mapping that begins on its own line, show the key
    begins_below = place is not None and place.key_line not in (None, place.line)
    at_key = mistake.at_key or (check.shows_key and begins_below)
    built = tree.build_diagnostic(mistake.path, check.code, mistake.message, help=mistake.help, at_key=at_key)
    return replace(built, severity=check.severity)
