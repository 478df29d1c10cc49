"""Commands for saved results: `fairdeal compare`, `report`, `verify` and `sign`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from io import StringIO
from itertools import islice

import click
from msgspec.structs import replace

from fairdeal.cli.common import process, shared_options
from fairdeal.cli.common.command_settings import complete_files, open_rulebook
from fairdeal.cli.common.shared_options import FORMATS
from fairdeal.cli.common.verdict_run import failures_only_option, write_results
from fairdeal.validator.audit.run import verification
from fairdeal.validator.reports import results_consistency
from fairdeal.validator.reports.json_format import read_saved_file
from fairdeal.validator.reports.json_report import parse_json, read_consistent_results, read_json
from fairdeal.validator.reports.text_report import write_comparison
from fairdeal.validator.results.derived_results import compare_runs, compare_with_baseline, decide_filtered_verdict
from fairdeal.validator.results.findings import Severity
from fairdeal.validator.results.results import Results
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.text.diagnostics import sanitize


@click.command()
@click.argument("old", metavar="OLD.json", shell_complete=complete_files)
@click.argument("new", metavar="NEW.json", shell_complete=complete_files)
@click.option(
    "-o",
    "--output",
    "outputs",
    type=shared_options.OutputType(),
    multiple=True,
    help="Write the new results in this format, with findings marked as new or known, instead of the comparison.",
)
@process.ascii_option
def compare(old: str, new: str, outputs: Sequence[shared_options.Output]) -> process.ExitCode:
    """Compare NEW with OLD, two results that were saved as JSON: findings that are new, known or no longer found.

    The exit code is 1 for new violations, 4 for new unconfirmed rules only, else 0.
    """
    process.ensure_distinct_files([output.path for output in outputs], [old, new], rules=None)
    saved = read_saved_file(old)
    before = read_consistent_results(saved)
    now = compare_with_baseline(read_json(new), before, file=old, sha256=saved.sha256)
    if outputs:
        write_results(now, outputs, sources={})
    else:
        text = StringIO()
        write_comparison(before, now, compare_runs(before, now), text)
        process.print_line(text.getvalue().removesuffix("\n"))
    return process.exit_code(decide_filtered_verdict(now, new=True, at_least=Severity.MINOR), allow_unproven=False)


@click.command()
@click.argument("results", metavar="RESULTS.json", shell_complete=complete_files)
@click.option(
    "-o", "--output", "outputs", type=shared_options.OutputType(), multiple=True, required=True, help=f"{FORMATS}."
)
@failures_only_option
@shared_options.texts_option
@shared_options.rules_folder_option
@process.ascii_option
def report(
    results: str, outputs: Sequence[shared_options.Output], failures_only: bool, texts: str | None, rules: str | None
) -> int:
    """Write results that were saved as JSON in other formats; - is standard input."""
    process.ensure_distinct_files([output.path for output in outputs], [results], rules=rules)
    quoted = {} if texts is None else shared_options.quote_texts(texts, open_rulebook(rules))
    write_results(replace(read_json(results), texts=quoted), outputs, sources={}, failures_only=failures_only)
    return process.ExitCode.COMPLIANT


PASSWORD = "FAIRDEAL_KEY_PASSWORD"
"""Environment variable with the password of a private key."""
NOT_INSTALLED = process.describe_missing_extra("sign")

_MARKS = {
    verification.VerificationOutcome.SAME: "+",
    verification.VerificationOutcome.OTHER: "x",
    verification.VerificationOutcome.NOT_VERIFIED: "?",
}


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
@shared_options.rules_option
def verify(
    results: str, inputs: tuple[str, ...], signature: str | None, key: str | None, rules: str | None
) -> process.ExitCode:
    """Verify saved results: that their parts agree and, with the INPUTS, that a new run gives the same results.

    INPUTS are the submissions, logs, waivers, profile and baseline of the run, wherever they are now; they must be
    unaltered. The exit code is 1 if the results are wrong, 4 if a part could not be verified, else 0.
    """
    if (signature is None) is not (key is None):
        raise click.UsageError("a signature needs a key: use both --signature and --key")
    process.ensure_distinct_files([], [results, *inputs], rules=None)
    file = read_saved_file(results)
    saved = parse_json(file)
    points = [
        verification.VerifiedPoint(
            subject="results", outcome=verification.VerificationOutcome.SAME, says=f"SHA-256 {file.sha256}"
        ),
        *_agreement(saved),
    ]
    if signature is not None and key is not None:
        points.append(_signature(signature, key, file.sha256, saved))
    given = [verification.hash_file(path) for path in inputs]
    rulebook = open_rulebook(rules)
    of_inputs, located = verification.verify_inputs(saved, given, rulebook)
    points += of_inputs
    points += _judged_again(saved, rulebook, located)
    for point in points:
        process.print_line(sanitize(f"{_MARKS[point.outcome]} {point.subject}: {point.says}"))
    if signature is None:  # a signature covers every byte
        for claim in verification.list_unverified_statements(saved):
            process.print_line(sanitize(f"- not shown by the inputs: {claim}"))
    outcomes = {point.outcome for point in points}
    if verification.VerificationOutcome.OTHER in outcomes:
        process.print_line("not verified: these results are wrong")
        return process.ExitCode.VIOLATIONS
    if verification.VerificationOutcome.NOT_VERIFIED in outcomes:
        process.print_line("verified, except for inputs that are not available")
        return process.ExitCode.INCONCLUSIVE
    process.print_line("verified")
    return process.ExitCode.COMPLIANT


def _agreement(saved: Results) -> list[verification.VerifiedPoint]:
    first = islice(results_consistency.find_contradictions(saved), verification.MAX_DIFFERENCES)
    wrong = [
        verification.VerifiedPoint(subject="results", outcome=verification.VerificationOutcome.OTHER, says=sentence)
        for sentence in first
    ]
    says = f"the verdict, {saved.verdict.value}, and all counts agree with the findings"
    return wrong or [
        verification.VerifiedPoint(subject="results", outcome=verification.VerificationOutcome.SAME, says=says)
    ]


def _signature(path: str, key: str, sha256: str, saved: Results) -> verification.VerifiedPoint:
    if not results_consistency.can_sign():
        raise click.UsageError(NOT_INSTALLED)
    statement = results_consistency.verify_signature(path, key)
    if statement is None:
        says = "not valid: made with another key, or for another statement"
        return verification.VerifiedPoint(
            subject="signature", outcome=verification.VerificationOutcome.OTHER, says=says
        )
    if (statement.sha256, statement.verdict) != (sha256, results_consistency.find_result(saved.verdict)):
        says = f"valid, but for other results: {statement.sha256}"
        return verification.VerifiedPoint(
            subject="signature", outcome=verification.VerificationOutcome.OTHER, says=says
        )
    return verification.VerifiedPoint(
        subject="signature", outcome=verification.VerificationOutcome.SAME, says=f"valid, by the key {statement.key}"
    )


def _remake() -> verification.StatisticsBuilder | None:
    """Return how statistics are computed again; None if SciPy is not installed."""
    if not process.has_scipy():
        return None
    from fairdeal.cli.common.evaluation import compute_statistics  # noqa: PLC0415 - most results have no statistics
    from fairdeal.validator.hold.hold_counts import HoldCounts  # noqa: PLC0415

    return verification.StatisticsBuilder(counter_class=HoldCounts, build=partial(compute_statistics, quiet=True))


def _judged_again(
    saved: Results, rulebook: Rulebook, located: verification.InputPaths
) -> list[verification.VerifiedPoint]:
    if not all(finding.id for finding in saved.findings):
        says = "written in version 1 of the format, which has too little to run again and compare"
        return [
            verification.VerifiedPoint(
                subject="findings", outcome=verification.VerificationOutcome.NOT_VERIFIED, says=says
            )
        ]
    points = list(
        verification.verify_findings(saved, rulebook, located, None if saved.statistics is None else _remake())
    )
    baseline = saved.baseline
    if baseline is not None and located.baseline is not None:
        earlier = verification.read_baseline(located.baseline, baseline)
        points.append(verification.verify_finding_states(saved, earlier))
    return points


@click.command("sign")
@click.argument("results", metavar="RESULTS.json", shell_complete=complete_files)
@click.option("--key", required=True, metavar="KEY.pem", shell_complete=complete_files, help="Private key, in PEM.")
@click.option(
    "-o",
    "--output",
    type=shared_options.OutputPathType(),
    required=True,
    metavar="FILE",
    help="File for the signature.",
    shell_complete=complete_files,
)
def sign_results(results: str, key: str, output: str) -> process.ExitCode:
    """Sign saved results with a DSSE envelope around an in-toto statement of their hash.

    An encrypted key needs its password in FAIRDEAL_KEY_PASSWORD.
    """
    if not results_consistency.can_sign():
        raise click.UsageError(NOT_INSTALLED)
    process.ensure_distinct_files([output], [results, key], rules=None)
    saved = read_saved_file(results)
    password = os.environ.get(PASSWORD)
    envelope = results_consistency.make_envelope(
        read_consistent_results(saved), saved, key, password.encode() if password else None
    )
    with process.open_output(output) as stream:
        stream.write(envelope)
    return process.ExitCode.COMPLIANT
