"""Warnings about habits of simulated players: never followed, duplicate, or based on hidden cards."""

from __future__ import annotations

from collections.abc import Iterator

from validator.cautions.caution import Caution
from validator.language.conditions import Condition
from validator.operators.hands import Holds
from validator.operators.terms import Terms
from validator.propositions.formula import Formula, denied, every
from validator.rules.core.visitor import walk
from validator.rules.model.game import Game
from validator.rules.simulation.simulation import Habit, Simulation
from validator.text.trees.tree import Path


def habit_cautions(terms: Terms, simulation: Simulation) -> Iterator[Caution]:
    """Yield warnings about habits, in the order in which a deciding seat tries them."""
    game = terms.game
    # In a game with a single step of deciding, no seat has decided before.
    deciding = [step for step in game.procedure if "decide" in step.events and not step.aside]
    undecided = game.betting is None and len(deciding) == 1
    taken = [_build_decision_formula(terms, name) for name in game.decisions] if undecided else []
    remaining: Formula = every([denied(formula) for formula in taken])
    for index, habit in enumerate(simulation.habits):
        here: Path = ("habits", index)
        open_to = game.decisions[habit.decision].open_to
        applies = every(True if condition is None else terms.formula(condition) for condition in (habit.when, open_to))
        if habit.chance == 0:
            yield never_played((*here, "chance"), "this habit is never followed")
        elif habit in simulation.habits[:index]:
            yield Caution(
                code="duplicate",
                at=here,
                severity="warning",
                message="this habit is listed twice: a seat that does not follow it the first time gets a second "
                "chance",
                help="increase the chance of the first if that is meant, or change the second",
            )
        elif terms.may_hold(applies) and not terms.may_hold(every([remaining, applies])):
            yield never_played(here, _explain_never_followed(terms, every(map(denied, taken)), applies))
        if habit.chance == 1000 and game.betting is None:
            remaining = every([remaining, denied(applies)])
        yield from _find_decisions_by_hidden_cards(game, habit, here)


def never_played(here: Path, message: str) -> Caution:
    """Build the warning that something never happens in simulated rounds."""
    return Caution(
        code="never-simulated",
        at=here,
        severity="warning",
        message=message,
        help="chances are in thousandths; a seat follows the first habit that applies and is drawn",
    )


def _explain_never_followed(terms: Terms, undecided: Formula, asked: Formula) -> str:
    if not terms.may_hold(every([undecided, asked])):
        return "this habit requires an earlier decision, but seats decide only once"
    return "an earlier habit is always followed when this one applies"


def _build_decision_formula(terms: Terms, decision: str) -> Formula:
    return terms.formula(Condition.model_validate({"decided": decision}))


def _find_decisions_by_hidden_cards(game: Game, habit: Habit, here: Path) -> Iterator[Caution]:
    """Yield warnings about habits that depend on the dealer's cards while all of them are face down."""
    for path, part in walk(habit, here):
        if not isinstance(part, Holds):
            continue
        places = game.hands[part.hand].from_
        if all(place == "dealer" and not game.deal.open_cards(place, None) for place in places):
            yield Caution(
                code="hidden-cards",
                at=path,
                severity="warning",
                message=f"players decide here by {game.hands[part.hand].title}, but all of its cards are face down",
                help="name a hand that the player sees",
            )
