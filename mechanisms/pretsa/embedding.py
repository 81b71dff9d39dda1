"""Distances of activities learned from a log: Act2Vec, by gensim's Word2Vec on the traces as sentences.

Rösel, Fahrenkrog-Petersen, van der Aa, Weidlich: "A Distance Measure for Privacy-Preserving Process Mining based on
Feature Learning" (BPM workshops 2021); de Koninck, vanden Broucke, De Weerdt (BPM 2018) for Act2Vec. The distance of
two activities is one minus the cosine of their vectors, 0 to 2, and 0 of an activity to itself.

Parameters are as published but for the workers: one, as with more of them the result differs from run to run. The
published `sample` is meant for vocabularies of 10,000 words: on the activities of a log it drops most events. A
twentieth of the published epochs gives distances as good, so a log of more than 100,000 events is trained for as many
epochs as make `MOST_EVENTS` trained events, but for `FEWEST_EPOCHS` at least; benchmarks/README.md tells of the error.
Training multiplies the rounding of OpenBLAS, which differs between kinds of CPU, so one kernel is used on all x86-64.

``python -m mechanisms.pretsa.embedding IN OUT.json --seed 1`` trains once for all runs on a log. The file is computed
from private traces.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.files import write_json
from data.io import LogError, read_log
from data.log import EventLog
from mechanisms import Infeasible, ParameterError

EPOCHS, SAMPLE, VECTOR_SIZE, WINDOW, NEGATIVE = 1000, 1e-3, 100, 5, 5
MOST_EVENTS, FEWEST_EPOCHS = 100_000_000, 20
KERNEL = "Nehalem"  # of OpenBLAS: all x86-64 CPUs since 2009 have it, and training is as fast as by later ones
FOLLOWERS = (1, 2, 3, 5)


@dataclass(frozen=True, eq=False)
class Embedding:
    """Distances of activities.

    Attributes
    ----------
    labels : tuple of str
    distances : float array (labels, labels)
    """

    labels: tuple[str, ...]
    distances: np.ndarray

    def of(self, labels: Sequence[str]) -> np.ndarray:
        """The distances of the given activities, float (activities, activities).

        Raises
        ------
        ParameterError
            If one is unknown.
        """
        index = {label: position for position, label in enumerate(self.labels)}
        if unknown := [label for label in labels if label not in index]:
            raise ParameterError(f"the embedding has no activity {unknown[0]!r}; train one on this log")
        chosen = [index[label] for label in labels]
        return self.distances[np.ix_(chosen, chosen)]


def train(
    log: EventLog,
    *,
    seed: int,
    epochs: int | None = None,
    sample: float = SAMPLE,
    vector_size: int = VECTOR_SIZE,
    window: int = WINDOW,
    negative: int = NEGATIVE,
) -> Embedding:
    """Train an embedding on all traces in the order of the log.

    Parameters
    ----------
    log : EventLog
        Of at least one event.
    seed : int
        In [0, 2**32).
    epochs : int, optional
        By default `epochs_of` the log.
    sample, vector_size, window, negative
        As of `gensim.models.Word2Vec`.
    """
    os.environ["OPENBLAS_CORETYPE"] = KERNEL  # read when scipy is first imported
    from gensim.models import Word2Vec

    names = np.array(log.labels, dtype=object)[log.activities]
    traces = [trace.tolist() for trace in np.split(names, log.offsets[1:-1])]
    vectors = Word2Vec(
        traces,
        min_count=1,
        workers=1,
        seed=seed,
        epochs=epochs or epochs_of(log),
        sample=sample,
        vector_size=vector_size,
        window=window,
        negative=negative,
    ).wv
    labels = tuple(label for label in log.labels if label in vectors)
    matrix = vectors[labels].astype(float)
    # Not by a matrix product, whose sums may depend on the number of threads.
    norms = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
    distances = 1 - np.einsum("ik,jk->ij", matrix, matrix) / (norms[:, None] * norms)
    np.fill_diagonal(distances, 0)
    return Embedding(labels, distances)


def epochs_of(log: EventLog) -> int:
    """How often training passes over a log: as published, fewer times over a large one."""
    return min(EPOCHS, max(FEWEST_EPOCHS, MOST_EVENTS // max(1, log.n_events)))


def measures(log: EventLog, embedding: Embedding) -> dict:
    """The internal measures of the study's Table 3.

    Returns
    -------
    dict
        `activities`; `mean` and `std` of the distances of all ordered pairs, those of an activity to itself
        included, as in the study; `median_follower_share_x`: share of the x most frequent direct followers of an
        activity among all of them, its median over the activities that have any (None if none has). The study's x
        is not known.
    """
    after = np.flatnonzero(~log.first_events)
    counts = np.zeros((len(log.labels), len(log.labels)))
    np.add.at(counts, (log.activities[after - 1], log.activities[after]), 1)
    counts = counts[counts.any(axis=1)]
    shares = np.cumsum(-np.sort(-counts, axis=1), axis=1) / counts.sum(axis=1, keepdims=True)
    return {
        "activities": len(embedding.labels),
        "mean": float(embedding.distances.mean()),
        "std": float(embedding.distances.std()),
    } | {
        f"median_follower_share_{x}": float(np.median(shares[:, min(x, shares.shape[1]) - 1])) if len(shares) else None
        for x in FOLLOWERS
    }


def read_embedding(path: str) -> Embedding:
    """Read what `main` wrote.

    Raises
    ------
    ParameterError
        If it is not an embedding.
    """
    try:
        stored = json.loads(Path(path).read_text(encoding="utf-8"))
        labels, distances = tuple(stored["labels"]), np.array(stored["distances"], dtype=float)
        if distances.shape != (len(labels), len(labels)):
            raise ValueError(f"{len(labels)} labels, but distances of shape {distances.shape}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ParameterError(f"{path}: not an embedding of mechanisms.pretsa.embedding: {error!r}") from None
    return Embedding(labels, distances)


def main() -> int:
    """Train on a log; write the distances and, if asked for, their internal measures, as JSON."""
    options = argparse.ArgumentParser(
        prog="python -m mechanisms.pretsa.embedding", description="Train the distances of a log's activities."
    )
    options.add_argument("input", metavar="IN", help="event log")
    options.add_argument("output", metavar="OUT", help="JSON file to write")
    options.add_argument("--measures", metavar="FILE", help="JSON file for the internal measures")
    options.add_argument("--seed", type=int, default=1, help="at least 0 (%(default)s)")
    options.add_argument("--epochs", type=int, help=f"passes over the log ({EPOCHS}, fewer for a large one)")
    options.add_argument(
        "--sample", type=float, default=SAMPLE, help="threshold of downsampling, 0 for none (%(default)s)"
    )
    options.add_argument("--vector-size", type=int, default=VECTOR_SIZE, help="dimensions (%(default)s)")
    options.add_argument(
        "--window", type=int, default=WINDOW, help="most events between two that are related (%(default)s)"
    )
    options.add_argument("--negative", type=int, default=NEGATIVE, help="negative samples (%(default)s)")
    given = vars(options.parse_args())
    parameters = {name: given[name] for name in ("seed", "epochs", "sample", "vector_size", "window", "negative")}
    known = [value for value in parameters.values() if value is not None]
    if not 0 <= parameters["seed"] < 2**32 or min(known) < 0 or parameters["epochs"] == 0:
        options.error("the seed must lie in [0, 2**32), epochs be at least 1, and nothing be negative")
    try:
        log = read_log(given["input"])
        if not log.n_events:
            raise Infeasible("the log has no event; there is nothing to train on")
        parameters["epochs"] = parameters["epochs"] or epochs_of(log)
        embedding = train(log, **parameters)
        stored = {"labels": list(embedding.labels), "distances": embedding.distances.tolist()}
        write_json({**parameters, **stored}, given["output"])
        if given["measures"]:
            write_json({**parameters, **measures(log, embedding)}, given["measures"])
    except Infeasible as refusal:
        print(refusal, file=sys.stderr)
        return 3
    except (LogError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
