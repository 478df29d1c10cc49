"""Python API: load the rulebook, check a submission, audit a log or an Arrow table, get findings.

    import fairdeal

    rulebook = fairdeal.load_rulebook()
    results = fairdeal.check(rulebook, "submission.yaml")
    for finding in results.findings:
        print(finding.status, finding.requirement, finding.where.line, finding.observed)

No function reads a clock: results have the time that the caller passes as `generated`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from fairdeal.validator.audit.applicability.granted_waivers import read_waivers
from fairdeal.validator.audit.run.submission_check import check_submissions, read_submission
from fairdeal.validator.results.findings import Finding, Status, Verdict
from fairdeal.validator.results.results import Results
from fairdeal.validator.rulebook.loading.rulebook import Rulebook, open_with_profile
from fairdeal.validator.text.diagnostics import Diagnostic, InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from fairdeal.validator.audit.run.audit_plan import AuditPlan, Partial
    from fairdeal.validator.audit.run.log_parts import CheckedPart

PROGRAM = "fairdeal (Python)"
"""Name of the program in results."""
UNDATED = "not stated"
"""Time in results if the caller passes none."""

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
    """Load the rulebook of a rules folder, by default the shipped one.

    Documents are loaded when they are first used.

    Args:
        folder: the rules folder.
        profile: name or file of a profile that chooses readings.

    Raises:
        InputError: if the folder has no document, or the profile cannot be read or does not fit the rulebook.
    """
    rulebook = Rulebook(folder=None if folder is None else Path(folder))
    if not rulebook.documents:
        message = "this is not a rules folder: none of its folders has a document.yaml"
        raise InputError((Diagnostic(code="no-rules", message=message, file=str(folder)),))
    return rulebook if profile is None else open_with_profile(rulebook, str(profile))


def check(
    rulebook: Rulebook,
    *submissions: str | Path,
    waivers: Iterable[str | Path] = (),
    as_of: date | None = None,
    generated: str = UNDATED,
) -> Results:
    """Check submissions against the requirements of their documents.

    Args:
        rulebook: the rulebook.
        submissions: files of submissions.
        waivers: files of the regulator's waivers.
        as_of: day whose rules apply; by default the first day of each submission.
        generated: time that the results state.

    Raises:
        InputError: if a file cannot be read.
    """
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
    """Audit hand logs, round by round.

    Args:
        rulebook: the rulebook.
        logs: files of hand logs.
        submissions: files of submissions that rounds are checked against.
        waivers: files of the regulator's waivers.
        as_of: day whose rules apply; by default the day of each round.
        generated: time that the results state.
        jobs: number of processes.

    Raises:
        InputError: if a file cannot be read.
    """
    from fairdeal.validator.audit.run.local_engine import LocalEngine, audit_logs  # noqa: PLC0415 - it imports NumPy
    from fairdeal.validator.evidence.hand_log import HandLog  # noqa: PLC0415

    plan = audit_plan(rulebook, submissions, waivers, as_of=as_of)
    given = (HandLog(str(path), variants=plan.load_variants) for path in logs)
    engine = LocalEngine(jobs=jobs)
    return audit_logs(engine, plan, given, program=PROGRAM, generated=generated, refused=_raise_error)


def _raise_error(error: InputError) -> NoReturn:
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
    """Audit the rounds in an Arrow table with the columns of a Parquet log.

    Args:
        table: the rounds.
        name: name of the table in results.

    Raises:
        InputError: if a file cannot be read, or the table has other columns.
    """
    from fairdeal.validator.audit.run.audit_merge import build_results  # noqa: PLC0415
    from fairdeal.validator.audit.run.log_parts import CheckedPart, build_table_part  # noqa: PLC0415

    plan = audit_plan(rulebook, submissions, waivers, as_of=as_of)
    part = build_table_part(table, name=name)

    def judge(by: AuditPlan) -> Iterator[CheckedPart]:
        yield CheckedPart(part=part, verdicts=by.check_part(part))

    return build_results(plan, judge, program=PROGRAM, generated=generated, refused=_raise_error)


def audit_plan(
    rulebook: Rulebook,
    submissions: Iterable[str | Path] = (),
    waivers: Iterable[str | Path] = (),
    profile: str | Path | None = None,
    *,
    as_of: date | None = None,
    currency: str | None = None,
) -> AuditPlan:
    """Return a plan that splits logs into parts and evaluates parts, in this process or elsewhere.

    Raises:
        InputError: if a file cannot be read.
    """
    from fairdeal.validator.audit.run.audit_plan import build_audit_plan  # noqa: PLC0415

    chosen = rulebook if profile is None else open_with_profile(rulebook, str(profile))
    return build_audit_plan(
        chosen,
        [read_submission(chosen, str(path)) for path in submissions],
        as_of=as_of,
        waivers=[read_waivers(chosen, str(path)) for path in waivers],
        currency=currency,
    )


def combine(partials: Iterable[Partial]) -> Partial:
    """Combine the partial results of a plan, in any order; each part counts once.

    Raises:
        ValueError: if there are none, or they are of several plans.
    """
    from fairdeal.validator.audit.run import audit_merge as merging  # noqa: PLC0415

    return merging.combine_partials(partials)


def merge(partials: Iterable[Partial], *, program: str = PROGRAM, generated: str = UNDATED) -> Results:
    """Merge all partial results of a plan into results, which are those of an audit in one process.

    Raises:
        InputError: if a log cannot be read.
        ValueError: if a part is missing, or they are of several plans.
    """
    from fairdeal.validator.audit.run import audit_merge as merging  # noqa: PLC0415

    return merging.merge_partials(partials, program=program, generated=generated, refused=_raise_error)
