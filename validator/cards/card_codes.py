"""Card codes and their text, sorted rows of cards, decks, and numbers of hands for dense tables.

A card is one `uint8`: `rank * 4 + suit`, with rank 0 to 12 for 2 to ace and suit 0 to 3 for clubs, diamonds, hearts and
spades. The joker comes after them. In text a card is two characters, rank and suit, and a hand is its cards without a
separator: `AsKdTc`. The joker is `Jk`, and a card of unrecorded face is `??`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, reduce
from itertools import combinations, combinations_with_replacement, product, repeat
from math import comb
from operator import getitem, is_
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar, cast

from msgspec import Struct

from fairdeal.validator import disk_cache
from fairdeal.validator.arrays import Codes, Flags, Ints16, Ints32, make_read_only, np
from fairdeal.validator.cards.ranking_models import JOKER_SIGN, RANKS, SUIT_SYMBOLS, SUITS, DeckModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

Value = TypeVar("Value", bound="np.generic")


@cache
def _list_exchanges(width: int) -> tuple[tuple[int, int], ...]:
    """Return the pairs of places which, exchanged in order, sort any `width` values.

    This is Batcher's odd-even merge: sorted runs of length 1, 2, 4, … are merged pairwise at shrinking strides.
    """
    exchanges: list[tuple[int, int]] = []
    run = 1
    while run < width:
        stride = run
        while stride:
            for start in range(stride % run, width - stride, 2 * stride):
                exchanges += [
                    (low, low + stride)
                    for low in range(start, min(start + stride, width - stride))
                    if low // (2 * run) == (low + stride) // (2 * run)
                ]
            stride //= 2
        run *= 2
    return tuple(exchanges)


def sort_columns(rows: Codes) -> Codes:
    """Sort the values of each row of `rows` (uint8[n, m]) in ascending order down its column.

    Returns: uint8[m, n].
    """
    columns = np.array(rows.T, order="C", copy=True)
    sort_in_place(columns)
    return columns


def sort_in_place(columns: NDArray[Value]) -> None:
    """Sort the values of each column of `columns` ([m, n], m small) in ascending order, in place.

    An exchange is one minimum and one maximum over whole rows, ten times as fast as to sort column by column.
    """
    lower = np.empty(columns.shape[1], columns.dtype)
    for first, second in _list_exchanges(len(columns)):
        np.minimum(columns[first], columns[second], out=lower)
        np.maximum(columns[first], columns[second], out=columns[second])
        columns[first] = lower


CARDS: Final = len(RANKS) * len(SUITS)
"""Number of different cards with rank and suit; every lower code is such a card."""
JOKER: Final = CARDS
"""The joker."""
KNOWN_CARDS: Final = CARDS + 1
"""Number of different cards, the joker included; every lower code is a known card."""
UNKNOWN: Final = 255
"""Card of unrecorded face."""
NO_CARD: Final = 254
"""No card: padding at the end of a row."""
RANK_WORDS: Final = (
    *("two", "three", "four", "five", "six", "seven", "eight"),
    *("nine", "ten", "jack", "queen", "king", "ace"),
)
SUIT_WORDS: Final = ("clubs", "diamonds", "hearts", "spades")
MAX_ROW_CARDS: Final = 32767
"""Most cards in a row of a column: counts are int16."""

_BAD: Final = 253
_TEXTS: Final = {code: RANKS[code // 4] + SUITS[code % 4] for code in range(CARDS)} | {JOKER: JOKER_SIGN, UNKNOWN: "??"}
_CODES: Final = {text: code for code, text in _TEXTS.items()}
_SYMBOLS: Final = {code: RANKS[code // 4] + SUIT_SYMBOLS[code % 4] for code in range(CARDS)} | {
    JOKER: "Joker",
    UNKNOWN: "??",
}


@cache
@make_read_only
def _tabulate_pairs() -> tuple[Codes, Codes]:
    """Return the code for every two bytes, read as a little-endian number, and the two bytes of every code."""
    codes = np.full(65536, _BAD, np.uint8)
    texts = np.zeros((256, 2), np.uint8)
    for code, text in _TEXTS.items():
        first, second = text.encode("ascii")
        codes[first | second << 8] = code
        texts[code] = first, second
    return codes, texts


class DecodedCards(NamedTuple):
    """Column of hands."""

    cards: Codes
    """Codes, padded with `NO_CARD`, uint8[n, width]."""
    counts: Ints16
    """Number of cards; -1 if the record has no text, int16[n]."""
    well_formed: Flags
    """False if the text is not a hand of at most `width` cards, bool[n]."""


def parse_cards(text: str) -> tuple[int, ...]:
    """Parse the cards in a text to codes.

    Raises ValueError with a sentence about the first bad card, its place and the expected form.
    """
    codes = []
    for start in range(0, len(text), 2):
        pair = text[start : start + 2]
        code = _CODES.get(pair)
        if code is None:
            place = f"card {start // 2 + 1} ({pair!r}, at character {start + 1})"
            raise ValueError(f"{place} {_explain_bad_card(pair)}")
        codes.append(code)
    return tuple(codes)


def _explain_bad_card(pair: str) -> str:
    if len(pair) < 2:
        return "is cut short: a card is two characters, rank and suit, as in As or Td"
    if pair == "10":
        return "is not a card: the rank ten is written T"
    if pair[0] not in RANKS:
        return f"is not a card: its rank must be one of {RANKS}, or the card Jk for the joker, or ?? if unknown"
    return f"is not a card: its suit must be one of {SUITS}"


def format_cards(codes: Iterable[int]) -> str:
    """Format cards as text, in order. Raises ValueError for a code that is neither a card nor `UNKNOWN`."""
    try:
        return "".join([_TEXTS[int(code)] for code in codes])
    except KeyError as error:
        raise ValueError(f"{error.args[0]} is not the code of a card") from None


def cards_in_symbols(codes: Iterable[int]) -> str:
    """Return cards as reports print them, in order: `A♠ K♦ T♣`. Raises `ValueError` as `format_cards`."""
    try:
        return " ".join([_SYMBOLS[int(code)] for code in codes])
    except KeyError as error:
        raise ValueError(f"{error.args[0]} is not the code of a card") from None


def describe_card(code: int) -> str:
    """Describe a card in words, as in `ace of spades`; `unknown card` for any other code."""
    if code == JOKER:
        return "joker"
    if not 0 <= code < CARDS:
        return "unknown card"
    return f"{RANK_WORDS[code // 4]} of {SUIT_WORDS[code % 4]}"


def decode_columns(texts: Sequence[str | None], width: int) -> DecodedCards:
    """Decode a column of hands; None if a record has no text.

    A malformed row, or one of more than `width` cards, holds no cards and has count 0; a row of None is well formed.
    Raises ValueError if `width` is not between 0 and `MAX_ROW_CARDS`.
    """
    if not 0 <= width <= MAX_ROW_CARDS:
        raise ValueError(f"a row holds 0 to {MAX_ROW_CARDS} cards, not {width}")
    rows = len(texts)
    absent = np.fromiter(map(is_, texts, repeat(None)), np.bool_, rows)
    present = [text or "" for text in texts] if absent.any() else cast("Sequence[str]", texts)
    joined = "".join(present)
    lengths = np.fromiter(map(len, present), np.int64, rows)

    well_formed = (lengths % 2 == 0) & (lengths <= 2 * width)
    characters = _to_bytes(joined)
    if not well_formed.all():
        characters = characters[np.repeat(well_formed, lengths)]
    codes = _tabulate_pairs()[0][characters.view("<u2")]

    counts = np.where(well_formed, lengths // 2, 0)
    cards = np.full((rows, width), NO_CARD, np.uint8)
    cards[np.arange(width) < counts[:, None]] = codes
    if (codes == _BAD).any():
        wrong = (cards == _BAD).any(axis=1)
        cards[wrong], counts[wrong], well_formed[wrong] = NO_CARD, 0, False
    counts[absent] = -1
    return DecodedCards(cards, counts.astype(np.int16), well_formed)


def _to_bytes(text: str) -> Codes:
    """Return one byte per character; 0, which is part of no card, for a character outside ASCII."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    return np.where(points < 128, points, 0).astype(np.uint8)


def encode_column(cards: Codes) -> list[str]:
    """Encode each row of `cards` (uint8[n, width]) as text, without its padding.

    Raises ValueError for a code that is not a card, and for `NO_CARD` before a card.
    """
    rows, width = cards.shape
    padding = cards == NO_CARD
    if ((cards >= KNOWN_CARDS) & (cards < NO_CARD)).any() or (padding[:, :-1] & ~padding[:, 1:]).any():
        raise ValueError("a row must hold card codes, padded with NO_CARD at its end only")
    if not cards.size:
        return [""] * rows
    texts: list[str] = (
        _tabulate_pairs()[1][cards].reshape(rows, 2 * width).view(f"S{2 * width}")[:, 0].astype(str).tolist()
    )
    return texts


def has_duplicates(cards: Codes, copies: int) -> Flags:
    """Return whether a known card occurs more than `copies` times in each row (uint8[n, k]).

    Returns: bool[n].
    """
    columns = sort_columns(cards)
    later, earlier = columns[copies:], columns[: max(len(columns) - copies, 0)]
    repeats: Flags = ((later == earlier) & (later < KNOWN_CARDS)).any(axis=0)
    return repeats


class CompiledDeck(Struct, frozen=True, kw_only=True):
    """Cards of one deck."""

    name: str
    """Name of the deck."""
    cards: tuple[int, ...]
    """Codes of the cards, ascending."""

    def shuffle_shoes(self, *, rng: np.random.Generator, rounds: int, decks: int, cards: int) -> Codes:
        """Return the first cards of shoes of several decks, each shuffled anew.

        Only the required cards of each shoe are drawn: every place takes one of the remaining cards, for all rounds at
        once. Raises ValueError if a shoe has too few cards.

        Returns: uint8[rounds, cards].
        """
        shoe = np.tile(np.array(self.cards, np.uint8), decks)
        if not 0 <= cards <= len(shoe):
            raise ValueError(f"{cards} cards cannot be dealt from a shoe of {len(shoe)}")
        shoes = np.tile(shoe[:, None], rounds)
        every = np.arange(rounds)
        for place in range(cards):
            chosen = rng.integers(place, len(shoe), rounds)
            drawn = shoes[chosen, every]
            shoes[chosen, every] = shoes[place]
            shoes[place] = drawn
        return np.ascontiguousarray(shoes[:cards].T)


def compile_deck(name: str, model: DeckModel) -> CompiledDeck:
    """Return the deck of a rule file: every rank in every suit once, and its joker."""
    texts = map("".join, product(model.ranks, model.suits))
    return CompiledDeck(name=name, cards=(*sorted(parse_cards("".join(texts))), *[JOKER] * model.jokers))


def load_or_build(key: tuple[str, ...], make: Callable[[], Ints32]) -> Ints32:
    """Load a table from the disk cache, or build and cache it.

    Returns: int32[n].
    """
    entry = disk_cache.build_key(*key)
    cached = disk_cache.load_entry(entry, trusted=())
    if isinstance(cached, bytes):
        return np.frombuffer(cached, "<i4")
    table = make()
    disk_cache.store_entry(entry, table.astype("<i4").tobytes())
    return table


_RANK_SHARES = [[comb(rank + place, place + 1) for rank in range(len(RANKS))] for place in range(len(RANKS))]
"""Share of a rank in the number of its hand, by its place in the hand; tables of more cards would be too large."""


def hand_number(ranks: Sequence[int], suited: bool) -> int:
    """Return the index of a hand in a table: its ranks, ascending, and whether its cards share a suit."""
    unsuited = sum(map(getitem, _RANK_SHARES, ranks))
    return unsuited + suited * comb(len(RANKS) - 1 + len(ranks), len(ranks))


def hand_numbers(columns: Codes) -> NDArray[np.uint16]:
    """Return `hand_number` of every hand in `columns`; any number if a card is unknown.

    `columns` is uint8[size, n], with codes ascending down each column.

    Returns: uint16[n].
    """
    size = len(columns)
    shares, suit_bits = _tabulate_shares(size), _tabulate_suit_bits()
    numbers = np.zeros(columns.shape[1], np.uint16)
    suits = np.full(columns.shape[1], 255, np.uint8)
    for place, column in enumerate(columns):
        numbers += shares[place].take(column)
        suits &= suit_bits.take(column)
    return numbers + (suits != 0) * np.uint16(comb(len(RANKS) - 1 + size, size))


def tabulate(size: int, value: Callable[[tuple[int, ...], bool], int]) -> Ints32:
    """Tabulate `value(ranks, suited)` of every hand of `size` cards, by `hand_number`.

    The ranks are ascending. All hands of mixed suits come first, then all of one suit.

    Returns: int32[2 * C(12 + size, size)].
    """
    hands = comb(len(RANKS) - 1 + size, size)
    table = np.empty(2 * hands, np.int32)
    for ranks in combinations_with_replacement(range(len(RANKS)), size):
        unsuited = hand_number(ranks, suited=False)
        table[unsuited], table[unsuited + hands] = value(ranks, False), value(ranks, True)
    return table


@cache
@make_read_only
def _tabulate_suit_bits() -> Codes:
    """Return the bit of the suit of each card code, uint8[256]."""
    return (1 << (np.arange(256) & 3)).astype(np.uint8)


@cache
@make_read_only
def _tabulate_shares(size: int) -> NDArray[np.uint16]:
    """Return the share of a card in the number of its hand, by its place in it and its code.

    Returns: uint16[size, 256].
    """
    shares = np.zeros((size, 256), np.uint16)
    for place in range(size):
        shares[place, :CARDS] = [comb(code // 4 + place, place + 1) for code in range(CARDS)]
    return shares


def find_best_values(cards: Codes, size: int, table: Ints32) -> Ints32:
    """Return the highest value in `table` of any `size` cards in each row of `cards`; -1 if a card is unknown.

    Rows (uint8[n, m]) are sorted once, so every choice of their places is sorted too. Time and memory grow with the
    number of choices, C(m, size). Raises ValueError if `m < size`.

    Returns: int32[n].
    """
    columns = sort_columns(cards)
    if len(columns) < size:
        raise ValueError(f"a hand of {size} cards cannot be chosen from {len(columns)}")
    suited_from = np.uint16(len(table) // 2)
    best = np.full(len(cards), -1, np.int32)
    for number, suit in enumerate_choices(columns, size):
        np.add(number, (suit != 0) * suited_from, out=number)
        np.maximum(best, table.take(number), out=best)
    best[columns[-1] >= CARDS] = -1
    return best


def enumerate_choices(columns: Codes, size: int) -> Iterator[tuple[NDArray[np.uint16], Codes]]:
    """Yield, for every choice of `size` cards of each row, its number and the suits that all its cards share.

    The number is that of mixed suits, uint16[n]; the suits are uint8[n], one bit each. Both may be overwritten, and are
    meaningless if a card is unknown. `columns` is uint8[m, n], with codes ascending down each column.
    """
    shares = _tabulate_shares(size)
    spare = len(columns) - size
    share = [{place: shares[nth].take(columns[place]) for place in range(nth, nth + spare + 1)} for nth in range(size)]
    suits = _tabulate_suit_bits().take(columns)
    for places in combinations(range(len(columns)), size):
        number = share[0][places[0]].copy()
        suit = suits[places[0]].copy()
        for nth in range(1, size):
            number += share[nth][places[nth]]
            suit &= suits[places[nth]]
        yield number, suit


def pack_digits(ranks: Iterable[int]) -> int:
    """Pack ranks, in order, as the hexadecimal digits of one integer."""
    return reduce(lambda number, rank: number << 4 | rank, ranks, 0)


def pack_column_digits(cards: Codes) -> Ints32:
    """Pack the ranks of each row of `cards` (uint8[n, size]), from left to right.

    Returns: int32[n].
    """
    ranks = (cards >> 2).astype(np.int32)
    packed = np.zeros(len(cards), np.int32)
    for column in ranks.T:
        packed = packed << 4 | column
    return packed
