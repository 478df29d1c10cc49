"""Small logs, each read whole: the fixed cost of a block is paid once for many of them."""

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
    """Several small logs, in the order of their names."""

    logs: tuple[HeldLines | Hands, ...]
    """The logs."""

    @property
    def size(self) -> int:
        """Number of bytes of the logs."""
        return sum(log.size for log in self.logs)

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
                from validator.evidence.phh.acts import Acts  # noqa: PLC0415 - few logs are hand histories

                acts = Acts()
            yield log.lines(acts)

    def identity(self) -> str:
        """Return a text that identifies the content of the logs."""
        return "".join(f"{log.name}\n{log.identity()}\n" for log in self.logs)
