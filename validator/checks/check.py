"""Submissions checked: from files to results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import date

from validator.checks.currency import currency_of
from validator.checks.gather import Gathering
from validator.checks.layouts import layout_of
from validator.checks.submissions import Filed, judge_submission
from validator.checks.waivers import Grant, claims_of
from validator.evidence.submission_file import submission_in
from validator.rulebook.rulebook import Rulebook
from validator.text.diagnostics import Diagnostic, InputError, did_you_mean
from validator.text.load import load_tree
from validator.text.source import Source, read_source
from validator.verdicts import SUBMISSION, Evidence, InputFile, Results

_OTHER_THINGS = (
    (frozenset({"round", "seats"}), "the record of a round", "`fairdeal audit` reads hand logs"),
    (frozenset({"fairdeal-results"}), "a file of results", "`fairdeal report` renders it"),
    (frozenset({"profile", "choices"}), "a profile", "it is given with --profile"),
    (frozenset({"regulator", "waivers"}), "a regulator's file of waivers", "it is given with --waivers"),
)
"""Things that have these keys, and what to do with them."""
JUDGED = frozenset({Evidence.SUBMISSION, Evidence.ATTESTATION})
"""What a submission on its own is judged on."""


def read_submission(path: str) -> tuple[Filed, InputFile]:
    """A submission from a YAML or JSON file, `-` for standard input. Raises InputError."""
    return submission_from(read_source(path))


def submission_from(source: Source) -> tuple[Filed, InputFile]:
    """A submission from text at hand. Raises InputError."""
    try:
        tree = load_tree(source)
    except InputError:
        _no_submission(source.name, _first_line(source))  # lines of JSON are no JSON
        raise
    _no_submission(source.name, tree.data)
    filed = Filed(submission=submission_in(tree), tree=tree)
    about = InputFile(file=source.name, sha256=source.sha256, kind=SUBMISSION, read=1, checked=1, quarantined=0)
    return filed, about


def _no_submission(name: str, data: object) -> None:
    """Raises InputError where the data are another thing that fairdeal reads, and would be nothing but wrong keys."""
    if not isinstance(data, dict) or "submission" in data:
        return
    for keys, what, help_ in _OTHER_THINGS:
        if keys <= data.keys():
            message = f"this is {what}, not a submission"
            raise InputError((Diagnostic(code="no-submission", message=message, file=name, help=help_),))


def _first_line(source: Source) -> object:
    try:
        return json.loads(source.text.partition("\n")[0])
    except (ValueError, RecursionError):
        return None


def add_submissions(
    gathering: Gathering,
    rulebook: Rulebook,
    submissions: Iterable[tuple[Filed, InputFile]],
    as_of: date | None,
    grants: Sequence[Grant] = (),
) -> None:
    """Judge submissions and gather what comes out. Raises InputError for an unknown document."""
    given = list(submissions)
    others = [filed.submission for filed, _ in given]
    for filed, about in given:
        regulation = rulebook.regulation(filed.submission.document)
        verdicts = judge_submission(regulation, filed, others=others, grants=grants, as_of=as_of)
        gathering.add_submission(filed.submission, verdicts)
        gathering.inputs.append(about)
        gathering.claims.extend(claims_of(regulation, filed.submission, filed.tree, grants))
        layout = layout_of(filed, [finding for verdict in verdicts for finding in verdict.findings])
        if layout is not None:
            gathering.layouts.append(layout)


def check_submissions(
    rulebook: Rulebook,
    submissions: Iterable[tuple[Filed, InputFile]],
    *,
    program: str,
    generated: str,
    as_of: date | None = None,
    waivers: Iterable[tuple[Sequence[Grant], InputFile]] = (),
    currency: str | None = None,
) -> Results:
    """Every submission held against the requirements of its document, under the waivers given. Raises InputError.

    `generated` is the time that results bear, given by the caller; nothing here reads a clock.
    """
    filed = list(submissions)
    known_documents(rulebook, [one for one, _ in filed])
    used = tuple(sorted({one.submission.document for one, _ in filed}))
    regulations = {document: rulebook.regulation(document) for document in used}
    gathering = Gathering(regulations=regulations, kinds=JUDGED)
    add_submissions(gathering, rulebook, filed, as_of, gathering.add_waivers(waivers))
    return gathering.results(
        program=program,
        generated=generated,
        as_of=as_of,
        rulebook=rulebook,
        currency=currency_of([one for one, _ in filed], currency),
    )


def known_documents(rulebook: Rulebook, submissions: Iterable[Filed]) -> None:
    """Make sure that the rulebook has the document of every submission. Raises InputError at the place."""
    known = rulebook.documents
    problems: list[Diagnostic] = []
    for filed in submissions:
        document = filed.submission.document
        if document not in known:
            near = did_you_mean(document, known)
            problems.append(
                filed.tree.diagnostic(
                    ("document",),
                    "unknown-document",
                    f"the rulebook has no document `{document}`",
                    expected=f"one of {', '.join(known)}",
                    help=f"did you mean `{near}`?" if near else None,
                )
            )
    if problems:
        raise InputError(tuple(problems))
