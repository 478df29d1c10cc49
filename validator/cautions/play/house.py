"""Warnings about a simulation: a house that breaks the rules, wagers and tips that never occur."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from validator.audit.submissions.names import unknown_names
from validator.audit.submissions.requirements import Filed, judge_submission
from validator.audit.submissions.versions import Neighbours
from validator.cautions.caution import Caution
from validator.cautions.play.habits import habit_cautions, never_played
from validator.language.conditions import Quantity
from validator.operators.terms import Terms
from validator.results.statuses import Status
from validator.rulebook.loading.rulebook import Rulebook
from validator.rules.core.visitor import walk
from validator.rules.simulation.simulation import Simulation
from validator.text.diagnostics import did_you_mean
from validator.text.trees.tree import Path, Tree

_SUBMISSION = "submission"


def simulation_cautions(rulebook: Rulebook, terms: Terms, tree: Tree, simulation: Simulation) -> Iterator[Caution]:
    """Yield warnings about the file of a simulation; `tree` is that file."""
    yield from _check_limits(terms, simulation)
    yield from _check_deck(terms, simulation)
    yield from _check_chances(simulation)
    yield from habit_cautions(terms, simulation)
    yield from _check_seats(terms, simulation)
    yield from _check_layout(terms, simulation)
    yield from _check_compliance(rulebook, terms, tree, simulation)


def _check_compliance(rulebook: Rulebook, terms: Terms, tree: Tree, simulation: Simulation) -> Iterator[Caution]:
    """Yield warnings about names that the rulebook does not define and requirements that the house does not meet."""
    submission_tree = Tree(
        data=tree.value((_SUBMISSION,)),
        source_name=tree.source_name,
        lines=tree.lines,
        positions={path[1:]: place for path, place in tree.positions.items() if path[:1] == (_SUBMISSION,)},
    )
    for unknown in unknown_names(submission_tree, rulebook):
        near = did_you_mean(unknown.word, unknown.names)
        yield Caution(
            code="unknown-name",
            at=(_SUBMISSION, *unknown.path),
            message=f"{unknown.message} `{unknown.word}`",
            help=f"did you mean `{unknown.names[near]}`?" if near else "use the rulebook's own name",
        )
    filed = Filed(submission=simulation.submission, tree=submission_tree)
    neighbours = Neighbours([simulation.submission])
    for verdict in judge_submission(terms.prepared.regulation, filed, others=neighbours):
        for finding in verdict.findings:
            if finding.status is not Status.PASS:
                yield Caution(
                    code="house-not-compliant",
                    at=(_SUBMISSION, *_find_place(submission_tree, finding.where.pointer or "")),
                    severity="warning",
                    message=f"the simulated house does not comply with {verdict.requirement}: "
                    f"expected {finding.expected}; found {finding.observed}",
                    help=f"{finding.remedy or 'Correct the simulated house.'} If it follows the text, compare the "
                    "requirement and its evidence with the text",
                )


def _find_place(tree: Tree, pointer: str) -> Path:
    """Return the place of a JSON Pointer, or its nearest ancestor that exists."""
    while pointer:
        with suppress(KeyError):
            return tree.find(pointer)
        pointer = pointer.rpartition("/")[0]
    return ()


def _check_limits(terms: Terms, simulation: Simulation) -> Iterator[Caution]:
    yield from _find_missing_limits(terms, simulation)
    for index, wager in enumerate(simulation.submission.wagers or ()):
        here: Path = ("submission", "wagers", index)
        if wager.minimum is None or wager.maximum is None:
            continue
        unit = simulation.units.wager
        if wager.minimum > wager.maximum:
            yield Caution(
                code="reversed",
                at=(*here, "maximum"),
                message=f"the maximum of {wager.wager} is below its minimum",
                help="exchange them; amounts are in minor units: 1000 is 10.00",
            )
        elif wager.minimum < unit and wager.maximum < unit and wager.minimum < wager.maximum:
            yield Caution(
                code="unit-mismatch",
                at=(*here, "maximum"),
                severity="warning",
                message=f"the limits of {wager.wager} are below {unit}, the unit of wagers: only the minimum is staked",
                help="amounts are in minor units: 1000 is 10.00; or reduce `units: {wager: ...}`",
            )


def _find_missing_limits(terms: Terms, simulation: Simulation) -> Iterator[Caution]:
    """Yield warnings about limits of early wagers that rules refer to and the house does not post."""
    regulation = terms.prepared.regulation
    used = {
        part.operator
        for requirement in regulation.requirements
        for _, part in walk(requirement.check, ())
        if isinstance(part, Quantity)
    }
    stated = {wager.wager: (index, wager) for index, wager in enumerate(simulation.submission.wagers or ())}
    for name, wager in terms.game.wagers.items():
        if terms.game.betting is not None or wager.placed != "before-the-deal" or wager.of is not None:
            continue
        if simulation.chances.wagers.get(name) == 0:
            continue
        index, offer = stated.get(name, (0, None))
        for key in ("minimum", "maximum"):
            if key in used and (offer is None or getattr(offer, key) is None):
                yield Caution(
                    code="limits-not-stated",
                    at=(_SUBMISSION, "wagers") if offer is None else (_SUBMISSION, "wagers", index),
                    severity="warning",
                    message=f"the house posts no {key} for {name}, so rules about it lack evidence",
                    help=f"state the `{key}` of {name}, in minor units",
                )


def _check_deck(terms: Terms, simulation: Simulation) -> Iterator[Caution]:
    deck, stated = terms.game.deck, simulation.submission.deck
    if stated is None:
        return
    help_ = "compare both with the text, and state the same here and under `deck` of game.yaml"
    if stated.cards is not None and stated.cards != deck.cards:
        yield Caution(
            code="deck-mismatch",
            at=("submission", "deck", "cards"),
            message=f"the house plays with {stated.cards}, but the game with {deck.cards}",
            help=help_,
        )
    if stated.decks is not None and (not stated.decks or stated.decks % deck.decks):
        yield Caution(
            code="deck-mismatch",
            at=("submission", "deck", "decks"),
            message=f"the house plays with {stated.decks} decks, but a round of the game takes {deck.decks}",
            help=help_,
        )


def _check_chances(simulation: Simulation) -> Iterator[Caution]:
    for name, chance in simulation.chances.wagers.items():
        if chance == 0:
            yield never_played(("chances", "wagers", name), f"the wager {name} is never placed")


def _check_seats(terms: Terms, simulation: Simulation) -> Iterator[Caution]:
    game = terms.game
    in_play = terms.prepared.regulation.cards_in_play
    per_seat = game.deal.cards.get("player", 0)
    needed = per_seat * simulation.seats.most + sum(game.deal.cards.values()) - per_seat
    if needed > in_play:
        yield Caution(
            code="too-many-cards",
            at=("seats", "most"),
            message=f"{simulation.seats.most} seats are dealt {needed} cards, but there are only {in_play} in play",
            help="seat fewer, or compare the `deck` of the game with the text",
        )


def _check_layout(terms: Terms, simulation: Simulation) -> Iterator[Caution]:
    """Yield warnings about more seats than positions, and about tips that no wager accepts."""
    layout, wagers = simulation.submission.layout, simulation.submission.wagers or ()
    positions = None if layout is None else layout.positions
    if positions is not None and simulation.seats.most > positions:
        yield Caution(
            code="too-many-seats",
            at=("seats", "most"),
            severity="warning",
            message=f"{simulation.seats.most} seats are played, but the layout of the house has {positions} positions",
            help="seat fewer, or state more positions",
        )
    with_tips = {wager.wager for wager in wagers if wager.tips}
    if simulation.chances.tip and not any(
        wager.tip is not None and name in with_tips for name, wager in terms.game.wagers.items()
    ):
        yield never_played(("chances", "tip"), "no wager of the house takes tips")
