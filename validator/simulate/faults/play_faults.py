"""Faults made while a round is played: it goes on from them as from anything that happened.

Each function makes one kind of fault in every round that it fits and returns those rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random

from validator.evidence.handlog.event_values import NO_DECISION
from validator.language.terms import Place
from validator.simulate.cards import deal_cards, least_cards
from validator.simulate.faults.breach import Breach
from validator.simulate.faults.planting import Planting
from validator.simulate.poker.showdown import count_chips, divide_again
from validator.simulate.stakes.settlement import close_meters
from validator.simulate.stakes.wagers import take_decision
from validator.simulate.table.house import House
from validator.simulate.table.records import Hand, Round, Seat, Stake
from validator.simulate.table.view import View


def break_play(house: House, planting: Planting, rounds: list[Round], rng: Random) -> set[Round]:
    """Make the fault in every round that it fits; returns those rounds."""
    view, fault = View(house, rounds), planting.fault
    seats = {seat for seat in view.seats_where(fault.where) if seat.playing}
    fits = {view.round_of[seat] for seat in seats}
    breach = Breach(view=view, operand=fault.operand, seats=seats, fits=fits, rng=rng, cases=planting.cases)
    return {*_BREAK[fault.operator](breach)}


def _more(breach: Breach) -> int:
    """By how much more something is; below 0 where it is less."""
    by: int = breach.operand.operand
    return by if breach.operand.operator == "more" else -by


def _stake(breach: Breach) -> Iterable[Round]:
    """One seat's stakes on a wager changed."""
    name, how, by = breach.operand.wager, breach.operand.operator, breach.operand.operand
    offer = breach.house.offer(name)
    maximum = None if offer is None else offer.maximum

    def able(seat: Seat) -> bool:
        if how in ("added", "tipped"):
            return not seat.on(name, tip=True) and (how == "tipped" or not seat.on(name))
        return seat.on(name) > (by if how == "less" else 0) and (how != "above-maximum" or maximum is not None)

    for one, seat in breach.one_seat(able):
        changed = {"more": seat.on(name) + by, "less": seat.on(name) - by, "removed": 0}
        seat.put(name, (maximum or 0) + by if how == "above-maximum" else changed.get(how, by), tip=how == "tipped")
        if how == "removed":
            seat.put(name, 0, tip=True)
        yield one


def _decision(breach: Breach) -> Iterable[Round]:
    """One seat decides otherwise than it did."""
    decision = None if breach.operand == NO_DECISION else breach.operand
    for one, seat in breach.one_seat(lambda seat: seat.decision != decision):
        take_decision(breach.house, seat, decision, breach.rng)
        yield one


def _payment(breach: Breach) -> Iterable[Round]:
    """One stake is paid too much, or, where it should be taken, left; or it is not paid, or, where nothing is
    due, taken."""
    over, game = breach.operand == "over", breach.house.game

    def base(seat: Seat, name: str, *, tip: bool) -> int:  # what a payment on a stake goes by
        return seat.on(game.bonuses[name].reckoned_on if name in game.bonuses else name, tip=tip)

    def payments(one: Round) -> list[tuple[str, Stake, int]]:
        return [
            (name, stake, by)
            for seat in one.seats
            if seat in breach.seats
            for (name, tip), stake in seat.stakes.items()
            if stake.case in breach.cases
            and (by := base(seat, name, tip=tip))
            and (over or stake.paid or (not stake.taken and name not in game.bonuses))
        ]

    found = breach.one_of(payments)
    for _, (name, stake, by) in found:
        wager = game.wagers.get(name)
        spent = wager is not None and wager.stake == "spent" and stake.paid > 0
        if not over:
            stake.taken, stake.paid = stake.taken if stake.paid else by, 0
        elif stake.taken and not spent:
            stake.taken = 0
        else:  # what was spent is gone: only more can be paid
            stake.paid += by
    close_meters(View(breach.house, breach.view.rounds))
    return [one for one, _ in found]


def _meter(breach: Breach) -> Iterable[Round]:
    """A meter that reads otherwise than it should."""
    name, at = breach.operand.name, breach.operand.at
    for one in breach.rounds:
        reading = getattr(one.meters[name], at) + _more(breach)
        if reading >= 0:
            setattr(one.meters[name], at, reading)
            yield one


def _hands_of_one(breach: Breach) -> Iterable[Round]:
    """All hands of a round are its first player's."""
    for one in breach.rounds:
        if len(one.seats) >= breach.operand:
            for seat in one.seats:
                seat.player = one.seats[0].player
            yield one


def _stack(breach: Breach) -> Iterable[Round]:
    """One of the seats that have chips left after what was forced has so many."""
    for one, seat in breach.one_seat(lambda seat: seat.staked < seat.chips):
        seat.stack = breach.operand
        yield one


def _seats(breach: Breach) -> Iterable[Round]:
    """As many hands as they sat down for."""
    return breach.rounds


def _award(breach: Breach) -> Iterable[Round]:
    """All that one seat won goes to another that was in at the end, or one award is short."""
    if breach.operand.operator == "short":
        less = breach.operand.operand
        awards = breach.one_of(lambda one: [one for one in one.end.awards if one[2] > less and one[0] in breach.seats])
        for one, award in awards:
            at = one.end.awards.index(award)
            one.end.awards[at] = (award[0], award[1], award[2] - less)
            count_chips(one)
            yield one
        return
    for one in breach.rounds:
        won = [seat for seat in one.seats if seat in one.end.shows and seat.won and seat in breach.seats]
        lost = [seat for seat in one.seats if seat in one.end.shows and not seat.won]
        if won and lost:
            winner, loser = breach.rng.choice(won), breach.rng.choice(lost)
            one.end.awards = [(loser if seat is winner else seat, pot, amount) for seat, pot, amount in one.end.awards]
            count_chips(one)
            yield one


def _rake(breach: Breach) -> Iterable[Round]:
    """Another rake, as far as there is one and it leaves something of the pots."""
    by = _more(breach)
    chosen = [
        one
        for one in breach.rounds
        if (rake := one.end.rake) > 0 and rake + by >= 0 and sum(seat.won or 0 for seat in one.seats) > by
    ]
    rounds = [*breach.view.rounds]
    divide_again(breach.house, rounds, [one.end.rake + (by if one in chosen else 0) for one in rounds], breach.rng)
    return chosen


def _hands(
    breach: Breach, place: Place, able: Callable[[Round, Seat | None, Hand], bool], *, dealt: bool = False
) -> list[tuple[Round, Hand]]:
    """One hand of a place that is able, of every round that has one; of a seat that fits for `player`, and there the
    cards of its last exchange between betting rounds, but for those that it was `dealt`."""

    def hands(one: Round) -> list[Hand]:
        every: list[tuple[Seat | None, Hand]] = [(None, hand) for hand in one.hands_at(place)]
        if place == "player":
            every = [(seat, seat.hand if dealt else seat.last_hand) for seat in one.seats if seat in breach.seats]
        return [hand for seat, hand in every if able(one, seat, hand)]

    return breach.one_of(hands)


def _discard(breach: Breach) -> Iterable[Round]:
    """One hand of a place puts aside another number of cards, and draws as many, where cards are drawn; it is one that
    may, or that may not."""
    house, fault, view = breach.house, breach.operand, breach.view
    step, staged = house.step_at("discard", fault.place), bool(house.game.deal.exchanging)
    may_seats = view.seats_where(step.when) if step is not None and fault.place == "player" else set()
    may_rounds = view.rounds_where(step.when) if step is not None and fault.place != "player" else set()
    draws = staged or house.step_at("draw", fault.place) is not None

    def able(one: Round, seat: Seat | None, hand: Hand) -> bool:
        may = one in may_rounds if seat is None else bool(seat.exchanges) if staged else seat in may_seats
        more = max(fault.cards - len(hand.drawn or ()), 0) if draws else 0
        other = len(hand.aside or ()) != fault.cards and len(hand.cards or ()) >= fault.cards
        return other and may != (fault.unasked is True) and len(one.deck) - one.used >= more

    for one, hand in _hands(breach, fault.place, able):
        hand.aside = least_cards(hand.cards or [], fault.cards)
        if draws:
            _draw_as_many(one, hand, fault.cards)
        yield one


def _draw(breach: Breach) -> Iterable[Round]:
    """One hand of a place draws more cards than it put aside."""
    more = breach.operand.more

    def able(one: Round, seat: Seat | None, hand: Hand) -> bool:
        return bool(hand.drawn) and len(one.deck) - one.used >= more

    for one, hand in _hands(breach, breach.operand.place, able):
        _draw_as_many(one, hand, len(hand.drawn or ()) + more)
        yield one


def _draw_as_many(one: Round, hand: Hand, number: int) -> None:
    """A hand has drawn so many cards: the first of those it drew, and further ones."""
    had = (hand.drawn or [])[:number]
    hand.drawn = [*had, *one.next_cards(number - len(had))]


def _miscount(breach: Breach) -> Iterable[Round]:
    """One hand has another number of cards. Community cards are missing only where nobody bet on them and hands were
    shown."""
    by, full = _more(breach), breach.house.game.deal.cards.get("community", 0)
    last = max((act.street for one in breach.view.rounds for act in one.acts), default=0)

    def able(one: Round, seat: Seat | None, hand: Hand) -> bool:
        if seat is not None:
            return len(hand.cards or ()) + by > 0
        shown = one.ending is not None and len(one.ending.shows) > 1
        unseen = one.stages is not None and (any(act.street == last for act in one.acts) or not shown)
        return len(hand.cards or ()) == full and full + by > 0 and not (by < 0 and unseen)

    for one, hand in _hands(breach, breach.operand.place, able, dealt=True):
        cards = hand.cards or []
        hand.cards = [*cards, *one.deck[one.used : one.used + by]] if by > 0 else cards[:by]
        yield one


def _dealt(breach: Breach) -> Iterable[Round]:
    """Cards dealt in a way that the house has not chosen, where the game has any."""
    chosen = breach.rounds if breach.house.other_ways else []
    deal_cards(breach.house, chosen, breach.rng, breach.house.other_ways)
    return chosen


def _card(breach: Breach) -> Iterable[Round]:
    """The first card of the dealer, or of the community where the dealer has none, is the first card of the first
    seat; that of the second seat where it is not certain that any other cards will come."""
    deals_to = breach.house.game.deal.cards
    for one in breach.rounds:
        first, *others = [seat.hand for seat in one.seats]
        theirs = one.dealer if "dealer" in deals_to else one.community
        if breach.house.game.betting is not None:
            theirs = others[0] if others else Hand()
        if theirs.cards and first.cards:
            theirs.cards = [first.cards[0], *theirs.cards[1:]]
            yield one


_BREAK: Mapping[str, Callable[[Breach], Iterable[Round]]] = {
    "stake": _stake,
    "decision": _decision,
    "other-decision": _decision,
    "pay": _payment,
    "discard": _discard,
    "draw": _draw,
    "miscount": _miscount,
    "meter": _meter,
    "hands-of-one": _hands_of_one,
    "stack": _stack,
    "seats": _seats,
    "dealt": _dealt,
    "card": _card,
    "award": _award,
    "rake": _rake,
}
"""What makes a fault, by its operator."""
