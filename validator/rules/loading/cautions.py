"""What rule files may well mean, and most often do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from validator.cards.model import Ranking
from validator.rules.core.regulation import Regulation
from validator.rules.loading.load import RuleFile
from validator.rules.model.game import Game
from validator.text.diagnostics import Diagnostic


def cautions(regulation: Regulation, files: Sequence[RuleFile]) -> Iterator[Diagnostic]:
    """A warning for every hand that is the best of more cards than its ranking counts and does not say so. The files
    are those the regulation was made of."""
    for file in files:
        if not isinstance(file.model, Game):
            continue
        for name, hand in file.model.hands.items():
            full = hand.full(file.model.deal)
            held = sum(full[place] for place in hand.from_)
            ranking = regulation.vocabulary.rankings[hand.rank_by]
            if not isinstance(ranking, Ranking) or hand.uses is not None or hand.best_of is not None:
                continue
            if held > ranking.cards:
                message = f"this hand is the best of {held} cards, and {hand.rank_by} counts {ranking.cards}"
                told = file.tree.diagnostic(("hands", name), "best-of-more", message)
                help_ = f"if that is meant, say `best-of: {held}`; else say how many cards of each place it `uses`"
                yield replace(told, severity="warning", help=help_)
