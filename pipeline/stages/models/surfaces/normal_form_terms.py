"""Terms of the performance model normal form: p^i * log2(p)^j * n^k * log2(n)^l.

In place of the factor of p there may be 1 - 1/p, the part of the processes that wait for one of
them. Source: A. Calotoiu and others, 2013; the exponents are those of common algorithms.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from tracemill.stages.models.surfaces.measurements import Flags, Floats, Measurements, Numbers

_LOG_2 = float(np.log(2))


class Factor(NamedTuple):
    """x^power * log2(x)^log, times 1 - 1/x if it is one of the others: all but one."""

    power: Fraction
    log: int
    of_others: bool = False

    @property
    def complexity(self) -> int:
        """Distance from x, 1/x and log2(x), which have 1, as has 1 - 1/x; else 0."""
        extent = abs(self.power.numerator) if self.power.denominator == 1 else 2
        return extent + self.power.denominator - 1 + self.log + self.of_others

    def evaluate(self, x: Floats) -> tuple[Floats, Floats]:
        """Value and derivative."""
        power, log = float(self.power), np.log2(x)
        value = x**power * log**self.log
        slope = power * log**self.log
        if self.log:
            slope = slope + self.log * log ** (self.log - 1) / _LOG_2
        slope = slope * x ** (power - 1)
        if self.of_others:
            return value * (1 - 1 / x), slope * (1 - 1 / x) + value / x**2
        return value, slope


ONE = Factor(Fraction(0), 0)


class Term(NamedTuple):
    """A factor of the processes times one of the size."""

    processes: Factor
    size: Factor

    @property
    def complexity(self) -> int:
        return self.processes.complexity + self.size.complexity

    def evaluate(self, processes: Floats, sizes: Floats) -> tuple[Floats, Floats, Floats]:
        """Value and partial derivatives."""
        by_processes, processes_slope = self.processes.evaluate(processes)
        by_size, size_slope = self.size.evaluate(sizes)
        return by_processes * by_size, processes_slope * by_size, by_processes * size_slope

    def write(self, size_name: str) -> str:
        """Such as `n*log2(n)/p`; without a positive power `/p`."""
        factors = [*_factors(self.size, size_name), *_factors(self.processes, "p")]
        above = "*".join(text for text, is_above in factors if is_above)
        return above + "".join(f"/{text}" for text, is_above in factors if not is_above)


CONSTANT = Term(ONE, ONE)


def write_factor(factor: Factor, name: str) -> str:
    """Such as `p^2*log2(p)` or `1/p`."""
    parts = _factors(factor, name)
    above = "*".join(text for text, is_above in parts if is_above)
    return (above or "1") + "".join(f"/{text}" for text, is_above in parts if not is_above)


def _factors(factor: Factor, name: str) -> list[tuple[str, bool]]:
    """Texts of the power and the logarithm, and whether each stands above the line."""
    texts = []
    if factor.power:
        size = abs(factor.power)
        exponent = "" if size == 1 else f"^{size}" if size.denominator == 1 else f"^({size})"
        texts.append((name + exponent, factor.power > 0))
    if factor.log:
        texts.append((f"log2({name})" + (f"^{factor.log}" if factor.log > 1 else ""), True))
    if factor.of_others:
        texts.append((f"(1 - 1/{name})", True))
    return texts


def _list_factors(powers: str, log: int) -> list[Factor]:
    return [Factor(Fraction(power), log) for power in powers.split()]


_GROWING = (
    *_list_factors("1/4 1/3 1/2 2/3 3/4 4/5 1 5/4 4/3 3/2 5/3 7/4 2 9/4 7/3 5/2 8/3 11/4 3", log=0),
    *_list_factors("0 1/4 1/3 1/2 2/3 3/4 1 5/4 4/3 3/2 2 5/2 3", log=1),
    *_list_factors("0 1/4 1/3 1/2 2/3 3/4 1 3/2 2 5/2", log=2),
)
"""The factors of Extra-P."""
_FALLING = (
    *_list_factors("-1/4 -1/3 -1/2 -2/3 -3/4 -4/5 -1 -5/4 -4/3 -3/2 -2", log=0),
    *_list_factors("-1/2 -1", log=1),
)
"""Work shared by the processes; faster than 1/p where caches help."""
_OF_OTHERS = Factor(Fraction(0), 0, of_others=True)
"""Waiting for one process that works: none of it waits, which is all there is where p is 1."""
_PLAIN = frozenset((*_list_factors("-1 -1/2 1/2 1 3/2 2 3", log=0), *_list_factors("0 1", log=1)))
"""Factors in sums of several terms, besides the best single ones."""
_FEW = frozenset((*_list_factors("-1 1", log=0), *_list_factors("0", log=1)))
"""The factors that two values of x can distinguish."""
_VALUES_FOR_EXPONENTS = 3


class _Terms(NamedTuple):
    """Products of a factor of p and one of n, by number in lists of factors; simplest first."""

    of_processes: tuple[Factor, ...]
    of_sizes: tuple[Factor, ...]
    processes: Numbers
    sizes: Numbers
    complexity: Numbers
    is_plain: Flags


@dataclass(frozen=True)
class Dictionary:
    """Terms that can be distinguished at some configurations, simplest first.

    `features` has a row per term and a column per configuration, divided by its maximum in
    `scales`.
    """

    terms: _Terms
    features: Floats
    scales: Floats

    @property
    def complexity(self) -> Numbers:
        return self.terms.complexity

    @property
    def is_plain(self) -> Flags:
        """True if the term may be part of sums."""
        return self.terms.is_plain

    @property
    def kind(self) -> Numbers:
        """1 for terms of the processes, 2 for those of the size, 3 for those of both."""
        return (self.terms.processes > 0) + 2 * (self.terms.sizes > 0)

    def get(self, number: int) -> Term:
        """A term by its number."""
        terms = self.terms
        at_processes, at_size = terms.processes[number], terms.sizes[number]
        return Term(terms.of_processes[at_processes], terms.of_sizes[at_size])

    def keep(self, is_kept: Flags) -> "Dictionary":
        """The same terms at only some of the configurations."""
        return Dictionary(self.terms, self.features[:, is_kept], self.scales)


def build_dictionary(configurations: Measurements) -> Dictionary:
    """All products of a factor of p and one of n that vary over the configurations."""
    terms = _list_terms(
        _choose_factors(configurations.process_counts, (*_GROWING, *_FALLING, _OF_OTHERS)),
        _choose_factors(configurations.distinct_sizes, _GROWING),
    )
    by_processes = [f.evaluate(configurations.processes)[0] for f in terms.of_processes]
    by_size = [f.evaluate(configurations.sizes)[0] for f in terms.of_sizes]
    features = np.array(by_processes)[terms.processes] * np.array(by_size)[terms.sizes]
    scales = features.max(axis=1, initial=0)
    return Dictionary(terms, features / scales[:, np.newaxis], scales)


@cache
def _list_terms(of_processes: tuple[Factor, ...], of_sizes: tuple[Factor, ...]) -> _Terms:
    numbers = list(product(range(len(of_processes)), range(len(of_sizes))))[1:]
    complexity = [of_processes[p].complexity + of_sizes[n].complexity for p, n in numbers]
    order = np.argsort(np.array(complexity, np.int64), kind="stable")
    processes, sizes = np.array(numbers, np.int64).reshape(-1, 2)[order].T
    plain = _PLAIN | {ONE}
    is_plain = [of_processes[p] in plain and of_sizes[n] in plain for p, n in numbers]
    return _Terms(
        of_processes,
        of_sizes,
        processes,
        sizes,
        np.array(complexity, np.int64)[order],
        np.array(is_plain, np.bool_)[order],
    )


def _choose_factors(values: Floats, factors: tuple[Factor, ...]) -> tuple[Factor, ...]:
    """One, and the factors that the values can distinguish; logarithms need values from 1."""
    if len(values) == 1:
        return (ONE,)
    chosen = [
        factor
        for factor in factors
        if (factor.log == 0 or values[0] >= 1)
        and (len(values) >= _VALUES_FOR_EXPONENTS or factor in _FEW)
    ]
    return (ONE, *chosen)
