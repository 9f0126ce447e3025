# Start with `make demo` and `make test`. Both install their requirements first.
.DEFAULT_GOAL := help
.PHONY: help demo test check docs soak bench browser desktop android appium format schema web fixtures widgets prove clean
PY := .venv/bin/python
UIAP := .venv/bin/uiap
MKDOCS := NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict
# Tests start many programs. With bytecode files, each module is compiled only once.
unexport PYTHONDONTWRITEBYTECODE

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

.venv/.dev: pyproject.toml constraints.txt tools/bootstrap.sh
	@sh tools/bootstrap.sh dev
	@touch $@

.venv/.bench: .venv/.dev
	@sh tools/bootstrap.sh bench
	@touch $@

browser: .venv/.dev
	@$(UIAP) doctor --install-browser --quiet

desktop: .venv/.dev ## install the requirements of the desktop driver tests (root and apt)
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get install -y -q --no-install-recommends xvfb dbus at-spi2-core galculator zenity mousepad featherpad \
	    python3-gi gir1.2-gtk-3.0 python3-pyqt5; \
	else echo "install xvfb, dbus, at-spi2-core, galculator, zenity, mousepad, featherpad, and PyGObject and PyQt5 of" \
	  "the system's Python by your package manager"; fi

android: .venv/.dev ## install the requirements of the android driver tests (Debian, root and apt)
	@sh tools/android.sh

appium: ## install the requirements of the appium driver tests (Node and npm)
	@sh tools/appium.sh

demo: .venv/.dev browser ## the product in one minute (KEEP=1 leaves it open to play with)
	@$(UIAP) demo $(if $(KEEP),--keep)

test: .venv/.dev browser ## all tests
	@$(PY) -m pytest -n 2 --dist worksteal -q

check: .venv/.dev ## format, lint, types, layers, structure, unused code, words, generated files
	@$(PY) -m ruff format --check -q . || { echo "run: make format"; exit 1; }
	@$(PY) -m ruff check -q .
	@$(PY) -m mypy
	@.venv/bin/lint-imports --no-cache
	@$(PY) tools/structure.py
	@$(PY) tools/unused.py
	@$(PY) tools/words.py
	@$(PY) tools/citations.py
	@$(PY) tools/schemas.py --check
	@sh tools/web.sh check
	@$(MKDOCS) --quiet

docs: .venv/.dev ## build the documentation website into site/
	@$(MKDOCS) && echo "open site/index.html, or with its search: .venv/bin/python -m http.server -d site"

format: .venv/.dev ## format and sort
	@$(PY) -m ruff format -q .
	@$(PY) -m ruff check -q --fix .

schema: .venv/.dev ## write schema/v0.1 from the types
	@$(PY) tools/schemas.py

fixtures: ## build the pages of real frameworks and libraries into .uiap/ (needs Node)
	@sh tools/fixtures.sh

web: ## build the page script (needs Node)
	@sh tools/web.sh build

widgets: .venv/.bench browser ## run the tasks on widgets and write their table into docs/actions.md (needs Node)
	@TASK_TABLE=1 $(PY) -m bench tasks

prove: .venv/.dev browser ## show that the tests fail when their requirement is broken
	@$(PY) tools/prove.py

soak: .venv/.dev browser ## the long repetitions (CASE=F10 for one, `tools/soak.py --list` for all codes)
	@$(PY) tools/soak.py $(CASE)

bench: .venv/.bench browser ## speed, compared with peers and floors in the same run
	@$(PY) -m bench $(CASE)

clean: ## remove all files that make created
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis site
