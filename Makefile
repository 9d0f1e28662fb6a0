# make         set up, load dumps/, build the datasets, say what was built
# make kg      set up and load dumps/
# make test    run the tests; with test-extras, those that need optional packages;
#              with test-pythons, those of the core by every Python from 3.11 that is installed

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
STORE ?= data/kg
DB ?= data/datasets.duckdb
# A line for each package, and a bar for each download: nothing is silent for long.
PIP := $(BIN)/pip install --disable-pip-version-check --progress-bar on

# The sample is loaded only while it is alone.
FOUND := $(wildcard dumps/*.nt dumps/*.nt.gz dumps/*.nt.bz2 dumps/*.nt.xz dumps/*.nt.zst)
OTHERS := $(filter-out dumps/sample.nt,$(FOUND))
DUMPS := $(if $(OTHERS),$(OTHERS),dumps/sample.nt)

.PHONY: all kg test test-extras test-pythons lint docs clean

all: kg
	@$(BIN)/kgbuild syn-qa --store $(STORE) --db $(DB)
	@echo
	@$(BIN)/kgbuild granola --store $(STORE) --db $(DB)
	@echo
	@$(BIN)/kgbuild biokalma --store $(STORE) --db $(DB)
	@echo
	$(BIN)/kgbuild sql --db $(DB) "SELECT dataset, count(*) AS relations, sum(rows)::BIGINT AS rows, sum(rejected)::BIGINT AS rejected FROM builds GROUP BY dataset"
	@echo
	$(BIN)/kgbuild sql --db $(DB) "SELECT relation_label, question, false_question, falsity FROM syn_qa_pairs USING SAMPLE 5 ROWS (reservoir, 1)"
	@echo
	$(BIN)/kgbuild sql --db $(DB) "SELECT question, levels FROM granola_levels USING SAMPLE 5 ROWS (reservoir, 1)"
	@echo
	$(BIN)/kgbuild sql --db $(DB) "SELECT specific_question, list(property_label || ': ' || value ORDER BY position) AS knowledge FROM biokalma_questions JOIN biokalma_knowledge USING (question_id) GROUP BY question_id, specific_question ORDER BY question_id LIMIT 2"

kg: $(STORE)/manifest.json

$(STORE)/manifest.json: $(DUMPS) | $(VENV)/.core
	$(BIN)/kgbuild load --store $(STORE) $(DUMPS)

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(VENV)/bin/pip
	$(PIP) --editable ".[nlp]"
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/pip
	$(PIP) --editable ".[dev]"
	@touch $@ $(VENV)/.core

$(VENV)/.extras: pyproject.toml | $(VENV)/bin/pip
	$(PIP) --editable ".[dev,semantic,model,loaders,metrics,spark]"
	@touch $@ $(VENV)/.dev $(VENV)/.core

test: $(VENV)/.dev
	$(BIN)/pytest

test-extras: $(VENV)/.extras
	$(BIN)/pytest -m extras

test-pythons: $(VENV)/.dev
	$(BIN)/tox run

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Run the commands in the documentation and update their output.
docs: $(VENV)/.dev
	PYTHONPATH=. $(BIN)/cog -r $$(grep -l '\[\[\[cog' README.md docs/*.md)

clean:
	rm -rf $(VENV) .tox build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
