"""Names that a submission takes from the rulebook, and those of them that the rulebook does not have.

What a casino may call as it likes (its signs, its tables, the games it offers, its meters) is not looked at. A wager, a
hand or a way of dealing that the game does not have may be one that the casino means to have all the same: requirements
judge that. So such a name is refused only where it can be nothing but a known one misspelt; a name of the rulebook's
own (a document, a clause, an option, a stage of the deal) wherever there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress

from msgspec import Struct

from validator.language.submission.conditions import Counted, Value
from validator.operators.submission.lists import Every, Some
from validator.rulebook.loading.rulebook import Rulebook
from validator.rulebook.vocabulary.game_names import choices_of
from validator.rules.core.regulation import Regulation
from validator.rules.core.visitor import walk
from validator.text.diagnostics import Diagnostic, InputError, did_you_mean
from validator.text.spelling import misspelt
from validator.text.trees.tree import Data, Path, Tree
from validator.text.visible import quoted

Names = Mapping[str, str]
"""Names under everything they go by: themselves and titles."""

_EACH = "*"
_AREAS = ("community", "discards", "cards")


class NamePlace(Struct, frozen=True, kw_only=True):
    """Where names of a kind stand: the keys that lead there, with `*` for each item of a list. `own` is whether a name
    may be the casino's own; those in `known` are among `names`, which need not be asked for them."""

    keys: tuple[str, ...]
    what: str
    names: Callable[[], Names]
    own: bool = True
    known: Collection[str] = ()


class Unknown(Struct, frozen=True, kw_only=True):
    """A name that is to be one of the rulebook's and is none: its place (that of a key, if `at_key`), what it stands
    for, and the names that it might have been."""

    path: Path
    message: str
    word: str
    names: Names
    at_key: bool = False


def unknown_in(tree: Tree, rulebook: Rulebook) -> list[Diagnostic]:
    """A diagnostic for each of the `unknown_names`, in the order of the file. Raises InputError as they do."""
    found = [_refused(tree, one) for one in unknown_names(tree, rulebook)]
    return sorted(found, key=lambda one: (one.line or 0, one.column or 0))


def unknown_names(tree: Tree, rulebook: Rulebook) -> list[Unknown]:
    """Every name in a submission's file that is to be one of the rulebook's and is none; of a document that the
    rulebook does not have, nothing but that. The file need not be sound otherwise.

    Raises InputError where the document cannot be loaded.
    """
    document = tree.data.get("document") if isinstance(tree.data, dict) else None
    if not isinstance(document, str):
        return []
    if document not in rulebook.documents:
        message = "the rulebook has no document"
        return [Unknown(path=("document",), message=message, word=document, names=_documents(rulebook))]
    regulation = rulebook.regulation(document)
    found = [one for place in places_of_names(rulebook, regulation) for one in _unknown(tree, place, regulation)]
    return [*found, *_options(tree, regulation)]


def places_of_names(rulebook: Rulebook, regulation: Regulation) -> Iterator[NamePlace]:
    """Every place of a submission for a document that takes a name of the rulebook's, but for its options."""
    yield from _of_document(rulebook, regulation)
    yield from _of_game(regulation)


def _of_document(rulebook: Rulebook, regulation: Regulation) -> Iterator[NamePlace]:
    """Where a submission of any document takes names."""

    def clauses() -> Names:
        labels = [clause.clause for clause in regulation.document.clauses]
        return _themselves((*labels, *map(regulation.full_id, labels)))

    def asked(place: str, *others: str) -> Callable[[], Names]:
        return lambda: _themselves((*others, *_asked(regulation, place)))

    yield NamePlace(keys=("attestations", _EACH, "clause"), what="clause", names=clauses, own=False)
    yield NamePlace(keys=("waivers", _EACH, "clause"), what="clause", names=clauses, own=False)
    yield NamePlace(keys=("waivers", _EACH, "clauses", _EACH), what="clause", names=clauses, own=False)
    decks = regulation.vocabulary.decks
    yield NamePlace(
        keys=("layout", "style"),
        what="style of layout",
        names=lambda: _documents(rulebook),
        known=rulebook.documents,  # no other document need be loaded
    )
    yield NamePlace(
        keys=("layout", "areas", _EACH, "for"), what="use of an area", names=asked("layout.areas.for", *_AREAS)
    )
    yield NamePlace(keys=("deck", "cards"), what="deck", names=lambda: _themselves(decks))
    yield NamePlace(keys=("rake", "kind"), what="kind of rake", names=asked("rake.kind"))
    yield NamePlace(keys=("layout", "signage", _EACH, "rake", "kind"), what="kind of rake", names=asked("rake.kind"))
    yield NamePlace(keys=("notices", _EACH), what="notice", names=asked("notices.of"))
    yield NamePlace(keys=("notices", _EACH, "of"), what="notice", names=asked("notices.of"))


def _of_game(regulation: Regulation) -> Iterator[NamePlace]:
    """Where a submission takes names of the game."""
    game = regulation.game
    if game is None:
        return

    def lines() -> Names:
        titles = {wager.title: name for name, wager in game.wagers.items()}
        titles |= {bonus.title: name for name, bonus in game.bonuses.items()}
        return {**titles, **_themselves((*game.wagers, *game.bonuses))}

    def ways() -> Names:
        return _themselves(name for stage in game.deal.stages for name in stage.ways)

    def stages() -> Names:
        return _themselves(stage.stage for stage in game.deal.stages)

    def hands() -> Names:
        rankings = {hand.rank_by for hand in game.hands.values()}
        rankings |= {other.rank_by for hand in game.hands.values() for other in hand.otherwise}
        ranked = [name for ranking in sorted(rankings) for name in regulation.vocabulary.rankings[ranking].names()]
        printed = [row for table in game.pay_tables.values() for row in table.rows]
        return _themselves((*ranked, *printed, *(band.band for scale in game.scales.values() for band in scale.bands)))

    yield NamePlace(keys=("pay-tables", _EACH, "rows", _EACH, "hand"), what="hand", names=hands)
    yield NamePlace(
        keys=("pay-tables", _EACH, "printed"),
        what="printed pay table",
        names=lambda: _themselves(game.pay_tables),
        own=False,
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
    yield NamePlace(keys=("rake", "from"), what="stage of the deal", names=stages, own=False)


def _themselves(names: Iterable[str]) -> Names:
    return {name: name for name in names}


def _documents(rulebook: Rulebook) -> Names:
    """Documents by their ids and titles, and by the titles of their games."""
    names: dict[str, str] = {}
    for document in rulebook.documents:
        with suppress(InputError):
            regulation = rulebook.regulation(document)
            names[regulation.document.title] = document
            if regulation.game is not None:
                names[regulation.game.title] = document
    return {**names, **_themselves(rulebook.documents)}


def _asked(regulation: Regulation, place: str) -> Iterator[str]:
    """The words that requirements look for at a place of a submission, keys joined by dots; those of a list at its
    items."""
    for requirement in regulation.requirements:
        for _, part in walk(requirement.check, ()):
            if isinstance(part, Value):
                yield from _words(part, place)
            elif isinstance(part, (Every, Some, Counted)) and place.startswith(part.in_):
                for _, inner in walk(part, ()):
                    if isinstance(inner, Value):
                        yield from _words(inner, place.removeprefix(part.in_))


def _words(value: Value, place: str) -> Iterator[str]:
    if value.at == place and value.operator in ("equals", "one-of"):
        wanted = value.operand if value.operator == "one-of" else [value.operand]
        yield from (word for word in wanted if isinstance(word, str))


def _unknown(tree: Tree, place: NamePlace, regulation: Regulation) -> Iterator[Unknown]:
    for path, word in _at(tree.data, place.keys, ()):
        if isinstance(word, str) and word not in place.known:
            names = place.names()
            if word not in names.values() and (not place.own or misspelt(word, names)):
                yield Unknown(path=path, message=f"{regulation.id} knows no {place.what}", word=word, names=names)


def _options(tree: Tree, regulation: Regulation) -> Iterator[Unknown]:
    """Options that no rule asks about, and values that no option can have."""
    given = list(_at(tree.data, ("options",), ()))
    choices = choices_of(regulation) if given else {}
    for path, options in given:
        for name, value in options.items() if isinstance(options, dict) else ():
            if name not in choices:
                message = f"{regulation.id} knows no option"
                names = _themselves(choices)
                yield Unknown(path=(*path, name), message=message, word=name, names=names, at_key=True)
                continue
            if not choices[name]:
                continue
            texts = [one for one in choices[name] if isinstance(one, str)]
            truths = len(texts) < len(choices[name])
            word = value if isinstance(value, str) else str(value).lower()
            if (isinstance(value, bool) and not truths) or (
                isinstance(value, str) and (not texts or misspelt(value, _themselves(texts)))
            ):
                known = [*texts, *(("true", "false") if truths else ())]
                message = f"`{name}` cannot be"
                yield Unknown(path=(*path, name), message=message, word=word, names=_themselves(known))


def _refused(tree: Tree, unknown: Unknown) -> Diagnostic:
    from validator.text.models.problem_text import one_of  # noqa: PLC0415 - only a wrong input pays for the words

    word, names = unknown.word, unknown.names
    near = misspelt(word, names)
    if near is None:
        looks_like = did_you_mean(word, names)
        near = None if looks_like is None else names[looks_like]
    known = list(dict.fromkeys(names.values()))
    return tree.diagnostic(
        unknown.path,
        "unknown-name",
        f"{unknown.message} {quoted(word)}",
        expected=one_of(known) if known else None,
        help=None if near is None else f"did you mean `{near}`?",
        at_key=unknown.at_key,
    )


def _at(data: Data, keys: tuple[str, ...], path: Path) -> Iterator[tuple[Path, Data]]:
    if not keys:
        yield path, data
    elif keys[0] == _EACH:
        for index, item in enumerate(data if isinstance(data, list) else ()):
            yield from _at(item, keys[1:], (*path, index))
    elif isinstance(data, dict) and keys[0] in data:
        yield from _at(data[keys[0]], keys[1:], (*path, keys[0]))
