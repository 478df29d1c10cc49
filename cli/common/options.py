"""Options that commands share."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection
from datetime import UTC, date, datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

import click
from msgspec import Struct

from cli.common import completion
from cli.common.configuration import configuration_options
from cli.common.exits import is_terminal
from cli.common.streams import normalize_output
from validator.evidence.io.named_files import STDIO
from validator.reports.outputs import BINARY, NEEDS, RENDERERS
from validator.text.diagnostics import did_you_mean

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

FORMATS = ", ".join(RENDERERS)
"""The formats of results, for help."""

Command = TypeVar("Command", bound=Callable[..., Any])


class Output(Struct, frozen=True, kw_only=True):
    """A format and where it goes: a path, or standard output."""

    format: str
    path: str


class OutputType(click.ParamType[Output]):
    """FORMAT or FORMAT:PATH; one of some formats, those of results where nothing else is said."""

    name = "FORMAT[:PATH]"

    def __init__(self, formats: Collection[str] = RENDERERS) -> None:
        self._formats = formats

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Output:
        """An output from its text."""
        if isinstance(value, Output):
            return value
        format_, _, path = str(value).partition(":")
        if format_ not in self._formats:
            near = did_you_mean(format_, self._formats)
            hint = f"; did you mean `{near}`?" if near else ""
            self.fail(f"there is no format `{format_}`; one of {', '.join(self._formats)}{hint}", param, ctx)
        path = normalize_output(path or STDIO)
        if format_ in BINARY and path == STDIO and is_terminal(sys.stdout):
            self.fail(
                f"`{format_}` is not text for a terminal: name a file, such as {format_}:report.{format_}", param, ctx
            )
        module = NEEDS.get(format_)
        if module is not None and find_spec(module) is None:
            self.fail(f"`{format_}` needs the Python module {module}, which is not installed here", param, ctx)
        return Output(format=format_, path=path)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """The formats."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only a shell asks

        return [CompletionItem(format_) for format_ in self._formats if format_.startswith(incomplete)]


class OutputPathType(click.ParamType[str]):
    """The path of an output; `-` for any name of standard output."""

    name = "PATH"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        """Return the path from its text."""
        return normalize_output(str(value))


class FormType(click.Choice[str]):
    """One of a few words; of another, the one that comes near."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """What is said of another word."""
        said = super().get_invalid_choice_message(value, ctx)
        near = did_you_mean(str(value), self.choices)
        return f"{said} Did you mean '{near}'?" if near else said


class DayType(click.ParamType[date]):
    """A calendar day."""

    name = "DATE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        """A day from its text."""
        if isinstance(value, date):
            return value
        try:
            day = date.fromisoformat(value)
        except ValueError:
            day = None
        # Python reads other forms of ISO 8601 too, such as 20240131 and 2024-W05-3.
        if day is None or day.isoformat() != value:
            self.fail(f"`{value}` is not a day: write it as year-month-day, such as 2024-01-31", param, ctx)
        return day


class CurrencyType(click.ParamType[str]):
    """A code of ISO 4217."""

    name = "CODE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """A code from its text."""
        if re.fullmatch("[A-Z]{3}", value) is None:
            self.fail(f"`{value}` is not a currency: write its code of ISO 4217, such as USD", param, ctx)
        return str(value)


def waivers_option(command: Command) -> Command:
    """The option that names a regulator's file of waivers."""
    return click.option(
        "--waivers",
        multiple=True,
        metavar="FILE",
        help="Waivers that the regulator granted; what a submission says of waivers lifts nothing.",
        shell_complete=completion.files,
    )(command)


def submission_option(command: Command) -> Command:
    """The option that names submissions to judge rounds by."""
    return click.option(
        "-s",
        "--submission",
        "submissions",
        multiple=True,
        metavar="FILE",
        help="Judge by this submission, or by those in a folder.",
        shell_complete=completion.files,
    )(command)


def profile_option(command: Command) -> Command:
    """The option that names a profile."""
    return click.option(
        "--profile",
        metavar="NAME|FILE",
        shell_complete=completion.profiles_and_files,
        help="Choose among readings of the text as a profile does: one of `fairdeal rules list`, or one in a file.",
    )(command)


def rules_option(command: Command) -> Command:
    """The option that names another rules folder, which a configuration file may name as well."""
    return rules_folder_option(configuration_options(command))


def rules_folder_option(command: Command) -> Command:
    """The option that names another rules folder, for a command that reads no configuration file."""
    return click.option(
        "--rules",
        metavar="FOLDER",
        envvar="FAIRDEAL_RULES",
        help="A rules folder instead of the shipped one.",
        shell_complete=completion.folders,
    )(command)


def now() -> str:
    """The time results bear: SOURCE_DATE_EPOCH where it is set, else the clock, in UTC to the second.

    Raises UsageError where it is not a time.
    """
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        moment = datetime.now(UTC) if not fixed else datetime.fromtimestamp(int(fixed), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise click.UsageError(
            f"SOURCE_DATE_EPOCH is `{fixed}`, which is not a number of seconds since 1970"
        ) from error
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
