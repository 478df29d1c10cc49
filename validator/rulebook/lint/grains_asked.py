"""The grain at which each condition and quantity of a game and its requirements is evaluated."""

from __future__ import annotations

from collections.abc import Iterator

from validator.language.conditions import Condition, Problem, Quantity, asked_at
from validator.language.grains import Grain, grain_of_place
from validator.rules.model.betting import Betting
from validator.rules.model.game import Game
from validator.rules.model.pots import Pots
from validator.rules.model.requirement import Check
from validator.text.trees.tree import Path

Asked = tuple[Condition | Quantity | None, Grain, Path]
"""A condition or quantity (or None), the grain it is evaluated at, and its place."""


def grain_problems(game: Game) -> Iterator[Problem]:
    """Yield conditions and quantities of a game that refer to another grain than they are evaluated at."""
    for part, grain, here in _list_game_expressions(game):
        yield from asked_at(part, grain, game, here)


def check_grain_problems(check: Check, game: Game) -> Iterator[Problem]:
    """Yield conditions and quantities of a check that refer to another grain than they are evaluated at."""
    for part, grain, here in _list_check_expressions(check, game):
        yield from asked_at(part, grain, game, here)


def asked_by_betting(betting: Betting) -> Iterator[Asked]:
    """Yield the conditions and quantities that limit bets and raises."""
    for index, betting_round in enumerate(betting.rounds):
        here: Path = ("betting", "rounds", index)
        yield betting_round.size, "round", (*here, "size")
        if betting_round.or_larger is not None:
            yield betting_round.or_larger.size, "round", (*here, "or-larger", "size")
            yield betting_round.or_larger.when, "round", (*here, "or-larger", "when")
    sizes = betting.sizes
    yield sizes.limit, "round", ("betting", "sizes", "limit")
    yield sizes.fixed, "round", ("betting", "sizes", "fixed")
    yield sizes.half_counts, "round", ("betting", "sizes", "half-counts")
    for index, least in enumerate(sizes.opening):
        yield least.at_least, "round", ("betting", "sizes", "opening", index, "at-least")
        yield least.when, "round", ("betting", "sizes", "opening", index, "when")
    for index, more in enumerate(sizes.raise_):
        if more.operator == "at-least":
            yield more.at_least, "round", ("betting", "sizes", "raise", index, "at-least")
        yield more.when, "round", ("betting", "sizes", "raise", index, "when")
    yield betting.words_after_chips, "round", ("betting", "words-after-chips")
    for index, reopens in enumerate(betting.reopens):
        yield reopens.when, "round", ("betting", "reopens", index, "when")


def _list_game_expressions(game: Game) -> Iterator[Asked]:
    yield from _list_settlement_expressions(game)
    if game.pots is not None:
        yield from _list_pot_expressions(game.pots)
    for name, course in game.courses.items():
        yield course.when, course.per, ("courses", name, "when")
    for name, cases in ({} if game.table is None else game.table.positions).items():
        for index, case in enumerate(cases):
            yield case.when, "round", ("table", "positions", name, index, "when")
    if game.betting is not None:
        yield from asked_by_betting(game.betting)
        if game.betting.folded_by is not None:
            yield game.betting.folded_by.when, "seat", ("betting", "folded-by", "when")
            yield game.betting.folded_by.out, "seat", ("betting", "folded-by", "out")
    for index, step in enumerate(game.procedure):
        yield step.when, "round" if step.each == "round" else "seat", ("procedure", index, "when")
    for name, wager in game.wagers.items():
        yield wager.needs, "seat", ("wagers", name, "needs")
        yield wager.tip, "seat", ("wagers", name, "tip")
    for name, decision in game.decisions.items():
        yield decision.open_to, "seat", ("decisions", name, "open-to")
    for name, drawing in game.drawing.items():
        for index, rule in enumerate(drawing.rules):
            yield rule.when, grain_of_place(drawing.place), ("drawing", name, "rules", index, "when")


def _list_settlement_expressions(game: Game) -> Iterator[Asked]:
    for index, case in enumerate(game.settlement.cases):
        yield case.when, "seat", ("settlement", "cases", index, "when")
    for index, cap in enumerate(game.settlement.caps):
        yield cap.when, "round", ("settlement", "caps", index, "when")
        yield cap.at_most, "round", ("settlement", "caps", index, "at-most")
    for name, scale in game.scales.items():
        yield scale.of, "seat", ("scales", name, "of")
    for name, bonus in game.bonuses.items():
        if bonus.earned_by is not None:
            yield bonus.earned_by.other_players, "seat", ("bonuses", name, "earned-by", "other-players")
    for name, table in game.pay_tables.items():
        yield table.when, "round", ("pay-tables", name, "when")
        for index, shared in enumerate(table.shared):
            yield shared.among, "seat", ("pay-tables", name, "shared", index, "among")


def _list_pot_expressions(pots: Pots) -> Iterator[Asked]:
    for index, part in enumerate(pots.parts):
        yield part.when, "round", ("pots", "parts", index, "when")
    yield pots.refunded, "seat", ("pots", "refunded")
    if pots.untold is not None:
        yield pots.untold.when, "round", ("pots", "untold", "when")
        yield pots.untold.at_most, "round", ("pots", "untold", "at-most")
    for index, rake in enumerate(pots.rake):
        for name, condition in rake.stages.items():
            yield condition, "round", ("pots", "rake", index, "stages", name)


def _list_check_expressions(check: Check, game: Game) -> Iterator[Asked]:
    operand, here = check.operand, ("check", check.operator)
    match check.operator:
        case "rule":
            yield operand.when, operand.each, (*here, "when")
            yield operand.must, operand.each, (*here, "must")
        case "sequence":
            yield operand.when, operand.per, (*here, "when")
        case "drawn-by":
            yield operand.when, grain_of_place(game.drawing[operand.drawing].place), (*here, "when")
        case "succession":
            grain: Grain = "seat" if operand.each == "player" else "round"
            yield operand.when, grain, (*here, "when")
            yield operand.must, grain, (*here, "must")
        case "every":
            yield operand.when, "round", (*here, "when")
            yield operand.counts, "round", (*here, "counts")
            yield operand.happens, "round", (*here, "happens")
        case "needed" | "awarded" | "dealt" | "in-turn" | "turns":
            yield operand.when, "round", (*here, "when")
