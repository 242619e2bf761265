"""Damage to files, as disks, editors and people do it."""

from hypothesis import strategies as st


def changed_bytes(content, draw, snippets):
    """Some bytes cut out, put in, flipped, repeated, or cut off."""
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(content)))
        end = min(len(content), at + draw(st.integers(0, 60)))
        how = draw(st.sampled_from(["cut", "insert", "flip", "repeat", "truncate"]))
        if how == "cut":
            content = content[:at] + content[end:]
        elif how == "insert":
            content = content[:at] + draw(st.sampled_from(snippets)) + content[at:]
        elif how == "flip" and at < len(content):
            content = (
                content[:at]
                + bytes([content[at] ^ 1 << draw(st.integers(0, 7))])
                + content[at + 1 :]
            )
        elif how == "repeat":
            content = content[:end] + content[at:]
        elif how == "truncate":
            content = content[:at]
    return content
