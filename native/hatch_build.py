"""Builds the wheel of `fairdeal-fast`: one C file, compiled by Zig, which is a Python package itself."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path(__file__).with_name("src") / "scan.c"
FLAGS = ("-std=c17", "-O3", "-s", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC")
_OLDEST = (2, 17)
"""The oldest version of the GNU C library that the library is to be loaded with."""


def compiled(library: Path, *options: str) -> None:
    """Compile the scanner into a shared library. Raises CalledProcessError where that cannot be done."""
    command = [sys.executable, "-m", "ziglang", "cc", *_target(), *FLAGS, *options, "-o", str(library), str(SOURCE)]
    with tempfile.TemporaryDirectory() as cache:
        environment = {"ZIG_GLOBAL_CACHE_DIR": cache, "ZIG_LOCAL_CACHE_DIR": cache, **os.environ}
        subprocess.run(command, check=True, env=environment)


def _target() -> tuple[str, ...]:
    if not _on_gnu():
        return ()
    return ("-target", f"{platform.machine()}-linux-gnu.{_OLDEST[0]}.{_OLDEST[1]}")


def _tag() -> str:
    """Any Python 3, as none of its functions is called; this platform."""
    where = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if _on_gnu():
        where = f"manylinux_{_OLDEST[0]}_{_OLDEST[1]}_{platform.machine()}"
    return f"py3-none-{where}"


def _on_gnu() -> bool:
    return sys.platform == "linux" and platform.libc_ver()[0] == "glibc"


class ScannerBuildHook(BuildHookInterface):
    """Puts the library into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile it."""
        if self.target_name != "wheel" or version == "editable":
            return
        folder = Path(self.directory)
        folder.mkdir(parents=True, exist_ok=True)
        library = folder / "scan.so"
        compiled(library)
        build_data["pure_python"] = False
        build_data["tag"] = _tag()
        build_data["force_include"][str(library)] = "fairdeal_fast/scan.so"
