"""What the topics of own comments say: tables, examples, trends, groups and sheets for coders."""

from .answering import answer

__all__ = ["answer"]
