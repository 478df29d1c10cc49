"""`fairdeal new`: forms of submissions, and examples of them."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from fairdeal.cli.common.process import ExitCode, make_unknown_name_error, print_message
from fairdeal.cli.common.shared_options import (
    DayType,
    OutputPathType,
    find_run_time,
    profile_option,
    rules_option,
)
from fairdeal.cli.common.shell_completion import complete_documents, open_rulebook
from fairdeal.cli.common.standard_streams import ensure_distinct_files, open_output
from fairdeal.validator.evidence.io.named_files import STDIO, identify_file
from fairdeal.validator.forms.submission_form import build_blank_form, build_example_form, find_compliant_submission
from fairdeal.validator.forms.yaml_edits import write_form
from fairdeal.validator.text.closed_model import MAX_PROSE


@click.command()
@click.argument("game", metavar="GAME", shell_complete=complete_documents)
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
    ensure_distinct_files([output], [profile], rules=rules)
    rulebook = open_rulebook(rules, profile)
    if game not in rulebook.documents:
        raise make_unknown_name_error(rulebook.documents, game, "document")
    if licensee is not None and not 0 < len(licensee) <= MAX_PROSE:
        raise click.UsageError(f"the name of the casino must have 1 to {MAX_PROSE:,} characters")
    if example and (licensee is not None or effective):
        raise click.UsageError("--example cannot be combined with --licensee or --effective")
    if identify_file(output) is not None and Path(output).exists() and not overwrite:
        raise click.UsageError(f"`{output}` exists already: name another file, or use --overwrite")
    regulation = rulebook.regulation(game)
    model = find_compliant_submission(regulation, rulebook.folder)
    day = effective or date.fromisoformat(find_run_time()[:10])
    form = (
        build_example_form(regulation, model)
        if example
        else build_blank_form(regulation, example=model, licensee=licensee, effective=day)
    )
    with open_output(output) as stream:
        stream.write(write_form(form).encode())
    if identify_file(output) is not None:
        print_message(f"{output} is written; `fairdeal check {output}` lists what is missing in it")
    return ExitCode.COMPLIANT
