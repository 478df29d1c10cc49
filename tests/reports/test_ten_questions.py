"""Questions of an officer about the report of a month, answered by the page alone without its script.

The month is played from the rules without a fault. This module adds the faults, so that amounts, tables and days are
known before the audit.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.reports.report_wording import format_day
from tests.facade.commands import run
from tests.facade.demo import GAME
from tests.facade.reports import read_json, render
from tests.facade.results import Baseline, FindingState
from tests.facade.text import format_money

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


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Month:
    place = tmp_path_factory.mktemp("month")
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


def test_the_month_is_one(month: Month) -> None:
    assert len(month.days) > 20
    assert len(month.tables) == 4
    head = extract_text(month.page.partition("<nav")[0])
    assert f"{CASINO} (license SIM-0001)" in head
    assert "1 March 2026 to 31 March 2026" in head
    assert f"4 tables, {ROUNDS} rounds" in head


def test_what_is_wrong(month: Month) -> None:
    verdict = month.section("verdict")
    assert verdict.startswith("Verdict Violations")
    assert "The violation The dealer did not settle the Pair XXX wager by the posted pay table." in verdict
    assert "Rule: Pair XXX wins with a pair or better whatever the dealer holds" in verdict


def test_by_which_law(month: Month) -> None:
    assert "30-1099.52, The Play - 3 Card Shine" in extract_text(month.page.partition("<nav")[0])
    assert "Regulation (15) Pair XXX wins with a pair or better" in month.section("findings")


def test_how_much(month: Month) -> None:
    owed = format_money(SHORT * len(month.days))
    assert f"Players received {owed} too little ({len(month.days)} findings)." in month.section("verdict")


def test_at_which_table_and_under_which_dealer(month: Month) -> None:
    money = month.section("money")
    for table, count in month.tables.items():
        assert f"{table} {count} {format_money(SHORT * count)} 0.00" in money
    assert re.search(r"Ruiz \d+ [\d.,]+ 0.00 Tan|Tan \d+ [\d.,]+ 0.00 Ruiz", money)


def test_since_when(month: Month) -> None:
    first, last = format_day(month.days[0]).partition(" ")[0], format_day(month.days[-1])
    assert f"from {first} to {last}" in month.section("findings")
    money = month.section("money")
    for day, count in Counter(month.days).items():
        assert f"{format_day(day)} {count} {format_money(SHORT * count)} 0.00" in money


def test_whether_it_is_new(month: Month) -> None:
    total = json.loads(month.saved)["totals"]["findings"]
    known = sum(total.values()) - 1
    said = (
        "Compared with the audit of 2026-03-01 08:00:00Z (february.json): "
        f"1 new, {known} known, 3 no longer found; 1 record newly quarantined."
    )
    assert said in month.section("verdict")
    assert "No longer found since the earlier audit: 3 findings" in month.section("findings")


def test_what_is_open_and_why(month: Month) -> None:
    told = month.section("open")
    assert f"The log records no events of {UNTOLD} rounds (of {ROUNDS})." in told
    assert "Request: a log with the events of every round." in told
    assert "The posted limits comply with the applicable law" in told
    assert "Request: an attestation in the submission." in told
    assert "1 record is unreadable or contradictory and was not checked." in told


def test_what_the_house_says(month: Month) -> None:
    said = month.section("house")
    assert (
        f"Dealers spread folded cards face down, count them and rack them . Attested by Games supervisor of {CASINO}"
        in said
    )


def test_what_to_do(month: Month) -> None:
    assert "Corrective action Pay 5.00 to the player at seat" in month.section("findings")
    hearing = month.section("hearing")
    assert "Finding Reply of the licensee Action Deadline 1 Pair XXX wins with a pair or better" in hearing
    assert hearing.count("Signature") == 2


def test_whether_the_file_is_untouched(month: Month) -> None:
    told = month.section("provenance")
    assert sha256(month.saved).hexdigest() in told
    assert sha256(month.log.read_bytes()).hexdigest() in told
    assert "ab" * 32 in told


def test_the_page_comes_again_from_its_results(month: Month, tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    saved.write_bytes(month.saved)
    assert run("report", saved, "-o", f"html:{tmp_path / 'again.html'}").code == 0
    assert (tmp_path / "again.html").read_text("utf-8") == month.page
