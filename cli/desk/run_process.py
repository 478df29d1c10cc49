"""Process of a run: a command line that ends with the server that started it.

The server runs the same program as a user would, in the folder with the uploaded files. So the results are those of
the command line, byte for byte, and a run that fails or is canceled leaves the server alone.
"""

from __future__ import annotations

import ctypes
import os
import runpy
import signal
import sys

_PARENT_DEATH_SIGNAL = 1
"""Option of `prctl` that sends a signal when the parent ends (prctl.h of Linux)."""


def end_with_parent(parent: int) -> None:
    """Make the system stop this process when its parent ends; exit if it already has.

    Args:
        parent: process id of the server.
    """
    try:
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM)
    except (AttributeError, OSError, TypeError):
        return  # another system: such a run ends by itself
    if os.getppid() != parent:
        sys.exit(128 + signal.SIGTERM)


def main() -> None:
    """Run the command line in the arguments after the process id of the server."""
    end_with_parent(int(sys.argv[1]))
    sys.argv[1:] = sys.argv[2:]
    runpy.run_module("fairdeal", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
