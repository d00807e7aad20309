# The main commands are `make demo` and `make test`. Both do all of their own setup.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := .uv/bin/uv
SYNC := UV_PROJECT_ENVIRONMENT=$(VENV) UV_PYTHON_DOWNLOADS=never $(UV) sync --quiet --locked --python $(PYTHON)
BASE := $(VENV)/.base
READY := $(VENV)/.ready

# The tests start hundreds of interpreters. Without bytecode files, each compiles all its imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test attacks check docs man browser lock clean

demo: $(BASE)
	@$(BIN)/miolo install
	@$(BIN)/python examples/demo.py

# Three processes for two cores, because tests often wait for a page or for another process. Matrix
# products are small in the tests, so BLAS threads cost more time than they save.
test: export OPENBLAS_NUM_THREADS = 1
test: browser
	$(BIN)/python -m pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder

# Whole tables of attacks and of pumped patterns, and many examples of each property.
ATTACKS := tests/hostile tests/renderer/test_egress_attacks.py tests/renderer/test_separation.py \
	tests/debug/test_injection.py tests/output tests/renderer/test_exchanges.py tests/renderer/test_mhtml.py
attacks: export OPENBLAS_NUM_THREADS = 1
attacks: browser
	$(BIN)/python -m pytest --hypothesis-profile thorough --numprocesses 3 --dist loadfile $(ATTACKS)

check: $(READY) docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports --no-cache

docs: $(READY)
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=.dev $(BIN)/mkdocs build --quiet --strict

# Man pages of the commands, generated from their help.
man: $(READY)
	$(BIN)/python docs/man_pages.py build/man

browser: $(READY)
	@$(BIN)/miolo install

# Updates uv.lock after a change to the dependencies in the two files pyproject.toml.
lock: $(UV)
	$(UV) lock --python $(PYTHON)

$(UV):
	$(PYTHON) -m venv .uv
	.uv/bin/python -m pip install --quiet --disable-pip-version-check uv==0.13.9

# Without --inexact, the demo would uninstall the packages that the tests need.
$(BASE): $(UV) uv.lock pyproject.toml research/pyproject.toml
	$(SYNC) --no-dev --inexact
	@touch $(BASE)

$(READY): $(UV) uv.lock pyproject.toml research/pyproject.toml
	$(SYNC) --all-packages --all-extras --no-extra tree-peers
	@touch $(BASE) $(READY)

clean:
	rm -rf $(VENV) .uv build dist site *.egg-info
