"""The critical path of a campaign against Scalasca's, and the summary that is made of it."""

import csv
import re
from collections import defaultdict
from statistics import median

import pytest

from tests.helpers.ring_campaigns import campaign
from tests.reference.recorded import SHARED
from tracemill.engine.analyze import Analysis
from tracemill.reports.build_campaign import build_campaign_summary

TRACES = SHARED / "traces"
pytestmark = pytest.mark.skipif(not TRACES.exists(), reason="the traces are not here")
LEAST_SHARE = 0.01
ENDS = (1, 16)
# Milliseconds at n = 400 with 1 and 16 processes.
STATED = {
    "quad": (0.49, 26.69), "tree": (0.44, 20.71), "serial_part": (100.62, 100.65),
    "imbalanced": (50.63, 50.52), "solve": (400.63, 25.81),
}  # fmt: skip


@pytest.fixture(scope="module")
def scalemodel(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """The runs at n = 400 with the fewest and the most processes."""
    folder = tmp_path_factory.mktemp("scalemodel")
    for trace in (path for p in ENDS for path in sorted(TRACES.glob(f"sB_model_p{p}_n400_r?"))):
        (folder / trace.name).symlink_to(trace)
    return campaign(folder, folder / "store", threads=2, pattern="sB_model_p{p}_n{n}_r{r}")


def reference(processes: int) -> dict[str, float]:
    """Median over repetitions of Scalasca's critical path by call path, in nanoseconds."""
    times: dict[str, list[float]] = defaultdict(lambda: [0.0] * 3)
    for number in range(3):
        path = TRACES / f"sB_model_p{processes}_n400_r{number + 1}" / "reference.csv"
        with path.open() as file:
            for row in csv.DictReader(file):
                if row["metric"] == "critical_path":
                    times[row["callpath"]][number] += float(row["exclusive"]) * 1e9
    return {name: median(values) for name, values in times.items() if name != "main/MPI_Init"}


def rows_of(analysis: Analysis, query: str) -> list[tuple[object, ...]]:
    with analysis.run.connect() as connection:
        return connection.execute(query).fetchall()


def test_the_path_of_call_paths_is_that_of_the_reference(scalemodel: Analysis) -> None:
    """Except the last MPI calls, where the path goes on when others are in MPI_Finalize."""
    found = rows_of(
        scalemodel,
        "SELECT call_path, smallest_ns, largest_ns FROM path_changes "
        "JOIN campaign_call_paths USING (call_path_key) WHERE operation IS NULL",
    )
    fewest, most = map(reference, ENDS)
    assert {name: (few, many) for name, few, many in found} == {
        name: (pytest.approx(fewest[name], rel=1e-3), pytest.approx(many, rel=1e-3))
        for name, many in most.items()
        if "MPI_" not in name
        and max(many / sum(most.values()), fewest[name] / sum(fewest.values())) >= LEAST_SHARE
    }


def test_the_reference_has_the_stated_figures() -> None:
    fewest, most = map(reference, ENDS)
    for name, (few, many) in STATED.items():
        assert round(fewest[f"main/{name}"] / 1e6, 2) == few
        assert round(most[f"main/{name}"] / 1e6, 2) == many
    kept = most["main/serial_part"] + most["main/imbalanced"]
    assert kept / sum(most.values()) == pytest.approx(0.66, abs=0.005)


def test_the_summary_names_what_grows_what_does_not_shrink_and_the_cause_of_waiting(
    scalemodel: Analysis,
) -> None:
    (summary,) = build_campaign_summary(scalemodel.run).sections
    grows, stays, shrinks, waiting, *_ = summary.findings
    assert grows.headline == "Grows on the critical path:"
    assert [name in grows.detail for name in STATED] == [True, True, False, False, False]
    assert stays.headline == "Does not shrink on the critical path:"
    assert [name in stays.detail for name in STATED] == [False, False, True, True, False]
    assert re.search(r"; together 66\.\d% of the path\.$", stays.detail)
    assert shrinks.headline == "Shrinks on the critical path:"
    assert [name in shrinks.detail for name in STATED] == [False] * 4 + [True]
    assert waiting.headline.startswith('Waiting for "main/serial_part"')
    assert waiting.headline.endswith("on rank 0:")
    assert '; seen in "main/MPI_Bcast".' in waiting.detail
    texts = [each.headline for each in summary.findings]
    texts += [each.detail for each in (grows, stays, shrinks)]
    assert not any("MPI_" in text for text in texts)
