"""Cards of simulated rounds that come by a rule or by decisions, after the cards that every round has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairdeal.validator.cards.card_codes import UNKNOWN
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.rules.deal_model import MOST_CARDS, Stage, Taking
from fairdeal.validator.rules.game_model import Act
from fairdeal.validator.simulate import occasional_steps, round_records
from fairdeal.validator.simulate.round_view import RoundView
from fairdeal.validator.simulate.simulated_house import RandomStream, SimulatedHouse
from fairdeal.validator.simulate.simulated_stakes import make_decisions

_FIRST = 1 << 10
"""Place of decisions and cards within the turn of a seat, after the wagers that decisions place."""


def deal_by_rule(
    house: SimulatedHouse, rounds: list[round_records.SimulatedRound], rng: RandomStream, *, after: int = -1
) -> None:
    """Deal the stages whose cards come by a rule or by decisions, in order.

    Args:
        house: the house.
        rounds: the rounds.
        rng: source of random numbers.
        after: index of the stage after which to begin.
    """
    rounds = [round_ for round_ in rounds if not round_.is_dead]
    for number in [number for number in house.game.deal.stages_by_rule if number > after] if rounds else ():
        stage = house.game.deal.stages[number]
        for place, count in (stage.cards or {}).items():
            due = _list_due(RoundView(house, rounds), stage, place)
            for round_ in dict.fromkeys(round_ for round_, _ in due):
                round_.draw_cards(stage.burn or 0)
            for round_, hand in due:
                hand.add_cards(number, round_.draw_cards(count))
        for place, taking in (stage.takes or {}).items():
            _take_cards(house, rounds, number, place, taking, rng)


def _list_due(
    view: RoundView, stage: Stage, place: Place, taking: Taking | None = None
) -> list[tuple[round_records.SimulatedRound, round_records.SimulatedHand]]:
    """Return the hands of a place that are due cards of a stage, each with its round."""
    conditions = (stage.when, None if taking is None else taking.while_)
    if place == "player":
        return [(view.round_of[seat], seat.hand) for seat in view.list_seats_where(*conditions) if seat.hand.cards]
    return [(round_, round_.list_hands(place)[0]) for round_ in view.list_rounds_where(*conditions)]


def _take_cards(
    house: SimulatedHouse,
    rounds: list[round_records.SimulatedRound],
    number: int,
    place: Place,
    taking: Taking,
    rng: RandomStream,
) -> None:
    """Let a place take cards one by one until its rule ends or its player stops asking."""
    stage = house.game.deal.stages[number]
    active, answered = rounds, dict[round_records.SimulatedSeat, int]()
    while active:
        view = RoundView(house, active)
        due = _list_due(view, stage, place, taking)
        if taking.after:
            asking = {
                seat.hand: seat
                for seat in view.seats
                if seat.decisions[answered.get(seat, 0) :] and seat.decisions[-1] in taking.after
            }
            due = [(round_, hand) for round_, hand in due if hand in asking]
        taken = list[tuple[round_records.SimulatedRound, round_records.SimulatedHand]]()
        for round_, hand in due:
            if len(hand.cards or ()) < MOST_CARDS and (cards := round_.draw_cards(1)):
                hand.add_cards(number, cards)
                taken.append((round_, hand))
        if not taken:
            return
        active = [*dict.fromkeys(round_ for round_, _ in taken)]
        if taking.after:
            answered |= {asking[hand]: len(asking[hand].decisions) for _, hand in taken}
            make_decisions(house, active, rng, among={asking[hand] for _, hand in taken})


def record_deal_by_rule(context: occasional_steps.StepContext) -> occasional_steps.RoundEvents:
    """Yield the events of cards by rule that belong to a step: one event each, after the decisions to take it."""
    deal, step = context.house.game.deal, context.step
    for number in deal.stages_by_rule:
        stage = deal.stages[number]
        if step.stage not in (None, stage.stage):
            continue
        for place in stage.count_most_cards():
            if step.place in (None, place) and stage.burn:
                for round_ in context.list_rounds():
                    if any(hand.list_cards_of(number) for hand in round_.list_hands(place)):
                        burnt = [UNKNOWN] * stage.burn
                        order = (context.number, -1, 0, 0)
                        yield (
                            round_,
                            round_records.SimulatedEvent("deal", order, None, "burn", "down", stage.by, cards=burnt),
                        )
            if step.place in (None, place):
                for round_, seat, hand in _list_hands(context.list_rounds(), place):
                    asking = () if seat is None else _list_asking(seat, stage, place)
                    for at, card in enumerate(hand.list_cards_of(number)):
                        asked = asking[at] if at < len(asking) else at
                        turn = (context.rank[seat], _FIRST, 2 * asked + 1) if seat is not None else (at, 0, 0)
                        yield (
                            round_,
                            round_records.SimulatedEvent(
                                "deal", (context.number, *turn), seat, place, stage.face, stage.by, cards=[card]
                            ),
                        )


def _list_asking(seat: round_records.SimulatedSeat, stage: Stage, place: Place) -> list[int]:
    """Return the positions, among the decisions of a seat, of those that take a card of a stage."""
    taking = (stage.takes or {}).get(place)
    return [at for at, decision in enumerate(seat.decisions) if taking is not None and decision in taking.after]


def _list_hands(
    rounds: Iterable[round_records.SimulatedRound], place: Place
) -> Iterator[tuple[round_records.SimulatedRound, round_records.SimulatedSeat | None, round_records.SimulatedHand]]:
    for round_ in rounds:
        for seat, hand in round_.list_hands_with_seats(place):
            yield round_, seat, hand


def record_several_decisions(context: occasional_steps.StepContext) -> occasional_steps.RoundEvents:
    """Yield every decision of every seat, in order; cards that follow a decision come between."""
    for seat in context.list_seats():
        for at, decision in enumerate(seat.decisions):
            if not context.step.decisions or decision in context.step.decisions:
                round_, event = context.make_event("decide", seat, decision=decision)
                event.order = (context.number, context.rank[seat], _FIRST, 2 * at)
                yield round_, event


def has_cards_to_come(house: SimulatedHouse, step: Act, place: str) -> bool:
    """Return whether a place receives cards by rule in a later step of a round."""
    stages = [house.game.deal.stages[number] for number in house.game.deal.stages_by_rule]
    later = house.course[house.course.index(step) + 1 :] if step in house.course else ()
    return any(
        "deal" in other.events
        and other.place in (None, place)
        and any(place in stage.count_most_cards() and other.stage in (None, stage.stage) for stage in stages)
        for other in later
    )


def has_decisions_for_cards(house: SimulatedHouse) -> bool:
    """Return whether seats take cards by decisions."""
    stages = house.game.deal.stages
    return any(taking.after for stage in stages for taking in (stage.takes or {}).values())


def change_count(
    house: SimulatedHouse,
    round_: round_records.SimulatedRound,
    hand: round_records.SimulatedHand,
    stage: int,
    by: int,
    rng: RandomStream,
) -> bool:
    """Add cards to those of a hand in a stage by rule, or remove its last ones, and deal the later stages anew.

    Returns whether that is possible.
    """
    if hand.by_rule.get(stage, 0) + by < 0 or len(hand.cards or ()) + by > MOST_CARDS:
        return False
    for other in (each for place in house.game.deal.cards for each in round_.list_hands(place)):
        for later in [number for number in other.by_rule if number > stage]:
            round_.used -= other.remove_cards(later)
    if by < 0:
        hand.cards = (hand.cards or [])[:by]
        hand.by_rule[stage] += by
    else:
        hand.add_cards(stage, round_.draw_cards(by))
    deal_by_rule(house, [round_], rng, after=stage)
    return True
