"""Labels beside what they name, so that no legend has to be looked up; none lies on another."""

import itertools

import numpy as np
from matplotlib.ticker import NullFormatter

from .style import GREY, INK, SMALLEST

# Where a label may stand: directions around its point, and distances from it in points.
ANGLES = np.radians(np.arange(0, 360, 22.5))
DISTANCES = (5, 10, 16, 24, 34, 46, 60)
# From here on a line leads from the label to its point.
FAR = 9
NEAR = np.array([-5, -5, 5, 5])  # around the box of a point
CAP = 2  # from a line to the end of its cap
PASSES = 4


def label_points(axes, points, texts, bold=(), lines=()):
    """Name points of the axes, each near its own, clear of all other names and of points.

    `lines` are the ends of lines, ((x, y), (x, y)), to keep off as well. The layout must be
    settled, since places are sought in points of the page. A box is (left, bottom, right, top).
    """
    figure = axes.figure
    per_point = figure.dpi / 72
    centres = axes.transData.transform(np.asarray(points, dtype=float)) / per_point
    frame = axes.get_window_extent().extents / per_point
    sizes = [_size(axes, text, number in bold) / per_point for number, text in enumerate(texts)]
    marks = np.hstack([centres - 3, centres + 3])
    ends = axes.transData.transform(np.reshape(lines, (-1, 2))).reshape(-1, 2, 2) / per_point
    strokes = np.hstack([ends.min(axis=1) - CAP, ends.max(axis=1) + CAP])
    candidates = [_candidates(*pair, frame) for pair in zip(centres, sizes, strict=True)]
    chosen: list[int | None] = [None] * len(texts)
    for _, number in itertools.product(range(PASSES), range(len(texts))):
        boxes, distances = candidates[number]
        placed = [i for i, k in enumerate(chosen) if k is not None and i != number]
        others = np.array([candidates[i][0][chosen[i]] for i in placed]).reshape(-1, 4)
        leaders = [_leader(box, centres[i]) for i, box in zip(placed, others, strict=True)]
        strangers = np.delete(marks, number, axis=0)
        crossed = np.vstack([others, strangers, strokes])
        own = [_overlap(_leader(box, centres[number]), crossed).sum() for box in boxes]
        costs = 1.5 * distances + 4 * _overlap(boxes, marks) + 5 * _overlap(boxes, strokes)
        # Near another point a label would be taken for its name.
        costs += 0.5 * _overlap(boxes, strangers + NEAR)
        costs += 20 * _overlap(boxes, others) + 2 * np.array(own)
        costs += 2 * _overlap(boxes, np.vstack([np.empty((0, 4)), *leaders]))
        chosen[number] = int(costs.argmin())
    for number, text in enumerate(texts):
        box = candidates[number][0][chosen[number]]
        _write(axes, points[number], text, box, centres[number], number in bold)


def _size(axes, text, bold):
    probe = axes.text(0, 0, text, fontsize=SMALLEST, fontweight="bold" if bold else "normal")
    extent = probe.get_window_extent()
    probe.remove()
    return np.array([extent.width, extent.height])


def _candidates(centre, size, frame):
    """Boxes around a point that lie in the frame, and how far each is off."""
    distances, angles = np.array(list(itertools.product(DISTANCES, ANGLES)), dtype=float).T
    ways = np.column_stack([np.cos(angles), np.sin(angles)])
    # One edge of the box at least keeps the distance, whatever the direction.
    middles = centre + ways * distances[:, None] + np.clip(1.5 * ways, -1, 1) * size / 2
    boxes = np.hstack([middles - size / 2, middles + size / 2])
    outside = (boxes[:, :2] < frame[:2]).any(axis=1) | (boxes[:, 2:] > frame[2:]).any(axis=1)
    return boxes, distances + 1e6 * outside


def _leader(box, centre):
    """Small boxes along the line from a label to its point; none where it has no line."""
    middle = (box[:2] + box[2:]) / 2
    if _distance(box, centre) <= FAR:
        return np.empty((0, 4))
    steps = np.linspace(0, 1, 12)[:, None]
    along = middle * (1 - steps) + centre * steps
    return np.hstack([along - 1, along + 1])


def _distance(box, centre):
    """From a point to the nearest edge of a box."""
    return np.hypot(*np.maximum(np.maximum(box[:2] - centre, centre - box[2:]), 0))


def _overlap(boxes, others):
    """The area that each box shares with all others."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    return (high - low).clip(min=0).prod(axis=2).sum(axis=1)


def _write(axes, point, text, box, centre, bold):
    offset = (box[:2] + box[2:]) / 2 - centre
    line = {"arrowstyle": "-", "color": GREY, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 2}
    label = axes.annotate(
        text, point, xytext=offset, textcoords="offset points", ha="center", va="center",
        fontsize=SMALLEST, color=INK, fontweight="bold" if bold else "normal", zorder=3.5,
        # Above lines, which the white interrupts where there is no room beside them.
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.3},
        arrowprops={**line, "relpos": (0.5, 0.5)} if _distance(box, centre) > FAR else None,
    )  # fmt: skip
    label.set_in_layout(False)


def label_ends(axes, ends, height):
    """Name lines right of the axes, each at the height where it ends, pushed apart where near.

    `ends` are (x, y, text, bold); `height` is about that of the axes, in inches.
    """
    right = axes.get_xlim()[1]
    axes.get_ylim()  # settles the limits, which the transforms below rest on
    to_axes = axes.transScale + axes.transLimits
    wanted = np.array([to_axes.transform((right, y))[1] for _, y, _, _ in ends])
    order = np.argsort(wanted, kind="stable")
    places = spread_out(wanted[order], 1.2 * SMALLEST / (72 * height))
    for number, place in zip(order, places, strict=True):
        x, y, text, bold = ends[number]
        axes.annotate(
            text, (x, y), xytext=(1.06, place), textcoords="axes fraction", va="center",
            fontsize=SMALLEST, fontweight="bold" if bold else "normal", color=INK,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.5, "shrinkA": 1,
                        "shrinkB": 3, "relpos": (0, 0.5)},
        )  # fmt: skip


def spread_out(places, gap):
    """Ascending places from 0 to 1, moved as little as can be to lie `gap` apart.

    Places less their number times the gap must ascend: least squares pools those that do not.
    """
    pools: list[list[float]] = []
    for number, place in enumerate(places):
        pools.append([place - number * gap])
        while len(pools) > 1 and np.mean(pools[-2]) > np.mean(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    levels = np.array([np.mean(pool) for pool in pools for _ in pool])
    return levels.clip(0, max(0, 1 - gap * (len(places) - 1))) + gap * np.arange(len(places))


def plain_decades(axis):
    """Plain numbers on a logarithmic axis, fewer the further it reaches."""
    low, high = axis.get_view_interval()
    powers = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    for digits in ((1,), (1, 3), (1, 2, 3, 5), range(1, 10)):
        values = [power * digit for power in powers for digit in digits]
        ticks = [value for value in values if low <= value <= high]
        if len(ticks) > 1:
            break
    axis.set_ticks(ticks, labels=[f"{tick:,g}" for tick in ticks])
    axis.set_minor_formatter(NullFormatter())
