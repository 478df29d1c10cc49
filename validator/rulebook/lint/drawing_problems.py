"""Semantic errors in rules of drawing: rules that keep cards in an exchange, and rules that set two hands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import comb

from fairdeal.validator.cards.ranking_models import MOST_SPLITS, AnyRanking, Ranking, is_by_ranks
from fairdeal.validator.operators.operator_interface import Problem
from fairdeal.validator.rules.deal_model import Drawing, DrawnByCheck, Keep, KeepDraw, KeepGroups
from fairdeal.validator.rules.game_model import Game, Hand
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.positioned_document import DataPath


def find_drawing_problems(regulation: Regulation, game: Game) -> Iterator[Problem]:
    """Yield problems with the rules of drawing of a game."""
    judged = Counter(
        rule.rule
        for requirement in regulation.requirements
        if requirement.check.operator == "drawn-by"
        for rule in game.drawing[requirement.check.operand.drawing].rules
        if requirement.check.operand.checks_rule(rule.rule)
    )
    named = Counter(rule.rule for drawing in game.drawing.values() for rule in drawing.rules)
    for name, drawing in game.drawing.items():
        here: DataPath = ("drawing", name)
        problems = list(
            _find_setting_problems(regulation, game, drawing, here)
            if drawing.hand is None
            else _find_exchange_problems(regulation, drawing, game.hands[drawing.hand], game, here)
        )
        yield from problems
        if problems:
            continue
        rankings = list(_list_rankings(regulation, game, drawing))
        for index, rule in enumerate(drawing.rules):
            place: DataPath = (*here, "rules", index)
            if named[rule.rule] > 1:
                yield (*place, "rule"), f"{rule.rule} names {named[rule.rule]} rules"
            elif judged[rule.rule] != 1:
                yield (
                    (*place, "rule"),
                    f"rule {rule.rule} must be judged by one requirement, not by {judged[rule.rule]}",
                )
            for ranking_name, ranking in rankings:
                if rule.keep is not None and is_by_ranks(ranking):
                    yield from _check_kept_cards(rule.keep, ranking_name, ranking, (*place, "keep"))
                for at, category in enumerate((rule.set_ and rule.set_.complete) or ()):
                    if category not in ranking.list_names():
                        yield (*place, "set", "complete", at), f"{category} is not a category of {ranking_name}"


def _find_exchange_problems(
    regulation: Regulation, drawing: Drawing, hand: Hand, game: Game, here: DataPath
) -> Iterator[Problem]:
    """Yield problems with the hand of rules that keep cards."""
    if hand.from_ != [drawing.place]:
        yield (*here, "hand"), f"{drawing.hand} must be the {drawing.place}'s own cards and no others"
        return
    dealt = game.deal.cards.get(drawing.place, 0)
    for name, ranking in _list_rankings(regulation, game, drawing):
        if not is_by_ranks(ranking) or ranking.cards != dealt:
            message = f"{name} must rank hands of the {dealt} cards that the {drawing.place} is dealt, by ranks alone"
            yield (*here, "hand"), message
            return


def _find_setting_problems(regulation: Regulation, game: Game, drawing: Drawing, here: DataPath) -> Iterator[Problem]:
    """Yield problems with the hands of rules that set cards."""
    sizes = []
    for part in ("set-high", "set-low"):
        hands = [hand for hand in game.hands.values() if hand.cards == part and hand.from_ == [drawing.place]]
        if len(hands) != 1:
            yield here, f"the {drawing.place} needs one hand with `cards: {part}`, but has {len(hands) or 'none'}"
            return
        sizes.append(regulation.vocabulary.rankings[hands[0].rank_by].size_range()[0])
    dealt = game.deal.cards.get(drawing.place, 0)
    if sum(sizes) != dealt:
        yield here, f"the {drawing.place} is dealt {dealt} cards, but sets {sizes[0]} and {sizes[1]}"
    elif comb(dealt, sizes[1]) > MOST_SPLITS:
        yield here, f"{dealt} cards can be set in more than {MOST_SPLITS} ways, the most that rules decide"


def _list_rankings(regulation: Regulation, game: Game, drawing: Drawing) -> Iterator[tuple[str, AnyRanking]]:
    """Yield the rankings of the hand of some rules: of the dealt hand, or of the High Hand that is set."""
    hands = [hand for hand in game.hands.values() if hand.cards == "set-high" and hand.from_ == [drawing.place]]
    for hand in [game.hands[drawing.hand]] if drawing.hand is not None else hands:
        for name in hand.list_rankings():
            yield name, regulation.vocabulary.rankings[name]


def _check_kept_cards(keep: Keep, name: str, ranking: Ranking, here: DataPath) -> Iterator[Problem]:
    match keep:
        case KeepGroups() if max(keep.highest or 0, keep.lowest or 0) > ranking.cards:
            yield (*here, "lowest" if keep.lowest else "highest"), f"a hand has {ranking.cards} cards"
        case KeepDraw():
            if keep.toward not in ranking.list_names():
                yield (*here, "toward"), f"{keep.toward} is not a category of {name}"
            if keep.cards >= ranking.cards:
                yield (*here, "cards"), f"no card is drawn to {keep.cards} cards: a hand has {ranking.cards}"
            elif keep.completed_by is not None and keep.cards != ranking.cards - 1:
                yield (*here, "completed-by"), "applies only if one card is missing: it lists the ranks of that card"


def find_drawn_by_problems(game: Game, check: DrawnByCheck, here: DataPath) -> Iterator[Problem]:
    """Yield rules in a `drawn-by` check that its drawing does not have."""
    own = [rule.rule for rule in game.drawing[check.drawing].rules]
    for index, rule in enumerate(check.rules):
        if rule not in own:
            yield (*here, "rules", index), f"{rule} is no rule of {check.drawing}"
