"""Signatures of results: DSSE envelopes around in-toto statements about results files.

The statement (in-toto Statement v1) has the results file as its subject, by SHA-256. Its predicate `test-result` v0.1
has the outcome of the run, the rulebook and the inputs. The package `securesystemslib` makes keys and envelopes
(Ed25519, ECDSA and RSA); it comes with the extra `fairdeal[sign]`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from fairdeal.validator.results.findings import Status, Verdict
from fairdeal.validator.results.results import Results
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


def build_statement(results: Results, source: Source) -> dict[str, Any]:
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
        "subject": [{"name": source.name, "digest": {"sha256": source.sha256}}],
        "predicateType": PREDICATE,
        "predicate": {
            "result": _RESULT[results.verdict],
            "configuration": [judged_by, *inputs],
            **tests,
            "warnedTests": open_,
        },
    }


def make_envelope(results: Results, source: Source, key: str, password: bytes | None) -> bytes:
    """Return the envelope (JSON) around the statement, signed with a private key in PEM.

    Args:
        password: that of an encrypted key.

    Raises:
        InputError: if the key cannot be read or cannot sign.
    """
    from securesystemslib.dsse import Envelope  # noqa: PLC0415 - an extra
    from securesystemslib.signer import CryptoSigner  # type: ignore[attr-defined]  # noqa: PLC0415

    payload = json.dumps(build_statement(results, source), separators=(",", ":")).encode()
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
