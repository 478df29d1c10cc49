"""Conditions on claims, the submission, evidence and events: yes, no and unknown."""

from __future__ import annotations

import pytest

from fairdeal.validator.engine.item_evidence import ItemEvidence
from fairdeal.validator.operators.rule_renderer import describe_unmet, list_evidence
from tests.facade.text import InputError
from tests.play.table import Data, answers, describe, event, judge, room, round_of


def side(**more: Data | bool) -> Data:
    return {"wagers": [{"wager": "side", "amount": 100, **more}, {"wager": "main", "amount": 100}]}


def test_a_win_is_claimed_by_the_summary_or_by_an_event() -> None:
    claim = event("claim", 1, wager="side")
    records = [
        round_of(side(claimed=True), side(claimed=False), side(), number=1),
        round_of(side(), side(), events=[claim], number=2),
        round_of(side(), events=[], unrecorded=["claim"], number=3),
        round_of(side(), {}, events=[event("claim", 1, wager="main")], number=4),
    ]
    wanted = ["yes", "no", "unknown", "yes", "no", "unknown", "no", "no"]
    assert answers({"claimed": "side"}, records) == wanted
    this = answers({"claimed": "this"}, records, "stake")
    assert this == [
        "yes",
        "unknown",
        "no",
        "unknown",
        "unknown",
        "unknown",
        *["yes", "no", "no", "no"],
        *["unknown"] * 2,
        "no",
        "yes",
        "no",
    ]


def test_what_is_submitted_is_asked_of_every_round_alike() -> None:
    two = {"submitted": {"at": "deck.decks", "equals": 2}}
    records = [round_of({}, {}), round_of({}, number=2)]
    decks = {"deck": {"cards": "standard-52", "decks": 2}}
    assert answers(two, records, "round", submission=decks) == ["yes", "yes"]
    assert answers(two, records, submission={"deck": {"cards": "standard-52", "decks": 1}}) == ["no"] * 3
    assert answers(two, records, submission={}) == ["unknown"] * 3
    assert answers(two, records) == ["unknown"] * 3
    given = {"submitted": {"not": {"given": "deck"}}}
    assert answers(given, records, submission={}) == ["yes"] * 3
    assert answers(given, records) == ["unknown"] * 3  # without a submission nothing is known of it


def test_items_and_options_of_the_submission() -> None:
    some = {"some": "wagers", "when": {"at": ".wager", "equals": "side"}}
    version = {"at": "options.version", "equals": "second"}
    submission = {"wagers": [{"wager": "side"}], "options": {"version": "first"}}
    assert answers({"submitted": some}, [round_of({})], "round", submission=submission) == ["yes"]
    assert answers({"submitted": version}, [round_of({})], "round", submission=submission) == ["no"]


def test_what_is_submitted_in_words() -> None:
    two = {"submitted": {"at": "deck.decks", "equals": 2}}
    decks = {"deck": {"cards": "standard-52", "decks": 1}}
    expected = "as submitted, “decks” of “deck” is 2"
    assert describe(two, [round_of({})], 0, submission=decks) == (expected, "as submitted, “decks” of “deck”: 1")
    assert describe(two, [round_of({})], 0, submission={}) == (expected, "as submitted, “decks” of “deck”: not stated")
    assert describe(two, [round_of({})], 0) == (expected, "no submission is in force")
    assert describe({"not": two}, [round_of({})], 0, submission={"deck": {"cards": "x", "decks": 2}}) == (
        f"not ({expected})",
        expected,
    )


def test_what_is_not_evident_is_no() -> None:
    cut = {"events": "cut", "at-least": 1}
    records = [
        round_of({}, events=[event("cut")], number=1),
        round_of({}, events=[], number=2),
        round_of({}, number=3),
    ]
    assert answers(cut, records, "round") == ["yes", "no", "unknown"]
    assert answers({"evident": cut}, records, "round") == ["yes", "no", "no"]
    assert answers({"not": {"evident": cut}}, records, "round") == ["no", "yes", "yes"]


def test_what_is_evident_in_words() -> None:
    staked = {"evident": {"claimed": "side"}}
    records = [round_of(side(claimed=True), side(claimed=False))]
    assert describe(staked, records, 1) == ("a win declared on Side", "a win declared on Side: no")
    assert describe({"not": staked}, records, 0) == ("no win declared on Side", "a win declared on Side: yes")


@pytest.mark.parametrize(
    ("bound", "words"),
    [
        ("equals", "other than 2"),
        ("differs-from", "2"),
        ("at-least", "less than 2"),
        ("at-most", "more than 2"),
        ("more-than", "at most 2"),
        ("less-than", "at least 2"),
    ],
)
def test_the_opposite_of_a_comparison_in_words(bound: str, words: str) -> None:
    cards: Data = {"cards": "player", bound: 2}
    opposite, _ = describe({"not": cards}, [round_of({})], 0)
    assert opposite == f"the player's number of cards must be {words}"


@pytest.mark.parametrize(
    ("bound", "words"),
    [
        ({"at-least": 1}, "cut"),
        ({"more-than": 0}, "cut"),
        ({"at-least": 0}, "the record states how often cut"),
        ({"equals": 0}, "it never happens that cut"),
        ({"at-most": 1}, "cut, at most once"),
        ({"equals": 2}, "cut, exactly 2 times"),
        ({"at-least": 3}, "cut, at least 3 times"),
    ],
)
def test_how_often_something_must_happen_in_words(bound: Data, words: str) -> None:
    asked: Data = {"events": "cut", **bound}
    assert describe(asked, [round_of({}, events=[event("cut")])], 0, "round") == (words, "cut: once")


def test_what_must_hold_is_never_taken_for_granted() -> None:
    cut = {"events": "cut", "at-least": 1}
    rule = {"each": "round", "when": {"evident": cut}, "must": {"not": {"evident": cut}}}
    with pytest.raises(InputError, match="would turn missing evidence into a failure") as caught:
        room(checks=[rule])
    assert len(caught.value.diagnostics) == 1


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ({"positions": [4, 1]}, ["yes", "no", "unknown", "unknown"]),
        ({"positions": [1, 1, 4]}, ["yes", "no", "unknown", "unknown"]),
        ({"place": "community"}, ["yes", "no", "unknown", "unknown"]),
        ({"place": "deck"}, ["no", "no", "unknown", "unknown"]),
        ({"in": ["chips", "cash"]}, ["unknown", "unknown", "yes", "unknown"]),
        ({"in": ["words"]}, ["unknown", "unknown", "no", "unknown"]),
        ({"number": 12}, ["unknown", "unknown", "no", "yes"]),
        ({"by": "supervisor"}, ["unknown", "unknown", "unknown", "no"]),
    ],
)
def test_what_an_event_shows(asked: Data, wanted: list[str]) -> None:
    events = [
        event("discard", place="community", positions="14"),
        event("discard", 1, positions="2"),
        event("wager", 1, wager="main", amount=100, **{"in": "chips"}),
        event("cut", number=12, by="player"),
    ]
    assert answers({"event": asked}, [round_of({}, events=events)], "event") == wanted


def test_what_an_event_shows_in_words() -> None:
    asked = {"positions": [4, 1], "in": ["chips", "cash"], "place": "community", "number": 3}
    events = [
        event("discard", place="community", positions="25"),
        event("wager", 1, wager="main", amount=100, **{"in": "cash"}),
        event("cut", number=12),
    ]
    records = [round_of({}, events=events)]
    expected = "only cards 1 and 4 from the dealer's left in chips or cash at the community the number 3"
    unread = "positions of the cards: not recorded means: not recorded"
    assert describe({"event": asked}, records, 0, "event") == (
        expected,
        "cards 2 and 5 from the dealer's left means: not recorded at the community no number stated",
    )
    assert describe({"event": asked}, records, 1, "event") == (
        expected,
        "positions of the cards: not recorded in cash the number 100",
    )
    assert describe({"event": asked}, records, 2, "event") == (expected, f"{unread} the number 12")


@pytest.mark.parametrize(
    ("game", "problem"),
    [
        ({"facts": {"x": {"seats": {"is-tip": True}, "equals": 1}}}, "applies to each stake"),
        (
            {"facts": {"x": {"total": {"amount": "this"}, "when": {"placed": "main"}, "equals": 1}}},
            "applies to each stake",
        ),
        (
            {"facts": {"x": {"total": {"amount": "main"}, "when": {"event": {}}, "equals": 1}}},
            "applies to each event",
        ),
        (
            {"facts": {"x": {"meter": {"somehow": "seed"}, "equals": 1}}},
            "there is no meter `somehow`",
        ),
        ({"facts": {"x": {"dealt-as": "somehow"}}}, "there is no way `somehow`"),
        ({"facts": {"x": {"counted": "somehow", "equals": 1}}}, "there is no step `somehow`"),
        ({"facts": {"x": {"length": "somehow", "equals": 1}}}, "there is no hand `somehow`"),
    ],
)
def test_what_cannot_be_asked_is_refused(game: Data, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        room(**game)


def test_events_without_their_step_and_seats_in_a_round_are_told_the_remedy() -> None:
    with pytest.raises(InputError, match="`each: event` requires `of`: the name of the step"):
        room(checks=[{"each": "event", "must": {"event": {"by": "dealer"}}}])
    with pytest.raises(InputError) as refused:
        room(checks=[{"each": "round", "must": {"placed": "main"}}])
    assert "inside `some-seat` or `every-seat`" in (refused.value.diagnostics[0].help or "")


def test_quantities_of_all_seats_are_asked_of_the_round() -> None:
    rule: Data = {"each": "round", "must": {"amount": "main", "equals": 1}}
    with pytest.raises(InputError, match="applies to each seat, but is used for each round"):
        room(checks=[rule])
    rule["must"] = {"total": {"amount": "main"}, "when": {"placed": "main"}, "equals": 1}
    assert room(checks=[rule])


@pytest.mark.parametrize(
    ("when", "summed_up"),
    [
        (None, "not-evidenced"),
        ({"reading": {"left-or-right": "left"}}, "not-evidenced"),
        ({"reading": {"left-or-right": "right"}}, "not-applicable"),
        ({"event": {"number": 3}}, "not-evidenced"),
        ("turned", "not-applicable"),
        ({"not": {"any": [{"not": "turned"}, {"event": {"number": 3}}]}}, "not-applicable"),
        ({"any": ["turned", {"event": {"number": 3}}]}, "not-evidenced"),
        ({"not": "turned"}, "not-evidenced"),
    ],
)
def test_nothing_is_asked_of_events_that_are_not_recorded_where_a_round_rules_it_out(
    when: Data | None, summed_up: str
) -> None:
    turned = {"reading": {"left-or-right": "right"}}
    asked = {"each": "event", "of": "stub-count", "must": {"event": {"by": "dealer"}}}
    check = asked if when is None else {**asked, "when": when}
    records = [round_of({}), round_of({}, number=2, events=[])]
    assert judge(check, records, facts={"turned": turned})[0] == [summed_up, "not-applicable"]


def test_a_fact_about_seats_shows_them_as_the_condition_does() -> None:
    """A condition on every seat shows the seats that fail it; one on some seat says that there is none."""
    tipped = {"tipped": "main"}
    every, some = {"every-seat": {"placed": "side"}}, {"some-seat": tipped}
    place = room(facts={"all-in-side": every, "named": "all-in-side", "nobody": some})
    scope, facts = place.scope([round_of({}, {})], None), place.prepared.game.facts
    item = ItemEvidence(scope, "round", 0)
    seats = ["seat 1: a wager on Side: no", "seat 2: a wager on Side: no"]
    assert list_evidence(item, facts["all-in-side"]) == list_evidence(item, facts["named"]) == seats
    assert list_evidence(item, facts["nobody"]) == ["no such seat"]
    assert describe_unmet(item, facts["named"]) == "all in side"
    assert describe_unmet(item, facts["all-in-side"]) == "at every seat: a wager on Side"
