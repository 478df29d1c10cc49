"""Shell completion of files and of names in the rulebook."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from cli.common.rulebook import open_rulebook
from validator.text.diagnostics import InputError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from validator.rulebook.loading.rulebook import Rulebook

Completion = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]

_Names = Callable[[click.Context, str], Iterable[str]]


def files(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete files, which the shell finds itself."""
    return [_item(incomplete, "file")]


def folders(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete folders, which the shell finds itself."""
    return [_item(incomplete, "dir")]


def _item(value: str, kind: str = "plain") -> CompletionItem:
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - only completion needs it

    return CompletionItem(value, type=kind)


def completing(names: _Names, *, also_files: bool = False) -> Completion:
    """Return a completion of names that begin with the typed text, and of files if `also_files`.

    A rulebook that cannot be read completes no names; the command reports the error when it runs.
    """

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        items = files(context, parameter, incomplete) if also_files else []
        with suppress(InputError, click.UsageError, OSError):
            items += [_item(name) for name in names(context, incomplete) if name.startswith(incomplete)]
        return items

    return complete


def _rulebook(context: click.Context) -> Rulebook:
    return open_rulebook(context.params.get("rules"))


def _documents(context: click.Context, _incomplete: str) -> Iterable[str]:
    return _rulebook(context).documents


def _games(context: click.Context, _incomplete: str) -> Iterable[str]:
    return sorted(_rulebook(context).games)


def _profiles(context: click.Context, _incomplete: str) -> Iterable[str]:
    from validator.rules.core.library import profiles  # noqa: PLC0415 - each completion imports its own

    names = profiles(_rulebook(context).folder)
    return [*names, *dict.fromkeys(name.partition("/")[2] for name in names)]


def _faults(context: click.Context, incomplete: str) -> Iterable[str]:
    """Return the requirements whose violations can be planted, by name if the game is already typed."""
    rulebook = _rulebook(context)
    game = context.params.get("game") or next(iter(context.args), None)  # left there by an option without its value
    if game not in rulebook.documents:
        return _ids(rulebook, incomplete, plantable=True)
    requirements = rulebook.regulation(game).requirements
    names = [requirement.requirement for requirement in requirements if requirement.fault is not None]
    return [*names, *(f"{game}/{name}" for name in names if "/" in incomplete)]


def _everything(context: click.Context, incomplete: str) -> Iterable[str]:
    """Return documents and profiles, and the requirements, readings and clauses of a typed document."""
    rulebook = _rulebook(context)
    known = [*rulebook.documents, *_profiles(context, incomplete)]
    return [*known, *_ids(rulebook, incomplete)]


def _ids(rulebook: Rulebook, incomplete: str, *, plantable: bool = False) -> list[str]:
    """Return the full ids in documents that match the typed text; other documents are not loaded."""
    ids: list[str] = []
    for document in rulebook.documents:
        if f"{document}/".startswith(incomplete) or incomplete.startswith(f"{document}/"):
            regulation = rulebook.regulation(document)
            names = [
                requirement.requirement
                for requirement in regulation.requirements
                if not plantable or requirement.fault is not None
            ]
            if not plantable:
                names += [*regulation.readings, *(clause.clause for clause in regulation.document.clauses)]
            ids += map(regulation.full_id, names)
    return ids


def _schemas(_context: click.Context, _incomplete: str) -> Iterable[str]:
    from validator.rules.core.library import schemas_folder  # noqa: PLC0415 - each completion imports its own

    return sorted(path.stem for path in schemas_folder().glob("*.json"))


documents = completing(_documents)
documents_and_files = completing(_documents, also_files=True)
games = completing(_games)
profiles_and_files = completing(_profiles, also_files=True)
requirements = completing(_faults)
everything = completing(_everything)
schemas = completing(_schemas)
