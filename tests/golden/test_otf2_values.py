"""Values beside calls and messages: counters, parameters, attributes."""

from tests.helpers.otf2_archive import TYPES, Event, Trace, trace_of

PLACE = "time_ns sequence visit_id"
STRICT, ASYNCHRONOUS = 1, 3


# --- Counters -----------------------------------------------------------------------------------


def define_counters(trace: Trace, *kinds: str, occurrence: int = 0) -> None:
    """Metric class 0 with a member per type of value."""
    for number, kind in enumerate(kinds):
        trace.define("MetricMember", number, f"counter {number}", "", 1, 0, TYPES[kind], 1, 0, "#")
    trace.define("MetricClass", 0, list(range(len(kinds))), occurrence, 1)


def test_counters_have_values_of_their_type(read):
    trace = Trace()
    values = [("uint64", (1 << 63) - 1), ("int64", -5), ("double", 0.25)]
    trace.location(
        [
            Event(0, "Enter", ("main",)),
            Event(1, "Metric", (0, values)),
            Event(2, "Leave", ("main",)),
        ]
    )
    define_counters(trace, "uint64", "int64", "double")
    tables = read(trace)
    assert tables.rows("counter_values", f"{PLACE} counter_id value_integer value_float") == [
        (1, 1, 0, 0, (1 << 63) - 1, None),
        (1, 1, 0, 1, -5, None),
        (1, 1, 0, 2, None, 0.25),
    ]
    assert tables.rows("counters", "counter_id name unit kind accumulation base exponent") == [
        (number, f"counter {number}", "#", "papi", "accumulated", 10, 0) for number in range(3)
    ]


def test_255_values_may_come_in_each_of_many_records(read):
    """Far more values than the reader drains at a time: it interrupts the library and continues."""
    records, width = 600, 255
    trace = trace_of(
        [
            Event(0, "Enter", ("main",)),
            *(
                Event(1 + n, "Metric", (0, [("uint64", n * width + i) for i in range(width)]))
                for n in range(records)
            ),
            Event(records + 1, "Leave", ("main",)),
        ]
    )
    define_counters(trace, *["uint64"] * width)
    tables = read(trace)
    query = """
        SELECT count(*), count(DISTINCT sequence),
            bool_and(value_integer = (sequence - 1) * 255 + counter_id)
        FROM counter_values
    """
    assert tables.sql(query, "counter_values") == [(records * width, records, True)]
    assert tables.one("locations", "record_count is_complete") == (records + 2, True)
    assert tables.findings() == {}


def test_a_record_may_hold_no_value_at_all(read):
    trace = Trace()
    full, empty = (0, [("uint64", 7)]), (0, [])
    trace.location([Event(n, "Metric", full if n % 2 else empty) for n in range(6)])
    define_counters(trace, "uint64")
    tables = read(trace)
    assert tables.rows("counter_values", "time_ns value_integer") == [(1, 7), (3, 7), (5, 7)]
    assert tables.findings() == {}


def test_strictly_synchronous_counters_come_just_before_their_event(read):
    """So at an enter they are still in the caller, and at a leave in the visit that ends."""
    trace = trace_of(
        [
            Event(0, "Enter", ("main",)),
            Event(5, "Metric", (0, [("uint64", 100)])),
            Event(5, "Enter", ("work",)),
            Event(9, "Metric", (0, [("uint64", 180)])),
            Event(9, "Leave", ("work",)),
            Event(10, "Leave", ("main",)),
        ]
    )
    define_counters(trace, "uint64", occurrence=STRICT)
    assert read(trace).rows("counter_values", f"{PLACE} value_integer") == [
        (5, 1, 0, 100),
        (9, 3, 1, 180),
    ]


def test_a_metric_location_names_its_counters_by_an_instance(read):
    trace = trace_of("0 enter main\n 9 leave main")
    trace.location(
        [Event(3, "Metric", (7, [("uint64", 42)]))], process=0, kind="metric", name="power"
    )
    define_counters(trace, "uint64", occurrence=ASYNCHRONOUS)
    trace.define("MetricInstance", 7, 0, trace.locations[1].ref, 1, 0)
    tables = read(trace)
    columns = "location_id time_ns visit_id counter_id value_integer"
    assert tables.rows("counter_values", columns) == [(1, 3, None, 0, 42)]
    assert tables.rows("locations", "name kind visit_count") == [
        ("thread 0", "cpu_thread", 1),
        ("power", "metric", 0),
    ]


def test_an_instance_names_what_its_values_describe(read):
    """Values of class 0 describe their location; those of the instances a thread, a node."""
    trace = trace_of("0 enter main\n 9 leave main")
    value = [("uint64", 42)]
    trace.location(
        [Event(at, "Metric", (ref, value)) for at, ref in ((3, 0), (4, 7), (5, 8))],
        process=0, kind="metric", name="power",
    )  # fmt: skip
    define_counters(trace, "uint64", occurrence=ASYNCHRONOUS)
    power = trace.locations[1].ref
    trace.define("MetricInstance", 7, 0, power, 0, trace.locations[0].ref)
    trace.define("MetricInstance", 8, 0, power, 2, 0)
    tables = read(trace)
    assert tables.rows("counter_values", "time_ns counter_instance_id") == [
        (3, None), (4, 0), (5, 1)
    ]  # fmt: skip
    columns = "source_ref location_id scope scope_location_id location_group_id"
    assert tables.rows("counter_instances", f"{columns} system_tree_node_id") == [
        (7, 1, "location", 0, None, None),
        (8, 1, "node", None, None, 0),
    ]


def test_a_mode_is_accumulation_and_occurrence(read):
    """OTF2 numbers modes by accumulation + 16 * occurrence: 33 is absolute, since the last."""
    trace = trace_of("0 enter main\n 9 leave main")
    trace.define("MetricMember", 0, "power", "", 0, 33, TYPES["double"], 0, -3, "W")
    columns = "accumulation occurrence base exponent"
    assert read(trace).rows("counters", columns) == [("absolute", "last", 2, -3)]


def test_a_repeated_counter_of_a_class_counts_once(read):
    trace = trace_of([Event(1, "Metric", (0, [("uint64", 7), ("uint64", 8)]))])
    trace.define("MetricMember", 0, "counter", "", 1, 0, TYPES["uint64"], 1, 0, "#")
    trace.define("MetricClass", 0, [0, 0], ASYNCHRONOUS, 1)
    tables = read(trace)
    assert tables.rows("counter_values", "counter_id value_integer") == [(0, 7)]
    assert tables.findings() == {("impossible_id", 0): 1}


def test_a_value_without_counter_is_counted_and_left_out(read):
    """Class 0 has one member, the record two values; class 9 is not defined."""
    trace = trace_of(
        [
            Event(1, "Metric", (0, [("uint64", 1), ("uint64", 2)])),
            Event(2, "Metric", (9, [("uint64", 3)])),
        ]
    )
    define_counters(trace, "uint64")
    tables = read(trace)
    assert tables.rows("counter_values", "counter_id value_integer") == [(0, 1)]
    assert tables.findings() == {("impossible_id", 0): 2}


# --- Parameters ---------------------------------------------------------------------------------


def test_parameters_are_texts_or_numbers(read):
    trace = trace_of("""
        0  enter main
        1  ParameterString 0 1
        2  ParameterInt 1 -3
        3  ParameterUnsignedInt 2 4
        4  ParameterInt 9 5
        5  leave main
    """)
    for number, kind in enumerate((0, 1, 2)):
        trace.define("Parameter", number, f"p{number}", kind)
    tables = read(trace)
    # The string reference 1 is the second text that the definitions need: the machine's name
    # comes first.
    assert tables.rows("parameter_values", f"{PLACE} parameter_id value_integer value_text") == [
        (1, 1, 0, 0, None, "process 0"),
        (2, 2, 0, 1, -3, None),
        (3, 3, 0, 2, 4, None),
        (4, 4, 0, None, 5, None),
    ]
    assert tables.rows("parameters", "parameter_id name kind") == [
        (0, "p0", "string"),
        (1, "p1", "int64"),
        (2, "p2", "uint64"),
    ]
    assert tables.findings() == {("impossible_id", 0): 1}


# --- Attributes ---------------------------------------------------------------------------------

VALUES = {
    "uint8": 200, "uint16": 60_000, "uint32": 4_000_000_000, "uint64": (1 << 63) - 1,
    "int8": -3, "int16": -300, "int32": -70_000, "int64": -(1 << 40), "float": 0.5,
    "double": 0.1, "string": 0, "region": 0, "comm": 3,
}  # fmt: skip


def define_attributes(trace: Trace) -> None:
    for number, kind in enumerate(VALUES):
        trace.define("Attribute", number, f"a {kind}", "an attribute", TYPES[kind])


def test_attributes_have_values_of_their_type(read):
    trace = Trace()
    carried = dict(enumerate(VALUES.items()))
    trace.location([Event(1, "Enter", ("main",), carried), Event(2, "Leave", ("main",))])
    define_attributes(trace)
    tables = read(trace)
    expected = [
        (
            number,
            None if kind in ("float", "double", "string") else value,
            value if kind in ("float", "double") else None,
            "machine" if kind == "string" else None,
        )
        for number, (kind, value) in enumerate(VALUES.items())
    ]
    columns = "attribute_id value_integer value_float value_text"
    assert sorted(tables.rows("record_attributes", columns)) == expected
    assert tables.rows("attributes", "attribute_id name description", "attribute_id < 2") == [
        (0, "a uint8", "an attribute"),
        (1, "a uint16", "an attribute"),
    ]


def test_attributes_belong_to_the_record_that_carries_them(read):
    """Each record carries its own number; `work` has ended before the message is sent."""
    trace = Trace()

    def carried(number: int) -> dict[int, tuple[str, int]]:
        return {0: ("uint8", number)}

    trace.location(
        [
            Event(0, "Enter", ("main",), carried(0)),
            Event(1, "Enter", ("work",), carried(1)),
            Event(2, "Leave", ("work",), carried(2)),
            Event(3, "MpiSend", (0, 0, 7, 8), carried(3)),
            Event(4, "Leave", ("main",), carried(4)),
            Event(5, "MpiSend", (0, 0, 7, 8), carried(5)),
        ]
    )
    trace.region("MPI_Send", paradigm="mpi")
    define_attributes(trace)
    tables = read(trace)
    assert tables.rows("record_attributes", f"{PLACE} call_path_id value_integer") == [
        (0, 0, 0, 0, 0),
        (1, 1, 1, 1, 1),
        (2, 2, 1, 1, 2),
        (3, 3, 0, 0, 3),
        (4, 4, 0, 0, 4),
        (5, 5, None, None, 5),
    ]
    assert tables.rows("mpi_operations", "sequence bytes") == [(3, 8), (5, 8)]
    assert tables.findings() == {}


def test_attributes_that_are_not_defined_are_counted(read):
    trace = Trace()
    values = {50: ("uint8", 1), 51: ("uint8", 2)}
    trace.location([Event(1, "Enter", ("main",), values), Event(2, "Leave", ("main",))])
    define_attributes(trace)
    tables = read(trace)
    columns = "attribute_id value_integer"
    assert sorted(tables.rows("record_attributes", columns)) == []
    assert tables.findings() == {("impossible_id", 0): 2}
