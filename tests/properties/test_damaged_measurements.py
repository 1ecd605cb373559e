"""Damaged measurements are read, or refused with a message that names the file."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracemill.base.errors import CampaignError
from tracemill.campaign.inputs import read_measurements
from tracemill.campaign.inputs.measurements import MeasuredRuns

EXAMPLES = Path(__file__).parents[2] / "data" / "campaigns"
FILES = ("timings.csv", "extrap.txt", "extrap.json", "extrap.jsonl", "mpip/sweep_p2_n100.mpiP")
INSERTED = (
    "-1", "nan", "1e999", "1e99999999", ",", "{", "]", '"', "\n", "\0", "é", "DATA", "*", " ",
    "@--- MPI Time", "->",
)  # fmt: skip
CHANGES = st.tuples(
    st.integers(0, 10**6),
    st.sampled_from(["drop a line", "repeat a line", "insert", "cut"]),
    st.sampled_from(INSERTED),
)


def damage(text: str, number: int, change: str, inserted: str) -> str:
    at = number % (len(text) + 1)
    end = text.find("\n", at) + 1 or len(text)
    match change:
        case "insert":
            return text[:at] + inserted + text[at:]
        case "cut":
            return text[:at]
        case "drop a line":
            return text[:at] + text[end:]
        case _:
            return text[:end] + text[at:]


def read_or_refuse(path: Path) -> MeasuredRuns | str:
    try:
        return read_measurements(path)
    except CampaignError as error:
        return str(error)


@settings(max_examples=100)
@given(st.sampled_from(FILES), st.lists(CHANGES, min_size=1, max_size=4))
def test_damaged_files_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, changes: list[tuple[int, str, str]]
) -> None:
    text = (EXAMPLES / name).read_text()
    for change in changes:
        text = damage(text, *change)
    path = tmp_path_factory.mktemp("damaged") / Path(name).name
    path.write_text(text)
    found = read_or_refuse(path)
    if isinstance(found, str):
        assert str(path) in found
        return
    assert found.runs
    for run in found:
        assert run.time_ns is None or 0 <= run.time_ns < 2**63
        assert run.state != "measured" or (run.time_ns, run.efficiency) != (None, None)
        assert all(0 <= call.total_ns < 2**63 for call in run.call_sites)
