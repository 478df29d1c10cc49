"""Checks of saved results: that they agree with themselves and with their signature."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from fairdeal.validator.reports.json_format import UNKNOWN_IN_VERSION_1, SavedFile
from fairdeal.validator.reports.report_wording import count_quarantined
from fairdeal.validator.results.findings import Evidence, Finding, Status, Verdict, Waiver, worst_status
from fairdeal.validator.results.results import (
    CurrencyMoney,
    InputFile,
    InputKind,
    Layout,
    LayoutMark,
    RequirementResult,
    Results,
    decide_verdict,
)
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.source import Source, read_source

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes, PublicKeyTypes


STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"
PAYLOAD = "application/vnd.in-toto+json"
MAX_BYTES = 64 * 1024 * 1024
"""Limit of the size of an envelope in bytes."""

_RESULT = {Verdict.COMPLIANT: "PASSED", Verdict.INCONCLUSIVE: "WARNED", Verdict.VIOLATIONS: "FAILED"}
_TESTS = {"passedTests": Status.PASS, "failedTests": Status.FAIL}


class VerifiedStatement(Struct, frozen=True, kw_only=True):
    """Statement of an envelope whose signature is valid."""

    key: str
    """Id of the key."""
    sha256: str
    """SHA-256 (hex) of the results file."""
    verdict: str
    """Outcome of the run: `PASSED`, `WARNED` or `FAILED`."""


def can_sign() -> bool:
    """Return whether the packages that sign are installed."""
    from importlib.util import find_spec  # noqa: PLC0415 - most runs do not sign

    return all(find_spec(name) is not None for name in ("securesystemslib", "cryptography"))


def build_statement(results: Results, saved: SavedFile) -> dict[str, Any]:
    """Return the in-toto statement about results and the file they were read from."""
    provenance = results.provenance
    edition = {"version": provenance.rulebook_version, "date": provenance.rulebook_date}
    judged_by = {
        "name": "rulebook",
        "digest": {"sha256": provenance.rulebook_sha256},
        "annotations": {key: value for key, value in edition.items() if value is not None},
    }
    inputs = [
        {"name": file.file, "digest": {"sha256": file.sha256}} for file in provenance.inputs if _is_hash(file.sha256)
    ]
    tests = {
        key: [result.requirement for result in results.requirements if result.status is status]
        for key, status in _TESTS.items()
    }
    open_ = [
        result.requirement
        for result in results.requirements
        if result.status in {Status.NOT_EVIDENCED, Status.NEEDS_ATTESTATION, Status.ERROR}
    ]
    return {
        "_type": STATEMENT,
        "subject": [{"name": saved.name, "digest": {"sha256": saved.sha256}}],
        "predicateType": PREDICATE,
        "predicate": {
            "result": _RESULT[results.verdict],
            "configuration": [judged_by, *inputs],
            **tests,
            "warnedTests": open_,
        },
    }


def make_envelope(results: Results, saved: SavedFile, key: str, password: bytes | None) -> bytes:
    """Return the envelope (JSON) around the statement, signed with a private key in PEM.

    Args:
        password: password of the key, if it is encrypted.

    Raises:
        InputError: if the key cannot be read or cannot sign.
    """
    from securesystemslib.dsse import Envelope  # noqa: PLC0415 - an extra
    from securesystemslib.signer import CryptoSigner  # type: ignore[attr-defined]  # noqa: PLC0415

    payload = json.dumps(build_statement(results, saved), separators=(",", ":")).encode()
    private = _private_key(read_source(key), password)
    envelope = Envelope(payload, PAYLOAD, {})
    try:
        envelope.sign(CryptoSigner(private))
    except ValueError as error:
        raise _signature_error(key, f"this key does not sign: {error}", "use an Ed25519, ECDSA or RSA key") from error
    return json.dumps(envelope.to_dict(), indent=1).encode() + b"\n"


def verify_signature(path: str, key: str) -> VerifiedStatement | None:
    """Return the statement of an envelope; None if its signature is not valid for a public key in PEM.

    Raises:
        InputError: if either file cannot be read, or the statement is not about results.
    """
    from securesystemslib.dsse import Envelope  # noqa: PLC0415 - an extra
    from securesystemslib.exceptions import VerificationError  # noqa: PLC0415
    from securesystemslib.signer import SSlibKey  # type: ignore[attr-defined]  # noqa: PLC0415

    source = read_source(path, limit=MAX_BYTES)
    public = _public_key(read_source(key))
    try:
        known = SSlibKey.from_crypto(public)
    except ValueError as error:
        raise _signature_error(key, f"this key does not sign: {error}", "use an Ed25519, ECDSA or RSA key") from error
    try:
        envelope = Envelope.from_dict(json.loads(source.text))
        envelope.verify([known], 1)
    except VerificationError:
        return None
    except Exception as error:  # whatever else an envelope of a stranger leads the library to
        raise _signature_error(path, "this is not a DSSE envelope", "name a file that `fairdeal sign` wrote") from error
    return _read_statement(path, known.keyid, envelope.payload_type, envelope.payload)


def _read_statement(path: str, key: str, kind: str, payload: bytes) -> VerifiedStatement:
    try:
        read = json.loads(payload)
        (subject,) = read["subject"]
        sha256, result = subject["digest"]["sha256"], read["predicate"]["result"]
        fits = (kind, read["_type"], read["predicateType"]) == (PAYLOAD, STATEMENT, PREDICATE)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _signature_error(path, "the signed statement is not about results", None) from error
    if not fits or not isinstance(sha256, str) or result not in _RESULT.values():
        raise _signature_error(path, "the signed statement is not about results", None)
    return VerifiedStatement(key=key, sha256=sha256, verdict=result)


def find_result(verdict: Verdict) -> str:
    """Return the result of a verdict in a statement."""
    return _RESULT[verdict]


def _private_key(source: Source, password: bytes | None) -> PrivateKeyTypes:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415 - an extra

    try:
        return load_pem_private_key(source.data, password)
    except (ValueError, TypeError) as error:
        help_ = "name a private key in PEM; one that is encrypted needs FAIRDEAL_KEY_PASSWORD"
        raise _signature_error(source.name, "this private key cannot be read", help_) from error


def _public_key(source: Source) -> PublicKeyTypes:
    from cryptography.hazmat.primitives.serialization import load_pem_public_key  # noqa: PLC0415 - an extra

    try:
        return load_pem_public_key(source.data)
    except (ValueError, TypeError) as error:
        raise _signature_error(source.name, "this public key cannot be read", "name a public key in PEM") from error


def _is_hash(text: str) -> bool:
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def _signature_error(file: str, message: str, help_: str | None) -> InputError:
    return InputError((Diagnostic(code="signature", message=message, file=file, help=help_),))


_AT_ROUNDS = frozenset({Evidence.ROUND, Evidence.SESSION})
_SHOWN = frozenset({Status.FAIL, Status.ERROR, Status.NOT_EVIDENCED, Status.NEEDS_ATTESTATION})
"""Statuses that have findings."""


class _Tally(Struct):
    """Counts of the findings of one requirement, by status."""

    findings: Counter[Status] = field(default_factory=Counter)
    """Number of findings."""
    items: Counter[Status] = field(default_factory=Counter)
    """Sum of the counts of the findings."""
    records: Counter[Status] = field(default_factory=Counter)
    """Number of records that have findings."""
    last: dict[Status, tuple[str | None, int | None]] = field(default_factory=dict)
    """File and line of the last record."""
    waivers: Counter[Waiver | None] = field(default_factory=Counter)
    """Violations by their waiver, None for those without."""

    def add(self, finding: Finding) -> None:
        """Count a finding."""
        status, where = finding.status, finding.where
        record = (where.file, None if where.round is None else where.line)  # a submission is one record
        self.findings[status] += 1
        self.items[status] += finding.count
        if self.last.get(status) != record:  # findings of a requirement are in the order of their records
            self.last[status] = record
            self.records[status] += 1
        if status is Status.FAIL:
            self.waivers[finding.waived] += 1


def find_contradictions(results: Results) -> Iterator[str]:
    """Yield a sentence for each part of the results that contradicts another."""
    doubtful = count_quarantined(results) + sum(file.contradicted for file in results.provenance.inputs)
    verdict = decide_verdict(results.requirements, quarantined=doubtful)
    if results.verdict is not verdict:
        yield f"`verdict` is {results.verdict.value}, but requirements and quarantined records give {verdict.value}"
    if results.statistics is not None and not 0 < results.statistics.level < 1:
        yield f"`level` of the statistics is {results.statistics.level}, which is no probability between 0 and 1"
    inputs = {file.file: file for file in results.provenance.inputs}
    yield from _compare_inputs(results, inputs)
    tallies: dict[str, _Tally] = {}
    sums: dict[str | None, tuple[int, int, int]] = {}
    known = {requirement.requirement for requirement in results.requirements}
    for finding in results.findings:
        if finding.requirement not in known:
            yield f"there are findings of {finding.requirement}, which is not a requirement of these results"
            continue
        tallies.setdefault(finding.requirement, _Tally()).add(finding)
        waiver = finding.waived
        if finding.is_on_money:
            currency = finding.currency or results.subject.currency
            failures, owed, overpaid = sums.get(currency, (0, 0, 0))
            sums[currency] = failures + 1, owed + (finding.owed or 0), overpaid + (finding.overpaid or 0)
        if (
            waiver is not None
            and waiver.file != UNKNOWN_IN_VERSION_1
            and _kind(inputs, waiver.file) is not InputKind.WAIVERS
        ):
            yield f"{finding.requirement} is waived by {waiver.file}, which is not a file of waivers among the inputs"
    for requirement in results.requirements:
        yield from _compare_totals(requirement, tallies.get(requirement.requirement, _Tally()))
    yield from _compare_records(results)
    baseline = results.baseline
    if any((finding.state is None) is not (baseline is None) for finding in results.findings):
        yield "findings must be new or known if there is a baseline, and only then"
    if baseline is not None and len(baseline.gone) > baseline.gone_found:
        yield "more findings are listed as gone than are counted"
    if results.money is not None:
        for money in results.money.by_currency:
            currency = money.currency or results.subject.currency
            yield from _compare_money(money, sums.pop(currency, (0, 0, 0)))
        for currency, (failures, _, _) in sums.items():
            yield f"`money` leaves out {failures} findings in {currency or 'no currency'}"
    pairs = {(name, status) for name, tally in tallies.items() for status in tally.findings}
    for layout in results.layouts:
        for mark in _marks(layout):
            if (mark.requirement, mark.status) not in pairs:
                yield f"a layout is marked for {mark.requirement} ({mark.status.value}), which has no finding"
    for session in results.sessions:
        if len(session.gaps) > session.gaps_found:
            yield f"table {session.table} lists more gaps than it counts"


def _compare_inputs(results: Results, inputs: Mapping[str, InputFile]) -> Iterator[str]:
    for name, number in Counter(file.file for file in results.provenance.inputs).items():
        if number > 1:
            yield f"{number} inputs are called {name}, so their names do not distinguish them"
    for file in results.provenance.inputs:
        if file.read != file.checked + file.quarantined + file.repeated or file.contradicted > file.checked:
            yield f"the records read from {file.file} are not the sum of those checked, quarantined and repeated"
    listed, quarantined = len(results.quarantined), sum(file.quarantined for file in results.provenance.inputs)
    if listed > quarantined or (listed < quarantined and not listed):
        yield f"{listed} quarantined records are listed, but the inputs count {quarantined}"
    for entry in results.quarantined:
        if _kind(inputs, entry.file) is not InputKind.HAND_LOG:
            yield f"a record of {entry.file} is quarantined, which is not a hand log among the inputs"


def _compare_totals(requirement: RequirementResult, counts: _Tally) -> Iterator[str]:
    name, totals = requirement.requirement, requirement.totals
    expected = worst_status(totals) if totals else Status.NOT_EVIDENCED
    if requirement.status is not expected:
        yield f"{name} is {requirement.status.value}, but its totals give {expected.value}"
    for status in _SHOWN:
        total = totals.get(status, 0)
        if bool(total) != bool(counts.findings[status]):
            yield f"{name} is {status.value} {total} times by its totals, and in {counts.findings[status]} findings"
        elif total > counts.items[status] or (status is not Status.ERROR and counts.records[status] > total):
            yield f"{name} is {status.value} {total} times by its totals, which its findings do not add up to"
        elif status is Status.NOT_EVIDENCED and requirement.evidence in _AT_ROUNDS and total != counts.items[status]:
            times = counts.items[status]
            yield f"{name} is {status.value} {total} times by its totals, and {times} times by its findings"
    for status in set(counts.findings) - _SHOWN:
        yield f"{name} has findings that are {status.value}"
    failures, lifted = counts.waivers.total(), counts.waivers.total() - counts.waivers[None]
    if (requirement.waived is not None) != (failures > 0 and failures == lifted):
        mark = "waived" if requirement.waived else "not waived"
        yield f"{name} is marked as {mark}, but {lifted} of its {failures} failures are waived"
    elif requirement.waived is not None and requirement.waived not in counts.waivers:
        yield f"{name} is marked with a waiver that none of its failures has"


def _compare_money(money: CurrencyMoney, listed: tuple[int, int, int]) -> Iterator[str]:
    """Compare sums with the unwaived violations listed: their number, amount owed and amount overpaid."""
    if (money.findings, money.owed, money.overpaid) != listed:
        stated = f"{money.findings} findings, {money.owed} owed and {money.overpaid} overpaid"
        yield f"`money` is {stated}; those listed are {listed[0]}, {listed[1]} and {listed[2]}"
    for by in dict.fromkeys(total.by for total in money.sums):
        of_kind = [total for total in money.sums if total.by == by]
        sums = tuple(sum(getattr(total, name) for total in of_kind) for name in ("findings", "owed", "overpaid"))
        if any(part > whole for part, whole in zip(sums, listed, strict=True)):
            yield f"the sums of `money` by {by} are more than all findings"


def _compare_records(results: Results) -> Iterator[str]:
    """Check that every requirement of a document was evaluated on as many rounds, or submissions, as all others."""
    for evidence, kind in ((_AT_ROUNDS, InputKind.HAND_LOG), (frozenset(Evidence) - _AT_ROUNDS, InputKind.SUBMISSION)):
        judged: dict[str, set[int]] = {}
        for requirement in results.requirements:
            if requirement.evidence in evidence:
                judged.setdefault(requirement.document, set()).add(sum(requirement.totals.values()))
        for document, sums in judged.items():
            if len(sums) > 1:
                yield f"requirements of {document} were checked against different numbers of records: {sorted(sums)}"
        checked = sum(file.checked for file in results.provenance.inputs if file.kind is kind)
        total = sum(max(sums) for sums in judged.values())
        if total > checked or (total < checked and judged.keys() >= set(results.provenance.documents)):
            yield f"requirements were checked against {total} records, but the inputs count {checked} as checked"


def _marks(layout: Layout) -> Iterator[LayoutMark]:
    yield from layout.marks
    for area in layout.areas:
        yield from (*area.marks, *area.legend_marks)
    for sign in layout.signage:
        yield from sign.marks


def _kind(inputs: Mapping[str, InputFile], file: str) -> InputKind | None:
    return inputs[file].kind if file in inputs else None
