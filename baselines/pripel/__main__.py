"""Command line of PRIPEL; see `mechanisms.cli`."""

from __future__ import annotations

import sys

from baselines import pripel
from baselines.prefix_query.options import add_query_options
from mechanisms import cli

options = cli.parser("pripel", "Release new cases with times and attributes (PRIPEL).", folder="baselines")
add_query_options(options)
options.add_argument(
    "--time-mode", choices=pripel.TIME_MODES, default="published", help="by default published, which copies times"
)
options.add_argument("--dates", nargs=2, metavar=("FIRST", "LAST"), help="local: public range of dates, ISO, UTC")
options.add_argument("--max-duration", type=float, help="local: public bound on days between events of a case")

if __name__ == "__main__":
    sys.exit(cli.run(options, pripel.anonymize))
