"""Semantic errors in requirements: recipes of faults, checks across rounds, patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from fairdeal.validator.evidence.handlog.event_kinds import NO_DECISION
from fairdeal.validator.language.grammar import Grain, PlacedModels, includes_grain
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators.operator_interface import Problem
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.rulebook.vocabulary import pattern_instances, pattern_model
from fairdeal.validator.rules.fault_model import EarlierFault, Fault
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.procedure_model import EveryCheck, NeededCheck, SuccessionCheck
from fairdeal.validator.rules.requirement_model import Check, Requirement
from fairdeal.validator.text.model_problems import explain_errors
from fairdeal.validator.text.positioned_document import Data, DataPath
from fairdeal.validator.text.validation import to_json

STAKE_EVENTS = ("wager", "collect", "pay", "return")
"""Events about one stake."""
PLACE_EVENTS = ("reveal", "collect-cards", "misdeal")
"""Events at a place: of every seat for the place `player`, otherwise of the round."""
EXCHANGE_EVENTS = ("discard", "draw")
"""Events in which cards of a place, or the rest of the deck, are put aside, or other cards replace them."""
CHIP_EVENTS = ("chips-in", "chips-out")
"""Events of chips that arrive at the table or leave it."""
SEAT_EVENTS = ("leave", "arrive", *CHIP_EVENTS)
"""Events about a seat only."""
ROUND_OR_SEAT_EVENTS = ("announce", "device", "fault", "remedy")
"""Events of the whole round, or of every seat in a step of each seat."""
POT_EVENTS = ("rake", "award", "drop")
"""Events about pots."""
ROUND_EVENTS = (*ROUND_OR_SEAT_EVENTS, "shuffle", "cut", "deck", "count", "outcome")
"""Events that may concern the whole round."""
SIMULATED_EVENTS = frozenset(
    (
        *STAKE_EVENTS,
        *PLACE_EVENTS,
        *EXCHANGE_EVENTS,
        *SEAT_EVENTS,
        *POT_EVENTS,
        *ROUND_EVENTS,
        "claim",
        "deal",
        "decide",
        "set",
        "split",
        "tuck",
    )
)
"""Kinds that may occur in regular play. Exposed cards occur only with irregularities."""
INSERTABLE_EVENTS = SIMULATED_EVENTS - {"deal", "draw", "set"}
"""Kinds that a fault may add on their own."""
NUMBERED_EVENTS = frozenset({"count"})
"""Kinds that always state a number."""


_SHOWN_ACTS = frozenset({"decision", "less", "more", "puts-in", "below-smallest", "more-than-stack"})
"""Faults of an action that a player can announce ahead: decisions and amounts."""


def find_fault_problems(game: Game, requirement: Requirement) -> Iterator[Problem]:
    """Yield problems with the fault of a requirement.

    A decision must be one of the game unless the fault is `other-decision`. Only an action of a player can be announced
    ahead.
    """
    fault = requirement.stated_fault
    if fault is None:
        return
    yield from _check_decision(game, fault, ("fault",))
    act = fault.act if fault.operator == "act" else None
    if act is not None and act.manner is not None and act.operator not in _SHOWN_ACTS:
        yield ("fault", "act", "manner"), "only a decision or a bet can be announced ahead"
    if fault.upon is not None:
        yield from _check_decision(game, fault.upon, ("fault", "upon"))


def _check_decision(game: Game, fault: Fault | EarlierFault, here: DataPath) -> Iterator[Problem]:
    if fault.operator == "decision" and fault.operand not in (*game.decisions, NO_DECISION):
        yield (
            (*here, "decision"),
            f"{fault.operand} is neither a decision of the game nor {NO_DECISION}; "
            "use `other-decision` for a decision that the game does not define",
        )
    elif fault.operator == "other-decision" and fault.operand in game.decisions:
        yield (*here, "other-decision"), f"{fault.operand} is a decision of the game"


def explain_unplantable(game: Game, fault: Fault | EarlierFault, *, settling: bool) -> str | None:
    """Return why no round of a game can have a fault, in a sentence; None if one can. `settling`: the check is on
    payments."""
    operand, events = fault.operand, {name: [*act.events] for name, act in game.all_acts.items()}
    grain: Grain = "event" if fault.operator == "act" else "seat"
    if fault.where is not None and not includes_grain(grain, OPERATORS.find_grain(fault.where, game)):
        return "`where` must refer to rounds or seats"
    match fault.operator:
        case "act" | "award" | "rake" | "between" | "stack" if game.betting is None:
            return "players do not bet against each other"
        case "pay" if not settling:
            return "it changes payments, which this requirement does not check"
        case "stake" | "withdraw" if operand.wager not in game.wagers:
            return f"`{operand.wager}` is not a wager"
        case "withdraw" if events[operand.step] != ["withdraw"]:
            return f"the step `{operand.step}` does not withdraw a wager"
        case "expose" if events[operand] != ["expose"]:
            return f"the step `{operand}` does not expose cards"
        case "insert" if not INSERTABLE_EVENTS.issuperset(events[operand.step]):
            return f"the step `{operand.step}` cannot be recorded on its own"
        case _:
            return None


def find_session_problems(
    game: Game, check: EveryCheck | SuccessionCheck | NeededCheck, here: DataPath
) -> Iterator[Problem]:
    """Yield the problems of a check across rounds that is located at `here`."""
    match check:
        case SuccessionCheck() if check.each == "player" and check.operator != "must":
            yield (*here, "each"), "`each: player` requires `must`"
        case SuccessionCheck() if check.operator == "copies-since" and (
            game.deck is None or game.deck.lasts == "one-round"
        ):
            yield (
                (*here, "copies-since"),
                "every round is dealt from all cards: state `lasts: until-shuffled` at `deck`",
            )
        case SuccessionCheck() if check.deck != "other" and (check.received or check.removed):
            name = "received" if check.received else "removed"
            yield (*here, name), "requires `deck: other`, which checks two decks in turn"
        case EveryCheck() if check.counts is not None and check.within.operator == "hours":
            yield (*here, "counts"), "hours pass in every round: only rounds can be counted selectively"
        case NeededCheck() if check.per == "round" and "table-opens" in check.occasions:
            yield (
                (*here, "since"),
                "a table opens outside rounds: use `per: table` or `per: deck`",
            )


def find_previous_round_problems(parts: PlacedModels) -> Iterator[Problem]:
    """Yield references to the previous round outside checks that compare rounds with it."""
    references = [
        path
        for path, part in parts
        if isinstance(part, Condition | Quantity) and OPERATORS.find(part).reads_previous_round
    ]
    allowed = set(_list_allowed_places(parts)) if references else set()
    for path in references:
        if path not in allowed:
            yield (
                path,
                "only `succession` with `must` can refer to the previous round, not facts, counts or totals",
            )


def _list_allowed_places(parts: PlacedModels) -> Iterator[DataPath]:
    """Yield the places of conditions and quantities that may refer to the previous round."""
    open_: list[DataPath] = []
    closed: list[DataPath] = []
    for path, part in parts:
        if isinstance(part, SuccessionCheck) and part.operator == "must":
            open_, closed = [(*path, "must"), (*path, "when")], []
        elif isinstance(part, Condition | Quantity) and _is_inside(path, open_) and not _is_inside(path, closed):
            yield path
            if not OPERATORS.find(part).parts_may_read_previous_round:
                closed.append(path)


def _is_inside(path: DataPath, places: Sequence[DataPath]) -> bool:
    return any(path[: len(place)] == place for place in places)


_NUMBER = re.compile(r"[0-9]+")
_HARMLESS = frozenset({"0", "1"})


def find_pattern_problems(file: pattern_model.PatternsFile) -> Iterator[Problem]:
    """Yield the problems of the patterns of a vocabulary."""
    for name, pattern in file.patterns.items():
        here: DataPath = ("patterns", name)
        yield from _find_hidden_numbers(pattern, here)
        unknown = list(_check_placeholders(pattern, here))
        yield from unknown
        if not unknown:
            yield from _check_bodies(pattern, here)


def _find_hidden_numbers(pattern: pattern_model.Pattern, here: DataPath) -> Iterator[Problem]:
    """Yield numbers that only the text of a regulation could state, written in digits in a pattern."""
    content: dict[str, Any] = {key: getattr(pattern, key) for key in (*pattern_instances.TEXT_KEYS, "check", "fault")}
    content["parameters"] = {name: {"usually": parameter.usually} for name, parameter in pattern.parameters.items()}
    for path, value in _walk(content, here):
        if not isinstance(value, (dict, list, bool)) and value is not None:
            numbers = [digits for digits in _NUMBER.findall(str(value)) if digits not in _HARMLESS]
            if numbers:
                yield (
                    path,
                    f"a pattern may contain no number but 0 and 1, but this one contains {numbers[0]}: make it a "
                    "parameter",
                )


def _check_placeholders(pattern: pattern_model.Pattern, here: DataPath) -> Iterator[Problem]:
    """Yield placeholders without a parameter or at a wrong place, and parameters without a placeholder."""
    used: set[str] = set()
    for key in pattern_instances.TEXT_KEYS:
        for name in pattern_model.PLACEHOLDER.findall(getattr(pattern, key) or ""):
            used.add(name)
            if name not in pattern.parameters:
                yield (*here, key), f"the pattern has no parameter `{name}`"
            elif (
                pattern.parameters[name].optional
                or not pattern_model.PARAMETER_KINDS[pattern.parameters[name].kind].may_be_in_text
            ):
                yield (*here, key), f"`{name}` cannot be used in text: it is a condition, or optional"
    for key in ("check", "fault"):
        for path, value in _walk(getattr(pattern, key), (*here, key)):
            mark = pattern_instances.get_placeholder_name(value)
            name = mark or (
                str(value[pattern_model.FOR_EACH_KEY])
                if isinstance(value, dict) and pattern_model.FOR_EACH_KEY in value
                else None
            )
            if name is None:
                continue
            used.add(name)
            if name not in pattern.parameters:
                yield path, f"the pattern has no parameter `{name}`"
            elif mark is None and pattern_model.PARAMETER_KINDS[pattern.parameters[name].kind].item_type is None:
                yield path, f"`{name}` is no list, so `for-each` cannot iterate over it"
    for name in pattern.parameters:
        if name == pattern_instances.PATTERN_NAME_KEY:
            yield (
                (*here, "parameters", name),
                f"`{pattern_instances.PATTERN_NAME_KEY}` is reserved for the name of the pattern",
            )
        elif name not in used:
            yield (*here, "parameters", name), f"the pattern does not use the parameter `{name}`"


def _check_bodies(pattern: pattern_model.Pattern, here: DataPath) -> Iterator[Problem]:
    """Yield the problems of a check or fault with a sample value in every placeholder."""
    for key, data in pattern_instances.build_sample_bodies(pattern).items():
        model = Check if key == "check" else Fault
        try:
            model.model_validate_json(to_json(data))
        except ValidationError as error:
            errors = error.errors(include_url=False, include_input=False)
            for problem in explain_errors(errors, model, data, ()):
                yield (*here, key, *problem.path), problem.text.message


def _walk(value: Data, here: DataPath) -> Iterator[tuple[DataPath, Data]]:
    yield here, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(item, (*here, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _walk(item, (*here, number))
