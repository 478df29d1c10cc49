"""Faults of simulated rounds, one function for each kind.

Some are planted while a round is played, which then continues from them. Others change the order or manner of recorded
events, with a correct result of the round.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from fairdeal.validator.engine.facts.final_hands import compile_setting
from fairdeal.validator.evidence.card_places import HANDLING_WORDS
from fairdeal.validator.evidence.event_kinds import NO_DECISION
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.rules.fault_model import AlterFault
from fairdeal.validator.simulate import round_records
from fairdeal.validator.simulate.batch_processes import close_meters
from fairdeal.validator.simulate.fault_planting import FaultContext, MakeFault, UnfitRound
from fairdeal.validator.simulate.poker_rounds import count_chips
from fairdeal.validator.simulate.procedure_steps import make_step_events
from fairdeal.validator.simulate.round_view import RoundView
from fairdeal.validator.simulate.simulated_deal import (
    bring_cards,
    change_count,
    choose_weakest_cards,
    list_other_ways,
    split_hand,
)
from fairdeal.validator.simulate.simulated_stakes import change_decision, find_point


def _find_change(breach: FaultContext) -> int:
    """Return the change of a value; negative if it decreases."""
    by: int = breach.operand.operand
    return by if breach.operand.operator == "more" else -by


def _change_stake(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Change one seat's stake on a wager."""
    name, how, by = breach.operand.wager, breach.operand.operator, breach.operand.operand
    if how == "selected":
        _select_otherwise(breach, round_)
        return
    offer = breach.house.find_offer(name)
    maximum = None if offer is None else offer.maximum

    def able(seat: round_records.SimulatedSeat) -> bool:
        if how in ("added", "tipped"):
            return not seat.staked_on(name, tip=True) and (how == "tipped" or not seat.staked_on(name))
        return seat.staked_on(name) > (by if how == "less" else 0) and (how != "above-maximum" or maximum is not None)

    seat = breach.choose_seat(round_, able)
    changed = {"more": seat.staked_on(name) + by, "less": seat.staked_on(name) - by, "removed": 0}
    amount = (maximum or 0) + by if how == "above-maximum" else changed.get(how, by)
    _set_stake(breach, seat, name, amount, tip=how == "tipped")
    if how == "removed":
        seat.set_stake(name, 0, tip=True)


def _set_stake(breach: FaultContext, seat: round_records.SimulatedSeat, name: str, amount: int, *, tip: bool) -> None:
    """Replace the stakes of a seat on a wager by one stake, on its first selection or else on a permitted one."""
    on = seat.find_selection(name)
    if on is None and name in breach.house.prepared.selections:
        on = breach.rng.choice(breach.house.prepared.selections[name].permitted)
    replaced = [seat.stakes.pop(key) for key in [key for key in seat.stakes if key[:2] == (name, tip)]]
    seat.set_stake(name, amount, tip=tip, on=on)
    if amount:
        seat.stakes[name, tip, on].brought = min(sum(stake.brought for stake in replaced), amount)


def _select_otherwise(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Place the stakes of one seat on a wager on another selection."""
    name, on = breach.operand.wager, breach.operand.operand
    seat = breach.choose_seat(round_, lambda seat: bool(seat.staked_on(name)))
    amount = seat.staked_on(name)
    for key in [key for key in seat.stakes if key[0] == name]:
        del seat.stakes[key]
    seat.set_stake(name, amount, on=on)


def _change_decision(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Change the decision of one seat."""
    decision, house = None if breach.operand == NO_DECISION else breach.operand, breach.house
    here = {*house.decision_points[find_point(house, decision)].decisions}

    def able(seat: round_records.SimulatedSeat) -> bool:
        decides_here = len(house.decision_points) == 1 or not here.isdisjoint(seat.decisions)
        return decides_here and decision not in seat.decisions and seat.decision != decision

    change_decision(house, round_, breach.choose_seat(round_, able), decision, breach.rng, bring_cards)


def _change_payment(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Overpay or underpay one stake. A losing stake is left, or an unpaid one is taken."""
    over, game = breach.operand == "over", breach.house.game

    def base(  # the stake that a payment depends on
        seat: round_records.SimulatedSeat, name: str, stake: round_records.SimulatedStake, *, tip: bool
    ) -> int:
        bonus = game.bonuses.get(name)
        return stake.amount if bonus is None else seat.staked_on(bonus.of, tip=tip)

    payments: list[tuple[str, round_records.SimulatedStake, int]] = [
        (name, stake, by)
        for seat in round_.seats
        if seat in breach.fitting_seats
        for (name, tip, _), stake in seat.stakes.items()
        if stake.case in breach.cases
        and (by := base(seat, name, stake, tip=tip))
        and (over or stake.paid or (stake.taken < by and name not in game.bonuses))
    ]
    name, stake, by = breach.choose(payments)
    wager = game.wagers.get(name)
    spent = wager is not None and wager.stake == "spent" and stake.paid > 0
    if not over:
        stake.taken, stake.paid = stake.taken if stake.paid else by, 0
    elif stake.taken and not spent:
        stake.taken = 0
    else:  # a spent stake cannot be left, only paid more
        stake.paid += by
    if any(name in meter.lines for meter in breach.house.meters):
        close_meters(RoundView(breach.house, [round_]))


def _change_meter(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Change the reading of a meter."""
    reading, at = round_.meters[breach.operand.name], breach.operand.at
    now = getattr(reading, at) + _find_change(breach)
    if now < 0:
        raise UnfitRound
    setattr(reading, at, now)


def _give_hands_to_one(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Give all hands of a round to its first player."""
    if len(round_.seats) < breach.operand:
        raise UnfitRound
    for seat in round_.seats:
        seat.player = round_.seats[0].player


def _change_stack(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Change the chips of one seat that has chips left after forced bets."""
    breach.choose_seat(round_, lambda seat: seat.staked < seat.chips).stack = breach.operand


def _change_award(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Give all winnings of one seat to another that was in at the end."""
    end = round_.required_ending
    winner = breach.choose_seat(round_, lambda seat: seat in end.showing_seats and bool(seat.won))
    loser = breach.choose([seat for seat in round_.seats if seat in end.showing_seats and not seat.won])
    end.awards = [(loser if seat is winner else seat, pot, amount) for seat, pot, amount in end.awards]
    count_chips(round_)


def _change_rake(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Change the rake of a round in which one seat alone won the main pot, and its award by the same amount."""
    by, end = _find_change(breach), round_.required_ending
    main = [award for award in end.awards if award[1] == 0]
    if end.rake <= 0 or end.rake + by < 0 or len(main) != 1 or main[0][2] <= by:
        raise UnfitRound
    end.rake += by
    end.awards[end.awards.index(main[0])] = (main[0][0], 0, main[0][2] - by)
    count_chips(round_)


def _choose_hand(
    breach: FaultContext,
    round_: round_records.SimulatedRound,
    place: Place,
    able: Callable[[round_records.SimulatedSeat | None, round_records.SimulatedHand], bool],
    *,
    dealt: bool = False,
) -> round_records.SimulatedHand:
    """Choose a hand of a place that satisfies a condition. Raises `UnfitRound` without one.

    Args:
        breach: the fault.
        round_: the round.
        place: the place; for `player`, only seats that fit.
        able: the condition.
        dealt: whether to use the cards that were dealt; otherwise those of the last exchange between betting rounds.
    """
    every = [
        (seat, hand if seat is None or dealt else seat.last_hand)
        for seat, hand in round_.list_hands_with_seats(place)
        if seat is None or (seat in breach.fitting_seats and seat.playing)
    ]
    return breach.choose([hand for seat, hand in every if able(seat, hand)])


def _change_discards(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Change the number of cards that one hand discards and draws, for a hand that may, or that may not."""
    house, fault = breach.house, breach.operand
    step, staged = house.step_by_event_and_place.get(("discard", fault.place)), bool(house.game.deal.exchanging_stages)
    draws = staged or ("draw", fault.place) in house.step_by_event_and_place
    able_to = breach.view.seats_where if fault.place == "player" else breach.view.rounds_where
    may_discard = breach.view.scope.compute_once(
        ("may discard", fault.place), lambda: able_to(step.when) if step is not None else set()
    )

    def able(seat: round_records.SimulatedSeat | None, hand: round_records.SimulatedHand) -> bool:
        may = bool(seat.exchanges) if staged and seat is not None else (seat or round_) in may_discard
        more_needed = max(fault.cards - len(hand.drawn or ()), 0) if draws else 0
        other = len(hand.discarded or ()) != fault.cards and len(hand.cards or ()) >= fault.cards
        return other and may != (fault.unasked is True) and len(round_.deck) - round_.used >= more_needed

    hand = _choose_hand(breach, round_, fault.place, able)
    hand.discarded = choose_weakest_cards(hand.cards or [], fault.cards)
    if draws:
        _set_drawn(round_, hand, fault.cards)


def _draw_more(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Let one hand draw more cards than it discarded."""
    more, left = breach.operand.more, len(round_.deck) - round_.used
    hand = _choose_hand(breach, round_, breach.operand.place, lambda _, hand: bool(hand.drawn) and left >= more)
    _set_drawn(round_, hand, len(hand.drawn or ()) + more)


def _set_drawn(round_: round_records.SimulatedRound, hand: round_records.SimulatedHand, number: int) -> None:
    """Set the number of cards that a hand has drawn: the first of those it drew, and further ones."""
    had = (hand.drawn or [])[:number]
    hand.drawn = [*had, *round_.draw_cards(number - len(had))]


def _set_otherwise(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Set one hand wrongly: otherwise, or with a card of the High Hand in the Low Hand."""
    fault = breach.operand
    setting = compile_setting(breach.house.prepared, fault.place)
    hand = _choose_hand(breach, round_, fault.place, lambda _, hand: hand.high is not None, dealt=True)
    if fault.how == "wrong-number":
        first, *others = hand.high or []
        hand.high, hand.low = others, [*(hand.low or ()), first]
    else:
        split_hand(setting, hand, breach.choose(list_other_ways(setting, hand)))


def _miscount_hand(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Change the number of cards of one hand.

    Community cards are only removed if nobody bet on them and hands were shown.
    """
    by, end, game = _find_change(breach), round_.ending, breach.house.game
    if breach.operand.stage is not None:
        _miscount_stage(breach, round_, by)
        return
    full, last = game.deal.cards.get("community", 0), 0 if game.betting is None else len(game.betting.rounds) - 1

    def able(seat: round_records.SimulatedSeat | None, hand: round_records.SimulatedHand) -> bool:
        if seat is not None:
            return len(hand.cards or ()) + by > 0
        shown = end is not None and len(end.showing_seats) > 1
        unseen = round_.stages is not None and (any(act.street == last for act in round_.acts) or not shown)
        return len(hand.cards or ()) == full and full + by > 0 and not (by < 0 and unseen)

    hand = _choose_hand(breach, round_, breach.operand.place, able, dealt=True)
    cards = hand.cards or []
    hand.cards = [*cards, *round_.deck[round_.used : round_.used + by]] if by > 0 else cards[:by]


def _miscount_stage(breach: FaultContext, round_: round_records.SimulatedRound, by: int) -> None:
    """Change the number of cards of one hand in a stage by rule, without more cards than the stages may give."""
    deal, place = breach.house.game.deal, breach.operand.place
    number = next(at for at, stage in enumerate(deal.stages) if stage.stage == breach.operand.stage)
    most = deal.stages[number].count_most_cards()[place]

    def able(seat: round_records.SimulatedSeat | None, hand: round_records.SimulatedHand) -> bool:
        return bool(hand.cards) and 0 <= hand.by_rule.get(number, 0) + by <= most

    hand = _choose_hand(breach, round_, place, able, dealt=True)
    if round_.is_dead or not change_count(breach.house, round_, hand, number, by, breach.rng):
        raise UnfitRound


def _repeat_card(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Make the first card of the dealer equal to the first card of the first seat.

    The community replaces a dealer without cards; in betting games, the second seat does, because other cards may not
    come.
    """
    first, *others = [seat.hand for seat in round_.seats]
    other_hand = round_.dealer if "dealer" in breach.house.game.deal.cards else round_.community
    if breach.house.game.betting is not None:
        other_hand = others[0] if others else round_records.SimulatedHand()
    if not other_hand.cards or not first.cards:
        raise UnfitRound
    other_hand.cards = [first.cards[0], *other_hand.cards[1:]]


PLAY_FAULTS: Mapping[str, MakeFault] = {
    "stake": _change_stake,
    "decision": _change_decision,
    "other-decision": _change_decision,
    "pay": _change_payment,
    "discard": _change_discards,
    "draw": _draw_more,
    "set": _set_otherwise,
    "miscount": _miscount_hand,
    "meter": _change_meter,
    "hands-of-one": _give_hands_to_one,
    "stack": _change_stack,
    # Seats and ways of dealing are changed when the house is set up; an act goes wrong later.
    **dict.fromkeys(("seats", "dealt", "act"), lambda *_: None),
    "card": _repeat_card,
    "award": _change_award,
    "rake": _change_rake,
}
"""Functions that plant a fault in a round that is being played, by operator."""


def _find_step_events(
    breach: FaultContext, round_: round_records.SimulatedRound, step: str
) -> list[round_records.SimulatedEvent]:
    """Return the events of a step in a round. Events about another deck belong to another round."""
    events = breach.view.find_step_events(step).get(round_, [])
    return [event for event in events if event.deck in (None, round_.deck_in_play)]


def _find_place(
    breach: FaultContext, round_: round_records.SimulatedRound, events: list[round_records.SimulatedEvent]
) -> int:
    """Return the index among events of a round before or after a step. Raises `UnfitRound` if the step is not there."""
    at = round_records.find_insertion_index(
        events, _find_step_events(breach, round_, breach.operand.operand), after=breach.operand.operator == "after"
    )
    if at is None:
        raise UnfitRound
    return at


def _find_postponed_events(
    breach: FaultContext,
) -> dict[round_records.SimulatedRound, dict[round_records.SimulatedEvent, round_records.SimulatedRound]]:
    """Return the events of the step that is left out, each with its own round, by the round that needs them.

    An event about the deck in play, or no deck, is for its own round. Otherwise it is for the next round of the table
    with that deck, before the table opens anew.
    """
    rounds = breach.view.rounds
    by_round = defaultdict[
        round_records.SimulatedRound, dict[round_records.SimulatedEvent, round_records.SimulatedRound]
    ](dict)
    place = {round_: at for at, round_ in enumerate(rounds)}
    for own, event in (
        (own, event) for own, events in breach.view.find_step_events(breach.operand).items() for event in events
    ):
        due: round_records.SimulatedRound | None = own
        if event.deck not in (None, own.deck_in_play):
            later = (round_ for round_ in rounds[place[own] + 1 :] if round_.table == own.table)
            due = next((round_ for round_ in later if round_.deck_in_play == event.deck), None)
        if due is own or (due is not None and (due.count or 0) > (own.count or 0)):
            by_round[due][event] = own
    return by_round


def _omit(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    due = breach.view.scope.compute_once(("due", breach.operand), lambda: _find_postponed_events(breach)).get(
        round_, {}
    )
    for event in breach.select_fitting_events([*due]):
        due[event].events.remove(event)
    _state_decisions_of_events(round_)
    step = breach.house.prepared.steps[breach.operand]
    if "discard" in step.events and step.grain == "round" and step.place in ("community", "dealer"):
        # Cards that were not discarded were kept; the summary must agree with the events.
        round_.list_hands(step.place)[0].discarded = []


def _state_decisions_of_events(round_: round_records.SimulatedRound) -> None:
    """Make the summary of a round agree with its events on the decisions of seats that decide several times."""
    for seat in round_.seats:
        if len(seat.decisions) > 1:
            events = (event for event in round_.events if event.kind == "decide" and event.seat is seat)
            seat.decisions = [event.decision for event in events if event.decision is not None]


def _move(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    moved = _find_step_events(breach, round_, breach.operand.step)
    staying = [event for event in round_.events if event not in moved]
    at = _find_place(breach, round_, staying)
    # Events of cards need the cards on the table, otherwise the record contradicts itself.
    kept = [event for event in staying[:at] if event.kind in HANDLING_WORDS and event.what != "discards"]
    touched = {(event.seat, event.place) for event in kept}
    collected = {(event.seat, event.place) for event in kept if event.kind == "collect-cards"}
    barred = {"deal": touched, "reveal": collected}
    moved = [event for event in moved if (event.seat, event.place) not in barred.get(event.kind, ())]
    staying = [event for event in round_.events if event not in moved]
    at = _find_place(breach, round_, staying)
    before, round_.events = round_.events, [*staying[:at], *moved, *staying[at:]]
    if before == round_.events:
        raise UnfitRound
    _state_decisions_of_events(round_)


def _insert(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    step, at = breach.house.prepared.steps[breach.operand.step], _find_place(breach, round_, round_.events)
    view = breach.view
    everywhere = view.scope.compute_once(
        ("everywhere", step.name), lambda: make_step_events(view.house, view.rounds, step)
    )
    event, *_ = breach.select_fitting_events(everywhere[round_])
    round_.events[at:at] = [replace(event) for _ in range(breach.operand.times)]


def _withdraw(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Raise one seat's recorded wager by an amount that is then withdrawn."""
    fault, at = breach.operand, _find_place(breach, round_, round_.events)
    wagers = [
        event for event in round_.events if event.kind == "wager" and event.wager == fault.wager and not event.tip
    ]
    wager = breach.choose(breach.select_fitting_events(wagers))
    wager.amount = (wager.amount or 0) + fault.amount
    round_.events.insert(at, replace(wager, kind="withdraw", means=None, amount=fault.amount))


def _expose(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Expose the first card of one packet: when it is dealt, or in the deck before, for a step on cards that are set
    aside.

    The last packet of the deal is not chosen.
    """
    in_the_deck = breach.house.prepared.steps[breach.operand].place == "burn"
    packet = breach.choose([event for event in round_.events if event.kind == "deal" and event.place != "burn"][:-1])
    shown = replace(packet, kind="expose", face=None, by=None, cards=(packet.cards or [])[:1])
    if in_the_deck:
        shown = replace(shown, place="burn", seat=None)
    round_.events.insert(round_.events.index(packet) + (not in_the_deck), shown)


def _swap(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Exchange the first two seats of a step, with all events that share its turn."""
    events = _find_step_events(breach, round_, breach.operand)
    seats = [*dict.fromkeys(event.seat for event in events if event.seat is not None)][:2]
    if len(seats) < 2 or any(seat.split_off for seat in seats):
        raise UnfitRound
    along = _find_shared_turns(breach, round_, events)
    at = [n for n, event in enumerate(round_.events) if event in along and event.seat in seats]
    turned = sorted((round_.events[n] for n in at), key=lambda event: event.seat is seats[0])
    for n, event in zip(at, turned, strict=True):
        round_.events[n] = event


def _find_shared_turns(
    breach: FaultContext, round_: round_records.SimulatedRound, events: list[round_records.SimulatedEvent]
) -> list[round_records.SimulatedEvent]:
    """Return the events of a step and of steps that share its turn; for a separate step, all turns with its events."""
    acts, turns = breach.house.game.acts, defaultdict[str, list[round_records.SimulatedEvent]](list)
    step = breach.house.prepared.steps[breach.operand]
    for other in acts.values():
        if other.turn is not None and (step.name not in acts or other.turn == step.turn):
            turns[other.turn] += breach.view.find_step_events(other.name).get(round_, [])
    return sum((turn for turn in turns.values() if any(event in events for event in turn)), events)


def _alter(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Change fields of the first event of a step, if that makes a difference."""
    event, *_ = breach.select_fitting_events(_find_step_events(breach, round_, breach.operand.step))
    change = _find_changes(event, breach.operand)
    if all(getattr(event, name) == value for name, value in change.items()):
        raise UnfitRound
    for name, value in change.items():
        setattr(event, name, value)


_FIELDS = {"in_": "means", "number": "amount", "joined_positions": "positions"}
"""Fields of events by their names in faults, where these differ."""


def _find_changes(event: round_records.SimulatedEvent, change: AlterFault) -> dict[str, Any]:
    """Return the fields of an event that change."""
    fields: dict[str, Any] = {
        _FIELDS.get(name, name): value
        for name in ("by", "in_", "number", "pot", "joined_positions")
        if (value := getattr(change, name)) is not None
    }
    if change.face is not None and event.face is not None:
        fields["face"] = "down" if event.face == "up" else "up"
    cards = event.cards or []
    ranks = [card >> 2 for card in cards]
    if change.cards == "reversed" and ranks != ranks[::-1]:  # no difference if the ranks are symmetric
        fields["cards"] = cards[::-1]
    elif change.cards == "fewer" and len(cards) > 1:
        fields["cards"] = cards[:-1]
    return fields


def _rename(breach: FaultContext, round_: round_records.SimulatedRound) -> None:
    """Record one seat's stake, and all its events, under another name."""
    old, new = breach.operand.wager, breach.operand.operand

    def able(seat: round_records.SimulatedSeat) -> bool:
        placed = [stake for (wager, _, _), stake in seat.stakes.items() if wager == old and not stake.brought]
        return bool(placed) and seat.staked_on(old) == sum(stake.amount for stake in placed)

    seat = breach.choose_seat(round_, able)
    for key in [key for key in seat.stakes if key[0] == old]:
        seat.stakes[new, False, key[2]] = seat.stakes.pop(key)
    for event in round_.events:
        if event.seat is seat and event.wager == old:
            event.wager = new


EVENT_FAULTS: Mapping[str, MakeFault] = {
    "omit": _omit,
    "move": _move,
    "insert": _insert,
    "withdraw": _withdraw,
    "expose": _expose,
    "swap": _swap,
    "alter": _alter,
    "stake": _rename,
}
"""Functions that plant a fault in recorded events, by operator."""
