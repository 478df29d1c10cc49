"""Law of what the house wins of a unit staked, with what seats of one round share and with decisions that were made.

The chances of what is won are those of the odds, exactly. How they depend on cards that seats share (the dealer's, or
those of the community), and what other decisions win, is measured on random deals that the interpreter settles.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from math import sqrt

import msgspec
import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Flags, Ints, Reals
from validator.cards.cards import CARDS, NO_CARD
from validator.cards.names import SUITS
from validator.engine.core.house_rules import Configuration
from validator.hold.decisions import Weighed, otherwise, worths_at
from validator.hold.stakes import decision_key
from validator.language.terms import Place
from validator.odds.choosing.simulated import sample_by_exchange
from validator.odds.counting.counts import Counts
from validator.odds.rounds.columns import MadeUp
from validator.odds.rounds.looked_at import Looks, looked_at
from validator.odds.rounds.play import Alternative, Table
from validator.odds.rounds.refusals import NotWorkedOut, TooLarge
from validator.odds.rounds.settled import settled
from validator.odds.rounds.solution import SharedDeals

_SHARED, _HANDS = 3000, 50
"""Random deals of the cards that seats share, and random hands of players next to each of them."""
_EXCHANGED = 1000
"""Random hands of either side, where both exchange cards and all pairs of them are compared."""
_EDGES = (0.0025, 0.01, 0.04, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.96, 0.99, 0.9975)
"""Parts of the shared cards, from the worst for players to the best, between which classes change."""
_CLASSES = len(_EDGES) + 1
_STRETCHED = 1.25
"""Times by which differences between classes are stretched at most."""
_SAME = 1e-9
"""Amounts for a unit staked that differ by less are equal."""
_STEP = 0.5
"""Step of the amounts less what a decision costs, for a unit staked."""
_CLOSED = 1e9
"""More than any hand is worth."""
_ORDERS = np.array([*permutations(range(len(SUITS)))], np.uint8)


class StakeLaw(Struct, frozen=True, kw_only=True, eq=False):
    """Law of what the house wins of a unit staked, next to classes of cards that seats of a round share."""

    wins: Reals
    """Amounts that the house may win, float64[k]."""
    joint: Reals
    """Probability of a class of shared cards and an amount together, float64[classes, k]."""
    most: float
    """Amount that the house wins at most, whatever players decide."""

    @property
    def chances(self) -> Reals:
        """Return the probability of each amount."""
        found: Reals = self.joint.sum(axis=0)
        return found

    @property
    def regardless(self) -> StakeLaw:
        """Return the law with all classes of shared cards as one."""
        return StakeLaw(wins=self.wins, joint=self.chances[None], most=self.most)

    @property
    def mean(self) -> float:
        """Return what the house wins on average."""
        return float(self.chances @ self.wins)

    @property
    def variance(self) -> float:
        """Return the variance of what the house wins."""
        return float(self.chances @ (self.wins - self.mean) ** 2)

    @property
    def covariance(self) -> float:
        """Return the covariance of two stakes of one round."""
        classes = self.joint.sum(axis=1)
        means = (self.joint @ (self.wins - self.mean))[classes > 0] / classes[classes > 0]
        return float(classes[classes > 0] @ means**2)


class _Other(Struct, frozen=True, kw_only=True):
    """Law of a decision that is made where theory takes another one."""

    best: int
    made: int
    wins: list[float]
    joint: list[list[float]]
    """Probability of a class of shared cards and an amount together, for the hands that the decision makes worse."""
    less_cost: list[float]
    """Amounts that the house may win less what the decision costs by the player's cards."""
    joint_less_cost: list[list[float]]
    """Probability of a class of shared cards and such an amount together."""
    instead_of: list[list[float]]
    """Probability of a class and an amount of the decision of theory, for these hands."""


class UnitLaw(Struct, frozen=True, kw_only=True):
    """Law of a unit staked, by the decision that theory takes; and laws of other decisions."""

    decisions: tuple[str | None, ...]
    wins: list[float]
    joint: list[list[list[float]]]
    """Probability of a class of shared cards, a decision of theory and an amount together."""
    others: list[_Other]

    @property
    def most(self) -> float:
        """Return what the house wins at most, whatever players decide."""
        return max(self.wins + [win for other in self.others for win in (*other.wins, *other.less_cost)])

    def of_theory(self) -> StakeLaw:
        """Return the law of players who decide as theory does."""
        return StakeLaw(wins=np.array(self.wins), joint=np.array(self.joint).sum(axis=1), most=self.most)

    def with_decisions(self, decided: Mapping[str, int]) -> StakeLaw:
        """Return the law of what is won less what decisions cost, for decisions made as often as they were."""
        names, best = self.decisions, np.array(self.joint)
        counted = {
            (made, other): decided.get(decision_key(names[made], names[other]), 0)
            for made in range(len(names))
            for other in range(len(names))
        }
        of_theory = [
            sum(count for key, count in decided.items() if key.startswith(decision_key(name, None))) for name in names
        ]
        wins, joint = [np.array(self.wins)], [best.sum(axis=1)]
        for other in self.others:
            instead_of = np.array(other.instead_of)
            hands = instead_of.sum() / best[:, other.best].sum()
            of_best = hands * of_theory[other.best]
            share = min(counted[other.best, other.made] / of_best, 1.0) if of_best else 0.0
            if share:
                joint[0] = joint[0] - share * instead_of
                wins.append(np.array(other.less_cost))
                joint.append(share * np.array(other.joint_less_cost))
        return StakeLaw(wins=np.concatenate(wins), joint=np.maximum(np.concatenate(joint, axis=1), 0.0), most=self.most)

    def whatever_is_decided(self) -> list[StakeLaw]:
        """Return the laws of players who decide as theory does, and of those who always decide the same."""
        best, found = np.array(self.joint), [self.of_theory()]
        for made in range(len(self.decisions)):
            others = [other for other in self.others if other.made == made]
            if others:
                wins = [np.array(self.wins), *(np.array(other.wins) for other in others)]
                kept = best.sum(axis=1) - sum(np.array(other.instead_of) for other in others)
                joint = [np.maximum(kept, 0.0), *(np.array(other.joint) for other in others)]
                found.append(StakeLaw(wins=np.concatenate(wins), joint=np.concatenate(joint, axis=1), most=self.most))
        return found

    def to_bytes(self) -> bytes:
        """Return the law as it is kept."""
        return msgspec.msgpack.encode(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> UnitLaw:
        """Return a law that was kept. Raises ValueError if it is none."""
        return msgspec.msgpack.decode(data, type=cls)


def unit_law(
    table: Table,
    counts: Counts,
    configuration: Configuration | None,
    meters: Mapping[str, int],
    wins: Reals,
    chances: Reals,
) -> UnitLaw | None:
    """Return the law of a unit staked, whose amounts have known chances; None if deals are not settled at random.

    Args:
        table: the game as a house offers it, with what is staked on the wager.
        counts: what is counted of the game.
        configuration: what the house has chosen; None if nothing is known of it.
        meters: readings of the meters that the wager is paid from.
        wins: amounts that the house wins, float64[k].
        chances: their probabilities, float64[k].
    """
    amounts, at = np.unique(np.round(wins / _SAME) * _SAME, return_inverse=True)
    known: Reals = np.bincount(at.reshape(-1), chances, minlength=len(amounts)).astype(np.float64)
    try:
        deals = _sample(table, counts, configuration, meters)
    except (TooLarge, NotWorkedOut):
        return None
    won = -np.take_along_axis(deals.net, deals.best[None], axis=0)[0]
    place = np.clip(np.searchsorted(amounts, won - 0.5 * _smallest_gap(amounts)), 0, len(amounts) - 1)
    classes = _Classes.sort(deals, place, known) if _depends_on_shared_cards(table) else _Classes.alone(deals)
    joint = _joint(deals, place, classes, known)
    return UnitLaw(
        decisions=deals.decisions,
        wins=amounts.tolist(),
        joint=joint.tolist(),
        others=_others(deals, place, joint, amounts, classes),
    )


def _smallest_gap(amounts: Reals) -> float:
    return float(np.diff(amounts).min(initial=1.0))


def _depends_on_shared_cards(table: Table) -> bool:
    """Return whether a hand decides that is not made of the player's own cards alone."""
    looks = Looks()
    for alternative in table.alternatives():
        looked_at(table.not_known(alternative.stakes, alternative.decisions), table.group.lines, looks)
    return any(table.prepared.hands[name].places != ("player",) for name in looks.hands)


class _Classes(Struct, frozen=True, kw_only=True, eq=False):
    """Classes of the shared cards, from the worst for players to the best.

    Half of the hands sort the shared cards, and the other half is counted next to them; then the other way round.
    Otherwise the luck of the hands would be taken for that of the shared cards.
    """

    number: int
    of: list[tuple[Ints, Flags]]
    """Class of each deal of shared cards, int64[shared], with the hands that did not sort them, bool[hands]."""
    stretched: float = 1.0
    """Times by which classes must differ more, as they are coarser than the cards."""

    @classmethod
    def alone(cls, deals: SharedDeals) -> _Classes:
        """Return the one class of a wager that shared cards do not change."""
        shared, hands = deals.weight.shape
        return cls(number=1, of=[(np.zeros(shared, np.int64), np.ones(hands, np.bool_))])

    @classmethod
    def sort(cls, deals: SharedDeals, place: Ints, chances: Reals) -> _Classes:
        """Return the classes by how likely the house wins more than next to other cards."""
        middle = (np.cumsum(chances) - chances / 2)[place]
        hands = np.arange(place.shape[1]) % 2 == 0
        scores = [
            (deals.weight * middle)[:, half].sum(axis=1) / np.maximum(deals.weight[:, half].sum(axis=1), _SAME)
            for half in (hands, ~hands)
        ]
        found, between = [], 0.0
        for score, other, half in ((*scores, ~hands), (*reversed(scores), hands)):
            rank = np.empty(len(score))
            rank[np.argsort(score, kind="stable")] = (np.arange(len(score)) + 0.5) / len(score)
            of_class = np.searchsorted(np.array(_EDGES), rank, "right")
            count = np.bincount(of_class, minlength=_CLASSES)
            means = np.bincount(of_class, other, minlength=_CLASSES) / count
            between += float(count @ (means - other.mean()) ** 2) / len(score) / 2
            found.append((of_class, half))
        together = float(((scores[0] - scores[0].mean()) * (scores[1] - scores[1].mean())).mean())
        stretched = sqrt(max(together, 0.0) / between) if between else 1.0
        return cls(number=_CLASSES, of=found, stretched=min(max(stretched, 1.0), _STRETCHED))

    def count(self, place: Ints, kinds: int, weight: Reals) -> Reals:
        """Return how often each kind came next to each class, float64[classes, kinds]; `place` is int64[shared, hands]
        and has the kind of each deal."""
        found = np.zeros(self.number * kinds)
        for of_class, counted in self.of:
            at = of_class[:, None] * kinds + place[:, counted]
            found += np.bincount(at.ravel(), weight[:, counted].ravel(), minlength=len(found))
        return self._stretch(found.reshape(self.number, kinds))

    def _stretch(self, count: Reals) -> Reals:
        """Return counts whose classes differ more from their average."""
        total = count.sum(axis=1, keepdims=True)
        average = count.sum(axis=0) / max(float(total.sum()), _SAME)
        found: Reals = np.maximum(average * total + self.stretched * (count - average * total), 0.0)
        return found


def _joint(deals: SharedDeals, place: Ints, classes: _Classes, chances: Reals) -> Reals:
    """Return the probability of class, decision of theory and amount, float64[classes, decisions, amounts]."""
    decisions, amounts = len(deals.decisions), len(chances)
    count = classes.count(deals.best * amounts + place, decisions * amounts, deals.weight)
    count = count.reshape(classes.number, decisions, amounts)
    # An amount that did not come up is as likely next to any shared cards.
    average = count.sum(axis=2, keepdims=True) / count.sum()
    total = count.sum(axis=(0, 1))
    found: Reals = np.where(total > 0, count / np.where(total > 0, total, 1.0), average) * chances
    return found


def _others(deals: SharedDeals, place: Ints, joint: Reals, amounts: Reals, classes: _Classes) -> list[_Other]:
    """Return the laws of decisions that are made where theory takes another one."""
    found = []
    for best in np.unique(deals.best).tolist():
        for made in range(len(deals.decisions)):
            weight = deals.weight * ((deals.best == best) & (abs(deals.cost[made]) > _SAME))
            if made == best or not joint[:, best].sum() or not weight.any():
                continue
            instead = _of_hands(deals, place, best, weight, joint)
            won = -deals.net[made]
            wins, counted = _count(won, weight, classes, _SAME)
            expected = float(instead.sum(axis=0) @ amounts) / instead.sum()
            less = won - np.where(weight > 0, deals.cost[made], 0.0)
            # Chance has left these hands a little better or worse than they are.
            less += expected - float((less * weight).sum() / weight.sum())
            less_cost, counted_less = _count(less, weight, classes, _STEP)
            other = _Other(
                best=best,
                made=made,
                wins=wins.tolist(),
                joint=(counted * instead.sum() / counted.sum()).tolist(),
                less_cost=less_cost.tolist(),
                joint_less_cost=(counted_less * instead.sum() / counted_less.sum()).tolist(),
                instead_of=instead.tolist(),
            )
            found.append(other)
    return found


def _of_hands(deals: SharedDeals, place: Ints, best: int, weight: Reals, joint: Reals) -> Reals:
    """Return the part of the law of a decision of theory that is of some of its hands, float64[classes, amounts]."""
    mine = deals.best == best
    every = np.bincount(place[mine], deals.weight[mine], minlength=joint.shape[2])
    some = np.bincount(place[mine], weight[mine], minlength=joint.shape[2])
    average = some.sum() / every.sum()
    found: Reals = joint[:, best] * np.where(every > 0, some / np.where(every > 0, every, 1.0), average)
    return found


def _count(won: Reals, weight: Reals, classes: _Classes, step: float) -> tuple[Reals, Reals]:
    """Return the amounts won, float64[k], and how often each came, float64[classes, k].

    An amount between two multiples of the step is shared out between them, so that the mean stays.
    """
    place = won / step
    low = np.floor(place + _SAME)
    part = np.maximum(place - low, 0.0)
    wins, at = np.unique(np.stack([low, low + 1]), return_inverse=True)
    at = at.reshape(2, *won.shape)
    count = classes.count(at[0], len(wins), weight * (1 - part))
    count += classes.count(at[1], len(wins), weight * part)
    seen = count.sum(axis=0) > 0
    return wins[seen] * step, count[:, seen]


# Random deals


def _sample(
    table: Table, counts: Counts, configuration: Configuration | None, meters: Mapping[str, int]
) -> SharedDeals:
    """Return random hands next to random cards that are shared. Raises TooLarge and NotWorkedOut."""
    deck, ranks = table.prepared.game.deck, table.prepared.regulation.vocabulary.decks
    if deck.decks != 1 or len(ranks[deck.cards].ranks) * len(SUITS) != CARDS:
        raise TooLarge("only one deck of 52 cards is dealt")
    try:
        return sample_by_exchange(table, counts, _EXCHANGED, _EXCHANGED, 1)
    except TooLarge:
        return _settle_random_deals(table, worths_at(table, counts, configuration), meters)


def _settle_random_deals(table: Table, weighed: Weighed | None, meters: Mapping[str, int]) -> SharedDeals:
    rng, sizes = np.random.default_rng(1), table.prepared.game.deal.cards
    places = [place for place in sizes if place != "player"]
    own, at = _random_cards(rng, _SHARED * _HANDS, sizes["player"]), None
    if weighed is not None:
        # The class stands for the hand, with its suits renamed at random: its places say what is put aside.
        at = weighed.worths.find(own)
        own = _renamed(rng, weighed.worths.cards[at])
    shared = _random_cards(rng, _SHARED, sum(sizes[place] for place in places))
    shared = np.repeat(shared, _HANDS, axis=0)
    apart = (_bits(shared) & _bits(own)) == 0
    start, dealt = 0, dict[Place, Codes]({"player": own[apart]})
    for place in places:
        dealt[place] = shared[apart, start : start + sizes[place]]
        start += sizes[place]
    if weighed is None or at is None:
        return _undecided(table, dealt, meters, apart)
    return _decided(table, weighed, at[apart], dealt, meters, apart)


def _on_grid(values: Reals | Ints, apart: Flags) -> Reals:
    """Return values of deals that share no card, with the others between them, float64[..., shared, hands]."""
    found = np.zeros((*values.shape[:-1], len(apart)))
    found[..., apart] = values
    return found.reshape(*values.shape[:-1], _SHARED, _HANDS)


def _undecided(table: Table, dealt: Mapping[Place, Codes], meters: Mapping[str, int], apart: Flags) -> SharedDeals:
    """Settle deals of a wager that no decision changes, by the alternative that is worth most."""
    nets = [
        _net(table, alternative, dealt, dealt["player"][:, : alternative.discards], meters)
        for alternative in table.alternatives()
    ]
    best = max(nets, key=lambda net: float(net.sum()))
    nothing = np.zeros((_SHARED, _HANDS))
    return SharedDeals(
        decisions=(None,),
        weight=_on_grid(np.ones(len(best)), apart),
        net=_on_grid(best, apart)[None],
        cost=nothing[None],
        best=nothing.astype(np.int64),
    )


def _decided(
    table: Table,
    weighed: Weighed,
    at: Ints,
    dealt: Mapping[Place, Codes],
    meters: Mapping[str, int],
    apart: Flags,
) -> SharedDeals:
    """Settle deals by every decision, each with the best of its ways to put cards aside.

    A wager that is played along with another one has the best ways for itself as decisions of their own.
    """
    worths, number_of, theory = weighed.worths, weighed.decision_of_row, weighed.rows[at]
    alternatives = {(option.name, option.discards): option for option in table.alternatives()}
    plain = len(weighed.decisions)
    own = [number for number in range(plain) if table.beside is not None and (number_of == number).sum() > 1]
    net, cost = np.zeros((2, plain + len(own), len(at)))
    for made, number in enumerate([*range(plain), *own]):
        rows = np.flatnonzero(number_of == number)
        # What is not open to a hand comes last: the log may have it all the same, next to another wager.
        row = rows[(worths.worth[rows] - _CLOSED * ~worths.may[rows]).argmax(axis=0)][at]
        row = np.where(number_of[theory] == number, theory, row) if made < plain else row
        cost[made] = weighed.theory[at] - worths.worth[row, at]
        for worth_row in np.unique(row).tolist():
            done, chosen = worths.does[worth_row], np.flatnonzero(row == worth_row)
            discards = [cards for decision, cards in alternatives if decision == done.decision]
            gone = [*done.gone] if done.gone is not None else [*range(min(discards))]
            some = {place: cards[chosen] for place, cards in dealt.items()}
            alternative = alternatives[done.decision, len(gone)]
            net[made, chosen] = _net(table, alternative, some, some["player"][:, gone], meters)
    return SharedDeals(
        decisions=(*weighed.decisions, *(otherwise(weighed.decisions[number]) for number in own)),
        weight=_on_grid(np.ones(len(at)), apart),
        net=_on_grid(net, apart),
        cost=_on_grid(cost, apart),
        best=_on_grid(number_of[theory], apart).astype(np.int64),
    )


def _net(
    table: Table, alternative: Alternative, dealt: Mapping[Place, Codes], put: Codes, meters: Mapping[str, int]
) -> Reals:
    """Return the balance of the player for a unit staked, float64[n]."""
    rounds = MadeUp(
        dealt=dealt,
        stakes=alternative.stakes,
        decisions=alternative.decisions,
        discarded={"player": put},
        meters=meters,
    )
    result = settled(table, rounds)
    return result.net / (result.per * table.stake)


def _random_cards(rng: np.random.Generator, number: int, cards: int) -> Codes:
    """Return hands of different cards, uint8[number, cards]."""
    deck, every = np.tile(np.arange(CARDS, dtype=np.uint8), (number, 1)), np.arange(number)
    for place in range(cards):  # as a shuffle that stops once all cards are drawn
        other = rng.integers(place, CARDS, number)
        drawn = deck[every, other]
        deck[every, other] = deck[:, place]
        deck[:, place] = drawn
    return deck[:, :cards]


def _renamed(rng: np.random.Generator, cards: Codes) -> Codes:
    """Return hands with their suits renamed at random."""
    order = _ORDERS[rng.integers(0, len(_ORDERS), len(cards))]
    suits = len(SUITS)
    return (cards // suits * suits + np.take_along_axis(order, (cards % suits).astype(np.int64), axis=1)).astype(
        np.uint8
    )


def _bits(cards: Codes) -> Ints:
    """Return the cards of each hand as bits, int64[n]."""
    found = np.zeros(len(cards), np.int64)
    for column in cards.T:
        found |= np.where(column == NO_CARD, 0, np.int64(1) << column.astype(np.int64))
    return found
