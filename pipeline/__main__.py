"""`python -m tracemill` is the command `tracemill`."""

import gc

gc.disable()  # while everything is loaded

from tracemill.base.garbage_collection import keep_loaded  # noqa: E402
from tracemill.cli import main  # noqa: E402

keep_loaded()

if __name__ == "__main__":
    raise SystemExit(main())
