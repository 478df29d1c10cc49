"""A warning about a place in a rule file: code, message, remedy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from fairdeal.validator.text.positioned_document import DataPath


class RuleWarning(Struct, frozen=True, kw_only=True):
    """A statement in a rule file that cannot be meant (error) or is seldom meant (warning)."""

    code: str
    """Kind of the problem, such as `unused`."""
    path: DataPath
    """Place in the file that the message is about."""
    message: str
    """The problem in one sentence, for the author of the file."""
    help: str
    """Remedy for the author."""
    severity: Literal["error", "warning"] = "error"
    """"error" if the statement cannot be meant, "warning" if it may be."""
    at_key: bool = False
    """True if the message is about the key at the place, not its value."""


RENAMED_CODES: Mapping[str, str] = {
    "asked-by-nobody": "unenforced",
    "asks-nothing": "no-effect",
    "best-of-more": "implicit-best-of",
    "broken-in-play": "fails-in-simulation",
    "changes-something": "reading-has-effect",
    "claimed-twice": "duplicate-variant",
    "half-said": "incomplete-pair",
    "house-breaks-rules": "house-not-compliant",
    "left-out": "missing-entry",
    "listed-twice": "duplicate-entry",
    "model-and-schema": "schema-violation",
    "never-broken": "cannot-fail",
    "never-fulfilled": "cannot-pass",
    "never-planted": "ineffective-fault",
    "never-played": "never-simulated",
    "never-reached": "unreachable",
    "never-read": "unused-payout",
    "never-seen": "hidden-cards",
    "never-shown": "never-revealed",
    "no-event": "impossible-event",
    "no-limits": "limits-not-stated",
    "no-sense": "semantic-error",
    "no-word": "underspecified-event",
    "not-read-back": "simulation-rejected",
    "of-itself": "self-reference",
    "one-number": "equal-bounds",
    "open-to-more": "open-to-too-many",
    "other-clause": "clause-mismatch",
    "other-deck": "deck-mismatch",
    "other-face": "face-mismatch",
    "other-lines": "line-mismatch",
    "other-multiple": "multiple-mismatch",
    "other-number": "number-mismatch",
    "other-order": "order-mismatch",
    "other-side": "direction-mismatch",
    "other-table": "pay-table-mismatch",
    "other-unit": "unit-mismatch",
    "other-wording": "wording-mismatch",
    "pays-less": "decreasing-payout",
    "players-win": "negative-house-advantage",
    "ranked-differently": "ranking-mismatch",
    "said-twice": "duplicate-statement",
    "says-nothing": "redundant",
    "told-twice": "duplicate",
    "turned-round": "reversed",
    "unwritten": "placeholder-text",
}
"""Codes of `rules check` in version 0.1.0 with their present names, for scripts; kept until version 0.3.0."""
