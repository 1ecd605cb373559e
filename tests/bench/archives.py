"""Archives to measure with: generated once for each program and size, kept in build/bench."""

import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pipeline.generator.generate import generate
from pipeline.generator.spec import Spec, read_spec

ROOT = Path(__file__).parents[2]
CACHE = ROOT / "build" / "bench"
PROGRAMS = Path(__file__).with_name("programs")
PROGRAM_NAMES = tuple(sorted(path.stem for path in PROGRAMS.glob("*.toml")))


def provide_archive(program: str, events: int) -> Path:
    """An archive of about so many events of one of the programs, from the cache or generated now.

    Raises PipelineError if it has to be generated and cannot be.
    """
    folder = CACHE / f"{program}_{events}_events"
    if not folder.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        beside = folder.with_name(f".{folder.name}.tmp")
        shutil.rmtree(beside, ignore_errors=True)
        generate(of_size(read_spec(PROGRAMS / f"{program}.toml"), events), beside)
        beside.rename(folder)
    return folder


def of_size(spec: Spec, events: int) -> Spec:
    """The program with as many iterations as give about so many events.

    Each iteration has the same number of records, which two small runs tell.
    """
    few, more = (_count_records(replace(spec, iterations=count)) for count in (1, 2))
    return replace(spec, iterations=max(1, 1 + round((events - few) / (more - few))))


def _count_records(spec: Spec) -> int:
    with TemporaryDirectory() as folder:
        return generate(spec, Path(folder) / "archive").record_count


def event_file_bytes(trace: Path) -> int:
    """Size of an archive's event files."""
    folder = trace if trace.is_dir() else trace.parent
    return sum(file.stat().st_size for file in folder.rglob("*.evt"))
