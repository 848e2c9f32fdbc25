"""Searches: from the answers of a test to a graph.

A search is a function `(test, *, knowledge, max_order, progress, ...) -> SearchResult`. It sees a `CITest`
and nothing else, so an oracle, a kernel on data or a user's function can stand behind it.

* `result.py`    SearchResult; `sepsets.py` its separating sets, `exchange.py` its JSON
* `explain.py`   why a mark or an absence is there: reasons while searching, explanations afterwards
* `run.py`       what every search keeps while it works: clock, ledger, progress
* `skeleton.py`  which pairs are joined: level-wise, stable or with deletions at once
* `orient.py`    colliders, knowledge, Meek's rules, and the repair that makes every result a CPDAG
* `colliders.py`  which unshielded triples collide; `separators.py`, `limits.py`, `blocks.py` serve them
* `pc.py`  `rai.py`  `sc_pc.py`  `mmhc.py`  the algorithms
* `fci.py`       hidden common causes: `possible_d_sep.py`, `triples.py` its stages, `pag_reasons.py` its reasons
* `blanket.py`   Markov blankets: `cmb.py`, `hiton.py`, `mmmb.py`, `iamb.py`, `stmb.py`, on `neighbourhood.py`; what
  they find is in `local.py`, what they return in `blanket_result.py`
* `scores.py`  `hill_climbing.py`  scores of a graph on data, and the greedy search for a good one
* `registry.py`  names of searches, and `learn`
* `estimators.py`  the same with scikit-learn's protocol
"""
