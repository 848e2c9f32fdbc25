"""What a new user meets: a plain `learn` that says what it chose, explanations, pages, Ctrl-C, completion."""

from __future__ import annotations

import html
import json
import re
import xml.etree.ElementTree as ET

import pytest
from click.testing import CliRunner

import paucal
from paucal.cli import cli
from paucal.errors import ParameterError


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "asia.csv"
    run(["sample", "asia", "-n", "500", "--seed", "1", "-o", str(path)])
    return str(path)


def run(args, code=0):
    outcome = CliRunner().invoke(cli, args)
    assert outcome.exit_code == code, outcome.output
    return outcome


def test_learn_without_options_says_what_it_chose(survey):
    printed = run(["learn", survey]).stdout
    first = printed.splitlines()[0]
    result = paucal.learn(survey)
    assert first.startswith(f"{result.search} with {result.score}, 500 samples")
    assert f"chosen: posterior, because {result.recipe.reason}" in printed
    for edge in result.graph.edges():
        assert str(edge) in printed


def test_doubtful_edges_are_named_on_standard_error(tmp_path):
    path = tmp_path / "alarm.csv"
    run(["sample", "alarm", "-n", "300", "--seed", "1", "-o", str(path)])
    outcome = run(["learn", str(path), "--test", "g"])
    result = paucal.learn(path, test="g")
    kept = [t for t in result.doubtful() if result.graph.edge(t.x, t.y)]
    assert f"unreliable tests kept {kept[0].x} and {kept[0].y}" in outcome.stderr
    assert f"and {len(kept) - 4} more" in outcome.stderr
    assert {(t.x, t.y) for t in kept} == {
        (t.x, t.y) for e in result.graph.edges() for t in [result.nearest(e.a, e.b)] if not t.reliable
    }


def test_explain_prints_why(survey):
    result = paucal.learn(survey, "pc-stable", test="g")
    explained = ["learn", survey, "--search", "pc-stable", "--test", "g", "--explain"]
    assert run([*explained, "smoke", "dysp"]).stdout == f"{result.why('smoke', 'dysp', data=survey)}\n"
    told = json.loads(run([*explained, "tub", "either", "--json"]).stdout)
    assert told["edge"] == result.graph.edge("tub", "either").symbol
    assert len(told["tests"]) == len(result.why("tub", "either").tests) > 0


def test_explain_tells_probabilities_and_scores(survey):
    result = paucal.learn(survey)
    why = result.why("tub", "either", data=survey)
    assert run(["learn", survey, "--explain", "tub", "either"]).stdout == f"{why}\n"
    assert f"joined {1 - why.probabilities['absent']:.2f}" in str(why) and "score eb" in str(why)
    told = json.loads(run(["learn", survey, "--explain", "smoke", "dysp", "--json"]).stdout)
    assert told["probabilities"] == result.evidence.of_pair("smoke", "dysp")
    assert told["gain"]["joined"] is False and told["tests"] == []


def test_explain_refuses_unknown_columns_before_working(survey):
    outcome = run(["learn", survey, "--explain", "smoke", "disp"], code=2)
    assert "Did you mean 'dysp'?" in outcome.stderr


def test_hints_name_the_options_of_the_command_line(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("a,b\nx,1.5\n,2.25\ny,3.125\n" + "x,7.5\n" * 30)
    told = run(["learn", str(path), "--as-is"], code=2).stderr
    assert "--missing drop leaves out" in told and "missing=" not in told
    path.write_text("age,b\n" + "".join(f"{i / 7},x\n" for i in range(60)))
    told = run(["learn", str(path), "--as-is", "--search", "pc-stable", "--test", "g"], code=2).stderr
    assert "there are numbers: 'age'. Use --test auto, or cut them: --discretize quantile:3." in told
    run(["learn", str(path), "--discretize", "age=width:4"])


def test_report_from_the_command_line(survey, tmp_path):
    page = tmp_path / "page.html"
    picture = tmp_path / "graph.tex"
    run(["learn", survey, "--report", str(page), "--latex", str(picture)])
    written = page.read_text(encoding="utf-8")
    assert written.startswith("<!doctype html>") and "<h2>Columns</h2>" in written
    assert picture.read_text(encoding="utf-8").startswith("\\begin{tikzpicture}")


def test_explanations_as_plain_values():
    told = paucal.learn(paucal.Oracle(paucal.Graph.parse("A -> C <- B; C -> D"))).why("C", "D").to_dict()
    assert json.loads(json.dumps(told["reasons"])) == [
        {
            "at": "D",
            "rule": "meek-1",
            "via": ["A"],
            "text": "Meek's first rule: A -> C -> D, otherwise A and D would collide in C",
        }
    ]


@pytest.mark.parametrize("moment", ["paucal.cli.progress.TerminalProgress.__call__", "os.replace"])
def test_an_interrupted_run_leaves_no_file(survey, tmp_path, monkeypatch, moment):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(moment, interrupt)
    outcome = run(["learn", survey, "--out", str(tmp_path / "a"), "--report", str(tmp_path / "b")], code=1)
    assert "Aborted" in outcome.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("shell", "line"), [("bash", "paucal le"), ("zsh", "paucal le"), ("fish", "paucal le")])
def test_shells_complete(shell, line):
    settings = {
        "_PAUCAL_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": "1" if shell != "fish" else "le",
    }
    outcome = CliRunner().invoke(cli, [], prog_name="paucal", env=settings)
    assert "learn" in outcome.stdout


# ----------------------------------------------------------------------------------------------------- notebooks


def fragment(text: str):
    """A piece of HTML that is also XML, so that nothing in it is left open."""
    return ET.fromstring(text)  # noqa: S314 - our own text


def test_everything_a_notebook_shows_is_closed_and_escaped():
    data = {"<b>": [*"xxyyxyxyyx"] * 8, "b & c": [*"uvuvvuuvvu"] * 8}
    result = paucal.learn(data)
    tested = paucal.learn(data, "pc-stable")
    again = paucal.bootstrap(data, replicates=5)
    shown = [
        result,
        tested,
        again,
        result.graph,
        result.why("<b>", "b & c", data=data),
        tested.why("<b>", "b & c"),
        paucal.ci_test(data, "<b>", "b & c"),
        paucal.inspect(data),
        paucal.blanket(data, "<b>"),
    ]
    for value in shown:
        tree = fragment(value._repr_html_())
        text = "".join(tree.itertext())
        assert re.search(r"<b>", text), type(value)


def test_a_notebook_shows_the_picture_and_the_probabilities():
    result = paucal.learn(paucal.load_network("asia").sample(500, seed=1))
    shown = result._repr_html_()
    assert "<svg" in shown
    for line in result.evidence.edge_lines(result.graph):
        assert html.escape(line) in shown


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_edges_come_in_the_users_own_kind_of_frame(kind):
    frame = paucal.load_network("asia").sample(500, seed=1).to_frame(kind)
    result = paucal.learn(frame)
    edges = result.edges()
    assert type(edges) is type(frame)
    assert len(edges) == result.graph.n_edges
    assert "probability" in (edges.column_names if kind == "pyarrow" else list(edges.columns))


def test_arguments_about_data_simply_work():
    data = {
        "x": [i / 7 for i in range(60)],
        "y": [0, 1] * 30,
        "z": [0, 1, None] * 20,
        "id": [f"p{i}" for i in range(60)],
    }
    made = paucal.Dataset.of(data, missing="drop", discretize={"x": "quantile:2"}, leave_out=["id"])
    assert (made.names, made.n_rows) == (("x", "y", "z"), 40)
    said = {"missing": "drop", "discretize": {"x": "quantile:2"}, "leave_out": ["id"], "as_is": True}
    for search in ("auto", "rai"):
        assert paucal.learn(data, search, **said).graph == paucal.learn(made, search).graph
    assert paucal.learn(data, "pc", **said).recipe == paucal.learn(made, "pc").recipe
    asked = paucal.ci_test(data, "y", "z", missing="drop", as_is=True, discretize="quantile:2", leave_out=["id"])
    assert asked.n == 40
    assert paucal.blanket(data, "y", **said).result.evidence.n_samples == 40
    with pytest.raises(ParameterError, match="A finished test takes no missing="):
        paucal.learn(paucal.Oracle(paucal.Graph.parse("a -> b")), missing="drop")
