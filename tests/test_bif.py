"""The BIF reader and writer."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal.errors import FileError, NetworkError
from random_networks import networks

WEATHER = """network weather {
}
variable rain {
  type discrete [ 2 ] { yes, no };
}
variable grass {
  type discrete [ 3 ] { wet, damp, dry };
}
probability ( rain ) {
  table 0.2, 0.8;
}
probability ( grass | rain ) {
  (yes) 0.9, 0.075, 0.025;
  (no) 0.25, 0.25, 0.5;
}
"""


def read(text: str) -> paucal.BayesNet:
    return paucal.read_bif(io.StringIO(text))


def text_of(net: paucal.BayesNet) -> str:
    file = io.StringIO()
    paucal.write_bif(net, file)
    return file.getvalue()


def test_a_plain_file():
    net = read(WEATHER)
    assert net.name == "weather"
    assert net.names == ("rain", "grass")
    assert net.levels == {"rain": ("yes", "no"), "grass": ("wet", "damp", "dry")}
    assert net.parents("grass") == ("rain",)
    assert net.cpts["rain"].tolist() == [0.2, 0.8]
    assert net.cpts["grass"].tolist() == [[0.9, 0.075, 0.025], [0.25, 0.25, 0.5]]
    assert net.graph.arcs() == [("rain", "grass")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n", "\r\n"),
        ("\n", "\r"),
        ("\n", "\n\n  \t\n"),
        ("{", " { // a comment } with ( punctuation ;\n"),
        ("{", " { /* over\n two * lines */ "),
        ("}\n", "property position = (73, 165) ;\n}\n"),
        ("}\n", 'property "a; quoted } text" ;\n}\n'),
        (", ", " "),
        (", ", ","),
        (" | ", " "),
        ("rain", '"rain"'),
        ("yes", '"yes"'),
        ("(yes)", '("yes")'),
        (" };", " }"),
        ("[ 2 ]", "[2]"),
        (
            "(yes) 0.9, 0.075, 0.025;\n  (no) 0.25, 0.25, 0.5;",
            "(no) 0.25, 0.25, 0.5;\n  (yes) 0.9, 0.075, 0.025;",
        ),
        ("(yes) 0.9, 0.075, 0.025;\n  (no)", "(yes) 0.9, 0.075, 0.025;\n  default"),
        ("(no) 0.25, 0.25, 0.5;", "default .25, 25e-2, 5E-1;"),
        # the child's level varies slowest
        ("(yes) 0.9, 0.075, 0.025;\n  (no) 0.25, 0.25, 0.5;", "table 0.9, 0.25, 0.075, 0.25, 0.025, 0.5;"),
        ("table 0.2", "default 0.2"),
        ("table 0.2", "() 0.2"),
    ],
)
def test_the_same_network_written_differently(old, new):
    assert old in WEATHER
    assert read(WEATHER.replace(old, new)) == read(WEATHER)


def test_variables_may_be_declared_after_their_use():
    head, first, rest = WEATHER.partition("variable rain")
    declarations, second, tables = rest.partition("probability ( rain )")
    assert read(head + second + tables + first + declarations) == read(WEATHER)


def test_parents_keep_the_order_of_the_file():
    net = read("""network x {}
        variable b { type discrete [2] { 0, 1 }; }
        variable c { type discrete [2] { 0, 1 }; }
        variable a { type discrete [3] { 0, 1, 2 }; }
        probability (a) { table 0.5 0.25 0.25; }
        probability (b) { table 1 0; }
        probability (c | a, b) { (2, 1) 0.125, 0.875; default 0.5, 0.5; }""")
    assert net.names == ("b", "c", "a")
    assert net.parents("c") == ("a", "b")
    assert net.cpts["c"].shape == (3, 2, 2)
    assert net.cpts["c"][2, 1].tolist() == [0.125, 0.875]


def test_labels_that_are_numbers_signs_and_texts():
    net = read("""network "a name" {}
        variable "<x>" { type discrete [5] { <5, >=7.5, Asy/Patch, "two words", "say \\"{;}\\" \\\\ \\n" }; }
        probability ( <x> ) { table 0.2, 0.2, 0.2, 0.2, 0.2; }""")
    assert net.name == "a name"
    assert net.levels["<x>"] == ("<5", ">=7.5", "Asy/Patch", "two words", 'say "{;}" \\ \n')


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "problem"),
    [
        ("network", "<xml>", 1, 1, "expected 'network', found '<xml>'"),
        ("variable rain", "variables rain", 3, 1, "expected 'variable' or 'probability', found 'variables'"),
        ("variable rain {", "variable {", 3, 10, "expected the name of a variable, found '{'"),
        ("variable grass", "variable rain", 6, 10, "the variable 'rain' is declared twice"),
        ("type discrete [ 3 ]", "type continuous [ 3 ]", 7, 8, "expected 'discrete', found 'continuous'"),
        ("[ 3 ]", "[ three ]", 7, 19, "expected the number of levels, found 'three'"),
        ("[ 3 ]", "[ 4 ]", 7, 19, "4 levels are announced and 3 are listed"),
        ("wet, damp", "wet, wet", 7, 30, "the level 'wet' is listed twice"),
        ("  type discrete [ 3 ] { wet, damp, dry };\n", "", 6, 10, "the variable 'grass' has 0 types"),
        ("( rain )", "( ruin )", 9, 15, "the variable 'ruin' is not declared. Did you mean 'rain'?"),
        ("grass | rain", "grass | rain, rain", 12, 29, "'rain' stands twice in one list of parents"),
        ("grass | rain", "grass | grass", 12, 23, "'grass' stands twice in one list of parents"),
        ("( grass | rain ) {", "( grass | rain {", 12, 28, "expected the name of a variable, found '{'"),
        ("(yes)", "(Yes)", 13, 4, "'Yes' is not a level of 'rain'. Did you mean 'yes'?"),
        ("(yes)", "(yes, no)", 13, 9, "expected ')', found 'no'"),
        ("(no)", "(yes)", 14, 3, "a second row for this configuration of the parents"),
        ("0.25, 0.25, 0.5", "0.25, 0.5", 14, 17, "expected number 3 of 3, found ';'"),
        ("0.25, 0.25, 0.5", "0.25, 0.25, 0.25, 0.25", 14, 26, "expected ';', found '0.25'"),
        ("0.025;", "0.025", 14, 3, "expected ';', found '('"),
        ("0.075", "0,075", 13, 21, "expected ';', found '0.025'"),
        ("0.2, 0.8", "0.2, x", 10, 14, "expected number 2 of 2, found 'x'"),
        ("0.2, 0.8", "0.2, 0.9", 10, 9, "the probabilities add up to 1.1, not to 1"),
        ("0.2, 0.8", "-0.2, 1.2", 10, 9, "-0.2 is not a probability"),
        ("0.25, 0.25, 0.5", "nan, 0.5, 0.5", 14, 8, "nan is not a probability"),
        ("0.25, 0.25, 0.5", "0.25, 0.25, 0.50001", 14, 8, "the probabilities add up to 1.00001, not to 1"),
        ("  (no) 0.25, 0.25, 0.5;\n", "", 14, 1, "'grass' has no row for (no)"),
        ("table 0.2, 0.8;", "", 11, 1, "'rain' has no table"),
        ("table 0.2, 0.8;", "table 0.2, 0.8; table 0.2, 0.8;", 11, 1, "are given more than once"),
        ("  (no)", "  table 1 1 0 0 0 0; (no)", 15, 1, "are given more than once"),
        ("probability ( grass | rain )", "probability ( rain )", 12, 15, "'rain' has two probability blocks"),
        ("dry };", "dry };\n/* no end", 8, 1, "this comment is never closed"),
        ("{ wet", '{ "wet', 7, 25, "this quote is never closed"),
        ("  (no) 0.25, 0.25, 0.5;\n}\n", "", 13, 27, "expected '}', found the end of the file"),
    ],
)
def test_a_broken_file_gets_line_and_column(old, new, line, column, problem):
    assert old in WEATHER
    with pytest.raises(NetworkError) as caught:
        read(WEATHER.replace(old, new, 1))
    assert str(caught.value).startswith(f"<text>, line {line}, column {column}: ")
    assert problem in str(caught.value)


def test_a_variable_without_probabilities():
    with pytest.raises(NetworkError, match="line 11, column 2: the variable 'grass' has no probability block"):
        read(WEATHER[: WEATHER.index("probability ( grass")].rstrip())


def test_a_cycle_is_named():
    text = WEATHER.replace("probability ( rain ) {\n  table", "probability ( rain | grass ) {\n  default")
    with pytest.raises(NetworkError, match="cycle"):
        read(text)


def test_a_default_cannot_ask_for_a_terabyte():
    names = [f"x{i}" for i in range(60)]
    variables = [f"variable {x} {{ type discrete [2] {{ a, b }}; }}" for x in (*names, "y")]
    roots = [f"probability ( {x} ) {{ table 1 0; }}" for x in names]
    child = f"probability ( y | {' '.join(names)} ) {{ default 0.5 0.5; }}"
    with pytest.raises(NetworkError, match="would have 2305843009213693952 cells"):
        read(" ".join(["network big {}", *variables, *roots, child]))


def test_files_plain_and_compressed(tmp_path):
    net = paucal.load_network("child")
    for name in ("child.bif", "child.bif.gz"):
        path = tmp_path / name
        paucal.write_bif(net, path)
        assert paucal.read_bif(path) == net
        assert paucal.read_bif(str(path)).name == "child"
    assert gzip.decompress((tmp_path / "child.bif.gz").read_bytes()) == (tmp_path / "child.bif").read_bytes()
    (tmp_path / "renamed.bif").write_bytes((tmp_path / "child.bif.gz").read_bytes())
    assert paucal.read_bif(tmp_path / "renamed.bif") == net
    with (tmp_path / "child.bif.gz").open("rb") as file:
        assert paucal.read_bif(file) == net
    with pytest.raises(NetworkError, match="line 1, column 1: expected 'network', found 'net'"):
        paucal.read_bif(io.BytesIO(b"\xef\xbb\xbfnet"))


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(FileError, match="No such file"):
        paucal.read_bif(tmp_path / "absent.bif")
    with pytest.raises(FileError, match="cannot be read"):
        paucal.read_bif("a\0b")
    with pytest.raises(FileError, match="cannot be read"):
        paucal.read_bif(tmp_path)
    with pytest.raises(FileError, match="cannot be written"):
        paucal.write_bif(paucal.load_network("asia"), tmp_path / "absent" / "asia.bif")
    whole = gzip.compress(WEATHER.encode())
    for damaged in (whole[:20], whole[:30] + b"\xff" * 20 + whole[50:]):
        with pytest.raises(FileError, match="damaged"):
            paucal.read_bif(io.BytesIO(damaged))


def test_old_encodings_are_asked_for():
    content = WEATHER.replace("damp", "humide_à_moitié").encode("latin-1")
    with pytest.raises(FileError, match="encoding='latin-1'"):
        paucal.read_bif(io.BytesIO(content))
    assert paucal.read_bif(io.BytesIO(content), encoding="latin-1").levels["grass"][1] == "humide_à_moitié"


@settings(deadline=None, max_examples=200)
@given(networks())
def test_a_round_trip_is_exact(net):
    again = read(text_of(net))
    assert again == net
    assert again.name == net.name
    for node in net.names:
        assert again.cpts[node].tobytes() == net.cpts[node].tobytes()


def test_rows_that_need_scaling_survive_round_trips():
    thirds = WEATHER.replace("0.25, 0.25, 0.5", "0.3333333, 0.3333333, 0.3333333")
    net = read(thirds)
    assert abs(net.cpts["grass"][1].sum() - 1.0) < 1e-15
    assert np.array_equal(read(text_of(net)).cpts["grass"], net.cpts["grass"])


FRAGMENTS = [
    "{",
    "}",
    "(",
    ")",
    ";",
    "|",
    "[",
    "]",
    ",",
    '"',
    "/*",
    "*/",
    "//",
    "\\",
    "\0",
    "table",
    "default",
    "property",
]
FRAGMENTS += [
    "variable",
    "probability",
    "type",
    "nan",
    "inf",
    "-1",
    "1e999",
    "99999999999",
    "²",
    "é",
    " ",
    "\n",
    "yes",
    "True",
]


@settings(deadline=None, max_examples=400)
@given(
    st.sampled_from([WEATHER, text_of(paucal.load_network("cancer")), text_of(paucal.load_network("asia"))]),
    st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(FRAGMENTS) | st.text(max_size=3)),
        min_size=1,
        max_size=4,
    ),
)
def test_mutated_texts_give_networks_or_errors_of_ours(text, mutations):
    for place, length, new in mutations:
        start = int(place * len(text))
        text = text[:start] + new + text[start + length :]
    try:
        net = read(text)
    except NetworkError:
        return
    assert read(text_of(net)) == net


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=60) | st.binary(max_size=60).map(lambda tail: b"\x1f\x8b" + tail))
def test_any_bytes_give_errors_of_ours(content):
    with pytest.raises((NetworkError, FileError)):
        paucal.read_bif(io.BytesIO(content))
