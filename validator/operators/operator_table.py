"""The operators of conditions, quantities and comparisons on rounds: one class for each keyword.

The class of a keyword is found here, in the order of the fields of `Condition`, `Quantity` and `Comparison`.
"""

from __future__ import annotations

from fairdeal.validator.engine.core.compiled_game import CompiledGame, build_compiled_game
from fairdeal.validator.engine.core.operator_interface import RoundOperators
from fairdeal.validator.operators.card_operators import (
    CardsDealt,
    CardsDiscarded,
    CardsDrawn,
    CardsFromDeck,
    CardsHeld,
    CardsShown,
    CardsShownInBothSteps,
    CardsUnused,
    DealStopped,
    DealtAs,
    DealtInTurn,
    HandHolds,
    HandLength,
    HandListed,
    HandsCompare,
)
from fairdeal.validator.operators.event_operators import (
    CardsInStep,
    EventCount,
    EventShows,
    KeptCardsInStep,
    NumberOfEvent,
    NumberStatedInStep,
)
from fairdeal.validator.operators.logic_operators import (
    AllOf,
    AnyOf,
    EverySeat,
    IsEvident,
    NamedFact,
    NotThis,
    ReadingInForce,
    SomeSeat,
)
from fairdeal.validator.operators.number_operators import (
    AtLeast,
    AtMost,
    DifferenceOf,
    DiffersFrom,
    Equals,
    FixedNumber,
    LargestOf,
    LessThan,
    MoreThan,
    NumberIs,
    RemainderOf,
    SeatCount,
    SmallestOf,
    SumOf,
    TimesOf,
    TotalOf,
)
from fairdeal.validator.operators.poker_operators import (
    AmountReceived,
    BetSize,
    BettingPredicate,
    BettingQuantity,
    ChipsMoved,
    HasPotShare,
    InBettingRound,
    PotAmount,
    RakeSoFar,
    StackSize,
)
from fairdeal.validator.operators.seat_operators import (
    ButtonSeat,
    DecisionIsOpen,
    FinallyDecided,
    FirstOfSession,
    HandCalledOff,
    HandsOfPlayer,
    HasDecided,
    HasPosition,
    IsNewPlayer,
    NextSeat,
    PlayerCount,
    PlayersPassedOver,
    PreviousRoundQuantity,
    SameDeckAsBefore,
    TakesPart,
)
from fairdeal.validator.operators.wager_operators import (
    AmountPaid,
    AmountStaked,
    AmountTaken,
    IsTip,
    MeterTermValue,
    MeterValue,
    NumberSubmitted,
    OptionIsChosen,
    PostedMaximum,
    PostedMinimum,
    SubmissionStates,
    TipAmount,
    TipIsPlaced,
    TotalStaked,
    WagerIs,
    WagerIsOffered,
    WagerIsPaidAsDue,
    WagerIsPlaced,
    WagerTakesTips,
    WinIsDeclared,
)
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import Requirement, RoundCheck

OPERATORS = RoundOperators(
    conditions=(
        AllOf,
        AnyOf,
        NotThis,
        IsEvident,
        NamedFact,
        ReadingInForce,
        SomeSeat,
        EverySeat,
        NumberIs,
        WagerIsPlaced,
        TipIsPlaced,
        WinIsDeclared,
        WagerIsPaidAsDue,
        WagerIs,
        IsTip,
        WagerIsOffered,
        WagerTakesTips,
        OptionIsChosen,
        SubmissionStates,
        HandHolds,
        HandsCompare,
        HandListed,
        CardsFromDeck,
        CardsUnused,
        CardsShownInBothSteps,
        DealtAs,
        DealStopped,
        DealtInTurn,
        EventShows,
        BettingPredicate,
        InBettingRound,
        HasPotShare,
        HasDecided,
        FinallyDecided,
        DecisionIsOpen,
        HasPosition,
        TakesPart,
        HandCalledOff,
        FirstOfSession,
        IsNewPlayer,
        SameDeckAsBefore,
    ),
    quantities=(
        FixedNumber,
        SumOf,
        DifferenceOf,
        SmallestOf,
        TimesOf,
        RemainderOf,
        TotalOf,
        LargestOf,
        SeatCount,
        AmountStaked,
        TipAmount,
        AmountPaid,
        AmountTaken,
        TotalStaked,
        PostedMinimum,
        PostedMaximum,
        NumberSubmitted,
        MeterValue,
        MeterTermValue,
        HandLength,
        CardsDealt,
        CardsDiscarded,
        CardsDrawn,
        CardsHeld,
        CardsShown,
        EventCount,
        CardsInStep,
        KeptCardsInStep,
        NumberStatedInStep,
        NumberOfEvent,
        BettingQuantity,
        BetSize,
        StackSize,
        AmountReceived,
        ChipsMoved,
        PotAmount,
        RakeSoFar,
        HandsOfPlayer,
        PlayerCount,
        ButtonSeat,
        PreviousRoundQuantity,
        NextSeat,
        PlayersPassedOver,
    ),
    comparisons=(
        Equals,
        DiffersFrom,
        AtLeast,
        AtMost,
        MoreThan,
        LessThan,
    ),
)
"""The operators, found by the condition, quantity or comparison that uses them."""


def compile_game(regulation: Regulation) -> CompiledGame:
    """Compile the game of a regulation.

    Raises:
        ValueError: the regulation has no game.
    """
    return build_compiled_game(regulation, OPERATORS)


def is_about_money(requirement: Requirement) -> bool:
    """Return whether a requirement is a condition that compares amounts."""
    check = requirement.check.operand
    return isinstance(check, RoundCheck) and OPERATORS.compares_amounts(check.must)
