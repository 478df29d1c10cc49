"""What is said twice under two names: conditions, checks, titles, ways of dealing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from validator.cautions.caution import Caution
from validator.language.conditions import Condition
from validator.operators.logic import All, AnyOf
from validator.rules.model.game import Game
from validator.rules.model.requirement import RequirementFile
from validator.text.trees.tree import Path


def repeated_in_game(game: Game) -> Iterator[Caution]:
    """Names of a game that stand for the same."""
    facts = [(("facts", name), name, _in_any_order(fact)) for name, fact in game.facts.items()]
    yield from _twice(facts, "the facts {} and {} are one condition", "one may be a copy that was to be changed")
    for key, named in (("wagers", game.wagers | game.bonuses), ("hands", game.hands), ("decisions", game.decisions)):
        titled = [
            ((key if name in getattr(game, key) else "bonuses", name, "title"), name, one.title)
            for name, one in named.items()
        ]
        yield from _twice(titled, f"the {key} {{}} and {{}} have one title", "say what tells them apart")
    steps = [
        (("procedure", index, "title"), one.step, f"{one.title} {one.stage}")
        for index, one in enumerate(game.procedure)
        if not one.aside
    ]
    yield from _twice(steps, "the steps {} and {} have one title", "say what tells them apart")
    ways = [
        (
            ("deal", "stages", 0, "ways", name),
            name,
            repr([stage.ways[name] for stage in game.deal.stages if stage.ways]),
        )
        for name in game.deal.stages[0].ways
    ]
    yield from _twice(ways, "the ways of dealing {} and {} are the same", "hold the passes of both against the text")


def repeated_checks(file: RequirementFile) -> Iterator[Caution]:
    """Requirements that ask for the same, so that one lapse is found twice."""
    checks = [
        (("requirements", index, "check"), one.requirement, repr(one.check))
        for index, one in enumerate(file.requirements)
    ]
    yield from _twice(checks, "{} and {} ask for the same: a lapse is found twice", "take one away, with its clauses")


def _in_any_order(condition: Condition) -> str:
    """What a condition says, whatever the order of the parts of `all` and `any` in it."""
    if isinstance(condition.meaning, All | AnyOf):
        parts = sorted(map(_in_any_order, condition.meaning.parts(condition.operand)))
        return f"{condition.operator} {parts}"
    return repr(condition)


def _twice(said: Iterable[tuple[Path, str, str]], message: str, help_: str) -> Iterator[Caution]:
    """Of things, each with its place, its name and what it says, those that say what an earlier one does."""
    seen: dict[str, str] = {}
    for place, name, what in said:
        if what in seen:
            yield Caution(
                code="told-twice", at=place, severity="warning", message=message.format(seen[what], name), help=help_
            )
        seen.setdefault(what, name)
