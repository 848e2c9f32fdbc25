"""Knowledge in words: what each word forbids, what contradicts, and the same words in Python, shell and recipe."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paucal
from paucal import Knowledge
from paucal.errors import KnowledgeError, UnknownNameError
from paucal.search.recipe import Recipe

NODES = tuple("abcdefg")


@st.composite
def knowledge(draw, nodes=NODES):
    """Draw knowledge that does not contradict itself: whatever was refused is left out."""
    some = st.lists(st.sampled_from(nodes), unique=True, max_size=3)
    pair = st.lists(st.sampled_from(nodes), unique=True, min_size=2, max_size=2)
    order = draw(st.permutations(nodes))
    cuts = sorted(draw(st.sets(st.integers(1, len(nodes) - 1), max_size=2)))
    lists = [list(order[a:b]) for a, b in itertools.pairwise([0, *cuts, len(nodes)])]
    parts = {
        "outcome": draw(some),
        "exogenous": draw(some),
        "randomised": draw(some),
        "same": draw(st.lists(pair, max_size=2)),
        "time": lists if draw(st.booleans()) else [],
        "required": [tuple(draw(pair))] if draw(st.booleans()) else [],
        "forbidden": [tuple(p) for p in draw(st.lists(pair, max_size=3))],
    }
    known = Knowledge()
    for word, part in parts.items():
        try:
            known |= Knowledge(**{word: part})
        except KnowledgeError:
            continue
    return known


def test_each_word_forbids_its_arrows():
    nodes = ["age", "rx", "bp1", "bp2", "death"]
    known = Knowledge(outcome=["death"], background=["age"], randomised=["rx"], time=[["bp1"], ["bp2"]])
    forbidden = {(a, b) for a, b in itertools.permutations(nodes, 2) if known.forbids(a, b)}
    wanted = {("death", b) for b in nodes} | {(a, t) for a in nodes for t in ("age", "rx")} | {("bp2", "bp1")}
    assert forbidden == {(a, b) for a, b in wanted if a != b}
    assert known == Knowledge(
        outcome=["death"], exogenous=["age"], randomised=["rx"], time={"1": ["bp1"], "2": ["bp2"]}
    )


def test_the_same_thing_is_one_group_however_it_is_said():
    known = Knowledge(same=[("a", "b"), ("c", "d"), ("b", "c")])
    assert all(known.keeps_apart(x, y) for x, y in itertools.permutations("abcd", 2))
    assert not known.forbids("a", "e")


def test_what_is_kept_apart_where_causes_may_be_hidden():
    known = Knowledge(outcome=["o", "p"], exogenous=["e", "f"], randomised=["r", "s"], same=[("u", "v")])
    apart = {(x, y) for x, y in itertools.combinations("efopruvs", 2) if known.keeps_apart(x, y)}
    # neither causes the other, but a hidden cause may join them: e and f, o and p
    assert apart == {("e", "r"), ("e", "s"), ("f", "r"), ("f", "s"), ("r", "s"), ("u", "v")}
    for x, y in (("e", "f"), ("o", "p")):
        assert known.forbids_adjacency(x, y)


@given(known=knowledge())
def test_questions_and_matrices_agree(known):
    forbidden, apart = known.forbidden_matrix(NODES), known.apart_matrix(NODES)
    for (i, a), (j, b) in itertools.permutations(enumerate(NODES), 2):
        assert known.forbids(a, b) == forbidden[i, j]
        assert known.keeps_apart(a, b) == apart[i, j]
    assert (apart == apart.T).all()
    assert not (apart & ~(forbidden & forbidden.T)).any()


@given(known=knowledge(), kept=st.lists(st.sampled_from(NODES), unique=True, min_size=1))
def test_a_part_of_the_columns_keeps_its_part_of_the_knowledge(known, kept):
    part = known.about(kept)
    where = np.ix_(*(2 * [[NODES.index(v) for v in kept]]))
    # two columns that a third one makes the same thing are so no longer: nothing else is lost
    lost = known.forbidden_matrix(NODES)[where] & ~part.forbidden_matrix(kept)
    assert not (lost & ~known.same_matrix(NODES)[where]).any()
    assert not (part.forbidden_matrix(kept) & ~known.forbidden_matrix(NODES)[where]).any()


@pytest.mark.parametrize(
    ("parts", "first", "second"),
    [
        ({"outcome": ["a"], "exogenous": ["a"]}, "a is an outcome", "a is exogenous"),
        ({"outcome": ["a"], "background": ["a"]}, "a is an outcome", "a is exogenous"),
        ({"outcome": ["a"], "randomised": ["a"]}, "a is an outcome", "a is randomised"),
        ({"outcome": ["a"], "required": [("a", "b")]}, "a -> b is required", "a is an outcome"),
        ({"exogenous": ["b"], "required": [("a", "b")]}, "a -> b is required", "b is exogenous"),
        ({"randomised": ["b"], "required": [("a", "b")]}, "a -> b is required", "b is randomised"),
        ({"time": [["b"], ["a"]], "required": [("a", "b")]}, "a -> b is required", "a is in a later wave than b"),
        ({"time": {"then": ["b"], "now": ["a"]}, "required": [("a", "b")]}, "a -> b", r"wave \(now\) than b \(then\)"),
        (
            {"time": [["c"], ["a"]], "required": [("a", "b"), ("b", "c")]},
            "a -> b -> c is",
            "a is in a later wave than c",
        ),
        ({"time": {"then": ["a"], "now": ["a"]}}, "'a' is in the waves 'then'", "'now'"),
        ({"time": {1: ["a"], "1": ["b"]}}, "Two waves have one name", "'1', '1'"),
        ({"same": [("a", "b")], "required": [("a", "b")]}, "a -> b is required", "measure the same thing"),
        ({"time": [["a"], ["b"]], "tiers": [["b"], ["a"]]}, "earlier tier than a", "later wave than a"),
        ({"time": [["a", "c"], ["b", "c"]]}, "'c' is in the waves 1", "and 2"),
        ({"time": [["a", "b"], ["c", "c"]]}, "'c' stands twice", "wave 2"),
        ({"same": [("a", "a")]}, "same has", "not a pair of columns"),
        ({"outcome": "death"}, "outcome='death' is not a list", r"outcome=\[\"death\"\]"),
        ({"exogenous": [1]}, "exogenous has 1", "not a name"),
    ],
)
def test_contradictions_name_both_sentences(parts, first, second):
    with pytest.raises(KnowledgeError, match=f"(?s){first}.*{second}"):
        Knowledge(**parts)


def test_two_pieces_of_knowledge_are_put_together():
    both = Knowledge(outcome=["d"], required=[("a", "b")]) | Knowledge(outcome=["e"], time=[["a"], ["d"]])
    assert both == Knowledge(outcome=["d", "e"], required=[("a", "b")], time=[["a"], ["d"]])
    with pytest.raises(KnowledgeError, match="time is said twice"):
        Knowledge(time=[["a"], ["b"]]) | Knowledge(time=[["b"], ["a"]])
    with pytest.raises(KnowledgeError, match="is required, but a is an outcome"):
        Knowledge(required=[("a", "b")]) | Knowledge(outcome=["a"])


def test_waves_keep_their_names():
    waves = {"visit 1": ["age", "rx"], "visit 2": ["pain"]}
    known = Knowledge(time=waves, outcome=["death"])
    assert known == Knowledge(time=list(waves.values()), outcome=["death"])  # what is known is the same
    assert known.wave_names == ("visit 1", "visit 2")
    assert known.to_dict() == {"outcome": ["death"], "time": waves}
    assert Knowledge.from_text(known.to_text()).to_dict() == known.to_dict()
    assert Knowledge.from_text('[time]\n"visit 1" = ["age", "rx"]\n"visit 2" = ["pain"]').wave_names == known.wave_names
    assert (Knowledge(exogenous=["age"]) | known).to_dict()["time"] == waves
    assert (Knowledge(time=list(waves.values())) | known).to_dict()["time"] == waves
    assert known.about(["pain", "rx"]).to_dict()["time"] == {"visit 1": ["rx"], "visit 2": ["pain"]}
    assert "visit 1: age rx, visit 2: pain" in known._repr_html_()
    recipe = Recipe.of("pc-stable", knowledge=known)
    for again in (Recipe.from_toml(recipe.to_toml()), Recipe.from_dict(recipe.to_dict())):
        assert again.knowledge.to_dict() == known.to_dict()


@given(known=knowledge())
def test_recipes_keep_every_word(known):
    recipe = Recipe.of("pc-stable", knowledge=known)
    assert Recipe.from_toml(recipe.to_toml()) == recipe
    assert Recipe.from_dict(recipe.to_dict()).knowledge == known
    data, asked = object(), {}
    exec(  # noqa: S102 - a recipe prints as the call that runs it
        str(recipe),
        {"paucal": type("", (), {"learn": staticmethod(lambda _, **words: asked.update(words))}), "data": data},
    )
    assert Recipe.of(**asked).knowledge == (known or None)


def test_words_are_arguments_of_every_call():
    data = paucal.load_network("asia").sample(300, seed=1)
    words = {"outcome": ["dysp"], "exogenous": ["asia", "smoke"]}
    known = Knowledge(**words)
    assert paucal.learn(data, "pc-stable", **words).knowledge == known
    assert (
        paucal.learn(data, "pc-stable", knowledge=Knowledge(outcome=["dysp"]), background=["asia", "smoke"]).knowledge
        == known
    )
    assert paucal.bootstrap(data, "pc-stable", replicates=2, **words).knowledge == known
    assert paucal.blanket(data, "either", **words).result.knowledge == known
    assert {r.result.knowledge for r in paucal.blankets(data, ["tub", "lung"], **words).values()} == {known}
    with pytest.raises(UnknownNameError, match="Did you mean 'smoke'"):
        paucal.learn(data, outcome=["smok"])
    with pytest.raises(UnknownNameError, match="Did you mean 'smoke'"):
        paucal.blanket(data, "tub", exogenous=["smok"])


def test_a_recipe_with_an_unknown_word_is_refused():
    with pytest.raises(UnknownNameError, match="Did you mean 'outcome'"):
        Recipe.from_toml('search = "pc-stable"\n[knowledge]\noutcomes = ["a"]')
