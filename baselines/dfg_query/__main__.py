"""Command line of the directly-follows query; see `mechanisms.cli`."""

from __future__ import annotations

import sys

from baselines import dfg_query
from baselines.prefix_query.options import add_alphabet_option, add_epsilon_options, add_length_option
from mechanisms import cli

options = cli.parser("dfg_query", "Release a directly-follows graph with noisy frequencies.", folder="baselines")
add_epsilon_options(options)
add_alphabet_option(options)
options.add_argument(
    "--profile", choices=dfg_query.PROFILES, default="published", help="what epsilon hides (%(default)s)"
)
add_length_option(options, "accounted: most events of a case that count", "p80")

if __name__ == "__main__":
    sys.exit(cli.run(options, dfg_query.anonymize))
