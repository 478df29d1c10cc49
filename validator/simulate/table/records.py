"""A round in the making: its seats, cards, stakes, acts and events, as they come about."""

from __future__ import annotations

from msgspec import Struct, field

from validator.language.terms import Place
from validator.rules.model.deal import Way
from validator.rules.simulation.simulation import Occurrence

Cards = list[int]
"""Codes of cards."""
StakeName = tuple[str, bool]
"""A wager or bonus, and whether it is a tip."""


class Stake(Struct, gc=False):
    """What lies on a wager and what became of it, in minor units. `case` is the number of the case of settlement,
    limits on what is paid counted on from the cases."""

    amount: int = 0
    paid: int = 0
    taken: int = 0
    case: int | None = None


class Hand(Struct, eq=False, gc=False):
    """Cards of a place: those dealt to it, those of them put aside and those drawn in their stead; None where such are
    not dealt, not put aside, not drawn."""

    cards: Cards | None = None
    aside: Cards | None = None
    drawn: Cards | None = None

    @property
    def held(self) -> Cards:
        """The cards that are left after exchanging."""
        gone = self.aside or ()
        return [card for card in self.cards or () if card not in gone] + (self.drawn or [])


class Seat(Struct, eq=False, kw_only=True, gc=False):
    """A seat: `claims` are the wagers on which its player was asked whether it won, with the answer; `exchanges` the
    exchanges of cards between betting rounds that it was asked in, by stage of the deal, each a hand of its own. Chips
    are None in games without."""

    number: int
    player: int
    hand: Hand = field(default_factory=Hand)
    decision: str | None = None
    stakes: dict[StakeName, Stake] = field(default_factory=dict)
    claims: dict[str, bool] = field(default_factory=dict)
    exchanges: dict[int, Hand] = field(default_factory=dict)
    stack: int | None = None
    stack_after: int | None = None
    won: int | None = None
    playing: bool = True
    folded: bool = False

    @property
    def last_hand(self) -> Hand:
        """The cards in its last exchange between betting rounds; those it was dealt where it had none."""
        return self.exchanges[max(self.exchanges)] if self.exchanges else self.hand

    @property
    def held(self) -> Cards:
        """The cards after all exchanges between betting rounds."""
        return self.last_hand.held if self.exchanges else self.hand.cards or []

    @property
    def staked(self) -> int:
        """All that lies on wagers."""
        return sum(stake.amount for stake in self.stakes.values())

    @property
    def chips(self) -> int:
        """What it has when the round begins; nothing in games without."""
        return self.stack or 0

    def on(self, name: str, *, tip: bool = False) -> int:
        """What lies on a wager."""
        stake = self.stakes.get((name, tip))
        return 0 if stake is None else stake.amount

    def put(self, name: str, amount: int, *, tip: bool = False) -> None:
        """Have so much on a wager, in place of what lies there."""
        if amount:
            self.stakes.setdefault((name, tip), Stake()).amount = amount
        else:
            self.stakes.pop((name, tip), None)


class Event(Struct, eq=False, gc=False):
    """An event; fields as in `Events` of the columns, texts in words. `order` is where it stands in its round: the
    number of its step, the turn of its seat or place, its step's place in that turn, and a detail."""

    kind: str
    order: tuple[int, int, int, int] = (0, 0, 0, 0)
    seat: Seat | None = None
    place: str | None = None
    face: str | None = None
    by: str | None = None
    means: str | None = None
    wager: str | None = None
    tip: bool = False
    amount: int | None = None
    decision: str | None = None
    what: str | None = None
    deck: str | None = None
    positions: str | None = None
    pot: int | None = None
    chips: int | None = None
    cards: Cards | None = None


class Act(Struct, eq=False, gc=False):
    """An act of betting: whose, in which betting round, which decision, what goes in with it, and what was said and put
    forward ahead of it."""

    seat: Seat
    street: int
    decision: str
    amount: int
    shown: list[Event] = field(default_factory=list)


class Ending(Struct, eq=False, gc=False):
    """The end of a round between players: who shows and who concedes, in the order of `rank`; what was raked, what is
    given back by wager, what is awarded of each pot, and to whom a share was due. `divided` is whether the pots are."""

    shows: set[Seat]
    concedes: set[Seat]
    rank: dict[Seat, int]
    rake: int = 0
    returned: list[tuple[Seat, str, int]] = field(default_factory=list)
    awards: list[tuple[Seat, int, int]] = field(default_factory=list)
    winning: set[Seat] = field(default_factory=set)
    divided: bool = False


class Reading(Struct, gc=False):
    """What a meter reads: before the round, when awards are made, and after it."""

    opening: int
    shown: int
    closing: int


class Round(Struct, eq=False, kw_only=True, gc=False):
    """A round as far as it has been played.

    `deck` are the cards of the shuffled deck, of which the first `used` are gone; `stages` is how many stages of the
    deal came. `occurrence` is what goes wrong, if anything does, and `mishaps` are its events; `acts` are those of
    betting in order. `name`, `table` (a number), `time` (microseconds since 1970) and `line` tell the round from
    others, `count` and `in_play` are its number since the table opened and its deck. `planted` are the requirements
    that it was made to break.
    """

    seats: list[Seat]
    dealer: Hand = field(default_factory=Hand)
    community: Hand = field(default_factory=Hand)
    way: Way | None = None
    deck: Cards = field(default_factory=list)
    used: int = 0
    meters: dict[str, Reading] = field(default_factory=dict)
    mishaps: list[Event] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    button: int | None = None
    occurrence: Occurrence | None = None
    acts: list[Act] = field(default_factory=list)
    stages: int | None = None
    ending: Ending | None = None
    name: str = ""
    table: int = 0
    time: int = 0
    line: int = 0
    count: int | None = None
    in_play: str | None = None
    planted: tuple[str, ...] = ()
    settled: dict[tuple[int, int, str], list[Event]] = field(default_factory=dict)
    """Events that are told once for all, by their step (its number and turn) and kind; none where that is to be done
    again."""

    @property
    def end(self) -> Ending:
        """Its end between players. Raises ValueError as long as the pots have not come to that."""
        if self.ending is None:
            raise ValueError("the pots have not been divided yet")
        return self.ending

    def held_at(self, place: Place) -> list[tuple[Seat | None, Hand]]:
        """The hands of a place, each with its seat: of every seat for `player`, else the one of the round."""
        if place == "player":
            return [(seat, seat.hand) for seat in self.seats]
        return [(None, self.dealer if place == "dealer" else self.community)]

    def hands_at(self, place: Place) -> list[Hand]:
        """The hands of a place."""
        return [hand for _, hand in self.held_at(place)]

    @property
    def is_dead(self) -> bool:
        """Whether it is declared dead for what went wrong."""
        return any(event.kind == "misdeal" for event in self.mishaps)

    def unused(self, number: int) -> Cards | None:
        """So many cards that nobody is dealt, from the end of the deck, which is without them from then on; None where
        there are not as many."""
        left = len(self.deck) - number
        if left < self.used:
            return None
        gone, self.deck = self.deck[left:], self.deck[:left]
        return gone

    def next_cards(self, number: int) -> Cards:
        """So many further cards of the deck."""
        self.used += number
        return self.deck[self.used - number : self.used]


def beside(events: list[Event], anchors: list[Event], *, after: bool) -> int | None:
    """Where among events something stands that comes right before the first of some of them, or right after the last;
    None where none of those is among them."""
    found = [at for at, event in enumerate(events) if event in anchors] if anchors else []
    return None if not found else found[-1] + 1 if after else found[0]
