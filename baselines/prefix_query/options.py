"""Options of the command lines of all prefix queries."""

from __future__ import annotations

import argparse

from baselines.prefix_query.alphabet import read_alphabet
from baselines.prefix_query.growth import MAX_PREFIXES


def add_query_options(options: argparse.ArgumentParser) -> None:
    """Add epsilon, the longest prefix, the threshold, and the limit of size."""
    add_epsilon_options(options)
    add_length_option(options, "levels of the query, END included", "mean")
    options.add_argument(
        "--pruning", default="1%", help="least count that keeps a prefix: a whole number or a share of the cases (1%%)"
    )
    options.add_argument(
        "--max-prefixes",
        type=int,
        default=MAX_PREFIXES,
        help="most prefixes to keep, of all lengths together, open or ended; more are refused (%(default)s)",
    )


def add_epsilon_options(options: argparse.ArgumentParser) -> None:
    """Add epsilon and the file that gives a symbolic one its value."""
    options.add_argument("--epsilon", required=True, help="a number, inf, or amun-mean@0.3 (amun-min, amun-max)")
    options.add_argument(
        "--epsilons",
        nargs="?",
        metavar="FILE",
        help="Amun's epsilons of the log, by python -m mechanisms.amun.epsilons",
    )


def add_alphabet_option(options: argparse.ArgumentParser) -> None:
    """Add the file of a public alphabet."""
    options.add_argument(
        "--alphabet",
        nargs="?",
        type=read_alphabet,
        metavar="FILE",
        help="the public activities, one a line; cases that have another one are left out (those of the log)",
    )


def add_length_option(options: argparse.ArgumentParser, what: str, default: str) -> None:
    """Add the maximum length."""
    options.add_argument(
        "--max-length", default=default, help=f"{what}: a whole number, mean, mean+1 or p80 (%(default)s)"
    )
