"""The figures of classes, and what they are drawn from."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from data.relation import IPV4, Column, Relation
from data.relation_release import Recoded, RelationRelease
from metrics.class_profile import HEADER, profile
from report.classes import class_figure

ORIGINAL = Relation({"user": Column([1, 1, 2, 3, 4, 5]), "ip": Column([1, 2, 3, 9, 9, 7], IPV4)})


def frame_of(release: RelationRelease, origins=None, original=ORIGINAL) -> pd.DataFrame:
    return pd.DataFrame(profile(original, release, origins), columns=HEADER)


def released(texts, low, high, sizes, suppressed=0, **more) -> RelationRelease:
    classes = np.repeat(np.arange(len(sizes)), sizes)
    return RelationRelease(classes, {"ip": Recoded(texts, np.array(low), np.array(high), IPV4), **more}, suppressed)


def test_a_profile_tells_who_is_behind_classes_and_behind_addresses_that_classes_share():
    users = Recoded(("[1, 2]", "[3, 4]", "*"), np.array([1, 3, 0]), np.array([2, 4, 0]))
    release = released(("0.0.0.0/28",) * 2 + ("*",), [0, 0, 0], [15, 15, 0], [3, 2, 1], 1, user=users)
    lines = frame_of(release, np.arange(6))
    assert lines.astype(object).where(lines.notna(), None).values.tolist() == [
        ["class", 3, 2, 3, 0, 15],
        ["class", 2, 2, 1, 0, 15],
        ["suppressed", 1, None, None, None, None],
        ["address", 5, 4, 4, 0, 15],
    ]
    assert frame_of(release)["users"].isna().all()


def test_octets_have_no_interval_and_other_tables_no_address():
    octets = {f"ip.{n}": Recoded(("*",), np.array([0]), np.array([255])) for n in range(1, 5)}
    lines = frame_of(RelationRelease(np.zeros(6), octets), np.arange(6))
    assert lines["kind"].tolist() == ["class", "address"]
    assert lines["low"].isna().all()
    ages = Relation({"age": Column([1, 2])})
    release = RelationRelease(np.zeros(2), {"age": Recoded(("[1, 2]",), np.array([1]), np.array([2]))})
    assert frame_of(release, np.arange(2), ages).values.tolist() == [["class", 2, None, None, None, None]]


def titles(figure) -> list[str]:
    return [axis.get_title() for axis in figure.axes if axis.get_title()]


def test_a_panel_a_setting_and_what_is_not_published_is_told():
    sizes = {
        ("mondrian", "k=2"): frame_of(released(("a", "b"), [1, 9], [3, 9], [3, 3]), np.arange(6)),
        ("mondrian", "k=3"): frame_of(released(("a", "*"), [1, 0], [9, 0], [5, 1], 1), np.arange(6)),
        ("failed", "k=2"): pd.DataFrame(columns=HEADER),
    }
    figure = class_figure(sizes, "sizes", "Study: made†", synthetic=True)
    assert titles(figure) == ["mondrian k=2", "mondrian k=3"]
    heights = [[bar.get_height() for bar in axis.patches] for axis in figure.axes[:2]]
    assert heights == [[2], [1]]
    assert [text.get_text() for text in figure.axes[1].texts] == ["1 rows suppressed"]
    above = " ".join(figure.get_suptitle().split())
    assert "† marks a synthetic log" in above
    assert "nothing of the kind is published by failed" in above


@pytest.mark.parametrize("figure", ["users", "intervals"])
def test_users_of_addresses_are_drawn_where_they_are_known(figure):
    known = frame_of(released(("a", "b"), [1, 9], [3, 9], [3, 3]), np.arange(6))
    assert titles(class_figure({("m", "k=1"): known}, figure, "S", synthetic=False)) == ["m"]
    unknown = frame_of(released(("a", "b"), [1, 9], [3, 9], [3, 3]))
    assert titles(class_figure({("m", "k=1"): unknown}, figure, "S", synthetic=False)) == []


def test_many_sizes_are_a_histogram():
    wide = pd.DataFrame([("class", rows, *[None] * 4) for rows in range(10, 500)], columns=HEADER)
    figure = class_figure({("m", "default"): wide}, "sizes", "S", synthetic=False)
    assert sum(bar.get_height() for bar in figure.axes[0].patches) == 490
    assert len(figure.axes[0].patches) == 30
