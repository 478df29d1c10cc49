"""Every requirement has a remedy: written by its author, or derived from its check."""

from __future__ import annotations

import pytest

from tests.facade.rules import Rulebook, list_documents, suggest_remedy


@pytest.mark.parametrize("document", list_documents())
def test_every_requirement_has_a_remedy(document: str) -> None:
    law = Rulebook().regulation(document)
    for requirement in law.requirements:
        remedy = suggest_remedy(law, requirement)
        assert remedy.endswith(".") and "`" not in remedy, requirement.requirement
        assert requirement.remedy in (None, remedy)


@pytest.mark.parametrize(
    ("requirement", "remedy"),
    [
        (
            "poker-room/small-before-big",
            "Keep this order: the big blind is posted, only after the small blind is posted.",
        ),
        ("poker-room/shuffled-and-cut", "Ensure this before the hole cards are dealt: the deck is cut."),
        ("s38/bet-equals-ante", "Correct the amount."),
        ("s38/bonus-table-required", "Post the printed pay table for Bonus, and submit it."),
        ("s38/decks-alternate", "Continue with another deck than in the previous round."),
    ],
)
def test_a_remedy_is_made_from_what_is_asked(requirement: str, remedy: str) -> None:
    document, _, name = requirement.partition("/")
    law = Rulebook().regulation(document)
    asked = law.find_requirement(name).model_copy(update={"remedy": None})
    assert suggest_remedy(law, asked) == remedy
