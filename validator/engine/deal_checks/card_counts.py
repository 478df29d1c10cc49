"""Numbers of cards: burnt before a stage of the deal, received by each place, and taken by a rule or by decisions.

Where cards come by a rule, a place is due a card before which the condition holds, as its hand was then. The check
compares the cards of the log with those due, and finds the first card too many or too few of every hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Flags, Ints, find_distinct, find_true, has_any, is_one_of, look_up
from fairdeal.validator.cards.card_codes import NO_CARD
from fairdeal.validator.engine.betting.betting_terms import find_stage_players
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.engine.facts.final_hands import find_owners
from fairdeal.validator.engine.timeline import deal_stages
from fairdeal.validator.engine.timeline.event_cards import count_named_cards
from fairdeal.validator.engine.timeline.excused_acts import find_deals_in_progress
from fairdeal.validator.engine.timeline.plain_deal_stages import burns_mid_stage, count_initial_burns
from fairdeal.validator.engine.timeline.recorded_acts import find_repetitions
from fairdeal.validator.engine.timeline.step_events import (
    are_kinds_recorded,
    events_of_kinds,
    find_last_by_round,
    has_any_by_round,
)
from fairdeal.validator.evidence.columns.recorded_events import find_numbered_seats
from fairdeal.validator.evidence.columns.round_batch import Hands
from fairdeal.validator.evidence.event_kinds import PLACES
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.language.grammar import Place, grain_of_place
from fairdeal.validator.rules.deal_model import MOST_CARDS, Stage, Taking


class CardsDue(Struct, frozen=True, kw_only=True):
    """Cards of a place in a stage compared with those due, one entry per seat or round."""

    taken: Ints
    """Number of cards that the log records, int64[n]."""
    due: Ints
    """Number of cards due, or the least number if more may be due, int64[n]; -1 if it is not known."""
    is_wrong: Flags
    """True if a card is too many or too few, bool[n]."""
    is_open: Flags
    """True if the evidence does not decide it, bool[n]."""
    arises: Flags
    """True if the stage concerns the hand, bool[n]."""


def limit_cards(scope: EvaluationContext, place: Place, number: int | Ints) -> EvaluationContext:
    """Return a context of the same rounds in which a place has no more than a number of its cards.

    `number` is the same for all, or int64[n] for each seat or round.
    """
    dealt = scope.dealt_hands(place)
    most = np.broadcast_to(np.asarray(number, np.int64), dealt.count.shape)
    cards = np.where(np.arange(dealt.cards.shape[1]) < most[:, None], dealt.cards, np.uint8(NO_CARD))
    context = EvaluationContext(
        scope.batch, scope.compiled_game, scope.configuration, waived_checks=scope.waived_checks
    )
    context.set_dealt_hands(place, Hands(cards=cards, count=np.minimum(dealt.count, most).astype(np.int16)))
    return context


def find_cards_due(scope: EvaluationContext, number: int, place: Place) -> CardsDue:
    """Compare the cards that a place received in a stage by rule with those due.

    Args:
        scope: the rounds.
        number: index of the stage.
        place: the place.
    """
    stage = scope.compiled_game.game.deal.stages[number]
    grain = grain_of_place(place)
    taken = _count_taken(scope, number, place)
    wanted = scope.evaluate(stage.when, grain)
    if stage.takes is not None:
        due, wrong, unknown = _compare_taken(scope, number, stage.takes[place], place, taken)
    else:
        due = np.full(len(taken), (stage.cards or {})[place], np.int64)
        wrong, unknown = taken != due, np.zeros(len(taken), bool)
    due = np.where(wanted == YES, due, np.where(wanted == NO, 0, -1))
    wrong = np.where(wanted == YES, wrong, (wanted == NO) & (taken > 0))
    unknown = np.where(wanted == YES, unknown, wanted == UNKNOWN)
    short = wrong & (taken < np.maximum(due, 0))
    goes_on = ~scope.batch.complete[scope.rounds_of(grain)]
    is_called_off = has_any_by_round(scope, events_of_kinds(scope, ("misdeal",)))[scope.rounds_of(grain)]
    reached = _has_fixed_cards(scope, stage, place) & ~is_called_off
    wrong &= ~short | (reached & ~goes_on)
    unknown = (unknown | (short & goes_on)) & (reached | (taken > 0))
    return CardsDue(
        taken=taken, due=due, is_wrong=wrong & ~unknown, is_open=unknown, arises=(taken > 0) | (reached & (due != 0))
    )


def _count_taken(scope: EvaluationContext, number: int, place: Place) -> Ints:
    counts, seats = deal_stages.count_cards_dealt_in(scope, number), scope.count_items("seat")
    return counts[:seats] if place == "player" else counts[seats:].reshape(-1, len(PLACES))[:, PLACES.index(place)]


def _has_fixed_cards(scope: EvaluationContext, stage: Stage, place: Place) -> Flags:
    """Return whether every place of a round, and the seat itself, has the cards that come in any case."""
    deal = scope.compiled_game.game.deal
    complete = np.ones(len(scope.batch), bool)
    result = complete
    for other, fewest in deal.fewest_cards.items():
        enough = scope.dealt_hands(other).count >= fewest
        if other == "player":
            result = enough if place == "player" else result
        else:
            complete &= enough
    if place == "player":
        return result & complete[scope.batch.seats.round]
    return complete


def _compare_taken(
    scope: EvaluationContext, number: int, taking: Taking, place: Place, taken: Ints
) -> tuple[Ints, Flags, Flags]:
    """Compare cards taken one by one with those due.

    Returns:
        int64[n], the number due; bool[n] each, whether cards are wrong, and whether the evidence leaves it open.
    """
    due, wrong, unknown = taken.copy(), np.zeros(len(taken), bool), np.zeros(len(taken), bool)
    if taking.decisions:
        due, wrong = _compare_with_decisions(scope, number, taking, taken)
        unknown = wrong & _has_unrecorded_splits(scope)
        wrong &= ~unknown
    if taking.while_ is None:
        return due, wrong, unknown
    before, fixed = count_cards_before(scope, place, number), scope.compiled_game.game.deal.count_before(place, number)
    open_, grain = np.ones(len(taken), bool), grain_of_place(place)
    last = int(taken.max(initial=0))
    for card in range(min(last + (0 if taking.decisions else 1), MOST_CARDS)):
        # A card is judged where the hand goes on to it; the one after the last only where nobody has to ask for it.
        judged = open_ & ((card < taken) | ((card == taken) if not taking.decisions else False))
        if not has_any(judged):
            break
        holds = limit_cards(scope, place, np.maximum(before + card, 1)).evaluate(taking.while_, grain)
        # A split is followed by a card in any case.
        holds = np.where(before + card < fixed, YES, holds)
        unknown |= judged & (holds == UNKNOWN)
        ends = judged & (holds == NO) & (card < taken)
        lacks = judged & (holds == YES) & (card == taken)
        due = np.where(ends, card, np.where(lacks, card + 1, due))
        wrong |= ends | lacks
        open_ &= judged & (holds == YES)
    return due, wrong, unknown & ~wrong


def count_cards_before(scope: EvaluationContext, place: Place, number: int) -> Ints:
    """Return the number of cards of each hand before it takes the first card of a stage, less its later splits.

    Returns:
        int64[seats] for `player`, else int64[rounds].
    """
    fixed = scope.compiled_game.game.deal.count_before(place, number)
    if place != "player":
        return np.full(len(scope.batch), fixed, np.int64)
    return np.where(scope.boxes.origin == ABSENT, fixed, 1) - scope.boxes.splits


def _compare_with_decisions(scope: EvaluationContext, number: int, taking: Taking, taken: Ints) -> tuple[Ints, Flags]:
    """Compare the cards of seats with the decisions that ask for them, each followed by one card.

    Returns:
        int64[seats], the number of decisions; bool[seats], whether a card is missing, or follows no decision.
    """
    events, seats = scope.batch.events, len(taken)
    decided = (events.kind == KIND_CODES["decide"]) & events.decision.is_one_of(frozenset(taking.decisions))
    decided &= (events.seat != ABSENT) & ~find_repetitions(scope)
    seat_of = events.seat.astype(np.int64)
    split = find_true(events.kind == KIND_CODES["split"])
    if len(split):  # both hands of a split receive a card
        seat_of[split] = find_numbered_seats(
            scope.batch, events.round[split].astype(np.int64), events.chips[split].astype(np.int64)
        )
        decided[split[seat_of[split] != ABSENT]] = True
    ours = deal_stages.stage_of_events(scope) == number
    ours &= (events.kind == KIND_CODES["deal"]) & (events.seat != ABSENT)
    chosen = find_true(decided | ours)
    chosen = chosen[np.argsort(seat_of[chosen], kind="stable")]
    seat, asks = seat_of[chosen], decided[chosen]
    size = np.zeros(len(chosen), np.int64)
    size[~asks] = deal_stages.count_cards(scope, chosen[~asks])
    same = np.zeros(len(chosen), bool)
    same[1:] = seat[1:] == seat[:-1]
    asked = np.zeros(len(chosen), bool)
    asked[1:] = asks[:-1]
    last = np.ones(len(chosen), bool)
    last[:-1] = seat[1:] != seat[:-1]
    wrong = (~asks & (~(same & asked) | (size != 1))) | (asks & ((same & asked) | last))
    result = np.zeros(seats, bool)
    result[seat[wrong]] = True
    return np.bincount(seat[asks], minlength=seats).astype(np.int64), result


def _has_unrecorded_splits(scope: EvaluationContext) -> Flags:
    """Return whether each seat has a hand of a split, in a log that does not record when hands are split."""
    is_split = (scope.boxes.origin != ABSENT) | (scope.boxes.splits > 0)
    return is_split & ~are_kinds_recorded(scope, ["split"])[scope.rounds_of("seat")]


_PLAYER_PLACE: Place = "player"
PermittedCounts = Mapping[int, frozenset[int]]
"""Permitted numbers of cards, by the code of the place in `PLACES`."""


class CardCountCheck(Struct, frozen=True, kw_only=True):
    """First wrong number of cards of every round."""

    broke_at: Ints
    """Event that shows it, int64[rounds]; -1 if all numbers are right."""
    stage: Ints
    """Stage of the wrong number, int64[rounds]."""
    place: Ints
    """Place of the wrong number, int64[rounds]."""
    seat: Ints
    """Seat of the wrong number, int64[rounds]; ABSENT if it is at no seat."""
    card_count: Ints
    """Number of cards, int64[rounds]."""
    due: Mapping[int, PermittedCounts]
    """Permitted numbers by stage."""
    exact_due: Ints
    """Required number, int64[rounds]: as many cards drawn as discarded, none for a folded player, or as many as a rule
    gives; ABSENT elsewhere.
    """
    arises: Flags
    """True if cards were due by a rule, whether they came or not, bool[rounds]."""
    is_known: Flags
    """True if events record their numbers of cards, bool[rounds]."""
    wrong_seats: Ints
    """Rounds and seats of all wrong numbers of seats in the same stage, int64[2, m]."""

    def list_wrong_seats(self, round_: int) -> list[int]:
        """Return the seats with a wrong number in the stage of the first wrong number of a round."""
        return find_distinct(self.wrong_seats[1, self.wrong_seats[0] == round_]).tolist()


class _WrongCounts(Struct, frozen=True, kw_only=True):
    """Wrong numbers of one stage. Fields are as in `CardCountCheck`, with one entry per wrong number."""

    event: Ints
    """Event that shows each wrong number, int64."""
    place: Ints
    seat: Ints
    number: Ints
    answering: Ints
    unfinished: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Rounds whose record stops while cards are owed, int64."""

    @classmethod
    def join(cls, parts: Sequence[_WrongCounts]) -> _WrongCounts:
        """Join wrong numbers in the given order."""
        columns = cls.__struct_fields__
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in columns})


def check_card_counts(scope: EvaluationContext, stages: Sequence[int]) -> CardCountCheck:
    """Check the number of cards of every place in some stages.

    In a stage of exchanging cards, a place draws as many cards as it discards, and discards no more than it may.
    """
    deal = scope.compiled_game.game.deal
    due: dict[int, PermittedCounts] = {}
    for stage in stages:
        exchanged = deal.stages[stage].exchanges
        if exchanged is not None:
            due[stage] = {PLACES.index(place): frozenset(range(most + 1)) for place, most in exchanged.items()}
            continue
        ways = [way.count_dealt() for way in deal.stages[stage].permitted_ways.values()]
        ways += [{}] if deal.stages[stage].is_by_rule else []
        due[stage] = {
            code: frozenset(way.get(place, 0) for way in ways) for code, place in enumerate(PLACES) if place != "burn"
        }
    by_rule = [stage for stage in stages if deal.stages[stage].is_by_rule]
    wrong = [
        (stage, (_find_miscounts if deal.stages[stage].exchanges is None else _find_misdraws)(scope, stage, due[stage]))
        for stage in stages
        if stage not in by_rule
    ]
    arises = np.zeros(len(scope.batch), bool)
    wrong += [(stage, _find_wrong_by_rule(scope, stage, arises)) for stage in by_rule]
    of_players = [stage for stage in stages if _deals_to_players_in(scope, stage)]
    result = _find_first_wrong(scope, due, wrong + [(stage, _find_left_out(scope, stage)) for stage in of_players])
    result, is_known = replace(result, arises=arises), result.is_known.copy()
    for stage in of_players:  # without recorded folds, a seat without cards may have folded
        missed = scope.batch.seats.round[_find_missed(scope, stage)]
        is_known[missed[(~find_stage_players(scope, stage).is_known | _is_in_progress(scope, stage))[missed]]] = False
    for _, errors in wrong:
        is_known[errors.unfinished] = False
    return replace(result, is_known=is_known)


def _find_misdraws(scope: EvaluationContext, stage: int, due: PermittedCounts) -> _WrongCounts:
    """Find wrong numbers of a stage of exchanging.

    An unrecorded number is not known to be wrong, nor is a draw that a truncated record may continue.
    """
    events = scope.batch.events
    ours = find_true(deal_stages.stage_of_events(scope) == stage)
    ours = ours[is_one_of(events.kind[ours], (KIND_CODES["discard"], KIND_CODES["draw"]))]
    receiver, inverse = np.unique(deal_stages.receivers(scope)[ours], return_inverse=True)
    size, recorded = count_named_cards(scope, ours)
    discarded, drawn = (
        np.bincount(inverse, np.where(events.kind[ours] == KIND_CODES[kind], size, 0), len(receiver)).astype(np.int64)
        for kind in ("discard", "draw")
    )
    known = np.bincount(inverse, ~recorded, len(receiver)) == 0
    last = np.zeros(len(receiver), np.int64)
    np.maximum.at(last, inverse, ours)
    too_many = ~_is_permitted(due, events.place[last].astype(np.int64), discarded)
    short = known & (drawn < discarded) & ~scope.batch.complete[events.round[last]]
    wrong = find_true(known & (too_many | ((drawn != discarded) & ~short)))
    number, answering = np.where(too_many, discarded, drawn), np.where(too_many, ABSENT, discarded)
    result = replace(_build_wrong(scope, last[wrong], number[wrong]), answering=answering[wrong])
    return replace(result, unfinished=events.round[last[short]].astype(np.int64))


def _find_miscounts(scope: EvaluationContext, stage: int, due: PermittedCounts) -> _WrongCounts:
    events = scope.batch.events
    ours = find_true((deal_stages.stage_of_events(scope) == stage) & (events.place != deal_stages.BURN))
    receiver = deal_stages.receivers(scope)[ours]
    # The last packet of the place shows the number.
    last = np.zeros(len(ours), bool)
    last[len(ours) - 1 - np.unique(receiver[::-1], return_index=True)[1]] = True
    ours, receiver = ours[last], receiver[last]
    place = events.place[ours].astype(np.int64)
    number = deal_stages.count_cards_dealt_in(scope, stage)[receiver]
    wrong = ~_is_permitted(due, place, number)
    unfinished = wrong & _is_in_progress(scope, stage)[events.round[ours]] & (number < _find_most(due)[place])
    wrong &= ~unfinished
    return replace(
        _build_wrong(scope, ours[wrong], number[wrong]), unfinished=events.round[ours[unfinished]].astype(np.int64)
    )


def _find_wrong_by_rule(scope: EvaluationContext, stage: int, arises: Flags) -> _WrongCounts:
    """Find wrong numbers of a stage whose cards come by a rule. The last card of the round shows a missing one.

    Args:
        arises: bool[rounds], receives the rounds in which cards are due or come.
    """
    events = scope.batch.events
    dealt = find_true(events.kind == KIND_CODES["deal"])
    last = find_last_by_round(scope, dealt)
    errors = []
    for place in scope.compiled_game.game.deal.stages[stage].count_most_cards():
        cards, owners = find_cards_due(scope, stage, place), scope.rounds_of(grain_of_place(place))
        arises[owners[cards.arises]] = True
        wrong = find_true(cards.is_wrong & (last[owners] != ABSENT))
        own = np.full(scope.count_items(grain_of_place(place)), ABSENT, np.int64)
        ours = dealt[
            (deal_stages.stage_of_events(scope)[dealt] == stage) & (events.place[dealt] == PLACES.index(place))
        ]
        own[find_owners(scope, place, ours)] = ours
        part = _WrongCounts(
            event=np.where(own[wrong] != ABSENT, own[wrong], last[owners[wrong]]),
            place=np.full(len(wrong), PLACES.index(place), np.int64),
            seat=wrong if place == _PLAYER_PLACE else np.full(len(wrong), ABSENT, np.int64),
            number=cards.taken[wrong],
            answering=cards.due[wrong],
            unfinished=owners[cards.is_open].astype(np.int64),
        )
        errors.append(part)
    return _WrongCounts.join(errors)


def _is_in_progress(scope: EvaluationContext, stage: int) -> Flags:
    """Return whether the record stops while a stage may still be dealt.

    A last burnt card, such as one that lay face up in the shoe, may be followed by more of the stage before it.
    """
    goes_on, last = find_deals_in_progress(scope)
    stages, events = deal_stages.stage_of_events(scope), scope.batch.events
    in_progress: Flags = look_up(stages, last, ABSENT) == stage
    deal = scope.compiled_game.game.deal
    burns = [map(count_initial_burns, later.permitted_ways.values()) for later in deal.stages[stage + 1 :]]
    if not goes_on.any() or any(map(any, burns)):
        return in_progress
    dealt = find_true((events.kind == KIND_CODES["deal"]) & (events.place != deal_stages.BURN))
    last_dealt = find_last_by_round(scope, dealt)
    return in_progress | (goes_on & (look_up(stages, last_dealt, ABSENT) == stage))


def _find_most(due: PermittedCounts) -> Ints:
    """Return the largest permitted number of cards."""
    return np.array([max(due.get(code, ()), default=0) for code in range(len(PLACES))], np.int64)


def _build_wrong(scope: EvaluationContext, event: Ints, number: Ints) -> _WrongCounts:
    """Build wrong numbers at the places of the events that show them, without a single required number."""
    events = scope.batch.events
    return _WrongCounts(
        event=event,
        place=events.place[event].astype(np.int64),
        seat=events.seat[event].astype(np.int64),
        number=number,
        answering=np.full(len(event), ABSENT, np.int64),
    )


def _deals_to_players_in(scope: EvaluationContext, stage: int) -> bool:
    """Return whether a stage deals to betting players, so that exactly those who are in receive cards."""
    game = scope.compiled_game.game
    return game.betting is not None and _PLAYER_PLACE in (game.deal.stages[stage].cards or ())


def _find_left_out(scope: EvaluationContext, stage: int) -> _WrongCounts:
    """Find players still in who get no cards in a stage that deals to others, and folded players who do.

    The last card of the others shows the former.
    """
    served, seats = find_stage_players(scope, stage), scope.batch.seats
    missed = _find_missed(scope, stage)
    missed = missed[(served.is_known & ~_is_in_progress(scope, stage))[seats.round[missed]]]
    own, last = _find_last_packets(scope, stage)
    extra = find_true(~served.still_in & (own != ABSENT))
    left = _build_wrong(scope, last[seats.round[missed]], np.zeros(len(missed), np.int64))
    given = _build_wrong(scope, own[extra], deal_stages.count_cards_dealt_in(scope, stage)[extra])
    given = replace(given, answering=np.zeros(len(extra), np.int64))
    return _WrongCounts.join([replace(left, seat=missed), replace(given, seat=extra)])


def _find_missed(scope: EvaluationContext, stage: int) -> Ints:
    """Return seats that are not known to have folded and get no cards in a stage that deals to others."""
    served, stages = find_stage_players(scope, stage), scope.compiled_game.game.deal.stages
    own, _ = _find_last_packets(scope, stage)
    # A seat that was dealt nothing in the first stage is reported there only.
    first = next(number for number in range(stage + 1) if _PLAYER_PLACE in (stages[number].cards or ()))
    had = (deal_stages.count_cards_dealt_in(scope, first)[: len(own)] > 0) | (first == stage)
    return find_true(served.still_in & had & served.were_cards_dealt[scope.batch.seats.round] & (own == ABSENT))


def _find_last_packets(scope: EvaluationContext, stage: int) -> tuple[Ints, Ints]:
    """Return the last event of a stage that deals to each seat, and to any seat of a round.

    The result is ABSENT if there is none.
    """
    events = scope.batch.events
    ours = find_true((deal_stages.stage_of_events(scope) == stage) & (events.place == PLACES.index(_PLAYER_PLACE)))
    own = np.full(scope.count_items("seat"), ABSENT, np.int64)
    own[events.seat[ours]] = ours
    return own, find_last_by_round(scope, ours)


def check_burns(scope: EvaluationContext, stages: Sequence[int]) -> CardCountCheck:
    """Check the number of cards burnt before the first card of a stage."""
    deal = scope.compiled_game.game.deal
    due: dict[int, PermittedCounts] = {
        stage: {
            deal_stages.BURN: frozenset(count_initial_burns(way) for way in deal.stages[stage].permitted_ways.values())
        }
        for stage in stages
    }
    return _find_first_wrong(scope, due, [(stage, _find_misburns(scope, stage, due[stage])) for stage in stages])


def _find_misburns(scope: EvaluationContext, stage: int, due: PermittedCounts) -> _WrongCounts:
    events, rounds = scope.batch.events, scope.count_items("round")
    ours = deal_stages.stage_of_events(scope) == stage
    handed = is_one_of(events.kind, (KIND_CODES["deal"], KIND_CODES["draw"])) & (events.place != deal_stages.BURN)
    cards, burns = find_true(ours & handed), find_true(ours & (events.place == deal_stages.BURN))
    first = np.full(rounds, ABSENT, np.int64)
    first[events.round[cards[::-1]]] = cards[::-1]
    owner, size = events.round[burns], deal_stages.count_cards(scope, burns)
    ahead = burns < first[owner]
    before = np.bincount(owner[ahead], size[ahead], rounds).astype(np.int64)
    extra = np.bincount(owner[~ahead], size[~ahead], rounds).astype(np.int64)
    if any(burns_mid_stage(way) for way in scope.compiled_game.game.deal.stages[stage].permitted_ways.values()):
        extra[:] = 0
    place = np.full(rounds, deal_stages.BURN, np.int64)
    is_wrong = ~_is_permitted(due, place, before)
    wrong = find_true((first != ABSENT) & (is_wrong | (extra > 0)))
    number = np.where(is_wrong, before, before + extra)
    burnt_at = np.full(len(wrong), deal_stages.BURN, np.int64)
    nobody = np.full(len(wrong), ABSENT, np.int64)
    return replace(_build_wrong(scope, first[wrong], number[wrong]), place=burnt_at, seat=nobody)


def _is_permitted(due: PermittedCounts, place: Ints, number: Ints) -> Flags:
    result = np.zeros(len(place), bool)
    for code, numbers in due.items():
        result |= (place == code) & is_one_of(number, list(numbers))
    return result


def _find_first_wrong(
    scope: EvaluationContext, due: Mapping[int, PermittedCounts], wrong: Sequence[tuple[int, _WrongCounts]]
) -> CardCountCheck:
    rounds = scope.count_items("round")
    broke_at, seat = np.full((2, rounds), ABSENT, np.int64)
    stage, place, number, answering = np.zeros((4, rounds), np.int64)
    errors = _WrongCounts.join([part for _, part in wrong])
    of_stage = np.concatenate([np.full(len(part.event), which, np.int64) for which, part in wrong])
    # The first of each round is written last.
    order = np.argsort(-errors.event, kind="stable")
    at = scope.batch.events.round[errors.event[order]].astype(np.int64)
    of_stage, of_seat = of_stage[order], errors.seat[order]
    broke_at[at], stage[at], seat[at] = errors.event[order], of_stage, of_seat
    place[at], number[at], answering[at] = errors.place[order], errors.number[order], errors.answering[order]
    same_stage = (of_stage == stage[at]) & (of_seat != ABSENT)
    return CardCountCheck(
        broke_at=broke_at,
        stage=stage,
        place=place,
        seat=seat,
        card_count=number,
        due=due,
        exact_due=answering,
        arises=np.zeros(rounds, bool),
        is_known=_is_recorded(scope, [*due]),
        wrong_seats=np.stack([at[same_stage], of_seat[same_stage]]),
    )


def _is_recorded(scope: EvaluationContext, stages: Sequence[int]) -> Flags:
    """Return whether all events of some stages record their numbers of cards."""
    ours = find_true(is_one_of(deal_stages.stage_of_events(scope), stages))
    recorded = np.ones(scope.count_items("round"), bool)
    recorded[scope.batch.events.round[ours[~count_named_cards(scope, ours)[1]]]] = False
    return recorded
