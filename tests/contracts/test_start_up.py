"""What is not needed is not imported: reading starts quickly and in little memory."""

import subprocess
import sys

HEAVY = {"duckdb", "polars", "scipy", "matplotlib", "plotly", "jinja2", "rich"}


def test_reading_and_skipping_need_none_of_the_large_packages() -> None:
    script = "import pipeline.run, pipeline.readers, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert HEAVY & set(done.stdout.split()) == set()
