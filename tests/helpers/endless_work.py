"""Publishes or prunes in a store until the process is killed."""

import itertools
import secrets
import time

from tests.helpers.store_cases import publish
from tracemill.campaign.retention import prune_store
from tracemill.store.pruning import Limits
from tracemill.store.runs import Store

NAMES = ("r1", "r2", "r3")
LIMITS = {
    "generations": Limits(keep_generations=1, grace=0.0),
    "runs": Limits(older_than=0.0, grace=0.0),
}


PAUSE_SECONDS = 0.005
"""Between two rounds; without it, readers begin again most of the time, for as long as a minute."""


def work_on(store: Store, work: str) -> None:
    """Publish generations of a few runs, or prune earlier generations, or runs, without grace."""
    for name in itertools.cycle(NAMES):
        if work == "publish":
            publish(store, name, secrets.token_hex(4))
        else:
            prune_store(store.path, LIMITS[work])
            store.sweep()
        time.sleep(PAUSE_SECONDS)
