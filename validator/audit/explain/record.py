"""Description of the record of a round: exchanged cards, meters, events."""

from __future__ import annotations

from collections.abc import Iterator

from validator.arrays import ABSENT
from validator.engine.core.context import Scope
from validator.engine.text.evidence_text import cards_in
from validator.engine.timeline.streets import stage_of_events
from validator.evidence.columns.batch import Hands
from validator.evidence.handlog.event_fields import NUMBERED
from validator.evidence.handlog.event_values import ACTORS, FACES, MEANS, PLACES
from validator.evidence.handlog.events import KINDS
from validator.language.wording import means_in_words
from validator.rules.core.titles import title_of
from validator.text.values.money import format_money


def place_in_session(scope: Scope) -> Iterator[str]:
    """Describe the place of the round in its session, the deck and the meters, where recorded."""
    batch, meters = scope.batch, scope.batch.meters
    if batch.number[0] != ABSENT:
        yield f"round {int(batch.number[0])} since the table opened"
    previous = batch.after.text(0)
    if previous is not None:
        yield f"played just after round {previous}"
    deck = batch.deck.text(0)
    if deck is not None:
        yield f"played with the deck {deck}"
    for index in range(len(meters.round)):
        readings = (("opening", meters.opening), ("shown", meters.shown), ("closing", meters.closing))
        readings_shown = [f"{name} {format_money(int(at[index]))}" for name, at in readings if at[index] != ABSENT]
        yield f"meter {meters.meter.text(index)}: {', '.join(readings_shown) or 'not read'}"


def at_the_table(scope: Scope) -> Iterator[str]:
    """Describe the button, the seats that take no part and the players' chips, where recorded."""
    batch, seats = scope.batch, scope.batch.seats
    if batch.button[0] != ABSENT:
        yield f"the button at seat {int(batch.button[0])}"
    for seat, number in enumerate(seats.number.tolist()):
        if not seats.playing[seat]:
            yield f"seat {number} takes no part"
        chips = (("before", seats.stack), ("won", seats.won), ("after", seats.stack_after))
        amounts = [f"{name} {format_money(int(amount[seat]))}" for name, amount in chips if amount[seat] != ABSENT]
        if amounts:
            yield f"seat {number}, chips: {', '.join(amounts)}"
    if not batch.complete[0]:
        yield "the record stops before the round is over"


def exchanged(scope: Scope) -> Iterator[str]:
    """Describe the cards discarded and drawn at each place, where recorded."""
    batch, seats = scope.batch, scope.batch.seats
    for seat, number in enumerate(seats.number.tolist()):
        yield from _describe_exchange(f"seat {number}", seats.discarded, seats.drawn, seat)
    yield from _describe_exchange("the dealer", batch.dealer_discarded, batch.dealer_drawn, 0)
    yield from _describe_exchange("the community", batch.community_discarded, None, 0)


def _describe_exchange(place: str, discarded: Hands, drawn: Hands | None, row: int) -> Iterator[str]:
    listed = (("discards", discarded), ("draws", drawn))
    parts = [
        f"{verb} {cards_in(hands.cards[row]) if hands.count[row] else 'nothing'}"
        for verb, hands in listed
        if hands is not None and hands.count[row] != ABSENT
    ]
    if parts:
        yield f"{place} {' and '.join(parts)}"


def events_in_words(scope: Scope) -> Iterator[str]:
    """Describe the events of the round, numbered from 1."""
    for event in range(len(scope.batch.events.kind)):
        yield event_in_words(scope, event)


def event_in_words(scope: Scope, event: int) -> str:
    """Describe an event with its number, from 1."""
    return f"{event + 1}. {', '.join(_event_parts(scope, event))}"


def _event_parts(scope: Scope, event: int) -> Iterator[str]:
    events = scope.batch.events
    yield KINDS[events.kind[event]]
    yield from _stage_name(scope, event)
    if events.seat[event] != ABSENT:
        yield f"seat {int(scope.batch.seats.number[events.seat[event]])}"
    elif events.place[event] != ABSENT:
        yield f"the {PLACES[events.place[event]]}"
    wager = events.wager.text(event)
    if wager is not None:
        yield title_of(scope.prepared.game, wager) + (" (tip)" if events.tip[event] else "")
    if events.amount[event] != ABSENT:
        amount = int(events.amount[event])
        yield str(amount) if NUMBERED[events.kind[event]] else format_money(amount)
    if events.means[event] != ABSENT:
        yield f"in {means_in_words(MEANS[events.means[event]])}"
    if events.chips[event] != ABSENT:
        yield "1 chip" if events.chips[event] == 1 else f"{int(events.chips[event])} chips"
    if events.pot[event] != ABSENT:
        yield f"side pot {int(events.pot[event])}" if events.pot[event] else "main pot"
    yield from (text for text in (events.decision.text(event), events.what.text(event)) if text is not None)
    deck, positions = events.deck.text(event), events.positions.text(event)
    if deck is not None:
        yield f"deck {deck}"
    if positions is not None:
        yield f"positions {', '.join(positions)}"
    if events.cards_row[event] != ABSENT:
        yield cards_in(events.hands.cards[events.cards_row[event]])
    if events.face[event] != ABSENT:
        yield f"face {FACES[events.face[event]]}"
    if events.by[event] != ABSENT:
        yield f"by the {ACTORS[events.by[event]]}"


def _stage_name(scope: Scope, event: int) -> Iterator[str]:
    """Yield the name of the stage of the deal that an event belongs to, if the game has several."""
    stages, stage = scope.prepared.game.deal.stages, int(stage_of_events(scope)[event])
    if len(stages) > 1 and stage != ABSENT:
        yield in_plain_words(stages[stage].stage)


def in_plain_words(name: str) -> str:
    """Return a name of the rules as words."""
    return name.replace("-", " ")
