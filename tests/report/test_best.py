"""The best value of a parameter: which one is chosen, what is kept of it, and that tables say so."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from report import best
from report.best import best_note, keep_best


def rows(log: str, mechanism: str, parameters: str, emd: list, cost: float = 1.0) -> list[dict]:
    """Scores of a cell: emd_variants as given (a text is a status) and one cost."""
    key = {"log": log, "mechanism": mechanism, "parameters": parameters}
    return [
        {**key, "repeat": str(repeat), "metric": metric, "value": np.nan if isinstance(value, str) else value,
         "status": value if isinstance(value, str) else "ok"}
        for repeat, first in enumerate(emd)
        for metric, value in (("emd_variants", first), ("cpu_s", cost))
    ]  # fmt: skip


STUDY = pd.DataFrame(
    rows("NA", "identity", "default", [0.0, 0.0])
    + rows("NA", "tvq", "epsilon=amun-mean@0.2,pruning=0.5%", [0.5, 0.7], cost=1.0)
    + rows("NA", "tvq", "epsilon=amun-mean@0.2,pruning=1%", [0.4, 0.6], cost=2.0)
    + rows("NA", "tvq", "epsilon=amun-mean@0.2,pruning=5%", [0.1, "TO"], cost=3.0)
    + rows("NA", "tvq", "epsilon=1,pruning=0.5%", ["INF", "INF"])
    + rows("NA", "tvq", "epsilon=1,pruning=1%", ["EMPTY", 0.9])
    + rows("b", "tvq", "epsilon=1,pruning=0.5%", ["EMPTY", "EMPTY"])
    + rows("b", "tvq", "epsilon=1,pruning=1%", ["EMPTY", "EMPTY"])
)


def test_the_best_mean_wins_among_cells_without_failures():
    kept, chosen = keep_best(STUDY, "pruning", "emd_variants")
    assert chosen["value"].tolist() == ["1%", "1%", "0.5%"]
    assert chosen["tried"].tolist() == [
        "0.5%: 0.60 ± 0.14; 1%: 0.50 ± 0.14; 5%: 0.100 (1), 1 TO",
        "0.5%: INF; 1%: 0.900 (1), 1 EMPTY",
        "0.5%: EMPTY; 1%: EMPTY",
    ]
    first = kept[kept["parameters"] == "epsilon=amun-mean@0.2,pruning=best"]
    assert first.loc[first["metric"] == "emd_variants", "value"].tolist() == [0.4, 0.6]
    assert set(first.loc[first["metric"] == "cpu_s", "value"]) == {2.0}, "all metrics are of the chosen runs"


def test_nothing_else_changes():
    kept, _ = keep_best(STUDY, "pruning", "emd_variants")
    assert kept[kept["mechanism"] == "identity"].equals(STUDY[STUDY["mechanism"] == "identity"])
    assert kept.groupby(["log", "mechanism", "parameters"]).ngroups == 4
    failed = kept[(kept["log"] == "b") & (kept["metric"] == "emd_variants")]
    assert failed["status"].tolist() == ["EMPTY", "EMPTY"], "failures stay visible"


def test_a_metric_of_which_more_is_better_is_turned_round():
    study = STUDY.assign(metric=STUDY["metric"].replace("emd_variants", "variant_overlap"))
    _, chosen = keep_best(study, "pruning", "variant_overlap")
    assert chosen["value"].tolist()[0] == "0.5%"


def test_tables_name_the_choice():
    kept, _ = keep_best(STUDY, "pruning", "emd_variants")
    assert "pruning=best: " in best_note(kept)[0]
    assert best_note(STUDY) == []


def test_command_line(tmp_path, monkeypatch):
    STUDY.to_csv(tmp_path / "scores.csv", index=False)
    out = [str(tmp_path / name) for name in ("best.csv", "chosen.csv")]
    arguments = [
        "best",
        str(tmp_path / "scores.csv"),
        "--parameter",
        "pruning",
        "--metric",
        "emd_variants",
        "--out",
        *out,
    ]
    monkeypatch.setattr("sys.argv", arguments)
    best.main()
    assert "NA,tvq," in (tmp_path / "best.csv").read_text(), "a log named NA is a log"
    arguments[arguments.index("emd_variants")] = "unheard_of"
    with pytest.raises(SystemExit, match="unknown metric 'unheard_of'"):
        best.main()
