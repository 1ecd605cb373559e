"""Measurements without traces: tables of times, files for Extra-P, reports of mpiP."""

from pathlib import Path
from typing import get_args

from tracemill.base.errors import CampaignError, MissingInputError, PipelineError
from tracemill.campaign.description import Format
from tracemill.campaign.inputs.extrap import read_extrap
from tracemill.campaign.inputs.extrap_text import is_extrap_text
from tracemill.campaign.inputs.measurements import MeasuredRuns
from tracemill.campaign.inputs.mpip import SUFFIX, is_mpip, read_mpip
from tracemill.campaign.inputs.parsing import read_lines
from tracemill.campaign.inputs.timings import read_timings
from tracemill.campaign.mistakes import Mistakes
from tracemill.readers import open_source


def read_measurements(
    path: Path,
    *,
    format: Format | None = None,
    application: str = "",
    pattern: str = "",
    mistakes: Mistakes | None = None,
) -> MeasuredRuns:
    """Read measurements: a file, or a folder of reports of mpiP.

    `application` is used if the file names none. `pattern` reads parameters from names of reports.
    `mistakes` collects errors in lines and reports. Raises CampaignError or MissingInputError.
    """
    if not path.exists():
        raise MissingInputError(f"{path}: no such file or directory; check the measurements")
    chosen, mistakes = format or detect_format(path), mistakes or Mistakes()
    if chosen == "mpip":
        return read_mpip(path, pattern=pattern, application=application, mistakes=mistakes)
    if path.is_dir():
        raise CampaignError(f"{path}: this is a folder: name a file of format {chosen}")
    if chosen == "extra-p":
        return read_extrap(path, application=application)
    return read_timings(path, application=application, mistakes=mistakes)


def holds_measurements(path: Path) -> bool:
    """Whether a path, which is not a list of runs, holds measurements instead of traces."""
    if path.is_dir():
        return any(path.glob(f"*{SUFFIX}")) and not any(path.rglob("*.otf2"))
    if path.suffix.lower() in (".otf2", ".gz", ".zst", ".parquet"):
        return False
    if path.suffix.lower() in (".csv", ".tsv"):
        try:
            open_source(path)
        except PipelineError:
            return True
        return False
    return True


def detect_format(path: Path) -> Format:
    """The format of a file or folder. Raises CampaignError if it is unknown."""
    suffix = path.suffix.lower()
    if path.is_dir() or suffix == SUFFIX.lower() or is_mpip(lines := read_lines(path)):
        return "mpip"
    if suffix in (".json", ".jsonl") or is_extrap_text(lines):
        return "extra-p"
    if suffix in (".csv", ".tsv"):
        return "timings"
    known = ", ".join(get_args(Format))
    raise CampaignError(f"{path}: unknown format of measurements: formats are {known}")
