"""Small logs, whole: what has a fixed price for each block is paid once for many of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from validator.evidence.assembly.assemble import Decoded
from validator.evidence.jsonl.blocks import HeldLines
from validator.evidence.jsonl.log_lines import LogLines, decode_logs

if TYPE_CHECKING:
    from validator.evidence.phh.acts import Acts
    from validator.evidence.phh.blocks import Hands


class SmallLogs(Struct, frozen=True, kw_only=True):
    """All of several small logs, in the order of their names."""

    logs: tuple[HeldLines | Hands, ...]

    @property
    def size(self) -> int:
        """The number of bytes of the logs."""
        return sum(one.size for one in self.logs)

    def decode(self, known_games: Collection[str]) -> Decoded:
        """Decode the rounds of all logs, as `decode_logs` does."""
        return decode_logs(list(self._lines()), known_games=known_games)

    def _lines(self) -> Iterator[LogLines]:
        acts: Acts | None = None
        for log in self.logs:
            if isinstance(log, HeldLines):
                yield log.lines()
                continue
            if acts is None:
                from validator.evidence.phh import acts as phh  # noqa: PLC0415 - most logs are no hand histories

                acts = phh.Acts()
            yield log.lines(acts)

    def identity(self) -> str:
        """Return what tells the content of the logs from that of all others."""
        return "".join(f"{one.name}\n{one.identity()}\n" for one in self.logs)
