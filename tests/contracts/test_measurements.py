"""Measurements without traces: tables of times, files for Extra-P and reports of mpiP."""

import json
from pathlib import Path

import pytest

from tracemill.base.errors import CampaignError, MissingInputError
from tracemill.campaign.inputs import detect_format, read_measurements
from tracemill.campaign.inputs.extrap import read_extrap
from tracemill.campaign.inputs.measurements import CallSite, Frame, MeasuredRuns, RegionTime

EXAMPLES = Path(__file__).parents[2] / "data" / "campaigns"
MS, SECOND = 1_000_000, 1_000_000_000


def read(folder: Path, name: str, text: str) -> MeasuredRuns:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_measurements(path)


def configurations(measurements: MeasuredRuns) -> list[tuple[str, ...]]:
    return [tuple(run.parameters.values()) for run in measurements]


# --- Tables of times -----------------------------------------------------------------------------


def test_a_table_of_times() -> None:
    found = read_measurements(EXAMPLES / "timings.csv")
    assert {run.application for run in found} == {"stencil"}
    first, last = found.runs[0], found.runs[-1]
    assert dict(first.parameters) == {
        "processes": "1", "size": "100", "repetition": "1", "block": "32",
    }  # fmt: skip
    assert (first.time_ns, first.state, first.reason) == (8 * SECOND, "measured", None)
    assert first.place.endswith("timings.csv: line 3")
    assert (last.time_ns, last.state, last.reason) == (
        None, "out of memory", "killed by the system",
    )  # fmt: skip


def test_a_table_of_efficiencies() -> None:
    found = read_measurements(EXAMPLES / "efficiencies.csv", application="stencil")
    assert [(run.efficiency, run.time_ns) for run in found] == [
        (0.315, None), (0.33, None), (0.24, None), (0.2925, None),
    ]  # fmt: skip
    assert configurations(found)[0] == ("4", "1024")
    assert found.runs[0].application == "stencil"


@pytest.mark.parametrize(
    ("column", "cell", "time_ns"),
    [
        ("time_s", "0.1", 100 * MS),
        ("time_ms", "1e3", SECOND),
        ("time_us", "2.5", 2500),
        ("time_ns", "9007199254740993", 9007199254740993),
        ("Time_S", "0.0000000004", 0),
    ],
)
def test_times_have_units(tmp_path: Path, column: str, cell: str, time_ns: int) -> None:
    (run,) = read(tmp_path, "t.csv", f"p,{column}\n4,{cell}\n")
    assert run.time_ns == time_ns


def test_lines_that_are_alike_are_repetitions(tmp_path: Path) -> None:
    found = read(tmp_path, "t.csv", "np,time_s\n4,1.5\n4,1.5\n")
    assert [run.time_ns for run in found] == [1500 * MS] * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("# nothing\n", "only comments"),
        ("p,time_s\n", "no runs"),
        ("n,time_s\n100,1\n", r"line 2: no number of processes: parameters are size"),
        ("p,time\n4,1\n", r"line 1: in which unit is time\? no column time_s"),
        ("p,n\n4,1\n", r"line 1: no column time_s.* columns present: p, n"),
        ("p,time_s,time_ns\n4,1,1\n", r"line 1: time_s and time_ns: use only one of them"),
        ("p,ranks,time_s\n4,4,1\n", r"line 1: two columns mean processes"),
        ("p,time_s\n4,1,2\n", r"line 2: 3 cells, but 2 columns"),
        ("p,time_s\n4,-1\n", r"line 2: time_s is negative: -1"),
        ("p,time_s\n4,NaN\n", r"line 2: time_s is NaN"),
        ("p,time_s\n4,inf\n", r"line 2: time_s is inf"),
        ("p,time_s\n4,fast\n", r"line 2: time_s is not a number: 'fast'"),
        ("p,time_s\n4,1e12\n", r"line 2: time_s is longer than 292 years"),
        ("p,time_s\n4,1e9999999999\n", r"line 2: time_s is beyond any measure"),
        ("p,time_s\nfour,1\n", r"line 2: processes is not a number: 'four'"),
        ("p,time_s\n2.5,1\n", r"line 2: processes cannot be 2.5"),
        ("p,time_s\n0,1\n", r"line 2: processes cannot be 0"),
        ("p,time_s\n4,\n", r"line 2: neither time nor efficiency"),
        ("p,time_s,state\n4,,gone\n", r"line 2: unknown state 'gone'"),
        ("p,time_s,state\n4,1,failed\n", r"line 2: failed, but it has a time"),
        ("p,efficiency\n4,81\n", r"line 2: efficiency cannot be 81: is it in percent"),
        ("p,efficiency\n4,-0.1\n", r"line 2: efficiency is negative"),
        ("p,r,time_s\n4,1,1\n8,1,1\n4,1,2\n", r"line 4: the same run as in line 2"),
        ('p,time_s\n4,"1\n', r"line 2: not a table"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CampaignError, match=message):
        read(tmp_path, "t.csv", text)


# --- Extra-P -------------------------------------------------------------------------------------


# The time of main holds that of solve and MPI_Allreduce: 5.00 + 0.10 < 5.20.
@pytest.mark.parametrize("name", ["extrap.txt", "extrap.json", "extrap.jsonl"])
def test_layouts_of_extrap_tell_the_same(name: str) -> None:
    found = read_measurements(EXAMPLES / name)
    assert [(*run.parameters.values(), run.time_ns) for run in found] == [
        ("2", "100", "1", 5_200 * MS), ("2", "100", "2", 5_220 * MS),
        ("4", "100", "1", 2_800 * MS), ("4", "100", "2", 2_810 * MS),
        ("8", "100", "1", 1_650 * MS), ("8", "100", "2", 1_660 * MS),
    ]  # fmt: skip
    if name != "extrap.jsonl":
        assert found.runs[5].regions == (
            RegionTime(call_path=("main",), time_ns=1_660 * MS, callees_ns=1_560 * MS),
            RegionTime(call_path=("main", "solve"), time_ns=1_260 * MS),
            RegionTime(call_path=("main", "MPI_Allreduce"), time_ns=300 * MS),
        )
        assert "that of main with all callees" in found.notes[0]


def test_times_without_what_is_called_are_summed_up(tmp_path: Path) -> None:
    text = (
        "PARAMETER p\nPOINTS 2 4\nREGION main\nDATA 1\nDATA 1\nREGION main->solve\nDATA 8\nDATA 4\n"
    )
    found = read(tmp_path, "e.txt", text)
    assert [run.time_ns for run in found] == [9 * SECOND, 5 * SECOND]
    assert "sum of all regions: main takes less time than its callees" in found.notes[0]


def test_regions_side_by_side_are_summed_up(tmp_path: Path) -> None:
    text = "PARAMETER p\nPOINTS (2)\nREGION solve\nMETRIC time\nDATA 1\nREGION talk\nDATA 8\n"
    found = read(tmp_path, "e.txt", text)
    assert [run.time_ns for run in found] == [9 * SECOND]
    assert "none calls all others" in found.notes[0]


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ("PARAMETER p\nPOINTS 2 4.0", [("2",), ("4",)]),
        ("PARAMETER p\nPOINTS (2)(4)", [("2",), ("4",)]),
        ("PARAMETER p\nPARAMETER n\nPOINTS ( 2 1e3 )\nPOINTS ( 4 0.5 )",
         [("2", "1000"), ("4", "0.5")]),
        ("PARAMETER p n\nPOINTS ((2) (10)) ((4) (10))", [("2", "10"), ("4", "10")]),
    ],
)  # fmt: skip
def test_points_are_written_in_several_ways(
    tmp_path: Path, points: str, expected: list[tuple[str, ...]]
) -> None:
    found = read(tmp_path, "e.txt", f"# made by hand\n{points}\nREGION main\nDATA 1\nDATA 2\n")
    assert [key[:-1] for key in configurations(found)] == expected


@pytest.mark.parametrize(
    ("metric", "time_ns"),
    [
        ("time", 2 * SECOND),
        ("Runtime [ms]", 2 * MS),
        ("wall_time_us", 2000),
        ("anything", 2 * SECOND),
    ],
)
def test_metrics_may_tell_their_unit(tmp_path: Path, metric: str, time_ns: int) -> None:
    text = f"PARAMETER p\nPOINTS 2\nREGION main\nMETRIC {metric}\nDATA 2\n"
    assert read(tmp_path, "e.txt", text).runs[0].time_ns == time_ns


def test_the_time_counts_among_other_metrics(tmp_path: Path) -> None:
    path = tmp_path / "e.txt"
    path.write_text(
        "PARAMETER p\nPOINTS 2\nREGION main\nMETRIC cpu_ms\nDATA 3\nMETRIC time\nDATA 2\n"
    )
    assert read_extrap(path).runs[0].time_ns == 2 * SECOND


OLD_JSON = {
    "parameters": [{"id": 1, "name": "p"}, {"id": 2, "name": "n"}],
    "callpaths": [{"id": 1, "name": "main"}],
    "metrics": [{"id": 1, "name": "time"}],
    "coordinates": [
        {"id": 1, "parameter_value_pairs": [
            {"parameter_id": 2, "parameter_value": 100}, {"parameter_id": 1, "parameter_value": 4}]}
    ],
    "measurements": [
        {"id": 1, "callpath_id": 1, "coordinate_id": 1, "metric_id": 1, "value": 1.5},
        {"id": 2, "callpath_id": 1, "coordinate_id": 1, "metric_id": 1, "value": 1.25},
    ],
}  # fmt: skip


def test_the_older_json_layout_refers_by_ids(tmp_path: Path) -> None:
    found = read(tmp_path, "e.json", json.dumps(OLD_JSON))
    assert [(*run.parameters.values(), run.time_ns) for run in found] == [
        ("4", "100", "1", 1500 * MS), ("4", "100", "2", 1250 * MS),
    ]  # fmt: skip


HEAD = "PARAMETER p\nPOINTS 2 4\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD, "write lines of DATA"),
        (f"{HEAD}REGION main\nDATA 1\n", r"line 3: 1 lines of DATA for 2 points"),
        (f"{HEAD}REGION main\nDATA 1\nDATA 1\nDATA 1\n", r"line 6: more lines of DATA than the 2"),
        (f"{HEAD}DATA 1\nDATA -1\n", r"line 4: time is negative: -1"),
        (f"{HEAD}DATA 1\nDATA nan\n", r"line 4: time is nan"),
        (f"{HEAD}DATA 1\nDATA x\n", r"line 4: time is not a number: 'x'"),
        (f"{HEAD}DATA 1\nDATA\n", r"line 4: DATA is empty"),
        (f"{HEAD}VALUES 1\n", r"line 3: unknown keyword 'VALUES'"),
        ("POINTS 2\nPARAMETER p\nDATA 1\n", r"line 1: write PARAMETER before POINTS"),
        ("PARAMETER p n\nPOINTS 2 4 8\nDATA 1\n", r"line 2: 3 coordinates do not make points of 2"),
        ("PARAMETER p\nPOINTS 2 2\nDATA 1\nDATA 1\n", r"line 4: point \(2\) is listed twice"),
        ("PARAMETER x\nPOINTS 2\nDATA 1\n", r"point \(2\): no number of processes"),
        ("PARAMETER p ranks\nPOINTS 2 2\nDATA 1\n", r"processes may be given once"),
        (f"{HEAD}METRIC a\nDATA 1\nDATA 1\nMETRIC b\nDATA 1\nDATA 1\n",
         "which metric is the elapsed"),
        ("PARAMETER p\nPOINTS 2\nREGION a\nDATA 1 2\nREGION b\nDATA 1\n",
         r"point \(2\): regions have different numbers of values: a 2, b 1"),
        (f"{HEAD}DATA 1\nDATA 1\nPOINTS 8\n", r"line 5: write PARAMETER and POINTS before"),
    ],
)  # fmt: skip
def test_a_text_for_extrap_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CampaignError, match=message):
        read(tmp_path, "e.txt", text)


def nested(points: str) -> str:
    return f'{{"parameters": ["p"], "measurements": {{"main": {{"time": [{points}]}}}}}}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{\n oops", r"line 2: not JSON"),
        ("[]", "not a JSON object"),
        ("[" * 100_000, "not a JSON file of Extra-P"),
        (nested(f'{{"point": [2], "values": [1{"0" * 5000}]}}'), "time is beyond any measure"),
        ('{"parameters": ["p"]}', "no 'measurements'"),
        (nested(""), "no measurements are listed"),
        (nested('{"point": [2]}'), "no 'values'"),
        (nested('{"point": [2, 3], "values": [1]}'), "has 2 coordinates, but there are 1"),
        (nested('{"point": [2], "values": [NaN]}'), r"point \(2\): time is NaN"),
        (nested('{"point": [2], "values": [null]}'), r"time is not a number: None"),
        (nested('{"point": [2], "values": [-1]}'), r"main: time: point \(2\): time is negative"),
        (nested('{"point": [2], "values": [1]}, {"point": [2.0], "values": [1]}'), "listed twice"),
        (json.dumps(OLD_JSON | {"metrics": []}), "measurement 1: refers to 1, which is not listed"),
        ('{"params": {"p": 2}, "value": 1}\n{"params": {"p": 2}}', "line 2: there is no value"),
        ('{"params": {"p": 2}, "value": 1}\n{"params": {"q": 2}, "value": 1}', "line 2: param"),
        ('{"params": {"p": 2}, "value": 1}\n{"params": ', "line 2: not JSON"),
        ('{"params": {"p": 2}, "value": 1}\n7', "line 2: not an object"),
        ('{"params": {"p": 2}, "value": [1, -2]}', "line 1: time is negative: -2"),
    ],
)  # fmt: skip
def test_a_json_for_extrap_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CampaignError, match=message):
        read(tmp_path, "e.json", text)


# --- mpiP ----------------------------------------------------------------------------------------


def test_a_folder_of_reports() -> None:
    found = read_measurements(EXAMPLES / "mpip")
    assert [dict(run.parameters) for run in found] == [
        {"processes": p, "size": "100"} for p in ("2", "4", "8")
    ]
    assert {run.application for run in found} == {"sweep"}
    # AppTime of rank 0, which waits longest: 0.48, 0.32 and 0.34 s.
    assert [run.time_ns for run in found] == [480 * MS, 320 * MS, 340 * MS]
    assert [len(run.tasks) for run in found] == [2, 4, 8]
    assert found.notes == ()


def test_a_report_lists_calls_of_processes() -> None:
    run = read_measurements(EXAMPLES / "mpip" / "sweep_p4_n100.mpiP").runs[0]
    assert [(task.rank, task.time_ns, task.communication_ns) for task in run.tasks][:2] == [
        (0, 320 * MS, 120 * MS), (1, 290 * MS, 90 * MS),
    ]  # fmt: skip
    wait = CallSite(
        operation="MPI_Wait",
        frames=(
            Frame(function="exchange", file="exchange.f", line=71),
            Frame(function="sweep", file="sweep.f", line=30),
        ),
    )
    assert (wait.call_path, wait.place) == ("sweep/exchange/MPI_Wait", "exchange.f:71")
    # 10 calls of 6 ms in the mean on rank 0, of 3 ms on the others.
    assert [
        (call.rank, call.call_count, call.total_ns, call.shortest_ns, call.longest_ns)
        for call in run.call_sites
        if call.site == wait
    ] == [
        (0, 10, 60 * MS, 3 * MS, 12 * MS),
        *((rank, 10, 30 * MS, 1_500_000, 6 * MS) for rank in (1, 2, 3)),
    ]


def test_call_sites_are_the_same_in_reports_that_number_them_differently() -> None:
    found = read_measurements(EXAMPLES / "mpip")
    sites = [{call.site.identity for call in run.call_sites} for run in found]
    assert sites[0] == sites[1] == sites[2]
    assert len(sites[0]) == 4


REPORT = (EXAMPLES / "mpip" / "sweep_p2_n100.mpiP").read_text()


def report(folder: Path, *changes: tuple[str, str], name: str = "a.2.1.1.mpiP") -> MeasuredRuns:
    text = REPORT
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return read(folder, name, text)


def test_call_sites_without_source_are_known_by_function_or_address(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        ("exchange.f             52 exchange ", "0x405b76                  exchange "),
        ("exchange.f             71 exchange ", "0x405c12                  [unknown]"),
        ("  1   1 sweep.f                30 sweep\n", ""),
        ("  2   1 sweep.f                30 sweep\n", ""),
    )
    sites = {call.site.identity: call.site for call in found.runs[0].call_sites}
    send, wait = sites["MPI_Send\nexchange"], sites["MPI_Wait\n0x405c12"]
    assert (send.call_path, send.place) == ("exchange/MPI_Send", "0x405b76")
    assert (wait.call_path, wait.place) == ("[unknown]/MPI_Wait", "0x405c12")
    assert "without file and line" in found.notes[0]


def test_names_of_functions_may_have_spaces(tmp_path: Path) -> None:
    name = "std::pair<int, long> ns::exchange(int, char const*)"
    found = report(tmp_path, ("52 exchange                 Send", f"52 {name} Send"))
    assert found.runs[0].call_sites[0].site.frames[0].function == name


def test_sites_that_cannot_be_distinguished_are_taken_together(tmp_path: Path) -> None:
    found = report(tmp_path, ("exchange.f             88", "exchange.f             71"))
    waits = [call for call in found.runs[0].call_sites if call.site.operation == "MPI_Wait"]
    # 10 calls of 2 ms and 10 of 2 ms on rank 0; 10 of 1 ms and 10 of 2 ms on rank 1.
    assert [(c.rank, c.call_count, c.total_ns, c.shortest_ns) for c in waits] == [
        (0, 20, 40 * MS, MS), (1, 20, 30 * MS, MS // 2),
    ]  # fmt: skip


def test_names_of_reports_tell_parameters(tmp_path: Path) -> None:
    found = report(tmp_path, name="other_p2_n7_r3.mpiP")
    assert dict(found.runs[0].parameters) == {"processes": "2", "size": "7", "repetition": "3"}
    (tmp_path / "p2_n9_r1").mkdir()
    found = report(tmp_path / "p2_n9_r1")
    assert dict(found.runs[0].parameters) == {"processes": "2", "size": "9", "repetition": "1"}
    path = tmp_path / "p2_n9_r1" / "a.2.1.1.mpiP"
    found = read_measurements(path, pattern="p{p}_n{block}")
    assert dict(found.runs[0].parameters) == {"processes": "2", "block": "9"}


def test_calls_that_a_report_hides_are_noted(tmp_path: Path) -> None:
    # As mpiP -t does: the row of rank 1 is not there, but counts in the row of all.
    found = report(tmp_path, ("Send                 1    1 ", "Send                 1    * "))
    assert "of 1 call sites not all calls are listed" in found.notes[0]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("@ mpiP\n", "", "no report of mpiP: it does not begin with @ mpiP"),
        ("@--- MPI Time", "@--- Task Time", "no section MPI Time"),
        ("   0       0.48", "   0      -0.48", r"line 14: AppTime is negative"),
        ("   0       0.48", "   0        nan", r"line 14: AppTime is nan"),
        ("   1       0.47", "   0       0.47", r"line 15: task 0 is listed twice"),
        ("Task    AppTime", "Task    Time   ", r"line 13: no column AppTime"),
        ("0.48       0.08    16.67", "0.48       0.08", r"line 14: 3 cells, but 4 columns"),
        ("  2   0 exchange.f", "  2   1 exchange.f", r"call site 2 has no caller 0"),
        ("  2   0 exchange.f", "  x   0 exchange.f", r"no call site"),
        ("Wait                 2    0", "Wait                 9    0",
         "site 9 is not in the section"),
        ("Wait                 2    1", "Wait                 2    5",
         "rank 5, but there are 2 tasks"),
        ("10        4        2        1   4.17", "10        4       -2        1   4.17",
         "Mean is negative: -2"),
        ("Send                 1    0     10", "Send                 1    0    1.5",
         "count is not a whole number: 1.5"),
    ],
)  # fmt: skip
def test_a_report_that_cannot_be_used(
    tmp_path: Path, before: str, after: str, message: str
) -> None:
    with pytest.raises(CampaignError, match=message):
        report(tmp_path, (before, after))


def test_a_report_must_have_as_many_tasks_as_its_name_says(tmp_path: Path) -> None:
    with pytest.raises(CampaignError, match="its name says 4 processes, but the report has 2"):
        report(tmp_path, name="a_p4_n7_r3.mpiP")


# --- Formats -------------------------------------------------------------------------------------


def test_formats_are_recognized_by_content(tmp_path: Path) -> None:
    for name in ("timings.csv", "extrap.txt", "extrap.json"):
        text = (EXAMPLES / name).read_text()
        (tmp_path / "file").write_text(text)
        if name == "extrap.txt":
            assert detect_format(tmp_path / "file") == "extra-p"
        assert detect_format(EXAMPLES / name) == ("timings" if name == "timings.csv" else "extra-p")
    (tmp_path / "report.txt").write_text(REPORT)
    assert detect_format(tmp_path / "report.txt") == "mpip"
    assert detect_format(EXAMPLES / "mpip") == "mpip"


def test_what_is_no_measurement_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="no such file"):
        read_measurements(tmp_path / "none.csv")
    with pytest.raises(MissingInputError, match="no reports of mpiP"):
        read_measurements(tmp_path)
    with pytest.raises(CampaignError, match="unknown format of measurements"):
        read(tmp_path, "notes.txt", "hello\n")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CampaignError, match="not a text in UTF-8"):
        read_measurements(tmp_path / "binary.csv")
    with pytest.raises(CampaignError, match="this is a folder: name a file"):
        read_measurements(tmp_path, format="timings")
