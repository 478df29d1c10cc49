"""Which game of the rulebook each variant of a format of hand histories is."""

from __future__ import annotations

from collections.abc import Iterable

from validator.evidence.phh.terms import Exchanging, Terms, Variants
from validator.rules.core.regulation import Regulation
from validator.rules.model.game import Game
from validator.rules.model.histories import HistoryDecisions, PokerHandHistories
from validator.text.diagnostics import Diagnostic, InputError


def phh_variants(regulations: Iterable[Regulation]) -> Variants:
    """The terms of every variant of the Poker Hand History format that is a game of these regulations.

    Raises InputError where two games have the same variant.
    """
    found: dict[str, Terms] = {}
    for regulation in regulations:
        game = regulation.game
        if game is None or game.histories.phh is None:
            continue
        terms = _terms(game, game.histories.phh)
        for variant in game.histories.phh.variants:
            other = found.setdefault(variant, terms)
            if other is not terms:
                message = f"the variant `{variant}` of hand histories is claimed by {other.game} and {terms.game}"
                raise InputError((Diagnostic(code="duplicate-variant", message=message),))
    return found


def _terms(game: Game, phh: PokerHandHistories) -> Terms:
    said = phh.decisions
    return Terms(
        game=game.game,
        antes=phh.antes,
        blinds=tuple(phh.blinds),
        straddle=phh.straddle,
        dead=phh.dead,
        bets=phh.bets,
        fold=said.fold,
        check=said.check,
        call=said.call,
        bet=said.bet,
        raise_=said.raise_,
        concede=said.concede,
        bring_in=said.bring_in,
        complete=said.complete,
        faces=tuple(game.deal.faces("player")),
        exchanging=_exchanging(game, said),
    )


def _exchanging(game: Game, said: HistoryDecisions) -> Exchanging | None:
    if not any("player" in (game.deal.stages[number].exchanges or ()) for number in game.deal.exchanging):
        return None
    return Exchanging(full=game.deal.cards["player"], discard=said.discard, stand_pat=said.stand_pat)
