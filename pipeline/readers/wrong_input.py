"""Input that is not a trace: what it is by its name or first bytes, and what to do instead."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

from tracemill.base.errors import DamagedTraceError, NotATraceError, PipelineError
from tracemill.readers.csv.files import looks_like_text

_RECORD = "record an OTF2 archive of the program (docs/guide/record.md)"
_CONVERT = "convert it to CSV with Pipit (docs/guide/inputs.md)"
_EXPORTED = "name the trace that it was exported from, or record one (docs/guide/record.md)"
NAME_ONE = "name an OTF2 archive (traces.otf2) or a trace in CSV"


@dataclass(frozen=True)
class _Format:
    """A format of other tools: patterns of the names of its files, or their first bytes."""

    names: str
    meaning: str
    advice: str
    start: bytes = b""

    def fits(self, name: str) -> bool:
        return any(fnmatchcase(name.lower(), pattern) for pattern in self.names.split())

    def refusal(self, path: Path) -> NotATraceError:
        return NotATraceError(f"{path}: {self.meaning}; {self.advice}")


_FORMATS = (
    _Format(
        "experiment.xml experiment.mt meta.db trace.db profile.db cct.db",
        "an HPCToolkit database", _CONVERT,
    ),
    _Format(
        "*.hpcrun *.hpctrace", "HPCToolkit measurements", f"run hpcprof-mpi, then {_CONVERT}",
    ),
    _Format("*.sts *.[0-9]*.log *.[0-9]*.log.gz", "a Projections trace of Charm++", _CONVERT),
    _Format("*.nsys-rep *.qdrep *.qdstrm", "a report of Nsight Systems", _RECORD),
    _Format("*.ncu-rep", "a report of Nsight Compute", _RECORD),
    _Format(
        "*.sqlite *.sqlite3", "an SQLite database, for instance of Nsight Systems", _RECORD,
        b"SQLite format 3\0",
    ),
    _Format("*.prv *.prv.gz *.pcf *.row", "a Paraver trace", _RECORD),
    _Format(
        "*.cubex *.cube *.cube.gz", "a profile in Cube format",
        f"name the traces.otf2 of the same run, or {_RECORD}",
    ),
    _Format(
        "profile.[0-9]*.[0-9]*.[0-9]*", "a TAU profile", "record a trace with "
        "TAU_TRACE=1 TAU_TRACE_FORMAT=otf2",
    ),
    _Format("*.trc *.edf", "a TAU trace", "convert it to OTF2 with tau2otf2"),
    _Format("*.cali", "Caliper data", _RECORD),
    _Format("*.otf *.events.z *.slog2 *.clog2", "a trace in an older format", _RECORD),
    _Format("*.pftrace *.perfetto-trace", "a Perfetto trace", _EXPORTED),
    _Format("*.json *.json.gz", "a JSON file, for instance a Chrome trace", _EXPORTED),
    _Format(
        "*.tar *.tar.* *.tgz *.zip", "a packed folder", "unpack it and name the trace in it",
        b"PK\x03\x04",
    ),
    _Format("", "a program or a core dump", _RECORD, b"\x7fELF"),
)  # fmt: skip
ANCHOR = ".otf2"
_PARTS = (".def", ".evt", ".marker", ".snap", ".thumb")
_EVENTS = ".evt"
_RUNS, _RUN = "runs", "run="
_JSON = "*.json"
_MOST_NAMED, _MOST_COUNTED, _MOST_SEARCHED = 3, 1_000, 10_000
_LONGEST_START = max(len(each.start) for each in _FORMATS)


def explain_refusal(path: Path, refusal: NotATraceError) -> PipelineError:
    """The error for a path that no reader accepts: the refusal, or one that says more."""
    if path.is_dir():
        if len(list(path.glob(f"*{ANCHOR}"))) == 1:
            return refusal
        return _several_archives(path) or recognize(path) or refusal
    return recognize(path) or _recognize_start(path) or refusal


def recognize(path: Path, *, is_json_accepted: bool = False) -> PipelineError | None:
    """The error that says which other data a path holds, by names alone; None if unknown.

    Call it when nothing else fits: a trace in CSV may have any name.
    """
    if not path.is_dir() and not path.is_file():
        return NotATraceError(f"{path}: neither a file nor a folder; {NAME_ONE}")
    if found := _stored(path) or _part_of_archive(path):
        return found
    names = [path.name] if path.is_file() else _names_in(path)
    for each in _FORMATS:
        if any(map(each.fits, names)) and not (is_json_accepted and _JSON in each.names):
            return each.refusal(path)
    return None


def _recognize_start(path: Path) -> NotATraceError | None:
    with path.open("rb") as file:
        start = file.read(_LONGEST_START)
    found = (each for each in _FORMATS if each.start and start.startswith(each.start))
    return next((each.refusal(path) for each in found), None)


def _names_in(folder: Path) -> list[str]:
    """The files of a folder, unless some of them are those of a trace in CSV or Parquet."""
    if looks_like_text(folder):
        return []
    return sorted(each.name for each in folder.iterdir() if each.is_file())


def _several_archives(path: Path) -> NotATraceError | None:
    """The error for a folder with archives directly in it or below; None if there is none."""
    anchors = list(islice(_anchors_below(path), _MOST_COUNTED))
    if not anchors:
        return None
    if len(anchors) == 1:
        return NotATraceError(f"{path}: a folder above one archive; name {anchors[0]}")
    count = f"{len(anchors):,}{' or more' * (len(anchors) == _MOST_COUNTED)}"
    names = ", ".join(str(each.relative_to(path)) for each in anchors[:_MOST_NAMED])
    more = ", …" * (len(anchors) > _MOST_NAMED)
    return NotATraceError(
        f"{path}: a folder with {count} archives ({names}{more}); name one of them, or analyze all "
        "with tracemill campaign or tracemill nightly"
    )


def _anchors_below(path: Path) -> Iterator[Path]:
    """The anchor files in the first folders at and below a path, in order."""
    for folder, below, files in islice(os.walk(path), _MOST_SEARCHED):
        below.sort()
        yield from (Path(folder, name) for name in sorted(files) if name.endswith(ANCHOR))


def _stored(path: Path) -> NotATraceError | None:
    """The error for a store, or for something in one."""
    absolute = Path(os.path.normpath(path.absolute()))
    for folder in (path, *path.parents, absolute, *absolute.parents):
        if folder.name.startswith(_RUN) and folder.parent.name == _RUNS:
            run, store = folder.name.removeprefix(_RUN), folder.parent.parent
            return NotATraceError(
                f"{path}: results of the analyzed run {run}; print them with tracemill report "
                f"{run} --store {store}"
            )
    for folder in (path / _RUNS, path):
        if folder.name == _RUNS and any(folder.glob(f"{_RUN}*")):
            return NotATraceError(
                f"{path}: a store of analyzed runs; list them with tracemill runs --store "
                f"{folder.parent}"
            )
    return None


def _part_of_archive(path: Path) -> PipelineError | None:
    """The error for a file or folder of an archive besides its anchor file."""
    anchors = list(_possible_anchors(path))
    if not anchors:
        return None
    if there := [each for each in anchors if each.is_file()]:
        return NotATraceError(f"{path}: a part of an OTF2 archive; name its anchor {there[0]}")
    return DamagedTraceError(
        f"{path}: an OTF2 archive without its anchor file {anchors[0]}; copy the archive again"
    )


def _possible_anchors(path: Path) -> Iterator[Path]:
    """The anchor files that a part of an archive may belong to, the likeliest first."""
    if path.is_dir():
        names = {each.name for each in path.iterdir()}
        if any(name.endswith(_EVENTS) for name in names):
            yield _beside(path)
        yield from (path / f"{name}{ANCHOR}" for name in sorted(names) if name + ".def" in names)
    elif path.suffix in _PARTS:
        anchors = [path.with_suffix(ANCHOR), _beside(path.parent)]
        yield from reversed(anchors) if path.stem.isdigit() else anchors


def _beside(folder: Path) -> Path:
    """The anchor file of the archive whose events a folder holds."""
    if folder.name:
        return folder.with_name(f"{folder.name}{ANCHOR}")
    return Path("..", f"{folder.absolute().name}{ANCHOR}")
