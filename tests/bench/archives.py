"""Archives to measure with: generated once for each program and size, kept in build/bench."""

import json
import shutil
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.measuring import Cost, Trace, run
from tests.bench.places import ARCHIVE, CACHE, event_file_bytes
from tracemill.base.text import hash_of
from tracemill.engine.graph import code_hash, installed_version
from tracemill.programs.generate import generate
from tracemill.programs.language.process_kinds import Spec
from tracemill.programs.language.reading import read_program

PROGRAMS = {path.stem: path for path in sorted(Path(__file__).with_name("programs").glob("*.toml"))}
GENERATING_MODULES = (
    "tracemill.programs",
    "tracemill.kernels.compiled",
    "tracemill.kernels.simulation",
    "tracemill.kernels.records",
    "tracemill.readers.otf2.library",
    __name__,
)
"""Those that decide what a generated archive holds and what generating costs."""
_GENERATING_PACKAGES = ("numba", "numpy", "otf2")
_PROGRAM, _COST = "program.toml", "cost.json"


def provide_archive(
    program: Path, events: int, *, cache: Path = CACHE, is_new_wanted: bool = False
) -> Trace:
    """An archive of about so many events of a program, from the cache or generated now.

    What another version of the program or the generator made is never taken, but removed.
    Raises PipelineError or FailedJobError if it has to be generated and cannot be.
    """
    name, made_by = f"{program.stem}_{events}_events", _digest(program)
    folder = cache / f"{name}-{made_by}"
    if is_new_wanted or not folder.exists():
        for other in cache.glob(f"{name}*"):
            shutil.rmtree(other)
        _generate(program, events, folder)
    cost = Cost.load(json.loads((folder / _COST).read_text(encoding="utf-8")))
    path = folder / ARCHIVE
    return Trace(name, path, made_by=made_by, byte_count=event_file_bytes(path), generating=cost)


def iterations_for(spec: Spec, events: int) -> int:
    """How many iterations of a program give about so many events.

    All iterations have the same number of records; two small runs give that number.
    """
    few, more = (_count_records(replace(spec, iterations=count)) for count in (1, 2))
    return max(1, 1 + round((events - few) / (more - few)))


def _digest(program: Path) -> str:
    packages = [f"{name} {installed_version(name)}" for name in _GENERATING_PACKAGES]
    text = program.read_text(encoding="utf-8")
    return hash_of("\n".join([text, code_hash(GENERATING_MODULES), *packages]))


def _generate(program: Path, events: int, folder: Path) -> None:
    """Fill a folder that gets its name only when all is in it."""
    beside = folder.with_name(f".{folder.name}.tmp")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    iterations = iterations_for(read_program(program), events)
    described = f"iterations = {iterations}\n{program.read_text(encoding='utf-8')}"
    (beside / _PROGRAM).write_text(described, encoding="utf-8")
    cost = run("generate", beside / _PROGRAM, beside)
    (beside / _COST).write_text(json.dumps(asdict(cost)), encoding="utf-8")
    beside.rename(folder)


def _count_records(spec: Spec) -> int:
    with TemporaryDirectory() as folder:
        return generate(spec, Path(folder) / "archive").record_count
