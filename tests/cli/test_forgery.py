"""Forged results: whichever one value is another one than the program wrote, `verify` does not call them verified."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519

import fairdeal.cli.saved_results_commands as command
from fairdeal.cli.common.command_settings import open_rulebook
from fairdeal.validator.audit.run import verification
from tests.facade.commands import Finished, run
from tests.facade.demo import DEMO, demo_lines, demo_submission
from tests.facade.results import Cause, Evidence, FindingState, InputKind, Severity, Status, Verdict

Path_ = tuple[str | int, ...]
INPUTS = ("log.jsonl", "house.yaml", "waivers.yaml", "old.json")
UNSHOWN = {
    "provenance/program": "no input says which program judged it",
    "provenance/generated": "nor when",
    "provenance/as-of": "by the law of another day the same may come out",
    "subject/currency": "it may be asked for, where the evidence names none",
    "provenance/inputs/*/file": "an input is known by its hash, wherever it lies now",
    "baseline/file": "so is a baseline",
}
"""Values that may differ and still be verified, each with the reason; `verify` lists them each time."""
ENUMS: tuple[type[StrEnum], ...] = (Cause, Evidence, InputKind, Severity, FindingState, Status, Verdict)
FORGERIES = 90
"""Forged results that are tried, of some two hundred."""
OTHERS: tuple[Any, ...] = ("other", 1, True, "2026-03-02", ["other"])
"""Values that may replace null."""


@pytest.fixture(autouse=True)
def one_rulebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """Load the rulebook once for all verifications."""
    monkeypatch.setattr(command, "open_rulebook", cache(open_rulebook))


@pytest.fixture(autouse=True)
def one_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Audit the same inputs under the same names once in a test: most forgeries change neither."""
    audit_again = verification._audit_again
    known: dict[str, Any] = {}

    def audit_once(rulebook: Any, results: Any, located: Any, remake: Any) -> Any:
        level = None if results.statistics is None or remake is None else results.statistics.level
        key = repr((results.provenance, results.subject.currency, located, level))
        if key not in known:
            known[key] = audit_again(rulebook, results, located, remake)
        return known[key]

    monkeypatch.setattr(verification, "_audit_again", audit_once)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Results with something in every part, what they were made from, and the same with statistics."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SOURCE_DATE_EPOCH", "1772409600")
        patched.chdir(tmp_path_factory.mktemp("saved"))
        lines = demo_lines()
        Path("log.jsonl").write_text("\n".join([*lines[:12], lines[25]]) + "\n")
        Path("house.yaml").write_text(demo_submission())
        Path("waivers.yaml").write_bytes((DEMO / "waivers.yaml").read_bytes())
        audit = ("audit", "log.jsonl", "-s", "house.yaml", "-j", "1", "-q")
        assert run(*audit, "-o", "json:old.json").code == 1
        more = ("--waivers", "waivers.yaml", "--profile", "card-room-custom", "--baseline", "old.json")
        assert run(*audit, *more, "-o", "json:saved.json").code == 1
        return {path.name: path.read_bytes() for path in Path().iterdir()}


@pytest.fixture
def saved_results(files: dict[str, bytes]) -> Any:
    for name, content in files.items():
        Path(name).write_bytes(content)
    return json.loads(files["saved.json"])


def verify(data: Any, *inputs: str) -> Finished:
    Path("forged.json").write_text(json.dumps(data))
    return run("verify", "forged.json", *(inputs or INPUTS))


def _list_places(data: Any, path: Path_ = ()) -> Iterator[Path_]:
    """Yield the places of all values, the outermost first."""
    yield path
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from _list_places(value, (*path, key))


def _shape(path: Path_) -> str:
    return "/".join("*" if isinstance(step, int) else step for step in path)


def _get_value(data: Any, path: Path_) -> Any:
    for step in path:
        data = data[step]
    return data


def _list_other_values(value: Any, alike: list[Any]) -> list[Any]:
    """Return values that might replace a value; for a word of a list, another word of it."""
    if value is None:
        return [text for text in alike if text is not None][:1] or list(OTHERS)
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value + 1]
    if isinstance(value, str):
        words = [member.value for kind in ENUMS for member in kind if value in {each.value for each in kind}]
        return [next(word for word in words if word != value)] if words else [f"{value}x"]
    return []


def forge_results(data: Any, chance: Random) -> Iterator[tuple[str, Any]]:
    """Yield results with one value changed, one entry taken out, or one added, at one place of each shape."""
    by_shape: dict[str, list[Path_]] = {}
    for path in _list_places(data):
        by_shape.setdefault(_shape(path), []).append(path)
    for shape, paths in by_shape.items():
        path = chance.choice(paths)
        value = _get_value(data, path)
        if path and not isinstance(value, dict | list):
            for other in _list_other_values(value, [_get_value(data, path) for path in paths]):
                forged = copy.deepcopy(data)
                _get_value(forged, path[:-1])[path[-1]] = other
                yield shape, forged
        elif value and isinstance(value, list):
            for entries in (value[:-1], [*value, value[0]]):
                forged = copy.deepcopy(data)
                _get_value(forged, path[:-1])[path[-1]] = entries
                yield f"{shape} (entries)", forged


def is_distinguished(data: Any, chance: Random) -> None:
    """Make sure that no forgery is verified but where nothing shows it, and that no fault of the program comes up."""
    wrong, seen = [], 0
    for shape, forged in chance.sample(list(forge_results(data, chance)), FORGERIES):
        found = verify(forged)
        seen += 1
        refused = found.code == 3 and found.err.startswith("error[results]: ") and "--> forged.json:1:" in found.err
        if not (refused or found.code in {1, 4} or (found.code == 0 and shape in UNSHOWN)):
            wrong.append((shape, found.code, found.err))
        if found.code in {0, 4}:
            assert found.text.count("- not shown by the inputs: ") == 3
    assert not wrong, "\n".join(map(str, wrong))
    assert seen > 10


LOOK_ALIKE = str.maketrans({"a": "\N{CYRILLIC SMALL LETTER A}", "e": "\N{CYRILLIC SMALL LETTER IE}", "-": "\N{HYPHEN}"})
NUMBERS = ("{}.0", "{}e0", "{}0e-1", "0{}", "NaN", "-Infinity", "1e999", "9" * 400, "-{}")
"""Other ways to write a whole number."""


def _list_written_otherwise(value: Any) -> Iterator[str]:
    """Yield JSON in the place of a value: of other types, in other formats, and with other characters."""
    if isinstance(value, bool) or value is None:
        yield from ("0", "1", '""', "[]", "{}")
    elif isinstance(value, int | float):
        yield from (form.format(value) for form in NUMBERS if form.format(value) != "-0")
        yield from (json.dumps(str(value)), "null", "true")
    elif isinstance(value, str):
        forms = (f"{value} ", f"{value}\u200b", f"{value}\0", value.translate(LOOK_ALIKE), value.upper(), value[:-1])
        yield from (json.dumps(form) for form in forms if form != value)
        yield from (f'{json.dumps(value)[:-1]}\\ud800"', "null", "1")
    elif isinstance(value, list):
        yield from (json.dumps(entries) for entries in (value[::-1], value[1:], [*value, None]) if entries != value)
        yield from ("null", "{}")
    else:
        yield from ("null", "[]", json.dumps({**value, "x": 1}))
        for key in value:
            rest = json.dumps({name: part for name, part in value.items() if name != key})
            yield rest
            yield f"{json.dumps(value)[:-1]}, {json.dumps(key)}: {json.dumps(value[key])}}}"
            yield f'{{"\\u{ord(key[0]):04x}{key[1:]}": 5, {json.dumps(value)[1:]}'
            if key.translate(LOOK_ALIKE) != key:
                yield json.dumps({name.translate(LOOK_ALIKE) if name == key else name: value[name] for name in value})


def _list_rewritten(data: Any, chance: Random, count: int) -> Iterator[tuple[str, str]]:
    """Yield results with a value written otherwise, at places of every shape."""
    by_shape: dict[str, list[Path_]] = {}
    for path in _list_places(data):
        by_shape.setdefault(_shape(path), []).append(path)
    found: list[tuple[str, Path_, str]] = []
    for shape, paths in by_shape.items():
        path = chance.choice(paths)
        found += [(shape, path, other) for other in _list_written_otherwise(_get_value(data, path)) if path]
    for shape, path, other in chance.sample(found, count):
        marked = copy.deepcopy(data)
        _get_value(marked, path[:-1])[path[-1]] = "THE FORGED VALUE"
        yield shape, json.dumps(marked).replace('"THE FORGED VALUE"', other)


def test_whatever_is_written_otherwise_is_found(saved_results: Any, randomly: Random) -> None:
    wrong = []
    for shape, forged in _list_rewritten(saved_results, randomly, 40):
        Path("forged.json").write_text(forged)
        found = run("verify", "forged.json", *INPUTS)
        if found.code not in {1, 3, 4} and shape not in UNSHOWN:
            wrong.append((shape, found.code, found.err))
    assert not wrong, "\n".join(map(str, wrong))


def test_the_same_results_in_another_layout_are_verified(saved_results: Any) -> None:
    """The order of keys, the layout and escapes of characters mean nothing."""

    def turn(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: turn(part) for key, part in reversed(value.items())}
        return [turn(part) for part in value] if isinstance(value, list) else value

    assert verify(turn(saved_results)).code == 0
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in saved_results["verdict"])
    text = json.dumps(saved_results, indent=3).replace(f'"{saved_results["verdict"]}"', f'"{escaped}"')
    Path("forged.json").write_text(text)
    assert run("verify", "forged.json", *INPUTS).code == 0


def test_what_nobody_changed_is_verified(saved_results: Any) -> None:
    found = verify(saved_results)
    assert (found.code, found.text.splitlines()[-1]) == (0, "verified")


def test_whatever_is_changed_is_found(saved_results: Any, randomly: Random) -> None:
    is_distinguished(saved_results, randomly)


def test_whatever_is_changed_of_statistics_is_found(saved_results: Any, randomly: Random) -> None:
    pytest.importorskip("scipy", reason="SciPy is not installed: pip install 'fairdeal[statistics]'")
    run("audit", "log.jsonl", "-s", "house.yaml", "-j", "1", "-q", "--statistics", "-o", "json:counted.json")
    counted = json.loads(Path("counted.json").read_text())
    assert verify(counted, "log.jsonl", "house.yaml").code == 0
    changed = list(forge_results({"statistics": counted["statistics"]}, randomly))
    for shape, part in randomly.sample(changed, 12):
        assert verify({**counted, **part}, "log.jsonl", "house.yaml").code in {1, 3, 4}, shape


@pytest.fixture
def randomly() -> Random:
    return Random(35)


def test_an_input_of_an_unknown_kind_is_refused(saved_results: Any) -> None:
    """It would be hashed and never judged."""
    evil = Path("evil.jsonl")
    evil.write_text("\n".join(demo_lines()[12:25]) + "\n")
    (log,) = [source for source in saved_results["provenance"]["inputs"] if source["kind"] == "hand log"]
    other = {**log, "file": "evil.jsonl", "sha256": sha256(evil.read_bytes()).hexdigest()}
    saved_results["provenance"]["inputs"].append({**other, "kind": "hand log "})
    found = verify(saved_results, *INPUTS, "evil.jsonl")
    assert found.code == 3
    assert "Invalid enum value 'hand log '" in found.err
    saved_results["provenance"]["inputs"][-1]["kind"] = "hand log"
    assert verify(saved_results, *INPUTS, "evil.jsonl").code == 1


@pytest.mark.parametrize("kind", list(InputKind))
def test_no_input_is_judged_in_the_place_of_another_of_its_name(saved_results: Any, kind: InputKind) -> None:
    """The log of the results is full of violations; another input has its name and the hash of a log without."""
    Path("log.jsonl").rename("clean.jsonl")
    Path("log.jsonl").write_text("\n".join(demo_lines()[12:25]) + "\n")
    inputs = saved_results["provenance"]["inputs"]
    (log,) = [source for source in inputs if source["kind"] == "hand log"]
    clean = dict(log)
    log["sha256"] = sha256(Path("log.jsonl").read_bytes()).hexdigest()
    for forged in ([*inputs, {**clean, "kind": kind, "read": 0, "checked": 0, "quarantined": 0}], inputs):
        saved_results["provenance"]["inputs"] = forged
        found = verify(saved_results, *INPUTS, "clean.jsonl")
        assert found.code == 1
        assert ("2 inputs are called log.jsonl" in found.text) == (forged is not inputs)
    saved_results["provenance"]["inputs"] = [*inputs, clean]
    verify(saved_results)
    refused = run("report", "forged.json", "-o", "concise")
    assert refused.code == 3
    assert "2 inputs are called log.jsonl" in refused.err


@pytest.mark.parametrize("change", [{"kind": "annex"}, {"sha256": "0" * 64}, {"kind": "waivers"}])
def test_what_does_not_agree_with_itself_is_not_signed(saved_results: Any, change: dict[str, str]) -> None:
    pytest.importorskip("securesystemslib", reason="signing is not installed: pip install 'fairdeal[sign]'")
    key = ed25519.Ed25519PrivateKey.generate()
    plain, form = serialization.NoEncryption(), serialization.PrivateFormat.PKCS8
    Path("key.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, form, plain))
    sign = ("sign", "forged.json", "--key", "key.pem", "-o", "signed.json")
    verify(saved_results)
    assert run(*sign).code == 0
    Path("signed.json").unlink()
    inputs = saved_results["provenance"]["inputs"]
    inputs.append({**inputs[0], **change})
    verify(saved_results)
    assert (run(*sign).code, Path("signed.json").exists()) == (3, False)


def test_logs_of_one_name_in_two_folders_are_known_by_their_hashes() -> None:
    """They may lie in other folders now, in another order, and be called the other way round."""
    lines = demo_lines()
    for folder, some in (("a", lines[:4]), ("b", lines[4:9])):
        Path(folder).mkdir()
        Path(folder, "log.jsonl").write_text("\n".join(some) + "\nno record\n")
    run("audit", "a", "b", "-j", "1", "-q", "-o", "json:saved.json")
    assert run("verify", "saved.json", "a/log.jsonl", "b/log.jsonl").code == 0
    Path("a").rename("c")
    Path("b").rename("a")
    found = run("verify", "saved.json", "a/log.jsonl", "c/log.jsonl")
    assert found.code == 0
    assert "+ hand log a/log.jsonl: unaltered, given as c/log.jsonl" in found.text


@pytest.mark.parametrize(("where", "value"), [("as-of", "x"), ("as-of", "2026-02-30"), ("as-of", 5)])
def test_what_is_no_day_is_refused_at_its_place(saved_results: Any, where: str, value: Any) -> None:
    saved_results["provenance"][where] = value
    found = verify(saved_results)
    assert found.code == 3
    line = json.dumps(saved_results)
    column = line.index(f'"as-of": {json.dumps(value)}') + len('"as-of": ') + 1
    assert f"--> forged.json:1:{column}" in found.err
    assert "$.provenance.as-of" in found.err


def test_a_baseline_that_is_another_one_is_no_input(saved_results: Any) -> None:
    Path("old.json").write_bytes(Path("old.json").read_bytes() + b"\n")
    assert verify(saved_results).code == 1
