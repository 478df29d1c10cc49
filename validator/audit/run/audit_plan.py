"""Plan of an audit: everything that logs are checked under, for any number of workers."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property, lru_cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

import fairdeal.validator
from fairdeal.validator.arrays import Identities
from fairdeal.validator.audit.duplicate_rounds import DuplicateRecords
from fairdeal.validator.audit.granted_waivers import WaiverGrant
from fairdeal.validator.audit.run import log_parts
from fairdeal.validator.audit.run.run_summary import collect_submission_currencies
from fairdeal.validator.audit.submissions.submission_requirements import FiledSubmission
from fairdeal.validator.audit.submissions_in_force import AuditContext, RoundCounter
from fairdeal.validator.engine.facts.outcome_values import CarriedStates
from fairdeal.validator.evidence.hand_log import HandLog
from fairdeal.validator.evidence.io.named_files import LOGS, resolve_inputs
from fairdeal.validator.evidence.poker.hand_recorder import Variants
from fairdeal.validator.results.results import InputFile, PlaceKey, sort_by_file
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rules.rule_files import hash_files, iterate_rule_files, name_rule_file, rules_folder
from fairdeal.validator.text.diagnostics import InputError, ResourceError

WHOLE_LOG_BYTES = 64 << 20
"""Maximum size in bytes of a log that is one part."""
_PROGRAM = Path(fairdeal.validator.__file__).resolve().parent
_CACHED_FIELDS = ("_games", "_configurations", "_statements", "_places_used", "_timelines", "_submissions_by_table")
"""Fields of an audit context that are caches."""
_MAX_CACHED_PLANS = 4
"""Number of plans that a process caches."""


class ProgramIdentity:
    """Identity of the program and of all rule files, computed once for all plans of a rulebook."""

    def __init__(self, rulebook: Rulebook) -> None:
        self._rulebook = rulebook

    @cached_property
    def sha256(self) -> str:
        """SHA-256 (hex) of the program and all rule files."""
        return _hash_program(self._rulebook)


class AuditPlan:
    """Everything that logs are checked under: rulebook, profile, submissions, waivers and day of the rules.

    A plan can be pickled; the rulebook it refers to must be the same where it is unpickled.

    Args:
        audit_context: rulebook, submissions and choices under which rounds are checked.
        submissions: submissions with their files, sorted by file.
        waivers: waivers of the regulator with their files, sorted by file.
        checkpoint: folder in which results of parts are saved.
        program: identity of the program; None to compute it when it is needed.
    """

    def __init__(
        self,
        audit_context: AuditContext,
        submissions: Sequence[tuple[FiledSubmission, InputFile]],
        waivers: Sequence[tuple[Sequence[WaiverGrant], InputFile]],
        checkpoint: str | None = None,
        program: ProgramIdentity | None = None,
    ) -> None:
        self.audit_context = audit_context
        self.rulebook = audit_context.rulebook
        self.submissions = submissions
        self.waivers = waivers
        self.checkpoint = checkpoint
        self._program = program or ProgramIdentity(self.rulebook)

    def partition(self, *logs: str | Path, whole: int = WHOLE_LOG_BYTES) -> Iterator[log_parts.LogPart]:
        """Split logs into parts, in the order of reports.

        A log of at most `whole` bytes is one part, which the worker reads and hashes. This process reads a larger log
        once, to hash and split it.

        Args:
            logs: files, folders, patterns, or addresses of these in an object store.

        Raises:
            InputError: If a folder or pattern contains no log.
        """
        named = resolve_inputs(map(str, logs), LOGS)
        for error in named.errors:
            raise error
        return log_parts.PartitionedLogs(
            (HandLog(path, variants=self.load_variants) for path in named.files), whole=whole
        ).iter_parts()

    def judge(self, part: log_parts.LogPart) -> Partial:
        """Check a part. If its log cannot be read, the result gives the reason."""
        return Partial(self, (log_parts.CheckedPart(part=part, verdicts=self.check_part(part)),))

    def load_variants(self) -> Variants:
        """Return the variants of poker hand histories that the regulations cover.

        Raises:
            InputError: If a regulation cannot be loaded or two games claim a variant.
        """
        return self.audit_context.load_variants()

    def check_part(
        self, part: log_parts.LogPart, *, explained: dict[str, PlaceKey] | None = None
    ) -> tuple[log_parts.BlockVerdict, ...]:
        """Check a part, block by block. Problems of its log are part of the result.

        Args:
            explained: place of the first explained failure of each requirement; an earlier failure is explained, and
                its place is added.
        """
        context = self.audit_context
        # What carried results are depends on other logs, too.
        is_special = context.rounds_to_digest is not None or bool(context.carried)
        if self.checkpoint is None or is_special or part.block is None:
            return self._check(part, explained)
        from fairdeal.validator.audit.run.verdict_storage import CheckpointFolder  # noqa: PLC0415 - most audits keep nothing

        return CheckpointFolder(folder=self.checkpoint).load_or_check(
            part,
            self._check,
            plan=self.digest,
            context=self.audit_context,
        )

    def _check(
        self, part: log_parts.LogPart, explained: dict[str, PlaceKey] | None = None
    ) -> tuple[log_parts.BlockVerdict, ...]:
        context = replace(self.audit_context, explained_places={} if explained is None else explained)
        return tuple(self._check_blocks(context, part))

    def _check_blocks(self, context: AuditContext, part: log_parts.LogPart) -> Iterator[log_parts.BlockVerdict]:
        if isinstance(part.block, log_parts.WholeLog):
            for subpart in log_parts.split_log(
                HandLog(part.block.path, part.name, variants=self.load_variants), part.log
            ):
                yield from self._check_blocks(context, subpart)
            return
        try:
            verdict = log_parts.BlockVerdict() if part.block is None else log_parts.check_block(context, part.block)
        except InputError as error:
            yield log_parts.BlockVerdict(ends=(log_parts.LogEnd(name=part.name, refused=error.diagnostics),))
        else:
            yield replace(verdict, ends=part.ends) if part.ends else verdict

    def with_rounds_to_digest(self, hashes: Identities) -> AuditPlan:
        """Return a plan that checks nothing, and digests the records of rounds with these hashes."""
        return self._with(rounds_to_digest=hashes)

    def with_duplicates(self, duplicates: Mapping[str, DuplicateRecords]) -> AuditPlan:
        """Return a plan that knows which records repeat or contradict others, by their logs."""
        return self._with(duplicates=duplicates)

    def with_carried(self, carried: CarriedStates) -> AuditPlan:
        """Return a plan that knows the states with which rounds begin."""
        return self._with(carried=carried)

    def _with(self, **changes: object) -> AuditPlan:
        context = replace(self.audit_context, explained_places={}, **changes)
        return AuditPlan(context, self.submissions, self.waivers, self.checkpoint, self._program)

    @property
    def program_sha256(self) -> str:
        """SHA-256 (hex) of the program and all rule files; every worker must have the same."""
        return self._program.sha256

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
        build_counter = self.audit_context.build_counter
        counter_name = None if build_counter is None else type(build_counter()).__name__
        parts = [
            self.program_sha256,
            len(self.submissions),
            about,
            self.audit_context.as_of,
            self.audit_context.currency,
        ]
        parts += [counter_name, self.audit_context.checks_requirements]
        return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()

    @cached_property
    def _state(self) -> bytes:
        rulebook = replace(self.rulebook, _loaded={})
        context = replace(
            self.audit_context,
            rulebook=rulebook,
            explained_places={},
            **{name: {} for name in _CACHED_FIELDS},
            _variants=None,
        )
        return pickle.dumps((context, self.submissions, self.waivers, self.checkpoint), pickle.HIGHEST_PROTOCOL)

    def __reduce__(self) -> tuple[object, ...]:
        return _restore_plan, (self.program_sha256, self._state)


def build_audit_plan(
    rulebook: Rulebook,
    submissions: Sequence[tuple[FiledSubmission, InputFile]],
    *,
    as_of: date | None = None,
    waivers: Iterable[tuple[Sequence[WaiverGrant], InputFile]] = (),
    currency: str | None = None,
    checkpoint: str | None = None,
    counts: Callable[[], RoundCounter] | None = None,
    judge: bool = True,
) -> AuditPlan:
    """Plan an audit.

    Args:
        rulebook: rulebook, with the readings that a profile chooses.
        submissions: submissions with their files.
        as_of: day whose rules apply; None for the day of each round.
        waivers: waivers of the regulator with their files.
        currency: currency that rounds and submissions must use if they name one; None accepts every currency.
        checkpoint: folder in which results of parts are saved.
        counts: builds a counter of rounds.
        judge: False checks no requirement, and only counts.

    Raises:
        InputError: If a submission is in a currency other than the chosen one.
    """
    filed_submissions = sort_by_file(submissions)
    filed_waivers = sort_by_file(waivers)
    submitted = [filed for filed, _ in filed_submissions]
    collect_submission_currencies(submitted, currency)
    context = AuditContext(
        rulebook=rulebook,
        submissions=[filed.submission for filed in submitted],
        as_of=as_of,
        grants=[grant for grants, _ in filed_waivers for grant in grants],
        currency=currency,
        build_counter=counts,
        checks_requirements=judge,
    )
    plan = AuditPlan(
        context, filed_submissions, filed_waivers, None if checkpoint is None else str(Path(checkpoint).absolute())
    )
    if checkpoint is not None:
        _ = plan.digest  # computed once, not in every process
    return plan


@lru_cache(maxsize=_MAX_CACHED_PLANS)
def _restore_plan(made_of: str, state: bytes) -> AuditPlan:
    """Restore a pickled plan, once for all parts that this process checks under it. Raises ResourceError."""
    plan = AuditPlan(*pickle.loads(state))
    if plan.program_sha256 != made_of:
        message = "this worker has another version of fairdeal, or other rules, than the process that made the plan"
        raise ResourceError("other-rules", message, "install the same version, and the same rules folder, everywhere")
    return plan


def _hash_program(rulebook: Rulebook) -> str:
    root = rulebook.folder or rules_folder()
    rules = {
        name_rule_file(path, root): path
        for document in rulebook.documents
        for path in iterate_rule_files(document, root)
    }
    program = {path.relative_to(_PROGRAM).as_posix(): path for path in _PROGRAM.rglob("*.py")}
    files = [*sorted(program.items()), *sorted(rules.items())]
    return hash_files((name, hashlib.sha256(path.read_bytes()).hexdigest()) for name, path in files)


class Partial:
    """Results of some parts under a plan. It can be pickled: findings, and rows of sessions, are encoded as Arrow."""

    __slots__ = ("parts", "plan")

    def __init__(self, plan: AuditPlan, parts: Iterable[log_parts.CheckedPart]) -> None:
        by_place = {part.part.place: part for part in parts}
        self.plan = plan
        self.parts = tuple(by_place[place] for place in sorted(by_place))

    def __reduce__(self) -> tuple[object, ...]:
        from fairdeal.validator.audit.run.verdict_storage import encode_verdicts  # noqa: PLC0415 - pyarrow takes time to import

        return _restore_partial, (
            self.plan,
            [(checked_part.part, encode_verdicts(checked_part.verdicts)) for checked_part in self.parts],
        )


def _restore_partial(plan: AuditPlan, parts: Iterable[tuple[log_parts.LogPart, bytes]]) -> Partial:
    from fairdeal.validator.audit.run.verdict_storage import decode_verdicts  # noqa: PLC0415

    return Partial(
        plan,
        [
            log_parts.CheckedPart(part=part, verdicts=decode_verdicts(written, plan.audit_context.decode_counter))
            for part, written in parts
        ],
    )
