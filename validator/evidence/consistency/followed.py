"""Cards that may be at one place of a round, tracked event by event.

The tracker keeps the largest set of cards that may be there. A card of unknown face may be any card, an event without
cards concerns at least one card, and a remedy may return any card. So a card that is not in the set cannot be at the
place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from validator.cards.cards import UNKNOWN, format_cards
from validator.evidence.handlog.event_values import LOTS

DONE = {
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
_HAND, _DISCARDS = LOTS


class Pile:
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


def fits(cards: Sequence[int], piles: Sequence[Pile], most: int = _ANY) -> bool:
    """Return whether cards may all be in some sets that hold no more than `most` cards together."""
    wanted = Counter(cards)
    del wanted[UNKNOWN]
    piles = [pile for pile in piles if pile.size > 0]
    short = sum(max(count - sum(pile.faces[card] for pile in piles), 0) for card, count in wanted.items())
    matches = [sum(min(count, pile.faces[card]) for card, count in wanted.items()) for pile in piles]
    reach = sum(min(pile.size, own + pile.faces[UNKNOWN]) for own, pile in zip(matches, piles, strict=True))
    there = min(sum(pile.size for pile in piles), most)
    return len(cards) <= there and wanted.total() <= reach and short <= sum(pile.faces[UNKNOWN] for pile in piles)


class Followed:
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
        self.hand, self.aside = Pile(first), Pile()
        self.most = self.hand.size
        self.dealt, self.drawn = [*dealt], [*drawn]
        self.ever = Pile([*first, *dealt, *drawn])
        self.own, self.replaced = own, False
        if discards_unknown:
            self._allow_any_card(self.aside)

    def _allow_any_card(self, pile: Pile) -> None:
        pile.faces[UNKNOWN] += _ANY
        pile.size += _ANY

    def comes(self, kind: str, cards: Sequence[int]) -> None:
        """Deal or draw cards, in their order."""
        self.hand.add(cards)
        self.most += len(cards)
        self.replaced |= kind == "draw"
        del (self.dealt if kind == "deal" else self.drawn)[: len(cards)]

    def strange(self, cards: Sequence[int] | None) -> bool:
        """Return whether the place never holds some cards."""
        return cards is not None and not fits(cards, [self.ever])

    def put_right(self) -> None:
        """Allow any change, as an irregularity was corrected."""
        self._allow_any_card(self.hand)
        self._allow_any_card(self.aside)
        self.most += _ANY

    def done(self, kind: str, cards: Sequence[int] | None, lot: str | None = None, many: int = 1) -> str:
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
        if not fits(handled, piles, self.most) or (
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

    def _possible_sets(self, kind: str, lot: str | None) -> list[Pile]:
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

    def _explain(self, kind: str, cards: Sequence[int] | None, piles: Sequence[Pile]) -> str:
        start = f"{format_cards(cards) if cards else 'another card'} is {DONE[kind]}"
        if piles == [self.aside]:
            return f"{start} from the discards, which do not contain it"
        if self.strange(cards):
            return f"{start} there"
        handled, coming = cards or [UNKNOWN], Pile([*self.dealt, *self.drawn])
        if not fits(handled, piles, self.most) and fits(handled, [*piles, coming], self.most + coming.size):
            return f"{start} there before all of it is {'dealt' if self.dealt else 'drawn'}"
        return f"{start} there after some of it has left"
