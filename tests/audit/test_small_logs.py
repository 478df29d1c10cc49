"""Small logs are judged together, with the same results as if each was judged alone."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairdeal.validator.audit.run import log_parts
from fairdeal.validator.audit.run.log_parts import Block, BlockVerdict, check_block
from fairdeal.validator.audit.submissions_in_force import AuditContext
from fairdeal.validator.evidence.hand_log import SmallLogs
from tests.facade.commands import ROOT, run
from tests.facade.demo import demo_lines, demo_round
from tests.facade.evidence import HandLog

FEW = 20_000
"""Bytes of small logs that are judged together here, so that they are several parts."""
HANDS = ROOT / "rules_data" / "poker-room" / "demo" / "hands.phhs"


def set_currency(line: str, currency: str | None) -> str:
    """Return a line of the demo with a currency; a line that is cut short stays unchanged."""
    return line if currency is None or not line.endswith("}") else f'{line[:-1]},"currency":"{currency}"}}'


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write logs of one to three rounds, some of them faulty, with broken logs and other files among them."""
    folder = tmp_path / "small"
    folder.mkdir()
    luck, lines = random.Random(1), demo_lines()[:50]
    for number in range(30):
        some = [lines.pop() for _ in range(luck.choice([1, 1, 2])) if lines]
        (folder / f"{number:03}.jsonl").write_text("".join(f"{line}\n" for line in some))
    odd = {
        "003-mark": b"\xef\xbb\xbf" + lines[0].encode() + b"\n",
        "004-unended": lines[1].encode(),
        "005-windows": lines[2].encode() + b"\r\n\r\n" + lines[3].encode() + b"\r\n",
        "006-blank": b"\n \n\n",
        "007-empty": b"",
        "008-cut": lines[4].encode() + b"\n" + lines[5][:300].encode(),
        "009-listed": b'{"round":\n"1"}\n',
        "010-again": (folder / "010.jsonl").read_bytes(),
        "011-otherwise": json.dumps({**demo_round("hand-17"), "number": 99}).encode() + b"\n",
        "012-elsewhere": json.dumps({**json.loads(lines[6]), "game": "nowhere"}).encode() + b"\n",
        "013-twice": lines[7].replace('"seats":', '"seats":[],"seats":', 1).encode() + b"\n",
        "014-paper": b"%PDF-1.7\n",
        "015-submission": b"submission: 1\n",
    }
    for name, text in odd.items():
        (folder / f"{name}.jsonl").write_bytes(text)
    for number, hand in enumerate(HANDS.read_text().split("\n[")[1:8]):
        (folder / f"020-hand-{number}.phhs").write_text(f"[{hand}\n")
    monkeypatch.setattr(log_parts, "_SMALL_LOGS_BYTES", FEW)
    return folder


@pytest.fixture
def several_currencies(logs: Path) -> Path:
    """Add currencies to many of the logs."""
    luck = random.Random(2)
    for path in sorted(logs.glob("0[0-9][0-9].jsonl")):
        lines = path.read_text().splitlines()
        currency = luck.choice([None, "USD", "USD", "EUR"])
        path.write_text("".join(f"{set_currency(line, currency)}\n" for line in lines))
    both = demo_lines()[91:93]
    text = "".join(f"{set_currency(line, name)}\n" for line, name in zip(both, ("USD", "EUR"), strict=True))
    (logs / "021-both.jsonl").write_text(text)
    return logs


def audit_each_alone(monkeypatch: pytest.MonkeyPatch, audit: Callable[[], Any]) -> Any:
    """Return the results of an audit in which every log is judged by itself."""
    with monkeypatch.context() as changed:
        changed.setattr(HandLog, "read_small_log", lambda _: None)
        return audit()


def test_results_are_those_of_logs_judged_alone(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def audit(jobs: str = "1") -> Any:
        return run("audit", str(logs), "-s", "house.yaml", "-o", "json", "-q", "-j", jobs)

    expected, found = audit_each_alone(monkeypatch, audit), audit()
    assert found == expected
    assert audit("2") == expected
    assert len(found.results["findings"]) > 10
    assert found.results["explanations"]
    assert len({entry["file"] for entry in found.results["quarantined"]}) > 5


@pytest.mark.parametrize("chosen", [(), ("--currency", "USD")])
def test_currencies_are_those_of_logs_judged_alone(
    several_currencies: Path, monkeypatch: pytest.MonkeyPatch, chosen: tuple[str, ...]
) -> None:
    def audit() -> Any:
        return run("audit", str(several_currencies), "-o", "json", "-q", "-j", "1", *chosen)

    expected, found = audit_each_alone(monkeypatch, audit), audit()
    assert found.out == expected.out
    assert (found.code, found.err) == (expected.code, expected.err)
    assert any("the run is in USD" in entry["reason"] for entry in found.results["quarantined"]) is bool(chosen)


def test_many_logs_are_few_blocks(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks: list[int] = []

    def count_logs(court: AuditContext, block: Block) -> BlockVerdict:
        assert isinstance(block, SmallLogs)
        blocks.append(len(block.logs))
        return check_block(court, block)

    monkeypatch.setattr(log_parts, "check_block", count_logs)
    run("audit", str(logs / "0[12]?.jsonl"), "-o", "json", "-q", "-j", "1")
    assert sum(blocks) == 20
    size = sum(path.stat().st_size for path in logs.glob("0[12]?.jsonl"))
    assert 1 < len(blocks) <= size // FEW + 1
