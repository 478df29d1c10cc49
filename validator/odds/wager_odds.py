"""Odds of the wagers of a game, from its rules: under every permitted pay table, or as a submission offers them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from itertools import islice, product
from math import prod

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.house_terms import LicenseeConfiguration, PrintedTable
from fairdeal.validator.engine.core.kleene import NO
from fairdeal.validator.language.grammar import iterate_models
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.language.submission_conditions import Value
from fairdeal.validator.odds import odds_figures, player_options
from fairdeal.validator.odds.choosing.exact_odds import GivenStrategy, solve_exactly
from fairdeal.validator.odds.choosing.simulated_odds import simulate_odds, simulate_set_hands
from fairdeal.validator.odds.choosing.staying_odds import solve_staying
from fairdeal.validator.odds.deal_settlement import SettlementProof, ShownDeal, Solution, find_unreached_cases
from fairdeal.validator.odds.deal_settlement import UndecidedDeal as OpenSettlement
from fairdeal.validator.odds.hand_counts import HandCounts, ReportProgress
from fairdeal.validator.odds.sample_rounds import SampleRounds, build_sample_batch, deal_unknown_cards
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.rulebook.dependencies import iterate_dependencies
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.plain_values import Payout

MOST_WAYS = 64
"""Largest number of ways to offer a game that are enumerated."""
NO_CHOICES = LicenseeConfiguration(
    name="", offers=None, options={}, dealing=None, pay_tables={}, effective=date(1970, 1, 1), data={}
)


class OfferVariant(Struct, frozen=True, kw_only=True):
    """Way to offer a group of wagers."""

    configuration: LicenseeConfiguration
    table: str | None
    """Pay table that names the variant."""
    options: Mapping[str, bool | str]
    """Options that were chosen for it."""
    posted: int | None
    """Number of the posted pay table in use, from 1; None unless a submission posts several."""


def find_options(regulation: Regulation, game: Game) -> dict[str, list[bool | str]]:
    """Return the options of the house on which settlement, decisions, pay tables and cards depend, with their values.

    An option on which only cards depend has all values that requirements name.
    """
    options: dict[str, list[bool | str]] = {}
    of_cards = {
        term.operand.name: term.operand.is_
        for stage in game.deal.stages
        for term in iterate_dependencies(game, stage)
        if isinstance(term, Condition) and term.operator == "option"
    }
    for name, value in of_cards.items():
        options[name] = _list_named_values(regulation, name) or [value]
    for part in (game.settlement, *game.decisions.values(), *game.pay_tables.values()):
        for term in iterate_dependencies(game, part):
            if isinstance(term, Condition) and term.operator == "option":
                values = options.setdefault(term.operand.name, [])
                if term.operand.is_ not in values:
                    values.append(term.operand.is_)
    return options


def _list_named_values(regulation: Regulation, option: str) -> list[bool | str]:
    """Return the values of an option that requirements on submissions name."""
    parts = (part for requirement in regulation.requirements for part in iterate_models(requirement.check))
    values = (part for part in parts if isinstance(part, Value) and part.operator == "one-of")
    named = (value for part in values if part.at == f"options.{option}" for value in part.operand)
    return [*dict.fromkeys(value for value in named if isinstance(value, bool | str))]


def list_variants(
    prepared: CompiledGame, group: player_options.WagerGroup, stated: LicenseeConfiguration | None
) -> Iterator[OfferVariant]:
    """Yield the permitted ways to offer a group or, with a submission, the ways that it leaves open."""
    base = stated or NO_CHOICES
    open_, posted = _find_open_options(prepared, base), _list_posted_tables(group, base)
    several = any(len(tables) > 1 for tables in posted)
    ways = product(product(*open_.values()), enumerate(product(*posted), start=1))
    for values, (number, of_house) in islice(ways, MOST_WAYS):
        # Posted tables are used as they are, even if the document does not permit them.
        stated_tables = {line: (rows,) for line, rows in of_house}
        configuration = replace(
            base,
            options={**base.options, **dict(zip(open_, values, strict=True))},
            pay_tables={**base.pay_tables, **stated_tables},
            permitted_tables=frozenset(stated_tables),
        )
        for names in _combine_printed_tables(prepared, group, configuration):
            tables = {table.table.of: (table.rows,) for table in names}
            yield OfferVariant(
                configuration=replace(configuration, pay_tables={**tables, **configuration.pay_tables}),
                table=_name_variant(prepared, group, names, configuration),
                options=configuration.options,
                posted=number if several else None,
            )


def covers_all_variants(
    prepared: CompiledGame, group: player_options.WagerGroup, stated: LicenseeConfiguration | None
) -> bool:
    """Return whether `list_variants` yields every way to offer a group."""
    base = stated or NO_CHOICES
    ways = prod(len(values) for values in _find_open_options(prepared, base).values())
    return ways * prod(len(tables) for tables in _list_posted_tables(group, base)) <= MOST_WAYS


def _find_open_options(prepared: CompiledGame, base: LicenseeConfiguration) -> dict[str, list[bool | str]]:
    return {
        name: values
        for name, values in find_options(prepared.regulation, prepared.game).items()
        if name not in base.options
    }


def _list_posted_tables(
    group: player_options.WagerGroup, base: LicenseeConfiguration
) -> list[list[tuple[str, Mapping[str, Payout]]]]:
    """Return the posted tables, by line."""
    return [[(line, rows) for rows in tables] for line, tables in base.pay_tables.items() if line in group.lines]


def _combine_printed_tables(
    prepared: CompiledGame, group: player_options.WagerGroup, configuration: LicenseeConfiguration
) -> list[tuple[PrintedTable, ...]]:
    """Return the combinations of printed tables for the lines without a stated table."""
    scope = EvaluationContext(
        build_sample_batch(prepared, SampleRounds(dealt=deal_unknown_cards(prepared), stakes={})),
        prepared,
        configuration,
    )
    lines = [line for line in group.lines if line in prepared.printed_tables and line not in configuration.pay_tables]
    lines.sort(key=lambda line: line != group.wager)
    usable = [
        [printed for printed in prepared.printed_tables[line] if scope.evaluate(printed.table.when, "round")[0] != NO]
        for line in lines
    ]
    return [chosen for chosen in product(*usable) if _may_be_combined(chosen, usable)]


def _may_be_combined(chosen: tuple[PrintedTable, ...], usable: list[list[PrintedTable]]) -> bool:
    """Return whether tables of several lines may be in use together. Tables that are printed under one clause are
    one table."""
    for table, usable_here in zip(chosen, usable, strict=True):
        for other in chosen:
            same_clause = [each for each in usable_here if _shares_clause(each, other)]
            if same_clause and table not in same_clause:
                return False
    return True


def _shares_clause(table: PrintedTable, other: PrintedTable) -> bool:
    return table is other or (
        table.table.of != other.table.of and not {*table.table.clauses}.isdisjoint(other.table.clauses)
    )


def _name_variant(
    prepared: CompiledGame,
    group: player_options.WagerGroup,
    names: tuple[PrintedTable, ...],
    base: LicenseeConfiguration,
) -> str | None:
    """Return the table that names a way to offer a group: that of the wager itself, otherwise of a line that goes
    with it."""
    for line in sorted(group.lines, key=lambda line: line != group.wager):
        for table in names:
            if table.table.of == line:
                return table.name
        for posted in base.pay_tables.get(line, ()):
            return next(
                (
                    printed.name
                    for printed in prepared.printed_tables.get(line, ())
                    if printed.compute_posted_worth(posted, base.fixed_stake(line)) == printed.worth
                ),
                None,
            )
    return None


SIMULATED_ROUNDS = 1_000_000
"""Number of rounds that are simulated if there are too many deals to count."""
_TWO_SIDED = 1.959963984540054
"""Number of standard errors on either side of a mean that contain 95 %."""
_FURTHER = 10**6
"""Amount by which a meter is raised to measure its influence."""


def work_out_odds(
    regulation: Regulation,
    *,
    stated: LicenseeConfiguration | None = None,
    meters: Mapping[str, int] | None = None,
    wager: str | None = None,
    rounds: int = SIMULATED_ROUNDS,
    seed: int = 1,
    strategy: GivenStrategy | None = None,
    report_progress: ReportProgress = lambda _: None,
    counted: HandCounts | None = None,
) -> odds_figures.DocumentOdds:
    """Return the odds of every wager that the house settles, or of one wager with what goes with it.

    `report_progress` receives messages on the progress.

    Args:
        regulation: the document.
        stated: choices of the house. Every way that they leave open is worked out.
        meters: readings of meters, in minor units.
        wager: the one wager; None for all.
        rounds: number of simulated rounds, if there are too many deals to count.
        seed: seed of the simulation.
        strategy: decisions of players; None for the best ones.
        counted: hand counts of the game, such as those of an earlier call.
    """
    if regulation.game is None:
        return odds_figures.DocumentOdds(
            document=regulation.id, title=regulation.document.title, wagers=(), why="the document has no rules of play"
        )
    counts = counted or HandCounts(compile_game(regulation), report_progress)
    odds = list[odds_figures.WagerOdds]()
    prepared = counts.prepared
    printed = {name: at for at, name in enumerate(prepared.game.pay_tables)}
    for group in player_options.list_wager_groups(prepared.game):
        if wager is not None and wager not in (group.wager, *group.lines):
            continue
        if stated is not None and stated.offers is not None and group.wager not in stated.offers:
            continue
        rows = _OddsWorker(prepared, counts, meters or {}, rounds, seed, strategy).of_group(group, stated)
        odds += sorted(rows, key=lambda row: printed.get(row.pay_table or "", 0))
    return odds_figures.DocumentOdds(document=regulation.id, title=prepared.game.title, wagers=tuple(odds))


class _OddsWorker(Struct, frozen=True):
    prepared: CompiledGame
    counts: HandCounts
    meters: Mapping[str, int]
    rounds: int
    seed: int
    strategy: GivenStrategy | None

    def of_group(
        self, group: player_options.WagerGroup, stated: LicenseeConfiguration | None
    ) -> Iterator[odds_figures.WagerOdds]:
        if group.wager not in self.prepared.game.settlement.order:
            why = "players win it from each other; the house takes only the rake"
            yield _report_no_odds(self.prepared, group, None, why)
            return
        for variant in list_variants(self.prepared, group, stated):
            try:
                table = player_options.set_up_table(self.prepared, variant.configuration, group)
                if group.wager in table.selections:
                    yield from self._work_out_selections(table, variant)
                else:
                    yield self._work_out_variant(table, variant)
            except (player_options.NoOdds, player_options.TooManyDeals) as error:
                yield replace(
                    _report_no_odds(self.prepared, group, variant, str(error)),
                    settlement=_report_open_settlement(error),
                )
        if not covers_all_variants(self.prepared, group, stated):
            yield _report_no_odds(self.prepared, group, None, f"it can be offered in more than {MOST_WAYS} ways")

    def _work_out_selections(
        self, table: player_options.OddsTable, variant: OfferVariant
    ) -> Iterator[odds_figures.WagerOdds]:
        """Yield the odds of each group of selections with equal odds; of all in one if they are all equal."""
        wager, groups = table.group.wager, dict[bytes, tuple[odds_figures.WagerOdds, list[str]]]()
        for on in self.prepared.selections[wager].permitted:
            odds = self._work_out_variant(replace(table, selections={**table.selections, wager: on}), variant)
            groups.setdefault(msgspec.msgpack.encode(replace(odds, settlement=None)), (odds, []))[1].append(on)
        for odds, selections in groups.values():
            yield replace(odds, on=tuple(selections)) if len(groups) > 1 else odds

    def _work_out_variant(self, table: player_options.OddsTable, variant: OfferVariant) -> odds_figures.WagerOdds:
        names = {
            printed.table.meter
            for line in table.group.lines
            for printed in table.prepared.printed_tables.get(line, ())
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
        return replace(odds, strategy_costs=odds_figures.format_ratio(cost))

    def _solve(
        self,
        table: player_options.OddsTable,
        reads: Mapping[str, int],
        *,
        best: bool = False,
        upon: Sequence[player_options.WagerGroup] = (),
    ) -> Solution:
        """Return the solution with the best decisions or with a strategy. Raises `NoOdds`.

        Args:
            table: the game with the stakes on the wager.
            reads: readings of the meters.
            best: whether to ignore the given strategy.
            upon: groups that wait for this solution.
        """
        strategy = None if best else self.strategy
        if player_options.depends_on_rounds(self.prepared, table.group.wager):
            return solve_staying(table)
        try:
            return solve_exactly(
                table, self.counts, reads, lambda: self._solve_needed_group(table, best=best, upon=upon), strategy
            )
        except player_options.TooManyDeals as error:
            if reads:
                raise
            if strategy is not None:
                raise player_options.NoOdds("a given strategy cannot be simulated") from None
            try:
                if any(drawing.sets_cards for drawing in self.prepared.game.drawing.values()):
                    return simulate_set_hands(table, self.rounds, self.seed)
                return simulate_odds(table, self.counts, self.rounds, self.seed)
            except player_options.TooManyDeals:
                raise error from None  # its message states why the deals are not counted

    def _solve_needed_group(
        self, table: player_options.OddsTable, *, best: bool, upon: Sequence[player_options.WagerGroup]
    ) -> Solution | None:
        """Return the solution of the wager that this one needs, under the first table that fits its options."""
        group = table.needed_group
        if group is None:
            return None
        if group in upon:
            raise player_options.NoOdds(f"{group.wager} and {table.group.wager} need each other")
        chosen = next(list_variants(self.prepared, group, table.configuration))
        table_of_group = player_options.set_up_table(self.prepared, chosen.configuration, group)
        return self._solve(table_of_group, {}, best=best, upon=(*upon, table.group))


def _add_meter_effect(
    odds: odds_figures.WagerOdds, further: odds_figures.WagerOdds, meter: str, reads: int, *, known: bool
) -> odds_figures.WagerOdds:
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
    by_meter = odds_figures.MeterEffect(
        meter=meter,
        reads=reads if known else None,
        at_nothing=odds_figures.format_ratio(at_nothing),
        per_unit=odds_figures.format_ratio(per_unit),
        even=odds_figures.format_ratio(at_nothing / per_unit) if per_unit else None,
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


def _make_figures(table: player_options.OddsTable, variant: OfferVariant, solution: Solution) -> odds_figures.WagerOdds:
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
        risked += alternative.at_risk * share.count
    advantage = -total / deals / table.stake
    ordered = sorted(rows.items(), key=lambda row: (-row[0][1], row[0][0]))
    spread = odds_figures.compute_deviation((pays, Fraction(count, deals)) for (_, pays), count in ordered)
    margin = _TWO_SIDED * (solution.error or 0.0)
    exact, low, high = solution.error is None and solution.method is None, solution.below, solution.above
    return odds_figures.WagerOdds(
        wager=table.group.wager,
        pay_table=variant.table,
        posted=variant.posted,
        title=table.prepared.game.wagers[table.group.wager].title,
        with_=tuple(line for line in table.group.lines if line != table.group.wager),
        beside=tuple(wager for wager in table.opening_stakes if wager not in table.group.lines),
        options=dict(variant.options),
        exact=exact,
        house_advantage=odds_figures.format_ratio(advantage),
        element_of_risk=odds_figures.format_ratio(-total / risked),
        standard_deviation=spread,
        interval=None if exact else (float(advantage) - margin - low, float(advantage) + margin + high),
        method=solution.method,
        deals=deals if exact else None,
        by_meter=None,
        strategy=odds_figures.describe_strategy(table, solution),
        outcomes=tuple(
            odds_figures.WagerOutcome(
                outcome=name,
                probability=odds_figures.format_ratio(Fraction(count, deals)),
                pays=odds_figures.format_ratio(pays),
                combinations=count if exact else 0,
            )
            for (name, pays), count in ordered
        ),
        never=() if solution.proof is None else tuple(_find_unhit_rows(table, variant, solution.proof)),
        settlement=None if solution.proof is None else _report_settlement(table, solution.proof),
    )


def _report_settlement(table: player_options.OddsTable, proof: SettlementProof) -> odds_figures.SettlementCoverage:
    order = [
        odds_figures.CasePrecedence(
            line=before.line, case=before.case, other=before.other, deal=_convert_deal(before.deal)
        )
        for before in proof.case_orders
    ]
    never = [
        odds_figures.UnreachedCase(line=line, case=case)
        for line, case in find_unreached_cases(proof, table.open_unknown_rounds(), table.group.lines)
    ]
    return odds_figures.SettlementCoverage(whole=True, order=tuple(order), never=tuple(never))


def _report_open_settlement(error: Exception) -> odds_figures.SettlementCoverage | None:
    """Return the gap in settlement that an error reports; None for other errors."""
    if not isinstance(error, OpenSettlement):
        return None
    return odds_figures.SettlementCoverage(
        whole=False, undecided=(odds_figures.UndecidedLine(line=error.line, deal=_convert_deal(error.deal)),)
    )


def _convert_deal(deal: ShownDeal) -> odds_figures.ExampleDeal:
    return odds_figures.ExampleDeal(
        decision=deal.decision, cards={str(place): cards for place, cards in deal.cards.items()}
    )


def _find_unhit_rows(table: player_options.OddsTable, variant: OfferVariant, proof: SettlementProof) -> Iterator[str]:
    """Yield the rows of the tables in use that no deal hits, whatever the player decides."""
    for line in table.group.lines:
        bonus = table.prepared.game.bonuses.get(line)
        if bonus is None or bonus.earned_by is None:
            for rows in variant.configuration.pay_tables.get(line, ()):
                yield from (row for row in rows if (line, row) not in proof.rows)


def _report_no_odds(
    prepared: CompiledGame, group: player_options.WagerGroup, variant: OfferVariant | None, why: str
) -> odds_figures.WagerOdds:
    return odds_figures.WagerOdds(
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
