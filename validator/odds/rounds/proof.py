"""Proof that the cases of settlement are complete: which of them settle a deal, and whose order matters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

import numpy as np
from msgspec import Struct

from validator.arrays import Flags, Ints
from validator.cards.cards import NO_CARD, format_cards
from validator.engine.core.context import Scope
from validator.engine.core.kleene import NO, YES
from validator.engine.payouts.settlement import Line, due_by, settle
from validator.language.terms import Place
from validator.odds.rounds.columns import MadeUp


class Shown(Struct, frozen=True, kw_only=True):
    """Example of a deal: the decision of the player, and the cards by place."""

    decision: str | None
    cards: Mapping[Place, str]


class Before(Struct, frozen=True, kw_only=True):
    """Case of a line that settles a deal only because it comes before another case that also holds and pays
    differently."""

    line: str
    case: str
    other: str
    """The later case."""
    deal: Shown
    """Example of such a deal."""


class Proof(Struct, frozen=True, kw_only=True):
    """Results for deals that were all settled."""

    cases: frozenset[tuple[str, str]]
    """Lines with the cases that settle some deal."""
    rows: frozenset[tuple[str, str]]
    """Lines with the rows of pay tables that some deal hits."""
    order: tuple[Before, ...]
    """Cases whose order matters."""


def shown(rounds: MadeUp, at: int) -> Shown:
    """Return one of the sample rounds as an example."""
    cards = {place: format_cards(row[at][row[at] != NO_CARD].tolist()) for place, row in rounds.dealt.items()}
    aside = {place: row[at][row[at] != NO_CARD].tolist() for place, row in rounds.discarded.items()}
    with_discards = {
        place: f"{cards[place]} without {format_cards(discards)}" for place, discards in aside.items() if discards
    }
    return Shown(decision=", ".join(rounds.decisions) or None, cards={**cards, **with_discards})


def proof_of(
    scope: Scope, rounds: MadeUp, lines: Mapping[str, Line], outcomes_of_line: Mapping[str, frozenset[str]]
) -> Proof:
    """Return what settled rounds prove.

    Args:
        scope: the rounds.
        rounds: the sample rounds.
        lines: settled lines by name.
        outcomes_of_line: outcomes of each line.
    """
    cases = scope.prepared.game.settlement.cases
    return Proof(
        cases=frozenset((name, cases[index].case) for name, line in lines.items() for index in np.unique(line.case)),
        rows=frozenset((name, outcome) for name, outcomes in outcomes_of_line.items() for outcome in outcomes),
        order=tuple(before for line in lines.values() for before in _find_order(scope, rounds, line)),
    )


def _find_order(scope: Scope, rounds: MadeUp, line: Line) -> Iterator[Before]:
    """Yield the cases of a line whose order matters. A case without a condition is the last resort and has no order."""
    cases = scope.prepared.game.settlement.cases
    holds: dict[int, Flags] = {}
    for index, case in enumerate(cases):
        if line.name in case.lines and case.when is not None:
            holds[index] = scope.truth(case.when, "seat").take(line.seat) == YES
    for first, other in combinations(holds, 2):
        both: Ints = np.flatnonzero((line.case == first) & holds[other])
        if len(both):
            both = both[_pays_differently(line, due_by(scope, line.name, other), both)]
        if len(both):
            deal = shown(rounds, int(line.seat[both[0]]))
            yield Before(line=line.name, case=cases[first].case, other=cases[other].case, deal=deal)


def _pays_differently(line: Line, other: Line, where: Ints) -> Flags:
    """Return for each stake, int64[k], whether another case would make it due something else, bool[k]."""
    own_due = line.due_paid[0][where] - line.due_taken[0][where] * line.per
    other_due = other.due_paid[0][where] - other.due_taken[0][where] * other.per
    differs: Flags = ~other.settled[where] | (own_due * other.per != other_due * line.per)
    return differs


def unmet(proof: Proof, scopes: Iterable[Scope], lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield lines with the cases that settle no deal, although they may hold before the cards are known.

    Args:
        proof: results for all deals.
        scopes: rounds with unknown cards.
        lines: the lines.
    """
    names = list(lines)
    reached = set(proof.cases)
    for scope in scopes:
        staked = settle(scope)
        for name in (name for name in names if len(staked[name].seat)):
            for case in scope.prepared.game.settlement.cases:
                if name not in case.lines:
                    continue
                holds = YES if case.when is None else int(scope.truth(case.when, "seat")[0])
                if holds != NO and (name, case.case) not in reached:
                    reached.add((name, case.case))
                    yield name, case.case
                if holds == YES:
                    break


def together(proofs: Iterable[Proof]) -> Proof:
    """Return the results of several proofs. For each pair of cases, the first example of their order is kept."""
    given = list(proofs)
    order: dict[tuple[str, str, str], Before] = {}
    for before in (before for proof in given for before in proof.order):
        order.setdefault((before.line, before.case, before.other), before)
    return Proof(
        cases=frozenset().union(*(proof.cases for proof in given)),
        rows=frozenset().union(*(proof.rows for proof in given)),
        order=tuple(order.values()),
    )
