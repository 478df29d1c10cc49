"""The machines for one round of dealing decide every round as the columns do, which decide only regular rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

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
    """Draw events of which some are left out, repeated or moved."""
    size = len(events)
    edit = st.tuples(st.sampled_from(("drop", "repeat", "move")), st.integers(0, size - 1), st.integers(0, size - 1))

    def apply(edits: list[tuple[str, int, int]]) -> list[Data]:
        result = list(events)
        for what, at, to in edits:
            if at < len(result):
                moved = result[at] if what == "repeat" else result.pop(at)
                if what != "drop":
                    result.insert(to, moved)
        return result

    return st.lists(edit, max_size=8).map(apply)


def decide_both_ways(scope: Callable[[], EvaluationContext], decide: Callable[[EvaluationContext], Any]) -> None:
    """Require the same result where the columns leave all rounds to the machine."""
    mixed = decide(scope())

    def distrust(function: str) -> Any:
        trusted = getattr(deal_stages, function)

        def decide_nothing(*arguments: Any) -> Any:
            result, is_right = trusted(*arguments)
            return result, np.zeros_like(is_right)

        return patch.object(deal_stages, function, decide_nothing)

    with distrust("_follow_regular_deals"), distrust("_follow_regular_exchanges"):
        plain = decide(scope())
    assert [column.tolist() for column in mixed] == [column.tolist() for column in plain]


def assign(scope: EvaluationContext) -> tuple[Any, Any]:
    return deal_stages.stage_of_events(scope), deal_stages.is_dealt_beyond_stage(scope)


@given(st.lists(distort(DEALT), min_size=1, max_size=4))
def test_stages_of_cards(rounds: list[list[Data]]) -> None:
    seats = [{"stack": 10_000}] * SEATS
    records = [round_of(*seats, events=events, button=SEATS, number=at) for at, events in enumerate(rounds, 1)]
    decide_both_ways(lambda: room(**STREETS).scope(records), assign)


@given(st.lists(distort(EXCHANGED), min_size=1, max_size=4))
def test_stages_of_exchanges(rounds: list[list[Data]]) -> None:
    records = [{**draws.play(events), "round": f"round-{at}"} for at, events in enumerate(rounds, 1)]
    decide_both_ways(lambda: room(**draws.GAME).scope(records), assign)


def test_a_round_as_it_should_be_is_decided_by_columns() -> None:
    seats = [{"stack": 10_000}] * SEATS
    for game, record in ((STREETS, round_of(*seats, events=DEALT, button=SEATS)), (draws.GAME, draws.play(EXCHANGED))):
        scope = room(**game).scope([record])
        with (
            patch.object(deal_stages, "RoundDeal", side_effect=AssertionError),
            patch.object(deal_stages, "assign_exchanges", side_effect=AssertionError),
        ):
            assert max(deal_stages.stage_of_events(scope)) == len(game["deal"]["stages"]) - 1
