"""`fairdeal layout`: drawing of the table layout of a submission."""

from __future__ import annotations

import click

from fairdeal.cli.common.process import ExitCode, print_message
from fairdeal.cli.common.shared_options import OutputPathType, rules_option
from fairdeal.cli.common.shell_completion import complete_files, open_rulebook
from fairdeal.cli.common.standard_streams import ensure_distinct_files, open_output
from fairdeal.validator.audit.run.submission_check import read_submission
from fairdeal.validator.audit.submissions.layout_findings import build_layout
from fairdeal.validator.evidence.io.named_files import STDIO
from fairdeal.validator.reports.html.html_pages import write_layout
from fairdeal.validator.text.diagnostics import InputError


@click.command()
@click.argument("submission", metavar="SUBMISSION", shell_complete=complete_files)
@click.option(
    "-o",
    "--output",
    type=OutputPathType(),
    default=STDIO,
    help="SVG file; - for standard output, which is the default.",
)
@rules_option
def layout(submission: str, output: str, rules: str | None) -> int:
    """Draw the table layout of a submission as SVG, not to scale.

    SUBMISSION is a YAML or JSON file; - is standard input. Areas for wagers are round, others square. Nothing is
    checked.
    """
    ensure_distinct_files([output], [submission], rules=rules)
    filed, _ = read_submission(open_rulebook(rules), submission)
    found = build_layout(filed, ())
    if found is None:
        help_ = "state it under `layout`; `fairdeal new` writes a form for it"
        problem = filed.tree.build_diagnostic((), "no-layout", "this submission states no layout", help=help_)
        raise InputError((problem,))
    with open_output(output) as stream:
        drawn = write_layout(found, stream)
    if not drawn.whole:
        print_message("the drawing has no room for all positions, areas and signs; its description names all")
    return ExitCode.COMPLIANT
