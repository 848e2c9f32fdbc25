"""Columns by name, range and pattern, of files and frames, in Python and on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import paucal
from paucal import Dataset
from paucal.cli import cli
from paucal.data import read
from paucal.data.choice import Choice
from paucal.errors import DataError, ParameterError, UnknownNameError

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ["id", "age", "sex", "income", "q1", "q2", "q10", "a:b", "w*"]


def chosen(columns: Any = None, leave_out: Any = (), names: list[str] = NAMES) -> list[str]:
    return [names[i] for i in Choice(columns, leave_out).positions(names)]


@pytest.mark.parametrize(
    ("columns", "leave_out", "found"),
    [
        (None, (), NAMES),
        (["age:income"], (), ["age", "sex", "income"]),
        (["q*"], (), ["q1", "q2", "q10"]),
        (["q*", "id"], (), ["q1", "q2", "q10", "id"]),
        (["*1*"], (), ["q1", "q10"]),
        (["age:q2"], ["q*"], ["age", "sex", "income"]),
        (None, ["age:q10", "id"], ["a:b", "w*"]),
        (["a:b"], (), ["a:b"]),  # a column of this name comes before the range
        (["w*"], (), ["w*"]),
        (["sex:sex"], (), ["sex"]),
        (["q1:a:b"], (), ["q1", "q2", "q10", "a:b"]),
        (["age", "age:sex"], (), ["age", "sex"]),
    ],
)
def test_ranges_and_patterns(columns: Any, leave_out: Any, found: list[str]) -> None:
    assert chosen(columns, leave_out) == found


@pytest.mark.parametrize(
    ("columns", "leave_out", "error", "message"),
    [
        (["agee"], (), UnknownNameError, "no column 'agee'. Did you mean 'age'"),
        (["age:incom"], (), UnknownNameError, "no column 'incom'. Did you mean 'income'"),
        (["z*"], (), UnknownNameError, "No column matches 'z\\*'. The columns begin with 'id'"),
        (["income:age"], (), ParameterError, "'income:age' runs backwards.*Write 'age:income'"),
        (["age"], ["a*"], ParameterError, "'age' is both chosen and left out"),
        (None, ["*"], DataError, "no columns"),
        ("age", (), ParameterError, r"columns=\['age'\]"),
    ],
)
def test_wrong_choices(columns: Any, leave_out: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        chosen(columns, leave_out)


@given(names=st.lists(st.text("ab*:", min_size=1, max_size=4), min_size=1, unique=True))
def test_a_name_always_means_itself(names: list[str]) -> None:
    for name in names:
        if name.strip():
            assert chosen([name], names=names) == [name]


def test_files_and_frames_choose_alike(tmp_path: Path) -> None:
    data = {"id": [1, 2], "age": [30, 9], "sex": ["m", "f"], "q1": [0, 1], "q2": [1, 0]}
    wanted = Dataset.of({name: data[name] for name in ("age", "sex", "q1")})
    pd.DataFrame(data).to_csv(tmp_path / "x.csv", index=False)
    told: Any = {"columns": ["age:q2"], "leave_out": ["q2"]}
    for source in (data, pd.DataFrame(data), pl.DataFrame(data), tmp_path / "x.csv"):
        assert Dataset.of(source, **told) == wanted
    assert read(tmp_path / "x.csv", **told) == wanted


def test_the_command_line_chooses(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,age,sex,q1,q2\n" + "".join(f"{i},{i % 2},{'mf'[i % 2]},{i % 3},{i % 2}\n" for i in range(60)))
    words = ["inspect", str(path), "--columns", "age:q2", "--leave-out", "q*", "--json"]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 0, result.output
    assert '"age"' in result.stdout
    assert '"q1"' not in result.stdout
    result = CliRunner().invoke(cli, ["inspect", str(path), "--columns", "z*"])
    assert result.exit_code != 0


ITEMS = {"age": [20, 31, 45, 60] * 10, "q1": ["a", "b", "c", "d"] * 10, "q2": ["a", "b", "b", "c"] * 10}


@pytest.mark.parametrize(
    "call", [Dataset.of, paucal.prepare, lambda data, **said: paucal.inspect(data, **said).proposal]
)
def test_patterns_say_what_columns_are(call):
    order = ["d", "c", "b", "a"]
    found = call(ITEMS, kinds={"q*": "ordered", "age": "name"}, order={"q*": order})
    how = found.preparation if isinstance(found, Dataset) else found
    assert how.kinds == {"age": "name", "q1": "ordered", "q2": "ordered"}
    assert how.order == {"q1": tuple(order), "q2": tuple(order)}


def test_a_name_comes_before_a_pattern_and_two_patterns_must_agree():
    data = Dataset.of(ITEMS, kinds={"q*": "ordered", "q2": "levels"}, order={"q*": ["a", "b", "c", "d"]})
    assert data.kinds[1:] == ("ordered", "levels")
    with pytest.raises(ParameterError, match="different things about column 'q1': 'ordered' and 'levels'"):
        Dataset.of(ITEMS, kinds={"q*": "ordered", "*1": "levels"})
    with pytest.raises(UnknownNameError, match="No column matches 'z\\*'"):
        Dataset.of(ITEMS, kinds={"z*": "ordered"})


def test_patterns_in_every_kind_of_statement():
    how = Dataset.of(
        ITEMS, missing="keep", no_answer={"q*": ["d"]}, merge={"q*": {"few": ["a"]}}, discretize={"a*": [30]}
    ).preparation
    assert how.no_answer == {"q1": ("d",), "q2": ("d",)}
    assert how.merge == {"q1": {"few": ("a",)}, "q2": {"few": ("a",)}}
    assert how.discretize == {"age": (30,)}


@pytest.mark.parametrize(
    "words",
    [
        ("prepare",),
        ("inspect",),
        ("learn",),
        ("blanket", "--target", "q1"),
        ("effect", "q1", "q2"),
        ("test", "q1", "q2"),
    ],
)
def test_patterns_on_the_command_line(tmp_path, words):
    path = tmp_path / "items.csv"
    pd.DataFrame(ITEMS).to_csv(path, index=False)
    command, *rest = words
    done = CliRunner().invoke(cli, [command, str(path), *rest, "--ordered", "q*"])
    if command == "inspect":
        assert "Column 'q1' is said to be ordered, but nothing gives the order" in done.output
    else:
        assert (done.exit_code, done.output.count("nothing gives the order")) == (2, 1)
    done = CliRunner().invoke(cli, [command, str(path), *rest, "--ordered", "q*=a<b<c<d"])
    assert done.exit_code == 0, done.output


def test_a_pattern_of_an_option_comes_before_a_recipe(tmp_path):
    path, recipe = tmp_path / "items.csv", tmp_path / "recipe.toml"
    pd.DataFrame(ITEMS).to_csv(path, index=False)
    recipe.write_text('[preparation.kinds]\nq1 = "levels"\n')
    done = CliRunner().invoke(cli, ["learn", str(path), "--recipe", str(recipe), "--ordered", "q*"])
    assert done.exit_code == 2
    assert "Column 'q1' is said to be ordered" in done.output


@pytest.mark.parametrize("call", [paucal.prepare, paucal.learn])
def test_prepare_refuses_what_learn_refuses(call):
    with pytest.raises(DataError, match="The order of column 'q1' lacks 'c', 'd'"):
        call(ITEMS, kinds={"q1": "ordered"}, order={"q1": ["a", "b"]})


def test_a_pattern_where_one_column_is_meant(tmp_path: Path) -> None:
    table = {"q1": [0, 1] * 20, "q2": [0, 0, 1, 1] * 10, "age": [1, 2, 3, 4, 5] * 8}
    said = r"'q\*'. Patterns are not taken here; this one fits 'q1', 'q2'\."
    data = Dataset.of(table)
    for ask in (
        lambda: paucal.ci_test(data, "q*", "age"),
        lambda: paucal.ci_test(table, "q1", "age", given=["q*"]),
        lambda: paucal.blanket(data, "q*"),
        lambda: paucal.learn(data, outcome=["q*"]),
        lambda: paucal.learn(data, randomised=["q*"]),
        lambda: paucal.learn(table, repeats="q*"),
    ):
        with pytest.raises(UnknownNameError, match=said):
            ask()
    with pytest.raises(UnknownNameError, match=r"Known: 'q1', 'q2', 'age'\."):
        paucal.ci_test(data, "z*", "age")
    path = tmp_path / "x.csv"
    pd.DataFrame(table).to_csv(path, index=False)
    for arguments in (["blanket", "--target", "q*"], ["effect", "q*", "age"], ["test", "age", "q*"]):
        done = CliRunner().invoke(cli, [arguments[0], str(path), *arguments[1:]])
        assert done.exit_code == 2
        assert "Patterns are not taken here; this one fits 'q1', 'q2'." in done.output
