"""Hands of too many cards, hands that are the same, comparisons across rankings, categories that nobody gets."""

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
    """A warning for every hand that is silently the best of more cards than its ranking counts, or another hand."""
    seen: dict[str, str] = {}
    for name, hand in game.hands.items():
        full = hand.full(game.deal)
        held = sum(full[place] for place in hand.from_)
        ranking = regulation.vocabulary.rankings[hand.rank_by]
        counts = ranking.cards if isinstance(ranking, Ranking) else held
        if hand.uses is None and hand.best_of is None and held > counts:
            yield Caution(
                code="best-of-more",
                at=("hands", name),
                severity="warning",
                message=f"this hand is the best of {held} cards, and {hand.rank_by} counts {counts}",
                help=f"if that is meant, say `best-of: {held}`; else say how many cards of each place it `uses`",
            )
        told = repr({key: value for key, value in hand if key != "title"})
        if told in seen:
            yield Caution(
                code="told-twice",
                at=("hands", name),
                severity="warning",
                message=f"the hands {seen[told]} and {name} are made of the same cards",
                help="say `from` which places each is made",
            )
        seen.setdefault(told, name)
    for place in game.deal.cards:
        if all(place not in hand.from_ for hand in game.hands.values()):
            yield Caution(
                code="unused",
                at=("hands",),
                severity="warning",
                message=f"cards are dealt to the place {place}, and no hand is made of them",
                help=f"name {place} under `from` of the hands that it counts for, or take it out of the deal",
            )
    dealt = sum(game.deal.cards.values())
    there = regulation.cards_in_play
    if dealt > there:
        yield Caution(
            code="too-many-cards",
            at=("deal", "stages"),
            message=f"one seat and the house are dealt {dealt} cards, and there are {there} in play",
            help="hold `cards` of the stages and the `deck` against the text",
        )


def ranking_cautions(file: RankingsFile) -> Iterator[Caution]:
    """Categories that no hand is of, as one before them takes all that would be; aces of which nothing is said."""
    for name, ranking in file.rankings.items():
        if not isinstance(ranking, Ranking):
            continue
        for index, category in enumerate(ranking.categories):
            higher = next((one for one in ranking.categories[:index] if _takes(one, category)), None)
            if higher is not None:
                yield Caution(
                    code="never-reached",
                    at=("rankings", name, "categories", index),
                    message=f"no hand is a {category.category}: {higher.category}, which stands before it, takes all",
                    help="list categories from the highest down, the one that asks for more before the other",
                )
        if ranking.ace in ("low", "high-and-low") and not any(one.consecutive for one in ranking.categories):
            yield Caution(
                code="says-nothing",
                at=("rankings", name, "ace"),
                severity="warning",
                message=f"`{ranking.ace}` is about aces in runs, and no category is a run: the ace is the highest card",
                help="say `always-low` where the ace is the lowest card, else `high`",
            )


def _takes(higher: Category, lower: Category) -> bool:
    """Whether every hand that fits a category fits another."""
    groups = len(higher.groups) <= len(lower.groups) and all(map(le, higher.groups, lower.groups))
    ranks = not higher.ranks or (
        bool(higher.groups) == bool(lower.groups) and {*lower.ranks} <= {*higher.ranks} and bool(lower.ranks)
    )
    return groups and ranks and higher.suited <= lower.suited and higher.consecutive <= lower.consecutive


def compared_alike(game: Game, model: Closed) -> Iterator[Caution]:
    """Hands that are held against each other are ranked by the same ranking."""
    for path, found in walk(model, ()):
        if not (isinstance(found, Condition) and isinstance(found.operand, Compare)):
            continue
        one, other = game.hands[found.operand.hand], game.hands[found.operand.to]
        if one.rankings() != other.rankings():
            yield Caution(
                code="ranked-differently",
                at=(*path, found.operator),
                message=f"{found.operand.hand} is ranked by {one.rank_by}, {found.operand.to} by {other.rank_by}: "
                "which is higher means nothing",
                help="rank both hands by one ranking, under every reading",
            )
