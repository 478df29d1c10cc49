"""Rounds as those of a table that opens, goes on and closes: their numbers, their decks, what is done now and then."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from validator.rules.simulation.simulation import Occasion, Session
from validator.simulate.procedure.step_context import event_of
from validator.simulate.procedure.steps import state_numbers
from validator.simulate.table.house import House
from validator.simulate.table.records import Round, beside
from validator.simulate.table.view import View

_HOUR = 3600

Happening = dict[tuple[int, str], set[Round]]
"""For each occasion, by its number, and each of its steps the rounds in which it is taken."""


class Before:
    """What held in the last round of each track (a table, or a deck of one), from batch to batch, for every purpose it
    is asked for."""

    def __init__(self) -> None:
        self._last: dict[tuple[object, object], tuple[bool, int]] = {}

    def __call__(
        self, purpose: object, held: set[Round], rounds: Sequence[Round], track: Callable[[Round], object]
    ) -> set[Round]:
        """The rounds where it held in the round before of the same track since the table opened. To be asked once a
        batch."""
        found = set()
        for one in rounds:
            key = (purpose, track(one))
            before, number = self._last.get(key, (False, 0))
            if before and number < (one.count or 0):
                found.add(one)
            self._last[key] = one in held, one.count or 0
        return found


def number_rounds(house: House, session: Session, rounds: list[Round]) -> None:
    """The numbers of the rounds and the decks in play, by their places in the log, where tables take turns."""
    for one in rounds:
        before = (one.line - 1) // len(house.tables)
        one.count = (before % session.rounds if session.rounds else before) + 1
        one.in_play = (one.count - 1) % len(house.decks) if house.decks else None


def occasions_in(view: View, session: Session, before: Before) -> Happening:
    """When the steps of all occasions are taken: not where a mishap has seen to it."""
    house, rounds, found = view.house, view.rounds, Happening()
    for index, occasion in enumerate(session.occasions):
        if occasion.operator == "following":
            held = view.rounds_where(occasion.operand)
            taken = before(("occasion", index), held, rounds, lambda one: one.table)
        else:
            taken = {one for one in rounds if _is_occasion(house, occasion, one.count or 0)}
        for step in occasion.steps:
            found[index, step] = (taken & usual_rounds(view, step)) - rounds_with_mishap(view, step)
    return found


def rounds_with_mishap(view: View, step: str) -> set[Round]:
    """The rounds that have a step by mishap, before anything is told between rounds."""
    by_mishap = any(one.step == step for one in view.house.simulation.mishaps)
    return {*view.of_step(step)} if by_mishap else set()


def usual_rounds(view: View, step: str) -> set[Round]:
    """The rounds in which the house does a step, if there is an occasion for it."""
    return view.rounds_where(view.house.habit(view.house.prepared.steps[step]).when)


def _is_occasion(house: House, occasion: Occasion, number: int) -> bool:
    """Whether there is an occasion in the round of a number."""
    match occasion.operator:
        case "opening":
            return number == 1
        case "rounds":
            return bool(number % occasion.operand == 0)
        case _:
            seconds, span = house.simulation.seconds, occasion.operand * _HOUR
            elapsed = (number - 1) * seconds
            return bool(number > 1 and elapsed // span > (elapsed - seconds) // span)


def record_between(view: View, session: Session, taken: Happening) -> None:
    """The events of all occasions, and the numbers that these state."""
    told = set[str]()
    for index, occasion in enumerate(session.occasions):
        anchor = occasion.before or occasion.after
        if anchor in told:
            view, told = View(view.house, view.rounds, events=True), set()
        _record(view, occasion, anchor, {step: taken[index, step] for step in occasion.steps})
        told.update(occasion.steps)
    _name_other_decks(view.house, view.rounds)
    state_numbers(view.house, view.rounds)


def _name_other_decks(house: House, rounds: Sequence[Round]) -> None:
    """What is done with the deck that comes next in turn names that one."""
    steps = [name for name, habit in house.simulation.steps.items() if habit.deck == "other"]
    if len(house.decks) > 1 and steps:
        view = View(house, rounds, events=True)
        for one, events in (found for name in steps for found in view.of_step(name).items()):
            for event in events:
                if event.deck is None and one.in_play is not None:
                    event.deck = house.decks[(one.in_play + 1) % len(house.decks)]


def _record(view: View, occasion: Occasion, anchor: str | None, taken: dict[str, set[Round]]) -> None:
    """The events of an occasion, before all else unless they come beside a step, which stands in the view."""
    house, decks = view.house, list[str | None]([None])
    if occasion.of_each == "deck" and house.decks:
        decks = [*house.decks]
    anchors = {} if anchor is None else view.of_step(anchor)
    for one in view.rounds:
        steps = [house.prepared.steps[name] for name, of_step in taken.items() if one in of_step]
        place = (
            beside(one.events, anchors.get(one, []), after=bool(occasion.after)) if steps and anchor is not None else 0
        )
        if steps and place is not None:
            one.events[place:place] = [event_of(house, step, deck=deck) for deck in decks for step in steps]
