"""Odds of the wagers of a game, from its rules: under every permitted pay table, or as a submission offers them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from validator.engine.compiled.game import Prepared, prepare
from validator.engine.core.house_rules import Configuration
from validator.odds.choosing.exact import solve
from validator.odds.choosing.own_strategy import OwnStrategy
from validator.odds.choosing.simulated import simulate
from validator.odds.counting.counts import Counts, Tell
from validator.odds.figures import (
    ByMeter,
    CaseBefore,
    CaseOfLine,
    DealOfProof,
    DocumentOdds,
    Outcome,
    Settlement,
    Undecided,
    WagerOdds,
    deviation,
    ratio,
)
from validator.odds.rounds.play import Group, Table, groups_of, table_for
from validator.odds.rounds.proof import Proof, Shown, unmet
from validator.odds.rounds.refusals import NotWorkedOut, TooLarge
from validator.odds.rounds.settled import Undecided as OpenSettlement
from validator.odds.rounds.solution import Solution
from validator.odds.strategy import strategy_of
from validator.odds.variants import MOST_WAYS, Variant, all_gone_through, variants
from validator.rules.core.regulation import Regulation

ROUNDS = 1_000_000
"""Number of rounds that are simulated if there are too many deals to count."""
_TWO_SIDED = 1.959963984540054
"""Number of standard errors on either side of a mean that contain 95 %."""
_FURTHER = 10**6
"""Amount by which a meter is raised to measure its influence."""


def work_out(
    regulation: Regulation,
    *,
    stated: Configuration | None = None,
    meters: Mapping[str, int] | None = None,
    wager: str | None = None,
    rounds: int = ROUNDS,
    seed: int = 1,
    strategy: OwnStrategy | None = None,
    tell: Tell = lambda _: None,
    counted: Counts | None = None,
) -> DocumentOdds:
    """Return the odds of every wager that the house settles, or of one wager with what goes with it.

    Progress is reported to `tell`.

    Args:
        regulation: the document.
        stated: choices of the house. Every way that they leave open is worked out.
        meters: readings of meters, in minor units.
        wager: the one wager; None for all.
        rounds: number of simulated rounds, if there are too many deals to count.
        seed: seed of the simulation.
        strategy: decisions of players; None for the best ones.
        counted: hand counts of the game from an earlier call.
    """
    if regulation.game is None:
        return DocumentOdds(
            document=regulation.id, title=regulation.document.title, wagers=(), why="the document has no rules of play"
        )
    counts, odds = counted or Counts(prepare(regulation), tell), list[WagerOdds]()
    prepared = counts.prepared
    printed = {name: at for at, name in enumerate(prepared.game.pay_tables)}
    for group in groups_of(prepared.game):
        if wager is not None and wager not in (group.wager, *group.lines):
            continue
        if stated is not None and stated.offers is not None and group.wager not in stated.offers:
            continue
        rows = _OddsWorker(prepared, counts, meters or {}, rounds, seed, strategy).of_group(group, stated)
        odds += sorted(rows, key=lambda row: printed.get(row.pay_table or "", 0))
    return DocumentOdds(document=regulation.id, title=prepared.game.title, wagers=tuple(odds))


class _OddsWorker(Struct, frozen=True):
    prepared: Prepared
    counts: Counts
    meters: Mapping[str, int]
    rounds: int
    seed: int
    strategy: OwnStrategy | None

    def of_group(self, group: Group, stated: Configuration | None) -> Iterator[WagerOdds]:
        if group.wager not in self.prepared.game.settlement.order:
            why = "players win it from each other; the house takes only the rake"
            yield _report_no_odds(self.prepared, group, None, why)
            return
        for variant in variants(self.prepared, group, stated):
            try:
                yield self._work_out_variant(table_for(self.prepared, variant.configuration, group), variant)
            except (NotWorkedOut, TooLarge) as error:
                yield replace(
                    _report_no_odds(self.prepared, group, variant, str(error)),
                    settlement=_report_open_settlement(error),
                )
        if not all_gone_through(self.prepared, group, stated):
            yield _report_no_odds(self.prepared, group, None, f"it can be offered in more than {MOST_WAYS} ways")

    def _work_out_variant(self, table: Table, variant: Variant) -> WagerOdds:
        names = {
            printed.table.meter
            for line in table.group.lines
            for printed in table.prepared.printed.get(line, ())
            if printed.table.meter is not None
        }
        reads = {name: self.meters.get(name, 0) for name in sorted(names)}
        odds = _make_figures(table, variant, self._solve(table, reads))
        for name, amount in reads.items():
            further = _make_figures(table, variant, self._solve(table, {**reads, name: amount + _FURTHER}))
            odds = _add_meter_effect(odds, further, name, amount, known=name in self.meters)
        if self.strategy is None or odds.house_advantage is None:
            return odds
        best_odds = _make_figures(table, variant, self._solve(table, reads, best=True))
        cost = Fraction(odds.house_advantage) - Fraction(best_odds.house_advantage or 0)
        return replace(odds, strategy_costs=ratio(cost))

    def _solve(
        self, table: Table, reads: Mapping[str, int], *, best: bool = False, upon: Sequence[Group] = ()
    ) -> Solution:
        """Return the solution with the best decisions or with a strategy. Raises `NoOdds`.

        Args:
            table: the game with the stakes on the wager.
            reads: readings of the meters.
            best: whether to ignore the given strategy.
            upon: groups that wait for this solution.
        """
        strategy = None if best else self.strategy
        try:
            return solve(
                table, self.counts, reads, lambda: self._solve_needed_group(table, best=best, upon=upon), strategy
            )
        except TooLarge as error:
            if reads:
                raise
            if strategy is not None:
                raise NotWorkedOut("a given strategy cannot be simulated") from None
            try:
                return simulate(table, self.counts, self.rounds, self.seed)
            except TooLarge:
                raise error from None  # its message states why the deals are not counted

    def _solve_needed_group(self, table: Table, *, best: bool, upon: Sequence[Group]) -> Solution | None:
        """Return the solution of the wager that this one needs, under the first table that fits its options."""
        group = table.beside
        if group is None:
            return None
        if group in upon:
            raise NotWorkedOut(f"{group.wager} and {table.group.wager} need each other")
        chosen = next(variants(self.prepared, group, table.configuration))
        table_of_group = table_for(self.prepared, chosen.configuration, group)
        return self._solve(table_of_group, {}, best=best, upon=(*upon, table.group))


def _add_meter_effect(odds: WagerOdds, further: WagerOdds, meter: str, reads: int, *, known: bool) -> WagerOdds:
    """Return the odds with the influence of a meter.

    If the reading of the meter is not known, the house advantage is only stated as a function of it.

    Args:
        odds: odds at the present reading.
        further: odds at a higher reading.
        meter: name of the meter.
        reads: present reading, in minor units.
        known: whether the reading is known.
    """
    advantage, further_advantage = Fraction(odds.house_advantage or 0), Fraction(further.house_advantage or 0)
    per_unit = (advantage - further_advantage) / _FURTHER
    at_nothing = advantage + per_unit * reads
    by_meter = ByMeter(
        meter=meter,
        reads=reads if known else None,
        at_nothing=ratio(at_nothing),
        per_unit=ratio(per_unit),
        even=ratio(at_nothing / per_unit) if per_unit else None,
    )
    if known or not per_unit:
        return replace(odds, by_meter=by_meter)
    return replace(
        odds,
        by_meter=by_meter,
        house_advantage=None,
        element_of_risk=None,
        standard_deviation=None,
        why=f"it depends on the reading of the meter {meter}, which is not stated",
    )


def _make_figures(table: Table, variant: Variant, solution: Solution) -> WagerOdds:
    deals = sum(share.count for share in solution.shares)
    rows: dict[tuple[str, Fraction], int] = {}
    total, risked = Fraction(0), Fraction(0)
    several = len({share.alternative for share in solution.shares}) > 1
    for share in solution.shares:
        alternative = solution.alternatives[share.alternative]
        name = f"{alternative.name}; {share.outcome}" if several and alternative.name is not None else share.outcome
        key = name, share.net / table.stake
        rows[key] = rows.get(key, 0) + share.count
        total += share.net * share.count
        risked += alternative.counted * share.count
    advantage = -total / deals / table.stake
    ordered = sorted(rows.items(), key=lambda row: (-row[0][1], row[0][0]))
    spread = deviation((pays, Fraction(count, deals)) for (_, pays), count in ordered)
    exact, margin = solution.error is None, _TWO_SIDED * (solution.error or 0.0)
    return WagerOdds(
        wager=table.group.wager,
        pay_table=variant.table,
        posted=variant.posted,
        title=table.prepared.game.wagers[table.group.wager].title,
        with_=tuple(line for line in table.group.lines if line != table.group.wager),
        beside=tuple(wager for wager in table.opening if wager not in table.group.lines),
        options=dict(variant.options),
        exact=exact,
        house_advantage=ratio(advantage),
        element_of_risk=ratio(-total / risked),
        standard_deviation=spread,
        interval=None if exact else (float(advantage) - margin, float(advantage) + margin),
        deals=deals if exact else None,
        by_meter=None,
        strategy=strategy_of(table, solution),
        outcomes=tuple(
            Outcome(
                outcome=name,
                probability=ratio(Fraction(count, deals)),
                pays=ratio(pays),
                combinations=count if exact else 0,
            )
            for (name, pays), count in ordered
        ),
        never=() if solution.proof is None else tuple(_find_unhit_rows(table, variant, solution.proof)),
        settlement=None if solution.proof is None else _report_settlement(table, solution.proof),
    )


def _report_settlement(table: Table, proof: Proof) -> Settlement:
    scopes = [table.not_known(alternative.stakes, alternative.decisions) for alternative in table.alternatives()]
    order = [
        CaseBefore(line=before.line, case=before.case, other=before.other, deal=_convert_deal(before.deal))
        for before in proof.order
    ]
    never = [CaseOfLine(line=line, case=case) for line, case in unmet(proof, scopes, table.group.lines)]
    return Settlement(whole=True, order=tuple(order), never=tuple(never))


def _report_open_settlement(error: Exception) -> Settlement | None:
    """Return the gap in settlement that an error reports; None for other errors."""
    if not isinstance(error, OpenSettlement):
        return None
    return Settlement(whole=False, undecided=(Undecided(line=error.line, deal=_convert_deal(error.deal)),))


def _convert_deal(deal: Shown) -> DealOfProof:
    return DealOfProof(decision=deal.decision, cards={str(place): cards for place, cards in deal.cards.items()})


def _find_unhit_rows(table: Table, variant: Variant, proof: Proof) -> Iterator[str]:
    """Yield the rows of the tables in use that no deal hits, whatever the player decides."""
    for line in table.group.lines:
        bonus = table.prepared.game.bonuses.get(line)
        if bonus is None or bonus.earned_by is None:
            for rows in variant.configuration.pay_tables.get(line, ()):
                yield from (row for row in rows if (line, row) not in proof.rows)


def _report_no_odds(prepared: Prepared, group: Group, variant: Variant | None, why: str) -> WagerOdds:
    return WagerOdds(
        wager=group.wager,
        pay_table=None if variant is None else variant.table,
        posted=None if variant is None else variant.posted,
        title=prepared.game.wagers[group.wager].title,
        with_=tuple(line for line in group.lines if line != group.wager),
        beside=(),
        options={} if variant is None else dict(variant.options),
        exact=False,
        house_advantage=None,
        element_of_risk=None,
        standard_deviation=None,
        interval=None,
        deals=None,
        by_meter=None,
        strategy=(),
        outcomes=(),
        why=why,
    )
