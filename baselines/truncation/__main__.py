"""Command line of the truncation of addresses; see `mechanisms.cli`."""

from __future__ import annotations

import sys

from baselines import truncation
from baselines.relational import command

options = command.parser("truncation", "Cut addresses to a prefix, without any guarantee.")
options.add_argument("--prefix", type=int, required=True, help="bits to keep, 0 to 32")
options.add_argument("--k", type=int, default=10, help="rows in smaller classes are counted (%(default)s)")
sys.exit(command.run(options, truncation.anonymize))
