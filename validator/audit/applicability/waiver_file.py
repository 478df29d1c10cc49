"""A regulator's file of waivers, held against the rulebook whose clauses it lifts."""

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
    """The waivers in a YAML or JSON file, `-` for standard input. Raises InputError as `waivers_in` does."""
    return waivers_in(rulebook, read_source(path))


def waivers_in(rulebook: Rulebook, source: Source) -> tuple[tuple[Grant, ...], InputFile]:
    """Return the waivers in the text of a file.

    Raises InputError where it breaks its schema, and where it speaks of documents or clauses that the
    rulebook does not have: what is misspelt would lift nothing.
    """
    tree = load_tree(source)
    file = validate(tree, WaiversFile)
    problems = at_most(_problems(rulebook, file, tree))
    if problems:
        raise InputError(problems)
    about = InputFile(file=source.name, sha256=source.sha256, kind=InputKind.WAIVERS, read=1, checked=1, quarantined=0)
    grants = tuple(
        grant_of(one, regulator=file.regulator, licensee=one.licensee, document=one.document, file=source.name)
        for one in file.waivers
    )
    return grants, about


def _problems(rulebook: Rulebook, file: WaiversFile, tree: Tree) -> Iterator[Diagnostic]:
    for index, one in enumerate(file.waivers):
        place: Path = ("waivers", index)
        if one.until is not None and one.until < one.first:
            yield tree.diagnostic(
                (*place, "until"),
                "semantic-error",
                "this waiver ends before it begins",
                expected="its first day, or a later one",
            )
        if one.document not in rulebook.documents:
            yield _unknown(tree, (*place, "document"), "the rulebook", "document", one.document, rulebook.documents)
            continue
        labels = [clause.clause for clause in rulebook.regulation(one.document).document.clauses]
        for number, clause in enumerate(one.clauses):
            if label_of(one.document, clause) not in labels:
                yield _unknown(tree, (*place, "clauses", number), one.document, "clause", clause, labels)


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
