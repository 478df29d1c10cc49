"""`fairdeal schema`: JSON Schemas of file formats."""

from __future__ import annotations

import json

import click

from fairdeal.cli.common.command_settings import complete_documents, complete_schemas, find_document, open_rulebook
from fairdeal.cli.common.process import ExitCode, make_unknown_name_error, print_line
from fairdeal.cli.common.shared_options import profile_option, rules_folder_option
from fairdeal.validator.rules.rule_files import list_schemas, load_bundle

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
    """Print the JSON Schema of a file format, in one piece; without NAME, list them."""
    names = list_schemas()
    if name is not None and name not in names:
        raise make_unknown_name_error(names, name, "schema")
    if game is not None:
        if name != _OF_A_GAME:
            raise click.UsageError(
                f"--game needs the schema `{_OF_A_GAME}`: fairdeal schema {_OF_A_GAME} --game {game}"
            )
        from fairdeal.validator.forms.submission_form import build_game_schema  # noqa: PLC0415 - shipped schemas need no rulebook

        rulebook = open_rulebook(rules, profile)
        document = find_document(rulebook, game)
        print_line(json.dumps(build_game_schema(rulebook, document), indent=2, ensure_ascii=False))
    elif name is None:
        for known in names:
            print_line(known)
    else:
        print_line(json.dumps(load_bundle(name), indent=2, ensure_ascii=False))
    return ExitCode.COMPLIANT
