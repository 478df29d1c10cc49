"""Settlement of sample rounds: balance and outcome of each deal, the cases that decide it, and the solution for a
wager."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Ints, Reals
from fairdeal.validator.cards.card_codes import NO_CARD, format_cards
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.engine.payouts.line_settlement import (
    SettledLine,
    bound_commission_owed,
    evaluate_case,
    settle_line_by_case,
    settle_lines,
)
from fairdeal.validator.engine.payouts.pay_table_lookup import NO_CELL, look_up_tables
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.odds.player_options import Alternative, NoOdds, OddsTable
from fairdeal.validator.odds.sample_rounds import SampleRounds
from fairdeal.validator.operators.rule_renderer import describe_condition, iterate_leaves


class ShownDeal(Struct, frozen=True, kw_only=True):
    """Example of a deal: the decision of the player, and the cards by place."""

    decision: str | None
    cards: Mapping[str, str]
    """Cards of each place, or the value of a result that is no card, by its name."""


class CaseOrder(Struct, frozen=True, kw_only=True):
    """Case of a line that settles a deal only because it comes before another case that also holds and pays
    differently."""

    line: str
    case: str
    other: str
    """The later case."""
    deal: ShownDeal
    """Example of such a deal."""


class SettlementProof(Struct, frozen=True, kw_only=True):
    """Results for deals that were all settled."""

    cases: frozenset[tuple[str, str]]
    """Lines with the cases that settle some deal."""
    rows: frozenset[tuple[str, str]]
    """Lines with the rows of pay tables that some deal hits."""
    case_orders: tuple[CaseOrder, ...]
    """Cases whose order matters."""


def show_deal(scope: EvaluationContext, rounds: SampleRounds, at: int) -> ShownDeal:
    """Return one of the sample rounds as an example."""
    results = {
        name: scope.compiled_game.outcomes[name].values[numbers[at]] for name, numbers in rounds.outcomes.items()
    }
    cards: dict[str, str] = {
        place: format_cards(row[at][row[at] != NO_CARD].tolist()) for place, row in rounds.dealt.items()
    }
    aside = {place: row[at][row[at] != NO_CARD].tolist() for place, row in rounds.discarded.items()}
    with_discards: dict[str, str] = {
        place: f"{cards[place]} without {format_cards(discards)}" for place, discards in aside.items() if discards
    }
    return ShownDeal(decision=", ".join(rounds.decisions) or None, cards={**cards, **with_discards, **results})


def prove_settlement(
    scope: EvaluationContext,
    rounds: SampleRounds,
    lines: Mapping[str, SettledLine],
    outcomes_of_line: Mapping[str, frozenset[str]],
) -> SettlementProof:
    """Return what settled rounds prove.

    Args:
        scope: the rounds.
        rounds: the sample rounds.
        lines: settled lines by name.
        outcomes_of_line: outcomes of each line.
    """
    cases = scope.compiled_game.game.settlement.cases
    return SettlementProof(
        cases=frozenset((name, cases[index].case) for name, line in lines.items() for index in np.unique(line.case)),
        rows=frozenset((name, outcome) for name, outcomes in outcomes_of_line.items() for outcome in outcomes),
        case_orders=tuple(before for line in lines.values() for before in _find_order(scope, rounds, line)),
    )


def _find_order(scope: EvaluationContext, rounds: SampleRounds, line: SettledLine) -> Iterator[CaseOrder]:
    """Yield the cases of a line whose order matters. A case without a condition is the last resort and has no order."""
    cases = scope.compiled_game.game.settlement.cases
    holds: dict[int, Flags] = {}
    for index, case in enumerate(cases):
        if line.name in case.lines and case.when is not None:
            holds[index] = evaluate_case(scope, case.when, line) == YES
    for first, other in combinations(holds, 2):
        both: Ints = np.flatnonzero((line.case == first) & holds[other])
        if len(both):
            both = both[_pays_differently(line, settle_line_by_case(scope, line.name, other), both)]
        if len(both):
            deal = show_deal(scope, rounds, int(line.seat[both[0]]) // rounds.hands)
            yield CaseOrder(line=line.name, case=cases[first].case, other=cases[other].case, deal=deal)


def _pays_differently(line: SettledLine, other: SettledLine, where: Ints) -> Flags:
    """Return for each stake, int64[k], whether another case would make it due something else, bool[k]."""
    own_due = line.due_paid[0][where] - line.due_taken[0][where]
    other_due = other.due_paid[0][where] - other.due_taken[0][where]
    differs: Flags = ~other.is_settled[where] | (own_due * other.denominator != other_due * line.denominator)
    return differs


def find_unreached_cases(
    proof: SettlementProof, scopes: Iterable[EvaluationContext], lines: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Yield lines with the cases that settle no deal, although they may hold before the cards are known.

    Args:
        proof: results for all deals.
        scopes: rounds with unknown cards.
        lines: the lines.
    """
    names = list(lines)
    reached = set(proof.cases)
    for scope in scopes:
        staked = settle_lines(scope)
        for name in (name for name in names if len(staked[name].seat)):
            for case in scope.compiled_game.game.settlement.cases:
                if name not in case.lines:
                    continue
                holds = YES if case.when is None else int(evaluate_case(scope, case.when, staked[name])[0])
                if holds != NO and (name, case.case) not in reached:
                    reached.add((name, case.case))
                    yield name, case.case
                if holds == YES:
                    break


def merge_proofs(proofs: Iterable[SettlementProof]) -> SettlementProof:
    """Return the results of several proofs. For each pair of cases, the first example of their order is kept."""
    given = list(proofs)
    order: dict[tuple[str, str, str], CaseOrder] = {}
    for before in (before for proof in given for before in proof.case_orders):
        order.setdefault((before.line, before.case, before.other), before)
    return SettlementProof(
        cases=frozenset().union(*(proof.cases for proof in given)),
        rows=frozenset().union(*(proof.rows for proof in given)),
        case_orders=tuple(order.values()),
    )


class SettledDeals(Struct, frozen=True, kw_only=True):
    """Settled sample rounds."""

    net: Ints
    """Balance of the player on the lines that count, in 1 / `per` minor units, int64[n]."""
    denominator: int
    outcome: Ints
    """Outcome, as an index into `outcomes`, int64[n]."""
    outcomes: tuple[str, ...]
    proof: Callable[[], SettlementProof]
    """Returns what the rounds prove, when called."""


class UndecidedDeal(NoOdds):
    """Error for a deal in which the document leaves open what a line is due."""

    def __init__(self, why: str, line: str, deal: ShownDeal) -> None:
        cards = ", ".join(f"{place} {cards}" for place, cards in deal.cards.items())
        super().__init__(f"{why}: {cards}")
        self.line, self.deal = line, deal


def settle_deals(table: OddsTable, rounds: SampleRounds) -> SettledDeals:
    """Settle sample rounds for the lines of a group.

    Raises `NoOdds` if the document, or the evidence of regular rounds, leaves open what is due.
    """
    scope = table.open_rounds(rounds)
    lines = settle_lines(scope)
    count = len(scope.batch)
    names = [name for name in table.group.lines if len(lines[name].seat)]
    per = int(np.lcm.reduce([lines[name].denominator for name in names], initial=1))
    net, text_of_line = np.zeros(count, np.int64), np.zeros((count, len(names)), np.int64)
    number_of_text: dict[str, int] = {"": 0}
    outcomes_of_line: dict[str, frozenset[str]] = {}
    for place, name in enumerate(names):
        line = lines[name]
        if line.spread is not None:
            raise NoOdds(f"a commission on {name} of this stake may be rounded either way")
        if not line.is_settled.all() or (line.due_paid != line.due_paid[0]).any():
            raise _explain_open_settlement(table, scope, line, rounds)
        rows = line.seat // rounds.hands
        owed, most_owed = bound_commission_owed(scope, name)
        if (owed != most_owed).any():
            raise NoOdds(f"a commission on {name} of this stake may be rounded either way")
        net[rows] += (line.due_paid[0] - line.due_taken[0]) * (per // line.denominator) - owed * per
        texts = _name_outcomes(scope, line)
        outcomes_of_line[name] = frozenset(texts)
        text_of_line[rows, place] = [number_of_text.setdefault(text, len(number_of_text)) for text in texts]
    combinations, outcome = np.unique(text_of_line, axis=0, return_inverse=True)
    texts = list(number_of_text)
    outcomes = tuple(_join_outcomes(names, [texts[place] for place in kind]) for kind in combinations.tolist())
    decided = {name: lines[name] for name in names}
    return SettledDeals(
        net=net,
        denominator=per,
        outcome=outcome.reshape(-1),
        outcomes=outcomes,
        proof=lambda: prove_settlement(scope, rounds, decided, outcomes_of_line),
    )


def _explain_open_settlement(
    table: OddsTable, scope: EvaluationContext, line: SettledLine, rounds: SampleRounds
) -> NoOdds:
    """Return the error for a line that is not settled in some deal: no case decides it, or some evidence is missing."""
    at = int(np.flatnonzero(~line.is_settled)[0]) if not line.is_settled.all() else 0
    unknown = next(_list_open_conditions(scope, line, at), None)
    if unknown is not None:
        return NoOdds(f"the settlement of {line.name} depends on more than cards and decisions: {unknown}")
    case = int(line.case[at])
    why = f"no case settles {line.name} in some deal"
    if case != ABSENT:
        name = table.prepared.game.settlement.cases[case].case
        why = f"the case {name} leaves open what {line.name} is due"
    return UndecidedDeal(why, line.name, show_deal(scope, rounds, int(line.seat[at]) // rounds.hands))


def _list_open_conditions(scope: EvaluationContext, line: SettledLine, at: int) -> Iterator[str]:
    """Yield the conditions of a line's cases that stay unknown in a deal with known cards."""
    prepared = scope.compiled_game
    for case in prepared.game.settlement.cases:
        if line.name not in case.lines or case.when is None:
            continue
        if evaluate_case(scope, case.when, line)[at] != UNKNOWN:
            continue
        for leaf in iterate_leaves(prepared, case.when):
            if evaluate_case(scope, leaf, line)[at] == UNKNOWN:
                yield describe_condition(prepared, leaf)


def _name_outcomes(scope: EvaluationContext, line: SettledLine) -> list[str]:
    """Return the outcome of each stake on a line: the row that it hits, or the case."""
    cases = scope.compiled_game.game.settlement.cases
    outcomes = [cases[case].case for case in line.case.tolist()]
    for index in np.unique(line.case).tolist():
        due = cases[index].due
        if due.operator != "pay-table":
            continue
        looked = look_up_tables(scope, due.operand)
        if looked is None:
            continue
        bonus = scope.compiled_game.game.bonuses.get(line.name)
        if bonus is not None and bonus.earned_by is not None:
            continue
        names = looked.rates[0].row_names
        for at in np.flatnonzero(line.case == index).tolist():
            cell = int(looked.cells[line.seat[at]])
            outcomes[at] = "not-listed" if cell == NO_CELL else names.get(cell, "not-listed")
    return outcomes


def _join_outcomes(names: list[str], texts: list[str]) -> str:
    """Return the outcome of several lines: the text of a single line, or the texts of all, each with its line."""
    if len(names) == 1:
        return texts[0]
    named = [(name, text) for name, text in zip(names, texts, strict=True) if text]
    return ", ".join(f"{name}: {text}" for name, text in named)


class OutcomeShare(Struct, frozen=True, kw_only=True):
    """Share of all deals with one outcome."""

    outcome: str
    alternative: int
    """Alternative of the player, as an index."""
    net: Fraction
    """Balance of the player, in minor units."""
    count: int
    """Number of deals."""


class BestChoices(Struct, frozen=True, kw_only=True, eq=False):
    """Best alternative by class of the player's cards."""

    cards: Codes
    """Cards of each class, uint8[n, k]."""
    weight: Ints
    """Number of hands in each class, int64[n]."""
    best: Ints
    """Best alternative, as an index, int64[n]."""
    best_discards: Ints
    """Best discards, as an index into `discard_ways`, int64[n]."""
    discard_ways: tuple[tuple[int, ...], ...]
    """Ways to discard: columns of the class's cards."""


class PointChoices(Struct, frozen=True, kw_only=True, eq=False):
    """Best decisions at a decision point, by the cards that the player sees there."""

    after: tuple[str, ...]
    """Decisions that the seat has taken before."""
    decisions: tuple[str | None, ...]
    """Decisions to choose from; None is to decide nothing."""
    cards: Mapping[Place, Codes]
    """Cards of each place, uint8[n, k], if cards of other places cannot replace them."""
    weight: Ints
    """Number of deals that lead to each row of cards, int64[n]."""
    best: Ints
    """Best decision for each row of cards, as an index, int64[n]."""


class DecisionWithDiscards(NamedTuple):
    """Decision with its discards."""

    decision: str | None
    discards: tuple[int, ...] | None
    """Columns of the class's cards that are discarded; None if discards do not matter."""


class DecisionWorths(Struct, frozen=True, kw_only=True, eq=False):
    """Worth of every decision by class of the player's own cards."""

    cards: Codes
    """Cards of each class, uint8[n, k]."""
    find_classes: Callable[[Codes], Ints]
    """Returns the class, int64[m], of hands, uint8[m, k]."""
    decisions_taken: tuple[DecisionWithDiscards, ...]
    """Decisions with their discards."""
    worth: Reals
    """Worth to the player per unit staked on the wager, float64[d, n]."""
    is_open: Flags
    """True if the decision is open, bool[d, n]."""
    is_dominated_by_one: bool = False
    """True if one decision is never worse than the others, whatever the cards are."""


class RandomDeals(Struct, frozen=True, kw_only=True, eq=False):
    """Random cards that seats of a round share, each with random hands of players."""

    decisions: tuple[str | None, ...]
    """Decisions of a player; None for no decision."""
    weight: Reals
    """Weight of each deal, float64[shared, hands]; 0 if a card occurs in both."""
    net: Reals
    """Balance of the player per unit staked, float64[decisions, shared, hands]."""
    cost: Reals
    """Cost of a decision per unit staked, float64[decisions, shared, hands]."""
    best: Ints
    """Decision that theory takes, int64[shared, hands]."""


class Solution(Struct, frozen=True, kw_only=True):
    """Solution for a wager."""

    alternatives: tuple[Alternative, ...]
    """Alternatives of the player."""
    shares: tuple[OutcomeShare, ...]
    """Shares of all deals. Their counts are not numbers of deals if `error` is stated."""
    choice: BestChoices | None
    """Best alternatives, if a seat decides once by its own cards and the best decision depends on them."""
    points: tuple[PointChoices, ...] = ()
    """Best decisions at each point, if a seat decides several times or sees other cards."""
    error: float | None = None
    """Standard error of the house advantage per unit staked, if not all deals were counted."""
    method: str | None = None
    """Method of computation, if neither all deals were counted nor rounds simulated."""
    below: float = 0.0
    """Most by which the house advantage may then be lower per unit staked."""
    above: float = 0.0
    """Most by which it may be higher."""
    proof: SettlementProof | None = None
    """Results of all deals with every decision."""


def count_shares(alternative: int, result: SettledDeals, count: Ints) -> Iterator[OutcomeShare]:
    """Yield the shares of all deals with one outcome and one balance.

    Args:
        alternative: index of the alternative.
        result: settled deals.
        count: number of deals that each settled deal represents, int64[n].
    """
    for outcome, net in sorted({*zip(result.outcome.tolist(), result.net.tolist(), strict=True)}):
        number = int(count[(result.outcome == outcome) & (result.net == net)].sum())
        if number:
            yield OutcomeShare(
                outcome=result.outcomes[outcome],
                alternative=alternative,
                net=Fraction(net, result.denominator),
                count=number,
            )
