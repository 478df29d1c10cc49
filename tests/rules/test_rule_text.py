"""Requirements in plain words: each is described completely, in the words of its own rule, with what breaks it."""

from __future__ import annotations

import json
import re

import pytest

from fairdeal import load_rulebook
from tests.facade.commands import run
from tests.facade.rules import (
    DESCRIBED_OPERATORS,
    Check,
    Regulation,
    find_failing_examples,
    list_documents,
    load_samples,
    rule_text,
)

RAW = re.compile(r"[{}]|\bNone\b|<[a-z_]+|\bSome\(|=\s?\[|validator\.")
"""Traces of Python or of a rule file that plain words must not contain."""


def regulation(document: str) -> Regulation:
    return load_rulebook().regulation(document)


@pytest.mark.parametrize("document", list_documents())
def test_every_requirement_is_told(document: str) -> None:
    """In sentences, with every clause and reading it names, and without a trace of how it is written down."""
    law = regulation(document)
    for requirement in law.requirements:
        told = rule_text(law, requirement)
        assert told.sentences, requirement.requirement
        assert not [
            sentence.text for sentence in told.sentences if "`" in sentence.text or "the reading " in sentence.text
        ]
        assert [clause.clause for clause in told.clauses] == requirement.clauses
        assert [reading.reading for reading in told.readings] == [law.qualify(name) for name in requirement.readings]
        for sentence in (*told.sentences, *(part for term in told.terms for part in term.meaning)):
            assert not RAW.search(sentence.text), (requirement.requirement, sentence.text)


@pytest.mark.parametrize("document", list_documents())
def test_every_fact_and_step_that_is_named_is_said(document: str) -> None:
    """A fact appears in words as its name, and the name is explained."""
    law = regulation(document)
    for requirement in law.requirements:
        told = rule_text(law, requirement)
        words = " ".join(sentence.text for sentence in told.sentences)
        asked = re.findall(r'"fact": ?"([^"]+)"', requirement.check.model_dump_json(by_alias=True))
        named = {
            question for question in asked if question.replace("-", " ") in words
        }  # readings have decided the others
        assert named <= {term.name for term in told.terms if term.kind == "fact"}


@pytest.mark.parametrize("document", list_documents())
def test_what_readings_have_decided_is_no_word(document: str) -> None:
    """The text omits conditions that are always fulfilled, and terms used only by them."""
    law = regulation(document)
    for requirement in law.requirements:
        told = rule_text(law, requirement)
        words = " ".join(
            sentence.text for sentence in (*told.sentences, *(part for term in told.terms for part in term.meaning))
        )
        assert "always, under the readings in use" not in words
        for term in told.terms:
            if term.kind == "fact":
                assert words.count(term.name.replace("-", " ")) > 1, (requirement.requirement, term.name)


@pytest.mark.parametrize(
    ("requirement", "readings"),
    [
        ("s38/face-up-card-not-used", "card-shown-at-a-place"),
        ("co-rule10-3card-shine/both-opening-wagers-offered", "which-wagers-are-optional"),
    ],
)
def test_what_is_not_asked_as_the_text_is_read_says_so_first(requirement: str, readings: str) -> None:
    assert words_of(requirement)[0] == f"Not required under the readings in use: see {readings}."


def test_settlement_tells_the_hand_and_what_has_no_row() -> None:
    words = words_of("co-rule10-3card-shine/ante-bonus-paid")
    assert any(word.startswith("pay table ante-bonus (the player's hand): straight flush 5 to 1") for word in words)
    assert "three aces: as three of a kind, under the readings in use" in words
    assert "a result without a row: nothing is paid" in words
    assert "a result without a row: the wager is lost" in words_of("co-rule10-3card-shine/super-6-by-table")


def test_cases_that_earlier_ones_leave_nothing_are_not_told() -> None:
    words = " ".join(words_of("co-rule10-flushes-gone-wild/hand-without-a-play-wager"))
    assert "case “without a play wager”," in words and "without a play wager returned" not in words


def test_every_check_is_put_into_words() -> None:
    """Also those that a shipped document happens not to use."""
    assert {*DESCRIBED_OPERATORS} == {name.replace("_", "-") for name in Check.model_fields}


def test_numbers_of_the_rule_stand_in_its_words() -> None:
    """Every number of a rule appears in its words, so that an officer can compare them with the clause."""
    law = regulation("s38")
    (table,) = [
        requirement for requirement in law.requirements if requirement.requirement == "cards-changed-every-eight-hours"
    ]
    assert "8 hours" in rule_text(law, table).sentences[0].text
    law = regulation("co-rule10-3card-shine")
    for requirement in law.requirements:
        if requirement.check.operator == "pay-tables":
            words = " ".join(sentence.text for sentence in rule_text(law, requirement).sentences)
            assert law.game is not None
            for name in requirement.check.operand.one_of:
                assert all(str(payout) in words for payout in law.game.pay_tables[name].rows.values())


def test_the_example_breaks_what_it_is_shown_for() -> None:
    law = regulation("co-rule10-3card-shine")
    samples = load_samples(law)
    found = find_failing_examples(law, law.requirements, samples)
    by_name = {sample.example.example: sample for sample in samples}
    for name, breach in found.items():
        assert name in [finding.requirement for finding in by_name[breach.example].example.findings]
        assert breach.expected and breach.observed
    broken = {finding.requirement for sample in samples for finding in sample.example.findings}
    assert {*found} == broken


def test_rules_show_tells_it_all() -> None:
    shown = run("rules", "show", "co-rule10-3card-shine/fold-loses-pair-xxx")
    assert shown.code == 0
    for head in ("Requirement", "Clauses", "How to produce a failure", "Source"):
        assert f"  {head}:\n" in shown.text
    (data,) = json.loads(run("rules", "show", "co-rule10-3card-shine/fold-loses-pair-xxx", "-o", "json").text)
    assert data["settled"] == {"cases": ["folded-pair"]}
    assert data["asks"][0]["text"].startswith("The amounts paid")
    assert data["broken-by"]["example"] in shown.text and data["stands"] in shown.text


def words_of(full: str) -> list[str]:
    """Return all sentences about a requirement and about the terms in it."""
    document, _, name = full.partition("/")
    law = regulation(document)
    told = rule_text(law, law.find_requirement(name))
    return [sentence.text for sentence in (*told.sentences, *(part for term in told.terms for part in term.meaning))]


@pytest.mark.parametrize(
    ("requirement", "said"),
    [
        (
            "poker-room/four-four-blinds-in-proportion",
            "each entry in “wagers” whose “wager” is small-blind: “min",
        ),
        (
            "s38/void-for-the-shoe-returns-all",
            "recorded as `fault`, of `shoe`, but not “the automated shoe",
        ),
        ("s38/void-for-the-shoe-returns-all", "“void for cards face up”: void for cards face up"),
        ("co-rule10-3card-shine/dealt-in-turn", "one at a time: 1 card to each player, then the dealer, 3 times"),
        ("co-rule10-flushes-gone-wild/dealt-in-turn", "5 cards in one packet or several to the community"),
        ("s38/winners-paid-permissible", "“five card”, best first: royal flush, straight flush, four of a kind"),
        (
            "co-rule10-3card-shine/wagers-stay-after-the-deal",
            "“a wager is taken back” comes only before the first time",
        ),
    ],
)
def test_nothing_is_left_out_that_a_rule_hangs_on(requirement: str, said: str) -> None:
    assert any(said in word for word in words_of(requirement))
