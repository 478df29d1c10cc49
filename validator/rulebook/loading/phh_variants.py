"""The game of the rulebook that each variant of the Poker Hand History format is."""

from __future__ import annotations

from collections.abc import Iterable

from validator.evidence.phh.terms import Exchanging, Terms, Variants
from validator.rules.core.regulation import Regulation
from validator.rules.model.game import Game
from validator.rules.model.histories import HistoryDecisions, PokerHandHistories
from validator.text.diagnostics import Diagnostic, InputError


def phh_variants(regulations: Iterable[Regulation]) -> Variants:
    """Return the terms of every variant of the Poker Hand History format that is a game of the regulations.

    Raises InputError if two games claim the same variant.
    """
    terms_by_variant: dict[str, Terms] = {}
    for regulation in regulations:
        game = regulation.game
        if game is None or game.histories.phh is None:
            continue
        terms = _build_terms(game, game.histories.phh)
        for variant in game.histories.phh.variants:
            other = terms_by_variant.setdefault(variant, terms)
            if other is not terms:
                message = f"the variant `{variant}` of hand histories is claimed by {other.game} and {terms.game}"
                raise InputError((Diagnostic(code="duplicate-variant", message=message),))
    return terms_by_variant


def _build_terms(game: Game, phh: PokerHandHistories) -> Terms:
    decisions = phh.decisions
    return Terms(
        game=game.game,
        antes=phh.antes,
        blinds=tuple(phh.blinds),
        straddle=phh.straddle,
        dead=phh.dead,
        bets=phh.bets,
        fold=decisions.fold,
        check=decisions.check,
        call=decisions.call,
        bet=decisions.bet,
        raise_=decisions.raise_,
        concede=decisions.concede,
        bring_in=decisions.bring_in,
        complete=decisions.complete,
        faces=tuple(game.deal.faces("player")),
        exchanging=_build_exchange_terms(game, decisions),
    )


def _build_exchange_terms(game: Game, decisions: HistoryDecisions) -> Exchanging | None:
    if not any("player" in (game.deal.stages[number].exchanges or ()) for number in game.deal.exchanging):
        return None
    return Exchanging(full=game.deal.cards["player"], discard=decisions.discard, stand_pat=decisions.stand_pat)
