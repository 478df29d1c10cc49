"""From the events of a batch to the words of its rounds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from validator.arrays import ABSENT, Flags, Ints, Ints16, Tri, alike
from validator.audit.sessions.event_signature import OCCASIONS, ROUND_DEALT, Symbol, Word
from validator.audit.sessions.session_rows import Journal
from validator.engine.core import kleene
from validator.engine.core.context import Scope
from validator.engine.core.kleene import NO, YES
from validator.engine.timeline.course import misplaced
from validator.engine.timeline.event_decks import of_any_deck
from validator.engine.timeline.step_events import events_maybe_of, events_of_kinds, kinds_recorded, steps_recorded
from validator.rules.model.sessions import EveryCheck, NeededCheck, SuccessionCheck

DEALING = "deal"
"""The kind of event by which a round is dealt."""

_DECK_IN_PLAY = -2

_AT_ONCE = 24
"""Steps of which one number says how surely an event belongs to each of them, by two bits."""
_MOST = 1 << 62

Spanning: TypeAlias = NeededCheck | EveryCheck | SuccessionCheck


def _names(checks: Sequence[Spanning]) -> tuple[str, ...]:
    """The steps and occasions that checks look at."""
    found: dict[str, None] = {}
    for check in checks:
        if isinstance(check, NeededCheck):
            ends = () if check.until is None else (check.until,)
            found.update(dict.fromkeys((*check.occasions, *check.steps, *check.waiting, *ends)))
        elif isinstance(check, SuccessionCheck):
            found.update(dict.fromkeys(name for name in (check.received, check.removed) if name is not None))
        elif check.operator == "step":
            found[check.step] = None
    return tuple(found)


def journal_of(scope: Scope, checks: Sequence[Spanning]) -> Journal:
    """The words of all rounds of a batch, over the steps and occasions that checks look at."""
    names = _names(checks)
    events, rounds = scope.batch.events, len(scope.batch)
    steps = [name for name in names if name not in OCCASIONS]
    belongs = _belonging(scope, steps)
    decks = _decks(scope)
    looked_at = np.bitwise_or.reduce(belongs, axis=0) != 0
    if any(_by_deck(check) for check in checks):
        # Which decks a table has is told by all that happens to them, whatever else is asked.
        looked_at |= decks != _DECK_IN_PLAY
    chosen = np.flatnonzero(looked_at)
    any_deck = _of_any_deck(scope, steps)[chosen]
    # Twice as many places as events: a round has been dealt between two of them.
    places, rows = 2 * chosen, belongs.take(chosen, axis=1)
    round_, deck = events.round[chosen], decks[chosen]
    astray = misplaced(scope)[chosen]
    if ROUND_DEALT in names:
        last = _last_dealt(scope)
        places = np.concatenate([places, 2 * last + 1])
        order = np.argsort(places, kind="stable")
        places = places[order]
        rows = np.concatenate([rows, np.zeros((len(rows), len(last)), np.int64)], axis=1)[:, order]
        deck = np.concatenate([deck, np.full(len(last), _DECK_IN_PLAY)])[order]
        astray, any_deck = (np.concatenate([one, np.zeros(len(last), bool)])[order] for one in (astray, any_deck))
        round_ = np.concatenate([round_, events.round[last]])[order]
    manner = 2 * astray.astype(np.int64) + any_deck
    examples, codes = _rows_alike([*rows, 2 * deck + places % 2, manner])
    symbols = [
        _symbol(scope, steps, rows[:, at], int(deck[at]), int(places[at]), int(manner[at])) for at in examples.tolist()
    ]
    again = np.zeros(len(codes), bool)
    again[1:] = (codes[1:] == codes[:-1]) & (round_[1:] == round_[:-1])
    again &= np.array([_once_for_all(symbol, checks) for symbol in symbols], bool)[codes]
    codes, round_, places = codes[~again], round_[~again], places[~again]
    event_numbers = (places // 2 - events.offsets[round_] + 1).astype(np.int16)
    offsets = np.searchsorted(round_, np.arange(rounds + 1))
    beside = list(zip(_unrecorded(scope, names), (~scope.batch.complete).tolist(), strict=True))
    return _spelled(codes.tolist(), offsets.tolist(), symbols, beside, event_numbers)


def _rows_alike(columns: Sequence[NDArray[Any]]) -> tuple[Ints, Ints]:
    """As `alike`, of rows of some columns."""
    codes, most = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        low = int(column.min(initial=0))
        values = int(column.max(initial=0)) - low + 1
        if most * values > _MOST:
            examples, codes = alike(codes)
            most = len(examples)
        codes = codes * values + (column.astype(np.int64) - low)
        most *= values
    return alike(codes)


def _by_deck(check: Spanning) -> bool:
    if isinstance(check, SuccessionCheck):
        return False
    return check.per == "deck" if isinstance(check, NeededCheck) else check.of_each is not None


def _once_for_all(symbol: Symbol, checks: Sequence[Spanning]) -> bool:
    """Whether several events like this on end are worth one of them: no check sees two things in it."""
    names = {name for name, _ in symbol.steps}
    for check in checks:
        if isinstance(check, NeededCheck):
            roles = [bool(names.intersection(check.occasions)), bool(names.intersection(check.waiting))]
            if sum(roles) + sum(step in names for step in check.steps) > 1:
                return False
    return True


def _belonging(scope: Scope, steps: Sequence[str]) -> Ints:
    """int64[k, events]: how surely each event belongs to each step, by two bits for each of so many."""
    found = np.zeros((len(steps) // _AT_ONCE + 1, scope.length("event")), np.int64)
    for number, step in enumerate(steps):
        chosen, surely = events_maybe_of(scope, step)
        row, place = divmod(number, _AT_ONCE)
        found[row, chosen] |= surely.astype(np.int64) << 2 * place
    return found


def _decks(scope: Scope) -> Ints:
    """int64[events]: the deck that each event names, `_DECK_IN_PLAY` where it names that one or none."""
    batch, named = scope.batch, scope.batch.events.deck
    places = {name: code for code, name in enumerate(named.names)}
    in_play = np.array([*(places.get(name, _DECK_IN_PLAY) for name in batch.deck.names), _DECK_IN_PLAY], np.int64)
    in_play = in_play[batch.deck.codes][batch.events.round]
    return np.where((named.codes == in_play) | (named.codes == ABSENT), _DECK_IN_PLAY, named.codes)


def _last_dealt(scope: Scope) -> Ints:
    """int64[m]: the last event by which a card was dealt, of each round that has one."""
    dealing = events_of_kinds(scope, (DEALING,))
    round_ = scope.batch.events.round[dealing]
    last = np.ones(len(dealing), bool)
    last[:-1] = round_[1:] != round_[:-1]
    return dealing[last]


def _of_any_deck(scope: Scope, steps: Sequence[str]) -> Flags:
    """bool[events]: whether events that may belong to steps of any deck do not tell of which they are."""
    found = np.zeros(scope.length("event"), bool)
    for step in steps:
        if scope.prepared.steps[step].unnamed_deck is not None:
            found[events_maybe_of(scope, step)[0]] = True
    return found & of_any_deck(scope) if found.any() else found


def _symbol(scope: Scope, steps: Sequence[str], belongs: Ints, deck: int, place: int, manner: int) -> Symbol:
    if place % 2:
        return Symbol(None, ((ROUND_DEALT, YES),))
    values = [int(belongs[number // _AT_ONCE]) >> 2 * (number % _AT_ONCE) & 3 for number in range(len(steps))]
    return Symbol(
        None if deck == _DECK_IN_PLAY else scope.batch.events.deck.names[deck],
        tuple((step, value) for step, value in zip(steps, values, strict=True) if value != NO),
        misplaced=manner >= 2,
        any_deck=manner % 2 == 1,
    )


def _unrecorded(scope: Scope, names: Sequence[str]) -> list[frozenset[str]]:
    """For each round, the steps and occasions that its log does not record."""
    rounds = len(scope.batch)
    dark: dict[str, Tri] = {}
    for name in names:
        # A step of several kinds is dark where any of them is not recorded. Whatever the order of the packets, the
        # first comes where a card is dealt first, and the last where one is dealt last.
        if name == ROUND_DEALT:
            dark[name] = kleene.known(~kinds_recorded(scope, [DEALING], ordered=False))
        elif name not in OCCASIONS:
            dark[name] = kleene.known(~steps_recorded(scope, [name], ordered=False))
    if not dark:
        return [frozenset()] * rounds
    examples, codes = _rows_alike(list(dark.values()))
    sets = [frozenset(name for name, values in dark.items() if values[at] == YES) for at in examples.tolist()]
    return [sets[code] for code in codes.tolist()]


def _spelled(
    codes: list[int],
    offsets: list[int],
    symbols: list[Symbol],
    beside: list[tuple[frozenset[str], bool]],
    event_numbers: Ints16,
) -> Journal:
    """Words from the codes of symbols; `beside` is what else each round's word says."""
    index: dict[tuple[tuple[int, ...], tuple[frozenset[str], bool]], int] = {}
    word = np.empty(len(beside), np.int32)
    for round_, (start, end) in enumerate(pairwise(offsets)):
        key = (tuple(codes[start:end]), beside[round_])
        word[round_] = index.setdefault(key, len(index))
    words = tuple(Word(tuple(symbols[code] for code in spelled), *rest) for spelled, rest in index)
    return Journal(words=words, word=word, numbers=event_numbers)
