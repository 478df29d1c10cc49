"""Texts and values that patterns take from a document and its game."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from validator.rulebook.vocabulary.pattern_model import Pattern
from validator.text.trees.tree import Data, Path
from validator.text.values.money import format_money

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
"""Placeholder in a text for the value of a parameter."""

_TITLED_SECTIONS = {
    **dict.fromkeys(("wager", "wagers"), ("wagers", "bonuses")),
    **dict.fromkeys(("decision", "decisions"), ("decisions",)),
}
_SECTION_KINDS = {"wagers": "wager", "decisions": "decision", "procedure": "step", "courses": "course"}
_STATEMENT_KEYS = {
    "wagers": {"of": "of", "times": "amount"},
    "decisions": {"who": "open-to", "wager": "places"},
    "procedure": {"each": "each", "where": "when", "by": "by", "face": "face"},
    "courses": {"where": "when"},
}
"""Parameters of patterns, and the keys of wagers, decisions, steps and courses that supply them."""
_NUMBER_WORDS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_ALTERNATIVES = ("names", "decisions")


class Stated(Struct, frozen=True, kw_only=True):
    """The parts of a document that supply values of parameters."""

    document: str
    """Id of the document."""
    game: Mapping[str, Data] = field(default_factory=dict)
    """Game of the document as in its file; empty if it has none."""
    own: Mapping[str, Data] = field(default_factory=dict)
    """Values that the statement next to the requirement supplies, by parameter."""

    def at(self, place: Path) -> Stated:
        """Return the context with the values of the wager, decision, step or course that contains a place."""
        section, name = place[:2]
        section_data = self.game.get(str(section))
        statement = (
            section_data.get(str(name))
            if isinstance(section_data, dict)
            else section_data[int(name)]
            if isinstance(section_data, list)
            else None
        )
        if not isinstance(statement, dict):
            return self
        identifier = statement.get("step") if section == "procedure" else name
        own = {key: statement.get(word) for key, word in _STATEMENT_KEYS.get(str(section), {}).items()}
        if section == "wagers" and isinstance(needs := statement.get("needs"), dict) and set(needs) == {"placed"}:
            own["beside"] = needs["placed"]
        kind = str(_SECTION_KINDS.get(str(section)))
        own |= {kind: identifier, f"{kind}s": [identifier]}
        return replace(self, own={key: value for key, value in own.items() if value is not None})

    def titles(self, kind: str) -> dict[str, str]:
        """Return the titles of wagers and bonuses, decisions or steps by name, for a kind of parameter."""
        titles: dict[str, Data] = {}
        if kind in ("step", "steps"):
            steps = self.game.get("procedure")
            entries = [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
            titles = {str(step.get("step")): step.get("title") for step in entries}
        for section in _TITLED_SECTIONS.get(kind, ()):
            titles |= {
                name: entry.get("title")
                for name, entry in self._get_section(section).items()
                if isinstance(entry, dict)
            }
        return {name: title for name, title in titles.items() if isinstance(title, str)}

    def left_out(self, what: str) -> Data:
        """Return the value of an omitted parameter; None if the game does not supply one."""
        match what:
            case "document":
                return self.document
            case "deck":
                return self._get_section("deck").get("cards")
            case "decks":
                return self._get_section("deck").get("decks")
            case "lines":
                return [*self._get_section("wagers"), *self._get_section("bonuses")] or None
            case "lines-with-a-table":
                tables = [table for table in self._get_section("pay-tables").values() if isinstance(table, dict)]
                return list(dict.fromkeys(str(table.get("for")) for table in tables)) or None
            case _:
                stages = self._get_section("deal").get("stages")
                stage_data = [stage for stage in stages if isinstance(stage, dict)] if isinstance(stages, list) else []
                ways = [stage.get("ways") for stage in stage_data]
                names = (name for ways_of_stage in ways if isinstance(ways_of_stage, dict) for name in ways_of_stage)
                return list(dict.fromkeys(names)) or None

    def _get_section(self, key: str) -> dict[str, Data]:
        section = self.game.get(key)
        return section if isinstance(section, dict) else {}


def in_words(text: str, pattern: Pattern, values: Mapping[str, Data], stated: Stated) -> str:
    """Fill the placeholders of a text with values; wagers, steps and decisions appear by their titles."""

    def replace_placeholder(match: re.Match[str]) -> str:
        name = match[1]
        return _format_value(pattern.parameters[name].kind, values[name], stated) if name in values else match[0]

    filled = PLACEHOLDER.sub(replace_placeholder, text)
    return filled[:1].upper() + filled[1:]


def _format_value(kind: str, value: Data, stated: Stated) -> str:
    match kind:
        case "amount" if isinstance(value, int):
            return format_money(value)
        case "number" if isinstance(value, int) and 0 <= value < len(_NUMBER_WORDS):
            return _NUMBER_WORDS[value]
        case "words" | "officer":
            return str(value).rstrip(".")
    titles, names = stated.titles(kind), value if isinstance(value, list) else [value]
    *others, last = [titles.get(str(item), str(item).replace("-", " ")) for item in names]
    return f"{', '.join(others)} {'or' if kind in _ALTERNATIVES else 'and'} {last}" if others else last
