"""The experiments of the paper: grids as data, runs that resume, our numbers beside the printed ones.

* `published.py`  every number that the paper prints
* `design.py`     what a cell of a grid is, its key, its seeds; the scope of a run
* `cells/`        what is computed in one cell: a graph, a blanket, a table of synthetic data, a classifier
* `store.py`      the file that finished cells are appended to
* `run.py`        the cells that are missing, in parallel, with progress
* `catalogue.py`  all experiments by name, and running them
* `discovery.py`  `tuned.py`  `checks.py`  `classification.py`  `polya.py`  `null_distribution.py`  `estimation.py`
  `rejection.py`  the experiments: which cells they need, and what they say about the results
* `methods.py`    the methods of the tables; `grid.py` networks, sizes, methods and runs
* `comparison.py`  our numbers beside the paper's
* `summary.py`    means, standard deviations and paired differences of finished cells
* `tables.py`     tables as values; `render.py` writes them as text, Markdown, CSV, LaTeX and HTML
* `figures.py`    figures (matplotlib)
* `notes.py`      where the paper leaves a choice, and what was chosen; its slips
* `page.py`       the page that sums up all reports of a folder
"""
