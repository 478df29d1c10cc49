"""Generator of lawful rounds of Colorado Hold'em (Section 38), settled by the text alone."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone

from tests.lawful.habits import Habits, finish, project
from tests.lawful.hands import category_of, group_ranks, make_five, rank_of
from tests.lawful.record import (
    DECK,
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

GAME = "s38"
ROWS = (
    "royal-flush",
    "straight-flush",
    "four-of-a-kind",
    "full-house",
    "flush",
    "straight",
    "instant-straight-flush",
    "instant-three-of-a-kind",
    "three-of-a-kind",
    "two-pair",
)
MAIN = {
    "required-bet": dict(zip(ROWS, (500, 100, 40, 11, 8, 5, 5, 5, 3, 2), strict=True)) | {"pair-of-tens-or-better": 1},
    "permissible-bet": dict(zip(ROWS, (500, 100, 25, 10, 8, 5, 5, 5, 3, 2), strict=True))
    | {"pair-of-jacks-or-better": 1},
}
"""Least odds of Ante and Bet, (m)(2) and (n)(2)."""
SIDE = {
    "required-bet": dict(zip(ROWS, (10_000, 1_000, 100, 11, 8, 15, 5, 5, 0, 1), strict=True)),
    "permissible-bet": dict(zip(ROWS, (10_000, 1_000, 100, 50, 25, 15, 5, 5, 3, 1), strict=True)),
}
"""Least odds of the Bonus, (m)(4) and (n)(4); (m)(4) has no row for three of a kind."""
del SIDE["required-bet"]["three-of-a-kind"]
PUSHES = {"required-bet": (7, 8, 9), "permissible-bet": (9, 10)}
"""Ranks whose pairs push."""
OPENING = ("inspected", "verified", "spread", "viewed", "turned-down", "washed", "stacked")
BONUS = 100
STUB_ROUNDS = 5


@dataclass(frozen=True)
class House:
    """Choices of a casino for one table or several."""

    name: str
    version: str = "permissible-bet"
    dealing: str = "manual-shoe"
    shuffler: str = "none"
    counts: bool = False
    decks: int = 1
    bonus: bool = True
    tips: bool = False
    limit: int | None = 5_000_000
    minimum: int = 500
    maximum: int = 50_000
    positions: int = 7
    hands_per_player: int = 2
    main: dict[str, int] = field(default_factory=dict)
    side: dict[str, int] = field(default_factory=dict)
    effective: str = "2026-01-01"
    tables: tuple[str, ...] = ()
    backs: tuple[str, ...] = ("blue", "red")

    def odds(self) -> dict[str, int]:
        return self.main or MAIN[self.version]

    def bonus_odds(self) -> dict[str, int]:
        return self.side or SIDE[self.version]

    def submission(self) -> Submission:
        """Return a submission that states these choices and complies."""
        bonus_rows = [{"hand": hand, "odds": f"{odds:,} to 1"} for hand, odds in self.bonus_odds().items()]
        by = f"Games manager of {self.name}"
        clauses = ["(b)(1)", "(d)(1)", "(d)(2)", "(e)(1)", "(e)(3)(i)", "(h)(1)", "(h)(3)", "(h)(5)(i)", "(k)(1)"]
        clauses += ["(k)(5)", "(i)(2)(ii)", "(j)(2)", "(o)(6)", "(b)(2)(v)"]
        wagers: list[dict[str, object]] = [
            {
                "wager": "ante",
                "minimum": write_amount(self.minimum),
                "maximum": write_amount(self.maximum),
                "posted": ["layout"],
            },
            {"wager": "bet"},
        ]
        tables: list[dict[str, object]] = [
            {
                "pays": "ante",
                "displayed": ["layout"],
                "rows": [{"hand": hand, "odds": f"{odds:,} to 1"} for hand, odds in self.odds().items()],
            }
        ]
        areas: list[dict[str, object]] = [{"wager": "ante", "legend": "Ante"}, {"wager": "bet", "legend": "Bet"}]
        if self.bonus:
            wagers.append(
                {"wager": "bonus", "minimum": write_amount(BONUS), "maximum": write_amount(BONUS), "posted": ["layout"]}
            )
            push = {"hand": "pair-of-jacks-or-better", "odds": "push"}
            tables.append({"pays": "bonus", "displayed": ["layout"], "rows": [*bonus_rows, push]})
            areas.append({"wager": "bonus", "legend": "Bonus"})
        if self.tips:
            wagers[0]["tips"] = True
        submission: Submission = {
            "submission": f"{self.name} {self.effective}",
            "licensee": {"name": self.name, "license": "L-38"},
            "document": GAME,
            "effective": self.effective,
            "options": {"version": self.version},
            "deck": {
                "cards": "standard-52",
                "decks": self.decks,
                "backs": list(self.backs[: self.decks]),
                "cover-card": {"colour": "yellow", "opaque": True, "solid": True},
            },
            "dealing": self.dealing,
            "hands-per-player": self.hands_per_player,
            "equipment": {
                "shuffler": self.shuffler,
                "shoe": {"manual-shoe": "manual", "automated-shoe": "automated"}.get(self.dealing, "none"),
                "shuffler-counts": self.counts,
            },
            "wagers": wagers,
            "pay-tables": tables,
            "layout": {
                "style": GAME,
                "positions": self.positions,
                "areas": [*areas, {"for": "community", "legend": "Community cards"}],
            },
            "attestations": [{"clause": clause, "by": by, "given": "2025-12-01"} for clause in clauses],
        }
        if self.tables:
            submission["tables"] = list(self.tables)
        if self.limit is not None:
            submission["payout-limit"] = {"amount": write_amount(self.limit), "posted": ["layout"]}
        return submission


@dataclass
class Hand:
    """Part of one position in a round: its stakes, cards and decision."""

    seat: int
    player: str
    ante: int = 1000
    has_bonus: bool = False
    tip: int = 0
    cards: list[str] = field(default_factory=list)
    decision: str = "bet"
    discard: str = ""

    def list_kept(self) -> list[str]:
        return [card for card in self.cards if card != self.discard]


def instant_of(cards: Sequence[str]) -> str | None:
    """Return the row of a three-card hand that may be declared, (c)(3)."""
    ranks = sorted(rank_of(card) for card in cards)
    if ranks[0] == ranks[2]:
        return "instant-three-of-a-kind"
    if len({card[1] for card in cards}) == 1 and ranks == list(range(ranks[0], ranks[0] + 3)):
        return "instant-straight-flush"
    return None


def is_disputed_instant(cards: Sequence[str]) -> bool:
    """Return whether three cards are a suited ace, two and three, of which the text says nothing."""
    return len({card[1] for card in cards}) == 1 and sorted(map(rank_of, cards)) == [2, 3, 14]


@dataclass
class Due:
    """Payment due to a hand: odds of Ante and Bet and of the Bonus. None loses, 0 pushes."""

    main: int | None
    bonus: int | None


def settle(house: House, hand: Hand, community: Sequence[str]) -> Due:
    """Return what is due to a hand that was not void, by (k) to (n) and (o)(4)."""
    if hand.decision == "fold":
        return Due(None, None)
    if hand.decision == "declare":
        row = instant_of(hand.cards)
        return Due(None, 0) if row is None else Due(house.odds()[row], house.bonus_odds()[row])
    five = [*hand.list_kept(), *community]
    category = category_of(five)
    if category not in {"pair", "no-pair"}:
        return Due(house.odds()[category], house.bonus_odds().get(category, 0))
    pair = group_ranks(five)[0][1] if category == "pair" else 0
    low, high = PUSHES[house.version][0], PUSHES[house.version][-1]
    return Due(None if pair < low else 0 if pair <= high else 1, 0 if pair >= 11 else None)


def is_doubtful(house: House, hand: Hand, community: Sequence[str]) -> bool:
    """Return whether the text leaves open what a hand gets."""
    if hand.decision in {"fold", "declare"}:
        is_wrong = hand.decision == "fold" or instant_of(hand.cards) is None
        return (is_wrong and (hand.has_bonus or hand.tip > 0)) or (
            hand.decision == "declare" and is_disputed_instant(hand.cards)
        )
    is_unlisted = category_of([*hand.list_kept(), *community]) == "three-of-a-kind" and "three-of-a-kind" not in (
        house.bonus_odds()
    )
    return hand.has_bonus and is_unlisted


def is_dealt_out(deals: Sequence[Event], places: int) -> bool:
    """Return whether all places have three cards: no number is wrong then, so that (o)(3) voids nothing."""
    counts = Counter[tuple[str, int | None]]()
    for event in deals:
        if event["event"] == "deal":
            counts[event["place"], event.get("seat")] += len(event["cards"]) // 2
    return len(counts) == places and set(counts.values()) == {3}


@dataclass
class Plan:
    """Plan of one round."""

    hands: list[Hand]
    community: list[str]
    trouble: str | None = None
    """An irregularity of (o), (h)(5) or (h)(6)."""
    count_stub: bool = False

    def rest(self) -> list[str]:
        """Return the cards that nobody was dealt."""
        used = {card for hand in self.hands for card in hand.cards} | set(self.community)
        return [card for card in DECK if card not in used]


@dataclass
class Table:
    """A table in operation: who sits there, which deck is where, and what is recorded."""

    house: House
    name: str
    rng: random.Random
    now: datetime
    habits: Habits = field(default_factory=Habits)
    number: int = 0
    rounds: int = 0
    seated: dict[int, str] = field(default_factory=dict)
    deck_index: int = 0
    opened: datetime | None = None
    uncounted: dict[int, int] = field(default_factory=dict)
    """Rounds since the stub of each deck was counted."""
    is_shuffled: dict[int, bool] = field(default_factory=dict)
    """True if the device's next shuffle of a deck is already recorded."""
    must_remove: list[int] = field(default_factory=list)
    """Decks found incomplete."""
    dealing: str = ""
    shuffler: str = ""
    removals: list[str] = field(default_factory=list)
    """Devices to be removed before the next round."""
    players: int = 0
    has_named_decks: bool = False

    def __post_init__(self) -> None:
        self.dealing = self.house.dealing
        self.shuffler = self.house.shuffler
        self.has_named_decks = self.house.decks > 1 or self.rng.random() < 0.3

    # Before the deal

    def deck_name(self, index: int | None = None) -> str | None:
        return self.house.backs[self.deck_index if index is None else index] if self.has_named_decks else None

    def event_deck(self, index: int) -> str | None:
        """Return the name of a deck for an event, where the event must or may say it."""
        return self.deck_name(index) if self.house.decks > 1 or self.rng.random() < 0.5 else None

    def counts_itself(self) -> bool:
        return self.house.counts and self.shuffler == "mechanical"

    def open_deck(self, index: int, arrival: Sequence[Event] = ()) -> list[Event]:
        """Return the steps of (d) for a deck, up to the stack."""
        deck = self.deck_name(index)
        events = [make_event("deck", what="opened", deck=deck, by=self.rng.choice([None, "supervisor", "floorperson"]))]
        for what in OPENING:
            by = {"inspected": "dealer", "verified": "floorperson", "viewed": "player"}.get(what)
            if what == "viewed":
                events += arrival
                if arrival and self.rng.random() < 0.1:
                    continue  # the first player is afforded a look, and need not take it
            events.append(make_event("deck", what=what, by=by, deck=deck, face="up" if what == "spread" else None))
        self.uncounted[index] = 0
        return events

    def shuffle(self, index: int) -> list[Event]:
        """Return the shuffle of a deck, with the other acts of the device."""
        by = "machine" if self.shuffler == "mechanical" else "dealer"
        deck = self.event_deck(index)
        events = [make_event("shuffle", by=by, deck=deck)]
        if self.counts_itself():
            events.append(make_event("count", what="deck", number=52, by="machine", deck=deck))
        return events

    def cut(self) -> Event:
        return make_event("cut", by="dealer", number=self.rng.choice([10, self.rng.randint(10, 42), None]))

    def into_shoe(self) -> list[Event]:
        if self.dealing == "manual-shoe":
            by = self.rng.choice([None, "dealer"] + ["machine"] * (self.shuffler == "mechanical"))
            return [make_event("deck", what="in-shoe", by=by)]
        return []

    def prepare_cards(self, plan: Plan) -> list[Event]:
        """Return shuffle, cut and the way into the shoe of the deck in play."""
        events: list[Event] = []
        index = self.deck_index
        if not self.is_shuffled.get(index):
            if plan.trouble == "shuffler-fault":
                if self.rng.random() < 0.5:
                    events.append(make_event("shuffle", by="machine", deck=self.event_deck(index)))
                events.append(make_event("fault", what="shuffler", deck=self.event_deck(index)))
            if plan.trouble == "shuffler-removed":
                events.append(make_event("fault", what="shuffler"))
                events.append(make_event("device", what="shuffler-removed", by=self.rng.choice(["supervisor", None])))
                self.shuffler = "none"
            events += self.shuffle(index)
            if plan.trouble == "device-counts-wrong":
                events[-1]["number"] = self.rng.choice([50, 51, 53])
                events += self.replace_deck(index)
                events += self.shuffle(index)
        self.is_shuffled[index] = False
        if self.shuffler != "mechanical":
            events.append(self.cut())
            if plan.trouble == "recut":
                events.append(make_event("announce", what="recut", by="supervisor"))
                events.append(self.cut())
        return events + self.into_shoe()

    def replace_deck(self, index: int) -> list[Event]:
        by = self.rng.choice(["supervisor", "floorperson", "dealer"])
        removed = make_event("deck", what="removed", deck=self.event_deck(index), by=by)
        self.opened = self.now
        return [removed, *self.open_deck(index)]

    def seat_players(self, target: int) -> tuple[list[Event], list[Event]]:
        """Let players leave and arrive; return the events of both."""
        arrivals: list[Event] = []
        share = 1.0 if self.rng.random() < 0.04 else 0.06
        leaves = [make_event("leave", seat=seat) for seat in sorted(self.seated) if self.rng.random() < share]
        for event in leaves:
            del self.seated[event["seat"]]
        free = [seat for seat in range(1, self.house.positions + 1) if seat not in self.seated]
        self.rng.shuffle(free)
        while free and len(self.seated) < target and (not self.seated or self.rng.random() < 0.5):
            seat = free.pop()
            self.players += 1
            player = f"P{self.players}"
            self.seated[seat] = player
            arrivals.append(make_event("arrive", seat=seat))
            if self.house.hands_per_player > 1 and self.rng.random() < 0.15:
                beside = [other for other in (seat - 1, seat + 1) if other in free]
                if beside:
                    free.remove(beside[0])
                    self.seated[beside[0]] = player
        return leaves, arrivals

    def idle(self, arrivals: list[Event]) -> list[Event]:
        """Return what happens with the cards of a table where nobody played, (e)(5)."""
        face = self.rng.choice(["up", "down"])
        events = [make_event("deck", what="spread", face=face)]
        first = arrivals.pop(0) if arrivals else None
        events += [first] if first else []
        if face == "down":
            events.append(make_event("deck", what="turned-up"))
        events.append(make_event("deck", what="viewed", by="player"))
        return [*events, *(make_event("deck", what=what) for what in ("turned-down", "washed", "stacked"))]

    def prelude(self, plan: Plan, leaves: list[Event], arrivals: list[Event], *, was_idle: bool) -> list[Event]:
        """Return what happens between the round before and the wagers."""
        events: list[Event] = []
        decks = range(self.house.decks)
        if self.number == 1:
            first = [arrivals.pop(0)] if arrivals else []
            self.opened = self.now
            for index in decks:
                events += self.open_deck(index, first if index == 0 else ())
                if index != self.deck_index:
                    self.is_shuffled[index] = self.rng.random() < 0.5
                    events += self.shuffle(index) if self.is_shuffled[index] else []
            return events
        for device in self.removals:
            events.append(make_event("device", what=device, by=self.rng.choice(["supervisor", "dealer", None])))
        self.removals = []
        events = interleave(self.rng, events, leaves)
        for index in self.must_remove:
            events += self.replace_deck(index)
            self.is_shuffled[index] = False
        replaced = list(self.must_remove)
        self.must_remove = []
        is_due = self.opened is not None and self.now - self.opened > timedelta(hours=self.rng.choice([2, 5, 7]))
        if is_due and not was_idle and self.dealing != "hand":
            for index in decks:
                if index not in replaced:
                    events += self.replace_deck(index)
                    self.is_shuffled[index] = False
        elif was_idle:
            events += self.idle(arrivals)
        return events

    def wagers(self, hands: Iterable[Hand]) -> list[list[Event]]:
        """Return the wagers of each hand before the deal, in order."""
        found = []
        for hand in hands:
            events = []
            extra = self.rng.choice([0, 0, 0, 0, 500])
            parts = [hand.ante + extra]
            if self.rng.random() < 0.1:
                parts = [part * 100 for part in split_amount(self.rng, sum(parts) // 100, 2)]
            for part in parts:
                in_ = self.rng.choice(["chips", "chips", "plaques"]) if part % 10_000 == 0 else "chips"
                events.append(make_event("wager", seat=hand.seat, wager="ante", amount=part, in_=in_))
            if extra:
                events.append(make_event("withdraw", seat=hand.seat, wager="ante", amount=extra))
            if hand.tip:
                events.append(make_event("wager", seat=hand.seat, wager="ante", amount=hand.tip, tip=True, in_="chips"))
            if hand.has_bonus:
                events.append(make_event("wager", seat=hand.seat, wager="bonus", amount=BONUS, in_="chips"))
            found.append(events)
        return found

    # Plans

    def plan(self, seats: Sequence[int] | None = None) -> Plan:
        """Return a round at random for the players who sit there."""
        house = self.house
        chosen = sorted(self.seated) if seats is None else seats
        while True:
            hands = [self._stakes(Hand(seat, self.seated.get(seat, f"P{seat}"))) for seat in chosen]
            community = self._cards(hands)
            for hand in hands:
                self._decide(hand, community)
            if not any(is_doubtful(house, hand, community) for hand in hands):
                break
        return Plan(hands, community)

    def _stakes(self, hand: Hand) -> Hand:
        rng, house = self.rng, self.house
        top = min(house.maximum, house.minimum * rng.choice([2, 5, 20, 1000]))
        hand.ante = rng.randint(house.minimum // 100, top // 100) * 100
        hand.has_bonus = house.bonus and rng.random() < 0.5
        if house.tips and rng.random() < 0.2 and hand.ante <= 3000:
            hand.tip = rng.choice([100, 200, hand.ante])
        return hand

    def _cards(self, hands: Sequence[Hand]) -> list[str]:
        """Deal cards at random, some hands of them made to be rare; return the community cards."""
        rng = self.rng
        deck = shuffle_deck(rng)
        fixed: dict[int, list[str]] = {}
        community: list[str] = []
        if rng.random() < 0.4 and hands:
            five = make_five(
                rng,
                rng.choice([*ROWS[:6], "three-of-a-kind", "two-pair", "pair", "pair"]),
                pair=rng.randint(6, 14),
            )
            fixed[hands[0].seat if len(hands) == 1 else rng.choice(hands).seat] = five[:2]
            community = five[2:]
        elif rng.random() < 0.3 and hands:
            rank, suit = rng.randint(2, 12), rng.choice("cdhs")
            made = rng.choice(["set", "run"])
            cards = [c for c in DECK if rank_of(c) == rank][:3] if made == "set" else []
            fixed[rng.choice(hands).seat] = cards or [
                card for card in DECK if card[1] == suit and rank <= rank_of(card) < rank + 3
            ]
        taken = {card for cards in fixed.values() for card in cards} | set(community)
        deck = [card for card in deck if card not in taken]
        for hand in hands:
            hand.cards = fixed.get(hand.seat, [])
            hand.cards = hand.cards + [deck.pop() for _ in range(3 - len(hand.cards))]
        return community + [deck.pop() for _ in range(3 - len(community))]

    def _decide(self, hand: Hand, community: Sequence[str]) -> None:
        rng = self.rng
        choices = {"bet": 6, "stay": 3} if self.house.version == "permissible-bet" else {"bet": 7, "fold": 3}
        if instant_of(hand.cards):
            choices["declare"] = 20
        elif rng.random() < 0.02:
            choices = {"declare": 1}
        hand.decision = rng.choices(list(choices), weights=list(choices.values()))[0]
        hand.discard = ""
        if hand.decision in {"bet", "stay"}:
            hand.discard = hand.cards[2] if rng.random() < 0.7 else rng.choice(hand.cards)
        if rng.random() < 0.7:
            rng.shuffle(hand.cards)

    # The round

    def begin(self, plan: Plan, prelude: Sequence[Event], round_id: str) -> Round:
        """Return the round up to the announcement that ends the wagers."""
        round_ = Round(
            id=round_id,
            game=GAME,
            table=self.name,
            time=self.now,
            casino=self.house.name,
            number=self.number,
            deck=self.deck_name(),
            exchanges=("player",),
        )
        round_.events += prelude
        return round_

    def play(
        self, plan: Plan, round_id: str, *, prelude: Sequence[Event] = (), arrivals: Sequence[Event] = ()
    ) -> Round:
        """Return the whole round that a plan says."""
        rng = self.rng
        round_ = self.begin(plan, prelude, round_id)
        for hand in plan.hands:
            round_.seat(hand.seat, player=hand.player)
        cards = self.prepare_cards(plan)
        stakes = []
        arrived = {event["seat"]: event for event in arrivals}
        for hand, events in zip(plan.hands, self.wagers(plan.hands), strict=True):
            stakes.append([arrived.pop(hand.seat), *events] if hand.seat in arrived else events)
        alone = [[event] for event in arrived.values()]
        if rng.random() < 0.5:
            round_.events += cards + interleave(rng, *stakes, *alone)
        else:
            round_.events += interleave(rng, cards, *stakes, *alone)
        round_.add("announce", what="no-more-bets", by=rng.choice([None, "dealer"]))
        if self.dealing == "manual-shoe" and rng.random() < 0.1:
            shoe = next(index for index, event in enumerate(round_.events) if event.get("what") == "in-shoe")
            round_.events.append(round_.events.pop(shoe))
        is_over = self.deal(round_, plan)
        if is_over:
            self.end(round_, plan)
            return round_
        open_hands = self.decide(round_, plan)
        if open_hands is None:
            self.end(round_, plan)
            return round_
        shows = bool(open_hands) or rng.random() < 0.7
        if shows:
            self.show_community(round_, plan)
        self.settle_hands(round_, plan, open_hands)
        self.end(round_, plan)
        return round_

    def show_community(self, round_: Round, plan: Plan) -> None:
        cards = list(plan.community)
        if self.dealing == "automated-shoe" and self.rng.random() < 0.5:
            cards.reverse()
        lots = [cards] if self.rng.random() < 0.8 else [[card] for card in cards]
        for lot in lots:
            round_.add("reveal", place="community", cards=join_cards(lot))

    def deals(self, plan: Plan) -> list[Event]:
        """Return the deal as (h)(3), (i)(3) or (j)(2) says."""
        rng = self.rng
        events = []
        if self.dealing == "automated-shoe":
            by = rng.choice(["machine", "dealer"])
            for hand in plan.hands:
                cards = join_cards(hand.cards)
                events.append(make_event("deal", place="player", seat=hand.seat, cards=cards, face="down", by=by))
            cards = join_cards(plan.community)
            events.append(make_event("deal", place="community", cards=cards, face="down", by=by))
            return events
        for index in range(3):
            for hand in plan.hands:
                card = hand.cards[index]
                events.append(make_event("deal", place="player", seat=hand.seat, cards=card, face="down", by="dealer"))
            card = plan.community[index]
            events.append(make_event("deal", place="community", cards=card, face="down", by="dealer"))
        return events

    def deal(self, round_: Round, plan: Plan) -> bool:
        """Deal, count and rack the stub; return whether the round was void."""
        rng = self.rng
        deals = self.deals(plan)
        rest = plan.rest()
        rng.shuffle(rest)
        aside = 0
        at = rng.randrange(1, len(deals))
        match plan.trouble:
            case "face-up":
                aside = 1
                deals[at:at] = self.face_up(rest.pop())
            case "faces-up":
                deals[at:] = self.face_up(rest.pop()) + self.face_up(rest.pop())
                round_.events += deals
                return self.void(round_)
            case "drawn-in-error":
                cards = rng.choice([deals[at]["cards"], "??" * (len(deals[at]["cards"]) // 2)])
                deals.insert(at, make_event("draw", place="burn", cards=cards, face=rng.choice(["down", None])))
            case "shoe-jam" | "shoe-removed":
                round_.events += deals[: rng.randrange(len(deals))]
                round_.add("fault", what="shoe")
                if plan.trouble == "shoe-removed":
                    self.removals.append("shoe-removed")
                    self.dealing = "manual-shoe"
                return self.void(round_)
            case "miscount" | "miscount-at-once" | "miscount-late":
                wrong = deals[at]
                has_extra = wrong["place"] == "community" or self.dealing == "automated-shoe"
                if has_extra or plan.trouble == "miscount-late" or rng.random() < 0.6:
                    if self.dealing == "automated-shoe" or rng.random() < 0.5:
                        wrong["cards"] += rest.pop()
                    else:
                        deals.insert(at + 1, wrong | {"cards": rest.pop()})
                else:
                    del deals[at]
                if plan.trouble == "miscount-at-once" and not is_dealt_out(deals[: at + 2], len(plan.hands) + 1):
                    deals = deals[: at + 2]
        round_.events += deals
        dealt = sum(len(event["cards"]) // 2 for event in deals if event["event"] == "deal")
        if plan.trouble == "miscount-at-once" or (plan.trouble == "miscount" and not plan.count_stub):
            return self.void(round_)
        if plan.count_stub:
            number = 52 - dealt - aside
            if plan.trouble == "stub-short":
                number += rng.choice([-1, -1, -2, 1])
                self.must_remove.append(self.deck_index)
            for _ in range(1 if rng.random() < 0.95 else 2):
                round_.add("count", what="stub", number=number, by="dealer", deck=self.event_deck(self.deck_index))
        is_void = plan.trouble in {"miscount", "stub-short"}
        if self.habits.racks_stub and not is_void:
            round_.add("discard", place="deck", face=rng.choice(["down", None]))
        return is_void and self.void(round_)

    def face_up(self, card: str) -> list[Event]:
        """Return the two ways to record a card found face up in the deck."""
        if self.habits.face_up_as_fault:
            return [
                make_event("fault", what="face-up", place="deck", cards=card),
                make_event("remedy", what="set-aside", place="deck", cards=card),
            ]
        return [make_event("expose", place="burn", cards=card)]

    def void(self, round_: Round) -> bool:
        """Declare all hands void and give all stakes back."""
        round_.add("misdeal", place="table")
        returns = [
            make_event("return", seat=seat, wager=wager, amount=stake.lying, tip=tip or None)
            for (seat, wager, tip), stake in round_.stakes().items()
            if stake.lying
        ]
        self.rng.shuffle(returns)
        round_.events += returns
        if self.rng.random() < 0.5:
            for seat in sorted(round_.seats):
                if round_.list_dealt("player", seat):
                    round_.add("collect-cards", place="player", seat=seat)
            if round_.list_dealt("community"):
                round_.add("collect-cards", place="community")
        return True

    def decide(self, round_: Round, plan: Plan) -> list[Hand] | None:
        """Let each player decide, clockwise; return the hands that are still open, None where all became void."""
        rng = self.rng
        stays_open = []
        late: list[list[Event]] = []
        stop = len(plan.hands) if plan.trouble == "miscount-late" else None
        if stop is not None:
            stop = next((i for i, hand in enumerate(plan.hands) if hand.decision in {"fold", "declare"}), stop - 1)
            stop = rng.randint(0, stop)
        for index, hand in enumerate(plan.hands):
            if index == stop:
                self.void(round_)
                return None
            if self.habits.asks and rng.random() < 0.5:
                round_.add("announce", what="play-or-declare", by="dealer", seat=hand.seat)
            round_.add("decide", seat=hand.seat, decision=hand.decision)
            match hand.decision:
                case "fold":
                    events = self.collect(hand, ("ante",), tips=True)
                    late.append([*events, self.take_cards(hand)])
                case "declare":
                    round_.add("reveal", place="player", seat=hand.seat, cards=join_cards(hand.cards))
                    if instant_of(hand.cards) is None:
                        round_.add("misdeal", place="player", seat=hand.seat)
                        round_.events += self.collect(hand, ("ante",))
                        round_.events.append(self.take_cards(hand))
                    else:
                        events = [*self.pay(hand, settle(self.house, hand, ())), self.take_cards(hand)]
                        if rng.random() < 0.2:
                            late.append(events)
                        else:
                            round_.events += events
                case "bet" | "stay":
                    if hand.decision == "bet":
                        parts = [hand.ante] if rng.random() < 0.9 else split_amount(rng, hand.ante // 100, 2)
                        scale = 1 if len(parts) == 1 and parts[0] == hand.ante else 100
                        for part in parts:
                            round_.add("wager", seat=hand.seat, wager="bet", amount=part * scale, in_="chips")
                    round_.add("discard", place="player", seat=hand.seat, cards=hand.discard, face="down")
                    stays_open.append(hand)
            if late and rng.random() < 0.6:
                round_.events += [event for events in late for event in events]
                late = []
        round_.events += [event for events in late for event in events]
        if rng.random() < 0.03:
            self.late_arrival(round_)
        return stays_open

    def late_arrival(self, round_: Round) -> None:
        """Let a player sit down in the middle of the round; wagers are for the next one."""
        free = [seat for seat in range(1, self.house.positions + 1) if seat not in self.seated]
        if free:
            seat = self.rng.choice(free)
            self.players += 1
            self.seated[seat] = f"P{self.players}"
            round_.seat(seat, player=self.seated[seat])
            round_.add("arrive", seat=seat)

    def collect(self, hand: Hand, wagers: Sequence[str], *, tips: bool = False) -> list[Event]:
        amounts = {"ante": hand.ante, "bet": hand.ante, "bonus": BONUS}
        events = [make_event("collect", seat=hand.seat, wager=wager, amount=amounts[wager]) for wager in wagers]
        if tips and hand.tip:
            events.append(make_event("collect", seat=hand.seat, wager="ante", amount=hand.tip, tip=True))
        self.rng.shuffle(events)
        return events

    def pay(self, hand: Hand, due: Due) -> list[Event]:
        """Return the payments of a winning hand, up to the payout limit of (m)(3) and (n)(3)."""
        events = []
        if due.main:
            wagers = ["ante", "bet"] if hand.decision == "bet" else ["ante"]
            self.rng.shuffle(wagers)
            left = self.house.limit if self.house.limit is not None else due.main * hand.ante * 2
            for wager in wagers:
                amount = min(due.main * hand.ante, left)
                left -= amount
                if amount:
                    events.append(make_event("pay", seat=hand.seat, wager=wager, amount=amount))
            if hand.tip:
                events.append(make_event("pay", seat=hand.seat, wager="ante", amount=hand.tip * due.main, tip=True))
        if hand.has_bonus and due.bonus:
            events.append(make_event("pay", seat=hand.seat, wager="bonus", amount=due.bonus * BONUS))
        self.rng.shuffle(events)
        return events

    def take_cards(self, hand: Hand) -> Event:
        cards = join_cards(hand.cards) if self.rng.random() < 0.7 else None
        return make_event("collect-cards", place="player", seat=hand.seat, cards=cards)

    def settle_hands(self, round_: Round, plan: Plan, hands: Sequence[Hand]) -> None:
        """Show the hands counterclockwise; settle losers, then pushes, then winners, (k)(3) to (l)(7)."""
        rng = self.rng
        dues = {hand.seat: settle(self.house, hand, plan.community) for hand in hands}
        order = sorted(hands, key=lambda hand: -hand.seat)
        losers = [hand for hand in order if dues[hand.seat].main is None]
        pushes = [hand for hand in order if dues[hand.seat].main == 0]
        winners = [hand for hand in order if dues[hand.seat].main]
        losing = {hand.seat: self._take_losing(hand, dues[hand.seat]) for hand in order}
        at_once = rng.random() < 0.4
        for hand in order:
            cards = list(hand.list_kept())
            rng.shuffle(cards)
            round_.add("reveal", place="player", seat=hand.seat, cards=join_cards(cards))
            if at_once and hand in losers:
                round_.events += losing[hand.seat]
        if not at_once:
            rng.shuffle(losers)
            if rng.random() < 0.3:
                lots = [losing[hand.seat] for hand in losers]
                round_.events += [event for lot in lots for event in lot[:-1]]
                round_.events += [lot[-1] for lot in lots]
            else:
                round_.events += [event for hand in losers for event in losing[hand.seat]]
        for hand in [*pushes, *winners]:
            round_.events += losing[hand.seat]
        rng.shuffle(pushes)
        for hand in pushes:
            given = self.give_back(hand) if rng.random() < 0.4 else []
            taken = [self.take_cards(hand)]
            round_.events += given + taken if rng.random() < 0.7 else taken + given
        for hand in winners:
            round_.events += self.pay(hand, dues[hand.seat])
        lots = [[self.take_cards(hand)] for hand in winners]
        lots.append(
            [make_event("collect-cards", place="community", cards=rng.choice([None, join_cards(plan.community)]))]
        )
        rng.shuffle(lots)
        round_.events += [event for lot in lots for event in lot]

    def _take_losing(self, hand: Hand, due: Due) -> list[Event]:
        """Return how losing wagers of a hand are taken, with the cards where all of it lost."""
        wagers = []
        if due.main is None:
            wagers += ["ante", "bet"] if hand.decision == "bet" else ["ante"]
        if hand.has_bonus and due.bonus is None:
            wagers.append("bonus")
        events = self.collect(hand, wagers, tips=due.main is None)
        return [*events, self.take_cards(hand)] if due.main is None else events

    def give_back(self, hand: Hand) -> list[Event]:
        wagers = ["ante", "bet"] if hand.decision == "bet" else ["ante"]
        events = [make_event("return", seat=hand.seat, wager=wager, amount=hand.ante) for wager in wagers]
        if hand.tip:
            events.append(make_event("return", seat=hand.seat, wager="ante", amount=hand.tip, tip=True))
        return events

    def end(self, round_: Round, plan: Plan) -> None:
        """Record the device's work on the other deck somewhere in the round, (b)(2)(iii)."""
        if self.house.decks < 2:
            return
        other = 1 - self.deck_index
        if not self.is_shuffled.get(other) and other not in self.must_remove and self.rng.random() < 0.6:
            announced = next(index for index, event in enumerate(round_.events) if event.get("what") == "no-more-bets")
            at = self.rng.randint(announced, len(round_.events))
            events = self.shuffle(other)
            if plan.trouble == "other-deck-jams":
                events.insert(0, make_event("fault", what="shuffler", deck=self.deck_name(other)))
            round_.events[at:at] = events
            self.is_shuffled[other] = True

    def is_count_due(self) -> bool:
        """Return whether the stub must be counted now, so that every five rounds have a count of each deck."""
        limit = STUB_ROUNDS if self.house.decks == 1 else 4
        return not self.counts_itself() and self.uncounted.get(self.deck_index, 0) + self.house.decks >= limit

    def troubles(self) -> list[str]:
        """Return the irregularities that may arise at this table."""
        found = ["faces-up", "drawn-in-error", "miscount", "miscount-late"]
        if self.dealing != "automated-shoe":
            found += ["face-up", "face-up", "miscount-at-once"]
        if self.dealing == "automated-shoe":
            found += ["shoe-jam", "shoe-removed"]
        if self.shuffler == "mechanical":
            found += ["shuffler-fault"]
            if self.house.decks == 1 and self.dealing != "hand":
                found.append("shuffler-removed")
            if self.counts_itself() and self.house.decks == 1:
                found.append("device-counts-wrong")
        else:
            found.append("recut")
        if self.house.decks > 1:
            found.append("other-deck-jams")
        if self.house.decks == 1:
            found.append("stub-short")
        return found

    def next_round(self, round_id: str, *, trouble_rate: float = 0.12) -> Round:
        """Play one more round at the table and return it."""
        rng = self.rng
        self.number += 1
        self.rounds += 1
        if self.number > 1 and self.house.decks > 1:
            self.deck_index = 1 - self.deck_index
        leaves, arrivals = self.seat_players(target=rng.randint(1, self.house.positions))
        was_idle = self.number > 1 and len(leaves) > 0 and len(arrivals) > 0 and self._all_left(leaves, arrivals)
        self.now += timedelta(seconds=rng.randint(40, 240))
        if was_idle and rng.random() < 0.5:
            self.now += timedelta(minutes=rng.randint(5, 300 if self.dealing == "hand" else 60))
        plan = self.plan()
        if rng.random() < trouble_rate and self.number > 1:
            plan.trouble = rng.choice(self.troubles())
        if self.is_shuffled.get(self.deck_index) and plan.trouble in {"shuffler-fault", "shuffler-removed"}:
            plan.trouble = None
        prelude = self.prelude(plan, leaves, arrivals, was_idle=was_idle and self.house.decks == 1)
        if plan.trouble == "shuffler-removed" and self.house.counts:
            self.uncounted[self.deck_index] = 0
        plan.count_stub = self.is_count_due() or rng.random() < 0.15 or plan.trouble == "stub-short"
        if plan.count_stub and plan.trouble == "miscount-late":
            plan.trouble = None
        round_ = self.play(plan, round_id, prelude=prelude, arrivals=arrivals)
        is_void = any(event["event"] == "misdeal" and event["place"] == "table" for event in round_.events)
        if not is_void:
            is_counted = any(event.get("what") == "stub" for event in round_.events)
            for index in range(self.house.decks):
                self.uncounted[index] = self.uncounted.get(index, 0) + 1
            if is_counted:
                self.uncounted[self.deck_index] = 0
        return round_

    def _all_left(self, leaves: Sequence[Event], arrivals: Sequence[Event]) -> bool:
        arrived = {event["seat"] for event in arrivals}
        players = {self.seated[seat] for seat in arrived}
        return all(seat in arrived or self.seated[seat] in players for seat in self.seated)

    def close(self) -> None:
        """Close the table until the next gaming day."""
        self.number = 0
        self.seated = {}
        self.now = (self.now + timedelta(days=1)).replace(hour=self.rng.randint(8, 18), minute=0)
        self.must_remove = []
        self.removals = []
        self.is_shuffled = {}
        self.dealing = self.house.dealing
        self.shuffler = self.house.shuffler


def make_house(rng: random.Random, name: str) -> House:
    """Return a casino's choices at random, all within the text."""
    version = rng.choice(["required-bet", "permissible-bet"])
    dealing = rng.choice(["manual-shoe", "manual-shoe", "hand", "automated-shoe"])
    shuffler = "mechanical" if dealing == "hand" else rng.choice(["none", "mechanical"])
    main, side = dict(MAIN[version]), dict(SIDE[version])
    if rng.random() < 0.3:
        main["flush"], main["straight"], side["full-house"] = 9, 6, 60
    if version == "required-bet" and rng.random() < 0.5:
        side["three-of-a-kind"] = 3
    is_mechanical = shuffler == "mechanical"
    return House(
        name=name,
        version=version,
        dealing=dealing,
        shuffler=shuffler,
        counts=is_mechanical and rng.random() < 0.5,
        decks=rng.choice([1, 2]) if is_mechanical else 1,
        bonus=rng.random() < 0.8,
        tips=rng.random() < 0.4,
        limit=rng.choice([5_000_000, 5_000_000, 10_000_000, None]),
        minimum=rng.choice([500, 1000]),
        maximum=rng.choice([10_000, 50_000]),
        positions=rng.choice([6, 7]),
        hands_per_player=rng.choice([1, 2]),
        main=main,
        side=side,
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
        submissions += _later_submission(rng, house)
        for table in range(rng.choice([1, 1, 2, 3])):
            records += write_table(rng, house, f"T{table + 1}", f"{casino}{'abc'[table]}", rng.randint(8, 40), recorder)
    return finish(rng, records[:rounds], submissions)


def _later_submission(rng: random.Random, house: House) -> list[Submission]:
    if rng.random() < 0.7:
        return []
    return [replace(house, maximum=house.maximum * 2, effective="2026-03-03").submission()]


def write_table(
    rng: random.Random, house: House, name: str, prefix: str, rounds: int, recorder: Recorder | None
) -> list[Record]:
    """Return records of one table over a few gaming days, as its log records them."""
    zone = rng.choice([UTC, timezone(timedelta(hours=-7))])
    now = datetime(2026, 3, 2, rng.randint(8, 20), tzinfo=zone)
    table = Table(house, name, rng, now, habits=Habits.choose(rng))
    made = []
    for index in range(rounds):
        if index and rng.random() < 0.04:
            table.close()
        made.append(table.next_round(f"{prefix}-{index + 1}"))
    return project(rng, table.habits, made) if recorder is None else recorder(rng, made)
