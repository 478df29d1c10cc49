"""Faults that are planted while a round is played; the round then continues from them."""

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


def _find_change(breach: Breach) -> int:
    """Return the change of a value; negative if it decreases."""
    by: int = breach.operand.operand
    return by if breach.operand.operator == "more" else -by


def _change_stake(breach: Breach, round_: Round) -> None:
    """Change one seat's stake on a wager."""
    name, how, by = breach.operand.wager, breach.operand.operator, breach.operand.operand
    offer = breach.house.offer(name)
    maximum = None if offer is None else offer.maximum

    def able(seat: Seat) -> bool:
        if how in ("added", "tipped"):
            return not seat.on(name, tip=True) and (how == "tipped" or not seat.on(name))
        return seat.on(name) > (by if how == "less" else 0) and (how != "above-maximum" or maximum is not None)

    seat = breach.one_seat(round_, able)
    changed = {"more": seat.on(name) + by, "less": seat.on(name) - by, "removed": 0}
    seat.put(name, (maximum or 0) + by if how == "above-maximum" else changed.get(how, by), tip=how == "tipped")
    if how == "removed":
        seat.put(name, 0, tip=True)


def _change_decision(breach: Breach, round_: Round) -> None:
    """Change the decision of one seat."""
    decision = None if breach.operand == NO_DECISION else breach.operand
    seat = breach.one_seat(round_, lambda seat: seat.decision != decision)
    take_decision(breach.house, seat, decision, breach.rng)


def _change_payment(breach: Breach, round_: Round) -> None:
    """Overpay or underpay one stake. A losing stake is left, or an unpaid one is taken."""
    over, game = breach.operand == "over", breach.house.game

    def base(seat: Seat, name: str, *, tip: bool) -> int:  # the stake that a payment depends on
        return seat.on(game.bonuses[name].reckoned_on if name in game.bonuses else name, tip=tip)

    payments: list[tuple[str, Stake, int]] = [
        (name, stake, by)
        for seat in round_.seats
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
    else:  # a spent stake cannot be left, only paid more
        stake.paid += by
    if any(name in meter.lines for meter in breach.house.meters):
        close_meters(View(breach.house, [round_]))


def _change_meter(breach: Breach, round_: Round) -> None:
    """Change the reading of a meter."""
    reading, at = round_.meters[breach.operand.name], breach.operand.at
    now = getattr(reading, at) + _find_change(breach)
    if now < 0:
        raise Unfit
    setattr(reading, at, now)


def _give_hands_to_one(breach: Breach, round_: Round) -> None:
    """Give all hands of a round to its first player."""
    if len(round_.seats) < breach.operand:
        raise Unfit
    for seat in round_.seats:
        seat.player = round_.seats[0].player


def _change_stack(breach: Breach, round_: Round) -> None:
    """Change the chips of one seat that has chips left after forced bets."""
    breach.one_seat(round_, lambda seat: seat.staked < seat.chips).stack = breach.operand


def _change_award(breach: Breach, round_: Round) -> None:
    """Give all winnings of one seat to another that was in at the end, or shorten one award."""
    end = round_.end
    if breach.operand.operator == "short":
        less = breach.operand.operand
        award = breach.one_of([award for award in end.awards if award[2] > less and award[0] in breach.seats])
        end.awards[end.awards.index(award)] = (award[0], award[1], award[2] - less)
    else:
        winner = breach.one_seat(round_, lambda seat: seat in end.shows and bool(seat.won))
        loser = breach.one_of([seat for seat in round_.seats if seat in end.shows and not seat.won])
        end.awards = [(loser if seat is winner else seat, pot, amount) for seat, pot, amount in end.awards]
    count_chips(round_)


def _change_rake(breach: Breach, round_: Round) -> None:
    """Change the rake of a round in which one seat alone won the main pot, and its award by the same amount."""
    by, end = _find_change(breach), round_.end
    main = [award for award in end.awards if award[1] == 0]
    if end.rake <= 0 or end.rake + by < 0 or len(main) != 1 or main[0][2] <= by:
        raise Unfit
    end.rake += by
    end.awards[end.awards.index(main[0])] = (main[0][0], 0, main[0][2] - by)
    count_chips(round_)


def _choose_hand(
    breach: Breach, round_: Round, place: Place, able: Callable[[Seat | None, Hand], bool], *, dealt: bool = False
) -> Hand:
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
        for seat, hand in round_.held_at(place)
        if seat is None or (seat in breach.seats and seat.playing)
    ]
    return breach.one_of([hand for seat, hand in every if able(seat, hand)])


def _change_discards(breach: Breach, round_: Round) -> None:
    """Change the number of cards that one hand discards and draws, for a hand that may, or that may not."""
    house, fault = breach.house, breach.operand
    step, staged = house.steps_at.get(("discard", fault.place)), bool(house.game.deal.exchanging)
    draws = staged or ("draw", fault.place) in house.steps_at
    able_to = breach.view.seats_where if fault.place == "player" else breach.view.rounds_where
    may_discard = breach.view.scope.once(
        ("may discard", fault.place), lambda: able_to(step.when) if step is not None else set()
    )

    def able(seat: Seat | None, hand: Hand) -> bool:
        may = bool(seat.exchanges) if staged and seat is not None else (seat or round_) in may_discard
        more_needed = max(fault.cards - len(hand.drawn or ()), 0) if draws else 0
        other = len(hand.aside or ()) != fault.cards and len(hand.cards or ()) >= fault.cards
        return other and may != (fault.unasked is True) and len(round_.deck) - round_.used >= more_needed

    hand = _choose_hand(breach, round_, fault.place, able)
    hand.aside = least_cards(hand.cards or [], fault.cards)
    if draws:
        _set_drawn(round_, hand, fault.cards)


def _draw_more(breach: Breach, round_: Round) -> None:
    """Let one hand draw more cards than it discarded."""
    more, left = breach.operand.more, len(round_.deck) - round_.used
    hand = _choose_hand(breach, round_, breach.operand.place, lambda _, hand: bool(hand.drawn) and left >= more)
    _set_drawn(round_, hand, len(hand.drawn or ()) + more)


def _set_drawn(round_: Round, hand: Hand, number: int) -> None:
    """Set the number of cards that a hand has drawn: the first of those it drew, and further ones."""
    had = (hand.drawn or [])[:number]
    hand.drawn = [*had, *round_.next_cards(number - len(had))]


def _miscount_hand(breach: Breach, round_: Round) -> None:
    """Change the number of cards of one hand.

    Community cards are only removed if nobody bet on them and hands were shown.
    """
    by, end, game = _find_change(breach), round_.ending, breach.house.game
    full, last = game.deal.cards.get("community", 0), 0 if game.betting is None else len(game.betting.rounds) - 1

    def able(seat: Seat | None, hand: Hand) -> bool:
        if seat is not None:
            return len(hand.cards or ()) + by > 0
        shown = end is not None and len(end.shows) > 1
        unseen = round_.stages is not None and (any(act.street == last for act in round_.acts) or not shown)
        return len(hand.cards or ()) == full and full + by > 0 and not (by < 0 and unseen)

    hand = _choose_hand(breach, round_, breach.operand.place, able, dealt=True)
    cards = hand.cards or []
    hand.cards = [*cards, *round_.deck[round_.used : round_.used + by]] if by > 0 else cards[:by]


def _repeat_card(breach: Breach, round_: Round) -> None:
    """Make the first card of the dealer equal to the first card of the first seat.

    The community replaces a dealer without cards; in betting games, the second seat does, because other cards may not
    come.
    """
    first, *others = [seat.hand for seat in round_.seats]
    other_hand = round_.dealer if "dealer" in breach.house.game.deal.cards else round_.community
    if breach.house.game.betting is not None:
        other_hand = others[0] if others else Hand()
    if not other_hand.cards or not first.cards:
        raise Unfit
    other_hand.cards = [first.cards[0], *other_hand.cards[1:]]


PLAY_FAULTS: Mapping[str, Way] = {
    "stake": _change_stake,
    "decision": _change_decision,
    "other-decision": _change_decision,
    "pay": _change_payment,
    "discard": _change_discards,
    "draw": _draw_more,
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
