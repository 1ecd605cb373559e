"""A tiny source and a recipe with tables of their own, to test store and engine without a trace."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from tracemill.engine.analyze import Analysis, Options, analyze_source, preview_source
from tracemill.engine.recipe import Recipe
from tracemill.schemas import Column, Table
from tracemill.schemas.table import BOOL, ENUM, INT32, INT64, STRING
from tracemill.sql.query_files import read_query
from tracemill.stages.stage import PythonStage
from tracemill.store.generation import GenerationWriter
from tracemill.store.manifest import SourceFile
from tracemill.store.runs import Store

LOCATION = Column(name="location_id", type=INT32, minimum=0, meaning="Its location.")
VISIT = Column(name="visit_id", type=INT64, minimum=0, meaning="Its number.")
DURATION = Column(name="duration_ns", type=INT64, unit="ns", minimum=0, meaning="Its length.")

PLACES = Table(
    name="places",
    meaning="Places of stays.",
    grain="one row per place",
    key=("location_id",),
    columns=(
        LOCATION,
        Column(name="name", type=STRING, meaning="Its name."),
        Column(name="kind", type=ENUM, values=("cpu", "gpu"), meaning="Its kind."),
    ),
)
STAYS = Table(
    name="stays",
    meaning="Stays at places.",
    grain="one row per stay",
    key=("visit_id",),
    is_partitioned=True,
    columns=(LOCATION, VISIT, DURATION, Column(name="is_closed", type=BOOL, meaning="It ended.")),
)
LONG_STAYS = Table(
    name="long_stays",
    meaning="Long stays.",
    grain="one row per long stay",
    key=("visit_id",),
    is_transient=True,
    columns=(LOCATION, VISIT, DURATION),
)
PLACE_TOTALS = Table(
    name="place_totals",
    meaning="Time of long stays by place.",
    grain="one row per place with long stays",
    key=("location_id",),
    columns=(LOCATION, DURATION),
)
RANKING = Table(
    name="ranking",
    meaning="Places by time.",
    grain="one row per place with long stays",
    key=("name",),
    columns=(Column(name="name", type=STRING, meaning="Its name."), DURATION),
)
STAY_COUNTS = Table(
    name="stay_counts",
    meaning="Number of stays.",
    grain="one row per place",
    key=("location_id",),
    columns=(
        LOCATION,
        Column(name="stay_count", type=INT64, minimum=0, meaning="Number of stays."),
    ),
)
DOUBLED = Table(
    name="doubled",
    meaning="Totals, doubled by Python.",
    grain="one row per place with long stays",
    key=("location_id",),
    columns=(LOCATION, DURATION),
)
TABLES = {
    table.name: table
    for table in (PLACES, STAYS, LONG_STAYS, PLACE_TOTALS, RANKING, STAY_COUNTS, DOUBLED)
}

QUERY_TEXTS = {
    "long_stays": """\
-- Long stays.
--
-- Grain:      one row per long stay
-- Inputs:     stays
-- Output:     long_stays
-- Parameters: $min_stay_ns  shorter stays are left out (BIGINT, default 20)
-- Source:     none
-- Assumes:    nothing
SELECT location_id, visit_id, duration_ns
FROM stays
WHERE duration_ns >= $min_stay_ns::BIGINT
ORDER BY visit_id
""",
    "place_totals": """\
-- Time of long stays by place.
--
-- Grain:      one row per place with long stays
-- Inputs:     long_stays
-- Output:     place_totals
-- Parameters: none
-- Source:     none
-- Assumes:    nothing
SELECT location_id, sum(duration_ns)::BIGINT AS duration_ns
FROM long_stays
GROUP BY location_id
ORDER BY location_id
""",
    "ranking": """\
-- Places by time.
--
-- Grain:      one row per place with long stays
-- Inputs:     place_totals, places
-- Output:     ranking
-- Parameters: none
-- Source:     none
-- Assumes:    nothing
SELECT places.name, place_totals.duration_ns
FROM place_totals
INNER JOIN places ON place_totals.location_id = places.location_id
ORDER BY place_totals.duration_ns DESC, places.name
""",
    "stay_counts": """\
-- Number of stays.
--
-- Grain:      one row per place
-- Inputs:     stays
-- Output:     stay_counts
-- Parameters: none
-- Source:     none
-- Assumes:    nothing
SELECT location_id, count(*) AS stay_count
FROM stays
GROUP BY location_id
ORDER BY location_id
""",
}


@dataclass(frozen=True)
class FakeIdentity:
    """Run id from the content's first word; digest of the content, counted when computed."""

    path: Path
    digests: list[str]

    @property
    def run_id(self) -> str:
        return "fake-" + json.loads(self.path.read_text())["id"]

    @property
    def files(self) -> Sequence[SourceFile]:
        status = self.path.stat()
        return (SourceFile(self.path.name, status.st_size, status.st_mtime_ns),)

    def digest(self, threads: int = 1) -> str:
        self.digests.append(hashlib.sha256(self.path.read_bytes()).hexdigest())
        return self.digests[-1]


@dataclass(frozen=True)
class FakeSource:
    """A JSON file {"id": …, "stays": {location: [duration, …]}}; one part per location."""

    path: Path
    digests: list[str] = field(default_factory=list)
    format: str = "fake"
    tables: tuple[Table, ...] = (PLACES, STAYS)
    code_modules: tuple[str, ...] = ("tracemill.base.errors",)

    @property
    def stays(self) -> dict[str, list[int]]:
        return json.loads(self.path.read_text())["stays"]

    @property
    def event_count(self) -> int:
        return sum(len(durations) for durations in self.stays.values())

    @property
    def record_count(self) -> int:
        """As many as it takes to run stages at once."""
        return 1_000_000

    def identity(self) -> FakeIdentity:
        return FakeIdentity(self.path, self.digests)

    def read(
        self,
        sink: GenerationWriter,
        *,
        run_id: str,
        threads: int,
        allow_damaged: bool,
        report: Callable[[int], None],
        merge_call_sites: bool = False,
        detail: str = "full",
    ) -> None:
        places = range(len(self.stays))
        sink.write(
            PLACES,
            pa.table(
                {
                    "location_id": pa.array(places, INT32),
                    "name": pa.array([f"{run_id} place {place}" for place in places], STRING),
                    "kind": pa.array(["gpu" if place % 2 else "cpu" for place in places], STRING),
                }
            ),
        )
        first = 0
        for place, durations in enumerate(self.stays.values()):
            part = sink.part(STAYS, place)
            part.write(stays(place, first, durations))
            part.close()
            report(len(durations))
            first += len(durations)


def stays(place: int, first: int, durations: Sequence[int]) -> pa.Table:
    """Stays of one place, numbered from `first`."""
    count = len(durations)
    return pa.table(
        {
            "location_id": pa.array([place] * count, INT32),
            "visit_id": pa.array(range(first, first + count), INT64),
            "duration_ns": pa.array(durations, INT64),
            "is_closed": pa.array([True] * count, BOOL),
        }
    )


def write_trace(
    folder: Path, *, identity: str = "one", stays: Sequence[Sequence[int]] = ((10, 20), (30, 5, 40))
) -> FakeSource:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "trace.json"
    by_place = {str(place): list(durations) for place, durations in enumerate(stays)}
    path.write_text(json.dumps({"id": identity, "stays": by_place}))
    return FakeSource(path)


def double(place_totals: "object", factor: int) -> pa.Table:
    """A Python stage: the totals times `factor`."""
    totals = place_totals.to_arrow_table()  # type: ignore[attr-defined]
    doubled = pa.compute.multiply(totals["duration_ns"], factor)
    return pa.table({"location_id": totals["location_id"], "duration_ns": doubled})


DOUBLE = PythonStage(
    name="double",
    inputs=("place_totals",),
    outputs=(DOUBLED,),
    compute=double,
    modules=("tests.helpers.fake_source",),
    parameters={"factor": 2},
)


def write_recipe(folder: Path, **changed: str) -> Recipe:
    """The queries of this module as files in `folder`, some with another text, as a recipe."""
    (folder / "stays").mkdir(parents=True, exist_ok=True)
    queries = []
    for name, text in (QUERY_TEXTS | changed).items():
        path = folder / "stays" / f"{name}.sql"
        path.write_text(text)
        queries.append(read_query(path))
    return Recipe(tuple(queries), (DOUBLE,), TABLES)


def contents(folder: Path) -> dict[str, bytes]:
    """Bytes of every file of a generation except its manifest."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }


class Case:
    """A trace, a recipe and a store in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = write_trace(folder / "first")
        self.recipe = write_recipe(folder / "queries")
        self.store = Store(folder / "store")

    def analyze(self, **options: object) -> Analysis:
        chosen = Options(**{"threads": 1} | options)  # type: ignore[arg-type]
        return analyze_source(self.source, store=self.store, options=chosen, recipe=self.recipe)

    def explain(self, **options: object) -> dict[str, str]:
        chosen = Options(**{"threads": 1} | options)  # type: ignore[arg-type]
        decisions = preview_source(
            self.source, store=self.store, options=chosen, recipe=self.recipe
        )
        return {each.table: each.reason for each in decisions if each.is_computed}

    @property
    def generations(self) -> list[Path]:
        return sorted(self.store.runs_path.glob("run=*/gen=*"))
