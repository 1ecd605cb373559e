"""Works on a store until it is killed; run by the tests.

    python -m tests.contracts.endless_work STORE publish|generations|runs

Publishes generations of a few runs, or prunes earlier generations, or runs, without any grace.
"""

import itertools
import secrets
import sys
from pathlib import Path

from pipeline.retention import prune
from pipeline.store import Store
from pipeline.store.pruning import Limits
from tests.store_cases import publish

NAMES = ("r1", "r2", "r3")
LIMITS = {
    "generations": Limits(keep_generations=1, grace=0.0),
    "runs": Limits(older_than=0.0, grace=0.0),
}


def main(store: Store, work: str) -> None:
    for name in itertools.cycle(NAMES):
        if work == "publish":
            publish(store, name, secrets.token_hex(4))
        else:
            prune(store.path, LIMITS[work])
            store.sweep()


if __name__ == "__main__":
    main(Store(Path(sys.argv[1])), sys.argv[2])
