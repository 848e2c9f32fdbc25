from __future__ import annotations

import pytest

import paucal
from paucal.errors import ParameterError
from paucal.search.by_tests.rai import rai


def test_appending_a_constant_column_changes_nothing():
    data = paucal.load_network("asia").sample(500, seed=3)
    columns = dict(zip(data.names, data.columns, strict=True))
    with pytest.warns(paucal.errors.ConstantColumnWarning):
        more = paucal.Dataset.from_columns({**columns, "constant": [0] * 500})
    before = paucal.learn(data, "rai").graph
    after = paucal.learn(more, "rai").graph
    assert after.adjacent("constant") == ()
    assert after.subgraph(data.names).edges() == before.edges()


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"max_order": -1}, "max_order=-1"),
        ({"colliders": "most"}, "colliders='most' is not known"),
    ],
)
def test_refuses_options_that_make_no_sense(options, part):
    with pytest.raises(ParameterError, match=part):
        rai(paucal.Oracle(paucal.Graph.parse("A -> B")), **options)
