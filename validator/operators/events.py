"""Operators on events: features of one event, and the number of events of a step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from validator.cards.model import by_ranks
from validator.language.conditions import Condition, ConditionOperator, Problem, QuantityOperator
from validator.language.grains import Grain
from validator.language.operands import EventHas
from validator.language.refs import DECLARED, StepName
from validator.language.wording import demanded, means_in_words, named
from validator.language.words import ShortForm
from validator.propositions.formula import every
from validator.text.models.model import given
from validator.text.trees.tree import Path

if TYPE_CHECKING:
    from validator.arrays import Bounds, Ints, Tri
    from validator.engine.compiled.game import Prepared
    from validator.engine.core.context import Scope
    from validator.operators.terms import Terms
    from validator.propositions.formula import Formula
    from validator.rules.core.regulation import Regulation
    from validator.rules.model.game import Game


class Event(ConditionOperator[EventHas]):
    """The judged event has these features."""

    key = "event"
    operand = EventHas
    sample = "{event: {face: down, by: dealer}}"
    speaks_of = "event"
    looks_at = "events"

    def problems(self, regulation: Regulation, game: Game, operand: EventHas, here: Path) -> Iterator[Problem]:
        if operand.arranged_as is not None:
            for name in game.hands[operand.arranged_as].rankings():
                if not by_ranks(regulation.vocabulary.rankings[name]):
                    yield (
                        (*here, "arranged-as"),
                        f"{name}, which ranks {operand.arranged_as}, defines no arrangement of cards",
                    )
        if game.betting is None and DECLARED in (operand.decision or ()):
            yield (*here, "decision"), "`declared` needs a turn of betting, but the game has no `betting`"

    def truth(self, scope: Scope, operand: EventHas, grain: Grain) -> Tri:
        from validator.engine.deal_checks.event_conditions import event_shows

        return event_shows(scope, operand)

    def truth_of(self, scope: Scope, condition: Condition, grain: Grain, items: Ints) -> Tri:
        from validator.engine.deal_checks.event_conditions import event_shows

        return event_shows(scope, condition.operand, items)

    def proposition(self, terms: Terms, condition: Condition) -> Formula:
        parts = []
        for key, required in given(condition.operand):
            values = required if isinstance(required, list) and key != "positions" else [required]
            parts.append(terms.one_of(f"the event's {key}", values, f"an event with {key} {{}}"))
        return every(parts)

    def asked(self, prepared: Prepared, operand: EventHas) -> str:
        return " ".join(_describe_features(prepared.game, operand))

    def unmet_there(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
        description = demanded(scope.prepared, condition)
        if condition.operand.arranged_as is not None:
            from validator.engine.text.evidence_text import laid_out

            cards = laid_out(scope, condition.operand.arranged_as, index)
            return f"{description}: {cards}" if cards else description
        if DECLARED not in (condition.operand.decision or ()):
            return description
        from validator.engine.turns.action_text import declared_in_words

        return f"{description}: {declared_in_words(scope, index)}"

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import happened

        yield happened(scope, condition.operand, index)


def _describe_features(game: Game, required: EventHas) -> Iterator[str]:
    """Yield a description of each feature that an event must have."""
    if required.cards is not None:
        yield f"{required.cards} card{'' if required.cards == 1 else 's'}"
    if required.face is not None:
        yield f"face {required.face}"
    if required.by is not None:
        yield f"by the {required.by}"
    if required.arranged_as is not None:
        yield f"{game.hands[required.arranged_as].title} from left to right by rank, highest group on the left"
    if required.positions is not None:
        yield f"only cards {named(list(map(str, sorted(set(required.positions)))))} from the dealer's left"
    if required.in_ is not None:
        yield f"in {' or '.join(map(means_in_words, required.in_))}"
    if required.also_in is not None:
        yield f"with {' or '.join(map(means_in_words, required.also_in))} on the same wager"
    if required.dealt_next is not None:
        yield "the cards that are dealt next"
    if required.place is not None:
        yield f"at the {required.place}"
    if required.stage is not None:
        yield f"of the {' or the '.join(stage.replace('-', ' ') for stage in required.stage)}"
    if required.number is not None:
        yield f"the number {required.number}"
    if required.deck is not None:
        yield "of the deck in play" if required.deck == "in-play" else "of a deck that is not in play"
    if required.decision is not None:
        titles = [game.decisions[name].title for name in required.decision if name != DECLARED]
        declared = ["as declared"] if DECLARED in required.decision else []
        yield " or ".join(declared + ([f"to {' or '.join(titles)}"] if titles else []))
    if required.wager is not None:
        yield _WAGER_WORDS[required.wager]


_WAGER_WORDS = {
    "placed": "about a wager that the seat has placed",
    "not-of-the-game": "about a wager that the seat has placed and the game does not have",
    "not-placed": "about a wager that the seat has not placed",
}
"""Requirements on the wager that an event names, in words."""


class _StepQuantity(QuantityOperator[str]):
    """A number of the events of a step."""

    operand = StepName
    looks_at = "events"

    def steps(self, operand: str) -> Sequence[str]:
        return (operand,)

    def grain(self, operand: str, game: Game) -> Grain:
        step = next(step for step in game.procedure if step.step == operand)
        return "round" if step.each == "round" else "seat"

    def title(self, prepared: Prepared, operand: str) -> str:
        return prepared.steps[operand].title


class Events(_StepQuantity):
    """The number of events of a step: for a step of each seat or stake, those of the seat; else those of the round."""

    key = "events"
    sample = "{events: reveal}"
    words = "how often {}"
    counts = True

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        from validator.engine.timeline.step_counts import count_of_step
        from validator.engine.timeline.truncated_records import so_far

        return so_far(scope, grain, count_of_step(scope, operand, grain))


class CardsIn(_StepQuantity):
    """The number of cards that the events of a step show: for a step of each seat or stake, those of the seat; else
    those of the round. With one deck, a card that is shown twice, or in two faults, counts once."""

    key = "cards-in"
    sample = "{cards-in: first-discards}"
    words = "the number of cards when {}"
    kept = False

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        from validator.engine.cards.cards_of_steps import cards_of_step
        from validator.engine.core.intervals import where_told
        from validator.engine.timeline.truncated_records import so_far

        return so_far(scope, grain, where_told(*cards_of_step(scope, operand, grain, kept=self.kept)))


class KeptCardsIn(CardsIn):
    """The number of cards of a hand that the events of a step show: as `cards-in`, without the cards that the place of
    the step is known to have discarded."""

    key = "kept-cards-in"
    sample = "{kept-cards-in: reveal}"
    words = "the number of cards kept when {}"
    kept = True

    def problems(self, regulation: Regulation, game: Game, operand: str, here: Path) -> Iterator[Problem]:
        step = next((step for step in game.procedure if step.step == operand), None)
        if step is not None and step.place not in ("player", "dealer", "community"):
            yield here, f"{operand} names no place whose cards can be discarded"


class CountStated(_StepQuantity):
    """The number or amount that the last event of a step states: for a step of each seat or stake, the last event of
    the seat; else that of the round."""

    key = "counted"
    sample = "{counted: count-of-the-stub}"

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        from validator.engine.core.intervals import told
        from validator.engine.timeline.step_counts import number_of_step

        return told(number_of_step(scope, operand, grain))

    def is_money(self, prepared: Prepared, operand: str) -> bool:
        from validator.evidence.handlog.events import OF_MONEY

        return OF_MONEY.issuperset(prepared.steps[operand].events)

    def asked(self, prepared: Prepared, operand: str, *, money: bool) -> str:
        kind = "amount" if self.is_money(prepared, operand) else "number"
        return f"the {kind} stated when {prepared.steps[operand].title}"


class Stated(QuantityOperator[str]):
    """A number of the judged event. `this`: the number or amount that it states. `pot`: the number of the pot that it
    names. The main pot is 0, and an event that names no pot means the main pot."""

    key = "stated"
    operand = Literal["this", "pot"]
    sample = "{stated: this}"
    speaks_of = "event"
    looks_at = "events"
    words = {"this": "the number stated", "pot": "the number of the pot"}

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        import numpy as np

        from validator.engine.core.intervals import certain, told

        if operand == "pot":
            return certain(np.maximum(scope.batch.events.pot, 0).astype(np.int64))
        return told(scope.batch.events.amount)

    def bounds_of(self, scope: Scope, operand: str, grain: Grain, items: Ints) -> Bounds:
        import numpy as np

        from validator.engine.core.intervals import certain, told

        if operand == "pot":
            return certain(np.maximum(scope.batch.events.pot.take(items), 0).astype(np.int64))
        return told(scope.batch.events.amount.take(items))


class Happened(ShortForm):
    """The step happened at least once: in the round or, for a step of each seat, at the seat."""

    key = "happened"
    operand = StepName
    sample = "{happened: reveal}"

    def full(self, operand: str) -> dict[str, Any]:
        return {"number": {"of": {"events": operand}, "at-least": 1}}
