"""Generator of lawful rounds of Caribbean Draw Poker, settled by the text alone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone

from tests.lawful.habits import Habits, finish, project
from tests.lawful.hands import CATEGORIES, category_of, group_ranks, make_five, rank_five, rank_of
from tests.lawful.record import (
    Event,
    Record,
    Recorder,
    Round,
    Session,
    Submission,
    interleave,
    join_cards,
    make_event,
    shuffle_deck,
    split_amount,
    write_amount,
)

GAME = "caribbean-draw"
TOKEN = 100
BET_ODDS = {
    "royal-flush": 100,
    "straight-flush": 50,
    "four-of-a-kind": 20,
    "full-house": 7,
    "flush": 5,
    "straight": 3,
    "three-of-a-kind": 2,
}
"""Odds of the Bet, 14.2; all lower hands pay 1 to 1."""
AWARDS = {"four-of-a-kind": 50_000, "full-house": 10_000, "flush": 5_000}
"""Fixed awards of 9.3."""
STRAIGHT_FLUSH_AWARD = 500_000
STANDING = ("straight", "flush", "full-house", "four-of-a-kind", "straight-flush", "royal-flush")


@dataclass(frozen=True)
class House:
    """Choices of a casino."""

    name: str
    minimum: int = 100
    maximum: int = 250
    tips: bool = True
    progressive: bool = True
    fixed_straight_flush: bool = False
    increment: int = 70
    tables: tuple[str, ...] = ()
    positions: int = 7
    effective: str = "2026-01-01"
    is_linked: bool = False
    """True if other tables feed the meter too, 3.1."""

    def submission(self) -> Submission:
        """Return a submission that states these choices and complies."""
        by = f"General manager of {self.name}"
        rows: list[dict[str, str]] = [{"hand": hand, "odds": f"{odds} to 1"} for hand, odds in BET_ODDS.items()]
        awards = [
            {"hand": "royal-flush", "odds": "100% of meter"},
            {"hand": "straight-flush", "odds": "$5,000" if self.fixed_straight_flush else "10% of meter"},
            {"hand": "four-of-a-kind", "odds": "$500"},
            {"hand": "full-house", "odds": "$100"},
            {"hand": "flush", "odds": "$50"},
        ]
        wagers: list[dict[str, object]] = [
            {
                "wager": "ante",
                "minimum": write_amount(self.minimum),
                "maximum": write_amount(self.maximum),
                "posted": ["layout", "signage"],
                "tips": self.tips,
            },
            {
                "wager": "bet",
                "minimum": write_amount(2 * self.minimum),
                "maximum": write_amount(2 * self.maximum),
                "posted": ["layout"],
                "tips": False,
            },
        ]
        tables: list[dict[str, object]] = [
            {"pays": "bet", "displayed": ["layout"], "rows": [*rows, {"hand": "two-pair-or-lower", "odds": "1 to 1"}]}
        ]
        submission: Submission = {
            "submission": f"{self.name} {self.effective}",
            "licensee": {"name": self.name, "license": "L-3"},
            "document": GAME,
            "effective": self.effective,
            "deck": {"cards": "standard-52", "decks": 1, "backs": ["green"]},
            "dealing": "one-at-a-time",
            "hands-per-player": 1,
            "wagers": wagers,
            "pay-tables": tables,
            "layout": {
                "style": GAME,
                "positions": self.positions,
                "areas": [
                    {"wager": "ante", "legend": "ANTE"},
                    {"wager": "bet", "legend": "BET"},
                    {"for": "cards", "legend": "CARDS"},
                ],
                "signage": [{"text": "Progressive jackpot"}, {"text": "Awards"}],
            },
            "games-offered": ["Caribbean Draw Poker"],
            "attestations": [
                {"clause": clause, "by": by, "given": "2025-12-15"} for clause in ("1", "3.4", "7.1", "8.2", "14.4")
            ],
        }
        if self.progressive:
            wagers.append(
                {
                    "wager": "progressive",
                    "minimum": write_amount(TOKEN),
                    "maximum": write_amount(TOKEN),
                    "posted": ["signage"],
                    "tips": False,
                }
            )
            tables.append({"pays": "progressive", "displayed": ["signage"], "rows": awards})
            submission["meters"] = [
                {
                    "meter": "progressive",
                    "seed": write_amount(1_000_000),
                    "increment": write_amount(self.increment),
                    "fed-by": "progressive",
                    "games": [GAME, "caribbean-stud"] if self.is_linked else [GAME],
                }
                | ({"tables": list(self.tables)} if self.tables else {})
            ]
        if self.tables:
            submission["tables"] = list(self.tables)
        return submission


@dataclass
class Hand:
    """Part of one player in a round."""

    seat: int
    player: str
    ante: int = 100
    tip: int = 0
    has_token: bool = False
    cards: list[str] = field(default_factory=list)
    decision: str = "call"
    discards: list[str] = field(default_factory=list)
    drawn: list[str] = field(default_factory=list)
    claims: bool = False
    is_dead: bool = False

    def final(self) -> list[str]:
        return [card for card in self.cards if card not in self.discards] + self.drawn

    def plays(self) -> bool:
        return self.decision == "call" and not self.is_dead


def is_award(cards: Sequence[str]) -> bool:
    """Return whether five cards are a flush or better, 3.1."""
    return rank_five(cards)[0] >= CATEGORIES.index("flush")


def four_flush(cards: Sequence[str]) -> list[str]:
    for suit in "cdhs":
        suited = [card for card in cards if card[1] == suit]
        if len(suited) == 4:
            return suited
    return []


def straight_draws(cards: Sequence[str]) -> list[tuple[int, ...]]:
    """Return the sets of four ranks that one card completes to a straight."""
    ranks = {rank_of(card) for card in cards}
    found = []
    for top in range(5, 15):
        run = {rank if rank > 1 else 14 for rank in range(top - 4, top + 1)}
        if len(run & ranks) == 4:
            found.append(tuple(sorted(run & ranks)))
    return found


def is_open_ended(ranks: Sequence[int]) -> bool:
    return ranks[-1] - ranks[0] == 3 and ranks[-1] < 14


def dealer_discards(cards: Sequence[str]) -> list[str] | None:
    """Return what the dealer must discard, 12.1 to 12.3; None where the text leaves it open."""
    category = category_of(cards)
    ordered = sorted(cards, key=rank_of)
    if category in STANDING:
        return []
    groups = group_ranks(cards)
    if category == "two-pair":
        return [card for card in cards if rank_of(card) == groups[2][1]]
    if category == "three-of-a-kind":
        return [card for card in cards if rank_of(card) != groups[0][1]]
    if category == "pair":
        return [card for card in ordered if rank_of(card) != groups[0][1]][:2]
    suited = four_flush(cards)
    if suited:
        return [card for card in cards if card not in suited]
    draws = set(straight_draws(cards))
    if draws:
        open_ended = [ranks for ranks in draws if is_open_ended(ranks)]
        if len(open_ended) != 1:
            return None
        return [card for card in cards if rank_of(card) not in open_ended[0]]
    return ordered[:2]


def is_qualifying(cards: Sequence[str]) -> bool:
    """Return whether the dealer holds at least a pair of eights, 13."""
    category, ranks = rank_five(cards)
    return category > 1 or (category == 1 and ranks[0] >= 8)


def bet_odds(cards: Sequence[str]) -> int:
    return BET_ODDS.get(category_of(cards), 1)


@dataclass
class Plan:
    """Plan of one round."""

    hands: list[Hand]
    dealer: list[str]
    dealer_out: list[str]
    dealer_drawn: list[str]
    rest: list[str]
    trouble: str | None = None
    others: int = 0
    """Tokens that other tables feed into the meter while this round is played."""

    def dealer_final(self) -> list[str]:
        return [card for card in self.dealer if card not in self.dealer_out] + self.dealer_drawn


@dataclass
class Table:
    """A table in operation."""

    house: House
    name: str
    rng: random.Random
    now: datetime
    habits: Habits = field(default_factory=Habits)
    number: int = 0
    seated: dict[int, str] = field(default_factory=dict)
    players: int = 0
    meter: int = 1_000_000
    has_meter: bool = True
    is_locked: bool = False
    clears_late: bool = False
    deck: str | None = None
    verifies_each: bool | None = None
    """True if discards are verified player by player; None leaves it to chance."""

    # Plans

    def plan(self, seats: Sequence[int] | None = None) -> Plan:
        """Return a round at random for the players who sit there."""
        while True:
            plan = self._plan(sorted(self.seated) if seats is None else seats)
            if plan is not None:
                return plan

    def _plan(self, seats: Sequence[int]) -> Plan | None:
        rng, house = self.rng, self.house
        deck = shuffle_deck(rng)
        fixed: dict[int, list[str]] = {}
        made = rng.choice([*AWARDS, "straight-flush", "straight", "three-of-a-kind", "two-pair", "pair"])
        if rng.random() < 0.05:
            made = "royal-flush"
        if rng.random() < 0.45:
            fixed[rng.choice([0, *seats])] = make_five(rng, made)
            other = rng.choice([*seats])
            if made == "royal-flush" and other not in fixed and rng.random() < 0.5:
                fixed[other] = make_five(rng, made)
        taken = {card for cards in fixed.values() for card in cards}
        if len(taken) < 5 * len(fixed):
            return None
        deck = [card for card in deck if card not in taken]
        dealer = fixed.get(0) or [deck.pop() for _ in range(5)]
        out = dealer_discards(dealer)
        if out is None:
            return None
        hands = []
        for seat in seats:
            hand = Hand(seat, self.seated.get(seat, f"P{seat}"), ante=rng.randint(house.minimum, house.maximum))
            hand.ante = rng.choice([hand.ante, house.minimum, house.maximum])
            hand.tip = rng.choice([hand.ante, rng.randint(1, hand.ante)]) if house.tips and rng.random() < 0.15 else 0
            hand.has_token = house.progressive and rng.random() < 0.6
            hand.cards = fixed.get(seat) or [deck.pop() for _ in range(5)]
            hands.append(hand)
        if self._has_open_award(hands):
            return None
        for hand in hands:
            self._decide(hand)
        drawing = [hand for hand in hands if hand.discards]
        if len(deck) < 2 + len(out) + sum(len(hand.discards) for hand in drawing):
            return None  # the text does not say what happens when the deck runs out
        for hand in drawing:
            hand.drawn = [deck.pop() for _ in hand.discards]
        drawn = [deck.pop() for _ in out]
        return Plan(hands, dealer, out, drawn, deck, others=rng.choice([0, 10]) if house.is_linked else 0)

    def _has_open_award(self, hands: Sequence[Hand]) -> bool:
        """Return whether awards of this deal depend on what the text leaves open."""
        awards = [category_of(hand.cards) for hand in hands if hand.has_token and is_award(hand.cards)]
        shares = [category for category in awards if category in {"royal-flush", "straight-flush"}]
        shown = self.meter + self.house.increment * sum(hand.has_token for hand in hands)
        is_shared = shares == ["royal-flush", "royal-flush"]
        return (len(shares) > 1 and not is_shared) or (bool(shares) and shown % 10 > 0)

    def _decide(self, hand: Hand) -> None:
        rng = self.rng
        category = category_of(hand.cards)
        hand.decision = "fold" if category == "no-pair" and rng.random() < 0.5 else "call"
        if rng.random() < 0.04:
            hand.decision = "fold"
        if hand.decision == "fold":
            return
        groups = group_ranks(hand.cards)
        loose = sorted((card for card in hand.cards if rank_of(card) != groups[0][1]), key=rank_of)
        if category in STANDING:
            hand.discards = loose[-1:] if category == "four-of-a-kind" and rng.random() < 0.3 else []
        elif rng.random() < 0.8:
            hand.discards = loose[: 1 if category == "two-pair" else 2]
        else:
            hand.discards = rng.sample(hand.cards, rng.randint(0, 2))
        hand.claims = hand.has_token and (rng.random() < 0.9 if is_award(hand.cards) else rng.random() < 0.02)

    # The round

    def seat_players(self, target: int) -> tuple[list[Event], list[Event]]:
        """Let players leave and arrive; return the events of both."""
        rng = self.rng
        leaves = [make_event("leave", seat=seat) for seat in sorted(self.seated) if rng.random() < 0.06]
        for event in leaves:
            del self.seated[event["seat"]]
        free = [seat for seat in range(1, self.house.positions + 1) if seat not in self.seated]
        rng.shuffle(free)
        arrivals = []
        while free and len(self.seated) < target and (not self.seated or rng.random() < 0.5):
            seat = free.pop()
            self.players += 1
            self.seated[seat] = f"P{self.players}"
            arrivals.append(make_event("arrive", seat=seat))
        return leaves, arrivals

    def wagers(self, plan: Plan) -> tuple[list[list[Event]], list[list[Event]]]:
        """Return Antes and tips, and tokens, of each hand."""
        rng = self.rng
        antes, tokens = [], []
        for hand in plan.hands:
            parts = split_amount(rng, hand.ante, 2) if rng.random() < 0.1 else [hand.ante]
            events = [make_event("wager", seat=hand.seat, wager="ante", amount=part) for part in parts]
            if rng.random() < 0.05:
                events.append(make_event("wager", seat=hand.seat, wager="ante", amount=50))
                events.append(make_event("withdraw", seat=hand.seat, wager="ante", amount=50))
            if hand.tip:
                tip = make_event("wager", seat=hand.seat, wager="ante", amount=hand.tip, tip=True)
                events.insert(rng.choice([0, len(events)]), tip)
            antes.append(events)
            if hand.has_token:
                tokens.append([make_event("wager", seat=hand.seat, wager="progressive", amount=TOKEN)])
        return antes, tokens

    def play(self, plan: Plan, round_id: str, *, before: Sequence[Event] = (), arrivals: Sequence[Event] = ()) -> Round:
        """Return the whole round that a plan says."""
        round_ = Round(
            id=round_id,
            game=GAME,
            table=self.name,
            time=self.now,
            casino=self.house.name,
            number=self.number or None,
            deck=self.deck,
            exchanges=("player", "dealer"),
        )
        for hand in plan.hands:
            round_.seat(hand.seat, player=hand.player)
        round_.events += before
        if self.is_locked:
            round_.add("device", what="clear-lockout", by="dealer")
            self.is_locked = False
        self.place_wagers(round_, plan, arrivals)
        shown = self.meter + self.house.increment * (sum(hand.has_token for hand in plan.hands) + plan.others)
        closing = shown
        self.deal(round_, plan)
        if plan.trouble == "dealer-miscount":
            closing = self.misdeal_to_the_table(round_, plan, shown)
        else:
            late = plan.trouble == "dealer-miscount-late"
            self.decide(round_, plan, late=late)
            if late:
                closing = self.misdeal_to_the_table(round_, plan, shown)
            elif any(hand.plays() for hand in plan.hands):
                closing = self.awards(round_, plan, shown)
                self.draw(round_, plan)
                self.showdown(round_, plan)
            else:
                self.nobody_left(round_, plan)
        self.finish(round_, plan)
        if self.has_meter:
            round_.keys["meters"] = [
                {"meter": "progressive", "opening": self.meter, "shown": shown, "closing": closing}
            ]
        self.meter = closing
        return round_

    def place_wagers(self, round_: Round, plan: Plan, arrivals: Sequence[Event]) -> None:
        """Shuffle and cut, take wagers, and lock the slots before the deal, 3.3 and 5."""
        rng = self.rng
        cards = [
            make_event("shuffle", by="dealer"),
            make_event("cut", by=rng.choice(["player", "dealer", None]), number=rng.choice([None, 20])),
        ]
        antes, tokens = self.wagers(plan)
        late: list[list[Event]] = []
        if len(antes) > 1 and rng.random() < 0.04 and not plan.hands[-1].has_token:
            late = [antes.pop()]
        came = [[event] for event in arrivals]
        seats = {event["seat"]: event for event in arrivals}
        lines = [[*([seats[events[0]["seat"]]] if events[0]["seat"] in seats else []), *events] for events in antes]
        token_of = {events[0]["seat"]: events for events in tokens}
        lines = [interleave_after(rng, line, token_of.get(line[-1]["seat"], [])) for line in lines]
        alone = [events for events in came if events[0]["seat"] not in {line[-1]["seat"] for line in lines}]
        collects = [
            make_event("collect", seat=hand.seat, wager="progressive", amount=TOKEN)
            for hand in plan.hands
            if hand.has_token
        ]
        if rng.random() < 0.5:
            round_.events += interleave(rng, cards, *lines, *alone)
        else:
            round_.events += cards + interleave(rng, *lines, *alone)
        if rng.random() < 0.5:
            for event in collects:
                at = next(
                    index
                    for index, other in enumerate(round_.events)
                    if other["event"] == "wager" and other["wager"] == "progressive" and other["seat"] == event["seat"]
                )
                round_.events.insert(at + 1, event)
            collects = []
        lock = make_event("device", what="lock-coin-in", by="dealer")
        round_.events += rng.choice([[lock, *collects], [*collects, lock]])
        round_.events += [event for events in late for event in events]

    def deal(self, round_: Round, plan: Plan) -> None:
        """Deal one card at a time, the dealer last, 5."""
        rng = self.rng
        deals: list[Event] = []
        for index in range(5):
            for hand in plan.hands:
                card = hand.cards[index]
                deals.append(make_event("deal", place="player", seat=hand.seat, cards=card, face="down", by="dealer"))
            deals.append(make_event("deal", place="dealer", cards=plan.dealer[index], face="down", by="dealer"))
        wrong = None
        if plan.trouble in {"dead-hand", "dead-hand-late"}:
            wrong = rng.choice(plan.hands)
            wrong.is_dead = True
            wrong.has_token, wrong.decision, wrong.discards, wrong.drawn, wrong.claims = False, "", [], [], False
        if plan.trouble in {"dealer-miscount", "dealer-miscount-late"} or wrong:
            seat = wrong.seat if wrong else None
            mine = [index for index, event in enumerate(deals) if event.get("seat") == seat]
            at = rng.choice(mine)
            cards = wrong.cards if wrong else plan.dealer
            if rng.random() < 0.3:
                cards.remove(deals[at]["cards"])
                del deals[at]
            else:
                card = plan.rest.pop()
                cards.append(card)
                if rng.random() < 0.5:
                    deals[at]["cards"] += card
                else:
                    deals.insert(at + 1, deals[at] | {"cards": card})
        round_.events += deals

    def give_back(self, hand: Hand, *, bet: bool) -> list[Event]:
        events = [make_event("return", seat=hand.seat, wager="ante", amount=hand.ante)]
        if hand.tip:
            events.append(make_event("return", seat=hand.seat, wager="ante", amount=hand.tip, tip=True))
        if bet:
            events.append(make_event("return", seat=hand.seat, wager="bet", amount=2 * hand.ante))
        self.rng.shuffle(events)
        return events

    def take_hand(self, hand: Hand) -> Event:
        what = self.rng.choice(["hand", "hand", None])
        cards = join_cards(hand.final()) if self.rng.random() < 0.3 else None
        return make_event("collect-cards", place="player", seat=hand.seat, what=what, cards=cards)

    def bury(self, round_: Round, hand: Hand) -> None:
        """Declare a hand dead and give its stakes back, 6."""
        round_.add("misdeal", place="player", seat=hand.seat)
        round_.events += self.give_back(hand, bet=False) if self.rng.random() < 0.8 else []
        round_.events.append(make_event("collect-cards", place="player", seat=hand.seat))

    def decide(self, round_: Round, plan: Plan, *, late: bool) -> None:
        """Let each player fold or call, then discard; collect from those who folded, 7 and 8."""
        rng = self.rng
        for hand in plan.hands:
            if hand.is_dead and plan.trouble == "dead-hand":
                self.bury(round_, hand)
        lines: list[list[Event]] = []
        discards_late = rng.random() < 0.3
        later: list[list[Event]] = []
        folds: list[list[Event]] = []
        folds_late = rng.random() < 0.4
        for hand in plan.hands:
            if late and hand.decision == "fold":
                hand.decision = "call"
            if hand.is_dead:
                continue
            line = [make_event("decide", seat=hand.seat, decision=hand.decision)]
            if hand.decision == "fold":
                collects = [make_event("collect", seat=hand.seat, wager="ante", amount=hand.ante)]
                if hand.tip:
                    collects.append(make_event("collect", seat=hand.seat, wager="ante", amount=hand.tip, tip=True))
                rng.shuffle(collects)
                cards = join_cards(hand.cards) if rng.random() < 0.3 else None
                taken = [*collects, make_event("collect-cards", place="player", seat=hand.seat, cards=cards)]
                if folds_late:
                    folds.append(taken)
                else:
                    line += taken
            else:
                parts = split_amount(rng, 2 * hand.ante, 2) if rng.random() < 0.08 else [2 * hand.ante]
                line += [make_event("wager", seat=hand.seat, wager="bet", amount=part) for part in parts]
                discards = self.put_down(hand) if not late else []
                if discards_late:
                    later.append(discards)
                else:
                    line += discards
            lines.append(line)
        for hand in plan.hands:
            if hand.is_dead and plan.trouble == "dead-hand-late":
                copy = Round(id="", game=GAME, table="", time=self.now)
                self.bury(copy, hand)
                lines.insert(rng.randint(0, len(lines)), copy.events)
        order = rng.random()
        if order < 0.5:
            round_.events += [event for line in lines for event in line]
        elif order < 0.75:
            rng.shuffle(lines)
            round_.events += [event for line in lines for event in line]
        else:
            round_.events += interleave(rng, *lines)
        round_.events += interleave(rng, *later)
        rng.shuffle(folds)
        round_.events += [event for fold in folds for event in fold]

    def put_down(self, hand: Hand) -> list[Event]:
        cards = list(hand.discards)
        if not cards:
            return []
        lots = [[card] for card in cards] if self.rng.random() < 0.15 else [cards]
        return [
            make_event("discard", place="player", seat=hand.seat, cards=join_cards(lot), face="down") for lot in lots
        ]

    def awards(self, round_: Round, plan: Plan, shown: int) -> int:
        """Pay the jackpot hands that were declared, 9; return what the meter reads afterwards."""
        rng = self.rng
        claimers = [hand for hand in plan.hands if hand.claims and not hand.is_dead]
        steps = []
        for hand in claimers:
            cards = list(hand.cards)
            rng.shuffle(cards)
            steps.append(
                [
                    make_event("claim", seat=hand.seat, wager="progressive"),
                    make_event("reveal", place="player", seat=hand.seat, cards=join_cards(cards)),
                ]
            )
        meter = shown
        payments: list[list[Event]] = []
        for hand in claimers:
            if not is_award(hand.cards):
                payments.append([])
                continue
            category = category_of(hand.cards)
            amount = AWARDS.get(category, 0)
            if category == "royal-flush":
                royals = sum(category_of(other.cards) == "royal-flush" for other in claimers)
                amount, meter = shown // royals, 1_000_000
            elif category == "straight-flush":
                amount = STRAIGHT_FLUSH_AWARD if self.house.fixed_straight_flush else shown // 10
                meter -= 0 if self.house.fixed_straight_flush else amount
            payments.append(
                [
                    make_event("announce", what="jackpot-award", by="supervisor", seat=hand.seat, amount=amount),
                    make_event("pay", seat=hand.seat, wager="progressive", amount=amount),
                ]
            )
        if rng.random() < 0.5:
            round_.events += interleave(rng, *steps) + [event for payment in payments for event in payment]
        else:
            for step, payment in zip(steps, payments, strict=True):
                round_.events += step + payment
        return meter

    def draw(self, round_: Round, plan: Plan) -> None:
        """Verify and rack the discards, then deal the cards drawn, 10 and 11."""
        rng = self.rng
        drawing = [hand for hand in plan.hands if hand.plays() and hand.discards]
        rng.shuffle(drawing)
        each = rng.random() < 0.5 if self.verifies_each is None else self.verifies_each
        if not drawing and rng.random() < 0.3:
            return  # nothing lies there that could be verified
        if not each or not drawing:
            number = sum(len(hand.discards) for hand in drawing)
            round_.add("count", what="discards", number=number, by="dealer")
            for hand in drawing:
                round_.add("collect-cards", place="player", seat=hand.seat, what="discards")
        else:
            at_once = rng.random() < 0.5
            for hand in drawing:
                round_.add("count", what="discards", number=len(hand.discards), by="dealer")
                if at_once:
                    round_.add("collect-cards", place="player", seat=hand.seat, what="discards")
            for hand in [] if at_once else drawing:
                round_.add("collect-cards", place="player", seat=hand.seat, what="discards")
        wrong = rng.choice(drawing).seat if drawing and plan.trouble == "draw-miscount" else None
        for hand in plan.hands:
            if not hand.plays() or not hand.discards:
                continue
            if hand.seat == wrong:
                hand.drawn.append(plan.rest.pop())
            round_.add("draw", place="player", seat=hand.seat, cards=join_cards(hand.drawn), face="down", by="dealer")
            if hand.seat == wrong:
                hand.is_dead = True
                round_.add("misdeal", place="player", seat=hand.seat)
                if rng.random() < 0.5:
                    round_.events += self.give_back(hand, bet=True)
                    round_.events.append(self.take_hand(hand))
                    hand.decision = ""

    def show_dealer(self, round_: Round, plan: Plan) -> None:
        rng = self.rng
        round_.add("reveal", place="dealer", cards=join_cards(plan.dealer))
        if plan.dealer_out:
            round_.add("discard", place="dealer", cards=join_cards(plan.dealer_out))
            if plan.trouble == "dealer-draw-miscount":
                plan.dealer_drawn.append(plan.rest.pop())
            face = rng.choice([None, "down", "up"])
            round_.add("draw", place="dealer", cards=join_cards(plan.dealer_drawn), face=face, by="dealer")

    def showdown(self, round_: Round, plan: Plan) -> None:
        """Let the dealer draw, then settle from the right, 12 to 14."""
        rng = self.rng
        self.show_dealer(round_, plan)
        playing = sorted((hand for hand in plan.hands if hand.plays()), key=lambda hand: -hand.seat)
        dead = [hand for hand in plan.hands if hand.is_dead and hand.decision == "call"]
        if plan.trouble == "dealer-draw-miscount" and plan.dealer_out:
            round_.add("misdeal", place="table")
            for hand in playing:
                round_.events += self.give_back(hand, bet=True)
                round_.events.append(self.take_hand(hand))
            return
        for hand in dead:
            round_.events += self.give_back(hand, bet=True)
            round_.events.append(self.take_hand(hand))
        final = plan.dealer_final()
        if not is_qualifying(final):
            round_.add("announce", what="no-hand", by="dealer")
            if rng.random() < 0.3:
                rng.shuffle(playing)  # clause 13 names no order
            for hand in playing:
                pays = [make_event("pay", seat=hand.seat, wager="ante", amount=hand.ante)]
                if hand.tip:
                    pays.append(make_event("pay", seat=hand.seat, wager="ante", amount=hand.tip, tip=True))
                rng.shuffle(pays)
                round_.events += pays
            if rng.random() < 0.5:
                for hand in playing:
                    round_.add("return", seat=hand.seat, wager="bet", amount=2 * hand.ante)
            for hand in playing:
                round_.events.append(self.take_hand(hand))
            return
        for hand in playing:
            round_.events += self.compare(hand, final)
            round_.events.append(self.take_hand(hand))

    def compare(self, hand: Hand, dealer: Sequence[str]) -> list[Event]:
        """Return what happens with the wagers of a hand, 14."""
        mine, other = rank_five(hand.final()), rank_five(dealer)
        if mine == other:
            return self.give_back(hand, bet=True) if self.rng.random() < 0.3 else []
        if mine < other:
            events = [
                make_event("collect", seat=hand.seat, wager="ante", amount=hand.ante),
                make_event("collect", seat=hand.seat, wager="bet", amount=2 * hand.ante),
            ]
            if hand.tip:
                events.append(make_event("collect", seat=hand.seat, wager="ante", amount=hand.tip, tip=True))
        else:
            events = [
                make_event("pay", seat=hand.seat, wager="ante", amount=hand.ante),
                make_event("pay", seat=hand.seat, wager="bet", amount=2 * hand.ante * bet_odds(hand.final())),
            ]
            if hand.tip:
                events.append(make_event("pay", seat=hand.seat, wager="ante", amount=hand.tip, tip=True))
        self.rng.shuffle(events)
        return events

    def misdeal_to_the_table(self, round_: Round, plan: Plan, shown: int) -> int:
        """Call the round off for a wrong number of the dealer's cards; jackpot hands are still paid, 6."""
        round_.add("misdeal", place="table")
        for hand in plan.hands:
            hand.claims = hand.has_token and is_award(hand.cards)
        closing = self.awards(round_, plan, shown)
        has_bets = any(event["event"] == "wager" and event["wager"] == "bet" for event in round_.events)
        hands = list(plan.hands)
        self.rng.shuffle(hands)
        for hand in hands:
            hand.discards, hand.drawn = [], []
            round_.events += self.give_back(hand, bet=has_bets) if self.rng.random() < 0.8 else []
            round_.events.append(make_event("collect-cards", place="player", seat=hand.seat))
        return closing

    def nobody_left(self, round_: Round, plan: Plan) -> None:
        """End a round in which everybody folded or is dead: the dealer may show or take the cards in unseen."""
        if self.rng.random() < 0.3:
            round_.add("reveal", place="dealer", cards=join_cards(plan.dealer))

    def finish(self, round_: Round, plan: Plan) -> None:
        if self.rng.random() < 0.7:
            round_.add("collect-cards", place="dealer")
        if self.clears_late:
            self.is_locked = True
        else:
            round_.add("device", what="clear-lockout", by="dealer")

    def next_round(self, round_id: str, *, trouble_rate: float = 0.1) -> Round:
        """Play one more round at the table and return it."""
        rng = self.rng
        self.number += 1
        leaves, arrivals = self.seat_players(target=rng.randint(1, self.house.positions))
        self.now += timedelta(seconds=rng.randint(60, 300))
        if self.house.is_linked:
            self.meter += self.house.increment * rng.choice([0, 0, 10, 30])
        plan = self.plan()
        if rng.random() < trouble_rate:
            plan.trouble = rng.choice(
                [
                    "dead-hand",
                    "dead-hand-late",
                    "dealer-miscount",
                    "dealer-miscount-late",
                    "draw-miscount",
                    "dealer-draw-miscount",
                ]
            )
        if plan.trouble in {"dead-hand", "dead-hand-late", "draw-miscount"}:
            for hand in plan.hands:
                hand.has_token = hand.claims = False
        return self.play(plan, round_id, before=leaves, arrivals=arrivals)

    def close(self) -> None:
        """Close the table until the next gaming day."""
        self.number = 0
        self.seated = {}
        self.now = (self.now + timedelta(days=1)).replace(hour=self.rng.randint(8, 18), minute=0)


def interleave_after(rng: random.Random, line: list[Event], tokens: list[Event]) -> list[Event]:
    """Put a token anywhere after the first Ante of its seat."""
    first = next(index for index, event in enumerate(line) if event["event"] == "wager")
    return line[: first + 1] + interleave(rng, line[first + 1 :], tokens)


def make_house(rng: random.Random, name: str) -> House:
    """Return a casino's choices at random, all within the text."""
    return House(
        name=name,
        minimum=rng.choice([100, 50]),
        maximum=rng.choice([250, 200]),
        tips=rng.random() < 0.8,
        progressive=rng.random() < 0.85,
        fixed_straight_flush=rng.random() < 0.4,
        increment=rng.choice([70, 50, 80]),
        positions=rng.choice([6, 7]),
        is_linked=rng.random() < 0.3,
    )


def write(seed: int, rounds: int, recorder: Recorder | None = None) -> Session:
    """Return lawful records of several casinos and tables, with the submissions in force.

    Args:
        recorder: what records the rounds of a table; left out, its habits.
    """
    rng = random.Random(f"{GAME}-{seed}")
    records: list[Record] = []
    submissions: list[Submission] = []
    casino = 0
    while len(records) < rounds:
        casino += 1
        house = make_house(rng, f"Casino {seed}-{casino}")
        submissions.append(house.submission())
        if rng.random() < 0.3:
            submissions.append(replace(house, minimum=house.minimum // 2, effective="2026-03-03").submission())
        for table in range(rng.choice([1, 1, 2])):
            records += write_table(rng, house, f"T{table + 1}", f"{casino}{'ab'[table]}", rng.randint(8, 40), recorder)
    return finish(rng, records[:rounds], submissions)


def write_table(
    rng: random.Random, house: House, name: str, prefix: str, rounds: int, recorder: Recorder | None
) -> list[Record]:
    """Return records of one table over a few gaming days, as its log records them."""
    zone = rng.choice([UTC, timezone(timedelta(hours=-7))])
    table = Table(
        house,
        name,
        rng,
        datetime(2026, 3, 2, rng.randint(8, 20), tzinfo=zone),
        habits=Habits.choose(rng),
        meter=rng.randrange(1_000_000, 9_000_000, 10),
        has_meter=house.progressive and rng.random() < 0.7,
        clears_late=rng.random() < 0.3,
        deck=rng.choice([None, None, "green"]),
    )
    made = []
    for index in range(rounds):
        if index and rng.random() < 0.04:
            table.close()
        made.append(table.next_round(f"{prefix}-{index + 1}"))
    return project(rng, table.habits, made) if recorder is None else recorder(rng, made)
