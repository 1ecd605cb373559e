"""The pages of a store: that of the night, and those of runs and campaigns as far as they are."""

from dataclasses import dataclass
from pathlib import Path

from tracemill.reports.model import Subject
from tracemill.store import Store

PAGE = "index.html"


@dataclass(frozen=True)
class Pages:
    """The folder of all reports of a store."""

    folder: Path

    @classmethod
    def of_store(cls, store: Store) -> "Pages":
        """Those of a store, by absolute paths."""
        return cls(store.path.absolute() / "reports")

    @property
    def own(self) -> Path:
        """The page of the night itself."""
        return self.folder / Subject.NIGHT / PAGE

    def of_run(self, run_id: str) -> Path | None:
        """The page of a run; None if it has none: a night may have ended before it was written."""
        return self._there(f"run={run_id}")

    def of_campaign(self, name: str) -> Path | None:
        """The page of a campaign; None if it has none."""
        return self._there(f"campaign={name}")

    def link(self, page: Path | None) -> str:
        """The address of a page, seen from that of the night; empty if it is not there."""
        return "" if page is None else f"../{page.relative_to(self.folder).as_posix()}"

    def _there(self, name: str) -> Path | None:
        page = self.folder / name / PAGE
        return page if page.exists() else None
