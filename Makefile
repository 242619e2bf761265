# Two commands: `make figures` runs the study, `make test` the tests. Both set up what they need.
PYTHON ?= python3
BIN := .venv/bin
UV := .venvs/uv/bin/python workflow/minority_topics/study/uv.py
CONFIG ?= config/config.yaml
CORES ?= all
SNAKEMAKE := $(BIN)/snakemake --quiet host reason --cores $(CORES)
CASES ?= 1000
BENCH ?=
REPAIR ?=
NAME ?= comments
DATASETS ?=
ARCHIVE ?=
MOMENTS ?= 10
LANGUAGE ?=
SET ?=

# Some containers set PYTHONDONTWRITEBYTECODE. Then every process compiles its imports again, which doubles the time of a run.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup figures quick beyond guidance explore case-study report verify archive reproduce unlock bench bench-comments envs sbom test test-fast test-cluster test-faults fuzz lint format lock clean
.DEFAULT_GOAL := help

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/ready ## install everything the other commands need, into .venv

# The locked version of uv is installed into a folder of its own. It finds a Python that is new enough, or downloads one.
export UV_PYTHON_INSTALL_DIR := $(CURDIR)/.venvs/python
.venvs/uv/bin/uv:
	$(PYTHON) -m venv .venvs/uv
	sed -n '/^uv==/,/[^\\]$$/p' requirements.lock > .venvs/uv/requirement.txt
	.venvs/uv/bin/python -m pip install --quiet --require-hashes -r .venvs/uv/requirement.txt

.venv/ready: .venvs/uv/bin/uv requirements.lock envs/build.lock pyproject.toml
	$(UV) venv --quiet --clear --python '>=3.11,<3.14' .venv
	$(UV) pip install --quiet --python .venv --require-hashes --build-constraints envs/build.lock -r requirements.lock
	$(UV) pip install --quiet --python .venv --no-deps --no-build-isolation --editable .
	touch $@

# A configuration that cannot work ends in one sentence. `exec` makes Snakemake a direct child of make, so that it
# stops when make stops, even by a kill.
define run
	@$(BIN)/python -m minority_topics check "$(1)" > /dev/null
	@exec env MINORITY_TOPICS_STOP_WITH_PARENT=1 $(SNAKEMAKE) $(2) --configfile "$(1)"
endef

figures: setup ## run the study: every figure, table and verdict (CONFIG=config/config.yaml)
	$(call run,$(CONFIG))

quick: setup ## run all methods twice in the main setting; too few repetitions for intervals and verdicts
	$(call run,config/quick.yaml)

beyond: setup ## where guidance helps and where it fails: the sweeps of config/beyond.yaml
	$(call run,config/beyond.yaml)

guidance: setup ## missing and wrong seed words, with 500, 5,000 and 50,000 documents: config/guidance.yaml
	$(call run,config/guidance.yaml)

explore: setup ## topics of your own comments: make explore COMMENTS=comments.csv SEEDS=seed_words.txt LANGUAGE=fi
	@test -n "$(COMMENTS)" -a -n "$(SEEDS)" -a -n "$(LANGUAGE)" || { echo "Name files and language:" \
	  "make explore COMMENTS=comments.csv SEEDS=seed_words.txt LANGUAGE=fi" >&2; exit 2; }
	@$(BIN)/python -m minority_topics configure_comments "$(COMMENTS)" --seed-words "$(SEEDS)" \
	  --language "$(LANGUAGE)" --name "$(NAME)" $(foreach key,$(SET),--set "$(key)") --out "results/$(NAME).yaml"
	$(call run,results/$(NAME).yaml)
	@echo "The page is results/$(NAME)/explorer.html, and the tables are in results/$(NAME)/tables/."

results/example_%/comments.csv: | setup
	$(BIN)/python -m minority_topics simulate_comments --language $* --out results/example_$*

case-study: results/example_fi/comments.csv results/example_en/comments.csv ## the same as explore, with simulated comments, Finnish and English
	$(call run,config/case_study.yaml)
	@echo "The pages are results/case_study_fi/explorer.html and results/case_study_en/explorer.html."

report: figures ## the same as figures, and list the pages: results/<dataset>/report.html
	@ls results/*/report.html

verify: setup ## name damaged, missing, stale and foreign files of results (REPAIR=--repair removes what can be made again)
	$(BIN)/python -m minority_topics verify results $(REPAIR)

archive: setup ## pack results with code, configuration and locks for deposit (DATASETS="a b" for some, ARCHIVE=file.zip)
	$(BIN)/python -m minority_topics archive $(DATASETS) --out "$(or $(ARCHIVE),results/archive.zip)"

reproduce: setup ## run an archive again and compare it byte for byte: make reproduce ARCHIVE=results/archive.zip
	@test -n "$(ARCHIVE)" || { echo "Name the archive: make reproduce ARCHIVE=results/archive.zip" >&2; exit 2; }
	$(BIN)/python -m minority_topics reproduce "$(ARCHIVE)" --cores "$(CORES)"

unlock: setup ## remove the lock of a run that died on another machine (the next run removes that of this machine itself)
	$(SNAKEMAKE) --unlock --configfile "$(CONFIG)"

.DELETE_ON_ERROR:
.venvs/benchmark.json: envs/benchmark.yaml envs/benchmark.lock | setup
	$(BIN)/python -m minority_topics build_env $< --record $@ --required

bench: .venvs/benchmark.json ## time the exact solver and its peers, into results/benchmarks (BENCH="--sizes 5000" for less)
	PYTHONPATH=workflow .venvs/benchmark/bin/python -m minority_topics benchmark --out results/benchmarks $(BENCH)

bench-comments: setup ## time every step from comments to the page (BENCH="--sizes 55783" for less)
	$(BIN)/python -m minority_topics bench_comments --out results/benchmarks $(BENCH)

envs: setup ## build the environments of all methods, and nothing else
	$(call run,$(CONFIG),envs)

sbom: setup ## write results/sbom.json: every package of the set-up, with version and hashes (CycloneDX)
	$(BIN)/python -m minority_topics sbom --out results/sbom.json

# Tests that run tools need `make envs` first. Three run at a time, because tests of a cluster mostly wait.
FAST := not slow and not environments and not long
PYTEST := $(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder
test: setup envs ## run every test but the long ones
	$(PYTEST) -n logical -m "$(FAST)"
	$(PYTEST) -n 3 -m "(slow or environments) and not long"

test-fast: setup ## run the tests that need no tool: under two minutes on two cores
	HYPOTHESIS_PROFILE=few $(PYTEST) -n logical -m "$(FAST)"

fuzz: setup ## try every property of the model on new random cases (CASES=1000 each)
	HYPOTHESIS_PROFILE=fuzz FUZZ_EXAMPLES=$(CASES) $(BIN)/python -m pytest tests/properties

test-cluster: setup ## run the tests against a real SLURM (root, and Debian's slurm-wlm and munge)
	$(BIN)/python -m pytest tests/cluster -m ""

test-faults: setup envs ## kill, fill, cut and spoil runs at MOMENTS=10 moments of each kind; the count goes to results/faults.csv
	FAULT_MOMENTS=$(MOMENTS) FAULT_TABLE=results/faults.csv $(PYTEST) -n 2 -m "" tests/faults tests/cluster/test_slurm_faults.py \
	  tests/workflow/test_damage.py tests/workflow/test_offline.py tests/workflow/test_stopping.py

lint: setup ## check style, types, imports between sub-packages, and the workflow
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/snakefmt --check Snakefile workflow/rules
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/snakemake --lint

# A local mirror may lack the files of other platforms, and so their hashes: use only the main index.
lock: setup ## renew requirements.lock and the lock of every environment
	UV_EXTRA_INDEX_URL= UV_FIND_LINKS= $(UV) pip compile --quiet --upgrade --all-extras --universal --python-version 3.11 \
	  --generate-hashes --no-annotate --no-header --no-emit-index-url --no-emit-find-links \
	  pyproject.toml --output-file requirements.lock
	UV_EXTRA_INDEX_URL= UV_FIND_LINKS= $(UV) pip compile --quiet --upgrade --universal --python-version 3.11 \
	  --generate-hashes --no-annotate --no-header --no-emit-index-url --no-emit-find-links \
	  envs/build.in --output-file envs/build.lock
	$(BIN)/python -m minority_topics lock_env envs/*.yaml

format: setup ## put the code into the house style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/snakefmt Snakefile workflow/rules

clean: ## remove environments and Snakemake's notes; results stay
	rm -rf .venv .venvs .snakemake
