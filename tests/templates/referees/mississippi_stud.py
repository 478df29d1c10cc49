"""Referee of Mississippi Stud."""

from __future__ import annotations

from typing import Any

from tests.lawful.record import Event
from tests.templates.referees.core import Key, Result, Round, Violations, lose, pick, take_push, win
from tests.templates.referees.poker import (
    FIVE,
    PokerTable,
    Strength,
    add_card,
    add_conduct,
    decide_out_of_turn,
    drop_card,
    find_row,
    rank_five,
    unused_card,
    value_of,
)

PAYS = {
    **{"royal-flush": 500, "straight-flush": 100, "four-of-a-kind": 40, "full-house": 10, "flush": 6, "straight": 4},
    **{"three-of-a-kind": 3, "two-pair": 2},
}
STREETS = ("third-street", "fourth-street", "fifth-street")


def find_odds(strength: Strength) -> int | None:
    """Return the odds to 1 of a hand, 0 if it is returned, None if it loses (23) to (25)."""
    if FIVE[strength[0]] == "pair":
        pair = strength[1][0]
        return 1 if pair >= 11 else 0 if pair >= 6 else None
    found: int | None = find_row(PAYS, FIVE, strength)
    return found


OPTIONS = {"dealing": ["one-at-a-time", "both-at-once"]}
LIMITS = {"ante": (500, 50_000)}


class MississippiStud(PokerTable):
    """Ante and three wagers of one to three times the Ante."""

    game = "mississippi-stud"
    opening = ("ante",)
    kinds: tuple[str, ...] = ("return", "announce", "collect-cards", "shuffle", "cut", "reveal/player")
    options = OPTIONS
    limits = LIMITS

    def results(self, round_: Round) -> dict[Key, Result]:
        community = round_.cards("community")
        found = {}
        for key, stake in round_.stakes().items():
            if key[0] not in self.in_play(round_):
                continue
            odds = find_odds(rank_five([*round_.cards("player", key[0]), *community]))
            found[key] = lose(stake.amount) if odds is None else win(stake.amount, odds)
        return found

    def play(self, round_: Round, table: dict[str, Any]) -> None:
        round_.facts["linked"] = [("ante", *STREETS)]
        deck = self.open_round(round_)
        if round_.is_plain and round_.rng.random() < 0.3:
            deck.sort(key=lambda card: value_of(card) >= 10)
        owners = [("player", seat) for seat in round_.players]
        self.deal_hands(round_, deck, owners, 2, single=round_.house["dealing"] == "one-at-a-time")
        round_.deal("community", [deck.pop() for _ in range(3)])
        spoilt = self.spoil(round_, [*owners, ("community", None)])
        if spoilt == ("community", None):
            self.void_round(round_)
            return
        if spoilt:
            self.void_seat(round_, spoilt[1] or 0)
        community = round_.cards("community")
        for index, street in enumerate(STREETS):
            for seat in self.in_play(round_):
                self.decide(round_, seat, street, community[:index])
            if not self.in_play(round_):
                return
            round_.add("reveal", place="community", cards=community[index])
        self.finish(round_)

    def decide(self, round_: Round, seat: int, street: str, seen: list[str]) -> None:
        """Place a street wager or fold, mostly with a sensible hand."""
        rng = round_.rng
        values = [value_of(card) for card in [*round_.cards("player", seat), *seen]]
        has_pair = len(set(values)) < len(values)
        if not has_pair and max(values) < 11 and rng.random() < (0.3 if round_.is_plain else 0.5):
            self.fold(round_, seat, f"fold-on-{street.removesuffix('-street')}")
            return
        times = 3 if has_pair else rng.choice([1, 1, 2, 3])
        round_.add("decide", seat=seat, decision=f"{street.removesuffix('-street')}-{times}")
        amount = times * round_.stakes()[seat, "ante", ()].amount
        round_.events += round_.place(seat, street, amount, is_final=True)


REFEREE = MississippiStud()
REFEREE.violations = VIOLATIONS = Violations()
VIOLATIONS.add_payments({"ante": "(23)", "third-street": "(23)", "fifth-street": "(23)"})
add_conduct(
    VIOLATIONS,
    {
        **{"shuffle": "(9)", "call": "(10)", "late": "(6)", "deal": "(11)", "deck": "(1)", "settle": "(22)"},
        **{"limits": "(7)"},
    },
    "ante",
)
VIOLATIONS.put("decisions-out-of-turn", "(14)", decide_out_of_turn)
VIOLATIONS.put("two-community-cards", "(28)", lambda round_: drop_card(round_, "community", None))
VIOLATIONS.put("four-community-cards", "(28)", lambda round_: add_card(round_, "community", None, unused_card(round_)))
VIOLATIONS.put("ante-is-taken-on-a-push", "(24)", lambda round_: take_push(round_, "ante"))
VIOLATIONS.put("street-is-taken-on-a-push", "(24)", lambda round_: take_push(round_, "fourth-street"))


def list_folds(round_: Round) -> list[Event]:
    return [event for event in round_.all("decide") if event["decision"].startswith("fold")]


def multiply(round_: Round, street: str, times: int) -> bool:
    """Make a street wager another multiple of the Ante, and settle it accordingly."""
    event = pick(round_, "wager", wager=street)
    if event is None:
        return False
    ante = round_.stakes()[event["seat"], "ante", ()].amount
    old = event["amount"] // ante
    for kind in ("wager", "pay", "collect", "return"):
        for other in round_.all(kind, seat=event["seat"], wager=street):
            other["amount"] = other["amount"] * times // old
    return True


@VIOLATIONS.breaks("(5)")
def third_street_of_four_times_the_ante(round_: Round) -> bool:
    return multiply(round_, "third-street", 4)


@VIOLATIONS.breaks("(5)")
def fifth_street_of_five_times_the_ante(round_: Round) -> bool:
    return multiply(round_, "fifth-street", 5)


@VIOLATIONS.breaks("(18)")
def fifth_street_is_missing(round_: Round) -> bool:
    event = pick(round_, "wager", wager="fifth-street")
    if event is None:
        return False
    for kind in ("wager", "pay", "collect", "return"):
        round_.remove(*round_.all(kind, seat=event["seat"], wager="fifth-street"))
    return True


@VIOLATIONS.breaks("(16)")
def no_decision_on_fourth_street(round_: Round) -> bool:
    event = pick(round_, "wager", wager="fourth-street")
    if event is None:
        return False
    round_.remove(round_.events[round_.place_of(event) - 1])
    for kind in ("wager", "pay", "collect", "return"):
        round_.remove(*round_.all(kind, seat=event["seat"], wager="fourth-street"))
    return True


@VIOLATIONS.breaks("(6)")
def street_wager_after_the_next_card(round_: Round) -> bool:
    event, reveals = pick(round_, "wager", wager="third-street"), round_.all("reveal", place="community")
    if event is None or not reveals:
        return False
    round_.move(event, round_.place_of(reveals[0]))
    return True


@VIOLATIONS.breaks("(15)")
def card_is_turned_up_before_a_decision(round_: Round) -> bool:
    event, reveals = pick(round_, "wager", wager="third-street"), round_.all("reveal", place="community")
    if event is None or not reveals:
        return False
    round_.move(reveals[0], round_.place_of(event) - 1)
    return True


@VIOLATIONS.breaks("(19)")
def two_cards_are_turned_up_at_once(round_: Round) -> bool:
    reveals = round_.all("reveal", place="community")
    if len(reveals) < 3:
        return False
    round_.remove(reveals[2])
    reveals[1]["cards"] += reveals[2]["cards"]
    return True


@VIOLATIONS.breaks("(20)")
def ante_of_a_folder_is_returned(round_: Round) -> bool:
    for event in list_folds(round_):
        for lost in round_.all("collect", seat=event["seat"], wager="ante"):
            lost["event"] = "return"
            return True
    return False


@VIOLATIONS.breaks("(20)")
def street_of_a_folder_is_returned(round_: Round) -> bool:
    for event in list_folds(round_):
        for lost in round_.all("collect", seat=event["seat"], wager="third-street"):
            lost["event"] = "return"
            return True
    return False


@VIOLATIONS.breaks("(25)")
def pair_of_fives_is_returned(round_: Round) -> bool:
    community = round_.cards("community")
    for event in round_.all("reveal", place="player"):
        seat = event["seat"]
        strength = rank_five([*round_.cards("player", seat), *community])
        if FIVE[strength[0]] == "pair" and strength[1][0] < 6:
            for lost in round_.all("collect", seat=seat):
                lost["event"] = "return"
            return True
    return False


@VIOLATIONS.breaks("(24)")
def pair_of_tens_is_paid(round_: Round) -> bool:
    community = round_.cards("community")
    for event in round_.all("return", wager="ante"):
        strength = rank_five([*round_.cards("player", event["seat"]), *community])
        if FIVE[strength[0]] == "pair":
            event["event"] = "pay"
            return True
    return False
