"""Notebooks: runs, comparisons, campaigns and answers as HTML, plots in one call, and docs/guide.

The cells of docs/guide/notebook.ipynb run here without Jupyter.
"""

import ast
import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

from tests.doc_pages import ROOT
from tracemill import cli, open_store
from tracemill.api import OpenedStore
from tracemill.base.errors import MissingInputError, MissingLibraryError, UsageError
from tracemill.reports import plots

NOTEBOOK = ROOT / "docs" / "guide" / "notebook.ipynb"
PNG = b"\x89PNG\r\n"
TRACE = """\
Timestamp (ns),Event Type,Name,Process
0,Enter,main,0
5000,Leave,main,0
"""
AS_JUPYTER = """\
import sys, types
jupyter = types.SimpleNamespace(config={"IPKernelApp": {}})
sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: jupyter)
import tracemill
"""
needs_pictures = pytest.mark.skipif(find_spec("matplotlib") is None, reason="needs matplotlib")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the store that the notebook describes, and a run without messages."""
    folder = tmp_path_factory.mktemp("notebook")
    (folder / "x<y.csv").write_text(TRACE)
    store = ["--store", str(folder / "store")]
    traces = [ROOT / "data" / name for name in ("m03_ls_waitall", "m01_late_sender")]
    for trace in (folder / "x<y.csv", *traces):
        assert cli.main(["analyze", str(trace), *store, "--no-report"]) == 0
    # It has efficiencies without times: no speed-up.
    campaign = ROOT / "data" / "campaigns" / "efficiencies.csv"
    assert cli.main(["campaign", str(campaign), *store]) == 0
    return folder


@pytest.fixture(scope="module")
def store(folder: Path) -> OpenedStore:
    return open_store(folder / "store")


def run_cell(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; returns the value of its last expression, as Jupyter shows it."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # type: ignore[attr-defined]


@needs_pictures
def test_the_timeline_is_that_of_the_main_part(store: OpenedStore) -> None:
    """MPI takes 466 of 717 ms to start and end; the axis begins where it has started."""
    run = store.run("m01_late_sender")
    ((begin, end, last),) = run.sql(
        "SELECT main_part.begin_ns, main_part.end_ns, runs.end_ns FROM main_part, runs"
    ).rows()
    found = {
        "level": np.array([0, 0, 0, 1, 1]), "bin": np.array([0, 1, 2, 2, 1_500]),
        "begin_ns": np.array([0, begin, end, begin, begin + 5]),
        "end_ns": np.array([begin, end, last, begin + 5, end]),
    }  # fmt: skip
    shown = plots._in_main_part(found, {"main_begin_ns": begin, "main_end_ns": end})
    assert shown["level"].tolist() == [1, 1]
    assert shown["begin_ns"].tolist() == [begin, begin + 5]


@needs_pictures
def test_every_cell_of_the_notebook_shows_its_result_as_html(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    identifiers = [cell["id"] for cell in notebook["cells"]]
    assert len(set(identifiers)) == len(identifiers)
    names: dict[str, Any] = {}
    shown = {
        cell["id"]: run_cell("".join(cell["source"]), names)._repr_html_()
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    }
    assert "Late Sender" in shown["run"]
    assert "MPI_Recv" in shown["calls"]
    assert "m03_ls_waitall" in shown["compare"]
    assert all("<svg" in shown[name] for name in ("timeline", "messages", "waiting", "surface"))
    assert (folder / "messages.png").read_bytes().startswith(PNG)


def test_runs_open_in_jupyter_without_ipywidgets(folder: Path) -> None:
    """DuckDB then refuses to set its progress bar; it looks for Jupyter as `AS_JUPYTER` answers."""
    code = AS_JUPYTER + "print(tracemill.open_store('store').run('x<y').sql('FROM runs').height)"
    shown = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, check=True, capture_output=True, text=True
    )
    assert shown.stdout == "1\n"


def test_names_are_escaped_and_the_html_is_well_formed(store: OpenedStore) -> None:
    shown = (
        store.run("x<y"), store.compare("x<y", "x<y"), store.campaign("efficiencies")
    )  # fmt: skip
    for each in shown:
        ET.fromstring(f"<div>{each._repr_html_()}</div>")  # type: ignore[attr-defined]
    assert "<h4>x&lt;y</h4>" in store.run("x<y")._repr_html_()


def test_a_prompt_shows_one_line(store: OpenedStore) -> None:
    run = store.run("x<y")
    assert repr(run).endswith("(x<y)>")
    assert repr(store.compare("x<y", "x<y")) == "<comparison of x<y and x<y>"
    plot = store.campaign("efficiencies").plot()
    assert repr(plot) == f"Plot(name='{plot.name}')"


def test_an_answer_is_a_frame_of_polars_or_pandas(
    store: OpenedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = "SELECT count(*) AS n FROM calls WHERE seconds >= $least::DOUBLE"
    run = store.run("x<y")
    assert isinstance(run.sql(query, least=5e-6), polars.DataFrame)
    if find_spec("pandas"):
        assert run.pandas(query, least=5e-6)["n"].tolist() == [1]
    monkeypatch.setattr("tracemill.api.find_spec", lambda _: None)
    with pytest.raises(MissingLibraryError, match="pip install pandas"):
        run.pandas(query, least=5e-6)


@needs_pictures
def test_a_plot_has_the_activity_of_every_location(store: OpenedStore, tmp_path: Path) -> None:
    plot = store.run("m01_late_sender").plot()
    assert "point-to-point" in plot.svg
    assert plot.save(tmp_path / "a.svg").read_text().endswith("</svg>\n")
    assert plot.save(tmp_path / "a.PNG").read_bytes().startswith(PNG)
    with pytest.raises(UsageError, match=r"timeline can be saved as \.svg or \.png"):
        plot.save(tmp_path / "a.pdf")
    with pytest.raises(UsageError, match=r"efficiency can be saved as \.svg"):
        store.campaign("efficiencies").plot().save(tmp_path / "a.png")


def test_what_cannot_be_plotted_is_named(store: OpenedStore) -> None:
    run, campaign = store.run("x<y"), store.campaign("efficiencies")
    with pytest.raises(UsageError, match="no plot tree: plots are timeline, messages, waits"):
        run.plot("tree")
    with pytest.raises(MissingInputError, match="no messages between ranks: the run has none"):
        run.plot("messages")
    with pytest.raises(UsageError, match="no plot tree: plots are efficiency, surface, speed-up"):
        campaign.plot("tree")
    with pytest.raises(MissingInputError, match="no plot surface of nosuch: there are those of "):
        campaign.plot("surface", "nosuch")
