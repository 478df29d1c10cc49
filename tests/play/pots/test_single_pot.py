"""Chips that surely form one pot do so by the division into pots as well."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from fairdeal.validator.engine.betting.betting_replay import replay_betting
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.pots.pot_shares import settle_pots
from fairdeal.validator.engine.pots.side_pots import has_single_pot_before
from fairdeal.validator.evidence.columns.round_batch import cut_before_event, select_rounds
from fairdeal.validator.evidence.jsonl.line_reader import decode_records
from fairdeal.validator.evidence.log_events import KIND_CODES
from tests.facade.rounds import CompiledGame, compile_game
from tests.facade.rules import load_regulation
from tests.lawful.poker_room import GAME, write


@cache
def game() -> CompiledGame:
    return compile_game(load_regulation(GAME))


@pytest.mark.parametrize("seed", [31, 32])
def test_what_surely_is_one_pot_is_divided_into_one(seed: int) -> None:
    records, _ = write(seed, 40)
    [batch], _ = decode_records(records, file="rounds.jsonl", games=[GAME])
    skipped = divided = 0
    for row in range(len(batch)):
        alone = select_rounds(batch, np.arange(len(batch)) == row)
        scope = EvaluationContext(alone, game(), None)
        replay, decisions = replay_betting(scope), np.flatnonzero(alone.events.kind == KIND_CODES["decide"])
        for event in decisions[3::3].tolist():
            players = int(replay.snapshots.players_in[replay.snapshot_index[event]])
            pots = settle_pots(EvaluationContext(cut_before_event(alone, event), game(), None))
            if has_single_pot_before(scope, event, players):
                assert not pots.is_known[0] or (len(pots.pots.amount) <= 1 and not pots.uncalled_bets.amount[0])
                skipped += 1
            else:
                divided += len(pots.pots.amount) > 1 or bool(pots.uncalled_bets.amount.any())
    assert min(skipped, divided) > 10
