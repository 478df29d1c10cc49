"""Results written to the requested outputs."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from cli.common.exits import give_up_output, tell, wants_color
from cli.common.letters import has_ascii_option, prints_letters
from cli.common.options import Output
from cli.common.streams import open_output
from validator.evidence.io.named_files import STDIO
from validator.reports.outputs import RENDERERS, Renderer
from validator.results.results import Results
from validator.text.diagnostics import Diagnostic, InputError, ResourceError
from validator.text.trees.tree import Tree

Sources = Mapping[str, Tree]
"""Documents that findings point into, by file name."""


def write_results(results: Results, outputs: Sequence[Output], *, sources: Sources, quiet: bool = False) -> None:
    """Write results to every output, and the verdict on standard error if none of them is standard output.

    A reader that closes standard output early does not change the verdict.

    Args:
        sources: documents whose lines text output quotes.
        quiet: write no verdict on standard error.

    Raises:
        InputError: if files cannot be written, after the others are.
    """
    failed: list[Diagnostic] = []
    for output in outputs:
        try:
            with open_output(output.path) as stream:
                _renderer(output, sources)(results, stream)
        except BrokenPipeError:
            give_up_output()
        except InputError as error:
            failed += error.diagnostics
        except ResourceError as error:
            failed.append(error.diagnostic)
    if failed:
        raise InputError(tuple(failed))
    if not quiet and all(output.path != STDIO for output in outputs):
        from validator.reports.wording import summary_line  # noqa: PLC0415 - most runs print the report

        tell(summary_line(results))


def _renderer(output: Output, sources: Sources) -> Renderer:
    """Return the function that writes an output; only text has source lines and terminal styles."""
    if output.format != "text":
        return RENDERERS[output.format]
    from validator.reports.text_report import write_text  # noqa: PLC0415 - other formats do not need it
    from validator.reports.text_style import COLOR, PLAIN  # noqa: PLC0415

    to_terminal = output.path == STDIO
    style = COLOR if to_terminal and wants_color(sys.stdout) else PLAIN
    if prints_letters() if to_terminal else has_ascii_option():
        style = replace(style, ascii=True)
    return partial(write_text, style=style, sources=sources)
