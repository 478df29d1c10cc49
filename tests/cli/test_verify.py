"""Saved results verified: forged ones, altered and missing inputs, and signatures by keys of every kind."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from google.protobuf import json_format
from in_toto_attestation.predicates.test_result.v0 import test_result_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement

from tests.facade.commands import Finished, run
from tests.facade.demo import DEMO, comply

INPUTS = ("log.jsonl", "house.yaml")
KEYS: dict[str, Callable[[], Any]] = {
    "ed25519": ed25519.Ed25519PrivateKey.generate,
    "ecdsa": lambda: ec.generate_private_key(ec.SECP256R1()),
    "rsa": lambda: rsa.generate_private_key(65537, 2048),
}


@pytest.fixture(scope="module")
def saved_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the demo and its results, which name its files as they are in the folder of every test."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SOURCE_DATE_EPOCH", "1772409600")
        patched.chdir(tmp_path_factory.mktemp("saved"))
        Path("log.jsonl").write_bytes((DEMO / "hand-log.jsonl").read_bytes())
        Path("house.yaml").write_bytes((DEMO / "submission.yaml").read_bytes())
        assert run("audit", "log.jsonl", "-s", "house.yaml", "-j", "1", "-o", "json:saved.json").code == 1
        return {path.name: path.read_bytes() for path in Path().iterdir()}


@pytest.fixture(autouse=True)
def _write_saved_files(saved_files: dict[str, bytes]) -> None:
    for name, content in saved_files.items():
        Path(name).write_bytes(content)


def forge(alter: Callable[[Any], None], file: str = "saved.json") -> str:
    """Write results with an alteration, otherwise unchanged."""
    lines = []
    data = json.loads(Path(file).read_text())
    alter(data)
    for key, value in data.items():
        if isinstance(value, list):
            entries = ",\n".join(json.dumps(element, separators=(",", ":"), ensure_ascii=False) for element in value)
            lines.append(f'"{key}": [\n{entries}\n]' if value else f'"{key}": []')
        else:
            lines.append(f'"{key}": {json.dumps(value, separators=(",", ":"), ensure_ascii=False)}')
    Path("forged.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    return "forged.json"


def verify(*arguments: str) -> Finished:
    return run("verify", *arguments)


def test_what_is_untouched_is_verified_wherever_it_lies() -> None:
    assert verify("saved.json", *INPUTS).code == 0
    Path("elsewhere").mkdir()
    Path("log.jsonl").rename("elsewhere/evidence.bin")
    Path("house.yaml").rename("elsewhere/paper")
    found = verify("saved.json", "elsewhere/paper", "elsewhere/evidence.bin")
    assert (found.code, found.text.splitlines()[-1]) == (0, "verified")


def test_without_inputs_it_is_verified_as_far_as_it_goes() -> None:
    found = verify("saved.json")
    assert found.code == 4
    assert "? hand log log.jsonl: not available" in found.text
    assert verify("saved.json", "log.jsonl").code == 4


def _find_first_failure(data: Any) -> Any:
    return next(finding for finding in data["findings"] if finding["owed"])


FORGERIES: dict[str, Callable[[Any], None]] = {
    "verdict": lambda data: data.update(verdict="compliant"),
    "an amount in words": lambda data: _find_first_failure(data).update(observed="nothing"),
    "what a rule asks for": lambda data: _find_first_failure(data).update(expected="whatever"),
    "a seat": lambda data: _find_first_failure(data)["where"].update(seat=9),
    "an id": lambda data: _find_first_failure(data).update(id="00000000000000000000"),
    "a licensee": lambda data: data["subject"]["licensees"][0].update(name="Somebody Else"),
    "a gist": lambda data: data["clauses"][0].update(gist="Everything goes."),
    "what is open": lambda data: data["open"].pop(),
    "a told round": lambda data: data["explanations"][0]["chapters"][0]["lines"].append("All was well."),
    "a reason": lambda data: data["quarantined"][0].update(reason="nothing of importance"),
    "a reading": lambda data: data["readings"][0].update(adopted="the other one"),
    "a title": lambda data: data["requirements"][0].update(title="Nothing much"),
}


def test_results_that_nobody_altered_are_no_forgery() -> None:
    assert verify(forge(lambda data: None), *INPUTS).code == 0


@pytest.mark.parametrize("alter", FORGERIES.values(), ids=FORGERIES.keys())
def test_forged_results_are_found_out(alter: Callable[[Any], None]) -> None:
    found = verify(forge(alter), *INPUTS)
    assert found.code == 1
    assert "\nx " in found.text


def test_a_finding_that_was_taken_out_everywhere_is_missing() -> None:
    """All counts are adjusted, so that only judging again can show it."""

    def take_out(data: Any) -> None:
        name = "co-rule10-3card-shine/two-hands-at-most"
        (gone,) = [finding for finding in data["findings"] if finding["requirement"] == name]
        data["findings"].remove(gone)
        entry = next(requirement for requirement in data["requirements"] if requirement["requirement"] == name)
        entry["status"], entry["totals"]["pass"] = "pass", entry["totals"]["pass"] + entry["totals"].pop("fail")
        totals = data["totals"]
        totals["findings"]["fail"] -= 1
        totals["severity"][gone["severity"]] -= 1
        totals["requirements"]["fail"] -= 1
        totals["requirements"]["pass"] += 1
        data["explanations"] = [
            explanation for explanation in data["explanations"] if name not in explanation["requirements"]
        ]

    forged = forge(take_out)
    assert verify(forged).code == 4
    found = verify(forged, *INPUTS)
    assert found.code == 1
    assert "a finding is missing: co-rule10-3card-shine/two-hands-at-most" in found.text


@pytest.mark.parametrize("name", INPUTS)
def test_an_altered_input_is_told(name: str) -> None:
    Path(name).write_bytes(Path(name).read_bytes() + b"\n")
    found = verify("saved.json", *INPUTS)
    assert found.code == 1
    assert f" {name}: altered: SHA-256 is " in found.text


def test_what_is_no_input_is_told() -> None:
    Path("other.yaml").write_text(comply())
    found = verify("saved.json", *INPUTS, "other.yaml")
    assert found.code == 1
    assert "x other.yaml: is not an input of these results" in found.text


def test_by_another_rulebook_nothing_is_judged_again(tmp_path: Path) -> None:
    found = verify(forge(lambda data: data["provenance"].update({"rulebook-sha256": "0" * 64})), *INPUTS)
    assert found.code == 4
    assert "? findings: not audited again" in found.text


def test_a_version_that_does_not_belong_to_the_rulebook_is_found() -> None:
    found = verify(forge(lambda data: data["provenance"].update({"rulebook-version": "9.9"})), *INPUTS)
    assert found.code == 1
    assert "`rulebook_version` is 9.9, and " in found.text


def test_a_baseline_is_an_input_too() -> None:
    second = ("--baseline", "saved.json", "-o", "json:second.json")
    assert run("audit", "log.jsonl", "-s", "house.yaml", "-j", "1", *second).code == 1
    assert verify("second.json", *INPUTS, "saved.json").code == 0
    forged = forge(lambda data: data["findings"][0].update(state="new"), "second.json")
    assert verify(forged, *INPUTS, "saved.json").code == 1
    assert verify(forged, *INPUTS).code == 4


def test_submissions_alone() -> None:
    run("check", "house.yaml", "-o", "json:checked.json")
    assert verify("checked.json", "house.yaml").code == 0
    assert (
        verify(forge(lambda data: data["layouts"][0].update(title="Another"), "checked.json"), "house.yaml").code == 1
    )


def test_results_that_name_a_file_do_not_have_it_opened() -> None:
    os.mkfifo("pipe")  # whoever opened it would wait for ever

    def name(data: Any) -> None:
        entry = {**data["provenance"]["inputs"][0], "file": "pipe", "kind": "profile", "sha256": "0" * 64}
        data["provenance"]["inputs"].append({**entry, "read": 1, "checked": 1, "quarantined": 0, "repeated": 0})

    assert verify(forge(name), *INPUTS).code == 4


def write_keys(kind: str, password: bytes | None = None) -> Any:
    """Write a new pair of keys."""
    key = KEYS[kind]()
    hidden = serialization.NoEncryption() if password is None else serialization.BestAvailableEncryption(password)
    pem = serialization.Encoding.PEM
    Path("key.pem").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, hidden))
    public = key.public_key()
    Path("public.pem").write_bytes(public.public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo))
    return public


@pytest.mark.parametrize("kind", KEYS)
def test_a_signature_is_good_for_the_results_alone(kind: str) -> None:
    write_keys(kind)
    assert run("sign", "saved.json", "--key", "key.pem", "-o", "saved.dsse").code == 0
    signature = ("--signature", "saved.dsse", "--key", "public.pem")
    assert verify("saved.json", *INPUTS, *signature).code == 0
    forged = verify(
        forge(lambda data: data["provenance"].update(generated="2020-01-01T00:00:00Z")), *INPUTS, *signature
    )
    assert forged.code == 1
    assert "x signature: valid, but for other results" in forged.text
    envelope = json.loads(Path("saved.dsse").read_text())
    payload = base64.b64decode(envelope["payload"]).replace(b"FAILED", b"PASSED")
    Path("saved.dsse").write_text(json.dumps({**envelope, "payload": base64.b64encode(payload).decode()}))
    assert "x signature: not valid" in verify("saved.json", *INPUTS, *signature).text
    Path("saved.dsse").write_text(json.dumps(envelope))
    write_keys(kind)
    assert verify("saved.json", *INPUTS, *signature).code == 1


def test_others_can_read_what_is_signed() -> None:
    public = write_keys("ed25519")
    run("sign", "saved.json", "--key", "key.pem", "-o", "saved.dsse")
    envelope = json.loads(Path("saved.dsse").read_text())
    payload = base64.b64decode(envelope["payload"])
    kind = envelope["payloadType"].encode()
    (signature,) = envelope["signatures"]
    public.verify(base64.b64decode(signature["sig"]), b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload))
    said = json.loads(payload)
    Statement.copy_from_pb(json_format.ParseDict(said, statement_pb2.Statement())).validate()
    predicate = json_format.ParseDict(said["predicate"], test_result_pb2.TestResult())
    assert predicate.result == "FAILED"
    named = {resource.name: resource.digest["sha256"] for resource in predicate.configuration}
    saved = json.loads(Path("saved.json").read_text())
    (rulebook,) = (resource for resource in predicate.configuration if resource.name == "rulebook")
    assert json_format.MessageToDict(rulebook)["annotations"] == {
        "version": saved["provenance"]["rulebook-version"],
        "date": saved["provenance"]["rulebook-date"],
    }
    assert named == {
        "rulebook": saved["provenance"]["rulebook-sha256"],
        **{source["file"]: source["sha256"] for source in saved["provenance"]["inputs"]},
    }


def test_a_key_with_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    write_keys("ecdsa", b"a word")
    sign = ("sign", "saved.json", "--key", "key.pem", "-o", "saved.dsse")
    refused = run(*sign)
    assert (refused.code, Path("saved.dsse").exists()) == (3, False)
    assert "FAIRDEAL_KEY_PASSWORD" in refused.err
    monkeypatch.setenv("FAIRDEAL_KEY_PASSWORD", "a word")
    assert run(*sign).code == 0


@pytest.mark.parametrize(
    "envelope", ["{}", "[]", "null", '{"payload": 5}', '{"payload":"","payloadType":"","signatures":[]}', "[" * 100_000]
)
def test_envelopes_of_strangers_are_refused(envelope: str) -> None:
    write_keys("ed25519")
    Path("saved.dsse").write_text(envelope)
    assert verify("saved.json", "--signature", "saved.dsse", "--key", "public.pem").code in {1, 3}


def test_forged_results_are_not_signed() -> None:
    write_keys("ed25519")
    refused = run("sign", forge(FORGERIES["verdict"]), "--key", "key.pem", "-o", "saved.dsse")
    assert (refused.code, Path("saved.dsse").exists()) == (3, False)


def test_openssl_makes_the_keys() -> None:
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", "key.pem"], check=True)
    subprocess.run(["openssl", "pkey", "-in", "key.pem", "-pubout", "-out", "public.pem"], check=True)
    assert run("sign", "saved.json", "--key", "key.pem", "-o", "saved.dsse").code == 0
    assert verify("saved.json", *INPUTS, "--signature", "saved.dsse", "--key", "public.pem").code == 0
