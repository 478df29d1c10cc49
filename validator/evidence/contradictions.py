"""Rounds whose events and summary contradict each other, or that contain acts which their game does not have.

Such a record cannot be judged, so it is quarantined. Kinds of event that the log declares as not recorded are not
compared, nor anything that the summary leaves open.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial

import numpy as np

from fairdeal.validator.arrays import ABSENT, Flags, Ints, find_distinct, find_true, has_any, is_one_of
from fairdeal.validator.cards.card_codes import JOKER, UNKNOWN
from fairdeal.validator.evidence import card_places
from fairdeal.validator.evidence.card_places import find_cards_not_at_place
from fairdeal.validator.evidence.columns.recorded_events import is_recorded
from fairdeal.validator.evidence.columns.round_batch import Batch, CodedColumn, list_hands, no_hands, translate_codes
from fairdeal.validator.evidence.event_kinds import NO_DECISION, PLACES, KnownGame, ListNames
from fairdeal.validator.evidence.log_events import KIND_CODES, KINDS
from fairdeal.validator.evidence.stake_amounts import (
    StakeLedger,
    find_amount_contradictions,
    find_chip_contradictions,
)
from fairdeal.validator.text.diagnostics import quote

_EXCHANGING = np.isin(KINDS, ("discard", "draw"))


def find_card_contradictions(batch: Batch, summary: card_places.CardPlaces) -> card_places.Reasons:
    """Yield the rounds with contradictions about cards, by kind of reason.

    The checks are: cards dealt or drawn at a place against the summary, in order; discards against the summary, in any
    order; discards against the cards of the place; cards handled at a place where they are not.
    """
    listed = summary.collect_listed_cards(batch.seats.hands, batch.dealer, batch.community)
    by_event = card_places.collect_event_cards(batch, summary, "deal")
    # If remedies are not recorded, dealt cards may have been discarded at once.
    put_aside = ~is_recorded(batch, "remedy")[summary.round] & (by_event.sizes() > listed.sizes())
    comparable = by_event._replace(known=by_event.known & ~put_aside)
    yield from _find_differing(summary, listed, comparable, card_places.DEALT)
    dealt, nothing = card_places.prefer_listed_cards(listed, by_event), no_hands(len(batch))
    drawn = card_places.PlaceCards(np.zeros(0, np.int64), np.zeros(0, np.uint8), summary.is_recorded(batch, "draw"))
    if _may_exchange(batch):
        drawn_by_event = card_places.collect_event_cards(batch, summary, "draw")
        listed = summary.collect_listed_cards(batch.seats.drawn, batch.dealer_drawn, nothing)
        yield from _find_differing(summary, listed, drawn_by_event, card_places.DRAWN)
        drawn = card_places.prefer_listed_cards(listed, drawn_by_event)
        discarded_by_event = card_places.collect_event_cards(batch, summary, "discard")
        listed = summary.collect_listed_cards(batch.seats.discarded, batch.dealer_discarded, batch.community_discarded)
        yield from _find_other_discards(summary, listed, discarded_by_event)
        yield from _find_strange_discards(
            summary, card_places.prefer_listed_cards(listed, discarded_by_event), dealt, drawn
        )
    split_rounds = np.zeros(len(batch), np.bool_)
    split_rounds[batch.seats.round[batch.seats.split_of >= 0]] = True
    if has_any(split_rounds):  # cards of a split hand lie at other seats than those that were dealt them
        seats = np.arange(len(dealt.known)) < len(batch.seats.round)
        dealt = dealt._replace(known=dealt.known & ~(seats & split_rounds[summary.round]))
    yield from find_cards_not_at_place(batch, summary, dealt, drawn)


def _may_exchange(batch: Batch) -> bool:
    """Return whether any round may have discards or drawn cards."""
    lists = (
        batch.seats.discarded,
        batch.seats.drawn,
        batch.dealer_discarded,
        batch.dealer_drawn,
        batch.community_discarded,
    )
    return bool(has_any(_EXCHANGING[batch.events.kind])) or any(has_any(hands.count >= 0) for hands in lists)


def _find_differing(
    summary: card_places.CardPlaces,
    listed: card_places.PlaceCards,
    by_event: card_places.PlaceCards,
    wording: card_places.Wording,
) -> card_places.Reasons:
    """Yield the places whose cards in the events differ, card by card, from those in the summary."""
    both = listed.known & by_event.known
    alike = listed.sizes() == by_event.sizes()
    wrong = both & ~alike
    comparable = alike[listed.owner]
    in_summary, in_events = listed.cards[comparable], by_event.take_places(alike)
    differs = (in_summary != in_events) & (in_summary != UNKNOWN) & (in_events != UNKNOWN)
    wrong[listed.owner[comparable][differs]] = True
    return _describe_differences(summary, wrong & both, listed, by_event, wording)


def _describe_differences(
    summary: card_places.CardPlaces,
    wrong: Flags,
    listed: card_places.PlaceCards,
    by_event: card_places.PlaceCards,
    wording: card_places.Wording,
) -> card_places.Reasons:
    for place in find_true(wrong).tolist():
        in_summary, in_events = listed.text(place) or "none", by_event.text(place) or "none"
        reason = f"{summary.describe(place, wording)} {in_summary}, but the events {wording.verb} {in_events}"
        yield int(summary.round[place]), reason


def _find_other_discards(
    summary: card_places.CardPlaces, listed: card_places.PlaceCards, by_event: card_places.PlaceCards
) -> card_places.Reasons:
    """Yield the places whose discards in the events differ from those in the summary, in any order."""
    wrong = (listed.sizes() != by_event.sizes()) | (
        card_places.count_missing(by_event, listed) > card_places.count_unknown(listed)
    )
    return _describe_differences(
        summary, wrong & listed.known & by_event.known, listed, by_event, card_places.DISCARDED
    )


def _find_strange_discards(
    summary: card_places.CardPlaces,
    discarded: card_places.PlaceCards,
    dealt: card_places.PlaceCards,
    drawn: card_places.PlaceCards,
) -> card_places.Reasons:
    """Yield the places that discard cards which they were not dealt and did not draw."""
    had = card_places.combine_cards(dealt, drawn)
    wrong = (discarded.sizes() > had.sizes()) | (
        card_places.count_missing(discarded, had) > card_places.count_unknown(had)
    )
    for place in find_true(wrong & had.known).tolist():
        reason = f"{summary.describe(place, card_places.DISCARDED)} {discarded.text(place)}"
        yield (
            int(summary.round[place]),
            f"{reason}, but {summary.describe(place, card_places.DEALT)} "
            f"{card_places.describe_received(place, dealt, drawn)}",
        )


_SETTLEMENT_WORDS = {"pay": "paid", "collect": "collected", "return": "given back", "withdraw": "taken back"}


def find_early_settlements(batch: Batch, ledger: StakeLedger) -> Iterator[tuple[int, str]]:
    """Yield stakes that are settled or withdrawn before they were placed, unless they were brought."""
    events = batch.events
    is_placing = events.kind.take(ledger.events) == KIND_CODES["wager"]
    placed, cells = ledger.events.compress(is_placing), ledger.event_cells.compress(is_placing)
    first = np.full(ledger.size, ABSENT, np.int64)
    first[cells[::-1]] = placed[::-1]
    first[ledger.stake_cells.compress(batch.stakes.brought > 0)] = ABSENT
    for index in find_true(~is_placing & (ledger.events < first.take(ledger.event_cells))).tolist():
        event = int(ledger.events[index])
        seat, verb = int(events.seat[event]), _SETTLEMENT_WORDS[KINDS[events.kind[event]]]
        wager = ledger.describe(int(ledger.event_cells[index]))
        yield int(events.round[event]), f"seat {batch.seats.number[seat]}, {wager}: {verb} before it was placed"


GAME_SPECIFIC_KINDS = ("tuck", "discard", "draw", "award", "rake", "pay", "collect", "withdraw")
"""Kinds of event that move cards or chips in some games and not in others."""
_ACT = np.isin(KINDS, GAME_SPECIFIC_KINDS)
"""True for the kinds in `GAME_SPECIFIC_KINDS`, bool[kinds]."""
_CUT = KIND_CODES["cut"]


def find_unknown_acts(batch: Batch, games: CodedColumn, known: Mapping[str, KnownGame]) -> Iterator[tuple[int, str]]:
    """Yield the rounds with acts that the rules of their game do not provide for, or with cuts of more cards than are
    in play.

    Args:
        batch: the rounds.
        games: the game of each round.
        known: rules by game, read only for rounds with one of `GAME_SPECIFIC_KINDS`, or a cut of a recorded number of
            cards.

    Yields: index of the round and the reason, one for each act.
    """
    events = batch.events
    acts = find_true(_ACT.take(events.kind) | ((events.kind == _CUT) & (events.amount > 0)))
    kinds, places, cut = events.kind.take(acts), events.place.take(acts), events.amount.take(acts)
    game = games.codes.take(events.round.take(acts))
    is_in_use = np.zeros(len(games.names), np.bool_)
    is_in_use[game] = True
    for code in find_true(is_in_use).tolist():
        rules = known[games.names[code]]
        strange = np.where(kinds == _CUT, cut > rules.cards, ~_tabulate_known(rules.acts)[kinds, places])
        for event in acts.compress((game == code) & strange).tolist():
            index, kind = int(events.round[event]), events.kind[event]
            number = event - int(np.searchsorted(events.round, index)) + 1
            is_elsewhere = has_any(_tabulate_known(rules.acts)[kind])
            where = f" at the place `{PLACES[events.place[event]]}`" if is_elsewhere else ""
            unknown = f"event {number} is a `{KINDS[kind]}`{where}, which the rules of the game do not provide for"
            lifted = f"event {number} cuts {events.amount[event]} cards, but only {rules.cards} are in play"
            yield index, lifted if kind == _CUT else unknown


def find_foreign_jokers(batch: Batch, games: CodedColumn, known: Mapping[str, KnownGame]) -> Iterator[tuple[int, str]]:
    """Yield the rounds with a joker in a game whose deck has none.

    Arguments and yields are as in `find_unknown_acts`.
    """
    events, with_cards = batch.events, find_true(batch.events.cards_row != ABSENT)
    found = [
        rounds[(hands.cards == JOKER).any(axis=1)]
        for hands, rounds in list_hands(batch)
        if has_any(hands.cards == JOKER)
    ]
    if has_any(events.hands.cards == JOKER):
        has_joker = (events.hands.cards == JOKER).any(axis=1)
        found.append(events.round[with_cards][has_joker[events.cards_row[with_cards]]])
    for index in find_distinct(np.concatenate(found)).tolist() if found else ():
        if not known[games.names[games.codes[index]]].jokers:
            yield index, "the deck of the game has no joker"


def find_wrong_outcomes(batch: Batch, games: CodedColumn, known: Mapping[str, KnownGame]) -> Iterator[tuple[int, str]]:
    """Yield the rounds with results that their game cannot have, or whose last result differs from the summary.

    Arguments and yields are as in `find_unknown_acts`.
    """
    events, outcomes = batch.events, batch.outcomes
    stated = find_true(events.kind == KIND_CODES["outcome"])
    for code in find_distinct(games.codes[np.concatenate([outcomes.round, events.round[stated]])]).tolist():
        own = known[games.names[code]].outcomes
        listed = find_true(games.codes[outcomes.round] == code)
        for name in {*outcomes.name.take(listed).used_names()} - own.keys():
            wrong = listed[outcomes.name.codes[listed] == outcomes.name.code(name)]
            yield from ((int(outcomes.round[at]), f"the game has no outcome {quote(name)}") for at in wrong.tolist())
        for name, values in own.items():
            last = np.full(len(batch), ABSENT, np.int64)
            in_events = _read_results(events.value, values)
            of_game = games.codes[events.round[stated]] == code
            at = stated[of_game & (events.what.codes[stated] == events.what.code(name))]
            last[events.round[at]] = at
            for event in at[in_events[at] < 0].tolist():
                yield int(events.round[event]), _explain_wrong_value(name, events.value.text(event))
            in_summary = _read_results(outcomes.value, values)
            at = listed[outcomes.name.codes[listed] == outcomes.name.code(name)]
            for result in at[in_summary[at] < 0].tolist():
                yield int(outcomes.round[result]), _explain_wrong_value(name, outcomes.value.text(result))
            at = at[last[outcomes.round[at]] >= 0]
            for result in at[in_summary[at] != in_events[last[outcomes.round[at]]]].tolist():
                by_summary, by_event = outcomes.value.text(result), events.value.text(last[outcomes.round[result]])
                yield (
                    int(outcomes.round[result]),
                    f"the record contradicts itself: {quote(name)} is {quote(by_summary or '')} in the summary, "
                    f"but {quote(by_event or '')} in the events",
                )


def find_wrong_brought_stakes(
    batch: Batch, games: CodedColumn, known: Mapping[str, KnownGame]
) -> Iterator[tuple[int, str]]:
    """Yield the rounds with stakes that are brought from an earlier round, although none can stay on the table.

    Arguments and yields are as in `find_unknown_acts`.
    """
    seats, stakes = batch.seats, batch.stakes
    brought = find_true(stakes.brought > 0)
    game = games.codes[seats.round[stakes.seat[brought]]]
    for code in find_distinct(game).tolist():
        own = brought[game == code]
        for stake in own[~stakes.wager.is_one_of(known[games.names[code]].staying)[own]].tolist():
            seat, wager = int(stakes.seat[stake]), quote(stakes.wager.text(stake) or "")
            why = "is brought from an earlier round, but no stake on it stays on the table"
            yield int(seats.round[seat]), f"seat {seats.number[seat]}, {wager}: {stakes.brought[stake]} {why}"


def _read_results(column: CodedColumn, values: Mapping[str, int]) -> Ints:
    """Return the number of each value; ABSENT for none or an unknown one.

    Returns: int64[n].
    """
    return np.array([*(values.get(name, ABSENT) for name in column.names), ABSENT], np.int64)[column.codes]


def _explain_wrong_value(name: str, value: str | None) -> str:
    return f"{quote(name)} cannot be {quote(value or '')}"


def _tabulate_known(known: Collection[str]) -> Flags:
    """Return whether a kind is known at each place; the last column is for no place.

    Returns: bool[kinds, places + 1].
    """
    may = np.zeros((len(KINDS), len(PLACES) + 1), np.bool_)
    may[KIND_CODES["discard"], PLACES.index("deck")] = True  # the rest of the deck is nobody's
    for name in known:
        kind, _, place = name.partition("/")
        if place:
            may[KIND_CODES[kind], [PLACES.index(place), -1]] = True
        else:
            may[KIND_CODES[kind]] = True
    return may


def find_contradictions(batch: Batch, list_names: ListNames) -> list[tuple[int, str]]:
    """Find the rounds that contradict themselves, by index in ascending order, each with the first reason found.

    The events are compared with the summary and with each other:
    - cards dealt and drawn at each place, in order, and discards, in any order;
    - discards and handled cards, with the cards at the place at that moment;
    - stakes brought from an earlier round and wagers placed, less wagers withdrawn, with the stakes;
    - payments and collections, with the amounts paid and taken;
    - returned stakes, with the rest of the stake or the amount that could be returned;
    - chips put in with decisions, with the stakes of the seat, and awards of pots, with its winnings;
    - the last decision of a seat (none, if others decide), with the seat's decision;
    - declared wins, with those of the summary;
    - settlements, with the wagers that must come before them.

    Args:
        batch: the rounds.
        list_names: returns the names of one sort. Events may pay a bonus that the summary does not list. A stake on a
            staying wager may be brought from an earlier round. A passive decision puts no chips in unless it states an
            amount.
    """
    first_reasons: dict[int, str] = {}
    summary, ledger = card_places.CardPlaces(batch), StakeLedger(batch)
    for reasons in (
        find_card_contradictions(batch, summary),
        find_amount_contradictions(batch, ledger, partial(list_names, "bonuses"), partial(list_names, "staying")),
        find_chip_contradictions(batch, partial(list_names, "passive")),
        _find_decision_contradictions(batch),
        _find_claim_contradictions(batch),
        find_early_settlements(batch, ledger),
    ):
        for index, reason in reasons:
            first_reasons.setdefault(index, f"the record contradicts itself: {reason}")
    return sorted(first_reasons.items())


def _find_decision_contradictions(batch: Batch) -> Iterator[tuple[int, str]]:
    events, seats = batch.events, batch.seats
    decision_of, names = translate_codes(events.decision, seats.decision)
    decisions = find_true((events.kind == KIND_CODES["decide"]) & (events.seat >= 0))
    last = np.full(len(seats.round), -1, np.int64)
    np.maximum.at(last, events.seat[decisions], decisions)
    in_round = np.zeros(len(batch), bool)  # True if any event of the round is a decision
    in_round[events.round[decisions]] = True
    decided = (seats.decision.codes >= 0) & (is_recorded(batch, "decide") & in_round)[seats.round]
    silent = decided & (last < 0) & (seats.decision.codes != seats.decision.code(NO_DECISION))
    for seat in find_true(silent).tolist():
        summary = quote(seats.decision.text(seat) or "")
        yield (
            int(seats.round[seat]),
            f"seat {seats.number[seat]} decides {summary} in the summary, but nothing in the events",
        )
    stated = find_true(decided & (last >= 0))
    for seat in stated[decision_of[last[stated]] != seats.decision.codes[stated]].tolist():
        summary, event = quote(seats.decision.text(seat) or ""), quote(names[decision_of[last[seat]]])
        yield (
            int(seats.round[seat]),
            f"seat {seats.number[seat]} decides {summary} in the summary, but {event} in the events",
        )


def _find_claim_contradictions(batch: Batch) -> Iterator[tuple[int, str]]:
    """Yield wins that are declared in the summary or in the events only. A tip is declared with its wager."""
    events, seats, stakes = batch.events, batch.seats, batch.stakes
    own = find_true((stakes.claimed >= 0) & ~stakes.tip)
    own = own[is_recorded(batch, "claim")[seats.round[stakes.seat[own]]]]
    if not len(own):
        return
    claims = find_true(events.kind == KIND_CODES["claim"])
    # A win is declared on a wager, whatever the selections of its stakes are.
    wager_of, names = translate_codes(events.wager, stakes.wager)
    declared = is_one_of(
        stakes.seat[own].astype(np.int64) * len(names) + stakes.wager.codes[own],
        events.seat[claims].astype(np.int64) * len(names) + wager_of[claims],
    )
    for stake in own[declared != (stakes.claimed[own] > 0)].tolist():
        seat = int(stakes.seat[stake])
        summary, by_event = ("is", "is not") if stakes.claimed[stake] else ("is not", "is")
        reason = (
            f"{quote(stakes.wager.text(stake) or '')} {summary} claimed in the summary, but {by_event} in the events"
        )
        yield int(seats.round[seat]), f"seat {seats.number[seat]}: {reason}"
