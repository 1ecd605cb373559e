"""`python -m tracemill` is the command `tracemill`."""

import gc

gc.disable()  # while everything is loaded

from tracemill.base.leaving import leaving_with  # noqa: E402, I001 # before others register ends

from tracemill.base.garbage_collection import keep_loaded  # noqa: E402
from tracemill.cli.running import main as run_command  # noqa: E402

keep_loaded()


def main() -> int:
    """Run the command line of this process, which then ends."""
    return leaving_with(run_command())


if __name__ == "__main__":
    raise SystemExit(main())
