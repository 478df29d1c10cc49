"""`fairdeal schema`: the shipped JSON Schemas."""

from __future__ import annotations

import click

from cli.common.completion import schemas
from cli.common.exits import ExitCode, not_among
from cli.common.streams import say
from validator.rules.core.library import schemas_folder


@click.command()
@click.argument("name", required=False, shell_complete=schemas)
def schema(name: str | None) -> int:
    """Print the JSON Schema of a file format; without NAME, list them."""
    files = {path.stem: path for path in sorted(schemas_folder().glob("*.json"))}
    if name is None:
        for known in files:
            say(known)
    elif name in files:
        say(files[name].read_text("utf-8").removesuffix("\n"))
    else:
        raise not_among(files, name, "schema")
    return ExitCode.COMPLIANT
