"""`fairdeal new`: a submission form to fill in, or an example that complies, with every key explained."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from cli.common.completion import documents
from cli.common.exits import ExitCode, not_among, tell
from cli.common.options import DayType, OutputPathType, now, profile_option, rules_option
from cli.common.rulebook import open_rulebook
from cli.common.streams import keep_apart, open_output
from validator.evidence.io.named_files import STDIO, file_at
from validator.forms.build import blank_form, example_form
from validator.forms.examples import complying
from validator.forms.yaml_writer import written
from validator.text.models.scalars import MAX_PROSE


@click.command()
@click.argument("game", metavar="GAME", shell_complete=documents)
@click.option("--example", is_flag=True, help="Write a complying submission of an imaginary casino.")
@click.option("--licensee", metavar="NAME", help="Name of the casino.")
@click.option("--effective", type=DayType(), help="First day on which the submission is in force; by default today.")
@click.option(
    "-o",
    "--output",
    type=OutputPathType(),
    default=STDIO,
    help="New YAML file; - for standard output.",
)
@click.option("--overwrite", is_flag=True, help="Overwrite an existing file.")
@profile_option
@rules_option
def new(
    game: str,
    example: bool,
    licensee: str | None,
    effective: date | None,
    output: str,
    overwrite: bool,
    profile: str | None,
    rules: str | None,
) -> int:
    """Write a submission form for a game: every key with its permitted values and the clauses that require it.

    GAME is the id of a document.
    """
    keep_apart([output], [profile], rules=rules)
    rulebook = open_rulebook(rules, profile)
    if game not in rulebook.documents:
        raise not_among(rulebook.documents, game, "document")
    if licensee is not None and not 0 < len(licensee) <= MAX_PROSE:
        raise click.UsageError(f"the name of the casino must have 1 to {MAX_PROSE:,} characters")
    if example and (licensee is not None or effective):
        raise click.UsageError("--example cannot be combined with --licensee or --effective")
    if file_at(output) is not None and Path(output).exists() and not overwrite:
        raise click.UsageError(f"`{output}` exists already: name another file, or use --overwrite")
    regulation = rulebook.regulation(game)
    model = complying(regulation, rulebook.folder)
    day = effective or date.fromisoformat(now()[:10])
    form = (
        example_form(regulation, model)
        if example
        else blank_form(regulation, example=model, licensee=licensee, effective=day)
    )
    with open_output(output) as stream:
        stream.write(written(form).encode())
    if file_at(output) is not None:
        tell(f"{output} is written; `fairdeal check {output}` lists what is missing in it")
    return ExitCode.COMPLIANT
