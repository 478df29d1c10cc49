"""The plan of an audit: what logs are judged by, cut into parts that any number of workers judge."""

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
"""Bytes of a log that is judged in one place."""
_PROGRAM = Path(validator.__file__).parent
_WORKED_OUT = ("_prepared", "_configurations", "_says", "_asked", "_terms", "_covering")
"""What a court works out as it is asked for it."""
_PLANS_KEPT = 4
"""Plans that a process keeps ready."""


class AuditPlan:
    """What logs are judged by: a rulebook read as a profile chooses, submissions, waivers, the day of the law.

    `currency` is the one that rounds and submissions must be in, where they say; without it, they may be in any. In
    the folder `checkpoint` is kept what parts came to. `counts` is what is
    counted of rounds beside; where it does not `judge` they are held against nothing. A
    plan pickles; the rulebook it names must be the same where it is used again.
    Raises InputError where a submission is in another currency than was chosen.
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
        filed = [one for one, _ in self.submissions]
        currencies_of(filed, currency)
        self.court = Court(
            rulebook=rulebook,
            submissions=[one.submission for one in filed],
            as_of=as_of,
            grants=[grant for grants, _ in self.waivers for grant in grants],
            currency=currency,
            counts=counts,
            judges=judge,
        )
        self.checkpoint = None if checkpoint is None else str(Path(checkpoint).absolute())
        if checkpoint is not None:
            _ = self.digest  # once, and not in every process

    def partition(self, *logs: str | Path, whole: int = WHOLE) -> Iterator[Part]:
        """Logs cut into parts, in the order they are to be reported; one of at most `whole` bytes is one part, which is
        read and hashed where it is judged. A larger one is read here once, to be hashed and cut.

        Logs are files, folders of them, patterns, or addresses of any of these in an object store. Raises InputError
        for a folder or a pattern that stands for none.
        """
        named = inputs_of(map(str, logs), LOGS)
        for error in named.refused:
            raise error
        return Logs((HandLog(path, variants=self.variants) for path in named.files), whole=whole).parts()

    def judge(self, part: Part) -> Partial:
        """A part judged. Of a log that cannot be read it says why."""
        return Partial(self, (JudgedPart(part=part, verdicts=self.verdicts(part)),))

    def variants(self) -> Variants:
        """The variants of poker hand histories whose rounds can be judged. Raises InputError where a regulation cannot
        be loaded or two games claim one."""
        return self.court.variants()

    def verdicts(self, part: Part, *, explained: dict[str, PlaceKey] | None = None) -> tuple[BlockVerdict, ...]:
        """A part judged, block by block. What is wrong with its log is part of the answer.

        Of each requirement the first failure is explained, unless one before it in the order of places was `explained`.
        """
        if self.checkpoint is None or self.court.wanted is not None or part.block is None:
            return self._judged(part, explained)
        from validator.audit.run.checkpoint import Checkpoint  # noqa: PLC0415 - most audits keep nothing

        return Checkpoint(folder=self.checkpoint).verdicts(
            part,
            self._judged,
            plan=self.digest,
            court=self.court,
        )

    def _judged(self, part: Part, explained: dict[str, PlaceKey] | None = None) -> tuple[BlockVerdict, ...]:
        court = replace(self.court, explained={} if explained is None else explained)
        return tuple(self._verdicts(court, part))

    def _verdicts(self, court: Court, part: Part) -> Iterator[BlockVerdict]:
        if isinstance(part.block, WholeLog):
            for one in parts_of(HandLog(part.block.path, part.name, variants=self.variants), part.log):
                yield from self._verdicts(court, one)
            return
        try:
            verdict = BlockVerdict() if part.block is None else judge_block(court, part.block)
        except InputError as error:
            yield BlockVerdict(ends=(LogEnd(name=part.name, refused=error.diagnostics),))
        else:
            yield replace(verdict, ends=part.ends) if part.ends else verdict

    def noting(self, wanted: Identities) -> AuditPlan:
        """The plan by which nothing is judged, and the records of some rounds are noted, which are given by their
        numbers."""
        return self._with(wanted=wanted)

    def knowing(self, again: Mapping[str, RecordedAgain]) -> AuditPlan:
        """Return the plan that knows which records repeat or contradict others, by their logs."""
        return self._with(recorded_again=again)

    def _with(self, **changes: object) -> AuditPlan:
        other = object.__new__(AuditPlan)
        vars(other).update((name, value) for name, value in vars(self).items() if name != "_state")
        other.court = replace(self.court, explained={}, **changes)
        return other

    @cached_property
    def made_of(self) -> str:
        """SHA-256 (hex) of the program and of all rule files: who judges by this plan must have the same."""
        return _made_of(self.rulebook)

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of all that judging hangs on, but for records that do not count: the program, rule files,
        profile, submissions, waivers, the day of the law, the currency, and what is counted beside."""
        profile = self.rulebook.profile_file
        files = [*(about for _, about in self.submissions), *(about for _, about in self.waivers)]
        about = [(one.file, one.sha256) for one in (*files, *(() if profile is None else (profile,)))]
        counted = None if self.court.counts is None else self.court.counts.__name__
        said = [self.made_of, len(self.submissions), about, self.court.as_of, self.court.currency]
        said += [counted, self.court.judges]
        return hashlib.sha256(msgspec.json.encode(said)).hexdigest()

    @cached_property
    def _state(self) -> bytes:
        rulebook = replace(self.rulebook, _loaded={})
        court = replace(
            self.court, rulebook=rulebook, explained={}, **{name: {} for name in _WORKED_OUT}, _variants=None
        )
        return pickle.dumps((rulebook, self.submissions, self.waivers, self.checkpoint, court), pickle.HIGHEST_PROTOCOL)

    def __reduce__(self) -> tuple[object, ...]:
        return _plan_of, (self.made_of, self._state)


@lru_cache(maxsize=_PLANS_KEPT)
def _plan_of(made_of: str, state: bytes) -> AuditPlan:
    """A plan that was pickled; once for all parts that this process judges by it. Raises ResourceError."""
    plan = object.__new__(AuditPlan)
    plan.rulebook, plan.submissions, plan.waivers, plan.checkpoint, plan.court = pickle.loads(state)
    plan.court.rulebook = plan.rulebook
    if plan.made_of != made_of:
        message = "who is to judge has another version of fairdeal, or other rules, than the plan was made by"
        raise ResourceError("other-rules", message, "install the same version, and the same rules folder, everywhere")
    return plan


def _made_of(rulebook: Rulebook) -> str:
    root = rulebook.folder or rules_folder()
    rules = {path.relative_to(root).as_posix(): path for one in rulebook.documents for path in rule_files(one, root)}
    program = {path.relative_to(_PROGRAM).as_posix(): path for path in _PROGRAM.rglob("*.py")}
    both = [*sorted(program.items()), *sorted(rules.items())]
    return files_sha256((name, hashlib.sha256(path.read_bytes()).hexdigest()) for name, path in both)


class Partial:
    """What some parts come to by a plan. It pickles: findings, and what sessions need, travel as Arrow."""

    __slots__ = ("parts", "plan")

    def __init__(self, plan: AuditPlan, parts: Iterable[JudgedPart]) -> None:
        by_place = {one.part.place: one for one in parts}
        self.plan = plan
        self.parts = tuple(by_place[place] for place in sorted(by_place))

    def __reduce__(self) -> tuple[object, ...]:
        from validator.audit.run.verdict_bytes import to_bytes  # noqa: PLC0415 - pyarrow takes time to import

        return _partial_of, (self.plan, [(one.part, to_bytes(one.verdicts)) for one in self.parts])


def _partial_of(plan: AuditPlan, parts: Iterable[tuple[Part, bytes]]) -> Partial:
    from validator.audit.run.verdict_bytes import from_bytes  # noqa: PLC0415

    return Partial(
        plan, [JudgedPart(part=part, verdicts=from_bytes(written, plan.court.read_counts)) for part, written in parts]
    )
