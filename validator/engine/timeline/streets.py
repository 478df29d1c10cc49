"""Which stage of the deal each card was handed out in, or exchanged.

The log says what was dealt, not to which stage it belongs. Cards belong to the stage that is being dealt until the
place that receives them has all of it, or the seat that does has acted since the stage began; the next ones then begin
the next stage that serves the place. What is dealt until somebody acts is a lot: a seat that is given more in one than
any other has a card too many, and the next stage has not begun; and a lot with a seat that had all of the stage begins
the next one with its first card, whoever is dealt that. A card that is burnt where a stage begins with a burn begins
the next one too, so that a stage with a card too many or too few does not move those after it; not where what comes
next is what the stage still lacks, and nobody has acted since: then it was burnt in the middle of the stage. Cards at
no seat begin the next stage where somebody has acted since the one before; and where at least as many lots follow as
there are stages left, what comes at once belongs together. Burnt cards belong to the stage of the cards that follow
them. Which exchange of cards is which stage is told in `exchange_stages`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints, Ints8, Ints32
from validator.engine.core.context import Scope, fact
from validator.engine.timeline.draw_rounds import stages_of_exchanges
from validator.engine.timeline.last_actions import acts_of_play, betting_acts, last_act
from validator.engine.timeline.packet_groups import boards_of, lots_of, no_lots, rests_of
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND
from validator.rules.model.deal import Deal, Way

BURN = PLACES.index("burn")


def stage_of_events(scope: Scope) -> Ints8:
    """int8[events]: the stage of the deal each event of dealing belongs to, by its place in the game's list, and where
    a stage exchanges cards, each event that puts some away, draws some, or says so; ABSENT for other events."""
    return _staged(scope)[0]


def dealt_beyond(scope: Scope) -> Flags:
    """bool[events]: the events that deal a card to a seat or place that had all of their stage already, as far as the
    game has several stages."""
    return _staged(scope)[1]


@fact
def _staged(scope: Scope) -> tuple[Ints8, Flags]:
    deal, events = scope.prepared.game.deal, scope.batch.events
    result, beyond = np.full(len(events.round), ABSENT, np.int8), np.zeros(len(events.round), bool)
    chosen = np.flatnonzero(events.kind == KIND["deal"])
    chosen = chosen[sizes_of(scope, chosen) > 0]  # what deals no cards is no dealing
    if len(deal.stages) == 1:
        result[chosen] = 0
        return result, beyond
    burnt = events.place[chosen] == BURN
    cards, parted = chosen[~burnt], _after_a_burn(events.round[chosen], burnt)[~burnt]
    result[cards], beyond[cards], reached = _followed(scope, _course(deal), cards, parted)
    if deal.exchanging:
        exchanged, stage = stages_of_exchanges(scope, receivers(scope), result)
        result[exchanged] = stage
        np.maximum.at(reached, events.round[exchanged], stage)
    _stage_of_burns(scope, result, chosen[burnt], reached)
    return result, beyond


@fact
def receivers(scope: Scope) -> Ints:
    """int64[events]: the receiver of each event's cards, a seat's index or, after all seats, a place of its round."""
    events, seats = scope.batch.events, scope.length("seat")
    place = seats + events.round.astype(np.int64) * len(PLACES) + events.place
    return np.where(events.seat != ABSENT, events.seat, place)


def sizes_of(scope: Scope, chosen: Ints) -> Ints:
    """int64[m]: how many cards each of some events shows."""
    events = scope.batch.events
    if not len(chosen):
        return np.zeros(0, np.int64)
    return events.hands.count[events.cards_row[chosen]].astype(np.int64)


@fact
def dealt_in(scope: Scope, stage: int) -> Ints:
    """int64[receivers]: how many cards each seat, and each place of every round, was dealt in a stage."""
    of = stage_of_events(scope)
    ours = np.flatnonzero((scope.batch.events.kind == KIND["deal"]) & (of == stage))
    many = scope.length("seat") + scope.length("round") * len(PLACES)
    return np.bincount(receivers(scope)[ours], sizes_of(scope, ours), many).astype(np.int64)


def _stage_of_burns(scope: Scope, found: Ints8, burns: Ints, reached: Ints) -> None:
    """Put in the stage of burnt cards: that of the cards which follow. What is burnt last of all was burnt for the
    stage after the one `reached`, int64[rounds], which did not come."""
    owner = scope.batch.events.round
    due = np.where(reached == ABSENT, 0, np.minimum(reached + 1, len(scope.prepared.game.deal.stages) - 1))
    others = np.flatnonzero(found != ABSENT)
    following = np.append(others, ABSENT)[np.searchsorted(others, burns)]
    ours = (following != ABSENT) & (owner[following] == owner[burns])
    found[burns] = np.where(ours, found[following], due[owner[burns]])


def _after_a_burn(owner: Ints32, burnt: Flags) -> Flags:
    """bool[m]: whether the event of dealing before each one, in its round, burnt a card."""
    after = np.zeros(len(owner), bool)
    after[1:] = burnt[:-1] & (owner[1:] == owner[:-1])
    return after


class _Course(Struct, frozen=True, kw_only=True):
    """The stages as tables by stage and place: `full` int64, how many cards the place receives in the stage (0 where
    it is not served); `after` and `parted` int64, the next stage that serves the place, and the next such that begins
    with a burn; `before` int64, the last one up to this that serves it. ABSENT where there is none. `left` int64, how
    many later ones serve it."""

    full: Ints
    after: Ints
    parted: Ints
    before: Ints
    left: Ints


def _course(deal: Deal) -> _Course:
    stages, places = len(deal.stages), len(PLACES)
    full = np.zeros((stages, places), np.int64)
    opens, inside = np.zeros(stages, bool), np.zeros(stages, bool)
    for number, stage in enumerate(deal.stages):
        ways = list(stage.permitted.values())
        for way in ways:
            for place, count in way.dealt().items():
                full[number, PLACES.index(place)] = max(full[number, PLACES.index(place)], count)
        opens[number] = all(burns_first(way) for way in ways)
        inside[number] = any(burns_inside(way) for way in ways)
    left = (full > 0)[::-1].cumsum(axis=0)[::-1] - (full > 0)
    after, parted, before = (np.full((stages, places), ABSENT, np.int64) for _ in range(3))
    for number in range(stages):
        for code in range(places):
            served = np.flatnonzero(full[:, code] > 0)
            later = served[served > number]
            earlier = served[served <= number]
            burning = later[opens[later]]
            after[number, code] = later[0] if len(later) else ABSENT
            parted[number, code] = burning[0] if len(burning) and not inside[number] else ABSENT
            before[number, code] = earlier[-1] if len(earlier) else ABSENT
    return _Course(full=full, after=after, parted=parted, before=before, left=left)


def burns_first(way: Way) -> int:
    """How many cards are burnt before the first card of the stage."""
    first = way.passes[0] if way.passes else None
    return first.each if first is not None and first.to[0] == "burn" else 0


def burns_inside(way: Way) -> bool:
    """Whether cards are burnt after some of the stage's cards have been dealt."""
    if not way.passes:
        return False
    first, *others = way.passes
    return (
        "burn" in first.to[1:]
        or (first.times > 1 and "burn" in first.to)
        or any("burn" in pass_.to for pass_ in others)
    )


def _followed(scope: Scope, course: _Course, cards: Ints, parted: Flags) -> tuple[Ints8, Flags, Ints]:
    """int8[m]: the stage of events that deal cards to places, in log order; `parted` says of each whether a card was
    burnt right before it. bool[m]: whether who is dealt it had all of the stage. int64[rounds]: the stage each round
    came to, ABSENT where none began.

    The k-th events of all rounds are looked at together.
    """
    events, rounds = scope.batch.events, scope.length("round")
    owner, place, size = events.round[cards], events.place[cards], sizes_of(scope, cards)
    receiver = receivers(scope)[cards]
    number = np.bincount(owner, minlength=rounds)
    start = np.cumsum(number) - number
    longest_first = np.argsort(-number, kind="stable")
    acts, bets = acts_of_play(scope), betting_acts(scope)
    acted, lots = np.full(len(cards), ABSENT, np.int64), no_lots(len(cards))
    if (course.after[:, PLACES.index("player")] != ABSENT).any():  # else no stage begins by what they say
        acted, lots = last_act(scope, cards), lots_of(scope, cards, parted, size, bets)
    rests = rests_of(scope, cards, parted, receiver, size, acts)
    boards = boards_of(scope, cards, parted, receiver, acts)
    began = np.zeros(rounds, np.int64)
    result, beyond = np.full(len(cards), ABSENT, np.int8), np.zeros(len(cards), bool)
    reached = np.full(rounds, ABSENT, np.int64)
    got = np.zeros(scope.length("seat") + rounds * len(PLACES), np.int64)
    got_in = np.full(len(got), ABSENT, np.int64)

    def had_in(who: Ints, stage: Ints) -> Ints:
        return np.where(got_in[who] == stage, got[who], 0)

    for step in range(int(number.max(initial=0))):
        at = longest_first[: int((number > step).sum())]
        here = start[at] + step
        now, spot, who = np.maximum(reached[at], 0), place[here], receiver[here]
        had = had_in(who, now)
        parts = parted[here] & (reached[at] != ABSENT) & ~rests.fit(here, now, had_in, course.full)
        onward = np.where(parts, course.parted[now, spot], ABSENT)
        full = course.full[now, spot]
        done = (had >= full) | ((reached[at] != ABSENT) & (acted[here] > began[at])) | (boards.apart[here] & (had > 0))
        spare = (full > 0) & ~boards.apart[here] & (boards.later[here] >= course.left[now, spot])
        done = (done & ~lots.surplus[here] & ~spare) | _came_round(lots.again[here], now, got, got_in, course)
        onward = np.where((onward == ABSENT) & done, course.after[now, spot], onward)
        stays = onward == ABSENT
        began[at] = np.where(stays & (reached[at] != ABSENT), began[at], cards[here])
        reached[at] = np.where(stays, now, onward)
        belongs: Any = np.where(stays, np.maximum(course.before[now, spot], 0), onward)
        result[here] = belongs
        got[who] = np.where(got_in[who] == belongs, got[who], 0)
        beyond[here] = got[who] >= course.full[belongs, spot]
        got[who] += size[here]
        got_in[who] = belongs
    return result, beyond, reached


def _came_round(seat: Ints, now: Ints, got: Ints, got_in: Ints, course: _Course) -> Flags:
    """bool[n]: whether each of some seats, of which there may be none, has all of the stage that is dealt."""
    return (seat != ABSENT) & (got_in[seat] == now) & (got[seat] >= course.full[now, PLACES.index("player")])
