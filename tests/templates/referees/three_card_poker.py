"""Referee of Three Card Poker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.lawful.record import join_cards
from tests.templates.referees.core import Key, Result, Round, Violations, lose, pick, take_push, win
from tests.templates.referees.poker import (
    THREE,
    PokerTable,
    add_card,
    add_conduct,
    decide_out_of_turn,
    drop_card,
    find_row,
    rank_three,
    unused_card,
)

BONUS = {"straight-flush": 5, "three-of-a-kind": 4, "straight": 1}
PAIR_PLUS = {"straight-flush": 40, "three-of-a-kind": 30, "straight": 6, "flush": 4, "pair": 1}


def qualifies(dealer: list[str]) -> bool:
    """Return whether the dealer has a queen high or better (17)."""
    category, values = rank_three(dealer)
    return category > 0 or values[0] >= 12


OPTIONS = {"dealing": ["one-at-a-time", "packets"]}
LIMITS = {"ante": (1_000, 50_000), "pair-plus": (500, 20_000)}


class ThreeCardPoker(PokerTable):
    """Ante, Play and Pair Plus against the dealer."""

    game = "three-card-poker"
    bonuses = ("ante-bonus",)
    opening = ("ante",)
    optional = ("pair-plus",)
    options = OPTIONS
    limits = LIMITS

    def needs_device(self, house: Mapping[str, Any]) -> bool:
        """Return whether cards come from a device that dispenses them (12)(b), (31)."""
        return bool(house["dealing"] == "packets")

    def results(self, round_: Round) -> dict[Key, Result]:
        dealer = round_.cards("dealer")
        found: dict[Key, Result] = {}
        for key, stake in round_.stakes().items():
            seat, wager, _ = key
            mine, theirs = rank_three(round_.cards("player", seat)), rank_three(dealer)
            if wager == "pair-plus":
                odds = find_row(PAIR_PLUS, THREE, mine)
                found[key] = win(stake.amount, odds) if odds else lose(stake.amount)
            elif not qualifies(dealer):
                found[key] = win(stake.amount, 1) if wager == "ante" else Result()
            elif mine == theirs:
                found[key] = Result()
            else:
                found[key] = win(stake.amount, 1) if mine > theirs else lose(stake.amount)
            odds = find_row(BONUS, THREE, mine)
            if wager == "ante" and odds:
                found[seat, "ante-bonus", ()] = win(stake.amount, odds)
        return found

    def play(self, round_: Round, table: dict[str, Any]) -> None:
        rng = round_.rng
        deck = self.open_round(round_)
        for seat in list(round_.players):  # some play Pair Plus alone
            wagers = {key[1] for key in round_.stakes() if key[0] == seat}
            if len(wagers) == 2 and rng.random() < 0.15:
                round_.events = [
                    event for event in round_.events if (event.get("seat"), event.get("wager")) != (seat, "ante")
                ]
        owners = [*(("player", seat) for seat in round_.players), ("dealer", None)]
        self.deal_hands(round_, deck, owners, 3, single=round_.house["dealing"] == "one-at-a-time")
        spoilt = self.spoil(round_, owners)
        if spoilt == ("dealer", None):
            self.void_round(round_)
            return
        if spoilt:
            self.void_seat(round_, spoilt[1] or 0)
        for seat in self.in_play(round_):
            ante = round_.stakes().get((seat, "ante", ()))
            if ante is None:
                continue
            hand = rank_three(round_.cards("player", seat))
            if (hand >= (0, (12, 6, 4))) != round_.chance(0.1):
                round_.add("decide", seat=seat, decision="play")
                round_.events += round_.place(seat, "play", ante.amount, is_final=True)
            else:
                self.fold(round_, seat)
        if self.in_play(round_):
            round_.add("reveal", place="dealer", cards=join_cards(round_.cards("dealer")))
            self.finish(round_)


REFEREE = ThreeCardPoker()
REFEREE.violations = VIOLATIONS = Violations()
VIOLATIONS.add_payments({"ante": "(20)", "play": "(20)", "pair-plus": "(22)"})
add_conduct(
    VIOLATIONS,
    {
        **{"shuffle": "(9)", "call": "(10)", "late": "(6)", "deal": "(11)", "deck": "(1)", "settle": "(18)"},
        **{"limits": "(7)"},
    },
    "pair-plus",
)
VIOLATIONS.put("decisions-out-of-turn", "(14)", decide_out_of_turn)
VIOLATIONS.put("dealer-has-a-card-too-few", "(25)", lambda round_: drop_card(round_, "dealer", None))
VIOLATIONS.put(
    "dealer-has-a-card-too-many", "(25)", lambda round_: add_card(round_, "dealer", None, unused_card(round_))
)
VIOLATIONS.put("equal-hands-lose", "(20)(c)", lambda round_: take_push(round_, "ante"))


@VIOLATIONS.breaks("(5)")
def play_differs_from_the_ante(round_: Round) -> bool:
    event = pick(round_, "wager", wager="play")
    if event is None:
        return False
    for other in (*round_.all("pay"), *round_.all("collect"), *round_.all("return"), *round_.all("wager")):
        if (other["seat"], other["wager"]) == (event["seat"], "play"):
            other["amount"] *= 2
    return True


@VIOLATIONS.breaks("(14)(a)")
def plays_without_a_play_wager(round_: Round) -> bool:
    event = pick(round_, "wager", wager="play")
    if event is None:
        return False
    for kind in ("wager", "pay", "collect", "return"):
        round_.remove(*round_.all(kind, seat=event["seat"], wager="play"))
    return True


@VIOLATIONS.breaks("(19)")
def play_is_paid_though_the_dealer_does_not_qualify(round_: Round) -> bool:
    event = pick(round_, "return", wager="play")
    if event is None or qualifies(round_.cards("dealer")):
        return False
    event["event"] = "pay"
    return True


@VIOLATIONS.breaks("(19)")
def ante_pushes_though_the_dealer_does_not_qualify(round_: Round) -> bool:
    event = pick(round_, "pay", wager="ante")
    if event is None or qualifies(round_.cards("dealer")):
        return False
    event["event"] = "return"
    return True


@VIOLATIONS.breaks("(21)")
def bonus_is_not_paid(round_: Round) -> bool:
    event = pick(round_, "pay", wager="ante-bonus")
    if event is None:
        return False
    round_.remove(event)
    return True


@VIOLATIONS.breaks("(21)")
def bonus_is_too_high(round_: Round) -> bool:
    event = pick(round_, "pay", wager="ante-bonus")
    if event is None:
        return False
    event["amount"] *= 2
    return True


@VIOLATIONS.breaks("(21)")
def bonus_is_paid_for_a_flush(round_: Round) -> bool:
    for seat in round_.facts.get("out", set()) ^ set(round_.players):
        paid = round_.all("pay", seat=seat, wager="ante")
        if paid and THREE[rank_three(round_.cards("player", seat))[0]] == "flush":
            round_.events.insert(round_.place_of(paid[0]) + 1, paid[0] | {"wager": "ante-bonus"})
            return True
    return False


@VIOLATIONS.breaks("(14)(b)")
def pair_plus_of_a_folder_is_kept(round_: Round) -> bool:
    folded = {event["seat"] for event in round_.all("decide", decision="fold")}
    for event in round_.all("collect", wager="pair-plus"):
        if event["seat"] in folded:
            event["event"] = "return"
            return True
    return False


@VIOLATIONS.breaks("(17)")
def dealer_reveals_before_the_last_decision(round_: Round) -> bool:
    reveals, decided = round_.all("reveal", place="dealer"), round_.all("decide")
    if not reveals or not decided:
        return False
    round_.move(reveals[0], round_.place_of(decided[-1]))
    return True


@VIOLATIONS.breaks("(18)")
def settled_before_the_dealer_reveals(round_: Round) -> bool:
    reveals, paid = round_.all("reveal", place="dealer"), round_.all("pay")
    if not reveals or not paid:
        return False
    round_.move(paid[0], round_.place_of(reveals[0]))
    return True


@VIOLATIONS.breaks("(14)")
def no_decision(round_: Round) -> bool:
    event = pick(round_, "decide", decision="play")
    if event is None:
        return False
    round_.remove(event)
    for kind in ("wager", "pay", "collect", "return"):
        round_.remove(*round_.all(kind, seat=event["seat"], wager="play"))
    return True
