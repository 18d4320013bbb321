# make demo, make test: each sets up all that it needs, from a fresh clone.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

# Hundreds of processes are started by the tests: what one has compiled is there for the next, also
# where the environment says otherwise.
export PYTHONDONTWRITEBYTECODE :=

# Tests side by side; those with a browser mostly wait for pages.
JOBS ?= 6

PYTEST = $(BIN)/python -m pytest --second-look -n $(JOBS) --dist worksteal

.PHONY: wheel ready setup chromium test-programs node demo test nightly conformance inspect explore sim soak docs lint types mypy pyright check clean

# Two versions of Chromium can be had from Debian: CHROMIUM=oldest takes the older one.
export CHROMIUM

# All that the other targets need, side by side where they do not wait for the same.
ready: setup chromium test-programs node

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	PYTHON=$(PYTHON) sh scripts/get_venv.sh $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev,docs,fleet,meaning,office,otel,parquet,tui]"
	touch $@

chromium:
	sh scripts/get_chromium.sh

test-programs: setup chromium
	sh scripts/get_test_programs.sh $(VENV)

node: setup
	sh scripts/get_node.sh $(VENV)

demo: setup
	-sh scripts/get_chromium.sh
	$(BIN)/tabwright doctor --demo

# Each worker would compile every test of a fresh clone, which takes longer than most of them run.
COMPILED := $(VENV)/.compiled

$(COMPILED): | $(STAMP)
	$(BIN)/python -m pytest --collect-only -qq --ignore tests/unit > /dev/null & \
	$(BIN)/python -m pytest --collect-only -qq tests/unit > /dev/null; wait
	touch $@

# All that a change of the core can break. What fails runs again, alone; if it passes then, it is
# named unsteady. PLUGINS=--all-plugins adds the end-to-end tests of plugins that are no smoke tests.
test: setup chromium test-programs $(COMPILED)
	$(PYTEST) $(PLUGINS) --ignore tests/rules

# The rest, for each night: mutants, most of the seeds and languages, killed processes,
# pages that flood, full Chromium, examples that nobody has seen, new worlds, and mixed work with
# faults.
nightly: setup chromium test-programs
	$(PYTEST) -m "nightly and not node"
	$(PYTEST) --whole-browser tests/e2e/test_search_oracle.py
	$(PYTEST) --whole-browser -m "" tests/e2e/test_replica_in_chromium.py
	$(MAKE) explore
	$(MAKE) sim SEED=$$(date +%j)000
	$(MAKE) soak

# The package as a new user gets it: built, installed into an empty environment, and used.
wheel: setup chromium
	sh scripts/check_wheel.sh $(VENV)

# What runs on Node: the conformance suite of MCP, its inspector's lint, and exported Playwright scripts.
conformance: node
	$(PYTEST) -m node -n 2 tests/conformance tests/plugins/trace

inspect: node
	$(PYTEST) -m node -n 2 tests/conformance/test_inspector.py

# The same properties with new examples, many of them.
explore: setup
	$(PYTEST) --hypothesis-profile=explore -m hypothesis

# Simulated worlds from a seed on; a world that does not hold is told with its seed.
SEED ?= 0
N ?= 1000

sim: setup
	$(BIN)/python -m tests.support.seed_search --seed $(SEED) --worlds $(N)

# Mixed work on a real Chromium with a fault every few seconds; see bench/README.md.
MINUTES ?= 10

soak: setup chromium
	$(BIN)/python bench/soak.py --minutes $(MINUTES)

# The site of the documentation, in docs/_build. A broken link or anchor is an error.
docs: setup
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --jobs auto docs docs/_build

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/codespell *.md bench docs examples scripts tabwright
	$(BIN)/python -m pytest -q tests/rules
	$(BIN)/python -P bench/hops.py --check

types: mypy pyright

mypy pyright: setup
	$(BIN)/$@

check: PLUGINS = --all-plugins
check: lint types docs conformance test

clean:
	rm -rf $(VENV) .grid .node .mypy_cache .pytest_cache .ruff_cache .hypothesis dist docs/_build
