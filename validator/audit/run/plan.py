"""Plan of an audit: everything that logs are checked under, for any number of workers."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property, lru_cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

import validator
from validator.arrays import Identities
from validator.audit.applicability.beside import Counts
from validator.audit.applicability.duplicate_rounds import RecordedAgain
from validator.audit.applicability.submissions_in_force import Court
from validator.audit.applicability.waivers import Grant
from validator.audit.outcome.currency import currencies_of
from validator.audit.run.block_audit import BlockVerdict, LogEnd, judge_block
from validator.audit.run.parts import JudgedPart, Logs, Part, WholeLog, parts_of
from validator.audit.submissions.requirements import Filed
from validator.evidence.io.named_files import LOGS, inputs_of
from validator.evidence.phh.terms import Variants
from validator.evidence.readers.open_log import HandLog
from validator.results.place_order import PlaceKey, by_file
from validator.results.results import InputFile
from validator.rulebook.loading.rulebook import Rulebook
from validator.rules.core.library import files_sha256, rule_files, rules_folder
from validator.text.diagnostics import InputError, ResourceError

WHOLE = 64 << 20
"""Maximum size in bytes of a log that is one part."""
_PROGRAM = Path(validator.__file__).parent
_CACHED_FIELDS = ("_games", "_configurations", "_statements", "_places_used", "_timelines", "_submissions_by_table")
"""Fields of an audit context that are caches."""
_MAX_CACHED_PLANS = 4
"""Number of plans that a process caches."""


class AuditPlan:
    """Everything that logs are checked under: rulebook, profile, submissions, waivers and day of the rules.

    A plan can be pickled; the rulebook it refers to must be the same where it is unpickled.

    Args:
        rulebook: rulebook, with the readings that a profile chooses.
        submissions: submissions with their files.
        as_of: day whose rules apply; None for the day of each round.
        waivers: waivers of the regulator with their files.
        currency: currency that rounds and submissions must use if they name one; None accepts every currency.
        checkpoint: folder in which results of parts are saved.
        counts: class of a counter of rounds.
        judge: False checks no requirement, and only counts.

    Raises:
        InputError: If a submission is in a currency other than the chosen one.
    """

    def __init__(
        self,
        rulebook: Rulebook,
        submissions: Sequence[tuple[Filed, InputFile]],
        *,
        as_of: date | None = None,
        waivers: Iterable[tuple[Sequence[Grant], InputFile]] = (),
        currency: str | None = None,
        checkpoint: str | None = None,
        counts: type[Counts] | None = None,
        judge: bool = True,
    ) -> None:
        self.rulebook = rulebook
        self.submissions = by_file(submissions)
        self.waivers = by_file(waivers)
        submitted = [filed for filed, _ in self.submissions]
        currencies_of(submitted, currency)
        self.court = Court(
            rulebook=rulebook,
            submissions=[filed.submission for filed in submitted],
            as_of=as_of,
            grants=[grant for grants, _ in self.waivers for grant in grants],
            currency=currency,
            counts=counts,
            judges=judge,
        )
        self.checkpoint = None if checkpoint is None else str(Path(checkpoint).absolute())
        if checkpoint is not None:
            _ = self.digest  # computed once, not in every process

    def partition(self, *logs: str | Path, whole: int = WHOLE) -> Iterator[Part]:
        """Split logs into parts, in the order of reports.

        A log of at most `whole` bytes is one part, which the worker reads and hashes. This process reads a larger log
        once, to hash and split it.

        Args:
            logs: files, folders, patterns, or addresses of these in an object store.

        Raises:
            InputError: If a folder or pattern contains no log.
        """
        named = inputs_of(map(str, logs), LOGS)
        for error in named.refused:
            raise error
        return Logs((HandLog(path, variants=self.variants) for path in named.files), whole=whole).parts()

    def judge(self, part: Part) -> Partial:
        """Check a part. If its log cannot be read, the result gives the reason."""
        return Partial(self, (JudgedPart(part=part, verdicts=self.verdicts(part)),))

    def variants(self) -> Variants:
        """Return the variants of poker hand histories that the regulations cover.

        Raises:
            InputError: If a regulation cannot be loaded or two games claim a variant.
        """
        return self.court.variants()

    def verdicts(self, part: Part, *, explained: dict[str, PlaceKey] | None = None) -> tuple[BlockVerdict, ...]:
        """Check a part, block by block. Problems of its log are part of the result.

        Args:
            explained: place of the first explained failure of each requirement; an earlier failure is explained, and
                its place is added.
        """
        if self.checkpoint is None or self.court.wanted is not None or part.block is None:
            return self._check(part, explained)
        from validator.audit.run.checkpoint import Checkpoint  # noqa: PLC0415 - most audits keep nothing

        return Checkpoint(folder=self.checkpoint).verdicts(
            part,
            self._check,
            plan=self.digest,
            context=self.court,
        )

    def _check(self, part: Part, explained: dict[str, PlaceKey] | None = None) -> tuple[BlockVerdict, ...]:
        context = replace(self.court, explained={} if explained is None else explained)
        return tuple(self._check_blocks(context, part))

    def _check_blocks(self, context: Court, part: Part) -> Iterator[BlockVerdict]:
        if isinstance(part.block, WholeLog):
            for subpart in parts_of(HandLog(part.block.path, part.name, variants=self.variants), part.log):
                yield from self._check_blocks(context, subpart)
            return
        try:
            verdict = BlockVerdict() if part.block is None else judge_block(context, part.block)
        except InputError as error:
            yield BlockVerdict(ends=(LogEnd(name=part.name, refused=error.diagnostics),))
        else:
            yield replace(verdict, ends=part.ends) if part.ends else verdict

    def noting(self, hashes: Identities) -> AuditPlan:
        """Return a plan that checks nothing, and digests the records of rounds with these hashes."""
        return self._with(wanted=hashes)

    def knowing(self, duplicates: Mapping[str, RecordedAgain]) -> AuditPlan:
        """Return a plan that knows which records repeat or contradict others, by their logs."""
        return self._with(recorded_again=duplicates)

    def _with(self, **changes: object) -> AuditPlan:
        other = object.__new__(AuditPlan)
        vars(other).update((name, value) for name, value in vars(self).items() if name != "_state")
        other.court = replace(self.court, explained={}, **changes)
        return other

    @cached_property
    def made_of(self) -> str:
        """SHA-256 (hex) of the program and all rule files; every worker must have the same."""
        return _hash_program(self.rulebook)

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of everything that the results of a part depend on, except for repeated records.

        It covers the program, rule files, profile, submissions, waivers, day of the rules, currency, and counter.
        """
        profile = self.rulebook.profile_file
        files = [*(about for _, about in self.submissions), *(about for _, about in self.waivers)]
        about = [
            (input_file.file, input_file.sha256) for input_file in (*files, *(() if profile is None else (profile,)))
        ]
        counter_name = None if self.court.counts is None else self.court.counts.__name__
        parts = [self.made_of, len(self.submissions), about, self.court.as_of, self.court.currency]
        parts += [counter_name, self.court.judges]
        return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()

    @cached_property
    def _state(self) -> bytes:
        rulebook = replace(self.rulebook, _loaded={})
        context = replace(
            self.court, rulebook=rulebook, explained={}, **{name: {} for name in _CACHED_FIELDS}, _variants=None
        )
        return pickle.dumps(
            (rulebook, self.submissions, self.waivers, self.checkpoint, context), pickle.HIGHEST_PROTOCOL
        )

    def __reduce__(self) -> tuple[object, ...]:
        return _restore_plan, (self.made_of, self._state)


@lru_cache(maxsize=_MAX_CACHED_PLANS)
def _restore_plan(made_of: str, state: bytes) -> AuditPlan:
    """Restore a pickled plan, once for all parts that this process checks under it. Raises ResourceError."""
    plan = object.__new__(AuditPlan)
    plan.rulebook, plan.submissions, plan.waivers, plan.checkpoint, plan.court = pickle.loads(state)
    plan.court.rulebook = plan.rulebook
    if plan.made_of != made_of:
        message = "this worker has another version of fairdeal, or other rules, than the process that made the plan"
        raise ResourceError("other-rules", message, "install the same version, and the same rules folder, everywhere")
    return plan


def _hash_program(rulebook: Rulebook) -> str:
    root = rulebook.folder or rules_folder()
    rules = {
        path.relative_to(root).as_posix(): path
        for document in rulebook.documents
        for path in rule_files(document, root)
    }
    program = {path.relative_to(_PROGRAM).as_posix(): path for path in _PROGRAM.rglob("*.py")}
    files = [*sorted(program.items()), *sorted(rules.items())]
    return files_sha256((name, hashlib.sha256(path.read_bytes()).hexdigest()) for name, path in files)


class Partial:
    """Results of some parts under a plan. It can be pickled: findings, and rows of sessions, are encoded as Arrow."""

    __slots__ = ("parts", "plan")

    def __init__(self, plan: AuditPlan, parts: Iterable[JudgedPart]) -> None:
        by_place = {part.part.place: part for part in parts}
        self.plan = plan
        self.parts = tuple(by_place[place] for place in sorted(by_place))

    def __reduce__(self) -> tuple[object, ...]:
        from validator.audit.run.verdict_bytes import to_bytes  # noqa: PLC0415 - pyarrow takes time to import

        return _restore_partial, (
            self.plan,
            [(checked_part.part, to_bytes(checked_part.verdicts)) for checked_part in self.parts],
        )


def _restore_partial(plan: AuditPlan, parts: Iterable[tuple[Part, bytes]]) -> Partial:
    from validator.audit.run.verdict_bytes import from_bytes  # noqa: PLC0415

    return Partial(
        plan, [JudgedPart(part=part, verdicts=from_bytes(written, plan.court.read_counts)) for part, written in parts]
    )
