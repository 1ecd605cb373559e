"""A night finds complete archives at rest, of any name, and none outside of its source."""

import os
import time
from pathlib import Path

import pytest

from tracemill.base.errors import MissingInputError
from tracemill.nightly.find import FoundArchives, find_archives, is_as_found

DAY = 86_400


def make_archive(folder: Path, name: str = "traces", *, without: str = "") -> Path:
    """Files named like those of an archive of one location; a search reads no content."""
    (folder / name).mkdir(parents=True)
    for file in (f"{name}.otf2", f"{name}.def", f"{name}/0.def", f"{name}/0.evt"):
        if not file.endswith(without or "\0"):
            (folder / file).write_bytes(b"x" * len(file))
    return folder / f"{name}.otf2"


def find(source: Path, *, settle: float = 60, later: float = 3_600) -> FoundArchives:
    """What a search finds that takes place so many seconds from now."""
    return find_archives(source, settle_seconds=settle, now=time.time() + later)


def anchors(found: FoundArchives) -> list[Path]:
    return [archive.anchor for archive in found.archives]


def reasons(found: FoundArchives) -> dict[str, str]:
    skipped = (*found.waiting, *found.left_out)
    return {each.path.name: each.reason for each in skipped}


def test_archives_are_found_at_any_depth_with_all_their_files(tmp_path: Path) -> None:
    first, second = make_archive(tmp_path / "a"), make_archive(tmp_path / "b" / "c" / "d", "run")
    (tmp_path / "b" / "notes.txt").write_text("not of an archive")
    found = find(tmp_path)
    assert anchors(found) == [first, second]
    names = ["run.def", "run.otf2", "run/0.def", "run/0.evt"]
    assert [(file.name, file.size) for file in found.archives[1].files] == [
        (name, len(name)) for name in names
    ]
    assert found.archives[1].files[0].mtime_ns == (second.parent / "run.def").stat().st_mtime_ns
    assert (found.waiting, found.left_out) == ((), ())


def test_several_archives_in_a_folder_are_several(tmp_path: Path) -> None:
    both = [make_archive(tmp_path, "one"), make_archive(tmp_path, "two")]
    assert anchors(find(tmp_path)) == both


def test_an_archive_that_just_changed_is_waited_for(tmp_path: Path) -> None:
    anchor = make_archive(tmp_path / "a")
    assert reasons(find(tmp_path, later=59)) == {anchor.name: "changed a moment ago (--settle)"}
    assert anchors(find(tmp_path, later=61)) == [anchor]
    assert anchors(find(tmp_path, settle=0, later=0.1)) == [anchor]


def test_a_copy_that_kept_its_times_is_waited_for_all_the_same(tmp_path: Path) -> None:
    anchor = make_archive(tmp_path / "a")
    old = time.time() - DAY
    for path in (tmp_path / "a").rglob("*"):
        os.utime(path, (old, old))
    assert reasons(find(tmp_path, later=30)) == {anchor.name: "changed a moment ago (--settle)"}


def test_definitions_are_waited_for_a_day_and_an_anchor_for_ever(tmp_path: Path) -> None:
    late = make_archive(tmp_path / "late", without="traces.def")
    make_archive(tmp_path / "cut", "begun", without="begun.otf2")
    assert reasons(find(tmp_path)) == {
        "traces.otf2": "no definitions yet",
        "begun.otf2": "no anchor file yet",
    }
    assert anchors(find(tmp_path, later=DAY + 60)) == [late]


def test_a_second_look_sees_any_change(tmp_path: Path) -> None:
    make_archive(tmp_path / "a")
    (found,) = find(tmp_path).archives
    assert is_as_found(found)
    events = tmp_path / "a" / "traces" / "0.evt"
    events.write_bytes(b"more" * 9)
    assert not is_as_found(found)
    (found,) = find(tmp_path).archives
    (tmp_path / "a" / "traces" / "1.evt").write_bytes(b"")
    assert not is_as_found(found)
    (found,) = find(tmp_path).archives
    found.anchor.unlink()
    assert not is_as_found(found)


@pytest.mark.parametrize(
    "name",
    ["two words", "Überlauf-測試", "line\nbreak", "x..y", "'; rm -rf $HOME #", "-rf", "a*[b]?"],
)
def test_any_name_will_do(name: str, tmp_path: Path) -> None:
    anchor = make_archive(tmp_path / "below" / name)
    assert anchors(find(tmp_path)) == [anchor]


def test_a_name_that_is_no_text_will_do(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    anchor = make_archive(folder)
    assert anchors(find(tmp_path)) == [anchor]


def test_a_source_named_with_dots_or_by_a_link_keeps_its_plain_name(tmp_path: Path) -> None:
    make_archive(tmp_path / "real" / "a")
    (tmp_path / "other").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert anchors(find(tmp_path / "other" / ".." / "real")) == [
        tmp_path / "real" / "a" / "traces.otf2"
    ]
    assert anchors(find(tmp_path / "link")) == [tmp_path / "link" / "a" / "traces.otf2"]


def test_links_that_lead_out_are_left_out(tmp_path: Path) -> None:
    outside = make_archive(tmp_path / "outside")
    source = tmp_path / "source"
    inside = make_archive(source / "a")
    (source / "folder").symlink_to(outside.parent)
    (source / "anchor.otf2").symlink_to(outside)
    (source / "up").symlink_to("..")
    (source / "file").symlink_to(tmp_path / "outside" / "traces.def")
    (source / "gone").symlink_to(tmp_path / "nowhere")
    found = find(source)
    assert anchors(found) == [inside]
    reason = "is a link that leads out of the source"
    assert reasons(found) == dict.fromkeys(["anchor.otf2", "folder", "up"], reason)


@pytest.mark.parametrize("part", ["traces.def", "traces", "traces/0.evt", "traces/0.def"])
def test_an_archive_with_a_part_outside_is_left_out(part: str, tmp_path: Path) -> None:
    outside = make_archive(tmp_path / "outside").parent
    anchor = make_archive(tmp_path / "source" / "a")
    place = anchor.parent / part
    place.rename(tmp_path / "aside")
    place.symlink_to(outside / part)
    found = find(tmp_path / "source")
    assert anchors(found) == []
    assert reasons(found) == {
        "traces.otf2": f"its {place.name} is a link that leads out of the source"
    }


def test_targets_of_links_inside_are_found_once(tmp_path: Path) -> None:
    anchor = make_archive(tmp_path / "z")
    (tmp_path / "a").symlink_to("z")
    (tmp_path / "round").symlink_to(".")
    (tmp_path / "latest.otf2").symlink_to("z/traces.otf2")
    assert anchors(find(tmp_path)) == [anchor]


def test_hidden_folders_are_not_searched_and_no_link_leads_there(tmp_path: Path) -> None:
    make_archive(tmp_path / ".hidden" / "b")
    (tmp_path / "shown").symlink_to(".hidden/b")
    found = find(tmp_path)
    assert (anchors(found), reasons(found)) == ([], {})


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    anchor = make_archive(tmp_path / "a", without="0.evt")
    os.mkfifo(tmp_path / "a" / "traces" / "0.evt")
    os.mkfifo(tmp_path / "pipe.otf2")
    assert reasons(find(tmp_path)) == {
        anchor.name: "its 0.evt is not a file",
        "pipe.otf2": "its pipe.otf2 is not a file",
    }


def test_a_folder_named_like_an_anchor_is_a_folder(tmp_path: Path) -> None:
    anchor = make_archive(tmp_path / "old.otf2" / "a")
    found = find(tmp_path)
    assert (anchors(found), reasons(found)) == ([anchor], {})


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_must_not_be_read_stops_nothing(tmp_path: Path) -> None:
    anchor = make_archive(tmp_path / "a")
    (tmp_path / "closed").mkdir(mode=0)
    found = find(tmp_path)
    assert anchors(found) == [anchor]
    assert reasons(found) == {"closed": "cannot be read: Permission denied"}


def test_the_store_is_not_searched(tmp_path: Path) -> None:
    make_archive(tmp_path / "store" / "a")
    found = find_archives(
        tmp_path, settle_seconds=0, now=time.time() + 60, without=[tmp_path / "store"]
    )
    assert found.archives == ()


def test_a_source_that_is_no_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="no such folder"):
        find(tmp_path / "nowhere")
