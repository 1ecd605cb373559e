"""Kernels compile when they are first needed, once for all processes, and run without numba."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.helpers import small_kernels
from tests.helpers.small_kernels import Pair
from tracemill.base.caches import FOLDER_VARIABLE
from tracemill.kernels import code_cache, compilers

ROOT = Path(__file__).parents[2]
CALL_DOUBLE = """
import sys
import numpy as np
from tests.helpers.small_kernels import double
table = np.arange(4).reshape(2, 2)
double(table)
assert table.tolist() == [[0, 2], [4, 6]], table
assert not {"numba", "scipy"} & sys.modules.keys()
"""


def start(script: str, folder: Path, **environment: str) -> subprocess.Popen[str]:
    """A process with its machine code in a folder."""
    return subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, text=True, stderr=subprocess.PIPE,
        env={**os.environ, FOLDER_VARIABLE: str(folder), **environment},
    )  # fmt: skip


def ended(process: subprocess.Popen[str]) -> str:
    """What a process that has succeeded wrote as errors."""
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    return errors


def test_tuples_scalars_and_results_are_those_of_python() -> None:
    pair = Pair(np.array([3, 4, 5]), np.array([1, -1, 2], np.int32))
    # 3·1 − 4 + 5·2 = 9, and 7 for each of three rows: 30
    found = small_kernels.describe(pair, 7, np.bool_(False), 0.5)
    assert found == (30, 7.5, True, (2, 5))
    assert [type(value) for value in found] == [int, float, bool, tuple]
    other = Pair(np.array([3]), np.array([1], np.int32))
    assert small_kernels.describe(other, -3, True, 1.0) == (0, 0.0, False, (0, 3))


def test_arrays_with_strides_are_written_in_place() -> None:
    table = np.arange(12).reshape(3, 4)
    small_kernels.double(table[:, ::2])
    assert table.tolist() == [[0, 1, 4, 3], [8, 5, 12, 7], [16, 9, 20, 11]]


def test_an_error_of_a_kernel_is_raised() -> None:
    assert small_kernels.divide(7, 2) == 3
    with pytest.raises(RuntimeError, match="divide"):
        small_kernels.divide(7, 0)


def test_what_does_not_compile_says_why() -> None:
    with pytest.raises(RuntimeError, match="no_such_thing"):
        small_kernels.fail(np.zeros(1))


def test_results_may_have_more_words_than_arguments() -> None:
    assert small_kernels.count_up(7) == (7, 8, 9, 10, 11, (12, 13, 14, 15, 16))


def test_floats_of_32_bits_are_refused() -> None:
    with pytest.raises(TypeError, match="float32"):
        small_kernels.divide(np.float32(7.5), 2)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("print('100'); print('cut')", "compiling ended with 0"),
        (
            "import no_such_module",
            "compiling ended with 1\nTraceback(.*\n)+.*No module named 'no_such_module'",
        ),
    ],
)
def test_a_compiler_that_dies_leaves_no_machine_code(
    script: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying = tmp_path / "dying"
    dying.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{script}"\n')
    dying.chmod(0o755)
    monkeypatch.setattr(compilers.sys, "executable", str(dying))
    with pytest.raises(RuntimeError, match=message):
        compilers._Compiler().compile(b"[]\n")


def test_an_empty_file_is_compiled_again(tmp_path: Path) -> None:
    ended(start(CALL_DOUBLE, tmp_path))
    (made,) = (tmp_path / "kernels").iterdir()
    code = made.read_bytes()
    made.write_bytes(b"")
    ended(start(CALL_DOUBLE, tmp_path))
    assert len(made.read_bytes()) == len(code)


def test_no_thread_runs_when_workers_are_forked(tmp_path: Path) -> None:
    """A fork would keep the locks of a thread for ever."""
    script = """
import threading, time
from tracemill.kernels import compilers, warm_up
def call():
    compilers._begin_related("tracemill.kernels.otf2_decoding")
    time.sleep(0.1)
warm_up._READING = warm_up._ANALYSIS = (call, call)
warm_up.load_common_kernels()
assert threading.active_count() == 1, threading.enumerate()
"""
    ended(start(script, tmp_path))


def test_no_compiler_runs_when_workers_are_forked(tmp_path: Path) -> None:
    """The server of forks warns of a process that it has not forked when that ends."""
    script = (
        CALL_DOUBLE
        + """
import os
from tracemill.kernels import compilers, warm_up
warm_up._READING = warm_up._ANALYSIS = ()
assert os.waitpid(-1, os.WNOHANG) == (0, 0)  # a compiler runs
warm_up.load_common_kernels()
try:
    raise SystemExit(f"{os.waitpid(-1, 0)} was left")
except ChildProcessError:
    pass
"""
    )
    ended(start(script, tmp_path))


def test_processes_at_the_same_time_leave_only_whole_files(tmp_path: Path) -> None:
    for process in [start(CALL_DOUBLE, tmp_path) for _ in range(3)]:
        ended(process)
    (made,) = (tmp_path / "kernels").iterdir()
    assert made.name.startswith("tests.helpers.small_kernels.double-")
    before = made.stat().st_mtime_ns
    ended(start(CALL_DOUBLE, tmp_path))
    assert made.stat().st_mtime_ns == before


def test_a_killed_process_leaves_no_machine_code(tmp_path: Path) -> None:
    script = CALL_DOUBLE.replace(
        "double(table)",
        "import os, signal; from tracemill.kernels import code_cache\n"
        "code_cache.os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\ndouble(table)",
    )
    process = start(script, tmp_path)
    process.communicate()
    assert process.returncode == -9
    assert [
        path for path in (tmp_path / "kernels").iterdir() if not path.name.startswith(".")
    ] == []
    ended(start(CALL_DOUBLE, tmp_path))


def test_ctrl_c_ends_compiling_at_once(tmp_path: Path) -> None:
    script = CALL_DOUBLE.replace(
        "double(table)",
        "import os, signal, threading\n"
        "threading.Timer(0.3, lambda: os.killpg(0, signal.SIGINT)).start()\ndouble(table)",
    )
    process = start(f"import os; os.setsid()\n{script}", tmp_path)
    _, errors = process.communicate()
    assert process.returncode == -signal.SIGINT
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert list((tmp_path / "kernels").glob("[!.]*")) == []


def test_machine_code_is_temporary_where_caches_cannot_be_written(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("no folder")
    for _ in range(2):
        ended(start(CALL_DOUBLE, place, TMPDIR=str(tmp_path)))
    (kept,) = (tmp_path / f"tracemill-{os.getuid()}" / "kernels").iterdir()
    assert kept.name.startswith("tests.helpers.small_kernels.double-")


def test_machine_code_depends_on_the_sources_it_is_made_of() -> None:
    used = code_cache._source_of("tracemill.kernels.plain_walk")[1]
    assert {"tracemill.kernels.rows", "tracemill.kernels.records"} <= used
    assert "tracemill.kernels.replay" not in used
    names = {
        code_cache.name_of(module, "kernel", signature)
        for module in ("tracemill.kernels.replay", "tracemill.kernels.plain_walk")
        for signature in ("[]", '["int64"]')
    }
    assert len(names) == 4


def test_pictures_without_matplotlib_are_refused_in_one_line(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['matplotlib'] = None; from tracemill import cli; "
        f"sys.exit(cli.main(['campaign', 'data', '--store', {str(tmp_path / 'store')!r}]))"
    )
    process = start(script, tmp_path)
    _, errors = process.communicate()
    assert process.returncode == 15
    assert errors.splitlines() == [
        "tracemill: pictures need matplotlib, which is not installed: make pictures, or pip "
        "install matplotlib"
    ]
    assert not (tmp_path / "store").exists()
