"""Signs stated as data: how they are read, and what their words leave open."""

from __future__ import annotations

import pytest

from fairdeal.validator.audit.submissions.posted_odds import check_signs
from fairdeal.validator.audit.submissions.submission_summary import build_layout, describe_sign
from fairdeal.validator.rulebook.submission_places import find_place_problems
from tests.facade.rules import Rulebook, SignsCheck
from tests.facade.submissions import FiledSubmission, Sign, evaluate_submission, file_submission
from tests.facade.text import NO, UNKNOWN, YES, InputError, decode_source

from .helpers import requirement

RULEBOOK = Rulebook()
SHINE = """submission: spring
licensee: {name: House}
document: co-rule10-3card-shine
effective: 2026-01-01
wagers:
- {wager: ante, minimum: 5, maximum: 100}
- {wager: play, minimum: 5, maximum: 200}
- {wager: super-6, minimum: 1, maximum: 1200}
layout:
  style: co-rule10-3card-shine
  signage: [%s]
"""


def house(signs: str) -> FiledSubmission:
    return file_submission(decode_source("house.yaml", (SHINE % signs).encode()), RULEBOOK)[0]


def limits(signs: str) -> tuple[int, bool]:
    """Return the answer for the limits on signs, and whether the check was vacuous."""
    game = RULEBOOK.regulation("co-rule10-3card-shine").game
    check = SignsCheck.model_validate({"show": "limits", "of": ["ante", "play", "super-6"]})
    found = check_signs(game, house(signs).submission, check)
    return found.value, found.is_vacuous


@pytest.mark.parametrize(
    "words",
    [
        "Ante from 10 to 500",
        "ANTE: $10 - $500",
        "ante   $10.00 –  $500.00",  # noqa: RUF001 - as signs have it
        "Minimum ante 10, maximum 500",
        "Ante min. $5.00 max. $500",
        "Super 6: 5 to 100",
        "super 6 bonus 1 to 1,500.00",
        "Ante 100 to 5,000",
    ],
)
def test_words_that_seem_to_name_other_limits_are_left_open(words: str) -> None:
    assert limits(f"'{words}'") == (UNKNOWN, False)


@pytest.mark.parametrize("words", ["Ante 5 to 100", "Ante $5.00–$100.00", "Super 6 Bonus 1 to 1,200"])  # noqa: RUF001
def test_words_that_name_the_limits_comply(words: str) -> None:
    assert limits(f"'{words}'") == (YES, False)


@pytest.mark.parametrize(
    "words",
    [
        "Welcome",
        "From 10 to 500",
        "Ante and Play 10 to 500",
        "Ante pays 2 to 1",
        "Ante 5 to 100, with a card 10 to 500",
        "Ante 10 500",
        "Ante 10% to 50%",
        "Ante 1.5 to 7.25.3",
        "Pair XXX 10 to 500",  # not evaluated
        "Antelope 10 to 500",
        "9" * 9_000,
        " " * 900 + "Ante" + " 1" * 2_000,
    ],
)
def test_other_words_say_nothing(words: str) -> None:
    assert limits(f"'{words}'") == (YES, True)


def test_data_decide_whatever_the_order_of_signs() -> None:
    wrong, right = "{wager: ante, minimum: 10, maximum: 500}", "{wager: ante, minimum: 5, maximum: 100}"
    assert [limits(signs)[0] for signs in (right, wrong, f"{right}, {wrong}", f"Welcome, {wrong}")] == [YES, NO, NO, NO]


def test_a_sign_may_be_empty_and_words_are_a_sign() -> None:
    submission = house("Welcome, {}, {text: Welcome}").submission
    assert submission.layout is not None
    assert [describe_sign(sign) for sign in submission.layout.signs] == ["Welcome", "nothing stated", "Welcome"]
    assert submission.layout.signs[0] == Sign(text="Welcome")


@pytest.mark.parametrize(
    ("sign", "told"),
    [
        ("{wager: ante, minimun: 5}", "`minimun` is not a key of a sign did you mean `minimum`?"),
        ("{wager: anet, minimum: 0.05}", "did you mean `ante`"),
        ("{wager: ante, minimum: 5.005}", "`5.005` has more than 2 decimals"),
        ("{wager: ante, minimum: -1}", "`minimum` must be at least 0"),
        ("{wager: ante-bonus, rows: [{hand: straigth, odds: 1 to 1}]}", "did you mean `straight`"),
        ("{rows: [{hand: straight, odds: plenty}]}", "plenty"),
        ("5", "item 1 of `signage` must be a mapping or text, found the number 5"),
        ("[Welcome]", "item 1 of `signage` must be a mapping or text, found a list"),
    ],
)
def test_signs_that_are_none_are_told_in_place(sign: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        house(sign)
    [problem] = caught.value.diagnostics
    assert told in f"{problem.message} {problem.help}"
    assert problem.line == 11


def test_a_drawn_sign_shows_its_data_and_bears_the_marks_of_what_points_into_it() -> None:
    filed = house("{wager: ante, minimum: 10, maximum: 100}, {wager: ante-bonus, rows: [{hand: straight, odds: push}]}")
    verdicts = evaluate_submission(RULEBOOK.regulation("co-rule10-3card-shine"), filed)
    layout = build_layout(filed, verdicts)
    assert layout is not None
    assert [sign.text for sign in layout.signage] == ["ante, 10.00 to 100.00", "ante-bonus, straight push"]
    assert [mark.requirement for mark in layout.signage[0].marks] == ["co-rule10-3card-shine/signs-show-the-limits"]
    assert [mark.requirement for mark in layout.signage[1].marks] == ["co-rule10-3card-shine/signs-show-the-odds"]
    drawn = [mark.requirement for mark in layout.marks]
    assert "co-rule10-3card-shine/signs-show-the-limits" not in drawn


@pytest.mark.parametrize(("at", "told"), [(".", ["`.` is a mapping, but a text is required"]), (".text", [])])
def test_rules_see_a_sign_as_a_mapping(at: str, told: list[str]) -> None:
    model = requirement(f"{{each: submission, must: {{every: layout.signage, must: {{at: {at}, reads: x}}}}}}")
    assert [message for _, message in find_place_problems(model, ())] == told
