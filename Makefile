# Two commands matter: `make demo` and `make test`. Both do all their set-up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test check browser clean pins

demo: browser
	@$(BIN)/python examples/demo.py

# A machine that stands still for some seconds makes a page miss its deadline: what fails is tried
# once more, and is told in the summary even when it passes then.
test: browser
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder \
	    --reruns 1 --max-suite-reruns 5 --rerun-show-tracebacks

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports --no-cache

browser: $(READY)
	@$(BIN)/miolo doctor --browser-only >/dev/null 2>&1 || $(BIN)/miolo install

# requirements.txt is complete, so nothing is left to resolve; older pips fail at spellings of extras.
$(READY): requirements.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(READY)

# Renews the pinned versions from pyproject.toml.
pins: $(READY)
	$(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --extra dev --extra peers --extra collect --extra cjk \
	    --extra dates --extra ray --extra serve \
	    --no-emit-index-url --no-emit-find-links --no-header --no-annotate \
	    --output-file requirements.txt pyproject.toml

clean:
	rm -rf $(VENV) build dist *.egg-info
