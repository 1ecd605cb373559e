"""The pages of the reports in a store: their files, and links to them from the page of a night."""

from dataclasses import dataclass
from pathlib import Path

from tracemill.nightly.notes import raising_store_errors
from tracemill.reports.files import write_reports
from tracemill.reports.model import Report, Subject
from tracemill.store.runs import Store

PAGE = "index.html"


@dataclass(frozen=True)
class Pages:
    """The folder of all reports of a store."""

    folder: Path

    @classmethod
    def of_store(cls, store: Store) -> "Pages":
        """The pages of a store, by absolute paths."""
        return cls(store.path.absolute() / "reports")

    @property
    def of_night(self) -> Path:
        """The page of the last night."""
        return self.folder / Subject.NIGHT / PAGE

    def of_run(self, run_id: str) -> Path | None:
        """The page of a run; None if it has none, as after --no-report."""
        return self._existing(f"run={run_id}")

    def of_campaign(self, name: str) -> Path | None:
        """The page of a campaign; None if it has none."""
        return self._existing(f"campaign={name}")

    def link(self, page: Path | str | None) -> str:
        """The address of a page relative to that of the night; empty if there is no page."""
        return "" if page is None else f"../{Path(page).relative_to(self.folder).as_posix()}"

    def _existing(self, name: str) -> Path | None:
        page = self.folder / name / PAGE
        return page if page.exists() else None


def write_report(store: Store, report: Report) -> list[tuple[str, Path]]:
    """Write the files of a report; returns page and text with a label each. Raises StoreError."""
    with raising_store_errors(store.path):
        return write_reports(report, store.path)
