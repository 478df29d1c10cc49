"""Two sides of `fairdeal odds diff`, each with its profile, rules and day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any, TypeVar

import click
from msgspec import Struct

from cli.common import completion
from cli.common.options import DayType
from cli.common.rulebook import open_rulebook
from validator.audit.run.submission_check import read_submission, something_else
from validator.evidence.io.named_files import SUBMISSIONS, inputs_of
from validator.evidence.submission.model import Submission
from validator.odds.figures import DocumentOdds
from validator.odds.saved import saved_odds
from validator.rules.core.regulation import Regulation
from validator.text.diagnostics import InputError
from validator.text.source import read_source

Command = TypeVar("Command", bound=Callable[..., Any])
WorkOut = Callable[[Regulation, Submission | None], DocumentOdds]


class Side(Struct, frozen=True, kw_only=True):
    """Side of a comparison of odds."""

    what: str
    """Id of a document, a submission, a folder of submissions, or JSON of an earlier run."""
    profile: str | None
    """Profile of this side; None for that of the command."""
    rules: str | None
    """Rules folder of this side; None for that of the command."""
    day: date | None
    """Day that chooses the submission in force."""

    @property
    def files(self) -> list[str]:
        """Files that the side may be read from."""
        return [file for file in (self.what, self.profile) if file is not None]

    def __str__(self) -> str:
        """Return the side as reports name it."""
        details = [
            self.profile and f"profile {self.profile}",
            self.rules and f"rules {self.rules}",
            self.day and f"on {self.day.isoformat()}",
        ]
        return ", ".join([self.what, *(detail for detail in details if detail)])

    def odds(self, work_out: WorkOut, rules: str | None, profile: str | None) -> DocumentOdds:
        """Return the odds of the side, by the given rules and profile if it has none of its own.

        Raises:
            InputError: if a file cannot be read.
            UsageError: if the side is ambiguous.
        """
        if self.what.endswith(".json"):
            saved = saved_odds(read_source(self.what))
            if saved is not None:
                if self.profile or self.rules or self.day:
                    raise click.UsageError(f"`{self.what}` contains odds, which no profile, rules or day can change")
                return saved
        rulebook = open_rulebook(self.rules or rules, self.profile or profile)
        if self.what in rulebook.documents:
            if self.day is not None:
                raise click.UsageError(f"`{self.what}` is a document: a day chooses among submissions")
            return work_out(rulebook.regulation(self.what), None)
        inputs, read = inputs_of((self.what,), SUBMISSIONS), list[Submission]()
        for error in inputs.refused:
            raise error
        for path in inputs.files:
            try:
                read.append(read_submission(rulebook, path)[0].submission)
            except InputError as error:
                if path not in inputs.found or something_else(path, error) is None:
                    raise
        stated = self._in_force(read)
        return work_out(rulebook.regulation(stated.document), stated)

    def _in_force(self, read: list[Submission]) -> Submission:
        begun = [submission for submission in read if self.day is None or submission.effective <= self.day]
        if not begun:
            raise click.UsageError(f"`{self.what}` has no submission{f' in force {self}' if self.day else ''}")
        latest = max(submission.effective for submission in begun)
        last = begun if self.day is None else [submission for submission in begun if submission.effective == latest]
        if len(last) > 1:
            names = ", ".join(submission.submission for submission in last)
            raise click.UsageError(
                f"`{self.what}` has several submissions ({names}): name one, or the day it is in force"
            )
        return last[0]


def sides_of(what: tuple[str, ...], options: dict[str, Any]) -> tuple[Side, Side]:
    """Return the sides of a command line; a single name is both sides, with different options. Raises UsageError."""
    if len(what) not in (1, 2):
        raise click.UsageError("diff takes two sides: fairdeal odds diff A B")
    before, after = (
        Side(
            what=name,
            profile=options[f"{side}_profile"],
            rules=options[f"{side}_rules"],
            day=options[f"{side}_date"],
        )
        for side, name in zip(("before", "after"), (what[0], what[-1]), strict=True)
    )
    if before == after and len(what) == 1:
        raise click.UsageError(f"`{before.what}` is both sides: add an option such as --after-profile, or name B")
    return before, after


def side_options(command: Command) -> Command:
    """Add the options of sides: `before_profile`, `after_profile` and so on."""
    for side, name in (("after", "B"), ("before", "A")):
        for option in (
            click.option(f"--{side}-date", type=DayType(), help=f"With diff: day on which {name} is in force."),
            click.option(f"--{side}-rules", metavar="FOLDER", help=f"With diff: rules folder of {name} only."),
            click.option(
                f"--{side}-profile",
                metavar="FILE",
                help=f"With diff: profile of {name} only.",
                shell_complete=completion.files,
            ),
        ):
            command = option(command)
    return command
