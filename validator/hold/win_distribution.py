"""Distribution of the win per unit staked, given the cards that seats share and the decisions that were made.

The probabilities of the amounts are exact: they come from the odds. Random deals, settled by the interpreter, give two
further quantities: the influence of shared cards (of the dealer or the community), and the win with other decisions.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from math import sqrt

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import Codes, Flags, Ints, Reals
from fairdeal.validator.cards.card_codes import CARDS, NO_CARD
from fairdeal.validator.cards.ranking_models import SUITS
from fairdeal.validator.engine.core.house_terms import LicenseeConfiguration
from fairdeal.validator.hold.decision_costs import GroupDecisions, name_other_discards, weigh_table_decisions
from fairdeal.validator.hold.stake_counts import make_decision_key
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.odds.choosing.exact_odds import add_outcomes
from fairdeal.validator.odds.choosing.simulated_odds import sample_exchanges
from fairdeal.validator.odds.deal_settlement import RandomDeals, settle_deals
from fairdeal.validator.odds.hand_counts import HandCounts
from fairdeal.validator.odds.player_options import (
    Alternative,
    NoOdds,
    OddsTable,
    TooManyDeals,
    depends_on_rounds,
)
from fairdeal.validator.odds.sample_rounds import DecidingHands, SampleRounds, find_deciding_hands

_SHARED, _HANDS = 3000, 50
"""Number of random deals of shared cards, and of random hands of players for each of them."""
_EXCHANGED = 1000
"""Number of random hands of either side, if both exchange cards and all pairs of hands are compared."""
_EDGES = (0.0025, 0.01, 0.04, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.96, 0.99, 0.9975)
"""Quantiles of the shared cards, from the worst for players to the best, that separate the classes."""
_CLASSES = len(_EDGES) + 1
_STRETCHED = 1.25
"""Largest factor by which differences between classes are increased."""
_SAME = 1e-9
"""Amounts per unit staked that differ by less are equal."""
_STEP = 0.5
"""Step of the amounts less the cost of a decision, per unit staked."""
_CLOSED = 1e9
"""Penalty of a closed decision, larger than the worth of any hand."""
_ORDERS = np.array([*permutations(range(len(SUITS)))], np.uint8)


class WinDistribution(Struct, frozen=True, kw_only=True, eq=False):
    """Distribution of the win per unit staked, by class of the cards that seats of a round share."""

    wins: Reals
    """Possible wins of the house, float64[k]."""
    joint: Reals
    """Joint probability of a class of shared cards and a win, float64[classes, k]."""
    largest_win: float
    """Largest possible win of the house, whatever players decide."""

    @property
    def chances(self) -> Reals:
        """Return the probability of each win."""
        chances: Reals = self.joint.sum(axis=0)
        return chances

    @property
    def without_classes(self) -> WinDistribution:
        """Return the distribution with all classes of shared cards merged."""
        return WinDistribution(wins=self.wins, joint=self.chances[None], largest_win=self.largest_win)

    @property
    def mean(self) -> float:
        """Return the expected win."""
        return float(self.chances @ self.wins)

    @property
    def variance(self) -> float:
        """Return the variance of the win."""
        return float(self.chances @ (self.wins - self.mean) ** 2)

    @property
    def covariance(self) -> float:
        """Return the covariance of two stakes of one round."""
        classes = self.joint.sum(axis=1)
        means = (self.joint @ (self.wins - self.mean))[classes > 0] / classes[classes > 0]
        return float(classes[classes > 0] @ means**2)


class _OtherDecision(Struct, frozen=True, kw_only=True):
    """Distribution of the win for a decision that is made where theory takes another."""

    best: int
    """Decision of theory."""
    made: int
    """Decision that is made."""
    wins: list[float]
    joint: list[list[float]]
    """Joint probability of a class of shared cards and a win, for hands for which the decision is worse."""
    less_cost: list[float]
    """Possible wins, less the cost of the decision by the player's cards."""
    joint_less_cost: list[list[float]]
    """Joint probability of a class of shared cards and one of these wins."""
    instead_of: list[list[float]]
    """Joint probability of a class and a win of the decision of theory, for these hands."""


class UnitDistribution(Struct, frozen=True, kw_only=True):
    """Distribution of the win per unit staked: for the decisions of theory, and for other decisions."""

    decisions: tuple[str | None, ...]
    wins: list[float]
    joint: list[list[list[float]]]
    """Joint probability of a class of shared cards, a decision of theory and a win."""
    others: list[_OtherDecision]

    @property
    def largest_win(self) -> float:
        """Return the largest possible win of the house, whatever players decide."""
        return max(self.wins + [win for other in self.others for win in (*other.wins, *other.less_cost)])

    def for_theory(self) -> WinDistribution:
        """Return the distribution for players who decide as theory does."""
        return WinDistribution(
            wins=np.array(self.wins), joint=np.array(self.joint).sum(axis=1), largest_win=self.largest_win
        )

    def for_decisions_made(self, decided: Mapping[str, int]) -> WinDistribution:
        """Return the distribution of the win less the cost of decisions, for decisions made as often as stated."""
        names, best = self.decisions, np.array(self.joint)
        counted = {
            (made, other): decided.get(make_decision_key(names[made], names[other]), 0)
            for made in range(len(names))
            for other in range(len(names))
        }
        of_theory = [
            sum(count for key, count in decided.items() if key.startswith(make_decision_key(name, None)))
            for name in names
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
        return WinDistribution(
            wins=np.concatenate(wins),
            joint=np.maximum(np.concatenate(joint, axis=1), 0.0),
            largest_win=self.largest_win,
        )

    def for_each_strategy(self) -> list[WinDistribution]:
        """Return the distributions for players who decide as theory does, and for those who always decide the same."""
        best, distributions = np.array(self.joint), [self.for_theory()]
        for made in range(len(self.decisions)):
            others = [other for other in self.others if other.made == made]
            if others:
                wins = [np.array(self.wins), *(np.array(other.wins) for other in others)]
                kept = best.sum(axis=1) - sum(np.array(other.instead_of) for other in others)
                joint = [np.maximum(kept, 0.0), *(np.array(other.joint) for other in others)]
                distributions.append(
                    WinDistribution(
                        wins=np.concatenate(wins), joint=np.concatenate(joint, axis=1), largest_win=self.largest_win
                    )
                )
        return distributions

    def to_bytes(self) -> bytes:
        """Return the distribution as bytes for the disk cache."""
        return msgspec.msgpack.encode(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> UnitDistribution:
        """Return a distribution from its bytes. Raises ValueError if they are not one."""
        return msgspec.msgpack.decode(data, type=cls)


def measure_unit_distribution(
    table: OddsTable,
    counts: HandCounts,
    configuration: LicenseeConfiguration | None,
    meters: Mapping[str, int],
    wins: Reals,
    chances: Reals,
    *,
    is_decided: bool = True,
) -> UnitDistribution | None:
    """Return the distribution of the win per unit staked; None if random deals cannot be settled.

    Args:
        table: the game as a house offers it, with the stakes on the wager.
        counts: hand counts of the game.
        configuration: choices of the house; None if they are not known.
        meters: readings of the meters that the wager is paid from.
        wins: possible wins of the house, float64[k].
        chances: their probabilities, float64[k].
        is_decided: whether they depend on decisions of players.
    """
    amounts, at = np.unique(np.round(wins / _SAME) * _SAME, return_inverse=True)
    known: Reals = np.bincount(at.reshape(-1), chances, minlength=len(amounts)).astype(np.float64)
    # If players decide nothing, and no card of a player matters, all stakes of a round have one outcome. Each win is
    # then a class of what the seats share. The same is assumed of stakes that a later round decides.
    one_class_a_win = UnitDistribution(
        decisions=(None,), wins=amounts.tolist(), joint=np.diag(known)[:, None, :].tolist(), others=[]
    )
    if depends_on_rounds(table.prepared, table.group.wager):
        return one_class_a_win
    looks = _find_deciding_hands(table)
    if looks.outcomes:
        return None if looks.hands else _settle_all_results(table, looks, meters, amounts)
    places = [table.prepared.hands[name].places for name in looks.hands]
    if len(table.list_alternatives()) == 1 and places and not any("player" in each for each in places):
        return one_class_a_win
    if not is_decided and places and all(each == ("player",) for each in places):
        return UnitDistribution(decisions=(None,), wins=amounts.tolist(), joint=[[known.tolist()]], others=[])
    try:
        deals = _sample_deals(table, counts, configuration, meters)
    except (TooManyDeals, NoOdds):
        return None
    won = -np.take_along_axis(deals.net, deals.best[None], axis=0)[0]
    place = np.clip(np.searchsorted(amounts, won - 0.5 * _smallest_gap(amounts)), 0, len(amounts) - 1)
    shares_cards = any(each != ("player",) for each in places)
    classes = _Classes.sort(deals, place, known) if shares_cards else _Classes.alone(deals)
    joint = _measure_joint(deals, place, classes, known)
    return UnitDistribution(
        decisions=deals.decisions,
        wins=amounts.tolist(),
        joint=joint.tolist(),
        others=_measure_other_decisions(deals, place, joint, amounts, classes),
    )


def _smallest_gap(amounts: Reals) -> float:
    return float(np.diff(amounts).min(initial=1.0))


def _find_deciding_hands(table: OddsTable) -> DecidingHands:
    """Return the hands, and the results that are no cards, that decide what a wager is due."""
    looks = DecidingHands()
    for alternative in table.list_alternatives():
        find_deciding_hands(
            table.open_unknown_round(alternative.stakes, alternative.decisions), table.group.lines, looks
        )
    return looks


def _settle_all_results(
    table: OddsTable, looks: DecidingHands, meters: Mapping[str, int], amounts: Reals
) -> UnitDistribution | None:
    """Return the distribution of a wager that only results decide that are no cards; None if decisions matter.

    All seats of a round share the result. Stakes of one round count as if all were on one selection.
    """
    if len(table.list_alternatives()) > 1:
        return None
    rounds, weight = add_outcomes(
        table.prepared, SampleRounds(dealt={}, stakes={}), np.ones(1, np.int64), looks.outcomes
    )
    settled = settle_deals(table, replace(rounds, stakes=table.opening_stakes, meters=meters))
    won = -settled.net / (settled.denominator * table.stake)
    place = np.clip(np.searchsorted(amounts, won - 0.5 * _smallest_gap(amounts)), 0, len(amounts) - 1)
    joint = np.zeros((len(weight), 1, len(amounts)))
    joint[np.arange(len(weight)), 0, place] = weight / weight.sum()
    return UnitDistribution(decisions=(None,), wins=amounts.tolist(), joint=joint.tolist(), others=[])


class _Classes(Struct, frozen=True, kw_only=True, eq=False):
    """Classes of the shared cards, from the worst for players to the best.

    Half of the hands sort the shared cards, and the other half is counted; then the roles change. Otherwise the luck of
    the hands would appear as an influence of the shared cards.
    """

    number: int
    """Number of classes."""
    of: list[tuple[Ints, Flags]]
    """Class of each deal of shared cards, int64[shared], with the hands that did not sort them, bool[hands]."""
    stretched: float = 1.0
    """Factor that increases the differences between classes, as the classes are coarser than the cards."""

    @classmethod
    def alone(cls, deals: RandomDeals) -> _Classes:
        """Return a single class, for a wager that shared cards do not affect."""
        shared, hands = deals.weight.shape
        return cls(number=1, of=[(np.zeros(shared, np.int64), np.ones(hands, np.bool_))])

    @classmethod
    def sort(cls, deals: RandomDeals, place: Ints, chances: Reals) -> _Classes:
        """Return the classes by the probability that the house wins more than with other shared cards."""
        middle = (np.cumsum(chances) - chances / 2)[place]
        hands = np.arange(place.shape[1]) % 2 == 0
        scores = [
            (deals.weight * middle)[:, half].sum(axis=1) / np.maximum(deals.weight[:, half].sum(axis=1), _SAME)
            for half in (hands, ~hands)
        ]
        classes, between = [], 0.0
        for score, other, half in ((*scores, ~hands), (*reversed(scores), hands)):
            rank = np.empty(len(score))
            rank[np.argsort(score, kind="stable")] = (np.arange(len(score)) + 0.5) / len(score)
            of_class = np.searchsorted(np.array(_EDGES), rank, "right")
            count = np.bincount(of_class, minlength=_CLASSES)
            means = np.bincount(of_class, other, minlength=_CLASSES) / count
            between += float(count @ (means - other.mean()) ** 2) / len(score) / 2
            classes.append((of_class, half))
        covariance = float(((scores[0] - scores[0].mean()) * (scores[1] - scores[1].mean())).mean())
        stretched = sqrt(max(covariance, 0.0) / between) if between else 1.0
        return cls(number=_CLASSES, of=classes, stretched=min(max(stretched, 1.0), _STRETCHED))

    def count(self, place: Ints, kinds: int, weight: Reals) -> Reals:
        """Return the number of times that each kind occurred with each class, float64[classes, kinds].

        Args:
            place: kind of each deal, int64[shared, hands].
            kinds: number of kinds.
            weight: weight of each deal, float64[shared, hands].
        """
        counts = np.zeros(self.number * kinds)
        for of_class, counted in self.of:
            at = of_class[:, None] * kinds + place[:, counted]
            counts += np.bincount(at.ravel(), weight[:, counted].ravel(), minlength=len(counts))
        return self._stretch(counts.reshape(self.number, kinds))

    def _stretch(self, count: Reals) -> Reals:
        """Return the counts, with the classes further from their average."""
        total = count.sum(axis=1, keepdims=True)
        average = count.sum(axis=0) / max(float(total.sum()), _SAME)
        stretched: Reals = np.maximum(average * total + self.stretched * (count - average * total), 0.0)
        return stretched


def _measure_joint(deals: RandomDeals, place: Ints, classes: _Classes, chances: Reals) -> Reals:
    """Return the joint probability of class, decision of theory and win, float64[classes, decisions, wins]."""
    decisions, amounts = len(deals.decisions), len(chances)
    count = classes.count(deals.best * amounts + place, decisions * amounts, deals.weight)
    count = count.reshape(classes.number, decisions, amounts)
    # A win that did not occur has the same probability for every class.
    average = count.sum(axis=2, keepdims=True) / count.sum()
    total = count.sum(axis=(0, 1))
    joint: Reals = np.where(total > 0, count / np.where(total > 0, total, 1.0), average) * chances
    return joint


def _measure_other_decisions(
    deals: RandomDeals, place: Ints, joint: Reals, amounts: Reals, classes: _Classes
) -> list[_OtherDecision]:
    """Return the distributions of decisions that are made where theory takes another."""
    others = []
    for best in np.unique(deals.best).tolist():
        for made in range(len(deals.decisions)):
            weight = deals.weight * ((deals.best == best) & (abs(deals.cost[made]) > _SAME))
            if made == best or not joint[:, best].sum() or not weight.any():
                continue
            instead = _take_part_of_hands(deals, place, best, weight, joint)
            won = -deals.net[made]
            wins, counted = _count_wins(won, weight, classes, _SAME)
            expected = float(instead.sum(axis=0) @ amounts) / instead.sum()
            less = won - np.where(weight > 0, deals.cost[made], 0.0)
            # Remove the error by which chance made these hands better or worse.
            less += expected - float((less * weight).sum() / weight.sum())
            less_cost, counted_less = _count_wins(less, weight, classes, _STEP)
            other = _OtherDecision(
                best=best,
                made=made,
                wins=wins.tolist(),
                joint=(counted * instead.sum() / counted.sum()).tolist(),
                less_cost=less_cost.tolist(),
                joint_less_cost=(counted_less * instead.sum() / counted_less.sum()).tolist(),
                instead_of=instead.tolist(),
            )
            others.append(other)
    return others


def _take_part_of_hands(deals: RandomDeals, place: Ints, best: int, weight: Reals, joint: Reals) -> Reals:
    """Return the part of the distribution of a decision of theory that belongs to some of its hands, float64[classes,
    wins]."""
    mine = deals.best == best
    every = np.bincount(place[mine], deals.weight[mine], minlength=joint.shape[2])
    of_hands = np.bincount(place[mine], weight[mine], minlength=joint.shape[2])
    average = of_hands.sum() / every.sum()
    part: Reals = joint[:, best] * np.where(every > 0, of_hands / np.where(every > 0, every, 1.0), average)
    return part


def _count_wins(won: Reals, weight: Reals, classes: _Classes, step: float) -> tuple[Reals, Reals]:
    """Return the wins, float64[k], and the number of each, float64[classes, k].

    A win between two multiples of the step is shared between them, so that the mean stays the same.
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


def _sample_deals(
    table: OddsTable, counts: HandCounts, configuration: LicenseeConfiguration | None, meters: Mapping[str, int]
) -> RandomDeals:
    """Return random hands with random shared cards. Raises `TooManyDeals` and `NoOdds`."""
    if table.prepared.game.decks != 1 or table.prepared.regulation.cards_in_play != CARDS:
        raise TooManyDeals("only one deck of 52 cards is dealt")
    try:
        return sample_exchanges(table, counts, _EXCHANGED, _EXCHANGED, 1)
    except TooManyDeals:
        return _settle_random_deals(table, weigh_table_decisions(table, counts, configuration), meters)


def _settle_random_deals(table: OddsTable, weighed: GroupDecisions | None, meters: Mapping[str, int]) -> RandomDeals:
    rng, sizes = np.random.default_rng(1), table.prepared.game.deal.cards
    places = [place for place in sizes if place != "player"]
    own, at = _deal_random_hands(rng, _SHARED * _HANDS, sizes["player"]), None
    if weighed is not None:
        # Replace the hand by its class, suits renamed at random: the class determines the discards.
        at = weighed.worths.find_classes(own)
        own = _rename_suits(rng, weighed.worths.cards[at])
    shared = _deal_random_hands(rng, _SHARED, sum(sizes[place] for place in places))
    shared = np.repeat(shared, _HANDS, axis=0)
    share_no_card = (_make_card_masks(shared) & _make_card_masks(own)) == 0
    start, dealt = 0, dict[Place, Codes]({"player": own[share_no_card]})
    for place in places:
        dealt[place] = shared[share_no_card, start : start + sizes[place]]
        start += sizes[place]
    if weighed is None or at is None:
        return _settle_without_decisions(table, dealt, meters, share_no_card)
    return _settle_decisions(table, weighed, at[share_no_card], dealt, meters, share_no_card)


def _spread_on_grid(values: Reals | Ints, share_no_card: Flags) -> Reals:
    """Return values of deals that share no card on the grid of all deals, float64[..., shared, hands]; 0 for other
    deals."""
    grid = np.zeros((*values.shape[:-1], len(share_no_card)))
    grid[..., share_no_card] = values
    return grid.reshape(*values.shape[:-1], _SHARED, _HANDS)


def _settle_without_decisions(
    table: OddsTable, dealt: Mapping[Place, Codes], meters: Mapping[str, int], share_no_card: Flags
) -> RandomDeals:
    """Settle deals of a wager that no decision changes, by the alternative that is worth most."""
    nets = [
        _settle_net(table, alternative, dealt, dealt["player"][:, : alternative.discards], meters)
        for alternative in table.list_alternatives()
    ]
    best = max(nets, key=lambda net: float(net.sum()))
    nothing = np.zeros((_SHARED, _HANDS))
    return RandomDeals(
        decisions=(None,),
        weight=_spread_on_grid(np.ones(len(best)), share_no_card),
        net=_spread_on_grid(best, share_no_card)[None],
        cost=nothing[None],
        best=nothing.astype(np.int64),
    )


def _settle_decisions(
    table: OddsTable,
    weighed: GroupDecisions,
    at: Ints,
    dealt: Mapping[Place, Codes],
    meters: Mapping[str, int],
    share_no_card: Flags,
) -> RandomDeals:
    """Settle deals by every decision, each with its best discards.

    A wager that needs another one also has, as separate decisions, the discards that are best for itself.
    """
    worths, number_of, theory = weighed.worths, weighed.decision_of_row, weighed.theory_rows[at]
    alternatives = {(option.name, option.discards): option for option in table.list_alternatives()}
    plain = len(weighed.decisions)
    with_own_discards = [
        number for number in range(plain) if table.needed_group is not None and (number_of == number).sum() > 1
    ]
    net, cost = np.zeros((2, plain + len(with_own_discards), len(at)))
    for made, number in enumerate([*range(plain), *with_own_discards]):
        rows = np.flatnonzero(number_of == number)
        # A closed decision comes last. The log may still contain it, because of another wager.
        row = rows[(worths.worth[rows] - _CLOSED * ~worths.is_open[rows]).argmax(axis=0)][at]
        row = np.where(number_of[theory] == number, theory, row) if made < plain else row
        cost[made] = weighed.theory_worth[at] - worths.worth[row, at]
        for worth_row in np.unique(row).tolist():
            done, chosen = worths.decisions_taken[worth_row], np.flatnonzero(row == worth_row)
            discard_counts = [cards for decision, cards in alternatives if decision == done.decision]
            discards = [*done.discards] if done.discards is not None else [*range(min(discard_counts))]
            chosen_deals = {place: cards[chosen] for place, cards in dealt.items()}
            alternative = alternatives[done.decision, len(discards)]
            net[made, chosen] = _settle_net(
                table, alternative, chosen_deals, chosen_deals["player"][:, discards], meters
            )
    return RandomDeals(
        decisions=(
            *weighed.decisions,
            *(name_other_discards(weighed.decisions[number]) for number in with_own_discards),
        ),
        weight=_spread_on_grid(np.ones(len(at)), share_no_card),
        net=_spread_on_grid(net, share_no_card),
        cost=_spread_on_grid(cost, share_no_card),
        best=_spread_on_grid(number_of[theory], share_no_card).astype(np.int64),
    )


def _settle_net(
    table: OddsTable, alternative: Alternative, dealt: Mapping[Place, Codes], discards: Codes, meters: Mapping[str, int]
) -> Reals:
    """Return the win of the player per unit staked, float64[n]."""
    rounds = SampleRounds(
        dealt=dealt,
        stakes=alternative.stakes,
        decisions=alternative.decisions,
        discarded={"player": discards},
        meters=meters,
    )
    result = settle_deals(table, rounds)
    return result.net / (result.denominator * table.stake)


def _deal_random_hands(rng: np.random.Generator, number: int, cards: int) -> Codes:
    """Return hands of distinct cards, uint8[number, cards]."""
    deck, every = np.tile(np.arange(CARDS, dtype=np.uint8), (number, 1)), np.arange(number)
    for place in range(cards):  # a shuffle that stops once all cards are drawn
        other = rng.integers(place, CARDS, number)
        drawn = deck[every, other]
        deck[every, other] = deck[:, place]
        deck[:, place] = drawn
    return deck[:, :cards]


def _rename_suits(rng: np.random.Generator, cards: Codes) -> Codes:
    """Return hands with their suits renamed at random."""
    order = _ORDERS[rng.integers(0, len(_ORDERS), len(cards))]
    suits = len(SUITS)
    return (cards // suits * suits + np.take_along_axis(order, (cards % suits).astype(np.int64), axis=1)).astype(
        np.uint8
    )


def _make_card_masks(cards: Codes) -> Ints:
    """Return the cards of each hand as bits, int64[n]."""
    masks = np.zeros(len(cards), np.int64)
    for column in cards.T:
        masks |= np.where(column == NO_CARD, 0, np.int64(1) << column.astype(np.int64))
    return masks
