"""Peak memory of reading CSV traces of several sizes, one after the other.

    python -m tests.helpers.peaks_of_reading FOLDER ROWS...

A process of its own, so that nothing else counts. Prints a line per trace: its bytes, and the most
memory used so far (bytes). What is held at a time is made smaller than it is for larger traces, and
no tables are kept in memory, as for those.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from tracemill.engine import resources
from tracemill.engine.analyze import Options, analyze_source
from tracemill.engine.recipe import Recipe
from tracemill.readers import open_source
from tracemill.readers.csv import blocks, spill
from tracemill.store.runs import Store

PROCESSES = 4
BLOCK_BYTES, CHUNK_ROWS = 1 << 18, 1 << 15
STATUS = Path("/proc/self/status")
_NOTHING_ELSE = Recipe((), ())


def main() -> None:
    folder, *sizes = sys.argv[1:]
    blocks.BLOCK_BYTES, spill.CHUNK_ROWS = BLOCK_BYTES, CHUNK_ROWS
    resources._MOST_KEPT_RECORDS = 0
    for rows in map(int, sizes):
        trace = Path(folder) / f"{rows}.csv"
        with trace.open("w") as file:
            file.writelines(lines(rows))
        source, store = open_source(trace), Store(Path(folder) / "store")
        analyze_source(source, store=store, options=Options(threads=1), recipe=_NOTHING_ELSE)
        print(trace.stat().st_size, peak_bytes())


def lines(rows: int) -> Iterator[str]:
    """Processes that call the same function again and again."""
    yield "Timestamp (ns),Event Type,Name,Process\n"
    for process in range(PROCESSES):
        for now in range(0, rows // PROCESSES * 10, 20):
            yield f"{now},Enter,compute,{process}\n{now + 10},Leave,compute,{process}\n"


def peak_bytes() -> int:
    """The peak of this program alone; getrusage starts with the peak of the calling one."""
    fields = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
    return int(fields["VmHWM"].split()[0]) * 1024


if __name__ == "__main__":
    main()
