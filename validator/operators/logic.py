"""Operators that combine conditions: conjunction, disjunction, negation, and `evident`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from annotated_types import MinLen

from validator.language.conditions import Condition, ConditionOperator
from validator.language.grains import Grain, joined
from validator.language.operands import ReadingIs
from validator.language.wording import demanded
from validator.language.words import Operand
from validator.propositions.formula import Formula, denied, every, some
from validator.text.truth import NO, UNKNOWN, YES

if TYPE_CHECKING:
    from validator.arrays import Column, Tri
    from validator.engine.compiled.game import Prepared
    from validator.engine.core.across import Across
    from validator.engine.core.context import Scope
    from validator.operators.terms import Terms
    from validator.rules.core.regulation import Regulation
    from validator.rules.model.game import Game


class Connective(ConditionOperator[Operand]):
    """A condition that combines others for the same item."""

    may_hold_back = True
    itemwise = True

    def parts(self, operand: Operand) -> Sequence[Condition]:
        """Return the conditions that it combines."""
        raise NotImplementedError

    def joined(self, truths: Sequence[Tri]) -> Tri:
        """Combine the truth columns of the parts, uint8[n] each."""
        raise NotImplementedError

    def decided(self, values: Sequence[int]) -> int:
        """Combine one truth value of each part."""
        raise NotImplementedError

    def grain(self, operand: Operand, game: Game) -> Grain:
        return joined(*(part.grain(game) for part in self.parts(operand)))

    def truth(self, scope: Scope, operand: Operand, grain: Grain) -> Tri:
        return self.joined([scope.truth(part, grain) for part in self.parts(operand)])

    def throughout(self, scope: Scope, operand: Operand) -> Tri:
        return self.joined([scope.throughout(part) for part in self.parts(operand)])

    def columns(self, scope: Scope, condition: Condition, grain: Grain, name: str) -> Iterator[Column]:
        for number, part in enumerate(self.parts(condition.operand)):
            yield from part.meaning.columns(scope, part, grain, f"{name}.{number}")

    def across(self, rounds: Across, operand: Operand, name: str) -> Tri:
        return self.joined([rounds.truth(part, f"{name}.{number}") for number, part in enumerate(self.parts(operand))])

    def combined(self, parts: Sequence[Formula]) -> Formula:
        """Combine the formulas of the parts."""
        raise NotImplementedError

    def proposition(self, terms: Terms, condition: Condition) -> Formula:
        return self.combined([terms.formula(part) for part in self.parts(condition.operand)])

    def by_readings(self, operand: Operand, regulation: Regulation, needed: dict[str, str]) -> int:
        return self.decided(
            [part.meaning.by_readings(part.operand, regulation, needed) for part in self.parts(operand)]
        )

    def leaves(self, condition: Condition, game: Game) -> Iterator[Condition]:
        for part in self.parts(condition.operand):
            yield from part.meaning.leaves(part, game)


class _CompoundCondition(Connective[list[Condition]]):
    """A conjunction or disjunction of several conditions."""

    several = True
    joint: str
    """The word between the descriptions of parts, with spaces."""
    decisive: bool
    """The answer of a single part that decides the whole."""

    def parts(self, operand: list[Condition]) -> Sequence[Condition]:
        return operand

    def truth(self, scope: Scope, operand: list[Condition], grain: Grain) -> Tri:
        first, *others = sorted(operand, key=lambda part: not isinstance(part.operand, ReadingIs))
        truth = scope.truth(first, grain)
        for part in others:
            if (truth == (YES if self.decisive else NO)).all():
                break  # the remaining parts cannot change the result
            truth = self.joined([truth, scope.truth(part, grain)])
        return truth

    def asked(self, prepared: Prepared, operand: list[Condition]) -> str | bool:
        return self.worded([(part, part.meaning.asked(prepared, part.operand)) for part in operand])

    def unmet_there(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
        def describe_part(part: Condition) -> str | bool:
            description = part.meaning.asked(scope.prepared, part.operand)
            return description if isinstance(description, bool) else part.meaning.unmet_there(scope, part, grain, index)

        whole = self.worded([(part, describe_part(part)) for part in condition.operand])
        return whole if isinstance(whole, str) else super().unmet_there(scope, condition, grain, index)

    def worded(self, described: Sequence[tuple[Condition, str | bool]]) -> str | bool:
        """Join the descriptions of the parts; return a bool if the readings alone decide the whole."""
        if any(text is self.decisive for _, text in described):
            return self.decisive
        texts = [(part, text) for part, text in described if isinstance(text, str)]
        if not texts:
            return not self.decisive
        if len(texts) == 1:
            return texts[0][1]
        return self.joint.join(f"({text})" if _is_compound(part, text) else text for part, text in texts)

    def grounds(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[Condition]:
        for part in condition.operand:
            if scope.truth(part, grain)[index] == YES:
                yield from part.meaning.grounds(scope, part, grain, index)

    def holding(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[Condition]:
        for part in condition.operand:
            if scope.truth(part, grain)[index] == YES:
                yield from part.meaning.holding(scope, part, grain, index)


def _is_compound(condition: Condition, description: str) -> bool:
    """Return whether the description of a condition joins several parts."""
    return condition.meaning.several and (" and " in description or " or " in description)


class All(_CompoundCondition):
    """All of these conditions hold."""

    key = "all"
    operand = Annotated[list[Condition], MinLen(1)]
    sample = "{all: [{placed: main}, {not: {decided: fold}}]}"
    joint = " and "
    decisive = False

    def joined(self, truths: Sequence[Tri]) -> Tri:
        from validator.engine.core import kleene

        return kleene.every(truths)

    def combined(self, parts: Sequence[Formula]) -> Formula:
        return every(parts)

    def decided(self, values: Sequence[int]) -> int:
        return min(values)

    def unmet(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> list[Condition]:
        broken = [part for part in condition.operand if scope.truth(part, grain)[index] != YES]
        return [unmet for part in broken for unmet in part.meaning.unmet(scope, part, grain, index)] or [condition]


class AnyOf(_CompoundCondition):
    """At least one of these conditions holds."""

    key = "any"
    operand = Annotated[list[Condition], MinLen(1)]
    sample = "{any: [{placed: main}, {placed: side}]}"
    joint = " or "
    decisive = True

    def joined(self, truths: Sequence[Tri]) -> Tri:
        from validator.engine.core import kleene

        return kleene.some(truths)

    def combined(self, parts: Sequence[Formula]) -> Formula:
        return some(parts)

    def decided(self, values: Sequence[int]) -> int:
        return max(values)


class Not(Connective[Condition]):
    """This condition does not hold."""

    key = "not"
    operand = Condition
    sample = "{not: {decided: fold}}"

    def parts(self, operand: Condition) -> Sequence[Condition]:
        return [operand]

    def joined(self, truths: Sequence[Tri]) -> Tri:
        from validator.engine.core import kleene

        return kleene.negated(truths[0])

    def combined(self, parts: Sequence[Formula]) -> Formula:
        return denied(parts[0])

    def decided(self, values: Sequence[int]) -> int:
        return YES - values[0]

    def by_readings(self, operand: Condition, regulation: Regulation, needed: dict[str, str]) -> int:
        return super().by_readings(operand, regulation, {})

    def asked(self, prepared: Prepared, operand: Condition) -> str | bool:
        inner = operand.meaning.asked(prepared, operand.operand)
        return operand.meaning.denied(prepared, operand.operand, inner) if isinstance(inner, str) else not inner

    def denied(self, prepared: Prepared, operand: Condition, description: str) -> str:
        return demanded(prepared, operand)

    def holding(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[Condition]:
        # The absence of irregular events explains nothing, so it is not shown.
        leaves = list(self.leaves(condition, scope.prepared.game))
        if not leaves or not all(map(_counts_events, leaves)):
            yield condition

    def asked_there(self, scope: Scope, operand: Condition, grain: Grain, index: int) -> str | None:
        return operand.meaning.asked_there(scope, operand.operand, grain, index)

    def figure_there(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
        inner: Condition = condition.operand
        return inner.meaning.figure_there(scope, inner, grain, index)


def _counts_events(leaf: Condition) -> bool:
    """Return whether a condition examines only the number of events, or of cards of events."""
    counts = leaf.operator == "number" and leaf.operand.of.meaning.looks_at == "events"
    return counts or isinstance(leaf.meaning, Evident)


class Evident(ConditionOperator[Condition]):
    """This condition holds, and the evidence shows it; if it is unknown, the answer is no. Use it for facts that only
    events of a round can show, so that a record without events counts as regular. Do not use it for requirements."""

    key = "evident"
    operand = Condition
    sample = "{evident: {number: {of: {events: card-shown}, at-least: 1}}}"
    never_unknown = True
    itemwise = True

    def grain(self, operand: Condition, game: Game) -> Grain:
        return operand.grain(game)

    def truth(self, scope: Scope, operand: Condition, grain: Grain) -> Tri:
        from validator.engine.core import kleene

        holds = scope.truth(operand, grain)
        unknown = holds == UNKNOWN
        if not unknown.any():
            return holds
        stated = scope.prepared.stated(operand)
        if scope.supposed is None:
            scope.note_open(stated, scope.round_of(grain)[unknown])
        elif scope.supposed in (b"", stated.identity):
            return holds
        return kleene.known(holds == YES)

    def proposition(self, terms: Terms, condition: Condition) -> Formula:
        return every([terms.formula(condition.operand), terms.whether(condition)])

    def asked(self, prepared: Prepared, operand: Condition) -> str | bool:
        return operand.meaning.asked(prepared, operand.operand)

    def denied(self, prepared: Prepared, operand: Condition, description: str) -> str:
        return operand.meaning.denied(prepared, operand.operand, description)

    def grounds(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[Condition]:
        inner: Condition = condition.operand
        yield from inner.meaning.grounds(scope, inner, grain, index)

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        inner: Condition = condition.operand
        for leaf in inner.meaning.leaves(inner, scope.prepared.game):
            yield from leaf.meaning.shown(scope, leaf, grain, index)
