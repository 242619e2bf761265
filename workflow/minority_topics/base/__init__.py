"""What every room may use: files, manifests, places, processes, strict YAML, text and times.

Standard library alone, but for PyYAML and psutil, which are imported where they are needed.
"""
