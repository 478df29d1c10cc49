"""A form in the hands of somebody who fills it in with an editor: blanks are filled, offers are taken."""

from __future__ import annotations

import re

_OFFER = re.compile(r"( *)# (.*)")


class Sheet:
    """The lines of a form. Places are looked for from the top, or from behind a line that has `after` in it."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")

    @property
    def text(self) -> str:
        """Current text of the file."""
        return "\n".join(self.lines)

    def take(self, words: str) -> None:
        """Take the sign away in front of the offer that has these words in it: all lines of that entry."""
        at = next(i for i, line in enumerate(self.lines) if _OFFER.fullmatch(line) and line.endswith(words))
        while not re.fullmatch(r" *# (- .*|[a-z-]+:.*)", self.lines[at]):
            at -= 1
        found = _OFFER.fullmatch(self.lines[at])
        assert found is not None
        base = f"{found[1]}# "
        entry = found[2].startswith("- ")
        self.lines[at] = f"{found[1]}{found[2]}"
        for index in range(at + 1, len(self.lines)):
            line = self.lines[index]
            if not line.startswith(f"{base}  ") and not (entry and line.startswith(f"{base}{' ' * 2}")):
                return
            self.lines[index] = f"{found[1]}{line.removeprefix(base)}"

    def fill(self, key: str, value: object, *, after: str = "") -> None:
        """Write a value behind the first blank of a key."""
        start = next(i for i, line in enumerate(self.lines) if after in line and not line.lstrip().startswith("#"))
        for index in range(start if after else 0, len(self.lines)):
            if re.fullmatch(rf"[ -]*{re.escape(key)}:", self.lines[index]):
                self.lines[index] += f" {value}"
                return
        raise AssertionError(f"no blank for {key} after {after!r}")

    def blanks(self, key: str) -> int:
        """Return the number of blanks of a key."""
        return sum(re.fullmatch(rf"[ -]*{re.escape(key)}:", line) is not None for line in self.lines)
