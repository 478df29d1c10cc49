"""Description of the betting of one round: each betting round, every action with its price, and the pots."""

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
_EXCHANGE_EVENTS = (KIND["discard"], KIND["draw"])
_EXCHANGE_ACTIONS = frozenset({"discard", "stand-pat"})
_PLAYER = PLACES.index("player")


class _Section(Struct, frozen=True, kw_only=True):
    """Run of consecutive events."""

    title: str
    begin: int
    """First event."""
    end: int
    """Event after the last one."""
    betting: bool
    """True for a betting round."""


def betting_in_words(scope: Scope) -> Iterator[Chapter]:
    """Yield the events of the only round of a context: before the betting, each betting round, and the end."""
    described: list[str] = []
    for section in _split_into_sections(scope):
        lines = list(
            _describe_betting_round(scope, section) if section.betting else _describe_section_events(scope, section)
        )
        pots = list(_describe_pots_so_far(scope, section))
        if pots and pots != described:
            lines, described = lines + pots, pots
        yield Chapter(title=section.title, lines=tuple(lines))


def _split_into_sections(scope: Scope) -> Iterator[_Section]:
    """Yield the betting rounds that began, and the events before and after them; empty sections are left out."""
    length, actions = len(scope.batch.events.kind), _betting_actions(scope)
    first, *later = scope.prepared.betting.rounds
    started = [
        (betting.round, _start_of_betting_round(scope, betting.after)) for betting in later if betting.after is not None
    ]
    started = [(name, at) for name, at in started if at != ABSENT]
    betting_start = min([*actions[:1], *(at for _, at in started), length])
    dealt = np.flatnonzero(stage_of_events(scope) != ABSENT).tolist()
    end_of_play = max([*actions[-1:], *dealt[-1:], betting_start - 1]) + 1
    starts = [("Before the betting", 0, False), (f"Betting {in_plain_words(first.round)}", betting_start, True)]
    latest = betting_start
    for name, at in started:
        latest = max(latest, at)
        starts.append((f"Betting {in_plain_words(name)}", latest, True))
    starts.append(("How the round ended", max(end_of_play, latest), False))
    ends = [at for _, at, _ in starts[1:]] + [length]
    for (title, begin, betting), end in zip(starts, ends, strict=True):
        if begin < end:
            yield _Section(title=title, begin=begin, end=end, betting=betting)


def _betting_actions(scope: Scope) -> list[int]:
    """Return the events that are betting actions; conceding at the showdown and exchanging cards are none."""
    decisions = np.flatnonzero(scope.batch.events.kind == _DECIDE).tolist()
    return [event for event in decisions if _kind_of_action(scope, event) not in {"concede", *_EXCHANGE_ACTIONS}]


def _kind_of_action(scope: Scope, event: int) -> str | None:
    """Return the kind of betting action of a decision; None if it is none."""
    decision = scope.prepared.game.decisions.get(scope.batch.events.decision.text(event) or "")
    return None if decision is None else decision.kind


def _start_of_betting_round(scope: Scope, step: str) -> int:
    """Return the event at which the deal before a betting round starts; ABSENT if there is none."""
    step_events = events_of(scope, step)
    if not len(step_events):
        return ABSENT
    begin, own = int(step_events[-1]), set(step_events.tolist())
    while begin and (begin - 1 in own or _belong_together(scope, begin - 1, int(step_events[-1]))):
        begin -= 1
    return begin


def _belong_together(scope: Scope, event: int, last: int) -> bool:
    """Return whether two events belong to the same stage of the deal, or to the same exchange of cards."""
    kind, stage = scope.batch.events.kind, stage_of_events(scope)
    if stage[last] != ABSENT:
        return bool(stage[event] == stage[last])
    return bool(
        kind[event] in _EXCHANGE_EVENTS
        or (kind[event] == _DECIDE and _kind_of_action(scope, event) in _EXCHANGE_ACTIONS)
    )


def _describe_section_events(scope: Scope, section: _Section) -> Iterator[str]:
    for event in range(section.begin, section.end):
        yield f"{event_in_words(scope, event)}{_hand_strength(scope, event)}"


def _describe_betting_round(scope: Scope, section: _Section) -> Iterator[str]:
    actions = [event for event in _betting_actions(scope) if section.begin <= event < section.end]
    for event in range(section.begin, section.end):
        if actions[:1] == [event]:
            yield _describe_state(scope, event)
        yield (
            _describe_action(scope, event)
            if event in actions
            else f"{event_in_words(scope, event)}{_hand_strength(scope, event)}"
        )
    yield from _describe_end(scope, section, acted=bool(actions))


def _describe_state(scope: Scope, event: int) -> str:
    """Describe the betting before an action, and the seat to act."""
    replay = betting_of(scope)
    if not replay.amounts[event]:
        return "the amounts put in so far are not fully recorded"
    entry = int(replay.at[event])
    due = due_in_words(scope, event) if replay.turns[event] else "whose turn it is: unknown"
    return f"{_players_left(replay, entry)}, {_pot_size(replay, entry)}; {due}"


def _describe_action(scope: Scope, event: int) -> str:
    """Describe an action with the amount to call before it, and the pot after it."""
    replay = betting_of(scope)
    to_call, known = betting_number(scope, "to-call")
    notes = [f"{format_money(int(to_call[event]))} to call"] if known[event] and to_call[event] else []
    if betting_word(scope, "in-turn")[event] == NO:
        notes.append(f"out of turn: {due_in_words(scope, event)}")
    if replay.told[event] and replay.put_in[event]:
        notes.append(f"pot then {format_money(int(replay.states.pot[replay.at[event]] + replay.put_in[event]))}")
    all_in = ", all-in" if betting_word(scope, "all-in")[event] == YES else ""
    note = f" ({'; '.join(notes)})" if notes else ""
    return f"{event + 1}. {act_in_words(scope, event)}{all_in}{note}"


def _describe_end(scope: Scope, section: _Section, *, acted: bool) -> Iterator[str]:
    """Describe the end of a betting round, and the pots so far."""
    replay, length = betting_of(scope), len(scope.batch.events.kind)
    last = section.end == length
    if not (replay.told[section.end - 1] if last else replay.amounts[section.end]):
        yield "the pot at this point is not fully recorded"
        return
    entry = int(replay.ends[0] if last else replay.at[section.end])
    row = int(replay.states.due[entry])
    if not replay.turns[section.end - 1]:
        yield f"{_players_left(replay, entry)}, {_pot_size(replay, entry)}"
    elif row != ABSENT:
        yield f"not complete: {seat_in_words(scope, 0, row)} must still act; {_pot_size(replay, entry)}"
    elif acted:
        yield f"complete: {_players_left(replay, entry)}, {_pot_size(replay, entry)}"
    else:
        yield "no player has a decision left"


def _describe_pots_so_far(scope: Scope, section: _Section) -> Iterator[str]:
    """Describe the pots at the end of a betting round if there are several, or an uncalled bet."""
    if not section.betting or scope.prepared.game.pots is None:
        return
    context = Scope(before(scope.batch, section.end), scope.prepared, scope.configuration)
    pots = settled(context)
    if pots.known[0] and (len(pots.pots.amount) > 1 or pots.free.amount[0]):
        yield from nobody_called(context)
        yield from each_pot(context)


def _players_left(replay: Play, entry: int) -> str:
    players = int(replay.states.players[entry]).bit_count()
    return "1 player left" if players == 1 else f"{players} players left"


def _pot_size(replay: Play, entry: int) -> str:
    return f"{format_money(int(replay.states.pot[entry]))} in the pot"


def _hand_strength(scope: Scope, event: int) -> str:
    """Describe a shown hand by the rankings that pots are shared by, where it qualifies for a share."""
    events, pots = scope.batch.events, scope.prepared.game.pots
    if pots is None or events.kind[event] != _REVEAL or events.place[event] != _PLAYER:
        return ""
    seat, described = int(events.seat[event]), []
    for share in pots.shares:
        strength_, ranking = int(strength(scope, share.hand)[seat]), scope.prepared.hands[share.hand].ranking
        if strength_ > 0 and (share.at_least is None or strength_ >= ranking.at_least(share.at_least)):
            described.append(ranking.describe(strength_))
    return f": {' and '.join(dict.fromkeys(described))}" if described else ""
