"""Columns of CSV traces, and the definitions that a CSV trace can contain.

The reader and the documentation derive from this declaration.
"""

from dataclasses import dataclass

TIME_SECONDS, TIME_NS = "Timestamp (s)", "Timestamp (ns)"
EVENT_TYPE, NAME, PROCESS, THREAD = "Event Type", "Name", "Process", "Thread"
VARIABLE, VALUE, DEFINITION = "Variable", "Value", "Definition"
ATTRIBUTES = "Attributes"
INTEGER, TEXT = "integer", "text"
SEPARATORS = (",", ";", "\t", "|")
"""Possible cell separators. The one that gives the most columns in the first line is used."""


@dataclass(frozen=True)
class Field:
    """A column of the events: type and meaning of its cells.

    `quantities` are the record arguments that it contains (readers/common/arguments.py).
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
        "Time of the event, in nanoseconds; or use `Timestamp (s)`, in seconds. Rows of one "
        "location must be in time order; rows of different locations can be in any order.",
        is_required=True,
    ),
    Field(
        EVENT_TYPE,
        TEXT,
        "`Enter` or `Leave` of a region; `Instant`: a record whose kind is in `Name`; `More`: "
        "another value of the previous record; `Define …`: see below. Case is ignored.",
        is_required=True,
    ),
    Field(NAME, TEXT, "Region that is entered or left, or kind of the record.", is_required=True),
    Field(PROCESS, INTEGER, "Process: any number from 0.", is_required=True),
    Field(THREAD, INTEGER, "Thread of the process: any number from 0; empty: 0."),
    Field("Partner", INTEGER, "Rank of the other process in the communicator.", ("peer", "remote")),
    Field("Tag", INTEGER, "Tag of the message; empty: 0.", ("tag",)),
    Field(
        "Communicator",
        INTEGER,
        "Identifier of the communicator or team; empty: 0. If none is defined, 0 is "
        "`MPI_COMM_WORLD` with all processes.",
        ("communicator",),
    ),
    Field(
        "Bytes",
        INTEGER,
        "Bytes of the message, or bytes sent or transferred; empty: 0.",
        ("bytes",),
    ),
    Field("Received Bytes", INTEGER, "Bytes received; empty: 0.", ("bytes_received",)),
    Field("Operation", TEXT, "Collective operation, such as `barrier`.", ("operation",)),
    Field("Root", INTEGER, "Rank of the root; empty: no root.", ("root",)),
    Field(
        "Request",
        INTEGER,
        "Links the records of a request, or of a one-sided or file operation.",
        ("request", "matching"),
    ),
    Field("Probe", INTEGER, "Links a matched probe to its receive.", ("probe",)),
    Field(
        "Number", INTEGER, "Threads of a fork, sequence number, or number of a task.", ("number",)
    ),
    Field("Task Thread", INTEGER, "Thread of the team that created the task.", ("thread",)),
    Field("Lock", INTEGER, "Lock, unique within its process.", ("lock",)),
    Field("Acquisition Order", INTEGER, "Number of times that the lock was acquired.", ("order",)),
    Field("Paradigm", TEXT, "Paradigm of the lock.", ("lock_paradigm",)),
    Field("RMA Window", INTEGER, "Identifier of the RMA window.", ("window",)),
    Field("Handle", INTEGER, "Identifier of the file handle.", ("handle",)),
    Field("Mode", TEXT, "`read`, `write` or `flush`.", ("mode",)),
    Field("Detail", INTEGER, "Kind of lock, level of synchronization, flags.", ("detail",)),
    Field(VARIABLE, INTEGER, "Identifier of the counter, parameter, attribute or context."),
    Field(
        VALUE,
        TEXT,
        "Value of this item; end (ns) of a `BufferFlush`; 0 or 1 for `MeasurementOnOff`. Numbers "
        "with a decimal point are floating-point numbers.",
    ),
    Field(DEFINITION, TEXT, "Properties of the definition, as a JSON object."),
    Field(
        ATTRIBUTES,
        TEXT,
        "Arguments of the record as Pipit writes them, such as `{'receiver': 1, 'msg_tag': 7}`; "
        "used where the columns above are absent.",
    ),
)
"""Columns in the order of the documentation."""


@dataclass(frozen=True)
class Kind:
    """A kind of definition row, and the properties of its JSON object."""

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
        "The process in column `Process`.",
    ),
    Kind(
        "Thread",
        "locations",
        ("id", "kind"),
        "The location in columns `Process` and `Thread`.",
    ),
    Kind(
        "Region",
        "regions",
        ("id", "name", "canonical_name", "role", "paradigm", "file", "begin_line", "end_line"),
        "A region. `Name` is its name in the events; `name` is its real name, if different.",
    ),
    Kind(
        "Communicator",
        "communicators",
        ("id", "kind", "paradigm", "parent", "members", "remote_members", "grid"),
        "A communicator or team. Members in rank order: a process, or [process, thread]. The "
"grid, if there is one: [size, is periodic] for each dimension.",
    ),
    Kind("Window", "rma_windows", ("id", "communicator"), "A window of one-sided communication."),
    Kind(
        "Counter",
        "counters",
        ("id", "unit", "kind", "accumulation", "occurrence", "base", "exponent"),
        "A counter.",
    ),
    Kind("Parameter", "parameters", ("id", "kind"), "A parameter."),
    Kind("Attribute", "attributes", ("id", "description"), "An additional value of records."),
    Kind("Source", "source_locations", ("id", "line"), "A line of a source file."),
    Kind(
        "Context",
        "calling_contexts",
        ("id", "region", "source", "parent"),
        "A sampled call stack.",
    ),
    Kind(
        "Handle",
        "io_handles",
        ("id", "file", "io_paradigm", "communicator", "parent"),
        "A file handle.",
    ),
)  # fmt: skip
"""Rows `Define Trace` and so on. `Name` is the name; time and thread are ignored."""

CALL_GRAPH_FIELDS = ("thread", "group", "depth", "name", "start", "end", "duration")
"""Columns of a call graph written by fastotf2, in seconds; also `Start Time`, `end_time`."""
