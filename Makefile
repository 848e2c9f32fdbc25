# make demo   set up, then run the main job on bundled data
# make test   set up, then run every fast check
# make docs   run the examples of the documentation, then build it into docs/_build/html
# make wheel  build a wheel and a source distribution into dist, and try both in empty environments
# Both keep an environment of their own in .venv; a second run does only what has changed.

PYTHON ?= python3
BIN := .venv/bin
SETUP := pyproject.toml CMakeLists.txt $(shell find src/kernel -type f)

.PHONY: demo test lint types tests docs wheel clean

demo: .venv/installed
	$(BIN)/python examples/demo.py

test: lint types tests

lint: .venv/developer
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: .venv/developer
	$(BIN)/mypy

tests: .venv/developer
	$(BIN)/python -m pytest -n 2 -m "not slow" --cov --cov-report=term:skip-covered

docs: .venv/documents
	$(BIN)/python -m pytest -q -p no:randomly tests/test_documents.py tests/test_walk.py
	$(BIN)/python -m sphinx --fail-on-warning --keep-going -q -b html docs docs/_build/html

wheel: .venv/created
	rm -rf dist build/clean
	$(BIN)/python -m pip install --quiet build
	$(BIN)/python -m build --outdir dist .
	for kind in whl tar.gz; do \
	  $(PYTHON) -m venv --clear build/clean && \
	  build/clean/bin/python -m pip install --quiet dist/*.$$kind && \
	  build/clean/bin/python tests/smoke.py || exit 1; \
	done

.venv/created:
	$(PYTHON) -m venv .venv || { echo "paucal: Python's venv module is missing; on Debian: apt install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	touch $@

.venv/installed: .venv/created $(SETUP)
	$(BIN)/python -m pip install --quiet --editable ".[layout]"
	touch $@

.venv/developer: .venv/installed
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

.venv/documents: .venv/developer
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

clean:
	rm -rf .venv build demo dist docs/_build
