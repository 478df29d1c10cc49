"""Referee of blackjack: six decks, splits, doubles, insurance, surrender and a pair wager.

A split hand has a seat number of its own: ten times the box, and the number of the hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests.lawful.record import join_cards, make_event
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
    take_push,
    undercut_minimum,
    win,
)

DECKS = 6
MOST_HANDS = 4
BEHIND = 52
OPTIONS: dict[str, list[Any]] = {"soft-17": ["stands", "draws"], "surrender": [True, False]}
LIMITS = {"main": (1_000, 200_000), "pair": (500, 10_000)}
STAKES = ("main", "double")
"""Wagers that a hand wins or loses together."""


def count(cards: Iterable[str]) -> tuple[int, bool]:
    """Return the points of a hand and whether it is soft (2), (3)."""
    ranks = [card[0] for card in cards]
    total = sum(10 if rank in "TJQK" else 1 if rank == "A" else int(rank) for rank in ranks)
    return (total + 10, True) if "A" in ranks and total <= 11 else (total, False)


def is_blackjack(cards: Sequence[str]) -> bool:
    return len(cards) == 2 and count(cards)[0] == 21


def dealer_draws(cards: Sequence[str], house: dict[str, Any]) -> bool:
    """Return whether the dealer draws (24), (25)."""
    points, is_soft = count(cards)
    return points <= 16 or (points == 17 and is_soft and house["soft-17"] == "draws")


def find_pair_odds(cards: Sequence[str]) -> int | None:
    """Return the odds to 1 of the pair wager, or None if it loses (13)."""
    rank, suit, other_rank, other_suit = *cards[0], *cards[1]
    if rank != other_rank:
        return None
    if suit == other_suit:
        return 25
    return 12 if (suit in "hd") == (other_suit in "hd") else 6


def settle_hand(cards: Sequence[str], dealer: Sequence[str], stake: int, *, is_split: bool = False) -> Result:
    """Return the outcome of a stake on a hand that was not surrendered (15), (23), (27), (28)."""
    mine, theirs = count(cards)[0], count(dealer)[0]
    if is_blackjack(dealer):
        return Result() if is_blackjack(cards) and not is_split else lose(stake)
    if is_blackjack(cards) and not is_split:
        return win(stake, Fraction(3, 2))
    if mine > 21:
        return lose(stake)
    if theirs > 21 or mine > theirs:
        return win(stake, 1)
    return Result() if mine == theirs else lose(stake)


@dataclass
class Hand:
    """Hand of a box; `seat` is its number in the log."""

    seat: int
    box: int
    cards: list[str]
    is_split: bool = False
    is_over: bool = False
    is_surrendered: bool = False
    is_settled: bool = False
    decisions: list[str] = field(default_factory=list)

    @property
    def is_natural(self) -> bool:
        return is_blackjack(self.cards) and not self.is_split


class Blackjack(Referee):
    """Dealer against up to seven boxes."""

    game = "blackjack"
    session = 4
    kinds: tuple[str, ...] = ("return", "announce", "collect-cards", "deal/burn", "cut")
    options = OPTIONS
    limits = LIMITS

    def take(self, round_: Round, table: dict[str, Any]) -> str:
        """Return the next card; when the cutting card comes out, the dealer announces it."""
        shoe: list[str] = table["shoe"]
        if len(shoe) == table["behind"]:
            round_.add("announce", what="cutting-card")
        return shoe.pop()

    def open_shoe(self, round_: Round, table: dict[str, Any]) -> None:
        round_.facts["is-forced"] = "shoe" in table
        table |= {"shoe": shuffle_decks(round_.rng, DECKS), "behind": round_.rng.randint(BEHIND, 290)}
        round_.add("shuffle", by="dealer")
        round_.add("cut", by=round_.rng.choice(["player", "dealer"]))
        table["shoe"].pop()
        round_.add("deal", place="burn", cards="??", face="down", by="dealer")

    def play(self, round_: Round, table: dict[str, Any]) -> None:
        rng = round_.rng
        if "shoe" not in table or len(table["shoe"]) < table["behind"]:
            self.open_shoe(round_, table)
        blocks = []
        for seat in round_.sit(7 if not round_.is_plain else 4):
            blocks.append(round_.place(seat, "main", round_.choose_amount("main")))
            if rng.random() < 0.3:
                blocks[-1] += round_.place(seat, "pair", round_.choose_amount("pair"))
        round_.place_all(blocks)
        round_.add("announce", what=CALL)
        boxes = list(round_.players)
        hands = {seat: Hand(seat, seat, []) for seat in boxes}
        round_.facts |= {"hands": hands, "boxes": boxes}
        if round_.is_plain and rng.random() < 0.5:
            self.arrange(round_, table, len(boxes))
        dealer: list[str] = []
        for face in ("up", "down"):
            for seat in boxes:
                hands[seat].cards.append(self.take(round_, table))
                round_.deal("player", hands[seat].cards[-1:], seat, face="up")
            dealer.append(self.take(round_, table))
            round_.deal("dealer", dealer[-1:], face=face)
        self.settle_pairs(round_)
        if not self.insure(round_, dealer):
            for seat in boxes:
                self.play_box(round_, table, hands[seat], dealer)
            round_.add("reveal", place="dealer", cards=join_cards(dealer))
            if any(not hand.is_over and not hand.is_natural for hand in round_.facts["hands"].values()):
                while dealer_draws(dealer, round_.house):
                    dealer.append(self.take(round_, table))
                    round_.deal("dealer", dealer[-1:], face="up")
        self.finish(round_, dealer)

    def arrange(self, round_: Round, table: dict[str, Any], boxes: int) -> None:
        """Bring a rare beginning to the top of the shoe: pairs, aces or blackjacks."""
        shoe = table["shoe"]
        wanted = round_.rng.choice(["pair", "aces", "natural", "insurance", "soft"])
        if wanted in {"pair", "aces"}:
            rank = "A" if wanted == "aces" else round_.rng.choice("3678")
            picked = [card for card in shoe if card[0] == rank][:4]
            if len(picked) == 4:
                for card in picked:
                    shoe.remove(card)
                shoe.insert(len(shoe), picked[0])
                shoe.insert(len(shoe) - 1 - boxes, picked[1])
                shoe.insert(len(shoe) - 2 * boxes - 2, picked[2])
                shoe.insert(len(shoe) - 2 * boxes - 4, picked[3])
            return
        first = next(card for card in shoe if card[0] == "A")
        shoe.remove(first)
        second = next(card for card in shoe if card[0] in ("6" if wanted == "soft" else "TJQK"))
        shoe.remove(second)
        if wanted == "natural":
            shoe.append(first)
            shoe.insert(len(shoe) - 1 - boxes, second)
        else:
            shoe.insert(len(shoe) - boxes, first)
            shoe.insert(len(shoe) - 2 * boxes - 1, second)

    def settle_pairs(self, round_: Round) -> None:
        results: dict[Key, Result] = {}
        for seat in round_.facts["boxes"]:
            key: Key = (seat, "pair", ())
            stake = round_.stakes().get(key)
            if stake and stake.amount:
                odds = find_pair_odds(round_.facts["hands"][seat].cards)
                results[key] = win(stake.amount, odds) if odds else lose(stake.amount)
        round_.settle(results)

    def insure(self, round_: Round, dealer: list[str]) -> bool:
        """Offer insurance and look at the hole card; return whether the dealer has a blackjack."""
        rng = round_.rng
        insured: dict[Key, int] = {}
        if dealer[0][0] == "A":
            round_.add("announce", what="insurance")
            for seat in round_.facts["boxes"]:
                if rng.random() < 0.4:
                    half = round_.stakes()[seat, "main", ()].amount // 2
                    amount = half if rng.random() < 0.7 else half // 2
                    insured[seat, "insurance", ()] = amount
                    round_.add("wager", seat=seat, wager="insurance", amount=amount)
            round_.add("announce", what="insurance-closed")
        if count(dealer[:1])[0] not in {10, 11}:
            return False
        has_blackjack = is_blackjack(dealer)
        if has_blackjack:
            round_.add("reveal", place="dealer", cards=join_cards(dealer))
        round_.settle({key: win(stake, 2) if has_blackjack else lose(stake) for key, stake in insured.items()})
        return has_blackjack

    def play_box(self, round_: Round, table: dict[str, Any], first: Hand, dealer: list[str]) -> None:
        """Let a box decide, hand by hand."""
        pending = [first]
        while pending:
            hand = pending.pop(0)
            if hand.is_split:
                self.hit(round_, table, hand)
            while self.may_decide(hand):
                decision = self.choose(round_, hand, dealer[0])
                hand.decisions.append(decision)
                round_.add("decide", seat=hand.seat, decision=decision)
                if decision == "stand":
                    break
                if decision == "hit":
                    self.hit(round_, table, hand)
                elif decision == "double":
                    amount = round_.stakes()[hand.seat, "main", ()].amount
                    round_.events += round_.place(hand.seat, "double", amount, is_final=True)
                    self.hit(round_, table, hand)
                    break
                elif decision == "split":
                    pending.insert(0, self.split(round_, hand))
                    self.hit(round_, table, hand)
                else:
                    hand.is_surrendered = hand.is_over = True
                    self.close(round_, hand, dealer)
                    break
            if count(hand.cards)[0] > 21:
                hand.is_over = True
                self.close(round_, hand, dealer)

    def may_decide(self, hand: Hand) -> bool:
        has_ace_of_split = hand.is_split and hand.cards[0][0] == "A"
        return not has_ace_of_split and not hand.is_natural and count(hand.cards)[0] < 21

    def choose(self, round_: Round, hand: Hand, upcard: str) -> str:
        """Return a decision that the text permits."""
        rng = round_.rng
        points, is_soft = count(hand.cards)
        box = [other for other in round_.facts["hands"].values() if other.box == hand.box]
        if len(hand.cards) == 2:
            are_equal = count(hand.cards[:1]) == count(hand.cards[1:])
            if are_equal and len(box) < MOST_HANDS and rng.random() < (0.8 if points != 20 else 0.1):
                return "split"
            is_first = not hand.is_split and not hand.decisions
            if is_first and round_.house["surrender"] and points in {15, 16} and rng.random() < 0.5:
                return "surrender"
            if (points in {9, 10, 11} or rng.random() < 0.03) and rng.random() < 0.7:
                return "double"
        wants = points < 12 or (is_soft and points < 18) or (points < 17 and count([upcard])[0] > 6)
        return "hit" if wants != (rng.random() < 0.05) else "stand"

    def hit(self, round_: Round, table: dict[str, Any], hand: Hand) -> None:
        hand.cards.append(self.take(round_, table))
        round_.deal("player", hand.cards[-1:], hand.seat, face="up")

    def split(self, round_: Round, hand: Hand) -> Hand:
        """Move the second card to a hand of its own, with a stake of its own."""
        hands = round_.facts["hands"]
        number = sum(other.box == hand.box for other in hands.values())
        new = Hand(10 * hand.box + number, hand.box, [hand.cards.pop()], is_split=True)
        hand.is_split = True
        hands[new.seat] = new
        round_.players[new.seat] = round_.players[hand.box]
        round_.facts.setdefault("split-of", {})[new.seat] = hand.seat
        amount = round_.stakes()[hand.seat, "main", ()].amount
        round_.add("wager", seat=new.seat, wager="main", amount=amount)
        round_.add("split", seat=hand.seat, to=new.seat, cards=new.cards[0])
        return new

    def results(self, round_: Round, hand: Hand, dealer: Sequence[str]) -> dict[Key, Result]:
        found: dict[Key, Result] = {}
        for wager in STAKES:
            key: Key = (hand.seat, wager, ())
            stake = round_.stakes().get(key)
            if stake and stake.amount:
                is_half = hand.is_surrendered
                found[key] = (
                    lose(stake.amount // 2)
                    if is_half
                    else settle_hand(hand.cards, dealer, stake.amount, is_split=hand.is_split)
                )
        return found

    def close(self, round_: Round, hand: Hand, dealer: Sequence[str]) -> None:
        round_.settle(self.results(round_, hand, dealer))
        round_.add("collect-cards", place="player", seat=hand.seat)
        hand.is_settled = True

    def finish(self, round_: Round, dealer: Sequence[str]) -> None:
        """Settle the remaining hands from the dealer's right."""
        hands = round_.facts["hands"].values()
        for box in sorted(round_.facts["boxes"], reverse=True):
            for hand in reversed([hand for hand in hands if hand.box == box]):
                if not hand.is_settled:
                    self.close(round_, hand, dealer)
        round_.add("collect-cards", place="dealer")


REFEREE = Blackjack()
REFEREE.violations = VIOLATIONS = Violations()
VIOLATIONS.add_payments({"main": "(28)", "double": "(28)", "insurance": "(15)(a)", "pair": "(13)"})
VIOLATIONS.put("no-call", "(11)", omit_call)
VIOLATIONS.put("call-after-the-first-card", "(11)", call_late)
VIOLATIONS.put("wager-after-the-call", "(6)", bet_late)
VIOLATIONS.put("winning-wager-is-increased", "(6)", increase_late)
VIOLATIONS.put("cards-out-of-turn", "(11)", swap_deals)
VIOLATIONS.put("no-shuffle", "(8)", lambda round_: not round_.facts.get("is-forced") and omit("shuffle")(round_))
VIOLATIONS.put("no-cut", "(8)", omit("cut"))
VIOLATIONS.put("no-card-is-burnt", "(8)", omit("deal", place="burn"))
VIOLATIONS.put("pair-above-the-maximum", "(7)", lambda round_: exceed_maximum(round_, "pair"))
VIOLATIONS.put("pair-below-the-minimum", "(7)", lambda round_: undercut_minimum(round_, "pair"))
VIOLATIONS.put("equal-points-lose", "(28)", lambda round_: take_push(round_, "main"))
VIOLATIONS.put("nobody-offers-insurance", "(14)", omit("announce", what="insurance"))


def list_hands(round_: Round) -> list[Hand]:
    hands: list[Hand] = list(round_.facts["hands"].values())
    return hands


def settle_anew(round_: Round, start: int) -> None:
    """Settle all hands again by the cards that the events show now, from an index on."""
    dealer = round_.cards("dealer")
    for event in [event for event in round_.events[start:] if event["event"] in {"pay", "collect", "return"}]:
        round_.remove(event)
    lying = round_.stakes()
    settled = [REFEREE.results(round_, hand, dealer) for hand in list_hands(round_)]
    results = {key: result for outcome in settled for key, result in outcome.items() if lying[key].lying}
    end = start
    while round_.events[end]["event"] != "collect-cards":
        end += 1
    tail = round_.events[end:]
    del round_.events[end:]
    round_.settle(results)
    round_.events += tail


def insert_dealer_card(round_: Round) -> bool:
    """Deal the dealer one card more, and settle accordingly."""
    last = round_.all("deal", place="dealer")[-1]
    shown = round_.all("reveal", place="dealer")[-1]
    index = max(round_.place_of(last), round_.place_of(shown)) + 1
    round_.events.insert(index, make_event("deal", place="dealer", cards="2c", face="up", by="dealer"))
    settle_anew(round_, index)
    return True


@VIOLATIONS.breaks("(24)")
def dealer_draws_with_hard_seventeen_or_more(round_: Round) -> bool:
    dealer = round_.cards("dealer")
    points, is_soft = count(dealer)
    is_played = any(not hand.is_over and not hand.is_natural for hand in list_hands(round_))
    if is_soft or not 17 <= points <= 19 or not is_played or is_blackjack(dealer):
        return False
    return insert_dealer_card(round_)


@VIOLATIONS.breaks("(24)")
def dealer_stops_below_seventeen(round_: Round) -> bool:
    deals = round_.all("deal", place="dealer")
    if len(deals) < 3:
        return False
    index = round_.place_of(deals[-1])
    round_.remove(deals[-1])
    settle_anew(round_, index)
    return True


@VIOLATIONS.breaks("(25)")
def dealer_draws_with_soft_seventeen_against_the_choice(round_: Round) -> bool:
    is_played = any(not hand.is_over and not hand.is_natural for hand in list_hands(round_))
    if count(round_.cards("dealer")) != (17, True) or round_.house["soft-17"] == "draws" or not is_played:
        return False
    return insert_dealer_card(round_)


@VIOLATIONS.breaks("(25)")
def dealer_stops_with_soft_seventeen_against_the_choice(round_: Round) -> bool:
    deals = round_.all("deal", place="dealer")
    cards = round_.cards("dealer")
    if round_.house["soft-17"] != "draws" or len(cards) < 3 or count(cards[:-1]) != (17, True):
        return False
    index = round_.place_of(deals[-1])
    round_.remove(deals[-1])
    settle_anew(round_, index)
    return True


@VIOLATIONS.breaks("(26)")
def dealer_draws_though_no_hand_is_left(round_: Round) -> bool:
    dealer = round_.cards("dealer")
    is_played = any(not hand.is_over and not hand.is_natural for hand in list_hands(round_))
    if is_played or count(dealer)[0] > 16 or len(dealer) > 2:
        return False
    return insert_dealer_card(round_)


@VIOLATIONS.breaks("(27)")
def blackjack_is_paid_even_money(round_: Round) -> bool:
    for hand in list_hands(round_):
        for event in round_.all("pay", seat=hand.seat, wager="main"):
            if hand.is_natural:
                event["amount"] = event["amount"] * 2 // 3
                return True
    return False


@VIOLATIONS.breaks("(27)")
def blackjack_is_paid_six_to_five(round_: Round) -> bool:
    for hand in list_hands(round_):
        for event in round_.all("pay", seat=hand.seat, wager="main"):
            if hand.is_natural:
                event["amount"] = event["amount"] * 4 // 5
                return True
    return False


@VIOLATIONS.breaks("(4)")
def split_hand_is_paid_as_a_blackjack(round_: Round) -> bool:
    for hand in list_hands(round_):
        for event in round_.all("pay", seat=hand.seat, wager="main"):
            if hand.is_split and is_blackjack(hand.cards):
                event["amount"] = event["amount"] * 3 // 2
                return True
    return False


@VIOLATIONS.breaks("(28)")
def bust_hand_is_returned(round_: Round) -> bool:
    for hand in list_hands(round_):
        for event in round_.all("collect", seat=hand.seat, wager="main"):
            if count(hand.cards)[0] > 21:
                event["event"] = "return"
                return True
    return False


def add_card_to(round_: Round, hand: Hand) -> bool:
    """Deal a hand one card more after its last card, so that it is neither bust nor better."""
    last = round_.all("deal", place="player", seat=hand.seat)[-1]
    index = round_.place_of(last) + 1
    event = make_event("deal", place="player", seat=hand.seat, cards="2h", face="up", by="dealer")
    round_.events.insert(index, event)
    hand.cards.append("2h")
    if not hand.is_settled or count(hand.cards)[0] <= 21:
        end = next(place for place, other in enumerate(round_.events) if place > index and other["event"] == "reveal")
        settle_anew(round_, end)
    return True


@VIOLATIONS.breaks("(18)")
def second_card_after_a_double(round_: Round) -> bool:
    for hand in list_hands(round_):
        if "double" in hand.decisions and count(hand.cards)[0] <= 18:
            return add_card_to(round_, hand)
    return False


@VIOLATIONS.breaks("(21)")
def third_card_to_a_split_ace(round_: Round) -> bool:
    for hand in list_hands(round_):
        if hand.is_split and hand.cards[0][0] == "A" and count(hand.cards)[0] <= 18:
            return add_card_to(round_, hand)
    return False


@VIOLATIONS.breaks("(17)")
def card_after_standing(round_: Round) -> bool:
    for hand in list_hands(round_):
        if hand.decisions[-1:] == ["stand"] and count(hand.cards)[0] <= 18:
            return add_card_to(round_, hand)
    return False


@VIOLATIONS.breaks("(16)")
def blackjack_receives_a_card(round_: Round) -> bool:
    for hand in list_hands(round_):
        if hand.is_natural and not is_blackjack(round_.cards("dealer")):
            return add_card_to(round_, hand)
    return False


@VIOLATIONS.breaks("(18)")
def double_differs_from_main(round_: Round) -> bool:
    event = pick(round_, "wager", wager="double")
    if event is None:
        return False
    for kind in ("wager", "pay", "collect", "return"):
        for other in round_.all(kind, seat=event["seat"], wager="double"):
            other["amount"] *= 2
    return True


@VIOLATIONS.breaks("(19)")
def stake_of_a_split_differs_from_main(round_: Round) -> bool:
    for seat in round_.facts.get("split-of", {}):
        if round_.all("wager", seat=seat, wager="double"):
            continue
        for kind in ("wager", "pay", "collect", "return"):
            for event in round_.all(kind, seat=seat, wager="main"):
                event["amount"] *= 2
        return True
    return False


@VIOLATIONS.breaks("(14)")
def insurance_of_more_than_half(round_: Round) -> bool:
    event = pick(round_, "wager", wager="insurance")
    if event is None:
        return False
    for kind in ("wager", "pay", "collect"):
        for other in round_.all(kind, seat=event["seat"], wager="insurance"):
            other["amount"] *= 4
    return True


@VIOLATIONS.breaks("(14)")
def insurance_without_an_ace(round_: Round) -> bool:
    dealer = round_.cards("dealer")
    if dealer[0][0] == "A" or is_blackjack(dealer):
        return False
    seat = round_.facts["boxes"][0]
    amount = round_.stakes()[seat, "main", ()].amount // 2
    index = round_.place_of(round_.all("deal", place="dealer")[1]) + 1
    round_.events[index:index] = [
        make_event(kind, seat=seat, wager="insurance", amount=amount) for kind in ("wager", "collect")
    ]
    return True


@VIOLATIONS.breaks("(29)")
def whole_stake_is_taken_on_surrender(round_: Round) -> bool:
    for hand in list_hands(round_):
        for event in round_.all("collect", seat=hand.seat, wager="main"):
            if hand.is_surrendered:
                round_.remove(*round_.all("return", seat=hand.seat, wager="main"))
                event["amount"] *= 2
                return True
    return False


@VIOLATIONS.breaks("(22)")
def surrender_is_not_offered(round_: Round) -> bool:
    for hand in list_hands(round_):
        lost = round_.all("collect", seat=hand.seat, wager="main")
        if round_.house["surrender"] or hand.decisions != ["stand"] or hand.is_split or len(lost) != 1:
            continue
        round_.all("decide", seat=hand.seat)[0]["decision"] = "surrender"
        half = lost[0]["amount"] // 2
        lost[0]["amount"] -= half
        return True
    return False


@VIOLATIONS.breaks("(22)")
def surrender_after_a_hit(round_: Round) -> bool:
    for hand in list_hands(round_):
        lost = round_.all("collect", seat=hand.seat, wager="main")
        if not round_.house["surrender"] or hand.decisions[:2] != ["hit", "stand"] or len(lost) != 1:
            continue
        round_.all("decide", seat=hand.seat)[-1]["decision"] = "surrender"
        lost[0]["amount"] -= lost[0]["amount"] // 2
        return True
    return False


@VIOLATIONS.breaks("(12)")
def hole_card_is_dealt_face_up(round_: Round) -> bool:
    round_.all("deal", place="dealer")[1]["face"] = "up"
    return True


@VIOLATIONS.breaks("(24)")
def hole_card_is_shown_before_the_last_box(round_: Round) -> bool:
    decided, shown = round_.all("decide"), round_.all("reveal", place="dealer")
    if not decided or is_blackjack(round_.cards("dealer")):
        return False
    round_.move(shown[0], round_.place_of(decided[0]))
    return True


@VIOLATIONS.breaks("(9)")
def shoe_goes_on_after_the_cutting_card(round_: Round) -> bool:
    if not round_.facts.get("is-forced"):
        return False
    round_.remove(*round_.all("shuffle"), *round_.all("cut"), *round_.all("deal", place="burn"))
    return True


@VIOLATIONS.breaks("(28)")
def box_is_settled_before_the_dealer_draws(round_: Round) -> bool:
    deals, paid = round_.all("deal", place="dealer"), round_.all("pay", wager="main")
    paid = [event for event in paid if round_.all("decide", seat=event["seat"])]  # a blackjack may be paid at once
    if len(deals) < 3 or not paid or round_.place_of(paid[0]) < round_.place_of(deals[2]):
        return False
    round_.move(paid[0], round_.place_of(deals[2]))
    return True
