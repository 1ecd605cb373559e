"""Bad input gets one clear line naming the file, its own exit code, and leaves nothing behind."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

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


def analyze(trace: Path, store: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pipeline", "analyze", str(trace), "--store", str(store)]
    return subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("damage", "code", "named"),
    [
        (remove("traces.def"), 13, "traces.def is missing"),
        (cut("traces.def", 300), 13, "traces.def is cut short"),
        (remove("traces/1.def"), 13, "1.def is missing"),
        (remove("traces/2.evt"), 13, "2.evt is missing"),
        (cut("traces/3.evt", 200), 13, "3.evt is cut short"),
        (cut("traces.otf2", 30), 13, "traces.otf2"),
        (cut("traces.otf2", 0), 12, "traces.otf2"),
        (patch(SUBSTRATE_AT), 14, "SIONlib"),
        (patch(COMPRESSION_AT), 14, "zlib"),
    ],
)
def test_a_damaged_archive_is_one_line_and_leaves_nothing(
    tmp_path: Path, damage: Callable[[Path], None], code: int, named: str
) -> None:
    trace = tmp_path / "trace"
    shutil.copytree(GOOD, trace)
    damage(trace)
    done = analyze(trace, tmp_path / "store")
    assert done.returncode == code, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert named in done.stderr
    assert not list(tmp_path.glob("store/runs/run=*/gen=*"))


@pytest.mark.parametrize(("name", "code"), [("nowhere", 11), ("empty", 12), ("text.otf2", 12)])
def test_what_is_no_trace_is_one_line(tmp_path: Path, name: str, code: int) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.otf2").write_text("hello\n")
    done = analyze(tmp_path / name, tmp_path / "store")
    assert done.returncode == code
    assert len(done.stderr.splitlines()) == 1
    assert name in done.stderr


def test_what_is_readable_is_analysed_and_what_is_missing_is_counted(tmp_path: Path) -> None:
    """Rank 1 receives five messages from rank 0; without its file they miss their partner."""
    trace = tmp_path / "trace"
    shutil.copytree(GOOD, trace)
    (trace / "traces" / "1.evt").unlink()
    done = analyze(trace, tmp_path / "store", "--allow-damaged")
    assert done.returncode == 0, done.stderr
    assert "Incomplete trace" in done.stdout
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
