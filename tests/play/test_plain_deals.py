"""The machines for one round of dealing decide every round as the columns do, which decide only regular rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.engine.deal_checks import broken_deals, dealing_order
from fairdeal.validator.engine.timeline import deal_stages
from tests.facade.rounds import EvaluationContext
from tests.play import test_exchange_stages as draws
from tests.play.table import PLAY, Data, event, room, round_of, step

SEATS = 3
STREETS: Data = {
    **draws.GAME,
    "deal": {
        "stages": [
            {"stage": "hole", "cards": {"player": 2}, "each": 1, "face": "down", "clauses": ["1"]},
            {"stage": "fourth", "burn": 1, "cards": {"player": 1, "community": 1}, "face": "up", "clauses": ["1"]},
            {"stage": "flop", "burn": 1, "cards": {"community": 3}, "face": "up", "clauses": ["1"]},
            {"stage": "last", "cards": {"player": 1}, "face": "down", "clauses": ["1"]},
            {"stage": "turn", "cards": {"community": 1}, "face": "up", "clauses": ["1"]},
        ]
    },
    "hands": {"high": {"title": "the hand", "from": ["player", "community"], "rank-by": "five-card"}},
    "other-events": {**PLAY["other-events"], **step("fourth-street", "deal", stage="fourth")},
    "betting": {
        **draws.GAME["betting"],
        "rounds": [{"round": "before", "opens": "left"}, {"round": "after", "after": "fourth-street", "opens": "left"}],
    },
}


def deal_to(cards: str, seat: int = 0) -> Data:
    return event("deal", seat, cards=cards) if seat else event("deal", place="community", cards=cards)


TOGETHER: Data = {"to": ["community"], "each": 2}
GIVE_DEALER = event("deal", place="dealer", cards="??")
MISDEAL = [event("misdeal", 2, place="player")]
BETS = [draws.checks(seat) for seat in range(1, SEATS + 1)]
DEALT = [
    *(deal_to("??", seat) for _ in range(2) for seat in range(1, SEATS + 1)),
    *BETS,
    draws.burn(),
    *(deal_to("??", seat) for seat in range(1, SEATS + 1)),
    deal_to("??"),
    *BETS,
    draws.burn(),
    deal_to("??????"),
    *BETS,
    *(deal_to("??", seat) for seat in range(1, SEATS + 1)),
    *BETS,
    deal_to("??"),
]
EXCHANGED = [
    event_
    for _ in draws.DRAWS
    for event_ in (*draws.exchanges(1), draws.pat(2), draws.discard(3), draws.draw(3), draws.burn(), *BETS)
]


def distort(events: Sequence[Data]) -> st.SearchStrategy[list[Data]]:
    """Draw events of which some are left out, repeated, moved, or given twice as many cards."""
    kinds = st.sampled_from(("drop", "repeat", "move", "double"))
    edit = st.tuples(kinds, st.integers(0, len(events) - 1), st.integers(-4, 4))

    def apply(edits: list[tuple[str, int, int]]) -> list[Data]:
        result = list(events)
        for what, at, by in edits:
            if at < len(result):
                moved = result[at] if what == "repeat" else result.pop(at)
                if what == "double":
                    result.insert(at, {**moved, **({"cards": 2 * moved["cards"]} if "cards" in moved else {})})
                elif what != "drop":
                    result.insert(max(at + by, 0), moved)
        return result

    return st.lists(edit, max_size=3).map(apply)


def distrust(module: Any, function: str, nothing: Callable[[Any], Any]) -> Any:
    """Replace the result of a function that decides regular rounds."""
    trusted = getattr(module, function)
    return patch.object(module, function, lambda *arguments: nothing(trusted(*arguments)))


def decide_both_ways(scope: Callable[[], EvaluationContext], decide: Callable[[EvaluationContext], Any]) -> None:
    """Require the same result where the columns leave all rounds to the machines."""
    mixed = decide(scope())
    with (
        distrust(deal_stages, "_follow_regular_deals", lambda found: (found[0], np.zeros_like(found[1]))),
        distrust(deal_stages, "_follow_regular_exchanges", lambda found: (found[0], np.zeros_like(found[1]))),
        distrust(dealing_order, "are_all_served", np.zeros_like),
        distrust(dealing_order, "_are_draws_in_turn", np.zeros_like),
        patch.object(
            dealing_order,
            "find_irregular_rounds",
            lambda scope, _: np.flatnonzero(dealing_order.is_order_recorded(scope)),
        ),
    ):
        plain = decide(scope())
    assert [column.tolist() for column in mixed] == [column.tolist() for column in plain]


def assign(scope: EvaluationContext) -> tuple[Any, ...]:
    return deal_stages.stage_of_events(scope), deal_stages.is_dealt_beyond_stage(scope), *compare_order(scope)


def compare_order(scope: EvaluationContext) -> tuple[Any, ...]:
    stages = scope.compiled_game.game.deal.stages
    turns = dealing_order.check_dealing_order(scope, range(len(stages)))
    ways = [column for stage in stages for name in stage.ways for column in dealing_order.is_dealt_as(scope, name)]
    return (
        turns.broke_at,
        turns.expected,
        turns.size,
        broken_deals.is_dealt_in_turn(scope),
        broken_deals.has_stopped_in_turn(scope),
        *ways,
    )


@given(st.lists(distort(DEALT), min_size=20, max_size=30))
def test_stages_of_cards(rounds: list[list[Data]]) -> None:
    seats = [{"stack": 10_000}] * SEATS
    records = [round_of(*seats, events=events, button=SEATS, number=at) for at, events in enumerate(rounds, 1)]
    decide_both_ways(lambda: room(**STREETS).scope(records), assign)


@given(st.lists(distort(EXCHANGED), min_size=20, max_size=30))
def test_stages_of_exchanges(rounds: list[list[Data]]) -> None:
    records = [{**draws.play(events), "round": f"round-{at}"} for at, events in enumerate(rounds, 1)]
    decide_both_ways(lambda: room(**draws.GAME).scope(records), assign)


WAYS: list[Data] = [{"to": ["burn"], "each": 1}, {"to": ["player", "dealer"], "each": 1, "times": 2}]
IN_WAYS: Data = {
    "deal": {
        "stages": [
            {
                "stage": "deal",
                "first": "dealer-right",
                "cards": {"player": 2, "dealer": 2, "community": 2},
                "face": "down",
                "ways": {
                    "singly": {"clauses": ["1"], "passes": [*WAYS, {"to": ["burn"], "each": 1}, TOGETHER]},
                    "in-packets": {
                        "clauses": ["1"],
                        "passes": [TOGETHER, {"to": ["player", "dealer"], "each": 2, "parted": True}],
                    },
                },
            }
        ]
    },
    "hands": {"high": {"title": "the hand", "from": ["player", "community", "dealer"], "rank-by": "longest"}},
    "pay-tables": {},
    "other-events": PLAY["other-events"],
}
SINGLY = [
    draws.burn(),
    *(give for _ in range(2) for give in (*(deal_to("??", seat) for seat in (3, 2, 1)), GIVE_DEALER)),
    draws.burn(),
    deal_to("????"),
]
IN_PACKETS = [deal_to("????"), *(deal_to("????", seat) for seat in (3, 2, 1)), GIVE_DEALER, GIVE_DEALER]


@given(st.lists(st.one_of(distort(SINGLY), distort(IN_PACKETS)), min_size=20, max_size=30), st.booleans())
def test_order_of_packets(rounds: list[list[Data]], complete: bool) -> None:
    records = [
        round_of(*[{}] * SEATS, events=[*events, *MISDEAL[at % 2 :]], number=at, complete=complete)
        for at, events in enumerate(rounds, 1)
    ]
    decide_both_ways(lambda: room(**IN_WAYS).scope(records), compare_order)


def test_a_round_as_it_should_be_is_decided_by_columns() -> None:
    seats = [{"stack": 10_000}] * SEATS
    for game, record in ((STREETS, round_of(*seats, events=DEALT, button=SEATS)), (draws.GAME, draws.play(EXCHANGED))):
        scope = room(**game).scope([record])
        with (
            patch.object(deal_stages, "RoundDeal", side_effect=AssertionError),
            patch.object(deal_stages, "assign_exchanges", side_effect=AssertionError),
            patch.object(dealing_order, "RoundDealing", side_effect=AssertionError),
        ):
            assert max(deal_stages.stage_of_events(scope)) == len(game["deal"]["stages"]) - 1
            compare_order(scope)
