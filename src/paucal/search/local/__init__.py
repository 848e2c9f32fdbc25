"""Searches around one column: functions `(run, target, *, max_order, ...) -> Found`, by column number.

* `blanket.py`        the calls `blanket` and `blankets`, which run any of them; `result.py` what they return
* `cmb.py`            causal: parents, children, undetermined neighbours, spouses
* `hiton.py`  `mmmb.py`  neighbours found from both ends, then spouses
* `iamb.py`  `stmb.py`  the blanket as a whole, in three flavours; neighbours and spouses together
* `neighbourhood.py`  candidates of a node, their symmetry, the spouses behind them; what is found before it is a result
"""
