"""Files that change while they are read end a run without a verdict: what is judged is what is hashed."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import zstandard

import fairdeal
from fairdeal.validator.audit.run import verification
from fairdeal.validator.audit.run.audit_plan import AuditPlan
from fairdeal.validator.evidence.arrow import parquet_reader
from fairdeal.validator.evidence.io import log_formats
from fairdeal.validator.evidence.jsonl import line_blocks
from fairdeal.validator.text import source
from fairdeal.validator.text.source import open_unchanged, read_source
from tests.facade.commands import Finished, run
from tests.facade.demo import DEMO, GAME, demo_submission
from tests.facade.evidence import HandLog
from tests.facade.text import InputError

LOGS = ("log.jsonl", "log.parquet", "log.jsonl.gz", "log.jsonl.zst")
HANDS = "hands.phhs"
"""Hand histories, many in one file."""
HAND = """variant = "NT"
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [200, 200]
actions = ["d dh p1 AcKc", "d dh p2 2d3d", "p2 f"]
"""
Change = Callable[[str], None]
TWO = ("-j", "2")
KEPT = ("--checkpoint", "kept")


def _replace(name: str) -> None:
    """Put another file under the name, as those who ship logs do."""
    with suppress(FileNotFoundError):
        os.replace(f"other-{name}", name)  # noqa: PTH105


def _overwrite(name: str) -> None:
    """Write as many other bytes into the file, and leave it its time."""
    about = Path(name).stat()
    data = Path(name).read_bytes()
    other = data.replace(b'"amount":', b'"amount": ').replace(b" ", b"", 1) if name.endswith("l") else data
    middle = len(other) // 2
    other = other[:middle] + bytes([other[middle] ^ 1]) + other[middle + 1 :]
    with Path(name).open("r+b") as stream:
        stream.write(other[: len(data)])
    os.utime(name, ns=(about.st_atime_ns, about.st_mtime_ns))


def _append(name: str) -> None:
    with Path(name).open("ab") as stream:
        stream.write(b"\n")


def _shorten(name: str) -> None:
    os.truncate(name, Path(name).stat().st_size // 2)


def _remove(name: str) -> None:
    Path(name).unlink(missing_ok=True)


def _link(name: str) -> None:
    """Put a link to another file under the name."""
    Path("link").symlink_to(f"other-{name}")
    Path("link").replace(name)


def _pipe(name: str) -> None:
    """Put a pipe under the name that nobody writes to."""
    Path(name).unlink()
    os.mkfifo(name)


def _device(name: str) -> None:
    """Put a link to a device under the name that never ends."""
    Path("link").symlink_to("/dev/zero")
    Path("link").replace(name)


def _once(change: Change, name: str) -> None:
    """Change a log once, whichever process is first."""
    with suppress(FileExistsError):
        Path("changed").touch(exist_ok=False)
        change(name)


NO_FILES = (_link, _pipe, _device) if sys.platform == "linux" else ()
CHANGES = (_replace, _overwrite, _append, _shorten, _remove, *NO_FILES)
NOTICED = tuple(change for change in CHANGES if change is not _overwrite)
"""Changes that the state of a file shows."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return logs full of violations, others without any to replace them, and the submissions that apply."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(tmp_path_factory.mktemp("files"))
        simulate = ("simulate", GAME, "--rounds", "16", "--seats", "1-3")
        fault = ("--fault", "two-hands-at-most", "--fault-every", "2")
        for name in LOGS[:2]:
            assert run(*simulate, "--seed", "1", *fault, "-o", name).code == 0
            assert run(*simulate, "--seed", "2", "-o", f"other-{name}").code == 0
        for name in ("", "other-"):
            text = Path(f"{name}{LOGS[0]}").read_bytes()
            Path(f"{name}{LOGS[2]}").write_bytes(gzip.compress(text))
            Path(f"{name}{LOGS[3]}").write_bytes(zstandard.compress(text))
            table = pq.read_table(f"{name}{LOGS[1]}")
            pq.write_table(table, f"{name}{LOGS[1]}", row_group_size=8)
            hands = (f"[{number}]\n{HAND}hand = {number}{name.count('-')}\n" for number in range(1, 100))
            Path(f"{name}{HANDS}").write_text("".join(hands))
        Path("house.yaml").write_text(demo_submission())
        Path("waivers.yaml").write_bytes((DEMO / "waivers.yaml").read_bytes())
        return {path.name: path.read_bytes() for path in Path().iterdir()}


@pytest.fixture(autouse=True)
def small_blocks(files: dict[str, bytes], place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut every log into several blocks, so that several processes have work."""
    for name, content in files.items():
        (place / name).write_bytes(content)
    monkeypatch.setattr(HandLog.__init__, "__kwdefaults__", {"variants": dict, "block_bytes": 5000})
    for name, rows in (("ROWS_AT_A_TIME", 4), ("ROWS_A_BLOCK", 8), ("FEW_ROWS", 6)):
        monkeypatch.setattr(parquet_reader, name, rows)


def assert_refused(finished: Finished, name: str) -> None:
    """Assert that a run ended without a verdict because a file had changed."""
    assert (finished.code, finished.out, Path("results.json").exists()) == (3, b"", False)
    assert "error[changed]: the file changed while it was read" in finished.err
    assert f"--> {name}" in finished.err


def audit(*more: str) -> Finished:
    profile = ("--profile", "card-room-custom") if HANDS in more else ()
    return run("audit", *more, *profile, "-q", "-o", "json:results.json")


@pytest.mark.parametrize(
    ("change", "more"),
    [
        *((change, ("-j", "1")) for change in CHANGES),
        *((change, TWO) for change in CHANGES),
        *((change, ("-j", "1", *KEPT)) for change in (_replace, *NO_FILES)),
        *((change, (*TWO, *KEPT)) for change in (_replace, _overwrite, _shorten, *NO_FILES)),
    ],
)
@pytest.mark.parametrize("name", LOGS[:2])
def test_a_log_that_changes_once_it_is_hashed(
    name: str, change: Change, more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is opened again where it is judged, whoever does that."""
    for module in (line_blocks, log_formats):
        real = module.open_again

        def change_and_open(path: str, real: Any = real) -> Any:
            _once(change, path)
            return real(path)

        monkeypatch.setattr(module, "open_again", change_and_open)
    finished = audit(name, *more)
    if change is _remove:
        assert finished.code == 3
        assert "there is no such file" in finished.err or "changed while it was read" in finished.err
    else:
        assert_refused(finished, name)


def change_while_hashed(monkeypatch: pytest.MonkeyPatch, change: Change, name: str) -> None:
    """Change a log after its first part is read."""
    real = HandLog._take

    def take(log: HandLog, stream: Any) -> bytes:
        found = real(log, stream)
        _once(change, name)
        return found

    monkeypatch.setattr(HandLog, "_take", take)


@pytest.mark.parametrize(
    ("name", "change", "more"),
    [
        *((name, change, ("-j", "1")) for name in [*LOGS, HANDS] for change in NOTICED),
        *((name, _replace, (*TWO, *KEPT)) for name in [*LOGS, HANDS]),
        *((LOGS[0], change, (*TWO, *KEPT)) for change in NOTICED[1:]),
    ],
)
def test_a_log_that_changes_while_it_is_hashed(
    name: str, change: Change, more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    change_while_hashed(monkeypatch, change, name)
    assert_refused(audit(name, *more), name)


@pytest.mark.parametrize("command", [("convert", "-o", "results.json"), ("hold", "-q", "-o", "json:results.json")])
@pytest.mark.parametrize("change", [_replace, _shorten])
@pytest.mark.parametrize("name", LOGS)
def test_other_commands_notice_it_too(
    name: str, change: Change, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    change_while_hashed(monkeypatch, change, name)
    command = tuple(word.replace(".json", ".parquet") if command[0] == "convert" else word for word in command)
    assert_refused(run(*command, name), name)
    assert not Path("results.parquet").exists()


def test_what_is_overwritten_unnoticed_is_judged_as_it_is_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The state of the file does not show it: its later blocks are others, with the same size and time."""
    before = Path(HANDS).read_bytes()
    with monkeypatch.context() as patched:
        change_while_hashed(patched, _overwrite, HANDS)
        audit(HANDS, *TWO)
    saved = json.loads(Path("results.json").read_bytes())
    after = Path(HANDS).read_bytes()
    read = before[:5000] + after[5000:]
    assert saved["provenance"]["inputs"][0]["sha256"] == hashlib.sha256(read).hexdigest()
    assert before != after
    Path(HANDS).write_bytes(read)
    audit(HANDS, *TWO)
    again = json.loads(Path("results.json").read_bytes())
    assert {**again, "provenance": None} == {**saved, "provenance": None}


def test_logs_that_nobody_changes_are_judged() -> None:
    for name in LOGS:
        assert audit(name, "-j", "1").code == 1
        assert audit(name, "-j", "2").code == 1


@pytest.mark.parametrize("name", LOGS[:2])
def test_a_log_that_is_another_one_only_while_repeated_rounds_are_looked_for(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read a second time for it, and is what it was when it is read for the third time."""
    own = Path(name).read_bytes()
    Path("again.jsonl").write_bytes(Path("log.jsonl").read_bytes())
    noting, knowing = AuditPlan.with_rounds_to_digest, AuditPlan.with_duplicates

    def note(plan: AuditPlan, *given: Any) -> AuditPlan:
        _replace(name)
        return noting(plan, *given)

    def know(plan: AuditPlan, *given: Any) -> AuditPlan:
        Path(name).write_bytes(own)
        return knowing(plan, *given)

    monkeypatch.setattr(AuditPlan, "with_rounds_to_digest", note)
    monkeypatch.setattr(AuditPlan, "with_duplicates", know)
    assert_refused(audit(name, "again.jsonl", "-j", "1"), name)


def test_a_part_that_is_judged_elsewhere_is_what_was_hashed() -> None:
    """A cluster reads a log by its name, wherever that leads there."""
    plan = fairdeal.audit_plan(fairdeal.load_rulebook())
    for name in LOGS[:2]:
        parts = list(plan.partition(name, whole=0))
        _replace(name)
        judged = [plan.judge(pickle.loads(pickle.dumps(part))) for part in parts]
        with pytest.raises(InputError, match="changed while it was read"):
            fairdeal.merge(judged)


@pytest.mark.parametrize("name", ["house.yaml", "waivers.yaml", "profile.yaml", "old.json"])
def test_what_a_log_is_judged_by_does_not_change(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("profile.yaml").write_text("profile: own\ntitle: Own\nchoices: []\n")
    audit("log.jsonl", "-j", "1")
    Path("results.json").rename("old.json")
    real = source.open_regular

    def open_and_append(path: str, **more: Any) -> Any:
        stream = real(path, **more)
        if path == name:
            _append(path)
        return stream

    monkeypatch.setattr(source, "open_regular", open_and_append)
    more = ("-s", "house.yaml", "--waivers", "waivers.yaml", "--profile", "profile.yaml", "--baseline", "old.json")
    assert_refused(audit("log.jsonl", "-j", "1", *more), name)


VERIFY = ("verify", "saved.json", *LOGS[:2], "house.yaml", "waivers.yaml", "old.json")


@cache
def audit_with_baseline() -> dict[str, bytes]:
    """Return the results of two audits of the same inputs, the second compared with the first and verified."""
    audit_twice = ("audit", *LOGS[:2], "-s", "house.yaml", "--waivers", "waivers.yaml", "-j", "1", "-q")
    assert run(*audit_twice, "-o", "json:old.json").code == 1
    assert run(*audit_twice, "--baseline", "old.json", "-o", "json:saved.json").code == 1
    assert run(*VERIFY).code == 0
    return {name: Path(name).read_bytes() for name in ("old.json", "saved.json")}


@pytest.mark.parametrize("name", ["log.jsonl", "log.parquet", "house.yaml", "waivers.yaml", "old.json"])
def test_what_is_verified_is_what_was_hashed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = LOGS[:2]
    for saved, content in audit_with_baseline().items():
        Path(saved).write_bytes(content)
    real = verification.verify_inputs

    def altering(*given: Any) -> Any:
        found = real(*given)
        _append(name) if name not in logs else _replace(name)
        return found

    monkeypatch.setattr(verification, "verify_inputs", altering)
    assert_refused(run(*VERIFY), name)


@pytest.mark.parametrize(
    "change", [_replace, _append, _shorten, _remove, *NO_FILES, lambda name: os.utime(name, ns=(1, 1))]
)
def test_a_file_is_compared_with_itself(change: Change) -> None:
    with open_unchanged("log.jsonl") as stream:
        stream.read()
    with pytest.raises(InputError, match="changed while it was read"), open_unchanged("log.jsonl") as stream:
        change("log.jsonl")
        stream.read()


def test_a_link_that_leads_elsewhere_meanwhile_is_another_file() -> None:
    Path("link").symlink_to("log.jsonl")
    Path("other").symlink_to("other-log.jsonl")
    with pytest.raises(InputError, match="changed while it was read"), open_unchanged("link"):
        Path("other").replace("link")


def test_a_pipe_is_read_as_it_comes() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"submission: x\n")
    os.close(writing)
    assert read_source(f"/dev/fd/{reading}").text == "submission: x\n"
    os.close(reading)
