"""Command lines that make no sense: exit code 2, and a message that says what was meant or what there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.facade.commands import run
from tests.facade.demo import GAME, comply

SIMULATE = f"simulate {GAME} --rounds 1 --seed 1"


@pytest.fixture(autouse=True)
def inputs(place: Path) -> None:
    (place / "good.yaml").write_text(comply())
    (place / "empty").mkdir()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("chekc good.yaml", "No such command 'chekc'. Did you mean 'check'?"),
        ("xyzzy", "No such command 'xyzzy'."),
        ("--chekc", "No such option '--chekc'"),
        ("check", "Missing argument 'SUBMISSION...'"),
        ("check good.yaml --as-off 2026-01-01", "No such option '--as-off'"),
        ("check good.yaml --as-of", "'--as-of'"),
        ("check good.yaml --as-of 2026-02-30", "`2026-02-30` is not a day"),
        ("check good.yaml --as-of 20260228", "write it as year-month-day, such as 2024-01-31"),
        ("check good.yaml --as-of 2026-W09-6", "is not a day"),
        ("check good.yaml --as-of tomorrow", "is not a day"),
        ("check good.yaml -o pdf", "there is no format `pdf`; one of text, json, html"),
        (
            "check good.yaml -o htlm:out.html",
            "xlsx, sqlite; did you mean `html`?",
        ),
        ("check good.yaml -o pdf:out.pdf", "there is no format `pdf`"),
        ("check good.yaml -o JSON", "there is no format `JSON`"),
        ("check good.yaml --rules nowhere", "`nowhere` is not a rules folder"),
        ("check good.yaml --rules empty", "`empty` is not a rules folder"),
        ("check good.yaml --rules good.yaml", "`good.yaml` is not a rules folder"),
        ("audit", "Missing argument 'LOG...'"),
        ("audit good.jsonl --jobs 0", "'-j' / '--jobs'"),
        ("audit good.jsonl --jobs 1000", "'-j' / '--jobs'"),
        ("audit good.jsonl --jobs two", "'two' is not a valid integer range"),
        ("audit good.jsonl --rules empty", "`empty` is not a rules folder"),
        ("explain good.jsonl", "Missing option '--round'"),
        ("explain --round 1", "Missing argument 'LOG'"),
        ("explain good.jsonl other.jsonl --round 1", "unexpected extra argument"),
        ("simulate", "Missing argument 'GAME'"),
        (f"simulate {GAME} --seed 1", "Missing option '--rounds'"),
        (f"simulate {GAME} --rounds 1", "Missing option '--seed'"),
        ("simulate co-rule10-3card-shiny --rounds 1 --seed 1", f"did you mean `{GAME}`?"),
        ("simulate xyzzy --rounds 1 --seed 1", "there is no document `xyzzy`. The documents are:"),
        (f"simulate {GAME} --rounds 0 --seed 1", "'--rounds'"),
        (f"simulate {GAME} --rounds 1e3 --seed 1", "'--rounds'"),
        (f"simulate {GAME} --rounds {10**30} --seed 1", "'--rounds'"),
        (f"simulate {GAME} --rounds 1 --seed -1", "'--seed'"),
        (f"{SIMULATE} --seats 0", "`0` is not a number of seats"),
        (f"{SIMULATE} --seats 6-1", "`6-1` is not a number of seats"),
        (f"{SIMULATE} --seats 1-99", "a round cannot have at least 1 and at most 99 hands"),
        (f"{SIMULATE} --fault play-equal-ante", "did you mean `play-equals-ante`?"),
        (f"{SIMULATE} --fault {GAME}/play-equal-ante", "did you mean `play-equals-ante`?"),
        (f"{SIMULATE} --fault xyzzy", f"{GAME} has no requirement `xyzzy`; `fairdeal rules list` shows all"),
        (f"{SIMULATE} --fault limits-posted", "`limits-posted` cannot be broken in a simulation"),
        ("simulate s38 --rounds 1 --seed 1 --fault main-table-required", "`main-table-required` cannot be broken in"),
        ("simulate co-rule8-burnout --rounds 1 --seed 1", "`co-rule8-burnout` has no game to simulate. The games are "),
        (
            "simulate poker-room --rounds 1 --seed 1 --fault big-blind-is-larger",
            "applies only if the reading `larger-or-double` is `larger` (it is `double`): "
            "use --profile poker-room/card-room-custom",
        ),
        (
            "simulate poker-room --rounds 1 --seed 1 --fault one-chip-bets-the-smallest",
            "the reading `one-chip-with-nothing-to-call` is `smallest-bet` (it is `bet-of-its-value`): "
            "no shipped profile has this reading",
        ),
        (f"{SIMULATE} --fault-every 0", "'--fault-every'"),
        (f"{SIMULATE} --rules empty", "`empty` is not a rules folder"),
        ("rules", "Commands:"),
        ("rules lst", "No such command 'lst'. Did you mean 'list'?"),
        ("rules list -o jsno", "'jsno' is not one of 'text', 'json'. Did you mean 'json'?"),
        ("rules coverage s83", "did you mean `s38`?"),
        ("rules coverage s38 s83", "did you mean `s38`?"),
        ("rules list -o html", "'html' is not one of 'text', 'json'"),
        ("rules list s83", "did you mean `s38`?"),
        ("rules list --rules empty", "`empty` is not a rules folder"),
        ("rules coverage --rules empty", "`empty` is not a rules folder"),
        ("rules test --rules empty", "`empty` is not a rules folder"),
        ("rules check --rules empty", "`empty` is not a rules folder"),
        ("rules check empty", "`empty` is not in a rules folder"),
        ("rules check nowhere", "there is no file or folder `nowhere`, and there is no document `nowhere`."),
        ("rules check co-rule10-3card-shin", f"did you mean `{GAME}`?"),
        ("rules show", "Missing argument 'ID'"),
        ("rules show play-equals-antes", "play-equals-ante"),
        ("rules show xyzzy", "the rulebook has nothing called `xyzzy`"),
        ("rules test co-rule10-3card-shin", f"did you mean `{GAME}`?"),
        ("schema submision", "did you mean `submission`?"),
        ("schema ../pyproject", "The schemas are "),
        ("report results.json", "Missing option '-o' / '--output'"),
        ("report -o json", "Missing argument 'RESULTS.json'"),
    ],
)
def test_wrong_usage_is_explained(command: str, said: str) -> None:
    finished = run(*command.split())
    assert (finished.code, finished.out) == (2, b"")
    assert finished.err.startswith(("Usage: fairdeal", "Error: Option"))
    assert said in " ".join(finished.err.split())
    assert len(finished.err) < 2000


@pytest.mark.parametrize("seconds", ["yesterday", "1.5", "9" * 30, "-" + "9" * 30])
def test_a_time_that_is_none_is_wrong_usage(seconds: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", seconds)
    finished = run("check", "good.yaml")
    assert finished.code == 2
    assert "SOURCE_DATE_EPOCH" in finished.err


@pytest.mark.parametrize("seconds", ["", "0", "1772409600"])
def test_a_time_is_used_where_there_is_one(seconds: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", seconds)
    generated = run("check", "good.yaml", "-o", "json").results["provenance"]["generated"]
    expected = {"0": "1970-01-01T00:00:00Z", "1772409600": "2026-03-02T00:00:00Z"}
    assert generated == expected.get(seconds, generated)
    assert len(generated) == len("1970-01-01T00:00:00Z")


def test_the_rules_folder_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRDEAL_RULES", "empty")
    assert run("rules", "list").code == 2


def test_a_name_that_looks_like_an_option_is_a_file_after_two_dashes() -> None:
    Path("-o").write_text(comply())
    assert run("check", "--", "-o").code == 0


def test_what_a_person_typed_is_made_visible() -> None:
    finished = run("check", "missing\x1b[31m\u202e.yaml")
    assert finished.code == 3
    assert "\x1b" not in finished.err
    assert "[U+001B]" in finished.err
    assert "[U+202E]" in finished.err
