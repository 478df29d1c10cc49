"""Quoted text in the Markdown of GitHub and GitLab, escaped so that it stays text."""

from __future__ import annotations

import re

from validator.text.visible import visible

_MARKS = re.compile(r"[\\`*_\[\]|~]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_BREAK = "&#8203;"
"""Blank without width that breaks up names, numbers and addresses without changing how they look."""


def md(text: str) -> str:
    """Return a text in which nothing is markup: no link, table, HTML, formula, emoji, mention or reference."""
    safe = re.sub("[&<>]", lambda match: _ENTITIES[match[0]], visible(text).strip(" "))
    safe = re.sub(r"^(\d{1,9})(?=[.)](?: |$))|^(?=[-+=#])", r"\1" + r"\\", _MARKS.sub(r"\\\g<0>", safe))
    safe = re.sub(r"(?i)(?<=\bwww)(?=\.)|(?=://)|(?<=\bmailto)(?=:)|(?<=\bxmpp)(?=:)|(?<=\bGH)(?=-)", _BREAK, safe)
    safe = re.sub(r"(?<!&)[@#]|[!%](?=[\w\"])|:(?=[\w+-]+:)", rf"\g<0>{_BREAK}", safe)
    return safe.replace("$", "<span>$</span>")
