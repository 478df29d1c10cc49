"""Words and chips put forward, by rules as a card room has them: binding words, bets, unknown values."""

from __future__ import annotations

from typing import Any

import pytest

from tests.facade.text import InputError
from tests.play.betting.game import GAME, OPEN, POSTED, play_acts
from tests.play.table import NOTHING, Data, answers, judge, measures, regulation

FOUR: dict[int, int | None] = {1: 10_000, 2: 10_000, 3: 10_000, 4: 10_000}
BLINDS = "1 small 100; 2 big 200"
CHECKED = f"{BLINDS}; 3 call 200; 4 fold; 1 call 100; 2 check; second"


def decision(*names: str) -> Data:
    return {"event": {"decision": list(names)}}


def number(of: str, bound: str, to: str | int) -> Data:
    return {"betting": of, bound: to if isinstance(to, int) else {"betting": to}}


def act(must: Data | list[Data], *when: Data | list[Data]) -> Data:
    return {"each": "event", "of": "act", "when": list(when), "must": must}


def says(word: str) -> Data:
    return {"betting": word}


def neither(*conditions: Data) -> Data:
    return {"not": {"any": list(conditions)}}


SILENT = neither(says("declared-in-turn"), says("declared-raise"), says("said-incomplete"))
FOLDS_A_WAGER = [says("declared-wager"), decision("fold")]
ONE_CHIP = (number("tenders", "equals", 1), number("tendered-chips", "equals", 1), decision("bet"), says("unopened"))

RULES: dict[str, Data] = {
    "words-bind": act(decision("declared"), says("declared-in-turn"), {"not": FOLDS_A_WAGER}),
    "announced-amount-stands": act(
        number("bets-to", "equals", "declared"), decision("declared"), number("declared", "at-least", 1)
    ),
    "chips-forward-are-a-bet": act(
        decision("call", "bet", "raise"), number("tenders", "at-least", 1), neither(says("declared-in-turn"))
    ),
    "no-bet-in-two-motions": act(
        number("put-in", "at-most", "first-tender"),
        number("tenders", "at-least", 2),
        neither(says("said-incomplete"), number("declared", "at-least", 1)),
        number("put-in", "more-than", "to-call"),
        {"not": [says("faced"), number("first-tender", "equals", "to-call")]},
    ),
    "call-is-a-call": act(
        decision("call"),
        decision("call", "raise"),
        says("faced"),
        number("first-tender", "equals", "to-call"),
        SILENT,
    ),
    "one-large-chip-calls": act(
        decision("call"),
        decision("call", "raise"),
        says("faced"),
        number("tendered-chips", "equals", 1),
        number("first-tender", "more-than", "to-call"),
        SILENT,
    ),
    "owed-wager-stays-owed": act(number("put-in", "at-least", "declared-in"), FOLDS_A_WAGER),
    "one-chip-bets-its-value": act(number("put-in", "equals", "first-tender"), *ONE_CHIP, SILENT),
    "one-chip-bets-the-smallest": act(number("put-in", "equals", "smallest-bet"), *ONE_CHIP, SILENT),
}
"""Condition on every act, by the name of the rule."""


def broken(acts: str, *, blinds: str = BLINDS, **more: Any) -> dict[str, list[tuple[str, str]]]:
    """Return the broken rules of a round with their expected and observed texts.

    Rules on one chip without a bet are two readings of one clause, and left out.
    """
    record = play_acts(f"{blinds}; {acts}", stacks={**FOUR, **more.pop("stacks", {})}, button=4, **more)
    found = {}
    for name, rule in RULES.items():
        if name.startswith("one-chip"):
            continue
        marks, findings = judge(rule, [record], submission=POSTED, **GAME)
        assert marks[0] in ("pass", "fail", "not-applicable"), name
        if findings:
            found[name] = [(finding[3], finding[4]) for finding in findings]
    return found


def mark(rule: str, acts: str, *, submission: Data | None = POSTED, **more: Any) -> str:
    record = play_acts(acts, stacks={**FOUR, **more.pop("stacks", {})}, button=more.pop("button", 4), **more)
    return judge(RULES[rule], [record], submission=submission, **GAME)[0][0]


# Cases settled by hand before the rules were written


def test_the_announced_amount_is_what_is_bet() -> None:
    said = "3 says raise 1200; 3 puts 800;"

    assert not broken(f"{said} 3 raise 1200")
    found = broken(f"{said} 3 raise 800")
    assert list(found) == ["announced-amount-stands"]
    ((expected, observed),) = found["announced-amount-stands"]
    assert expected == "the total bet of the seat must equal the total declared (12.00)"
    assert observed == "the total bet of the seat: 8.00; the total declared: 12.00"


def test_words_out_of_turn_bind_nobody() -> None:
    assert not broken("4 says fold; 3 call 200; 4 call 200")
    found = broken("3 call 200; 4 says fold; 4 call 200")
    assert found == {"words-bind": [("as declared: fold", "to call")]}


def test_one_chip_larger_than_the_call_is_a_call() -> None:
    assert not broken("3 puts 500 1; 3 call 200")
    assert broken("3 puts 500 1; 3 raise 500") == {"one-large-chip-calls": [("to call", "to raise")]}
    assert not broken("3 says raise; 3 puts 500 1; 3 raise 500")
    assert not broken("3 puts 1000 2; 3 raise 1000")
    assert mark("one-chip-bets-its-value", f"{CHECKED}; 1 puts 500 1; 1 bet 500") == "pass"


def test_a_bet_is_made_in_one_motion() -> None:
    two = "3 puts 600 2; 3 puts 600 2;"

    assert list(broken(f"{two} 3 raise 1200")) == ["no-bet-in-two-motions"]
    assert not broken(f"{two} 3 raise 600")
    assert not broken("3 puts 600 2; 3 says incomplete; 3 puts 600 2; 3 raise 1200")
    assert list(broken(f"{two} 3 says incomplete; 3 raise 1200")) == ["no-bet-in-two-motions"]


def test_who_put_in_just_the_call_has_called() -> None:
    raised = "3 raise 600; 4 fold; 1 fold;"
    late = f"{raised} 2 puts 400; 2 puts 1000; 2 says raise; 2 raise 1400"

    assert broken(late) == {"call-is-a-call": [("to call", "to raise")]}
    assert broken(late.replace("2 puts 1000; 2 says raise", "2 says raise; 2 puts 1000")).keys() == {"call-is-a-call"}
    assert not broken(f"{raised} 2 says raise; 2 puts 400; 2 puts 1000; 2 raise 1400").keys() & {"call-is-a-call"}
    assert not broken(f"{raised} 2 puts 400; 2 call 400")


def test_throwing_the_cards_away_does_not_undo_a_call() -> None:
    said = "3 raise 600; 4 says call 600;"

    assert not broken(f"{said} 4 fold 600")
    assert broken(f"{said} 4 fold") == {
        "owed-wager-stays-owed": [
            (
                "the amount put in must be at least the amount that the seat declared to put in (6.00)",
                "the amount put in: 0.00; the amount that the seat declared to put in: 6.00",
            )
        ]
    }
    assert list(broken(f"{said} 4 fold 599")) == ["owed-wager-stays-owed"]


@pytest.mark.parametrize(
    ("bet", "value", "smallest"), [(500, "pass", "fail"), (200, "fail", "pass"), (499, *["fail"] * 2)]
)
def test_one_chip_where_nobody_has_bet(bet: int, value: str, smallest: str) -> None:
    acts = f"{CHECKED}; 1 puts 500 1; 1 bet {bet}"

    assert mark("one-chip-bets-its-value", acts) == value
    assert mark("one-chip-bets-the-smallest", acts) == smallest
    assert mark("one-chip-bets-the-smallest", acts.replace("500 1", "500 2")) == "not-applicable"


# Binding words


def bound(acts: str, *, blinds: str = BLINDS) -> tuple[str, Any, Any]:
    """Return for the last event whether words bind its seat, the total they name, and the amount to put in."""
    record = play_acts(f"{blinds}; {acts}", stacks=FOUR, button=4)
    asked: dict[str, Any] = {"submission": POSTED, **GAME}
    (*_, yes) = answers({"betting": "declared-in-turn"}, [record], "event", **asked)
    (*_, total) = measures({"betting": "declared"}, [record], "event", **asked)
    (*_, chips) = measures({"betting": "declared-in"}, [record], "event", **asked)
    return yes, total, chips


@pytest.mark.parametrize(
    ("said", "binds", "total", "chips"),
    [
        ("fold", "yes", 0, 0),
        ("check", "no", 0, 0),
        ("call", "yes", 0, 200),
        ("call 999", "yes", 0, 200),
        ("bet", "no", 0, 0),
        ("bet 600", "no", 0, 0),
        ("raise", "yes", 0, 400),
        ("raise 399", "no", 0, 0),
        ("raise 400", "yes", 400, 400),
        ("raise 10000", "yes", 10_000, 10_000),
        ("raise 10001", "no", 0, 0),
        ("concede", "no", 0, 0),
        ("nothing-known", "no", 0, 0),
        ("incomplete", "no", 0, 0),
    ],
)
def test_words_bind_that_some_lawful_act_fits(said: str, binds: str, total: int, chips: int) -> None:
    assert bound(f"3 says {said}; 3 fold") == (binds, total, chips)


@pytest.mark.parametrize(
    ("said", "binds", "chips"),
    [
        ("check", "yes", 0),
        ("call", "no", 0),
        ("raise", "no", 0),
        ("raise 800", "no", 0),
        ("bet", "yes", 200),
        ("bet 199", "no", 0),
        ("bet 200", "yes", 200),
    ],
)
def test_words_where_nobody_has_bet(said: str, binds: str, chips: int) -> None:
    yes, _, obliged = bound(f"1 says {said}; 1 check", blinds=CHECKED)

    assert (yes, obliged) == (binds, chips)


def test_words_oblige_to_no_more_than_the_seat_has() -> None:
    stacks: Any = {"stacks": {4: 300}}
    record = play_acts(f"{BLINDS}; 3 raise 600; 4 says call; 4 call 300", stacks={**FOUR, 4: 300}, button=4)

    assert measures({"betting": "declared-in"}, [record], "event", submission=POSTED, **GAME)[-1] == 300
    assert not broken("3 raise 600; 4 says call; 4 call 300", **stacks)
    assert bound("3 says raise 300; 3 raise 300")[0] == "no"
    short = play_acts(f"{BLINDS}; 3 says raise 300; 3 raise 300", stacks={**FOUR, 3: 300}, button=4)
    assert measures({"betting": "declared"}, [short], "event", submission=POSTED, **GAME)[-1] == 300


def test_the_first_words_bind_and_later_ones_may_name_how_much() -> None:
    assert bound("3 says call; 3 says raise 1200; 3 raise 1200") == ("yes", 0, 200)
    assert bound("3 says raise; 3 says raise 1200; 3 says raise 2000; 3 raise 1200") == ("yes", 1200, 1200)
    assert bound("3 says check; 3 says raise 1200; 3 raise 1200") == ("yes", 1200, 1200)
    assert list(broken("3 says call; 3 says raise 1200; 3 raise 1200")) == ["words-bind"]


def test_the_total_counts_what_the_seat_has_in() -> None:
    acts = "3 fold; 4 fold; 1 says raise 600; 1 raise 500"

    assert bound(acts) == ("yes", 600, 500)
    assert not broken(acts)
    assert list(broken(acts.replace("raise 500", "raise 600"))) == ["announced-amount-stands"]


def test_words_of_an_earlier_turn_are_spent() -> None:
    assert bound("3 says call; 3 call 200; 4 raise 600; 1 fold; 2 fold; 3 fold") == ("no", 0, 0)
    assert bound("3 says fold; second; 1 fold; 2 fold; 3 fold") == ("no", 0, 0)


def test_others_act_out_of_turn_and_the_words_stand() -> None:
    assert bound("3 says call; 4 fold; 3 fold") == ("yes", 0, 200)
    # The check may have been made and left out of the log, and the raise be in turn.
    assert bound("3 call 200; 4 call 200; 1 call 100; 2 says check; 3 raise 800; 2 fold")[0] == "unknown"


def test_chips_speak_before_later_words() -> None:
    assert bound("3 puts 600; 3 says raise 1200; 3 raise 600") == ("no", 0, 0)
    assert bound("3 puts 600; 3 says incomplete; 3 says raise 1200; 3 raise 1200") == ("yes", 1200, 1200)
    assert bound("3 puts 6; 3 puts 6; 3 says incomplete; 3 says raise 1200; 3 raise 1200") == ("no", 0, 0)


def test_what_was_put_forward() -> None:
    record = play_acts(
        f"{BLINDS}; 4 puts 700; 3 puts 600 3; 3 puts 100 1; 3 raise 700; 4 call 700", stacks=FOUR, button=4
    )
    asked = {name: measures({"betting": name}, [record], "event", **GAME)[2:] for name in ("tenders", "tendered")}
    first = {name: measures({"betting": name}, [record], "event", **GAME)[2:] for name in ("first-tender",)}

    assert asked == {"tenders": [0, 0, 1, 2, 0], "tendered": [0, 0, 600, 700, 0]}
    assert first == {"first-tender": [0, 0, 600, 600, 0]}
    assert measures({"betting": "tendered-chips"}, [record], "event", **GAME)[2:] == [0, 0, 3, 3, 0]


def test_voluntary_wagers_and_players() -> None:
    record = play_acts(f"{CHECKED}; 1 bet 400; 2 fold; 3 raise 800; 1 call 400", stacks=FOUR, button=4)

    def measure(name: str) -> list[Any]:
        return measures({"betting": name}, [record], "event", submission=POSTED, **GAME)

    assert measure("voluntary-wagers") == [0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4]
    assert measure("voluntary-players") == [0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2]


# Facts that the log does not show

SAID = f"{BLINDS}; 3 says call; 3 puts 500 1; 3 raise 500"
QUIET = f"{BLINDS}; 3 call 200"


@pytest.mark.parametrize("kind", ["declare", "tender"])
def test_words_not_recorded_bind_nobody_for_sure(kind: str) -> None:
    assert mark("words-bind", SAID) == "fail"
    assert mark("words-bind", SAID, unrecorded=[kind]) == "not-evidenced"


def test_chips_not_recorded_were_perhaps_put_forward() -> None:
    rule = "chips-forward-are-a-bet"

    assert mark(rule, QUIET) == "not-applicable"
    assert mark(rule, f"{BLINDS}; 3 puts 200; 3 fold") == "fail"
    assert mark(rule, f"{BLINDS}; 3 puts 200; 3 fold", unrecorded=["tender"]) == "not-evidenced"
    assert mark(rule, f"{BLINDS}; 3 fold", unrecorded=["tender"]) == "not-evidenced"
    assert mark(rule, QUIET, unrecorded=["tender"]) == "pass"


@pytest.mark.parametrize("gap", [{"button": None}, {"stacks": {4: None}}])
def test_whose_turn_it_is_must_be_known_for_words_to_bind(gap: dict[str, Any]) -> None:
    assert mark("words-bind", SAID, **gap) == "not-evidenced"
    assert mark("words-bind", QUIET, **gap) == "not-applicable"


def test_how_many_chips_must_be_recorded() -> None:
    acts = f"{BLINDS}; 3 puts 500; 3 raise 500"

    assert mark("one-large-chip-calls", acts) == "not-evidenced"
    assert mark("one-large-chip-calls", acts.replace("puts 500", "puts 500 1")) == "fail"
    assert mark("one-large-chip-calls", acts.replace("puts 500", "puts 500 2")) == "not-applicable"


@pytest.mark.parametrize(
    ("said", "word", "total"),
    [
        ("check", "yes", 0),
        ("bet", "yes", 0),
        ("bet 400", "unknown", NOTHING),
        ("bet 9800", "yes", 9800),
        ("bet 9801", "no", 0),
        ("raise 400", "no", 0),
    ],
)
def test_whether_words_are_lawful_hangs_on_what_is_posted(said: str, word: str, total: Any) -> None:
    nothing_posted: Data = {"options": OPEN["options"]}
    record = play_acts(f"{CHECKED}; 1 says {said}; 1 check", stacks=FOUR, button=4)

    assert answers({"betting": "declared-in-turn"}, [record], "event", submission=nothing_posted, **GAME)[-1] == word
    assert measures({"betting": "declared"}, [record], "event", submission=nothing_posted, **GAME)[-1] == total
    # Options that a licensee has not chosen leave open whether a seat may raise again after a small raise.
    small = f"{BLINDS}; 3 raise 600; 4 raise 700; 1 fold; 2 fold; 3 says raise; 3 fold"
    raising = play_acts(small, stacks={**FOUR, 4: 700}, button=4)
    assert answers({"betting": "declared-in-turn"}, [raising], "event", **GAME)[-1] == "unknown"
    assert answers({"betting": "declared-raise"}, [raising], "event", **GAME)[-1] == "yes"


def test_a_round_without_events_tells_nothing() -> None:
    record = play_acts(QUIET, stacks=FOUR, button=4)
    del record["events"], record["unrecorded"]

    assert judge(RULES["words-bind"], [record], submission=POSTED, **GAME)[0] == ["not-evidenced"]


# Conditions of rules


def test_declared_is_asked_only_where_there_is_betting() -> None:
    with pytest.raises(InputError, match="the game has no `betting`"):
        regulation(facts={"asked": decision("declared")})
    with pytest.raises(InputError, match="there is no decision taken `declare`"):
        regulation(**{**GAME, "facts": {"asked": decision("declare")}})
    with pytest.raises(InputError, match="there is no decision `declared`"):
        regulation(**{**GAME, "facts": {"asked": {"decided": "declared"}}})
