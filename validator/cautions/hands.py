"""Warnings about hands of too many cards, duplicate hands, comparisons across rankings, and categories that no hand
reaches."""

from __future__ import annotations

from collections.abc import Iterator
from operator import le

from validator.cards.model import Category, Ranking, RankingsFile
from validator.cautions.caution import Caution
from validator.language.conditions import Condition
from validator.operators.hands import Compare
from validator.rules.core.regulation import Regulation
from validator.rules.core.visitor import walk
from validator.rules.model.game import Game
from validator.text.models.model import Closed


def hand_cautions(regulation: Regulation, game: Game) -> Iterator[Caution]:
    """Yield warnings about hands of more cards than their ranking counts, duplicate hands and unused cards."""
    seen: dict[str, str] = {}
    for name, hand in game.hands.items():
        full = hand.full(game.deal)
        available = sum(full[place] for place in hand.from_)
        ranking = regulation.vocabulary.rankings[hand.rank_by]
        ranked = ranking.cards if isinstance(ranking, Ranking) else available
        if hand.uses is None and hand.best_of is None and available > ranked:
            yield Caution(
                code="implicit-best-of",
                at=("hands", name),
                severity="warning",
                message=f"this hand is the best of {available} cards, but {hand.rank_by} ranks {ranked}",
                help=f"if that is meant, write `best-of: {available}`; otherwise state how many cards of each place "
                "it `uses`",
            )
        content = repr({key: value for key, value in hand if key != "title"})
        if content in seen:
            yield Caution(
                code="duplicate",
                at=("hands", name),
                severity="warning",
                message=f"the hands {seen[content]} and {name} consist of the same cards",
                help="state under `from` the places of each hand",
            )
        seen.setdefault(content, name)
    for place in game.deal.cards:
        if all(place not in hand.from_ for hand in game.hands.values()):
            yield Caution(
                code="unused",
                at=("hands",),
                severity="warning",
                message=f"cards are dealt to the place {place}, but no hand contains them",
                help=f"name {place} under `from` of the hands that contain it, or remove it from the deal",
            )
    dealt = sum(game.deal.cards.values())
    in_play = regulation.cards_in_play
    if dealt > in_play:
        yield Caution(
            code="too-many-cards",
            at=("deal", "stages"),
            message=f"one seat and the house are dealt {dealt} cards, but there are only {in_play} in play",
            help="compare `cards` of the stages and the `deck` with the text",
        )


def ranking_cautions(file: RankingsFile) -> Iterator[Caution]:
    """Yield warnings about categories that an earlier one fully includes, and about aces without a stated rank."""
    for name, ranking in file.rankings.items():
        if not isinstance(ranking, Ranking):
            continue
        for index, category in enumerate(ranking.categories):
            higher = next((earlier for earlier in ranking.categories[:index] if _includes(earlier, category)), None)
            if higher is not None:
                yield Caution(
                    code="unreachable",
                    at=("rankings", name, "categories", index),
                    message=f"no hand is a {category.category}: {higher.category} precedes it and includes them all",
                    help="list categories from the highest down, the more specific one first",
                )
        if ranking.ace in ("low", "high-and-low") and not any(category.consecutive for category in ranking.categories):
            yield Caution(
                code="redundant",
                at=("rankings", name, "ace"),
                severity="warning",
                message=f"`{ranking.ace}` is about aces in runs, but no category is a run: the ace is the highest card",
                help="write `always-low` if the ace is the lowest card, otherwise `high`",
            )


def _includes(higher: Category, lower: Category) -> bool:
    """Return whether every hand that fits a lower category also fits a higher one."""
    groups = len(higher.groups) <= len(lower.groups) and all(map(le, higher.groups, lower.groups))
    ranks = not higher.ranks or (
        bool(higher.groups) == bool(lower.groups) and {*lower.ranks} <= {*higher.ranks} and bool(lower.ranks)
    )
    return groups and ranks and higher.suited <= lower.suited and higher.consecutive <= lower.consecutive


def compared_alike(game: Game, model: Closed) -> Iterator[Caution]:
    """Yield warnings about comparisons of hands that are ranked by different rankings."""
    for path, part in walk(model, ()):
        if not (isinstance(part, Condition) and isinstance(part.operand, Compare)):
            continue
        first, second = game.hands[part.operand.hand], game.hands[part.operand.to]
        if first.rankings() != second.rankings():
            yield Caution(
                code="ranking-mismatch",
                at=(*path, part.operator),
                message=f"{part.operand.hand} is ranked by {first.rank_by}, {part.operand.to} by {second.rank_by}: "
                "the comparison has no meaning",
                help="rank both hands by the same ranking, under every reading",
            )
