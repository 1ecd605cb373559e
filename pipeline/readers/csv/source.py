"""A source for traces in CSV and call graphs."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from tracemill.base.errors import DamagedTraceError, NotATraceError
from tracemill.kernels.clock_replay import Clocks
from tracemill.kernels.location_walk import AS_RECORDED
from tracemill.readers.common.reading import LocationState
from tracemill.readers.common.setup_marks import marks_for
from tracemill.readers.common.tables import READ_TABLES, read_tables
from tracemill.readers.csv.blocks import Block, Damage, count_lines, read_blocks
from tracemill.readers.csv.call_graph import read_call_graph
from tracemill.readers.csv.definitions import define
from tracemill.readers.csv.files import TextIdentity, find_files
from tracemill.readers.csv.header import SEE, Header
from tracemill.readers.csv.misread import Misread, misread_table
from tracemill.readers.csv.parsing import ParsedBlock, ParsedVisits, parse_block, parse_visits
from tracemill.readers.csv.rows import RowMaker, Rows
from tracemill.readers.csv.spill import Spill, SpilledRecords
from tracemill.schemas.definitions import FULL
from tracemill.schemas.matching import MISREAD_CELLS
from tracemill.schemas.table import Table
from tracemill.store.sink import PartedSink

P = TypeVar("P", ParsedBlock, ParsedVisits)
Parser = Callable[[Block, Header], P]
_PASSES = 3
_TYPICAL_ROW_BYTES = 40
_WORST = 3


class CsvSource:
    """Files whose headers have been read; `read` reads their rows."""

    format = "csv"
    tables: tuple[Table, ...] = READ_TABLES
    code_modules = ("tracemill.readers.csv", "tracemill.readers.common", "tracemill.kernels")

    def __init__(self, path: Path) -> None:
        self.path = path
        self._found = find_files(path)

    @property
    def event_count(self) -> int:
        """Estimated number of reported records; every pass reports each one."""
        size = sum(path.stat().st_size for path in self._found.all)
        return _PASSES * (size // _TYPICAL_ROW_BYTES)

    @property
    def record_count(self) -> int:
        """Estimated number of records."""
        return self.event_count // _PASSES

    def identity(self) -> TextIdentity:
        return TextIdentity(self._found)

    def read(
        self,
        sink: PartedSink,
        *,
        run_id: str,
        threads: int,
        allow_damaged: bool,
        report: Callable[[int], None],
        merge_call_sites: bool = False,
        detail: str = FULL,
        clocks: Clocks = AS_RECORDED,
    ) -> None:
        """Write all tables. Raises DamagedTraceError unless damage is allowed."""
        made, spill = RowMaker(), Spill(sink.spill_path)
        texts = _Texts(self._found.headers, made, threads=threads, allow_damaged=allow_damaged)
        if self._found.is_call_graph:
            rows = read_call_graph(
                self._found.parquet, texts.visits(), made, folder=sink.spill_path,
                threads=threads, allow_damaged=allow_damaged, report=report,
            )  # fmt: skip
        else:
            rows = texts.records(report)
        for each in rows:
            spill.add(each)
        for path in self._found.others:
            made.findings["unknown_record"] += max(count_lines(path) - 1, 0)
        misread = made.misread.all()
        _check_use(self.path, made, misread)
        sink.write(MISREAD_CELLS, misread_table(misread))
        spill.flush()
        defined = define(made, spill.counts, merge_call_sites=merge_call_sites)
        records = SpilledRecords(
            self.path, defined.sites.identifiers.definitions, spill, defined.location_numbers
        )
        limits = [LocationState(n) for *_, n, _ in records.definitions["Location"].values()]
        read_tables(
            records, defined.origin, defined.sites, defined.code,
            limits, sink, run_id=run_id, threads=threads,
            allow_damaged=allow_damaged, report=report, findings=made.findings,
            plain=partial(
                records.survey_plain, regions=defined.code.ids, report=report,
                marks=marks_for(detail, defined.sites.identifiers),
            ),
            clocks=clocks, detail=detail,
        )  # fmt: skip


def _check_use(path: Path, made: RowMaker, misread: list[Misread]) -> None:
    """Raise an error if no row was understood."""
    if made.used_count or made.definitions:
        return
    if made.row_count:
        worst = sorted(misread, key=lambda each: -each.row_count)[:_WORST]
        raise NotATraceError(
            f"{path}: no trace: none of its {made.row_count:,} rows is understood: "
            f"{'; '.join(map(str, worst)) or 'no record'}; {SEE}"
        )
    if made.findings["unreadable_row"] or made.findings["cut_input"]:
        raise DamagedTraceError(f"{path}: none of its rows can be read; {SEE}")
    raise NotATraceError(f"{path}: no trace: it has a header but no rows; {SEE}")


class _Texts:
    """Reads text files; counts unreadable rows in `made`, or raises DamagedTraceError."""

    def __init__(
        self, headers: Iterable[Header], made: RowMaker, *, threads: int, allow_damaged: bool
    ) -> None:
        self._headers, self._made = headers, made
        self._threads, self._allow_damaged = threads, allow_damaged

    def records(self, report: Callable[[int], None]) -> Iterator[Rows]:
        """The records of all files, block by block."""
        for header in self._headers:
            self._made.misread.path = header.path
            for block in self._read(header, parse_block):
                if block.row_count:
                    yield self._made.make(block)
                if self._made.bad_definition and not self._allow_damaged:
                    raise _bad_row(header.path, *self._made.bad_definition)
                report(block.row_count)

    def visits(self) -> Iterator[pa.RecordBatch]:
        """The visits of all call graphs."""
        for header in self._headers:
            for block in self._read(header, parse_visits):
                if block.cells is not None:
                    yield block.cells

    def _read(self, header: Header, parse: Parser[P]) -> Iterator[P]:
        damage, findings = Damage(), self._made.findings
        for block in _parsed(read_blocks(header.path, damage), header, parse, self._threads):
            self._check(header.path, block.bad, damage)
            findings["unreadable_row"] += len(block.bad)
            findings["invalid_text"] += block.invalid_texts
            yield block
        self._check(header.path, [], damage)
        findings["cut_input"] += bool(damage.problem)

    def _check(self, path: Path, bad: list[tuple[int, str]], damage: Damage) -> None:
        """Raise DamagedTraceError for unreadable input, unless damage is allowed."""
        if self._allow_damaged:
            return
        if damage.problem:
            raise DamagedTraceError(
                f"{path}: it cannot be decompressed to its end ({damage.problem}); copy it again, "
                "or analyze what is readable with --allow-damaged"
            )
        if bad:
            raise _bad_row(path, *bad[0])


def _bad_row(path: Path, line: int, reason: str) -> DamagedTraceError:
    return DamagedTraceError(
        f"{path}: line {line}: {reason}; correct it, or analyze the rows that are readable with "
        "--allow-damaged"
    )


def _parsed(blocks: Iterator[Block], header: Header, parse: Parser[P], threads: int) -> Iterator[P]:
    """Parsed blocks in order; several are parsed at a time."""
    blocks = (block.without_header() if block.first_line == 1 else block for block in blocks)
    if threads == 1:
        yield from (parse(block, header) for block in blocks)
        return
    waiting: deque[Future[P]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for block in blocks:
            waiting.append(pool.submit(parse, block, header))
            if len(waiting) > 2 * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
