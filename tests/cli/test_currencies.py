"""Rounds in several currencies: each is judged, and amounts in different ones are never added up."""

from __future__ import annotations

import copy
import csv
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.cli.helpers import list_failures, read_statuses
from tests.facade.commands import run
from tests.facade.demo import Record, comply, demo_round, replace_once, to_log

WRONG = demo_round("hand-16")
"""A round in which Play is paid 20.00 that was a push."""


def rounds(currency: str | None, count: int, **fields: Any) -> list[Record]:
    found = [{**copy.deepcopy(WRONG), "round": f"{currency}-{number}", **fields} for number in range(count)]
    return [{**record, "currency": currency} for record in found] if currency else found


def write(name: str, *records: Record) -> str:
    Path(name).write_bytes(to_log(records))
    return name


def audit(*arguments: str) -> Any:
    return run("audit", *arguments, "-o", "json").results


def sum_by_currency(results: Any) -> dict[str | None, tuple[int, int]]:
    """Return the number of findings on money and the amount overpaid, by currency."""
    money = results["money"]
    return {amounts["currency"]: (amounts["findings"], amounts["overpaid"]) for amounts in (money, *money["others"])}


@pytest.mark.parametrize("first", [True, False])
def test_one_round_in_another_currency_hides_nothing(first: bool) -> None:
    ours, (other,) = rounds("USD", 20), rounds("EUR", 1)
    found = run("audit", write("log.jsonl", *([other, *ours] if first else [*ours, other])), "-o", "json")
    assert found.code == 1
    assert len(list_failures(found.results)) == 21
    assert sum_by_currency(found.results) == {"EUR": (1, 2000), "USD": (20, 40_000)}
    subject = found.results["subject"]
    assert (subject["currency"], subject["currencies"]) == (None, ["EUR", "USD"])
    on_money = [finding for finding in found.results["findings"] if finding["owed"] is not None]
    assert {(finding["where"]["round"][:3], finding["currency"]) for finding in on_money} == {
        ("EUR", "EUR"),
        ("USD", "USD"),
    }


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_one_log_in_another_currency_hides_nothing(jobs: str) -> None:
    Path("d").mkdir()
    for name, records in {"a": rounds("EUR", 1), "b": rounds("USD", 3), "c": rounds(None, 2)}.items():
        write(f"d/{name}.jsonl", *records)
    found = audit("d", "-j", jobs)
    assert [source["checked"] for source in found["provenance"]["inputs"]] == [1, 3, 2]
    assert sum_by_currency(found) == {"EUR": (1, 2000), "USD": (3, 6000), None: (2, 4000)}


def test_results_in_one_currency_stay_as_simple() -> None:
    found = audit(write("log.jsonl", *rounds("USD", 2), *rounds(None, 1)))
    assert sum_by_currency(found) == {"USD": (3, 6000)}
    assert (found["subject"]["currency"], found["subject"]["currencies"]) == ("USD", [])
    assert {finding["currency"] for finding in found["findings"]} == {None}


def test_a_chosen_currency_sets_all_others_aside() -> None:
    found = audit(write("log.jsonl", *rounds("USD", 2), *rounds("EUR", 1)), "--currency", "USD")
    assert sum_by_currency(found) == {"USD": (2, 4000)}
    assert [entry["reason"] for entry in found["quarantined"]] == ["the round is in EUR, the run is in USD"]


def name_currency(currency: str) -> str:
    return f"currency: {currency}\n{comply()}"


def test_limits_posted_in_another_currency_prove_nothing() -> None:
    Path("usd.yaml").write_text(name_currency("USD"))
    good = demo_round("hand-13")
    same = audit(write("same.jsonl", {**good, "currency": "USD"}), "-s", "usd.yaml")
    unstated = audit(write("unstated.jsonl", good), "-s", "usd.yaml")
    other = audit(write("other.jsonl", {**good, "currency": "EUR"}), "-s", "usd.yaml")
    names = [name for name in read_statuses(same) if "limits" in name and read_statuses(same)[name] == "pass"]
    of_rounds = {
        requirement["requirement"].partition("/")[2]
        for requirement in same["requirements"]
        if requirement["evidence"] == "round"
    }
    limits = [name for name in names if name in of_rounds]
    assert limits
    assert read_statuses(same, *limits) == read_statuses(unstated, *limits)
    assert set(read_statuses(other, *limits).values()) == {"not-evidenced"}
    assert unstated["subject"]["currency"] == "USD"
    assert list_failures(other) == list_failures(same) == []
    different = [name for name in read_statuses(same) if read_statuses(other)[name] != read_statuses(same)[name]]
    assert all(read_statuses(other)[name] == "not-evidenced" for name in different)


@pytest.mark.parametrize(
    ("posted", "recorded", "compared"),
    [(None, "USD", True), (None, "JPY", False), ("JPY", None, False), ("KWD", None, False), ("CAD", None, True)],
)
def test_amounts_with_other_decimals_are_not_compared(posted: str | None, recorded: str | None, compared: bool) -> None:
    Path("house.yaml").write_text(comply() if posted is None else name_currency(posted))
    good = demo_round("hand-13")
    found = audit(write("log.jsonl", good if recorded is None else {**good, "currency": recorded}), "-s", "house.yaml")
    named = "within-posted-limits"
    assert read_statuses(found)[named] == ("pass" if compared else "not-evidenced")
    assert list_failures(found) == []


def test_rounds_are_judged_by_the_submission_in_their_currency() -> None:
    Path("usd.yaml").write_text(name_currency("USD"))
    Path("eur.yaml").write_text(name_currency("EUR").replace("submission: ", "submission: other-", 1))
    good = demo_round("hand-13")
    log = write("log.jsonl", *({**good, "round": name, "currency": name} for name in ("USD", "EUR")))
    alone = audit(write("usd.jsonl", {**good, "currency": "USD"}), "-s", "usd.yaml")
    both = audit(log, "-s", "usd.yaml", "-s", "eur.yaml")
    of_rounds = [
        requirement["requirement"].partition("/")[2]
        for requirement in alone["requirements"]
        if requirement["evidence"] == "round"
    ]
    assert read_statuses(both, *of_rounds) == read_statuses(alone, *of_rounds)


def test_pay_tables_hold_in_any_currency() -> None:
    """Odds are the same in all currencies: what they show is found where limits cannot be compared."""
    Path("usd.yaml").write_text(name_currency("USD"))
    found = audit(write("log.jsonl", *rounds("EUR", 2), *rounds("USD", 1)), "-s", "usd.yaml")
    assert len(list_failures(found)) == 3
    assert sum_by_currency(found) == {"EUR": (2, 4000), "USD": (1, 2000)}


def test_submissions_in_several_currencies_are_judged_together() -> None:
    Path("usd.yaml").write_text(name_currency("USD"))
    Path("eur.yaml").write_text(name_currency("EUR").replace("submission: ", "submission: other-", 1))
    found = run("check", "usd.yaml", "eur.yaml", "-o", "json")
    assert found.code == 0, found.err
    assert found.results["subject"]["currencies"] == ["EUR", "USD"]
    refused = run("check", "usd.yaml", "eur.yaml", "--currency", "USD")
    assert refused.code == 3
    assert "this submission is in EUR, the run is in USD" in refused.err


@pytest.fixture
def several() -> str:
    """Results in two currencies and of rounds that name none."""
    records = [*rounds("USD", 2), *rounds("EUR", 1, table="E1"), *rounds(None, 1)]
    run("audit", write("log.jsonl", *records), "-o", "json:r.json")
    return "r.json"


def test_results_in_several_currencies_verify_and_compare(several: str) -> None:
    assert run("verify", several, "log.jsonl").code == 0
    Path("again.json").write_bytes(Path(several).read_bytes())
    compared = run("compare", several, "again.json")
    assert "players received €20.00 too much (1 finding); " in compared.text
    data = json.loads(Path(several).read_text())
    data["money"]["others"][0]["overpaid"] = 0
    refused = run("report", "-", "-o", "text", stdin=json.dumps(data).encode())
    assert refused.code == 3
    assert "`money` is" in refused.err


def test_every_format_tells_currencies_apart(several: str) -> None:
    def report(form: str) -> str:
        return run("report", several, "-o", form).text

    for form in ("text", "markdown", "html"):
        page = report(form)
        assert "€20.00" in page, form
        assert "$40.00" in page.replace("<span>$</span>", "$"), form
        assert "60.00" not in page and "80.00" not in page, form
    rows = list(csv.DictReader(report("csv").splitlines()))
    assert sorted(row["currency"] for row in rows if row["overpaid"]) == ["", "EUR", "USD", "USD"]
    sarif = json.loads(report("sarif"))["runs"][0]
    assert [amount["currency"] for amount in sarif["properties"]["money"]] == ["EUR", "USD", None]
    assert 'name="currency" value="EUR, USD"' in report("junit")
    run("report", several, "-o", "sqlite:r.db")
    with sqlite3.connect("r.db") as database:
        sums = database.execute("SELECT currency, overpaid FROM sums WHERE by = 'casino' ORDER BY sum").fetchall()
        by_finding = database.execute(
            "SELECT currency, sum(overpaid) FROM findings WHERE owed IS NOT NULL GROUP BY currency ORDER BY currency"
        ).fetchall()
    assert sums == [("EUR", 2000), ("USD", 4000), (None, 2000)]
    assert sorted(by_finding, key=str) == sorted(sums, key=str)


def test_explaining_a_round_in_another_currency_works() -> None:
    Path("usd.yaml").write_text(comply(replace_once("document:", "currency: USD\ndocument:")))
    told = run("explain", write("log.jsonl", *rounds("EUR", 1)), "--round", "EUR-0", "-s", "usd.yaml")
    assert told.code == 0, told.err
    assert "amounts are in EUR" in told.text
    assert "the amounts of the submission are in USD and are not compared with those of the round" in told.text
