"""Parameters of a run from the name of its trace, by a pattern such as `p{p}_n{n}_r{r}`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from tracemill.base.errors import CampaignError

DEFAULT_PATTERNS = ("p{p}_n{n}_r{r}", "p{p}_n{n}", "p{p}_r{r}", "p{p}", "np{p}")
"""Tried in this order if no pattern is given."""

PROCESSES, THREADS, SIZE, REPETITION, APPLICATION = (
    "processes", "threads", "size", "repetition", "application",
)  # fmt: skip
_MEANINGS = {
    "p": PROCESSES, "np": PROCESSES, "ranks": PROCESSES, PROCESSES: PROCESSES,
    "t": THREADS, THREADS: THREADS,
    "n": SIZE, "d": SIZE, SIZE: SIZE,
    "r": REPETITION, "rep": REPETITION, REPETITION: REPETITION,
    "app": APPLICATION, APPLICATION: APPLICATION,
}  # fmt: skip
_SHAPES = {
    PROCESSES: r"\d+",
    THREADS: r"\d+",
    SIZE: r"\d+(?:\.\d+)?(?:[eE]\d+)?",
    REPETITION: r"\d+",
}
_ANY_SHAPE = r"[^_/]+?"
_NUMBERS_AROUND = re.compile(r"^[\W\d_]+|[\W\d_]+$")
_USUAL_WORDS = {
    "scorep", "trace", "traces", "otf", "otf2", "csv", "run", "runs", "r", "rep", "p", "np", "n",
    "t", "job", "test", "experiment", "result", "results", "data", "out", "output", "tmp",
}  # fmt: skip
_FIELD = re.compile(r"\{(\w*)\}")


@dataclass(frozen=True)
class Named:
    """The parameters in a name, by standard or own name, and the rest of the name."""

    parameters: Mapping[str, str]
    rest: str


def program_of(folders: Sequence[str]) -> str:
    """A program's name from the names of folders, down to that of a trace; empty without any.

    It is the innermost name with a word that is not usual for traces, without numbers at its ends:
    `jacobi` for run_07 in a folder jacobi-2.
    """
    for folder in reversed(folders):
        name = _NUMBERS_AROUND.sub("", folder)
        words = [word for word in re.split(r"[\W\d_]+", name.lower()) if word]
        if any(word not in _USUAL_WORDS for word in words):
            return name
    return ""


def standard_name(name: str) -> str:
    """The standard name of a parameter, such as processes for np; else its own name."""
    return _MEANINGS.get(name.lower(), name)


def read_name(name: str, pattern: str) -> Named | None:
    """The parameters that a pattern finds in a name; None if it does not fit.

    The pattern may stand anywhere in the name, but not directly beside other letters or digits.
    """
    found = compile_pattern(pattern).search(name)
    if found is None:
        return None
    parameters = {standard_name(key): value for key, value in found.groupdict().items()}
    rest = f"{name[: found.start()]} {name[found.end() :]}".strip(" _-./")
    return Named(parameters, rest)


@cache
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """The pattern as a regular expression. Raises CampaignError for a malformed one."""
    names = _FIELD.findall(pattern)
    meanings = [standard_name(name) for name in names]
    repeated = sorted({name for name in meanings if meanings.count(name) > 1})
    is_broken = any(sign in text for text in _FIELD.split(pattern)[::2] for sign in "{}")
    if is_broken or not names or repeated or not all(name.isidentifier() for name in names):
        problem = f"{repeated[0]} is given twice" if repeated else "no fields"
        problem = "an unpaired brace" if is_broken else problem
        raise CampaignError(
            f"pattern {pattern!r}: {problem}: write fields as in {DEFAULT_PATTERNS[0]}"
        )
    parts = _FIELD.split(pattern)
    shapes = [
        f"(?P<{part}>{_SHAPES.get(standard_name(part), _ANY_SHAPE)})"
        if number % 2
        else re.escape(part)
        for number, part in enumerate(parts)
    ]
    return re.compile(rf"(?<![A-Za-z0-9]){''.join(shapes)}(?![A-Za-z0-9])")
