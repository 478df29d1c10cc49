"""Schedule of violations and restitution list: the same rows in every form."""

from __future__ import annotations

import io
import re
from typing import Any

import openpyxl
from msgspec.structs import replace

from fairdeal.validator.audit.run.finding_store import MoneySums
from fairdeal.validator.reports.letter import HEADINGS, list_restitution, list_schedule
from tests.facade.reports import render
from tests.facade.results import CurrencyMoney, Finding, Money, Results, Status
from tests.reports import sample
from tests.reports.sample import build_sums


def violation(**changes: Any) -> Finding:
    finding = replace(sample.FINDINGS[4], **{key: value for key, value in changes.items() if key != "where"})
    return replace(finding, where=replace(finding.where, **changes.get("where", {})))


def results(*findings: Finding) -> Results:
    return replace(sample.RESULTS, findings=findings)


def read_sheet(found: Results, name: str) -> list[dict[str, Any]]:
    book = openpyxl.load_workbook(io.BytesIO(render("xlsx", found)))
    heading, *rows = book[name].iter_rows(values_only=True)
    return [dict(zip(map(str, heading), row, strict=True)) for row in rows]


def test_each_cell_of_a_violation_is_in_its_own_column() -> None:
    where = {
        "time": "2026-03-02T18:44:00+01:00",
        "table": "T4",
        "round": "R-9",
        "seat": 3,
        "player": "Ann",
        "wager": "ante",
        "context": {"dealer": "Ruiz", "video": "cam 2, 18:44"},
    }
    owed = violation(where=where, owed=1_250, overpaid=0, currency="USD", clauses=(f"{sample.DOCUMENT}/(3)",))
    owed = replace(owed, document=sample.DOCUMENT)
    (row,) = list_schedule(results(owed))
    assert row.texts() == (
        *("1", "2 March 2026", "18:44:00+01:00", "T4", "Ruiz", "R-9", "3", "Ann", "ante"),
        *(owed.expected, owed.observed, "-$12.50", "(3)", "cam 2, 18:44"),
    )
    assert len(row.texts()) == len(HEADINGS)
    (line,) = read_sheet(results(owed), "schedule")
    assert (line["table"], line["dealer"], line["player"], line["video"]) == ("T4", "Ruiz", "Ann", "cam 2, 18:44")
    assert (line["number"], line["seat"], line["difference"]) == (1, 3, -12.5)


def test_waived_and_open_findings_are_not_in_the_schedule() -> None:
    over = violation(owed=0, overpaid=5)
    waived, open_ = violation(waived=sample.WAIVER), violation(status=Status.NOT_EVIDENCED)
    rows = list(list_schedule(results(waived, over, open_, violation(owed=None, overpaid=None))))
    assert [(row.number, row.difference) for row in rows] == [(1, 5), (2, None)]


def between(round_: str, player: str | None, owed: int, overpaid: int) -> Finding:
    where = {"casino": "A", "table": "T", "round": round_, "player": player, "time": "2026-03-02T18:44:00+01:00"}
    return violation(where=where, owed=owed, overpaid=overpaid, between_players=True)


def test_the_restitution_list_names_who_has_the_chips_of_a_player() -> None:
    findings = [
        *(between("1", "Ann", 500, 0), between("1", "Bo", 0, 500)),
        *(between("2", "Ann", 300, 0), between("2", "Bo", 0, 100), between("2", "Cy", 0, 150)),
        *(between("3", "Cy", 20, 0), between("3", "Di", 10, 0), between("3", "Ann", 0, 15), between("3", "Bo", 0, 15)),
        *(between("4", None, 40, 0), between("4", None, 0, 40)),
    ]
    sums = MoneySums()
    for finding in (violation(where={"casino": "A", "player": "Ann"}, owed=70, overpaid=0), *findings):
        sums.add(finding)
    found = replace(sample.RESULTS, findings=tuple(findings), money=sums.build(["USD"]))
    rows = {(row.player, row.debtor): row.owed for row in list_restitution(found)}
    assert rows == {
        ("Ann", "the house"): 70,
        ("Ann", "player Bo"): 600,
        ("Ann", "player Cy"): 150,
        ("Ann", "other players"): 50,
        ("Cy", "player Ann and player Bo"): 20,
        ("Di", "player Ann and player Bo"): 10,
        (None, "other players"): 40,
    }
    assert sum(rows.values()) == found.money.owed if found.money else 0
    assert {line["owed by"] for line in read_sheet(found, "restitution")} == {debtor for _, debtor in rows}


def test_the_restitution_list_adds_up_to_what_is_owed() -> None:
    sums = build_sums("player", ("A", "Ann", 2, 300, 100), ("A", "Bo", 1, 0, 200))
    found = replace(
        sample.RESULTS,
        money=Money(
            findings=5,
            owed=1_000,
            overpaid=300,
            sums=sums,
            currency="USD",
            others=(CurrencyMoney(findings=1, owed=0, overpaid=7, sums=(), currency="EUR"),),
        ),
    )
    rows = list(list_restitution(found))
    assert [(row.player, row.findings, row.owed, row.currency) for row in rows] == [
        ("Ann", 2, 300, "USD"),
        (None, 2, 700, "USD"),
    ]
    assert sum(row.owed for row in rows) == 1_000
    assert [line["owed"] for line in read_sheet(found, "restitution")] == [3, 7]
    page = re.sub(r"<[^>]*>", " ", render("html", found).decode())
    assert "Restitution list: 2 entries" in page
    assert re.search(r"Ann\s+A\s+the house\s+2\s+\$3.00", page)
    assert list(list_restitution(replace(found, money=None))) == []
