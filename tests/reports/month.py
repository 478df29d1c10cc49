"""Report of a month whose faults are known.

The month is played from the rules without a fault. This module adds the faults, so that amounts, tables and days are
known before the audit.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from html import unescape
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tests.facade.commands import run
from tests.facade.demo import GAME
from tests.facade.reports import read_json, render
from tests.facade.results import Baseline, FindingState

ROUNDS, A_DAY = 620, 20
SHORT = 500
"""Amount that players were underpaid each time, in minor units."""
UNTOLD = 7
"""Rounds whose events are not in the log."""
CASINO = "Tenth Street Casino"


class Month(Struct):
    """Page of a month, and the changes made to its log."""

    page: str
    saved: bytes
    log: Path
    days: list[str]
    tables: Counter[str]

    def section(self, name: str) -> str:
        """Return the words of a part of the page."""
        inside = re.findall(rf'<section id="{name}".*?</section>', self.page, re.DOTALL)[0]
        return extract_text(inside)


def extract_text(html: str) -> str:
    """Return the text of a part of a page, with a blank for every tag and every run of blanks."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def pay_short(record: dict[str, Any]) -> bool:
    """Reduce the payment to the first winner of Pair XXX, in the stake and in its event."""
    for seat in record["seats"]:
        for stake in seat["wagers"]:
            if stake["wager"] == "pair-xxx" and not stake.get("tip") and stake["paid"] > SHORT:
                for event in record["events"]:
                    is_pay = event["event"] == "pay" and event["seat"] == seat["seat"]
                    if is_pay and event["wager"] == "pair-xxx" and event["amount"] == stake["paid"]:
                        event["amount"] -= SHORT
                        stake["paid"] -= SHORT
                        return True
    return False


def make_month(place: Path) -> Month:
    """Play a month in a folder, underpay some players, audit it, and write its report."""
    log, house, saved = place / "march.jsonl", place / "house.yaml", place / "march.json"
    options = ("--rounds", str(ROUNDS), "--seed", "11", "--seats", "2-6")
    made = run("simulate", GAME, *options, "-o", log, "--write-submission", house)
    assert made.code == 0
    submission = house.read_text("utf-8").replace("Simulated House", CASINO)
    assert submission.count("- clause: (2)") == 1
    submission = submission.partition("- clause: (2)")[0] + "- clause: (10)" + submission.partition("- clause: (10)")[2]
    house.write_text(submission, "utf-8")
    days, tables, lines = [], Counter[str](), []
    for at, line in enumerate(log.read_text("utf-8").splitlines()):
        record = json.loads(line)
        day = f"2026-03-{1 + at // A_DAY:02}"
        record |= {"casino": CASINO, "time": f"{day}T{12 + at % A_DAY // 4:02}:{at % 4 * 15:02}:00Z"}
        record["context"] = {"dealer": ("Ruiz", "Tan")[at % 2]}
        if at % 40 < 12 and at > 100 and pay_short(record):
            days.append(day)
            tables[record["table"]] += 1
        elif at > ROUNDS - 1 - UNTOLD:
            del record["events"]
        lines.append(json.dumps(record))
    log.write_text("\n".join([*lines[:-1], lines[-1], '{"round": "torn']), "utf-8")
    run("audit", log, "--submission", house, "-o", f"json:{saved}")
    results = read_json(str(saved))
    findings = tuple(
        replace(finding, state=FindingState.KNOWN if at else FindingState.NEW)
        for at, finding in enumerate(results.findings)
    )
    baseline = Baseline(
        file="february.json",
        sha256="ab" * 32,
        generated="2026-03-01T08:00:00Z",
        gone=findings[:1],
        gone_found=3,
        set_aside=1,
    )
    results = replace(results, findings=findings, baseline=baseline)
    return Month(
        page=render("html", results).decode(),
        saved=render("json", results),
        log=log,
        days=days,
        tables=tables,
    )
