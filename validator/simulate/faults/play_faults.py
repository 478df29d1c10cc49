"""Faults made while a round is played: it goes on from them as from anything that happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from validator.evidence.handlog.event_values import NO_DECISION
from validator.language.terms import Place
from validator.simulate.cards import least_cards
from validator.simulate.faults.planting import Breach, Unfit, Way
from validator.simulate.poker.showdown import count_chips
from validator.simulate.stakes.settlement import close_meters
from validator.simulate.stakes.wagers import take_decision
from validator.simulate.table.records import Hand, Round, Seat, Stake
from validator.simulate.table.view import View


def _more(breach: Breach) -> int:
    """By how much more something is; below 0 where it is less."""
    by: int = breach.operand.operand
    return by if breach.operand.operator == "more" else -by


def _stake(breach: Breach, one: Round) -> None:
    """One seat's stakes on a wager changed."""
    name, how, by = breach.operand.wager, breach.operand.operator, breach.operand.operand
    offer = breach.house.offer(name)
    maximum = None if offer is None else offer.maximum

    def able(seat: Seat) -> bool:
        if how in ("added", "tipped"):
            return not seat.on(name, tip=True) and (how == "tipped" or not seat.on(name))
        return seat.on(name) > (by if how == "less" else 0) and (how != "above-maximum" or maximum is not None)

    seat = breach.one_seat(one, able)
    changed = {"more": seat.on(name) + by, "less": seat.on(name) - by, "removed": 0}
    seat.put(name, (maximum or 0) + by if how == "above-maximum" else changed.get(how, by), tip=how == "tipped")
    if how == "removed":
        seat.put(name, 0, tip=True)


def _decision(breach: Breach, one: Round) -> None:
    """One seat decides otherwise than it did."""
    decision = None if breach.operand == NO_DECISION else breach.operand
    seat = breach.one_seat(one, lambda seat: seat.decision != decision)
    take_decision(breach.house, seat, decision, breach.rng)


def _payment(breach: Breach, one: Round) -> None:
    """One stake is paid too much, or, where it should be taken, left; or it is not paid, or, where nothing is
    due, taken."""
    over, game = breach.operand == "over", breach.house.game

    def base(seat: Seat, name: str, *, tip: bool) -> int:  # what a payment on a stake goes by
        return seat.on(game.bonuses[name].reckoned_on if name in game.bonuses else name, tip=tip)

    payments: list[tuple[str, Stake, int]] = [
        (name, stake, by)
        for seat in one.seats
        if seat in breach.seats
        for (name, tip), stake in seat.stakes.items()
        if stake.case in breach.cases
        and (by := base(seat, name, tip=tip))
        and (over or stake.paid or (not stake.taken and name not in game.bonuses))
    ]
    name, stake, by = breach.one_of(payments)
    wager = game.wagers.get(name)
    spent = wager is not None and wager.stake == "spent" and stake.paid > 0
    if not over:
        stake.taken, stake.paid = stake.taken if stake.paid else by, 0
    elif stake.taken and not spent:
        stake.taken = 0
    else:  # what was spent is gone: only more can be paid
        stake.paid += by
    if any(name in meter.lines for meter in breach.house.meters):
        close_meters(View(breach.house, [one]))


def _meter(breach: Breach, one: Round) -> None:
    """A meter that reads otherwise than it should."""
    reading, at = one.meters[breach.operand.name], breach.operand.at
    now = getattr(reading, at) + _more(breach)
    if now < 0:
        raise Unfit
    setattr(reading, at, now)


def _hands_of_one(breach: Breach, one: Round) -> None:
    """All hands of a round are its first player's."""
    if len(one.seats) < breach.operand:
        raise Unfit
    for seat in one.seats:
        seat.player = one.seats[0].player


def _stack(breach: Breach, one: Round) -> None:
    """One of the seats that have chips left after what was forced has so many."""
    breach.one_seat(one, lambda seat: seat.staked < seat.chips).stack = breach.operand


def _award(breach: Breach, one: Round) -> None:
    """All that one seat won goes to another that was in at the end, or one award is short."""
    end = one.end
    if breach.operand.operator == "short":
        less = breach.operand.operand
        award = breach.one_of([award for award in end.awards if award[2] > less and award[0] in breach.seats])
        end.awards[end.awards.index(award)] = (award[0], award[1], award[2] - less)
    else:
        winner = breach.one_seat(one, lambda seat: seat in end.shows and bool(seat.won))
        loser = breach.one_of([seat for seat in one.seats if seat in end.shows and not seat.won])
        end.awards = [(loser if seat is winner else seat, pot, amount) for seat, pot, amount in end.awards]
    count_chips(one)


def _rake(breach: Breach, one: Round) -> None:
    """Another rake, as far as there is one and one seat alone won the main pot, which is then less by that."""
    by, end = _more(breach), one.end
    main = [award for award in end.awards if award[1] == 0]
    if end.rake <= 0 or end.rake + by < 0 or len(main) != 1 or main[0][2] <= by:
        raise Unfit
    end.rake += by
    end.awards[end.awards.index(main[0])] = (main[0][0], 0, main[0][2] - by)
    count_chips(one)


def _hand(
    breach: Breach, one: Round, place: Place, able: Callable[[Seat | None, Hand], bool], *, dealt: bool = False
) -> Hand:
    """One hand of a place of a round that is able; of a seat that fits for `player`, and there the cards of its last
    exchange between betting rounds, but for those that it was `dealt`. Raises Unfit without one."""
    every = [
        (seat, hand if seat is None or dealt else seat.last_hand)
        for seat, hand in one.held_at(place)
        if seat is None or (seat in breach.seats and seat.playing)
    ]
    return breach.one_of([hand for seat, hand in every if able(seat, hand)])


def _discard(breach: Breach, one: Round) -> None:
    """One hand of a place puts aside another number of cards, and draws as many, where cards are drawn; it is one that
    may, or that may not."""
    house, fault = breach.house, breach.operand
    step, staged = house.steps_at.get(("discard", fault.place)), bool(house.game.deal.exchanging)
    draws = staged or ("draw", fault.place) in house.steps_at
    able_to = breach.view.seats_where if fault.place == "player" else breach.view.rounds_where
    may_discard = breach.view.scope.once(
        ("may discard", fault.place), lambda: able_to(step.when) if step is not None else set()
    )

    def able(seat: Seat | None, hand: Hand) -> bool:
        may = bool(seat.exchanges) if staged and seat is not None else (seat or one) in may_discard
        more = max(fault.cards - len(hand.drawn or ()), 0) if draws else 0
        other = len(hand.aside or ()) != fault.cards and len(hand.cards or ()) >= fault.cards
        return other and may != (fault.unasked is True) and len(one.deck) - one.used >= more

    hand = _hand(breach, one, fault.place, able)
    hand.aside = least_cards(hand.cards or [], fault.cards)
    if draws:
        _draw_as_many(one, hand, fault.cards)


def _draw(breach: Breach, one: Round) -> None:
    """One hand of a place draws more cards than it put aside."""
    more, left = breach.operand.more, len(one.deck) - one.used
    hand = _hand(breach, one, breach.operand.place, lambda _, hand: bool(hand.drawn) and left >= more)
    _draw_as_many(one, hand, len(hand.drawn or ()) + more)


def _draw_as_many(one: Round, hand: Hand, number: int) -> None:
    """A hand has drawn so many cards: the first of those it drew, and further ones."""
    had = (hand.drawn or [])[:number]
    hand.drawn = [*had, *one.next_cards(number - len(had))]


def _miscount(breach: Breach, one: Round) -> None:
    """One hand has another number of cards. Community cards are missing only where nobody bet on them and hands were
    shown."""
    by, end, game = _more(breach), one.ending, breach.house.game
    full, last = game.deal.cards.get("community", 0), 0 if game.betting is None else len(game.betting.rounds) - 1

    def able(seat: Seat | None, hand: Hand) -> bool:
        if seat is not None:
            return len(hand.cards or ()) + by > 0
        shown = end is not None and len(end.shows) > 1
        unseen = one.stages is not None and (any(act.street == last for act in one.acts) or not shown)
        return len(hand.cards or ()) == full and full + by > 0 and not (by < 0 and unseen)

    hand = _hand(breach, one, breach.operand.place, able, dealt=True)
    cards = hand.cards or []
    hand.cards = [*cards, *one.deck[one.used : one.used + by]] if by > 0 else cards[:by]


def _card(breach: Breach, one: Round) -> None:
    """The first card of the dealer, or of the community where the dealer has none, is the first card of the first
    seat; that of the second seat where it is not certain that any other cards will come."""
    first, *others = [seat.hand for seat in one.seats]
    theirs = one.dealer if "dealer" in breach.house.game.deal.cards else one.community
    if breach.house.game.betting is not None:
        theirs = others[0] if others else Hand()
    if not theirs.cards or not first.cards:
        raise Unfit
    theirs.cards = [first.cards[0], *theirs.cards[1:]]


PLAY_FAULTS: Mapping[str, Way] = {
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
    # Where as many hands sit down, and cards are dealt otherwise, nothing more is to be done; an act goes wrong later.
    **dict.fromkeys(("seats", "dealt", "act"), lambda *_: None),
    "card": _card,
    "award": _award,
    "rake": _rake,
}
"""What makes a fault in rounds that are being played, by its operator."""
