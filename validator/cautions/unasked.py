"""What a game states and no requirement asks for, so that who breaks it breaks nothing."""

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
    """Needs and limits of wagers, the turn of the deal and how dealt cards lie, where no requirement asks for them."""
    game, requirements = terms.game, terms.prepared.regulation.requirements
    for name, wager in game.wagers.items():
        if wager.needs is not None:
            placed = terms.formula(Condition.model_validate({"placed": name}))
            if not _is_broken(terms, every([placed, denied(terms.formula(wager.needs))])):
                yield _unasked(
                    ("wagers", name, "needs"),
                    f"no requirement is broken where {name} is placed without what it needs",
                    "beside the wager, say `requirements` with an instance of `wager-beside-another`, or your own",
                )
    amounts = _wagers_of(terms, {"amount"})
    for name, wager in game.wagers.items():
        if wager.of is not None and name not in amounts:
            yield _unasked(
                ("wagers", name, "amount"),
                f"no requirement looks at the amount of {name}, which must be a multiple of {wager.of}",
                "beside the wager, say `requirements` with an instance of `multiple-of-a-wager`, or your own",
            )
    if not any(isinstance(one.check.operand, DealtCheck) for one in requirements):
        yield _unasked(
            ("deal", "stages", 0),
            "no requirement asks in which turn cards are dealt",
            "add one with the check `dealt: {asks: turn}`",
        )
    asked = {
        part.operand.face
        for one in requirements
        for _, part in walk(one.check, ())
        if isinstance(part, Condition) and isinstance(part.meaning, Event)
    }
    for index, stage in enumerate(game.deal.stages):
        if stage.face is not None and stage.face not in asked:
            yield _unasked(
                ("deal", "stages", index, "face"),
                f"no requirement asks whether cards are dealt face {stage.face}",
                "add one that is an instance of `lies-face`",
            )
    yield from _limits(terms)


def _limits(terms: Terms) -> Iterator[Caution]:
    """Stakes are held to the limits that houses must post, where stakes on other wagers are."""
    game, posted, held = terms.game, set[str](), _wagers_of(terms, {"minimum", "maximum"})
    for requirement in terms.prepared.regulation.requirements:
        for _, part in walk(requirement.check, ()):
            if isinstance(part, Every) and part.in_ == "wagers":
                values = [value for _, value in walk(part, ()) if isinstance(value, Value)]
                if {".minimum", ".maximum"} & {value.at for value in values}:
                    posted |= {name for value in values if value.at == ".wager" for name in _one_of(value)}
    for name, wager in game.wagers.items():
        if held & posted and wager.of is None and name in posted - held:
            yield _unasked(
                ("wagers", name),
                f"limits must be posted for {name}, and no requirement holds stakes on it to them",
                "name it too where stakes on other wagers are held to their limits",
            )


def _wagers_of(terms: Terms, quantities: Collection[str]) -> set[str]:
    """The wagers of which requirements ask for one of some quantities, by themselves or as the stake that is judged."""
    found = set[str]()
    for requirement in terms.prepared.regulation.requirements:
        parts = [part for _, part in walk(requirement.check, ())]
        named = {name for part in parts if isinstance(part, Condition) for name in _wagers(part)}
        for part in parts:
            if isinstance(part, Quantity) and part.operator in quantities:
                found |= (named or {*terms.game.wagers}) if part.operand == THIS else {part.operand}
    return found


def _one_of(value: Value) -> list[str]:
    return value.operand if value.operator == "one-of" else []


def _wagers(condition: Condition) -> list[str]:
    return condition.operand if isinstance(condition.meaning, WagerIs) else []


def _is_broken(terms: Terms, asked: Formula) -> bool:
    """Whether some requirement speaks of what is asked, and can then not be fulfilled."""
    for requirement in terms.prepared.regulation.requirements:
        check = requirement.check.operand
        if isinstance(check, RoundCheck):
            there = every([asked, True if check.when is None else terms.formula(check.when)])
            if terms.may_hold(there) and not terms.may_hold(every([there, terms.formula(check.must)])):
                return True
    return False


def _unasked(at: Path, message: str, help_: str) -> Caution:
    return Caution(code="asked-by-nobody", at=at, at_key=True, severity="warning", message=message, help=help_)
