"""The study: its configuration, what it asks for, where things are, and how fits are run."""
