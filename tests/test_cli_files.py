"""Files that a command is given: nothing is lost, and what cannot be written is told before the work."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

import paucal
from paucal.cli import cli

MAIN = f"{sys.executable} -c 'from paucal.cli import main; main()'"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = paucal.load_network("asia").sample(60, seed=1)
    rows = zip(*data.to_frame("dict").values(), strict=True)
    (tmp_path / "t.csv").write_text("\n".join(map(",".join, [data.names, *rows])) + "\n")
    (tmp_path / "known.toml").write_text('outcome = ["dysp"]\n')
    (tmp_path / "recipe.toml").write_text('search = "pc-stable"\n')
    (tmp_path / "arrows.csv").write_text("from,to\nsmoke,lung\n")
    (tmp_path / "graph.json").write_text(paucal.load_network("asia").graph.to_json())
    (tmp_path / "sub").mkdir()
    return tmp_path


ONTO_ITS_INPUT = [
    "learn t.csv --knowledge known.toml --out known.toml",
    "learn t.csv --whitelist arrows.csv --report arrows.csv",
    "learn t.csv --recipe recipe.toml --save-recipe sub/../recipe.toml",
    "fit t.csv --graph graph.json -o graph.json",
    "show graph.json --as dot -o graph.json",
    "compare graph.json asia --report graph.json",
    "prepare t.csv -o ./t.csv",
    "blanket t.csv --target lung --save-recipe t.csv",
]


@pytest.mark.parametrize("line", ONTO_ITS_INPUT)
def test_no_file_is_written_that_is_read(folder, line):
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    done = CliRunner().invoke(cli, line.split())
    assert done.exit_code == 2
    assert "is the file that is read" in done.output
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


@pytest.mark.parametrize("line", ["--out x --report x", "--svg x --dot sub/../x", "--out x --save-recipe ./x"])
def test_two_results_need_two_files(folder, line):
    done = CliRunner().invoke(cli, ["learn", "t.csv", *line.split()])
    assert done.exit_code == 2
    assert "would write the same file" in done.output
    assert not (folder / "x").exists()


def test_a_hard_link_is_the_same_file(folder):
    (folder / "other.csv").hardlink_to(folder / "t.csv")
    done = CliRunner().invoke(cli, ["learn", "t.csv", "--out", "other.csv"])
    assert "is the file that is read" in done.output


@pytest.mark.parametrize(
    ("target", "words"), [("sub", "Is a directory"), ("none/x", "No such file"), ("t.csv/x", "No")]
)
def test_what_cannot_be_written_is_told_before_the_search(folder, monkeypatch, target, words):
    def search(*_args, **_options):
        pytest.fail("the search began")

    monkeypatch.setattr("paucal.search.learn.run", search)
    done = CliRunner().invoke(cli, ["learn", "t.csv", "--out", target])
    assert done.exit_code == 2
    assert "cannot be written" in done.output
    assert words in done.output
    assert max(path.name for path in folder.iterdir()) == "t.csv"


@pytest.mark.parametrize(
    "line", ["learn t.csv --search pc --search order", "learn t.csv --header --no-header", "show asia -o a -o b"]
)
def test_an_option_counts_once(folder, line):
    done = CliRunner().invoke(cli, line.split())
    assert done.exit_code == 2
    assert "is given 2 times" in done.output
    assert not (folder / "b").exists()


def test_lists_and_flags_may_be_repeated(folder):
    line = "test t.csv asia tub --given smoke --given lung --json --json"
    assert CliRunner().invoke(cli, line.split()).exit_code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix closes the streams")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&- <&-"])
def test_closed_streams_stop_nobody(folder, closed):
    done = subprocess.run(  # noqa: S602
        f"{MAIN} learn t.csv --search order --out g.json {closed}",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert paucal.SearchResult.from_json((folder / "g.json").read_text()).search == "order"


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe of Unix")
def test_whoever_closes_the_pipe_of_a_table_has_seen_enough(folder):
    command = f"({MAIN} inspect t.csv; echo $? >code) | head -c 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)  # noqa: S602
    assert "Traceback" not in done.stderr
    assert (folder / "code").read_text() == "0\n"
