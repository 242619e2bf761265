"""Where topics stand on a map of their similarity: near where alike, and none upon another."""

import numpy as np

WIDTH, HEIGHT = 720, 420
LEAST_RADIUS, LARGEST_RADIUS = 13, 34
GAP = 3
ROUNDS = 300
LONGEST_MOVE = 8


def radii(shares):
    """Radii of circles whose areas are as the shares, with room for a number and a finger."""
    shares = np.asarray(shares, dtype=float)
    largest = shares.max(initial=0)
    if not largest:
        return np.full(len(shares), float(LEAST_RADIUS))
    # Many topics must fit: together the circles cover a third of the map at most.
    covered = np.pi * LARGEST_RADIUS**2 * (shares / largest).sum()
    scale = min(1.0, np.sqrt(WIDTH * HEIGHT / 3 / covered))
    return np.maximum(LARGEST_RADIUS * scale * np.sqrt(shares / largest), LEAST_RADIUS)


def places(points, sizes):
    """Points (n x 2) as centres of circles of these sizes within the map, pushed apart."""
    points = np.asarray(points, dtype=float).reshape(-1, 2)
    low, high = points.min(axis=0, initial=np.inf), points.max(axis=0, initial=-np.inf)
    spans = np.where(high > low, high - low, 1.0)
    room = np.array([WIDTH, HEIGHT])
    margin = sizes[:, None] + GAP
    centres = margin + (points - low) / spans * (room - 2 * margin)
    # Points at one place need a direction to part in: a turn of the golden angle each.
    turns = np.arange(len(points)) * np.pi * (3 - np.sqrt(5))
    apart = 1e-3 * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    least = sizes[:, None] + sizes[None, :] + GAP
    for _ in range(ROUNDS):
        between = (centres + apart)[:, None] - (centres + apart)[None, :]
        distance = np.hypot(between[..., 0], between[..., 1])
        np.fill_diagonal(distance, np.inf)
        push = np.maximum(least - distance, 0) / 2
        if not push.any():
            break
        move = (between * (push / distance)[..., None]).sum(axis=1)
        # Many that push at once would throw a circle across the map.
        centres = centres + np.clip(move, -LONGEST_MOVE, LONGEST_MOVE)
        centres = np.clip(centres, margin, room - margin)
    return centres
