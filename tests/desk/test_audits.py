"""Audits of the desk: the results of the command line, kept with reviews of their findings."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest

from fairdeal.cli.desk.audit_pages import list_formats
from fairdeal.cli.desk.desk_server import SessionKeys
from fairdeal.cli.desk.desk_state import DeskSettings, lock_home
from fairdeal.cli.desk.desk_store import choose_file_name
from fairdeal.validator.reports.renderers import RENDERERS
from tests.desk.client import DeskThread, Files, RunningDesk
from tests.desk.conftest import POKER
from tests.facade.commands import run, run_program

GENERATED = re.compile(r'"generated": ?"([^"]*)"')
LOG, HOUSE = POKER / "hand-log.jsonl", POKER / "submission.yaml"


@pytest.fixture(scope="module")
def second_run(desk: RunningDesk, poker_run: str) -> str:
    """Return the address of a run with the same evidence, compared with the first."""
    return desk.audit(LOG, HOUSE, baseline=poker_run.rpartition("/")[2])


def test_results_are_those_of_the_command_line(desk: RunningDesk, poker_run: str, tmp_path: Path) -> None:
    stored = desk.settings.find_run_folder(int(poker_run.rpartition("/")[2]))
    results = desk.get(f"{poker_run}/export/json").body
    assert results == (stored / "results.json").read_bytes()
    generated = GENERATED.search(results.decode())
    assert generated
    moment = int(time.mktime(time.strptime(generated[1], "%Y-%m-%dT%H:%M:%SZ")) - time.timezone)
    for path in (LOG, HOUSE):
        shutil.copy(path, tmp_path)
    command = ["audit", LOG.name, "-s", HOUSE.name, "-q", "-o", "json:r.json", "-o", "html:r.html"]
    run_program(*command, cwd=tmp_path, env={"SOURCE_DATE_EPOCH": str(moment), "PATH": ""})
    assert results == (tmp_path / "r.json").read_bytes()
    assert desk.get(f"{poker_run}/report").body == (tmp_path / "r.html").read_bytes()
    assert list_formats() == list(RENDERERS)  # of an installation with all extras
    for form in RENDERERS:
        exported = desk.get(f"{poker_run}/export/{form}")
        assert exported.status == 200
        if form not in ("text", "sqlite", "docx"):
            assert exported.body == run("report", tmp_path / "r.json", "-o", form).out, form


def test_the_page_of_a_run_has_its_verdict_and_findings(desk: RunningDesk, poker_run: str) -> None:
    page = desk.get(poker_run).plain
    assert "Violations" in page
    assert "20 findings" in page
    assert "The dealer did not award a pot to its winners, whole and in equal shares." in page


def test_a_folder_gives_its_evidence(desk: RunningDesk) -> None:
    files: Files = [("march/house.yaml", HOUSE), ("march/notes.txt", b"Hello"), ("march/<b>.png", b"x")]
    page = desk.upload("/audits", files, name_of_files="folder").location
    shown = desk.finish(page)
    assert "house.yaml" in shown.plain
    assert "Left out, because their names are not those of evidence: march/notes.txt, march/<b>.png" in shown.plain
    assert "<b>.png" not in shown.text
    assert desk.upload("/audits", files[1:], name_of_files="folder").status == 422


def test_findings_are_filtered(desk: RunningDesk, poker_run: str) -> None:
    assert "2 findings" in desk.get(f"{poker_run}?q=P1-12").plain
    assert "No finding fits these filters." in desk.get(f"{poker_run}?q=P1-12&status=error").plain
    for hostile in (
        "?page=99999999999999",
        "?page=-1",
        "?page=x",
        "?seat=%27%3B--",
        "?q=%00%27%22",
        "?context.%27=%27",
    ):
        assert desk.get(f"{poker_run}{hostile}").status == 200, hostile


def test_the_next_finding_is_that_of_the_filtered_list(desk: RunningDesk, poker_run: str) -> None:
    listed = desk.get(f"{poker_run}?table=P1").text
    links = [unescape(link) for link in re.findall(r'<a href="([^"]*/findings/[^"]*)"><bdi>', listed)]
    assert len(links) > 2
    assert all(link.endswith("?table=P1") for link in links)
    for link, following in pairwise(links):
        assert f'rel="next" href="{following}"' in unescape(desk.get(link).text)
    assert 'rel="next"' not in desk.get(links[-1]).text
    assert 'rel="prev"' not in desk.get(links[0]).text
    assert desk.get(f"{links[0]}&q=%27%22&seat=x").status == 200


def test_a_review_is_kept_by_the_id_of_the_finding(desk: RunningDesk, poker_run: str, second_run: str) -> None:
    fields = {
        "version": "0",
        "state": "closed",
        "assignee": "K. Mora",
        "deadline": "2026-05-01",
        "note": "Paid <b>back",
    }
    page = f"{poker_run}/findings/1"
    assert desk.post(f"{page}/review", fields).location == page
    assert "Paid <b>back" in desk.get(page).plain
    assert "&lt;b&gt;" in desk.get(page).text
    # The same evidence in another run has the same findings.
    assert "closed" in desk.get(f"{second_run}/findings/1").plain
    assert "1 finding" in desk.get(f"{second_run}?review=closed").plain
    # A tab with the state before cannot undo the change, and its note is not lost.
    other = desk.post(f"{page}/review", fields | {"state": "open", "note": "second tab"})
    assert other.status == 409
    assert "second tab" in other.plain
    assert "1 finding" in desk.get(f"{second_run}?review=closed").plain


@pytest.mark.parametrize(
    "wrong",
    [
        {"state": "gone"},
        {"deadline": "31.1.2026"},
        {"version": "x"},
        {"assignee": "n" * 121},
        {"note": "n" * 10_001},
    ],
)
def test_wrong_fields_of_a_review_are_refused(desk: RunningDesk, poker_run: str, wrong: dict[str, str]) -> None:
    fields = {"version": "0", "state": "open", "assignee": "", "deadline": "", "note": ""}
    assert desk.post(f"{poker_run}/findings/2/review", fields | wrong).status == 409
    assert "Last change" not in desk.get(f"{poker_run}/findings/2").plain


def test_a_round_is_explained_step_by_step(desk: RunningDesk, poker_run: str) -> None:
    shown = desk.get(f"{poker_run}/findings/1/round").plain
    assert "Round P1-12" in shown
    assert "Requirements" in shown


def test_runs_are_compared_and_verified(desk: RunningDesk, poker_run: str, second_run: str) -> None:
    assert "20 findings" in desk.get(f"{second_run}?change=known").plain
    compared = desk.get(f"{second_run}/compare?with={poker_run.rpartition('/')[2]}").plain
    assert "0 new" in compared
    assert desk.get(f"{second_run}/compare?with=999").status == 404
    assert desk.get(f"{second_run}/compare?with=../1").status == 400
    verified = desk.finish(desk.post(f"{poker_run}/verify").location)
    assert "verified" in verified.plain
    assert "Verified" in verified.plain


def test_submissions_alone_are_checked(desk: RunningDesk) -> None:
    page = desk.audit(HOUSE)
    assert "fairdeal check" in desk.get(page).plain


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("", b"", "no file was chosen"),
        ("map.yaml", b"game: s38\ncolumns: {}\n", "there is no hand log and no submission"),
        ("waivers.yaml", b"regulator: R\nwaivers: []\n", "there is no hand log and no submission"),
    ],
)
def test_uploads_without_evidence_are_refused(desk: RunningDesk, name: str, content: bytes, says: str) -> None:
    answer = desk.upload("/audits", [(name, content)])
    assert answer.status == 422
    assert says in answer.plain


def test_evidence_that_cannot_be_read_gives_messages(desk: RunningDesk) -> None:
    broken = [b"", b"\0\xff", b"[" * 100_000, b"a: &a [*a]", b'{"round": 1}\n' * 3]
    endings = ("jsonl", "yaml", "json", "parquet", "jsonl.gz")
    files = [(f"{number}.{ending}", content) for number, content in enumerate(broken) for ending in endings]
    page = desk.finish(desk.upload("/audits", files).location)
    assert page.status == 200
    assert "Inconclusive" in page.plain
    for name, _ in files:
        assert f"{name}:" in page.plain or f"{name} " in page.plain
    assert "Traceback" not in page.plain
    assert "internal error" not in page.plain


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("log.jsonl", "log.jsonl"),
        ("../../etc/passwd", "passwd"),
        ("C:\\fakepath\\march.jsonl.gz", "march.jsonl.gz"),
        ("-o", "o"),
        (".hidden.yaml", "hidden.yaml"),
        ("*?[a].jsonl", "a_.jsonl"),
        ("s3://bucket/x.jsonl", "x.jsonl"),
        ("\u202egpj.jsonl", "gpj.jsonl"),
        ("<script>.yaml", "script_.yaml"),
        ("Größe 3.yaml", "Größe 3.yaml"),
        ("", "file"),
        ("n" * 500 + ".jsonl", "n" * 120 + ".jsonl"),
    ],
)
def test_names_of_files_are_safe(given: str, name: str) -> None:
    assert choose_file_name(given, ()) == name
    assert choose_file_name(given, (name.upper(),)) != name


def test_hostile_names_stay_text_and_modules_are_not_imported(desk: RunningDesk, tmp_path: Path) -> None:
    title, proof = "<img src=x onerror=alert(1)>\u202e", tmp_path / "imported"
    module = f"import pathlib; pathlib.Path({str(proof)!r}).touch()\n".encode()
    files: Files = [("<script>alert(1)<!--.yaml", HOUSE), ("fairdeal.py", module), ("json.py", module)]
    shown = desk.finish(desk.upload("/audits", files, {"title": title}).location)
    assert "<img" not in shown.text
    assert "<script>alert" not in shown.text
    assert "[U+202E]" in shown.text
    assert "<img" not in desk.get("/").text
    assert not proof.exists()


def test_a_canceled_run_leaves_no_results(desk: RunningDesk) -> None:
    log = LOG.read_bytes() * 60
    first, second = (desk.upload("/audits", [("log.jsonl", log), ("house.yaml", HOUSE)]).location for _ in range(2))
    assert "Waiting" in desk.get(second).plain or "under way" in desk.get(second).plain
    for page in (second, first):
        desk.post(f"{page}/cancel")
        assert "canceled" in desk.finish(page).plain
        folder = desk.settings.find_run_folder(int(page.rpartition("/")[2]))
        assert [path.name for path in folder.iterdir()] == ["evidence"]
        assert desk.get(f"{page}/report").status == 404
        assert desk.post(f"{page}/remove").location == "/"
        assert desk.get(page).status == 404
        assert not folder.exists()


def test_a_server_that_ends_leaves_nothing_half_written(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with DeskThread(home) as desk:
        log = LOG.read_bytes() * 60
        page = desk.upload("/audits", [("log.jsonl", log), ("house.yaml", HOUSE)]).location
        time.sleep(0.5)
    assert [path.name for path in (home / "runs" / "000001").iterdir()] == ["evidence"]
    with DeskThread(home) as desk:
        assert "interrupted" in desk.get("/").plain.lower()
        assert "The server ended before this run did." in desk.get(page).plain


def test_a_second_server_does_not_use_the_same_folder(tmp_path: Path) -> None:
    with lock_home(tmp_path / "home"):
        done = run("serve", "--home", tmp_path / "home", "--port", "0")
        assert done.code == 3
        assert "another desk uses this folder" in done.err


def test_a_server_that_is_killed_takes_its_run_with_it(tmp_path: Path) -> None:
    """The run ends with the server, leaves no results, and the next server says so."""
    home = tmp_path / "home"
    command = [sys.executable, "-m", "fairdeal", "serve", "--port", "0", "--home", str(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)", server.stdout.readline())
        assert address
        keys = SessionKeys(int(address[1]))
        desk = RunningDesk(DeskSettings(home=home, port=int(address[1])), keys)
        desk.cookie = desk.get(f"/?token={address[2]}", Cookie=None).headers["set-cookie"].partition(";")[0]
        page = desk.upload("/audits", [("log.jsonl", LOG.read_bytes() * 400), ("house.yaml", HOUSE)]).location
        while "run_process" not in (found := list_children(server.pid)):
            assert server.poll() is None
        server.kill()
    child = int(found.partition(" ")[0])
    deadline = time.monotonic() + 20
    while Path(f"/proc/{child}").exists() and "Z" not in Path(f"/proc/{child}/stat").read_text().split()[2]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert [path.name for path in (home / "runs" / "000001").iterdir()] == ["evidence"]
    with DeskThread(home) as again:
        assert "The server ended before this run did." in again.get(page).plain


def list_children(pid: int) -> str:
    """Return the process id and the command line of a child of a process; nothing if it has none."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "stat").read_text().rpartition(")")[2].split()[1] == str(pid):
                return f"{folder.name} {(folder / 'cmdline').read_text()}"
        except OSError:
            continue
    return ""
