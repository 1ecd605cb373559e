"""Bad input gets one clear line naming the file, its own exit code, and leaves nothing behind."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from tracemill import cli

ROOT = Path(__file__).resolve().parents[2]
GOOD = ROOT / "data" / "m01_late_sender"
SUBSTRATE_AT, COMPRESSION_AT = 28, 29


def remove(name: str) -> Callable[[Path], None]:
    return lambda trace: (trace / name).unlink()


def cut(name: str, size: int) -> Callable[[Path], None]:
    return lambda trace: (trace / name).write_bytes((trace / name).read_bytes()[:size])


def patch(place: int) -> Callable[[Path], None]:
    def change(trace: Path) -> None:
        anchor = trace / "traces.otf2"
        content = bytearray(anchor.read_bytes())
        content[place] = 2
        anchor.write_bytes(content)

    return change


def analyze(trace: Path, store: Path, *options: str) -> int:
    return cli.main(["analyze", str(trace), "--store", str(store), *options])


@pytest.mark.parametrize(
    ("damage", "code", "named"),
    [
        (remove("traces.def"), 13, "traces.def is missing"),
        (cut("traces.def", 300), 13, "traces.def is cut short"),
        (remove("traces/1.def"), 13, "1.def is missing"),
        (cut("traces/3.evt", 200), 13, "3.evt is cut short"),
        (cut("traces.otf2", 30), 13, "traces.otf2"),
        (cut("traces.otf2", 0), 12, "traces.otf2"),
        (patch(SUBSTRATE_AT), 14, "SIONlib"),
        (patch(COMPRESSION_AT), 14, "zlib"),
    ],
)
def test_a_damaged_archive_is_one_line_and_leaves_nothing(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    damage: Callable[[Path], None],
    code: int,
    named: str,
) -> None:
    trace = tmp_path / "trace"
    shutil.copytree(GOOD, trace)
    damage(trace)
    assert analyze(trace, tmp_path / "store") == code
    message = capsys.readouterr().err
    assert len(message.splitlines()) == 1
    assert named in message
    assert not list(tmp_path.glob("store/runs/run=*/gen=*"))


def test_a_reader_that_does_not_exist_is_a_wrong_option(tmp_path: Path) -> None:
    assert analyze(GOOD, tmp_path / "store", "--reader", "library", "--explain") == 0
    assert analyze(GOOD, tmp_path / "store", "--reader", "other") == 2


@pytest.mark.parametrize(("name", "code"), [("nowhere", 11), ("empty", 12), ("text.otf2", 12)])
def test_what_is_no_trace_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, code: int
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.otf2").write_text("hello\n")
    assert analyze(tmp_path / name, tmp_path / "store") == code
    message = capsys.readouterr().err
    assert len(message.splitlines()) == 1
    assert name in message


def test_a_process_ends_with_the_code_and_the_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tracemill", "analyze", "nowhere", "--store", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 11
    assert len(done.stderr.splitlines()) == 1


def test_what_is_readable_is_analyzed_and_what_is_missing_is_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rank 1 receives five messages from rank 0; without its file they miss their partner."""
    trace = tmp_path / "trace"
    shutil.copytree(GOOD, trace)
    (trace / "traces" / "1.evt").unlink()
    assert analyze(trace, tmp_path / "store", "--allow-damaged") == 0
    assert "Incomplete trace" in capsys.readouterr().out
    (generation,) = tmp_path.glob("store/runs/run=*/gen=*")
    table = generation / "locations.parquet"
    rows = duckdb.sql(
        f"SELECT record_count, declared_count FROM '{table}' ORDER BY rank"
    ).fetchall()
    assert [read == declared for read, declared in rows] == [True, False, True, True]
    quality = generation / "trace_quality.parquet"
    missing = duckdb.sql(f"SELECT count FROM '{quality}' WHERE kind = 'missing_records'").fetchall()
    assert missing == [(rows[1][1],)]
    unmatched = duckdb.sql(
        f"SELECT count FROM '{quality}' WHERE kind = 'unmatched_send'"
    ).fetchall()
    assert unmatched == [(5,)]
