"""How fast the exact solver is, beside its peers."""
