"""Limits of figures, such as `run_time > 1.5s`, as options take them."""

import re
from dataclasses import dataclass
from decimal import Decimal

from tracemill.base.text import printable

SECONDS = {
    "s": Decimal(1), "ms": Decimal("1e-3"), "us": Decimal("1e-6"), "µs": Decimal("1e-6"),
    "ns": Decimal("1e-9"),
}  # fmt: skip
# Names of call paths may contain comparisons: the last one counts.
_LIMIT = re.compile(
    r"(?P<what>.+?)\s*(?P<comparison>[<>]=?)\s*(?P<sign>[+-]?)\s*"
    r"(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<unit>%|s|ms|us|µs|ns|)",
    re.DOTALL,
)


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A limit in parts: what it limits, its comparison, and a number with sign and unit."""

    what: str
    comparison: str
    sign: str
    number: str
    unit: str

    @property
    def value(self) -> Decimal:
        """The number without its sign: seconds, a ratio, or as given."""
        factor = Decimal("0.01") if self.unit == "%" else SECONDS.get(self.unit, Decimal(1))
        return Decimal(self.number) * factor


def read_limit(text: str) -> Limit | None:
    """The parts of a limit; None if the text is none, such as `run_time >> 5`.

    Only a call path may end with a bracket, as in `mpi_latesender in f<int> > 5`.
    """
    found = _LIMIT.fullmatch(printable(text).strip())
    if found is None or (" in " not in found["what"] and found["what"][-1] in "<>=!"):
        return None
    return Limit(**found.groupdict())
