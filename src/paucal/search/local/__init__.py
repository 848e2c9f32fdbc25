"""Searches around one column: functions `(run, target, *, max_order, ...) -> Found`, by column number.

* `blanket.py`        the calls `blanket` and `blankets`, which run any of them; `result.py` what they return
* `cmb.py`            parents, children, undetermined neighbours and spouses, by the other searches here
* `hiton.py`  `mmmb.py`  `iamb.py`  `stmb.py`  blankets without directions
* `neighbourhood.py`  candidates of a node, their symmetry, the spouses behind them; what is found before it is a result
"""
