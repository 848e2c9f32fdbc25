"""Directions: a power of the sampled shares; what it leaves alone, and reference values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paucal.search.by_scores.directions import moderated


def of_pair(right, left, line, *, levels, rows, forbidden=((0, 0), (0, 0)), joined=1.0):
    arrow = joined * np.array([[0, right], [left, 0]], dtype=float)
    both = joined * np.array([[0, line], [line, 0]], dtype=float)
    forbidden = np.array(forbidden, dtype=bool) | np.eye(2, dtype=bool)
    one_way, either = moderated(arrow, both, forbidden=forbidden, levels=levels, rows=rows)
    return one_way[0, 1], one_way[1, 0], either[0, 1]


# computed with 50 digits from the formula in the module
REFERENCE = [
    ((0.9, 0.05, 0.05), (2, 2), 100, (0.8157708771116, 0.09211456144421, 0.09211456144421)),
    ((1, 0, 0), (3, 3), 300, (0.9785665319203, 0.01071673403985, 0.01071673403985)),
    ((0.6, 0.1, 0.3), (11, 11), 100, (0.4334752965286, 0.2286354170713, 0.3378892864001)),
]


@pytest.mark.parametrize(("shares", "levels", "rows", "wanted"), REFERENCE)
@pytest.mark.parametrize("joined", [1.0, 0.37])
def test_reference_values(shares, levels, rows, wanted, joined):
    found = of_pair(*shares, levels=levels, rows=rows, joined=joined)
    assert found == pytest.approx([joined * one for one in wanted], abs=1e-12)


def test_two_kinds_and_one():
    d = np.array([0.7, 0.3]) + 0.003
    p = 0.8 / (1 + 4 / 50)
    right, left, line = of_pair(0.7, 0.3, 0.0, levels=(2, 2), rows=50, forbidden=((0, 0), (0, 0)))
    assert line > 0  # a line is allowed, so it is possible
    found = of_pair(0.75, 0.0, 0.0, levels=(2, 2), rows=50, forbidden=((0, 0), (1, 0)))
    assert found == (0.75, 0.0, 0.0)  # one kind only: nothing changes
    assert of_pair(0.0, 0.0, 0.0, levels=(2, 2), rows=50) == (0.0, 0.0, 0.0)
    assert right / left == pytest.approx((d[0] / d[1]) ** p)
    assert of_pair(0.0, 0.0, 0.0, levels=(2, 2), rows=5, forbidden=((0, 1), (1, 0))) == (0.0, 0.0, 0.0)


@given(
    shares=st.lists(st.floats(0, 1), min_size=4, max_size=4).filter(lambda parts: sum(parts) > 0.01),
    levels=st.tuples(st.integers(2, 100), st.integers(2, 100)),
    rows=st.integers(2, 10**6),
)
def test_the_likeliest_stays_and_joined_stays(shares, levels, rows):
    right, left, line = (one / sum(shares) for one in shares[:3])
    found = of_pair(right, left, line, levels=levels, rows=rows)
    assert sum(found) == pytest.approx(right + left + line, abs=1e-12)
    assert found[int(np.argmax((right, left, line)))] == pytest.approx(max(found))
    mirrored = of_pair(left, right, line, levels=levels[::-1], rows=rows)
    assert mirrored == pytest.approx((found[1], found[0], found[2]))
