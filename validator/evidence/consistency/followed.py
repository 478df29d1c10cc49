"""The cards of one place of a round, followed event by event: which may lie there at the moment.

What is followed is the most that may lie there. A card of unknown face may be any; an event that tells no cards is of
one card at least; and a remedy may lay anything down again. So what does not lie there by this account cannot.
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
"""What is done in the kinds of event that can only be when cards lie at a place, in a word."""
_SEEN = ("reveal", "expose", "turn-down")
_ANY = 1 << 20
"""More cards than there are."""
_HAND, _DISCARDS = LOTS


class Pile:
    """Cards that may lie together: of each face at most so many, `UNKNOWN` for those that may be of any; and at most
    `many` in all."""

    __slots__ = ("faces", "many")

    def __init__(self, cards: Iterable[int] = ()) -> None:
        self.faces: Counter[int] = Counter(cards)
        self.many = self.faces.total()

    def add(self, cards: Sequence[int]) -> None:
        """Lay cards down."""
        self.faces.update(cards)
        self.many += len(cards)

    def may_have(self, card: int) -> bool:
        """Whether a card may be in it; one of unknown face if any is."""
        return self.many > 0 and (card == UNKNOWN or self.faces[card] > 0 or self.faces[UNKNOWN] > 0)

    def take(self, card: int) -> None:
        """Take a card that may be in it. Which one an unknown card was stays open."""
        self.many -= 1
        if card != UNKNOWN:
            self.faces[card if self.faces[card] else UNKNOWN] -= 1


def fits(cards: Sequence[int], piles: Sequence[Pile], most: int = _ANY) -> bool:
    """Whether cards may all lie in some piles that have no more than `most` cards in all."""
    wanted = Counter(cards)
    del wanted[UNKNOWN]
    piles = [pile for pile in piles if pile.many > 0]
    short = sum(max(count - sum(pile.faces[card] for pile in piles), 0) for card, count in wanted.items())
    found = [sum(min(count, pile.faces[card]) for card, count in wanted.items()) for pile in piles]
    reach = sum(min(pile.many, own + pile.faces[UNKNOWN]) for own, pile in zip(found, piles, strict=True))
    there = min(sum(pile.many for pile in piles), most)
    return len(cards) <= there and wanted.total() <= reach and short <= sum(pile.faces[UNKNOWN] for pile in piles)


class Followed:
    """A place as it is at the moment: its hand, what it put aside, and how many cards lie there in all.

    `first` lies there from the start, as the log does not tell when it came; `dealt` and `drawn` are what will come,
    and `ever` is all of it. `own` says whether the place is a player's. Discards that the log does not tell of may be
    any (`untold`).

    What a player puts aside lies there until it is collected. What the dealer puts aside, of the dealer's own cards or
    of the community's, may be turned up with all the others, to show what it was, until cards are drawn in its stead;
    but it is no part any more of a hand that is turned up.
    """

    def __init__(
        self, first: Sequence[int], dealt: Sequence[int], drawn: Sequence[int], *, own: bool, untold: bool
    ) -> None:
        self.hand, self.aside = Pile(first), Pile()
        self.most = self.hand.many
        self.dealt, self.drawn = [*dealt], [*drawn]
        self.ever = Pile([*first, *dealt, *drawn])
        self.own, self.replaced = own, False
        if untold:
            self._open(self.aside)

    def _open(self, pile: Pile) -> None:
        pile.faces[UNKNOWN] += _ANY
        pile.many += _ANY

    def comes(self, kind: str, cards: Sequence[int]) -> None:
        """Cards are dealt or drawn, in their order."""
        self.hand.add(cards)
        self.most += len(cards)
        self.replaced |= kind == "draw"
        del (self.dealt if kind == "deal" else self.drawn)[: len(cards)]

    def strange(self, cards: Sequence[int] | None) -> bool:
        """Whether cards never come there."""
        return cards is not None and not fits(cards, [self.ever])

    def put_right(self) -> None:
        """Something is done about an irregularity."""
        self._open(self.hand)
        self._open(self.aside)
        self.most += _ANY

    def done(self, kind: str, cards: Sequence[int] | None, lot: str | None = None, many: int = 1) -> str:
        """What is impossible about something done with cards, in the end of a sentence; empty where nothing is. Where
        it does not tell the cards, it is of `many` of them, or of more where that is 1."""
        piles = self._piles(kind, lot)
        asked = [UNKNOWN] * many if cards is None else cards
        if kind == "turn-down" and cards is None:
            return ""
        if not fits(asked, piles, self.most) or (kind == "reveal" and not self.own and self._without_all(asked)):
            return self._impossible(kind, cards, piles)
        if kind == "discard":
            self._discard(asked, open_ended=cards is None and many == 1)
        elif kind == "collect-cards":
            for card in asked:
                holders = [pile for pile in piles if pile.may_have(card)]
                if len(holders) == 1:  # else it is open from which it is taken
                    holders[0].take(card)
            self.most -= len(asked)
        return ""

    def _piles(self, kind: str, lot: str | None) -> list[Pile]:
        """Where the cards may lie that something is done with."""
        if kind == "discard" or lot == _HAND or (kind in _SEEN and self.replaced and not self.own):
            return [self.hand]
        return [self.aside] if lot == _DISCARDS else [self.hand, self.aside]

    def _without_all(self, cards: Sequence[int]) -> bool:
        """Whether cards that are shown are some of those put aside, and not all others with them."""
        wanted = Counter(cards)
        del wanted[UNKNOWN]
        beyond = sum(max(count - self.hand.faces[card], 0) for card, count in wanted.items())
        put_aside = beyond - self.hand.faces[UNKNOWN]
        return put_aside > 0 and len(cards) - put_aside < self.hand.many

    def _discard(self, cards: Sequence[int], *, open_ended: bool) -> None:
        more = self.hand.many - 1 if open_ended else 0
        for card in cards:
            self.hand.take(card)
        self.aside.add([*cards, *[UNKNOWN] * more])

    def _impossible(self, kind: str, cards: Sequence[int] | None, piles: Sequence[Pile]) -> str:
        said = f"{format_cards(cards) if cards else 'another'} is {DONE[kind]}"
        if piles == [self.aside]:
            return f"{said} from among discards, which are not there"
        if self.strange(cards):
            return f"{said} there"
        asked, coming = cards or [UNKNOWN], Pile([*self.dealt, *self.drawn])
        if not fits(asked, piles, self.most) and fits(asked, [*piles, coming], self.most + coming.many):
            return f"{said} there before all of it is {'dealt' if self.dealt else 'drawn'}"
        return f"{said} there when not all of it lies there any more"
