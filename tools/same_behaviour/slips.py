"""Files with something wrong in them: what a program says of bad input is behaviour too."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

_MEMBER = re.compile(r'"([a-z-]+)":')


def _line_slips(line: str) -> tuple[str, ...]:
    """Yield faulty variants of a line of YAML."""
    indent = line[: len(line) - len(line.lstrip())]
    key, colon, value = line.strip().partition(":")
    return (
        line.replace(key, key[1:] + key[:1], 1),
        f"{indent}{key}{colon} 17" if value.strip() else f"{line}\n{indent}  - {{}}",
        "",
        f"{line}\n{line}",
        f" {line}",
        f"{indent}{key}{colon} [",
        f"{indent}{key}{colon} {value.strip()}x" if value.strip() else f"{indent}{key}{colon} no",
        f"{indent}{key}{colon} &a {value.strip()}",
    )


def slips_of_yaml(text: str, most: int, start: int = 0) -> Iterator[str]:
    """Up to `most` texts, each with one line that is wrong, all over the file; `start` varies what is wrong."""
    lines = text.splitlines()
    places = [place for place, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    for index, place in enumerate(_spread(places, most), start=start):
        kinds = _line_slips(lines[place])
        yield "\n".join([*lines[:place], kinds[index % len(kinds)], *lines[place + 1 :]]) + "\n"


def slips_of_record(line: str) -> Iterator[str]:
    """Yield a line of a hand log with each member in turn misspelt, made a number, made null, and cut off."""
    for place, member in enumerate(_MEMBER.finditer(line)):
        before, key, after = line[: member.start()], member[1], line[member.end() :]
        rest = re.sub(r'^(?:"[^"]*"|[-0-9.]+|true|false|null)', ("-1", "null", '"?"', "1e999")[place % 4], after)
        yield f'{before}"{key[1:]}{key[0]}":{after}'
        yield f'{before}"{key}":{rest}'
        if place % 7 == 0:
            yield before


def slips_of_rules(document: Path, into: Path, for_each_file: int) -> Iterator[Path]:
    """Rules folders that hold one document, in each of which one line is wrong. Examples are left out unless it is
    theirs."""
    files = [*document.glob("*.yaml"), *document.glob("requirements/*.yaml"), *document.glob("examples/*.yaml")]
    for number, path in enumerate(sorted(files)):
        most = for_each_file if path.parent.name != "examples" else 1
        for index, text in enumerate(slips_of_yaml(path.read_text("utf-8"), most, start=number)):
            folder = into / f"{document.name}-{number:02d}-{index}"
            others = shutil.ignore_patterns("demo", "profiles", "examples")
            shutil.copytree(document, folder / document.name, ignore=others)
            shutil.copytree(document.parent / "vocabulary", folder / "vocabulary")
            wrong = folder / document.name / path.relative_to(document)
            if path.parent.name == "examples":
                wrong.parent.mkdir()
                for base in {document / "examples" / "bases.yaml"} - {path}:
                    if base.exists():
                        shutil.copyfile(base, wrong.parent / base.name)
            wrong.write_text(text, "utf-8")
            yield folder


def _spread(places: Sequence[int], most: int) -> list[int]:
    if len(places) <= most:
        return list(places)
    return [places[(2 * index + 1) * len(places) // (2 * most)] for index in range(most)]
