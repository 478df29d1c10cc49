"""Warnings about terms of a game that no requirement enforces."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from validator.cautions.caution import Caution
from validator.language.conditions import Condition, Quantity
from validator.language.submission.conditions import Value
from validator.operators.events import Event
from validator.operators.stakes import THIS, WagerIs
from validator.operators.submission.lists import Every
from validator.operators.terms import Terms
from validator.propositions.formula import Formula, denied, every
from validator.rules.core.visitor import walk
from validator.rules.model.deal import DealtCheck
from validator.rules.model.requirement import RoundCheck
from validator.text.trees.tree import Path


def unasked(terms: Terms) -> Iterator[Caution]:
    """Yield warnings about terms of a game that no requirement enforces: needs and limits of wagers, order and faces of
    the deal."""
    game, requirements = terms.game, terms.prepared.regulation.requirements
    for name, wager in game.wagers.items():
        if wager.needs is not None:
            placed = terms.formula(Condition.model_validate({"placed": name}))
            if not _is_enforced(terms, every([placed, denied(terms.formula(wager.needs))])):
                yield _build_unenforced_warning(
                    ("wagers", name, "needs"),
                    f"no requirement fails if {name} is placed without what it needs",
                    "add `requirements` to the wager, with an instance of `wager-beside-another` or one of your own",
                )
    amounts = _list_checked_wagers(terms, {"amount"})
    for name, wager in game.wagers.items():
        if wager.of is not None and name not in amounts:
            yield _build_unenforced_warning(
                ("wagers", name, "amount"),
                f"no requirement checks the amount of {name}, which must be a multiple of {wager.of}",
                "add `requirements` to the wager, with an instance of `multiple-of-a-wager` or one of your own",
            )
    if not any(isinstance(requirement.check.operand, DealtCheck) for requirement in requirements):
        yield _build_unenforced_warning(
            ("deal", "stages", 0),
            "no requirement checks the order in which cards are dealt",
            "add a requirement with the check `dealt: {asks: turn}`",
        )
    checked_faces = {
        part.operand.face
        for requirement in requirements
        for _, part in walk(requirement.check, ())
        if isinstance(part, Condition) and isinstance(part.meaning, Event)
    }
    for index, stage in enumerate(game.deal.stages):
        if stage.face is not None and stage.face not in checked_faces:
            yield _build_unenforced_warning(
                ("deal", "stages", index, "face"),
                f"no requirement checks that cards are dealt face {stage.face}",
                "add a requirement that is an instance of `lies-face`",
            )
    yield from _find_unenforced_limits(terms)


def _find_unenforced_limits(terms: Terms) -> Iterator[Caution]:
    """Yield warnings about wagers whose posted limits no requirement enforces, although others are enforced."""
    game, posted, checked = terms.game, set[str](), _list_checked_wagers(terms, {"minimum", "maximum"})
    for requirement in terms.prepared.regulation.requirements:
        for _, part in walk(requirement.check, ()):
            if isinstance(part, Every) and part.in_ == "wagers":
                values = [value for _, value in walk(part, ()) if isinstance(value, Value)]
                if {".minimum", ".maximum"} & {value.at for value in values}:
                    posted |= {name for value in values if value.at == ".wager" for name in _list_choices(value)}
    for name, wager in game.wagers.items():
        if checked & posted and wager.of is None and name in posted - checked:
            yield _build_unenforced_warning(
                ("wagers", name),
                f"limits must be posted for {name}, but no requirement checks stakes on it",
                "name it in the requirement that checks the limits of other wagers",
            )


def _list_checked_wagers(terms: Terms, quantities: Collection[str]) -> set[str]:
    """Return the wagers for which requirements use one of some quantities, by name or as the judged stake."""
    wagers = set[str]()
    for requirement in terms.prepared.regulation.requirements:
        parts = [part for _, part in walk(requirement.check, ())]
        named = {name for part in parts if isinstance(part, Condition) for name in _list_wagers(part)}
        for part in parts:
            if isinstance(part, Quantity) and part.operator in quantities:
                wagers |= (named or {*terms.game.wagers}) if part.operand == THIS else {part.operand}
    return wagers


def _list_choices(value: Value) -> list[str]:
    return value.operand if value.operator == "one-of" else []


def _list_wagers(condition: Condition) -> list[str]:
    return condition.operand if isinstance(condition.meaning, WagerIs) else []


def _is_enforced(terms: Terms, violation: Formula) -> bool:
    """Return whether some requirement applies to a violation and fails for it."""
    for requirement in terms.prepared.regulation.requirements:
        check = requirement.check.operand
        if isinstance(check, RoundCheck):
            applying = every([violation, True if check.when is None else terms.formula(check.when)])
            if terms.may_hold(applying) and not terms.may_hold(every([applying, terms.formula(check.must)])):
                return True
    return False


def _build_unenforced_warning(at: Path, message: str, help_: str) -> Caution:
    return Caution(code="unenforced", at=at, at_key=True, severity="warning", message=message, help=help_)
