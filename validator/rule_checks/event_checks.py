"""Checks of steps and their events: values that an event cannot have, events of two steps, cards without a step."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations
from typing import Any

from fairdeal.validator.evidence.handlog.log_events import FIELD_CHOICES, has_field, permits_choice, requires_field
from fairdeal.validator.language.grammar import HandComparison, Holds, walk_models
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.operators.event_operators import EventShows
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.propositions import conjoin
from fairdeal.validator.rule_checks.check_context import DocumentCheck, DocumentContext, GameCheck
from fairdeal.validator.rulebook.lint.rule_check import RuleMistake
from fairdeal.validator.rules.game_model import Game, Step
from fairdeal.validator.rules.requirement_model import RequirementFile, RoundCheck
from fairdeal.validator.text.positioned_document import DataPath

_EVENT_FIELDS = {"face": "face", "by": "by", "place": "place", "deck": "deck", "decision": "decision", "in_": "means"}
"""The field of an event for each key of an event condition."""
_SEAT_EVENTS = frozenset({"decide", "tuck", "claim", "leave", "arrive", "chips-in", "chips-out"})
"""Kinds of event that are about one seat."""
_CARD_EVENTS = frozenset({"deal", "draw", "reveal", "expose", "turn-down", "collect-cards"})
"""Kinds of event that are about cards of a place."""
_STAKE_EVENTS = frozenset({"wager", "withdraw", "pay", "collect", "return"})
"""Kinds of event that are about one stake."""
_WITHOUT_EFFECT_ON_EVENTS = ("step", "title", "turn", "requirements")
"""Keys of a step on which it does not depend which events belong to the step."""


class ImpossibleStepValue(DocumentCheck[Step]):
    """A step has a value that none of its events can have."""

    code = "impossible-event"
    on = Step

    def find(self, context: DocumentContext, part: Step, here: DataPath) -> Iterator[RuleMistake]:
        for key in ("face", "by", "place", "deck"):
            value = getattr(part, key)
            if value is not None and not _may_have_value(part.events, key, value):
                yield _build_impossible_value((*here, key), part, f"{key}: {value}")


class ImpossibleRequiredValue(GameCheck[RequirementFile]):
    """A requirement is about a value that the events of its step cannot have. It would always fail."""

    code = "impossible-event"
    on = RequirementFile

    def find(self, context: DocumentContext, part: RequirementFile, here: DataPath) -> Iterator[RuleMistake]:
        steps = {step.step: step for step in context.game.procedure}
        for index, requirement in enumerate(part.requirements):
            check = requirement.check.operand
            if not isinstance(check, RoundCheck) or check.of not in steps:
                continue
            for path, condition in walk_models(check, ("requirements", index, "check", "rule")):
                if not (isinstance(condition, Condition) and isinstance(OPERATORS.find(condition), EventShows)):
                    continue
                for key, field in _EVENT_FIELDS.items():
                    value = getattr(condition.operand, key)
                    if value is not None and not _may_have_value(steps[check.of].events, field, value):
                        shown = ", ".join(value) if isinstance(value, list) else value
                        yield _build_impossible_value(path, steps[check.of], f"{key.rstrip('_')}: {shown}")


def _may_have_value(kinds: Collection[str], field: str, value: Any) -> bool:
    """Return whether an event of one of some kinds may have a value, or one of several values."""
    if field not in FIELD_CHOICES:
        return any(has_field(kind, field) for kind in kinds)
    values = value if isinstance(value, list) else [value]
    known = [choice for choice in values if choice in FIELD_CHOICES[field]]
    return not known or any(permits_choice(kind, field, choice) for kind in kinds for choice in known)


def _build_impossible_value(here: DataPath, step: Step, value: str) -> RuleMistake:
    return RuleMistake(
        path=here,
        message=f"no event `{' or '.join(step.events)}` can have `{value}`",
        help="see the table of events in the reference of hand logs; remove it or name another step",
    )


class ImpossiblePlace(GameCheck[Step]):
    """Nothing can happen at the place of a step: the place is no seat, or has no cards."""

    code = "impossible-event"
    on = Step

    def find(self, context: DocumentContext, part: Step, here: DataPath) -> Iterator[RuleMistake]:
        deal = context.game.deal
        ways = [way for stage in deal.stages for way in stage.permitted_ways.values()]
        places = {place for way in ways for deal_pass in way.passes for place in deal_pass.to}
        if part.aside or part.place is None:
            return
        if part.place != "player" and part.each != "round":
            message = f"the place `{part.place}` is not a seat, so nothing happens there once per {part.each}"
            help_ = "leave out `each`, or write `place: player`"
        elif "deal" in part.events and part.place not in {*places, *deal.cards}:
            message = f"no cards are dealt to the place `{part.place}`"
            help_ = "leave out `place`: `deal` states where cards are dealt"
        elif (
            part.place in ("player", "dealer", "community")
            and part.place not in deal.cards
            and _CARD_EVENTS & {*part.events}
        ):
            message = f"the {part.place} is dealt no cards, so nothing can happen to them"
            help_ = "name the place where the cards are"
        else:
            return
        yield RuleMistake(path=(*here, "place"), message=message, help=help_)


class ForeignDealer(GameCheck[Step]):
    """Somebody else deals in a step than in every way of dealing."""

    code = "impossible-event"
    severity = "warning"
    on = Step

    def find(self, context: DocumentContext, part: Step, here: DataPath) -> Iterator[RuleMistake]:
        ways = [way for stage in context.game.deal.stages for way in stage.permitted_ways.values()]
        if "deal" in part.events and part.by is not None and ways and all(part.by != way.by for way in ways):
            yield RuleMistake(
                path=(*here, "by"),
                message=f"the cards are dealt by the {part.by} here, but by the {ways[0].by} in every way of dealing",
                help="compare both with the text: this, and `by` of the ways of dealing",
            )


class BonusWithStake(GameCheck[Step]):
    """A step collects, returns, places or withdraws a bonus, which has no stake."""

    code = "impossible-event"
    on = Step

    def find(self, context: DocumentContext, part: Step, here: DataPath) -> Iterator[RuleMistake]:
        bonuses = [name for name in part.of if name in context.game.bonuses]
        impossible = _STAKE_EVENTS - {"pay"} if bonuses == part.of else {"wager", "withdraw"}
        found = sorted({*part.events} & impossible)
        if bonuses and found and not part.aside:
            yield RuleMistake(
                path=(*here, "of", part.of.index(bonuses[0])),
                message=f"`{found[0]}` cannot happen to {bonuses[0]}: a bonus has no stake, it is only paid or not",
                help="remove it from this step, or define it under `wagers`",
            )


class WrongEach(DocumentCheck[Step]):
    """A step happens once per round, seat or stake, but its events happen more or less often."""

    code = "wrong-each"
    on = Step

    def find(self, context: DocumentContext, part: Step, here: DataPath) -> Iterator[RuleMistake]:
        by_stake, by_seat = sorted({*part.events} & _STAKE_EVENTS), sorted({*part.events} & _SEAT_EVENTS)
        if part.aside:
            return
        if by_stake and part.each != "stake":
            kind, finer = by_stake[0], "stake"
        elif by_seat and part.each == "round":
            kind, finer = by_seat[0], "seat"
        elif "decide" in part.events and part.each == "stake":
            kind, finer = "decide", "seat"
        else:
            return
        yield RuleMistake(
            path=(*here, "each") if part.each != "round" else (*here, "events"),
            message=f"`{kind}` happens once per {finer}, but the step is one of each {part.each}",
            help=f"write `each: {finer}`",
        )


class UnderspecifiedEvent(DocumentCheck[Step]):
    """A step lacks the word or the place that its events state. Simulated rounds cannot record it."""

    code = "underspecified-event"
    severity = "warning"
    on = Step

    def find(self, context: DocumentContext, part: Step, here: DataPath) -> Iterator[RuleMistake]:
        if part.aside:
            return
        without_what = [kind for kind in part.events if requires_field(kind, "what")]
        if without_what and part.what is None and part.what_is is None:
            yield RuleMistake(
                path=(*here, "events"),
                message=f"an event `{without_what[0]}` states `what`, but this step does not: "
                "every such event belongs to it, and simulated rounds cannot record it",
                help="add `what`, in one word",
            )
        without_place = [kind for kind in part.events if requires_field(kind, "place") and kind != "deal"]
        if without_place and part.place is None and part.each == "round":
            yield RuleMistake(
                path=(*here, "events"),
                message=f"an event `{without_place[0]}` states a place, but this step does not: simulated rounds "
                "cannot record it",
                help="add `place`, which states whose cards these are, or `each: seat` for the cards of every player",
            )


class WagerListedTwice(DocumentCheck[Step]):
    """A step lists a wager twice. Another may be missing."""

    code = "duplicate-entry"
    on = Step

    def find(self, context: DocumentContext, part: Step, here: DataPath) -> Iterator[RuleMistake]:
        for nth, name in enumerate(part.of):
            if name in part.of[:nth]:
                yield RuleMistake(
                    path=(*here, "of", nth),
                    message=f"{name} is listed twice under `of` of {part.step}",
                    help="name each wager once; another may be missing",
                )


class DuplicateStep(DocumentCheck[Game]):
    """Two steps match the same events, so each event belongs to both."""

    code = "duplicate"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        seen: dict[str, str] = {}
        for index, step in enumerate(part.procedure):
            if step.aside:
                continue
            content = repr({key: value for key, value in step if key not in ("step", "title", "turn")})
            if content in seen:
                yield RuleMistake(
                    path=("procedure", index, "step"),
                    message=f"the steps {seen[content]} and {step.step} match the same events, so each event belongs "
                    "to both",
                    help="distinguish them, remove one, or write `aside: true` for the one that only names events",
                )
            seen.setdefault(content, step.step)


class SharedEvents(GameCheck[Game]):
    """Two steps may match the same event, although their conditions differ, or they place the same wager."""

    code = "duplicate"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        steps = [(index, step) for index, step in enumerate(part.procedure) if not step.aside]
        for (_, first), (index, second) in combinations(steps, 2):
            placed = {*first.of} & {*second.of} if first.events == second.events == ["wager"] else set()
            if not placed and (first.each != "round" or None not in (first.when, second.when)):
                continue  # a step of each seat or stake may also be named as a whole
            if not placed and first.when == second.when:
                continue
            contents = [_describe_events(step, with_wagers=not placed) for step in (first, second)]
            conditions = [context.terms.build_formula(step.when) for step in (first, second) if step.when is not None]
            if contents[0] == contents[1] and context.terms.may_hold(conjoin(conditions)):
                wager_text = f"of {sorted(placed)[0]} " if placed else ""
                yield RuleMistake(
                    path=("procedure", index, "step"),
                    message=f"an event `{first.events[0]}` {wager_text}belongs to both {first.step} and {second.step}: "
                    "nothing distinguishes them",
                    help="remove it from one of them, or distinguish them with `what`, `when`, `before` or the like",
                )


def _describe_events(step: Step, *, with_wagers: bool) -> dict[str, Any]:
    """Return the keys of a step that its events must match, except the condition."""
    ignored = {*_WITHOUT_EFFECT_ON_EVENTS, "when"} | (set() if with_wagers else {"of", "each"})
    return {key: value for key, value in step if key not in ignored}


class UndealtPlace(DocumentCheck[Game]):
    """Cards are dealt to a place, but no step deals them."""

    code = "never-dealt"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        dealing = [(index, step) for index, step in enumerate(part.procedure) if "deal" in step.events]
        undealt = [place for place in part.deal.cards if all(step.place not in (None, place) for _, step in dealing)]
        if dealing and 0 < len(undealt) < len(part.deal.cards):
            yield RuleMistake(
                path=("procedure", dealing[0][0], "place"),
                message=f"cards are dealt to the {undealt[0]}, but no step deals them",
                help="leave out `place`, or add a step for the other cards",
            )


class UnrevealedCards(DocumentCheck[Game]):
    """Cards of the house lie face down and decide payments, but no step reveals them.

    The check needs some step that reveals cards.
    """

    code = "never-revealed"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        used_places = {
            place
            for model in (part.settlement, *part.facts.values())
            for _, inner in walk_models(model, ())
            for hand in _list_hands(inner)
            for place in part.hands[hand].from_
        }
        reveals = [step for step in part.procedure if "reveal" in step.events]
        for place in ("dealer", "community"):
            is_face_up = any(face != "down" for face in part.deal.list_faces(place))
            is_revealed = not reveals or any(step.place in (None, place) for step in reveals)
            if place in used_places and not is_face_up and not is_revealed:
                yield RuleMistake(
                    path=("procedure",),
                    message=f"the {place}'s cards are dealt face down and decide payments, but no step reveals them",
                    help=f"add a step with `events: [reveal]` and `place: {place}`",
                )


def _list_hands(part: object) -> Iterator[str]:
    if isinstance(part, HandComparison):
        yield from (part.hand, part.to)
    elif isinstance(part, Holds):
        yield part.hand


CHECKS = (
    ImpossibleStepValue,
    ImpossibleRequiredValue,
    ImpossiblePlace,
    ForeignDealer,
    BonusWithStake,
    WrongEach,
    UnderspecifiedEvent,
    WagerListedTwice,
    DuplicateStep,
    SharedEvents,
    UndealtPlace,
    UnrevealedCards,
)
"""Checks of steps and their events."""
