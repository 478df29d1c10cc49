"""Best decisions by the player's own cards and a card of the other hand that lies face up.

Every class of own cards is combined with each card that may lie there. The other hands with that card are counted by
inclusion and exclusion, as hands of which nothing is seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from math import comb, factorial

import numpy as np
from msgspec.structs import replace

from fairdeal.validator.arrays import Bits32, Codes, Ints
from fairdeal.validator.cards.card_codes import CARDS
from fairdeal.validator.cards.ranking_models import SUITS
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.odds.choosing.own_card_decisions import DiscardWay, OneUnseenHand, OwnCardDecisions
from fairdeal.validator.odds.counting.card_sets import complete_hands, count_below
from fairdeal.validator.odds.counting.hand_counts import HandCounts
from fairdeal.validator.odds.rounds import deal_settlement
from fairdeal.validator.odds.rounds.player_options import Alternative, OddsTable
from fairdeal.validator.odds.rounds.sample_rounds import DecidingHands

_MOST_STATES = 1 << 23
"""Most combinations of own cards with cards that are seen."""


class PartlySeenHand(OneUnseenHand):
    """Hand of another place, some cards of which the player sees."""

    def __init__(self, counts: HandCounts, looks: DecidingHands, own: list[str], hidden: str, shown: int) -> None:
        """Combine the classes of own cards with the cards seen.

        Args:
            counts: hand counts of the game.
            looks: hands on which settlement depends.
            own: those of the player.
            hidden: hand of the other place.
            shown: number of its cards that the player sees.
        """
        super().__init__(counts, looks, own, hidden)
        self.own_cards, size = self.cards, self.cards.shape[1]
        choices = np.array([*combinations(range(CARDS - size), shown)], np.int64)
        self.ways = len(choices)
        free = np.ones((len(self.own_cards), CARDS), np.bool_)
        np.put_along_axis(free, self.own_cards.astype(np.int64), False, axis=1)
        rest = np.nonzero(free)[1].astype(np.uint8).reshape(len(self.own_cards), CARDS - size)
        self.shown: Codes = rest[:, choices].reshape(-1, shown)
        """Cards seen in each state, uint8[n, shown]; the states of a class of own cards follow one another."""
        self.cards = np.repeat(self.own_cards, self.ways, axis=0)
        self.weight, self.cell_of = (np.repeat(values, self.ways) for values in (self.weight, self.cell_of))

    def count_deals(self, way: DiscardWay) -> Ints | Bits32:
        """Return the number of deals by state and signature, uint32[n, signatures].

        If the unseen cards do not matter, all deals have the first signature.
        """
        deals = np.zeros((len(self.cards), self.signatures), np.uint32)
        if not way.matters:
            deals[:, 0] = comb(CARDS - self.cards.shape[1] - self.shown.shape[1], self._unseen)
            return deals
        for at in range(self.ways):
            self.counts.report_progress(f"hands of the other place: {at:,} of {self.ways:,} cards seen")
            counted = count_below(self.completions, self.shown[at :: self.ways], self.own_cards, self.places)
            deals[at :: self.ways] = counted[:, 1::2] - counted[:, 0::2]
        return deals

    @property
    def _unseen(self) -> int:
        """Return the number of cards of the hand that the player does not see."""
        return self.completions.size - self.shown.shape[1]

    def find_example_deals(
        self, at: int, way: DiscardWay, _signature: int
    ) -> Iterator[tuple[int, Mapping[Place, Codes]]]:
        """Yield examples of deals of the other hand for a state."""
        if not way.matters:
            yield 0, {}
            return
        stretches = self.places[at // self.ways if len(self.places) > 1 else 0].reshape(-1, 2)
        hands = complete_hands(self.shown[at][None], self.completions.size, self.cards[at][None])[0]
        spots = np.searchsorted(self.completions.spread.strengths, self.completions.strength(hands))
        for stretch, (first, last) in enumerate(stretches.tolist()):
            fits = (spots >= first) & (spots < last)
            if fits.any():
                yield stretch, self._split_by_place(hands[int(fits.argmax())])


class SeenCardDecisions(OwnCardDecisions):
    """Alternatives of a player who sees the own cards and some of another place."""

    def __init__(
        self,
        table: OddsTable,
        hidden: PartlySeenHand,
        alternatives: list[Alternative],
        hands: list[list[str]],
        meters: Mapping[str, int],
    ) -> None:
        super().__init__(table, hidden, alternatives, hands, meters)
        self.seen_hand = hidden

    def solve_at_point(self) -> deal_settlement.Solution:
        """Return the best alternatives, with the choices by all cards that are seen. Raises `NoOdds`."""
        solution = self.solve(None)
        choice, hidden = solution.choice, self.seen_hand
        if choice is None or hidden.hidden is None:
            return solution
        (place,) = hidden.prepared.hands[hidden.hidden].places
        cards: dict[Place, Codes] = {"player": choice.cards, place: hidden.shown}
        point = deal_settlement.PointChoices(
            after=(),
            decisions=tuple(alternative.name or None for alternative in self.alternatives),
            cards=cards,
            weight=choice.weight,
            best=choice.best,
        )
        return replace(solution, choice=None, points=(point,))


def decide_by_seen_cards(
    table: OddsTable,
    counts: HandCounts,
    looks: DecidingHands,
    alternatives: list[Alternative],
    hands: list[list[str]],
    meters: Mapping[str, int],
) -> SeenCardDecisions | None:
    """Return the decisions of a player who decides once, by the own cards and some of one other hand.

    Returns None if the game is of another kind, or has too many states.

    Args:
        table: the table.
        counts: hand counts of the game.
        looks: hands on which settlement depends.
        alternatives: alternatives of the player.
        hands: hands that decide the settlement, by alternative.
        meters: readings of the meters.
    """
    compiled, sizes = table.prepared.hands, table.prepared.game.deal.cards
    own = [name for name in looks.hands if compiled[name].places == ("player",) and compiled[name].cards == "dealt"]
    others = [name for name in looks.hands if name not in own]
    if len(table.points) != 1 or len(others) != 1 or looks.lengths or looks.alike:
        return None
    seen, other = dict(table.points[0].seen), compiled[others[0]]
    if len(other.places) != 1 or other.follows_stages or seen.pop("player", 0) != sizes.get("player"):
        return None
    shown = seen.pop(other.places[0], 0)
    if seen or not 0 < shown < other.sizes[0] == sizes[other.places[0]]:
        return None
    states = comb(CARDS, sizes["player"]) * comb(CARDS - sizes["player"], shown)
    if states > _MOST_STATES * factorial(len(SUITS)):
        return None
    unseen = PartlySeenHand(counts, looks, own, others[0], shown)
    return SeenCardDecisions(table, unseen, alternatives, hands, meters)
