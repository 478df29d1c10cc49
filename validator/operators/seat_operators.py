"""Operators on seats and players: decisions, positions, order of seats, and the previous round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fairdeal.validator.arrays import ABSENT, Bounds, Column, Truths, np
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.kleene import UNBOUNDED, exact_bounds, recorded_bounds
from fairdeal.validator.language.grammar import Grain, Operand
from fairdeal.validator.language.round_conditions import Condition, PassedOver, Quantity
from fairdeal.validator.operators.number_operators import DerivedQuantity, FixedNumber
from fairdeal.validator.operators.operator_interface import (
    ConditionOperator,
    Problem,
    QuantityOperator,
)
from fairdeal.validator.operators.rule_renderer import describe_quantity, describe_unmet, list_evidence

if TYPE_CHECKING:
    from fairdeal.validator.engine.core.compiled_game import CompiledGame
    from fairdeal.validator.engine.core.derived_contexts import PreviousRoundContext
    from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
    from fairdeal.validator.engine.item_evidence import ItemEvidence
    from fairdeal.validator.rules.game_model import Decision, Game
    from fairdeal.validator.rules.regulation import Regulation
    from fairdeal.validator.text.positioned_document import DataPath


class HasDecided(ConditionOperator[str]):
    """The condition `decided`."""

    key = "decided"
    sample = "{decided: fold}"
    words, negated_words = "the decision to {}", "no decision to {}"
    operand_names = "decision"

    def find_grain(self, operand: str, game: Game) -> Grain:
        return "stake" if operand == "this" else "seat"

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        from fairdeal.validator.engine.facts.player_facts import is_decided

        return is_decided(scope, operand)


class FinallyDecided(HasDecided):
    """The condition `decided-in-the-end`."""

    key = "decided-in-the-end"
    sample = "{decided-in-the-end: fold}"

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        from fairdeal.validator.engine.facts.player_facts import is_decided

        return is_decided(scope, operand, in_the_end=True)


class DecisionIsOpen(ConditionOperator[bool]):
    """The condition `decision-is-open`."""

    key = "decision-is-open"
    sample = "{decision-is-open: true}"
    words = "a decision that is open to the player"
    native_grain = "seat"

    def evaluate(self, scope: EvaluationContext, operand: bool, grain: Grain) -> Truths:
        from fairdeal.validator.engine.facts.player_facts import is_decision_permitted

        return is_decision_permitted(scope)

    def describe_required(self, item: ItemEvidence, condition: Condition, *, negated: bool = False) -> str:
        decision = self._find_decision(item)
        if negated or decision is None or decision.when is None:
            return super().describe_required(item, condition, negated=negated)
        return f"to {decision.title}: {describe_unmet(item, decision.when)}"

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        decision = self._find_decision(item)
        if decision is None or decision.when is None:
            yield item.describe_decision()
        else:
            yield from list_evidence(item, decision.when)

    def _find_decision(self, item: ItemEvidence) -> Decision | None:
        """Return the decision that the log records of the seat; None if there is none."""
        from fairdeal.validator.engine.facts.player_facts import seat_decisions

        return item.game.game.decisions.get(seat_decisions(item.scope).text(item.seat) or "")


class HasPosition(ConditionOperator[str]):
    """The condition `position`."""

    key = "position"
    sample = "{position: button}"
    words = "the position {}"
    native_grain = "seat"
    depends_on_betting = True

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        from fairdeal.validator.engine.betting.betting_predicates import is_position

        return is_position(scope, operand)

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        yield item.describe_position(condition.operand)


class TakesPart(ConditionOperator[bool]):
    """The condition `taking-part`."""

    key = "taking-part"
    sample = "{taking-part: true}"
    words = "a seat that takes part in the round"
    negated_words = "a seat that takes no part in the round"
    native_grain = "seat"

    def evaluate(self, scope: EvaluationContext, operand: bool, grain: Grain) -> Truths:
        return kleene.from_flags(scope.batch.seats.playing)


class IsSplitHand(ConditionOperator[str]):
    """The condition `split-hand`."""

    key = "split-hand"
    sample = "{split-hand: any}"
    words = {"any": "a hand from a split", "split-off": "a hand that was split off another"}
    negated_words = {"any": "a hand without a split", "split-off": "a hand that was not split off another"}
    native_grain = "seat"

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        boxes = scope.boxes
        return kleene.from_flags(boxes.is_split if operand == "any" else boxes.origin != ABSENT)


class HandCalledOff(ConditionOperator[bool]):
    """The condition `called-off`."""

    key = "called-off"
    sample = "{called-off: true}"
    words = "a misdeal is declared and the hand not played on"
    negated_words = "no misdeal is declared, or the hand is played on"
    native_grain = "seat"
    evidence_needed = "events"

    def evaluate(self, scope: EvaluationContext, operand: bool, grain: Grain) -> Truths:
        from fairdeal.validator.engine.facts.player_facts import is_called_off

        return is_called_off(scope)


class FirstOfSession(ConditionOperator[bool]):
    """The condition `first-of-session`."""

    key = "first-of-session"
    sample = "{first-of-session: true}"
    words = "the first round since the table opened"

    def evaluate(self, scope: EvaluationContext, operand: bool, grain: Grain) -> Truths:
        number, after = scope.batch.number, scope.batch.after.codes
        return kleene.where_known(number == 1, (number != ABSENT) | (after != ABSENT))


class IsNewPlayer(ConditionOperator[bool]):
    """The condition `new-player`."""

    key = "new-player"
    sample = "{new-player: true}"
    words = "a player who has sat down since the previous round"
    negated_words = "a player who was at the table before"
    native_grain = "seat"
    reads_previous_round = True

    def collect_columns(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, name: str
    ) -> Iterator[Column]:
        yield from ()

    def evaluate_across_rounds(self, rounds: PreviousRoundContext, operand: bool, name: str) -> Truths:
        return rounds.is_new_player


class SameDeckAsBefore(ConditionOperator[bool]):
    """The condition `deck-as-before`."""

    key = "deck-as-before"
    sample = "{deck-as-before: true}"
    words = "the deck of the previous round"
    negated_words = "another deck than in the previous round"
    reads_previous_round = True

    def collect_columns(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, name: str
    ) -> Iterator[Column]:
        yield from ()

    def evaluate_across_rounds(self, rounds: PreviousRoundContext, operand: bool, name: str) -> Truths:
        return rounds.has_same_deck


class HandsOfBox(QuantityOperator[str]):
    """The quantity `hands-of-box`."""

    key = "hands-of-box"
    sample = "{hands-of-box: all}"
    words = {"all": "the number of hands of this box"}
    native_grain = "seat"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        root = scope.boxes.root
        return exact_bounds(np.bincount(root, minlength=len(root)).astype(np.int64)[root])


class QuantityOfBox(DerivedQuantity[Quantity]):
    """The quantity `of-box`."""

    key = "of-box"
    sample = "{of-box: {amount: main}}"
    words = "{} of the first hand of the box"
    native_grain = "seat"

    def list_parts(self, operand: Quantity) -> Sequence[Quantity]:
        return [operand]

    def find_grain(self, operand: Quantity, game: Game) -> Grain:
        return "seat"

    def find_problems(self, regulation: Regulation, game: Game, operand: Quantity, here: DataPath) -> Iterator[Problem]:
        yield from self.operators.find_grain_problems(operand, "seat", game, here)

    def compute_bounds(self, scope: EvaluationContext, operand: Quantity, grain: Grain) -> Bounds:
        low, high = scope.compute_bounds(operand, "seat")
        root = scope.boxes.root
        first = low[root]
        return first, first if low is high else high[root]

    def measures_money(self, prepared: CompiledGame, operand: Quantity) -> bool:
        return self.operators.find(operand).measures_money(prepared, operand.operand)


class HandsOfPlayer(QuantityOperator[str]):
    """The quantity `hands-of-player`."""

    key = "hands-of-player"
    sample = "{hands-of-player: so-far}"
    words = {
        "so-far": "the number of hands of this player so far",
        "span": "the number of positions that the hands of this player span",
    }
    native_grain = "seat"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.facts.player_facts import count_hands_so_far, measure_hand_span

        return count_hands_so_far(scope) if operand == "so-far" else measure_hand_span(scope)


class PlayerCount(QuantityOperator[str]):
    """The quantity `players`."""

    key = "players"
    sample = "{players: dealt-in}"
    words = {"dealt-in": "the seats dealt in", "seated": "the seats at the table"}

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.facts.player_facts import count_players

        return count_players(scope, operand)


class ButtonSeat(QuantityOperator[str]):
    """The quantity `button`."""

    key = "button"
    sample = "{button: seat}"
    words = "the seat of the button"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        return recorded_bounds(scope.batch.button.astype(np.int64))


class PreviousRoundQuantity(QuantityOperator[Quantity]):
    """The quantity `previous`."""

    key = "previous"
    sample = "{previous: {stack: after}}"
    reads_previous_round = True

    def find_grain(self, operand: Quantity, game: Game) -> Grain:
        return self.operators.find_grain(operand, game)

    def collect_columns(
        self, scope: EvaluationContext, quantity: Quantity, grain: Grain, name: str
    ) -> Iterator[Column]:
        yield from self.operators.collect_quantity_columns(scope, quantity.operand, grain, name)

    def compute_bounds_across_rounds(self, rounds: PreviousRoundContext, operand: Quantity, name: str) -> Bounds:
        return rounds.previous_bounds(rounds.compute_bounds(operand, name))

    def measures_money(self, prepared: CompiledGame, operand: Quantity) -> bool:
        return self.operators.find(operand).measures_money(prepared, operand.operand)

    def describe(self, prepared: CompiledGame, operand: Quantity, *, money: bool) -> str:
        return f"{describe_quantity(prepared, operand, money=money)} in the previous round"


class _SeatNumberQuantity(DerivedQuantity[Operand]):
    """A quantity that is computed from seat numbers."""

    needs_seating = True


class NextSeat(_SeatNumberQuantity[Quantity]):
    """The quantity `next-seat`."""

    key = "next-seat"
    sample = "{next-seat: {previous: {button: seat}}}"

    def list_parts(self, operand: Quantity) -> Sequence[Quantity]:
        return [operand]

    def compute_bounds(self, scope: EvaluationContext, operand: Quantity, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.facts.seat_layout import find_next_seat

        return find_next_seat(scope, scope.compute_bounds(operand, "round"))

    def collect_columns(
        self, scope: EvaluationContext, quantity: Quantity, grain: Grain, name: str
    ) -> Iterator[Column]:
        from fairdeal.validator.engine.facts.seat_layout import may_seats_follow

        yield from super().collect_columns(scope, quantity, grain, name)
        yield f"{name}.follow", may_seats_follow(scope)[scope.rounds_of(grain)]

    def compute_bounds_across_rounds(self, rounds: PreviousRoundContext, operand: Quantity, name: str) -> Bounds:
        low, high = rounds.next_seat_bounds(rounds.compute_bounds(operand, f"{name}.0"))
        follow = rounds.column(f"{name}.follow")
        return np.where(follow, -UNBOUNDED, low), np.where(follow, UNBOUNDED, high)

    def describe(self, prepared: CompiledGame, operand: Quantity, *, money: bool) -> str:
        if operand.operator == FixedNumber.key and operand.operand == 0:
            return "the first seat from the dealer's left"
        return f"the next seat from {describe_quantity(prepared, operand, money=money)}"


class PlayersPassedOver(_SeatNumberQuantity[PassedOver]):
    """The quantity `passed-over`."""

    key = "passed-over"
    sample = "{passed-over: {previous: {button: seat}}, to: {button: seat}}"
    words = "the number of players of both rounds passed over from {} to {}"
    reads_previous_round = True

    def list_parts(self, operand: PassedOver) -> Sequence[Quantity]:
        return [operand.from_, operand.to]

    def compute_bounds_across_rounds(self, rounds: PreviousRoundContext, operand: PassedOver, name: str) -> Bounds:
        return rounds.bounds_between(
            rounds.compute_bounds(operand.from_, f"{name}.0"), rounds.compute_bounds(operand.to, f"{name}.1")
        )
