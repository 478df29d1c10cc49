"""`fairdeal demo`: write the evidence of an invented casino, audit it, and show what is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec import Struct

from fairdeal.cli.common.process import ExitCode, make_unknown_name_error, open_output, print_line
from fairdeal.cli.common.shell_completion import complete_folders
from fairdeal.cli.hand_log_commands import audit
from fairdeal.validator.reports.json_report import read_json
from fairdeal.validator.reports.report_wording import format_count
from fairdeal.validator.results.findings import Finding, Severity, Status
from fairdeal.validator.results.results import Results
from fairdeal.validator.rules.rule_files import list_demos
from fairdeal.validator.text.diagnostics import sanitize

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
