"""The reference of traces in CSV, generated from the declared columns."""

from collections.abc import Iterator

from tracemill.schemas import csv_layout as layout

_EXAMPLE = """\
<!-- file: example.csv -->
```csv
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
10000,Leave,main,1,,,
```

```sh
tracemill analyze example.csv
```"""


def describe_csv() -> str:
    """The whole document as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Traces in CSV"
    yield ""
    yield "Generated from `schemas/csv_layout.py` by `make docs`; do not edit."
    yield ""
    yield (
        "`tracemill analyze` recognizes a trace in CSV by its header line; the file name does not "
        "matter. The file may be compressed with gzip or zstd. A folder of such files, for "
        "example one per process, is one trace. The layout is that of Pipit, with additional "
        "columns for data that Pipit does not keep in its table:"
    )
    yield ""
    yield _EXAMPLE
    yield ""
    yield ("[data/late_sender.csv](../../data/late_sender.csv) continues this example. Rules:")
    yield ""
    yield "- Rows of one location are its records, in the order of the file."
    yield "- Columns may be in any order. Columns marked \\* are required; others are ignored."
    yield "- The separator is a comma, semicolon, tab or bar; the header line decides."
    yield "- Numbers use a decimal point, whatever the separator is."
    yield "- Put cells that contain separators or quotes in quotes. A cell is one line."
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
        "The name of an `Instant` is the name of an OTF2 record. Its columns are the arguments of "
        "that record. The kinds are `MpiSend`, `MpiIsend`, `MpiIsendComplete`, "
        "`MpiIrecvRequest`, `MpiRecv`, `MpiIrecv`; `MpiCollectiveBegin`, `MpiCollectiveEnd`; "
        "`ThreadFork`, `ThreadTeamBegin`, `ThreadTeamEnd`, `ThreadJoin`, `ThreadTaskCreate`, "
        "`ThreadTaskSwitch`, `ThreadTaskComplete`; `RmaPut`, `RmaGet` and so on."
    )
    yield ""
    yield (
        "- `Counter` is the value of a counter, in the columns `Variable` and `Value`. Values of "
        "further counters of the same record follow in `More` rows."
    )
    yield (
        "- `More` with the name `Attribute` or `AttributeText` adds an attribute to the previous "
        "record."
    )
    yield "- Only the position of `ProgramBegin`, `ProgramEnd` and `Other` counts."
    yield (
        "- `MpiIsend` and `MpiIrecvRequest` start an operation; `MpiIsendComplete` and `MpiIrecv` "
        "complete it. Both rows have the same `Request`. Each record belongs to the region visit "
        "that contains it."
    )
    yield ""
    yield (
        "Rows of another event type, an `Instant` of another name, and rows that lack a required "
        "value (a message without `Partner`) are counted as `unknown_record` in `trace_quality`. "
        "The table `misread_cells` gives the first line of each problem and a suggestion. A trace "
        "without any usable row is refused."
    )


def _definitions() -> Iterator[str]:
    yield ""
    yield "## Definitions"
    yield ""
    yield (
        "Definitions are optional. By default, processes, threads and regions are those that rows "
        "mention. The role and paradigm of a region follow from its name as in Score-P "
        "(`MPI_Send`, `!$omp parallel …`). Communicator 0 is `MPI_COMM_WORLD`. To define more, add "
        "a row with one of these event types and a JSON object in the column `Definition`. All "
        "properties are optional:"
    )
    yield ""
    yield "| event type | defines | properties |"
    yield "| --- | --- | --- |"
    for kind in layout.DEFINITIONS:
        listed = ", ".join(f"`{name}`" for name in kind.properties)
        yield f"| `Define {kind.name}` | {kind.meaning} | {listed} |"
    yield ""
    yield (
        "Other columns and definitions refer to the `id` of a definition. Without `id`, "
        "definitions of a kind are numbered from 0. Example: "
        '`0,Define Communicator,row,0,"{""id"": 1, ""members"": [0, 2]}"`.'
    )


def _call_graphs() -> Iterator[str]:
    yield ""
    yield "## Call graphs"
    yield ""
    columns = ", ".join(f"`{name}`" for name in layout.CALL_GRAPH_FIELDS)
    yield (
        "Call graphs in the layout of fastotf2 are read from CSV and Parquet, as a file or a "
        f"folder of files. The columns are {columns} "
        "(or `Start Time`, `end_time` and so on), with one row per visit. Times are seconds; "
        "integers in Parquet are nanoseconds. A visit whose `end` is infinite or empty stays open "
        "until the last record. `group` is the process; the number at its end is the rank. Metric "
        "files beside them are counted as not read. "
        "[data/call_graph.csv](../../data/call_graph.csv) is an example."
    )
