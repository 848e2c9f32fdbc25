"""Searches that ask tests: functions `(test, *, knowledge, max_order, progress, ...) -> SearchResult`.

They see a `CITest` and nothing else, so an oracle, a kernel on data or a user's function can stand behind it.

* `pc.py`  `rai.py`  `sc_pc.py`  `mmhc.py`  `stitched.py`  the algorithms; `rai_graph.py` and `blocks.py` serve one
  each, and `mmpc.py` the last two
* `fci.py`         hidden common causes: `possible_d_sep.py` its second look, `triples.py` its colliders
* `skeleton.py`    which pairs are joined: level-wise, stable or with deletions at once
* `separators.py`  what separated the others
* `colliders.py`   which unshielded triples collide
* `orient.py`      colliders, knowledge, completion, and the repair that makes every result the class of a DAG
* `limits.py`      background knowledge between column numbers
"""
