"""Writing of submissions: the commands `new` and `layout`, and the corrections of `check --fix`."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from difflib import unified_diff
from io import BytesIO
from pathlib import Path

import click
from msgspec import Struct

from fairdeal.cli.common import process, shared_options
from fairdeal.cli.common.command_settings import (
    complete_documents,
    complete_files,
    find_document,
    list_document_lines,
    open_rulebook,
)
from fairdeal.cli.common.process import is_rule_file, open_output, print_line, print_message
from fairdeal.cli.common.verdict_run import RunOptions
from fairdeal.validator.audit.run.submission_check import (
    describe_other_format,
    file_submission,
    is_workbook,
    read_submission,
)
from fairdeal.validator.audit.submissions.submission_requirements import FiledSubmission
from fairdeal.validator.audit.submissions.submission_summary import build_layout, describe_terms
from fairdeal.validator.evidence.io.named_files import STDIO, Inputs, identify_file
from fairdeal.validator.forms.autofix import autofix
from fairdeal.validator.forms.form_entries import SubmissionForm, write_form
from fairdeal.validator.forms.submission_form import (
    build_blank_form,
    build_example_form,
    build_game_schema,
    find_compliant_submission,
)
from fairdeal.validator.reports.html.html_pages import write_layout
from fairdeal.validator.reports.report_wording import format_count
from fairdeal.validator.results.results import InputFile
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.text.closed_model import MAX_PROSE
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, sanitize
from fairdeal.validator.text.document_loader import is_json
from fairdeal.validator.text.source import Source, read_source

_OTHER_FORM = re.compile(r"^(yaml|json|toml|csv):|\.(json|toml|csv)$", re.IGNORECASE)
"""Output of `new` in another format than YAML or a workbook, by its prefix or its ending."""
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
    if _OTHER_FORM.search(output):
        raise click.UsageError(f"`{output}` would not be YAML: name a file such as house.yaml, or a workbook")
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
        from fairdeal.validator.reports.html.layout_drawing import draw_picture  # noqa: PLC0415 - an extra

        content = draw_picture(content.decode(), is_sheet=output.lower().endswith(".pdf"), title=title)
    with process.open_output(output) as stream:
        stream.write(content)
    if not drawn.whole:
        process.print_message("the drawing has no room for all positions, areas and signs; its description names all")
    return process.ExitCode.COMPLIANT


Reader = Callable[[Rulebook, str], tuple[FiledSubmission, InputFile]]
"""Function that reads the submission in a file. Raises InputError."""

_RULE = "a file of the rules folder, which is not changed"


class _Showing(Struct, frozen=True):
    """Functions that show changes."""

    diff: Callable[[str], None]
    """Print a line of a diff."""
    note: Callable[[str], None]
    """Print a message."""


def make_correcting_reader(inputs: Inputs, judging: RunOptions, *, write: bool) -> Reader:
    """Return a reader that corrects submissions first.

    The changes are printed on standard output, or on standard error if an output takes that; `write` also writes them
    to the files. Raises UsageError for standard input, pipes, devices and files of the rules folder.
    """
    if STDIO in inputs.files:
        raise click.UsageError("standard input cannot be corrected: name a file")
    for path in inputs.named_files if write else ():
        if Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
            raise click.UsageError(f"`{path}` is not an ordinary file and cannot be corrected: name a file")
        if is_rule_file(path, judging.rules):
            raise click.UsageError(f"`{path}` is {_RULE}: correct a copy")
    aside = any(output.path == STDIO and output.format != "text" for output in judging.outputs)
    showing = _Showing(
        diff=(print_message if aside else print_line) if not (judging.quiet and write) else _nowhere,
        note=_nowhere if judging.quiet else print_message,
    )

    def read(rulebook: Rulebook, path: str) -> tuple[FiledSubmission, InputFile]:
        if path in inputs.from_folders:
            _ensure_submission(path)
            if write and is_rule_file(path, judging.rules):
                raise _not_fixable(path, f"this is {_RULE}")
        source = _correct(rulebook, path, judging.as_of, write=write, showing=showing)
        return file_submission(source, rulebook, by_schema=True)

    return read


def _nowhere(_line: str) -> None:
    """Print nothing."""


def _ensure_submission(path: str) -> None:
    """Raise InputError for a file in a folder that is not a submission."""
    try:
        file_submission(read_source(path, workbook=True))
    except InputError as error:
        if describe_other_format(path, error) is not None:
            raise


def _not_fixable(path: str, message: str) -> InputError:
    return InputError((Diagnostic(code="not-fixable", message=message, file=path, help="check it without --fix"),))


def _correct(rulebook: Rulebook, path: str, as_of: date | None, *, write: bool, showing: _Showing) -> Source:
    before = read_source(path, workbook=True)
    if is_workbook(before):
        raise _not_fixable(path, "this is a workbook, and only YAML can be corrected")
    if is_json(before):
        raise _not_fixable(path, "this is JSON, and only YAML can be corrected")
    after, done = autofix(before, rulebook, as_of)
    for line in unified_diff(
        before.text.splitlines(), after.text.splitlines(), path, f"{path} (corrected)", lineterm="", n=2
    ):
        showing.diff(sanitize(line))
    for fix in done:
        showing.note(f"{path}:{fix.line}: {sanitize(fix.before)} -> {sanitize(fix.after)}: {sanitize(fix.reason)}")
    if not done:
        showing.note(f"{path}: no unambiguous mistakes to correct")
    elif write:
        with open_output(path) as stream:
            stream.write(after.data)
        showing.note(
            f"{path}: {format_count(len(done), 'change')} written; check that the table matches the submission"
        )
    else:
        showing.note(f"{path}: {format_count(len(done), 'change')} shown, none written")
    return after
