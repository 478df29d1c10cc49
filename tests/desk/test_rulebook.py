"""Pages of the rulebook: everything that a finding or a field leads to is there, and rounds can be tried."""

from __future__ import annotations

import json
import re
from html import unescape
from urllib.parse import quote

import pytest

from fairdeal.validator.rulebook.loading.rulebook import Rulebook
from tests.desk.client import RunningDesk
from tests.facade.commands import run

RULEBOOK = Rulebook()
GAMES = [document for document in RULEBOOK.documents if RULEBOOK.regulation(document).game is not None]


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
    inputs = re.findall(r'<input[^>]* name="([^"]*)" value="([^"]*)"', page)
    return {unescape(name): unescape(value) for name, value in inputs}


@pytest.mark.parametrize("game", GAMES)
def test_a_round_of_each_game_is_explained(desk: RunningDesk, game: str) -> None:
    page = desk.get(f"/rulebook/scenario?game={game}&seed=3")
    assert "Settlement of each wager" in page.plain or "Pots" in page.plain or "pot" in page.plain
    assert "could not be read" not in page.plain
    assert "message-of-problem" not in page.text


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
        f"/seats/{seat}/wagers/{bet}": "2.00",
        "/dealer": "AsAd9c7d4s",
        "/dealer-discarded": "",
        "/dealer-drawn": "",
    }
    due = desk.post("/try/scenario", fields).plain
    assert "royal flush" in due
    assert "due: 200.00" in due
    wrong = desk.post("/try/scenario", fields | {f"/seats/{seat}/wagers/{bet}": "much"}).plain
    assert "write an amount such as 5.00" in wrong
    assert desk.post("/try/scenario", fields | {"/dealer": "ZZ"}).status == 200


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
