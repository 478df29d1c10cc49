"""Evidence of examples written out: as submissions and hand logs to audit, and as examples that expect nothing."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tools.same_behaviour.yaml_core import read_yaml

EXPECTED = ("findings", "unproven", "not-applicable", "boundary")


def copy_without_expectations(rules: Path, into: Path) -> None:
    """Copy rules so that their examples expect nothing, and `rules test` prints all that is found in them."""
    shutil.copytree(rules, into, ignore=shutil.ignore_patterns("demo", "profiles", "examples.snapshot.yaml"))
    for path in sorted(into.glob("*/examples/*.yaml")):
        if path.name == "bases.yaml":
            continue
        file = read_yaml(path)
        file.pop("unproven", None)
        for example in file["examples"]:
            broken = [finding["requirement"] for finding in example.get("findings", ())]
            named = [
                *example.get("about", ()),
                *broken,
                *example.get("unproven", ()),
                *example.get("not-applicable", ()),
            ]
            example["about"] = list(dict.fromkeys(named))
            for key in EXPECTED:
                example.pop(key, None)
        path.write_text(json.dumps(file, ensure_ascii=False, indent=1), "utf-8")


def write_examples(document: Path, into: Path) -> None:
    """Write the examples of a document as one hand log, `log.jsonl`, and `submissions/`, one for each submission.

    Submissions are distinguished by their casinos, which the rounds name; rounds by the names of their examples. A
    session has a casino of its own.
    """
    stock = _Stock(document / "examples")
    houses = _Houses(into / "submissions")
    with (into / "log.jsonl").open("w", encoding="utf-8") as log:
        for file in stock.files:
            for example in file["examples"]:
                variation = example.get("submission")
                rounds = list(_rounds(stock, example))
                if variation is None and rounds and "under" in file:
                    variation = {"base": file["under"]}
                submission = variation and stock.build_evidence("submissions", variation)
                house = submission and houses.name_casino(submission, own=example["example"] if len(rounds) > 1 else "")
                for record in rounds:
                    record["round"] = f"{example['example']}: {record.get('round')}"
                    if house:
                        record["casino"] = house
                    log.write(json.dumps(record, ensure_ascii=False) + "\n")


class _Stock:
    """The examples of a document and what they start from."""

    def __init__(self, folder: Path) -> None:
        paths = sorted(folder.glob("*.yaml"))
        self.files = [read_yaml(path) for path in paths if path.name != "bases.yaml"]
        self._bases: dict[str, Any] = next((read_yaml(path) for path in paths if path.name == "bases.yaml"), {})
        self._examples = {example["example"]: example for file in self.files for example in file["examples"]}

    def build_evidence(self, kind: str, variation: dict[str, Any]) -> dict[str, Any]:
        """Evidence of a kind, with all the changes on the way to it."""
        if "like" in variation:
            root = self.build_evidence(kind, self._examples[variation["like"]][kind.removesuffix("s")])
        elif kind == "rounds" and variation["base"] in self._bases.get("variations", {}):
            root = self.build_evidence(kind, self._bases["variations"][variation["base"]])
        else:
            root = copy.deepcopy(self._bases[kind][variation["base"]])
        return _vary(root, variation)


class _Houses:
    """Submissions written out once each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: dict[str, str] = {}
        folder.mkdir(parents=True)

    def name_casino(self, submission: dict[str, Any], *, own: str) -> str:
        key = json.dumps([submission, own], sort_keys=True)
        if key not in self._names:
            self._names[key] = name = f"House {len(self._names) + 1:03d}"
            licensee = submission.get("licensee")
            submission["licensee"] = {**(licensee if isinstance(licensee, dict) else {}), "name": name}
            text = json.dumps(submission, ensure_ascii=False, indent=1)
            (self._folder / f"{name.replace(' ', '-').lower()}.json").write_text(text, "utf-8")
        return self._names[key]


def _rounds(stock: _Stock, example: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rounds of an example, those of a session a minute apart."""
    if "round" in example:
        yield stock.build_evidence("rounds", example["round"])
    for unit in (-1, 1) if "boundary" in example else ():
        told = stock.build_evidence("rounds", example["round"])
        told["round"] = f"{told.get('round')} {unit:+}"
        if _missettle(
            told, {(boundary["at"]["seat"], boundary["at"]["wager"]) for boundary in example["boundary"]}, unit
        ):
            yield told
    before: dict[str, Any] = {}
    for variation in example.get("rounds", ()):
        for time in range(variation.get("times", 1)):
            told = stock.build_evidence("rounds", variation)
            own = set() if time else {*variation.get("set", ()), *variation.get("remove", ())}
            if before and "/time" not in own:
                told["time"] = (datetime.fromisoformat(before["time"]) + timedelta(minutes=1)).isoformat()
            if "number" in before and "/number" not in own:
                told["number"] = before["number"] + 1
            told["round"] = f"R{int(str(before.get('round', 'R0'))[1:]) + 1}"
            before = dict(told)
            yield told


def _missettle(told: dict[str, Any], places: set[tuple[int, str]], unit: int) -> bool:
    """Settle the wagers at some places in the player's favour by some units, if there is anything to take. Return
    whether there was."""
    found = False
    for seat in told["seats"]:
        for wager in seat.get("wagers", ()):
            paid, taken = wager.get("paid", 0), wager.get("taken", 0)
            if (seat["seat"], wager["wager"]) in places and (unit > 0 or paid or taken < wager["amount"]):
                wager.update({"paid": paid + unit} if (paid if unit < 0 else not taken) else {"taken": taken - unit})
                found = True
    return found


def _vary(root: dict[str, Any], variation: dict[str, Any]) -> dict[str, Any]:
    for pointer, value in variation.get("insert", {}).items():
        around, last = _find_parent(root, pointer)
        around.insert(len(around) if last == "-" else int(last), copy.deepcopy(value))
    for pointer, value in variation.get("set", {}).items():
        around, last = _find_parent(root, pointer)
        around[int(last) if isinstance(around, list) else last] = copy.deepcopy(value)
    for pointer in variation.get("remove", ()):
        around, last = _find_parent(root, pointer)
        del around[int(last) if isinstance(around, list) else last]
    return root


def _find_parent(root: Any, pointer: str) -> tuple[Any, str]:
    *parts, last = (part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])
    for part in parts:
        root = root[int(part)] if isinstance(root, list) else root[part]
    return root, last
