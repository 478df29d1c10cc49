"""Events of each step of the game: which they are, how many, and whether the log records them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial, reduce
from operator import or_

import numpy as np

from fairdeal.validator.arrays import (
    ABSENT,
    Bounds,
    Flags,
    Ints,
    Ints8,
    Truths,
    are_all,
    find_true,
    group_equal,
    has_any,
    is_one_of,
    look_up,
)
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.compiled_game import CompiledGame, cached_by_game
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import NO, UNBOUNDED, UNKNOWN, YES
from fairdeal.validator.engine.timeline.deal_stages import is_burn_of_unknown_stage, stage_of_events
from fairdeal.validator.engine.timeline.event_cards import are_all_turned_down, concerns_deck, is_about
from fairdeal.validator.engine.timeline.recorded_acts import CHIP_KINDS, find_dependent_movements, may_be_put_back
from fairdeal.validator.evidence.columns.recorded_events import DEAL_ORDER, is_mask_recorded, make_mask, make_mask_at
from fairdeal.validator.evidence.columns.round_batch import CodedColumn
from fairdeal.validator.evidence.event_kinds import ACTORS, FACES, PLACES
from fairdeal.validator.evidence.log_events import KIND_CODES, KINDS
from fairdeal.validator.language.grammar import Grain, NumberStated
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.rules.game_model import Act


def are_kinds_recorded(
    scope: EvaluationContext, kinds: Sequence[str], place: str | None = None, *, ordered: bool = True
) -> Flags:
    """Return whether the log records events of all these kinds, so that their absence is evidence.

    Args:
        place: the place that counts, for kinds that always occur at a place.
        ordered: whether the log must also record the order in which cards were dealt.

    Returns:
        bool[rounds].
    """
    if not omits_kinds(scope):
        return scope.batch.recorded
    return _is_recorded(scope, _build_mask(scope.compiled_game, tuple(kinds), place, ordered=ordered))


def are_steps_recorded(scope: EvaluationContext, names: Iterable[str], *, ordered: bool = True) -> Flags:
    """Return whether the log records all events that may belong to these steps.

    Args:
        ordered: whether the log must also record the order in which cards were dealt.

    Returns:
        bool[rounds].
    """
    if not omits_kinds(scope):
        return scope.batch.recorded
    return _is_recorded(scope, _build_steps_mask(scope.compiled_game, tuple(names), ordered=ordered))


@cached_fact
def omits_kinds(scope: EvaluationContext) -> bool:
    """Return whether a record of the batch does not have all kinds of events."""
    return has_any(scope.batch.unrecorded)


@cached_by_game
def _build_steps_mask(prepared: CompiledGame, names: tuple[str, ...], *, ordered: bool) -> int:
    """Return the mask of all events that may belong to some steps."""
    mask, deal = 0, prepared.game.deal
    for name in names:
        step = prepared.steps[name]
        mask |= _build_mask(prepared, tuple(step.events), step.place, ordered=ordered)
        # All events of the exchanges are needed to distinguish several of them.
        for stage in (deal.stages[number] for number in deal.exchanging_stages if len(deal.exchanging_stages) > 1):
            if stage.stage == step.stage:
                mask |= reduce(
                    or_, (make_mask_at(("discard", "draw", "decide"), place) for place in stage.exchanges or ())
                )
    return mask


@cached_by_game
def _build_mask(prepared: CompiledGame, kinds: tuple[str, ...], place: str | None, *, ordered: bool) -> int:
    """Return the mask of some kinds at a place; cards are dealt to all places that the game serves."""
    if place is not None or "deal" not in kinds:
        return make_mask_at(kinds, place)
    dealt = reduce(or_, (make_mask_at(("deal",), served) for served in prepared.game.deal.served_places))
    return (
        make_mask_at([kind for kind in kinds if kind != "deal"]) | dealt | (make_mask([DEAL_ORDER]) if ordered else 0)
    )


@cached_fact
def is_kind_recorded(scope: EvaluationContext) -> Flags:
    """Return whether each event is of a kind that its log records; the positions of others prove nothing.

    Returns:
        bool[events].
    """
    events = scope.batch.events
    result = np.ones(len(events.kind), bool)
    partial_ = scope.batch.unrecorded != 0
    if has_any(partial_):
        there = find_true(partial_.take(events.round))
        kind_and_place = events.kind[there].astype(np.int64) * (len(PLACES) + 1) + events.place[there]
        examples, codes = group_equal(kind_and_place)
        masks = np.array([_build_event_mask(scope, int(there[example])) for example in examples.tolist()], np.uint64)
        result[there] = (scope.batch.unrecorded.take(events.round[there]) & masks[codes]) == 0
    return result


def _build_event_mask(scope: EvaluationContext, event: int) -> int:
    """Return the mask of what a log must record in order to record events of this kind and place."""
    kind, place = KINDS[scope.batch.events.kind[event]], int(scope.batch.events.place[event])
    return make_mask_at([kind], None if place == ABSENT else PLACES[place]) & ~make_mask([DEAL_ORDER])


@cached_fact
def _is_recorded(scope: EvaluationContext, mask: int) -> Flags:
    return is_mask_recorded(scope.batch, mask)


@cached_fact
def certain_events(scope: EvaluationContext, name: str) -> Ints:
    """Return the events that surely belong to a step, in log order.

    Returns:
        int64[m].
    """
    chosen, certain = events_with_certainty(scope, name)
    is_certain = certain == YES
    return chosen if are_all(is_certain) else chosen.compress(is_certain)


@cached_fact
def events_with_certainty(scope: EvaluationContext, name: str) -> tuple[Ints, Truths]:
    """Return the events that may belong to a step, and whether they surely do.

    Returns:
        int64[m], the events in log order; uint8[m], YES if the event surely belongs to the step, UNKNOWN if it may.
    """
    return _find_fitting(scope, scope.compiled_game.steps[name])


@cached_fact
def possible_events(scope: EvaluationContext, name: str) -> Ints:
    """Return the events that belong or may belong to a step, in log order.

    If no event is ambiguous, this is the same array object as `certain_events` returns.

    Returns:
        int64[m].
    """
    chosen, certain = certain_events(scope, name), events_with_certainty(scope, name)[0]
    return chosen if len(chosen) == len(certain) else certain


def ambiguous_events(scope: EvaluationContext, name: str) -> Ints:
    """Return the events that may or may not belong to a step, in log order.

    Returns:
        int64[m].
    """
    sure, possible = certain_events(scope, name), possible_events(scope, name)
    return possible[:0] if sure is possible else np.setdiff1d(possible, sure, assume_unique=True)


def _find_fitting(scope: EvaluationContext, step: Act) -> tuple[Ints, Truths]:
    chosen = events_of_kinds(scope, step.events)
    moves_chips = not CHIP_KINDS.isdisjoint(step.events)
    if moves_chips and len(chosen):
        chosen = chosen.compress(~find_dependent_movements(scope).take(chosen))
    for is_of_step in _certain_features(scope, step):
        if not len(chosen):
            break
        fits = is_of_step(chosen)
        chosen = chosen if are_all(fits) else chosen.compress(fits)
    certain = kleene.constant(YES, len(chosen))
    if moves_chips and not are_all(scope.batch.complete):
        certain[may_be_put_back(scope, chosen)] = UNKNOWN
        possible = certain == YES
        if step.evident and not are_all(possible):
            chosen, certain = chosen.compress(possible), certain.compress(possible)
    for feature in _features(scope, step) if len(chosen) else ():
        truth = feature(chosen)
        if are_all(truth == YES):
            continue
        certain = np.minimum(certain, truth)
        possible = certain == YES if step.evident else certain != NO
        chosen, certain = chosen.compress(possible), certain.compress(possible)
        if not len(chosen):
            break
    return chosen, certain


def _certain_features(scope: EvaluationContext, step: Act) -> Iterator[Callable[[Ints], Flags]]:
    """Yield the features that each event shows for certain, each as a function of some events."""
    events = scope.batch.events
    if step.place is not None:
        place = PLACES.index(step.place)
        yield lambda chosen: events.place.take(chosen) == place
    if step.of:
        yield lambda chosen: events.wager.take(chosen).is_one_of(step.of)
    if step.decisions:
        # Events of other kinds than decisions need no decision.
        decide = KIND_CODES["decide"]
        yield (
            lambda chosen: (events.kind.take(chosen) != decide) | events.decision.take(chosen).is_one_of(step.decisions)
        )


def _features(scope: EvaluationContext, step: Act) -> Iterator[Callable[[Ints], Truths]]:
    """Yield the other features of the events of a step, each as a function of some events."""
    events = scope.batch.events
    if step.by is not None:
        by = ACTORS.index(step.by)
        yield lambda chosen: kleene.where_known(
            event_actors(scope)[chosen] == by, event_actors(scope)[chosen] != ABSENT
        )
    if step.deck is not None:
        deck = step.deck
        yield lambda chosen: concerns_deck(scope, deck, chosen, unnamed=step.unnamed_deck)
    if step.said_again:
        yield lambda chosen: _says_again(scope).take(chosen)
    if step.word is not None:
        word = step.word
        yield lambda chosen: is_about(scope, word, chosen)
    elif step.words:
        yield lambda chosen: _says_one_of(events.what.take(chosen), step.words)
    if step.stage is not None:
        stage = [stage_.stage for stage_ in scope.compiled_game.game.deal.stages].index(step.stage)
        yield lambda chosen: kleene.where_known(
            stage_of_events(scope).take(chosen) == stage, ~is_burn_of_unknown_stage(scope).take(chosen)
        )
    if step.face is not None:
        face = FACES.index(step.face)
        yield lambda chosen: kleene.where_known(events.face.take(chosen) == face, events.face.take(chosen) != ABSENT)
    if step.pot is not None:
        side = step.pot == "side"
        yield lambda chosen: kleene.where_known(
            (events.pot.take(chosen) > 0) == side, events.pot.take(chosen) != ABSENT
        )
    if step.of_seats is not None:
        fits = scope.evaluate(_build_share_condition(scope.compiled_game, step.of_seats), "seat")
        yield lambda chosen: _value_of_seat(scope, fits, chosen)
    yield from _features_by_other_steps(scope, step)
    if step.stated is not None:
        stated = step.stated
        yield lambda chosen: kleene.where_known(
            _states_number(events.amount[chosen], stated), events.amount[chosen] != ABSENT
        )
    if step.when is not None:
        when = step.when
        yield lambda chosen: _evaluate_at(scope, when, step.grain, chosen)


@cached_by_game
def _build_share_condition(_: CompiledGame, share: str) -> Condition:
    """Build the condition that a seat has some share of the pots."""
    return Condition.build("pot_share", share)


@cached_fact
def event_actors(scope: EvaluationContext) -> Ints8:
    """Return the actor of each event; ABSENT if unknown. The dealer makes announcements without an actor.

    Returns:
        int8[events].
    """
    events = scope.batch.events
    unrecorded = (events.kind == KIND_CODES["announce"]) & (events.by == ABSENT)
    return np.where(unrecorded, np.int8(ACTORS.index("dealer")), events.by)


@cached_fact
def _says_again(scope: EvaluationContext) -> Truths:
    """Return whether each event is a decision that repeats the previous decision of its seat."""
    events = scope.batch.events
    decided = events_of_kinds(scope, ("decide",))
    decided = decided[np.argsort(events.seat.take(decided), kind="stable")]
    seat, said = events.seat.take(decided), events.decision.codes.take(decided)
    follows = (seat[1:] == seat[:-1]) & (seat[1:] != ABSENT)
    recorded = (said[1:] != ABSENT) & (said[:-1] != ABSENT)
    result = kleene.constant(NO, scope.count_items("event"))
    result[decided[1:]] = kleene.where_known(follows & (said[1:] == said[:-1]), recorded | ~follows)
    return result


def _features_by_other_steps(scope: EvaluationContext, step: Act) -> Iterator[Callable[[Ints], Truths]]:
    """Yield the features of the events of a step that depend on other steps, as `_features`."""
    if step.covers is not None:
        shown, certain = events_with_certainty(scope, step.covers)
        yield lambda chosen: are_all_turned_down(scope, shown, certain, chosen)
    if step.after is not None:
        earlier = step.after
        yield lambda chosen: _comes_after(scope, earlier, chosen, _are_seat_by_seat(scope, step, earlier))
    if step.before is not None:
        later = step.before
        yield lambda chosen: _comes_before(scope, later, chosen, _are_seat_by_seat(scope, step, later))
    for other in step.but:
        yield partial(_is_not_of_step, scope, other)


def _says_one_of(what: CodedColumn, wanted: Sequence[str]) -> Truths:
    """Return whether events say one of the wanted words; unknown if an event says nothing."""
    return kleene.where_known(what.is_one_of(wanted), what.codes != ABSENT)


def _are_seat_by_seat(scope: EvaluationContext, step: Act, other: str) -> bool:
    """Return whether both steps are evaluated seat by seat, so that events are compared with those of their own
    seat.
    """
    return "round" not in (step.grain, scope.compiled_game.steps[other].grain)


def _comes_after(scope: EvaluationContext, earlier: str, chosen: Ints, of_seats: bool) -> Truths:
    """Return whether events come after the last event of a step in their round, or at their seat.

    Without an event of the step, none does.
    """
    sure, possible = certain_events(scope, earlier), possible_events(scope, earlier)
    last = _find_last(scope, sure, chosen, of_seats, ABSENT)
    latest = last if possible is sure else _find_last(scope, possible, chosen, of_seats, ABSENT)
    never = (chosen <= last) | (latest == ABSENT)
    rounds = scope.batch.events.round.take(chosen)
    recorded = are_steps_recorded(scope, [earlier]).take(rounds)
    # In a truncated record, the last event so far need not be the last of the round.
    over = scope.batch.complete.take(rounds)
    return kleene.from_yes_no((last != ABSENT) & (chosen > latest) & recorded & over, never & recorded)


def _comes_before(scope: EvaluationContext, later: str, chosen: Ints, of_seats: bool) -> Truths:
    """Return whether events come before the first event of a step in their round, or at their seat.

    Without an event of the step, none does.
    """
    beyond = scope.count_items("event")
    sure, possible = certain_events(scope, later), possible_events(scope, later)
    first = _find_last(scope, sure[::-1], chosen, of_seats, beyond)
    earliest = first if possible is sure else _find_last(scope, possible[::-1], chosen, of_seats, beyond)
    rounds = scope.batch.events.round.take(chosen)
    recorded = are_steps_recorded(scope, [later]).take(rounds)
    never = (chosen >= first) | ((earliest == beyond) & recorded & scope.batch.complete.take(rounds))
    return kleene.from_yes_no((chosen < earliest) & (first < beyond) & recorded, never)


def _find_last(scope: EvaluationContext, events: Ints, chosen: Ints, of_seats: bool, none: int) -> Ints:
    """Return the last of `events` in the round, or at the seat, of each chosen event; `none` if there is none.

    The events are in log order, or in reverse order to find the first one.
    """
    owner = scope.batch.events.seat if of_seats else scope.batch.events.round
    result = np.full(scope.count_items("seat" if of_seats else "round") + 1, none, np.int64)
    result[owner.take(events)] = events
    result[ABSENT] = none  # the last entry is for no seat
    return result.take(owner.take(chosen))


def _is_not_of_step(scope: EvaluationContext, step: str, chosen: Ints) -> Truths:
    """Return whether events do not belong to a step."""
    of_step, certain = events_with_certainty(scope, step)
    marks = kleene.constant(NO, scope.count_items("event"))
    marks[of_step] = certain
    return kleene.negate(marks.take(chosen))


def _evaluate_at(scope: EvaluationContext, when: Condition, each: str, chosen: Ints) -> Truths:
    """Evaluate a condition for the round or the seat of each event; it is false for events without a seat."""
    if not len(chosen):
        return kleene.constant(NO, 0)
    if each == "round":
        return scope.evaluate(when, "round").take(scope.batch.events.round.take(chosen))
    return _value_of_seat(scope, scope.evaluate(when, "seat"), chosen)


def _value_of_seat(scope: EvaluationContext, fits: Truths, chosen: Ints) -> Truths:
    """Return the value of each event's seat; NO for events without a seat."""
    return look_up(fits, scope.batch.events.seat.take(chosen), NO)


def _states_number(number: Ints, wanted: NumberStated) -> Flags:
    match wanted.operator:
        case "equals":
            return number == wanted.operand
        case "differs-from":
            return number != wanted.operand
        case "at-least":
            return number >= wanted.operand
        case _:
            return number <= wanted.operand


def has_any_by_round(scope: EvaluationContext, chosen: Ints | Flags) -> Flags:
    """Return whether each round has any of some events, int64[m] or bool[events].

    Returns:
        bool[rounds].
    """
    result = np.zeros(len(scope.batch), bool)
    result[scope.batch.events.round[chosen]] = True
    return result


def find_last_by_round(scope: EvaluationContext, chosen: Ints) -> Ints:
    """Return the last of some events in each round; ABSENT if a round has none.

    Args:
        chosen: the events in log order.

    Returns:
        int64[rounds].
    """
    last = np.full(len(scope.batch), ABSENT, np.int64)
    last[scope.batch.events.round[chosen]] = chosen
    return last


def find_first_by_round(scope: EvaluationContext, chosen: Ints) -> Ints:
    """Return the first of some events in each round; the number of all events if a round has none.

    Args:
        chosen: the events in log order.

    Returns:
        int64[rounds].
    """
    first = np.full(len(scope.batch), scope.count_items("event"), np.int64)
    first[scope.batch.events.round[chosen[::-1]]] = chosen[::-1]
    return first


@cached_fact
def events_of_kinds(scope: EvaluationContext, kinds: tuple[str, ...]) -> Ints:
    """Return the events of some kinds, in log order.

    Returns:
        int64[m].
    """
    by_kind, bounds = _group_by_kind(scope)
    runs = [by_kind[bounds[KIND_CODES[kind]] : bounds[KIND_CODES[kind] + 1]] for kind in kinds]
    runs = [run for run in runs if len(run)]
    # A stable sort merges sorted runs quickly.
    return runs[0] if len(runs) == 1 else np.sort(np.concatenate([by_kind[:0], *runs]), kind="stable")


def may_have_happened(scope: EvaluationContext, name: str) -> bool:
    """Return whether the batch has an event of a kind that may belong to a step."""
    return name in _find_steps_of_kinds(scope)


@cached_fact
def _find_steps_of_kinds(scope: EvaluationContext) -> frozenset[str]:
    """Return the steps to which an event of the batch may belong by its kind."""
    _, bounds = _group_by_kind(scope)
    kinds = {kind for code, kind in enumerate(KINDS) if bounds[code + 1] > bounds[code]}
    return frozenset(name for name, step in scope.compiled_game.steps.items() if not kinds.isdisjoint(step.events))


@cached_fact
def _group_by_kind(scope: EvaluationContext) -> tuple[Ints, list[int]]:
    """Return the events grouped by kind, in log order, and the start of each kind."""
    kind = scope.batch.events.kind
    bounds = np.concatenate([[0], np.cumsum(np.bincount(kind, minlength=len(KINDS)))])
    return np.argsort(kind, kind="stable"), bounds.tolist()


@cached_fact
def count_step_events(scope: EvaluationContext, name: str, grain: Grain) -> Bounds:
    """Return the least and the largest number of events of a step in each round or at each seat.

    If the log does not record the order of the deal, it shows that there were cards, but not in how many packets.
    """
    rounds = scope.rounds_of(grain)
    recorded = are_steps_recorded(scope, [name])[rounds]
    least = _count(scope, certain_events(scope, name), grain)
    doubtful = ambiguous_events(scope, name)
    most = least + _count(scope, doubtful, grain) if len(doubtful) else least
    if are_all(recorded):
        return least, most
    there = (least > 0) & are_steps_recorded(scope, [name], ordered=False)[rounds]
    return np.where(recorded, least, np.where(there, 1, -UNBOUNDED)), np.where(recorded, most, UNBOUNDED)


def _count(scope: EvaluationContext, chosen: Ints, grain: Grain) -> Ints:
    if grain == "round":
        return np.bincount(scope.batch.events.round.take(chosen), minlength=scope.count_items("round"))
    seat = scope.batch.events.seat.take(chosen)
    return np.bincount(seat.compress(seat != ABSENT), minlength=scope.count_items("seat"))


@cached_fact
def stated_numbers(scope: EvaluationContext, name: str, grain: Grain) -> Ints:
    """Return the number or amount that the last event of a step states in each round or at each seat.

    Returns:
        int64[n]; ABSENT if the event states none, if there is no such event or it is ambiguous, or if the log does not
        record the step.
    """
    chosen = possible_events(scope, name)
    events = scope.batch.events
    owner = events.round if grain == "round" else events.seat
    chosen = chosen[owner[chosen] != ABSENT]
    stated = np.where(is_one_of(chosen, ambiguous_events(scope, name)), ABSENT, events.amount[chosen])
    numbers = np.full(scope.count_items(grain), ABSENT, np.int64)
    numbers[owner[chosen]] = stated
    recorded = are_steps_recorded(scope, [name])[scope.rounds_of(grain)]
    return np.where(recorded, numbers, ABSENT)


def has_ambiguous_events(scope: EvaluationContext, steps: Iterable[str]) -> bool:
    """Return whether some event may or may not belong to one of the steps."""
    return any(
        certain_events(scope, step) is not possible_events(scope, step)
        for step in steps
        if may_have_happened(scope, step)
    )


def find_rounds_with_ambiguity(scope: EvaluationContext, steps: Sequence[str]) -> Flags:
    """Return whether each round has an event that may or may not belong to one of the steps.

    Returns:
        bool[rounds].
    """
    result = np.zeros(scope.count_items("round"), bool)
    for step in steps:
        result[scope.batch.events.round[ambiguous_events(scope, step)]] = True
    return result
