"""The private link of released to original cases: what is written is read, and what does not fit is refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.log import LogError
from data.origins import read_origins, write_origins


def test_what_is_written_is_read(tmp_path):
    write_origins(np.array([2, -1, 0, 2]), tmp_path / "origins.parquet")
    assert read_origins(tmp_path / "origins.parquet", 3, 4).tolist() == [2, -1, 0, 2]
    assert [path.name for path in tmp_path.iterdir()] == ["origins.parquet"]


def test_a_program_in_another_language_may_write_nulls_and_narrow_integers(tmp_path):
    pq.write_table(pa.table({"origin": pa.array([1, None], pa.int32())}), tmp_path / "origins.parquet")
    assert read_origins(tmp_path / "origins.parquet", 2, 2).tolist() == [1, -1]


def test_no_file_and_an_empty_one_tell_of_no_origins(tmp_path):
    assert read_origins(tmp_path / "absent.parquet", 3, 4) is None
    (tmp_path / "empty.parquet").touch()
    assert read_origins(tmp_path / "empty.parquet", 3, 4) is None


@pytest.mark.parametrize(
    ("origins", "message"),
    [([0, 1], "2 origins of 3 released cases"), ([0, 1, 5], "between -1 and 4"), ([0, 1, -2], "between -1 and 4")],
)
def test_origins_that_do_not_fit_are_refused(tmp_path, origins, message):
    write_origins(np.array(origins), tmp_path / "origins.parquet")
    with pytest.raises(LogError, match=message):
        read_origins(tmp_path / "origins.parquet", 5, 3)


def test_anything_else_is_refused_by_name(tmp_path):
    (tmp_path / "origins.parquet").write_bytes(b"nothing of the kind")
    with pytest.raises(LogError, match=r"origins\.parquet: no Parquet file with an integer column 'origin'"):
        read_origins(tmp_path / "origins.parquet", 5, 3)
    pq.write_table(pa.table({"case": [1]}), tmp_path / "origins.parquet")
    with pytest.raises(LogError, match="no Parquet file with an integer column 'origin'"):
        read_origins(tmp_path / "origins.parquet", 5, 3)
