"""Make a campaign and be killed when so many runs are analysed; run by the tests.

python -m tests.end_to_end.interrupted_campaign RUNS STORE COUNT
"""

import os
import signal
import sys
from pathlib import Path

from pipeline.campaign.analysing import STAGE
from pipeline.campaign.campaign import make_campaign, plan_campaign
from pipeline.reporter import SilentReporter
from pipeline.run import Options
from pipeline.store import Store


class Killer(SilentReporter):
    """Kills this process when so many runs are analysed."""

    def __init__(self, count: int) -> None:
        self.left = count

    def stage_advanced(self, name: str, amount: int) -> None:
        self.left -= amount if name == STAGE else 0
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)


def main(runs: Path, folder: Path, count: int) -> None:
    store, reporter = Store(folder), Killer(count)
    plan = plan_campaign(runs, told={}, store=store, reporter=reporter)
    make_campaign(plan, store=store, options=Options(threads=2), reporter=reporter)
    print("not killed")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
