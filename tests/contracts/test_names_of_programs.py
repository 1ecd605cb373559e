"""How programs are named where no pattern fits, and by folders where names hold parameters only."""

from pathlib import Path

import pytest

from tracemill.campaign.discovery import find_members
from tracemill.campaign.names import program_of


@pytest.mark.parametrize(
    ("folders", "program"),
    [
        (("m01_late_sender",), "m01_late_sender"),
        (("01_late_sender",), "late_sender"),
        (("n_cg_S_4",), "n_cg_S"),
        (("jacobi-2", "run_07"), "jacobi"),
        (("cg", "2024-01-01", "scorep-20240101_1200"), "cg"),
        (("17",), ""),
        ((), ""),
    ],
)
def test_programs_are_called_by_what_says_most(folders: tuple[str, ...], program: str) -> None:
    assert program_of(folders) == program


def traces(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).mkdir(parents=True)
        (folder / name / "traces.otf2").touch()
    return folder


def named(folder: Path) -> list[tuple[str, str, bool]]:
    members = find_members([folder], "").members
    return [(member.label, member.application, member.is_named) for member in members]


def test_names_without_parameters_keep_programs_apart(tmp_path: Path) -> None:
    assert named(traces(tmp_path / "all", "ring_1", "ring_2", "sort")) == [
        ("ring_1", "ring", False), ("ring_2", "ring", False), ("sort", "sort", False),
    ]  # fmt: skip


def test_names_of_parameters_alone_leave_it_to_folders_above(tmp_path: Path) -> None:
    assert named(traces(tmp_path / "all", "cg/p2", "cg/p4", "is/p2")) == [
        ("p2", "cg", False), ("p4", "cg", False), ("p2", "is", False),
    ]  # fmt: skip
    # Folders that keep nothing apart say nothing.
    assert named(traces(tmp_path / "one", "p2", "p4")) == [("p2", "", True), ("p4", "", True)]


def test_an_option_goes_before_all_names(tmp_path: Path) -> None:
    found = find_members([traces(tmp_path, "first", "second")], "", "cg").members
    assert {(member.application, member.is_named) for member in found} == {("cg", True)}
