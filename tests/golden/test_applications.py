"""The application of an archive: from a pattern, or else from its path."""

from pathlib import Path

import pytest

from tracemill.nightly.config import Application, application_of
from tracemill.store.manifest import SourceRecord

ROOT = Path("/traces")


def archive(path: str, format: str = "otf2") -> SourceRecord:
    return SourceRecord(path=path, format=format, files=(), digest="d")


@pytest.mark.parametrize(
    ("folder", "application"),
    [
        ("lulesh/2026-11-20/scorep-20261120_0312_99", "lulesh"),
        ("2026/11/20/lulesh", "lulesh"),
        ("20-Nov-2026/lulesh", "lulesh"),
        ("2026-11-20T03:12:59/cg", "cg"),
        ("cg/20261120T031259Z", "cg"),
        ("nas/cg/run_07", "nas/cg"),
        ("nas/ft/run_07", "nas/ft"),
        ("cg_p64_r1", "cg"),
        ("cg_p64_n400_r1", "cg_n400"),  # another size is another series
        ("ls-dyna/job.4711/traces", "ls-dyna"),
        ("weather model/7", "weather model"),
        ("größe/3", "größe"),
        ("jacobi-2", "jacobi"),
    ],
)
def test_numbers_dates_and_usual_words_are_left_out(folder: str, application: str) -> None:
    assert application_of(archive(f"/traces/{folder}/traces.otf2"), ROOT) == application


def test_a_trace_in_one_file_is_called_like_the_file() -> None:
    assert application_of(archive("/traces/3/cg_r2.csv.gz", "csv"), ROOT) == "cg"


def test_the_source_names_the_application_if_the_path_does_not() -> None:
    nothing = archive("/traces/2026-11-20/scorep-1/traces.otf2")
    assert application_of(nothing, Path("/data/lulesh-runs/..")) == "program"
    assert application_of(archive("/lulesh/2026/traces.otf2"), Path("/lulesh")) == "lulesh"
    assert application_of(nothing, ROOT) == "program"


def test_a_source_per_day_names_applications_like_the_days_before() -> None:
    today = Path("/traces/2026-11-21")
    assert application_of(archive("/traces/2026-11-21/cg/1/traces.otf2"), today) == "cg"
    assert application_of(archive("/traces/2026-11-20/cg/9/traces.otf2"), today) == "cg"


def test_other_sources_stay_apart() -> None:
    other = archive("/traces/other/cg/traces.otf2")
    assert application_of(other, Path("/traces/mine")) == "other/cg"
    neighbor = archive("/traces-old/cg/traces.otf2")
    assert application_of(neighbor, ROOT) == "old/cg"


def test_the_first_pattern_that_fits_counts() -> None:
    rules = (
        Application(name="Conjugate Gradient", pattern="nas/cg*"),
        Application(name="NAS", pattern="nas/*"),
    )
    found = [
        application_of(archive(f"/traces/{folder}/traces.otf2"), ROOT, rules)
        for folder in ("nas/cg/1/2", "nas/ft/1", "old/nas/cg/1", "NAS/cg")
    ]
    assert found == ["Conjugate Gradient", "NAS", "old/nas/cg", "NAS/cg"]


def test_outside_of_the_source_the_end_of_a_path_may_fit() -> None:
    rules = (Application(name="Conjugate Gradient", pattern="nas/cg*"),)
    today = Path("/traces/2026-11-21")
    before = archive("/traces/2026-11-20/nas/cg/1/traces.otf2")
    assert application_of(before, today, rules) == "Conjugate Gradient"


def test_a_source_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    path = f"{tmp_path}/real/cg/1/traces.otf2"
    assert application_of(archive(path), tmp_path / "link") == "cg"
