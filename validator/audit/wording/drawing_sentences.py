"""Rules of drawing in sentences: the cards that a hand keeps, or the hands that are set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fairdeal.validator.audit.wording.sentences import Sentence
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.language.phrases import join_names, replace_hyphens
from fairdeal.validator.operators.rule_renderer import read_condition
from fairdeal.validator.rules.deal_model import DrawingRule, DrawnByCheck


def describe_drawn_by(prepared: CompiledGame, check: DrawnByCheck) -> Iterator[Sentence]:
    """Yield the sentences of a check by rules of drawing."""
    drawing = prepared.game.drawing[check.drawing]
    yield Sentence(
        f"{drawing.title[:1].upper()}{drawing.title[1:]}: the first rule that covers a hand, and that the hand can "
        + (
            "follow, determines how the cards are set. Other cards go where the Low Hand is as high as possible. "
            if drawing.sets_cards
            else "follow, determines the cards to keep; the others are discarded. "
        )
        + "Rules checked here:"
    )
    earlier_rules: list[str] = []  # rules that take precedence
    for rule in drawing.rules:
        condition = read_condition(prepared, rule.when)
        if check.checks_rule(rule.rule) and condition is not False:
            earlier = ", ".join(map(replace_hyphens, earlier_rules))
            hand = (
                condition
                if isinstance(condition, str)
                else f"any hand not covered by {earlier}"
                if earlier_rules
                else "any hand"
            )
            yield Sentence(
                f"{replace_hyphens(rule.rule)} ({', '.join(rule.clauses)}): {hand}: {_describe_drawing_rule(rule)}", 1
            )
        if isinstance(condition, str):
            earlier_rules.append(rule.rule)


_PREFERRED = {"best-completed": "those that make the best hand", "highest-cards": "the highest of them"}


def _describe_drawing_rule(rule: DrawingRule) -> str:
    if rule.set_ is None:
        return f"keep {_describe_kept(rule.keep)}"
    parts = []
    for group in rule.set_.groups or ():
        ranks = f" ({join_names(group.ranks, 'or')})" if group.ranks else ""
        low = f"{group.low} in the Low Hand" if group.low else ""
        high = f"{group.cards - group.low} in the High Hand" if group.cards > group.low else ""
        parts.append(f"of {group.cards} of one rank{ranks}, {join_names([part for part in (low, high) if part])}")
    if rule.set_.complete:
        parts.append(f"a High Hand that is a {join_names([*map(replace_hyphens, rule.set_.complete)], 'or')}")
    return "; ".join(parts)


def _describe_kept(keep: Any) -> str:
    if keep == "all":
        return "all cards"
    if hasattr(keep, "toward"):
        by = f", if at least {keep.completed_by} ranks would complete it" if keep.completed_by else ""
        best = f", {_PREFERRED[keep.prefer]}" if keep.prefer else ""
        return f"{keep.cards} cards to a {keep.toward.replace('-', ' ')}{by}{best}"
    groups = ["the cards of its groups"] if keep.groups else []
    number, which = (keep.lowest, "lowest") if keep.lowest else (keep.highest, "highest")
    what = ("other" if groups else "card") + ("" if number == 1 else "s")
    others = [f"the {'' if number == 1 else f'{number} '}{which} {what}"] if number else []
    return " and ".join(groups + others)
