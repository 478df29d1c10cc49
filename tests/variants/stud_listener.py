"""Plain listener at a table of seven-card stud: it sees the cards and chips of a round and evaluates the rules.

It knows the rules of stud and of `games/stud`, and shares no code with the implementation under test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from tests.play.pots.referee import Hand, pots, take_uncalled

Event = dict[str, Any]
ANTE, BRING_IN, SMALL, BIG = 100, 300, 1000, 2000
STREETS = ("third", "fourth", "fifth", "sixth", "seventh")
RANKS, SUITS = "23456789TJQKA", "cdhs"
PASS, FAIL, OPEN, NOT_ASKED = "pass", "fail", "not-evidenced", "not-applicable"
Said = dict[str, set[str]]
"""Possible results of each requirement; one, unless the rules leave several open."""


def cards_of(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def showing(cards: Sequence[str]) -> tuple[Any, ...]:
    """Rank open cards: equal ones first, then high ones. Suits only distinguish single cards."""
    if len(cards) == 1:
        return (RANKS.index(cards[0][0]), SUITS.index(cards[0][1]))
    counts = Counter(RANKS.index(card[0]) for card in cards)
    ordered = sorted(counts.items(), key=lambda one: (-one[1], -one[0]))
    return (tuple(number for _, number in ordered), tuple(rank for rank, _ in ordered))


def best_five(cards: Sequence[str]) -> tuple[Any, ...]:
    return max(_five(five) for five in combinations(cards, 5))


def _five(cards: Sequence[str]) -> tuple[Any, ...]:
    counts = Counter(RANKS.index(card[0]) for card in cards)
    ordered = sorted(counts.items(), key=lambda one: (-one[1], -one[0]))
    shape, ranks = tuple(number for _, number in ordered), tuple(rank for rank, _ in ordered)
    run = (
        ranks if len(ranks) == 5 and ranks[0] - ranks[4] == 4 else (3, 2, 1, 0, -1) if ranks == (12, 3, 2, 1, 0) else ()
    )
    suited = len({card[1] for card in cards}) == 1
    if run:
        return (8 if suited else 4, run)
    if suited:
        return (5, ranks)
    kind = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1, (1, 1, 1, 1, 1): 0}[shape]
    return (kind, ranks)


CHIP = 100


def put_in(events: Sequence[Event], seat: int) -> int:
    return sum(event["amount"] for event in events if event["event"] in ("wager", "decide") and event["seat"] == seat)


def _piles(events: Sequence[Event], seats: Sequence[int], left: set[int]) -> Hand:
    """Return the chips put in, for a referee who splits pots chip by chip."""
    antes = tuple(
        sum(CHIP for event in events if event["event"] == "wager" and event["seat"] == seat) for seat in seats
    )
    bets = tuple(put_in(events, seat) - ante for seat, ante in zip(seats, antes, strict=True))
    return Hand(
        matched=tuple(bet // CHIP for bet in bets),
        capped=tuple(ante // CHIP for ante in antes),
        whole=(0,) * len(seats),
        contend=frozenset(seats.index(seat) for seat in left),
        ranks=(),
    )


def find_returned(events: Sequence[Event], seats: Sequence[int], left: set[int]) -> tuple[int, int]:
    """Return the uncalled amount and its seat."""
    back, owner = take_uncalled(_piles(events, seats, left))
    return back * CHIP, seats[owner]


def shares(events: Sequence[Event], seats: Sequence[int], left: set[int]) -> list[tuple[int, list[int]]]:
    """Return the pots in chips, each with the seats that may win it.

    The main pot includes chips of seats that are not in the round.
    """
    strange = {event["seat"] for event in events if event["event"] in ("wager", "decide")} - {*seats}
    found = [(chips, [seats[at] for at in sorted(able)]) for chips, able in pots(_piles(events, seats, left))]
    return [
        (chips + (sum(put_in(events, seat) for seat in strange) // CHIP if not at else 0), able)
        for at, (chips, able) in enumerate(found)
    ]


def best_of(able: Sequence[int], held: dict[int, list[str]]) -> list[int]:
    if len(able) < 2:
        return list(able)
    ranked = {seat: best_five(held[seat]) for seat in able}
    return [seat for seat in able if ranked[seat] == max(ranked.values())]


OF_THE_BET = {"check-only-unbet", "call-meets-the-bet", "sizes", "raise-is-open", "bet-first", "bet-brought-in"}
"""Requirements that depend on the size of the bet."""


@dataclass
class Betting:
    """Current state of the betting. Seats are numbers; `seats` run clockwise from the left of the button."""

    seats: list[int]
    behind: dict[int, int]
    left: set[int] = field(default_factory=set)
    conceded: set[int] = field(default_factory=set)
    put: dict[int, int] = field(default_factory=dict)
    before: dict[int, int] = field(default_factory=dict)
    """Chips as the betting round began."""
    level: int = 0
    acted: set[int] = field(default_factory=set)
    owing: set[int] = field(default_factory=set)
    may_raise: set[int] = field(default_factory=set)
    raises: int = 0
    last: int | None = None
    opener: int | None = None
    size: int = SMALL
    raised_by: int = 0
    street: int = 0
    skipped: set[int] = field(default_factory=set)
    """Seats passed over by an act in this betting round."""
    forgotten: set[int] = field(default_factory=set)
    """Seats that did not act in an earlier one, nor since."""
    early: set[int] = field(default_factory=set)
    """Seats that acted ahead of their turn, without an act in turn since."""
    back: set[int] = field(default_factory=set)
    """Seats that are out and have acted all the same."""
    offer: tuple[int, str, int, int] | None = None
    """Chips beyond the bet that do not set it: the seat, its act, the bet it would be, the uncommitted chips."""
    unsure: bool = False
    """True if a seat put in beyond the bet and may have been out of turn."""
    coming: tuple[int, int | None] | None = None
    """Street and opener of cards that came before the previous betting was complete."""

    def begin(self, street: int, opener: int | None) -> None:
        self.forgotten |= self.skipped | (set() if self.opener is None else self.must_act())
        self.skipped, self.early, self.offer, self.coming = set(), set(), None, None
        self.unsure = False
        self.street, self.opener, self.last = street, opener, None
        self.put = dict.fromkeys(self.seats, 0)
        self.before = dict(self.behind)
        self.level = self.raises = self.raised_by = 0
        self.acted, self.owing, self.may_raise = set(), set(), set(self.seats)
        self.size = SMALL if street < 2 else BIG

    def able(self) -> set[int]:
        return {seat for seat in self.left if self.behind[seat] > 0}

    def must_act(self) -> set[int]:
        """Return the seats that still have to act."""
        able = self.able()
        if len(self.left) < 2:
            return set()
        if len(able) == 1:
            deepest = max(self.put.values())
            return {seat for seat in able & self.owing if self.put[seat] < deepest} - self.forgotten
        return {seat for seat in able if seat in self.owing or seat not in self.acted} - self.forgotten

    def late(self, seat: int) -> bool:
        """Return whether a seat may act at any time since it was passed over or acted too early, or acts although it
        is out.
        """
        free = self.skipped | self.forgotten | (self.early - self.must_act())
        return seat in self.back or (seat in self.left and seat in free)

    def next_to_act(self) -> int | None:
        waiting = self.waiting()
        return next((seat for seat in waiting if seat not in self.skipped), waiting[0] if waiting else None)

    def waiting(self) -> list[int]:
        """Return the seats that still have to act, in order."""
        wanted = self.must_act()
        if not wanted:
            return []
        if self.last is None:
            assert self.opener is not None
            at = self.seats.index(self.opener)
        else:
            at = self.seats.index(self.last) + 1
        return [seat for seat in self.seats[at:] + self.seats[:at] if seat in wanted]

    def before_act(self, seat: int, decision: str, amount: int) -> None:
        """Apply what an act shows of earlier ones: whether early cards now count, and whether it accepts an offer as
        the bet.
        """
        if self.coming is not None and not self.goes_on(seat, decision, amount):
            self.begin(*self.coming)
        if self.offer is None or seat not in self.put:
            return
        who, how, level, apart = self.offer
        to, pays = self.put[seat] + amount, decision in ("bring-in", "call", "bet", "raise", "complete")
        if who == seat:
            self.offer = None
            if to + apart == self.level if decision == "call" else pays and to <= self.level < to + apart:
                self.put[seat] += apart
            return
        all_in = amount >= self.behind[seat] and self.level < to < level
        answered = {
            "call": to == level or all_in,
            "fold": self.put[seat] >= self.level and seat not in self.must_act(),
        }.get(decision, pays and to >= level)
        if level <= self.level or not answered:
            return
        complete, owing = not self.must_act() - self.skipped, set(self.owing)
        self.put[who] += apart
        self.bet(who, how, level)
        self.owing = owing | {seat for seat in self.seats if seat != who and self.put[seat] < level}
        self.offer = None
        if complete:
            self.last = who

    def goes_on(self, seat: int, decision: str, amount: int) -> bool:
        """Return whether an act belongs to the betting that was going on when the next cards came."""
        assert self.coming is not None
        if seat not in self.must_act():
            return False
        able, opener = self.able(), self.coming[1]
        at = self.seats.index(opener) if opener is not None else 0
        first = next((seat for seat in self.seats[at:] + self.seats[:at] if seat in able), None)
        answers = decision == "fold" or (decision == "call" and self.calls(seat, amount))
        return decision == "raise" or (answers and self.put[seat] < self.level) or first != seat

    def calls(self, seat: int, amount: int) -> bool:
        """Return whether chips equal the bet, or are all that the seat has."""
        to = self.put[seat] + amount
        return to == self.level or (to < self.level and amount >= self.behind[seat])

    def bet(self, seat: int, decision: str, level: int) -> None:
        """Record a bet or a raise."""
        faced, by = self.level > 0, level - self.level
        self.level = level
        self.owing = set(self.seats) - {seat}
        if decision != "bring-in":
            self.may_raise = set(self.seats) - {seat}
            self.raises += faced and decision != "complete"
            self.raised_by = max(self.raised_by, self.level if decision == "complete" else by)

    def act(self, seat: int, decision: str, amount: int, due: int | None, *, known: bool = True) -> None:
        """Record an act, lawful or not. `known` is whether the turn can be determined."""
        if seat not in self.put:
            return
        late, waiting, pays = self.late(seat), self.waiting() if known else [], decision not in ("fold", "concede")
        ahead = known and seat != due and seat in waiting and seat not in self.skipped
        unasked = known and pays and seat != due and not ahead and not late
        answers = decision == "call" and self.calls(seat, amount)
        apart = amount if pays and decision != "check" and (unasked or (ahead and not answers)) else 0
        if ahead:
            self.skipped |= set(waiting[: waiting.index(seat)])
        if seat == due and seat not in self.skipped:
            self.early = set()
        self.early.discard(seat)
        if ahead and pays:
            self.early.add(seat)
        if seat not in self.left:
            self.back.add(seat)
        self.skipped.discard(seat)
        self.forgotten.discard(seat)
        self.behind[seat] = max(self.behind[seat] - amount, 0)
        self.put[seat] += amount - apart
        if decision in ("fold", "concede") and not (decision == "concede" and self.left == {seat}):
            if decision == "concede" and seat in self.left:
                self.conceded.add(seat)
            self.left.discard(seat)
        if not unasked:
            self.acted.add(seat)
            self.owing.discard(seat)
            self.may_raise.discard(seat)
        raised = False
        self.unsure |= not known and amount > 0 and self.put[seat] > self.level
        if apart or (decision == "call" and amount and self.put[seat] > self.level):
            self.offer = (seat, decision, self.put[seat] + apart, apart)
        elif amount and self.put[seat] > self.level:
            self.bet(seat, decision, self.put[seat])
            raised = True
        if not unasked and (seat == due or ahead or (late and raised)):
            self.last = seat
        if self.coming is not None and not self.must_act():
            self.begin(*self.coming)


@dataclass
class Listener:
    """Listener to one round. `streets` maps the index of each deal event to its street."""

    record: Event
    streets: dict[int, int]
    said: dict[str, list[str]] = field(default_factory=dict)

    def hear(self) -> Said:
        numbers = sorted(seat["seat"] for seat in self.record["seats"] if seat.get("playing", True))
        button = self.record.get("button", 0)
        self.seats = sorted(numbers, key=lambda seat: (seat - button - 1) % 100)
        self.stacks = {seat["seat"]: seat["stack"] for seat in self.record["seats"]}
        self.betting = Betting(self.seats, {seat: self.stacks[seat] for seat in self.seats}, set(self.seats))
        self.open: dict[int, list[str]] = {seat: [] for seat in self.seats}
        self.held: dict[int, list[str]] = {seat: [] for seat in self.seats}
        self.served = Counter[int]()
        """Number of cards of each seat at the end of the round."""
        for at in self.streets:
            event = self.record["events"][at]
            self.served[event.get("seat", 0)] += len(event["cards"]) // 2
        self.betting.begin(0, None)
        self._check_deal()
        last = {street: at for at, street in self.streets.items() if self.record["events"][at]["place"] == "player"}
        for at, event in enumerate(self.record["events"]):
            match event["event"]:
                case "wager":
                    self.betting.behind[event["seat"]] -= event["amount"]
                    self.betting.before[event["seat"]] -= event["amount"]
                case "deal" if event["place"] == "player":
                    self._card(event, self.streets[at])
                    if last[self.streets[at]] == at:
                        rest = [event.get("decision") for event in self.record["events"][at:]]
                        self._cards_out(self.streets[at], acts_follow=bool({*rest} - {None, "concede"}))
                case "decide":
                    self._check_decision(event)
                case "reveal":
                    self._record_result(
                        "betting-completed-at-the-showdown", True, self._turn_known(not self.betting.must_act())
                    )
        if self.betting.coming is not None:
            self.betting.begin(*self.betting.coming)
        self._after_all()
        found = {name: {_worst(heard)} for name, heard in self.said.items()}
        # A hand without its seven cards cannot be known to win; another hand may still be known to lose.
        if found["pots-to-the-winners"] == {OPEN}:
            found["pots-to-the-winners"].add(FAIL)
        return found

    def _cards_out(self, street: int, *, acts_follow: bool) -> None:
        """Deal the cards of a street. Its betting begins when the previous one is complete, or nobody acts any more."""
        betting, opener = self.betting, self._opener(street)
        if betting.coming is not None:
            betting.begin(*betting.coming)
        if street and acts_follow and betting.opener is not None and betting.must_act():
            betting.coming = street, opener
        elif street:
            betting.begin(street, opener)
        else:
            betting.opener = opener

    def _record_result(self, name: str, asked: bool, kept: bool | None) -> None:
        heard = self.said.setdefault(name, [])
        if asked:
            doubtful = name in OF_THE_BET and self.betting.unsure
            heard.append(OPEN if kept is None or (doubtful and not kept) else PASS if kept else FAIL)

    def _turn_known(self, kept: bool) -> bool | None:
        return None if self.betting.opener is None else kept

    def _opener(self, street: int) -> int | None:
        """Return the first seat to act; None if a seat has too many or too few open cards."""
        inside = [seat for seat in self.seats if seat in self.betting.left]
        due = (1, 2, 3, 4, 4)[street]
        if not inside or any(len(self.open[seat]) != due for seat in inside):
            return None
        if street == 0:
            return min(inside, key=lambda seat: showing(self.open[seat]))
        best = max(showing(self.open[seat]) for seat in inside)
        return next(seat for seat in inside if showing(self.open[seat]) == best)

    def _card(self, event: Event, street: int) -> None:
        betting = self.betting
        first = betting.street == 0 and betting.level == 0
        kept = True if first else self._turn_known(not betting.must_act())
        self._record_result("betting-completed", len(betting.left) > 1, kept)
        self._record_result("last-card-down", street == 4, event["face"] == "down")
        self.held[event["seat"]] += cards_of(event["cards"])
        if event["face"] == "up":
            self.open[event["seat"]] += cards_of(event["cards"])

    def _pair_shows(self) -> bool | None:
        """Return whether a pair was seen on fourth street; None if a seat has too many or too few open cards."""
        seen = [self.open[seat] for seat in self.seats if self.served[seat] >= 4]
        if any(len(cards) == 2 and cards[0][0] == cards[1][0] for cards in seen):
            return True
        return None if any(len(cards) != 2 for cards in seen) else False

    def _check_decision(self, event: Event) -> None:
        betting, seat, decision, amount = self.betting, event["seat"], event["decision"], event["amount"]
        betting.before_act(seat, decision, amount)
        inside, wanted, late = seat in betting.put, betting.must_act(), betting.late(seat)
        known = betting.opener is not None
        due = betting.next_to_act() if known else None
        raising = decision in ("bet", "raise", "complete")
        put, behind = betting.put.get(seat, 0), betting.behind.get(seat, 0)
        owed = max(betting.level - put, 0)
        beyond = max(put + amount - betting.level, 0)

        self._record_result(
            "bet-brought-in", betting.street == 0 and betting.level == 0, decision in ("bring-in", "complete")
        )
        self._record_result("bring-in-as-posted", decision == "bring-in", amount == min(BRING_IN, behind))
        self._record_result("brought-in-on-third-street", decision == "bring-in", betting.street == 0)
        self._record_result("only-players-act", True, seat in betting.left | betting.back)
        self._record_result("in-turn", not known or late or bool(wanted), late or seat == due if known else None)
        self._record_result("no-act-after-the-end", decision != "concede", self._turn_known(late or bool(wanted)))
        self._record_result("check-only-unbet", decision == "check", owed == 0 if inside else None)
        met = owed > 0 and amount == min(owed, behind)
        self._record_result("call-meets-the-bet", decision == "call", met if inside else None)
        others = [betting.before[chips] for chips in betting.left if chips != seat]
        sized = self._check_size(decision, beyond, 0 < amount >= behind, put + amount, max(others, default=0))
        self._record_result("sizes", raising, sized if inside else None)
        self._record_result(
            "raise-is-open", decision in ("raise", "complete"), seat in betting.may_raise and betting.raises < 3
        )
        first = betting.level == 0
        brought = betting.street == 0 and betting.level <= BRING_IN
        named = {"bet": first, "raise": not first and not brought, "complete": betting.level < betting.size}
        self._record_result("bet-first", raising, named.get(decision))
        betting.act(seat, decision, amount, due, known=known)

    def _check_size(self, decision: str, beyond: int, all_in: bool, to: int, answer: int) -> bool | None:
        betting = self.betting
        pair = self._pair_shows() if betting.street == 1 else False
        if pair is None and decision != "complete":
            return None
        larger = BIG if pair else betting.size
        least, most = betting.size, larger
        if betting.raised_by >= larger:
            least = larger
        if decision == "complete":
            least = most = max(betting.size - betting.level, 0)
        return beyond in (least, most) or (beyond < most and (all_in or to == answer))

    def _check_deal(self) -> None:
        """Check numbers, burns, turns and copies of cards, street by street."""
        events = self.record["events"]
        seen = Counter(card for at in self.streets for card in cards_of(events[at]["cards"]))
        self._record_result("one-deck", True, max(seen.values()) == 1)
        gone: set[int] = set()
        out: dict[int, set[int]] = {}
        by_street: dict[int, list[Event]] = {}
        for at, event in enumerate(events):
            if event["event"] == "decide" and event["decision"] in ("fold", "concede"):
                gone.add(event["seat"])
            if at in self.streets:
                by_street.setdefault(self.streets[at], []).append(event)
                out[self.streets[at]] = set(gone)
        for street, dealt in by_street.items():
            got = Counter[int]()
            for event in dealt:
                if event["place"] == "player":
                    got[event["seat"]] += len(event["cards"]) // 2
            due = 3 if street == 0 else 1
            burnt = [event["cards"][:2] for event in dealt[:1]] if street else []
            inside = set(self.seats) - out[street]
            right = {seat for seat in self.seats if got[seat] == due}
            self._record_result("cards-in-number", True, got.keys() <= inside <= right)
            away = [event["cards"] for event in dealt if event["place"] == "burn"]
            self._record_result("burnt", street > 0 or bool(away), away == burnt)
            served = [event["seat"] for event in dealt if event["place"] == "player" and event["seat"] in right]
            self._record_result("dealt-in-turn", True, served == [seat for seat in self.seats if seat in right] * due)

    def _after_all(self) -> None:
        betting, events = self.betting, self.record["events"]
        antes = {event["seat"] for event in events if event["event"] == "wager"}
        for seat in self.seats:
            self._record_result("antes-placed", True, seat in antes)
            shown = any(
                event["seat"] == seat
                and (event["event"] == "reveal" or (event["event"] == "decide" and event["decision"] == "concede"))
                for event in events
                if "seat" in event
            )
            alone = betting.left == {seat}
            self._record_result("showdown-held", (seat in betting.left | betting.conceded) and not alone, shown)
        for seat, stack in self.stacks.items():
            self._record_result("table-stakes", True, put_in(events, seat) <= stack)
        self._check_awards()

    def _check_awards(self) -> None:
        events = self.record["events"]
        back, owner = find_returned(events, self.seats, self.betting.left)
        given = {(event["seat"], event["amount"]) for event in events if event["event"] == "return"}
        right = given == ({(owner, back)} if back else set())
        self._record_result("uncalled-bet-returned", bool(back or given), right)
        least, most, told = dict.fromkeys(self.seats, 0), dict.fromkeys(self.seats, 0), True
        for chips, able in shares(events, self.seats, self.betting.left):
            told &= len(able) < 2 or all(len(self.held[seat]) == 7 for seat in able)
            winners = best_of(able, self.held) if told else []
            for seat in winners:
                least[seat] += chips // len(winners) * CHIP
                most[seat] += -(-chips // len(winners)) * CHIP
        won = Counter[int]()
        for event in events:
            if event["event"] == "award":
                won[event["seat"]] += event["amount"]
        fair = all(least[seat] <= won[seat] <= most[seat] for seat in self.seats)
        self._record_result("pots-to-the-winners", True, fair if told else None)


def _worst(heard: Iterable[str]) -> str:
    found = set(heard)
    return next((status for status in (FAIL, OPEN, PASS) if status in found), NOT_ASKED)
