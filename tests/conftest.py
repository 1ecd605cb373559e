"""How examples of property tests are drawn.

The same ones in every run, so that a change fails only by what it changes; others are looked for
with `make test ARGS="--hypothesis-profile=search tests/properties"`.
"""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, print_blob=True)
settings.load_profile("repeatable")
