"""`fairdeal report`: saved results in other formats."""

from __future__ import annotations

from collections.abc import Sequence

import click

from cli.common.completion import files
from cli.common.exits import ExitCode
from cli.common.letters import ascii_option
from cli.common.options import FORMATS, Output, OutputType
from cli.common.outputs import write_results
from cli.common.streams import keep_apart
from validator.reports.json_report import read_json


@click.command()
@click.argument("results", metavar="RESULTS.json", shell_complete=files)
@click.option("-o", "--output", "outputs", type=OutputType(), multiple=True, required=True, help=f"{FORMATS}.")
@ascii_option
def report(results: str, outputs: Sequence[Output]) -> int:
    """Write results that were saved as JSON in other formats; - is standard input."""
    keep_apart([output.path for output in outputs], [results], rules=None)
    write_results(read_json(results), outputs, sources={})
    return ExitCode.COMPLIANT
