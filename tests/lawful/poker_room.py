"""Lawful hands of Texas Hold 'Em in a poker room, dealt and settled by a dealer of this module's own.

If the text and the custom of card rooms differ, a hand complies with both if it can; hands are judged under the profile
of that custom. Numbers of clauses are those of the text.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import combinations

from tests.lawful.projections import project
from tests.lawful.record import (
    Clock,
    Event,
    Record,
    Round,
    Session,
    Submission,
    drop_events,
    join_cards,
    make_event,
    shuffle_deck,
    split_amount,
    write_amount,
)

GAME = "poker-room"
PROFILE = "card-room-custom"
VALUES = {rank: value for value, rank in enumerate("23456789TJQKA", start=2)}
STREETS = (("flop", 3), ("turn", 1), ("river", 1))
ATTESTED = (
    *("opening-the-table/(1)", "opening-the-table/(2)", "opening-the-table/(3)", "cards-number-of-decks"),
    *("dealing-procedures/(1)", "dealing-procedures/(2)", "dealing-procedures/(4)(i)", "dealing-procedures/(4)(ii)"),
    *("dealing-procedures/(4)(iii)", "betting-rules/(8)", "poker-revenue/(2)(B)", "general-operating-rules/(1)"),
    *("general-operating-rules/(2)", "general-operating-rules/(3)", "conduct-of-players/(1)", "conduct-of-players/(2)"),
    "waiting-list",
)
MISDEALS = ("wrong-start", "seat-missed", "two-face-up")
KINDS = (
    *("shuffle", "cut", "wager", "deal", "deal/player", "deal/burn", "deal/community", "decide", "collect-cards"),
    *("return", "award", "rake", "drop", "reveal", "arrive", "leave", "chips-in", "chips-out", "fault", "remedy"),
    *("misdeal", "announce", "deck"),
)
TOLD_IN_PART = ("fault", "remedy", "misdeal", "collect-cards", "reveal", "award", "return", "rake", "drop")
KEYS = (
    *("number", "seat/player", "seat/stack", "seat/stack-after", "seat/won", "community", "seat/cards", "button"),
    *("event/by", "event/face", "small-bet"),
)


def rank_five(cards: Sequence[str]) -> tuple[int, tuple[int, ...]]:
    """Return category and ranks of five cards, the higher the better; groups count before kickers."""
    counts = Counter(VALUES[card[0]] for card in cards)
    ordered = sorted(counts, key=lambda value: (-counts[value], -value))
    shape = sorted(counts.values(), reverse=True)
    is_flush = len({card[1] for card in cards}) == 1
    top = 0
    if len(counts) == 5:
        top = 5 if set(counts) == {14, 2, 3, 4, 5} else max(counts) if max(counts) - min(counts) == 4 else 0
    if top and is_flush:
        return 8, (top,)
    if shape[0] == 4:
        return 7, tuple(ordered)
    if shape == [3, 2]:
        return 6, tuple(ordered)
    if is_flush:
        return 5, tuple(ordered)
    if top:
        return 4, (top,)
    category = {(3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(tuple(shape), 0)
    return category, tuple(ordered)


def rank_seven(cards: Sequence[str]) -> tuple[int, tuple[int, ...]]:
    return max(rank_five(five) for five in combinations(cards, 5))


@dataclass(frozen=True)
class House:
    """Choices of one poker room."""

    name: str
    tables: tuple[str, ...]
    small: int = 100
    big: int = 200
    ante: int = 0
    rake: tuple[tuple[int, int], ...] = ((1000, 100), (2000, 100), (4000, 100), (6000, 100))
    """Levels of the pot, and what is taken at each, from the flop on."""
    chip: int = 100
    is_submitted: bool = True
    low: int = 2000
    high: int = 15_000
    ante_of: str = "each-player"
    """Player who places the ante: `each-player`, or `big-blind` or `button` for all."""
    has_dead_button: bool = False
    """True if the blinds move from player to player, and the button with them, even to an empty seat."""
    decks: tuple[str, ...] = ()
    """Decks that are dealt in turn while a machine shuffles the other; empty if the log names none."""


def submit(house: House) -> Submission:
    """Return the submission of a room that plays the 1/2 format of the amendment."""
    levels = [{"pot": write_amount(pot), "takes": write_amount(takes)} for pot, takes in house.rake]
    size = write_amount(house.ante)
    ante = {"wager": "ante", "minimum": size, "maximum": size, "posted": ["signage"]}
    return {
        "submission": f"{house.name}-rules",
        "licensee": {"name": house.name},
        "document": GAME,
        "effective": "2026-01-01",
        "options": {"format": "one-two", "ante": house.ante_of if house.ante else "none", "check-raise": True},
        "deck": {
            "cards": "standard-52",
            "decks": 1,
            "kept": 2,
            "backs": ["blue", "red"],
            "cover-card": {"colour": "yellow", "opaque": True, "solid": True},
        },
        "equipment": {"shuffler": "mechanical" if house.decks else "manual", "shoe": "none"},
        "wagers": [
            *([ante] if house.ante else []),
            {
                "wager": "small-blind",
                "minimum": write_amount(house.small),
                "maximum": write_amount(house.small),
                "posted": ["signage"],
            },
            {
                "wager": "big-blind",
                "minimum": write_amount(house.big),
                "maximum": write_amount(house.big),
                "posted": ["signage"],
            },
            {"wager": "bets", "minimum": write_amount(house.big), "posted": ["signage"]},
        ],
        "buy-in": {
            "minimum": write_amount(house.low),
            "maximum": write_amount(house.high),
            "table-maximum": write_amount(30_000),
        },
        "rake": {"kind": "increments", "levels": levels, "from": "flop", "posted": ["signage"]},
        "smallest-chip": write_amount(house.chip),
        "layout": {
            "style": GAME,
            "positions": 11,
            "signage": ["Blinds and smallest bet", "Type and amount of the rake"],
        },
        "attestations": [{"clause": clause, "by": "Room manager", "given": "2025-12-15"} for clause in ATTESTED],
    }


@dataclass
class Player:
    """A player at a seat, with what happened to the player's chips in the hand."""

    seat: int
    name: str
    stack: int
    cards: list[str] = field(default_factory=list)
    street: int = 0
    """Chips put in during the betting round."""
    total: int = 0
    refunded: int = 0
    """Chips of the total of a lost hand, which the player got back: a bet that they called remains called."""
    is_refunded: bool = False
    """True if the player got back the chips of a lost hand, if only an ante."""
    dead: int = 0
    """Chips of a dead blind, or of an ante for all, which count towards no bet."""
    posted: list[tuple[str, int]] = field(default_factory=list)
    """Forced bets that count towards the bet, with their amounts."""
    bets: int = 0
    """Chips put in by choice."""
    left: int = 0
    """Chips that are left."""
    has_folded: bool = False
    won: int = 0
    has_conceded: bool = False
    is_waiting: bool = False
    """True for a newcomer whom the big blind has not reached yet."""
    rounds_away: int = 0
    """Rounds that the player still sits out."""

    def commit(self, amount: int) -> int:
        amount = min(amount, self.left)
        self.left -= amount
        self.street += amount
        self.total += amount
        return amount

    def lay_apart(self, amount: int) -> int:
        """Put chips into the pot that count towards no bet."""
        amount = min(amount, self.left)
        self.left -= amount
        self.dead += amount
        return amount

    @property
    def is_in(self) -> bool:
        return not self.has_folded

    @property
    def can_act(self) -> bool:
        return not self.has_folded and self.left > 0


class Play:
    """Hand that is played step by step into a `Round`."""

    def __init__(
        self,
        round_: Round,
        house: House,
        players: list[Player],
        button: int,
        rng: random.Random,
        *,
        has_small: bool = True,
        is_plain: bool = False,
    ) -> None:
        self.round = round_
        self.has_small = has_small
        """False if the small blind was due from a seat that is empty now."""
        self.events = round_.events
        self.house = house
        self.rng = rng
        self.is_plain = is_plain
        seats = sorted(players, key=lambda player: player.seat)
        start = next((index for index, player in enumerate(seats) if player.seat > button), 0)
        self.players = seats[start:] + seats[:start]
        """Players from the first seat left of the button round to the button."""
        self.button = button
        self.deck = shuffle_deck(rng)
        self.board: list[str] = []
        self.mishap = rng.choice([*MISDEALS, "flop", "turn"]) if not is_plain and rng.random() < 0.05 else ""
        """Misdeal after the deal, or street in front of which the deck is found to be wrong."""
        if self.mishap == "turn" and house.rake:
            self.mishap = "flop"
        self.is_void = False
        self.missed = rng.choice(players).seat
        self.has_face_up = False
        """True if a card was found face up in the deck; a second one is a misdeal."""
        self.raked = 0
        self.taken: set[int] = set()
        self.last_bettor: Player | None = None
        self.current = 0
        self.straddler: Player | None = None
        self.awards_uncalled = self.chance(0.1)
        """True if an uncalled bet is awarded with the pots: it is the same money."""
        self.has_custom = not house.is_submitted
        """True if the room may follow customs that the text does not have."""
        self.boards: list[list[str]] = []
        """Boards of a hand whose remaining cards are dealt several times; empty if there is one."""
        self.has_blinds = not (self.has_custom and house.ante and self.chance(0.1))
        self.reconstructed: set[int] = set()
        self.has_folded_silently = False
        """True if the collection of the cards is the only record of a fold; a log without collections would still
        record it."""
        self.last_raise = house.big
        for player in players:
            player.street = player.total = player.refunded = player.dead = player.bets = player.won = 0
            player.is_refunded = False
            player.has_folded = player.has_conceded = False
            player.posted = []
            player.left = player.stack

    def chance(self, share: float) -> bool:
        return not self.is_plain and self.rng.random() < share

    def write(self, before: Sequence[Event] = ()) -> Round:
        """Write the whole hand."""
        self.events += before
        self._open()
        if self.chance(0.01):
            self._call_off_before_a_card()
            return self.close()
        self._deal_hole_cards()
        if self.mishap in MISDEALS:
            self._call_off()
            return self.close()
        self._bet(self._before_the_flop())
        for street, count in STREETS:
            if sum(player.is_in for player in self.players) < 2:
                break
            if self.mishap == street:
                self._call_off()
                return self.close()
            self._gather()
            if self._runs_again(street):
                break
            self._deal_board(count)
            self._take_rake()
            self._bet(list(self.players))
        self._finish()
        return self.close()

    def _call_off(self) -> None:
        """Write a misdeal (5), or a round that is dead as the deck is wrong (7): all chips go back."""
        add, rng = self.round.add, self.rng
        if self.mishap == "two-face-up":
            cards = [self.deck.pop(), self.deck.pop()]
            for shown in [join_cards(cards)] if rng.random() < 0.5 else cards:
                add("fault", what="face-up-in-deck", place="deck", cards=shown)
        elif self.mishap == "seat-missed":
            add("fault", what="seat-missed", place="player", seat=self.missed)
        elif self.mishap == "wrong-start":
            add("fault", what="wrong-start")
        else:
            add("fault", what="deck-wrong", place="deck")
        add("misdeal", place="table")
        refunded = {player.seat for player in self.players if player.is_refunded}
        for (seat, wager, _), stake in self.round.stakes().items():
            if stake.amount and not self.raked and seat not in refunded:
                add("return", seat=seat, wager=wager, amount=stake.amount)
        for player in self.players:
            player.left = player.stack
            if player.cards and not player.has_folded:
                add("collect-cards", place="player", seat=player.seat)
        if self.mishap in {street for street, _ in STREETS}:
            add("remedy", what="deck-replaced", place="deck")
        self.is_void = True

    def _call_off_before_a_card(self) -> None:
        """Write that all forced bets go back before anybody has a card: no round of play is what that is."""
        for (seat, wager, _), stake in self.round.stakes().items():
            self.round.add("return", seat=seat, wager=wager, amount=stake.amount)
        for player in self.players:
            player.left = player.stack
        self.is_void = True

    def close(self) -> Round:
        """Note seats, stacks and the button."""
        self.round.keys["button"] = self.button
        for player in self.players:
            after = player.left + player.won
            self.round.seat(player.seat, player=player.name, stack=player.stack)
            self.round.seat(player.seat, **{"stack-after": after})
            player.stack = after
        return self.round

    # The beginning

    def _open(self) -> None:
        self._shuffle()
        self._place_antes()
        if not self.has_blinds:  # antes alone
            return
        small, big = self._blinds()
        if small is not None:
            self._post(small, "small-blind", self.house.small)
        self._post(big, "big-blind", self.house.big)
        self.current = self.house.big
        later = self.players[self.players.index(big) + 1 :]
        if self.has_custom and len(later) > 1 and later[0].left > 4 * self.house.big and self.chance(0.08):
            self._post(later[0], "straddle", 2 * self.house.big)
            self.current, self.straddler = 2 * self.house.big, later[0]
        elif self.has_custom and len(later) > 1 and self.chance(0.1):
            self._post_late(self.rng.choice(later))

    def _shuffle(self) -> None:
        """Write the shuffle and the cut; a machine shuffles the other of two decks meanwhile, or by then."""
        names, add = self.house.decks, self.round.add
        if not names:
            add("shuffle", by="dealer")
            add("cut", by="dealer")
            return
        other = next(name for name in names if name != self.round.deck)
        add("shuffle", by="machine" if self.chance(0.7) else "dealer", deck=self.round.deck)
        add("cut", by="dealer", deck=self.round.deck if self.chance(0.5) else None)
        if self.chance(0.6):
            add("shuffle", by="machine", deck=other)

    def _place_antes(self) -> None:
        """Write the antes: of each player, or of one who places it for all."""
        ante, by = self.house.ante, self.house.ante_of
        if ante and by == "each-player":
            for player in self.players:
                self.round.add("wager", seat=player.seat, wager="ante", amount=player.commit(ante))
                player.street = 0
        elif ante:
            player = self._blinds()[1] if by == "big-blind" else self.players[-1]
            # The text does not say which comes first where the chips do not suffice for both.
            blind = self.house.big if self.has_blinds else 0
            kept = blind if player.left < ante + blind and self.rng.random() < 0.5 else 0
            amount = player.lay_apart(min(ante, max(player.left - kept, 0)))
            if amount:
                self.round.add("wager", seat=player.seat, wager="ante", amount=amount)

    def _post(self, player: Player, wager: str, amount: int) -> None:
        """Write a forced bet that counts towards the bet: the amount, or all that the player has."""
        amount = player.commit(amount)
        if amount:
            player.posted.append((wager, amount))
            self.round.add("wager", seat=player.seat, wager=wager, amount=amount)

    def _post_late(self, player: Player) -> None:
        """Write the blinds of a player who missed them: a live big one, and at times a dead small one."""
        if player.left > 4 * self.house.big:
            self._post(player, "big-blind", self.house.big)
            if self.rng.random() < 0.5:
                self.round.add("wager", seat=player.seat, wager="dead-blind", amount=player.lay_apart(self.house.small))

    def _blinds(self) -> tuple[Player | None, Player]:
        """Return who posts; between two players the button has the small blind by custom."""
        if len(self.players) == 2:
            return self.players[1], self.players[0]
        if not self.has_small:
            return None, self.players[0]
        return self.players[0], self.players[1]

    def _deal_hole_cards(self) -> None:
        order = [player for player in self.players if self.mishap != "seat-missed" or player.seat != self.missed]
        if self.mishap == "wrong-start":
            order = order[1:] + order[:1]
        players = {player.seat: player for player in order}
        seats, bystander = list(players), 0
        if not self.mishap and self.chance(0.01):  # (6): somebody outside the round is served in turn
            bystander = self.rng.choice([seat for seat in range(1, 11) if seat not in players])
            seats = sorted([*seats, bystander], key=lambda seat: (seat - self.button - 1) % 100)
        for _ in range(2):
            for seat in seats:
                card = self.deck.pop()
                if seat in players and self.chance(0.004):
                    self._set_aside("off-the-table", card, players[seat])
                    card = self.deck.pop()
                if seat in players:
                    players[seat].cards.append(card)
                self.round.add("deal", place="player", seat=seat, cards=card, face="down", by="dealer")
        if bystander:
            self.round.seat(bystander, playing=False)
            self.round.add("fault", what="ineligible-dealt", place="player", seat=bystander)
            self.round.add("collect-cards", place="player", seat=bystander)

    def _set_aside(self, what: str, card: str, player: Player | None = None) -> None:
        """Write a card that is out of play: off the table (11), or face up in the deck (8)."""
        place: Record = {"place": "deck"} if player is None else {"place": "player", "seat": player.seat}
        self.round.add("fault", what=what, cards=card, **place)
        self.round.add("remedy", what="set-aside", cards=card, **place)

    def _deal_board(self, count: int) -> None:
        if self.chance(0.01) and not self.has_face_up:
            self.has_face_up = True
            self._set_aside("face-up-in-deck", self.deck.pop())
        burnt = self.deck.pop()
        shown = "??" if self.rng.random() < 0.8 else burnt
        self.round.add("deal", place="burn", cards=shown, face="down", by="dealer")
        cards = [self.deck.pop() for _ in range(count)]
        self.board += cards
        self.round.add("deal", place="community", cards=join_cards(cards), face="up", by="dealer")

    def _runs_again(self, street: str) -> bool:
        """Deal all cards that are left twice, if nobody acts any more and all pots divide evenly."""
        counts = [count for name, count in STREETS if self._index(name) >= self._index(street)]
        may_act = sum(player.can_act for player in self.players) > 1
        if not self.has_custom or self.mishap in {name for name, _ in STREETS} or may_act or not self.chance(0.5):
            return False
        self._return_uncalled()
        if self.house.rake or any(amount % (2 * self.house.chip) for amount, _ in self._pots()):
            return False
        first = list(self.board)
        for _ in range(2):
            self.board = list(first)
            for count in counts:
                self._deal_board(count)
            self.boards.append(self.board)
        return True

    @staticmethod
    def _index(street: str) -> int:
        return [name for name, _ in STREETS].index(street)

    # Betting

    def _before_the_flop(self) -> list[Player]:
        """Return the order before the flop: the big blind is last, or who straddled."""
        if not self.has_blinds:
            return list(self.players)
        place = self.players.index(self.straddler or self._blinds()[1]) + 1
        return self.players[place:] + self.players[:place]

    def _gather(self) -> None:
        for player in self.players:
            player.street = 0
        self.current = 0
        self.last_raise = self.house.big
        self.last_bettor = None

    def _bet(self, order: list[Player]) -> None:
        """Play a betting round: players act in turn until all have met the last bet."""
        if sum(player.is_in for player in self.players) < 2:
            return
        may_raise = {player.seat: True for player in order}
        waiting = [player for player in order if player.can_act]
        while waiting:
            player = waiting.pop(0)
            if sum(other.is_in for other in self.players) < 2:
                return
            owed = self.current - player.street
            rivals = [other for other in self.players if other is not player and other.can_act]
            others = [other.street for other in self.players if other is not player and other.is_in]
            if not rivals and (owed <= 0 or player.street >= max(others)):
                continue
            is_raise = self._act(player, owed, bool(rivals) and may_raise[player.seat])
            if is_raise:
                place = order.index(player)
                later = order[place + 1 :] + order[:place]
                if is_raise == "full":
                    may_raise = {other.seat: True for other in order}
                else:
                    done = [other for other in later if other not in waiting]
                    for other in done:
                        may_raise[other.seat] = False
                waiting = [other for other in later if other.can_act]

    def _act(self, player: Player, owed: int, may_raise: bool) -> str:
        """Write one decision; return `full` or `short` for a bet or raise."""
        rng, unit = self.rng, self.house.chip
        if self.chance(0.006) and self._lose_hand(player):
            return ""
        choice = rng.random()
        if owed > 0 and choice < 0.3:
            player.has_folded = True
            if player.seat not in self.reconstructed and self.chance(0.05):
                self.has_folded_silently = True
                self.round.add("collect-cards", place="player", seat=player.seat)
                return ""
            self._decide(player, "fold", 0)
            if self.chance(0.4):
                self.round.add("collect-cards", place="player", seat=player.seat)
            return ""
        if may_raise and player.left > owed and choice > 0.75:
            least = self.current + max(self.last_raise, self.house.big)
            most = player.street + player.left
            target = most if most <= least or choice > 0.96 else min(most, least + unit * rng.randrange(0, 8))
            kind = "full" if target >= least else "short"
            word = "raise" if self.current else "bet"
            if self.current == 0 and target < self.house.big:
                kind = "short"
            before = self.current
            self.current = target
            if kind == "full":
                self.last_raise = target - before
            amount = player.commit(target - player.street)
            player.bets += amount
            self._decide(player, word, amount, owed)
            self.last_bettor = player
            return kind
        if owed > 0:
            amount = player.commit(owed)
            player.bets += amount
            self._decide(player, "call", amount, owed)
        else:
            self._decide(player, "check", 0)
        return ""

    def _lose_hand(self, player: Player) -> bool:
        """Write a hand that is collected by accident or left behind (9); return whether it is out of play."""
        place: Record = {"place": "player", "seat": player.seat}
        what = self.rng.choice(["unprotected-hand-lost", "left-the-table", "protected-hand-lost"])
        self.round.add("fault", what=what, **place)
        if what == "protected-hand-lost" and not self.raked and self.rng.random() < 0.3:
            self._refund(player)
            return True
        if what == "protected-hand-lost":
            self.round.add("remedy", what="reconstructed", **place)
            self.reconstructed.add(player.seat)  # a later collection without a word might be that of the accident
            return False
        if what == "left-the-table" or self.rng.random() < 0.8:  # a fouled hand may lie where it is
            self.round.add("collect-cards", **place)
        player.has_folded = True
        return True

    def _refund(self, player: Player) -> None:
        """Write that a hand cannot be reconstructed: the player gets back all that went into the pot."""
        for kind in self.rng.choice([[], ["collect-cards"], ["misdeal"], ["collect-cards", "misdeal"]]):
            self.round.add(kind, place="player", seat=player.seat)
        for (seat, wager, _), stake in self.round.stakes().items():
            if seat == player.seat and stake.amount:
                self.round.add("return", seat=seat, wager=wager, amount=stake.amount)
        player.left, player.has_folded, player.refunded = player.stack, True, player.total
        player.is_refunded = True  # a player who has put in an ante alone has no other chips in the pot
        player.total = player.dead = player.bets = 0

    def _decide(self, player: Player, decision: str, amount: int, owed: int = 0) -> None:
        """Write a decision, and at times the words and the motions of chips in front of it."""
        for kind, keys in self._show(player, decision, amount, owed) if self.chance(0.15) else ():
            self.round.add(kind, seat=player.seat, **keys)
        is_silent = not amount and self.chance(0.05)  # of a check or a fold no amount need be recorded
        self.round.add("decide", seat=player.seat, decision=decision, amount=None if is_silent else amount)

    def _show(self, player: Player, decision: str, amount: int, owed: int) -> list[tuple[str, Record]]:
        """Return words and motions of chips that leave no doubt about a decision."""
        rng, unit = self.rng, self.house.chip

        def tender(value: int, chips: int | None = None) -> tuple[str, Record]:
            how = rng.choice([None, "pushed", "into-pot", "toward-pot"])
            return "tender", {"amount": value, "chips": chips or -(-value // unit), "what": how}

        says: tuple[str, Record] = ("declare", {"decision": decision})
        whole = tender(amount)
        ways = [[says], [says, says]]
        first = unit * rng.randrange(1, max(-(-amount // unit), 2))
        if amount > unit:
            parts = [tender(first), tender(amount - first)]
            ways += [[says, whole], [parts[0], ("declare", {"decision": "incomplete"}), parts[1]]]
            ways += [[whole], [says, *parts]] if decision == "call" else []
        if decision in {"bet", "raise"} and amount > unit:
            total: tuple[str, Record] = ("declare", {"decision": decision, "amount": player.street})
            ways += [[total], [total, total], [total, whole], [total, *parts], [whole]]
            if 0 < owed < amount:  # who has said that this is a raise may first put in the call
                ways.append([says, tender(owed), tender(amount - owed)])
        larger = [value for value in (500, 2500) if owed < value <= player.left + amount]
        if decision == "call" and larger and amount == owed:
            ways += [[tender(larger[0], 1)], [says, tender(larger[0], 1)]]
        return rng.choice(ways)

    # The end

    def _pots(self) -> list[tuple[int, list[Player]]]:
        """Return amount and contenders of each pot, the main pot first."""
        pots: list[tuple[int, list[Player]]] = []
        floor = 0
        for level in sorted({player.total for player in self.players if player.is_in}):
            amount = sum(min(player.total, level) - min(player.total, floor) for player in self.players)
            pots.append((amount, [player for player in self.players if player.is_in and player.total >= level]))
            floor = level
        extra = sum(max(player.total - floor, 0) for player in self.players)
        amount, contenders = pots[-1]
        pots[-1] = (amount + extra, contenders)
        amount, contenders = pots[0]
        pots[0] = (amount + sum(player.dead for player in self.players), contenders)
        return pots

    def _take_rake(self) -> None:
        """Write what is raked of the levels that the pot has reached; an uncalled bet is no part of it."""
        met = sorted((player.total + player.refunded for player in self.players), reverse=True)[1]
        pot = sum(min(player.total, met) + player.dead for player in self.players)
        for level, takes in self.house.rake:
            if pot >= level and level not in self.taken:
                self.taken.add(level)
                self.raked += takes
                is_of_the_main_pot = self.is_plain or (len(self._pots()) == 1 and self.chance(0.6))
                self.round.add("rake", amount=takes, pot=0 if is_of_the_main_pot else None)

    def _reveal(self, player: Player) -> None:
        self.round.add("reveal", place="player", seat=player.seat, cards=join_cards(player.cards))

    def _give_back_late(self, returned: list[Event]) -> None:
        """Move the return of an uncalled bet behind the awards: the text names no time for it."""
        if self.chance(0.1):
            for event in returned:
                self.events.remove(event)
            self.events += returned

    def _return_uncalled(self) -> list[Event]:
        """Write what goes back to the one whose last bet nobody met, unless it is awarded with the pots."""
        returned: list[Event] = []
        if self.awards_uncalled:
            return returned
        totals = sorted((player.total + player.refunded for player in self.players), reverse=True)
        top = next(player for player in self.players if player.total + player.refunded == totals[0])
        rest = totals[0] - totals[1]
        if not rest or top.refunded:
            return returned
        back, given = [("bets", min(rest, top.bets))], min(rest, top.bets)
        for wager, amount in reversed(top.posted):
            back.append((wager, min(rest - given, amount)))
            given += back[-1][1]
        for wager, amount in back:
            chips, less = divmod(amount, self.house.chip)
            parts = [amount]
            if chips > 1 and not less and self.chance(0.15):
                parts = [part * self.house.chip for part in split_amount(self.rng, chips, 2)]
            for part in parts if amount else ():
                event = self.round.add("return", seat=top.seat, wager=wager, amount=part)
                returned.append(event)
        top.total -= rest
        top.left += rest
        top.bets -= min(rest, top.bets)
        return returned

    def _finish(self) -> None:
        """Write the return of an uncalled bet, rake, showdown and awards; side pots come first."""
        returned = self._return_uncalled()
        left = [player for player in self.players if player.is_in]
        if self.board:
            self._take_rake()
        pots, boards = self._pots(), self.boards or [self.board]
        winners = [[self._winners(contenders, board) for board in boards] for _, contenders in pots]
        winning = {player.seat for groups in winners for group in groups for player in group}
        if len(left) > 1:
            self._show_down(left, winning)
        elif self.chance(0.1):  # nobody needs to see the hand
            self._reveal(left[0])
        losers = [player for player in left if player.seat not in winning]
        for player in losers:
            if not player.has_conceded:
                self.round.add("collect-cards", place="player", seat=player.seat)
        rest, left_in_pots = self.raked, []
        for amount, _ in pots:  # the main pot is raked first
            left_in_pots.append(amount - min(amount, rest))
            rest -= min(amount, rest)
        numbers = list(reversed(range(1, len(pots))))
        if self.chance(0.3):  # no order among side pots
            self.rng.shuffle(numbers)
        for number in [*numbers, 0]:
            for group in winners[number]:
                for player, share in self._shares(left_in_pots[number] // len(boards), group):
                    player.won += share
                    if share:
                        self.round.add("award", seat=player.seat, pot=number, amount=share)
        self._give_back_late(returned)
        if not self.chance(0.2):
            for player in left:
                if player not in losers:
                    self.round.add("collect-cards", place="player", seat=player.seat)
        if self.raked:
            chips = self.raked // self.house.chip
            for part in split_amount(self.rng, chips, 3) if self.chance(0.2) else [chips]:
                self.round.add("drop", amount=part * self.house.chip)

    def _winners(self, contenders: list[Player], board: list[str]) -> list[Player]:
        if len(contenders) == 1:
            return contenders
        ranks = {player.seat: rank_seven([*player.cards, *board]) for player in contenders}
        best = max(ranks.values())
        return [player for player in contenders if ranks[player.seat] == best]

    def _shares(self, amount: int, winners: list[Player]) -> list[tuple[Player, int]]:
        """Divide a pot equally; chips that cannot be divided go to the first seats left of the button."""
        chip = self.house.chip
        units = amount // chip
        shares = []
        if self.chance(0.3):  # custom lets any of the tied seats have the odd chip
            winners = self.rng.sample(winners, len(winners))
        for index, player in enumerate(winners):
            count = units // len(winners) + (index < units % len(winners))
            shares.append((player, count * chip + (amount % chip if index == 0 else 0)))
        return shares

    def _show_down(self, left: list[Player], winning: set[int]) -> None:
        """Write the showdown: who bet last shows first, then clockwise; losers may concede after a better hand."""
        start = left.index(self.last_bettor) if self.last_bettor in left else 0
        order = left[start:] + left[:start]
        has_won = False
        for player in order:
            if player.seat not in winning and has_won and self.chance(0.4):
                player.has_conceded = True
                self.round.add("decide", seat=player.seat, decision="concede")
                self.round.add("collect-cards", place="player", seat=player.seat)
                continue
            self._reveal(player)
            has_won = has_won or player.seat in winning


@dataclass
class Table:
    """A table over time: players and their chips, the button, numbers.

    The button begins in front of the first player at the dealer's right.
    """

    house: House
    name: str
    clock: Clock
    is_numbered: bool = True
    number: int = 0
    button: int = 0
    small: int = 0
    """Seat from which the small blind was due in the last hand."""
    big: int = 0
    """Seat of the big blind in the last hand; 0 if two played."""
    deck: int = 0
    """Index of the deck in play, if the table names decks."""
    players: dict[int, Player] = field(default_factory=dict)
    people: int = 0
    is_opened: bool = False
    has_silent_fold: bool = False
    """True if a collection is the only record of a fold in the last hand."""

    def buy(self, rng: random.Random) -> int:
        unit = self.house.chip
        return rng.randrange(self.house.low, self.house.high + 1, unit)

    def newcomer(self, rng: random.Random, seat: int) -> Player:
        self.people += 1
        return Player(seat, f"{self.house.name}-{self.name}-{self.people}", self.buy(rng))

    def change(self, rng: random.Random, round_: Round) -> list[Event]:
        """Write who leaves, comes and buys chips between two rounds."""
        events: list[Event] = []
        for seat, player in list(self.players.items()):
            is_short = player.stack < self.house.big * 2 and (not player.stack or rng.random() < 0.5)
            if is_short or rng.random() < 0.02:
                if is_short and rng.random() < 0.5:
                    bought = self.buy(rng)
                    player.stack += bought
                    events.append(make_event("chips-in", seat=seat, amount=bought))
                else:
                    if player.stack:
                        events.append(make_event("chips-out", seat=seat, amount=player.stack))
                    events.append(make_event("leave", seat=seat))
                    round_.seat(seat, player=player.name, playing=False)
                    del self.players[seat]
            elif player.stack < self.house.high and rng.random() < 0.04:
                bought = self.house.chip * rng.randint(1, (self.house.high - player.stack) // self.house.chip or 1)
                player.stack += bought
                events.append(make_event("chips-in", seat=seat, amount=bought))
        events += self._move(rng, round_, {event["seat"] for event in events})
        gone = {event["seat"] for event in events if event["event"] == "leave"}
        free = [seat for seat in range(1, 10) if seat not in self.players and seat not in gone]
        while len(self.players) < 2 or (free and rng.random() < 0.15 and len(self.players) < 9):
            seat = free.pop(rng.randrange(len(free)))
            player = self.newcomer(rng, seat)
            player.is_waiting = self.house.has_dead_button
            self.players[seat] = player
            events += [make_event("arrive", seat=seat), make_event("chips-in", seat=seat, amount=player.stack)]
        return events

    def _move(self, rng: random.Random, round_: Round, concerned: set[int]) -> list[Event]:
        """Write that a player takes another seat, with all chips; no other event concerns either seat."""
        free = [seat for seat in range(1, 10) if seat not in {*self.players, *concerned}]
        movable = [
            player
            for player in self.players.values()
            if self.house.low <= player.stack <= self.house.high and player.seat not in concerned
        ]
        if not free or not movable or self.house.has_dead_button or rng.random() > 0.03:
            return []
        player, seat = rng.choice(movable), rng.choice(free)
        del self.players[player.seat]
        round_.seat(player.seat, player=player.name, playing=False)
        events = [
            make_event("chips-out", seat=player.seat, amount=player.stack),
            make_event("leave", seat=player.seat),
            make_event("arrive", seat=seat),
            make_event("chips-in", seat=seat, amount=player.stack),
        ]
        player.seat = seat
        self.players[seat] = player
        return events

    def open(self, rng: random.Random) -> list[Event]:
        """Seat the first players, whose chips lie there when the table opens."""
        for seat in rng.sample(range(1, 10), rng.choice([2, 2, 3, 4, 6, 9])):
            self.players[seat] = self.newcomer(rng, seat)
        self.is_opened = True
        steps = ("opened", "inspected", "spread", "washed")
        return [make_event("deck", what=what, by="dealer") for what in steps]

    def play(self, rng: random.Random, id_: str, *, is_plain: bool = False) -> Round:
        self.number += 1
        round_ = Round(
            id_,
            GAME,
            self.name,
            self.clock.advance(rng),
            casino=self.house.name,
            number=self.number if self.is_numbered else None,
            bets="bets",
        )
        before = self.change(rng, round_) if self.is_opened else self.open(rng)
        if self.house.decks:
            self.deck = 1 - self.deck if rng.random() < 0.9 else self.deck
            round_.deck = self.house.decks[self.deck]
        playing = self._seat_players(rng)
        for player in self.players.values():
            player.cards = []
            if player not in playing:
                round_.seat(player.seat, player=player.name, playing=False)
                if rng.random() < 0.5:
                    round_.seat(player.seat, **{"stack": player.stack, "stack-after": player.stack})
        has_small = self.small in {player.seat for player in playing}
        play = Play(round_, self.house, playing, self.button, rng, has_small=has_small, is_plain=is_plain)
        play.write(before)
        self.has_silent_fold = play.has_folded_silently
        if play.is_void:  # where the button goes after such a round is not said: the next one is not numbered on
            self.number += 1
        return round_

    def _seat_players(self, rng: random.Random) -> list[Player]:
        """Move the button, and return the players who are dealt in."""
        for player in self.players.values():
            player.rounds_away = max(player.rounds_away - 1, 0)
        here = [player for player in self.players.values() if not player.rounds_away]
        if len(here) > 3 and not self.house.has_dead_button and rng.random() < 0.03:
            away = rng.choice(here)
            away.rounds_away = rng.randint(1, 4)
            here.remove(away)
        if len(here) < 2:
            here = list(self.players.values())
            for player in here:
                player.rounds_away = 0
        if self.house.has_dead_button:
            return self._move_the_blinds(here)
        self.button = self._next(self.button, [player.seat for player in here])
        self.small = self._next(self.button, [player.seat for player in here])
        return here

    def _next(self, after: int, seats: Sequence[int]) -> int:
        """Return the next of some seats clockwise; the last of them if no button lies anywhere yet."""
        return min(seats, key=lambda seat: (seat <= after, seat)) if after else max(seats)

    def _move_the_blinds(self, here: list[Player]) -> list[Player]:
        """Move the big blind to the next player, the others to where the blind before them was.

        A newcomer is dealt in once the big blind is due from the newcomer. Between two players, and for the first
        hand of more, the button moves to the next player.
        """
        dealt = [player for player in here if not player.is_waiting]
        seats = [player.seat for player in here]
        big = self._next(self.big, seats) if self.big else 0
        newest = [player for player in here if player.is_waiting and player.seat == big]
        if not big or len(dealt) + len(newest) < 3:
            for player in here:
                player.is_waiting = False
            self.button = self._next(self.button, seats)
            self.small = self._next(self.button, seats)
            self.big = self._next(self.small, seats) if len(here) > 2 else 0
            return here
        for player in newest:
            player.is_waiting = False
        self.button, self.small, self.big = self.small, self.big, big
        return dealt + newest


def make_houses(rng: random.Random) -> list[House]:
    first = House("Room 1", ("P1", "P2"))
    return [
        first,
        replace(first, name="Room 2", tables=("P1",), is_submitted=False, small=50, big=100, chip=50),
        replace(first, name="Room 3", tables=("P1",), is_submitted=False, small=200, big=400, ante=100, rake=()),
        replace(first, name="Room 4", tables=("P1",), is_submitted=False, has_dead_button=True),
        replace(first, name="Room 5", tables=("P1",), ante=200, ante_of="big-blind", decks=("blue", "red")),
        replace(first, name="Room 6", tables=("P1",), is_submitted=False, ante=100, ante_of="button", rake=()),
    ]


def write(seed: int, rounds: int) -> Session:
    """Return lawful records of several rooms, tables and days, and the submissions in force."""
    rng = random.Random(seed)
    houses = make_houses(rng)
    places = [(house, name) for house in houses for name in house.tables]
    days = 2
    per_table = max(rounds // (len(places) * days), 1)
    records: list[Record] = []
    for place, (house, name) in enumerate(places):
        is_numbered = rng.random() < 0.7
        for day in range(days):
            table = Table(house, name, Clock(datetime(2026, 3, 1 + day, 10, tzinfo=UTC)), is_numbered=is_numbered)
            is_last = place == len(places) - 1 and day == days - 1
            for _ in range(max(rounds - len(records) if is_last else per_table, 0)):
                if rng.random() < 0.02:
                    table.number += rng.randint(1, 3)
                round_ = table.play(rng, f"S{seed}-{len(records) + 1}", is_plain=rng.random() < 0.3)
                if table.has_silent_fold and rng.random() < 0.7:
                    records.append(round_.record())
                    continue
                told_in_part = [kind for kind in TOLD_IN_PART if kind != "collect-cards" or not table.has_silent_fold]
                if table.has_silent_fold or rng.random() < 0.06:  # cause and outcome, partly recorded
                    record = round_.record(outcomes=rng.choice(["net", "none"]))
                    records.append(drop_events(record, rng.sample(told_in_part, rng.randint(2, 5))))
                    continue
                records.append(project(rng, round_, KINDS, KEYS))
    if rng.random() < 0.5:
        rng.shuffle(records)
    return records[:rounds], [submit(house) for house in houses if house.is_submitted]
