"""Types and state can be followed: nothing is added, filled or changed from outside or behind the scenes."""

from __future__ import annotations

import ast

import pytest

from tests.facade.commands import ROOT
from tests.structure.state import find_faults, find_frozen_classes

FAULTY = {
    "a name for any type": ["Game: TypeAlias = Any", "Game = Any"],
    "object.__new__": ["view = object.__new__(View)"],
    "object.__setattr__": ["def f(self): object.__setattr__(self, 'a', 1)"],
    "attributes as a mapping": ["vars(view).update(a=1)", "view.__dict__['a'] = 1"],
    "a changed class": [
        "def f(model: type[Model]) -> None:\n    model.OPERATORS = {}",
        "def f(model) -> None:\n    model.model_fields['a'] = field",
        "Model.OPERATORS = {}",
        "Model.TABLE['a'] = 1",
    ],
    "a changed global": [
        "last = None\ndef f():\n    global last\n    last = 1",
        "known = {}\ndef f(key):\n    known[key] = 1",
        "known = []\ndef f(key):\n    known.append(key)",
        "bits = np.zeros(9)\nbits[3] = 1",
        "count = Counter()\ncount['a'] += 1",
    ],
    "a cached result that can change": [
        "@cache\ndef f() -> list[int]:\n    return []",
        "@lru_cache(maxsize=3)\ndef f() -> dict[str, int]:\n    return {}",
        "@cache\ndef f() -> tuple[Ints, Flags]:\n    return both",
    ],
    "a changed frozen object": [
        "class A(Struct, frozen=True):\n    def f(self):\n        self.rows[0] = 1",
        "class A(Struct, frozen=True):\n    def f(self):\n        self.known.setdefault(1, 2)",
        "class A(NamedTuple):\n    pass\ndef f(a: A):\n    a.rows[0] += 1",
        "class A(NamedTuple):\n    pass\ndef make() -> A:\n    ...\ndef f():\n    a = make()\n    a.b.rows[0] = 1",
        "@dataclass(frozen=True)\nclass A:\n    def f(self):\n        self.rows[0] = 1",
        "class A(Struct, frozen=True):\n    def f(self):\n        np.add.at(self.rows, 0, 1)",
        "class A(Struct, frozen=True):\n    def f(self):\n        np.add(1, 2, out=self.rows)",
    ],
}

PLAIN = """
class Kept(Struct, frozen=True):
    rows: Ints

    def double(self) -> Kept:
        rows = self.rows.copy()
        rows[0] = 2
        return replace(self, rows=rows)

class Here(threading.local):
    known: Names | None = None

here = Here()
TABLE: Mapping[str, int] = {"a": 1}

@cache
@make_read_only
def tabulate() -> Ints:
    table = np.zeros(9)
    table[0] = 1
    return table

def fill(TABLE: dict[str, int]) -> None:
    TABLE["b"] = 2
    here.known = None
"""


@pytest.mark.parametrize(("kind", "source"), [(kind, text) for kind, texts in FAULTY.items() for text in texts])
def test_each_fault_is_found(kind: str, source: str) -> None:
    tree = ast.parse(source)
    assert kind in [name for _, name in find_faults(tree, find_frozen_classes([tree]))]


def test_plain_code_has_no_fault() -> None:
    tree = ast.parse(PLAIN)
    assert list(find_faults(tree, find_frozen_classes([tree]))) == []


def test_the_product_has_no_fault() -> None:
    trees = {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8"))
        for top in ("fairdeal", "cli", "validator")
        for path in sorted((ROOT / top).rglob("*.py"))
    }
    assert len(trees) > 300
    frozen = find_frozen_classes(trees.values())
    found = [f"{name}:{line}: {kind}" for name, tree in trees.items() for line, kind in find_faults(tree, frozen)]
    assert not found, "\n".join(found)
