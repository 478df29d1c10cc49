"""A folder that keeps what parts came to, so that an audit that was broken off goes on where it was.

What is kept is known by all that it hangs on: the plan, and the bytes that were judged. A file of the folder that is
damaged, or that another user wrote or could have written, is none: its part is judged again.
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

_BEGINS = b"fairdeal checkpoint 1\n"
_LARGEST = UNFOLDED_BYTES
"""Bytes of a file of the folder that are written and read: a part that comes to more is judged again."""


class Checkpoint(Struct, frozen=True, kw_only=True):
    """A folder of parts that were judged, those of any number of audits."""

    folder: str

    def verdicts(
        self,
        part: Part,
        judge: Callable[[Part], tuple[BlockVerdict, ...]],
        *,
        plan: str,
        court: Court,
    ) -> tuple[BlockVerdict, ...]:
        """What a part came to by the plan of that digest, which judges by `court`: as it was kept, or else as it is
        judged now, and then kept. Raises ResourceError where the folder cannot be written to."""
        try:
            if isinstance(part.block, FileLines):  # to be judged as it was hashed
                part = replace(part, block=part.block.held())
            content = None if part.block is None else part.block.identity()
        except InputError:
            content = None
        if content is None or not all(map(_is_unicode, _names(part))):
            return judge(part)
        again = {
            name: _digest_of_records(court.recorded_again[name])
            for name in _names(part)
            if name in court.recorded_again
        }
        key = hashlib.sha256(msgspec.json.encode([plan, part.name, content, again])).hexdigest()
        found = self._found(key, court)
        if found is not None:
            return tuple(replace(one, ends=part.ends) for one in found) if part.ends else found
        verdicts = judge(part)
        changed = isinstance(part.block, WholeLog) and verdicts[-1].ends[0].sha256 != content
        if not changed and not any(end.refused for one in verdicts for end in one.ends):
            self._keep(key, to_bytes(verdicts))
        return verdicts

    def _found(self, key: str, court: Court) -> tuple[BlockVerdict, ...] | None:
        with suppress(OSError, ValueError, UnfoldsTooFarError):
            with os.fdopen(open_unlinked(Path(self.folder, key)), "rb") as stream:
                about = os.fstat(stream.fileno())
                if not stat.S_ISREG(about.st_mode) or about.st_size > _LARGEST or not _own(about):
                    return None
                data = stream.read(_LARGEST)
            begins = len(_BEGINS) + hashlib.sha256().digest_size
            content = data[begins:]
            if data[:begins] == _begun(key, content):
                with bounded_memory():
                    verdicts = from_bytes(content, court.read_counts)
                if all(_fits(verdict, court) for verdict in verdicts):
                    return verdicts
        return None

    def _keep(self, key: str, content: bytes) -> None:
        if len(_BEGINS) + hashlib.sha256().digest_size + len(content) > _LARGEST:
            return
        try:
            Path(self.folder).mkdir(mode=0o700, parents=True, exist_ok=True)
            place = Path(self.folder, key)
            if place.is_symlink() or not place.is_file():  # what it leads to is not ours to write to
                place.unlink(missing_ok=True)
            with written_whole(place, mode=0o600) as stream:
                stream.write(_begun(key, content))
                stream.write(content)
        except OSError as error:
            message = (
                f"the checkpoint folder {self.folder} cannot be written to: {(error.strerror or str(error)).lower()}"
            )
            raise ResourceError("no-checkpoint", message, "make room there, or name another folder") from error


def _begun(key: str, content: bytes) -> bytes:
    """What a file begins with: that of another key, or with other content, begins otherwise."""
    return _BEGINS + hashlib.sha256(key.encode() + content).digest()


def _own(about: os.stat_result) -> bool:
    """Whether a file is the current user's and nobody else may write to it."""
    return not hasattr(os, "getuid") or (
        about.st_uid == os.getuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def _is_unicode(name: str) -> bool:
    """Return whether the name of a log can be kept as UTF-8: on Unix a name may be any bytes."""
    with suppress(UnicodeEncodeError):
        return bool(name.encode())
    return False


def _names(part: Part) -> Iterator[str]:
    yield part.name
    yield from (end.name for end in part.ends)


def _digest_of_records(again: RecordedAgain) -> str:
    digest = hashlib.sha256()
    for column in (again.record, again.version, again.last, again.file, again.line):
        digest.update(column.tobytes())
    digest.update(msgspec.json.encode(again.files))
    return digest.hexdigest()


def _fits(verdict: BlockVerdict, court: Court) -> bool:
    """Whether all parts of a verdict fit each other and the rules."""
    for game in verdict.games:
        rules = court.rulebook.regulation(game.document)
        asked = {one.requirement for one in spanning(rules.requirements)}
        if [one.requirement for one in game.verdicts] != [
            one.requirement for one in rules.requirements if one.evidence is Evidence.ROUND
        ]:
            return False
        if any(len(one.counts) != len(STATUSES) or not _fits_gap(one.gap) for one in game.verdicts):
            return False
        if any(rows.document != game.document or set(rows.shows) != asked or not rows.is_sound for rows in game.rows):
            return False
    return len(verdict.logs) in (0, len(verdict.ends))


def _fits_gap(gap: Gap | None) -> bool:
    return gap is None or len(gap.causes) == len(CAUSES)
