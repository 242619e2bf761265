"""Times in words, and the time that is left."""


def duration(seconds):
    """Seconds as a reader would say it: 40 s, 12 min, 1 h 5 min."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def seconds_left(gone, done, rest):
    """What the rest takes, if it goes on as fast as before: `gone` seconds for what is done."""
    return gone / done * rest


def gone_and_left(gone, left):
    """Seconds gone and left, in words."""
    return f"{duration(gone)} gone, about {duration(left)} left"
