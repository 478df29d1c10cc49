"""The rulebook as lists: requirements as `rules list` prints them, and anything by its id."""

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
    """Whether a simulated round can be made to break a requirement."""
    return requirement.fault is not None


def listed(regulation: Regulation) -> Iterator[dict[str, Any]]:
    """Every requirement of a regulation, in the order of its files."""
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
    """Something of the rulebook: what it is, its id, and its facts by name."""

    kind: str
    id: str
    facts: dict[str, Any]


def described(regulations: Iterable[Regulation], profiles: Mapping[str, Profile], name: str) -> list[Described]:
    """Everything an id (or its last part) stands for; `profiles` by their ids. Raises InputError where nothing does."""
    everything = [one for regulation in regulations for one in _everything(regulation)]
    everything += [_profile(*one) for one in profiles.items()]
    found = [one for one in everything if name == one.id] or [
        one for one in everything if one.id.split("/", 1)[-1] == name
    ]
    if found:
        return found
    near = did_you_mean(name, [one.id for one in everything])
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
    """The name within its document of a requirement given by id or name. Raises InputError."""
    short = name.removeprefix(f"{regulation.id}/")
    names = [one.requirement for one in regulation.requirements]
    if short in names:
        return short
    near = did_you_mean(short, names)
    raise InputError(
        (
            Diagnostic(
                code="unknown-requirement",
                message=f"{regulation.id} has no requirement `{short}`",
                help=f"did you mean `{near}`?" if near else "`fairdeal rules list` shows all requirements",
            ),
        )
    )


def _profile(name: str, profile: Profile) -> Described:
    choices = [f"{one.document}/{one.reading}: {one.option}" for one in profile.choices]
    return Described(kind="profile", id=name, facts={"title": profile.title, "choices": choices})


def _everything(regulation: Regulation) -> Iterator[Described]:
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
            "requirements": [one.requirement for one in regulation.requirements],
            "readings": list(regulation.readings),
        },
    )
    for clause in document.clauses:
        citing = [one.requirement for one in regulation.requirements if clause.clause in one.clauses]
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
        own = {name: value for name, value in msgspec.to_builtins(OWN_WORD).items() if value}
        yield Described(kind="own word of submissions", id=regulation.full_id(own.pop("requirement")), facts=own)
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
