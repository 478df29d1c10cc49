"""Search for state and types that a type checker or a reader cannot follow."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tests.structure.syntax import list_nodes

CHANGING_METHODS = frozenset(
    {
        *("add", "append", "clear", "discard", "extend", "fill", "insert", "pop", "popitem", "put", "remove"),
        *("resize", "setdefault", "setflags", "update"),
    }
)
"""Methods that change a list, a set, a mapping or an array."""
ARRAYS = frozenset(
    {
        *("Ints", "Ints32", "Ints16", "Ints8", "Indices", "Codes", "Cards", "Truths", "Statuses", "Identities"),
        *("Flags", "Reals", "Complex", "Bits32", "Bits64", "Bounds", "NDArray"),
    }
)
"""Names of types of arrays."""
COLLECTIONS = frozenset({"list", "dict", "set", "defaultdict", "Counter", "deque"})
"""Names of types of collections that can be changed."""


@dataclass(frozen=True, kw_only=True)
class FrozenClasses:
    """Classes of all modules whose objects are not to change, and functions that return such an object."""

    names: frozenset[str]
    """Names of the classes."""
    makers: Mapping[str, str]
    """Class of the result, by name of the function or class that makes it."""


@lru_cache(maxsize=1)
def _list_nodes(tree: ast.Module) -> Sequence[ast.AST]:
    """Return the nodes of a module. Several searches of the same module follow each other."""
    return list_nodes(tree)


def find_frozen_classes(trees: Iterable[ast.Module]) -> FrozenClasses:
    """Find the frozen structs, dataclasses and named tuples of modules."""
    nodes = [node for tree in trees for node in list_nodes(tree)]
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    names = {node.name for node in classes if _is_frozen(node)} - {
        node.name for node in classes if not _is_frozen(node)
    }
    makers = {name: name for name in names}
    for node in nodes:
        if isinstance(node, ast.FunctionDef) and isinstance(node.returns, ast.Name) and node.returns.id in names:
            makers[node.name] = node.returns.id
    return FrozenClasses(names=frozenset(names), makers=makers)


def _is_frozen(node: ast.ClassDef) -> bool:
    options = [
        *node.keywords,
        *(word for call in node.decorator_list if isinstance(call, ast.Call) for word in call.keywords),
    ]
    return any(ast.unparse(base) == "NamedTuple" for base in node.bases) or any(
        word.arg == "frozen" and ast.unparse(word.value) == "True" for word in options
    )


def find_faults(tree: ast.Module, frozen: FrozenClasses) -> Iterator[tuple[int, str]]:
    """Yield the line and the kind of each fault of a module."""
    yield from _find_untyped_names(tree)
    yield from _find_hidden_attributes(tree)
    yield from _find_changed_classes(tree)
    yield from _find_changed_globals(tree)
    yield from _find_shared_results(tree)
    for node in _list_nodes(tree):
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    yield from _find_changed_objects(method, frozen, node.name)
        elif isinstance(node, ast.FunctionDef):
            yield from _find_changed_objects(node, frozen, "")


def _find_untyped_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield aliases of `Any`."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Name) and node.value.id == "Any":
            yield node.lineno, "a name for any type"


def _find_hidden_attributes(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield attributes set, and objects created, without the class."""
    for node in _list_nodes(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="object"), attr="__new__" | "__setattr__"):
                yield node.lineno, f"object.{node.attr}"
            case ast.Attribute(attr="__dict__") | ast.Name(id="vars"):
                yield node.lineno, "attributes as a mapping"


def _list_targets(node: ast.AST) -> list[ast.expr]:
    """Return the places to which a statement writes, or that a method call changes."""
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            return [part for target in targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
        case ast.AugAssign(target=target):
            return [target]
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=arguments, keywords=keywords):
            changed = [word.value for word in keywords if word.arg == "out"]
            changed += [value] if name in CHANGING_METHODS else arguments[:1] if name == "at" else []
            return [ast.Subscript(value=part, slice=ast.Constant(None), lineno=node.lineno) for part in changed]
        case _:
            return []


def _split_target(target: ast.expr) -> tuple[str, list[str]]:
    """Return the name at which a place begins, and its steps: names of attributes, and `[]` for items."""
    steps: list[str] = []
    while isinstance(target, ast.Attribute | ast.Subscript):
        steps.append(target.attr if isinstance(target, ast.Attribute) else "[]")
        target = target.value
    return target.id if isinstance(target, ast.Name) else "", steps[::-1]


def _find_changed_classes(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield attributes and fields of classes that are set from outside."""
    for function in _list_nodes(tree):
        classes = {
            argument.arg
            for argument in (_list_arguments(function) if isinstance(function, ast.FunctionDef) else ())
            if argument.annotation is not None and ast.unparse(argument.annotation).startswith("type[")
        } - {"cls"}
        inner = _list_nodes(tree) if function is tree else list_nodes(function) if classes else ()
        for node in inner:
            for target in _list_targets(node):
                name, steps = _split_target(target)
                if steps and (
                    "model_fields" in steps or name in classes or (name[:1].isupper() and not name.isupper())
                ):
                    yield target.lineno, "a changed class"


def _list_arguments(function: ast.FunctionDef) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def _find_changed_globals(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield changes of what a module defines. Objects of one thread (`threading.local`) are no such state."""
    per_thread = {
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef) and "threading.local" in map(ast.unparse, node.bases)
    }
    names = set[str]()
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            value = statement.value
            if not (isinstance(value, ast.Call) and ast.unparse(value.func) in per_thread):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                names |= {_split_target(target)[0] for target in targets}
    for node in _list_nodes(tree):
        if isinstance(node, ast.Global):
            yield node.lineno, "a changed global"
        for target in _list_targets(node):
            name, steps = _split_target(target)
            if name and name in names and steps and not _is_local(tree, node, name):
                yield target.lineno, "a changed global"


def _is_local(tree: ast.Module, inner: ast.AST, name: str) -> bool:
    """Return whether a name is an argument or a variable of a function around a node."""
    for function in _list_nodes(tree):
        if isinstance(function, ast.FunctionDef) and any(node is inner for node in list_nodes(function)):
            stored = {
                node.id
                for node in list_nodes(function)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
            if name in stored | {argument.arg for argument in _list_arguments(function)}:
                return True
    return False


def _find_shared_results(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield functions whose cached result a caller could change."""
    for node in _list_nodes(tree):
        if not isinstance(node, ast.FunctionDef) or node.returns is None:
            continue
        decorators = [ast.unparse(decorator).partition("(")[0] for decorator in node.decorator_list]
        if not {"cache", "lru_cache", "functools.cache", "functools.lru_cache"} & {*decorators}:
            continue
        outer = node.returns.value if isinstance(node.returns, ast.Subscript) else node.returns
        names = {part.id for part in list_nodes(node.returns) if isinstance(part, ast.Name)}
        if ast.unparse(outer) in COLLECTIONS or (names & ARRAYS and "make_read_only" not in decorators):
            yield node.lineno, "a cached result that can change"


def _find_changed_objects(function: ast.FunctionDef, frozen: FrozenClasses, owner: str) -> Iterator[tuple[int, str]]:
    """Yield changes of collections and arrays that a frozen object holds."""
    objects = {"self"} if owner in frozen.names else set[str]()
    for argument in _list_arguments(function):
        hint = argument.annotation
        if isinstance(hint, ast.Name) and hint.id in frozen.names:
            objects.add(argument.arg)
    for node in list_nodes(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            called = node.value.func
            maker = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            objects |= {target.id for target in node.targets if isinstance(target, ast.Name) and maker in frozen.makers}
    for node in list_nodes(function) if objects else ():
        for target in _list_targets(node):
            name, steps = _split_target(target)
            if name in objects and len(steps) > 1 and "[]" in steps[1:]:
                yield target.lineno, "a changed frozen object"
