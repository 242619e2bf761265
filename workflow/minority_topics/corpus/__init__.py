"""Text in, matrices out."""
