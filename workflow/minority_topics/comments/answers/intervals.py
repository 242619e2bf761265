"""95% intervals of shares and of means of shares."""

import numpy as np

Z = 1.959963984540054
# A mean of fewer comments has no interval.
LEAST_FOR_INTERVAL = 20


def wilson(share, n):
    """Wilson's interval of a share of n, ends (low, high); arrays give arrays.

        (p + z^2 / 2n -+ z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n)

    It stays between 0 and 1; a share of 0 still has an upper end above 0.
    """
    share, n = np.asarray(share, float), np.asarray(n, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = share + Z**2 / (2 * n)
        half = Z * np.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
        scale = 1 + Z**2 / n
        low, high = (centre - half) / scale, (centre + half) / scale
    # Rounding must not put the share outside of its interval.
    return np.clip(np.minimum(low, share), 0, 1), np.clip(np.maximum(high, share), 0, 1)


def without_replacement(n, size):
    """The number of answers, drawn with replacement, that tell as much as n (H,) drawn without it
    from `size` (H,): n (size - 1) / (size - n), infinite where all were drawn.
    """
    n, size = np.asarray(n, float), np.asarray(size, float)
    left = size - n
    return np.where(left > 0, n * (size - 1) / np.where(left > 0, left, 1), np.inf)


def mean_share(n, total, squares):
    """(mean, low, high) of n shares by their sum and sum of squares; NaN where too few.

    A share lies between 0 and 1, so its variance s^2 is at most p (1 - p). The interval is Wilson's
    for the number of yes-or-no answers that would tell as much as the n shares:

        n' = n p (1 - p) / s^2,    n' = n where all shares are 0 or all are 1
    """
    n, total, squares = (np.asarray(array, float) for array in (n, total, squares))
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(n > 0, total / n, np.nan)
        variance = np.maximum(squares - n * mean**2, 0) / (n - 1)
        limit = mean * (1 - mean)
        # What is left of a difference of like numbers is rounding, no variance.
        same = variance <= 1e-12 * np.maximum(mean, 0)
        effective = np.where(limit <= 1e-12, n, n * limit / np.where(same, np.nan, variance))
        effective = np.where(np.isnan(effective) & (limit > 1e-12), np.inf, effective)
        low, high = wilson(mean, np.maximum(effective, n))
    few = n < LEAST_FOR_INTERVAL
    return mean, np.where(few, np.nan, low), np.where(few, np.nan, high)
