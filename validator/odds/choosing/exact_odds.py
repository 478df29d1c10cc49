"""Exact odds of a wager and what goes with it: every deal counted, with the best decisions of the player or a given
strategy.

A player decides by the cards of the own seat. For each class of these cards, the worth of an alternative is the sum
over all deals of the other cards. The best alternative is chosen; of equal ones, the one with less at stake. Deals
that settlement does not distinguish are settled once, by the interpreter, and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import combinations
from math import lcm
from typing import Annotated

import numpy as np
from annotated_types import MaxLen, MinLen
from msgspec.structs import replace

from fairdeal.validator.arrays import Bits32, Codes, Flags, Ints
from fairdeal.validator.cards.card_codes import CARDS
from fairdeal.validator.cards.card_codes import UNKNOWN as NOT_KNOWN
from fairdeal.validator.cards.hand_orders import LongestFlushRanking, SuitTiebreakRanking
from fairdeal.validator.engine.core.compiled_game import CompiledGame, CompiledHand
from fairdeal.validator.engine.core.kleene import UNKNOWN, YES
from fairdeal.validator.language.grammar import DecisionName, Place
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.odds import card_sets, deal_settlement, sample_rounds
from fairdeal.validator.odds.choosing.board_decisions import BoardDecisions, PartlySeenHand, SharedHands
from fairdeal.validator.odds.choosing.composition_odds import (
    find_single_alternative,
    is_counted_by_composition,
    solve_by_composition,
)
from fairdeal.validator.odds.choosing.own_card_decisions import DiscardWay, OneUnseenHand, OwnCardDecisions, UnseenCards
from fairdeal.validator.odds.choosing.staged_decisions import StagedDecisions, TooManyStates
from fairdeal.validator.odds.choosing.taken_cards import solve_with_taken_cards
from fairdeal.validator.odds.hand_counts import FlushCounter, HandCounts
from fairdeal.validator.odds.player_options import Alternative, NoOdds, OddsTable, TooManyDeals
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.rulebook.dependencies import Namespace, find_undefined_names
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.closed_model import ClosedModel, Identifier
from fairdeal.validator.text.diagnostics import InputError, limit_diagnostics
from fairdeal.validator.text.document_loader import load_document, validate
from fairdeal.validator.text.source import Source


class StrategyStep(ClosedModel):
    """Decision of a strategy, and when to take it."""

    decision: DecisionName
    """The decision."""
    when: Condition | None = None
    """The hands with which it is taken, among those that no earlier decision covers; all of them if left out."""


class GivenStrategy(ClosedModel):
    """Decisions of a player in order: the first one that applies is taken. If none applies, the player decides as
    well as possible; the same is true for discards."""

    document: Identifier
    """The document whose game is played."""
    decisions: Annotated[list[StrategyStep], MinLen(1), MaxLen(100)]
    """The decisions, in order."""


def read_strategy(source: Source, regulation: Regulation) -> GivenStrategy:
    """Return the strategy in a file. Raises InputError, also for unknown names and conditions that the game cannot
    evaluate."""
    tree = load_document(source)
    strategy = validate(tree, GivenStrategy)
    problems = []
    if strategy.document != regulation.id or regulation.game is None:
        problems.append(
            tree.build_diagnostic(("document",), "other-document", f"this is not a strategy for {regulation.id}")
        )
    else:
        problems += find_undefined_names(tree, strategy, Namespace.from_regulation(regulation))
        for index, decision in enumerate([] if problems else strategy.decisions):
            for place, why in OPERATORS.find_grain_problems(
                decision.when, "seat", regulation.game, ("decisions", index, "when")
            ):
                problems.append(tree.build_diagnostic(place, "semantic-error", why))
    if problems:
        raise InputError(limit_diagnostics(problems))
    return strategy


def restrict_to_strategy(
    strategy: GivenStrategy, table: OddsTable, cards: Codes, alternatives: list[Alternative]
) -> Flags:
    """Return the decisions that a strategy permits with each hand, bool[alternatives, n].

    Raises `NoOdds` if the strategy depends on cards that a player does not see.

    Args:
        strategy: the strategy.
        table: the table.
        cards: hands, uint8[n, k].
        alternatives: alternatives of the player.
    """
    sizes = table.prepared.game.deal.cards
    deals = {place: np.full((len(cards), size), NOT_KNOWN, np.uint8) for place, size in sizes.items()}
    rounds = sample_rounds.SampleRounds(dealt={**deals, "player": cards}, stakes=table.opening_stakes)
    scope = table.open_rounds(rounds)
    names = [alternative.name for alternative in alternatives]
    decided: Ints = np.full(len(cards), -1, np.int64)
    for decision in strategy.decisions:
        answer = scope.evaluate(decision.when, "seat")
        if (answer == UNKNOWN).any():
            raise NoOdds(f"the strategy for {decision.decision} depends on more than the player sees")
        if decision.decision in names:
            decided[(decided < 0) & (answer == YES)] = names.index(decision.decision)
    same = np.array([names.index(name) for name in names])
    return (decided < 0)[None, :] | (same[:, None] == decided[None, :])


_DEALS = 200_000
"""Number of random deals for a hand of the player from which examples are taken first."""


class TwoUnseenFlushes:
    """Player's hand and another one, each with the same shared cards. Settlement depends only on which is higher,
    and on the number of cards of each."""

    def __init__(self, counts: HandCounts, looks: sample_rounds.DecidingHands) -> None:
        """Prepare the counts. Raises `TooManyDeals` if settlement depends on more."""
        prepared = counts.prepared
        own, other, shared = _find_places(prepared, looks)
        self.other, self.shared = other, shared
        ranking = prepared.hands[own].ranking
        if (
            not isinstance(ranking, LongestFlushRanking)
            or ranking != prepared.hands[_find_other_hand(looks, own)].ranking
        ):
            raise TooManyDeals("hands that share cards are compared with each other")
        if ranking.natural_in_own_suit or any(ends for ends in looks.bounds.values()):
            raise TooManyDeals("settlement depends on more than the order and the length of hands that share cards")
        sizes = prepared.game.deal.cards
        try:
            self.flush = card_sets.SharedFlush(ranking, sizes["player"], sizes[other], sizes[shared])
            self.counting = FlushCounter(self.flush)
        except ValueError as error:
            raise TooManyDeals(str(error)) from error
        self.ranking = ranking
        flush_counts = counts.count_flushes(self.flush)
        self.cards, self.weight, self.counted = flush_counts.cards, flush_counts.weight, flush_counts.deal_counts
        self.numbered = {int(signature): at for at, signature in enumerate(flush_counts.signatures)}
        self.cell_of = np.zeros(len(self.cards), np.int64)
        self.signatures = len(self.numbered)
        self.looked_for = set(looks.bounds)

    def find_classes(self, cards: Codes) -> Ints:
        """Return the class of each hand of the player, int64[m]. Wild cards are not distinguished."""
        keys = card_sets.make_suit_key_without(self.cards, self.flush.wild_cards)
        order = np.argsort(keys)
        return order[np.searchsorted(keys[order], card_sets.make_suit_key_without(cards, self.flush.wild_cards))]

    def list_discard_ways(self, _discards: int, hands: list[str]) -> list[DiscardWay]:
        """Return the only way, without discards."""
        return [DiscardWay(discards=(), matters=not self.looked_for.isdisjoint(hands))]

    def count_deals(self, way: DiscardWay) -> Ints | Bits32:
        """Return the number of deals by class and signature, int64[n, signatures].

        If the unseen cards do not matter, all deals have the first signature.
        """
        if way.matters:
            return self.counted
        deals = np.zeros_like(self.counted)
        deals[:, 0] = self.counted[0].sum()
        return deals

    def find_example_deals(
        self, at: int, way: DiscardWay, signature: int
    ) -> Iterator[tuple[int, Mapping[Place, Codes]]]:
        """Yield examples of deals for a hand of the player, from random deals first, then from shared cards with the
        signature."""
        if not way.matters:
            yield 0, {}
            return
        examples: dict[int, dict[Place, Codes]] = {}
        own = self.cards[at]
        rest = np.array([code for code in range(CARDS) if code not in own], np.uint8)
        shared, other = self.flush.shared, self.flush.another
        rng = np.random.default_rng(at)
        order = np.argsort(rng.random((_DEALS, len(rest)), np.float32), axis=1)[:, : shared + other]
        self._collect_examples(own, rest[order], examples)
        if signature not in examples:
            patterns = [
                (kind.lengths, kind.wild)
                for kind in self.flush.list_shared_cards()
                if self._has_signature(at, kind, signature)
            ]
            for cards in combinations(rest.tolist(), shared):
                pattern = self.flush.sort_shared_cards(cards)
                if (pattern.lengths, pattern.wild) in patterns and self._has_signature(at, pattern, signature):
                    left = [code for code in rest.tolist() if code not in cards]
                    hands = np.array([*combinations(left, other)], np.uint8)
                    deals = np.concatenate([np.tile(np.array(cards, np.uint8), (len(hands), 1)), hands], axis=1)
                    self._collect_examples(own, deals, examples)
                    break
        yield from examples.items()

    def _has_signature(self, at: int, shared: card_sets.SharedCards, signature: int) -> bool:
        counted = self.counting.count(self.flush.sort_own_hand(self.cards[at]), [shared])[0]
        return any(counted[row] for row, number in self.numbered.items() if number == signature)

    def _collect_examples(self, own: Codes, deals: Codes, examples: dict[int, dict[Place, Codes]]) -> None:
        """Record a deal of each signature; `deals` is uint8[n, shared + other]."""
        shared = self.flush.shared
        own_cards = np.concatenate([np.tile(own, (len(deals), 1)), deals[:, :shared]], axis=1)
        numbers = self.flush.find_signatures(self.ranking.strength(own_cards), self.ranking.strength(deals))
        for signature, first in zip(*np.unique(numbers, return_index=True), strict=True):
            number = self.numbered[int(signature)]
            if number not in examples:
                row = deals[int(first)]
                examples[number] = {self.shared: row[:shared], self.other: row[shared:]}


def _find_places(prepared: CompiledGame, looks: sample_rounds.DecidingHands) -> tuple[str, Place, Place]:
    """Return the player's hand, the place of the other hand, and the place of shared cards. Raises `TooManyDeals`."""
    for own in looks.hands:
        for another in looks.hands:
            places, others = prepared.hands[own].places, prepared.hands[another].places
            common = [place for place in places if place in others]
            if {*looks.hands} == {own, another} and "player" in places and "player" not in others:
                rest = [place for place in others if place not in common]
                if len(places) == len(others) == 2 and len(common) == 1 and len(rest) == 1:
                    return own, rest[0], common[0]
    raise TooManyDeals(f"deals are not counted where {' and '.join(looks.hands)} share cards or a deck")


def _find_other_hand(looks: sample_rounds.DecidingHands, own: str) -> str:
    """Return the other of two hands."""
    return next(hand for hand in looks.hands if hand != own)


def solve_exactly(
    table: OddsTable,
    counts: HandCounts,
    meters: Mapping[str, int],
    solve_needed_group: Callable[[], deal_settlement.Solution | None] = lambda: None,
    strategy: GivenStrategy | None = None,
) -> deal_settlement.Solution:
    """Return the exact odds of a group at a table. Raises `TooManyDeals`, and `NoOdds` if it has none.

    If no alternative is best for all deals and the group needs another wager, players decide as is best for the other.

    Args:
        table: the game with the stakes on the wager.
        counts: hand counts of the game.
        meters: readings of the meters.
        solve_needed_group: returns the solution of the other wager.
        strategy: decisions to use instead of the best.
    """
    if (single := find_single_alternative(table)) is not None:
        return solve_by_composition(table, [single], _find_looks(table, single), meters)
    if table.placed_by is not None:
        raise NoOdds("it is placed with a decision, and depends on cards or decisions that come after it")
    if (taken := solve_with_taken_cards(table, meters, is_quick=counts.is_quick)) is not None:
        if strategy is not None:
            raise NoOdds("a given strategy is not supported where decisions take cards")
        return taken
    solver = _ExactSolver(table, counts, meters)
    if not solver.looks.outcomes and is_counted_by_composition(table, solver.alternatives):
        return solve_by_composition(table, solver.alternatives, solver.looks, meters)
    return solver.solution(solve_needed_group, strategy)


def _find_looks(table: OddsTable, alternative: Alternative) -> sample_rounds.DecidingHands:
    """Return the hands on which the settlement of an alternative depends."""
    looks = sample_rounds.DecidingHands()
    rounds = sample_rounds.SampleRounds(dealt={}, stakes=alternative.stakes, decisions=alternative.decisions)
    sample_rounds.find_deciding_hands(table.open_rounds(rounds), table.group.lines, looks)
    return looks


def weigh_decisions(
    table: OddsTable, counts: HandCounts, meters: Mapping[str, int] | None = None
) -> deal_settlement.DecisionWorths | None:
    """Return the worth of each decision by the player's own cards; None if it cannot be counted or decisions do not
    matter."""
    try:
        return _ExactSolver(table, counts, meters or {}).worths()
    except (TooManyDeals, NoOdds):
        return None


class _ExactSolver:
    def __init__(self, table: OddsTable, counts: HandCounts, meters: Mapping[str, int]) -> None:
        self.table, self.counts, self.meters = table, counts, meters
        self.prepared = table.prepared
        self.alternatives = table.list_alternatives()
        self.discards = any(alternative.discards for alternative in self.alternatives)
        self._refuse_open_way_of_dealing()
        self.looks = sample_rounds.DecidingHands()
        for alternative in self.alternatives:
            self._find_hands(alternative, self.looks)

    def _refuse_open_way_of_dealing(self) -> None:
        """Raise `NoOdds` if settlement depends on the way of dealing, and the house leaves it open."""
        game = self.prepared.game
        ways = [] if self.table.configuration.dealing in game.deal.ways else [*game.deal.ways]
        if len({repr(game.deal.ways[way].count_dealt()) for way in ways}) < 2:
            return
        lines = {*self.table.group.lines}
        conditions = [case.when for case in game.settlement.cases if not lines.isdisjoint(case.lines)]
        for alternative in self.alternatives:
            rounds = sample_rounds.SampleRounds(
                dealt=sample_rounds.deal_unknown_cards(self.prepared),
                stakes=alternative.stakes,
                decisions=alternative.decisions,
            )
            scopes = [self.table.open_rounds(rounds, way) for way in ways]
            if any(len({int(scope.evaluate(when, "seat")[0]) for scope in scopes}) > 1 for when in conditions):
                raise NoOdds(f"it depends on the way of dealing, which is not stated: {', '.join(ways)}")

    def _find_hands(self, alternative: Alternative, hands: sample_rounds.DecidingHands) -> sample_rounds.DecidingHands:
        sample_rounds.find_deciding_hands(
            self.table.open_unknown_round(alternative.stakes, alternative.decisions), self.table.group.lines, hands
        )
        return hands

    def worths(self) -> deal_settlement.DecisionWorths | None:
        _require_countable_hands(self.prepared, self.looks)
        if not self.table.is_by_own_cards or len({alternative.decisions for alternative in self.alternatives}) < 2:
            return None
        if not self._is_one_hand():
            return self._decide_by_own_cards().weigh_alternatives()
        if not self._can_lose_by_deciding():
            return None
        return replace(
            self._decide_by_own_cards().weigh_alternatives(), is_dominated_by_one=self._solve_for_one_hand() is not None
        )

    def _can_lose_by_deciding(self) -> bool:
        """Return whether one decision is worth less than another, if a single hand decides."""
        _, results = self._settle_one_hand()
        per = lcm(*(result.denominator for result in results))
        nets = [result.net * (per // result.denominator) for result in results]
        return any((net != nets[0]).any() for net in nets)

    def solution(
        self, solve_needed_group: Callable[[], deal_settlement.Solution | None], strategy: GivenStrategy | None
    ) -> deal_settlement.Solution:
        _require_countable_hands(self.prepared, self.looks)
        if self._is_one_hand():
            solution = self._solve_for_one_hand()
            if solution is not None:
                return solution
        if self.looks.outcomes:
            raise NoOdds("it depends on decisions or several hands, and on results that are no cards")
        if not self.table.is_by_own_cards:
            return self._solve_in_stages(strategy)
        decisions = self._decide_by_own_cards()
        hidden = decisions.hidden
        if strategy is None or self.table.needed_group is not None:
            return decisions.solve(solve_needed_group())
        if not isinstance(hidden, OneUnseenHand):
            raise NoOdds("a given strategy is not supported where hands share cards")
        return decisions.solve(None, restrict_to_strategy(strategy, self.table, hidden.cards, self.alternatives))

    def _solve_in_stages(self, strategy: GivenStrategy | None) -> deal_settlement.Solution:
        """Return the odds with decisions by the cards that are seen at each. Raises `NoOdds`."""
        if strategy is not None:
            raise NoOdds("a given strategy needs a game with one decision by the player's own cards")
        if self.table.needed_group is not None:
            raise NoOdds("it depends on decisions for another wager, which players take by the cards seen at each")
        self._include_open_conditions()
        try:
            return StagedDecisions(self.table, self.looks, self.alternatives, self.meters).solve()
        except TooManyStates as error:
            if self.counts.is_quick:
                raise
            with suppress(TooManyStates):
                return PartlySeenHand(self.table, self.looks, self.alternatives, self.meters, self.counts).solve()
            try:
                own, other_place, board = _find_places(self.prepared, self.looks)
                return BoardDecisions(
                    self.table,
                    self.looks,
                    SharedHands(own=own, other=_find_other_hand(self.looks, own), other_place=other_place, board=board),
                    self.alternatives,
                    self.meters,
                    self.counts.report_progress,
                ).solve()
            except TooManyDeals:
                raise error from None

    def _include_open_conditions(self) -> None:
        """Add the hands by which alternatives are open to those that matter."""
        for alternative in self.alternatives:
            for condition in alternative.open_to:
                sample_rounds.find_hands_in_condition(
                    self.table.open_unknown_round(self.table.opening_stakes), condition, self.looks
                )

    def _decide_by_own_cards(self) -> OwnCardDecisions:
        self._include_open_conditions()
        hands = [self._find_hands(option, sample_rounds.DecidingHands()).hands for option in self.alternatives]
        return OwnCardDecisions(self.table, self._find_unseen_cards(), self.alternatives, hands, self.meters)

    def _is_one_hand(self) -> bool:
        """Return whether at most one hand decides, and no discard of the player changes it."""
        return len(self.looks.hands) <= 1 and not any(self._is_changed_by_discards(name) for name in self.looks.hands)

    def _is_changed_by_discards(self, hand: str) -> bool:
        """Return whether discards of the player are part of a hand."""
        prepared = self.prepared.hands[hand]
        return self.discards and prepared.cards == "held" and "player" in prepared.places

    def _find_unseen_cards(self) -> UnseenCards:
        """Return the cards that the player does not see. Raises `TooManyDeals` if they cannot be counted."""
        seen = [name for name in self.looks.hands if self._is_seen(self.prepared.hands[name])]
        hidden = [name for name in self.looks.hands if name not in seen]
        if len(hidden) == 2 and not seen and not self.discards:
            return TwoUnseenFlushes(self.counts, self.looks)
        if len(hidden) > 1:
            raise TooManyDeals(f"deals are not counted where {' and '.join(hidden)} share cards or a deck")
        if self.looks.lengths:
            raise TooManyDeals(f"the number of cards of {' and '.join(sorted(self.looks.lengths))} is not counted here")
        return OneUnseenHand(self.counts, self.looks, seen, hidden[0] if hidden else None)

    def _is_seen(self, hand: CompiledHand) -> bool:
        return hand.places == ("player",) and (hand.cards == "dealt" or not self.discards)

    # One hand decides, and one alternative is never worse than the others

    def _solve_for_one_hand(self) -> deal_settlement.Solution | None:
        count, results = self._settle_one_hand()
        per = lcm(*(settled_.denominator for settled_ in results))
        nets = [settled_.net * (per // settled_.denominator) for settled_ in results]
        for number, alternative in enumerate(self.alternatives):
            if (
                not alternative.open_to
                and not alternative.is_fallback
                and all((nets[number] >= other).all() for other in nets)
            ):
                shares = tuple(deal_settlement.count_shares(number, results[number], count))
                proof = deal_settlement.merge_proofs(result.proof() for result in results)
                return deal_settlement.Solution(
                    alternatives=tuple(self.alternatives), shares=shares, choice=None, proof=proof
                )
        return None

    def _settle_one_hand(self) -> tuple[Ints, list[deal_settlement.SettledDeals]]:
        """Settle a deal for each distinguished stretch of strengths and each result that is no card, by alternative;
        also return the number of deals of each."""
        deals, count = self._find_deals(next(iter(self.looks.hands), None))
        rounds, weight = add_outcomes(
            self.prepared, sample_rounds.SampleRounds(dealt=deals, stakes={}), count, self.looks.outcomes
        )
        return weight, [
            deal_settlement.settle_deals(
                self.table,
                replace(rounds, stakes=alternative.stakes, decisions=alternative.decisions, meters=self.meters),
            )
            for alternative in self.alternatives
        ]

    def _find_deals(self, hand: str | None) -> tuple[dict[Place, Codes], Ints]:
        """Return a deal for each distinguished stretch of a hand's strengths, and the number of deals of each."""
        if hand is None:
            return sample_rounds.complete_deals(self.prepared, {}), np.ones(1, np.int64)
        prepared, ends = self.prepared.hands[hand], tuple(sorted(self.looks.bounds[hand]))
        if isinstance(prepared.ranking, LongestFlushRanking) and sample_rounds.is_by_category(
            prepared.ranking, {*ends}
        ):
            spread = card_sets.count_category_strengths(sum(prepared.sizes), prepared.ranking)
        else:
            spread = self.counts.count_strengths(hand, ends)
        parts = np.split(spread.cards, np.cumsum(prepared.sizes)[:-1], axis=1)
        return sample_rounds.complete_deals(self.prepared, dict(zip(prepared.places, parts, strict=True))), spread.count


def add_outcomes(
    prepared: CompiledGame, rounds: sample_rounds.SampleRounds, count: Ints, names: Iterable[str]
) -> tuple[sample_rounds.SampleRounds, Ints]:
    """Return sample rounds once with each combination of results that are no cards, which are independent.

    Args:
        prepared: the game.
        rounds: the rounds without results.
        count: number of deals that each round represents, int64[n].
        names: the outcomes.

    Returns:
        the rounds, and the number of equally likely deals with results that each represents, int64[m].
    """
    for name in sorted(names):
        weights = np.array(prepared.outcomes[name].weights, np.int64)
        repeated = {place: np.repeat(cards, len(weights), axis=0) for place, cards in rounds.dealt.items()}
        others = {other: np.repeat(values, len(weights)) for other, values in rounds.outcomes.items()}
        own = np.tile(np.arange(len(weights)), len(count))
        rounds = replace(rounds, dealt=repeated, outcomes={**others, name: own})
        count = (count[:, None] * weights).reshape(-1)
    return rounds, count


def _require_countable_hands(prepared: CompiledGame, looks: sample_rounds.DecidingHands) -> None:
    """Raise `TooManyDeals` for hands that cannot be counted by classes of suits."""
    deck = prepared.game.deck
    chosen = [name for name in sorted(looks.hands) if prepared.hands[name].is_set]
    if chosen:
        raise TooManyDeals(f"hands may be set in several ways, which are not counted: {', '.join(chosen)}")
    if looks.alike:
        raise TooManyDeals(f"it matters whether cards of {', '.join(sorted(looks.alike))} share rank, suit or colour")
    if deck is not None and looks.hands and deck.decks != 1:
        raise TooManyDeals(f"the game is played with {deck.decks} decks, and only deals of one deck are counted")
    if deck is not None and looks.hands and prepared.regulation.cards_in_play != CARDS:
        raise TooManyDeals(f"the deck {deck.cards} does not have the 52 cards that are counted")
    set_aside = {
        place for way in prepared.game.deal.ways.values() for place, columns in way.discarded_cards.items() if columns
    }
    for name in looks.hands:
        hand = prepared.hands[name]
        if hand.cards == "dealt" and not set_aside.isdisjoint(hand.places):
            raise TooManyDeals(f"{name} consists of all dealt cards, of which some are set aside at once")
        if hand.composed is not None or hand.cards == "open" or isinstance(hand.ranking, SuitTiebreakRanking):
            raise TooManyDeals(f"{name} does not depend on a set of cards alone")
        exchanged = {drawing.place for drawing in prepared.game.drawing.values()} - {"player"}
        if hand.cards == "held" and not exchanged.isdisjoint(hand.places):
            raise TooManyDeals(f"{name} consists of cards that are exchanged")
