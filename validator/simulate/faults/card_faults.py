"""Faults in the cards: which are dealt, and how many are dealt, put aside and drawn."""

from __future__ import annotations

from collections.abc import Iterable

from validator.simulate.deal.exchange import least_cards
from validator.simulate.deal.shuffle import deal_otherwise
from validator.simulate.faults.breach import PlayBreach
from validator.simulate.table.records import Hand, Round, Seat
from validator.simulate.table.view import View


def discard(breach: PlayBreach) -> Iterable[Round]:
    """One hand of a place puts aside another number of cards, and draws as many, where cards are drawn; it is one that
    may, or that may not."""
    house, fault, view = breach.house, breach.operand, View(breach.house, breach.rounds)
    step, staged = house.step_at("discard", fault.place), bool(house.game.deal.exchanging)
    may_seats = view.seats_where(step.when) if step is not None and fault.place == "player" else set()
    may_rounds = view.rounds_where(step.when) if step is not None and fault.place != "player" else set()
    draws = staged or house.step_at("draw", fault.place) is not None

    def able(one: Round, seat: Seat | None, hand: Hand) -> bool:
        may = one in may_rounds if seat is None else bool(seat.exchanges) if staged else seat in may_seats
        more = max(fault.cards - len(hand.drawn or ()), 0) if draws else 0
        other = len(hand.aside or ()) != fault.cards and len(hand.cards or ()) >= fault.cards
        return other and may != (fault.unasked is True) and len(one.deck) - one.used >= more

    for one, hand in breach.one_hand(fault.place, able):
        hand.aside = least_cards(hand.cards or [], fault.cards)
        if draws:
            _draw(one, hand, fault.cards)
        yield one


def draw(breach: PlayBreach) -> Iterable[Round]:
    """One hand of a place draws more cards than it put aside."""
    more = breach.operand.more

    def able(one: Round, seat: Seat | None, hand: Hand) -> bool:
        return bool(hand.drawn) and len(one.deck) - one.used >= more

    for one, hand in breach.one_hand(breach.operand.place, able):
        _draw(one, hand, len(hand.drawn or ()) + more)
        yield one


def _draw(one: Round, hand: Hand, number: int) -> None:
    """A hand has drawn so many cards: the first of those it drew, and further ones."""
    had = (hand.drawn or [])[:number]
    hand.drawn = [*had, *one.next_cards(number - len(had))]


def miscount(breach: PlayBreach) -> Iterable[Round]:
    """One hand has another number of cards. Community cards are missing only where nobody bet on them and hands were
    shown."""
    fault = breach.operand
    by = fault.operand if fault.operator == "more" else -fault.operand
    full = breach.house.game.deal.cards.get("community", 0)
    last = max((act.street for one in breach.rounds for act in one.acts), default=0)

    def able(one: Round, seat: Seat | None, hand: Hand) -> bool:
        if seat is not None:
            return len(hand.cards or ()) + by > 0
        shown = one.ending is not None and len(one.ending.shows) > 1
        unseen = one.stages is not None and (any(act.street == last for act in one.acts) or not shown)
        return len(hand.cards or ()) == full and full + by > 0 and not (by < 0 and unseen)

    for one, hand in breach.one_hand(fault.place, able, lambda seat: seat.hand):
        cards = hand.cards or []
        hand.cards = [*cards, *one.deck[one.used : one.used + by]] if by > 0 else cards[:by]
        yield one


def deal_in_another_way(breach: PlayBreach) -> Iterable[Round]:
    """Cards dealt in a way that the house has not chosen, where the game has any."""
    chosen = breach.fitting if breach.house.other_ways else []
    deal_otherwise(breach.house, chosen, breach.rng)
    return chosen


def repeat_card(breach: PlayBreach) -> Iterable[Round]:
    """The first card of the dealer, or of the community where the dealer has none, is the first card of the first
    seat; that of the second seat where it is not certain that any other cards will come."""
    deals_to = breach.house.game.deal.cards
    for one in breach.fitting:
        first, *others = [seat.hand for seat in one.seats]
        theirs = one.dealer if "dealer" in deals_to else one.community
        if breach.house.game.betting is not None:
            if not others:
                continue
            theirs = others[0]
        if theirs.cards and first.cards:
            theirs.cards = [first.cards[0], *theirs.cards[1:]]
            yield one
