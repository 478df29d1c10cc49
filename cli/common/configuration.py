"""The configuration file of a run: found, read, and put below the command line and the environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from glob import has_magic
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource
from msgspec import Struct
from msgspec.structs import replace

from cli.common import completion
from cli.common.exits import tell
from validator.evidence.io.named_files import STDIO, SUBMISSIONS, beneath, inputs_of
from validator.text.diagnostics import Diagnostic, InputError, at_most
from validator.text.trees.tree import Data, Tree
from validator.text.trees.tree import Path as Place
from validator.text.visible import visible

NAME = "fairdeal.toml"
PROJECT = "pyproject.toml"
TABLE = ("tool", "fairdeal")
MAX_BYTES = 1 << 20

_MARK = b"fairdeal"
_ROOTS = (".git", ".hg", ".jj")
"""What lies in the root of a repository."""
_KEPT = "fairdeal.configuration"
_ASKED = "fairdeal.config"
"""What was said of the configuration file on the command line: which one, or False for none."""

_PARAMETERS = {"output": "outputs", "submission": "submissions"}
"""Parameters of commands that are not called as their keys are."""
_FILES = frozenset({"rules", "waivers", "baseline", "submission"})

Command = TypeVar("Command", bound=Callable[..., Any])


class Found(Struct, frozen=True, kw_only=True):
    """A configuration file: its tree, the table in it that is for us, and what that gives."""

    tree: Tree
    table: tuple[str, ...]
    given: dict[str, Data]


class Used(Struct, frozen=True, kw_only=True):
    """A configuration file and the parameters it has values for, with their keys."""

    file: str
    keys: Mapping[str, str]


def configuration_options(command: Command) -> Command:
    """Give a command `--config` and `--no-config`, and tell on standard error which file was used and what for."""

    @wraps(command)
    def told(*arguments: Any, **parameters: Any) -> Any:
        context = click.get_current_context()
        used = used_by(context)
        if used is not None and not context.params.get("quiet"):
            decided = [
                key
                for name, key in used.keys.items()
                if context.get_parameter_source(name) is ParameterSource.DEFAULT_MAP
            ]
            if decided:
                tell(visible(f"configuration: {used.file} ({', '.join(decided)})"))
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
            help=f"The configuration file, instead of the {NAME} or {PROJECT} that is nearest.",
            shell_complete=completion.files,
        ),
    ):
        told = option(told)
    return told  # type: ignore[return-value]  # it takes what the command takes


def used_by(context: click.Context) -> Used | None:
    """The configuration file of a run."""
    used: Used | None = context.meta.get(_KEPT)
    return used


def _do_without(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        _once(context, said=False)


def _once(context: click.Context, *, said: str | bool) -> None:
    if context.meta.setdefault(_ASKED, said) is not said:
        raise click.UsageError("`--config` and `--no-config` contradict each other")


def _configure(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        _once(context, said=value)
    if context.resilient_parsing or context.meta.get(_ASKED) is False:
        return
    found = _nearest() if value is None else _read(value)
    if found is None:
        return
    settings = _settings(context, found, chosen=value is not None)
    context.default_map = settings
    named = {_parameter_of(key): key for key in found.given}
    used = Used(file=found.tree.source_name, keys={name: key for name, key in named.items() if name in settings})
    context.meta[_KEPT] = used


def _nearest() -> Found | None:
    """The configuration that lies nearest, under its name as seen from here."""
    for up, folder in enumerate(_folders(Path.cwd())):
        for name in (NAME, PROJECT):
            file = f"{'../' * up}{name}"
            if (folder / name).is_file() and (name == NAME or _mentions_us(folder / name)):
                if not _lies_in(folder, folder / name):
                    message = "this configuration is a link that leads out of its folder; not read"
                    help_ = "name it with --config, or read none with --no-config"
                    raise InputError((Diagnostic(code="outside", message=message, file=file, help=help_),))
                found = _read(file, needed=name == NAME)
                if found is not None:
                    return found
    return None


def _folders(here: Path) -> Iterator[Path]:
    """The folders that may hold the configuration: this one and those above it, up to the root of the repository or to
    the user's home; this one alone where neither is above it, since anybody may write to the others."""
    above = [here, *here.parents]
    home = os.path.expanduser("~")  # noqa: PTH111 - Path raises where there is none
    for number, folder in enumerate(above):
        if str(folder) == home or any((folder / name).exists() for name in _ROOTS):
            return iter(above[: number + 1])
    return iter((here,))


def _mentions_us(file: Path) -> bool:
    """Whether the file of a project may say anything here: most do not, and are not looked at any closer."""
    try:
        with file.open("rb") as stream:
            return _MARK in stream.read(MAX_BYTES)
    except OSError:
        return False


def _read(file: str, *, needed: bool = True) -> Found | None:
    """What stands in a configuration file; None where that may be nothing. Raises InputError."""
    from validator.schemas.configuration import Configuration  # noqa: PLC0415 - most runs have no configuration
    from validator.text.models.validate import validate  # noqa: PLC0415
    from validator.text.source import read_source  # noqa: PLC0415
    from validator.text.trees.toml_tree import load_toml  # noqa: PLC0415

    tree = load_toml(read_source(file, limit=MAX_BYTES))
    table = TABLE if Path(file).name == PROJECT else ()
    if table not in tree.positions:
        if not needed:
            return None
        message = "this has no table [tool.fairdeal]"
        raise InputError((Diagnostic(code="no-configuration", message=message, file=file),))
    validate(tree, Configuration, at=table)
    given = tree.value(table)
    assert isinstance(given, dict), "the model vouches for it"
    return Found(tree=tree, table=table, given=given)


def _settings(context: click.Context, found: Found, *, chosen: bool) -> dict[str, Any]:
    """What the file says for the parameters that the command has, each value as the command line would have it.

    A file that was found, and not `chosen` by the user, names only what lies in its folder or below. It may have come
    with evidence, and errors show the lines they are about. Raises InputError with every value that an option would not
    take.
    """
    tree = found.tree
    folder = os.path.dirname(tree.source_name)  # noqa: PTH120 - an empty one stays empty
    options = {one.name: one for one in context.command.params if isinstance(one, click.Option)}
    settings: dict[str, Any] = {}
    wrong: list[Diagnostic] = []
    for key, value in found.given.items():
        option = options.get(_parameter_of(key))
        if option is None or option.name is None:
            continue
        path: Place = (*found.table, key)
        places = [(*path, number) for number in range(len(value))] if isinstance(value, list) else [path]
        taken = []
        for place in places:
            try:
                given = _taken(key, option.type.convert(tree.value(place), option, context), folder)
                if not chosen:
                    _hold_inside(key, given, folder)
                taken.append(given)
            except click.BadParameter as error:
                wrong.append(tree.diagnostic(place, "bad-value", error.message[:1].lower() + error.message[1:]))
        settings[option.name] = taken if option.multiple else taken[0] if taken else None
    if wrong:
        raise InputError(at_most(wrong))
    return settings


def _taken(key: str, value: Any, folder: str) -> Any:
    """A value with its path seen from here. Raises BadParameter for an output outside of the folder: who was given a
    configuration with other files has not asked for any file of theirs to be written."""
    if key in _FILES:
        return beneath(folder, value)
    if key == "profile":
        from validator.rulebook.loading.profile import may_be_name  # noqa: PLC0415 - see above

        place = beneath(folder, value)
        return value if may_be_name(value) and not Path(place).exists() else place
    if key == "output" and value.path != STDIO:
        if not _lies_in(Path(folder), Path(folder) / value.path):
            raise click.BadParameter("an output in a configuration lies in its folder or below")
        return replace(value, path=os.path.join(folder, value.path))  # noqa: PTH118 - likewise
    return value


def _hold_inside(key: str, value: Any, folder: str) -> None:
    """Make sure that a file, or all that a pattern matches, lies in a folder or below. Raises BadParameter."""
    if value == STDIO or (key != "profile" and key not in _FILES):
        return
    named = [] if has_magic(value) and not os.path.lexists(value) else [value]
    if not all(_lies_in(Path(folder), Path(one)) for one in (*named, *inputs_of([value], SUBMISSIONS).files)):
        raise click.BadParameter(
            "a file that a configuration names lies in its folder or below; to read others, name it with --config"
        )


def _lies_in(folder: Path, path: Path) -> bool:
    """Return whether a path lies in a folder or below, links followed."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):
        return False


def _parameter_of(key: str) -> str:
    return _PARAMETERS.get(key, key.replace("-", "_"))
