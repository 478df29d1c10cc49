"""Events that steps and requirements tell apart: what no event of a kind can say, what belongs to two steps, cards that
no step deals or shows."""

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

_FIELDS = {"face": "face", "by": "by", "place": "place", "deck": "deck", "decision": "decision", "in_": "means"}
"""The fields of an event by what is asked of them."""


def telling_cautions(terms: Terms) -> Iterator[Caution]:
    """What steps of a game say of events that cannot be, and what they leave untold."""
    game = terms.game
    for index, step in enumerate(game.procedure):
        for key in ("face", "by", "place", "deck"):
            value = getattr(step, key)
            if value is not None and not _may_say(step.events, key, value):
                yield _no_event(("procedure", index, key), step, f"{key}: {value}")
    yield from _both(terms)
    yield from _dealt(game)
    yield from _shown(game)


def event_cautions(game: Game, file: RequirementFile) -> Iterator[Caution]:
    """What requirements ask of the events of a step is something that one of them can say."""
    steps = {step.step: step for step in game.procedure}
    for index, requirement in enumerate(file.requirements):
        check = requirement.check.operand
        if not isinstance(check, RoundCheck) or check.of not in steps:
            continue
        for path, part in walk(check, ("requirements", index, "check", "rule")):
            if not (isinstance(part, Condition) and isinstance(part.meaning, Event)):
                continue
            for key, field in _FIELDS.items():
                value = getattr(part.operand, key)
                if value is not None and not _may_say(steps[check.of].events, field, value):
                    shown = ", ".join(value) if isinstance(value, list) else value
                    yield _no_event(path, steps[check.of], f"{key.rstrip('_')}: {shown}")


def _may_say(kinds: Collection[str], field: str, value: Any) -> bool:
    """Whether an event of one of some kinds can say this, or one of these."""
    codes = [KIND[kind] for kind in kinds]
    if field not in CHOICES:
        return bool(RULES[field].has[codes].any())
    values = value if isinstance(value, list) else [value]
    nth = [CHOICES[field].index(one) for one in values if one in CHOICES[field]]
    return not nth or bool(PERMITTED[field][codes][:, nth].any())


def _no_event(here: Path, step: Step, said: str) -> Caution:
    return Caution(
        code="no-event",
        at=here,
        message=f"no event `{' or '.join(step.events)}` can say `{said}`",
        help="hold it against the table of events in the reference of hand logs, and leave it out or name another step",
    )


def _both(terms: Terms) -> Iterator[Caution]:
    """Two steps in the course of a round of which one happens where the other does, or that place the same wager."""
    steps = [(at, step) for at, step in enumerate(terms.game.procedure) if not step.aside]
    for (_, one), (at, other) in combinations(steps, 2):
        said = [_said(one), _said(other)]
        placed = one.events == other.events == ["wager"] and {*one.of} & {*other.of}
        if placed:
            said = [{**parts, "of": None, "each": None} for parts in said]
        elif one.each != "round" or None not in (one.when, other.when):
            continue  # what is done once a seat or stake may be named as a whole too
        asked = [terms.formula(step.when) for step in (one, other) if step.when is not None]
        if said[0] != said[1] or (one.when == other.when and not placed) or not terms.may_hold(every(asked)):
            continue
        what = f"of {sorted(placed)[0]} " if placed else ""
        yield Caution(
            code="told-twice",
            at=("procedure", at, "step"),
            severity="warning",
            message=f"an event `{one.events[0]}` {what}belongs to {one.step} and to {other.step}: nothing tells them "
            "apart",
            help="take it out of one of them; or say what is different, with `what`, `when`, `before` or the like",
        )


def _said(step: Step) -> dict[str, Any]:
    """What a step says of its events but for the condition."""
    return {key: value for key, value in step if key not in ("step", "title", "turn", "when", "requirements")}


def _dealt(game: Game) -> Iterator[Caution]:
    """Cards are dealt in some step, where one is said to be that of the deal, and by whom the deal says."""
    dealing = [(at, step) for at, step in enumerate(game.procedure) if "deal" in step.events]
    ways = [way for stage in game.deal.stages for way in stage.permitted.values()]
    places = {place for way in ways for one in way.passes for place in one.to} | {*game.deal.cards}
    for at, step in dealing:
        if step.place is not None and step.place not in places:
            yield Caution(
                code="no-event",
                at=("procedure", at, "place"),
                message=f"no cards are dealt to the place `{step.place}`",
                help="leave `place` out: where cards are dealt is said under `deal`",
            )
        elif step.by is not None and ways and all(step.by != way.by for way in ways):
            yield Caution(
                code="no-event",
                at=("procedure", at, "by"),
                severity="warning",
                message=f"the cards are dealt by the {step.by} here, and by the {ways[0].by} in every way of dealing",
                help="hold both against the text: this, and `by` of the ways of dealing",
            )
    without = [place for place in game.deal.cards if all(step.place not in (None, place) for _, step in dealing)]
    if dealing and 0 < len(without) < len(game.deal.cards):
        yield Caution(
            code="never-dealt",
            at=("procedure", dealing[0][0], "place"),
            severity="warning",
            message=f"cards are dealt to the {without[0]}, and no step is that of dealing them",
            help="leave `place` out, or add a step for the other cards",
        )


def _shown(game: Game) -> Iterator[Caution]:
    """Cards of the house that are dealt face down and that settlement looks at are shown in some step, where the game
    tells of cards that are shown."""
    looked_at = {
        place
        for model in (game.settlement, *game.facts.values())
        for _, part in walk(model, ())
        for hand in _hands(part)
        for place in game.hands[hand].from_
    }
    for place in ("dealer", "community"):
        up = any(face != "down" for face in game.deal.faces(place))
        showing = [step for step in game.procedure if "reveal" in step.events]
        if place in looked_at and showing and not up and all(step.place not in (None, place) for step in showing):
            yield Caution(
                code="never-shown",
                at=("procedure",),
                severity="warning",
                message=f"the {place}'s cards are dealt face down and decide what is paid, and no step shows them",
                help=f"add a step with `events: [reveal]` and `place: {place}`",
            )


def _hands(part: object) -> Iterator[str]:
    if isinstance(part, Compare):
        yield from (part.hand, part.to)
    elif isinstance(part, Holds):
        yield part.hand
