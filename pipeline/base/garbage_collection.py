"""How often Python looks for garbage in cycles, of which hardly anything here is made.

Looking for it in the libraries' objects takes a quarter of the start-up and 4 % of the time of a
large analysis.
"""

import gc


def keep_loaded() -> None:
    """Look no more at what is there by now, and seldom at what comes."""
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    gc.enable()
