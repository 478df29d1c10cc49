"""Events of simulated rounds, recorded step by step from the procedure of the game."""

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
"""Number of details for the events of one stake."""


def record(house: House, rounds: list[Round], rng: Luck, *, view: View | None = None) -> None:
    """Record all events of the rounds: every step of the procedure in its place, and every outcome once.

    Args:
        house: the house.
        rounds: the rounds.
        rng: source of random numbers.
        view: view of the rounds without events, if there is one already.
    """
    for round_, events in _record_steps(view or View(house, rounds), _group_turns(house)).items():
        mishaps = place_mishaps(house, round_, events, rng) if round_.mishaps else []
        round_.events = sorted([*events, *mishaps], key=_order_of)


def events_of_step(house: House, rounds: Sequence[Round], step: Step) -> dict[Round, list[Event]]:
    """Return the events of one step as if it happened everywhere, whatever its condition."""
    events_by_round = _record_steps(View(house, rounds), [[step]], everywhere=True)
    return {round_: sorted(events, key=_order_of) for round_, events in events_by_round.items()}


def _record_steps(view: View, turns: list[list[Step]], *, everywhere: bool = False) -> dict[Round, list[Event]]:
    house, outcomes, number = view.house, _collect_outcomes(view.rounds), 0
    events_by_round: dict[Round, list[Event]] = {round_: [] for round_ in view.rounds}
    for steps in turns:
        rank = view.ranks(side_of(house, steps))
        for turn, step in enumerate(steps):
            context = StepContext(
                view=view, step=step, number=number, turn=turn, rank=rank, outcomes=outcomes, everywhere=everywhere
            )
            for kind in step.events:
                if context.is_settled(kind):
                    _record_once(context, kind, events_by_round)
                    continue
                for round_, event in _make_events(context, kind):
                    events_by_round[round_].append(event)
        number += 2 * len(steps)  # leave a number for acts of betting
    return events_by_round


def _record_once(context: StepContext, kind: str, events_by_round: dict[Round, list[Event]]) -> None:
    """Add the events of a kind, recorded now or earlier."""
    key = (context.number, context.turn, kind)
    if any(key not in round_.settled for round_ in context.view.rounds):
        for round_ in context.view.rounds:
            round_.settled[key] = []
        for round_, event in _make_events(context, kind):
            round_.settled[key].append(event)
    for round_ in context.view.rounds:
        events_by_round[round_] += round_.settled[key]


def _group_turns(house: House) -> list[list[Step]]:
    """Return the steps of a round in groups; the steps of a group are done seat by seat."""
    return [
        part
        for turn, steps in groupby(house.course, key=lambda step: step.turn)
        for part in ([[*steps]] if turn is not None else [[step] for step in steps])
    ]


def _collect_outcomes(rounds: Sequence[Round]) -> Outcomes:
    outcomes: Outcomes = defaultdict(dict)
    for seat in [seat for round_ in rounds for seat in round_.seats]:
        for (name, tip), stake in seat.stakes.items():
            given_back = stake.amount if not stake.paid and not stake.taken else 0
            outcome = (("wager", stake.amount), ("pay", stake.paid), ("collect", stake.taken), ("return", given_back))
            for kind, amount in outcome:
                if amount:
                    outcomes[kind, name][seat, tip] = amount
    return outcomes


def _make_events(context: StepContext, kind: str) -> RoundEvents:
    if kind == "decide" and (stage := stage_of(context.house, context.step)) is not None:
        return record_words(context, stage)
    recorders = _RECORDERS if context.house.game.pots is None else _RECORDERS | _PLAYER_GAME_RECORDERS
    return recorders.get(kind, _record_plain)(context, kind)


def _record_stakes(context: StepContext, kind: str) -> RoundEvents:
    """Yield an event for every stake or bonus of the step's lines that has none yet."""
    step, seats = context.step, {*context.seats()}
    means = context.habit.in_ if kind == "wager" else None
    forced = kind == "wager" and context.house.game.betting is not None
    kind_index = [str(name) for name in step.events].index(kind)
    for position, name in enumerate(step.of or context.house.game.settlement.order):
        left = context.outcomes[kind, name]
        for seat, tip in [stake for stake in left if stake[0] in seats]:
            detail = position * _DETAILS + tip * _DETAILS // 2 + kind_index
            fields = {"means": means, "wager": name, "tip": tip, "amount": left.pop((seat, tip))}
            round_, event = context.told(kind, seat, detail, **fields)
            if forced:
                # Forced bets are put in wager by wager, not seat by seat.
                event.order = (context.number, position, context.turn, context.rank[seat])
            yield round_, event


def _record_at_place(context: StepContext, kind: str) -> RoundEvents:
    """Yield an event at a place: for every seat if it is the player's, otherwise for the round."""
    step, view, place = context.step, context.view, place_of(context.step) or "table"
    every: Sequence[Seat | Round] = view.seats if place == "player" else view.rounds
    cards = dict[Seat | Round, Cards | None]()
    if kind != "misdeal" and step.what is None:  # a named lot of cards shows none
        shown = shown_at(view, place, held=context.exchanged)
        cards = dict(zip(every, shown, strict=True))
    what = step.what if kind == "collect-cards" else None
    for owner in context.seats() if place == "player" else context.rounds():
        yield context.told(kind, owner, place=place, what=what, cards=cards.get(owner))


def shown_at(view: View, place: str, *, held: bool) -> list[Cards | None]:
    """Return the cards of a place, by seat or by round.

    A whole hand of that place alone is in the order of its ranking.

    Args:
        view: the rounds.
        place: the place.
        held: whether to return the cards after exchanges; otherwise those that were dealt.
    """
    if place not in ("player", "dealer", "community"):
        return [[] for _ in view.rounds]
    hands = [hand for round_ in view.rounds for hand in round_.hands_at(place)]  # type: ignore[arg-type]
    cards_of_hands = [hand.held if held else [*(hand.cards or [])] for hand in hands]
    for name, hand in view.house.prepared.hands.items():
        ranking = hand.ranking
        if not isinstance(ranking, CompiledRanking) or hand.places != (place,) or (hand.cards == "held") != held:
            continue
        if hand.sizes == (ranking.size,):
            for cards, strength in zip(cards_of_hands, strength_of(view.scope, name).tolist(), strict=True):
                if strength >= 0:
                    layout = ranking.arrangement(strength)
                    # Sort by the first index of each rank in the layout, then by code.
                    cards.sort(key=lambda card: (layout.index(card >> 2), -card))
            break
    return [*cards_of_hands]


def _record_acts(context: StepContext, kind: str) -> RoundEvents:
    """Yield every act in its betting round, after what the seat shows of it, and before the cards of a fold."""
    house = context.house
    # Acts of a betting round follow its first step.
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


def _record_showdown(context: StepContext, kind: str) -> RoundEvents:
    """Yield the hands that are shown at the end, and the declarations of seats that concede."""
    for round_, ending in _list_endings(context):
        for seat in round_.seats:
            order = (context.number, ending.rank[seat], context.turn, 0)
            if seat in ending.shows:
                yield round_, Event("reveal", order, seat, "player", cards=seat.held)
            elif seat in ending.concedes:
                yield round_, Event("decide", order, seat, decision=context.house.words["concede"])


def _list_endings(context: StepContext) -> list[tuple[Round, Ending]]:
    """Return the rounds that have ended between players."""
    return [(round_, round_.ending) for round_ in context.view.rounds if round_.ending is not None]


def _record_collections(context: StepContext, kind: str) -> RoundEvents:
    """Yield the collected cards of the step's seats, once the winners of the pots are known."""
    side, collecting = context.step.of_seats, {*context.seats()}
    for round_, ending in _list_endings(context):
        for seat in round_.seats if ending.divided else ():
            sided = side is None or (seat in ending.winning) == (side == "winning")
            if seat in collecting and sided and (context.everywhere or not seat.folded):
                yield context.told(kind, seat, place="player")


def _record_amounts(context: StepContext, kind: str) -> RoundEvents:
    """Yield the rake, the returned bets, and the awards of the step's pots, the last side pot first."""
    side = context.step.pot
    for round_, ending in _list_endings(context):
        if kind in ("rake", "drop") and ending.rake > 0:
            yield context.told(kind, round_, amount=ending.rake)
        for seat, name, amount in ending.returned if kind == "return" else ():
            yield context.told(kind, seat, wager=name, amount=amount)
        for seat, pot, amount in ending.awards if kind == "award" else ():
            if side is None or (pot > 0) == (side == "side"):
                yield round_, Event(kind, (context.number, -pot, context.rank[seat], 0), seat, pot=pot, amount=amount)


def _record_decisions(context: StepContext, kind: str) -> RoundEvents:
    """Yield the decision of every seat that made one."""
    return (context.told(kind, seat, decision=seat.decision) for seat in context.seats() if seat.decision)


def _record_on_wagers(context: StepContext, kind: str) -> RoundEvents:
    """Yield cards tucked under the step's wagers, or wins claimed on them."""
    house, seats = context.house, context.seats()
    for position, name in enumerate(context.step.of or (house.claimable if kind == "claim" else ())):
        for seat in seats:
            if seat.claims.get(name) if kind == "claim" else seat.on(name):
                yield context.told(kind, seat, position, wager=name)


def _record_plain(context: StepContext, kind: str) -> RoundEvents:
    """Yield an event of every seat of the step, or of the round.

    Chips that a player buys or takes off the table are the smallest amount, where nothing else states it.
    """
    step, by = context.step, context.by if has(kind, "by") else None
    by = "dealer" if by is None and kind in ("shuffle", "cut") else by
    stacks = context.house.simulation.stacks
    least = context.house.wager_unit if stacks is None else stacks.least
    of_seats = kind in AT_SEAT or (kind in ANYWHERE and step.each != "round")
    for owner in context.seats() if of_seats else context.rounds():
        face, amount = step.face if kind == "deck" else None, least if kind in CHIPS else None
        yield context.told(kind, owner, by=by, what=step.what, face=face, amount=amount)


_RECORDERS: dict[str, Callable[[StepContext, str], RoundEvents]] = {
    **dict.fromkeys(AT_STAKE, _record_stakes),
    **dict.fromkeys(AT_PLACE, _record_at_place),
    **dict.fromkeys(EXCHANGES, record_exchange),
    **dict.fromkeys(("tuck", "claim"), _record_on_wagers),
    "deal": record_deal,
    "decide": _record_decisions,
}
"""Functions that record events of a kind; other kinds use `_record_plain`."""
_PLAYER_GAME_RECORDERS = {
    **dict.fromkeys(("return", "rake", "award", "drop"), _record_amounts),
    "decide": _record_acts,
    "reveal": _record_showdown,
    "collect-cards": _record_collections,
}
"""Functions that replace some of them in games between players."""


def with_numbers_stated(view: View) -> Batch:
    """Return rounds as a batch in which the events of steps state their numbers.

    A number that an event already states is kept. An unknown number is left out, or is 0 if the kind of event always
    has one.
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
