"""Reads lines, numbers and times of measurements; errors name the place in the file."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path

from tracemill.base.errors import CampaignError, MissingInputError
from tracemill.campaign.configurations import special_parameters
from tracemill.campaign.names import PROCESSES

NANOSECONDS: Mapping[str, Decimal] = {
    "s": Decimal(10**9), "ms": Decimal(10**6), "us": Decimal(10**3), "ns": Decimal(1),
}  # fmt: skip
# About 292 years, the longest time in 64 bits.
_LONGEST = Decimal(2**63 - 1)
_MOST_DIGITS = 300


def read_lines(path: Path) -> list[str]:
    """The lines of a text file. Raises MissingInputError, or CampaignError if it is not text."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise MissingInputError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CampaignError(
            f"{path}: no measurements: not a text in UTF-8; see docs/guide/measurements.md"
        ) from error
    if not text.strip():
        raise CampaignError(f"{path}: empty: there are no measurements")
    return text.splitlines()


def parse_number(text: object, where: str, what: str) -> Decimal:
    """A finite number, exact to the last digit."""
    try:
        number = Decimal(str(text).strip())
    except InvalidOperation as error:
        raise CampaignError(f"{where}: {what} is not a number: {text!r}") from error
    if not number.is_finite():
        raise CampaignError(f"{where}: {what} is {text}: remove values that were not measured")
    if abs(number.adjusted()) > _MOST_DIGITS:
        raise CampaignError(f"{where}: {what} is beyond any measure: {text}")
    return number


def parse_amount(text: object, where: str, what: str) -> Decimal:
    """A number that is not negative."""
    number = parse_number(text, where, what)
    if number < 0:
        raise CampaignError(f"{where}: {what} is negative: {text}")
    return number


def parse_ns(text: object, unit: str, where: str, what: str = "time") -> int:
    """A duration, rounded to nanoseconds."""
    duration = parse_amount(text, where, what) * NANOSECONDS[unit]
    if duration > _LONGEST:
        raise CampaignError(f"{where}: {what} is longer than 292 years: {text} {unit}")
    return int(duration.to_integral_value())


def parse_count(text: object, where: str, what: str) -> int:
    """A whole number that is not negative, also written as 1e+06."""
    number = parse_amount(text, where, what)
    if number > _LONGEST or number != number.to_integral_value():
        raise CampaignError(f"{where}: {what} is not a whole number: {text}")
    return int(number)


def shortest_text(number: Decimal) -> str:
    """A number in its shortest form: 4 for 4.0."""
    if number == number.to_integral_value() and abs(number) < _LONGEST:
        return str(int(number))
    return str(float(number))


def check_parameters(parameters: Mapping[str, str], where: str) -> None:
    """Raise CampaignError without a number of processes, or if a count or size is not a number."""
    if PROCESSES not in parameters:
        listed = ", ".join(sorted(parameters)) or "none"
        raise CampaignError(
            f"{where}: no number of processes: parameters are {listed}: name one p or processes"
        )
    special_parameters(parameters, "", where)
