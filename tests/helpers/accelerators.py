"""A process with two streams of an accelerator and a location that only records a metric."""

from tests.helpers.otf2_archive import Event, Trace


# us          0    10     20        60        90      100
# thread      [main [launch][synchronize      ]       ]
# HIP[0:13]              [kernel     ]                        25 to 60
# HIP[0:14]                  [copy         ]                  30 to 80
# metrics     .    .    .    .    .    .    .    .    .
def accelerated_trace() -> Trace:
    """The trace in the picture."""
    trace = Trace(resolution=1_000_000)
    for name in ("hipLaunchKernel", "hipDeviceSynchronize"):
        trace.region(name, role="wrapper", paradigm="hip")
    for name in ("kernel", "copy"):
        trace.region(name, role="kernel", paradigm="hip")
    trace.accelerators[1] = 0
    trace.location(
        "0 enter main\n 10 enter hipLaunchKernel\n 20 leave hipLaunchKernel\n"
        "20 enter hipDeviceSynchronize\n 90 leave hipDeviceSynchronize\n 100 leave main"
    )
    trace.location("25 enter kernel\n 60 leave kernel", process=1, kind="gpu", name="HIP[0:13]")
    trace.location("30 enter copy\n 80 leave copy", process=1, kind="gpu", name="HIP[0:14]")
    trace.define("MetricMember", 0, "power", "", 0, 0, 0, 0, 0, "W")
    trace.define("MetricClass", 0, [0], 0, 0)
    values = [Event(10 * n, "Metric", (0, [("uint64", n)])) for n in range(9)]
    trace.location(values, process=0, kind="metric", name="power of the node")
    return trace
