"""Description of one round: its record, its betting, and its pots."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT
from fairdeal.validator.audit.operators import pot_checks
from fairdeal.validator.cards.card_codes import cards_in_symbols, parse_cards
from fairdeal.validator.engine.betting.betting_predicates import evaluate_replay_predicate
from fairdeal.validator.engine.betting.betting_quantities import evaluate_replay_quantity
from fairdeal.validator.engine.betting.betting_replay import BettingReplay, replay_betting
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, YES
from fairdeal.validator.engine.facts.final_hands import hand_strength
from fairdeal.validator.engine.item_evidence import ItemEvidence, format_card_row, name_seat, title_of_value
from fairdeal.validator.engine.pots import pot_totals
from fairdeal.validator.engine.pots.pot_shares import SettledPots, settle_pots
from fairdeal.validator.engine.pots.pot_totals import bound_pot_amount
from fairdeal.validator.engine.pots.side_pots import expand_masks, has_single_pot_before
from fairdeal.validator.engine.timeline.deal_stages import stage_of_events
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, certain_events
from fairdeal.validator.evidence.columns.log_draft import describe_line
from fairdeal.validator.evidence.columns.recorded_events import STATES_NUMBER
from fairdeal.validator.evidence.columns.round_batch import Hands, cut_before_event
from fairdeal.validator.evidence.event_kinds import ACTORS, FACES, MEANS, PLACES
from fairdeal.validator.evidence.log_events import KIND_CODES, KINDS
from fairdeal.validator.language.grammar import PotNumber
from fairdeal.validator.language.submission_conditions import format_means, replace_hyphens
from fairdeal.validator.results.results import ExplanationPart
from fairdeal.validator.rules.regulation import line_title
from fairdeal.validator.text.plain_values import format_money


def describe_place_in_session(scope: EvaluationContext) -> Iterator[str]:
    """Describe the place of the round in its session, the deck and the meters, where recorded."""
    batch, meters, outcomes = scope.batch, scope.batch.meters, scope.batch.outcomes
    if batch.number[0] != ABSENT:
        yield f"round {int(batch.number[0])} since the table opened"
    previous = batch.after.text(0)
    if previous is not None:
        yield f"played just after round {previous}"
    deck = batch.deck.text(0)
    if deck is not None:
        yield f"played with the deck {deck}"
    for index in range(len(outcomes.round)):
        name, value = outcomes.name.text(index) or "", outcomes.value.text(index) or ""
        yield f"outcome {name}: {title_of_value(scope, name, value)}"
    for index in range(len(meters.round)):
        readings = (("opening", meters.opening), ("shown", meters.shown), ("closing", meters.closing))
        readings_shown = [f"{name} {format_money(int(at[index]))}" for name, at in readings if at[index] != ABSENT]
        yield f"meter {meters.meter.text(index)}: {', '.join(readings_shown) or 'not read'}"


def describe_table(scope: EvaluationContext) -> Iterator[str]:
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


def describe_exchanges(scope: EvaluationContext) -> Iterator[str]:
    """Describe the cards discarded and drawn at each place, where recorded."""
    batch, seats, deal = scope.batch, scope.batch.seats, scope.compiled_game.game.deal
    for seat, number in enumerate(seats.number.tolist()):
        yield from _describe_exchange(f"seat {number}", seats.discarded, seats.drawn, seat)
    yield from _describe_exchange(deal.name_place("dealer"), batch.dealer_discarded, batch.dealer_drawn, 0)
    yield from _describe_exchange(deal.name_place("community"), batch.community_discarded, None, 0)


def _describe_exchange(place: str, discarded: Hands, drawn: Hands | None, row: int) -> Iterator[str]:
    listed = (("discards", discarded), ("draws", drawn))
    parts = [
        f"{verb} {format_card_row(hands.cards[row]) if hands.count[row] else 'nothing'}"
        for verb, hands in listed
        if hands is not None and hands.count[row] != ABSENT
    ]
    if parts:
        yield f"{place} {' and '.join(parts)}"


def describe_events(scope: EvaluationContext) -> Iterator[str]:
    """Describe the events of the round, numbered from 1."""
    for event in range(len(scope.batch.events.kind)):
        yield describe_event(scope, event)


def describe_event(scope: EvaluationContext, event: int) -> str:
    """Describe an event with its number, from 1."""
    return f"{event + 1}. {', '.join(_event_parts(scope, event))}"


def _event_parts(scope: EvaluationContext, event: int) -> Iterator[str]:
    events = scope.batch.events
    yield KINDS[events.kind[event]]
    yield from _stage_name(scope, event)
    if events.seat[event] != ABSENT:
        yield f"seat {int(scope.batch.seats.number[events.seat[event]])}"
    elif events.place[event] != ABSENT:
        yield scope.compiled_game.game.deal.name_place(PLACES[events.place[event]])
    wager = events.wager.text(event)
    if wager is not None:
        title = describe_line(line_title(scope.compiled_game.game, wager), events.value.text(event))
        yield title + (" (tip)" if events.tip[event] else "")
    if events.amount[event] != ABSENT:
        amount = int(events.amount[event])
        yield str(amount) if STATES_NUMBER[events.kind[event]] else format_money(amount)
    if events.means[event] != ABSENT:
        yield f"in {format_means(MEANS[events.means[event]])}"
    if KINDS[events.kind[event]] == "split":
        yield f"to seat {int(events.chips[event])}"
    elif events.chips[event] != ABSENT:
        yield "1 chip" if events.chips[event] == 1 else f"{int(events.chips[event])} chips"
    if events.pot[event] != ABSENT:
        yield f"side pot {int(events.pot[event])}" if events.pot[event] else "main pot"
    yield from (text for text in (events.decision.text(event), events.what.text(event)) if text is not None)
    is_set = KINDS[events.kind[event]] == "set"
    if wager is None and events.value.codes[event] != ABSENT and not is_set:
        yield title_of_value(scope, events.what.text(event) or "", events.value.text(event) or "")
    deck, positions = events.deck.text(event), events.positions.text(event)
    if deck is not None:
        yield f"deck {deck}"
    if positions is not None:
        yield f"positions {', '.join(positions)}"
    if events.cards_row[event] != ABSENT:
        yield format_card_row(events.hands.cards[events.cards_row[event]])
    if is_set:
        yield f"low {cards_in_symbols(parse_cards(events.value.text(event) or ''))}"
    if events.face[event] != ABSENT:
        yield f"face {FACES[events.face[event]]}"
    if events.by[event] != ABSENT:
        yield f"by the {ACTORS[events.by[event]]}"


def _stage_name(scope: EvaluationContext, event: int) -> Iterator[str]:
    """Yield the name of the stage of the deal that an event belongs to, if the game has several."""
    stages, stage = scope.compiled_game.game.deal.stages, int(stage_of_events(scope)[event])
    if len(stages) > 1 and stage != ABSENT:
        yield replace_hyphens(stages[stage].stage)


_NOT_AS_DUE = " - WRONG"


def describe_pots(scope: EvaluationContext) -> Iterator[str]:
    """Describe the pots of the only round of a context: amounts due, to the house too, and amounts received."""
    pots = settle_pots(scope)
    if not pots.is_known[0]:
        yield "the amounts put in by the seats, and which seats may win them, are not fully recorded"
        return
    if pots.uncalled_bets.amount[0]:
        due = pot_checks.describe_return_to(scope, _seat_of_uncalled_bet(pots), int(pots.uncalled_bets.amount[0]))
        yield f"uncalled bet: {due}{_describe_return(scope)}"
    yield from describe_each_pot(scope)
    yield from _describe_rake(scope)
    received, correct = pot_totals.credit_pots(scope), pot_totals.check_shares(scope)
    for row in np.flatnonzero(pots.contributions.seats[:, 0] >= 0).tolist():
        amount = pot_checks.format_received(int(received.received[row, 0]))
        wrong = _NOT_AS_DUE if correct[row, 0] == NO else ""
        yield f"{pot_checks.describe_shares(scope, row, 0)}; {amount}{wrong}"


def describe_each_pot(scope: EvaluationContext) -> Iterator[str]:
    """Describe each pot so far, with the seats that can win it."""
    pots, numbers = settle_pots(scope), scope.batch.seats.number
    for index in range(len(pots.pots.amount)):
        rows = np.flatnonzero(expand_masks(pots.pots.eligible[index : index + 1], len(pots.contributions.seats))[:, 0])
        seats = [str(numbers[seat]) for seat in pots.contributions.seats[rows, 0]]
        named = f"seats {', '.join(seats)}" if len(seats) > 1 else f"seat {seats[0]}"
        amount = format_money(int(pots.pots.amount[index]))
        yield f"{pot_checks.name_pot(index, len(pots.pots.amount))}: {amount}, for {named}"


def describe_uncalled_bet(scope: EvaluationContext) -> Iterator[str]:
    """Describe the part of the bets so far that nobody has called."""
    pots = settle_pots(scope)
    if pots.uncalled_bets.amount[0]:
        owner = scope.batch.seats.number[_seat_of_uncalled_bet(pots)]
        yield f"uncalled bet: {format_money(int(pots.uncalled_bets.amount[0]))} of seat {owner}"


def _seat_of_uncalled_bet(pots: SettledPots) -> int:
    return int(pots.contributions.seats[pots.uncalled_bets.row[0], 0])


def _describe_return(scope: EvaluationContext) -> str:
    received = pot_totals.credit_pots(scope)
    wrong = _NOT_AS_DUE if received.is_bet_returned[0] == NO else ""
    return f"; returned: {format_money(int(received.bet_returned[0]))}{wrong}"


def _describe_rake(scope: EvaluationContext) -> Iterator[str]:
    """Describe the rake, where the record shows it, and the rake due."""
    raked, due = _rake_amount(scope, "raked"), _rake_amount(scope, "rake-due")
    if raked is None and due is None:
        return
    by_sign = "not known" if due is None else format_money(due)
    taken = "not recorded" if raked is None else format_money(raked)
    if raked is not None and not are_kinds_recorded(scope, ("rake",))[0]:
        taken += " (inferred from the chips that are missing; the log does not record the rake)"
    wrong = _NOT_AS_DUE if None not in {raked, due} and raked != due else ""
    yield f"rake by the posted levels: {by_sign}; raked: {taken}{wrong}"


def _rake_amount(scope: EvaluationContext, name: PotNumber) -> int | None:
    least, most, known = (column[0] for column in bound_pot_amount(scope, name))
    return int(least) if known and least == most else None


_DECIDE, _REVEAL = KIND_CODES["decide"], KIND_CODES["reveal"]
_EXCHANGE_EVENTS = (KIND_CODES["discard"], KIND_CODES["draw"])
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


def describe_betting(scope: EvaluationContext) -> Iterator[ExplanationPart]:
    """Yield the events of the only round of a context: before the betting, each betting round, and the end."""
    described: list[str] = []
    for section in _split_into_sections(scope):
        lines = list(
            _describe_betting_round(scope, section) if section.betting else _describe_section_events(scope, section)
        )
        pots = list(_describe_pots_so_far(scope, section))
        if pots and pots != described:
            lines, described = lines + pots, pots
        yield ExplanationPart(title=section.title, lines=tuple(lines))


def _split_into_sections(scope: EvaluationContext) -> Iterator[_Section]:
    """Yield the betting rounds that began, and the events before and after them; empty sections are left out."""
    length, actions = len(scope.batch.events.kind), _betting_actions(scope)
    first, *later = scope.compiled_game.betting.rounds
    started = [
        (betting.round, _start_of_betting_round(scope, betting.after)) for betting in later if betting.after is not None
    ]
    started = [(name, at) for name, at in started if at != ABSENT]
    betting_start = min([*actions[:1], *(at for _, at in started), length])
    dealt = np.flatnonzero(stage_of_events(scope) != ABSENT).tolist()
    end_of_play = max([*actions[-1:], *dealt[-1:], betting_start - 1]) + 1
    starts = [("Before the betting", 0, False), (f"Betting {replace_hyphens(first.round)}", betting_start, True)]
    latest = betting_start
    for name, at in started:
        latest = max(latest, at)
        starts.append((f"Betting {replace_hyphens(name)}", latest, True))
    starts.append(("How the round ended", max(end_of_play, latest), False))
    ends = [at for _, at, _ in starts[1:]] + [length]
    for (title, begin, betting), end in zip(starts, ends, strict=True):
        if begin < end:
            yield _Section(title=title, begin=begin, end=end, betting=betting)


def _betting_actions(scope: EvaluationContext) -> list[int]:
    """Return the events that are betting actions; conceding at the showdown and exchanging cards are none."""
    decisions = np.flatnonzero(scope.batch.events.kind == _DECIDE).tolist()
    return [event for event in decisions if _kind_of_action(scope, event) not in {"concede", *_EXCHANGE_ACTIONS}]


def _kind_of_action(scope: EvaluationContext, event: int) -> str | None:
    """Return the kind of betting action of a decision; None if it is none."""
    decision = scope.compiled_game.game.decisions.get(scope.batch.events.decision.text(event) or "")
    return None if decision is None else decision.kind


def _start_of_betting_round(scope: EvaluationContext, step: str) -> int:
    """Return the event at which the deal before a betting round starts; ABSENT if there is none."""
    step_events = certain_events(scope, step)
    if not len(step_events):
        return ABSENT
    begin, own = int(step_events[-1]), set(step_events.tolist())
    while begin and (begin - 1 in own or _belong_together(scope, begin - 1, int(step_events[-1]))):
        begin -= 1
    return begin


def _belong_together(scope: EvaluationContext, event: int, last: int) -> bool:
    """Return whether two events belong to the same stage of the deal, or to the same exchange of cards."""
    kind, stage = scope.batch.events.kind, stage_of_events(scope)
    if stage[last] != ABSENT:
        return bool(stage[event] == stage[last])
    return bool(
        kind[event] in _EXCHANGE_EVENTS
        or (kind[event] == _DECIDE and _kind_of_action(scope, event) in _EXCHANGE_ACTIONS)
    )


def _describe_section_events(scope: EvaluationContext, section: _Section) -> Iterator[str]:
    for event in range(section.begin, section.end):
        yield f"{describe_event(scope, event)}{_hand_strength(scope, event)}"


def _describe_betting_round(scope: EvaluationContext, section: _Section) -> Iterator[str]:
    actions = [event for event in _betting_actions(scope) if section.begin <= event < section.end]
    for event in range(section.begin, section.end):
        if actions[:1] == [event]:
            yield _describe_state(scope, event)
        yield (
            _describe_action(scope, event)
            if event in actions
            else f"{describe_event(scope, event)}{_hand_strength(scope, event)}"
        )
    yield from _describe_end(scope, section, acted=bool(actions))


def _describe_state(scope: EvaluationContext, event: int) -> str:
    """Describe the betting before an action, and the seat to act."""
    replay = replay_betting(scope)
    if not replay.amounts_known_before[event]:
        return "the amounts put in so far are not fully recorded"
    entry = int(replay.snapshot_index[event])
    due = (
        ItemEvidence(scope, "event", event).describe_turn()
        if replay.is_turn_known[event]
        else "whose turn it is: unknown"
    )
    return f"{_players_left(replay, entry)}, {_pot_size(replay, entry)}; {due}"


def _describe_action(scope: EvaluationContext, event: int) -> str:
    """Describe an action with the amount to call before it, and the pot after it."""
    replay = replay_betting(scope)
    (to_call,), (known,) = evaluate_replay_quantity(scope, "to-call", np.array([event]))
    notes = [f"{format_money(int(to_call))} to call"] if known and to_call else []
    if evaluate_replay_predicate(scope, "in-turn")[event] == NO:
        notes.append(f"out of turn: {ItemEvidence(scope, 'event', event).describe_turn()}")
    if replay.amounts_known[event] and replay.chips_put_in[event]:
        notes.append(
            f"pot then "
            f"{format_money(int(replay.snapshots.pot[replay.snapshot_index[event]] + replay.chips_put_in[event]))}"
        )
    all_in = ", all-in" if evaluate_replay_predicate(scope, "all-in")[event] == YES else ""
    note = f" ({'; '.join(notes)})" if notes else ""
    return f"{event + 1}. {ItemEvidence(scope, 'event', event).describe_action()}{all_in}{note}"


def _describe_end(scope: EvaluationContext, section: _Section, *, acted: bool) -> Iterator[str]:
    """Describe the end of a betting round, and the pots so far."""
    replay, length = replay_betting(scope), len(scope.batch.events.kind)
    last = section.end == length
    if not (replay.amounts_known[section.end - 1] if last else replay.amounts_known_before[section.end]):
        yield "the pot at this point is not fully recorded"
        return
    entry = int(replay.end_index[0] if last else replay.snapshot_index[section.end])
    row = int(replay.snapshots.seat_to_act[entry])
    if not replay.is_turn_known[section.end - 1]:
        yield f"{_players_left(replay, entry)}, {_pot_size(replay, entry)}"
    elif row != ABSENT:
        yield f"not complete: {name_seat(scope, 0, row)} must still act; {_pot_size(replay, entry)}"
    elif acted:
        yield f"complete: {_players_left(replay, entry)}, {_pot_size(replay, entry)}"
    else:
        yield "no player has a decision left"


def _describe_pots_so_far(scope: EvaluationContext, section: _Section) -> Iterator[str]:
    """Describe the pots at the end of a betting round if there are several, or an uncalled bet."""
    if not section.betting or scope.compiled_game.game.pots is None:
        return
    replay, is_last = replay_betting(scope), section.end == len(scope.batch.events.kind)
    entry = int(replay.end_index[0] if is_last else replay.snapshot_index[section.end])
    if has_single_pot_before(scope, section.end, int(replay.snapshots.players_in[entry])):
        return
    context = EvaluationContext(cut_before_event(scope.batch, section.end), scope.compiled_game, scope.configuration)
    pots = settle_pots(context)
    if pots.is_known[0] and (len(pots.pots.amount) > 1 or pots.uncalled_bets.amount[0]):
        yield from describe_uncalled_bet(context)
        yield from describe_each_pot(context)


def _players_left(replay: BettingReplay, entry: int) -> str:
    players = int(replay.snapshots.players_in[entry]).bit_count()
    return "1 player left" if players == 1 else f"{players} players left"


def _pot_size(replay: BettingReplay, entry: int) -> str:
    return f"{format_money(int(replay.snapshots.pot[entry]))} in the pot"


def _hand_strength(scope: EvaluationContext, event: int) -> str:
    """Describe a shown hand by the rankings that pots are shared by, where it qualifies for a share."""
    events, pots = scope.batch.events, scope.compiled_game.game.pots
    if pots is None or events.kind[event] != _REVEAL or events.place[event] != _PLAYER:
        return ""
    seat, described = int(events.seat[event]), []
    for share in pots.shares:
        strength_, ranking = int(hand_strength(scope, share.hand)[seat]), scope.compiled_game.hands[share.hand].ranking
        if strength_ > 0 and (share.at_least is None or strength_ >= ranking.lowest_strength(share.at_least)):
            described.append(ranking.describe(strength_))
    return f": {' and '.join(dict.fromkeys(described))}" if described else ""
