"""Command line of PRETSA; see `mechanisms.cli`."""

from __future__ import annotations

import argparse
import sys

from mechanisms import cli, pretsa
from mechanisms.pretsa.options import CHOICES


def whole(text: str) -> int | None:
    """A whole number, or None for ``off``."""
    return None if text == "off" else int(text)


def number(text: str) -> float | None:
    """A number, or None for ``off``."""
    return None if text == "off" else float(text)


options = cli.parser("pretsa", "Release an event log in which k cases share each prefix (PRETSA).")
add = options.add_argument
add("--k", type=int, required=True, help="fewest cases that share a prefix")
add("--t", type=float, required=True, help="t-closeness of durations; 1 is no limit")
add("--distance", choices=CHOICES["distance"], default="levenshtein", help="of traces (%(default)s)")
add("--embedding", metavar="FILE", help="of mechanisms.pretsa.embedding; by default, one is trained")
add("--form", choices=CHOICES["form"][1:], help="of the embedding distance (linear; r19: quadratic)")
add("--profile", choices=CHOICES["profile"], default="sound", help="by default sound, the defensible one")
add("--variant-k", action=argparse.BooleanOptionalAction, help="k cases share each whole trace, too (sound: yes)")
add("--t-on-release", action="store_true", help="sound: t holds for imputed durations, too")
add("--l", type=whole, dest="diversity", metavar="L", help="fewest distinct durations of a class (off)")
add("--empty-classes", choices=CHOICES["empty_classes"], default="violate", help="what l says of them (%(default)s)")
add("--order", choices=CHOICES["order"], default="random", help="of the cases; it decides ties (%(default)s)")
add("--order-seed", type=int, help="of the random order alone, to share it between runs")
add("--imputation", choices=CHOICES["imputation"], default="resample", help="of changed durations (%(default)s)")
add("--duration-epsilon", type=number, metavar="EPSILON", help="of Laplace noise on each duration (off)")
add("--duration-bounds", metavar="FILE", help='JSON of public bounds in seconds: {"activity": [0, 3600], ...}')
add("--mapping", metavar="FILE", help="JSON to write for the data owner: which case became which")

if __name__ == "__main__":
    sys.exit(cli.run(options, pretsa.anonymize))
