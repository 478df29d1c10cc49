"""Summary of submissions for results: amounts as understood, layouts with findings, and unknown names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct

from fairdeal.validator.audit.submissions.submission_requirements import FiledSubmission, SubmissionVerdict
from fairdeal.validator.evidence.submission_model import Area, Sign, Submission, SubmittedWager
from fairdeal.validator.evidence.submission_reader import collect_stated_values, find_money_keys
from fairdeal.validator.language.grammar import iterate_models
from fairdeal.validator.language.submission_conditions import Counted, Every, MissingItem, Some, Value, replace_hyphens
from fairdeal.validator.results import results
from fairdeal.validator.results.findings import WORST_FIRST
from fairdeal.validator.rulebook.rule_catalogue import collect_option_values, find_documents
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rules.regulation import Regulation, cache_by_regulation, line_title
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, correct_spelling, find_similar, quote
from fairdeal.validator.text.plain_values import count_decimals, format_money
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument

Names = Mapping[str, str]
"""Names by everything they are called: themselves and titles."""

_EACH = "*"
_AREA_USES = ("community", "discards", "cards")


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
        names=find_required_words("layout.areas.for", *_AREA_USES),
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


_SEPARATE_KEYS = frozenset({"wagers", "layout"})
"""Keys whose amounts are limits of wagers, or repeat them."""


def describe_submitted_amounts(submission: Submission, regulation: Regulation) -> results.SubmittedAmounts | None:
    """Return the limits of wagers and the other amounts of a submission in words; None if it states none."""
    titles = {} if regulation.game is None else {name: line.title for name, line in regulation.game.wagers.items()}
    offers = [offer for offer in submission.wagers or () if (offer.minimum, offer.maximum) != (None, None)]
    amounts = [
        f"{titles.get(offer.wager, offer.wager)} {_format_limits(offer, submission.currency)}" for offer in offers
    ]
    for key, value in collect_stated_values(submission).items():
        parts = [] if key in _SEPARATE_KEYS else list(_list_amounts(key, value, submission.currency))
        if parts:
            prefix = "" if key in find_money_keys() else f"{replace_hyphens(key)}: "
            amounts.append(f"{prefix}{', '.join(parts)}")
    unit = 10 ** count_decimals(submission.currency)
    questions = [
        f"{titles.get(offer.wager, offer.wager)}: a limit of {format_money(limit, submission.currency)} is less than"
        " one unit of the currency; is that what is meant?"
        for offer in offers
        for limit in dict.fromkeys((offer.minimum, offer.maximum))
        if limit is not None and 0 < limit < unit
    ]
    if not amounts:
        return None
    return results.SubmittedAmounts(
        submission=submission.submission,
        currency=submission.currency,
        amounts=tuple(amounts),
        questions=tuple(questions),
    )


def _format_limits(offer: SubmittedWager, currency: str | None) -> str:
    least, most = (None if limit is None else format_money(limit, currency) for limit in (offer.minimum, offer.maximum))
    if least is None:
        return f"up to {most}"
    if most is None:
        return f"from {least}"
    return least if least == most else f"{least} to {most}"


def _list_amounts(key: str, value: Any, currency: str | None) -> Iterator[str]:
    """Yield the amounts within the value of a key, each with its own key."""
    if key in find_money_keys() and type(value) is int:
        yield f"{replace_hyphens(key)} {format_money(value, currency)}"
    elif isinstance(value, Mapping):
        for inner, part in value.items():
            yield from _list_amounts(inner, part, currency)
    elif isinstance(value, list):
        for part in value:
            yield from _list_amounts("", part, currency)


_LAYOUT = "/layout"
_AREAS = f"{_LAYOUT}/areas"
_USE_KEYS = ("wager", "for")
"""Keys of an area that state its use."""
_SHARED_USES = frozenset({"community", "discards"})
"""Uses for which a table has one area unless the submission states otherwise."""

_AREA_SUFFIXES = ("", "/wager", "/for", "/per")
_LEGEND = "/legend"

Use = tuple[str, str]
"""Use of an area: a key and its value."""
Marks = Mapping[str, set[results.LayoutMark]]
"""Requirements by the place in the layout that their findings refer to."""


def build_layout(filed: FiledSubmission, verdicts: Iterable[SubmissionVerdict]) -> results.Layout | None:
    """Build the layout of a submission, with its findings and missing areas; None if no layout is submitted."""
    layout = filed.submission.layout
    if layout is None:
        return None
    submitted = layout.areas or ()
    marks, missing = _collect_marks(verdicts, submitted)
    areas = tuple(_build_area(area, f"{_AREAS}/{index}", marks) for index, area in enumerate(submitted))
    signage = tuple(
        results.LayoutSign(text=describe_sign(sign), marks=_marks_within(marks, f"{_LAYOUT}/signage/{index}"))
        for index, sign in enumerate(layout.signs)
    )
    parts = {
        *(f"{_AREAS}/{index}{key}" for index in range(len(areas)) for key in (*_AREA_SUFFIXES, _LEGEND)),
        *(place for index in range(len(signage)) for place in _places_within(marks, f"{_LAYOUT}/signage/{index}")),
    }
    return results.Layout(
        file=filed.tree.source_name,
        title=f"{filed.submission.submission}: layout in the style of {layout.style}",
        positions=layout.positions,
        areas=areas,
        signage=signage,
        marks=_merge_marks(marks, marks.keys() - parts),
        shape=results.TableShape.HALF_ROUND if layout.shape is None else results.TableShape(layout.shape),
        lacks=missing,
    )


def _build_area(area: Area, place: str, marks: Marks) -> results.LayoutArea:
    return results.LayoutArea(
        area=area.operand,
        legend=area.legend,
        wager=area.operator == "wager",
        per=_default_per((area.operator, area.operand)) if area.per is None else results.AreaUnit(area.per),
        marks=_merge_marks(marks, [f"{place}{key}" for key in _AREA_SUFFIXES]),
        legend_marks=_merge_marks(marks, [f"{place}{_LEGEND}"]),
    )


def _default_per(use: Use) -> results.AreaUnit:
    return results.AreaUnit.TABLE if use[0] == "for" and use[1] in _SHARED_USES else results.AreaUnit.POSITION


def _collect_marks(
    verdicts: Iterable[SubmissionVerdict], submitted: Sequence[Area]
) -> tuple[Marks, tuple[results.LayoutArea, ...]]:
    """Return the findings by place, and the missing areas. An area that exists but is wrong is marked."""
    marks_by_place: dict[str, set[results.LayoutMark]] = {}
    missing: dict[Use, set[results.LayoutMark]] = {}
    legends: dict[Use, str] = {}
    for verdict in verdicts:
        for finding, sought in zip(verdict.findings, verdict.missing_items, strict=True):
            mark = results.LayoutMark(requirement=finding.requirement, status=finding.status)
            use = None if sought is None else _find_use(sought)
            existing = [index for index, area in enumerate(submitted) if (area.operator, area.operand) == use]
            pointer = finding.where.pointer
            for index in existing:
                marks_by_place.setdefault(f"{_AREAS}/{index}", set()).add(mark)
            if use is not None and sought is not None and not existing:
                missing.setdefault(use, set()).add(mark)
                legends[use] = dict(sought.values).get("legend", legends.get(use, use[1]))
            elif not existing and pointer is not None and f"{pointer}/".startswith(f"{_LAYOUT}/"):
                marks_by_place.setdefault(pointer, set()).add(mark)
    missing_areas = tuple(
        results.LayoutArea(
            area=use[1],
            legend=legends[use],
            wager=use[0] == "wager",
            per=_default_per(use),
            marks=_sort_marks(marks),
        )
        for use, marks in missing.items()
    )
    return marks_by_place, missing_areas


def _find_use(sought: MissingItem) -> Use | None:
    """Return the use of a missing area; None if it is not an area, or has no use."""
    if sought.list_path != ("layout", "areas"):
        return None
    return next(((key, value) for key, value in sought.values if key in _USE_KEYS), None)


def describe_terms(submission: Submission, regulation: Regulation) -> tuple[str, ...]:
    """Describe the limits and the pay tables of a submission, a sentence for each."""
    stated = describe_submitted_amounts(submission, regulation)
    tables = [
        f"{line_title(regulation.game, table.pays) if regulation.game else table.pays} pays"
        f" {', '.join(f'{replace_hyphens(row.hand)} {row.odds}' for row in table.rows)}"
        for _, table in submission.list_tables_in_use()
        if table.rows
    ]
    return (*(() if stated is None else stated.amounts), *tables)


def describe_sign(sign: Sign) -> str:
    """Describe a sign: its words, or those of its contents."""
    if sign.text is not None:
        return sign.text
    limits = " to ".join(format_money(limit) for limit in (sign.minimum, sign.maximum) if limit is not None)
    rows = [f"{row.hand} {row.odds}" for row in sign.rows or ()]
    rake = [] if sign.rake is None else ["rake", *([sign.rake.kind] if sign.rake.kind else [])]
    rake += [
        f"{format_money(level.takes)} at {format_money(level.pot)}" for level in (sign.rake and sign.rake.levels) or ()
    ]
    parts = [*([sign.wager] if sign.wager else []), *([limits] if limits else []), *rows, *rake]
    return ", ".join(parts) or "nothing stated"


def _marks_within(marks: Marks, place: str) -> tuple[results.LayoutMark, ...]:
    return _merge_marks(marks, _places_within(marks, place))


def _places_within(marks: Marks, place: str) -> list[str]:
    """Return the places in a part of the layout that findings refer to."""
    return [inner for inner in marks if f"{inner}/".startswith(f"{place}/")]


def _merge_marks(marks: Marks, places: Iterable[str]) -> tuple[results.LayoutMark, ...]:
    return _sort_marks({mark for place in places for mark in marks.get(place, ())})


def _sort_marks(marks: Iterable[results.LayoutMark]) -> tuple[results.LayoutMark, ...]:
    """Sort marks, worst first, then by requirement."""
    return tuple(sorted(marks, key=lambda mark: (WORST_FIRST.index(mark.status), mark.requirement)))
