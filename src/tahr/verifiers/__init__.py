"""Judges of answers."""
