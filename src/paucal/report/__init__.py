"""The report: one self-contained HTML page about a result.

* `page.py`        the page as a whole
* `sections.py`    heading, graph, how to read it; `meanings.py` what the marks of a graph mean
* `tables.py`      edges and blanket members
* `decidable.py`   what the data can decide
* `provenance.py`  what was run, how to cite
* `evidence.py`    what is known about each pair, for the page's script
* `text.py`        untrusted names on a page
* `static/`        style and script
"""

from paucal.report.page import page, write_report

__all__ = ["page", "write_report"]
