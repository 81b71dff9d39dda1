"""Command line of Incognito; see `mechanisms.cli`."""

from __future__ import annotations

import sys

from baselines import incognito
from baselines.relational import command

options = command.parser("incognito", "Recode a table to k-anonymity at the best levels of all (Incognito).")
command.add_hierarchies(options)
options.add_argument("--criterion", choices=incognito.CRITERIA, default="classes", help="of the best (%(default)s)")
options.add_argument("--scope", choices=incognito.SCOPES, help="levels to choose from (default: those that suffice)")
sys.exit(command.run(options, incognito.anonymize))
