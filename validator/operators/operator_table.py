"""The operators of conditions, quantities and comparisons on rounds: one class for each keyword.

The class of a keyword is found here, in the order of the fields of `Condition`, `Quantity` and `Comparison`.
"""

from __future__ import annotations

from fairdeal.validator.engine.core.compiled_game import CompiledGame, build_compiled_game
from fairdeal.validator.operators import (
    card_operators,
    event_operators,
    logic_operators,
    number_operators,
    poker_operators,
    seat_operators,
    wager_operators,
)
from fairdeal.validator.operators.operator_interface import RoundOperators
from fairdeal.validator.rules.check_model import RoundCheck
from fairdeal.validator.rules.regulation import Regulation, cache_by_regulation
from fairdeal.validator.rules.requirement_model import Requirement

OPERATORS = RoundOperators(
    conditions=(
        logic_operators.AllOf,
        logic_operators.AnyOf,
        logic_operators.NotThis,
        logic_operators.IsEvident,
        logic_operators.NamedFact,
        logic_operators.ReadingInForce,
        logic_operators.SomeSeat,
        logic_operators.EverySeat,
        number_operators.NumberIs,
        wager_operators.WagerIsPlaced,
        wager_operators.TipIsPlaced,
        wager_operators.WinIsDeclared,
        wager_operators.WagerIsPaidAsDue,
        wager_operators.WagerIs,
        wager_operators.IsTip,
        wager_operators.WagerIsOffered,
        wager_operators.WagerTakesTips,
        wager_operators.OptionIsChosen,
        wager_operators.SubmissionStates,
        card_operators.HandHolds,
        card_operators.HandsCompare,
        card_operators.CardsAlike,
        card_operators.HandListed,
        card_operators.CardsFromDeck,
        card_operators.CardsSet,
        card_operators.CardsUnused,
        card_operators.CardsShownInBothSteps,
        card_operators.DealtAs,
        card_operators.DealtInTurn,
        event_operators.EventShows,
        poker_operators.BettingPredicate,
        poker_operators.InBettingRound,
        poker_operators.HasPotShare,
        seat_operators.HasDecided,
        seat_operators.FinallyDecided,
        seat_operators.DecisionIsOpen,
        seat_operators.HasPosition,
        seat_operators.IsSplitHand,
        seat_operators.TakesPart,
        seat_operators.HandCalledOff,
        seat_operators.FirstOfSession,
        seat_operators.IsNewPlayer,
        seat_operators.SameDeckAsBefore,
        event_operators.OutcomeIsAmong,
        event_operators.SelectionIs,
        event_operators.StakeNamedByStep,
    ),
    quantities=(
        number_operators.FixedNumber,
        number_operators.FixedAmount,
        number_operators.SumOf,
        number_operators.DifferenceOf,
        number_operators.SmallestOf,
        number_operators.TimesOf,
        number_operators.RemainderOf,
        number_operators.TotalOf,
        number_operators.LargestOf,
        number_operators.SeatCount,
        wager_operators.AmountStaked,
        wager_operators.TipAmount,
        wager_operators.AmountPaid,
        wager_operators.AmountBrought,
        wager_operators.AmountBehind,
        wager_operators.AmountLeft,
        wager_operators.AmountOwed,
        wager_operators.AmountTaken,
        wager_operators.TotalStaked,
        wager_operators.PostedMinimum,
        wager_operators.PostedMaximum,
        wager_operators.NumberSubmitted,
        wager_operators.MeterValue,
        card_operators.HandLength,
        card_operators.HandPoints,
        event_operators.PointsInStep,
        card_operators.CardsDealt,
        card_operators.CardsDiscarded,
        card_operators.CardsDrawn,
        card_operators.CardsHeld,
        card_operators.CardsShown,
        event_operators.NumberOfOutcome,
        event_operators.EventCount,
        event_operators.CardsInStep,
        event_operators.KeptCardsInStep,
        event_operators.NumberStatedInStep,
        event_operators.NumberOfEvent,
        poker_operators.BettingQuantity,
        poker_operators.BetSize,
        poker_operators.StackSize,
        poker_operators.AmountReceived,
        poker_operators.ChipsMoved,
        poker_operators.PotAmount,
        poker_operators.RakeSoFar,
        seat_operators.HandsOfBox,
        seat_operators.QuantityOfBox,
        seat_operators.HandsOfPlayer,
        seat_operators.PlayerCount,
        seat_operators.ButtonSeat,
        seat_operators.PreviousRoundQuantity,
        seat_operators.NextSeat,
        seat_operators.PlayersPassedOver,
    ),
    comparisons=(
        number_operators.Equals,
        number_operators.DiffersFrom,
        number_operators.AtLeast,
        number_operators.AtMost,
        number_operators.MoreThan,
        number_operators.LessThan,
    ),
)
"""The operators, found by the condition, quantity or comparison that uses them."""


@cache_by_regulation
def compile_game(regulation: Regulation) -> CompiledGame:
    """Compile the game of a regulation, once for each regulation.

    Raises:
        ValueError: the regulation has no game.
    """
    return build_compiled_game(regulation, OPERATORS)


def is_about_money(requirement: Requirement) -> bool:
    """Return whether a requirement is a condition that compares amounts."""
    check = requirement.check.operand
    return isinstance(check, RoundCheck) and OPERATORS.compares_amounts(check.must)
