"""Counts for the statistics, made block by block of a log and added up in the order of the log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import msgspec
import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from validator.arrays import Indices, Ints
from validator.cards.cards import CARDS
from validator.engine.compiled.game import Prepared
from validator.engine.core.context import Scope
from validator.engine.core.house_rules import Configuration
from validator.engine.pots.totals import pot_amount
from validator.hold.cards import CardSums, HandSums, count_cards, count_hands, deals_of, hands_counted
from validator.hold.offers import Offered, offers
from validator.hold.places import Cloth, Place, cloths_of, places_of
from validator.hold.stakes import StakeSums, count_stakes

MOST = 100_000
"""Largest number of places, and of tables with a deck. Further ones are counted together, which bounds the memory."""
BEYOND = "…"
"""Name of the places that are counted together."""


class Terms(Struct, frozen=True):
    """Terms of the house under which stakes are counted."""

    document: str
    """Document of the game."""
    configuration: Configuration | None
    """Choices of the house; None if they are not known."""


class RakeSums(Struct, kw_only=True):
    """Pots and rake in minor units."""

    rounds: int = 0
    """Number of rounds."""
    pots: int = 0
    """Sum of the pots."""
    raked: int = 0
    """Sum of the rake."""
    left_out: int = 0
    """Number of rounds that do not record pot or rake."""

    def add(self, other: RakeSums) -> None:
        """Add the sums of other rounds."""
        self.rounds += other.rounds
        self.pots += other.pots
        self.raked += other.raked
        self.left_out += other.left_out


class _SavedCounts(Struct, frozen=True, kw_only=True):
    """Counts as they are saved. Arrays are lists of numbers; sums of stakes are text, as they may be of any size."""

    terms: list[tuple[str, int | None, list[str]]]
    """Document, number of the house's choices, and lines whose tables are permitted."""
    stakes: list[tuple[int, str, Place, list[str]]]
    rake: list[tuple[str, Place, RakeSums]]
    cards: list[tuple[str, str, Cloth, CardSums]]
    hands: list[tuple[str, str, Cloth, HandSums]]


class HoldCounts(Struct, kw_only=True):
    """Counts of all rounds that were read."""

    terms: list[Terms] = field(default_factory=list)
    stakes: dict[tuple[int, str, Place], StakeSums] = field(default_factory=dict)
    """Stakes by terms (index into `terms`), wager and place."""
    rake: dict[tuple[str, Place], RakeSums] = field(default_factory=dict)
    """Rake by document and place."""
    cards: dict[tuple[str, str, Cloth], CardSums] = field(default_factory=dict)
    """Cards by document, owner, and table with deck."""
    hands: dict[tuple[str, str, Cloth], HandSums] = field(default_factory=dict)
    """Hands by document, name, and table with deck."""

    def count(self, scope: Scope) -> None:
        """Count the rounds of a batch."""
        document = scope.batch.game
        terms = self._terms(Terms(document, scope.configuration))
        places, place = places_of(scope.batch)
        for offered in _find_offers(scope.prepared, scope.configuration):
            for at, sums in count_stakes(scope, offered, place, len(places)):
                self._add_stakes((terms, offered.group.wager, places[at]), sums)
        if scope.prepared.game.pots is not None:
            for at, raked in _count_rake(scope, place, len(places)):
                self._add_rake((document, places[at]), raked)
        cloths, cloth = cloths_of(scope.batch)
        deals = deals_of(scope)
        for at, whose, cards in count_cards(scope, deals, cloth, len(cloths)):
            self._add_cards((document, whose, cloths[at]), cards)
        for name in hands_counted(scope.prepared):
            for at, hands in count_hands(scope, name, deals, cloth, len(cloths)):
                self._add_hands((document, name, cloths[at]), hands)

    def add(self, other: HoldCounts) -> None:
        """Add the counts of later rounds.

        Entries are added in a fixed order, so that the bound on places gives the same result on one machine and on
        several.
        """
        ordered = sorted(range(len(other.terms)), key=lambda at: _sort_terms(other.terms[at]))
        terms = {at: self._terms(other.terms[at]) for at in ordered}
        stakes = [((terms[at], wager, place), sums) for (at, wager, place), sums in other.stakes.items()]
        for of_stakes, staked in sorted(stakes, key=_sort_entry):
            self._add_stakes(of_stakes, staked)
        for of_pots, raked in sorted(other.rake.items(), key=_sort_entry):
            self._add_rake(of_pots, raked)
        for of_cards, cards in sorted(other.cards.items(), key=_sort_entry):
            self._add_cards(of_cards, cards)
        for of_hands, hands in sorted(other.hands.items(), key=_sort_entry):
            self._add_hands(of_hands, hands)

    def to_bytes(self) -> bytes:
        """Return the counts as bytes, which do not depend on the order of rounds. Raises ValueError for unnumbered
        choices of a house."""
        terms = [(terms_.document, *_number_configuration(terms_.configuration)) for terms_ in self.terms]
        ordered = sorted(range(len(terms)), key=lambda at: repr(terms[at]))
        number = {at: new for new, at in enumerate(ordered)}
        stakes = [(number[at], wager, place, sums.as_text()) for (at, wager, place), sums in self.stakes.items()]
        kept = _SavedCounts(
            terms=[terms[at] for at in ordered],
            stakes=sorted(stakes, key=_sort_entry),
            rake=sorted(((*key, sums) for key, sums in self.rake.items()), key=_sort_entry),
            cards=sorted(((*key, sums) for key, sums in self.cards.items()), key=_sort_entry),
            hands=sorted(((*key, sums) for key, sums in self.hands.items()), key=_sort_entry),
        )
        return msgspec.msgpack.encode(kept, enc_hook=np.ndarray.tolist)

    @classmethod
    def from_bytes(cls, data: bytes, configuration: Callable[[int], Configuration]) -> HoldCounts:
        """Return the counts from their bytes. Raises ValueError or LookupError if the bytes are no counts.

        Args:
            data: the bytes.
            configuration: returns the choices of a house by their number.
        """
        kept = msgspec.msgpack.decode(data, type=_SavedCounts, dec_hook=_decode_array)
        if any(not 0 <= at < len(kept.terms) for at, *_ in kept.stakes) or any(
            len(sums.count) != CARDS for *_, sums in kept.cards
        ):
            raise ValueError("these bytes are no saved counts")
        return cls(
            terms=[
                Terms(document, None if number is None else _permit_tables(configuration(number), permitted))
                for document, number, permitted in kept.terms
            ],
            stakes={(at, wager, place): StakeSums.of_text(sums) for at, wager, place, sums in kept.stakes},
            rake={(document, place): sums for document, place, sums in kept.rake},
            cards={(document, whose, cloth): sums for document, whose, cloth, sums in kept.cards},
            hands={(document, name, cloth): sums for document, name, cloth, sums in kept.hands},
        )

    def _terms(self, terms: Terms) -> int:
        if terms not in self.terms:
            self.terms.append(terms)
        return self.terms.index(terms)

    def _add_stakes(self, key: tuple[int, str, Place], sums: StakeSums) -> None:
        if key not in self.stakes and len(self.stakes) >= MOST:
            key = (*key[:2], _replace_with_overflow(key[2]))
        self.stakes.setdefault(key, StakeSums()).add(sums)

    def _add_rake(self, key: tuple[str, Place], sums: RakeSums) -> None:
        if key not in self.rake and len(self.rake) >= MOST:
            key = (key[0], _replace_with_overflow(key[1]))
        self.rake.setdefault(key, RakeSums()).add(sums)

    def _add_cards(self, key: tuple[str, str, Cloth], sums: CardSums) -> None:
        if key not in self.cards and len(self.cards) >= MOST:
            key = (*key[:2], Cloth(BEYOND, BEYOND, BEYOND))
        if key in self.cards:
            self.cards[key].add(sums)
        else:
            self.cards[key] = replace(sums)  # a copy, so that adding to it leaves the block unchanged

    def _add_hands(self, key: tuple[str, str, Cloth], sums: HandSums) -> None:
        if key not in self.hands and len(self.hands) >= MOST:
            key = (*key[:2], Cloth(BEYOND, BEYOND, BEYOND))
        if key in self.hands:
            self.hands[key].add(sums)
        else:
            self.hands[key] = replace(sums)


def _sort_entry(entry: tuple[object, ...]) -> str:
    """Return the sort key of an entry, as text; some of its parts may be None."""
    return repr(entry[:-1])


def _sort_terms(terms: Terms) -> str:
    house = terms.configuration
    return repr((terms.document, None if house is None else (house.number, sorted(house.permitted_tables))))


def _number_configuration(configuration: Configuration | None) -> tuple[int | None, list[str]]:
    if configuration is None:
        return None, []
    if configuration.number is None:
        raise ValueError(f"{configuration.name} is not a submission of this run")
    return configuration.number, sorted(configuration.permitted_tables)


def _permit_tables(configuration: Configuration, permitted: list[str]) -> Configuration:
    return replace(configuration, permitted_tables=frozenset(permitted)) if permitted else configuration


def _decode_array(_: type, given: list[int]) -> Ints:
    return np.array(given, np.int64).reshape(-1)


def _replace_with_overflow(place: Place) -> Place:
    return Place(casino=BEYOND, table=BEYOND, day=BEYOND, dealer=BEYOND, currency=place.currency)


@lru_cache(maxsize=32)
def _list_known_offers(_: Prepared) -> list[tuple[Configuration | None, list[Offered]]]:
    return []


def _find_offers(prepared: Prepared, configuration: Configuration | None) -> list[Offered]:
    """Return the offered wagers of a house, worked out once."""
    known_offers = _list_known_offers(prepared)
    for chosen, offered in known_offers:
        if chosen is configuration or chosen == configuration:
            return offered
    known_offers.append((configuration, offers(prepared, configuration)))
    return known_offers[-1][1]


def _count_rake(scope: Scope, place: Indices, places: int) -> Iterator[tuple[int, RakeSums]]:
    """Yield the rake at each place. Rounds that do not record rake and pots are left out."""
    least, most, bounded = pot_amount(scope, "raked")
    pots, _, known = pot_amount(scope, "total")
    recorded = bounded & known & (least == most) & (pots >= 0)
    for at in range(places):
        is_here = place == at
        chosen = is_here & recorded
        yield (
            at,
            RakeSums(
                rounds=int(chosen.sum()),
                pots=int(pots[chosen].sum()),
                raked=int(least[chosen].sum()),
                left_out=int((is_here & ~recorded).sum()),
            ),
        )
