"""Example files with contradictions are refused, and examples may state evidence in several forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.facade.rules import BASES_FILE, Sample, list_documents, load_regulation, load_samples
from tests.facade.text import InputError

DOCUMENT = list_documents()[-1]
ROUNDS = """
rounds:
  played:
    round: R1
    seats:
    - seat: 1
      wagers: [{wager: ante, amount: 500, paid: 0, taken: 500}, {wager: bet, amount: 500, paid: 700, taken: 0}]
    - {seat: 4, wagers: [{wager: ante, amount: 500, paid: 0, taken: 0}], bonuses: [{bonus: gift, paid: 100}]}
variations:
  opened: {base: played, insert: {/events: []}}
  played-twice: {base: counted, set: {/number: 2}}
  counted: {base: played, set: {/number: 1}}
  round-about: {base: and-about}
  and-about: {base: round-about}
"""


def folder_with(tmp_path: Path, examples: str) -> Path:
    """Write a rules folder with one document's examples: a base, and the file given."""
    home = tmp_path / DOCUMENT / "examples"
    home.mkdir(parents=True)
    (home / BASES_FILE).write_text(f"submissions: {{nothing: {{}}}}\n{ROUNDS}", encoding="utf-8")
    (home / "topic.yaml").write_text(f"title: Anything\nexamples:\n{examples}", encoding="utf-8")
    return tmp_path


def refusal(tmp_path: Path, examples: str) -> str:
    with pytest.raises(InputError) as caught:
        load_samples(load_regulation(DOCUMENT), folder_with(tmp_path, examples))
    (diagnostic,) = caught.value.diagnostics
    return diagnostic.message


def example(name: str, more: str = "", base: str = "nothing") -> str:
    requirement = load_regulation(DOCUMENT).requirements[0].requirement
    return f"- {{example: {name}, shows: It., about: [{requirement}], submission: {{base: {base}}}{more}}}\n"


def test_two_examples_of_one_name_are_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, example("one") + example("one")) == "an example one is already in topic.yaml"


def test_an_option_that_a_reading_does_not_have_is_refused(tmp_path: Path) -> None:
    reading = next(iter(load_regulation(DOCUMENT).readings.values()))
    known = ", ".join(reading.options)
    message = refusal(tmp_path, example("one", f", readings: {{{reading.reading}: sideways}}"))
    assert message == f"the reading {reading.reading} has no option sideways, only {known}"


def test_a_base_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    assert "there is no base something" in refusal(tmp_path, example("one", base="something"))


def test_what_cannot_be_built_is_told_at_its_name(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load_samples(load_regulation(DOCUMENT), folder_with(tmp_path, example("one", base="nothin")))
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.source_line or "")[(diagnostic.column or 1) - 1 :].startswith("nothin}")
    assert diagnostic.help == "did you mean `nothing`?"


def test_a_base_of_another_document_is_refused(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, example("one") + example("two"))
    path = folder / DOCUMENT / "examples" / BASES_FILE
    path.write_text(path.read_text("utf-8").replace("nothing: {}", "nothing: {document: another}"), "utf-8")
    with pytest.raises(InputError) as caught:
        load_samples(load_regulation(DOCUMENT), folder)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message == f"the submission must be for {DOCUMENT}"
    assert Path(diagnostic.file or "").name == BASES_FILE


def test_a_change_of_a_place_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    examples = example("one").replace("base: nothing", "base: nothing, remove: [/deck]")
    assert refusal(tmp_path, examples).startswith("the evidence cannot be built: ")


def test_an_example_without_evidence_is_refused(tmp_path: Path) -> None:
    examples = example("one").replace(", submission: {base: nothing}", "")
    assert refusal(tmp_path, examples).endswith("the example has neither a submission nor a round")


# Evidence stated by its differences.


def samples(tmp_path: Path, examples: str) -> dict[str, Sample]:
    found = load_samples(load_regulation(DOCUMENT), folder_with(tmp_path, examples))
    return {run.example.example: run for run in found}


def round_(name: str, told: str, more: str = "") -> str:
    requirement = load_regulation(DOCUMENT).requirements[0].requirement
    return f"- {{example: {name}, shows: It., about: [{requirement}], round: {told}{more}}}\n"


def test_a_round_starts_from_that_of_an_example_in_whatever_order_they_stand(tmp_path: Path) -> None:
    found = samples(
        tmp_path,
        round_("third", "{like: second, set: {/dealer: 5h}}")
        + round_("second", "{like: first, set: {/number: 8}, remove: [/seats/1]}")
        + round_("first", "{base: played, set: {/number: 7, /dealer: 2c}}"),
    )
    third = found["third"].round
    assert third is not None
    assert (third["dealer"], third["number"], len(third["seats"])) == ("5h", 8, 1)
    assert found["first"].round is not None and found["first"].round["number"] == 7
    assert {run.base for run in found.values()} == {"played"}


def test_a_submission_starts_from_that_of_an_example(tmp_path: Path) -> None:
    told = example("first").replace("base: nothing", "base: nothing, set: {/deck: 7}")
    found = samples(tmp_path, told + example("second").replace("base: nothing", "like: first, set: {/more: 8}"))
    assert found["second"].submission == {"deck": 7, "more": 8}


def test_a_base_is_told_by_what_differs_from_another(tmp_path: Path) -> None:
    found = samples(tmp_path, round_("one", "{base: played-twice}") + round_("two", "{base: counted}"))
    assert [run.round and run.round["number"] for run in found.values()] == [2, 1]
    assert [run.base for run in found.values()] == ["played-twice", "counted"]


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ("{like: nobody}", "there is no example nobody"),
        ("{like: one}", "example one starts from itself"),
        ("{base: round-about}", "base round-about starts from itself"),
        ("{base: nothing}", "there is no base nothing"),
        ("{base: opened}", "there is no place `/events`"),
    ],
)
def test_a_round_that_starts_from_nothing_is_refused(tmp_path: Path, told: str, message: str) -> None:
    assert refusal(tmp_path, round_("one", told)) == f"the evidence cannot be built: {message}"


def test_a_round_of_an_example_that_has_none_is_refused(tmp_path: Path) -> None:
    message = refusal(tmp_path, example("house") + round_("one", "{like: house}"))
    assert message == "the evidence cannot be built: example house has no round of its own"


@pytest.mark.parametrize("told", ["{}", "{base: played, like: one}"])
def test_evidence_starts_from_one_thing(tmp_path: Path, told: str) -> None:
    assert "evidence starts from one source" in refusal(tmp_path, round_("one", told))


# The two sides of an exact settlement.


def list_settlements(sample: Sample) -> list[tuple[int, int]]:
    assert sample.round is not None
    return [(wager["paid"], wager["taken"]) for seat in sample.round["seats"] for wager in seat["wagers"]]


def build_boundary(*places: tuple[int, str]) -> str:
    name = load_regulation(DOCUMENT).requirements[0].requirement
    told = ", ".join(f"{{requirement: {name}, at: {{seat: {seat}, wager: {wager}}}}}" for seat, wager in places)
    return f", boundary: [{told}]"


def test_a_boundary_makes_two_examples(tmp_path: Path) -> None:
    """A wager lost completely has no upper neighbour. Of a wager named by two findings, one unit is changed."""
    places = ((1, "ante"), (1, "bet"), (4, "ante"), (4, "ante"))
    found = samples(tmp_path, round_("one", "{base: played}", build_boundary(*places)))
    assert {name: list_settlements(run) for name, run in found.items()} == {
        "one": [(0, 500), (700, 0), (0, 0)],
        "one-under": [(0, 500), (699, 0), (0, 1)],
        "one-over": [(0, 499), (701, 0), (1, 0)],
    }
    said = {
        name: [(f.at.seat, f.at.wager, f.owed, f.overpaid) for f in run.example.findings] for name, run in found.items()
    }
    assert said == {
        "one": [],
        "one-under": [(1, "bet", 1, None), (4, "ante", 1, None), (4, "ante", 1, None)],
        "one-over": [(*place, None, 1) for place in places],
    }
    assert found["one-over"].example.shows == "It. Here the smallest unit too much."


def test_a_bonus_has_a_boundary(tmp_path: Path) -> None:
    found = samples(tmp_path, round_("one", "{base: played}", build_boundary((4, "gift"))))
    paid = [run.round["seats"][1]["bonuses"][0]["paid"] for run in found.values() if run.round is not None]
    assert paid == [100, 99, 101]


def test_a_wager_lost_whole_has_a_boundary_on_one_side(tmp_path: Path) -> None:
    assert [*samples(tmp_path, round_("one", "{base: played}", build_boundary((1, "ante"))))] == ["one", "one-over"]


def test_a_boundary_at_a_wager_that_is_not_there_is_refused(tmp_path: Path) -> None:
    message = refusal(tmp_path, round_("one", "{base: played}", build_boundary((4, "bet"))))
    assert message == "the evidence cannot be built: seat 4 has no wager or bonus bet whose settlement could be changed"


def test_a_boundary_without_a_round_is_refused(tmp_path: Path) -> None:
    message = refusal(tmp_path, example("one", build_boundary((1, "ante"))))
    assert message == "the evidence cannot be built: a boundary needs a round"


def test_an_example_of_the_name_that_a_boundary_makes_is_refused(tmp_path: Path) -> None:
    told = round_("one", "{base: played}", build_boundary((4, "ante"))) + round_("one-over", "{base: played}")
    assert refusal(tmp_path, told) == "an example one-over is already in topic.yaml"
