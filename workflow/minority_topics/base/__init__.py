"""What every room may use: files, manifests, strict YAML, text and times.

Standard library alone, but for YAML.
"""
