"""Keys of call paths: equal names give equal keys, in any trace."""

from tests.helpers.micro_trace import Row
from tests.helpers.running import run_stage
from tracemill.stages.call_path_keys import CALL_PATH_KEYS_STAGE

Path = tuple[str, ...]


def keys_of(*paths: Path, places: dict[str, list[int]] | None = None) -> dict[Path, list[int]]:
    """Keys of the call paths with these region names, which come in this order.

    `places` gives the first lines of regions that share a name, one region each.
    """
    lines = {name: [1] for path in paths for name in path} | (places or {})
    regions = [(name, line) for name, found in lines.items() for line in found]
    rows: list[Row] = []
    for number, path in enumerate(paths):
        nth = paths[:number].count(path)
        rows.append(
            {
                "call_path_id": number,
                "parent_call_path_id": paths.index(path[:-1]) if len(path) > 1 else None,
                "region_id": regions.index((path[-1], lines[path[-1]][nth % len(lines[path[-1]])])),
                "depth": len(path) - 1,
            }
        )
    named = [
        {"region_id": number, "name": name, "file": "a.c", "begin_line": line}
        for number, (name, line) in enumerate(regions)
    ]
    made = run_stage(CALL_PATH_KEYS_STAGE, {"call_paths": rows, "regions": named})
    found: dict[Path, list[int]] = {}
    for row in made["call_path_keys"]:
        found.setdefault(paths[row["call_path_id"]], []).append(row["call_path_key"])
    return found


def test_keys_depend_on_names_alone() -> None:
    one = keys_of(("main",), ("main", "a"), ("main", "b"), ("main", "b", "a"))
    other = keys_of(("main",), ("main", "b"), ("main", "b", "a"), ("main", "b", "c"), ("main", "a"))
    assert {path: other[path] for path in one} == one
    assert len({key for found in other.values() for key in found}) == 5


def test_a_caller_or_a_name_makes_another_key() -> None:
    keys = keys_of(("main",), ("main", "main"), ("main", "a"), ("a",), ("a", "main"), ("ma",))
    assert len({key for found in keys.values() for key in found}) == 6


def test_regions_of_one_name_differ_by_their_source_position() -> None:
    one = keys_of(("main",), ("main", "f"), ("main", "f"), places={"f": [10, 20]})
    other = keys_of(("main",), ("main", "f"), ("main", "f"), places={"f": [20, 10]})
    assert len(set(one["main", "f"])) == 2
    assert one["main", "f"] == other["main", "f"][::-1]


def test_equal_regions_differ_by_their_order() -> None:
    keys = keys_of(("main",), ("main", "f"), ("main", "f"), places={"f": [10, 10]})
    assert len(set(keys["main", "f"])) == 2


def test_without_call_paths_there_are_no_keys() -> None:
    assert keys_of() == {}
