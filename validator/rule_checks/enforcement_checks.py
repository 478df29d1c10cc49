"""Checks of enforcement: terms of a game that no requirement checks."""

from __future__ import annotations

from collections.abc import Collection

from fairdeal.validator.language.grammar import iterate_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.language.submission_conditions import Every, Value
from fairdeal.validator.operators.event_operators import EventShows
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.wager_operators import JUDGED_STAKE, WagerIs
from fairdeal.validator.propositions import Formula, conjoin, negate
from fairdeal.validator.rule_checks.check_context import GameContext
from fairdeal.validator.rulebook.lint.rule_check import Mistakes, warning
from fairdeal.validator.rules.deal_model import DealtCheck
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.requirement_model import RoundCheck
from fairdeal.validator.text.positioned_document import DataPath

_CODE = "unenforced"


@warning(_CODE, "add `requirements` to the wager, with an instance of `wager-beside-another` or one of your own")
def find_unenforced_need(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a wager for which no requirement fails if it is placed without what it needs.

    A stake that stays may lie without that, so a requirement must distinguish what was brought.
    """
    distinguished = _list_checked_wagers(context, {"brought"})
    for name, wager in game.wagers.items():
        if name in game.staying_wagers and name in distinguished:
            continue
        if wager.needs is not None:
            placed = context.terms.build_formula(Condition.model_validate({"placed": name}))
            if not _is_enforced(context, conjoin([placed, negate(context.terms.build_formula(wager.needs))])):
                yield ("wagers", name, "needs"), f"no requirement fails if {name} is placed without what it needs"


def _is_enforced(context: GameContext, violation: Formula) -> bool:
    """Return whether some requirement applies to a violation and fails for it."""
    terms = context.terms
    for requirement in context.regulation.requirements:
        check = requirement.check.operand
        if isinstance(check, RoundCheck):
            applying = conjoin([violation, terms.build_formula(check.when)])
            if terms.may_hold(applying) and not terms.may_hold(conjoin([applying, terms.build_formula(check.must)])):
                return True
    return False


@warning(_CODE, "add `requirements` to the wager, with an instance of `multiple-of-a-wager` or one of your own")
def find_unenforced_multiple(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a wager that must be a multiple of another, or lie behind it, although no requirement checks that."""
    amounts, behind = (_list_checked_wagers(context, {quantity}) for quantity in ("amount", "behind"))
    for name, wager in game.wagers.items():
        if wager.behind is not None and name not in behind:
            yield ("wagers", name, "behind"), f"no requirement checks that {name} lies behind {wager.behind}"
        if wager.of is not None and name not in amounts:
            message = f"no requirement checks the amount of {name}, which must be a multiple of {wager.of}"
            yield ("wagers", name, "amount"), message


@warning(_CODE, "add a requirement with the check `dealt: {asks: turn}`")
def find_unenforced_turn_of_deal(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a game in which no requirement checks the order in which cards are dealt."""
    requirements = context.regulation.requirements
    if game.deal.stages and not any(isinstance(requirement.check.operand, DealtCheck) for requirement in requirements):
        yield ("deal", "stages", 0), "no requirement checks the order in which cards are dealt"


@warning(_CODE, "add a requirement that is an instance of `lies-face`")
def find_unenforced_face(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a stage whose cards lie on a side that no requirement checks."""
    checked = {
        condition.operand.face
        for parts in context.check_parts.values()
        for condition in parts
        if isinstance(condition, Condition) and isinstance(OPERATORS.find(condition), EventShows)
    }
    for index, stage in enumerate(game.deal.stages):
        if stage.face is not None and stage.face not in checked:
            yield ("deal", "stages", index, "face"), f"no requirement checks that cards are dealt face {stage.face}"


@warning(_CODE, "name it in the requirement that checks the limits of other wagers")
def find_unenforced_limits(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a wager whose limits must be posted, although no requirement checks stakes on it, as for other wagers."""
    posted, checked = _list_posted_wagers(context), _list_checked_wagers(context, {"minimum", "maximum"})
    for name, wager in game.wagers.items():
        if checked & posted and wager.of is None and name in posted - checked:
            yield ("wagers", name), f"limits must be posted for {name}, but no requirement checks stakes on it"


def _list_posted_wagers(context: GameContext) -> set[str]:
    """Return the wagers for which some requirement requires posted limits."""
    posted = set[str]()
    for parts in context.check_parts.values():
        for part in parts:
            if isinstance(part, Every) and part.in_ == "wagers":
                values = [value for value in iterate_models(part) if isinstance(value, Value)]
                if {".minimum", ".maximum"} & {value.at for value in values}:
                    named = [value for value in values if value.at == ".wager" and value.operator == "one-of"]
                    posted |= {name for value in named for name in value.operand}
    return posted


def _list_checked_wagers(context: GameContext, quantities: Collection[str]) -> set[str]:
    """Return the wagers for which requirements use one of some quantities, by name or as the judged stake."""
    wagers = set[str]()
    for parts in context.check_parts.values():
        conditions = [
            part for part in parts if isinstance(part, Condition) and isinstance(OPERATORS.find(part), WagerIs)
        ]
        named = {name for condition in conditions for name in condition.operand}
        for part in parts:
            if isinstance(part, Quantity) and part.operator in quantities:
                wagers |= (named or {*context.game.wagers}) if part.operand == JUDGED_STAKE else {part.operand}
    return wagers
