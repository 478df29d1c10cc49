"""Which submission, and which waivers, a round is judged by: those in force at its casino, game and table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from validator.checks.submissions import waivers_on
from validator.evidence.columns import Batch
from validator.evidence.phh.terms import Variants
from validator.evidence.select import select
from validator.evidence.submission import Submission
from validator.play.configuration import Configuration, configuration_of
from validator.play.prepared import Prepared, prepare
from validator.rulebook.histories import phh_variants
from validator.rulebook.rulebook import Rulebook
from validator.verdicts import Waiver

_EPOCH = date(1970, 1, 1)


class Assigned(Struct, frozen=True, kw_only=True):
    """Rounds of a batch that are judged alike: by one submission (or none) and the same waivers, by clause."""

    batch: Batch
    configuration: Configuration | None
    waivers: Mapping[str, Waiver]


class Court(Struct, kw_only=True):
    """Everything rounds are judged by: regulations, loaded when a round is of their game; submissions; and the day of
    the law, if fixed."""

    rulebook: Rulebook
    submissions: Sequence[Submission]
    as_of: date | None
    _prepared: dict[str, Prepared] = field(default_factory=dict)
    _configurations: dict[int, Configuration] = field(default_factory=dict)
    _variants: Variants | None = None

    @property
    def games(self) -> frozenset[str]:
        """The games whose rounds can be judged."""
        return self.rulebook.games

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
            self._configurations[index] = configuration_of(self.submissions[index])
        return self._configurations[index]

    def assign(self, batch: Batch) -> Iterator[Assigned]:
        """The rounds of a batch parted by the submission and waivers in force for them, in order of first use."""
        distinct, inverse = _alike(batch)
        groups: dict[tuple[int | None, frozenset[tuple[str, Waiver]]], list[int]] = {}
        for number, (casino, table, day) in enumerate(distinct.tolist()):
            index = self._submission_for(
                batch.game,
                casino=None if casino < 0 else batch.casino.names[casino],
                table=batch.table.names[table] if table >= 0 else "",
                day=_EPOCH + timedelta(days=day),
            )
            waivers = frozenset() if index is None else self._waivers(batch.game, index, _EPOCH + timedelta(days=day))
            groups.setdefault((index, waivers), []).append(number)
        for (index, waivers), numbers in groups.items():
            part = batch if len(groups) == 1 else select(batch, np.isin(inverse, numbers))
            configuration = None if index is None else self.configuration(index)
            yield Assigned(batch=part, configuration=configuration, waivers=dict(waivers))

    def _submission_for(self, game: str, *, casino: str | None, table: str, day: date) -> int | None:
        """The submission that took effect last by a day, of those that cover the casino, game and table.

        None where two took effect on that last day, or the log names no casino and those of several would
        fit: which of them is in force then cannot be told.
        """
        fitting = [
            (submission.effective, index)
            for index, submission in enumerate(self.submissions)
            if submission.document == game
            and submission.effective <= day
            and casino in (None, submission.licensee.name)
            and (not submission.tables or table in submission.tables)
        ]
        latest = [index for effective, index in fitting if effective == max(fitting)[0]]
        licensees = {self.submissions[index].licensee.name for _, index in fitting}
        if len(latest) != 1 or (casino is None and len(licensees) > 1):
            return None
        return latest[0]

    def _waivers(self, game: str, index: int, day: date) -> frozenset[tuple[str, Waiver]]:
        found = waivers_on(self.rulebook.regulation(game), self.submissions[index], day)
        return frozenset(found.items())


def _alike(batch: Batch) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """int64[k, 3], the casinos, tables and days that rounds are of, in ascending order, and int64[rounds], which of
    these each is of."""
    columns = (batch.casino.codes, batch.table.codes, batch.day)
    key = np.zeros(len(batch), np.int64)
    for column in columns:
        # The codes of a batch and all days of the calendar together need less than 64 bits.
        least = int(column.min(initial=0))
        key = key * (int(column.max(initial=0)) - least + 1) + (column - least)
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    return np.stack([column[first] for column in columns], axis=1).astype(np.int64), inverse
