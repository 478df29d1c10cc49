"""Checks of rule files: a function for each kind of mistake, and the walk that runs checks over loaded files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from inspect import getdoc, getmembers
from types import ModuleType
from typing import Any, Literal, get_args, get_type_hints

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.language.grammar import PlacedModels, walk_models
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import Requirement, RequirementFile
from fairdeal.validator.text.closed_model import ClosedModel
from fairdeal.validator.text.diagnostics import Diagnostic
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument

Severity = Literal["error", "warning"]
"""An error cannot be meant; a warning may be."""
Mistakes = Iterator[tuple[DataPath, str] | tuple[DataPath, str, str]]
"""Mistakes that a check finds: the place in the file, the message for the author, and a remedy for this case if it has
one of its own."""
Finder = Callable[[Any, Any, DataPath], Mistakes]
"""Function that yields the mistakes of a part of a file, given the context and the place of the part."""

_PREFIX = "find_"
"""Prefix of the names of finders."""


class CheckedFile(Struct, frozen=True, kw_only=True, dict=True):
    """A rule file that checks examine."""

    tree: PositionedDocument
    """Positioned data of the file."""
    model: ClosedModel | None = None
    """Validated model of the data; None for a file of examples."""

    @cached_property
    def parts(self) -> PlacedModels:
        """Return the model and all models within it, each with its place."""
        return () if self.model is None else tuple(walk_models(self.model, ()))


class CheckContext:
    """Data that a check can use in addition to the part that it examines: the regulation that the files make."""

    def __init__(self, regulation: Regulation) -> None:
        self.regulation = regulation


class RuleCheck(Struct, frozen=True, kw_only=True):
    """A check of parts of rule files.

    The annotations of its function say which context it needs and which models it examines.
    """

    find: Finder
    """Function that finds the mistakes. Its docstring says what is wrong, then why it matters."""
    code: str
    """Kind of the mistake, such as `unused`. Several checks may share a code."""
    severity: Severity
    """`error` if the mistake makes the rules unsound, otherwise `warning`."""
    remedy: str | None
    """Remedy for the author."""
    outermost: bool
    """True if it does not examine a part within another part of the same model."""
    is_guard: bool
    """True if other checks would fail or never end after this mistake."""
    context: type
    """The class of contexts with which it runs."""
    examines: tuple[type, ...]
    """The models it examines, or `CheckedFile` for whole files."""

    def format_name(self) -> str:
        """Return the name of the function as an identifier: `fact-cycle`."""
        return self.find.__name__.removeprefix(_PREFIX).replace("_", "-")

    def describe(self) -> tuple[str, str]:
        """Return what is wrong, in one sentence, and why it matters (may be empty)."""
        title, _, reason = " ".join((getdoc(self.find) or "").split()).removeprefix("Find ").partition(". ")
        return f"{title[:1].upper()}{title[1:].rstrip('.')}.", reason


def error(
    code: str, remedy: str | None = None, *, outermost: bool = False, is_guard: bool = False
) -> Callable[[Finder], RuleCheck]:
    """Make a function a check for a mistake that makes rules unsound."""
    return _build_decorator("error", code, remedy, outermost=outermost, is_guard=is_guard)


def warning(code: str, remedy: str | None = None, *, outermost: bool = False) -> Callable[[Finder], RuleCheck]:
    """Make a function a check for a statement that is probably not meant."""
    return _build_decorator("warning", code, remedy, outermost=outermost, is_guard=False)


def _build_decorator(
    severity: Severity, code: str, remedy: str | None, *, outermost: bool, is_guard: bool
) -> Callable[[Finder], RuleCheck]:
    def build(find: Finder) -> RuleCheck:
        context, part, *_ = get_type_hints(find).values()
        return RuleCheck(
            find=find,
            code=code,
            severity=severity,
            remedy=remedy,
            outermost=outermost,
            is_guard=is_guard,
            context=context,
            examines=get_args(part) or (part,),
        )

    return build


def list_checks(*modules: ModuleType) -> tuple[RuleCheck, ...]:
    """Return the checks that modules define, module by module."""
    members = (getmembers(module, lambda value: isinstance(value, RuleCheck)) for module in modules)
    return tuple(check for named in members for _, check in named)


def run_checks(
    checks: Sequence[RuleCheck], context: CheckContext | None, files: Iterable[CheckedFile]
) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every mistake in some files, file by file; errors first.

    The checks that guard the others run first. If one finds a mistake, the others do not run.
    """
    files = tuple(files)
    usable = [check for check in checks if isinstance(context, check.context)]
    guards = [check for check in usable if check.is_guard]
    found = [diagnostic for file in files for diagnostic in _check_file(guards, context, file)]
    if found:
        yield from found
        return
    others = [check for check in usable if not check.is_guard]
    for file in files:
        yield from _check_file(others, context, file)


def _check_file(checks: Sequence[RuleCheck], context: CheckContext | None, file: CheckedFile) -> list[Diagnostic]:
    by_model: dict[type, list[RuleCheck]] = {}
    outer: dict[RuleCheck, DataPath] = {}
    diagnostics: list[Diagnostic] = []
    for here, part in _walk_parts(file):
        model = type(part)
        if model not in by_model:
            by_model[model] = [check for check in checks if issubclass(model, check.examines)]
        for check in by_model[model]:
            if check.outermost:
                around = outer.get(check)
                if around is not None and here[: len(around)] == around:
                    continue
                outer[check] = here
            diagnostics.extend(
                _build_diagnostic(file.tree, check, *mistake) for mistake in check.find(context, part, here)
            )
    return sorted(diagnostics, key=lambda diagnostic: diagnostic.severity)


def _walk_parts(file: CheckedFile) -> Iterator[tuple[DataPath, object]]:
    """Yield the file, then its model and all models within it, each with its place.

    Requirements that a game states are left out: they are checked in a file of their own.
    """
    yield (), file
    stated: DataPath | None = None
    for here, part in file.parts:
        if isinstance(part, Requirement) and not isinstance(file.model, RequirementFile):
            stated = here
        if stated is None or here[: len(stated)] != stated:
            yield here, part


def _build_diagnostic(
    tree: PositionedDocument, check: RuleCheck, path: DataPath, message: str, remedy: str | None = None
) -> Diagnostic:
    """Build a diagnostic at the value at a path; at the key if the value is a mapping that begins below it."""
    place = tree.get_position(path)
    begins_below = place.key_line not in (None, place.line)
    built = tree.build_diagnostic(path, check.code, message, help=remedy or check.remedy, at_key=begins_below)
    return replace(built, severity=check.severity)
