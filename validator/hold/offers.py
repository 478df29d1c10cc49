"""What is known of a wager before its stakes are counted: what settles it in regular rounds, for which odds hold."""

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
    """A wager that the house settles: `lines` are what goes with it and itself, but for bonuses that hands of other
    players earn. `regular`, bool[cases], are the cases that may settle it in a regular round. Odds hold for the stake
    of one `size`, in minor units, where amounts are paid or a `meter` is shared out, else for any (None)."""

    group: Group
    lines: tuple[str, ...]
    regular: Flags
    size: int | None
    meter: str | None
    decisions: Decisions


def offers(prepared: Prepared, configuration: Configuration | None) -> list[Offered]:
    """The wagers that a house settles, as it has chosen them."""
    game = prepared.game
    return [
        _offered(prepared, configuration, group) for group in groups_of(game) if group.wager in game.settlement.order
    ]


def _offered(prepared: Prepared, of_house: Configuration | None, group: Group) -> Offered:
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
        in_regular_rounds = _regular(table)
    except NotWorkedOut:
        pass
    else:
        size = table.stake if any(pay.unit != "stake" for pay in _payouts(prepared, configuration, lines)) else None
        regular = in_regular_rounds
    return Offered(
        group=group,
        lines=lines,
        regular=regular,
        size=size,
        meter=min(meters, default=None),
        decisions=Decisions(prepared, of_house, group),
    )


def _payouts(prepared: Prepared, configuration: Configuration, lines: tuple[str, ...]) -> Iterator[Payout]:
    """What the tables of some lines pay: those that are posted, else all that are printed."""
    for line in lines:
        posted = configuration.pay_tables.get(line)
        for rows in posted or (printed.table.rows for printed in prepared.printed.get(line, ())):
            yield from rows.values()


def _regular(table: Table) -> Flags:
    """bool[cases]: those that may settle the wager in a regular round, whatever the cards are and the player does."""
    cases, wager = table.prepared.game.settlement.cases, table.group.wager
    found = np.zeros(len(cases), bool)
    for alternative in table.alternatives():
        scope = table.not_known(alternative.stakes, alternative.decisions)
        for index, case in enumerate(cases):
            if wager not in case.lines:
                continue
            holds = YES if case.when is None else int(scope.truth(case.when, "seat")[0])
            found[index] |= holds != NO
            if holds == YES:
                break
    return found
