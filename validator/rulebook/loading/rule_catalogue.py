"""The rulebook as lists: names of a game, requirements, entries by id, games by variant of hand histories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from pydantic import BaseModel

from fairdeal.validator.evidence.poker.poker_vocabulary import DrawVocabulary, PokerVocabulary, Variants
from fairdeal.validator.language.grammar import OptionIs, iterate_models
from fairdeal.validator.language.submission_conditions import Value
from fairdeal.validator.rules.betting_model import HistoryDecisions, PokerHandHistories
from fairdeal.validator.rules.document_model import Profile
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.regulation import SELF_DECLARED_ODDS, Regulation, cache_by_regulation
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, find_similar

GameNames = dict[str, str] | dict[str, list[str]] | list[str]
"""Names with titles, names with further names, or names only."""

_OPTION_PREFIX = "options."


def collect_game_names(regulation: Regulation) -> dict[str, GameNames]:
    """Return the names that a document uses for its game, by kind, with titles where they have one.

    `rows` are the rows that pay tables of a line may have. `options` are the options that rules test, with the expected
    values. `what` are the words that rules look for in events of a kind. Empty kinds are left out; a document without a
    game has none.
    """
    game = regulation.game
    if game is None:
        return {}
    names_by_kind: dict[str, GameNames] = {
        "wagers": {name: wager.title for name, wager in game.wagers.items()},
        "bonuses": {name: bonus.title for name, bonus in game.bonuses.items()},
        "decisions": {name: decision.title for name, decision in game.decisions.items()},
        "dealing": list(dict.fromkeys(name for stage in game.deal.stages for name in stage.ways)),
        "rows": _collect_rows(game),
        "meters": sorted({table.meter for table in game.pay_tables.values() if table.meter is not None}),
        "options": {
            name: sorted(map(_format_value, values)) for name, values in collect_option_values(regulation).items()
        },
        "what": _collect_event_words(game),
    }
    return {kind: names for kind, names in names_by_kind.items() if names}


def _collect_rows(game: Game) -> dict[str, list[str]]:
    rows: dict[str, dict[str, None]] = {}
    for table in game.pay_tables.values():
        rows.setdefault(table.for_, {}).update(dict.fromkeys(table.rows))
    return {line: list(names) for line, names in rows.items()}


def _collect_event_words(game: Game) -> dict[str, list[str]]:
    words: dict[str, dict[str, None]] = {}
    for step in game.all_acts.values():
        named = [*(step.what_is or ()), *(() if step.what is None else (step.what,))]
        for kind in step.events if named else ():
            words.setdefault(kind, {}).update(dict.fromkeys(named))
    return {kind: list(names) for kind, names in words.items()}


@cache_by_regulation
def collect_option_values(regulation: Regulation) -> Mapping[str, Sequence[bool | str]]:
    """Return the options of the licensee that rules test, with the expected values."""
    values_by_option: dict[str, dict[bool | str, None]] = {}
    for model in (*(() if regulation.game is None else (regulation.game,)), *regulation.requirements):
        for name, values in _list_tested_options(model):
            tested = values_by_option.setdefault(name, {})
            tested.update(dict.fromkeys(value if isinstance(value, bool) else str(value) for value in values))
    return {name: list(values) for name, values in sorted(values_by_option.items())}


def _format_value(value: bool | str) -> str:
    return str(value).lower() if isinstance(value, bool) else value


def _list_tested_options(model: BaseModel) -> Iterator[tuple[str, list[object]]]:
    """Yield every option of the licensee that rules test, with the expected values."""
    for part in iterate_models(model):
        if isinstance(part, OptionIs):
            yield part.name, [part.is_]
            continue
        for field in part.model_fields_set:
            path = getattr(part, field)
            if isinstance(path, str) and path.startswith(_OPTION_PREFIX):
                expected: list[object] = []
                if isinstance(part, Value) and field == "at":
                    expected = (
                        part.operand if part.operator == "one-of" else [part.operand] * (part.operator == "equals")
                    )
                yield path.removeprefix(_OPTION_PREFIX), expected


def is_plantable(requirement: Requirement) -> bool:
    """Return whether a simulated round can be made to break a requirement."""
    return requirement.fault is not None


def list_requirements(regulation: Regulation) -> Iterator[dict[str, Any]]:
    """Yield every requirement of a regulation, in the order of its files."""
    for requirement in regulation.requirements:
        yield {
            "requirement": regulation.qualify(requirement.requirement),
            "title": requirement.title,
            "document": regulation.id,
            "clauses": list(regulation.qualify_clauses(requirement.clauses)),
            "evidence": requirement.evidence.value,
            "severity": requirement.severity.value,
            "plantable": is_plantable(requirement),
            "pattern": requirement.pattern,
        }


class CatalogueEntry(Struct, frozen=True, kw_only=True):
    """An entry of the rulebook: a document, clause, requirement, reading or profile."""

    kind: str
    """Kind of the entry, such as `clause`."""
    id: str
    """Full id."""
    facts: dict[str, Any]
    """Properties of the entry, by name."""


def find_entries(regulations: Iterable[Regulation], profiles: Mapping[str, Profile], name: str) -> list[CatalogueEntry]:
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
    near = find_similar(name, [entry.id for entry in entries])
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


def resolve_requirement_name(regulation: Regulation, name: str) -> str:
    """Return the local name of a requirement that is given by id or name. Raises InputError."""
    local_name = name.removeprefix(f"{regulation.id}/")
    names = [requirement.requirement for requirement in regulation.requirements]
    if local_name in names:
        return local_name
    near = find_similar(local_name, names)
    raise InputError(
        (
            Diagnostic(
                code="unknown-requirement",
                message=f"{regulation.id} has no requirement `{local_name}`",
                help=f"did you mean `{near}`?" if near else "`fairdeal rules list` shows all requirements",
            ),
        )
    )


def _build_profile_entry(name: str, profile: Profile) -> CatalogueEntry:
    choices = [f"{choice.document}/{choice.reading}: {choice.option}" for choice in profile.choices]
    return CatalogueEntry(kind="profile", id=name, facts={"title": profile.title, "choices": choices})


def _list_entries(regulation: Regulation) -> Iterator[CatalogueEntry]:
    document = regulation.document
    yield CatalogueEntry(
        kind="document",
        id=regulation.id,
        facts={
            "title": document.title,
            "regulator": document.regulator,
            "source": f"{document.source.citation} ({document.source.file})",
            "edition": document.source.edition,
            "sha256": document.source.sha256,
            "from": None if document.from_ is None else document.from_.isoformat(),
            "until": None if document.until is None else document.until.isoformat(),
            "game": None if regulation.game is None else regulation.game.title,
            **collect_game_names(regulation),
            "clauses": [clause.clause for clause in document.clauses],
            "requirements": [requirement.requirement for requirement in regulation.requirements],
            "readings": list(regulation.readings),
        },
    )
    for clause in document.clauses:
        citing = [
            requirement.requirement for requirement in regulation.requirements if clause.clause in requirement.clauses
        ]
        yield CatalogueEntry(
            kind="clause",
            id=regulation.qualify(clause.clause),
            facts={
                "gist": clause.gist,
                "status": clause.status,
                "reason": clause.reason,
                "source": f"{document.source.file}:{clause.lines[0]}-{clause.lines[1]}",
                "requirements": citing,
            },
        )
    for requirement in regulation.requirements:
        yield CatalogueEntry(
            kind="requirement",
            id=regulation.qualify(requirement.requirement),
            facts={
                "evidence": requirement.evidence.value,
                **requirement.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude={"requirement"}),
            },
        )
    if regulation.game is not None:
        stated_odds = {name: value for name, value in msgspec.to_builtins(SELF_DECLARED_ODDS).items() if value}
        yield CatalogueEntry(
            kind="own word of submissions", id=regulation.qualify(stated_odds.pop("requirement")), facts=stated_odds
        )
    for name, reading in regulation.readings.items():
        yield CatalogueEntry(
            kind="reading",
            id=regulation.qualify(name),
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


def collect_phh_variants(regulations: Iterable[Regulation]) -> Variants:
    """Return the terms of every variant of the Poker Hand History format that is a game of the regulations.

    Raises InputError if two games claim the same variant.
    """
    terms_by_variant: dict[str, PokerVocabulary] = {}
    for regulation in regulations:
        game = regulation.game
        if game is None or game.histories.phh is None:
            continue
        terms = _build_vocabulary(game, game.histories.phh)
        for variant in game.histories.phh.variants:
            other = terms_by_variant.setdefault(variant, terms)
            if other is not terms:
                message = f"the variant `{variant}` of hand histories is claimed by {other.game} and {terms.game}"
                raise InputError((Diagnostic(code="duplicate-variant", message=message),))
    return terms_by_variant


def _build_vocabulary(game: Game, phh: PokerHandHistories) -> PokerVocabulary:
    decisions = phh.decisions
    return PokerVocabulary(
        game=game.game,
        antes=phh.antes,
        blinds=tuple(phh.blinds),
        straddle=phh.straddle,
        dead=phh.dead,
        bets=phh.bets,
        fold=decisions.fold,
        check=decisions.check,
        call=decisions.call,
        bet=decisions.bet,
        raise_=decisions.raise_,
        concede=decisions.concede,
        bring_in=decisions.bring_in,
        complete=decisions.complete,
        faces=tuple(game.deal.list_faces("player")),
        exchanging=_build_exchange_terms(game, decisions),
    )


def _build_exchange_terms(game: Game, decisions: HistoryDecisions) -> DrawVocabulary | None:
    if not any("player" in (game.deal.stages[number].exchanges or ()) for number in game.deal.exchanging_stages):
        return None
    return DrawVocabulary(full=game.deal.cards["player"], discard=decisions.discard, stand_pat=decisions.stand_pat)
