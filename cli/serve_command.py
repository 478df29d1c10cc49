"""`fairdeal serve`: a page in the browser."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from fairdeal.cli.common import process, shared_options
from fairdeal.cli.common.command_settings import complete_folders, open_rulebook

PORT = 8710
"""Default port."""
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?", re.ASCII)


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="Port; 0 for any.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--allowed-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="Name by which browsers reach the server, such as that of a reverse proxy; may be repeated.",
)
@click.option(
    "--home",
    default="fairdeal-desk",
    show_default=True,
    metavar="FOLDER",
    help="Folder for runs, drafts and notes.",
    shell_complete=complete_folders,
)
@click.option("--read-only", is_flag=True, help="Show what is there; permit no change.")
@click.option(
    "--max-upload", type=click.IntRange(1, 1 << 20), default=2048, show_default=True, help="Limit of an upload, in MiB."
)
@click.option("--open", "open_browser", is_flag=True, help="Open the page in the default browser.")
@shared_options.texts_option
@shared_options.rules_folder_option
def serve(
    port: int,
    host: str,
    allowed_hosts: tuple[str, ...],
    home: str,
    read_only: bool,
    max_upload: int,
    open_browser: bool,
    texts: str | None,
    rules: str | None,
) -> int:
    """Open a local page in the browser for audits, submissions and the rulebook.

    The server is for one user on this machine. It prints an address with a token; only browsers that opened it are
    let in. Ctrl+C ends it.
    """
    from fairdeal.cli.desk.desk_server import open_socket, serve_desk  # noqa: PLC0415 - an extra
    from fairdeal.cli.desk.desk_state import DeskSettings, lock_home  # noqa: PLC0415 - an extra

    for name in allowed_hosts:
        if _NAME.fullmatch(name.lower()) is None:
            raise click.UsageError(f"`{name}` is not the name of a host: write it without scheme and port")
    shared_options.quote_texts(texts, open_rulebook(rules))
    folder = Path(home).resolve()
    with lock_home(folder), open_socket(host, port) as listening:
        settings = DeskSettings(
            home=folder,
            host=host,
            port=listening.getsockname()[1],
            allowed_hosts=frozenset(name.lower() for name in allowed_hosts),
            is_read_only=read_only,
            rules=None if rules is None else str(Path(rules).resolve()),
            texts=None if texts is None else str(Path(texts).resolve()),
            max_upload=max_upload << 20,
        )

        def announce(address: str) -> None:
            process.print_line(f"The desk is open at {address}\nCtrl+C ends it.")
            sys.stdout.flush()
            if open_browser:
                click.launch(address)

        serve_desk(settings, listening, announce)
    return process.ExitCode.COMPLIANT
