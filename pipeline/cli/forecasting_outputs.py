"""The files that `tracemill forecast` writes, and what it prints."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tracemill.base.console import print_places, results

if TYPE_CHECKING:
    import pyarrow as pa

    from tracemill.reports.model import Report
    from tracemill.schemas import Table


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """Files to write besides the tables of the store."""

    html: Path | None
    csv: Path | None
    json: Path | None

    def check(self, *others: Path | None) -> None:
        """Raise an error if a file cannot be written; `others` are further files."""
        from tracemill.base.files import check_folder
        from tracemill.forecast.exporting import check_csv_folder

        for path in (self.html, self.json, *others):
            if path is not None:
                check_folder(path)
        if self.csv is not None:
            check_csv_folder(self.csv)

    def write(
        self,
        build_page: "Callable[[], Report]",
        report: "Report",
        tables: "Mapping[Table, pa.Table]",
        places: Sequence[tuple[str, Path | None]],
    ) -> None:
        """Write the wanted files, print the summary of a report, and then where all is."""
        from tracemill.base.files import write_text
        from tracemill.forecast.exporting import write_csv, write_json
        from tracemill.reports.html import render_html
        from tracemill.reports.terminal import print_heading, print_section

        if self.html is not None:
            write_text(self.html, render_html(build_page()))
        if self.csv is not None:
            write_csv(tables, self.csv)
        if self.json is not None:
            write_json(tables, self.json)
        print_heading(report, results())
        print_section(report.section("summary"), results())
        written = [("page", self.html), ("csv", self.csv), ("json", self.json)]
        print_places([(name, path) for name, path in [*places, *written] if path is not None])
