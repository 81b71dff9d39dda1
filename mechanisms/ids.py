"""Fresh case ids for a release."""

from __future__ import annotations

import hashlib

import numpy as np


def fresh_case_ids(n: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Case ids that tell neither of the original ids nor of the noise: 32 hexadecimal digits each.

    Raw output of the generator in a release would let a reader recover its state, and with it the noise.
    The ids are therefore the output of SHAKE-256 on a secret that the generator draws. The generator is numpy's
    (PCG64 on the command line), not a cryptographic one: whoever guesses its seed or state has the secret too.

    Parameters
    ----------
    n : int
    rng : numpy.random.Generator
    """
    digits = hashlib.shake_256(rng.bytes(32)).hexdigest(16 * n)
    return tuple(digits[start : start + 32] for start in range(0, 32 * n, 32))
