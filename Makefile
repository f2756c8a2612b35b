# Two commands to know: `make demo` and `make test`. `make check` adds format, lint and types.
# Everything is installed into .venv; delete that folder to start afresh.

VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip --disable-pip-version-check --no-input install --quiet --quiet --constraint constraints.txt
DEMO := examples/torchtitan-llama-8b.log --model llama-3.1-8b --chip h100-sxm --seq 8192

# The stamps carry a checksum of what decides the installation, the folder included (scripts name it).
KEY := $(shell (pwd; cat pyproject.toml constraints.txt) | cksum | cut -d' ' -f1)
BASE := $(VENV)/.base-$(KEY)
TEST := $(VENV)/.test-$(KEY)
CHECK := $(VENV)/.check-$(KEY)

.PHONY: demo test check format lint types docs clean

demo: $(BASE)
	@$(VENV)/bin/peakwise measure $(DEMO)
	@echo
	@$(VENV)/bin/peakwise explain $(DEMO)

# -m "" takes back the `-m "not sweep"` of pyproject.toml: everything runs.
test: $(TEST)
	$(RUN) -m pytest -m ""

# Tests last: the last line of a check is the tests' own summary.
check: format lint types
	$(MAKE) --no-print-directory test

format: $(CHECK)
	$(RUN) -m ruff format --check .

lint: $(CHECK)
	$(RUN) -m ruff check .

types: $(CHECK)
	$(RUN) -m pyright

# Writes the generated pages anew; a test fails when they are out of date.
docs: $(BASE)
	$(RUN) docs/generate.py

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis

$(RUN):
	@for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	  if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "building $(VENV) with $$($$python --version)"; exec $$python -m venv $(VENV); fi; \
	done; \
	echo "error: Python 3.11 or newer is not on the PATH" >&2; exit 1

# The build back end comes from constraints.txt too, so no isolated build fetches another one.
$(BASE): | $(RUN)
	@echo "installing peakwise into $(VENV)"
	@$(PIP) hatchling editables
	@$(PIP) --no-build-isolation --editable .
	@rm -f $(VENV)/.base-* && touch $@

# torch first and by its exact version: any range would take a build of several GB.
$(TEST): $(BASE)
	@echo "installing what the tests need into $(VENV)"
	@$(PIP) $$(grep '^torch==' constraints.txt)
	@$(PIP) --no-build-isolation --editable '.[torch,test]'
	@rm -f $(VENV)/.test-* && touch $@

$(CHECK): $(TEST)
	@echo "installing what the checks need into $(VENV)"
	@$(PIP) --no-build-isolation --editable '.[check]'
	@rm -f $(VENV)/.check-* && touch $@
