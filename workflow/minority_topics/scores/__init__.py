"""Scores of fits, the tables made of them, and what they say of the paper."""
