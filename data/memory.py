"""Have the process give memory back as soon as it is free."""

from __future__ import annotations

import ctypes
from functools import cache

import pyarrow as pa

MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD of malloc.h
LARGE = 1 << 18  # bytes


@cache
def give_back() -> None:
    """Have Arrow use the system's allocator, and have that return every large piece that is freed.

    Arrow's own keeps much of what is freed, and glibc raises the size of what it returns with every large piece that
    is freed; both may leave a process with several times the memory it needs. Elsewhere than in glibc the second
    step is left out.
    """
    pa.set_memory_pool(pa.system_memory_pool())
    if mallopt := getattr(ctypes.CDLL(None), "mallopt", None):
        mallopt(MMAP_THRESHOLD, LARGE)
