"""Warnings about a simulation: a house that breaks the rules, habits and wagers that never occur."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from fairdeal.validator.audit.submissions.submission_names import find_unknown_names
from fairdeal.validator.audit.submissions.submission_requirements import (
    FiledSubmission,
    RelatedSubmissions,
    evaluate_submission,
)
from fairdeal.validator.language.grammar import Holds
from fairdeal.validator.language.name_references import walk_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators.condition_propositions import PropositionBuilder
from fairdeal.validator.propositions import Formula, conjoin, negate
from fairdeal.validator.results.findings import Status
from fairdeal.validator.rule_warnings.rule_warning import RuleWarning
from fairdeal.validator.rulebook.loading.rulebook import Rulebook
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.simulation_model import Habit, Simulation
from fairdeal.validator.text.diagnostics import find_similar
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument


def find_habit_warnings(terms: PropositionBuilder, simulation: Simulation) -> Iterator[RuleWarning]:
    """Yield warnings about habits, in the order in which a deciding seat tries them."""
    game = terms.game
    # In a game with a single step of deciding, no seat has decided before.
    deciding = [step for step in game.procedure if "decide" in step.events and not step.aside]
    undecided = game.betting is None and len(deciding) == 1
    taken = [_build_decision_formula(terms, name) for name in game.decisions] if undecided else []
    remaining: Formula = conjoin([negate(formula) for formula in taken])
    for index, habit in enumerate(simulation.habits):
        here: DataPath = ("habits", index)
        open_to = game.decisions[habit.decision].open_to
        applies = conjoin(
            True if condition is None else terms.build_formula(condition) for condition in (habit.when, open_to)
        )
        if habit.chance == 0:
            yield build_never_played_warning((*here, "chance"), "this habit is never followed")
        elif habit in simulation.habits[:index]:
            yield RuleWarning(
                code="duplicate",
                path=here,
                severity="warning",
                message="this habit is listed twice: a seat that does not follow it the first time gets a second "
                "chance",
                help="increase the chance of the first if that is meant, or change the second",
            )
        elif terms.may_hold(applies) and not terms.may_hold(conjoin([remaining, applies])):
            yield build_never_played_warning(here, _explain_never_followed(terms, conjoin(map(negate, taken)), applies))
        if habit.chance == 1000 and game.betting is None:
            remaining = conjoin([remaining, negate(applies)])
        yield from _find_decisions_by_hidden_cards(game, habit, here)


def build_never_played_warning(here: DataPath, message: str) -> RuleWarning:
    """Build the warning that something never happens in simulated rounds."""
    return RuleWarning(
        code="never-simulated",
        path=here,
        severity="warning",
        message=message,
        help="chances are in thousandths; a seat follows the first habit that applies and is drawn",
    )


def _explain_never_followed(terms: PropositionBuilder, undecided: Formula, asked: Formula) -> str:
    if not terms.may_hold(conjoin([undecided, asked])):
        return "this habit requires an earlier decision, but seats decide only once"
    return "an earlier habit is always followed when this one applies"


def _build_decision_formula(terms: PropositionBuilder, decision: str) -> Formula:
    return terms.build_formula(Condition.model_validate({"decided": decision}))


def _find_decisions_by_hidden_cards(game: Game, habit: Habit, here: DataPath) -> Iterator[RuleWarning]:
    """Yield warnings about habits that depend on the dealer's cards while all of them are face down."""
    for path, part in walk_models(habit, here):
        if not isinstance(part, Holds):
            continue
        places = game.hands[part.hand].from_
        if all(place == "dealer" and not game.deal.count_open_cards(place, None) for place in places):
            yield RuleWarning(
                code="hidden-cards",
                path=path,
                severity="warning",
                message=f"players decide here by {game.hands[part.hand].title}, but all of its cards are face down",
                help="name a hand that the player sees",
            )


_SUBMISSION = "submission"


def find_simulation_warnings(
    rulebook: Rulebook, terms: PropositionBuilder, tree: PositionedDocument, simulation: Simulation
) -> Iterator[RuleWarning]:
    """Yield warnings about the file of a simulation; `tree` is that file."""
    yield from _check_limits(terms, simulation)
    yield from _check_deck(terms, simulation)
    yield from _check_chances(simulation)
    yield from find_habit_warnings(terms, simulation)
    yield from _check_seats(terms, simulation)
    yield from _check_layout(terms, simulation)
    yield from _check_compliance(rulebook, terms, tree, simulation)


def _check_compliance(
    rulebook: Rulebook, terms: PropositionBuilder, tree: PositionedDocument, simulation: Simulation
) -> Iterator[RuleWarning]:
    """Yield warnings about names that the rulebook does not define and requirements that the house does not meet."""
    submission_tree = PositionedDocument(
        data=tree.get_value((_SUBMISSION,)),
        source_name=tree.source_name,
        lines=tree.lines,
        positions={path[1:]: place for path, place in tree.positions.items() if path[:1] == (_SUBMISSION,)},
    )
    for unknown in find_unknown_names(submission_tree, rulebook):
        near = find_similar(unknown.word, unknown.names)
        yield RuleWarning(
            code="unknown-name",
            path=(_SUBMISSION, *unknown.path),
            message=f"{unknown.message} `{unknown.word}`",
            help=f"did you mean `{unknown.names[near]}`?" if near else "use the rulebook's own name",
        )
    filed = FiledSubmission(submission=simulation.submission, tree=submission_tree)
    neighbours = RelatedSubmissions([simulation.submission])
    for verdict in evaluate_submission(terms.prepared.regulation, filed, others=neighbours):
        for finding in verdict.findings:
            if finding.status is not Status.PASS:
                yield RuleWarning(
                    code="house-not-compliant",
                    path=(_SUBMISSION, *_find_place(submission_tree, finding.where.pointer or "")),
                    severity="warning",
                    message=f"the simulated house does not comply with {verdict.requirement}: "
                    f"expected {finding.expected}; found {finding.observed}",
                    help=f"{finding.remedy or 'Correct the simulated house.'} If it follows the text, compare the "
                    "requirement and its evidence with the text",
                )


def _find_place(tree: PositionedDocument, pointer: str) -> DataPath:
    """Return the place of a JSON Pointer, or its nearest ancestor that exists."""
    while pointer:
        with suppress(KeyError):
            return tree.resolve_pointer(pointer)
        pointer = pointer.rpartition("/")[0]
    return ()


def _check_limits(terms: PropositionBuilder, simulation: Simulation) -> Iterator[RuleWarning]:
    yield from _find_missing_limits(terms, simulation)
    for index, wager in enumerate(simulation.submission.wagers or ()):
        here: DataPath = ("submission", "wagers", index)
        if wager.minimum is None or wager.maximum is None:
            continue
        unit = simulation.units.wager
        if wager.minimum > wager.maximum:
            yield RuleWarning(
                code="reversed",
                path=(*here, "maximum"),
                message=f"the maximum of {wager.wager} is below its minimum",
                help="exchange them; amounts are in minor units: 1000 is 10.00",
            )
        elif wager.minimum < unit and wager.maximum < unit and wager.minimum < wager.maximum:
            yield RuleWarning(
                code="unit-mismatch",
                path=(*here, "maximum"),
                severity="warning",
                message=f"the limits of {wager.wager} are below {unit}, the unit of wagers: only the minimum is staked",
                help="amounts are in minor units: 1000 is 10.00; or reduce `units: {wager: ...}`",
            )


def _find_missing_limits(terms: PropositionBuilder, simulation: Simulation) -> Iterator[RuleWarning]:
    """Yield warnings about limits of early wagers that rules refer to and the house does not post."""
    regulation = terms.prepared.regulation
    used = {
        part.operator
        for requirement in regulation.requirements
        for _, part in walk_models(requirement.check, ())
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
                yield RuleWarning(
                    code="limits-not-stated",
                    path=(_SUBMISSION, "wagers") if offer is None else (_SUBMISSION, "wagers", index),
                    severity="warning",
                    message=f"the house posts no {key} for {name}, so rules about it lack evidence",
                    help=f"state the `{key}` of {name}, in minor units",
                )


def _check_deck(terms: PropositionBuilder, simulation: Simulation) -> Iterator[RuleWarning]:
    deck, stated = terms.game.deck, simulation.submission.deck
    if stated is None:
        return
    help_ = "compare both with the text, and state the same here and under `deck` of game.yaml"
    if stated.cards is not None and stated.cards != deck.cards:
        yield RuleWarning(
            code="deck-mismatch",
            path=("submission", "deck", "cards"),
            message=f"the house plays with {stated.cards}, but the game with {deck.cards}",
            help=help_,
        )
    if stated.decks is not None and (not stated.decks or stated.decks % deck.decks):
        yield RuleWarning(
            code="deck-mismatch",
            path=("submission", "deck", "decks"),
            message=f"the house plays with {stated.decks} decks, but a round of the game takes {deck.decks}",
            help=help_,
        )


def _check_chances(simulation: Simulation) -> Iterator[RuleWarning]:
    for name, chance in simulation.chances.wagers.items():
        if chance == 0:
            yield build_never_played_warning(("chances", "wagers", name), f"the wager {name} is never placed")


def _check_seats(terms: PropositionBuilder, simulation: Simulation) -> Iterator[RuleWarning]:
    game = terms.game
    in_play = terms.prepared.regulation.cards_in_play
    per_seat = game.deal.cards.get("player", 0)
    needed = per_seat * simulation.seats.most + sum(game.deal.cards.values()) - per_seat
    if needed > in_play:
        yield RuleWarning(
            code="too-many-cards",
            path=("seats", "most"),
            message=f"{simulation.seats.most} seats are dealt {needed} cards, but there are only {in_play} in play",
            help="seat fewer, or compare the `deck` of the game with the text",
        )


def _check_layout(terms: PropositionBuilder, simulation: Simulation) -> Iterator[RuleWarning]:
    """Yield warnings about more seats than positions, and about tips that no wager accepts."""
    layout, wagers = simulation.submission.layout, simulation.submission.wagers or ()
    positions = None if layout is None else layout.positions
    if positions is not None and simulation.seats.most > positions:
        yield RuleWarning(
            code="too-many-seats",
            path=("seats", "most"),
            severity="warning",
            message=f"{simulation.seats.most} seats are played, but the layout of the house has {positions} positions",
            help="seat fewer, or state more positions",
        )
    with_tips = {wager.wager for wager in wagers if wager.tips}
    if simulation.chances.tip and not any(
        wager.tip is not None and name in with_tips for name, wager in terms.game.wagers.items()
    ):
        yield build_never_played_warning(("chances", "tip"), "no wager of the house takes tips")
