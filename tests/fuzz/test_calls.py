"""Bad arguments for graphs, knowledge and metrics; `make attack` has more values, and every public name."""

import warnings
from itertools import chain

import pytest

import paucal
from fuzz.calls import _graphs, _metrics, called
from paucal.errors import ParameterError

CALLS = [good for good in chain(_graphs(), _metrics()) if good.name != "Knowledge.read"]  # reads a file of its own


@pytest.mark.parametrize("good", CALLS, ids=lambda good: good.name)
def test_a_bad_argument_gets_an_answer_or_an_error_of_ours(good, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        good.function(**good.arguments)
    for _, _, arguments in good.bad(few=True):
        assert called(good.function, arguments) in ("answered", "refused")


def test_what_is_no_graph_is_named_with_the_parameter():
    with pytest.raises(ParameterError, match="truth=None is not a graph") as caught:
        paucal.shd(paucal.Graph.parse("A -> B"), None)
    assert caught.value.parameter == "truth"
