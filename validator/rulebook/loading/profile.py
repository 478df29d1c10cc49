"""Profiles: choices among readings, checked against the rulebook they are made for."""

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

_NAME_FORM = re.compile(r"[a-z0-9][a-z0-9-]{0,99}(/[a-z0-9][a-z0-9-]{0,99})?")


def read_as_chosen(rulebook: Rulebook, name: str) -> Rulebook:
    """Return the rulebook with the readings that a profile chooses.

    Args:
        rulebook: The rulebook.
        name: A file, `-` for standard input, or a profile of a document by its name or as `DOCUMENT/NAME`.

    Raises InputError if there is no such profile, or if it cannot be read or breaks its schema. The profile may name
    only documents, readings and options that the rulebook has.
    """
    path, known_as = _locate_profile(rulebook, name)
    return choose_by(rulebook, read_source(path), known_as=known_as)


def choose_by(rulebook: Rulebook, source: Source, *, known_as: str | None = None) -> Rulebook:
    """Return the rulebook with the readings that a profile chooses.

    Args:
        rulebook: The rulebook.
        source: The text of the profile.
        known_as: Its name in results, if that is not the name of its file.

    Raises InputError as `read_as_chosen` does.
    """
    input_file = InputFile(
        file=known_as or source.name, sha256=source.sha256, kind=InputKind.PROFILE, read=1, checked=1, quarantined=0
    )
    return Rulebook(folder=rulebook.folder, profile=_load_profile(rulebook, source), profile_file=input_file)


def read_profile(rulebook: Rulebook, path: str) -> Profile:
    """Return the profile in a file after checking it against a rulebook. Raises InputError."""
    return _load_profile(rulebook, read_source(path))


def may_be_name(text: str) -> bool:
    """Return whether a text may be the name of a profile; any other text is a file."""
    return _NAME_FORM.fullmatch(text) is not None


def _load_profile(rulebook: Rulebook, source: Source) -> Profile:
    tree = load_tree(source)
    profile = validate(tree, Profile)
    problems = at_most(_find_profile_problems(rulebook, profile, tree))
    if problems:
        raise InputError(problems)
    return profile


def _locate_profile(rulebook: Rulebook, name: str) -> tuple[str, str | None]:
    """Return the file of a profile, and its name as `DOCUMENT/NAME` if it belongs to a document.

    An existing file takes precedence over a name.
    """
    if not may_be_name(name) or FilePath(name).exists():
        return name, None
    known = profiles(rulebook.folder)
    matches = [full for full in known if name in {full, full.partition("/")[2]}]
    if len(matches) == 1:
        return str(known[matches[0]]), matches[0]
    near = did_you_mean(name, [full.partition("/")[2] for full in known])
    listed = ", ".join(matches or known)
    raise InputError(
        (
            Diagnostic(
                code="unknown-profile",
                message=f"several profiles are called `{name}`"
                if matches
                else "there is no such file, and no profile of that name",
                expected=f"a file, or one of {listed}" if listed else "a file; no profile lies with the documents",
                help=f"did you mean `{near}`?" if near and not matches else None,
                file=name,
            ),
        )
    )


def _find_profile_problems(rulebook: Rulebook, profile: Profile, tree: Tree) -> Iterator[Diagnostic]:
    for index, choice in enumerate(profile.choices):
        place: Path = ("choices", index)
        if choice.document not in rulebook.documents:
            yield _build_unknown_name(tree, (*place, "document"), "the rulebook", choice.document, rulebook.documents)
            continue
        readings = rulebook.regulation(choice.document).readings
        if choice.reading not in readings:
            yield _build_unknown_name(tree, (*place, "reading"), choice.document, choice.reading, readings)
            continue
        options = readings[choice.reading].options
        if choice.option not in options:
            yield _build_unknown_name(tree, (*place, "option"), choice.reading, choice.option, options)


def _build_unknown_name(tree: Tree, path: Path, owner: str, name: str, known: Iterable[str]) -> Diagnostic:
    kind = path[-1]
    names = tuple(known)
    near = did_you_mean(name, names)
    return tree.diagnostic(
        path,
        f"unknown-{kind}",
        f"{owner} has no {kind} `{name}`",
        expected=f"one of {', '.join(names)}",
        help=f"did you mean `{near}`?" if near else None,
    )
