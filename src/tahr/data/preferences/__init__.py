"""Pairs of answers, one preferred: their formats on disk, and their split by prompt."""
