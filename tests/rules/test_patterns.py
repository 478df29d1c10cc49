"""Instances of patterns: what they expand to, where their problems are reported, and that no pattern hides law."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.facade.commands import run
from tests.facade.rules import Rulebook, expand_text, load_regulation, rules_folder
from tests.facade.text import InputError, decode_source, load_yaml

DOCUMENT = "co-rule8-burnout"
SHIPPED = {regulation.id: regulation for regulation in Rulebook().all()}
INSTANCES = [
    (document, requirement.requirement)
    for document, regulation in SHIPPED.items()
    for requirement in regulation.requirements
    if requirement.pattern is not None
]


def rules(folder: Path, own: str, *, patterns: str = "") -> Path:
    """Write a rules folder with the small document, a requirement, and patterns next to the shipped ones."""
    root = folder / "rules"
    for name in ("vocabulary", DOCUMENT):
        shutil.copytree(rules_folder() / name, root / name)
    with (root / "vocabulary" / "patterns.yaml").open("a", encoding="utf-8") as stream:
        stream.write(patterns)
    (root / DOCUMENT / "requirements" / "own.yaml").write_text(
        f'title: Own\nseverity: minor\nrequirements:\n- requirement: own\n  clauses: ["(1)"]\n{own}', "utf-8"
    )
    return root


def own(folder: Path, text: str, **options: str) -> Any:
    return load_regulation(DOCUMENT, rules(folder, text, **options)).find_requirement("own")


def test_an_instance_is_what_its_pattern_says_with_its_parameters(tmp_path: Path) -> None:
    one = own(tmp_path, "  pattern: {name: decks-in-play, cards: standard-52, decks: 6}\n")
    cards, decks = one.check.submitted.must.operand
    assert (cards.value.at, cards.value.equals, decks.value.at, decks.value.equals) == (
        "deck.cards",
        "standard-52",
        "deck.decks",
        6,
    )
    assert (one.pattern, one.severity.value, one.clauses) == ("decks-in-play", "minor", ["(1)"])
    assert one.title and one.message and one.remedy


def test_a_list_names_each_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="`ways` of the pattern `dealing-methods` names hand twice"):
        own(tmp_path, "  pattern: {name: dealing-methods, ways: [hand, shoe, hand]}\n")


def test_the_author_has_the_better_words(tmp_path: Path) -> None:
    one = own(tmp_path, "  title: Six decks\n  message: Six.\n  remedy: Use six.\n  pattern: each-wager-once\n")
    assert (one.title, one.message, one.remedy) == ("Six decks", "Six.", "Use six.")
    one = own(tmp_path / "message", "  message: Six.\n  pattern: each-wager-once\n")
    assert (one.title, one.message) == ("Six", "Six.")  # the pattern's title would say less


def test_parameters_stand_in_the_words(tmp_path: Path) -> None:
    one = own(tmp_path, '  pattern: {name: attested, statement: "Aces are counted.", by: pit boss}\n')
    assert (one.title, one.message) == ("Aces are counted", "A person must attest to this: Aces are counted.")
    assert one.remedy == "Have it attested by the pit boss."


def test_wagers_are_called_by_their_titles_and_are_those_of_the_game() -> None:
    one = SHIPPED["caribbean-draw"].find_requirement("wagers-offered")
    assert one.pattern == "wagers-offered"
    assert one.message == "Only Ante, Bet and Progressive may be offered."
    assert one.check.submitted.must.operand.must.operand.one_of == ["ante", "bet", "progressive"]


def test_what_is_left_out_leaves_no_trace(tmp_path: Path) -> None:
    one = own(tmp_path, "  pattern: {name: attested, statement: Aces are counted., by: pit boss}\n")
    assert one.check.attested.model_fields_set == {"statement", "by"}


@pytest.mark.parametrize(
    ("use", "at", "said"),
    [
        ("each-wager-onse", "each-wager-onse", "there is no pattern `each-wager-onse`"),
        ("{name: each-wager-onse}", "each-wager-onse}", "there is no pattern `each-wager-onse`"),
        ("{wagers: [main]}", "pattern:", "an instance names its pattern"),
        (
            "{name: each-wager-once, wagers: [main]}",
            "wagers:",
            "`each-wager-once` has no parameter `wagers`",
        ),
        (
            "{name: hands-a-player-may-have}",
            "pattern:",
            "needs the parameter `most`: the most hands",
        ),
        (
            "{name: hands-a-player-may-have, most: two}",
            "two}",
            "the parameter `most` of the pattern `hands-a-player-may-have` must be a whole number",
        ),
        (
            "{name: device-for-a-way-of-dealing, way: shoe, device: equipment.shue, is: manual}",
            "equipment.shue",
            "there is no submission path `equipment.shue` (of the pattern `device-for-a-way-of-dealing`)",
        ),
        (
            "{name: device-for-a-way-of-dealing, way: shoe, device: equipment.shoe, is: {manual: true}}",
            "{manual",
            "the parameter `is` of the pattern `device-for-a-way-of-dealing` must be a name",
        ),
        (
            "{name: signs-show-the-limits, wagers: [main], when: {gives: deck}}",
            "gives",
            "`gives` is not a key of a submission condition (of the pattern `signs-show-the-limits`)",
        ),
        ("each-wager-once\n  attested: {statement: S., by: B}", "attested:", "but also has a check of its own"),
    ],
)
def test_problems_are_told_at_the_instance(use: str, at: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        own(tmp_path, f"  pattern: {use}\n")
    problem = error.value.diagnostics[0]
    assert said in problem.message
    assert (problem.source_line or "")[(problem.column or 1) - 1 :].startswith(at)
    assert Path(problem.file or "").name == "own.yaml"


HIDDEN = """
  hides-law:
    title: A title
    message: A message
    parameters: {wager: {kind: wager, title: A wager.}, most: {kind: number, title: A number., optional: true}}
    check:
      signs: {show: limits, of: [{parameter: wager}], when: {at: deck.decks, at-most: {parameter: most}}}
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("at-most: {parameter: most}", "at-most: 52", "this one contains 52: make it a parameter"),
        ("A message", "No more than 52 cards.", "this one contains 52"),
        ("show: limits", "show: five", "`five` is not a value of `show`"),
        ("{parameter: wager}]", "{parameter: wagers}]", "the pattern has no parameter `wagers`"),
        ("A title", "Of {wagers}", "the pattern has no parameter `wagers`"),
        ("A title", "At most {most}", "`most` cannot be used in text"),
        ("{parameter: wager}]", "main]", "the pattern does not use the parameter `wager`"),
        ("[{parameter: wager}]", "[{for-each: wager, put: {parameter: wager}}]", "`wager` is no list"),
        ("{kind: number,", "{kind: numbers,", "`numbers` is not a value of `kind`"),
        ("at-most: {parameter: most}", "at-most: 1, equals: {parameter: most}", "exactly one of"),
        ("A title", "Another title", ""),
    ],
)
def test_a_pattern_that_hides_law_or_has_no_sense_is_refused(old: str, new: str, said: str, tmp_path: Path) -> None:
    root = rules(tmp_path, "  pattern: each-wager-once\n", patterns=HIDDEN.replace(old, new))
    done = run("rules", "check", DOCUMENT, "--rules", root)
    if not said:
        assert done.code == 0
        return
    assert done.code == 3
    assert said in done.err and "patterns.yaml:" in done.err


def test_lists_within_lists_are_bounded(tmp_path: Path) -> None:
    names = ["ones", "twos", "threes", "fours", "fives", "sixes"]
    item: Any = {"given": "deck"}
    for name in names:
        value = {"at": "dealing", "equals": {"parameter": name}}
        item = {"any": [{"for-each": name, "put": [value, item]}]}
    holes = {name: {"kind": "names", "title": "A list."} for name in names}
    large = {"title": "A title", "parameters": holes, "check": {"each": "submission", "must": item}}
    use = {"name": "large", **{name: [f"n{number}" for number in range(40)] for name in names}}
    with pytest.raises(InputError, match="too large: it has more than 10,000 values"):
        own(tmp_path, f"  pattern: {json.dumps(use)}\n", patterns=f"  large: {json.dumps(large)}\n")


@pytest.mark.parametrize("document", SHIPPED)
def test_what_is_printed_in_full_is_what_holds(document: str) -> None:
    for name in (name for instance, name in INSTANCES if instance == document):
        requirement = SHIPPED[document].find_requirement(name)
        entries: Any = load_yaml(decode_source("expanded", expand_text(document, name).encode())).data
        (entry,) = entries
        assert "pattern" not in entry, name
        again = type(requirement).model_validate_json(json.dumps(entry, default=str))
        for field in ("check", "fault", "title", "message", "remedy", "severity", "clauses", "readings_"):
            assert getattr(again, field) == getattr(requirement, field), (name, field)


def test_every_shipped_pattern_is_used() -> None:
    patterns: Any = load_yaml(decode_source("p", (rules_folder() / "vocabulary" / "patterns.yaml").read_bytes())).data
    used = {SHIPPED[document].find_requirement(name).pattern for document, name in INSTANCES}
    assert set(patterns["patterns"]) == used


def test_commands_show_patterns() -> None:
    listed = run("rules", "list", "--pattern", "known-wagers").text
    assert "s38/known-wagers" in listed and "one-deck" not in listed
    assert run("rules", "list", "--pattern", "known-wager").code == 2
    shown = run("rules", "show", "s38/known-wagers").text
    assert "an instance of the pattern `known-wagers`, rules_data/vocabulary/patterns.yaml:" in shown
    full = run("rules", "show", "s38/known-wagers", "--expanded").text
    assert "each: stake\n  must: {wager-is: [ante, bet, bonus]}" in full
    assert run("rules", "show", "s38", "--expanded").code == 2
