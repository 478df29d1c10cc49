"""Simulated rounds of hold'em replayed by PokerKit, which knows nothing of the simulator."""

from __future__ import annotations

import importlib
import warnings
from dataclasses import dataclass
from typing import Any

from tests.facade.simulation import Record

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pokerkit: Any = importlib.import_module("pokerkit")  # its types leave out how it is to be called

_BY_ITSELF = (
    pokerkit.Automation.ANTE_POSTING,
    pokerkit.Automation.BET_COLLECTION,
    pokerkit.Automation.BLIND_OR_STRADDLE_POSTING,
    pokerkit.Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    pokerkit.Automation.HAND_KILLING,
    pokerkit.Automation.CHIPS_PULLING,
    pokerkit.Automation.RUNOUT_COUNT_SELECTION,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """Final stacks by seat, and the total of all pots, in minor units, as PokerKit has them."""

    stacks: dict[int, int]
    pots: int


def replay(record: Record, *, blinds: tuple[int, int]) -> Replayed:
    """Replay a round, and assert at every act whose turn it is and whether the act is open."""
    seats = _from_the_button(record)
    stacks = [seat["stack"] for seat in seats]
    index = {seat["seat"]: at for at, seat in enumerate(seats)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        state = pokerkit.NoLimitTexasHoldem.create_state(
            _BY_ITSELF, True, 0, blinds, blinds[1], stacks, len(seats), mode=pokerkit.Mode.CASH_GAME
        )
        for seat in seats:
            state.deal_hole(seat["cards"])
        for event in record["events"]:
            match event["event"]:
                case "decide" if event["decision"] != "concede":
                    assert state.actor_index == index[event["seat"]], (record["round"], event)
                    _act(state, event)
                case "deal" if event["place"] == "burn":
                    if state.actor_index is not None and not state.checking_or_calling_amount:
                        state.check_or_call()  # the big blind must act even if nobody else has chips left
                    state.burn_card("??")
                case "deal" if event["place"] == "community":
                    state.deal_board(event["cards"])
                case _:
                    pass
        pots = sum(int(pot.amount) for pot in state.pots)  # hands that are killed merge them
        while state.can_push_chips():
            state.push_chips()
    assert not state.status, record["round"]
    return Replayed(stacks={seat["seat"]: int(state.stacks[at]) for at, seat in enumerate(seats)}, pots=pots)


def _from_the_button(record: Record) -> list[Record]:
    """List the participating seats, clockwise from the left of the button."""
    there = [seat for seat in record["seats"] if seat.get("playing", True)]
    seats: list[Record] = sorted(there, key=lambda one: (one["seat"] <= record["button"], one["seat"]))
    return seats


def _act(state: Any, event: Record) -> None:
    amount, at = event.get("amount", 0), state.actor_index
    match event["decision"]:
        case "fold":
            state.fold()
        case "check":
            assert state.checking_or_calling_amount == 0
            state.check_or_call()
        case "call":
            assert state.checking_or_calling_amount == amount
            state.check_or_call()
        case _:
            assert (event["decision"] == "bet") == (max(state.bets) == 0)
            state.complete_bet_or_raise_to(state.bets[at] + amount)
