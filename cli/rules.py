"""`fairdeal rules`: looking at the rulebook."""

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
"""What a game has several of, each with a name: shown a line each."""
FORMATS = FormType(["text", "json"])


@click.group()
def rules() -> None:
    """Look at the rulebook: what it holds, whether it is sound, what it proves and what it covers."""


def _output_option(command: Any) -> Any:
    return click.option("-o", "--output", "form", type=FORMATS, default="text", help="text or json.")(command)


def print_json(value: Any) -> None:
    """Print a value as JSON, keys in the order given."""
    say(json.dumps(value, indent=2, ensure_ascii=False))


@rules.command("list")
@click.argument("documents", nargs=-1, metavar="[DOCUMENT...]", shell_complete=completion.documents)
@click.option("--pattern", metavar="NAME", help="Only instances of this pattern.")
@_output_option
@rules_option
def list_(documents: tuple[str, ...], pattern: str | None, form: str, rules: str | None) -> int:
    """List the requirements of some documents, or of all, and the profiles that lie with them."""
    from validator.rulebook.loading.catalogue import listed  # noqa: PLC0415
    from validator.rules.core.library import profiles  # noqa: PLC0415 - each subcommand pays for its own

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
    """The documents that are named, all of them where none is."""
    for document in named:
        if document not in rulebook.documents:
            raise not_among(rulebook.documents, document, "document")
    return tuple(dict.fromkeys(named)) or rulebook.documents


@rules.command()
@click.argument("name", metavar="ID", shell_complete=completion.everything)
@click.option("--expanded", is_flag=True, help="Print a requirement as YAML: what an instance of a pattern stands for.")
@_output_option
@rules_option
def show(name: str, expanded: bool, form: str, rules: str | None) -> int:
    """Show a document, clause, requirement, reading or profile by its id.

    A requirement is told in sentences that can be held against its clauses: what it asks, what the words in it mean,
    where it comes from, how doubtful passages are read, and an example that breaks it.
    """
    from validator.audit.rule_text.laid_out import in_words  # noqa: PLC0415
    from validator.rulebook.loading.catalogue import described  # noqa: PLC0415
    from validator.rulebook.loading.profile import read_profile  # noqa: PLC0415
    from validator.rules.core.library import profiles  # noqa: PLC0415

    rulebook = open_rulebook(rules)
    known = {full: read_profile(rulebook, str(path)) for full, path in profiles(rulebook.folder).items()}
    regulations = rulebook.all()
    with naming():
        found = described(regulations, known, name)
    words = {one.id: in_words(rulebook, one.id) for one in found if one.kind == "requirement"}
    if expanded:
        if not words:
            raise click.UsageError(f"`{name}` is no requirement, so there is nothing that it stands for")
        say("\n".join(text.yaml() for text in words.values()))
        return ExitCode.COMPLIANT
    if form == "json":
        more = {full: text.facts() for full, text in words.items()}
        print_json([{"kind": one.kind, "id": one.id, **one.facts, **more.get(one.id, {})} for one in found])
        return ExitCode.COMPLIANT
    for one in found:
        if one.id in words:
            say("\n".join(words[one.id].lines()))
            continue
        say(f"{one.kind} {one.id}")
        for key, value in one.facts.items():
            if key in NAMED and (named := _named(value)):
                say(f"  {key}:")
                for called, what in named.items():
                    say(f"    {called}: {_plain(what)}")
            elif value is not None and value != []:
                say(f"  {key}: {_plain(value)}")
    return ExitCode.COMPLIANT


def _named(value: Any) -> dict[str, Any]:
    """Things by name: a mapping of them, or a list of names and what each says."""
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
    """Check rule files: PATH is a document's folder, a file in it, or the document's id; left out, the whole
    rulebook.

    A document that is checked by itself is played as well, if it is in order: every deal is gone through, and simulated
    rounds are audited, with and without faults. Besides, every file is held against its JSON Schema, which editors and
    other programs go by: a warning tells where one of the two accepts what the other refuses.
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
    held: set[Path] = set()
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
            entry.update(sound=False, problems=[_problem(one) for one in error.diagnostics])
        else:
            examples = [trees.read(one)[1] for one in all_files(document, root) if one.parent.name == "examples"]
            found = tuple(cautions(rulebook, regulation, read, examples))
            if len(checked) == 1 and all(one.severity != "error" for one in found):
                found += tuple(in_play(rulebook, regulation, read))
            complain_of(found)
            entry["problems"] = [_problem(one) for one in found]
            entry["sound"] = all(one.severity != "error" for one in found)
            counts = {
                "clause": len(regulation.document.clauses),
                "requirement": len(regulation.requirements),
                "reading": len(regulation.readings),
                "example": len(samples),
            }
            entry.update({f"{thing}s": count for thing, count in counts.items()})
            if form == "text":
                say(f"{document}: {', '.join(counted(count, thing) for thing, count in counts.items())}")
        files = [one for one in all_files(document, root) if one not in held]
        held.update(files)
        second = disagreements_in(files, trees)
        complain_of(second)
        entry["problems"] += [_problem(one) for one in second]
    if form == "json":
        print_json(entries)
    return ExitCode.COMPLIANT if all(entry["sound"] for entry in entries) else ExitCode.UNREADABLE


def _problem(diagnostic: Diagnostic) -> dict[str, Any]:
    keys = ("file", "line", "column", "code", "severity", "message", "expected", "help")
    return {key: getattr(diagnostic, key) for key in keys}


def _folder_of(path: str | None, rules: str | None) -> tuple[str | None, tuple[str, ...]]:
    """The rules folder (none for the shipped one) and the documents (none for all) that a path stands for."""
    if path is None:
        return rules, ()
    place = Path(path).resolve()
    if not place.exists():
        known = open_rulebook(rules).documents
        if path in known:
            return rules, (path,)
        near = did_you_mean(path, known)
        hint = f"; did you mean `{near}`?" if near else ""
        raise click.UsageError(f"there is no file or folder `{path}`, and no document of that id{hint}")
    for home in (place, *place.parents):
        if (home / "document.yaml").exists():
            return str(home.parent), (home.name,)
        if [*home.glob("*/document.yaml")]:  # to its end, so that nothing is left open
            return str(home), ()
    raise click.UsageError(f"`{path}` is not in a rules folder: no document.yaml is there, above it or below it")


@rules.command()
@click.argument("document", required=False, shell_complete=completion.documents)
@click.option(
    "--update",
    is_flag=True,
    help="Write down anew what findings say in words and what stays unproven, where every example gives what it says.",
)
@_output_option
@rules_option
def test(document: str | None, update: bool, form: str, rules: str | None) -> int:
    """Run the examples of a document, or of all: each must give exactly the findings it says, in the words that the
    snapshot of the document keeps."""
    from validator.audit.examples.run import run_examples  # noqa: PLC0415

    rulebook = open_rulebook(rules)
    if document is not None and document not in rulebook.documents:
        raise not_among(rulebook.documents, document, "document")
    entries: list[dict[str, Any]] = []
    for name in (document,) if document else rulebook.documents:
        regulation = rulebook.regulation(name)
        if update:
            ran, became = _updated(regulation, rulebook.folder)
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


def _updated(regulation: Regulation, folder: Path | None) -> tuple[ExampleRun, str]:
    """A run that writes the snapshot anew, and what became of the file."""
    from validator.audit.examples.run import update_snapshot  # noqa: PLC0415
    from validator.audit.examples.snapshot import snapshot_file  # noqa: PLC0415

    try:
        ran, changed = update_snapshot(regulation, folder)
    except OSError as error:
        path = snapshot_file(regulation.id, folder)
        message = f"cannot be written: {error.strerror or error}"
        raise InputError((Diagnostic(code="not-written", message=message, file=str(path)),)) from error
    return ran, "is left as it was" if ran.wrong else "is written anew" if changed else "is as it must be"


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
    say(f"{ran.document}: {len(ran.proofs) - len(ran.wrong)} of {len(ran.proofs)} examples give what they must")
    if became:
        say(f"{ran.document}: {SNAPSHOT} {became}")
    elif ran.stale or any(proof.altered for proof in ran.proofs):
        say(f"{ran.document}: what is kept stands in {SNAPSHOT}; if what is found now is right, write it anew:")
        say(f"  fairdeal rules test --update {ran.document}")


@rules.command()
@click.argument("documents", nargs=-1, metavar="[DOCUMENT...]", shell_complete=completion.documents)
@_output_option
@rules_option
def coverage(documents: tuple[str, ...], form: str, rules: str | None) -> int:
    """Tell for every clause of some documents, or of all, what became of it: requirements, examples, or the reason
    there are none."""
    from validator.audit.run.clause_coverage import covered  # noqa: PLC0415

    rulebook = open_rulebook(rules)
    found = covered(rulebook, _documents(rulebook, documents))
    if form == "json":
        print_json(found)
        return ExitCode.COMPLIANT
    for clause in found["clauses"]:
        rests = ", ".join(clause["requirements"]) or clause["reason"] or ""
        examples = counted(len(clause["examples"]), "example")
        say(f"{clause['clause']}  {clause['status']}  {examples}  {rests}")
    for name, count in found["totals"].items():
        say(f"{name}: {count}")
    return ExitCode.COMPLIANT
