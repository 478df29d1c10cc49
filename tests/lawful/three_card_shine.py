"""Lawful rounds of 3 Card Shine (Rule 10, 30-1099.52), settled by the text of the regulation.

Clause numbers in this module are those of the text. Passages that the text leaves doubtful are avoided or kept open.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import combinations

from tests.lawful.acts import Style, change_deck, flatten, take_cards, write_outcome, write_wager
from tests.lawful.projections import project
from tests.lawful.record import (
    Clock,
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
    write_amount,
)

GAME = "co-rule10-3card-shine"
BONUS = "ante-bonus"
LINES = ("play", BONUS, "ante", "pair-xxx", "super-6")
"""Order in which wagers are collected or paid (8)."""

VALUES = {rank: value for value, rank in enumerate("23456789TJQKA", start=2)}
THREE_ACES, STRAIGHT_FLUSH, TRIPS, STRAIGHT, FLUSH, PAIR, HIGH = (
    "three-aces",
    "straight-flush",
    "three-of-a-kind",
    "straight",
    "flush",
    "pair",
    "high-card",
)
ORDER = (HIGH, PAIR, FLUSH, STRAIGHT, TRIPS, STRAIGHT_FLUSH, THREE_ACES)
"""Hands from lowest to highest (1)."""

ANTE_BONUS = {STRAIGHT_FLUSH: 5, TRIPS: 4, STRAIGHT: 1, THREE_ACES: 4}
"""Three aces have no row of their own; they are three of a kind."""

PAIR_TABLES = {
    "A": {STRAIGHT_FLUSH: 40, TRIPS: 30, STRAIGHT: 6, FLUSH: 4, PAIR: 1},
    "B": {THREE_ACES: 50, STRAIGHT_FLUSH: 40, TRIPS: 30, STRAIGHT: 6, FLUSH: 3, PAIR: 1},
    "C": {THREE_ACES: 50, STRAIGHT_FLUSH: 40, TRIPS: 30, STRAIGHT: 5, FLUSH: 4, PAIR: 1},
    "D": {STRAIGHT_FLUSH: 40, TRIPS: 30, STRAIGHT: 6, FLUSH: 3, PAIR: 1},
}
SUPER_HANDS = (
    "royal-flush",
    "straight-flush",
    "four-of-a-kind",
    "full-house",
    "flush",
    "straight",
    "three-of-a-kind",
)
SUPER_TABLES = {
    "A": dict(zip(SUPER_HANDS, (1000, 200, 100, 20, 15, 10, 7), strict=True)),
    "B": dict(zip(SUPER_HANDS, (2000, 200, 50, 25, 15, 10, 5), strict=True)),
    "C": dict(zip(SUPER_HANDS, (1000, 200, 50, 25, 15, 10, 5), strict=True)),
    "D": dict(zip(SUPER_HANDS, (299, 200, 120, 20, 15, 10, 7), strict=True)),
}


def is_run(values: Sequence[int]) -> bool:
    return len(set(values)) == len(values) and max(values) - min(values) == len(values) - 1


def arrange(cards: Iterable[str]) -> list[str]:
    """Return three cards as they are ranked from left to right: groups first, then by rank; an ace is low in A-2-3."""
    hand = list(cards)
    counts = Counter(card[0] for card in hand)
    is_low = sorted(card[0] for card in hand) == ["2", "3", "A"]
    return sorted(hand, key=lambda card: (-counts[card[0]], 1 if is_low and card[0] == "A" else -VALUES[card[0]], card))


def rank_three(cards: Iterable[str]) -> tuple[int, tuple[int, ...]]:
    """Return the category, by its place in `ORDER`, and the cards that break ties within it."""
    hand = arrange(cards)
    values = [VALUES[card[0]] for card in hand]
    low = [3, 2, 1] if sorted(values) == [2, 3, 14] else values
    counts = Counter(values)
    is_flush = len({card[1] for card in hand}) == 1
    is_straight = is_run(low)
    if 3 in counts.values():
        name = THREE_ACES if values[0] == 14 else TRIPS
    elif is_straight and is_flush:
        name = STRAIGHT_FLUSH
    elif is_straight:
        name = STRAIGHT
    elif is_flush:
        name = FLUSH
    else:
        name = PAIR if 2 in counts.values() else HIGH
    return ORDER.index(name), tuple(low if is_straight else values)


def name_three(cards: Iterable[str]) -> str:
    return ORDER[rank_three(cards)[0]]


def qualifies(dealer: Iterable[str]) -> bool:
    """Return whether the dealer has a queen high or better (12)."""
    category, values = rank_three(dealer)
    return category > 0 or values[0] >= VALUES["Q"]


def name_five(cards: Sequence[str]) -> str:
    values = sorted((VALUES[card[0]] for card in cards), reverse=True)
    counts = sorted(Counter(values).values(), reverse=True)
    is_flush = len({card[1] for card in cards}) == 1
    is_straight = is_run(values) or values == [14, 5, 4, 3, 2]
    if is_flush and is_straight:
        return "royal-flush" if values[:2] == [14, 13] else "straight-flush"
    if counts[0] == 4:
        return "four-of-a-kind"
    if counts == [3, 2]:
        return "full-house"
    if is_flush:
        return "flush"
    if is_straight:
        return "straight"
    return "three-of-a-kind" if counts[0] == 3 else ""


def name_super(player: Iterable[str], dealer: Iterable[str]) -> str:
    """Return the best five-card hand of both hands that wins Super 6 (3)(A), (15), or an empty text."""
    names = {name_five(five) for five in combinations([*player, *dealer], 5)}
    return next((name for name in SUPER_HANDS if name in names), "")


def find_row(table: dict[str, int], hand: str) -> int | None:
    """Return the odds of a hand in a table; three aces without a row are three of a kind."""
    return table.get(hand, table.get(TRIPS) if hand == THREE_ACES else None)


@dataclass(frozen=True)
class House:
    """Choices of one licensee for one or more tables."""

    name: str | None
    tables: tuple[str, ...]
    dealing: str = "one-at-a-time"
    shuffler: str = "none"
    pair: str | None = "A"
    super6: str | None = "A"
    has_ante: bool = True
    tips: frozenset[str] = frozenset()
    minimum: int = 500
    maximum: int = 10_000
    hands: int = 2
    effective: str = "2026-01-01"
    is_submitted: bool = True
    unit: int = 100
    positions: int = 6
    zone: timezone = UTC
    label: str = ""
    covers: tuple[str, ...] | None = None


def format_rows(table: dict[str, int]) -> list[Record]:
    return [{"hand": hand, "odds": f"{odds:,} to 1"} for hand, odds in table.items()]


def submit(house: House) -> Submission:
    """Return the submission of a house, which complies with every clause."""
    limits = {
        "minimum": write_amount(house.minimum),
        "maximum": write_amount(house.maximum),
        "posted": ["layout", "signage"],
    }
    wagers: list[Record] = []
    tables: list[Record] = []
    areas: list[Record] = []
    if house.has_ante:
        wagers += [
            {"wager": "ante"} | limits | {"tips": "ante" in house.tips},
            {"wager": "play"} | limits | {"tips": "play" in house.tips},
            {"wager": BONUS},
        ]
        areas += [{"wager": "ante", "legend": "Ante"}, {"wager": "play", "legend": "Play"}]
        bonus = {hand: odds for hand, odds in ANTE_BONUS.items() if hand != THREE_ACES}
        tables.append({"pays": BONUS, "displayed": ["layout"], "rows": format_rows(bonus)})
    if house.pair:
        wagers.append({"wager": "pair-xxx"} | limits | {"tips": "pair-xxx" in house.tips})
        areas.append({"wager": "pair-xxx", "legend": "Pair XXX"})
        tables.append(
            {"pays": "pair-xxx", "displayed": ["layout", "signage"], "rows": format_rows(PAIR_TABLES[house.pair])}
        )
    if house.super6:
        wagers.append({"wager": "super-6"} | limits | {"tips": "super-6" in house.tips})
        areas.append({"wager": "super-6", "legend": "Super 6 Bonus"})
        tables.append({"pays": "super-6", "displayed": ["signage"], "rows": format_rows(SUPER_TABLES[house.super6])})
    submission: Submission = {
        "submission": f"{house.name}{house.label}-{house.effective}",
        "licensee": {"name": house.name},
        "document": GAME,
        "effective": house.effective,
    }
    if house.covers:
        submission["tables"] = list(house.covers)
    return submission | {
        "deck": {"cards": "standard-52", "decks": 1},
        "dealing": house.dealing,
        "hands-per-player": house.hands,
        "equipment": {"shuffler": house.shuffler, "shoe": "none"},
        "wagers": wagers,
        "pay-tables": tables,
        "layout": {"style": GAME, "positions": house.positions, "areas": areas},
        "attestations": [
            {"clause": clause, "by": "General manager", "given": "2025-12-15"} for clause in ("(2)", "(10)")
        ],
    }


@dataclass
class Hand:
    """Position in a round: stakes, cards, choice."""

    seat: int
    ante: int = 0
    pair: int = 0
    super6: int = 0
    tips: dict[str, int] = field(default_factory=dict)
    """Tip on each wager; the one on `play` is placed with that wager."""
    cards: list[str] = field(default_factory=list)
    folds: bool = False
    says_fold: bool = True
    """True if a fold is announced; a player with Pair XXX alone may leave it out."""
    player: str | None = None
    is_misdealt: bool = False
    is_found_late: bool = False
    """True if a wrong number of cards is found only at the settlement of the hand."""

    def stakes(self) -> list[tuple[str, int, bool]]:
        """Return the opening stakes, each own wager in front of its tip."""
        found = []
        for wager, amount in (("ante", self.ante), ("pair-xxx", self.pair), ("super-6", self.super6)):
            if amount:
                found.append((wager, amount, False))
                if wager in self.tips:
                    found.append((wager, self.tips[wager], True))
        return found


def settle(hand: Hand, dealer: Sequence[str], house: House) -> dict[str, tuple[str, int]]:
    """Return the outcome of each line of a hand that was not misdealt, with the odds to 1 of a win."""
    name = name_three(hand.cards)
    outcome: dict[str, tuple[str, int]] = {}
    if hand.ante and hand.folds:
        outcome["ante"] = ("lost", 0)
    elif hand.ante:
        mine, theirs = rank_three(hand.cards), rank_three(dealer)
        if not qualifies(dealer):
            outcome |= {"play": ("push", 0), "ante": ("won", 1)}
        elif mine > theirs:
            outcome |= {"play": ("won", 1), "ante": ("won", 1)}
        elif mine < theirs:
            outcome |= {"play": ("lost", 0), "ante": ("lost", 0)}
        else:
            outcome |= {"play": ("push", 0), "ante": ("push", 0)}
        if name in ANTE_BONUS:
            outcome[BONUS] = ("won", ANTE_BONUS[name])
    if hand.pair:
        odds = find_row(PAIR_TABLES[house.pair or "A"], name)
        outcome["pair-xxx"] = ("lost", 0) if odds is None or hand.folds else ("won", odds)
    if hand.super6:
        row = SUPER_TABLES[house.super6 or "A"].get(name_super(hand.cards, dealer))
        outcome["super-6"] = ("lost", 0) if row is None else ("won", row)
    return outcome


class Play:
    """Round that is played step by step into a `Round`.

    A dealer who dealt himself a wrong number of cards finds that after the deal or, if `late`, when he shows them.
    """

    def __init__(
        self,
        round_: Round,
        house: House,
        hands: list[Hand],
        dealer: list[str],
        style: Style,
        *,
        late: bool = False,
        stub: Sequence[str] = (),
    ) -> None:
        self.round = round_
        self.house = house
        self.hands = sorted(hands, key=lambda hand: hand.seat)
        self.dealer = dealer
        self.style = style
        self.rng = style.rng
        self.late = late
        self.stub = list(stub)
        """Cards of the deck that are dealt to nobody."""
        self.by_seat = {hand.seat: hand for hand in hands}

    @property
    def is_void(self) -> bool:
        return len(self.dealer) != 3

    def write(self, before: Sequence[Event] = ()) -> Round:
        """Write all events of the round."""
        events = self.round.events
        events += [*before, *self._open(), *self._deal()]
        events += self._declare_misdeals()
        if self.is_void and not self.late:
            events += self._void()
        else:
            events += self._decide()
            if self.is_void:
                events += [*self._reveal(), *self._void()]
            else:
                events += self._finish()
        for hand in self.hands:
            self.round.seat(hand.seat, **({"player": hand.player} if hand.player else {}))
        return self.round

    def _open(self) -> list[Event]:
        """Write the wagers, the shuffle and the cut in any order; each seat begins with its own wagers."""
        style, rng, house = self.style, self.rng, self.house
        machine = house.shuffler == "mechanical"
        shuffle = [make_event("shuffle", by="machine" if machine and not style.chance(0.1) else "dealer")]
        if style.chance(0.08):
            shuffle[0].pop("by")
        if style.chance(0.06):
            shuffle *= 2
        cut = make_event("cut", by=rng.choice(["dealer", "player"]) if not style.is_plain else "player")
        if style.chance(0.1):
            cut.pop("by")
        if style.chance(0.05):
            cut["number"] = rng.randint(10, 40)
        prepare = [*shuffle, cut]
        if style.chance(0.02):
            prepare = [
                *shuffle,
                make_event("fault", what="cards stuck in the device"),
                make_event("remedy", what="cards taken out and shuffled anew"),
                *shuffle,
                cut,
            ]
        seats = []
        for hand in self.hands:
            blocks: list[list[Event]] = []
            for wager, amount, tip in hand.stakes():
                block = write_wager(style, hand.seat, wager, amount, tip)
                if tip:
                    blocks[-1] += block
                else:
                    blocks.append(block)
            seats.append(
                interleave(rng, *blocks) if style.chance(0.3) else [event for block in blocks for event in block]
            )
        if style.is_plain or rng.random() < 0.5:
            return [*prepare, *(event for seat in seats for event in seat)]
        return interleave(rng, prepare, *seats)

    def _deal(self) -> list[Event]:
        style, rng = self.style, self.rng
        by = "machine" if self.house.dealing == "three-card-packets" and rng.random() < 0.5 else "dealer"
        face: str | None = "down"
        named: str | None = by
        if style.chance(0.08):
            named = None
        if style.chance(0.05):
            face = None
        events: list[Event] = []
        order = [*self.hands, None]
        if self.house.dealing == "three-card-packets":
            for owner in order:
                events += self._packet(owner, owner.cards if owner else self.dealer, face, named)
            return events
        left = {id(owner): list(owner.cards if owner else self.dealer) for owner in order}
        skips = {id(owner): rng.randrange(3) for owner in order if len(left[id(owner)]) == 2}
        doubles = {id(owner): rng.randrange(3) for owner in order if len(left[id(owner)]) == 4}
        for turn in range(3):
            for owner in order:
                key = id(owner)
                if skips.get(key) == turn:
                    continue
                count = 2 if doubles.get(key) == turn else 1
                cards, left[key] = left[key][:count], left[key][count:]
                events += self._packet(owner, cards, face, named)
        return events

    def _packet(self, owner: Hand | None, cards: Sequence[str], face: str | None, by: str | None) -> list[Event]:
        style, rng = self.style, self.rng
        place: Record = {"place": "player", "seat": owner.seat} if owner else {"place": "dealer"}
        events = []
        if self.stub and style.chance(0.004):
            card = self.stub.pop()
            if rng.random() < 0.5:
                events.append(make_event("deal", **place, cards=card, face=face, by=by))
                self.round.set_aside.append((place["place"], place.get("seat"), card))
            events += [
                make_event("fault", what="card fell off the table", **place, cards=card),
                make_event("remedy", what="set-aside", **place, cards=card),
            ]
        events.append(make_event("deal", **place, cards=join_cards(cards), face=face, by=by))
        if style.chance(0.012):
            card = rng.choice(list(cards))
            who = rng.choice(["dealer", "player", None]) if owner else rng.choice(["dealer", None])
            events.append(make_event("expose", **place, cards=card, by=who))
            if who != "player" or rng.random() < 0.5:
                events.append(make_event("turn-down", **place, cards=rng.choice([card, None])))
        return events

    def _declare_misdeals(self) -> list[Event]:
        events = []
        for hand in self.hands:
            if hand.is_misdealt and not hand.is_found_late:
                events += self._declare_misdeal(hand)
        return events

    def _declare_misdeal(self, hand: Hand) -> list[Event]:
        """Write a misdeal to one player, who keeps Ante and all bets (7)."""
        events = [make_event("misdeal", place="player", seat=hand.seat)]
        if not self.style.chance(0.3):
            events += self._give_back(hand, self._play_stakes(hand) if hand.is_found_late else ())
        return events + (take_cards(self.style, hand.seat, hand.cards) if not self.style.chance(0.3) else [])

    def _give_back(self, hand: Hand, played: Iterable[tuple[str, int, bool]] = ()) -> list[Event]:
        stakes = [*hand.stakes(), *played]
        if not self.style.is_plain:
            self.rng.shuffle(stakes)
        return [
            make_event("return", seat=hand.seat, wager=wager, amount=amount, tip=True if tip else None)
            for wager, amount, tip in stakes
        ]

    def _play_stakes(self, hand: Hand) -> list[tuple[str, int, bool]]:
        """Return the Play wager of a hand that stays in, and a tip on it."""
        if not hand.ante or hand.folds or (hand.is_misdealt and not hand.is_found_late):
            return []
        tip = [("play", hand.tips["play"], True)] if "play" in hand.tips else []
        return [("play", hand.ante, False), *tip]

    def _void(self) -> list[Event]:
        """Write the misdeal of the dealer: all players keep their wagers (7)."""
        events = [make_event("misdeal", place="table" if self.style.chance(0.5) else "dealer")]
        is_recorded = not self.style.chance(0.3)
        for hand in self.hands:
            if not hand.is_misdealt and is_recorded:
                events += self._give_back(hand, self._play_stakes(hand) if self.late else ())
        return events

    def _live(self) -> list[Hand]:
        """Return the hands that still take part when decisions are taken."""
        return [hand for hand in self.hands if not hand.is_misdealt or hand.is_found_late]

    def _decide(self) -> list[Event]:
        """Write decisions, Play wagers, and what is collected from those who fold (9), (10)."""
        style, rng = self.style, self.rng
        acts: list[tuple[Hand, list[Event]]] = []
        for hand in self._live():
            if hand.ante and not hand.folds:
                said = [make_event("decide", seat=hand.seat, decision="play")]
                placed = [
                    event
                    for wager, amount, tip in self._play_stakes(hand)
                    for event in write_wager(style, hand.seat, wager, amount, tip, is_final=True)
                ]
                acts.append((hand, placed + said if style.chance(0.1) else said + placed))
            elif hand.folds and hand.says_fold:
                acts.append((hand, [make_event("decide", seat=hand.seat, decision="fold")]))
        if style.chance(0.15):
            rng.shuffle(acts)
        folders = [hand for hand, _ in acts if hand.folds]
        if not folders:
            sequences = [events for _, events in acts]
            return (
                interleave(rng, *sequences)
                if style.chance(0.1)
                else [event for events in sequences for event in events]
            )
        last = max(index for index, (hand, _) in enumerate(acts) if hand.folds)
        head: list[Event] = []
        tucked: set[int] = set()
        for hand, events in acts[: last + 1]:
            head += events
            if hand.folds and hand.super6 and style.chance(0.5):
                head.append(make_event("tuck", seat=hand.seat, wager="super-6"))
                tucked.add(hand.seat)
        tail = [event for _, events in acts[last + 1 :] for event in events]
        collected = self._collect_folds(folders, tucked)
        if style.chance(0.4):
            return head + interleave(rng, tail, collected)
        return head + tail + collected

    def _collect_folds(self, folders: list[Hand], tucked: set[int]) -> list[Event]:
        style = self.style
        money: list[list[Event]] = []
        cards: list[list[Event]] = []
        for hand in folders:
            lost = [("lost", 0)]
            events: list[Event] = []
            for wager, amount, tip in hand.stakes():
                if wager != "super-6":
                    events += write_outcome(style, hand.seat, wager, amount, tip, lost[0])
            money.append(events)
            if not hand.super6:
                cards.append(take_cards(style, hand.seat, hand.cards))
            else:
                tuck = [make_event("tuck", seat=hand.seat, wager="super-6")]
                cards.append([] if hand.seat in tucked else tuck)
        if style.chance(0.2):
            return [event for events in [*money, *cards] for event in events]
        pairs = zip(money, cards, strict=True)
        cards_first = style.chance(0.15)
        return [event for bets, hand in pairs for event in (hand + bets if cards_first else bets + hand)]

    def _reveal(self) -> list[Event]:
        style, rng = self.style, self.rng
        shown = arrange(self.dealer) if len(self.dealer) == 3 else list(self.dealer)
        whole = make_event("reveal", place="dealer", cards=join_cards(shown))
        if style.chance(0.06):
            return [make_event("reveal", place="dealer", cards=card) for card in shown] + [whole]
        if style.chance(0.06):
            mixed = rng.sample(shown, len(shown))
            return [make_event("reveal", place="dealer", cards=join_cards(mixed)), whole]
        return [whole]

    def _finish(self) -> list[Event]:
        """Write the reveal and the settlement in the order of (8), hand by hand or line by line."""
        style, rng = self.style, self.rng
        groups: dict[int, list[tuple[int, list[Event]]]] = {}
        late = [event for hand in self._live() if hand.is_misdealt for event in self._declare_misdeal(hand)]
        for hand in self._live():
            if hand.is_misdealt:
                continue
            outcome = settle(hand, self.dealer, self.house)
            if hand.folds:
                outcome = {line: result for line, result in outcome.items() if line == "super-6"}
            if hand.folds and not hand.says_fold:
                outcome = settle(hand, self.dealer, self.house)
            groups[hand.seat] = self._lines(hand, outcome)
        is_anything_open = any(groups.values())
        if not is_anything_open and style.chance(0.6):
            return late
        events = [*late, *self._reveal()] if self.rng.random() < 0.5 else [*self._reveal(), *late]
        seats = list(groups)
        if style.chance(0.3):
            seats.reverse()
        elif style.chance(0.3):
            rng.shuffle(seats)
        taken = {seat: self._take_up(self.by_seat[seat]) for seat in seats}
        own = self._take_up_dealer()
        if style.chance(0.25):
            for line in range(len(LINES)):
                events += [event for seat in seats for index, group in groups[seat] if index == line for event in group]
            return events + [event for seat in seats for event in taken[seat]] + own
        sequences = [[event for _, group in groups[seat] for event in group] for seat in seats]
        if style.chance(0.12):
            return events + interleave(rng, *(a + taken[seat] for seat, a in zip(seats, sequences, strict=True))) + own
        if style.chance(0.5):
            return events + [event for seat, a in zip(seats, sequences, strict=True) for event in a + taken[seat]] + own
        return events + flatten(sequences) + flatten(taken[seat] for seat in seats) + own

    def _lines(self, hand: Hand, outcome: dict[str, tuple[str, int]]) -> list[tuple[int, list[Event]]]:
        own = {wager: amount for wager, amount, tip in [*hand.stakes(), *self._play_stakes(hand)] if not tip}
        tips = {wager: amount for wager, amount, tip in [*hand.stakes(), *self._play_stakes(hand)] if tip}
        found = []
        for index, line in enumerate(LINES):
            if line not in outcome:
                continue
            base = "ante" if line == BONUS else line
            events = [write_outcome(self.style, hand.seat, line, own[base], False, outcome[line])]
            if base in tips:
                events.append(write_outcome(self.style, hand.seat, line, tips[base], True, outcome[line]))
                if self.style.chance(0.3):
                    events.reverse()
            found.append((index, [event for group in events for event in group]))
        return found

    def _take_up_dealer(self) -> list[Event]:
        return [make_event("collect-cards", place="dealer")] if self.style.chance(0.3) else []

    def _take_up(self, hand: Hand) -> list[Event]:
        if (hand.folds and hand.says_fold and not hand.super6) or self.style.chance(0.25):
            return []
        return take_cards(self.style, hand.seat, hand.cards)


def draw_like(rng: random.Random, deck: list[str], is_wanted: Callable[[list[str]], bool], count: int = 3) -> list[str]:
    """Take cards from a deck that satisfy a condition; any cards after many trials."""
    for _ in range(200):
        cards = rng.sample(deck, count)
        if is_wanted(cards):
            break
    for card in cards:
        deck.remove(card)
    return cards


def draw_hand(rng: random.Random, deck: list[str], name: str) -> list[str]:
    """Take three cards of a category from a deck, if it has them."""
    suit = rng.choice("cdhs")
    top = rng.randrange(12)
    ranks = "A23456789TJQKA"[top : top + 3]
    rank = "A" if name == THREE_ACES else rng.choice("23456789TJQK")
    wanted: list[str]
    match name:
        case "straight-flush":
            wanted = [card + suit for card in ranks]
        case "straight":
            wanted = [card + other for card, other in zip(ranks, rng.sample("cdhs", 3), strict=True)]
        case "three-of-a-kind" | "three-aces":
            wanted = [rank + other for other in rng.sample("cdhs", 3)]
        case "flush":
            wanted = [card + suit for card in rng.sample("23456789TJQKA", 3)]
        case "pair":
            other = rng.choice([card for card in "23456789TJQKA" if card != rank])
            wanted = [rank + mark for mark in rng.sample("cdhs", 2)] + [other + suit]
        case _:
            wanted = []
    if not wanted or not set(wanted) <= set(deck):
        return draw_like(rng, deck, lambda cards: True)
    for card in wanted:
        deck.remove(card)
    rng.shuffle(wanted)
    return wanted


SUPER_FIVES = {
    "royal-flush": "AKQJT",
    "straight-flush": "98765",
    "four-of-a-kind": "7777K",
    "full-house": "88855",
    "flush": "KJ842",
    "straight": "87654",
    "three-of-a-kind": "999K4",
}


def draw_super(rng: random.Random, deck: list[str], name: str) -> tuple[list[str], list[str]]:
    """Take a player's and a dealer's hand that together hold a given five-card hand."""
    ranks = SUPER_FIVES[name]
    suit = rng.choice("cdhs")
    if name in {"royal-flush", "straight-flush", "flush"}:
        five = [rank + suit for rank in ranks]
    else:
        used: Counter[str] = Counter()
        five = []
        for rank in ranks:
            five.append(rank + "cdhs"[used[rank] if ranks.count(rank) > 1 else rng.randrange(4)])
            used[rank] += 1
    rng.shuffle(five)
    for card in five:
        deck.remove(card)
    sixth = deck.pop()
    six = [*five, sixth]
    rng.shuffle(six)
    return six[:3], six[3:]


@dataclass
class Table:
    """A table over time: its house, clock, numbers and deck."""

    house: House
    name: str
    clock: Clock
    ids: Iterable[str]
    is_numbered: bool = True
    deck: str | None = None
    unnamed: float = 0.0
    """Share of the rounds whose record does not name the deck."""
    number: int = 0
    players: dict[int, str] = field(default_factory=dict)

    def deal_hands(self, rng: random.Random, hands: list[Hand]) -> list[str]:
        """Give cards to all hands; return those of the dealer. Rare hands and ties are as common as plain ones."""
        deck = shuffle_deck(rng)
        dealer: list[str] = []
        mode = rng.random()
        if mode < 0.12 and hands:
            lucky = rng.choice(hands)
            lucky.cards, dealer = draw_super(rng, deck, rng.choice(SUPER_HANDS))
        elif mode < 0.45:
            dealer = draw_hand(rng, deck, rng.choice(ORDER))
        else:
            dealer = draw_like(rng, deck, lambda cards: True)
        for hand in hands:
            if hand.cards:
                continue
            choice = rng.random()
            if choice < 0.08:
                twin = [
                    [card for card in deck if card[0] == rank and card[1] != suit]
                    for rank, suit in (tuple(card) for card in dealer)
                ]
                cards = [rng.choice(options) for options in twin if options]
                if len(set(cards)) == 3:
                    hand.cards = cards
                    for card in cards:
                        deck.remove(card)
                    continue
            hand.cards = (
                draw_hand(rng, deck, rng.choice(ORDER)) if choice < 0.5 else draw_like(rng, deck, lambda cards: True)
            )
        self.stub = deck
        return dealer

    def seat_players(self, rng: random.Random) -> list[Hand]:
        """Choose positions, players and opening stakes."""
        house = self.house
        hands = []
        seats = sorted(rng.sample(range(1, house.positions + 1), rng.choice([1, 1, 2, 3, 3, 4, 5, house.positions])))
        owner = ""
        used: Counter[str] = Counter()
        for seat in seats:
            if not owner or used[owner] >= house.hands or rng.random() < 0.75:
                owner = f"P{self.name}{seat}"
            used[owner] += 1
            hand = Hand(seat=seat, player=owner)
            options = [name for name in ("ante", "pair") if house.has_ante or name != "ante"]
            options = [name for name in options if house.pair or name != "pair"]
            chosen = rng.sample(options, rng.randint(1, len(options)))
            if house.super6 and rng.random() < 0.5:
                chosen.append("super6")
            for name in chosen:
                setattr(hand, name, self._amount(rng))
            for wager, amount in (("ante", hand.ante), ("pair-xxx", hand.pair), ("super-6", hand.super6)):
                if amount and wager in house.tips and rng.random() < 0.3:
                    hand.tips[wager] = rng.choice([self._amount(rng), 50, 100])
            if "ante" in hand.tips and "play" in house.tips and rng.random() < 0.4:
                hand.tips["play"] = rng.choice([hand.tips["ante"], 50, 700])
            hands.append(hand)
        return hands

    def _amount(self, rng: random.Random) -> int:
        low, high, unit = self.house.minimum, self.house.maximum, self.house.unit
        if rng.random() < 0.1:
            return rng.choice([low, high])
        return rng.randrange(low, min(high, low * 8) + 1, unit)

    def choose(self, rng: random.Random, hands: list[Hand]) -> None:
        """Choose who folds, who is misdealt."""
        share = rng.choice([0.0, 0.2, 0.5, 1.0])
        for hand in hands:
            name = name_three(hand.cards)
            has_pair = find_row(PAIR_TABLES[self.house.pair or "A"], name) is not None
            if hand.ante:
                hand.folds = rng.random() < share * (0.3 if hand.pair and has_pair else 1)
            elif not has_pair and not hand.super6:
                hand.folds = True
                hand.says_fold = rng.random() < 0.6

    def play(self, rng: random.Random, id_: str) -> Round:
        house = self.house
        self.number += 1
        round_ = Round(
            id_,
            GAME,
            self.name,
            self.clock.advance(rng) if rng.random() < 0.98 or not self.is_numbered else self.clock.now,
            casino=house.name,
            number=self.number if self.is_numbered else None,
            deck=self.deck,
            bonuses={BONUS},
        )
        hands = self.seat_players(rng)
        dealer = self.deal_hands(rng, hands)
        self.choose(rng, hands)
        late = False
        if rng.random() < 0.05:
            unlucky = rng.choice(hands)
            unlucky.is_misdealt = True
            unlucky.is_found_late = rng.random() < 0.2 and not unlucky.folds and bool(unlucky.ante)
            self._miscount(rng, unlucky.cards)
        if rng.random() < 0.03:
            self._miscount(rng, dealer)
            late = rng.random() < 0.3 and not any(hand.folds for hand in hands)
        style = Style(rng, is_plain=rng.random() < 0.3, bonuses=frozenset({BONUS}))
        play = Play(round_, house, hands, dealer, style, late=late, stub=self.stub)
        play.write(self._record_between_rounds(rng, style, hands))
        round_.deck = None if self.deck and rng.random() < self.unnamed else self.deck
        self._notes(rng, round_, hands)
        return round_

    def _miscount(self, rng: random.Random, cards: list[str]) -> None:
        if rng.random() < 0.5:
            cards.pop()
        else:
            cards.append(self.stub.pop())

    def _record_between_rounds(self, rng: random.Random, style: Style, hands: list[Hand]) -> list[Event]:
        events: list[Event] = []
        if self.deck and self.number > 1 and style.chance(0.01):
            self.deck, events = change_deck(style, self.deck)
        if self.number == 1 and style.chance(0.7):
            events += [
                make_event("deck", what=what, by="dealer") for what in ("opened", "inspected", "spread", "washed")
            ]
        for seat in range(1, self.house.positions + 1):
            if style.chance(0.03):
                events.append(make_event("leave", seat=seat))
        events += [make_event("arrive", seat=hand.seat) for hand in hands if style.chance(0.05)]
        return events

    def _notes(self, rng: random.Random, round_: Round, hands: list[Hand]) -> None:
        if rng.random() < 0.1:
            round_.keys["context"] = {"dealer": rng.choice(["D1", "D2"]), "shift": rng.choice(["day", "swing"])}
        taken = {hand.seat for hand in hands}
        free = [seat for seat in range(1, self.house.positions + 1) if seat not in taken]
        if free and rng.random() < 0.08:
            seat = rng.choice(free)
            tied = {"fault", "remedy"}
            gaps = [index for index, event in enumerate(round_.events) if event["event"] not in tied]
            round_.events.insert(rng.choice(gaps), make_event("arrive", seat=seat))
        if rng.random() < 0.05:
            round_.events.append(make_event("leave", seat=rng.choice(sorted(taken))))
        if rng.random() < 0.1:
            deal = next(index for index, event in enumerate(round_.events) if event["event"] == "deal")
            round_.events.insert(deal, make_event("announce", what="no more bets", by="dealer"))


def make_houses(rng: random.Random) -> list[tuple[House, House | None]]:
    """Return the houses of a log; some change their submission on a later day."""
    every_tip = frozenset({"ante", "play", "pair-xxx", "super-6"})
    houses: list[tuple[House, House | None]] = []
    for index in range(5):
        letters = "ABCD"
        packets = rng.random() < 0.5
        pair, super6 = rng.choice([*letters, *letters, None]), rng.choice([*letters, *letters, None])
        has_ante = pair is None or rng.random() < 0.85
        tips = rng.choice([frozenset[str](), every_tip, frozenset({"ante"}), frozenset({"pair-xxx", "super-6"})])
        minimum = rng.choice([100, 500, 1000, 2500])
        house = House(
            name=f"Casino {index + 1}",
            tables=("T1",) if index % 2 else ("T1", "T2"),
            dealing="three-card-packets" if packets else "one-at-a-time",
            shuffler="mechanical" if packets else rng.choice(["none", "manual", "mechanical"]),
            pair=pair,
            super6=super6,
            has_ante=has_ante,
            tips=tips,
            minimum=minimum,
            maximum=minimum * rng.choice([5, 20, 100]),
            hands=rng.choice([1, 2, 2]),
            positions=rng.choice([5, 6, 7]),
            zone=rng.choice([UTC, timezone(timedelta(hours=-7))]),
            is_submitted=index < 4,
        )
        later = None
        if index == 0:
            later = replace(
                house, effective="2026-03-02", pair="C", super6="D", has_ante=True, minimum=500, maximum=10_000
            )
        houses.append((house, later))
    houses.append((House(name=None, tables=("T1",), is_submitted=False, tips=every_tip), None))
    return houses


def write(seed: int, rounds: int, recorder: Recorder | None = None) -> Session:
    """Return lawful records of several casinos, tables and days, and the submissions in force.

    Args:
        recorder: what records a round; left out, one of the usual ways.
    """
    rng = random.Random(seed)
    houses = make_houses(rng)
    submissions = [submit(house) for pair in houses for house in pair if house and house.is_submitted]
    places = [(pair, table) for pair in houses for table in pair[0].tables]
    records: list[Record] = []
    days = 2
    per_table = max(rounds // (len(places) * days), 1)
    for place, ((first, later), name) in enumerate(places):
        is_numbered = rng.random() < 0.7
        deck, unnamed = rng.choice([(None, 0.0), (None, 0.0), ("red", 0.0), ("red", 0.1)])
        for day in range(days):
            house = later if later and day == 1 else first
            start = datetime(2026, 3, 1 + day, 10, tzinfo=house.zone)
            table = Table(house, name, Clock(start), (), is_numbered=is_numbered, deck=deck, unnamed=unnamed)
            is_last = place == len(places) - 1 and day == days - 1
            if table.deck and day == 1 and rng.random() < 0.5:
                table.deck = "blue"
            count = rounds - len(records) if is_last else per_table
            for _ in range(max(count, 0)):
                if rng.random() < 0.03:
                    table.number += rng.randint(1, 3)
                round_ = table.play(rng, f"S{seed}-{len(records) + 1}")
                records += [project(rng, round_)] if recorder is None else recorder(rng, [round_])
    if rng.random() < 0.5:
        rng.shuffle(records)
    return records[:rounds], submissions
