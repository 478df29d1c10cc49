"""At which grain each condition and quantity of a game and of its requirements is asked."""

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
"""A condition or quantity, if there is one, the grain it is asked at, and where it stands."""


def grain_problems(game: Game) -> Iterator[Problem]:
    """Conditions and quantities of a game that speak of something else than they are asked of."""
    for part, grain, here in _asked_by_game(game):
        yield from asked_at(part, grain, game, here)


def check_grain_problems(check: Check, game: Game) -> Iterator[Problem]:
    """The same of the check of a requirement."""
    for part, grain, here in _asked_by_check(check, game):
        yield from asked_at(part, grain, game, here)


def asked_by_betting(betting: Betting) -> Iterator[Asked]:
    """How much bets and raises may be, of each round."""
    for index, one in enumerate(betting.rounds):
        here: Path = ("betting", "rounds", index)
        yield one.size, "round", (*here, "size")
        if one.or_larger is not None:
            yield one.or_larger.size, "round", (*here, "or-larger", "size")
            yield one.or_larger.when, "round", (*here, "or-larger", "when")
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


def _asked_by_game(game: Game) -> Iterator[Asked]:
    yield from _asked_by_settlement(game)
    if game.pots is not None:
        yield from _asked_by_pots(game.pots)
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


def _asked_by_settlement(game: Game) -> Iterator[Asked]:
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


def _asked_by_pots(pots: Pots) -> Iterator[Asked]:
    for index, part in enumerate(pots.parts):
        yield part.when, "round", ("pots", "parts", index, "when")
    yield pots.refunded, "seat", ("pots", "refunded")
    if pots.untold is not None:
        yield pots.untold.when, "round", ("pots", "untold", "when")
        yield pots.untold.at_most, "round", ("pots", "untold", "at-most")
    for index, rake in enumerate(pots.rake):
        for name, condition in rake.stages.items():
            yield condition, "round", ("pots", "rake", index, "stages", name)


def _asked_by_check(check: Check, game: Game) -> Iterator[Asked]:
    asks, here = check.operand, ("check", check.operator)
    match check.operator:
        case "rule":
            yield asks.when, asks.each, (*here, "when")
            yield asks.must, asks.each, (*here, "must")
        case "sequence":
            yield asks.when, asks.per, (*here, "when")
        case "drawn-by":
            yield asks.when, grain_of_place(game.drawing[asks.drawing].place), (*here, "when")
        case "succession":
            grain: Grain = "seat" if asks.each == "player" else "round"
            yield asks.when, grain, (*here, "when")
            yield asks.must, grain, (*here, "must")
        case "every":
            yield asks.when, "round", (*here, "when")
            yield asks.counts, "round", (*here, "counts")
            yield asks.happens, "round", (*here, "happens")
        case "needed" | "awarded" | "dealt" | "in-turn" | "turns":
            yield asks.when, "round", (*here, "when")
