"""`python -m pipeline` is the command `tracemill`."""

import gc

# Hardly anything here forms cycles, and looking for them in the libraries' objects takes a
# quarter of the start-up and 4 % of the time of a large analysis.
gc.disable()

from pipeline.cli import main  # noqa: E402

gc.freeze()
gc.set_threshold(100_000, 50, 100)
gc.enable()

if __name__ == "__main__":
    raise SystemExit(main())
