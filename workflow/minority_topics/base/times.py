"""Times in words."""


def duration(seconds):
    """Seconds as a reader would say it: 40 s, 12 min, 1 h 5 min."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
