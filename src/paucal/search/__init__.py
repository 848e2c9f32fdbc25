"""Searches: from answers of a test, or from scores, to a graph with what speaks for it.

* `by_tests/`, `by_scores/`, `local/`  the searches; `catalogue.py` names them
* `recipe.py`      what is run, as one value; `plain.py` writes it, and results
* `learn.py`       the call that runs any recipe on anything; `choice.py` chooses the search, `bootstrap.py` repeats it
* `run.py`         what every search by tests keeps while it works: the clock, its books, reasons, progress
* `parallel.py`    the same work for many targets or replicates, in several processes
* `result.py`      SearchResult: graph, evidence, recipe; `evidence/` what speaks for it, and why marks are there
* `estimators.py`  the same with scikit-learn's protocol
"""
