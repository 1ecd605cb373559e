"""Run a command line: exit code, and one line for each error."""

import errno
import sys
from collections.abc import Sequence

from cyclopts import CycloptsError

from tracemill.base.console import (
    discard,
    messages,
    open_missing_streams,
    print_error,
    results,
    tolerate_narrow_encodings,
)
from tracemill.base.errors import PipelineError, UsageError
from tracemill.cli.application import app, load_commands

INTERRUPTED = 130
BROKEN_PIPE = 141
_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; our own bugs raise.

    0 for success, 130 if interrupted, 141 for a closed pipe, else that of the error.
    """
    has_output = open_missing_streams()
    tolerate_narrow_encodings()
    if not has_output:
        print_error("standard output is closed: redirect it, for example to /dev/null")
        return PipelineError.exit_code
    try:
        _run(list(sys.argv[1:] if arguments is None else arguments))
    except CycloptsError:
        return UsageError.exit_code
    except PipelineError as error:
        print_error(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        print_error("interrupted: nothing half-written was published")
        return INTERRUPTED
    except BrokenPipeError:
        discard(sys.stdout)
        return BROKEN_PIPE
    except OSError as error:
        if error.filename is not None or error.errno not in _UNWRITABLE:
            raise
        discard(sys.stdout)
        print_error(f"cannot write to standard output: {error.strerror}")
        return PipelineError.exit_code
    return 0


def _run(arguments: list[str]) -> None:
    if not arguments or arguments[0].startswith("-"):
        load_commands()
    app(
        arguments,
        console=results(),
        error_console=messages(),
        exit_on_error=False,
        result_action="return_value",
    )
    sys.stdout.flush()
