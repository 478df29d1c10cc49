"""`fairdeal compare`: saved results compared with those of an earlier run."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

import click

from cli.common.completion import complete_files
from cli.common.exits import ExitCode, exit_code
from cli.common.letters import ascii_option
from cli.common.options import Output, OutputType
from cli.common.outputs import write_results
from cli.common.streams import ensure_distinct_files, print_line
from validator.reports.comparison_text import write_comparison
from validator.reports.json_report import MAX_BYTES, read_consistent_results
from validator.results.baseline import compare_with_baseline
from validator.results.differences import compare_runs
from validator.results.statuses import Severity
from validator.results.verdict_by import decide_filtered_verdict
from validator.text.source import read_source


@click.command()
@click.argument("old", metavar="OLD.json", shell_complete=complete_files)
@click.argument("new", metavar="NEW.json", shell_complete=complete_files)
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
    ensure_distinct_files([output.path for output in outputs], [old, new], rules=None)
    source = read_source(old, limit=MAX_BYTES)
    before = read_consistent_results(source)
    now = compare_with_baseline(
        read_consistent_results(read_source(new, limit=MAX_BYTES)), before, file=old, sha256=source.sha256
    )
    if outputs:
        write_results(now, outputs, sources={})
    else:
        text = StringIO()
        write_comparison(before, now, compare_runs(before, now), text)
        print_line(text.getvalue().removesuffix("\n"))
    return exit_code(decide_filtered_verdict(now, new=True, at_least=Severity.MINOR), allow_unproven=False)
