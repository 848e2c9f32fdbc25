"""The report: one self-contained HTML page about a result, or about two of them.

* `page.py`        the page as a whole; `comparison.py` two results on one page
* `answer.py`      what was found and what to doubt, in words
* `tables.py`      edges and blanket members; `decidable.py` what the data can decide; `missing.py` gaps
* `behind.py`      what stands behind an edge; `evidence.py` what is known about each pair, for the page's script
* `lanes.py`       lanes and groups of columns; `meanings.py` what the marks of a graph mean
* `provenance.py`  what was run, how to cite
* `text.py`        untrusted names on a page
* `templates/`     the HTML; `static/` style and script, which is built from `web/`
"""

from paucal.report.comparison import comparison, write_comparison
from paucal.report.page import page, write_report

__all__ = ["comparison", "page", "write_comparison", "write_report"]
