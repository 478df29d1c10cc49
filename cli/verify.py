"""`fairdeal verify` and `fairdeal sign`: saved results verified against their inputs, and signed."""

from __future__ import annotations

import os
from functools import partial
from itertools import islice

import click

from cli.common.completion import files
from cli.common.exits import ExitCode
from cli.common.options import OutputPathType, rules_option
from cli.common.rulebook import open_rulebook
from cli.common.statistics import has_scipy, statistics_in
from cli.common.streams import keep_apart, open_output, say
from validator.audit.run.verification import (
    MOST,
    Located,
    Outcome,
    Point,
    Remake,
    hashed,
    list_unshown,
    read_located,
    verify_findings,
    verify_inputs,
    verify_states,
)
from validator.reports.agreement import disagreements
from validator.reports.json_report import MAX_BYTES, parse_json, results_in
from validator.reports.signature import available, result_of, sign, signed
from validator.results.results import Results
from validator.rulebook.loading.rulebook import Rulebook
from validator.text.source import Source, read_source
from validator.text.visible import visible

PASSWORD = "FAIRDEAL_KEY_PASSWORD"
"""Environment variable with the password of a private key."""
NOT_INSTALLED = "this needs the extra `sign`: pip install 'fairdeal[sign]'"

_MARKS = {Outcome.SAME: "+", Outcome.OTHER: "x", Outcome.NOT_VERIFIED: "?"}


@click.command()
@click.argument("results", metavar="RESULTS.json", shell_complete=files)
@click.argument("inputs", nargs=-1, metavar="[INPUT]...", shell_complete=files)
@click.option(
    "--signature", metavar="FILE", shell_complete=files, help="Signature that `fairdeal sign` wrote; needs --key."
)
@click.option("--key", metavar="KEY.pem", shell_complete=files, help="Public key of the signer, in PEM.")
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
    keep_apart([], [results, *inputs], rules=None)
    source = read_source(results, limit=MAX_BYTES)
    saved = parse_json(source)
    points = [Point(subject="results", outcome=Outcome.SAME, says=f"SHA-256 {source.sha256}"), *_agreement(saved)]
    if signature is not None and key is not None:
        points.append(_signature(signature, key, source, saved))
    given = [hashed(path) for path in inputs]
    rulebook = open_rulebook(rules)
    of_inputs, located = verify_inputs(saved, given, rulebook)
    points += of_inputs
    points += _judged_again(saved, rulebook, located)
    for point in points:
        say(visible(f"{_MARKS[point.outcome]} {point.subject}: {point.says}"))
    if signature is None:  # a signature covers every byte
        for claim in list_unshown(saved):
            say(visible(f"- not shown by the inputs: {claim}"))
    outcomes = {point.outcome for point in points}
    if Outcome.OTHER in outcomes:
        say("not verified: these results are wrong")
        return ExitCode.VIOLATIONS
    if Outcome.NOT_VERIFIED in outcomes:
        say("verified, except for inputs that are not available")
        return ExitCode.INCONCLUSIVE
    say("verified")
    return ExitCode.COMPLIANT


def _agreement(saved: Results) -> list[Point]:
    first = islice(disagreements(saved), MOST)
    wrong = [Point(subject="results", outcome=Outcome.OTHER, says=sentence) for sentence in first]
    says = f"the verdict, {saved.verdict.value}, and all counts agree with the findings"
    return wrong or [Point(subject="results", outcome=Outcome.SAME, says=says)]


def _signature(path: str, key: str, source: Source, saved: Results) -> Point:
    if not available():
        raise click.UsageError(NOT_INSTALLED)
    statement = signed(path, key)
    if statement is None:
        says = "not valid: made with another key, or for another statement"
        return Point(subject="signature", outcome=Outcome.OTHER, says=says)
    if (statement.sha256, statement.verdict) != (source.sha256, result_of(saved.verdict)):
        says = f"valid, but for other results: {statement.sha256}"
        return Point(subject="signature", outcome=Outcome.OTHER, says=says)
    return Point(subject="signature", outcome=Outcome.SAME, says=f"valid, by the key {statement.key}")


def _remake() -> Remake | None:
    """Return how statistics are computed again; None if SciPy is not installed."""
    if not has_scipy():
        return None
    from validator.hold.counted import HoldCounts  # noqa: PLC0415 - most results have no statistics

    return Remake(counts=HoldCounts, of=partial(statistics_in, quiet=True))


def _judged_again(saved: Results, rulebook: Rulebook, located: Located) -> list[Point]:
    if not all(finding.id for finding in saved.findings):
        says = "written in version 1 of the format, which has too little to run again and compare"
        return [Point(subject="findings", outcome=Outcome.NOT_VERIFIED, says=says)]
    points = list(verify_findings(saved, rulebook, located, None if saved.statistics is None else _remake()))
    baseline = saved.baseline
    if baseline is not None and located.baseline is not None:
        earlier = read_located(located.baseline, baseline.sha256, name=baseline.file, limit=MAX_BYTES)
        points.append(verify_states(saved, results_in(earlier)))
    return points


@click.command("sign")
@click.argument("results", metavar="RESULTS.json", shell_complete=files)
@click.option("--key", required=True, metavar="KEY.pem", shell_complete=files, help="Private key, in PEM.")
@click.option(
    "-o",
    "--output",
    type=OutputPathType(),
    required=True,
    metavar="FILE",
    help="File for the signature.",
    shell_complete=files,
)
def sign_results(results: str, key: str, output: str) -> ExitCode:
    """Sign saved results with a DSSE envelope around an in-toto statement of their hash.

    An encrypted key needs its password in FAIRDEAL_KEY_PASSWORD.
    """
    if not available():
        raise click.UsageError(NOT_INSTALLED)
    keep_apart([output], [results, key], rules=None)
    source = read_source(results, limit=MAX_BYTES)
    password = os.environ.get(PASSWORD)
    envelope = sign(results_in(source), source, key, password.encode() if password else None)
    with open_output(output) as stream:
        stream.write(envelope)
    return ExitCode.COMPLIANT
