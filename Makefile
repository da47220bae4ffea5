# `make run` and `make test` do everything from a fresh clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DOCS_READY := $(VENV)/.docs-ready

.PHONY: setup run live live-pictures test tests coverage check verify fuzz bench device nir avalanche cifar-features docs test-numba release clean

setup: $(READY)

$(READY): pyproject.toml reproduction/pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]" --editable ./reproduction
	touch $(READY)

run: setup ## the main job: digits 0 to 9 strictly in turn, 400 neurons, one pass
	$(BIN)/lethenet run

live: setup ## a page on which you watch a network learn MNIST, and teach it
	$(BIN)/lethenet live

live-pictures: setup ## the pictures of that page for the documentation, by Chromium
	$(BIN)/python docs/live_pictures.py

check: setup ## lint, format, types, import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: setup ## everything that must pass; checks run beside the tests
	@$(MAKE) --no-print-directory --jobs=2 check tests

tests: setup
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest --numprocesses 2 -m "not slow"

coverage: check ## the tests again, with what they do not reach (half as fast)
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest --numprocesses 2 -m "not slow" --cov --cov-report=term:skip-covered

verify: setup ## full-data checks; appends to results/verify/ and can be stopped and resumed
	$(BIN)/python -m lethenet_reproduction.studies.verify

fuzz: setup ## hostile files, flipped bits and killed processes; appends to results/fuzz/ and can be stopped and resumed
	$(BIN)/python tests/fuzz/fuzzing.py all
	$(BIN)/python tests/fuzz/bits.py
	$(BIN)/python tests/fuzz/kills.py
	$(BIN)/python tests/fuzz/summary.py

bench: setup ## speed beside the peers, in environments of their own
	$(BIN)/python benchmarks/run.py

device: setup ## the network as C: tests under sanitizers, then measured here and, where ARM's compiler and QEMU are there, on a Cortex-M
	$(BIN)/pytest tests/interchange/test_c.py tests/interchange/test_c_project.py
	$(BIN)/python benchmarks/device.py

nir: setup ## one layer in Norse, SpikingJelly and snnTorch, in environments of their own; writes results/nir
	$(BIN)/python benchmarks/simulators/run.py

.venvs/cifar-features/.ready: reproduction/cifar_features/requirements.txt
	$(PYTHON) -m venv .venvs/cifar-features
	.venvs/cifar-features/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

cifar-features: .venvs/cifar-features/.ready ## CIFAR-10 as a pretrained network sees it, into the cache folder; can be stopped and resumed
	OMP_NUM_THREADS=1 .venvs/cifar-features/bin/python reproduction/cifar_features/compute.py

.venvs/avalanche/.ready: benchmarks/avalanche/requirements.txt pyproject.toml
	$(PYTHON) -m venv .venvs/avalanche
	.venvs/avalanche/bin/python -m pip install --quiet --disable-pip-version-check --requirement $< --editable .
	.venvs/avalanche/bin/python -m pip install --quiet --disable-pip-version-check --no-deps avalanche-lib==0.6.0
	touch $@

avalanche: .venvs/avalanche/.ready ## an Avalanche benchmark gives the same R as our own split; writes results/avalanche
	.venvs/avalanche/bin/python benchmarks/avalanche/run.py

$(DOCS_READY): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[docs]"
	touch $(DOCS_READY)

docs: $(DOCS_READY) ## the documentation site, in docs/_build; a warning is an error
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs docs/_build

# Environments of their own: the oldest numba that pyproject.toml allows, and the newest that there is today.
AGREEMENT := tests/model/test_agreement.py tests/engine
.venvs/numba-%/.ready: pyproject.toml tests/oldest.txt
	$(PYTHON) -m venv .venvs/numba-$*
	.venvs/numba-$*/bin/python -m pip install --quiet --disable-pip-version-check --upgrade \
		$(if $(filter oldest,$*),--constraint tests/oldest.txt) --editable . "pytest>=8" "hypothesis>=6.100"
	.venvs/numba-$*/bin/python -m pip check
	touch $@

test-numba: .venvs/numba-oldest/.ready .venvs/numba-newest/.ready ## kernels and reference agree on every numba, and as plain njit
	.venvs/numba-oldest/bin/python -m pytest -q $(AGREEMENT)
	.venvs/numba-newest/bin/python -m pytest -q $(AGREEMENT)
	LETHENET_PLAIN_NJIT=1 .venvs/numba-newest/bin/python -m pytest -q $(AGREEMENT)

release: setup ## build, check, install into an empty environment and use it (docs/releasing.md); uploads nothing
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "build>=1.2" "twine>=6"
	$(BIN)/python tools/release.py

clean: ## environments, caches and build products (results and runs stay)
	rm -rf $(VENV) .venvs .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage dist build docs/_build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
