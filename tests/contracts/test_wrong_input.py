"""Input that is no trace: one line says what it is and what to do; nothing is written."""

import gzip
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tracemill import cli
from tracemill.base.near import near_matches

ROOT = Path(__file__).resolve().parents[2]
GOOD = ROOT / "data" / "m01_late_sender"
MISSING, NO_TRACE, DAMAGED, WRONG_CAMPAIGN = 11, 12, 13, 17
BINARY = b"\x7f\x00\x01\x02\x1b[31mHELLO\x07\xff\xfe" * 50
FILES: Mapping[str, bytes] = {
    "hpct/experiment.xml": b"<?xml?>\n",
    "hpct4/meta.db": BINARY,
    "hpct4/trace.db": BINARY,
    "measured/a-000000-000-1.hpcrun": BINARY,
    "charm/a.sts": b"VERSION 11.0\n",
    "charm/a.0.log": b"PROJECTIONS-RECORD\n",
    "logs/a.0.log.gz": gzip.compress(b"PROJECTIONS-RECORD\n"),
    "gpu/report1.nsys-rep": BINARY,
    "gpu/old.qdrep": BINARY,
    "report.sqlite": b"SQLite format 3\0" + BINARY,
    "renamed": b"SQLite format 3\0" + BINARY,
    "para/a.prv": b"#Paraver (01/01/2020 at 10:00):1:1(1):1\n",
    "para/a.pcf": b"DEFAULT_OPTIONS\n",
    "para/a.row": b"LEVEL CPU SIZE 1\n",
    "cube/profile.cubex": b"anchor.xml" + BINARY,
    "tau/profile.0.0.0": b"12 templated_functions_MULTI_TIME\n",
    "tau2/tautrace.0.0.0.trc": BINARY,
    "tau2/events.0.edf": b"1 dynamic_trace_events\n",
    "a.json": b'{"traceEvents": []}',
    "a.pftrace": BINARY,
    "a.perfetto-trace": BINARY,
    "a.cali": b"__rec=ctx\n",
    "a.tar.gz": gzip.compress(BINARY),
    "program": b"\x7fELF" + BINARY,
    "blob.bin": BINARY,
    "binary.csv": BINARY,
    "packed.csv.gz": gzip.compress(BINARY),
    "cut.csv.gz": gzip.compress(BINARY)[:12],
    "text.csv.gz": gzip.compress(b"hello\n"),
    "utf16.csv": "Name\n".encode("utf-16"),
    "empty.csv": b"",
    "letter.txt": b"Dear all\n",
    "other.csv": b"a,b\n1,2\n",
    "none/notes.txt": b"nothing\n",
}
CONVERT = "convert it to CSV with Pipit (docs/guide/inputs.md)"
RECORD = "record an OTF2 archive of the program (docs/guide/record.md)"
EXPORTED = "name the trace that it was exported from, or record one (docs/guide/record.md)"
PART = "a part of an OTF2 archive; name its anchor good/traces.otf2"
NO_ANCHOR = "an OTF2 archive without its anchor file cut/traces.otf2; copy the archive again"
NAME_ONE = "name an OTF2 archive (traces.otf2) or a trace in CSV"
CSV = "docs/reference/csv.md describes traces in CSV"
NO_HEADER = f"no trace: the first line is not the header of a trace in CSV; {CSV}"
ANSWERS = [
    ("folder", NO_TRACE, "a folder with 2 archives (a/traces.otf2, b/traces.otf2); name one of "
     "them, or analyze all with tracemill campaign or tracemill nightly"),
    ("two", NO_TRACE, "a folder with 2 archives (more.otf2, traces.otf2); name one of them, or "
     "analyze all with tracemill campaign or tracemill nightly"),
    ("none", NO_TRACE, f"no trace inside; {NAME_ONE}"),
    ("goof", MISSING, "no such file or directory; did you mean good?"),
    ("goof/traces.otf2", MISSING, "no such file or directory; did you mean good?"),
    ("zzzz", MISSING, "no such file or directory; check the path of the trace"),
    ("good/traces.def", NO_TRACE, PART),
    ("good/traces", NO_TRACE, PART),
    ("good/traces/0.evt", NO_TRACE, PART),
    ("good/traces/0.def", NO_TRACE, PART),
    ("good/traces.marker", NO_TRACE, PART),
    ("cut", DAMAGED, NO_ANCHOR),
    ("cut/traces.def", DAMAGED, NO_ANCHOR),
    ("cut/traces/0.evt", DAMAGED, NO_ANCHOR),
    ("hpct", NO_TRACE, f"an HPCToolkit database; {CONVERT}"),
    ("hpct/experiment.xml", NO_TRACE, f"an HPCToolkit database; {CONVERT}"),
    ("hpct4", NO_TRACE, f"an HPCToolkit database; {CONVERT}"),
    ("hpct4/trace.db", NO_TRACE, f"an HPCToolkit database; {CONVERT}"),
    ("measured", NO_TRACE, f"HPCToolkit measurements; run hpcprof-mpi, then {CONVERT}"),
    ("charm", NO_TRACE, f"a Projections trace of Charm++; {CONVERT}"),
    ("charm/a.0.log", NO_TRACE, f"a Projections trace of Charm++; {CONVERT}"),
    ("logs", NO_TRACE, f"a Projections trace of Charm++; {CONVERT}"),
    ("logs/a.0.log.gz", NO_TRACE, f"a Projections trace of Charm++; {CONVERT}"),
    ("gpu", NO_TRACE, f"a report of Nsight Systems; {RECORD}"),
    ("gpu/report1.nsys-rep", NO_TRACE, f"a report of Nsight Systems; {RECORD}"),
    ("gpu/old.qdrep", NO_TRACE, f"a report of Nsight Systems; {RECORD}"),
    ("report.sqlite", NO_TRACE, f"an SQLite database, for instance of Nsight Systems; {RECORD}"),
    ("renamed", NO_TRACE, f"an SQLite database, for instance of Nsight Systems; {RECORD}"),
    ("para", NO_TRACE, f"a Paraver trace; {RECORD}"),
    ("para/a.row", NO_TRACE, f"a Paraver trace; {RECORD}"),
    ("cube", NO_TRACE, "a profile in Cube format; name the traces.otf2 of the same run, or "
     f"{RECORD}"),
    ("tau", NO_TRACE, "a TAU profile; record a trace with TAU_TRACE=1 TAU_TRACE_FORMAT=otf2"),
    ("tau2", NO_TRACE, "a TAU trace; convert it to OTF2 with tau2otf2"),
    ("tau2/events.0.edf", NO_TRACE, "a TAU trace; convert it to OTF2 with tau2otf2"),
    ("a.json", NO_TRACE, f"a JSON file, for instance a Chrome trace; {EXPORTED}"),
    ("a.pftrace", NO_TRACE, f"a Perfetto trace; {EXPORTED}"),
    ("a.perfetto-trace", NO_TRACE, f"a Perfetto trace; {EXPORTED}"),
    ("a.cali", NO_TRACE, f"Caliper data; {RECORD}"),
    ("a.tar.gz", NO_TRACE, "a packed folder; unpack it and name the trace in it"),
    ("program", NO_TRACE, f"a program or a core dump; {RECORD}"),
    ("blob.bin", NO_TRACE, f"binary data of unknown kind; {NAME_ONE}"),
    ("binary.csv", NO_TRACE, f"binary data of unknown kind; {NAME_ONE}"),
    ("packed.csv.gz", NO_TRACE, f"binary data of unknown kind; {NAME_ONE}"),
    ("cut.csv.gz", DAMAGED, "nothing of it can be decompressed (Truncated compressed stream); "
     "copy it again"),
    ("pipe", NO_TRACE, f"neither a file nor a folder; {NAME_ONE}"),
    ("text.csv.gz", NO_TRACE, NO_HEADER),
    ("letter.txt", NO_TRACE, NO_HEADER),
    ("utf16.csv", NO_TRACE, "a text in UTF-16 or UTF-32; save it as UTF-8"),
    ("empty.csv", NO_TRACE, f"no trace: the file is empty; {CSV}"),
    ("other.csv", NO_TRACE, "no trace: no column Event Type, Name, Process, Timestamp (ns) or "
     f"Timestamp (s); columns present: a, b; {CSV}"),
    ("kept", NO_TRACE, "a store of analyzed runs; list them with tracemill runs --store kept"),
    ("kept/runs/run=0a1b", NO_TRACE, "results of the analyzed run 0a1b; print them with tracemill "
     "report 0a1b --store kept"),
    ("kept/runs/run=0a1b/gen=1/visits.parquet", NO_TRACE, "results of the analyzed run 0a1b; print "
     "them with tracemill report 0a1b --store kept"),
]  # fmt: skip
CAMPAIGNS = [
    ("goof", MISSING, "goof: no such file or directory; did you mean good?"),
    ("none", MISSING, "no traces: {here}/none: name a folder with OTF2 archives below it"),
    ("good/traces.def", NO_TRACE, f"good/traces.def: {PART}"),
    ("hpct4", NO_TRACE, f"{{here}}/hpct4: an HPCToolkit database; {CONVERT}"),
    ("tau2/events.0.edf", NO_TRACE,
     "tau2/events.0.edf: a TAU trace; convert it to OTF2 with tau2otf2"),
    ("a.json", WRONG_CAMPAIGN, "{here}/a.json: not a JSON file of Extra-P: no 'parameters'"),
    ("blob.bin", WRONG_CAMPAIGN,
     "{here}/blob.bin: no measurements: not a text in UTF-8; see docs/guide/measurements.md"),
    ("logs/a.0.log.gz", WRONG_CAMPAIGN,
     f"no run is left: {{here}}/logs/a.0.log.gz: a Projections trace of Charm++; {CONVERT}"),
    ("pipe", WRONG_CAMPAIGN, "pipe: neither a file nor a folder; name the folder of the runs"),
]  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a good archive and everything that is often taken for a trace."""
    here = tmp_path_factory.mktemp("inputs")
    for name, content in FILES.items():
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_bytes(content)
    for name in ("good", "cut", "two", "folder/a", "folder/b"):
        shutil.copytree(GOOD, here / name)
    (here / "good" / "traces.marker").write_bytes(b"\x03B")
    (here / "cut" / "traces.otf2").unlink()
    shutil.copy(here / "two" / "traces.otf2", here / "two" / "more.otf2")
    generation = here / "kept" / "runs" / "run=0a1b" / "gen=1"
    generation.mkdir(parents=True)
    pq.write_table(pa.table({"visit_id": [1]}), generation / "visits.parquet")
    os.mkfifo(here / "pipe")
    return here


def everything(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


def check(
    command: list[str], expected: tuple[int, str], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code, the only line, and that no file was made."""
    before = everything(place)
    code = cli.main(command)
    printed = capsys.readouterr()
    assert (code, printed.err, printed.out) == (expected[0], f"tracemill: {expected[1]}\n", "")
    assert everything(place) == before


@pytest.mark.parametrize(("name", "code", "answer"), ANSWERS, ids=[each[0] for each in ANSWERS])
def test_analyze_says_what_it_is_and_what_to_do(
    name: str,
    code: int,
    answer: str,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(place)
    check(["analyze", name, "--store", "new"], (code, f"{name}: {answer}"), place, capsys)


@pytest.mark.parametrize(("name", "code", "line"), CAMPAIGNS, ids=[each[0] for each in CAMPAIGNS])
def test_campaign_says_what_it_is_and_what_to_do(
    name: str,
    code: int,
    line: str,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(place)
    command = ["campaign", name, "--store", "new", "--threads", "1"]
    check(command, (code, line.format(here=place)), place, capsys)


def test_a_folder_above_one_archive_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(GOOD, tmp_path / "runs" / "first")
    monkeypatch.chdir(tmp_path)
    line = "runs: a folder above one archive; name runs/first/traces.otf2"
    check(["analyze", "runs"], (NO_TRACE, line), tmp_path, capsys)


def test_a_part_is_recognized_from_within_its_folder(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place / "good" / "traces")
    line = "0.evt: a part of an OTF2 archive; name its anchor ../traces.otf2"
    check(["analyze", "0.evt"], (NO_TRACE, line), place, capsys)


def test_a_trace_in_csv_may_have_the_name_of_another_format(tmp_path: Path) -> None:
    trace = tmp_path / "a.json"
    shutil.copy(ROOT / "data" / "late_sender.csv", trace)
    store = str(tmp_path / "store")
    assert cli.main(["analyze", str(trace), "--store", store, "--no-report"]) == 0


def test_nightly_needs_a_folder(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    missing = "goof: no such folder; did you mean good?"
    check(["nightly", "goof", "--store", "new"], (MISSING, missing), place, capsys)
    file = "good/traces.def: a file; name the folder of the archives"
    check(["nightly", "good/traces.def", "--store", "new"], (MISSING, file), place, capsys)


@pytest.mark.parametrize("command", [["quality", "good"], ["report", "good"], ["compare", "good"]])
def test_a_path_in_place_of_a_run_is_to_be_analyzed_first(
    command: list[str],
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(place)
    (place / "bare" / "runs").mkdir(parents=True, exist_ok=True)
    line = "no run good: bare: not analyzed yet; run tracemill analyze good --store bare first"
    words = [*command, *(["good"] if command[0] == "compare" else []), "--store", "bare"]
    check(words, (MISSING, line), place, capsys)


def test_names_near_another() -> None:
    known = ["visits", "await", "waits_by_rank", "wait_states", "Rank"]
    assert near_matches("wait", known) == ["wait_states", "waits_by_rank"]
    assert near_matches("wait", known, most=3)[-1] == "await"
    assert near_matches("RANK", known) == ["Rank", "waits_by_rank"]
    assert near_matches("vsits", known) == ["visits"]
    assert near_matches("a", known) == []
