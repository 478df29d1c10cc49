"""Packets of dealt cards, which end when somebody acts or a card is burnt, and the last act before an event."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Flags, Ints, find_true, is_one_of
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.evidence.handlog.log_events import KIND_CODES
from fairdeal.validator.rules.game_model import Game

EXCHANGE_KINDS = frozenset({"discard", "stand-pat"})
"""Kinds of decision that belong to an exchange of cards."""
_NOT_BETTING = EXCHANGE_KINDS | {"concede", None}


def is_decision_of_kind(scope: EvaluationContext, kinds: Collection[str]) -> Flags:
    """Return whether the decision of each event is of some kinds.

    Returns:
        bool[events].
    """
    known = scope.compiled_game.game.decisions
    names = frozenset(name for name, decision in known.items() if decision.kind in kinds)
    return _is_one_of(scope, names)


@cached_fact
def _is_one_of(scope: EvaluationContext, decisions: frozenset[str]) -> Flags:
    return scope.batch.events.decision.is_one_of(decisions)


@cached_fact
def betting_decisions(scope: EvaluationContext) -> Ints:
    """Return the events of decisions in the betting of all rounds. Announcements of later acts do not count.

    Returns:
        int64[m].
    """
    events = scope.batch.events
    acts = (events.kind == KIND_CODES["decide"]) & (events.seat != ABSENT)
    return find_true(is_decision_of_kind(scope, _kinds_of_betting(scope.compiled_game.game)) & acts)


def play_decisions(scope: EvaluationContext) -> Ints:
    """Return the events of decisions in the betting, or of all decisions if the game has no betting.

    Returns:
        int64[m].
    """
    if scope.compiled_game.game.betting is not None:
        return betting_decisions(scope)
    events = scope.batch.events
    return find_true((events.kind == KIND_CODES["decide"]) & (events.seat != ABSENT))


def last_betting_decision(scope: EvaluationContext, chosen: Ints) -> Ints:
    """Return the last decision in the betting that the seat of each event made before it; ABSENT if none.

    Returns:
        int64[m].
    """
    return last_act_of_seat(scope, chosen, betting_decisions(scope))


def last_act_of_seat(scope: EvaluationContext, chosen: Ints, acts: Ints) -> Ints:
    """Return the last act that the seat of each event made before it; ABSENT if there is none.

    Args:
        chosen: the events, int64[m].
        acts: the acts, int64[k] in log order.

    Returns:
        int64[m].
    """
    events = scope.batch.events
    length = len(events.round) + 1
    made = np.sort(events.seat[acts].astype(np.int64) * length + acts)
    seat = events.seat[chosen].astype(np.int64)
    before = np.searchsorted(made, seat * length + chosen) - 1
    result = np.append(made, ABSENT)[before]
    return np.where((seat != ABSENT) & (before >= 0) & (result // length == seat), result % length, ABSENT)


def has_later_act(scope: EvaluationContext, chosen: Ints, acts: Ints) -> Flags:
    """Return whether the seat of each event makes one of some acts after it.

    Args:
        chosen: the events, int64[m].
        acts: the acts, int64[k] in log order.

    Returns:
        bool[m].
    """
    last, seat = np.full(scope.count_items("seat") + 1, ABSENT, np.int64), scope.batch.events.seat
    last[seat.take(acts)] = acts
    return last.take(seat.take(chosen)) > chosen


def _kinds_of_betting(game: Game) -> set[str]:
    return {
        decision.kind
        for decision in game.decisions.values()
        if decision.kind is not None and decision.kind not in _NOT_BETTING
    }


class DealPackets(Struct, frozen=True, kw_only=True):
    """Packets of the events that deal cards, in log order."""

    is_surplus: Flags
    """True if the seat already has as many cards of the packet as any other seat gets, bool[m].

    If nobody can act any more and no card is burnt, several stages form one packet, in which all seats get more cards.
    """
    served_again: Ints
    """Seat of the packet that was also in the packet before, int64[m]; only at the first event of a packet, else
    ABSENT.
    """


class StageRemainders(Struct, frozen=True, kw_only=True):
    """Packets that may complete the current stage although a card was burnt before them.

    Nobody has acted since the cards before the burn. For cards at no seat, somebody acts later. An entry is a receiver
    of a packet.
    """

    remainder_index: Ints
    """Index of the packet in this list at its first event, int64[m]; ABSENT elsewhere."""
    first_entry: Ints
    """First entry of each packet, int64[r]."""
    entry_count: Ints
    """Number of entries of each packet, int64[r]."""
    receiver: Ints
    """Receiver of each entry, int64[g]."""
    place: Ints
    """Place of each entry, int64[g]."""
    card_count: Ints
    """Number of cards of each entry, int64[g]."""

    def fits_stage(self, here: Ints, now: Ints, had: Callable[[Ints, Ints], Ints], full: Ints) -> Flags:
        """Return whether such a packet begins at each event and gives nobody more cards than the stage has.

        Args:
            here: int64[n], indices of the events.
            now: int64[n], the current stage of each.
            had: returns how many cards of a stage a receiver has.
            full: int64[stages, places], number of cards of each place in each stage.

        Returns:
            bool[n].
        """
        result = np.zeros(len(here), bool)
        some = find_true(self.remainder_index[here] != ABSENT)
        if not len(some):
            return result
        lot = self.remainder_index[here[some]]
        active = self.entry_count[lot]
        starts = np.cumsum(active) - active
        entry = np.arange(active.sum()) + np.repeat(self.first_entry[lot] - starts, active)
        stage = np.repeat(now[some], active)
        within = had(self.receiver[entry], stage) + self.card_count[entry] <= full[stage, self.place[entry]]
        result[some] = np.logical_and.reduceat(within, starts)
        return result


class BoardPackets(Struct, frozen=True, kw_only=True):
    """Packets of the events that deal cards to no seat, in log order."""

    follows_action: Flags
    """True if somebody has acted since the previous card at the place, bool[m]."""
    later_packets: Ints
    """Number of later packets at the place, int64[m]; ABSENT at events that deal to seats."""


def build_empty_packets(many: int) -> DealPackets:
    """Build the packets of events for which packets do not matter."""
    return DealPackets(is_surplus=np.zeros(many, bool), served_again=np.full(many, ABSENT, np.int64))


def find_deal_packets(scope: EvaluationContext, cards: Ints, parted: Flags, size: Ints, acts: Ints) -> DealPackets:
    """Find the packets of events that deal cards, in log order.

    Args:
        cards: int64[m], the events.
        parted: bool[m], whether a card was burnt directly before each event.
        size: int64[m], number of cards of each event.
        acts: int64[n], the events that end a packet.
    """
    events = scope.batch.events
    seated = find_true(events.seat[cards] != ABSENT)
    if not len(seated):
        return build_empty_packets(len(cards))
    seat, size = events.seat[cards[seated]].astype(np.int64), size[seated]
    numbers = _number_packets(scope, cards, parted, acts)[seated]
    first, lot = np.unique(numbers, return_index=True, return_inverse=True)[1:]
    key = lot * scope.count_items("seat") + seat
    order = np.argsort(key, kind="stable")
    begins = find_true(np.diff(key[order], prepend=-1))
    often = np.diff(begins, append=len(order))
    running = np.cumsum(size[order]) - size[order]
    before = running - np.repeat(running[begins], often)
    served, of, total = seat[order[begins]], lot[order[begins]], np.add.reduceat(size[order], begins)
    is_surplus, served_again = np.zeros(len(cards), bool), np.full(len(cards), ABSENT, np.int64)
    is_surplus[seated[order]] = before >= np.repeat(_find_second_largest(of, total), often)
    earlier = find_true(is_one_of(key[order[begins]] - scope.count_items("seat"), key[order[begins]]))
    served_again[seated[first[of[earlier]]]] = served[earlier]
    return DealPackets(is_surplus=is_surplus, served_again=served_again)


def find_board_packets(
    scope: EvaluationContext, cards: Ints, parted: Flags, receiver: Ints, acts: Ints
) -> BoardPackets:
    """Find the packets of cards dealt to no seat.

    Args:
        cards: int64[m], the events in log order.
        parted: as for `find_deal_packets`.
        receiver: int64[m], the receiver of each event.
        acts: as for `find_deal_packets`.
    """
    events = scope.batch.events
    follows_action, later_packets = np.zeros(len(cards), bool), np.full(len(cards), ABSENT, np.int64)
    ours = find_true(events.seat[cards] == ABSENT)
    if not len(ours):
        return BoardPackets(follows_action=follows_action, later_packets=later_packets)
    ours = ours[np.argsort(receiver[ours], kind="stable")]
    same = np.diff(receiver[ours], prepend=-1) == 0
    follows_action[ours] = same & (np.diff(np.searchsorted(acts, cards[ours]), prepend=0) != 0)
    begins = ~same | follows_action[ours] | (np.diff(parted.cumsum()[ours], prepend=0) != 0)
    order = begins.cumsum()  # packets ascending, place by place
    last = np.append(find_true(~same)[1:], len(ours)) - 1
    later_packets[ours] = np.repeat(order[last], np.diff(last, prepend=-1)) - order
    return BoardPackets(follows_action=follows_action, later_packets=later_packets)


def find_stage_remainders(
    scope: EvaluationContext, cards: Ints, parted: Flags, receiver: Ints, size: Ints, acts: Ints
) -> StageRemainders:
    """Find the packets that may be the remainder of a stage.

    Args:
        cards: int64[m], the events in log order.
        parted: as for `find_deal_packets`.
        receiver: int64[m], the receiver of each event.
        size: as for `find_deal_packets`.
        acts: as for `find_deal_packets`.
    """
    events = scope.batch.events
    owner = events.round[cards]
    after = find_true(parted[1:] & (owner[1:] == owner[:-1])) + 1
    made = np.searchsorted(acts, cards[after])
    later = np.searchsorted(acts, events.offsets[owner[after] + 1]) > made
    quiet = made == np.searchsorted(acts, cards[after - 1])
    first = after[quiet & ((events.seat[cards[after]] != ABSENT) | later)]
    at = np.full(len(cards), ABSENT, np.int64)
    if not len(first):
        none = np.zeros(0, np.int64)
        return StageRemainders(
            remainder_index=at, first_entry=none, entry_count=none, receiver=none, place=none, card_count=none
        )
    at[first] = np.arange(len(first))
    lot = _number_packets(scope, cards, parted, acts)
    ours = find_true(is_one_of(lot, lot[first]))
    # Ascending by packet, as are the first events of the packets.
    entry, begins, of = np.unique(np.stack([lot[ours], receiver[ours]]), axis=1, return_index=True, return_inverse=True)
    of = of.reshape(-1)
    starts = np.searchsorted(entry[0], lot[first])
    return StageRemainders(
        remainder_index=at,
        first_entry=starts,
        entry_count=np.searchsorted(entry[0], lot[first], side="right") - starts,
        receiver=entry[1],
        place=events.place[cards[ours[begins]]].astype(np.int64),
        card_count=np.bincount(of, size[ours], entry.shape[1]).astype(np.int64),
    )


def _find_second_largest(of: Ints, total: Ints) -> Ints:
    """Return the second largest total of each packet; of a packet with one entry, its own total.

    Args:
        of: int64[g], the packet of each entry, ascending.
        total: int64[g], number of cards of each entry.
    """
    ranked = np.lexsort((total, of))
    last = np.searchsorted(of, of, side="right") - 1
    alone = (last == 0) | (of[last - 1] != of)
    return total[ranked][np.where(alone, last, last - 1)]


def _number_packets(scope: EvaluationContext, cards: Ints, parted: Flags, acts: Ints) -> Ints:
    """Return the packet of each event, ascending in log order; each act begins another packet."""
    made, owner = np.searchsorted(acts, cards), scope.batch.events.round[cards]
    new = np.diff(made, prepend=0).astype(bool) | np.diff(owner, prepend=0).astype(bool)
    return (new | parted).cumsum()
