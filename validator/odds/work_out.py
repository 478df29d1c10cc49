"""The odds of the wagers of a game, from its rules: under every permitted pay table, or as a submission has them."""

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
from validator.odds.rounds import settled
from validator.odds.rounds.play import Group, Table, groups_of, table_for
from validator.odds.rounds.proof import Proof, Shown, unmet
from validator.odds.rounds.refusals import NotWorkedOut, TooLarge
from validator.odds.rounds.solution import Solution
from validator.odds.strategy import strategy_of
from validator.odds.variants import MOST_WAYS, Variant, all_gone_through, variants
from validator.rules.core.regulation import Regulation

ROUNDS = 1_000_000
"""How many rounds are simulated where deals are too many to be counted."""
_TWO_SIDED = 1.959963984540054
"""Standard errors on either side of a mean between which 95 of 100 lie."""
_FURTHER = 10**6
"""So much further on a meter reads, to see what hangs on it."""


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
    """The odds of every wager that the house settles, or of one and what goes with it.

    `stated` is what a house has chosen; what it leaves open is gone through. `meters` are what meters read, in minor
    units; `strategy` is what players do, in place of what is best. What is too large to be counted is simulated, so
    many `rounds` from a `seed`. `tell` hears how far long work has come. `counted` is what was
    counted of the game before.
    """
    if regulation.game is None:
        return DocumentOdds(
            document=regulation.id, title=regulation.document.title, wagers=(), why="the text has no rules of play"
        )
    counts, found = counted or Counts(prepare(regulation), tell), list[WagerOdds]()
    prepared = counts.prepared
    printed = {name: at for at, name in enumerate(prepared.game.pay_tables)}
    for group in groups_of(prepared.game):
        if wager is not None and wager not in (group.wager, *group.lines):
            continue
        if stated is not None and stated.offers is not None and group.wager not in stated.offers:
            continue
        rows = _Working(prepared, counts, meters or {}, rounds, seed, strategy).of_group(group, stated)
        found += sorted(rows, key=lambda row: printed.get(row.pay_table or "", 0))
    return DocumentOdds(document=regulation.id, title=prepared.game.title, wagers=tuple(found))


class _Working(Struct, frozen=True):
    prepared: Prepared
    counts: Counts
    meters: Mapping[str, int]
    rounds: int
    seed: int
    strategy: OwnStrategy | None

    def of_group(self, group: Group, stated: Configuration | None) -> Iterator[WagerOdds]:
        if group.wager not in self.prepared.game.settlement.order:
            why = "players win it from each other: it is for the pots, and the house has no part in it but the rake"
            yield _without(self.prepared, group, None, why)
            return
        for variant in variants(self.prepared, group, stated):
            try:
                yield self._of_variant(table_for(self.prepared, variant.configuration, group), variant)
            except (NotWorkedOut, TooLarge) as error:
                yield replace(_without(self.prepared, group, variant, str(error)), settlement=_gap(error))
        if not all_gone_through(self.prepared, group, stated):
            yield _without(self.prepared, group, None, f"there are more than {MOST_WAYS} ways to offer it")

    def _of_variant(self, table: Table, variant: Variant) -> WagerOdds:
        names = {
            printed.table.meter
            for line in table.group.lines
            for printed in table.prepared.printed.get(line, ())
            if printed.table.meter is not None
        }
        reads = {name: self.meters.get(name, 0) for name in sorted(names)}
        found = _figures(table, variant, self._solved(table, reads))
        for name, amount in reads.items():
            further = _figures(table, variant, self._solved(table, {**reads, name: amount + _FURTHER}))
            found = _by_meter(found, further, name, amount, known=name in self.meters)
        if self.strategy is None or found.house_advantage is None:
            return found
        best = _figures(table, variant, self._solved(table, reads, best=True))
        cost = Fraction(found.house_advantage) - Fraction(best.house_advantage or 0)
        return replace(found, strategy_costs=ratio(cost))

    def _solved(
        self, table: Table, reads: Mapping[str, int], *, best: bool = False, upon: Sequence[Group] = ()
    ) -> Solution:
        """What is best, or what a strategy comes to; `upon` are the wagers that wait for it. Raises NotWorkedOut."""
        strategy = None if best else self.strategy
        try:
            return solve(table, self.counts, reads, lambda: self._beside(table, best=best, upon=upon), strategy)
        except TooLarge as error:
            if reads:
                raise
            if strategy is not None:
                raise NotWorkedOut("a strategy of one's own is not simulated") from None
            try:
                return simulate(table, self.counts, self.rounds, self.seed)
            except TooLarge:
                raise error from None  # it says why the deals are not counted

    def _beside(self, table: Table, *, best: bool, upon: Sequence[Group]) -> Solution | None:
        """What is best for the wager that this one needs, under the first of the tables that go with its options."""
        group = table.beside
        if group is None:
            return None
        if group in upon:
            raise NotWorkedOut(f"{group.wager} and {table.group.wager} need each other")
        chosen = next(variants(self.prepared, group, table.configuration))
        beside = table_for(self.prepared, chosen.configuration, group)
        return self._solved(beside, {}, best=best, upon=(*upon, table.group))


def _by_meter(found: WagerOdds, further: WagerOdds, meter: str, reads: int, *, known: bool) -> WagerOdds:
    """What hangs on a meter, from the odds as it reads now and further on; where it is not known what it reads, there
    is no advantage but that."""
    now, then = Fraction(found.house_advantage or 0), Fraction(further.house_advantage or 0)
    per_unit = (now - then) / _FURTHER
    at_nothing = now + per_unit * reads
    by_meter = ByMeter(
        meter=meter,
        reads=reads if known else None,
        at_nothing=ratio(at_nothing),
        per_unit=ratio(per_unit),
        even=ratio(at_nothing / per_unit) if per_unit else None,
    )
    if known or not per_unit:
        return replace(found, by_meter=by_meter)
    return replace(
        found,
        by_meter=by_meter,
        house_advantage=None,
        element_of_risk=None,
        standard_deviation=None,
        why=f"it hangs on what the meter {meter} reads, which is not stated",
    )


def _figures(table: Table, variant: Variant, solution: Solution) -> WagerOdds:
    deals = sum(share.count for share in solution.shares)
    rows: dict[tuple[str, Fraction], int] = {}
    total, risked = Fraction(0), Fraction(0)
    several = len({share.alternative for share in solution.shares}) > 1
    for share in solution.shares:
        one = solution.alternatives[share.alternative]
        name = f"{one.name}; {share.outcome}" if several and one.name is not None else share.outcome
        key = name, share.net / table.stake
        rows[key] = rows.get(key, 0) + share.count
        total += share.net * share.count
        risked += one.counted * share.count
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
        never=() if solution.proof is None else tuple(_never(table, variant, solution.proof)),
        settlement=None if solution.proof is None else _settlement(table, solution.proof),
    )


def _settlement(table: Table, proof: Proof) -> Settlement:
    scopes = [table.not_known(alternative.stakes, alternative.decisions) for alternative in table.alternatives()]
    order = [
        CaseBefore(line=before.line, case=before.case, other=before.other, deal=_deal(before.deal))
        for before in proof.order
    ]
    never = [CaseOfLine(line=line, case=case) for line, case in unmet(proof, scopes, table.group.lines)]
    return Settlement(whole=True, order=tuple(order), never=tuple(never))


def _gap(error: Exception) -> Settlement | None:
    """What an error says of settlement."""
    if not isinstance(error, settled.Undecided):
        return None
    return Settlement(whole=False, undecided=(Undecided(line=error.line, deal=_deal(error.deal)),))


def _deal(deal: Shown) -> DealOfProof:
    return DealOfProof(decision=deal.decision, cards={str(place): cards for place, cards in deal.cards.items()})


def _never(table: Table, variant: Variant, proof: Proof) -> Iterator[str]:
    """The rows of the tables in use that no deal hits, whatever the player decides."""
    for line in table.group.lines:
        bonus = table.prepared.game.bonuses.get(line)
        if bonus is None or bonus.earned_by is None:
            for rows in variant.configuration.pay_tables.get(line, ()):
                yield from (row for row in rows if (line, row) not in proof.rows)


def _without(prepared: Prepared, group: Group, variant: Variant | None, why: str) -> WagerOdds:
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
