"""Odds of games with too many deals to count: both sides exchange cards, or every place sets its cards.

First, the best decision for every hand is found against the dealer's final hands from a full deck. This ignores
that the dealer cannot have the player's cards. Then the result is counted as if each side had a deck of its own.
The effect of the common deck is sampled (`board_hands`). The figures are correct for this strategy, within the
stated interval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import comb, sqrt

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import Codes, Flags, Ints, Ints32, Reals
from fairdeal.validator.cards.card_choices import list_splits
from fairdeal.validator.cards.card_codes import CARDS, KNOWN_CARDS
from fairdeal.validator.cards.ranking import CompiledRanking
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.facts.final_hands import compile_setting
from fairdeal.validator.engine.facts.step_cards import evaluate_drawing
from fairdeal.validator.odds import board_hands, deal_settlement, sample_rounds
from fairdeal.validator.odds.card_sets import RankHands, complete_hands, count_set_strengths, list_suit_classes
from fairdeal.validator.odds.deal_settlement import OutcomeShare, Solution, settle_deals
from fairdeal.validator.odds.hand_counts import HandCounts
from fairdeal.validator.odds.player_options import Alternative, OddsTable, TooManyDeals
from fairdeal.validator.odds.sample_rounds import SampleRounds, SetHands

_AT_ONCE = 50_000
_RARE_HANDS = 0.4
"""Share of sampled hands that favours hands with rare costs."""
_FEWEST = 10
"""Smallest number of blocks for which the error of their mean is known."""
_PARTS = 10**15
"""Denominator of the shares, which are not counts of deals."""


def simulate_odds(table: OddsTable, counts: HandCounts, rounds: int, seed: int) -> deal_settlement.Solution:
    """Return the odds at a table, the same for the same seed. Raises `TooManyDeals` for games of another kind.

    Args:
        table: the table.
        counts: hand counts of the game.
        rounds: number of random hands of either side.
        seed: seed of the random numbers.
    """
    return _ExchangeSolver(table, counts).solution(max(rounds // board_hands.BLOCK, _FEWEST), seed)


def weigh_exchanges(table: OddsTable, counts: HandCounts) -> deal_settlement.DecisionWorths | None:
    """Return the worth of each decision by the player's own cards, against a dealer with a full deck.

    It is None for games of another kind.
    """
    try:
        return _ExchangeSolver(table, counts).worths()
    except TooManyDeals:
        return None


def sample_exchanges(
    table: OddsTable, counts: HandCounts, dealers: int, players: int, seed: int
) -> deal_settlement.RandomDeals:
    """Return random hands of players with random hands of the dealer, all exchanged.

    Raises `TooManyDeals` for games of another kind.
    """
    return _ExchangeSolver(table, counts).sample(dealers, players, seed)


class _ExchangeSolver:
    def __init__(self, table: OddsTable, counts: HandCounts) -> None:
        self.table, self.counts = table, counts
        self.prepared = table.prepared
        self.alternatives = table.list_alternatives()
        looks = sample_rounds.DecidingHands()
        for alternative in self.alternatives:
            sample_rounds.find_deciding_hands(
                table.open_unknown_round(alternative.stakes, alternative.decisions), table.group.lines, looks
            )
        self.own, self.other = self._find_hands(looks)
        self.ranking = self.prepared.hands[self.own].ranking
        self.size = self.prepared.game.deal.cards["player"]
        self.classes = list_suit_classes(self.size)
        spread = count_set_strengths(self.size, self.ranking.strength)
        self.strengths, self.shown = spread.strengths, spread.cards
        own, other = (np.array(sorted(looks.bounds[name]), np.int64) for name in (self.own, self.other))
        self.cells = board_hands.StrengthCells(
            own=_number_from_zero(np.searchsorted(own, self.strengths, "right")),
            other=_number_from_zero(np.searchsorted(other, self.strengths, "right")),
        )
        self.dealer = self._dealer()
        self.dealer_chances = self.dealer.compute_chances()[0]
        # The result of a decision depends on the final hands only, whatever was discarded.
        self.result_by_decision = {
            alternative.name: self._settle_pair_kinds(alternative) for alternative in self.alternatives
        }

    def _find_hands(self, looks: sample_rounds.DecidingHands) -> tuple[str, str]:
        """Return the player's hand and the dealer's. Raises `TooManyDeals` for other hands or kinds of hand."""
        hands = self.prepared.hands
        own = [name for name in looks.hands if hands[name].places == ("player",)]
        other = [name for name in looks.hands if hands[name].places == ("dealer",)]
        drawing = [drawing_ for drawing_ in self.prepared.game.drawing.values() if drawing_.place == "dealer"]
        plain = (
            self.table.is_by_own_cards
            and len(looks.hands) == 2
            and not looks.lengths
            and not any(alternative.open_to for alternative in self.alternatives)
        )
        if not plain or len(own) != 1 or len(other) != 1 or len(drawing) != 1:
            raise TooManyDeals("only two hands that are both exchanged are simulated")
        rankings = [hands[name].ranking for name in (*own, *other)]
        if rankings[0] != rankings[1] or not isinstance(rankings[0], CompiledRanking):
            raise TooManyDeals("hands are of different kinds")
        return own[0], other[0]

    def _dealer(self) -> board_hands.ExchangingHands:
        """Return the dealer's hands by class, with the discards that the rules prescribe."""
        first = np.sort(self.classes.cards, axis=1)
        parts = [
            self._find_dealer_discards(first[start : start + _AT_ONCE]) for start in range(0, len(first), _AT_ONCE)
        ]
        return self._make_exchanges(
            first, self.classes.weight, np.concatenate(parts), np.zeros(len(first), np.int64), 1
        )

    def _make_exchanges(
        self, cards: Codes, weight: Ints, aside: Flags, group: Ints, groups: int
    ) -> board_hands.ExchangingHands:
        return board_hands.ExchangingHands(cards, weight, aside, self.ranking.strength, self.strengths, group, groups)

    def _find_dealer_discards(self, first: Codes) -> Flags:
        """Return the discards that the rules prescribe for the dealer's first cards, in ascending order, bool[n, k]."""
        name = next(name for name, drawing in self.prepared.game.drawing.items() if drawing.place == "dealer")
        batch = sample_rounds.build_sample_batch(
            self.prepared, sample_rounds.SampleRounds(dealt={"dealer": first}, stakes={})
        )
        rule = evaluate_drawing(EvaluationContext(batch, self.prepared, self.table.configuration), name)
        ways = np.zeros(len(first), np.uint32)
        for may_decide, lets in zip(rule.may_decide, rule.permitted_keeps, strict=True):
            ways = np.where((ways == 0) & may_decide, lets, ways)
        if (ways == 0).any():
            raise TooManyDeals("no rule of drawing decides some hands")
        # Take the lowest permitted way; bit k of a way is the card of rank k within the hand.
        way = np.log2((ways & (~ways + np.uint32(1))).astype(np.float64)).astype(np.int64)
        aside: Flags = (way[:, None] >> np.arange(self.size) & 1) == 0
        return aside

    def _settle_pair_kinds(self, alternative: Alternative) -> tuple[Ints, Ints, tuple[str, ...], int]:
        """Settle one pair of hands of each kind (`StrengthCells`) for an alternative.

        Returns:
            int64[kinds], the outcome, or -1 for kinds that do not occur; int64[kinds], the balance of the player in 1 /
                `per` minor units; the outcomes; and `per`.
        """
        pairs, kinds = [], []
        for own in range(int(self.cells.own.max()) + 1):
            for other in range(self.cells.others):
                own_places, other_places = (
                    np.flatnonzero(self.cells.own == own),
                    np.flatnonzero(self.cells.other == other),
                )
                common = max(own_places[0], other_places[0])
                tried = [(own_places[-1], other_places[0]), (common, common), (own_places[0], other_places[-1])]
                for relation, (own_place, other_place) in enumerate(tried):
                    if (
                        other_place < own_place,
                        common <= min(own_places[-1], other_places[-1]),
                        other_place > own_place,
                    )[relation]:
                        pairs.append((own_place, other_place))
                        kinds.append((own * self.cells.others + other) * 3 + relation)
        chosen = np.array(pairs)
        rounds = sample_rounds.SampleRounds(
            dealt={"player": self.shown[chosen[:, 0]], "dealer": self.shown[chosen[:, 1]]},
            stakes=alternative.stakes,
            decisions=alternative.decisions,
        )
        result = deal_settlement.settle_deals(self.table, rounds)
        outcome, net = np.full(self.cells.kinds, -1, np.int64), np.zeros(self.cells.kinds, np.int64)
        outcome[kinds], net[kinds] = result.outcome, result.net
        return outcome, net, result.outcomes, result.denominator

    # What the player does

    def _list_worths(self) -> Iterator[tuple[int, tuple[int, ...], Reals]]:
        """Yield each alternative and way to discard, with its worth in minor units, float64[classes]."""
        beside = self.cells.pair_chances_by_own(self.dealer_chances)
        averages = {
            decision: _Averages(self.ranking.strength, self.size, self.strengths, beside @ (net / per))
            for decision, (_, net, _, per) in self.result_by_decision.items()
        }
        for at, alternative in enumerate(self.alternatives):
            for discards in combinations(range(self.size), alternative.discards):
                yield at, discards, averages[alternative.name].after_exchange(discards)

    def worths(self) -> deal_settlement.DecisionWorths:
        """Return the worth of every decision of the player."""
        most = {alternative.name: 0 for alternative in self.alternatives}
        for alternative in self.alternatives:
            most[alternative.name] = max(most[alternative.name], alternative.discards)
        does, worth = [], []
        for at, discards, value in self._list_worths():
            decision = self.alternatives[at].name
            does.append(deal_settlement.DecisionWithDiscards(decision, discards if most[decision] else None))
            worth.append(value / self.table.stake)
        may = np.ones((len(does), len(self.classes.cards)), bool)
        return deal_settlement.DecisionWorths(
            cards=self.classes.cards,
            find_classes=self.classes.find_classes,
            decisions_taken=tuple(does),
            worth=np.stack(worth),
            is_open=may,
        )

    def sample(self, dealers: int, players: int, seed: int) -> deal_settlement.RandomDeals:
        """Return random hands of both sides, each of one side with each of the other.

        Hands for which a wrong decision costs much are rare, but important for the spread of a win. They are drawn more
        often and weigh less.
        """
        rng, choice, decisions = np.random.default_rng(seed), self._find_best_choices(), list(self.result_by_decision)
        of = np.array([decisions.index(alternative.name) for alternative in self.alternatives])
        own = self._make_exchanges(
            choice.cards, choice.weight, self._find_discards(choice), of[choice.best], len(decisions)
        )
        costs = self._find_costs(decisions)
        likelier = _favour_rare_hands(costs.max(axis=0), choice.weight)
        own_hands, dealer_hands = own.draw_hands(rng, players, likelier), self.dealer.draw_hands(rng, dealers)
        relation = np.sign(dealer_hands.place[:, None] - own_hands.place[None, :]) + 1
        cell = (
            self.cells.own[own_hands.place][None, :] * self.cells.others + self.cells.other[dealer_hands.place][:, None]
        )
        share_no_card = (dealer_hands.all_cards[:, None] & own_hands.all_cards[None, :]) == 0
        return deal_settlement.RandomDeals(
            decisions=tuple(decisions),
            weight=share_no_card
            * board_hands.weigh_pairs(self.size, own.most_discards, self.dealer.most_discards)[
                own_hands.cards_drawn[None, :], dealer_hands.cards_drawn[:, None]
            ]
            / likelier[own_hands.row][None, :],
            net=np.stack(
                [
                    net[cell * 3 + relation] / (per * self.table.stake)
                    for _, net, _, per in self.result_by_decision.values()
                ]
            ),
            cost=np.broadcast_to(costs[:, None, own_hands.row], (len(decisions), dealers, players)),
            best=np.broadcast_to(own_hands.group, (dealers, players)),
        )

    def _find_costs(self, decisions: list[str | None]) -> Reals:
        """Return the cost of each decision compared with the best, per unit staked, float64[decisions, classes]."""
        worths = self.worths()
        of = np.array([decisions.index(done.decision) for done in worths.decisions_taken])
        worth = np.stack([worths.worth[of == number].max(axis=0) for number in range(len(decisions))])
        cost: Reals = worth.max(axis=0) - worth
        return cost

    def _find_discards(self, choice: deal_settlement.BestChoices) -> Flags:
        """Return the discards of each class, bool[classes, size]."""
        discards = np.zeros((len(choice.discard_ways), self.size), bool)
        for index, way in enumerate(choice.discard_ways):
            discards[index, list(way)] = True
        return discards[choice.best_discards]

    def _find_best_choices(self) -> deal_settlement.BestChoices:
        ways: dict[tuple[int, ...], int] = {}
        best = np.zeros(len(self.classes.cards), np.int64)
        taken = np.zeros(len(best), np.int64)
        worth = np.full(len(best), -np.inf)
        for at, discards, value in self._list_worths():
            better = value > worth + 1e-12
            best[better], taken[better], worth[better] = at, ways.setdefault(discards, len(ways)), value[better]
        return deal_settlement.BestChoices(
            cards=self.classes.cards,
            weight=self.classes.weight,
            best=best,
            best_discards=taken,
            discard_ways=tuple(ways),
        )

    # What comes of it

    def solution(self, blocks: int, seed: int) -> deal_settlement.Solution:
        """Return the solution for the best decisions, with the effect of the common deck sampled in blocks of pairs."""
        choice = self._find_best_choices()
        decisions = list(self.result_by_decision)
        of = np.array([decisions.index(alternative.name) for alternative in self.alternatives])
        nets = np.stack([net / per for _, net, _, per in self.result_by_decision.values()])
        chances, error = self._find_chances(choice, of[choice.best], nets, blocks, seed)
        shares = []
        for number, (outcome, net, outcomes, per) in enumerate(self.result_by_decision.values()):
            for kind in np.flatnonzero((outcome >= 0) & (chances[number] > 0)).tolist():
                share = deal_settlement.OutcomeShare(
                    outcome=outcomes[outcome[kind]],
                    alternative=int(np.flatnonzero(of == number)[0]),
                    net=Fraction(int(net[kind]), per),
                    count=round(chances[number, kind] * _PARTS),
                )
                shares.append(share)
        return deal_settlement.Solution(
            alternatives=tuple(self.alternatives),
            shares=tuple(shares),
            choice=choice,
            error=error / self.table.stake,
        )

    def _find_chances(
        self, choice: deal_settlement.BestChoices, decided: Ints, nets: Reals, blocks: int, seed: int
    ) -> tuple[Reals, float]:
        """Return the probability of each kind of pair with each decision, and the standard error of the player's
        balance.

        Returns:
            float64[decisions, kinds], and the error in minor units.
        """
        own = self._make_exchanges(choice.cards, choice.weight, self._find_discards(choice), decided, len(nets))
        pairs = board_hands.HandPairs(own, self.dealer, self.cells)
        total, worth = np.zeros(nets.shape), np.zeros(blocks)
        for number, correction in enumerate(pairs.sample_corrections(blocks, seed)):
            total += correction
            worth[number] = (correction * nets).sum()
            if (number + 1) % 100 == 0:
                self.counts.report_progress(
                    f"{(number + 1) * board_hands.BLOCK:,} of {blocks * board_hands.BLOCK:,} hands of either "
                    "side simulated"
                )
        return pairs.two_deck_chances + total / blocks, float(worth.std(ddof=1) / blocks**0.5)


def _favour_rare_hands(cost: Reals, weight: Ints) -> Reals:
    """Return the factor by which classes of hands are drawn more often than in a deck, float64[classes].

    Some of the draws are spread evenly over the logarithm of the rarity, the probability of a hand that costs as much
    or more.

    Args:
        cost: cost of the worst decision for each class, float64[classes].
        weight: number of hands of each class, int64[classes].
    """
    order = np.argsort(-cost, kind="stable")
    rarity = np.empty(len(cost))
    rarity[order] = np.cumsum(weight[order]) / weight.sum()
    of_rare = weight.sum() / rarity / float((weight / rarity).sum())
    factor: Reals = 1 - _RARE_HANDS + _RARE_HANDS * of_rare
    return factor


def _number_from_zero(cells: Ints) -> Ints:
    """Return the same cells, numbered from 0 without gaps."""
    numbered: Ints = np.unique(cells, return_inverse=True)[1].reshape(-1)
    return numbered


class _Averages:
    """Average worth of hands after an exchange."""

    def __init__(self, strength: RankHands, size: int, strengths: Ints32, worth: Reals) -> None:
        """Prepare the averages.

        Args:
            strength: ranks hands.
            size: number of cards of a hand.
            strengths: strengths that occur, ascending, int32[k].
            worth: worth of a hand of each strength, float64[k].
        """
        self.strength, self.size, self.strengths, self.worth = strength, size, strengths, worth
        self._sums: dict[int, Reals] = {}

    def after_exchange(self, discards: tuple[int, ...]) -> Reals:
        """Return the average worth of every class of cards after it discards some columns, float64[classes].

        Hands without the discarded cards come from inclusion and exclusion.
        """
        cards = list_suit_classes(self.size).cards
        kept = cards[:, [at for at in range(self.size) if at not in discards]]
        total = np.zeros(len(cards))
        for number in range(len(discards) + 1):
            sums, classes = self._sum_completed(kept.shape[1] + number), list_suit_classes(kept.shape[1] + number)
            for back in combinations(discards, number):
                total += (-1) ** number * sums[classes.find_classes(np.concatenate([kept, cards[:, back]], axis=1))]
        return total / comb(CARDS - self.size, len(discards))

    def _sum_completed(self, known: int) -> Reals:
        """Return the summed worth of all hands that contain the cards of a class, float64[classes]."""
        if known not in self._sums:
            cards, ways = list_suit_classes(known).cards, comb(CARDS - known, self.size - known)
            step, sums = max((1 << 20) // ways, 1), np.zeros(len(cards))
            for start in range(0, len(sums), step):
                hands = complete_hands(cards[start : start + step], self.size)
                places = np.searchsorted(self.strengths, self.strength(hands.reshape(-1, self.size)))
                sums[start : start + step] = self.worth[places].reshape(len(hands), ways).sum(axis=1)
            self._sums[known] = sums
        return self._sums[known]


_BLOCK = 10_000
"""Number of deals that are settled at once."""


class _SetRounds(Struct, frozen=True, kw_only=True, eq=False):
    """Deals of which the player and the dealer set seven cards, or as many as the game has."""

    table: OddsTable
    drawing: str
    """Rules by which the dealer sets cards."""
    alternative: Alternative

    def set_cards(self, cards: Codes) -> SetHands:
        """Return the hands that the rules make of the cards of each row."""
        scope = self.table.open_rounds(SampleRounds(dealt={"dealer": cards}, stakes={}))
        decisions, ways = evaluate_drawing(scope, self.drawing), np.zeros(len(cards), np.uint32)
        for may_decide, permitted in zip(decisions.may_decide, decisions.permitted_keeps, strict=True):
            ways = np.where((ways == 0) & may_decide, permitted, ways)
        if (ways == 0).any():
            raise TooManyDeals(f"some cards are set by no rule of {self.drawing}")
        setting = compile_setting(self.table.prepared, "dealer")
        splits = np.array(list_splits(setting.size, setting.low.size))
        low = splits[np.bitwise_count((ways & (~ways + np.uint32(1))) - np.uint32(1))]
        is_low = np.zeros((len(cards), setting.size), np.bool_)
        np.put_along_axis(is_low, low, True, axis=1)
        order = np.argsort(is_low, axis=1, kind="stable")
        ordered = np.take_along_axis(cards, order, axis=1)
        return SetHands(high=ordered[:, : setting.high.size], low=ordered[:, setting.high.size :])

    def deal(self, rng: np.random.Generator, deck: Codes) -> SampleRounds:
        """Return random deals, and after them the same deals with the cards of player and dealer exchanged."""
        prepared = self.table.prepared
        size = prepared.game.deal.cards["dealer"]
        order = np.argsort(rng.random((_BLOCK, len(deck))), axis=1)[:, : 2 * size]
        cards = np.concatenate([deck[order[:, :size]], deck[order[:, size:]]])
        hands = self.set_cards(cards)
        exchanged = np.roll(np.arange(2 * _BLOCK), _BLOCK)
        return SampleRounds(
            dealt={"player": cards, "dealer": cards[exchanged]},
            stakes=self.alternative.stakes,
            decisions=self.alternative.decisions,
            set_hands={"player": hands, "dealer": hands.select(exchanged)},
            outcomes={
                name: np.full(len(cards), prepared.outcomes[name].numbers.index(None))
                for name in prepared.game.banking_outcomes
            },
        )


def simulate_set_hands(table: OddsTable, rounds: int, seed: int) -> Solution:
    """Return the odds of a wager on hands that are set, the same for the same seed.

    Each deal is settled a second time with the cards exchanged, so that luck hardly matters: without ties and
    commissions, both would add up to nothing.

    Args:
        table: the table.
        rounds: number of settled rounds.
        seed: seed of the random numbers.

    Raises:
        TooManyDeals: the game is of another kind.
    """
    prepared, alternatives = table.prepared, table.list_alternatives()
    deal = prepared.game.deal.cards
    drawings = [name for name, drawing in prepared.game.drawing.items() if drawing.sets_cards]
    sizes = {deal.get(place) for place in ("player", "dealer")}
    if len(drawings) != 1 or len(alternatives) != 1 or len(sizes) != 1 or set(deal) != {"player", "dealer"}:
        raise TooManyDeals("only hands that both sides set by one rule are simulated")
    set_rounds = _SetRounds(table=table, drawing=drawings[0], alternative=alternatives[0])
    assert prepared.game.deck is not None, "hands consist of cards"
    vocabulary = prepared.regulation.vocabulary.decks[prepared.game.deck.cards]
    deck = np.array([card for card in range(KNOWN_CARDS) if card < KNOWN_CARDS - 1 or vocabulary.jokers], np.uint8)
    rng, shares, pairs = np.random.default_rng(seed), Counter[tuple[str, Fraction]](), []
    for _ in range(max(rounds // (2 * _BLOCK), 1)):
        settled = settle_deals(table, set_rounds.deal(rng, deck))
        kinds, counts = np.unique(np.stack([settled.outcome, settled.net]), axis=1, return_counts=True)
        for (outcome, net), count in zip(kinds.T.tolist(), counts.tolist(), strict=True):
            shares[settled.outcomes[outcome], Fraction(net, settled.denominator)] += count
        pairs.append(settled.net.reshape(2, -1).sum(axis=0) / (2 * settled.denominator * table.stake))
    won = np.concatenate(pairs)
    return Solution(
        alternatives=tuple(alternatives),
        shares=tuple(
            OutcomeShare(outcome=outcome, alternative=0, net=net, count=count)
            for (outcome, net), count in sorted(shares.items())
        ),
        choice=None,
        error=float(won.std()) / sqrt(len(won)),
    )
