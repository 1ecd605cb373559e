"""Measurements without traces: tables of times, files for Extra-P, reports of mpiP."""

from pathlib import Path

from tracemill.base.errors import CampaignError, MissingInputError
from tracemill.campaign.inputs.extrap import FORMAT as EXTRAP
from tracemill.campaign.inputs.extrap import read_extrap
from tracemill.campaign.inputs.extrap_text import is_extrap_text
from tracemill.campaign.inputs.measurements import MeasuredRuns
from tracemill.campaign.inputs.mpip import FORMAT as MPIP
from tracemill.campaign.inputs.mpip import SUFFIX, is_mpip, read_mpip
from tracemill.campaign.inputs.parsing import read_lines
from tracemill.campaign.inputs.timings import FORMAT as TIMINGS
from tracemill.campaign.inputs.timings import read_timings
from tracemill.campaign.mistakes import Mistakes

FORMATS = (TIMINGS, EXTRAP, MPIP)


def read_measurements(
    path: Path,
    *,
    format: str | None = None,
    application: str = "",
    pattern: str = "",
    mistakes: Mistakes | None = None,
) -> MeasuredRuns:
    """Read measurements: a file, or a folder of reports of mpiP.

    Without `format` it is found from the file. `application` is used if the file names none.
    `pattern` reads parameters from names of reports. `mistakes` collects errors in lines and
    reports. Raises CampaignError or MissingInputError.
    """
    if not path.exists():
        raise MissingInputError(f"{path}: no such file or directory; check the measurements")
    chosen = format or detect_format(path)
    if path.is_dir() and chosen != MPIP:
        raise CampaignError(f"{path}: name a file: only reports of mpiP are read by the folder")
    if chosen == MPIP:
        return read_mpip(path, pattern=pattern, application=application, mistakes=mistakes)
    if chosen == EXTRAP:
        return read_extrap(path, application=application)
    if chosen == TIMINGS:
        return read_timings(path, application=application, mistakes=mistakes)
    raise CampaignError(f"{path}: unknown format {chosen}: formats are {', '.join(FORMATS)}")


def holds_measurements(path: Path) -> bool:
    """Whether a path, which is not a list of runs, holds measurements instead of traces."""
    if path.is_dir():
        return any(path.glob(f"*{SUFFIX}")) and not any(path.rglob("*.otf2"))
    if path.suffix.lower() in (".otf2", ".gz", ".zst", ".parquet"):
        return False
    return path.suffix.lower() not in (".csv", ".tsv") or not _is_trace(path)


def _is_trace(path: Path) -> bool:
    """Whether a CSV file has the columns of a trace."""
    from tracemill.base.errors import PipelineError
    from tracemill.readers import open_source

    try:
        open_source(path)
    except PipelineError:
        return False
    return True


def detect_format(path: Path) -> str:
    """The format of a file or folder. Raises CampaignError if it is none of FORMATS."""
    suffix = path.suffix.lower()
    if path.is_dir() or suffix == SUFFIX.lower():
        return MPIP
    lines = read_lines(path)
    if is_mpip(lines):
        return MPIP
    if suffix in (".json", ".jsonl") or is_extrap_text(lines):
        return EXTRAP
    if suffix in (".csv", ".tsv"):
        return TIMINGS
    raise CampaignError(f"{path}: unknown format of measurements: name one of {', '.join(FORMATS)}")
