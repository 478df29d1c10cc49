"""Which events belong to which step of the game, and whether the log records them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial, reduce
from operator import or_

import numpy as np

from validator.arrays import ABSENT, Flags, Ints, Ints8, Tri, alike
from validator.engine.acts.corrected_stakes import CHIPS, parts_of_other_acts
from validator.engine.core import kleene
from validator.engine.core.context import Scope, fact
from validator.engine.core.kleene import NO, YES
from validator.engine.timeline.card_lots import about
from validator.engine.timeline.event_decks import happened_to
from validator.engine.timeline.exposed_cards import none_left_open
from validator.engine.timeline.streets import stage_of_events
from validator.evidence.columns.batch import Coded
from validator.evidence.columns.recorded_kinds import DEAL_ORDER, mask_at, mask_of, told
from validator.evidence.handlog.event_values import ACTORS, FACES, PLACES
from validator.evidence.handlog.events import KIND, KINDS
from validator.language.conditions import Condition
from validator.language.operands import NumberStated
from validator.rules.model.game import Step


def kinds_recorded(scope: Scope, kinds: Sequence[str], place: str | None = None, *, ordered: bool = True) -> Flags:
    """Return whether the log records events of all these kinds, so that their absence means something, bool[rounds].

    Args:
        place: the place that counts, of kinds that always stand at one.
        ordered: whether it must also record in which order cards were dealt.
    """
    return _recorded(scope, _mask(scope, kinds, place, ordered=ordered))


def steps_recorded(scope: Scope, names: Iterable[str], *, ordered: bool = True) -> Flags:
    """Return whether the log records all events that may belong to these steps, bool[rounds].

    Args:
        ordered: whether it must also record in which order cards were dealt.
    """
    mask, deal = 0, scope.prepared.game.deal
    for name in names:
        step = scope.prepared.steps[name]
        mask |= _mask(scope, step.events, step.place, ordered=ordered)
        # Several exchanges are told apart by all that is done in them.
        for stage in (deal.stages[number] for number in deal.exchanging if len(deal.exchanging) > 1):
            if stage.stage == step.stage:
                mask |= reduce(or_, (mask_at(("discard", "draw", "decide"), place) for place in stage.exchanges or ()))
    return _recorded(scope, mask)


def _mask(scope: Scope, kinds: Sequence[str], place: str | None, *, ordered: bool = True) -> int:
    """The mask of some kinds, with `place` as far as they stand there; cards are dealt where the game deals any."""
    if place is not None or "deal" not in kinds:
        return mask_at(kinds, place)
    dealt = reduce(or_, (mask_at(("deal",), served) for served in scope.prepared.game.deal.serves))
    return mask_at([kind for kind in kinds if kind != "deal"]) | dealt | (mask_of([DEAL_ORDER]) if ordered else 0)


@fact
def events_of_recorded_kinds(scope: Scope) -> Flags:
    """Return the events of kinds that their log records; where others stand proves nothing. bool[events]."""
    events = scope.batch.events
    result = np.ones(len(events.kind), bool)
    partial_ = scope.batch.unrecorded != 0
    if partial_.any():
        there = np.flatnonzero(partial_.take(events.round))
        kind_and_place = events.kind[there].astype(np.int64) * (len(PLACES) + 1) + events.place[there]
        examples, codes = alike(kind_and_place)
        masks = np.array([_mask_of_event(scope, int(there[example])) for example in examples.tolist()], np.uint64)
        result[there] = (scope.batch.unrecorded.take(events.round[there]) & masks[codes]) == 0
    return result


def _mask_of_event(scope: Scope, event: int) -> int:
    """Return the mask of what a log must record to tell of events like this."""
    kind, place = KINDS[scope.batch.events.kind[event]], int(scope.batch.events.place[event])
    return mask_at([kind], None if place == ABSENT else PLACES[place]) & ~mask_of([DEAL_ORDER])


@fact
def _recorded(scope: Scope, mask: int) -> Flags:
    return told(scope.batch, mask)


@fact
def events_of(scope: Scope, name: str) -> Ints:
    """int64[m]: the events that surely belong to a step, in log order."""
    chosen, surely = events_maybe_of(scope, name)
    return chosen if (surely == YES).all() else chosen.compress(surely == YES)


@fact
def events_maybe_of(scope: Scope, name: str) -> tuple[Ints, Tri]:
    """int64[m]: the events that may belong to a step, in log order, and uint8[m], whether they surely do (YES) or
    the log leaves it open (UNKNOWN)."""
    return _fitting(scope, scope.prepared.steps[name])


def events_perhaps_of(scope: Scope, name: str) -> Ints:
    """int64[m]: the events that belong to a step and those that may, in log order. It is the very array of `events_of`
    where there are no others."""
    chosen, surely = events_of(scope, name), events_maybe_of(scope, name)[0]
    return chosen if len(chosen) == len(surely) else surely


def doubtful_of(scope: Scope, name: str) -> Ints:
    """int64[m]: the events of which the log leaves open whether they belong to a step, in log order."""
    sure, perhaps = events_of(scope, name), events_perhaps_of(scope, name)
    return perhaps[:0] if sure is perhaps else np.setdiff1d(perhaps, sure, assume_unique=True)


def _fitting(scope: Scope, step: Step) -> tuple[Ints, Tri]:
    chosen = events_of_kinds(scope, tuple(step.events))
    if not CHIPS.isdisjoint(step.events):
        chosen = chosen.compress(~parts_of_other_acts(scope).take(chosen))
    surely = kleene.constant(YES, len(chosen))
    for feature in _features(scope, step):
        surely = np.minimum(surely, feature(chosen))
        possible = surely == YES if step.evident else surely != NO
        if not possible.all():
            chosen, surely = chosen.compress(possible), surely.compress(possible)
    return chosen, surely


def _features(scope: Scope, step: Step) -> Iterator[Callable[[Ints], Tri]]:
    """What the events of a step have in common, each asked of some events."""
    events = scope.batch.events
    if step.place is not None:
        place = PLACES.index(step.place)
        yield lambda chosen: kleene.known(events.place.take(chosen) == place)
    if step.by is not None:
        by = ACTORS.index(step.by)
        yield lambda chosen: kleene.where_known(doers(scope)[chosen] == by, doers(scope)[chosen] != ABSENT)
    if step.deck is not None:
        deck = step.deck
        yield lambda chosen: happened_to(scope, deck, chosen, unnamed=step.unnamed_deck)
    if step.of:
        yield lambda chosen: kleene.known(events.wager.at(chosen).among(step.of))
    if step.decisions:
        # Events that take no decision belong to the step for what they are.
        decide = KIND["decide"]
        yield lambda chosen: kleene.known(
            (events.kind.take(chosen) != decide) | events.decision.at(chosen).among(step.decisions)
        )
    if step.said_again:
        yield lambda chosen: _says_again(scope).take(chosen)
    if step.what is not None:
        what = step.what
        yield lambda chosen: about(scope, what, chosen)
    if step.what_is is not None:
        said = step.what_is
        yield lambda chosen: _said(events.what.at(chosen), said)
    if step.stage is not None:
        stage = [stage_.stage for stage_ in scope.prepared.game.deal.stages].index(step.stage)
        yield lambda chosen: kleene.known(stage_of_events(scope).take(chosen) == stage)
    if step.face is not None:
        face = FACES.index(step.face)
        yield lambda chosen: kleene.where_known(events.face.take(chosen) == face, events.face.take(chosen) != ABSENT)
    if step.pot is not None:
        side = step.pot == "side"
        yield lambda chosen: kleene.where_known(
            (events.pot.take(chosen) > 0) == side, events.pot.take(chosen) != ABSENT
        )
    if step.of_seats is not None:
        fits = scope.truth(Condition.model_validate({"pot-share": step.of_seats}), "seat")
        yield lambda chosen: _of_their_seat(scope, fits, chosen)
    yield from _beside_other_steps(scope, step)
    if step.stated is not None:
        stated = step.stated
        yield lambda chosen: kleene.where_known(_stated(events.amount[chosen], stated), events.amount[chosen] != ABSENT)
    if step.when is not None:
        when = step.when
        yield lambda chosen: _at_its_place(scope, when, step.each, chosen)


@fact
def doers(scope: Scope) -> Ints8:
    """int8[events]: who did what each event tells, ABSENT where the log does not say; the dealer announces what nobody
    else is said to."""
    events = scope.batch.events
    unrecorded = (events.kind == KIND["announce"]) & (events.by == ABSENT)
    return np.where(unrecorded, np.int8(ACTORS.index("dealer")), events.by)


@fact
def _says_again(scope: Scope) -> Tri:
    """uint8[events]: whether each is a decision that says what the one of its seat before it said."""
    events = scope.batch.events
    decided = events_of_kinds(scope, ("decide",))
    decided = decided[np.argsort(events.seat.take(decided), kind="stable")]
    seat, said = events.seat.take(decided), events.decision.codes.take(decided)
    follows = (seat[1:] == seat[:-1]) & (seat[1:] != ABSENT)
    recorded = (said[1:] != ABSENT) & (said[:-1] != ABSENT)
    result = kleene.constant(NO, scope.length("event"))
    result[decided[1:]] = kleene.where_known(follows & (said[1:] == said[:-1]), recorded | ~follows)
    return result


def _beside_other_steps(scope: Scope, step: Step) -> Iterator[Callable[[Ints], Tri]]:
    """What the events of a step have in common by those of others, as `_features`."""
    if step.covers is not None:
        shown, surely = events_maybe_of(scope, step.covers)
        yield lambda chosen: none_left_open(scope, shown, surely, chosen)
    if step.after is not None:
        earlier = step.after
        yield lambda chosen: _behind(scope, earlier, chosen, _side_by_side(scope, step, earlier))
    if step.before is not None:
        later = step.before
        yield lambda chosen: _ahead(scope, later, chosen, _side_by_side(scope, step, later))
    for other in step.but:
        yield partial(_others, scope, other)


def _said(what: Coded, wanted: Sequence[str]) -> Tri:
    """Whether words are wanted ones, which an event may leave out."""
    return kleene.where_known(what.among(wanted), what.codes != ABSENT)


def _side_by_side(scope: Scope, step: Step, other: str) -> bool:
    """Whether both steps are gone through seat by seat, so that events are held against those of their own seat."""
    return "round" not in (step.each, scope.prepared.steps[other].each)


def _behind(scope: Scope, earlier: str, chosen: Ints, of_seats: bool) -> Tri:
    """Whether some events come after the last one of a step in their round, or at their seat; without one none does."""
    sure, perhaps = events_of(scope, earlier), events_perhaps_of(scope, earlier)
    last = _final(scope, sure, chosen, of_seats, ABSENT)
    latest = last if perhaps is sure else _final(scope, perhaps, chosen, of_seats, ABSENT)
    never = (chosen <= last) | (latest == ABSENT)
    rounds = scope.batch.events.round.take(chosen)
    recorded = steps_recorded(scope, [earlier]).take(rounds)
    # Where the record stops, what is the last so far need not be the last of the round.
    over = scope.batch.complete.take(rounds)
    return kleene.decided((last != ABSENT) & (chosen > latest) & recorded & over, never & recorded)


def _ahead(scope: Scope, later: str, chosen: Ints, of_seats: bool) -> Tri:
    """Whether some events come before the first one of a step in their round, or at their seat; without one none is."""
    beyond = scope.length("event")
    sure, perhaps = events_of(scope, later), events_perhaps_of(scope, later)
    first = _final(scope, sure[::-1], chosen, of_seats, beyond)
    earliest = first if perhaps is sure else _final(scope, perhaps[::-1], chosen, of_seats, beyond)
    rounds = scope.batch.events.round.take(chosen)
    recorded = steps_recorded(scope, [later]).take(rounds)
    never = (chosen >= first) | ((earliest == beyond) & recorded & scope.batch.complete.take(rounds))
    return kleene.decided((chosen < earliest) & (first < beyond) & recorded, never)


def _final(scope: Scope, events: Ints, chosen: Ints, of_seats: bool, none: int) -> Ints:
    """int64[m]: the event that comes last in `events`, in log order or backwards, of those in the round of each
    chosen event, or at its seat; `none` where there is none, as of events at no seat."""
    owner = scope.batch.events.seat if of_seats else scope.batch.events.round
    result = np.full(scope.length("seat" if of_seats else "round") + 1, none, np.int64)
    result[owner.take(events)] = events
    result[ABSENT] = none  # the entry beyond the last, for no seat
    return result.take(owner.take(chosen))


def _others(scope: Scope, step: str, chosen: Ints) -> Tri:
    """Whether some events are none of a step."""
    of_step, surely = events_maybe_of(scope, step)
    marks = kleene.constant(NO, scope.length("event"))
    marks[of_step] = surely
    return kleene.negated(marks.take(chosen))


def _at_its_place(scope: Scope, when: Condition, each: str, chosen: Ints) -> Tri:
    """A condition asked of the round or the seat of events; of no seat it is not true."""
    if not len(chosen):
        return kleene.constant(NO, 0)
    if each == "round":
        return scope.truth(when, "round").take(scope.batch.events.round.take(chosen))
    return _of_their_seat(scope, scope.truth(when, "seat"), chosen)


def _of_their_seat(scope: Scope, fits: Tri, chosen: Ints) -> Tri:
    """What is so of the seat of each event (uint8[seats]); of no seat it is not."""
    # The entry for no seat comes last, which is where ABSENT points to.
    return np.append(fits, np.uint8(NO)).take(scope.batch.events.seat.take(chosen))


def _stated(number: Ints, wanted: NumberStated) -> Flags:
    match wanted.operator:
        case "equals":
            return number == wanted.operand
        case "differs-from":
            return number != wanted.operand
        case "at-least":
            return number >= wanted.operand
        case _:
            return number <= wanted.operand


def last_by_round(scope: Scope, chosen: Ints) -> Ints:
    """int64[rounds]: the last of some events, in log order, ABSENT where a round has none."""
    last = np.full(len(scope.batch), ABSENT, np.int64)
    last[scope.batch.events.round[chosen]] = chosen
    return last


def first_by_round(scope: Scope, chosen: Ints) -> Ints:
    """int64[rounds]: the first of some events, in log order, after all events where a round has none."""
    first = np.full(len(scope.batch), scope.length("event"), np.int64)
    first[scope.batch.events.round[chosen[::-1]]] = chosen[::-1]
    return first


@fact
def events_of_kinds(scope: Scope, kinds: tuple[str, ...]) -> Ints:
    """int64[m]: the events of some kinds, in log order."""
    by_kind, bounds = _by_kind(scope)
    runs = [by_kind[bounds[KIND[kind]] : bounds[KIND[kind] + 1]] for kind in kinds]
    runs = [run for run in runs if len(run)]
    # A stable sort merges runs that are in order, which takes a moment.
    return runs[0] if len(runs) == 1 else np.sort(np.concatenate([by_kind[:0], *runs]), kind="stable")


@fact
def _by_kind(scope: Scope) -> tuple[Ints, list[int]]:
    """int64[events]: the events, those of each kind together, in log order; and where each kind starts."""
    kind = scope.batch.events.kind
    bounds = np.concatenate([[0], np.cumsum(np.bincount(kind, minlength=len(KINDS)))])
    return np.argsort(kind, kind="stable"), bounds.tolist()
