"""Profiles: choices among readings, held against the rulebook they are made for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from validator.rulebook.language.document import Profile
from validator.rulebook.rulebook import Rulebook
from validator.text.diagnostics import Diagnostic, InputError, at_most, did_you_mean
from validator.text.load import load_tree
from validator.text.source import read_source
from validator.text.tree import Path, Tree
from validator.text.validate import validate


def read_as_chosen(rulebook: Rulebook, path: str) -> Rulebook:
    """The rulebook read as the profile in a file chooses, `-` for standard input.

    Raises InputError where the file cannot be read or breaks its schema, and where it chooses among documents,
    readings or options that the rulebook does not have.
    """
    tree = load_tree(read_source(path))
    profile = validate(tree, Profile)
    problems = at_most(_problems(rulebook, profile, tree))
    if problems:
        raise InputError(problems)
    return Rulebook(folder=rulebook.folder, profile=profile)


def _problems(rulebook: Rulebook, profile: Profile, tree: Tree) -> Iterator[Diagnostic]:
    for index, choice in enumerate(profile.choices):
        place: Path = ("choices", index)
        if choice.document not in rulebook.documents:
            yield _unknown(tree, (*place, "document"), "the rulebook", choice.document, rulebook.documents)
            continue
        readings = rulebook.regulation(choice.document).readings
        if choice.reading not in readings:
            yield _unknown(tree, (*place, "reading"), choice.document, choice.reading, readings)
            continue
        options = [one.option for one in readings[choice.reading].options]
        if choice.option not in options:
            yield _unknown(tree, (*place, "option"), choice.reading, choice.option, options)


def _unknown(tree: Tree, path: Path, owner: str, name: str, known: Iterable[str]) -> Diagnostic:
    what = path[-1]
    names = tuple(known)
    near = did_you_mean(name, names)
    return tree.diagnostic(
        path,
        f"unknown-{what}",
        f"{owner} has no {what} `{name}`",
        expected=f"one of {', '.join(names)}",
        help=f"did you mean `{near}`?" if near else None,
    )
