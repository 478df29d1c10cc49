"""Places of cards in a round, what each was dealt, drew and discarded, and cards handled where they are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fairdeal.validator.arrays import Bits64, Cards, Flags, Ints, Ints32, find_distinct, find_true, has_any
from fairdeal.validator.cards.card_codes import KNOWN_CARDS, UNKNOWN, format_cards
from fairdeal.validator.evidence.columns.log_draft import card_indices
from fairdeal.validator.evidence.columns.recorded_events import DEAL_ORDER, is_mask_recorded, is_recorded, make_mask
from fairdeal.validator.evidence.columns.round_batch import Batch, Hands
from fairdeal.validator.evidence.event_kinds import COLLECTED_LOTS, PLACES
from fairdeal.validator.evidence.log_events import KIND_CODES, KINDS

Reasons = Iterator[tuple[int, str]]
"""Bad rounds: index of the round and the reason."""

FACE_UNKNOWN = np.uint64(1 << 63)
"""Bit for a card of unknown face in a set of cards."""
_BIT_OF_CARD = np.array(
    [1 << code if code < KNOWN_CARDS else int(FACE_UNKNOWN) if code == UNKNOWN else 0 for code in range(256)], np.uint64
)


class PlaceCards(NamedTuple):
    """Cards of one sort at all places: dealt, drawn or discarded."""

    owner: Ints
    """Place of each card, ascending, int64[n]."""
    cards: Cards
    """Codes of the cards, uint8[n]."""
    known: Flags
    """True if these are certainly all cards of the place, bool[places]."""

    def sizes(self) -> Ints:
        """Return the number of cards of each place.

        Returns: int64[places].
        """
        return np.bincount(self.owner, minlength=len(self.known))

    def take_places(self, chosen: Flags) -> Cards:
        """Return the cards of the places marked in `chosen`, bool[places]."""
        return self.cards[chosen[self.owner]]

    def list_cards(self, place: int) -> list[int]:
        """Return the cards of one place."""
        first, end = np.searchsorted(self.owner, [place, place + 1])
        return self.cards[first:end].tolist()

    def text(self, place: int) -> str:
        """Return the cards of a place as text; empty if there are none."""
        return format_cards(self.list_cards(place))


class Wording(NamedTuple):
    """Wording of sentences about one sort of cards: at a seat, of the dealer, of the community, and the verb for its
    events."""

    seat: str
    dealer: str
    community: str
    verb: str


DEALT = Wording("the cards of seat {} are", "the dealer's cards are", "the community cards are", "deal")
DRAWN = Wording("the cards drawn at seat {} are", "the cards the dealer drew are", "the cards drawn are", "draw")
DISCARDED = Wording(
    "the discards of seat {} are", "the dealer's discards are", "the discards of the community are", "discard"
)


class CardPlaces:
    """Places of a summary: all seats, then the dealer of each round, then the community cards of each round."""

    __slots__ = ("_numbers", "of", "round")

    def __init__(self, batch: Batch) -> None:
        seats, rounds = len(batch.seats.round), len(batch)
        self.round = np.concatenate([batch.seats.round, np.arange(rounds), np.arange(rounds)])
        """Round of each place, int64[places]."""
        self._numbers = batch.seats.number
        place = batch.events.place
        self.of = batch.events.seat.astype(np.int64)
        """Place of each event; -1 if it has none of these, int64[events]."""
        for name, first in (("dealer", seats), ("community", seats + rounds)):
            at = find_true(place == PLACES.index(name))
            self.of[at] = first + batch.events.round.take(at)

    def is_recorded(self, batch: Batch, kind: str) -> Flags:
        """Return whether the log records a kind of event at each place.

        Returns: bool[places].
        """
        at = [is_recorded(batch, kind, place=place) for place in ("player", "dealer", "community")]
        return np.concatenate([at[0][batch.seats.round], *at[1:]])

    def collect_listed_cards(self, seats: Hands, dealers: Hands, communities: Hands) -> PlaceCards:
        """Return the cards of one sort that a summary lists."""
        listed = (seats, dealers, communities)
        count = np.concatenate([hands.count for hands in listed])
        counts = np.maximum(count, 0).astype(np.int64)
        rows = np.concatenate([hands.cards for hands in listed]).reshape(-1)
        owner = np.arange(len(counts))
        return PlaceCards(np.repeat(owner, counts), rows[card_indices(owner, counts)], count >= 0)

    def describe_owner(self, place: int) -> str:
        """Describe the cards of a place by their owner."""
        return self.describe(place, DEALT).rpartition(" ")[0]

    def describe(self, place: int, wording: Wording) -> str:
        """Describe the cards of a place, as the beginning of a sentence."""
        seats = len(self._numbers)
        if place < seats:
            return wording.seat.format(self._numbers[place])
        return wording.dealer if place < (seats + len(self.round)) // 2 else wording.community


def collect_event_cards(batch: Batch, summary: CardPlaces, kind: str) -> PlaceCards:
    """Return the cards in events of one kind, in order."""
    events = batch.events
    at = find_true(events.kind == KIND_CODES[kind])
    place = summary.of.take(at)
    at, place = at[place >= 0], place[place >= 0]
    in_order = np.argsort(place, kind="stable")
    at, place = at[in_order], place[in_order]
    rows = events.cards_row[at].astype(np.int64)
    known = summary.is_recorded(batch, kind)
    known[place[rows < 0]] = False
    place, rows = place[rows >= 0], rows[rows >= 0]
    counts = events.hands.count[rows].astype(np.int64)
    named = events.hands.cards.reshape(-1)[card_indices(rows, counts)]
    return PlaceCards(np.repeat(place, counts), named, known)


def prefer_listed_cards(listed: PlaceCards, by_event: PlaceCards) -> PlaceCards:
    """Return the cards of the summary; for a place without any, those in the events."""
    only_events = ~listed.known[by_event.owner]
    if not has_any(only_events):
        return listed._replace(known=listed.known | by_event.known)
    owner = np.concatenate([listed.owner, by_event.owner[only_events]])
    order = np.argsort(owner, kind="stable")
    cards = np.concatenate([listed.cards, by_event.cards[only_events]])
    return PlaceCards(owner[order], cards[order], listed.known | by_event.known)


def count_missing(wanted: PlaceCards, having: PlaceCards) -> Ints:
    """Count the cards of known face that a place has in `wanted` and lacks in `having`, int64[places]."""
    wanted_set, having_set = make_card_sets(wanted), make_card_sets(having)
    # No card is missing if the faces are distinct and all present; only the other places need counting.
    strange = (wanted_set & ~having_set & ~FACE_UNKNOWN != 0) | (np.bitwise_count(wanted_set) != wanted.sizes())
    concerned = find_true(strange)
    index = np.full(len(wanted.known), -1, np.int64)
    index[concerned] = np.arange(len(concerned))
    width = KNOWN_CARDS + 1

    def count_faces(lot: PlaceCards) -> Ints:
        there = index[lot.owner] >= 0
        keys = index[lot.owner[there]] * width + np.minimum(lot.cards[there], KNOWN_CARDS)
        return np.bincount(keys, minlength=len(concerned) * width).reshape(-1, width)[:, :KNOWN_CARDS]

    missing = np.zeros(len(index), np.int64)
    missing[concerned] = np.maximum(count_faces(wanted) - count_faces(having), 0).sum(axis=1)
    return missing


def count_unknown(lot: PlaceCards) -> Ints:
    """Count the cards of unknown face.

    Returns: int64[places].
    """
    return np.bincount(lot.owner[lot.cards == UNKNOWN], minlength=len(lot.known))


def combine_cards(dealt: PlaceCards, drawn: PlaceCards) -> PlaceCards:
    """Join the cards that places were dealt and drew."""
    owner = np.concatenate([dealt.owner, drawn.owner])
    order = np.argsort(owner, kind="stable")
    return PlaceCards(owner[order], np.concatenate([dealt.cards, drawn.cards])[order], dealt.known & drawn.known)


def describe_received(place: int, dealt: PlaceCards, drawn: PlaceCards) -> str:
    """Return the cards that a place was dealt and drew, as text."""
    more = drawn.text(place)
    return (dealt.text(place) or "none") + f" and {more}" * bool(more)


def make_card_sets(lot: PlaceCards) -> Bits64:
    """Return the cards of each place as a set: a bit for every card, and one for an unknown face.

    Returns: uint64[places].
    """
    result = np.zeros(len(lot.known), np.uint64)
    sizes = lot.sizes()
    nonempty = find_true(sizes)
    if len(nonempty):
        result[nonempty] = np.bitwise_or.reduceat(_BIT_OF_CARD[lot.cards], (np.cumsum(sizes) - sizes)[nonempty])
    return result


def make_event_card_sets(batch: Batch, rows: Ints32) -> Bits64:
    """Return the cards in some rows of the events' hands as sets.

    Returns: uint64[n].
    """
    hands, result = batch.events.hands, np.zeros(len(rows), np.uint64)
    for card in range(int(hands.count[rows].max(initial=0))):
        result |= _BIT_OF_CARD[hands.cards[rows, card]]
    return result


HANDLING_WORDS = {
    "reveal": "shown",
    "expose": "shown",
    "turn-down": "turned down",
    "discard": "discarded",
    "draw": "exchanged",
    "tuck": "tucked",
    "collect-cards": "collected",
}
"""Past participles of the kinds of event that need cards at a place."""
_SEEN = ("reveal", "expose", "turn-down")
_ANY = 1 << 20
"""Number that exceeds any number of cards."""
_HAND, _DISCARDS = COLLECTED_LOTS


class PossibleCards:
    """Cards that may be in one place."""

    __slots__ = ("faces", "size")

    def __init__(self, cards: Iterable[int] = ()) -> None:
        self.faces: Counter[int] = Counter(cards)
        self.size = self.faces.total()

    def add(self, cards: Sequence[int]) -> None:
        """Add cards."""
        self.faces.update(cards)
        self.size += len(cards)

    def may_have(self, card: int) -> bool:
        """Return whether a card may be among them; for an unknown card, whether any card is."""
        return self.size > 0 and (card == UNKNOWN or self.faces[card] > 0 or self.faces[UNKNOWN] > 0)

    def take(self, card: int) -> None:
        """Remove a card that may be among them. The identity of an unknown card stays open."""
        self.size -= 1
        if card != UNKNOWN:
            self.faces[card if self.faces[card] else UNKNOWN] -= 1


def can_hold(cards: Sequence[int], piles: Sequence[PossibleCards], most: int = _ANY) -> bool:
    """Return whether cards may all be in some sets that hold no more than `most` cards together."""
    wanted = Counter(cards)
    del wanted[UNKNOWN]
    piles = [pile for pile in piles if pile.size > 0]
    short = sum(max(count - sum(pile.faces[card] for pile in piles), 0) for card, count in wanted.items())
    matches = [sum(min(count, pile.faces[card]) for card, count in wanted.items()) for pile in piles]
    reach = sum(min(pile.size, own + pile.faces[UNKNOWN]) for own, pile in zip(matches, piles, strict=True))
    there = min(sum(pile.size for pile in piles), most)
    return len(cards) <= there and wanted.total() <= reach and short <= sum(pile.faces[UNKNOWN] for pile in piles)


class PlaceTracker:
    """Place at the current moment: its hand, its discards and the number of its cards.

    Discards of a player stay at the place until they are collected. Discards by the dealer, from the dealer's own or
    the community's cards, may be turned up together with all others until replacements are drawn; but they no longer
    belong to a hand that is turned up.
    """

    def __init__(
        self, first: Sequence[int], dealt: Sequence[int], drawn: Sequence[int], *, own: bool, discards_unknown: bool
    ) -> None:
        """Start at the beginning of a round.

        Args:
            first: cards that are there from the start, as the log does not record when they came.
            dealt: cards that will be dealt.
            drawn: cards that will be drawn.
            own: True if the place is a player's.
            discards_unknown: True if the log does not record discards, so that they may be any cards.
        """
        self.hand, self.aside = PossibleCards(first), PossibleCards()
        self.most = self.hand.size
        self.dealt, self.drawn = [*dealt], [*drawn]
        self.ever = PossibleCards([*first, *dealt, *drawn])
        self.own, self.replaced = own, False
        if discards_unknown:
            self._allow_any_card(self.aside)

    def _allow_any_card(self, pile: PossibleCards) -> None:
        pile.faces[UNKNOWN] += _ANY
        pile.size += _ANY

    def receive(self, kind: str, cards: Sequence[int]) -> None:
        """Deal or draw cards, in their order."""
        self.hand.add(cards)
        self.most += len(cards)
        self.replaced |= kind == "draw"
        del (self.dealt if kind == "deal" else self.drawn)[: len(cards)]

    def never_holds(self, cards: Sequence[int] | None) -> bool:
        """Return whether the place never holds some cards."""
        return cards is not None and not can_hold(cards, [self.ever])

    def apply_remedy(self) -> None:
        """Allow any change, as an irregularity was corrected."""
        self._allow_any_card(self.hand)
        self._allow_any_card(self.aside)
        self.most += _ANY

    def apply_event(self, kind: str, cards: Sequence[int] | None, lot: str | None = None, many: int = 1) -> str:
        """Apply an event in which cards are handled, and explain why it is impossible.

        Args:
            kind: the kind of event.
            cards: the cards; None if the event does not name them.
            lot: the lot that the event names, if any.
            many: the number of cards that are not named; 1 means one or more.

        Returns: the end of a sentence; empty if the event is possible.
        """
        piles = self._possible_sets(kind, lot)
        handled = [UNKNOWN] * many if cards is None else cards
        if kind == "turn-down" and cards is None:
            return ""
        if not can_hold(handled, piles, self.most) or (
            kind == "reveal" and not self.own and self._shows_discards_only(handled)
        ):
            return self._explain(kind, cards, piles)
        if kind == "discard":
            self._discard(handled, open_ended=cards is None and many == 1)
        elif kind == "collect-cards":
            for card in handled:
                holders = [pile for pile in piles if pile.may_have(card)]
                if len(holders) == 1:  # otherwise either set may have lost the card
                    holders[0].take(card)
            self.most -= len(handled)
        return ""

    def _possible_sets(self, kind: str, lot: str | None) -> list[PossibleCards]:
        """Return the sets in which the handled cards may be."""
        if kind == "discard" or lot == _HAND or (kind in _SEEN and self.replaced and not self.own):
            return [self.hand]
        return [self.aside] if lot == _DISCARDS else [self.hand, self.aside]

    def _shows_discards_only(self, cards: Sequence[int]) -> bool:
        """Return whether shown cards include discards without all other cards of the place."""
        wanted = Counter(cards)
        del wanted[UNKNOWN]
        beyond = sum(max(count - self.hand.faces[card], 0) for card, count in wanted.items())
        put_aside = beyond - self.hand.faces[UNKNOWN]
        return put_aside > 0 and len(cards) - put_aside < self.hand.size

    def _discard(self, cards: Sequence[int], *, open_ended: bool) -> None:
        more = self.hand.size - 1 if open_ended else 0
        for card in cards:
            self.hand.take(card)
        self.aside.add([*cards, *[UNKNOWN] * more])

    def _explain(self, kind: str, cards: Sequence[int] | None, piles: Sequence[PossibleCards]) -> str:
        start = f"{format_cards(cards) if cards else 'another card'} is {HANDLING_WORDS[kind]}"
        if piles == [self.aside]:
            return f"{start} from the discards, which do not contain it"
        if self.never_holds(cards):
            return f"{start} there"
        handled, coming = cards or [UNKNOWN], PossibleCards([*self.dealt, *self.drawn])
        if not can_hold(handled, piles, self.most) and can_hold(handled, [*piles, coming], self.most + coming.size):
            return f"{start} there before all of it is {'dealt' if self.dealt else 'drawn'}"
        return f"{start} there after some of it has left"


_WITH_CARDS = np.isin(KINDS, [*HANDLING_WORDS])
"""True for the kinds of event that handle cards of a place, bool[kinds]."""
_AFFECTS_CARDS = np.isin(KINDS, [*HANDLING_WORDS, "deal", "remedy"])
"""True for the kinds of event that affect the location of cards, bool[kinds]."""
_NEVER = np.iinfo(np.int64).max


def find_cards_not_at_place(batch: Batch, summary: CardPlaces, dealt: PlaceCards, drawn: PlaceCards) -> Reasons:
    """Yield rounds in which cards are handled at a place that does not hold them: never, not yet, or no longer.

    Args:
        batch: the rounds.
        summary: the places of the rounds.
        dealt: all cards that were dealt to each place.
        drawn: all cards that each place drew.
    """
    timed = summary.is_recorded(batch, "deal") & is_mask_recorded(batch, make_mask([DEAL_ORDER]))[summary.round]
    view = _HandledCards(
        batch, summary, dealt, drawn, timed, summary.is_recorded(batch, "draw"), summary.is_recorded(batch, "discard")
    )
    for place in find_distinct(view.doubtful_places()).tolist():
        if reason := view.explain_impossible(place):
            yield int(summary.round[place]), reason


class _HandledCards:
    """Events of a batch in which cards are handled, by place and then in order."""

    def __init__(
        self,
        batch: Batch,
        summary: CardPlaces,
        dealt: PlaceCards,
        drawn: PlaceCards,
        timed: Flags,
        draws: Flags,
        discards: Flags,
    ) -> None:
        self.batch, self.summary, self.dealt, self.drawn = batch, summary, dealt, drawn
        self.timed, self.draws, self.discards = timed, draws, discards
        """True if the log records when cards were dealt, drawn and discarded at a place, bool[places] each."""
        self.remedies = is_recorded(batch, "remedy")[summary.round]
        """True if the log records remedies, bool[places]."""
        at = find_true(_WITH_CARDS[batch.events.kind])
        place = summary.of.take(at)
        at, place = at[place >= 0], place[place >= 0]
        at, place = at[dealt.known[place]], place[dealt.known[place]]
        order = np.argsort(place, kind="stable")
        self.at, self.place = at[order], place[order]
        """Events, and the place of each, int64[n] each."""
        self.starts = find_true(np.diff(self.place, prepend=-1))
        """Index of the first event of each place that has some, int64[m]."""
        self.sizes = np.diff(np.append(self.starts, len(at)))
        """Number of events of each of these places, int64[m]."""

    def doubtful_places(self) -> Ints:
        """Return the places at which an event may be impossible, some of them several times.

        Returns: int64[n].
        """
        if not len(self.at):
            return self.place
        events, at, place = self.batch.events, self.at, self.place
        kind, row = events.kind[at], events.cards_row[at]
        early = at < self._find_last("deal", self.timed)[place]
        named = find_true(row >= 0)
        count, seen = np.ones(len(at), np.int64), np.zeros(len(at), np.uint64)
        count[(kind == KIND_CODES["turn-down"]) | (kind == KIND_CODES["draw"])] = 0
        count[named] = events.hands.count[row[named]]
        seen[named] = make_event_card_sets(self.batch, row[named])
        known = seen & ~FACE_UNKNOWN
        drawing, discarding = kind == KIND_CODES["draw"], kind == KIND_CODES["discard"]
        of_discards = (kind == KIND_CODES["collect-cards"]) & (
            events.what.codes[at] == events.what.code(COLLECTED_LOTS[1])
        )
        removing = discarding | ((kind == KIND_CODES["collect-cards"]) & ~of_discards)

        faces = make_card_sets(self.drawn)
        ever = (make_card_sets(self.dealt) | faces)[place]
        strange = (known & ~ever != 0) & ~drawing
        repeating = (np.bitwise_count(seen) != count) & (row >= 0)
        awaited = (
            (at < self._find_last("draw", self.draws)[place]) & (seen & (faces[place] | FACE_UNKNOWN) != 0) & ~drawing
        )
        removed = count * removing
        before = np.cumsum(removed) - removed
        before -= np.repeat(before[self.starts], self.sizes)
        having = self.dealt.sizes() + self.drawn.sizes()
        short = (count > having[place] - before) & ~of_discards & ~drawing
        repeated = (known & self._cards_removed_before(known, removing) != 0) & ~of_discards & ~drawing
        aside = self._make_card_sets(known, discarding)
        first_taken = self._find_first(of_discards)
        foreign = (known & ~aside[place] != 0) | (at < self._find_first(discarding)[place]) | (at > first_taken[place])
        foreign &= of_discards & self.discards[place]
        doubt = strange | repeating & ~drawing | awaited | short | repeated | foreign
        return place[early | (doubt & self.drawn.known[place])]

    def _find_first(self, chosen: Flags) -> Ints:
        """Return the first of some events at each place.

        Returns: int64[places].
        """
        first = np.full(len(self.summary.round), _NEVER)
        first[self.place[chosen][::-1]] = self.at[chosen][::-1]
        return first

    def _find_last(self, kind: str, where: Flags) -> Ints:
        """Return the last event of a kind at some places; -1 if there is none.

        Returns: int64[places].
        """
        last = np.full(len(where) + 1, -1, np.int64)  # the last entry is for no place
        events = find_true(self.batch.events.kind == KIND_CODES[kind])
        last[self.summary.of[events]] = events
        last[:-1][~where] = -1
        return last[:-1]

    def _make_card_sets(self, known: Bits64, chosen: Flags) -> Bits64:
        """Return the cards of some events at each place as sets.

        Returns: uint64[places].
        """
        sets_ = np.zeros(len(self.summary.round), np.uint64)
        place = self.place[chosen]
        starts = find_true(np.diff(place, prepend=-1))
        if len(starts):
            sets_[place[starts]] = np.bitwise_or.reduceat(known[chosen], starts)
        return sets_

    def _cards_removed_before(self, known: Bits64, removing: Flags) -> Bits64:
        """Return the cards that earlier events at the same place removed, for each event.

        Returns: uint64[n].
        """
        removed, own = np.zeros(len(known), np.uint64), known * removing
        for step in range(1, int(self.sizes.max())):
            at = self.starts[self.sizes > step] + step
            removed[at] = removed[at - 1] | own[at - 1]
        return removed

    def explain_impossible(self, place: int) -> str:
        """Explain why an event at a place is impossible, in a sentence; empty if all are possible."""
        batch, events, timed = self.batch, self.batch.events, bool(self.timed[place])
        dealt, drawn = self.dealt.list_cards(place), self.drawn.list_cards(place)
        draws, whole = bool(self.draws[place]), self.drawn.known[place]
        first = ([] if timed else dealt) + ([] if draws else drawn)
        own, is_undealt = place < len(batch.seats.round), bool(timed and dealt)
        coming = dealt if timed else [], drawn if draws else []
        followed = PlaceTracker(first, *coming, own=own, discards_unknown=not self.discards[place])
        for event in self._list_events(place):
            kind = KINDS[events.kind[event]]
            if kind == "remedy" or not self.remedies[place]:
                followed.apply_remedy()
            if kind == "remedy":
                continue
            cards = self._list_cards(event)
            if is_undealt and kind != "deal" and not (whole and followed.never_holds(cards)):
                return f"{self.summary.describe_owner(place)} are {HANDLING_WORDS[kind]} before any are dealt there"
            is_undealt = False
            if kind in ("deal", "draw"):
                if timed if kind == "deal" else draws:
                    followed.receive(kind, cards or [])
                continue
            many = max(len(events.positions.text(event) or ""), 1) if kind == "discard" else 1
            lot = events.what.text(event) if kind == "collect-cards" else None
            if whole and (impossible := followed.apply_event(kind, cards, lot, many)):
                had = describe_received(place, self.dealt, self.drawn)
                return f"{self.summary.describe(place, DEALT)} {had}, but {impossible}"
        return ""

    def _list_events(self, place: int) -> Iterator[int]:
        """Yield the events that affect the cards of a place."""
        events = self.batch.events
        index = self.summary.round[place]
        span = np.arange(events.offsets[index], events.offsets[index + 1])
        place_of = self.summary.of[span]
        remedies = (events.kind[span] == KIND_CODES["remedy"]) & (place_of < 0)
        yield from span[_AFFECTS_CARDS[events.kind[span]] & ((place_of == place) | remedies)].tolist()

    def _list_cards(self, event: int) -> list[int] | None:
        hands, row = self.batch.events.hands, self.batch.events.cards_row[event]
        return None if row < 0 else hands.cards[row, : hands.count[row]].tolist()
