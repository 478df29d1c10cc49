"""Settings of a command: its configuration file, the rulebook that it names, and completion in a shell."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import wraps
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.cli.common.process import print_message
from fairdeal.validator.evidence.io.named_files import STDIO, SUBMISSIONS, join_folder, resolve_inputs
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, find_similar, limit_diagnostics, sanitize
from fairdeal.validator.text.positioned_document import Data, PositionedDocument
from fairdeal.validator.text.positioned_document import DataPath as Place

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from fairdeal.validator.rulebook.rulebook import Rulebook


def open_rulebook(rules: str | None, profile: str | None = None) -> Rulebook:
    """Return the rulebook of a rules folder and profile, by default the shipped one.

    Raises:
        InputError: if the profile cannot be read or does not fit.
        UsageError: if the folder has no document.
    """
    from fairdeal.validator.rulebook.rulebook import Rulebook, open_with_profile  # noqa: PLC0415 - some runs need no rulebook

    rulebook = Rulebook(folder=None if rules is None else Path(rules))
    if not rulebook.documents:
        raise click.UsageError(f"`{rules}` is not a rules folder: none of its folders has a document.yaml")
    if profile is None:
        return rulebook

    return open_with_profile(rulebook, profile)


def find_document(rulebook: Rulebook, name: str) -> str:
    """Return the id of the document that a command line names by its id, by its title or by words of either.

    Raises:
        InputError: if a document cannot be loaded.
        UsageError: if there is no such document, or if there are several.
    """
    if name in rulebook.documents:
        return name
    from fairdeal.validator.rulebook.rule_catalogue import find_documents  # noqa: PLC0415 - an id needs no search

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
    from fairdeal.validator.rulebook.rule_catalogue import split_words  # noqa: PLC0415 - as above
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
    from fairdeal.validator.rules.rule_files import list_schemas  # noqa: PLC0415 - each completion imports its own

    return list(list_schemas())


complete_documents = complete_names(_documents)
complete_documents_and_files = complete_names(_documents, also_files=True)
complete_games = complete_names(_games)
complete_profiles_and_files = complete_names(_profiles, also_files=True)
complete_requirements = complete_names(_faults)
complete_ids = complete_names(_everything)
complete_schemas = complete_names(_schemas)


NAME = "fairdeal.toml"
"""Name of a configuration file."""
PROJECT = "pyproject.toml"
"""Name of a project file, which may have a table for fairdeal."""
TABLE = ("tool", "fairdeal")
"""Table of a project file."""
MAX_BYTES = 1 << 20
"""Limit of the size of a configuration file."""

_MARK = b"fairdeal"
_ROOTS = (".git", ".hg", ".jj")
"""Folders in the root of a repository."""
_KEPT = "fairdeal.configuration"
_CHOSEN = "fairdeal.config"
"""Key of the configuration file that the command line names, False for none."""

_PARAMETERS = {"output": "outputs", "submission": "submissions"}
"""Parameters of commands whose names differ from their keys."""
_FILES = frozenset({"rules", "waivers", "baseline", "submission"})

Command = TypeVar("Command", bound=Callable[..., Any])


class _ConfigurationFile(Struct, frozen=True, kw_only=True):
    """Configuration file that was read."""

    tree: PositionedDocument
    """Document of the file."""
    table: tuple[str, ...]
    """Path of the table for fairdeal; empty for the whole file."""
    given: dict[str, Data]
    """Keys and values of the table."""


class UsedConfiguration(Struct, frozen=True, kw_only=True):
    """Configuration file of a run."""

    file: str
    """Name of the file."""
    keys: Mapping[str, str]
    """Keys of the file by the parameters that they set."""


def configuration_options(command: Command) -> Command:
    """Add `--config` and `--no-config` to a command, which prints the file and the keys it used on standard error."""

    @wraps(command)
    def run_configured(*arguments: Any, **parameters: Any) -> Any:
        context = click.get_current_context()
        used = find_used_configuration(context)
        if used is not None and not context.params.get("quiet"):
            decided = [
                key
                for name, key in used.keys.items()
                if context.get_parameter_source(name) is ParameterSource.DEFAULT_MAP
            ]
            if decided:
                print_message(sanitize(f"configuration: {used.file} ({', '.join(decided)})"))
        return command(*arguments, **parameters)

    for option in (
        click.option(
            "--no-config",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_do_without,
            help=f"Read no {NAME}.",
        ),
        click.option(
            "--config",
            metavar="FILE",
            is_eager=True,
            expose_value=False,
            callback=_configure,
            help=f"Configuration file, instead of the nearest {NAME} or {PROJECT}.",
            shell_complete=complete_files,
        ),
    ):
        run_configured = option(run_configured)
    return run_configured  # type: ignore[return-value]  # it takes what the command takes


def find_used_configuration(context: click.Context) -> UsedConfiguration | None:
    """Return the configuration file of a run."""
    used: UsedConfiguration | None = context.meta.get(_KEPT)
    return used


def _do_without(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        _choose_once(context, choice=False)


def _choose_once(context: click.Context, *, choice: str | bool) -> None:
    if context.meta.setdefault(_CHOSEN, choice) is not choice:
        raise click.UsageError("`--config` and `--no-config` contradict each other")


def _configure(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        _choose_once(context, choice=value)
    if context.resilient_parsing or context.meta.get(_CHOSEN) is False:
        return
    configuration = _nearest() if value is None else _read(value)
    if configuration is None:
        return
    settings = _settings(context, configuration, chosen=value is not None)
    context.default_map = settings
    named = {_parameter_of(key): key for key in configuration.given}
    keys = {name: key for name, key in named.items() if name in settings}
    context.meta[_KEPT] = UsedConfiguration(file=configuration.tree.source_name, keys=keys)


def _nearest() -> _ConfigurationFile | None:
    """Return the nearest configuration, named relative to the working folder."""
    for up, folder in enumerate(_folders(Path.cwd())):
        for name in (NAME, PROJECT):
            file = f"{'../' * up}{name}"
            if (folder / name).is_file() and (name == NAME or _mentions_us(folder / name)):
                if not _lies_in(folder, folder / name):
                    message = "this configuration is a link to a file outside its folder and is not read"
                    help_ = "name it with --config, or read none with --no-config"
                    raise InputError((Diagnostic(code="outside", message=message, file=file, help=help_),))
                configuration = _read(file, needed=name == NAME)
                if configuration is not None:
                    return configuration
    return None


def _folders(here: Path) -> Iterator[Path]:
    """Return the folders that may hold the configuration, from a folder up to the root of the repository or the home.

    If neither is above the folder, only the folder itself is searched, since anybody may write to the others.
    """
    above = [here, *here.parents]
    home = os.path.expanduser("~")  # noqa: PTH111 - Path raises where there is none
    for number, folder in enumerate(above):
        if str(folder) == home or any((folder / name).exists() for name in _ROOTS):
            return iter(above[: number + 1])
    return iter((here,))


def _mentions_us(file: Path) -> bool:
    """Return whether a project file mentions fairdeal at all; most do not."""
    try:
        with file.open("rb") as stream:
            return _MARK in stream.read(MAX_BYTES)
    except OSError:
        return False


def _read(file: str, *, needed: bool = True) -> _ConfigurationFile | None:
    """Read a configuration file; return None if it has no table and need not. Raises InputError."""
    from fairdeal.validator.schemas import configuration  # noqa: PLC0415 - most runs have no configuration
    from fairdeal.validator.text.document_loader import validate  # noqa: PLC0415
    from fairdeal.validator.text.source import read_source  # noqa: PLC0415

    tree = configuration.load_toml(read_source(file, limit=MAX_BYTES))
    table = TABLE if Path(file).name == PROJECT else ()
    if table not in tree.positions:
        if not needed:
            return None
        message = "this has no table [tool.fairdeal]"
        raise InputError((Diagnostic(code="no-configuration", message=message, file=file),))
    validate(tree, configuration.RunConfiguration, at=table)
    given = tree.get_value(table)
    assert isinstance(given, dict), "the model ensures it"
    return _ConfigurationFile(tree=tree, table=table, given=given)


def _settings(context: click.Context, configuration: _ConfigurationFile, *, chosen: bool) -> dict[str, Any]:
    """Return the values of the file for the parameters of the command, converted as on the command line.

    A file that the user has not `chosen` may have come with evidence. It may only name files in its folder or below,
    since errors quote lines of the files they concern.

    Raises:
        InputError: for all values that their options reject.
    """
    tree = configuration.tree
    folder = os.path.dirname(tree.source_name)  # noqa: PTH120 - an empty one stays empty
    options = {option.name: option for option in context.command.params if isinstance(option, click.Option)}
    settings: dict[str, Any] = {}
    wrong: list[Diagnostic] = []
    for key, value in configuration.given.items():
        option = options.get(_parameter_of(key))
        if option is None or option.name is None:
            continue
        path: Place = (*configuration.table, key)
        places = [(*path, number) for number in range(len(value))] if isinstance(value, list) else [path]
        values = []
        for place in places:
            try:
                given = _resolve(key, option.type.convert(tree.get_value(place), option, context), folder)
                if not chosen:
                    _ensure_inside(key, given, folder)
                values.append(given)
            except click.BadParameter as error:
                wrong.append(tree.build_diagnostic(place, "bad-value", error.message[:1].lower() + error.message[1:]))
        settings[option.name] = values if option.multiple else values[0] if values else None
    if wrong:
        raise InputError(limit_diagnostics(wrong))
    return settings


def _resolve(key: str, value: Any, folder: str) -> Any:
    """Return a value with its path relative to the working folder.

    Raises BadParameter for an output outside the folder: a configuration that came with other files must not write
    elsewhere.
    """
    if key in _FILES:
        return join_folder(folder, value)
    if key == "profile":
        from fairdeal.validator.rulebook.rulebook import may_be_profile_name  # noqa: PLC0415 - see above

        place = join_folder(folder, value)
        return value if may_be_profile_name(value) and not Path(place).exists() else place
    if key == "output" and value.path != STDIO:
        if not _lies_in(Path(folder), Path(folder) / value.path):
            raise click.BadParameter("an output in a configuration must be in its folder or below")
        return replace(value, path=os.path.join(folder, value.path))  # noqa: PTH118 - likewise
    return value


def _ensure_inside(key: str, value: Any, folder: str) -> None:
    """Raise BadParameter for a file, or a match of a pattern, outside a folder."""
    if value == STDIO or (key != "profile" and key not in _FILES):
        return
    named = [] if has_magic(value) and not os.path.lexists(value) else [value]
    if not all(_lies_in(Path(folder), Path(file)) for file in (*named, *resolve_inputs([value], SUBMISSIONS).files)):
        raise click.BadParameter(
            "a configuration may only name files in its folder or below; to read others, name it with --config"
        )


def _lies_in(folder: Path, path: Path) -> bool:
    """Return whether a path, with links followed, is in a folder or below."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):
        return False


def _parameter_of(key: str) -> str:
    return _PARAMETERS.get(key, key.replace("-", "_"))
