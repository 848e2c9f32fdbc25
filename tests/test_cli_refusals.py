"""Wrong command lines: one clear line and exit code 2, whatever is wrong."""

from __future__ import annotations

import os
import shlex

import pytest
from click.testing import CliRunner

import paucal
from paucal.cli import cli

FILES = {
    "empty.csv": b"",
    "floats.csv": b"age,b\n" + b"".join(b"%f,%d\n" % (i / 7, i % 2) for i in range(60)),
    "gaps.csv": b"a,b\n1,\n,2\n1,2\n",
    "blank.csv": b"a,b\n,1\n,2\n",
    "binary.csv": bytes(range(256)) * 20,
    "wide.csv": b'"a\nb",c\n1,2\n2,1\n',
    "zip.csv.gz": b"not compressed",
    "book.xlsx": b"PK\x03\x04abcd",
    "table.parquet": b"PAR1xxxxPAR1",
    "half.json": b"{",
    "list.json": b"[1]",
    "deep.json": b"[" * 100_000,
    "nodes.json": b'{"format": "paucal-graph", "nodes": 3}',
    "half.toml": b"tiers = [",
    "stranger.toml": b'tiers = [["stranger"]]\n',
    "cycle.toml": b'required = ["asia -> tub", "tub -> asia"]\n',
    "number.toml": b"tiers = 3\n",
    "binary.toml": b"\xff\xfe\x00",
    "ids.csv": b"id\n" + b"".join(b"p%d\n" % i for i in range(40)),
    "head.csv": b"a,b\n",
    "near.toml": b'[preparation]\nleave_out = ["asai"]\n',
    "other.toml": b'[preparation.kinds]\nage = "number"\nsex = "levels"\nq1 = "ordered"\nasia = "levels"\n',
    "line.toml": b'[preparation]\nmissing = "drop"\nkinds = \n',
    "kind.toml": b'[preparation.kinds]\nasia = "colour"\n',
    "entry.toml": b'[preparation]\nkind = "drop"\n',
    "moods.csv": b"mood,b\n" + b"".join(b"%s,%d\n" % ((b"calm", b"angry", b"blue")[i % 3], i % 2) for i in range(60)),
    "half.bif": b"network x {",
    "binary.bif": bytes(range(256)),
}

# what is typed -> a part of what is said
WRONG = {
    "frobnicate": "There is no command 'frobnicate'. Known: 'inspect',",
    "lern asia.csv": "There is no command 'lern'. Did you mean 'learn'?",
    "--nosuch": "No such option '--nosuch'. See paucal --help.",
    "learn": "Missing argument 'DATA'. See paucal learn --help.",
    "networks extra": "unexpected extra argument (extra). See",
    "networks --jsn": "Did you mean '--json'?",
    "learn moods.csv --ordered mood": "levels: 'angry', 'blue', 'calm'. Say it, from the least to the most, as in "
    "--ordered 'mood=angry<blue<calm'.",
    "learn moods.csv --as-is --ordered mood": "as in --ordered 'mood=angry<blue<calm'.",
    "learn moods.csv --ordered 'mood=blue<calm'": "The order of column 'mood' lacks 'angry'.",
    "learn moods.csv --ordered 'moood=blue<calm<angry'": "no column 'moood'. Did you mean 'mood'?",
    # files
    "inspect nowhere.csv": "There is no file nowhere.csv. Looked in",
    "inspect folder": "folder is a folder.",
    "inspect 'a\0b'": "is not a path",
    "inspect 'a\nb.csv'": "There is no file a\\nb.csv.",
    "inspect ~nosuchuser/x.csv": "is not a path",
    "inspect empty.csv": "empty.csv is empty.",
    "inspect binary.csv": "neither UTF-8 nor Windows-1252: line 2 has the byte 0x81",
    "inspect book.xlsx": "begins like a workbook",
    "inspect table.parquet": "table.parquet cannot be read",
    "inspect zip.csv.gz": "not compressed by gzip",
    "learn blank.csv --as-is": "Leave the columns out (--leave-out).",
    "learn floats.csv --as-is --test g": "Use --test auto, or cut them: --discretize quantile:3.",
    "learn gaps.csv --as-is": "--missing drop leaves out the 2 of 3 rows",
    "learn blank.csv --columns a": "No column is left to learn from: 'a' (no row has a value)",
    "learn ids.csv": "say what it is: --levels id.",
    "learn head.csv": "nothing below it",
    # what is done to data
    "prepare ids.csv -o out.toml": "ids.csv: No column is left to learn from: 'id' (names the rows",
    "prepare nowhere.csv -o out.toml": "There is no file nowhere.csv.",
    "learn asia.csv --number asia": 'asia = ["no"] under [preparation.no_answer] of a recipe',
    "learn asia.csv --number asia --name asia": "Column 'asia' is said to be both: --number and --name.",
    "learn asia.csv --ordered asai": "There is no column 'asai'. Did you mean 'asia'?",
    "learn asia.csv --recipe near.toml": "There is no column 'asai'. Did you mean 'asia'?",
    "test asia.csv asia tub --recipe near.toml": "There is no column 'asai'. Did you mean 'asia'?",
    "inspect asia.csv --recipe near.toml": "There is no column 'asai'. Did you mean 'asia'?",
    "learn asia.csv --recipe other.toml --out x.json": "for another table: of the 4 columns it names, 3 are not here",
    "learn asia.csv --recipe half.toml": "half.toml: The recipe is not TOML",
    "inspect asia.csv --recipe half.toml": "(at end of document)",
    "blanket asia.csv --all --recipe line.toml": "(at line 3, column 9)",
    "test asia.csv asia tub --recipe kind.toml": "kind.toml: kinds['asia']=colour is not known.",
    "learn asia.csv --recipe entry.toml": "entry.toml: There is no entry under [preparation] 'kind'.",
    # options of data
    "inspect asia.csv --missing maybe": "'maybe' is not one of 'error', 'keep', 'drop', 'level'",
    "inspect asia.csv --delimiter ab": "--delimiter ab is not a character that can separate values.",
    "inspect asia.csv --delimiter ''": "--delimiter '' is not a character that can separate values.",
    "inspect asia.csv --encoding nonsense": "--encoding nonsense is not an encoding",
    "inspect asia.csv --encoding utf-16": "Pass its --encoding.",
    "inspect asia.csv --discretize foo": "--discretize 'age=18,40,65;income=quantile:3'",
    "inspect asia.csv --discretize quantile:1": "--discretize quantile:1 asks for 1 intervals. Ask for 2 to 1,000.",
    "inspect asia.csv --discretize asia=": "--discretize asia= is not a list of column=rule.",
    "inspect asia.csv --discretize asia=x,y": "--discretize asia=x,y cuts 'asia' at 'x,y'.",
    "inspect asia.csv --discretize nosuch=width:3": "There is no column 'nosuch'.",
    "inspect asia.csv --discretize asia=3,2": "finite numbers in increasing order",
    "inspect asia.csv --leave-out idd": "There is no column 'idd'.",
    "inspect asia.csv --leave-out": "Option '--leave-out' requires an argument.",
    "inspect asia.csv --max-order 99": "99 is not in the range",
    "inspect asia.csv --power --test nosuch": "There is no test 'nosuch'.",
    "inspect asia.csv --power --alpha 2": "--alpha 2.0 is not between 0 and 1. The usual level is 0.05.",
    # tests
    "test asia.csv asia": "Missing argument 'Y'.",
    "test asia.csv asia asia": "'asia' cannot be tested against itself.",
    "test asia.csv asia nosuch": "There is no column 'nosuch'.",
    "test asia.csv asia tub --given asia": "Take it out of --given.",
    "test asia.csv asia tub --given smoke smoke": "'smoke' occurs twice in given.",
    "test asia.csv asia tub --test nosuch": "There is no test 'nosuch'.",
    "test asia.csv asia tub --alpha small": "--alpha small is not a level.",
    "test asia.csv asia tub --alpha nan": "--alpha nan is not between 0 and 1.",
    "test asia.csv asia tub --alpha 0.1,2": "--alpha 2.0 is not between 0 and 1.",
    "test asia.csv asia tub --test g --test-option df": "--test-option was given 'df'. Write name=value",
    "test asia.csv asia tub --test g --test-option df=half": "df=half is not known. Choose from 'full',",
    "test asia.csv asia tub --test g --test-option alpha=0.1": "--test-option was given 'alpha'.",
    "test asia.csv asia tub --test g --test-option colour=1": "has a parameter 'colour'",
    "test asia.csv asia tub --test g --test-option min_samples=true": "min_samples=True is not a number",
    "test asia.csv asia tub --test g --test-option threads=0": "threads=0 is not a whole number",
    "test asia.csv asia tub --test g --test-option threads=x": "threads=x is not a whole number",
    "test asia.csv asia tub --test bf --test-option eta=0": "eta=0 is not a positive number.",
    "test asia.csv asia tub --test bf --test-option eta=x": "eta=x is not a positive number.",
    "test asia.csv asia tub --test mi --test-option threshold=0": "threshold=0 is not a positive number",
    "test asia.csv asia tub --test mi-eb --alpha 0.001": "--alpha 0.001 is outside the calibrated levels",
    "test asia.csv asia tub --test permutation --test-option permutations=0": "from 1 to 4294967295",
    "test asia.csv asia tub --test permutation --test-option exceedances=true": "exceedances=True is not",
    "test asia.csv asia tub --test permutation --test-option statistic=5": "statistic=5",
    "test asia.csv asia tub --test chi2-perm --test-option guard=maybe": "guard=maybe is not True or False.",
    # searches
    "learn asia.csv --search nosuch": "There is no search 'nosuch'.",
    "learn asia.csv --search order --alpha 0.1": "uses no test",
    "learn asia.csv --seed 99999999999999999999": "--seed 99999999999999999999 is not a whole number",
    "learn asia.csv --threads 99999999999": "--threads 99999999999 is not a whole number from 1 to 1024.",
    "learn asia.csv --bootstrap 1": "--bootstrap 1 is not a whole number from 2 to 1000000.",
    "learn asia.csv --bootstrap 2 --jobs 0": "--jobs 0 is not a number of processes.",
    "learn asia.csv --bootstrap 2 --option jobs=3": "--option was given 'jobs'.",
    "learn asia.csv --bootstrap 2 --search posterior": "samples graphs itself",
    "learn asia.csv --knowledge nowhere.toml": "nowhere.toml",
    "learn asia.csv --knowledge half.toml": "half.toml",
    "learn asia.csv --knowledge binary.toml": "binary.toml",
    "learn asia.csv --knowledge stranger.toml": "There is no node 'stranger'.",
    "learn asia.csv --knowledge cycle.toml": "form the cycle",
    "learn asia.csv --knowledge number.toml": "A list is needed",
    "learn asia.csv --explain asia nosuch": "There is no column 'nosuch'.",
    "learn wide.csv --explain a c": "Known: 'a\\nb', 'c'.",
    "learn asia.csv --out no/such/x.json": "no/such/x.json cannot be written",
    "learn asia.csv --option x": "--option was given 'x'.",
    "learn asia.csv --search pc-stable --option colliders=3": "colliders=3 is not known. Choose from 'standard'",
    "learn asia.csv --search pc-stable --option test=g": "--option was given 'test'.",
    "learn asia.csv --search order --option starts=true": "starts=True is not a whole number from 1 to 100000.",
    "learn asia.csv --search order --option score=3": "There is no score 3.",
    "learn asia.csv --search order --option edge_penalty=nan": "edge_penalty=nan is not a number.",
    "learn asia.csv --search hill-climbing --option start=x": "start=x is not a graph.",
    "learn asia.csv --search hill-climbing --option allowed=x": "allowed=x is one string.",
    "learn asia.csv --search hill-climbing --option allowed=3": "allowed=3 is not a list of names.",
    "learn asia.csv --search posterior --option heats=3": "heats=3 is not a list.",
    "learn asia.csv --search fci --option possible_d_sep=3": "possible_d_sep=3 is not True or False.",
    "learn asia.csv --search fci --option max_path_length=2.5": "For no limit: --option max_path_length=None.",
    "learn asia.csv --max-seconds -1": "-1.0 is not a positive number. For no limit: leave out --max-seconds.",
    "learn asia.csv --max-tests 0": "For no limit: leave out --max-tests.",
    "learn asia.csv --search sc-pc --option max_rounds=0": "max_rounds=0 is not a whole number from 1 on.",
    # blankets
    "blanket asia.csv": "Name columns with --target, or give --all.",
    "blanket asia.csv --target nosuch": "There is no column 'nosuch'.",
    "blanket asia.csv --all --search nosuch": "There is no search for blankets 'nosuch'.",
    "blanket asia.csv --all --option neighbours=3": "There is no search for neighbours 3.",
    "blanket asia.csv --all --option test=g": "--option was given 'test'.",
    "blanket asia.csv --all --option data=1": "--option was given 'data'.",
    "blanket asia.csv --all --jobs 0": "--jobs 0 is not a number of processes.",
    # networks and graphs
    "sample nosuch -n 5 --seed 1": "There is no network 'nosuch'.",
    "sample asia -n 99999999999999999999 --seed 1": "--rows 99999999999999999999 is not a whole number",
    "sample cancer -n 5 --seed 1 --hide Pollution Smoker Cancer Xray Dyspnoea": "All nodes are hidden.",
    "sample asia -n 5 --seed 1 -o x.nosuch": "does not say how to write the data",
    "sample half.bif -n 5 --seed 1": "half.bif, line 1",
    "sample binary.bif -n 5 --seed 1": "is not utf-8 text",
    "show half.json": "half.json: This is not JSON",
    "show deep.json": "deep.json: This JSON is nested too deeply",
    "show list.json": "list.json holds no graph.",
    "show nodes.json": "version None",
    "show asia --as nosuch": "'nosuch' is not one of",
    "compare asia cancer": "The graphs have different nodes",
    "compare asia deep.json": "This JSON is nested too deeply",
    # the paper
    "reproduce": "Name a table or figure, or all",
    "reproduce table99": "Did you mean 'table9'",
    "reproduce table2 --networks nosuch": "There is no network 'nosuch'.",
    "reproduce table2 --jobs 0 --quick": "--jobs 0 is not a number of processes.",
    "reproduce table2 --sizes 1": "Give 2 or more.",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("wrong")
    for name, content in FILES.items():
        (path / name).write_bytes(content)
    (path / "folder").mkdir()
    frame = paucal.load_network("asia").sample(1500, seed=1).to_frame("pandas")
    frame.to_csv(path / "asia.csv", index=False)
    return path


@pytest.mark.parametrize("line", WRONG)
def test_one_clear_line(line, folder, monkeypatch):
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(cli, shlex.split(line), prog_name="paucal")
    assert isinstance(result.exception, SystemExit), result.exception
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("paucal: error: ")
    assert result.stderr.endswith((".\n", "?\n"))
    assert result.stderr.count("\n") == 1
    assert WRONG[line] in result.stderr


def test_bytes_that_are_no_text(folder, monkeypatch):
    monkeypatch.chdir(folder)
    name = os.fsdecode(b"\xff.csv")
    result = CliRunner().invoke(cli, ["inspect", name])
    assert result.exit_code == 2
    assert result.stderr.startswith("paucal: error: There is no file ")


def test_want_of_memory_is_one_line(monkeypatch):
    def exhausted(*_, **__):
        raise MemoryError

    monkeypatch.setattr(paucal.BayesNet, "sample", exhausted)
    result = CliRunner().invoke(cli, ["sample", "asia", "-n", "5", "--seed", "1"])
    assert (result.exit_code, result.stderr) == (2, "paucal: error: There is not enough memory for that.\n")
