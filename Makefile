# `make demo` shows the product on real data; `make test` checks all of it; `make docs` builds the site. All start from
# nothing.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip --disable-pip-version-check

.PHONY: demo test coverage versions compiled lint types docs clean

demo: $(VENV)/.installed
	$(BIN)/python -m kmerf.demo

# Two at a time of what comes before the tests.
MAKEFLAGS += -j2
# The tests start many processes, each of which would compile all sources again.
unexport PYTHONDONTWRITEBYTECODE
test: lint types compiled
	$(BIN)/python -m pytest -m "not versions" -n auto --dist worksteal

# Which lines and branches the tests run, with a floor (pyproject.toml); apart from `make test`, as counting takes time.
coverage: compiled
	$(BIN)/python -m pytest -m "not versions and not slow" -n auto --cov --cov-report=term

# The wheel in an empty environment, the lowest versions of the dependencies that pyproject.toml declares, and the
# newest Python that is at hand.
versions: $(VENV)/.developing
	$(BIN)/python -m pytest -m versions

# Compiled code is kept, so that not every worker compiles it at the same time; dcor does so when it is imported.
# The tests run it with bounds checking (tests/conftest.py).
compiled: export NUMBA_BOUNDSCHECK = 1
compiled: $(VENV)/.developing
	$(BIN)/python -c "import dcor"
	$(BIN)/python -m kmerf.demo > $(VENV)/demo.txt

lint: $(VENV)/.developing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.developing
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini

# Runs every example of the pages; a broken link or a failing example fails it. Open site/index.html;
# its search needs a server, such as `python -m http.server --directory site`.
docs: $(VENV)/.documenting
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# A stamp is written only after its step succeeded, so that an interrupted one is done again.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "kmerf needs Python 3.11 or newer: make PYTHON=/path/to/python $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.installed: $(VENV)/.made pyproject.toml
	@echo "Installing kmerf and what it needs into $(VENV) ..."
	$(PIP) install --quiet --editable .
	touch $@

# Groups of dependencies need a pip that knows them.
$(VENV)/.developing: $(VENV)/.installed
	@echo "Installing what the checks need ..."
	$(PIP) install --quiet --upgrade "pip>=25.1"
	$(PIP) install --quiet --group dev
	touch $@

$(VENV)/.documenting: $(VENV)/.developing
	@echo "Installing what the site needs ..."
	$(PIP) install --quiet --group docs
	touch $@

clean:
	rm -rf $(VENV) build dist site .mypy_cache .pytest_cache .ruff_cache .coverage*
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
