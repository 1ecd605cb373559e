"""The run with a late sender, with all metrics and names of nodes."""

from typing import Any

from tests.helpers.hand_made import OVERHEAD_CLASSES, HandMadeRun, late_sender_run, with_rows
from tracemill.patterns.metrics import metrics_with
from tracemill.reports.build import build_report
from tracemill.reports.model import Report

_METRIC_OF = {"computation": "computation", "point-to-point": "overhead_point_to_point"}


def real_metrics() -> list[dict[str, Any]]:
    return [
        {
            "metric": metric.name,
            "parent_metric": metric.parent,
            "kind": metric.kind,
            "title": metric.title,
            "unit": metric.unit,
            "meaning": metric.meaning,
        }
        for metric in metrics_with()
    ]


def make_run(
    main: str = "main", *, calls: tuple[str, str] = ("MPI_Send", "MPI_Recv"), **changes: Any
) -> HandMadeRun:
    """Rank 0 computes 90 ms, sends for 10; rank 1 computes 40, receives for 60, 50 in vain."""
    run = late_sender_run(main=main, calls=calls)
    classes = [
        row | {"metric": _METRIC_OF.get(row["overhead_subclass"], "overhead_no_rule")}
        for row in OVERHEAD_CLASSES
    ]
    classes[0]["metric"] = "computation"
    groups = [
        {"location_group_id": at, "rank": at, "name": f"MPI Rank {at}", "system_tree_node_id": 0}
        for at in (0, 1)
    ]
    nodes = [{"system_tree_node_id": 0, "name": "tetra", "class_name": "machine"}]
    return with_rows(
        run,
        **{
            "metrics": real_metrics(),
            "overhead_classes": classes,
            "location_groups": groups,
            "system_tree_nodes": nodes,
            **changes,
        },
    )


def make_report(main: str = "main") -> Report:
    return build_report(make_run(main))
