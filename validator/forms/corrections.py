"""What in a submission can be meant in one way only, or has only one lawful value, and stands there otherwise."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import Any

from msgspec import Struct

from validator.audit.submissions.names import unknown_names
from validator.engine.compiled.printed_tables import Printed, print_table
from validator.evidence.submission.model import Submission
from validator.evidence.submission.money import SubmittedPayTable
from validator.evidence.submission.reader import submission_in
from validator.forms.asked_places import EACH, may_apply
from validator.forms.sole_values import Lawful, lawful_values
from validator.forms.text_edits import NewEntry, NewValue, Splice, spliced
from validator.language.submission.checks import PayTablesCheck
from validator.operators.submission.values import same
from validator.rulebook.loading.rulebook import Rulebook
from validator.rulebook.vocabulary.submission_places import Place, place_of
from validator.rules.core.regulation import Regulation
from validator.text.diagnostics import InputError
from validator.text.models.model import hyphenated
from validator.text.source import Source, decoded
from validator.text.spelling import meant
from validator.text.trees.tree import Data, Path, Tree
from validator.text.trees.yaml_tree import load_yaml

_BOM = b"\xef\xbb\xbf"
_WORD = re.compile(r"[^\W_]+")


class Mended(Struct, frozen=True, kw_only=True):
    """What is put right at a line: what stood there, what stands there now, and why."""

    line: int
    was: str
    now: str
    why: str


class _Found(Struct, frozen=True, kw_only=True):
    splice: Splice
    was: str
    now: str
    why: str


def mended(source: Source, rulebook: Rulebook, as_of: date | None = None) -> tuple[Source, list[Mended]]:
    """A submission in YAML with everything put right that can be meant in one way only, and what that was.

    First words that are misspelt; then, in a submission that can be read, values and rows of pay tables of which the
    law leaves no choice, by the law of `as_of` or of the day it takes effect. Nothing is stated that was not, but the
    rows that a pay table lacks; and nothing is put right in what is no submission for a document of the rulebook.

    Raises InputError where the file is no YAML, or the document cannot be loaded.
    """
    before = source
    tree = load_yaml(source)
    done: list[Mended] = []
    while True:  # what is called by its right name may have names of its own
        so_far = len(done)
        source, tree = _put_right(source, tree, _misspelt(tree, rulebook), done)
        if len(done) == so_far:
            break
    if not _is_submission(tree, rulebook):
        return before, []
    if unknown_names(tree, rulebook):
        return source, done
    try:
        submission = submission_in(tree)
    except InputError:
        return source, done  # the check says what is wrong
    if submission.document in rulebook.documents:
        regulation = rulebook.regulation(submission.document)
        day = as_of or submission.effective
        found = [*_unlawful(tree, regulation, day), *_pay_tables(submission, regulation, day)]
        source, tree = _put_right(source, tree, found, done)
    return source, done


def _is_submission(tree: Tree, rulebook: Rulebook) -> bool:
    """Whether a file is meant for a submission: other files have keys that are a slip away from those of one."""
    named = tree.data if isinstance(tree.data, dict) else {}
    called, document = named.get("submission"), named.get("document")
    return called is not None and not isinstance(called, (dict, list)) and document in rulebook.documents


def _put_right(source: Source, tree: Tree, found: list[_Found], done: list[Mended]) -> tuple[Source, Tree]:
    if not found:
        return source, tree
    text = spliced(source.text, [one.splice for one in found])
    mark = _BOM if source.data.startswith(_BOM) else b""
    after = decoded(source.name, mark + text.encode())
    done += [Mended(line=tree.at(one.splice.path).line, was=one.was, now=one.now, why=one.why) for one in found]
    return after, load_yaml(after)


def _misspelt(tree: Tree, rulebook: Rulebook) -> list[_Found]:
    """Words that can only be meant for one that is known: names of the rulebook's, keys, and words of the format; not
    keys that would then stand twice."""
    found = list(_all_misspelt(tree, rulebook))
    keys = Counter((one.splice.path[:-1], one.now) for one in found if _of_a_key(one))
    return [
        one
        for one in found
        if not _of_a_key(one)
        or (keys[one.splice.path[:-1], one.now] == 1 and (*one.splice.path[:-1], one.now) not in tree.positions)
    ]


def _of_a_key(found: _Found) -> bool:
    return isinstance(found.splice, NewValue) and found.splice.at_key


def _all_misspelt(tree: Tree, rulebook: Rulebook) -> Iterator[_Found]:
    seen: set[tuple[Path, bool]] = set()
    for unknown in unknown_names(tree, rulebook):
        seen.add((unknown.path, unknown.at_key))
        yield from _meant(unknown.path, unknown.word, dict(unknown.names), at_key=unknown.at_key)
    for path, word, names, at_key in _words_of_the_format(tree.data, place_of(Submission), ()):
        if (path, at_key) not in seen:
            yield from _meant(path, word, {name: name for name in names}, at_key=at_key)


def _meant(path: Path, word: str, names: dict[str, str], *, at_key: bool) -> Iterator[_Found]:
    candidates = meant(word, names)
    if len(candidates) == 1:
        now = candidates[0]
        value: Any = now == "true" if now in ("true", "false") and not at_key else now
        yield _Found(splice=NewValue(path=path, value=value, at_key=at_key), was=word, now=now, why="misspelt")


def _words_of_the_format(data: Data, place: Place, here: Path) -> Iterator[tuple[Path, str, list[str], bool]]:
    """Keys that no mapping has, and words where one of a few must stand, with those that may."""
    if isinstance(data, dict) and place.fields is not None:
        keys = [hyphenated(name) for name in place.fields.model_fields]
        for key, value in data.items():
            inner = place.within(key)
            if inner is None:
                yield (*here, key), key, keys, True
            else:
                yield from _words_of_the_format(value, inner, (*here, key))
    elif isinstance(data, list) and (item := place.item()) is not None:
        for index, value in enumerate(data):
            yield from _words_of_the_format(value, item, (*here, index))
    elif isinstance(data, str) and place.choices is not None and data not in place.choices:
        yield here, data, sorted(place.choices), False


def _unlawful(tree: Tree, regulation: Regulation, day: date) -> Iterator[_Found]:
    """Values that are stated and are not the only lawful ones."""
    for lawful in lawful_values(regulation, day):
        for path in _places(tree.data, lawful):
            stated = tree.value(path)
            scalars = isinstance(stated, (str, int, bool)) and not isinstance(lawful.value, list)
            if scalars and not same(stated, lawful.value):
                requirement = lawful.requirement
                why = f"{requirement.message} ({', '.join(regulation.clause_ids(requirement.clauses))})"
                splice = NewValue(path=path, value=lawful.value)
                yield _Found(splice=splice, was=_written(stated), now=_written(lawful.value), why=why)


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _places(data: Data, lawful: Lawful) -> Iterator[Path]:
    """Where in a file a lawful value must stand, as far as something stands there."""
    if lawful.item is None:
        yield from _there(data, lawful.place)
        return
    at = lawful.place.index(EACH)
    key, name = lawful.item
    for list_ in _there(data, lawful.place[:at]):
        entries = _at(data, list_)
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, dict) and entry.get(key) == name:
                yield from ((*list_, index, *path) for path in _there(entry, lawful.place[at + 1 :]))


def _there(data: Data, path: Path) -> Iterator[Path]:
    if _at(data, path) is not None:
        yield path


def _at(data: Data, path: Path) -> Data:
    for step in path:
        data = data.get(step) if isinstance(data, dict) and isinstance(step, str) else None
    return data


def _pay_tables(submission: Submission, regulation: Regulation, day: date) -> Iterator[_Found]:
    """Rows of pay tables in use that are not those of the one printed table that is meant."""
    in_force = [one.check.operand for one in regulation.requirements if regulation.in_force(one, day)]
    checks = [check for check in in_force if isinstance(check, PayTablesCheck) and _applies(regulation, check)]
    worded = {check.for_ for check in checks if check.match == "wording"}
    for check in checks:
        if check.match != "exactly" or regulation.game is None:
            continue
        printed = [print_table(regulation, regulation.game, name) for name in check.one_of]
        for index, table in submission.tables_in_use():
            # Which table a casino means that names a printed one which is not permitted, only it can say.
            if table.pays == check.for_ and table.printed is None:
                meant_for = _meant_for(table, printed, worded=check.for_ in worded)
                if meant_for is not None:
                    wrong = _wrong(table, meant_for, worded=check.for_ in worded)
                    yield from _rows(table, meant_for, wrong, ("pay-tables", index, "rows"))


def _applies(regulation: Regulation, check: PayTablesCheck) -> bool:
    """Whether it speaks of every submission, as the text is read."""
    return check.when is None or (check.when.operator == "reading" and may_apply(regulation, check.when))


def _meant_for(table: SubmittedPayTable, printed: list[Printed], *, worded: bool) -> Printed | None:
    """The printed table that a posted one is meant for: the only one there is, the one it is named for, or the one it
    differs least from, if that is in half of its rows at most; None where it is one already, or nothing decides."""
    off = [(len(_wrong(table, one, worded=worded)), one) for one in printed]
    if any(not wrong and not _extra(table, one) for wrong, one in off):
        return None
    if len(printed) == 1:
        return printed[0]
    words = set(_WORD.findall((table.name or "").casefold()))
    named = [one for one in printed if set(_WORD.findall(one.name)) <= words]
    if named:
        return named[0] if len(named) == 1 else None
    least = min(wrong + _extra(table, one) for wrong, one in off)
    nearest = [one for wrong, one in off if wrong + _extra(table, one) == least]
    return nearest[0] if len(nearest) == 1 and 2 * least <= len(nearest[0].rows) else None


def _extra(table: SubmittedPayTable, printed: Printed) -> int:
    return sum(row.hand not in printed.rows for row in table.rows)


def _wrong(table: SubmittedPayTable, printed: Printed, *, worded: bool) -> frozenset[str]:
    """The printed rows that a posted table lacks or pays otherwise, or words otherwise where wording is asked for."""
    posted = {row.hand: row.odds for row in table.rows}
    worth = printed.posted_worth(posted, None)
    return frozenset(
        hand
        for hand, payout in printed.rows.items()
        if hand not in posted or worth[hand] != printed.worth[hand] or (worded and posted[hand].form != payout.form)
    )


def _rows(table: SubmittedPayTable, printed: Printed, wrong: frozenset[str], here: Path) -> Iterator[_Found]:
    """What is put right in the rows of a table; amounts that go by the size of a wager, which is a choice, are not."""
    why = f"pay table {printed.name}, {', '.join(printed.table.clauses)}"
    if printed.table.wager is not None:
        return
    places: dict[str, int] = {}
    for index, row in enumerate(table.rows):
        again = row.hand in places
        places.setdefault(row.hand, index)
        payout = printed.rows.get(row.hand)
        if payout is None or again or row.hand not in wrong:
            continue
        splice = NewValue(path=(*here, index, "odds"), value=str(payout))
        yield _Found(splice=splice, was=f"{row.hand} {row.odds}", now=f"{row.hand} {payout}", why=why)
    before = len(table.rows)
    lacking: list[_Found] = []
    for hand, payout in reversed(list(printed.rows.items())):
        if hand in places:
            before = places[hand]
        else:
            entry = NewEntry(path=here, before=before, values={"hand": hand, "odds": str(payout)})
            lacking.append(_Found(splice=entry, was="no such row", now=f"{hand} {payout}", why=why))
    yield from reversed(lacking)
