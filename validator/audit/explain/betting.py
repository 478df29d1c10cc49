"""The betting of one round told: a chapter for each betting round, every act with what it answered, the pots as they
grow."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT
from validator.audit.explain.pots import each_pot, nobody_called
from validator.audit.explain.record import event_in_words, in_plain_words
from validator.engine.betting.replay import Play, betting_of
from validator.engine.cards.ranked_hands import strength
from validator.engine.core.context import Scope
from validator.engine.core.kleene import NO, YES
from validator.engine.pots.pot_shares import settled
from validator.engine.timeline.step_events import events_of
from validator.engine.timeline.streets import stage_of_events
from validator.engine.turns.action_text import act_in_words, due_in_words, seat_in_words
from validator.engine.turns.predicates import betting_word
from validator.engine.turns.quantities import betting_number
from validator.evidence.columns.select import before
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND
from validator.results.results import Chapter
from validator.text.values.money import format_money

_DECIDE, _REVEAL = KIND["decide"], KIND["reveal"]
_EXCHANGING = (KIND["discard"], KIND["draw"])
_EXCHANGES = frozenset({"discard", "stand-pat"})
_PLAYER = PLACES.index("player")


class _Part(Struct, frozen=True, kw_only=True):
    """A run of events: from `begin` on, before `end`. `betting` is whether it is a betting round."""

    title: str
    begin: int
    end: int
    betting: bool


def betting_in_words(scope: Scope) -> Iterator[Chapter]:
    """The events of the only round of a scope: what went before, each betting round, how it ended."""
    told: list[str] = []
    for part in _parts(scope):
        lines = list(_betting_round(scope, part) if part.betting else _events(scope, part))
        pots = list(_pots_so_far(scope, part))
        if pots and pots != told:
            lines, told = lines + pots, pots
        yield Chapter(title=part.title, lines=tuple(lines))


def _parts(scope: Scope) -> Iterator[_Part]:
    """The betting rounds that began, and what lies before and after them; a part without events is left out."""
    length, acts = len(scope.batch.events.kind), _acts(scope)
    first, *later = scope.prepared.betting.rounds
    begun = [(one.round, _begins(scope, one.after)) for one in later if one.after is not None]
    begun = [(name, at) for name, at in begun if at != ABSENT]
    opened = min([*acts[:1], *(at for _, at in begun), length])
    dealt = np.flatnonzero(stage_of_events(scope) != ABSENT).tolist()
    over = max([*acts[-1:], *dealt[-1:], opened - 1]) + 1
    marks = [("Before the betting", 0, False), (f"Betting {in_plain_words(first.round)}", opened, True)]
    reached = opened
    for name, at in begun:
        reached = max(reached, at)
        marks.append((f"Betting {in_plain_words(name)}", reached, True))
    marks.append(("How the round ended", max(over, reached), False))
    ends = [at for _, at, _ in marks[1:]] + [length]
    for (title, begin, betting), end in zip(marks, ends, strict=True):
        if begin < end:
            yield _Part(title=title, begin=begin, end=end, betting=betting)


def _acts(scope: Scope) -> list[int]:
    """The events that are acts of betting; to give up a hand at the showdown or to exchange cards is none."""
    decided = np.flatnonzero(scope.batch.events.kind == _DECIDE).tolist()
    return [event for event in decided if _act_of(scope, event) not in {"concede", *_EXCHANGES}]


def _act_of(scope: Scope, event: int) -> str | None:
    """What a decision means in betting, None where that is nothing."""
    known = scope.prepared.game.decisions.get(scope.batch.events.decision.text(event) or "")
    return None if known is None else known.kind


def _begins(scope: Scope, step: str) -> int:
    """The event with which the cards begin to come that a betting round follows; ABSENT where there are none."""
    ours = events_of(scope, step)
    if not len(ours):
        return ABSENT
    begin, own = int(ours[-1]), set(ours.tolist())
    while begin and (begin - 1 in own or _come_together(scope, begin - 1, int(ours[-1]))):
        begin -= 1
    return begin


def _come_together(scope: Scope, event: int, last: int) -> bool:
    """Whether an event is of the stage of the deal that another is of, or belongs to an exchange of cards as that one
    does."""
    kind, stage = scope.batch.events.kind, stage_of_events(scope)
    if stage[last] != ABSENT:
        return bool(stage[event] == stage[last])
    return bool(kind[event] in _EXCHANGING or (kind[event] == _DECIDE and _act_of(scope, event) in _EXCHANGES))


def _events(scope: Scope, part: _Part) -> Iterator[str]:
    for event in range(part.begin, part.end):
        yield f"{event_in_words(scope, event)}{_made(scope, event)}"


def _betting_round(scope: Scope, part: _Part) -> Iterator[str]:
    acts = [event for event in _acts(scope) if part.begin <= event < part.end]
    for event in range(part.begin, part.end):
        if acts[:1] == [event]:
            yield _standing(scope, event)
        yield _act(scope, event) if event in acts else f"{event_in_words(scope, event)}{_made(scope, event)}"
    yield from _outcome(scope, part, acted=bool(acts))


def _standing(scope: Scope, event: int) -> str:
    """How the betting stands before an act, and whose turn it is."""
    play = betting_of(scope)
    if not play.amounts[event]:
        return "the amounts put in so far are not fully recorded"
    entry = int(play.at[event])
    due = due_in_words(scope, event) if play.turns[event] else "whose turn it is: unknown"
    return f"{_left(play, entry)}, {_pot(play, entry)}; {due}"


def _act(scope: Scope, event: int) -> str:
    """An act with what there was to call before it, and the pot after it."""
    play = betting_of(scope)
    lacking, known = betting_number(scope, "to-call")
    notes = [f"{format_money(int(lacking[event]))} to call"] if known[event] and lacking[event] else []
    if betting_word(scope, "in-turn")[event] == NO:
        notes.append(f"out of turn: {due_in_words(scope, event)}")
    if play.told[event] and play.put_in[event]:
        notes.append(f"pot then {format_money(int(play.states.pot[play.at[event]] + play.put_in[event]))}")
    all_in = ", all-in" if betting_word(scope, "all-in")[event] == YES else ""
    said = f" ({'; '.join(notes)})" if notes else ""
    return f"{event + 1}. {act_in_words(scope, event)}{all_in}{said}"


def _outcome(scope: Scope, part: _Part, *, acted: bool) -> Iterator[str]:
    """How a betting round ended, and the pots so far."""
    play, length = betting_of(scope), len(scope.batch.events.kind)
    last = part.end == length
    if not (play.told[part.end - 1] if last else play.amounts[part.end]):
        yield "the pot at this point is not fully recorded"
        return
    entry = int(play.ends[0] if last else play.at[part.end])
    row = int(play.states.due[entry])
    if not play.turns[part.end - 1]:
        yield f"{_left(play, entry)}, {_pot(play, entry)}"
    elif row != ABSENT:
        yield f"not complete: {seat_in_words(scope, 0, row)} has still to act; {_pot(play, entry)}"
    elif acted:
        yield f"complete: {_left(play, entry)}, {_pot(play, entry)}"
    else:
        yield "no player has a decision left"


def _pots_so_far(scope: Scope, part: _Part) -> Iterator[str]:
    """The pots when a betting round was over, where there are several or a bet that nobody called."""
    if not part.betting or scope.prepared.game.pots is None:
        return
    then = Scope(before(scope.batch, part.end), scope.prepared, scope.configuration)
    made = settled(then)
    if made.known[0] and (len(made.pots.amount) > 1 or made.free.amount[0]):
        yield from nobody_called(then)
        yield from each_pot(then)


def _left(play: Play, entry: int) -> str:
    players = int(play.states.players[entry]).bit_count()
    return "1 player left" if players == 1 else f"{players} players left"


def _pot(play: Play, entry: int) -> str:
    return f"{format_money(int(play.states.pot[entry]))} in the pot"


def _made(scope: Scope, event: int) -> str:
    """What a hand that is shown comes to, by the rankings that pots are shared by, as far as it can win them."""
    events, pots = scope.batch.events, scope.prepared.game.pots
    if pots is None or events.kind[event] != _REVEAL or events.place[event] != _PLAYER:
        return ""
    seat, described = int(events.seat[event]), []
    for share in pots.shares:
        made, ranking = int(strength(scope, share.hand)[seat]), scope.prepared.hands[share.hand].ranking
        if made > 0 and (share.at_least is None or made >= ranking.at_least(share.at_least)):
            described.append(ranking.describe(made))
    return f": {' and '.join(dict.fromkeys(described))}" if described else ""
