"""The model: constrained NMF, its solvers and their compiled passes."""
