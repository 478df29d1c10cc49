"""Decision points of a regular round: what players decide, and which cards they see then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.rules.check_model import RoundCheck
from fairdeal.validator.rules.deal_model import Stage
from fairdeal.validator.rules.game_model import Act, Game


class UnclearRound(Exception):
    """Error for rules that leave open what players decide, or which cards they see. Its message states the reason."""


_OTHERS: tuple[Place, ...] = ("dealer", "community")
"""Places whose cards a player sees only face up."""


class DecisionPoint(Struct, frozen=True, kw_only=True):
    """Point of the round at which a seat takes one of several decisions."""

    steps: tuple[Act, ...]
    """Steps that record the decision; none if the game has no act for it."""
    decisions: tuple[str, ...]
    """Decisions of these steps, in the order of the game."""
    seen: Mapping[Place, int]
    """Number of cards of each place that the player sees; places with none are left out."""

    @property
    def title(self) -> str:
        """Return the title of the point."""
        return " or ".join(step.title for step in self.steps)


class TurnedCards(NamedTuple):
    """Cards of a place that an act turns up, among those dealt to the place."""

    first: int
    number: int


def list_decision_points(prepared: CompiledGame) -> tuple[DecisionPoint, ...]:
    """Return the decision points of a regular round, in order of play. Raises `UnclearRound`."""
    game = prepared.game
    if not game.decisions:
        return ()
    if game.betting is not None or not any("decide" in step.events for step in _list_regular_acts(game)):
        return (build_single_point(game),)
    return _follow_round(prepared)[0]


def build_single_point(game: Game) -> DecisionPoint:
    """Return a point with all decisions of a game, at which a player sees the own cards."""
    own = game.deal.cards.get("player", 0)
    return DecisionPoint(steps=(), decisions=tuple(game.decisions), seen={"player": own} if own else {})


def list_turned_cards(prepared: CompiledGame) -> Mapping[tuple[str, Place], TurnedCards]:
    """Return the cards of other places that each act turns up, by act and place. Raises `UnclearRound`."""
    return _follow_round(prepared)[1]


def _list_regular_acts(game: Game) -> list[Act]:
    return [act for act in game.acts.values() if not act.said_again]


def _follow_round(
    prepared: CompiledGame,
) -> tuple[tuple[DecisionPoint, ...], Mapping[tuple[str, Place], TurnedCards]]:
    """Return the decision points and the cards that are turned up, act by act."""
    steps, points = _list_regular_acts(prepared.game), list[DecisionPoint]()
    cards_seen = _CardsSeen(prepared, steps)
    for step in steps:
        if "decide" in step.events:
            decisions = _decisions_of(prepared.game, step)
            point = DecisionPoint(steps=(step,), decisions=decisions, seen=cards_seen.count_seen())
            _add_point(prepared, points, point)
        else:
            cards_seen.follow(step)
    return tuple(points), cards_seen.turned


def _decisions_of(game: Game, step: Act) -> tuple[str, ...]:
    return tuple(name for name in game.decisions if name in (step.decisions or game.decisions))


def _add_point(prepared: CompiledGame, points: list[DecisionPoint], point: DecisionPoint) -> None:
    """Append a point, or add its step to the last point where both steps record one decision."""
    last = points[-1] if points else None
    if last is None or last.seen != point.seen or _follows(prepared, last, point):
        points.append(point)
        return
    first, second = {*last.decisions}, {*point.decisions}
    if all(len(step.decisions) == 1 for step in (*last.steps, *point.steps)):
        more = tuple(name for name in point.decisions if name not in first)
        points[-1] = DecisionPoint(
            steps=(*last.steps, *point.steps), decisions=(*last.decisions, *more), seen=last.seen
        )
    elif len(first) > 1 < len(second) and first - second and second - first:
        points.append(point)
    else:
        raise UnclearRound(
            f"the rules do not state whether a player decides in one or in both of the steps {last.steps[-1].name} and "
            f"{point.steps[0].name}, as no card is turned up between them"
        )


def _follows(prepared: CompiledGame, first: DecisionPoint, second: DecisionPoint) -> bool:
    """Return whether every decision of a point is open only after one of another, or with a wager that it placed."""
    decisions = prepared.game.decisions
    placed = {decisions[name].places for name in first.decisions} - {None}

    def needs_first(condition: Condition | None) -> bool:
        if condition is None:
            return False
        return any(
            (part.operator == "placed" and part.operand in placed)
            or (part.operator == "decided" and part.operand in first.decisions)
            for part in _list_necessary_conditions(condition, prepared)
        )

    return all(needs_first(decisions[name].when) for name in second.decisions)


class _CardsSeen:
    """Cards that a player sees, followed from step to step of a regular round."""

    def __init__(self, prepared: CompiledGame, steps: list[Act]) -> None:
        self._deal, self._steps = prepared.game.deal, steps
        self._stated = dict(_list_stated_reveals(prepared))
        self._waiting = [(stage, place) for stage in self._deal.stages for place in stage.cards or ()]
        self._own = 0
        self._dealt = dict.fromkeys(_OTHERS, 0)
        self._open = dict.fromkeys(_OTHERS, 0)
        self.turned: dict[tuple[str, Place], TurnedCards] = {}
        """Cards that acts have turned up."""
        if not any("deal" in step.events for step in steps):
            for stage, place in self._waiting:
                self._receive_cards(stage, place)

    def count_seen(self) -> dict[Place, int]:
        """Return the number of cards of each place that the player sees now."""
        counts: dict[Place, int] = {"player": self._own, **self._open}
        return {place: count for place, count in counts.items() if count}

    def follow(self, step: Act) -> None:
        """Apply a step. Raises `UnclearRound` if the step leaves open which cards are turned up."""
        if "deal" in step.events:
            served = [
                (stage, place)
                for stage, place in self._waiting
                if step.stage in (None, stage.stage) and step.place in (None, place)
            ]
            self._refuse_open_stages(step, [stage for stage, _ in served])
            for stage, place in served:
                self._receive_cards(stage, place)
                self._waiting.remove((stage, place))
        if "reveal" in step.events:
            hidden = [place for place in _OTHERS if self._open[place] < self._dealt[place]]
            turned = [place for place in hidden if step.place in (None, place)]
            if len(turned) > 1:
                raise UnclearRound(f"the act {step.name} does not say whose cards it turns up")
            for place in turned:
                shown = TurnedCards(self._open[place], self._count_turned_up(step, place))
                self.turned[step.name, place] = shown
                self._open[place] += shown.number

    def _refuse_open_stages(self, step: Act, stages: list[Stage]) -> None:
        """Raise `UnclearRound` if a step that names no stage may deal several, and a later step some of them."""
        later = self._steps[self._steps.index(step) + 1 :]
        names = {stage.stage for stage in stages}
        if len(names) > 1 and any("deal" in other.events and other.stage in (None, *names) for other in later):
            raise UnclearRound(f"the act {step.name} does not say which stages of the deal it deals")

    def _receive_cards(self, stage: Stage, place: Place) -> None:
        count = (stage.cards or {})[place]
        if place == "player":
            self._own += count
            return
        self._dealt[place] += count
        opened = {stage.list_faces(way, place).count("up") for way in stage.permitted_ways.values()}
        if opened == {0}:
            return
        faces = {len(stage.list_faces(way, place)) for way in stage.permitted_ways.values()}
        if len(opened) > 1 or faces != {count}:
            raise UnclearRound(f"it depends on the way of dealing how many cards of the {place} players see")
        self._open[place] += opened.pop()

    def _count_turned_up(self, step: Act, place: Place) -> int:
        """Return the number of face-down cards of a place that a step turns up."""
        hidden = self._dealt[place] - self._open[place]
        if step.name in self._stated:
            return min(self._stated[step.name], hidden)
        later = self._steps[self._steps.index(step) :]
        left = [other for other in later if "reveal" in other.events and other.place in (None, place)]
        if len(left) == 1:
            return hidden
        if len(left) == hidden:
            return 1
        raise UnclearRound(
            f"no requirement says how many of the {hidden} cards of the {place} the act {step.name} turns up"
        )


def _list_stated_reveals(prepared: CompiledGame) -> Iterator[tuple[str, int]]:
    """Yield steps with the number of cards that they show, if a requirement states it."""
    for requirement in prepared.regulation.requirements:
        check = requirement.check.operand
        if isinstance(check, RoundCheck):
            for part in _list_necessary_conditions(check.must, prepared):
                if part.operator == "number" and part.operand.operator == "equals":
                    of, bound = part.operand.of, part.operand.operand
                    if of.operator == "cards-in" and bound.operator == "exactly":
                        yield of.operand, bound.operand


def _list_necessary_conditions(condition: Condition, prepared: CompiledGame) -> Iterator[Condition]:
    """Yield the conditions that must all hold for a condition to hold."""
    condition = prepared.resolve_fact(condition)
    if condition.operator == "all":
        for part in condition.operand:
            yield from _list_necessary_conditions(part, prepared)
    else:
        yield condition
