"""Semantic errors in rules of drawing, and rules of drawing that no requirement judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from validator.cards.model import AnyRanking, Ranking, by_ranks
from validator.language.conditions import Problem
from validator.rules.core.regulation import Regulation
from validator.rules.model.deal import DrawnByCheck
from validator.rules.model.game import Game
from validator.rules.model.keep_rules import Drawing, Keep, KeepGroups, KeepToward
from validator.text.trees.tree import Path


def drawing_problems(regulation: Regulation, game: Game) -> Iterator[Problem]:
    """Yield problems with the rules of drawing of a game."""
    judged = Counter(
        rule
        for requirement in regulation.requirements
        if requirement.check.operator == "drawn-by"
        for rule in requirement.check.operand.rules
    )
    named = Counter(rule.rule for drawing in game.drawing.values() for rule in drawing.rules)
    for name, drawing in game.drawing.items():
        here: Path = ("drawing", name)
        rankings = list(_list_rankings(regulation, game, drawing))
        if game.hands[drawing.hand].from_ != [drawing.place]:
            yield (*here, "hand"), f"{drawing.hand} must be the {drawing.place}'s own cards and no others"
            continue
        dealt = game.deal.cards.get(drawing.place, 0)
        unsuitable = [
            ranking_name for ranking_name, ranking in rankings if not by_ranks(ranking) or ranking.cards != dealt
        ]
        if unsuitable:
            yield (
                (*here, "hand"),
                f"{unsuitable[0]} must rank hands of the {dealt} cards that the {drawing.place} is dealt, by ranks "
                "alone",
            )
            continue
        for index, rule in enumerate(drawing.rules):
            place: Path = (*here, "rules", index)
            if named[rule.rule] > 1:
                yield (*place, "rule"), f"{rule.rule} names {named[rule.rule]} rules"
            elif judged[rule.rule] != 1:
                yield (
                    (*place, "rule"),
                    f"rule {rule.rule} must be judged by one requirement, not by {judged[rule.rule]}",
                )
            for ranking_name, ranking in rankings:
                if by_ranks(ranking):
                    yield from _check_kept_cards(rule.keep, ranking_name, ranking, (*place, "keep"))


def _list_rankings(regulation: Regulation, game: Game, drawing: Drawing) -> Iterator[tuple[str, AnyRanking]]:
    hand = game.hands[drawing.hand]
    for name in (hand.rank_by, *(other.rank_by for other in hand.otherwise)):
        yield name, regulation.vocabulary.rankings[name]


def _check_kept_cards(keep: Keep, name: str, ranking: Ranking, here: Path) -> Iterator[Problem]:
    match keep:
        case KeepGroups() if keep.highest is not None and keep.highest > ranking.cards:
            yield (*here, "highest"), f"a hand has {ranking.cards} cards"
        case KeepToward():
            if keep.toward not in ranking.names():
                yield (*here, "toward"), f"{keep.toward} is not a category of {name}"
            if keep.cards >= ranking.cards:
                yield (*here, "cards"), f"no card is drawn to {keep.cards} cards: a hand has {ranking.cards}"
            elif keep.completed_by is not None and keep.cards != ranking.cards - 1:
                yield (*here, "completed-by"), "applies only if one card is missing: it lists the ranks of that card"


def check_problems(game: Game, check: DrawnByCheck, here: Path) -> Iterator[Problem]:
    """Yield rules in a `drawn-by` check that its drawing does not have."""
    own = [rule.rule for rule in game.drawing[check.drawing].rules]
    for index, rule in enumerate(check.rules):
        if rule not in own:
            yield (*here, "rules", index), f"{rule} is no rule of {check.drawing}"
