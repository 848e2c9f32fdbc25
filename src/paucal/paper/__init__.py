"""The experiments of the paper: specifications, runs that resume, our numbers beside the printed ones.

* `published.py`  every number that the paper prints, from `published.toml`
* `methods.py`    the methods as recipes, from `methods.toml`; `variants/` searches as published programs run them
* `design.py`     what a cell of a grid is, its seeds; the scope of a run; `version.py` its key, and the code behind it
* `cells/`        what is computed in one cell: a graph, a blanket, a table of synthetic data, a classifier
* `store.py`      the file that finished cells are appended to
* `run.py`        the cells that are missing, in parallel, with progress
* `catalogue.py`  all experiments by name, and running them
* `networks.py`  `tuned.py`  `classification.py`  `polya.py`  `synthetic.py`  the experiments: which cells they need,
  and what they say about the results
* `summary.py`    means, standard deviations and paired differences of finished cells
* `comparison.py`  our numbers beside the paper's
* `tables.py`     tables as values; `render.py` writes them as Markdown, CSV, LaTeX and HTML; `figures.py` draws
* `report.py`     an experiment as a value, what it has to say, and its files; `page.py` sums up all reports of a folder
* `notes.py`      what the reports say beside their numbers, from `notes.toml`; `files.py` reads such files
"""
