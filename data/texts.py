"""Activity sequences as texts of one character an activity, to which string kernels apply."""

from __future__ import annotations

from itertools import pairwise

import numpy as np


def texts(activities: np.ndarray, offsets: np.ndarray) -> tuple[str, ...]:
    """One text a sequence, the code of an activity being its code point.

    Parameters
    ----------
    activities : int array (events,)
        Activity codes of all sequences one after the other.
    offsets : int64 array (sequences + 1,)
    """
    text = activities.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    return tuple(text[start:stop] for start, stop in pairwise(offsets.tolist()))
