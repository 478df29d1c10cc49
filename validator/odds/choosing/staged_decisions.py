"""Best decisions of a seat that decides several times, and exact odds of games with such decisions.

The states of a decision point are the sets of cards that a player may see there, without the names of suits. Every
state leads to states of the next point, one for each choice of the cards that are turned up in between. Deals after
the last point are counted by the distinctions of settlement: the cell of each hand, and which of two compared hands
is higher. The interpreter settles one deal of each kind. The best decisions are found from the last point back to
the first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import combinations
from math import comb, lcm, prod

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fairdeal.validator.arrays import Codes, Flags, Ints
from fairdeal.validator.cards.card_codes import CARDS
from fairdeal.validator.cards.card_codes import UNKNOWN as NOT_KNOWN
from fairdeal.validator.cards.ranking_models import RANKS, SUITS
from fairdeal.validator.engine.core.decision_points import DecisionPoint
from fairdeal.validator.engine.core.kleene import UNKNOWN, YES
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.odds import deal_settlement
from fairdeal.validator.odds.card_sets import list_suit_classes
from fairdeal.validator.odds.player_options import Alternative, DecisionOption, NoOdds, OddsTable
from fairdeal.validator.odds.sample_rounds import DecidingHands, SampleRounds, complete_deals

EXACT = 1 << 53
"""Whole numbers below it are exact as floats."""
Decisions = tuple[str, ...]
"""Decisions of a seat, in order."""


class TooManyStates(NoOdds):
    """Error for a game with too many deals to rank each of them."""


class PointOptions(Struct, frozen=True, kw_only=True):
    """Options of a seat at a decision point, after some decisions."""

    options: tuple[DecisionOption, ...]
    open_: tuple[Flags, ...]
    """States to which each option is open, bool[n]."""


class StateWorth(Struct, frozen=True, kw_only=True, eq=False):
    """Worth of the states of a point after some decisions, summed over all deals that follow."""

    net: Ints
    """Balance of the player, int64[n]."""
    staked: Ints
    """Stakes at risk, int64[n]."""
    best: Ints
    """Best option of the point, int64[n]; empty after the last decision."""


def choose_best(worths: Iterable[StateWorth], open_: Iterable[Flags]) -> StateWorth:
    """Return the worth of the best option that is open to each state: of equal ones, the first with the least stake.

    The best option is -1 if none is open.
    """
    (first, is_open), *others = zip(worths, open_, strict=True)
    net, staked = first.net.copy(), first.staked.copy()
    best = np.where(is_open, 0, -1)
    for number, (worth, is_open_here) in enumerate(others, start=1):
        better = (best < 0) | (worth.net > net) | ((worth.net == net) & (worth.staked < staked))
        chosen = np.nonzero(is_open_here & better)
        best[chosen], net[chosen], staked[chosen] = number, worth.net[chosen], worth.staked[chosen]
    return StateWorth(net=net, staked=staked, best=best)


class StagedChoices(ABC):
    """Decisions of a player at a table, weighed at each decision point by the cards that are seen there."""

    def __init__(
        self,
        table: OddsTable,
        alternatives: list[Alternative],
        points: tuple[DecisionPoint, ...],
        meters: Mapping[str, int],
    ) -> None:
        """Prepare the decisions. Raises `NoOdds` if the rules do not distinguish them.

        Args:
            table: the table.
            alternatives: sequences of decisions that a seat may take.
            points: the decision points whose states are weighed.
            meters: readings of the meters.
        """
        self.table, self.alternatives, self.points, self.meters = table, alternatives, points, meters
        self.prepared = table.prepared
        self.number = {alternative.decisions: at for at, alternative in enumerate(alternatives)}
        if len(self.number) < len(alternatives):
            raise NoOdds("the rules do not distinguish decisions of one name at several points of a round")
        self._options: dict[tuple[int, Decisions], PointOptions] = {}
        self._worths: dict[tuple[int, Decisions], StateWorth] = {}

    @property
    @abstractmethod
    def first_weight(self) -> Ints:
        """Return the number of deals that lead to each state of the first point, int64[n]."""

    @abstractmethod
    def _find_last_worth(self, before: Decisions) -> StateWorth:
        """Return the worth of the states of the last point, after its decision."""

    @abstractmethod
    def _step_back(self, at: int, later: StateWorth) -> StateWorth:
        """Return the worth of the states of a point, given the worth of those of the next one."""

    @abstractmethod
    def _move_weights(self, at: int, weight: Ints) -> Ints:
        """Return the number of deals that lead to each state of the next point."""

    @abstractmethod
    def _is_open(self, at: int, before: Decisions, stakes: Mapping[str, int], option: DecisionOption) -> Flags:
        """Return the states to which an option is open, bool[n]. Raises `NoOdds`."""

    @abstractmethod
    def _list_shares(self, reached: Mapping[Decisions, Ints]) -> Iterator[deal_settlement.OutcomeShare]:
        """Yield the shares of all deals, given the number that leads to each state of the last point, by decisions."""

    @abstractmethod
    def _prove(self) -> deal_settlement.SettlementProof:
        """Return the results of all deals with every decision."""

    @abstractmethod
    def _describe_choices(self, at: int, before: Decisions, weight: Ints) -> deal_settlement.PointChoices:
        """Describe the best decisions at a point, given the number of deals that leads to each state."""

    def solve(self) -> deal_settlement.Solution:
        """Return the shares of all deals, and the best decisions at each point. Raises `NoOdds`."""
        self._weigh(0, (), self.table.opening_stakes)
        reached: dict[tuple[int, Decisions], Ints] = {}
        self._follow(0, (), self.table.opening_stakes, self.first_weight, reached)
        last = len(self.points)
        return deal_settlement.Solution(
            alternatives=tuple(self.alternatives),
            shares=tuple(self._list_shares({before: weight for (at, before), weight in reached.items() if at == last})),
            choice=None,
            points=tuple(self._list_choices(reached)),
            proof=self._prove(),
        )

    def _weigh(self, at: int, before: Decisions, stakes: Mapping[str, int]) -> StateWorth:
        """Return the worth of the states of a point after some decisions."""
        if at == len(self.points):
            return self._find_last_worth(before)
        point, worths = self._find_options(at, before, stakes), list[StateWorth]()
        for option in point.options:
            later = self._weigh(at + 1, append_decision(before, option), option.stakes)
            worths.append(later if at + 1 == len(self.points) else self._step_back(at, later))
        worth = choose_best(worths, point.open_)
        if (worth.best < 0).any():
            raise NoOdds("no decision is open to some hands")
        self._worths[at, before] = worth
        return worth

    def _find_options(self, at: int, before: Decisions, stakes: Mapping[str, int]) -> PointOptions:
        if (at, before) not in self._options:
            options = self.table.list_options(self.points[at], before, stakes)
            is_open = [self._is_open(at, before, stakes, option) for option in options]
            for number, option in enumerate(options):
                if option.is_fallback:
                    is_open[number] = ~np.any([*is_open[:number], *is_open[number + 1 :]], axis=0)
            self._options[at, before] = PointOptions(options=tuple(options), open_=tuple(is_open))
        return self._options[at, before]

    def _follow(
        self,
        at: int,
        before: Decisions,
        stakes: Mapping[str, int],
        weight: Ints,
        reached: dict[tuple[int, Decisions], Ints],
    ) -> None:
        """Record the number of deals that lead to each state of each point with the best decisions."""
        if at == len(self.points):
            reached[at, before] = reached.get((at, before), 0) + weight
            return
        reached[at, before] = weight
        best = self._worths[at, before].best
        for number, option in enumerate(self._find_options(at, before, stakes).options):
            chosen = np.where(best == number, weight, 0)
            if chosen.any():
                if at + 1 < len(self.points):
                    chosen = self._move_weights(at, chosen)
                self._follow(at + 1, append_decision(before, option), option.stakes, chosen, reached)

    def _list_choices(self, reached: Mapping[tuple[int, Decisions], Ints]) -> Iterator[deal_settlement.PointChoices]:
        """Yield the best decisions at each point that they lead to, after each sequence of decisions."""
        for (at, before), weight in sorted(reached.items(), key=lambda state: state[0]):
            if at < len(self.points):
                yield self._describe_choices(at, before, weight)


def append_decision(before: Decisions, option: DecisionOption) -> Decisions:
    """Return some decisions with that of an option, if it is one."""
    return before if option.decision is None else (*before, option.decision)


_MOST_STATES = 1 << 20
_MOST_STEPS = 1 << 23
"""Largest number of steps from the states of one decision point to those of the next."""
_MOST_DEALS = 1 << 26
"""Largest number of deals that are ranked individually."""
_AT_ONCE = 1 << 18


class _Pool(Struct, frozen=True, kw_only=True):
    """Places whose cards have the same role in settlement: each hand contains the cards of all of them, or of none."""

    places: tuple[Place, ...]
    size: int


class _States(Struct, frozen=True, kw_only=True, eq=False):
    """Sets of cards that a player may see at a decision point."""

    cards: tuple[Codes, ...]
    """Cards of each pool, uint8[n, k]."""
    steps: Ints
    """State that each state of the previous point leads to, int64[before, steps]; for the first point, a row of
    weights."""


class StagedDecisions(StagedChoices):
    """Decisions of a player at a table, weighed at each decision point by the cards that are seen there."""

    def __init__(
        self, table: OddsTable, looks: DecidingHands, alternatives: list[Alternative], meters: Mapping[str, int]
    ) -> None:
        super().__init__(table, alternatives, table.points, meters)
        self.looks = looks
        if looks.lengths:
            raise NoOdds("the number of cards of a hand is not counted where players see part of the cards")
        self.pools = self._make_pools()
        self.seen = [self._count_seen(point.seen) for point in table.points]
        self._refuse_too_many()

    # States

    def _make_pools(self) -> list[_Pool]:
        hands = {name: self.prepared.hands[name].places for name in self.looks.hands}
        of_place: dict[Place, frozenset[str]] = {}
        for places in hands.values():
            for place in places:
                of_place[place] = frozenset(name for name, others in hands.items() if place in others)
        sizes = self.prepared.game.deal.cards
        return [
            _Pool(places=places, size=sum(sizes[place] for place in places))
            for together_ in dict.fromkeys(of_place.values())
            if (places := tuple(place for place, names in of_place.items() if names == together_))
        ]

    def _count_seen(self, seen: Mapping[Place, int]) -> tuple[int, ...]:
        return tuple(sum(seen.get(place, 0) for place in pool.places) for pool in self.pools)

    def _refuse_too_many(self) -> None:
        left, ways = CARDS, 1
        before = (0,) * len(self.pools)
        for seen in (*self.seen, tuple(pool.size for pool in self.pools)):
            ways *= _count_ways(before, seen, left)
            left, before = CARDS - sum(seen), seen
        symmetries = 24
        if not self.pools:
            raise NoOdds("the options of a player depend on more than cards")
        if ways > _MOST_DEALS * symmetries:
            raise TooManyStates(f"{ways:,} deals are too many to be counted where players see part of the cards")

    @cached_property
    def first_weight(self) -> Ints:
        """Return the number of sets of cards in each state of the first point, int64[n]."""
        return self.states[0].steps.reshape(-1)

    @cached_property
    def states(self) -> list[_States]:
        """Return the states of each decision point."""
        states = [self._make_first_states()]
        for before, seen in zip(self.seen, self.seen[1:], strict=False):
            known = states[-1].cards
            if len(known[0]) * _count_ways(before, seen, CARDS - sum(before)) > _MOST_STEPS:
                raise NoOdds("there are too many sets of cards that players may see when they decide")
            cards = _add_cards(known, _count_added(before, seen))
            first, state = _find_classes(cards)
            steps = state.reshape(len(known[0]), -1)
            states.append(_States(cards=tuple(pool[first] for pool in cards), steps=steps))
        return states

    def _make_first_states(self) -> _States:
        seen = self.seen[0]
        largest = int(np.argmax(seen))
        classes = list_suit_classes(seen[largest])
        known = tuple(
            classes.cards if at == largest else np.zeros((len(classes.cards), 0), np.uint8)
            for at in range(len(self.pools))
        )
        added = tuple(0 if at == largest else count for at, count in enumerate(seen))
        if len(classes.cards) * _count_ways((0,) * len(added), added, CARDS - seen[largest]) > _MOST_STEPS:
            raise NoOdds("there are too many sets of cards that players may see when they decide")
        cards = _add_cards(known, added)
        first, state = _find_classes(cards)
        weight = np.repeat(classes.weight, len(state) // len(classes.weight))
        counted = np.bincount(state, weight, minlength=len(first)).astype(np.int64)
        return _States(cards=tuple(pool[first] for pool in cards), steps=counted[None, :])

    # Deals after the last point, by what settlement distinguishes

    @cached_property
    def signatures(self) -> tuple[Ints, tuple[Codes, ...]]:
        """Return the number of deals of each signature after each state of the last point, with an example of each
        signature.

        Returns:
            int64[n, signatures], and the cards of one deal of each signature, by pool.
        """
        known, seen = self.states[-1].cards, self.seen[-1]
        if len(known[0]) > _MOST_STATES:
            raise NoOdds("there are too many sets of cards that players may see when they decide")
        added = _count_added(seen, tuple(pool.size for pool in self.pools))
        ways = _count_ways((0,) * len(added), added, CARDS - sum(seen))
        numbers: dict[int, int] = {}
        examples: list[tuple[Codes, ...]] = []
        rows, columns, counts = list[Ints](), list[Ints](), list[Ints]()
        step = max(_AT_ONCE // ways, 1)
        for start in range(0, len(known[0]), step):
            cards = _add_cards(tuple(pool[start : start + step] for pool in known), added)
            codes = self._number_deals(cards)
            of_state = np.repeat(np.arange(len(codes) // ways), ways)
            kinds, first, kind = np.unique(codes, return_index=True, return_inverse=True)
            counted = np.bincount(of_state * len(kinds) + kind.reshape(-1), minlength=(len(codes) // ways) * len(kinds))
            for code, at in zip(kinds.tolist(), first.tolist(), strict=True):
                if code not in numbers:
                    numbers[code] = len(numbers)
                    examples.append(tuple(pool[at] for pool in cards))
            hit = np.flatnonzero(counted)
            rows.append(start + hit // len(kinds))
            columns.append(np.array([numbers[code] for code in kinds.tolist()])[hit % len(kinds)])
            counts.append(counted[hit])
        if len(known[0]) * len(numbers) > _MOST_DEALS:
            raise NoOdds("settlement distinguishes too many kinds of deals to be counted")
        deals = np.zeros((len(known[0]), len(numbers)), np.int64)
        deals[np.concatenate(rows), np.concatenate(columns)] = np.concatenate(counts)
        return deals, tuple(np.stack([deal[at] for deal in examples]) for at in range(len(self.pools)))

    def _number_deals(self, cards: tuple[Codes, ...]) -> Ints:
        """Return a number for each deal that is equal where settlement distinguishes nothing, int64[n]."""
        code = np.zeros(len(cards[0]), np.int64)
        strengths = {name: self._rank_hand(name, cards) for name in self.looks.hands}
        for name, ends in sorted(self.looks.bounds.items()):
            cell = np.searchsorted(np.array(sorted(ends), np.int64), strengths[name], "right")
            code = code * (len(ends) + 1) + cell
        for hand, other in sorted(self.looks.compared):
            code = code * 3 + np.sign(strengths[hand].astype(np.int64) - strengths[other]) + 1
        return code

    def _rank_hand(self, name: str, cards: tuple[Codes, ...]) -> Ints:
        hand = self.prepared.hands[name]
        parts = [part for pool, part in zip(self.pools, cards, strict=True) if pool.places[0] in hand.places]
        return hand.strength(np.concatenate(parts, axis=1)).astype(np.int64)

    @cached_property
    def results(self) -> list[deal_settlement.SettledDeals]:
        """Return the settlement of one deal of each signature, by alternative."""
        return self._settle_examples(self.signatures[1])

    def _settle_examples(self, cards: tuple[Codes, ...]) -> list[deal_settlement.SettledDeals]:
        """Return the settlement of some deals, given by the cards of each pool, by alternative."""
        deals = complete_deals(self.prepared, self._split_by_place(cards))
        return [
            deal_settlement.settle_deals(
                self.table,
                SampleRounds(dealt=deals, stakes=way.stakes, decisions=way.decisions, meters=self.meters),
            )
            for way in self.alternatives
        ]

    def _split_by_place(self, cards: tuple[Codes, ...]) -> dict[Place, Codes]:
        by_place = dict[Place, Codes]()
        for pool, part in zip(self.pools, cards, strict=True):
            start = 0
            for place in pool.places:
                size = self.prepared.game.deal.cards[place]
                by_place[place] = part[:, start : start + size]
                start += size
        return by_place

    def _count_signatures(self, weight: Ints) -> Ints:
        """Return the number of deals of each signature, int64[signatures], given the number that leads to each
        state."""
        deals: Ints = weight @ self.signatures[0]
        return deals

    # Settlement after the last point, and steps between points

    def _list_shares(self, reached: Mapping[Decisions, Ints]) -> Iterator[deal_settlement.OutcomeShare]:
        for at, (alternative, result) in enumerate(zip(self.alternatives, self.results, strict=True)):
            weight = reached.get(alternative.decisions)
            if weight is not None:
                yield from deal_settlement.count_shares(at, result, self._count_signatures(weight))

    def _prove(self) -> deal_settlement.SettlementProof:
        return deal_settlement.merge_proofs(result.proof() for result in self.results)

    def _find_last_worth(self, before: Decisions) -> StateWorth:
        counts, at = self.signatures[0], self.number[before]
        result, per = self.results[at], lcm(*(result.denominator for result in self.results))
        net = result.net * (per // result.denominator)
        if int(np.abs(net).max()) * self._count_deals_after_first() >= 1 << 62:
            raise NoOdds("the sums over all deals are too large to be exact")
        deals = counts.sum(axis=1)
        return StateWorth(net=counts @ net, staked=deals * self.alternatives[at].at_risk, best=np.zeros(0, np.int64))

    def _count_deals_after_first(self) -> int:
        return int(self.signatures[0][0].sum()) * prod(states.steps.shape[1] for states in self.states[1:])

    def _step_back(self, at: int, later: StateWorth) -> StateWorth:
        steps = self.states[at + 1].steps
        return StateWorth(net=later.net[steps].sum(axis=1), staked=later.staked[steps].sum(axis=1), best=later.best)

    def _is_open(self, at: int, before: Decisions, stakes: Mapping[str, int], option: DecisionOption) -> Flags:
        """Return the states to which an option is open, bool[n]. Raises `NoOdds`."""
        states = self.states[at].cards
        if option.open_to is None:
            return np.ones(len(states[0]), np.bool_)
        sizes = self.prepared.game.deal.cards
        deals = {place: np.full((len(states[0]), size), NOT_KNOWN, np.uint8) for place, size in sizes.items()}
        for pool, cards in zip(self.pools, states, strict=True):
            start = 0
            for place in pool.places:
                count = self.table.points[at].seen.get(place, 0)
                deals[place][:, :count] = cards[:, start : start + count]
                start += count
        rounds = SampleRounds(dealt=deals, stakes=stakes, decisions=before, meters=self.meters)
        scope = self.table.open_rounds(rounds)
        answer = scope.evaluate(option.open_to, "seat")
        if (answer == UNKNOWN).any():
            raise NoOdds(f"who may take {option.decision} depends on more than the player sees")
        is_open: Flags = answer == YES
        return is_open

    def _move_weights(self, at: int, weight: Ints) -> Ints:
        steps, many = self.states[at + 1].steps, len(self.states[at + 1].cards[0])
        if int(weight.sum()) * steps.shape[1] >= EXACT:
            raise NoOdds("the deals are too many to be counted exactly")
        each = np.repeat(weight, steps.shape[1])
        return np.bincount(steps.reshape(-1), each, minlength=many).astype(np.int64)

    def _describe_choices(self, at: int, before: Decisions, weight: Ints) -> deal_settlement.PointChoices:
        reached_states = np.flatnonzero(weight)
        return deal_settlement.PointChoices(
            after=before,
            decisions=tuple(option.decision for option in self._options[at, before].options),
            cards=self._list_seen_cards(at, reached_states),
            weight=weight[reached_states],
            best=self._worths[at, before].best[reached_states],
        )

    def _list_seen_cards(self, at: int, rows: Ints) -> dict[Place, Codes]:
        """Return the cards that a player sees at a point, for places whose cards no others can replace."""
        seen_cards = dict[Place, Codes]()
        for pool, cards in zip(self.pools, self.states[at].cards, strict=True):
            seen = [place for place in pool.places if self.table.points[at].seen.get(place, 0)]
            if len(seen) == 1:
                seen_cards[seen[0]] = cards[rows]
        return seen_cards


def _count_added(before: tuple[int, ...], after: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(many - few for few, many in zip(before, after, strict=True))


def _count_ways(before: tuple[int, ...], after: tuple[int, ...], left: int) -> int:
    """Return the number of ways to deal further cards to pools from the cards that are left."""
    ways = 1
    for more in _count_added(before, after):
        ways *= comb(left, more)
        left -= more
    return ways


def _add_cards(known: tuple[Codes, ...], added: tuple[int, ...]) -> tuple[Codes, ...]:
    """Return the cards of each pool with every choice of further ones, uint8[n * ways, k], state by state."""
    for at, more in enumerate(added):
        if not more:
            continue
        known_cards = np.concatenate(known, axis=1)
        free = np.ones((len(known_cards), CARDS), np.bool_)
        np.put_along_axis(free, known_cards.astype(np.int64), False, axis=1)
        rest = np.nonzero(free)[1].astype(np.uint8).reshape(len(known_cards), CARDS - known_cards.shape[1])
        choices = np.array([*combinations(range(rest.shape[1]), more)], np.int64)
        drawn = rest[:, choices].reshape(-1, more)
        known = tuple(np.repeat(cards, len(choices), axis=0) for cards in known)
        whole = np.concatenate([known[at], drawn], axis=1)
        known = (*known[:at], whole, *known[at + 1 :])
    return known


def _find_classes(cards: tuple[Codes, ...]) -> tuple[Ints, Ints]:
    """Return one row of each class of sets that differ in the names of suits, int64[m], and the class of each row,
    int64[n]."""
    masks = np.zeros((len(cards[0]), len(SUITS)), np.uint64)
    for pool, part in enumerate(cards):
        for column in part.T.astype(np.int64):
            bit = np.uint64(1) << (column // len(SUITS) + len(RANKS) * pool).astype(np.uint64)
            masks[np.arange(len(column)), column % len(SUITS)] |= bit
    masks.sort(axis=1)
    width = len(RANKS) * len(cards)
    together_ = max(64 // width, 1)
    columns: list[NDArray[np.uint64]] = []
    for start in range(0, len(SUITS), together_):
        key = masks[:, start]
        for suit in range(start + 1, min(start + together_, len(SUITS))):
            key = key << np.uint64(width) | masks[:, suit]
        columns.append(key)
    if len(columns) == 1:
        _, first, state = np.unique(columns[0], return_index=True, return_inverse=True)
        return first, state.reshape(-1)
    order = np.lexsort(columns)
    changed = np.ones(len(order), np.bool_)
    changed[1:] = np.any([column[order][1:] != column[order][:-1] for column in columns], axis=0)
    state = np.empty(len(order), np.int64)
    state[order] = np.cumsum(changed) - 1
    return order[changed], state
