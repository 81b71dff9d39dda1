"""Command line of Mondrian; see `mechanisms.cli`."""

from __future__ import annotations

import sys

from baselines import mondrian
from baselines.relational import command
from baselines.relational.attributes import ENCODINGS

options = command.parser("mondrian", "Recode a table to k-anonymity by cutting it at medians (Mondrian).")
options.add_argument("--k", type=int, required=True, help="smallest size of a class")
options.add_argument("--rule", choices=mondrian.RULES, default="lhs_rhs", help="where to cut (%(default)s)")
options.add_argument("--scope", choices=mondrian.SCOPES, default="dimension", help="of the rule lhs_rhs (%(default)s)")
options.add_argument("--width", choices=mondrian.WIDTHS, default="region", help="the widest by this (%(default)s)")
options.add_argument("--domain", choices=mondrian.DOMAINS, default="data", help="outermost bounds (%(default)s)")
options.add_argument("--tight", action="store_true", help="release the smallest intervals that hold the values")
options.add_argument("--encoding", choices=ENCODINGS, default="integer", help="of addresses (%(default)s)")
sys.exit(command.run(options, mondrian.anonymize))
