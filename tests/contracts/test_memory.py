"""Reading CSV takes memory for what it holds at a time, not for the trace."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.peaks_of_reading import STATUS

ROOT = Path(__file__).resolve().parents[2]
ROWS = 400_000


@pytest.mark.skipif(not STATUS.exists(), reason="this system does not tell what a process uses")
def test_four_times_the_rows_take_little_more_memory(tmp_path: Path) -> None:
    """Less than the bytes that the file has more; if all rows were kept, more than twice that."""
    command = [sys.executable, "-m", "tests.helpers.peaks_of_reading", str(tmp_path)]
    command += [str(ROWS), str(4 * ROWS)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    (size, peak), (larger_size, higher_peak) = (
        map(int, line.split()) for line in told.splitlines()
    )
    assert larger_size > 3.9 * size
    assert higher_peak - peak < larger_size - size
