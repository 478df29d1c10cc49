"""Lawful rounds of Flushes Gone Wild and its Progressive (Rule 10, 47.1-1017.60), settled by the text.

Clause numbers are those of the text; (P1) is clause (1) of the Progressive. Hands whose outcome depends on a doubtful
passage are dealt again. Doubtful are the rank of a wild deuce, a deuce of the flush's own suit and a wild flush of four
cards. So is envy between hands of one player, for folders or for hands without the Progressive wager.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone

from tests.lawful.acts import Style, change_deck, flatten, take_cards, write_outcome, write_wager
from tests.lawful.projections import project
from tests.lawful.record import (
    SUITS,
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

GAME = "co-rule10-flushes-gone-wild"
ENVY = "envy"
METER = "progressive"
VALUES = {rank: value for value, rank in enumerate("23456789TJQKA", start=2)}

BLIND = {5: 200, 4: 25, 3: 5, 2: 3}
"""Odds of the Blind by margin of victory; a smaller margin is a push."""
BLIND_ROWS = {5: "5-cards-or-more", 4: "4-cards", 3: "3-cards", 2: "2-cards"}
RUSH_HANDS = ((7, "natural"), (7, "wild"), (6, "natural"), (6, "wild"), (5, "natural"), (5, "wild"), (4, "natural"))
RUSH_TABLES = {
    "FGW-01": dict(zip(RUSH_HANDS, (250, 100, 50, 10, 6, 3, 1), strict=True)),
    "FGW-02": dict(zip(RUSH_HANDS, (200, 75, 50, 10, 6, 3, 1), strict=True)),
    "FGW-03": dict(zip(RUSH_HANDS, (250, 100, 50, 10, 5, 3, 1), strict=True)),
    "FGW-04": dict(zip(RUSH_HANDS, (250, 100, 60, 10, 5, 4, 1), strict=True)),
}
TRAY = {"four-of-a-kind": 300, "full-house": 50, "flush": 40, "straight": 30, "three-of-a-kind": 9}
"""Progressive pays for 1, from the tray."""
METER_PAYS = {"royal-flush": 100, "straight-flush": 10}
"""Percentages of the meter."""
ENVY_AMOUNTS = {
    100: {"royal-flush": 100_000, "straight-flush": 30_000},
    500: {"royal-flush": 500_000, "straight-flush": 150_000},
}
"""Envy pays by the Progressive wager: FGWP-01 at 1.00, FGWP-02 at 5.00."""


def measure_flush(cards: Sequence[str], deuce: str) -> tuple[int, tuple[int, ...]]:
    """Return length and ranks of the best flush (2); a wild deuce ranks as `ace`, `missing` or `own`."""
    best: tuple[int, tuple[int, ...]] = (0, ())
    wild = sum(card[0] == "2" for card in cards)
    for suit in SUITS:
        ranks = [VALUES[card[0]] for card in cards if card[1] == suit and card[0] != "2"]
        if deuce == "missing":
            free = [value for value in range(14, 2, -1) if value not in ranks]
            ranks += free[:wild]
        else:
            ranks += [14 if deuce == "ace" else 2] * wild
        best = max(best, (len(ranks), tuple(sorted(ranks, reverse=True))))
    return best


def compare(player: Sequence[str], dealer: Sequence[str]) -> tuple[str, int] | None:
    """Return how the player's seven cards fare and by how many cards, or None where that is doubtful."""
    found = set()
    is_wild = any(card[0] == "2" for card in (*player, *dealer))
    for deuce in ("ace", "missing", "own") if is_wild else ("ace",):
        mine, theirs = measure_flush(player, deuce), measure_flush(dealer, deuce)
        result = "win" if mine > theirs else "loss" if mine < theirs else "tie"
        found.add((result, mine[0] - theirs[0]))
    return found.pop() if len(found) == 1 else None


def name_rush(cards: Sequence[str]) -> tuple[int, str] | str | None:
    """Return the best row of Flush Rush, None for a loss, or `doubtful`."""
    wild = sum(card[0] == "2" for card in cards)
    found: list[tuple[int, str]] = []
    own: list[tuple[int, str]] = []
    for suit in SUITS:
        natural = sum(card[1] == suit and card[0] != "2" for card in cards)
        mine = sum(card[1] == suit for card in cards)
        for length, count in ((natural, "natural"), (natural + wild, "wild" if wild else "natural")):
            found.append((length, count))
        for length, count in ((mine, "natural"), (natural + wild, "natural" if mine == natural + wild else "wild")):
            own.append((length, count))

    def choose(rows: list[tuple[int, str]]) -> tuple[int, str] | str | None:
        best = max((row for row in rows if row in RUSH_HANDS), key=lambda row: -RUSH_HANDS.index(row), default=None)
        return "doubtful" if best is None and (4, "wild") in rows else best

    return choose(found) if choose(found) == choose(own) else "doubtful"


def name_five(cards: Sequence[str]) -> str:
    """Return the hand of five cards for the Progressive; deuces are not wild (P2)."""
    values = sorted((VALUES[card[0]] for card in cards), reverse=True)
    counts = sorted(Counter(values).values(), reverse=True)
    is_flush = len({card[1] for card in cards}) == 1
    is_straight = (counts[0] == 1 and values[0] - values[4] == 4) or values == [14, 5, 4, 3, 2]
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


@dataclass(frozen=True)
class House:
    """Choices of one licensee for one or more tables."""

    name: str | None
    tables: tuple[str, ...]
    dealing: str = "in-packets"
    shuffler: str = "none"
    rush: str | None = "FGW-01"
    progressive: int = 0
    """Size of the Progressive wager; 0 where it is not offered."""
    seed: int = 5_000_000
    increment: int = 100
    minimum: int = 500
    maximum: int = 10_000
    hands: int = 2
    effective: str = "2026-01-01"
    is_submitted: bool = True
    unit: int = 100
    positions: int = 6
    zone: timezone = UTC
    covers: tuple[str, ...] | None = None


def submit(house: House) -> Submission:
    """Return the submission of a house, which complies with every clause."""
    limits = {
        "minimum": write_amount(house.minimum),
        "maximum": write_amount(house.maximum),
        "posted": ["signage"],
        "tips": False,
    }
    double = limits | {"minimum": write_amount(2 * house.minimum), "maximum": write_amount(2 * house.maximum)}
    wagers: list[Record] = [{"wager": "ante"} | limits, {"wager": "blind"} | limits, {"wager": "play"} | double]
    areas = [{"wager": wager, "legend": wager.title()} for wager in ("ante", "blind", "play")]
    rows = [{"hand": BLIND_ROWS[margin], "odds": f"{odds} to 1"} for margin, odds in BLIND.items()]
    tables: list[Record] = [
        {"pays": "blind", "displayed": ["layout"], "rows": [*rows, {"hand": "0-or-1-card", "odds": "push"}]}
    ]
    submission: Submission = {
        "submission": f"{house.name}-{house.effective}",
        "licensee": {"name": house.name},
        "document": GAME,
        "effective": house.effective,
    }
    clauses: list[str] = []
    if house.covers:
        submission["tables"] = list(house.covers)
    if house.rush:
        wagers.append({"wager": "flush-rush"} | limits)
        areas.append({"wager": "flush-rush", "legend": "Flush Rush"})
        rush = [
            {"hand": f"{length}-card-{kind}-flush", "odds": f"{odds} to 1"}
            for (length, kind), odds in RUSH_TABLES[house.rush].items()
        ]
        tables.append({"pays": "flush-rush", "name": house.rush, "displayed": ["signage"], "rows": rush})
    if house.progressive:
        size = house.progressive
        wagers += [
            {
                "wager": "progressive",
                "minimum": write_amount(size),
                "maximum": write_amount(size),
                "posted": ["layout"],
            },
            {"wager": ENVY},
        ]
        areas.append({"wager": "progressive", "legend": "Progressive"})
        pays = [{"hand": hand, "odds": f"{share}% of meter"} for hand, share in METER_PAYS.items()]
        pays += [{"hand": hand, "odds": f"{odds} for 1"} for hand, odds in TRAY.items()]
        tables.append({"pays": "progressive", "displayed": ["signage"], "rows": pays})
        envy = [{"hand": hand, "odds": f"${amount // 100:,}"} for hand, amount in ENVY_AMOUNTS[size].items()]
        tables.append({"pays": ENVY, "displayed": ["signage"], "rows": envy})
        submission["meters"] = [
            {
                "meter": METER,
                "seed": write_amount(house.seed),
                "increment": write_amount(house.increment),
                "fed-by": "progressive",
            }
        ]
        clauses = ["progressive/(4)", "progressive/(7)(C)", "progressive/(7)(F)", "progressive/(7)(H)"]
    return submission | {
        "deck": {"cards": "standard-52", "decks": 1},
        "dealing": house.dealing,
        "hands-per-player": house.hands,
        "equipment": {"shuffler": house.shuffler, "shoe": "none"},
        "wagers": wagers,
        "pay-tables": tables,
        "layout": {"style": GAME, "positions": house.positions, "areas": areas},
        "attestations": [{"clause": clause, "by": "Casino manager", "given": "2025-12-15"} for clause in clauses],
    }


@dataclass
class Hand:
    """Position in a round: stakes, cards, choice."""

    seat: int
    ante: int
    rush: int = 0
    progressive: int = 0
    cards: list[str] = field(default_factory=list)
    folds: bool = False
    player: str | None = None
    is_misdealt: bool = False

    def stakes(self) -> list[tuple[str, int]]:
        pairs = [
            ("ante", self.ante),
            ("blind", self.ante),
            ("flush-rush", self.rush),
            ("progressive", self.progressive),
        ]
        return [(wager, amount) for wager, amount in pairs if amount]

    def award(self) -> str:
        """Return the Progressive hand that wins, or an empty text."""
        return name_five(self.cards) if self.progressive and not self.folds and not self.is_misdealt else ""


def settle(hand: Hand, dealer: Sequence[str], community: Sequence[str], house: House) -> dict[str, tuple[str, int]]:
    """Return the outcome of each line but the Progressive, with the odds to 1 of a win."""
    outcome: dict[str, tuple[str, int]] = {}
    if hand.folds:
        outcome |= {"ante": ("lost", 0), "blind": ("lost", 0)}
    else:
        compared = compare([*hand.cards, *community], [*dealer, *community])
        result, margin = compared or ("tie", 0)
        if result == "win":
            odds = BLIND.get(min(margin, 5))
            outcome |= {"ante": ("won", 1), "play": ("won", 1), "blind": ("won", odds) if odds else ("push", 0)}
        else:
            kind = ("push", 0) if result == "tie" else ("lost", 0)
            outcome |= {"ante": kind, "play": kind, "blind": kind}
    if hand.rush:
        row = name_rush([*hand.cards, *community])
        table = RUSH_TABLES[house.rush or "FGW-01"]
        outcome["flush-rush"] = ("won", table[row]) if isinstance(row, tuple) else ("lost", 0)
    return outcome


class Play:
    """Round that is played step by step into a `Round`."""

    def __init__(
        self,
        round_: Round,
        house: House,
        hands: list[Hand],
        dealer: list[str],
        community: list[str],
        style: Style,
        meter: int,
    ) -> None:
        self.round = round_
        self.house = house
        self.hands = sorted(hands, key=lambda hand: hand.seat)
        self.dealer = dealer
        self.community = community
        """Cards in the middle, in the order dealt: five in a packet, or the two that are used."""
        self.style = style
        self.rng = style.rng
        self.opening = meter
        self.shown = meter + house.increment * sum(bool(hand.progressive) for hand in hands)
        self.meter = self.shown
        """Readings of the meter, award by award."""

    @property
    def used(self) -> list[str]:
        """Return the community cards that are used: those left after 1, 2 and 5 are removed (6)."""
        return self.community[2:4] if len(self.community) == 5 else self.community

    @property
    def is_void(self) -> bool:
        return len(self.dealer) != 5

    def write(self, before: Sequence[Event] = ()) -> Round:
        """Write all events of the round."""
        events = self.round.events
        events += [*before, *self._open(), *self._deal()]
        for hand in self.hands:
            if hand.is_misdealt:
                events += self._declare_misdeal(hand)
        if self.is_void:
            events += self._void()
        else:
            events += self._decide()
            events += self._finish()
        for hand in self.hands:
            self.round.seat(hand.seat, **({"player": hand.player} if hand.player else {}))
        is_returned = self.is_void or any(hand.progressive and hand.is_misdealt for hand in self.hands)
        if self.house.progressive and not is_returned:
            meter = {"meter": METER, "opening": self.opening, "shown": self.shown, "closing": self.meter}
            for key in ("opening", "shown", "closing"):
                if self.style.chance(0.05):
                    meter.pop(key)
            self.round.keys["meters"] = [meter]
        return self.round

    def _open(self) -> list[Event]:
        style, rng, house = self.style, self.rng, self.house
        is_machine = house.shuffler == "mechanical" and not style.chance(0.1)
        shuffle = [make_event("shuffle", by="machine" if is_machine else "dealer")]
        if style.chance(0.08):
            shuffle[0].pop("by")
        cut = make_event("cut", by=None if style.chance(0.1) else rng.choice(["dealer", "player"]))
        prepare = [*shuffle, *(shuffle if style.chance(0.05) else []), cut]
        seats = []
        for hand in self.hands:
            blocks = [
                write_wager(style, hand.seat, wager, amount, False, is_final=wager == "progressive")
                if wager != "progressive"
                else [make_event("wager", seat=hand.seat, wager=wager, amount=amount)]
                for wager, amount in hand.stakes()
            ]
            if style.chance(0.1):
                blocks[:2] = blocks[1::-1]
            if hand.progressive and style.chance(0.1):
                blocks[-1].append(make_event("device", what="sensor-lit", seat=hand.seat))
            seats.append(interleave(rng, *blocks) if style.chance(0.2) else flatten(blocks))
        if style.is_plain or rng.random() < 0.5:
            return [*prepare, *flatten(seats)]
        return interleave(rng, prepare, *seats)

    def _deal(self) -> list[Event]:
        """Write the deal: in packets after the community packet (4), (5), (6), or one card at a time (6)(A)."""
        style, rng = self.style, self.rng
        by = (
            None
            if style.chance(0.08)
            else "machine"
            if self.house.shuffler == "mechanical" and rng.random() < 0.4
            else "dealer"
        )
        face = None if style.chance(0.05) else "down"
        order = [*self.hands, None]
        middle = [make_event("deal", place="community", cards=join_cards(self.community), face=face, by=by)]
        rest = [make_event("discard", place="deck")]
        if self.house.dealing == "in-packets":
            events = list(middle)
            for owner in order:
                events += self._packet(owner, owner.cards if owner else self.dealer, face, by)
            removed = [self.community[index] for index in (0, 1, 4)]
            named = {"positions": "125"} if rng.random() < 0.7 else {}
            away = make_event("discard", place="community", cards=join_cards(removed), face=face, **named)
            return [*events, *rest, away]
        events = []
        left = {id(owner): list(owner.cards if owner else self.dealer) for owner in order}
        skips = {id(owner): rng.randrange(5) for owner in order if len(left[id(owner)]) == 4}
        doubles = {id(owner): rng.randrange(5) for owner in order if len(left[id(owner)]) == 6}
        for turn in range(5):
            for owner in order:
                key = id(owner)
                if skips.get(key) == turn:
                    continue
                count = 2 if doubles.get(key) == turn else 1
                cards, left[key] = left[key][:count], left[key][count:]
                events += self._packet(owner, cards, face, by)
        if style.chance(0.3):
            middle = [make_event("deal", place="community", cards=card, face=face, by=by) for card in self.community]
        return [*events, *middle, *rest]

    def _packet(self, owner: Hand | None, cards: Sequence[str], face: str | None, by: str | None) -> list[Event]:
        style, rng = self.style, self.rng
        place: Record = {"place": "player", "seat": owner.seat} if owner else {"place": "dealer"}
        events = [make_event("deal", **place, cards=join_cards(cards), face=face, by=by)]
        if style.chance(0.004):
            card = rng.choice(list(cards))
            events.append(make_event("expose", **place, cards=card, by="dealer"))
            events.append(make_event("turn-down", **place, cards=card))
        return events

    def _give_back(self, hand: Hand) -> list[Event]:
        stakes = hand.stakes()
        if not self.style.is_plain:
            self.rng.shuffle(stakes)
        return [make_event("return", seat=hand.seat, wager=wager, amount=amount) for wager, amount in stakes]

    def _declare_misdeal(self, hand: Hand) -> list[Event]:
        """Write a dead hand of one player, who keeps Ante and any bet (P7)(I)."""
        events = [make_event("misdeal", place="player", seat=hand.seat)]
        if not self.style.chance(0.3):
            events += self._give_back(hand)
        return events + (take_cards(self.style, hand.seat, hand.cards) if not self.style.chance(0.3) else [])

    def _void(self) -> list[Event]:
        """Write a misdeal to the table: without Progressive hands all are dead and keep their bets (P7)(I)."""
        events = [make_event("misdeal", place="table" if self.style.chance(0.7) else "dealer")]
        if not self.style.chance(0.3):
            events += flatten(self._give_back(hand) for hand in self.hands if not hand.is_misdealt)
        return events + self._end_game()

    def _end_game(self) -> list[Event]:
        if not self.house.progressive or (not any(hand.progressive for hand in self.hands) and self.style.chance(0.5)):
            return []
        return [make_event("device", what="end-game", by=None if self.style.chance(0.1) else "dealer")]

    def _live(self) -> list[Hand]:
        return [hand for hand in self.hands if not hand.is_misdealt]

    def _decide(self) -> list[Event]:
        """Write decisions and Play wagers, and what is taken from those who fold (7)."""
        style, rng = self.style, self.rng
        sequences = []
        self.early: dict[int, bool] = {}
        for hand in self._live():
            if not hand.folds:
                said = [make_event("decide", seat=hand.seat, decision="play")]
                placed = write_wager(style, hand.seat, "play", 2 * hand.ante, False, is_final=True)
                sequences.append(placed + said if style.chance(0.1) else said + placed)
            else:
                sequences.append([make_event("decide", seat=hand.seat, decision="fold"), *self._take_fold(hand)])
        if style.chance(0.15):
            rng.shuffle(sequences)
        if style.chance(0.2):
            return interleave(rng, *sequences)
        if style.chance(0.3):
            spoken = [sequence[:1] if sequence[0].get("decision") == "fold" else sequence for sequence in sequences]
            folds = [sequence[1:] for sequence in sequences if sequence[0].get("decision") == "fold"]
            return flatten(spoken) + flatten(folds)
        return flatten(sequences)

    def _take_fold(self, hand: Hand) -> list[Event]:
        """Write what the dealer takes from a folder; with Flush Rush the cards are tucked under that bet (7)(A)."""
        style = self.style
        money = flatten(
            write_outcome(style, hand.seat, wager, hand.ante, False, ("lost", 0)) for wager in ("ante", "blind")
        )
        self.early[hand.seat] = bool(hand.progressive) and self.rng.random() < 0.5
        if self.early[hand.seat]:
            money.append(make_event("collect", seat=hand.seat, wager="progressive", amount=hand.progressive))
        if hand.rush:
            cards = [make_event("tuck", seat=hand.seat, wager="flush-rush")]
        else:
            cards = take_cards(style, hand.seat, hand.cards)
        return cards + money if style.chance(0.2) else money + cards

    def _reveal(self) -> list[Event]:
        """Write the dealer's hand turned up, then both community cards (8)."""
        style = self.style
        shown = list(self.dealer)
        if style.chance(0.3):
            shown.sort(key=lambda card: (card[1], -VALUES[card[0]]))
        own = [make_event("reveal", place="dealer", cards=join_cards(shown))]
        if style.chance(0.05):
            own = [make_event("reveal", place="dealer", cards=card) for card in shown]
        middle = [make_event("reveal", place="community", cards=join_cards(self.used))]
        if style.chance(0.1):
            middle = [make_event("reveal", place="community", cards=card) for card in self.used]
        return own + middle

    def _finish(self) -> list[Event]:
        """Write reveal, settlement from right to left, envy and the end of the game (8), (9), (P7), (P8)."""
        style, rng = self.style, self.rng
        hands = self._live()[::-1]
        is_open = any(not hand.folds or hand.rush for hand in hands)
        events: list[Event] = []
        waiting: list[Hand] = []
        if is_open or not style.chance(0.6):
            events += self._reveal()
            folders = [hand for hand in hands if hand.folds]
            if folders and style.chance(0.2):
                rng.shuffle(folders)
                hands = [hand for hand in hands if not hand.folds]
                hands = [*hands, *folders] if rng.random() < 0.5 else [*folders, *hands]
        for hand in hands:
            events += self._settle(hand, waiting)
        events += self._pay_envy()
        last = flatten(take_cards(style, hand.seat, hand.cards) for hand in waiting)
        if style.chance(0.4):
            last += [make_event("collect-cards", place="dealer")]
        end = self._end_game()
        return [*events, *last, *end] if rng.random() < 0.6 else [*events, *end, *last]

    def _settle(self, hand: Hand, waiting: list[Hand]) -> list[Event]:
        style, rng = self.style, self.rng
        outcome = settle(hand, self.dealer, self.used, self.house)
        if hand.folds:
            outcome = {line: result for line, result in outcome.items() if line == "flush-rush"}
        amounts = {"ante": hand.ante, "blind": hand.ante, "play": 2 * hand.ante, "flush-rush": hand.rush}
        lines = [line for line in ("ante", "play", "blind", "flush-rush") if line in outcome]
        if style.chance(0.4):
            rng.shuffle(lines)
        blocks = [write_outcome(style, hand.seat, line, amounts[line], False, outcome[line]) for line in lines]
        if hand.progressive and not self.early.get(hand.seat, False):
            blocks.insert(rng.randrange(len(blocks) + 1) if style.chance(0.3) else len(blocks), self._progressive(hand))
        events = flatten(blocks)
        if hand.award() in METER_PAYS:
            waiting.append(hand)
        elif not hand.folds or hand.rush:
            events += take_cards(style, hand.seat, hand.cards)
        return events

    def _progressive(self, hand: Hand) -> list[Event]:
        """Write the Progressive of a hand: the winner is keyed in, a supervisor called, the prize paid (P7)."""
        style, seat = self.style, hand.seat
        collect = make_event("collect", seat=seat, wager="progressive", amount=hand.progressive)
        award = hand.award()
        by = None if style.chance(0.1) else "dealer"
        if not award:
            slip = []
            if not hand.folds and style.chance(0.02):
                press = make_event("device", what="press-hand", by=by, seat=seat)
                slip = [make_event("device", what="select-spot", by=by, seat=seat), press, press]
            return [*slip, collect]
        events = [
            make_event("device", what="select-spot", by=by, seat=seat),
            make_event("device", what="press-hand", by=by, seat=seat),
        ]
        if style.chance(0.05):
            events += [events[-1]] * 2
        events.append(make_event("announce", what="call-supervisor", by=by, seat=None if style.chance(0.3) else seat))
        if award in METER_PAYS:
            amount = self.meter * METER_PAYS[award] // 100
            self.meter = self.house.seed if award == "royal-flush" else self.meter - amount
            if style.chance(0.3):
                events.append(make_event("device", what="swipe-card", by="supervisor"))
        else:
            amount = TRAY[award] * hand.progressive
        pay = make_event("pay", seat=seat, wager="progressive", amount=amount)
        return [*events, collect, pay] if style.chance(0.3) else [*events, pay, collect]

    def _pay_envy(self) -> list[Event]:
        """Write envy pays: each Progressive bettor has one for every envy hand of another player (P8)."""
        events = []
        for winner in self._live():
            if winner.award() not in METER_PAYS:
                continue
            amount = ENVY_AMOUNTS[self.house.progressive][winner.award()]
            events += [
                make_event("pay", seat=hand.seat, wager=ENVY, amount=amount)
                for hand in self._live()
                if hand.progressive and hand is not winner
            ]
        if not self.style.is_plain:
            self.rng.shuffle(events)
        return events


def take(deck: list[str], cards: Sequence[str]) -> list[str] | None:
    """Take cards out of a deck, or none where one is missing."""
    if not set(cards) <= set(deck):
        return None
    for card in cards:
        deck.remove(card)
    return list(cards)


def draw_five(rng: random.Random, deck: list[str]) -> list[str]:
    """Take five cards: any, or ones that make a Progressive hand, a long flush or several deuces."""
    suit, other = rng.sample(SUITS, 2)
    top = rng.randrange(10)
    run = ("A" + "23456789TJQKA")[top : top + 5]
    rank, second = rng.sample("3456789TJQKA", 2)
    match rng.choice(
        ["any"] * 8 + ["royal", "sf", "quads", "full", "flush", "flush", "straight", "trips", "deuces", "four"]
    ):
        case "royal":
            wanted = [card + suit for card in "TJQKA"]
        case "sf":
            wanted = [card + suit for card in run]
        case "quads":
            wanted = [rank + mark for mark in SUITS] + [second + suit]
        case "full":
            wanted = [rank + mark for mark in rng.sample(SUITS, 3)] + [second + mark for mark in rng.sample(SUITS, 2)]
        case "flush":
            wanted = [card + suit for card in rng.sample("3456789TJQKA", 5)]
        case "straight":
            wanted = [card + rng.choice(SUITS) for card in run]
        case "trips":
            wanted = [rank + mark for mark in rng.sample(SUITS, 3)] + rng.sample(deck, 2)
        case "deuces":
            wanted = ["2" + mark for mark in rng.sample(SUITS, 2)] + [
                card + suit for card in rng.sample("3456789TJQKA", 3)
            ]
        case "four":
            wanted = [card + suit for card in rng.sample("3456789TJQKA", 4)] + [second + other]
        case _:
            wanted = rng.sample(deck, 5)
    found = take(deck, wanted) if len(set(wanted)) == 5 else None
    if found is None:
        found = rng.sample(deck, 5)
        for card in found:
            deck.remove(card)
    rng.shuffle(found)
    return found


@dataclass
class Table:
    """A table over time: its house, clock, numbers, deck and meter."""

    house: House
    name: str
    clock: Clock
    is_numbered: bool = True
    deck: str | None = None
    unnamed: float = 0.0
    """Share of the rounds whose record does not name the deck."""
    number: int = 0
    meter: int = 0

    def seat_players(self, rng: random.Random) -> list[Hand]:
        house = self.house
        seats = sorted(rng.sample(range(1, house.positions + 1), rng.choice([1, 1, 2, 3, 3, 4, 5, house.positions])))
        hands = []
        owner, count = "", 0
        for seat in seats:
            if not owner or count >= house.hands or rng.random() < 0.85:
                owner, count = f"P{self.name}{seat}", 0
            count += 1
            hand = Hand(seat=seat, ante=self._amount(rng), player=owner)
            if house.rush and rng.random() < 0.5:
                hand.rush = self._amount(rng)
            if house.progressive and rng.random() < 0.6:
                hand.progressive = house.progressive
            hands.append(hand)
        return hands

    def _amount(self, rng: random.Random) -> int:
        low, high, unit = self.house.minimum, self.house.maximum, self.house.unit
        if rng.random() < 0.1:
            return rng.choice([low, high])
        return rng.randrange(low, min(high, low * 8) + 1, unit)

    def deal_hands(self, rng: random.Random, hands: list[Hand]) -> tuple[list[str], list[str]]:
        """Deal until no outcome is doubtful; return the dealer's and the community cards."""
        while True:
            deck = shuffle_deck(rng)
            dealer = draw_five(rng, deck)
            for hand in hands:
                hand.cards = self._twin(rng, deck, dealer) if rng.random() < 0.08 else draw_five(rng, deck)
            community = rng.sample(deck, 5 if self.house.dealing == "in-packets" else 2)
            used = community[2:4] if len(community) == 5 else community
            self.stub = [card for card in deck if card not in community]
            theirs = [*dealer, *used]
            mine = [[*hand.cards, *used] for hand in hands]
            is_rush_clear = all(
                not hand.rush or name_rush(cards) != "doubtful" for hand, cards in zip(hands, mine, strict=True)
            )
            if is_rush_clear and all(compare(cards, theirs) for cards in mine) and self._is_envy_clear(hands):
                return dealer, community

    @staticmethod
    def _twin(rng: random.Random, deck: list[str], dealer: Sequence[str]) -> list[str]:
        """Take the ranks of the dealer's cards with suits exchanged, so that hands tie."""
        marks = list(SUITS)
        rng.shuffle(marks)
        change = dict(zip(SUITS, marks, strict=True))
        found = take(deck, [card[0] + change[card[1]] for card in dealer])
        return found or draw_five(rng, deck)

    def _is_envy_clear(self, hands: list[Hand]) -> bool:
        """Return whether every envy hand has the Progressive wager, none of one player's two, and cents are whole."""
        winners = [hand for hand in hands if name_five(hand.cards) in METER_PAYS]
        owners = Counter(hand.player for hand in hands)
        if not self.house.progressive:
            return True
        shown = self.meter + self.house.increment * sum(bool(hand.progressive) for hand in hands)
        if winners and shown % (100 if len(winners) > 1 else 10):
            return False
        return all(hand.progressive and owners[hand.player] == 1 for hand in winners)

    def choose(self, rng: random.Random, hands: list[Hand]) -> None:
        """Choose who folds; with an envy hand at the table no Progressive bettor does."""
        share = rng.choice([0.0, 0.2, 0.5, 1.0])
        has_envy = bool(self.house.progressive) and any(name_five(hand.cards) in METER_PAYS for hand in hands)
        for hand in hands:
            hand.folds = rng.random() < share and not (has_envy and hand.progressive)

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
            bonuses={ENVY},
            exchanges={"community"},
        )
        hands = self.seat_players(rng)
        dealer, community = self.deal_hands(rng, hands)
        self.choose(rng, hands)
        awards = [name_five(hand.cards) for hand in hands if hand.progressive]
        if rng.random() < 0.05 and not METER_PAYS.keys() & set(awards):
            unlucky = rng.choice(hands)
            unlucky.is_misdealt = True
            self._miscount(rng, unlucky.cards)
        if rng.random() < 0.03 and not any(awards):
            self._miscount(rng, dealer)
        style = Style(rng, is_plain=rng.random() < 0.3, bonuses=frozenset({ENVY}))
        play = Play(round_, house, hands, dealer, community, style, self.meter)
        play.write(self._record_between_rounds(rng, style, hands))
        round_.deck = None if self.deck and rng.random() < self.unnamed else self.deck
        self.meter = play.meter
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
            steps = ("opened", "inspected", "spread", "washed")
            events += [make_event("deck", what=what, by="dealer") for what in steps]
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
            round_.events.insert(rng.randrange(len(round_.events)), make_event("arrive", seat=rng.choice(free)))
        if rng.random() < 0.05:
            round_.events.append(make_event("leave", seat=rng.choice(sorted(taken))))


def make_houses(rng: random.Random) -> list[tuple[House, House | None]]:
    """Return the houses of a log; one changes its submission on a later day."""
    houses: list[tuple[House, House | None]] = []
    for index in range(5):
        minimum = rng.choice([100, 500, 1000])
        size = [100, 500, 0, 500, 100][index]
        house = House(
            name=f"Casino {index + 1}",
            tables=("T1",) if index % 2 else ("T1", "T2"),
            dealing=rng.choice(["in-packets", "one-at-a-time"]),
            shuffler=rng.choice(["none", "manual", "mechanical"]),
            rush=rng.choice([*RUSH_TABLES, *RUSH_TABLES, None]),
            progressive=size,
            seed=rng.choice([1_000_000, 5_000_000]),
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
                house, effective="2026-03-02", rush="FGW-04", progressive=500, minimum=500, maximum=10_000, unit=50
            )
        houses.append((house, later))
    houses.append((House(name=None, tables=("T1",), is_submitted=False, progressive=500), None))
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
        meter = first.seed + 100 * rng.randrange(10_000)
        for day in range(days):
            house = later if later and day == 1 else first
            start = datetime(2026, 3, 1 + day, 10, tzinfo=house.zone)
            table = Table(house, name, Clock(start), is_numbered=is_numbered, deck=deck, unnamed=unnamed, meter=meter)
            is_last = place == len(places) - 1 and day == days - 1
            if table.deck and day == 1 and rng.random() < 0.5:
                table.deck = "blue"
            count = rounds - len(records) if is_last else per_table
            for _ in range(max(count, 0)):
                if rng.random() < 0.03:
                    table.number += rng.randint(1, 3)
                    table.meter += house.increment * rng.randrange(20)
                round_ = table.play(rng, f"S{seed}-{len(records) + 1}")
                records += [project(rng, round_)] if recorder is None else recorder(rng, [round_])
            meter = table.meter
    if rng.random() < 0.5:
        rng.shuffle(records)
    return records[:rounds], submissions
