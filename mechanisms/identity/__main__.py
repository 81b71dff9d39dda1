"""Command line of the positive control; see `mechanisms.cli`."""

from __future__ import annotations

import sys

from mechanisms import cli, identity

options = cli.parser("identity", "The log itself under fresh case ids: a control.")

if __name__ == "__main__":
    sys.exit(cli.run(options, identity.anonymize))
