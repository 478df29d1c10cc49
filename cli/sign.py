"""`fairdeal sign`: saved results signed."""

from __future__ import annotations

import os

import click

from cli.common.completion import files
from cli.common.exits import ExitCode
from cli.common.streams import keep_apart, open_output
from validator.reports.json_report import MAX_BYTES, results_in
from validator.reports.signature import available, sign
from validator.text.source import read_source

PASSWORD = "FAIRDEAL_KEY_PASSWORD"
"""The environment variable that holds the password of a private key."""

NOT_INSTALLED = "this needs the extra `sign`: pip install 'fairdeal[sign]'"


@click.command("sign")
@click.argument("results", metavar="RESULTS.json", shell_complete=files)
@click.option("--key", required=True, metavar="KEY.pem", shell_complete=files, help="The private key, in PEM.")
@click.option("-o", "--output", required=True, metavar="FILE", help="Where the signature goes.", shell_complete=files)
def sign_results(results: str, key: str, output: str) -> ExitCode:
    """Sign saved results: a DSSE envelope around an in-toto statement that names them by hash.

    A key that is encrypted needs its password in FAIRDEAL_KEY_PASSWORD.
    """
    if not available():
        raise click.UsageError(NOT_INSTALLED)
    keep_apart([output], [results, key], rules=None)
    source = read_source(results, limit=MAX_BYTES)
    password = os.environ.get(PASSWORD)
    envelope = sign(results_in(source), source, key, password.encode() if password else None)
    with open_output(output) as stream:
        stream.write(envelope)
    return ExitCode.COMPLIANT
