"""Requirements that do not apply: one answer of all operators, over all shipped requirements."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.audit.operators.session_evaluation import build_session_rows, evaluate_sessions
from fairdeal.validator.audit.sessions.ordered_rounds import order_rounds
from fairdeal.validator.engine.core.compiled_order import StepAutomaton, compile_sequence
from tests.facade.evidence import decode_records
from tests.facade.results import Status
from tests.facade.rounds import STATUSES, CompiledGame, EvaluationContext, check_batch, compile_game
from tests.facade.rules import Repeat, Requirement, SequenceStep, list_games, load_regulation
from tests.facade.submissions import NO_WAIVERS
from tests.facade.text import YES
from tests.play.table import Data, event, judge, round_of
from tests.submissions.helpers import answer

GAMES = sorted(list_games())


@cache
def game(document: str) -> CompiledGame:
    return compile_game(load_regulation(document))


def applies_to_every_round(requirement: Requirement) -> bool:
    """Return whether a requirement states something of every round, or demands that something happens."""
    check = requirement.check.operand
    match requirement.check.operator:
        case "rule":
            return bool(check.each == "round")
        case "every":
            return True
        case "sequence":
            steps = [step for part in check.steps for step in (part.repeat if isinstance(part, Repeat) else [part])]
            return any(step.times in ("one", "at-least-one") for step in steps)
        case _:
            return False


def make_empty_round(document: str, **more: Any) -> Data:
    record = {"round": "R1", "table": "T", "time": "2026-03-02T10:00:00Z", "game": document, "number": 1, "seats": []}
    return {**record, **more}


def judge_round(document: str, record: Data) -> dict[str, Status]:
    """Return the status of every requirement on rounds and sessions over one round."""
    prepared = game(document)
    [batch], quarantined = decode_records([record], file="log", games={document})
    assert not quarantined
    found = {outcome.requirement: outcome.counts for outcome in check_batch(prepared, batch, None)}
    rows = build_session_rows(EvaluationContext(batch, prepared, None), NO_WAIVERS)
    found |= {outcome.requirement: outcome.counts for outcome in evaluate_sessions(prepared, order_rounds([rows]))}
    return {name: STATUSES[counts.index(1)] for name, counts in found.items()}


@pytest.mark.parametrize("document", GAMES)
def test_where_nothing_happened_nothing_is_said_to_be_in_order(document: str) -> None:
    requirements = {requirement.requirement: requirement for requirement in game(document).regulation.requirements}
    found = judge_round(document, make_empty_round(document, events=[]))
    passed = {name for name, status in found.items() if status is Status.PASS}
    assert {name for name in passed if not applies_to_every_round(requirements[name])} == set()
    assert Status.NOT_APPLICABLE in found.values()


@pytest.mark.parametrize("document", GAMES)
def test_where_no_events_are_recorded_no_order_is_said_to_be_kept(document: str) -> None:
    requirements = {requirement.requirement: requirement for requirement in game(document).regulation.requirements}
    ordering = {"sequence", "order", "same-order", "in-turn", "turns", "dealt", "needed"}
    found = judge_round(document, make_empty_round(document))
    orders = {name: status for name, status in found.items() if requirements[name].check.operator in ordering}
    assert Status.NOT_EVIDENCED in orders.values()
    assert not {Status.PASS, Status.FAIL} & set(orders.values())


def rack(seat: int) -> Data:
    return event("collect-cards", seat)


def make_reveal(seat: int) -> Data:
    return event("reveal", seat, cards="??")


CUT, STUB = event("cut"), event("count", what="stub", number=5)
CARDS = ["2c", "3c", "4c", "5c", "6c", "7c"]


def make_deals(*places: str) -> list[Data]:
    """Return deals of a card each to seats (by number) and other places."""
    return [
        event("deal", int(to), cards=card) if to.isdigit() else event("deal", place=to, cards=card)
        for to, card in zip(places, CARDS, strict=False)
    ]


ORDER = {"sequence": {"steps": [{"step": "cut"}, {"step": "stub-count"}]}}
ORDER_AT_SEATS = {"sequence": {"each": "seat", "steps": [{"step": "shown"}, {"step": "rack"}]}}
NEEDED = {"needed": {"each": "round", "since": "cut", "steps": ["stub-count"], "before": "rack"}}
EACH = {"each": "event", "of": "stub-count", "must": {"stated": "this", "equals": 5}}
KINDS = ["collect-cards", "reveal", "cut", "count", "deal"]

ASKED: list[tuple[Data, list[Data], str]] = [
    (ORDER, [], "not-applicable"),
    (ORDER, [CUT, CUT], "not-applicable"),
    (ORDER, [STUB], "not-applicable"),
    (ORDER, [CUT, STUB], "pass"),
    (ORDER, [STUB, CUT], "fail"),
    ({"sequence": {"steps": [{"step": "cut", "times": "at-least-one"}, {"step": "stub-count"}]}}, [CUT], "pass"),
    ({"sequence": {"steps": [{"step": "cut", "times": "at-least-one"}, {"step": "stub-count"}]}}, [], "fail"),
    ({"sequence": {"steps": [{"step": "cut", "times": "optional"}, {"step": "stub-count"}]}}, [CUT], "pass"),
    ({"sequence": {"steps": [{"repeat": [{"step": "cut"}, {"step": "stub-count"}]}]}}, [STUB, CUT], "not-applicable"),
    (ORDER_AT_SEATS, [make_reveal(1), rack(2)], "not-applicable"),
    (ORDER_AT_SEATS, [make_reveal(1), rack(2), rack(1)], "pass"),
    ({"same-order": {"steps": ["shown", "rack"]}}, [make_reveal(1), make_reveal(2), rack(2)], "not-applicable"),
    ({"same-order": {"steps": ["shown", "rack"]}}, [make_reveal(1), rack(1), rack(2)], "not-applicable"),
    ({"same-order": {"steps": ["shown", "rack"]}}, [make_reveal(1), make_reveal(2), rack(1), rack(2)], "pass"),
    ({"in-turn": {"steps": ["rack"], "from": "dealer-left"}}, [rack(2), rack(2)], "not-applicable"),
    ({"in-turn": {"steps": ["rack"], "from": "dealer-left"}}, [rack(1), rack(2)], "pass"),
    ({"in-turn": {"steps": ["shown", "rack"], "from": "dealer-left"}}, [make_reveal(1), rack(1)], "pass"),
    ({"dealt": {"asks": "turn"}}, [], "not-applicable"),
    ({"dealt": {"asks": "turn"}}, make_deals("1", "2", "dealer"), "pass"),
    ({"dealt": {"asks": "count"}}, [], "not-applicable"),
    (NEEDED, [rack(1)], "not-applicable"),
    (NEEDED, [CUT, STUB], "not-applicable"),
    (NEEDED, [CUT, STUB, rack(1)], "pass"),
    (EACH, [CUT], "not-applicable"),
    (EACH, [STUB], "pass"),
]


@pytest.mark.parametrize(("check", "events", "status"), ASKED)
def test_what_happened_must_have_two_sides(check: Data, events: list[Data], status: str) -> None:
    absent = [kind for kind in KINDS if kind not in {recorded["event"] for recorded in events}]
    record = {**round_of({}, {}, {}), "events": events}
    record["unrecorded"] = ["wager", "pay", "collect", "return", "decide"]
    if "deal" in absent and "dealt" not in check:
        record["unrecorded"].append("deal")
    assert judge(check, [record])[0] == [status]


@pytest.mark.parametrize("check", [ORDER, ORDER_AT_SEATS, NEEDED, EACH])
def test_what_is_not_recorded_is_not_evidenced(check: Data) -> None:
    record = {**round_of({}, {}), "events": []}
    record["unrecorded"] = ["wager", "pay", "collect", "return", "decide", *KINDS]
    assert judge(check, [record])[0] == ["not-evidenced"]


PART = st.builds(
    lambda step, times: SequenceStep(step=step, times=times),
    st.sampled_from("abc"),
    st.sampled_from(["any", "any", "optional", "one", "at-least-one"]),
)
PARTS = st.lists(
    PART | st.builds(lambda steps: Repeat(repeat=steps), st.lists(PART, min_size=1, max_size=2)), min_size=1, max_size=3
)


def is_accepted(automaton: StepAutomaton, word: tuple[int, ...]) -> bool:
    state = 0
    for symbol in word:
        state = int(automaton.transitions[state, symbol])
    return bool(automaton.accepting[state])


@given(PARTS, st.sets(st.integers(0, 2)))
def test_a_sequence_applies_where_some_course_of_what_happened_is_wrong(
    parts: list[SequenceStep | Repeat], happened: set[int]
) -> None:
    automaton = compile_sequence(parts)
    symbols = [step for step in happened if step < len(automaton.steps)]
    # Every state can be reached by fewer events than there are states.
    words = [word for length in range(6) for word in product(symbols, repeat=length)]
    if len(automaton.transitions) <= 6 or not all(is_accepted(automaton, word) for word in words):
        expected = not all(is_accepted(automaton, word) for word in words)
        assert automaton.may_fail(sum(1 << symbol for symbol in symbols)) is expected


EVERY = "{every: wagers, must: {at: .minimum, at-least: 0.01}}"
SUBMITTED = [
    (EVERY, "wagers: []", True),
    (EVERY, "wagers: [{wager: main, minimum: 0.05}]", False),
    (
        "{every: wagers, when: {at: .wager, equals: side}, must: {given: .minimum}}",
        "wagers: [{wager: main}]",
        True,
    ),
    (
        "{every: pay-tables, must: {every: .rows, must: {given: .odds}}}",
        "pay-tables: [{pays: main, rows: []}]",
        True,
    ),
    ("{distinct: wagers, at: .wager}", "wagers: []", True),
    ("{distinct: wagers, at: .wager}", "wagers: [{wager: main}]", True),
    ("{distinct: wagers, at: .wager}", "wagers: [{wager: main}, {wager: side}]", False),
    (f"[{EVERY}, {{given: wagers}}]", "wagers: [{wager: main, minimum: 0.05}]", False),
    (f"[{EVERY}, {{distinct: wagers, at: .wager}}]", "wagers: []", True),
    (f"{{any: [{EVERY}, {{given: deck}}]}}", "wagers: []", True),
    (f"{{any: [{EVERY}, {{not: {{given: deck}}}}]}}", "wagers: []", False),
    ("{count: wagers, at-most: 1}", "wagers: []", False),
    ("{not: {some: wagers, when: {given: .tips}}}", "wagers: []", False),
]


@pytest.mark.parametrize(("condition", "text", "idle"), SUBMITTED)
def test_a_list_without_items_to_ask_is_no_pass(condition: str, text: str, idle: bool) -> None:
    found = answer(condition, text)
    assert (found.value, found.is_vacuous) == (YES, idle)
