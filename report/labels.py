"""Labels of points in a figure, placed so that they do not cover each other or the points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

ROUND = [(np.cos(angle), np.sin(angle)) for angle in np.linspace(0, 2 * np.pi, 16, endpoint=False)]
DISTANCES = (7, 12, 18, 26, 36, 48)  # points
LEADER = 12  # points, from where on a line leads from the label to its point
CLEAR = 3.5  # points around a marker that no label covers


def place_labels(axis: Axes, points: Sequence[tuple[float, float]], texts: Sequence[str], **style) -> None:
    """Write a text beside each point, as near as there is room, in the order given.

    Parameters
    ----------
    axis : Axes
        Drawn in full, with its final limits, as the room depends on it.
    points : sequence of (x, y)
        In data coordinates.
    texts : sequence of str
        Empty for a point that has none but must not be covered.
    style : keyword arguments of ``Axes.annotate``
    """
    figure = axis.figure
    figure.canvas.draw()
    renderer, scale = figure.canvas.get_renderer(), figure.dpi / 72
    inside = axis.get_window_extent(renderer)
    places = axis.transData.transform(np.asarray(points, dtype=float).reshape(-1, 2))
    taken = [Bbox.from_extents(*(place - CLEAR * scale), *(place + CLEAR * scale)) for place in places]
    for point, place, text in zip(points, places, texts, strict=True):
        if not text:
            continue
        label = axis.annotate(text, point, xytext=(0, 0), textcoords="offset points", ha="center", va="center", **style)
        size = label.get_window_extent(renderer)
        width, height = size.width, size.height
        offsets = [
            (x * (distance + width / scale / 2 * abs(x)), y * (distance + height / scale / 2 * abs(y)))
            for distance in DISTANCES
            for x, y in ROUND
        ]
        boxes = [_box(place + np.multiply(offset, scale), width, height) for offset in offsets]
        cost = [sum(_shared(box, other) for other in taken) + 10 * _beyond(box, inside) for box in boxes]
        best = int(np.argmin(np.round(cost, 6)))  # the nearest of those that cover least
        label.set_position(offsets[best])
        taken.append(boxes[best])
        if best >= len(ROUND) * sum(distance < LEADER for distance in DISTANCES):
            arrow = {"arrowstyle": "-", "linewidth": 0.4, "color": "0.6", "shrinkA": 0, "shrinkB": 3}
            axis.annotate(
                "", point, xytext=offsets[best], textcoords="offset points", arrowprops=arrow, annotation_clip=False
            )


def _box(centre: np.ndarray, width: float, height: float) -> Bbox:
    half = np.array([width, height]) / 2 + 0.5
    return Bbox.from_extents(*(centre - half), *(centre + half))


def _shared(box: Bbox, other: Bbox) -> float:
    """The area that two boxes share."""
    low, high = np.maximum(box.min, other.min), np.minimum(box.max, other.max)
    return float(np.prod(np.maximum(high - low, 0)))


def _beyond(box: Bbox, inside: Bbox) -> float:
    """The area of a box that lies outside another one."""
    return box.width * box.height - _shared(box, inside)
