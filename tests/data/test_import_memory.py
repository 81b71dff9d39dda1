"""Peak memory of an import against the size of the log it gives, in processes of their own.

What a process takes beside the log, for libraries and blocks, is the same for logs of two sizes; the slope between
them is what an import takes for each byte of its log.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from conftest import ROOT
from data.log import ACTIVITY, CASE, TIMESTAMP

# Twice, and an eighth more for what an allocator rounds up and for the steps in which hash tables grow.
BOUND = 2.25
SIZES = {"xes": (200_000, 800_000), "csv": (400_000, 1_600_000), "parquet": (400_000, 1_600_000)}  # events
IMPORT = """
import re, sys
from pathlib import Path
import pyarrow.csv, pyarrow.parquet
from data.importing import import_log
from data.options import ImportOptions

log, _ = import_log(sys.argv[1], ImportOptions(attributes=sys.argv[2] == "attributes"))
peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024
columns = [log.activities, log.timestamps, log.offsets, *log.attributes.values()]
texts = [*log.labels, *log.case_ids, *(text for column in columns if column.dtype == object for text in column)]
distinct = {id(text): sys.getsizeof(text) for text in texts}
pointers = 8 * (len(log.labels) + len(log.case_ids))
print(log.n_events, peak, sum(column.nbytes for column in columns) + pointers + sum(distinct.values()))
"""


def table(events: int, shape: str) -> pa.Table:
    """Events in one of several shapes: of long or short cases or a single one, out of time order, or mingled."""
    rng = np.random.default_rng(1)
    case = np.arange(events) // {"short": 4, "single": events}.get(shape, 50)
    if shape == "mingled":
        case = rng.permutation(events // 10).repeat(10) % len(np.unique(case))
    times = np.arange(events) * 10**6
    if shape in ("backwards", "single"):
        times = times[::-1]
    names = pa.array([f"{number:016x}" for number in range(case.max() + 1)])
    labels = pa.array([f"activity {number}" for number in range(40)])
    columns = {
        CASE: pa.DictionaryArray.from_arrays(pa.array(case.astype(np.int32)), names),
        ACTIVITY: pa.DictionaryArray.from_arrays(pa.array(rng.integers(40, size=events, dtype=np.int32)), labels),
        TIMESTAMP: pa.array(times, pa.timestamp("us", "UTC")),
    }
    if shape == "attributes":
        columns |= {
            "kind": labels.take(pa.array(rng.integers(40, size=events))),
            "document": pa.array(rng.integers(1 << 40, size=events)),
            "cost": pa.array(rng.random(events)),
            "note": pa.array([f"note {number:x}" for number in rng.integers(1 << 40, size=events).tolist()]),
        }
    return pa.table(columns)


def plain(events: pa.Table) -> pa.Table:
    """Without dictionaries."""
    types = [(field.name, getattr(field.type, "value_type", field.type)) for field in events.schema]
    return events.cast(pa.schema(types))


def write_csv(events: pa.Table, path) -> None:
    pa.csv.write_csv(plain(events), path)


def write_xes(events: pa.Table, path) -> None:
    """A trace for each run of events of a case, so that mingled cases have many traces of one name."""
    tags = {"document": "int", "cost": "float", TIMESTAMP: "date"}
    with path.open("w") as sink:
        sink.write("<log>\n")
        last = None
        for batch in events.to_batches(10_000):
            for row in batch.to_pylist():
                case = row.pop(CASE)
                if case != last:
                    sink.write("</trace>\n" * (last is not None))
                    sink.write(f'<trace><string key="concept:name" value="{case}"/>\n')
                last = case
                row[TIMESTAMP] = row[TIMESTAMP].isoformat()
                values = (f'<{tags.get(key, "string")} key="{key}" value="{value}"/>' for key, value in row.items())
                sink.write(f"<event>{''.join(values)}</event>\n")
        sink.write("</trace>\n</log>\n")


def write_parquet(events: pa.Table, path) -> None:
    """In small row groups, of one of which a reader needs the dictionary in memory."""
    pq.write_table(plain(events), path, row_group_size=100_000)


WRITERS = {"xes": write_xes, "csv": write_csv, "parquet": write_parquet}


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["long", "short", "backwards", "single", "mingled", "attributes"])
@pytest.mark.parametrize("kind", WRITERS)
def test_memory_is_at_most_twice_that_of_the_log(tmp_path, kind, shape):
    costs = []
    for size in SIZES[kind]:
        path = tmp_path / f"{size}.{kind}"
        WRITERS[kind](table(size, shape), path)
        command = [sys.executable, "-c", IMPORT, str(path), shape]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        events, *cost = map(int, done.stdout.split())
        assert events == size
        costs.append(cost)
    (peak, output), (more_peak, more_output) = costs
    slope = (more_peak - peak) / (more_output - output)
    print(
        f"{kind} {shape}: peak {peak / 1e6:.0f} and {more_peak / 1e6:.0f} MB, output {output / 1e6:.0f} and "
        f"{more_output / 1e6:.0f} MB, slope {slope:.2f}"
    )
    assert slope <= BOUND
