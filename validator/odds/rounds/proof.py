"""Proof that cases of settlement are whole: which of them decide some deal, and whose order matters."""

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
    """A deal: what the player decides, and the cards by place."""

    decision: str | None
    cards: Mapping[Place, str]


class Before(Struct, frozen=True, kw_only=True):
    """A case of a line that decides `deal` as it stands before the `other`, which holds as well and would come to
    something else."""

    line: str
    case: str
    other: str
    deal: Shown


class Proof(Struct, frozen=True, kw_only=True):
    """Of deals that were all settled: the cases that decide some of them, and the rows of tables that some hit, each
    with its line; and the cases whose order matters."""

    cases: frozenset[tuple[str, str]]
    rows: frozenset[tuple[str, str]]
    order: tuple[Before, ...]


def shown(rounds: MadeUp, at: int) -> Shown:
    """One of the rounds that were made up."""
    cards = {place: format_cards(row[at][row[at] != NO_CARD].tolist()) for place, row in rounds.dealt.items()}
    aside = {place: row[at][row[at] != NO_CARD].tolist() for place, row in rounds.discarded.items()}
    told = {place: f"{cards[place]} without {format_cards(gone)}" for place, gone in aside.items() if gone}
    return Shown(decision=", ".join(rounds.decisions) or None, cards={**cards, **told})


def proof_of(scope: Scope, rounds: MadeUp, lines: Mapping[str, Line], said: Mapping[str, frozenset[str]]) -> Proof:
    """What rounds prove that were settled so; `said` are the outcomes of each line."""
    cases = scope.prepared.game.settlement.cases
    return Proof(
        cases=frozenset((name, cases[index].case) for name, line in lines.items() for index in np.unique(line.case)),
        rows=frozenset((name, outcome) for name, outcomes in said.items() for outcome in outcomes),
        order=tuple(before for line in lines.values() for before in _before(scope, rounds, line)),
    )


def _before(scope: Scope, rounds: MadeUp, line: Line) -> Iterator[Before]:
    """A case without a condition is for what no other case is for."""
    cases = scope.prepared.game.settlement.cases
    holds: dict[int, Flags] = {}
    for index, case in enumerate(cases):
        if line.name in case.lines and case.when is not None:
            holds[index] = scope.truth(case.when, "seat").take(line.seat) == YES
    for first, other in combinations(holds, 2):
        both: Ints = np.flatnonzero((line.case == first) & holds[other])
        if len(both):
            both = both[_differs(line, due_by(scope, line.name, other), both)]
        if len(both):
            deal = shown(rounds, int(line.seat[both[0]]))
            yield Before(line=line.name, case=cases[first].case, other=cases[other].case, deal=deal)


def _differs(line: Line, other: Line, where: Ints) -> Flags:
    """bool[k]: which of some stakes, int64[k], another case would make something else due to."""
    mine = line.due_paid[0][where] - line.due_taken[0][where] * line.per
    theirs = other.due_paid[0][where] - other.due_taken[0][where] * other.per
    found: Flags = ~other.settled[where] | (mine * other.per != theirs * line.per)
    return found


def unmet(proof: Proof, scopes: Iterable[Scope], lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The cases of lines that a stake on them may come to in one of the scopes, of which no card is known, and that
    decide no deal."""
    names = list(lines)
    told = set(proof.cases)
    for scope in scopes:
        staked = settle(scope)
        for name in (name for name in names if len(staked[name].seat)):
            for case in scope.prepared.game.settlement.cases:
                if name not in case.lines:
                    continue
                holds = YES if case.when is None else int(scope.truth(case.when, "seat")[0])
                if holds != NO and (name, case.case) not in told:
                    told.add((name, case.case))
                    yield name, case.case
                if holds == YES:
                    break


def together(proofs: Iterable[Proof]) -> Proof:
    """What several proofs prove; of cases whose order matters the first deal is kept."""
    given = list(proofs)
    order: dict[tuple[str, str, str], Before] = {}
    for before in (before for proof in given for before in proof.order):
        order.setdefault((before.line, before.case, before.other), before)
    return Proof(
        cases=frozenset().union(*(proof.cases for proof in given)),
        rows=frozenset().union(*(proof.rows for proof in given)),
        order=tuple(order.values()),
    )
