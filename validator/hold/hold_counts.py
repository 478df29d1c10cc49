"""Counts for the statistics: stakes, rake, cards and hands, made block by block of a log and added up.

Only cards that are dealt first count, because the number of drawn cards depends on them. Only rounds with complete
cards count, because cards that are recorded just when they are shown are a biased sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import msgspec
import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.arrays import Codes, Flags, Indices, Ints
from fairdeal.validator.cards.card_codes import CARDS, JOKER, KNOWN_CARDS, NO_CARD
from fairdeal.validator.cards.hand_orders import LongestFlushRanking, SuitTiebreakRanking
from fairdeal.validator.cards.ranking_models import RANKS, SUITS
from fairdeal.validator.engine.core.compiled_game import CompiledGame, CompiledHand
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.house_terms import LicenseeConfiguration
from fairdeal.validator.engine.pots.pot_totals import bound_pot_amount
from fairdeal.validator.evidence.columns.round_batch import Hands
from fairdeal.validator.hold import card_census, stake_counts
from fairdeal.validator.hold.hold_files import RoundGroup, RoundSums, add_rounds, count_rounds
from fairdeal.validator.language.grammar import Place as Dealt
from fairdeal.validator.results.game_statistics import Grouping

_MOST_IN_A_HAND = 6
"""Largest hand whose probabilities are counted by ranking all sets; the longest suited hand may be larger."""


class CardSums(Struct, kw_only=True):
    """Number of times that each card was dealt."""

    count: NDArray[np.int64]
    """Count of each card, the joker last, int64[53]."""
    rounds: int
    """Number of rounds."""
    seen: int
    """Number of cards."""
    spread: int
    """Sum of m (N - m) over rounds with m of N cards."""
    left_out: int
    """Number of rounds whose cards are not completely recorded."""
    spans: card_census.CardSpans
    """Cards that came in each interval of time."""
    orders: card_census.CardOrders
    """Order of the cards of each round."""

    @property
    def is_sound(self) -> bool:
        """True if all columns are consistent; sums that were stored may not be."""
        return len(self.count) == KNOWN_CARDS and self.spans.is_sound and self.orders.is_sound

    def add(self, other: CardSums) -> None:
        """Add the counts of other rounds."""
        self.count = self.count + other.count
        self.rounds += other.rounds
        self.seen += other.seen
        self.spread += other.spread
        self.left_out += other.left_out
        self.spans = self.spans.add(other.spans)
        self.orders = self.orders.add(other.orders)


class HandSums(Struct, kw_only=True):
    """Number of hands of one name, by strength."""

    count: NDArray[np.int64]
    """Number of hands between each two bounds of categories, int64[bounds + 1]."""
    left_out: int
    """Number of rounds whose cards are not completely recorded."""

    def add(self, other: HandSums) -> None:
        """Add the counts of other rounds."""
        self.count = self.count + other.count
        self.left_out += other.left_out


def count_deck_cards(prepared: CompiledGame) -> int:
    """Return the number of cards in play."""
    return len(list_deck_cards(prepared)) * prepared.game.decks


def list_deck_cards(prepared: CompiledGame) -> list[int]:
    """Return the codes of the cards of one deck."""
    if prepared.game.deck is None:
        return []
    deck = prepared.regulation.vocabulary.decks[prepared.game.deck.cards]
    ranks = sorted(map(RANKS.index, deck.ranks))
    ranked = [rank * len(SUITS) + suit for rank in ranks for suit in range(len(SUITS))]
    return [*ranked, *[JOKER] * deck.jokers]


def find_category_bounds(hand: CompiledHand) -> tuple[int, ...]:
    """Return the strengths at which a category of a hand begins or ends."""
    spans = [hand.ranking.span(name) for name in hand.ranking.categories]
    return tuple(sorted({end for span in spans for end in span}))


def list_countable_hands(prepared: CompiledGame) -> list[str]:
    """Return the names of the hands that are complete as dealt, and whose probabilities can be counted."""
    game = prepared.game
    if count_deck_cards(prepared) != CARDS:
        return []
    exchanges = bool(game.drawing) or any(decision.discards is not None for decision in game.decisions.values())
    return [name for name, hand in prepared.hands.items() if _is_counted(hand, exchanges=exchanges)]


def _is_counted(hand: CompiledHand, *, exchanges: bool) -> bool:
    as_dealt = hand.cards == "dealt" or (hand.cards == "held" and not exchanges)
    few = isinstance(hand.ranking, LongestFlushRanking) or sum(hand.sizes) <= _MOST_IN_A_HAND
    return as_dealt and few and hand.composed is None and not isinstance(hand.ranking, SuitTiebreakRanking)


class FirstCards(Struct, frozen=True, kw_only=True):
    """Cards of a place that are dealt first, without those that every deal of the kind puts aside at once."""

    cards: Codes
    """Cards, uint8[n, k]."""
    is_complete: Flags
    """Rounds with as many cards as in a regular deal, bool[rounds]. For players, every hand of the round must have
    them."""
    lacks_cards: Flags
    """Rounds in which some cards are not recorded, bool[rounds]."""


class BatchDeals(Struct, frozen=True, kw_only=True):
    """Cards of every place in the rounds of a batch."""

    by_place: dict[Dealt, FirstCards]
    """Cards by place."""
    first_seat: Ints
    """First seat of each round that takes part, int64[rounds]; -1 if there is none."""

    def find_complete_rounds(self, places: Sequence[Dealt]) -> tuple[Flags, Ints]:
        """Return the rounds in which the cards of some places are complete, and those in which some are missing.

        Returns:
            bool[rounds] and int64[k].
        """
        complete = np.logical_and.reduce([self.by_place[place].is_complete for place in places])
        missing = np.logical_or.reduce([self.by_place[place].lacks_cards for place in places])
        return complete & ~missing, np.flatnonzero(missing)


def collect_deals(scope: EvaluationContext) -> BatchDeals:
    """Collect the cards that were dealt first in the rounds of a batch."""
    batch, by_place = scope.batch, dict[Dealt, FirstCards]()
    seats = batch.seats
    playing = np.flatnonzero(seats.playing)
    first = np.full(len(batch), -1, np.int64)
    first[seats.round[playing[::-1]]] = playing[::-1]
    deal = scope.compiled_game.game.deal
    for place, size in deal.fewest_cards.items():
        hands = scope.dealt_hands(place)
        if size != deal.cards[place]:  # cards that come by a rule depend on those before them
            hands = Hands(cards=hands.cards[:, :size], count=np.minimum(hands.count, np.int16(size)))
        match place:
            case "player":
                of_seats = _select_first_cards(hands, None, size)
                complete, missing = first >= 0, np.zeros(len(batch), np.bool_)
                complete[seats.round[playing[~of_seats.is_complete[playing]]]] = False
                missing[seats.round[playing[of_seats.lacks_cards[playing]]]] = True
                by_place[place] = FirstCards(cards=of_seats.cards, is_complete=complete, lacks_cards=missing)
            case "dealer":
                by_place[place] = _select_first_cards(hands, None, size)
            case _:
                by_place[place] = _select_first_cards(hands, batch.community_discarded, size)
    return BatchDeals(by_place=by_place, first_seat=first)


def _select_first_cards(hands: Hands, aside: Hands | None, size: int) -> FirstCards:
    cards, width = hands.cards, np.arange(hands.cards.shape[1])
    dealt = width < hands.count[:, None]
    missing = (hands.count <= 0) | (dealt & (cards >= KNOWN_CARDS)).any(axis=1)
    count = hands.count
    if aside is not None and (hands.count > size).any():
        known = np.where(aside.cards < KNOWN_CARDS, aside.cards, NO_CARD)
        is_aside = (cards[:, :, None] == known[:, None, :]).any(axis=2)
        is_left = dealt & ~is_aside
        order = np.argsort(~is_left, axis=1, kind="stable")
        left = is_left.sum(axis=1).astype(np.int16)
        has_more = hands.count > size
        cards = np.where(has_more[:, None], np.take_along_axis(cards, order, axis=1), cards)
        count = np.where(has_more, left, count)
    return FirstCards(cards=cards[:, :size], is_complete=(count == size) & ~missing, lacks_cards=missing)


def count_cards(
    scope: EvaluationContext, deals: BatchDeals, cloth: Indices, cloths: int
) -> Iterator[tuple[int, str, CardSums]]:
    """Yield the single cards of each table and deck: those of players (`player`), and those of all places (`all`).

    Args:
        scope: the batch.
        deals: the cards that were dealt first.
        cloth: index of the table and deck of each round, int64[rounds].
        cloths: number of tables and decks.
    """
    batch, sizes = scope.batch, scope.compiled_game.game.deal.fewest_cards
    size = count_deck_cards(scope.compiled_game)
    for places in dict.fromkeys((("player",), tuple(sizes))):
        if not places or not all(place in sizes for place in places):
            continue
        complete, missing = deals.find_complete_rounds(places)
        count = np.zeros((cloths, KNOWN_CARDS), np.int64)
        hands = list[tuple[Codes, Indices]]()
        for place in places:
            rows, rounds = _find_rows(scope, place, complete)
            cards = deals.by_place[place].cards[rows]
            np.add.at(count, (cloth[rounds][:, None], cards), 1)
            hands.append((cards, rounds))
        of_rounds = card_census.combine_places(len(batch), hands, complete)
        spread = np.where(complete, of_rounds.dealt * np.maximum(size - of_rounds.dealt, 0), 0)
        census = card_census.build_spans(batch, of_rounds, cloth, cloths, scope.compiled_game.game.decks, size)
        columns = (
            np.bincount(cloth[complete], minlength=cloths),
            np.bincount(cloth[missing], minlength=cloths),
            count.sum(axis=1),
            np.bincount(cloth, spread, minlength=cloths).astype(np.int64),
        )
        for number, ((recorded, left_out, seen, spreads), (spans, orders)) in enumerate(
            zip(zip(*(column.tolist() for column in columns), strict=True), census, strict=True)
        ):
            sums = CardSums(
                count=count[number],
                rounds=recorded,
                seen=seen,
                spread=spreads,
                left_out=left_out,
                spans=spans,
                orders=orders,
            )
            yield number, "player" if len(places) == 1 < len(sizes) else "all", sums


def _find_rows(scope: EvaluationContext, place: Dealt, chosen: Flags) -> tuple[Indices, Indices]:
    """Return the rows of the hands of a place in marked rounds, and the rounds of these rows."""
    if place != "player":
        rounds = np.flatnonzero(chosen)
        return rounds, rounds
    seats = scope.batch.seats
    rows = np.flatnonzero(seats.playing & chosen[seats.round])
    return rows, seats.round[rows].astype(np.intp)


def count_hands(
    scope: EvaluationContext, name: str, deals: BatchDeals, cloth: Indices, cloths: int
) -> Iterator[tuple[int, HandSums]]:
    """Yield the hands of one name at each table with each deck. Of several hands that share cards, one per round
    counts."""
    hand = scope.compiled_game.hands[name]
    complete, missing = deals.find_complete_rounds(hand.places)
    if hand.places == ("player",):
        rows, rounds = _find_rows(scope, "player", complete)
    else:
        rounds = np.flatnonzero(complete & (deals.first_seat >= 0) if "player" in hand.places else complete)
        rows = deals.first_seat[rounds]
    ends = np.array(find_category_bounds(hand), np.int64)
    count = np.zeros((cloths, len(ends) + 1), np.int64)
    if len(rounds):
        parts = [deals.by_place[place].cards[rows if place == "player" else rounds] for place in hand.places]
        strengths = hand.strength(np.concatenate(parts, axis=1))
        np.add.at(count, (cloth[rounds], np.searchsorted(ends, strengths, "right")), 1)
    left_out = np.bincount(cloth[missing], minlength=cloths).tolist()
    for number in range(cloths):
        yield number, HandSums(count=count[number], left_out=left_out[number])


MOST_PLACES = 60_000
"""Largest number of sums of stakes, and of rake. Further places are counted together, which bounds the memory."""
MOST_DECKS = 10_000
"""Largest number of counts of cards, and of hands. Further tables with a deck are counted together."""
OVERFLOW_NAME = "…"
"""Name of the places that are counted together."""


class HouseTerms(Struct, frozen=True):
    """Terms of the house under which stakes are counted."""

    document: str
    """Document of the game."""
    configuration: LicenseeConfiguration | None
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
    stakes: list[tuple[Grouping, int, str, stake_counts.StakeGroup, list[str]]]
    rake: list[tuple[Grouping, str, stake_counts.StakeGroup, RakeSums]]
    cards: list[tuple[str, str, stake_counts.TableDeck, CardSums]]
    hands: list[tuple[str, str, stake_counts.TableDeck, HandSums]]
    rounds: list[tuple[RoundGroup, RoundSums]]


_StakeKey = tuple[Grouping, int, str, stake_counts.StakeGroup]
_RakeKey = tuple[Grouping, str, stake_counts.StakeGroup]


class HoldCounts(Struct, kw_only=True):
    """Counts of all rounds that were read."""

    terms: list[HouseTerms] = field(default_factory=list)
    stakes: dict[_StakeKey, stake_counts.StakeSums] = field(default_factory=dict)
    """Stakes by unit, terms (index into `terms`), wager and place."""
    rake: dict[_RakeKey, RakeSums] = field(default_factory=dict)
    """Rake by unit, document and place."""
    cards: dict[tuple[str, str, stake_counts.TableDeck], CardSums] = field(default_factory=dict)
    """Cards by document, owner, and table with deck."""
    hands: dict[tuple[str, str, stake_counts.TableDeck], HandSums] = field(default_factory=dict)
    """Hands by document, name, and table with deck."""
    rounds: dict[RoundGroup, RoundSums] = field(default_factory=dict)
    """Rounds by dealer, shift, month and table."""

    def count(self, scope: EvaluationContext) -> None:
        """Count the rounds of a batch."""
        document = scope.batch.game
        terms = self._terms(HouseTerms(document, scope.configuration))
        for group, rounds in count_rounds(scope.batch):
            add_rounds(self.rounds, group, rounds)
        places, place = stake_counts.group_rounds_by_place(scope.batch)
        units = [[(by, there) for by in Grouping if (there := place_.restrict(by)) is not None] for place_ in places]
        for offered in share_offered_wagers(scope.compiled_game).find(scope.configuration):
            for at, sums in stake_counts.count_stakes(scope, offered, place, len(places)):
                for by, there in units[at]:
                    self._add_stakes((by, terms, offered.group.wager, there), sums)
        if scope.compiled_game.game.pots is not None:
            for at, raked in _count_rake(scope, place, len(places)):
                for by, there in units[at]:
                    self._add_rake((by, document, there), raked)
        cloths, cloth = stake_counts.group_rounds_by_deck(scope.batch)
        deals = collect_deals(scope)
        for at, whose, cards in count_cards(scope, deals, cloth, len(cloths)):
            self._add_cards((document, whose, cloths[at]), cards)
        for name in list_countable_hands(scope.compiled_game):
            for at, hands in count_hands(scope, name, deals, cloth, len(cloths)):
                self._add_hands((document, name, cloths[at]), hands)
        self._limit_orders()

    def add(self, other: HoldCounts) -> None:
        """Add the counts of later rounds.

        Entries are added in a fixed order, so that the bound on places gives the same result on one machine and on
        several.
        """
        ordered = sorted(range(len(other.terms)), key=lambda at: _sort_terms(other.terms[at]))
        terms = {at: self._terms(other.terms[at]) for at in ordered}
        stakes = [((by, terms[at], wager, place), sums) for (by, at, wager, place), sums in other.stakes.items()]
        for of_stakes, staked in sorted(stakes, key=_sort_entry):
            self._add_stakes(of_stakes, staked)
        for of_pots, raked in sorted(other.rake.items(), key=_sort_entry):
            self._add_rake(of_pots, raked)
        for of_cards, cards in sorted(other.cards.items(), key=_sort_entry):
            self._add_cards(of_cards, cards)
        for of_hands, hands in sorted(other.hands.items(), key=_sort_entry):
            self._add_hands(of_hands, hands)
        for group, rounds in sorted(other.rounds.items(), key=_sort_entry):
            add_rounds(self.rounds, group, rounds)
        self._limit_orders()

    def _limit_orders(self) -> None:
        """Drop orders of cards beyond the limit of all decks; further decks only lower the number of each."""
        most = card_census.MOST_ORDERS_IN_ALL // max(len(self.cards), 1)
        for sums in self.cards.values():
            if len(sums.orders.order) > most:
                sums.orders = sums.orders.select_first(most)

    def to_bytes(self) -> bytes:
        """Return the counts as bytes, which do not depend on the order of rounds. Raises ValueError for unnumbered
        choices of a house."""
        terms = [(terms_.document, *_number_configuration(terms_.configuration)) for terms_ in self.terms]
        ordered = sorted(range(len(terms)), key=lambda at: repr(terms[at]))
        number = {at: new for new, at in enumerate(ordered)}
        stakes = [
            (by, number[at], wager, place, sums.as_text()) for (by, at, wager, place), sums in self.stakes.items()
        ]
        kept = _SavedCounts(
            terms=[terms[at] for at in ordered],
            stakes=sorted(stakes, key=_sort_entry),
            rake=sorted(((*key, sums) for key, sums in self.rake.items()), key=_sort_entry),
            cards=sorted(((*key, sums) for key, sums in self.cards.items()), key=_sort_entry),
            hands=sorted(((*key, sums) for key, sums in self.hands.items()), key=_sort_entry),
            rounds=sorted(self.rounds.items(), key=_sort_entry),
        )
        return msgspec.msgpack.encode(kept, enc_hook=np.ndarray.tolist)

    @classmethod
    def from_bytes(cls, data: bytes, configuration: Callable[[int], LicenseeConfiguration]) -> HoldCounts:
        """Return the counts from their bytes. Raises ValueError or LookupError if the bytes are no counts.

        Args:
            data: the bytes.
            configuration: returns the choices of a house by their number.
        """
        kept = msgspec.msgpack.decode(data, type=_SavedCounts, dec_hook=_decode_array)
        if any(not 0 <= at < len(kept.terms) for _, at, *_ in kept.stakes) or any(
            not sums.is_sound for *_, sums in kept.cards
        ):
            raise ValueError("these bytes are no saved counts")
        return cls(
            terms=[
                HouseTerms(document, None if number is None else _permit_tables(configuration(number), permitted))
                for document, number, permitted in kept.terms
            ],
            stakes={
                (by, at, wager, place): stake_counts.StakeSums.from_text(sums)
                for by, at, wager, place, sums in kept.stakes
            },
            rake={(by, document, place): sums for by, document, place, sums in kept.rake},
            cards={(document, whose, cloth): sums for document, whose, cloth, sums in kept.cards},
            hands={(document, name, cloth): sums for document, name, cloth, sums in kept.hands},
            rounds=dict(kept.rounds),
        )

    def _terms(self, terms: HouseTerms) -> int:
        if terms not in self.terms:
            self.terms.append(terms)
        return self.terms.index(terms)

    def _add_stakes(self, key: _StakeKey, sums: stake_counts.StakeSums) -> None:
        if key not in self.stakes and len(self.stakes) >= MOST_PLACES:
            key = (*key[:3], _replace_with_overflow(key[3]))
        self.stakes.setdefault(key, stake_counts.StakeSums()).add(sums)

    def _add_rake(self, key: _RakeKey, sums: RakeSums) -> None:
        if key not in self.rake and len(self.rake) >= MOST_PLACES:
            key = (*key[:2], _replace_with_overflow(key[2]))
        self.rake.setdefault(key, RakeSums()).add(sums)

    def _add_cards(self, key: tuple[str, str, stake_counts.TableDeck], sums: CardSums) -> None:
        if key not in self.cards and len(self.cards) >= MOST_DECKS:
            key = (*key[:2], stake_counts.TableDeck(OVERFLOW_NAME, OVERFLOW_NAME, OVERFLOW_NAME))
        if key in self.cards:
            self.cards[key].add(sums)
        else:
            self.cards[key] = replace(sums)  # a copy, so that adding to it leaves the block unchanged

    def _add_hands(self, key: tuple[str, str, stake_counts.TableDeck], sums: HandSums) -> None:
        if key not in self.hands and len(self.hands) >= MOST_DECKS:
            key = (*key[:2], stake_counts.TableDeck(OVERFLOW_NAME, OVERFLOW_NAME, OVERFLOW_NAME))
        if key in self.hands:
            self.hands[key].add(sums)
        else:
            self.hands[key] = replace(sums)


def _sort_entry(entry: tuple[object, ...]) -> str:
    """Return the sort key of an entry, as text; some of its parts may be None."""
    return repr(entry[:-1])


def _sort_terms(terms: HouseTerms) -> str:
    house = terms.configuration
    return repr((terms.document, None if house is None else (house.number, sorted(house.permitted_tables))))


def _number_configuration(configuration: LicenseeConfiguration | None) -> tuple[int | None, list[str]]:
    if configuration is None:
        return None, []
    if configuration.number is None:
        raise ValueError(f"{configuration.name} is not a submission of this run")
    return configuration.number, sorted(configuration.permitted_tables)


def _permit_tables(configuration: LicenseeConfiguration, permitted: list[str]) -> LicenseeConfiguration:
    return replace(configuration, permitted_tables=frozenset(permitted)) if permitted else configuration


def _decode_array(_: type, given: list[int]) -> Ints:
    return np.array(given, np.int64).reshape(-1)


def _replace_with_overflow(place: stake_counts.StakeGroup) -> stake_counts.StakeGroup:
    return stake_counts.StakeGroup(
        casino=OVERFLOW_NAME, table=OVERFLOW_NAME, day=OVERFLOW_NAME, dealer=OVERFLOW_NAME, currency=place.currency
    )


class OfferedWagers:
    """Wagers of a game as each licensee offers them, worked out once for each configuration."""

    def __init__(self, prepared: CompiledGame) -> None:
        self._prepared = prepared
        self._known: list[tuple[LicenseeConfiguration | None, list[stake_counts.OfferedWager]]] = []

    def find(self, configuration: LicenseeConfiguration | None) -> list[stake_counts.OfferedWager]:
        """Return the wagers that a licensee offers."""
        for chosen, offered in self._known:
            if chosen is configuration or chosen == configuration:
                return offered
        offered = stake_counts.list_offered_wagers(self._prepared, configuration)
        self._known.append((configuration, offered))
        return offered


@lru_cache(maxsize=32)
def share_offered_wagers(prepared: CompiledGame) -> OfferedWagers:
    """Return the offered wagers of a game, which all counters of this process share."""
    return OfferedWagers(prepared)


def _count_rake(scope: EvaluationContext, place: Indices, places: int) -> Iterator[tuple[int, RakeSums]]:
    """Yield the rake at each place. Rounds that do not record rake and pots are left out."""
    least, most, bounded = bound_pot_amount(scope, "raked")
    pots, _, known = bound_pot_amount(scope, "total")
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
