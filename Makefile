# make demo   set up, then run the main job on bundled data
# make test   set up, then run every fast check
# Both keep an environment of their own in .venv; a second run does only what has changed.

PYTHON ?= python3
BIN := .venv/bin
SETUP := pyproject.toml CMakeLists.txt $(wildcard src/kernel/*)

.PHONY: demo test lint types tests clean

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

clean:
	rm -rf .venv build demo
