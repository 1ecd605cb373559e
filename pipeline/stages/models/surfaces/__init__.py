"""Performance surfaces T(p, n): models of time over processes and problem size.

`choice` fits all models and ranks them, `scalability` follows the mean speed-up along a
constraint, `limits` where that ends, `indices` what the measurements themselves say.

Source: S. Sekiguchi, M. Sato, 1994; every formula is restated where it is used.
"""
