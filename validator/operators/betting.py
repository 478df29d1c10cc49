"""Betting: what is said of it and what is measured of it, just before an event."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import MinLen

from validator.language.conditions import Condition, ConditionOperator, Problem, QuantityOperator
from validator.language.grains import Grain
from validator.language.operands import AT_THE_END
from validator.language.refs import BettingRoundName
from validator.language.wording import spaced
from validator.text.trees.tree import Path

if TYPE_CHECKING:
    from validator.arrays import Bounds, Ints, Tri
    from validator.engine.compiled.game import Prepared
    from validator.engine.core.context import Scope
    from validator.rules.core.regulation import Regulation
    from validator.rules.model.game import Game

BettingWord = Literal[
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
"""What can be said of the betting just before an event, but for `contends-at-the-end`, which is said of a seat."""
BettingNumber = Literal[
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
"""What can be measured of the betting at an event."""
STILL_IN = "still-in"
"""The word of betting that asks of a seat whether it takes part, however the betting stands."""
OF_THE_BET = (
    *("faced", "unopened", "may-raise", "check-raising", "bets-to", "to-call", "level", "raise-by", "last-raise"),
    *("smallest-raise", "largest-raise"),
)
"""What hangs on the bet to be met, and so on whether what somebody put in beyond it became the bet."""
_WHO_IS_DUE = frozenset({"open", "left-open", "in-turn", "option-owed", "option-moot"})
"""What is said of the betting that hangs on who is to act."""

_COUNTED = frozenset(
    {"raises", "players-in", "voluntary-players", "voluntary-wagers", "tenders", "motions", "tendered-chips"}
)
"""Numbers of the betting that are counts; the others are amounts."""
_MEASURED = {
    "put-in": "what the seat puts in",
    "bets-to": "what the seat has in",
    "to-call": "what there is to call",
    "level": "the bet to be met",
    "raise-by": "the raise",
    "last-raise": "the last raise",
    "smallest-bet": "the smallest bet",
    "smallest-raise": "the smallest raise",
    "largest-raise": "the largest raise",
    "largest-answer": "the most that another player could meet",
    "behind": "the chips the seat has",
    "pot": "the pot",
    "raises": "the raises in the betting round",
    "players-in": "the players left",
    "voluntary-players": "players who put in chips of their own will",
    "voluntary-wagers": "times that players put in chips of their own will",
    "declared": "the total declared",
    "declared-in": "what the seat declared to put in",
    "tenders": "times that the seat put chips forward",
    "motions": "motions in which the seat put its chips forward",
    "first-tender": "the chips first put forward",
    "tendered": "the chips put forward",
    "tendered-chips": "the number of chips first put forward",
}
"""Numbers of the betting in words."""
_SAID = {
    "open": "an act still owed in the betting round",
    "left-open": "an act still owed in the betting round",
    "in-turn": "an act in turn",
    "out-of-order": "chips where no act is open to the seat",
    "acts-next": "an act of the seat that follows at once",
    "still-in": "a seat that is still in",
    "gives-up": "a hand given up without a word",
    "faced": "a bet to be met",
    "unopened": "no bet yet in the betting round",
    "may-raise": "the betting open to a raise of the seat",
    "all-in": "all of the seat's chips",
    "contested": "two players or more still in",
    "option-moot": "an act of its own of a seat that posted a bet, nobody else having chips",
    "option-owed": "an act of its own still owed to a seat that posted a bet",
    "check-raising": "a raise after a check",
    "more-to-come": "a betting round to come in which two seats can bet",
    "contends-at-the-end": "a seat that others contend with for a pot",
    "declared-in-turn": "words that bind the seat",
    "declared-raise": "a raise declared in turn",
    "declared-wager": "words that bind the seat to put chips in",
    "said-incomplete": "words that the bet is not complete",
}
"""What is said of the betting, in words."""
_NOT_SAID = {
    "open": "no act owed in the betting round",
    "left-open": "no act owed in the betting round",
    "out-of-order": "an act that is open to the seat",
    "acts-next": "no act of the seat that follows at once",
    "still-in": "a seat that has folded or conceded",
    "gives-up": "a hand that is not given up",
    "faced": "no bet to be met",
    "unopened": "a bet in the betting round",
    "all-in": "chips left to the seat",
    "option-moot": "no act of its own of a seat that posted a bet, nobody else having chips",
    "option-owed": "no act owed to a seat that posted a bet",
    "check-raising": "no raise after a check",
    "more-to-come": "no betting round to come in which two seats can bet",
    "declared-in-turn": "no words that bind the seat",
    "declared-raise": "no raise declared in turn",
    "declared-wager": "no words that bind the seat to put chips in",
    "said-incomplete": "no words that the bet is not complete",
}
"""The opposite of what is said of the betting, where it has words of its own."""


def _in_a_game_with_betting(game: Game, here: Path) -> Iterator[Problem]:
    if game.betting is None:
        yield here, "speaks of betting, but the game has no `betting`"


class BettingSaid(ConditionOperator[BettingWord]):
    """What is said of the betting, just before the event that is judged. `open`: somebody owes an act in this betting
    round. `left-open`: the same, but not where all who do were passed over and owe no chips, and in each turn of one
    event alone among those that the game has come when a betting round is complete. `in-turn`: the seat of the event is
    the one. `out-of-order`: it puts chips in where no act is open to it, or calls ahead of the turn by as much as the
    table then takes for the bet, so that the amount can be held against nothing. `acts-next`: its own fold, call, bet
    or raise follows, and nothing before that changes how the betting stands. `still-in`: the seat takes part and has
    neither folded nor conceded. `gives-up`: the event is how the seat folds without a word, as the game says
    (`folded-by`). `faced`: the bet to be met is more than the seat has in this betting round. `unopened`: there is no
    bet in it yet. `may-raise`: the betting is open to a raise of the seat. `all-in`: the event takes the seat's last
    chips. `contested`: two seats or more are still in. `option-owed`: one that posted a bet still owes an act of its
    own in the first betting round, nobody having raised. `option-moot`: the seat does, but nobody else has chips to act
    with. `check-raising`: the seat raises, having checked in this betting round. `more-to-come`: another betting round
    follows in the record, and two seats or more that are still in have chips to bet. `contends-at-the-end`, said of a
    seat: it did not fold, and the pots were not left to it alone. Of what the seat said in its turn before the event:
    `declared-in-turn`: words that bind it. `declared-wager`: words that bind it to put chips in. `declared-raise`: that
    it would raise. `said-incomplete`: that its bet was not complete. The first words bind that some lawful act fits;
    not those after chips were put forward, unless the seat said that the bet was not complete before it put chips
    forward again, or the game lets them bind.
    """

    key = "betting"
    operand = BettingWord
    sample = "{betting: in-turn}"
    words = _SAID
    looks_at = "events"
    of_betting = True

    def grain(self, operand: BettingWord, game: Game) -> Grain:
        return "seat" if operand == AT_THE_END else "event"

    def problems(self, regulation: Regulation, game: Game, operand: BettingWord, here: Path) -> Iterator[Problem]:
        yield from _in_a_game_with_betting(game, here)

    def truth(self, scope: Scope, operand: BettingWord, grain: Grain) -> Tri:
        from validator.engine.turns.lookups import said_of_betting

        return said_of_betting(scope, operand)

    def denied(self, prepared: Prepared, operand: BettingWord, asked: str) -> str:
        return _NOT_SAID.get(operand) or super().denied(prepared, operand, asked)

    def asked_there(self, scope: Scope, operand: BettingWord, grain: Grain, index: int) -> str | None:
        from validator.engine.turns.action_text import due_in_words

        return due_in_words(scope, index) if operand in _WHO_IS_DUE and grain == "event" else None

    def unmet_there(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
        if condition.operand == "may-raise":
            return "a fold or a call"
        return super().unmet_there(scope, condition, grain, index)

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        if grain != "event":
            yield from super().shown(scope, condition, grain, index)
            return
        from validator.engine.turns.action_text import act_in_words, to_call_in_words, why_closed

        done = act_in_words(scope, index)
        match condition.operand:
            case "faced":
                yield f"{done}; {to_call_in_words(scope, index)}"
            case "may-raise":
                yield f"{done}; {why_closed(scope, index)}"
            case _:
                yield done


class InBettingRound(ConditionOperator["list[str]"]):
    """The betting round that was going on when the event happened, or that it ended, is one of these."""

    key = "betting-round"
    operand = Annotated[list[BettingRoundName], MinLen(1)]
    sample = "{betting-round: [on-the-turn, on-the-river]}"
    speaks_of = "event"
    looks_at = "events"
    of_betting = True

    def truth(self, scope: Scope, operand: list[str], grain: Grain) -> Tri:
        from validator.engine.turns.predicates import in_betting_round

        return in_betting_round(scope, operand)

    def asked(self, prepared: Prepared, operand: list[str]) -> str:
        return f"the betting {' or '.join(map(spaced, operand))}"


class BettingMeasured(QuantityOperator[BettingNumber]):
    """A number of the betting, just before the event that is judged. `put-in`: what the seat puts in with it.
    `bets-to`: what the seat then has in the betting round. `to-call`: what it lacks to the bet. `level`: the bet to
    be met. `raise-by`: how far it goes beyond that bet. `last-raise`: how far the last full bet or raise went.
    `smallest-bet`, `smallest-raise`, `largest-raise`: what the game asks for and leaves open. `largest-answer`: the
    largest bet that some other player still in could meet in the betting round. `behind`: the chips of the seat. `pot`:
    what has been put in in all. `raises`: how many the betting round has had. `players-in`: seats that have neither
    folded nor conceded. `voluntary-players`: seats that put in chips of their own will.
    `voluntary-wagers`: how often chips were. Of what the seat did in its turn before the event: `declared`: the total
    it named for a bet or raise that binds it, 0 where it named none. `declared-in`: the chips that its binding words
    oblige it to put in. `tenders`: how often it put chips forward; `motions`: the same, where what
    is told of them makes up what it puts in. `first-tender`: how much the first time, 0 where
    never; `tendered-chips`: in how many pieces; `tendered`: how much in all."""

    key = "betting"
    operand = BettingNumber
    sample = "{betting: to-call}"
    words = _MEASURED
    speaks_of = "event"
    looks_at = "events"
    of_betting = True

    def problems(self, regulation: Regulation, game: Game, operand: BettingNumber, here: Path) -> Iterator[Problem]:
        yield from _in_a_game_with_betting(game, here)

    def bounds(self, scope: Scope, operand: BettingNumber, grain: Grain) -> Bounds:
        from validator.engine.core.intervals import unless
        from validator.engine.turns.lookups import measured_of_betting

        values, known = measured_of_betting(scope, operand)
        return unless(known, values)

    def bounds_of(self, scope: Scope, operand: BettingNumber, grain: Grain, items: Ints) -> Bounds:
        from validator.engine.core.intervals import unless
        from validator.engine.turns.lookups import measured_of_betting

        values, known = measured_of_betting(scope, operand)
        return unless(known.take(items), values.take(items))

    def is_money(self, prepared: Prepared, operand: BettingNumber) -> bool:
        return operand not in _COUNTED


class BetSize(QuantityOperator[str]):
    """The size of small or of big bets, where the limit is fixed: as submitted, else as the record of the round states
    it; 0 where neither does."""

    key = "bet-size"
    operand = Literal["small", "big"]
    sample = "{bet-size: small}"
    words = "the size of {} bets"
    money = True

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        import numpy as np

        from validator.engine.core.intervals import certain

        submitted = None if scope.configuration is None else scope.configuration.data.get("fixed-limit")
        if submitted is not None:
            return certain(np.full(len(scope.batch), submitted[f"{operand}-bet"], np.int64))
        stated = scope.batch.small_bet if operand == "small" else scope.batch.big_bet
        return certain(np.maximum(stated, 0))
