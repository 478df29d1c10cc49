"""Warnings about events: values that an event cannot have, events of two steps, miscounts that nothing declares or
settles.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations
from typing import Any

from pydantic import BaseModel

from fairdeal.validator.evidence.handlog.event_fields import FIELD_CHOICES, has_field, permits_choice
from fairdeal.validator.evidence.handlog.event_kinds import EventKind
from fairdeal.validator.language.grammar import HandComparison, Holds, Place
from fairdeal.validator.language.name_references import walk_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators.condition_propositions import PropositionBuilder
from fairdeal.validator.operators.event_operators import EventShows
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.propositions import Formula, conjoin
from fairdeal.validator.rule_warnings.rule_warning import RuleWarning
from fairdeal.validator.rules.game_model import Game, Step
from fairdeal.validator.rules.payment_model import Case
from fairdeal.validator.rules.requirement_model import RequirementFile, RoundCheck
from fairdeal.validator.text.positioned_document import DataPath

_EVENT_FIELDS = {"face": "face", "by": "by", "place": "place", "deck": "deck", "decision": "decision", "in_": "means"}
"""The field of an event for each key of an event condition."""


def find_step_event_warnings(terms: PropositionBuilder) -> Iterator[RuleWarning]:
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


def find_event_warnings(game: Game, file: RequirementFile) -> Iterator[RuleWarning]:
    """Yield warnings about requirements on values that the events of a step cannot have."""
    steps = {step.step: step for step in game.procedure}
    for index, requirement in enumerate(file.requirements):
        check = requirement.check.operand
        if not isinstance(check, RoundCheck) or check.of not in steps:
            continue
        for path, part in walk_models(check, ("requirements", index, "check", "rule")):
            if not (isinstance(part, Condition) and isinstance(OPERATORS.find(part), EventShows)):
                continue
            for key, field in _EVENT_FIELDS.items():
                value = getattr(part.operand, key)
                if value is not None and not _may_have_value(steps[check.of].events, field, value):
                    shown = ", ".join(value) if isinstance(value, list) else value
                    yield _build_impossible_event(path, steps[check.of], f"{key.rstrip('_')}: {shown}")


def _may_have_value(kinds: Collection[str], field: str, value: Any) -> bool:
    """Return whether an event of one of some kinds may have a value, or one of several values."""
    if field not in FIELD_CHOICES:
        return any(has_field(kind, field) for kind in kinds)
    values = value if isinstance(value, list) else [value]
    known = [choice for choice in values if choice in FIELD_CHOICES[field]]
    return not known or any(permits_choice(kind, field, choice) for kind in kinds for choice in known)


def _build_impossible_event(here: DataPath, step: Step, value: str) -> RuleWarning:
    return RuleWarning(
        code="impossible-event",
        path=here,
        message=f"no event `{' or '.join(step.events)}` can have `{value}`",
        help="see the table of events in the reference of hand logs; remove it or name another step",
    )


def _find_shared_events(terms: PropositionBuilder) -> Iterator[RuleWarning]:
    """Yield warnings about two regular steps that match the same events, or that place the same wager."""
    steps = [(index, step) for index, step in enumerate(terms.game.procedure) if not step.aside]
    for (_, first), (index, second) in combinations(steps, 2):
        contents = [_describe_events(first), _describe_events(second)]
        placed = first.events == second.events == ["wager"] and {*first.of} & {*second.of}
        if placed:
            contents = [{**parts, "of": None, "each": None} for parts in contents]
        elif first.each != "round" or None not in (first.when, second.when):
            continue  # a step of each seat or stake may also be named as a whole
        conditions = [terms.build_formula(step.when) for step in (first, second) if step.when is not None]
        if (
            contents[0] != contents[1]
            or (first.when == second.when and not placed)
            or not terms.may_hold(conjoin(conditions))
        ):
            continue
        wager_text = f"of {sorted(placed)[0]} " if placed else ""
        yield RuleWarning(
            code="duplicate",
            path=("procedure", index, "step"),
            severity="warning",
            message=f"an event `{first.events[0]}` {wager_text}belongs to both {first.step} and {second.step}: nothing "
            "distinguishes them",
            help="remove it from one of them, or distinguish them with `what`, `when`, `before` or the like",
        )


def _describe_events(step: Step) -> dict[str, Any]:
    """Return the fields of a step that its events must match, except the condition."""
    return {key: value for key, value in step if key not in ("step", "title", "turn", "when", "requirements")}


def _check_dealing(game: Game) -> Iterator[RuleWarning]:
    """Yield warnings about steps of dealing that contradict the deal in place or dealer."""
    dealing = [(index, step) for index, step in enumerate(game.procedure) if "deal" in step.events]
    ways = [way for stage in game.deal.stages for way in stage.permitted_ways.values()]
    places = {place for way in ways for deal_pass in way.passes for place in deal_pass.to} | {*game.deal.cards}
    for index, step in dealing:
        if step.place is not None and step.place not in places:
            yield RuleWarning(
                code="impossible-event",
                path=("procedure", index, "place"),
                message=f"no cards are dealt to the place `{step.place}`",
                help="leave out `place`: `deal` states where cards are dealt",
            )
        elif step.by is not None and ways and all(step.by != way.by for way in ways):
            yield RuleWarning(
                code="impossible-event",
                path=("procedure", index, "by"),
                severity="warning",
                message=f"the cards are dealt by the {step.by} here, but by the {ways[0].by} in every way of dealing",
                help="compare both with the text: this, and `by` of the ways of dealing",
            )
    undealt = [place for place in game.deal.cards if all(step.place not in (None, place) for _, step in dealing)]
    if dealing and 0 < len(undealt) < len(game.deal.cards):
        yield RuleWarning(
            code="never-dealt",
            path=("procedure", dealing[0][0], "place"),
            severity="warning",
            message=f"cards are dealt to the {undealt[0]}, but no step deals them",
            help="leave out `place`, or add a step for the other cards",
        )


def _find_hidden_cards(game: Game) -> Iterator[RuleWarning]:
    """Yield warnings about face-down cards of the house that settlement uses and no step reveals.

    A game without any step of revealing is not checked.
    """
    used_places = {
        place
        for model in (game.settlement, *game.facts.values())
        for _, part in walk_models(model, ())
        for hand in _hands(part)
        for place in game.hands[hand].from_
    }
    for place in ("dealer", "community"):
        is_face_up = any(face != "down" for face in game.deal.list_faces(place))
        reveals = [step for step in game.procedure if "reveal" in step.events]
        if (
            place in used_places
            and reveals
            and not is_face_up
            and all(step.place not in (None, place) for step in reveals)
        ):
            yield RuleWarning(
                code="never-revealed",
                path=("procedure",),
                severity="warning",
                message=f"the {place}'s cards are dealt face down and decide payments, but no step reveals them",
                help=f"add a step with `events: [reveal]` and `place: {place}`",
            )


def _hands(part: object) -> Iterator[str]:
    if isinstance(part, HandComparison):
        yield from (part.hand, part.to)
    elif isinstance(part, Holds):
        yield part.hand


_HAND_PREFIX = "hand "
"""Prefix of the name of a hand, which may equal the name of a place."""


def find_irregularity_warnings(terms: PropositionBuilder) -> Iterator[RuleWarning]:
    """Yield warnings about irregularities that contradict the steps or the settlement of a game."""
    yield from _check_irregularities(terms.game)
    yield from _find_unsettled_miscounts(terms)
    yield from _find_late_counts(terms.game)


def _find_late_counts(game: Game) -> Iterator[RuleWarning]:
    """Yield warnings about cases that use a hand before an earlier case has excluded a wrong number of cards."""
    for miscount in game.irregularities.miscounts:
        hands = {f"{_HAND_PREFIX}{name}" for name, hand in game.hands.items() if miscount.place in hand.from_}
        for line in game.settlement.order:
            cases = [(index, case) for index, case in enumerate(game.settlement.cases) if line in case.lines]
            first = next(
                (case for _, case in cases if {miscount.place, miscount.declared} & _list_used_parts(game, case)), None
            )
            for index, case in cases:
                if case is first or first is None:
                    break
                if hands & _list_used_parts(game, case):
                    yield RuleWarning(
                        code="order-mismatch",
                        path=("settlement", "cases", index, "case"),
                        severity="warning",
                        message=f"{case.case} uses a hand of the {miscount.place} before {first.case} checks that "
                        "it has the right number of cards",
                        help=f"put {first.case} before the cases that use hands",
                    )
                    break


def _check_irregularities(game: Game) -> Iterator[RuleWarning]:
    steps = {step.step: step for step in game.procedure}
    irregularities = game.irregularities
    references: list[tuple[DataPath, str, EventKind]] = [
        (("irregularities", "miscounts", index, "declared"), miscount.declared, "misdeal")
        for index, miscount in enumerate(irregularities.miscounts)
    ]
    for index, exposure in enumerate(irregularities.exposures):
        references.append((("irregularities", "exposures", index, "shown"), exposure.shown, "expose"))
        references.append((("irregularities", "exposures", index, "covered"), exposure.covered, "turn-down"))
    for place, name, kind in references:
        if kind not in steps[name].events:
            yield RuleWarning(
                code="wrong-step",
                path=place,
                message=f"the step {name} has no event `{kind}`",
                help=f"name the step with `events: [{kind}]`",
            )
    for index, miscount in enumerate(irregularities.miscounts):
        if (miscount.voids == "seat") != (steps[miscount.declared].place == "player") and steps[
            miscount.declared
        ].place is not None:
            yield RuleWarning(
                code="wrong-step",
                path=("irregularities", "miscounts", index, "declared"),
                message=f"this voids the {miscount.voids}, but {miscount.declared} happens at the place "
                f"`{steps[miscount.declared].place}`",
                help="a hand of a seat is declared dead at the place `player`, a round at `table`",
            )
    places = [miscount.place for miscount in irregularities.miscounts]
    for index, miscount in enumerate(irregularities.miscounts):
        if miscount.place in places[:index]:
            yield RuleWarning(
                code="duplicate-entry",
                path=("irregularities", "miscounts", index, "place"),
                message=f"a miscount at the place {miscount.place} is listed twice",
                help="list each place once",
            )


def _find_unsettled_miscounts(terms: PropositionBuilder) -> Iterator[RuleWarning]:
    """Yield warnings about miscounts that no step declares or no case settles.

    A void hand must be settled on every line; a void round may be settled differently on each line.
    """
    game = terms.game
    steps = {step.step: (index, step) for index, step in enumerate(game.procedure)}
    for index, miscount in enumerate(game.irregularities.miscounts):
        formulas = _build_miscount_formulas(terms, miscount.place)
        step_index, step = steps[miscount.declared]
        condition = True if step.when is None else terms.build_formula(step.when)
        for deviation, formula in formulas.items():
            if not terms.may_hold(conjoin([condition, formula])):
                yield RuleWarning(
                    code="never-declared",
                    path=("procedure", step_index, "when"),
                    severity="warning",
                    message=f"{miscount.declared} declares {deviation} cards of the {miscount.place}, but its "
                    "condition "
                    "excludes them",
                    help=f"change `when` so that it holds if the {miscount.place} has another number of cards",
                )
                break
        unsettled = [
            (line, deviation)
            for line in game.settlement.order
            for deviation, formula in formulas.items()
            if not any(
                terms.may_hold(conjoin([formula, terms.build_formula(case.when)]))
                for case in game.settlement.cases
                if case.when is not None
                and line in case.lines
                and {miscount.place, miscount.declared} & _list_used_parts(game, case)
            )
        ]
        lines = {line for line, _ in unsettled}
        if unsettled and (miscount.voids == "seat" or len(lines) == len(game.settlement.order)):
            line, deviation = unsettled[0]
            deviation = (
                deviation if (line, "too few") not in unsettled or deviation == "too few" else "a wrong number of"
            )
            scope = "settlement" if len(lines) == len(game.settlement.order) else line
            yield RuleWarning(
                code="never-settled",
                path=("irregularities", "miscounts", index),
                severity="warning",
                message=f"no case of {scope} covers {deviation} cards of the {miscount.place}, although that voids "
                f"the {miscount.voids}",
                help="add a case, before the others, for wagers of hands with a wrong number of cards",
            )


def _build_miscount_formulas(terms: PropositionBuilder, place: Place) -> dict[str, Formula]:
    """Build formulas for too many and too few cards at a place, with the dealt number everywhere else."""
    deal = terms.game.deal
    if place not in deal.cards or place in deal.held:
        return {"a wrong number of": True}

    def cards(of: Place, how: str) -> Formula:
        return terms.build_formula(Condition.model_validate({"number": {"of": {"cards": of}, how: deal.cards[of]}}))

    others = [cards(other, "equals") for other in deal.cards if other != place and other not in deal.held]
    return {
        "too many": conjoin([cards(place, "more-than"), *others]),
        "too few": conjoin([cards(place, "less-than"), *others]),
    }


def _list_used_parts(game: Game, case: Case) -> set[str]:
    """Return the places whose cards a case counts, and the hands and steps it uses, directly or through facts."""
    used: set[str] = set()
    pending: list[BaseModel] = [] if case.when is None else [case.when]
    seen: set[str] = set()
    while pending:
        for _, part in walk_models(pending.pop(), ()):
            if isinstance(part, HandComparison):
                used |= {f"{_HAND_PREFIX}{part.hand}", f"{_HAND_PREFIX}{part.to}"}
            elif isinstance(part, Holds):
                used.add(f"{_HAND_PREFIX}{part.hand}")
            elif isinstance(part, Condition | Quantity):
                facts = {*OPERATORS.find(part).list_facts(part.operand)} - seen
                seen |= facts
                pending += [game.facts[name] for name in facts]
                used |= {part.operand} if part.operator == "cards" else {*OPERATORS.find(part).list_steps(part.operand)}
    return used
