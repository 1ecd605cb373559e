"""Makes a campaign and kills its own process after some runs."""

import os
import signal
import sys
from pathlib import Path

from tracemill.campaign.analyzing import STAGE
from tracemill.campaign.campaign import make_campaign, plan_campaign
from tracemill.engine.analyze import Options
from tracemill.engine.progress import SilentReporter
from tracemill.store.runs import Store


class Killer(SilentReporter):
    """Kills this process after the analysis of `count` runs."""

    def __init__(self, count: int) -> None:
        self.left = count

    def stage_advanced(self, name: str, amount: int) -> None:
        self.left -= amount if name == STAGE else 0
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)


def make_interrupted(runs: Path, folder: Path, count: int) -> None:
    store, reporter = Store(folder), Killer(count)
    plan = plan_campaign(runs, fields={}, store=store, reporter=reporter)
    make_campaign(plan, store=store, options=Options(threads=2), reporter=reporter)


if __name__ == "__main__":
    runs, folder, count = sys.argv[1:]
    make_interrupted(Path(runs), Path(folder), int(count))
