"""What is known to be wrong in the two games of the Colorado texts; the lists only shrink."""

from __future__ import annotations

SECTION_38 = "s38"
CARIBBEAN = "caribbean-draw"

NOT_RECORDED = "a kind that the log does not record proves nothing"
STOPS = "what may follow after the record stops accuses nobody"
FREE = "the motions of a table are free"
OTHER_KIND = "another kind of the same requirement is not recorded"
FACE_UP = "a card found face up may be recorded as a fault and its remedy"

FAILURES: dict[str, dict[str, tuple[str, str]]] = {
    SECTION_38: {
        "s38-tip-below-the-minimum": ("ante-within-limits", "the text sets no limits for tips"),
        "s38-record-stops-within-the-ante": ("ante-within-limits", STOPS),
        "s38-record-stops-within-the-bet": ("bet-equals-ante", STOPS),
        "s38-record-stops-after-the-decision": ("bet-goes-with-the-decision", STOPS),
        "s38-device-shuffle-recorded-late": ("other-deck-in-the-shuffler", "a device's shuffle has a start and an end"),
        "s38-other-way-after-the-shoe-is-removed": ("dealt-as-submitted", "(o)(7) permits another way of dealing then"),
        "s38-other-way-in-a-void-round": ("void-round-dealt-as-submitted", "as before"),
        "s38-mistake-put-right": ("losers-then-pushes-then-winners", FREE),
        "s38-winner-s-stake-returned": ("losers-then-pushes-then-winners", FREE),
        "s38-faces-up-as-faults": ("no-void-without-a-cause", FACE_UP),
        "s38-face-up-as-a-fault": ("void-for-missing-cards-returns-all", FACE_UP),
        "s38-face-up-as-a-fault-played": ("void-declared", FACE_UP),
        "s38-face-up-as-a-fault-then-the-deck-goes-on": ("incomplete-deck-removed", FACE_UP),
        "s38-void-not-recorded": ("everybody-decides", NOT_RECORDED),
        "s38-void-not-recorded-counted": ("hands-racked", NOT_RECORDED),
        "s38-void-not-recorded-unseen": ("every-hand-shown", NOT_RECORDED),
        "s38-void-not-recorded-and-no-more-cards": ("community-cards-shown", NOT_RECORDED),
        "s38-face-up-as-a-fault-beside-a-wrong-declaration": ("void-when-its-cause-has-come", FACE_UP),
        "s38-face-up-as-a-fault-then-one-hand-void": ("one-hand-void-only-when-wrongly-declared", FACE_UP),
        "s38-cause-of-a-void-not-recorded": ("no-void-without-a-cause", NOT_RECORDED),
        "s38-shoe-jams-before-the-first-stack": ("no-void-without-a-cause", "(o)(6) speaks of the whole round"),
        "s38-two-cards-in-one-motion": ("dealt-in-turn", "the miscount that voids the round, (o)(3)"),
        "s38-deal-order-not-recorded": ("stacks-from-the-automated-shoe", NOT_RECORDED),
        "s38-void-round-among-the-five": ("stub-counted-every-five-rounds", "(a)(1)(viii) defines a round"),
        "s38-deck-unnamed-between-two": ("decks-alternate", "a record may leave its deck unnamed"),
        "s38-deck-of-another-table": ("one-deck-without-a-device", "tables are apart from each other"),
        "s38-taken-net-return-unrecorded": ("quarantined: taken", NOT_RECORDED),
        "s38-returned-collect-unrecorded": ("quarantined: given back", NOT_RECORDED),
    },
    CARIBBEAN: {
        "carib-verified-player-by-player": ("awards-before-discards-and-draw", FREE),
        "carib-miscount-at-the-draw": ("as-many-drawn-as-discarded", "clause 6 makes it a dead hand"),
        "carib-dealer-miscount-at-the-draw": ("dealer-filled-up", "clause 6 makes it a misdeal to the table"),
        "carib-misdeal-not-recorded": ("as-many-drawn-as-discarded", NOT_RECORDED),
        "carib-misdeal-to-the-table-not-recorded": ("dealer-filled-up", NOT_RECORDED),
        "carib-record-stops-before-the-misdeal": ("dealt-in-turn", STOPS),
        "carib-record-stops-within-the-ante": ("ante-within-limits", STOPS),
        "carib-record-stops-within-the-dealer-s-discard": ("dealer-draws-two", STOPS),
        "carib-record-stops-among-the-calls": ("bet-goes-with-the-call", STOPS),
        "carib-record-stops-within-the-bet": ("bet-is-twice-the-ante", STOPS),
        "carib-deck-of-another-table": ("one-deck-round-after-round", "tables are apart from each other"),
        "carib-taken-net-return-unrecorded": ("quarantined: taken", NOT_RECORDED),
    },
}
"""Reproduction of each kind, with a word of the finding and why the round is lawful."""

MISSES: dict[str, dict[str, str]] = {
    SECTION_38: {
        "no-shuffle-and-deals-unordered": OTHER_KIND,
        "no-more-bets-not-said-and-deals-unordered": OTHER_KIND,
        "decisions-counterclockwise-and-hands-not-shown": OTHER_KIND,
        "shoe-jams-and-payments-unrecorded": OTHER_KIND,
        "everybody-left-and-no-cards-spread": "departures of all players are not taken for an idle table",
        "summary-of-a-short-payment-beside-an-idle-seat": "a seat without stakes or cards leaves the round unjudged",
    },
    CARIBBEAN: {
        "no-shuffle-and-deals-unordered": OTHER_KIND,
        "slots-not-locked-and-deals-unordered": OTHER_KIND,
        "award-not-announced-and-hands-not-shown": OTHER_KIND,
        "declared-hand-not-shown-and-nothing-announced": OTHER_KIND,
        "settled-from-the-left-and-cards-not-racked": OTHER_KIND,
        "folded-cards-not-collected-and-payments-unrecorded": OTHER_KIND,
        "discards-not-racked-and-the-last-motion-unsaid": "whichever lot the motion takes, one was not racked in time",
        "meter-opens-lower-than-it-closed": "doubtful: readings between rounds are not compared",
    },
}
"""Names of violations that the product does not find."""
