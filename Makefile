# make demo   set up, then run the main job on bundled data
# make test   set up, then run every fast check
# make docs   run the examples of the documentation, then build it into docs/_build/html
# make wheel  build a wheel and a source distribution into dist, and try both in empty environments
# make web           build the script of the report page anew from web/ (needs node; the built file is kept in git)
# make gallery       run the notebooks of docs/gallery and keep what they show
# make kernel-tests  test the kernel without Python (needs cmake and doctest-dev)
# make sanitize      build the kernel with sanitizers and run the tests that reach deepest into it
# make portable      what can be known about other systems: stable ABI, Windows, macOS, musl, ARM64 under qemu
# make fuzz          100,000 damaged inputs: each must end in an answer or in an error of ours
# make attack        every public name with bad arguments: each must end in an answer or in an error of ours
# make release       everything that a release must pass: tests, sanitizers, documents, packages
# All keep an environment of their own in .venv; a second run does only what has changed.

PYTHON ?= python3
BIN := .venv/bin
SETUP := pyproject.toml CMakeLists.txt $(shell find src/kernel -type f)

.PHONY: demo test lint types tests fuzz attack web kernel-tests sanitize docs gallery wheel portable release clean

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

web: web/node_modules/.package-lock.json
	cd web && npm run --silent build

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci --no-audit --no-fund --silent
	touch $@

INPUTS ?= 100000
fuzz: .venv/developer
	PYTHONPATH=tests $(BIN)/python -m fuzz.run $(INPUTS)

NAMES ?=
attack: .venv/developer
	PYTHONPATH=tests $(BIN)/python -m fuzz.attack $(NAMES)

kernel-tests:
	cmake -S . -B build/kernel -DCMAKE_BUILD_TYPE=Release -DPAUCAL_TESTS=ON $(CMAKE_OPTIONS) >/dev/null
	cmake --build build/kernel --parallel 2
	build/kernel/tests/kernel/kernel_tests

# The thread sanitizer cannot see through Python, so it watches the tests that need none; it wants addresses that are not
# random. The others look at the extension in a folder of its own, which stands in for the installed one.
SANITIZED := build/sanitized
PRELOAD = $(foreach library,libasan.so libubsan.so libstdc++.so,$(shell $(CXX) -print-file-name=$(library)))
UNDER = import sys, pytest; \
  sys.meta_path[:] = [f for f in sys.meta_path if type(f).__name__ != "ScikitBuildRedirectingFinder"]; \
  sys.path.insert(0, "$(SANITIZED)"); sys.exit(pytest.main(sys.argv[1:]))
sanitize: .venv/developer
	cmake -S . -B build/kernel-threads -DCMAKE_BUILD_TYPE=Release -DPAUCAL_TESTS=ON -DPAUCAL_SANITIZE=thread \
	  $(CMAKE_OPTIONS) >/dev/null
	cmake --build build/kernel-threads --parallel 2
	setarch -R build/kernel-threads/tests/kernel/kernel_tests || build/kernel-threads/tests/kernel/kernel_tests
	@$(BIN)/python -m pip install --quiet --no-deps --upgrade --target $(SANITIZED) . \
	  --config-settings=build-dir=build/sanitizing --config-settings="cmake.define.PAUCAL_SANITIZE=address;undefined"
	LD_PRELOAD="$(PRELOAD)" ASAN_OPTIONS=detect_leaks=0 $(BIN)/python -c '$(UNDER)' -q -n 0 -p no:randomly \
	  tests/test_kernel_safety.py tests/test_kernel_states.py tests/test_threads.py tests/test_kernel.py \
	  tests/test_native_scores.py tests/test_posterior.py tests/test_permutation.py tests/test_complexity.py

docs: .venv/documents
	$(BIN)/python -m pytest -q -p no:randomly tests/test_documents.py tests/test_walk.py tests/test_gallery.py
	$(BIN)/python -m sphinx --fail-on-warning --keep-going -q -b html docs docs/_build/html

gallery: .venv/developer
	$(BIN)/python docs/gallery/run.py

wheel: .venv/created
	rm -rf dist build/clean
	@$(BIN)/python -m pip install --quiet build
	$(BIN)/python -m build --outdir dist .
	for kind in whl tar.gz; do \
	  $(PYTHON) -m venv --clear build/clean && \
	  build/clean/bin/python -m pip install --quiet dist/*.$$kind && \
	  build/clean/bin/python tests/smoke.py || exit 1; \
	done

portable: .venv/installed
	$(BIN)/python packaging/portable.py

release: test kernel-tests sanitize docs wheel

.venv/created:
	@echo "paucal: making an environment of its own in .venv"
	@$(PYTHON) -m venv .venv || { echo "paucal: Python's venv module is missing; on Debian: apt install python3-venv"; exit 1; }
	@$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@touch $@

.venv/installed: .venv/created $(SETUP)
	@echo "paucal: compiling the kernel and installing what paucal needs (a minute or two)"
	@$(BIN)/python -m pip install --quiet --editable ".[layout]"
	@touch $@

.venv/developer: .venv/installed
	@echo "paucal: installing the tools for tests and checks"
	@$(BIN)/python -m pip install --quiet --group dev
	@touch $@

.venv/documents: .venv/developer
	@echo "paucal: installing the tools for documents"
	@$(BIN)/python -m pip install --quiet --group docs
	@touch $@

clean:
	rm -rf .venv build demo dist docs/_build web/node_modules
