"""Folder of checkpoints, with which an interrupted audit continues.

The key of a checkpoint is a hash of everything the result depends on: the plan, and the bytes that were checked. The
audit ignores a file that is damaged, or that another user wrote or could have written, and checks its part again.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from validator.audit.applicability.duplicate_rounds import RecordedAgain
from validator.audit.applicability.submissions_in_force import Court
from validator.audit.operators.weighed import Gap
from validator.audit.run.block_audit import BlockVerdict
from validator.audit.run.parts import Part, WholeLog
from validator.audit.run.verdict_bytes import from_bytes, to_bytes
from validator.audit.session_requirements.summarise_rounds import spanning
from validator.audit.statuses.open_causes import CAUSES
from validator.audit.statuses.status_codes import STATUSES
from validator.evidence.jsonl.blocks import FileLines
from validator.results.statuses import Evidence
from validator.text.diagnostics import InputError, ResourceError
from validator.text.memory_bound import UNFOLDED_BYTES, UnfoldsTooFarError, bounded_memory
from validator.text.whole_files import open_unlinked, written_whole

_MAGIC = b"fairdeal checkpoint 1\n"
_MAX_BYTES = UNFOLDED_BYTES
"""Maximum size of a file that is written and read; a part with a larger result is checked again."""


class Checkpoint(Struct, frozen=True, kw_only=True):
    """Folder of results of parts, for any number of audits."""

    folder: str
    """Path of the folder."""

    def verdicts(
        self,
        part: Part,
        judge: Callable[[Part], tuple[BlockVerdict, ...]],
        *,
        plan: str,
        context: Court,
    ) -> tuple[BlockVerdict, ...]:
        """Return the verdicts on a part: from the folder, otherwise by checking the part and saving the result.

        Args:
            judge: checks a part.
            plan: digest of the plan.
            context: context of the plan.

        Raises:
            ResourceError: If the folder cannot be written to.
        """
        try:
            if isinstance(part.block, FileLines):  # the bytes that are hashed are those that are checked
                part = replace(part, block=part.block.held())
            content = None if part.block is None else part.block.identity()
        except InputError:
            content = None
        if content is None or not all(map(_is_unicode, _names(part))):
            return judge(part)
        duplicates = {
            name: _digest_of_records(context.recorded_again[name])
            for name in _names(part)
            if name in context.recorded_again
        }
        key = hashlib.sha256(msgspec.json.encode([plan, part.name, content, duplicates])).hexdigest()
        verdicts_saved = self._load(key, context)
        if verdicts_saved is not None:
            return (
                tuple(replace(verdict, ends=part.ends) for verdict in verdicts_saved) if part.ends else verdicts_saved
            )
        verdicts = judge(part)
        changed = isinstance(part.block, WholeLog) and verdicts[-1].ends[0].sha256 != content
        if not changed and not any(end.refused for verdict in verdicts for end in verdict.ends):
            self._save(key, to_bytes(verdicts))
        return verdicts

    def _load(self, key: str, context: Court) -> tuple[BlockVerdict, ...] | None:
        with suppress(OSError, ValueError, UnfoldsTooFarError):
            with os.fdopen(open_unlinked(Path(self.folder, key)), "rb") as stream:
                status = os.fstat(stream.fileno())
                if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES or not _is_own_file(status):
                    return None
                data = stream.read(_MAX_BYTES)
            header_size = len(_MAGIC) + hashlib.sha256().digest_size
            content = data[header_size:]
            if data[:header_size] == _file_header(key, content):
                with bounded_memory():
                    verdicts = from_bytes(content, context.read_counts)
                if all(_is_consistent(verdict, context) for verdict in verdicts):
                    return verdicts
        return None

    def _save(self, key: str, content: bytes) -> None:
        if len(_MAGIC) + hashlib.sha256().digest_size + len(content) > _MAX_BYTES:
            return
        try:
            Path(self.folder).mkdir(mode=0o700, parents=True, exist_ok=True)
            place = Path(self.folder, key)
            if place.is_symlink() or not place.is_file():  # the target of a link belongs to someone else
                place.unlink(missing_ok=True)
            with written_whole(place, mode=0o600) as stream:
                stream.write(_file_header(key, content))
                stream.write(content)
        except OSError as error:
            message = (
                f"the checkpoint folder {self.folder} cannot be written to: {(error.strerror or str(error)).lower()}"
            )
            raise ResourceError("no-checkpoint", message, "make room there, or name another folder") from error


def _file_header(key: str, content: bytes) -> bytes:
    """Return the header of a file, which depends on its key and content."""
    return _MAGIC + hashlib.sha256(key.encode() + content).digest()


def _is_own_file(status: os.stat_result) -> bool:
    """Return whether a file is the current user's and nobody else may write to it."""
    return not hasattr(os, "getuid") or (
        status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def _is_unicode(name: str) -> bool:
    """Return whether the name of a log can be kept as UTF-8: on Unix a name may be any bytes."""
    with suppress(UnicodeEncodeError):
        return bool(name.encode())
    return False


def _names(part: Part) -> Iterator[str]:
    yield part.name
    yield from (end.name for end in part.ends)


def _digest_of_records(duplicates: RecordedAgain) -> str:
    digest = hashlib.sha256()
    for column in (duplicates.record, duplicates.version, duplicates.last, duplicates.file, duplicates.line):
        digest.update(column.tobytes())
    digest.update(msgspec.json.encode(duplicates.files))
    return digest.hexdigest()


def _is_consistent(verdict: BlockVerdict, context: Court) -> bool:
    """Return whether all parts of a verdict are consistent with each other and with the rules."""
    for game in verdict.games:
        rules = context.rulebook.regulation(game.document)
        spanning_names = {requirement.requirement for requirement in spanning(rules.requirements)}
        if [verdict.requirement for verdict in game.verdicts] != [
            requirement.requirement for requirement in rules.requirements if requirement.evidence is Evidence.ROUND
        ]:
            return False
        if any(
            len(requirement_verdict.counts) != len(STATUSES) or not _is_consistent_gap(requirement_verdict.gap)
            for requirement_verdict in game.verdicts
        ):
            return False
        if any(
            rows.document != game.document or set(rows.shows) != spanning_names or not rows.is_sound
            for rows in game.rows
        ):
            return False
    return len(verdict.logs) in (0, len(verdict.ends))


def _is_consistent_gap(gap: Gap | None) -> bool:
    return gap is None or len(gap.causes) == len(CAUSES)
