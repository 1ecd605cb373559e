"""The columns of a trace written as CSV, and the definitions it may hold.

Nothing here is read or written; the reader and the documentation follow from it.
"""

from dataclasses import dataclass

TIME_SECONDS, TIME_NS = "Timestamp (s)", "Timestamp (ns)"
EVENT_TYPE, NAME, PROCESS, THREAD = "Event Type", "Name", "Process", "Thread"
VARIABLE, VALUE, DEFINITION = "Variable", "Value", "Definition"
INTEGER, TEXT = "integer", "text"
SEPARATORS = (",", ";", "\t", "|")
"""What may stand between cells: the one that makes most columns of the first line."""


@dataclass(frozen=True)
class Field:
    """A column of the events: what its cells are and mean.

    `quantities` are the arguments of records that it holds (readers/trace/arguments.py).
    """

    name: str
    type: str
    meaning: str
    quantities: tuple[str, ...] = ()
    is_required: bool = False


FIELDS = (
    Field(
        TIME_NS,
        "number",
        "When it happened, in nanoseconds; `Timestamp (s)` instead: in seconds. Rows of a "
        "location stand in order of time, those of different locations in any order.",
        is_required=True,
    ),
    Field(
        EVENT_TYPE,
        TEXT,
        "`Enter` or `Leave` a region; `Instant`: a record of the kind told by `Name`; `More`: a "
        "further value of the record before; `Define …`: see below. Case does not matter.",
        is_required=True,
    ),
    Field(NAME, TEXT, "Region that is entered or left, or kind of the record.", is_required=True),
    Field(PROCESS, INTEGER, "Process: any number from 0.", is_required=True),
    Field(THREAD, INTEGER, "Thread of the process: any number from 0; empty: 0."),
    Field("Partner", INTEGER, "Rank of the other side in the communicator.", ("peer", "remote")),
    Field("Tag", INTEGER, "Tag of the message; empty: 0.", ("tag",)),
    Field(
        "Communicator",
        INTEGER,
        "Identifier of the communicator or team; empty: 0. Where none is defined, 0 is "
        "`MPI_COMM_WORLD` with all processes.",
        ("communicator",),
    ),
    Field("Bytes", INTEGER, "Bytes of the message, or sent or moved; empty: 0.", ("bytes",)),
    Field("Received Bytes", INTEGER, "Bytes received; empty: 0.", ("bytes_received",)),
    Field("Operation", TEXT, "Collective operation, such as `barrier`.", ("operation",)),
    Field("Root", INTEGER, "Rank of the root; empty: there is none.", ("root",)),
    Field(
        "Request",
        INTEGER,
        "Links the records of a request, or of a one-sided or file operation.",
        ("request", "matching"),
    ),
    Field("Probe", INTEGER, "Links a matched probe to its receive.", ("probe",)),
    Field("Number", INTEGER, "Threads of a fork, sequence or number of a task.", ("number",)),
    Field("Task Thread", INTEGER, "Thread of the team that created the task.", ("thread",)),
    Field("Lock", INTEGER, "Lock, within its process.", ("lock",)),
    Field("Acquisition Order", INTEGER, "How often the lock had been acquired.", ("order",)),
    Field("Paradigm", TEXT, "Paradigm of the lock.", ("lock_paradigm",)),
    Field(
        "RMA Window", INTEGER, "Identifier of the window of one-sided communication.", ("window",)
    ),
    Field("Handle", INTEGER, "Identifier of the file handle.", ("handle",)),
    Field("Mode", TEXT, "`read`, `write` or `flush`.", ("mode",)),
    Field("Detail", INTEGER, "Kind of lock, level of synchronisation, flags.", ("detail",)),
    Field(VARIABLE, INTEGER, "Identifier of the counter, parameter, attribute or context."),
    Field(
        VALUE,
        TEXT,
        "Value of it; end (ns) of a `BufferFlush`; 0 or 1 of `MeasurementOnOff`. Numbers with a "
        "point are floating.",
    ),
    Field(DEFINITION, TEXT, "Properties of what is defined, as a JSON object."),
)
"""Columns in the order of the documentation."""


@dataclass(frozen=True)
class Kind:
    """What can be defined by a row, and which properties its JSON object may have."""

    name: str
    table: str
    properties: tuple[str, ...]
    meaning: str


DEFINITIONS = (
    Kind(
        "Trace",
        "runs",
        ("trace_id", "creator", "machine_name", "timer_resolution", "global_offset_ticks",
         "started_at_ns"),
        "The trace as a whole.",
    ),
    Kind("Place", "system_tree_nodes", ("id", "parent", "class_name"), "A machine or node."),
    Kind(
        "Process",
        "location_groups",
        ("id", "kind", "rank", "place", "creator"),
        "The process of column `Process`.",
    ),
    Kind(
        "Thread",
        "locations",
        ("id", "kind"),
        "The location of columns `Process` and `Thread`.",
    ),
    Kind(
        "Region",
        "regions",
        ("id", "name", "canonical_name", "role", "paradigm", "file", "begin_line", "end_line"),
        "A region, called by `Name` in the events; `name` if it really has another one.",
    ),
    Kind(
        "Communicator",
        "communicators",
        ("id", "kind", "paradigm", "parent", "members", "remote_members", "grid"),
        "A communicator or team. Members by rank: a process, or [process, thread]. The grid they "
        "lie on, if there is one: [size, is periodic] of each dimension.",
    ),
    Kind("Window", "rma_windows", ("id", "communicator"), "A window of one-sided communication."),
    Kind(
        "Counter",
        "counters",
        ("id", "unit", "kind", "accumulation", "base", "exponent"),
        "A counter.",
    ),
    Kind("Parameter", "parameters", ("id", "kind"), "A parameter."),
    Kind("Attribute", "attributes", ("id", "description"), "An extra value of records."),
    Kind("Source", "source_locations", ("id", "line"), "A source file, with a line of it."),
    Kind(
        "Context",
        "calling_contexts",
        ("id", "region", "source", "parent"),
        "A call stack that sampling found.",
    ),
    Kind(
        "Handle",
        "io_handles",
        ("id", "file", "io_paradigm", "communicator", "parent"),
        "A file handle.",
    ),
)  # fmt: skip
"""Rows `Define Trace` and so on; `Name` is the name, and time and thread are not looked at."""

CALL_GRAPH_FIELDS = ("thread", "group", "depth", "name", "start", "end", "duration")
"""Columns of a call graph as fastotf2 writes it, in seconds; also `Start Time`, `end_time`."""
