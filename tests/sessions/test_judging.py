"""Session requirements over whole logs: the findings they give, word by word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.facade.results import Status
from tests.sessions.tables import (
    GAME,
    count_stub,
    deal,
    judge,
    open_deck,
    requirement,
    round_,
    run_audit,
    shuffle,
    totals,
    write_log,
)

SHUFFLED = "{needed: {each: deck, since: [table-opens, round-dealt], steps: [mixed], before: dealing}}"
COUNTED = "{every: {step: counted, within: {rounds: 3}}}"


def test_a_round_dealt_without_a_shuffle_is_found_where_it_is_dealt(tmp_path: Path) -> None:
    rounds = [
        round_(1, shuffle(), deal(), deal()),
        round_(2, deal(), deal()),
        round_(3, shuffle(), deal()),
    ]
    result, (finding,) = judge(tmp_path, SHUFFLED, rounds)
    assert totals(result) == {"fail": 1, "pass": 2}
    assert (finding.status, finding.where.round, finding.where.event, finding.where.line) == (Status.FAIL, "R2", 1, 2)
    assert finding.expected == "the cards are mixed before the cards are dealt"
    assert finding.observed == (
        "the cards are dealt without this, needed since round R1 (00:01), event 3: the last card of a round is dealt"
    )


def test_the_opening_is_named_where_nothing_was_done_since(tmp_path: Path) -> None:
    _, (finding,) = judge(tmp_path, SHUFFLED, [round_(1, deal())])
    assert finding.observed == "the cards are dealt without this, needed since the table opened with round R1 (00:01)"


def test_what_happened_in_the_round_itself_is_said_so(tmp_path: Path) -> None:
    check = "{needed: {each: table, since: opened, steps: [washed, mixed], before: dealing}}"
    washed = {"event": "deck", "what": "washed"}
    _, findings = judge(tmp_path, check, [round_(1, open_deck(), washed, deal(), shuffle())])
    assert [(finding.expected, finding.observed) for finding in findings] == [
        (
            "the cards are mixed before the cards are dealt",
            "the cards are dealt without this, needed since event 1: a deck is opened",
        )
    ]


def test_gaps_say_what_is_missing(tmp_path: Path) -> None:
    rounds = [round_(1, shuffle(), deal()), round_(5, deal())]
    result, (finding,) = judge(tmp_path, SHUFFLED, rounds)
    assert totals(result) == {"not-evidenced": 1, "pass": 1}
    assert finding.observed == "3 rounds are missing from the logs: the numbers jump before round R5 (00:05)"


def test_logs_without_events_prove_nothing(tmp_path: Path) -> None:
    rounds = [round_(1, events=None), round_(2, shuffle(), deal(), unrecorded=["shuffle"])]
    result, (finding,) = judge(tmp_path, SHUFFLED, rounds)
    assert totals(result) == {"not-evidenced": 1, "pass": 1}
    assert finding.observed == "the log does not record the events to be checked"


def test_which_decks_a_table_has_does_not_hang_on_what_else_is_asked(tmp_path: Path) -> None:
    # A second deck is opened, so either may have been dealt; that is no step of this check, only of the other.
    log = write_log(tmp_path / "log.jsonl", [round_(1, open_deck(deck="blue"), deal())])
    shuffled, often = requirement(SHUFFLED), requirement("{every: {step: opened, within: {rounds: 3}}}", name="often")
    for asked in ([shuffled], [shuffled, often], [often, shuffled]):
        results = run_audit(asked, log)
        found = {requirement.requirement: totals(requirement) for requirement in results.requirements}
        assert found[f"{GAME}/asked"] == {"not-evidenced": 1}


def test_what_may_have_followed_a_record_that_breaks_off_is_open(tmp_path: Path) -> None:
    rounds = [
        round_(1, shuffle(deck="red"), deal(), deck="red", complete=False),
        round_(2, deal(), deck="red"),  # the deck may have been mixed when the round before was over
        round_(3, deal(), deck="red"),
    ]
    result, findings = judge(tmp_path, SHUFFLED, rounds)
    assert totals(result) == {"fail": 1, "not-evidenced": 1, "pass": 1}
    assert [finding.where.round for finding in findings if finding.status is Status.FAIL] == ["R3"]
    cut = [round_(number, deal(), complete=number != 3) for number in range(1, 8)]
    result, findings = judge(tmp_path, COUNTED, cut)
    assert totals(result) == {"fail": 2, "not-evidenced": 3, "pass": 2}
    assert [finding.where.round for finding in findings] == ["R6", "R3"]
    assert findings[-1].observed == "the record stops before the round is over"


def test_a_shuffle_by_nobody_in_particular_leaves_both_open(tmp_path: Path) -> None:
    check = "{needed: {each: table, since: by-machine, steps: [taken-away], before: by-hand}}"
    removed = {"event": "device", "what": "removed"}
    rounds = [
        round_(1, shuffle(by="machine")),
        round_(2, shuffle()),
        round_(3, removed, shuffle(by="dealer")),
        round_(4, shuffle(by="machine")),
        round_(5, shuffle(by="dealer")),
    ]
    result, findings = judge(tmp_path, check, rounds)
    assert totals(result) == {"fail": 1, "not-evidenced": 1, "pass": 1, "not-applicable": 2}
    assert [finding.where.round for finding in findings] == ["R5", "R2"]
    assert findings[1].observed == "the evidence does not show whether it was needed, or done"


def test_decks_are_followed_by_themselves(tmp_path: Path) -> None:
    rounds = [
        round_(1, shuffle(), shuffle(deck="blue"), deal(), deck="red"),
        round_(2, shuffle(deck="red"), deal(), deck="blue"),
        round_(3, deal(), deck="red"),
        round_(4, deal(), deck="blue"),
    ]
    result, (finding,) = judge(tmp_path, SHUFFLED, rounds)
    assert totals(result) == {"fail": 1, "pass": 3}
    assert finding.where.round == "R4"
    assert finding.observed == (
        "the cards are dealt (deck blue) without this, needed since round R2 (00:02), event 2: "
        "the last card of a round is dealt"
    )


def test_each_round_by_itself(tmp_path: Path) -> None:
    check = "{needed: {each: round, since: opened, steps: [washed], before: dealing}}"
    washed = {"event": "deck", "what": "washed"}
    rounds = [
        round_(None, open_deck(), minute=1),
        round_(None, deal(), minute=2),
        round_(None, open_deck(), deal(), minute=3),
        round_(None, open_deck(), washed, deal(), minute=4),
    ]
    result, (finding,) = judge(tmp_path, check, rounds)
    assert totals(result) == {"fail": 1, "pass": 1, "not-applicable": 2}
    assert (finding.where.round, finding.where.event) == ("R3", 2)
    assert finding.expected == "the cards are washed before the cards are dealt"
    assert finding.observed == "the cards are dealt without this, needed since event 1"


def test_a_count_comes_too_late(tmp_path: Path) -> None:
    rounds = [round_(1, count_stub()), *(round_(number) for number in range(2, 6)), round_(6, count_stub()), round_(7)]
    result, (finding,) = judge(tmp_path, COUNTED, rounds)
    assert totals(result) == {"fail": 2, "pass": 5}
    assert (finding.where.round, finding.count) == ("R4", 2)
    assert finding.expected == "at least once in any 3 consecutive rounds: the stub is counted"
    assert finding.observed == "3 rounds without it, since round R1 (00:01)"


def test_a_count_never_made(tmp_path: Path) -> None:
    _, (finding,) = judge(tmp_path, COUNTED, [round_(number) for number in range(1, 4)])
    assert finding.observed == "3 rounds without it, since the table opened with round R1 (00:01)"
    _, (finding, _) = judge(tmp_path, COUNTED, [round_(number) for number in range(5, 8)])
    assert finding.observed == "at least 3 rounds without it, counted from round R5 (00:05)"


def test_a_count_may_be_in_a_round_that_is_missing(tmp_path: Path) -> None:
    rounds = [round_(1, count_stub()), round_(2), round_(4), round_(5)]
    result, (finding,) = judge(tmp_path, COUNTED, rounds)
    assert totals(result) == {"not-evidenced": 2, "pass": 2}
    assert (finding.where.round, finding.count) == ("R4", 2)
    assert finding.observed == "1 round is missing from the logs: the numbers jump before round R4 (00:04)"


def test_cards_are_changed_by_the_clock(tmp_path: Path) -> None:
    check = "{every: {step: opened, within: {hours: 8}, each: deck}}"
    rounds = [
        round_(1, open_deck(deck="red"), open_deck(deck="blue"), deck="red", minute=0),
        round_(2, deck="blue", minute=480),
        round_(3, open_deck(deck="red"), deck="red", minute=481),
        round_(4, deck="blue", minute=482),
        round_(5, deck="red", minute=961),
    ]
    result, (finding,) = judge(tmp_path, check, rounds)
    assert totals(result) == {"fail": 1, "pass": 4}
    assert finding.where.round == "R482"
    assert finding.expected == "at least once in every 8 hours, for each deck: a deck is opened"
    assert finding.observed == "8 h 02 min without it for the deck blue, since round R0 (00:00)"


def test_the_clock_of_a_deck_begins_with_the_opening(tmp_path: Path) -> None:
    check = "{every: {step: opened, within: {hours: 8}, each: deck}}"
    rounds = [round_(1, deck="red", minute=0), round_(2, deck="blue", minute=481)]
    _, (finding,) = judge(tmp_path, check, rounds)
    assert finding.observed == "8 h 01 min without it for the deck blue, since the table opened with round R0 (00:00)"


def test_a_condition_that_must_come_true(tmp_path: Path) -> None:
    check = "{every: {must: {events: counted, at-least: 1}, within: {blocks-of: 2}}}"
    rounds = [round_(1), round_(2, count_stub()), round_(3, count_stub()), round_(4), round_(5), round_(6)]
    result, (finding,) = judge(tmp_path, check, rounds)
    assert totals(result) == {"fail": 1, "pass": 5}
    assert finding.where.round == "R6"
    assert (
        finding.expected == "at least once in each 2 rounds, counted from the opening of the table: the stub is counted"
    )
    assert finding.observed == "not once in the 2 rounds that end with this one"


def test_decks_alternate(tmp_path: Path) -> None:
    rounds = [round_(number, deck=deck) for number, deck in enumerate(["red", "blue", "blue", "red"], 1)]
    rounds += [round_(6, deck="red"), round_(7)]
    result, (finding, gap) = judge(tmp_path, "{succession: {deck: other}}", rounds)
    assert totals(result) == {"fail": 1, "not-evidenced": 2, "pass": 2, "not-applicable": 1}
    assert finding.where.round == "R3"
    assert finding.expected == "another deck than in round R2 (00:02)"
    assert finding.observed == "the deck blue again"
    assert (gap.where.round, gap.count) == ("R6", 2)
    assert gap.observed == "1 round is missing from the logs: the numbers jump before round R6 (00:06)"


def test_the_deck_stays(tmp_path: Path) -> None:
    rounds = [round_(1, deck="red"), round_(2, deck="blue")]
    _, (finding,) = judge(tmp_path, "{succession: {deck: same}}", rounds)
    assert finding.expected == "the deck of round R1 (00:01), red"
    assert finding.observed == "the deck blue"


def test_a_table_that_names_no_deck_has_the_one(tmp_path: Path) -> None:
    check = "{succession: {deck: same}}"
    result, _ = judge(tmp_path, check, [round_(1), round_(2), round_(3)])
    assert totals(result) == {"pass": 2, "not-applicable": 1}
    result, _ = judge(tmp_path, check, [round_(1, deck="red"), round_(2), round_(3)])
    assert totals(result) == {"not-evidenced": 2, "not-applicable": 1}


def test_a_deck_that_an_event_names_is_a_deck_of_the_table(tmp_path: Path) -> None:
    rounds = [round_(1), round_(2, shuffle(deck="red")), round_(3), round_(1, minute=4, table="T2")]
    rounds.append(round_(2, minute=5, table="T2"))
    result, findings = judge(tmp_path, "{succession: {deck: same}}", rounds)
    assert totals(result) == {"not-evidenced": 2, "not-applicable": 2, "pass": 1}
    assert [finding.observed for finding in findings] == ["the evidence does not show: the deck in play"]


def test_a_round_it_does_not_speak_of_frees_the_next(tmp_path: Path) -> None:
    check = "{succession: {deck: other, when: {events: counted, equals: 0}}}"
    rounds = [round_(1, deck="red"), round_(2, count_stub(), deck="red"), round_(3, deck="red"), round_(4, deck="red")]
    result, (finding,) = judge(tmp_path, check, rounds)
    assert totals(result) == {"fail": 1, "not-applicable": 3}
    assert finding.where.round == "R4"


def meter(number: int, opening: int | None, closing: int | None) -> dict[str, Any]:
    reading = {"meter": "jackpot", "opening": opening, "closing": closing}
    return round_(number, meters=[{key: value for key, value in reading.items() if value is not None}])


def test_a_meter_is_carried_on(tmp_path: Path) -> None:
    check = "{succession: {must: {meter: {jackpot: opening}, at-least: {previous: {meter: {jackpot: closing}}}}}}"
    rounds = [meter(1, 1000, 1200), meter(2, 1250, 1300), meter(3, 1299, None), meter(4, 1400, 1500)]
    result, (finding, gap) = judge(tmp_path, check, rounds)
    assert totals(result) == {"fail": 1, "not-evidenced": 1, "pass": 1, "not-applicable": 1}
    assert finding.where.round == "R3"
    assert finding.expected.endswith("after the round in the previous round (13.00)")
    assert "12.99" in finding.observed
    assert gap.where.round == "R4"


def test_only_the_days_on_which_it_is_in_force_are_judged(tmp_path: Path) -> None:
    rounds = [round_(number, minute=1437 + number) for number in range(1, 5)]
    result, findings = judge(tmp_path, COUNTED.replace("3", "1"), rounds, **{"from": "2026-03-02"})
    assert totals(result) == {"fail": 2, "not-in-force": 2}
    assert [finding.where.round for finding in findings] == ["R1440"]


def test_hours_go_by_though_clocks_are_put_forward(tmp_path: Path) -> None:
    check = "{every: {step: opened, within: {hours: 8}}}"
    rounds = [
        round_(1, open_deck(), time="2026-03-07T20:00:00-07:00"),
        round_(2, time="2026-03-08T05:00:00-06:00"),
        round_(3, time="2026-03-08T05:00:01-06:00"),
    ]
    result, (finding,) = judge(tmp_path, check, rounds)
    assert totals(result) == {"fail": 1, "pass": 2}
    assert finding.observed == "8 h 00 min 01 s without it, since round R1 (2026-03-07 20:00)"


def test_rounds_are_in_order_though_clocks_are_put_back(tmp_path: Path) -> None:
    rounds = [
        round_(1, deck="red", time="2026-11-01T01:59:00-06:00"),
        round_(2, deck="blue", time="2026-11-01T01:00:00-07:00"),
    ]
    result, findings = judge(tmp_path, "{succession: {deck: other}}", rounds)
    assert (totals(result), findings) == ({"pass": 1, "not-applicable": 1}, [])


def test_whether_it_applies_may_be_what_is_not_shown(tmp_path: Path) -> None:
    check = "{succession: {deck: other, when: {option: {second-deck: true}}}}"
    rounds = [round_(1, deck="red"), round_(2, deck="red"), round_(3, deck="blue")]
    result, (finding,) = judge(tmp_path, check, rounds)
    assert totals(result) == {"not-evidenced": 1, "pass": 1, "not-applicable": 1}
    assert finding.observed.startswith("the evidence does not show whether it applies: ")
