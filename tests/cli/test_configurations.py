"""Configurations by which rounds and submissions are judged: readings, dates, the submission in force, waivers."""

from __future__ import annotations

import hashlib
import re
import shutil
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.helpers import list_failures, read_statuses
from tests.facade.commands import Finished, run
from tests.facade.demo import GAME, Record, comply, demo_round, demo_submission, grant_waiver, replace_once, to_log
from tests.facade.rules import rules_folder

PAIR_AFTER_FOLD = f"""\
profile: pairs-survive
title: Readings of the example authority
choices:
- {{document: {GAME}, reading: pair-xxx-after-fold, is: by-table}}
"""


def audit(rounds: list[Record], *options: str) -> Finished:
    """Audit some rounds, with results as JSON."""
    Path("log.jsonl").write_bytes(to_log(rounds))
    return run("audit", "log.jsonl", *options, "-o", "json")


def make_folded_pair(paid: int, taken: int) -> Record:
    """Return a round with a folded pair of threes, Ante and Pair XXX; the caller settles Pair XXX."""
    stakes = [
        {"wager": "ante", "amount": 1000, "paid": 0, "taken": 1000},
        {"wager": "pair-xxx", "amount": 500, "paid": paid, "taken": taken},
    ]
    seat = {"seat": 1, "cards": "3c3h8s", "decision": "fold", "wagers": stakes}
    return {**demo_round("hand-12"), "dealer": "KdQs4h", "seats": [seat]}


@pytest.mark.parametrize(
    ("paid", "taken", "adopted", "chosen"),
    [(0, 500, "pass", "fail"), (500, 0, "fail", "pass"), (500, 500, "fail", "fail")],
)
def test_a_profile_changes_what_a_hand_is_due(paid: int, taken: int, adopted: str, chosen: str) -> None:
    Path("profile.yaml").write_text(PAIR_AFTER_FOLD)
    Path("house.yaml").write_text(comply())
    rounds = [make_folded_pair(paid, taken)]
    plain = audit(rounds, "-s", "house.yaml").results
    read_so = audit(rounds, "-s", "house.yaml", "--profile", "profile.yaml").results
    assert read_statuses(plain)["fold-loses-pair-xxx"] == adopted
    assert list_failures(plain) == ([("hand-12", "fold-loses-pair-xxx")] if adopted == "fail" else [])
    assert read_statuses(read_so)["pair-xxx-by-table"] == chosen
    assert list_failures(read_so) == ([("hand-12", "pair-xxx-by-table")] if chosen == "fail" else [])
    assert (plain["provenance"]["profile"], read_so["provenance"]["profile"]) == (None, "pairs-survive")
    relied = {reading["reading"]: reading["from-profile"] for reading in read_so["readings"]}
    assert [reading for reading, own in relied.items() if own] == [f"{GAME}/pair-xxx-after-fold"]


def test_a_game_is_simulated_as_a_profile_reads_it() -> None:
    Path("profile.yaml").write_text(PAIR_AFTER_FOLD)
    played = ("simulate", GAME, "--rounds", "300", "--seed", "4", "--write-submission", "house.yaml")
    run(*played, "--profile", "profile.yaml", "-o", "log.jsonl")
    so_read = run("audit", "log.jsonl", "-s", "house.yaml", "--profile", "profile.yaml", "-o", "json").results
    as_adopted = run("audit", "log.jsonl", "-s", "house.yaml", "-o", "json").results
    assert not list_failures(so_read)
    assert {requirement for _, requirement in list_failures(as_adopted)} == {"fold-loses-pair-xxx"}


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (("is: by-table", "is: by-tabel"), "did you mean `by-table`?"),
        (("reading: pair-xxx-after-fold", "reading: pair-xxx-after-folds"), "did you mean `pair-xxx-after-fold`?"),
    ],
)
def test_a_profile_that_chooses_what_is_not_there_is_refused(edit: tuple[str, str], said: str) -> None:
    Path("profile.yaml").write_text(replace_once(*edit)(PAIR_AFTER_FOLD))
    Path("house.yaml").write_text(comply())
    finished = run("check", "house.yaml", "--profile", "profile.yaml")
    assert finished.code == 3
    assert "profile.yaml:4:" in finished.err
    assert said in finished.err


@pytest.fixture
def dated_rules(place: Path) -> str:
    """Return a rules folder in which the document is in force from 2026-03-02 until 2026-03-31."""
    shutil.copytree(rules_folder(), place / "rules")
    path = place / "rules" / GAME / "document.yaml"
    path.write_text(
        replace_once("\nclauses:\n", "\nfrom: 2026-03-02\nuntil: 2026-03-31\n\nclauses:\n")(path.read_text("utf-8"))
    )
    return str(place / "rules")


@pytest.mark.parametrize(
    ("day", "status", "code"),
    [
        (None, "not-in-force", 4),  # its own day is 2026-02-01
        ("2026-03-01", "not-in-force", 4),
        ("2026-03-02", "pass", 0),
        ("2026-03-31", "pass", 0),
        ("2026-04-01", "not-in-force", 4),
    ],
)
def test_a_submission_is_judged_by_the_law_of_a_day(dated_rules: str, day: str | None, status: str, code: int) -> None:
    Path("house.yaml").write_text(comply())
    options = [] if day is None else ["--as-of", day]
    finished = run("check", "house.yaml", "--rules", dated_rules, *options, "-o", "json")
    assert finished.code == code
    assert set(read_statuses(finished.results).values()) - {"not-applicable"} == {status}
    assert finished.results["provenance"]["as-of"] == day


def test_rounds_are_judged_by_the_law_of_their_own_day_or_of_the_day_that_is_given(dated_rules: str) -> None:
    late = {**demo_round("hand-16"), "round": "late", "time": "2026-04-01T00:00:00Z"}
    last = {**demo_round("hand-16"), "round": "last", "time": "2026-03-31T23:59:59Z"}
    first = {**demo_round("hand-16"), "round": "first", "time": "2026-03-02T00:00:00-07:00"}
    rounds = [first, last, late]
    assert list_failures(audit(rounds, "--rules", dated_rules).results) == [
        (line, "dealer-not-qualified") for line in ("first", "last")
    ]
    assert len(list_failures(audit(rounds, "--rules", dated_rules, "--as-of", "2026-03-15").results)) == 3
    outside = audit(rounds, "--rules", dated_rules, "--as-of", "2026-04-02")
    assert (outside.code, list_failures(outside.results)) == (4, [])


def pay_straight(paid: int) -> Record:
    """Return a round with 10.00 on Pair XXX alone and a straight, with this payment."""
    record = demo_round("hand-13")
    record["seats"][0] |= {"cards": "4c5d6h"}
    record["seats"][0]["wagers"][0]["paid"] = record["events"][-1]["amount"] = paid
    next(event for event in record["events"] if event["event"] == "deal")["cards"] = "4c5d6h"
    return record


@pytest.mark.parametrize(
    ("paid", "status"),
    [(5000, "not-evidenced"), (6000, "not-evidenced"), (4999, "fail"), (5500, "fail"), (6001, "fail")],
)
def test_without_a_submission_every_permitted_pay_table_counts(paid: int, status: str) -> None:
    """The four tables pay a straight 5 to 1 or 6 to 1: either may be right, nothing else can be."""
    assert read_statuses(audit([pay_straight(paid)]).results, "pair-xxx-by-table") == {"pair-xxx-by-table": status}


def test_without_a_submission_what_all_tables_agree_on_is_judged() -> None:
    pair = demo_round("hand-13")
    assert read_statuses(audit([pair]).results)["pair-xxx-by-table"] == "pass"
    pair["seats"][0]["wagers"][0]["paid"] = pair["events"][-1]["amount"] = 2000
    assert list_failures(audit([pair]).results) == [("hand-13", "pair-xxx-by-table")]


def test_without_a_submission_the_choices_of_the_house_are_not_evidenced() -> None:
    found = audit([demo_round("hand-11")])
    assert found.code == 4
    unknown = ("within-posted-limits", "wager-is-offered", "tips-offered")
    assert read_statuses(found.results, *unknown) == dict.fromkeys(unknown, "not-evidenced")
    assert {requirement["evidence"] for requirement in found.results["requirements"]} <= {"round", "session"}
    evident = ("tip-beside-own-wager", "player-beats-dealer", "play-equals-ante", "dealt-in-turn")
    assert read_statuses(found.results, *evident) == dict.fromkeys(evident, "pass")


EASED = "Dealers may settle the Ante before Play until they are retrained."


@pytest.mark.parametrize(("day", "waived"), [("2026-03-02", True), ("2026-06-30", True), ("2026-07-01", False)])
def test_a_waiver_lifts_a_failure_up_to_its_last_day(day: str, waived: bool) -> None:
    Path("house.yaml").write_text(comply())
    Path("waivers.yaml").write_text(grant_waiver("(8)", until="2026-06-30", reason=EASED))
    round_ = {**demo_round("hand-19"), "time": f"{day}T20:00:00Z"}
    found = audit([round_], "-s", "house.yaml", "--waivers", "waivers.yaml")
    assert list_failures(found.results) == [("hand-19", "order-of-settlement")]
    assert found.results["findings"][0]["waived"] == (
        {
            "regulator": "Specimen Gaming Commission",
            "by": "A. Specimen, director",
            "granted": "2026-01-25",
            "file": "waivers.yaml",
            "reason": EASED,
            "from": None,
            "until": "2026-06-30",
        }
        if waived
        else None
    )
    assert found.results["totals"]["waived"] == waived
    assert (found.code, found.results["verdict"]) == ((0, "compliant") if waived else (1, "violations"))
    listed = found.results["provenance"]["inputs"][-1]
    sha256 = hashlib.sha256(Path("waivers.yaml").read_bytes()).hexdigest()
    assert (listed["file"], listed["kind"], listed["sha256"]) == ("waivers.yaml", "waivers", sha256)


@pytest.mark.parametrize(
    ("terms", "casino", "waived"),
    [
        ({}, "Golden Gulch Casino", True),
        ({}, None, True),
        ({}, "Another Casino", False),
        ({"licensee": "Another Casino"}, "Another Casino", True),
        ({"tables": ["S1"]}, "Golden Gulch Casino", True),
        ({"tables": ["S2"]}, "Golden Gulch Casino", False),
    ],
)
def test_a_waiver_is_for_its_licensee_and_tables(terms: Any, casino: str | None, waived: bool) -> None:
    Path("house.yaml").write_text(comply())
    Path("waivers.yaml").write_text(grant_waiver("(8)", **terms))
    round_ = {**demo_round("hand-19"), "casino": casino, "table": "S1"}
    found = audit([round_], "-s", "house.yaml", "--waivers", "waivers.yaml").results
    lifted = {
        finding["where"]["round"]: finding["waived"] is not None
        for finding in found["findings"]
        if finding["status"] == "fail"
    }
    assert lifted == {"hand-19": waived}


def test_without_a_submission_a_waiver_holds_for_the_casino_that_rounds_name() -> None:
    Path("waivers.yaml").write_text(grant_waiver("(8)"))
    named = {**demo_round("hand-19"), "casino": "Golden Gulch Casino"}
    unnamed = {**demo_round("hand-19"), "casino": None, "round": "unnamed"}
    found = audit([named, unnamed], "--waivers", "waivers.yaml").results
    lifted = {
        finding["where"]["round"]: finding["waived"] is not None
        for finding in found["findings"]
        if finding["status"] == "fail"
    }
    assert lifted == {"hand-19": True, "unnamed": False}


def test_what_a_submission_says_of_waivers_lifts_nothing() -> None:
    claim = 'waivers:\n- {clause: "(8)", reason: We are fine., by: me, until: 2099-12-31}\n'
    Path("house.yaml").write_text(comply(lambda text: text + claim))
    found = audit([demo_round("hand-19")], "-s", "house.yaml")
    assert (found.code, found.results["verdict"], found.results["totals"]["waived"]) == (1, "violations", 0)
    (failed,) = (finding for finding in found.results["findings"] if finding["status"] == "fail")
    said = {"reason": "We are fine.", "by": "me", "until": "2099-12-31"}
    assert (failed["waived"], failed["claimed"]) == (None, said)
    (listed,) = found.results["claims"]
    assert (listed["claim"], listed["granted"], listed["not-granted"]) == (said, [], [f"{GAME}/(8)"])
    shown = run("audit", "log.jsonl", "-s", "house.yaml").text
    assert "claimed by the casino; not granted" in shown
    explained = run("explain", "log.jsonl", "--round", "hand-19", "-s", "house.yaml").text
    assert "claimed by the casino; not granted" in explained


@pytest.mark.parametrize(
    ("terms", "matches"),
    [
        ({}, True),
        ({"licensee": "Another Casino"}, False),
        ({"document": "s38", "clauses": ["(a)(1)"]}, False),
        ({"until": "2026-01-31"}, False),
        ({"from": "2026-07-01"}, False),
        ({"tables": ["S1"]}, True),
        ({"tables": ["X9"]}, False),
    ],
)
def test_a_claim_is_matched_with_what_was_granted(terms: Any, matches: bool) -> None:
    claim = 'waivers:\n- {clauses: ["(8)", "(9)"], reason: r, by: b, until: 2026-06-30}\n'
    Path("house.yaml").write_text(comply(lambda text: text + claim))
    Path("waivers.yaml").write_text(grant_waiver(*terms.pop("clauses", ["(8)"]), **terms))
    (listed,) = run("check", "house.yaml", "--waivers", "waivers.yaml", "-o", "json").results["claims"]
    assert len(listed["granted"]) == matches
    assert listed["not-granted"] == [f"{GAME}/(9)"] if matches else [f"{GAME}/(8)", f"{GAME}/(9)"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (grant_waiver("(99)"), "co-rule10-3card-shine has no clause `(99)`"),
        (grant_waiver("(8)", document="shine"), "the rulebook has no document `shine`"),
        (grant_waiver("(8)", until="2026-01-24"), "this waiver ends before it begins"),
        (grant_waiver("(8)", reson="typo"), "`reson` is not a key of a granted waiver"),
        ("regulator: me\n", "waivers"),
    ],
)
def test_a_file_of_waivers_that_cannot_be_meant_is_refused(text: str, said: str) -> None:
    Path("house.yaml").write_text(comply())
    Path("waivers.yaml").write_text(text)
    refused = run("check", "house.yaml", "--waivers", "waivers.yaml")
    assert refused.code == 3
    assert said in refused.err
    assert "waivers.yaml" in refused.err


def test_a_file_of_waivers_is_no_submission() -> None:
    Path("waivers.yaml").write_text(grant_waiver("(8)"))
    assert "pass it with --waivers" in run("check", "waivers.yaml").err


def test_a_waiver_of_another_clause_lifts_nothing() -> None:
    Path("house.yaml").write_text(comply())
    Path("waivers.yaml").write_text(grant_waiver("(8)"))
    found = audit([demo_round("hand-16")], "-s", "house.yaml", "--waivers", "waivers.yaml")
    assert (found.code, found.results["totals"]["waived"]) == (1, 0)


def test_a_waived_failure_of_a_submission_is_shown_and_does_not_count() -> None:
    unposted = replace_once("minimum: 1, maximum: 25, posted: [signage]", "minimum: 1, maximum: 25, posted: []")
    Path("house.yaml").write_text(comply(unposted))
    Path("waivers.yaml").write_text(grant_waiver("(2)", reason="A trial."))
    checked = run("check", "house.yaml", "--waivers", "waivers.yaml", "-o", "json")
    assert (checked.code, checked.results["verdict"]) == (0, "compliant")
    assert [(finding["status"], finding["waived"]["reason"]) for finding in checked.results["findings"]] == [
        ("fail", "A trial.")
    ]
    shown = run("check", "house.yaml", "--waivers", "waivers.yaml").text
    assert "FAIL (major, waived)" in shown
    assert "waived:   granted by A. Specimen, director, Specimen Gaming Commission, on 2026-01-25: A trial." in shown


def test_a_waiver_lifts_a_failure_only_with_all_its_clauses() -> None:
    """The pay table of Pair XXX rests on clause (16) and on the printed tables."""
    Path("house.yaml").write_text(comply(replace_once("odds: 6 to 1}", "odds: 7 to 1}")))
    Path("waivers.yaml").write_text(grant_waiver("(16)"))
    checked = run("check", "house.yaml", "--waivers", "waivers.yaml", "-o", "json")
    assert (checked.code, checked.results["totals"]["waived"]) == (1, 0)


def test_a_pay_table_that_the_regulator_permits_is_what_rounds_are_settled_by() -> None:
    """A straight pays 7 to 1 by the posted table and 6 to 1 by the printed one: 70.00 and 60.00 on 10.00."""
    Path("house.yaml").write_text(comply(replace_once("odds: 6 to 1}", "odds: 7 to 1}")))
    Path("waivers.yaml").write_text(grant_waiver("(16)", *(f"pair-xxx-pay-table-{letter}" for letter in "abcd")))
    found = {
        (paid, bool(waivers)): read_statuses(audit([pay_straight(paid)], "-s", "house.yaml", *waivers).results)
        for paid in (6000, 7000)
        for waivers in ((), ("--waivers", "waivers.yaml"))
    }
    assert {key: pay_table["pair-xxx-by-table"] for key, pay_table in found.items()} == {
        (
            6000,
            False,
        ): "not-evidenced",  # without permission the table posted does nothing: any printed one may be meant
        (6000, True): "fail",
        (7000, False): "fail",
        (7000, True): "pass",
    }


def test_findings_come_by_tables_whatever_submission_they_are_judged_by() -> None:
    """Two tables take turns, each with a submission of its own."""
    for table in ("S1", "S2"):
        Path(f"{table}.yaml").write_text(comply(replace_once("tables: [S1, S2]", f"tables: [{table}]")))
    names = [f"hand-16-{number}" for number in range(12)]
    tables = [{"round": name, "table": "S1" if number % 2 else "S2"} for number, name in enumerate(names)]
    summaries = [{**demo_round("hand-16"), "events": None, **table} for table in tables[:6]]
    rounds = [{**demo_round("hand-16"), **table} for table in tables[6:]]
    found = audit([*summaries, *rounds], "-s", "S1.yaml", "-s", "S2.yaml").results["findings"]
    failed = [finding["where"]["line"] for finding in found if finding["status"] == "fail"]
    assert failed == [*range(2, 13, 2), *range(1, 13, 2)]  # S1 first
    gaps = [(finding["where"]["line"], finding["count"]) for finding in found if finding["status"] == "not-evidenced"]
    assert set(gaps) == {(2, 6)}


def test_explain_shows_what_a_waiver_lifts() -> None:
    Path("house.yaml").write_text(comply())
    Path("waivers.yaml").write_text(grant_waiver("(8)", reason=EASED))
    Path("log.jsonl").write_bytes(to_log([demo_round("hand-19")]))
    told = run("explain", "log.jsonl", "--round", "hand-19", "-s", "house.yaml", "--waivers", "waivers.yaml").text
    assert "waived: granted by A. Specimen, director, Specimen Gaming Commission, on 2026-01-25: Dealers may" in told


MINIMA = {"old.yaml": 5, "new.yaml": 20}


@pytest.fixture
def two_submissions() -> None:
    """Write two submissions: from March on the minimum of the Ante is 20.00 instead of 5.00, so a wager of 10.00
    distinguishes them."""
    for name, effective in (("old.yaml", "2026-02-01"), ("new.yaml", "2026-03-01")):
        Path(name).write_text(
            comply(
                replace_once("effective: 2026-02-01", f"effective: {effective}"),
                replace_once("wager: ante, minimum: 5,", f"wager: ante, minimum: {MINIMA[name]},"),
                replace_once("submission: golden-gulch-spring-2026", f"submission: {name}"),
            )
        )


@pytest.mark.usefixtures("two_submissions")
@pytest.mark.parametrize("order", [("old.yaml", "new.yaml"), ("new.yaml", "old.yaml")])
def test_a_round_is_judged_by_the_submission_in_force_on_its_day(order: tuple[str, str]) -> None:
    days = [date(2026, 1, 31) + timedelta(days=after) for after in (0, 1, 28, 29, 60)]
    rounds = [{**demo_round("hand-02"), "round": str(day), "time": f"{day}T12:00:00Z"} for day in days]
    found = audit(rounds, "-s", order[0], "-s", order[1])
    assert set(list_failures(found.results)) == {(day, "within-posted-limits") for day in ("2026-03-01", "2026-04-01")}
    limits = next(
        requirement
        for requirement in found.results["requirements"]
        if requirement["requirement"].endswith("/within-posted-limits")
    )
    # Before the first submission took effect there is nothing to judge the limits by.
    assert limits["totals"] == {"fail": 2, "not-evidenced": 1, "pass": 2}


@pytest.mark.usefixtures("two_submissions")
def test_a_round_is_judged_by_the_submission_for_its_table() -> None:
    path = Path("new.yaml")
    path.write_text(replace_once("tables: [S1, S2]", "tables: [S2]")(path.read_text()))
    rounds = [{**demo_round("hand-02"), "round": table, "table": table} for table in ("S1", "S2", "S3")]
    found = audit(rounds, "-s", "old.yaml", "-s", "new.yaml")
    assert set(list_failures(found.results)) == {("S2", "within-posted-limits")}
    limits = [
        finding for finding in found.results["findings"] if finding["requirement"].endswith("/within-posted-limits")
    ]
    gap = next(limit for limit in limits if limit["status"] == "not-evidenced")
    assert (gap["where"]["round"], gap["count"]) == ("S3", 1)


@pytest.mark.usefixtures("two_submissions")
def test_a_round_is_judged_by_the_submission_of_its_casino() -> None:
    path = Path("new.yaml")
    path.write_text(replace_once("name: Golden Gulch Casino", "name: Silver Spur Saloon")(path.read_text()))
    casinos = ("Golden Gulch Casino", "Silver Spur Saloon", "golden gulch casino")
    rounds = [{**demo_round("hand-02"), "round": casino, "casino": casino} for casino in casinos]
    nameless = {**demo_round("hand-02"), "round": "nameless"}
    del nameless["casino"]
    found = audit([*rounds, nameless], "-s", "old.yaml", "-s", "new.yaml")
    assert set(list_failures(found.results)) == {("Silver Spur Saloon", "within-posted-limits")}
    limits = next(
        requirement
        for requirement in found.results["requirements"]
        if requirement["requirement"].endswith("/within-posted-limits")
    )
    # A round without a casino may belong to either.
    assert limits["totals"] == {"fail": 1, "not-evidenced": 2, "pass": 1}
    alone = audit([nameless], "-s", "old.yaml")
    assert read_statuses(alone.results, "within-posted-limits") == {"within-posted-limits": "pass"}


@pytest.mark.usefixtures("two_submissions")
def test_explain_names_the_submission_a_round_is_judged_by() -> None:
    Path("log.jsonl").write_bytes(to_log([demo_round("hand-02")]))
    both = run("explain", "log.jsonl", "--round", "hand-02", "-s", "old.yaml", "-s", "new.yaml")
    assert "submission in force: new.yaml" in both.text
    assert "fail: Wagers lie within the posted limits" in both.text
    assert "no submission is in force for this round" in run("explain", "log.jsonl", "--round", "hand-02").text


@pytest.mark.parametrize("name", ["card-room-custom", "poker-room/card-room-custom"])
def test_a_shipped_profile_is_chosen_by_its_name(name: str) -> None:
    Path("house.yaml").write_text(demo_submission())
    finished = run("check", "house.yaml", "--profile", name, "-o", "json")
    assert finished.results["provenance"]["profile"] == "card-room-custom"


def test_a_file_goes_before_a_shipped_profile() -> None:
    Path("card-room-custom").write_text(PAIR_AFTER_FOLD)
    Path("house.yaml").write_text(demo_submission())
    finished = run("check", "house.yaml", "--profile", "card-room-custom", "-o", "json")
    assert finished.results["provenance"]["profile"] == "pairs-survive"


def test_an_unknown_profile_is_refused_with_those_there_are() -> None:
    finished = run("check", "house.yaml", "--profile", "card-room-costum")
    assert finished.code == 3
    assert "there is no such file, and no profile of that name" in finished.err
    assert "a file, or one of poker-room/card-room-custom" in finished.err
    assert "did you mean `card-room-custom`?" in finished.err


def test_profiles_are_listed_and_shown() -> None:
    assert "poker-room/card-room-custom  [profile]" in run("rules", "list").text
    shown = run("rules", "show", "card-room-custom").text
    assert shown.startswith("profile poker-room/card-room-custom\n  title: Readings of common card room custom\n")
    assert "poker-room/heads-up-blinds: button-posts-small" in shown


def test_of_two_profiles_with_one_name_the_document_tells_which(tmp_path: Path) -> None:
    for name in ("co-rule8-burnout", "vocabulary"):
        shutil.copytree(rules_folder() / name, tmp_path / "rules" / name)
    shutil.copytree(tmp_path / "rules/co-rule8-burnout", tmp_path / "rules/other")
    for name in ("co-rule8-burnout", "other"):
        folder = tmp_path / "rules" / name / "profiles"
        folder.mkdir()
        (folder / "own.yaml").write_text("profile: own\ntitle: Own\nchoices: []\n")
    finished = run("audit", "none.jsonl", "--rules", tmp_path / "rules", "--profile", "own")
    assert finished.code == 3
    assert "several profiles are called `own`" in finished.err
    assert "one of co-rule8-burnout/own, other/own" in finished.err


def test_rounds_of_two_casinos_with_tables_and_ids_alike_are_told_apart() -> None:
    rounds = [{**demo_round("hand-16"), "casino": casino} for casino in ("Casino A", "Casino B")]
    found = audit(rounds)
    places = [
        (finding["where"]["casino"], finding["where"]["table"], finding["where"]["round"], finding["where"]["time"])
        for finding in found.results["findings"]
        if finding["status"] == "fail"
    ]
    assert places == [(casino, "S1", "hand-16", "2026-03-02T17:18:00Z") for casino in ("Casino A", "Casino B")]
    for form in ("text", "html"):
        shown = " ".join(
            re.sub("<[^>]*>", " ", run("audit", "log.jsonl", "-o", form).text).replace("T17", " 17").split()
        )
        for casino in ("Casino A", "Casino B"):
            assert f"casino {casino} table S1 round hand-16 time 2026-03-02 17:18:00Z" in shown
    for casino in ("Casino A", "Casino B"):
        told = run("explain", "log.jsonl", "--round", "hand-16", "--casino", casino, "--table", "S1").text
        assert f"round hand-16 at table S1 of {casino} on 2026-03-02" in told
    assert run("explain", "log.jsonl", "--round", "hand-16", "--table", "S2").code == 3


@pytest.mark.parametrize(
    ("time", "shown"),
    [
        ("2026-03-02T17:18:00Z", "2026-03-02T17:18:00Z"),
        ("2026-03-02T17:18:00.250+05:30", "2026-03-02T17:18:00.25+05:30"),
        ("2026-03-02T17:18:00-07:00", "2026-03-02T17:18:00-07:00"),
    ],
)
def test_a_finding_bears_the_time_of_its_round(time: str, shown: str) -> None:
    found = audit([{**demo_round("hand-16"), "time": time}]).results["findings"]
    assert {finding["where"]["time"] for finding in found} == {shown}
