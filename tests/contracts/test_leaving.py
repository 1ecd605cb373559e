"""The process of a command ends with its exit code, after all that was registered for its end."""

import subprocess
import sys

import pytest

from tracemill.base.errors import UsageError

LEAVING = """
import atexit, sys
from tracemill.__main__ import main
atexit.register(print, "at the end")
{before}
sys.exit(main())
"""


def leave(before: str) -> "subprocess.CompletedProcess[str]":
    """A process that runs a command line, with something done before."""
    program = LEAVING.format(before=before)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)


@pytest.mark.parametrize(
    ("arguments", "code"), [(["--version"], 0), (["no-such-command"], UsageError.exit_code)]
)
def test_exit_code_is_that_of_the_command_and_what_is_registered_runs(
    arguments: list[str], code: int
) -> None:
    left = leave(f"sys.argv[1:] = {arguments}")
    assert left.returncode == code
    assert left.stdout.endswith("at the end\n")


def test_own_error_keeps_its_traceback_and_exit_code() -> None:
    left = leave("import tracemill.__main__ as own; own.run_command = lambda: 1 // 0")
    assert left.returncode == 1
    assert "ZeroDivisionError" in left.stderr
    assert left.stdout == "at the end\n"
