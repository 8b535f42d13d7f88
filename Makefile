# Everything a developer types. `make demo` and `make test` need nothing but Python 3.11 or newer.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

KUBE = $${KUBEBUILDER_ASSETS:-$${XDG_CACHE_HOME:-$$HOME/.cache}/vastplan/kube/1.34.4}

# Pinned; Go's checksum database vouches for what is built.
ACTIONLINT_VERSION = v1.7.7
ACTIONLINT = $${XDG_CACHE_HOME:-$$HOME/.cache}/vastplan/actionlint-$(ACTIONLINT_VERSION)

# Tools that look at us are not installed beside what they look at.
AUDIT = $${XDG_CACHE_HOME:-$$HOME/.cache}/vastplan/audit-1

# So is SkyPilot, with an S3 server that has the buckets: made anew when its pinned versions change.
SKYPILOT = $${XDG_CACHE_HOME:-$$HOME/.cache}/vastplan/skypilot

# And what makes the site of docs/.
DOCS = $${XDG_CACHE_HOME:-$$HOME/.cache}/vastplan/docs

# What is imported is compiled once, whatever the environment says: it is more than half of what a short run costs.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo demo-full test lint types layers audit ci-lint unit slow whole kube live record-kube schemas checks-doc rights-doc reference explore coverage faults kills \
  histories mutations mutate-tables mutate-guards mutate-ledger mutate-checks mutate-importing mutate-compose contract bench golden \
  browser docs browse-docs pictures skypilot clean

# What vastplan does in a quarter of a minute (examples/demo.py), and the whole story (examples/demo_full.py).
demo demo-full: $(VENV)/ready
	@$(BIN)/python examples/$(subst -,_,$@).py

# mypy has one core to itself; the tests begin beside it.
test: lint layers
	$(MAKE) --no-print-directory --jobs=2 types unit

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/ready
	$(BIN)/mypy

layers: $(VENV)/ready
	$(BIN)/lint-imports

# bandit over the sources, and PyPI's advisories about all that is pinned: fails for each, and where PyPI cannot be asked
# (UNHEARD=tell: says so, and goes on).
audit: $(VENV)/ready
	[ -x "$(AUDIT)/bin/pip-audit" ] || { $(PYTHON) -m venv "$(AUDIT)" && \
	  "$(AUDIT)/bin/pip" install --quiet --disable-pip-version-check --requirement tests/audit/requirements.txt; }
	$(BIN)/python -m tests.audit "$(AUDIT)/bin" $(if $(UNHEARD),--unheard $(UNHEARD))

# The workflows of examples/ci/github, looked at by actionlint, which Go builds once.
ci-lint:
	[ -x "$(ACTIONLINT)/actionlint" ] || GOBIN="$(ACTIONLINT)" go install github.com/rhysd/actionlint/cmd/actionlint@$(ACTIONLINT_VERSION)
	"$(ACTIONLINT)/actionlint" examples/ci/github/*.yml

# Some tests wait for others, so there is one more at work than there are cores.
WORKERS = -n "$$($(BIN)/python -c 'import os; print(1 + (os.cpu_count() or 1))')"

# What a change needs to hear at once; what is tried by force has a few representatives here.
unit: $(VENV)/ready
	$(BIN)/pytest -m "not slow" $(WORKERS)

# The others: every kind through every step, older versions, hostile documents, more random ones, kills. CI takes all that is of
# the kinds, of the rest one part a day: make slow SHARE=1/16
slow: $(VENV)/ready
	$(BIN)/pytest -m slow $(WORKERS) $(if $(SHARE),--share $(SHARE))

# All tests in one run: only such a run, or those of `.ci/run`, can say that every operation was seen that the documents have for us.
whole: $(VENV)/ready
	$(BIN)/pytest

# A real kube-apiserver and its etcd, from Go modules, once. Needs Go 1.24 or newer.
kube:
	tests/kube/build.sh "$(KUBE)"

# What `make test` replays, against the real one: fails where it no longer answers as recorded.
live: $(VENV)/ready kube
	VASTPLAN_KUBE=live $(BIN)/pytest tests/kube

# Records anew what the real one answers. Read the difference before you commit it.
record-kube: $(VENV)/ready kube
	VASTPLAN_KUBE=record $(BIN)/pytest tests/kube

# The JSON Schemas, and the index of the kinds that tells what refers to what without loading them.
schemas: $(VENV)/ready
	$(BIN)/python -c 'import vastplan.kinds as kinds; from vastplan.schema.discover import INDEX, written; \
	  import pathlib; pathlib.Path(*kinds.__path__, INDEX).write_text(written(kinds))'
	for which in desired-state plan snapshot ledger approvals connections validate apply drift import export show budget ledger-list ledger-log problems checks rights; do \
	  $(BIN)/vastplan schema $$which > schemas/$$which.schema.json; done

# docs/checks.md from the catalogue of checks.
# The reference of the document's fields, read from the models.
reference: $(VENV)/ready
	$(BIN)/python -m tests.reference.docs docs/reference

checks-doc: $(VENV)/ready
	$(BIN)/python -m tests.checks.docs > docs/checks.md

# New random documents and brownfields, and more of them than a test run has time for: make explore EXAMPLES=2000
explore: $(VENV)/ready
	VASTPLAN_EXAMPLES=$(or $(EXAMPLES),500) $(BIN)/pytest -n0 tests/properties tests/checks/test_isolation.py \
	  tests/importing/test_round_trip.py tests/importing/test_inverse.py

# docs/rights.md from the endpoints of the kinds.
rights-doc: $(VENV)/ready
	$(BIN)/python -m tests.rights.docs > docs/rights.md

# The reports of the plan files in tests/report/plans and what is said of checkpoints, written anew. Read the difference before you commit it.
golden: $(VENV)/ready
	VASTPLAN_GOLDEN=write $(BIN)/pytest -n0 tests/report/test_golden.py tests/checks/checkpoint/test_told.py tests/importing/test_golden.py tests/mistakes/test_mistakes.py

# The HTML report in a headless Chromium of this machine (apt-get install chromium); fails where there is none.
browser: $(VENV)/ready
	$(BIN)/python -m tests.browser

# The site of docs/ and the README in build/site: open build/site/index.html. A warning of the generator fails it. (The variable only
# turns off its notice that it is maintained until May 2027.)
docs:
	cmp --silent tests/docs/requirements.txt "$(DOCS)/made-of" || { rm -rf "$(DOCS)" && $(PYTHON) -m venv "$(DOCS)" && \
	  "$(DOCS)/bin/pip" install --quiet --disable-pip-version-check --requirement tests/docs/requirements.txt && \
	  cp tests/docs/requirements.txt "$(DOCS)/made-of"; }
	NO_MKDOCS_2_WARNING=1 "$(DOCS)/bin/mkdocs" build --strict --config-file tests/docs/mkdocs.yml

# The site in a real browser: two widths, light and dark, a search, and no request that leaves it.
browse-docs: $(VENV)/ready docs
	$(BIN)/python -m tests.docs.browse build/site

# The pictures in the README.
pictures: $(VENV)/ready
	$(BIN)/python -m tests.browser --pictures

# What `vastplan export skypilot` writes, in the hands of SkyPilot itself; fails where SkyPilot refuses it.
skypilot: $(VENV)/ready
	cmp --silent tests/skypilot/constraints.txt "$(SKYPILOT)/made-of" || { rm -rf "$(SKYPILOT)" && $(PYTHON) -m venv "$(SKYPILOT)" && \
	  "$(SKYPILOT)/bin/pip" install --quiet --no-compile --disable-pip-version-check --constraint tests/skypilot/constraints.txt \
	    'skypilot[vastdata]>=0.12' 'moto[s3]>=5' flask flask-cors && cp tests/skypilot/constraints.txt "$(SKYPILOT)/made-of"; }
	$(BIN)/python -m tests.skypilot "$(SKYPILOT)/bin/python"

# Live systems named by VASTPLAN_CONTRACT_... against docs/unverified.md: make contract ARGS='--record cassettes'
contract: $(VENV)/ready
	$(BIN)/python -m tests.contract $(ARGS)

# The budgets as ratios of one run. Some rows: make bench ARGS='no-op-10000 memory'; where the time goes: ARGS='--profile no-op-10000'
bench: $(VENV)/ready
	$(BIN)/python -m tests.bench $(ARGS)

# Every statement and every branch of the engine and its guards, by the tests that are about them; fails below 100 %.
coverage: $(VENV)/ready
	$(BIN)/coverage run --branch --source=vastplan.engine -m pytest -n0 tests/engine tests/guards
	$(BIN)/coverage report --show-missing --skip-covered --fail-under=100

# Every fault at every request of an apply, then an ordinary run: prints how often each was struck. CI has ARGS=--once: each
# fault at the first request of every operation; of what only reads half of them while planning and half while applying.
faults: $(VENV)/ready
	$(BIN)/python -m tests.faults.run $(ARGS)

# An apply killed before and after every write and every save of the ledger, then an ordinary run.
kills: $(VENV)/ready
	$(BIN)/python -m tests.faults.kills $(ARGS)

# A small mistake in the guards, the ledger or the checks, one at a time: do their tests notice? Some minutes each.
mutate-guards: $(VENV)/ready
	$(BIN)/python -m tests.mutation.code guards
	$(BIN)/python -m tests.mutation.code access

mutate-ledger: $(VENV)/ready
	$(BIN)/python -m tests.mutation.code ledger

mutate-checks: $(VENV)/ready
	$(BIN)/python -m tests.mutation.code checks
	$(BIN)/python -m tests.mutation.code checkpoint

mutate-importing: $(VENV)/ready
	$(BIN)/python -m tests.mutation.code importing

mutate-compose: $(VENV)/ready
	$(BIN)/python -m tests.mutation.code compose

# Documents that change over months, on systems that others use too: make histories HISTORIES=200 SEED=5001
histories: $(VENV)/ready
	$(BIN)/python -m tests.histories --histories $(or $(HISTORIES),2000) --seed $(or $(SEED),1) --jobs $(or $(JOBS),2)

# Plans, ledgers, approvals and snapshots as strangers would change them: make mutations N=2000 SEED=5001
mutations: $(VENV)/ready
	$(BIN)/python -m tests.trust.mutations --mutations $(or $(N),20000) --seed $(or $(SEED),1) --jobs $(or $(JOBS),2)

mutate-tables: $(VENV)/ready
	$(BIN)/python -m tests.mutation.tables

clean:
	rm -rf $(VENV) .coverage .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# The environment: pinned versions, this checkout installed in place. A line before each step that takes seconds, in a pipe too.
$(VENV)/ready: pyproject.toml constraints.txt
	@echo "Installing into $(VENV), once: about half a minute."
	@echo "  1 of 2: a virtual environment of $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@echo "  2 of 2: vastplan, and the packages of constraints.txt from PyPI"
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@
