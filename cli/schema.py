"""`fairdeal schema`: JSON Schemas of file formats, and of submissions for one game."""

from __future__ import annotations

import json

import click

from cli.common.completion import documents, schemas
from cli.common.exits import ExitCode, not_among
from cli.common.options import profile_option, rules_folder_option
from cli.common.rulebook import open_rulebook
from cli.common.streams import say
from validator.rules.core.library import schemas_folder

_OF_A_GAME = "submission"


@click.command()
@click.argument("name", required=False, shell_complete=schemas)
@click.option(
    "--game",
    metavar="ID",
    shell_complete=documents,
    help="With `submission`: for the game of this document, with its wagers, rows and options.",
)
@profile_option
@rules_folder_option
def schema(name: str | None, game: str | None, profile: str | None, rules: str | None) -> int:
    """Print the JSON Schema of a file format; without NAME, list them."""
    files = {path.stem: path for path in sorted(schemas_folder().glob("*.json"))}
    if name is not None and name not in files:
        raise not_among(files, name, "schema")
    if game is not None:
        if name != _OF_A_GAME:
            raise click.UsageError(
                f"--game needs the schema `{_OF_A_GAME}`: fairdeal schema {_OF_A_GAME} --game {game}"
            )
        from validator.forms.game_schema import game_schema  # noqa: PLC0415 - shipped schemas need no rulebook

        rulebook = open_rulebook(rules, profile)
        if game not in rulebook.documents:
            raise not_among(rulebook.documents, game, "document")
        say(json.dumps(game_schema(rulebook, game), indent=2, ensure_ascii=False))
    elif name is None:
        for known in files:
            say(known)
    else:
        say(files[name].read_text("utf-8").removesuffix("\n"))
    return ExitCode.COMPLIANT
