"""Compile every kernel and callback ahead of time, so that the first analysis need not.

`python -m pipeline.warm` is the last step of the setup.
"""

import numpy as np

from pipeline.errors import MissingLibraryError
from pipeline.kernels.call_tree import describe_tree, merge, new_tree, number_depth_first
from pipeline.kernels.location_walk import LocationWalk, no_teams
from pipeline.kernels.path_names import path_names
from pipeline.kernels.records import ENTER, LEAVE
from pipeline.kernels.walk_state import Code


def _walk_once() -> None:
    code = Code(
        np.zeros(1, np.uint32),
        np.zeros(1, np.int32),
        np.zeros(4, np.int8),
        np.zeros(4, np.bool_),
        np.zeros(0, np.uint32),
        np.zeros(0, np.int32),
        np.array([0, 1_000_000_000], np.int64),
    )
    kinds = np.array([ENTER, LEAVE], np.uint8)
    walk = LocationWalk(code)
    walk.begin(0, first_visit=0, teams=no_teams())
    side = np.zeros((1, 6), np.uint64)
    walk.feed(np.array([1, 2], np.uint64), kinds, np.zeros(2, np.uint32), side, lambda: None)
    walk.finish(lambda: None)
    tree = number_depth_first(merge(new_tree(), walk.tree))
    describe_tree(tree.parent, tree.region, tree.is_stub, 2, 3)
    path_names(tree.parent, tree.region, ["main"])


def compile_all() -> None:
    """Fill the cache; without an OTF2 library, only with what needs none."""
    _walk_once()
    try:
        from pipeline.readers.otf2.library import load_library

        load_library()
    except MissingLibraryError:
        return
    from pipeline.readers.otf2.callbacks import GROUPS, compile_callbacks
    from pipeline.readers.otf2.plain_survey import plain_callbacks

    compile_callbacks(GROUPS)
    compile_callbacks(GROUPS - {"attributes"})
    plain_callbacks()


if __name__ == "__main__":
    compile_all()
