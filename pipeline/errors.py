"""Everything that can go wrong in use; our own bugs keep their traceback."""


class PipelineError(Exception):
    """Base of all errors that are told to the user in one line, each with its exit code."""

    exit_code = 10


class MissingInputError(PipelineError):
    """The named trace, run or table does not exist."""

    exit_code = 11


class NotATraceError(PipelineError):
    """The input exists but is not in a format we read."""

    exit_code = 12


class DamagedTraceError(PipelineError):
    """The trace is recognised but parts of it are missing or unreadable."""

    exit_code = 13


class UnsupportedTraceError(PipelineError):
    """The trace is intact but written in a way the library cannot read."""

    exit_code = 14


class MissingLibraryError(PipelineError):
    """The OTF2 library was not found."""

    exit_code = 15


class BrokenContractError(PipelineError):
    """A table does not hold what its schema claims."""

    exit_code = 20


class QueryError(PipelineError):
    """A query failed or its parameters do not fit."""

    exit_code = 21


class StoreError(PipelineError):
    """The store cannot be read or written."""

    exit_code = 30
