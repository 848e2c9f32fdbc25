"""`paucal effect` and `paucal fit`: from a file to an answer, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner, Result

import paucal
from paucal.cli import cli
from paucal.networks import read_bif

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(one) for one in arguments], catch_exceptions=True)


@pytest.fixture(scope="module")
def asia(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("effect") / "asia.csv"
    assert run("sample", "asia", "-n", 300, "--seed", 1, "-o", path).exit_code == 0
    return path


def test_one_effect(asia: Path):
    answer = run("effect", asia, "smoke", "bronc")
    assert answer.exit_code == 0
    assert "smoke causes bronc in" in answer.stdout
    assert "do(smoke = yes): bronc = yes" in answer.stdout
    content = json.loads(run("effect", asia, "smoke", "bronc", "--json").stdout)
    assert content["cause"] == "smoke"
    assert 0 <= content["probability"] <= 1


def test_all_causes_of_an_outcome(asia: Path):
    assert "causes dysp in" in run("effect", asia, "dysp").stdout
    strengths = [one["strength"] for one in json.loads(run("effect", asia, "dysp", "--json").stdout)]
    assert strengths == sorted(strengths, reverse=True)
    assert len(strengths) == 7


def test_what_if(asia: Path):
    answer = run("effect", asia, "dysp", "--do", "smoke=no", "--given", "asia=no", "--json")
    parts = json.loads(answer.stdout)["distribution"]
    assert sum(part["mean"] for part in parts.values()) == pytest.approx(1)
    assert (
        "do(smoke = no) given asia = no:"
        in run("effect", asia, "dysp", "--do", "smoke=no", "--given", "asia=no").stdout
    )


def test_graphs_from_an_earlier_run(asia: Path, tmp_path: Path):
    stored = tmp_path / "graph.json"
    assert run("learn", asia, "--search", "posterior", "--out", stored).exit_code == 0
    assert (
        run("effect", asia, "smoke", "bronc", "--graph", stored).stdout == run("effect", asia, "smoke", "bronc").stdout
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["smok", "bronc"], "Did you mean 'smoke'?"),
        (["smoke", "smoke"], "both cause and effect"),
        (["smoke", "bronc", "dysp"], "Name Y, or X and Y."),
        (["dysp", "--do", "smoke"], "--do smoke names no level"),
        (["dysp", "--do", "smoke=often"], "level of 'smoke'"),
        (["smoke", "dysp", "--do", "asia=yes"], "go with Y alone"),
        (["smoke", "dysp", "--level", "2"], "between 0 and 1"),
        (["smoke", "dysp", "--graph", "nowhere.json"], "nowhere.json"),
    ],
)
def test_refusals(asia: Path, arguments: list[str], said: str):
    answer = run("effect", asia, *arguments)
    assert answer.exit_code == 2
    assert said in answer.stderr
    assert "Traceback" not in answer.stderr


def test_a_network_is_fitted_and_written(asia: Path, tmp_path: Path):
    assert run("fit", asia, "-o", tmp_path / "a.bif").exit_code == 0
    net = read_bif(tmp_path / "a.bif")
    assert set(net.names) == set(paucal.load_network("asia").names)
    assert run("fit", asia, "--graph", "asia", "-o", tmp_path / "b.bif").exit_code == 0
    assert read_bif(tmp_path / "b.bif").graph.arcs() == paucal.load_network("asia").graph.arcs()


def test_arrows_into_background_are_asked_about(tmp_path: Path):
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, (2, 400))
    age = np.where(rng.random(400) < 0.8, a | b, rng.integers(0, 2, 400))
    path = tmp_path / "table.csv"
    lines = [f"{x},{y},{z}" for x, y, z in zip(a, b, age, strict=True)]
    path.write_text("\n".join(["a,b,age_group", *lines]), "utf-8")
    answer = run("effect", path, "a", "b")
    said = "paucal: ask: The graph has arrows into age_group, which may be background, caused by nothing in the table. "
    assert f"{said}If so, add --exogenous age_group, and ask again." in answer.stderr
    assert "paucal: ask" not in run("effect", path, "a", "b", "--background", "age_group").stderr
    learned = run("learn", path, "--search", "pc-stable").stderr  # one line, although two arrows lead there
    assert learned.count("paucal: ask") == 1
    assert f"{said}If so, add --exogenous age_group, and learn again." in learned
