"""The rulebook as lists: requirements as `rules list` prints them, and entries by id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from validator.rulebook.vocabulary.game_names import names_of
from validator.rules.core.own_word import OWN_WORD
from validator.rules.core.regulation import Regulation
from validator.rules.model.document import Profile
from validator.rules.model.requirement import Requirement
from validator.text.diagnostics import Diagnostic, InputError, did_you_mean


def plantable(requirement: Requirement) -> bool:
    """Return whether a simulated round can be made to break a requirement."""
    return requirement.fault is not None


def listed(regulation: Regulation) -> Iterator[dict[str, Any]]:
    """Yield every requirement of a regulation, in the order of its files."""
    for requirement in regulation.requirements:
        yield {
            "requirement": regulation.full_id(requirement.requirement),
            "document": regulation.id,
            "clauses": list(regulation.clause_ids(requirement.clauses)),
            "evidence": requirement.evidence.value,
            "severity": requirement.severity.value,
            "plantable": plantable(requirement),
            "pattern": requirement.pattern,
        }


class Described(Struct, frozen=True, kw_only=True):
    """An entry of the rulebook: a document, clause, requirement, reading or profile."""

    kind: str
    """Kind of the entry, such as `clause`."""
    id: str
    """Full id."""
    facts: dict[str, Any]
    """Properties of the entry, by name."""


def described(regulations: Iterable[Regulation], profiles: Mapping[str, Profile], name: str) -> list[Described]:
    """Return every entry with an id, or whose id ends in a name.

    Args:
        regulations: The regulations to search.
        profiles: The profiles, by their ids.
        name: A full id, or its last part.

    Raises InputError if there is none.
    """
    entries = [entry for regulation in regulations for entry in _list_entries(regulation)]
    entries += [_build_profile_entry(*item) for item in profiles.items()]
    matches = [entry for entry in entries if name == entry.id] or [
        entry for entry in entries if entry.id.split("/", 1)[-1] == name
    ]
    if matches:
        return matches
    near = did_you_mean(name, [entry.id for entry in entries])
    raise InputError(
        (
            Diagnostic(
                code="unknown-id",
                message=f"the rulebook has nothing called `{name}`",
                expected="the id of a document, clause, requirement, reading or profile",
                help=f"did you mean `{near}`?" if near else "`fairdeal rules list` shows all requirements",
            ),
        )
    )


def requirement_id(regulation: Regulation, name: str) -> str:
    """Return the local name of a requirement that is given by id or name. Raises InputError."""
    local_name = name.removeprefix(f"{regulation.id}/")
    names = [requirement.requirement for requirement in regulation.requirements]
    if local_name in names:
        return local_name
    near = did_you_mean(local_name, names)
    raise InputError(
        (
            Diagnostic(
                code="unknown-requirement",
                message=f"{regulation.id} has no requirement `{local_name}`",
                help=f"did you mean `{near}`?" if near else "`fairdeal rules list` shows all requirements",
            ),
        )
    )


def _build_profile_entry(name: str, profile: Profile) -> Described:
    choices = [f"{choice.document}/{choice.reading}: {choice.option}" for choice in profile.choices]
    return Described(kind="profile", id=name, facts={"title": profile.title, "choices": choices})


def _list_entries(regulation: Regulation) -> Iterator[Described]:
    document = regulation.document
    yield Described(
        kind="document",
        id=regulation.id,
        facts={
            "title": document.title,
            "regulator": document.regulator,
            "source": f"{document.source.citation} ({document.source.file})",
            "from": None if document.from_ is None else document.from_.isoformat(),
            "until": None if document.until is None else document.until.isoformat(),
            "game": None if regulation.game is None else regulation.game.title,
            **names_of(regulation),
            "clauses": [clause.clause for clause in document.clauses],
            "requirements": [requirement.requirement for requirement in regulation.requirements],
            "readings": list(regulation.readings),
        },
    )
    for clause in document.clauses:
        citing = [
            requirement.requirement for requirement in regulation.requirements if clause.clause in requirement.clauses
        ]
        yield Described(
            kind="clause",
            id=regulation.full_id(clause.clause),
            facts={
                "gist": clause.gist,
                "status": clause.status,
                "reason": clause.reason,
                "source": f"{document.source.file}:{clause.lines[0]}-{clause.lines[1]}",
                "requirements": citing,
            },
        )
    for requirement in regulation.requirements:
        yield Described(
            kind="requirement",
            id=regulation.full_id(requirement.requirement),
            facts={
                "evidence": requirement.evidence.value,
                **requirement.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude={"requirement"}),
            },
        )
    if regulation.game is not None:
        stated_odds = {name: value for name, value in msgspec.to_builtins(OWN_WORD).items() if value}
        yield Described(
            kind="own word of submissions", id=regulation.full_id(stated_odds.pop("requirement")), facts=stated_odds
        )
    for name, reading in regulation.readings.items():
        yield Described(
            kind="reading",
            id=regulation.full_id(name),
            facts={
                "clauses": reading.clauses,
                "question": reading.question,
                "options": [{"option": option, "says": says} for option, says in reading.options.items()],
                "adopted": reading.adopted,
                "why": reading.why,
                "changes": reading.changes,
                "in-force": regulation.choices[name],
            },
        )
