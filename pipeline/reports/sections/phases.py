"""Phases: stretches of the main part between large changes of what its threads do."""

from tracemill.reports.material import Material
from tracemill.reports.model import Section
from tracemill.reports.phase_text import ACTIVITY_TITLES, describe_phases
from tracemill.reports.tables import TableSpec, read_source

PLACE = 64
_ALL_PHASES = 1 << 62
PHASES = TableSpec(
    query="run_phases",
    title="Phases of the main part",
    note="Changes of at least a quarter of the strongest one begin a phase. tracemill phases shows "
    "other levels of detail.",
    row_limit=40,
    bars=("phase_ns",),
    titles={"begin_ns": "Begin", "end_ns": "End", "phase_ns": "Time", **ACTIVITY_TITLES},
    silent=dict.fromkeys(ACTIVITY_TITLES, 0.0),
    hidden=frozenset({"end_ns"}),
)


def build(material: Material) -> Section | None:
    """The phases with their kinds, and the kinds that recur; nothing for a single phase."""
    table = material.table(PHASES)
    if len(table.rows) < 2:
        return None
    return Section(
        key="phases",
        title="Phases",
        sentences=(describe_phases(material.rows(PHASES.query, _ALL_PHASES)),),
        tables=(table,),
        sources=(read_source(PHASES.query, _ALL_PHASES),),
    )
