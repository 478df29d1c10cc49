"""What every deal of a game comes to: wagers that players win in the long run, rows, cases and stakes that the deck
has something to say against."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from validator.cautions.caution import Caution
from validator.odds.figures import DealOfProof, WagerOdds
from validator.odds.work_out import work_out
from validator.rules.core.regulation import Regulation
from validator.rules.model.game import Game

_ROUNDS = 20_000
"""Rounds that are simulated where deals are too many to be counted: it is whose game it is that is asked."""


def odds_cautions(regulation: Regulation, game: Game) -> Iterator[Caution]:
    """What is wrong with a game by its odds, each thing once, under the first of its pay tables that shows it."""
    told: set[str] = set()
    for row in work_out(regulation, rounds=_ROUNDS).wagers:
        for caution in _of_wager(game, row):
            if caution.message not in told:
                told.add(caution.message)
                yield caution


def _of_wager(game: Game, row: WagerOdds) -> Iterator[Caution]:
    if row.house_advantage is not None and Fraction(row.house_advantage) < 0 and (row.exact or _surely_below(row)):
        yield Caution(
            code="players-win",
            at=("wagers", row.wager) if row.wager in game.wagers else ("bonuses", row.wager),
            at_key=True,
            severity="warning",
            message=f"players who decide well win {row.wager} from the house: its advantage is "
            f"{100 * float(Fraction(row.house_advantage)):.1f} %",
            help="look for cases that are turned round, that forget a wager, or that pay too much; "
            "`fairdeal odds` shows what each comes to",
        )
    for name in row.never:
        yield Caution(
            code="never-reached",
            at=("pay-tables", row.pay_table) if row.pay_table in game.pay_tables else ("pay-tables",),
            severity="warning",
            message=f"no deal comes to the row {name} of {row.pay_table or row.wager}",
            help="hold the row, and the ranking or fact that it names, against the text",
        )
    if row.settlement is None:
        return
    for undecided in row.settlement.undecided:
        yield Caution(
            code="undecided",
            at=("settlement", "order"),
            message=f"no case decides what a stake on {undecided.line} is due where {_dealt(undecided.deal)}",
            help=f"add a case for it, or end the cases of {undecided.line} with one that has no `when`",
        )


def _surely_below(row: WagerOdds) -> bool:
    return row.interval is not None and row.interval[1] < 0


def _dealt(deal: DealOfProof) -> str:
    cards = "; ".join(f"the {place} has {cards}" for place, cards in deal.cards.items())
    return f"{cards}, and the player decides to {deal.decision}" if deal.decision else cards
