"""Rounds in which cards are handled at a place where they are not at that moment.

Columns find the few places where this may be; only these are tracked event by event.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validator.arrays import Bits64, Flags, Ints, distinct
from validator.evidence.columns.batch import Batch
from validator.evidence.columns.recorded_kinds import DEAL_ORDER, mask_of, tells, told
from validator.evidence.consistency.followed import DONE, Followed
from validator.evidence.consistency.places import (
    DEALT,
    FACE_UNKNOWN,
    Lot,
    Places,
    Reasons,
    faces_of,
    had_text,
    sets,
)
from validator.evidence.handlog.event_values import LOTS
from validator.evidence.handlog.events import KIND, KINDS

_WITH_CARDS = np.isin(KINDS, [*DONE])
"""True for the kinds of event that handle cards of a place, bool[kinds]."""
_AFFECTS_CARDS = np.isin(KINDS, [*DONE, "deal", "remedy"])
"""True for the kinds of event that affect the location of cards, bool[kinds]."""
_NEVER = np.iinfo(np.int64).max


def out_of_reach(batch: Batch, summary: Places, dealt: Lot, drawn: Lot) -> Reasons:
    """Yield rounds in which cards are handled at a place that does not hold them: never, not yet, or no longer.

    Args:
        batch: the rounds.
        summary: the places of the rounds.
        dealt: all cards that were dealt to each place.
        drawn: all cards that each place drew.
    """
    timed = summary.tells(batch, "deal") & told(batch, mask_of([DEAL_ORDER]))[summary.round]
    view = _HandledCards(
        batch, summary, dealt, drawn, timed, summary.tells(batch, "draw"), summary.tells(batch, "discard")
    )
    for place in distinct(view.doubtful_places()).tolist():
        if reason := view.explain_impossible(place):
            yield int(summary.round[place]), reason


class _HandledCards:
    """Events of a batch in which cards are handled, by place and then in order."""

    def __init__(
        self, batch: Batch, summary: Places, dealt: Lot, drawn: Lot, timed: Flags, draws: Flags, discards: Flags
    ) -> None:
        self.batch, self.summary, self.dealt, self.drawn = batch, summary, dealt, drawn
        self.timed, self.draws, self.discards = timed, draws, discards
        """True if the log records when cards were dealt, drawn and discarded at a place, bool[places] each."""
        self.remedies = tells(batch, "remedy")[summary.round]
        """True if the log records remedies, bool[places]."""
        at = np.flatnonzero(_WITH_CARDS[batch.events.kind])
        place = summary.of.take(at)
        at, place = at[place >= 0], place[place >= 0]
        at, place = at[dealt.known[place]], place[dealt.known[place]]
        order = np.argsort(place, kind="stable")
        self.at, self.place = at[order], place[order]
        """Events, and the place of each, int64[n] each."""
        self.starts = np.flatnonzero(np.diff(self.place, prepend=-1))
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
        named = np.flatnonzero(row >= 0)
        count, seen = np.ones(len(at), np.int64), np.zeros(len(at), np.uint64)
        count[(kind == KIND["turn-down"]) | (kind == KIND["draw"])] = 0
        count[named] = events.hands.count[row[named]]
        seen[named] = faces_of(self.batch, row[named])
        known = seen & ~FACE_UNKNOWN
        drawing, discarding = kind == KIND["draw"], kind == KIND["discard"]
        of_discards = (kind == KIND["collect-cards"]) & (events.what.codes[at] == events.what.code(LOTS[1]))
        removing = discarding | ((kind == KIND["collect-cards"]) & ~of_discards)

        faces = sets(self.drawn)
        ever = (sets(self.dealt) | faces)[place]
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
        events = np.flatnonzero(self.batch.events.kind == KIND[kind])
        last[self.summary.of[events]] = events
        last[:-1][~where] = -1
        return last[:-1]

    def _make_card_sets(self, known: Bits64, chosen: Flags) -> Bits64:
        """Return the cards of some events at each place as sets.

        Returns: uint64[places].
        """
        sets_ = np.zeros(len(self.summary.round), np.uint64)
        place = self.place[chosen]
        starts = np.flatnonzero(np.diff(place, prepend=-1))
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
        dealt, drawn = self.dealt.of(place), self.drawn.of(place)
        draws, whole = bool(self.draws[place]), self.drawn.known[place]
        first = ([] if timed else dealt) + ([] if draws else drawn)
        own, is_undealt = place < len(batch.seats.round), bool(timed and dealt)
        coming = dealt if timed else [], drawn if draws else []
        followed = Followed(first, *coming, own=own, discards_unknown=not self.discards[place])
        for event in self._list_events(place):
            kind = KINDS[events.kind[event]]
            if kind == "remedy" or not self.remedies[place]:
                followed.put_right()
            if kind == "remedy":
                continue
            cards = self._list_cards(event)
            if is_undealt and kind != "deal" and not (whole and followed.strange(cards)):
                return f"{self.summary.whose(place)} are {DONE[kind]} before any are dealt there"
            is_undealt = False
            if kind in ("deal", "draw"):
                if timed if kind == "deal" else draws:
                    followed.comes(kind, cards or [])
                continue
            many = max(len(events.positions.text(event) or ""), 1) if kind == "discard" else 1
            lot = events.what.text(event) if kind == "collect-cards" else None
            if whole and (impossible := followed.done(kind, cards, lot, many)):
                had = had_text(place, self.dealt, self.drawn)
                return f"{self.summary.words(place, DEALT)} {had}, but {impossible}"
        return ""

    def _list_events(self, place: int) -> Iterator[int]:
        """Yield the events that affect the cards of a place."""
        events = self.batch.events
        index = self.summary.round[place]
        span = np.arange(events.offsets[index], events.offsets[index + 1])
        place_of = self.summary.of[span]
        remedies = (events.kind[span] == KIND["remedy"]) & (place_of < 0)
        yield from span[_AFFECTS_CARDS[events.kind[span]] & ((place_of == place) | remedies)].tolist()

    def _list_cards(self, event: int) -> list[int] | None:
        hands, row = self.batch.events.hands, self.batch.events.cards_row[event]
        return None if row < 0 else hands.cards[row, : hands.count[row]].tolist()
