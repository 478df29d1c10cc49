"""Tables and betting that cannot be meant, though every name in them is known."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from validator.language.conditions import Condition, Problem, Quantity
from validator.language.refs import BUTTON
from validator.rulebook.lint.grains_asked import asked_by_betting
from validator.rulebook.lint.worked_out_from import of_seats, worked_out_from
from validator.rules.model.betting import Betting
from validator.rules.model.game import Game, Step
from validator.rules.model.table import Table
from validator.text.trees.tree import Path

_SHOWING = ("best-showing", "worst-showing")


def betting_problems(game: Game) -> Iterator[Problem]:
    """Positions must lead somewhere, betting rounds follow on each other, decisions mean something."""
    table, betting = game.table, game.betting
    if table is not None:
        yield from _table(game, table)
    if betting is None:
        for name, decision in game.decisions.items():
            if decision.kind is not None:
                yield ("decisions", name, "kind"), "means something in a round of betting, but the game has none"
        return
    if table is None:
        yield ("betting",), "players bet in turn round a `table`, but the game has none"
    yield from _rounds(game, betting)
    for part, _, here in asked_by_betting(betting):  # how much may be bet is known before anybody bets
        if part is not None:
            yield from _free_of_betting(game, part, here)
    yield from _before_the_betting(game, betting)
    forced = [one.wager for one in betting.forced]
    for index, wager in enumerate(forced):
        if wager in forced[:index] or wager == betting.wager:
            yield ("betting", "forced", index, "wager"), f"{wager} already has its meaning in the betting"


def _before_the_betting(game: Game, betting: Betting) -> Iterator[Problem]:
    """What is no act of the betting, and what gives a hand up, is known before the betting is played through."""
    if betting.folded_by is not None:
        for key, condition in (("when", betting.folded_by.when), ("out", betting.folded_by.out)):
            if condition is not None:
                yield from _free_of_betting(game, condition, ("betting", "folded-by", key))
    if betting.course is None:
        return
    names, steps = list(game.courses), {step.step: step for step in game.procedure}
    for name in names[: names.index(betting.course) + 1]:  # what is out of place in one is not looked at in the next
        course = game.courses[name]
        conditions = [course.when, *(steps[step].when for step in course.steps)]
        for condition in conditions:
            if condition is not None:
                yield from _free_of_betting(game, condition, ("betting", "course"))
        if any(of_seats(steps[step]) for step in course.steps):
            yield ("betting", "course"), f"the course {name} has a step of those who win the pots, or do not"


def _table(game: Game, table: Table) -> Iterator[Problem]:
    if table.players.most < table.players.least:
        yield ("table", "players", "most"), "fewer than the least"
    for name, cases in table.positions.items():
        here: Path = ("table", "positions", name)
        if name == BUTTON:
            yield here, "the button is where the log says that it lies"
        elif name in _led_to(table, name):
            yield here, f"the position {name} is defined by itself"
        for index, case in enumerate(cases):
            yield from _free_of_betting(game, case, (*here, index))
            if case.operator in _SHOWING and game.hands[case.operand].cards != "open":
                yield (*here, index), f"looks at what lies open, but {case.operand} is no hand of `open` cards"
            if case.operator == "last-bettor" and game.betting is None:
                yield (*here, index), "speaks of bets, but the game has no `betting`"


def _led_to(table: Table, name: str) -> set[str]:
    """The positions that a position is worked out from."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for case in table.positions.get(waiting.pop(), []):
            if case.operator in ("at", "after") and case.operand not in found:
                found.add(case.operand)
                waiting.append(case.operand)
    return found


def _rounds(game: Game, betting: Betting) -> Iterator[Problem]:
    steps: list[str] = []
    for index, one in enumerate(betting.rounds):
        here: Path = ("betting", "rounds", index)
        if index == 0 and one.after is not None:
            yield (*here, "after"), "the first betting round begins with the round of play"
        elif index > 0 and one.after is None:
            yield here, "a betting round that is not the first comes `after` a step"
        elif one.after in steps:
            yield (*here, "after"), "another betting round begins after this step"
        yield from _opens_unseen(game, betting, index)
        if one.or_larger is not None and one.size is None:
            yield (*here, "or-larger"), "stands beside the fixed `size` that may be chosen instead"
        if one.after is not None:
            steps.append(one.after)
            step = next(step for step in game.procedure if step.step == one.after)
            if step.when is not None:
                yield from _free_of_betting(game, step.when, (*here, "after"))
            if _exchanges(game, step) and not _hears_standing_pat(game, step):
                yield (*here, "after"), "the step lacks the decision to stand pat, so that it may come without an event"
        if game.table is not None and any(
            case.operator == "last-bettor"
            for name in {one.opens, *_led_to(game.table, one.opens)}
            for case in game.table.positions.get(name, [])
        ):
            yield (*here, "opens"), "who opens hangs on who bet last"


def _opens_unseen(game: Game, betting: Betting, index: int) -> Iterator[Problem]:
    """Who opens a betting round is seen from cards that lie there before the cards of the next come."""
    ahead = betting.rounds[index + 1].after if index + 1 < len(betting.rounds) else None
    stages = [stage.stage for stage in game.deal.stages]
    dealt = next((step.stage for step in game.procedure if step.step == ahead), None)
    name = betting.rounds[index].opens
    if game.table is None or dealt is None:
        return
    for position in {name, *_led_to(game.table, name)}:
        for case in game.table.positions.get(position, []):
            if case.operator not in _SHOWING:
                continue
            through = game.hands[case.operand].through or stages[-1]
            if stages.index(through) >= stages.index(dealt):
                yield ("betting", "rounds", index, "opens"), f"who opens is seen from cards of the {through} only"


def _exchanges(game: Game, step: Step) -> bool:
    """Whether a step is of a stage in which cards are exchanged."""
    return any(game.deal.stages[number].stage == step.stage for number in game.deal.exchanging)


def _hears_standing_pat(game: Game, step: Step) -> bool:
    words = {name for name, one in game.decisions.items() if one.kind == "stand-pat"}
    return "decide" in step.events and bool(words) and (not step.decisions or not words.isdisjoint(step.decisions))


def _free_of_betting(game: Game, model: BaseModel, here: Path) -> Iterator[Problem]:
    """What the betting is made of cannot ask how the betting goes, or who has a position."""
    for found in worked_out_from(game, model):
        if of_seats(found) or (isinstance(found, Condition | Quantity) and found.meaning.of_betting):
            yield here, "asks for what comes of the betting or of positions, which are worked out from it"
            return
