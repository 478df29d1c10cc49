"""Referee of Let It Ride."""

from __future__ import annotations

from typing import Any

from tests.lawful.record import make_event
from tests.templates.referees.core import Key, Result, Round, Violations, lose, pick, win
from tests.templates.referees.poker import (
    FIVE,
    THREE,
    PokerTable,
    Strength,
    add_card,
    add_conduct,
    decide_out_of_turn,
    drop_card,
    find_row,
    rank_five,
    rank_three,
    unused_card,
    value_of,
)

MAIN = {
    **{"royal-flush": 1000, "straight-flush": 200, "four-of-a-kind": 50, "full-house": 11, "flush": 8, "straight": 5},
    **{"three-of-a-kind": 3, "two-pair": 2},
}
THREE_CARD = {"straight-flush": 40, "three-of-a-kind": 30, "straight": 6, "flush": 4, "pair": 1}
SPOTS = ("first", "second", "third")
BONUS = "three-card-bonus"


def find_odds(strength: Strength) -> int:
    """Return the odds to 1 of a hand of five cards, 0 if it loses (21)."""
    if FIVE[strength[0]] == "pair":
        return 1 if strength[1][0] >= 10 else 0
    return int(find_row(MAIN, FIVE, strength) or 0)


OPTIONS = {"dealing": ["one-at-a-time", "packets"]}
LIMITS = dict.fromkeys(SPOTS, (500, 50000)) | {BONUS: (500, 10_000)}


class LetItRide(PokerTable):
    """Three equal wagers, two of which may be taken back."""

    game = "let-it-ride"
    opening = SPOTS
    optional = (BONUS,)
    kinds: tuple[str, ...] = ("return", "announce", "collect-cards", "shuffle", "cut", "reveal/player")
    options = OPTIONS
    limits = LIMITS

    def results(self, round_: Round) -> dict[Key, Result]:
        community = round_.cards("community")
        found = {}
        for key, stake in round_.stakes().items():
            if not stake.lying:
                continue
            cards = round_.cards("player", key[0])
            if key[1] == BONUS:
                odds = find_row(THREE_CARD, THREE, rank_three(cards))
            else:
                odds = find_odds(rank_five([*cards, *community]))
            found[key] = win(stake.amount, odds) if odds else lose(stake.amount)
        return found

    def play(self, round_: Round, table: dict[str, Any]) -> None:
        way = table.setdefault("way", "return" if round_.is_plain else round_.rng.choice(["return", "withdraw"]))
        round_.facts |= {"linked": [SPOTS], "way-back": way}
        deck = self.open_round(round_)
        if round_.is_plain and round_.rng.random() < 0.3:  # hands that pay are too rare for violations
            deck.sort(key=lambda card: value_of(card) >= 10)
        owners = [("player", seat) for seat in round_.players]
        if round_.house["dealing"] == "one-at-a-time":
            for turn in range(3):
                self.deal_hands(round_, deck, [*owners, *([("community", None)] if turn < 2 else [])], 1, single=True)
        else:
            self.deal_hands(round_, deck, owners, 3, single=False)
            self.deal_hands(round_, deck, [("community", None)], 2, single=False)
        spoilt = self.spoil(round_, [*owners, ("community", None)])
        if spoilt == ("community", None):
            self.void_round(round_)
            return
        if spoilt:
            self.void_seat(round_, spoilt[1] or 0)
        if not self.in_play(round_):
            return
        community = round_.cards("community")
        for index, spot in enumerate(SPOTS[:2]):
            for seat in self.in_play(round_):
                self.decide(round_, seat, spot, community[:index])
            round_.add("reveal", place="community", cards=community[index])
        self.finish(round_)

    def decide(self, round_: Round, seat: int, spot: str, seen: list[str]) -> None:
        """Let a wager ride or take it back, mostly with a sensible hand."""
        values = sorted(value_of(card) for card in [*round_.cards("player", seat), *seen])
        is_good = any(values.count(value) > 1 and value >= 10 for value in values) or values[0] >= 10
        if is_good != (round_.rng.random() < 0.2):
            round_.add("decide", seat=seat, decision=f"ride-{spot}")
        else:
            round_.add("decide", seat=seat, decision=f"take-{spot}")
            amount = round_.stakes()[seat, spot, ()].amount
            round_.add(round_.facts["way-back"], seat=seat, wager=spot, amount=amount)


REFEREE = LetItRide()
REFEREE.violations = VIOLATIONS = Violations()
VIOLATIONS.add_payments({"first": "(21)", "third": "(21)", BONUS: "(22)"})
add_conduct(
    VIOLATIONS,
    {
        **{"shuffle": "(10)", "call": "(11)", "late": "(7)", "deal": "(12)", "deck": "(1)", "settle": "(20)"},
        **{"limits": "(8)"},
    },
    BONUS,
)
VIOLATIONS.put("decisions-out-of-turn", "(14)", decide_out_of_turn)
VIOLATIONS.put("one-community-card", "(26)", lambda round_: drop_card(round_, "community", None))
VIOLATIONS.put("three-community-cards", "(26)", lambda round_: add_card(round_, "community", None, unused_card(round_)))


@VIOLATIONS.breaks("(5)")
def opening_wagers_differ(round_: Round) -> bool:
    seat = max(round_.players)
    for event in round_.events:
        if event.get("seat") == seat and event.get("wager") == "third":
            event["amount"] *= 2
    return True


@VIOLATIONS.breaks("(18)")
def third_wager_is_taken_back(round_: Round) -> bool:
    event = pick(round_, "collect", wager="third")
    if event is None:
        return False
    round_.remove(event)
    index = round_.place_of(round_.all("reveal", place="community")[1])
    round_.events.insert(index, make_event("return", seat=event["seat"], wager="third", amount=event["amount"]))
    return True


@VIOLATIONS.breaks("(19)")
def wager_is_taken_back_after_the_card(round_: Round) -> bool:
    event = pick(round_, "return", wager="second")
    reveals = round_.all("reveal", place="community")
    if event is None or round_.place_of(event) > round_.place_of(reveals[1]):
        return False
    round_.move(event, round_.place_of(round_.all("reveal", place="community")[1]))
    return True


@VIOLATIONS.breaks("(19)")
def half_a_wager_is_taken_back(round_: Round) -> bool:
    event = pick(round_, "return", wager="first")
    if event is None or round_.place_of(event) > round_.place_of(round_.all("reveal", place="community")[0]):
        return False
    paid = round_.all("pay", seat=event["seat"], wager="third")
    half = event["amount"] // 2
    event["amount"] -= half
    end = round_.place_of(round_.all("collect-cards", seat=event["seat"])[-1])
    kind, amount = ("pay", paid[0]["amount"] // 2) if paid else ("collect", half)
    round_.events.insert(end, make_event(kind, seat=event["seat"], wager="first", amount=amount))
    return True


@VIOLATIONS.breaks("(16)")
def no_second_decision(round_: Round) -> bool:
    events = round_.all("decide", decision="ride-second")
    if not events or events[-1] is not round_.all("decide")[-1]:
        return False
    round_.remove(events[-1])
    return True


@VIOLATIONS.breaks("(15)")
def first_card_is_turned_up_before_a_decision(round_: Round) -> bool:
    decided = round_.all("decide")
    count = len(decided) // 2
    round_.move(round_.all("reveal", place="community")[0], round_.place_of(decided[count - 1]))
    return True


@VIOLATIONS.breaks("(17)")
def both_cards_are_turned_up_at_once(round_: Round) -> bool:
    first, second = round_.all("reveal", place="community")
    round_.remove(second)
    first["cards"] += second["cards"]
    return True


@VIOLATIONS.breaks("(20)")
def settled_before_the_second_card(round_: Round) -> bool:
    lost = round_.all("collect")
    if not lost:
        return False
    round_.move(lost[0], round_.place_of(round_.all("reveal", place="community")[1]))
    return True


@VIOLATIONS.breaks("(21)")
def pair_of_nines_is_paid(round_: Round) -> bool:
    community = round_.cards("community")
    for event in round_.all("collect", wager="third"):
        strength = rank_five([*round_.cards("player", event["seat"]), *community])
        if FIVE[strength[0]] == "pair":
            event["event"] = "pay"
            return True
    return False


@VIOLATIONS.breaks("(23)")
def bonus_is_settled_by_five_cards(round_: Round) -> bool:
    community = round_.cards("community")
    for event in round_.all("collect", wager=BONUS):
        if rank_five([*round_.cards("player", event["seat"]), *community])[0] >= 2:
            event["event"] = "pay"
            return True
    return False
