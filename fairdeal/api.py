"""Python API: load the rulebook, check a submission, audit a log or an Arrow table, get findings, write reports.

    import fairdeal

    rulebook = fairdeal.load_rulebook()
    results = fairdeal.check(rulebook, "submission.yaml")
    for finding in results.findings:
        print(finding.status, finding.requirement, finding.where.line, finding.observed)
    fairdeal.write_results(results, "report.html")

No function reads a clock: results have the time that the caller passes as `generated`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from fairdeal.validator.audit.granted_waivers import read_waivers
from fairdeal.validator.audit.run.submission_check import check_submissions, file_submission, read_submission
from fairdeal.validator.results.findings import Finding, Status, Verdict
from fairdeal.validator.results.results import Results
from fairdeal.validator.rulebook.rulebook import Rulebook, open_with_profile
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, quote
from fairdeal.validator.text.source import decode_source

if TYPE_CHECKING:
    import pyarrow as pa

    from fairdeal.validator.audit.round_explanation import RoundExplanation
    from fairdeal.validator.audit.run.audit_plan import AuditPlan, Partial
    from fairdeal.validator.audit.run.log_parts import CheckedPart
    from fairdeal.validator.audit.submissions.submission_requirements import FiledSubmission
    from fairdeal.validator.audit.submissions_in_force import RoundCounter
    from fairdeal.validator.odds.odds_figures import DocumentOdds
    from fairdeal.validator.results.game_statistics import Statistics
    from fairdeal.validator.results.results import InputFile

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
    "explain",
    "findings_table",
    "hold",
    "load_results",
    "load_rulebook",
    "merge",
    "odds",
    "simulate",
    "write_results",
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
    *submissions: str | Path | Mapping[str, Any],
    waivers: Iterable[str | Path] = (),
    as_of: date | None = None,
    baseline: str | Path | None = None,
    generated: str = UNDATED,
) -> Results:
    """Check submissions against the requirements of their documents.

    Args:
        rulebook: the rulebook.
        submissions: files of submissions, mappings with their keys, or their text in YAML or JSON, of several lines.
        waivers: files of the regulator's waivers.
        as_of: day whose rules apply; by default the first day of each submission.
        baseline: saved results of an earlier run, with which findings are compared.
        generated: time that the results state.

    Raises:
        InputError: if a file cannot be read.
    """
    read = [_read_submission(rulebook, given) for given in submissions]
    granted = [read_waivers(rulebook, str(path)) for path in waivers]
    results = check_submissions(rulebook, read, program=PROGRAM, generated=generated, as_of=as_of, waivers=granted)
    return results if baseline is None else _compare_with(results, str(baseline))


def _read_submission(rulebook: Rulebook, given: str | Path | Mapping[str, Any]) -> tuple[FiledSubmission, InputFile]:
    """Read a submission from a file, a mapping, or text of several lines."""
    if isinstance(given, Mapping):
        return file_submission(
            decode_source("<mapping>", json.dumps(given, default=str).encode()), rulebook, by_schema=True
        )
    text = str(given)
    if "\n" in text:
        return file_submission(decode_source("<text>", text.encode()), rulebook, by_schema=True)
    return read_submission(rulebook, text)


def _compare_with(results: Results, baseline: str) -> Results:
    """Return results whose findings are compared with those of an earlier run."""
    from fairdeal.validator.reports.json_format import read_saved_file  # noqa: PLC0415
    from fairdeal.validator.reports.json_report import read_consistent_results  # noqa: PLC0415 - few runs are compared
    from fairdeal.validator.results.derived_results import compare_with_baseline  # noqa: PLC0415

    saved = read_saved_file(baseline)
    return compare_with_baseline(results, read_consistent_results(saved), file=baseline, sha256=saved.sha256)


def audit(
    rulebook: Rulebook,
    *logs: str | Path,
    submissions: Iterable[str | Path] = (),
    waivers: Iterable[str | Path] = (),
    as_of: date | None = None,
    currency: str | None = None,
    baseline: str | Path | None = None,
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
        currency: currency of all amounts; rounds in another one are quarantined.
        baseline: saved results of an earlier run, with which findings are compared.
        generated: time that the results state.
        jobs: number of processes.

    Raises:
        InputError: if a file cannot be read.
    """
    from fairdeal.validator.audit.run.run_engines import LocalEngine, audit_logs  # noqa: PLC0415 - it imports NumPy
    from fairdeal.validator.evidence.hand_log import HandLog  # noqa: PLC0415

    plan = audit_plan(rulebook, submissions, waivers, as_of=as_of, currency=currency)
    given = (HandLog(str(path), variants=plan.load_variants) for path in logs)
    engine = LocalEngine(jobs=jobs)
    results = audit_logs(engine, plan, given, program=PROGRAM, generated=generated, refused=_raise_error)
    return results if baseline is None else _compare_with(results, str(baseline))


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


FORMATS_BY_ENDING = {
    ".txt": "text",
    ".json": "json",
    ".html": "html",
    ".md": "markdown",
    ".sarif": "sarif",
    ".xml": "junit",
    ".csv": "csv",
    ".xlsx": "xlsx",
    ".sqlite": "sqlite",
}
"""Format of results by the ending of their file."""


def write_results(results: Results, path: str | Path, output: str | None = None) -> None:
    """Write results to a file, whole or not at all: the same bytes as `fairdeal audit --output FORMAT:FILE`.

    Args:
        results: the results.
        path: the file; its folder must exist.
        output: format, as in `--output`; by default that of the ending of the file.

    Raises:
        ValueError: if there is no such format, or the ending does not show one.
        OSError: if the file cannot be written.
    """
    from fairdeal.validator.reports.renderers import RENDERERS  # noqa: PLC0415
    from fairdeal.validator.text.source import write_atomically  # noqa: PLC0415

    name = output or FORMATS_BY_ENDING.get(Path(path).suffix.lower(), str(path))
    if name not in RENDERERS:
        raise ValueError(f"{name!r} shows no format: name one of {', '.join(RENDERERS)}")
    with write_atomically(path) as stream:
        RENDERERS[name](results, stream)


def load_results(path: str | Path) -> Results:
    """Load results that were saved as JSON.

    The content is checked, but not whether the results are those of their inputs, as `fairdeal verify` does.

    Raises:
        InputError: if the file cannot be read or contradicts itself.
    """
    from fairdeal.validator.reports.json_report import read_json  # noqa: PLC0415

    return read_json(str(path))


def findings_table(results: Results) -> pa.Table:
    """Return all findings as an Arrow table with the columns of CSV: text, days, whole numbers.

    Amounts (`owed`, `overpaid`) are in minor units of `currency`, with `exponent` decimals.
    """
    import pyarrow  # noqa: PLC0415 - slow to import

    from fairdeal.validator.reports.formats.finding_rows import FINDING_COLUMNS, ColumnKind, make_row  # noqa: PLC0415

    types = {ColumnKind.NUMBER: pyarrow.int64(), ColumnKind.MONEY: pyarrow.int64(), ColumnKind.DAY: pyarrow.date32()}
    schema = pyarrow.schema([(name, types.get(kind, pyarrow.string())) for name, kind in FINDING_COLUMNS.items()])
    rows = [make_row(finding, results) for finding in results.findings]
    columns = zip(*rows, strict=True) if rows else ((),) * len(schema)
    return pyarrow.table(
        [pyarrow.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema
    )


def explain(
    rulebook: Rulebook,
    log: str | Path,
    round: str,  # noqa: A002 - the name of the option
    *,
    submissions: Iterable[str | Path] = (),
    casino: str | None = None,
    table: str | None = None,
) -> RoundExplanation:
    """Explain one round of a hand log step by step: what happened, and what each wager should be paid and why.

    Args:
        rulebook: the rulebook.
        log: file of the hand log.
        round: id of the round.
        submissions: files of submissions.
        casino: casino, if several have a round of this id.
        table: table, if several have a round of this id.

    Raises:
        InputError: if a file cannot be read, or the log has no readable round of this id.
    """
    from fairdeal.validator.audit.round_explanation import explain_round, find_round  # noqa: PLC0415
    from fairdeal.validator.audit.submissions_in_force import AuditContext  # noqa: PLC0415
    from fairdeal.validator.evidence.hand_log import HandLog  # noqa: PLC0415

    filed = [read_submission(rulebook, str(path))[0].submission for path in submissions]
    context = AuditContext(rulebook=rulebook, submissions=filed, as_of=None)
    given = HandLog(str(log), variants=context.load_variants)
    batch = find_round(given, round, context, casino=casino, table=table)
    if batch is None:
        message = f"this log has no readable round `{round}`"
        raise InputError((Diagnostic(code="no-such-round", message=message, file=str(log)),))
    return explain_round(context, batch)


def hold(
    rulebook: Rulebook,
    *logs: str | Path,
    submissions: Iterable[str | Path] = (),
    level: float = 0.95,
    currency: str | None = None,
    jobs: int = 1,
) -> Statistics:
    """Compare the win of hand logs with the odds of their games; amounts are in minor units.

    Args:
        rulebook: the rulebook.
        logs: files of hand logs.
        submissions: files of submissions.
        level: probability that chance alone leaves a result inside its interval.
        currency: currency of all amounts; rounds in another one are left out.
        jobs: number of processes.

    Raises:
        InputError: if a file cannot be read.
        ImportError: if SciPy is not installed.
    """
    from fairdeal.validator.audit.run.audit_plan import build_audit_plan  # noqa: PLC0415
    from fairdeal.validator.audit.run.run_engines import LocalEngine, audit_logs  # noqa: PLC0415
    from fairdeal.validator.evidence.hand_log import HandLog  # noqa: PLC0415
    from fairdeal.validator.hold.hold_counts import HoldCounts  # noqa: PLC0415
    from fairdeal.validator.hold.hold_statistics import compute_game_statistics  # noqa: PLC0415

    read = [read_submission(rulebook, str(path)) for path in submissions]
    plan = build_audit_plan(rulebook, read, currency=currency, counts=HoldCounts, judge=False)
    given = (HandLog(str(path), variants=plan.load_variants) for path in logs)
    total = HoldCounts()

    def add(counted: RoundCounter) -> None:
        assert isinstance(counted, HoldCounts)
        total.add(counted)

    engine = LocalEngine(jobs=jobs)
    audit_logs(engine, plan, given, program=PROGRAM, generated=UNDATED, refused=_raise_error, counted=add)
    return compute_game_statistics(total, rulebook, level=level)


def odds(
    rulebook: Rulebook,
    game: str,
    *,
    submission: str | Path | None = None,
    wager: str | None = None,
    rounds: int = 1_000_000,
    seed: int = 1,
) -> DocumentOdds:
    """Compute the odds and the house advantage of the wagers of a game; figures are fractions such as `1/36`.

    Args:
        rulebook: the rulebook, under its profile of readings.
        game: id of the document of the game.
        submission: file of a submission, whose choices decide between pay tables and ways of play.
        wager: the one wager; None for all.
        rounds: number of simulated rounds, if there are too many deals to count.
        seed: seed of the simulation.

    Raises:
        InputError: if there is no such document or wager, or the submission cannot be read or is for another game.
    """
    from fairdeal.validator.engine.core.house_terms import build_configuration  # noqa: PLC0415
    from fairdeal.validator.odds.wager_odds import work_out_odds  # noqa: PLC0415

    regulation = rulebook.regulation(game)
    known = () if regulation.game is None else (*regulation.game.wagers, *regulation.game.bonuses)
    if wager is not None and wager not in known:
        message = f"the game has no wager {quote(wager)}"
        _raise_error(
            InputError((Diagnostic(code="unknown-wager", message=message, help=f"it has {', '.join(known)}"),))
        )
    stated = None
    if submission is not None:
        filed = read_submission(rulebook, str(submission))[0].submission
        if filed.document != game:
            message = f"the submission is for {quote(filed.document)}, not for {quote(game)}"
            _raise_error(InputError((Diagnostic(code="other-game", message=message, file=str(submission)),)))
        stated = build_configuration(filed)
    return work_out_odds(regulation, stated=stated, wager=wager, rounds=rounds, seed=seed)


def simulate(
    rulebook: Rulebook,
    game: str,
    path: str | Path,
    *,
    rounds: int,
    seed: int,
    faults: Sequence[str] = (),
    days: int = 0,
    shifts: int = 1,
    dealers: int = 0,
    jobs: int = 1,
) -> None:
    """Play a game by its rules and write the hand log; the ending of the file chooses the format.

    Args:
        rulebook: the rulebook.
        game: id of the document of the game.
        path: file of the log: `.jsonl`, `.jsonl.gz`, `.jsonl.zst` or `.parquet`.
        rounds: number of rounds.
        seed: the same seed gives the same log.
        faults: requirements that some rounds violate.
        days: number of gaming days over which rounds are spread; 0 plays without a pause.
        shifts: number of shifts of a gaming day.
        dealers: number of dealers; 0 leaves them unrecorded.
        jobs: number of processes.

    Raises:
        KeyError: if there is no such document or requirement.
        ValueError: if the game cannot be played so.
        OSError: if the file cannot be written.
    """
    from fairdeal.validator.evidence.log_writers import open_log_writer  # noqa: PLC0415
    from fairdeal.validator.operators.operator_table import compile_game  # noqa: PLC0415
    from fairdeal.validator.rulebook.rule_catalogue import resolve_requirement_name  # noqa: PLC0415
    from fairdeal.validator.rulebook.simulation_file import load_simulation  # noqa: PLC0415
    from fairdeal.validator.simulate import game_simulation  # noqa: PLC0415

    regulation = rulebook.regulation(game)
    simulation = load_simulation(regulation, rulebook.folder)
    batches = game_simulation.simulate(
        compile_game(regulation),
        simulation,
        submission=simulation.submission,
        rounds=rounds,
        seed=seed,
        faults=[resolve_requirement_name(regulation, fault) for fault in faults],
        work=game_simulation.WorkPlan(days=days, shifts=shifts, dealers=dealers),
        jobs=jobs,
    )
    with open_log_writer(str(path)) as log:
        for batch, planted in batches:
            log.write(batch, planted)
