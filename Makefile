# Every target sets up what it needs; only Python >= 3.11 with venv is assumed.
PYTHON ?= python3
CORES ?= 2
VENV ?= .venv
ENV := $(VENV)/.installed
RUN := PATH="$(abspath $(VENV))/bin:$$PATH"
UV := uv==0.13.9

.PHONY: quickstart compare test test-slow test-slurm benchmark benchmark-big lock

quickstart: $(ENV)  ## the whole workflow on the embedded synthetic logs
	$(RUN) snakemake --cores $(CORES) --configfile config/quickstart.yaml
	@echo "Report: results/report.html  Tables: results/quickstart/tables  Figures: results/quickstart/figures"

compare: $(ENV)  ## every mechanism on a log of your own: make compare LOG=my.xes.gz
	@test -n "$(LOG)" || { echo "Name your log: make compare LOG=my.xes.gz"; exit 2; }
	$(RUN) snakemake --cores $(CORES) --configfile config/compare.yaml --config 'datasets={"mine": {"path": "$(abspath $(LOG))"}}'
	@echo "Report: results/report.html"

test: $(ENV)  ## all tests but the long ones
	$(RUN) python -m pytest

test-slow: $(ENV)  ## the long tests: full grids, agreement in distribution, large logs
	$(RUN) python -m pytest -m slow

test-slurm: $(ENV)  ## on a SLURM of one node, set up and taken down (root; slurm-wlm and munge installed)
	$(RUN) python -m pytest -m slurm tests/slurm

benchmark: $(ENV)  ## speed and memory beside public peers; one part alone: make benchmark PART=Tables
	$(RUN) python -m benchmarks $(if $(PART),--part $(PART))

benchmark-big: $(ENV)  ## every mechanism and metric on logs of millions of events: hours
	$(RUN) python -m benchmarks.big
	$(RUN) python -m benchmarks.growth

lock: $(ENV)  ## derive requirements.lock from environment.yml
	$(VENV)/bin/python -m pip install --quiet $(UV)
	$(RUN) python -m config.lock

$(ENV): requirements.lock
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; call make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --require-hashes --requirement requirements.lock
	touch $@
