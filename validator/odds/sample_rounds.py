"""Sample rounds for the interpreter, with given cards, stakes and decisions, and the hands that decide their
settlement.

The interpreter settles a deal with unknown cards. A case that certainly does not hold is skipped, and cases after
one that certainly holds are never reached. The remaining conditions depend on the cards; their hands decide the
settlement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import BaseModel

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Ints, Ints32
from fairdeal.validator.cards.card_codes import CARDS, NO_CARD, format_cards
from fairdeal.validator.cards.card_codes import UNKNOWN as NOT_KNOWN
from fairdeal.validator.cards.hand_orders import HandOrder
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.house_terms import find_spans
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.evidence.columns.recorded_events import make_mask_at
from fairdeal.validator.evidence.columns.round_batch import (
    UNDATED,
    Batch,
    CodedColumn,
    CodeTable,
    Events,
    Hands,
    Meters,
    Outcomes,
    Seats,
    Stakes,
    build_relation,
)
from fairdeal.validator.evidence.event_kinds import PLACES, WIDEST_HAND
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.language import grammar
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.rules.payment_model import Case
from fairdeal.validator.text.closed_model import iterate_set_keys


class SetHands(Struct, frozen=True, kw_only=True):
    """Hands into which cards are set."""

    high: Codes
    """Cards of the High Hand, uint8[n, k]."""
    low: Codes
    """Cards of the Low Hand, uint8[n, m]."""

    def select(self, rows: Ints) -> SetHands:
        """Return the hands of some rows."""
        return SetHands(high=self.high[rows], low=self.low[rows])


class SampleRounds(Struct, frozen=True, kw_only=True):
    """Sample rounds of one seat, with the same stakes and decisions. Rows of cards are padded with NO_CARD."""

    dealt: Mapping[grammar.Place, Codes]
    """Cards of each place, uint8[n, k]."""
    stakes: Mapping[str, int]
    """Stakes of the seat on each wager, in minor units."""
    decisions: tuple[str, ...] = ()
    """Decisions of the seat, in order."""
    discarded: Mapping[grammar.Place, Codes] = field(default_factory=dict)
    """Cards discarded at each place; a missing place discards none."""
    drawn: Mapping[grammar.Place, Codes] = field(default_factory=dict)
    """Cards drawn at each place."""
    set_hands: Mapping[grammar.Place, SetHands] = field(default_factory=dict)
    """Hands that places set. The seat decides at most once in such rounds."""
    meters: Mapping[str, int] = field(default_factory=dict)
    """Readings of the meters when awards are made, in minor units."""
    outcomes: Mapping[str, Ints] = field(default_factory=dict)
    """Number of the value of each result that is no card, int64[n]; a missing result is not known."""
    selections: Mapping[str, str] = field(default_factory=dict)
    """Selection of the stake on a wager."""
    brought: bool = False
    """True if the stakes lay on the table since an earlier round."""
    hands: int = 1
    """Number of hands of the box. The first seat has the first one, and the others were split off it."""
    is_split_off: bool = False
    """True if the cards, stakes and decisions are those of the first hand that was split off."""

    @property
    def count(self) -> int:
        """Return the number of rounds."""
        sizes = [*map(len, self.dealt.values()), *map(len, self.outcomes.values())]
        return sizes[0] if sizes else 1


def deal_unknown_cards(prepared: CompiledGame) -> dict[grammar.Place, Codes]:
    """Return a regular deal with unknown cards. A condition that is certain for it is certain for every deal.

    Places whose number of cards varies are left out, but for an empty hand of the player without other places.
    """
    deal = prepared.game.deal
    fixed = {place: count for place, count in deal.cards.items() if count == deal.fewest_cards.get(place)}
    return {place: np.full((1, count), NOT_KNOWN, np.uint8) for place, count in (fixed or {"player": 0}).items()}


def build_sample_batch(
    prepared: CompiledGame, rounds: SampleRounds, dealing: str | None = None, unrecorded: int = 0
) -> Batch:
    """Return sample rounds as a batch of regular rounds.

    Seats that may declare a win have declared it. The batch has no events, except for several decisions of a seat.

    Args:
        prepared: the game.
        rounds: the sample rounds.
        dealing: way of dealing; None for the first of the game.
        unrecorded: mask of the kinds of event whose absence proves nothing.
    """
    rounds = _add_set_aside(prepared, rounds, dealing)
    deal = prepared.game.deal
    for place in deal.cards:
        if place not in rounds.dealt and deal.cards[place] != deal.fewest_cards.get(place):
            unrecorded |= make_mask_at(["deal"], place)
    count = rounds.count
    stakes, meters = list(rounds.stakes.items()), list(rounds.meters.items())
    every, seat_count = np.arange(count, dtype=np.int32), count * rounds.hands
    first = every * rounds.hands + int(rounds.is_split_off)
    return build_relation(
        Batch,
        count,
        file=_repeat("odds", count),
        game=prepared.game.game,
        round=("",) * count,
        line=np.arange(1, count + 1),
        day=np.zeros(count, np.int32),
        time=np.zeros(count, np.int64),
        dated=np.full(count, UNDATED, np.uint8),
        offset=np.zeros(count, np.int16),
        complete=np.ones(count, np.bool_),
        dealer=_make_hands(rounds.dealt.get("dealer")),
        dealer_discarded=_make_exchanged(rounds.discarded.get("dealer"), count),
        dealer_drawn=None
        if unrecorded & make_mask_at(["draw"], "dealer")
        else _make_exchanged(rounds.drawn.get("dealer"), count),
        community=_make_hands(rounds.dealt.get("community")),
        community_discarded=_make_exchanged(rounds.discarded.get("community"), count),
        outcomes=_make_outcomes(prepared, rounds, every),
        meters=build_relation(
            Meters,
            count * len(meters),
            offsets=np.arange(count + 1) * len(meters),
            round=np.repeat(every, len(meters)),
            meter=CodedColumn(
                codes=np.tile(np.arange(len(meters), dtype=np.int32), count), names=tuple(name for name, _ in meters)
            ),
            shown=np.tile(np.array([reads for _, reads in meters], np.int64), count),
        ),
        seats=build_relation(
            Seats,
            seat_count,
            offsets=np.arange(count + 1) * rounds.hands,
            round=np.repeat(every, rounds.hands),
            number=np.tile(np.arange(1, rounds.hands + 1, dtype=np.int16), count),
            split_of=np.tile(np.array([ABSENT, *[1] * (rounds.hands - 1)], np.int16), count),
            player=_repeat("player", seat_count),
            decision=_repeat(rounds.decisions[0], seat_count) if len(rounds.decisions) == 1 else None,
            hands=_make_own_hands(rounds),
            discarded=_make_exchanged(rounds.discarded.get("player"), seat_count),
            drawn=_make_drawn(rounds, "player", unrecorded),
            playing=np.ones(seat_count, np.bool_),
        ),
        stakes=_make_stakes(first, stakes, rounds),
        events=_record_settings(every, first, rounds.set_hands)
        if rounds.set_hands
        else _record_decisions(every, first, rounds.decisions),
        recorded=np.ones(count, np.bool_),
        unrecorded=np.full(count, unrecorded, np.uint64),
    )


def _add_set_aside(prepared: CompiledGame, rounds: SampleRounds, dealing: str | None) -> SampleRounds:
    """Return the rounds with the cards that the way of dealing sets aside, dealt and discarded."""
    ways = prepared.game.deal.ways
    if not ways:
        return rounds
    way = ways.get(dealing or "", next(iter(ways.values())))
    dealt, aside, used = dict(rounds.dealt), dict(rounds.discarded), [*rounds.dealt.values(), *rounds.drawn.values()]
    for place in rounds.dealt:
        set_aside = way.discarded_cards.get(place, [])
        if not set_aside:
            continue
        others = _take_other_cards(used, len(set_aside))
        cards = np.full((len(others), way.count_dealt()[place]), NO_CARD, np.uint8)
        stays = [at for at in range(cards.shape[1]) if at not in set_aside]
        cards[:, stays[: rounds.dealt[place].shape[1]]] = rounds.dealt[place][:, : len(stays)]
        cards[:, set_aside] = others
        dealt[place], aside[place] = cards, others
        used.append(others)
    return replace(rounds, dealt=dealt, discarded=aside)


def _take_other_cards(used: list[Codes], number: int) -> Codes:
    """Return cards of the deck that no place has, a row for each deal; unknown cards if some are unknown."""
    cards = np.concatenate(used, axis=1)
    known = ((cards < CARDS) | (cards == NO_CARD)).all(axis=1)
    free = np.ones((len(cards), CARDS + 1), np.bool_)
    np.put_along_axis(free, np.minimum(cards, CARDS).astype(np.int64), False, axis=1)
    rest = np.argsort(~free[:, :CARDS], axis=1, kind="stable")[:, :number].astype(np.uint8)
    return np.where(known[:, None], rest, np.uint8(NOT_KNOWN))


def _record_decisions(every: Ints32, seats: Ints32, decisions: tuple[str, ...]) -> Events:
    """Return an event of a seat for each decision if there are several, as a summary names only one."""
    number, rounds = len(decisions) if len(decisions) > 1 else 0, len(every)
    if not number:
        return build_relation(Events, 0, offsets=np.zeros(rounds + 1, np.int64))
    names = tuple(dict.fromkeys(decisions))
    return build_relation(
        Events,
        number * rounds,
        offsets=np.arange(rounds + 1) * number,
        round=np.repeat(every, number),
        seat=np.repeat(seats, number),
        kind=np.full(number * rounds, KIND_CODES["decide"], np.uint8),
        decision=CodedColumn(codes=np.tile(np.array([*map(names.index, decisions)], np.int32), rounds), names=names),
    )


def _record_settings(every: Ints32, seats: Ints32, set_hands: Mapping[grammar.Place, SetHands]) -> Events:
    """Return an event of each place that set its cards."""
    number, rounds = len(set_hands), len(every)
    texts, lows = CodeTable(), np.concatenate([hands.low for hands in set_hands.values()])
    pairs, of_row = np.unique(lows, axis=0, return_inverse=True)
    codes = np.array([texts[format_cards(pair)] for pair in pairs.tolist()], np.int32)[of_row.reshape(-1)]
    in_order = np.arange(number * rounds).reshape(number, rounds).T.reshape(-1)
    place = np.repeat([PLACES.index(place) for place in set_hands], rounds)[in_order].astype(np.int8)
    highs = np.concatenate([hands.high for hands in set_hands.values()])
    return build_relation(
        Events,
        number * rounds,
        offsets=np.arange(rounds + 1) * number,
        round=np.repeat(every, number),
        seat=np.where(place == PLACES.index("player"), np.repeat(seats, number), np.int32(ABSENT)),
        kind=np.full(number * rounds, KIND_CODES["set"], np.uint8),
        place=place,
        value=CodedColumn(codes=codes[in_order], names=texts.names),
        cards_row=np.arange(number * rounds, dtype=np.int32),
        hands=_pad_hands(highs[in_order]),
    )


def _make_outcomes(prepared: CompiledGame, rounds: SampleRounds, every: Ints32) -> Outcomes:
    names = tuple(rounds.outcomes)
    texts, values = CodeTable(), np.zeros((len(every), len(names)), np.int32)
    for at, name in enumerate(names):
        codes = [texts[text] for text in prepared.outcomes[name].values]
        values[:, at] = np.array(codes, np.int32)[rounds.outcomes[name]]
    return Outcomes(
        offsets=np.arange(len(every) + 1) * len(names),
        round=np.repeat(every, len(names)),
        name=CodedColumn(codes=np.tile(np.arange(len(names), dtype=np.int32), len(every)), names=names),
        value=CodedColumn(codes=values.reshape(-1), names=texts.names),
    )


def _make_stakes(seats: Ints32, stakes: list[tuple[str, int]], rounds: SampleRounds) -> Stakes:
    number, rows, selected = len(stakes), len(seats) * len(stakes), CodeTable()
    on = np.array([selected[rounds.selections.get(name)] for name, _ in stakes], np.int32)
    no: Flags = np.zeros(rows, np.bool_)
    amount = np.tile(np.array([amount for _, amount in stakes], np.int64), len(seats))
    return build_relation(
        Stakes,
        rows,
        seat=np.repeat(seats, number),
        wager=CodedColumn(
            codes=np.tile(np.arange(number, dtype=np.int32), len(seats)), names=tuple(name for name, _ in stakes)
        ),
        selection=CodedColumn(codes=np.tile(on, len(seats)), names=selected.names),
        tip=no,
        bonus=no,
        amount=amount,
        brought=amount if rounds.brought else np.zeros(rows, np.int64),
        claimed=np.ones(rows, np.int8),
    )


def _make_hands(cards: Codes | None) -> Hands | None:
    """Return cards of a place as columns; None if the place has no cards."""
    return None if cards is None else _pad_hands(cards)


def _make_own_hands(rounds: SampleRounds) -> Hands | None:
    """Return the cards dealt to each hand of the player; the hands split off receive none but the card that moved."""
    cards = rounds.dealt.get("player")
    if cards is None or rounds.hands == 1:
        return _make_hands(cards)
    begun, later = np.repeat(cards[:, :1], rounds.hands, axis=1), cards[:, 1:]
    rows = np.full((len(cards) * rounds.hands, begun.shape[1] + later.shape[1]), NO_CARD, np.uint8)
    rows[:: rounds.hands, : begun.shape[1]] = begun
    at = 0 if rounds.is_split_off else begun.shape[1]
    rows[int(rounds.is_split_off) :: rounds.hands, at : at + later.shape[1]] = later
    return _pad_hands(rows)


def _make_exchanged(cards: Codes | None, count: int) -> Hands:
    return _pad_hands(np.zeros((count, 0), np.uint8) if cards is None else cards)


def _make_drawn(rounds: SampleRounds, place: grammar.Place, unrecorded: int) -> Hands | None:
    count = rounds.count * rounds.hands
    return None if unrecorded & make_mask_at(["draw"], place) else _make_exchanged(rounds.drawn.get(place), count)


def _pad_hands(cards: Codes) -> Hands:
    count, width = cards.shape
    wide = np.full((count, max(WIDEST_HAND, width)), NO_CARD, np.uint8)
    wide[:, :width] = cards
    return Hands(cards=wide, count=(cards != NO_CARD).sum(axis=1).astype(np.int16))


def _repeat(text: str, count: int) -> CodedColumn:
    return CodedColumn(codes=np.zeros(count, np.int32), names=(text,))


def complete_deals(
    prepared: CompiledGame, held: Mapping[grammar.Place, Codes], count: int = 1
) -> dict[grammar.Place, Codes]:
    """Return cards for every place: the given cards, and others of the deck where a place lacks some.

    Args:
        prepared: the game.
        held: given cards by place, uint8[n, k].
        count: number of deals if no cards are given.
    """
    count = len(next(iter(held.values()))) if held else count
    known = np.concatenate([np.zeros((count, 0), np.uint8), *held.values()], axis=1)
    free = np.ones((count, CARDS), bool)
    np.put_along_axis(free, known.astype(np.int64), False, axis=1)
    rest = np.argsort(~free, axis=1, kind="stable").astype(np.uint8)
    cards_by_place: dict[grammar.Place, Codes] = {}
    used = 0
    for place, wanted in prepared.game.deal.cards.items():
        cards = held.get(place, np.zeros((count, 0), np.uint8))
        lacking = max(wanted - cards.shape[1], 0)
        cards_by_place[place] = np.concatenate([cards, rest[:, used : used + lacking]], axis=1)
        used += lacking
    return cards_by_place


class DecidingHands(Struct, kw_only=True):
    """Hands, and results that are no cards, on which settlement or a condition depends."""

    bounds: dict[str, set[int]] = field(default_factory=dict)
    """Bounds of the distinguished strengths of each hand."""
    compared: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of hands that are compared with each other."""
    totals: set[str] = field(default_factory=set)
    """Hands whose points matter."""
    lengths: set[str] = field(default_factory=set)
    """Hands whose number of cards matters."""
    alike: set[str] = field(default_factory=set)
    """Hands for which it matters whether their cards share rank, suit or colour."""
    outcomes: set[str] = field(default_factory=set)
    """Results that are no cards."""
    places: set[grammar.Place] = field(default_factory=set)
    """Places whose number of cards matters."""

    @property
    def hands(self) -> list[str]:
        """Return the name of every hand."""
        return sorted(self.bounds)

    def include(self, other: DecidingHands) -> None:
        """Add what other rules depend on."""
        for name, ends in other.bounds.items():
            self.distinguish(name, *ends)
        self.compared |= other.compared
        self.totals |= other.totals
        self.lengths |= other.lengths
        self.alike |= other.alike
        self.outcomes |= other.outcomes
        self.places |= other.places

    def distinguish(self, hand: str, *ends: int) -> None:
        """Record that hands on both sides of some strengths are distinguished."""
        self.bounds.setdefault(hand, set()).update(ends)


def find_deciding_hands(scope: EvaluationContext, lines: Iterable[str], hands: DecidingHands) -> None:
    """Record the hands that decide what some lines are due, in a round with unknown cards.

    Args:
        scope: the round.
        lines: the lines.
        hands: receives the hands.
    """
    for line in lines:
        for case in scope.compiled_game.game.settlement.cases:
            if line not in case.lines:
                continue
            holds = YES if case.when is None else evaluate_first(scope, line, case.when)
            if holds == NO:
                continue
            if case.when is not None:
                find_hands_in_condition(scope, case.when, hands)
            _record_pay_table_hands(scope.compiled_game, case, hands)
            if holds == YES:
                break


def evaluate_first(scope: EvaluationContext, line: str, when: Condition) -> int:
    """Evaluate the condition of a case for the first stake on a line; for the first seat if there is none."""
    chosen = scope.stake_indices(line)
    if len(chosen) and scope.compiled_game.find_grain(when) == "stake":
        return int(scope.evaluate(when, "stake")[chosen[0]])
    return int(scope.evaluate(when, "seat")[0]) if scope.compiled_game.find_grain(when) != "stake" else NO


def find_hands_in_condition(scope: EvaluationContext, part: BaseModel, hands: DecidingHands) -> None:
    """Record the hands on which a part of a rule depends."""
    if isinstance(part, Condition):
        answers = scope.evaluate(part, scope.compiled_game.find_grain(part))
        if len(answers) and (answers != UNKNOWN).all():
            return
    match part:
        case grammar.Holds():
            hands.distinguish(part.hand, *scope.compiled_game.hands[part.hand].ranking.span(part.operand))
        case grammar.HandComparison():
            hands.distinguish(part.hand)
            hands.distinguish(part.to)
            hands.compared.add((part.hand, part.to))
        case grammar.OutcomeIs() | grammar.OutcomeNumber():
            hands.outcomes.add(part.of)
        case grammar.AlikeCards():
            hands.distinguish(part.hand)
            hands.alike.add(part.hand)
        case grammar.ListedHand():
            _record_rows(scope.compiled_game, part.of, part.hand, hands)
        case Condition() | Quantity():
            for name in OPERATORS.find(part).list_facts(part.operand):
                find_hands_in_condition(scope, scope.compiled_game.game.facts[name], hands)
            _record_quantity(scope.compiled_game, part, hands)
        case _:
            pass
    for inner in _list_models(part):
        find_hands_in_condition(scope, inner, hands)


def _list_models(part: BaseModel) -> Iterator[BaseModel]:
    waiting = [value for _, value in iterate_set_keys(part)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, BaseModel):
            yield value
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            waiting += value.values()


def _record_pay_table_hands(prepared: CompiledGame, case: Case, hands: DecidingHands) -> None:
    """Record the hands that select the payment of a case."""
    if case.due.operator != "pay-table":
        return
    due = case.due.operand
    name = due.hand or prepared.printed_tables[due.of][0].table.lookup_names[0]
    scale = prepared.game.scales.get(name)
    if scale is None:
        _record_rows(prepared, due.of, name, hands)
        return
    waiting: list[BaseModel] = [scale.of]
    while waiting:
        model = waiting.pop()
        if isinstance(model, Quantity):
            _record_quantity(prepared, model, hands)
        waiting += _list_models(model)


def _record_quantity(prepared: CompiledGame, part: Condition | Quantity, hands: DecidingHands) -> None:
    """Record the hands and places on whose cards a quantity depends."""
    match part.operator:
        case "length":
            hands.distinguish(part.operand)
            hands.lengths.add(part.operand)
        case "points":
            hands.distinguish(part.operand)
            hands.totals.add(part.operand)
        case "cards" if part.operand in prepared.game.deal.cards:
            if prepared.game.deal.cards[part.operand] != prepared.game.deal.fewest_cards.get(part.operand):
                hands.places.add(part.operand)
        case _:
            pass


def _record_rows(prepared: CompiledGame, line: str, hand: str, hands: DecidingHands) -> None:
    """Record the strengths at which rows of the tables of a line change, and categories that the tables may lack."""
    names = {row for printed in prepared.printed_tables.get(line, ()) for row in printed.rows}
    names |= {row.category for row in prepared.unlisted_rows}
    hands.distinguish(hand)
    for span in find_spans(prepared.hands[hand].ranking, sorted(names)).values():
        hands.distinguish(hand, *span)


def is_by_category(ranking: HandOrder, ends: set[int]) -> bool:
    """Return whether only categories of a ranking are distinguished."""
    spans = [ranking.span(category) for category in ranking.categories]
    return ends <= {end for span in spans for end in span}
