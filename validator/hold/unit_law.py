"""Law of what the house wins of a unit staked, with what seats of one round share and with decisions that were made.

The chances of what is won are those of the odds, exactly. How they depend on cards that seats share (the dealer's, or
those of the community), and what other decisions win, is measured on random deals that the interpreter settles.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

import msgspec
import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Flags, Ints, Reals
from validator.cards.cards import CARDS, NO_CARD
from validator.cards.names import SUITS
from validator.engine.core.house_rules import Configuration
from validator.hold.decisions import Weighed, worths_at
from validator.hold.stakes import decision_key
from validator.language.terms import Place
from validator.odds.choosing.simulated import sample_by_exchange
from validator.odds.counting.counts import Counts
from validator.odds.rounds.columns import MadeUp
from validator.odds.rounds.play import Alternative, Table
from validator.odds.rounds.refusals import NotWorkedOut, TooLarge
from validator.odds.rounds.settled import settled
from validator.odds.rounds.solution import SharedDeals

_SHARED, _PLAYERS = 600, 160
"""Random deals of the cards that seats share, and random hands of players next to each of them."""
_EDGES = (0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 1.0)
"""Parts of the shared cards, from the worst for players to the best, that are distinguished."""
_SAME = 1e-9
"""Amounts for a unit staked that differ by less are equal."""
_STEP = 0.25
"""Step of the amounts less what a decision costs, for a unit staked."""
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
            (one, other): decided.get(decision_key(names[one], names[other]), 0)
            for one in range(len(names))
            for other in range(len(names))
        }
        wins, joint = [np.array(self.wins)], [best.sum(axis=1)]
        for other in self.others:
            instead_of = np.array(other.instead_of)
            hands = instead_of.sum() / best[:, other.best].sum()
            of_best = hands * sum(counted[other.best, made] for made in range(len(names)))
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
    known = np.bincount(at.reshape(-1), chances, minlength=len(amounts))
    try:
        deals = _sample(table, counts, configuration, meters)
    except (TooLarge, NotWorkedOut):
        return None
    won = -np.take_along_axis(deals.net, deals.best[None, None, :], axis=0)[0]
    place = np.clip(np.searchsorted(amounts, won - 0.5 * _smallest_gap(amounts)), 0, len(amounts) - 1)
    classes = _classes(deals, place, known)
    joint = _joint(deals, place, classes, known)
    return UnitLaw(
        decisions=deals.decisions,
        wins=amounts.tolist(),
        joint=joint.tolist(),
        others=_others(deals, place, joint, amounts, classes),
    )


def _smallest_gap(amounts: Reals) -> float:
    return float(np.diff(amounts).min(initial=1.0))


def _classes(deals: SharedDeals, place: Ints, chances: Reals) -> list[tuple[Ints, Flags]]:
    """Return the class of each deal of shared cards, int64[shared], with the hands that did not make the classes.

    Half of the hands sort the shared cards, and the other half is counted next to them; then the other way round.
    Otherwise the luck of the hands would be taken for that of the shared cards.
    """
    hands, shared = np.arange(place.shape[1]), place.shape[0]
    weighed = deals.weight > 0
    least = np.where(weighed, place, place.max(initial=0)).min(axis=0)
    most = np.where(weighed, place, 0).max(axis=0)
    if (least >= most).all():
        return [(np.zeros(shared, np.int64), np.ones(len(hands), np.bool_))]
    middle = np.cumsum(chances) - chances / 2
    found = []
    for sorting in (hands % 2 == 0, hands % 2 == 1):
        weight = deals.weight[:, sorting]
        score = (weight * middle[place[:, sorting]]).sum(axis=1) / np.maximum(weight.sum(axis=1), _SAME)
        rank = np.empty(shared)
        rank[np.argsort(score, kind="stable")] = (np.arange(shared) + 0.5) / shared
        found.append((np.searchsorted(np.array(_EDGES[1:-1]), rank, "right"), ~sorting))
    return found


def _joint(deals: SharedDeals, place: Ints, classes: list[tuple[Ints, Flags]], chances: Reals) -> Reals:
    """Return the probability of class, decision of theory and amount, float64[classes, decisions, amounts]."""
    count = np.zeros((len(_EDGES) - 1, len(deals.decisions), len(chances)))
    for of_class, counted in classes:
        best = np.broadcast_to(deals.best[counted], place[:, counted].shape)
        np.add.at(count, (of_class[:, None], best, place[:, counted]), deals.weight[:, counted])
    # An amount that did not come up is as likely next to any shared cards.
    average = count.sum(axis=2, keepdims=True) / count.sum()
    total = count.sum(axis=(0, 1))
    found: Reals = np.where(total > 0, count / np.where(total > 0, total, 1.0), average) * chances
    return found[found.sum(axis=(1, 2)) > 0]


def _of_hands(deals: SharedDeals, place: Ints, best: int, hands: Flags, joint: Reals) -> Reals:
    """Return the part of the law of a decision of theory that is of some of its hands, float64[classes, amounts]."""
    mine = deals.best == best
    every = np.bincount(place[:, mine].ravel(), deals.weight[:, mine].ravel(), minlength=joint.shape[2])
    some = np.bincount(place[:, hands].ravel(), deals.weight[:, hands].ravel(), minlength=joint.shape[2])
    average = some.sum() / every.sum()
    found: Reals = joint[:, best] * np.where(every > 0, some / np.where(every > 0, every, 1.0), average)
    return found


def _others(
    deals: SharedDeals, place: Ints, joint: Reals, amounts: Reals, classes: list[tuple[Ints, Flags]]
) -> list[_Other]:
    """Return the laws of decisions that are made where theory takes another one."""
    found = []
    for best in np.unique(deals.best).tolist():
        for made in range(len(deals.decisions)):
            hands = (deals.best == best) & (abs(deals.cost[made]) > _SAME)  # no comparison holds for what is not open
            if made == best or not joint[:, best].sum() or not hands.any():
                continue
            instead = _of_hands(deals, place, best, hands, joint)
            won = -deals.net[made]
            wins, counted = _count(deals, won, hands, classes, _SAME)
            expected = float(instead.sum(axis=0) @ amounts) / instead.sum()
            less = won - np.where(hands, deals.cost[made], 0.0)
            weight = deals.weight * hands
            # Chance has left these hands a little better or worse than they are.
            less += expected - float((less * weight).sum() / weight.sum())
            less_cost, counted_less = _count(deals, less, hands, classes, _STEP)
            other = _Other(
                best=best,
                made=made,
                wins=wins.tolist(),
                joint=(counted[: len(joint)] * instead.sum() / counted.sum()).tolist(),
                less_cost=less_cost.tolist(),
                joint_less_cost=(counted_less[: len(joint)] * instead.sum() / counted_less.sum()).tolist(),
                instead_of=instead.tolist(),
            )
            found.append(other)
    return found


def _count(
    deals: SharedDeals, won: Reals, hands: Flags, classes: list[tuple[Ints, Flags]], step: float
) -> tuple[Reals, Reals]:
    """Return the amounts won at some hands, float64[k], and how often each came, float64[classes, k].

    An amount between two multiples of the step is shared out between them, so that the mean stays.
    """
    place = won / step
    low = np.floor(place + _SAME)
    part = np.maximum(place - low, 0.0)
    wins, at = np.unique(np.stack([low, low + 1]), return_inverse=True)
    at = at.reshape(2, *won.shape)
    count = np.zeros((len(_EDGES) - 1, len(wins)))
    for of_class, counted in classes:
        some = hands & counted
        for row, share in enumerate((1 - part, part)):
            np.add.at(count, (of_class[:, None], at[row][:, some]), (deals.weight * share)[:, some])
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
        return sample_by_exchange(table, counts, _SHARED, _PLAYERS, 1)
    except TooLarge:
        return _settle_random_deals(table, worths_at(table, counts, configuration), meters)


def _settle_random_deals(table: Table, weighed: Weighed | None, meters: Mapping[str, int]) -> SharedDeals:
    rng, sizes = np.random.default_rng(1), table.prepared.game.deal.cards
    places = [place for place in sizes if place != "player"]
    own = _random_cards(rng, _PLAYERS, sizes["player"])
    at = None
    if weighed is not None:
        # The class stands for the hand, with its suits renamed at random: its places say what is put aside.
        at = weighed.worths.find(own)
        own = _renamed(rng, weighed.worths.cards[at])
    shared = _random_cards(rng, _SHARED, sum(sizes[place] for place in places))
    apart = (_bits(shared)[:, None] & _bits(own)[None, :]) == 0
    first, second = np.nonzero(apart)
    start, dealt = 0, dict[Place, Codes]({"player": own[second]})
    for place in places:
        dealt[place] = shared[first, start : start + sizes[place]]
        start += sizes[place]
    if weighed is None or at is None:
        return _undecided(table, dealt, meters, apart)
    return _decided(table, weighed, at, dealt, meters, apart)


def _undecided(table: Table, dealt: Mapping[Place, Codes], meters: Mapping[str, int], apart: Flags) -> SharedDeals:
    """Settle deals of a wager that no decision changes, by the alternative that is worth most."""
    nets = []
    for one in table.alternatives():
        put = dealt["player"][:, : one.discards]
        nets.append(_net(table, one, dealt, put, meters))
    best = max(nets, key=lambda net: float(net.sum()))
    net = np.zeros((1, *apart.shape))
    net[0][apart] = best
    return SharedDeals(
        decisions=(None,),
        weight=apart.astype(np.float64),
        net=net,
        cost=np.zeros((1, apart.shape[1])),
        best=np.zeros(apart.shape[1], np.int64),
    )


def _decided(
    table: Table,
    weighed: Weighed,
    at: Ints,
    dealt: Mapping[Place, Codes],
    meters: Mapping[str, int],
    apart: Flags,
) -> SharedDeals:
    """Settle deals by every decision, each with the best of its ways to put cards aside."""
    worths, number_of = weighed.worths, weighed.decision_of_row
    hand_of = np.nonzero(apart)[1]
    alternatives = {(one.name, one.discards): one for one in table.alternatives()}
    net = np.zeros((len(weighed.decisions), *apart.shape))
    cost = np.full((len(weighed.decisions), len(at)), np.nan)
    for number in range(len(weighed.decisions)):
        rows = np.flatnonzero(number_of == number)
        worth = np.where(worths.may[rows][:, at], worths.worth[rows][:, at], -np.inf)
        row = rows[worth.argmax(axis=0)]
        theory = weighed.rows[at]
        row = np.where(number_of[theory] == number, theory, row)
        worth = worths.worth[row, at]
        cost[number] = np.where(worths.may[row, at], weighed.theory[at] - worth, np.nan)
        settled_net = np.zeros(len(hand_of))
        for one in np.unique(row).tolist():
            done, chosen = worths.does[one], np.flatnonzero(row[hand_of] == one)
            discards = [cards for decision, cards in alternatives if decision == done.decision]
            gone = [*done.gone] if done.gone is not None else [*range(min(discards))]
            some = {place: cards[chosen] for place, cards in dealt.items()}
            settled_net[chosen] = _net(
                table, alternatives[done.decision, len(gone)], some, some["player"][:, gone], meters
            )
        net[number][apart] = settled_net
    return SharedDeals(
        decisions=weighed.decisions,
        weight=apart.astype(np.float64),
        net=net,
        cost=cost,
        best=number_of[weighed.rows[at]],
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
    return np.argsort(rng.random((number, CARDS)), axis=1)[:, :cards].astype(np.uint8)


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
