"""Leave the process of a command without taking everything in it down piece by piece.

That takes a twentieth of the analysis of a small trace.
"""

import atexit
import os
import sys

_codes: list[int] = []


def leaving_with(code: int) -> int:
    """The exit code, with which the process ends as soon as all that runs at its end has run."""
    _codes.append(code)
    return code


def _leave() -> None:
    if not _codes:  # an error is on its way out
        return
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):  # closed streams are Python's to handle
        return
    os._exit(_codes[-1])


atexit.register(_leave)  # the first that is registered runs last
