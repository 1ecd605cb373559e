"""Choices of a campaign: wrong ones are refused before anything runs, others do what they say."""

import os
import shutil
from pathlib import Path

import duckdb
import pytest

from tracemill.cli import main
from tracemill.engine.analyze import Options, analyze
from tracemill.reports.build_campaign import build_campaign_report
from tracemill.reports.markdown import render_markdown
from tracemill.store.runs import Store

TIMES = "p,q,time_s\n1,10,8\n2,10,4\n4,10,2\n1,20,32\n2,20,17\n4,20,9\n"
VARIANTS = "app,p,n,block,time_s\nx,1,10,32,8\nx,2,10,32,4\nx,1,10,64,9\nx,2,10,64,5\n"


def write(tmp_path: Path, text: str) -> Path:
    table = tmp_path / "runs.csv"
    table.write_text(text)
    return table


def make_archive(folder: Path) -> None:
    folder.mkdir()
    (folder / "traces.otf2").touch()


def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    store = tmp_path / "store"
    code = main(["campaign", *arguments, "--store", str(store), "--no-report"])
    assert code in (2, 11, 17)
    assert not store.exists()
    return capsys.readouterr().err.strip().removeprefix("tracemill: ")


def make(tmp_path: Path, *arguments: str) -> duckdb.DuckDBPyConnection:
    """The tables of a campaign; for such small traces, processes take longest to start."""
    store = tmp_path / "store"
    place = ["--store", str(store), "--threads", "1", "--no-report"]
    assert main(["campaign", *arguments, *place]) == 0
    return Store(store).campaigns.open().connect()


@pytest.fixture
def traces(analyzed_traces: Path, tmp_path: Path) -> Path:
    """Traces in CSV whose names carry no parameters, and their analyses where campaigns look."""
    shutil.copytree(analyzed_traces / "store", tmp_path / "store", copy_function=os.link)
    return analyzed_traces


@pytest.fixture(scope="module")
def analyzed_traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("choices")
    for name, processes in (("ring_1", 2), ("ring_2", 4), ("sort", 3)):
        trace = folder / f"{name}.csv"
        write_trace(trace, processes)
        analyze(trace, store=Store(folder / "store"), options=Options(threads=1))
    return folder


def report(tmp_path: Path) -> str:
    """Its report, without a page full of pictures."""
    return render_markdown(build_campaign_report(Store(tmp_path / "store").campaigns.open()))


def write_trace(path: Path, processes: int) -> None:
    lines = ["Timestamp (ns),Event Type,Name,Process"]
    for rank in range(processes):
        lines += [f"0,Enter,main,{rank}", f"1,Enter,solve,{rank}"]
        lines += [f"{90 // processes},Leave,solve,{rank}", f"100,Leave,main,{rank}"]
    path.write_text("\n".join(lines) + "\n")


# --- Options that would have no effect -----------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "message"),
    [("p{x", "an unpaired brace"), ("{n}", "parameters come from columns here")],
)
def test_a_pattern_for_a_table_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], pattern: str, message: str
) -> None:
    found = refused(tmp_path, capsys, str(write(tmp_path, TIMES)), "--pattern", pattern)
    assert found.startswith(f"pattern '{pattern}': {message}")
    assert "\n" not in found


def test_an_application_goes_before_that_of_a_table(tmp_path: Path) -> None:
    table = str(write(tmp_path, "app,p,time_s\nfoo,1,8\nfoo,2,4\n,4,2\n"))
    names = "SELECT DISTINCT application FROM campaign_runs ORDER BY 1"
    assert make(tmp_path, table).sql(names).fetchall() == [("foo",), ("program",)]
    assert make(tmp_path, table, "--application", "bar").sql(names).fetchall() == [("bar",)]


def test_several_programs_do_not_become_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = str(write(tmp_path, "app,p,time_s\nx,1,8\ny,2,4\n"))
    found = refused(tmp_path, capsys, table, "--application", "bar")
    assert "several programs: x, y" in found


def test_a_name_is_not_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = refused(tmp_path, capsys, str(write(tmp_path, TIMES)), "--name", "../x")
    assert found.startswith("name '../x': not usable for a campaign")


def test_an_expression_may_begin_with_a_hyphen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = str(write(tmp_path, TIMES))
    assert "-100" in refused(tmp_path, capsys, table, "--computation-size", "-p*100")
    make(tmp_path, table, "--computation-size", "-n+30")


# --- Parameters that are named --------------------------------------------------------------------


def test_the_size_is_the_named_parameter(tmp_path: Path) -> None:
    connection = make(tmp_path, str(write(tmp_path, TIMES)), "--size", "q")
    assert connection.sql("SELECT DISTINCT size FROM campaign_runs ORDER BY 1").fetchall() == [
        (10,), (20,)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ("mesh", "size 'mesh': no run has this parameter; parameters are q: name one of them"),
        ("n", "size 'n': no run has this parameter; parameters are q"),
        ("np", "size 'np': this parameter is processes"),
    ],
)
def test_an_unknown_size_is_reported_with_the_parameters_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], size: str, message: str
) -> None:
    error = refused(tmp_path, capsys, str(write(tmp_path, TIMES)), "--size", size)
    assert error.startswith(message)
    assert "\n" not in error


def test_a_size_that_names_of_traces_do_not_tell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is refused before traces are read: this one could not be."""
    make_archive(tmp_path / "cg_p4_m10")
    options = ("--pattern", "p{p}_m{m}", "--size", "q")
    assert "parameters are m:" in refused(tmp_path, capsys, str(tmp_path), *options)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("q**", "'q**' is no expression: write one like n**3"),
        ("mesh**3", "no mesh: names that can be used are d, n, p, processes, q, size"),
        ("10 - q", "it must be 0 or more"),
    ],
)
def test_an_amount_that_cannot_be_is_reported_before_traces_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], expression: str, message: str
) -> None:
    make_archive(tmp_path / "cg_p4_q20")
    names = ("--pattern", "p{p}_q{q}", "--size", "q", "--computation-size", expression)
    assert message in refused(tmp_path, capsys, str(tmp_path), *names)


def test_the_size_per_process_may_be_chosen(tmp_path: Path) -> None:
    """T(4, 20) = 9 s: a fourth of 20 falls to each process, or by choice the half."""
    table = str(write(tmp_path, TIMES))
    text = """
        SELECT value * 9 FROM performance_indices
        WHERE model = 'size-relative' AND processes = 4 AND size = 20
    """
    assert make(tmp_path, table, "--size", "q").execute(text).fetchall() == [(5,)]
    chosen = make(tmp_path, table, "--size", "q", "--size-per-process", "q/sqrt(p)")
    assert chosen.execute(text).fetchall() == [(10,)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('scaled_size = "n"', "scaled_size 'n': write an expression of p"),
        ('size_per_process = "m/p"', "no m"),
        ('size_per_process = "n/"', "no expression"),
        ('efficiency_bounds = "2"', "each must lie between 0 and 1"),
        ('published_marks = "none.csv"', "cannot read"),
        ('size = "q"', "size 'q': no run has this parameter"),
        ('variants = "mixed"', "variants: input should be 'apart' or 'best'"),
    ],
)
def test_choices_of_a_file_are_reported_before_traces_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, message: str
) -> None:
    make_archive(tmp_path / "cg_p4")
    (tmp_path / "cg.toml").write_text(f'runs = ["cg_*"]\n{line}\n')
    assert message in refused(tmp_path, capsys, str(tmp_path / "cg.toml"))


# --- Variants ------------------------------------------------------------------------------------


def test_variants_are_programs_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """8/(2·4) = 1 with blocks of 32, and 9/(2·5) with those of 64."""
    connection = make(tmp_path, str(write(tmp_path, VARIANTS)))
    assert connection.sql(
        "SELECT application, efficiency FROM efficiency_grid WHERE processes = 2 ORDER BY ALL"
    ).fetchall() == [("x block=32", 1.0), ("x block=64", 0.9)]
    message = " ".join(capsys.readouterr().err.split())
    assert "x: runs differ in block: each value is a program of its own" in message


def test_the_best_variant_counts_where_that_is_chosen_and_the_report_says_so(
    tmp_path: Path,
) -> None:
    connection = make(tmp_path, str(write(tmp_path, VARIANTS)), "--variants", "best")
    assert connection.sql(
        "SELECT application, time_ns, variant FROM efficiency_grid ORDER BY processes"
    ).fetchall() == [("x", 8_000_000_000, "block=32"), ("x", 4_000_000_000, "block=32")]
    assert (
        "Runs differ in block (32, 64). The grid and the models use the best run of each"
        in report(tmp_path)
    )


def test_a_parameter_of_one_value_makes_no_variants(tmp_path: Path) -> None:
    text = VARIANTS.replace(",64,", ",32,")
    connection = make(tmp_path, str(write(tmp_path, text)))
    assert connection.sql("SELECT DISTINCT application FROM campaign_runs").fetchall() == [("x",)]
    assert "runs differ in" not in report(tmp_path)


# --- Scaling, and references ---------------------------------------------------------------------


@pytest.mark.parametrize("place", ["option", "file"])
def test_programs_of_other_references_are_ranked_together_only_if_asked(
    tmp_path: Path, place: str
) -> None:
    """The speed-up of x is over 1 process, that of y over 2."""
    times = "app,p,n,time_s\n" + "".join(
        f"{app},{p},{n},{n / p}\n" for app, few in (("x", 1), ("y", 2)) for p in (few, 4)
        for n in (10, 20)
    )  # fmt: skip
    table = str(write(tmp_path, times))
    query = "SELECT count(DISTINCT comparison) FROM mark_rankings"
    assert make(tmp_path, table).sql(query).fetchall() == [(2,)]
    if place == "option":
        arguments = [table, "--rank-across-references"]
    else:
        listed = tmp_path / "runs.toml"
        listed.write_text('rank_across_references = true\n[[measurements]]\npath = "runs.csv"\n')
        arguments = [str(listed)]
    assert make(tmp_path, *arguments).sql(query).fetchall() == [(1,)]


def test_the_report_tells_the_declared_scaling(tmp_path: Path) -> None:
    make(tmp_path, str(write(tmp_path, TIMES)), "--size", "q", "--scaling", "scaled size")
    text = report(tmp_path)
    assert "Scaling: scaled size, which grows with processes. " in text
    assert "Speed-up of program" not in text


# --- Names of programs ---------------------------------------------------------------------------


def test_traces_whose_names_tell_nothing_are_programs_by_their_names(
    traces: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "campaign.toml"
    listed.write_text(f'runs = ["{traces}/*.csv"]\n')
    connection = make(tmp_path, str(listed))
    assert connection.sql(
        "SELECT application, count(*) FROM campaign_runs GROUP BY ALL ORDER BY ALL"
    ).fetchall() == [("ring", 2), ("sort", 1)]
    assert "2 programs, named after their traces: ring, sort" in " ".join(
        capsys.readouterr().err.split()
    )
    text = report(tmp_path).replace("\\", "")
    assert "ring: 2 runs are grouped by the names of their traces, ring_1 to ring_2" in text


def test_a_given_program_is_one(traces: Path, tmp_path: Path) -> None:
    listed = tmp_path / "campaign.toml"
    listed.write_text(f'application = "cg"\nruns = ["{traces}/ring_2.csv", "{traces}/sort.csv"]\n')
    connection = make(tmp_path, str(listed))
    assert connection.sql(
        "SELECT application, named_by, count(*) FROM campaign_runs "
        "JOIN campaign_settings USING (application) GROUP BY ALL"
    ).fetchall() == [("cg", "given", 2)]


# --- Mistakes ------------------------------------------------------------------------------------


def test_reports_of_all_runs_are_written_and_linked_if_chosen(
    traces: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reports = tmp_path / "store" / "reports"
    command = ["campaign", "--application", "all", "--store", str(reports.parent)]
    assert main([*command, "--run-reports"]) == 0
    pages = sorted(reports.glob("run=*/index.html"))
    assert len(pages) == 3
    (page,) = reports.glob("campaign=*/index.html")
    text = page.read_text()
    assert all(f'href="../{each.parent.name}/index.html"' in text for each in pages)
    assert main([*command, "--run-reports", "--no-report"]) == 2
    assert "--run-reports needs a report" in capsys.readouterr().err


def test_all_mistakes_of_a_table_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = "".join(f"x{number},1\n" for number in range(12))
    table = write(tmp_path, f"p,time_s\n2,1\n4\n8,fast\n{bad}")
    first, *others = refused(tmp_path, capsys, str(table)).split("; ")
    assert first == f"14 mistakes: {table}: line 3: 1 cells, but 2 columns"
    assert others[0].startswith(f"{table}: line 4: time_s is not a number")
    assert others[-1] == "and 4 more"
    assert len(others) == 10


def test_mistakes_are_left_out_where_damage_is_allowed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = write(tmp_path, "p,time_s\n2,1\n4\n8,fast\n16,0\n")
    connection = make(tmp_path, str(table), "--allow-damaged")
    assert connection.sql("SELECT processes FROM campaign_runs").fetchall() == [(2,)]
    message = " ".join(capsys.readouterr().err.split())
    for line in ("line 3", "line 4", "line 5"):
        assert f"left out: {table}: {line}" in message


def test_all_mistakes_of_a_list_are_reported_by_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = write(tmp_path, "trace,p,n\na.csv,4,1\nb.csv,many,1\nc.csv,0,1\n,4,1\nd.csv,4,-1\n")
    error = refused(tmp_path, capsys, str(listed))
    for number, what in ((3, "processes is not a number"), (4, "processes cannot be 0"),
                         (5, "no trace is named"), (6, "size cannot be -1")):  # fmt: skip
        assert f"{listed}: line {number}: {what}" in error


def test_one_bad_report_of_mpip_can_be_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reports = tmp_path / "reports"
    reports.mkdir()
    source = Path(__file__).resolve().parents[2] / "data" / "campaigns" / "mpip"
    for report in source.glob("*.mpiP"):
        (reports / report.name).write_text(report.read_text())
    (reports / "a_p3.mpiP").write_text("@ mpiP\n@ Command : sweep\n")
    assert "a_p3.mpiP: no section" in refused(tmp_path, capsys, str(reports))
    connection = make(tmp_path, str(reports), "--allow-damaged")
    assert connection.sql("SELECT count(*) FROM campaign_runs").fetchall() == [(3,)]


# --- Overhead classes ----------------------------------------------------------------------------


def test_classes_of_overhead_can_be_given(tmp_path: Path) -> None:
    """`solve` counts as moving data where a rule says so, which shipped rules do not."""
    (tmp_path / "runs").mkdir()
    for processes in (2, 4):
        write_trace(tmp_path / "runs" / f"cg_p{processes}.csv", processes)
    shipped = Path(__file__).resolve().parents[2] / "queries" / "overheads" / "overhead_classes.csv"
    own = tmp_path / "own.csv"
    header = "paradigm,role,name,class,subclass\n"
    own.write_text(shipped.read_text().replace(header, f"{header}*,*,solve,data movement,I/O\n"))
    (tmp_path / "cg.toml").write_text('runs = ["runs/*.csv"]\npattern = "cg_p{p}"\n')
    connection = make(tmp_path, str(tmp_path / "cg.toml"), "--overhead-classes", str(own))
    # A process is in `solve` from 1 ns to 90 ns divided by the processes.
    assert connection.sql(
        "SELECT processes, value_ns FROM run_metrics JOIN campaign_runs USING (campaign_run_id) "
        "WHERE metric = 'overhead_data_movement' ORDER BY 1"
    ).fetchall() == [(2, 2 * 44), (4, 4 * 21)]
    arguments = ["campaign", "--store", str(tmp_path / "store"), "--overhead-classes", str(own)]
    assert main(arguments) == 2


def test_all_mistakes_of_a_campaign_file_are_reported_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "all.toml"
    file.write_text(
        'application = 5\nscaling = "some"\ncomputation_sise = "n"\nruns = ["none_*", "/nil_*"]\n'
        "[[failed]]\nsize = 400\nnode = 1\n"
    )
    found = refused(tmp_path, capsys, str(file))
    assert found.startswith("7 mistakes: ")
    for each in (
        f"{file}: application: input should be a valid string, not 5",
        f"{file}: scaling: ",
        f"{file}: unknown field computation_sise: fields are name, application, ",
        f"{file}: failed.0.processes is missing",
        f"{file}: unknown field failed.0.node: fields are processes, threads, ",
        f"runs: nothing in {tmp_path} matches none_*",
        "runs: nothing matches /nil_*",
    ):
        assert each in found
