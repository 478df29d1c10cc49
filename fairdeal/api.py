"""fairdeal from Python: load the rulebook, check a submission, audit a log or an Arrow table, get findings.

    import fairdeal

    rulebook = fairdeal.load_rulebook()
    results = fairdeal.check(rulebook, "submission.yaml")
    for finding in results.findings:
        print(finding.status, finding.requirement, finding.where.line, finding.observed)

Nothing here reads a clock: results bear the time the caller gives, and none where it gives none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from validator.audit.applicability.waiver_file import read_waivers
from validator.audit.run.submission_check import check_submissions, read_submission
from validator.results.findings import Finding
from validator.results.results import Results
from validator.results.statuses import Status, Verdict
from validator.rulebook.loading.profile import read_as_chosen
from validator.rulebook.loading.rulebook import Rulebook
from validator.text.diagnostics import Diagnostic, InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from validator.audit.run.parts import JudgedPart
    from validator.audit.run.plan import AuditPlan, Partial

PROGRAM = "fairdeal (Python)"
UNDATED = "not stated"

__all__ = [
    "Finding",
    "InputError",
    "Results",
    "Rulebook",
    "Status",
    "Verdict",
    "audit",
    "audit_plan",
    "audit_table",
    "check",
    "combine",
    "load_rulebook",
    "merge",
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
    from validator.audit.engines.engine import audit_logs  # noqa: PLC0415 - checking a submission does without numpy
    from validator.audit.engines.local import LocalEngine  # noqa: PLC0415
    from validator.evidence.readers.open_log import HandLog  # noqa: PLC0415

    plan = audit_plan(rulebook, submissions, waivers, as_of=as_of)
    given = (HandLog(str(path), variants=plan.variants) for path in logs)
    engine = LocalEngine(jobs=jobs)
    return audit_logs(engine, plan, given, program=PROGRAM, generated=generated, refused=_raised)


def _raised(error: InputError) -> NoReturn:
    raise error


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
    from validator.audit.run.merge import results_of  # noqa: PLC0415
    from validator.audit.run.parts import JudgedPart, table_part  # noqa: PLC0415

    plan = audit_plan(rulebook, submissions, waivers, as_of=as_of)
    part = table_part(table, name=name)

    def judge(by: AuditPlan) -> Iterator[JudgedPart]:
        yield JudgedPart(part=part, verdicts=by.verdicts(part))

    return results_of(plan, judge, program=PROGRAM, generated=generated, refused=_raised)


def audit_plan(
    rulebook: Rulebook,
    submissions: Iterable[str | Path] = (),
    waivers: Iterable[str | Path] = (),
    profile: str | Path | None = None,
    *,
    as_of: date | None = None,
    currency: str | None = None,
) -> AuditPlan:
    """What logs are to be judged by, wherever that is done: a plan cuts them into parts, and judges a part.

    Raises InputError.
    """
    from validator.audit.run.plan import AuditPlan  # noqa: PLC0415

    chosen = rulebook if profile is None else read_as_chosen(rulebook, str(profile))
    return AuditPlan(
        chosen,
        [read_submission(chosen, str(path)) for path in submissions],
        as_of=as_of,
        waivers=[read_waivers(chosen, str(path)) for path in waivers],
        currency=currency,
    )


def combine(partials: Iterable[Partial]) -> Partial:
    """What parts come to by a plan, put together: in any order, and any of them first. A part counts once.

    Raises ValueError where there are none, or they are of several plans.
    """
    from validator.audit.run import merge as merging  # noqa: PLC0415

    return merging.combine(partials)


def merge(partials: Iterable[Partial], *, program: str = PROGRAM, generated: str = UNDATED) -> Results:
    """The results of an audit whose parts were judged by a plan, all of them, wherever that was done.

    The same as one process would come to. Raises InputError for a log that cannot be read, ValueError where a part is
    missing or partials are of several plans.
    """
    from validator.audit.run import merge as merging  # noqa: PLC0415

    return merging.merge(partials, program=program, generated=generated, refused=_raised)
