"""Checkpoints keep the results of an audit part by part: a run continues where it was, and changed inputs are judged
again."""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fairdeal.validator.audit.run import log_parts
from fairdeal.validator.audit.run.log_parts import Block, BlockVerdict, check_block
from fairdeal.validator.audit.submissions_in_force import AuditContext
from tests.audit.logs import LOGS
from tests.facade.commands import ROOT, run
from tests.facade.demo import GAME

AUDIT = ("audit", *LOGS, "-s", "house.yaml", "-o", "json")
SHORT = ("audit", "faulty.jsonl", "clean.jsonl", "-s", "house.yaml", "-o", "json")
KEPT = Path("kept")


@pytest.fixture
def judged_blocks(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Block]:
    """Return the blocks that are judged, in a folder of logs of its own."""
    monkeypatch.chdir(shutil.copytree(folder, tmp_path / "own"))
    blocks: list[Block] = []

    def note_block(court: AuditContext, block: Block) -> BlockVerdict:
        if court.rounds_to_digest is None:
            blocks.append(block)
        return check_block(court, block)

    monkeypatch.setattr(log_parts, "check_block", note_block)
    return blocks


def run_audit(*more: str, log: tuple[str, ...] = AUDIT) -> bytes:
    return run(*log, "-j", "1", "--checkpoint", str(KEPT), *more).out


@cache
def audit_in_one_process() -> bytes:
    """Return the results of one process for all logs."""
    return run(*AUDIT, "-j", "1").out


def test_what_was_judged_is_not_judged_again(judged_blocks: list[Block]) -> None:
    plain = audit_in_one_process()
    judged_blocks.clear()
    assert run_audit() == plain
    assert len(judged_blocks) > 15
    judged_blocks.clear()
    assert run_audit() == plain
    # A line that cannot be taken in is not worth keeping.
    assert {type(outcome).__name__ for outcome in judged_blocks} <= {"RefusedLine"}


def test_parts_are_kept_where_the_system_lacks_flags_of_open(
    judged_blocks: list[Block], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows has neither `O_NOFOLLOW` nor `O_NONBLOCK`; a link is then refused all the same."""
    monkeypatch.delattr(os, "O_NOFOLLOW")
    monkeypatch.delattr(os, "O_NONBLOCK")
    plain = run_audit(log=SHORT)
    judged_blocks.clear()
    assert run_audit(log=SHORT) == plain
    assert not judged_blocks
    first = min(KEPT.iterdir())
    first.rename("elsewhere")
    first.symlink_to(Path("elsewhere").resolve())
    judged_blocks.clear()
    assert run_audit(log=SHORT) == plain
    assert len(judged_blocks) == 1
    assert not first.is_symlink()


def test_what_was_counted_is_kept_as_well(judged_blocks: list[Block]) -> None:
    pytest.importorskip("scipy", reason="SciPy is not installed: pip install 'fairdeal[statistics]'")
    counted = ("audit", "shuffled.jsonl", "broken.jsonl.gz", "-s", "house.yaml", "-o", "json")
    plain = run(*counted, "-j", "1", "--statistics")
    assert plain.results["statistics"]["hold"]
    run_audit(log=counted)  # without statistics, which is of no use
    judged_blocks.clear()
    assert run_audit("--statistics", log=counted) == plain.out
    assert len(judged_blocks) > 3
    judged_blocks.clear()
    assert run_audit("--statistics", log=counted) == plain.out
    assert {type(outcome).__name__ for outcome in judged_blocks} <= {"RefusedLine"}


def _another_log() -> None:
    text = Path("faulty.jsonl").read_bytes().replace(b'"seat":2', b'"seat":3', 1)
    Path("faulty.jsonl").write_bytes(text)


def _another_submission() -> None:
    text = Path("house.yaml").read_text()
    Path("house.yaml").write_text(text + "# of another day\n")


@pytest.mark.parametrize(
    ("change", "more"),
    [
        (_another_log, ()),
        (_another_submission, ()),
        (lambda: None, ("--waivers", str(ROOT / "rules_data" / GAME / "demo" / "waivers.yaml"))),
        (lambda: None, ("--as-of", "2026-03-01")),
        (lambda: None, ("--profile", "profile.yaml")),
        (lambda: None, ("--rules", "rules")),
    ],
    ids=["log", "submission", "waivers", "day", "profile", "rulebook"],
)
def test_what_is_other_is_judged_anew(
    change: Callable[[], None], more: tuple[str, ...], judged_blocks: list[Block]
) -> None:
    Path("profile.yaml").write_text(
        f"profile: own\ntitle: Own\nchoices:\n- {{document: {GAME}, reading: pair-xxx-after-fold, is: by-table}}\n"
    )
    if "--rules" in more:
        shutil.copytree(ROOT / "rules_data", "rules")
        rule = Path("rules", GAME, "readings.yaml")
        rule.write_text(rule.read_text() + "# another file\n")
    run_audit(log=SHORT)
    every = len(judged_blocks)
    change()
    judged_blocks.clear()
    assert run_audit(*more, log=SHORT) == run(*SHORT, *more, "-j", "1").out
    anew = len(judged_blocks) - every  # all of them were judged without the checkpoint
    assert anew == every if more or change is _another_submission else 0 < anew < every


def _spoilt(data: bytes) -> bytes:
    return data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]


def _hostile(data: bytes) -> bytes:
    """Return a pickle that would run code if loaded, under a digest that does not match."""

    class Runs:
        def __reduce__(self) -> Any:
            return os.mkdir, ("ran",)

    content = pickle.dumps(Runs())
    return data[:22] + hashlib.sha256(content).digest() + content


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _right_digest(key: str, content: bytes) -> bytes:
    return b"fairdeal checkpoint 1\n" + hashlib.sha256(key.encode() + content).digest() + content


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(path.read_bytes()[:50]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(_spoilt(path.read_bytes())),
        lambda path: path.write_bytes(_hostile(path.read_bytes())),
        lambda path: path.write_bytes(_right_digest(path.name, path.read_bytes()[54:-20])),
        lambda path: path.write_bytes(_right_digest(path.name, b"\x80")),
        lambda path: path.chmod(0o666),
        lambda path: (path.rename("elsewhere-" + path.name), path.symlink_to(Path("elsewhere-" + path.name).resolve())),
        lambda path: (path.unlink(), path.mkdir()),
        _pipe,
    ],
    ids=["cut", "empty", "bit", "pickle", "short", "other", "open-to-all", "link", "folder", "pipe"],
)
def test_a_file_that_is_not_as_it_was_written_is_none(spoil: Callable[[Path], Any], judged_blocks: list[Block]) -> None:
    short = ("audit", "faulty.jsonl", "-s", "house.yaml", "-o", "json")
    plain = run_audit(log=short)
    every = len(judged_blocks)
    path = sorted(KEPT.iterdir())[1]
    spoil(path)
    judged_blocks.clear()
    if path.is_dir():
        assert run(*short, "-j", "1", "--checkpoint", str(KEPT)).code == 3
    else:
        assert run_audit(log=short) == plain
    assert len(judged_blocks) == 1 < every
    assert not Path("ran").exists()


def test_a_file_under_another_name_is_none(judged_blocks: list[Block]) -> None:
    short = ("audit", "faulty.jsonl", "-s", "house.yaml", "-o", "json")
    plain = run_audit(log=short)
    one, other = sorted(KEPT.iterdir())[:2]
    data = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(data)
    judged_blocks.clear()
    assert run_audit(log=short) == plain
    assert len(judged_blocks) == 2


SMALL_BLOCKS = """
from fairdeal.cli.main import main
from fairdeal.validator.evidence.hand_log import HandLog
HandLog.__init__.__kwdefaults__["block_bytes"] = 40_000
main()
"""


def test_an_audit_that_is_killed_goes_on_where_it_was(judged_blocks: list[Block]) -> None:
    kept, plain = 9, audit_in_one_process()
    command = [sys.executable, "-c", SMALL_BLOCKS, *AUDIT, "-j", "2", "--checkpoint", str(KEPT)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as started:
        end = time.monotonic() + 60
        while started.poll() is None and time.monotonic() < end:
            if KEPT.exists() and len(list(KEPT.iterdir())) >= kept:
                started.send_signal(signal.SIGKILL)
                break
            time.sleep(0.01)
    assert all(len(path.name) == 64 for path in KEPT.iterdir()), "nothing is left half written"
    before = len(list(KEPT.iterdir()))
    assert before >= kept
    judged_blocks.clear()
    assert run_audit() == plain
    assert len(list(KEPT.iterdir())) - before <= len(judged_blocks)


def test_a_folder_that_cannot_be_written_to_is_named(judged_blocks: list[Block]) -> None:
    Path("file").write_text("")
    finished = run(*AUDIT, "-j", "1", "--checkpoint", "file/folder")
    assert finished.code == 3
    assert finished.err.startswith("error[no-checkpoint]: the checkpoint folder ")
