"""Checks that span rounds and submissions, in rule files: refusals, and examples that prove them."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from tests.facade.rules import Proof, load_regulation, load_samples, prove_samples
from tests.facade.text import InputError

DOCUMENT = "co-rule10-3card-shine"
RULES = Path(__file__).parents[2] / "rules_data"
STEP = "  counted: {title: the stub is counted, event: count, what: stub}\n"


def rules(folder: Path, check: str, examples: str = "") -> Path:
    """Write a rules folder whose only document has one requirement that spans rounds or submissions."""
    for name in ("vocabulary", DOCUMENT):
        copytree(RULES / name, folder / name)
    home = folder / DOCUMENT
    game = home / "game.yaml"
    text = game.read_text().replace("other-events:\n", f"other-events:\n{STEP}", 1)
    game.write_text(text)
    clause = load_regulation(DOCUMENT).requirements[0].clauses[0]
    (home / "requirements" / "spanning.yaml").write_text(
        "title: Spanning\nrequirements:\n- {requirement: spanning, title: Spanning, "
        f'clauses: ["{clause}"], severity: minor, message: So., {check.strip()[1:]}\n'
    )
    for path in (home / "examples").glob("*.yaml"):
        if path.name != "bases.yaml":
            path.unlink()
    if examples:
        (home / "examples" / "spanning.yaml").write_text(f"title: Spanning\nexamples:\n{examples}")
    return folder


def refusal(folder: Path) -> tuple[str, int | None]:
    with pytest.raises(InputError) as caught:
        load_regulation(DOCUMENT, folder)
    first = caught.value.diagnostics[0]
    return first.message, first.line


REFUSED = {
    "{every: {step: counted, within: {hours: 8}, counts: {takes-tips: ante}}}": (
        "hours pass in every round: only rounds can be counted selectively"
    ),
    "{every: {must: {placed: ante}, within: {rounds: 5}}}": "applies to each seat, but is used for each round",
    "{every: {step: mislaid, within: {rounds: 5}}}": "there is no step `mislaid`",
    "{succession: {each: player, deck: other}}": ("`each: player` requires `must`"),
    "{succession: {must: {new-player: true}}}": "applies to each seat, but is used for each round",
    "{succession: {must: {some-seat: {new-player: true}}}}": (
        "only `succession` with `must` can refer to the previous round, not facts, counts or totals"
    ),
    "{succession: {must: {previous: {previous: {events: counted}}, equals: 1}}}": (
        "only `succession` with `must` can refer to the previous round, not facts, counts or totals"
    ),
    "{needed: {each: round, since: table-opens, steps: [counted], before: deal}}": (
        "a table opens outside rounds: use `each: table` or `each: deck`"
    ),
    "{needed: {each: table, since: table-closes, steps: [counted], before: deal}}": (
        "there is no occasion `table-closes`"
    ),
}


@pytest.mark.parametrize("check", REFUSED)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, check: str) -> None:
    assert refusal(rules(tmp_path, check))[0] == REFUSED[check]


EVERY = "{every: {step: counted, within: {rounds: 3}}}"
COUNT = "insert: {/events/-: {event: count, what: stub, number: 40}}"
SESSION = """
- example: counted-in-time
  shows: Counted.
  about: [spanning]
  rounds:
  - {base: nobody-plays, set: {/number: 1}, times: 2}
  - {base: nobody-plays, COUNT}
- example: counted-too-late
  shows: Not counted.
  about: [spanning]
  rounds:
  - {base: nobody-plays, set: {/number: 1}}
  - {base: nobody-plays, times: 2}
  findings: [{requirement: spanning, at: {round: R3}}]
- example: a-round-is-missing
  shows: Perhaps counted.
  about: [spanning]
  rounds:
  - {base: nobody-plays, set: {/number: 1}, times: 2}
  - {base: nobody-plays, set: {/number: 4}}
  unproven: [spanning]
"""


def proofs(folder: Path) -> list[Proof]:
    regulation = load_regulation(DOCUMENT, folder)
    return list(prove_samples(regulation, load_samples(regulation, folder)))


def words(found: list[Proof]) -> list[tuple[str, str]]:
    """Return the texts of the findings of examples."""
    return [(finding.expected, finding.observed) for proof in found for finding in proof.outcome.findings]


def test_examples_hold_sessions(tmp_path: Path) -> None:
    found = proofs(rules(tmp_path, EVERY, examples=SESSION.replace("COUNT", COUNT)))
    assert [proof.mismatches for proof in found] == [(), (), ()]
    assert words(found) == [
        (
            "at least once in any 3 consecutive rounds: the stub is counted",
            "3 rounds without it, since the table opened with round R1 (10:00)",
        )
    ]


KEPT = "{each: submission, must: {at: deck.decks, equals: {at: earlier.deck.decks}}}"
BESIDE = """
- example: deck-kept
  shows: Kept.
  about: [spanning]
  submission: {base: singly-dealt, set: {/effective: 2026-02-01}}
  beside: [{base: singly-dealt}]
- example: deck-added
  shows: Added.
  about: [spanning]
  submission: {base: singly-dealt, set: {/effective: 2026-02-01, /deck/decks: 2}}
  beside: [{base: singly-dealt}]
  findings:
  - {requirement: spanning, at: {pointer: /deck/decks}}
  - {requirement: one-standard-deck, at: {pointer: /deck/decks}}
"""


def test_examples_hold_submissions_beside_the_one_that_is_judged(tmp_path: Path) -> None:
    found = proofs(rules(tmp_path, KEPT, BESIDE))
    assert [proof.mismatches for proof in found] == [(), ()]
    assert words(found) == [("“decks” of “deck”: 1", "2")] * 2


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("round: {base: nobody-plays}", "an example has either a round or a session, not both"),
        ("beside: [{base: singly-dealt}]", "`beside` requires a submission that is checked, not rounds"),
    ],
)
def test_evidence_of_two_kinds_is_refused(tmp_path: Path, more: str, message: str) -> None:
    text = f"- {{example: one, shows: It., about: [spanning], rounds: [{{base: nobody-plays}}], {more}}}\n"
    folder = rules(tmp_path, EVERY, examples=text)
    with pytest.raises(InputError) as caught:
        load_samples(load_regulation(DOCUMENT, folder), folder)
    assert caught.value.diagnostics[0].message == f"the evidence cannot be built: {message}"
