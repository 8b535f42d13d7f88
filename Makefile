# Everything a developer types. `make demo` and `make test` need nothing but Python 3.11 or newer.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test lint types layers unit schemas explore contract bench clean

demo: $(VENV)/ready
	$(BIN)/python examples/demo.py

test: lint types layers unit

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/ready
	$(BIN)/mypy

layers: $(VENV)/ready
	$(BIN)/lint-imports

unit: $(VENV)/ready
	$(BIN)/pytest

schemas: $(VENV)/ready
	for which in desired-state plan ledger approvals connections validate apply drift show ledger-list problems; do \
	  $(BIN)/vastplan schema $$which > schemas/$$which.schema.json; done

# New random documents, and more of them than a test run has time for: make explore EXAMPLES=2000
explore: $(VENV)/ready
	VASTPLAN_EXAMPLES=$(or $(EXAMPLES),500) $(BIN)/pytest -n0 tests/properties

# Live systems named by VASTPLAN_CONTRACT_... against docs/unverified.md: make contract ARGS='--record cassettes'
contract: $(VENV)/ready
	$(BIN)/python -m tests.contract $(ARGS)

bench: $(VENV)/ready
	$(BIN)/python tests/bench/run.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# The environment: pinned versions, this checkout installed in place.
$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@
