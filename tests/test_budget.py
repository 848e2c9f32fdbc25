"""What a search may spend: it ends in time, with what it has, says so, and stays within its memory."""

import os
import signal
import time
import warnings
from itertools import combinations, islice

import numpy as np
import pytest

import paucal
from gappy_data import with_gaps
from paucal import errors
from paucal.independence.answers import Answer, Around
from paucal.independence.budget import Allowance, Budget
from paucal.independence.ledger import Ledger
from paucal.search.by_tests import colliders
from paucal.search.evidence.sepsets import Sepsets
from paucal.search.run import FEW_MILLION, SearchRun

BY_TESTS = ("pc", "pc-stable", "rai", "sc-pc", "mmhc", "mmpc", "fci", "cfci")
BY_SCORES = ("hill-climbing", "order", "posterior")


@pytest.fixture(autouse=True)
def ctrl_c():
    """Let Ctrl-C do what it does at a terminal: who is started in the background may have been told to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def dense():
    """Columns that are noisy copies of one another: every set of neighbours is worth a question."""
    rng = np.random.default_rng(0)
    base = rng.integers(0, 2, 500)
    columns = {f"c{i}": np.where(rng.random(500) < 0.2, 1 - base, base) for i in range(24)}
    return paucal.Dataset.of(columns)


@pytest.fixture(scope="module")
def stubborn():
    """A test of 14 copies of one column, which nothing separates, and 22 columns that have nothing to do with them."""
    rng = np.random.default_rng(0)
    base = rng.integers(0, 2, 600)
    columns = {f"copy{i}": base for i in range(14)} | {f"c{i}": rng.integers(0, 2, 600) for i in range(22)}
    return paucal.make_test(paucal.Dataset.of(columns), "g")


OTHERS = list(range(14, 36))  # the columns without copies


@pytest.mark.parametrize("search", BY_TESTS)
def test_a_search_ends_after_so_many_tests_and_says_so(dense, search):
    result = paucal.learn(dense, search, max_tests=3000)
    assert result.ledger.n_calls == 3000
    assert "3,000 tests, with a limit of 3,000" in result.unfinished
    assert "unfinished: stopped" in result.summary()
    assert repr(result).endswith("unfinished)")
    assert paucal.SearchResult.from_json(result.to_json()).unfinished == result.unfinished
    assert result.recipe.max_tests == 3000
    assert "max_tests=3000" in repr(result.recipe)
    assert paucal.Recipe.from_toml(result.recipe.to_toml()) == result.recipe


@pytest.mark.parametrize("search", [*BY_TESTS, *BY_SCORES])
def test_a_search_ends_after_so_many_seconds(dense, search):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.PaucalWarning)
        result = paucal.learn(dense, search, max_seconds=1e-6)
    assert result.unfinished.startswith("stopped after")


@pytest.mark.parametrize("search", ["cmb", "hiton", "mmmb", "iamb", "inter-iamb", "fast-iamb", "stmb"])
def test_so_does_a_search_around_a_column(dense, search):
    found = paucal.blanket(dense, "c3", search=search, max_order=None, max_tests=20)
    assert found.ledger.n_calls <= 20
    assert found.result.unfinished is not None


@pytest.mark.parametrize("stage", ["order search", "tables of possible parents", "burn-in", "sampling"])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_posterior_ends_in_any_of_its_stages(monkeypatch, stage, threads):
    data = paucal.load_network("alarm").sample(300, seed=1)
    whole = paucal.learn(data, "posterior", starts=10, tolerance=1)

    def out_of_time(budget):
        budget.why = "seconds"
        return True

    def progress(now, *_):
        if now == stage:
            monkeypatch.setattr(Budget, "spent", property(out_of_time))

    told = {"starts": 10, "tolerance": 1, "max_seconds": 1e6, "threads": threads}
    cut = paucal.learn(data, "posterior", progress=progress, **told)
    assert cut.unfinished.endswith(f"in the stage {stage!r}")
    assert cut.details["rounds"] < whole.details["rounds"]
    assert cut.evidence.n_graphs < whole.evidence.n_graphs
    assert 2 <= len(cut.graphs) <= 100  # one of each chain at least
    assert stage == "order search" or cut.graph.n_edges > 20  # what it had
    assert paucal.SearchResult.from_json(cut.to_json()).unfinished == cut.unfinished


def test_the_posterior_of_a_dense_table_keeps_to_its_limit():
    rng = np.random.default_rng(0)
    base = rng.integers(0, 2, 500)
    columns = {f"c{i}": np.where(rng.random(500) < 0.1, 1 - base, base) for i in range(150)}
    stages = []
    began = time.process_time()
    result = paucal.learn(
        columns, "posterior", as_is=True, max_seconds=0.5, progress=lambda stage, *_: stages.append(stage)
    )
    assert result.unfinished.startswith("stopped after")
    assert set(stages) <= {"order search", "tables of possible parents"}
    assert time.process_time() - began < 20  # without a limit it takes minutes


@pytest.mark.filterwarnings("ignore::paucal.errors.ConvergenceWarning")
@pytest.mark.parametrize("threads", [1, 2])
def test_so_does_the_posterior_where_values_are_missing(threads):
    sample = paucal.load_network("asia").sample(200, seed=2)
    data = with_gaps(sample, 0.15)
    result = paucal.learn(data, "posterior", max_seconds=1e-6, threads=threads)
    assert result.unfinished.startswith("stopped after")
    assert result.details["missing"]["fillings"] == 3
    assert len(result.graphs) >= 3


def test_a_search_that_comes_to_its_end_is_finished(dense):
    assert paucal.learn(dense, "pc-stable", max_order=1, max_tests=10**9, max_seconds=1e6).unfinished is None


def test_the_result_is_the_same_for_any_number_of_threads(dense):
    one, other = (paucal.learn(dense, "pc-stable", max_tests=5000, threads=threads) for threads in (1, 3))
    assert one.graph == other.graph
    assert one.evidence.to_plain() == other.evidence.to_plain()


def test_what_was_not_tested_stays_joined(dense):
    before = paucal.learn(dense, "pc-stable", max_order=1).graph
    cut = paucal.learn(dense, "pc-stable", max_tests=400).graph
    assert all(cut.edge(edge.a, edge.b) is not None for edge in before.edges())


def test_the_page_says_that_a_search_is_unfinished(dense, tmp_path):
    page = tmp_path / "page.html"
    paucal.learn(dense, "pc-stable", max_tests=100).report(page)
    assert "The search is unfinished: stopped after 100 tests" in page.read_text()


def test_limits_are_checked():
    for name, value in (("max_seconds", 0), ("max_seconds", "5"), ("max_tests", 0), ("max_tests", 1.5)):
        with pytest.raises(errors.ParameterError, match=name):
            paucal.Recipe.of("pc-stable", **{name: value})
    with pytest.raises(errors.ParameterError, match="uses no tests"):
        paucal.Recipe.of("order", max_tests=10)
    for options in ({"starts": 10**9}, {"rounds": 10**9}, {"chains": 10**9}, {"fillings": 10**9}):
        with pytest.raises(errors.ParameterError, match="is not a whole number"):
            paucal.learn({"a": [0, 1] * 9, "b": [0, 1, 1] * 6}, "posterior", as_is=True, **options)


def test_a_bootstrap_ends_with_the_replicates_it_has(dense):
    result = paucal.bootstrap(dense, "pc-stable", replicates=50, max_order=0, max_seconds=1e-6)
    assert result.evidence.n_graphs == 2
    assert "bootstrap" in result.unfinished


class _Impatient:
    """Presses Ctrl-C once the search has told of its progress so many times."""

    def __init__(self, times):
        self.times = times

    def __call__(self, *_):
        self.times -= 1
        if self.times == 0:
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("search", ["pc-stable", "rai", "fci", "mmhc", "order", "posterior"])
def test_ctrl_c_gives_what_there_is(dense, search):
    with pytest.raises(paucal.Interrupted) as caught:
        paucal.learn(dense, search, progress=_Impatient(2))
    assert isinstance(caught.value, KeyboardInterrupt)
    assert caught.value.result.unfinished.startswith("interrupted after")
    assert caught.value.result.recipe.search == search
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_within_one_long_call_of_the_kernel(stubborn):
    def search():
        with SearchRun("by hand", stubborn, progress=_Impatient(2)) as run:
            run.progress("a long call", 0)
            run.test.first_separator(0, 1, OTHERS, 7)
            return run.result(paucal.Graph.pdag(stubborn.names, []), Sepsets(stubborn.names, {}))

    with pytest.raises(paucal.Interrupted) as caught:
        search()
    assert 0 < caught.value.result.ledger.n_calls < 170_544


def test_ctrl_c_around_a_column(dense):
    with pytest.raises(paucal.Interrupted) as caught:
        paucal.blanket(dense, "c3", progress=_Impatient(1))
    assert caught.value.result.target == "c3"


def test_the_second_ctrl_c_is_an_ordinary_one(dense):
    def twice(*_):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as caught:
        paucal.learn(dense, "pc-stable", progress=twice)
    assert not isinstance(caught.value, paucal.Interrupted)


def test_before_millions_of_sets_the_search_says_how_long_they_take(dense):
    told = []
    with SearchRun("by hand", paucal.make_test(dense, "g"), progress=lambda *place: told.append(place)) as run:
        run.expect("order 0", FEW_MILLION + 1)  # nothing is known yet about how long a question takes
        run.test.ask(0, 1)
        with pytest.warns(
            errors.LongSearchWarning, match=r"'order 0' has up to 4,000,001 sets to test, which may take"
        ):
            run.progress("order 0", 1, 2)
        assert told[-1] == ("order 0, sets", 1, 4_000_001)
        with pytest.warns(errors.LongSearchWarning, match="days"):
            run.expect("order 9", 1e15)
        run.expect("order 1", 10)


def test_an_order_of_millions_is_announced_by_a_search():
    rng = np.random.default_rng(1)
    base = rng.integers(0, 2, 1000)
    data = {f"c{i}": np.where(rng.random(1000) < 0.2, 1 - base, base) for i in range(60)}
    with pytest.warns(errors.LongSearchWarning, match="'order 2'"):
        paucal.learn(paucal.Dataset.of(data), "pc-stable", test="g", max_tests=210_000)


@pytest.mark.slow
def test_the_memory_of_answers_has_a_ceiling(stubborn):
    """Two and a half million answers to different questions: the memory begins anew, and forgets."""
    tester = stubborn.tester.again()
    around = np.zeros((36, 36), dtype=np.uint8)
    around[0, OTHERS] = 1
    one = np.array([0], dtype=np.uint32)
    first = tester.search(one, one + 1, one, around, 7, 1)
    again = tester.search(one, one + 1, one, around, 7, 1)
    assert first[4][:2] == (170_544, 170_544)
    assert again[4][:2] == (170_544, 0)  # remembered
    for other in range(2, 14):
        tester.search(one, one + other, one, around, 7, 1)
    forgotten = tester.search(one, one + 1, one, around, 7, 1)
    assert forgotten[4][1] == 170_544
    assert all(np.array_equal(a, b) for a, b in zip(first[3], forgotten[3], strict=True))


def test_a_long_call_is_watched_and_ended(stubborn):
    asked = []

    def look(done):
        asked.append(done)
        return len(asked) > 2

    found, _, _, tally = stubborn.tester.again().first_separator(0, 1, OTHERS, 7, 10**9, look)
    assert not found
    assert 0 < tally[0] < 170_544
    assert asked == sorted(asked)


def test_a_call_asks_no_more_sets_than_it_may(stubborn):
    *_, tally = stubborn.tester.again().first_separator(0, 1, OTHERS, 7, 1000)
    assert tally[0] == 1000


def test_what_a_watcher_raises_comes_through(stubborn):
    def look(_done):
        raise RuntimeError("enough")

    around = np.zeros((36, 36), dtype=np.uint8)
    around[:, OTHERS] = 1
    x = np.arange(6, dtype=np.uint32)
    for threads in (1, 3):
        with pytest.raises(RuntimeError, match="enough"):
            stubborn.tester.again().search(x, x + 6, x, around, 7, threads, 10**9, look)


@pytest.mark.parametrize("kind", [ValueError, IndexError, TypeError, KeyError])
@pytest.mark.parametrize("threads", [1, 3])
def test_what_a_function_told_of_progress_raises_is_no_refused_question(stubborn, kind, threads):
    """Questions are asked by every call that takes long; what the function raises keeps its own cause, too."""
    reason = OSError("disk full")

    def tell(_done):
        raise kind("of the user") from reason

    around = np.zeros((36, 36), dtype=bool)
    around[:, OTHERS] = around[OTHERS, :] = True
    x = np.arange(6)
    calls = {
        "ask_many": lambda test: test.ask_many(*_every_question(100_000)),
        "first_separator": lambda test: test.first_separator(0, 1, OTHERS, 7),
        "grow": lambda test: test.grow([Around(0, [1, 2], OTHERS)], range(7, 8)),
        "search": lambda test: test.search(x, x + 6, x, around, 7),
        "thin": lambda test: test.thin(x, x + 6, around, 7),
    }
    for name, call in calls.items():
        test = stubborn.with_own_books()
        test.tester, test.threads = stubborn.tester.again(), threads
        test.budget = Budget(Allowance(), tell=tell)
        with pytest.raises(kind, match="of the user") as caught:
            call(test)
        assert type(caught.value) is kind, name
        assert caught.value.__cause__ is reason, name


def _every_question(n):
    sets = np.array(list(islice(combinations(OTHERS, 7), n)))
    return np.zeros(n, dtype=int), np.ones(n, dtype=int), sets[:n]


def test_books_of_very_many_single_questions_keep_what_decided(monkeypatch):
    from paucal.independence import ledger

    monkeypatch.setattr(ledger, "_MOST_KEPT", 50)
    books = Ledger(("a", "b", "c"), _most=50)
    for i in range(1000):
        near = -abs(i - 700.0)
        books.enter(0, 1, (2,), Answer(0.0, 1.0, 0.01, 0.05, near, 1, 1, 0), fresh=True)
    kept = list(books.records())
    assert len(kept) <= 60
    assert max(record.answer.nearness for record in kept) == 0.0
    assert books.n_tests == 1000


def test_a_skeleton_with_too_many_triples_is_left_without_directions(monkeypatch):
    monkeypatch.setattr(colliders, "_MOST_TRIPLES", 10)
    result = paucal.learn(paucal.load_network("alarm").sample(500, seed=1), "pc-stable")
    assert "too many to look for colliders" in result.unfinished


@pytest.mark.parametrize("search", ["pc", "pc-stable", "rai", "sc-pc"])
def test_a_large_skeleton_that_was_hardly_tested_has_no_directions(search):
    rng = np.random.default_rng(0)
    wide = paucal.Dataset.of({f"c{i}": rng.integers(0, 2, 50) for i in range(150)})
    result = paucal.learn(wide, search, max_tests=100)
    assert "100 tests" in result.unfinished
    assert (result.graph.kind, result.graph.n_directed) == ("pdag", 0)
    assert result.graph.n_edges > 10_000
    assert paucal.SearchResult.from_json(result.to_json()) == result


def test_auto_does_not_choose_a_search_that_cannot_end(monkeypatch):
    from paucal.search import choice

    monkeypatch.setattr(choice, "AFFORDABLE", 0.0)
    rng = np.random.default_rng(0)
    base = rng.integers(0, 2, 300)
    copies = paucal.Dataset.of({f"c{i}": np.where(rng.random(300) < 0.1, 1 - base, base) for i in range(40)})
    noise = paucal.Dataset.of({f"c{i}": rng.integers(0, 2, 300) for i in range(40)})
    assert choice.choose(copies, paucal.Recipe()).search == "pc-stable"  # small enough
    monkeypatch.setattr(choice, "_MOST_TESTS", 10_000)
    chosen = choice.choose(copies, paucal.Recipe())
    assert chosen.search == "order"
    assert "could not come to an end" in chosen.reason
    assert choice.choose(noise, paucal.Recipe()).search == "pc-stable"
    monkeypatch.setattr(choice, "MOST_SCORED_COLUMNS", 10)
    assert choice.choose(copies, paucal.Recipe()).max_tests == 10_000


def test_a_graph_that_was_hardly_tested_is_not_listed_edge_by_edge():
    rng = np.random.default_rng(0)
    data = rng.integers(0, 2, (20, 800))
    result = paucal.learn(data, "pc-stable", max_tests=100, as_is=True)
    told = str(result)
    assert result.graph.n_edges > 250_000
    assert len(told) < 2000
    assert "more than the 250,000 that are listed" in told
    for write in (result.to_json, lambda: result.report("page.html")):
        with pytest.raises(errors.DataError, match=r"edges, more than the 250,000"):
            write()


@pytest.mark.parametrize("search", ["pc", "pc-stable", "mmpc"])
def test_pairs_that_nobody_tested_give_no_directions(search):
    data = paucal.load_network("asia").sample(400, seed=2)
    result = paucal.learn(data, search, test="g", max_tests=10)
    assert result.unfinished is not None and result.graph.n_edges > 10
    assert result.graph.n_directed == 0
