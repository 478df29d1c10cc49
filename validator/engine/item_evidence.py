"""Text on the evidence about one item of a batch; never used on whole batches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Codes, Ints, has_any
from fairdeal.validator.cards.card_codes import CARDS, KNOWN_CARDS, NO_CARD, cards_in_symbols
from fairdeal.validator.cards.card_codes import UNKNOWN as UNKNOWN_CARD
from fairdeal.validator.cards.ranking import CompiledRanking
from fairdeal.validator.engine.betting.betting_operators import seat_declarations
from fairdeal.validator.engine.betting.betting_predicates import find_position_rows
from fairdeal.validator.engine.betting.betting_quantities import evaluate_replay_quantity
from fairdeal.validator.engine.betting.betting_replay import replay_betting
from fairdeal.validator.engine.betting.betting_snapshots import ANY_RAISE, FULL_RAISE, FULL_RAISE_IN_ALL
from fairdeal.validator.engine.betting.betting_terms import find_reopening_rules
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import YES
from fairdeal.validator.engine.deal_checks.dealing_order import is_dealt_as
from fairdeal.validator.engine.deal_checks.deck_counts import count_copies, count_faces
from fairdeal.validator.engine.deal_checks.event_conditions import has_wager_status
from fairdeal.validator.engine.facts.final_hands import collect_hand_cards, hand_strength
from fairdeal.validator.engine.facts.outcome_values import outcome_values
from fairdeal.validator.engine.facts.player_facts import seat_decisions
from fairdeal.validator.engine.facts.seat_layout import seat_layout
from fairdeal.validator.engine.facts.step_cards import DECK_CODES, cards_used_again, find_cards_not_among
from fairdeal.validator.engine.timeline.step_events import certain_events
from fairdeal.validator.evidence.columns.log_draft import describe_line
from fairdeal.validator.evidence.event_kinds import ACTORS, FACES, MEANS, PLACES
from fairdeal.validator.evidence.log_events import KINDS
from fairdeal.validator.language.grammar import EventHas, Grain
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.language.submission_conditions import format_means, format_numbered, replace_hyphens
from fairdeal.validator.rules.regulation import line_title
from fairdeal.validator.text.plain_values import format_money


class ItemEvidence(Struct, frozen=True):
    """Round, seat, stake or event of a batch, with texts on what the evidence shows of it."""

    scope: EvaluationContext
    """Context of the batch."""
    grain: Grain
    """Kind of item."""
    index: int
    """Index of the item among those of its kind."""

    @property
    def game(self) -> CompiledGame:
        """Compiled game of the item."""
        return self.scope.compiled_game

    @property
    def round(self) -> int:
        """Index of the round of the item."""
        return int(self.scope.rounds_of(self.grain)[self.index])

    @property
    def seat(self) -> int:
        """Index of the seat of the item; ABSENT for a round or an event without a seat."""
        return ABSENT if self.grain == "round" else int(self.scope.seats_of(self.grain)[self.index])

    def find_truth(self, condition: Condition) -> int:
        """Return whether the item satisfies a condition: NO, UNKNOWN or YES."""
        return int(self.scope.evaluate(condition, self.grain)[self.index])

    def find_bounds(self, quantity: Quantity) -> tuple[int, int]:
        """Return the lowest and the highest possible value of a quantity of the item."""
        low, high = self.scope.compute_bounds(quantity, self.grain)
        return int(low[self.index]), int(high[self.index])

    # Cards

    def describe_hand(self, hand: str) -> str:
        """Describe a hand: its cards, and their rank."""
        prepared, title = self.game.hands[hand], self.game.game.hands[hand].title
        rows = [
            collect_hand_cards(self.scope, hand, place).cards[self.seat if place == "player" else self.round]
            for place in prepared.places
        ]
        cards = [format_card_row(_highest_first(row)) for row in rows]
        if not any(cards):
            return f"{title}: not recorded"
        made = int(hand_strength(self.scope, hand)[self.seat if "player" in prepared.places else self.round])
        is_whole = all(cards) and not any(code == UNKNOWN_CARD for row in rows for code in row)
        words = "another number of cards than this hand has" if is_whole else "not fully known"
        rank = words if made == ABSENT else prepared.ranking.describe(made)
        return f"{title}: {' + '.join(filter(None, cards))}, {rank}"

    def describe_repeated_cards(self) -> str:
        """Describe the cards of the round that occur more often than the decks in play contain them."""
        copies = count_copies(self.game)
        result = [
            f"{format_card_row([code])} {'once' if count == 1 else f'{count} times'}"
            for code, count in enumerate(count_faces(self.scope)[self.round])
            if count > copies[code]
        ]
        return ", ".join(result) or "no card occurs too often"

    def describe_cards_in_use(self, step: str) -> str:
        """Describe the cards that events of a step show and that are in use."""
        cards = self._format_coded_cards(cards_used_again(self.scope, step))
        return f"in use: {cards}" if cards else "no such card is known to be in use"

    def describe_cards_not_among(self, step: str, among: str) -> str:
        """Describe the cards that events of a step show and events of another do not."""
        cards = self._format_coded_cards(find_cards_not_among(self.scope, step, among))
        title = self.game.steps[among].title
        return f"not shown by “{title}”: {cards}" if cards else f"“{title}” shows all known cards"

    def _format_coded_cards(self, codes: Ints) -> str:
        """Format those cards of several rounds that are of this round; each code includes its round."""
        of_round = codes[codes // DECK_CODES == self.round] % DECK_CODES
        return ", ".join(format_card_row([code]) for code in of_round.tolist())

    def describe_dealing(self) -> str:
        """Describe the permitted ways in which the round was dealt."""
        permitted = list(self.game.game.deal.ways)
        if not all(is_dealt_as(self.scope, name)[1][self.round] for name in permitted):
            return "way of dealing: not shown"
        ways = [name for name in permitted if is_dealt_as(self.scope, name)[0][self.round]]
        return replace_hyphens(f"dealt {' or '.join(ways)}") if ways else "dealt in none of the permitted ways"

    # Seats, stakes and results

    def describe_decision(self) -> str:
        """Describe the decision that the log records of the seat."""
        return f"the decision recorded: {seat_decisions(self.scope).text(self.seat) or 'none'}"

    def describe_position(self, position: str) -> str:
        """Describe the seat that holds a position in the round."""
        rows, known = find_position_rows(self.scope, position)
        row, title = int(rows[self.round]), replace_hyphens(position)
        if not known[self.round]:
            return f"the position {title}: not known"
        return f"the position {title}: {'no seat' if row < 0 else name_seat(self.scope, self.round, row)}"

    def describe_outcome(self, outcome: str) -> str:
        """Describe the value of an outcome in the round."""
        compiled, value = self.game.outcomes[outcome], int(outcome_values(self.scope, outcome)[self.round])
        return f"{compiled.title}: {'not recorded' if value == ABSENT else compiled.values[value]}"

    def describe_selection(self) -> str:
        """Describe what the stake is placed on."""
        return f"the stake is on {self.scope.batch.stakes.selection.text(self.index) or 'no recorded selection'}"

    def describe_stake(self) -> str:
        """Describe the line of the stake, and whether it is a tip."""
        stakes, index = self.scope.batch.stakes, self.index
        title = line_title(self.game.game, stakes.wager.text(index) or "")
        if stakes.bonus[index]:
            return f"the bonus {title}{' on a tip' if stakes.tip[index] else ''}"
        return f"{'a tip' if stakes.tip[index] else 'a wager'} on {describe_line(title, stakes.selection.text(index))}"

    # Events

    def describe_event(self, asked: EventHas) -> str:
        """Describe what the event shows: its cards, its actor, and all other features that a condition refers to."""
        events, index, game = self.scope.batch.events, self.index, self.game.game
        row = int(events.cards_row[index])
        cards = "" if row < 0 else format_card_row(events.hands.cards[row])
        parts = [cards] if cards else []
        if events.face[index] >= 0:
            parts.append(f"face {FACES[events.face[index]]}")
        if events.by[index] >= 0:
            parts.append(f"by the {ACTORS[events.by[index]]}")
        if asked.positions is not None:
            spots = format_numbered("card", list(events.positions.text(index) or ""))
            parts.append(f"{spots} from the dealer's left" if spots else "positions of the cards: not recorded")
        if asked.in_ is not None or asked.also_in is not None:
            means = int(events.means[index])
            parts.append("means: not recorded" if means < 0 else f"in {format_means(MEANS[means])}")
        if asked.place is not None and events.place[index] >= 0:
            parts.append(f"at {game.deal.name_place(PLACES[events.place[index]])}")
        if asked.number is not None:
            number = int(events.amount[index])
            parts.append("no number stated" if number == ABSENT else f"the number {number}")
        if asked.decision is not None:
            decision = events.decision.text(index)
            known = game.decisions.get(decision or "")
            parts.append(f"to {known.title}" if known is not None else decision or "no decision")
        if asked.wager is not None:
            wager = line_title(game, events.wager.text(index) or "no wager")
            nothing = has_wager_status(self.scope, "not-placed", np.array([index]))[0] == YES
            parts.append(f"about {wager}{', which the seat has not placed' if nothing else ''}")
        return " ".join(parts) or "nothing more recorded"

    def describe_arranged_cards(self, hand: str) -> str:
        """Return the cards of the event in the order of a hand; empty if it does not show a whole hand."""
        ranking, row = self.game.hands[hand].ranking, int(self.scope.batch.events.cards_row[self.index])
        cards = np.zeros(0, np.uint8) if row < 0 else self.scope.batch.events.hands.cards[row]
        cards = cards[cards != NO_CARD]
        if not isinstance(ranking, CompiledRanking) or len(cards) != ranking.size or has_any(cards >= CARDS):
            return ""
        return format_card_row(ranking.best(cards.tolist()))

    # Betting

    def describe_turn(self) -> str:
        """Describe who had to act at the event, and the bet to answer."""
        play = replay_betting(self.scope)
        row = int(play.seat_to_act[self.index])
        if row == ABSENT:
            return "no further act"
        who = name_seat(self.scope, self.round, row)
        level = int(play.snapshots.current_bet[play.snapshot_index[self.index]])
        return f"{who} to answer the bet of {format_money(level)}" if level else f"{who} to act"

    def describe_action(self) -> str:
        """Describe what happened: the seat, its decision and amount, and whether it was all-in."""
        events, index = self.scope.batch.events, self.index
        seat = int(events.seat[index])
        behind, counted = self._find_betting_number("behind")
        state = ", all-in" if counted and not behind else ""
        who = "" if seat == ABSENT else f"seat {int(self.scope.batch.seats.number[seat])}{state}: "
        decision = events.decision.text(index)
        if decision is None:
            return f"{who}{self._title_of_step()}"
        known = self.game.game.decisions.get(decision)
        title = decision if known is None else known.title
        put, recorded = self._find_betting_number("put-in")
        to, _ = self._find_betting_number("bets-to")
        if not recorded or not put:
            return f"{who}{title}"
        total = "" if put == to else f", to {format_money(to)}"
        return f"{who}{title}, {format_money(put)}{total}"

    def _find_betting_number(self, name: str) -> tuple[int, bool]:
        """Return a quantity of the betting at the event, and whether it is known."""
        values, known = evaluate_replay_quantity(self.scope, name, np.array([self.index]))
        return int(values[0]), bool(known[0])

    def _title_of_step(self) -> str:
        """Return the title of the first act that the event belongs to, or else its kind."""
        acts, kind = self.game.steps.items(), KINDS[self.scope.batch.events.kind[self.index]]
        titles = (
            act.title for name, act in acts if kind in act.events and self.index in certain_events(self.scope, name)
        )
        return next(titles, replace_hyphens(kind))

    def describe_declaration(self) -> str:
        """Describe what the seat of the event had declared in its turn, if it is binding."""
        result, index = seat_declarations(self.scope), self.index
        binding, named = int(result.binding[index]), int(result.naming_total[index])
        events, decisions = self.scope.batch.events, self.game.game.decisions
        if binding == ABSENT or not result.is_binding_known[index]:
            return "no binding declaration" if result.is_binding_known[index] else "the declaration is not recorded"
        title = decisions[events.decision.text(binding) or ""].title
        return title if named == ABSENT else f"{title}, to {format_money(int(events.amount[named]))}"

    def describe_amount_to_call(self) -> str:
        """Describe how much the seat of the event had to call."""
        lacking, known = self._find_betting_number("to-call")
        return f"{format_money(lacking)} to call" if known else "amount to call: not known"

    def explain_closed_betting(self) -> str:
        """Explain why the seat of the event could not raise."""
        most = self.game.game.betting
        raises, _ = self._find_betting_number("raises")
        if most is not None and most.sizes.raises is not None and raises >= most.sizes.raises:
            return f"{raises} raises were made"
        return f"the seat had acted and {_TOO_LITTLE[int(find_reopening_rules(self.scope)[0][self.round])]}"


_TOO_LITTLE = {
    FULL_RAISE: "no full raise followed",
    FULL_RAISE_IN_ALL: "the raises that followed add up to less than a full raise",
    ANY_RAISE: "no raise followed",
}
"""Reason why a seat could not raise, by the raises that reopen the betting."""


def name_seat(scope: EvaluationContext, round_: int, row: int) -> str:
    """Return a seat by its number in the log."""
    return f"seat {int(scope.batch.seats.number[seat_layout(scope).seat_of_row[row, round_]])}"


def _highest_first(row: Sequence[int] | Codes) -> list[int]:
    """Return the codes of a row of cards from the highest to the lowest, unknown cards last."""
    return sorted((int(code) for code in row), key=lambda code: -code if code < KNOWN_CARDS else 0)


def format_card_row(row: Sequence[int] | Codes) -> str:
    """Format the cards of a row as text, without padding."""
    return cards_in_symbols([int(code) for code in row if code != NO_CARD])


def format_steps_at_events(scope: EvaluationContext, title: str, *events: int) -> str:
    """Format a step with the numbers of its events: `the rake is taken (event 9)`."""
    offsets, rounds = scope.batch.events.offsets, scope.batch.events.round
    return f"{title} ({format_numbered('event', [str(event - offsets[rounds[event]] + 1) for event in events])})"


def title_of_value(scope: EvaluationContext, outcome: str, text: str) -> str:
    """Return the title of a value of an outcome; the text itself if the game does not have it."""
    compiled = scope.compiled_game.outcomes.get(outcome)
    number = None if compiled is None else compiled.number_of_text.get(text)
    return text if compiled is None or number is None else compiled.values[number]
