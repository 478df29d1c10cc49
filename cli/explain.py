"""`fairdeal explain`: one round of a log, step by step."""

from __future__ import annotations

from collections.abc import Sequence

import click

from cli.check import read_all
from cli.common.completion import files
from cli.common.exits import ExitCode
from cli.common.letters import ascii_option
from cli.common.options import profile_option, rules_option, submission_option, waivers_option
from cli.common.rulebook import open_rulebook
from cli.common.streams import say
from cli.common.verdict_run import read_waiver_files
from validator.audit.applicability.submissions_in_force import Court
from validator.audit.explain.round import explain as explain_round
from validator.audit.run.find_round import find_round
from validator.evidence.io.named_files import SUBMISSIONS, inputs_of
from validator.evidence.readers.open_log import HandLog
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.visible import visible


@click.command()
@click.argument("log", metavar="LOG", shell_complete=files)
@click.option("--round", "round_", required=True, metavar="ID", help="Id of the round.")
@click.option("--casino", metavar="NAME", help="Casino, if several have a round of this id.")
@click.option("--table", metavar="NAME", help="Table, if several have a round of this id.")
@submission_option
@waivers_option
@profile_option
@rules_option
@ascii_option
def explain(
    log: str,
    round_: str,
    casino: str | None,
    table: str | None,
    submissions: Sequence[str],
    waivers: Sequence[str],
    profile: str | None,
    rules: str | None,
) -> int:
    """Explain one round of a hand log step by step: what happened, and what each wager should be paid and why."""
    rulebook = open_rulebook(rules, profile)
    filed, unreadable = read_all(rulebook, inputs_of(submissions, SUBMISSIONS, apart=[*waivers, profile]))
    if unreadable:
        return ExitCode.UNREADABLE
    court = Court(
        rulebook=rulebook,
        submissions=[submission.submission for submission, _ in filed],
        as_of=None,
        grants=[grant for grants, _ in read_waiver_files(rulebook, waivers) for grant in grants],
    )
    batch = find_round(HandLog(log, variants=court.variants), round_, court.games, casino=casino, table=table)
    if batch is None:
        raise InputError(
            (Diagnostic(code="no-such-round", message=f"this log has no readable round `{round_}`", file=log),)
        )
    explanation = explain_round(court, batch)
    for chapter in explanation.chapters:
        say(chapter.title)
        for line in chapter.lines:
            say(f"  {visible(line)}")
    return ExitCode.COMPLIANT
