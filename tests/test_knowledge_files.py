"""Knowledge in the files of other programs: Tetrad, bnlearn, DAGitty; there and back."""

from __future__ import annotations

import pytest
from hypothesis import given

from paucal import Knowledge
from paucal.errors import KnowledgeError, UnknownNameError
from test_knowledge_words import NODES, knowledge

TETRAD = """/knowledge
addtemporal

1* age sex
2 smoke
3 cough cancer

forbiddirect

cough cancer   // a remark

requiredirect

smoke cancer
"""


def test_a_file_of_tetrad():
    known = Knowledge.from_text(TETRAD)
    assert known == Knowledge(
        tiers=[["age", "sex"], ["smoke"], ["cough", "cancer"]],
        forbid_within=[0],
        forbidden=[("cough", "cancer")],
        required=[("smoke", "cancer")],
    )
    assert Knowledge.from_text(known.to_text("tetrad")) == known


def test_a_tier_of_tetrad_that_causes_the_next_one_only():
    known = Knowledge.from_text("/knowledge\naddtemporal\n0- a\n1 b\n2 c\n")
    assert known.tiers == (("a",), ("b",), ("c",))
    assert known.forbidden == (("a", "c"),)


@given(known=knowledge())
def test_every_form_that_holds_it_gives_the_same_arrows_back(known):
    tetrad = Knowledge.from_text(known.to_text("tetrad", nodes=NODES))
    lists = Knowledge.from_text(known.to_text("blacklist", nodes=NODES), "blacklist")
    lists |= Knowledge.from_text(known.to_text("whitelist"), "whitelist")
    for other in (tetrad, lists):
        assert (other.forbidden_matrix(NODES) == known.forbidden_matrix(NODES)).all()
        assert (other.required_matrix(NODES) == known.required_matrix(NODES)).all()
    assert Knowledge.from_text(known.to_text()) == known


def test_lists_of_bnlearn(tmp_path):
    file = tmp_path / "white.csv"
    for text in ("from,to\nsmoke,lung cancer\n", "smoke,lung cancer\n", '"","from","to"\n"1","smoke","lung cancer"\n'):
        file.write_text(text, encoding="utf-8")
        assert Knowledge.read(file, "whitelist") == Knowledge(required=[("smoke", "lung cancer")])
        assert Knowledge.read(file, "blacklist") == Knowledge(forbidden=[("smoke", "lung cancer")])
    file.write_text("from,to\nsmoke\n", encoding="utf-8")
    with pytest.raises(KnowledgeError, match=r"white\.csv: Row 1 has 1 values"):
        Knowledge.read(file, "whitelist")


def test_graphs_of_dagitty():
    text = """dag {
    bb="0,0,1,1"
    smoke [exposure,pos="-1.2,0.3"]
    "lung cancer" [pos="0,1"]
    death [outcome,pos="1,1"]
    smoke -> "lung cancer" -> death; age -> death /* drawn
    by hand */
    age <- cohort
    }"""
    known = Knowledge.from_text(text)
    assert known.outcome == ("death",)
    assert known.required == (("smoke", "lung cancer"), ("lung cancer", "death"), ("age", "death"), ("cohort", "age"))
    assert Knowledge.from_text(known.to_text("dagitty", nodes=["x", "death"])) == known


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dag { u [latent] }", "'u' is hidden"),
        ("dag { a <-> b }", "a <-> b is not an arrow"),
        ("dag { a -- b }", "a -- b is not an arrow"),
        ("dag { a b }", "'a b' is not the name"),
        ("dag { a -> }", "'' is not the name"),
        ("dag { a", "not a DAGitty graph"),
        ("/knowledge\nx y", "is in no section"),
        ("/knowledge\naddtemporal\none a b", "'one' is not the number of a tier"),
        ("/knowledge\nforbiddirect\na b c", "'a b c' is not an arrow"),
        ("/knowledge\nrequiredirect\na b\nb a", "form the cycle"),
    ],
)
def test_broken_files_are_refused(text, message):
    with pytest.raises(KnowledgeError, match=message):
        Knowledge.from_text(text)


def test_what_a_form_cannot_hold_is_said():
    with pytest.raises(KnowledgeError, match="DAGitty has no words for exogenous, time"):
        Knowledge(exogenous=["a"], time=[["a"], ["b"]]).to_text("dagitty")
    with pytest.raises(KnowledgeError, match="DAGitty cannot read"):
        Knowledge(outcome=["a;b"]).to_text("dagitty")
    with pytest.raises(KnowledgeError, match="Tetrad cannot read the name"):
        Knowledge(tiers=[["a b"]]).to_text("tetrad")
    for form in ("tetrad", "blacklist"):
        with pytest.raises(KnowledgeError, match=r"outcome=\['a'\] is about all columns"):
            Knowledge(outcome=["a"]).to_text(form)
    with pytest.raises(UnknownNameError, match="Did you mean 'tetrad'"):
        Knowledge().to_text("tetra")
