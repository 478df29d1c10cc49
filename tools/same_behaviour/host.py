"""Runs commands of one program in forks of a process that has loaded it: what takes the time is the loading.

Started with the Python of the checkout that is compared, so it imports nothing of the project. Standard input is JSON:
`program`, `warm` (lists of arguments to run first, for what they load) and `cases` (`arguments`, `folder` to run in,
`record` for stdout, stderr and exit).
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn


def main() -> None:
    """Run what standard input says."""
    told = json.load(sys.stdin)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    leave, os._exit = os._exit, _go_on  # a program may end so, and must not end this
    for arguments in told["warm"]:
        _run(told["program"], arguments)
    os._exit = leave
    sys.stdout.flush()
    sys.stderr.flush()
    for case in told["cases"]:
        child = os.fork()
        if child == 0:
            _as_child(told["program"], case)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        (Path(case["record"]) / "exit").write_text(f"{status}\n", "utf-8")


def _go_on(status: int) -> NoReturn:
    raise SystemExit(status)


def _as_child(program: str, one: dict[str, Any]) -> None:
    status = 70
    try:
        record = Path(one["record"])
        for name, number in (("stdout", 1), ("stderr", 2)):
            opened = os.open(record / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(opened, number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(one["folder"])
        status = _run(program, one["arguments"])
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _run(program: str, arguments: list[str]) -> int:
    sys.argv = [program, *arguments]
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except Exception:  # as the interpreter would
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    main()
