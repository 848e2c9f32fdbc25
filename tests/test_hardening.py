"""Nothing destroyed, nothing foreign: hostile files, wrong arguments, full disks, impatient people."""

import copy
import json
import signal
import subprocess
import sys
import textwrap
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import paucal
from paucal import errors, schemas
from paucal.cli import cli
from paucal.cli.output import visible
from paucal.networks.bif_parser import parse
from paucal.paper.store import NAME, Store

MAIN = [sys.executable, "-c", "from paucal.cli import main; main()"]
FULL = Path("/dev/full")


@pytest.fixture(scope="module")
def data():
    return paucal.load_network("asia").sample(200, seed=1)


@pytest.fixture(scope="module")
def results(data):
    """Give one result of each kind of evidence."""
    return {name: paucal.learn(data, name) for name in ("pc-stable", "order", "posterior", "fci")}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "survey.csv"
    path.write_text("a,b\n" + "0,1\n1,0\n0,0\n1,1\n" * 10)
    return path


# ------------------------------------------------------------------------------------------------------ files


@pytest.mark.parametrize("option", ["--out", "--report", "--svg", "--save-recipe"])
def test_the_file_that_is_read_is_not_overwritten(table, option):
    before = table.read_bytes()
    done = CliRunner().invoke(cli, ["learn", str(table), "--search", "pc-stable", option, str(table)])
    assert done.exit_code == 2
    assert "is the file that is read" in done.output
    assert table.read_bytes() == before


def test_a_link_to_the_file_that_is_read_is_the_same_file(table, tmp_path):
    link = tmp_path / "link.json"
    link.symlink_to(table)
    done = CliRunner().invoke(cli, ["learn", str(table), "--search", "pc-stable", "--out", str(link)])
    assert "is the file that is read" in done.output


@pytest.mark.skipif(not FULL.exists(), reason="this system has no full device")
def test_a_full_standard_output_is_one_line():
    with FULL.open("w") as full:
        done = subprocess.run([*MAIN, "networks"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines() == ["paucal: error: Standard output cannot be written: No space left on device."]


def test_whoever_closes_a_pipe_has_seen_enough():
    command = f"{sys.executable} -c 'from paucal.cli import main; main()' sample asia -n 20000 --seed 1 | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)  # noqa: S602
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no limit of the size of files")
@pytest.mark.parametrize("room", [0, 100, 2000])
def test_a_full_disk_ends_a_reproduction_in_one_line(tmp_path, room):
    """Files that may not grow beyond some size stand for a disk that is full."""
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))"
    command = [sys.executable, "-c", f"{limited}; from paucal.cli import main; main()"]
    words = ["reproduce", "figure2", "--repetitions", "2", "--no-figures", "--out", str(tmp_path)]
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    line = done.stderr.splitlines()[-1]
    assert line.startswith(f"paucal: error: {tmp_path}")
    assert "cannot be written: File too large." in line
    assert "room" in line
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not FULL.exists(), reason="this system has no full device")
@pytest.mark.parametrize(
    "words", [["learn", "{}", "--search", "pc-stable"], ["reproduce", "--list"], ["test", "{}", "a", "b"]]
)
def test_every_command_tells_of_a_full_standard_output(table, words):
    with FULL.open("w") as full:
        command = [*MAIN, *(word.format(table) for word in words)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "paucal: error: Standard output cannot be written: No space left on device."
    assert "Traceback" not in done.stderr


def test_a_closed_standard_output_is_no_traceback():
    command = f"{sys.executable} -c 'from paucal.cli import main; main()' networks >&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)  # noqa: S602
    assert "Traceback" not in done.stderr


def test_a_deep_line_of_the_store_is_damage(tmp_path):
    with Store(tmp_path):
        pass
    with (tmp_path / NAME).open("a") as file:
        file.write("[" * 100_000 + "\n")
    with pytest.raises(errors.FileError, match=r"Line 2 .* is damaged"), Store(tmp_path):
        pass


# ----------------------------------------------------------------------------------------------------- Ctrl-C


def test_ctrl_c_is_one_line_and_code_130(tmp_path):
    rng = np.random.default_rng(0)
    base = rng.integers(0, 2, 800)
    columns = [np.where(rng.random(800) < 0.2, 1 - base, base) for _ in range(60)]
    path = tmp_path / "dense.csv"
    np.savetxt(path, np.array(columns).T, "%d", delimiter=",", header=",".join(f"c{i}" for i in range(60)), comments="")
    told = tmp_path / "graph.json"
    command = [*MAIN, "learn", str(path), "--as-is", "--search", "pc-stable", "--out", str(told)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert "LongSearch" not in process.stderr.readline()  # the search has told how long it will take
    process.send_signal(signal.SIGINT)
    printed, told_last = process.communicate(timeout=120)
    assert process.returncode == 130
    assert told_last.splitlines()[-1] == "paucal: interrupted; this is what there was by then."
    assert "unfinished: interrupted after" in printed
    assert json.loads(told.read_text())["unfinished"].startswith("interrupted")


def test_workers_do_not_outlive_who_shares_out_the_work(tmp_path):
    script = tmp_path / "share.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import os, pathlib, time
            from paucal.search.parallel import each

            def work(i):
                pathlib.Path({str(tmp_path)!r}, f"worker{{i}}").write_text(str(os.getpid()))
                time.sleep(60)

            if __name__ == "__main__":
                list(each(work, range(2), jobs=2))
            """
        )
    )
    process = subprocess.Popen([sys.executable, str(script)], stderr=subprocess.DEVNULL)
    for _ in range(600):
        if len(list(tmp_path.glob("worker*"))) == 2:
            break
        time.sleep(0.1)
    workers = [int(path.read_text()) for path in tmp_path.glob("worker*")]
    process.kill()
    process.wait()
    for _ in range(200):
        if not any(map(_lives, workers)):
            break
        time.sleep(0.1)
    assert len(workers) == 2
    assert not any(map(_lives, workers))


def _lives(process):
    try:
        with open(f"/proc/{process}/stat") as file:  # noqa: PTH123
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


# ------------------------------------------------------------------------------------------------- what is read


def test_a_line_of_quotes_is_read_once():
    began = time.perf_counter()
    with pytest.raises(errors.NetworkError, match="this quote is never closed"):
        parse('network "' + '\\"' * 200_000, "text")
    assert time.perf_counter() - began < 20


def test_numbers_of_a_network_have_no_underscores():
    text = "network a {}\nvariable x { type discrete [ 2 ] { a, b }; }\nprobability ( x ) { table 0.2_5, 0.75; }"
    with pytest.raises(errors.NetworkError, match=r"found '0\.2_5'"):
        parse(text, "text")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("forbid_within = 5", "forbid_within is 5"),
        ('forbid_within = ["a"]', "which is not the number of a tier"),
        ("time = " + "[" * 3000 + "]" * 3000, "nested too deeply"),
    ],
)
def test_damaged_knowledge(text, told):
    with pytest.raises(errors.KnowledgeError, match=told):
        paucal.Knowledge.from_text(text, "toml")


def test_deep_json_and_many_nodes():
    with pytest.raises(errors.GraphError, match="nested too deeply"):
        paucal.Graph.from_json("[" * 100_000)
    many = {"format": "paucal-graph", "version": 1, "kind": "dag", "nodes": list(map(str, range(10**5))), "edges": []}
    with pytest.raises(errors.GraphError, match=r"100,000 nodes, 20,000 is the most"):
        paucal.Graph.from_dict(many)
    with pytest.raises(errors.GraphError, match="nodes is 'ABC', not a list"):
        paucal.Graph.from_dict({**many, "nodes": "ABC"})


def test_samples_and_seeds_have_a_limit():
    net = paucal.load_network("asia")
    with pytest.raises(errors.ParameterError, match="seed="):
        net.sample(5, seed=2**64)
    for n in (10**10, 10**15):
        with pytest.raises(errors.ParameterError):
            net.sample(n, seed=1)


@pytest.mark.filterwarnings("ignore")
def test_more_conditioners_than_fit_into_a_word():
    wide = paucal.Dataset.of({f"v{i}": [i >> j & 1 for j in range(8)] * 20 for i in range(90)})
    assert paucal.ci_test(wide, "v1", "v2", given=[f"v{i}" for i in range(5, 80)]).decision in (
        "independent",
        "undecidable",
    )
    found = paucal.blanket(wide.select([f"v{i}" for i in range(80)]), "v1", search="stmb", as_is=True, max_tests=3000)
    assert found.target == "v1"


@pytest.mark.parametrize(
    "call",
    [
        lambda d: paucal.ci_test(d, "asia", "tub", given=None),
        lambda d: paucal.ci_test(d, "asia", "tub", test=[]),
        lambda d: paucal.ci_test(d, "asia", "tub", alpha=[]),
        lambda d: paucal.learn(d, []),
        lambda d: paucal.learn(d, "pc-stable", knowledge={}),
        lambda d: paucal.learn(d, "pc-stable", progress=5),
        lambda d: paucal.blanket(d, None),
        lambda d: paucal.learn(d, "pc-stable").report(None),
        lambda _: paucal.Knowledge(tiers="ab"),
    ],
)
def test_wrong_arguments_are_refused_in_our_words(data, call):
    with pytest.raises(errors.PaucalError):
        call(data)


def test_numbers_beyond_floats_are_levels_all_the_same():
    from decimal import Decimal

    numbers = {"a": [Decimal("1e30"), Decimal(2)] * 9, "b": [0, 1, 1] * 6}
    assert paucal.Dataset.of(numbers).n_rows == 18


def test_control_characters_are_shown_not_obeyed(table):
    assert visible("a\x1b[2Jb\nc\x9b") == "a\\x1b[2Jb\nc\\x9b"
    table.write_text("a\x1b[2J,b\n" + "0,1\n1,0\n0,0\n1,1\n" * 10)
    for words in (["inspect"], ["learn", "--search", "pc-stable"], ["prepare"]):
        done = CliRunner().invoke(cli, [words[0], str(table), *words[1:]])
        assert "\x1b" not in done.output


# -------------------------------------------------------------------------------------------------- documents


def test_what_is_written_keeps_to_the_published_schema(results, data):
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource

    registry = Registry().with_resources(
        (f"{name}.schema.json", Resource.from_contents(schemas.schema(name))) for name in schemas.NAMES
    )
    documents = [("result", one.to_dict()) for one in results.values()]
    documents += [("graph", results["fci"].graph.to_dict()), ("blanket", paucal.blanket(data, "dysp").to_dict())]
    for name, written in documents:
        document = json.loads(json.dumps(written))
        Draft202012Validator.check_schema(schemas.schema(name))
        Draft202012Validator(schemas.schema(name), registry=registry).validate(document)
        schemas.check(name, document)


def _places(value, place=()):
    """List the ways to all parts of a document, of long lists only to the first entries."""
    yield place
    if isinstance(value, dict):
        for key in value:
            yield from _places(value[key], (*place, key))
    elif isinstance(value, list):
        for i in range(min(2, len(value))):
            yield from _places(value[i], (*place, i))


def _damaged(document, place, wrong):
    other = copy.deepcopy(document)
    inside = other
    for key in place[:-1]:
        inside = inside[key]
    if wrong is KeyError:
        del inside[place[-1]]
    else:
        inside[place[-1]] = wrong
    return other


@pytest.mark.parametrize("search", ["pc-stable", "order", "posterior", "fci"])
@pytest.mark.parametrize("wrong", [None, -1, 10**30, 1e308, "x", [], {}, [[1]], KeyError], ids=str)
def test_a_damaged_field_is_refused_or_does_no_harm(results, search, wrong):
    document = json.loads(results[search].to_json())
    for place in list(_places(document))[1:]:
        damaged = _damaged(document, place, wrong)
        try:
            result = paucal.SearchResult.from_json(json.dumps(damaged))
            _ = str(result), repr(result), result.to_json(), result.edges(), result.open_questions(), result.doubtful()
            names = result.graph.nodes
            _ = [str(result.why(a, b)) for a, b in pairwise(names)]
        except errors.PaucalError:
            continue
        except Exception as error:  # noqa: BLE001 - that is what must not come
            pytest.fail(f"{place}: {wrong!r} gives {error!r}")


def test_every_test_is_kept_on_the_command_line_where_somebody_asks(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (40, 210)).astype(str).tolist()
    path, out = tmp_path / "wide.csv", tmp_path / "graph.json"
    path.write_text("\n".join(",".join(row) for row in [[f"v{i}" for i in range(210)], *rows]) + "\n")
    sizes = []
    for asked in ([], ["--all-tests"]):
        command = ["learn", str(path), "--search", "pc-stable", "--test", "g", "--alpha", "0.001", "--max-order", "0"]
        done = CliRunner().invoke(cli, [*command, "--out", str(out), *asked])
        assert done.exit_code == 0, done.output
        sizes.append(len(json.loads(out.read_text())["evidence"]["asked"]))
    assert sizes[1] == 210 * 209 // 2
    assert sizes[0] < sizes[1] / 10


def test_many_columns_do_not_make_a_large_document():
    rng = np.random.default_rng(0)
    wide = paucal.Dataset.of({f"v{i}": rng.integers(0, 2, 60) for i in range(250)})
    result = paucal.learn(wide, "pc-stable", test="g", alpha=0.001, max_order=1)
    short, whole = result.to_json(), result.to_json(all_tests=True)
    assert len(short) < len(whole) / 5
    assert paucal.SearchResult.from_json(short) == result
    assert (
        paucal.SearchResult.from_json(whole).sepsets == paucal.SearchResult.from_json(short).sepsets == result.sepsets
    )


def test_a_test_on_many_columns_is_made_at_once():
    """Looking every name up in the list of all of them took ten seconds."""
    data = paucal.Dataset.from_codes(
        [np.array([0, 1], dtype=np.uint32)] * 20_000, [f"c{i}" for i in range(20_000)], [["a", "b"]] * 20_000
    )
    start = time.process_time()
    assert len(paucal.make_test(data, "g").names) == 20_000
    assert time.process_time() - start < 2
