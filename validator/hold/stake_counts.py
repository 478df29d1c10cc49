"""Sums over the stakes on each wager that the house offers, by casino, table, day and dealer.

The sums contain handle and win, and what determines the spread of the win.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import reduce
from math import prod
from typing import NamedTuple

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Flags, Indices, Ints, Ints32
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.house_terms import LicenseeConfiguration
from fairdeal.validator.engine.core.kleene import NO, YES
from fairdeal.validator.engine.facts.seat_layout import is_house_banking
from fairdeal.validator.engine.facts.stake_outcomes import LineStakes, collect_line_stakes
from fairdeal.validator.engine.payouts.line_settlement import SettledLine, bound_commission_owed, settle_lines
from fairdeal.validator.evidence.columns.log_draft import code_context
from fairdeal.validator.evidence.columns.round_batch import UNDATED, Batch, CodedColumn
from fairdeal.validator.hold.decision_costs import LazyGroupDecisions, find_decision_costs
from fairdeal.validator.odds.choosing.taken_cards import needs_taken_cards
from fairdeal.validator.odds.player_options import NoOdds, OddsTable, WagerGroup, list_wager_groups, set_up_table
from fairdeal.validator.odds.sample_rounds import evaluate_first
from fairdeal.validator.odds.wager_odds import NO_CHOICES
from fairdeal.validator.results.game_statistics import Grouping
from fairdeal.validator.text.plain_values import Payout

_EPOCH = date(1970, 1, 1)
_NO_DAY = -(1 << 40)
DEALER_KEY = "dealer"
"""Key of the dealer in the context of a round."""


class StakeGroup(NamedTuple):
    """Casino, table, day, dealer and currency of some rounds; each None if the log does not state it."""

    casino: str | None
    table: str | None
    day: str | None
    dealer: str | None
    currency: str | None

    def restrict(self, by: Grouping) -> StakeGroup | None:
        """Return the part of the place that a unit of statistics keeps; None if the log does not state the unit."""
        if (by is Grouping.DAY and self.day is None) or (by is Grouping.DEALER and self.dealer is None):
            return None
        return self._replace(
            table=self.table if by in (Grouping.TABLE, Grouping.DAY) else None,
            day=self.day if by is Grouping.DAY else None,
            dealer=self.dealer if by is Grouping.DEALER else None,
        )


class TableDeck(NamedTuple):
    """Table of a casino, with a deck in play there."""

    casino: str | None
    table: str | None
    deck: str | None


def group_rounds_by_place(batch: Batch) -> tuple[list[StakeGroup], Indices]:
    """Return the distinct places of rounds, and the index of the place of each round, int64[rounds]."""
    names, codes = code_context(batch.context, DEALER_KEY)
    day = np.where(batch.dated == UNDATED, _NO_DAY, batch.day)
    rows, place = find_distinct_rows(batch.casino.codes, batch.table.codes, day, codes, batch.currency.codes)
    return [
        StakeGroup(
            casino=_name_of_code(batch.casino, casino),
            table=_name_of_code(batch.table, table),
            day=None if days == _NO_DAY else (_EPOCH + timedelta(days=days)).isoformat(),
            dealer=None if dealer < 0 else names[dealer],
            currency=_name_of_code(batch.currency, currency),
        )
        for casino, table, days, dealer, currency in rows.tolist()
    ], place


def group_rounds_by_deck(batch: Batch) -> tuple[list[TableDeck], Indices]:
    """Return the distinct tables with their decks, and the index for each round, int64[rounds]."""
    rows, cloth = find_distinct_rows(batch.casino.codes, batch.table.codes, batch.deck.codes)
    return [
        TableDeck(
            casino=_name_of_code(batch.casino, casino),
            table=_name_of_code(batch.table, table),
            deck=_name_of_code(batch.deck, deck),
        )
        for casino, table, deck in rows.tolist()
    ], cloth


def find_distinct_rows(*columns: Ints | Ints32) -> tuple[Ints, Indices]:
    """Return the distinct rows of some columns, and the index of the row of each entry."""
    rows, at = np.unique(np.stack([column.astype(np.int64) for column in columns], axis=1), axis=0, return_inverse=True)
    return rows, at.reshape(-1)


def _name_of_code(column: CodedColumn, code: int) -> str | None:
    return None if code < 0 else column.names[code]


def place_sort_key(place: Mapping[str, str | None] | tuple[str | None, ...]) -> tuple[tuple[bool, str], ...]:
    """Return the sort key of a place: by name, with missing names last."""
    values = place.values() if isinstance(place, Mapping) else place
    return tuple((value is None, value or "") for value in values)


class OfferedWager(Struct, frozen=True, kw_only=True, eq=False):
    """Wager that the house settles."""

    group: WagerGroup
    """The wager with everything that goes with it."""
    lines: tuple[str, ...]
    """The wager and its lines, without bonuses that hands of other players earn."""
    is_regular_case: Flags
    """Cases that may settle the wager in a regular round, bool[cases]."""
    only_size: int | None
    """Only stake for which the odds hold, in minor units: the tables pay fixed amounts, or a meter is shared out.
    None if the odds hold for any stake."""
    meter: str | None
    """Meter that the wager is paid from."""
    decisions: LazyGroupDecisions
    """Worth of the decisions of the player, worked out when first needed."""


def list_offered_wagers(prepared: CompiledGame, configuration: LicenseeConfiguration | None) -> list[OfferedWager]:
    """Return the wagers that the house settles, as it has chosen to offer them."""
    game = prepared.game
    return [
        _describe_offer(prepared, configuration, group)
        for group in list_wager_groups(game)
        if group.wager in game.settlement.order
    ]


def _describe_offer(prepared: CompiledGame, of_house: LicenseeConfiguration | None, group: WagerGroup) -> OfferedWager:
    game, configuration = prepared.game, of_house or NO_CHOICES
    lines = tuple(line for line in group.lines if line not in game.bonuses or game.bonuses[line].earned_by is None)
    meters = {
        printed.table.meter
        for line in lines
        for printed in prepared.printed_tables.get(line, ())
        if printed.table.meter is not None
    }
    size, regular = None, np.ones(len(game.settlement.cases), bool)
    try:
        table = set_up_table(prepared, configuration, group)
        in_regular_rounds = _find_regular_cases(table)
    except NoOdds:
        pass
    else:
        size = (
            table.stake if any(pay.unit != "stake" for pay in _list_payouts(prepared, configuration, lines)) else None
        )
        regular = in_regular_rounds
    return OfferedWager(
        group=group,
        lines=lines,
        is_regular_case=regular,
        only_size=size,
        meter=min(meters, default=None),
        decisions=LazyGroupDecisions(prepared, of_house, group),
    )


def _list_payouts(
    prepared: CompiledGame, configuration: LicenseeConfiguration, lines: tuple[str, ...]
) -> Iterator[Payout]:
    """Yield the payouts of the posted tables of some lines or, without posted tables, of all printed ones."""
    for line in lines:
        posted = configuration.pay_tables.get(line)
        for rows in posted or (printed.table.rows for printed in prepared.printed_tables.get(line, ())):
            yield from rows.values()


def _find_regular_cases(table: OddsTable) -> Flags:
    """Return the cases that may settle the wager in a regular round, bool[cases], whatever the player chooses."""
    wager = table.group.wager
    selection = table.prepared.selections.get(wager)
    if selection is None:
        return _find_regular_cases_at(table)
    tables = (replace(table, selections={**table.selections, wager: on}) for on in selection.permitted)
    return np.logical_or.reduce([_find_regular_cases_at(each) for each in tables])


def _find_regular_cases_at(table: OddsTable) -> Flags:
    """Return the cases that may settle the wager on the selection of a table, bool[cases]."""
    cases, wager = table.prepared.game.settlement.cases, table.group.wager
    regular = np.zeros(len(cases), bool)
    scopes = table.open_unknown_rounds()
    if needs_taken_cards(table):  # whether a decision is open may depend on the number of cards
        decisions = [decision for point in table.points for decision in point.decisions]
        scopes += [table.open_unknown_round(table.opening_stakes, (decision,)) for decision in decisions]
    for scope in scopes:
        for index, case in enumerate(cases):
            if wager not in case.lines:
                continue
            holds = YES if case.when is None else evaluate_first(scope, wager, case.when)
            regular[index] |= holds != NO
            if holds == YES:
                break
    return regular


MINOR_UNIT_PARTS = 1 << 20
"""Parts of a minor unit in which expected losses are counted."""
MOST_SIZES = 1000
"""Largest number of distinct stake sizes; with more, sizes are rounded."""


class StakeSums(Struct, kw_only=True):
    """Sums over stakes on a wager, in minor units. All are whole numbers, so the order of adding does not matter."""

    stakes: int = 0
    handle: int = 0
    """Sum of the stakes on the wager."""
    at_risk: int = 0
    """Sum of the stakes on the wager and on the wagers that go with it."""
    win: int = 0
    """Amounts that the house took, less the amounts that it paid."""
    left_out: int = 0
    """Number of stakes in irregular rounds, or without a recorded settlement."""
    s2: int = 0
    """Sum of the squares of stakes."""
    round_s2: int = 0
    """Sum of the squares of the stakes of all seats of a round together."""
    read: int = 0
    """Sum of stake times reading of the meter, where the reading is known."""
    of_read: int = 0
    """Sum of the stakes for which the reading of the meter is known."""
    given_away: int = 0
    """Expected loss of players by their decisions, in parts (`MINOR_UNIT_PARTS`) of a minor unit."""
    known: int = 0
    """Number of stakes for which the cost of the decision is known."""
    round_r2: int = 0
    """Sum of the squares, over rounds, of the win beyond the advantage and what players gave away, where decisions take
    cards."""
    coarse: bool = False
    """True if sizes are rounded, because there were more than `MOST_SIZES`."""
    sizes: dict[tuple[int, int], int] = field(default_factory=dict)
    """Number of stakes, by the number of seats of the round with the wager and by size."""
    decided: dict[str, int] = field(default_factory=dict)
    """Number of stakes, by the decision of theory and the decision that was made."""

    def as_text(self) -> list[str]:
        """Return the sums as text for a file: numbers, sizes and decisions."""
        numbers = [str(int(getattr(self, name))) for name in _NUMBERS]
        sizes = [f"{seats}:{size}:{count}" for (seats, size), count in sorted(self.sizes.items())]
        decided = [f"{decisions}:{count}" for decisions, count in sorted(self.decided.items())]
        return [*numbers, " ".join(sizes), " ".join(decided)]

    @classmethod
    def from_text(cls, written: Sequence[str]) -> StakeSums:
        """Return the sums from their text. Raises ValueError for any other text."""
        *numbers, sizes, decided = written
        sums = cls()
        for name, number in zip(_NUMBERS, map(int, numbers), strict=True):
            setattr(sums, name, bool(number) if name == "coarse" else number)
        for entry in sizes.split():
            seats, size, count = map(int, entry.split(":"))
            sums.sizes[seats, size] = count
        for entry in decided.split():
            decisions, _, often = entry.rpartition(":")
            sums.decided[decisions] = int(often)
        return sums

    def add(self, other: StakeSums) -> None:
        """Add the sums over other stakes."""
        for name in _NUMBERS:
            if name != "coarse":
                setattr(self, name, getattr(self, name) + getattr(other, name))
        self.coarse |= other.coarse
        for key, count in other.sizes.items():
            self.sizes[key] = self.sizes.get(key, 0) + count
        for decisions, count in other.decided.items():
            self.decided[decisions] = self.decided.get(decisions, 0) + count
        # Sizes never become fewer by adding, so whether they are rounded does not depend on the order.
        if self.coarse or len(self.sizes) > MOST_SIZES:
            self.coarse = True
            self.sizes = _round_sizes(self.sizes)


_NUMBERS = tuple(name for name in StakeSums.__struct_fields__ if name not in ("sizes", "decided"))


def _round_sizes(sizes: Mapping[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """Return the number of stakes by size, each size rounded to two significant digits."""
    rounded: dict[tuple[int, int], int] = {}
    for (seats, size), count in sizes.items():
        digits = max(len(str(size)) - 2, 0)
        key = seats, (size + 10**digits // 2) // 10**digits * 10**digits
        rounded[key] = rounded.get(key, 0) + count
    return rounded


def make_decision_key(best: str | None, made: str | None) -> str:
    """Return the key of a decision that was made, with the decision of theory."""
    return f"{best or ''}>{made or ''}"


class _AtSeats(Struct, frozen=True, kw_only=True):
    """Stakes on a wager, one for each seat that placed it."""

    seat: Ints32
    """Seats, int32[n]."""
    staked: Ints
    """Stake on the wager, int64[n]."""
    at_risk: Ints
    """Stake on the wager and on the wagers that go with it, int64[n]."""
    win: Ints
    """Win of the house, int64[n]."""
    counts: Flags
    """True if the stake counts, bool[n]."""


def count_stakes(
    scope: EvaluationContext, offered: OfferedWager, place: Indices, places: int
) -> Iterator[tuple[int, StakeSums]]:
    """Yield the sums of each place that has stakes on a wager. Tips are left out.

    Args:
        scope: the batch.
        offered: the wager.
        place: index of the place of each round, int64[rounds].
        places: number of places.
    """
    staked = _collect_stakes(scope, offered)
    if not len(staked.seat):
        return
    at = place[scope.batch.seats.round[staked.seat]]
    left_out = np.bincount(at[~staked.counts], minlength=places)
    chosen = np.flatnonzero(staked.counts)
    round_, at = scope.batch.seats.round[staked.seat[chosen]], at[chosen]
    s, n = staked.staked[chosen], -staked.win[chosen]

    def of_stakes(*factors: Ints) -> Ints:
        return _sum_products(at, places, *factors)

    # The stakes of all seats of a round are squared together, once, for the place of the round.
    rounds = len(scope.batch)
    round_s = _sum_products(round_, rounds, s)
    sizes = _count_pairs(at, places, np.bincount(round_, minlength=rounds)[round_], s)
    reads = _find_readings(scope, offered.meter)[round_]
    stakes_with_reading = np.where(reads != ABSENT, s, 0)
    columns = {
        "stakes": np.bincount(at, minlength=places),
        "handle": of_stakes(s),
        "at_risk": of_stakes(staked.at_risk[chosen]),
        "win": of_stakes(-n),
        "left_out": left_out,
        "s2": of_stakes(s, s),
        "round_s2": _sum_products(place, places, round_s, round_s),
        "read": of_stakes(stakes_with_reading, reads),
        "of_read": of_stakes(stakes_with_reading),
    }
    decided = [dict[str, int]() for _ in range(places)]
    if (taken := offered.decisions.taken) is not None:
        boxes = taken.find_costs(scope, staked.seat[chosen].astype(np.int64))
        columns["given_away"] = of_stakes(np.rint(boxes.cost * s * MINOR_UNIT_PARTS).astype(np.int64))
        columns["known"] = np.bincount(at[boxes.is_known], minlength=places)
        beyond = np.rint(-n - (taken.advantage + boxes.cost) * s).astype(np.int64)
        of_round = _sum_products(round_, rounds, beyond)
        columns["round_r2"] = _sum_products(place, places, of_round, of_round)
    worths = None if taken is not None else offered.decisions.worths
    if worths is not None:
        costs, names = find_decision_costs(scope, worths, staked.seat[chosen].astype(np.int64)), worths.made_names
        columns["given_away"] = of_stakes(np.rint(costs.cost * s * MINOR_UNIT_PARTS).astype(np.int64))
        columns["known"] = np.bincount(at[costs.is_known], minlength=places)
        for number, made in enumerate(
            _count_pairs(at[costs.is_known], places, costs.best[costs.is_known], costs.made[costs.is_known])
        ):
            decided[number] = {make_decision_key(names[best], names[own]): count for (best, own), count in made.items()}
    lists = {name: column.tolist() for name, column in columns.items()}
    for number in range(places):
        if lists["stakes"][number] or lists["left_out"][number]:
            sums = StakeSums(sizes=sizes[number], decided=decided[number])
            for name, values in lists.items():
                setattr(sums, name, int(values[number]))
            yield number, sums


def _count_pairs(at: Indices, places: int, first: Ints, second: Ints) -> list[dict[tuple[int, int], int]]:
    """Return the number of times that each pair of numbers occurred, by place."""
    pairs: list[dict[tuple[int, int], int]] = [{} for _ in range(places)]
    if len(at):
        rows, count = np.unique(np.stack([at, first, second], axis=1), axis=0, return_counts=True)
        for (place, best, other), number in zip(rows.tolist(), count.tolist(), strict=True):
            pairs[place][best, other] = number
    return pairs


def _sum_products(at: Indices | Ints32, places: int, *factors: Ints) -> Ints:
    """Return the exact sums of products by place, int64[places], or Python integers if they would not fit.

    Args:
        at: place of each product, int[n].
        places: number of places.
        factors: factors, int64[n] each.
    """
    bound = len(at) * prod(int(np.abs(factor).max(initial=0)) for factor in factors)
    kind: type = np.int64 if bound <= np.iinfo(np.int64).max else object
    sums: Ints = np.zeros(places, kind)
    np.add.at(sums, at, reduce(np.multiply, [factor.astype(kind) for factor in factors]))
    return sums


def _collect_stakes(scope: EvaluationContext, offered: OfferedWager) -> _AtSeats:
    line = settle_lines(scope)[offered.group.wager]
    by_house = is_house_banking(scope, line.name)[scope.batch.seats.round[line.seat]]
    own = np.flatnonzero(~line.tip & (line.amount > 0) & ~_stays(scope, line) & (by_house != NO))
    seat, counts = line.seat[own], (_is_regular(line, offered) & (by_house == YES))[own]
    seats = scope.count_items("seat")
    at_risk, win = np.zeros(seats, np.int64), np.zeros(seats, np.int64)
    recorded = np.ones(seats, bool)
    for name in offered.lines:
        stakes = collect_line_stakes(scope, name)
        plain = ~stakes.tip & ~_stays(scope, settle_lines(scope)[name])
        if name in scope.compiled_game.game.wagers:
            np.add.at(at_risk, stakes.seat[plain], stakes.amount[plain])
        recorded[stakes.seat[plain & ~_is_settlement_recorded(stakes)]] = False
        np.add.at(win, stakes.seat[plain], (stakes.taken - stakes.paid + bound_commission_owed(scope, name)[0])[plain])
    counts &= recorded[seat]
    # The hands of a box are settled together, for the stake of the first one.
    root = scope.boxes.root
    at_risk, win = (_sum_products(root, seats, amount) for amount in (at_risk, win))
    # A stake that was placed in parts is one stake.
    is_first = scope.boxes.origin[seat] == ABSENT
    seat, part = np.unique(root[seat], return_inverse=True)
    staked = np.zeros(len(seat), np.int64)
    np.add.at(staked, part[is_first], line.amount[own][is_first])
    regular = np.ones(len(seat), bool)
    regular[part[~counts]] = False
    if offered.only_size is not None:
        regular &= staked == offered.only_size
    return _AtSeats(seat=seat, staked=staked, at_risk=at_risk[seat], win=win[seat], counts=regular)


def _stays(scope: EvaluationContext, line: SettledLine) -> Flags:
    """Return for each stake whether it stays on the table undecided, so that a later round counts it, bool[n]."""
    cases = scope.compiled_game.game.settlement.cases
    undecided = [case.due.leaves_stake and case.due.stays is None for case in cases]
    return line.is_settled & np.array([*undecided, False], np.bool_)[line.case]


def _is_regular(line: SettledLine, offered: OfferedWager) -> Flags:
    """Return for each stake whether a case of regular rounds settles it, or may settle it, bool[n]."""
    return ~line.is_settled | (line.case == ABSENT) | offered.is_regular_case[line.case]


def _is_settlement_recorded(stakes: LineStakes) -> Flags:
    return (stakes.paid != ABSENT) & (stakes.taken != ABSENT)


def _find_readings(scope: EvaluationContext, meter: str | None) -> Ints:
    """Return the reading of a meter when awards are made, int64[rounds]; ABSENT if the log does not record it."""
    readings = np.full(len(scope.batch), ABSENT, np.int64)
    if meter is not None:
        meters = scope.batch.meters
        chosen = meters.meter.codes == meters.meter.code(meter)
        readings[meters.round[chosen]] = meters.shown[chosen]
    return readings
