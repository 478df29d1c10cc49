"""Copies of a card that are in play at once in one round, followed event by event.

A card leaves the deck when it is dealt, drawn or burnt. It returns with the first shuffle after it was discarded,
folded or burnt. If shuffles are not recorded, there may be one at any time, so that the result is a minimum. A discard
with unknown cards may be any of the hand, like a fold.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from fairdeal.validator.cards.card_codes import KNOWN_CARDS, UNKNOWN


class CardCopies:
    """Copies of each known card in play. Hands are those of receivers, as numbers.

    Args:
        are_shuffles_recorded: whether a card returns only with a recorded shuffle.
    """

    def __init__(self, *, are_shuffles_recorded: bool) -> None:
        self.are_shuffles_recorded = are_shuffles_recorded
        self.most = 0
        """Most copies of one card at once until now."""
        self.are_discards_known = True
        """False after a discard with unknown cards."""
        self._in_play: Counter[int] = Counter()
        self._aside: Counter[int] = Counter()
        """Cards that return with the next shuffle; less than none if more were discarded than received."""
        self._hands: defaultdict[int, Counter[int]] = defaultdict(Counter)
        self._folded: set[int] = set()

    def receive(self, receiver: int, cards: Iterable[int]) -> None:
        """Add cards to a hand."""
        known = [card for card in cards if card < KNOWN_CARDS]
        self._hands[receiver].update(known)
        self._in_play.update(known)
        self._count(known)

    def burn(self, cards: Iterable[int]) -> None:
        """Burn cards."""
        known = [card for card in cards if card < KNOWN_CARDS]
        self._in_play.update(known)
        self._put_aside(Counter(known))
        self._count(known)

    def discard(self, receiver: int, cards: Sequence[int]) -> None:
        """Put cards of a hand aside."""
        if any(card >= KNOWN_CARDS for card in cards):
            self.are_discards_known = False
            self.fold(receiver)
        known = Counter(card for card in cards if card < KNOWN_CARDS)
        if receiver not in self._folded:
            self._hands[receiver].subtract(known)
        self._put_aside(known)

    def fold(self, receiver: int) -> None:
        """Put a hand aside. Cards that it receives later stay in play."""
        if receiver not in self._folded:
            self._folded.add(receiver)
            self._put_aside(self._hands[receiver])

    def shuffle(self) -> None:
        """Return the cards that are aside to the deck."""
        self._in_play.subtract(self._aside)
        self._count(self._aside)
        self._aside = Counter()

    def _put_aside(self, cards: Counter[int]) -> None:
        for card, count in cards.items():
            self._aside[card] += count
        if not self.are_shuffles_recorded:
            self.shuffle()

    def _count(self, cards: Iterable[int]) -> None:
        self.most = max(self.most, max((self._in_play[card] for card in cards), default=0))


def fill_from_summary(events: Sequence[list[int]], listed: Sequence[int]) -> None:
    """Fill in unknown faces of a hand's events from the cards that a summary lists, in their order.

    Nothing is filled in if the summary lists another number of cards.
    """
    if sum(map(len, events)) == len(listed):
        following = iter(listed)
        for cards in events:
            cards[:] = [other if card == UNKNOWN else card for card, other in zip(cards, following, strict=False)]
