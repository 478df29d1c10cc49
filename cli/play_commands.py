"""Commands that make evidence up: `fairdeal simulate` plays games, and `demo` writes and audits an invented casino."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import yaml
from msgspec import Struct

from fairdeal.cli.common import command_settings, process, shared_options
from fairdeal.cli.common.command_settings import complete_folders, open_rulebook
from fairdeal.cli.common.evaluation import count_progress
from fairdeal.cli.common.process import ExitCode, make_unknown_name_error, open_output, print_line
from fairdeal.cli.hand_log_commands import audit
from fairdeal.validator.audit.run.submission_check import read_submission
from fairdeal.validator.evidence.io.named_files import STDIO
from fairdeal.validator.evidence.log_writers import open_log_writer
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.reports.json_report import read_json
from fairdeal.validator.reports.report_wording import format_count
from fairdeal.validator.results.findings import Finding, Severity, Status
from fairdeal.validator.results.results import Results
from fairdeal.validator.rulebook.dependencies import find_needed_readings
from fairdeal.validator.rulebook.rule_catalogue import resolve_requirement_name
from fairdeal.validator.rulebook.rulebook import Rulebook, read_profile
from fairdeal.validator.rulebook.simulation_file import load_simulation
from fairdeal.validator.rules.regulation import Regulation, apply_profile
from fairdeal.validator.rules.rule_files import list_demos, list_profiles
from fairdeal.validator.simulate.game_simulation import FAULT_INTERVAL, WorkPlan
from fairdeal.validator.simulate.game_simulation import simulate as play
from fairdeal.validator.text.diagnostics import sanitize

MOST_ROUNDS = 10**9
"""Limit of `--rounds`."""


class SeatsType(click.ParamType[tuple[int, int]]):
    """Parameter type of a number or range of seats: 6 or 1-6."""

    name = "N[-M]"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Return the least and the most seats."""
        match = re.fullmatch(r"([1-9][0-9]?)(?:-([1-9][0-9]?))?", str(value))
        if match is None or int(match[1]) > int(match[2] or match[1]):
            self.fail(f"`{value}` is not a number of seats such as 6, nor a range such as 1-6", param, ctx)
        return int(match[1]), int(match[2] or match[1])


@click.command()
@click.argument("game", metavar="GAME", shell_complete=command_settings.complete_games)
@click.option("--rounds", type=click.IntRange(1, MOST_ROUNDS), required=True, help="Number of rounds.")
@click.option("--seed", type=click.IntRange(0), required=True, help="The same seed gives the same log.")
@click.option(
    "-s",
    "--submission",
    "submission",
    metavar="FILE",
    help="Play under this submission.",
    shell_complete=command_settings.complete_files,
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="REQUIREMENT",
    help="Plant violations of this requirement.",
    shell_complete=command_settings.complete_requirements,
)
@click.option(
    "--fault-every",
    type=click.IntRange(1),
    default=FAULT_INTERVAL,
    show_default=True,
    help="Plant one in every n-th suitable round.",
)
@click.option("--seats", type=SeatsType(), help="Seats in play, such as 6 or 1-6.")
@click.option(
    "--vary",
    type=click.IntRange(0, 100),
    default=0,
    show_default=True,
    metavar="PERCENT",
    help="Vary this share of rounds as the rules permit: irregularities, motions, incomplete records.",
)
@click.option("--days", type=click.IntRange(1, 36_500), help="Spread the rounds over this number of gaming days.")
@click.option(
    "--shifts", type=click.IntRange(1, 24), default=1, show_default=True, help="Divide each of --days into shifts."
)
@click.option("--dealers", type=click.IntRange(1, 10_000), help="Name dealers, who change tables every half hour.")
@click.option(
    "-o",
    "--output",
    type=shared_options.OutputPathType(),
    default=STDIO,
    help=".jsonl (also .gz, .zst) or .parquet; - for standard output.",
    shell_complete=command_settings.complete_files,
)
@click.option(
    "--write-submission",
    type=shared_options.OutputPathType(),
    help="Write the submission of the simulated casino.",
    shell_complete=command_settings.complete_files,
)
@shared_options.jobs_option
@shared_options.profile_option
@shared_options.rules_option
def simulate(
    game: str,
    rounds: int,
    seed: int,
    submission: str | None,
    faults: tuple[str, ...],
    fault_every: int,
    seats: tuple[int, int] | None,
    vary: int,
    days: int | None,
    shifts: int,
    dealers: int | None,
    output: str,
    write_submission: str | None,
    jobs: int | None,
    profile: str | None,
    rules: str | None,
) -> int:
    """Simulate a game by its rules and write the hand log.

    GAME is the id of its document. With --fault, suitable rounds violate that requirement; the annotations of each
    record name the planted violations.
    """
    process.ensure_distinct_files(
        [output, *([] if write_submission is None else [write_submission])], [submission, profile], rules=rules
    )
    rulebook = open_rulebook(rules, profile)
    game = command_settings.find_document(rulebook, game)
    if game not in rulebook.games:
        raise click.UsageError(f"`{game}` has no game to simulate. The games are {', '.join(sorted(rulebook.games))}.")
    regulation = rulebook.regulation(game)
    simulation = load_simulation(regulation, rulebook.folder)
    under = simulation.submission if submission is None else _read_given_submission(rulebook, submission)
    with process.unknown_ids_as_usage_errors():
        names = [resolve_requirement_name(regulation, fault) for fault in faults]
    for name in names:
        _ensure_required(rulebook, regulation, name)
    try:
        batches = play(
            compile_game(regulation),
            simulation,
            submission=under,
            rounds=rounds,
            seed=seed,
            faults=names,
            every=fault_every,
            seats=seats,
            vary=vary,
            work=WorkPlan(days=days or 0, shifts=shifts, dealers=dealers or 0),
            jobs=shared_options.choose_processes(jobs),
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if write_submission is not None:
        with process.open_output(write_submission) as stream:
            stream.write(yaml.safe_dump(under.to_file_data(), sort_keys=False, allow_unicode=True, width=100).encode())
    planted: Counter[str] = Counter()
    with (
        process.convert_write_errors(output),
        open_log_writer(process.make_parent_folders(output)) as log,
        count_progress("rounds", rounds) as advance,
    ):
        for batch, faulty in process.collect_between(batches):
            planted.update(name for names_ in faulty for name in names_)
            log.write(batch, faulty)
            advance(len(batch))
    for name in names:
        count = planted[regulation.qualify(name)]
        note = f"planted in {count} rounds" if count else "NOT planted: this run has no suitable round"
        process.print_message(f"{regulation.qualify(name)}: {note}")
    return process.ExitCode.COMPLIANT


def _ensure_required(rulebook: Rulebook, regulation: Regulation, name: str) -> None:
    """Raise UsageError for a requirement that only applies under other readings, with the profiles that choose them."""
    requirement = regulation.find_requirement(name)
    needed = find_needed_readings(regulation, requirement)
    if not needed:
        return
    fitting = [
        known
        for known, path in list_profiles(rulebook.folder).items()
        if not find_needed_readings(apply_profile(regulation, read_profile(rulebook, str(path))), requirement)
    ]
    readings = " and ".join(
        f"the reading `{reading}` is `{option}` (it is `{regulation.choices[reading]}`)"
        for reading, option in needed.items()
    )
    way = (
        f"use --profile {' or '.join(fitting)}"
        if fitting
        else "no shipped profile has this reading; use your own profile (--profile FILE)"
    )
    raise click.UsageError(f"`{regulation.qualify(name)}` applies only if {readings}: {way}")


def _read_given_submission(rulebook: Rulebook, path: str) -> Submission:
    filed, _ = read_submission(rulebook, path)
    return filed.submission


FOLDER = "fairdeal-demo"
"""Default folder of a demo."""
LOG, SUBMISSION, WAIVERS = "hand-log.jsonl", "submission.yaml", "waivers.yaml"
"""Files of the evidence; a demo may have no waivers."""
NOTES = "README.md"
"""File that describes every planted violation."""
REPORT, RESULTS = "report.html", "results.json"
"""Files that the audit writes."""


class DemoFiles(Struct, frozen=True, kw_only=True):
    """Files of a demo: those that are shipped, and the folder into which they are written."""

    shipped: Path
    """Folder of the shipped files."""
    folder: Path
    """Folder of the user."""

    @property
    def evidence(self) -> list[str]:
        """Return the names of the shipped files."""
        return [name for name in (SUBMISSION, LOG, WAIVERS, NOTES) if (self.shipped / name).exists()]

    @property
    def existing(self) -> list[str]:
        """Return the paths of files that the demo would overwrite."""
        paths = [self.folder / name for name in (*self.evidence, REPORT, RESULTS)]
        return [str(path) for path in paths if path.exists()]

    @property
    def audit_arguments(self) -> list[str]:
        """Return the arguments of the audit."""
        arguments = [str(self.folder / LOG), "--submission", str(self.folder / SUBMISSION)]
        if WAIVERS in self.evidence:
            arguments += ["--waivers", str(self.folder / WAIVERS)]
        for format_, name in (("html", REPORT), ("json", RESULTS)):
            arguments += ["--output", f"{format_}:{self.folder / name}"]
        return arguments


@click.command()
@click.argument("folder", default=FOLDER, metavar="[FOLDER]", shell_complete=complete_folders)
@click.option("--game", metavar="GAME", help="Game whose demo is written; by default the first that has one.")
@click.option("--overwrite", is_flag=True, help="Overwrite the files of an earlier demo.")
def demo(folder: str, game: str | None, overwrite: bool) -> int:
    """Write the evidence of an invented casino into FOLDER, audit it, and write a report.

    FOLDER is by default fairdeal-demo. The evidence is a submission, a hand log and the waivers of a regulator, with
    planted violations. The exit code is 0 if the audit finds them.
    """
    demos = list_demos()
    if game is not None and game not in demos:
        raise make_unknown_name_error(demos, game, "demo")
    files = DemoFiles(shipped=demos[game or next(iter(demos))], folder=Path(folder))
    if files.existing and not overwrite:
        raise click.UsageError(f"`{files.existing[0]}` exists already: name another folder, or use --overwrite")
    for name in files.evidence:
        with open_output(str(files.folder / name)) as stream:
            stream.write((files.shipped / name).read_bytes())
    print_line(f"$ fairdeal audit {' '.join(files.audit_arguments)}")
    with audit.make_context("audit", ["--no-config", *files.audit_arguments]) as context:
        code: int = audit.invoke(context)
    if code != ExitCode.VIOLATIONS:
        return code
    for line in _describe_demo(files, read_json(str(files.folder / RESULTS))):
        print_line(sanitize(line))
    return ExitCode.COMPLIANT


def _describe_demo(files: DemoFiles, results: Results) -> Iterator[str]:
    """Yield lines on the planted violations and on the files."""
    failures = [finding for finding in results.findings if finding.status is Status.FAIL]
    ranks = list(Severity)
    counts = Counter((ranks.index(finding.severity), _describe_violation(finding)) for finding in failures)
    yield f"The violations are planted, in {format_count(len(counts), 'kind')}:"
    for (rank, violation), count in sorted(counts.items(), key=lambda item: item[0][0]):
        yield f"  {ranks[rank].value:<8} {count:>3} x  {violation}"
    yield f"report:   {files.folder / REPORT}"
    yield f"results:  {files.folder / RESULTS}"
    if NOTES in files.evidence:
        yield f"planted:  {files.folder / NOTES}"
    yield from _suggest_explanation(files, failures)


def _describe_violation(finding: Finding) -> str:
    """Return what went wrong, and whether a waiver lifts it."""
    return finding.headline if finding.waived is None else f"{finding.headline} (lifted by a waiver)"


def _suggest_explanation(files: DemoFiles, failures: list[Finding]) -> Iterator[str]:
    """Yield the command that explains the round of the first failure in the log."""
    round_ = next((finding.where.round for finding in failures if finding.where.round is not None), None)
    if round_ is not None:
        paths = f"{files.folder / LOG} --round {round_} --submission {files.folder / SUBMISSION}"
        yield f"a round:  fairdeal explain {paths}"
