"""Options and parameter types that commands share, and the version of the program."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection
from datetime import UTC, date, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from msgspec import Struct

from fairdeal.cli.common import command_settings
from fairdeal.cli.common.command_settings import configuration_options
from fairdeal.cli.common.process import EXTRA_OF_MODULE, describe_installation, is_terminal, normalize_output
from fairdeal.validator import VERSION
from fairdeal.validator.evidence.io.named_files import STDIO
from fairdeal.validator.reports.renderers import BINARY_OUTPUTS, NEEDED_MODULES, RENDERERS
from fairdeal.validator.text.diagnostics import find_similar

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from fairdeal.validator.rulebook.rulebook import Rulebook


def describe_program() -> str:
    """Return the name and version of the program, as results state them."""
    return f"fairdeal {VERSION}"


FORMATS = ", ".join(RENDERERS)
"""Formats of results, for the help."""

Command = TypeVar("Command", bound=Callable[..., Any])


class Output(Struct, frozen=True, kw_only=True):
    """Requested output."""

    format: str
    """Name of the format."""
    path: str
    """Path of the file; `-` for standard output."""


class OutputType(click.ParamType[Output]):
    """Parameter type of FORMAT or FORMAT:PATH, by default with the formats of results."""

    name = "FORMAT[:PATH]"

    def __init__(self, formats: Collection[str] = RENDERERS) -> None:
        self._formats = formats

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Output:
        """Return an output from its text."""
        if isinstance(value, Output):
            return value
        format_, _, path = str(value).partition(":")
        if format_ not in self._formats:
            near = find_similar(format_, self._formats)
            hint = f"; did you mean `{near}`?" if near else ""
            self.fail(f"there is no format `{format_}`; one of {', '.join(self._formats)}{hint}", param, ctx)
        path = normalize_output(path or STDIO)
        if format_ == "letter" and path.endswith(".docx"):
            format_ = "docx"
        if format_ in BINARY_OUTPUTS and path == STDIO and is_terminal(sys.stdout):
            self.fail(
                f"`{format_}` cannot be printed on a terminal: name a file, such as {format_}:report.{format_}",
                param,
                ctx,
            )
        module = NEEDED_MODULES.get(format_)
        if module is not None and find_spec(module) is None:
            extra = EXTRA_OF_MODULE.get(module)
            hint = "" if extra is None else f": {describe_installation(extra)}"
            self.fail(f"`{format_}` needs the Python module {module}, which is not installed here{hint}", param, ctx)
        return Output(format=format_, path=path)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """Complete formats."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only completion needs it

        return [CompletionItem(format_) for format_ in self._formats if format_.startswith(incomplete)]


class OutputPathType(click.ParamType[str]):
    """Parameter type of the path of an output; any name of standard output becomes `-`."""

    name = "PATH"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        """Return the path from its text."""
        return normalize_output(str(value))


class FormType(click.Choice[str]):
    """Parameter type of one of a few words, which suggests a similar one for any other."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Return the error message for another word, with a similar one."""
        message = super().get_invalid_choice_message(value, ctx)
        near = find_similar(str(value), self.choices)
        return f"{message} Did you mean '{near}'?" if near else message


class TimeZoneType(click.ParamType[str]):
    """Parameter type of a time zone by its IANA name."""

    name = "ZONE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name of a time zone that this system knows."""
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415 - most runs have none

        try:
            return ZoneInfo(str(value)).key
        except (ZoneInfoNotFoundError, ValueError, OSError):
            self.fail(f"there is no time zone `{value}`; name one such as America/Denver", param, ctx)


class TimeOfDayType(click.ParamType[str]):
    """Parameter type of a time of day."""

    name = "HH:MM"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the time from its text."""
        if re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", str(value), re.ASCII) is None:
            self.fail(f"`{value}` is not a time of day; write it as hours and minutes, such as 06:00", param, ctx)
        return str(value)


class DayType(click.ParamType[date]):
    """Parameter type of a calendar day."""

    name = "DATE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        """Return a day from its text."""
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
    """Parameter type of an ISO 4217 code."""

    name = "CODE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return a code from its text."""
        if re.fullmatch("[A-Z]{3}", value) is None:
            self.fail(f"`{value}` is not a currency: write its ISO 4217 code, such as USD", param, ctx)
        return str(value)


def waivers_option(command: Command) -> Command:
    """Add the option for a regulator's file of waivers."""
    return click.option(
        "--waivers",
        multiple=True,
        metavar="FILE",
        help="Regulator's file of granted waivers; claims in a submission have no effect.",
        shell_complete=command_settings.complete_files,
    )(command)


def submission_option(command: Command) -> Command:
    """Add the option for submissions that rounds are checked against."""
    return click.option(
        "-s",
        "--submission",
        "submissions",
        multiple=True,
        metavar="FILE",
        help="Check rounds against this submission, or those in a folder.",
        shell_complete=command_settings.complete_files,
    )(command)


def profile_option(command: Command) -> Command:
    """Add the option for a profile."""
    return click.option(
        "--profile",
        metavar="NAME|FILE",
        shell_complete=command_settings.complete_profiles_and_files,
        help="Profile of readings of the text: one of `fairdeal rules list`, or a file.",
    )(command)


def rules_option(command: Command) -> Command:
    """Add the option for another rules folder, and those for the configuration file."""
    return rules_folder_option(configuration_options(command))


def rules_folder_option(command: Command) -> Command:
    """Add the option for another rules folder, for a command that reads no configuration file."""
    return click.option(
        "--rules",
        metavar="FOLDER",
        envvar="FAIRDEAL_RULES",
        help="Rules folder instead of the shipped one.",
        shell_complete=command_settings.complete_folders,
    )(command)


def texts_option(command: Command) -> Command:
    """Add the option for the texts of regulations, whose clauses are quoted."""
    return click.option(
        "--texts",
        metavar="FOLDER",
        help="Quote the clauses from the texts of the regulations in this folder.",
        shell_complete=command_settings.complete_folders,
    )(command)


def quote_texts(texts: str | None, rulebook: Rulebook) -> dict[str, str]:
    """Return the words of clauses by id, from the folder of `--texts`; empty without it.

    Raises:
        InputError: if a text cannot be read or is another edition.
    """
    if texts is None:
        return {}
    from fairdeal.validator.rules.document_model import quote_clauses  # noqa: PLC0415 - most runs quote nothing

    return quote_clauses(Path(texts), [regulation.document for regulation in rulebook.all()])


def find_run_time() -> str:
    """Return the time for results: SOURCE_DATE_EPOCH if it is set, else the clock, in UTC to the second.

    Raises UsageError if SOURCE_DATE_EPOCH is not a time.
    """
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        moment = datetime.now(UTC) if not fixed else datetime.fromtimestamp(int(fixed), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise click.UsageError(
            f"SOURCE_DATE_EPOCH is `{fixed}`, which is not a number of seconds since 1970"
        ) from error
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


MOST_JOBS = 8
"""Limit of the default number of processes."""


def choose_processes(jobs: int | None) -> int:
    """Return the number of processes: as requested, or one for each processor."""
    return jobs or min(os.cpu_count() or 1, MOST_JOBS)


def jobs_option(command: Command) -> Command:
    """Add the option for the number of processes."""
    return click.option(
        "-j", "--jobs", type=click.IntRange(1, 64), help="Number of processes; by default one for each processor."
    )(command)
