"""Warnings from the odds of a game: wagers that favour the player, rows that no deal reaches, stakes that no case
decides."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from validator.cautions.caution import Caution
from validator.odds.figures import DealOfProof, WagerOdds
from validator.odds.work_out import work_out
from validator.rules.core.regulation import Regulation
from validator.rules.model.game import Game

_SAMPLED_ROUNDS = 20_000
"""Rounds that are simulated if there are too many deals to enumerate. They need only show which side has the advantage.
"""


def odds_cautions(regulation: Regulation, game: Game) -> Iterator[Caution]:
    """Yield warnings from the odds of a game, each one once, for the first pay table that shows it."""
    reported: set[str] = set()
    for row in work_out(regulation, rounds=_SAMPLED_ROUNDS).wagers:
        for caution in _check_wager(game, row):
            if caution.message not in reported:
                reported.add(caution.message)
                yield caution


def _check_wager(game: Game, row: WagerOdds) -> Iterator[Caution]:
    if (
        row.house_advantage is not None
        and Fraction(row.house_advantage) < 0
        and (row.exact or _is_certainly_negative(row))
    ):
        yield Caution(
            code="negative-house-advantage",
            at=("wagers", row.wager) if row.wager in game.wagers else ("bonuses", row.wager),
            at_key=True,
            severity="warning",
            message=f"players who decide well win {row.wager} from the house: its advantage is "
            f"{100 * float(Fraction(row.house_advantage)):.1f} %",
            help="check for reversed cases, cases without a wager, and payouts that are too high; "
            "`fairdeal odds` shows the value of each",
        )
    for name in row.never:
        yield Caution(
            code="unreachable",
            at=("pay-tables", row.pay_table) if row.pay_table in game.pay_tables else ("pay-tables",),
            severity="warning",
            message=f"no deal reaches the row {name} of {row.pay_table or row.wager}",
            help="compare the row, and the ranking or fact that it names, with the text",
        )
    if row.settlement is None:
        return
    for undecided in row.settlement.undecided:
        yield Caution(
            code="undecided",
            at=("settlement", "order"),
            message=f"no case decides what is due on a stake on {undecided.line} if {_describe_deal(undecided.deal)}",
            help=f"add a case for it, or end the cases of {undecided.line} with a case without `when`",
        )


def _is_certainly_negative(row: WagerOdds) -> bool:
    return row.interval is not None and row.interval[1] < 0


def _describe_deal(deal: DealOfProof) -> str:
    cards = "; ".join(f"the {place} has {cards}" for place, cards in deal.cards.items())
    return f"{cards}, and the player decides to {deal.decision}" if deal.decision else cards
