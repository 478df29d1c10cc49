"""What the words and the parameters of patterns take from a document and its game."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from validator.rulebook.vocabulary.pattern_model import Pattern
from validator.text.trees.tree import Data, Path
from validator.text.values.money import format_money

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
"""What stands in words for the value of a parameter."""

_TITLED = {
    **dict.fromkeys(("wager", "wagers"), ("wagers", "bonuses")),
    **dict.fromkeys(("decision", "decisions"), ("decisions",)),
}
_KINDS = {"wagers": "wager", "decisions": "decision", "procedure": "step", "courses": "course"}
_OWN = {
    "wagers": {"of": "of", "times": "amount"},
    "decisions": {"who": "open-to", "wager": "places"},
    "procedure": {"each": "each", "where": "when", "by": "by", "face": "face"},
    "courses": {"where": "when"},
}
"""Parameters of patterns, and where wagers, decisions, steps and courses say what they are."""
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_CHOICES = ("names", "decisions")


class Stated(Struct, frozen=True, kw_only=True):
    """What a document says: its id, and its game as it stands in the file, where it has one. `own` is what the
    statement says beside which a requirement stands, by the names of parameters."""

    document: str
    game: Mapping[str, Data] = field(default_factory=dict)
    own: Mapping[str, Data] = field(default_factory=dict)

    def at(self, place: Path) -> Stated:
        """The same, with what is said by the wager, decision, step or course that a place in the game lies in."""
        section, name = place[:2]
        said = self.game.get(str(section))
        one = said.get(str(name)) if isinstance(said, dict) else said[int(name)] if isinstance(said, list) else None
        if not isinstance(one, dict):
            return self
        named = one.get("step") if section == "procedure" else name
        own = {key: one.get(word) for key, word in _OWN.get(str(section), {}).items()}
        if section == "wagers" and isinstance(needs := one.get("needs"), dict) and set(needs) == {"placed"}:
            own["beside"] = needs["placed"]
        kind = str(_KINDS.get(str(section)))
        own |= {kind: named, f"{kind}s": [named]}
        return replace(self, own={key: value for key, value in own.items() if value is not None})

    def titles(self, kind: str) -> dict[str, str]:
        """The titles of all wagers and bonuses, decisions or steps, by name; none for another kind of parameter."""
        found: dict[str, Data] = {}
        if kind in ("step", "steps"):
            steps = self.game.get("procedure")
            listed = [one for one in steps if isinstance(one, dict)] if isinstance(steps, list) else []
            found = {str(one.get("step")): one.get("title") for one in listed}
        for named in _TITLED.get(kind, ()):
            found |= {name: one.get("title") for name, one in self._named(named).items() if isinstance(one, dict)}
        return {name: title for name, title in found.items() if isinstance(title, str)}

    def left_out(self, what: str) -> Data:
        """What a parameter is that an instance leaves out; None where the game does not say."""
        match what:
            case "document":
                return self.document
            case "deck":
                return self._named("deck").get("cards")
            case "decks":
                return self._named("deck").get("decks")
            case "lines":
                return [*self._named("wagers"), *self._named("bonuses")] or None
            case "lines-with-a-table":
                tables = [one for one in self._named("pay-tables").values() if isinstance(one, dict)]
                return list(dict.fromkeys(str(one.get("for")) for one in tables)) or None
            case _:
                stages = self._named("deal").get("stages")
                ways = [one.get("ways") for one in stages if isinstance(one, dict)] if isinstance(stages, list) else []
                return list(dict.fromkeys(name for one in ways if isinstance(one, dict) for name in one)) or None

    def _named(self, key: str) -> dict[str, Data]:
        found = self.game.get(key)
        return found if isinstance(found, dict) else {}


def in_words(text: str, pattern: Pattern, values: Mapping[str, Data], stated: Stated) -> str:
    """Words of a pattern with the values of its parameters in them, wagers, steps and decisions by their titles."""

    def put(found: re.Match[str]) -> str:
        name = found[1]
        return _said(pattern.parameters[name].kind, values[name], stated) if name in values else found[0]

    said = PLACEHOLDER.sub(put, text)
    return said[:1].upper() + said[1:]


def _said(kind: str, value: Data, stated: Stated) -> str:
    match kind:
        case "amount" if isinstance(value, int):
            return format_money(value)
        case "number" if isinstance(value, int) and 0 <= value < len(_NUMBERS):
            return _NUMBERS[value]
        case "words" | "officer":
            return str(value).rstrip(".")
    titles, named = stated.titles(kind), value if isinstance(value, list) else [value]
    *others, last = [titles.get(str(one), str(one).replace("-", " ")) for one in named]
    return f"{', '.join(others)} {'or' if kind in _CHOICES else 'and'} {last}" if others else last
