"""Sequences as texts: equal where the sequences are, whatever the codes."""

from __future__ import annotations

import numpy as np

from data.texts import texts


def test_one_character_a_code():
    codes = np.array([0, 1, 0, 0xD800, 0x10FFFF, 7], dtype=np.int32)
    assert texts(codes, np.array([0, 3, 3, 5, 6])) == ("\0\1\0", "", "\ud800\U0010ffff", "\7")
    assert texts(np.empty(0, dtype=np.int64), np.array([0])) == ()
