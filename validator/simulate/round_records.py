"""Simulated round while it is played: seats, cards, stakes, acts and events."""

from __future__ import annotations

from msgspec import Struct, field

from fairdeal.validator.language.grammar import Place
from fairdeal.validator.rules.deal_model import DealingWay

Cards = list[int]
"""Codes of cards."""
StakeName = tuple[str, bool, str | None]
"""Wager or bonus, whether it is a tip, and the selection; None if the wager has none."""


class SimulatedStake(Struct, gc=False):
    """Stake on a wager, with its settlement, in minor units."""

    amount: int = 0
    brought: int = 0
    """Part of the amount that lay on the table since the round before."""
    paid: int = 0
    taken: int = 0
    case: int | None = None
    """Number of the case of settlement. Limits on payments are numbered after the cases."""


class SimulatedHand(Struct, eq=False, gc=False):
    """Cards of a place."""

    cards: Cards | None = None
    """Cards that were dealt; None if the place is dealt none."""
    discarded: Cards | None = None
    """Cards that were discarded; None if the place discards none."""
    drawn: Cards | None = None
    """Cards that were drawn; None if the place draws none."""
    high: Cards | None = None
    """Cards of the High Hand; None if the place sets none."""
    low: Cards | None = None
    """Cards of the Low Hand; None if the place sets none."""
    by_rule: dict[int, int] = field(default_factory=dict)
    """Number of cards that came in each stage by rule, by index. They are the last of `cards`, stage by stage."""

    @property
    def fixed_cards(self) -> Cards:
        """Return the cards of the stages that every round has."""
        cards = self.cards or []
        return cards[: len(cards) - sum(self.by_rule.values())]

    def add_cards(self, stage: int, cards: Cards) -> None:
        """Add cards of a stage by rule."""
        self.cards = [*(self.cards or ()), *cards]
        self.by_rule[stage] = self.by_rule.get(stage, 0) + len(cards)

    def remove_cards(self, stage: int) -> int:
        """Remove the cards of a stage by rule, which must be the last ones, and return their number."""
        count = self.by_rule.pop(stage)
        self.cards = (self.cards or [])[: len(self.cards or ()) - count]
        return count

    def list_cards_of(self, stage: int) -> Cards:
        """Return the cards of a stage by rule."""
        first = len(self.fixed_cards) + sum(count for number, count in self.by_rule.items() if number < stage)
        return (self.cards or [])[first : first + self.by_rule.get(stage, 0)]

    @property
    def cards_left(self) -> Cards:
        """Return the cards after the exchange."""
        if not self.discarded:
            return [*(self.cards or ()), *(self.drawn or ())]
        return [card for card in self.cards or () if card not in self.discarded] + (self.drawn or [])


class SimulatedSeat(Struct, eq=False, kw_only=True, gc=False):
    """Seat of a round."""

    number: int
    player: int
    hand: SimulatedHand = field(default_factory=SimulatedHand)
    decisions: list[str] = field(default_factory=list)
    """Decisions in order of play."""
    stakes: dict[StakeName, SimulatedStake] = field(default_factory=dict)
    claims: dict[str, bool] = field(default_factory=dict)
    """Wagers on which the player could claim a win, with the answer."""
    exchanges: dict[int, SimulatedHand] = field(default_factory=dict)
    """Exchanges between betting rounds, by stage of the deal."""
    stack: int | None = None
    """Chips before the round; None in games without chips."""
    stack_after: int | None = None
    """Chips after the round; None in games without chips."""
    won: int | None = None
    """Amount won from pots; None in games without chips."""
    playing: bool = True
    folded: bool = False
    split_of: SimulatedSeat | None = None
    """Seat from whose hand a split made this one; None if none did."""
    split_off: list[SimulatedSeat] = field(default_factory=list)
    """Seats of the hands that were split off this one, in order."""

    @property
    def box(self) -> SimulatedSeat:
        """Return the seat with the first hand of the box."""
        return self if self.split_of is None else self.split_of.box

    def list_hands_of_box(self) -> list[SimulatedSeat]:
        """Return this seat and the hands that were split off it, in the order of play: the newest split comes next."""
        return [self, *(hand for new in reversed(self.split_off) for hand in new.list_hands_of_box())]

    @property
    def has_one_card_after_split(self) -> bool:
        """Return whether a split left the hand with one card, to which no card was dealt yet."""
        count = len(self.hand.cards or ()) - len(self.split_off) + (self.split_of is not None)
        return count == 1 and (self.split_of is not None or bool(self.split_off))

    def find_card_split_to(self, new: SimulatedSeat) -> int:
        """Return the card that began a hand that was split off this one."""
        return (self.hand.cards or [])[self.split_off.index(new) + (self.split_of is None)]

    @property
    def decision(self) -> str | None:
        """Return the last decision; None without one."""
        return self.decisions[-1] if self.decisions else None

    @property
    def last_hand(self) -> SimulatedHand:
        """Return the cards of the last exchange between betting rounds; those that were dealt if there was none."""
        return self.exchanges[max(self.exchanges)] if self.exchanges else self.hand

    @property
    def cards_held(self) -> Cards:
        """Return the cards after all exchanges between betting rounds."""
        return self.last_hand.cards_left if self.exchanges else self.hand.cards or []

    @property
    def staked(self) -> int:
        """Return the sum of all stakes."""
        return sum(stake.amount for stake in self.stakes.values())

    @property
    def chips(self) -> int:
        """Return the chips before the round; 0 in games without chips."""
        return self.stack or 0

    def staked_on(self, name: str, *, tip: bool = False) -> int:
        """Return the stake on a wager, on all selections."""
        stake = self.stakes.get((name, tip, None))
        if stake is not None:
            return stake.amount
        return sum(other.amount for (wager, is_tip, _), other in self.stakes.items() if wager == name and is_tip == tip)

    def find_selection(self, name: str) -> str | None:
        """Return the first selection of the seat's own stakes on a wager; None if it has none."""
        return next((on for wager, tip, on in self.stakes if wager == name and not tip), None)

    def set_stake(self, name: str, amount: int, *, tip: bool = False, on: str | None = None) -> None:
        """Replace the stake on a wager, or on one selection."""
        if amount:
            self.stakes.setdefault((name, tip, on), SimulatedStake()).amount = amount
        else:
            self.stakes.pop((name, tip, on), None)


class SimulatedEvent(Struct, eq=False, gc=False):
    """Event with the fields of the columns (`Events`), as text."""

    kind: str
    order: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Position in the round: number of the step, turn of the seat or place, place of the step in that turn, and a
    detail."""
    seat: SimulatedSeat | None = None
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
    value: str | None = None
    pot: int | None = None
    chips: int | None = None
    cards: Cards | None = None


class BettingAct(Struct, eq=False, gc=False):
    """Act of betting."""

    seat: SimulatedSeat
    street: int
    """Number of the betting round."""
    decision: str
    amount: int
    """Amount that goes in with it."""
    shown: list[SimulatedEvent] = field(default_factory=list)
    """Declarations and chips that precede it."""


class RoundEnd(Struct, eq=False, gc=False):
    """End of a round between players."""

    showing_seats: set[SimulatedSeat]
    """Seats that show their hands."""
    conceding_seats: set[SimulatedSeat]
    """Seats that concede."""
    rank: dict[SimulatedSeat, int]
    """Order of the seats at the showdown."""
    rake: int = 0
    returned: list[tuple[SimulatedSeat, str, int]] = field(default_factory=list)
    """Amounts that are given back, by seat and wager."""
    awards: list[tuple[SimulatedSeat, int, int]] = field(default_factory=list)
    """Awards by seat and pot."""
    winning: set[SimulatedSeat] = field(default_factory=set)
    """Seats that are due a share."""
    divided: bool = False
    """True once the pots are divided."""


class MeterReading(Struct, gc=False):
    """Readings of a meter."""

    opening: int
    """Reading before the round."""
    shown: int
    """Reading when awards are made."""
    closing: int
    """Reading after the round."""


class SimulatedRound(Struct, eq=False, kw_only=True, gc=False):
    """Simulated round, up to the stage that was played."""

    seats: list[SimulatedSeat]
    dealer: SimulatedHand = field(default_factory=SimulatedHand)
    community: SimulatedHand = field(default_factory=SimulatedHand)
    way: DealingWay | None = None
    deck: Cards = field(default_factory=list)
    """Cards of the shuffled deck."""
    used: int = 0
    """Number of cards that are dealt, from the front of the deck."""
    outcomes: dict[str, str] = field(default_factory=dict)
    """Results that are no cards, by name."""
    meters: dict[str, MeterReading] = field(default_factory=dict)
    irregularities: dict[int, list[SimulatedEvent]] = field(default_factory=dict)
    """Events of each irregularity of the round, by its number among those of the simulation."""
    events: list[SimulatedEvent] = field(default_factory=list)
    button: int | None = None
    acts: list[BettingAct] = field(default_factory=list)
    """Acts of betting, in order."""
    stages: int | None = None
    """Number of stages of the deal that were dealt."""
    ending: RoundEnd | None = None
    name: str = ""
    """Id of the round."""
    table: int = 0
    """Number of the table."""
    time: int = 0
    """Microseconds since 1970."""
    line: int = 0
    """Line of the log."""
    notes: dict[str, str] = field(default_factory=dict)
    """Notes of the log on the round, such as its dealer."""
    count: int | None = None
    """Number of the round since the table opened."""
    deck_in_play: str | None = None
    """Name of its deck."""
    planted: tuple[str, ...] = ()
    """Requirements that the round was made to break."""
    is_complete: bool = True
    """False if the record stops before the round is over."""
    unrecorded: set[str] = field(default_factory=set)
    """Kinds of event, or kinds at a place, that the log does not record."""
    unchanging_events: dict[tuple[int, int, str], list[SimulatedEvent]] = field(default_factory=dict)
    """Events that no later stage changes, by step (number and turn) and kind; empty if they must be recorded again."""

    @property
    def required_ending(self) -> RoundEnd:
        """Return the end of the round between players. Raises ValueError if the pots are not divided yet."""
        if self.ending is None:
            raise ValueError("the pots have not been divided yet")
        return self.ending

    def split_hand(self, seat: SimulatedSeat, wager: str, first_number: int) -> None:
        """Split the hand of a seat: a seat of the same player has an equal stake, and its card from the first hand.

        Args:
            seat: the seat.
            wager: the wager.
            first_number: the lowest number of a seat with a hand that was split off.
        """
        number = max(first_number - 1, *(other.number for other in self.seats)) + 1
        new = SimulatedSeat(number=number, player=seat.player, hand=SimulatedHand(cards=[]), split_of=seat)
        new.set_stake(wager, seat.staked_on(wager))
        seat.split_off.append(new)
        self.seats.append(new)

    def list_hands_with_seats(self, place: Place) -> list[tuple[SimulatedSeat | None, SimulatedHand]]:
        """Return the hands of a place with their seats; the seat is None except for `player`."""
        if place == "player":
            return [(seat, seat.hand) for seat in self.seats]
        return [(None, self.dealer if place == "dealer" else self.community)]

    def list_hands(self, place: Place) -> list[SimulatedHand]:
        """Return the hands of a place."""
        return [hand for _, hand in self.list_hands_with_seats(place)]

    @property
    def mishaps(self) -> list[SimulatedEvent]:
        """Return the events of all irregularities."""
        return [event for events in self.irregularities.values() for event in events]

    @property
    def is_dead(self) -> bool:
        """Return whether a mishap made the round dead."""
        return any(event.kind == "misdeal" for event in self.mishaps)

    def remove_unused_cards(self, number: int) -> Cards | None:
        """Remove cards from the end of the deck, where nobody is dealt them; None if too few are left."""
        left = len(self.deck) - number
        if left < self.used:
            return None
        removed, self.deck = self.deck[left:], self.deck[:left]
        return removed

    def draw_cards(self, number: int) -> Cards:
        """Return further cards of the deck."""
        self.used += number
        return self.deck[self.used - number : self.used]


def find_insertion_index(events: list[SimulatedEvent], anchors: list[SimulatedEvent], *, after: bool) -> int | None:
    """Return the index before the first, or after the last, of some events; None if none of them is in the list.

    Args:
        events: events to search.
        anchors: events to find.
        after: whether to return the index after the last one.
    """
    places = [at for at, event in enumerate(events) if event in anchors] if anchors else []
    return None if not places else places[-1] + 1 if after else places[0]
