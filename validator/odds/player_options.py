"""Options of a player with a wager: decisions at each point, and the stakes that they put at risk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations, islice
from math import lcm

from msgspec import Struct, field
from msgspec.structs import replace

from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.decision_points import DecisionPoint, UnclearRound, list_decision_points
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.house_terms import LicenseeConfiguration
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.engine.payouts.line_settlement import settle_lines
from fairdeal.validator.evidence.columns.recorded_events import make_mask_at
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.odds.sample_rounds import SampleRounds, build_sample_batch, deal_unknown_cards
from fairdeal.validator.rulebook.dependencies import iterate_dependencies
from fairdeal.validator.rules.game_model import Act, Game


class NoOdds(Exception):
    """Error for a wager whose house advantage cannot be worked out. Its message states the reason."""


class TooManyDeals(Exception):
    """Error for a wager with deals that cannot be counted. Its message states the reason."""


DEFAULT_STAKE = 100
"""Stake in minor units, if neither the document nor a submission fixes it."""
_MOST_BESIDE = 2
_MOST_ALTERNATIVES = 1_000
_MODELLED = frozenset({"wager", "decide", "deal", "draw", "discard", "claim", "tender", "pay", "collect", "return"})
"""Kinds of event that sample rounds replace by cards, stakes, claims and decisions, or that settle them."""


class WagerGroup(Struct, frozen=True, kw_only=True):
    """Wager that a player chooses, with the lines that go with it."""

    wager: str
    lines: tuple[str, ...]
    """Lines in order of settlement: the wager, wagers that are a multiple of it, and bonuses based on any of them."""


class DecisionOption(Struct, frozen=True, kw_only=True):
    """Decision that may be open to a seat at a decision point."""

    decision: str | None
    """Name of the decision; None if the seat decides nothing."""
    stakes: Mapping[str, int]
    """Stakes on each wager after the decision, in minor units."""
    open_to: Condition | None
    """Condition on the seat; None unless it depends on the cards."""
    is_fallback: bool = False
    """True for the option of a seat to which no other option is open."""


class Alternative(Struct, frozen=True, kw_only=True):
    """Sequence of decisions that a seat may take in a round."""

    decisions: tuple[str, ...]
    """Decisions in order, without the points at which the seat decides nothing."""
    discards: int
    """Number of cards that the seat discards."""
    stakes: Mapping[str, int]
    """Final stakes on each wager, in minor units."""
    at_risk: int
    """Stakes at risk on the wager and the lines that go with it, in minor units."""
    open_to: tuple[Condition, ...]
    """Conditions on the seat that depend on the cards."""
    is_fallback: bool = False
    """True if the seat has no other option at one of the points."""

    @property
    def name(self) -> str | None:
        """Return the decisions as text; None if there are none."""
        return ", ".join(self.decisions) or None


def list_wager_groups(game: Game) -> list[WagerGroup]:
    """Return the wagers that players choose, in the order of the game, each with its lines."""
    roots = {name: _find_root(game, name) for name in game.wagers}
    groups = []
    for wager in dict.fromkeys(root for root in roots.values() if game.wagers[root].placed != "with-a-payment"):
        names = {name for name, root in roots.items() if root == wager}
        names |= {name for name, bonus in game.bonuses.items() if bonus.of in names}
        groups.append(WagerGroup(wager=wager, lines=tuple(line for line in game.settlement.order if line in names)))
    return groups


def _find_root(game: Game, wager: str) -> str:
    seen = [wager]
    while (of := game.wagers[seen[-1]].of) is not None and of not in seen:
        seen.append(of)
    return seen[-1]


class OddsTable(Struct, frozen=True, kw_only=True):
    """Game as a house offers it, with the stakes before the deal that put a group in play."""

    prepared: CompiledGame
    configuration: LicenseeConfiguration
    group: WagerGroup
    base_stakes: Mapping[str, int]
    """Stakes on each wager that a player may choose, in minor units."""
    opening_stakes: Mapping[str, int]
    """Stakes on each wager before the deal, in minor units."""
    points: tuple[DecisionPoint, ...]
    """Decision points of a round, in order of play."""
    selections: Mapping[str, str] = field(default_factory=dict)
    """Selection of each stake, by wager; only wagers with selections."""
    unrecorded: int = 0
    """Mask of the kinds of event that occur in regular rounds and that sample rounds leave out."""
    placed_by: str | None = None
    """Decision that places the wager; None if it is placed before the deal."""

    @property
    def needed_group(self) -> WagerGroup | None:
        """Return the group of the wager that this one needs; None if it needs none."""
        needed = [wager for wager in self.opening_stakes if wager not in self.group.lines]
        return next((group for group in list_wager_groups(self.prepared.game) if group.wager in needed), None)

    @property
    def stake(self) -> int:
        """Return the stake on the wager itself, in minor units."""
        return self.base_stakes[self.group.wager]

    def open_unknown_round(self, stakes: Mapping[str, int], decisions: tuple[str, ...] = ()) -> EvaluationContext:
        """Open a round with unknown cards."""
        rounds = SampleRounds(dealt=deal_unknown_cards(self.prepared), stakes=stakes, decisions=decisions)
        return self.open_rounds(rounds)

    def open_unknown_rounds(self) -> list[EvaluationContext]:
        """Open a round with unknown cards for each sequence of decisions. Raises `NoOdds` if there are too many."""
        ways = {(way.decisions, tuple(way.stakes.items())): way for way in self.list_alternatives()}
        return [self.open_unknown_round(way.stakes, way.decisions) for way in ways.values()]

    def open_rounds(self, rounds: SampleRounds, dealing: str | None = None) -> EvaluationContext:
        """Open sample rounds under the configuration of the house, dealt in its own way unless another is named."""
        rounds = replace(rounds, selections=self.selections)
        batch = build_sample_batch(self.prepared, rounds, dealing or self.configuration.dealing, self.unrecorded)
        return EvaluationContext(batch, self.prepared, self.configuration)

    @property
    def is_by_own_cards(self) -> bool:
        """Return whether a seat decides at most once, when its player sees all own cards and no others."""
        own = self.prepared.game.deal.cards.get("player", 0)
        return len(self.points) <= 1 and all(point.seen == ({"player": own} if own else {}) for point in self.points)

    def list_options(
        self, point: DecisionPoint, before: tuple[str, ...], stakes: Mapping[str, int]
    ) -> list[DecisionOption]:
        """Return the options of a seat at a point after other decisions, in reverse order of the game.

        If there is nothing to choose between, the seat may also decide nothing.
        """
        scope, options = self.open_unknown_round(stakes, before), list[DecisionOption]()
        if point.steps and all(int(scope.evaluate(step.when, "seat")[0]) == NO for step in point.steps):
            return [DecisionOption(decision=None, stakes=stakes, open_to=None)]
        for name in reversed(point.decisions):
            decision = self.prepared.game.decisions[name]
            answer = int(scope.evaluate(decision.when, "seat")[0])
            if answer != NO:
                placed = {} if decision.places is None else self.place_wager(decision.places, decision.amount)
                open_to = decision.when if answer == UNKNOWN else None
                options.append(DecisionOption(decision=name, stakes={**stakes, **placed}, open_to=open_to))
        if len(options) < 2:
            options.insert(0, DecisionOption(decision=None, stakes=stakes, open_to=None))
        elif all(option.open_to is not None for option in options):
            options.append(DecisionOption(decision=None, stakes=stakes, open_to=None, is_fallback=True))
        return options

    def list_alternatives(self) -> list[Alternative]:
        """Return all sequences of decisions and numbers of discards. Raises `NoOdds` if there are too many.

        They are sorted by the stakes at risk, smallest first; of equal stakes, those that the game lists last come
        first.
        """
        if self.placed_by is not None:
            return [self.make_alternative()]
        alternatives = list(
            islice(self._list_alternatives(self.points, (), self.opening_stakes), _MOST_ALTERNATIVES + 1)
        )
        if len(alternatives) > _MOST_ALTERNATIVES:
            raise NoOdds(f"a player may decide in more than {_MOST_ALTERNATIVES} ways in a round")
        return sorted(alternatives, key=lambda alternative: alternative.at_risk)

    def make_alternative(self) -> Alternative:
        """Return the only alternative of a wager on which no decision has an effect, but the one that places it."""
        decision = None if self.placed_by is None else self.prepared.game.decisions[self.placed_by]
        return Alternative(
            decisions=() if self.placed_by is None else (self.placed_by,),
            discards=0,
            stakes=self.opening_stakes,
            at_risk=sum(self.opening_stakes.get(line, 0) for line in self.group.lines),
            open_to=() if decision is None or decision.when is None else (decision.when,),
        )

    def _list_alternatives(
        self,
        points: tuple[DecisionPoint, ...],
        before: tuple[str, ...],
        stakes: Mapping[str, int],
        open_to: tuple[Condition, ...] = (),
        is_fallback: bool = False,
    ) -> Iterator[Alternative]:
        if points:
            for option in self.list_options(points[0], before, stakes):
                decisions = before if option.decision is None else (*before, option.decision)
                conditions = open_to if option.open_to is None else (*open_to, option.open_to)
                rest = is_fallback or option.is_fallback
                yield from self._list_alternatives(points[1:], decisions, option.stakes, conditions, rest)
            return
        at_risk = self.sum_at_risk(stakes, before)
        for discards in self._find_discards(before):
            yield Alternative(
                decisions=before,
                discards=discards,
                stakes=stakes,
                at_risk=at_risk,
                open_to=open_to,
                is_fallback=is_fallback,
            )

    def _find_discards(self, decisions: tuple[str, ...]) -> range:
        """Return the numbers of cards that a seat may discard with its decisions. Raises `NoOdds`."""
        bounds = [self.prepared.game.decisions[name].discards for name in decisions]
        discards = [bound for bound in bounds if bound is not None]
        if not discards:
            return range(1)
        if not self.is_by_own_cards:
            raise NoOdds("cards are discarded in a game in which players see other cards or decide several times")
        return range(discards[0].at_least, discards[0].at_most + 1)

    def place_wager(self, wager: str, factor: int | None) -> dict[str, int]:
        """Return the stake that a decision places, if the chosen wager of its group is in play."""
        root = _find_root(self.prepared.game, wager)
        return (
            {wager: self.base_stakes[root] * _find_multiple(self.prepared.game, wager, factor)}
            if root in self.opening_stakes
            else {}
        )

    def sum_at_risk(self, stakes: Mapping[str, int], decisions: tuple[str, ...]) -> int:
        """Return the stakes of the group that are not returned whatever the cards are."""
        lines = settle_lines(self.open_unknown_round(stakes, decisions)) if decisions else {}
        back = {
            name
            for name, line in lines.items()
            if line.is_settled.all() and not line.due_paid.any() and not line.due_taken.any()
        }
        return sum(amount for wager, amount in stakes.items() if wager in self.group.lines and wager not in back)


def _find_multiple(game: Game, wager: str, factor: int | None = None) -> int:
    """Return the factor between a wager and the chosen wager that it goes with.

    Args:
        game: the game.
        wager: the wager.
        factor: the factor that a decision chooses; None for the first of the permitted ones.
    """
    times, current = 1, wager
    while (of := game.wagers[current].of) is not None and of != wager:
        times, factor, current = times * (factor or next(iter(game.wagers[current].factors), 1)), None, of
    return times


def set_up_table(prepared: CompiledGame, configuration: LicenseeConfiguration, group: WagerGroup) -> OddsTable:
    """Return the table at which a group is in play, with the fewest other wagers that it needs.

    Raises `NoOdds` if two other wagers are not enough.
    """
    game = prepared.game
    if group.wager in game.bank_shares:
        raise NoOdds("it is a share of what the bank wins from other players")
    if depends_on_rounds(prepared, group.wager):
        return _set_up_staying_table(prepared, configuration, group)
    placing = [name for name, decision in game.decisions.items() if decision.places == group.wager]
    is_placed_later = game.wagers[group.wager].placed == "with-a-decision"
    if is_placed_later and (len(placing) != 1 or not game.deal.stages_by_rule):
        raise NoOdds("it is placed with a decision, and its amount does not depend on another wager")
    try:
        points = list_decision_points(prepared)
    except UnclearRound as error:
        raise NoOdds(str(error)) from error
    names = [other.wager for other in list_wager_groups(game)]
    base = {name: _find_stake(prepared, configuration, name) for name in names}
    others = [name for name in names if name != group.wager]
    for number in range(_MOST_BESIDE + 1):
        for chosen_others in combinations(others, number):
            opening = dict(_list_opening_stakes(game, base, (group.wager, *chosen_others)))
            opening |= {group.wager: base[group.wager]} if is_placed_later else {}
            table = OddsTable(
                prepared=prepared,
                configuration=configuration,
                group=group,
                base_stakes=base,
                opening_stakes=opening,
                points=points,
                placed_by=placing[0] if is_placed_later else None,
                selections={
                    wager: prepared.selections[wager].permitted[0] for wager in opening if wager in prepared.selections
                },
            )
            scope = table.open_unknown_round(opening)
            if all(int(scope.evaluate(game.wagers[wager].when, "seat")[0]) == YES for wager in opening):
                return replace(table, unrecorded=_find_unmodelled_kinds(table))
    raise NoOdds(f"{group.wager} needs more than {_MOST_BESIDE} other wagers, or wagers that cannot be placed")


def depends_on_rounds(prepared: CompiledGame, wager: str) -> bool:
    """Return whether a stake depends on earlier rounds: it may stay, or a carried result decides about it by itself."""
    game = prepared.game
    if wager in game.staying_wagers or not game.carried_outcomes or game.deck is not None:
        return wager in game.staying_wagers
    conditions = [case.when for case in game.settlement.cases if wager in case.lines]
    parts = [*prepared.iterate_parts(*filter(None, [game.wagers[wager].when, *conditions]))]
    return not any(part.operator == "placed" for part in parts) and any(
        part.operator == "outcome" and part.operand.of in game.carried_outcomes for part in parts
    )


def _set_up_staying_table(prepared: CompiledGame, configuration: LicenseeConfiguration, group: WagerGroup) -> OddsTable:
    """Return the table with a stake that depends on other rounds, and no other."""
    stakes = {group.wager: _find_stake(prepared, configuration, group.wager)}
    selects = prepared.selections.get(group.wager)
    return OddsTable(
        prepared=prepared,
        configuration=configuration,
        group=group,
        base_stakes=stakes,
        opening_stakes=stakes,
        points=(),
        selections={group.wager: selects.permitted[0]} if selects is not None and selects.when == "placed" else {},
    )


def _find_unmodelled_kinds(table: OddsTable) -> int:
    """Return a mask of the kinds of event that settlement may need in regular rounds and that sample rounds leave out.

    These are draws without rules for odds, and steps that no card, stake or decision represents.
    """
    game, mask = table.prepared.game, 0
    modelled = {drawing.place for drawing in game.drawing.values()}
    modelled |= {"player"} if any(decision.discards for decision in game.decisions.values()) else set()
    for step in game.acts.values():
        if "draw" in step.events:
            for place in game.deal.cards:
                if step.place in (None, place) and place not in modelled:
                    mask |= make_mask_at(["draw"], place)
    cases = [case for case in game.settlement.cases if not {*table.group.lines}.isdisjoint(case.lines)]
    named = {part.name: part for case in cases for part in iterate_dependencies(game, case) if isinstance(part, Act)}
    open_rounds = cache(table.open_unknown_rounds)

    def may_happen(step: Act) -> bool:
        """Return whether a step happens in some regular round."""
        return step.when is None or any((scope.evaluate(step.when, "seat") != NO).any() for scope in open_rounds())

    for step in named.values():
        for regular in (step,) if step.name in game.acts else game.acts.values():
            kinds = [kind for kind in step.events if kind in regular.events and kind not in _MODELLED]
            if kinds and _may_be_same_event(step, regular) and may_happen(regular):
                mask |= make_mask_at(kinds, step.place)
    return mask


def _may_be_same_event(step: Act, regular: Act) -> bool:
    """Return whether an event may belong to both of two steps."""
    pairs = ((step.place, regular.place), (step.word, regular.word), (step.face, regular.face), (step.by, regular.by))
    return all(mine is None or theirs is None or mine == theirs for mine, theirs in pairs)


def _list_opening_stakes(game: Game, base: Mapping[str, int], chosen: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    for name, wager in game.wagers.items():
        root = _find_root(game, name)
        if wager.is_opening and root in chosen:
            yield name, base[root] * _find_multiple(game, name)


def _find_stake(prepared: CompiledGame, configuration: LicenseeConfiguration, wager: str) -> int:
    """Return the only stake that a house offers on a wager; otherwise the stake that a printed table is for."""
    printed = [table.table.wager for table in prepared.printed_tables.get(wager, ()) if table.table.wager is not None]
    return configuration.fixed_stake(wager) or next(iter(printed), DEFAULT_STAKE * _find_unrounded(prepared, wager))


def _find_unrounded(prepared: CompiledGame, wager: str) -> int:
    """Return a factor of stakes on a wager with which no commission needs rounding."""
    factors = [1]
    for case in prepared.game.settlement.cases:
        commission = case.due.commission
        if commission is not None and any(_find_root(prepared.game, line) == wager for line in case.lines):
            unit = 1 if commission.rounded is None else commission.rounded.to
            odds = case.due.operand.worth if case.due.operator == "odds" else Fraction(1)
            factors.append((odds * commission.percent / unit).denominator)
    return lcm(*factors)
