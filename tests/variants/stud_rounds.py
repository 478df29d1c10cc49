"""Rounds of stud played at random, lawfully and not, as log records, for comparison with a listener."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from tests.variants.stud_listener import (
    ANTE,
    BIG,
    BRING_IN,
    CHIP,
    RANKS,
    SMALL,
    SUITS,
    Betting,
    best_of,
    find_returned,
    shares,
    showing,
)

Event = dict[str, Any]
ACT_FAULTS = ("turn", "size", "out", "word", "over", "early", "late", "away")
DEAL_FAULTS = (
    *("left-out", "first-left-out", "given", "more", "packet-more"),
    *("no-burn", "burns", "swapped", "face", "copy"),
)
OTHER_FAULTS = ("kept", "returned", "won", "ante", "silent", "bring-in", "not-brought-in", "wrong-brings-in")


@dataclass
class Dealt:
    """Round as it was played: its record, and the street of each deal event."""

    record: Event
    streets: dict[int, int]
    fault: str | None
    planted: bool


@dataclass
class Dealer:
    """Dealer of one round, whose players act at random."""

    chance: random.Random
    fault: str | None
    events: list[Event] = field(default_factory=list)
    streets: dict[int, int] = field(default_factory=dict)
    planted: bool = False

    def round(self, name: str) -> Dealt:
        chance = self.chance
        count = chance.choice([2, 2, 3, 3, 4, 5, 6])
        numbers = sorted(chance.sample(range(1, 10), count))
        button = chance.randint(1, 9)
        self.at_button = button
        self.seats = sorted(numbers, key=lambda seat: (seat - button - 1) % 100)
        stacks = {seat: chance.choice([100, 200, 400, 1100, 1700, 3000, 8000, 60000, 60000, 60000]) for seat in numbers}
        away = next(number for number in range(1, 11) if number not in numbers)
        self.away = away
        self.deck = [rank + suit for rank in RANKS for suit in SUITS]
        chance.shuffle(self.deck)
        self.open: dict[int, list[str]] = {seat: [] for seat in numbers}
        self.held: dict[int, list[str]] = {seat: [] for seat in numbers}
        self.betting = Betting(self.seats, dict(stacks), set(self.seats))
        self.when = chance.randrange(5)
        for seat in numbers:
            if self._now("ante") and seat == numbers[-1]:
                continue
            self.events.append({"event": "wager", "seat": seat, "wager": "ante", "amount": ANTE})
            self.betting.behind[seat] -= ANTE
        self.betting.begin(0, None)
        for street in range(5):
            if street and len(self.betting.left) < 2:
                break
            self._deal(street)
            self._bet(street)
        self._show()
        self._settle()
        return Dealt(self._record(name, stacks), self.streets, self.fault, self.planted)

    def _now(self, *faults: str) -> bool:
        if self.fault in faults:
            self.planted = True
            return True
        return False

    def _record(self, name: str, stacks: dict[int, int]) -> Event:
        seats: list[Event] = []
        for seat in sorted(stacks):
            bets = sum(event["amount"] for event in self.events if event["event"] == "decide" and event["seat"] == seat)
            wagers = (
                [{"wager": "ante", "amount": ANTE}]
                if any(event["event"] == "wager" and event["seat"] == seat for event in self.events)
                else []
            )
            if bets:
                wagers.append({"wager": "bets", "amount": bets})
            seats.append({"seat": seat, "stack": stacks[seat], "cards": "".join(self.held[seat]), "wagers": wagers})
        if any(event.get("seat") == self.away for event in self.events):
            seats.append({"seat": self.away, "stack": 5000, "playing": False, "cards": "", "wagers": []})
            put = sum(event.get("amount", 0) for event in self.events if event.get("seat") == self.away)
            if put:
                seats[-1]["wagers"] = [{"wager": "bets", "amount": put}]
        record: Event = {"round": name, "table": "S1", "time": "2026-03-01T20:00:00Z", "game": "stud", "seats": seats}
        record["button"] = self.at_button
        return record | {"events": self.events, "unrecorded": ["shuffle", "cut", "misdeal", "fault"]}

    def _packet(self, street: int, seat: int | None, number: int, face: str) -> None:
        cards = [self.deck.pop() for _ in range(number)]
        if self.fault == "copy" and seat and street == self.when and not self.planted:
            self.planted = True
            held = [card for other in self.held.values() for card in other]
            if held:
                cards[0] = self.chance.choice(held)
        at: Event = {"place": "burn"} if seat is None else {"place": "player", "seat": seat}
        self.streets[len(self.events)] = street
        self.events.append({"event": "deal", **at, "cards": "".join(cards), "face": face})
        if seat is not None:
            self.held[seat] += cards
            if face == "up":
                self.open[seat] += cards

    def _deal(self, street: int) -> None:
        here = street == self.when
        betting, chance = self.betting, self.chance
        served = [seat for seat in self.seats if seat in betting.left]
        if street == 0:
            skipped = chance.choice(served) if self.fault == "first-left-out" and len(served) > 2 else None
            self.planted |= skipped is not None
            served = [seat for seat in served if seat != skipped]
            for turn in range(3):
                for seat in served:
                    self._packet(0, seat, 1, "up" if turn == 2 else "down")
        else:
            if self.fault == "given" and here and betting.left != set(self.seats):
                self.planted = True
                gone = chance.choice([seat for seat in self.seats if seat not in betting.left])
                served = [seat for seat in self.seats if seat in betting.left or seat == gone]
            if self.fault == "left-out" and here and len(served) > 1:
                self.planted = True
                served.remove(chance.choice(served))
            if self.fault == "swapped" and here and len(served) > 1:
                self.planted = True
                served[0], served[1] = served[1], served[0]
            if not (here and self._now("no-burn")):
                self._packet(street, None, 2 if here and self._now("burns") else 1, "down")
            odd = chance.choice(served)
            for seat in served:
                face = "down" if street == 4 else "up"
                if seat == odd and here and self._now("face"):
                    face = "up" if street == 4 else "down"
                self._packet(street, seat, 2 if seat == odd and here and self._now("more") else 1, face)
            if here and self._now("packet-more"):
                self._packet(street, odd, 1, "down" if street == 4 else "up")
        if street:
            betting.begin(street, None)
        betting.opener = self._opener(street)

    def _opener(self, street: int) -> int:
        """Return the first seat to act among those with the right number of open cards."""
        due = (1, 2, 3, 4, 4)[street]
        inside = [seat for seat in self.seats if seat in self.betting.left]
        fit = [seat for seat in inside if len(self.open[seat]) == due] or inside
        worst = street == 0
        best = (min if worst else max)(showing(self.open[seat]) if self.open[seat] else () for seat in fit)
        return next(seat for seat in fit if not self.open[seat] or showing(self.open[seat]) == best)

    def _bet(self, street: int) -> None:
        betting, chance, acts = self.betting, self.chance, 0
        while (seat := betting.next_to_act()) is not None:
            if acts > 40:
                return
            here = chance.random() < 0.15
            acts += 1
            if here and self.fault == "early" and street < 4:
                self.planted = True
                return
            self._act(seat, here)
        if chance.random() < 0.3 and self.fault == "late" and len(betting.able()) > 1:
            self.planted = True
            self._decide(chance.choice(sorted(betting.able())), "check", 0)

    def _act(self, due: int, here: bool) -> None:
        betting, chance = self.betting, self.chance
        seat = due
        if here and self.fault == "turn" and len(betting.able()) > 1:
            self.planted = True
            seat = chance.choice(sorted(betting.able() - {due}))
        if betting.street == 0 and betting.level == 0 and self.fault == "wrong-brings-in" and len(betting.able()) > 1:
            self.planted = True
            seat = chance.choice(sorted(betting.able() - {due}))
        if here and self.fault == "out" and betting.left != set(self.seats):
            self.planted = True
            seat = chance.choice([seat for seat in self.seats if seat not in betting.left])
        decision, amount = self._choice(seat)
        if here and self._now("size"):
            decision, amount = chance.choice(
                [
                    ("bet" if not betting.level else "raise", chance.choice([100, 700, 1500, 2500])),
                    (decision, amount + 100),
                ]
            )
        if here and self._now("word"):
            decision = chance.choice(["check", "call", "bet", "raise", "complete", "bring-in", "fold", "concede"])
            if decision in ("fold", "concede") and len(betting.left) < 3:
                decision = "check"
            amount = 0 if decision in ("check", "fold", "concede") else amount
        if here and self._now("over"):
            decision, amount = "raise" if betting.level else "bet", betting.behind[seat] + chance.choice([100, 1000])
        if here and self._now("away"):
            seat = self.away
            decision, amount = chance.choice([("check", 0), ("fold", 0), ("call", 1000), ("bet", 1000)])
        self._decide(seat, decision, amount)

    def _choice(self, seat: int) -> tuple[str, int]:
        """Choose an act that is lawful if it is this seat's turn."""
        betting, roll = self.betting, self.chance.random()
        behind, put = betting.behind[seat], betting.put[seat]
        owed = max(betting.level - put, 0)
        size = betting.size
        if betting.street == 0 and betting.level == 0 and self.fault != "not-brought-in":
            if roll < 0.75:
                wrong = 100 if self._now("bring-in") else 0
                return "bring-in", min(BRING_IN, behind) - wrong
            return "complete", min(SMALL, behind)
        self.planted |= self.fault == "not-brought-in"
        if betting.street == 1 and any(len(cards) == 2 and cards[0][0] == cards[1][0] for cards in self.open.values()):
            size = BIG if betting.raised_by >= BIG else self.chance.choice([SMALL, BIG])
        may = seat in betting.may_raise
        if betting.level == 0:
            return ("bet", min(size, behind)) if roll < 0.5 else ("check", 0)
        if betting.level < betting.size and may and roll < 0.3 and behind > owed:
            return "complete", min(betting.size - put, behind)
        if betting.level > BRING_IN and may and betting.raises < 3 and roll < 0.3 and behind > owed:
            return "raise", min(owed + size, behind)
        if owed and roll > 0.8 and len(betting.left) > 1:
            return "fold", 0
        return ("call", min(owed, behind)) if owed else ("check", 0)

    def _decide(self, seat: int, decision: str, amount: int) -> None:
        due = self.betting.next_to_act()
        self.events.append({"event": "decide", "seat": seat, "decision": decision, "amount": amount})
        self.betting.act(seat, decision, amount, due)

    def _show(self) -> None:
        inside = [seat for seat in self.seats if seat in self.betting.left]
        if len(inside) < 2:
            return
        silent = self.chance.choice(inside)
        for seat in inside:
            if seat == silent and self._now("silent"):
                continue
            if self.chance.random() < 0.3 and len(self.betting.left) > 1:
                self._decide(seat, "concede", 0)
            else:
                self.events.append(
                    {"event": "reveal", "place": "player", "seat": seat, "cards": "".join(self.held[seat])}
                )

    def _settle(self) -> None:
        left = self.betting.left
        back, owner = find_returned(self.events, self.seats, left)
        bets = sum(event["amount"] for event in self.events if event["event"] == "decide" and event["seat"] == owner)
        if back and not self._now("kept"):
            amount = min(bets, back + CHIP) if self._now("returned") else back
            self.events.append({"event": "return", "seat": owner, "wager": "bets", "amount": amount})
        for pot, (chips, able) in enumerate(shares(self.events, self.seats, left)):
            whole = len(able) < 2 or all(len(self.held[seat]) >= 5 for seat in able)
            winners = best_of(able, self.held) if whole else able
            if len(left) > 1 and self._now("won"):
                winners = [self.chance.choice(sorted(left))]
            for place, seat in enumerate(winners):
                amount = (chips // len(winners) + (place < chips % len(winners))) * CHIP
                self.events.append({"event": "award", "seat": seat, "amount": amount, "pot": pot})


def deal_round(seed: int) -> Dealt:
    """Deal a round by a seed: three of four have a fault."""
    chance = random.Random(seed)
    fault = chance.choice([None, *ACT_FAULTS, *DEAL_FAULTS, *OTHER_FAULTS]) if chance.random() < 0.75 else None
    return Dealer(chance, fault).round(f"R{seed}")
