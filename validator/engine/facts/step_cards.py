"""Cards that the events of a step name, and hands after a step compared with the rules of drawing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import (
    ABSENT,
    Bits32,
    Bits64,
    Codes,
    Flags,
    Ints,
    Ints32,
    Truths,
    are_all,
    find_distinct,
    find_true,
    flag_items,
    has_any,
    is_one_of,
    look_up,
)
from fairdeal.validator.cards import card_choices
from fairdeal.validator.cards.card_choices import CompiledSetRule, DiscardConstraint, SetGroup
from fairdeal.validator.cards.card_codes import KNOWN_CARDS, NO_CARD, sort_columns
from fairdeal.validator.cards.card_codes import UNKNOWN as UNKNOWN_CARD
from fairdeal.validator.cards.hand_orders import compile_order
from fairdeal.validator.cards.point_totals import PointTotalRanking
from fairdeal.validator.cards.ranking import CompiledRanking
from fairdeal.validator.cards.ranking_models import MAX_RANKED_CARDS, RANKS
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.compiled_game import CompiledGame, compile_game_deck
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.engine.facts.final_hands import (
    collect_set_cards,
    compile_setting,
    exchanged_cards,
    final_cards,
    find_owners,
    hand_strength,
    may_discard_later,
)
from fairdeal.validator.engine.timeline import event_cards, step_events
from fairdeal.validator.evidence.columns.recorded_events import join_event_cards
from fairdeal.validator.evidence.event_kinds import PLACES
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.language.grammar import Grain, Place, grain_of_place
from fairdeal.validator.rules import deal_model as language

DECK_CODES = 64
"""Size of the code range for the cards of one deck."""
_HAND_PLACES: tuple[Place, ...] = ("player", "dealer", "community")


@cached_fact
def are_cards_unused(scope: EvaluationContext, step: str) -> Truths:
    """Return whether no card that events of a step show is in use.

    A card is in use if a place holds it at the end, with all decks counted. It is also in use if it is dealt later from
    a single deck. The result is unknown if a face is unknown, or if the log does not record the step.

    Returns:
        uint8[rounds].
    """
    rounds, chosen = scope.count_items("round"), step_events.certain_events(scope, step)
    happened, open_ = np.zeros(rounds, bool), np.zeros(rounds, bool)
    happened[scope.batch.events.round[chosen]] = True
    open_[_find_rounds_with_unknown(scope, chosen)] = True
    for place in _HAND_PLACES:
        open_[_find_hidden(scope, place, happened)] = True
    used = np.zeros(rounds, bool)
    used[cards_used_again(scope, step) // DECK_CODES] = True
    unused = np.where(happened & open_, np.uint8(UNKNOWN), np.uint8(YES))
    unused = np.minimum(
        unused, kleene.where_known(np.ones(rounds, bool), step_events.are_steps_recorded(scope, [step]))
    )
    return np.where(used, np.uint8(NO), unused)


@cached_fact
def cards_used_again(scope: EvaluationContext, step: str) -> Ints:
    """Return the cards that events of a step show and that are in use, ascending.

    A card is encoded as `DECK_CODES * round + card`.

    Returns:
        int64[m].
    """
    decks = scope.compiled_game.game.decks
    shown, at = collect_known_cards(scope, step_events.certain_events(scope, step))
    later = shown[are_dealt_after(scope, shown, at)] if decks == 1 else shown[:0]
    aside, times = find_distinct(shown), np.zeros(scope.count_items("round") * DECK_CODES, np.int64)
    np.add.at(times, np.concatenate(list(_iter_held_cards(scope, _flag_rounds(scope, shown)))), 1)
    return aside[(times[aside] >= decks) | is_one_of(aside, later)]


def are_dealt_after(scope: EvaluationContext, shown: Ints, at: Ints) -> Flags:
    """Return which known cards are dealt, or drawn, at a place after the events that show them.

    Args:
        shown: the cards, as `DECK_CODES * round + card`.
        at: int64[m], the events that show them.

    Returns:
        bool[m].
    """
    if not len(shown):
        return np.zeros(0, bool)
    events, selected = scope.batch.events, _flag_rounds(scope, shown)
    handed = step_events.events_of_kinds(scope, ("deal", "draw"))
    handed = handed[selected[events.round[handed]]]
    dealt, when = collect_known_cards(scope, handed[events.place[handed] != PLACES.index("burn")])
    last = np.full(scope.count_items("round") * DECK_CODES, ABSENT, np.int64)
    np.maximum.at(last, dealt, when)
    return last[shown] > at


@cached_fact
def are_cards_among(scope: EvaluationContext, step: str, among: str) -> Truths:
    """Return whether events of another step show every card that events of a step show.

    The result is unknown if a face is unknown, or if the log does not record the steps. It is unknown as well if a
    truncated record may still show the cards.

    Returns:
        uint8[rounds].
    """
    shown_open, there_open, missing = (np.zeros(scope.count_items("round"), bool) for _ in range(3))
    shown_open[_find_rounds_with_unknown(scope, step_events.certain_events(scope, step))] = True
    there_open[_find_rounds_with_unknown(scope, step_events.certain_events(scope, among))] = True
    missing[find_cards_not_among(scope, step, among) // DECK_CODES] = True
    shown_open |= ~step_events.are_steps_recorded(scope, [step])
    there_open |= ~step_events.are_steps_recorded(scope, [among]) | ~scope.batch.complete
    return np.where(
        missing & ~there_open, np.uint8(NO), np.where(missing | shown_open, np.uint8(UNKNOWN), np.uint8(YES))
    )


@cached_fact
def find_cards_not_among(scope: EvaluationContext, step: str, among: str) -> Ints:
    """Return the cards that events of a step show and events of another do not, as in `cards_used_again`.

    Returns:
        int64[m].
    """
    shown, there = (
        collect_known_cards(scope, step_events.certain_events(scope, step_name))[0] for step_name in (step, among)
    )
    return find_distinct(shown[~is_one_of(shown, there)])


def collect_known_cards(scope: EvaluationContext, chosen: Ints) -> tuple[Ints, Ints]:
    """Return the known cards of some events, as `DECK_CODES * round + card`, and the event of each.

    Returns:
        int64[m] each.
    """
    events = scope.batch.events
    chosen = chosen[events.cards_row[chosen] != ABSENT]
    cards = events.hands.cards[events.cards_row[chosen]] if len(chosen) else np.zeros((0, 1), np.uint8)
    keys, known = events.round[chosen].astype(np.int64)[:, None] * DECK_CODES + cards, cards < KNOWN_CARDS
    return keys[known], np.broadcast_to(chosen[:, None], cards.shape)[known]


def _find_rounds_with_unknown(scope: EvaluationContext, chosen: Ints) -> Ints:
    """Return the rounds of the events with an unknown card."""
    events = scope.batch.events
    rows = events.cards_row[chosen]
    silent = rows == ABSENT
    if len(events.hands.count):
        cards = events.hands.cards[rows]
        silent |= ((cards >= KNOWN_CARDS) & (cards != NO_CARD)).any(axis=1) | (events.hands.count[rows] == 0)
    return events.round[chosen[silent]].astype(np.int64)


def _flag_rounds(scope: EvaluationContext, shown: Ints) -> Flags:
    """Return the rounds of some cards; most rounds show none."""
    selected = np.zeros(scope.count_items("round"), bool)
    selected[shown // DECK_CODES] = True
    return selected


def _iter_held_cards(scope: EvaluationContext, selected: Flags) -> Iterator[Ints]:
    """Yield the known cards that each place holds in some rounds, as in `cards_used_again`."""
    for place in _HAND_PLACES:
        owner = scope.rounds_of(grain_of_place(place))
        rows = find_true(selected[owner])
        cards = final_cards(scope, place).cards[rows]
        yield (owner[rows].astype(np.int64)[:, None] * DECK_CODES + cards)[cards < KNOWN_CARDS]


def _find_hidden(scope: EvaluationContext, place: Place, selected: Flags) -> Ints32:
    """Return the rounds, of some, in which a place may hold an unknown card."""
    hand, owner = final_cards(scope, place), scope.rounds_of(grain_of_place(place))
    rows = find_true(selected[owner])
    cards, owner = hand.cards[rows], owner[rows]
    hidden = ((cards >= KNOWN_CARDS) & (cards != NO_CARD)).any(axis=1)
    # A place without a summary has no cards if the log records the deal and has none.
    events, dealt = scope.batch.events, step_events.events_of_kinds(scope, ("deal",))
    dealt = dealt[events.place[dealt] == PLACES.index(place)]
    served = flag_items(find_owners(scope, place, dealt), len(hand.count))
    recorded = step_events.are_kinds_recorded(scope, ("deal",), place)[owner] & ~served[rows]
    return owner[hidden | ((hand.count[rows] < 0) & ~recorded)]


_TELL_AGAIN = frozenset({"fault", "reveal"})


@cached_fact
def count_cards_of_step(
    scope: EvaluationContext, name: str, grain: Grain, *, kept: bool = False
) -> tuple[Ints, Ints, Flags]:
    """Count the cards that the events of a step name in each round or at each seat.

    With one deck, a card that is shown again, or named in another fault, is the same card. All other events concern
    cards of their own.

    Args:
        kept: leave out cards that the step's place is known to have discarded.

    Returns:
        int64[n] each, the least and the largest number, the same array twice if no event is ambiguous; bool[n], whether
        the log records it.
    """
    possible, known = (
        step_events.possible_events(scope, name),
        step_events.are_steps_recorded(scope, [name])[scope.rounds_of(grain)],
    )
    owner = (scope.batch.events.round if grain == "round" else scope.batch.events.seat)[possible]
    possible, owner = possible[owner != ABSENT], owner[owner != ABSENT]
    size, recorded = event_cards.count_named_cards(scope, possible)
    known[owner[~recorded]] = False
    doubtful, length = step_events.ambiguous_events(scope, name), scope.count_items(grain)
    sure = np.isin(possible, doubtful, invert=True) if len(doubtful) else np.ones(len(possible), bool)
    repeated = np.zeros(len(possible), bool)
    if scope.compiled_game.game.decks == 1 and not _TELL_AGAIN.isdisjoint(scope.compiled_game.steps[name].events):
        repeated = is_one_of(scope.batch.events.kind[possible], [KIND_CODES[kind] for kind in sorted(_TELL_AGAIN)])
        # A hand that is shown only once shows no card again.
        repeated &= (np.bincount(owner, repeated, length).take(owner) > 1) | event_cards.names_card_twice(
            scope, possible
        )
    faces = (
        event_cards.collect_named_faces(scope, possible)
        if kept or has_any(repeated)
        else np.zeros(len(possible), np.uint64)
    )
    if kept:
        left_play = faces & _discarded_by_place(scope, name, possible)
        size, faces = size - np.bitwise_count(left_play), faces & ~left_play
    least, most = _count_shown(scope, possible, owner, faces, sure, repeated, length)
    least += np.bincount(owner, np.where(sure & ~repeated, size, 0), length).astype(np.int64)
    most += np.bincount(owner, np.where(repeated, 0, size), length).astype(np.int64)
    return most if are_all(least == most) else least, most, known


def count_points_of_step(scope: EvaluationContext, name: str, ranking: str, grain: Grain) -> tuple[Ints, Flags]:
    """Return the points of the cards that the events of a step show in each round or at each seat.

    Args:
        scope: the rounds.
        name: the step.
        ranking: name of a ranking that counts points.
        grain: grain of the step.

    Returns:
        int64[n], 0 without an event; bool[n], whether the log shows all of these cards.
    """
    order = compile_order(scope.compiled_game.regulation.vocabulary.rankings[ranking])
    if not isinstance(order, PointTotalRanking):
        raise TypeError(f"{ranking} does not count points")
    events, length = scope.batch.events, scope.count_items(grain)
    chosen = step_events.possible_events(scope, name)
    owner = (events.round if grain == "round" else events.seat)[chosen].astype(np.int64)
    chosen, owner = chosen[owner != ABSENT], owner[owner != ABSENT]
    size, recorded = event_cards.count_named_cards(scope, chosen)
    known = step_events.are_steps_recorded(scope, [name])[scope.rounds_of(grain)]
    known[owner[~recorded]] = False
    doubtful = step_events.ambiguous_events(scope, name)
    known[(events.round if grain == "round" else events.seat)[doubtful]] = False
    known &= np.bincount(owner, size, length) <= MAX_RANKED_CARDS
    cards = join_event_cards(events, chosen, owner, size, known)
    points = order.points(order.strength(cards.cards[:, :MAX_RANKED_CARDS]))
    return np.maximum(points, 0), known & ((points >= 0) | (cards.count == 0))


def _discarded_by_place(scope: EvaluationContext, name: str, chosen: Ints) -> Bits64:
    """Return the known cards that the place of each event discarded and does not hold, as sets."""
    place = scope.compiled_game.steps[name].place
    assert place in ("player", "dealer", "community"), "the loader refuses rules for other places"
    return _discarded_for_good(scope, place)[find_owners(scope, place, chosen)]


@cached_fact
def _discarded_for_good(scope: EvaluationContext, place: Place) -> Bits64:
    """Return the known cards that each place discarded and does not hold, as sets: per seat, or per round."""
    return event_cards.card_bits(exchanged_cards(scope, place, "discard").cards) & ~event_cards.card_bits(
        final_cards(scope, place).cards
    )


def _count_shown(
    scope: EvaluationContext, chosen: Ints, owner: Ints, faces: Bits64, sure: Flags, repeated: Flags, length: int
) -> tuple[Ints, Ints]:
    """Return the least and the largest number of different cards that repeated shows reveal to each owner.

    A card whose face is unknown may be one that another event shows.

    Returns:
        int64[length] each.
    """
    if not has_any(repeated):
        return np.zeros(length, np.int64), np.zeros(length, np.int64)
    chosen, owner, faces, sure = chosen[repeated], owner[repeated], faces[repeated], sure[repeated]
    events = scope.batch.events
    hidden = look_up((events.hands.cards == UNKNOWN_CARD).sum(axis=1), events.cards_row[chosen], 0)
    certain, possible = np.zeros(length, np.uint64), np.zeros(length, np.uint64)
    np.bitwise_or.at(certain, owner[sure], faces[sure])
    np.bitwise_or.at(possible, owner, faces)
    least = np.bitwise_count(certain).astype(np.int64)
    np.maximum.at(least, owner[sure], (np.bitwise_count(faces) + hidden)[sure])
    return least, np.bitwise_count(possible) + np.bincount(owner, hidden, length).astype(np.int64)


class DrawDecisions(Struct, frozen=True, kw_only=True):
    """Hands of a place compared with rules of drawing, one entry per hand (a seat or a round).

    A way is a choice of kept cards, as in `cards.card_choices`, or a way to set cards, as in `cards.card_choices`.
    """

    hand: Codes
    """Cards of each hand."""
    is_hand_known: Flags
    """True if all cards of the hand are known."""
    may_decide: tuple[Flags, ...]
    """Hands that each rule, in order, may decide, bool[n] each."""
    permitted_keeps: tuple[Bits32, ...]
    """Ways that each rule permits."""
    may_be_undecided: Flags
    """True if it may be that no rule decides."""
    are_own_cards: Flags
    """True if the log shows the discards, which are cards of the hand, or the hands that were set."""
    matching_keeps: Bits32
    """Ways that match the discards, or the hands that were set."""

    def is_decided_by(self, rules: Collection[int]) -> Truths:
        """Return whether one of these rules decides, and no other.

        Returns:
            uint8[n].
        """
        chosen = np.zeros(len(self.is_hand_known), bool)
        others = self.may_be_undecided.copy()
        for index, may in enumerate(self.may_decide):
            (chosen if index in rules else others)[may] = True
        return np.where(chosen, np.where(others, np.uint8(UNKNOWN), np.uint8(YES)), np.uint8(NO))

    def follows_rules(self, rules: Collection[int]) -> Truths:
        """Return whether the cards are discarded or set as the deciding one of these rules requires.

        Returns:
            uint8[n].
        """
        some, every = np.zeros(len(self.is_hand_known), bool), self.matching_keeps != 0
        for index in rules:
            may, lets = self.may_decide[index], self.permitted_keeps[index]
            some |= may & (self.matching_keeps & lets != 0)
            every &= ~may | (self.matching_keeps & ~lets == 0)
        fits = np.where(every, np.uint8(YES), np.where(some, np.uint8(UNKNOWN), np.uint8(NO)))
        return np.where(self.is_hand_known & self.are_own_cards, fits, np.uint8(UNKNOWN))


@cached_fact
def evaluate_drawing(scope: EvaluationContext, name: str) -> DrawDecisions:
    """Compare the hands of a place with the rules of drawing of a name."""
    drawing = scope.compiled_game.game.drawing[name]
    if drawing.sets_cards:
        return _compare_with_setting_rules(scope, drawing)
    return _compare_with_keeping_rules(scope, drawing)


def _compare_with_keeping_rules(scope: EvaluationContext, drawing: language.Drawing) -> DrawDecisions:
    ranking = _find_ranking(scope.compiled_game, drawing)
    assert drawing.hand is not None, "rules that keep cards name a hand"
    known = hand_strength(scope, drawing.hand) != ABSENT
    hand = np.where(known[:, None], scope.dealt_hands(drawing.place).cards[:, : ranking.size], np.uint8(NO_CARD))
    columns = sort_columns(hand)
    ways = [
        compile_keep(scope.compiled_game, drawing, rule.keep).ways(columns)
        for rule in drawing.rules
        if rule.keep is not None
    ]
    discards = exchanged_cards(scope, drawing.place, "discard")
    aside = card_choices.match_discards(
        columns, discards.cards, discards.count, may_discard_later(scope, drawing.place)
    )
    return _decide_by_rules(scope, drawing, hand, known, ways, aside)


def _compare_with_setting_rules(scope: EvaluationContext, drawing: language.Drawing) -> DrawDecisions:
    setting = compile_setting(scope.compiled_game, drawing.place)
    dealt = scope.dealt_hands(drawing.place)
    hand = np.full((len(dealt.count), setting.size), NO_CARD, np.uint8)
    hand[:, : dealt.cards.shape[1]] = dealt.cards[:, : setting.size]
    known = (dealt.count == setting.size) & (hand < KNOWN_CARDS).all(axis=1)
    hand[~known] = NO_CARD
    splits = setting.rank_splits(hand)
    ways = [setting.find_ways(compile_set_rule(rule.set_), splits) for rule in drawing.rules if rule.set_ is not None]
    high, low = (collect_set_cards(scope, drawing.place, low=is_low) for is_low in (False, True))
    shown = (high.count != ABSENT) & ~(
        (high.cards == UNKNOWN_CARD).any(axis=1) | (low.cards == UNKNOWN_CARD).any(axis=1)
    )
    matching = DiscardConstraint(ways=setting.match_ways(hand, high.cards, low.cards), own=shown)
    return _decide_by_rules(scope, drawing, hand, known, ways, matching)


def _decide_by_rules(
    scope: EvaluationContext,
    drawing: language.Drawing,
    hand: Codes,
    known: Flags,
    ways: Sequence[Bits32],
    matching: DiscardConstraint,
) -> DrawDecisions:
    """Find the rule that decides each hand, by the ways in which the hand can follow each of them."""
    may_decide = []
    open_ = np.ones(len(known), bool)
    for rule, permitted in zip(drawing.rules, ways, strict=True):
        applies = (
            kleene.constant(YES, len(known))
            if rule.when is None
            else scope.evaluate(rule.when, grain_of_place(drawing.place))
        )
        applies = np.where(known, np.where(permitted != 0, applies, np.uint8(NO)), np.minimum(applies, UNKNOWN))
        may_decide.append(open_ & (applies != NO))
        open_ = open_ & (applies != YES)
    return DrawDecisions(
        hand=hand,
        is_hand_known=known,
        may_decide=tuple(may_decide),
        permitted_keeps=tuple(ways),
        may_be_undecided=open_,
        are_own_cards=matching.own,
        matching_keeps=matching.ways,
    )


def _find_ranking(prepared: CompiledGame, drawing: language.Drawing) -> CompiledRanking:
    ranking = None if drawing.hand is None else prepared.hands[drawing.hand].ranking
    if not isinstance(ranking, CompiledRanking):
        raise TypeError(f"{drawing.hand} has a ranking without a fixed number of cards")
    return ranking


def compile_keep(
    prepared: CompiledGame, drawing: language.Drawing, keep: language.Keep
) -> card_choices.CompiledKeepRule:
    """Compile the cards that a rule of drawing lets a hand keep."""
    ranking = _find_ranking(prepared, drawing)
    match keep:
        case language.KeepGroups():
            return card_choices.CompiledKeepGrouped(
                ranking=ranking,
                groups=keep.groups is not None,
                others=keep.highest or keep.lowest or 0,
                lowest=keep.lowest is not None,
            )
        case language.KeepDraw():
            deck = compile_game_deck(prepared)
            assert deck is not None, "a hand consists of cards"
            completing = card_choices.Completion(
                ranking=ranking,
                category=keep.toward,
                cards=keep.cards,
                deck=deck,
                decks=prepared.game.decks,
            )
            return card_choices.CompiledKeepToward(
                completing=completing, completed_by=keep.completed_by or 1, prefer=keep.prefer
            )
        case _:
            return card_choices.CompiledKeepAll(size=ranking.size)


def compile_set_rule(model: language.SetCards) -> CompiledSetRule:
    """Compile a rule that sets cards."""
    return CompiledSetRule(
        groups=tuple(
            SetGroup(size=group.cards, ranks=frozenset(map(RANKS.index, group.ranks or RANKS)), low=group.low)
            for group in model.groups or ()
        ),
        completes=tuple(model.complete or ()),
    )
