"""`python -m pipeline` is the command `tracemill`."""

import gc

gc.disable()  # while everything is loaded

from pipeline.cli import main  # noqa: E402
from pipeline.garbage import keep_loaded  # noqa: E402

keep_loaded()

if __name__ == "__main__":
    raise SystemExit(main())
