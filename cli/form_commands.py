"""The commands `new` and `layout`: submissions to fill in, and pictures of submitted layouts."""

from __future__ import annotations

from datetime import date
from io import BytesIO
from pathlib import Path

import click

from fairdeal.cli.common import process, shared_options
from fairdeal.cli.common.shell_completion import (
    complete_documents,
    complete_files,
    find_document,
    list_document_lines,
    open_rulebook,
)
from fairdeal.validator.audit.run.submission_check import read_submission
from fairdeal.validator.audit.submissions.layout_findings import build_layout, describe_terms
from fairdeal.validator.evidence.io.named_files import STDIO, identify_file
from fairdeal.validator.forms.form_entries import SubmissionForm
from fairdeal.validator.forms.submission_form import (
    build_blank_form,
    build_example_form,
    build_game_schema,
    find_compliant_submission,
)
from fairdeal.validator.forms.yaml_edits import write_form
from fairdeal.validator.reports.html.html_pages import write_layout
from fairdeal.validator.rulebook.loading.rulebook import Rulebook
from fairdeal.validator.text.closed_model import MAX_PROSE
from fairdeal.validator.text.diagnostics import InputError

_WORKBOOK = "xlsx:"
"""Text before the path of an output that is a workbook."""


@click.command()
@click.argument("game", metavar="[GAME]", required=False, shell_complete=complete_documents)
@click.option("--example", is_flag=True, help="Write a complying submission of an imaginary casino.")
@click.option("--licensee", metavar="NAME", help="Name of the casino.")
@click.option(
    "--effective",
    type=shared_options.DayType(),
    help="First day on which the submission is in force; by default today.",
)
@click.option(
    "--currency",
    type=shared_options.CurrencyType(),
    help="Currency of the amounts.",
)
@click.option(
    "-o",
    "--output",
    type=shared_options.OutputPathType(),
    default=STDIO,
    help="New YAML file; - for standard output. xlsx:FILE writes a workbook instead.",
)
@click.option("--overwrite", is_flag=True, help="Overwrite an existing file.")
@shared_options.profile_option
@shared_options.rules_option
def new(
    game: str | None,
    example: bool,
    licensee: str | None,
    effective: date | None,
    currency: str | None,
    output: str,
    overwrite: bool,
    profile: str | None,
    rules: str | None,
) -> int:
    """Write a submission form for a game: every key with its permitted values and the clauses that require it.

    GAME is the id of a document, or words of its title. Without it, the games are listed.
    """
    is_workbook = output.startswith(_WORKBOOK) or output.lower().endswith(".xlsx")
    output = process.normalize_output(output.removeprefix(_WORKBOOK))
    process.ensure_distinct_files([output], [profile], rules=rules)
    rulebook = open_rulebook(rules, profile)
    if game is None:
        process.print_line("Name a game, by its id or by words of its title: fairdeal new GAME\n")
        for line in list_document_lines(rulebook, rulebook.documents):
            process.print_line(line)
        return process.ExitCode.COMPLIANT
    document = find_document(rulebook, game)
    if licensee is not None and not 0 < len(licensee) <= MAX_PROSE:
        raise click.UsageError(f"the name of the casino must have 1 to {MAX_PROSE:,} characters")
    if example and (licensee is not None or effective or currency):
        raise click.UsageError("--example cannot be combined with --licensee, --effective or --currency")
    if identify_file(output) is not None and Path(output).exists() and not overwrite:
        raise click.UsageError(f"`{output}` exists already: name another file, or use --overwrite")
    regulation = rulebook.regulation(document)
    model = find_compliant_submission(regulation, rulebook.folder)
    day = effective or date.fromisoformat(shared_options.find_run_time()[:10])
    form = (
        build_example_form(regulation, model)
        if example
        else build_blank_form(regulation, example=model, licensee=licensee, effective=day, currency=currency)
    )
    content = _write_as_workbook(form, rulebook, document) if is_workbook else write_form(form).encode()
    with process.open_output(output) as stream:
        stream.write(content)
    if identify_file(output) is not None:
        process.print_message(f"{output} is written; `fairdeal check {output}` lists what is missing in it")
    return process.ExitCode.COMPLIANT


def _write_as_workbook(form: SubmissionForm, rulebook: Rulebook, document: str) -> bytes:
    """Return a form as a workbook."""
    from fairdeal.validator.forms.workbook_form import write_workbook  # noqa: PLC0415 - forms in YAML do not need it

    stream = BytesIO()
    write_workbook(form, build_game_schema(rulebook, document), stream)
    return stream.getvalue()


@click.command()
@click.argument("submission", metavar="SUBMISSION", shell_complete=complete_files)
@click.option(
    "-o",
    "--output",
    type=shared_options.OutputPathType(),
    default=STDIO,
    help="File, whose ending .svg, .png or .pdf chooses the form; - for SVG on standard output, which is the default.",
)
@shared_options.rules_option
def layout(submission: str, output: str, rules: str | None) -> int:
    """Draw the table layout of a submission as SVG, PNG or PDF, not to scale.

    SUBMISSION is a YAML or JSON file or a workbook; - is standard input. Areas for wagers are round, others square.
    The name of the game, limits and odds are below the table. Nothing is checked.
    """
    process.ensure_distinct_files([output], [submission], rules=rules)
    rulebook = open_rulebook(rules)
    filed, _ = read_submission(rulebook, submission)
    found = build_layout(filed, ())
    if found is None:
        help_ = "state it under `layout`; `fairdeal new` writes a form for it"
        problem = filed.tree.build_diagnostic((), "no-layout", "this submission states no layout", help=help_)
        raise InputError((problem,))
    regulation = rulebook.regulation(filed.submission.document)
    title = regulation.document.title if regulation.game is None else regulation.game.title
    picture = BytesIO()
    drawn = write_layout(found, picture, title=title, sentences=describe_terms(filed.submission, regulation))
    content = picture.getvalue()
    if output.lower().endswith((".png", ".pdf")):
        from fairdeal.validator.reports.formats.layout_picture import draw_picture  # noqa: PLC0415 - an extra

        content = draw_picture(content.decode(), is_sheet=output.lower().endswith(".pdf"), title=title)
    with process.open_output(output) as stream:
        stream.write(content)
    if not drawn.whole:
        process.print_message("the drawing has no room for all positions, areas and signs; its description names all")
    return process.ExitCode.COMPLIANT
