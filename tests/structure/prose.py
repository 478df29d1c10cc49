"""Find prose and names that break the style of the project: in Python, YAML texts, templates and documentation.

Run it on files or folders: `python -m tests.structure.prose validator/odds docs`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml
from yaml.nodes import MappingNode, ScalarNode, SequenceNode

from tests.structure.syntax import list_nodes

ROOT = Path(__file__).parents[2]
CODE = ("validator", "cli", "fairdeal", "tools", "benchmarks", "tests")
LONGEST_SENTENCE = 25


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BANNED_OPENINGS = _words(
    "what whether where which how of one ones those such others who whose whom when that as far so none"
)
"""First words of a docstring that hide what it describes."""
DETERMINERS = _words(
    "the a an all each every any some no it its this these both two three if by in on from for to at as and with"
)
"""First words that no docstring of a function begins with: it begins with a verb."""

BANNED_PHRASES = {
    r"held against|hold(?:s|ing)? (?:\w+ )?against": "checked against",
    r"hang(?:s|ing)? (?:\w+ )?on\b": "depends on",
    r"c[oa]m(?:e|es|ing) to(?! (?:light|rest)\b)": "equals, amounts to, results in",
    r"told|tells?|telling": "recorded, stated, known, reports",
    r"(?:is|are|be|was|were|been) asked|asked (?:of|about|for|by|at|in|where)|asks": "required, evaluated, checks",
    r"stands?(?! pat\b)|stood": "is, is located, applies",
    r"so many": "n, that many",
    r"as far as (?!the cards are known)": "where known",
    r"put by|laid by": "spilled, stored",
    r"made ready|make(?:s)? ready": "compiled, prepared",
    r"put right|puts right|mend(?:s|ed|ing)?": "corrected, fixed",
    r"(?:gone|goes|going|went|go) through": "iterated, enumerated",
    r"at hand": "available",
    r"(?<!\{)besides?(?!\})": "next to, also, in addition",
    r"way of a hand": "how a hand is evaluated",
    r"store?ys?": "layer",
    r"looked at|taken for\b": "examined; treated as",
}
"""Phrases of the old dialect, each with the plain words to use."""

BANNED_LOOP_VARIABLES = frozenset({"one", "found", "told"})

PREPOSITIONS = _words(
    "above across after against along among apart around at away before behind below beneath beside besides between "
    "beyond by down during except for_ from_ inside into of off on onto outside over past per since through "
    "toward towards under until unto up upon via with_ within without"
)
IRREGULAR_PARTICIPLES = _words(
    "told said held kept put taken given made known seen done left lent paid dealt drawn shown thrown laid lain meant "
    "begun gone bought brought built caught chosen found fallen felt heard led lost met read_ run_ sent set_ sold "
    "spent stood struck written worn won owing owed due astray amiss again back hence apart away"
)
TEXT_KEYS = _words(
    "title message remedy reading gist description note because broken says text question chosen summary shows topic"
)
"""Keys of rule files whose values people read."""

_PHRASES = [(re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), plain) for pattern, plain in BANNED_PHRASES.items()]
_SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|\n\s*\n|\n\s*[-*|>]\s")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
_CODE_SPAN = re.compile(r"``.*?``|`[^`]*`", re.DOTALL)
_CODE_LIST = re.compile(r"X(?:, X)+")
_TEXT_OR_COMMENT = re.compile(
    r"""("{3}|'{3})(?:\\.|.)*?\1|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[^\n]*""", re.DOTALL
)
"""A string of Python, or a comment."""


@dataclass(frozen=True)
class Problem:
    """Something in a file that breaks the style."""

    file: str
    line: int
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.rule}: {self.text}"


def check_text(file: str, line: int, text: str, *, length: bool = True) -> Iterator[Problem]:
    """Yield banned phrases and sentences that are too long in a text that starts at a line."""
    plain = _CODE_LIST.sub("X", _CODE_SPAN.sub("X", text))  # a list of values is no sentence
    for pattern, better in _PHRASES:
        for match in pattern.finditer(plain):
            at = line + plain.count("\n", 0, match.start())
            yield Problem(file, at, "phrase", f"{match[0]!r}: write {better}")
    if not length:
        return
    start = 0
    for part in _SENTENCE_END.split(plain):
        words = len(_WORD.findall(part))
        if words > LONGEST_SENTENCE:
            at = line + plain.count("\n", 0, max(plain.find(part, start), 0))
            yield Problem(file, at, "length", f"{words} words: {' '.join(part.split())[:70]}")
        start += len(part)


def check_python(path: Path, *, texts_too: bool = True) -> Iterator[Problem]:
    """Yield the problems of a Python file: docstrings, comments, messages, names.

    Args:
        path: the file.
        texts_too: also check comments and messages.
    """
    file, source = name_of(path), path.read_text("utf-8")
    tree = ast.parse(source)
    documented: set[int] = set()
    texts: list[ast.Constant] = []
    for node in list_nodes(tree):
        if isinstance(node, ast.Constant):
            texts += [node] if isinstance(node.value, str) else []
            continue
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _check_docstrings(file, node, documented)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _check_function_name(file, node)
        if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            for name in list_nodes(node.target):
                if isinstance(name, ast.Name) and name.id in BANNED_LOOP_VARIABLES:
                    yield Problem(file, name.lineno, "loop variable", f"{name.id}: name the item")
    if not texts_too:
        return
    for constant in texts:
        text = str(constant.value)
        if id(constant) in documented:
            continue
        if len(_WORD.findall(text)) >= 4 and "\\" not in text and not text.startswith("{"):
            yield from check_text(file, constant.lineno, text, length=False)
    yield from _check_comments(file, source)


def _check_docstrings(
    file: str, owner: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, documented: set[int]
) -> Iterator[Problem]:
    before: ast.stmt | None = None
    for place, statement in enumerate(owner.body):
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if is_text and isinstance(text := statement.value.value, str):  # type: ignore[attr-defined]
            documented.add(id(statement.value))  # type: ignore[attr-defined]
            banned = BANNED_OPENINGS | DETERMINERS if _is_action(owner) else BANNED_OPENINGS
            of_field = isinstance(before, ast.Assign | ast.AnnAssign)
            if place == 0 or of_field:
                first = _WORD.search(text)
                if first and first[0].lower() in banned and not text.lstrip().startswith("`"):
                    yield Problem(file, statement.lineno, "opening", " ".join(text.split())[:70])
            yield from check_text(file, statement.lineno, text)
        before = statement


def _is_action(owner: ast.AST) -> bool:
    """Return whether a definition is a function that does something: no property, no test."""
    if not isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    return not owner.name.startswith("test_") and not _is_property(owner)


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(re.search("property|setter", ast.unparse(decorator)) for decorator in node.decorator_list)


def _check_function_name(file: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Problem]:
    if _is_property(node):
        return
    name = node.name.strip("_")
    bare = "_" not in name and (name.endswith("ed") and name not in {"need", "feed", "seed", "embed", "shed"})
    if bare or node.name.lstrip("_") in PREPOSITIONS | IRREGULAR_PARTICIPLES:
        yield Problem(file, node.lineno, "function name", f"{node.name}: begin with a verb, or is_, has_, may_")


def _check_comments(file: str, source: str) -> Iterator[Problem]:
    block: list[str] = []
    start = last = 0
    for line, alone, comment in list_comments(source):
        if comment.startswith(("#!", "# noqa", "# type:", "# pragma")):
            continue
        if block and not (alone and line == last + 1):
            yield from check_text(file, start, "\n".join(block))
            block = []
        if not block:
            start = line
        block.append(comment.lstrip("# "))
        last = line
    if block:
        yield from check_text(file, start, "\n".join(block))


def list_comments(source: str) -> Iterator[tuple[int, bool, str]]:
    """Yield the line of each comment of a Python file, whether nothing precedes it there, and the comment.

    The standard tokenizer finds the same, and takes a third of the time of all checks.
    """
    line, counted = 1, 0
    for match in _TEXT_OR_COMMENT.finditer(source):
        if match[0].startswith("#"):
            line, counted = line + source.count("\n", counted, match.start()), match.start()
            yield line, not source[source.rfind("\n", 0, counted) + 1 : counted].strip(), match[0]


def check_yaml(path: Path) -> Iterator[Problem]:
    """Yield the problems of texts that people read in a YAML file: what TEXT_KEYS name."""
    file = name_of(path)

    def walk(node: object, key: str) -> Iterator[Problem]:
        if isinstance(node, MappingNode):
            for name, value in node.value:
                yield from walk(value, name.value if isinstance(name, ScalarNode) else "")
        elif isinstance(node, SequenceNode):
            for value in node.value:
                yield from walk(value, key)
        elif isinstance(node, ScalarNode) and key in TEXT_KEYS and len(_WORD.findall(node.value)) >= 3:
            yield from check_text(file, node.start_mark.line + 1, node.value)

    yield from walk(yaml.compose(path.read_bytes(), yaml.CSafeLoader), "")


def check_document(path: Path) -> Iterator[Problem]:
    """Yield the problems of a page or a template, without its code blocks and tags."""
    text = path.read_text("utf-8")

    def keep_lines(match: re.Match[str]) -> str:
        return "\n" * match[0].count("\n")

    if path.suffix == ".md":
        text = re.sub(r"^( *)(```|~~~).*?^ *\2", keep_lines, text, flags=re.DOTALL | re.MULTILINE)
        text = re.sub(r"^(?: {4}|\t).*$|<!--.*?-->|\]\([^)]*\)|^#+ ", "", text, flags=re.MULTILINE)
        text = re.sub(r" \| |^\||\|$", " ; ", text, flags=re.MULTILINE)
        yield from check_text(name_of(path), 1, text)
        return
    text = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>|{%.*?%}|{#.*?#}|{{.*?}}", keep_lines, text, flags=re.DOTALL)
    yield from check_text(name_of(path), 1, text, length=False)


def duplicate_names(
    folders: Iterable[str] = ("validator", "cli", "fairdeal", "tools", "benchmarks"),
) -> Iterator[Problem]:
    """Yield modules and public classes that share a name with another."""
    modules: defaultdict[str, list[str]] = defaultdict(list)
    classes: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for path in python_files(ROOT / folder for folder in folders):
        if path.stem not in {"__init__", "__main__"}:
            modules[path.stem].append(name_of(path))
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes[node.name].append((name_of(path), node.lineno))
    for name, files in sorted(modules.items()):
        for file in files[1:]:
            yield Problem(file, 1, "duplicate module", f"{name}: also {files[0]}")
    for name, places in sorted(classes.items()):
        for file, line in places[1:]:
            yield Problem(file, line, "duplicate class", f"{name}: also {places[0][0]}")


def name_of(path: Path) -> str:
    """Return the path of a file from the root of the project."""
    resolved = path.resolve()
    return resolved.relative_to(ROOT).as_posix() if resolved.is_relative_to(ROOT) else path.as_posix()


def python_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the Python files of folders, sorted."""
    for path in paths:
        yield from [path] if path.is_file() else sorted(path.rglob("*.py"))


def check(path: Path) -> Iterator[Problem]:
    """Yield the problems of a file, by its kind; another kind of file has none."""
    if path.suffix == ".py":
        yield from check_python(path)
    elif path.suffix in {".yaml", ".yml"}:
        yield from check_yaml(path)
    elif path.suffix in {".md", ".html", ".j2"}:
        yield from check_document(path)


def main(arguments: list[str]) -> int:
    """Print the problems of files and folders, and how many there are of each kind."""
    counts: Counter[str] = Counter()
    quiet = "-q" in arguments
    for name in (argument for argument in arguments if argument != "-q"):
        path = Path(name)
        for file in [path] if path.is_file() else sorted(part for part in path.rglob("*") if part.is_file()):
            if "__pycache__" in file.parts or file.name.endswith("snapshot.yaml"):
                continue
            for problem in check(file):
                counts[problem.rule] += 1
                if not quiet:
                    print(problem)
    print(dict(counts))
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
