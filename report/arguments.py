"""The arguments that all commands of the report share."""

from __future__ import annotations

import argparse


def study_parser(description: str) -> argparse.ArgumentParser:
    """A parser that knows --logs, --title, --absent and --out.

    Parameters
    ----------
    description : str
        The docstring of the command's module.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", nargs="+", required=True, help="statistics of the logs")
    parser.add_argument("--title", default="", help="title of the study")
    parser.add_argument("--absent", nargs="*", default=[], help="logs of the study that are not available")
    parser.add_argument("--out", nargs="+", required=True, help="files to write; the suffix tells the format")
    return parser


def scores_parser(description: str) -> argparse.ArgumentParser:
    """As `study_parser`, with the score table, --rows and --audit."""
    parser = study_parser(description)
    parser.add_argument("scores", help="the score table of an experiment")
    parser.add_argument("--rows", nargs="*", default=[], help="parameters that make rows of a table or stand across")
    parser.add_argument("--audit", help="the findings of the audit, if there was one")
    return parser


def attacks_parser(description: str) -> argparse.ArgumentParser:
    """As `scores_parser`, with --games."""
    parser = scores_parser(description)
    parser.add_argument("--games", nargs="*", default=[], help="rates of the game of presence, where it was played")
    return parser


def metric_parser(description: str) -> argparse.ArgumentParser:
    """As `scores_parser`, with --metric."""
    parser = scores_parser(description)
    parser.add_argument("--metric", required=True)
    return parser
