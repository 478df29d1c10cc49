"""Call servers of Dask as a client that has not the key of their cluster, and print the addresses that answer.

Arguments: addresses such as tcp://127.0.0.1:8786.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable

from distributed.comm.core import connect
from distributed.core import rpc
from distributed.security import Security


async def call(address: str, security: Security) -> str | None:
    """Return the address if its server answers a call."""
    arguments = security.get_connection_args("client")
    try:
        comm = await asyncio.wait_for(connect(address, timeout=1.5, **arguments), 2)
        comm.abort()
        async with rpc(address, connection_args=arguments) as server:
            await asyncio.wait_for(server.identity(), 2)
    except Exception:
        return None
    return address


async def call_all(addresses: Iterable[str]) -> list[str | None]:
    """Call all addresses at once: by TCP without a key, by TLS with a key of this client's own."""
    keys = {"tcp": Security(), "tls": Security.temporary()}
    return await asyncio.gather(*(call(address, keys[address.partition(":")[0]]) for address in addresses))


if __name__ == "__main__":
    print(*filter(None, asyncio.run(call_all(sys.argv[1:]))), sep="\n", end="")
