"""Command lines run in this process or as the program itself, and small inputs to run them on."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from tests.facade.commands import main
from tests.facade.rules import rules_folder

GAME = "co-rule10-3card-shine"
DEMO = rules_folder() / GAME / "demo"

SUPER_6_AREA = "{wager: super-6, legend: Super 6 Bonus}"
LIMITS_LAWFUL = '{clause: "(2)", by: General manager G. Example, given: 2026-01-20}'

Record = dict[str, Any]
Edit = Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A command line that has ended: its exit code, and what it wrote."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Standard output as text."""
        return self.out.decode()

    @property
    def results(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


def run(*arguments: str | Path, stdin: bytes = b"") -> Finished:
    """Run a command line in this process. A fault of the program is raised as it arose."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    given = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        mock.patch.object(sys, "stdin", given),
        mock.patch.dict(os.environ, {"FAIRDEAL_TRACEBACK": "1"}),
    ):
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as end:
            assert isinstance(end.code, int)
            code = int(end.code)
    out.flush()
    return Finished(code=code, out=out.buffer.getvalue(), err=err.getvalue())


def program(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run a command line as the program itself, its output captured unless `options` say otherwise."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "-m", "cli.main", *map(str, arguments)]
    return subprocess.run(command, check=False, **{"timeout": 60, **streams, **options})


def demo_lines() -> list[str]:
    """The lines of the demo's hand log; the last hand-written one is broken."""
    return (DEMO / "hand-log.jsonl").read_text("utf-8").splitlines()


def demo_round(name: str) -> Record:
    """A round of the demo's hand log, as data of its own."""
    found: Record = json.loads(next(line for line in demo_lines() if f'"round":"{name}"' in line))
    return found


def demo_submission(*edits: Edit) -> str:
    """The demo's submission, edited."""
    text = (DEMO / "submission.yaml").read_text("utf-8")
    for edit in edits:
        text = edit(text)
    return text


def complying(*edits: Edit) -> str:
    """The demo's submission put right, without the waiver it claims, and edited."""
    return demo_submission(
        replaced("posted: [], tips: false} # PLANTED: posted nowhere", "posted: [signage], tips: false}"),
        replaced("odds: 5 to 1} # PLANTED: table D pays 6 to 1; 5 to 1 is in table C", "odds: 6 to 1}"),
        replaced("  areas: # PLANTED: there is none for Super 6\n", f"  areas:\n  - {SUPER_6_AREA}\n"),
        replaced("PLANTED: nobody vouches under clause (2) that the limits are lawful\n", f"\n- {LIMITS_LAWFUL}\n"),
        lambda text: text.partition("\nwaivers:")[0] + "\n",
        *edits,
    )


def granted(*clauses: str, **terms: str) -> str:
    """A regulator's file with a waiver for the casino of the demo."""
    told = {"licensee": "Golden Gulch Casino", "document": GAME, "by": "A. Specimen, director", "granted": "2026-01-25"}
    waiver = {**told, "clauses": list(clauses), **terms}
    return json.dumps({"regulator": "Specimen Gaming Commission", "waivers": [waiver]})


def to_log(rounds: Iterable[Record | str]) -> bytes:
    """Rounds, or lines as they stand, as a log in JSON Lines."""
    lines = (one if isinstance(one, str) else json.dumps(one, separators=(",", ":")) for one in rounds)
    return "".join(f"{line}\n" for line in lines).encode()


def statuses(results: Any, *names: str) -> dict[str, str]:
    """The status of each requirement of results, by its name within its document; of some, where they are named."""
    found = {one["requirement"].partition("/")[2]: one["status"] for one in results["requirements"]}
    return {name: found[name] for name in names} if names else found


def failures(results: Any) -> list[tuple[str | None, str]]:
    """The round and the requirement's name of every failure, in the order of the results."""
    return [
        (one["where"]["round"], one["requirement"].partition("/")[2])
        for one in results["findings"]
        if one["status"] == "fail"
    ]


def without(findings: Iterable[Any], *parts: str) -> list[Any]:
    """Findings without some parts of their places."""
    return [
        {**one, "where": {key: value for key, value in one["where"].items() if key not in parts}} for one in findings
    ]


def replaced(old: str, new: str) -> Edit:
    """Puts `new` in place of `old`, which must stand in the text exactly once."""

    def edit(text: str) -> str:
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
        return text.replace(old, new)

    return edit
