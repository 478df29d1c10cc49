"""Days of honest play: whole rounds dealt from one deck, stakes of unequal size, players of their own mind.

Rounds are dealt, decided and exchanged here in NumPy, and settled by the interpreter. The laws that are tested have no
part in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import Codes, Flags, Ints, Reals
from fairdeal.validator.cards.card_codes import CARDS
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.facts.step_cards import evaluate_drawing
from fairdeal.validator.hold.stake_counts import MINOR_UNIT_PARTS, StakeSums, make_decision_key
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.odds.deal_settlement import settle_deals
from fairdeal.validator.odds.sample_rounds import SampleRounds, build_sample_batch
from tools.hold_calibration.wagers import READS, HouseWager

FEWEST, MOST = 30, 300
"""Stakes of a day."""
SIZES = np.array([500, 500, 1000, 1000, 1500, 2000, 2500, 2500, 3500, 5000, 5000, 7500, 10_000, 12_500, 20_000])
"""Sizes of stakes, in minor units, as often as they come."""
CARELESS, STUBBORN = 0.06, 0.15
"""Part of decisions that are taken at random, and part of days on which everybody always decides the same."""
_DRAWN = 2
"""Cards that a hand draws at most."""


class Days(Struct, frozen=True, kw_only=True, eq=False):
    """Rounds of some days at a wager."""

    day: Ints
    """Day of each seat."""
    round: Ints
    """Round of each seat."""
    size: Ints
    """Stake of each seat."""
    net: Reals
    """Balance of the player of each seat, for a unit staked."""
    best: Ints
    """Decision of theory at each seat."""
    made: Ints
    """Decision made at each seat; that of theory if it is worth as much."""
    cost: Reals
    """Cost of the decision at each seat, for a unit staked."""
    names: tuple[str | None, ...]
    """Decisions."""

    def sums(self, *, decisions: bool = True) -> list[StakeSums]:
        """Return the sums of each day; without `decisions` as if the log did not show them."""
        found = []
        edges = np.searchsorted(self.day, np.arange(self.day[-1] + 2))
        for start, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            found.append(self._sums(slice(start, end), decisions=decisions))
        return found

    def _sums(self, day: slice, *, decisions: bool) -> StakeSums:
        size, rounds = self.size[day], self.round[day] - self.round[day].min()
        seats = np.bincount(rounds)[rounds]
        sizes: dict[tuple[int, int], int] = {}
        for key in zip(seats.tolist(), size.tolist(), strict=True):
            sizes[key] = sizes.get(key, 0) + 1
        decided: dict[str, int] = {}
        for best, made in zip(self.best[day].tolist(), self.made[day].tolist(), strict=True):
            decision = make_decision_key(self.names[best], self.names[made])
            decided[decision] = decided.get(decision, 0) + 1
        return StakeSums(
            stakes=len(size),
            handle=int(size.sum()),
            at_risk=int(size.sum()),
            win=-round(float(self.net[day] @ size)),
            s2=int((size**2).sum()),
            round_s2=int((np.bincount(rounds, size).astype(np.int64) ** 2).sum()),
            read=int(size.sum()) * READS,
            of_read=int(size.sum()),
            given_away=round(float(self.cost[day] @ size) * MINOR_UNIT_PARTS) if decisions else 0,
            known=len(size) if decisions else 0,
            sizes=sizes,
            decided=decided if decisions else {},
        )


def honest_days(wager: HouseWager, days: int, seed: int, *, bias: float = 0.0) -> Days:
    """Return days of honest play, or of a dealer who pays some losing stakes like winners.

    Args:
        wager: the wager.
        days: how many days; each has from `FEWEST` to `MOST` stakes.
        seed: a number that the days depend on.
        bias: part of the losing stakes that win a unit.
    """
    rng = np.random.default_rng(seed)
    round_, day = _rounds(rng, days)
    deck = np.argsort(rng.random((int(round_[-1]) + 1, CARDS), np.float32), axis=1).astype(np.uint8)
    table, sizes = wager.table, wager.game.game.deal.cards
    seat = _seat_in_round(round_)
    used, shared = 0, dict[Place, Codes]()
    for place, cards in sizes.items():
        if place != "player":
            shared[place] = deck[round_, used : used + cards]
            used += cards
    own = _from(deck[round_], used + seat * sizes["player"], sizes["player"])
    used += (int(seat.max()) + 1) * sizes["player"]
    if wager.weighed is None:
        decided = _Decided.of_nothing(len(own))
        net = _settle_at_best(wager, {**shared, "player": own})
    else:
        stubborn = rng.random(days) < STUBBORN
        decided = _decide(wager, own, rng, rng.integers(0, 99, days)[day], stubborn[day])
        net = _settle_decided(wager, shared, own, decided, deck[round_], seat, used)
    size = np.full(len(own), table.stake) if wager.offered.only_size is not None else rng.choice(SIZES, len(own))
    cheated = (net < 0) & (rng.random(len(net)) < bias)
    return Days(
        day=day,
        round=round_,
        size=size,
        net=np.where(cheated, 1.0, net),
        best=decided.best,
        made=decided.made,
        cost=decided.cost,
        names=(None,) if wager.weighed is None else wager.weighed.made_names,
    )


def _rounds(rng: np.random.Generator, days: int) -> tuple[Ints, Ints]:
    """Return the round and the day of each seat."""
    rounds, of_day, number = [], [], 0
    for day in range(days):
        wanted, most = int(rng.integers(FEWEST, MOST + 1)), int(rng.integers(1, 7))
        while wanted > 0:
            seats = min(int(rng.integers(1, most + 1)), wanted)
            rounds += [number] * seats
            of_day += [day] * seats
            number, wanted = number + 1, wanted - seats
    return np.array(rounds, np.int64), np.array(of_day, np.int64)


def _seat_in_round(round_: Ints) -> Ints:
    first = np.searchsorted(round_, np.arange(round_[-1] + 1))
    found: Ints = np.arange(len(round_)) - first[round_]
    return found


def _from(deck: Codes, start: Ints, cards: int) -> Codes:
    return np.take_along_axis(deck, start[:, None] + np.arange(cards), axis=1)


class _Decided(Struct, frozen=True, kw_only=True, eq=False):
    best: Ints
    made: Ints
    cost: Reals
    row: Ints
    """Row of the worths that is played."""

    @classmethod
    def of_nothing(cls, seats: int) -> _Decided:
        nothing = np.zeros(seats, np.int64)
        return cls(best=nothing, made=nothing, cost=np.zeros(seats), row=nothing)


def _decide(wager: HouseWager, own: Codes, rng: np.random.Generator, always: Ints, stubborn: Flags) -> _Decided:
    """Return what players decide: mostly the best, now and then anything, on some days always the same."""
    weighed = wager.weighed
    assert weighed is not None
    worths, number_of, at = weighed.worths, weighed.decision_of_row, weighed.worths.find_classes(own)
    theory, every = weighed.theory_rows[at], np.arange(len(at))
    names = len(weighed.decisions)
    best_of = np.stack(
        [
            (rows := np.flatnonzero(number_of == number))[
                np.where(worths.is_open[rows][:, at], worths.worth[rows][:, at], -np.inf).argmax(axis=0)
            ]
            for number in range(names)
        ]
    )
    wanted = np.where(stubborn, always % names, rng.integers(0, names, len(at)))
    other = best_of[wanted, every]
    careless = (rng.random(len(at)) < CARELESS) | stubborn
    row = np.where(careless & worths.is_open[other, at], other, theory)
    cost = worths.worth[theory, at] - worths.worth[row, at]
    same = abs(cost) <= 1e-9
    return _Decided(
        best=number_of[theory],
        made=weighed.name_made(number_of[theory], number_of[row], cost),
        cost=np.where(same, 0.0, cost),
        row=row,
    )


def _settle_at_best(wager: HouseWager, dealt: Mapping[Place, Codes]) -> Reals:
    nets = []
    for alternative in wager.table.list_alternatives():
        made_up = SampleRounds(
            dealt=dealt,
            stakes=alternative.stakes,
            decisions=alternative.decisions,
            discarded={"player": dealt["player"][:, : alternative.discards]},
            meters=wager.meters,
        )
        result = settle_deals(wager.table, made_up)
        nets.append(result.net / (result.denominator * wager.table.stake))
    return max(nets, key=lambda net: float(net.sum()))


def _settle_decided(
    wager: HouseWager, shared: Mapping[Place, Codes], own: Codes, decided: _Decided, deck: Codes, seat: Ints, used: int
) -> Reals:
    """Settle seats by what was decided; the hand is put in the order of its class, so that its places are known."""
    weighed, table = wager.weighed, wager.table
    assert weighed is not None
    dealer = _after_drawing(wager, shared["dealer"], deck, used) if _draws(wager) else None
    alternatives = {(alternative.name, alternative.discards): alternative for alternative in table.list_alternatives()}
    net = np.zeros(len(own))
    for row in np.unique(decided.row).tolist():
        done, chosen = weighed.worths.decisions_taken[row], np.flatnonzero(decided.row == row)
        discards = min(cards for decision, cards in alternatives if decision == done.decision)
        mine = own[chosen]
        gone = np.tile(np.arange(discards), (len(mine), 1))
        if done.discards is not None:
            gone = _places_put(weighed.worths.cards[weighed.worths.find_classes(mine)], mine, done.discards)
        dealt = {place: cards[chosen] for place, cards in shared.items()}
        put = np.take_along_axis(mine, gone, axis=1)
        one = alternatives[done.decision, gone.shape[1]]
        made_up = SampleRounds(
            dealt={**dealt, "player": mine},
            stakes=one.stakes,
            decisions=one.decisions,
            discarded={"player": put},
            meters=wager.meters,
        )
        if dealer is not None:
            # What is due depends on the hands in the end alone.
            held = mine.copy()
            np.put_along_axis(
                held, gone, _from(deck[chosen], used + _DRAWN * (1 + seat[chosen]), gone.shape[1]), axis=1
            )
            made_up = SampleRounds(
                dealt={"player": held, "dealer": dealer[chosen]}, stakes=one.stakes, decisions=one.decisions
            )
        result = settle_deals(table, made_up)
        net[chosen] = result.net / (result.denominator * table.stake)
    return net


def _draws(wager: HouseWager) -> bool:
    drawing = any(drawing.place == "dealer" for drawing in wager.game.game.drawing.values())
    return drawing and wager.weighed is not None and any(done.discards for done in wager.weighed.worths.decisions_taken)


def _after_drawing(wager: HouseWager, first: Codes, deck: Codes, used: int) -> Codes:
    """Return the hands of the dealer in the end."""
    first = np.sort(first, axis=1)
    name = next(name for name, drawing in wager.game.game.drawing.items() if drawing.place == "dealer")
    batch = build_sample_batch(wager.game, SampleRounds(dealt={"dealer": first}, stakes={}))
    found = evaluate_drawing(EvaluationContext(batch, wager.game, wager.terms.configuration), name)
    ways = np.zeros(len(first), np.uint32)
    for may_decide, lets in zip(found.may_decide, found.permitted_keeps, strict=True):
        ways = np.where((ways == 0) & may_decide, lets, ways)
    kept = np.log2((ways & (~ways + np.uint32(1))).astype(np.float64)).astype(np.int64)
    aside = (kept[:, None] >> np.arange(first.shape[1]) & 1) == 0
    assert aside.sum(axis=1).max() <= _DRAWN
    turn = np.cumsum(aside, axis=1) - 1
    return np.where(aside, np.take_along_axis(deck[:, used:], np.maximum(turn, 0), axis=1), first)


def _places_put(cards: Codes, mine: Codes, gone: tuple[int, ...]) -> Ints:
    """Return the places in a hand of the cards at some places of its class, int64[n, k].

    A class is the hand with its suits renamed, so each renaming is tried until the hand is the class.
    """
    found = np.full((len(mine), len(gone)), -1, np.int64)
    if not gone:
        return found
    ordered = np.sort(mine, axis=1)
    for order in permutations(range(4)):
        renamed = (cards // 4 * 4 + np.array(order, np.uint8)[cards % 4]).astype(np.uint8)
        same = (np.sort(renamed, axis=1) == ordered).all(axis=1) & (found[:, 0] < 0)
        put = renamed[same][:, list(gone)]
        found[same] = (mine[same][:, None, :] == put[:, :, None]).argmax(axis=2)
    assert (found >= 0).all()
    return found
