"""Questions of an officer about the report of a month, answered by the page alone without its script."""

from __future__ import annotations

import json
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from fairdeal.validator.reports.report_wording import format_day
from tests.facade.commands import run
from tests.facade.text import format_money
from tests.reports.month import CASINO, ROUNDS, SHORT, UNTOLD, Month, extract_text, make_month


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Month:
    return make_month(tmp_path_factory.mktemp("month"))


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
    assert "Rule: Pair XXX wins with a pair or better whatever the dealer holds" in month.section("findings")


def test_by_which_law(month: Month) -> None:
    assert "30-1099.52, The Play - 3 Card Shine" in extract_text(month.page.partition("<nav")[0])
    assert "Regulation (15) Pair XXX wins with a pair or better" in month.section("findings")


def test_how_much(month: Month) -> None:
    owed = format_money(SHORT * len(month.days))
    assert f"Players received {owed} too little ({len(month.days)} findings)" in month.section("verdict")


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
