"""Habits of simulated players that come to nothing: never followed, said twice, or by cards that they do not see."""

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
    """Habits are gone through in their order, as seats do that decide."""
    game = terms.game
    # Who decides in one step of the round alone has decided nothing before.
    deciding = [step for step in game.procedure if "decide" in step.events and not step.aside]
    undecided = game.betting is None and len(deciding) == 1
    before = [_decided(terms, name) for name in game.decisions] if undecided else []
    left: Formula = every([denied(one) for one in before])
    for index, habit in enumerate(simulation.habits):
        here: Path = ("habits", index)
        open_to = game.decisions[habit.decision].open_to
        asked = every(True if one is None else terms.formula(one) for one in (habit.when, open_to))
        if habit.chance == 0:
            yield never_played((*here, "chance"), "this habit is never followed")
        elif habit in simulation.habits[:index]:
            yield Caution(
                code="told-twice",
                at=here,
                severity="warning",
                message="this habit stands here twice: who does not follow it the first time is asked again",
                help="make the chance of the first greater, if that is meant, or say what the second is for",
            )
        elif terms.may_hold(asked) and not terms.may_hold(every([left, asked])):
            yield never_played(here, _why(terms, every(map(denied, before)), asked))
        if habit.chance == 1000 and game.betting is None:
            left = every([left, denied(asked)])
        yield from _unseen(game, habit, here)


def never_played(here: Path, message: str) -> Caution:
    """That something never happens in simulated rounds."""
    return Caution(
        code="never-played",
        at=here,
        severity="warning",
        message=message,
        help="chances are so many in a thousand; the first habit that fits and comes up is followed",
    )


def _why(terms: Terms, undecided: Formula, asked: Formula) -> str:
    if not terms.may_hold(every([undecided, asked])):
        return "this habit asks for a decision, and seats decide once: none is taken yet"
    return "the habits before this one are always followed where it would be"


def _decided(terms: Terms, decision: str) -> Formula:
    return terms.formula(Condition.model_validate({"decided": decision}))


def _unseen(game: Game, habit: Habit, here: Path) -> Iterator[Caution]:
    """Players do not decide by cards of the house that all lie face down."""
    for path, part in walk(habit, here):
        if not isinstance(part, Holds):
            continue
        places = game.hands[part.hand].from_
        if all(place == "dealer" and not game.deal.open_cards(place, None) for place in places):
            yield Caution(
                code="never-seen",
                at=path,
                severity="warning",
                message=f"players decide here by {game.hands[part.hand].title}, whose cards all lie face down",
                help="name a hand that the player sees",
            )
