"""Sound traces in every format, to be damaged: made from those in data/."""

import csv
import gzip
import shutil
import tempfile
from pathlib import Path

import pyarrow as pa

from tests.damage.every_record import write_archive
from tests.damage.mutators import CSV, FOLDER, GRAPH, GZIP, OTF2, ZSTD
from tests.written_csv import write_csv
from tracemill.engine.analyze import Options, analyze_source
from tracemill.engine.recipe import Recipe
from tracemill.readers import open_source
from tracemill.schemas import csv_layout as layout
from tracemill.store.runs import Run, Store

EVERY_RECORD = Path(__file__).with_name("every_record.csv")
"""A trace with records of many kinds; as an archive, one like it."""
_NO_FILES_OF_THE_TRACE = shutil.ignore_patterns("*.csv", "*.txt", "*.stat", "*.cubex", "*.log")
_GRAPH_COLUMNS = ("Thread", "Group", "Depth", "Name", "Start Time", "End Time", "Duration")
_VISITS = """
SELECT
    locations.name,
    'MPI Rank ' || locations.rank,
    call_paths.depth,
    regions.name,
    printf('%.15f', visits.enter_ns / 1e9),
    if(visits.is_closed, printf('%.15f', visits.leave_ns / 1e9), 'inf'),
    if(visits.is_closed, printf('%.15f', (visits.leave_ns - visits.enter_ns) / 1e9), 'inf')
FROM visits
INNER JOIN call_paths USING (call_path_id)
INNER JOIN regions ON visits.region_id = regions.region_id
INNER JOIN locations ON visits.location_id = locations.location_id
ORDER BY visits.location_id, visits.leave_ns, visits.visit_id
"""


def format_of(trace: Path) -> str:
    """The format of a trace, by its name, or that of its first column."""
    found = next((each for each in (GZIP, ZSTD, CSV) if trace.name.endswith(f".{each}")), OTF2)
    is_graph = found == CSV and trace.read_text().startswith(_GRAPH_COLUMNS[0])
    return GRAPH if is_graph else found


def prepare(trace: Path, format: str, folder: Path) -> None:
    """Put a trace into a new folder, in another format if it has another one.

    An archive becomes CSV only if its events are also in a file trace.txt.
    """
    if format == OTF2:
        _copy_archive(trace, folder)
        return
    folder.mkdir()
    text = folder / "trace.csv"
    if format == format_of(trace):
        shutil.copyfile(trace, folder / f"trace{''.join(trace.suffixes)}")
        return
    if format == GRAPH:
        _write_call_graph(trace, text)
    elif trace.suffix == ".csv":
        shutil.copyfile(trace, text)
    else:
        write_csv(trace / "trace.txt", text)
    if format == FOLDER:
        _split(text)
    elif format in (GZIP, ZSTD):
        _compress(text, format)


def _copy_archive(trace: Path, folder: Path) -> None:
    if trace == EVERY_RECORD:
        write_archive(folder)
        return
    shutil.copytree(trace, folder, ignore=_NO_FILES_OF_THE_TRACE)
    for file in folder.rglob("*"):
        file.chmod(0o755)


def entry(folder: Path, format: str) -> Path:
    """What is named when the trace in a folder is analyzed."""
    files = list(folder.iterdir())
    return files[0] if format not in (OTF2, FOLDER) and len(files) == 1 else folder


class _Reading:
    """A run with the tables that are read, while it is needed."""

    def __init__(self, trace: Path) -> None:
        self._trace, self._folder = trace, tempfile.TemporaryDirectory()

    def __enter__(self) -> Run:
        store = Store(Path(self._folder.name) / "store")
        options, nothing_else = Options(threads=1), Recipe((), ())
        source = open_source(self._trace)
        return analyze_source(source, store=store, options=options, recipe=nothing_else).run

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()


def _write_call_graph(trace: Path, file: Path) -> None:
    with _Reading(trace) as run, run.connect() as connection, file.open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(_GRAPH_COLUMNS)
        writer.writerows(connection.sql(_VISITS).fetchall())


def _split(file: Path) -> None:
    """A file per process; definitions stay with their process."""
    header, *lines = file.read_text().splitlines(keepends=True)
    place = next(csv.reader([header])).index(layout.PROCESS)
    parts: dict[str, list[str]] = {}
    for line in lines:
        parts.setdefault(next(csv.reader([line]))[place], [header]).append(line)
    for process, part in parts.items():
        (file.parent / f"{process}.csv").write_text("".join(part))
    file.unlink()


def _compress(file: Path, format: str) -> None:
    target = file.with_name(f"trace.{format}")
    if format == GZIP:
        target.write_bytes(gzip.compress(file.read_bytes(), mtime=0))
    else:
        with pa.output_stream(str(target), compression="zstd") as out:
            out.write(file.read_bytes())
    file.unlink()
