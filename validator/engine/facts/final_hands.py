"""Cards that a place holds at the end, hands that it set from them, and the strength of hands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Ints, Ints16, Ints32, Truths, find_true, has_any
from fairdeal.validator.cards.card_choices import CompiledSetting
from fairdeal.validator.cards.card_codes import CARDS, KNOWN_CARDS, NO_CARD, UNKNOWN, sort_columns
from fairdeal.validator.cards.card_codes import UNKNOWN as UNKNOWN_CARD
from fairdeal.validator.cards.ranking import CompiledRanking
from fairdeal.validator.cards.ranking_models import FEATURE_NAMES, SUITS
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.compiled_game import CompiledGame, CompiledHand, cached_by_game
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.timeline.deal_stages import count_cards, stage_of_events
from fairdeal.validator.engine.timeline.event_cards import count_named_cards
from fairdeal.validator.engine.timeline.excused_acts import is_truncated, may_continue
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds
from fairdeal.validator.evidence.columns.log_draft import decode_hand_texts
from fairdeal.validator.evidence.columns.recorded_events import (
    collect_dealt_cards,
    join_event_cards,
    prefer_listed_hands,
)
from fairdeal.validator.evidence.columns.round_batch import Hands
from fairdeal.validator.evidence.event_kinds import FACES, PLACES, WIDEST_HAND
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.language.grammar import Place, grain_of_place


@cached_fact
def collect_set_cards(scope: EvaluationContext, place: Place, *, low: bool) -> Hands:
    """Return the cards of the High Hand or the Low Hand of each seat, or of the place of each round.

    They are not recorded without an event `set`. Of several events the last counts.
    """
    events, rows = scope.batch.events, scope.count_items(grain_of_place(place))
    cards, count = np.full((rows, WIDEST_HAND), NO_CARD, np.uint8), np.full(rows, ABSENT, np.int16)
    chosen = events_of_kinds(scope, ("set",))
    chosen = chosen[events.place[chosen] == PLACES.index(place)]
    if not len(chosen):
        return Hands(cards=cards, count=count)
    last = np.full(rows, ABSENT, np.int64)
    owner = (events.seat if place == "player" else events.round)[chosen]
    np.maximum.at(last, owner, chosen)
    set_ = find_true(last != ABSENT)
    if low:
        hands, index = decode_hand_texts(events.value.names).hands, events.value.codes[last[set_]]
    else:
        hands, index = events.hands, events.cards_row[last[set_]]
    cards[set_], count[set_] = hands.cards[index, :WIDEST_HAND], hands.count[index]
    return Hands(cards=cards, count=count)


def find_set_hands(prepared: CompiledGame, place: str) -> list[str]:
    """Return the names of the High Hand and the Low Hand that a place sets."""
    hands = prepared.game.hands
    named = [
        [name for name, hand in hands.items() if hand.cards == part and hand.from_ == [place]]
        for part in ("set-high", "set-low")
    ]
    return [name for names in named for name in names[:1]]


def compile_setting(prepared: CompiledGame, place: str) -> CompiledSetting:
    """Return the rankings of the hands that a place sets.

    Raises:
        TypeError: the place sets no hands of fixed sizes.
    """
    rankings = [prepared.hands[name].ranking for name in find_set_hands(prepared, place)]
    fixed = [ranking for ranking in rankings if isinstance(ranking, CompiledRanking)]
    if len(fixed) != 2:
        raise TypeError(f"the {place} sets no High Hand and Low Hand of fixed sizes")
    return CompiledSetting(high=fixed[0], low=fixed[1])


@cached_fact
def are_hands_set_whole(scope: EvaluationContext, place: Place) -> Truths:
    """Return whether each place has set all its cards into hands of the right sizes.

    Unknown cards may be any cards.

    Returns:
        uint8[n]: per seat for `player`, else per round.
    """
    setting, dealt = compile_setting(scope.compiled_game, place), scope.dealt_hands(place)
    high, low = (collect_set_cards(scope, place, low=is_low) for is_low in (False, True))
    recorded = high.count != ABSENT
    sized = (high.count == setting.high.size) & (low.count == setting.low.size)
    set_cards = np.concatenate([high.cards, low.cards], axis=1)
    shown = recorded & (dealt.count >= 0)
    whole = sized & _are_same_cards(set_cards, dealt.cards)
    hidden = (set_cards == UNKNOWN).any(axis=1) | (dealt.cards == UNKNOWN).any(axis=1)
    possible = sized & (high.count + low.count == dealt.count)
    known = (shown | (recorded & ~sized)) & ~(hidden & possible)
    return kleene.where_known(whole, known)


def _are_same_cards(first: Codes, second: Codes) -> Flags:
    """Return whether two rows hold the same known cards, whatever their order, bool[n]."""
    width = max(first.shape[1], second.shape[1])
    sides = [np.full((len(first), width), NO_CARD, np.uint8) for _ in range(2)]
    for side, cards in zip(sides, (first, second), strict=True):
        side[:, : cards.shape[1]] = cards
    known = (first < KNOWN_CARDS) | (first == NO_CARD)
    same: Flags = (sort_columns(sides[0]) == sort_columns(sides[1])).all(axis=0) & known.all(axis=1)
    return same


Exchange = Literal["discard", "draw"]


@cached_by_game
def may_exchange(prepared: CompiledGame, place: Place, kind: Exchange) -> bool:
    """Return whether cards of a place may be discarded, or drawn, in a game."""
    if any(kind in step.events and step.place in (None, place) for step in prepared.steps.values()):
        return True
    return kind == "discard" and any(
        way.count_dealt().get(place) != way.count_kept().get(place) for way in prepared.game.deal.ways.values()
    )


@cached_fact
def exchanged_cards(scope: EvaluationContext, place: Place, kind: Exchange) -> Hands:
    """Return the cards that a place discarded, or drew: one row per seat for `player`, else one row per round.

    The summary decides, or else the events. If neither the game nor the record has such an exchange, there are no
    cards.
    """
    listed = _read_listed(scope, place, kind)
    is_unlisted = listed.count == ABSENT
    if not has_any(is_unlisted):
        return listed
    if not may_exchange(scope.compiled_game, place, kind):
        return Hands(cards=listed.cards, count=np.where(is_unlisted, np.int16(0), listed.count))
    recorded = _collect_from_events(scope, place, kind)
    return prefer_listed_hands(listed, recorded, is_unlisted)


def _read_listed(scope: EvaluationContext, place: Place, kind: Exchange) -> Hands:
    batch = scope.batch
    match place, kind:
        case "player", "discard":
            return batch.seats.discarded
        case "player", _:
            return batch.seats.drawn
        case "dealer", "discard":
            return batch.dealer_discarded
        case "dealer", _:
            return batch.dealer_drawn
        case _, "discard":
            return batch.community_discarded
        case _:
            rounds = scope.count_items("round")
            return Hands(
                cards=np.full((rounds, WIDEST_HAND), NO_CARD, np.uint8), count=np.full(rounds, ABSENT, np.int16)
            )


def _collect_from_events(scope: EvaluationContext, place: Place, kind: Exchange) -> Hands:
    """Return the cards of all events of a kind at a place.

    An event that only states positions gives their number. The cards are unknown if an event states nothing, or if
    there are more cards than the exchanges permit. They are unknown as well if the record may stop before the exchange
    ended.
    """
    events, grain = scope.batch.events, grain_of_place(place)
    rows = scope.count_items(grain)
    chosen = _find_at_place(scope, kind, place)
    owner = find_owners(scope, place, chosen)
    size, recorded = count_named_cards(scope, chosen)
    counts = np.bincount(owner, size, rows).astype(np.int64)
    most = WIDEST_HAND * max(len(scope.compiled_game.game.deal.exchanging_stages), 1)
    known = are_kinds_recorded(scope, [kind], place)[scope.rounds_of(grain)] & (counts <= most)
    known[owner[~recorded]] = False
    known &= ~is_truncated(scope, grain) | _has_finished(scope, place, kind, owner, counts)
    return join_event_cards(events, chosen, owner, size, known)


def _has_finished(scope: EvaluationContext, place: Place, kind: Exchange, owner: Ints, counts: Ints) -> Flags:
    """Return whether a place has finished exchanging, even if the record stops there.

    It has if it discarded cards, or if it drew as many as it discarded.

    Args:
        owner: the owner of each event.
        counts: int64[n], how many cards each owner has exchanged.
    """
    if kind == "discard":
        return np.bincount(owner, minlength=len(counts)) > 0
    discarded = exchanged_cards(scope, place, "discard").count
    return (discarded != ABSENT) & (counts >= discarded)


def may_discard_later(scope: EvaluationContext, place: Place) -> Flags:
    """Return whether a place may discard more after a truncated record: it drew nothing, and no stake was settled
    since.

    Returns:
        bool[seats] for `player`, else bool[rounds].
    """
    grain = grain_of_place(place)
    goes_on = is_truncated(scope, grain)
    if not has_any(goes_on):
        return goes_on
    goes_on = goes_on.copy()
    goes_on[find_owners(scope, place, _find_at_place(scope, "draw", place))] = False
    begun = np.concatenate([_find_at_place(scope, kind, place) for kind in ("reveal", "discard")])
    last = np.full(scope.count_items(grain), ABSENT, np.int64)
    np.maximum.at(last, find_owners(scope, place, begun), begun)
    known = find_true(goes_on & (last != ABSENT))
    goes_on[known] = may_continue(scope, last[known])
    return goes_on


def may_draw_later(scope: EvaluationContext, place: Place) -> Flags:
    """Return whether a place may draw more after a truncated record.

    It may if it drew fewer cards than it discarded, and no stake was settled since its last draw.

    Returns:
        bool[seats] for `player`, else bool[rounds].
    """
    grain = grain_of_place(place)
    goes_on = is_truncated(scope, grain)
    if not has_any(goes_on):
        return goes_on
    goes_on = goes_on.copy()
    drawn, discarded = (exchanged_cards(scope, place, kind).count for kind in ("draw", "discard"))
    goes_on &= (drawn < discarded) | (drawn < 0) | (discarded < 0)
    chosen = _find_at_place(scope, "draw", place)
    last = np.full(scope.count_items(grain), ABSENT, np.int64)
    np.maximum.at(last, find_owners(scope, place, chosen), chosen)
    known = find_true(goes_on & (last != ABSENT))
    goes_on[known] = may_continue(scope, last[known])
    return goes_on


def _find_at_place(scope: EvaluationContext, kind: str, place: Place) -> Ints:
    chosen = events_of_kinds(scope, (kind,))
    return chosen[scope.batch.events.place[chosen] == PLACES.index(place)]


def find_owners(scope: EvaluationContext, place: Place, events: Ints) -> Ints:
    """Return the seat, or the round, whose cards each event concerns.

    Returns:
        int64[n].
    """
    owner = scope.batch.events.seat if place == "player" else scope.batch.events.round
    return owner[events].astype(np.int64)


@cached_fact
def final_cards(scope: EvaluationContext, place: Place) -> Hands:
    """Return the cards that a place holds at the end: one row per seat for `player`, else one row per round.

    `count` is ABSENT unless the cards dealt, discarded and drawn are all recorded. If faces of discards are unknown, so
    are the remaining cards, unless the full number of cards was shown at the end.
    """
    dealt = scope.dealt_hands(place)
    discarded, drawn = exchanged_cards(scope, place, "discard"), exchanged_cards(scope, place, "draw")
    changed = find_true((discarded.count != 0) | (drawn.count != 0))
    if not len(changed):
        return dealt
    left = _subtract_discards(
        *(Hands(cards=hands.cards[changed], count=hands.count[changed]) for hands in (dealt, discarded, drawn))
    )
    cards = np.full((len(dealt.count), left.cards.shape[1]), NO_CARD, np.uint8)
    cards[:, : dealt.cards.shape[1]] = dealt.cards
    count = dealt.count.copy()
    cards[changed], count[changed] = left.cards, left.count
    _fill_from_shown(scope, place, cards, count)
    return Hands(cards=cards, count=count)


def _subtract_discards(dealt: Hands, discarded: Hands, drawn: Hands) -> Hands:
    """Return the cards dealt and drawn, without those discarded; unknown faces come last."""
    pool = np.concatenate([dealt.cards, drawn.cards], axis=1)
    open_ = np.zeros(len(pool), bool)
    for column in range(int(discarded.count.max(initial=0))):
        card = discarded.cards[:, column]
        here = pool == card[:, None]
        face = here.any(axis=1) & (card < KNOWN_CARDS)
        # A discarded card that is not among the known cards must be one of the unknown cards.
        hidden = (pool == UNKNOWN_CARD) & ~face[:, None]
        result = np.where(face[:, None], here, hidden)
        removed = find_true((card != NO_CARD) & result.any(axis=1))
        pool[removed, result[removed].argmax(axis=1)] = NO_CARD
        open_ |= card == UNKNOWN_CARD
    pool = np.take_along_axis(pool, np.argsort(pool == NO_CARD, axis=1, kind="stable"), axis=1)
    count = dealt.count.astype(np.int64) - discarded.count + drawn.count
    count = np.where((dealt.count < 0) | (discarded.count < 0) | (drawn.count < 0) | (count < 0), ABSENT, count)
    pool[np.arange(pool.shape[1]) >= count[:, None]] = NO_CARD
    pool[open_[:, None] & (pool != NO_CARD)] = UNKNOWN_CARD
    short = (pool != NO_CARD).sum(axis=1) < count
    pool[short] = np.where(np.arange(pool.shape[1]) < count[short, None], UNKNOWN_CARD, NO_CARD)
    return Hands(cards=pool, count=count.astype(np.int16))


def _fill_from_shown(scope: EvaluationContext, place: Place, cards: Codes, count: Ints16) -> None:
    """Fill in the cards that a place showed last, if faces are unknown and all its cards were shown.

    If the log does not record discards, the show must include a card that was not dealt at first. Otherwise the place
    may have shown its hand before it exchanged any card.
    """
    events, deal = scope.batch.events, scope.compiled_game.game.deal
    full = deal.held.get(place, deal.cards.get(place, 0))
    doubtful = (count == full) & (cards == UNKNOWN_CARD).any(axis=1)
    if not has_any(doubtful):
        return
    last = np.full(len(count), ABSENT, np.int64)
    for kind in ("reveal", "discard", "draw"):
        chosen = _find_at_place(scope, kind, place)
        np.maximum.at(last, find_owners(scope, place, chosen), chosen)
    known = find_true(doubtful & (last != ABSENT))
    known = known[events.kind[last[known]] == KIND_CODES["reveal"]]
    rows = events.cards_row[last[known]]
    in_order = are_kinds_recorded(scope, ("discard",), place)[scope.rounds_of(grain_of_place(place))[known]]
    dealt, shown = scope.dealt_hands(place).cards[known], events.hands.cards[rows, :full]
    fresh = ~(shown[:, :, None] == dealt[:, None, :]).any(axis=2) & (shown < KNOWN_CARDS)
    drawn = fresh.any(axis=1) & ~(dealt == UNKNOWN_CARD).any(axis=1)
    whole = (events.hands.count[rows] == full) & (in_order | drawn)
    known, rows = known[whole], rows[whole]
    cards[known] = NO_CARD
    cards[known, :full] = events.hands.cards[rows, :full]


_UP = FACES.index("up")


@cached_fact
def collect_open_cards(scope: EvaluationContext, place: Place, through: int) -> Hands:
    """Return the cards that each seat, or the place of each round, was dealt face up until the end of a stage.

    The cards count as not recorded if the log does not list them as dealt, or omits the face of one. At other places
    than the seats, cards without events have the faces that the deal of the game gives them.

    Args:
        place: place of the cards.
        through: index of the last stage in the game's list.
    """
    events, grain = scope.batch.events, grain_of_place(place)
    stage, rows = stage_of_events(scope), scope.count_items(grain)
    dealt = find_true((events.kind == KIND_CODES["deal"]) & (events.place == PLACES.index(place)) & (stage <= through))
    chosen = dealt[events.face[dealt] == _UP]
    chosen = chosen[np.argsort(find_owners(scope, place, chosen), kind="stable")]
    owner, size = find_owners(scope, place, chosen), count_cards(scope, chosen)
    count = np.bincount(owner, size, rows).astype(np.int64)
    deal = scope.compiled_game.game.deal
    # A hand with too many cards has no rank, whatever the cards are.
    width = min(deal.count_open_cards(place, deal.stages[through].stage), WIDEST_HAND)
    cards = np.full((rows, width), NO_CARD, np.uint8)
    before = np.cumsum(size) - size
    before -= before[np.searchsorted(owner, owner)]
    for column in range(int(size.max(initial=0))):
        ours = find_true((column < size) & (before + column < width))
        cards[owner[ours], before[ours] + column] = events.hands.cards[events.cards_row[chosen[ours]], column]
    recorded = are_kinds_recorded(scope, ("deal",), place)[scope.rounds_of(grain)]
    recorded[find_owners(scope, place, dealt[events.face[dealt] == ABSENT])] = False
    count = np.where(recorded, np.minimum(count, WIDEST_HAND), ABSENT)
    if place != "player":
        _fill_from_listed(scope, place, through, dealt, cards, count)
    return Hands(cards=cards, count=count.astype(np.int16))


def _fill_from_listed(
    scope: EvaluationContext, place: Place, through: int, dealt: Ints, cards: Codes, count: Ints
) -> None:
    """Fill in the open cards of places whose deal has no events, by the faces that the game gives its cards."""
    deal, listed = scope.compiled_game.game.deal, scope.dealt_hands(place)
    faces = deal.list_faces(place)[: deal.locate_cards(place, deal.stages[through].stage)[1]]
    silent = listed.count >= len(faces)
    silent[find_owners(scope, place, dealt)] = False
    rows = find_true(silent)
    up = [position for position, face in enumerate(faces) if face == "up"]
    cards[rows, : len(up)] = listed.cards[rows][:, up]
    count[rows] = len(up)


def collect_hand_cards(scope: EvaluationContext, hand: str, place: Place) -> Hands:
    """Return the cards of a place that make up a hand: those dealt, held at the end, face up, or set into it."""
    prepared = scope.compiled_game.hands[hand]
    match prepared.cards:
        case "held":
            return final_cards(scope, place)
        case "open":
            return collect_open_cards(scope, place, prepared.through_stage)
        case "set-high" | "set-low":
            return collect_set_cards(scope, place, low=prepared.cards == "set-low")
        case _ if prepared.follows_stages:
            at = prepared.places.index(place)
            only = scope.compiled_game.game.hands[hand].stage is not None
            return _take_dealt_cards(scope, place, prepared.first[at], prepared.sizes[at], before_splits=only)
        case _:
            return scope.dealt_hands(place)


@cached_fact
def _take_dealt_cards(
    scope: EvaluationContext, place: Place, first: int, most: int, *, before_splits: bool = False
) -> Hands:
    """Return some of the cards dealt to a place, by their position in the order of dealing.

    Args:
        scope: the rounds.
        place: the place.
        first: position of the first card.
        most: the most cards.
        before_splits: whether hands have the cards that they were dealt, and not those that splits left or brought.
    """
    dealt = scope.dealt_hands(place)
    if before_splits and place == "player" and has_any(scope.boxes.splits):
        dealt = collect_dealt_cards(scope.batch, place)
        # A hand that was split off was dealt no cards of the first stage.
        dealt = Hands(cards=dealt.cards, count=np.where(scope.boxes.origin == ABSENT, dealt.count, np.int16(0)))
    count = np.clip(dealt.count - first, 0, most)
    return Hands(
        cards=dealt.cards[:, first : first + most], count=np.where(dealt.count < 0, ABSENT, count).astype(np.int16)
    )


_SHARED_FEATURES: Mapping[str, Codes] = {
    "rank": np.arange(CARDS, dtype=np.uint8) // 4,
    "suit": np.arange(CARDS, dtype=np.uint8) % 4,
    "colour": np.isin(np.arange(CARDS) % 4, [SUITS.index("d"), SUITS.index("h")]).astype(np.uint8),
}
"""Rank, suit and colour of every card; colours and suits in the order of `FEATURE_NAMES`."""


def are_cards_alike(scope: EvaluationContext, hand: str, feature: str, named: str | None = None) -> Truths:
    """Return whether all cards of a hand share their rank, suit or colour.

    It is unknown unless the hand is complete, and where a card is unknown and the others share it.

    Args:
        named: the only colour or suit that counts; None for any.

    Returns:
        uint8[n]: per seat if the player's cards are in it, else per round.
    """
    cards, full = _join_hand_cards(scope, hand)
    seen = cards < CARDS
    values = _SHARED_FEATURES[feature].take(np.minimum(cards, CARDS - 1))
    low = np.where(seen, values, 255).min(axis=1, initial=255)
    high = np.where(seen, values, 0).max(axis=1, initial=0)
    if named is not None:
        wanted = FEATURE_NAMES[feature].index(named)
        low, high = np.minimum(low, wanted), np.maximum(high, wanted)
    whole = seen.any(axis=1) & (seen == (cards != NO_CARD)).all(axis=1)
    return kleene.where_known(low == high, full & (whole | (low < high)))


@cached_fact
def hand_strength(scope: EvaluationContext, hand: str) -> Ints32:
    """Return the strength of a hand, int32: per seat if the player's cards are in it, else per round.

    It is ABSENT if a card is unknown or a place does not hold the full number of cards.
    """
    cards, full = _join_hand_cards(scope, hand)
    prepared = scope.compiled_game.hands[hand]
    if prepared.fewest == prepared.sizes or not isinstance(prepared.ranking, CompiledRanking):
        return np.where(full, prepared.strength(cards), np.int32(ABSENT))
    return _rank_by_number(prepared, cards, full)


def _rank_by_number(prepared: CompiledHand, cards: Codes, full: Flags) -> Ints32:
    """Return the strengths of hands whose number of cards varies, int32[n]; the best of all cards counts."""
    strengths = np.full(len(cards), ABSENT, np.int32)
    cards = np.take_along_axis(cards, np.argsort(cards == NO_CARD, axis=1, kind="stable"), axis=1)
    numbers = (cards != NO_CARD).sum(axis=1)
    for number in range(sum(prepared.fewest), sum(prepared.sizes) + 1):
        rows = find_true(full & (numbers == number))
        strengths[rows] = prepared.strength(cards[rows, :number])
    return strengths


def compare_strengths(scope: EvaluationContext, first: str, second: str) -> tuple[Ints, Ints]:
    """Return numbers by which two hands are compared, each per seat or per round; ABSENT for an unknown hand."""
    ranking, other = (scope.compiled_game.hands[name].ranking for name in (first, second))
    strength, to = hand_strength(scope, first), hand_strength(scope, second)
    if isinstance(ranking, CompiledRanking) and isinstance(other, CompiledRanking) and ranking.size != other.size:
        return ranking.find_leading_place(strength, other), other.find_leading_place(to, ranking)
    return (strength >> ranking.tie_bits).astype(np.int64), (to >> other.tie_bits).astype(np.int64)


def _join_hand_cards(scope: EvaluationContext, hand: str) -> tuple[Codes, Flags]:
    """Return the cards of a hand, place by place, and whether every place holds the full number of cards.

    Returns:
        uint8[n, k], padded with NO_CARD; bool[n].
    """
    prepared = scope.compiled_game.hands[hand]
    per_seat = "player" in prepared.places
    parts: list[Codes] = []
    full = np.ones(scope.count_items("seat" if per_seat else "round"), bool)
    for place, least, wanted in zip(prepared.places, prepared.fewest, prepared.sizes, strict=True):
        result = collect_hand_cards(scope, hand, place)
        cards, complete = result.cards[:, :wanted], (result.count >= least) & (result.count <= wanted)
        if per_seat and place != "player":
            cards, complete = cards[scope.batch.seats.round], complete[scope.batch.seats.round]
        parts.append(cards)
        full &= complete
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1), full
