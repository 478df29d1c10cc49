"""Referee of casino war."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.lawful.record import make_event
from tests.templates.referees.core import (
    CALL,
    Key,
    Referee,
    Result,
    Round,
    Violations,
    bet_late,
    call_late,
    exceed_maximum,
    increase_late,
    lose,
    omit,
    omit_call,
    pick,
    shuffle_decks,
    swap_deals,
    undercut_minimum,
    win,
)
from tests.templates.referees.poker import swap, value_of

DECKS = 6


LIMITS = {"ante": (1_000, 100_000), "tie": (500, 10_000)}


class CasinoWar(Referee):
    """Game of one card against the dealer, with a war after a tie."""

    game = "casino-war"
    session = 12
    kinds: tuple[str, ...] = ("return", "announce", "collect-cards", "deal/burn", "cut")
    limits = LIMITS

    def results(self, round_: Round, seat: int, *, first: bool) -> dict[Key, Result]:
        """Return the outcomes of the first cards or, after a tie, of the decision of a seat."""
        mine, theirs = round_.cards("player", seat), round_.cards("dealer")
        stakes = {key: stake.amount for key, stake in round_.stakes().items() if key[0] == seat and stake.amount}
        sign = value_of(mine[0]) - value_of(theirs[0])
        found: dict[Key, Result] = {}
        for key, stake in stakes.items():
            if key[1] == "tie" and first:
                found[key] = lose(stake) if sign else win(stake, 10)
            elif key[1] == "ante" and first and sign:
                found[key] = win(stake, 1) if sign > 0 else lose(stake)
            elif not first and key[1] != "tie":
                decision = round_.facts["decisions"][seat]
                if decision == "surrender":
                    found[key] = lose(stake // 2)
                elif value_of(mine[1]) < value_of(theirs[1]):
                    found[key] = lose(stake)
                else:
                    found[key] = win(stake, 1) if key[1] == "war" else Result()
        return found

    def draw(self, table: dict[str, Any], round_: Round) -> str:
        shoe: list[str] = table["shoe"]
        if len(shoe) == table["behind"] + 1:
            round_.add("announce", what="cutting-card")
        return shoe.pop()

    def play(self, round_: Round, table: dict[str, Any]) -> None:
        rng = round_.rng
        if "shoe" not in table or len(table["shoe"]) <= table["behind"]:
            round_.facts["is-forced"] = "shoe" in table
            table |= {"shoe": shuffle_decks(rng, DECKS), "behind": rng.randint(60, 300)}
            round_.add("shuffle", by="dealer")
            round_.add("cut", by=rng.choice(["player", "dealer"]))
            table["shoe"].pop()
            round_.add("deal", place="burn", cards="??", face="down", by="dealer")
        blocks = []
        for seat in round_.sit(7):
            blocks.append(round_.place(seat, "ante", round_.choose_amount("ante")))
            if rng.random() < 0.4:
                blocks[-1] += round_.place(seat, "tie", round_.choose_amount("tie"))
        round_.place_all(blocks)
        round_.add("announce", what=CALL)
        is_warlike = round_.is_plain and rng.random() < 0.4
        for seat in round_.players:
            round_.deal("player", [self.draw(table, round_)], seat, face="up")
        card = self.draw(table, round_)
        if is_warlike:  # ties are too rare for violations of the war
            card = round_.cards("player", min(round_.players))[0]
        round_.deal("dealer", [card], face="up")
        tied = [seat for seat in round_.players if round_.cards("player", seat)[0][0] == card[0]]
        for seat in sorted(round_.players, reverse=True):
            round_.settle(self.results(round_, seat, first=True))
            if seat not in tied:
                round_.add("collect-cards", place="player", seat=seat)
        decisions = round_.facts["decisions"] = {}
        for seat in tied:
            decisions[seat] = "war" if rng.random() < 0.7 else "surrender"
            round_.add("decide", seat=seat, decision=decisions[seat])
            if decisions[seat] == "war":
                amount = round_.stakes()[seat, "ante", ()].amount
                round_.events += round_.place(seat, "war", amount, is_final=True)
            else:
                round_.settle(self.results(round_, seat, first=False))
                round_.add("collect-cards", place="player", seat=seat)
        self.fight(round_, table, [seat for seat in tied if decisions[seat] == "war"])
        round_.add("collect-cards", place="dealer")

    def fight(self, round_: Round, table: dict[str, Any], seats: Sequence[int]) -> None:
        """Burn, deal the further cards and settle the wars."""
        if not seats:
            return
        for _ in range(3):
            self.draw(table, round_)
        round_.add("deal", place="burn", cards="??????", face="down", by="dealer")
        for seat in seats:
            round_.deal("player", [self.draw(table, round_)], seat, face="up")
        round_.deal("dealer", [self.draw(table, round_)], face="up")
        for seat in sorted(seats, reverse=True):
            round_.settle(self.results(round_, seat, first=False))
            round_.add("collect-cards", place="player", seat=seat)


REFEREE = CasinoWar()
REFEREE.violations = VIOLATIONS = Violations()
VIOLATIONS.add_payments({"ante": "(13)", "tie": "(14)", "war": "(20)"})
VIOLATIONS.put("no-call", "(10)", omit_call)
VIOLATIONS.put("call-after-the-first-card", "(10)", call_late)
VIOLATIONS.put("wager-after-the-call", "(5)", bet_late)
VIOLATIONS.put("winning-wager-is-increased", "(5)", increase_late)
VIOLATIONS.put("cards-out-of-turn", "(10)", swap_deals)
VIOLATIONS.put("no-shuffle", "(8)", lambda round_: not round_.facts.get("is-forced") and omit("shuffle")(round_))
VIOLATIONS.put("no-cut", "(8)", omit("cut"))
VIOLATIONS.put("above-the-maximum", "(7)", lambda round_: exceed_maximum(round_, "tie"))
VIOLATIONS.put("below-the-minimum", "(7)", lambda round_: undercut_minimum(round_, "tie"))


@VIOLATIONS.breaks("(8)")
def shoe_goes_on_after_the_cutting_card(round_: Round) -> bool:
    if not round_.facts.get("is-forced"):
        return False
    round_.remove(*round_.all("shuffle"), *round_.all("cut"), round_.all("deal", place="burn")[0])
    return True


@VIOLATIONS.breaks("(9)")
def no_card_is_burnt_after_the_cut(round_: Round) -> bool:
    if not round_.all("shuffle"):
        return False
    round_.remove(round_.all("deal", place="burn")[0])
    return True


@VIOLATIONS.breaks("(18)")
def no_cards_are_burnt_before_a_war(round_: Round) -> bool:
    return omit("deal", place="burn", cards="??????")(round_)


@VIOLATIONS.breaks("(18)")
def two_cards_are_burnt_before_a_war(round_: Round) -> bool:
    events = round_.all("deal", place="burn", cards="??????")
    for event in events:
        event["cards"] = "????"
    return bool(events)


@VIOLATIONS.breaks("(18)")
def cards_are_burnt_after_the_further_card(round_: Round) -> bool:
    events = round_.all("deal", place="burn", cards="??????")
    if not events:
        return False
    swap(round_, events[0], round_.events[round_.place_of(events[0]) + 1])
    return True


@VIOLATIONS.breaks("(19)")
def dealer_receives_the_further_card_first(round_: Round) -> bool:
    deals = round_.all("deal", place="dealer")
    if len(deals) < 2:
        return False
    swap(round_, deals[1], round_.events[round_.place_of(deals[1]) - 1])
    return True


@VIOLATIONS.breaks("(6)(a)")
def war_differs_from_the_ante(round_: Round) -> bool:
    event = pick(round_, "wager", wager="war")
    if event is None:
        return False
    for kind in ("wager", "pay", "collect"):
        for other in round_.all(kind, seat=event["seat"], wager="war"):
            other["amount"] *= 2
    return True


@VIOLATIONS.breaks("(6)")
def war_without_a_tie(round_: Round) -> bool:
    for seat in round_.players:
        if seat not in round_.facts["decisions"] and not round_.facts["decisions"]:
            amount = round_.stakes()[seat, "ante", ()].amount
            index = round_.place_of(round_.all("deal", place="dealer")[0]) + 1
            round_.events[index:index] = [
                make_event("decide", seat=seat, decision="war"),
                make_event("wager", seat=seat, wager="war", amount=amount),
                make_event("pay", seat=seat, wager="war", amount=amount),
            ]
            return True
    return False


@VIOLATIONS.breaks("(16)")
def no_decision_after_a_tie(round_: Round) -> bool:
    decided = round_.all("decide")
    if len(decided) != 1 or decided[0]["decision"] != "surrender":
        return False
    round_.remove(decided[0])
    for event in round_.all("collect", seat=decided[0]["seat"], wager="ante"):
        event["event"] = "return"
    return True


@VIOLATIONS.breaks("(16)")
def decision_after_the_further_card(round_: Round) -> bool:
    decided, burnt = round_.all("decide", decision="war"), round_.all("deal", place="burn", cards="??????")
    if len(decided) != 1 or not burnt:
        return False
    round_.move(decided[0], round_.place_of(burnt[0]) + 1)
    return True


@VIOLATIONS.breaks("(17)")
def whole_ante_is_taken_on_surrender(round_: Round) -> bool:
    for event in round_.all("decide", decision="surrender"):
        for lost in round_.all("collect", seat=event["seat"], wager="ante"):
            round_.remove(*round_.all("return", seat=event["seat"], wager="ante"))
            lost["amount"] *= 2
            return True
    return False


@VIOLATIONS.breaks("(17)")
def nothing_is_taken_on_surrender(round_: Round) -> bool:
    for event in round_.all("decide", decision="surrender"):
        round_.remove(*round_.all("collect", seat=event["seat"], wager="ante"))
        for back in round_.all("return", seat=event["seat"], wager="ante"):
            back["amount"] *= 2
        return True
    return False


@VIOLATIONS.breaks("(20)")
def ante_is_paid_after_a_war(round_: Round) -> bool:
    for event in round_.all("pay", wager="war"):
        round_.events.insert(round_.place_of(event), event | {"wager": "ante"})
        round_.remove(*round_.all("return", seat=event["seat"], wager="ante"))
        return True
    return False


@VIOLATIONS.breaks("(21)")
def ante_is_returned_after_a_lost_war(round_: Round) -> bool:
    for event in round_.all("collect", wager="war"):
        for lost in round_.all("collect", seat=event["seat"], wager="ante"):
            lost["event"] = "return"
            return True
    return False


@VIOLATIONS.breaks("(12)")
def settled_from_the_left(round_: Round) -> bool:
    """Exchange the settlement of two neighbouring seats if neither ties."""
    collected = round_.all("collect-cards", place="player")[:2]
    if len(collected) < 2 or round_.facts["decisions"]:
        return False
    seats = [event["seat"] for event in collected]
    moved = [
        event
        for event in round_.events
        if event.get("seat") == seats[1] and event["event"] in {"pay", "collect", "return", "collect-cards"}
    ]
    first = next(
        index
        for index, event in enumerate(round_.events)
        if event.get("seat") == seats[0] and event["event"] in {"pay", "collect", "return", "collect-cards"}
    )
    for offset, event in enumerate(moved):
        round_.move(event, first + offset)
    return True


@VIOLATIONS.breaks("(23)")
def tie_is_paid_before_the_ante_is_collected(round_: Round) -> bool:
    for paid in round_.all("pay"):
        for lost in round_.all("collect", seat=paid["seat"]):
            if round_.place_of(lost) == round_.place_of(paid) - 1:
                swap(round_, lost, paid)
                return True
    return False
