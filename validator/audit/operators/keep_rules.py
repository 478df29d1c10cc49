"""Check of the cards discarded at a place against the drawing rules."""

from __future__ import annotations

import numpy as np

from validator.audit.statuses.status_codes import Judged, Told, item_place, weigh
from validator.cards.cards import cards_in_symbols
from validator.cards.keep_rules import cards_of
from validator.engine.cards.final_hands import exchanged
from validator.engine.cards.keep_rules import Drawn, drawn
from validator.engine.core.context import Scope
from validator.engine.text.evidence_text import cards_in, held
from validator.language.grains import grain_of_place
from validator.rules.model.deal import DrawnByCheck


def drawn_by(scope: Scope, check: DrawnByCheck) -> Judged:
    """Check the discards of every hand that one of the drawing rules decides."""
    drawing = scope.prepared.game.drawing[check.drawing]
    grain = grain_of_place(drawing.place)
    drawing_result = drawn(scope, check.drawing)
    rules = [index for index, rule in enumerate(drawing.rules) if rule.rule in check.rules]
    applies = np.minimum(scope.truth(check.when, grain), drawing_result.decided_by(rules))

    def describe(item: int, observed: str) -> Told:
        possible = [index for index in rules if drawing_result.may_decide[index][item]]
        deciding_rules = [drawing.rules[index] for index in possible]
        regulation = scope.prepared.regulation
        return Told(
            where=item_place(scope, grain, item),
            expected="; or ".join(
                _describe_required_discard(drawing_result, drawing.rules[index].rule, index, item) for index in possible
            ),
            observed=observed,
            clauses=regulation.clause_ids([label for rule in deciding_rules for label in rule.clauses]),
            readings=tuple(regulation.full_id(name) for rule in deciding_rules for name in rule.readings),
        )

    def describe_observed(item: int) -> str:
        return f"{held(scope, drawing.hand, grain, item)}; {_describe_discard(scope, check.drawing, item)}"

    def describe_gap(item: int) -> Told:
        if not drawing_result.known[item]:
            return describe(item, f"the cards are not known: {held(scope, drawing.hand, grain, item)}")
        if exchanged(scope, drawing.place, "discard").count[item] < 0:
            return describe(
                item, f"the log does not record what was discarded; {held(scope, drawing.hand, grain, item)}"
            )
        return describe(
            item, f"the evidence does not show what the rule required or what was done: {describe_observed(item)}"
        )

    return Judged(
        marks=weigh(applies, drawing_result.follows(rules)),
        round=scope.round_of(grain),
        tell=lambda item: describe(item, describe_observed(item)),
        gap=describe_gap,
    )


def _describe_required_discard(drawing_result: Drawn, rule: str, index: int, item: int) -> str:
    """Describe the cards that a rule requires a hand to discard and to keep."""
    name = rule.replace("-", " ")
    if not drawing_result.known[item]:
        return f"{name}: as this rule requires"
    ways = int(drawing_result.lets[index][item])
    permitted = [_describe_way(drawing_result, item, way) for way in range(ways.bit_length()) if ways >> way & 1]
    return f"{name}: {' or '.join(permitted)}"


def _describe_way(drawing_result: Drawn, item: int, way: int) -> str:
    kept, discarded = cards_of(drawing_result.hand[item], way)
    return (
        f"discards {cards_in_symbols(discarded)} (keeps {cards_in_symbols(kept)})" if discarded else "discards nothing"
    )


def _describe_discard(scope: Scope, name: str, item: int) -> str:
    discards = exchanged(scope, scope.prepared.game.drawing[name].place, "discard")
    return f"discards {cards_in(discards.cards[item]) or 'nothing'}"
