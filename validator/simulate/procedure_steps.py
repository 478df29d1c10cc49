"""Events of simulated rounds, recorded act by act in the order of the game."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Literal

import numpy as np
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT
from fairdeal.validator.cards.card_codes import UNKNOWN
from fairdeal.validator.cards.ranking import CompiledRanking
from fairdeal.validator.engine.facts.final_hands import hand_strength as strength_of
from fairdeal.validator.engine.timeline.step_events import certain_events
from fairdeal.validator.evidence.columns.round_batch import Batch
from fairdeal.validator.language.grammar import Grain, Place
from fairdeal.validator.rulebook import semantic_errors
from fairdeal.validator.rules.game_model import Act
from fairdeal.validator.simulate import occasional_steps, round_records, simulated_deal, turn_events
from fairdeal.validator.simulate.batch_processes import leaves_stake
from fairdeal.validator.simulate.round_view import RoundView
from fairdeal.validator.simulate.simulated_house import RandomStream, SimulatedHouse, find_step_place

_MOST_HANDS = 128
_DRAWN = 512
"""Rank of draws, above every seat: all seats draw after the last discard."""
_TURN = ("decide", "discard", "draw")
"""Events of an exchange, in order."""


def record_deal(context: occasional_steps.StepContext, kind: str) -> occasional_steps.RoundEvents:
    """Yield the events of the deal that belong to a step, packet by packet, by the way of dealing of each round."""
    deal, step, rounds = context.house.game.deal, context.step, context.list_rounds()
    yield from turn_events.record_deal_by_rule(context)
    for name, way in deal.ways.items():
        dealt_so, dealt_before = [round_ for round_ in rounds if round_.way is way], defaultdict[str, int](int)
        turns = (
            (number, stage, pass_)
            for number, (stage, part) in enumerate(deal.pair_stages_with_ways(name) if dealt_so else ())
            if not stage.is_by_rule
            for pass_ in part.passes
            for _ in range(pass_.times)
        )
        for turn, (number, stage, pass_) in enumerate(turns):
            for index, place in enumerate(pass_.to):
                first, dealt_before[place] = dealt_before[place], dealt_before[place] + pass_.each
                # The last turn has all that is left: a card too many comes with it, one too few makes it smaller.
                last = (
                    None if dealt_before[place] >= way.count_dealt()[place] and place != "burn" else dealt_before[place]
                )
                if len(deal.stages) == 1 or (step.place in (None, place) and step.stage in (None, stage.stage)):
                    face = "down" if place == "burn" else pass_.face or stage.face
                    reached = [round_ for round_ in dealt_so if round_.stages is None or round_.stages > number]
                    for round_, seat, cards in _find_packets(reached, place, first, last):
                        rank = 0 if seat is None else context.rank[seat]
                        served = index * _MOST_HANDS + rank
                        if stage.first_by is not None:
                            served = simulated_deal.rank_from_first(context.house, round_, stage.first_by, seat)
                        order = (context.number, number * turn_events.MOST_CARDS_OF_STAGE + turn, served, 0)
                        yield (
                            round_,
                            round_records.SimulatedEvent("deal", order, seat, place, face, way.by, cards=cards),
                        )


def _find_packets(
    rounds: Sequence[round_records.SimulatedRound], place: Place | Literal["burn"], first: int, last: int | None
) -> Iterator[tuple[round_records.SimulatedRound, round_records.SimulatedSeat | None, round_records.Cards]]:
    """Yield the cards of every hand of a place between two indices, with the seat of the hand."""
    for round_ in rounds:
        if place == "burn":
            if burnt := [UNKNOWN] * ((last or 0) - first):  # burnt cards are unknown
                yield round_, None, burnt
        elif place == "player":
            for seat in round_.seats:
                if dealt := seat.hand.fixed_cards[first:last]:
                    yield round_, seat, dealt
        elif dealt := (round_.dealer if place == "dealer" else round_.community).fixed_cards[first:last]:
            yield round_, None, dealt


def record_exchange(context: occasional_steps.StepContext, kind: str) -> occasional_steps.RoundEvents:
    """Yield the discards, or draws, of every hand of the step's place; an exchange of the whole deck is one event a
    round."""
    house, step, place = context.house, context.step, find_step_place(context.step)
    stage = occasional_steps.find_exchange_stage(house, step)
    face = "down" if stage is not None else step.face or house.game.deal.stages[0].face
    hands: Sequence[tuple[round_records.SimulatedSeat | round_records.SimulatedRound, round_records.SimulatedHand]] = []
    if place == "deck":
        yield from (context.make_event(kind, round_, place=place) for round_ in context.list_rounds())
    elif stage is not None:
        hands = [(seat, seat.exchanges[stage]) for seat in context.view.seats if stage in seat.exchanges]
    elif place == "player" and house.step_by_event_and_place.get((kind, "player")) is step:
        hands = [(seat, seat.hand) for seat in context.view.seats]  # including seats that no step lets exchange cards
    elif place in ("dealer", "community"):
        hands = [(round_, round_.dealer if place == "dealer" else round_.community) for round_ in context.list_rounds()]
    for about, hand in hands:
        if cards := hand.discarded if kind == "discard" else hand.drawn:
            round_, event = context.make_event(kind, about, _TURN.index(kind), place=place, face=face, cards=cards)
            event.by = (context.done_by or "dealer") if kind == "draw" else None
            event.positions = _format_positions(round_, event.place, cards) if kind == "discard" else None
            if stage is not None and kind == "draw":
                event.order = (event.order[0], event.order[1] + _DRAWN, *event.order[2:])
            yield round_, event


def _format_positions(round_: round_records.SimulatedRound, place: str | None, discards: Sequence[int]) -> str | None:
    """Return the positions of cards that the way of dealing sets aside, from the dealer's left; None if the holder
    chose them."""
    cards = [] if round_.way is None or place is None else round_.way.discarded_cards.get(place, [])
    return "".join(str(card + 1) for card in cards)[: len(discards)] if cards and max(cards) < 9 else None


def record_exchange_decisions(context: occasional_steps.StepContext, stage: int) -> occasional_steps.RoundEvents:
    """Yield the declarations in an exchange of this stage, where the game has decisions for them."""
    for seat in context.view.seats:
        if stage in seat.exchanges:
            decision = context.house.decision_of_kind.get("discard" if seat.exchanges[stage].discarded else "stand-pat")
            if decision is not None:
                yield context.make_event("decide", seat, decision=decision)


_order_of = attrgetter("order")
_DETAILS = 8
"""Number of details for the events of one stake."""


def record_rounds(
    house: SimulatedHouse,
    rounds: list[round_records.SimulatedRound],
    rng: RandomStream,
    *,
    view: RoundView | None = None,
) -> None:
    """Record all events of the rounds: every act in its place, and every outcome once.

    Args:
        house: the house.
        rounds: the rounds.
        rng: source of random numbers.
        view: view of the rounds without events, if there is one already.
    """
    for round_, events in _record_steps(view or RoundView(house, rounds), _group_turns(house)).items():
        if round_.mishaps:
            events.extend(occasional_steps.place_mishaps(house, round_, events, rng))
        events.sort(key=_order_of)
        round_.events = events


def leave_out_undealt(house: SimulatedHouse, rounds: list[round_records.SimulatedRound], rng: RandomStream) -> None:
    """Remove the last cards of hands if no act dealt them, such as a board after all have folded."""
    deal = house.game.deal
    if not any("deal" in act.events and act.stage is not None and act.when is not None for act in house.acts):
        return
    for round_ in rounds:
        dealt = Counter[tuple[str | None, round_records.SimulatedSeat | None]]()
        for event in round_.events:
            if event.kind == "deal":
                dealt[event.place, event.seat] += len(event.cards or ())
        for place in deal.cards:
            for seat, hand in round_.list_hands_with_seats(place):
                if hand.cards is not None and not hand.by_rule:
                    hand.cards = hand.cards[: dealt[place, seat]]


def make_step_events(
    house: SimulatedHouse, rounds: Sequence[round_records.SimulatedRound], step: Act
) -> dict[round_records.SimulatedRound, list[round_records.SimulatedEvent]]:
    """Return the events of one step as if it happened everywhere, whatever its condition."""
    events_by_round = _record_steps(RoundView(house, rounds), [[step]], everywhere=True)
    return {round_: sorted(events, key=_order_of) for round_, events in events_by_round.items()}


def _record_steps(
    view: RoundView, turns: list[list[Act]], *, everywhere: bool = False
) -> dict[round_records.SimulatedRound, list[round_records.SimulatedEvent]]:
    house, outcomes, number = view.house, _collect_outcomes(view.house, view.rounds), 0
    events_by_round: dict[round_records.SimulatedRound, list[round_records.SimulatedEvent]] = {
        round_: [] for round_ in view.rounds
    }
    for steps in turns:
        rank = view.rank_seats(occasional_steps.find_starting_side(house, steps))
        for turn, step in enumerate(steps):
            context = occasional_steps.StepContext(
                view=view, step=step, number=number, turn=turn, rank=rank, outcomes=outcomes, everywhere=everywhere
            )
            for kind in step.events:
                if context.is_unchanging(kind):
                    _record_once(context, kind, events_by_round)
                    continue
                for round_, event in _make_events(context, kind):
                    events_by_round[round_].append(event)
        number += 2 * len(steps)  # leave a number for acts of betting
    return events_by_round


def _record_once(
    context: occasional_steps.StepContext,
    kind: str,
    events_by_round: dict[round_records.SimulatedRound, list[round_records.SimulatedEvent]],
) -> None:
    """Add the events of a kind, recorded now or earlier."""
    key = (context.number, context.turn, kind)
    if any(key not in round_.unchanging_events for round_ in context.view.rounds):
        for round_ in context.view.rounds:
            round_.unchanging_events[key] = []
        for round_, event in _make_events(context, kind):
            round_.unchanging_events[key].append(event)
    for round_ in context.view.rounds:
        events_by_round[round_] += round_.unchanging_events[key]


def _group_turns(house: SimulatedHouse) -> list[list[Act]]:
    """Return the steps of a round in groups; the steps of a group are done seat by seat."""
    return [
        part
        for turn, steps in groupby(house.acts, key=lambda step: step.turn)
        for part in ([[*steps]] if turn is not None else [[step] for step in steps])
    ]


def _collect_outcomes(
    house: SimulatedHouse, rounds: Sequence[round_records.SimulatedRound]
) -> occasional_steps.Outcomes:
    outcomes: occasional_steps.Outcomes = defaultdict(dict)
    for seat in [seat for round_ in rounds for seat in round_.seats]:
        for (name, tip, on), stake in seat.stakes.items():
            line = (seat, tip, on)
            if stake.amount > stake.brought:
                outcomes["wager", name][line] = stake.amount - stake.brought
            if stake.paid:
                outcomes["pay", name][line] = stake.paid
            if stake.taken:
                outcomes["collect", name][line] = stake.taken
            if stake.amount > stake.taken and not stake.paid and not leaves_stake(house, stake):
                outcomes["return", name][line] = stake.amount - stake.taken
    return outcomes


def _make_events(context: occasional_steps.StepContext, kind: str) -> occasional_steps.RoundEvents:
    if kind == "decide" and (stage := occasional_steps.find_exchange_stage(context.house, context.step)) is not None:
        return record_exchange_decisions(context, stage)
    recorders = _RECORDERS if context.house.game.pots is None else _RECORDERS | _PLAYER_GAME_RECORDERS
    return recorders.get(kind, _record_plain)(context, kind)


def _record_stakes(context: occasional_steps.StepContext, kind: str) -> occasional_steps.RoundEvents:
    """Yield an event for every stake or bonus of the step's lines that has none yet."""
    step, seats = context.step, {*context.list_seats()}
    means = context.habit.in_ if kind == "wager" else None
    forced = kind == "wager" and context.house.game.betting is not None
    kind_index = [str(name) for name in step.events].index(kind)
    for position, name in enumerate(step.of or context.house.game.settlement.order):
        left = context.outcomes[kind, name]
        detail = position * _DETAILS + kind_index
        for stake in [stake for stake in left if stake[0] in seats]:
            seat, tip, on = stake
            round_, event = context.make_event(
                kind,
                seat,
                detail + _DETAILS // 2 if tip else detail,
                means=means,
                wager=name,
                tip=tip,
                value=on,
                amount=left.pop(stake),
            )
            if kind == "wager":
                event.order = turn_events.place_stake_in_turn(context, seat, name) or event.order
            if forced:
                # Forced bets are put in wager by wager, not seat by seat.
                event.order = (context.number, position, context.turn, context.rank[seat])
            yield round_, event


def _record_at_place(context: occasional_steps.StepContext, kind: str) -> occasional_steps.RoundEvents:
    """Yield an event at a place: for every seat if it is the player's, otherwise for the round."""
    step, view, place = context.step, context.view, find_step_place(context.step) or "table"
    every: Sequence[round_records.SimulatedSeat | round_records.SimulatedRound] = (
        view.seats if place == "player" else view.rounds
    )
    cards = dict[round_records.SimulatedSeat | round_records.SimulatedRound, round_records.Cards | None]()
    if kind != "misdeal" and step.word is None:  # a named lot of cards shows none
        shown = list_shown_cards(
            view,
            place,
            held=context.is_after_exchange,
            only_fixed=simulated_deal.has_cards_to_come(context.house, step, place),
        )
        turned = context.house.find_turned_cards(step, place) if kind == "reveal" else None
        if turned is not None:
            hands = [round_.list_hands(place)[0].cards or [] for round_ in view.rounds]  # type: ignore[arg-type]
            shown = [held[turned.first : turned.first + turned.number] for held in hands]
        cards = dict(zip(every, shown, strict=True))
    what = step.word if kind == "collect-cards" else None
    for owner in context.list_seats() if place == "player" else context.list_rounds():
        yield context.make_event(kind, owner, place=place, what=what, cards=cards.get(owner))


def list_shown_cards(
    view: RoundView, place: str, *, held: bool, only_fixed: bool = False
) -> list[round_records.Cards | None]:
    """Return the cards of a place, by seat or by round.

    A whole hand of that place alone is in the order of its ranking.

    Args:
        view: the rounds.
        place: the place.
        held: whether to return the cards after exchanges; otherwise those that were dealt.
        only_fixed: whether the cards that come by a rule are still to be dealt.
    """
    if place not in ("player", "dealer", "community"):
        return [[] for _ in view.rounds]
    hands = [hand for round_ in view.rounds for hand in round_.list_hands(place)]  # type: ignore[arg-type]
    if only_fixed:
        return [hand.fixed_cards for hand in hands]
    cards_of_hands = [hand.cards_left if held else [*(hand.cards or [])] for hand in hands]
    for name, hand in view.house.prepared.hands.items():
        ranking = hand.ranking
        if not isinstance(ranking, CompiledRanking) or hand.places != (place,) or (hand.cards == "held") != held:
            continue
        if hand.follows_stages:
            continue
        if hand.sizes == (ranking.size,):
            for cards, strength in zip(cards_of_hands, strength_of(view.scope, name).tolist(), strict=True):
                if strength >= 0 and len(cards) == ranking.size:
                    layout = ranking.arrangement(strength)
                    # Sort by the first index of each rank in the layout, then by code.
                    cards.sort(key=lambda card: (layout.index(card >> 2), -card))
            break
    return [*cards_of_hands]


def _record_acts(context: occasional_steps.StepContext, kind: str) -> occasional_steps.RoundEvents:
    """Yield every act in its betting round, after what the seat shows of it, and before the cards of a fold."""
    house = context.house
    # Acts of a betting round follow its first step.
    steps, rounds = [step.name for step in house.acts], house.prepared.betting.rounds
    begins = [context.number if round_.after is None else 2 * steps.index(round_.after) + 1 for round_ in rounds]
    for round_ in context.view.rounds:
        for turn, act in enumerate(round_.acts):
            events = [
                *act.shown,
                round_records.SimulatedEvent("decide", seat=act.seat, decision=act.decision, amount=act.amount or None),
            ]
            if house.kind_of_decision.get(act.decision) == "fold":
                events.append(round_records.SimulatedEvent("collect-cards", seat=act.seat, place="player"))
            for detail, event in enumerate(events):
                event.order = (begins[act.street], turn, 0, detail)
                yield round_, event


def _record_showdown(context: occasional_steps.StepContext, kind: str) -> occasional_steps.RoundEvents:
    """Yield the hands that are shown at the end, and the declarations of seats that concede."""
    for round_, ending in _list_endings(context):
        for seat in round_.seats:
            order = (context.number, ending.rank[seat], context.turn, 0)
            if seat in ending.showing_seats:
                yield round_, round_records.SimulatedEvent("reveal", order, seat, "player", cards=seat.cards_held)
            elif seat in ending.conceding_seats:
                yield (
                    round_,
                    round_records.SimulatedEvent(
                        "decide", order, seat, decision=context.house.decision_of_kind["concede"]
                    ),
                )


def _list_endings(
    context: occasional_steps.StepContext,
) -> list[tuple[round_records.SimulatedRound, round_records.RoundEnd]]:
    """Return the rounds that have ended between players."""
    return [(round_, round_.ending) for round_ in context.view.rounds if round_.ending is not None]


def _record_collections(context: occasional_steps.StepContext, kind: str) -> occasional_steps.RoundEvents:
    """Yield the collected cards of the step's seats, once the winners of the pots are known."""
    side, collecting = context.step.of_seats, {*context.list_seats()}
    for round_, ending in _list_endings(context):
        for seat in round_.seats if ending.divided else ():
            sided = side is None or (seat in ending.winning) == (side == "winning")
            if seat in collecting and sided and (context.everywhere or not seat.folded):
                yield context.make_event(kind, seat, place="player")


def _record_amounts(context: occasional_steps.StepContext, kind: str) -> occasional_steps.RoundEvents:
    """Yield the rake, the returned bets, and the awards of the step's pots, the last side pot first."""
    side = context.step.pot
    for round_, ending in _list_endings(context):
        if kind in ("rake", "drop") and ending.rake > 0:
            yield context.make_event(kind, round_, amount=ending.rake)
        for seat, name, amount in ending.returned if kind == "return" else ():
            yield context.make_event(kind, seat, wager=name, amount=amount)
        for seat, pot, amount in ending.awards if kind == "award" else ():
            if side is None or (pot > 0) == (side == "side"):
                yield (
                    round_,
                    round_records.SimulatedEvent(
                        kind, (context.number, -pot, context.rank[seat], 0), seat, pot=pot, amount=amount
                    ),
                )


def _record_decisions(context: occasional_steps.StepContext, kind: str) -> occasional_steps.RoundEvents:
    """Yield the decisions of every seat that belong to the step."""
    if context.house.has_decisions_for_cards:
        yield from turn_events.record_several_decisions(context)
        return
    for seat in context.list_seats():
        for decision in seat.decisions:
            if not context.step.decisions or decision in context.step.decisions:
                yield context.make_event(kind, seat, decision=decision)


def _record_outcomes(context: occasional_steps.StepContext, kind: str) -> occasional_steps.RoundEvents:
    """Yield the result that is no card, or all results if the step names none."""
    for round_ in context.list_rounds():
        for detail, (name, value) in enumerate(round_.outcomes.items()):
            if context.step.word in (None, name) and name not in context.house.game.carried_outcomes:
                yield context.make_event(kind, round_, detail, by=context.done_by, what=name, value=value)


def _record_on_wagers(context: occasional_steps.StepContext, kind: str) -> occasional_steps.RoundEvents:
    """Yield cards tucked under the step's wagers, or wins claimed on them."""
    house, seats = context.house, context.list_seats()
    for position, name in enumerate(context.step.of or (house.claimable_wagers if kind == "claim" else ())):
        for seat in seats:
            if seat.claims.get(name) if kind == "claim" else seat.staked_on(name):
                yield context.make_event(kind, seat, position, wager=name)


def _record_plain(context: occasional_steps.StepContext, kind: str) -> occasional_steps.RoundEvents:
    """Yield an event of every seat of the step, or of the round.

    Chips that a player buys or takes off the table are the smallest amount, where nothing else states it.
    """
    step, by = context.step, context.done_by if occasional_steps.has_field(kind, "by") else None
    by = "dealer" if by is None and kind in ("shuffle", "cut") else by
    stacks = context.house.simulation.stacks
    least = context.house.wager_unit if stacks is None else stacks.at_least
    of_seats = kind in semantic_errors.SEAT_EVENTS or (
        kind in semantic_errors.ROUND_OR_SEAT_EVENTS and step.grain != "round"
    )
    for owner in context.list_seats() if of_seats else context.list_rounds():
        face, amount = (
            step.face if kind == "deck" else None,
            least if kind in semantic_errors.CHIP_EVENTS else None,
        )
        yield context.make_event(kind, owner, by=by, what=step.word, face=face, amount=amount)


_RECORDERS: dict[str, Callable[[occasional_steps.StepContext, str], occasional_steps.RoundEvents]] = {
    **dict.fromkeys(semantic_errors.STAKE_EVENTS, _record_stakes),
    **dict.fromkeys(semantic_errors.PLACE_EVENTS, _record_at_place),
    **dict.fromkeys(semantic_errors.EXCHANGE_EVENTS, record_exchange),
    **dict.fromkeys(("tuck", "claim"), _record_on_wagers),
    "deal": record_deal,
    "decide": _record_decisions,
    "outcome": _record_outcomes,
    "set": turn_events.record_settings,
    "split": turn_events.record_splits,
}
"""Functions that record events of a kind; other kinds use `_record_plain`."""
_PLAYER_GAME_RECORDERS = {
    **dict.fromkeys(("return", "rake", "award", "drop"), _record_amounts),
    "decide": _record_acts,
    "reveal": _record_showdown,
    "collect-cards": _record_collections,
}
"""Functions that replace some of them in games between players."""


def state_numbers(view: RoundView) -> Batch:
    """Return rounds as a batch in which the events of steps state their numbers.

    A number that an event already states is kept. An unknown number is left out, or is 0 if the kind of event always
    has one.
    """
    house, batch = view.house, view.scope.batch
    events, amount = batch.events, batch.events.amount.copy()
    for name, habit in house.simulation.steps.items():
        step = house.prepared.steps[name]
        if habit.states is not None and any(occasional_steps.has_field(kind, "amount") for kind in step.events):
            rows = certain_events(view.scope, name)
            grain: Grain = "round" if step.grain == "round" else "seat"
            value, is_known = view.scope.evaluate_numbers(habit.states, grain)
            least = 0 if semantic_errors.NUMBERED_EVENTS.issuperset(step.events) else ABSENT
            rows = rows[amount[rows] == ABSENT]
            owner = events.round[rows] if grain == "round" else events.seat[rows]
            amount[rows] = np.where(is_known, value, least)[owner]
    return replace(batch, events=replace(events, amount=amount))
