"""Deals that stopped short: whether all that was dealt by then came in its turn, and which place was misdealt."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints, Ints16, Ints32, Tri, alike, is_among
from validator.engine.core import kleene
from validator.engine.core.context import Scope, fact
from validator.engine.deal_checks.dealing_order import (
    dealing_events,
    first_known,
    order_recorded,
    packets_due,
    packets_of,
)
from validator.engine.timeline import truncated_records
from validator.engine.timeline.step_events import kinds_recorded, last_by_round
from validator.engine.timeline.streets import BURN
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND
from validator.language.grains import grain_of_place
from validator.rules.model.deal import Way

FIRST = 0
"""The stage in which every place is served; who is out of the round gets no later cards."""


@fact
def stopped_in_turn(scope: Scope) -> Tri:
    """uint8[rounds]: whether the first stage of the deal stopped before every place had its cards, all of them until
    then having come as one of the permitted ways has it.

    No where somebody decided, or a hand was shown, afterwards: then the deal was thought to be over. So it may have
    been where only the last packet is missing, of a place that has others, and where each place has cards and was
    declared misdealt by itself. A record that stops in the deal tells that the deal did if a misdeal was declared.
    """
    events, rounds = scope.batch.events, scope.length("round")
    last = last_by_round(scope, np.flatnonzero(events.kind == KIND["deal"]))
    later = np.flatnonzero(np.arange(len(events.kind)) > last[events.round])
    went_on, over = np.zeros(rounds, bool), scope.batch.complete.copy()
    went_on[events.round[later[np.isin(events.kind[later], (KIND["decide"], KIND["reveal"]))]]] = True
    over[events.round[later[events.kind[later] == KIND["misdeal"]]]] = True
    playing, staked = scope.batch.seats.playing, _staked(scope)
    ways = scope.prepared.game.deal.stages[FIRST].permitted.values()
    result = np.logical_or.reduce([_begins(scope, way, seats) for way in ways for seats in (playing, playing & staked)])
    result &= ~went_on & ~_misdealt_one_by_one(scope)
    value = kleene.where_known(result, order_recorded(scope) & kinds_recorded(scope, ["deal"]) & (over | ~result))
    value[_outcome_shows_none(scope, playing & staked)] = kleene.NO
    return value


def _misdealt_one_by_one(scope: Scope) -> Flags:
    """Return whether every place that is dealt cards has some, and was declared misdealt by itself, bool[rounds].

    What is declared for the whole table is declared for the places that are no player's.
    """
    events, rounds = scope.batch.events, scope.length("round")
    keys = (events.round.astype(np.int64) * len(PLACES) + events.place) * (scope.length("seat") + 1) + events.seat + 1
    declared = keys[(events.kind == KIND["misdeal"]) & (events.place != ABSENT)]
    if not len(declared):
        return np.zeros(rounds, bool)
    dealt = np.flatnonzero((events.kind == KIND["deal"]) & (events.place != BURN))
    first, _ = alike(keys[dealt])
    owner, misdealt = events.round[dealt[first]], is_among(keys[dealt[first]], declared)
    table = np.zeros(rounds, bool)
    table[events.round[(events.kind == KIND["misdeal"]) & (events.place == PLACES.index("table"))]] = True
    misdealt |= table[owner] & (events.seat[dealt[first]] == ABSENT)
    of_the_table = [place for place in scope.prepared.game.deal.serves if place not in ("player", "burn")]
    due = np.bincount(scope.batch.seats.round, _staked(scope), rounds) + len(of_the_table)
    declared_of = np.bincount(owner, misdealt, rounds)
    all_declared = (declared_of == due) | (~scope.batch.complete & (declared_of > 0))  # the others may follow
    return (due > 0) & all_declared & (np.bincount(owner, minlength=rounds) == due)


def _outcome_shows_none(scope: Scope, seated: Flags) -> Flags:
    """bool[rounds]: whether by the outcome alone, no deal stopped: somebody decided, or some place has too many cards,
    none too few, or only one, which has others."""
    rounds = scope.length("round")
    known, excess, short, bare = (
        np.ones(rounds, bool),
        np.zeros(rounds, bool),
        np.zeros(rounds, np.int64),
        np.zeros(rounds, bool),
    )
    ways = [way.dealt() for way in scope.prepared.game.deal.stages[FIRST].permitted.values()]
    for place, held in scope.prepared.game.deal.cards.items():
        # A packet may be dealt of which not all is kept.
        least, most = (bound((held, *(way[place] for way in ways if place in way))) for bound in (min, max))
        count, grain = scope.hands_at(place).count, grain_of_place(place)
        counted = seated | (count > 0) if grain == "seat" else np.ones(len(count), bool)
        owner, count = scope.round_of(grain)[counted], count[counted]
        known[owner[count < 0]] = False
        excess[owner[count > most]] = True
        bare[owner[count == 0]] = True
        short += np.bincount(owner, count < least, rounds).astype(np.int64)
    decided = np.zeros(rounds, bool)
    seats = scope.batch.seats
    decided[seats.round[seats.decision.among(scope.prepared.game.decisions)]] = True
    return decided | (known & (excess | (short == 0) | ((short == 1) & ~bare)))


@fact
def dealt_in_turn(scope: Scope) -> Tri:
    """Return whether what was dealt in the first stage is a permitted way, or the beginning of one, uint8[rounds].

    Every playing seat is served; where players do not bet against each other, those that have a stake may be.
    """
    ways = scope.prepared.game.deal.stages[FIRST].permitted.values()
    served = [scope.batch.seats.playing]
    if scope.prepared.game.betting is None:
        served.append(served[0] & _staked(scope))
    result = np.logical_or.reduce([_course(scope, way, seats)[0] for way in ways for seats in served])
    recorded = order_recorded(scope) & kinds_recorded(scope, ["deal"]) & first_known(scope, FIRST)
    return kleene.where_known(result, recorded)


def merely_miscounted(scope: Scope, asked: Flags) -> Flags:
    """Return the rounds in whose first stage one or two places have a wrong number of cards, as far as it went.

    Without these places, the packets of the others are a permitted way of dealing or the beginning of one. Miscounts
    are then the only irregularities, and no packet was dealt out of turn.

    Args:
        asked: bool[rounds], the rounds to look at, one by one; few, since their dealing is irregular.

    Returns: bool[rounds].
    """
    result, playing, staked = np.zeros(len(asked), bool), scope.batch.seats.playing, _staked(scope)
    stops = truncated_records.dealing(scope)[0]
    for way in scope.prepared.game.deal.stages[FIRST].permitted.values():
        for seated in (playing, playing & staked):
            if (left := asked & ~result).any():
                dealt, due = _packets(scope, way, seated)
                for round_ in np.flatnonzero(left).tolist():
                    result[round_] = _is_miscount(dealt.of(round_), due.of(round_), stops=bool(stops[round_]))
    return result


class _Packets(Struct, frozen=True, kw_only=True):
    """Packets of every round, joined."""

    start: Ints
    """Index of the first packet of each round, and the number of all packets, int64[rounds + 1]."""
    place: Ints32
    """Place of each packet: index of a seat, or number of seats and number of the place."""
    size: Ints16
    """Number of cards of each packet."""

    def of(self, round_: int) -> list[tuple[int, int]]:
        """Return place and size of the packets of a round, in order."""
        part = slice(self.start[round_], self.start[round_ + 1])
        return list(zip(self.place[part].tolist(), self.size[part].tolist(), strict=True))


def _is_miscount(dealt: list[tuple[int, int]], due: list[tuple[int, int]], *, stops: bool) -> bool:
    """Return whether packets are in turn but for one or two places with a wrong number of cards by then.

    In the middle of a deal, a packet of a size that the place is never due is a miscount as well. Where the record
    `stops` in the deal, a place that had a card too many may still receive the one that it is due.
    """
    places = sorted({place for place, _ in due})
    lots = [lot for many in (1, 2) for lot in combinations(places, many)]
    return any(_are_miscounted(lot, dealt, due) for lot in lots) or (stops and _is_one_too_many(dealt, due))


def _is_one_too_many(dealt: list[tuple[int, int]], due: list[tuple[int, int]]) -> bool:
    """Return whether packets begin a way of dealing but for one that is too large, or that came twice."""
    wrong = next((at for at, pair in enumerate(zip(dealt, due, strict=False)) if pair[0] != pair[1]), len(due))
    if wrong >= len(dealt):
        return False
    (place, size), rest = dealt[wrong], dealt[wrong + 1 :]
    is_too_large = wrong < len(due) and place == due[wrong][0] and size > due[wrong][1]
    at = wrong + 1 if is_too_large else wrong
    came_twice = wrong > 0 and place == dealt[wrong - 1][0]
    return (is_too_large or came_twice) and rest == due[at : at + len(rest)]


def _are_miscounted(lot: tuple[int, ...], dealt: list[tuple[int, int]], due: list[tuple[int, int]]) -> bool:
    """Return whether the packets of all other places are in turn, and each place of a lot is miscounted by then."""
    others = [packet for packet in dealt if packet[0] not in lot]
    others_due = [at for at, packet in enumerate(due) if packet[0] not in lot]
    if len(others) > len(others_due) or others != [due[at] for at in others_due[: len(others)]]:
        return False
    last = others_due[len(others) - 1] if others else 0
    goes_on = len(others) < len(others_due)
    following = others_due[len(others)] if goes_on else len(due)
    for place in lot:
        least, most = (sum(size for at, size in due[:end] if at == place) for end in (last, following))
        received = [size for at, size in dealt if at == place]
        sizes = {size for at, size in due if at == place}
        if least <= sum(received) <= most and not (goes_on and not sizes.issuperset(received)):
            return False
    return True


def _staked(scope: Scope) -> Flags:
    """Return whether each seat has a stake, bool[seats]."""
    result = np.zeros(scope.length("seat"), bool)
    result[scope.batch.stakes.seat] = True
    return result


def _begins(scope: Scope, way: Way, seated: Flags) -> Flags:
    """bool[rounds]: whether what was dealt is a beginning of a way, and not all of it, where some seats, bool[seats],
    are served."""
    in_turn, missing, in_part = _course(scope, way, seated)
    return in_turn & (missing > 0) & ~((missing == 1) & in_part)


def _course(scope: Scope, way: Way, seated: Flags) -> tuple[Flags, Ints, Flags]:
    """Per round: whether what was dealt is a way, or the beginning of one, where some seats, bool[seats], are served;
    int64, how many packets are missing; whether the place that is due the last packet was dealt any."""
    dealt, due = _packets(scope, way, seated)
    number, rounds = np.diff(dealt.start), scope.length("round")
    owner = np.repeat(np.arange(rounds), number)
    position = np.arange(len(owner)) - dealt.start[:-1][owner]
    at = np.minimum(due.start[:-1][owner] + position, len(due.place) - 1)
    in_turn = np.ones(rounds, bool)
    in_turn[owner[(dealt.place != due.place[at]) | (dealt.size != due.size[at])]] = False
    missing, in_part = np.diff(due.start) - number, np.zeros(rounds, bool)
    in_part[owner[dealt.place == due.place[due.start[1:] - 1][owner]]] = True  # the place that is due the last packet
    return in_turn & (missing >= 0), missing, in_part


def _packets(scope: Scope, way: Way, seated: Flags) -> tuple[_Packets, _Packets]:
    """Return the packets dealt first, burnt cards left out, and those due by a way where some seats are served."""
    events, seats, rounds = scope.batch.events, scope.length("seat"), scope.length("round")
    served = np.zeros((rounds, len(PLACES)), bool)
    served[:, [PLACES.index(place) for place in way.dealt() if place not in ("player", "burn")]] = True
    start, due, size_due = packets_due(scope, FIRST, way, np.concatenate([seated, served.ravel()]))
    chosen = dealing_events(scope, FIRST)
    chosen, sizes = packets_of(scope, way, chosen[events.place[chosen] != BURN])
    place = np.where(events.seat[chosen] >= 0, events.seat[chosen], seats + events.place[chosen].astype(np.int32))
    first = np.searchsorted(events.round[chosen], np.arange(rounds + 1))
    received = _Packets(start=first, place=place.astype(np.int32), size=sizes.astype(np.int16))
    return received, _Packets(start=start, place=due, size=size_due)
