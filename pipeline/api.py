"""Runs and campaigns from Python: the tables of the store, queried with SQL into polars frames."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from tracemill.base.errors import MissingLibraryError, QueryError
from tracemill.shell.cookbook import find_question, questions_for
from tracemill.shell.session import Session, is_query
from tracemill.sql.mistakes import statement_errors
from tracemill.sql.query_files import Value
from tracemill.store.database import connect
from tracemill.store.finding import existing_store, open_run
from tracemill.store.runs import Store

if TYPE_CHECKING:
    import polars

    from tracemill.comparison.comparing import Comparison
    from tracemill.reports.plots import Plot
    from tracemill.store.runs import Run as StoredRun


class Tables:
    """The tables of a run, a campaign, or all runs, and of forecasts, each under its name.

    They cannot be changed; what a query creates is there until `close`.
    """

    def __init__(
        self, name: str, connect: Callable[[], duckdb.DuckDBPyConnection], store: Path
    ) -> None:
        self.name = name
        self._connect = connect
        self._store = store

    def __repr__(self) -> str:
        return f"<tables of {self.name}>"

    def __enter__(self) -> "Tables":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def _session(self) -> Session:
        return Session.begin(self._connect(), self._store)

    @property
    def names(self) -> list[str]:
        """Names of the tables."""
        return sorted(self._session.given)

    def sql(self, query: str, **parameters: Value) -> "polars.DataFrame":
        """Rows of a query in DuckDB's SQL, or of the last one of several statements.

        `parameters` are the values of $name in it. Raises QueryError with what is wrong in one
        line.
        """
        import polars

        connection = self._session.connection
        rows = polars.DataFrame()
        with statement_errors(connection, query):
            for statement in connection.extract_statements(query):
                if is_query(statement):
                    wanted = _values(statement, parameters)
                    rows = connection.sql(statement, params=wanted).pl()
                else:
                    self._session.execute(statement)
        return rows

    def pandas(self, query: str, **parameters: Value) -> Any:
        """The rows of `sql` as a frame of pandas. Raises MissingLibraryError without pandas."""
        if find_spec("pandas") is None:
            raise MissingLibraryError("pandas is not installed: pip install pandas")
        return self.sql(query, **parameters).to_arrow().to_pandas()

    def example(self, name: str | int) -> "polars.DataFrame":
        """The answer to a question of the cookbook, by its name or number."""
        return self.sql(find_question(str(name), questions_for(self._session.given)).sql)

    def close(self) -> None:
        """Release files and memory; frames stay."""
        if "_session" in self.__dict__:
            self._session.connection.close()
            del self.__dict__["_session"]


def _values(statement: "duckdb.Statement", given: Mapping[str, Value]) -> dict[str, Value]:
    missing = sorted(statement.named_parameters - set(given))
    if missing:
        name = missing[0]
        raise QueryError(f"no value for ${name}: give it by its name, as in sql(…, {name}=1)")
    return {name: given[name] for name in statement.named_parameters}


class RunTables(Tables):
    """The tables of a run; notebooks show its summary."""

    def __init__(self, run: "StoredRun", store: Path) -> None:
        super().__init__(f"{run.run_id} ({run.label})", run.connect, store)
        self._run = run

    def _repr_html_(self) -> str:
        from tracemill.reports.build import build_summary
        from tracemill.reports.notebook import summary_html

        return summary_html(build_summary(self._run))

    def plot(self, what: str = "timeline") -> "Plot":
        """A picture: timeline, efficiencies, or a matrix of ranks with messages or waits.

        Raises UsageError for others, MissingInputError if the run has none.
        """
        from tracemill.reports.plots import plot_run

        return plot_run(self._run, what)


class CampaignTables(Tables):
    """The tables of a campaign; notebooks show its summary."""

    def __init__(self, campaign: "StoredRun", store: Path) -> None:
        super().__init__(campaign.label, campaign.connect, store)
        self._campaign = campaign

    def _repr_html_(self) -> str:
        from tracemill.reports.build_campaign import build_campaign_summary
        from tracemill.reports.notebook import summary_html

        return summary_html(build_campaign_summary(self._campaign))

    def plot(self, what: str = "efficiency", application: str | None = None) -> "Plot":
        """A picture of an application: efficiency (grid), surface, or speed-up.

        Raises UsageError for others, MissingInputError if the campaign has none.
        """
        from tracemill.reports.campaign_plots import plot_campaign

        return plot_campaign(self._campaign, what, application)


@dataclass(frozen=True)
class OpenedStore:
    """A store that exists, to choose a run or campaign from."""

    store: Store

    def run(self, name: str | Path | None = None) -> RunTables:
        """A run by its id or the beginning of it, label, or trace path; the latest without name.

        Raises MissingInputError, which names the runs there are.
        """
        chosen = open_run(self.store.path, None if name is None else str(name))
        return RunTables(chosen, self.store.path)

    def campaign(self, name: str | None = None) -> CampaignTables:
        """A campaign by name; the latest without. Raises MissingInputError."""
        return CampaignTables(self.store.campaigns.open(name), self.store.path)

    def all_runs(self) -> Tables:
        """All runs at once: every table begins with a column run_id."""
        return Tables(str(self.store.path), self.store.connect, self.store.path)

    def forecasts(self) -> Tables:
        """The tables of all forecasts; those of runs are not among them."""
        return Tables(f"forecasts in {self.store.path}", connect, self.store.path)

    def compare(self, base: str, other: str) -> "Comparison":
        """The changes from one run to another; names are those of `tracemill compare`.

        Raises MissingInputError, UsageError, StoreError or QueryError.
        """
        from tracemill.comparison.choosing import chosen_side
        from tracemill.comparison.comparing import compare_runs
        from tracemill.comparison.notebook import ShownComparison

        path = self.store.path
        with chosen_side(path, base) as before, chosen_side(path, other) as after:
            return ShownComparison.of(compare_runs(before, after))

    def runs(self) -> "polars.DataFrame":
        """Id, label, kind, and place of the trace of every run, latest first."""
        import polars

        names = ("run_id", "label", "kind", "trace")
        rows = [
            (run.run_id, run.label, run.source.kind, run.source.path)
            for run in self.store.runs(is_measured=False)
        ]
        return polars.DataFrame(rows, schema=dict.fromkeys(names, polars.String), orient="row")

    def sql(self, query: str, **parameters: Value) -> "polars.DataFrame":
        """Rows of a query on the latest run."""
        with self.run() as tables:
            return tables.sql(query, **parameters)


def open_store(path: str | Path) -> OpenedStore:
    """The store in a folder. Raises MissingInputError if there is none."""
    return OpenedStore(existing_store(Path(path)))
