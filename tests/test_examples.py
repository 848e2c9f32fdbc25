"""Bundled examples: where their rows come from."""

from __future__ import annotations

import pytest

import paucal
from paucal.errors import UnknownNameError

SET_TO = {"akt-inhibitor": "LOW", "b2camp": "HIGH", "g06976": "LOW", "psitectorigenin": "LOW", "u0126": "LOW"}


def drawn_again(targets):
    net = paucal.load_network("sachs")
    parts = [("none", net.sample(200, seed=0))]
    for seed, (drug, level) in enumerate(SET_TO.items(), 1):
        (protein,) = targets[drug]
        parts.append((drug, net.do({protein: level}).sample(40, seed=seed)))
    frames = [(drug, part.to_frame("dict")) for drug, part in parts]
    columns = {"drug": [drug for drug, part in parts for _ in range(part.n_rows)]}
    return columns | {name: [label for _, frame in frames for label in frame[name]] for name in net.names}


def test_the_rows_are_those_of_the_network():
    example = paucal.load_example("sachs-interventions")
    assert example.data.to_frame("dict") == drawn_again(example.targets)


def test_an_unknown_example_is_refused():
    with pytest.raises(UnknownNameError, match="Did you mean 'sachs-interventions'"):
        paucal.load_example("sachs-intervention")
