"""Check `succession`: each round, or each player, compared with the previous round at the table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Bounds, Flags, Ints, Statuses, Truths
from fairdeal.validator.audit.operators.periodic_checks import check_card_copies
from fairdeal.validator.audit.sessions import ordered_rounds
from fairdeal.validator.audit.sessions.play_order import PlayOrder, SeatHistory
from fairdeal.validator.audit.sessions.session_rows import EventSequence
from fairdeal.validator.audit.status_codes import FAIL, NOT_APPLICABLE, NOT_EVIDENCED, FindingDetails, combine_status
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.derived_contexts import PreviousRoundContext
from fairdeal.validator.engine.core.kleene import NO, UNBOUNDED, UNKNOWN, YES
from fairdeal.validator.engine.facts.seat_layout import find_next_numbers, is_seat_between
from fairdeal.validator.language.grammar import iterate_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.language.submission_conditions import format_range
from fairdeal.validator.operators import rule_renderer
from fairdeal.validator.operators.logic_operators import AllOf, AnyOf, Connective, ReadingInForce
from fairdeal.validator.operators.number_operators import FixedNumber, NumberIs
from fairdeal.validator.operators.operator_interface import format_truth
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.rule_renderer import describe_condition
from fairdeal.validator.operators.seat_operators import IsNewPlayer
from fairdeal.validator.results.findings import EvidencePlace
from fairdeal.validator.rules.check_model import SuccessionCheck
from fairdeal.validator.rules.requirement_model import Requirement


def compare_with_previous_round(
    prepared: CompiledGame, rounds: ordered_rounds.OrderedRounds, requirement: Requirement
) -> ordered_rounds.SessionOutcome:
    """Check a requirement that compares rounds with previous rounds, over all sessions."""
    check: SuccessionCheck = requirement.check.operand
    items = _ComparedPlayers(rounds, requirement) if check.each == "player" else _ComparedRounds(rounds, requirement)
    when = kleene.constant(YES, len(items.place)) if check.when is None else items.across.evaluate(check.when, "when")
    holds = items.across.evaluate(check.must, "must")
    order = rounds.order
    # A check that refers to new players applies to them too, although they have no previous round.
    newcomers = check.each == "player" and _refers_to_new_players(check)
    begins = (order.opening & (order.gap == 0))[items.place]
    begins = np.zeros_like(begins) if newcomers else begins | (items.across.is_new_player == YES)
    statuses = combine_status(
        np.minimum(when, ordered_rounds.find_applicable_rounds(rounds, requirement)[items.place]), holds
    )
    statuses = np.where(begins, np.uint8(NOT_APPLICABLE), statuses)
    status = np.full(len(rounds), NOT_APPLICABLE, np.uint8)
    np.maximum.at(status, items.place, statuses)
    failing = np.flatnonzero(statuses == FAIL)
    undecided = _first_in_each_round(items.place, np.flatnonzero(statuses == NOT_EVIDENCED))
    gaps = dict(zip(items.place[undecided].tolist(), undecided.tolist(), strict=True))

    def describe_failure(failure: int) -> FindingDetails:
        item = int(failing[failure])
        return items.describe(prepared, check, item)

    def describe_gap(place: int) -> FindingDetails:
        item = gaps[place]
        why = ordered_rounds.explain_gap(rounds, place, frozenset()) if rounds.order.gap[place] else None
        shown = items.describe(prepared, check, item)
        return replace(shown, observed=why or f"the evidence does not show it: {shown.observed}")

    failures = ordered_rounds.SessionFailures(
        places=items.place[failing], rounds=np.ones(len(failing), np.int64), describe_failure=describe_failure
    )
    return ordered_rounds.SessionOutcome(status_codes=status, failures=failures, describe_gap=describe_gap)


def _first_in_each_round(place: Ints, items: Ints) -> Ints:
    """Return the first item of every round."""
    return items[np.unique(place[items], return_index=True)[1]]


def _refers_to_new_players(check: SuccessionCheck) -> bool:
    return any(
        isinstance(node, Condition) and isinstance(OPERATORS.find(node), IsNewPlayer) for node in iterate_models(check)
    )


def _is_previous_known(rounds: ordered_rounds.OrderedRounds) -> Flags:
    """Return whether the round listed before each round is the one that was played before it.

    Returns:
        bool[rounds].
    """
    return (rounds.order.gap == 0) & ~rounds.order.first & ~rounds.order.opening


def _has_same_deck(rounds: ordered_rounds.OrderedRounds, place: Ints) -> Truths:
    """Return whether rounds use the deck of the previous round.

    Returns:
        uint8[items].
    """
    deck = rounds.deck.codes
    known = _is_previous_known(rounds) & (deck != ABSENT) & (np.roll(deck, 1) != ABSENT)
    return kleene.where_known(deck == np.roll(deck, 1), known)[place]


def _find_next_seats(rounds: ordered_rounds.OrderedRounds, start: Ints) -> Ints:
    """Return the number of the seat after each start, among the seats that take part.

    Returns:
        int64[rounds].
    """
    seats = rounds.seats
    assert seats is not None
    return find_next_numbers(seats.place[seats.playing], seats.number[seats.playing], start)


def _count_passed_over(rounds: ordered_rounds.OrderedRounds, start: Ints, end: Ints) -> Bounds:
    """Count the players between two seats that take part now and took part in the previous round.

    Returns:
        int64[rounds], the minimum; int64[rounds], the maximum.
    """
    seats = rounds.seats
    assert seats is not None
    is_between = seats.playing & is_seat_between(seats.place, seats.number, start, end)
    low = np.bincount(seats.place[is_between & (seats.regular == YES)], minlength=len(rounds))
    doubtful = np.bincount(seats.place[is_between & (seats.regular == UNKNOWN)], minlength=len(rounds))
    return low, low + doubtful


class _ComparedItems:
    """Items that are compared with the previous round: rounds, or players of rounds."""

    __slots__ = ("_bounds", "_rounds", "_truths", "across", "place")

    def __init__(self, rounds: ordered_rounds.OrderedRounds, place: Ints, across: PreviousRoundContext) -> None:
        self._rounds, self.place, self.across = rounds, place, across
        # Values are computed for all items at once and cached.
        self._truths: dict[str, Truths] = {}
        self._bounds: dict[str, Bounds] = {}

    def where(self, item: int) -> EvidencePlace:
        """Return the place of an item."""
        return self._rounds.where(int(self.place[item]))

    def round_before(self, item: int) -> int | None:
        """Return the place of the round that an item is compared with; None if there is none."""
        place = int(self.place[item])
        return None if not place or self._rounds.order.first[place] else place - 1

    def describe(self, prepared: CompiledGame, check: SuccessionCheck, item: int) -> FindingDetails:
        """Describe the condition on an item and the evidence."""
        place, previous = int(self.place[item]), self.round_before(item)
        parts = self._find_unmet(check.must, "must", item)
        facts = (fact for part, name in parts for fact in self._list_facts(prepared, part, name, item))
        observed = "; ".join(dict.fromkeys(facts))
        if previous is not None:
            observed += f" ({ordered_rounds.describe_round(self._rounds, previous, place)} before)"
        expected = " and ".join(self._describe_condition(prepared, part, name, item) for part, name in parts)
        return FindingDetails(where=self.where(item), expected=expected, observed=observed)

    def _describe_condition(self, prepared: CompiledGame, condition: Condition, name: str, item: int) -> str:
        """Describe a condition on an item, with the numbers that are compared."""
        operator, operand = OPERATORS.find(condition), condition.operand
        if isinstance(operator, (AllOf, AnyOf)):
            parts, names = (
                rule_renderer.list_undecided(prepared, operand),
                {part.identity: f"{name}.{at}" for at, part in enumerate(operand)},
            )
            texts = [(part, self._describe_condition(prepared, part, names[part.identity], item)) for part in parts]
            return operator.join_parts(texts) if texts else describe_condition(prepared, condition)
        if not isinstance(operator, NumberIs) or not OPERATORS.refers_to_previous_round(condition):
            return describe_condition(prepared, condition)
        text = rule_renderer.describe_comparison(prepared, operand, required=True)
        low, high = self._find_bounds(operand.operand, f"{name}.bound", item)
        if isinstance(OPERATORS.find(operand.operand), FixedNumber) or (low, high) == (None, None):
            return text
        return f"{text} ({format_range(low, high, money=rule_renderer.compares_money(prepared, operand))})"

    def _find_unmet(self, condition: Condition, name: str, item: int) -> list[tuple[Condition, str]]:
        """Return the parts of a conjunction that do not hold, each with its name; without any, the whole condition."""
        if not isinstance(OPERATORS.find(condition), AllOf):
            return [(condition, name)]
        parts = [(part, f"{name}.{number}") for number, part in enumerate(condition.operand)]
        unmet = [part for part in parts if self._truth(*part, item) != YES]
        return [inner for part, name in unmet for inner in self._find_unmet(part, name, item)] or [(condition, name)]

    def _truth(self, condition: Condition, name: str, item: int) -> int:
        if name not in self._truths:
            self._truths[name] = self.across.evaluate(condition, name)
        return int(self._truths[name][item])

    def _list_facts(self, prepared: CompiledGame, condition: Condition, name: str, item: int) -> Iterator[str]:
        operand = condition.operand
        match OPERATORS.find(condition):
            case ReadingInForce():
                return  # a reading of the text is not evidence
            case AllOf() if rule_renderer.read_condition(prepared, condition) is False:
                return
            case Connective() as connective:
                for number, part in enumerate(connective.list_parts(operand)):
                    yield from self._list_facts(prepared, part, f"{name}.{number}", item)
            case NumberIs() if OPERATORS.refers_to_previous_round(condition):
                money = rule_renderer.compares_money(prepared, operand)
                for side, quantity in (("of", operand.of), ("bound", operand.operand)):
                    if not isinstance(OPERATORS.find(quantity), FixedNumber):
                        value = format_range(*self._find_bounds(quantity, f"{name}.{side}", item), money=money)
                        yield f"{rule_renderer.describe_quantity(prepared, quantity, money=money)}: {value}"
            case _:
                yield (f"{describe_condition(prepared, condition)}: {format_truth(self._truth(condition, name, item))}")

    def _find_bounds(self, quantity: Quantity, name: str, item: int) -> tuple[int | None, int | None]:
        """Return the known bounds of a quantity of an item."""
        if name not in self._bounds:
            self._bounds[name] = self.across.compute_bounds(quantity, name)
        low, high = (int(end[item]) for end in self._bounds[name])
        return None if low <= -UNBOUNDED else low, None if high >= UNBOUNDED else high


class _ComparedRounds(_ComparedItems):
    """Rounds as a whole."""

    __slots__ = ()

    def __init__(self, rounds: ordered_rounds.OrderedRounds, requirement: Requirement) -> None:
        def column(name: str) -> NDArray[np.generic]:
            values = rounds.column(requirement.requirement, name)
            assert values is not None
            return values

        def next_seat(start: Ints) -> Ints:
            return _find_next_seats(rounds, start)

        def passed_over(start: Ints, end: Ints) -> Bounds:
            return _count_passed_over(rounds, start, end)

        place = np.arange(len(rounds), dtype=np.int64)
        before = np.where(_is_previous_known(rounds), place - 1, ABSENT)
        new = kleene.constant(UNKNOWN, len(rounds))
        across = PreviousRoundContext(
            operators=OPERATORS,
            column=column,
            previous_index=before,
            is_new_player=new,
            has_same_deck=_has_same_deck(rounds, place),
            find_next_seat=next_seat,
            count_between=passed_over,
        )
        super().__init__(rounds, place, across)


class _ComparedPlayers(_ComparedItems):
    """Players of every round."""

    __slots__ = ("_seats",)

    def __init__(self, rounds: ordered_rounds.OrderedRounds, requirement: Requirement) -> None:
        assert rounds.seats is not None
        seats: SeatHistory = rounds.seats
        self._seats = seats

        def by_round(numbers: Ints) -> Ints:
            by_number = np.zeros(len(rounds), np.int64)
            by_number[seats.place] = numbers
            return by_number

        def next_seat(start: Ints) -> Ints:
            return _find_next_seats(rounds, by_round(start))[seats.place]

        def passed_over(start: Ints, end: Ints) -> Bounds:
            low, high = _count_passed_over(rounds, by_round(start), by_round(end))
            return low[seats.place], high[seats.place]

        across = PreviousRoundContext(
            operators=OPERATORS,
            column=lambda name: rounds.seat_column(requirement.requirement, name),
            previous_index=seats.previous,
            is_new_player=seats.new,
            has_same_deck=_has_same_deck(rounds, seats.place),
            find_next_seat=next_seat,
            count_between=passed_over,
        )
        super().__init__(rounds, seats.place, across)

    def where(self, item: int) -> EvidencePlace:
        return replace(super().where(item), seat=int(self._seats.number[item]))

    def round_before(self, item: int) -> int | None:
        before = int(self.across.previous_index[item])
        if before == ABSENT:
            return None if self.across.is_new_player[item] == YES else super().round_before(item)
        return int(self._seats.place[before])


DeckMove: TypeAlias = tuple[int | None, bool]
"""Deck by its code, None for the deck in play; and True if it arrives at the table, False if it leaves."""


def check_alternating_decks(rounds: ordered_rounds.OrderedRounds, received: str | None, removed: str | None) -> Truths:
    """Return whether each round uses the other deck than the previous round, or the only remaining deck.

    Args:
        received: step by which a deck arrives at the table.
        removed: step by which a deck leaves; without it, no deck is ever the only one.

    Returns:
        uint8[rounds].
    """
    order, codes = rounds.order, {name: code for code, name in enumerate(rounds.deck.names)}
    moves = [list(_list_moves(sequence, codes, received, removed)) for sequence in rounds.sequences]
    may_miss = [_may_miss_moves(sequence, frozenset((received, removed))) for sequence in rounds.sequences]
    is_start = order.first | order.opening | (order.gap != 0)
    opens = order.opening & (order.gap == 0)
    result = np.full(len(rounds), UNKNOWN, np.uint8)
    table = _DecksAtTable()
    columns = (rounds.deck.codes, rounds.sequence_index, is_start, opens)
    for place, (deck, sequence, begins, opening) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        if begins:
            table = _DecksAtTable()
        result[place] = table.next(deck, moves[sequence], opens=opening, unsure=may_miss[sequence])
    if removed is None:
        repeated = (rounds.deck.codes != ABSENT) & (rounds.deck.codes == np.roll(rounds.deck.codes, 1))
        result[repeated & ~is_start] = NO
    return result


def _may_miss_moves(sequence: EventSequence, steps: frozenset[str | None]) -> bool:
    """Return whether the record of a round may omit decks of these steps."""
    may_be_any = any(token.any_deck and steps.intersection(dict(token.steps)) for token in sequence.tokens)
    return sequence.breaks_off or not sequence.unrecorded.isdisjoint(steps) or may_be_any


def _list_moves(
    sequence: EventSequence, codes: dict[str, int], received: str | None, removed: str | None
) -> Iterator[DeckMove]:
    for token in sequence.tokens:
        for step, _ in token.steps:
            if step in (received, removed):
                yield None if token.deck is None else codes[token.deck], step == received


class _DecksAtTable:
    """Decks of a table over consecutive rounds."""

    __slots__ = ("_came", "_here", "_in_turn", "_rounds", "_whole")

    def __init__(self) -> None:
        self._here: set[int] = set()
        """Decks that were dealt or came, and did not leave."""
        self._came: dict[int, int] = {}
        """Number of the round in which each deck came."""
        self._rounds = 0
        self._in_turn: list[tuple[int, int]] = []
        """Last two decks dealt, the latest first, each with the number of its last round."""
        self._whole = False
        """True if the arrival of every deck is recorded."""

    def next(self, deck: int, moves: list[DeckMove], *, opens: bool, unsure: bool) -> int:
        """Add a round; return whether it uses the other deck than the previous round.

        Args:
            deck: code of the deck; ABSENT if the round names none.
            unsure: True if the record may omit decks that come or leave.
        """
        unsure |= deck == ABSENT and any(named is None for named, _ in moves)
        if unsure:
            self._here, self._whole, self._in_turn = set(), False, self._in_turn[:1]
        self._rounds += 1
        if deck != ABSENT:
            self._here.add(deck)
        for named, comes in moves:
            moved_deck = deck if named is None else named
            if moved_deck == ABSENT:
                continue
            (self._here.add if comes else self._here.discard)(moved_deck)
            if comes:
                self._came[moved_deck] = self._rounds
                self._whole |= opens and not unsure
        if deck == ABSENT:  # any deck may have been dealt
            self._in_turn = []
            return UNKNOWN
        result = self._compare(deck)
        others = [entry for entry in self._in_turn if entry[0] != deck]
        self._in_turn = [(deck, self._rounds), *others[:1]]
        return result

    def _compare(self, deck: int) -> int:
        decks = [entry for entry, _ in self._in_turn]
        if not decks:
            return UNKNOWN
        if deck == decks[0]:
            others = self._here - {deck}
            # A deck that comes just before the round may need shuffling while the round is played.
            if any(self._came.get(other, 0) < self._rounds for other in others):
                return NO
            return YES if others or self._whole else UNKNOWN
        third = len(decks) == 2 and deck not in decks and self._here.issuperset(decks)
        return NO if third and self._came.get(deck, 0) <= self._in_turn[1][1] else YES


def combine_with_previous(order: PlayOrder, applies: Truths, holds: Truths, whatever: Flags | None = None) -> Statuses:
    """Return the status of each round compared with the previous one.

    Args:
        applies: whether the requirement applies to each round.
        holds: whether each round complies with the round listed before it.
        whatever: bool[rounds], whether it complies whatever a missing round shows.

    Returns:
        uint8[rounds].
    """
    previous = np.roll(applies, 1)
    is_applicable = np.where(order.first, applies, np.minimum(applies, previous))
    is_missing = (order.gap != 0) & (True if whatever is None else ~whatever)
    statuses = combine_status(is_applicable, np.where(is_missing, np.uint8(UNKNOWN), holds))
    statuses = np.where(order.opening & ~is_missing, np.uint8(NOT_APPLICABLE), statuses)
    # It is not known whether the requirement applies to a missing round.
    statuses[is_missing & (applies != NO)] = NOT_EVIDENCED
    return statuses


def check_succession(
    prepared: CompiledGame, rounds: ordered_rounds.OrderedRounds, requirement: Requirement
) -> ordered_rounds.SessionOutcome:
    """Check a requirement `succession` over all sessions."""
    check: SuccessionCheck = requirement.check.operand
    if check.operator == "copies-since":
        return check_card_copies(prepared, rounds, requirement)
    if check.operator == "must":
        return compare_with_previous_round(prepared, rounds, requirement)
    pair = _ComparedDecks(rounds, requirement)
    statuses = combine_with_previous(
        rounds.order, ordered_rounds.find_applicable_rounds(rounds, requirement), pair.holds(), pair.silent
    )
    places = np.flatnonzero(statuses == FAIL)

    def describe_failure(failure: int) -> FindingDetails:
        place = int(places[failure])
        expected, observed = pair.describe(place, ordered_rounds.describe_round(rounds, place - 1, place))
        return FindingDetails(where=rounds.where(place), expected=expected, observed=observed)

    def describe_gap(place: int) -> FindingDetails:
        why = ordered_rounds.explain_gap(rounds, place, frozenset()) if rounds.order.gap[place] else None
        observed = why or f"the evidence does not show: {pair.what}"
        return FindingDetails(where=rounds.where(place), expected=pair.describe_requirement(), observed=observed)

    failures = ordered_rounds.SessionFailures(
        places=places, rounds=np.ones(len(places), np.int64), describe_failure=describe_failure
    )
    return ordered_rounds.SessionOutcome(status_codes=statuses, failures=failures, describe_gap=describe_gap)


class _ComparedDecks:
    """Decks of consecutive rounds."""

    __slots__ = ("_deck", "_holds", "_same", "silent", "what")

    def __init__(self, rounds: ordered_rounds.OrderedRounds, requirement: Requirement) -> None:
        check: SuccessionCheck = requirement.check.operand
        self._deck, self._same = rounds.deck, check.deck == "same"
        self.what = "the deck in play" + ("" if self._same else ", and the other decks at the table")
        self.silent = np.zeros(len(rounds), bool)
        if not self._same:
            self._holds = check_alternating_decks(rounds, check.received, check.removed)
            return
        deck = rounds.deck.codes
        several = rounds.column(requirement.requirement, "several-decks")
        # Without a record of several decks between two openings, the table has one deck.
        session_part = rounds.order.number_stretches()
        self.silent = (np.bincount(session_part, several | (deck != ABSENT)) == 0)[session_part]
        previous = np.roll(deck, 1)
        known = ~rounds.order.first & (deck != ABSENT) & (previous != ABSENT)
        self._holds = kleene.where_known(self.silent | (deck == previous), self.silent | known)

    def holds(self) -> Truths:
        return self._holds

    def describe_requirement(self) -> str:
        return f"{'the same deck as' if self._same else 'another deck than'} in the round before"

    def describe(self, place: int, before: str) -> tuple[str, str]:
        deck, last = self._deck.text(place), self._deck.text(place - 1)
        if self._same:
            return f"the deck of {before}, {last}", f"the deck {deck}"
        if deck == last:
            return f"another deck than in {before}", f"the deck {deck} again"
        return f"the deck that was in turn with that of {before}, {last}", f"a third deck, {deck}"
