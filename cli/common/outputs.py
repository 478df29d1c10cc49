"""Results written to the outputs that were asked for."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial

from cli.common.exits import give_up_output, tell, wants_color
from cli.common.options import Output
from cli.common.streams import open_output
from validator.evidence.io.named_files import STDIO
from validator.reports.outputs import RENDERERS, Renderer
from validator.results.results import Results
from validator.text.diagnostics import Diagnostic, InputError, ResourceError
from validator.text.trees.tree import Tree

Sources = Mapping[str, Tree]
"""Files that findings may point into, by name."""


def write_results(results: Results, outputs: Sequence[Output], *, sources: Sources, quiet: bool = False) -> None:
    """Write results to every output, in text with the lines of `sources` they point into; where none of them is
    standard output and the run is not to be quiet, tell the verdict on standard error.

    A reader of standard output who goes away before the end does not change the verdict. Raises InputError
    where a file cannot be written, once the others are.
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
        from validator.reports.wording import summary_line  # noqa: PLC0415 - most runs print the report itself

        tell(summary_line(results))


def _renderer(output: Output, sources: Sources) -> Renderer:
    """What writes an output; text alone knows of source lines and of terminals."""
    if output.format != "text":
        return RENDERERS[output.format]
    from validator.reports.text_report import write_text  # noqa: PLC0415 - other formats do without
    from validator.reports.text_style import COLOR, PLAIN  # noqa: PLC0415

    style = COLOR if output.path == STDIO and wants_color(sys.stdout) else PLAIN
    return partial(write_text, style=style, sources=sources)
