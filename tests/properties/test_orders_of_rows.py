"""Rows are ordered by several keys as Python orders tuples."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tracemill.stages.arrays import group_by, order_by

WHOLE = st.integers(-(1 << 62), 1 << 62)
KEYS = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.tuples(*[st.one_of(st.integers(-2, 3), st.integers(0, 1 << 20), WHOLE)] * width)
    ).map(lambda rows: (rows, width))
)


@given(KEYS)
def test_equal_rows_stay_in_order(keys):
    rows, width = keys
    columns = np.array(rows, np.int64).reshape(-1, width).T
    expected = sorted(range(len(rows)), key=lambda row: rows[row])
    assert order_by(*columns).tolist() == expected


def test_keys_of_32_bits_may_be_far_apart() -> None:
    key = np.array([2**31 - 1, -(2**31), 0, 5], np.int32)
    assert order_by(key, np.zeros(4, np.int64)).tolist() == [1, 2, 3, 0]


@given(KEYS)
def test_each_combination_of_keys_begins_once(keys):
    rows, width = keys
    order, starts = group_by(*np.array(rows, np.int64).reshape(-1, width).T)
    assert [rows[row] for row in order[starts]] == sorted(set(rows))
