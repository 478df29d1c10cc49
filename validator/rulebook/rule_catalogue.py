"""The rulebook as lists: names of a game, requirements, entries by id, games by variant, and search by words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct
from pydantic import BaseModel

from fairdeal.validator.evidence.poker.hand_recorder import DrawVocabulary, PokerVocabulary, Variants
from fairdeal.validator.language.grammar import OptionIs, iterate_models
from fairdeal.validator.language.submission_conditions import Value
from fairdeal.validator.rules.betting_model import HistoryDecisions, PokerHandHistories
from fairdeal.validator.rules.document_model import Profile
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.regulation import SELF_DECLARED_ODDS, Regulation, cache_by_regulation
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, find_similar

if TYPE_CHECKING:
    from fairdeal.validator.rulebook.rulebook import Rulebook

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
        rows.setdefault(table.of, {}).update(dict.fromkeys(table.rows))
    return {line: list(names) for line, names in rows.items()}


def _collect_event_words(game: Game) -> dict[str, list[str]]:
    words: dict[str, dict[str, None]] = {}
    for step in game.all_acts.values():
        for kind in step.events if step.words else ():
            words.setdefault(kind, {}).update(dict.fromkeys(step.words))
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
    choices = [f"{choice.document}/{choice.reading}: {choice.is_}" for choice in profile.choices]
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
                "why": reading.reason,
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


LONGEST_QUERY = 200
"""Limit of the characters of a query; what follows is left out."""
_ENDING = re.compile(r"(?<=\w{3})(?:ies|ied|ing|es|ed|s|y)$")
_WORD = re.compile(r"[^\W_]+")


class SearchResult(NamedTuple):
    """Entry of the rulebook that has all words of a query."""

    kind: str
    """Kind of the entry, such as `clause`."""
    id: str
    """Full id."""
    text: str
    """Title, gist or message of the entry."""


def split_words(text: str) -> list[str]:
    """Return the words of a text without case and accents; an apostrophe separates words."""
    plain = unicodedata.normalize("NFKD", text)
    return _WORD.findall("".join(sign for sign in plain if not unicodedata.combining(sign)).casefold())


def find_documents(rulebook: Rulebook, name: str) -> tuple[str, ...]:
    """Return the documents that a name means: the one with this id, or else those whose titles or ids have its words.

    A title that is equal to the name takes precedence over one that has more words. No document is loaded for an id.

    Raises:
        InputError: if a document cannot be loaded.
    """
    if name in rulebook.documents:
        return (name,)
    wanted = split_words(name[:LONGEST_QUERY])
    if not wanted:
        return ()
    titles = {
        regulation.id: [split_words(title) for title in _list_titles(regulation)] for regulation in rulebook.all()
    }
    equal = tuple(document for document, texts in titles.items() if wanted in texts)
    return equal or tuple(
        document
        for document, texts in titles.items()
        if set(wanted) <= {word for text in texts for word in _join_pairs(text)}
    )


def _list_titles(regulation: Regulation) -> Iterator[str]:
    yield regulation.id
    yield regulation.document.title
    if regulation.game is not None:
        yield regulation.game.title


def search_entries(regulations: Iterable[Regulation], query: str) -> list[SearchResult]:
    """Return the documents, clauses, requirements, readings, wagers and pay tables that have all
    words of a query.

    Words may be cut short, and may have other endings if nothing is found otherwise. Entries with more of the words in
    their title or id come first, then those of earlier documents and kinds.
    """
    wanted, known = split_words(query[:LONGEST_QUERY]), [*regulations]
    return _rank_entries(known, wanted) or _rank_entries(known, [_ENDING.sub("", word) for word in wanted])


def _rank_entries(regulations: Iterable[Regulation], wanted: Sequence[str]) -> list[SearchResult]:
    if not wanted:
        return []
    ranked = [
        (_count_words(wanted, split_words(f"{result.id} {result.text}")), result)
        for regulation in regulations
        for result, more in _list_searched(regulation)
        if _count_words(wanted, split_words(f"{result.id} {result.text} {more}")) == len(wanted)
    ]
    return [result for _, result in sorted(ranked, key=lambda item: -item[0])]


def _join_pairs(words: Sequence[str]) -> tuple[str, ...]:
    """Return words and every two adjacent ones written as one, such as `holdem`."""
    return (*words, *map("".join, pairwise(words)))


def _count_words(wanted: Sequence[str], words: Sequence[str]) -> int:
    """Return how many of the wanted words begin a word."""
    begun = _join_pairs(words)
    return sum(any(word.startswith(part) for word in begun) for part in wanted)


def _list_searched(regulation: Regulation) -> Iterator[tuple[SearchResult, str]]:
    """Yield entries, each with further text in which words may occur."""
    document, game = regulation.document, regulation.game
    yield SearchResult("document", regulation.id, document.title), f"{document.regulator} {document.source.citation}"
    if game is not None:
        for lines in (game.wagers, game.bonuses):
            for name, line in lines.items():
                kind = "wager" if lines is game.wagers else "bonus"
                yield SearchResult(kind, regulation.qualify(name), line.title), ""
        for name, table in game.pay_tables.items():
            rows = ", ".join(f"{row} {pays}" for row, pays in table.rows.items())
            yield SearchResult("pay table", regulation.qualify(name), rows), ""
    for clause in document.clauses:
        yield SearchResult("clause", regulation.qualify(clause.clause), clause.gist), ""
    for requirement in regulation.requirements:
        name = regulation.qualify(requirement.requirement)
        more = " ".join(filter(None, (requirement.message, requirement.broken, requirement.remedy)))
        yield SearchResult("requirement", name, requirement.title), more
    for name, reading in regulation.readings.items():
        more = " ".join((*reading.options.values(), reading.reason or ""))
        yield SearchResult("reading", regulation.qualify(name), reading.question), more
