"""Command line of the negative control; see `mechanisms.cli`."""

from __future__ import annotations

import sys

from mechanisms import cli, shuffle

sys.exit(cli.run(cli.parser("shuffle", "Activities and times dealt out anew: a control."), shuffle.anonymize))
