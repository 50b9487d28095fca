# The newcomer's two commands are `make run` and `make test`; `make help` lists the rest.
# The first one sets up .venv; later ones do not, unless pyproject.toml has changed.

RUN_COMMAND   := simulate --page 0
BENCH_COMMAND := bench

PYTHON ?= python3
# What is installed goes with the system's own Python, whatever else is on the PATH.
SYSTEM_PYTHON := $(if $(filter command line environment,$(origin PYTHON)),$(PYTHON),/usr/bin/python3)
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/set-up

.DEFAULT_GOAL := help
.PHONY: help run setup test lint types pytest test-system bench install uninstall deb clean

help: ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile

run: $(STAMP) ## play a game on the simulated table
	@$(BIN)/blokus-table $(RUN_COMMAND)

setup: $(STAMP) ## only set up

test: lint types pytest ## check style and types, and run every test

lint: $(STAMP) ## check style
	$(BIN)/ruff check .

types: $(STAMP) ## check types
	$(BIN)/mypy

pytest: $(STAMP) ## run the tests
	$(BIN)/python -m pytest

test-system: $(STAMP) ## test the installation and the service in a container (as root, 3 minutes)
	$(BIN)/python -m pytest -m container tests/systemd

bench: $(STAMP) ## measure speed and size
	@$(BIN)/blokus-table $(BENCH_COMMAND)

install: ## install on this machine or below DESTDIR= (as root); again to upgrade
	@PYTHON='$(SYSTEM_PYTHON)' systemd/install.sh '$(DESTDIR)'

uninstall: ## take it away again (as root); settings and games stay
	@systemd/uninstall.sh '$(DESTDIR)'

deb: ## build the Debian package in dist/, for this machine or ARCH=arm64
	@PYTHON='$(SYSTEM_PYTHON)' systemd/package.sh dist '$(ARCH)'

clean: ## remove all that was set up or built
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

$(STAMP): pyproject.toml
	@PYTHON='$(PYTHON)' ./setup.sh $(VENV) $(STAMP)

# The stamp holds the path it was set up at: when the checkout was moved, or its Python removed, it is stale.
ifneq ($(shell [ -x $(BIN)/python ] && cat $(STAMP) 2>/dev/null),$(CURDIR))
.PHONY: $(STAMP)
endif
