"""Rounds of blackjack dealt from a shoe, played and settled in plain Python, without the program, as a hand log."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

GAME = "blackjack"
CASINO = "Simulated House"
RANKS = "23456789TJQKA"
SHOE = [rank + suit for rank in RANKS for suit in "cdhs"] * 6
SIZES = (2000, 2000, 2500, 5000, 5000, 7500, 10_000, 12_500, 20_000, 50_000)
MOST_HANDS = 4
SOFT_DOUBLES = {13: (5, 6), 14: (5, 6), 15: (4, 5, 6), 16: (4, 5, 6), 17: (3, 4, 5, 6), 18: (3, 4, 5, 6)}
"""Values of the dealer's card against which a soft hand is doubled, by its points."""


_VALUES = {rank: 1 if rank == "A" else min(place + 2, 10) for place, rank in enumerate(RANKS)}


def value_of(card: str) -> int:
    """Return what a card counts; an ace 1."""
    return _VALUES[card[0]]


def count(cards: Sequence[str]) -> tuple[int, bool]:
    """Return the points of a hand, and whether an ace counts 11."""
    total = sum(map(value_of, cards))
    soft = total <= 11 and any(card[0] == "A" for card in cards)
    return total + 10 * soft, soft


@dataclass
class PlayedHand:
    """A hand of a box."""

    seat: int
    cards: list[str]
    from_: int | None = None
    """Seat of the hand that was split."""
    dealt: list[str] = field(default_factory=list)
    """Cards dealt to the seat, as a log lists them."""
    doubled: bool = False
    surrendered: bool = False
    decisions: list[str] = field(default_factory=list)


Policy = Callable[[PlayedHand, int, Sequence[str], random.Random], str]
"""The decision for a hand, against the value of the dealer's card, among those that are open."""


def play_basic(hand: PlayedHand, up: int, open_: Sequence[str], rng: random.Random) -> str:
    """Decide by basic strategy for six decks."""
    total, soft = count(hand.cards)
    first = value_of(hand.cards[0])
    if "split" in open_:
        against = {1: range(1, 11), 8: range(1, 11), 9: (2, 3, 4, 5, 6, 8, 9), 7: range(2, 8), 6: range(2, 7)}
        against |= {4: (5, 6), 3: range(2, 8), 2: range(2, 8)}
        if up in against.get(first, ()):
            return "split"
    if "surrender" in open_ and not soft and ((total == 16 and up in (1, 9, 10)) or (total == 15 and up == 10)):
        return "surrender"
    doubles = SOFT_DOUBLES if soft else {11: range(2, 11), 10: range(2, 10), 9: range(3, 7)}
    if "double" in open_ and up in doubles.get(total, ()):
        return "double"
    if soft:
        return "stand" if total >= 19 or (total == 18 and up in range(2, 9)) else "hit"
    stands = total >= 17 or (total >= 13 and up in range(2, 7)) or (total == 12 and up in (4, 5, 6))
    return "stand" if stands else "hit"


def play_timidly(hand: PlayedHand, up: int, open_: Sequence[str], rng: random.Random) -> str:
    """Take no card that may bust the hand."""
    total, soft = count(hand.cards)
    return "hit" if total <= 11 or (soft and total <= 17) else "stand"


def play_like_the_dealer(hand: PlayedHand, up: int, open_: Sequence[str], rng: random.Random) -> str:
    """Take cards up to 16."""
    return "hit" if count(hand.cards)[0] <= 16 else "stand"


def play_wildly(hand: PlayedHand, up: int, open_: Sequence[str], rng: random.Random) -> str:
    """Split and double far too often."""
    total, _ = count(hand.cards)
    if "split" in open_ and rng.random() < 0.9:
        return "split"
    if "double" in open_ and 7 <= total <= 12 and rng.random() < 0.8:
        return "double"
    return rng.choice(["hit", "stand"]) if rng.random() < 0.2 else play_basic(hand, up, ["hit", "stand"], rng)


POLICIES: tuple[Policy, ...] = (play_basic, play_timidly, play_like_the_dealer, play_wildly)


@dataclass
class TableHabits:
    """Table that keeps to the rules, or to others."""

    shoe: Sequence[str] = tuple(SHOE)
    draws_to: int = 16
    """Highest points with which the dealer takes a card."""
    natural_pays: float = 1.5
    counts_cards: bool = False
    """True if players stake more when the cards left favour them."""


def rounds(
    number: int,
    seed: int,
    *,
    day: str = "2026-03-02",
    policies: Sequence[Policy] = POLICIES,
    boxes: int = 4,
    house: TableHabits | None = None,
    table: str = "B1",
) -> Iterator[dict[str, Any]]:
    """Yield rounds of a day. Each of up to `boxes` players has a policy and an own level of stakes."""
    rng, house = random.Random(f"{day}-{table}-{seed}"), house or TableHabits()
    players = [(rng.choice(list(policies)), rng.choice(SIZES)) for _ in range(rng.randint(1, boxes))]
    shoe: list[str] = []
    for at in range(number):
        if len(shoe) < 78:
            shoe = list(house.shoe)
            rng.shuffle(shoe)
        spread = _find_spread(shoe) if house.counts_cards else 1
        stakes = [base * spread * rng.choice((1, 1, 1, 2, 3) if spread == 1 else (1,)) for _, base in players]
        record = _Round(shoe, [policy for policy, _ in players], stakes, house, rng).play()
        found = {"round": f"{table}-{day}-{at}", "casino": CASINO, "table": table, "game": GAME}
        yield (found | {"time": f"{day}T{at // 60 % 24:02}:{at % 60:02}:00Z"} | record)


def _find_spread(shoe: Sequence[str]) -> int:
    """Return by what a player who counts cards multiplies the stake: by more where the cards left favour players."""
    values = [*map(value_of, shoe)]
    high = sum(value in (1, 10) for value in values) - sum(2 <= value <= 6 for value in values)
    return max(1, min(12, round(2 * (high / len(shoe) * 52) - 1)))


class _Round:
    def __init__(
        self, shoe: list[str], policies: Sequence[Policy], stakes: Sequence[int], house: TableHabits, rng: random.Random
    ) -> None:
        self.shoe, self.policies, self.stakes, self.house, self.rng = shoe, policies, stakes, house, rng
        self.events: list[dict[str, Any]] = []
        self.next_seat = 8

    def play(self) -> dict[str, Any]:
        boxes = [[PlayedHand(seat=seat, cards=[self.shoe.pop()])] for seat in range(1, len(self.stakes) + 1)]
        dealer = [self.shoe.pop()]
        for (hand,) in boxes:
            hand.cards.append(self.shoe.pop())
            hand.dealt = list(hand.cards)
        dealer.append(self.shoe.pop())
        over = count(dealer)[0] == 21
        if not over:
            for box, policy in zip(boxes, self.policies, strict=True):
                self.play_box(box, policy, value_of(dealer[0]))
        hands = [(hand, box) for box in boxes for hand in box]
        live = [
            hand
            for hand, box in hands
            if count(hand.cards)[0] <= 21 and not hand.surrendered and not is_natural(hand, box)
        ]
        while live and not over and count(dealer)[0] <= self.house.draws_to:
            dealer.append(self.shoe.pop())
        seats = [
            self.settle(hand, box, dealer, stake) for box, stake in zip(boxes, self.stakes, strict=True) for hand in box
        ]
        seats.sort(key=lambda seat: int(seat["seat"]))
        found = {"seats": seats, "dealer": "".join(dealer), "events": self.events}
        return found | {"unrecorded": ["deal", "wager", "pay", "collect", "return"]}

    def play_box(self, box: list[PlayedHand], policy: Policy, up: int) -> None:
        waiting = [box[0]]
        while waiting:
            hand = waiting.pop()
            while True:
                total, _ = count(hand.cards)
                is_ace = len(box) > 1 and hand.cards[0][0] == "A" and len(hand.cards) > 1
                if total >= 21 or is_natural(hand, box) or is_ace or hand.doubled:
                    break
                open_ = ["hit", "stand"]
                if len(hand.cards) == 2:
                    open_.append("double")
                    pair = value_of(hand.cards[0]) == value_of(hand.cards[1])
                    open_ += ["split"] if pair and len(box) < MOST_HANDS else []
                    open_ += ["surrender"] if len(box) == 1 else []
                decision = policy(hand, up, open_, self.rng)
                hand.decisions.append(decision)
                self.events.append({"event": "decide", "seat": hand.seat, "decision": decision})
                if decision == "split":
                    new = PlayedHand(seat=self.next_seat, cards=[hand.cards.pop()], from_=hand.seat)
                    self.events.append({"event": "split", "seat": hand.seat, "cards": new.cards[0], "to": new.seat})
                    self.next_seat += 1
                    box.append(new)
                    for each in (hand, new):
                        self.deal(each)
                    waiting.append(new)
                elif decision in ("hit", "double"):
                    hand.doubled = decision == "double"
                    self.deal(hand)
                else:
                    hand.surrendered = decision == "surrender"
                    break

    def deal(self, hand: PlayedHand) -> None:
        card = self.shoe.pop()
        hand.cards.append(card)
        hand.dealt.append(card)

    def settle(self, hand: PlayedHand, box: Sequence[PlayedHand], dealer: Sequence[str], stake: int) -> dict[str, Any]:
        own, other = count(hand.cards)[0], count(dealer)[0]
        blackjack = other == 21 and len(dealer) == 2
        paid = taken = 0
        if blackjack:
            taken = 0 if is_natural(hand, box) else stake
        elif hand.surrendered:
            taken = stake // 2
        elif own > 21:
            taken = stake
        elif is_natural(hand, box):
            paid = int(stake * self.house.natural_pays)
        elif other > 21 or own > other:
            paid = stake
        elif own < other:
            taken = stake
        wagers = [{"wager": name, "amount": stake, "paid": paid, "taken": taken} for name in ("main", "double")]
        found: dict[str, Any] = {"seat": hand.seat, "cards": "".join(hand.dealt)}
        found |= {} if hand.from_ is None else {"split-of": hand.from_}
        found |= {"decision": hand.decisions[-1]} if hand.decisions else {}
        return found | {"wagers": wagers if hand.doubled else wagers[:1]}


def is_natural(hand: PlayedHand, box: Sequence[PlayedHand]) -> bool:
    """Return whether a hand is a blackjack: 21 with the first two cards of a box that was not split."""
    return len(box) == 1 and len(hand.cards) == 2 and count(hand.cards)[0] == 21
