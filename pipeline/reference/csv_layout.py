"""The reference of traces in CSV: schemas/CSV.md, made from the declared columns."""

from collections.abc import Iterator

from tracemill.schemas import csv_layout as layout

_EXAMPLE = """\
    Timestamp (ns),Event Type,Name,Process,Partner,Tag,Bytes
    0,Enter,main,0,,,
    0,Enter,main,1,,,
    2000,Enter,MPI_Recv,1,,,
    6000,Enter,MPI_Send,0,,,
    6100,Instant,MpiSend,0,1,7,4096
    6500,Leave,MPI_Send,0,,,
    6600,Instant,MpiRecv,1,0,7,4096
    7000,Leave,MPI_Recv,1,,,
    10000,Leave,main,0,,,
    10000,Leave,main,1,,,"""


def describe_csv() -> str:
    """The whole document as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Traces in CSV"
    yield ""
    yield "Generated from the declarations in this folder by `make docs`; do not edit."
    yield ""
    yield (
        "`tracemill analyze` reads a trace in CSV like any other. A file is recognised by its "
        "header, whatever its name; it may be compressed with gzip or zstd. A folder of such "
        "files, for instance one per process, is one trace. The layout is Pipit's, with more "
        "columns for what Pipit keeps elsewhere:"
    )
    yield ""
    yield _EXAMPLE
    yield ""
    yield (
        "[data/late_sender.csv](../data/late_sender.csv) goes on from there. Cells with commas or "
        "quotes stand in quotes, but no cell goes beyond its line. Semicolons, tabs or bars may "
        "separate cells instead of commas, as the first line does; numbers have a decimal point "
        "all the same. Columns may come in any order; only those marked \\* are needed, and "
        "others are not looked at. Rows of a location are its records, in the order of the file."
    )
    yield ""
    yield "| column | cells | meaning |"
    yield "| --- | --- | --- |"
    for field in layout.FIELDS:
        mark = r" \*" if field.is_required else ""
        yield f"| `{field.name}`{mark} | {field.type} | {field.meaning} |"
    yield from _kinds()
    yield from _definitions()
    yield from _call_graphs()


def _kinds() -> Iterator[str]:
    yield ""
    yield "## Kinds of records"
    yield ""
    yield (
        "An `Instant` is named like the OTF2 record that it is, and has the columns of that "
        "record's arguments: `MpiSend`, `MpiIsend`, `MpiIsendComplete`, `MpiIrecvRequest`, "
        "`MpiRecv`, `MpiIrecv`; `MpiCollectiveBegin` and `MpiCollectiveEnd`; `ThreadFork`, "
        "`ThreadTeamBegin`, `ThreadTeamEnd`, `ThreadJoin`, `ThreadTaskCreate`, `ThreadTaskSwitch`, "
        "`ThreadTaskComplete`; `RmaPut`, `RmaGet` and so on. `Counter`, with `Variable` and "
        "`Value`, is the value of a counter; values of other counters of the same record follow as "
        "`More`. `More` with the name `Attribute` or `AttributeText` attaches a value to the "
        "record before, one per attribute. `ProgramBegin`, `ProgramEnd` and `Other` are records "
        "of which only the position counts: an export writes as `Other` what no table holds, also "
        "what was not understood, with the time of the next message or other instant, or of the "
        "location's last record."
    )
    yield ""
    yield (
        "Rows of another event type, and an `Instant` of another name or without what it needs "
        "(a message without `Partner`), are counted as `unknown_record`, and the table "
        "`misread_cells` tells what was not understood, in which line first, and what may be "
        "meant. A trace of which no row is understood, or that has none, is refused."
    )
    yield ""
    yield (
        "Requests: `MpiIsend` and `MpiIrecvRequest` post, `MpiIsendComplete` and `MpiIrecv` "
        "complete, with the same `Request`. Each record belongs to the region it lies in, so that "
        "the time between posting and completing follows from the calls around both."
    )


def _definitions() -> Iterator[str]:
    yield ""
    yield "## Definitions"
    yield ""
    yield (
        "Nothing has to be defined: processes, threads and regions are those that rows name, the "
        "role and paradigm of a region follow from its name as Score-P gives it (`MPI_Send`, "
        "`!$omp parallel …`), and communicator 0 is `MPI_COMM_WORLD`. A row whose `Event Type` is "
        "one of these defines more, with the listed properties in `Definition`, all optional:"
    )
    yield ""
    yield "| event type | what it defines | properties |"
    yield "| --- | --- | --- |"
    for kind in layout.DEFINITIONS:
        listed = ", ".join(f"`{name}`" for name in kind.properties)
        yield f"| `Define {kind.name}` | {kind.meaning} | {listed} |"
    yield ""
    yield (
        "`id` is the identifier by which other columns and definitions refer to it; without one, "
        "definitions of a kind count from 0. Example: "
        '`0,Define Communicator,row,0,"{""id"": 1, ""members"": [0, 2]}"`.'
    )


def _call_graphs() -> Iterator[str]:
    yield ""
    yield "## Call graphs"
    yield ""
    yield (
        "Call graphs as fastotf2 writes them are read, too, from CSV and Parquet, a file or a "
        f"folder of them: {', '.join(f'`{name}`' for name in layout.CALL_GRAPH_FIELDS)} (or "
        "`Start Time`, `end_time` and so on), a row per visit. Times are seconds, integers in "
        "Parquet nanoseconds; an `end` that is infinite or empty is open. `group` is the process: "
        "its rank is the number it ends with. Files of metrics beside them are counted as not read."
        " [data/call_graph.csv](../data/call_graph.csv) is an example."
    )
