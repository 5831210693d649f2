# Short names for what CI runs. On a machine without make: README.md and docs/contributing.md have the commands.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RESULTS := benchmarks/results

.PHONY: ask test test-long check bench docs lock clean

$(BIN)/pytest: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[dev]'
	@touch $@

# The README's first command, with whatever is installed already.
ask: $(BIN)/pytest
	$(BIN)/ragforge ask "where is AsyncConversationAgent?"

test: $(BIN)/pytest
	$(BIN)/python -m pytest

# Servers and processes that are killed again and again, stores that are upgraded, every plan of the older line.
test-long: $(BIN)/pytest
	$(BIN)/python -m pytest -m long

check: $(BIN)/pytest
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# NEO4J_URI's server, else the managed one. benchmarks/answers.py and scopes.py want repositories,
# benchmarks/samples.py wants files of other programs: see their heads.
bench: $(BIN)/pytest
	$(BIN)/python benchmarks/core.py --json $(RESULTS)/core.json
	$(BIN)/python benchmarks/company.py --json $(RESULTS)/company.json
	$(BIN)/python benchmarks/startup.py --json $(RESULTS)/startup.json
	if [ -f benchmarks/ingest.py ]; then $(BIN)/python benchmarks/ingest.py; fi
	$(BIN)/python benchmarks/faults.py --rounds 50

# Everything that is made from the program: the blocking classes, and what docs/ has of it.
docs: $(BIN)/pytest
	$(BIN)/python scripts/generate_blocking.py
	$(BIN)/python docs/generate_cli.py
	$(BIN)/python docs/generate_configuration.py
	$(BIN)/python docs/generate_schema.py
	$(BIN)/python docs/generate_archive_schema.py

# Takes the newest versions that pyproject.toml allows; run the tests before committing the result.
lock:
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install -q -e '.[dev]'
	sed -n '/^#/p' constraints.txt > constraints.new
	$(BIN)/python -m pip freeze --exclude-editable >> constraints.new
	mv constraints.new constraints.txt

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
