"""Checks of simulations: a house that breaks the rules, habits and wagers that never occur."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from fairdeal.validator.audit.submissions import submission_requirements
from fairdeal.validator.audit.submissions.submission_names import find_unknown_names
from fairdeal.validator.language.grammar import Holds, walk_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators.condition_propositions import PropositionBuilder
from fairdeal.validator.propositions import Formula, conjoin, negate
from fairdeal.validator.results.findings import Status
from fairdeal.validator.rule_checks.check_context import DocumentContext, GameCheck
from fairdeal.validator.rulebook.lint.rule_check import CheckedFile, RuleMistake
from fairdeal.validator.rules.betting_model import InTurnCheck
from fairdeal.validator.rules.simulation_model import Habit, Simulation
from fairdeal.validator.text.diagnostics import find_similar
from fairdeal.validator.text.money import format_decimal
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument

_SUBMISSION = "submission"
_CHANCES = "chances are in thousandths; a seat follows the first habit that applies and is drawn"
_ALWAYS = 1000


class NeverSimulated(GameCheck[Simulation]):
    """A wager, tip or habit never occurs in simulated rounds."""

    code = "never-simulated"
    severity = "warning"
    on = Simulation

    def find(self, context: DocumentContext, part: Simulation, here: DataPath) -> Iterator[RuleMistake]:
        for path, message in self._list_idle_parts(context, part):
            yield RuleMistake(path=path, message=message, help=_CHANCES)

    def _list_idle_parts(self, context: DocumentContext, part: Simulation) -> Iterator[tuple[DataPath, str]]:
        for name, chance in part.chances.wagers.items():
            if chance == 0:
                yield ("chances", "wagers", name), f"the wager {name} is never placed"
        with_tips = {wager.wager for wager in part.submission.wagers or () if wager.tips}
        takes_tips = any(wager.tip is not None and name in with_tips for name, wager in context.game.wagers.items())
        if part.chances.tip and not takes_tips:
            yield ("chances", "tip"), "no wager of the house takes tips"
        yield from _list_idle_habits(context, part)


def _list_idle_habits(context: DocumentContext, simulation: Simulation) -> Iterator[tuple[DataPath, str]]:
    """Yield the habits that no seat follows, in the order in which a deciding seat tries them."""
    game, terms = context.game, context.terms
    # In a game with a single step of deciding, no seat has decided before.
    deciding = [step for step in game.procedure if "decide" in step.events and not step.aside]
    is_single = game.betting is None and len(deciding) == 1
    taken = [_build_decision_formula(terms, name) for name in game.decisions] if is_single else []
    undecided: Formula = conjoin(map(negate, taken))
    remaining = undecided
    for index, habit in enumerate(simulation.habits):
        conditions = (habit.when, game.decisions[habit.decision].open_to)
        applies = conjoin([terms.build_formula(condition) for condition in conditions if condition is not None])
        here: DataPath = ("habits", index)
        if habit.chance == 0:
            yield (*here, "chance"), "this habit is never followed"
        elif (
            habit not in simulation.habits[:index]
            and terms.may_hold(applies)
            and not terms.may_hold(conjoin([remaining, applies]))
        ):
            if terms.may_hold(conjoin([undecided, applies])):
                yield here, "an earlier habit is always followed when this one applies"
            else:
                yield here, "this habit requires an earlier decision, but seats decide only once"
        if habit.chance == _ALWAYS and game.betting is None:
            remaining = conjoin([remaining, negate(applies)])


def _build_decision_formula(terms: PropositionBuilder, decision: str) -> Formula:
    return terms.build_formula(Condition.model_validate({"decided": decision}))


class DuplicateHabit(GameCheck[Simulation]):
    """A habit is listed twice. A seat that does not follow it the first time gets a second chance."""

    code = "duplicate"
    severity = "warning"
    on = Simulation

    def find(self, context: DocumentContext, part: Simulation, here: DataPath) -> Iterator[RuleMistake]:
        for index, habit in enumerate(part.habits):
            if habit.chance and habit in part.habits[:index]:
                yield RuleMistake(
                    path=("habits", index),
                    message="this habit is listed twice: a seat that does not follow it the first time gets a second "
                    "chance",
                    help="increase the chance of the first if that is meant, or change the second",
                )


class HiddenCards(GameCheck[Habit]):
    """Players decide by cards of the dealer that all lie face down."""

    code = "hidden-cards"
    severity = "warning"
    on = Habit

    def find(self, context: DocumentContext, part: Habit, here: DataPath) -> Iterator[RuleMistake]:
        game = context.game
        for path, holds in walk_models(part, here):
            if not isinstance(holds, Holds):
                continue
            places = game.hands[holds.hand].from_
            if all(place == "dealer" and not game.deal.count_open_cards(place, None) for place in places):
                yield RuleMistake(
                    path=path,
                    message=f"players decide here by {game.hands[holds.hand].title}, but all of its cards are face "
                    "down",
                    help="name a hand that the player sees",
                )


class WrongDirection(GameCheck[Simulation]):
    """The simulated house goes round the table in another direction than a requirement demands."""

    code = "direction-mismatch"
    severity = "warning"
    on = Simulation

    def find(self, context: DocumentContext, part: Simulation, here: DataPath) -> Iterator[RuleMistake]:
        game = context.game
        sides = {name: habit.from_ for name, habit in part.steps.items() if isinstance(habit.from_, str)}
        for requirement in context.regulation.requirements:
            check = requirement.check.operand
            if not isinstance(check, InTurnCheck) or check.when is not None:
                continue
            turns = {step.turn for step in game.procedure if step.step in check.steps} - {None}
            steps = [step for step in game.procedure if step.step in check.steps or step.turn in turns]
            name = next((step.step for step in steps if not step.aside and step.each != "round"), None)
            side = next((sides[step.step] for step in steps if step.step in sides), game.deal.stages[0].first)
            if name is not None and side in ("dealer-left", "dealer-right") and side != check.from_:
                yield RuleMistake(
                    path=("steps",),
                    message=f"the simulated house takes {name} from {side}, but {requirement.requirement} requires "
                    f"{check.from_}",
                    help=f"write `steps: {{{name}: {{from: {check.from_}}}}}`, or compare the requirement with the "
                    "text",
                )


def _select_submission(tree: PositionedDocument) -> PositionedDocument:
    """Return the submission of the simulated house as a document of its own."""
    return PositionedDocument(
        data=tree.get_value((_SUBMISSION,)),
        source_name=tree.source_name,
        lines=tree.lines,
        positions={path[1:]: place for path, place in tree.positions.items() if path[:1] == (_SUBMISSION,)},
    )


class UnknownOffer(GameCheck[CheckedFile]):
    """The simulated house states a name that the rulebook does not define."""

    code = "unknown-name"
    on = CheckedFile

    def find(self, context: DocumentContext, part: CheckedFile, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the unknown names of the submission, if this is the file of a simulation."""
        if not isinstance(part.model, Simulation):
            return
        for unknown in find_unknown_names(_select_submission(part.tree), context.rulebook):
            near = find_similar(unknown.word, unknown.names)
            yield RuleMistake(
                path=(_SUBMISSION, *unknown.path),
                message=f"{unknown.message} `{unknown.word}`",
                help=f"did you mean `{unknown.names[near]}`?" if near else "use the rulebook's own name",
            )


class HouseNotCompliant(GameCheck[CheckedFile]):
    """The simulated house does not comply with the requirements on submissions."""

    code = "house-not-compliant"
    severity = "warning"
    on = CheckedFile

    def find(self, context: DocumentContext, part: CheckedFile, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the findings about the submission, if this is the file of a simulation."""
        if not isinstance(part.model, Simulation):
            return
        submission, tree = part.model.submission, _select_submission(part.tree)
        filed = submission_requirements.FiledSubmission(submission=submission, tree=tree)
        for verdict in submission_requirements.evaluate_submission(
            context.regulation, filed, others=submission_requirements.RelatedSubmissions([submission])
        ):
            for finding in verdict.findings:
                if finding.status is not Status.PASS:
                    yield RuleMistake(
                        path=(_SUBMISSION, *_find_place(tree, finding.where.pointer or "")),
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


class ReversedLimits(GameCheck[Simulation]):
    """The maximum of a wager is below its minimum."""

    code = "reversed"
    on = Simulation

    def find(self, context: DocumentContext, part: Simulation, here: DataPath) -> Iterator[RuleMistake]:
        for index, wager in enumerate(part.submission.wagers or ()):
            if wager.minimum is not None and wager.maximum is not None and wager.minimum > wager.maximum:
                yield RuleMistake(
                    path=(_SUBMISSION, "wagers", index, "maximum"),
                    message=f"the maximum of {wager.wager} is below its minimum",
                    help="exchange them",
                )


class LimitsBelowUnit(GameCheck[Simulation]):
    """The limits of a wager are below the unit of wagers. Only the minimum would be staked."""

    code = "unit-mismatch"
    severity = "warning"
    on = Simulation

    def find(self, context: DocumentContext, part: Simulation, here: DataPath) -> Iterator[RuleMistake]:
        unit = part.units.wager
        for index, wager in enumerate(part.submission.wagers or ()):
            if wager.minimum is not None and wager.maximum is not None and wager.minimum < wager.maximum < unit:
                yield RuleMistake(
                    path=(_SUBMISSION, "wagers", index, "maximum"),
                    message=f"the limits of {wager.wager} are below {format_decimal(unit)}, the unit of wagers: "
                    "only the minimum is staked",
                    help="raise them, or reduce `units: {wager: ...}`",
                )


class LimitsNotStated(GameCheck[Simulation]):
    """Rules refer to limits of a wager that the house does not post."""

    code = "limits-not-stated"
    severity = "warning"
    on = Simulation

    def find(self, context: DocumentContext, part: Simulation, here: DataPath) -> Iterator[RuleMistake]:
        used = {
            quantity.operator
            for requirement in context.regulation.requirements
            for _, quantity in walk_models(requirement.check, ())
            if isinstance(quantity, Quantity)
        }
        stated = {wager.wager: (index, wager) for index, wager in enumerate(part.submission.wagers or ())}
        for name, wager in () if context.game.betting is not None else context.game.wagers.items():
            if wager.placed != "before-the-deal" or wager.of is not None or part.chances.wagers.get(name) == 0:
                continue
            index, offer = stated.get(name, (0, None))
            for key in ("minimum", "maximum"):
                if key in used and (offer is None or getattr(offer, key) is None):
                    yield RuleMistake(
                        path=(_SUBMISSION, "wagers") if offer is None else (_SUBMISSION, "wagers", index),
                        message=f"the house posts no {key} for {name}, so rules about it lack evidence",
                        help=f"state the `{key}` of {name}",
                    )


class DeckMismatch(GameCheck[Simulation]):
    """The simulated house plays with another deck than the game."""

    code = "deck-mismatch"
    on = Simulation

    def find(self, context: DocumentContext, part: Simulation, here: DataPath) -> Iterator[RuleMistake]:
        deck, stated = context.game.deck, part.submission.deck
        help_ = "compare both with the text, and state the same here and under `deck` of game.yaml"
        if stated is not None and stated.cards is not None and stated.cards != deck.cards:
            yield RuleMistake(
                path=(_SUBMISSION, "deck", "cards"),
                message=f"the house plays with {stated.cards}, but the game with {deck.cards}",
                help=help_,
            )
        if stated is not None and stated.decks is not None and (not stated.decks or stated.decks % deck.decks):
            yield RuleMistake(
                path=(_SUBMISSION, "deck", "decks"),
                message=f"the house plays with {stated.decks} decks, but a round of the game takes {deck.decks}",
                help=help_,
            )


class TooManySeats(GameCheck[Simulation]):
    """More seats are played than the layout of the house has positions."""

    code = "too-many-seats"
    severity = "warning"
    on = Simulation

    def find(self, context: DocumentContext, part: Simulation, here: DataPath) -> Iterator[RuleMistake]:
        layout = part.submission.layout
        positions = None if layout is None else layout.positions
        if positions is not None and part.seats.most > positions:
            yield RuleMistake(
                path=("seats", "most"),
                message=f"{part.seats.most} seats are played, but the layout of the house has {positions} positions",
                help="seat fewer, or state more positions",
            )


class TooManyCardsSimulated(GameCheck[Simulation]):
    """The simulated seats are dealt more cards than there are in play."""

    code = "too-many-cards"
    on = Simulation

    def find(self, context: DocumentContext, part: Simulation, here: DataPath) -> Iterator[RuleMistake]:
        cards, in_play = context.game.deal.cards, context.regulation.cards_in_play
        per_seat = cards.get("player", 0)
        needed = per_seat * part.seats.most + sum(cards.values()) - per_seat
        if needed > in_play:
            yield RuleMistake(
                path=("seats", "most"),
                message=f"{part.seats.most} seats are dealt {needed} cards, but there are only {in_play} in play",
                help="seat fewer, or compare the `deck` of the game with the text",
            )


CHECKS = (
    NeverSimulated,
    DuplicateHabit,
    HiddenCards,
    WrongDirection,
    UnknownOffer,
    HouseNotCompliant,
    ReversedLimits,
    LimitsBelowUnit,
    LimitsNotStated,
    DeckMismatch,
    TooManySeats,
    TooManyCardsSimulated,
)
"""Checks of simulations."""
