"""The Python in README.md does what it says, as it stands there."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tracemill.engine.analyze import Analysis
from tracemill.shell.exports.tables import export_tables

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
# Cells of a notebook, of which one draws with a package that is not among ours.
NOTEBOOK = [block for block in BLOCKS if block.startswith("# cell")]


@pytest.fixture(scope="module")
def folder(
    analysis_of: Callable[[str], Analysis], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder with a store and exported tables, as README.md calls them."""
    folder = tmp_path_factory.mktemp("readme")
    run = analysis_of("m01_late_sender").run
    shutil.copytree(run.path.parents[2], folder / "store", copy_function=os.link)
    export_tables(run, folder / "tables")
    return folder


def run_python(text: str, folder: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", text], cwd=folder, env=environment, capture_output=True, text=True,
        check=True,
    ).stdout  # fmt: skip


def test_there_are_blocks_of_each_kind() -> None:
    assert len(BLOCKS) >= 3
    assert len(NOTEBOOK) == 1


@pytest.mark.parametrize("block", [block for block in BLOCKS if block not in NOTEBOOK])
def test_a_block_runs(block: str, folder: Path) -> None:
    assert ("mpi_latesender" in run_python(block, folder)) == ("print(" in block)


def test_the_cells_of_the_notebook_run(folder: Path) -> None:
    """But for the drawing: its rows have the columns that are drawn."""
    cells = NOTEBOOK[0].partition(".plot")[0]
    query = cells.rpartition("run.sql")[2]
    columns = {"begin_ns", "time_ns", "overhead_subclass"}
    shown = run_python(f"{cells}\nprint(run.sql{query}.columns)", folder)
    assert all(f"'{name}'" in shown for name in columns)
