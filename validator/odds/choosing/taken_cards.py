"""Odds of wagers on hands for which decisions take cards, by recursion on the cards that are left.

The worth of every hand against every front is computed from the last card back to the first. A player knows the own
cards, the cards seen at the other place, and which decisions are open. Probabilities are sums of products of floats,
with an error far below the figures that are shown. A split is worth what a player wins who plays each hand by its own
cards, so the best decisions may win a little more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm, perm

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Ints, Reals
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.odds import deal_settlement
from fairdeal.validator.odds.choosing import hand_values, own_hands
from fairdeal.validator.odds.choosing.taking_rules import HandKey, TakingRules, find_taking_stage
from fairdeal.validator.odds.player_options import Alternative, NoOdds, OddsTable

_METHOD = "by recursion on the cards left"
_METHOD_WITH_SPLITS = f"{_METHOD}, each hand of a split played by its own cards"
_SCALE = 10**15
"""Sum of the counts of all shares."""
_ROUNDING = 1e-9
"""Largest error of the house advantage that sums of floats may have."""
_SPLIT_ERROR = 5e-4
"""Most that a player may win more by using the cards of other hands of the box, or suits, per unit staked."""


class _Settlement(Struct, frozen=True, kw_only=True, eq=False):
    """Settlement of every pair of kinds of final hands."""

    kind: Ints
    """Kind of each suited kind: own kinds, once for each way in which their cards may share suits, int64[suited]."""
    share: Reals
    """Probability of each suited kind among those of its kind, float64[suited]."""
    net: Ints
    """Balance of the player in 1 / `per` minor units, int64[suited, other kinds]."""
    outcome: Ints
    """Index of the outcome, int64[suited, other kinds]."""
    outcomes: tuple[str, ...]
    denominator: int
    cost: Ints
    """Stakes at risk of each suited kind, in minor units, int64[suited]."""
    proof: deal_settlement.SettlementProof


def solve_with_taken_cards(
    table: OddsTable, meters: Mapping[str, int], *, is_quick: bool = False
) -> deal_settlement.Solution | None:
    """Return the odds of a wager on hands for which decisions take cards; None for other wagers.

    Raises `NoOdds`, and `TooManyDeals` if there are too many hands.

    Args:
        table: the table.
        meters: readings of the meters.
        is_quick: whether to refuse such a wager, as its hands take long to count.
    """
    if not needs_taken_cards(table):
        return None
    if is_quick:
        raise NoOdds("hands for which decisions take cards take long to count")
    return TakenCards(TakingRules(table, meters)).solve()


def needs_taken_cards(table: OddsTable) -> bool:
    """Return whether decisions take cards. Raises `NoOdds` if they do so in several stages."""
    return bool(table.prepared.game.decisions) and find_taking_stage(table) >= 0


class TakenCards:
    """Hands of a player and of the other place, with their settlement."""

    def __init__(self, rules: TakingRules) -> None:
        self.rules, self.table = rules, rules.table
        self.draws = own_hands.RuleDraws(rules)
        self.own = own_hands.FollowedHands(rules, self.draws)
        self.starts, self.reach = self._list_starts()
        self.levels = self.own.follow(dict.fromkeys(self.starts, rules.opening))
        self.split_levels = dict(self._follow_splits())
        self.pattern, self.patterns = hand_values.find_patterns(self.own)
        for plays in self.patterns:
            self.draws.follow(plays)
        self.settlement = self._settle()

    def _list_starts(self) -> tuple[list[HandKey], Reals]:
        """Return the first hands of the player, and the probability of each with the cards seen, float64[n, fronts]."""
        rules = self.rules
        hands: list[HandKey] = [*product(range(len(rules.stock)), repeat=rules.own)]
        own = rules.count_classes(hands)
        chances = np.zeros((len(hands), len(self.draws.fronts)))
        for at, seen in enumerate(self.draws.seen_counts):
            sets = own_hands.CardSets(own + seen)
            chances[:, at] = sets.weigh(rules.stock[None, :])[0, sets.number]
        return hands, chances

    def _follow_splits(self) -> Iterator[tuple[int, hand_values.SplitLevels]]:
        """Yield the classes whose pairs may be split, with the decision and the hands that follow.

        Raises `NoOdds` for a hand of two classes that may be split, and for two decisions that split.
        """
        level, rules = self.levels[0], self.rules
        for at, name in enumerate(rules.decisions):
            if name not in rules.splitting:
                continue
            if len(rules.splitting) > 1:
                raise NoOdds("several decisions split a hand")
            for row in np.flatnonzero(level.open_[at].any(axis=1)).tolist():
                first, second = level.hands[row]
                if first != second:
                    raise NoOdds(f"{name} is open to a hand of two cards that do not count alike")
                after = replace(rules.follow(rules.opening, name), hands=2)
                levels = self.own.follow({(first,): after}, takes_first=name)
                split_off = levels
                if rules.tells_split_off:
                    after = replace(after, is_split_off=True)
                    split_off = self.own.follow({(first,): after}, takes_first=name)
                yield first, hand_values.SplitLevels(decision=name, first=levels, split_off=split_off)

    # Settlement

    def _settle(self) -> _Settlement:
        """Settle an example of every pair of kinds that may come together. Raises `NoOdds`."""
        rules, own, other = self.rules, self.own.kinds, self.draws.kind_hands
        suited = [*self._list_suited_kinds()]
        kind_of = np.array([number for number, _, _ in suited], np.int64)
        reached = self._find_reached()[kind_of]
        shape = len(suited), len(other)
        net, outcome = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        cost, names, results = np.zeros(len(suited), np.int64), dict[str, int](), []
        for situation in dict.fromkeys(kind.situation for kind in own):
            of_situation = np.array([own[number].situation == situation for number in kind_of.tolist()])
            cost[of_situation] = self.table.sum_at_risk(dict(situation.stakes), situation.decisions)
            rows, columns = np.nonzero(reached & of_situation[:, None])
            if not len(rows):
                continue
            hands = own_hands.pad_cards([suited[row][2] for row in rows])
            others = own_hands.pad_hands(rules, [other[column] for column in columns])
            result = deal_settlement.settle_deals(self.table, rules.make_rounds(situation, hands, others))
            results.append((rows, columns, result))
        per = lcm(*(result.denominator for _, _, result in results))
        for rows, columns, result in results:
            net[rows, columns] = result.net * (per // result.denominator)
            numbers = np.array([names.setdefault(name, len(names)) for name in result.outcomes])
            outcome[rows, columns] = numbers[result.outcome]
        if self.split_levels:
            self._fill_over(net, reached, kind_of)
        return _Settlement(
            kind=kind_of,
            share=np.array([share for _, share, _ in suited]),
            net=net,
            outcome=outcome,
            outcomes=tuple(names),
            denominator=per,
            cost=cost,
            proof=deal_settlement.merge_proofs(result.proof() for _, _, result in results),
        )

    def _list_suited_kinds(self) -> Iterator[tuple[int, float, Codes]]:
        """Yield each own kind by the ways in which its cards may share suits: its number, the share, and an example."""
        for number, kind in enumerate(self.own.kinds):
            if kind.tells_suits:
                yield from ((number, share, cards) for share, cards in self.rules.list_suits(kind.hand))
            else:
                yield number, 1.0, self.rules.make_cards([kind.hand])[0]

    def _fill_over(self, net: Ints, reached: Flags, kind_of: Ints) -> None:
        """Extend the balance of hands for which the other place does not play to all its final hands.

        Raises `NoOdds` if the balance depends on these.
        """
        for kind in np.flatnonzero(self._is_over[kind_of]).tolist():
            balances = np.unique(net[kind, reached[kind]])
            if len(balances) > 1:
                raise NoOdds("the other hand matters to a hand of a split for which it is not played")
            net[kind] = balances[0] if len(balances) else 0

    def _find_reached(self) -> Flags:
        """Return the pairs of kinds that some deal and some decisions bring together, bool[own kinds, other kinds]."""
        groups, rules = len(self.draws.group_cards), self.rules
        by_group = np.zeros((len(self.own.kinds), groups), bool)
        mark_reached(rules, self.levels, np.ones((len(self.starts), groups), bool), by_group)
        of_split = np.zeros((len(self.own.kinds), groups), bool)
        for card, split in self.split_levels.items():
            row = self.levels[0].hands.index((card, card))
            is_open = self.levels[0].open_[rules.decisions.index(split.decision), [row]]
            for levels in split.by_role:
                mark_reached(rules, levels, is_open, of_split)
        used = [*dict.fromkeys(self.pattern[of_split.any(axis=1)].tolist())]
        self.split_pattern = max(used, key=lambda at: int(self.patterns[at].sum()), default=0)
        """Pattern of the other place while a hand of a split box is open: the one with the most cards."""
        self._is_over = of_split.any(axis=1) & (self.pattern != self.split_pattern)
        result = np.zeros((len(self.own.kinds), len(self.draws.kinds)), bool)
        for pattern, plays in enumerate(self.patterns):
            kinds = self.draws.find_reached_kinds(plays)
            for group in range(groups):
                chosen = (self.pattern == pattern) & (by_group | of_split)[:, group]
                result[chosen] |= kinds[self.draws.group_of_front == group].any(axis=0)
        return result

    # Solution

    @cached_property
    def boxes(self) -> Mapping[int, hand_values.SplitValues]:
        """Return the worth of splitting two cards, by their class."""
        return {card: self.value_split(card) for card in self.split_levels}

    @cached_property
    def values(self) -> hand_values.HandValues:
        """Return the worth of hands that are not split, with the best decisions."""
        splits = np.full((len(self.starts), len(self.draws.fronts)), -np.inf)
        for card, box in self.boxes.items():
            splits[self.starts.index((card, card))] = box.worth
        nothing = np.zeros(len(self.rules.stock), np.int64)
        return hand_values.HandValues(self.rules, self.draws, self.levels, self.make_finals(), nothing, splits=splits)

    def solve(self) -> deal_settlement.Solution:
        """Return the odds with the best decisions."""
        settlement, boxes, values = self.settlement, self.boxes, self.values
        shares = dict[tuple[str, int, str, int], float]()
        likely = values.follow(self.reach).sum(axis=0)
        likely = likely[settlement.kind] * settlement.share[:, None]
        for own, other in np.argwhere(likely > 0).tolist():
            situation, cost = self.own.kinds[settlement.kind[own]].situation, int(settlement.cost[own])
            outcome = settlement.outcomes[settlement.outcome[own, other]]
            key = ", ".join(situation.decisions), cost, outcome, int(settlement.net[own, other])
            shares[key] = shares.get(key, 0.0) + float(likely[own, other])
        self._add_boxes(boxes, values.values[0].choice, shares)
        return self._make_solution(shares, values)

    def make_finals(self) -> hand_values.FinalWorths:
        """Return what final hands are worth."""
        settled, kinds = self.settlement, len(self.own.kinds)
        net, cost = np.zeros((kinds, settled.net.shape[1])), np.zeros(kinds, np.int64)
        np.add.at(net, settled.kind, settled.share[:, None] * settled.net)
        cost[settled.kind] = settled.cost
        return hand_values.FinalWorths(
            net=net,
            pattern=self.pattern,
            patterns=self.patterns,
            cost=cost,
            is_over=self._is_over,
        )

    def value_split(self, card: int) -> hand_values.SplitValues:
        """Return the worth of splitting two cards of a class."""
        levels = self.split_levels[card]
        situation = replace(self.rules.follow(self.rules.opening, levels.decision), hands=2)
        most = self.own.count_most_hands(situation, levels.decision, (card, card))
        plays = self.patterns[self.split_pattern]
        return hand_values.SplitValues(self.rules, self.draws, levels, self.make_finals(), plays, card, most)

    def _add_boxes(
        self, boxes: Mapping[int, hand_values.SplitValues], choice: Ints, shares: dict[tuple[str, int, str, int], float]
    ) -> None:
        """Add the shares of hands that are split."""
        for card, value in boxes.items():
            row = self.starts.index((card, card))
            decision = self.rules.decisions.index(name := self.split_levels[card].decision)
            fronts = np.flatnonzero(choice[row] == decision)
            for box in value.list_boxes() if len(fronts) else ():
                for front in fronts.tolist():
                    finals = box.finals[front][self.settlement.kind] * self.settlement.share[:, None]
                    sums = hand_values.sum_hands(finals, box.hands, self.settlement.net, self.settlement.cost)
                    for (net, cost), likely in sums.items():
                        key = name, cost, f"{box.hands} hands", net
                        shares[key] = shares.get(key, 0.0) + likely * float(self.reach[row, front])

    def _make_solution(
        self, likely: Mapping[tuple[str, int, str, int], float], values: hand_values.HandValues
    ) -> deal_settlement.Solution:
        numbers: dict[tuple[str, int], int] = {}
        alternatives: list[Alternative] = []
        shares: list[deal_settlement.OutcomeShare] = []
        for (name, cost, outcome, net), chance in sorted(likely.items()):
            if (name, cost) not in numbers:
                numbers[name, cost] = len(alternatives)
                decisions = (name,) if name else ()
                alternatives.append(Alternative(decisions=decisions, discards=0, stakes={}, at_risk=cost, open_to=()))
            count = round(chance * _SCALE)
            if count:
                shares.append(
                    deal_settlement.OutcomeShare(
                        outcome=outcome,
                        alternative=numbers[name, cost],
                        net=Fraction(net, self.settlement.denominator),
                        count=count,
                    )
                )
        return deal_settlement.Solution(
            alternatives=tuple(alternatives),
            shares=tuple(shares),
            choice=None,
            points=(self._list_choices(values),),
            method=_METHOD_WITH_SPLITS if self.split_levels else _METHOD,
            below=_ROUNDING + (_SPLIT_ERROR if self.split_levels or self.rules.suits_of else 0.0),
            above=_ROUNDING,
            proof=self.settlement.proof,
        )

    def _list_choices(self, values: hand_values.HandValues) -> deal_settlement.PointChoices:
        """Return the first decision by the cards that are seen."""
        level, choice, draws = self.levels[0], values.values[0].choice, self.draws
        total = perm(int(self.rules.stock.sum()), self.rules.own + self.rules.fixed)
        is_open: Flags = np.logical_or.reduce(level.open_, axis=0)
        is_open = is_open[:, draws.group_of_front]
        rows, fronts = np.nonzero(is_open & (self.reach > 0))
        no_plays = np.zeros((len(draws.group_of_start), len(self.rules.later)), bool)
        hidden = draws.weigh(no_plays, level.counts).sum(axis=2)
        cards: dict[Place, Codes] = {}
        if self.rules.other is not None and self.rules.seen:
            cards[self.rules.other] = self.rules.make_cards([draws.fronts[front].seen for front in fronts])
        return deal_settlement.PointChoices(
            after=(),
            decisions=(*self.rules.decisions, None),
            cards={"player": self.rules.make_cards([level.hands[row] for row in rows]), **cards},
            weight=np.rint(self.reach[rows, fronts] * hidden[rows, fronts] * total).astype(np.int64),
            best=choice[rows, fronts],
        )


def mark_reached(rules: TakingRules, levels: Sequence[own_hands.HandLevel], start: Flags, reached: Flags) -> None:
    """Mark the kinds of final hands that hands of the first level reach with some decisions.

    Args:
        rules: the rules.
        levels: the hands.
        start: hands and groups to begin with, bool[n, groups].
        reached: receives the kinds by group, bool[own kinds, groups].
    """
    here = start
    for number, level in enumerate(levels):
        for decision, may_end in enumerate(level.may_end):
            rows = np.flatnonzero(level.ends[decision] != ABSENT)
            np.logical_or.at(reached, level.ends[decision, rows], (may_end & here)[rows])
        if number + 1 < len(levels):
            following = np.zeros((len(levels[number + 1].hands), here.shape[1]), bool)
            for decision in range(len(rules.decisions)):
                moving = level.takes[decision] & here
                for card in range(level.next_.shape[2]):
                    next_ = level.next_[decision, :, card]
                    rows = np.flatnonzero(next_ != ABSENT)
                    np.logical_or.at(following, next_[rows], moving[rows])
            here = following
