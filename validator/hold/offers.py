"""Wagers as a house offers them, with the cases that settle them in regular rounds.

The odds of a wager hold in regular rounds only.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from validator.arrays import Flags
from validator.engine.compiled.game import Prepared
from validator.engine.core.house_rules import Configuration
from validator.engine.core.kleene import NO, YES
from validator.hold.decisions import Decisions
from validator.odds.rounds.play import Group, Table, groups_of, table_for
from validator.odds.rounds.refusals import NotWorkedOut
from validator.odds.variants import NOTHING_CHOSEN
from validator.text.values.odds import Payout


class Offered(Struct, frozen=True, kw_only=True, eq=False):
    """Wager that the house settles."""

    group: Group
    """The wager with everything that goes with it."""
    lines: tuple[str, ...]
    """The wager and its lines, without bonuses that hands of other players earn."""
    regular: Flags
    """Cases that may settle the wager in a regular round, bool[cases]."""
    size: int | None
    """Only stake for which the odds hold, in minor units: the tables pay fixed amounts, or a meter is shared out.
    None if the odds hold for any stake."""
    meter: str | None
    """Meter that the wager is paid from."""
    decisions: Decisions
    """Worth of the decisions of the player, worked out when first needed."""


def offers(prepared: Prepared, configuration: Configuration | None) -> list[Offered]:
    """Return the wagers that the house settles, as it has chosen to offer them."""
    game = prepared.game
    return [
        _describe_offer(prepared, configuration, group)
        for group in groups_of(game)
        if group.wager in game.settlement.order
    ]


def _describe_offer(prepared: Prepared, of_house: Configuration | None, group: Group) -> Offered:
    game, configuration = prepared.game, of_house or NOTHING_CHOSEN
    lines = tuple(line for line in group.lines if line not in game.bonuses or game.bonuses[line].earned_by is None)
    meters = {
        printed.table.meter
        for line in lines
        for printed in prepared.printed.get(line, ())
        if printed.table.meter is not None
    }
    size, regular = None, np.ones(len(game.settlement.cases), bool)
    try:
        table = table_for(prepared, configuration, group)
        in_regular_rounds = _find_regular_cases(table)
    except NotWorkedOut:
        pass
    else:
        size = (
            table.stake if any(pay.unit != "stake" for pay in _list_payouts(prepared, configuration, lines)) else None
        )
        regular = in_regular_rounds
    return Offered(
        group=group,
        lines=lines,
        regular=regular,
        size=size,
        meter=min(meters, default=None),
        decisions=Decisions(prepared, of_house, group),
    )


def _list_payouts(prepared: Prepared, configuration: Configuration, lines: tuple[str, ...]) -> Iterator[Payout]:
    """Yield the payouts of the posted tables of some lines or, without posted tables, of all printed ones."""
    for line in lines:
        posted = configuration.pay_tables.get(line)
        for rows in posted or (printed.table.rows for printed in prepared.printed.get(line, ())):
            yield from rows.values()


def _find_regular_cases(table: Table) -> Flags:
    """Return the cases that may settle the wager in a regular round, bool[cases], whatever the cards and decisions."""
    cases, wager = table.prepared.game.settlement.cases, table.group.wager
    regular = np.zeros(len(cases), bool)
    for alternative in table.alternatives():
        scope = table.not_known(alternative.stakes, alternative.decisions)
        for index, case in enumerate(cases):
            if wager not in case.lines:
                continue
            holds = YES if case.when is None else int(scope.truth(case.when, "seat")[0])
            regular[index] |= holds != NO
            if holds == YES:
                break
    return regular
