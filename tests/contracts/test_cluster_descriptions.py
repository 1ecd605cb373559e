"""Descriptions of clusters: shipped ones are read, every mistake is explained in one line."""

from math import inf
from pathlib import Path

import pytest

from tracemill.base.errors import MissingInputError, ProgramError
from tracemill.programs.clusters.cluster import Channel, CollectiveRule, Placement, UnitException
from tracemill.programs.clusters.reading import parse_cluster, read_cluster
from tracemill.programs.operations import OPERATIONS

CLUSTERS = sorted((Path(__file__).parents[2] / "data" / "clusters").glob("*.toml"))
NODE = """
[[level]]
name = "node"
units = 2
[[level.channel]]
latency_ns = 1_000
"""
TWO = NODE + NODE.replace("node", "cluster").replace("units = 2", "units = 8")


def read(folder: Path, text: str, name: str = "mvs.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("path", CLUSTERS, ids=lambda path: path.stem)
def test_shipped_clusters_are_read(path: Path) -> None:
    cluster = read_cluster(path)
    assert cluster.name == path.stem
    assert cluster.core_count >= 128


def test_a_description_has_defaults(tmp_path: Path) -> None:
    cluster = read_cluster(read(tmp_path, NODE.replace("latency_ns = 1_000", "")))
    assert cluster.name == "mvs"
    assert (cluster.speed, cluster.operations_per_s, cluster.overhead_ns) == (1, 1e9, 0)
    assert cluster.eager_limit_bytes == inf
    assert (cluster.exceptions, cluster.collectives, cluster.storage) == ((), (), ())
    assert cluster.placement == Placement("block", None, None)
    (level,) = cluster.levels
    assert (level.name, level.units, level.contention, level.links) == ("node", 2, True, 0)
    assert level.channels == (Channel(1, 0, 0),)


def test_every_field_is_read(tmp_path: Path) -> None:
    text = f"""
        name = "all"
        speed = 2
        operations_per_s = 4e9
        overhead_ns = 0.5
        eager_limit_bytes = 8192
        {TWO}
        count = 3
        ns_per_byte = 0.25
        [[level.channel]]
        ns_per_byte = 80.0
        [[exception]]
        level = "node"
        units = [4, "6..7", 5]
        speed = 0.5
        [[exception.channel]]
        count = 2
        [[exception]]
        level = "core"
        units = ["0..15"]
        speed = 3
        [placement]
        order = "cyclic"
        level = "node"
        cores = [0, 2, 4]
        [[collective]]
        operations = ["allreduce", "barrier"]
        to_bytes = 100
        algorithm = "recursive doubling"
        [[collective]]
        algorithm = "ring"
        [[storage.channel]]
        count = 2
        latency_ns = 0.75
    """
    cluster = read_cluster(read(tmp_path, text), speed=1.5)
    assert (cluster.name, cluster.speed, cluster.operations_per_s) == ("all", 3, 4e9)
    assert (cluster.overhead_ns, cluster.eager_limit_bytes) == (0.5, 8192)
    assert cluster.levels[1].channels == (Channel(3, 1000, 0.25), Channel(1, 0, 80))
    assert cluster.exceptions == (
        UnitException("node", (4, 6, 7, 5), 0.5, (Channel(2, 0, 0),)),
        UnitException("core", tuple(range(16)), 3),
    )
    assert cluster.placement == Placement("cyclic", "node", (0, 2, 4))
    assert cluster.collectives == (
        CollectiveRule("recursive doubling", ("allreduce", "barrier"), 100),
        CollectiveRule("ring", (), inf),
    )
    assert cluster.storage == (Channel(2, 0.75, 0),)


def test_the_digest_depends_on_values_only(tmp_path: Path) -> None:
    first = read_cluster(read(tmp_path, NODE)).digest
    assert len(first) == 16
    commented = f"# comment\nspeed = 1.0{NODE}count = 1 # one\n"
    assert read_cluster(read(tmp_path, commented)).digest == first
    assert read_cluster(read(tmp_path, NODE), speed=2).digest == first
    assert read_cluster(read(tmp_path, NODE.replace("1_000", "999"))).digest != first


def test_a_missing_file_is_missing_input(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match=r"cannot read .*none.toml: No such file"):
        read_cluster(tmp_path / "none.toml")


LIMIT = "1000000000000"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no level: give at least one [[level]]"),
        (
            "cores = 3" + NODE,
            "unknown field cores: fields are name, speed, operations_per_s, overhead_ns, "
            "eager_limit_bytes, level, exception, placement, collective, storage",
        ),
        ("speed = 0" + NODE, "speed: 0 is out of range: more than 0"),
        ("speed = inf" + NODE, "speed: inf is out of range: more than 0"),
        ("speed = 'fast'" + NODE, "speed: give a number, not 'fast'"),
        ("operations_per_s = -1" + NODE, "operations_per_s: -1 is out of range: more than 0"),
        ("overhead_ns = -1" + NODE, f"overhead_ns: -1 is out of range: 0 to {LIMIT}"),
        ("eager_limit_bytes = -1" + NODE, "eager_limit_bytes: -1 is out of range: 0 or more"),
        (
            TWO.replace("1_000", "-1"),
            f"level 1 (node): channel 1: latency_ns: -1 is out of range: 0 to {LIMIT}",
        ),
        (
            TWO + "ns_per_byte = -0.5",
            "level 2 (cluster): channel 1: ns_per_byte: -0.5 is out of range: 0 to 1000000000",
        ),
        (
            TWO + "[[level.channel]]\nlatency_ns = inf",
            f"level 2 (cluster): channel 2: latency_ns: inf is out of range: 0 to {LIMIT}",
        ),
        (
            TWO + "[[level.channel]]\nlatency_ns = nan",
            f"level 2 (cluster): channel 2: latency_ns: nan is out of range: 0 to {LIMIT}",
        ),
        (
            NODE + "count = 0",
            "level 1 (node): channel 1: count: 0 is out of range: 1 to 1000000",
        ),
        (
            NODE + "bandwidth = 3",
            "level 1 (node): channel 1: unknown field bandwidth: "
            "fields are count, latency_ns, ns_per_byte",
        ),
        (
            NODE.replace("units = 2", "units = 0"),
            "level 1 (node): units: 0 is out of range: 1 to 1000000000",
        ),
        (
            NODE.replace("units = 2", "units = 1.5"),
            "level 1 (node): units: give a whole number, not 1.5",
        ),
        (NODE.replace("units = 2", ""), "level 1 (node): field units is missing"),
        (
            "[[level]]\nname = 'node'\nunits = 2",
            "level 1 (node): field channel is missing",
        ),
        (
            "[[level]]\nname = 'node'\nunits = 2\nchannel = []",
            "level 1 (node): channel: give at least one [[level.channel]]",
        ),
        (NODE.replace("node", "core"),
         "level 1 (core): name: 'core' is reserved: give another name"),
        (NODE + NODE, "level 2 (node): name: another level is named node"),
        (
            NODE.replace("units = 2", "units = 2\nlinks = -1"),
            "level 1 (node): links: -1 is out of range: 0 to 1000000",
        ),
        (
            NODE + "[[exception]]\nlevel = 'socket'\nunits = [0]",
            "exception 1: level: no 'socket': one of core, node",
        ),
        (
            TWO + "[[exception]]\nlevel = 'node'\nunits = ['6..8']",
            "exception 1: units: no node 8: they go from 0 to 7",
        ),
        (
            TWO + "[[exception]]\nlevel = 'core'\nunits = [15, 16]",
            "exception 1: units: no core 16: they go from 0 to 15",
        ),
        (
            NODE + "[[exception]]\nlevel = 'core'\nunits = [-1]",
            "exception 1: units: no core -1: they go from 0 to 1",
        ),
        (
            NODE + "[[exception]]\nlevel = 'core'\nunits = []",
            'exception 1: units: give a list of units, as in [4, "8..15"]',
        ),
        (
            NODE + "[[exception]]\nlevel = 'core'\nunits = ['1-2']",
            "exception 1: units: '1-2' is no unit: write 4 or \"8..15\"",
        ),
        (
            NODE + "[[exception]]\nlevel = 'core'\nunits = ['2..1']",
            "exception 1: units: '2..1' is no unit: write 4 or \"8..15\"",
        ),
        (
            NODE + "[[exception]]\nlevel = 'core'\nunits = ['0..99999999']",
            "exception 1: units: 0..99999999 are more than 1,000,000 units",
        ),
        (
            NODE + "[[exception]]\nlevel = 'core'\nunits = [0]\nspeed = 0",
            "exception 1: speed: 0 is out of range: more than 0",
        ),
        (
            NODE + "[[exception]]\nlevel = 'core'\nunits = [0]\n[[exception.channel]]",
            "exception 1: channel: a core has no channels: name a level",
        ),
        (
            NODE + "[placement]\norder = 'random'",
            "placement: order: no 'random': one of block, cyclic",
        ),
        (
            NODE + "[placement]\norder = 'cyclic'",
            "placement: level is missing: cyclic needs one of node",
        ),
        (
            NODE + "[placement]\norder = 'cyclic'\nlevel = 'core'",
            "placement: level: no 'core': one of node",
        ),
        (
            NODE + "[placement]\ncores = [1, 2]",
            "placement: cores: no core 2: they go from 0 to 1",
        ),
        (
            NODE + "[placement]\ncores = [1, 0, 1]",
            "placement: cores: core 1 is listed 2 times",
        ),
        (
            NODE + "[placement]\ncores = ['1']",
            "placement: cores: give whole numbers, not '1'",
        ),
        (
            NODE + "[placement]\ncores = []",
            "placement: cores: give a list of cores, as in [0, 2, 4]",
        ),
        (
            NODE + "[[collective]]\nalgorithm = 'bush'",
            "collective 1: algorithm: no 'bush': one of star, tree, recursive doubling, ring",
        ),
        (NODE + "[[collective]]", "collective 1: field algorithm is missing"),
        (
            NODE + "[[collective]]\nalgorithm = 'star'\noperations = ['sum']",
            f"collective 1: operations: no 'sum': one of {', '.join(OPERATIONS)}",
        ),
        (
            NODE + "[[storage.channel]]\nlatency_ns = -1",
            f"storage: channel 1: latency_ns: -1 is out of range: 0 to {LIMIT}",
        ),
    ],
)  # fmt: skip
def test_wrong_descriptions_are_explained(tmp_path: Path, text: str, message: str) -> None:
    path = read(tmp_path, text)
    with pytest.raises(ProgramError) as error:
        read_cluster(path)
    assert str(error.value) == f"{path}: {message}"
    assert error.value.exit_code == 16


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"mvs.toml: not a TOML file: "):
        read_cluster(read(tmp_path, "level ="))


@pytest.mark.parametrize(
    ("placement", "message"),
    [
        ({}, "cluster small has 2 cores, too few for 3 processes"),
        ({"cores": [1]}, "cluster small has 1 cores in its placement, too few for 3 processes"),
    ],
)
def test_processes_need_cores(placement: dict[str, object], message: str) -> None:
    given = {
        "level": [{"name": "node", "units": 2, "channel": [{}]}], "placement": placement,
    }  # fmt: skip
    with pytest.raises(ProgramError) as error:
        parse_cluster(given, name="small").cores(3)
    assert str(error.value) == message
