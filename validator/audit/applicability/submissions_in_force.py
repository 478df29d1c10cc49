"""Which submission, and which waivers, a round is judged by: those in force at its casino, game and table."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import groupby

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from validator.arrays import ABSENT, Identities, Indices, Ints
from validator.audit.applicability.beside import Counts
from validator.audit.applicability.duplicate_rounds import RecordedAgain
from validator.audit.applicability.waivers import Grant, Permits, permits_on, permitted_tables, waived_courses
from validator.engine.compiled.game import Prepared, prepare
from validator.engine.core.context import Scope
from validator.engine.core.house_rules import Configuration, configuration_of, without_amounts
from validator.engine.seats.unnamed_seats import with_seats_named
from validator.engine.submission.statements import Says, asked_of_files, says
from validator.evidence.columns.batch import Batch
from validator.evidence.columns.select import select
from validator.evidence.consistency.known_game import KnownGame
from validator.evidence.phh.terms import Variants
from validator.evidence.submission.model import Submission
from validator.results.place_order import PlaceKey
from validator.rulebook.loading.phh_variants import phh_variants
from validator.rulebook.loading.rulebook import Rulebook
from validator.rules.core.regulation import Regulation

_EPOCH = date(1970, 1, 1)
_OTHER_CURRENCY = "another"
"""Stands for all currencies that no submission is in."""


class Assigned(Struct, frozen=True, kw_only=True):
    """Rounds of a batch that are judged alike: under their game made ready, by one submission (or none), and with the
    same permitted. `waived` is as in `Scope`."""

    batch: Batch
    prepared: Prepared
    configuration: Configuration | None
    permits: Permits
    waived: frozenset[bytes]
    in_its_currency: bool = True
    """True if the amounts of the submission and of the rounds are in one currency."""

    def scope(self) -> Scope:
        """The rounds opened for questions."""
        return with_seats_named(Scope(self.batch, self.prepared, self.configuration, waived=self.waived))


class _Place(Struct, frozen=True, kw_only=True):
    """Where and when a round was played."""

    game: str
    casino: str | None
    table: str
    day: date
    currency: str | None


class _JudgedBy(Struct, frozen=True, kw_only=True):
    """What rounds are judged by: a submission by its index, what it says, and what is permitted."""

    submission: int | None
    said: Says | None
    permits: Permits
    in_its_currency: bool = True
    """True if the amounts of the submission and of the rounds are in one currency."""


class Terms(Struct):
    """The days on which submissions took effect, in ascending order, and the one in force from each: its index, None
    where that cannot be told."""

    starts: list[date] = field(default_factory=list)
    indices: list[int | None] = field(default_factory=list)

    def on(self, day: date) -> int | None:
        """The submission in force on a day."""
        place = bisect_right(self.starts, day)
        return self.indices[place - 1] if place else None


class Court(Struct, kw_only=True):
    """Everything rounds are judged by: regulations, loaded when a round is of their game; submissions; the day of the
    law, if fixed; and what the regulator waived."""

    rulebook: Rulebook
    submissions: Sequence[Submission]
    as_of: date | None
    grants: Sequence[Grant] = ()
    currency: str | None = None
    """The one that rounds must be in, where one was chosen and they say."""
    explained: dict[str, PlaceKey] = field(default_factory=dict)
    """The places of the failures that were explained in this process, by the full ids of requirements."""
    recorded_again: Mapping[str, RecordedAgain] = field(default_factory=dict)
    """Records that repeat or contradict others, by their logs."""
    wanted: Identities | None = None
    """Numbers of rounds whose records are to be noted, in which case nothing is judged."""
    counts: type[Counts] | None = None
    """What is counted of rounds, where that is wanted."""
    judges: bool = True
    """Whether rounds are held against requirements, or only counted."""
    _prepared: dict[str, Prepared] = field(default_factory=dict)
    _configurations: dict[int, Configuration] = field(default_factory=dict)
    _says: dict[int, Says] = field(default_factory=dict)
    _asked: dict[str, frozenset[str]] = field(default_factory=dict)
    _terms: dict[tuple[str, str | None, str | None, str | None], Terms] = field(default_factory=dict)
    _covering: dict[str | None, list[int]] = field(default_factory=dict)
    _variants: Variants | None = None

    @property
    def games(self) -> Mapping[str, KnownGame]:
        """The games whose rounds can be judged, with what the rules of each say of its evidence."""
        return self.rulebook.known_games

    def variants(self) -> Variants:
        """The variants of poker hand histories whose rounds can be judged, for which every regulation is loaded.

        Raises InputError where one cannot be loaded or two games claim a variant.
        """
        if self._variants is None:
            self._variants = phh_variants(self.rulebook.all())
        return self._variants

    def prepared(self, game: str) -> Prepared:
        """A game made ready, once."""
        if game not in self._prepared:
            self._prepared[game] = prepare(self.rulebook.regulation(game))
        return self._prepared[game]

    def configuration(self, index: int) -> Configuration:
        """What a submission has chosen, worked out once."""
        if index not in self._configurations:
            self._configurations[index] = replace(configuration_of(self.submissions[index]), number=index)
        return self._configurations[index]

    def read_counts(self, data: bytes) -> Counts:
        """What was counted of rounds by these terms, from its bytes. Raises ValueError or LookupError where it is
        none."""
        if self.counts is None:
            raise ValueError("nothing is counted")
        return self.counts.from_bytes(data, self._numbered)

    def _numbered(self, number: int) -> Configuration:
        if number < 0:
            raise LookupError(number)
        return self.configuration(number)

    def assign(self, batch: Batch) -> Iterator[Assigned]:
        """The rounds of a batch parted by what the submission in force for them says and by what is permitted there, in
        order of first use. Of submissions that say the same the first in use stands for all."""
        prepared = self.prepared(batch.game)

        def judged_by(place: _Place) -> _JudgedBy:
            index = self._submission_for(place)
            submission = None if index is None else self.submissions[index]
            said = None if index is None else self._said(prepared.regulation, index)
            permits = _permits(prepared.regulation, self.grants, submission, place)
            posted_in = place.currency if submission is None else submission.currency
            same = None in (posted_in, place.currency) or posted_in == place.currency
            return _JudgedBy(submission=index, said=said, permits=permits, in_its_currency=same)

        for part, by in _parted(batch, judged_by, self._currencies()):
            configuration = None if by.submission is None else self.configuration(by.submission)
            if configuration is not None and by.submission is not None and not by.in_its_currency:
                configuration = without_amounts(configuration, self.submissions[by.submission])
            yield replace(_assigned(part, prepared, configuration, by.permits), in_its_currency=by.in_its_currency)

    def configured(self, batch: Batch) -> Configuration | None:
        """What the submission that is in force for a round comes to. `batch` holds that round alone."""
        return next(iter(self.assign(batch))).configuration

    def _currencies(self) -> tuple[str, ...]:
        """Return the currencies that submissions post their amounts in."""
        return tuple(sorted({one.currency for one in self.submissions if one.currency is not None}))

    def _said(self, regulation: Regulation, index: int) -> Says:
        if len(self.submissions) == 1:
            return "", ()
        if regulation.id not in self._asked:
            self._asked[regulation.id] = asked_of_files(regulation)
        if index not in self._says:
            self._says[index] = says(self.configuration(index), regulation, self._asked[regulation.id])
        return self._says[index]

    def _submission_for(self, place: _Place) -> int | None:
        """The submission that took effect last by a day, of those that cover the casino, game and table.

        None where two took effect on that last day, or the log names no casino and those of several would
        fit: which of them is in force then cannot be told.
        """
        if not self._covering:
            self._covering[None] = [index for index, one in enumerate(self.submissions) if not one.tables]
            for index, one in enumerate(self.submissions):
                for covered in one.tables:
                    self._covering.setdefault(covered, []).append(index)
        table = place.table if place.table in self._covering else None
        at = (place.game, place.casino, table, place.currency)
        if at not in self._terms:
            terms = self._terms_at(*at)
            if not terms.starts:  # of other casinos there may be any number
                return None
            self._terms[at] = terms
        return self._terms[at].on(place.day)

    def _terms_at(self, game: str, casino: str | None, table: str | None, currency: str | None) -> Terms:
        """The terms at a casino, or at all where none is named, and at a table, or at all that no submission names. Of
        several from one day on, those in the currency go before."""
        fitting = [
            (self.submissions[index].effective, index)
            for index in {*self._covering[None], *self._covering.get(table, ())}
            if self.submissions[index].document == game and casino in (None, self.submissions[index].licensee.name)
        ]
        terms, licensees = Terms(), set[str]()
        for start, begun in groupby(sorted(fitting), key=lambda one: one[0]):
            indices = [index for _, index in begun]
            licensees.update(self.submissions[index].licensee.name for index in indices)
            of_currency = [index for index in indices if self.submissions[index].currency == currency]
            indices = of_currency if currency is not None and of_currency else indices
            known = len(indices) == 1 and (casino is not None or len(licensees) == 1)
            terms.starts.append(start)
            terms.indices.append(indices[0] if known else None)
        return terms


def assigned_to(
    prepared: Prepared, batch: Batch, submission: Submission | None, grants: Sequence[Grant]
) -> Iterator[Assigned]:
    """The rounds of a batch, all judged by one submission, or none, parted by what is permitted."""
    configuration = None if submission is None else configuration_of(submission)
    for part, by in _parted(
        batch,
        lambda place: _JudgedBy(
            submission=None, said=None, permits=_permits(prepared.regulation, grants, submission, place)
        ),
    ):
        yield _assigned(part, prepared, configuration, by.permits)


def _assigned(batch: Batch, prepared: Prepared, configuration: Configuration | None, permits: Permits) -> Assigned:
    permitted = permitted_tables(prepared.regulation, permits)
    if configuration is not None and permitted:
        configuration = replace(configuration, permitted_tables=permitted)
    waived = waived_courses(prepared.regulation, permits)
    return Assigned(batch=batch, prepared=prepared, configuration=configuration, permits=permits, waived=waived)


def _permits(regulation: Regulation, grants: Sequence[Grant], submission: Submission | None, place: _Place) -> Permits:
    """What is permitted at a place: to the casino that the round names, else to that of the submission in force."""
    return permits_on(
        regulation,
        grants,
        licensee=place.casino or (None if submission is None else submission.licensee.name),
        tables=(place.table,),
        day=place.day,
        submission=submission,
    )


def _parted(
    batch: Batch, judged_by: Callable[[_Place], _JudgedBy], currencies: Sequence[str] = ()
) -> Iterator[tuple[Batch, _JudgedBy]]:
    """The rounds of a batch parted by what they are judged by, in order of first use. Rounds in other currencies than
    these are all alike."""
    names = (*currencies, _OTHER_CURRENCY)
    distinct, inverse = _alike(batch, names)
    groups: dict[object, tuple[_JudgedBy, list[int]]] = {}
    for number, (casino, table, day, currency) in enumerate(distinct.tolist()):
        by = judged_by(
            _Place(
                game=batch.game,
                casino=None if casino < 0 else batch.casino.names[casino],
                table=batch.table.names[table] if table >= 0 else "",
                day=_EPOCH + timedelta(days=day),
                currency=None if currency < 0 else names[currency],
            )
        )
        groups.setdefault((by.said, by.in_its_currency, by.permits.key()), (by, []))[1].append(number)
    for by, numbers in groups.values():
        yield (batch if len(groups) == 1 else select(batch, np.isin(inverse, numbers))), by


def _alike(batch: Batch, currencies: Sequence[str]) -> tuple[Ints, Indices]:
    """int64[k, 4], the casinos, tables, days and currencies that rounds are of, in ascending order, and int64[rounds],
    which of these each is of. All currencies that are not listed have the number of the last."""
    numbers = {name: number for number, name in enumerate(currencies)}
    listed = [numbers.get(name, len(currencies) - 1) for name in batch.currency.names]
    currency = np.array([*listed, ABSENT], np.int64)[batch.currency.codes]
    columns = (batch.casino.codes, batch.table.codes, batch.day, currency)
    key = np.zeros(len(batch), np.int64)
    for column in columns:
        # The codes of a batch and all days of the calendar together need less than 64 bits.
        least = int(column.min(initial=0))
        key = key * (int(column.max(initial=0)) - least + 1) + (column - least)
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    return np.stack([column[first] for column in columns], axis=1).astype(np.int64), inverse
