"""Context of an audit: the submission and waivers in force for a round, at its casino, game and table."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import Any, Protocol, Self

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Identities, Indices, Ints
from fairdeal.validator.audit import granted_waivers
from fairdeal.validator.audit.duplicate_rounds import DuplicateRecords
from fairdeal.validator.engine.core import house_terms
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.facts.outcome_values import CarriedStates
from fairdeal.validator.engine.facts.seat_layout import infer_unnamed_seats
from fairdeal.validator.evidence.columns.round_batch import Batch, select_rounds
from fairdeal.validator.evidence.event_kinds import KnownGame
from fairdeal.validator.evidence.poker.hand_recorder import Variants
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.results.results import PlaceKey
from fairdeal.validator.rulebook.rule_catalogue import collect_phh_variants
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.plain_values import are_comparable


class RoundCounter(Protocol):
    """Counter of rounds.

    A process of the audit counts the rounds of a block; the results are added in the order of the logs.

    Counters travel between processes, and are kept in checkpoints, as bytes.
    """

    def count(self, scope: EvaluationContext, /) -> None:
        """Count rounds that are checked under the same game and submission."""
        ...

    def add(self, other: Any, /) -> None:
        """Add the counts of later rounds, from a counter of the same class."""
        ...

    def to_bytes(self) -> bytes:
        """Encode the counts as bytes that hold no code. A configuration is encoded as its number."""
        ...

    def from_bytes(self, data: bytes, configuration: Callable[[int], house_terms.LicenseeConfiguration], /) -> Self:
        """Decode counts of a counter that was built as this one.

        Args:
            data: bytes of `to_bytes`.
            configuration: returns the configuration of a number.

        Raises:
            ValueError: If the bytes are not counts.
            LookupError: If they contain an unknown number.
        """
        ...


CounterDecoder = Callable[[bytes], RoundCounter]
"""Function that decodes a counter, as `RoundCounter.from_bytes` does."""


_EPOCH = date(1970, 1, 1)
_OTHER_CURRENCY = "another"
"""Placeholder for every currency with two decimals that no submission uses."""


class BatchSlice(Struct, frozen=True, kw_only=True):
    """Rounds of a batch under one game, one submission (or none) and the same waivers."""

    batch: Batch
    """Rounds of the slice."""
    prepared: CompiledGame
    """Compiled rules of the game."""
    configuration: house_terms.LicenseeConfiguration | None
    """Choices of the submission in force; None if no submission is in force or it is ambiguous."""
    waivers: granted_waivers.ApplicableWaivers
    """Waivers that apply to the rounds."""
    waived: frozenset[bytes]
    """Waived checks of milestones, as in `EvaluationContext`."""
    has_same_currency: bool = True
    """True if the amounts of the submission and of the rounds can be compared."""

    def open_context(self) -> EvaluationContext:
        """Open a context in which conditions on the rounds can be evaluated."""
        return infer_unnamed_seats(
            EvaluationContext(self.batch, self.prepared, self.configuration, waived_checks=self.waived)
        )


class _Place(Struct, frozen=True, kw_only=True):
    """Place and day of a round."""

    game: str
    casino: str | None
    table: str
    day: date
    currency: str | None


class _ApplicableRules(Struct, frozen=True, kw_only=True):
    """Submission and waivers that apply to rounds."""

    submission: int | None
    """Index of the submission in force."""
    said: house_terms.ConfigurationKey | None
    """Statements of the submission that rules refer to."""
    permits: granted_waivers.ApplicableWaivers
    """Waivers that apply."""
    in_its_currency: bool = True
    """True if the amounts of the submission and of the rounds can be compared."""


class SubmissionTimeline(Struct):
    """Submissions in force over time at one place."""

    starts: list[date] = field(default_factory=list)
    """Days on which submissions took effect, ascending."""
    indices: list[int | None] = field(default_factory=list)
    """Index of the submission in force from each day; None where it is ambiguous."""

    def find_in_force(self, day: date) -> int | None:
        """Return the index of the submission in force on a day; None if there is none or it is ambiguous."""
        place = bisect_right(self.starts, day)
        return self.indices[place - 1] if place else None


class AuditContext(Struct, kw_only=True):
    """Everything an audit needs to check rounds: rules, submissions and waivers."""

    rulebook: Rulebook
    """Regulations; each is loaded when the first round of its game is read."""
    submissions: Sequence[Submission]
    """Submissions of the audit, in the order given."""
    as_of: date | None
    """Day whose rules apply; None applies the rules in force on the day of each round."""
    grants: Sequence[granted_waivers.WaiverGrant] = ()
    """Waivers that the regulator granted."""
    currency: str | None = None
    """Currency that rounds must use if they name one; None accepts every currency."""
    explained_places: dict[str, PlaceKey] = field(default_factory=dict)
    """Place of the first failure that this process explained, by the full id of the requirement."""
    duplicates: Mapping[str, DuplicateRecords] = field(default_factory=dict)
    """Records that repeat or contradict others, by the names of their logs."""
    carried: CarriedStates | None = None
    """States with which rounds begin; None if the audit has not found them yet."""
    rounds_to_digest: Identities | None = None
    """Hashes of rounds whose records the audit digests; if set, the audit checks no requirement."""
    build_counter: Callable[[], RoundCounter] | None = None
    """Function that builds the counter of rounds that the caller requested."""
    checks_requirements: bool = True
    """True if the audit checks requirements; False if it only counts."""
    _games: dict[str, CompiledGame] = field(default_factory=dict)
    _configurations: dict[int, house_terms.LicenseeConfiguration] = field(default_factory=dict)
    _statements: dict[int, house_terms.ConfigurationKey] = field(default_factory=dict)
    _places_used: dict[str, frozenset[str]] = field(default_factory=dict)
    _timelines: dict[tuple[str, str | None, str | None, str | None], SubmissionTimeline] = field(default_factory=dict)
    _submissions_by_table: dict[str | None, list[int]] = field(default_factory=dict)
    _variants: Variants | None = None
    _known_games: Mapping[str, KnownGame] | None = None

    @property
    def games(self) -> Mapping[str, KnownGame]:
        """Games whose rounds can be checked, with what their rules say about their evidence."""
        if self._known_games is None:
            self._known_games = self.rulebook.known_games
        return self._known_games

    def load_variants(self) -> Variants:
        """Load every regulation and return the variants of poker hand histories that they cover.

        Raises:
            InputError: If a regulation cannot be loaded or two games claim a variant.
        """
        if self._variants is None:
            self._variants = collect_phh_variants(self.rulebook.all())
        return self._variants

    def get_game(self, game: str) -> CompiledGame:
        """Return the compiled rules of a game, from a cache."""
        if game not in self._games:
            self._games[game] = compile_game(self.rulebook.regulation(game))
        return self._games[game]

    def get_configuration(self, index: int) -> house_terms.LicenseeConfiguration:
        """Return the choices of a submission, from a cache."""
        if index not in self._configurations:
            self._configurations[index] = replace(
                house_terms.build_configuration(self.submissions[index]), number=index
            )
        return self._configurations[index]

    def decode_counter(self, data: bytes) -> RoundCounter:
        """Decode a counter of rounds.

        Raises:
            ValueError or LookupError: If the bytes are not counts.
        """
        if self.build_counter is None:
            raise ValueError("this audit has no counter of rounds")
        return self.build_counter().from_bytes(data, self._configuration_numbered)

    def _configuration_numbered(self, number: int) -> house_terms.LicenseeConfiguration:
        if number < 0:
            raise LookupError(number)
        return self.get_configuration(number)

    def split_by_submission(self, batch: Batch) -> Iterator[BatchSlice]:
        """Split a batch by the statements of the submission in force and by waivers, in order of first use.

        Of submissions with the same statements, the first in use represents all.
        """
        prepared = self.get_game(batch.game)

        def find_rules(place: _Place) -> _ApplicableRules:
            index = self._find_submission(place)
            submission = None if index is None else self.submissions[index]
            statements = None if index is None else self._statements_of(prepared.regulation, index)
            waivers = _find_waivers_at(prepared.regulation, self.grants, submission, place)
            posted_in = place.currency if submission is None else submission.currency
            comparable = are_comparable(posted_in, place.currency)
            return _ApplicableRules(submission=index, said=statements, permits=waivers, in_its_currency=comparable)

        for part, rules in _split_batch(batch, find_rules, self._currencies()):
            configuration = None if rules.submission is None else self.get_configuration(rules.submission)
            if configuration is not None and rules.submission is not None and not rules.in_its_currency:
                configuration = house_terms.drop_amounts(configuration, self.submissions[rules.submission])
            yield replace(
                _build_slice(part, prepared, configuration, rules.permits), has_same_currency=rules.in_its_currency
            )

    def find_configuration(self, batch: Batch) -> house_terms.LicenseeConfiguration | None:
        """Return the choices of the submission in force for a round. `batch` holds only that round."""
        return next(iter(self.split_by_submission(batch))).configuration

    def _currencies(self) -> tuple[str, ...]:
        """Return the currencies that submissions post their amounts in."""
        return tuple(
            sorted({submission.currency for submission in self.submissions if submission.currency is not None})
        )

    def _statements_of(self, regulation: Regulation, index: int) -> house_terms.ConfigurationKey:
        if len(self.submissions) == 1:
            return "", ()
        if regulation.id not in self._places_used:
            self._places_used[regulation.id] = house_terms.find_required_file_keys(regulation)
        if index not in self._statements:
            self._statements[index] = house_terms.build_configuration_key(
                self.get_configuration(index), regulation, self._places_used[regulation.id]
            )
        return self._statements[index]

    def _find_submission(self, place: _Place) -> int | None:
        """Return the submission that covers the casino, game and table and took effect last by the day.

        Returns:
            An index; None if it is ambiguous: two took effect on that last day, or the log names no casino and
            submissions of several casinos fit.
        """
        if not self._submissions_by_table:
            self._submissions_by_table[None] = [
                index for index, submission in enumerate(self.submissions) if not submission.tables
            ]
            for index, submission in enumerate(self.submissions):
                for covered in submission.tables:
                    self._submissions_by_table.setdefault(covered, []).append(index)
        table = place.table if place.table in self._submissions_by_table else None
        key = (place.game, place.casino, table, place.currency)
        if key not in self._timelines:
            timeline = self._build_timeline(*key)
            if not timeline.starts:  # of other casinos there may be any number
                return None
            self._timelines[key] = timeline
        return self._timelines[key].find_in_force(place.day)

    def _build_timeline(
        self, game: str, casino: str | None, table: str | None, currency: str | None
    ) -> SubmissionTimeline:
        """Build the timeline of submissions at a casino and a table.

        Of several submissions that start on one day, those in the currency have priority.

        Args:
            casino: None for a log that names no casino.
            table: None for a table that no submission names.
        """
        fitting = [
            (self.submissions[index].effective, index)
            for index in {*self._submissions_by_table[None], *self._submissions_by_table.get(table, ())}
            if self.submissions[index].document == game and casino in (None, self.submissions[index].licensee.name)
        ]
        timeline, licensees = SubmissionTimeline(), set[str]()
        for start, starting in groupby(sorted(fitting), key=lambda pair: pair[0]):
            indices = [index for _, index in starting]
            licensees.update(self.submissions[index].licensee.name for index in indices)
            of_currency = [index for index in indices if self.submissions[index].currency == currency]
            indices = of_currency if currency is not None and of_currency else indices
            known = len(indices) == 1 and (casino is not None or len(licensees) == 1)
            timeline.starts.append(start)
            timeline.indices.append(indices[0] if known else None)
        return timeline


def split_by_waivers(
    prepared: CompiledGame, batch: Batch, submission: Submission | None, grants: Sequence[granted_waivers.WaiverGrant]
) -> Iterator[BatchSlice]:
    """Split a batch by waivers; one submission, or none, applies to all of its rounds."""
    configuration = None if submission is None else house_terms.build_configuration(submission)
    for part, rules in _split_batch(
        batch,
        lambda place: _ApplicableRules(
            submission=None, said=None, permits=_find_waivers_at(prepared.regulation, grants, submission, place)
        ),
    ):
        yield _build_slice(part, prepared, configuration, rules.permits)


def _build_slice(
    batch: Batch,
    prepared: CompiledGame,
    configuration: house_terms.LicenseeConfiguration | None,
    waivers: granted_waivers.ApplicableWaivers,
) -> BatchSlice:
    permitted = granted_waivers.find_permitted_tables(prepared.regulation, waivers)
    if configuration is not None and permitted:
        configuration = replace(configuration, permitted_tables=permitted)
    waived = granted_waivers.find_waived_milestones(prepared.regulation, waivers)
    return BatchSlice(batch=batch, prepared=prepared, configuration=configuration, waivers=waivers, waived=waived)


def _find_waivers_at(
    regulation: Regulation, grants: Sequence[granted_waivers.WaiverGrant], submission: Submission | None, place: _Place
) -> granted_waivers.ApplicableWaivers:
    """Return the waivers at a place, granted to the casino of the round or, without one, to that of the submission."""
    return granted_waivers.find_applicable_waivers(
        regulation,
        grants,
        licensee=place.casino or (None if submission is None else submission.licensee.name),
        tables=(place.table,),
        day=place.day,
        submission=submission,
    )


def _split_batch(
    batch: Batch, find_rules: Callable[[_Place], _ApplicableRules], currencies: Sequence[str] = ()
) -> Iterator[tuple[Batch, _ApplicableRules]]:
    """Yield parts of a batch with their applicable rules, in order of first use.

    All rounds in a currency with two decimals that is not listed count as one currency.
    """
    unlike = {name for name in batch.currency.names if not are_comparable(name, None)}
    names = (*currencies, *sorted(unlike.difference(currencies)), _OTHER_CURRENCY)
    places, inverse = _distinct_places(batch, names)
    groups: dict[object, tuple[_ApplicableRules, list[int]]] = {}
    for number, (casino, table, day, currency) in enumerate(places.tolist()):
        rules = find_rules(
            _Place(
                game=batch.game,
                casino=None if casino < 0 else batch.casino.names[casino],
                table=batch.table.names[table] if table >= 0 else "",
                day=_EPOCH + timedelta(days=day),
                currency=None if currency < 0 else names[currency],
            )
        )
        groups.setdefault((rules.said, rules.in_its_currency, rules.permits.get_identity()), (rules, []))[1].append(
            number
        )
    for rules, numbers in groups.values():
        yield (batch if len(groups) == 1 else select_rounds(batch, np.isin(inverse, numbers))), rules


def _distinct_places(batch: Batch, currencies: Sequence[str]) -> tuple[Ints, Indices]:
    """Return the distinct places of the rounds of a batch.

    Returns:
        int64[k, 4], each distinct combination of casino, table, day and currency, ascending; int64[rounds], the
        combination of each round. All currencies that are not listed have the number of the last.
    """
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
