"""Variety that the rules permit: open orders, motions in parts, records that stop or leave out kinds of event."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from msgspec.structs import replace
from pydantic import BaseModel

from fairdeal.validator.cards.card_codes import UNKNOWN
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.pots.pot_shares import is_reading_in_force
from fairdeal.validator.engine.timeline.step_events import possible_events
from fairdeal.validator.evidence.columns.recorded_events import KIND_NAMES
from fairdeal.validator.evidence.columns.round_batch import Batch
from fairdeal.validator.language.grammar import iterate_references
from fairdeal.validator.rules.game_model import Act
from fairdeal.validator.simulate import round_records
from fairdeal.validator.simulate.batch_processes import leaves_stake
from fairdeal.validator.simulate.round_view import RoundView
from fairdeal.validator.simulate.simulated_house import RandomStream, SimulatedHouse

Events = list[round_records.SimulatedEvent]
_Line = tuple[round_records.SimulatedSeat | None, str | None, bool, str | None]

_SETTLING = ("pay", "collect", "return")
_CHIP_MOVEMENTS = (*_SETTLING, "award", "rake", "drop", "chips-in", "chips-out")
_DECK_ACTS = ("shuffle", "cut")
_WORDS = ("announce", "claim", "count", "declare")
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
        self._steps = defaultdict[round_records.SimulatedEvent, list[str]](list)
        self._open_pairs: dict[tuple[str, str], bool] = {}

    def read_steps(self, view: RoundView) -> None:
        """Find the steps to which the events of a batch may belong."""
        self._steps.clear()
        for name in self._prepared.steps:
            for at in possible_events(view.scope, name).tolist():
                self._steps[view.events[at]].append(name)

    def may_swap(self, first: round_records.SimulatedEvent, second: round_records.SimulatedEvent) -> bool:
        """Return whether two neighbouring events may happen in the other order."""
        if not {first.kind, second.kind} <= _MOVABLE or first.kind == second.kind == "shuffle":
            return False
        if first.seat is not None and first.seat is second.seat and not self._are_independent(first, second):
            return False
        return all(self._is_open(step, other) for step in self._find(first) for other in self._find(second))

    def _find(self, event: round_records.SimulatedEvent) -> Sequence[str]:
        # A copy that a motion has made belongs to no known step, so it stays where it is.
        return self._steps.get(event, ("",))

    @staticmethod
    def _are_independent(first: round_records.SimulatedEvent, second: round_records.SimulatedEvent) -> bool:
        """Return whether two events of a seat concern different stakes."""
        return not _CARD_ACTS & {first.kind, second.kind} and (first.wager, first.tip, first.value) != (
            second.wager,
            second.tip,
            second.value,
        )

    def _is_open(self, step: str, other: str) -> bool:
        if (step, other) not in self._open_pairs:
            self._open_pairs[step, other] = self._compare(step, other)
        return self._open_pairs[step, other]

    def _compare(self, step: str, other: str) -> bool:
        """Return whether no rule puts two steps in order."""
        return bool(step and other) and frozenset((step, other)) not in self._ordered


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
    steps = prepared.game.all_acts
    for step in steps.values():
        # What is no event of another step depends on the neighbours of that step.
        related = _list_neighbours(step).union(*(_list_neighbours(steps[name]) for name in step.but))
        ordered |= {frozenset((step.name, name)) for name in related}
    late = prepared.game.settlement.late
    if late is not None:
        # A wager that crossed the announcement would be late, or not late any more.
        placing = {step.name for step in steps.values() if {*step.events} & {*steps[late].events}}
        ordered |= {frozenset((name, near)) for name in placing for near in _list_neighbours(steps[late])}
    return ordered


def _list_neighbours(step: Act) -> set[str]:
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
        self.house = house
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
        pots = house.game.pots
        self.uncalled = None if pots is None or is_reading_in_force(view.scope, pots.uncalled_apart) else pots.uncalled
        """Line whose uncalled bets may be awarded with the pots; None if there is none."""
        kinds = house.kind_of_decision.items()
        self.passive_decisions = {decision for decision, kind in kinds if kind in ("check", "fold")}
        repeated = [step for step in house.prepared.steps.values() if step.said_again]
        self.may_repeat_decisions = any(view.seats_where(step.when) for step in repeated)
        """True if the rules, as read, let players repeat a decision."""

    def divide(self, amount: int) -> tuple[int, int] | None:
        """Return two parts of an amount that chips can make; None if it is a single chip."""
        if amount <= self.chip:
            return None
        first = self.chip * self.rng.randint(1, (amount - 1) // self.chip)
        return first, amount - first


Motion = Callable[[MotionContext, round_records.SimulatedRound], bool]
"""Function that rewrites the events of a round once. It returns whether the motion fitted."""
_Rewrite = Callable[[round_records.SimulatedEvent], Sequence[round_records.SimulatedEvent] | None]


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


def _split_cards(event: round_records.SimulatedEvent) -> list[round_records.SimulatedEvent] | None:
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


def _owner_of(
    event: round_records.SimulatedEvent,
) -> tuple[str, str | None, round_records.SimulatedSeat | None, str | None]:
    return event.kind, event.place, event.seat, event.what


def _count_alike(events: Events, event: round_records.SimulatedEvent) -> int:
    """Return the number of events of the same kind about the same lot of cards."""
    return sum(_owner_of(other) == _owner_of(event) for other in events)


def take_up_cards_in_parts(context: MotionContext, round_: round_records.SimulatedRound) -> bool:
    """Collect a lot of cards in two motions, or card by card."""

    def rewrite(event: round_records.SimulatedEvent) -> list[round_records.SimulatedEvent] | None:
        single = _split_cards(event) if _count_alike(round_.events, event) == 1 else None
        if single is None or event.cards is None or context.rng.happens(500):
            return single
        cut = context.rng.randint(1, len(event.cards) - 1)
        return [replace(event, cards=event.cards[:cut]), replace(event, cards=event.cards[cut:])]

    return _rewrite_one(context, round_.events, ["collect-cards"], rewrite)


def show_card_by_card(context: MotionContext, round_: round_records.SimulatedRound) -> bool:
    """Show a hand one card after the other, where it is shown once."""
    return _rewrite_one(
        context,
        round_.events,
        ["reveal"],
        lambda event: _split_cards(event) if _count_alike(round_.events, event) == 1 else None,
    )


def show_again(context: MotionContext, round_: round_records.SimulatedRound) -> bool:
    """Show a hand a second time at once."""
    return _rewrite_one(context, round_.events, ["reveal"], lambda event: [event, replace(event)])


def exchange_card_by_card(context: MotionContext, round_: round_records.SimulatedRound) -> bool:
    """Discard several cards one after the other, or draw them so."""
    return context.against_house and _rewrite_one(
        context,
        round_.events,
        ["discard", "draw"],
        lambda event: None if event.place in ("deck", "burn") else _split_cards(event),
    )


def wager_in_parts(context: MotionContext, round_: round_records.SimulatedRound) -> bool:
    """Place a wager in two motions."""

    def rewrite(event: round_records.SimulatedEvent) -> list[round_records.SimulatedEvent] | None:
        parts = None if event.wager in context.single_chips else context.divide(event.amount or 0)
        return None if parts is None else [replace(event, amount=part) for part in parts]

    return context.against_house and _rewrite_one(context, round_.events, ["wager"], rewrite)


def take_back_before_the_deal(context: MotionContext, round_: round_records.SimulatedRound) -> bool:
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


def settle_in_parts(context: MotionContext, round_: round_records.SimulatedRound) -> bool:
    """Move an amount of chips in two motions."""

    def rewrite(event: round_records.SimulatedEvent) -> list[round_records.SimulatedEvent] | None:
        parts = None if event.wager in context.at_once else context.divide(event.amount or 0)
        return None if parts is None else [replace(event, amount=part) for part in parts]

    return _rewrite_one(context, round_.events, _CHIP_MOVEMENTS, rewrite)


def _find_untouched_stake(
    context: MotionContext, round_: round_records.SimulatedRound, event: round_records.SimulatedEvent
) -> int:
    """Return the stake that a payment is made on, if no other event settles it; otherwise 0."""
    if event.seat is None or event.wager is None or not context.against_house or event.wager in context.at_once:
        return 0
    others = (other for other in round_.events if other is not event and other.kind in _SETTLING)
    if any(_line_of(other) == _line_of(event) for other in others):
        return 0
    stake = _stake_of(event)
    return 0 if stake is None else stake.amount


def _line_of(event: round_records.SimulatedEvent) -> _Line:
    return event.seat, event.wager, event.tip, event.value


def _stake_of(event: round_records.SimulatedEvent) -> round_records.SimulatedStake | None:
    if event.seat is None or event.wager is None:
        return None
    return event.seat.stakes.get((event.wager, event.tip, event.value))


def take_by_mistake_and_put_back(context: MotionContext, round_: round_records.SimulatedRound) -> bool:
    """Take a winning stake by mistake, put it back, and pay it. At times the summary states all that was taken."""

    def rewrite(event: round_records.SimulatedEvent) -> list[round_records.SimulatedEvent] | None:
        stake, amount = _stake_of(event), _find_untouched_stake(context, round_, event)
        if not amount or stake is None:
            return None
        stake.taken = amount if context.rng.happens(500) else 0
        return [*(replace(event, kind=kind, amount=amount) for kind in ("collect", "return")), event]

    return _rewrite_one(context, round_.events, ["pay"], rewrite)


def return_winning_stake(context: MotionContext, round_: round_records.SimulatedRound) -> bool:
    """Record that the stake of a winner goes back to the player."""

    def rewrite(event: round_records.SimulatedEvent) -> list[round_records.SimulatedEvent] | None:
        stake, amount = _stake_of(event), _find_untouched_stake(context, round_, event)
        stays = stake is not None and leaves_stake(context.house, stake)
        return [event, replace(event, kind="return", amount=amount)] if amount and not stays else None

    return _rewrite_one(context, round_.events, ["pay"], rewrite)


def leave_push_in_place(context: MotionContext, round_: round_records.SimulatedRound) -> bool:
    """Leave out that a stake which pushes was given back: it never left its place."""
    return context.against_house and _rewrite_one(
        context, round_.events, ["return"], lambda event: [] if _find_untouched_stake(context, round_, event) else None
    )


def state_that_no_chips_went_in(context: MotionContext, round_: round_records.SimulatedRound) -> bool:
    """Record a check or a fold with an amount of 0, not without an amount."""
    return not context.against_house and _rewrite_one(
        context,
        round_.events,
        ["decide"],
        lambda event: [replace(event, amount=0)] if event.decision in context.passive_decisions else None,
    )


def _find_uncalled_return(
    context: MotionContext, round_: round_records.SimulatedRound
) -> round_records.SimulatedEvent | None:
    """Return the only return of a round, if it is that of an uncalled bet."""
    returned = [event for event in round_.events if event.kind == "return"]
    is_uncalled = len(returned) == 1 and context.uncalled is not None and returned[0].wager == context.uncalled
    return returned[0] if is_uncalled and not round_.is_dead else None


def return_uncalled_bet_last(context: MotionContext, round_: round_records.SimulatedRound) -> bool:
    """Return an uncalled bet after the pots are awarded."""
    returned = _find_uncalled_return(context, round_)
    last = max((at for at, event in enumerate(round_.events) if event.kind == "award"), default=0)
    if returned is None or not last:
        return False
    round_.events.insert(last + 1, replace(returned))
    round_.events.remove(returned)
    return True


def award_uncalled_bet(context: MotionContext, round_: round_records.SimulatedRound) -> bool:
    """Award an uncalled bet to its owner as a last side pot, or with the only pot: it is the same money."""
    events, returned = round_.events, _find_uncalled_return(context, round_)
    awards = [event for event in events if event.kind == "award"]
    if returned is None or not awards or returned.seat is None or returned.seat.won is None:
        return False
    if len(awards) == 1 and awards[0].seat is returned.seat:
        awards[0].amount = (awards[0].amount or 0) + (returned.amount or 0)
    else:
        side_pot = max(event.pot or 0 for event in awards) + 1
        events.insert(
            events.index(awards[0]), replace(awards[0], seat=returned.seat, pot=side_pot, amount=returned.amount)
        )
    returned.seat.won += returned.amount or 0
    events.remove(returned)
    return True


def say_again(context: MotionContext, round_: round_records.SimulatedRound) -> bool:
    """Repeat an announcement, a claim or a count at once, or a decision where the rules let players repeat it."""
    decisions = ["decide"] if context.may_repeat_decisions and context.against_house else []
    return _rewrite_one(context, round_.events, [*_WORDS, *decisions], lambda event: [event, replace(event)])


def shuffle_or_cut_again(context: MotionContext, round_: round_records.SimulatedRound) -> bool:
    """Shuffle or cut once more at once."""
    return _rewrite_one(context, round_.events, _DECK_ACTS, lambda event: [event, replace(event)])


def change_open_order(context: MotionContext, round_: round_records.SimulatedRound) -> bool:
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
    state_that_no_chips_went_in,
    return_uncalled_bet_last,
    award_uncalled_bet,
    say_again,
    shuffle_or_cut_again,
)
"""Motions that may follow each other in a round."""


_MOST_MOTIONS = 4
_STOPS = 150
"""Number of varied rounds in a thousand whose record stops."""
_OMISSIONS = 100
"""Number of varied rounds in a thousand whose log leaves out kinds of event."""
_MOST_OMITTED = 3
_MORE_MANNERS = 3
"""Times that players show words and chips more often, if all rounds are varied."""
_MOVES = 500
"""Number of varied rounds in a thousand that record who came and who left."""


def vary_house(house: SimulatedHouse, percent: int) -> SimulatedHouse:
    """Return a copy of a house with more irregularities, tips, words and motions of chips.

    A round against the house may have two irregularities.

    Args:
        house: the house.
        percent: percentage of rounds that are varied. About a third of those have an irregularity, and each miscount
            that the rules define is about as frequent as all others together.
    """
    simulation, chances, share = house.simulation, house.simulation.chances, percent * 10
    if not share:
        return house
    total = sum(mishap.chance for mishap in simulation.irregular_occurrences)
    occurrences = [
        mishap.model_copy(update={"chance": max(mishap.chance * share // (3 * total), mishap.chance)})
        if mishap.operator == "chance" and total
        else mishap
        for mishap in simulation.occurrences
    ]
    manners = [
        habit.model_copy(
            update={"chance": min(habit.chance + habit.chance * (_MORE_MANNERS - 1) * share // 1000, 1000)}
        )
        for habit in simulation.manners
    ]
    defined = [miscount.place for miscount in house.game.miscounts]
    # A round has many hands of players, and one of any other place.
    miscounts = {
        place: max(chances.miscounts.get(place, 0), share // (40 if place == "player" else 10)) for place in defined
    }
    more = {"tip": max(chances.tip, share // 2), "miscounts": {**chances.miscounts, **miscounts}}
    return replace(
        house,
        second_irregularity=share // 2 if house.game.betting is None else 0,
        simulation=simulation.model_copy(
            update={
                "chances": chances.model_copy(update=more),
                "occurrences": occurrences,
                "manners": manners,
            }
        ),
    )


class RecordVariety:
    """Variety of the records of a run, from batch to batch."""

    def __init__(self, house: SimulatedHouse, percent: int) -> None:
        self._house, self._share = house, percent * 10
        self._order = OpenOrder(house.prepared)
        self._seated = dict[int, dict[int, int]]()

    def vary(self, view: RoundView, rng: RandomStream) -> Batch:
        """Vary a share of the rounds of a batch, and return them as they are recorded.

        Rounds with a planted fault stay as they are.
        """
        self._order.read_steps(view)
        context = MotionContext(view, self._order, rng)
        for round_ in view.rounds:
            is_varied = rng.happens(self._share)
            if is_varied and not round_.planted:
                self._vary_round(round_, context, rng)
            served = (seat for seat in round_.seats if _is_served(seat) and seat.split_of is None)
            self._seated[round_.table] = {seat.number: seat.player for seat in served}
        return RoundView(self._house, view.rounds, events=True).scope.batch

    def _vary_round(self, round_: round_records.SimulatedRound, context: MotionContext, rng: RandomStream) -> None:
        if context.against_house and rng.happens(500):
            change_open_order(context, round_)
        for motion in rng.choices(MOTIONS, k=rng.randint(1, _MOST_MOTIONS)):
            motion(context, round_)
        if self._house.game.betting is None and rng.happens(_MOVES):
            self._record_moves(round_)
        if rng.happens(_STOPS):
            stop_record(self._house, round_, rng.randint(0, len(round_.events)))
        if rng.happens(_OMISSIONS):
            leave_kinds_out(round_, rng)

    def _record_moves(self, round_: round_records.SimulatedRound) -> None:
        """Record the players who came since the previous round, then those who left: the table is never empty."""
        before = self._seated.get(round_.table)
        if before is None:
            return
        here = {seat.number: seat for seat in round_.seats if seat.split_of is None}
        came = [
            round_records.SimulatedEvent("arrive", seat=seat) for number, seat in here.items() if number not in before
        ]
        gone = [
            round_records.SimulatedSeat(number=number, player=player)
            for number, player in before.items()
            if number not in here
        ]
        round_.seats = sorted([*round_.seats, *gone], key=lambda seat: seat.number)
        round_.events[:0] = [*came, *(round_records.SimulatedEvent("leave", seat=seat) for seat in gone)]


def leave_kinds_out(round_: round_records.SimulatedRound, rng: RandomStream) -> None:
    """Leave some kinds of event out of the record of a round, or kinds at a place, and state them as unrecorded."""
    kinds = {event.kind for event in round_.events} | {f"{event.kind}/{event.place}" for event in round_.events}
    names = [name for name in KIND_NAMES if name in kinds]
    round_.unrecorded = {*rng.choices(names, k=rng.randint(1, _MOST_OMITTED))} if names else set()
    # Nothing else records what was put back, so the summary states what the house kept.
    put_back = Counter[_Line]()
    for event in round_.events if "return" in round_.unrecorded else ():
        stake = _stake_of(event) if event.kind == "return" else None
        if stake is not None:
            put_back[_line_of(event)] += event.amount or 0
            stake.taken = max(min(stake.taken, stake.amount - put_back[_line_of(event)]), 0)
    round_.events = [
        event for event in round_.events if round_.unrecorded.isdisjoint((event.kind, f"{event.kind}/{event.place}"))
    ]


def _is_served(seat: round_records.SimulatedSeat) -> bool:
    return seat.hand.cards is not None or bool(seat.stakes)


def stop_record(house: SimulatedHouse, round_: round_records.SimulatedRound, count: int) -> None:
    """Let the record of a round stop after its first events: its summary states what they have shown."""
    events = round_.events[:count]
    round_.events, round_.is_complete, round_.meters = events, False, {}
    shown = {event.what for event in events if event.kind == "outcome"}
    round_.outcomes = {name: value for name, value in round_.outcomes.items() if name in shown}
    of_seat = defaultdict[round_records.SimulatedSeat | None, list[round_records.SimulatedEvent]](list)
    for event in events:
        of_seat[event.seat].append(event)
    for place in ("dealer", "community"):
        hand = round_.dealer if place == "dealer" else round_.community
        _stop_hand(hand, [event for event in of_seat[None] if event.place == place])
    lying = {seat for seat in round_.seats if any(stake.brought for stake in seat.stakes.values())}
    shown_seats = {*of_seat, *lying}
    round_.seats = [seat for seat in round_.seats if {seat, seat.split_of or seat} <= shown_seats]
    for seat in round_.seats:
        _stop_seat(house, seat, of_seat[seat])


def _stop_hand(hand: round_records.SimulatedHand, events: Sequence[round_records.SimulatedEvent]) -> None:
    """Limit a hand to the cards that events have dealt, discarded and drawn."""
    for kind, field in (("deal", "cards"), ("discard", "discarded"), ("draw", "drawn")):
        cards = [card for event in events if event.kind == kind for card in event.cards or ()]
        if getattr(hand, field) is not None:
            setattr(hand, field, cards or None)


def _stop_seat(
    house: SimulatedHouse, seat: round_records.SimulatedSeat, events: Sequence[round_records.SimulatedEvent]
) -> None:
    """Limit a seat to what its events have shown. Nothing is known of the outcome."""
    _stop_hand(seat.hand, events)
    seat.stack_after = seat.won = None
    decisions = [event.decision for event in events if event.kind == "decide"]
    if house.game.betting is None:
        seat.decisions = [decision for decision in decisions if decision is not None]
    line = None if house.game.betting is None else house.game.betting.wager
    placed = defaultdict[round_records.StakeName, int](int)
    for event in events:
        if event.kind in ("wager", "withdraw") and event.wager is not None:
            placed[event.wager, event.tip, event.value] += (event.amount or 0) * (1 if event.kind == "wager" else -1)
        elif event.kind == "decide" and line is not None:
            placed[line, False, None] += event.amount or 0
    for key, stake in seat.stakes.items():
        stake.amount = stake.brought + placed[key]
    seat.stakes = {key: stake for key, stake in seat.stakes.items() if stake.amount}
    claimed = {event.wager for event in events if event.kind == "claim"}
    seat.claims = {name: True for name in seat.claims if name in claimed}
