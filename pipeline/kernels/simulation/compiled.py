"""How the parts of the simulated machine are compiled."""

import numba as nb

part = nb.njit(_nrt=False, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""A part of the machine, called by compiled code only. Wrappers for Python would take most of the
time of compilation."""
