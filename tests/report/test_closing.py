"""What a finished workflow says."""

from __future__ import annotations

from metrics.qc import Finding
from metrics.table import Row, write_csv
from report.closing import closing


def test_failures_and_errors_are_told(tmp_path):
    folder = tmp_path / "study"
    folder.mkdir()
    rows = [
        Row("a", "x", "default", str(n), m, 1.0, s) for n, s in enumerate(["ok", "ok", "TO"]) for m in ("cpu_s", "m")
    ]
    write_csv(Row._fields, rows, folder / "scores.csv")
    findings = [Finding("error", "x/default/a", "m is 2"), Finding("info", "x/default/a", "TO")]
    write_csv(Finding._fields, findings, folder / "qc.csv")
    line = closing(folder)
    assert line.startswith("study: 2 ok, 1 TO of 3 runs; 1 errors in ")
    write_csv(Finding._fields, findings[1:], folder / "qc.csv")
    assert "found no error" in closing(folder)
