"""A simulation that plays another house than the rules allow, or in which something never happens."""

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

_KEY = "submission"


def simulation_cautions(rulebook: Rulebook, terms: Terms, tree: Tree, simulation: Simulation) -> Iterator[Caution]:
    """What a simulation's file can hardly mean; `tree` is the file."""
    yield from _limits(terms, simulation)
    yield from _deck(terms, simulation)
    yield from _chances(simulation)
    yield from habit_cautions(terms, simulation)
    yield from _seats(terms, simulation)
    yield from _table(terms, simulation)
    yield from _house(rulebook, terms, tree, simulation)


def _house(rulebook: Rulebook, terms: Terms, tree: Tree, simulation: Simulation) -> Iterator[Caution]:
    """The house that is played is one that the rules allow, in the rulebook's own names."""
    stated = Tree(
        data=tree.value((_KEY,)),
        source_name=tree.source_name,
        lines=tree.lines,
        positions={path[1:]: place for path, place in tree.positions.items() if path[:1] == (_KEY,)},
    )
    for unknown in unknown_names(stated, rulebook):
        near = did_you_mean(unknown.word, unknown.names)
        yield Caution(
            code="unknown-name",
            at=(_KEY, *unknown.path),
            message=f"{unknown.message} `{unknown.word}`",
            help=f"did you mean `{unknown.names[near]}`?" if near else "use the rulebook's own name",
        )
    filed = Filed(submission=simulation.submission, tree=stated)
    others = Neighbours([simulation.submission])
    for verdict in judge_submission(terms.prepared.regulation, filed, others=others):
        for finding in verdict.findings:
            if finding.status is not Status.PASS:
                yield Caution(
                    code="house-breaks-rules",
                    at=(_KEY, *_stands(stated, finding.where.pointer or "")),
                    severity="warning",
                    message=f"the house that is simulated does not comply with {verdict.requirement}: "
                    f"expected {finding.expected}; found {finding.observed}",
                    help=f"{finding.remedy or 'Put the simulated house right.'} If it is as the text has it, hold the "
                    "requirement and what it is judged by against the text",
                )


def _stands(tree: Tree, pointer: str) -> Path:
    """The place of a JSON Pointer, or of the nearest thing around it that is there."""
    while pointer:
        with suppress(KeyError):
            return tree.find(pointer)
        pointer = pointer.rpartition("/")[0]
    return ()


def _limits(terms: Terms, simulation: Simulation) -> Iterator[Caution]:
    yield from _no_limits(terms, simulation)
    for index, wager in enumerate(simulation.submission.wagers or ()):
        here: Path = ("submission", "wagers", index)
        if wager.minimum is None or wager.maximum is None:
            continue
        unit = simulation.units.wager
        if wager.minimum > wager.maximum:
            yield Caution(
                code="turned-round",
                at=(*here, "maximum"),
                message=f"the maximum of {wager.wager} lies below its minimum",
                help="turn them round; amounts are in minor units, so that 1000 is 10.00",
            )
        elif wager.minimum < unit and wager.maximum < unit and wager.minimum < wager.maximum:
            yield Caution(
                code="other-unit",
                at=(*here, "maximum"),
                severity="warning",
                message=f"the limits of {wager.wager} lie below {unit}, the unit of wagers: only the minimum is staked",
                help="amounts are in minor units, so that 1000 is 10.00; or make `units: {wager: ...}` smaller",
            )


def _no_limits(terms: Terms, simulation: Simulation) -> Iterator[Caution]:
    """Where rules ask for posted limits, the house posts some for every wager that is placed before the deal."""
    regulation = terms.prepared.regulation
    asked = {
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
            if key in asked and (offer is None or getattr(offer, key) is None):
                yield Caution(
                    code="no-limits",
                    at=(_KEY, "wagers") if offer is None else (_KEY, "wagers", index),
                    severity="warning",
                    message=f"the house posts no {key} for {name}, so that rules about it are never evidenced",
                    help=f"state the `{key}` of {name}, in minor units",
                )


def _deck(terms: Terms, simulation: Simulation) -> Iterator[Caution]:
    deck, stated = terms.game.deck, simulation.submission.deck
    if stated is None:
        return
    help_ = "compare both with the text, and say the same here and under `deck` of game.yaml"
    if stated.cards is not None and stated.cards != deck.cards:
        yield Caution(
            code="other-deck",
            at=("submission", "deck", "cards"),
            message=f"the house is to play with {stated.cards}, and the game with {deck.cards}",
            help=help_,
        )
    if stated.decks is not None and (not stated.decks or stated.decks % deck.decks):
        yield Caution(
            code="other-deck",
            at=("submission", "deck", "decks"),
            message=f"the house is to play with {stated.decks} decks, and a round of the game takes {deck.decks}",
            help=help_,
        )


def _chances(simulation: Simulation) -> Iterator[Caution]:
    for name, chance in simulation.chances.wagers.items():
        if chance == 0:
            yield never_played(("chances", "wagers", name), f"the wager {name} is never placed")


def _seats(terms: Terms, simulation: Simulation) -> Iterator[Caution]:
    game = terms.game
    there = terms.prepared.regulation.cards_in_play
    own = game.deal.cards.get("player", 0)
    needed = own * simulation.seats.most + sum(game.deal.cards.values()) - own
    if needed > there:
        yield Caution(
            code="too-many-cards",
            at=("seats", "most"),
            message=f"{simulation.seats.most} seats are dealt {needed} cards, and there are {there} in play",
            help="seat fewer, or hold the `deck` of the game against the text",
        )


def _table(terms: Terms, simulation: Simulation) -> Iterator[Caution]:
    """As many sit down as the layout has positions, and tips are given where a wager takes them."""
    layout, wagers = simulation.submission.layout, simulation.submission.wagers or ()
    positions = None if layout is None else layout.positions
    if positions is not None and simulation.seats.most > positions:
        yield Caution(
            code="too-many-seats",
            at=("seats", "most"),
            severity="warning",
            message=f"{simulation.seats.most} seats are played, and the layout of the house has {positions} positions",
            help="seat fewer, or state more positions",
        )
    takes = {one.wager for one in wagers if one.tips}
    if simulation.chances.tip and not any(
        one.tip is not None and name in takes for name, one in terms.game.wagers.items()
    ):
        yield never_played(("chances", "tip"), "no wager of the house takes tips")
