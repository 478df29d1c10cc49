"""The cases, in three stages: what a later one reads was left by the old checkout in an earlier one."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tools.same_behaviour.case import FORMATS, Case, case, outputs
from tools.same_behaviour.examples import copy_without_expectations, write_examples
from tools.same_behaviour.shipped import Rules, Shipped
from tools.same_behaviour.slips import slips_of_record, slips_of_rules, slips_of_yaml
from tools.same_behaviour.yaml_core import read_yaml

COMMANDS = (
    *(
        "audit",
        "check",
        "compare",
        "explain",
        "layout",
        "new",
        "report",
        "rules",
        "schema",
        "sign",
        "simulate",
        "verify",
    ),
    *("rules check", "rules coverage", "rules list", "rules show", "rules test"),
)
ROUNDS = "16"
"""Rounds of a simulated log with faults."""
EXPLAINED = 3
"""Number of rounds of a log that are explained, in addition to those of demos under their submissions."""
EFFECTIVE = "2026-02-01"


class Plan:
    """Plan of the cases that run on everything shipped. Each stage is requested after all earlier cases have run."""

    def __init__(self, shipped: Shipped) -> None:
        self._shipped = shipped
        self._inputs = shipped.inputs
        self._rules = shipped.rules
        self._demos = shipped.demos()
        self._made_up = shipped.made_up()
        self._simulated: dict[str, tuple[Rules, list[str]]] = {}
        """Rules, and cases whose logs go to a folder of the inputs, by folder."""
        self._judged: dict[str, tuple[str, ...]] = {}
        """Cases that leave results, and the options that they were judged by."""

    def warm(self) -> list[list[str]]:
        """Return a case that loads most of a program."""
        games = [["simulate", game, "--rounds", "2", "--seed", "1"] for game in self._rules.games[:1]]
        return [["rules", "list"], *games]

    def first(self) -> Iterator[Case]:
        """Yield the cases on the rulebook, forms, simulated logs, and bad rules."""
        yield case("", "--version")
        yield case("", "--help")
        for command in COMMANDS:
            yield case("", *command.split(), "--help")
        yield from self._rulebook()
        yield from self._simulations()
        yield from self._forms()
        yield from self._bad_rules()

    def second(self, left: Mapping[str, Path]) -> Iterator[Case]:
        """Submissions checked and logs audited; `left` is where the old checkout ran the cases before."""
        houses = self._inputs / "houses"
        houses.mkdir()
        for document in self._rules.documents:
            written = left[f"new {document} --example"] / "house.yaml"
            if written.exists():
                shutil.copyfile(written, houses / f"{document}.yaml")
        yield from self._demo_audits()
        yield from self._example_audits()
        yield from self._simulated_audits(left)
        yield from self._checks()
        yield from self._bad_inputs()

    def third(self, left: Mapping[str, Path]) -> Iterator[Case]:
        """Yield the cases on saved results, and explanations of rounds."""
        results: dict[str, str] = {}
        (self._inputs / "results").mkdir()
        for name in self._judged:
            written = left[name] / "results.json"
            if written.exists():
                results[name] = f"in/results/{len(results)}.json"
                shutil.copyfile(written, self._inputs.parent / results[name])
        for name, path in results.items():
            yield from self._explanations(name, json.loads((self._inputs.parent / path).read_bytes()))
        demos = {name: path for name, path in results.items() if name.startswith("audit demo")}
        for name, path in demos.items():
            yield case(f"report {name}", "report", path, *outputs("again"))
        for name, other in zip(list(demos)[1:], list(demos), strict=False):
            yield case(f"compare {other} with {name}", "compare", demos[other], demos[name])
            again = ("-o", "json:new.json", "-o", "csv:new.csv")
            yield case(f"compare {other} with {name}, in other formats", "compare", demos[other], demos[name], *again)
            known = ("--baseline", demos[other], "--fail-on", "new")
            yield case(f"{name} since {other}", *self._judged[name], *known, *outputs())
        for name, path in results.items():
            words = self._judged[name]
            at = words.index("--rules") if "--rules" in words else len(words)
            inputs = [word for word in (*words[:at], *words[at + 2 :]) if word.startswith("in/")]
            named = words[at : at + 2]
            yield case(f"verify {name}", "verify", path, *inputs, *named)
        yield from self._signatures(next(iter(demos.values()), None))

    # the first stage

    def _rulebook(self) -> Iterator[Case]:
        told = self._inputs / "told"
        copy_without_expectations(self._rules.folder, told)
        for document in self._rules.documents:
            yield case("", "rules", "test", document)
            yield case(f"rules test {document}, nothing expected", "rules", "test", document, "--rules", "in/told")
        yield case("", "rules", "test", self._rules.documents[0], "-o", "json")
        for form in ("text", "json"):
            yield case("", "rules", "list", "-o", form)
            yield case("", "rules", "coverage", "-o", form)
            yield case("", "rules", "check", "-o", form)
            yield from (case("", "rules", "show", document, "-o", form) for document in self._rules.documents)
        alone = self._shipped.each_alone()
        for name in self._shipped.ids():
            yield case(f"rules show {name}", "rules", "show", name, *alone[name.split("/")[0]].named, quick=True)
        for profile, document in self._shipped.profiles().items():
            yield case("", "rules", "show", f"{document}/{profile}")
        yield case("", "rules", "show", self._rules.documents[0] + "/nothing")
        for rules in self._made_up:
            for command in ("list", "coverage", "check"):
                yield case("", "rules", command, *rules.named)
            yield from (case("", "rules", "show", name, "-o", "json", *rules.named) for name in rules.documents)
        schemas = sorted(path.name.split(".")[0] for path in (self._shipped.old.root / "schemas").glob("*.json"))
        yield case("", "schema")
        yield from (case("", "schema", name) for name in schemas if name != "definitions")

    def _simulations(self) -> Iterator[Case]:
        for rules in (self._rules, *self._made_up):
            options = rules.named
            faults = self._shipped.faults(rules)
            for game in rules.games:
                run = ("simulate", game, *options, "--seed", "7")
                logs = [f"{' '.join(run)} clean"]
                house = ("--write-submission", "house.yaml")
                yield case(logs[0], *run, "--rounds", "200", "-o", "log.jsonl", *house, makes=True)
                for fault in faults[game]:
                    logs.append(f"{' '.join(run)} {fault}")
                    planted = ("--fault", fault, "--fault-every", "2", "--rounds", ROUNDS)
                    yield case(logs[-1], *run, *planted, "-o", "log.jsonl", quick=True, makes=True)
                self._simulated[f"simulated/{rules.name}/{game}"] = (rules, logs)
        for game in self._rules.games:
            for seed, ending in (("8", "parquet"), ("9", "jsonl.gz"), ("10", "jsonl.zst")):
                more = ("--rounds", "50", "--seats", "2-5", "-o", f"log.{ending}")
                yield case("", "simulate", game, "--seed", seed, *more)
        for profile, document in self._shipped.profiles().items():
            if document in self._rules.games:
                yield case("", "simulate", document, "--seed", "7", "--rounds", "100", "--profile", profile)

    def _forms(self) -> Iterator[Case]:
        for document in self._rules.documents:
            form = ("new", document)
            on = ("--effective", EFFECTIVE, "-o", "house.yaml")
            yield case(f"new {document}", *form, *on, "--licensee", "A House")
            example = ("--example", "-o", "house.yaml")
            yield case(f"new {document} --example", *form, *example, makes=True)
        for profile, document in self._shipped.profiles().items():
            yield case("", "new", document, "--example", "--profile", profile)

    def _bad_rules(self) -> Iterator[Case]:
        folder = self._inputs / "slips" / "rules"
        for document in self._rules.documents:
            for rules in slips_of_rules(self._rules.folder / document, folder, 2):
                at = f"in/slips/rules/{rules.name}"
                yield case(f"rules check slip {rules.name}", "rules", "check", "--rules", at, quick=True)

    # the second stage

    def _audit(self, name: str, *arguments: str, more: tuple[str, ...] = ()) -> Case:
        """Build an audit by one process whose results are kept."""
        words = ("audit", *arguments, "-j", "1")
        self._judged[name] = words
        return case(name, *words, *more, *outputs(), makes=True)

    def _options(self, document: str) -> tuple[str, ...]:
        waivers = self._inputs / "demo" / document / "waivers.yaml"
        granted = ("--waivers", f"in/demo/{document}/waivers.yaml") if waivers.exists() else ()
        return ("-s", f"in/demo/{document}/submission.yaml", *granted)

    def _demo_audits(self) -> Iterator[Case]:
        for document, logs in self._demos.items():
            under = self._options(document)
            yield self._audit(f"audit demo {document}", *logs, *under)
            for log in logs:
                name = Path(log).name
                yield self._audit(f"audit demo {document} {name}", log, *under)
                yield self._audit(f"audit demo {document} {name}, no submission", log)
                for profile, of in self._shipped.profiles().items():
                    if of == document:
                        yield self._audit(f"audit demo {document} {name}, {profile}", log, *under, "--profile", profile)
            options: dict[str, tuple[str, ...]] = {
                "several processes": ("-j", "3"),
                "as of a day": ("--as-of", "2020-01-01"),
                "in a currency": ("--currency", "EUR"),
                "critical ones": ("--fail-on", "critical"),
                "unproven allowed": ("--allow-unproven",),
                "quiet": ("-q",),
            }
            for what, more in options.items():
                yield case(f"audit demo {document}, {what}", "audit", *logs, *under, *more)
            for form in FORMATS:
                if form not in {"xlsx", "sqlite"}:
                    yield case(f"audit demo {document}, {form} printed", "audit", *logs, *under, "-o", form)
            words = ("audit", "-", *under)
            text = next((log for log in logs if log.endswith(".jsonl")), None)
            if text:
                yield Case(name=f"audit demo {document} from stdin", arguments=words, stdin=text.removeprefix("in/"))

    def _example_audits(self) -> Iterator[Case]:
        for document in self._rules.documents:
            at = f"examples/{document}"
            write_examples(self._rules.folder / document, self._inputs / at)
            if (self._inputs / at / "log.jsonl").stat().st_size == 0:
                continue
            words = (f"in/{at}/log.jsonl", "-s", f"in/{at}/submissions")
            yield self._audit(f"audit examples {document}", *words)
            yield case(f"audit examples {document}, no submission", "audit", words[0], "-o", "json", "-j", "1")
            for profile, of in self._shipped.profiles().items():
                if of == document:
                    chosen = ("--profile", profile, "-o", "json", "-j", "2")
                    yield case(f"audit examples {document}, {profile}", "audit", *words, *chosen)

    def _simulated_audits(self, left: Mapping[str, Path]) -> Iterator[Case]:
        for at, (rules, logs) in self._simulated.items():
            folder = self._inputs / at
            folder.mkdir(parents=True)
            house = read_yaml(left[logs[0]] / "house.yaml")
            house["tables"] = _gather([left[log] / "log.jsonl" for log in logs], folder / "log.jsonl")
            (folder / "house.json").write_text(json.dumps(house, ensure_ascii=False, indent=1), "utf-8")
            words = (f"in/{at}/log.jsonl", "-s", f"in/{at}/house.json", *rules.named)
            yield self._audit(f"audit {at}", *words)
            yield case(f"audit {at}, no submission", "audit", words[0], *rules.named, "-j", "1", "-o", "json")

    def _checks(self) -> Iterator[Case]:
        submissions = {f"demo {name}": f"in/demo/{name}/submission.yaml" for name in self._demos}
        submissions |= {f"house {path.stem}": f"in/houses/{path.name}" for path in self._houses()}
        for name, path in submissions.items():
            yield case(f"check {name}", "check", path, *outputs())
            yield case(f"check {name}, diff", "check", path, "--diff")
            yield case(f"layout {name}", "layout", path)
            copies = {"house.yaml": path.removeprefix("in/")}
            yield Case(name=f"check {name}, fix", arguments=("check", "house.yaml", "--fix"), copies=copies)
        for name in self._demos:
            _, submission, *waivers = self._options(name)
            if waivers:
                yield case(f"check demo {name}, waivers", "check", submission, *waivers)
        for document in self._rules.documents:
            at = f"in/examples/{document}/submissions"
            yield case(f"check examples {document}", "check", at, *outputs())

    def _houses(self) -> list[Path]:
        return sorted((self._inputs / "houses").iterdir())

    def _bad_inputs(self) -> Iterator[Case]:
        for house in self._houses():
            folder = self._inputs / "slips" / "submissions" / house.stem
            folder.mkdir(parents=True)
            for number, text in enumerate(slips_of_yaml(house.read_text("utf-8"), 96)):
                (folder / f"{number:03d}.yaml").write_text(text, "utf-8")
            at = f"in/slips/submissions/{house.stem}"
            yield case(f"check slips {house.stem}", "check", at)
            yield case(f"check slips {house.stem}, diff", "check", at, "--diff")
            for number in range(0, 96, 4):
                path = f"{at}/{number:03d}.yaml"
                if (folder / f"{number:03d}.yaml").exists():
                    yield case(f"check slip {house.stem} {number:03d}", "check", path, "-o", "json", quick=True)
        for at, (rules, _) in self._simulated.items():
            log = self._inputs / at / "log.jsonl"
            lines = log.read_text("utf-8").splitlines()
            slips = list(slips_of_record(max(lines[:20], key=len))) if lines else []
            (log.parent / "slips.jsonl").write_text("\n".join(slips), "utf-8")
            yield case(f"audit slips {at}", "audit", f"in/{at}/slips.jsonl", *rules.named, "-j", "1", "-o", "json")
        yield case("", "audit", "in/nothing.jsonl")
        yield case("", "check", "in/nothing.yaml")
        yield case("", "audit")
        yield case("", "nothing")
        yield case("", "simulate", "nothing", "--rounds", "1", "--seed", "1")
        for form in ("nothing", "json:in/there/is/no/such.json"):
            yield case("", "check", "in/houses", "-o", form)
        yield case("", "check", "in/houses", "--profile", "nothing")

    # the third stage

    def _explanations(self, name: str, results: dict[str, Any]) -> Iterator[Case]:
        """Rounds with findings: of demos under their submissions all."""
        words = self._judged[name]
        rounds: dict[tuple[str, ...], None] = {}
        for finding in results["findings"]:
            where = finding["where"]
            if where.get("round") and where.get("file"):
                named = [(f"--{key}", where[key]) for key in ("round", "casino", "table") if where.get(key)]
                rounds[where["file"], *(word for pair in named for word in pair)] = None
        step = 1 if name in {f"audit demo {document}" for document in self._demos} else max(len(rounds) // EXPLAINED, 1)
        options = words[next((at for at, word in enumerate(words) if word.startswith("-")), len(words)) : -2]
        for number, round_ in enumerate(list(rounds)[::step]):
            yield case(f"explain {name[6:]} {' '.join(round_[1:])}", "explain", *round_, *options, quick=number > 0)

    def _signatures(self, results: str | None) -> Iterator[Case]:
        """Yield a signature by a key made for the run; Ed25519 is deterministic."""
        openssl = shutil.which("openssl")
        if results is None or openssl is None:
            return
        private, public = self._inputs / "key.pem", self._inputs / "public.pem"
        subprocess.run([openssl, "genpkey", "-algorithm", "ed25519", "-out", str(private)], check=True)
        subprocess.run([openssl, "pkey", "-in", str(private), "-pubout", "-out", str(public)], check=True)
        yield case("sign", "sign", results, "--key", "in/key.pem", "-o", "signature.json")


def _gather(logs: list[Path], into: Path) -> list[str]:
    """Logs written as one, in which each has tables and rounds of its own. Returns the tables."""
    tables: dict[str, None] = {}
    with into.open("w", encoding="utf-8") as stream:
        for number, path in enumerate(logs):
            if not path.exists():
                continue
            for line in path.read_text("utf-8").splitlines():
                record = json.loads(line)
                record["table"] = f"{record.get('table')}-{number}"
                record["round"] = f"{number}-{record['round']}"
                tables[record["table"]] = None
                stream.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")
    return list(tables)
