"""Operators on a submission: yes, no and unknown, with the place, the expected and the observed text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from fairdeal.validator.engine.core.house_terms import SubmissionView
from fairdeal.validator.evidence.submission_reader import collect_stated_values
from fairdeal.validator.operators.submission_operators import SUBMISSION_OPERATORS
from fairdeal.validator.operators.submission_value_operators import TextReads, is_same_text
from tests.facade.text import NO, UNKNOWN, YES

from .helpers import answer, condition, file_text, get_reasons, regulation

TWO_DECKS = "deck: {cards: standard-52, decks: 2, backs: [red, blue], cover-card: {colour: black}}"
AREAS = """layout:
  style: rules
  areas:
  - {wager: main, legend: " Main  WAGER"}
  - {for: discards, legend: Discards}
"""
WAGERS = "wagers: [{wager: main, minimum: 5, maximum: 5}, {wager: side, minimum: 6, maximum: 5}, {wager: tip}]"
TABLES = "pay-tables: [{pays: side, rows: [{hand: pair, odds: %s}]}]"
WAIVER = 'waivers: [{clause: "(1)", reason: r, by: b}]'
WORDED = "{every: pay-tables, must: {every: .rows, must: {at: .odds, worded: [to, win]}}}"
OFFERED = "{every: games-offered, must: {at: ., in-list: varieties}}"
LOWERED = "{at: earlier.payout-limit.amount, more-than: {at: payout-limit.amount}}"

POKER = """smallest-chip: 0.25
buy-in: {minimum: 20, maximum: 150, table-maximum: 300}
rake: {kind: increments, from: flop, posted: [signage], levels: [{pot: 10, takes: 1}, {pot: 20, takes: 1}]}
"""

CASES = [
    ("{at: deck.kept, at-least: 2}", "deck: {cards: standard-52, decks: 1, kept: 2}", YES, []),
    ("{at: buy-in.minimum, at-least: 20}", POKER, YES, []),
    ("{at: buy-in.table-maximum, more-than: {at: buy-in.maximum}}", POKER, YES, []),
    ("{at: smallest-chip, equals: 0.25}", POKER, YES, []),
    ("{at: rake.kind, equals: increments}", POKER, YES, []),
    ("{at: rake.from, equals: flop}", POKER, YES, []),
    ("{at: rake.posted, includes: signage}", POKER, YES, []),
    ("{every: rake.levels, must: {at: .takes, equals: 1}}", POKER, YES, []),
    ("{count: deck.backs, equals: 2}", TWO_DECKS, YES, []),
    (
        "{count: deck.backs, equals: 1}",
        TWO_DECKS,
        NO,
        [("deck/backs", "entries in “backs” of “deck”: 1", "2")],
    ),
    (
        "{count: deck.backs, equals: 2}",
        "",
        UNKNOWN,
        [("deck/backs", "entries in “backs” of “deck”: 2", "not stated")],
    ),
    ("{count: deck.backs, at-least: 2}", TWO_DECKS, YES, []),
    (
        "{count: deck.backs, at-least: 3}",
        TWO_DECKS,
        NO,
        [("deck/backs", "entries in “backs” of “deck”: at least 3", "2")],
    ),
    ("{count: deck.backs, at-most: 2}", TWO_DECKS, YES, []),
    (
        "{count: deck.backs, at-most: 1}",
        TWO_DECKS,
        NO,
        [("deck/backs", "entries in “backs” of “deck”: at most 1", "2")],
    ),
    ("{count: deck.backs, equals: {at: deck.decks}}", TWO_DECKS, YES, []),
    (
        "{count: deck.backs, equals: {at: deck.decks}}",
        "deck: {cards: standard-52, decks: 1, backs: [red, blue]}",
        NO,
        [("deck/backs", "entries in “backs” of “deck”: as many as “decks” of “deck” states, 1", "2")],
    ),
    (
        "{count: deck.backs, equals: {at: hands-per-player}}",
        TWO_DECKS,
        UNKNOWN,
        [("hands-per-player", "a number", "not stated")],
    ),
    (
        "{count: deck.backs, equals: {at: deck.cards}}",
        TWO_DECKS,
        NO,
        [("deck/backs", "entries in “backs” of “deck”: as many as “cards” of “deck” states, standard-52", "2")],
    ),
    # One wager does not state its minimum: of those with one of 550 or more there are one or two.
    ("{count: wagers, when: {at: .minimum, at-least: 5.50}, at-least: 1}", WAGERS, YES, []),
    (
        "{count: wagers, when: {at: .minimum, at-least: 5.50}, equals: 1}",
        WAGERS,
        UNKNOWN,
        [("wagers", "entries in “wagers” whose “minimum” is at least 5.50: 1", "1 to 2, as not all is stated")],
    ),
    (
        "{count: wagers, when: {at: .minimum, at-least: 5.50}, at-least: 3}",
        WAGERS,
        NO,
        [
            (
                "wagers",
                "entries in “wagers” whose “minimum” is at least 5.50: at least 3",
                "1 to 2, as not all is stated",
            )
        ],
    ),
    (
        "{every: wagers, must: {at: .minimum, at-most: {at: .maximum}}}",
        WAGERS,
        NO,
        [("wagers/1/minimum", "at most the “maximum”, 5.00", "6.00")],
    ),
    (
        "{some: wagers, when: {at: .minimum, more-than: {at: .maximum}}}",
        WAGERS,
        YES,
        [],
    ),
    (
        "{every: wagers, when: {given: .minimum}, must: {at: .minimum, more-than: {at: .maximum}}}",
        WAGERS,
        NO,
        [("wagers/0/minimum", "more than the “maximum”, 5.00", "5.00")],
    ),
    ("{at: deck.backs, includes: {at: deck.cover-card.colour}}", TWO_DECKS.replace("black", "red"), YES, []),
    (
        "{at: deck.backs, includes: {at: deck.cover-card.colour}}",
        TWO_DECKS,
        NO,
        [("deck/backs", "“backs” includes the “colour” of “cover card” of “deck”, black", "red, blue")],
    ),
    (
        "{at: deck.backs, includes: {at: deck.cover-card.colour}}",
        "deck: {cards: standard-52, decks: 1, backs: [red]}",
        UNKNOWN,
        [("deck/cover-card/colour", "a value", "not stated")],
    ),
    (
        "{not: {at: deck.backs, includes: {at: deck.cover-card.colour}}}",
        TWO_DECKS.replace("black", "blue"),
        NO,
        [("deck/backs", "“backs” of “deck” does not include the “colour” of “cover card” of “deck”", "red, blue")],
    ),
    (
        "{some: layout.areas, when: [{given: .wager}, {at: .legend, reads: main wager}]}",
        AREAS,
        YES,
        [],
    ),
    (
        "{every: layout.areas, must: {at: .legend, reads: Main Wager}}",
        AREAS,
        NO,
        [("layout/areas/1/legend", "“Main Wager”", "Discards")],
    ),
    ("{some: layout.areas, when: {at: .for, equals: discards}}", AREAS, YES, []),
    # An area for a wager is known to be for nothing else, and the other way round.
    (
        "{some: layout.areas, when: {at: .for, equals: community}}",
        AREAS,
        NO,
        [("layout/areas", "an entry in “areas” of “layout” whose “for” is community", "no such entry")],
    ),
    ("{count: layout.areas, when: {given: .wager}, equals: 1}", AREAS, YES, []),
    (
        "{every: layout.areas, must: {at: .wager, equals: main}}",
        AREAS,
        NO,
        [("layout/areas/1/wager", "main", "none")],
    ),
    ("{distinct: layout.areas, at: .wager}", AREAS + "  - {for: cards, legend: Cards}", YES, []),
    (
        "{distinct: wagers, at: .minimum}",
        WAGERS,
        UNKNOWN,
        [("wagers/2/minimum", "“minimum” differs between the entries in “wagers”", "not stated")],
    ),
    ("{distinct: wagers, at: .minimum}", "wagers: [{wager: tip}]", YES, []),
    (
        "{distinct: wagers, at: .maximum}",
        WAGERS,
        NO,
        [("wagers/1/maximum", "“maximum” differs between the entries in “wagers”", "500 again")],
    ),
    ("{count: waivers, when: {every: .clauses, must: {given: .}}, equals: 1}", WAIVER, YES, []),
    (WORDED, TABLES % "5 to 1", YES, []),
    (WORDED, TABLES % "win 5", YES, []),
    (WORDED, TABLES % "6 for 1", NO, [("pay-tables/0/rows/0/odds", "worded with “to” or with “win”", "6 for 1")]),
    (WORDED, TABLES % "'5:1'", NO, [("pay-tables/0/rows/0/odds", "worded with “to” or with “win”", "5:1")]),
    (WORDED.replace("win", "percentage"), TABLES % "10% of meter", YES, []),
    (
        WORDED.replace("to, win", "percentage"),
        TABLES % "5 to 1",
        NO,
        [("pay-tables/0/rows/0/odds", "worded as a percentage of a meter", "5 to 1")],
    ),
    (WORDED, TABLES % "push", NO, [("pay-tables/0/rows/0/odds", "worded with “to” or with “win”", "push")]),
    (
        WORDED,
        "",
        UNKNOWN,
        [
            (
                "pay-tables",
                "each entry in “pay tables”: each entry in “rows”: “odds” is worded with “to” or with “win”",
                "not stated",
            )
        ],
    ),
    (OFFERED, "games-offered: [two card stud, DRAW]", YES, []),
    (
        OFFERED,
        "games-offered: [Draw, Bridge]",
        NO,
        [("games-offered/1", "an entry of the list varieties", "Bridge")],
    ),
    ("{distinct: deck.backs, at: .}", TWO_DECKS, YES, []),
    (
        "{distinct: deck.backs, at: .}",
        TWO_DECKS.replace("blue", "red"),
        NO,
        [("deck/backs/1", "the entries in “backs” of “deck” all differ", "red again")],
    ),
    (
        "{distinct: deck.backs, at: .}",
        "",
        UNKNOWN,
        [("deck/backs", "the entries in “backs” of “deck” all differ", "not stated")],
    ),
    ("{some: notices, when: {at: .of, equals: payout-limit}}", "notices: [payout-limit]", YES, []),
    ("{some: notices, when: {given: .given}}", "notices: [{of: a, given: 2026-01-01, by: b}]", YES, []),
    ("{at: options.version, one-of: [one, two]}", "options: {version: two}", YES, []),
]


@pytest.mark.parametrize(("question", "text", "value", "reasons"), CASES)
def test_an_operator_answers(question: str, text: str, value: int, reasons: list[tuple[str, str, str]]) -> None:
    assert get_reasons(answer(question, text)) == (value, reasons)


@pytest.mark.parametrize(
    ("day", "value", "observed"),
    [
        ("2019-12-31", UNKNOWN, "Draw; the list is not in force on 2019-12-31"),
        ("2020-01-01", YES, None),
        ("2026-06-30", YES, None),
        ("2026-07-01", UNKNOWN, "Draw; the list is not in force on 2026-07-01"),
    ],
)
def test_a_list_counts_on_its_days(day: str, value: int, observed: str | None) -> None:
    found = get_reasons(answer(OFFERED, "games-offered: [Draw]", day=day))
    assert found == (value, [("games-offered/0", "an entry of the list varieties", observed)] if observed else [])


@pytest.mark.parametrize(
    ("earlier", "value", "reasons"),
    [
        ("payout-limit: {amount: 60000}", YES, []),
        (
            "payout-limit: {amount: 50000}",
            NO,
            [("earlier/payout-limit/amount", "more than the “amount” of “payout limit”, 50,000.00", "50,000.00")],
        ),
        (
            "deck: {cards: standard-52, decks: 1}",
            UNKNOWN,
            [("earlier/payout-limit/amount", "more than the “amount” of “payout limit”, 50,000.00", "not stated")],
        ),
        (
            None,
            UNKNOWN,
            [("earlier/payout-limit/amount", "more than the “amount” of “payout limit”, 50,000.00", "not stated")],
        ),
    ],
)
def test_a_condition_looks_into_the_submission_before(
    earlier: str | None, value: int, reasons: list[tuple[str, str, str]]
) -> None:
    assert get_reasons(answer(LOWERED, "payout-limit: {amount: 50000}", earlier=earlier)) == (value, reasons)


def test_whether_there_was_a_submission_before() -> None:
    assert get_reasons(answer("{given: earlier}", "", earlier=""))[0] == YES
    assert get_reasons(answer("{given: earlier}", ""))[0] == NO


def test_what_may_be_written_in_two_ways_is_stated_in_one() -> None:
    text = "notices: [payout-limit, {of: change, given: 2026-01-01}]\n" + TABLES % "'10 to 2'"
    assert collect_stated_values(file_text(text).submission) == {
        "submission": "spring",
        "licensee": {"name": "House"},
        "document": "rules",
        "effective": "2026-03-01",
        "notices": [{"of": "payout-limit"}, {"of": "change", "given": "2026-01-01"}],
        "pay-tables": [{"pays": "side", "rows": [{"hand": "pair", "odds": "5 to 1"}]}],
    }


def test_null_is_not_stated() -> None:
    assert "deck" not in collect_stated_values(file_text("deck: null").submission)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Ante", "ANTE", True),
        (" flush\trush ", "FlushRush", True),
        ("Straße", "STRASSE", True),
        ("\uff21nte", "Ante", True),  # a full-width letter
        ("Ante", "Antes", False),
        ("Ante", "\u0391nte", False),  # a Greek letter
        (7, "7", False),
        (None, "", False),
    ],
)
def test_letters_count_and_nothing_else(one: object, other: str, alike: bool) -> None:
    assert is_same_text(one, other) is alike


@pytest.mark.parametrize("printed", ["Pair Plus", "PAIR-PLUS", "pairplus"])
def test_a_name_of_two_words_is_printed_as_two_words(printed: str) -> None:
    assert TextReads().is_satisfied(printed, "pair-plus") and not TextReads().is_satisfied("Pair", "pair-plus")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
LISTS = frozenset({"one-of", "worded", "in-list"})


@given(st.sampled_from(list(SUBMISSION_OPERATORS.values)), VALUES, VALUES, st.lists(st.text(max_size=5), max_size=3))
@example("includes-value", None, "red", [])
@example("includes-value", "red", "red", [])
def test_values_of_any_kinds_can_be_held_against_each_other(
    operator: str, found: object, bound: object, words: list[str]
) -> None:
    against = words if operator in LISTS else str(bound) if operator == "reads" else bound
    assert SUBMISSION_OPERATORS.values[operator].is_satisfied(found, against) in (True, False)


def test_yes_is_not_one() -> None:
    assert not SUBMISSION_OPERATORS.values["equals"].is_satisfied(True, 1)
    assert not SUBMISSION_OPERATORS.values["one-of"].is_satisfied(True, [0, 1])
    assert not SUBMISSION_OPERATORS.values["at-least"].is_satisfied(True, 1)
    assert not SUBMISSION_OPERATORS.values["includes"].is_satisfied([True], 1)


@given(st.text(alphabet=".ab", max_size=6))
def test_any_path_leads_somewhere_or_nowhere(path: str) -> None:
    view = SubmissionView(data={"a": [{"b": 1}]}, regulation=regulation(), day=file_text("").submission.effective)
    for place in (view, *(view.list_entries(("a",)) or ())):
        place.find_value(place.resolve_path(path))


@given(
    st.sampled_from(["equals", "at-least", "at-most"]),
    st.integers(0, 4),
    st.lists(st.sampled_from([None, 1, 9]), max_size=4),
)
def test_a_count_is_known_where_every_completion_agrees(operator: str, bound: int, minima: list[int | None]) -> None:
    """A missing value may be either way: if all ways agree, they are the answer; otherwise it is unknown."""
    question = condition(f"{{count: wagers, when: {{at: .minimum, at-least: 0.05}}, {operator}: {bound}}}")
    base = SubmissionView(data={}, regulation=regulation(), day=file_text("").submission.effective)

    def count_in(values: list[int | None]) -> int:
        wagers = [{"wager": "w"} if value is None else {"wager": "w", "minimum": value} for value in values]
        return SUBMISSION_OPERATORS.answer(question, replace(base, data={"wagers": wagers})).value

    completions: list[list[int | None]] = [[]]
    for value in minima:
        completions = [
            [*completion, each] for completion in completions for each in ([1, 9] if value is None else [value])
        ]
    values = {count_in(completion) for completion in completions}
    assert count_in(minima) == (values.pop() if len(values) == 1 else UNKNOWN)
