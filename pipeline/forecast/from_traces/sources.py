"""The description made from a run or campaign of a store."""

from tracemill.base.errors import UsageError
from tracemill.forecast.from_traces.campaigns import Choice, choose_runs, program_from_runs
from tracemill.forecast.from_traces.making import Options, program_from_recording
from tracemill.forecast.from_traces.recording import read_recording
from tracemill.store.runs import Run, Store

_CAMPAIGN = "campaign"


def program_text(source: Run, store: Store, options: Options, choice: Choice) -> str:
    """The description of the program of a run or campaign, as TOML.

    Raises ProgramError if the calls do not fit a program on a grid, or UsageError.
    """
    if source.source.format == _CAMPAIGN:
        return program_from_runs(choose_runs(source, store, choice), options)
    if choice != Choice():
        raise UsageError(
            f"{source.label} is a run: --size, --application and --max-processes choose runs of a "
            "campaign"
        )
    return program_from_recording(read_recording(source), options)
