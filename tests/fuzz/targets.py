"""What is fuzzed: each target takes bytes, and may end in one of our own errors or in an answer; nothing else."""

from __future__ import annotations

import io
import json
import tempfile
import warnings
from functools import cache

from click.testing import CliRunner

import paucal
from paucal.errors import PaucalError
from paucal.networks.bif_parser import parse

_WORDS = [b"", b"\x00", b"\xff", b'"', b"\\", b"\n", b",", b"{", b"}", b"[", b"]", b"-1", b"1e999", b"null", b"x" * 99]


def seeds() -> dict[str, bytes]:
    """Give a good input for every target."""
    return {
        "read": b"a,b,c\n" + b"0,x,1.5\n1,y,2.5\n0,x,3.5\n" * 4,
        "bif": b"network n {}\nvariable x { type discrete [ 2 ] { a, b }; }\nprobability ( x ) { table 0.25, 0.75; }\n",
        "graph": paucal.Graph.parse("A -> B <- C").to_json().encode(),
        "result": _result().to_json().encode(),
        "knowledge": b'outcome = ["a"]\ntime = [["b"], ["a"]]\nrequired = ["b -> a"]\nforbid_within = []\n',
        "ci_test": b"smoke|lung|tub,either|g|0.05",
        "cli": b"learn survey.csv --search pc-stable --alpha 0.05 --max-order 2 --json",
    }


@cache
def _data() -> paucal.Dataset:
    return paucal.load_network("asia").sample(60, seed=1)


@cache
def _result() -> paucal.SearchResult:
    return paucal.learn(_data(), "pc-stable", max_order=1)


def mutated(seed: bytes, numbers: list[int]) -> bytes:
    """Change an input as some numbers say: cut, repeat, swap, put in."""
    text = bytearray(seed)
    for i in range(0, len(numbers) - 2, 3):
        kind, where, what = numbers[i] % 4, numbers[i + 1] % (len(text) + 1), numbers[i + 2]
        if kind == 0:
            del text[where : where + what % 9]
        elif kind == 1:
            text[where:where] = text[where : where + what % 40] * 2
        elif kind == 2:
            text[where:where] = _WORDS[what % len(_WORDS)]
        elif where < len(text):
            text[where] = what % 256
    return bytes(text)


class _RefusedError(Exception):
    """The command line has refused an input, with a line that says why."""


def run(target: str, content: bytes) -> str:
    """Give "refused" or "answered"; anything but our own errors comes through."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            _TARGETS[target](content)
        except (PaucalError, _RefusedError):
            return "refused"
    return "answered"


def _read(content: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        file.write(content)
        file.flush()
        data = paucal.read(file.name)
    if data.n_rows < 1 or len(data.names) != data.n_columns:
        raise AssertionError(data)


def _bif(content: bytes) -> None:
    net = parse(content.decode("utf-8", "replace"), "text")
    again = parse(_written(net), "text")
    if again.names != net.names:
        raise AssertionError(net.names)


def _written(net: paucal.BayesNet) -> str:
    text = io.StringIO()
    paucal.write_bif(net, text)
    return text.getvalue()


def _graph(content: bytes) -> None:
    graph = paucal.Graph.from_json(content)
    if paucal.Graph.from_json(graph.to_json()) != graph:
        raise AssertionError(graph)


def _one_result(content: bytes) -> None:
    result = paucal.SearchResult.from_json(content)
    _ = str(result), repr(result)
    if paucal.SearchResult.from_json(result.to_json()) != result:
        raise AssertionError(result)


def _knowledge(content: bytes) -> None:
    known = paucal.Knowledge.from_text(content.decode("utf-8", "replace"), "toml")
    if paucal.Knowledge(**known.to_dict()) != known:
        raise AssertionError(known)


def _ci_test(content: bytes) -> None:
    x, y, given, test, alpha, *_ = (*content.decode("utf-8", "replace").split("|"), "", "", "", "", "")
    try:
        level: object = float(alpha)
    except ValueError:
        level = alpha
    found = paucal.ci_test(_data(), x, y, [name for name in given.split(",") if name], test=test, alpha=level)
    json.dumps(found.to_dict(), allow_nan=False)


def _cli(content: bytes) -> None:
    from paucal.cli import cli

    words = content.decode("utf-8", "replace").split()
    runner = CliRunner()
    with runner.isolated_filesystem():
        with open("survey.csv", "w") as file:  # noqa: PTH123
            file.write("a,b,c\n" + "0,1,1\n1,0,1\n0,0,0\n1,1,0\n" * 5)
        done = runner.invoke(cli, [word for word in words if not word.startswith("/")])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    if done.exit_code not in (0, 2) or "Traceback" in done.output:
        raise AssertionError(done.output)
    if done.exit_code == 2:
        if not done.output.strip():
            raise AssertionError("refused without a word")
        raise _RefusedError(done.output)


_TARGETS = {
    "read": _read,
    "bif": _bif,
    "graph": _graph,
    "result": _one_result,
    "knowledge": _knowledge,
    "ci_test": _ci_test,
    "cli": _cli,
}
