"""The odds of a wager for which both sides exchange cards: too many deals to be counted, so rounds are dealt by chance.

What the player does is worked out first, for every hand, against what the dealer ends up with when dealt from a whole
deck; that the player's own cards are out of it is left aside. What comes of it is then dealt, exchanged and settled by
the rules, round by round, so that the figures are right for that way of playing within the interval they state.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from validator.arrays import Codes, Flags, Ints, Ints32
from validator.cards.cards import CARDS, NO_CARD
from validator.cards.ranking import CompiledRanking
from validator.engine.cards.keep_rules import drawn
from validator.engine.core.context import Scope
from validator.odds.counting.counts import Counts
from validator.odds.counting.distributions import Strength, completed, spread_of_sets
from validator.odds.counting.suit_classes import suit_classes
from validator.odds.rounds.columns import MadeUp, batch_of
from validator.odds.rounds.looked_at import Looks, looked_at
from validator.odds.rounds.play import Alternative, Table
from validator.odds.rounds.settled import settled
from validator.odds.rounds.solution import Choice, Share, Solution, TooLarge, shares_of

_AT_ONCE = 50_000
_FIRST = 200_000
"""Hands of the dealer by which the player's way of playing is worked out."""


def simulate(table: Table, counts: Counts, rounds: int, seed: int) -> Solution:
    """So many rounds at a table, the same for the same seed. Raises TooLarge for games of another kind."""
    return _Simulation(table, counts, seed).run(rounds)


class _Simulation:
    def __init__(self, table: Table, counts: Counts, seed: int) -> None:
        self.table, self.counts, self.seed = table, counts, seed
        self.prepared = table.prepared
        self.alternatives = table.alternatives()
        looks = Looks()
        for one in self.alternatives:
            looked_at(table.not_known(one.stakes, one.decision), table.group.lines, looks)
        self.own, self.other = self._hands(looks)
        self.ends = {name: np.array(sorted(looks.ends[name]), np.int64) for name in (self.own, self.other)}
        self.ranking = self.prepared.hands[self.own].ranking
        self.size = self.prepared.game.deal.cards["player"]
        self.classes = suit_classes(self.size)

    def _hands(self, looks: Looks) -> tuple[str, str]:
        """The player's hand and the dealer's. Raises TooLarge where there are others, or they are of other kinds."""
        hands = self.prepared.hands
        own = [name for name in looks.hands if hands[name].places == ("player",)]
        other = [name for name in looks.hands if hands[name].places == ("dealer",)]
        drawing = [one for one in self.prepared.game.drawing.values() if one.place == "dealer"]
        plain = len(looks.hands) == 2 and not looks.lengths and all(one.open_to is None for one in self.alternatives)
        if not plain or len(own) != 1 or len(other) != 1 or len(drawing) != 1:
            raise TooLarge(f"{' and '.join(looks.hands)} are neither counted nor simulated")
        rankings = [hands[name].ranking for name in (*own, *other)]
        if rankings[0] != rankings[1] or not isinstance(rankings[0], CompiledRanking):
            raise TooLarge("hands are of different kinds")
        return own[0], other[0]

    def run(self, rounds: int) -> Solution:
        choice = self._choice()
        shares: dict[tuple[int, str, object], Share] = {}
        for number, start in enumerate(range(0, rounds, _AT_ONCE)):
            for share in self._some_rounds(choice, min(_AT_ONCE, rounds - start), number):
                key = share.alternative, share.outcome, share.net
                before = shares[key].count if key in shares else 0
                shares[key] = Share(
                    outcome=share.outcome, alternative=share.alternative, net=share.net, count=share.count + before
                )
            if (number + 1) % 5 == 0:
                self.counts.tell(f"{start + _AT_ONCE:,} of {rounds:,} rounds simulated")
        return Solution(
            alternatives=tuple(self.alternatives), shares=tuple(shares.values()), choice=choice, simulated=True
        )

    # What the player does

    def _choice(self) -> Choice:
        spread = spread_of_sets(self.size, self.ranking.strength)
        dealer = self._dealers_strengths(spread.strengths)
        ways = [gone for one in self.alternatives for gone in combinations(range(self.size), one.discards)]
        ways = list(dict.fromkeys(ways))
        best = np.zeros(len(self.classes.cards), np.int64)
        taken = np.zeros(len(best), np.int64)
        worth = np.full(len(best), -np.inf)
        averages: dict[str | None, _Averages] = {}
        for at, one in enumerate(self.alternatives):
            if one.decision not in averages:
                worth_of = self._worth_of_hands(one, spread.strengths, spread.cards, dealer)
                averages[one.decision] = _Averages(self.ranking.strength, self.size, spread.strengths, worth_of)
            for gone in combinations(range(self.size), one.discards):
                value = averages[one.decision].after_exchange(gone)
                better = value > worth + 1e-12
                best[better], taken[better], worth[better] = at, ways.index(gone), value[better]
        return Choice(cards=self.classes.cards, weight=self.classes.weight, best=best, gone=taken, ways=tuple(ways))

    def _dealers_strengths(self, strengths: Ints32) -> NDArray[np.float64]:
        """float64[k]: how likely the dealer ends up with each strength."""
        rng = np.random.default_rng([self.seed, 0])
        found = np.zeros(len(strengths))
        for _ in range(_FIRST // _AT_ONCE):
            deck = _dealt(rng, np.zeros((_AT_ONCE, 0), np.uint8), 2 * self.size)
            _, hands, _ = self._dealer_draws(deck[:, : self.size], deck[:, self.size :])
            found += np.bincount(np.searchsorted(strengths, self.ranking.strength(hands)), minlength=len(strengths))
        return found / found.sum()

    def _worth_of_hands(
        self, alternative: Alternative, strengths: Ints32, cards: Codes, dealer: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """float64[k]: what each hand of the player comes to, in minor units, against all hands of the dealer."""
        own_cell = np.searchsorted(self.ends[self.own], strengths, "right")
        other_cell = np.searchsorted(self.ends[self.other], strengths, "right")
        pairs, keys = [], []
        for own in np.unique(own_cell):
            for other in np.unique(other_cell):
                mine, theirs = np.flatnonzero(own_cell == own), np.flatnonzero(other_cell == other)
                both = max(mine[0], theirs[0])
                tried = [(mine[-1], theirs[0]), (both, both), (mine[0], theirs[-1])]
                for relation, (one, two) in enumerate(tried):
                    fits = (two < one, both <= min(mine[-1], theirs[-1]), two > one)[relation]
                    if fits:
                        pairs.append((one, two))
                        keys.append((int(own), int(other), relation))
        chosen = np.array(pairs)
        result = settled(
            self.table,
            MadeUp(
                dealt={"player": cards[chosen[:, 0]], "dealer": cards[chosen[:, 1]]},
                stakes=alternative.stakes,
                decision=alternative.decision,
            ),
        )
        net = dict(zip(keys, (result.net / result.per).tolist(), strict=True))
        found = np.zeros(len(strengths))
        below = np.concatenate([[0.0], np.cumsum(dealer)])
        for (own, other, relation), worth in net.items():
            mine, theirs = np.flatnonzero(own_cell == own), np.flatnonzero(other_cell == other)
            low, high = theirs[0], theirs[-1] + 1
            start = (np.zeros_like(mine), mine, mine + 1)[relation]
            stop = (mine, mine + 1, np.full_like(mine, len(strengths)))[relation]
            first, last = np.clip(start, low, high), np.clip(stop, low, high)
            found[mine] += worth * (below[np.maximum(first, last)] - below[first])
        return found

    # Rounds

    def _some_rounds(self, choice: Choice, count: int, number: int) -> Iterator[Share]:
        rng = np.random.default_rng([self.seed, 1 + number])
        until = np.cumsum(choice.weight)
        at = np.searchsorted(until, rng.integers(0, until[-1], count), "right")
        # Which suits the player's cards are of does not matter: one set of each class stands for all.
        own = choice.cards[at]
        deck = _dealt(rng, own, 3 * self.size)
        gone = np.zeros((len(choice.ways), self.size), bool)
        for index, way in enumerate(choice.ways):
            gone[index, list(way)] = True
        aside = gone[choice.gone[at]]
        dealer, _, dealer_aside = self._dealer_draws(deck[:, : self.size], deck[:, self.size : 2 * self.size])
        for index, alternative in enumerate(self.alternatives):
            chosen = np.flatnonzero(choice.best[at] == index)
            if not len(chosen):
                continue
            result = settled(
                self.table,
                MadeUp(
                    dealt={"player": own[chosen], "dealer": dealer[chosen]},
                    stakes=alternative.stakes,
                    decision=alternative.decision,
                    discarded={
                        "player": _packed(own[chosen], aside[chosen]),
                        "dealer": _packed(dealer[chosen], dealer_aside[chosen]),
                    },
                    drawn={
                        "player": _first(deck[chosen, 2 * self.size :], aside[chosen]),
                        "dealer": _first(deck[chosen, self.size : 2 * self.size], dealer_aside[chosen]),
                    },
                ),
            )
            yield from shares_of(index, result, np.ones(len(chosen), np.int64))

    def _dealer_draws(self, first: Codes, deck: Codes) -> tuple[Codes, Codes, Flags]:
        """The dealer's first cards in rising order, what the dealer holds after drawing by the rules, both
        uint8[n, k]; and bool[n, k], which of the first cards are put aside."""
        first = np.sort(first, axis=1)
        name = next(name for name, one in self.prepared.game.drawing.items() if one.place == "dealer")
        batch = batch_of(self.prepared, MadeUp(dealt={"dealer": first}, stakes={}))
        found = drawn(Scope(batch, self.prepared, self.table.configuration), name)
        ways = np.zeros(len(first), np.uint32)
        for may_decide, lets in zip(found.may_decide, found.lets, strict=True):
            ways = np.where((ways == 0) & may_decide, lets, ways)
        if (ways == 0).any():
            raise TooLarge("no rule of drawing decides some hands")
        # The lowest bit of a set of ways is one of them; bit k of the way is the card of rank k within the hand.
        way = np.log2((ways & (~ways + np.uint32(1))).astype(np.float64)).astype(np.int64)
        aside = (way[:, None] >> np.arange(self.size) & 1) == 0
        held = np.where(aside, _spread_out(deck, aside), first)
        return first, held, aside


class _Averages:
    """What hands come to on average once cards were put aside and others drawn; `worth`, float64[k], is what a hand of
    each of the `strengths` comes to."""

    def __init__(self, strength: Strength, size: int, strengths: Ints32, worth: NDArray[np.float64]) -> None:
        self.strength, self.size, self.strengths, self.worth = strength, size, strengths, worth
        self._sums: dict[int, NDArray[np.float64]] = {}

    def after_exchange(self, gone: tuple[int, ...]) -> NDArray[np.float64]:
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

    def _completed(self, known: int) -> NDArray[np.float64]:
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


def _dealt(rng: np.random.Generator, known: Codes, cards: int) -> Codes:
    """uint8[n, cards]: cards of a shuffled deck without the known ones of each row, uint8[n, k]."""
    free = np.ones((len(known), CARDS), bool)
    np.put_along_axis(free, known.astype(np.int64), False, axis=1)
    deck = np.nonzero(free)[1].astype(np.uint8).reshape(len(known), -1)
    rows = np.arange(len(deck))
    for place in range(cards):
        other = rng.integers(place, deck.shape[1], len(deck))
        swapped = deck[rows, other]
        deck[rows, other] = deck[:, place]
        deck[:, place] = swapped
    return deck[:, :cards]


def _spread_out(deck: Codes, here: Flags) -> Codes:
    """uint8[n, k]: the first cards of each row of a deck at the places that are marked; any elsewhere."""
    return np.take_along_axis(deck, np.maximum(np.cumsum(here, axis=1) - 1, 0), axis=1)


def _packed(cards: Codes, here: Flags) -> Codes:
    """uint8[n, k]: the marked cards of each row, first; NO_CARD after them."""
    order = np.argsort(~here, axis=1, kind="stable")
    return np.where(np.take_along_axis(here, order, axis=1), np.take_along_axis(cards, order, axis=1), NO_CARD).astype(
        np.uint8
    )


def _first(deck: Codes, here: Flags) -> Codes:
    """uint8[n, k]: as many cards of each row of a deck as are marked; NO_CARD after them."""
    width: Ints = here.sum(axis=1)
    return np.where(np.arange(here.shape[1]) < width[:, None], deck[:, : here.shape[1]], NO_CARD).astype(np.uint8)
