"""fairdeal from Python: load the rulebook, check a submission, audit a log or an Arrow table, get findings.

    import fairdeal

    rulebook = fairdeal.load_rulebook()
    results = fairdeal.check(rulebook, "submission.yaml")
    for finding in results.findings:
        print(finding.status, finding.requirement, finding.where.line, finding.observed)

Nothing here reads a clock: results bear the time the caller gives, and none where it gives none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from validator.audit.applicability.waiver_file import read_waivers
from validator.audit.run.submission_check import check_submissions, read_submission
from validator.results.findings import Finding
from validator.results.results import Results
from validator.results.statuses import Status, Verdict
from validator.rules.loading.profile import read_as_chosen
from validator.rules.loading.rulebook import Rulebook
from validator.text.diagnostics import Diagnostic, InputError

if TYPE_CHECKING:
    import pyarrow as pa

PROGRAM = "fairdeal (Python)"
UNDATED = "not stated"
NO_FILE = "none: a table in memory"

__all__ = [
    "Finding",
    "InputError",
    "Results",
    "Rulebook",
    "Status",
    "Verdict",
    "audit",
    "audit_table",
    "check",
    "load_rulebook",
]


def load_rulebook(folder: str | Path | None = None, *, profile: str | Path | None = None) -> Rulebook:
    """The rulebook of a rules folder (the shipped one where none is named), read as a profile chooses.

    Documents are loaded when they are first used. Raises InputError for a folder without documents, and for a profile
    that cannot be read or does not fit the rulebook.
    """
    rulebook = Rulebook(folder=None if folder is None else Path(folder))
    if not rulebook.documents:
        message = "this is not a rules folder: none of its folders has a document.yaml"
        raise InputError((Diagnostic(code="no-rules", message=message, file=str(folder)),))
    return rulebook if profile is None else read_as_chosen(rulebook, str(profile))


def check(
    rulebook: Rulebook,
    *submissions: str | Path,
    waivers: Iterable[str | Path] = (),
    as_of: date | None = None,
    generated: str = UNDATED,
) -> Results:
    """Submissions held against the requirements of their documents, under a regulator's waivers. Raises InputError."""
    read = [read_submission(rulebook, str(path)) for path in submissions]
    granted = [read_waivers(rulebook, str(path)) for path in waivers]
    return check_submissions(rulebook, read, program=PROGRAM, generated=generated, as_of=as_of, waivers=granted)


def audit(
    rulebook: Rulebook,
    *logs: str | Path,
    submissions: Iterable[str | Path] = (),
    waivers: Iterable[str | Path] = (),
    as_of: date | None = None,
    generated: str = UNDATED,
    jobs: int = 1,
) -> Results:
    """Hand logs audited, round by round, under the submissions and the regulator's waivers given. Raises InputError."""
    from validator.audit.run.log_audit import Audit  # noqa: PLC0415 - checking a submission does without numpy
    from validator.evidence.readers.open_log import HandLog  # noqa: PLC0415

    inquiry = Audit(
        rulebook,
        [read_submission(rulebook, str(path)) for path in submissions],
        as_of=as_of,
        waivers=[read_waivers(rulebook, str(path)) for path in waivers],
    )

    def refused(error: InputError) -> NoReturn:
        raise error

    inquiry.add_logs((HandLog(str(path), variants=inquiry.variants) for path in logs), jobs=jobs, refused=refused)
    return inquiry.results(program=PROGRAM, generated=generated)


def audit_table(
    rulebook: Rulebook,
    table: pa.Table,
    *,
    submissions: Sequence[str | Path] = (),
    waivers: Iterable[str | Path] = (),
    as_of: date | None = None,
    generated: str = UNDATED,
    name: str = "table",
) -> Results:
    """Rounds in an Arrow table of the form of a Parquet log audited. Raises InputError where it has another form."""
    from validator.audit.run.log_audit import Audit  # noqa: PLC0415
    from validator.evidence.arrow.reader import batches_from_arrow  # noqa: PLC0415

    inquiry = Audit(
        rulebook,
        [read_submission(rulebook, str(path)) for path in submissions],
        as_of=as_of,
        waivers=[read_waivers(rulebook, str(path)) for path in waivers],
    )
    decoded = batches_from_arrow(table, known_games=inquiry.games, file=name)
    inquiry.add_decoded(decoded, name=name, sha256=NO_FILE)
    return inquiry.results(program=PROGRAM, generated=generated)
