"""Sockets on which a program and its processes listen, read from /proc."""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_LISTENS = "0A"
"""The state of a listening socket in /proc/net/tcp."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def find_listening(pid: int) -> set[tuple[Address, int]]:
    """Return the addresses and ports on which a process and its descendants listen."""
    inodes = {inode for process in _processes(pid) for inode in _find_sockets(process)}
    return {place for inode, place in _read_listening() if inode in inodes}


def is_loopback(address: Address) -> bool:
    """Return whether only this machine reaches an address."""
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def _processes(pid: int) -> Iterator[int]:
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in children.read_text().split():
                yield from _processes(int(child))


def _find_sockets(pid: int) -> Iterator[str]:
    with suppress(OSError):
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                name = str(descriptor.readlink())
                if name.startswith("socket:["):
                    yield name.removeprefix("socket:[").removesuffix("]")


def _read_listening() -> Iterator[tuple[str, tuple[Address, int]]]:
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == _LISTENS:
                address, _, port = fields[1].partition(":")
                yield fields[9], (_parse(address), int(port, 16))


def _parse(address: str) -> Address:
    # The kernel prints every four bytes as a number of the machine.
    parts = [int(address[start : start + 8], 16) for start in range(0, len(address), 8)]
    return ipaddress.ip_address(struct.pack(f"={len(parts)}I", *parts))
