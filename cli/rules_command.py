"""`fairdeal rules`: list, show, check, test and coverage of the rulebook."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

import click

from fairdeal.cli.common import command_settings, process
from fairdeal.cli.common.command_settings import find_document, open_rulebook
from fairdeal.cli.common.shared_options import FormType, quote_texts, rules_option, texts_option
from fairdeal.validator.arrays import has_numpy
from fairdeal.validator.reports.report_wording import format_count
from fairdeal.validator.rules.rule_files import SNAPSHOT_FILE
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, merge_repeated

if TYPE_CHECKING:
    from fairdeal.validator.audit.rule_review.example_proof import ExampleRun
    from fairdeal.validator.rulebook.game_requirements import RuleFile
    from fairdeal.validator.rulebook.rulebook import Rulebook
    from fairdeal.validator.rules.regulation import Regulation


NAMED_PARTS = frozenset({"wagers", "bonuses", "decisions", "rows", "options", "what"})
"""Keys of named parts of a game, which are printed a line each."""
MOST_RESULTS = 30
"""Limit of the results of a search that text shows."""
FORMATS = FormType(["text", "json"])
"""Formats of the subcommands."""


@click.group()
def rules() -> None:
    """Inspect the rulebook: its contents, its mistakes, its examples and its coverage of clauses."""


def _output_option(command: Any) -> Any:
    return click.option("-o", "--output", "form", type=FORMATS, default="text", help="text or json.")(command)


def print_json(value: Any) -> None:
    """Print a value as JSON, keys in the order given."""
    process.print_line(json.dumps(value, indent=2, ensure_ascii=False))


@rules.command("list")
@click.argument("documents", nargs=-1, metavar="[DOCUMENT...]", shell_complete=command_settings.complete_documents)
@click.option("--pattern", metavar="NAME", help="Only requirements made from this pattern.")
@_output_option
@rules_option
def list_(documents: tuple[str, ...], pattern: str | None, form: str, rules: str | None) -> int:
    """List the requirements and profiles of some documents, or of all."""
    from fairdeal.validator.rulebook.rule_catalogue import list_requirements  # noqa: PLC0415
    from fairdeal.validator.rules.rule_files import list_profiles  # noqa: PLC0415 - each subcommand imports its own

    rulebook = open_rulebook(rules)
    wanted = _documents(rulebook, documents)
    entries = [entry for document in wanted for entry in list_requirements(rulebook.regulation(document))]
    if pattern is not None:
        known = dict.fromkeys(entry["pattern"] for entry in entries if entry["pattern"])
        entries = [entry for entry in entries if entry["pattern"] == pattern]
        if not entries:
            raise process.make_unknown_name_error(tuple(known), pattern, "pattern")
    if form == "json":
        print_json(entries)
        return process.ExitCode.COMPLIANT
    for document in wanted:
        listed = [entry for entry in entries if entry["document"] == document]
        if listed or not entries:
            process.print_line(f"{document}: {rulebook.regulation(document).document.title}")
        for entry in listed:
            facts = f"[{entry['evidence']}, {entry['severity']}]  {', '.join(entry['clauses'])}"
            process.print_line(f"{entry['requirement']}  {facts}  {entry['title']}")
    for name in list_profiles(rulebook.folder) if pattern is None else ():
        if name.split("/")[0] in wanted:
            process.print_line(f"{name}  [profile]")
    process.print_line(format_count(len(entries), "requirement"))
    return process.ExitCode.COMPLIANT


@rules.command()
@click.argument("words", nargs=-1, required=True)
@_output_option
@rules_option
def search(words: tuple[str, ...], form: str, rules: str | None) -> int:
    """Search documents, clauses, requirements, readings and wagers for words, which may be cut short.

    The exit code is 0 also where nothing is found.
    """
    from fairdeal.validator.rulebook.rule_catalogue import search_entries  # noqa: PLC0415

    results = search_entries(open_rulebook(rules).all(), " ".join(words))
    if form == "json":
        print_json([result._asdict() for result in results])
        return process.ExitCode.COMPLIANT
    for result in results[:MOST_RESULTS]:
        process.print_line(f"{result.kind} {result.id}\n  {result.text}")
    more = f"; the first {MOST_RESULTS} are shown, `-o json` has all" if len(results) > MOST_RESULTS else ""
    process.print_line(f"{format_count(len(results), 'result')}{more}")
    return process.ExitCode.COMPLIANT


def _documents(rulebook: Rulebook, named: tuple[str, ...]) -> tuple[str, ...]:
    """Return the named documents, all of them if none is named."""
    return tuple(dict.fromkeys(find_document(rulebook, name) for name in named)) or rulebook.documents


@rules.command()
@click.argument("name", metavar="ID", shell_complete=command_settings.complete_ids)
@click.option("--expanded", is_flag=True, help="Print a requirement as YAML, with its pattern expanded.")
@click.option(
    "--review", is_flag=True, help="Print a clause with all that encodes it, examples and readings, for comparison."
)
@_output_option
@texts_option
@rules_option
def show(name: str, expanded: bool, review: bool, form: str, texts: str | None, rules: str | None) -> int:
    """Show a document, clause, requirement, reading or profile by its id; a document also by words of its title.

    A requirement is shown in sentences that can be compared with its clauses: what it requires, its terms, its source,
    the readings of unclear passages, and an example of a violation.
    """
    from fairdeal.validator.audit.rule_review.requirement_text import describe_requirement  # noqa: PLC0415
    from fairdeal.validator.rulebook.rule_catalogue import find_documents, find_entries  # noqa: PLC0415
    from fairdeal.validator.rulebook.rulebook import read_profile  # noqa: PLC0415
    from fairdeal.validator.rules.rule_files import list_profiles  # noqa: PLC0415

    rulebook = open_rulebook(rules)
    known = {full: read_profile(rulebook, str(path)) for full, path in list_profiles(rulebook.folder).items()}
    regulations = rulebook.all()
    quoted = quote_texts(texts, rulebook)
    try:
        entries = find_entries(regulations, known, name)
    except InputError:
        documents = find_documents(rulebook, name)
        with process.unknown_ids_as_usage_errors():
            entries = find_entries(regulations, known, find_document(rulebook, name) if documents else name)
    if review:
        _print_reviews(rulebook, [entry.id for entry in entries if entry.kind == "clause"], name, form, quoted)
        return process.ExitCode.COMPLIANT
    words = {
        entry.id: describe_requirement(rulebook, entry.id, quoted) for entry in entries if entry.kind == "requirement"
    }
    if words and not has_numpy():
        process.print_message(f"examples of violations were not evaluated: {process.describe_installation('audit')}")
    if expanded:
        if not words:
            raise click.UsageError(f"`{name}` is not a requirement; only requirements can be expanded")
        process.print_line("\n".join(text.to_yaml() for text in words.values()))
        return process.ExitCode.COMPLIANT
    if form == "json":
        more = {full: text.to_data() for full, text in words.items()}
        texts_of = {name: {"text": text} for name, text in quoted.items()}
        print_json(
            [
                {
                    "kind": entry.kind,
                    "id": entry.id,
                    **entry.facts,
                    **more.get(entry.id, {}),
                    **texts_of.get(entry.id, {}),
                }
                for entry in entries
            ]
        )
        return process.ExitCode.COMPLIANT
    for entry in entries:
        if entry.id in words:
            process.print_line("\n".join(words[entry.id].render_lines()))
            continue
        process.print_line(f"{entry.kind} {entry.id}")
        if entry.id in quoted:
            process.print_line(indent(f"text:\n{indent(quoted[entry.id], '  ')}", "  "))
        for key, value in entry.facts.items():
            if key in NAMED_PARTS and (named := _find_named_parts(value)):
                process.print_line(f"  {key}:")
                for called, what in named.items():
                    process.print_line(f"    {called}: {_plain(what)}")
            elif value is not None and value != []:
                process.print_line(f"  {key}: {_plain(value)}")
    return process.ExitCode.COMPLIANT


def _print_reviews(rulebook: Rulebook, clauses: Sequence[str], name: str, form: str, quoted: Mapping[str, str]) -> None:
    """Print the reviews of clauses. Raises UsageError if there is none of that name."""
    from fairdeal.validator.audit.rule_review.requirement_text import review_clause  # noqa: PLC0415 - only --review

    if not clauses:
        raise click.UsageError(f"`{name}` is not a clause; only clauses can be reviewed")
    if not has_numpy():
        process.print_message(f"examples of violations were not evaluated: {process.describe_installation('audit')}")
    reviews = [review_clause(rulebook, clause, quoted) for clause in clauses]
    if form == "json":
        print_json([review.to_data() for review in reviews])
    else:
        process.print_line("\n\n".join("\n".join(review.render_lines()) for review in reviews))


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
@click.argument("document")
@click.option("--like", "template", required=True, metavar="GAME", help="Shipped template to begin with.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(file_okay=False),
    default="rules",
    show_default=True,
    help="Rules folder in which the document is written.",
)
def new(document: str, template: str, folder: str) -> int:
    """Begin a document of your own with the rules of a common game. DOCUMENT is its id.

    The template is a game in words of our own with its encoding. It is nobody's law: change both to what your text
    says.
    """
    from fairdeal.validator.rules.rule_files import copy_template, list_templates  # noqa: PLC0415
    from fairdeal.validator.text.closed_model import is_identifier  # noqa: PLC0415

    if template not in list_templates():
        raise process.make_unknown_name_error(list_templates(), template, "template")
    if not is_identifier(document):
        raise click.UsageError(f"`{document}` is no id: use small letters, digits and hyphens, such as `my-{template}`")
    home = Path(folder) / document
    if home.exists():
        raise click.UsageError(f"`{home}` exists already: choose another id or rules folder")
    for name, text in copy_template(template, document):
        with process.open_output(str(home / name)) as stream:
            stream.write(text)
    process.print_line(f"{home} is a copy of the template {template}. Next:")
    process.print_line(f"  fairdeal rules check {document} --rules {folder}")
    process.print_line(f"  fairdeal odds {document} --rules {folder}")
    process.print_line(f"  fairdeal simulate {document} --rules {folder} -o log.jsonl --write-submission house.yaml")
    return process.ExitCode.COMPLIANT


@rules.command()
@click.argument("path", required=False, shell_complete=command_settings.complete_documents_and_files)
@_output_option
@rules_option
def check(path: str | None, form: str, rules: str | None) -> int:
    """Check rule files. PATH is the id or folder of a document, or a file in it; by default the whole rulebook.

    A single document without errors is also played: every deal is evaluated, and simulated rounds are audited, with and
    without violations. Every file is validated by its JSON Schema first, as editors do. Without the extra `audit`,
    nothing is played.
    """
    from fairdeal.validator.audit.rule_review.example_evidence import load_samples  # noqa: PLC0415
    from fairdeal.validator.rule_checks.check_registry import find_warnings  # noqa: PLC0415
    from fairdeal.validator.rulebook.rule_loader import read_rule_files  # noqa: PLC0415
    from fairdeal.validator.rulebook.rulebook import read_profile  # noqa: PLC0415
    from fairdeal.validator.rulebook.simulation_file import SIMULATION_FILE, read_simulation  # noqa: PLC0415
    from fairdeal.validator.rules.rule_files import (  # noqa: PLC0415
        RuleFileCache,
        iterate_all_files,
        list_profiles,
        rules_folder,
    )
    from fairdeal.validator.schemas.rule_file_schemas import validate_rule_files  # noqa: PLC0415

    folder, wanted = _folder_of(path, rules)
    rulebook = open_rulebook(folder)
    root = rulebook.folder or rules_folder()
    validated: set[Path] = set()
    entries: list[dict[str, Any]] = []
    checked = wanted or rulebook.documents
    for document in checked:
        entry: dict[str, Any] = {"document": document, "sound": True, "problems": []}
        entries.append(entry)
        trees = RuleFileCache()
        files = [file for file in iterate_all_files(document, root) if file not in validated]
        validated.update(files)
        violations = validate_rule_files(files, trees)
        process.report_diagnostics(violations)
        try:
            regulation = rulebook.regulation(document)
            read = read_rule_files(document, rulebook.folder, trees)
            samples = load_samples(regulation, rulebook.folder, trees)
            if (root / document / SIMULATION_FILE).exists():
                read = (*read, read_simulation(regulation, rulebook.folder, trees)[0])
            for name, file in list_profiles(rulebook.folder).items():
                if name.startswith(f"{document}/"):
                    read_profile(rulebook, str(file))
        except InputError as error:
            process.report_error(error)
            entry.update(sound=False, problems=[_problem(problem) for problem in (*violations, *error.diagnostics)])
        else:
            examples = [
                trees.read(file)[1] for file in iterate_all_files(document, root) if file.parent.name == "examples"
            ]
            warnings = merge_repeated(find_warnings(rulebook, regulation, read, examples))
            if len(checked) == 1 and all(warning.severity != "error" for warning in warnings):
                warnings += _try_play(rulebook, regulation, read)
            process.report_diagnostics(warnings)
            entry["problems"] = [_problem(problem) for problem in (*violations, *warnings)]
            entry["sound"] = all(problem.severity != "error" for problem in (*violations, *warnings))
            counts = {
                "clause": len(regulation.document.clauses),
                "requirement": len(regulation.requirements),
                "reading": len(regulation.readings),
                "example": len(samples),
            }
            entry.update({f"{thing}s": count for thing, count in counts.items()})
            if form == "text":
                process.print_line(
                    f"{document}: {', '.join(format_count(count, thing) for thing, count in counts.items())}"
                )
    if form == "json":
        print_json(entries)
    return process.ExitCode.COMPLIANT if all(entry["sound"] for entry in entries) else process.ExitCode.UNREADABLE


def _try_play(rulebook: Rulebook, regulation: Regulation, files: Sequence[RuleFile]) -> tuple[Diagnostic, ...]:
    """Return the warnings of playing a game; without NumPy, print that it was not played."""
    from fairdeal.validator.rule_checks.check_registry import find_warnings_in_play  # noqa: PLC0415

    if has_numpy():
        return tuple(find_warnings_in_play(rulebook, regulation, files))
    if regulation.game is not None:
        what = f"{regulation.id} was not played and its odds were not tried"
        process.print_message(f"{what}: {process.describe_installation('audit')}")
    return ()


def _problem(diagnostic: Diagnostic) -> dict[str, Any]:
    keys = ("file", "line", "column", "code", "severity", "message", "expected", "help")
    return {key: getattr(diagnostic, key) for key in keys}


def _folder_of(path: str | None, rules: str | None) -> tuple[str | None, tuple[str, ...]]:
    """Return the rules folder (None for the shipped one) and the documents (none for all) that a path names."""
    if path is None:
        return rules, ()
    place = Path(path).resolve()
    if not place.exists():
        try:
            return rules, (find_document(open_rulebook(rules), path),)
        except click.UsageError as error:
            raise click.UsageError(f"there is no file or folder `{path}`, and {error.message}") from error
    for home in (place, *place.parents):
        if (home / "document.yaml").exists():
            return str(home.parent), (home.name,)
        if [*home.glob("*/document.yaml")]:  # to its end, so that nothing is left open
            return str(home), ()
    raise click.UsageError(f"`{path}` is not in a rules folder: there is no document.yaml in it, above it or below it")


@rules.command()
@click.argument("document", required=False, shell_complete=command_settings.complete_documents)
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
    from fairdeal.validator.audit.rule_review.example_proof import run_examples  # noqa: PLC0415

    rulebook = open_rulebook(rules)
    entries: list[dict[str, Any]] = []
    for name in (find_document(rulebook, document),) if document else rulebook.documents:
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
        if ran.stale_entries:
            entries.append(
                {
                    "document": name,
                    "example": None,
                    "file": SNAPSHOT_FILE,
                    "line": None,
                    "column": None,
                    "holds": False,
                    "problems": list(ran.stale_entries),
                }
            )
        if form == "text":
            _print_run(ran, became)
    if form == "json":
        print_json(entries)
    return process.ExitCode.COMPLIANT if all(entry["holds"] for entry in entries) else process.ExitCode.VIOLATIONS


def _update_snapshot(regulation: Regulation, folder: Path | None) -> tuple[ExampleRun, str]:
    """Run the examples, update the snapshot, and return the run and what happened to the file."""
    from fairdeal.validator.audit.rule_review.example_proof import update_snapshot  # noqa: PLC0415
    from fairdeal.validator.audit.rule_review.example_snapshot import get_snapshot_path  # noqa: PLC0415

    try:
        ran, changed = update_snapshot(regulation, folder)
    except OSError as error:
        path = get_snapshot_path(regulation.id, folder)
        message = f"cannot be written: {error.strerror or error}"
        raise InputError((Diagnostic(code="not-written", message=message, file=str(path)),)) from error
    return ran, "is not updated" if ran.failed_proofs else "is updated" if changed else "is up to date"


def _print_run(ran: ExampleRun, became: str) -> None:
    for proof in ran.failed_proofs:
        sample = proof.sample
        process.print_line(f"{ran.document}/{sample.example.example} ({sample.file}:{sample.line}:{sample.column})")
        for problem in proof.problems:
            process.print_line(indent(problem, "  "))
    if ran.stale_entries:
        process.print_line(f"{ran.document} ({SNAPSHOT_FILE})")
        for problem in ran.stale_entries:
            process.print_line(indent(problem, "  "))
    process.print_line(
        f"{ran.document}: {len(ran.proofs) - len(ran.failed_proofs)} of {len(ran.proofs)} examples are as stated"
    )
    if became:
        process.print_line(f"{ran.document}: {SNAPSHOT_FILE} {became}")
    elif ran.stale_entries or any(proof.snapshot_differences for proof in ran.proofs):
        process.print_line(f"{ran.document}: {SNAPSHOT_FILE} has other texts; if the new ones are right, update it:")
        process.print_line(f"  fairdeal rules test --update {ran.document}")


@rules.command()
@click.argument("documents", nargs=-1, metavar="[DOCUMENT...]", shell_complete=command_settings.complete_documents)
@_output_option
@rules_option
def coverage(documents: tuple[str, ...], form: str, rules: str | None) -> int:
    """Show the requirements and examples of every clause, or the reason why it has none."""
    from fairdeal.validator.audit.rule_review.example_evidence import report_coverage  # noqa: PLC0415

    rulebook = open_rulebook(rules)
    clauses = report_coverage(rulebook, _documents(rulebook, documents))
    if form == "json":
        print_json(clauses)
        return process.ExitCode.COMPLIANT
    for clause in clauses["clauses"]:
        rests = ", ".join(clause["requirements"]) or clause["reason"] or ""
        examples = format_count(len(clause["examples"]), "example")
        process.print_line(f"{clause['clause']}  {clause['status']}  {examples}  {rests}")
    for name, count in clauses["totals"].items():
        process.print_line(f"{name}: {count}")
    return process.ExitCode.COMPLIANT
