"""`python -m pipeline` is the command `tracemill`."""

import gc

from pipeline.cli import main

# Hardly anything here forms cycles, and looking for them in the libraries' objects takes 4 % of
# the time of a large analysis.
gc.set_threshold(100_000, 50, 100)

if __name__ == "__main__":
    raise SystemExit(main())
