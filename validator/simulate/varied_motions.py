"""Motions at a table that no rule fixes: in parts, repeated, corrected at once, or in another order.

Each motion rewrites the events of one round where it fits. It uses only what holds for every game: the meaning of the
kinds of event, the smallest chip, and the lines whose stake is a fixed amount. Neighbouring events change places only
if no course and no requirement puts them in order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from msgspec.structs import replace
from pydantic import BaseModel

from fairdeal.validator.cards.card_codes import UNKNOWN
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.timeline.step_events import possible_events
from fairdeal.validator.language.name_references import iterate_references
from fairdeal.validator.rules.game_model import Step
from fairdeal.validator.simulate.round_records import SimulatedEvent, SimulatedRound, SimulatedSeat, SimulatedStake
from fairdeal.validator.simulate.round_view import RoundView
from fairdeal.validator.simulate.simulated_house import RandomStream

Events = list[SimulatedEvent]
_Line = tuple[SimulatedSeat | None, str | None, bool]

_SETTLING = ("pay", "collect", "return")
_CHIP_MOVEMENTS = (*_SETTLING, "award", "rake", "drop", "chips-in", "chips-out")
_DECK_ACTS = ("shuffle", "cut")
_WORDS = ("announce", "claim", "count")
_MOVABLE = {"wager", "shuffle", "cut", "pay", "collect", "return", "collect-cards", "announce", "device", "tuck"}
"""Kinds of event that may change places. The deal, irregularities and what follows from them stay where they are."""
_CARD_ACTS = {"collect-cards", "tuck"}
_ORDERS_SEATS = {"sequence", "same-order", "in-turn", "turns", "needed"}
"""Checks that may put events of one step in order."""


class OpenOrder:
    """Pairs of steps of a game that no rule puts in order, and the steps of each event of a batch."""

    def __init__(self, prepared: CompiledGame) -> None:
        self._prepared = prepared
        self._ordered = _collect_ordered_pairs(prepared)
        self._steps = defaultdict[SimulatedEvent, list[str]](list)
        self._open_pairs: dict[tuple[str, str], bool] = {}

    def read_steps(self, view: RoundView) -> None:
        """Find the steps to which the events of a batch may belong."""
        self._steps.clear()
        for name in self._prepared.steps:
            for at in possible_events(view.scope, name).tolist():
                self._steps[view.events[at]].append(name)

    def may_swap(self, first: SimulatedEvent, second: SimulatedEvent) -> bool:
        """Return whether two neighbouring events may happen in the other order."""
        if not {first.kind, second.kind} <= _MOVABLE or first.kind == second.kind == "shuffle":
            return False
        if first.seat is not None and first.seat is second.seat and not self._are_independent(first, second):
            return False
        return all(self._is_open(step, other) for step in self._find(first) for other in self._find(second))

    def _find(self, event: SimulatedEvent) -> Sequence[str]:
        # A copy that a motion has made belongs to no known step, so it stays where it is.
        return self._steps.get(event, ("",))

    @staticmethod
    def _are_independent(first: SimulatedEvent, second: SimulatedEvent) -> bool:
        """Return whether two events of a seat concern different stakes."""
        return not _CARD_ACTS & {first.kind, second.kind} and (first.wager, first.tip) != (second.wager, second.tip)

    def _is_open(self, step: str, other: str) -> bool:
        if (step, other) not in self._open_pairs:
            self._open_pairs[step, other] = self._compare(step, other)
        return self._open_pairs[step, other]

    def _compare(self, step: str, other: str) -> bool:
        """Return whether no rule puts two steps in order.

        A course leaves them in any order if one may happen in every phase in which the other may.
        """
        if not step or not other or frozenset((step, other)) in self._ordered:
            return False
        for course in self._prepared.game.courses.values():
            phases, other_phases = course.phase_bits(step), course.phase_bits(other)
            if phases and other_phases and phases & other_phases not in (phases, other_phases):
                return False
        return True


def _collect_ordered_pairs(prepared: CompiledGame) -> set[frozenset[str]]:
    """Return the steps that some check, fact or step names together, as pairs; one step alone is a set of one."""
    ordered = set[frozenset[str]]()
    for requirement in prepared.regulation.requirements:
        names = _list_steps(requirement.check)
        ordered |= _pair(names)
        if requirement.check.operator in _ORDERS_SEATS:
            ordered |= {frozenset((name,)) for name in names}
    for condition in prepared.game.facts.values():
        ordered |= _pair(_list_steps(condition))
    for step in prepared.game.procedure:
        related = _list_neighbours(step)
        ordered |= {frozenset((step.step, name)) for name in related}
    return ordered


def _list_neighbours(step: Step) -> set[str]:
    """Return the steps on whose time or events a step depends."""
    names = {name for name in (step.after, step.before, step.covers) if name is not None}
    return names | (set() if step.when is None else _list_steps(step.when))


def _list_steps(model: BaseModel) -> set[str]:
    return {name for _, kind, name in iterate_references(model, ()) if kind in ("step", "occasion")}


def _pair(names: Iterable[str]) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in combinations(sorted(names), 2)}


class MotionContext:
    """Facts of a house that motions depend on."""

    def __init__(self, view: RoundView, order: OpenOrder, rng: RandomStream) -> None:
        house, self.order, self.rng = view.house, order, rng
        self.against_house = house.game.betting is None
        self.chip = house.submission.smallest_chip or house.tip_unit
        offers = {name: house.find_offer(name) for name in house.game.wagers}
        self.single_chips = {
            name
            for name, offer in offers.items()
            if offer is not None and offer.minimum is not None and offer.minimum == offer.maximum
        }
        """Wagers of one fixed amount, which are placed in one motion."""
        self.at_once = {line for meter in house.meters for line in meter.lines}
        """Lines that are paid from a meter, in one amount."""
        repeated = [step for step in house.prepared.steps.values() if step.said_again]
        self.may_repeat_decisions = any(view.seats_where(step.when) for step in repeated)
        """True if the rules, as read, let players repeat a decision."""

    def divide(self, amount: int) -> tuple[int, int] | None:
        """Return two parts of an amount that chips can make; None if it is a single chip."""
        if amount <= self.chip:
            return None
        first = self.chip * self.rng.randint(1, (amount - 1) // self.chip)
        return first, amount - first


Motion = Callable[[MotionContext, SimulatedRound], bool]
"""Function that rewrites the events of a round once. It returns whether the motion fitted."""
_Rewrite = Callable[[SimulatedEvent], Sequence[SimulatedEvent] | None]


def _rewrite_one(context: MotionContext, events: Events, kinds: Iterable[str], rewrite: _Rewrite) -> bool:
    """Replace one event of some kinds by others, if `rewrite` fits any."""
    kinds = {*kinds}
    places = [at for at, event in enumerate(events) if event.kind in kinds]
    context.rng.shuffle(places)
    for at in places:
        rewritten = rewrite(events[at])
        if rewritten is not None:
            events[at : at + 1] = rewritten
            return True
    return False


def _split_cards(event: SimulatedEvent) -> list[SimulatedEvent] | None:
    """Return an event for each card; None if the cards are not several known ones."""
    cards = event.cards or []
    if len(cards) < 2 or UNKNOWN in cards:
        return None
    positions: Sequence[str | None] = [None] * len(cards)
    if event.positions is not None:
        if len(event.positions) != len(cards):
            return None
        positions = event.positions
    return [replace(event, cards=[card], positions=at) for card, at in zip(cards, positions, strict=True)]


def _owner_of(event: SimulatedEvent) -> tuple[str, str | None, SimulatedSeat | None, str | None]:
    return event.kind, event.place, event.seat, event.what


def _count_alike(events: Events, event: SimulatedEvent) -> int:
    """Return the number of events of the same kind about the same lot of cards."""
    return sum(_owner_of(other) == _owner_of(event) for other in events)


def take_up_cards_in_parts(context: MotionContext, round_: SimulatedRound) -> bool:
    """Collect a lot of cards in two motions, or card by card."""

    def rewrite(event: SimulatedEvent) -> list[SimulatedEvent] | None:
        single = _split_cards(event) if _count_alike(round_.events, event) == 1 else None
        if single is None or event.cards is None or context.rng.happens(500):
            return single
        cut = context.rng.randint(1, len(event.cards) - 1)
        return [replace(event, cards=event.cards[:cut]), replace(event, cards=event.cards[cut:])]

    return _rewrite_one(context, round_.events, ["collect-cards"], rewrite)


def show_card_by_card(context: MotionContext, round_: SimulatedRound) -> bool:
    """Show a hand one card after the other, where it is shown once."""
    return _rewrite_one(
        context,
        round_.events,
        ["reveal"],
        lambda event: _split_cards(event) if _count_alike(round_.events, event) == 1 else None,
    )


def show_again(context: MotionContext, round_: SimulatedRound) -> bool:
    """Show a hand a second time at once."""
    return _rewrite_one(context, round_.events, ["reveal"], lambda event: [event, replace(event)])


def exchange_card_by_card(context: MotionContext, round_: SimulatedRound) -> bool:
    """Discard several cards one after the other, or draw them so."""
    return context.against_house and _rewrite_one(
        context,
        round_.events,
        ["discard", "draw"],
        lambda event: None if event.place in ("deck", "burn") else _split_cards(event),
    )


def wager_in_parts(context: MotionContext, round_: SimulatedRound) -> bool:
    """Place a wager in two motions."""

    def rewrite(event: SimulatedEvent) -> list[SimulatedEvent] | None:
        parts = None if event.wager in context.single_chips else context.divide(event.amount or 0)
        return None if parts is None else [replace(event, amount=part) for part in parts]

    return context.against_house and _rewrite_one(context, round_.events, ["wager"], rewrite)


def take_back_before_the_deal(context: MotionContext, round_: SimulatedRound) -> bool:
    """Place a wager, take it back, and place it anew before anything is dealt."""
    events = round_.events
    ends = ("deal", "announce", "device", "decide")
    opening = next((at for at, event in enumerate(events) if event.kind in ends), len(events))
    places = [at for at, event in enumerate(events[:opening]) if event.kind == "wager"]
    if not context.against_house or not places:
        return False
    at = context.rng.choice(places)
    own = events[at]
    events[at : at + 1] = [own, replace(own, kind="withdraw", means=None), replace(own)]
    return True


def settle_in_parts(context: MotionContext, round_: SimulatedRound) -> bool:
    """Move an amount of chips in two motions."""

    def rewrite(event: SimulatedEvent) -> list[SimulatedEvent] | None:
        parts = None if event.wager in context.at_once else context.divide(event.amount or 0)
        return None if parts is None else [replace(event, amount=part) for part in parts]

    return _rewrite_one(context, round_.events, _CHIP_MOVEMENTS, rewrite)


def _find_untouched_stake(context: MotionContext, round_: SimulatedRound, event: SimulatedEvent) -> int:
    """Return the stake that a payment is made on, if no other event settles it; otherwise 0."""
    if event.seat is None or event.wager is None or not context.against_house or event.wager in context.at_once:
        return 0
    others = (other for other in round_.events if other is not event and other.kind in _SETTLING)
    if any(_line_of(other) == _line_of(event) for other in others):
        return 0
    return event.seat.staked_on(event.wager, tip=event.tip)


def _line_of(event: SimulatedEvent) -> _Line:
    return event.seat, event.wager, event.tip


def _stake_of(event: SimulatedEvent) -> SimulatedStake | None:
    return None if event.seat is None or event.wager is None else event.seat.stakes.get((event.wager, event.tip))


def take_by_mistake_and_put_back(context: MotionContext, round_: SimulatedRound) -> bool:
    """Take a winning stake by mistake, put it back, and pay it. At times the summary states all that was taken."""

    def rewrite(event: SimulatedEvent) -> list[SimulatedEvent] | None:
        stake, amount = _stake_of(event), _find_untouched_stake(context, round_, event)
        if not amount or stake is None:
            return None
        stake.taken = amount if context.rng.happens(500) else 0
        return [*(replace(event, kind=kind, amount=amount) for kind in ("collect", "return")), event]

    return _rewrite_one(context, round_.events, ["pay"], rewrite)


def return_winning_stake(context: MotionContext, round_: SimulatedRound) -> bool:
    """Record that the stake of a winner goes back to the player."""

    def rewrite(event: SimulatedEvent) -> list[SimulatedEvent] | None:
        amount = _find_untouched_stake(context, round_, event)
        return [event, replace(event, kind="return", amount=amount)] if amount else None

    return _rewrite_one(context, round_.events, ["pay"], rewrite)


def leave_push_in_place(context: MotionContext, round_: SimulatedRound) -> bool:
    """Leave out that a stake which pushes was given back: it never left its place."""
    return context.against_house and _rewrite_one(
        context, round_.events, ["return"], lambda event: [] if _find_untouched_stake(context, round_, event) else None
    )


def say_again(context: MotionContext, round_: SimulatedRound) -> bool:
    """Repeat an announcement, a claim or a count at once, or a decision where the rules let players repeat it."""
    decisions = ["decide"] if context.may_repeat_decisions and context.against_house else []
    return _rewrite_one(context, round_.events, [*_WORDS, *decisions], lambda event: [event, replace(event)])


def shuffle_or_cut_again(context: MotionContext, round_: SimulatedRound) -> bool:
    """Shuffle or cut once more at once."""
    return _rewrite_one(context, round_.events, _DECK_ACTS, lambda event: [event, replace(event)])


def change_open_order(context: MotionContext, round_: SimulatedRound) -> bool:
    """Exchange neighbouring events, several times, where the rules fix no order between them."""
    events, changed = round_.events, False
    for _ in range(3 * len(events)):
        at = context.rng.randrange(max(len(events) - 1, 1))
        if len(events) > 1 and context.order.may_swap(events[at], events[at + 1]):
            events[at], events[at + 1], changed = events[at + 1], events[at], True
    return changed


MOTIONS: tuple[Motion, ...] = (
    take_up_cards_in_parts,
    show_card_by_card,
    show_again,
    exchange_card_by_card,
    wager_in_parts,
    take_back_before_the_deal,
    settle_in_parts,
    take_by_mistake_and_put_back,
    return_winning_stake,
    leave_push_in_place,
    say_again,
    shuffle_or_cut_again,
)
"""Motions that may follow each other in a round."""
