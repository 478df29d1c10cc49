"""Faults in the number of cards: dealt, put aside, drawn."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from validator.language.terms import Place
from validator.rules.model.faults import DiscardFault, DrawFault, MiscountFault
from validator.simulate.deal.exchange import least_cards
from validator.simulate.table.course import step_at
from validator.simulate.table.house import House
from validator.simulate.table.records import Hand, Round, Seat
from validator.simulate.table.view import View


def break_discard(house: House, fault: DiscardFault, rounds: list[Round], fits: set[Seat], rng: Random) -> list[Round]:
    """The rounds in which one hand of a place puts aside another number of cards, and draws as many, where cards are
    drawn; it is one that may, or that may not."""
    view, step = View(house, rounds), step_at(house.game, "discard", fault.place)
    may_seats = view.seats_where(step.when) if step is not None and fault.place == "player" else set()
    may_rounds = view.rounds_where(step.when) if step is not None and fault.place != "player" else set()
    draws = bool(house.game.deal.exchanging) or step_at(house.game, "draw", fault.place) is not None

    def able(one: Round, seat: Seat | None, hand: Hand) -> bool:
        staged = fault.place == "player" and bool(house.game.deal.exchanging)
        may = one in may_rounds if seat is None else bool(seat.exchanges) if staged else seat in may_seats
        more = max(fault.cards - len(hand.drawn or ()), 0) if draws else 0
        other = len(hand.aside or ()) != fault.cards and len(hand.cards or ()) >= fault.cards
        return other and may != (fault.unasked is True) and len(one.deck) - one.used >= more

    chosen = _one_hand(fault.place, rounds, fits, able, rng)
    for one, hand in chosen:
        hand.aside = least_cards(hand.cards or [], fault.cards)
        if draws:
            _draw(one, hand, fault.cards)
    return [one for one, _ in chosen]


def break_draw(fault: DrawFault, rounds: list[Round], fits: set[Seat], rng: Random) -> list[Round]:
    """The rounds in which one hand of a place draws more cards than it put aside."""

    def able(one: Round, seat: Seat | None, hand: Hand) -> bool:
        return bool(hand.drawn) and len(one.deck) - one.used >= fault.more

    chosen = _one_hand(fault.place, rounds, fits, able, rng)
    for one, hand in chosen:
        _draw(one, hand, len(hand.drawn or ()) + fault.more)
    return [one for one, _ in chosen]


def miscount(house: House, fault: MiscountFault, rounds: list[Round], fits: set[Seat], rng: Random) -> list[Round]:
    """The rounds with one hand that has another number of cards. Community cards are missing only where nobody bet on
    them and hands were shown."""
    by = fault.operand if fault.operator == "more" else -fault.operand
    full = house.game.deal.cards.get("community", 0)
    last = max((act.street for one in rounds for act in one.acts), default=0)

    def able(one: Round, seat: Seat | None, hand: Hand) -> bool:
        if seat is not None:
            return len(hand.cards or ()) + by > 0
        unseen = one.stages is not None and (any(act.street == last for act in one.acts) or not _shows(one))
        return len(hand.cards or ()) == full and full + by > 0 and not (by < 0 and unseen)

    chosen = _one_hand(fault.place, rounds, fits, able, rng, lambda seat: seat.hand)
    for one, hand in chosen:
        hand.cards = [*(hand.cards or []), *one.deck[one.used : one.used + by]] if by > 0 else (hand.cards or [])[:by]
    return [one for one, _ in chosen]


def _shows(one: Round) -> bool:
    return one.ending is not None and len(one.ending.shows) > 1


def _draw(one: Round, hand: Hand, number: int) -> None:
    """A hand has drawn so many cards: the first of those it drew, and further ones."""
    had = (hand.drawn or [])[:number]
    hand.drawn = [*had, *one.next_cards(number - len(had))]


def _last(seat: Seat) -> Hand:
    return seat.exchanges[max(seat.exchanges)] if seat.exchanges else seat.hand


def _one_hand(
    place: Place,
    rounds: list[Round],
    fits: set[Seat],
    able: Callable[[Round, Seat | None, Hand], bool],
    rng: Random,
    hand_of: Callable[[Seat], Hand] = _last,
) -> list[tuple[Round, Hand]]:
    """One hand of a place in every round that has one that fits and is able: of a seat that exchanged cards between
    betting rounds the last exchange."""
    found = []
    for one in rounds:
        if place == "player":
            seats = [(seat, hand_of(seat)) for seat in one.seats if seat in fits]
            hands = [hand for seat, hand in seats if able(one, seat, hand)]
        else:
            hands = [hand for hand in one.hands_at(place) if able(one, None, hand) and not fits.isdisjoint(one.seats)]
        if hands:
            found.append((one, rng.choice(hands)))
    return found
