"""Pages of audits: files to evaluate, the history of runs, progress, reports, exports, comparisons and verification."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any, BinaryIO

from msgspec.structs import replace
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route

from fairdeal.cli.desk import desk_state
from fairdeal.cli.desk.desk_pages import find_run, get_desk, list_files, redirect, render
from fairdeal.cli.desk.desk_state import MAX_FILES, Desk
from fairdeal.cli.desk.desk_store import Run, StoredFile, UploadKind, choose_file_name, may_be_evidence, store_files
from fairdeal.cli.desk.finding_pages import list_requirement_groups, read_meta, select_findings
from fairdeal.validator.reports.json_report import read_json
from fairdeal.validator.reports.renderers import BINARY_OUTPUTS, NEEDED_MODULES, RENDERERS
from fairdeal.validator.reports.text_report import write_comparison
from fairdeal.validator.results.derived_results import compare_runs, compare_with_baseline
from fairdeal.validator.results.results import Results
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.source import read_source

LEFT_OUT = "left-out.txt"
"""Names of the files of an uploaded folder that are no evidence."""
MAX_FIELDS = 60
"""Limit of the fields of an upload that are no files."""
MAX_TEXT = 200
"""Limit of the characters of a short field."""
OPTIONS = {
    "as-of": "--as-of",
    "currency": "--currency",
    "timezone": "--timezone",
    "day-starts": "--day-starts",
}
"""Fields of the form that are options of the command line."""
ENDINGS = {
    "text": "txt",
    "concise": "txt",
    "github": "txt",
    "markdown": "md",
    "junit": "xml",
    "gitlab": "json",
}
"""Endings of exported files by format, where they differ."""

_PIECE = 1 << 18
_HEAD = 4096
_META_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
_SANDBOX = "frame-ancestors 'none'; sandbox allow-scripts allow-modals allow-downloads"
"""Restrictions of a report: it is a document of its own, which cannot act on this server."""


def show_audits(request: Request) -> Response:
    """Show the form for files, and the history of runs."""
    desk = get_desk(request)
    runs = desk.store.list_runs()
    finished = [run for run in runs if run.verdict is not None]
    return render(request, "audits.html.j2", runs=runs, finished=finished, limit=desk.settings.max_upload)


async def start_run(request: Request) -> Response:
    """Store uploaded files and queue their evaluation."""
    async with request.form(max_files=MAX_FILES, max_fields=MAX_FIELDS, max_part_size=_PIECE) as form:
        return redirect(await run_in_threadpool(_store_run, get_desk(request), form))


def _store_run(desk: Desk, form: FormData) -> str:
    """Store and queue a run, and return the address of its page, or of the first table that needs its columns."""
    chosen, in_folder = (
        [file for file in form.getlist(name) if isinstance(file, UploadFile)] for name in ("files", "folder")
    )
    uploaded = [*chosen, *filter(may_be_evidence, in_folder)]
    left_out = [file.filename or "" for file in in_folder if file not in uploaded]
    number = desk.store.add_run()
    folder = desk.settings.find_run_folder(number) / desk_state.EVIDENCE
    try:
        files = store_files(uploaded, folder, max_unpacked=desk.settings.max_unpacked)
        if any(left_out):
            (folder.parent / LEFT_OUT).write_text("\n".join(filter(None, left_out)), "utf-8")
        baseline = str(form.get("baseline", ""))
        if baseline.isdecimal() and baseline.isascii():
            files.append(_copy_baseline(desk, int(baseline[:18]), folder, files))
        options = list_options(desk, form)
        logs, imports = desk_state.build_imports(files, options)
        _require_evidence([*files, *logs])
        tables = [at for at, command in enumerate(imports, 1) if desk_state.find_map(command) is not None]
        title = str(form.get("title", "")).strip()[:MAX_TEXT] or _make_title(files)
        desk.store.set_command(
            number, title, desk_state.build_command([*files, *logs], options), imports, waits=bool(tables)
        )
    except BaseException:
        desk.store.remove_run(number)
        desk_state.remove_run_files(desk.settings, number)
        raise
    if tables:
        return f"/runs/{number}/tables/{tables[0]}"
    desk.queue.add(number)
    return f"/runs/{number}"


def list_options(desk: Desk, form: FormData) -> list[str]:
    """Return the options of a command line that a form and the settings state."""
    values = {option: str(form.get(field, "")).strip()[:MAX_TEXT] for field, option in OPTIONS.items()}
    options = [f"{option}={value}" for option, value in values.items() if value]
    if form.get("statistics") and form.get("statistics") != "no":
        options.append("--statistics")
    if desk.settings.rules is not None:
        options.append(f"--rules={desk.settings.rules}")
    if desk.settings.texts is not None:
        options.append(f"--texts={desk.settings.texts}")
    return options


def _copy_baseline(desk: Desk, run: int, folder: Path, files: list[StoredFile]) -> StoredFile:
    """Copy the results of an earlier run next to uploaded files. Raises InputError if there are none."""
    source = desk.settings.find_run_folder(run) / desk_state.RESULTS
    name = choose_file_name(f"results of run {run}.json", (file.name for file in files))
    try:
        shutil.copyfile(source, folder / name)
    except OSError as error:
        message = f"run {run} has no results to compare with"
        raise InputError((Diagnostic(code="no-baseline", message=message),)) from error
    return StoredFile(name=name, kind=UploadKind.RESULTS, size=source.stat().st_size)


def _require_evidence(files: list[StoredFile]) -> None:
    """Raise InputError for uploads with nothing to evaluate, or several baselines."""
    wrong: list[Diagnostic] = []
    kinds = {file.kind for file in files}
    if not kinds & {UploadKind.LOG, UploadKind.SUBMISSION}:
        message = "there is no hand log and no submission among these files"
        wrong = [Diagnostic(code="nothing-to-evaluate", message=message, help="add one of them")]
    if sum(file.kind is UploadKind.RESULTS for file in files) > 1:
        message = "there are several files of earlier results"
        wrong.append(Diagnostic(code="baselines", message=message, help="a run is compared with one of them"))
    if wrong:
        raise InputError(tuple(wrong))


_NAMED = (UploadKind.LOG, UploadKind.TABLE, UploadKind.HISTORY, UploadKind.SUBMISSION)
"""Files that give a run its title."""


def _make_title(files: list[StoredFile]) -> str:
    """Return a title for a run without one: its first files."""
    names = [file.name for file in files if file.kind in _NAMED]
    return f"{', '.join(names[:2])}{f' and {len(names) - 2} more' if len(names) > 2 else ''}"[:MAX_TEXT]


def show_run(request: Request) -> Response:
    """Show a run: its progress, or its verdict and findings."""
    desk, run = get_desk(request), find_run(request)
    folder = desk.settings.find_run_folder(run.run)
    values: dict[str, Any] = {
        "run": run,
        "files": list_files(folder / desk_state.EVIDENCE),
        "left_out": read_left_out(folder),
        "is_over": run.state.is_over,
    }
    if run.verdict is None:
        return render(request, "run.html.j2", **values, **describe_progress(desk, run))
    chosen = select_findings(folder / desk_state.DATABASE, desk.settings.database, request.query_params)
    others = [other for other in desk.store.list_runs() if other.verdict is not None and other.run != run.run]
    return render(
        request,
        "results.html.j2",
        **values,
        meta=read_meta(folder / desk_state.DATABASE),
        groups=list_requirement_groups(folder / desk_state.DATABASE),
        listed=chosen,
        others=others,
        formats=list_formats(),
    )


def read_left_out(folder: Path) -> list[str]:
    """Return the names of the files of an uploaded folder that are no evidence."""
    path = folder / LEFT_OUT
    return path.read_text("utf-8").split("\n") if path.is_file() else []


def describe_progress(desk: Desk, run: Run) -> dict[str, Any]:
    """Return what a page shows of a run that is not over."""
    share = desk.queue.measure_progress(run.run)
    return {"share": None if share is None else round(100 * share), "position": desk.queue.find_position(run.run)}


def show_progress(request: Request) -> Response:
    """Answer with the part of a page that shows the progress of a run; 204 once the run is over."""
    desk, run = get_desk(request), find_run(request)
    if run.state.is_over:
        return Response(status_code=204)
    return render(request, "progress.html.j2", run=run, **describe_progress(desk, run))


def cancel_run(request: Request) -> Response:
    """Cancel a run and lead back to its page."""
    run = find_run(request)
    get_desk(request).queue.cancel(run.run)
    get_desk(request).queue.wait(run.run, 2.0)
    return redirect(f"/runs/{run.run}")


def remove_run(request: Request) -> Response:
    """Remove a run with its files; notes on its findings stay."""
    desk, run = get_desk(request), find_run(request)
    if not run.state.is_over:
        raise HTTPException(409, "cancel the run first")
    desk.store.remove_run(run.run)
    desk_state.remove_run_files(desk.settings, run.run)
    return redirect("/")


def send_report(request: Request) -> Response:
    """Answer with the report of a run, byte for byte as the command wrote it."""
    path = _find_output(request, desk_state.REPORT)
    with path.open("rb") as stream:
        head = stream.read(_HEAD).decode("utf-8", "replace")
    return FileResponse(path, media_type="text/html", headers={"content-security-policy": _build_policy(head)})


def _build_policy(head: str) -> str:
    """Return the policy of a page that the command line writes: its own, in a sandbox."""
    match = _META_POLICY.search(head)
    return f"{match[1] if match else 'default-src none'}; {_SANDBOX}"


def _find_output(request: Request, name: str) -> Path:
    path = get_desk(request).settings.find_run_folder(find_run(request).run) / name
    if not path.is_file():
        raise HTTPException(404, "this run has no results")
    return path


def list_formats() -> list[str]:
    """Return the formats that this installation can write."""
    modules = {form: NEEDED_MODULES.get(form) for form in RENDERERS}
    return [form for form, module in modules.items() if module is None or find_spec(module) is not None]


def send_export(request: Request) -> Response:
    """Answer with the results in a format, as `fairdeal report` writes them."""
    form = request.path_params["form"]
    if form not in list_formats():
        raise HTTPException(404, "this installation does not write this format")
    path = _find_output(request, desk_state.RESULTS)
    stream = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it
    try:
        RENDERERS[form](load_results(get_desk(request), path), stream)
        size = stream.tell()
        stream.seek(0)
        head = stream.read(_HEAD).decode("utf-8", "replace")
        stream.seek(0)
    except BaseException:
        stream.close()
        raise
    run = request.path_params["run"]
    headers = {"content-length": str(size)}
    if form == "letter":
        headers["content-security-policy"] = _build_policy(head)
        return StreamingResponse(_read_pieces(stream), media_type="text/html", headers=headers)
    kind = "application/octet-stream" if form in BINARY_OUTPUTS else "text/plain; charset=utf-8"
    headers["content-disposition"] = f'attachment; filename="fairdeal-run-{run}.{ENDINGS.get(form, form)}"'
    return StreamingResponse(_read_pieces(stream), media_type=kind, headers=headers)


def load_results(desk: Desk, path: Path) -> Results:
    """Return saved results, with the words of clauses if the desk has them. Raises InputError."""
    return replace(read_json(str(path)), texts=desk.quoted_texts)


def _read_pieces(stream: BinaryIO) -> Iterator[bytes]:
    with stream:
        while piece := stream.read(_PIECE):
            yield piece


def show_comparison(request: Request) -> Response:
    """Compare a run with an earlier one, as `fairdeal compare` does."""
    desk, run = get_desk(request), find_run(request)
    other = request.query_params.get("with", "")
    if not (other.isdecimal() and other.isascii()):
        raise HTTPException(400, "choose the run to compare with")
    paths = [desk.settings.find_run_folder(number) / desk_state.RESULTS for number in (int(other[:18]), run.run)]
    if not all(path.is_file() for path in paths):
        raise HTTPException(404, "one of these runs has no results")
    before, now = (read_json(str(path)) for path in paths)
    digest = read_source(str(paths[0]), limit=1 << 31).sha256
    marked = compare_with_baseline(now, before, file=paths[0].name, sha256=digest)
    text = StringIO()
    write_comparison(before, marked, compare_runs(before, marked), text)
    return render(request, "comparison.html.j2", run=run, other=int(other[:18]), lines=text.getvalue())


def verify_run(request: Request) -> Response:
    """Queue the verification of a run: whether its files give the same results again."""
    desk, run = get_desk(request), find_run(request)
    source = _find_output(request, desk_state.RESULTS)
    number = desk.store.add_run()
    folder = desk.settings.find_run_folder(number) / desk_state.EVIDENCE
    try:
        folder.mkdir(parents=True)
        names = [name for name, _ in list_files(source.parent / desk_state.EVIDENCE)]
        results = choose_file_name("results.json", names)
        for name, path in [*((name, source.parent / desk_state.EVIDENCE / name) for name in names), (results, source)]:
            _link(path, folder / name)
        rules = [] if desk.settings.rules is None else [f"--rules={desk.settings.rules}"]
        command = ["verify", "--no-config", *rules, "--", results, *names]
        desk.store.set_command(number, f"Verification of run {run.run}", command)
    except BaseException:
        desk.store.remove_run(number)
        desk_state.remove_run_files(desk.settings, number)
        raise
    desk.queue.add(number)
    return redirect(f"/runs/{number}")


def _link(path: Path, target: Path) -> None:
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)


ROUTES = (
    Route("/", show_audits),
    Route("/audits", start_run, methods=["POST"]),
    Route("/runs/{run:int}", show_run),
    Route("/runs/{run:int}/progress", show_progress),
    Route("/runs/{run:int}/cancel", cancel_run, methods=["POST"]),
    Route("/runs/{run:int}/remove", remove_run, methods=["POST"]),
    Route("/runs/{run:int}/verify", verify_run, methods=["POST"]),
    Route("/runs/{run:int}/report", send_report),
    Route("/runs/{run:int}/export/{form}", send_export),
    Route("/runs/{run:int}/compare", show_comparison),
)
"""Routes of these pages."""
