"""Search the terms of the normal form with the least cross-validated error.

A hypothesis is c0 + sum of c_k * term_k with coefficients of at least 0, or the same without c0,
fitted to relative errors. The error at a left-out configuration is the residual over one minus its
leverage.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np

from tracemill.stages.models.surfaces.measurements import Flags, Floats, Numbers, scatter
from tracemill.stages.models.surfaces.normal_form_terms import Dictionary

_EXAMINED = 16
"""Hypotheses, per width, whose cross-validated error is computed: those of least residual."""
_TIE = 0.1
"""The simplest hypothesis wins whose error is larger than the least by at most this share ..."""
_TIE_NOISE = 1.0
"""... or by so many standard errors of the difference over the configurations."""
_GAIN = 0.1
"""Another term must make the error smaller by at least this share ..."""
_GAIN_NOISE = 2.5
"""... and by so many standard errors of the difference."""
_GREAT_GAIN = 0.5
"""For a first term it is enough that it makes the error smaller by this share."""
_MOST = 240
"""Configurations that terms are chosen by."""
_EXACT = 1e-9
"""Errors below are rounding."""
_DETERMINED = 1e-9
"""Rows and columns of a design that are nearer to being determined by others count as such."""


class Hypothesis(NamedTuple):
    """Terms by number in the dictionary, with coefficients in seconds per scaled term, c0 first.

    Errors are symmetric relative errors, from 0 to 2: `error` is their mean in sample,
    `cross_errors` those of each configuration when left out.
    """

    has_constant: bool
    terms: tuple[int, ...]
    coefficients: Floats
    error: float
    cross_errors: Floats

    @property
    def cross_error(self) -> float:
        return float(self.cross_errors.mean())


class _Examined(NamedTuple):
    """Hypotheses of one number of terms, all with c0 or all without; a row each."""

    has_constant: bool
    terms: Numbers
    coefficients: Floats
    errors: Floats
    cross_errors: Floats
    cross_error: Floats
    complexity: Floats

    def keep(self, is_kept: Flags) -> "_Examined":
        """Some of the hypotheses."""
        return _Examined(
            self.has_constant,
            self.terms[is_kept],
            self.coefficients[is_kept],
            self.errors[is_kept],
            self.cross_errors[is_kept],
            self.cross_error[is_kept],
            self.complexity[is_kept],
        )

    def get(self, row: int) -> Hypothesis:
        return Hypothesis(
            self.has_constant,
            tuple(self.terms[row].tolist()),
            self.coefficients[row],
            float(self.errors[row]),
            self.cross_errors[row],
        )


def search(
    dictionary: Dictionary, times: Floats, *, most_terms: int = 2, width: int = 3
) -> Hypothesis:
    """The best hypothesis for the times, one per configuration of the dictionary.

    A hypothesis has fewer coefficients than configurations. The best `width` of each kind of term,
    and all plain single terms, are extended by one more term. With many configurations, some choose
    the terms and all determine the coefficients.
    """
    if len(times) <= _MOST:
        return _search(dictionary, times, most_terms, width)
    few = np.isin(np.arange(len(times)), scatter(len(times))[:_MOST])
    found = _search(dictionary.keep(few), times[few], most_terms, width)
    terms = np.array([found.terms], np.int64)
    scaled = dictionary.features / times
    return _examine(dictionary, scaled, times, terms, has_constant=found.has_constant).get(0)


def _search(dictionary: Dictionary, times: Floats, most_terms: int, width: int) -> Hypothesis:
    scaled = dictionary.features / times
    nothing = np.empty((1, 0), np.int64)
    chosen = _examine(dictionary, scaled, times, nothing, has_constant=True).get(0)
    frontier = nothing
    for count in range(1, most_terms + 1 if len(scaled) else 1):
        found = _extend(dictionary, scaled, times, frontier, width)
        if not found or chosen.cross_error <= _EXACT:
            break
        best = _simplest_of_best(found)
        if _is_better(best, chosen):
            chosen = best
        if count < most_terms:
            frontier = _most_promising(found, dictionary, width)
            if count == 1:
                plain = np.flatnonzero(dictionary.is_plain)
                frontier = np.union1d(frontier, plain)[:, np.newaxis]
    return chosen


def _is_better(candidate: Hypothesis, simpler: Hypothesis) -> bool:
    """True if more terms improve the error by much, and not by chance at a few configurations."""
    gains = simpler.cross_errors - candidate.cross_errors
    chance = _GAIN_NOISE * float(_standard_error(gains))
    if not simpler.terms:
        chance = min(chance, simpler.cross_error * _GREAT_GAIN)
    return bool(gains.mean() > max(simpler.cross_error * _GAIN + _EXACT, chance))


def _extend(
    dictionary: Dictionary, scaled: Floats, times: Floats, frontier: Numbers, width: int
) -> list[_Examined]:
    """Hypotheses with one more term: any for the first, plain ones for sums."""
    candidates = np.flatnonzero(dictionary.is_plain | (frontier.shape[1] == 0))
    found = []
    for has_constant in (True, False):
        if frontier.shape[1] + 1 + has_constant >= len(times) or not len(candidates):
            continue
        residual = _screen(scaled, times, frontier, has_constant, candidates)
        if frontier.shape[1] == 1:
            # Of two plain terms either may be the base: once is enough.
            is_twin = dictionary.is_plain[frontier] & (candidates <= frontier)
            residual[is_twin] = np.inf
        base, newest = np.divmod(_least(residual.ravel(), _EXAMINED * width), len(candidates))
        terms = np.column_stack([frontier[base], candidates[newest]])
        if len(terms):
            made = _examine(dictionary, scaled, times, terms, has_constant=has_constant)
            found.append(made.keep(np.all(made.coefficients >= 0, axis=1)))
    return [each for each in found if len(each.terms)]


def _least(residual: Floats, count: int) -> Numbers:
    """Positions of the least finite values, in order."""
    last = min(count, len(residual)) - 1
    chosen = np.sort(np.argpartition(residual, last)[: last + 1])
    return chosen[np.isfinite(residual[chosen])]


def _screen(
    scaled: Floats, times: Floats, bases: Numbers, has_constant: bool, candidates: Numbers
) -> Floats:
    """Residual sums of squares of each base (row) with each further term; or infinite."""
    rows = scaled if len(candidates) == len(scaled) else scaled[candidates]
    columns = _columns(scaled, times, bases, has_constant)
    basis, mixing = np.linalg.qr(columns)
    is_whole = _are_determined(mixing)
    mixing[~is_whole] = np.eye(mixing.shape[-1])
    whole = basis.sum(axis=1)
    rest = 1 - (basis @ whole[..., np.newaxis])[..., 0]
    # What a term adds is what is across the base; its length follows from what is along it.
    along = rows @ basis
    length = np.einsum("tc,tc->t", rows, rows)
    across = length - np.einsum("btk,btk->bt", along, along)
    is_new = across > _DETERMINED * length
    across = np.where(is_new, across, 1)
    newest = (rest @ rows.T) / across
    is_allowed = is_new & (newest > 0) & is_whole[:, np.newaxis]
    if columns.shape[2]:
        others = whole[:, np.newaxis] - along * newest[..., np.newaxis]
        others = np.linalg.solve(mixing, np.swapaxes(others, 1, 2))
        is_allowed &= (others >= 0).all(axis=1)
    residual = np.einsum("bc,bc->b", rest, rest)[:, np.newaxis] - newest**2 * across
    return np.where(is_allowed, residual, np.inf)


def _are_determined(mixing: Floats) -> Flags:
    """Designs (upper triangles) whose columns are linearly independent.

    1 - 1/p and 1/p may be combined, but not together with a constant.
    """
    own = np.square(np.diagonal(mixing, axis1=1, axis2=2))
    return np.all(own > _DETERMINED * np.square(mixing).sum(axis=1), axis=1)


def _columns(scaled: Floats, times: Floats, terms: Numbers, has_constant: bool) -> Floats:
    """Designs relative to the times: (hypothesis, configuration, coefficient)."""
    columns = scaled[terms]
    if has_constant:
        constant = np.broadcast_to(1 / times, (len(terms), 1, len(times)))
        columns = np.concatenate([constant, columns], axis=1)
    return np.swapaxes(columns, 1, 2)


def _examine(
    dictionary: Dictionary, scaled: Floats, times: Floats, terms: Numbers, *, has_constant: bool
) -> _Examined:
    """Fit hypotheses; relative to the times what is fitted is 1 everywhere."""
    basis, mixing = np.linalg.qr(_columns(scaled, times, terms, has_constant))
    whole = basis.sum(axis=1)[..., np.newaxis]
    coefficients = np.linalg.solve(mixing, whole)[..., 0]
    residual = 1 - (basis @ whole)[..., 0]
    slack = 1 - np.einsum("hck,hck->hc", basis, basis)
    is_free = slack > _DETERMINED
    left_out = np.where(is_free, residual / np.where(is_free, slack, 1), np.inf)
    cross_errors = _symmetric_errors(left_out)
    return _Examined(
        has_constant,
        terms,
        coefficients,
        _symmetric_errors(residual).mean(axis=1),
        cross_errors,
        cross_errors.mean(axis=1),
        dictionary.complexity[terms].sum(axis=1) + has_constant,
    )


def _symmetric_errors(residual: Floats) -> Floats:
    """2 |fitted - time| / (|fitted| + time), from residuals relative to the time."""
    is_finite = np.isfinite(residual)
    finite = np.where(is_finite, residual, 0)
    return np.where(is_finite, 2 * np.abs(finite) / (np.abs(1 - finite) + 1), 2.0)


def _simplest_of_best(found: list[_Examined]) -> Hypothesis:
    """The simplest of those that the best one is not clearly better than."""
    best = min(
        (each.get(int(each.cross_error.argmin())) for each in found),
        key=lambda each: each.cross_error,
    )
    ties = []
    for each in found:
        losses = each.cross_errors - best.cross_errors
        limit = np.maximum(best.cross_error * _TIE + _EXACT, _TIE_NOISE * _standard_error(losses))
        rows = np.flatnonzero(losses.mean(axis=1) <= limit)
        if len(rows):
            row = rows[np.lexsort((each.cross_error[rows], each.complexity[rows]))[0]]
            ties.append((each.complexity[row], each.cross_error[row], each.get(int(row))))
    return min(ties, key=lambda tie: tie[:2])[2]


def _standard_error(differences: Floats) -> Floats:
    return differences.std(axis=-1) / np.sqrt(max(differences.shape[-1] - 1, 1))


def _most_promising(found: list[_Examined], dictionary: Dictionary, width: int) -> Numbers:
    """Terms of the best of each kind of newest term, plain ones and others, each set once."""
    terms = np.concatenate([each.terms for each in found])
    errors = np.concatenate([each.cross_error for each in found])
    complexity = np.concatenate([each.complexity for each in found])
    newest = terms[:, -1]
    kinds = dictionary.kind[newest] * 2 + dictionary.is_plain[newest]
    taken: dict[tuple[int, ...], int] = {}
    counts: Counter[int] = Counter()
    present = np.unique(kinds)
    for row in np.lexsort((complexity, errors)).tolist():
        kind, members = int(kinds[row]), tuple(sorted(terms[row].tolist()))
        if members not in taken and counts[kind] < width:
            taken[members] = row
            counts[kind] += 1
        if min(counts.values()) >= width and len(counts) == len(present):
            break
    return terms[sorted(taken.values())]
