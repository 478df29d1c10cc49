"""Rulebook that a command line names, and shell completion of files and names in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairdeal.validator.text.diagnostics import InputError, find_similar

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from fairdeal.validator.rulebook.loading.rulebook import Rulebook


def open_rulebook(rules: str | None, profile: str | None = None) -> Rulebook:
    """Return the rulebook of a rules folder and profile, by default the shipped one.

    Raises:
        InputError: if the profile cannot be read or does not fit.
        UsageError: if the folder has no document.
    """
    from fairdeal.validator.rulebook.loading.rulebook import Rulebook  # noqa: PLC0415 - some runs need no rulebook

    rulebook = Rulebook(folder=None if rules is None else Path(rules))
    if not rulebook.documents:
        raise click.UsageError(f"`{rules}` is not a rules folder: none of its folders has a document.yaml")
    if profile is None:
        return rulebook
    from fairdeal.validator.rulebook.loading.rulebook import open_with_profile  # noqa: PLC0415 - most runs have no profile

    return open_with_profile(rulebook, profile)


def find_document(rulebook: Rulebook, name: str) -> str:
    """Return the id of the document that a command line names by its id, by its title or by words of either.

    Raises:
        InputError: if a document cannot be loaded.
        UsageError: if there is no such document, or if there are several.
    """
    if name in rulebook.documents:
        return name
    from fairdeal.validator.rulebook.loading.rulebook_search import find_documents  # noqa: PLC0415 - an id needs no search

    named = find_documents(rulebook, name)
    if len(named) == 1:
        return named[0]
    listed = "\n".join(list_document_lines(rulebook, named or rulebook.documents))
    if named:
        raise click.UsageError(f"several documents are called `{name}`; name one of them:\n{listed}")
    near = find_similar(name, rulebook.documents)
    hint = f"; did you mean `{near}`?" if near else "."
    raise click.UsageError(f"there is no document `{name}`{hint} The documents are:\n{listed}{_name_templates(name)}")


def _name_templates(name: str) -> str:
    """Return a hint at the templates that a name means; empty if there are none."""
    from fairdeal.validator.rulebook.loading.rulebook_search import split_words  # noqa: PLC0415 - as above
    from fairdeal.validator.rules.rule_files import list_templates  # noqa: PLC0415 - as above

    wanted = {*split_words(name)}
    named = [template for template in list_templates() if wanted and wanted <= {*split_words(template)}]
    return "".join(
        f"\nThe template {template} is no regulation; `fairdeal rules new ID --like {template}` copies it."
        for template in named
    )


def list_document_lines(rulebook: Rulebook, documents: Iterable[str]) -> list[str]:
    """Return a line for each document: its id and its title. Raises InputError for a document that cannot be loaded."""
    titles = {document: rulebook.regulation(document).document.title for document in documents}
    width = max(map(len, titles), default=0)
    return [f"  {document.ljust(width)}  {title}" for document, title in titles.items()]


Completion = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]

_Names = Callable[[click.Context, str], Iterable[str]]


def complete_files(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete files, which the shell finds itself."""
    return [_item(incomplete, "file")]


def complete_folders(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete folders, which the shell finds itself."""
    return [_item(incomplete, "dir")]


def _item(value: str, kind: str = "plain") -> CompletionItem:
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - only completion needs it

    return CompletionItem(value, type=kind)


def complete_names(names: _Names, *, also_files: bool = False) -> Completion:
    """Return a completion of names that begin with the typed text, and of files if `also_files`.

    A rulebook that cannot be read completes no names; the command reports the error when it runs.
    """

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        items = complete_files(context, parameter, incomplete) if also_files else []
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
    from fairdeal.validator.rules.rule_files import list_profiles  # noqa: PLC0415 - each completion imports its own

    names = list_profiles(_rulebook(context).folder)
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
            ids += map(regulation.qualify, names)
    return ids


def _schemas(_context: click.Context, _incomplete: str) -> Iterable[str]:
    from fairdeal.validator.schemas.published_schemas import list_schemas  # noqa: PLC0415 - each completion imports its own

    return list(list_schemas())


complete_documents = complete_names(_documents)
complete_documents_and_files = complete_names(_documents, also_files=True)
complete_games = complete_names(_games)
complete_profiles_and_files = complete_names(_profiles, also_files=True)
complete_requirements = complete_names(_faults)
complete_ids = complete_names(_everything)
complete_schemas = complete_names(_schemas)
