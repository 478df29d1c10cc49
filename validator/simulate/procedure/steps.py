"""The events of a round, told step by step from the procedure of the game."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import groupby
from operator import attrgetter

from msgspec.structs import replace

from validator.cards.ranking import CompiledRanking
from validator.engine.cards.ranked_hands import strength as strength_of
from validator.evidence.columns.batch import Batch
from validator.language.grains import Grain
from validator.rulebook.lint.simulated_kinds import ANYWHERE, AT_PLACE, AT_SEAT, AT_STAKE, CHIPS, EXCHANGES, STATING
from validator.rules.model.game import Step
from validator.simulate.procedure.card_events import record_deal, record_exchange, record_words
from validator.simulate.procedure.occurrences import place_mishaps
from validator.simulate.procedure.step_context import Outcomes, RoundEvents, StepContext, has, side_of, stage_of
from validator.simulate.table.chance import Luck
from validator.simulate.table.columns import amounts_of
from validator.simulate.table.house import House, place_of
from validator.simulate.table.records import Cards, Ending, Event, Round, Seat
from validator.simulate.table.view import View

_order_of = attrgetter("order")
_DETAILS = 8
"""Details of one stake's events."""


def record(house: House, rounds: list[Round], rng: Luck, *, view: View | None = None) -> None:
    """All events of the rounds, every step of the procedure in its place and every outcome told once. `view` has the
    rounds without events, if they were opened as they are now before."""
    for round_, events in _told(view or View(house, rounds), _turns(house)).items():
        mishaps = place_mishaps(house, round_, events, rng) if round_.mishaps else []
        round_.events = sorted([*events, *mishaps], key=_order_of)


def events_of_step(house: House, rounds: Sequence[Round], step: Step) -> dict[Round, list[Event]]:
    """The events of one step as if it happened everywhere, whatever its `when` asks for."""
    found = _told(View(house, rounds), [[step]], everywhere=True)
    return {round_: sorted(events, key=_order_of) for round_, events in found.items()}


def _told(view: View, turns: list[list[Step]], *, everywhere: bool = False) -> dict[Round, list[Event]]:
    house, outcomes, number = view.house, _outcomes(view.rounds), 0
    found: dict[Round, list[Event]] = {round_: [] for round_ in view.rounds}
    for steps in turns:
        rank = view.ranks(side_of(house, steps))
        for turn, step in enumerate(steps):
            context = StepContext(
                view=view, step=step, number=number, turn=turn, rank=rank, outcomes=outcomes, everywhere=everywhere
            )
            for kind in step.events:
                if context.is_settled(kind):
                    _tell_once(context, kind, found)
                    continue
                for round_, event in _events(context, kind):
                    found[round_].append(event)
        number += 2 * len(steps)  # acts of betting come in between
    return found


def _tell_once(context: StepContext, kind: str, found: dict[Round, list[Event]]) -> None:
    """Add the events of a kind, as they were told before if they were."""
    key = (context.number, context.turn, kind)
    if any(key not in round_.settled for round_ in context.view.rounds):
        for round_ in context.view.rounds:
            round_.settled[key] = []
        for round_, event in _events(context, kind):
            round_.settled[key].append(event)
    for round_ in context.view.rounds:
        found[round_] += round_.settled[key]


def _turns(house: House) -> list[list[Step]]:
    """The steps of the course, those together that are gone through seat by seat."""
    return [
        part
        for turn, steps in groupby(house.course, key=lambda step: step.turn)
        for part in ([[*steps]] if turn is not None else [[step] for step in steps])
    ]


def _outcomes(rounds: Sequence[Round]) -> Outcomes:
    found: Outcomes = defaultdict(dict)
    for seat in [seat for round_ in rounds for seat in round_.seats]:
        for (name, tip), stake in seat.stakes.items():
            given_back = stake.amount if not stake.paid and not stake.taken else 0
            outcome = (("wager", stake.amount), ("pay", stake.paid), ("collect", stake.taken), ("return", given_back))
            for kind, amount in outcome:
                if amount:
                    found[kind, name][seat, tip] = amount
    return found


def _events(context: StepContext, kind: str) -> RoundEvents:
    if kind == "decide" and (stage := stage_of(context.house, context.step)) is not None:
        return record_words(context, stage)
    told = _TOLD if context.house.game.pots is None else _TOLD | _AMONG_PLAYERS
    return told.get(kind, _plain)(context, kind)


def _stakes(context: StepContext, kind: str) -> RoundEvents:
    """An event for every stake (or bonus) of the step's lines that has not been told."""
    step, seats = context.step, {*context.seats()}
    means = context.habit.in_ if kind == "wager" else None
    forced = kind == "wager" and context.house.game.betting is not None
    among = [str(name) for name in step.events].index(kind)
    for position, name in enumerate(step.of or context.house.game.settlement.order):
        left = context.outcomes[kind, name]
        for seat, tip in [stake for stake in left if stake[0] in seats]:
            detail = position * _DETAILS + tip * _DETAILS // 2 + among
            fields = {"means": means, "wager": name, "tip": tip, "amount": left.pop((seat, tip))}
            one, event = context.told(kind, seat, detail, **fields)
            if forced:
                # What is forced is put in wager by wager, not seat by seat.
                event.order = (context.number, position, context.turn, context.rank[seat])
            yield one, event


def _at_place(context: StepContext, kind: str) -> RoundEvents:
    """An event at a place: of every seat where the place is the player's, else of the round."""
    step, view, place = context.step, context.view, place_of(context.step) or "table"
    every: Sequence[Seat | Round] = view.seats if place == "player" else view.rounds
    cards = dict[Seat | Round, Cards | None]()
    if kind != "misdeal" and step.what is None:  # where it is about some lot of cards that has a name, none are shown
        shown = shown_at(view, place, held=context.exchanged)
        cards = dict(zip(every, shown, strict=True))
    what = step.what if kind == "collect-cards" else None
    for owner in context.seats() if place == "player" else context.rounds():
        yield context.told(kind, owner, place=place, what=what, cards=cards.get(owner))


def shown_at(view: View, place: str, *, held: bool) -> list[Cards | None]:
    """The cards of a place (of all seats for `player`, else of all rounds), as they were dealt or as it holds them
    after exchanging some; in the order its ranking gives them where they are a whole hand of that place alone."""
    if place not in ("player", "dealer", "community"):
        return [[] for _ in view.rounds]
    hands = [hand for round_ in view.rounds for hand in round_.hands_at(place)]  # type: ignore[arg-type]
    found = [hand.held if held else [*(hand.cards or [])] for hand in hands]
    for name, hand in view.house.prepared.hands.items():
        ranking = hand.ranking
        if not isinstance(ranking, CompiledRanking) or hand.places != (place,) or (hand.cards == "held") != held:
            continue
        if hand.sizes == (ranking.size,):
            for cards, strength in zip(found, strength_of(view.scope, name).tolist(), strict=True):
                if strength >= 0:
                    layout = ranking.arrangement(strength)
                    # The first place of each card's rank in the layout, then the code, tell the cards' order.
                    cards.sort(key=lambda card: (layout.index(card >> 2), -card))
            break
    return [*found]


def _acts(context: StepContext, kind: str) -> RoundEvents:
    """Every act in its betting round, what its seat shows of it ahead, and the cards of who folds right after it."""
    house = context.house
    # Acts of a betting round follow the step that begins it.
    steps, rounds = [step.step for step in house.course], house.prepared.betting.rounds
    begins = [context.number if round_.after is None else 2 * steps.index(round_.after) + 1 for round_ in rounds]
    for round_ in context.view.rounds:
        for turn, act in enumerate(round_.acts):
            events = [*act.shown, Event("decide", seat=act.seat, decision=act.decision, amount=act.amount or None)]
            if house.kinds.get(act.decision) == "fold":
                events.append(Event("collect-cards", seat=act.seat, place="player"))
            for detail, event in enumerate(events):
                event.order = (begins[act.street], turn, 0, detail)
                yield round_, event


def _showdown(context: StepContext, kind: str) -> RoundEvents:
    """The hands that are shown at the end, and the words of who concedes."""
    for round_, ending in _ended(context):
        for seat in round_.seats:
            order = (context.number, ending.rank[seat], context.turn, 0)
            if seat in ending.shows:
                yield round_, Event("reveal", order, seat, "player", cards=seat.held)
            elif seat in ending.concedes:
                yield round_, Event("decide", order, seat, decision=context.house.words["concede"])


def _ended(context: StepContext) -> list[tuple[Round, Ending]]:
    """The rounds that have come to their end between players."""
    return [(round_, round_.ending) for round_ in context.view.rounds if round_.ending is not None]


def _collections(context: StepContext, kind: str) -> RoundEvents:
    """The cards of the step's seats, once it is settled to whom a share of the pots is due."""
    side, collecting = context.step.of_seats, {*context.seats()}
    for round_, ending in _ended(context):
        for seat in round_.seats if ending.divided else ():
            sided = side is None or (seat in ending.winning) == (side == "winning")
            if seat in collecting and sided and (context.everywhere or not seat.folded):
                yield context.told(kind, seat, place="player")


def _amounts(context: StepContext, kind: str) -> RoundEvents:
    """What is raked, what goes back, and awards of the step's pots, the outermost pot first."""
    side = context.step.pot
    for round_, ending in _ended(context):
        if kind in ("rake", "drop") and ending.rake > 0:
            yield context.told(kind, round_, amount=ending.rake)
        for seat, name, amount in ending.returned if kind == "return" else ():
            yield context.told(kind, seat, wager=name, amount=amount)
        for seat, pot, amount in ending.awards if kind == "award" else ():
            if side is None or (pot > 0) == (side == "side"):
                yield round_, Event(kind, (context.number, -pot, context.rank[seat], 0), seat, pot=pot, amount=amount)


def _decisions(context: StepContext, kind: str) -> RoundEvents:
    """What every seat decided that did."""
    return (context.told(kind, seat, decision=seat.decision) for seat in context.seats() if seat.decision)


def _on_wagers(context: StepContext, kind: str) -> RoundEvents:
    """Cards tucked under each of the step's wagers that a seat has placed itself, or wins declared on them."""
    house, seats = context.house, context.seats()
    for position, name in enumerate(context.step.of or (house.claimable if kind == "claim" else ())):
        for seat in seats:
            if seat.claims.get(name) if kind == "claim" else seat.on(name):
                yield context.told(kind, seat, position, wager=name)


def _plain(context: StepContext, kind: str) -> RoundEvents:
    """An event of every seat that the step is about, or of the round as a whole. What a player buys, or takes off the
    table, is the least there is where nothing else says how much."""
    step, by = context.step, context.by if has(kind, "by") else None
    by = "dealer" if by is None and kind in ("shuffle", "cut") else by
    stacks = context.house.simulation.stacks
    least = context.house.wager_unit if stacks is None else stacks.least
    of_seats = kind in AT_SEAT or (kind in ANYWHERE and step.each != "round")
    for owner in context.seats() if of_seats else context.rounds():
        face, amount = step.face if kind == "deck" else None, least if kind in CHIPS else None
        yield context.told(kind, owner, by=by, what=step.what, face=face, amount=amount)


_TOLD: dict[str, Callable[[StepContext, str], RoundEvents]] = {
    **dict.fromkeys(AT_STAKE, _stakes),
    **dict.fromkeys(AT_PLACE, _at_place),
    **dict.fromkeys(EXCHANGES, record_exchange),
    **dict.fromkeys(("tuck", "claim"), _on_wagers),
    "deal": record_deal,
    "decide": _decisions,
}
"""What tells events of a kind, where not all are told alike."""
_AMONG_PLAYERS = {
    **dict.fromkeys(("return", "rake", "award", "drop"), _amounts),
    "decide": _acts,
    "reveal": _showdown,
    "collect-cards": _collections,
}
"""What tells them in another way where players play against each other."""


def with_numbers_stated(view: View) -> Batch:
    """Return rounds, opened with all their events, as a batch in which the events of steps state their numbers.

    What an event states already stays. What is not known is not stated, or stated as nothing where the kind of event
    always has a number.
    """
    house = view.house
    stating = [(name, habit.states) for name, habit in house.simulation.steps.items() if habit.states is not None]
    for name, states in stating:
        step = house.prepared.steps[name]
        grain: Grain = "round" if step.each == "round" else "seat"
        owners: Sequence[Round | Seat] = view.rounds if grain == "round" else view.seats
        value = dict[Round | Seat | None, int | None](zip(owners, view.numbers(states, grain), strict=True))
        least = 0 if STATING.issuperset(step.events) else None
        for round_, events in view.of_step(name).items():
            for event in events:
                number = value[round_ if grain == "round" else event.seat]
                if event.amount is None:
                    event.amount = least if number is None else number
    batch = view.scope.batch
    return replace(batch, events=replace(batch.events, amount=amounts_of(view.events)))
