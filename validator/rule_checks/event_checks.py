"""Checks of steps, their events and irregularities: values that never occur, cases that no step declares."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations
from typing import Any

from pydantic import BaseModel

from fairdeal.validator.engine.core.propositions import Formula, conjoin
from fairdeal.validator.evidence.log_events import FIELD_CHOICES, has_field, permits_choice, requires_field
from fairdeal.validator.language.grammar import HandComparison, Holds, Place, iterate_models, walk_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators.condition_propositions import PropositionBuilder
from fairdeal.validator.operators.event_operators import EventShows
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.rule_checks.check_context import DocumentContext, GameContext
from fairdeal.validator.rule_checks.document_checks import find_duplicates
from fairdeal.validator.rulebook.rule_check import Mistakes, error, warning
from fairdeal.validator.rules.check_model import RoundCheck
from fairdeal.validator.rules.deal_model import Miscount
from fairdeal.validator.rules.game_model import Act, Game
from fairdeal.validator.rules.payment_model import Case
from fairdeal.validator.text.positioned_document import DataPath

_EVENT_FIELDS = {"face": "face", "by": "by", "place": "place", "decision": "decision", "in_": "means"}
"""The field of an event for each key of an event condition."""
_CARD_EVENTS = frozenset({"deal", "draw", "reveal", "expose", "turn-down", "collect-cards"})
"""Kinds of event that are about cards of a place."""
_STAKE_EVENTS = frozenset({"wager", "withdraw", "pay", "collect", "return"})
"""Kinds of event that are about one stake."""
_NAMING_KEYS = ("title", "turn")
_WITHOUT_EFFECT_ON_EVENTS = ("title", "turn", "requirements")
"""Keys of a step on which it does not depend which events belong to the step."""
_OTHER_EVENTS = "other-events"
"""Section of the game whose events a usual round does not have."""
_IMPOSSIBLE = "impossible-event"
_SEE_TABLE = "see the table of events in the reference of hand logs; remove it or name another step"


@error(_IMPOSSIBLE, _SEE_TABLE)
def find_impossible_step_value(context: DocumentContext, step: Act, here: DataPath) -> Mistakes:
    """Find a value of a step that none of its events can have."""
    for key in ("face", "by", "place", "deck"):
        value = getattr(step, key)
        if value is not None and not _may_have_value(step.events, key, value):
            yield (*here, key), _describe_impossible_value(step, f"{key}: {value}")


@error(_IMPOSSIBLE, _SEE_TABLE)
def find_impossible_required_value(context: GameContext, check: RoundCheck, here: DataPath) -> Mistakes:
    """Find a requirement about a value that the events of its step cannot have. It would always fail."""
    step = context.game.all_acts.get(check.of or "")
    for path, condition in () if step is None else walk_models(check, here):
        if step is not None and isinstance(condition, Condition) and isinstance(OPERATORS.find(condition), EventShows):
            for key, field in _EVENT_FIELDS.items():
                value = getattr(condition.operand, key)
                if value is not None and not _may_have_value(step.events, field, value):
                    shown = ", ".join(value) if isinstance(value, list) else value
                    yield path, _describe_impossible_value(step, f"{key.rstrip('_')}: {shown}")


def _may_have_value(kinds: Collection[str], field: str, value: Any) -> bool:
    """Return whether an event of one of some kinds may have a value, or one of several values."""
    if field not in FIELD_CHOICES:
        return any(has_field(kind, field) for kind in kinds)
    values = value if isinstance(value, list) else [value]
    known = [choice for choice in values if choice in FIELD_CHOICES[field]]
    return not known or any(permits_choice(kind, field, choice) for kind in kinds for choice in known)


def _describe_impossible_value(step: Act, value: str) -> str:
    return f"no event `{' or '.join(step.events)}` can have `{value}`"


@error(_IMPOSSIBLE)
def find_impossible_place(context: GameContext, step: Act, here: DataPath) -> Mistakes:
    """Find a place of a step at which nothing can happen: the place is no seat, or has no cards."""
    deal = context.game.deal
    ways = [way for stage in deal.stages for way in stage.permitted_ways.values()]
    places = {place for way in ways for deal_pass in way.passes for place in deal_pass.to}
    at = (*here, "place")
    if here[0] == _OTHER_EVENTS or step.place is None:
        return
    if step.place != "player" and step.grain != "round":
        message = f"the place `{step.place}` is not a seat, so nothing happens there once per {step.grain}"
        yield at, message, "leave out `each`, or write `place: player`"
    elif "deal" in step.events and step.place not in {*places, *deal.cards}:
        message = f"no cards are dealt to the place `{step.place}`"
        yield at, message, "leave out `place`: `deal` states where cards are dealt"
    elif (
        step.place in ("player", "dealer", "community")
        and step.place not in deal.cards
        and _CARD_EVENTS & {*step.events}
    ):
        message = f"the {step.place} is dealt no cards, so nothing can happen to them"
        yield at, message, "name the place where the cards are"


@warning(_IMPOSSIBLE, "compare both with the text: this, and `by` of the ways of dealing")
def find_foreign_dealer(context: GameContext, step: Act, here: DataPath) -> Mistakes:
    """Find a step in which somebody else deals than in every way of dealing."""
    ways = [way for stage in context.game.deal.stages for way in stage.permitted_ways.values()]
    if "deal" in step.events and step.by is not None and ways and all(step.by != way.by for way in ways):
        message = f"the cards are dealt by the {step.by} here, but by the {ways[0].by} in every way of dealing"
        yield (*here, "by"), message


@error(_IMPOSSIBLE, "remove it from this step, or define it under `wagers`")
def find_bonus_with_stake(context: GameContext, step: Act, here: DataPath) -> Mistakes:
    """Find a step that collects, returns, places or withdraws a bonus, which has no stake."""
    bonuses = [name for name in step.of if name in context.game.bonuses]
    impossible = _STAKE_EVENTS - {"pay"} if bonuses == step.of else {"wager", "withdraw"}
    found = sorted({*step.events} & impossible)
    if bonuses and found and here[0] != _OTHER_EVENTS:
        message = f"`{found[0]}` cannot happen to {bonuses[0]}: a bonus has no stake, it is only paid or not"
        yield (*here, "of", step.of.index(bonuses[0])), message


@warning("underspecified-event")
def find_underspecified_event(context: DocumentContext, step: Act, here: DataPath) -> Mistakes:
    """Find a step without the word or the place that its events state. Simulated rounds cannot record it."""
    if here[0] == _OTHER_EVENTS:
        return
    without_what = [kind for kind in step.events if requires_field(kind, "what")]
    if without_what and not step.words:
        yield (
            (*here, "event"),
            f"an event `{without_what[0]}` states `what`, but this step does not: every such event belongs to it, and "
            "simulated rounds cannot record it",
            "add `what`, in one word",
        )
    without_place = [kind for kind in step.events if requires_field(kind, "place") and kind != "deal"]
    if without_place and step.place is None and step.grain == "round":
        yield (
            (*here, "event"),
            f"an event `{without_place[0]}` states a place, but this step does not: simulated rounds cannot record it",
            "add `place`, which states whose cards these are",
        )


@error("duplicate-entry", "name each wager once; another may be missing")
def find_wager_listed_twice(context: DocumentContext, step: Act, here: DataPath) -> Mistakes:
    """Find a step that lists a wager twice. Another may be missing."""
    for nth, name in enumerate(step.of):
        if name in step.of[:nth]:
            yield (*here, "of", nth), f"{name} is listed twice under `of` of {step.name}"


@error("duplicate", "distinguish them, remove one, or put the one that only names events under `other-events`")
def find_duplicate_step(context: DocumentContext, game: Game, here: DataPath) -> Mistakes:
    """Find two steps that match the same events, so that each event belongs to both."""
    yield from find_duplicates(
        (
            (("acts", name), name, {key: value for key, value in act if key not in _NAMING_KEYS})
            for name, act in game.acts.items()
        ),
        "the acts {} and {} match the same events, so each event belongs to both",
    )


@warning("duplicate", "remove it from one of them, or distinguish them with `what`, `when`, `before` or the like")
def find_shared_events(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find two steps that may match the same event, although their conditions differ, or they place the same wager."""
    for first, second in combinations(game.acts.values(), 2):
        placed = {*first.of} & {*second.of} if first.events == second.events == ("wager",) else set()
        if not placed and (first.grain != "round" or None not in (first.when, second.when)):
            continue  # a step of each seat or stake may also be named as a whole
        if not placed and first.when == second.when:
            continue
        contents = [_describe_events(step, with_wagers=not placed) for step in (first, second)]
        both = conjoin([context.terms.build_formula(step.when) for step in (first, second)])
        if contents[0] == contents[1] and context.terms.may_hold(both):
            wager_text = f"of {sorted(placed)[0]} " if placed else ""
            yield (
                ("acts", second.name),
                f"an event `{first.events[0]}` {wager_text}belongs to both {first.name} and {second.name}: nothing "
                "distinguishes them",
            )


def _describe_events(step: Act, *, with_wagers: bool) -> dict[str, Any]:
    """Return the keys of a step that its events must match, except the condition."""
    ignored = {*_WITHOUT_EFFECT_ON_EVENTS, "when"} | (set() if with_wagers else {"of", "each"})
    return {key: value for key, value in step if key not in ignored}


@warning("never-dealt", "leave out `place`, or add a step for the other cards")
def find_undealt_place(context: DocumentContext, game: Game, here: DataPath) -> Mistakes:
    """Find a place to which cards are dealt, although no step deals them."""
    dealing = [step for step in game.all_acts.values() if "deal" in step.events]
    undealt = [place for place in game.deal.cards if all(step.place not in (None, place) for step in dealing)]
    if dealing and 0 < len(undealt) < len(game.deal.cards):
        yield (
            (*game.locate_act(dealing[0].name), "place"),
            f"cards are dealt to the {undealt[0]}, but no step deals them",
        )


@warning("never-revealed")
def find_unrevealed_cards(context: DocumentContext, game: Game, here: DataPath) -> Mistakes:
    """Find cards of the house that lie face down and decide payments, although no step reveals them.

    The check needs some step that reveals cards.
    """
    used_places = {
        place
        for model in (game.settlement, *game.facts.values())
        for inner in iterate_models(model)
        for hand in _list_hands(inner)
        for place in game.hands[hand].from_
    }
    reveals = [step for step in game.all_acts.values() if "reveal" in step.events]
    for place in ("dealer", "community"):
        is_face_up = any(face != "down" for face in game.deal.list_faces(place))
        is_revealed = not reveals or any(step.place in (None, place) for step in reveals)
        if place in used_places and not is_face_up and not is_revealed:
            yield (
                ("acts",),
                f"the {place}'s cards are dealt face down and decide payments, but no step reveals them",
                f"add a step with `event: reveal` and `place: {place}`",
            )


def _list_hands(part: object) -> Iterator[str]:
    if isinstance(part, HandComparison):
        yield from (part.hand, part.to)
    elif isinstance(part, Holds):
        yield part.hand


_HAND_PREFIX = "hand "
"""Prefix of the name of a hand, which may equal the name of a place."""


@error("wrong-step")
def find_wrong_declaring_step(context: GameContext, miscount: Miscount, here: DataPath) -> Mistakes:
    """Find a miscount that names a step without the event that declares it."""
    if "misdeal" not in context.game.all_acts[miscount.declared].events:
        message = f"the step {miscount.declared} has no event `misdeal`"
        yield (*here, "declared"), message, "name the step with `event: misdeal`"


@error("wrong-step", "a hand of a seat is declared dead at the place `player`, a round at `table`")
def find_wrong_declaring_place(context: GameContext, miscount: Miscount, here: DataPath) -> Mistakes:
    """Find a miscount that voids a seat, although its step happens elsewhere, or the other way around."""
    place = context.game.all_acts[miscount.declared].place
    if place is not None and (miscount.voids == "seat") != (place == "player"):
        message = f"this voids the {miscount.voids}, but {miscount.declared} happens at the place `{place}`"
        yield (*here, "declared"), message


@warning("never-declared")
def find_undeclared_miscount(context: GameContext, miscount: Miscount, here: DataPath) -> Mistakes:
    """Find a step whose condition excludes the miscount that the step should declare."""
    step, place = context.game.all_acts[miscount.declared], miscount.place
    condition = context.terms.build_formula(step.when)
    for deviation, formula in _build_miscount_formulas(context.terms, place).items():
        if not context.terms.may_hold(conjoin([condition, formula])):
            yield (
                (*context.game.locate_act(miscount.declared), "when"),
                f"{miscount.declared} declares {deviation} cards of the {place}, but its condition excludes them",
                f"change `when` so that it holds if the {place} has another number of cards",
            )
            return


@warning("never-settled", "add a case, before the others, for wagers of hands with a wrong number of cards")
def find_unsettled_miscount(context: GameContext, miscount: Miscount, here: DataPath) -> Mistakes:
    """Find a miscount that voids a seat or a round, although no case of settlement covers it.

    A void hand must be settled on every line. A void round may be settled differently on each line.
    """
    game, terms = context.game, context.terms
    unsettled = [
        (line, deviation)
        for line in game.settlement.order
        for deviation, formula in _build_miscount_formulas(terms, miscount.place).items()
        if not any(
            terms.may_hold(conjoin([formula, terms.build_formula(case.when)]))
            for case in game.settlement.cases
            if case.when is not None
            and line in case.lines
            and {miscount.place, miscount.declared} & _list_used_parts(game, case)
        )
    ]
    is_never_settled = len({line for line, _ in unsettled}) == len(game.settlement.order)
    if not unsettled or not (miscount.voids == "seat" or is_never_settled):
        return
    line, deviation = unsettled[0]
    if (line, "too few") in unsettled and deviation != "too few":
        deviation = "a wrong number of"
    scope = "settlement" if is_never_settled else line
    yield (
        here,
        f"no case of {scope} covers {deviation} cards of the {miscount.place}, although that voids the "
        f"{miscount.voids}",
    )


@warning("order-mismatch")
def find_late_count(context: GameContext, miscount: Miscount, here: DataPath) -> Mistakes:
    """Find a case that uses a hand before an earlier case has excluded a wrong number of cards."""
    game = context.game
    hands = {f"{_HAND_PREFIX}{name}" for name, hand in game.hands.items() if miscount.place in hand.from_}
    for line in game.settlement.order:
        cases = [(index, case) for index, case in enumerate(game.settlement.cases) if line in case.lines]
        uses = [_list_used_parts(game, case) for _, case in cases]
        nth = next((nth for nth, used in enumerate(uses) if {miscount.place, miscount.declared} & used), 0)
        early = next((number for number in range(nth) if hands & uses[number]), None)
        if early is not None:
            index, case = cases[early]
            first = cases[nth][1].case
            yield (
                ("settlement", "cases", index, "case"),
                f"{case.case} uses a hand of the {miscount.place} before {first} checks that it has the right number "
                "of cards",
                f"put {first} before the cases that use hands",
            )


def _build_miscount_formulas(terms: PropositionBuilder, place: Place) -> dict[str, Formula]:
    """Build formulas for too many and too few cards at a place, with the dealt number everywhere else."""
    deal = terms.game.deal
    if place not in deal.cards or place in deal.held:
        return {"a wrong number of": True}

    def cards(of: Place, how: str) -> Formula:
        return terms.build_formula(Condition.model_validate({"cards": of, how: deal.cards[of]}))

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
        for part in iterate_models(pending.pop()):
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
