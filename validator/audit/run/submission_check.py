"""Check of submissions, from files to results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from validator.audit.applicability.waivers import Grant, claims_of
from validator.audit.outcome.collect import Gathering
from validator.audit.outcome.currency import currencies_of
from validator.audit.submissions.layouts import layout_of
from validator.audit.submissions.names import unknown_in
from validator.audit.submissions.requirements import Filed, SubmissionVerdict, judge_submission
from validator.audit.submissions.versions import Neighbours
from validator.evidence.phh.names import is_hand_history
from validator.evidence.submission.model import Submission
from validator.evidence.submission.reader import submission_in
from validator.results.place_order import by_file
from validator.results.results import InputFile, InputKind, Results
from validator.results.statuses import Evidence
from validator.rulebook.loading.rulebook import Rulebook
from validator.rulebook.vocabulary.printed_tables import with_printed_rows
from validator.text.diagnostics import MAX_PROBLEMS, Diagnostic, InputError, at_most
from validator.text.source import Source, read_source
from validator.text.spelling import misspelt
from validator.text.trees.load import load_tree
from validator.text.trees.tree import Data, Tree

if TYPE_CHECKING:
    from validator.odds.counting.counts import Tell

_AUDIT_HELP = "`fairdeal audit` reads hand logs, compressed or not"
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
JUDGED = frozenset({Evidence.SUBMISSION, Evidence.ATTESTATION})
"""Kinds of evidence that a submission provides."""


def read_submission(rulebook: Rulebook, path: str) -> tuple[Filed, InputFile]:
    """Read a submission from a YAML or JSON file; `-` is standard input.

    Raises:
        InputError: With all problems, including names that the rulebook does not have.
    """
    try:
        source = read_source(path)
    except InputError as error:
        raise _add_help_for_logs(error) from None
    return submission_from(source, rulebook)


def something_else(path: str, error: InputError) -> str | None:
    """Describe a file that cannot be read as a submission and plainly is none; None if it may be one.

    Args:
        error: error that reading the file raised.
    """
    wrong = error.diagnostics[0]
    if wrong.code == _NO_SUBMISSION:
        return wrong.message
    try:
        source = read_source(path)
    except InputError:
        return None
    try:
        data = load_tree(source).data
    except InputError:
        is_similar = _KEY.search(source.text) is not None
    else:
        is_similar = isinstance(data, dict) and any(_is_key(key, value) for key, value in data.items())
    return None if is_similar else "it contains no key of a submission"


def _is_key(key: str, value: Data) -> bool:
    """Return whether a key and its value occur only in a submission, a misspelt key included."""
    intended = key if key in _KEYS else misspelt(key, _KEYS)
    return intended is not None and isinstance(value, dict) is _KEY_HOLDS_MAPPING[intended]


def _add_help_for_logs(error: InputError) -> InputError:
    """Return the error; if the file is not text, with help on hand logs."""
    (wrong,) = error.diagnostics
    return error if wrong.code != "not-text" else InputError((replace(wrong, help=f"{wrong.help}; {_AUDIT_HELP}"),))


def submission_from(source: Source, rulebook: Rulebook | None = None) -> tuple[Filed, InputFile]:
    """Parse a submission; names are checked if there is a rulebook. Raises InputError."""
    try:
        tree = load_tree(source)
    except InputError:
        _refuse_other_format(source.name, _first_line(source))  # a JSON Lines file is not a JSON document
        if is_hand_history(source.name, source.data):
            raise _other_format_error(source.name, "a log of poker hand histories", _AUDIT_HELP) from None
        raise
    _refuse_other_format(source.name, tree.data)
    filed = Filed(submission=_parse_checked(tree, rulebook), tree=tree)
    input_file = InputFile(
        file=source.name, sha256=source.sha256, kind=InputKind.SUBMISSION, read=1, checked=1, quarantined=0
    )
    return filed, input_file


def _parse_checked(tree: Tree, rulebook: Rulebook | None) -> Submission:
    """Parse a submission; report problems of its form and of its names together."""
    submission: Submission | None = None
    problems: tuple[Diagnostic, ...] = ()
    try:
        submission = submission_in(_with_rows(tree, rulebook))
    except InputError as error:
        if rulebook is None or len(error.diagnostics) >= MAX_PROBLEMS:
            raise
        problems = error.diagnostics
    unknown = [] if rulebook is None else unknown_in(tree, rulebook)
    if submission is not None and not unknown:
        return submission
    named = {(problem.line, problem.column) for problem in unknown}
    others = [problem for problem in problems if (problem.line, problem.column) not in named]
    raise InputError(at_most(sorted((*unknown, *others), key=lambda problem: (problem.line or 0, problem.column or 0))))


def _with_rows(tree: Tree, rulebook: Rulebook | None) -> Tree:
    """Return the tree with the rows of the printed pay tables that it names, if the rulebook has its document."""
    document = tree.data.get("document") if isinstance(tree.data, dict) else None
    if rulebook is None or document not in rulebook.documents:
        return tree
    return with_printed_rows(tree, rulebook.regulation(str(document)).game)


def _refuse_other_format(name: str, data: object) -> None:
    """Raise InputError if the data are in another format that fairdeal reads."""
    if not isinstance(data, dict) or "submission" in data:
        return
    for keys, what, help_ in _OTHER_FORMATS:
        if keys <= data.keys():
            raise _other_format_error(name, what, help_)


def _other_format_error(name: str, what: str, help_: str) -> InputError:
    message = f"this is {what}, not a submission"
    return InputError((Diagnostic(code=_NO_SUBMISSION, message=message, file=name, help=help_),))


def _first_line(source: Source) -> object:
    try:
        return json.loads(source.text.partition("\n")[0])
    except (ValueError, RecursionError):
        return None


class JudgedSubmission(Struct, frozen=True, kw_only=True):
    """Submission with the verdicts of all requirements on it."""

    filed: Filed
    about: InputFile
    """File of the submission."""
    verdicts: list[SubmissionVerdict]


def judge_submissions(
    rulebook: Rulebook,
    submissions: Iterable[tuple[Filed, InputFile]],
    as_of: date | None,
    grants: Sequence[Grant] = (),
    tell: Tell = lambda _: None,
) -> list[JudgedSubmission]:
    """Check submissions.

    Args:
        `tell`: callback with messages on the progress of long work.

    Raises:
        InputError: For an unknown document.
    """
    submission_list = list(submissions)
    others = Neighbours([filed.submission for filed, _ in submission_list])
    return [
        JudgedSubmission(
            filed=filed,
            about=about,
            verdicts=judge_submission(
                rulebook.regulation(filed.submission.document),
                filed,
                others=others,
                grants=grants,
                as_of=as_of,
                tell=tell,
            ),
        )
        for filed, about in submission_list
    ]


def add_submissions(
    builder: Gathering,
    rulebook: Rulebook,
    checked_submissions: Iterable[JudgedSubmission],
    grants: Sequence[Grant] = (),
) -> None:
    """Add checked submissions to the results of a run."""
    for submission in checked_submissions:
        filed, about, verdicts = submission.filed, submission.about, submission.verdicts
        regulation = rulebook.regulation(filed.submission.document)
        builder.add_submission(filed.submission, verdicts)
        builder.inputs.append(about)
        builder.claims.extend(claims_of(regulation, filed.submission, filed.tree, grants))
        layout = layout_of(filed, verdicts)
        if layout is not None:
            builder.layouts.append(layout)


def check_submissions(
    rulebook: Rulebook,
    submissions: Iterable[tuple[Filed, InputFile]],
    *,
    program: str,
    generated: str,
    as_of: date | None = None,
    waivers: Iterable[tuple[Sequence[Grant], InputFile]] = (),
    currency: str | None = None,
    tell: Tell = lambda _: None,
) -> Results:
    """Check submissions against the requirements of their documents, and build the results. Raises InputError.

    Args:
        generated: time of the results; this function reads no clock.
        `tell`: callback with messages on the progress of long work.
    """
    filed = by_file(submissions)
    used = tuple(sorted({submission.submission.document for submission, _ in filed}))
    regulations = {document: rulebook.regulation(document) for document in used}
    builder = Gathering(regulations=regulations, kinds=JUDGED)
    grants = builder.add_waivers(by_file(waivers))
    add_submissions(builder, rulebook, judge_submissions(rulebook, filed, as_of, grants, tell), grants)
    return builder.results(
        program=program,
        generated=generated,
        as_of=as_of,
        rulebook=rulebook,
        currencies=currencies_of([submission for submission, _ in filed], currency),
    )
