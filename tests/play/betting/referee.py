"""Plain referee of betting: one hand at a time, players as objects, a queue of players still to act.

It plays random hands and records its state before every act. It shares no code with the implementation under test.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

CHIPS = {"call", "bet", "raise"}
REOPENED_BY = ("full-raise", "full-raise-in-all", "any-raise")

FIELDS = {
    "behind": "stack_left",
    "checked": "has_checked",
    "last_raise": "last_raise",
    "level": "current_bet",
    "may_raise": "may_raise",
    "option": "is_option_owed",
    "pot": "pot",
    "put": "committed",
    "raises": "raise_count",
    "still_in": "still_in",
    "street": "street",
    "voluntary": "voluntary_count",
}
"""Fields of `BettingSnapshots` by the names of the referee."""


@dataclass
class Player:
    """Seat with its chips and its acts in this betting round."""

    chips: int
    put: int = 0
    folded: bool = False
    conceded: bool = False
    acted: bool = False
    owes: bool = False
    closed: bool = False
    raised_since: int = 0  # by how much the bet was raised since its last act
    checked: bool = False
    posted: bool = False
    skipped: bool = False  # another player acted ahead of it in this betting round
    forgotten: bool = False  # it did not act in an earlier one, and not since
    early: bool = False  # it acted ahead of the turn, and nobody has acted in turn since
    too_soon: bool = False  # it checked when the betting round was complete
    hasty: bool = False  # it did so in the betting round before, and has not acted in this one
    heard_again: bool = False  # it acted though it was out
    volunteered: bool = False

    @property
    def live(self) -> bool:
        return not self.folded and not self.conceded


@dataclass
class Act:
    """Act of a player: kind, player (None for new cards), amount."""

    kind: str
    who: int | None = None
    amount: int = 0
    floor: int = 0
    street: int = 0


@dataclass
class Offer:
    """Chips beyond the bet that do not set the bet until another player answers them."""

    who: int
    kind: str
    level: int
    apart: int  # the chips of it that count for nothing so far


@dataclass
class Hand:
    """A hand of players at a table, played by the rules of betting."""

    players: list[Player]
    smallest: list[int]  # for each betting round
    reopened_by: str  # which raises open the betting again: full-raise, full-raise-in-all, any-raise
    openers: list[int]  # first player to act in each betting round
    bought: list[int] = field(default_factory=list)  # chips at the start
    level: int = 0
    pot: int = 0
    street: int = 0
    raises: int = 0
    bettor: int | None = None
    bettor_ever: int | None = None
    last_raise: int = 0
    offer: Offer | None = None
    acts_follow: bool = True  # whether any act is known to follow
    coming: int | None = None  # the betting round whose cards were dealt before the previous one was complete
    queue: list[int] = field(default_factory=list)
    acts: list[tuple[Act, dict[str, int]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.bought = [player.chips for player in self.players]
        self.last_raise = self.smallest[0]
        self.queue = self.round_from(self.openers[0])

    def round_from(self, first: int) -> list[int]:
        size = len(self.players)
        return [(first + step) % size for step in range(size)]

    def able(self) -> list[int]:
        return [i for i, player in enumerate(self.players) if player.live and player.chips > 0]

    def waiting(self) -> list[int]:
        """List the queued players who may still act, in order."""
        if sum(player.live for player in self.players) < 2:
            return []
        able, found = self.able(), []
        for i in self.queue:
            one = self.players[i]
            if i not in able or one.forgotten:
                continue
            if len(able) == 1 and one.put >= max(other.put for other in self.players):
                continue  # nobody can win more of it
            if one.owes or (not one.acted and len(able) > 1):
                found.append(i)
        return found

    def next_to_act(self) -> int | None:
        """Return the first player who is waited for; skipped players follow all others."""
        waiting = self.waiting()
        return next((i for i in waiting if not self.players[i].skipped), waiting[0] if waiting else None)

    def late(self, who: int) -> bool:
        """Return whether a player who acts was passed over, acted too early, or acted again after folding."""
        one = self.players[who]
        again = (one.early or one.hasty) and who not in self.waiting()
        return one.heard_again or (one.live and (one.skipped or one.forgotten or again))

    def snapshot(self, who: int | None, *, doing: str = "") -> dict[str, int]:
        """Return the state before the next act of a player. `doing` is `act` or `speak`."""
        due = self.next_to_act()
        if who is not None and self.late(who) and (doing == "act" or (doing == "speak" and due is not None)):
            due = who
        able = self.able()
        owed = [i for i in able if self.players[i].posted and not self.players[i].acted]
        found: dict[str, int] = {
            "due": -1 if due is None else due,
            "level": self.level,
            "last_raise": self.last_raise,
            "pot": self.pot,
            "players": sum(player.live for player in self.players),
            "voluntary": sum(player.volunteered for player in self.players),
            "street": self.street,
            "raises": self.raises,
            "option": self.street == 0 and self.bettor is None and len(able) > 1 and bool(owed),
        }
        if who is not None:
            one = self.players[who]
            found |= {
                "put": one.put,
                "behind": one.chips,
                "still_in": one.live or (doing == "act" and one.heard_again),
                "may_raise": not one.closed or self.together(one),
                "together": one.closed and self.together(one),
                "checked": one.checked,
            }
        return found

    def together(self, one: Player) -> bool:
        """Return whether raises since a player's last act together reopen the betting to that player."""
        return self.reopened_by == "full-raise-in-all" and one.raised_since >= self.last_raise

    def pay(self, one: Player, amount: int, *, counts: bool) -> None:
        one.chips = max(0, one.chips - amount)
        self.pot += amount
        if counts:
            one.put += amount

    def post(self, who: int, amount: int, kind: str, floor: int = 0) -> None:
        """Post a forced bet: `dead`, `live`, or `bet` where it sets the bet to be called."""
        self.acts.append((Act(kind, who, amount, floor), self.snapshot(who)))
        one = self.players[who]
        self.pay(one, amount, counts=kind != "dead")
        if kind == "dead":
            return
        one.posted = True
        target = max(one.put, floor) if kind == "bet" else one.put
        if target > self.level:
            self.level = target
            for other in self.players:
                other.owes = other.put < target
        one.owes = one.put < self.level
        if kind == "bet":
            self.last_raise = max(self.last_raise, self.level)

    def act(self, kind: str, who: int, amount: int = 0) -> None:
        """Apply any act of a player, lawful or not."""
        self.begin_late(kind, who, amount)
        self.answer_offer(kind, who, amount)
        one, late, due, waiting = self.players[who], self.late(who), self.next_to_act(), self.waiting()
        self.acts.append((Act(kind, who, amount), self.snapshot(who, doing="act")))
        ahead = who != due and who in waiting and not one.skipped
        unasked = who != due and not ahead and not late and not self.option_moot(who) and kind in CHIPS | {"check"}
        answers = kind == "call" and self.is_a_call(one, amount)
        apart = amount if kind in CHIPS and (unasked or (ahead and not answers)) else 0
        if ahead:
            for i in waiting[: waiting.index(who)]:
                self.players[i].skipped = True
        if who == due and not one.skipped:
            for other in self.players:
                other.early = False
        one.early = ahead and kind not in ("fold", "concede")
        one.heard_again |= not one.live
        one.too_soon |= unasked and due is None and kind == "check"
        still_asked = due is not None and one.chips > 0 and (one.owes or not one.acted)
        self.pay(one, amount, counts=not apart)
        one.skipped = one.forgotten = one.hasty = False
        one.volunteered |= amount > 0
        if not unasked:
            one.acted, one.owes, one.closed, one.raised_since = True, False, True, 0
            one.checked |= kind == "check"
        one.folded |= kind == "fold" or (kind == "concede" and still_asked)
        one.conceded |= kind == "concede" and not still_asked
        raised = False
        if apart or (kind == "call" and amount and one.put > self.level):
            self.offer = Offer(who, kind, one.put + apart, apart)
        elif amount and one.put > self.level:
            self.raise_to(who, one.put)
            raised = True
        if not unasked and (who == due or ahead or (late and raised)):
            self.queue = self.round_from((who + 1) % len(self.players))
        if self.coming is not None and not self.waiting():
            self.begin(self.coming)

    def option_moot(self, who: int) -> bool:
        """Return whether a seat that posted has yet to act while no other seat has chips to act with."""
        one, able = self.players[who], self.able()
        return self.street == 0 and self.bettor is None and able == [who] and one.posted and not one.acted

    def is_a_call(self, one: Player, amount: int) -> bool:
        to = one.put + amount
        return to == self.level or (to < self.level and amount >= one.chips)

    def raise_to(self, who: int, level: int) -> None:
        """Apply a bet or a raise, which opens the betting to all other players."""
        by = level - self.level
        self.raises += self.level > 0
        full = by >= self.last_raise
        for other in self.players:
            mine = other is self.players[who]
            if full or self.reopened_by == "any-raise":
                other.closed = mine
            if not mine:
                other.owes = True
                other.raised_since += by
        if full:
            self.last_raise = by
        self.level = level
        self.bettor = self.bettor_ever = who

    def answer_offer(self, kind: str, who: int, amount: int) -> None:
        """Let an act turn an offer into the bet, or show what the chips of its own offer were."""
        offer, one = self.offer, self.players[who]
        if offer is None:
            return
        to = one.put + amount
        if offer.who == who:
            self.offer = None
            raises = kind in CHIPS and kind != "call" and to <= self.level < to + offer.apart
            if raises or (kind == "call" and to + offer.apart == self.level):
                one.put += offer.apart
            return
        if offer.level <= self.level:
            return
        all_in = amount >= one.chips and self.level < to < offer.level
        calls = kind == "call" and (to == offer.level or all_in)
        reaches = kind in CHIPS and kind != "call" and to >= offer.level
        folds = kind == "fold" and one.live and one.put >= self.level and who not in self.waiting()
        if not (calls or reaches or folds):
            return
        complete = not any(not self.players[i].skipped for i in self.waiting())
        owing = [other.owes for other in self.players]
        self.raise_to(offer.who, offer.level)
        offerer = self.players[offer.who]
        offerer.put += offer.apart
        offerer.raised_since = 0
        for other, owed in zip(self.players, owing, strict=True):
            other.owes = owed or (other is not offerer and other.put < offer.level)
        self.offer = None
        if complete:
            self.queue = self.round_from((offer.who + 1) % len(self.players))

    def begin_late(self, kind: str, who: int, amount: int) -> None:
        """Begin the next betting round if an act shows that the table has gone on to the early cards."""
        if self.coming is None:
            return
        one, opener = self.players[who], self.openers[self.coming]
        first = next((i for i in self.round_from(opener) if i in self.able()), None)
        answers = kind == "fold" or (kind == "call" and self.is_a_call(one, amount))
        goes_on = kind == "raise" or (answers and one.put < self.level) or first != who
        if who not in self.waiting() or not goes_on or kind == "concede":
            self.begin(self.coming)

    def cards(self) -> None:
        """Deal the cards of the next betting round, which begins when the current one is complete."""
        if self.coming is not None:
            self.begin(self.coming)
        self.acts.append((Act("street", street=self.street + 1), self.snapshot(None)))
        if self.next_to_act() is None or not self.acts_follow:
            self.begin(self.street + 1)
        else:
            self.coming = self.street + 1

    def begin(self, street: int) -> None:
        """Begin a betting round."""
        for i in self.waiting():
            self.players[i].forgotten = True
        self.street, self.coming, self.offer = street, None, None
        self.level = self.raises = 0
        self.last_raise = self.smallest[self.street]
        self.queue = self.round_from(self.openers[self.street])
        for player in self.players:
            player.put = 0
            player.forgotten |= player.skipped
            player.acted = player.owes = player.closed = player.checked = player.skipped = player.early = False
            player.raised_since = 0
            # A check that was too early for this betting round counts in it, and may be repeated.
            player.acted = player.hasty = player.too_soon
            player.too_soon = False
        if len(self.able()) > 1:
            self.bettor = None

    def finish(self) -> dict[str, int]:
        """Close the hand and return its final state."""
        if self.coming is not None:
            self.begin(self.coming)
        return self.snapshot(None) | {
            "remaining": sum(1 << i for i, player in enumerate(self.players) if player.live),
            "conceded": sum(1 << i for i, player in enumerate(self.players) if player.conceded),
            "last_bettor": -1 if self.bettor is None else self.bettor,
            "last_bettor_of_all": -1 if self.bettor_ever is None else self.bettor_ever,
        }


def random_hand(rng: random.Random, *, irregular: float) -> Hand:
    """Play a hand of two to nine players with ragged stacks, forced bets of every sort and four betting rounds.

    Each act breaks a rule with the probability `irregular`.
    """
    size = rng.randint(2, 9)
    chips = [rng.choice([1, 2, 3, 5, 8, 14, 20, 50, 100, 200]) for _ in range(size)]
    fixed = rng.random() < 0.3
    smallest = [2, 2, 4, 4] if fixed else [2] * 4
    hand = Hand(
        players=[Player(amount) for amount in chips],
        smallest=smallest,
        reopened_by=rng.choice(REOPENED_BY),
        openers=[2 % size, 0, 0, 0],
    )
    _post(hand, rng)
    for street in range(4):
        if street:
            hand.cards()
        _bet(hand, rng, fixed=fixed, irregular=irregular)
        if sum(player.live for player in hand.players) < 2:
            break
    else:
        for i, player in enumerate(hand.players):
            if player.live and rng.random() < 0.2 and sum(other.live for other in hand.players) > 1:
                hand.act("concede", i)
    return hand


def _post(hand: Hand, rng: random.Random) -> None:
    if rng.random() < 0.3:
        for i, player in enumerate(hand.players):
            if player.chips:
                hand.post(i, min(1, player.chips), "dead")
    for i, amount, kind in ((0, 1, "live"), (1, 2, "bet")):
        chips = hand.players[i].chips
        if chips:
            hand.post(i, min(amount, chips), kind, floor=2 if kind == "bet" else 0)
    late = rng.randrange(len(hand.players))
    if rng.random() < 0.1 and hand.players[late].chips > 2:
        hand.post(late, 1, "dead")
        if rng.random() < 0.5:
            hand.post(late, 2, "live")


def _bet(hand: Hand, rng: random.Random, *, fixed: bool, irregular: float) -> None:
    for _ in range(200):
        who = hand.next_to_act()
        if rng.random() < irregular:
            _break(hand, rng)
            continue
        if who is None or rng.random() < irregular / 4:  # cards may come too early
            return
        one = hand.players[who]
        owed = hand.level - one.put
        need, free = min(owed, one.chips), rng.random()
        others = [i for i in hand.able() if i != who]
        if owed > 0 and free < 0.2:
            hand.act("fold", who)
        elif one.chips > owed and others and free < 0.5 and hand.raises < 4:
            more = hand.smallest[hand.street] if fixed else rng.choice([2, 4, 6, 20, 200])
            hand.act("bet", who, min(one.chips, max(owed, 0) + more))
        elif owed > 0:
            hand.act("call", who, need)
        else:
            hand.act("check", who)


def _break(hand: Hand, rng: random.Random) -> None:
    """Let any player act in any way: out of turn, after folding, with too little or too much."""
    who = rng.randrange(len(hand.players))
    kind = rng.choice(["fold", "check", "call", "bet", "raise"])
    amount = rng.choice([1, 2, 3, 7, 30, 300]) if kind in CHIPS else 0
    hand.act(kind, who, amount)
