"""Run Python's cycle collector seldom: hardly any cycles are made here.

Collecting takes a quarter of the start-up and 4 % of a large analysis.
"""

import gc


def keep_loaded() -> None:
    """Look no more at what is there by now, and seldom at what comes: never for a small trace."""
    gc.freeze()
    gc.set_threshold(1_000_000, 20, 100)
    gc.enable()
