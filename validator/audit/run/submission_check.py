"""Submissions checked: from files to results."""

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

_AUDIT = "`fairdeal audit` reads hand logs, as they are or packed"
_OTHER_THINGS = (
    (frozenset({"round", "seats"}), "a hand log", _AUDIT),
    (frozenset({"fairdeal-results"}), "a file of results", "`fairdeal report` renders it"),
    (frozenset({"profile", "choices"}), "a profile", "it is given with --profile"),
    (frozenset({"regulator", "waivers"}), "a regulator's file of waivers", "it is given with --waivers"),
)
"""Things that have these keys, and what to do with them."""
_NO_SUBMISSION = "no-submission"
_HOLDS_MAPPING = {"submission": False, "licensee": True}
"""The keys that nothing but a submission has, and whether they hold mappings there: where a game is simulated,
`submission` does."""
_KEYS = {key: key for key in _HOLDS_MAPPING}
_KEY = re.compile(rf"^[ \t]*(?:[{{,][ \t]*)?[\"']?({'|'.join(_KEYS)})[\"']?[ \t]*:", re.MULTILINE)
JUDGED = frozenset({Evidence.SUBMISSION, Evidence.ATTESTATION})
"""What a submission on its own is judged on."""


def read_submission(rulebook: Rulebook, path: str) -> tuple[Filed, InputFile]:
    """A submission from a YAML or JSON file, `-` for standard input.

    Raises InputError with all that is wrong with it, names that its rulebook does not have included.
    """
    try:
        source = read_source(path)
    except InputError as error:
        raise _packed(error) from None
    return submission_from(source, rulebook)


def something_else(path: str, error: InputError) -> str | None:
    """What a file is that could not be read as a submission, for which `error` says why, and plainly is none: another
    thing that fairdeal reads, or one without a submission's keys. None where it may be one, however broken."""
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
        like = _KEY.search(source.text) is not None
    else:
        like = isinstance(data, dict) and any(_is_key(key, value) for key, value in data.items())
    return None if like else "nothing in it is a submission's"


def _is_key(key: str, value: Data) -> bool:
    """Whether this stands in a submission and nowhere else, but for a slip of the pen."""
    meant = key if key in _KEYS else misspelt(key, _KEYS)
    return meant is not None and isinstance(value, dict) is _HOLDS_MAPPING[meant]


def _packed(error: InputError) -> InputError:
    """The same error; where the file is no text but may be a hand log, with what to do about it."""
    (wrong,) = error.diagnostics
    return error if wrong.code != "not-text" else InputError((replace(wrong, help=f"{wrong.help}; {_AUDIT}"),))


def submission_from(source: Source, rulebook: Rulebook | None = None) -> tuple[Filed, InputFile]:
    """A submission from text at hand, its names looked up in a rulebook where there is one. Raises InputError."""
    try:
        tree = load_tree(source)
    except InputError:
        _no_submission(source.name, _first_line(source))  # lines of JSON are no JSON
        if is_hand_history(source.name, source.data):
            raise _other_thing(source.name, "a log of poker hand histories", _AUDIT) from None
        raise
    _no_submission(source.name, tree.data)
    filed = Filed(submission=_understood(tree, rulebook), tree=tree)
    about = InputFile(
        file=source.name, sha256=source.sha256, kind=InputKind.SUBMISSION, read=1, checked=1, quarantined=0
    )
    return filed, about


def _understood(tree: Tree, rulebook: Rulebook | None) -> Submission:
    """The submission in a file; what is wrong with its form and with its names is told together."""
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
    named = {(one.line, one.column) for one in unknown}
    others = [one for one in problems if (one.line, one.column) not in named]
    raise InputError(at_most(sorted((*unknown, *others), key=lambda one: (one.line or 0, one.column or 0))))


def _with_rows(tree: Tree, rulebook: Rulebook | None) -> Tree:
    """The tree with the rows of printed pay tables that it names, where the rulebook has its document."""
    document = tree.data.get("document") if isinstance(tree.data, dict) else None
    if rulebook is None or document not in rulebook.documents:
        return tree
    return with_printed_rows(tree, rulebook.regulation(str(document)).game)


def _no_submission(name: str, data: object) -> None:
    """Raises InputError where the data are another thing that fairdeal reads, and would be nothing but wrong keys."""
    if not isinstance(data, dict) or "submission" in data:
        return
    for keys, what, help_ in _OTHER_THINGS:
        if keys <= data.keys():
            raise _other_thing(name, what, help_)


def _other_thing(name: str, what: str, help_: str) -> InputError:
    message = f"this is {what}, not a submission"
    return InputError((Diagnostic(code=_NO_SUBMISSION, message=message, file=name, help=help_),))


def _first_line(source: Source) -> object:
    try:
        return json.loads(source.text.partition("\n")[0])
    except (ValueError, RecursionError):
        return None


class JudgedSubmission(Struct, frozen=True, kw_only=True):
    """A submission, the file it stands in, and how every requirement on it came out."""

    filed: Filed
    about: InputFile
    verdicts: list[SubmissionVerdict]


def judge_submissions(
    rulebook: Rulebook,
    submissions: Iterable[tuple[Filed, InputFile]],
    as_of: date | None,
    grants: Sequence[Grant] = (),
    tell: Tell = lambda _: None,
) -> list[JudgedSubmission]:
    """Judge submissions; `tell` hears how far long work has come. Raises InputError for an unknown document."""
    given = list(submissions)
    others = Neighbours([filed.submission for filed, _ in given])
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
        for filed, about in given
    ]


def add_submissions(
    gathering: Gathering, rulebook: Rulebook, judged: Iterable[JudgedSubmission], grants: Sequence[Grant] = ()
) -> None:
    """Gather what submissions come to."""
    for one in judged:
        filed, about, verdicts = one.filed, one.about, one.verdicts
        regulation = rulebook.regulation(filed.submission.document)
        gathering.add_submission(filed.submission, verdicts)
        gathering.inputs.append(about)
        gathering.claims.extend(claims_of(regulation, filed.submission, filed.tree, grants))
        layout = layout_of(filed, verdicts)
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
    tell: Tell = lambda _: None,
) -> Results:
    """Every submission held against the requirements of its document, under the waivers given. Raises InputError.

    `generated` is the time that results bear, given by the caller; nothing here reads a clock. `tell` hears how far
    long work has come.
    """
    filed = by_file(submissions)
    used = tuple(sorted({one.submission.document for one, _ in filed}))
    regulations = {document: rulebook.regulation(document) for document in used}
    gathering = Gathering(regulations=regulations, kinds=JUDGED)
    grants = gathering.add_waivers(by_file(waivers))
    add_submissions(gathering, rulebook, judge_submissions(rulebook, filed, as_of, grants, tell), grants)
    return gathering.results(
        program=program,
        generated=generated,
        as_of=as_of,
        rulebook=rulebook,
        currencies=currencies_of([one for one, _ in filed], currency),
    )
