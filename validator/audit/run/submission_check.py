"""Check of submissions, from files to results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.audit.granted_waivers import WaiverGrant, list_claims
from fairdeal.validator.audit.run.results_builder import ResultsBuilder
from fairdeal.validator.audit.run.run_summary import collect_submission_currencies
from fairdeal.validator.audit.submissions import submission_requirements
from fairdeal.validator.audit.submissions.submission_summary import build_layout, diagnose_unknown_names
from fairdeal.validator.evidence.io.log_formats import is_hand_history
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.evidence.submission_reader import parse_submission
from fairdeal.validator.results.findings import Evidence
from fairdeal.validator.results.results import InputFile, InputKind, Results, sort_by_file
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rulebook.short_forms import expand_printed_tables
from fairdeal.validator.rules.rule_files import AgreedFiles
from fairdeal.validator.text import diagnostics
from fairdeal.validator.text.document_loader import load_document
from fairdeal.validator.text.positioned_document import Data, PositionedDocument
from fairdeal.validator.text.source import WORKBOOK_START, Source, read_source

if TYPE_CHECKING:
    from fairdeal.validator.odds.hand_counts import ReportProgress

_SCHEMA = "submission"
_AUDIT_HELP = "`fairdeal audit` reads hand logs, compressed or not"
_FORMAT_HELP = "a submission is YAML, JSON or a workbook; `fairdeal new` writes a form"
_OTHER_FORMATS = (
    (frozenset({"round", "seats"}), "a hand log", _AUDIT_HELP),
    (frozenset({"fairdeal-results"}), "a file of results", "`fairdeal report` renders it"),
    (frozenset({"profile", "choices"}), "a profile", "pass it with --profile"),
    (frozenset({"regulator", "waivers"}), "a regulator's file of waivers", "pass it with --waivers"),
)
"""Keys of other files that fairdeal reads, their names, and help."""
_NO_SUBMISSION = "no-submission"
_KEY_HOLDS_MAPPING = {"submission": False, "licensee": True}
"""Keys that only a submission has, and whether they hold a mapping there.

In a simulation of a game, `submission` holds a mapping.
"""
_KEYS = {key: key for key in _KEY_HOLDS_MAPPING}
_KEY = re.compile(rf"^[ \t]*(?:[{{,][ \t]*)?[\"']?({'|'.join(_KEYS)})[\"']?[ \t]*:", re.MULTILINE)
SUBMISSION_EVIDENCE = frozenset({Evidence.SUBMISSION, Evidence.ATTESTATION})
"""Kinds of evidence that a submission provides."""


def read_submission(rulebook: Rulebook, path: str) -> tuple[submission_requirements.FiledSubmission, InputFile]:
    """Read a submission from a YAML or JSON file or a workbook; `-` is standard input.

    Raises:
        InputError: With all problems, including names that the rulebook does not have.
    """
    try:
        source = read_source(path, workbook=True)
    except diagnostics.InputError as error:
        raise _add_help_for_logs(error) from None
    return file_submission(source, rulebook, by_schema=True)


def describe_other_format(path: str, error: diagnostics.InputError) -> str | None:
    """Describe a file that cannot be read as a submission and plainly is none; None if it may be one.

    Args:
        error: error that reading the file raised.
    """
    wrong = error.diagnostics[0]
    if wrong.code == _NO_SUBMISSION:
        return wrong.message
    try:
        source = read_source(path, workbook=True)
    except diagnostics.InputError:
        return None
    if is_workbook(source):
        return None
    try:
        data = load_document(source).data
    except diagnostics.InputError:
        is_similar = _KEY.search(source.text) is not None
    else:
        is_similar = isinstance(data, dict) and any(_is_key(key, value) for key, value in data.items())
    return None if is_similar else "it contains no key of a submission"


def _is_key(key: str, value: Data) -> bool:
    """Return whether a key and its value occur only in a submission, a misspelt key included."""
    intended = key if key in _KEYS else diagnostics.correct_spelling(key, _KEYS)
    return intended is not None and isinstance(value, dict) is _KEY_HOLDS_MAPPING[intended]


def _add_help_for_logs(error: diagnostics.InputError) -> diagnostics.InputError:
    """Return the error; if the file is not text, with help on hand logs."""
    (wrong,) = error.diagnostics
    return (
        error
        if wrong.code != "not-text"
        else diagnostics.InputError((replace(wrong, help=f"{wrong.help}; {_AUDIT_HELP}"),))
    )


def file_submission(
    source: Source, rulebook: Rulebook | None = None, *, by_schema: bool = False
) -> tuple[submission_requirements.FiledSubmission, InputFile]:
    """Parse a submission.

    Args:
        source: The file.
        rulebook: The rulebook that names are compared with; None to compare none.
        by_schema: Validate the file by the published JSON Schema before the model reads it.

    Raises InputError.
    """
    refused: list[diagnostics.Diagnostic] = []
    try:
        tree = _load(source, refused)
    except diagnostics.InputError:
        if is_workbook(source):
            raise
        _refuse_other_format(source.name, _first_line(source))  # a JSON Lines file is not a JSON document
        if _is_toml(source.name):
            raise _other_format_error(source.name, "TOML", _FORMAT_HELP) from None
        if is_hand_history(source.name, source.data):
            raise _other_format_error(source.name, "a log of poker hand histories", _AUDIT_HELP) from None
        raise
    _refuse_other_format(source.name, tree.data)
    if isinstance(tree.data, str):
        what = "TOML" if _is_toml(source.name) else "a text without keys"
        raise _other_format_error(source.name, what, _FORMAT_HELP)
    submission = _parse_checked(tree, rulebook, source.sha256 if by_schema else None, refused)
    filed = submission_requirements.FiledSubmission(submission=submission, tree=tree)
    input_file = InputFile(
        file=source.name, sha256=source.sha256, kind=InputKind.SUBMISSION, read=1, checked=1, quarantined=0
    )
    return filed, input_file


def is_workbook(source: Source) -> bool:
    """Return whether a source is a workbook."""
    return source.data.startswith(WORKBOOK_START)


def _load(source: Source, refused: list[diagnostics.Diagnostic]) -> PositionedDocument:
    if not is_workbook(source):
        return load_document(source, refused)
    from fairdeal.validator.audit.submissions.submission_workbook import (  # noqa: PLC0415 - only workbooks need it
        load_workbook_submission,
    )

    return load_workbook_submission(source, refused)


def _parse_checked(
    tree: PositionedDocument,
    rulebook: Rulebook | None,
    sha256: str | None,
    refused: Sequence[diagnostics.Diagnostic] = (),
) -> Submission:
    """Parse a submission; report problems of its values, of its form and of its names together.

    Args:
        tree: The file.
        rulebook: The rulebook that names are compared with, if any.
        sha256: Hash of the file, to validate it by the JSON Schema first; None to leave that out.
        refused: Problems of values that could not be read.
    """
    submission: Submission | None = None
    expanded = _with_rows(tree, rulebook)
    problems: tuple[diagnostics.Diagnostic, ...] = ()
    if sha256 is not None and not refused:  # a file with problems must not pass for one that agrees with the schema
        problems = _validate_by_schema(expanded, sha256)
    try:
        submission = parse_submission(expanded)
    except diagnostics.InputError as error:
        if rulebook is None or len(error.diagnostics) >= diagnostics.MAX_PROBLEMS:
            raise
        problems += error.diagnostics
    unknown = [] if rulebook is None else diagnose_unknown_names(tree, rulebook)
    if submission is not None and not unknown and not problems and not refused:
        return submission
    unknown = [*refused, *unknown]
    named = {(problem.line, problem.column) for problem in unknown}
    # what a cell that cannot be read states is not missing
    unread = {problem.line for problem in refused if problem.cell is not None}
    others = [
        problem
        for problem in problems
        if (problem.line, problem.column) not in named
        and not (problem.code == "missing-key" and problem.line in unread)
    ]
    raise diagnostics.InputError(
        diagnostics.limit_diagnostics(
            sorted((*unknown, *others), key=lambda problem: (problem.line or 0, problem.column or 0))
        )
    )


def _validate_by_schema(tree: PositionedDocument, sha256: str) -> tuple[diagnostics.Diagnostic, ...]:
    """Return what the JSON Schema rejects and the model would accept; a file that passed before is not read again."""
    agreed = AgreedFiles.load()
    if agreed.has_agreed(_SCHEMA, sha256):
        return ()
    from fairdeal.validator.schemas.schema_validation import (  # noqa: PLC0415 - known files need no validator
        find_schema_violations,
    )

    violations = find_schema_violations(tree, _SCHEMA, Submission)
    if not violations:
        agreed.add(_SCHEMA, sha256)
        agreed.save()
    return tuple(violation for violation in violations if violation.severity == "error")


def _with_rows(tree: PositionedDocument, rulebook: Rulebook | None) -> PositionedDocument:
    """Return the tree with the rows of the printed pay tables that it names, if the rulebook has its document."""
    document = tree.data.get("document") if isinstance(tree.data, dict) else None
    if rulebook is None or document not in rulebook.documents:
        return tree
    return expand_printed_tables(tree, rulebook.regulation(str(document)).game)


def _refuse_other_format(name: str, data: object) -> None:
    """Raise InputError if the data are in another format that fairdeal reads."""
    if not isinstance(data, dict) or "submission" in data:
        return
    for keys, what, help_ in _OTHER_FORMATS:
        if keys <= data.keys():
            raise _other_format_error(name, what, help_)


def _other_format_error(name: str, what: str, help_: str) -> diagnostics.InputError:
    message = f"this is {what}, not a submission"
    return diagnostics.InputError(
        (diagnostics.Diagnostic(code=_NO_SUBMISSION, message=message, file=name, help=help_),)
    )


def _is_toml(name: str) -> bool:
    return name.lower().endswith(".toml")


def _first_line(source: Source) -> object:
    try:
        return json.loads(source.text.partition("\n")[0])
    except (ValueError, RecursionError):
        return None


class CheckedSubmission(Struct, frozen=True, kw_only=True):
    """Submission with the verdicts of all requirements on it."""

    filed: submission_requirements.FiledSubmission
    input_file: InputFile
    """File of the submission."""
    verdicts: list[submission_requirements.SubmissionVerdict]


def evaluate_submissions(
    rulebook: Rulebook,
    submissions: Iterable[tuple[submission_requirements.FiledSubmission, InputFile]],
    as_of: date | None,
    grants: Sequence[WaiverGrant] = (),
    report_progress: ReportProgress = lambda _: None,
) -> list[CheckedSubmission]:
    """Check submissions.

    Args:
        `report_progress`: callback with messages on the progress of long work.

    Raises:
        InputError: For an unknown document.
    """
    submission_list = list(submissions)
    others = submission_requirements.RelatedSubmissions([filed.submission for filed, _ in submission_list])
    return [
        CheckedSubmission(
            filed=filed,
            input_file=about,
            verdicts=submission_requirements.evaluate_submission(
                rulebook.regulation(filed.submission.document),
                filed,
                others=others,
                grants=grants,
                as_of=as_of,
                report_progress=report_progress,
            ),
        )
        for filed, about in submission_list
    ]


def add_submissions(
    builder: ResultsBuilder,
    rulebook: Rulebook,
    checked_submissions: Iterable[CheckedSubmission],
    grants: Sequence[WaiverGrant] = (),
) -> None:
    """Add checked submissions to the results of a run."""
    for submission in checked_submissions:
        filed, about, verdicts = submission.filed, submission.input_file, submission.verdicts
        regulation = rulebook.regulation(filed.submission.document)
        builder.add_submission(filed.submission, verdicts)
        builder.inputs.append(about)
        builder.claims.extend(list_claims(regulation, filed.submission, filed.tree, grants))
        layout = build_layout(filed, verdicts)
        if layout is not None:
            builder.layouts.append(layout)


def check_submissions(
    rulebook: Rulebook,
    submissions: Iterable[tuple[submission_requirements.FiledSubmission, InputFile]],
    *,
    program: str,
    generated: str,
    as_of: date | None = None,
    waivers: Iterable[tuple[Sequence[WaiverGrant], InputFile]] = (),
    currency: str | None = None,
    report_progress: ReportProgress = lambda _: None,
) -> Results:
    """Check submissions against the requirements of their documents, and build the results. Raises InputError.

    Args:
        generated: time of the results; this function reads no clock.
        `report_progress`: callback with messages on the progress of long work.
    """
    filed = sort_by_file(submissions)
    used = tuple(sorted({submission.submission.document for submission, _ in filed}))
    regulations = {document: rulebook.regulation(document) for document in used}
    builder = ResultsBuilder(regulations=regulations, kinds=SUBMISSION_EVIDENCE)
    grants = builder.add_waivers(sort_by_file(waivers))
    add_submissions(builder, rulebook, evaluate_submissions(rulebook, filed, as_of, grants, report_progress), grants)
    return builder.build(
        program=program,
        generated=generated,
        as_of=as_of,
        rulebook=rulebook,
        currencies=collect_submission_currencies([submission for submission, _ in filed], currency),
    )
