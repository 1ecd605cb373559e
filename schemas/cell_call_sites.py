"""Where in the scalability grid which call paths lose time."""

from schemas.call_sites import ratio
from schemas.campaigns import APPLICATION, CAMPAIGN_CALL_PATHS
from schemas.columns import CALL_PATH_KEY
from schemas.growth import number
from schemas.scalability import GRID_CELLS
from schemas.table import Table

_PATHS = {column.name: column for column in CAMPAIGN_CALL_PATHS.columns}
_CELL = {column.name: column for column in GRID_CELLS.columns}

CELL_CALL_SITES = Table(
    name="cell_call_sites",
    meaning=(
        "Call paths that lose time in a cell of the grid: which cost more for the same work at "
        "more processes, or more per unit of computation at the larger size. From the best run at "
        "each corner; cells with a corner that has no call paths are left out."
    ),
    grain="one row per application, cell and call path that loses in it",
    key=("application", "lower_processes", "lower_size", "call_path_key"),
    columns=(
        APPLICATION,
        _CELL["lower_processes"],
        _CELL["upper_processes"],
        _CELL["lower_size"],
        _CELL["upper_size"],
        CALL_PATH_KEY,
        _PATHS["call_path"],
        _PATHS["operation"],
        _PATHS["place"],
        number(
            "loss_processes",
            "Growth of its time over all locations from p1 to p2, as a share of the time of all "
            "call paths at p1; mean over both sizes. Over all call paths this sums to the relative "
            "growth of the time that locations spend on the same work.",
        ),
        number(
            "loss_size",
            "Growth of its time per unit of computation from d1 to d2, as a share of that of all "
            "call paths at d1; mean over both process counts.",
        ),
        number("wait_loss_processes", "The part of `loss_processes` that is waiting."),
        number("wait_loss_size", "The part of `loss_size` that is waiting."),
        number(
            "share_growth_processes",
            "Growth of its share of the time of all locations from p1 to p2; mean over both sizes.",
        ),
        number(
            "share_growth_size",
            "Growth of that share from d1 to d2; mean over both process counts.",
        ),
        ratio(
            "wait_ratio",
            "Waiting as a share of its time, over the four corners together.",
            null_means="it takes no time",
        ),
        ratio(
            "critical_path_share",
            "Its share of the critical path, over the four corners together.",
            null_means="no critical path is known",
        ),
    ),
)

TABLES = (CELL_CALL_SITES,)
