"""Deal of simulated rounds: cards, exchanges, cards that come by a rule or by decisions, and hands that are set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from fairdeal.validator.cards.card_choices import CompiledSetting, list_splits
from fairdeal.validator.engine.facts.final_hands import compile_setting, find_set_hands
from fairdeal.validator.engine.facts.step_cards import DrawDecisions, evaluate_drawing
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.language.round_conditions import Outcome
from fairdeal.validator.rules.deal_model import MOST_CARDS, DealingWay, FirstByOutcome, Stage, Taking
from fairdeal.validator.rules.game_model import Act
from fairdeal.validator.simulate import round_records
from fairdeal.validator.simulate.occasional_steps import add_mishaps
from fairdeal.validator.simulate.round_view import RoundView
from fairdeal.validator.simulate.simulated_house import RandomStream, RareHands, SimulatedHouse
from fairdeal.validator.simulate.simulated_stakes import decide_again


def deal_cards(house: SimulatedHouse, rounds: list[round_records.SimulatedRound], rng: RandomStream) -> None:
    """Deal cards to every place, by one of the house's ways of dealing, and draw the results that are no cards."""
    for round_ in rounds:
        if house.ways:
            _deal_round(house, round_, rng.choice(house.ways), rng)
        for name, outcome in house.game.outcomes.items():
            if not outcome.becomes and name not in house.game.banking_outcomes:
                round_.outcomes[name] = _draw_result(outcome, rng)
    add_mishaps(house, rounds, rng)


def rank_from_first(
    house: SimulatedHouse,
    round_: round_records.SimulatedRound,
    first_by: FirstByOutcome,
    seat: round_records.SimulatedSeat | None,
) -> int:
    """Return the rank of a seat, or of the dealer, in the order that an outcome decides."""
    number = house.game.outcomes[first_by.outcome].read_number(round_.outcomes[first_by.outcome]) or 1
    return ((0 if seat is None else seat.number) - (number - 1)) % first_by.places


def _draw_result(outcome: Outcome, rng: RandomStream) -> str:
    """Draw a value of an outcome, the digits of dice in the order in which they fell."""
    if outcome.dice is not None:
        return "".join(rng.choices(outcome.faces, k=outcome.dice))
    return rng.choices([*outcome.weights], [*outcome.weights.values()])[0]


def _deal_round(
    house: SimulatedHouse, round_: round_records.SimulatedRound, way: DealingWay, rng: RandomStream
) -> None:
    dealt, kept, draw = way.count_dealt(), dict[Place, list[list[int]]](), rng.random
    voiding = {miscount.place for miscount in house.game.miscounts if miscount.voids == "round"}
    is_void = False
    round_.way, round_.used, round_.irregularities = way, 0, {}
    cards = () if house.deck is None else house.deck.cards * house.game.decks
    round_.deck = sorted(cards, key=lambda _: draw())
    miscounts = house.simulation.chances.miscounts
    for place in house.game.deal.cards:
        full, discards, kept[place] = dealt.get(place, 0), way.discarded_cards.get(place, []), []
        for hand in round_.list_hands(place):
            number = full
            if full and rng.happens(miscounts.get(place, 0)):
                error = rng.choice((-1, 1))
                # After a miscount that voids the round, a second one would look like a deal that was broken off.
                number += 0 if is_void else error
                is_void = is_void or place in voiding
            # Positions in the deck, until the deck is final.
            hand.cards = [*range(round_.used, round_.used + number)]
            kept[place].append(
                [hand.cards[card] for card in range(full) if card not in discards] if number == full else []
            )
            round_.used += number
    round_.used += dealt.get("burn", 0)
    _stack_deck(house, round_.deck, kept, rng)
    for place in house.game.deal.cards:
        discards = way.discarded_cards.get(place, [])
        puts_aside, deck = place in house.discarding_places, round_.deck
        for hand in round_.list_hands(place):
            hand.cards = [deck[at] for at in hand.cards or []]
            hand.discarded = [card for at, card in enumerate(hand.cards) if at in discards] if puts_aside else None


def _stack_deck(
    house: SimulatedHouse, deck: round_records.Cards, kept: Mapping[Place, list[list[int]]], rng: RandomStream
) -> None:
    """Exchange cards of a deck so that places are dealt rare hands.

    Args:
        house: the house.
        deck: the cards.
        kept: positions of the cards that each hand of a place keeps; empty for a hand with a miscount.
        rng: source of random numbers.
    """
    for stacked, rare_hands in zip(house.simulation.stacked, house.rare_hands, strict=True):
        cards_at = _choose_rare_hands(rare_hands, kept, rng) if rng.happens(stacked.chance) else []
        for place, card in cards_at:
            if card in deck:
                deck[deck.index(card)] = deck[place]
            deck[place] = card
        if cards_at:
            return


def _choose_rare_hands(
    rare_hands: tuple[RareHands, ...], kept: Mapping[Place, list[list[int]]], rng: RandomStream
) -> list[tuple[int, int]]:
    """Choose rare hands for different places, and return the deck position of each card; nothing if there are too
    few."""
    card_at, used = dict[int, int](), set[tuple[Place, int]]()
    for rare in rare_hands:
        possible = []
        for number, own in enumerate(kept.get(rare.own_place, ())):
            others = (own if place == rare.own_place else next(iter(kept.get(place, ())), []) for place in rare.places)
            parts = [*zip(others, rare.sizes, strict=True)]
            fits = all(len(part) >= size if rare.consists_of_cards_left else len(part) == size for part, size in parts)
            if fits and (rare.own_place, number) not in used:
                possible.append((number, [at for part, size in parts for at in part[:size]]))
        hands = [hand for hand in rare.hands if not {*card_at.values()}.intersection(hand)]
        if not possible or not hands:
            return []
        number, places = rng.choice(possible)
        used.add((rare.own_place, number))
        card_at |= zip(places, rng.choice(hands), strict=False)
    return [*card_at.items()]


def exchange_cards(house: SimulatedHouse, rounds: list[round_records.SimulatedRound], rng: RandomStream) -> None:
    """Discard and draw cards: at the seats first, unless they did so between decisions, then at the other places."""
    may_exchange = ("discard", "player") in house.step_by_event_and_place and house.simulation.discards
    if may_exchange and not house.has_early_exchange:
        exchange_at_seats(house, rounds, rng)
    for name, drawing in house.game.drawing.items():
        step = house.step_by_event_and_place.get(("discard", drawing.place))
        if drawing.place != "player" and step is not None:
            view = RoundView(house, rounds)
            happening = view.rounds_where(step.when)
            hands = [round_.list_hands(drawing.place)[0] for round_ in rounds]
            discards = _discard_by_rule(view, name, [hand.cards for hand in hands])
            for round_, hand, discards_of_hand in zip(rounds, hands, discards, strict=True):
                _exchange_hand(house, round_, drawing.place, hand, discards_of_hand if round_ in happening else [])


def exchange_at_seats(
    house: SimulatedHouse,
    rounds: list[round_records.SimulatedRound],
    rng: RandomStream,
    *,
    number: int | None = None,
    still_in: set[round_records.SimulatedSeat] | None = None,
) -> None:
    """Exchange cards at the seats: every seat discards by habit, then all draw.

    A seat discards nothing if the deck has too few cards for it.

    Args:
        house: the house.
        rounds: the rounds.
        rng: source of random numbers.
        number: stage of the deal, if the exchange is one; it then uses the cards that seats hold.
        still_in: seats that take part; None for all.
    """
    stage, view = house.game.deal.stages[number or 0], RoundView(house, rounds, held=number is not None)
    draws = any("draw" in step.events for step in house.acts)
    # Keep cards for other places, which exchange by rule.
    reserved = sum(
        house.game.deal.cards[drawing.place] for drawing in house.game.drawing.values() if drawing.place != "player"
    )
    discards, rank = _choose_discards(house, view, rng), view.rank_seats(stage.first_seat)
    for round_ in rounds:
        for seat in sorted(
            round_.seats if still_in is None else still_in.intersection(round_.seats), key=rank.__getitem__
        ):
            hand, aside = seat.hand, discards[seat]
            if number is not None:
                hand = seat.exchanges[number] = round_records.SimulatedHand(cards=seat.cards_held)
                aside = aside[: (stage.exchanges or {}).get("player", 0)]
            enough = len(round_.deck) - round_.used - reserved >= len(aside)
            _exchange_hand(house, round_, "player", hand, aside if enough or not draws else [])


def _exchange_hand(
    house: SimulatedHouse,
    round_: round_records.SimulatedRound,
    place: Place,
    hand: round_records.SimulatedHand,
    discards: round_records.Cards,
) -> None:
    """Discard cards of a hand, and draw as many where the game allows it."""
    hand.discarded = discards
    if house.game.deal.exchanging_stages or ("draw", place) in house.step_by_event_and_place:
        hand.drawn = round_.draw_cards(len(discards) if hand.cards else 0)


def _choose_discards(
    house: SimulatedHouse, view: RoundView, rng: RandomStream
) -> dict[round_records.SimulatedSeat, round_records.Cards]:
    """Return the cards that each seat would discard, where it may."""
    step, cards_held = (
        house.step_by_event_and_place.get(("discard", "player")),
        [seat.cards_held for seat in view.seats],
    )
    waiting = view.seats_where(None if step is None else step.when)
    discards: dict[round_records.SimulatedSeat, round_records.Cards] = {}
    for habit in house.simulation.discards:
        fits = view.seats_where(habit.when)
        if habit.operator == "cards":
            wanted = [choose_weakest_cards(cards, habit.operand) for cards in cards_held]
        elif house.game.drawing[habit.operand].place == "player":
            wanted = _discard_by_rule(view, habit.operand, cards_held)
        else:
            as_dealer = [_play_alone("dealer", cards) for cards in cards_held]
            wanted = _discard_by_rule(RoundView(house, as_dealer), habit.operand, cards_held)
        for seat, cards in zip(view.seats, wanted, strict=True):
            if rng.happens(habit.chance) and seat in waiting and seat in fits:
                discards.setdefault(seat, cards)
    return {seat: discards.get(seat, []) for seat in view.seats}


def choose_weakest_cards(cards: round_records.Cards, number: int) -> round_records.Cards:
    """Return the weakest cards of a hand, in the order of the hand. Unpaired and low cards are weakest."""
    ranks = [card >> 2 for card in cards]
    least = sorted(range(len(cards)), key=lambda at: (ranks.count(ranks[at]), ranks[at]))[:number]
    return [cards[at] for at in sorted(least)]


def _discard_by_rule(
    view: RoundView, name: str, hands: Sequence[round_records.Cards | None]
) -> list[round_records.Cards]:
    """Return the cards that drawing rules discard from each hand; nothing from hands that are not completely known.

    If the deciding rule permits several ways, the first is taken.
    """
    rule = evaluate_drawing(view.scope, name)
    size, discards = rule.hand.shape[1], list[round_records.Cards]()
    for hand, way in zip(hands, _list_first_ways(rule), strict=True):
        cards = (hand or [])[:size]
        # Bit k of a way is the card of rank k within the hand.
        rank = {at: k for k, at in enumerate(sorted(range(len(cards)), key=cards.__getitem__))}
        discards.append([card for at, card in enumerate(cards) if way is not None and not way >> rank[at] & 1])
    return discards


def _list_first_ways(rule: DrawDecisions) -> list[int | None]:
    """Return the lowest way that the first deciding rule permits for each hand; None for a hand that is not completely
    known, or that no rule decides."""
    permitted = np.zeros(len(rule.is_hand_known), np.uint32)
    for may_decide, keeps in zip(rule.may_decide, rule.permitted_keeps, strict=True):
        permitted = np.where((permitted == 0) & may_decide, keeps, permitted)
    of_hands = np.where(rule.is_hand_known, permitted, 0).tolist()
    return [(ways & -ways).bit_length() - 1 if ways else None for ways in of_hands]


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
    done = house.early_stages if after < 0 else frozenset[int]()
    for number in sorted({*house.game.deal.stages_by_rule} - done) if rounds else ():
        if number <= after:
            continue
        stage = house.game.deal.stages[number]
        for place in stage.cards or {}:
            _deal_stage(house, rounds, number, place, None)
        for place, taking in (stage.takes or {}).items():
            _take_cards(house, rounds, number, place, taking, rng)


def _deal_stage(
    house: SimulatedHouse,
    rounds: list[round_records.SimulatedRound],
    number: int,
    place: Place,
    seats: set[round_records.SimulatedSeat] | None,
) -> None:
    """Deal the cards of a place in a stage by rule, to some seats only unless they are None."""
    stage = house.game.deal.stages[number]
    due = _list_due(RoundView(house, rounds), stage, place)
    if seats is not None:
        hands = {seat.hand for seat in seats}
        due = [(round_, hand) for round_, hand in due if hand in hands]
    for round_ in dict.fromkeys(round_ for round_, _ in due):
        round_.draw_cards(stage.burn or 0)
    for round_, hand in due:
        hand.add_cards(number, round_.draw_cards((stage.cards or {})[place]))


def bring_cards(
    house: SimulatedHouse,
    rounds: list[round_records.SimulatedRound],
    point: int,
    rng: RandomStream,
    seats: set[round_records.SimulatedSeat] | None,
) -> None:
    """Exchange and deal the cards that seats receive just before a decision point, anew if they have some.

    Args:
        house: the house.
        rounds: the rounds.
        point: index of the decision point.
        rng: source of random numbers.
        seats: seats that receive cards; None for all.
    """
    between = house.cards_between_points.get(point)
    if between is None:
        return
    seats = {seat for round_ in rounds for seat in round_.seats} if seats is None else seats
    for seat in seats:
        for number in [number for number in between.stages if number in seat.hand.by_rule]:
            seat.hand.remove_cards(number)
    if between.exchange:
        for seat in seats:
            seat.hand.discarded = seat.hand.drawn = None
        exchange_at_seats(house, rounds, rng, still_in=seats)
    for number in between.stages:
        _deal_stage(house, rounds, number, "player", seats)


def _list_due(
    view: RoundView, stage: Stage, place: Place, taking: Taking | None = None
) -> list[tuple[round_records.SimulatedRound, round_records.SimulatedHand]]:
    """Return the hands of a place that are due cards of a stage, each with its round."""
    conditions = (stage.when, None if taking is None else taking.while_)
    if place == "player":
        seats = view.list_seats_where(*conditions)
        if taking is not None and taking.decisions:  # a split is followed by a card in any case
            seats += [seat for seat in view.list_seats_where(stage.when) if seat.has_one_card_after_split]
        return [(view.round_of[seat], seat.hand) for seat in dict.fromkeys(seats) if seat.hand.cards or seat.split_of]
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
        if taking.decisions:
            _split_hands(house, active)
        view = RoundView(house, active)
        due = _list_due(view, stage, place, taking)
        if taking.decisions:
            asking = {
                seat.hand: seat
                for seat in view.seats
                if (seat.decisions[answered.get(seat, 0) :] and seat.decisions[-1] in taking.decisions)
                or (seat.split_of and not seat.hand.cards)
            }
            due = _choose_next_of_boxes([(round_, hand) for round_, hand in due if hand in asking], asking)
        taken = list[tuple[round_records.SimulatedRound, round_records.SimulatedHand]]()
        for round_, hand in due:
            if len(hand.cards or ()) < MOST_CARDS and (cards := round_.draw_cards(1)):
                hand.add_cards(number, cards)
                taken.append((round_, hand))
        if not taken:
            return
        active = [*dict.fromkeys(round_ for round_, _ in taken)]
        if taking.decisions:
            answered |= {asking[hand]: len(asking[hand].decisions) for _, hand in taken}
            decide_again(house, active, {asking[hand] for _, hand in taken}, taking.decisions[0], rng)


def _split_hands(house: SimulatedHouse, rounds: Sequence[round_records.SimulatedRound]) -> None:
    """Split the hands whose seats have decided so."""
    for round_ in rounds:
        for seat in [*round_.seats]:
            for at in find_splits(house, seat)[len(seat.split_off) :]:
                round_.split_hand(seat, house.game.decisions[seat.decisions[at]].splits or "", house.positions + 1)


def _choose_next_of_boxes(
    due: Iterable[tuple[round_records.SimulatedRound, round_records.SimulatedHand]],
    asking: Mapping[round_records.SimulatedHand, round_records.SimulatedSeat],
) -> list[tuple[round_records.SimulatedRound, round_records.SimulatedHand]]:
    """Return the first hand of every box, in the order of play, among hands that are due a card."""
    round_of = {hand: round_ for round_, hand in due}
    boxes = dict.fromkeys(asking[hand].box for hand in round_of)
    chosen = (next(seat.hand for seat in box.list_hands_of_box() if seat.hand in round_of) for box in boxes)
    return [(round_of[hand], hand) for hand in chosen]


def find_splits(house: SimulatedHouse, seat: round_records.SimulatedSeat) -> list[int]:
    """Return the positions, among the decisions of a seat, of those that split its hand."""
    return [at for at, decision in enumerate(seat.decisions) if house.game.decisions[decision].splits]


def has_cards_to_come(house: SimulatedHouse, step: Act, place: str) -> bool:
    """Return whether a place receives cards by rule in a later step of a round."""
    stages = [house.game.deal.stages[number] for number in house.game.deal.stages_by_rule]
    later = house.acts[house.acts.index(step) + 1 :] if step in house.acts else ()
    return any(
        "deal" in other.events
        and other.place in (None, place)
        and any(place in stage.count_most_cards() and other.stage in (None, stage.stage) for stage in stages)
        for other in later
    )


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


_SETTING_PLACES: tuple[Place, ...] = ("player", "dealer")
"""Places whose cards may be set as several hands."""


def set_hands(house: SimulatedHouse, rounds: list[round_records.SimulatedRound], rng: RandomStream) -> None:
    """Set the hands of every place that sets some: by its rules, or else by those of another place."""
    setting_places = [place for place in _SETTING_PLACES if find_set_hands(house.prepared, place)]
    for place in setting_places:
        holders = [hand for round_ in rounds for hand in round_.list_hands(place)]
        set_by_rule(house, holders)


def set_by_rule(house: SimulatedHouse, holders: Sequence[round_records.SimulatedHand]) -> None:
    """Set hands by the first rules that set cards; hands without the full number of cards are not set."""
    named = [(name, drawing) for name, drawing in house.game.drawing.items() if drawing.sets_cards]
    for name, drawing in named[:1]:
        as_holder = [_play_alone(drawing.place, hand.cards) for hand in holders]
        ways = _list_first_ways(evaluate_drawing(RoundView(house, as_holder).scope, name))
        setting = compile_setting(house.prepared, drawing.place)
        for hand, way in zip(holders, ways, strict=True):
            hand.high = hand.low = None
            if way is not None:
                split_hand(setting, hand, way)


def _play_alone(place: str, cards: round_records.Cards | None) -> round_records.SimulatedRound:
    """Return a round in which only one place has cards."""
    hand = round_records.SimulatedHand(cards=cards)
    if place == "dealer":
        return round_records.SimulatedRound(seats=[], dealer=hand)
    return round_records.SimulatedRound(seats=[round_records.SimulatedSeat(number=1, player=1, hand=hand)])


def split_hand(setting: CompiledSetting, hand: round_records.SimulatedHand, way: int) -> None:
    """Set a hand in one of its ways."""
    cards, places = hand.cards or [], list_splits(setting.size, setting.low.size)[way]
    hand.high = [card for at, card in enumerate(cards) if at not in places]
    hand.low = [cards[at] for at in places]


def list_other_ways(setting: CompiledSetting, hand: round_records.SimulatedHand) -> list[int]:
    """Return the ways to set a hand that give other hands, without a Low Hand above the High Hand."""
    splits = setting.rank_splits(np.array([hand.cards], np.uint8))
    high, low = splits.high[:, 0], splits.low[:, 0]
    is_foul = setting.low.find_leading_place(low, setting.high) > setting.high.find_leading_place(high, setting.low)
    now = list_splits(setting.size, setting.low.size).index(
        tuple(at for at, card in enumerate(hand.cards or ()) if card in (hand.low or ()))
    )
    differs = (high != high[now]) | (low != low[now])
    return [int(way) for way in np.flatnonzero(differs & ~is_foul)]
