"""Operators on betting and pots: the state just before an event, stacks, amounts received and the rake."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import MinLen

from fairdeal.validator.arrays import Bounds, Ints, Truths, np
from fairdeal.validator.language.grammar import (
    CONTENDS_AT_THE_END,
    Grain,
    PotNumber,
    PotSharing,
    RakeNumber,
    SeatReceives,
)
from fairdeal.validator.language.name_references import BettingRoundName
from fairdeal.validator.language.phrases import replace_hyphens
from fairdeal.validator.language.round_conditions import (
    FROM_PLAYERS,
    NO_DIRECTION,
    TO_PLAYERS,
    Condition,
    ConditionOperator,
    Problem,
    QuantityOperator,
)
from fairdeal.validator.text.positioned_document import DataPath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fairdeal.validator.engine.core.compiled_game import CompiledGame
    from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
    from fairdeal.validator.rules.game_model import Game
    from fairdeal.validator.rules.regulation import Regulation


BettingPredicateName = Literal[
    "open",
    "left-open",
    "in-turn",
    "out-of-order",
    "acts-next",
    "still-in",
    "gives-up",
    "faced",
    "unopened",
    "may-raise",
    "all-in",
    "contested",
    "option-owed",
    "option-moot",
    "check-raising",
    "more-to-come",
    "contends-at-the-end",
    "declared-in-turn",
    "declared-raise",
    "declared-wager",
    "said-incomplete",
]
"""Predicates on the betting just before an event; `contends-at-the-end` applies to a seat."""
BettingQuantityName = Literal[
    "put-in",
    "bets-to",
    "to-call",
    "level",
    "raise-by",
    "last-raise",
    "smallest-bet",
    "smallest-raise",
    "largest-raise",
    "largest-answer",
    "behind",
    "pot",
    "raises",
    "players-in",
    "voluntary-players",
    "voluntary-wagers",
    "declared",
    "declared-in",
    "tenders",
    "motions",
    "first-tender",
    "tendered",
    "tendered-chips",
]
"""Quantities of the betting at an event."""
STILL_IN = "still-in"
"""The predicate that does not depend on the state of the betting, only on whether the seat takes part."""
DEPENDS_ON_BET = (
    *("faced", "unopened", "may-raise", "check-raising", "bets-to", "to-call", "level", "raise-by", "last-raise"),
    *("smallest-raise", "largest-raise"),
)
"""Predicates and quantities that depend on the current bet. They also depend on whether an amount above it became the
bet."""
_DEPENDS_ON_TURN = frozenset({"open", "left-open", "in-turn", "option-owed", "option-moot"})
"""Predicates that depend on the seat that must act."""

_COUNTS = frozenset(
    {"raises", "players-in", "voluntary-players", "voluntary-wagers", "tenders", "motions", "tendered-chips"}
)
"""Quantities that are counts; the others are amounts."""
_QUANTITY_WORDS = {
    "put-in": "the amount put in",
    "bets-to": "the total bet of the seat",
    "to-call": "the amount to call",
    "level": "the current bet",
    "raise-by": "the raise",
    "last-raise": "the last raise",
    "smallest-bet": "the smallest bet",
    "smallest-raise": "the smallest raise",
    "largest-raise": "the largest raise",
    "largest-answer": "the most that another player could match",
    "behind": "the chips of the seat",
    "pot": "the pot",
    "raises": "the raises in the betting round",
    "players-in": "the players left",
    "voluntary-players": "players who put in chips voluntarily",
    "voluntary-wagers": "times that players put in chips voluntarily",
    "declared": "the total declared",
    "declared-in": "the amount that the seat declared to put in",
    "tenders": "times that the seat put chips forward",
    "motions": "motions in which the seat put its chips forward",
    "first-tender": "the chips first put forward",
    "tendered": "the chips put forward",
    "tendered-chips": "the number of chips first put forward",
}
"""Quantities of the betting in words."""
_PREDICATE_WORDS = {
    "open": "a player still to act in the betting round",
    "left-open": "a player still to act in the betting round",
    "in-turn": "an act in turn",
    "out-of-order": "chips put in when the seat may not act",
    "acts-next": "an act of the seat that follows at once",
    "still-in": "a seat that is still in",
    "gives-up": "a hand given up without a word",
    "faced": "a bet to call",
    "unopened": "no bet yet in the betting round",
    "may-raise": "the betting open to a raise by the seat",
    "all-in": "all of the seat's chips",
    "contested": "two players or more still in",
    "option-moot": "the option of a seat that posted a bet, when no other seat has chips",
    "option-owed": "the option still open to a seat that posted a bet",
    "check-raising": "a raise after a check",
    "more-to-come": "a betting round to come in which two seats can bet",
    "contends-at-the-end": "a seat that contends with others for a pot",
    "declared-in-turn": "words that bind the seat",
    "declared-raise": "a raise declared in turn",
    "declared-wager": "words that bind the seat to put chips in",
    "said-incomplete": "a statement that the bet is not complete",
}
"""Predicates on the betting in words."""
_NEGATED_PREDICATE_WORDS = {
    "open": "no player still to act in the betting round",
    "left-open": "no player still to act in the betting round",
    "out-of-order": "an act that the seat may take",
    "acts-next": "no act of the seat that follows at once",
    "still-in": "a seat that has folded or conceded",
    "gives-up": "a hand that is not given up",
    "faced": "no bet to call",
    "unopened": "a bet in the betting round",
    "all-in": "chips left with the seat",
    "option-moot": "no option of a seat that posted a bet, when no other seat has chips",
    "option-owed": "no option open to a seat that posted a bet",
    "check-raising": "no raise after a check",
    "more-to-come": "no betting round to come in which two seats can bet",
    "declared-in-turn": "no words that bind the seat",
    "declared-raise": "no raise declared in turn",
    "declared-wager": "no words that bind the seat to put chips in",
    "said-incomplete": "no statement that the bet is not complete",
}
"""Opposites of predicates in words; a predicate that is not listed has `not (...)`."""


def _require_betting(game: Game, here: DataPath) -> Iterator[Problem]:
    if game.betting is None:
        yield here, "is about betting, but the game has no `betting`"


class BettingPredicate(ConditionOperator[BettingPredicateName]):
    """A predicate on the betting just before the judged event. `open`: a seat must still act in this betting round.
    `left-open`: the same, but seats that were passed over and owe no chips do not count. In each turn it holds at only
    one of the events that come when a betting round is complete (`complete-at`). `in-turn`: it is the turn of the seat
    of the event. `out-of-order`: the seat puts chips in when it may not act. Or it calls ahead of its turn as much as
    the table then treats as the bet, so that the amount cannot be checked. `acts-next`: the seat's own fold, call, bet
    or raise follows, and nothing in between changes the state of the betting. `still-in`: the seat takes part and has
    neither folded nor conceded. `gives-up`: by this event the seat folds without a word (`folded-by`). `faced`: the
    current bet is more than the seat has put in in this betting round. `unopened`: the betting round has no bet yet.
    `may-raise`: the betting is open to a raise by the seat. `all-in`: the event takes the last chips of the seat.
    `contested`: at least two seats are still in. `option-owed`: a seat that posted a bet must still act in the first
    betting round, and nobody has raised. `option-moot`: the seat has this option, but no other seat has chips to act
    with. `check-raising`: the seat raises after it has checked in this betting round. `more-to-come`: the record has a
    further betting round, and at least two seats that are still in have chips to bet. `contends-at-the-end`, for a
    seat: it did not fold, and it is not the only seat left for the pots. The remaining predicates are about the words
    of the seat in its turn before the event. `declared-in-turn`: words that bind it. `declared-wager`: words that bind
    it to put chips in. `declared-raise`: it declared a raise. `said-incomplete`: it said that its bet is not complete.
    The first words that a lawful act fits are binding. Words after chips were put forward are not. They are only if the
    seat said that its bet was not complete before it put chips forward again, or if `words-after-chips` holds.
    """

    key = "betting"
    operand = BettingPredicateName
    sample = "{betting: in-turn}"
    words = _PREDICATE_WORDS
    evidence_needed = "events"
    depends_on_betting = True

    def find_grain(self, operand: BettingPredicateName, game: Game) -> Grain:
        return "seat" if operand == CONTENDS_AT_THE_END else "event"

    def find_problems(
        self, regulation: Regulation, game: Game, operand: BettingPredicateName, here: DataPath
    ) -> Iterator[Problem]:
        yield from _require_betting(game, here)

    def evaluate(self, scope: EvaluationContext, operand: BettingPredicateName, grain: Grain) -> Truths:
        from fairdeal.validator.engine.betting.betting_operators import evaluate_betting_predicate

        return evaluate_betting_predicate(scope, operand)

    def describe_negation(self, prepared: CompiledGame, operand: BettingPredicateName, description: str) -> str:
        return _NEGATED_PREDICATE_WORDS.get(operand) or super().describe_negation(prepared, operand, description)

    def describe_for_item(
        self, scope: EvaluationContext, operand: BettingPredicateName, grain: Grain, index: int
    ) -> str | None:
        from fairdeal.validator.engine.evidence_text import describe_turn

        return describe_turn(scope, index) if operand in _DEPENDS_ON_TURN and grain == "event" else None

    def describe_unmet(self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> str:
        if condition.operand == "may-raise":
            return "a fold or a call"
        return super().describe_unmet(scope, condition, grain, index)

    def show_evidence(self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        if grain != "event":
            yield from super().show_evidence(scope, condition, grain, index)
            return
        from fairdeal.validator.engine.evidence_text import (
            describe_action,
            describe_amount_to_call,
            explain_closed_betting,
        )

        done = describe_action(scope, index)
        match condition.operand:
            case "faced":
                yield f"{done}; {describe_amount_to_call(scope, index)}"
            case "may-raise":
                yield f"{done}; {explain_closed_betting(scope, index)}"
            case _:
                yield done


class InBettingRound(ConditionOperator["list[str]"]):
    """The event happens in one of these betting rounds, or ends it."""

    key = "betting-round"
    operand = Annotated[list[BettingRoundName], MinLen(1)]
    sample = "{betting-round: [on-the-turn, on-the-river]}"
    native_grain = "event"
    evidence_needed = "events"
    depends_on_betting = True

    def evaluate(self, scope: EvaluationContext, operand: list[str], grain: Grain) -> Truths:
        from fairdeal.validator.engine.betting.betting_predicates import is_in_betting_round

        return is_in_betting_round(scope, operand)

    def describe(self, prepared: CompiledGame, operand: list[str]) -> str:
        return f"the betting {' or '.join(map(replace_hyphens, operand))}"


class BettingQuantity(QuantityOperator[BettingQuantityName]):
    """A quantity of the betting just before the judged event. `put-in`: the amount that the seat puts in with the
    event. `bets-to`: the amount that the seat then has in the betting round. `to-call`: the amount that it needs to
    match the current bet. `level`: the current bet. `raise-by`: the amount by which the seat exceeds the current bet.
    `last-raise`: the size of the last full bet or raise. `smallest-bet`, `smallest-raise`, `largest-raise`: the limits
    that the game sets. `largest-answer`: the largest bet that another player still in could match in the betting round.
    `behind`: the chips of the seat. `pot`: the total amount put in. `raises`: the number of raises in the betting
    round. `players-in`: the number of seats that have neither folded nor conceded. `voluntary-players`: the number of
    seats that put in chips voluntarily. `voluntary-wagers`: the number of times that chips were put in voluntarily. The
    remaining quantities are about the acts of the seat in its turn before the event. `declared`: the total that it
    named for a bet or raise that binds it, 0 if none. `declared-in`: the chips that its binding words oblige it to put
    in. `tenders`: the number of times that it put chips forward. `motions`: the same, known only if the chips recorded
    for them cover the amount put in. `first-tender`: the amount put forward the first time, 0 if none.
    `tendered-chips`: the number of chips put forward the first time. `tendered`: the total amount put forward."""

    key = "betting"
    operand = BettingQuantityName
    sample = "{betting: to-call}"
    words = _QUANTITY_WORDS
    native_grain = "event"
    evidence_needed = "events"
    depends_on_betting = True

    def find_problems(
        self, regulation: Regulation, game: Game, operand: BettingQuantityName, here: DataPath
    ) -> Iterator[Problem]:
        yield from _require_betting(game, here)

    def compute_bounds(self, scope: EvaluationContext, operand: BettingQuantityName, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.betting.betting_operators import evaluate_betting_quantity
        from fairdeal.validator.engine.core.kleene import bounds_where_known

        values, known = evaluate_betting_quantity(scope, operand)
        return bounds_where_known(known, values)

    def compute_bounds_of_items(
        self, scope: EvaluationContext, operand: BettingQuantityName, grain: Grain, items: Ints
    ) -> Bounds:
        from fairdeal.validator.engine.betting.betting_operators import evaluate_betting_quantity
        from fairdeal.validator.engine.core.kleene import bounds_where_known

        values, known = evaluate_betting_quantity(scope, operand)
        return bounds_where_known(known.take(items), values.take(items))

    def measures_money(self, prepared: CompiledGame, operand: BettingQuantityName) -> bool:
        return operand not in _COUNTS


class BetSize(QuantityOperator[str]):
    """The size of small or of big bets under a fixed limit: as submitted, else as the record of the round states it; 0
    if neither does."""

    key = "bet-size"
    operand = Literal["small", "big"]
    sample = "{bet-size: small}"
    words = "the size of {} bets"
    is_amount = True

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:

        from fairdeal.validator.engine.core.kleene import exact_bounds

        submitted = None if scope.configuration is None else scope.configuration.data.get("fixed-limit")
        if submitted is not None:
            return exact_bounds(np.full(len(scope.batch), submitted[f"{operand}-bet"], np.int64))
        stated = scope.batch.small_bet if operand == "small" else scope.batch.big_bet
        return exact_bounds(np.maximum(stated, 0))


_POT_WORDS = {
    "total": "the pots without the uncalled bet",
    "uncalled": "the uncalled bet",
    "awarded": "the amount awarded",
    "returned": "the amount returned",
    "raked": "the rake",
    "dropped": "the amount put into the container",
    "rake-due": "the rake by the submitted levels",
    "count": "the number of pots",
    "boards": "the number of boards",
}
_RAKE_WORDS = {
    "taken": "the rake so far",
    "due": "the rake by the submitted levels that were reached",
}
_STACK_WORDS = {
    "start": "the chips at the start",
    "after": "the chips when the round is over",
    "reckoned": "the chips at the start, less the amount put in, plus the amounts returned and awarded",
}
_RECEIVED_WORDS = {
    "awarded": "the amount awarded to the seat",
    "returned": "the amount returned to the seat",
    "uncalled": "the uncalled bet of the seat",
}
_DIRECTION = {"awarded": TO_PLAYERS, "returned": TO_PLAYERS, "raked": FROM_PLAYERS}


def _require_pots(game: Game, here: DataPath) -> Iterator[Problem]:
    if game.pots is None:
        yield here, "the game has no pots"


class StackSize(QuantityOperator[str]):
    """The chips of the seat. `start`: as counted before anything is put in. `after`: as counted when the round is over.
    `reckoned`: computed for the end of the round. It is the count at the start, less all that the seat put in, plus all
    that it got back and was awarded. Chips that came or went in the middle of the round may be included or not. If the
    log does not record an amount, the result is a range."""

    key = "stack"
    operand = Literal["start", "after", "reckoned"]
    sample = "{stack: start}"
    words = _STACK_WORDS
    native_grain = "seat"
    is_amount = True

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.core.kleene import recorded_bounds
        from fairdeal.validator.engine.pots.received_chips import bound_chips_left

        if operand == "reckoned":
            return bound_chips_left(scope)
        seats = scope.batch.seats
        return recorded_bounds(seats.stack if operand == "start" else seats.stack_after)


class AmountReceived(QuantityOperator[SeatReceives]):
    """An amount that the seat receives. `awarded`: the amount from pots. `returned`: the stakes that it gets back.
    `uncalled`: the amount that it put in and nobody matched."""

    key = "received"
    operand = SeatReceives
    sample = "{received: awarded}"
    words = _RECEIVED_WORDS
    native_grain = "seat"
    depends_on_betting = True
    is_amount = True

    def compute_bounds(self, scope: EvaluationContext, operand: SeatReceives, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.core.kleene import bounds_where_known
        from fairdeal.validator.engine.pots.pot_totals import find_seat_receipts

        values, known = find_seat_receipts(scope, operand)
        return bounds_where_known(known, values)

    def needs_pots(self, operand: SeatReceives) -> bool:
        return operand == "uncalled"

    def find_direction(self, operand: SeatReceives) -> int:
        return _DIRECTION.get(operand, NO_DIRECTION)


class ChipsMoved(QuantityOperator[str]):
    """The chips that the seat bought or added in the record of the round, or took off the table. If the player of the
    seat has left and another has arrived, earlier chips are not counted. For chips moved in the middle of the round, it
    is then not known whether they are included."""

    key = "chips"
    operand = Literal["added", "removed"]
    sample = "{chips: added}"
    words = "the chips {}"
    native_grain = "seat"
    is_amount = True

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.facts.player_facts import bound_chips_moved

        return bound_chips_moved(scope, operand)


class PotAmount(QuantityOperator[PotNumber]):
    """An amount or number of the pots of the round. `total`: all pots together, before the rake and without the
    uncalled bet. `uncalled`: the amount that nobody matched. `awarded`: the amount that seats received from pots. If
    the record has only their chips before and after the round, it is all that seats got back, less recorded returns.
    `returned`: the stakes given back. `raked`: the rake taken. If the log does not record it, it is the amount put in
    that no seat got back. `dropped`: the amount put into the container of the table. `rake-due`: the rake by the
    submitted levels. `count`: the number of pots, including those that were given up or whose winner lost the hand; the
    uncalled bet is no pot. `boards`: the number of boards among which the pots are divided, 1 for a single board."""

    key = "pot"
    operand = PotNumber
    sample = "{pot: raked}"
    words = _POT_WORDS
    depends_on_betting = True

    def needs_pots(self, operand: PotNumber) -> bool:
        return True

    def find_problems(
        self, regulation: Regulation, game: Game, operand: PotNumber, here: DataPath
    ) -> Iterator[Problem]:
        yield from _require_pots(game, here)

    def compute_bounds(self, scope: EvaluationContext, operand: PotNumber, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.core.kleene import keep_where_known
        from fairdeal.validator.engine.pots.pot_totals import bound_pot_amount

        return keep_where_known(*bound_pot_amount(scope, operand))

    def measures_money(self, prepared: CompiledGame, operand: PotNumber) -> bool:
        return operand not in ("count", "boards")

    def find_direction(self, operand: PotNumber) -> int:
        return _DIRECTION.get(operand, NO_DIRECTION)


class RakeSoFar(QuantityOperator[RakeNumber]):
    """An amount of the rake after the judged event. `taken`: the rake taken so far. `due`: the rake by the submitted
    levels that the amount put in so far, called or not, has reached."""

    key = "rake-so-far"
    operand = RakeNumber
    sample = "{rake-so-far: taken}"
    words = _RAKE_WORDS
    native_grain = "event"
    is_amount = True

    def needs_pots(self, operand: RakeNumber) -> bool:
        return True

    def find_problems(
        self, regulation: Regulation, game: Game, operand: RakeNumber, here: DataPath
    ) -> Iterator[Problem]:
        yield from _require_pots(game, here)

    def compute_bounds(self, scope: EvaluationContext, operand: RakeNumber, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.core.kleene import bounds_where_known
        from fairdeal.validator.engine.pots.pot_totals import rake_so_far

        values, known = rake_so_far(scope, operand)
        return bounds_where_known(known, values)


class HasPotShare(ConditionOperator[PotSharing]):
    """The seat wins or loses when the pots are divided. `winning`: a share of a pot is due to it. `losing`: it takes
    part and no share is due to it."""

    key = "pot-share"
    operand = PotSharing
    sample = "{pot-share: winning}"
    words = {"winning": "a seat to which a share of a pot is due", "losing": "a seat to which no share of a pot is due"}
    native_grain = "seat"
    depends_on_betting = True

    def find_problems(
        self, regulation: Regulation, game: Game, operand: PotSharing, here: DataPath
    ) -> Iterator[Problem]:
        yield from _require_pots(game, here)

    def evaluate(self, scope: EvaluationContext, operand: PotSharing, grain: Grain) -> Truths:
        from fairdeal.validator.engine.pots import pot_shares

        return pot_shares.has_pot_share(scope, operand)
