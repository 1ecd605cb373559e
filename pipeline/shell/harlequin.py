"""Harlequin, an editor for SQL that fills the terminal, on the tables of a run."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from tracemill.base.errors import MissingLibraryError, PipelineError
from tracemill.shell.session import Session
from tracemill.sql.query_files import create_all_views

PACKAGE = "harlequin"


def run_harlequin(session: Session, name: str) -> None:
    """Open harlequin on the views of a session; raises MissingLibraryError or PipelineError."""
    if importlib.util.find_spec(PACKAGE) is None:
        raise MissingLibraryError("harlequin is not installed: pip install harlequin")
    with TemporaryDirectory(prefix="tracemill-") as folder:
        path = Path(folder) / f"{name}.duckdb"
        write_views(session, path)
        command = (PACKAGE, "--profile", "None", "--adapter", "duckdb", "--read-only", str(path))
        done = subprocess.run([sys.executable, "-m", *command], check=False)
    if done.returncode:
        raise PipelineError(f"harlequin ended with {done.returncode}: its own words say why")


def write_views(session: Session, path: Path) -> None:
    """Make a DuckDB file that holds the given views of a session, which read the store's files."""
    query = """
    SELECT sql FROM duckdb_views() WHERE list_contains($given, view_name) AND NOT temporary
    """
    found = session.connection.execute(query, {"given": sorted(session.given)}).fetchall()
    with duckdb.connect(path) as database:
        for (sql,) in found:
            database.execute(sql)
        create_all_views(database, is_lasting=True)
