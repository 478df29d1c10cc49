"""Two hands that share a board, counted by boards and pairs: the same as by ranking every deal."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairdeal.validator.odds.board_hands import PAIRS
from fairdeal.validator.odds.choosing import board_decisions, staged_decisions
from fairdeal.validator.odds.deal_settlement import Solution
from tests.facade.commands import run
from tests.odds.plain import three_cards
from tests.odds.rulebooks import rulebook

ONE_CARD = {
    "community: 2}\n": "community: 1}\n",
    "{to: [community], each: 2}": "{to: [community], each: 1}",
    "[player, community], best-of: 4": "[player, community], best-of: 3",
    "[dealer, community], best-of: 4": "[dealer, community], best-of: 3",
    "  last-card: {title: the last card is turned up, event: reveal, place: community}\n": "",
    "  second: {title: a player raises or checks again, event: decide, decisions: [raise-2, check-again], "
    "turn: second}\n": "",
    "  second-raise: {title: the raise is placed, event: wager, of: [raise], turn: second}\n": "",
}


def count_odds(folder: Path) -> dict[str, Any]:
    (row,) = run("odds", "board-duel", "--rules", folder, "--wager", "ante", "-o", "json").results["wagers"]
    return dict(row)


def test_boards_give_the_figures_of_single_deals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = rulebook(tmp_path, "board-duel", ONE_CARD)
    by_deal = count_odds(folder)
    monkeypatch.setattr(staged_decisions, "_MOST_DEALS", 1)
    by_board = count_odds(folder)
    assert by_deal["exact"] and by_deal["deals"] == 1_326 * 50 * 1_176
    for key in ("house-advantage", "element-of-risk", "standard-deviation", "deals", "outcomes", "never"):
        assert by_board[key] == by_deal[key]
    sums = [
        [(part.get("after", []), part["decision"], part["hands"], part["of"]) for part in row["strategy"]]
        for row in (by_board, by_deal)
    ]
    assert sums[0] == sums[1]


def rank_best(cards: Any) -> Any:
    """Return the best three of each row of four cards, as a number that orders them."""
    best = np.zeros(len(cards), np.int64)
    for columns in combinations(range(4), 3):
        category, order = three_cards(cards[:, columns])
        best = np.maximum(best, np.where(category == 6, order - 20_000, order))  # aces are three of a kind like others
    return best


def test_a_pair_is_worth_what_its_deals_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every board and every hand of the dealer, against the four and five of one suit, in half Antes."""
    own = (8, 12)
    rest = [card for card in range(52) if card not in own]
    boards = np.array([*combinations(rest, 2)])
    others = np.array([*combinations(range(48), 2)])
    left = np.array([[card for card in rest if card not in board] for board in boards.tolist()])
    dealers = left[:, others].reshape(-1, 2)
    mine = np.repeat(rank_best(np.concatenate([np.tile(own, (len(boards), 1)), boards], axis=1)), len(others))
    theirs = rank_best(np.concatenate([dealers, np.repeat(boards, len(others), axis=0)], axis=1))
    sign = np.sign(mine - theirs)
    ante = np.where((sign > 0) & (mine >= 30_000), 3, 2 * sign)
    raise_ = np.where(theirs >= 10_000, 2 * sign, 0)
    by_board = [(ante + units * raise_).reshape(len(boards), -1).sum(axis=1) for units in (1, 2, 3)]
    last = np.maximum(by_board[0], -2 * len(others))
    of_first = [(boards == card).any(axis=1) for card in rest]
    waiting = sum(max(int(last[rows].sum()), int(by_board[1][rows].sum())) for rows in of_first)
    expected = max(waiting, 2 * int(by_board[2].sum()))  # each board is turned up in two orders

    kept: list[board_decisions.BoardDecisions] = []
    solve = board_decisions.BoardDecisions.solve

    def keep(decisions: board_decisions.BoardDecisions) -> Solution:
        kept.append(decisions)
        return solve(decisions)

    monkeypatch.setattr(board_decisions.BoardDecisions, "solve", keep)
    row = count_odds(rulebook(tmp_path, "board-duel"))
    assert row["exact"] and row["deals"] == 1_326 * 50 * 49 * 1_128
    (decisions,) = kept
    worth = decisions._worths[0, ()].net[PAIRS.tolist().index([*own])]
    assert int(worth) * 2 == expected * decisions.denominator * 100
