"""Pages of the rulebook: everything that a finding or a field leads to is there, and rounds can be tried."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import quote

import pytest

from fairdeal.validator.rulebook.rulebook import Rulebook
from tests.desk.client import DeskThread, RunningDesk, read_fields
from tests.facade.commands import run
from tests.facade.rules import list_games, rules_folder

RULEBOOK = Rulebook()
GAMES = [document for document in RULEBOOK.documents if document in list_games()]
TEMPLATES = rules_folder() / "templates"
TEMPLATE_GAMES = sorted(path.parent.name for path in TEMPLATES.glob("*/game.yaml"))


@pytest.mark.parametrize("document", RULEBOOK.documents)
def test_every_page_of_a_document_can_be_opened(desk: RunningDesk, document: str) -> None:
    regulation = RULEBOOK.regulation(document)
    page = desk.get(f"/rulebook/document?id={document}").text
    links = {unescape(link) for link in re.findall(r'href="(/rulebook/[^"#]*)"', page)}
    for kind, names in (
        ("clause", [clause.clause for clause in regulation.document.clauses]),
        ("reading", regulation.readings),
    ):
        assert {f"/rulebook/{kind}?id={quote(f'{document}/{name}')}" for name in names} <= links
    shown = {link for link in links if "/clause?" in link or "/reading?" in link}
    wanted = [link for link in sorted(links) if "/requirement?" in link]
    assert len(wanted) == len(regulation.requirements)
    for link in [*sorted(shown)[::20], wanted[0], wanted[-1]]:
        answer = desk.get(link)
        assert answer.status == 200, link
        assert "Requirement" in answer.text


def test_a_requirement_is_shown_in_the_sentences_of_the_command(desk: RunningDesk) -> None:
    shown = desk.get("/rulebook/requirement?id=s38/below-nines-loses").plain
    for line in run("rules", "show", "s38/below-nines-loses").text.splitlines()[2:12]:
        assert line.strip().rstrip(":").replace("`", "") in shown or (
            line.startswith("  ") and line.strip().endswith(":")
        )


@pytest.mark.parametrize(
    "path",
    [
        "clause?id=s38/nowhere",
        "requirement?id=x",
        "reading?id=s38",
        "document?id=../s38",
        "document",
    ],
)
def test_other_ids_have_no_page(desk: RunningDesk, path: str) -> None:
    assert desk.get(f"/rulebook/{path}").status == 404


def test_the_rulebook_is_searched(desk: RunningDesk) -> None:
    assert "result" in desk.get("/rulebook?q=meter").plain
    assert "0 results" in desk.get("/rulebook?q=%3Cscript%3Exyz").plain
    assert "<script>xyz" not in desk.get("/rulebook?q=%3Cscript%3Exyz").text


def read_inputs(page: str) -> dict[str, str]:
    return dict(read_fields(page, "data-trial="))


def read_record(page: str) -> dict[str, Any]:
    """Return the record of a round, with its events in an order that does not depend on the order of stakes."""
    record: dict[str, Any] = json.loads(read_inputs(page)["record"])
    return {**record, "events": sorted(record["events"], key=str)}


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDesk]:
    with DeskThread(tmp_path_factory.mktemp("templates") / "home", rules=str(TEMPLATES)) as desk:
        yield desk


def change_scenario(desk: RunningDesk, page: str, **action: str) -> str:
    """Press a button of the editor of a round, and return the page."""
    shown = desk.post("/try/scenario", {**read_inputs(page), **action})
    assert shown.status == 200
    return shown.text


@pytest.mark.parametrize("game", [*GAMES, *TEMPLATE_GAMES])
def test_a_round_of_each_game_is_explained_and_changed(request: pytest.FixtureRequest, game: str) -> None:
    """Entries are added and taken away again by controls, and the round is then the one before."""
    desk: RunningDesk = request.getfixturevalue("desk" if game in GAMES else "templates")
    first = desk.get(f"/rulebook/scenario?game={game}&seed=3").text
    assert "Settlement of each wager" in first or "Pots" in first
    assert "message-of-problem" not in first
    assert game in GAMES or "as far as the cards are known" not in first
    record = read_record(first)
    seats = len(record["seats"])
    with_seat = change_scenario(desk, first, add="/seats")
    number = min({*range(1, seats + 2)} - {seat["seat"] for seat in record["seats"]})
    assert f"Seat {number}" in with_seat
    if game == "poker-room":  # whose stakes follow from acts
        return
    wager = record["seats"][0]["wagers"][0]["wager"]
    stakes = f"/seats/{seats}/wagers"
    with_stake = change_scenario(desk, with_seat, add=stakes, **{f"choice:{stakes}": wager})
    assert f'name="{stakes}/0/amount"' in with_stake
    without = change_scenario(desk, with_stake, remove=f"{stakes}/0")
    assert read_record(without) == read_record(with_seat)
    again = change_scenario(desk, without, remove=f"/seats/{seats}")
    assert read_record(again) == record


def test_acts_of_betting_are_added_and_taken_away(desk: RunningDesk) -> None:
    """The stakes of a seat follow from its acts."""
    first = desk.get("/rulebook/scenario?game=poker-room&seed=3").text
    record = json.loads(read_inputs(first)["record"])
    at = next(at for at, event in enumerate(record["events"]) if event["event"] == "decide")
    added = change_scenario(desk, first, add="/events", **{"choice:/events": "decide/raise", "place:/events": str(at)})
    raised = change_scenario(desk, added, **{f"/events/{at}/amount": "6.00"})
    changed = json.loads(read_inputs(raised)["record"])
    seat = changed["events"][at]["seat"]
    before, after = (
        next(sum(stake["amount"] for stake in entry["wagers"]) for entry in round_["seats"] if entry["seat"] == seat)
        for round_ in (record, changed)
    )
    assert after == before + 600
    assert json.loads(read_inputs(change_scenario(desk, raised, remove=f"/events/{at}"))["record"]) == record


def test_what_is_due_follows_the_cards(desk: RunningDesk) -> None:
    """A royal flush is printed at 100 to 1 in clause 14.2: a Bet of 2.00 is due 200.00."""
    fields = read_inputs(desk.get("/rulebook/scenario?game=caribbean-draw&seed=3").text)
    record = json.loads(fields["record"])
    seat = next(at for at, seat in enumerate(record["seats"]) if seat["decision"] == "call")
    bet = next(at for at, stake in enumerate(record["seats"][seat]["wagers"]) if stake["wager"] == "bet")
    fields |= {
        f"/seats/{seat}/cards": "Ah Kh, Qh Jh Th",
        f"/seats/{seat}/discarded": "",
        f"/seats/{seat}/drawn": "",
        f"/seats/{seat}/wagers/{bet}/amount": "2.00",
        "/dealer": "AsAd9c7d4s",
        "/dealer-discarded": "",
        "/dealer-drawn": "",
    }
    due = desk.post("/try/scenario", fields).plain
    assert "royal flush" in due
    assert "due: 200.00" in due
    wrong = desk.post("/try/scenario", fields | {f"/seats/{seat}/wagers/{bet}/amount": "much"}).plain
    assert "write an amount such as 5.00" in wrong
    assert desk.post("/try/scenario", fields | {"/dealer": "ZZ"}).status == 200


def test_a_result_that_is_no_card_settles_its_wagers(templates: RunningDesk) -> None:
    """A straight-up wager wins 35 times its stake on its own number."""
    page = templates.get("/rulebook/scenario?game=roulette-european&seed=3").text
    record = json.loads(read_inputs(page)["record"])
    seat, stake = next(
        (seat, stake)
        for seat, entry in enumerate(record["seats"])
        for stake, placed in enumerate(entry["wagers"])
        if placed["wager"] == "straight"
    )
    wager = f"/seats/{seat}/wagers/{stake}"
    won = change_scenario(
        templates, page, **{"/outcomes/spin": "17", f"{wager}/selection": "17", f"{wager}/amount": "10"}
    )
    assert "due: 350.00 paid" in won
    assert "message-of-problem" not in won


def test_several_decisions_of_a_seat_are_acts(templates: RunningDesk) -> None:
    page = templates.get("/rulebook/scenario?game=blackjack&seed=4").text
    record = json.loads(read_inputs(page)["record"])
    first = record["events"][0]
    changed = change_scenario(templates, page, **{"/events/0/decision": "surrender"})
    assert json.loads(read_inputs(changed)["record"])["events"][0] == {**first, "decision": "surrender"}
    added = change_scenario(templates, page, add="/events", **{"choice:/events": "decide/stand"})
    assert json.loads(read_inputs(added)["record"])["events"][-1]["decision"] == "stand"


@pytest.mark.parametrize("record", ["", "[", "[]", "5", '{"round": 1}', '{"seats": [[]]}', "{}", '{"a":' * 5_000])
def test_any_record_gives_a_message(desk: RunningDesk, record: str) -> None:
    for game in ("poker-room", "s38"):
        answer = desk.post("/try/scenario", {"game": game, "record": record, "/seats/0/cards": "Ah"})
        assert answer.status == 200
        assert "message-of-problem" in answer.text or record == "{}"


def test_odds_are_worked_out_by_the_command(desk: RunningDesk) -> None:
    page = desk.post("/rulebook/odds?id=co-rule10-3card-shine").location
    assert "Show the odds" in desk.finish(page).plain
    assert "3.3730 %" in desk.get(f"{page}/odds").plain
    assert page in desk.get("/rulebook/document?id=co-rule10-3card-shine").text
