"""Order of events that the rules leave open: neighbouring events that no course and no requirement puts in order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

from pydantic import BaseModel

from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.timeline.step_events import possible_events
from fairdeal.validator.language.name_references import iterate_references
from fairdeal.validator.rules.game_model import Step
from fairdeal.validator.simulate.round_records import SimulatedEvent
from fairdeal.validator.simulate.round_view import RoundView

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
