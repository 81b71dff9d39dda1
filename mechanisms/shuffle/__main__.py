"""Command line of the negative control; see `mechanisms.cli`."""

from __future__ import annotations

import sys

from mechanisms import cli, shuffle

options = cli.parser("shuffle", "Activities and times dealt out anew: a control.")

if __name__ == "__main__":
    sys.exit(cli.run(options, shuffle.anonymize))
