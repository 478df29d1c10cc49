"""The cards put aside at a place, held against the rules by which it draws."""

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
    """What was put aside against what the rules of drawing ask for, for every hand that one of them decides."""
    drawing = scope.prepared.game.drawing[check.drawing]
    grain = grain_of_place(drawing.place)
    found = drawn(scope, check.drawing)
    rules = [index for index, rule in enumerate(drawing.rules) if rule.rule in check.rules]
    applies = np.minimum(scope.truth(check.when, grain), found.decided_by(rules))

    def told(item: int, observed: str) -> Told:
        open_ = [index for index in rules if found.may_decide[index][item]]
        deciding = [drawing.rules[index] for index in open_]
        regulation = scope.prepared.regulation
        return Told(
            where=item_place(scope, grain, item),
            expected="; or ".join(_asked(found, drawing.rules[index].rule, index, item) for index in open_),
            observed=observed,
            clauses=regulation.clause_ids([label for rule in deciding for label in rule.clauses]),
            readings=tuple(regulation.full_id(name) for rule in deciding for name in rule.readings),
        )

    def shown(item: int) -> str:
        return f"{held(scope, drawing.hand, grain, item)}; {_put_aside(scope, check.drawing, item)}"

    def gap(item: int) -> Told:
        if not found.known[item]:
            return told(item, f"the cards are not known: {held(scope, drawing.hand, grain, item)}")
        if exchanged(scope, drawing.place, "discard").count[item] < 0:
            return told(item, f"the log does not record what was discarded; {held(scope, drawing.hand, grain, item)}")
        return told(item, f"the evidence leaves open what was asked for or done: {shown(item)}")

    return Judged(
        marks=weigh(applies, found.follows(rules)),
        round=scope.round_of(grain),
        tell=lambda item: told(item, shown(item)),
        gap=gap,
    )


def _asked(found: Drawn, rule: str, index: int, item: int) -> str:
    """What a rule asks of one hand: the cards to put aside and those to keep."""
    name = rule.replace("-", " ")
    if not found.known[item]:
        return f"{name}: as this rule asks"
    ways = int(found.lets[index][item])
    return f"{name}: {' or '.join(_way(found, item, way) for way in range(ways.bit_length()) if ways >> way & 1)}"


def _way(found: Drawn, item: int, way: int) -> str:
    kept, aside = cards_of(found.hand[item], way)
    return f"discards {cards_in_symbols(aside)} (keeps {cards_in_symbols(kept)})" if aside else "discards nothing"


def _put_aside(scope: Scope, name: str, item: int) -> str:
    discards = exchanged(scope, scope.prepared.game.drawing[name].place, "discard")
    return f"discards {cards_in(discards.cards[item]) or 'nothing'}"
