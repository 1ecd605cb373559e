"""Origin of a run's tables: source, versions, options and times of stages."""

from collections.abc import Iterator

from tracemill.base.names import make_visible
from tracemill.base.text import describe_moment, hash_of
from tracemill.reports.material import Material, filled
from tracemill.reports.model import Column, Fact, Section, Table
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.units import Unit, format_time
from tracemill.reports.wording import Row, count_of
from tracemill.store.manifest import Manifest

PLACE = 120
RECORDS = TableSpec(query="record_types", title="Records by type")
STAGE_LIMIT = 12


def build(material: Material) -> Section:
    """The source of the trace, and the versions, options and time of the analysis."""
    manifest = material.manifest
    trace = next(iter(material.rows("trace_facts")), {})
    versions = ", ".join(f"{name} {version}" for name, version in manifest.versions.items())
    return Section(
        key="how-it-was-made",
        title="How it was made",
        facts=(
            Fact("source files", len(manifest.source.files), Unit.COUNT),
            Fact("source size", sum(file.size for file in manifest.source.files), Unit.SIZE),
            Fact("tables", len(manifest.stored), Unit.COUNT),
            Fact("size of tables", manifest.byte_count, Unit.SIZE),
        ),
        sentences=_sentences(trace, manifest, versions),
        tables=(*filled(material.table(RECORDS)), *_tables(manifest)),
        sources=(read_source("trace_facts"), read_source(RECORDS.query)),
    )


def _sentences(trace: Row, manifest: Manifest, versions: str) -> tuple[str, ...]:
    creator, machine = trace.get("creator"), trace.get("machine_name")
    written = f" by {creator}" if creator else ""
    ran = f" on {machine}" if machine else ""
    damaged = (
        " Damaged parts were left out (--allow-damaged)." if manifest.is_damaged_allowed else ""
    )
    options = ", ".join(_options(manifest))
    return (
        f"The {manifest.source.format.upper()} trace was written{written}{ran}; it was analyzed "
        f"on {describe_moment(manifest.created_at)} from {manifest.source.path}.{damaged}",
        f"Versions: {versions}." if versions else "The versions were not recorded.",
        *((f"Options: {options}.",) if options else ()),
        f"All stages took {format_time(sum(manifest.stage_seconds.values()) * 1e9)}, summed.",
    )


def _options(manifest: Manifest) -> Iterator[str]:
    """The options of the analysis; a file by its name and hash instead of its text."""
    given = dict(manifest.options)
    parameters, files = given.pop("parameters", {}), given.pop("files", {})
    for name, value in given.items():
        if value:
            shown = make_visible(", ".join(value)) if isinstance(value, list) else value
            yield f"{name.replace('_', ' ')} {shown}"
    for name, value in parameters.items():
        is_text = isinstance(value, str) and "\n" in value
        shown = _describe_rules(value, files.get(name, ""), manifest) if is_text else value
        yield f"{name.replace('_', ' ')} {shown}"


def _describe_rules(text: str, path: str, manifest: Manifest) -> str:
    """The number of rules in a text, its file, and the beginning of its SHA-256."""
    count = manifest.tables["overhead_rules"].row_count
    source = f" of {make_visible(path)}" if path else ""
    return f"by {count_of(count, 'rule')}{source} (SHA-256 {hash_of(text)}…)"


def _tables(manifest: Manifest) -> tuple[Table, ...]:
    slowest = sorted(manifest.stage_seconds.items(), key=lambda stage: (-stage[1], stage[0]))
    rows = tuple((name, round(seconds * 1e9)) for name, seconds in slowest[:STAGE_LIMIT])
    if not rows:
        return ()
    columns = (
        Column(name="stage", title="Stage", unit=Unit.TEXT),
        Column(name="time_ns", title="Time", unit=Unit.TIME, has_bar=True),
    )
    note = "From the manifest of the tables."
    return (
        Table(name="stages", title="Slowest stages", note=note, columns=columns, rows=rows, sql=""),
    )
