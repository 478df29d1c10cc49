"""Profiles: choices among readings, held against the rulebook they are made for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path as FilePath

from validator.results.results import InputFile, InputKind
from validator.rulebook.loading.rulebook import Rulebook
from validator.rules.core.library import profiles
from validator.rules.model.document import Profile
from validator.text.diagnostics import Diagnostic, InputError, at_most, did_you_mean
from validator.text.models.validate import validate
from validator.text.source import Source, read_source
from validator.text.trees.load import load_tree
from validator.text.trees.tree import Path, Tree

_NAMES = re.compile(r"[a-z0-9][a-z0-9-]{0,99}(/[a-z0-9][a-z0-9-]{0,99})?")


def read_as_chosen(rulebook: Rulebook, name: str) -> Rulebook:
    """The rulebook read as a profile chooses: one in a file, `-` for standard input, or one that lies with a document
    of the rulebook, by its name or as `DOCUMENT/NAME`.

    Raises InputError where there is none, where it cannot be read or breaks its schema, and where it chooses among
    documents, readings or options that the rulebook does not have.
    """
    path, known_as = _file(rulebook, name)
    return choose_by(rulebook, read_source(path), known_as=known_as)


def choose_by(rulebook: Rulebook, source: Source, *, known_as: str | None = None) -> Rulebook:
    """Return the rulebook read as a profile chooses; `known_as` is its name in results if that is not the name of its
    file. Raises InputError as `read_as_chosen` does."""
    about = InputFile(
        file=known_as or source.name, sha256=source.sha256, kind=InputKind.PROFILE, read=1, checked=1, quarantined=0
    )
    return Rulebook(folder=rulebook.folder, profile=_profile_in(rulebook, source), profile_file=about)


def read_profile(rulebook: Rulebook, path: str) -> Profile:
    """The profile in a file, held against a rulebook. Raises InputError."""
    return _profile_in(rulebook, read_source(path))


def may_be_name(text: str) -> bool:
    """Whether a profile may be called so; anything else is a file."""
    return _NAMES.fullmatch(text) is not None


def _profile_in(rulebook: Rulebook, source: Source) -> Profile:
    tree = load_tree(source)
    profile = validate(tree, Profile)
    problems = at_most(_problems(rulebook, profile, tree))
    if problems:
        raise InputError(problems)
    return profile


def _file(rulebook: Rulebook, name: str) -> tuple[str, str | None]:
    """The file that a profile is in, and its name as `DOCUMENT/NAME` where it lies with a document.

    A file that is there goes before a name, and what looks like a file is one.
    """
    if not may_be_name(name) or FilePath(name).exists():
        return name, None
    known = profiles(rulebook.folder)
    meant = [full for full in known if name in {full, full.partition("/")[2]}]
    if len(meant) == 1:
        return str(known[meant[0]]), meant[0]
    near = did_you_mean(name, [full.partition("/")[2] for full in known])
    listed = ", ".join(meant or known)
    raise InputError(
        (
            Diagnostic(
                code="unknown-profile",
                message=f"several profiles are called `{name}`"
                if meant
                else "there is no such file, and no profile of that name",
                expected=f"a file, or one of {listed}" if listed else "a file; no profile lies with the documents",
                help=f"did you mean `{near}`?" if near and not meant else None,
                file=name,
            ),
        )
    )


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
        options = readings[choice.reading].options
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
