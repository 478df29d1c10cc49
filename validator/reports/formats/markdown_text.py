"""Text of people inside of Markdown as GitHub and GitLab read it: it stays text, whatever is in it."""

from __future__ import annotations

import re

from validator.text.visible import visible

_MARKS = re.compile(r"[\\`*_\[\]|~]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_BREAK = "&#8203;"
"""A blank without width: what it stands in is no name, number or address any more, and looks the same."""


def md(text: str) -> str:
    """The text as it is to be read: no emphasis, code, link, image, table, list, heading, HTML, formula, emoji, mention
    of a person or reference to an issue comes of it."""
    safe = re.sub("[&<>]", lambda found: _ENTITIES[found[0]], visible(text).strip(" "))
    safe = re.sub(r"^(\d{1,9})(?=[.)](?: |$))|^(?=[-+=#])", r"\1" + r"\\", _MARKS.sub(r"\\\g<0>", safe))
    safe = re.sub(r"(?i)(?<=\bwww)(?=\.)|(?=://)|(?<=\bmailto)(?=:)|(?<=\bxmpp)(?=:)|(?<=\bGH)(?=-)", _BREAK, safe)
    safe = re.sub(r"(?<!&)[@#]|[!%](?=[\w\"])|:(?=[\w+-]+:)", rf"\g<0>{_BREAK}", safe)
    return safe.replace("$", "<span>$</span>")
