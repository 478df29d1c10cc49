# fairdeal: every target builds the environment it needs first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
RUNS := $(VENV)/.runs

.DEFAULT_GOAL := demo
.PHONY: demo test lint bench bench-scale mutants calibration same lawful rule-layout schemas site lock browser java clean

# One environment: `demo` puts into it what is needed to run, and everything else adds what development needs.
$(RUNS): requirements-run.lock
	$(PYTHON) -c 'import sys; sys.exit("fairdeal needs Python 3.11 or newer; try: make PYTHON=python3.11") if sys.version_info < (3, 11) else None'
	[ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes --requirement requirements-run.lock
	@touch $@

$(READY): requirements.lock pyproject.toml $(RUNS)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(RUNS) ## write the shipped evidence, audit it, write a report: all into out/
	@$(BIN)/python -m fairdeal demo --overwrite out

lint: $(READY) ## ruff, mypy (strict), the layers of imports, and the layout of rule files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy || $(BIN)/mypy --num-workers 0 # a busy machine may start its workers too slowly
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/python -m tools.rule_layout --check

# Tests and measurements start Python hundreds of times: each would compile all modules anew where none are written.
test bench bench-scale: export PYTHONDONTWRITEBYTECODE =

test: $(READY) lint browser java ## everything CI runs
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

browser: ## a headless Chromium for the report tests, from the system's packages where none is found
	@sh tests/browser/ensure_chromium.sh

java: ## a Java for the tests of Spark, from the system's packages where none is found
	@sh tests/audit/ensure_java.sh

bench: $(READY) ## speed and memory beside their targets: prints a table, writes out/bench.json
	$(BIN)/python -m benchmarks

bench-scale: $(READY) java ## every engine on the same logs, and what a year would take: writes out/bench-scale.json
	$(BIN)/python -m benchmarks.scale

mutants: $(READY) ## every change of the rulebook and of complying rounds, one at a time, must be noticed (takes its time)
	$(BIN)/python -m tools.mutation
	$(BIN)/python -m tools.evidence_mutants

calibration: $(READY) ## how often honest days stand out in hold, over 40 months of every house game (takes its time)
	$(BIN)/python -m tools.hold_calibration

same: $(READY) ## whether everything shipped comes out as in the checkout OLD, byte for byte: make same OLD=path [ONLY=word]
	$(BIN)/python -m tools.same_behaviour $(OLD) . --recording out/same --only=$(ONLY) $(if $(WANTED),--wanted $(WANTED))

lawful: $(READY) ## 20,000 lawful rounds a game, written from the texts alone: the product must find nothing (takes its time)
	$(BIN)/python -m tests.lawful --rounds $(or $(ROUNDS),20000) --seed $(or $(SEED),1)
	$(BIN)/python -m tests.templates.referees --rounds $(or $(ROUNDS),20000) --seed $(or $(SEED),1)

rule-layout: $(READY) ## lay out the rule files: lines of at most 110 columns, filled
	$(BIN)/python -m tools.rule_layout

schemas: $(READY) ## write schemas/ and the generated reference from the models
	$(BIN)/python -m tools.generated_files

site: $(READY) ## the documentation with a page for every clause and requirement, into out/site
	$(BIN)/python -m tools.site

PIP_COMPILE := $(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras \
	  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-header --no-annotate

lock: ## refresh requirements.lock and, of it, what an audit (run) and every command (full) need, from pyproject.toml
	$(BIN)/python -m pip install --quiet pip-tools
	$(PIP_COMPILE) --extra dev --output-file requirements.lock pyproject.toml
	$(PIP_COMPILE) --extra audit --constraint requirements.lock --output-file requirements-run.lock pyproject.toml
	$(PIP_COMPILE) --extra serve --extra sign --extra statistics --extra layout --constraint requirements.lock --output-file requirements-full.lock pyproject.toml

clean:
	rm -rf $(VENV) out build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
