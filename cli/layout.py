"""`fairdeal layout`: drawing of the table layout of a submission."""

from __future__ import annotations

import click

from cli.common.completion import files
from cli.common.exits import ExitCode, tell
from cli.common.options import OutputPathType, rules_option
from cli.common.rulebook import open_rulebook
from cli.common.streams import keep_apart, open_output
from validator.audit.run.submission_check import read_submission
from validator.audit.submissions.layouts import layout_of
from validator.evidence.io.named_files import STDIO
from validator.reports.html.layout_svg import write_layout
from validator.text.diagnostics import InputError


@click.command()
@click.argument("submission", metavar="SUBMISSION", shell_complete=files)
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
    keep_apart([output], [submission], rules=rules)
    filed, _ = read_submission(open_rulebook(rules), submission)
    found = layout_of(filed, ())
    if found is None:
        help_ = "state it under `layout`; `fairdeal new` writes a form for it"
        problem = filed.tree.diagnostic((), "no-layout", "this submission states no layout", help=help_)
        raise InputError((problem,))
    with open_output(output) as stream:
        drawn = write_layout(found, stream)
    if not drawn.whole:
        tell("the drawing has no room for all positions, areas and signs; its description names all")
    return ExitCode.COMPLIANT
