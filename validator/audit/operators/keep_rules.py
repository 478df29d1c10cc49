"""Check of the cards discarded at a place against the drawing rules."""

from __future__ import annotations

import numpy as np

from validator.audit.statuses.status_codes import CheckResult, FindingDetails, build_item_place, combine_status
from validator.cards.cards import cards_in_symbols
from validator.cards.keep_rules import split_kept_cards
from validator.engine.cards.final_hands import exchanged_cards
from validator.engine.cards.keep_rules import DrawDecisions, evaluate_drawing
from validator.engine.core.context import EvaluationContext
from validator.engine.text.evidence_text import describe_hand, format_card_row
from validator.language.grains import grain_of_place
from validator.rules.model.deal import DrawnByCheck


def check_drawing(scope: EvaluationContext, check: DrawnByCheck) -> CheckResult:
    """Check the discards of every hand that one of the drawing rules decides."""
    drawing = scope.compiled_game.game.drawing[check.drawing]
    grain = grain_of_place(drawing.place)
    drawing_result = evaluate_drawing(scope, check.drawing)
    rules = [index for index, rule in enumerate(drawing.rules) if rule.rule in check.rules]
    applies = np.minimum(scope.evaluate(check.when, grain), drawing_result.is_decided_by(rules))

    def describe(item: int, observed: str) -> FindingDetails:
        possible = [index for index in rules if drawing_result.may_decide[index][item]]
        deciding_rules = [drawing.rules[index] for index in possible]
        regulation = scope.compiled_game.regulation
        return FindingDetails(
            where=build_item_place(scope, grain, item),
            expected="; or ".join(
                _describe_required_discard(drawing_result, drawing.rules[index].rule, index, item) for index in possible
            ),
            observed=observed,
            clauses=regulation.qualify_clauses([label for rule in deciding_rules for label in rule.clauses]),
            readings=tuple(regulation.qualify(name) for rule in deciding_rules for name in rule.readings),
        )

    def describe_observed(item: int) -> str:
        return f"{describe_hand(scope, drawing.hand, grain, item)}; {_describe_discard(scope, check.drawing, item)}"

    def describe_gap(item: int) -> FindingDetails:
        if not drawing_result.is_hand_known[item]:
            return describe(item, f"the cards are not known: {describe_hand(scope, drawing.hand, grain, item)}")
        if exchanged_cards(scope, drawing.place, "discard").count[item] < 0:
            return describe(
                item, f"the log does not record what was discarded; {describe_hand(scope, drawing.hand, grain, item)}"
            )
        return describe(
            item, f"the evidence does not show what the rule required or what was done: {describe_observed(item)}"
        )

    return CheckResult(
        status_codes=combine_status(applies, drawing_result.follows_rules(rules)),
        round=scope.rounds_of(grain),
        describe_failure=lambda item: describe(item, describe_observed(item)),
        describe_gap=describe_gap,
    )


def _describe_required_discard(drawing_result: DrawDecisions, rule: str, index: int, item: int) -> str:
    """Describe the cards that a rule requires a hand to discard and to keep."""
    name = rule.replace("-", " ")
    if not drawing_result.is_hand_known[item]:
        return f"{name}: as this rule requires"
    ways = int(drawing_result.permitted_keeps[index][item])
    permitted = [_describe_way(drawing_result, item, way) for way in range(ways.bit_length()) if ways >> way & 1]
    return f"{name}: {' or '.join(permitted)}"


def _describe_way(drawing_result: DrawDecisions, item: int, way: int) -> str:
    kept, discarded = split_kept_cards(drawing_result.hand[item], way)
    return (
        f"discards {cards_in_symbols(discarded)} (keeps {cards_in_symbols(kept)})" if discarded else "discards nothing"
    )


def _describe_discard(scope: EvaluationContext, name: str, item: int) -> str:
    discards = exchanged_cards(scope, scope.compiled_game.game.drawing[name].place, "discard")
    return f"discards {format_card_row(discards.cards[item]) or 'nothing'}"
