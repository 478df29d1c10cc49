"""Reader of a regulator's file of waivers, checked against the rulebook."""

from __future__ import annotations

from collections.abc import Iterator

from validator.audit.applicability.waivers import Grant, grant_of, label_of
from validator.evidence.submission.waivers import WaiversFile
from validator.results.results import InputFile, InputKind
from validator.rulebook.loading.rulebook import Rulebook
from validator.text.diagnostics import Diagnostic, InputError, at_most, did_you_mean
from validator.text.models.validate import validate
from validator.text.source import Source, read_source
from validator.text.trees.load import load_tree
from validator.text.trees.tree import Path, Tree


def read_waivers(rulebook: Rulebook, path: str) -> tuple[tuple[Grant, ...], InputFile]:
    """Read the waivers in a YAML or JSON file; `-` is standard input. Raises InputError as `parse_waivers` does."""
    return waivers_in(rulebook, read_source(path))


def waivers_in(rulebook: Rulebook, source: Source) -> tuple[tuple[Grant, ...], InputFile]:
    """Parse the waivers in the text of a file.

    Raises:
        InputError: If the file breaks its schema or names a document or clause that the rulebook does not have. A
            misspelt name would waive nothing.
    """
    tree = load_tree(source)
    file = validate(tree, WaiversFile)
    problems = at_most(_problems(rulebook, file, tree))
    if problems:
        raise InputError(problems)
    input_file = InputFile(
        file=source.name, sha256=source.sha256, kind=InputKind.WAIVERS, read=1, checked=1, quarantined=0
    )
    grants = tuple(
        grant_of(waiver, regulator=file.regulator, licensee=waiver.licensee, document=waiver.document, file=source.name)
        for waiver in file.waivers
    )
    return grants, input_file


def _problems(rulebook: Rulebook, file: WaiversFile, tree: Tree) -> Iterator[Diagnostic]:
    for index, waiver in enumerate(file.waivers):
        place: Path = ("waivers", index)
        if waiver.until is not None and waiver.until < waiver.first:
            yield tree.diagnostic(
                (*place, "until"),
                "semantic-error",
                "this waiver ends before it begins",
                expected="its first day, or a later one",
            )
        if waiver.document not in rulebook.documents:
            yield _unknown(tree, (*place, "document"), "the rulebook", "document", waiver.document, rulebook.documents)
            continue
        labels = [clause.clause for clause in rulebook.regulation(waiver.document).document.clauses]
        for number, clause in enumerate(waiver.clauses):
            if label_of(waiver.document, clause) not in labels:
                yield _unknown(tree, (*place, "clauses", number), waiver.document, "clause", clause, labels)


def _unknown(
    tree: Tree, path: Path, owner: str, what: str, name: str, known: list[str] | tuple[str, ...]
) -> Diagnostic:
    near = did_you_mean(name, known)
    return tree.diagnostic(
        path,
        f"unknown-{what}",
        f"{owner} has no {what} `{name}`",
        expected=f"one of {', '.join(known)}" if what == "document" else "the label or the id of a clause",
        help=f"did you mean `{near}`?" if near else None,
    )
