"""Files and names that the old checkout ships, from which cases are made."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tools.same_behaviour.checkout import Checkout, NotACheckoutError


@dataclass(frozen=True, kw_only=True)
class Rules:
    """A rules folder: the shipped one, or one made up for tests, which commands name."""

    name: str
    folder: Path
    named: tuple[str, ...] = ()
    """The options that name it."""

    @cached_property
    def documents(self) -> list[str]:
        """Its documents."""
        return sorted(path.parent.name for path in self.folder.glob("*/document.yaml"))

    @cached_property
    def games(self) -> list[str]:
        """Games that can be simulated."""
        return [name for name in self.documents if (self.folder / name / "simulation.yaml").exists()]


class Shipped:
    """The old checkout, and `inputs`: the folder that cases of both checkouts read."""

    def __init__(self, old: Checkout, inputs: Path) -> None:
        self.old = old
        self.inputs = inputs
        self.rules = Rules(name="shipped", folder=old.rules)

    def made_up(self) -> list[Rules]:
        """Copy the rules folders of tests to the inputs, if there are any."""
        tests = self.old.root / "tests"
        found = []
        for name, source in {
            "variants": tests / "variants" / "games",
            "made-up": tests / "simulate" / "made_up",
        }.items():
            if source.is_dir():
                folder = self.inputs / "rules" / name
                shutil.copytree(source, folder)
                if not (folder / "vocabulary").exists():
                    shutil.copytree(self.old.rules / "vocabulary", folder / "vocabulary")
                found.append(Rules(name=name, folder=folder, named=("--rules", f"in/rules/{name}")))
        return found

    def demos(self) -> dict[str, list[str]]:
        """Documents with a demo, and the logs of each; copied to the inputs."""
        logs = {}
        for folder in sorted(self.rules.folder.glob("*/demo")):
            document = folder.parent.name
            shutil.copytree(folder, self.inputs / "demo" / document)
            paths = sorted(path for path in folder.iterdir() if path.suffix in {".jsonl", ".phhs", ".phh"})
            logs[document] = [f"in/demo/{document}/{path.name}" for path in paths]
        return logs

    def profiles(self) -> dict[str, str]:
        """Shipped profiles by name, and the document each lies with."""
        return {path.stem: path.parts[-3] for path in sorted(self.rules.folder.glob("*/profiles/*.yaml"))}

    def read_json(self, *arguments: str) -> Any:
        """Return what the old program prints as JSON. Raises NotACheckoutError if it does not."""
        command = [str(self.old.program), *arguments, "-o", "json"]
        ran = subprocess.run(command, cwd=self.inputs.parent, capture_output=True, check=False)
        try:
            return json.loads(ran.stdout)
        except ValueError as error:
            raise NotACheckoutError(f"{' '.join(command)}: {ran.stderr.decode('utf-8', 'replace')}") from error

    def each_alone(self) -> dict[str, Rules]:
        """Rules folders of one document each, without examples, copied to the inputs: quick to load."""
        alone = {}
        for document in self.rules.documents:
            folder = self.inputs / "rules" / document
            left_out = shutil.ignore_patterns("demo", "profiles", "examples")
            shutil.copytree(self.rules.folder / document, folder / document, ignore=left_out)
            shutil.copytree(self.rules.folder / "vocabulary", folder / "vocabulary")
            alone[document] = Rules(name=document, folder=folder, named=("--rules", f"in/rules/{document}"))
        return alone

    def ids(self) -> list[str]:
        """Return every requirement, clause and reading."""
        found = [finding["requirement"] for finding in self.read_json("rules", "list")]
        found += [clause["clause"] for clause in self.read_json("rules", "coverage")["clauses"]]
        for document in self.rules.documents:
            (facts,) = self.read_json("rules", "show", document)
            found += [f"{document}/{reading}" for reading in facts["readings"]]
        return list(dict.fromkeys(found))

    def faults(self, rules: Rules) -> dict[str, list[str]]:
        """Return the requirements of each game whose breach can be planted."""
        listed = self.read_json("rules", "list", *rules.named)
        return {
            game: [item["requirement"] for item in listed if item["document"] == game and item["plantable"]]
            for game in rules.games
        }
