"""Search in the rulebook: documents by their titles, and entries by words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fairdeal.validator.rulebook.loading.rulebook import Rulebook
    from fairdeal.validator.rules.regulation import Regulation

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
        more = " ".join((*reading.options.values(), reading.why or ""))
        yield SearchResult("reading", regulation.qualify(name), reading.question), more
