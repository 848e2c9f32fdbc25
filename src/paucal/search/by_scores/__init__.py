"""Searches that rate graphs by a score: functions `(data, *, score, ess, knowledge, progress, ...) -> SearchResult`.

* `scores.py`         the scores, and a scorer of one node with its parents
* `hill_climbing.py`  one arrow after the other, with a tabu list if wanted
* `order.py`          the best DAG, by a search over orders; `posterior.py` samples DAGs around it
* `problem.py`        data, score and knowledge as the kernel takes them, for these two
* `consensus.py`      the graph that differs least from many: those of the posterior, and of a bootstrap
"""
