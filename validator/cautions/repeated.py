"""Warnings about duplicates under two names: conditions, checks, titles, ways of dealing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from validator.cautions.caution import Caution
from validator.language.conditions import Condition
from validator.operators.logic import All, AnyOf
from validator.rules.model.game import Game
from validator.rules.model.requirement import RequirementFile
from validator.text.trees.tree import Path


def repeated_in_game(game: Game) -> Iterator[Caution]:
    """Yield warnings about names of a game that mean the same."""
    facts = [(("facts", name), name, _normalize(fact)) for name, fact in game.facts.items()]
    yield from _find_duplicates(
        facts, "the facts {} and {} have the same condition", "one may be a copy that should have been changed"
    )
    for key, named in (("wagers", game.wagers | game.bonuses), ("hands", game.hands), ("decisions", game.decisions)):
        titled = [
            ((key if name in getattr(game, key) else "bonuses", name, "title"), name, named_part.title)
            for name, named_part in named.items()
        ]
        yield from _find_duplicates(
            titled, f"the {key} {{}} and {{}} have the same title", "give each a title of its own"
        )
    steps = [
        (("procedure", index, "title"), step.step, f"{step.title} {step.stage}")
        for index, step in enumerate(game.procedure)
        if not step.aside
    ]
    yield from _find_duplicates(steps, "the steps {} and {} have the same title", "give each a title of its own")
    ways = [
        (
            ("deal", "stages", 0, "ways", name),
            name,
            repr([stage.ways[name] for stage in game.deal.stages if stage.ways]),
        )
        for name in game.deal.stages[0].ways
    ]
    yield from _find_duplicates(
        ways, "the ways of dealing {} and {} are the same", "compare the passes of both with the text"
    )


def repeated_checks(file: RequirementFile) -> Iterator[Caution]:
    """Yield warnings about requirements with the same check, which report one breach twice."""
    checks = [
        (("requirements", index, "check"), requirement.requirement, repr(requirement.check))
        for index, requirement in enumerate(file.requirements)
    ]
    yield from _find_duplicates(
        checks, "{} and {} have the same check: a breach is found twice", "remove one, and add its clauses to the other"
    )


def _normalize(condition: Condition) -> str:
    """Return a text for a condition that does not depend on the order of the parts of `all` and `any`."""
    if isinstance(condition.meaning, All | AnyOf):
        parts = sorted(map(_normalize, condition.meaning.parts(condition.operand)))
        return f"{condition.operator} {parts}"
    return repr(condition)


def _find_duplicates(items: Iterable[tuple[Path, str, str]], message: str, help_: str) -> Iterator[Caution]:
    """Yield a warning for every item whose content equals that of an earlier one.

    Args:
        items: Place, name and content of each item.
        message: The message, with fields for the earlier and the later name.
        help_: What the author should do.
    """
    seen: dict[str, str] = {}
    for place, name, content in items:
        if content in seen:
            yield Caution(
                code="duplicate", at=place, severity="warning", message=message.format(seen[content], name), help=help_
            )
        seen.setdefault(content, name)
