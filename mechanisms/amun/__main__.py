"""Command line of Amun; see `mechanisms.cli`."""

from __future__ import annotations

import sys

from mechanisms import amun, cli

options = cli.parser("amun", "Release an event log under a limit on the guessing advantage (Amun).")
options.add_argument("--delta", type=float, required=True, help="largest guessing advantage, in (0, 1)")
options.add_argument("--mode", choices=amun.MODES, default="sampling", help="by default sampling")
options.add_argument(
    "--profile", choices=amun.PROFILES, default="hardened", help="by default hardened, the defensible one"
)
options.add_argument("--precision", type=float, default=10.0, help="minutes a right guess may be off (%(default)s)")
options.add_argument("--additive", type=float, default=1e-6, help="hardened: chance of a lone variant (%(default)s)")
options.add_argument("--max-copies", type=int, default=1, help="hardened: most instances of one case (%(default)s)")
options.add_argument("--max-length", type=int, help="hardened: public bound on the events of a case")
options.add_argument("--max-duration", type=float, help="hardened: public bound on days between events of a case")
options.add_argument("--dates", nargs=2, metavar=("FIRST", "LAST"), help="hardened: public range of dates, ISO, UTC")

if __name__ == "__main__":
    sys.exit(cli.run(options, amun.anonymize))
