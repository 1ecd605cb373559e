"""Call paths that lose time, by cell of the scalability grid."""

from tracemill.schemas.call_sites import ratio
from tracemill.schemas.campaign_costs import CAMPAIGN_CALL_PATHS
from tracemill.schemas.campaigns import APPLICATION, RANK
from tracemill.schemas.columns import CALL_PATH_KEY, renamed
from tracemill.schemas.growth import number
from tracemill.schemas.scalability import GRID_CELLS
from tracemill.schemas.table import Table

_PATHS = {column.name: column for column in CAMPAIGN_CALL_PATHS.columns}
_CELL = {column.name: column for column in GRID_CELLS.columns}

CELL_CALL_SITES = Table(
    name="cell_call_sites",
    meaning=(
        "Call paths that lose time in a cell of the grid: their time grows for the same work with "
        "more processes, or grows per unit of computation at the larger size. The best run at each "
        "corner counts; cells with a corner without call paths are left out."
    ),
    grain="one row per application, cell and call path with a loss",
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
        renamed(
            _PATHS["call_path"],
            "cause_call_path",
            "Call path that causes its waiting, with the most processes at the larger size.",
            null_means="no cause is certain",
        ),
        renamed(
            RANK,
            "cause_rank",
            "Process with 2/3 of the cost of this cause.",
            null_means="no cause is certain, or several processes share it",
        ),
        number(
            "loss_processes",
            "Growth of its time over all locations from p1 to p2, as a share of the time of all "
            "call paths at p1; mean over both sizes. The sum over all call paths is the relative "
            "growth of the time for the same work.",
        ),
        number(
            "loss_size",
            "Growth of its time per unit of computation from d1 to d2, as a share of the same "
            "quantity of all call paths at d1; mean over both process counts.",
        ),
        number("wait_loss_processes", "Waiting part of `loss_processes`."),
        number("wait_loss_size", "Waiting part of `loss_size`."),
        number(
            "share_growth_processes",
            "Growth of its share of the time of all locations from p1 to p2; mean over both sizes.",
        ),
        number(
            "share_growth_size",
            "Growth of its share of the time of all locations from d1 to d2; mean over both "
            "process counts.",
        ),
        ratio(
            "wait_ratio",
            "Waiting as a share of its time, over all four corners.",
            null_means="the call path takes no time",
        ),
        ratio(
            "critical_path_share",
            "Share of the critical path, over all four corners.",
            null_means="no critical path is available",
        ),
    ),
)

TABLES = (CELL_CALL_SITES,)
