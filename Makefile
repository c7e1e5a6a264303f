# Common tasks. `make demo` and `make test` install everything they need.
PYTHON ?= python3
VENV ?= .venv
DEMO ?= demo
BIN := $(VENV)/bin

INSTALL := -m pip install --quiet --disable-pip-version-check --no-warn-script-location
PINNED := --constraint constraints.txt

.PHONY: demo test test-fast test-rest test-programs test-all coverage counts wheel bundle docs r lint bench study constraints clean

demo: $(VENV)/core-ready
	@mkdir -p $(DEMO)
	@$(BIN)/peckorder datasets adv -o $(DEMO)/adv.csv
	@echo; echo "Data and checks:"; echo
	@$(BIN)/peckorder check $(DEMO)/adv.csv
	@echo; echo "Elo ratings (k = 200, table of Albers & de Vries 2001):"; echo
	@$(BIN)/peckorder elo $(DEMO)/adv.csv --k 200 --curve table
	@echo; echo "Ratings and ranks with intervals (dynamic ratings):"; echo
	@$(BIN)/peckorder dynamic $(DEMO)/adv.csv --seed 1
	@echo; echo "Predictive accuracy of the ratings before each contest:"; echo
	@$(BIN)/peckorder evaluate $(DEMO)/adv.csv --k 200 --curve table
	@echo; echo "Steepness of the hierarchy of seven bonobos (de Vries et al. 2006):"; echo
	@$(BIN)/peckorder datasets bonobos -o $(DEMO)/bonobos.csv
	@$(BIN)/peckorder steepness $(DEMO)/bonobos.csv --seed 1
	@$(BIN)/peckorder elo $(DEMO)/adv.csv --k 200 --curve table \
	    --history $(DEMO)/history.csv -o $(DEMO)/ratings.csv
	@echo; echo "A report in one HTML file, and a figure for a paper:"; echo
	@$(BIN)/peckorder report $(DEMO)/adv.csv --k 200 --seed 1 -o $(DEMO)/hierarchy.html
	@$(BIN)/peckorder plot trajectories $(DEMO)/adv.csv --k 200 -o $(DEMO)/trajectories.pdf
	@echo
	@echo "Open $(DEMO)/hierarchy.html in a browser."
	@echo "Next: run peckorder template -o contests.csv, fill in the file, and run"
	@echo "      peckorder check contests.csv && peckorder elo contests.csv"
	@echo "      (peckorder is in $(BIN); peckorder --help lists all commands)."

# Each process has a core to itself, and small matrices are slower on several. Bytecode is kept:
# tests start hundreds of processes, and each would compile the package again.
test test-fast test-rest test-programs test-all coverage study: export OPENBLAS_NUM_THREADS = 1
export PYTHONDONTWRITEBYTECODE =

PROCESSES ?= auto
PYTEST := $(BIN)/pytest --numprocesses $(PROCESSES) --dist worksteal
SELECTED := not slow and not documents and not programs and not wheel

test: $(VENV)/dev-ready
	@$(PYTEST) -m "$(SELECTED)"

# Without those that draw.
test-fast: $(VENV)/dev-ready
	@$(PYTEST) -m "$(SELECTED) and not figures"

# What `make test` leaves out: slow tests, programs, documents and docstrings.
test-rest: $(VENV)/dev-ready
	@$(PYTEST) --doctest-modules -m "not wheel and (slow or documents or programs or docstrings)" \
	    src tests

# Tests with a real browser, database server, cluster and R (each is skipped where it is missing), the
# server of the app, worker processes, the demo and the examples.
test-programs: $(VENV)/dev-ready
	@$(PYTEST) -m "programs and not wheel"

test-all: test test-rest

# Every test with more examples of Hypothesis, and coverage, which is fastest with sys.monitoring,
# available from Python 3.12. Once a night.
coverage: $(VENV)/dev-ready
	@COVERAGE_CORE=$$($(BIN)/python -c 'import sys; print(["ctrace", "sysmon"][sys.version_info >= (3, 12)])') \
	    $(PYTEST) --doctest-modules --hypothesis-profile nightly --cov --cov-report= src tests
	@$(BIN)/python -m tests.coverage_summary

# Lines, modules, levels, flags and names of the package.
counts: $(VENV)/dev-ready
	@$(BIN)/python -m tests.counts

# Builds the wheel, installs it in a new environment and runs it there.
wheel: $(VENV)/dev-ready
	@$(BIN)/pytest -m wheel tests/test_wheel.py

# The app as a folder for machines without Python (build/bundle, about 600 MB), used in a browser.
bundle: $(VENV)/dev-ready
	@$(BIN)/python packaging/bundle/build.py build/bundle
	@$(BIN)/python packaging/bundle/use.py build/bundle

# The site, offline: pages of docs/, of the commands and of the functions. A warning is an error.
docs: $(VENV)/dev-ready
	@$(BIN)/python -m sphinx -W --keep-going -q -d build/doctrees docs build/site
	@$(BIN)/python -m docs.builder.inspection build/site
	@echo "Open build/site/index.html in a browser."

# The R package: what it derives from Python, its vignettes, and R CMD check, in build/r.
r: $(VENV)/dev-ready
	@$(BIN)/python r/generate.py
	@mkdir -p build/r
	@cd build/r && rm -rf peckorder* && export RETICULATE_PYTHON=$(abspath $(BIN)/python) \
	    OPENBLAS_NUM_THREADS=1 _R_CHECK_FORCE_SUGGESTS_=false && R CMD build --quiet ../../r/peckorder \
	    && R CMD check --no-manual --no-vignettes peckorder_*.tar.gz \
	    && ! grep -E '^Status: .*(ERROR|WARNING|NOTE)' peckorder.Rcheck/00check.log

lint: $(VENV)/dev-ready
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright --pythonpath $(BIN)/python

# All benchmarks, and one table of their results at the end. QUICK=--quick tries them at small sizes.
bench: $(VENV)/bench-ready
	$(BIN)/python benchmarks/run.py $(QUICK)

study: $(VENV)/dev-ready
	for program in dynamic openings since_change spread next_pairs rank_outcome adaptive adaptive_ties steepness_null steepness_bayes recovery order_test change_points long_record rank_changes within \
	    weak_data calibration scenarios opponents elo_ml_claims model_choice hindsight games pooling seasons league leaderboard wrong_k sensitivity; do \
	    $(BIN)/python benchmarks/$$program.py || exit 1; done
	$(BIN)/python -m tests.fuzz --cases 100000
	$(BIN)/python benchmarks/reproduced.py full
	$(BIN)/python benchmarks/agreement.py

$(VENV)/core-ready: pyproject.toml constraints.txt
	@echo "Installing peckorder in $(VENV) (once; about a minute) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python $(INSTALL) $(PINNED) --editable ".[report]"
	@touch $@

$(VENV)/dev-ready: $(VENV)/core-ready
	@echo "Installing the test tools in $(VENV) (once; about a minute) ..."
	@$(BIN)/python $(INSTALL) $(PINNED) --editable ".[dev]"
	@touch $@

$(VENV)/bench-ready: $(VENV)/core-ready
	@$(BIN)/python $(INSTALL) $(PINNED) --editable ".[bench]"
	@touch $@

# Pins the newest versions of all dependencies; commit the result once the tests pass. Colorama is
# needed on Windows only and must be requested explicitly elsewhere.
constraints:
	@rm -rf build/newest
	@$(PYTHON) -m venv build/newest
	@build/newest/bin/python $(INSTALL) ".[dev,bench]" colorama
	@(sed -n '/^#/p' constraints.txt; build/newest/bin/python -m pip list --format=freeze \
	    --disable-pip-version-check --exclude pip --exclude setuptools --exclude peckorder \
	    | LC_ALL=C sort --ignore-case) > build/constraints.txt
	@mv build/constraints.txt constraints.txt
	@rm -rf build/newest

clean:
	rm -rf $(VENV) $(DEMO) build .coverage
