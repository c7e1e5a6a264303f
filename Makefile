# Habits of this project. `make demo` and `make test` set up everything they need.
PYTHON ?= python3
VENV ?= .venv
DEMO ?= demo
BIN := $(VENV)/bin

.PHONY: demo test lint bench study clean

demo: $(VENV)/core-ready
	@mkdir -p $(DEMO)
	@$(BIN)/peckorder datasets adv -o $(DEMO)/adv.csv
	@echo; echo "What the data look like:"; echo
	@$(BIN)/peckorder check $(DEMO)/adv.csv
	@echo; echo "Elo ratings (k = 200, table of Albers & de Vries 2001):"; echo
	@$(BIN)/peckorder elo $(DEMO)/adv.csv --k 200 --curve table
	@echo; echo "How sure are we of each rank? The posterior (Goffe et al. 2018; compiles on first use):"; echo
	@$(BIN)/peckorder fit $(DEMO)/adv.csv --seed 1
	@echo; echo "How often did the ratings before each contest foretell it?"; echo
	@$(BIN)/peckorder evaluate $(DEMO)/adv.csv --k 200 --curve table
	@echo; echo "How steep is the hierarchy of seven bonobos (de Vries et al. 2006)?"; echo
	@$(BIN)/peckorder datasets bonobos -o $(DEMO)/bonobos.csv
	@$(BIN)/peckorder steepness $(DEMO)/bonobos.csv --seed 1
	@$(BIN)/peckorder elo $(DEMO)/adv.csv --k 200 --curve table \
	    --history $(DEMO)/history.csv -o $(DEMO)/ratings.csv
	@echo; echo "Everything in one file, and a figure for a paper:"; echo
	@$(BIN)/peckorder report $(DEMO)/adv.csv --k 200 --seed 1 -o $(DEMO)/hierarchy.html
	@$(BIN)/peckorder plot trajectories $(DEMO)/adv.csv --k 200 -o $(DEMO)/trajectories.pdf
	@echo
	@echo "Open $(DEMO)/hierarchy.html in a browser."
	@echo "Next: peckorder template -o contests.csv, fill in the sheet, and"
	@echo "      peckorder check contests.csv && peckorder elo contests.csv"
	@echo "      (peckorder is in $(BIN); peckorder --help lists every command)."

test: lint
	$(BIN)/pytest --numprocesses auto --dist worksteal

lint: $(VENV)/dev-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python

bench: $(VENV)/bench-ready
	for program in kernel end_to_end parquet shell structure orders bayes tune simulation report; do \
	    $(BIN)/python benchmarks/$$program.py || exit 1; done

study: $(VENV)/core-ready
	for program in steepness_null order_test weak_data calibration scenarios opponents; do \
	    $(BIN)/python benchmarks/$$program.py || exit 1; done
	@mkdir -p study
	for example in self_organizing goffe_scenarios; do \
	    (cd study && ../$(BIN)/python ../examples/$$example.py full) || exit 1; done

$(VENV)/core-ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[report]"
	@touch $@

$(VENV)/dev-ready: $(VENV)/core-ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $@

$(VENV)/bench-ready: $(VENV)/core-ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[bench]"
	@touch $@

clean:
	rm -rf $(VENV) $(DEMO) study
