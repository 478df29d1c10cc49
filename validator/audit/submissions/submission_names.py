"""Names in a submission that must be those of the rulebook, and detection of unknown ones.

Names that a casino may choose freely (of signs, tables, offered games, meters) are not checked. A casino may really use
a wager, hand or deal procedure that the game does not have, and requirements check that. Such a name is therefore
rejected only if it is a misspelling of a known one. Names that belong to the rulebook (documents, clauses, options,
stages of the deal) are rejected whenever they are unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct

from fairdeal.validator.language.grammar import iterate_models
from fairdeal.validator.language.submission_conditions import Counted, Every, Some, Value
from fairdeal.validator.rulebook.rule_catalogue import collect_option_values, find_documents
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rules.regulation import Regulation, cache_by_regulation
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, correct_spelling, find_similar, quote
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument

Names = Mapping[str, str]
"""Names by everything they are called: themselves and titles."""

_EACH = "*"
_AREAS = ("community", "discards", "cards")


class NamePlace(Struct, frozen=True, kw_only=True):
    """Place of names of one kind in a submission."""

    keys: tuple[str, ...]
    """Keys that lead to the place, with `*` for each item of a list."""
    what: str
    """Kind of name."""
    names: Callable[[], Names]
    """Function that returns the known names."""
    allows_own_names: bool = True
    """True if the casino may use names of its own."""
    known: Collection[str] = ()
    """Names that are known without loading all `names`."""


class UnknownName(Struct, frozen=True, kw_only=True):
    """Name that the rulebook does not have."""

    path: DataPath
    """Path of the name."""
    message: str
    """Beginning of the message; the name follows."""
    word: str
    """Name."""
    names: Names
    """Known names of the kind."""
    at_key: bool = False
    """True if the name is a key."""


def diagnose_unknown_names(tree: PositionedDocument, rulebook: Rulebook) -> list[Diagnostic]:
    """Return a diagnostic for each unknown name, in the order of the file.

    Raises InputError as `find_unknown_names`.
    """
    diagnostics = [_diagnose(tree, unknown) for unknown in find_unknown_names(tree, rulebook)]
    return sorted(diagnostics, key=lambda problem: (problem.line or 0, problem.column or 0))


def find_unknown_names(tree: PositionedDocument, rulebook: Rulebook) -> list[UnknownName]:
    """Return every name in a submission that must be one of the rulebook's and is not.

    For an unknown document, only its name is returned. The file may have other errors.

    Raises:
        InputError: If the document cannot be loaded.
    """
    document = tree.data.get("document") if isinstance(tree.data, dict) else None
    if not isinstance(document, str):
        return []
    if document not in rulebook.documents:
        message = "the rulebook has no document"
        meant = find_documents(rulebook, document)
        names = {**_document_names(rulebook), **({document: meant[0]} if len(meant) == 1 else {})}
        return [UnknownName(path=("document",), message=message, word=document, names=names)]
    regulation = rulebook.regulation(document)
    unknown = [
        unknown
        for place in list_name_places(rulebook, regulation)
        for unknown in _find_unknown_at(tree, place, regulation)
    ]
    return [*unknown, *_find_unknown_options(tree, regulation)]


def list_name_places(rulebook: Rulebook, regulation: Regulation) -> Iterator[NamePlace]:
    """Yield every place of a submission for a document that holds a name of the rulebook, except for options."""
    yield from _places_of_document(rulebook, regulation)
    yield from _places_of_game(regulation)


def _places_of_document(rulebook: Rulebook, regulation: Regulation) -> Iterator[NamePlace]:
    """Yield the places of names that submissions for any document have."""

    def clauses() -> Names:
        labels = [clause.clause for clause in regulation.document.clauses]
        return _identity((*labels, *map(regulation.qualify, labels)))

    def find_required_words(place: str, *others: str) -> Callable[[], Names]:
        return lambda: _identity((*others, *_collect_required_words(regulation).get(place, ())))

    yield NamePlace(keys=("attestations", _EACH, "clause"), what="clause", names=clauses, allows_own_names=False)
    yield NamePlace(keys=("waivers", _EACH, "clause"), what="clause", names=clauses, allows_own_names=False)
    yield NamePlace(keys=("waivers", _EACH, "clauses", _EACH), what="clause", names=clauses, allows_own_names=False)
    decks = regulation.vocabulary.decks
    yield NamePlace(
        keys=("layout", "style"),
        what="style of layout",
        names=lambda: _document_names(rulebook),
        known=rulebook.documents,  # no other document need be loaded
    )
    yield NamePlace(
        keys=("layout", "areas", _EACH, "for"),
        what="use of an area",
        names=find_required_words("layout.areas.for", *_AREAS),
    )
    yield NamePlace(keys=("deck", "cards"), what="deck", names=lambda: _identity(decks))
    yield NamePlace(keys=("rake", "kind"), what="kind of rake", names=find_required_words("rake.kind"))
    yield NamePlace(
        keys=("layout", "signage", _EACH, "rake", "kind"), what="kind of rake", names=find_required_words("rake.kind")
    )
    yield NamePlace(keys=("notices", _EACH), what="notice", names=find_required_words("notices.of"))
    yield NamePlace(keys=("notices", _EACH, "of"), what="notice", names=find_required_words("notices.of"))


def _places_of_game(regulation: Regulation) -> Iterator[NamePlace]:
    """Yield the places of names of the game."""
    game = regulation.game
    if game is None:
        return

    def lines() -> Names:
        titles = {wager.title: name for name, wager in game.wagers.items()}
        titles |= {bonus.title: name for name, bonus in game.bonuses.items()}
        return {**titles, **_identity((*game.wagers, *game.bonuses))}

    def ways() -> Names:
        return _identity(name for stage in game.deal.stages for name in stage.ways)

    def stages() -> Names:
        return _identity(stage.stage for stage in game.deal.stages)

    def hands() -> Names:
        rankings = {hand.rank_by for hand in game.hands.values()}
        rankings |= {other.rank_by for hand in game.hands.values() for other in hand.otherwise}
        ranked = [name for ranking in sorted(rankings) for name in regulation.vocabulary.rankings[ranking].list_names()]
        printed = [row for table in game.pay_tables.values() for row in table.rows]
        return _identity((*ranked, *printed, *(band for scale in game.scales.values() for band in scale.bands)))

    yield NamePlace(keys=("pay-tables", _EACH, "rows", _EACH, "hand"), what="hand", names=hands)
    yield NamePlace(
        keys=("pay-tables", _EACH, "printed"),
        what="printed pay table",
        names=lambda: _identity(game.pay_tables),
        allows_own_names=False,
    )
    yield NamePlace(keys=("hand-order", _EACH), what="hand", names=hands)
    yield NamePlace(keys=("wagers", _EACH, "wager"), what="wager", names=lines)
    yield NamePlace(keys=("pay-tables", _EACH, "pays"), what="wager", names=lines)
    yield NamePlace(keys=("layout", "areas", _EACH, "wager"), what="wager", names=lines)
    yield NamePlace(keys=("layout", "signage", _EACH, "wager"), what="wager", names=lines)
    yield NamePlace(keys=("layout", "signage", _EACH, "rows", _EACH, "hand"), what="hand", names=hands)
    yield NamePlace(keys=("meters", _EACH, "fed-by"), what="wager", names=lines)
    yield NamePlace(keys=("stated-odds", _EACH, "wager"), what="wager", names=lines)
    yield NamePlace(keys=("dealing",), what="way of dealing", names=ways)
    yield NamePlace(keys=("rake", "from"), what="stage of the deal", names=stages, allows_own_names=False)


def _identity(names: Iterable[str]) -> Names:
    return {name: name for name in names}


def _document_names(rulebook: Rulebook) -> Names:
    """Return documents by their ids and titles, and by the titles of their games."""
    names: dict[str, str] = {}
    for document in rulebook.documents:
        with suppress(InputError):
            regulation = rulebook.regulation(document)
            names[regulation.document.title] = document
            if regulation.game is not None:
                names[regulation.game.title] = document
    return {**names, **_identity(rulebook.documents)}


@cache_by_regulation
def _collect_required_words(regulation: Regulation) -> Mapping[str, Sequence[str]]:
    """Return the words that requirements accept at places of a submission, given by their keys joined by dots."""
    words: dict[str, list[str]] = {}
    for requirement in regulation.requirements:
        for part in iterate_models(requirement.check):
            if isinstance(part, Value):
                _add_words(words, part.at, part)
            elif isinstance(part, (Every, Some, Counted)):
                for inner in iterate_models(part):
                    if isinstance(inner, Value):
                        _add_words(words, f"{part.in_}{inner.at}", inner)
    return words


def _add_words(words: dict[str, list[str]], place: str, value: Value) -> None:
    if value.operator in ("equals", "one-of"):
        wanted = value.operand if value.operator == "one-of" else [value.operand]
        words.setdefault(place, []).extend(word for word in wanted if isinstance(word, str))


def _find_unknown_at(tree: PositionedDocument, place: NamePlace, regulation: Regulation) -> Iterator[UnknownName]:
    for path, word in _walk_to(tree.data, place.keys, ()):
        if isinstance(word, str) and word not in place.known:
            names = place.names()
            if word not in names.values() and (not place.allows_own_names or correct_spelling(word, names)):
                yield UnknownName(path=path, message=f"{regulation.id} has no {place.what}", word=word, names=names)


def _find_unknown_options(tree: PositionedDocument, regulation: Regulation) -> Iterator[UnknownName]:
    """Yield options that no rule uses, and values that an option cannot have."""
    found_options = list(_walk_to(tree.data, ("options",), ()))
    choices = collect_option_values(regulation) if found_options else {}
    for path, options in found_options:
        for name, value in options.items() if isinstance(options, dict) else ():
            if name not in choices:
                message = f"{regulation.id} has no option"
                names = _identity(choices)
                yield UnknownName(path=(*path, name), message=message, word=name, names=names, at_key=True)
                continue
            if not choices[name]:
                continue
            texts = [text for text in choices[name] if isinstance(text, str)]
            accepts_booleans = len(texts) < len(choices[name])
            word = value if isinstance(value, str) else str(value).lower()
            if (isinstance(value, bool) and not accepts_booleans) or (
                isinstance(value, str) and (not texts or correct_spelling(value, _identity(texts)))
            ):
                known = [*texts, *(("true", "false") if accepts_booleans else ())]
                message = f"`{name}` cannot be"
                yield UnknownName(path=(*path, name), message=message, word=word, names=_identity(known))


def _diagnose(tree: PositionedDocument, unknown: UnknownName) -> Diagnostic:
    from fairdeal.validator.text.model_problems import format_choices  # noqa: PLC0415 - only needed for a wrong input

    word, names = unknown.word, unknown.names
    suggestion = correct_spelling(word, names)
    if suggestion is None:
        looks_like = find_similar(word, names)
        suggestion = None if looks_like is None else names[looks_like]
    known = list(dict.fromkeys(names.values()))
    return tree.build_diagnostic(
        unknown.path,
        "unknown-name",
        f"{unknown.message} {quote(word)}",
        expected=format_choices(known) if known else None,
        help=None if suggestion is None else f"did you mean `{suggestion}`?",
        at_key=unknown.at_key,
    )


def _walk_to(data: Data, keys: tuple[str, ...], path: DataPath) -> Iterator[tuple[DataPath, Data]]:
    if not keys:
        yield path, data
    elif keys[0] == _EACH:
        for index, item in enumerate(data if isinstance(data, list) else ()):
            yield from _walk_to(item, keys[1:], (*path, index))
    elif isinstance(data, dict) and keys[0] in data:
        yield from _walk_to(data[keys[0]], keys[1:], (*path, keys[0]))
