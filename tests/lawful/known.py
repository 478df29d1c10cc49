"""Lists of what is known to be wrong: lawful rounds that fail, and violations that are missed. They only shrink.

A round that is listed lies in the folder `known`. A test fails as soon as the product has become right about an entry,
which is then to be removed.
"""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from tests.lawful.judge import Judgement, is_of_kind, judge

SHINE = "co-rule10-3card-shine"
FLUSHES = "co-rule10-flushes-gone-wild"
POKER = "poker-room"

NOT_RECORDED = "a kind that the log does not record proves no contradiction"
CAUSE = "a cause that the log does not record is not evidenced"
STOPS = "what may follow after the record stops accuses nobody"

FAILURES: dict[str, dict[str, tuple[str, str]]] = {
    SHINE: {
        "shine-record-stops-before-the-misdeal": ("dealt-in-turn", STOPS),
        "shine-record-stops-before-the-dealer-s-misdeal": ("dealt-in-turn", STOPS),
        "shine-record-stops-within-a-wager": ("within-posted-limits", STOPS),
        "shine-record-stops-before-the-arranging": ("dealer-arranges-the-hand", STOPS),
        "shine-arranged-card-by-card": ("dealer-arranges-the-hand", "a hand may be laid down card by card"),
        "shine-record-stops-among-decisions": ("play-only-when-staying", STOPS),
        "shine-record-stops-within-play": ("play-equals-ante", STOPS),
        "shine-returned-collect-unrecorded": ("quarantined: given back", NOT_RECORDED),
        "shine-taken-net-return-unrecorded": ("quarantined: taken", NOT_RECORDED),
        "shine-tip-bonus-outcomes-left-out": ("quarantined: a tip on", "bonuses left out are not 0 paid"),
        "shine-set-aside-remedy-unrecorded": ("quarantined: the cards of", NOT_RECORDED),
    },
    FLUSHES: {
        "fgw-locked-up-in-two-takes": ("hand-locked-up-once", "the motions in which cards are taken up are free"),
        "fgw-all-fold-envy-at-the-end": ("envy-at-the-end", "the dealer shows after the last fold was taken"),
        "fgw-all-fold-shown-several-seats": ("settlement-after-the-reveal", "as before"),
        "fgw-all-fold-reveal-unrecorded": ("settlement-after-the-reveal", "as before"),
        "fgw-all-fold-with-flush-rush-stops": ("settlement-after-the-reveal", "as before"),
        "fgw-record-stops-after-all-folded": ("decisions-before-the-reveal", STOPS),
        "fgw-record-stops-among-decisions": ("play-only-when-staying", STOPS),
        "fgw-record-stops-within-play-2": ("play-is-twice-the-ante", STOPS),
        "fgw-record-stops-within-the-blind": ("ante-and-blind", STOPS),
        "fgw-record-stops-before-the-misdeal": ("dealt-in-turn", STOPS),
        "fgw-royal-then-straight-flush": ("meter-reseeded", "10% of the seed may follow after the royal"),
        "fgw-returned-collect-unrecorded": ("quarantined: given back", NOT_RECORDED),
        "fgw-taken-net-return-unrecorded": ("quarantined: taken", NOT_RECORDED),
    },
    POKER: {
        "poker-chips-over-a-record-that-stops": ("chips-carried-over", STOPS),
        "poker-leaves-after-a-record-that-stops": ("who-leaves-takes-all-chips", STOPS),
        "poker-record-stops-within-the-first-cards": ("blinds-from-their-seats", STOPS),
        "poker-record-stops-before-the-deal": ("players-at-the-table", STOPS),
        "poker-newcomers-after-a-record-that-stops": ("buy-in-within-the-format", STOPS),
        "poker-record-stops-before-the-buy-in": ("buy-in-within-the-format", STOPS),
        "poker-record-stops-after-a-wrong-start": ("hole-cards-in-turn", STOPS),
        "poker-wrong-start-misdeal-unrecorded": ("hole-cards-in-turn", CAUSE),
        "poker-wrong-start-fault-unrecorded": ("hole-cards-in-turn", CAUSE),
        "poker-dead-round-misdeal-and-return-unrecorded": ("uncalled-bet-returned", CAUSE),
        "poker-unprotected-hand-collection-unrecorded": ("pots-to-the-winners", CAUSE),
        "poker-unprotected-hand-fault-unrecorded": ("in-turn", CAUSE),
        "poker-dead-round-after-an-unprotected-hand": (
            "no-redress-for-an-unprotected-hand",
            "a dead round returns all chips",
        ),
    },
}
"""Reproduction of each kind, with a word of the finding and why the round is lawful."""

MISSES: dict[str, dict[str, str]] = {
    SHINE: {},
    FLUSHES: {
        "wrong-community-cards-removed": "doubtful: the text does not say how the packet is spread",
    },
    POKER: {
        "no-shuffle-and-rounds-without-numbers": "docs/formats.md: missing where no record tells of it",
        "summary-winner-received-too-little": "more is missing than the posted rake and no chips are left",
    },
}
"""Names of violations that the product does not find."""

FOLDER = Path(__file__).parent / "known"


def is_known(line: str, game: str) -> bool:
    """Return whether a line of `Judgement.describe` is of a kind that is listed."""
    return any(is_of_kind(line, kind) for kind, _ in FAILURES[game].values())


def judge_known(name: str, profile: str | None = None) -> Judgement:
    """Return the judgement of a listed reproduction."""
    records = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    paths = sorted(FOLDER.glob(f"{name}*.yaml"))
    paths = [path for path in paths if path.name.removeprefix(name).count(".") <= 2 and path.name[len(name)] == "."]
    return judge(records, [yaml.safe_load(path.read_text(encoding="utf-8")) for path in paths], profile)
