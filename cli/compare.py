"""`fairdeal compare`: saved results compared with those of an earlier run."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

import click

from cli.common.completion import files
from cli.common.exits import ExitCode, exit_code
from cli.common.letters import ascii_option
from cli.common.options import Output, OutputType
from cli.common.outputs import write_results
from cli.common.streams import keep_apart, say
from validator.reports.comparison_text import write_comparison
from validator.reports.json_report import MAX_BYTES, results_in
from validator.results.baseline import against
from validator.results.differences import compared
from validator.results.statuses import Severity
from validator.results.verdict_by import verdict_of_counting
from validator.text.source import read_source


@click.command()
@click.argument("old", metavar="OLD.json", shell_complete=files)
@click.argument("new", metavar="NEW.json", shell_complete=files)
@click.option(
    "-o",
    "--output",
    "outputs",
    type=OutputType(),
    multiple=True,
    help="Write the new results in this format, with findings marked as new or known, instead of the comparison.",
)
@ascii_option
def compare(old: str, new: str, outputs: Sequence[Output]) -> ExitCode:
    """Compare NEW with OLD, two results that were saved as JSON: findings that are new, known or no longer found.

    The exit code is 1 for new violations, 4 for new unconfirmed rules only, else 0.
    """
    keep_apart([output.path for output in outputs], [old, new], rules=None)
    source = read_source(old, limit=MAX_BYTES)
    before = results_in(source)
    now = against(results_in(read_source(new, limit=MAX_BYTES)), before, file=old, sha256=source.sha256)
    if outputs:
        write_results(now, outputs, sources={})
    else:
        text = StringIO()
        write_comparison(before, now, compared(before, now), text)
        say(text.getvalue().removesuffix("\n"))
    return exit_code(verdict_of_counting(now, new=True, at_least=Severity.MINOR), allow_unproven=False)
