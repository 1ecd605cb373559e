# Sets up and runs Tracemill in this checkout. Everything installed goes into .venv.

## Variables, e.g. make analyze TRACE=run1/traces.otf2 STORE=/scratch/store
##   TRACE         archive to analyze: its anchor file or its directory; or a trace in CSV
##   STORE         where results are kept (./store)
##   RUNS          folder of many traces, or a file that lists them (all runs in STORE)
##   SOURCE        folder with OTF2 archives below it, for nightly
##   PATTERN       pattern of trace names, e.g. p{p}_n{n}_r{r}
##   THREADS       threads to use (all cores)
##   MEMORY_LIMIT  memory for queries, e.g. 8GB
##   ARGS          further options, e.g. ARGS="--explain"
##   TRACES        traces with reference results (../shared/traces)
##   WHEELHOUSE    folder of packages to install from, without network
##   PYTHON        Python 3.11 or newer to set up with (python3)
TRACE ?=
STORE ?= ./store
RUNS ?=
SOURCE ?=
PATTERN ?=
THREADS ?=
MEMORY_LIMIT ?=
ARGS ?=
TRACES ?= ../shared/traces
WHEELHOUSE ?=
PYTHON ?= python3

# Recipes read these from the environment, "$$TRACE" and so on, so that any file name works.
export TRACE STORE RUNS SOURCE PATTERN THREADS MEMORY_LIMIT TRACES WHEELHOUSE PYTHON
# Packages of other environments must not be mistaken for installed ones.
unexport PYTHONPATH PYTHONHOME
# Compiling all tests takes each worker half of its start; what is compiled stays.
unexport PYTHONDONTWRITEBYTECODE

PY := .venv/bin/python
TRACEMILL := .venv/bin/tracemill

# Stamps, each written last. An unfinished INSTALLING is newer than RUNTIME: begin anew. RUNTIME
# holds the pins that are installed: a checkout also dates unchanged files anew.
RUNTIME := .venv/.runtime
PACKAGE := .venv/.package
KERNELS := .venv/.kernels
PICTURES := .venv/.pictures
DEVELOP := .venv/.develop
INSTALLING := .venv/.installing

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: help setup analyze campaign nightly demo runs sql pictures harlequin test test-quick check fix docs reference bench bench-full wheelhouse otf2 \
	pins clean rebuild trace-is-given source-is-given \
	wheelhouse-is-given

help: ## This list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile
	@echo
	@awk '/^## ?/ { sub(/^## ?/, ""); print }' Makefile

# --- Use ---------------------------------------------------------------------------------------

OPTIONS = $(if $(THREADS),--threads "$$THREADS") \
	$(if $(MEMORY_LIMIT),--memory-limit "$$MEMORY_LIMIT") $(ARGS)

setup: $(KERNELS) $(DEVELOP) ## Install all dependencies into .venv
	@echo 'Ready: make analyze TRACE=path/to/traces.otf2'

analyze: trace-is-given $(PACKAGE) ## Analyze TRACE into STORE
	@$(TRACEMILL) analyze "$$TRACE" --store "$$STORE" $(OPTIONS)

campaign: $(PACKAGE) $(PICTURES) ## Compare the runs in RUNS, or all in STORE
	@$(TRACEMILL) campaign $(if $(RUNS),"$$RUNS") --store "$$STORE" \
	$(if $(PATTERN),--pattern "$$PATTERN") $(OPTIONS)

nightly: source-is-given $(PACKAGE) $(PICTURES) ## Analyze new traces below SOURCE, for unattended use
	@$(TRACEMILL) nightly "$$SOURCE" --store "$$STORE" $(OPTIONS)

demo: $(PACKAGE) ## Analyze a small example into build/demo
	@$(TRACEMILL) analyze data/m01_late_sender --store build/demo $(OPTIONS)

runs: $(PACKAGE) ## List the runs in STORE
	@$(TRACEMILL) runs --store "$$STORE" $(ARGS)

sql: $(PACKAGE) ## Query STORE at a prompt, or with ARGS="'FROM locations'"
	@$(TRACEMILL) sql --store "$$STORE" $(ARGS)

pictures: $(PICTURES) ## Install matplotlib, for campaigns, forecasts and report --pictures

harlequin: $(RUNTIME) ## Install harlequin, another prompt: make sql ARGS=--harlequin
	@$(INSTALL) $(WHEELS) $(HASHED) --requirement requirements/harlequin.txt || { $(INSTALL_FAILED); exit 1; }

trace-is-given:
	@test -n "$$TRACE" || { echo 'Which trace? make analyze TRACE=path/to/traces.otf2' >&2; exit 2; }

source-is-given:
	@test -n "$$SOURCE" || { echo 'Which folder? make nightly SOURCE=path/to/archives' >&2; exit 2; }

# --- Develop -----------------------------------------------------------------------------------

PYTEST = $(PY) -m pytest -n $(or $(THREADS),auto) --dist loadfile

test: $(KERNELS) $(DEVELOP) ## Run the tests, e.g. ARGS="-k late_sender"
	@$(PYTEST) $(ARGS)

test-quick: $(KERNELS) $(DEVELOP) ## Run golden tests and contracts, about two minutes
	@$(PYTEST) tests/golden tests/contracts $(ARGS)

# The installed layout as links: mypy and import-linter look for modules in folders.
TREE := build/tree

# Only caches and build/ are written.
check: $(PACKAGE) $(DEVELOP) ## Format, lint, types, imports, SQL, documents; changes nothing
	@rm -rf $(TREE); mkdir -p $(TREE)/tracemill; \
	ln -s "$(CURDIR)"/pipeline/* "$(CURDIR)/schemas" $(TREE)/tracemill/
	@failed=0; \
	run() { echo "$$*"; "$$@" || { failed=$$((failed + 1)); echo "FAILED: $$*"; }; }; \
	run $(PY) -m ruff format --check --quiet .; \
	run $(PY) -m ruff check --quiet .; \
	run $(PY) -m mypy --no-error-summary; \
	run env PYTHONPATH=$(TREE) .venv/bin/lint-imports --no-logo --cache-dir build/imports; \
	run $(PY) -m sqlfluff lint --processes 0 queries; \
	run $(PY) -m tracemill.reference --check; \
	echo "checks failed: $$failed of 6"; test $$failed -eq 0

fix: $(DEVELOP) ## Format and fix automatically; overwrites sources
	@$(PY) -m ruff check --fix . || true
	@$(PY) -m ruff format .
	@$(PY) -m sqlfluff fix --processes 0 queries

docs: $(PACKAGE) ## Write the generated documents anew
	@$(PY) -m tracemill.reference

reference: $(KERNELS) ## Compare with the reference results in TRACES
	@$(PY) -m tests.reference "$$TRACES" $(ARGS)

bench: $(KERNELS) $(DEVELOP) ## Measure speed and memory, in about six minutes
	@$(PY) -m tests.bench $(ARGS)

bench-full: $(KERNELS) $(DEVELOP) ## The same with 100 million events, in 4 GB of memory for queries
	@$(PY) -m tests.bench --events 1000000,5000000,20000000,100000000 --memory-limit 4GB $(ARGS)

clean: ## Remove caches and build/; keeps .venv, every other store
	@rm -rf build .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis $(KERNELS)
	@find pipeline schemas tests -name __pycache__ -type d -prune -exec rm -rf {} +

# --- Installation ------------------------------------------------------------------------------

# A wheelhouse being filled is not yet one to install from.
OFFLINE := $(if $(filter wheelhouse,$(MAKECMDGOALS)),,$(WHEELHOUSE))
# Ctrl-C must end the recipe, not count as pip's failure.
INSTALL = trap 'exit 130' HUP INT TERM; \
	$(PY) -m pip --disable-pip-version-check install --quiet \
	$(if $(OFFLINE),--no-index --find-links "$$WHEELHOUSE")
DOWNLOAD = $(PY) -m pip --disable-pip-version-check download --quiet $(HASHED) \
	--dest "$$WHEELHOUSE"
WHEELS = --only-binary :all:
HASHED = --require-hashes
# Builds use the pinned setuptools of .venv.
OTF2 = --no-build-isolation $(HASHED) --requirement requirements/otf2.txt

# An environment may forbid Python to write bytecode when packages are used: every start would take a
# second more. pip compiles on one processor, and also the tests that packages contain.
BYTECODE = $(PY) -m compileall -q -j 0 -x '/tests?/' .venv/lib >/dev/null || true

define INSTALL_FAILED
	{ echo 'Packages could not be installed, see above.' >&2; $(if $(OFFLINE), \
	echo "Was $$WHEELHOUSE filled by make wheelhouse with the same Python and system?" >&2, \
	echo 'Without network: make setup WHEELHOUSE=DIR, filled elsewhere by make wheelhouse.' >&2); }
endef

define INSTALL_OTF2
	$(INSTALL) $(OTF2) >.venv/otf2.log 2>&1 || { \
	echo 'The OTF2 library could not be installed (see .venv/otf2.log; to try again: make otf2).'; \
	echo 'Only generate, --reader library and tests need it, or OTF2_LIBRARY=/path/libotf2.so.'; }
endef

# An environment of another Python than the one asked for, or of one that is gone, is no use.
IDENTITY := import sys; print(sys.version_info[:3], sys.base_prefix)
ifeq ($(wildcard $(PY)),)
STALE := rebuild
else ifneq ($(origin PYTHON),file)
ifneq ($(shell { "$(PYTHON)" -c '$(IDENTITY)'; } 2>&1),$(shell { $(PY) -c '$(IDENTITY)'; } 2>&1))
STALE := rebuild
endif
endif
PINS := requirements/runtime.txt requirements/build.txt
ifneq ($(shell cat $(PINS) | cmp - $(RUNTIME) 2>&1),)
STALE := rebuild
endif

# sys._base_executable: python3 may be that of the .venv to be replaced.
$(RUNTIME): $(wildcard $(INSTALLING)) $(STALE)
	@"$$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	echo "Python 3.11 or newer is needed, but $$PYTHON says: $$({ "$$PYTHON" --version; } 2>&1)." \
	'Name another: make setup PYTHON=python3.12' >&2; exit 1; }
	@"$$PYTHON" -c 'import ensurepip, venv' 2>/dev/null || { \
	echo "$$PYTHON has no venv module; install it (Debian, Ubuntu: apt-get install python3-venv)." \
	>&2; exit 1; }
	@echo 'Setting up .venv (half a minute to two, 800 MB) ...'
	@rm -f $(RUNTIME) $(PACKAGE) $(KERNELS) $(PICTURES) $(DEVELOP)
	@"$$("$$PYTHON" -c 'import sys; print(sys._base_executable)')" -m venv --clear .venv
	@$(INSTALL) --no-compile $(WHEELS) $(HASHED) --requirement requirements/runtime.txt \
	--requirement requirements/build.txt || { $(INSTALL_FAILED); exit 1; }
	@$(BYTECODE)
	@cat $(PINS) >$@

# The package of this checkout; a new folder in it has to be installed.
$(PACKAGE): pyproject.toml $(RUNTIME)
	@$(INSTALL) --no-build-isolation --no-deps --editable . || { $(INSTALL_FAILED); exit 1; }
	@touch $@

$(KERNELS): $(PACKAGE) $(wildcard pipeline/kernels/*.py pipeline/kernels/*/*.py)
	@echo 'Compiling kernels ...'
	@$(PY) -m tracemill.kernels.warm_up
	@touch $@

$(PICTURES): requirements/pictures.txt $(RUNTIME)
	@$(INSTALL) $(WHEELS) $(HASHED) --requirement requirements/pictures.txt || { $(INSTALL_FAILED); exit 1; }
	@touch $@

# A failed pip has left things as they were; only an interrupted one leaves INSTALLING behind.
$(DEVELOP): requirements/develop.txt requirements/otf2.txt $(RUNTIME) $(PICTURES)
	@echo 'Installing test and lint tools ...'
	@$(INSTALL_OTF2)
	@touch $(INSTALLING); $(INSTALL) $(WHEELS) $(HASHED) --requirement requirements/develop.txt || { \
	rm -f $(INSTALLING); $(INSTALL_FAILED); exit 1; }; rm -f $(INSTALLING)
	@touch $@

otf2: $(RUNTIME) ## Install the OTF2 library, for generate and --reader library
	@$(INSTALL_OTF2)

wheelhouse: wheelhouse-is-given $(RUNTIME) ## Fill WHEELHOUSE for a machine without network
	@mkdir -p "$$WHEELHOUSE"
	@$(DOWNLOAD) $(WHEELS) --requirement requirements/runtime.txt
	@$(DOWNLOAD) $(WHEELS) --requirement requirements/build.txt
	@$(DOWNLOAD) $(WHEELS) --requirement requirements/pictures.txt
	@$(DOWNLOAD) $(WHEELS) --requirement requirements/develop.txt
	@$(DOWNLOAD) $(WHEELS) --requirement requirements/harlequin.txt
	@$(DOWNLOAD) $(OTF2) || echo 'The OTF2 library could not be downloaded; the rest is there.'

wheelhouse-is-given:
	@test -n "$$WHEELHOUSE" || { echo 'Which folder? make wheelhouse WHEELHOUSE=DIR' >&2; exit 2; }

UV ?= uv
COMPILE = $(UV) pip compile --quiet --upgrade --generate-hashes --no-emit-index-url --universal \
	--python-version 3.11 --custom-compile-command 'make pins'

pins: ## Compile requirements/*.txt from *.in again (needs uv)
	@$(COMPILE) requirements/runtime.in --output-file requirements/runtime.txt
	@for set in build pictures develop otf2 harlequin; do \
	$(COMPILE) requirements/$$set.in --constraints requirements/runtime.txt \
	--output-file requirements/$$set.txt || exit 1; done
