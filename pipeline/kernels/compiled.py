"""How kernels are compiled.

Kernels get their columns as named tuples of arrays. Numba counts references to every array that
is taken out of such a tuple, with atomic operations: 0.9 µs per record instead of 0.05. Kernels
that allocate nothing need no reference counts and are compiled without.
"""

import numba as nb

kernel = nb.njit(nogil=True, cache=True, _nrt=False)
"""A kernel called from Python; releases the interpreter lock."""

step = nb.njit(_nrt=False)
"""A part of a kernel, compiled into it."""

piece = nb.njit(inline="always")
"""A part of a kernel that is always copied into it: for what is done with every record."""
