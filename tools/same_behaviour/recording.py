"""Recording of the old checkout's output for every case, made once and compared with any number of others."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.same_behaviour.case import Case
from tools.same_behaviour.checkout import Checkout
from tools.same_behaviour.plan import Plan
from tools.same_behaviour.shipped import Shipped

CHUNK = 40
"""Quick cases that one process takes."""


@dataclass(frozen=True, kw_only=True)
class Recording:
    """Cases that the old checkout has run, each with its number, and what loads most of a program."""

    cases: list[tuple[int, Case]]
    warm: list[list[str]]


def record_in_order(old: Checkout, jobs: int) -> Recording:
    """Return the recording in the scratch folder of a checkout if these tools recorded this commit; record anew
    otherwise."""
    file = old.scratch / "recording.json"
    stamp = _stamp(old.root)
    if file.exists():
        told = json.loads(file.read_bytes())
        if told["stamp"] == stamp:
            cases = [
                (number, Case(**{**case, "arguments": tuple(case["arguments"])})) for number, case in told["cases"]
            ]
            return Recording(cases=cases, warm=told["warm"])
        for left in (old.inputs, old.scratch):  # nothing but what a recording made
            shutil.rmtree(left, ignore_errors=True)
    file.parent.mkdir(parents=True)
    file.write_text('{"stamp": null}', "utf-8")  # of a run that is broken off, all goes the next time
    recording = record(old, jobs)
    told = {
        "stamp": stamp,
        "warm": recording.warm,
        "cases": [(number, asdict(case)) for number, case in recording.cases],
    }
    file.write_text(json.dumps(told), "utf-8")
    return recording


def record(old: Checkout, jobs: int, only: str = "") -> Recording:
    """Run the cases with a word in their names, and those that they need. Raises ValueError where two cases have one
    name."""
    old.inputs.mkdir(parents=True)
    plan = Plan(Shipped(old, old.inputs))
    warm = plan.warm()
    cases: list[Case] = []
    left: dict[str, Path] = {}
    for stage in (plan.first, lambda: plan.second(left), lambda: plan.third(left)):
        begun = len(cases)
        for case in stage():
            if case.name in left:
                raise ValueError(f"two cases are named {case.name}")
            left[case.name] = old.folder(len(cases))
            cases.append(case)
        numbered = list(enumerate(cases))[begun:]
        run_all(old, [case for case in numbered if only in case[1].name or case[1].makes], warm, jobs)
    return Recording(cases=list(enumerate(cases)), warm=warm)


def run_all(checkout: Checkout, cases: Sequence[tuple[int, Case]], warm: list[list[str]], jobs: int) -> None:
    """Run cases, several at a time."""
    (checkout.scratch / "tmp").mkdir(parents=True, exist_ok=True)
    quick = [case for case in cases if case[1].quick]
    chunks = [quick[at : at + CHUNK] for at in range(0, len(quick), CHUNK)]
    with ThreadPoolExecutor(jobs) as pool:
        runs = [pool.submit(checkout.run, *case) for case in cases if not case[1].quick]
        runs += [pool.submit(checkout.run_quick, chunk, warm) for chunk in chunks]
        for run in runs:
            run.result()


def _stamp(root: Path) -> str:
    """Return the commit of a checkout, with a digest of these tools."""
    command = ["git", "-C", str(root), "rev-parse", "HEAD"]
    digest = hashlib.sha256(subprocess.run(command, capture_output=True, check=False).stdout)
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
