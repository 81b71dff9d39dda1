"""Command line of the trace-variant query; see `mechanisms.cli`."""

from __future__ import annotations

import sys

from baselines import tvq
from baselines.prefix_query.options import add_alphabet_option, add_query_options
from mechanisms import cli

options = cli.parser("tvq", "Release activity sequences with noisy counts (trace-variant query).", folder="baselines")
add_query_options(options)
add_alphabet_option(options)
options.add_argument("--profile", choices=tvq.PROFILES, default="published", help="noise and accounting (%(default)s)")
options.add_argument("--style", choices=tvq.STYLES, default="full-prune", help="what is pruned (%(default)s)")
options.add_argument("--noise", choices=tvq.LAWS, help="instead of that of the profile")
options.add_argument("--accounting", choices=tvq.ACCOUNTINGS, help="instead of that of the profile")

if __name__ == "__main__":
    sys.exit(cli.run(options, tvq.anonymize))
