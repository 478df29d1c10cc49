"""Semantic errors in tables and betting."""

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

_BY_OPEN_CARDS = ("best-showing", "worst-showing")


def betting_problems(game: Game) -> Iterator[Problem]:
    """Yield problems with positions, betting rounds and the kinds of decisions."""
    table, betting = game.table, game.betting
    if table is not None:
        yield from _check_positions(game, table)
    if betting is None:
        for name, decision in game.decisions.items():
            if decision.kind is not None:
                yield ("decisions", name, "kind"), "has a meaning only in a betting round, but the game has none"
        return
    if table is None:
        yield ("betting",), "betting in turn needs a `table`, but the game has none"
    yield from _check_rounds(game, betting)
    for part, _, here in asked_by_betting(betting):  # the sizes of bets must be known before anybody bets
        if part is not None:
            yield from _check_free_of_betting(game, part, here)
    yield from _check_independence(game, betting)
    forced = [forced_bet.wager for forced_bet in betting.forced]
    for index, wager in enumerate(forced):
        if wager in forced[:index] or wager == betting.wager:
            yield ("betting", "forced", index, "wager"), f"{wager} already has its meaning in the betting"


def _check_independence(game: Game, betting: Betting) -> Iterator[Problem]:
    """Yield conditions that decide which actions belong to the betting, but depend on it."""
    if betting.folded_by is not None:
        for key, condition in (("when", betting.folded_by.when), ("out", betting.folded_by.out)):
            if condition is not None:
                yield from _check_free_of_betting(game, condition, ("betting", "folded-by", key))
    if betting.course is None:
        return
    names, steps = list(game.courses), {step.step: step for step in game.procedure}
    # A later course ignores events that an earlier one finds misplaced, so earlier courses matter too.
    for name in names[: names.index(betting.course) + 1]:
        course = game.courses[name]
        conditions = [course.when, *(steps[step].when for step in course.steps)]
        for condition in conditions:
            if condition is not None:
                yield from _check_free_of_betting(game, condition, ("betting", "course"))
        if any(of_seats(steps[step]) for step in course.steps):
            yield (
                ("betting", "course"),
                f"the course {name} has a step of the seats that win the pots, or of those that do not",
            )


def _check_positions(game: Game, table: Table) -> Iterator[Problem]:
    if table.players.most < table.players.least:
        yield ("table", "players", "most"), "fewer than the least"
    for name, cases in table.positions.items():
        here: Path = ("table", "positions", name)
        if name == BUTTON:
            yield here, "the log records the position of the button, so no rule defines it"
        elif name in _collect_base_positions(table, name):
            yield here, f"the position {name} is defined by itself"
        for index, case in enumerate(cases):
            yield from _check_free_of_betting(game, case, (*here, index))
            if case.operator in _BY_OPEN_CARDS and game.hands[case.operand].cards != "open":
                yield (*here, index), f"compares open cards, but {case.operand} is no hand of `open` cards"
            if case.operator == "last-bettor" and game.betting is None:
                yield (*here, index), "refers to bets, but the game has no `betting`"


def _collect_base_positions(table: Table, name: str) -> set[str]:
    """Return the positions that a position is derived from."""
    positions: set[str] = set()
    pending = [name]
    while pending:
        for case in table.positions.get(pending.pop(), []):
            if case.operator in ("at", "after") and case.operand not in positions:
                positions.add(case.operand)
                pending.append(case.operand)
    return positions


def _check_rounds(game: Game, betting: Betting) -> Iterator[Problem]:
    earlier_steps: list[str] = []
    for index, betting_round in enumerate(betting.rounds):
        here: Path = ("betting", "rounds", index)
        if index == 0 and betting_round.after is not None:
            yield (*here, "after"), "the first betting round begins with the round of play"
        elif index > 0 and betting_round.after is None:
            yield here, "a betting round that is not the first comes `after` a step"
        elif betting_round.after in earlier_steps:
            yield (*here, "after"), "another betting round begins after this step"
        yield from _check_opener_cards(game, betting, index)
        if betting_round.or_larger is not None and betting_round.size is None:
            yield (*here, "or-larger"), "requires the fixed `size` to which it is the alternative"
        if betting_round.after is not None:
            earlier_steps.append(betting_round.after)
            step = next(step for step in game.procedure if step.step == betting_round.after)
            if step.when is not None:
                yield from _check_free_of_betting(game, step.when, (*here, "after"))
            if _is_exchange(game, step) and not _has_stand_pat(game, step):
                yield (*here, "after"), "the step lacks the decision to stand pat, so the exchange may leave no event"
        if game.table is not None and any(
            case.operator == "last-bettor"
            for name in {betting_round.opens, *_collect_base_positions(game.table, betting_round.opens)}
            for case in game.table.positions.get(name, [])
        ):
            yield (*here, "opens"), "the opener depends on who bet last"


def _check_opener_cards(game: Game, betting: Betting, index: int) -> Iterator[Problem]:
    """Yield a problem if the opener of a betting round depends on cards that are dealt after the round."""
    next_step = betting.rounds[index + 1].after if index + 1 < len(betting.rounds) else None
    stages = [stage.stage for stage in game.deal.stages]
    next_stage = next((step.stage for step in game.procedure if step.step == next_step), None)
    opener = betting.rounds[index].opens
    if game.table is None or next_stage is None:
        return
    for position in {opener, *_collect_base_positions(game.table, opener)}:
        for case in game.table.positions.get(position, []):
            if case.operator not in _BY_OPEN_CARDS:
                continue
            through = game.hands[case.operand].through or stages[-1]
            if stages.index(through) >= stages.index(next_stage):
                yield ("betting", "rounds", index, "opens"), f"the opener depends on cards of the later stage {through}"


def _is_exchange(game: Game, step: Step) -> bool:
    """Return whether a step belongs to a stage in which cards are exchanged."""
    return any(game.deal.stages[number].stage == step.stage for number in game.deal.exchanging)


def _has_stand_pat(game: Game, step: Step) -> bool:
    words = {name for name, decision in game.decisions.items() if decision.kind == "stand-pat"}
    return "decide" in step.events and bool(words) and (not step.decisions or not words.isdisjoint(step.decisions))


def _check_free_of_betting(game: Game, model: BaseModel, here: Path) -> Iterator[Problem]:
    """Yield a problem if a part that determines the betting depends on the betting or on positions."""
    for part in worked_out_from(game, model):
        if of_seats(part) or (isinstance(part, Condition | Quantity) and part.meaning.of_betting):
            yield here, "depends on the result of the betting or on positions, which themselves depend on this"
            return
