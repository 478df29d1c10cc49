"""Terms of a game at a licensee: pay tables as printed and interpreted, choices of the licensee, and the submission.

Checks of submissions need neither rankings nor NumPy, so this module imports rankings only when one is compiled.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from fractions import Fraction
from functools import partial
from math import lcm
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.evidence import submission_reader
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.language.grammar import iterate_references
from fairdeal.validator.results.findings import Evidence
from fairdeal.validator.rules.document_model import NameList
from fairdeal.validator.rules.game_model import Game, Hand
from fairdeal.validator.rules.payment_model import PayTable, Scale, SharedAward
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.plain_values import Payout, PayoutUnit
from fairdeal.validator.text.positioned_document import DataPath

if TYPE_CHECKING:
    from fairdeal.validator.cards.hand_orders import HandOrder

_ANY = 2**62


class Ladder(Protocol):
    """Ranking or scale that maps names to ranges of whole numbers."""

    def span(self, name: str) -> tuple[int, int]:
        """Return the range of a name: its first number, and the number after its last.

        Raises:
            ValueError: no range has this name.
        """
        ...


class ScaleLadder(Struct, frozen=True, kw_only=True):
    """Bands of a scale."""

    floors: Mapping[str, int]
    """Lowest value of each band, highest band first."""

    def span(self, name: str) -> tuple[int, int]:
        """Return the range of values of a band.

        Raises:
            ValueError: no band has this name.
        """
        if name not in self.floors:
            raise ValueError(f"{name} is not a band of {', '.join(self.floors)}")
        above = [floor for floor in self.floors.values() if floor > self.floors[name]]
        return self.floors[name], min(above, default=_ANY)


def compile_scale(scale: Scale) -> ScaleLadder:
    """Compile the bands of a scale."""
    return ScaleLadder(floors=scale.bands)


def find_ranking_name(regulation: Regulation, hand: Hand) -> str:
    """Return the name of the ranking of a hand, by the readings in force."""
    return str(regulation.apply_otherwise(hand).rank_by)


def compile_ranking_of_hand(regulation: Regulation, hand: Hand) -> HandOrder:
    """Compile the ranking of a hand, by the readings in force."""
    from fairdeal.validator.cards.hand_orders import compile_order  # noqa: PLC0415 - most checks need no ranking

    return compile_order(regulation.vocabulary.rankings[find_ranking_name(regulation, hand)])


def compile_ladders(regulation: Regulation, game: Game, names: Iterable[str]) -> tuple[Ladder, ...]:
    """Compile the rankings and scales of some hands and scales."""
    return tuple(
        compile_scale(game.scales[name])
        if name in game.scales
        else compile_ranking_of_hand(regulation, game.hands[name])
        for name in names
    )


def find_spans(ladder: Ladder, names: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return the ranges of the names that a ladder has."""
    result: dict[str, tuple[int, int]] = {}
    for name in names:
        try:
            result[name] = ladder.span(name)
        except ValueError:
            continue
    return result


Worth: TypeAlias = tuple[PayoutUnit, Fraction]
"""Pay of a row beyond the stake: per unit staked, as a part of a meter, or in minor currency units."""

MAX_TABLE_DENOMINATOR = 10**6
"""Largest common denominator of a pay table that the settlement supports."""


class PrintedTable(Struct, frozen=True, kw_only=True, eq=False):
    """Printed pay table with the worth of its rows."""

    name: str
    table: PayTable
    rows: Mapping[str, Payout]
    """Rows as the readings in force interpret them."""
    worth: Mapping[str, Worth]
    """Worth of each row."""
    shared_rows: tuple[SharedAward, ...]
    """Rows whose award several seats share, by the readings in force."""
    build_ladders: Callable[[], tuple[Ladder, ...]]
    """Builds the rankings and scales by which rows are looked up."""

    def compute_posted_worth(self, posted: Mapping[str, Payout], size: int | None) -> Mapping[str, Worth]:
        """Return the worth of the rows of a posted table of the same kind.

        If amounts depend on the stake, those of the posted table are for the one `size` that the wager may have.
        Without such a size, they are for the printed size.
        """
        return compute_worth(posted, None if self.table.wager is None else size or self.table.wager)

    def is_floor_of(self, posted: Mapping[str, Worth]) -> bool:
        """Return whether a posted table has every row of this table, and no row that pays less."""
        if not all(name in posted and pays_at_least(posted[name], least) for name, least in self.worth.items()):
            return False
        return not any(self.find_undercuts(posted))

    def find_undercuts(self, posted: Mapping[str, Worth]) -> Iterator[tuple[str, str]]:
        """Yield posted rows that take hands from a printed row and pay less, each with the printed row.

        If rows have hands in common, the first one counts, so a posted row after the printed one changes nothing.
        """
        ahead: list[str] = []
        for name in posted:
            if name not in self.worth:
                ahead.append(name)
            for ladder in self.build_ladders() if ahead and name in self.worth else ():
                spans = find_spans(ladder, [name, *ahead])
                low, high = spans.pop(name, (0, 0))
                for row, (first, end) in spans.items():
                    if first < high and low < end and not pays_at_least(posted[row], self.worth[name]):
                        yield row, name


def compute_worth(rows: Mapping[str, Payout], size: int | None) -> dict[str, Worth]:
    """Compute the worth of rows; amounts for a stake of `size` become amounts per unit staked."""
    return {name: _worth(payout, size) for name, payout in rows.items()}


def _worth(payout: Payout, size: int | None) -> Worth:
    if payout.unit == "money" and size is not None:
        return "stake", payout.worth / size
    return payout.unit, payout.worth


def pays_at_least(worth: Worth, least: Worth) -> bool:
    """Return whether a row pays at least as much as another; rows in different units are not comparable."""
    return worth[0] == least[0] and worth[1] >= least[1]


def find_common_denominator(rows: Mapping[str, Worth]) -> int:
    """Return the common denominator of the rows of a table."""
    return lcm(*(worth.denominator for _, worth in rows.values()))


def find_base_wager(game: Game, line: str) -> str:
    """Return the wager whose stake a line is computed on: the line itself, or the wager of a bonus."""
    return game.bonuses[line].of if line in game.bonuses else line


def read_printed_table(regulation: Regulation, game: Game, name: str) -> PrintedTable:
    """Read a printed pay table by the readings in force."""
    table = game.pay_tables[name]
    rows: Mapping[str, Payout] = table.rows
    for other in table.otherwise:
        if regulation.is_option_in_force(other.reading.name, other.reading.is_):
            rows = {row: _reword(payout, other.form) for row, payout in rows.items()}
    shared = tuple(
        row
        for row in table.shared
        if row.reading is None or regulation.is_option_in_force(row.reading.name, row.reading.is_)
    )
    return PrintedTable(
        name=name,
        table=table,
        rows=rows,
        worth=compute_worth(rows, table.wager),
        shared_rows=shared,
        build_ladders=partial(compile_ladders, regulation, game, table.lookup_names),
    )


def _reword(payout: Payout, form: str) -> Payout:
    """Convert odds to the other wording; pushes, shares and amounts have only one."""
    if payout.form not in ("to", "for", "colon", "win"):
        return payout
    return replace(payout, form="for" if form == "for" else "to")


class PostedOffer(Struct, frozen=True, kw_only=True):
    """Wager or bonus as the licensee offers it: posted limits in minor currency units, and whether it takes tips."""

    minimum: int | None
    maximum: int | None
    tips: bool | None


_NOT_STATED = PostedOffer(minimum=None, maximum=None, tips=None)


class LicenseeConfiguration(Struct, frozen=True, kw_only=True):
    """Choices in force at a table. None means that the licensee did not submit the choice."""

    name: str
    """Name of the submission."""
    offers: Mapping[str, PostedOffer] | None
    """Offered wagers and bonuses by name."""
    options: Mapping[str, bool | str]
    """Stated options by name."""
    dealing: str | None
    """Way of dealing."""
    pay_tables: Mapping[str, tuple[Mapping[str, Payout], ...]]
    """Rows of every pay table in use, by line."""
    effective: date
    """First day on which the submission is in force."""
    data: Mapping[str, Any]
    """All submitted data, in the structure of a file."""
    permitted_tables: frozenset[str] = frozenset()
    """Lines whose tables may pay any odds, by a waiver of the regulator."""
    number: int | None = None
    """Index of the submission among those of a run; None for a single submission."""

    def fixed_stake(self, wager: str) -> int | None:
        """Return the only amount that may be staked on a wager; None if several amounts are permitted."""
        offer = (self.offers or {}).get(wager, _NOT_STATED)
        return offer.minimum if offer.minimum == offer.maximum else None


def drop_amounts(configuration: LicenseeConfiguration, submission: Submission) -> LicenseeConfiguration:
    """Return the choices of a submission that apply to rounds in another currency: all but amounts of money."""
    offers = configuration.offers
    return replace(
        configuration,
        offers=None
        if offers is None
        else {name: replace(offer, minimum=None, maximum=None) for name, offer in offers.items()},
        pay_tables={
            line: tables
            for line, tables in configuration.pay_tables.items()
            if not any(payout.form == "amount" for rows in tables for payout in rows.values())
        },
        data=submission_reader.collect_values_without_amounts(submission),
    )


def build_configuration(submission: Submission) -> LicenseeConfiguration:
    """Build the configuration that a submission describes."""
    offers: dict[str, PostedOffer] | None = None
    if submission.wagers is not None:
        offers = {}
        for offer in submission.wagers:
            posted_offer = PostedOffer(minimum=offer.minimum, maximum=offer.maximum, tips=offer.tips)
            # A wager listed twice with different terms is offered, but its terms are unknown.
            offers[offer.wager] = posted_offer if offers.get(offer.wager, posted_offer) == posted_offer else _NOT_STATED
    posted: dict[str, tuple[Mapping[str, Payout], ...]] = {}
    for _, table in submission.list_tables_in_use():
        rows = {row.hand: row.odds for row in table.rows}
        posted[table.pays] = (*posted.get(table.pays, ()), rows)
    return LicenseeConfiguration(
        name=submission.submission,
        offers=offers,
        options={name: value for name, value in submission.options.items() if value is not None},
        dealing=submission.dealing,
        pay_tables=posted,
        effective=submission.effective,
        data=submission_reader.collect_stated_values(submission),
    )


class SubmissionView(Struct, frozen=True, kw_only=True):
    """Statements of a submission (`evidence.stated`), as seen from the list items that conditions have entered."""

    data: Mapping[str, Any]
    """Submitted data, in the structure of a file."""
    regulation: Regulation
    """Regulation that the submission is checked against."""
    day: date
    """Day of the law; lists of names count on the days on which they are in force."""
    items: tuple[DataPath, ...] = ()
    """Paths of the entered list items, outermost first."""

    def enter_item(self, path: DataPath) -> SubmissionView:
        """Return the view from an item of a list."""
        return replace(self, items=(*self.items, path))

    def resolve_path(self, text: str) -> DataPath:
        """Return the path that a dotted text names: from the root, or from the item that its leading dots select."""
        keys = text.lstrip(".")
        dots = len(text) - len(keys)
        start = self.items[-dots] if 0 < dots <= len(self.items) else ()
        return (*start, *(keys.split(".") if keys else ()))

    def find_value(self, path: DataPath) -> Any:
        """Return the value at a path; None if there is none."""
        result: Any = self.data
        for part in path:
            if isinstance(result, Mapping):
                result = result.get(part)
            elif isinstance(result, list) and isinstance(part, int):
                result = result[part]
            else:
                return None
        return result

    def list_entries(self, path: DataPath) -> list[SubmissionView] | None:
        """Return the views from the items of a list; None if there is no list at the path.

        Without an earlier submission, its lists are empty.
        """
        if path[:1] == (submission_reader.EARLIER,) and submission_reader.EARLIER not in self.data:
            return []
        result = self.find_value(path)
        if result is submission_reader.NOTHING:
            return []
        if not isinstance(result, list):
            return None
        return [self.enter_item((*path, index)) for index in range(len(result))]


def is_list_in_force(listed: NameList, day: date) -> bool:
    """Return whether a list is in force on a day; the first and the last day count."""
    return (listed.from_ is None or listed.from_ <= day) and (listed.until is None or day <= listed.until)


FILE_KEYS = frozenset({"submission", "licensee", "tables", "effective", "waivers", "attestations"})
"""Keys in which a submission describes itself: the licensee, the rounds it is for, and what is attested or waived."""

ConfigurationKey = tuple[str, tuple[date | None, ...]]


def find_required_file_keys(regulation: Regulation) -> frozenset[str]:
    """Return the self-describing keys of a submission that requirements on rounds refer to."""
    rules = [
        requirement.check
        for requirement in regulation.requirements
        if requirement.evidence in (Evidence.ROUND, Evidence.SESSION)
    ]
    models = rules if regulation.game is None else [regulation.game, *rules]
    named = (reference for model in models for reference in iterate_references(model, ()))
    return FILE_KEYS.intersection(path.partition(".")[0] for _, kind, path in named if kind == "submission-path")


def build_configuration_key(
    configuration: LicenseeConfiguration, regulation: Regulation, asked: frozenset[str]
) -> ConfigurationKey:
    """Return a key of a configuration: two configurations with the same key yield the same results.

    Args:
        asked: result of `find_required_file_keys`. The first day counts if a list of the document is not in force on
            it.
    """
    kept = {key: value for key, value in configuration.data.items() if key not in FILE_KEYS or key in asked}
    day = configuration.effective
    lists = (None if is_list_in_force(listed, day) else day for listed in regulation.document.lists.values())
    return json.dumps(kept, sort_keys=True, default=str), tuple(lists)
