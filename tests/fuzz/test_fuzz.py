"""Inputs that hypothesis thinks of: nothing but answers and our own errors may come out."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.targets import mutated, run, seeds

SEEDS = seeds()


@pytest.mark.parametrize("target", SEEDS)
def test_the_seed_itself_is_good(target):
    assert run(target, SEEDS[target]) == "answered"


@pytest.mark.parametrize("target", SEEDS)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(numbers=st.lists(st.integers(0, 2**20), min_size=3, max_size=12))
def test_nothing_foreign_comes_out(target, numbers):
    assert run(target, mutated(SEEDS[target], numbers)) in ("refused", "answered")


@pytest.mark.parametrize("target", [name for name in SEEDS if name != "cli"])
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(content=st.binary(max_size=200))
def test_neither_does_it_of_noise(target, content):
    assert run(target, content) in ("refused", "answered")
