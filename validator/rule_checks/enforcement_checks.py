"""Checks of enforcement: terms of a game that no requirement checks."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from fairdeal.validator.language.grammar import walk_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.language.submission_conditions import Every, Value
from fairdeal.validator.operators.event_operators import EventShows
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.wager_operators import JUDGED_STAKE, WagerIs
from fairdeal.validator.propositions import Formula, conjoin, negate
from fairdeal.validator.rule_checks.check_context import DocumentContext, GameCheck
from fairdeal.validator.rulebook.lint.rule_check import RuleMistake
from fairdeal.validator.rules.deal_model import DealtCheck
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.requirement_model import RoundCheck
from fairdeal.validator.text.positioned_document import DataPath


def _build(path: DataPath, message: str, help_: str) -> RuleMistake:
    return RuleMistake(path=path, at_key=True, message=message, help=help_)


class EnforcementCheck(GameCheck[Game]):
    """A check that requirements enforce a term of the game."""

    code = "unenforced"
    severity = "warning"
    on = Game


class UnenforcedNeed(EnforcementCheck):
    """No requirement fails if a wager is placed without what it needs."""

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        terms = context.terms
        for name, wager in part.wagers.items():
            if wager.needs is not None:
                placed = terms.build_formula(Condition.model_validate({"placed": name}))
                if not _is_enforced(context, conjoin([placed, negate(terms.build_formula(wager.needs))])):
                    yield _build(
                        ("wagers", name, "needs"),
                        f"no requirement fails if {name} is placed without what it needs",
                        "add `requirements` to the wager, with an instance of `wager-beside-another` or one of your "
                        "own",
                    )


def _is_enforced(context: DocumentContext, violation: Formula) -> bool:
    """Return whether some requirement applies to a violation and fails for it."""
    terms = context.terms
    for requirement in context.regulation.requirements:
        check = requirement.check.operand
        if isinstance(check, RoundCheck):
            applying = conjoin([violation, True if check.when is None else terms.build_formula(check.when)])
            if terms.may_hold(applying) and not terms.may_hold(conjoin([applying, terms.build_formula(check.must)])):
                return True
    return False


class UnenforcedMultiple(EnforcementCheck):
    """No requirement checks the amount of a wager that must be a multiple of another."""

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        amounts = _list_checked_wagers(context, {"amount"})
        for name, wager in part.wagers.items():
            if wager.of is not None and name not in amounts:
                yield _build(
                    ("wagers", name, "amount"),
                    f"no requirement checks the amount of {name}, which must be a multiple of {wager.of}",
                    "add `requirements` to the wager, with an instance of `multiple-of-a-wager` or one of your own",
                )


class UnenforcedTurnOfDeal(EnforcementCheck):
    """No requirement checks the order in which cards are dealt."""

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        requirements = context.regulation.requirements
        if not any(isinstance(requirement.check.operand, DealtCheck) for requirement in requirements):
            yield _build(
                ("deal", "stages", 0),
                "no requirement checks the order in which cards are dealt",
                "add a requirement with the check `dealt: {asks: turn}`",
            )


class UnenforcedFace(EnforcementCheck):
    """No requirement checks on which side the cards of a stage lie."""

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        checked = {
            condition.operand.face
            for requirement in context.regulation.requirements
            for _, condition in walk_models(requirement.check, ())
            if isinstance(condition, Condition) and isinstance(OPERATORS.find(condition), EventShows)
        }
        for index, stage in enumerate(part.deal.stages):
            if stage.face is not None and stage.face not in checked:
                yield _build(
                    ("deal", "stages", index, "face"),
                    f"no requirement checks that cards are dealt face {stage.face}",
                    "add a requirement that is an instance of `lies-face`",
                )


class UnenforcedLimits(EnforcementCheck):
    """Limits must be posted for a wager, but no requirement checks stakes on it, as for other wagers."""

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the wagers whose posted limits nothing enforces, if those of others are enforced."""
        posted, checked = _list_posted_wagers(context), _list_checked_wagers(context, {"minimum", "maximum"})
        for name, wager in part.wagers.items():
            if checked & posted and wager.of is None and name in posted - checked:
                yield _build(
                    ("wagers", name),
                    f"limits must be posted for {name}, but no requirement checks stakes on it",
                    "name it in the requirement that checks the limits of other wagers",
                )


def _list_posted_wagers(context: DocumentContext) -> set[str]:
    """Return the wagers for which some requirement requires posted limits."""
    posted = set[str]()
    for requirement in context.regulation.requirements:
        for _, part in walk_models(requirement.check, ()):
            if isinstance(part, Every) and part.in_ == "wagers":
                values = [value for _, value in walk_models(part, ()) if isinstance(value, Value)]
                if {".minimum", ".maximum"} & {value.at for value in values}:
                    named = [value for value in values if value.at == ".wager" and value.operator == "one-of"]
                    posted |= {name for value in named for name in value.operand}
    return posted


def _list_checked_wagers(context: DocumentContext, quantities: Collection[str]) -> set[str]:
    """Return the wagers for which requirements use one of some quantities, by name or as the judged stake."""
    wagers = set[str]()
    for requirement in context.regulation.requirements:
        parts = [part for _, part in walk_models(requirement.check, ())]
        conditions = [
            part for part in parts if isinstance(part, Condition) and isinstance(OPERATORS.find(part), WagerIs)
        ]
        named = {name for condition in conditions for name in condition.operand}
        for part in parts:
            if isinstance(part, Quantity) and part.operator in quantities:
                wagers |= (named or {*context.game.wagers}) if part.operand == JUDGED_STAKE else {part.operand}
    return wagers


CHECKS = (UnenforcedNeed, UnenforcedMultiple, UnenforcedTurnOfDeal, UnenforcedFace, UnenforcedLimits)
"""Checks of enforcement."""
