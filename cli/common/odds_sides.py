"""The two sides of `fairdeal odds diff`: what each is, and what it is read by."""

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
    """One side: `what` is the id of a document, a submission, several of them of which the one in force on `day` is
    meant, or odds of an earlier run. It is read by a profile and a rules folder, None for the usual ones."""

    what: str
    profile: str | None
    rules: str | None
    day: date | None

    @property
    def files(self) -> list[str]:
        """The files that it may be read from."""
        return [one for one in (self.what, self.profile) if one is not None]

    def __str__(self) -> str:
        """What it is, as reports name it."""
        by = [
            self.profile and f"profile {self.profile}",
            self.rules and f"rules {self.rules}",
            self.day and f"on {self.day.isoformat()}",
        ]
        return ", ".join([self.what, *(one for one in by if one)])

    def odds(self, work_out: WorkOut, rules: str | None, profile: str | None) -> DocumentOdds:
        """Its odds, by these rules and profile where it has none of its own. Raises InputError, and UsageError where it
        cannot be said what is meant."""
        if self.what.endswith(".json"):
            saved = saved_odds(read_source(self.what))
            if saved is not None:
                if self.profile or self.rules or self.day:
                    raise click.UsageError(f"`{self.what}` holds odds: a profile, rules or a day change nothing there")
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
        begun = [one for one in read if self.day is None or one.effective <= self.day]
        if not begun:
            raise click.UsageError(f"`{self.what}` has no submission{f' in force {self}' if self.day else ''}")
        last = begun if self.day is None else [one for one in begun if one.effective == max(o.effective for o in begun)]
        if len(last) > 1:
            names = ", ".join(one.submission for one in last)
            raise click.UsageError(
                f"`{self.what}` has several submissions ({names}): name one, or the day it is in force"
            )
        return last[0]


def sides_of(what: tuple[str, ...], options: dict[str, Any]) -> tuple[Side, Side]:
    """The sides of a command line: of one that is named alone both are, read otherwise. Raises UsageError."""
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
        raise click.UsageError(f"`{before.what}` is both sides: say what is other, such as --after-profile, or name B")
    return before, after


def side_options(command: Command) -> Command:
    """The options of sides, which come as `before_profile`, `after_profile` and so on."""
    for side, name in (("after", "B"), ("before", "A")):
        for option in (
            click.option(f"--{side}-date", type=DayType(), help=f"With diff: the day on which {name} is in force."),
            click.option(f"--{side}-rules", metavar="FOLDER", help=f"With diff: the rules of {name} alone."),
            click.option(
                f"--{side}-profile",
                metavar="FILE",
                help=f"With diff: the profile of {name} alone.",
                shell_complete=completion.files,
            ),
        ):
            command = option(command)
    return command
