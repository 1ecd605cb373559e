"""All errors of use; our own bugs keep their traceback.

The first sentence of each class is its meaning in docs/reference/commands.md.
"""


class PipelineError(Exception):
    """Any other error, such as a file that cannot be written.

    Base of all errors that are printed in one line, each with its exit code.
    """

    exit_code = 10


class UsageError(PipelineError):
    """The command line, or a file named there, is wrong."""

    exit_code = 2


class MissingInputError(PipelineError):
    """The given trace, store, run, table, metric or file does not exist."""

    exit_code = 11


class NotATraceError(PipelineError):
    """The input is not a trace."""

    exit_code = 12


class DamagedTraceError(PipelineError):
    """The trace is damaged."""

    exit_code = 13


class UnsupportedTraceError(PipelineError):
    """The trace is intact, but its compression or packing is not supported."""

    exit_code = 14


class MissingLibraryError(PipelineError):
    """An optional library is missing."""

    exit_code = 15


class ProgramError(PipelineError):
    """The description of a program or cluster is wrong, or the program cannot run."""

    exit_code = 16


class CampaignError(PipelineError):
    """The description of a campaign, or a table of measurements in it, is wrong."""

    exit_code = 17


class ChangedTraceError(PipelineError):
    """The trace changed while it was read."""

    exit_code = 18


class PatternError(PipelineError):
    """One of your patterns is declared wrongly, or its rows break its declaration."""

    exit_code = 19


class BrokenContractError(PipelineError):
    """A table breaks its schema (please report it)."""

    exit_code = 20


class QueryError(PipelineError):
    """A query failed."""

    exit_code = 21


class UntrustedTraceError(PipelineError):
    """A condition of `quality --fail-on` holds."""

    exit_code = 22


class RegressionError(PipelineError):
    """A run is worse than `--fail-if` or `nightly` allows."""

    exit_code = 23


class FailedArchivesError(PipelineError):
    """Some archives or campaigns of a night failed."""

    exit_code = 24


class StoreError(PipelineError):
    """The store cannot be read or written."""

    exit_code = 30
