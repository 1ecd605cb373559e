"""How the parts of the simulated machine are compiled."""

import numba as nb

part = nb.njit(_nrt=False, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""A part of the machine, which only other compiled code calls: without the wrappers that take the
machine's state out of Python objects, most of the time of compiling."""
