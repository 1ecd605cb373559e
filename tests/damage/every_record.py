"""An archive with records and definitions of kinds that the traces in data/ do not have."""

from pathlib import Path

from tests.helpers.otf2_archive import TYPES, UNDEFINED, Event, Trace, parse_events

_COUNTERS, _ASYNCHRONOUS = 3, 3
_BEFORE = f"""
     0  ProgramBegin 0 0
     1  enter main
     3  ParameterInt 1 -4
     4  ParameterUnsignedInt 2 4
    10  enter MPI_Put
    11  RmaWinCreate 4
    12  RmaCollectiveBegin
    13  RmaCollectiveEnd 0 2 4 {UNDEFINED} 0 0
    14  RmaRequestLock 4 1 70 0
    15  RmaAcquireLock 4 1 70 0
    16  RmaPut 4 1 64 80
    17  RmaAtomic 4 1 3 8 4 82
    18  RmaOpCompleteBlocking 4 80
    19  RmaReleaseLock 4 1 70
    20  RmaWinDestroy 4
    21  leave MPI_Put
    30  enter write
    31  IoCreateHandle 3 1 2 4
    32  IoSeek 3 -8 1 64
    33  IoOperationBegin 3 1 1 100 9
    34  IoOperationComplete 3 90 9
    35  IoDestroyHandle 3
    36  leave write
    40  BufferFlush 45
    46  MeasurementOnOff 2
    50  MeasurementOnOff 1
    51  CallingContextSample 1 1 0
    52  CallingContextEnter 1 1
    53  CallingContextLeave 1
    60  ThreadAcquireLock 7 1 1
    62  ThreadReleaseLock 7 1 1
"""
_AFTER = """
    90  leave main
    91  ProgramEnd 0
"""


def write_archive(folder: Path) -> Path:
    """Write it with two alike processes, and return its anchor file."""
    trace = Trace()
    trace.region("main")
    trace.region("write", role="file_io")
    trace.region("!$omp critical", paradigm="openmp")
    for process in range(2):
        trace.location([*_before(), *_values(process), *parse_events(_AFTER)], process=process)
    _define(trace)
    return trace.write(folder)


def _before() -> list[Event]:
    first, *rest = parse_events(_BEFORE)
    return [Event(first.time, first.name, (0, [])), *rest]


def _values(process: int) -> list[Event]:
    """Records with values of counters, and with attributes."""
    counters = [("uint64", 7), ("int64", -5), ("double", 0.25)]
    message = ("MpiSend", (1, 0, 7, 64)) if process == 0 else ("MpiRecv", (0, 0, 7, 64))
    return [
        Event(70, "Metric", (0, counters)),
        Event(71, "Enter", ("MPI_Call",), {0: ("int16", -3), 1: ("string", 0)}),
        Event(72, message[0], message[1], {0: ("double", 1.5)}),
        Event(73, "Metric", (0, counters), {2: ("uint64", 1)}),
        Event(74, "ParameterString", (0, 0)),
        Event(75, "Leave", ("MPI_Call",), {0: ("uint8", 3)}),
        Event(80, "Metric", (0, counters)),
    ]


def _define(trace: Trace) -> None:
    for number, kind in enumerate(("uint64", "int64", "double")):
        trace.define("MetricMember", number, f"counter {number}", "", 1, 0, TYPES[kind], 1, 0, "#")
    trace.define("MetricClass", 0, list(range(_COUNTERS)), _ASYNCHRONOUS, 1)
    for number, name in enumerate(("input", "size", "count")):
        trace.define("Parameter", number, name, number)
    for number in range(3):
        trace.define("Attribute", number, f"attribute {number}", "", TYPES["int64"])
    trace.define("RmaWin", 4, "window", 0, 0)
    trace.define("IoRegularFile", 0, "/data/out.h5", 0)
    trace.define("IoParadigm", 0, "POSIX", "POSIX I/O", 0, 0, [], None, None)
    trace.define("IoHandle", 3, "out", 0, 0, 0, UNDEFINED, UNDEFINED)
    trace.define("SourceCodeLocation", 0, "solve.c", 7)
    trace.define("CallingContext", 0, 0, UNDEFINED, UNDEFINED)
    trace.define("CallingContext", 1, 1, 0, 0)
    trace.define("InterruptGenerator", 0, "timer", 0, 1, 0, 1)
