"""What each stage of an analysis costs, measured while it runs."""

import resource
import time
from dataclasses import dataclass
from pathlib import Path

from tracemill.engine.progress import SilentReporter


@dataclass(frozen=True, kw_only=True)
class StageCost:
    """Seconds of processors and of the clock, and the most memory held during the stage.

    `rows` and `bytes` are those of its stored tables.
    """

    cpu_seconds: float
    wall_seconds: float
    peak_bytes: int
    rows: int = 0
    bytes: int = 0


class StageMeter(SilentReporter):
    """Measures stages from their start to their end.

    Stages that run at once each count the cost of both.
    """

    def __init__(self) -> None:
        self.costs: dict[str, StageCost] = {}
        self._begins: dict[str, tuple[float, float]] = {}
        self._peaks: dict[str, int] = {}

    def stage_started(self, name: str, total: int | None) -> None:
        self._note_peak()
        forget_peak()
        self._peaks[name] = 0
        self._begins[name] = (processor_seconds(), time.perf_counter())

    def stage_finished(self, name: str, seconds: float) -> None:
        self._note_peak()
        cpu_begin, wall_begin = self._begins.pop(name)
        # Stages begin again if clocks have to be corrected.
        before = self.costs.get(name, StageCost(cpu_seconds=0.0, wall_seconds=0.0, peak_bytes=0))
        self.costs[name] = StageCost(
            cpu_seconds=before.cpu_seconds + processor_seconds() - cpu_begin,
            wall_seconds=before.wall_seconds + time.perf_counter() - wall_begin,
            peak_bytes=max(before.peak_bytes, self._peaks.pop(name)),
        )

    def _note_peak(self) -> None:
        peak = peak_bytes()
        for name in tuple(self._peaks):
            self._peaks[name] = max(self._peaks[name], peak)


def processor_seconds() -> float:
    """Seconds of all processors, in user and system mode, of this process and its children."""
    processes = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(each) for each in processes]
    return sum(each.ru_utime + each.ru_stime for each in used)


def peak_bytes(process: int | str = "self") -> int:
    """Most memory that a process held at once since its start, or since it was forgotten.

    The peak of getrusage begins with that of the process that started this one. 0 for a process
    that has just ended.
    """
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def forget_peak() -> None:
    """Let the peak begin anew, if the system can do that; otherwise it is that of all stages."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return
