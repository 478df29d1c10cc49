"""Texts of betting failures, turns from a position, and amounts players had put in."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from fairdeal.validator.engine.betting.betting_replay import JOIN_WAYS, collect_contributions
from tests.facade.rounds import EvaluationContext
from tests.facade.text import InputError
from tests.play.betting.game import GAME, OPEN, POSTED, play_acts
from tests.play.table import Data, answers, batch_of, configuration, event, judge, regulation, room, step

FOUR: dict[int, int | None] = {1: 10_000, 2: 10_000, 3: 10_000, 4: 10_000}
BLINDS = "1 small 100; 2 big 200"


def find(check: Data, acts: str, **more: Any) -> tuple[list[str], list[tuple[Any, ...]]]:
    record = play_acts(f"{BLINDS}; {acts}", stacks=more.pop("stacks", FOUR), button=more.pop("button", 4))
    return judge(check, [record], submission=more.pop("submission", POSTED), **{**GAME, **more})


def act(must: Data, when: Data | list[Data] | None = None, of: str = "act") -> Data:
    return {"each": "event", "of": of, "must": must, **({} if when is None else {"when": when})}


IN_TURN = act({"betting": "in-turn"}, {"betting": "open"})
COMPLETED = act({"not": {"betting": "open"}}, of="second")


def decision(*names: str) -> Data:
    return {"event": {"decision": list(names)}}


def test_who_was_due_and_who_acted() -> None:
    marks, findings = find(IN_TURN, "4 raise 600; 3 call 600; 1 fold; 2 fold")

    assert marks == ["fail"]
    assert findings == [("R1", 4, 3, "seat 3 to answer the bet of 2.00", "seat 4: raise, 6.00")]


@pytest.mark.parametrize(
    ("acts", "at"),
    [
        ("4 call 200; 1 call 100; 2 check; 3 call 200", [3]),  # a seat that was passed over acts last
        ("4 call 200; 3 call 200; 1 call 100; 2 check", [3]),  # or at once
        ("4 call 200; 1 call 100; 3 call 200; 2 check", [3]),
        ("1 call 100; 4 fold; 3 fold; 2 check", [3]),  # two at a time
        ("4 call 200; 3 call 200; 2 check; 1 call 100", [3, 5]),  # two lapses
        ("4 raise 600; 1 fold; 2 call 400; 3 raise 1800; 4 call 1200; 2 fold", [3]),
        ("4 raise 600; 1 fold; 2 call 400; 3 raise 1800; 2 fold; 4 call 1200", [3, 7]),
        ("3 call 200; 4 call 200; 1 call 100; 2 check; second; 2 check; 3 check; 4 check; 1 check", [8]),
        ("3 call 200; 4 call 200; 1 call 100; 2 check; second; 2 check; 1 check; 4 check; 3 check", [8, 10]),
        # Seat 3 is not heard of: nobody waits for it in the second betting round either.
        ("4 call 200; 1 call 100; 2 check; second; 1 check; 2 check; 4 check", [3]),
        # Once it has acted it is waited for again.
        ("4 call 200; 1 call 100; 2 check; 3 call 200; second; 1 check; 2 check; 4 check; 3 check", [3, 10]),
        # An act where none is open to the seat moves no turn.
        ("3 call 200; 3 check; 4 call 200; 1 call 100; 2 check", [4]),
    ],
)
def test_the_turn_goes_on_from_who_acts_ahead_of_it(acts: str, at: list[int]) -> None:
    assert [event for _, _, event, *_ in find(IN_TURN, acts)[1]] == at


def test_who_never_acted_is_found_when_the_cards_come() -> None:
    acts = "4 call 200; 1 call 100; 2 check; second; 1 check; 2 check; 4 check"
    assert find(COMPLETED, f"{acts}; 3 call 200")[1] == [("R1", None, 6, "seat 3 to answer the bet of 2.00", "second")]
    # Without a later act its fold may be missing: the act out of turn shows this, and the rest is open.
    assert find(COMPLETED, acts) == (["not-evidenced"], [])


@pytest.mark.parametrize(
    ("acts", "at"),
    [
        ("3 call 300; 4 call 200; 1 call 100; 2 check", [3]),  # too much, and nobody follows
        ("3 call 300; 4 call 300; 1 call 200; 2 call 100", [3]),  # the table takes it for the bet
        ("3 call 300; 4 call 300; 1 call 100; 2 call 100", [3, 5]),
        ("3 raise 600; 4 call 500; 1 call 400; 2 call 400", [4, 5]),  # every call that is short
        ("3 call 300; 4 raise 600; 1 call 500; 2 call 400; 3 call 300", [3]),
    ],
)
def test_a_call_of_too_much_is_the_bet_where_another_calls_it(acts: str, at: list[int]) -> None:
    smaller: Data = {"smaller": [{"betting": "to-call"}, {"betting": "behind"}]}
    rule = act({"betting": "put-in", "equals": smaller}, decision("call"))
    assert [event for _, _, event, *_ in find(rule, acts)[1]] == at


SMALLER: Data = {"smaller": [{"betting": "to-call"}, {"betting": "behind"}]}
CALLS = act(
    {"betting": "put-in", "equals": SMALLER},
    [decision("call"), {"not": {"betting": "out-of-order"}}],
)
"""Condition on a missing call; it does not apply to a call of unknown amount."""


@pytest.mark.parametrize(
    ("acts", "turns", "calls"),
    [
        # A raise ahead of the turn that nobody takes up leaves nobody short, and one that is called is the bet.
        ("4 raise 600; 3 call 200; 1 call 100; 2 check", [3], []),
        ("4 raise 600; 3 call 600; 1 call 500; 2 call 400", [3], []),
        ("4 raise 600; 3 call 600; 1 call 400; 2 call 400", [3], [5]),
        ("4 raise 600; 3 raise 1000; 4 call 400; 1 call 900; 2 call 800", [3], []),
        # A seat that raised ahead of its turn may act in turn; the chips may or may not be part of the answer.
        ("1 raise 500; 3 call 200; 4 call 200; 1 call 100; 2 check", [3], []),
        # A call ahead of the turn, to the amount of a later raise, is the bet if others call as much.
        ("4 call 600; 3 call 600; 1 call 500; 2 call 400", [3], []),
        # Chips where no act is open to the seat leave nobody short either; the next betting round is another.
        ("3 call 200; 4 call 200; 3 raise 900; 1 call 100; 2 check", [5], []),
        ("3 call 200; 4 call 200; 3 raise 900; 1 call 1000; 2 call 900; 4 call 900", [5], []),
    ],
)
def test_a_bet_out_of_turn_is_the_bet_where_the_table_takes_it(acts: str, turns: list[int], calls: list[int]) -> None:
    assert [event for _, _, event, *_ in find(IN_TURN, acts)[1]] == turns
    assert [event for _, _, event, *_ in find(CALLS, acts)[1]] == calls


def test_where_it_is_not_known_whose_turn_it_is_a_short_call_is_not_evidenced() -> None:
    acts = "4 raise 600; 3 call 200; 1 call 100; 2 check"
    assert find(CALLS, acts)[0] == ["pass"]
    assert find(CALLS, acts, button=None)[0] == ["not-evidenced"]
    assert find(CALLS, "3 call 300; 4 call 200; 1 call 100; 2 check", button=None)[0] == ["not-evidenced"]


def test_who_is_out_is_found_at_the_first_act() -> None:
    rule = act({"betting": "still-in"})
    acts = "3 fold; 4 call 200; 1 call 100; 2 check; second; 1 check; 2 check; 3 bet 200; 4 check; 3 check"
    assert [event for _, _, event, *_ in find(rule, acts)[1]] == [10]


@pytest.mark.parametrize(
    ("acts", "at"),
    [
        # Seats 1 and 2 complete the first betting round when the cards are out; the second is opened by seat 1 again.
        ("3 call 200; 4 call 200; second; 1 call 100; 2 check; 1 check; 2 check; 3 check; 4 check", []),
        ("3 call 200; 4 call 200; second; 1 call 100; 2 check; 2 check; 1 check; 3 check; 4 check", [8]),
        # Seat 1 opens the second without having answered the bet; nobody waits for seat 2.
        ("3 call 200; 4 call 200; second; 1 check; 2 check; 3 check; 4 check", []),
    ],
)
def test_cards_that_come_too_early_begin_no_betting_round_yet(acts: str, at: list[int]) -> None:
    assert [event for _, _, event, *_ in find(COMPLETED, acts)[1]] == [5]
    assert [event for _, _, event, *_ in find(IN_TURN, acts)[1]] == at
    assert find(CALLS, acts)[0] == ["pass"]


def test_betting_left_open_is_told_once_in_a_turn() -> None:
    game = {"betting": {**GAME["betting"], "complete-at": ["second", "show-or-concede"]}}
    shown = act({"not": {"betting": "left-open"}}, of="show-or-concede")
    cards = act({"not": {"betting": "left-open"}}, of="second")
    acts = "3 call 200; 4 call 200; 1 shows; 2 shows"
    assert [event for _, _, event, *_ in find(shown, acts, **game)[1]] == [5]
    assert [event for _, _, event, *_ in find(shown, f"{acts}; 1 call 100; 2 shows", **game)[1]] == [5, 8]
    assert [event for _, _, event, *_ in find(cards, f"{acts}; second; 1 fold", **game)[1]] == [7]


def test_chips_put_forward_belong_to_the_act_that_follows_at_once() -> None:
    puts = {**GAME, "other-events": {**GAME["other-events"], **step("puts", "tender", each="seat")}}
    rule = act({"betting": "acts-next"}, of="puts")
    acts = "4 puts 200; 3 puts 200; 3 call 200; 4 puts 200; 1 puts 100; 4 call 200; 1 call 100; 2 check"
    assert [event for _, _, event, *_ in find(rule, acts, **puts)[1]] == [3, 7]


def test_a_hand_thrown_away_in_the_face_of_a_bet_is_folded() -> None:
    thrown = {
        "other-events": {**GAME["other-events"], **step("thrown", "announce", each="seat", what="thrown")},
        "betting": {**GAME["betting"], "folded-by": {"step": "thrown"}},
    }
    record = play_acts(f"{BLINDS}; 3 call 200; 1 call 100; 2 check", stacks=FOUR, button=4)
    record["events"].insert(3, event("announce", 4, what="thrown"))
    assert judge(IN_TURN, [record], submission=POSTED, **{**GAME, **thrown})[0] == ["pass"]
    without = {**GAME, "other-events": thrown["other-events"]}
    assert judge(IN_TURN, [record], submission=POSTED, **without)[0] == ["fail"]
    # A seat that calls nevertheless has not given up its hand.
    record["events"].insert(4, event("decide", 4, decision="call", amount=200))
    record["seats"][3]["wagers"] = [{"wager": "bets", "amount": 200}]
    assert answers({"betting": "still-in"}, [record], "event", submission=POSTED, **{**GAME, **thrown})[4] == "yes"


def test_cards_before_the_betting_is_over() -> None:
    marks, findings = find(COMPLETED, "3 raise 600; 4 call 600; 1 fold; second")

    assert marks == ["fail"]
    assert findings == [("R1", None, 6, "seat 2 to answer the bet of 6.00", "second")]
    assert find(COMPLETED, "3 raise 600; 4 call 600; 1 fold; 2 fold; second")[0] == ["pass"]


def test_an_act_after_the_end() -> None:
    rule = act({"betting": "open"}, {"not": decision("concede")})
    marks, findings = find(rule, "3 fold; 4 fold; 1 call 100; 2 check; 1 bet 400")

    assert marks == ["fail"]
    assert findings == [("R1", 1, 7, "no further act", "seat 1: bet, 4.00, to 6.00")]


def test_a_check_in_the_face_of_a_bet() -> None:
    rule = act({"not": {"betting": "faced"}}, decision("check"))
    marks, findings = find(rule, "3 check; 4 call 200")

    assert marks == ["fail"]
    assert findings == [("R1", 3, 3, "no bet to call", "seat 3: check; 2.00 to call")]


@pytest.mark.parametrize(("put", "stack", "mark"), [(600, 10_000, "pass"), (500, 10_000, "fail"), (500, 500, "pass")])
def test_a_call_meets_the_bet_or_is_all_in(put: int, stack: int, mark: str) -> None:
    smaller: Data = {"smaller": [{"betting": "to-call"}, {"betting": "behind"}]}
    rule = act({"betting": "put-in", "equals": smaller}, decision("call"))
    marks, findings = find(rule, f"3 raise 600; 4 call {put}", stacks={**FOUR, 4: stack})

    assert marks == [mark]
    if mark == "fail":
        smaller_of = "the smaller of the amount to call and the chips of the seat (6.00)"
        assert findings[0][3].endswith(f"must equal {smaller_of}")
        assert "the amount put in: 5.00" in findings[0][4]


def test_why_a_raise_was_not_open() -> None:
    rule = act({"betting": "may-raise"}, decision("raise"))
    acts = "3 call 200; 4 raise 1000; 1 fold; 2 raise 1400; 3 call 1400; 4 raise 4000"
    marks, findings = find(rule, acts, stacks={**FOUR, 2: 1600})

    assert marks == ["fail"]
    assert findings[0][:4] == ("R1", 4, 8, "a fold or a call")
    assert findings[0][4] == "seat 4: raise, 40.00, to 50.00; the seat had acted and no full raise followed"
    assert find(rule, acts, stacks={**FOUR, 2: 1600}, submission=OPEN)[0] == ["pass"]


def test_stakes_beyond_the_chips_at_the_start() -> None:
    rule: Data = {"each": "seat", "must": {"staked": "this-seat", "at-most": {"stack": "start"}}}
    assert find(rule, "3 bet 5000", stacks={**FOUR, 3: 5000})[0] == ["pass"]
    marks, findings = find(rule, "3 bet 5200", stacks={**FOUR, 3: 5000})
    assert marks == ["fail"]
    assert findings == [
        (
            "R1",
            3,
            None,
            "the total amount put in by the seat must be at most the chips at the start (50.00)",
            "the total amount put in by the seat: 52.00; the chips at the start: 50.00",
        )
    ]
    assert find(rule, "3 bet 5200", stacks={**FOUR, 3: None})[0] == ["not-evidenced"]


SHOWN: Data = {"turns": {"step": "show-or-concede", "starting": ["final", "left"]}}


@pytest.mark.parametrize(
    ("later", "showing", "mark"),
    [
        ("1 check; 2 check; 3 check", "1 shows; 2 shows; 3 concede", "pass"),
        ("1 check; 2 check; 3 check", "2 shows; 1 shows; 3 shows", "fail"),
        ("1 check; 2 check; 3 bet 400; 1 fold; 2 call 400", "3 shows; 2 shows", "pass"),
        ("1 check; 2 check; 3 bet 400; 1 fold; 2 call 400", "2 shows; 3 shows", "fail"),
        ("1 check; 2 bet 400; 3 call 400; 1 call 400", "2 shows; 3 concede; 1 shows", "pass"),
    ],
)
def test_hands_are_shown_clockwise_from_the_last_bettor(later: str, showing: str, mark: str) -> None:
    marks, findings = find(SHOWN, f"3 call 200; 4 fold; 1 call 100; 2 check; second; {later}; {showing}")

    assert marks == [mark]
    if mark == "fail" and "bet" in later:
        assert findings[0][3:] == (
            "clockwise from seat 3 (final): seat 3 before seat 2",
            "seat 2 before seat 3: show or concede (events 13 and 14)",
        )


def test_who_shows_first_where_the_last_betting_round_was_checked_through() -> None:
    acts = "3 call 200; 4 fold; 1 call 100; 2 check; second; 1 check; 2 check; 3 bet 400; 1 fold; 2 call 400; third"
    of_all: Data = {"turns": {"step": "show-or-concede", "starting": ["of-all", "left"]}}

    assert find(SHOWN, f"{acts}; 2 check; 3 check; 2 shows; 3 shows")[0] == ["pass"]
    assert find(SHOWN, f"{acts}; 2 check; 3 check; 3 shows; 2 shows")[0] == ["fail"]
    assert find(of_all, f"{acts}; 2 check; 3 check; 3 shows; 2 shows")[0] == ["pass"]


def test_a_run_of_cards_after_all_are_all_in_has_no_last_bettor_of_its_own() -> None:
    acts = "3 raise 10000; 4 fold; 1 fold; 2 call 9800; second; third"
    assert find(SHOWN, f"{acts}; 3 shows; 2 shows")[0] == ["pass"]
    assert find(SHOWN, f"{acts}; 2 shows; 3 shows")[0] == ["fail"]


def test_turns_without_a_button_are_not_evidenced_and_without_showing_not_asked_for() -> None:
    assert find(SHOWN, "3 call 200; 1 shows; 2 shows", button=None)[0] == ["not-evidenced"]
    assert find(SHOWN, "3 fold; 4 fold; 1 fold")[0] == ["not-applicable"]


def test_steps_of_one_decision() -> None:
    each: Data = {"each": "event", "of": "folded", "must": decision("fold")}
    assert find(each, "3 call 200; 4 fold")[0] == ["pass"]
    assert find(each, "3 call 200; 4 call 200")[0] == ["not-applicable"]


def put_in(acts: str, **more: Any) -> Any:
    record = play_acts(acts, stacks=more.pop("stacks", FOUR), button=more.pop("button", 4), **more)
    scope = EvaluationContext(batch_of([record]), room(**GAME).prepared, configuration(POSTED))
    code = {name: np.full(1, JOIN_WAYS.index(name), np.int8) for name in JOIN_WAYS}
    return collect_contributions(
        scope, {"ante": code["capped"], "small": code["matched"], "big": code["matched"], "bets": code["matched"]}
    )


def test_what_the_players_had_put_in() -> None:
    acts = "3 ante 50; 2 ante 50; 3 small 100; 7 big 200; 2 raise 600; 3 fold; 7 raise 1000; 2 call 600; 2 concede"
    found = put_in(acts, stacks={2: 5_000, 3: 5_000, 7: 5_000}, button=2)

    # Clockwise from the button at seat 2: seats 3, 7, 2.
    assert found.seats.tolist() == [[1], [2], [0]]
    assert found.matched.tolist() == [[100], [1200], [1200]]
    assert found.capped.tolist() == [[50], [0], [50]]
    assert found.whole.tolist() == [[0]] * 3
    assert (found.dealt_in.tolist(), found.remaining.tolist(), found.conceded.tolist()) == ([0b111], [0b010], [0b100])
    assert (found.is_known.tolist(), found.last_bettor.tolist()) == ([True], [1])


def test_what_the_players_had_put_in_is_not_known_without_all_of_it() -> None:
    assert put_in(f"{BLINDS}; 3 call 200").is_known.tolist() == [True]
    assert put_in(f"{BLINDS}; 3 call").is_known.tolist() == [False]
    assert put_in(f"{BLINDS}; 3 call 200", complete=False).is_known.tolist() == [False]
    assert put_in(f"{BLINDS}; 3 call 200", button=None).is_known.tolist() == [False]
    assert put_in(f"{BLINDS}; 3 call 200", stacks={**FOUR, 2: None}).is_known.tolist() == [False]


def problem(**changed: Any) -> str:
    with pytest.raises(InputError) as refused:
        regulation(**json.loads(json.dumps({**GAME, **changed})))
    return "\n".join(diagnostic.message for diagnostic in refused.value.diagnostics)


def table(**positions: list[Data]) -> Data:
    return {**GAME["table"], "positions": {**GAME["table"]["positions"], **positions}}


def betting(**changed: Any) -> Data:
    return {**GAME["betting"], **changed}


def milestones(*after: str, when: Data | None = None) -> list[Data]:
    required = {"requirement": "order", "clauses": ["1"], "severity": "minor", "after": [*after], "broken": "It was."}
    return [{"at": {"last": "deal"}, "requirements": [required], **({} if when is None else {"when": when})}]


ASKED: Data = {"some-seat": {"position": "left"}}
ROUNDS = GAME["betting"]["rounds"]
ASKED_OF_POTS = {"pot": "awarded", "more-than": {"staked": "all-seats"}}
TAKEN = {"taken": {"title": "losing hands are taken", "event": "collect-cards", "of-seats": "losing"}}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"table": table(left=[{"after": "lefft"}])}, "there is no position `lefft`"),
        ({"table": table(left=[{"after": "next-seat"}], **{"small-seat": [{"at": "left"}]})}, "defined by itself"),
        ({"table": table(button=[{"after": "left"}])}, "the log records the position of the button"),
        ({"table": table(left=[{"when": {"betting": "open"}, "at": "button"}])}, "applies to each event"),
        ({"table": {**table(), "players": {"at-least": 3, "at-most": 2}}}, "the table must take at least"),
        ({"betting": betting(wager="betz")}, "there is no wager `betz`"),
        ({"betting": betting(forced=[{"wager": "bets", "counts": "apart"}])}, "already has its meaning"),
        ({"betting": betting(rounds=[{**ROUNDS[0], "after": "second"}])}, "begins with the round of play"),
        ({"betting": betting(rounds=[ROUNDS[0], {**ROUNDS[0], "round": "other"}])}, "comes `after` a step"),
        (
            {"betting": betting(rounds=[ROUNDS[0], ROUNDS[1], {**ROUNDS[1], "round": "other"}])},
            "another betting round begins",
        ),
        ({"betting": betting(rounds=[{"round": "first", "opens": "final"}])}, "depends on who bet last"),
        (
            {"betting": betting(reopens=[{"when": {"some-seat": {"position": "left"}}, "by": "any-raise"}])},
            "which themselves depend on this",
        ),
        (
            {"table": table(left=[{"when": ASKED_OF_POTS, "at": "button"}])},
            "which themselves depend on this",
        ),
        (
            {
                "table": table(left=[{"when": {"events": "taken", "equals": 0}, "at": "button"}]),
                "other-events": {**GAME["other-events"], **TAKEN},
            },
            "which themselves depend on this",
        ),
        ({"milestones": milestones("act", when={"betting": "contested"})}, "applies to each event"),
        ({"milestones": milestones("act", when=ASKED)}, "which themselves depend on this"),
        (
            {"milestones": milestones("act", "taken"), "other-events": {**GAME["other-events"], **TAKEN}},
            "which themselves depend on this",
        ),
        ({"courses": {"round": {}}}, "`courses` is not a key of a game"),
        ({"betting": betting(**{"folded-by": {"step": "shown", "when": ASKED}})}, "which themselves depend on this"),
        (
            {"betting": betting(**{"folded-by": {"step": "shown", "when": {"wager-is": ["bets"]}}})},
            "applies to each stake",
        ),
        ({"betting": betting(**{"folded-by": {"step": "shown", "out": ASKED}})}, "which themselves depend on this"),
        (
            {"betting": betting(**{"folded-by": {"step": "shown", "out": {"wager-is": ["bets"]}}})},
            "applies to each stake",
        ),
        ({"betting": None, "table": None}, "has a meaning only in a betting round"),
        ({"table": None}, "there is no position `next-seat`"),
    ],
)
def test_tables_and_betting_that_cannot_be_meant(changed: Data, says: str) -> None:
    assert says in problem(**changed)


def test_what_is_asked_of_betting_needs_some() -> None:
    with pytest.raises(InputError, match="is about betting"):
        answers({"betting": "contends-at-the-end"}, [])
