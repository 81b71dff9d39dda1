"""Command line of the positive control; see `mechanisms.cli`."""

from __future__ import annotations

import sys

from mechanisms import cli, identity

sys.exit(cli.run(cli.parser("identity", "The log itself under fresh case ids: a control."), identity.anonymize))
