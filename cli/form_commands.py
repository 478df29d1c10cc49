"""`fairdeal new` and `fairdeal schema`: submission forms, examples, and JSON Schemas of file formats."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import click

from fairdeal.cli.common.process import ExitCode, make_unknown_name_error, print_message
from fairdeal.cli.common.shared_options import (
    DayType,
    OutputPathType,
    find_run_time,
    profile_option,
    rules_folder_option,
    rules_option,
)
from fairdeal.cli.common.shell_completion import complete_documents, complete_schemas, open_rulebook
from fairdeal.cli.common.standard_streams import ensure_distinct_files, open_output, print_line
from fairdeal.validator.evidence.io.named_files import STDIO, identify_file
from fairdeal.validator.forms.submission_form import build_blank_form, build_example_form, find_compliant_submission
from fairdeal.validator.forms.yaml_edits import write_form
from fairdeal.validator.rules.rule_files import schemas_folder
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


_OF_A_GAME = "submission"


@click.command()
@click.argument("name", required=False, shell_complete=complete_schemas)
@click.option(
    "--game",
    metavar="ID",
    shell_complete=complete_documents,
    help="With `submission`: for the game of this document, with its wagers, rows and options.",
)
@profile_option
@rules_folder_option
def schema(name: str | None, game: str | None, profile: str | None, rules: str | None) -> int:
    """Print the JSON Schema of a file format; without NAME, list them."""
    files = {path.stem: path for path in sorted(schemas_folder().glob("*.json"))}
    if name is not None and name not in files:
        raise make_unknown_name_error(files, name, "schema")
    if game is not None:
        if name != _OF_A_GAME:
            raise click.UsageError(
                f"--game needs the schema `{_OF_A_GAME}`: fairdeal schema {_OF_A_GAME} --game {game}"
            )
        from fairdeal.validator.forms.game_schema import build_game_schema  # noqa: PLC0415 - shipped schemas need no rulebook

        rulebook = open_rulebook(rules, profile)
        if game not in rulebook.documents:
            raise make_unknown_name_error(rulebook.documents, game, "document")
        print_line(json.dumps(build_game_schema(rulebook, game), indent=2, ensure_ascii=False))
    elif name is None:
        for known in files:
            print_line(known)
    else:
        print_line(files[name].read_text("utf-8").removesuffix("\n"))
    return ExitCode.COMPLIANT
