"""Command line of SaCoFa; see `mechanisms.cli`."""

from __future__ import annotations

import sys

from baselines import sacofa
from baselines.prefix_query.options import add_query_options
from mechanisms import cli

options = cli.parser("sacofa", "Release activity sequences that keep to the process (SaCoFa).", folder="baselines")
add_query_options(options)
options.add_argument("--mode", choices=sacofa.MODES, default="ba", help="of the published code (%(default)s)")
options.add_argument("--pruning-conforming", help="ba_prune: pruning of conforming prefixes (by default two thirds)")

if __name__ == "__main__":
    sys.exit(cli.run(options, sacofa.anonymize))
