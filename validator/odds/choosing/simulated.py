"""The odds of a wager for which both sides exchange cards: too many deals to be counted.

What the player does is worked out first, for every hand, against what the dealer ends up with when dealt from a whole
deck; that the player's own cards are out of it is left aside. What comes of it is then counted as if both were dealt
from decks of their own, and what one deck changes of that is found by chance (`two_exchanges`), so that the figures are
right for that way of playing within the interval they state.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np

from validator.arrays import Codes, Flags, Ints, Ints32, Reals
from validator.cards.cards import CARDS
from validator.cards.ranking import CompiledRanking
from validator.engine.cards.keep_rules import drawn
from validator.engine.core.context import Scope
from validator.odds.choosing.exchanges import Exchanges
from validator.odds.choosing.two_exchanges import BLOCK, Cells, Pairs, weights
from validator.odds.counting.counts import Counts
from validator.odds.counting.distributions import Strength, completed, spread_of_sets
from validator.odds.counting.suit_classes import suit_classes
from validator.odds.rounds.columns import MadeUp, batch_of
from validator.odds.rounds.looked_at import Looks, looked_at
from validator.odds.rounds.play import Alternative, Table
from validator.odds.rounds.refusals import TooLarge
from validator.odds.rounds.settled import settled
from validator.odds.rounds.solution import Choice, Done, Share, SharedDeals, Solution, Worths

_AT_ONCE = 50_000
_RARE_HANDS = 0.4
"""Part of a sample of hands that is drawn by how rarely a hand costs as much."""
_FEWEST = 10
"""Blocks by which the error of their mean is known at all."""
_PARTS = 10**15
"""Of so many parts shares are told that are no counts of deals."""


def simulate(table: Table, counts: Counts, rounds: int, seed: int) -> Solution:
    """The odds at a table, with so many hands of either side, the same for the same seed. Raises TooLarge for games of
    another kind."""
    return _Exchanging(table, counts).solution(max(rounds // BLOCK, _FEWEST), seed)


def worths_by_exchange(table: Table, counts: Counts) -> Worths | None:
    """What each decision of a player is worth by the own cards, against a dealer who is dealt from a whole deck; None
    for games of another kind."""
    try:
        return _Exchanging(table, counts).worths()
    except TooLarge:
        return None


def sample_by_exchange(table: Table, counts: Counts, dealers: int, players: int, seed: int) -> SharedDeals:
    """Return players' hands next to dealers' hands, all dealt and exchanged at random. Raises TooLarge for games of
    another kind."""
    return _Exchanging(table, counts).sample(dealers, players, seed)


class _Exchanging:
    def __init__(self, table: Table, counts: Counts) -> None:
        self.table, self.counts = table, counts
        self.prepared = table.prepared
        self.alternatives = table.alternatives()
        looks = Looks()
        for alternative in self.alternatives:
            looked_at(table.not_known(alternative.stakes, alternative.decisions), table.group.lines, looks)
        self.own, self.other = self._hands(looks)
        self.ranking = self.prepared.hands[self.own].ranking
        self.size = self.prepared.game.deal.cards["player"]
        self.classes = suit_classes(self.size)
        spread = spread_of_sets(self.size, self.ranking.strength)
        self.strengths, self.shown = spread.strengths, spread.cards
        own, other = (np.array(sorted(looks.ends[name]), np.int64) for name in (self.own, self.other))
        self.cells = Cells(
            own=_numbered(np.searchsorted(own, self.strengths, "right")),
            other=_numbered(np.searchsorted(other, self.strengths, "right")),
        )
        self.dealer = self._dealer()
        self.dealer_chances = self.dealer.chances()[0]
        # The same decision comes to the same whatever is put aside: what it comes to hangs on the hands alone.
        self.comes_to = {alternative.name: self._settled_kinds(alternative) for alternative in self.alternatives}

    def _hands(self, looks: Looks) -> tuple[str, str]:
        """The player's hand and the dealer's. Raises TooLarge where there are others, or they are of other kinds."""
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
            raise TooLarge("only two hands that are both exchanged are simulated")
        rankings = [hands[name].ranking for name in (*own, *other)]
        if rankings[0] != rankings[1] or not isinstance(rankings[0], CompiledRanking):
            raise TooLarge("hands are of different kinds")
        return own[0], other[0]

    def _dealer(self) -> Exchanges:
        """The dealer's hands, by class, and what the rules of drawing have of them put aside."""
        first = np.sort(self.classes.cards, axis=1)
        parts = [self._put_aside(first[start : start + _AT_ONCE]) for start in range(0, len(first), _AT_ONCE)]
        return self._exchanges(first, self.classes.weight, np.concatenate(parts), np.zeros(len(first), np.int64), 1)

    def _exchanges(self, cards: Codes, weight: Ints, aside: Flags, group: Ints, groups: int) -> Exchanges:
        return Exchanges(cards, weight, aside, self.ranking.strength, self.strengths, group, groups)

    def _put_aside(self, first: Codes) -> Flags:
        """bool[n, k]: which of the dealer's first cards, in rising order, the rules of drawing have put aside."""
        name = next(name for name, drawing in self.prepared.game.drawing.items() if drawing.place == "dealer")
        batch = batch_of(self.prepared, MadeUp(dealt={"dealer": first}, stakes={}))
        found = drawn(Scope(batch, self.prepared, self.table.configuration), name)
        ways = np.zeros(len(first), np.uint32)
        for may_decide, lets in zip(found.may_decide, found.lets, strict=True):
            ways = np.where((ways == 0) & may_decide, lets, ways)
        if (ways == 0).any():
            raise TooLarge("no rule of drawing decides some hands")
        # The lowest bit of a set of ways is one of them; bit k of the way is the card of rank k within the hand.
        way = np.log2((ways & (~ways + np.uint32(1))).astype(np.float64)).astype(np.int64)
        aside: Flags = (way[:, None] >> np.arange(self.size) & 1) == 0
        return aside

    def _settled_kinds(self, alternative: Alternative) -> tuple[Ints, Ints, tuple[str, ...], int]:
        """What an alternative comes to for each kind of pair (`Cells`): int64[kinds], the outcome, -1 where there is no
        such pair, and the balance of the player in 1 / `per` minor units; the outcomes; `per`."""
        pairs, kinds = [], []
        for own in range(int(self.cells.own.max()) + 1):
            for other in range(self.cells.others):
                mine, theirs = np.flatnonzero(self.cells.own == own), np.flatnonzero(self.cells.other == other)
                both = max(mine[0], theirs[0])
                tried = [(mine[-1], theirs[0]), (both, both), (mine[0], theirs[-1])]
                for relation, (mine_at, two) in enumerate(tried):
                    if (two < mine_at, both <= min(mine[-1], theirs[-1]), two > mine_at)[relation]:
                        pairs.append((mine_at, two))
                        kinds.append((own * self.cells.others + other) * 3 + relation)
        chosen = np.array(pairs)
        rounds = MadeUp(
            dealt={"player": self.shown[chosen[:, 0]], "dealer": self.shown[chosen[:, 1]]},
            stakes=alternative.stakes,
            decisions=alternative.decisions,
        )
        result = settled(self.table, rounds)
        outcome, net = np.full(self.cells.kinds, -1, np.int64), np.zeros(self.cells.kinds, np.int64)
        outcome[kinds], net[kinds] = result.outcome, result.net
        return outcome, net, result.outcomes, result.per

    # What the player does

    def _worth(self) -> Iterator[tuple[int, tuple[int, ...], Reals]]:
        """Everything the player may do: the alternative, the places of the cards put aside, and what that is worth in
        minor units, float64[classes]."""
        beside = self.cells.beside_own(self.dealer_chances)
        averages = {
            decision: _Averages(self.ranking.strength, self.size, self.strengths, beside @ (net / per))
            for decision, (_, net, _, per) in self.comes_to.items()
        }
        for at, alternative in enumerate(self.alternatives):
            for gone in combinations(range(self.size), alternative.discards):
                yield at, gone, averages[alternative.name].after_exchange(gone)

    def worths(self) -> Worths:
        """What everything is worth that the player may do."""
        most = {alternative.name: 0 for alternative in self.alternatives}
        for alternative in self.alternatives:
            most[alternative.name] = max(most[alternative.name], alternative.discards)
        does, worth = [], []
        for at, gone, value in self._worth():
            decision = self.alternatives[at].name
            does.append(Done(decision, gone if most[decision] else None))
            worth.append(value / self.table.stake)
        may = np.ones((len(does), len(self.classes.cards)), bool)
        return Worths(
            cards=self.classes.cards, find=self.classes.find, does=tuple(does), worth=np.stack(worth), may=may
        )

    def sample(self, dealers: int, players: int, seed: int) -> SharedDeals:
        """Return random hands of both sides, each of one side next to each of the other.

        Hands that a wrong decision costs much are rare, and decide how far off a win may be. They are drawn more often
        and weigh less.
        """
        rng, choice, decisions = np.random.default_rng(seed), self._choice(), list(self.comes_to)
        of = np.array([decisions.index(alternative.name) for alternative in self.alternatives])
        own = self._exchanges(choice.cards, choice.weight, self._gone(choice), of[choice.best], len(decisions))
        costs = self._costs(decisions)
        likelier = _oftener_if_rare(costs.max(axis=0), choice.weight)
        mine, theirs = own.some(rng, players, likelier), self.dealer.some(rng, dealers)
        relation = np.sign(theirs.place[:, None] - mine.place[None, :]) + 1
        cell = self.cells.own[mine.place][None, :] * self.cells.others + self.cells.other[theirs.place][:, None]
        share_no_card = (theirs.taken[:, None] & mine.taken[None, :]) == 0
        return SharedDeals(
            decisions=tuple(decisions),
            weight=share_no_card
            * weights(self.size, own.most, self.dealer.most)[mine.drawn[None, :], theirs.drawn[:, None]]
            / likelier[mine.row][None, :],
            net=np.stack(
                [net[cell * 3 + relation] / (per * self.table.stake) for _, net, _, per in self.comes_to.values()]
            ),
            cost=np.broadcast_to(costs[:, None, mine.row], (len(decisions), dealers, players)),
            best=np.broadcast_to(mine.group, (dealers, players)),
        )

    def _costs(self, decisions: list[str | None]) -> Reals:
        """Return the cost of each decision against the best, for a unit staked, float64[decisions, classes]."""
        worths = self.worths()
        of = np.array([decisions.index(done.decision) for done in worths.does])
        worth = np.stack([worths.worth[of == number].max(axis=0) for number in range(len(decisions))])
        cost: Reals = worth.max(axis=0) - worth
        return cost

    def _gone(self, choice: Choice) -> Flags:
        """Return which cards each class puts aside, bool[classes, size]."""
        gone = np.zeros((len(choice.ways), self.size), bool)
        for index, way in enumerate(choice.ways):
            gone[index, list(way)] = True
        return gone[choice.gone]

    def _choice(self) -> Choice:
        ways: dict[tuple[int, ...], int] = {}
        best = np.zeros(len(self.classes.cards), np.int64)
        taken = np.zeros(len(best), np.int64)
        worth = np.full(len(best), -np.inf)
        for at, gone, value in self._worth():
            better = value > worth + 1e-12
            best[better], taken[better], worth[better] = at, ways.setdefault(gone, len(ways)), value[better]
        return Choice(cards=self.classes.cards, weight=self.classes.weight, best=best, gone=taken, ways=tuple(ways))

    # What comes of it

    def solution(self, blocks: int, seed: int) -> Solution:
        """What comes of the best way of playing, what one deck changes by so many blocks of pairs."""
        choice = self._choice()
        decisions = list(self.comes_to)
        of = np.array([decisions.index(alternative.name) for alternative in self.alternatives])
        nets = np.stack([net / per for _, net, _, per in self.comes_to.values()])
        chances, error = self._chances(choice, of[choice.best], nets, blocks, seed)
        shares = []
        for number, (outcome, net, outcomes, per) in enumerate(self.comes_to.values()):
            for kind in np.flatnonzero((outcome >= 0) & (chances[number] > 0)).tolist():
                share = Share(
                    outcome=outcomes[outcome[kind]],
                    alternative=int(np.flatnonzero(of == number)[0]),
                    net=Fraction(int(net[kind]), per),
                    count=round(chances[number, kind] * _PARTS),
                )
                shares.append(share)
        return Solution(
            alternatives=tuple(self.alternatives),
            shares=tuple(shares),
            choice=choice,
            error=error / self.table.stake,
        )

    def _chances(self, choice: Choice, decided: Ints, nets: Reals, blocks: int, seed: int) -> tuple[Reals, float]:
        """float64[decisions, kinds]: how likely each kind of pair is with each decision, which are given by class; and
        the standard error of the player's balance on average, in minor units."""
        own = self._exchanges(choice.cards, choice.weight, self._gone(choice), decided, len(nets))
        pairs = Pairs(own, self.dealer, self.cells)
        total, worth = np.zeros(nets.shape), np.zeros(blocks)
        for number, correction in enumerate(pairs.corrections(blocks, seed)):
            total += correction
            worth[number] = (correction * nets).sum()
            if (number + 1) % 100 == 0:
                self.counts.tell(f"{(number + 1) * BLOCK:,} of {blocks * BLOCK:,} hands of either side dealt")
        return pairs.apart + total / blocks, float(worth.std(ddof=1) / blocks**0.5)


def _oftener_if_rare(cost: Reals, weight: Ints) -> Reals:
    """Return how much likelier classes of hands are to be drawn than they are in a deck, float64[classes].

    A part of the draws is spread evenly over the logarithm of how rarely a hand costs as much or more.

    Args:
        cost: cost of the worst decision for each class, float64[classes].
        weight: number of hands of each class, int64[classes].
    """
    order = np.argsort(-cost, kind="stable")
    rarity = np.empty(len(cost))
    rarity[order] = np.cumsum(weight[order]) / weight.sum()
    of_rare = weight.sum() / rarity / float((weight / rarity).sum())
    found: Reals = 1 - _RARE_HANDS + _RARE_HANDS * of_rare
    return found


def _numbered(cells: Ints) -> Ints:
    """The same cells, numbered from 0 without gaps."""
    found: Ints = np.unique(cells, return_inverse=True)[1].reshape(-1)
    return found


class _Averages:
    """What hands come to on average once cards were put aside and others drawn; `worth`, float64[k], is what a hand of
    each of the `strengths` comes to."""

    def __init__(self, strength: Strength, size: int, strengths: Ints32, worth: Reals) -> None:
        self.strength, self.size, self.strengths, self.worth = strength, size, strengths, worth
        self._sums: dict[int, Reals] = {}

    def after_exchange(self, gone: tuple[int, ...]) -> Reals:
        """float64[classes]: of every class of cards, when those are put aside. Sums over hands that have none of them
        are got by inclusion and exclusion."""
        cards = suit_classes(self.size).cards
        kept = cards[:, [at for at in range(self.size) if at not in gone]]
        total = np.zeros(len(cards))
        for number in range(len(gone) + 1):
            sums, classes = self._completed(kept.shape[1] + number), suit_classes(kept.shape[1] + number)
            for back in combinations(gone, number):
                total += (-1) ** number * sums[classes.find(np.concatenate([kept, cards[:, back]], axis=1))]
        return total / comb(CARDS - self.size, len(gone))

    def _completed(self, known: int) -> Reals:
        """float64[classes]: the sum of what all hands come to that have the cards of a class."""
        if known not in self._sums:
            cards, ways = suit_classes(known).cards, comb(CARDS - known, self.size - known)
            step, found = max((1 << 20) // ways, 1), np.zeros(len(cards))
            for start in range(0, len(found), step):
                hands = completed(cards[start : start + step], self.size)
                places = np.searchsorted(self.strengths, self.strength(hands.reshape(-1, self.size)))
                found[start : start + step] = self.worth[places].reshape(len(hands), ways).sum(axis=1)
            self._sums[known] = found
        return self._sums[known]
