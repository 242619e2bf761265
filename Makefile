# Two commands: `make figures` runs the study, `make test` the tests. Both set up what they need.
PYTHON ?= python3
UV_VERSION := 0.13.7
BIN := .venv/bin
UV := .venvs/uv/bin/python workflow/minority_topics/uv.py
CONFIG ?= config/config.yaml
CORES ?= all
SNAKEMAKE := $(BIN)/snakemake --cores $(CORES)

BENCH ?=

.PHONY: help setup figures quick beyond report bench envs test test-cluster lint format lock clean
.DEFAULT_GOAL := help

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/ready ## install everything the other commands need, into .venv

# uv comes from PyPI into a folder of its own; it finds a Python new enough, or brings one.
.venvs/uv/bin/uv:
	$(PYTHON) -m venv .venvs/uv
	.venvs/uv/bin/python -m pip install --quiet uv==$(UV_VERSION)

.venv/ready: .venvs/uv/bin/uv requirements.lock pyproject.toml
	$(UV) venv --quiet --clear --python '>=3.11,<3.14' .venv
	$(UV) pip install --quiet --python .venv --require-hashes -r requirements.lock
	$(UV) pip install --quiet --python .venv --no-deps --editable .
	touch $@

figures: setup ## run the study: every figure, table and verdict (CONFIG=config/config.yaml)
	$(SNAKEMAKE) --configfile $(CONFIG)

quick: setup ## a small run of everything
	$(SNAKEMAKE) --configfile config/quick.yaml

beyond: setup ## where guidance helps and where it breaks: the sweeps of config/beyond.yaml
	$(SNAKEMAKE) --configfile config/beyond.yaml

report: figures ## the same as figures; one page a dataset: results/<dataset>/report.html
	@ls results/*/report.html

.DELETE_ON_ERROR:
.venvs/benchmark.json: envs/benchmark.yaml envs/benchmark.lock | setup
	$(BIN)/python -m minority_topics build_env $< --record $@ --required

bench: .venvs/benchmark.json ## time the exact solver and its peers, into results/benchmarks (BENCH="--sizes 5000" for less)
	PYTHONPATH=workflow .venvs/benchmark/bin/python -m minority_topics benchmark --out results/benchmarks $(BENCH)

envs: setup ## build the environments of all methods, and nothing else
	$(SNAKEMAKE) envs --configfile $(CONFIG)

test: setup ## run all tests
	$(BIN)/python -m pytest

test-cluster: setup ## run the tests against a real SLURM (root, and Debian's slurm-wlm and munge)
	$(BIN)/python -m pytest tests/cluster -m ""

lint: setup ## check style and the workflow
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/snakefmt --check Snakefile workflow/rules
	$(BIN)/snakemake --lint

# A local mirror may lack other platforms' files, and so their hashes: ask the main index alone.
lock: setup ## renew requirements.lock and the lock of every environment
	UV_EXTRA_INDEX_URL= UV_FIND_LINKS= $(UV) pip compile --quiet --upgrade --all-extras --universal --python-version 3.11 \
	  --generate-hashes --no-annotate --no-header --no-emit-index-url --no-emit-find-links \
	  pyproject.toml --output-file requirements.lock
	$(BIN)/python -m minority_topics lock_env envs/*.yaml

format: setup ## put the code into the house style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/snakefmt Snakefile workflow/rules

clean: ## remove environments and Snakemake's notes; results stay
	rm -rf .venv .venvs .snakemake
