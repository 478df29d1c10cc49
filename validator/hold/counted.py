"""What statistics are made of, counted block by block of a log and put together in its order."""

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
"""Places, and tables with a deck, that are told apart; what comes beyond is put together, so that memory is bounded."""
BEYOND = "…"
"""The name of what is put together."""


class Terms(Struct, frozen=True):
    """What stakes are counted under: a document, and what the house has chosen, None where that is not known."""

    document: str
    configuration: Configuration | None


class RakeSums(Struct, kw_only=True):
    """What was won of pots and taken out of them, in minor units, in so many rounds; `left_out` are those that do not
    tell."""

    rounds: int = 0
    pots: int = 0
    raked: int = 0
    left_out: int = 0

    def add(self, other: RakeSums) -> None:
        """Add other rounds."""
        self.rounds += other.rounds
        self.pots += other.pots
        self.raked += other.raked
        self.left_out += other.left_out


class _Kept(Struct, frozen=True, kw_only=True):
    """Counts as they are written: terms are a document, the number of what a house has chosen and the lines of which
    the tables are permitted; arrays are lists of numbers, sums of stakes are text, as they may be of any size."""

    terms: list[tuple[str, int | None, list[str]]]
    stakes: list[tuple[int, str, Place, list[str]]]
    rake: list[tuple[str, Place, RakeSums]]
    cards: list[tuple[str, str, Cloth, CardSums]]
    hands: list[tuple[str, str, Cloth, HandSums]]


class HoldCounts(Struct, kw_only=True):
    """Everything that is counted of rounds. Stakes are by their terms (a place in `terms`), wager and place; cards and
    hands by document, table and deck, and of whom, or which hand."""

    terms: list[Terms] = field(default_factory=list)
    stakes: dict[tuple[int, str, Place], StakeSums] = field(default_factory=dict)
    rake: dict[tuple[str, Place], RakeSums] = field(default_factory=dict)
    cards: dict[tuple[str, str, Cloth], CardSums] = field(default_factory=dict)
    hands: dict[tuple[str, str, Cloth], HandSums] = field(default_factory=dict)

    def count(self, scope: Scope) -> None:
        """Count rounds that are judged."""
        document = scope.batch.game
        terms = self._terms(Terms(document, scope.configuration))
        places, place = places_of(scope.batch)
        for offered in _offers(scope.prepared, scope.configuration):
            for at, sums in count_stakes(scope, offered, place, len(places)):
                self._add_stakes((terms, offered.group.wager, places[at]), sums)
        if scope.prepared.game.pots is not None:
            for at, raked in _raked(scope, place, len(places)):
                self._add_rake((document, places[at]), raked)
        cloths, cloth = cloths_of(scope.batch)
        deals = deals_of(scope)
        for at, whose, cards in count_cards(scope, deals, cloth, len(cloths)):
            self._add_cards((document, whose, cloths[at]), cards)
        for name in hands_counted(scope.prepared):
            for at, hands in count_hands(scope, name, deals, cloth, len(cloths)):
                self._add_hands((document, name, cloths[at]), hands)

    def add(self, other: HoldCounts) -> None:
        """Add what was counted of later rounds, in an order of its own: what is put together beyond a bound must not
        hang on whether the counts travelled."""
        ordered = sorted(range(len(other.terms)), key=lambda at: _terms_as_text(other.terms[at]))
        terms = {at: self._terms(other.terms[at]) for at in ordered}
        stakes = [((terms[at], wager, place), sums) for (at, wager, place), sums in other.stakes.items()]
        for of_stakes, staked in sorted(stakes, key=_as_text):
            self._add_stakes(of_stakes, staked)
        for of_pots, raked in sorted(other.rake.items(), key=_as_text):
            self._add_rake(of_pots, raked)
        for of_cards, cards in sorted(other.cards.items(), key=_as_text):
            self._add_cards(of_cards, cards)
        for of_hands, hands in sorted(other.hands.items(), key=_as_text):
            self._add_hands(of_hands, hands)

    def to_bytes(self) -> bytes:
        """The counts as bytes, the same in whatever order rounds were counted. Raises ValueError where a house is of no
        run, whose choice has no number."""
        terms = [(terms_.document, *_number_of(terms_.configuration)) for terms_ in self.terms]
        ordered = sorted(range(len(terms)), key=lambda at: repr(terms[at]))
        number = {at: new for new, at in enumerate(ordered)}
        stakes = [(number[at], wager, place, sums.as_text()) for (at, wager, place), sums in self.stakes.items()]
        kept = _Kept(
            terms=[terms[at] for at in ordered],
            stakes=sorted(stakes, key=_as_text),
            rake=sorted(((*key, sums) for key, sums in self.rake.items()), key=_as_text),
            cards=sorted(((*key, sums) for key, sums in self.cards.items()), key=_as_text),
            hands=sorted(((*key, sums) for key, sums in self.hands.items()), key=_as_text),
        )
        return msgspec.msgpack.encode(kept, enc_hook=np.ndarray.tolist)

    @classmethod
    def from_bytes(cls, data: bytes, configuration: Callable[[int], Configuration]) -> HoldCounts:
        """The counts that were written; `configuration` knows what a house has chosen by its number. Raises ValueError
        or LookupError where these are none."""
        kept = msgspec.msgpack.decode(data, type=_Kept, dec_hook=_numbers)
        if any(not 0 <= at < len(kept.terms) for at, *_ in kept.stakes) or any(
            len(sums.count) != CARDS for *_, sums in kept.cards
        ):
            raise ValueError("these are no counts")
        return cls(
            terms=[
                Terms(document, None if number is None else _of_house(configuration(number), permitted))
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
            key = (*key[:2], _beyond(key[2]))
        self.stakes.setdefault(key, StakeSums()).add(sums)

    def _add_rake(self, key: tuple[str, Place], sums: RakeSums) -> None:
        if key not in self.rake and len(self.rake) >= MOST:
            key = (key[0], _beyond(key[1]))
        self.rake.setdefault(key, RakeSums()).add(sums)

    def _add_cards(self, key: tuple[str, str, Cloth], sums: CardSums) -> None:
        if key not in self.cards and len(self.cards) >= MOST:
            key = (*key[:2], Cloth(BEYOND, BEYOND, BEYOND))
        if key in self.cards:
            self.cards[key].add(sums)
        else:
            self.cards[key] = replace(sums)  # what is added to it is no matter of the block it came from

    def _add_hands(self, key: tuple[str, str, Cloth], sums: HandSums) -> None:
        if key not in self.hands and len(self.hands) >= MOST:
            key = (*key[:2], Cloth(BEYOND, BEYOND, BEYOND))
        if key in self.hands:
            self.hands[key].add(sums)
        else:
            self.hands[key] = replace(sums)


def _as_text(entry: tuple[object, ...]) -> str:
    """What an entry is of, as text; some of it may be none."""
    return repr(entry[:-1])


def _terms_as_text(terms: Terms) -> str:
    house = terms.configuration
    return repr((terms.document, None if house is None else (house.number, sorted(house.permitted_tables))))


def _number_of(configuration: Configuration | None) -> tuple[int | None, list[str]]:
    if configuration is None:
        return None, []
    if configuration.number is None:
        raise ValueError(f"{configuration.name} is no submission of a run")
    return configuration.number, sorted(configuration.permitted_tables)


def _of_house(configuration: Configuration, permitted: list[str]) -> Configuration:
    return replace(configuration, permitted_tables=frozenset(permitted)) if permitted else configuration


def _numbers(_: type, given: list[int]) -> Ints:
    return np.array(given, np.int64).reshape(-1)


def _beyond(place: Place) -> Place:
    return Place(casino=BEYOND, table=BEYOND, day=BEYOND, dealer=BEYOND, currency=place.currency)


@lru_cache(maxsize=32)
def _known(_: Prepared) -> list[tuple[Configuration | None, list[Offered]]]:
    return []


def _offers(prepared: Prepared, configuration: Configuration | None) -> list[Offered]:
    """What is offered, worked out once."""
    known = _known(prepared)
    for chosen, offered in known:
        if chosen is configuration or chosen == configuration:
            return offered
    known.append((configuration, offers(prepared, configuration)))
    return known[-1][1]


def _raked(scope: Scope, place: Indices, places: int) -> Iterator[tuple[int, RakeSums]]:
    """What was raked at each place, where rake and pots are told."""
    least, most, bounded = pot_amount(scope, "raked")
    pots, _, known = pot_amount(scope, "total")
    told = bounded & known & (least == most) & (pots >= 0)
    for at in range(places):
        there = place == at
        chosen = there & told
        yield (
            at,
            RakeSums(
                rounds=int(chosen.sum()),
                pots=int(pots[chosen].sum()),
                raked=int(least[chosen].sum()),
                left_out=int((there & ~told).sum()),
            ),
        )
