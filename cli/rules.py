"""`fairdeal rules`: list, show, check, test and coverage of the rulebook."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

import click

from cli.common import completion
from cli.common.exits import ExitCode, complain, complain_of, naming, not_among
from cli.common.options import FormType, rules_option
from cli.common.rulebook import open_rulebook
from cli.common.streams import say
from validator.reports.wording import counted
from validator.rules.core.library import SNAPSHOT
from validator.text.diagnostics import Diagnostic, InputError, did_you_mean

if TYPE_CHECKING:
    from validator.audit.examples.run import ExampleRun
    from validator.rulebook.loading.rulebook import Rulebook
    from validator.rules.core.regulation import Regulation

NAMED = frozenset({"wagers", "bonuses", "decisions", "rows", "options", "what"})
"""Keys of named parts of a game, which are printed a line each."""
FORMATS = FormType(["text", "json"])
"""Formats of the subcommands."""


@click.group()
def rules() -> None:
    """Inspect the rulebook: its contents, its mistakes, its examples and its coverage of clauses."""


def _output_option(command: Any) -> Any:
    return click.option("-o", "--output", "form", type=FORMATS, default="text", help="text or json.")(command)


def print_json(value: Any) -> None:
    """Print a value as JSON, keys in the order given."""
    say(json.dumps(value, indent=2, ensure_ascii=False))


@rules.command("list")
@click.argument("documents", nargs=-1, metavar="[DOCUMENT...]", shell_complete=completion.documents)
@click.option("--pattern", metavar="NAME", help="Only requirements made from this pattern.")
@_output_option
@rules_option
def list_(documents: tuple[str, ...], pattern: str | None, form: str, rules: str | None) -> int:
    """List the requirements and profiles of some documents, or of all."""
    from validator.rulebook.loading.catalogue import listed  # noqa: PLC0415
    from validator.rules.core.library import profiles  # noqa: PLC0415 - each subcommand imports its own

    rulebook = open_rulebook(rules)
    wanted = _documents(rulebook, documents)
    entries = [entry for document in wanted for entry in listed(rulebook.regulation(document))]
    if pattern is not None:
        known = dict.fromkeys(entry["pattern"] for entry in entries if entry["pattern"])
        entries = [entry for entry in entries if entry["pattern"] == pattern]
        if not entries:
            raise not_among(tuple(known), pattern, "pattern")
    if form == "json":
        print_json(entries)
        return ExitCode.COMPLIANT
    for entry in entries:
        say(f"{entry['requirement']}  [{entry['evidence']}, {entry['severity']}]  {', '.join(entry['clauses'])}")
    for name in profiles(rulebook.folder) if pattern is None else ():
        if name.split("/")[0] in wanted:
            say(f"{name}  [profile]")
    say(counted(len(entries), "requirement"))
    return ExitCode.COMPLIANT


def _documents(rulebook: Rulebook, named: tuple[str, ...]) -> tuple[str, ...]:
    """Return the named documents, all of them if none is named."""
    for document in named:
        if document not in rulebook.documents:
            raise not_among(rulebook.documents, document, "document")
    return tuple(dict.fromkeys(named)) or rulebook.documents


@rules.command()
@click.argument("name", metavar="ID", shell_complete=completion.everything)
@click.option("--expanded", is_flag=True, help="Print a requirement as YAML, with its pattern expanded.")
@_output_option
@rules_option
def show(name: str, expanded: bool, form: str, rules: str | None) -> int:
    """Show a document, clause, requirement, reading or profile by its id.

    A requirement is shown in sentences that can be compared with its clauses: what it requires, its terms, its source,
    the readings of unclear passages, and an example of a violation.
    """
    from validator.audit.rule_text.laid_out import in_words  # noqa: PLC0415
    from validator.rulebook.loading.catalogue import described  # noqa: PLC0415
    from validator.rulebook.loading.profile import read_profile  # noqa: PLC0415
    from validator.rules.core.library import profiles  # noqa: PLC0415

    rulebook = open_rulebook(rules)
    known = {full: read_profile(rulebook, str(path)) for full, path in profiles(rulebook.folder).items()}
    regulations = rulebook.all()
    with naming():
        entries = described(regulations, known, name)
    words = {entry.id: in_words(rulebook, entry.id) for entry in entries if entry.kind == "requirement"}
    if expanded:
        if not words:
            raise click.UsageError(f"`{name}` is not a requirement; only requirements can be expanded")
        say("\n".join(text.yaml() for text in words.values()))
        return ExitCode.COMPLIANT
    if form == "json":
        more = {full: text.facts() for full, text in words.items()}
        print_json([{"kind": entry.kind, "id": entry.id, **entry.facts, **more.get(entry.id, {})} for entry in entries])
        return ExitCode.COMPLIANT
    for entry in entries:
        if entry.id in words:
            say("\n".join(words[entry.id].lines()))
            continue
        say(f"{entry.kind} {entry.id}")
        for key, value in entry.facts.items():
            if key in NAMED and (named := _find_named_parts(value)):
                say(f"  {key}:")
                for called, what in named.items():
                    say(f"    {called}: {_plain(what)}")
            elif value is not None and value != []:
                say(f"  {key}: {_plain(value)}")
    return ExitCode.COMPLIANT


def _find_named_parts(value: Any) -> dict[str, Any]:
    """Return named parts by name, from a mapping or a list of pairs."""
    if isinstance(value, list) and all(isinstance(item, dict) and len(item) == 2 for item in value):
        return dict(item.values() for item in value)
    return value if isinstance(value, dict) else {}


def _plain(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else str(value)


@rules.command()
@click.argument("path", required=False, shell_complete=completion.documents_and_files)
@_output_option
@rules_option
def check(path: str | None, form: str, rules: str | None) -> int:
    """Check rule files. PATH is the id or folder of a document, or a file in it; by default the whole rulebook.

    A single document without errors is also played: every deal is evaluated, and simulated rounds are audited, with and
    without violations. Every file is also checked against its JSON Schema, which editors use; a warning shows where the
    schema and the program differ.
    """
    from validator.audit.examples.evidence import load_samples  # noqa: PLC0415
    from validator.cautions.cautions import cautions, in_play  # noqa: PLC0415
    from validator.rulebook.loading.load import read_rule_files  # noqa: PLC0415
    from validator.rulebook.loading.profile import read_profile  # noqa: PLC0415
    from validator.rulebook.loading.simulation_file import FILE, read_simulation  # noqa: PLC0415
    from validator.rules.core.library import all_files, profiles, rules_folder  # noqa: PLC0415
    from validator.rules.core.rule_trees import RuleTrees  # noqa: PLC0415
    from validator.schemas.agreement import disagreements_in  # noqa: PLC0415

    folder, wanted = _folder_of(path, rules)
    rulebook = open_rulebook(folder)
    root = rulebook.folder or rules_folder()
    compared: set[Path] = set()
    entries: list[dict[str, Any]] = []
    checked = wanted or rulebook.documents
    for document in checked:
        entry: dict[str, Any] = {"document": document, "sound": True, "problems": []}
        entries.append(entry)
        trees = RuleTrees()
        try:
            regulation = rulebook.regulation(document)
            read = read_rule_files(document, rulebook.folder, trees)
            samples = load_samples(regulation, rulebook.folder, trees)
            if (root / document / FILE).exists():
                read = (*read, read_simulation(regulation, rulebook.folder)[0])
            for name, file in profiles(rulebook.folder).items():
                if name.startswith(f"{document}/"):
                    read_profile(rulebook, str(file))
        except InputError as error:
            complain(error)
            entry.update(sound=False, problems=[_problem(diagnostic) for diagnostic in error.diagnostics])
        else:
            examples = [trees.read(file)[1] for file in all_files(document, root) if file.parent.name == "examples"]
            warnings = tuple(cautions(rulebook, regulation, read, examples))
            if len(checked) == 1 and all(warning.severity != "error" for warning in warnings):
                warnings += tuple(in_play(rulebook, regulation, read))
            complain_of(warnings)
            entry["problems"] = [_problem(warning) for warning in warnings]
            entry["sound"] = all(warning.severity != "error" for warning in warnings)
            counts = {
                "clause": len(regulation.document.clauses),
                "requirement": len(regulation.requirements),
                "reading": len(regulation.readings),
                "example": len(samples),
            }
            entry.update({f"{thing}s": count for thing, count in counts.items()})
            if form == "text":
                say(f"{document}: {', '.join(counted(count, thing) for thing, count in counts.items())}")
        files = [file for file in all_files(document, root) if file not in compared]
        compared.update(files)
        differences = disagreements_in(files, trees)
        complain_of(differences)
        entry["problems"] += [_problem(difference) for difference in differences]
    if form == "json":
        print_json(entries)
    return ExitCode.COMPLIANT if all(entry["sound"] for entry in entries) else ExitCode.UNREADABLE


def _problem(diagnostic: Diagnostic) -> dict[str, Any]:
    keys = ("file", "line", "column", "code", "severity", "message", "expected", "help")
    return {key: getattr(diagnostic, key) for key in keys}


def _folder_of(path: str | None, rules: str | None) -> tuple[str | None, tuple[str, ...]]:
    """Return the rules folder (None for the shipped one) and the documents (none for all) that a path names."""
    if path is None:
        return rules, ()
    place = Path(path).resolve()
    if not place.exists():
        known = open_rulebook(rules).documents
        if path in known:
            return rules, (path,)
        near = did_you_mean(path, known)
        hint = f"; did you mean `{near}`?" if near else ""
        raise click.UsageError(f"there is no file, folder or document `{path}`{hint}")
    for home in (place, *place.parents):
        if (home / "document.yaml").exists():
            return str(home.parent), (home.name,)
        if [*home.glob("*/document.yaml")]:  # to its end, so that nothing is left open
            return str(home), ()
    raise click.UsageError(f"`{path}` is not in a rules folder: there is no document.yaml in it, above it or below it")


@rules.command()
@click.argument("document", required=False, shell_complete=completion.documents)
@click.option(
    "--update",
    is_flag=True,
    help="Update the snapshot of texts and unconfirmed rules, if all examples have their findings.",
)
@_output_option
@rules_option
def test(document: str | None, update: bool, form: str, rules: str | None) -> int:
    """Run the examples of a document, or of all.

    Each must give exactly the findings that it states, with the texts in the snapshot of the document.
    """
    from validator.audit.examples.run import run_examples  # noqa: PLC0415

    rulebook = open_rulebook(rules)
    if document is not None and document not in rulebook.documents:
        raise not_among(rulebook.documents, document, "document")
    entries: list[dict[str, Any]] = []
    for name in (document,) if document else rulebook.documents:
        regulation = rulebook.regulation(name)
        if update:
            ran, became = _update_snapshot(regulation, rulebook.folder)
        else:
            ran, became = run_examples(regulation, rulebook.folder), ""
        entries += [
            {
                "document": name,
                "example": proof.sample.example.example,
                "file": proof.sample.file,
                "line": proof.sample.line,
                "column": proof.sample.column,
                "holds": not proof.problems,
                "problems": list(proof.problems),
            }
            for proof in ran.proofs
        ]
        if ran.stale:
            entries.append(
                {
                    "document": name,
                    "example": None,
                    "file": SNAPSHOT,
                    "line": None,
                    "column": None,
                    "holds": False,
                    "problems": list(ran.stale),
                }
            )
        if form == "text":
            _print_run(ran, became)
    if form == "json":
        print_json(entries)
    return ExitCode.COMPLIANT if all(entry["holds"] for entry in entries) else ExitCode.VIOLATIONS


def _update_snapshot(regulation: Regulation, folder: Path | None) -> tuple[ExampleRun, str]:
    """Run the examples, update the snapshot, and return the run and what happened to the file."""
    from validator.audit.examples.run import update_snapshot  # noqa: PLC0415
    from validator.audit.examples.snapshot import snapshot_file  # noqa: PLC0415

    try:
        ran, changed = update_snapshot(regulation, folder)
    except OSError as error:
        path = snapshot_file(regulation.id, folder)
        message = f"cannot be written: {error.strerror or error}"
        raise InputError((Diagnostic(code="not-written", message=message, file=str(path)),)) from error
    return ran, "is not updated" if ran.wrong else "is updated" if changed else "is up to date"


def _print_run(ran: ExampleRun, became: str) -> None:
    for proof in ran.wrong:
        sample = proof.sample
        say(f"{ran.document}/{sample.example.example} ({sample.file}:{sample.line}:{sample.column})")
        for problem in proof.problems:
            say(indent(problem, "  "))
    if ran.stale:
        say(f"{ran.document} ({SNAPSHOT})")
        for problem in ran.stale:
            say(indent(problem, "  "))
    say(f"{ran.document}: {len(ran.proofs) - len(ran.wrong)} of {len(ran.proofs)} examples are as stated")
    if became:
        say(f"{ran.document}: {SNAPSHOT} {became}")
    elif ran.stale or any(proof.altered for proof in ran.proofs):
        say(f"{ran.document}: {SNAPSHOT} has other texts; if the new ones are right, update it:")
        say(f"  fairdeal rules test --update {ran.document}")


@rules.command()
@click.argument("documents", nargs=-1, metavar="[DOCUMENT...]", shell_complete=completion.documents)
@_output_option
@rules_option
def coverage(documents: tuple[str, ...], form: str, rules: str | None) -> int:
    """Show the requirements and examples of every clause, or the reason why it has none."""
    from validator.audit.run.clause_coverage import covered  # noqa: PLC0415

    rulebook = open_rulebook(rules)
    clauses = covered(rulebook, _documents(rulebook, documents))
    if form == "json":
        print_json(clauses)
        return ExitCode.COMPLIANT
    for clause in clauses["clauses"]:
        rests = ", ".join(clause["requirements"]) or clause["reason"] or ""
        examples = counted(len(clause["examples"]), "example")
        say(f"{clause['clause']}  {clause['status']}  {examples}  {rests}")
    for name, count in clauses["totals"].items():
        say(f"{name}: {count}")
    return ExitCode.COMPLIANT
