"""Warnings about events: values that an event cannot have, events that match two steps, cards that no step deals or
reveals."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations
from typing import Any

from validator.cautions.caution import Caution
from validator.evidence.handlog.event_fields import CHOICES, PERMITTED, RULES
from validator.evidence.handlog.events import KIND
from validator.language.conditions import Condition
from validator.operators.events import Event
from validator.operators.hands import Compare, Holds
from validator.operators.terms import Terms
from validator.propositions.formula import every
from validator.rules.core.visitor import walk
from validator.rules.model.game import Game, Step
from validator.rules.model.requirement import RequirementFile, RoundCheck
from validator.text.trees.tree import Path

_EVENT_FIELDS = {"face": "face", "by": "by", "place": "place", "deck": "deck", "decision": "decision", "in_": "means"}
"""The field of an event for each key of an event condition."""


def telling_cautions(terms: Terms) -> Iterator[Caution]:
    """Yield warnings about steps with values that their events cannot have, and about cards without a step."""
    game = terms.game
    for index, step in enumerate(game.procedure):
        for key in ("face", "by", "place", "deck"):
            value = getattr(step, key)
            if value is not None and not _may_have_value(step.events, key, value):
                yield _build_impossible_event(("procedure", index, key), step, f"{key}: {value}")
    yield from _find_shared_events(terms)
    yield from _check_dealing(game)
    yield from _find_hidden_cards(game)


def event_cautions(game: Game, file: RequirementFile) -> Iterator[Caution]:
    """Yield warnings about requirements on values that the events of a step cannot have."""
    steps = {step.step: step for step in game.procedure}
    for index, requirement in enumerate(file.requirements):
        check = requirement.check.operand
        if not isinstance(check, RoundCheck) or check.of not in steps:
            continue
        for path, part in walk(check, ("requirements", index, "check", "rule")):
            if not (isinstance(part, Condition) and isinstance(part.meaning, Event)):
                continue
            for key, field in _EVENT_FIELDS.items():
                value = getattr(part.operand, key)
                if value is not None and not _may_have_value(steps[check.of].events, field, value):
                    shown = ", ".join(value) if isinstance(value, list) else value
                    yield _build_impossible_event(path, steps[check.of], f"{key.rstrip('_')}: {shown}")


def _may_have_value(kinds: Collection[str], field: str, value: Any) -> bool:
    """Return whether an event of one of some kinds may have a value, or one of several values."""
    codes = [KIND[kind] for kind in kinds]
    if field not in CHOICES:
        return bool(RULES[field].has[codes].any())
    values = value if isinstance(value, list) else [value]
    nth = [CHOICES[field].index(choice) for choice in values if choice in CHOICES[field]]
    return not nth or bool(PERMITTED[field][codes][:, nth].any())


def _build_impossible_event(here: Path, step: Step, value: str) -> Caution:
    return Caution(
        code="impossible-event",
        at=here,
        message=f"no event `{' or '.join(step.events)}` can have `{value}`",
        help="see the table of events in the reference of hand logs; remove it or name another step",
    )


def _find_shared_events(terms: Terms) -> Iterator[Caution]:
    """Yield warnings about two regular steps that match the same events, or that place the same wager."""
    steps = [(index, step) for index, step in enumerate(terms.game.procedure) if not step.aside]
    for (_, first), (index, second) in combinations(steps, 2):
        contents = [_describe_events(first), _describe_events(second)]
        placed = first.events == second.events == ["wager"] and {*first.of} & {*second.of}
        if placed:
            contents = [{**parts, "of": None, "each": None} for parts in contents]
        elif first.each != "round" or None not in (first.when, second.when):
            continue  # a step of each seat or stake may also be named as a whole
        conditions = [terms.formula(step.when) for step in (first, second) if step.when is not None]
        if (
            contents[0] != contents[1]
            or (first.when == second.when and not placed)
            or not terms.may_hold(every(conditions))
        ):
            continue
        wager_text = f"of {sorted(placed)[0]} " if placed else ""
        yield Caution(
            code="duplicate",
            at=("procedure", index, "step"),
            severity="warning",
            message=f"an event `{first.events[0]}` {wager_text}belongs to both {first.step} and {second.step}: nothing "
            "distinguishes them",
            help="remove it from one of them, or distinguish them with `what`, `when`, `before` or the like",
        )


def _describe_events(step: Step) -> dict[str, Any]:
    """Return the fields of a step that its events must match, except the condition."""
    return {key: value for key, value in step if key not in ("step", "title", "turn", "when", "requirements")}


def _check_dealing(game: Game) -> Iterator[Caution]:
    """Yield warnings about steps of dealing that contradict the deal in place or dealer."""
    dealing = [(index, step) for index, step in enumerate(game.procedure) if "deal" in step.events]
    ways = [way for stage in game.deal.stages for way in stage.permitted.values()]
    places = {place for way in ways for deal_pass in way.passes for place in deal_pass.to} | {*game.deal.cards}
    for index, step in dealing:
        if step.place is not None and step.place not in places:
            yield Caution(
                code="impossible-event",
                at=("procedure", index, "place"),
                message=f"no cards are dealt to the place `{step.place}`",
                help="leave out `place`: `deal` states where cards are dealt",
            )
        elif step.by is not None and ways and all(step.by != way.by for way in ways):
            yield Caution(
                code="impossible-event",
                at=("procedure", index, "by"),
                severity="warning",
                message=f"the cards are dealt by the {step.by} here, but by the {ways[0].by} in every way of dealing",
                help="compare both with the text: this, and `by` of the ways of dealing",
            )
    undealt = [place for place in game.deal.cards if all(step.place not in (None, place) for _, step in dealing)]
    if dealing and 0 < len(undealt) < len(game.deal.cards):
        yield Caution(
            code="never-dealt",
            at=("procedure", dealing[0][0], "place"),
            severity="warning",
            message=f"cards are dealt to the {undealt[0]}, but no step deals them",
            help="leave out `place`, or add a step for the other cards",
        )


def _find_hidden_cards(game: Game) -> Iterator[Caution]:
    """Yield warnings about face-down cards of the house that settlement uses and no step reveals.

    A game without any step of revealing is not checked.
    """
    used_places = {
        place
        for model in (game.settlement, *game.facts.values())
        for _, part in walk(model, ())
        for hand in _hands(part)
        for place in game.hands[hand].from_
    }
    for place in ("dealer", "community"):
        is_face_up = any(face != "down" for face in game.deal.faces(place))
        reveals = [step for step in game.procedure if "reveal" in step.events]
        if (
            place in used_places
            and reveals
            and not is_face_up
            and all(step.place not in (None, place) for step in reveals)
        ):
            yield Caution(
                code="never-revealed",
                at=("procedure",),
                severity="warning",
                message=f"the {place}'s cards are dealt face down and decide payments, but no step reveals them",
                help=f"add a step with `events: [reveal]` and `place: {place}`",
            )


def _hands(part: object) -> Iterator[str]:
    if isinstance(part, Compare):
        yield from (part.hand, part.to)
    elif isinstance(part, Holds):
        yield part.hand
