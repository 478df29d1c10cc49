"""Referee of Ultimate Texas Hold'em."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.lawful.record import join_cards
from tests.templates.referees.core import Key, Result, Round, Violations, lose, pick, take_push, win
from tests.templates.referees.poker import (
    FIVE,
    PokerTable,
    add_card,
    add_conduct,
    decide_out_of_turn,
    drop_card,
    find_row,
    rank_best,
    unused_card,
    value_of,
)

BLIND = {
    **{"royal-flush": 500, "straight-flush": 50, "four-of-a-kind": 10, "full-house": 3, "flush": Fraction(3, 2)},
    **{"straight": 1},
}
TRIPS = {
    **{"royal-flush": 50, "straight-flush": 40, "four-of-a-kind": 30, "full-house": 8, "flush": 6, "straight": 5},
    **{"three-of-a-kind": 3},
}
STAGES = ((0, (3, 4)), (3, (2,)), (5, (1,)))
"""Community cards that are open at each decision, and the multiples of the Ante that may be played."""


OPTIONS = {"dealing": ["one-at-a-time", "both-at-once"]}
LIMITS = {"ante": (500, 50_000), "blind": (500, 50_000), "trips": (500, 10_000)}


class UltimateTexasHoldem(PokerTable):
    """Ante, Blind and one Play wager against the dealer."""

    game = "ultimate-texas-holdem"
    opening = ("ante", "blind")
    optional = ("trips",)
    kinds: tuple[str, ...] = ("return", "announce", "collect-cards", "shuffle", "cut", "reveal/player")
    options = OPTIONS
    limits = LIMITS

    def results(self, round_: Round) -> dict[Key, Result]:
        community = round_.cards("community")
        theirs = rank_best([*round_.cards("dealer"), *community])
        found = {}
        for key, stake in round_.stakes().items():
            seat, wager, _ = key
            if seat not in self.in_play(round_):
                continue
            mine = rank_best([*round_.cards("player", seat), *community])
            if wager == "trips":
                odds = find_row(TRIPS, FIVE, mine)
                found[key] = win(stake.amount, odds) if odds else lose(stake.amount)
            elif mine == theirs or (wager == "ante" and theirs[0] == 0):
                found[key] = Result()
            elif mine < theirs:
                found[key] = lose(stake.amount)
            else:
                found[key] = win(stake.amount, find_row(BLIND, FIVE, mine) or 0 if wager == "blind" else 1)
        return found

    def play(self, round_: Round, table: dict[str, Any]) -> None:
        round_.facts["linked"] = [("ante", "blind", "play")]
        deck = self.open_round(round_)
        owners = [*(("player", seat) for seat in round_.players), ("dealer", None)]
        self.deal_hands(round_, deck, owners, 2, single=round_.house["dealing"] == "one-at-a-time")
        round_.deal("community", [deck.pop() for _ in range(5)])
        spoilt = self.spoil(round_, [*owners, ("community", None)])
        if spoilt and spoilt[0] != "player":
            self.void_round(round_)
            return
        if spoilt:
            self.void_seat(round_, spoilt[1] or 0)
        community = round_.cards("community")
        waiting = self.in_play(round_)
        for number, (seen, multiples) in enumerate(STAGES):
            waiting = [seat for seat in waiting if not self.decide(round_, seat, community[:seen], multiples)]
            if number < 2 and self.in_play(round_):
                cards = community[:3] if number == 0 else community[3:]
                round_.add("reveal", place="community", cards=join_cards(cards))
        if self.in_play(round_):
            round_.add("reveal", place="dealer", cards=join_cards(round_.cards("dealer")))
            self.finish(round_)

    def decide(self, round_: Round, seat: int, seen: list[str], multiples: tuple[int, ...]) -> bool:
        """Let a seat play, check or fold; return whether it is done."""
        rng = round_.rng
        cards = round_.cards("player", seat)
        values = [value_of(card) for card in cards]
        is_good = values[0] == values[1] or max(values) == 14 or (len(seen) > 3 and rng.random() < 0.5)
        if seen and not is_good:
            is_good = bool(set(values) & {value_of(card) for card in seen})
        if is_good != (rng.random() < 0.1):
            times = rng.choice(multiples)
            round_.add("decide", seat=seat, decision=f"play-{times}")
            amount = times * round_.stakes()[seat, "ante", ()].amount
            round_.events += round_.place(seat, "play", amount, is_final=True)
            return True
        if len(seen) < 5:
            round_.add("decide", seat=seat, decision="check-on-the-flop" if seen else "check-first")
            return False
        self.fold(round_, seat)
        return True


REFEREE = UltimateTexasHoldem()
REFEREE.violations = VIOLATIONS = Violations()
VIOLATIONS.add_payments({"ante": "(25)", "play": "(26)", "blind": "(27)", "trips": "(28)"})
add_conduct(
    VIOLATIONS,
    {
        **{"shuffle": "(10)", "call": "(11)", "late": "(8)", "deal": "(12)", "deck": "(1)", "settle": "(24)"},
        **{"limits": "(9)"},
    },
    "trips",
)
VIOLATIONS.put("decisions-out-of-turn", "(16)", decide_out_of_turn)
VIOLATIONS.put(
    "dealer-has-a-card-too-many", "(32)", lambda round_: add_card(round_, "dealer", None, unused_card(round_))
)
VIOLATIONS.put("four-community-cards", "(32)", lambda round_: drop_card(round_, "community", None))
VIOLATIONS.put("play-is-taken-on-equal-hands", "(26)", lambda round_: take_push(round_, "play"))
VIOLATIONS.put("blind-is-taken-with-a-winning-pair", "(27)", lambda round_: take_push(round_, "blind"))
VIOLATIONS.put("ante-is-taken-without-qualification", "(25)", lambda round_: take_push(round_, "ante"))


def multiply(round_: Round, times: int, wanted: tuple[int, ...]) -> bool:
    """Make a Play wager another multiple of the Ante, and settle it accordingly."""
    event = pick(round_, "wager", wager="play")
    if event is None:
        return False
    ante = round_.stakes()[event["seat"], "ante", ()].amount
    old = event["amount"] // ante
    if old not in wanted:
        return False
    if times <= 4:
        round_.events[round_.place_of(event) - 1]["decision"] = f"play-{times}"
    for kind in ("wager", "pay", "collect", "return"):
        for other in round_.all(kind, seat=event["seat"], wager="play"):
            other["amount"] = other["amount"] * times // old
    return True


@VIOLATIONS.breaks("(16)")
def play_of_two_times_before_the_flop(round_: Round) -> bool:
    return multiply(round_, 2, (3, 4))


@VIOLATIONS.breaks("(16)")
def play_of_five_times_before_the_flop(round_: Round) -> bool:
    return multiply(round_, 5, (3, 4))


@VIOLATIONS.breaks("(18)")
def play_of_three_times_on_the_flop(round_: Round) -> bool:
    return multiply(round_, 3, (2,))


@VIOLATIONS.breaks("(20)")
def play_of_two_times_at_the_end(round_: Round) -> bool:
    return multiply(round_, 2, (1,))


@VIOLATIONS.breaks("(5)")
def blind_differs_from_the_ante(round_: Round) -> bool:
    seat = max(round_.players)
    for event in round_.events:
        if event.get("seat") == seat and event.get("wager") == "blind":
            event["amount"] *= 2
    return True


@VIOLATIONS.breaks("(20)")
def nobody_decides_at_the_end(round_: Round) -> bool:
    event = pick(round_, "wager", wager="play")
    if event is None or event["amount"] != round_.stakes()[event["seat"], "ante", ()].amount:
        return False
    round_.remove(round_.events[round_.place_of(event) - 1])
    for kind in ("wager", "pay", "collect", "return"):
        round_.remove(*round_.all(kind, seat=event["seat"], wager="play"))
    return True


@VIOLATIONS.breaks("(17)")
def flop_before_a_decision(round_: Round) -> bool:
    reveals = round_.all("reveal", place="community")
    if not reveals:
        return False
    round_.move(reveals[0], round_.place_of(round_.all("decide")[0]))
    return True


@VIOLATIONS.breaks("(19)")
def four_cards_on_the_flop(round_: Round) -> bool:
    reveals = round_.all("reveal", place="community")
    if len(reveals) < 2:
        return False
    reveals[0]["cards"] += reveals[1]["cards"][:2]
    reveals[1]["cards"] = reveals[1]["cards"][2:]
    return True


@VIOLATIONS.breaks("(21)")
def second_play_wager(round_: Round) -> bool:
    event, reveals = pick(round_, "wager", wager="play"), round_.all("reveal", place="community")
    if event is None or len(reveals) < 2 or round_.place_of(event) > round_.place_of(reveals[0]):
        return False
    ante = round_.stakes()[event["seat"], "ante", ()].amount
    for kind in ("pay", "collect", "return"):
        for other in round_.all(kind, seat=event["seat"], wager="play"):
            other["amount"] += 2 * ante
    index = round_.place_of(reveals[0]) + 1
    round_.events[index:index] = [
        {"event": "decide", "seat": event["seat"], "decision": "play-2"},
        event | {"amount": 2 * ante},
    ]
    return True


@VIOLATIONS.breaks("(22)")
def stake_of_a_folder_is_returned(round_: Round) -> bool:
    for event in round_.all("decide", decision="fold"):
        for lost in round_.all("collect", seat=event["seat"], wager="blind"):
            lost["event"] = "return"
            return True
    return False


@VIOLATIONS.breaks("(22)")
def trips_of_a_folder_is_returned(round_: Round) -> bool:
    for event in round_.all("decide", decision="fold"):
        for lost in round_.all("collect", seat=event["seat"], wager="trips"):
            lost["event"] = "return"
            return True
    return False


@VIOLATIONS.breaks("(23)")
def dealer_reveals_before_the_last_decision(round_: Round) -> bool:
    reveals, decided = round_.all("reveal", place="dealer"), round_.all("decide")
    if not reveals or not decided:
        return False
    round_.move(reveals[0], round_.place_of(decided[-1]))
    return True


@VIOLATIONS.breaks("(25)")
def ante_is_paid_though_the_dealer_does_not_qualify(round_: Round) -> bool:
    theirs = rank_best([*round_.cards("dealer"), *round_.cards("community")])
    event = pick(round_, "return", wager="ante")
    if event is None or theirs[0] > 0:
        return False
    event["event"] = "pay"
    return True


@VIOLATIONS.breaks("(27)")
def blind_is_paid_for_three_of_a_kind(round_: Round) -> bool:
    for event in round_.all("return", wager="blind"):
        if round_.all("pay", seat=event["seat"], wager="play"):
            event["event"] = "pay"
            return True
    return False
