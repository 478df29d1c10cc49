"""Commands for saved results: `fairdeal compare`, `report`, `verify` and `sign`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from io import StringIO
from itertools import islice

import click

from fairdeal.cli.common.extras import describe_missing_extra, has_scipy
from fairdeal.cli.common.process import ExitCode, exit_code
from fairdeal.cli.common.shared_options import FORMATS, Output, OutputPathType, OutputType, rules_option
from fairdeal.cli.common.shell_completion import complete_files, open_rulebook
from fairdeal.cli.common.standard_streams import ascii_option, ensure_distinct_files, open_output, print_line
from fairdeal.cli.common.verdict_run import write_results
from fairdeal.validator.audit.run.verification import (
    MAX_DIFFERENCES,
    InputPaths,
    StatisticsBuilder,
    VerificationOutcome,
    VerifiedPoint,
    hash_file,
    list_unverified_statements,
    read_located,
    verify_finding_states,
    verify_findings,
    verify_inputs,
)
from fairdeal.validator.reports.json_report import MAX_BYTES, parse_json, read_consistent_results, read_json
from fairdeal.validator.reports.results_consistency import find_contradictions
from fairdeal.validator.reports.signature import can_sign, find_result, make_envelope, verify_signature
from fairdeal.validator.reports.text_report import write_comparison
from fairdeal.validator.results.findings import Severity
from fairdeal.validator.results.results import Results
from fairdeal.validator.results.run_comparison import compare_runs, compare_with_baseline, decide_filtered_verdict
from fairdeal.validator.rulebook.loading.rulebook import Rulebook
from fairdeal.validator.text.diagnostics import sanitize
from fairdeal.validator.text.source import Source, read_source


@click.command()
@click.argument("old", metavar="OLD.json", shell_complete=complete_files)
@click.argument("new", metavar="NEW.json", shell_complete=complete_files)
@click.option(
    "-o",
    "--output",
    "outputs",
    type=OutputType(),
    multiple=True,
    help="Write the new results in this format, with findings marked as new or known, instead of the comparison.",
)
@ascii_option
def compare(old: str, new: str, outputs: Sequence[Output]) -> ExitCode:
    """Compare NEW with OLD, two results that were saved as JSON: findings that are new, known or no longer found.

    The exit code is 1 for new violations, 4 for new unconfirmed rules only, else 0.
    """
    ensure_distinct_files([output.path for output in outputs], [old, new], rules=None)
    source = read_source(old, limit=MAX_BYTES)
    before = read_consistent_results(source)
    now = compare_with_baseline(
        read_consistent_results(read_source(new, limit=MAX_BYTES)), before, file=old, sha256=source.sha256
    )
    if outputs:
        write_results(now, outputs, sources={})
    else:
        text = StringIO()
        write_comparison(before, now, compare_runs(before, now), text)
        print_line(text.getvalue().removesuffix("\n"))
    return exit_code(decide_filtered_verdict(now, new=True, at_least=Severity.MINOR), allow_unproven=False)


@click.command()
@click.argument("results", metavar="RESULTS.json", shell_complete=complete_files)
@click.option("-o", "--output", "outputs", type=OutputType(), multiple=True, required=True, help=f"{FORMATS}.")
@ascii_option
def report(results: str, outputs: Sequence[Output]) -> int:
    """Write results that were saved as JSON in other formats; - is standard input."""
    ensure_distinct_files([output.path for output in outputs], [results], rules=None)
    write_results(read_json(results), outputs, sources={})
    return ExitCode.COMPLIANT


PASSWORD = "FAIRDEAL_KEY_PASSWORD"
"""Environment variable with the password of a private key."""
NOT_INSTALLED = describe_missing_extra("sign")

_MARKS = {VerificationOutcome.SAME: "+", VerificationOutcome.OTHER: "x", VerificationOutcome.NOT_VERIFIED: "?"}


@click.command()
@click.argument("results", metavar="RESULTS.json", shell_complete=complete_files)
@click.argument("inputs", nargs=-1, metavar="[INPUT]...", shell_complete=complete_files)
@click.option(
    "--signature",
    metavar="FILE",
    shell_complete=complete_files,
    help="Signature that `fairdeal sign` wrote; needs --key.",
)
@click.option("--key", metavar="KEY.pem", shell_complete=complete_files, help="Public key of the signer, in PEM.")
@rules_option
def verify(
    results: str, inputs: tuple[str, ...], signature: str | None, key: str | None, rules: str | None
) -> ExitCode:
    """Verify saved results: that their parts agree and, with the INPUTS, that a new run gives the same results.

    INPUTS are the submissions, logs, waivers, profile and baseline of the run, wherever they are now; they must be
    unaltered. The exit code is 1 if the results are wrong, 4 if a part could not be verified, else 0.
    """
    if (signature is None) is not (key is None):
        raise click.UsageError("a signature needs a key: use both --signature and --key")
    ensure_distinct_files([], [results, *inputs], rules=None)
    source = read_source(results, limit=MAX_BYTES)
    saved = parse_json(source)
    points = [
        VerifiedPoint(subject="results", outcome=VerificationOutcome.SAME, says=f"SHA-256 {source.sha256}"),
        *_agreement(saved),
    ]
    if signature is not None and key is not None:
        points.append(_signature(signature, key, source, saved))
    given = [hash_file(path) for path in inputs]
    rulebook = open_rulebook(rules)
    of_inputs, located = verify_inputs(saved, given, rulebook)
    points += of_inputs
    points += _judged_again(saved, rulebook, located)
    for point in points:
        print_line(sanitize(f"{_MARKS[point.outcome]} {point.subject}: {point.says}"))
    if signature is None:  # a signature covers every byte
        for claim in list_unverified_statements(saved):
            print_line(sanitize(f"- not shown by the inputs: {claim}"))
    outcomes = {point.outcome for point in points}
    if VerificationOutcome.OTHER in outcomes:
        print_line("not verified: these results are wrong")
        return ExitCode.VIOLATIONS
    if VerificationOutcome.NOT_VERIFIED in outcomes:
        print_line("verified, except for inputs that are not available")
        return ExitCode.INCONCLUSIVE
    print_line("verified")
    return ExitCode.COMPLIANT


def _agreement(saved: Results) -> list[VerifiedPoint]:
    first = islice(find_contradictions(saved), MAX_DIFFERENCES)
    wrong = [VerifiedPoint(subject="results", outcome=VerificationOutcome.OTHER, says=sentence) for sentence in first]
    says = f"the verdict, {saved.verdict.value}, and all counts agree with the findings"
    return wrong or [VerifiedPoint(subject="results", outcome=VerificationOutcome.SAME, says=says)]


def _signature(path: str, key: str, source: Source, saved: Results) -> VerifiedPoint:
    if not can_sign():
        raise click.UsageError(NOT_INSTALLED)
    statement = verify_signature(path, key)
    if statement is None:
        says = "not valid: made with another key, or for another statement"
        return VerifiedPoint(subject="signature", outcome=VerificationOutcome.OTHER, says=says)
    if (statement.sha256, statement.verdict) != (source.sha256, find_result(saved.verdict)):
        says = f"valid, but for other results: {statement.sha256}"
        return VerifiedPoint(subject="signature", outcome=VerificationOutcome.OTHER, says=says)
    return VerifiedPoint(
        subject="signature", outcome=VerificationOutcome.SAME, says=f"valid, by the key {statement.key}"
    )


def _remake() -> StatisticsBuilder | None:
    """Return how statistics are computed again; None if SciPy is not installed."""
    if not has_scipy():
        return None
    from fairdeal.cli.common.evaluation import compute_statistics  # noqa: PLC0415 - most results have no statistics
    from fairdeal.validator.hold.hold_counts import HoldCounts  # noqa: PLC0415

    return StatisticsBuilder(counter_class=HoldCounts, build=partial(compute_statistics, quiet=True))


def _judged_again(saved: Results, rulebook: Rulebook, located: InputPaths) -> list[VerifiedPoint]:
    if not all(finding.id for finding in saved.findings):
        says = "written in version 1 of the format, which has too little to run again and compare"
        return [VerifiedPoint(subject="findings", outcome=VerificationOutcome.NOT_VERIFIED, says=says)]
    points = list(verify_findings(saved, rulebook, located, None if saved.statistics is None else _remake()))
    baseline = saved.baseline
    if baseline is not None and located.baseline is not None:
        earlier = read_located(located.baseline, baseline.sha256, name=baseline.file, limit=MAX_BYTES)
        points.append(verify_finding_states(saved, read_consistent_results(earlier)))
    return points


@click.command("sign")
@click.argument("results", metavar="RESULTS.json", shell_complete=complete_files)
@click.option("--key", required=True, metavar="KEY.pem", shell_complete=complete_files, help="Private key, in PEM.")
@click.option(
    "-o",
    "--output",
    type=OutputPathType(),
    required=True,
    metavar="FILE",
    help="File for the signature.",
    shell_complete=complete_files,
)
def sign_results(results: str, key: str, output: str) -> ExitCode:
    """Sign saved results with a DSSE envelope around an in-toto statement of their hash.

    An encrypted key needs its password in FAIRDEAL_KEY_PASSWORD.
    """
    if not can_sign():
        raise click.UsageError(NOT_INSTALLED)
    ensure_distinct_files([output], [results, key], rules=None)
    source = read_source(results, limit=MAX_BYTES)
    password = os.environ.get(PASSWORD)
    envelope = make_envelope(read_consistent_results(source), source, key, password.encode() if password else None)
    with open_output(output) as stream:
        stream.write(envelope)
    return ExitCode.COMPLIANT
