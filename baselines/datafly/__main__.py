"""Command line of Datafly; see `mechanisms.cli`."""

from __future__ import annotations

import sys

from baselines import datafly
from baselines.relational import command

options = command.parser("datafly", "Recode a table to k-anonymity, attribute by attribute (Datafly).")
command.add_hierarchies(options)
options.add_argument("--tie", choices=datafly.TIES, default="first", help="attribute among equals (%(default)s)")
sys.exit(command.run(options, datafly.anonymize))
