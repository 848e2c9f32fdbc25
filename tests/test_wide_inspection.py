"""Wide tables are inspected in time that grows with their columns, and told in a page."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest
from click.testing import CliRunner

import paucal
from paucal.cli import cli
from paucal.data.preparation import Preparation


def table(n_columns, *, numbers):
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(60, n_columns)).round(3) if numbers else rng.integers(0, 3, (60, n_columns))
    return {f"c{i}": cells[:, i].tolist() for i in range(n_columns)}


@pytest.mark.parametrize("numbers", [False, True])
def test_time_grows_with_the_columns(numbers):
    def seconds(n_columns):
        cells = table(n_columns, numbers=numbers)
        start = time.process_time()
        paucal.inspect(cells, max_order=0)
        return time.process_time() - start

    seconds(300)
    few, many = (min(seconds(n) for _ in range(2)) for n in (500, 4000))
    assert many < 20 * few  # eight times as many columns; pairs would take 64 times as long


def test_the_first_of_many_columns_are_listed(tmp_path):
    cells = table(1200, numbers=False)
    path = tmp_path / "wide.csv"
    path.write_text(
        "\n".join([",".join(cells), *(",".join(map(str, row)) for row in zip(*cells.values(), strict=True))])
    )
    shown = CliRunner().invoke(cli, ["inspect", str(path)]).stdout
    assert " c99 " in shown
    assert " c100 " not in shown
    assert "The first 100 of 1,200 columns (1,200 category) are shown; --json lists all." in shown
    listed = json.loads(CliRunner().invoke(cli, ["inspect", str(path), "--json"]).stdout)
    assert len(listed["columns"]) == 1200


def test_names_are_looked_up_once():
    names = [f"c{i}" for i in range(20_000)]
    said = Preparation(kinds=dict.fromkeys(names, "number"))
    start = time.process_time()
    said.check(names)
    assert said.spelled_out(names) is said
    assert time.process_time() - start < 0.5
