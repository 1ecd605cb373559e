"""What is new in a store belongs to the group that the store belongs to."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tracemill.base.files import write_bytes
from tracemill.base.sharing import make_folder, share

GROUP = 54321  # of no user, other than that of whoever runs the tests


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def folder_of(tmp_path: Path, mode: int) -> Path:
    folder = tmp_path / "store"
    folder.mkdir()
    folder.chmod(mode)
    return folder


@pytest.mark.parametrize(
    ("folder_mode", "file_mode", "inner_mode"),
    [
        (0o755, 0o644, 0o755),
        (0o775, 0o664, 0o775),
        (0o700, 0o600, 0o700),
        (0o770, 0o660, 0o770),
        (0o2770, 0o660, 0o2770),
        (0o2775, 0o664, 0o2775),
        (0o777, 0o666, 0o777),
        (0o3770, 0o660, 0o2770),  # each in a folder of their own keeps their things there
        (0o1777, 0o644, 0o755),  # such as /tmp: as the user's mask has it
    ],
)
def test_new_files_and_folders_take_the_mode_of_their_folder(
    tmp_path: Path, folder_mode: int, file_mode: int, inner_mode: int
) -> None:
    folder = folder_of(tmp_path, folder_mode)
    file = folder / "file"
    file.write_text("")
    share(file)
    make_folder(folder / "inner")
    assert oct(mode(file)) == oct(file_mode)
    assert oct(mode(folder / "inner")) == oct(inner_mode)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files to any group")
def test_new_files_and_folders_are_of_the_group_of_their_folder(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, 0o2770)
    os.chown(folder, -1, GROUP)
    folder.chmod(0o2770)  # which the change of the group took away
    make_folder(folder / "one" / "two")
    file = folder / "one" / "two" / "file"
    file.write_text("")
    share(file)
    for path in (folder / "one", folder / "one" / "two", file):
        assert path.stat().st_gid == GROUP
    assert oct(mode(folder / "one" / "two")) == oct(0o2770)


def test_who_may_not_give_a_file_to_the_group_keeps_it_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The group that it has is another than that which the folder's mode speaks of."""
    folder = folder_of(tmp_path, 0o775)
    if os.geteuid() == 0:
        os.chown(folder, -1, GROUP)
    else:
        pytest.skip("only root may give files to any group")
    file = folder / "file"
    file.write_text("")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "chown", refuse)
    share(file)
    assert oct(mode(file)) == oct(0o644)


def test_what_others_made_or_removed_meanwhile_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_folder(tmp_path / "runs" / "run=a")
    make_folder(tmp_path / "runs" / "run=a")
    original, removed = Path.mkdir, []

    def mkdir(path: Path) -> None:
        original(path)
        if path.name == "run=b" and not removed:
            removed.append(path)
            path.rmdir()  # another writer gave up and left it empty

    monkeypatch.setattr(Path, "mkdir", mkdir)
    make_folder(tmp_path / "runs" / "run=b" / "gen")
    assert (tmp_path / "runs" / "run=b" / "gen").is_dir()
    share(tmp_path / "gone")


def test_a_file_in_the_way_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError):
        make_folder(tmp_path / "file")
    with pytest.raises(NotADirectoryError):
        make_folder(tmp_path / "file" / "inner")


def test_files_for_people_in_a_store_are_shared_and_others_are_as_the_user_wants(
    tmp_path: Path,
) -> None:
    folder = folder_of(tmp_path, 0o770)
    report, own = folder / "reports" / "run=a" / "index.html", folder / "own.html"
    write_bytes(report, b"page", is_folder_made=True)
    write_bytes(own, b"page")
    assert oct(mode(report.parent)) == oct(0o770)
    assert (oct(mode(report)), oct(mode(own))) == (oct(0o660), oct(0o644))
    assert [path.name for path in report.parent.iterdir()] == ["index.html"]
